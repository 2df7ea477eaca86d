"""Checks of data and folds before any fit, and of winners and scores after the last one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse, special, stats
from sklearn.base import is_classifier
from sklearn.preprocessing import StandardScaler

from .._arrays import Array, Codes, Floats, group_codes
from .._options import RealRange
from .._progress import ProgressBar, counted
from .._text.plain import count
from ._run_options import check_splits_fit, check_splitter
from ._types import Estimator, Features, Folds, Split

# Cells of X that are read at once.
_CELLS = 1 << 18
# Rows from which a feature is compared with y, and the errors left to one that nearly determines it.
_ROWS, _LEAST_ERRORS, _SHARE_OF_ERRORS = 2000, 10, 0.02
_RANK_CORRELATION = 0.999
# Chance of a false alarm about folds on one data set, and the standard deviations that count.
_ALARM, _FAR = 1e-3, 1.0
_FEW = 3
# Ways to halve the columns, and the share of distinct rows below which equal ones are usual: of
# several columns and of one.
_HALVES, _DISTINCT, _DISTINCT_OF_ONE = 4, 0.1, 0.5
# A date, or a time to the minute or finer, as ISO 8601 writes it, with its offset if there is one.
_ISO = re.compile(
    r"(\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?)?)(?:Z|([+-])(\d\d):?(\d\d))?"
)
_LISTED = 5


@dataclass(frozen=True)
class Finding:
    """Something about data and folds that makes scores too high, or useless.

    Attributes
    ----------
    check : str
        "duplicates", "near-duplicates", "groups", "overlap", "feature", "time", "constant",
        "rare class" or "fold".
    found : str
        What was found.
    advice : str
        What to do.

    Examples
    --------
    >>> from skaucx.model_selection import check_folds
    >>> found = check_folds([[1.5, 0], [2.5, 0], [3.5, 0], [4.5, 0]], [0, 1, 0, 1], cv=2)
    >>> print(found[0])
    constant: column 1 has one value only; remove it
    """

    check: str
    found: str
    advice: str

    def __str__(self) -> str:
        return f"{self.check}: {self.found}; {self.advice}"


def check_folds(
    X: Features,
    y: ArrayLike,
    *,
    cv: Folds = 5,
    groups: ArrayLike | None = None,
    estimator: Estimator | None = None,
    near_duplicates: float | None = None,
) -> list[Finding]:
    r"""Look for leaks between training and test parts, and for data that no fit can use.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    cv : int, splitter or iterable of splits, default=5
        As :func:`sklearn.model_selection.check_cv` takes it.
    groups : array-like of shape (n_samples,), default=None
    estimator : estimator, default=None
        Whether it is a classifier decides whether y holds classes; None decides by y.
    near_duplicates : float, default=None
        Also look for rows of a test part whose distance to a training row is at most this share of the
        usual (median) distance of a row to its nearest other one, such as 0.1; above 0. Columns are
        standardised first. It takes the time of a search for nearest neighbours.

    Returns
    -------
    list
        What was found, each with ``check``, ``found`` and ``advice``, texts; empty for nothing.

    Raises
    ------
    ValueError
        If arrays differ in length, ``groups`` has missing values, or a parameter is out of range.

    See Also
    --------
    NestedCV : Runs these checks before any fit, by ``checks=``.

    Notes
    -----
    - *duplicates*: equal rows of X in a training and a test part of one fold, where there are more
      than chance explains. The columns are halved at random, several times. Of rows that are copies,
      most pairs that agree in one of the halves agree in the other, too, and there are more of them
      than D_1 D_2 / N at a level of 0.001 (Poisson), with D_i the pairs that agree in half i alone
      and N all pairs.
    - *groups*, *overlap*: groups, or rows, in both parts of a fold.
    - *feature*: one column from which y follows with at most 2 % of the errors that the most frequent
      class makes, or, for numbers, with a rank correlation of 0.999; from at most 2000 rows.
    - *time*: X has an index or a column of times (date and time types, periods, date objects or
      ISO 8601 texts), and folds train on rows that are later than those that they test; or folds
      are in the order of the rows and the times, or a column of strictly decreasing numbers, run
      backwards.
    - *constant*: columns with one value, or none.
    - *rare class*: a class that a training or a test part lacks.
    - *fold*: a test part whose mean of a column is more than a standard deviation from that of the
      other rows, further than chance explains at a level of 0.001 over all columns and folds
      (Bonferroni); not for folds in the order of the rows.

    Sparse matrices are checked for duplicates, groups, overlap and classes.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection import check_folds
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    >>> check_folds(X, y)
    []
    >>> for found in check_folds(np.r_[X, X[:20]], np.r_[y, y[:20]]):
    ...     print(found.found)
    40 rows of X have an equal row on the other side of a fold
    """
    table = X if hasattr(X, "shape") else np.asarray(X)
    y = np.asarray(y)
    if len(y) != table.shape[0]:
        raise ValueError(f"X has {table.shape[0]} rows and y {len(y)}; pass one target a row.")
    if groups is not None:
        group_codes(groups, {"y": y})
    classes = y.dtype.kind in "OUSb" or len(np.unique(y)) <= max(20, math.isqrt(len(y)))
    classifier = is_classifier(estimator) if estimator is not None else bool(classes)
    splitter = check_splitter("cv", cv, y, classifier)
    check_splits_fit(splitter, table, y, groups)
    splits = list(splitter.split(table, y, groups))
    with ProgressBar.of_resamples(len(splits), "folds") as bar:
        found = findings(table, y, splits, groups=groups, classifier=classifier, bar=bar)
    if near_duplicates is not None:
        share = RealRange(0, math.inf, open_low=True).check("near_duplicates", near_duplicates)
        found += _near_duplicates(table, splits, share)
    return found


def findings(
    X: Any,
    y: Any,
    splits: Sequence[Split],
    *,
    groups: Any = None,
    classifier: bool = True,
    pairwise: bool = False,
    bar: ProgressBar | None = None,
) -> list[Finding]:
    """Return what all checks find that need no distances; each split is a step of a progress bar."""
    y = np.asarray(y)
    codes = np.unique(y, return_inverse=True)[1] if classifier and y.ndim == 1 else None
    parts = _Parts(int(X.shape[0]), groups, codes)
    for train, test in splits if bar is None else counted(splits, bar):
        parts.take(train, test)
    found = parts.findings(y, len(splits))
    if pairwise or hasattr(X, "__dask_graph__"):
        return found
    found += Columns(X, y if y.ndim == 1 else None, codes, splits).findings(splits)
    times = _times(X, splits)
    return [each for each in found if not times or each.check != "time"] + times


def in_order(splits: Sequence[Split]) -> bool:
    """Whether every fold tests on rows after those that it trains on."""
    return len(splits) > 1 and all(len(a) and len(b) and a.max() < b.min() for a, b in splits)


def split_across_folds(codes: Codes, splits: Sequence[Split]) -> Array:
    """Return which groups, by code, are in the training and in the test part of one fold."""
    parted = np.zeros(int(codes.max()) + 1, dtype=bool)
    for train, test in splits:
        parted[_in_both(codes[train], codes[test], len(parted))] = True
    return parted


def _in_both(train: Codes, test: Codes, size: int) -> Codes:
    """Return the codes of the test part that the training part has too; those of -1 are left out."""
    held = np.zeros(size + 1, dtype=bool)
    held[train] = True
    held[-1] = False
    return np.asarray(test)[held[test]]


class _Parts:
    """What one walk over the training and the test parts of the folds collects.

    Parameters
    ----------
    n : int
        The number of rows.
    groups : array-like of shape (n,), or None
    codes : ndarray of shape (n,), int, or None
        Classes.
    """

    def __init__(self, n: int, groups: Any, codes: Codes | None) -> None:
        self._groups = None if groups is None else group_codes(groups, {})
        self._codes = codes
        held = 0 if self._groups is None else int(self._groups.max()) + 1
        self._torn, self._twice = np.zeros(held, dtype=bool), np.zeros(n, dtype=bool)
        self._lacking: dict[int, list[int]] = {}

    def take(self, train: Codes, test: Codes) -> None:
        """Take a fold."""
        self._twice[_in_both(train, test, len(self._twice))] = True
        if self._groups is not None:
            own = self._groups[train], self._groups[test]
            self._torn[_in_both(*own, len(self._torn))] = True
        if self._codes is not None:
            k = int(self._codes.max()) + 1
            for part, rows in enumerate((train, test)):
                held = np.bincount(self._codes[rows], minlength=k)
                for absent in np.flatnonzero(held == 0).tolist():
                    self._lacking.setdefault(absent, [0, 0])[part] += 1

    def findings(self, y: Array, folds: int) -> list[Finding]:
        """Return what groups, rows and classes show in so many folds."""
        found = []
        if torn := int(np.count_nonzero(self._torn)):
            text = (
                f"{torn} of {len(self._torn)} groups of rows are in both the training and "
                "the test part of an outer fold, so scores may be too high"
            )
            advice = "use splitters that respect groups, such as StratifiedGroupKFold"
            found.append(Finding("groups", text, advice))
        if twice := int(np.count_nonzero(self._twice)):
            text = f"{count(twice, 'row')} in both the training and the test part of a fold"
            advice = "use a splitter whose training and test parts do not overlap"
            found.append(Finding("overlap", text, advice))
        return found + self._rare(y, folds)

    def _rare(self, y: Array, folds: int) -> list[Finding]:
        found, names = [], np.unique(y) if self._lacking else y
        for code, (trains, tests) in list(self._lacking.items())[:_LISTED]:
            size = count(int(np.count_nonzero(self._codes == code)), "row")
            text = (
                f"class {names[code]!s} has {size} and is missing in {trains} training and "
                f"{tests} test parts of {folds}"
            )
            advice = "use fewer folds, stratified ones, or join the class with another"
            found.append(Finding("rare class", text, advice))
        return found


class Columns:
    """What one walk over the columns of X collects.

    Parameters
    ----------
    X : array, sparse matrix or data frame
    y : ndarray of shape (n,), or None
    codes : ndarray of shape (n,), int, or None
        Classes.
    splits : sequence of splits
        Whose test parts are compared with the other rows.
    """

    def __init__(
        self, X: Any, y: Array | None, codes: Codes | None, splits: Sequence[Split]
    ) -> None:
        self.n, self.names, self._X = int(X.shape[0]), _names(X), X
        self.hashes = np.zeros(self.n, dtype=np.uint64)
        self.constant: list[int] = []
        self.telling: list[int] = []
        self.falling: list[int] = []
        self.differing: list[tuple[float, int, int]] = []
        self.n_columns = 0
        self._compared = _Compared(y, codes)
        self._ordered = in_order(splits)
        self._tests = [test for _, test in splits if 0 < len(test) < self.n]
        rng = np.random.default_rng(0)
        if sparse.issparse(X):
            self.n_columns = X.shape[1]  # type: ignore[attr-defined]
            (self.hashes,) = _hashes(X, np.ones((1, self.n_columns), dtype=bool))
            return
        for values in _blocks(X):
            self._take(values, rng)

    def _take(self, values: Floats, rng: np.random.Generator) -> None:
        """Take a block of columns, of shape (n, b)."""
        first, width = self.n_columns, values.shape[1]
        self.n_columns += width
        self.hashes += (_bits(values) * _factors(width, rng)).sum(axis=1, dtype=np.uint64)
        with np.errstate(invalid="ignore"):
            flat = (values == values[0]).all(axis=0) | np.isnan(values).all(axis=0)
        self.constant += (first + np.flatnonzero(flat)).tolist()
        some = values[self._compared.rows]
        self.telling += (
            first + np.flatnonzero(self._compared.determined_by(some) & ~flat)
        ).tolist()
        if self._ordered:
            self.falling += (
                first + np.flatnonzero((np.diff(values, axis=0) < 0).all(axis=0))
            ).tolist()
        else:
            self._compare_folds(values, first, flat)

    def _compare_folds(self, values: Floats, first: int, flat: Array) -> None:
        """Compare the mean of each column in each test part with that of the other rows."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            values = values - values[0]
            total, squares = values.sum(axis=0), np.einsum("ij,ij->j", values, values)
            spread = np.sqrt(squares / self.n - (total / self.n) ** 2)
            for fold, test in enumerate(self._tests):
                m = len(test)
                part = values[test].sum(axis=0)
                apart = np.abs(part / m - (total - part) / (self.n - m)) / spread
                z = apart / math.sqrt(1 / m + 1 / (self.n - m))
                for j in np.flatnonzero((apart > _FAR) & np.isfinite(z) & ~flat):
                    self.differing.append((float(z[j]), first + int(j), fold))

    def findings(self, splits: Sequence[Split]) -> list[Finding]:
        """Return what the columns and the equal rows show."""
        found = self._duplicates(splits)
        if self.telling:
            text = f"y follows nearly from {self._named(self.telling)} alone"
            advice = "make sure that it is known when predictions are made, or remove it"
            found.append(Finding("feature", text, advice))
        if self.constant:
            several = "have" if len(self.constant) > 1 else "has"
            text = f"{self._named(self.constant)} {several} one value only"
            found.append(
                Finding("constant", text, "remove it" if several == "has" else "remove them")
            )
        if self.falling and self.n > _FEW:
            text = (
                f"folds train on the first rows and test on later ones, and {self._named(self.falling)} "
                "falls from row to row"
            )
            found.append(Finding("time", text, "sort the rows from old to new, if it is a time"))
        tried = max(1, self.n_columns * len(self._tests))
        least = float(special.ndtri(1 - _ALARM / (2 * tried)))
        far = [each for each in self.differing if each[0] > least]
        if far:
            _, column, fold = max(far)
            text = (
                f"the test part of fold {fold} has a mean of {self._named([column])} more than a "
                "standard deviation from that of the other rows"
            )
            found.append(Finding("fold", text, "shuffle the rows, unless folds differ by design"))
        return found

    def _duplicates(self, splits: Sequence[Split]) -> list[Finding]:
        _, codes, sizes = np.unique(self.hashes, return_inverse=True, return_counts=True)
        if len(sizes) == self.n or self._by_chance(sizes):
            return []
        codes[(sizes == 1)[codes]] = -1
        return _note_of_equals("duplicates", "an equal row", codes, splits)

    def _by_chance(self, sizes: Array) -> bool:
        """Whether rows may agree by chance as often as they do, in one halving of the columns."""
        usual = _DISTINCT_OF_ONE if self.n_columns == 1 else _DISTINCT
        if len(sizes) == 1 or len(sizes) < usual * self.n:
            return True
        if self.n_columns == 1:
            return False
        rng = np.random.default_rng(1)
        halves = np.array([rng.permutation(self.n_columns) % 2 for _ in range(_HALVES)], dtype=bool)
        whole, equal = math.comb(self.n, 2), _pairs(sizes)
        for half in halves:
            alone = [
                _pairs(np.unique(hashes, return_counts=True)[1]) - equal
                for hashes in _hashes(self._X, np.stack([half, ~half]))
            ]
            expected = (alone[0] + 1) * (alone[1] + 1) / whole
            if min(alone) >= equal or stats.poisson.sf(equal - 1, expected) >= _ALARM:
                return True
        return False

    def _named(self, columns: Sequence[int]) -> str:
        some = ", ".join(str(self.names[j]) if self.names else str(j) for j in columns[:_LISTED])
        more = f" and {len(columns) - _LISTED} more" if len(columns) > _LISTED else ""
        return f"column{'s' * (len(columns) > 1)} {some}{more}"


