"""Mean, spread and interval of a metric's scores over k folds: pure functions of arrays."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Bools, number_classes
from ..._compat import cached_property
from ..._options import check_choice, check_confidence_level
from ..._text.lines import Line
from ..._text.numbers import ends, fixed
from ..._text.reported import NO_EFFECT
from ...inference import Interval
from ...inference._intervals.areas import binary_scores, constant_pairs_interval
from ...inference._intervals.clusters import note_of_groups
from ...inference._intervals.limits import link_of, linked
from ...inference._intervals.means import influences, row_losses
from ...inference._intervals.proportions import score_interval, share_of
from ...metrics._registry.samples import MetricOnSample
from ...metrics._scorers.bound import BoundMetric
from .._fold_scores import mean_of_defined, moments
from .._types import Floats, Rows
from ..execution._pool import OutOfFoldPredictions, Pooled, pooled_metric

# Origins of a variance whose metric is a mean over rows or pairs: its expectation does not depend on
# the size of a fold, so that small folds may be averaged (unlike a ratio such as F1).
OF_LOSSES = "mean of losses"
_OF_ROWS = (OF_LOSSES, "influence curves")
_OF_LABELS = ("delta method", "binomial variance")


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

    def at(self, share: float) -> SamplingVariance:
        """Return the same with the binomial variance of another share."""
        if np.isnan(self.trials):
            return self
        return replace(self, of_mean=share * (1 - share) / self.trials)


class Design:
    """The test rows of some folds: what does not depend on a metric.

    Attributes
    ----------
    entries : ndarray of shape (n,), int
        Places of the rows in the predictions.
    fold, unit, in_fold : ndarray of shape (n,), int
        Codes from 0 of the folds that tested them, of the independent units (rows, or groups of
        rows), and of the units within folds.
    n_groups : int
        Number of groups; 0 without.
    repeats : float
        How often a row was tested.
    """

    def __init__(self, predictions: OutOfFoldPredictions, folds: Rows) -> None:
        self.entries = entries = np.flatnonzero(np.isin(predictions.fold, folds))
        row, groups = predictions.row[entries], predictions.groups
        self.fold = _codes(predictions.fold[entries])
        self.unit = _codes(row if groups is None else groups[entries])
        self.in_fold = _codes(self.unit * (int(self.fold.max()) + 1) + self.fold)
        self.n_groups = 0 if groups is None else int(self.unit.max()) + 1
        self.repeats = len(row) / len(_numbered(row)[0])
        self.true = predictions.y_true[entries]
        self.of_classes = predictions.classes is not None and self.true.ndim == 1
        self._found: dict[Any, Any] = {}

    def once(self, key: Any, find: Callable[[], Any]) -> Any:
        """Return what several metrics share, found at the first call with a key."""
        if key not in self._found:
            self._found[key] = find()
        return self._found[key]

    @cached_property
    def label(self) -> Rows:
        """Codes of the labels."""
        return _codes(self.true)

    @cached_property
    def independent(self) -> int:
        """Units of the rarest class, or of all rows with several labels."""
        if self.true.ndim > 1:
            return int(self.unit.max()) + 1
        pairs = _numbered(self.label * (int(self.unit.max()) + 1) + self.unit)[0]
        return int(np.bincount(pairs // (int(self.unit.max()) + 1)).min())

    @cached_property
    def unvaried(self) -> float:
        r"""The share of the variance due to class counts that stratified folds do not show.

        Folds drawn at random have a chi-square of class counts of about (K - 1)(C - 1).
        """
        if not self.of_classes:
            return 0.0
        shape = int(self.fold.max()) + 1, int(self.label.max()) + 1
        if min(shape) < 2:
            return 0.0
        cells = np.bincount(self.fold * shape[1] + self.label, minlength=shape[0] * shape[1])
        table = cells.reshape(shape).astype(np.float64)
        expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / len(self.label)
        varied = ((table - expected) ** 2 / expected).sum() / ((shape[0] - 1) * (shape[1] - 1))
        return max(1 - float(varied), 0.0)


def _codes(values: NDArray[Any]) -> Rows:
    """Return the place of each value among the distinct ones in order."""
    return _numbered(values)[1]


def _numbered(values: NDArray[Any]) -> tuple[NDArray[Any], Rows]:
    """Return the distinct values in order, and the place of each among them."""
    distinct, (codes,) = number_classes({"values": values})
    return distinct, codes


def design_of(predictions: OutOfFoldPredictions, folds: Rows) -> Design:
    """Return the design of some folds, found once for all metrics of the predictions."""
    key = np.asarray(folds).tobytes()
    if key not in predictions._designs:
        predictions._designs[key] = Design(predictions, folds)
    return predictions._designs[key]


class _OutOfFoldInfluences:
    """A metric on the test rows of some folds, and the influence of each row on the mean score.

    Attributes
    ----------
    design : Design
    entries : ndarray of shape (n,), int
        Places of the rows in the predictions.
    psi : ndarray of shape (n,), float64
        The influences.
    share : tuple of float or None
        Numerator and denominator of a metric that is a share of rows.
    of_all : bool
        Whether it is a share of all rows.
    method : str
        The method of the variance.
    """

    def __init__(self, bound: BoundMetric, predictions: OutOfFoldPredictions, folds: Rows) -> None:
        self.pooled, self.predictions = pooled_metric(bound, predictions), predictions
        self.n_folds, self.counted = len(folds), self.pooled.metric.kind.counted
        self.design = design_of(predictions, folds)
        self.entries = entries = self.design.entries
        weight = self.pooled.sample_weight
        self.weight = np.ones(len(entries)) if weight is None else weight[entries]
        self.share: tuple[float, float] | None = None
        self.psi, self.method = self._influences()
        self.of_all = self.share is not None and bool(np.isclose(self.share[1], len(entries)))

    def _on(self, fold: int | None = None) -> MetricOnSample:
        """Return the metric on the rows of all folds, or of one."""
        pooled, rows = self.pooled, self.entries
        rows = rows if fold is None else rows[self.design.fold == fold]
        sample = self.design.once((pooled.key, fold), lambda: pooled.sample(rows))
        return MetricOnSample(sample, pooled.metric, pooled.options)

    def _influences(self) -> tuple[Floats, str]:
        """Return the influence of every entry on the mean score, and how it was found."""
        if self.counted:
            on = self._on()
            self.share = share_of(on) if on.sample.counted else None
            return influences(on), _OF_LABELS[self.share is not None]
        losses = row_losses(self._on())
        if losses is not None and self.pooled.options.get("normalize", True):
            return self._of_losses(losses), OF_LOSSES
        psi, method = np.empty(len(self.entries)), "jackknife"
        for one in range(int(self.design.fold.max()) + 1):
            on = self._on(one)
            psi[self.design.fold == one] = influences(on) / self.n_folds
            if binary_scores(on) is not None:
                method = "influence curves"
        return psi, method

    def _of_losses(self, losses: Floats) -> Floats:
        """Return the influence of every row on the mean over folds of a mean of losses over rows."""
        code = self.design.fold
        in_fold = np.bincount(code, self.weight)
        share = self.weight / in_fold[code] / len(in_fold)
        above, rows = losses - losses[0], len(self.entries)  # exactly 0 where all are equal
        return share * (above - share @ above) * np.sqrt(rows / max(rows - 1, 1))

    def sum_of_squares(self, psi: Floats) -> float:
        """Return the sum of the squared sums over units: the variance of the mean."""
        return _sum_of_squares(psi, self.design.unit)

    def variances(self, psi: Floats) -> tuple[float, float]:
        """Return the variance of the mean, and the mean variance of a fold."""
        return self.sum_of_squares(psi), self.n_folds * _sum_of_squares(psi, self.design.in_fold)

    @property
    def by_calibration(self) -> bool:
        """Whether the metric moves with the cut that models learn, in the first order.

        A mean of losses of probabilities is flat where models minimise it, a share of all rows where it
        is greatest, at even odds, and there alone.
        """
        metric, bound = self.pooled.metric, self.pooled.bound
        of_losses = metric.losses is not None and not bound.of_labels
        if metric.kind.scale is not None or (of_losses and not self.counted):
            return False
        every = np.arange(len(self.predictions.row))
        known = self._binary and "predict_proba" in self.predictions.responses
        return not self.of_all or (known and self._log_odds(every) is None)

    @property
    def _of_predict(self) -> bool:
        """Whether the metric is that of the labels of predict, not of its own cut of probabilities."""
        return self.counted and not self.pooled.bound.cuts

    @property
    def _binary(self) -> bool:
        return self.predictions.classes is not None and len(self.predictions.classes) == 2

    def _log_odds(self, entries: Rows) -> tuple[Bools, Floats] | None:
        """Return truth and log-odds of the second of two classes, where labels are cut at even odds."""
        classes, proba = self.predictions.classes, self.predictions.responses.get("predict_proba")
        if classes is None or proba is None or not self._binary or not self._of_predict:
            return None
        score = special.logit(proba[entries, 1])
        called = self.predictions.y_pred[entries] == classes[1]
        if not np.array_equal(called[score != 0], (score > 0)[score != 0]):
            return None
        return self.predictions.y_true[entries] == classes[1], score

    def by_thresholds(self, cuts: Floats, reads: str) -> float:
        r"""Return what thresholds that the folds chose add to the variance of a metric of labels.

        With :math:`m_k` the metric of all rows under the threshold of fold k, chosen without one of K
        parts of the data, it is the variance of the jackknife over these parts,
        :math:`\frac{K - 1}{K} \sum_k (m_k - \bar m)^2`.
        """
        if not self._of_predict or len(cuts) < 2 or np.isnan(cuts).any():
            return np.nan
        samples = self.design.once(
            ("thresholds", self.pooled.key),
            lambda: [*map(self._sample_of_labels, self._labels_of_thresholds(cuts, reads))],
        )
        values = [*map(self._value_of_sample, samples)]
        parts = len(cuts) / self.design.repeats
        return float((parts - 1) ** 2 / parts * np.var(values, ddof=1))

    def _labels_of_thresholds(self, cuts: Floats, reads: str) -> Iterator[NDArray[Any]]:
        """Yield the labels of all rows under the threshold of each fold."""
        score = self.predictions.scores(reads, self.predictions.positive)[self.entries]
        for cut in cuts:
            yield self._labels_of_cut(score >= cut, self.predictions.positive)

    def by_learned_cut(self) -> float:
        r"""Return the contribution of a learned threshold to the variance of a metric of labels.

        The log-odds of all models move with those of the share of positives :math:`\pi`, on which row i
        has the influence :math:`c_i = (y_i - \pi) / (m \pi (1 - \pi))`. The metric moves with them by a
        slope g, found at one standard deviation on either side, so that row i has the influence
        :math:`\psi_i + g c_i` on it.
        """
        if not self._of_predict:
            return np.nan
        moved = self.design.once(("moved", self.pooled.key), self._moved)
        if moved is None:
            return np.nan
        influence, step, *samples = moved
        up, down = map(self._value_of_sample, samples)
        slope = np.nan_to_num((up - down) / (2 * step))
        both = self.sum_of_squares(self.psi + slope * influence)
        return float(max(both - self.sum_of_squares(self.psi), 0.0))

    def _moved(self) -> tuple[Any, ...] | None:
        """Return the rows' influence on the cut, one standard deviation of it, and either labels."""
        found = self._log_odds(self.entries)
        if found is None:
            return None
        positive, score = found
        share = np.average(positive, weights=self.weight)
        if not 0 < share < 1:
            return None
        influence = self.weight * (positive - share) / (self.weight.sum() * share * (1 - share))
        step = np.sqrt(self.sum_of_squares(influence))
        last = np.asarray(self.predictions.classes)[1]
        called = (self._labels_of_cut(score + d * step > 0, last) for d in (1, -1))
        return influence, step, *map(self._sample_of_labels, called)

    def _labels_of_cut(self, called: Bools, positive: Any) -> NDArray[Any]:
        """Return the labels with the given rows predicted positive and the others negative."""
        classes = np.asarray(self.predictions.classes)
        side = int(np.flatnonzero(classes == positive)[0])
        return classes[np.where(called, side, 1 - side)]

    def _sample_of_labels(self, called: NDArray[Any]) -> Any:
        labels = self.pooled.y_pred_or_score.copy()
        labels[self.entries] = called
        return replace(self.pooled, y_pred_or_score=labels).sample(self.entries)

    def _value_of_sample(self, sample: Any) -> float:
        return float(np.mean(self.pooled.metric.value(sample.state, **self.pooled.options)))

    def by_class(self, psi: Floats) -> float:
        r"""Return the variance due to the class counts that the scores of stratified folds do not show.

        With :math:`\psi_c` the sum of the influences of the :math:`n_c` rows of class c it is
        :math:`\sum_c \psi_c^2 / n_c`, for a mean of losses :math:`l` the between-class part
        :math:`\sum_c \pi_c (\bar l_c - \bar l)^2 / n`. Folds drawn at random vary by it, and their
        class counts have a chi-square of about (K - 1)(C - 1); the missing share is returned.
        """
        design = self.design
        smoothed = abs(psi.sum()) > 1e-9 * np.abs(psi).sum()  # shows no variance itself
        if smoothed or not design.unvaried:
            return 0.0
        sums = np.bincount(design.label, psi) ** 2
        between = design.repeats * float((sums / np.bincount(design.label)).sum())
        # Influences of an AUC or a recall add up to 0 in every class, but for rounding.
        return design.unvaried * between if between > 1e-12 * (psi @ psi) else 0.0


