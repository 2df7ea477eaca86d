"""Parquet and CSV files a batch at a time, through pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Array
from .._compat import import_arrow

# Rows of a batch of a Parquet file: 8 MB a column of floats.
_ROWS = 1 << 20
# Bytes of a block of a CSV file.
_BLOCK = 1 << 25


@dataclass(frozen=True)
class Batch:
    """Some rows of a file.

    Attributes
    ----------
    name : str
        What messages call them.
    columns : dict of str to ndarray
    size : int
        Rows of a Parquet file, bytes of a CSV file that were read for them.
    """

    name: str
    columns: Mapping[str, Array]
    size: int


class Table:
    """Columns of a file.

    Parameters
    ----------
    path : str
        Ends in .csv or .csv.gz; anything else is read as Parquet.
    columns : list of str
    numbers : list of str, default=()
        Those of them that must hold numbers.
    """

    def __init__(self, path: str, columns: Sequence[str], numbers: Sequence[str] = ()) -> None:
        self.path, self.columns, self.numbers = path, list(dict.fromkeys(columns)), numbers
        self._arrow = import_arrow()
        self._is_csv = path.lower().endswith((".csv", ".csv.gz"))
        if not Path(path).is_file():
            there = Path(path).exists()
            raise FileNotFoundError(
                2, f"{'that is no' if there else 'there is no such'} file", path
            )
        self.size = Path(path).stat().st_size if self._is_csv else self._parquet().metadata.num_rows

    def __iter__(self) -> Iterator[Batch]:
        row = 0
        for batch, size in self._csv() if self._is_csv else self._parquet_batches():
            last = row + batch.num_rows
            columns = {name: _array(batch.column(name)) for name in self.columns}
            self._refuse_missing(batch, columns, row)
            if batch.num_rows:
                yield Batch(f"{self.path}, rows {row} to {last - 1}", columns, size)
            row = last

    def _parquet(self) -> Any:
        from pyarrow import parquet

        try:
            # Reading ahead would hold the whole file.
            file = parquet.ParquetFile(self.path, pre_buffer=False)
        except self._arrow.ArrowInvalid as error:
            raise ValueError(f"{self.path} is no Parquet file: {error}") from None
        self._check(file.schema_arrow.names)
        return file

    def _parquet_batches(self) -> Iterator[tuple[Any, int]]:
        """Yield batches with their rows."""
        with self._parquet() as file:
            for batch in file.iter_batches(batch_size=_ROWS, columns=self.columns):
                yield batch, batch.num_rows

    def _csv(self) -> Iterator[tuple[Any, int]]:
        """Yield batches with the bytes of the file that were read for them."""
        from pyarrow import csv

        try:
            with (
                self._arrow.OSFile(self.path, "rb") as file,
                self._arrow.input_stream(
                    file, compression="gzip" if self.path.lower().endswith(".gz") else None
                ) as stream,
                csv.open_csv(stream, csv.ReadOptions(block_size=_BLOCK)) as reader,
            ):
                self._check(reader.schema.names)
                seen = 0
                for batch in reader:
                    read = file.tell() - seen
                    seen += read
                    yield batch, read
        except self._arrow.ArrowInvalid as error:
            raise ValueError(f"{self.path} could not be read as CSV: {error}") from None

    def _refuse_missing(self, batch: Any, columns: Mapping[str, Array], first: int) -> None:
        """Refuse a missing value, or a word for a number, naming its row and column."""
        for name, values in columns.items():
            missing = np.asarray(batch.column(name).is_null(nan_is_null=True))
            told = f"the value is missing{'' if values.dtype == object else ' or no number'}"
            if values.dtype == object:  # words: a CSV file leaves an empty one where nothing stands
                missing = missing | (values == "")
                if name in self.numbers and not missing.any():
                    missing = np.array([not _is_number(value) for value in values])
                    told = f"{values[missing.argmax()]!r} is no number"
            if missing.any():
                row = first + int(missing.argmax())
                line = f" (line {row + 2})" if self._is_csv else ""
                raise ValueError(f"{self.path}, row {row}{line}, column {name!r}: {told}.")

    def _check(self, known: Sequence[str]) -> None:
        for name in self.columns:
            if name not in known:
                parted = len(known) == 1 and next((mark for mark in ";\t|" if mark in known[0]), "")
                hint = (
                    f" They are parted by {parted!r}; save them parted by commas." if parted else ""
                )
                raise ValueError(
                    f"{self.path} has no column {name!r}; its columns are {', '.join(known)}.{hint}"
                )


def _array(values: Any) -> Array:
    if hasattr(values, "dictionary_decode"):
        values = values.dictionary_decode()
    return np.asarray(values.to_numpy(zero_copy_only=False))


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
