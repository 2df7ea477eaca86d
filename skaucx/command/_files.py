"""Parquet and CSV files a batch at a time, through pyarrow, and the columns that arguments name."""

from __future__ import annotations

import argparse
import csv
import errno
import gzip
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, chain, islice, permutations
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from .._arrays import Array, of_arrow
from .._compat import import_arrow
from .._progress import ProgressBar
from .._text.plain import elided, names

# Rows of a batch of a Parquet file: 8 MB a column of floats.
_ROWS = 1 << 20
# Bytes of a block of a CSV file, and of its beginning, which shows the types of its columns.
_BLOCK, _BEGINNING = 1 << 25, 1 << 20
# Letters that a message quotes of a file.
_MOST_LETTERS = 300
# Words for a missing number, of which an empty one is missing in a column of text too.
_MISSING = frozenset(
    ["", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
     "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"]
)  # fmt: skip
# Spellings of labels that can be read as numbers without loss.
_WRITTEN = {
    "truth": re.compile("true|false|True|False|TRUE|FALSE"),
    "whole": re.compile(r"0|-?[1-9]\d{0,17}"),
    "number": re.compile(
        r"(?!-0(?:\.0)?$)(?=(?:\D*\d){1,15}\D*$)-?(?:0|[1-9]\d*)(?:\.(?:0|\d*[1-9]))?"
    ),
}
# Types of Arrow of the kinds of labels; a later kind holds the labels of the earlier ones.
_TYPES = {"truth": "bool_", "whole": "int64", "number": "float64", "text": "string"}
_KINDS = {"truth": "booleans", "whole": "whole numbers", "number": "numbers", "text": "text"}
# What a column of labels is found to be: its name, its kind, its words where they are its labels.
_Found = tuple[str, str, frozenset[str] | None]


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

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values())))