def _sum_of_squares(psi: Floats, unit: Rows) -> float:
    """Return the sum of the squared sums over units, given by codes."""
    sums = np.bincount(unit, psi)
    return float(sums @ sums)


def row_noise(
    bound: BoundMetric,
    predictions: OutOfFoldPredictions,
    folds: Rows,
    cuts: tuple[Floats, str] | None = None,
) -> SamplingVariance:
    """Return the variance of the mean score of some folds that is due to the test rows.

    Every row counts once, however often it was tested, and rows of one group count together.
    `cuts` are the thresholds that every fold chose inside, and the response that they cut.

    Raises
    ------
    ValueError, TypeError, LookupError
        If the predictions lack the inputs of the metric.
    """
    rows = _OutOfFoldInfluences(bound, predictions, folds)
    psi, trials = rows.psi, np.nan
    of_mean, of_fold = rows.variances(psi)
    if rows.share is not None:
        part, whole = rows.share
        repeats = len(psi) / (int(rows.design.unit.max()) + 1)
        trials = float(whole * (psi @ psi) / of_mean) if of_mean > 0 else whole / repeats
        spread = part * (whole - part) / whole**2
        of_mean, of_fold = float(spread / trials), float(spread * len(folds) / whole)
    return SamplingVariance(
        of_mean, of_fold, trials, rows.design.independent, rows.method,
        by_calibration=rows.by_calibration,
        learned=rows.by_learned_cut() if cuts is None else rows.by_thresholds(*cuts),
        by_class=rows.by_class(psi),
        groups=rows.design.n_groups,
        of_rows=(rows.of_all and len(psi) == len(predictions.row)) or rows.method in _OF_ROWS,
    )  # fmt: skip


