"""Random variation of the scores of a nested run, from test rows and from chosen candidates."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...metrics._scorers.bound import BoundMetric
from .._types import Floats, Rows
from ._noise import RowNoise, noise_or_none

# True means that are drawn, and choices drawn for each of them.
_DRAWS = 128
# The expectation over all draws errs less than one of them is off: of two equal candidates by about half
# their variance. Of 1/4, 1/2 and 1 the one that holds best in the tables of
# ``python -m benchmarks.nested_coverage``.
_OF_EXPECTATION = 0.5


@dataclass(frozen=True, eq=False)
class Choice:
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
    means, defined = _mean(every), (~np.isnan(every)).sum(axis=1)
    # One that is undefined more often, or left a race, is not chosen.
    candidates = np.flatnonzero((defined > 0) & (defined == defined.max()))
    law = np.zeros((_DRAWS, count))
    if not len(candidates) or folds < 2:
        return law
    known = inner[:, candidates]
    missing = np.isnan(known)
    centred = np.where(missing, 0.0, known - _mean(known)[..., None])
    spread = centred.swapaxes(1, 2).reshape(k * folds, -1)
    spread = spread * np.sqrt((1 / folds + 1 / (folds - 1)) / (k * (folds - 1)))
    rng = np.random.default_rng(0)
    true = means[candidates] + rng.normal(size=(_DRAWS, len(spread))) @ spread
    moved = rng.normal(size=(_DRAWS, len(spread))) @ spread
    for row, one in zip(law, true, strict=True):
        won = np.bincount((one + moved).argmax(axis=1), minlength=len(candidates))
        row[candidates] = won / _DRAWS
    return law


def choice_of(law: Floats, own: Floats, winners: Rows) -> Choice | None:
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
    Choice or None
        None where no candidate, or not the one that was chosen, has a score.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._chance_variation import choice_law, choice_of
    >>> auc = np.random.default_rng(0).normal(0.8, 0.05, (5, 2, 5))
    >>> recall = np.broadcast_to([[[0.1], [0.5]]], (5, 2, 5))
    >>> found = choice_of(choice_law(auc), recall, np.zeros(5, dtype=int))
    >>> bool(0.1 < found.shift[0] < 0.3), found.variance > 0
    (True, True)
    """
    means = _mean(own.swapaxes(0, 1).reshape(own.shape[1], -1))
    weight = law * ~np.isnan(means)
    total = weight.sum(axis=1)
    if np.isnan(means[winners]).any() or not (total > 0).all():
        return None
    expected = (weight @ np.nan_to_num(means)) / total
    return Choice(expected.mean() - means[winners], float(_OF_EXPECTATION * expected.var()))


def _mean(scores: Floats) -> Floats:
    """Return the mean of the defined entries of the last axis; nan where there is none."""
    missing = np.isnan(scores)
    defined = (~missing).sum(axis=-1)
    total = np.where(missing, 0.0, scores).sum(axis=-1)
    return np.divide(total, defined, out=np.full(total.shape, np.nan), where=defined > 0)


class Chance:
    """Finds it for the metrics of a result, each once."""

    def __init__(self, result: Any) -> None:
        self._result = result
        self._noises: dict[str, RowNoise | None] = {}

    def noise(self, name: str, bound: BoundMetric | None) -> RowNoise | None:
        """Return the variance of a metric's mean score due to the test rows; None where not known."""
        if name not in self._noises:
            folds = np.flatnonzero(~np.isnan(self._result.test_scores[name]))
            self._noises[name] = noise_or_none(
                bound, self._result.predictions, folds, self._cuts(folds)
            )
        return self._noises[name]

    def _cuts(self, folds: Rows) -> tuple[Floats, str] | None:
        """Return the thresholds that some folds chose and the response that they cut, if they did."""
        decisions = self._result.decisions
        if not decisions or decisions[0].cut is None:
            return None
        return self._result.thresholds[folds], decisions[0].reads

    def choice(self, name: str, bound: BoundMetric | None) -> Choice | None:
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