class Table:
    """Columns of a file.

    Parameters
    ----------
    path : str
        Ends in .csv or .csv.gz; anything else is read as Parquet.
    columns : list of str
    numbers : list of str, default=()
        Those of them that must hold numbers.
    folders : dict of str to str, default=None
        Columns that names of folders hold, such as ``site=north``.
    """

    def __init__(
        self,
        path: str,
        columns: Sequence[str],
        numbers: Sequence[str] = (),
        folders: Mapping[str, str] | None = None,
    ) -> None:
        self.path, self.columns, self.numbers = path, list(dict.fromkeys(columns)), numbers
        self.kinds: dict[str, str] = {}  # as which labels are returned
        self.own: dict[str, str] = {}  # as which this file holds them
        self._folders = {k: v for k, v in (folders or {}).items() if k in self.columns}
        self._stored = [name for name in self.columns if name not in self._folders]
        self._arrow = import_arrow()
        self._is_csv = path.lower().endswith((".csv", ".csv.gz"))
        _check_file(path)
        with self._named():
            if self._is_csv:
                self._check(self._header())
                self._refuse_words()
            self.size = (
                Path(path).stat().st_size if self._is_csv else self._parquet().metadata.num_rows
            )

    def __iter__(self) -> Iterator[Batch]:
        row = 0
        with self._named():
            for batch, size in self._csv(self._stored) if self._is_csv else self._parquet_batches():
                last = row + batch.num_rows
                for name, text in self._folders.items():
                    values = self._arrow.array([text] * batch.num_rows, self._arrow.string())
                    batch = batch.append_column(name, values)
                columns = {name: self._values(batch.column(name), name) for name in self.columns}
                self._refuse_missing(batch, columns, row)
                if batch.num_rows:
                    yield Batch(f"{self.path}, rows {row} to {last - 1}", columns, size)
                row = last

    def labels_found(self) -> Iterator[_Found]:
        """Yield, by batch, the types as which the columns of labels can be read without loss."""
        labels = [name for name in self.columns if name not in self.numbers]
        yield from (
            _of_words(name, [self._folders[name]]) for name in labels if name in self._folders
        )
        stored = [name for name in labels if name in self._stored]
        if not self._is_csv:
            schema = self._parquet().schema_arrow
            types = {name: schema.field(name).type for name in stored}
            stored = [name for name in stored if self._wide(types[name])]
            for name in types.keys() - set(stored):
                kind = self._kind_of_type(types[name])
                # Whole numbers and no others are written alike everywhere.
                yield name, kind, frozenset() if kind in ("", "whole") else None
        if stored:
            with self._named():
                read = self._csv(stored, "string") if self._is_csv else self._parquet_batches()
                for batch, _ in read:
                    yield from (_of_words(n, self._words(batch.column(n))) for n in stored)

    def _refuse_words(self) -> None:
        """Raise an error for a CSV file whose beginning, its schema, does not hold numbers."""
        numbers = [name for name in self._stored if name in self.numbers]
        first = self._csv(numbers, block=min(_BEGINNING, _BLOCK))
        for batch, _ in islice(first, bool(numbers)):
            columns = {name: self._values(batch.column(name), name) for name in numbers}
            self._refuse_missing(batch, columns, 0)

    def _kind_of_type(self, kind: Any) -> str:
        """Return what values of an Arrow type are read as."""
        known = self._arrow.types
        kind = kind.value_type if known.is_dictionary(kind) else kind
        if known.is_null(kind):
            return ""
        if known.is_boolean(kind):
            return "truth"
        if known.is_integer(kind):
            return "whole"
        return "number" if known.is_floating(kind) else "text"

    def _words(self, values: Any) -> list[str | None]:
        from pyarrow import compute

        words: list[str | None] = compute.unique(values.cast(self._arrow.string())).to_pylist()
        return words

    def _read_as(self, name: str) -> str:
        """Return the kind as which labels are read, before they become the kind of all of them."""
        kind = self.kinds[name]
        return kind if kind == "text" else self.own.get(name) or kind

    def _values(self, values: Any, name: str) -> Array:
        if name in self.kinds:
            kinds = [self._read_as(name), self.kinds[name]]
        else:
            kinds = ["number"] * self._arrow.types.is_decimal(values.type)
        for kind in kinds:
            values = values.cast(getattr(self._arrow, _TYPES[kind])())
        return of_arrow(values)

    def _header(self) -> list[str]:
        """Return the names of the columns of a CSV file."""
        opened = gzip.open if self.path.lower().endswith(".gz") else open
        with opened(self.path, "rt", encoding="utf-8-sig", newline="") as file:
            names = next(csv.reader(file), [])
        if any("\0" in name for name in names):
            raise csv.Error("its first line holds null bytes")
        return names

    def _wide(self, kind: Any) -> bool:
        """Whether a type holds integers that int64 does not, so that the values decide."""
        return bool(self._arrow.types.is_uint64(kind) or self._arrow.types.is_decimal(kind))

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Return a library's error on one line, with the name of the file."""
        try:
            yield
        except (self._arrow.ArrowException, UnicodeError, EOFError, OSError, csv.Error) as error:
            if getattr(error, "filename", None):
                raise
            form = "CSV" if self._is_csv else "Parquet"
            reported = elided(" ".join(str(error).split()), _MOST_LETTERS)
            raise ValueError(f"{self.path} could not be read as {form}: {reported}") from None

    def _parquet(self) -> Any:
        from pyarrow import parquet

        # Reading ahead would hold the whole file.
        file = parquet.ParquetFile(self.path, pre_buffer=False)
        self._check(file.schema_arrow.names)
        for name in self._stored:
            self._check_type(name, file.schema_arrow.field(name).type)
        return file

    def _check_type(self, name: str, kind: Any) -> None:
        """Raise an error for a column whose type cannot hold its values, before any row is read."""
        known = self._arrow.types
        if name not in self.numbers:
            fits, wanted = not known.is_nested(kind), "text, whole numbers or booleans"
        else:
            kind = kind.value_type if known.is_dictionary(kind) else kind
            tests = ("boolean", "integer", "floating", "decimal", "null")
            fits, wanted = any(getattr(known, f"is_{test}")(kind) for test in tests), "numbers"
        if not fits:
            raise TypeError(
                f"{self.path}, column {name!r} holds {kind}, where {wanted} are needed; convert it, "
                "or name another column."
            )

    def _parquet_batches(self) -> Iterator[tuple[Any, int]]:
        """Yield batches with their rows."""
        with self._parquet() as file:
            for batch in file.iter_batches(batch_size=_ROWS, columns=self._stored):
                yield batch, batch.num_rows

    def _csv(
        self, columns: Sequence[str], kind: str = "", block: int = 0
    ) -> Iterator[tuple[Any, int]]:
        """Yield batches with the bytes of the file that were read for them."""
        from pyarrow import csv as arrow_csv

        types = {
            name: getattr(self._arrow, kind or _TYPES[self._read_as(name)])()
            for name in columns
            if kind or name in self.kinds
        }
        convert = arrow_csv.ConvertOptions(column_types=types, include_columns=list(columns))
        with (
            self._arrow.OSFile(self.path, "rb") as file,
            self._arrow.input_stream(
                file, compression="gzip" if self.path.lower().endswith(".gz") else None
            ) as stream,
            arrow_csv.open_csv(
                stream, arrow_csv.ReadOptions(block_size=block or _BLOCK), convert_options=convert
            ) as reader,
        ):
            seen = 0
            for batch in reader:
                read = file.tell() - seen
                seen += read
                yield batch, read

    def _refuse_missing(self, batch: Any, columns: Mapping[str, Array], first: int) -> None:
        """Raise an error for a missing value, or text in place of a number, with its row and column."""
        for name, values in columns.items():
            nulls = batch.column(name).is_null(nan_is_null=True)
            if values.dtype != object and not nulls.true_count:
                continue
            missing = np.asarray(nulls)
            reported = f"the value is missing{'' if values.dtype == object else ' or no number'}"
            if values.dtype == object:  # words: a CSV file leaves an empty one where nothing stands
                missing = missing | (values == "")
                if name in self.numbers and not missing.any():
                    missing = np.array([not _is_number(value) for value in values])
                    reported = f"{values[missing.argmax()]!r} is not a number"
            if missing.any():
                row = first + int(missing.argmax())
                line = f" (line {row + 2})" if self._is_csv else ""
                raise ValueError(f"{self.path}, row {row}{line}, column {name!r}: {reported}.")

    def _check(self, known: Sequence[str]) -> None:
        for name in self._stored:
            if known.count(name) > 1:
                raise ValueError(
                    f"{self.path} has {known.count(name)} columns {name!r}; give them different "
                    f"names."
                )
            if name not in known:
                parted = len(known) == 1 and next((mark for mark in ";\t|" if mark in known[0]), "")
                hint = (
                    f" They are parted by {parted!r}; save them parted by commas." if parted else ""
                )
                raise ValueError(
                    f"{self.path} has no column {name!r}; its columns are "
                    f"{elided(', '.join(known), _MOST_LETTERS)}.{hint}"
                )


