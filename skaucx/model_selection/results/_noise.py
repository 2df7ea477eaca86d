"""The variance of scores over folds that is due to which rows were tested, given the models."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Bools
from ...metrics._scorers.bound import BoundMetric
from ...metrics.estimation._influence import binary_scores, influences, share_of
from .._types import Floats, Rows
from ._judged import Judged, judged
from ._pool import OutOfFoldPredictions


@dataclass(frozen=True)
class RowNoise:
    """The variance of the mean score of some folds that is due to which rows were tested.

    Attributes
    ----------
    of_mean, of_fold : float
        Variance of the mean score, and the mean variance of the score of one fold.
    trials : float
        Where the metric is a share of some examples among others, so many independent examples as
        have its variance; nan for other metrics.
    independent : int
        Examples, or pairs of them, that have nothing in common.
    method : str
        What the variance was found by.
    by_calibration : bool
        Whether the metric moves with the scale of the scores, or with the cut between the labels that
        it leads to: losses of probabilities, metrics of labels but shares of all examples. Models of
        all folds learn it from nearly the same rows.
    learned : float
        What the share of positives in the data adds to the variance of the mean, because models learn
        their cut from it; nan where that is not known.
    """

    of_mean: float
    of_fold: float
    trials: float
    independent: int
    method: str
    by_calibration: bool = False
    learned: float = np.nan

    @property
    def cut_unknown(self) -> bool:
        """Whether the metric moves with what all models learn, in a way that is not known."""
        return self.by_calibration and bool(np.isnan(self.learned))

    def at(self, share: float) -> RowNoise:
        """Return the same with the binomial variance of another share."""
        if np.isnan(self.trials):
            return self
        return replace(self, of_mean=share * (1 - share) / self.trials)


def row_noise(
    bound: BoundMetric,
    predictions: OutOfFoldPredictions,
    folds: Rows,
) -> RowNoise:
    """Return the variance of the mean score of some folds that is due to the test rows.

    Every row counts once, however often it was tested, and rows of one group count together.

    Raises
    ------
    ValueError, TypeError, LookupError
        If the predictions do not hold what the metric reads.
    """
    asked = judged(bound, predictions)
    entries = np.flatnonzero(np.isin(predictions.fold, folds))
    psi, share, method = _influences(asked, predictions.fold, entries, len(folds))
    unit = _units(predictions)[entries]
    of_mean, of_fold = _variances(psi, unit, predictions.fold[entries], len(folds))
    trials: float = np.nan
    if share is not None:
        part, whole = share
        trials = float(whole * (psi @ psi) / of_mean) if of_mean > 0 else whole / _repeats(unit)
        spread = part * (whole - part) / whole**2
        of_mean, of_fold = float(spread / trials), float(spread * len(folds) / whole)
    independent = _independent(asked, entries, unit)
    cut = _by_calibration(asked, share, len(entries))
    learned = _learned(asked, predictions, entries, psi, unit)
    return RowNoise(of_mean, of_fold, trials, independent, method, cut, learned)


def _learned(
    asked: Judged, predictions: OutOfFoldPredictions, entries: Rows, psi: Floats, unit: Rows
) -> float:
    r"""Return what a cut that is learned from the data adds to the variance of a metric of labels.

    The log-odds of all models move with those of the share of positives :math:`\pi`, on which row i
    has the influence :math:`c_i = (y_i - \pi) / (m \pi (1 - \pi))`. The metric moves with them by a
    slope g, found at one standard deviation on either side, so that row i has the influence
    :math:`\psi_i + g c_i` on it.
    """
    moved = _log_odds(asked, predictions, entries)
    if moved is None:
        return np.nan
    positive, score = moved
    weight = np.ones(len(entries)) if asked.sample_weight is None else asked.sample_weight[entries]
    share = np.average(positive, weights=weight)
    if not 0 < share < 1:
        return np.nan
    influence = weight * (positive - share) / (weight.sum() * share * (1 - share))
    step = np.sqrt(_sum_of_squares(influence, unit))
    values = [_value_of_cut(asked, predictions, entries, score + d * step) for d in (1, -1)]
    slope = np.nan_to_num((values[0] - values[1]) / (2 * step))
    both = _sum_of_squares(psi + slope * influence, unit)
    return float(max(both - _sum_of_squares(psi, unit), 0.0))


def _log_odds(
    asked: Judged, predictions: OutOfFoldPredictions, entries: Rows
) -> tuple[Bools, Floats] | None:
    """Return truth and log-odds of the second of two classes, where labels are cut at even odds."""
    classes, proba = predictions.classes, predictions.responses.get("predict_proba")
    if classes is None or proba is None or len(classes) != 2 or not asked.metric.kind.counted:
        return None
    score = special.logit(proba[entries, 1])
    called = predictions.y_pred[entries] == classes[1]
    if not np.array_equal(called[score != 0], (score > 0)[score != 0]):
        return None
    return predictions.y_true[entries] == classes[1], score


def _value_of_cut(
    asked: Judged, predictions: OutOfFoldPredictions, entries: Rows, score: Floats
) -> float:
    """Return the metric of labels that log-odds above 0 give."""
    labels = predictions.y_pred.copy()
    labels[entries] = np.asarray(predictions.classes)[(score > 0).astype(np.intp)]
    sample = replace(asked, y_pred_or_score=labels).sample(entries)
    return float(np.mean(asked.metric.value(sample.state, **asked.options)))


def difference_noise(
    bound: BoundMetric, first: OutOfFoldPredictions, second: OutOfFoldPredictions, folds: Rows
) -> RowNoise:
    """Return the chance of the test rows in the mean difference of two models on the same folds.

    Raises
    ------
    ValueError, TypeError, LookupError
        If the predictions do not hold what the metric reads, or are not of the same rows and folds.
    """
    if not (np.array_equal(first.row, second.row) and np.array_equal(first.fold, second.fold)):
        raise ValueError("The predictions are not of the same rows in the same folds.")
    entries = np.flatnonzero(np.isin(first.fold, folds))
    asked = [judged(bound, predictions) for predictions in (first, second)]
    (psi, share, method), (other, *_) = (
        _influences(one, first.fold, entries, len(folds)) for one in asked
    )
    unit = _units(first)[entries]
    found = _variances(psi - other, unit, first.fold[entries], len(folds))
    independent = _independent(asked[0], entries, unit)
    learned = _by_calibration(asked[0], share, len(entries))
    return RowNoise(*found, np.nan, independent, method, learned)


def _units(predictions: OutOfFoldPredictions) -> Rows:
    """Return what is drawn independently: rows, or groups of them."""
    if predictions.groups is None:
        return predictions.row
    return np.unique(predictions.groups, return_inverse=True)[1]


def _variances(psi: Floats, unit: Rows, fold: Rows, folds: int) -> tuple[float, float]:
    """Return the variance of the mean, and the mean variance of a fold."""
    of_fold = folds * _sum_of_squares(psi, unit * (int(fold.max()) + 1) + fold)
    return _sum_of_squares(psi, unit), of_fold


def _by_calibration(asked: Judged, share: tuple[float, float] | None, entries: int) -> bool:
    of_all = share is not None and bool(np.isclose(share[1], entries))
    return not of_all and asked.metric.kind.scale is None


def _influences(
    asked: Judged, fold: Rows, entries: Rows, n_folds: int
) -> tuple[Floats, tuple[float, float] | None, str]:
    """Return the influence of every entry on the mean score, and the share that the metric is."""
    if asked.metric.kind.counted:
        sample = asked.sample(entries)
        share = None
        if sample.counted:
            share = share_of(sample, asked.metric, asked.options)
        method = "delta method" if share is None else "binomial variance"
        return influences(sample, asked.metric, asked.options), share, method
    psi, method = np.empty(len(entries)), "jackknife"
    for one in np.unique(fold[entries]):
        own = fold[entries] == one
        sample = asked.sample(entries[own])
        psi[own] = influences(sample, asked.metric, asked.options) / n_folds
        if binary_scores(sample, asked.metric, asked.options) is not None:
            method = "influence curves"
    return psi, None, method


def _sum_of_squares(psi: Floats, unit: Rows) -> float:
    """Return the sum of the squared sums over units."""
    sums = np.bincount(np.unique(unit, return_inverse=True)[1], psi)
    return float(sums @ sums)


def _repeats(unit: Rows) -> float:
    return len(unit) / len(np.unique(unit))


def _independent(asked: Judged, entries: Rows, unit: Rows) -> int:
    true = asked.y_true[entries]
    if true.ndim > 1:
        return len(np.unique(unit))
    return min(len(np.unique(unit[true == label])) for label in np.unique(true))


def noise_or_none(
    bound: BoundMetric | None, predictions: OutOfFoldPredictions, folds: Rows
) -> RowNoise | None:
    """Return the variance due to the test rows, or None where the predictions do not tell."""
    if bound is None or not np.isin(predictions.fold, folds).any():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        try:
            found = row_noise(bound, predictions, folds)
        except (ValueError, TypeError, LookupError):
            return None
    return found if np.isfinite(found.of_mean) else None