def difference_noise(
    bound: BoundMetric, first: OutOfFoldPredictions, second: OutOfFoldPredictions, folds: Rows
) -> SamplingVariance:
    """Return the chance of the test rows in the mean difference of two models on the same folds.

    Raises
    ------
    ValueError, TypeError, LookupError
        If the predictions lack the inputs of the metric, or are not of the same rows and folds.
    """
    if not (np.array_equal(first.row, second.row) and np.array_equal(first.fold, second.fold)):
        raise ValueError("The predictions are not of the same rows in the same folds.")
    a, b = (_OutOfFoldInfluences(bound, predictions, folds) for predictions in (first, second))
    psi = a.psi - b.psi
    return SamplingVariance(
        *a.variances(psi), np.nan, a.design.independent, a.method,
        by_calibration=a.by_calibration or b.by_calibration,
        by_class=a.by_class(psi),
        groups=a.design.n_groups,
    )  # fmt: skip


def noise_or_none(
    bound: BoundMetric | None,
    predictions: OutOfFoldPredictions,
    folds: Rows,
    *,
    cuts: tuple[Floats, str] | None = None,
    other: OutOfFoldPredictions | None = None,
) -> SamplingVariance | None:
    """Return the variance due to the test rows, or None if it cannot be computed.

    With `other` predictions of the same rows it is that of the difference.
    """
    if bound is None or not np.isin(predictions.fold, folds).any():
        return None
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        try:
            if other is None:
                found = row_noise(bound, predictions, folds, cuts)
            else:
                found = difference_noise(bound, predictions, other, folds)
        except (ValueError, TypeError, LookupError):
            return None
    return found if np.isfinite(found.of_mean) else None