_MOST_LABELS = 20  # words of numbers with decimals that are read as labels


def tables_of(
    files: Sequence[str],
    columns: Sequence[str],
    numbers: Sequence[str],
    together: Sequence[str | None],
) -> list[list[Table]]:
    """Return of each file, or of each folder all those below it, with one type a column of labels.

    Labels that are not safely numbers, such as ``01`` or numbers of twenty digits, stay text, in all
    files and in all columns that are read ``together``. Booleans are 0 and 1 where others are numbers.

    Raises
    ------
    ValueError
        If columns that are read together hold text and other labels, which are never equal.
    """
    tables = [
        [Table(name, columns, numbers, folders) for name, folders in _below(file)] for file in files
    ]
    every = [table for own in tables for table in own]
    words: dict[str, frozenset[str] | None] = {
        n: frozenset() for n in together if n and n in columns and n not in numbers
    }
    for table in every:
        for name, kind, found in table.labels_found():
            table.own[name] = _one_column(table.own.get(name, ""), kind)
            if (known := words.get(name)) is not None:
                words[name] = None if found is None else known | found
    kinds = {n: {t.own.get(n, "") for t in every} - {""} for n in columns if n not in numbers}
    for name, found in words.items():
        # A few such labels may be versions, as 1.1 and 1.10 are.
        many = found is not None and len(found) > _MOST_LABELS and "text" in kinds[name]
        numeric = found if many and found and all(map(_is_number, found)) else ()
        if parts := sorted(word for word in numeric if float(word) % 1):
            raise ValueError(
                f"{' and '.join(files)}: column {name!r} holds continuous values, such as "
                f"{', '.join(parts[:3])}, but class labels are needed; --true names the column of "
                "labels, --score that of scores."
            )
    _refuse_text_and_others(" and ".join(files), {n: kinds[n] for n in words}, words)
    shared = set().union(*(kinds[name] for name in words))
    for table in every:
        table.kinds = {n: _widest(shared if n in words else found) for n, found in kinds.items()}
    return tables