def _note_of_equals(check: str, what: str, codes: Any, splits: Sequence[Split]) -> list[Finding]:
    if not (codes >= 0).any():
        return []
    parted = split_across_folds(codes, splits)
    n = int((parted[codes] & (codes >= 0)).sum())
    if not n:
        return []
    text = f"{count(n, 'row')} of X have {what} on the other side of a fold"
    advice = "remove them, or keep them together by groups= and a splitter for groups"
    return [Finding(check, text, advice)]


class _Compared:
    """The rows, in random order, on which columns are compared with y."""

    def __init__(self, y: Array | None, codes: Codes | None) -> None:
        rng = np.random.default_rng(0)
        self.codes, self.ranks = None, None
        if y is None:
            self.rows = np.zeros(0, dtype=np.intp)
        elif codes is None:
            self.rows = rng.permutation(len(y))[:_ROWS]
            self.ranks = stats.rankdata(y[self.rows]) if y.dtype.kind in "iuf" else None
        else:
            each = max(20, _ROWS // (int(codes.max()) + 1))
            parts = [
                rng.permutation(np.flatnonzero(codes == k))[:each] for k in range(codes.max() + 1)
            ]
            self.rows = rng.permutation(np.concatenate(parts))
            self.codes = codes[self.rows]
        self.size = len(self.rows)

    def determined_by(self, some: Floats) -> Array:
        """Return which columns nearly determine y, shape (b,), of values of shape (n_rows, b).

        Along the sorted values a class changes K - 1 times where the column determines it, and twice
        more for each error.
        """
        if self.codes is not None:
            k = np.bincount(self.codes)
            others = self.size - int(k.max())
            if others < _LEAST_ERRORS or (k > 0).sum() < 2:
                return np.zeros(some.shape[1], dtype=bool)
            order = np.argsort(np.ascontiguousarray(some.T), axis=1, kind="stable")
            along = self.codes[order]
            changes = (along[:, 1:] != along[:, :-1]).sum(axis=1)
            errors = (changes - ((k > 0).sum() - 1)) / 2
            return np.asarray(errors <= _SHARE_OF_ERRORS * others)
        if self.ranks is None or self.size < 2 * _LEAST_ERRORS:
            return np.zeros(some.shape[1], dtype=bool)
        ranks = stats.rankdata(np.where(np.isnan(some), np.inf, some), axis=0)
        a, b = ranks - ranks.mean(axis=0), self.ranks - self.ranks.mean()
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.abs(b @ a) / np.sqrt((b @ b) * (a**2).sum(axis=0)) >= _RANK_CORRELATION


def _blocks(X: Any) -> Iterator[Floats]:
    """Yield float64 blocks of columns; text and categories become numbers."""
    if hasattr(X, "iloc"):
        for j in range(X.shape[1] if len(X.shape) > 1 else 1):
            yield _numbers(X.iloc[:, j] if len(X.shape) > 1 else X)[:, None]
        return
    table = X.reshape(X.shape[0], -1) if hasattr(X, "reshape") else np.asarray(X)
    if table.dtype.kind not in "iufb":
        for column in np.asarray(table).T:
            yield _numbers(column)[:, None]
        return
    width = max(1, _CELLS // max(1, table.shape[0]))
    for start in range(0, table.shape[1], width):
        yield np.asarray(table[:, start : start + width], dtype=np.float64)


def _numbers(column: Any) -> Floats:
    """Return a column as numbers, texts and times by their order."""
    values = np.asarray(column)
    if values.dtype.kind in "iufb":
        return values.astype(np.float64)
    if values.dtype.kind in "mM":
        return np.where(np.isnat(values), np.nan, values.astype(np.int64))
    texts = np.array([str(value) for value in values])
    return np.unique(texts, return_inverse=True)[1].astype(np.float64)


def _bits(values: Floats) -> Array:
    """Return the bits of float64 values as integers; -0.0 is 0.0.

    The bytes are swapped: the last ones of small whole numbers are 0, and those of a product then, too.
    """
    return np.ascontiguousarray(values + 0.0).view(np.uint64).byteswap()


def _factors(size: int, rng: np.random.Generator) -> Array:
    return rng.integers(2**64 - 1, size=size, dtype=np.uint64) | np.uint64(1)


def _hashes(X: Any, parts: Array) -> Array:
    """Return a hash of each row's values in some sets of columns: shape (s, n) of (s, p)."""
    rng, hashes = np.random.default_rng(0), np.zeros((len(parts), X.shape[0]), dtype=np.uint64)
    if sparse.issparse(X):  # a row is known by the values that are not 0
        X = sparse.csr_array(X).copy()  # type: ignore[call-overload]
        X.sum_duplicates()
        X.eliminate_zeros()
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        values = _bits(X.data.astype(np.float64)) * _factors(X.shape[1], rng)[X.indices]
        for part, own in zip(parts, hashes, strict=True):
            np.add.at(own, rows, values * part[X.indices])
        return hashes
    first = 0
    for block in _blocks(X):
        width = block.shape[1]
        values = _bits(block) * _factors(width, rng)
        hashes += (values @ parts[:, first : first + width].T.astype(np.uint64)).T
        first += width
    return hashes


def _pairs(sizes: Array) -> int:
    """Return the number of pairs within sets of these sizes."""
    return int((sizes * (sizes - 1) // 2).sum())


def _names(X: Any) -> list[Any]:
    return list(X.columns) if hasattr(X, "columns") else []


def _times(X: Any, splits: Sequence[Split]) -> list[Finding]:
    """Compare the times of X, in its index or in a column, with the order of the folds."""
    ordered = in_order(splits)
    for name, column in _named_columns(X):
        time = _moments(column)
        if time is None:
            continue
        if ordered:
            if (np.diff(time) < np.timedelta64(0)).any():
                text = f"folds are in the order of the rows, and {name} is not sorted"
                return [Finding("time", text, "sort the rows from old to new")]
            continue
        late = [
            np.fmax.reduce(time[a]) > np.fmin.reduce(time[b])
            for a, b in splits
            if len(a) and len(b)
        ]
        if len(late) > 1 and all(late):
            text = f"X has times in {name}, and folds train on rows later than those that they test"
            advice = (
                "to estimate forecasts sort the rows and use TimeSeriesSplit inside and outside"
            )
            return [Finding("time", text, advice)]
    return []


def _named_columns(X: Any) -> Iterator[tuple[str, Any]]:
    """Yield the index and the columns that may hold times, with what messages call them."""
    if hasattr(X, "index") and hasattr(X, "iloc"):
        yield "the index", X.index
    if hasattr(X, "columns"):
        for j, name in enumerate(X.columns):
            yield f"column {name}", X.iloc[:, j] if hasattr(X, "iloc") else X[name]
    elif getattr(getattr(X, "dtype", None), "kind", "f") in "OMU" and X.ndim == 2:
        yield from ((f"column {j}", column) for j, column in enumerate(np.asarray(X).T))


def _moments(column: Any) -> Array | None:
    """Return a column of times as ``datetime64``; None for anything else."""
    kind = getattr(column, "dtype", None)
    if getattr(kind, "kind", "O") in "biufcm":
        return None
    if getattr(kind, "kind", "O") == "M" and hasattr(column, "to_numpy"):
        return np.asarray(column.to_numpy(dtype="datetime64[ns]"))
    values = np.asarray(column)
    if values.dtype.kind == "M":
        return values
    listed = values.tolist()
    try:
        known = {value: _moment(value) for value in dict.fromkeys(listed)}
    except (TypeError, ValueError):
        return None
    found = np.array([known[value] for value in listed], dtype="datetime64[us]")
    return None if np.isnat(found).all() else found


def _moment(value: Any) -> Any:
    """Return the start of a date object, a period or an ISO text, in UTC; NaT of a missing value.

    Raises
    ------
    TypeError, ValueError
        For anything else.
    """
    if value is None or value == "" or value != value:
        return np.datetime64("NaT")
    if isinstance(value, str):
        if (written := _ISO.fullmatch(value)) is None:
            raise ValueError("no time")
        local, sign, hours, minutes = written.groups()
        offset = int(f"{sign}1") * (60 * int(hours) + int(minutes)) if sign else 0
        return np.datetime64(local.replace(" ", "T"), "us") - np.timedelta64(offset, "m")
    value = getattr(value, "start_time", value)  # of a period
    if not isinstance(value, date):
        raise TypeError("no time")
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    return np.datetime64(value, "us")


def _near_duplicates(X: Any, splits: Sequence[Split], share: float) -> list[Finding]:
    if sparse.issparse(X):
        values: Any = sparse.csr_array(X)  # type: ignore[call-overload]
    else:
        values = np.concatenate(list(_blocks(X)), axis=1)
        values = np.nan_to_num(StandardScaler().fit_transform(values))
    if values.shape[0] < _FEW:
        return []
    # Without rows to look up, no row is its own neighbour.
    from sklearn.neighbors import NearestNeighbors  # slow to import, and seldom used

    distance, other = (k[:, 0] for k in NearestNeighbors(n_neighbors=1).fit(values).kneighbors())
    close = np.flatnonzero((distance <= share * np.median(distance)) & (distance > 0))
    n = len(distance)
    pairs = sparse.coo_array((np.ones(len(close)), (close, other[close])), shape=(n, n))
    codes = sparse.csgraph.connected_components(pairs, directed=False)[1]
    codes = np.where((np.bincount(codes) == 1)[codes], -1, codes).astype(np.intp)
    return _note_of_equals("near-duplicates", "a nearly equal row", codes, splits)


def edge_notes(
    candidates: Sequence[Mapping[str, Any]], winners: Sequence[int], inner_scores: Floats
) -> tuple[str, ...]:
    """Return which parameters won at the edge of their grid in every outer fold, clearly.

    ``inner_scores`` has shape (k, C, l). The best candidate at the edge must exceed the best with the
    next value by two corrected standard errors (Nadeau and Bengio 2003) in the median outer fold.
    """
    reported = []
    if inner_scores.ndim < 3 or not inner_scores.size or len(candidates) != inner_scores.shape[1]:
        return ()
    for name in dict.fromkeys(name for each in candidates for name in each):
        given = [each.get(name) for each in candidates]
        if not all(isinstance(v, Real) and not isinstance(v, bool | np.bool_) for v in given):
            continue
        values = np.array(given, dtype=np.float64)
        grid, chosen = np.unique(values), values[list(winners)]
        for end, edge, following in (
            ("least", grid[0], grid[1:2]), ("greatest", grid[-1], grid[-2:-1])
        ):  # fmt: skip
            natural = edge in (0, 1) if end == "least" else edge == 1
            if len(grid) < _FEW or natural or not (chosen == edge).all():
                continue
            if np.median(_gains(inner_scores, values == edge, values == following)) > 2:
                reported.append(
                    f"grid: {name}={edge:g} won in every outer fold, the {end} of {len(grid)} values "
                    f"and clearly better than {following[0]:g}; extend the grid beyond it"
                )
    return tuple(reported)


def _gains(scores: Floats, edge: Array, following: Array) -> list[float]:
    """Return the t statistic of the edge against the next value in each outer fold."""
    found = []
    for fold in scores:
        folds = np.isfinite(fold).all(axis=0)
        table = fold[:, folds]
        size = table.shape[1]
        if size < _FEW:
            return [math.nan]
        best = [table[rows][table[rows].mean(axis=1).argmax()] for rows in (edge, following)]
        d = best[0] - best[1]
        error = d.std(ddof=1) * math.sqrt(1 / size + 1 / (size - 1))
        difference = float(d.mean())
        constant = math.copysign(math.inf, difference) if difference else 0.0
        found.append(difference / error if error > 0 else constant)
    return found


def odd_fold_notes(name: str, scores: Floats) -> tuple[str, ...]:
    """Return the fold whose outer score differs from all others, by Grubbs' test at 0.001."""
    scores = scores[np.isfinite(scores)]
    n = len(scores)
    if n < 2 * _FEW or not scores.std() > 0:
        return ()
    z = np.abs(scores - scores.mean()) / scores.std(ddof=1)
    t = float(stats.t.isf(_ALARM / (2 * n), n - 2))
    if z.max() <= (n - 1) / math.sqrt(n) * math.sqrt(t**2 / (n - 2 + t**2)):
        return ()
    fold = int(z.argmax())
    return (
        f"fold: {name} of outer fold {fold}, {scores[fold]:.4f}, differs strongly from the mean of "
        f"the others, {np.delete(scores, fold).mean():.4f}; look at its rows",
    )
