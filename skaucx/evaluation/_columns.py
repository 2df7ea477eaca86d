"""The named columns of a frame, of Parquet or CSV files, or of folders of them."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .._arrays import Array, column_names
from .._compat import import_arrow
from .._text.plain import elided

_ENDINGS = (".csv", ".csv.gz", ".parquet")
_MOST_LETTERS = 200  # of a file, in a message
_MOST_ROWS, _BLOCK = 1 << 20, 1 << 25  # of a batch of Parquet, and bytes of one of CSV
# Words for a missing value, in small letters and without blanks around them.
_MISSING = frozenset(
    ["", ".", "?", "#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind", "1.#qnan",
     "<na>", "n/a", "na", "nan", "nat", "null"]
)  # fmt: skip


def columns_of_frame(frame: Any, columns: Iterable[Any] | None = None) -> dict[Any, Any]:
    """Return columns of a frame, a table, a record batch or a dict of arrays; all without names."""
    lazy = any(hasattr(type(frame), name) for name in ("__dask_graph__", "collect"))
    streams = hasattr(frame, "__arrow_c_array__") or hasattr(frame, "__arrow_c_stream__")
    if streams and not lazy and not hasattr(frame, "__getitem__"):
        frame = import_arrow().table(frame)
    if lazy or not (isinstance(frame, Mapping) or hasattr(frame, "columns")):
        raise TypeError(
            "data must be a frame in memory, such as one of pandas, polars or pyarrow, a dict of "
            f"arrays or the path of a file, found {type(frame).__name__}."
        )
    known = list(frame) if isinstance(frame, Mapping) else column_names(frame)
    wanted = known if columns is None else list(columns)
    _check_names("data", known, wanted)
    return {name: frame[name] for name in wanted}


def _check_names(place: str, known: Sequence[Any], columns: Iterable[Any]) -> None:
    """Raise an error for columns that are not there, or not once."""
    held = elided(", ".join(map(str, known)), _MOST_LETTERS)
    for name in columns:
        if known.count(name) > 1:
            raise ValueError(f"{place} has several columns {name!r}; give them different names.")
        if name not in known:
            hint = ""
            if len(known) == 1 and (marks := [mark for mark in ";\t|" if mark in str(known[0])]):
                hint = f" They are parted by {marks[0]!r}; save them parted by commas."
            raise ValueError(f"{place} has no column {name!r}; its columns are {held}.{hint}")


def read_columns(
    sources: Sequence[str | PathLike[str]],
    columns: Iterable[str],
    numbers: Iterable[str] = (),
    labels: Iterable[str] = (),
    classes: Iterable[str] = (),
) -> dict[str, Array]:
    """Return the columns of files, and of all files of folders, one below the other.

    Parameters
    ----------
    sources : sequence of str or PathLike
    columns : iterable of str
    numbers : iterable of str, default=()
        Those of them that must hold numbers.
    labels : iterable of str, default=()
        Those of them that hold the same labels.
    classes : iterable of str, default=()
        Words that are labels, even if they usually stand for a missing value, such as NA.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If a column is missing, a file cannot be read or has no rows, or a value is missing or no number.
    """
    columns = list(dict.fromkeys(columns))
    of_numbers, known = set(numbers), {*map(str, classes)}
    same = [name for name in dict.fromkeys(labels) if name not in of_numbers]
    parts = []
    for file in [file for source in sources for file in files_below(str(source))]:
        tables = [*file.batches(columns)]
        rows = import_arrow().concat_tables(tables) if tables else ()
        if not len(rows):
            raise ValueError(f"{file.path}: there are no rows.")
        parts.append(file.arrays(rows, of_numbers, same, known))
    return {name: np.concatenate([part[name] for part in parts]) for name in columns}


def files_below(source: str) -> list[File]:
    """Return a file, or those of a folder."""
    if source == "-":
        raise ValueError("Standard input cannot be read; save the rows to a file and name that.")
    root = Path(source)
    if not root.is_dir():
        return [File(source)]
    files = [path for path in sorted(root.rglob("*")) if path.is_file()]
    found = [  # not _SUCCESS
        File(str(path))
        for path in files
        if not any(part.startswith(("_", ".")) for part in path.relative_to(root).parts)
    ]
    if not found:
        raise ValueError(f"{source} is a folder without files.")
    return found


class File(NamedTuple):
    """A file of rows."""

    path: str

    @property
    def is_csv(self) -> bool:
        """Whether the file holds words alone."""
        return self.path.lower().endswith(_ENDINGS[:2])

    def batches(self, columns: Sequence[str]) -> Iterator[Any]:
        """Yield tables of the columns of some rows at a time, those of CSV as words."""
        path, arrow = Path(self.path), import_arrow()
        if not path.is_file():
            missing = "data is no file" if path.exists() else "data: there is no such file"
            raise FileNotFoundError(errno.ENOENT, missing, self.path)
        if not self.path.lower().endswith(_ENDINGS):
            raise ValueError(
                f"{self.path} is not read: the names of files end in {', '.join(_ENDINGS)}; save the "
                "rows as one of these, CSV with commas."
            )
        try:
            for batch in self._csv(columns) if self.is_csv else self._parquet(columns):
                yield arrow.Table.from_batches([batch])
        except (arrow.ArrowException, UnicodeError, EOFError, OSError) as error:
            reported = elided(" ".join(str(error).split()), _MOST_LETTERS)
            form = "CSV" if self.is_csv else "Parquet"
            raise ValueError(f"{self.path} could not be read as {form}: {reported}") from None

    def _parquet(self, columns: Sequence[str]) -> Iterator[Any]:
        from pyarrow import parquet

        with parquet.ParquetFile(self.path) as file:
            _check_names(self.path, file.schema_arrow.names, columns)
            yield from file.iter_batches(_MOST_ROWS, columns=columns)

    def _csv(self, columns: Sequence[str]) -> Iterator[Any]:
        from pyarrow import csv

        how = csv.ReadOptions(block_size=_BLOCK), csv.ParseOptions(newlines_in_values=True)
        with csv.open_csv(self.path, *how) as rows:
            _check_names(self.path, rows.schema.names, columns)
        types = dict.fromkeys(columns, import_arrow().string())
        words = csv.ConvertOptions(column_types=types, include_columns=columns)
        yield from csv.open_csv(self.path, *how, words)

    def arrays(
        self,
        table: Any,
        numbers: Collection[str],
        labels: Sequence[str],
        classes: Collection[str],
        first: int = 0,
    ) -> dict[str, Array]:
        """Return the columns of a table, of which `first` rows stand before it, as arrays.

        Words are numbers where different words are different numbers: "01" and "1", or numbers of
        twenty digits, stay text.
        """
        found = {}
        for name in table.column_names:
            values = table[name]
            self._refuse_missing(values, name, first, () if name in numbers else classes)
            if name in numbers:
                found[name] = self._numbers(values, name, first)
            else:
                found[name] = _array(_typed(values) if self.is_csv else values)
        texts = [name for name in labels if found[name].dtype.kind == "U"]
        for name in labels if texts else ():
            if found[name].dtype.kind != "U":
                text, other = (table[each].unique().to_pylist() for each in (texts[0], name))
                if not set(text) & set(other):
                    raise ValueError(
                        f"{self.path}: column {texts[0]!r} holds text, such as {text[0]!r}, and column "
                        f"{name!r} others, such as {other[0]!r}; these are never the same label. Write "
                        "the labels of both columns alike, or name another column."
                    )
                found[name] = _array(table[name])
        return found

    def _numbers(self, values: Any, name: str, first: int) -> Array:
        """Return a column as numbers; raise an error for a value that is none."""
        if (found := np.asarray(_cast(values))).dtype.kind in "if":
            return found
        words = values.to_pylist()
        for row, word in enumerate(words, first):
            try:
                float(word)
            except (TypeError, ValueError):
                place = self._place(name, row)
                raise ValueError(f"{place}: {word!r} is not a number.") from None
        return np.array(words, dtype=np.float64)

    def _refuse_missing(self, values: Any, name: str, first: int, classes: Collection[str]) -> None:
        """Raise an error for a missing value, or a word that stands for one and is none of `classes`."""
        missing = np.asarray(values.is_null(nan_is_null=True))
        lost = {
            word for word in values.unique().to_pylist() if str(word).strip().lower() in _MISSING
        }
        if isinstance(next(iter(lost), None), str) and (lost := lost - {*classes}):
            missing = missing | np.array([word in lost for word in values.to_pylist()])
        if missing.any():
            place = self._place(name, first + int(missing.argmax()))
            raise ValueError(
                f"{place}: the value is missing (a word such as NA "
                "is a class where labels= or pos_label= names it)."
            )

    def _place(self, name: str, row: int) -> str:
        line = f" (line {row + 2})" if self.is_csv else ""
        return f"{self.path}, row {row}{line}, column {name!r}"


def _typed(words: Any) -> Any:
    """Return words as numbers or booleans, where different words are different ones."""
    each = words.unique()
    if {word.lower() for word in each.to_pylist()} <= {"true", "false"}:
        return words.cast(import_arrow().bool_())
    return _cast(words) if len(_cast(each).unique()) == len(each) else words


def _cast(values: Any) -> Any:
    """Return a column as whole numbers, or as floats, or as it is."""
    arrow = import_arrow()
    for kind in (arrow.int64(), arrow.float64()):
        with suppress(arrow.ArrowException):
            return values.cast(kind)
    return values


def _array(values: Any) -> Array:
    array = np.asarray(values)
    return array if array.dtype.kind in "biuf" else array.astype(np.str_)
