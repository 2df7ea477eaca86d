"""One round of the bootstrap: fit on the rows drawn, judge on those left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._types import ErrorScore, Floats, Rows, Scorer
from ..execution._folds import Failure, Outcome, candidate_model, fit_model
from ..execution._sample import Sample
from ._losses import Losses


@dataclass(frozen=True, eq=False)
class BootstrapFit:
    """Result of one fit: a score, or the losses of the rows that it was tested on."""

    test: Rows
    score: float
    each: Floats | None = None
    no_information: float = np.nan
    failure: Failure | None = None

    @property
    def outcome(self) -> Outcome:
        return Outcome({}, failure=self.failure)

    def error(self, sample: Sample, greater: bool) -> float:
        """Return the loss of all tested rows."""
        if self.each is None:
            return flipped(self.score, greater)
        return weighted_mean(self.each, sample.weights(self.test))

    def losses(self, greater: bool) -> Floats:
        """Return the losses of the tested rows; all alike if the fit failed."""
        if self.each is not None:
            return self.each
        return np.full(len(self.test), flipped(self.score, greater))


def fit_and_judge(
    estimator: Any,
    sample: Sample,
    scorer: Scorer,
    losses: Losses | None,
    train: Rows,
    test: Rows,
    error_score: ErrorScore,
    *,
    informed: bool = False,
) -> BootstrapFit:
    """Fit on some rows and judge on others; ``informed`` asks for the loss without information."""
    try:
        model = fit_model(candidate_model(estimator, {}), sample, train)
        return _judge(model, sample, scorer, losses, train, test, informed)
    except Exception as error:
        if error_score == "raise":
            raise
        return BootstrapFit(test, error_score, failure=Failure.of(error))


def _judge(
    model: Any,
    sample: Sample,
    scorer: Scorer,
    losses: Losses | None,
    train: Rows,
    test: Rows,
    informed: bool,
) -> BootstrapFit:
    X, y = sample.features(test, train), np.asarray(sample.targets(test))
    weight = sample.weights(test)
    responses = scorer.responses(model, X)
    no_information, each = np.nan, None
    if losses is not None:
        if informed:
            no_information = losses.no_information(model, y, responses, weight)
        each = losses.each(model, y, responses)
    score = np.nan
    if each is None:
        score = _only(scorer.score(model, X, y, sample_weight=weight, responses=responses))
    return BootstrapFit(test, score, each, no_information)


def _only(scores: Mapping[str, float]) -> float:
    (score,) = scores.values()
    return score


def weighted_mean(values: Floats, weight: Floats | None) -> float:
    """Weighted mean; nan where nothing weighs anything."""
    if weight is not None and not weight.any():
        return np.nan
    return float(np.average(values, weights=weight))


def flipped(value: Any, greater: bool) -> Any:
    """Turn a score into a loss, or a loss into a score."""
    return 1 - value if greater else -value