def _refuse_text_and_others(
    files: str, kinds: Mapping[str, set[str]], words: Mapping[str, frozenset[str] | None]
) -> None:
    """Raise an error for a column of text and one of other labels that do not have a word in common."""
    for (one, text), (two, other) in permutations(kinds.items(), 2):
        if "text" not in text or not other - {"text"}:
            continue
        a, b = words[one], words[two]
        if a is None or b is None or not a & b:
            shown = [
                ", such as " + ", ".join(map(repr, sorted(w)[:3])) if w else "" for w in (a, b)
            ]
            raise ValueError(
                f"{files}: column {one!r} holds text{shown[0]}, and column {two!r} "
                f"{_KINDS[_widest(other - {'text'})]}{shown[1]}; these are never the same label. "
                "Write the labels of both columns alike, or name another column."
            )


def _below(file: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the files of a folder, with the columns from the names of subfolders."""
    if file == "-":
        raise ValueError("Standard input cannot be read; save the rows to a file and name that.")
    root = Path(file)
    if not root.is_dir():
        yield file, {}
        return
    inner = [(path, path.relative_to(root).parts) for path in sorted(root.rglob("*"))]
    hidden = ("_", ".")  # marks of data engines, such as _SUCCESS
    found = [
        (path, parts)
        for path, parts in inner
        if path.is_file() and not any(part.startswith(hidden) for part in parts)
    ]
    if not found:
        raise ValueError(f"{file} is a folder without files.")
    for path, parts in found:
        named = (part.partition("=") for part in parts[:-1] if "=" in part)
        yield str(path), {unquote(name): unquote(value) for name, _, value in named}


def _of_words(name: str, words: Iterable[str | None]) -> _Found:
    """Return what words may be read as so that different ones stay different; "" of missing ones."""
    given = frozenset(word for word in words if word is not None and word not in _MISSING)
    fitting = (k for k, form in _WRITTEN.items() if all(map(form.fullmatch, given)))
    return name, next(fitting, "text") if given else "", given


def _one_column(first: str, second: str) -> str:
    """Return the type of the labels of two parts of a column, where words decide what is a number."""
    if "truth" in (first, second) and first and second and first != second:
        return "text"
    return _widest({first, second} - {""})


def _widest(kinds: Set[str]) -> str:
    """Return the type that holds the labels of all these; text without any."""
    return max(kinds, key=list(_TYPES).index, default="text")


def _check_file(path: str) -> None:
    if not Path(path).is_file():
        there = Path(path).exists()
        raise FileNotFoundError(2, f"{'that is no' if there else 'there is no such'} file", path)


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def add_columns(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command that reads predictions: columns, metrics, the level."""
    parser.add_argument("--true", required=True, metavar="COLUMN", help="true labels")
    parser.add_argument(
        "--score", type=names, metavar="COLUMNS",
        help="scores of the positive class, or a column a class parted by commas",
    )  # fmt: skip
    parser.add_argument("--pred", metavar="COLUMN", help="predicted labels")
    parser.add_argument("--weight", metavar="COLUMN", help="weights >= 0")
    parser.add_argument("--positive", metavar="LABEL", help="the positive class")
    parser.add_argument(
        "--groups", metavar="COLUMN", help="rows that belong together, such as those of a patient"
    )
    parser.add_argument(
        "--metrics", type=metric_names, metavar="NAMES",
        help="names parted by commas, with parameters such as fbeta:beta=2; a few by default",
    )  # fmt: skip
    parser.add_argument("--confidence-level", type=float, default=0.95, metavar="X", help="0.95")


def add_resampling(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that resample rows."""
    parser.add_argument("--n-resamples", type=int, default=2000, metavar="N", help="2000")
    parser.add_argument("--seed", type=int, default=0, help="of the resampling (0)")


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the files to read."""
    parser.add_argument(
        "files", nargs="+", metavar="FILE", type=_existing, help="Parquet or CSV, or a folder"
    )


def _existing(name: str) -> str:
    """Return the name of a file that is there, before other arguments are missed."""
    if name != "-" and not Path(name).exists():
        raise FileNotFoundError(errno.ENOENT, "there is no such file", name)
    return name


def metric_names(text: str) -> list[str]:
    """Return the names parted by commas that stand outside the brackets of a parameter's value."""
    depths = accumulate((c in "([{") - (c in ")]}") for c in text)
    parted = "".join("\0" if c == "," and not d else c for c, d in zip(text, depths, strict=True))
    return [name.strip() for name in parted.split("\0")]


def named_array(text: str) -> tuple[str, list[str]]:
    """Return the name of an array and its columns, of NAME=COLUMN or NAME=COLUMN,COLUMN."""
    name, _, columns = text.partition("=")
    if not name or not columns:
        raise argparse.ArgumentTypeError(f"write NAME=COLUMN, found {text!r}")
    return name, names(columns)


def named_columns(arguments: argparse.Namespace, *others: str | None) -> list[str]:
    """Return the columns to read, those that were named."""
    named = [arguments.true, *(arguments.score or ()), arguments.pred, arguments.weight, *others]
    return [name for name in named if name]


def named_tables(
    arguments: argparse.Namespace, files: Sequence[str], *others: str | None
) -> list[list[Table]]:
    """Return the tables of each file, with the columns to read.

    Raises
    ------
    FileNotFoundError
        If a file is missing.
    ValueError
        If no columns of predictions are named, or a file lacks a column.
    """
    for path in chain.from_iterable(map(_below, files)):
        _check_file(path[0])
    if not arguments.score and not arguments.pred:
        raise ValueError("Nothing to evaluate; name columns with --score or --pred.")
    numbers, labels = number_columns(arguments), [arguments.true, arguments.pred]
    if not _of_classes(arguments):
        numbers, labels = [name for name in (*numbers, *labels) if name], []
    return tables_of(files, named_columns(arguments, *others), numbers, labels)


def _of_classes(arguments: argparse.Namespace) -> bool:
    """Whether true values are labels: some requested metric reads them so, or none is named."""
    from ..metrics._registry.names import named_metrics  # imports scikit-learn; help does not

    requested = arguments.metrics
    rows = [named.row for named in named_metrics(requested)] if requested else []
    return not rows or any(row.kind.inputs.of_classes for row in rows)


def number_columns(arguments: argparse.Namespace) -> list[str]:
    """Return the columns that must hold numbers: scores and weights."""
    return [name for name in (*(arguments.score or ()), arguments.weight) if name]


def read_whole(tables: Sequence[Table], columns: Sequence[str]) -> dict[str, Array]:
    """Return the columns of some files, one below the other."""
    parts: dict[str, list[Array]] = {name: [] for name in columns}
    with ProgressBar(sum(t.size for t in tables), shown=sys.stderr.isatty()) as bar:
        for table in tables:
            for batch in table:
                for name in columns:
                    parts[name].append(batch.columns[name])
                bar.advance(batch.size, batch.rows)
    if not any(parts.values()):
        raise ValueError(f"{' and '.join(table.path for table in tables)}: there are no rows.")
    return {name: np.concatenate(arrays) for name, arrays in parts.items()}


class _Example(tuple[Batch, ...]):
    """Rows that are not in any file."""

    path, size = "example", 0


def example(arguments: argparse.Namespace) -> _Example:
    """Return a table of rows that suit the arguments, whatever the files hold."""
    score, n = arguments.score or (), 60
    rng, many = np.random.default_rng(0), max(len(score), 2)
    place = np.arange(n)
    true: Array = place % many if _of_classes(arguments) else 1 + place / n
    proba = rng.dirichlet(np.ones(many), n)
    columns = {arguments.by: place // many % 2, arguments.groups: place // 3}
    columns |= {name: proba[:, k] for k, name in enumerate(score)}
    columns |= {arguments.weight: proba[:, 0] + 1, arguments.pred: true[::-1], arguments.true: true}
    return _Example([Batch("example", {name: c for name, c in columns.items() if name}, n)])


def score_of(columns: Mapping[str, Array], score: Sequence[str] | None) -> Any:
    """Return one column of scores, or a matrix of several; None without any."""
    if not score:
        return None
    arrays = [columns[name] for name in score]
    return np.column_stack(arrays) if len(arrays) > 1 else arrays[0]


def label_of(text: str, classes: Sequence[Any]) -> Any:
    """Return the class of a word on the command line."""
    for label in classes:
        same = str(label) == text or (
            isinstance(label, bool) and str(label).lower() == text.lower()
        )
        if same or (isinstance(label, int | float) and _number(text) == label):
            return label
    raise ValueError(f"--positive {text!r} is none of the labels {', '.join(map(str, classes))}.")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