# Outer folds from which the mean of squared differences is steady enough.
LEAST_FOLDS = 20


def nested_variance(
    scores: Floats, inner: Floats, n_train: Rows, n_test: Rows, noise: SamplingVariance
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
    noise : SamplingVariance

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
    >>> from skaucx.model_selection.results._statistics import nested_variance
    >>> from skaucx.model_selection.results._statistics import SamplingVariance
    >>> rng, noise = np.random.default_rng(0), SamplingVariance(0.001, 0.005, np.nan, 30, "delta method")
    >>> scores, inner = rng.normal(0.8, 0.1, 50), rng.normal(0.8, 0.05, (50, 5))
    >>> round(nested_variance(scores, inner, np.full(50, 80), np.full(50, 20), noise), 4)
    0.0037
    """
    means = mean_of_defined(inner)
    defined = ~np.isnan(scores + means)
    if defined.sum() < LEAST_FOLDS:
        raise ValueError(
            f"method='nested' needs {LEAST_FOLDS} outer folds, such as 10 repetitions of 5, found "
            f"{defined.sum()} with inner and outer scores."
        )
    error = np.mean((means - scores)[defined] ** 2) - noise.of_fold
    folds = 1 + n_train.sum() / n_test.sum()
    return float(np.clip((folds - 1) / folds * error, noise.of_mean, folds * noise.of_mean))


# Monte Carlo draws of the true inner means, and of the observed means around each of them: the
# standard error of a probability of choice p is sqrt(p (1 - p) / 128), .044 at most.
_DRAWS = 128
# Share of the variance of E(score | draw) between draws that counts as error of the mean over draws.
# For two equal candidates that error has about half the variance between draws. Chosen from 1/4, 1/2
# and 1 by simulated coverage: ``python -m benchmarks.nested_coverage``.
_OF_EXPECTATION = 0.5


@dataclass(frozen=True, eq=False)
class SelectionEffect:
    """The effect of the chosen candidates on the scores of the outer folds.

    Attributes
    ----------
    shift : ndarray of shape (k,), float64
        The expected score over all candidates that could have been chosen, less that of the
        candidate that was.
    variance : float
        Variance of that expectation, because the inner folds only estimate the distribution of the
        choice.
    """

    shift: Floats
    variance: float


def choice_law(inner: Floats) -> Floats:
    r"""Return how likely each candidate is chosen, for draws of the true inner means.

    The mean inner scores of one training part vary with covariance

    .. math:: \Sigma = \Bigl(\frac{1}{l} + \frac{1}{l - 1}\Bigr) S

    around the true ones, where S is the covariance of the candidates' scores over the l inner folds
    and the second term Nadeau and Bengio's allowance for training parts that overlap. The true means
    are drawn from a normal law around the means found, with the same covariance; for each draw, means
    that other data would have given are drawn around it, and the greatest of them chosen.

    Parameters
    ----------
    inner : ndarray of shape (k, C, l), float64
        Scores of every candidate by the metric that chooses, nan where undefined.

    Returns
    -------
    ndarray of shape (128, C), float64
        Rows sum up to 1; the same for the same scores.
    """
    k, count, folds = inner.shape
    every = inner.swapaxes(0, 1).reshape(count, -1)
    means, defined = mean_of_defined(every), (~np.isnan(every)).sum(axis=1)
    # One that is undefined more often is not chosen.
    candidates = np.flatnonzero((defined > 0) & (defined == defined.max()))
    law = np.zeros((_DRAWS, count))
    if not len(candidates) or folds < 2:
        return law
    known = inner[:, candidates]
    missing = np.isnan(known)
    centred = np.where(missing, 0.0, known - mean_of_defined(known)[..., None])
    spread = centred.swapaxes(1, 2).reshape(k * folds, -1)
    spread = spread * np.sqrt((1 / folds + 1 / (folds - 1)) / (k * (folds - 1)))
    rng = np.random.default_rng(0)
    true = means[candidates] + rng.normal(size=(_DRAWS, len(spread))) @ spread
    moved = rng.normal(size=(_DRAWS, len(spread))) @ spread
    for row, one in zip(law, true, strict=True):
        won = np.bincount((one + moved).argmax(axis=1), minlength=len(candidates))
        row[candidates] = won / _DRAWS
    return law


def choice_of(law: Floats, own: Floats, winners: Rows) -> SelectionEffect | None:
    """Return the effect of the choice on a metric, from its inner scores.

    Parameters
    ----------
    law : ndarray of shape (B, C), float64
        What :func:`choice_law` found.
    own : ndarray of shape (k, C, l), float64
        Inner scores of the metric, nan where undefined.
    winners : ndarray of shape (k,), int
        The candidates that the outer folds chose.

    Returns
    -------
    SelectionEffect or None
        None where no candidate, or not the one that was chosen, has a score.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._statistics import choice_law, choice_of
    >>> auc = np.random.default_rng(0).normal(0.8, 0.05, (5, 2, 5))
    >>> recall = np.broadcast_to([[[0.1], [0.5]]], (5, 2, 5))
    >>> found = choice_of(choice_law(auc), recall, np.zeros(5, dtype=int))
    >>> bool(0.1 < found.shift[0] < 0.3), found.variance > 0
    (True, True)
    """
    means = mean_of_defined(own.swapaxes(0, 1).reshape(own.shape[1], -1))
    weight = law * ~np.isnan(means)
    total = weight.sum(axis=1)
    if np.isnan(means[winners]).any() or not (total > 0).all():
        return None
    expected = (weight @ np.nan_to_num(means)) / total
    return SelectionEffect(
        expected.mean() - means[winners], float(_OF_EXPECTATION * expected.var())
    )


class FoldNoiseCache:
    """Sampling variances of the mean scores of a result, computed once for each metric."""

    def __init__(self, result: Any) -> None:
        self._result = result
        self._noises: dict[str, SamplingVariance | None] = {}

    def noise(self, name: str, bound: BoundMetric | None) -> SamplingVariance | None:
        """Return the variance of a metric's mean score due to the test rows; None where not known."""
        if name not in self._noises:
            result, cuts = self._result, None
            folds = np.flatnonzero(~np.isnan(result.test_scores[name]))
            if result.decisions and result.decisions[0].cut is not None:
                cuts = result.thresholds[folds], result.decisions[0].reads
            self._noises[name] = noise_or_none(bound, result.predictions, folds, cuts=cuts)
        return self._noises[name]

    def choice(self, name: str, bound: BoundMetric | None) -> SelectionEffect | None:
        """Return the effect of the choice of candidates on a metric.

        None without inner scores, and where a decision changes the outer scores: the inner ones are
        those of the model alone.
        """
        decisions = self._result.decisions
        of_labels = bound is None or bound.of_labels
        changed = of_labels or any(one.calibration or one.least is not None for one in decisions)
        if len(self._result.candidates) < 2 or (decisions and changed):
            return None
        own = self.inner(name)
        return None if own is None else choice_of(self._law, own, self._result.winners)

    def inner(self, name: str) -> Floats | None:
        """Return the inner scores of a metric, shape (k, C, l); None where they are not known."""
        result = self._result
        if not result.inner_scores.size:
            return None
        if name in result.refit:
            return np.asarray(result.inner_scores[..., result.refit.index(name)])
        return result.inner_others.get(name)

    def chosen(self, name: str) -> Floats | None:
        """Return the inner scores of the winners, shape (k, l); None where they are not known."""
        inner, winners = self.inner(name), self._result.winners
        return None if inner is None else inner[np.arange(len(winners)), winners]

    @cached_property
    def _law(self) -> Floats:
        """How likely each candidate is chosen, for draws of its true inner mean."""
        return choice_law(self._result.inner_scores[..., 0])


# Factor of the variance that the learned cut adds, 1.5 in the equation of :func:`fold_interval`: the cut
# moves with more than the log-odds of the share of positives. Chosen by simulated coverage:
# ``python -m benchmarks.nested_coverage``.
_OF_LEARNED = 1.5
# Of folds of fewer rows only means over rows or pairs are averaged.
_LEAST_ROWS = 5


@dataclass(frozen=True, eq=False)
class MetricStatistics:
    """Outer scores of one metric over k folds.

    Attributes
    ----------
    scores : ndarray of shape (k,), float64
        One value a fold, nan where undefined.
    pooled : Pooled
        The metric of the joined out-of-fold predictions, or why there is none.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold.
    metric : str
        Its name.
    bounds : tuple of float
        The least and the greatest value of the score.
    noise : callable or None
        Returns the variance of the mean score that is due to test rows, or None where not known.
    choice : callable or None
        Returns the effect of the chosen candidates on the scores, or None if unknown.
    chosen : callable or None
        Returns the inner scores of the candidates chosen, shape (k, l), or None where not known.
    errors : tuple of str
        The exceptions, in one line each, that left a fold without a score.
    trained : ndarray of shape (k,) or None
        Scores of the training parts.
    """

    scores: Floats
    pooled: Pooled
    n_train: Rows
    n_test: Rows
    metric: str = "score"
    bounds: tuple[float, float] = (-np.inf, np.inf)
    noise: Callable[[], SamplingVariance | None] = lambda: None
    choice: Callable[[], SelectionEffect | None] = lambda: None
    chosen: Callable[[], Floats | None] = lambda: None
    errors: tuple[str, ...] = ()
    trained: Floats | None = None

    @cached_property
    def _moments(self) -> tuple[float, float]:
        mean, sd = moments(self.scores)
        return float(mean), float(sd)

    @property
    def mean(self) -> float:
        """Mean of the defined folds; nan where these are too small for it, see `pooled_only`."""
        return np.nan if self.pooled_only else self._moments[0]

    @property
    def sd(self) -> float:
        """Standard deviation of the defined folds, with their number less one below."""
        return np.nan if self.pooled_only else self._moments[1]

    @cached_property
    def pooled_only(self) -> str:
        """Why there is no mean over the folds, with the alternative; "" if there is one.

        A metric that is a mean neither over rows nor over pairs, such as F1, has another value on few
        rows than on many, and is undefined on some.
        """
        size = float(np.median(self.n_test)) if len(self.n_test) else np.inf
        if size >= _LEAST_ROWS:
            return ""
        noise, pooled = self.noise(), self.pooled.value
        alike = np.isnan(pooled) or bool(np.isclose(self._moments[0], pooled))
        if alike if noise is None else noise.of_rows:
            return ""
        return (
            f"is not a mean over rows, so it is not averaged over folds of {size:g} "
            f"{'row' if size == 1 else 'rows'}; use the pooled value and pooled_interval()"
        )

    @property
    def undefined(self) -> int:
        """Number of undefined folds."""
        return int(np.isnan(self.scores).sum())

    @property
    def gaps(self) -> str:
        """In how many folds the metric is undefined, with the exceptions if any; "" for none."""
        if not self.undefined:
            return ""
        found = f"{self.metric} is undefined in {self.undefined} of {len(self.scores)} folds"
        return ": ".join([found, *dict.fromkeys(self.errors)][:2]).rstrip(".") + "."

    def interval(self, confidence_level: float = 0.95, method: str = "auto") -> Interval:
        """Interval of the mean score; see :func:`fold_interval` and :func:`nested_interval`."""
        given, noise = (self.scores, self.n_train, self.n_test), self.noise()
        if check_choice("method", method, ("auto", "nested")) == "nested":
            found = nested_interval(*given, noise, self.chosen(), self.bounds, confidence_level)
        elif self.pooled_only:
            note = f"{self.metric} {self.pooled_only}"
            found = _undefined(np.nan, confidence_level, self.n_train, note)
        else:
            found = fold_interval(*given, noise, self.bounds, confidence_level, self.choice())
        return replace(found, metric=self.metric)

    @cached_property
    def usual_interval(self) -> Interval:
        """The interval of 95 %."""
        return self.interval()

    def record(self, confidence_level: float = 0.95) -> dict[str, float]:
        """Return all of it by name, the ends of the interval among them.

        Every table of metrics, on a terminal, in a notebook, a frame and a page, has these columns.
        """
        usual = confidence_level == 0.95
        low, high = self.usual_interval if usual else self.interval(confidence_level)
        trained = {} if self.trained is None else {"train": float(moments(self.trained)[0])}
        return {
            "mean": self.mean,
            "sd": self.sd,
            "pooled": self.pooled.value,
            "low": low,
            "high": high,
            "undefined": self.undefined,
            **trained,
        }

    def cells(
        self,
        confidence_level: float = 0.95,
        places: int = 4,
        sign: int = 1,
        *,
        pooled: bool = False,
    ) -> dict[str, str]:
        """Return what :meth:`record` does as text, the ends of the interval as one column.

        With the sign -1 a negated loss is written as the loss. The value of the shipped predictions has
        another target than the mean: it is left out unless `pooled`.
        """
        found = self.record(confidence_level)
        texts = {
            name: fixed(sign * number, places)
            for name, number in found.items()
            if name not in ("mean", "low", "high", "sd", "undefined")
            and (pooled or name != "pooled")
        }
        low, high = sorted([sign * found["low"], sign * found["high"]])
        span = {f"{100 * confidence_level:g} % interval": ends(low, high, places)}
        spread = {"sd": fixed(found["sd"], places)}
        return {"mean": fixed(sign * found["mean"], places), **span, **spread, **texts}

    def line(self, confidence_level: float = 0.95) -> Line:
        """Return what is drawn of it: the mean and its interval, under the sign of the score."""
        found = self.record(confidence_level)
        numbers = found["mean"], found["low"], found["high"]
        usual = NO_EFFECT.get(self.metric, np.nan)
        return Line(self.metric, numbers, self.bounds, reference=usual, better=True)


def fold_interval(
    scores: Floats,
    n_train: Rows,
    n_test: Rows,
    noise: SamplingVariance | None = None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
    confidence_level: float = 0.95,
    choice: SelectionEffect | None = None,
) -> Interval:
    r"""Interval of the mean score of folds, for the expected score of the procedure.

    With J folds of variance :math:`s^2`, of which test rows alone make :math:`w`, and the ratio
    :math:`o = n_\mathrm{test} / n_\mathrm{train}`, the variance of the mean is

    .. math:: (1 + o) v + (1 / J + o) \max(s^2 - w, 0)

    where :math:`v` is the variance that the test rows give to the mean, about :math:`w / J`: by the
    influence curves of an AUC within its folds [1]_, by the binomial law for a rate [2]_, that of the
    mean of the losses of all rows for a mean of losses, by the delta method or the jackknife for any
    other metric. Rows, or groups of them, are a random sample, class counts included.
    Between-fold variation beyond it is due to the models, and is included as in Nadeau and Bengio's
    correction [3]_. Without `noise` all of :math:`s^2` does. The factor :math:`1 + o` is an
    allowance for the draw of the training data, chosen by simulation (``python -m
    benchmarks.nested_coverage``).

    Metrics of predicted labels also move with the cut, which the models of all folds learn from nearly
    the same rows. Where labels are probabilities above 1/2, the cut follows the log-odds of the share
    of positives, on which row i has the influence :math:`c_i`. With :math:`\psi_i`, that of the row on
    the metric, and the metric's slope g with the log-odds of the models, the factor :math:`1 + o` of v
    gives way to

    .. math:: v + 1.5 \max\Bigl(\sum_i (\psi_i + g c_i)^2 - \sum_i \psi_i^2, 0\Bigr)

    where the factor 1.5 allows for other influences on the threshold. For thresholds chosen in the
    inner folds, the variance to multiply by 1.5 is the jackknife over the folds. For labels of
    another origin the interval is at least as wide as by Nadeau and Bengio's correction alone.

    The folds may all choose a candidate where other data would have led to another one. With
    `choice` each score is corrected for the effect of its candidate, and the variance of the
    expectation over all candidates is added; the interval is centred at the mean of the corrected
    scores and contains the mean of the observed ones.

    Student's t has Satterthwaite's degrees of freedom, of groups of rows their number less one.
    A rate has Wilson's limits, any other metric with a finite range those of the logit scale, so
    the limits stay in the range.

    Parameters
    ----------
    scores : ndarray of shape (k,), float64
        nan where undefined.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold; where sizes differ, their totals over the defined folds count.
    noise : SamplingVariance, optional
        The variance due to the test rows.
    bounds : tuple of float
        The least and the greatest value of the score.
    confidence_level : float, default=0.95
        Nominal coverage, in (0, 1).
    choice : SelectionEffect, optional
        The effect of the chosen candidates on the scores.

    Returns
    -------
    Interval
        nan where there is nothing to compute it from: of one fold without `noise`.

    Raises
    ------
    ValueError
        If ``confidence_level`` is not in (0, 1).

    References
    ----------
    .. [1] LeDell, E., Petersen, M. and van der Laan, M. (2015). Computationally efficient confidence
       intervals for cross-validated area under the ROC curve estimates. Electronic Journal of
       Statistics 9, 1583-1607.
    .. [2] Bayle, P., Bayle, A., Janson, L. and Mackey, L. (2020). Cross-validation confidence
       intervals for test error. NeurIPS 33, 16339-16350.
    .. [3] Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine
       Learning 52, 239-281.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._statistics import fold_interval
    >>> sizes = np.full(5, 80), np.full(5, 20)
    >>> found = fold_interval(np.array([0.8, 0.9, 0.85, 0.95, 0.9]), *sizes, bounds=(0, 1))
    >>> round(found.low, 3), round(found.high, 3)
    (0.728, 0.952)
    """
    check_confidence_level(confidence_level)
    defined = ~np.isnan(scores)
    mean, folds = float(moments(scores)[0]), int(defined.sum())
    if folds + (noise is not None) < 2:
        return _undefined(mean, confidence_level, n_train)
    method = "Nadeau-Bengio" if noise is None else f"folds, {noise.method}"
    centre, by_choice = mean, 0.0
    if choice is not None:
        scores = scores + choice.shift
        centre, by_choice = float(np.clip(moments(scores)[0], *bounds)), choice.variance
        noise = noise and noise.at((centre - bounds[0]) / (bounds[1] - bounds[0]))
        method = f"{method}, choice of candidates"
    by_rows, by_models = variance_parts(scores, n_train, n_test, noise)
    total = by_rows + by_models + by_choice
    if not total > 0 and (noise is None or np.isnan(noise.trials)):
        independent = folds if noise is None else noise.independent
        ends = np.nan, np.nan
        if np.isfinite(bounds[1] - bounds[0]):
            low, high = constant_pairs_interval(
                np.asarray(mean), independent, confidence_level, bounds
            )
            ends = float(low), float(high)
        target = _target(n_train[defined])
        return Interval("score", mean, *ends, 0.0, confidence_level, "exact", target=target)
    df = satterthwaite(by_rows, by_models, folds, noise)
    trials = np.nan if noise is None else noise.trials / (1 + n_test.sum() / n_train.sum())
    ends = _ends(centre, total, trials, _student(confidence_level, df), bounds)
    if noise is not None and noise.cut_unknown:
        corrected = variance_parts(scores, n_train, n_test, None)[1] + by_choice
        if corrected > 0:
            wider = _ends(centre, corrected, trials, _student(confidence_level, folds - 1), bounds)
            ends = min(ends[0], wider[0]), max(ends[1], wider[1])
    ends = min(ends[0], mean), max(ends[1], mean)
    notes = [note_of_groups(0 if noise is None else noise.groups)]
    if by_choice > 0 and noise is not None and noise.by_calibration and noise.method in _OF_LABELS:
        notes.append(_CALLED_UNLIKE)
    return Interval(
        "score", mean, *ends, float(np.sqrt(total)), confidence_level, method,
        note="; ".join(filter(None, notes)), target=_target(n_train[defined]),
    )  # fmt: skip


_CALLED_UNLIKE = (  # benchmarks/results: nested_coverage.md
    "where the candidates call unlike shares positive, coverage is not guaranteed (83 % of nominal "
    "95 at worst)"
)


def satterthwaite(
    by_rows: float, by_models: float, folds: int, noise: SamplingVariance | None
) -> float:
    """Return the degrees of freedom of a sum of two variances; those of groups are their number."""
    of_groups = noise.groups - 1 if noise is not None and noise.groups > 1 else np.inf
    below = by_rows**2 / of_groups + (by_models**2 / (folds - 1) if by_models > 0 else 0.0)
    return (by_rows + by_models) ** 2 / below if below > 0 else np.inf


def nested_interval(
    scores: Floats,
    n_train: Rows,
    n_test: Rows,
    noise: SamplingVariance | None,
    inner: Floats | None,
    bounds: tuple[float, float],
    confidence_level: float,
) -> Interval:
    """Interval of the mean score of repeated folds, with a variance estimated from inner folds.

    See :func:`nested_variance`; the ends are on the scales of :func:`fold_interval`.
    """
    check_confidence_level(confidence_level)
    if noise is None or inner is None:
        raise ValueError(
            "method='nested' needs a metric of this package with pooled predictions, and its inner "
            "scores; these are missing for separate searches, and with a threshold or calibration."
        )
    mean = float(moments(scores)[0])
    variance = nested_variance(scores, inner, n_train, n_test, noise)
    ends = _ends(mean, variance, noise.trials, _student(confidence_level, np.inf), bounds)
    return Interval(
        "score", mean, *ends, math.sqrt(variance), confidence_level, "nested, repeated folds",
        note=note_of_groups(noise.groups), target=_target(n_train),
    )  # fmt: skip


def corrected_error(
    scores: Floats, n_train: Rows, n_test: Rows, by_class: float = 0.0
) -> tuple[float, float, float]:
    """Mean, its corrected standard error, and its df; Nadeau and Bengio's, see :func:`fold_interval`.

    Parameters
    ----------
    scores : ndarray of shape (k,), float64
        nan where undefined.
    n_train, n_test : ndarray of shape (k,), int
        Rows of each fold.
    by_class : float
        Variance of the mean by the class counts, which the scores of stratified folds do not show. It is
        added, with the allowance 1 + o for the draw of the training data.

    Returns
    -------
    mean, error : float
        nan with fewer than two defined folds.
    df : float
        Defined folds less one; with `by_class` Satterthwaite's.
    """
    defined = ~np.isnan(scores)
    folds = int(defined.sum())
    if folds < 2:
        return np.nan, np.nan, folds - 1
    of_folds = variance_parts(scores, n_train, n_test, None)[1]
    more = (1 + n_test[defined].sum() / n_train[defined].sum()) * by_class
    df = folds - 1 if not more else satterthwaite(more, of_folds, folds, None)
    return float(moments(scores)[0]), float(np.sqrt(of_folds + more)), df


def variance_parts(
    scores: Floats, n_train: Rows, n_test: Rows, noise: SamplingVariance | None
) -> tuple[float, float]:
    """Return the variance of the mean that is due to test rows, and the one due to models."""
    defined = ~np.isnan(scores)
    folds, sd = int(defined.sum()), float(moments(scores)[1])
    overlap = n_test[defined].sum() / n_train[defined].sum()
    of_mean, of_fold = (0.0, 0.0) if noise is None else (noise.of_mean, noise.of_fold)
    excess = max(sd**2 - of_fold, 0.0) if folds > 1 else 0.0
    if noise is None or np.isnan(noise.learned):
        by_rows = (1 + overlap) * of_mean
    else:
        by_rows = of_mean + _OF_LEARNED * noise.learned
    return float(by_rows), float((1 / folds + overlap) * excess)


def _student(confidence_level: float, df: float) -> float:
    return float(special.stdtrit(df, (1 + confidence_level) / 2))


def _ends(
    mean: float, variance: float, trials: float, reach: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return Wilson's limits of a rate; for another metric those on its own scale."""
    if np.isnan(trials):
        return _linked(mean, math.sqrt(variance), reach, bounds)
    low, high = bounds
    share = (mean - low) / (high - low)
    spread = share * (1 - share)
    size = np.asarray(spread * (high - low) ** 2 / variance if spread > 0 else trials)
    first, last = score_interval(share * size, size, reach)
    return low + (high - low) * float(first), low + (high - low) * float(last)


def _linked(
    mean: float, error: float, reach: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the interval on the scale of the range; a mean at an end is moved inside by its error."""
    if bounds == (-np.inf, 0):  # a loss as a score
        low, high = _linked(-mean, error, reach, (0, np.inf))
        return -high, -low
    named = link_of(bounds)
    low, high = bounds
    if named is None:
        return max(low, mean - reach * error), min(high, mean + reach * error)
    inside = min(max(mean, low + min(error, (high - low) / 2)), high - min(error, (high - low) / 2))
    at_end = mean <= low or mean >= high
    ends = linked(np.asarray(inside if at_end else mean), np.asarray(reach * error), named[1])
    return min(float(ends[0]), mean), max(float(ends[1]), mean)


def _target(n_train: Rows) -> str:
    rows = "" if not len(n_train) else f", fitted on about {round(n_train.mean())} rows"
    return f"the procedure{rows}"


def _undefined(mean: float, confidence_level: float, n_train: Rows, note: str = "") -> Interval:
    ends, target = (np.nan, np.nan, np.nan), _target(n_train)
    return Interval("score", mean, *ends, confidence_level, "none", note=note, target=target)
