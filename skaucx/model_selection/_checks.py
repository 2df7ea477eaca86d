"""Checks of folds before any fit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier

from .._arrays import Array, Codes, check_rows, groups_of, host_array, refuse_missing
from .._text.plain import count
from ._run_options import check_splitter
from ._types import Estimator, Features, Folds, Split

_LISTED = 5


@dataclass(frozen=True)
class Finding:
    """Something about folds that makes scores too high, or useless.

    Attributes
    ----------
    check : str
        "empty part", "groups", "overlap" or "rare class".
    found : str
        What was found.
    advice : str
        What to do.

    Examples
    --------
    >>> from skaucx.model_selection import check_folds
    >>> found = check_folds([[1.5], [2.5], [3.5], [4.5]], [0, 1, 0, 1], cv=[([0, 1, 2], [2, 3])])
    >>> print(found[0].check, "-", found[0].found)
    overlap - 1 row in both the training and the test part of a fold
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
) -> list[Finding]:
    r"""Look for folds that make scores too high, or useless.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    cv : int, splitter or iterable of splits, default=5
        As :func:`sklearn.model_selection.check_cv` takes it.
    groups : array-like of shape (n_samples,), default=None
    estimator : estimator, default=None
        Whether it is a classifier decides whether y holds classes; None decides by y.

    Returns
    -------
    list
        What was found, each with ``check``, ``found`` and ``advice``, texts; empty for nothing.

    Raises
    ------
    ValueError
        If arrays differ in length, or ``groups`` has missing values.

    See Also
    --------
    NestedCV : Runs these checks before any fit, by ``checks=``.

    Notes
    -----
    - *empty part*: a training or a test part without rows.
    - *groups*, *overlap*: groups, or rows, in both parts of a fold.
    - *rare class*: a class that a training or a test part lacks.

    Columns are not read: for copies of rows and columns that follow from the target see the methods
    of data frames, such as :meth:`pandas.DataFrame.duplicated`, and the package deepchecks.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection import check_folds
    >>> X, y = np.zeros((60, 3)), np.arange(60) % 2
    >>> check_folds(X, y)
    []
    >>> halves = [(np.arange(30), np.arange(30, 60))]
    >>> [found.check for found in check_folds(X, y, cv=halves, groups=np.arange(60) // 4)]
    ['groups']
    """
    y = host_array(y)
    refuse_missing(y, "y")
    check_rows({"X": X, "y": y})
    if groups is not None:
        groups_of(groups, {"y": y})
    classes = y.dtype.kind in "OUSb" or len(np.unique(y)) <= max(20, math.isqrt(len(y)))
    classifier = bool(classes) if estimator is None else is_classifier(estimator)
    splitter = check_splitter("cv", cv, y, classifier)
    rows = np.arange(len(y))
    splits = [(rows[train], rows[test]) for train, test in splitter.split(X, y, groups)]
    return findings(y, splits, groups=groups, classifier=classifier)


def findings(
    y: Any, splits: Sequence[Split], *, groups: Any = None, classifier: bool = True
) -> list[Finding]:
    """Return what all checks find."""
    found, y, k = [], np.asarray(y), len(splits)
    for part, name in enumerate(("training", "test")):
        if empty := sum(len(split[part]) == 0 for split in splits):
            text = f"{count(empty, f'{name} part')} of {k} have no rows"
            found.append(Finding("empty part", text, "use a splitter whose parts all have rows"))
    if groups is not None and (torn := _in_both(groups_of(groups, {"y": y})[1], splits)).any():
        text = (
            f"{torn.sum()} of {len(torn)} groups of rows are in both the training and the test part "
            "of an outer fold, so scores may be too high"
        )
        advice = "use splitters that respect groups, such as StratifiedGroupKFold"
        found.append(Finding("groups", text, advice))
    if twice := int(_in_both(np.arange(len(y)), splits).sum()):
        text = f"{count(twice, 'row')} in both the training and the test part of a fold"
        advice = "use a splitter whose training and test parts do not overlap"
        found.append(Finding("overlap", text, advice))
    return [*found, *_rare(y, splits)] if classifier and y.ndim == 1 else found


def in_order(splits: Sequence[Split]) -> bool:
    """Whether every fold tests on rows after those that it trains on."""
    return len(splits) > 1 and all(len(a) and len(b) and a.max() < b.min() for a, b in splits)


def _in_both(codes: Codes, splits: Sequence[Split]) -> Array:
    """Return which codes are in the training and in the test part of one fold."""
    found = np.zeros(int(codes.max()) + 1, dtype=bool)
    for train, test in splits:
        trained = np.zeros(len(found), dtype=bool)
        trained[codes[train]] = True
        tested = codes[test]
        found[tested[trained[tested]]] = True
    return found


def _rare(y: Array, splits: Sequence[Split]) -> list[Finding]:
    """Return the classes that are missing in a part with rows."""
    names, codes, sizes = np.unique(y, return_inverse=True, return_counts=True)
    missing = np.zeros((2, len(names)), dtype=int)
    for split in splits:
        for part, rows in enumerate(split):
            if len(rows):
                missing[part] += np.bincount(codes[rows], minlength=len(names)) == 0
    advice = "use fewer folds, stratified ones, or join the class with another"
    return [
        Finding(
            "rare class",
            f"class {names[code]!s} has {count(int(sizes[code]), 'row')} and is missing in "
            f"{missing[0, code]} training and {missing[1, code]} test parts of {len(splits)}",
            advice,
        )
        for code in np.flatnonzero(missing.any(axis=0))[:_LISTED].tolist()
    ]
