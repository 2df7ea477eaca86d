"""The variance of the mean score of folds that is due to which rows were tested."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import number_classes
from ...inference._intervals.influence import binary_scores, influences, row_losses
from ...inference._intervals.methods import share_of
from ...metrics._registry.samples import MetricOnSample
from ...metrics._scorers.bound import BoundMetric
from .._types import Floats, Rows
from ..execution._out_of_fold import OutOfFoldPredictions, pooled_metric

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
    by_class : float
        The part of `of_mean` that comes of the class counts, and that folds do not vary by because they
        are stratified.
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
    by_class: float = 0.0
    groups: int = 0
    of_rows: bool = True


@dataclass(frozen=True, eq=False)
class _TestRows:
    """The test rows of some folds: their places in the predictions, and codes from 0.

    ``unit`` are independent units, rows or groups of rows, ``in_fold`` units within folds.
    """

    entries: Rows
    fold: Rows
    unit: Rows
    in_fold: Rows
    true: NDArray[Any]
    n_groups: int
    repeats: float

    @classmethod
    def of(cls, predictions: OutOfFoldPredictions, folds: Rows) -> _TestRows:
        entries = np.flatnonzero(np.isin(predictions.fold, folds))
        row, groups = predictions.row[entries], predictions.groups
        fold = _codes(predictions.fold[entries])
        unit = _codes(row if groups is None else groups[entries])
        in_fold = _codes(unit * (int(fold.max()) + 1) + fold)
        n_groups = 0 if groups is None else int(unit.max()) + 1
        repeats = len(row) / (int(_codes(row).max()) + 1)
        return cls(entries, fold, unit, in_fold, predictions.y_true[entries], n_groups, repeats)

    @property
    def independent(self) -> int:
        """Units of the rarest class, or of all rows with several labels."""
        units = int(self.unit.max()) + 1
        if self.true.ndim > 1:
            return units
        pairs = np.unique(_codes(self.true) * units + self.unit)
        return int(np.bincount(pairs // units).min())

    def by_class(self, psi: Floats) -> float:
        r"""Return the variance due to the class counts that the scores of stratified folds do not show.

        With :math:`\psi_c` the sum of the influences of the :math:`n_c` rows of class c it is
        :math:`\sum_c \psi_c^2 / n_c`. Folds drawn at random vary by it, and their class counts have a
        chi-square of about (K - 1)(C - 1); the missing share is returned.
        """
        label = _codes(self.true)
        table = np.zeros((int(self.fold.max()) + 1, int(label.max()) + 1))
        smoothed = abs(psi.sum()) > 1e-9 * np.abs(psi).sum()  # shows no variance itself
        if smoothed or min(table.shape) < 2:
            return 0.0
        np.add.at(table, (self.fold, label), 1)
        expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / len(label)
        freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
        unvaried = max(1 - float(((table - expected) ** 2 / expected).sum()) / freedom, 0.0)
        sums = np.bincount(label, psi) ** 2
        between = self.repeats * float((sums / np.bincount(label)).sum())
        # Influences of an AUC or a recall add up to 0 in every class, but for rounding.
        return unvaried * between if between > 1e-12 * (psi @ psi) else 0.0


@dataclass(frozen=True, eq=False)
class _Influences:
    """The influence of each row on the mean score, the share that it is, and what it depends on."""

    psi: Floats
    method: str
    share: tuple[float, float] | None
    learned: bool


def _influences_of(
    bound: BoundMetric, predictions: OutOfFoldPredictions, rows: _TestRows
) -> _Influences:
    pooled = pooled_metric(bound, predictions)
    metric, n_folds = pooled.metric, int(rows.fold.max()) + 1
    on = MetricOnSample(pooled.sample(rows.entries), metric, pooled.options)
    if metric.kind.counted:
        found = share_of(on) if on.sample.counted else None
        share = (found.part, found.whole) if found is not None and found.itself else None
        method = "delta method" if share is None else "binomial variance"
        return _Influences(influences(on), method, share, True)
    losses = row_losses(on)
    if losses is not None and pooled.options.get("normalize", True):
        weight = None if pooled.sample_weight is None else pooled.sample_weight[rows.entries]
        return _Influences(_of_losses(losses, rows.fold, weight), OF_LOSSES, None, False)
    psi, method = np.empty(len(rows.entries)), "jackknife"
    for one in range(n_folds):
        mine = rows.fold == one
        on = MetricOnSample(pooled.sample(rows.entries[mine]), metric, pooled.options)
        psi[mine] = influences(on) / n_folds
        if binary_scores(on) is not None:
            method = "influence curves"
    learned = metric.kind.scale is None and (metric.losses is None or bound.of_labels)
    return _Influences(psi, method, None, learned)


def _of_losses(losses: Floats, fold: Rows, weight: Floats | None) -> Floats:
    """Return the influence of every row on the mean over folds of a mean of losses over rows."""
    weight = np.ones(len(losses)) if weight is None else weight
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
    rows = _TestRows.of(predictions, folds)
    found = _influences_of(bound, predictions, rows)
    psi, share, learned = found.psi, found.share, found.learned
    if other is not None:
        if not (
            np.array_equal(predictions.row, other.row)
            and np.array_equal(predictions.fold, other.fold)
        ):
            raise ValueError("The predictions are not of the same rows in the same folds.")
        second = _influences_of(bound, other, rows)
        psi, share, learned = psi - second.psi, None, learned or second.learned
    trials, of_mean = np.nan, _sum_of_squares(psi, rows.unit)
    of_fold = len(folds) * _sum_of_squares(psi, rows.in_fold)
    if share is not None:
        part, whole = share
        repeats = len(psi) / (int(rows.unit.max()) + 1)
        trials = float(whole * (psi @ psi) / of_mean) if of_mean > 0 else whole / repeats
        spread = part * (whole - part) / whole**2
        of_mean, of_fold = float(spread / trials), float(spread * len(folds) / whole)
    of_all = share is not None and bool(np.isclose(share[1], len(psi)))
    plain = predictions.classes is not None and rows.true.ndim == 1
    return SamplingVariance(
        of_mean, of_fold, trials, rows.independent, found.method,
        learned=learned,
        by_class=rows.by_class(psi) if plain else 0.0,
        groups=rows.n_groups,
        of_rows=(of_all and len(psi) == len(predictions.row)) or found.method in _OF_ROWS,
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
