"""The named columns of a frame, of Parquet or CSV files, or of folders of them, whole."""

from __future__ import annotations

import csv
import errno
import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, permutations
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np

from .._arrays import Array
from .._compat import import_arrow
from .._text.plain import elided

# Letters that a message quotes of a file.
_MOST_LETTERS = 300
# Words for a missing value, in small letters and without blanks around them.
_MISSING = frozenset(
    ["", ".", "?", "#n/a", "#n/a n/a", "#na", "-1.#ind", "-1.#qnan", "-nan", "1.#ind", "1.#qnan",
     "<na>", "n/a", "na", "nan", "nat", "null"]
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
_MOST_LABELS = 20  # words of numbers with decimals that are read as labels


def read_columns(
    sources: Sequence[Any],
    columns: Iterable[str],
    numbers: Iterable[str] = (),
    labels: Iterable[str] = (),
    classes: Iterable[str] = (),
) -> list[dict[str, Array]]:
    """Return the columns of each frame, or of each file or folder of files, one below the other.

    Labels of files that are not safely numbers, such as ``01`` or numbers of twenty digits, stay
    text, in all files and in all columns of ``labels``. Booleans are 0 and 1 where others are numbers.

    Parameters
    ----------
    sources : sequence of frame, str or PathLike
        Either frames, whose columns are returned as they are, or files.
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
    TypeError
        If a source is no frame, or a column does not have the type that is needed.
    ValueError
        If a column is missing, a file cannot be read, a value is missing or is no number, or columns of
        the same labels hold text and others, which are never equal.
    """
    columns = list(dict.fromkeys(columns))
    if not all(isinstance(source, (str, PathLike)) for source in sources):
        return [columns_of_frame(source, columns) for source in sources]
    numbers = set(numbers)
    labels = [name for name in dict.fromkeys(labels) if name not in numbers]
    files = [[_File(path, columns, own) for path, own in _below(str(s))] for s in sources]
    every = list(chain.from_iterable(files))
    for file in every:
        file.check(numbers)
    named = frozenset(map(str, classes))
    for file in every:
        file.read(numbers, named)
    kinds = _kinds(every, [name for name in columns if name not in numbers], labels)
    for file in every:
        file.convert(kinds)
    if not any(file.n_rows for file in every):
        raise ValueError(f"{' and '.join(map(str, sources))}: there are no rows.")
    return [
        {name: np.concatenate([file.arrays[name] for file in own]) for name in columns}
        for own in files
    ]


def names_of_frame(frame: Any) -> list[Any]:
    """Return the names of the columns of a frame, a table, a record batch or a dict of arrays."""
    names = getattr(getattr(_indexed(frame), "schema", None), "names", None)
    return list(names if isinstance(names, list) else getattr(_indexed(frame), "columns", frame))


def columns_of_frame(frame: Any, columns: Iterable[Any]) -> dict[Any, Any]:
    """Return columns of a frame, a table, a record batch or a dict of arrays."""
    known = names_of_frame(frame)
    for name in columns:
        if name not in known:
            raise ValueError(
                f"data has no column {name!r}; its columns are "
                f"{elided(', '.join(map(str, known)), _MOST_LETTERS)}."
            )
    held = _indexed(frame)
    return {name: held[name] for name in columns}


def _indexed(frame: Any) -> Any:
    """Return a frame whose columns are read by their names; raise an error for what is none."""
    lazy = any(hasattr(type(frame), name) for name in ("__dask_graph__", "collect"))
    streams = hasattr(frame, "__arrow_c_array__") or hasattr(frame, "__arrow_c_stream__")
    if streams and not lazy and not hasattr(frame, "__getitem__"):
        return import_arrow().table(frame)
    if lazy or not (isinstance(frame, Mapping) or hasattr(frame, "columns")):
        raise TypeError(
            "data must be a frame in memory, such as one of pandas, polars or pyarrow, a dict of "
            f"arrays or the path of a file, found {type(frame).__name__}."
        )
    return frame


@dataclass
class _Column:
    """Values of a column of a file as Arrow holds them, and as what labels they can be read.

    Attributes
    ----------
    values : pyarrow.ChunkedArray
    kind : str
        One of the kinds of :data:`_TYPES`, "" where there are no rows.
    words : frozenset of str or None
        The different values where each has one spelling, otherwise None.
    """

    values: Any
    kind: str
    words: frozenset[str] | None


class _File:
    """Columns of a file.

    Parameters
    ----------
    path : str
        Ends in .csv or .csv.gz; anything else is read as Parquet.
    columns : list of str
    folders : dict of str to str
        Columns that names of folders hold, such as ``site=north``.
    """

    def __init__(self, path: str, columns: Sequence[str], folders: Mapping[str, str]) -> None:
        self.path = path
        self.n_rows = 0
        self.arrays: dict[str, Array] = {}
        self.labels: dict[str, _Column] = {}
        self._folders = {name: text for name, text in folders.items() if name in columns}
        self._stored = [name for name in columns if name not in self._folders]
        self._arrow = import_arrow()
        self._is_csv = path.lower().endswith((".csv", ".csv.gz"))

    def check(self, numbers: Set[str]) -> None:
        """Raise an error for columns that are not there or of another type, before any row is read."""
        if not Path(self.path).is_file():
            there = Path(self.path).exists()
            missing = "data is no file" if there else "data: there is no such file"
            raise FileNotFoundError(errno.ENOENT, missing, self.path)
        with self._named():
            if self._is_csv:
                self._check_names(self._header())
                return
            from pyarrow import parquet

            schema = parquet.read_schema(self.path)
        self._check_names(schema.names)
        for name in self._stored:
            self._check_type(name, schema.field(name).type, name in numbers)

    def _header(self) -> list[str]:
        """Return the names of the columns of a CSV file."""
        opened = gzip.open if self.path.lower().endswith(".gz") else open
        with opened(self.path, "rt", encoding="utf-8-sig", newline="") as file:
            names = next(csv.reader(file), [])
        if any("\0" in name for name in names):
            raise csv.Error("its first line holds null bytes")
        return names

    def _check_names(self, known: Sequence[str]) -> None:
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

    def _check_type(self, name: str, kind: Any, of_numbers: bool) -> None:
        """Raise an error for a column whose type cannot hold its values."""
        known = self._arrow.types
        if of_numbers:
            kind = kind.value_type if known.is_dictionary(kind) else kind
            tests = ("boolean", "integer", "floating", "decimal", "null")
            fits, wanted = any(getattr(known, f"is_{test}")(kind) for test in tests), "numbers"
        else:
            fits, wanted = not known.is_nested(kind), "text, whole numbers or booleans"
        if not fits:
            raise TypeError(
                f"{self.path}, column {name!r} holds {kind}, where {wanted} are needed; convert it, "
                "or name another column."
            )

    def read(self, numbers: Set[str], classes: Set[str]) -> None:
        """Read the numbers, and the labels as they are stored; missing values raise an error."""
        with self._named():
            table = self._csv() if self._is_csv else self._parquet()
        self.n_rows = table.num_rows
        for name, text in self._folders.items():
            values = self._arrow.array([text] * table.num_rows, self._arrow.string())
            table = table.append_column(name, values)
        for name in table.column_names:
            values = table.column(name)
            if self._arrow.types.is_dictionary(values.type):
                values = values.cast(values.type.value_type)
            if name in numbers:
                self.arrays[name] = self._numbers(name, values)
            else:
                self.labels[name] = self._column(name, values, classes)

    def _parquet(self) -> Any:
        from pyarrow import parquet

        with parquet.ParquetFile(self.path) as file:
            return file.read(self._stored)

    def _csv(self) -> Any:
        """Return the table of words."""
        from pyarrow import csv as arrow_csv

        types = dict.fromkeys(self._stored, self._arrow.string())
        convert = arrow_csv.ConvertOptions(column_types=types, include_columns=self._stored)
        packed = "gzip" if self.path.lower().endswith(".gz") else None
        breaks = arrow_csv.ParseOptions(newlines_in_values=True)
        with self._arrow.input_stream(self.path, compression=packed) as stream:
            return arrow_csv.read_csv(stream, convert_options=convert, parse_options=breaks)

    def _numbers(self, name: str, values: Any) -> Array:
        """Return a column as numbers; raise an error for a value that is none."""
        known = self._arrow.types
        if name in self._folders or self._is_csv:
            return self._numbers_of_words(name, values)
        if known.is_decimal(values.type) or known.is_null(values.type):
            values = values.cast(self._arrow.float64())
        self._refuse_missing(name, values, " or no number")
        return np.asarray(values)

    def _numbers_of_words(self, name: str, values: Any) -> Array:
        from pyarrow import compute

        values = compute.utf8_trim_whitespace(values)
        self._refuse_missing(name, values, " or no number")
        whole = compute.all(compute.match_substring_regex(values, r"^-?\d{1,18}$")).as_py()
        kind = self._arrow.int64() if whole else self._arrow.float64()
        try:
            return np.asarray(values.cast(kind))
        except self._arrow.ArrowInvalid:
            words = values.to_pylist()
        if all(map(_WRITTEN["truth"].fullmatch, words)):
            return np.array([word.lower() == "true" for word in words])
        found = np.empty(len(words))
        for row, word in enumerate(words):
            try:
                found[row] = float(word)
            except ValueError:
                reported = f"{word!r} is not a number"
                raise ValueError(f"{self._place(name, row)}: {reported}.") from None
        return found

    def _column(self, name: str, values: Any, classes: Set[str]) -> _Column:
        known, stored = self._arrow.types, values.type
        self._refuse_missing(name, values, classes=classes)
        # uint64 and decimals may not fit into int64: their spellings decide.
        wide = known.is_uint64(stored) or known.is_decimal(stored)
        if self._is_csv or name in self._folders or wide:
            return _of_words(values.cast(self._arrow.string()))
        if known.is_null(stored) or known.is_integer(stored):  # no others are written alike
            return _Column(values, "whole" if known.is_integer(stored) else "", frozenset())
        if known.is_boolean(stored) or known.is_floating(stored):
            return _Column(values, "truth" if known.is_boolean(stored) else "number", None)
        return _Column(values.cast(self._arrow.string()), "text", None)

    def convert(self, kinds: Mapping[str, str]) -> None:
        """Make arrays of the labels, of the kinds of all files."""
        for name, column in self.labels.items():
            values, kind = column.values, kinds[name]
            for each in [kind] if kind == "text" else [column.kind or kind, kind]:
                values = values.cast(getattr(self._arrow, _TYPES[each])())
            self.arrays[name] = np.asarray(values)

    def _refuse_missing(
        self, name: str, values: Any, more: str = "", classes: Set[str] = frozenset()
    ) -> None:
        """Raise an error for a missing value, or a word that stands for one and is none of `classes`."""
        from pyarrow import compute

        missing = np.asarray(values.is_null(nan_is_null=True))
        if self._arrow.types.is_string(values.type) or self._arrow.types.is_large_string(
            values.type
        ):
            words = set(compute.unique(values).to_pylist()) - {None, *classes}
            found = [word for word in words if word.strip().lower() in _MISSING]
            missing |= np.asarray(compute.is_in(values, self._arrow.array(found, values.type)))
        if not missing.any():
            return
        row = int(missing.argmax())
        word = values[row].as_py()
        if isinstance(word, str) and word.strip() and not more:
            more = f" ({word!r} is a class if labels= or pos_label=, --positive, names it)"
        raise ValueError(f"{self._place(name, row)}: the value is missing{more}.")

    def _place(self, name: str, row: int) -> str:
        line = f" (line {row + 2})" if self._is_csv else ""
        return f"{self.path}, row {row}{line}, column {name!r}"

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
            hint = (
                ""
                if self._is_csv
                else (
                    " Files that end in .csv or .csv.gz are read as CSV, with commas, all others as "
                    "Parquet; save the rows as one of them."
                )
            )
            raise ValueError(f"{self.path} could not be read as {form}: {reported}{hint}") from None


def _of_words(values: Any) -> _Column:
    """Return a column of words with what they may be read as so that different ones stay different."""
    from pyarrow import compute

    words = frozenset(compute.unique(values).to_pylist())
    fitting = (k for k, form in _WRITTEN.items() if all(map(form.fullmatch, words)))
    return _Column(values, next(fitting, "text") if words else "", words)


def _kinds(files: Sequence[_File], columns: Sequence[str], labels: Sequence[str]) -> dict[str, str]:
    """Return as what each column of labels is read in all files, those of the same labels alike."""
    held = {name: [file.labels[name] for file in files] for name in columns}
    found = {name: {column.kind for column in own} - {""} for name, own in held.items()}
    words: dict[str, frozenset[str] | None] = {}
    for name in labels:
        own = [column.words for column in held[name]]
        words[name] = None if None in own else frozenset().union(*(each or () for each in own))
    paths = " and ".join(file.path for file in files)
    for name, own_words in words.items():
        # A few such labels may be versions, as 1.1 and 1.10 are.
        many = "text" in found[name] and own_words is not None and len(own_words) > _MOST_LABELS
        numeric = sorted(own_words) if many and own_words else []
        parts = [word for word in numeric if _is_number(word) and float(word) % 1]
        if parts and all(map(_is_number, numeric)):
            raise ValueError(
                f"{paths}: column {name!r} holds continuous values, such as {', '.join(parts[:3])}, "
                "but class labels are needed; name the column of labels, and scores as y_score, --score."
            )
    _refuse_text_and_others(paths, {name: found[name] for name in labels}, words)
    shared = set().union(*(found[name] for name in labels))
    return {name: _widest(shared if name in words else own) for name, own in found.items()}


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


def _widest(kinds: Set[str]) -> str:
    """Return the kind that holds the labels of all these; text without any."""
    return max(kinds, key=list(_TYPES).index, default="text")


def _below(file: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield a file, or the files of a folder with the columns from the names of subfolders."""
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


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True
