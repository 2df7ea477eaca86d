"""The variance of the mean score of folds that is due to which rows were tested."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import number_classes
from ...inference._intervals.influence import influences, positives_of_pairs, row_losses
from ...inference._intervals.methods import share_of
from ...metrics._scorers.bound import BoundMetric
from .._types import Floats, Rows
from ..execution._out_of_fold import OutOfFoldPredictions, metric_on

# Origins of a variance whose metric is a mean over rows or pairs: its expectation does not depend on
# the size of a fold, so that small folds may be averaged (unlike a ratio such as F1).
OF_LOSSES = "mean of losses"
_OF_ROWS = (OF_LOSSES, "influence curves")


@dataclass(frozen=True)
class SamplingVariance:
    """The variance of the mean score of some folds that is due to which rows were tested.

    Attributes
    ----------
    of_mean, of_fold : float
        Variance of the mean score, and the mean variance of the score of one fold.
    trials : float
        If the metric is a proportion, its effective sample size; nan for other metrics.
    independent : int
        Examples, or pairs of them, that have nothing in common.
    method : str
        The method of the variance.
    learned : bool
        Whether the metric moves with the cut between the labels, or with the scale of the scores, which
        the models of all folds learn from nearly the same rows.
    groups : int
        Number of groups of rows; 0 without.
    of_rows : bool
        Whether the metric is a mean over rows or over pairs of rows, so that its mean over folds is
        about the same however small these are.
    """

    of_mean: float
    of_fold: float
    trials: float
    independent: int
    method: str
    learned: bool = False
    groups: int = 0
    of_rows: bool = True


def _independent(true: NDArray[Any], unit: Rows) -> int:
    """Return the number of units of the rarest class, or of all of them with several labels."""
    units = int(unit.max()) + 1
    if true.ndim > 1:
        return units
    pairs = np.unique(_codes(true) * units + unit)
    return int(np.bincount(pairs // units).min())


def _influences_of(
    bound: BoundMetric, predictions: OutOfFoldPredictions, entries: Rows, fold: Rows
) -> tuple[Floats, str, tuple[float, float] | None, bool]:
    """Return the influence of each row on the mean score, the method, the share that it is, if any.

    Last whether it moves with what the models of all folds learn.
    """
    on = metric_on(bound, predictions, entries)
    metric, n_folds = on.metric, int(fold.max()) + 1
    if metric.kind.counted:
        found = share_of(on) if on.sample.counted else None
        if found is not None and found.itself:
            return influences(on), "binomial variance", (found.part, found.whole), True
        return influences(on), "delta method", None, True
    losses = row_losses(on)
    if losses is not None and on.options.get("normalize", True):
        weight = predictions.sample_weight if bound.weighted else None
        weight = np.ones(len(losses)) if weight is None else weight[entries]
        return _of_losses(losses, fold, weight), OF_LOSSES, None, False
    psi, method = np.empty(len(entries)), "jackknife"
    for one in range(n_folds):
        mine = fold == one
        on = metric_on(bound, predictions, entries[mine])
        psi[mine] = influences(on) / n_folds
        if positives_of_pairs(on) is not None:
            method = "influence curves"
    learned = metric.kind.scale is None and (
        metric.losses is None or bound.response_method == "predict"
    )
    return psi, method, None, learned


def _of_losses(losses: Floats, fold: Rows, weight: Floats) -> Floats:
    """Return the influence of every row on the mean over folds of a mean of losses over rows."""
    in_fold = np.bincount(fold, weight)
    share = weight / in_fold[fold] / len(in_fold)
    above, rows = losses - losses[0], len(losses)  # exactly 0 where all are equal
    return share * (above - share @ above) * np.sqrt(rows / max(rows - 1, 1))


def _codes(values: NDArray[Any]) -> Rows:
    """Return the place of each value among the distinct ones in order."""
    _, (codes,) = number_classes({"values": values})
    return codes


def _sum_of_squares(psi: Floats, unit: Rows) -> float:
    """Return the sum of the squared sums over units, given by codes."""
    sums = np.bincount(unit, psi)
    return float(sums @ sums)


def row_noise(
    bound: BoundMetric,
    predictions: OutOfFoldPredictions,
    folds: Rows,
    *,
    other: OutOfFoldPredictions | None = None,
) -> SamplingVariance:
    """Return the variance of the mean score of some folds that is due to the test rows.

    Every row counts once, however often it was tested, and rows of one group count together.
    With `other` predictions of the same rows it is the variance of the difference.

    Raises
    ------
    ValueError, TypeError, LookupError
        If the predictions lack the inputs of the metric, or are not of the same rows and folds.
    """
    entries = np.flatnonzero(np.isin(predictions.fold, folds))
    fold, row, groups = predictions.fold[entries], predictions.row[entries], predictions.groups
    fold, unit = _codes(fold), _codes(row if groups is None else groups[entries])
    psi, method, share, learned = _influences_of(bound, predictions, entries, fold)
    if other is not None:
        if not (
            np.array_equal(predictions.row, other.row)
            and np.array_equal(predictions.fold, other.fold)
        ):
            raise ValueError("The predictions are not of the same rows in the same folds.")
        second, _, _, moves = _influences_of(bound, other, entries, fold)
        psi, share, learned = psi - second, None, learned or moves
    trials, of_mean = np.nan, _sum_of_squares(psi, unit)
    of_fold = len(folds) * _sum_of_squares(psi, _codes(unit * (int(fold.max()) + 1) + fold))
    if share is not None:
        part, whole = share
        repeats = len(psi) / (int(unit.max()) + 1)
        trials = float(whole * (psi @ psi) / of_mean) if of_mean > 0 else whole / repeats
        spread = part * (whole - part) / whole**2
        of_mean, of_fold = float(spread / trials), float(spread * len(folds) / whole)
    of_all = share is not None and bool(np.isclose(share[1], len(psi)))
    return SamplingVariance(
        of_mean, of_fold, trials, _independent(predictions.y_true[entries], unit), method,
        learned=learned,
        groups=0 if groups is None else int(unit.max()) + 1,
        of_rows=(of_all and len(psi) == len(predictions.row)) or method in _OF_ROWS,
    )  # fmt: skip


def noise_or_none(
    bound: BoundMetric | None, predictions: OutOfFoldPredictions, folds: Rows, **options: Any
) -> SamplingVariance | None:
    """Return what :func:`row_noise` does, or None if it cannot be computed."""
    if bound is None or not np.isin(predictions.fold, folds).any():
        return None
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        try:
            found = row_noise(bound, predictions, folds, **options)
        except (ValueError, TypeError, LookupError):
            return None
    return found if np.isfinite(found.of_mean) else None
