"""The variance of scores over folds that is due to which rows were tested, given the models."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Bools
from ...metrics._scorers.bound import BoundMetric
from ...metrics.estimation._closed_forms import binary_scores, example_losses, influences, share_of
from .._types import Floats, Rows
from ._pool import OutOfFoldPredictions, PooledMetric, pooled_metric, relative

# The mean of the scores of small folds is about what that of large ones is about.
_OF_ROWS = ("mean of losses", "influence curves")


@dataclass(frozen=True)
class RowNoise:
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
    by_calibration : bool
        Whether the metric moves with the cut between the labels, or with the scale of the scores, but
        for shares of all examples at even odds and means of losses of probabilities. Models of all folds
        learn it from nearly the same rows.
    learned : float
        The contribution of a threshold learned from the data to the variance of the mean: by the
        share of positives, or by the threshold that every fold chose; nan if unknown.
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
    by_calibration: bool = False
    learned: float = np.nan
    by_class: float = 0.0
    groups: int = 0
    of_rows: bool = True

    @property
    def cut_unknown(self) -> bool:
        """Whether the metric depends on learned quantities in an unknown way."""
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
    cuts: tuple[Floats, str] | None = None,
) -> RowNoise:
    """Return the variance of the mean score of some folds that is due to the test rows.

    Every row counts once, however often it was tested, and rows of one group count together.
    `cuts` are the thresholds that every fold chose inside, and the response that they cut.

    Raises
    ------
    ValueError, TypeError, LookupError
        If the predictions lack the inputs of the metric.
    """
    pooled = pooled_metric(bound, predictions)
    entries = np.flatnonzero(np.isin(predictions.fold, folds))
    psi, share, method = _influences(pooled, predictions.fold, entries, len(folds))
    unit = _units(predictions)[entries]
    of_mean, of_fold = _variances(psi, unit, predictions.fold[entries], len(folds))
    trials: float = np.nan
    if share is not None:
        part, whole = share
        trials = float(whole * (psi @ psi) / of_mean) if of_mean > 0 else whole / _repeats(unit)
        spread = part * (whole - part) / whole**2
        of_mean, of_fold = float(spread / trials), float(spread * len(folds) / whole)
    if cuts is None:
        learned = _learned(pooled, predictions, entries, psi, unit)
    else:
        learned = _of_thresholds(pooled, predictions, entries, *cuts)
    of_all = share is not None and bool(np.isclose(share[1], len(entries)))
    return RowNoise(
        of_mean, of_fold, trials, _independent(pooled, entries, unit), method,
        by_calibration=_by_calibration(pooled, predictions, of_all=of_all),
        learned=learned,
        by_class=_by_class(predictions, entries, psi),
        groups=_groups(predictions, entries),
        of_rows=(of_all and len(entries) == len(predictions.row)) or method in _OF_ROWS,
    )  # fmt: skip


def _by_calibration(
    pooled: PooledMetric, predictions: OutOfFoldPredictions, *, of_all: bool
) -> bool:
    """Whether a metric moves with the cut that models learn, in the first order.

    A mean of losses of probabilities is flat where models minimise it, a share of all rows where it is
    greatest, at even odds, and there alone.
    """
    of_losses = pooled.metric.losses is not None and not pooled.bound.of_labels
    if pooled.metric.kind.scale is not None or (of_losses and not pooled.metric.kind.counted):
        return False
    binary = predictions.classes is not None and len(predictions.classes) == 2
    known = binary and "predict_proba" in predictions.responses
    every = np.arange(len(predictions.row))
    return not of_all or (known and _log_odds(pooled, predictions, every) is None)


def _of_thresholds(
    pooled: PooledMetric, predictions: OutOfFoldPredictions, entries: Rows, cuts: Floats, reads: str
) -> float:
    r"""Return what thresholds that the folds chose add to the variance of a metric of labels.

    With :math:`m_k` the metric of all rows under the threshold of fold k, chosen without one of K parts
    of the data, it is the variance of the jackknife over these parts,
    :math:`\frac{K - 1}{K} \sum_k (m_k - \bar m)^2`.
    """
    if not pooled.metric.kind.counted or len(cuts) < 2 or np.isnan(cuts).any():
        return np.nan
    if cuts.ndim > 1:
        response = predictions.responses[reads][entries]
        values = [_value_of_labels(pooled, entries, _called(response, cut, reads, predictions.classes))
                  for cut in cuts]  # fmt: skip
    else:
        score = predictions.scores(reads, predictions.positive)[entries]
        values = [
            _value_of_cut(pooled, predictions, entries, score >= cut, predictions.positive)
            for cut in cuts
        ]
    parts = len(cuts) / _repeats(predictions.row[entries])
    return float((parts - 1) ** 2 / parts * np.var(values, ddof=1))


def _learned(
    pooled: PooledMetric, predictions: OutOfFoldPredictions, entries: Rows, psi: Floats, unit: Rows
) -> float:
    r"""Return the contribution of a learned threshold to the variance of a metric of labels.

    The log-odds of all models move with those of the share of positives :math:`\pi`, on which row i
    has the influence :math:`c_i = (y_i - \pi) / (m \pi (1 - \pi))`. The metric moves with them by a
    slope g, found at one standard deviation on either side, so that row i has the influence
    :math:`\psi_i + g c_i` on it.
    """
    moved = _log_odds(pooled, predictions, entries)
    if moved is None:
        return np.nan
    positive, score = moved
    weight = (
        np.ones(len(entries)) if pooled.sample_weight is None else pooled.sample_weight[entries]
    )
    share = np.average(positive, weights=weight)
    if not 0 < share < 1:
        return np.nan
    influence = weight * (positive - share) / (weight.sum() * share * (1 - share))
    step = np.sqrt(_sum_of_squares(influence, unit))
    last = np.asarray(predictions.classes)[1]
    values = [
        _value_of_cut(pooled, predictions, entries, score + d * step > 0, last) for d in (1, -1)
    ]
    slope = np.nan_to_num((values[0] - values[1]) / (2 * step))
    both = _sum_of_squares(psi + slope * influence, unit)
    return float(max(both - _sum_of_squares(psi, unit), 0.0))


def _log_odds(
    pooled: PooledMetric, predictions: OutOfFoldPredictions, entries: Rows
) -> tuple[Bools, Floats] | None:
    """Return truth and log-odds of the second of two classes, where labels are cut at even odds."""
    classes, proba = predictions.classes, predictions.responses.get("predict_proba")
    if classes is None or proba is None or len(classes) != 2 or not pooled.metric.kind.counted:
        return None
    score = special.logit(proba[entries, 1])
    called = predictions.y_pred[entries] == classes[1]
    if not np.array_equal(called[score != 0], (score > 0)[score != 0]):
        return None
    return predictions.y_true[entries] == classes[1], score


def _value_of_cut(
    pooled: PooledMetric,
    predictions: OutOfFoldPredictions,
    entries: Rows,
    called: Bools,
    positive: Any,
) -> float:
    """Return the metric with the given rows predicted positive and the others negative."""
    classes = np.asarray(predictions.classes)
    of_positive = int(np.flatnonzero(classes == positive)[0])
    return _value_of_labels(
        pooled, entries, classes[np.where(called, of_positive, 1 - of_positive)]
    )


def _called(response: Floats, threshold: Floats, reads: str, classes: Any) -> NDArray[Any]:
    """Return the class called by thresholds of several classes, or the labels."""
    if classes is None:
        return 1 * (response >= threshold)
    return np.asarray(classes[relative(response, threshold, reads).argmax(axis=1)])


def _value_of_labels(pooled: PooledMetric, entries: Rows, called: NDArray[Any]) -> float:
    """Return the metric with the given predictions of some entries."""
    labels = pooled.y_pred_or_score.copy()
    labels[entries] = called
    sample = replace(pooled, y_pred_or_score=labels).sample(entries)
    return float(np.mean(pooled.metric.value(sample.state, **pooled.options)))


def difference_noise(
    bound: BoundMetric, first: OutOfFoldPredictions, second: OutOfFoldPredictions, folds: Rows
) -> RowNoise:
    """Return the chance of the test rows in the mean difference of two models on the same folds.

    Raises
    ------
    ValueError, TypeError, LookupError
        If the predictions lack the inputs of the metric, or are not of the same rows and folds.
    """
    if not (np.array_equal(first.row, second.row) and np.array_equal(first.fold, second.fold)):
        raise ValueError("The predictions are not of the same rows in the same folds.")
    entries = np.flatnonzero(np.isin(first.fold, folds))
    pooled = [pooled_metric(bound, predictions) for predictions in (first, second)]
    (psi, share, method), (other, *_) = (
        _influences(one, first.fold, entries, len(folds)) for one in pooled
    )
    unit = _units(first)[entries]
    found = _variances(psi - other, unit, first.fold[entries], len(folds))
    of_all = share is not None and bool(np.isclose(share[1], len(entries)))
    return RowNoise(
        *found, np.nan, _independent(pooled[0], entries, unit), method,
        by_calibration=_by_calibration(pooled[0], first, of_all=of_all)
        or _by_calibration(pooled[1], second, of_all=of_all),
        by_class=_by_class(first, entries, psi - other),
        groups=_groups(first, entries),
    )  # fmt: skip


def _groups(predictions: OutOfFoldPredictions, entries: Rows) -> int:
    return 0 if predictions.groups is None else len(np.unique(predictions.groups[entries]))


def _by_class(predictions: OutOfFoldPredictions, entries: Rows, psi: Floats) -> float:
    r"""Return the variance due to the class counts that the scores of stratified folds do not show.

    With :math:`\psi_c` the sum of the influences of the :math:`n_c` rows of class c it is
    :math:`\sum_c \psi_c^2 / n_c`, for a mean of losses :math:`l` the between-class part
    :math:`\sum_c \pi_c (\bar l_c - \bar l)^2 / n`. Folds drawn at random vary by it, and their
    class counts have a chi-square of about (K - 1)(C - 1); the missing share is returned.
    """
    if predictions.classes is None or predictions.y_true.ndim > 1:
        return 0.0
    code = np.unique(predictions.y_true[entries], return_inverse=True)[1]
    fold = np.unique(predictions.fold[entries], return_inverse=True)[1]
    table = np.zeros((fold.max() + 1, code.max() + 1))
    np.add.at(table, (fold, code), 1)
    of_class, (folds, classes) = table.sum(axis=0), table.shape
    smoothed = abs(psi.sum()) > 1e-9 * np.abs(psi).sum()  # a table that shows no variance itself
    if folds < 2 or classes < 2 or smoothed:
        return 0.0
    expected = table.sum(axis=1, keepdims=True) * of_class / len(entries)
    varied = ((table - expected) ** 2 / expected).sum() / ((folds - 1) * (classes - 1))
    repeats = _repeats(predictions.row[entries])
    between = repeats * float((np.bincount(code, psi) ** 2 / of_class).sum())
    # Influences of an AUC or a recall add up to 0 in every class, but for rounding.
    return max(1 - float(varied), 0.0) * between if between > 1e-12 * (psi @ psi) else 0.0


def _units(predictions: OutOfFoldPredictions) -> Rows:
    """Return the independent units: rows, or groups of rows."""
    if predictions.groups is None:
        return predictions.row
    return np.unique(predictions.groups, return_inverse=True)[1]


def _variances(psi: Floats, unit: Rows, fold: Rows, folds: int) -> tuple[float, float]:
    """Return the variance of the mean, and the mean variance of a fold."""
    of_fold = folds * _sum_of_squares(psi, unit * (int(fold.max()) + 1) + fold)
    return _sum_of_squares(psi, unit), of_fold


def _influences(
    pooled: PooledMetric, fold: Rows, entries: Rows, n_folds: int
) -> tuple[Floats, tuple[float, float] | None, str]:
    """Return the influence of every entry on the mean score, and the share that the metric is."""
    if pooled.metric.kind.counted:
        on = pooled.of(entries)
        share = share_of(on) if on.sample.counted else None
        method = "delta method" if share is None else "binomial variance"
        return influences(on), share, method
    losses = example_losses(pooled.of(entries))
    if losses is not None and pooled.options.get("normalize", True):
        return _of_losses(losses, pooled, fold[entries], entries), None, "mean of losses"
    psi, method = np.empty(len(entries)), "jackknife"
    for one in np.unique(fold[entries]):
        own = fold[entries] == one
        on = pooled.of(entries[own])
        psi[own] = influences(on) / n_folds
        if binary_scores(on) is not None:
            method = "influence curves"
    return psi, None, method


def _of_losses(losses: Floats, pooled: PooledMetric, fold: Rows, entries: Rows) -> Floats:
    """Return the influence of every row on the mean over folds of a mean of losses over rows."""
    weight = np.ones(len(losses)) if pooled.sample_weight is None else pooled.sample_weight[entries]
    code = np.unique(fold, return_inverse=True)[1]
    in_fold = np.bincount(code, weight)
    share = weight / in_fold[code] / len(in_fold)
    above, rows = losses - losses[0], len(np.unique(entries))  # exactly 0 where all are equal
    return share * (above - share @ above) * np.sqrt(rows / max(rows - 1, 1))


def _sum_of_squares(psi: Floats, unit: Rows) -> float:
    """Return the sum of the squared sums over units."""
    sums = np.bincount(np.unique(unit, return_inverse=True)[1], psi)
    return float(sums @ sums)


def _repeats(unit: Rows) -> float:
    return len(unit) / len(np.unique(unit))


def _independent(pooled: PooledMetric, entries: Rows, unit: Rows) -> int:
    true = pooled.y_true[entries]
    if true.ndim > 1:
        return len(np.unique(unit))
    return min(len(np.unique(unit[true == label])) for label in np.unique(true))


def noise_or_none(
    bound: BoundMetric | None,
    predictions: OutOfFoldPredictions,
    folds: Rows,
    cuts: tuple[Floats, str] | None = None,
) -> RowNoise | None:
    """Return the variance due to the test rows, or None if it cannot be computed."""
    if bound is None or not np.isin(predictions.fold, folds).any():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        try:
            found = row_noise(bound, predictions, folds, cuts)
        except (ValueError, TypeError, LookupError):
            return None
    return found if np.isfinite(found.of_mean) else None


# Outer folds from which the mean of squared differences is steady enough.
LEAST_FOLDS = 20


def nested_variance(
    scores: Floats, inner: Floats, n_train: Rows, n_test: Rows, noise: RowNoise
) -> float:
    r"""Return the variance of the mean score of repeated folds by their inner folds.

    An inner cross-validation of the training part estimates the same as the outer test part does, with
    an error of its own. The mean squared difference of both, less the variance that the test rows of
    a fold have, is the error of the inner estimate [1]_:

    .. math:: \widehat{\mathrm{MSE}} = \frac{1}{J} \sum_{j=1}^{J} (\bar s_j^{in} - s_j)^2 - w, \qquad
              \widehat{\operatorname{Var}} = \frac{K - 1}{K} \widehat{\mathrm{MSE}}

    with w the mean variance of a fold's score, K folds a repetition, and J in all. As there it is kept
    between the variance v that the test rows give to the mean and K v.

    Parameters
    ----------
    scores : ndarray of shape (J,), float64
        Outer scores, nan where undefined.
    inner : ndarray of shape (J, l), float64
        Inner scores of the choice of each outer fold. The winner of many is too good there, which
        adds its squared optimism.
    n_train, n_test : ndarray of shape (J,), int
    noise : RowNoise

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If fewer than 20 folds are defined on both sides.

    References
    ----------
    .. [1] Bates, S., Hastie, T. and Tibshirani, R. (2024). Cross-validation: what does it estimate and
       how well does it do it? Journal of the American Statistical Association 119, 1434-1445.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._noise import nested_variance
    >>> from skaucx.model_selection.results._noise import RowNoise
    >>> rng, noise = np.random.default_rng(0), RowNoise(0.001, 0.005, np.nan, 30, "delta method")
    >>> scores, inner = rng.normal(0.8, 0.1, 50), rng.normal(0.8, 0.05, (50, 5))
    >>> round(nested_variance(scores, inner, np.full(50, 80), np.full(50, 20), noise), 4)
    0.0037
    """
    missing = np.isnan(inner)
    held = (~missing).sum(axis=1)
    defined = ~np.isnan(scores) & (held > 0)
    if defined.sum() < LEAST_FOLDS:
        raise ValueError(
            f"method='nested' needs {LEAST_FOLDS} outer folds, such as 10 repetitions of 5, found "
            f"{defined.sum()} with inner and outer scores."
        )
    means = np.where(missing, 0.0, inner).sum(axis=1)[defined] / held[defined]
    error = np.mean((means - scores[defined]) ** 2) - noise.of_fold
    folds = 1 + n_train.sum() / n_test.sum()
    return float(np.clip((folds - 1) / folds * error, noise.of_mean, folds * noise.of_mean))
