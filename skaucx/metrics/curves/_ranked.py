"""Raw labels and scores of a curve, checked and ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from ..._arrays import Floats, check_same_length, float_array, score_array
from ..._compat import import_pandas
from ..._options import check_choice
from .._kinds.scores.state import all_cells, score_state
from .._pairs.ranking import RankedScores
from .._records.inputs import (
    check_scored_labels,
    check_unit_range,
    refuse_missing_class,
)


class Points:
    """Arrays with one entry per point, as a table and as text."""

    _arrays: ClassVar[tuple[str, ...]]
    _values: ClassVar[tuple[str, ...]] = ()  # the first is the value of the curve
    _limits: ClassVar[tuple[str, ...]] = ()  # further columns of the table

    @property
    def _tuple(self) -> tuple[Floats, ...]:
        return tuple(getattr(self, name) for name in self._arrays)

    def _heights(self, x: Floats) -> Any:
        """Return the heights at places in [0, 1], the upper end of an upright piece."""
        # Of equal places np.interp takes the last, which is the highest.
        across, up, *_ = self._tuple
        return np.interp(x, across, up)

    def _columns(self) -> dict[str, Floats]:
        """Return the arrays in one length; points without a threshold have nan."""
        columns = {name: getattr(self, name) for name in self._arrays + self._limits}
        points = max(map(len, columns.values()))
        return {name: np.append(x, np.full(points - len(x), np.nan)) for name, x in columns.items()}

    def __repr__(self) -> str:
        values = [f"{name}={getattr(self, name):.4f}" for name in self._values]
        points = f"{max(map(len, self._tuple))} points"
        return f"{type(self).__name__}({', '.join([points, *values])})"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per point; nan for points without a threshold.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return import_pandas().DataFrame(self._columns())


class CurveTuple(Points):
    """A curve that unpacks, has a length and is indexed as the tuple of its arrays."""

    def __iter__(self) -> Iterator[Floats]:
        return iter(self[:])

    def __len__(self) -> int:
        return len(self._arrays)

    def __getitem__(self, place: int | slice) -> Any:
        return self._tuple[place]


def checked_rates(**given: Any) -> dict[str, Floats]:
    """Return the coordinates of measured points, refused outside [0, 1]."""
    rates = {name: score_array(rate, name) for name, rate in given.items()}
    check_same_length(dict(rates))
    for name, rate in rates.items():
        if rate.ndim != 1 or rate.min() < 0 or rate.max() > 1:
            raise ValueError(f"{name} must be a vector of rates in [0, 1], found {rate!r}.")
    return rates


def last_at_or_above(thresholds: Floats, wanted: Any) -> Any:
    """Return the place of the last of falling thresholds at or above each wanted one."""
    if np.isnan(thresholds).any():
        raise ValueError("The points were measured without scores and have no thresholds.")
    given = float_array(wanted, "threshold", scalar=True)
    if np.isnan(given).any():
        raise ValueError(f"threshold must be a number, found {wanted!r}.")
    return np.searchsorted(-thresholds, -given, side="right") - 1


Curve = TypeVar("Curve")


def ranked_scores(
    y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None
) -> RankedScores:
    """Return the ranking of a binary problem."""
    checked = check_scored_labels(y_true, y_score, sample_weight=sample_weight)
    return score_state(checked).binary_ranking(pos_label)


def ranked_unit_scores(
    metric: str,
    y_true: Any,
    y_score: Any,
    pos_label: Any,
    sample_weight: Any,
    rescale: Any,
    name: str = "y_score",
) -> RankedScores:
    """Rank scores that must lie in [0, 1], or are brought there by `rescale`."""
    check_choice("rescale", rescale, (None, "minmax", "expit"))
    given = {"sample_weight": sample_weight, "names": ("y_true", name)}
    checked = check_scored_labels(y_true, y_score, **given)
    if rescale is None:
        check_unit_range(checked.extremes, metric)
    ranked = score_state(checked).binary_ranking(pos_label, rescale)
    if not ranked.pairs > 0:
        raise refuse_missing_class(metric.removeprefix("a "))
    return ranked


def one_vs_rest_curves(
    curve: Callable[..., Curve],
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    micro: bool = False,
    **options: Any,
) -> dict[Any, Curve]:
    """Return one curve per class, each against the rest, or one per label of indicators.

    Parameters
    ----------
    curve : callable
        A curve of two classes, such as :func:`roc_curve` or :func:`precision_recall_curve`.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True class labels, or multilabel indicators.
    y_score : array-like of shape (n_samples, n_classes)
        One column of scores a class, in sorted order, or a label.
    labels : array-like of shape (n_classes,), default=None
        The sorted classes of the columns, if some do not occur.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    micro : bool, default=False
        Whether to add, under the key "micro", the curve of all cells of the score matrix.
    **options
        Passed to `curve`.

    Returns
    -------
    curves : dict
        From class label, or from column number, to its curve.

    Raises
    ------
    ValueError, TypeError
        If `y_score` is not a matrix with one column per class, or from `curve`.

    Examples
    --------
    >>> from skaucx.metrics import roc_curve
    >>> from skaucx.metrics.curves import one_vs_rest_curves
    >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.4, 0.3], [0.4, 0.5, 0.1], [0.1, 0.2, 0.7]]
    >>> curves = one_vs_rest_curves(roc_curve, ["a", "b", "a", "c"], scores)
    >>> {label: round(curve.area, 4) for label, curve in curves.items()}
    {'a': 1.0, 'b': 0.6667, 'c': 1.0}
    """
    checked = check_scored_labels(y_true, y_score, labels=labels, sample_weight=sample_weight)
    state = score_state(checked)
    if checked.score.ndim != 2:
        raise ValueError(
            f"y_score must have one column per class, found shape {checked.score.shape}; for two "
            f"classes call {getattr(curve, '__name__', 'the curve')} itself."
        )
    problems = state.each_class() | ({"micro": all_cells(checked)} if micro else {})
    return {
        name: curve(one.truth, one.score, pos_label=True, sample_weight=one.weight, **options)
        for name, one in problems.items()
    }
