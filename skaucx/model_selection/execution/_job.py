"""One fit of a nested cross-validation as a job: which it is, and how a worker performs it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from sklearn.base import clone

from ..._options import unknown_name
from ...metrics._scorers.one_pass import ScoringResult
from .._types import ErrorScore, Params, Rows, Scorer
from ._dataset import Dataset

Stage = Literal["inner", "outer", "search", "final"]
# Predictions that are pooled even where no metric reads them.
POOLED = ("predict", "predict_proba")
# Names of the fitted model and of the scores of the training part among the results to keep.
MODEL, TRAINED = "the model", "the training part"


@dataclass(frozen=True)
class Failure:
    """An exception: in one line, and with its traceback."""

    error: str
    traceback: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Write down an exception."""
        trace = "".join(traceback.format_exception(error))
        return cls(f"{type(error).__name__}: {error}", trace)


@dataclass(frozen=True, eq=False)
class Outcome:
    """Result of a job: scores, predictions if requested, and errors.

    ``failure`` is set where the fit itself failed, and no score has a value then; ``unscored``
    holds the metrics that raised after a fit that succeeded. ``plain`` are the scores without the
    calibration and threshold chosen in the inner folds, ``accepted`` those of the rows that are not
    ``rejected``, ``trained`` those of the training part: nan if one raised. A separate search has the
    ``params`` of its winner, None if it failed, and its ``inner_mean``.
    """

    scores: Mapping[str, float]
    responses: Mapping[str, Any] = field(default_factory=dict)
    classes: Any = None
    failure: Failure | None = None
    unscored: Mapping[str, Failure] = field(default_factory=dict)
    plain: Mapping[str, float] = field(default_factory=dict)
    accepted: Mapping[str, float] = field(default_factory=dict)
    rejected: Any = None
    trained: Mapping[str, float] = field(default_factory=dict)
    model: Any = None
    decision: Any = None
    params: Params | None = None
    inner_mean: float = np.nan

    @property
    def complete(self) -> bool:
        """Whether nothing failed."""
        return self.failure is None and not self.unscored


def candidate_model(estimator: Any, params: Mapping[str, Any]) -> Any:
    """Return an unfitted copy of the estimator that shares nothing with other candidates."""
    values = {name: clone(value, safe=False) for name, value in params.items()}
    try:
        return clone(estimator).set_params(**values)
    except ValueError:
        known = estimator.get_params()
        for name in params:
            if name not in known:
                kind = f"parameter of {type(estimator).__name__}"
                raise ValueError(f"param_grid: {unknown_name(kind, name, known)}") from None
        raise


def fit_model(model: Any, data: Dataset, rows: Rows) -> Any:
    """Fit on some rows, with their weights if there are any, and with the parameters of fit."""
    X, y = data.features(rows, rows), data.targets(rows)
    return model.fit(X, y, **data.fit_options(model, rows))


def score_candidate(
    estimator: Any, params: Mapping[str, Any], data: Dataset, train: Rows, test: Rows,
    scorer: Scorer, error_score: ErrorScore, *, keep: Sequence[str] = (), decision: Any = None,
) -> Outcome:  # fmt: skip
    """Fit a candidate on ``train`` and score it on ``test``, as :func:`score_fit` does."""
    model = candidate_model(estimator, params)

    def fit() -> tuple[Any, Any]:
        return fit_model(model, data, train), decision

    return score_fit(fit, data, train, test, scorer, error_score, keep=keep)


def score_fit(
    fit: Callable[[], tuple[Any, Any]],
    data: Dataset,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: Sequence[str] = (),
) -> Outcome:
    """Fit, predict ``test`` once a response method, and compute every score.

    ``fit`` returns a fitted model and the decision to apply to it, or None. ``keep`` names methods
    whose predictions come back too, with those that a metric read, and may hold MODEL and TRAINED.
    """
    try:
        plain, decision = fit()
        model = plain
        if decision is not None:
            model = decision.over(plain, data.features(train, train), data.targets(train))
    except Exception as error:
        if error_score == "raise":
            raise
        failed = dict.fromkeys(scorer.names, error_score)
        return Outcome(failed, failure=Failure.of(error))
    found = _scored(model, data, train, test, scorer)
    if error_score == "raise" and found.errors:
        raise next(iter(found.errors.values()))
    raised = {name: Failure.of(error) for name, error in found.errors.items()}
    scores = {**found.scores, **{name: float(error_score) for name in raised}}
    outcome = Outcome(
        scores,
        responses=_kept(model, found.predict, keep),
        classes=getattr(model, "classes_", None),
        trained=_scored(model, data, train, train, scorer).scores if TRAINED in keep else {},
        model=model if MODEL in keep else None,
    )
    if decision is not None:
        outcome = _besides(outcome, plain, model, decision, data, train, test, scorer)
    # Where all metrics wait for a prediction that raised, that is one failure.
    if found.predict.raised and len(raised) == len(scores):
        return replace(outcome, failure=next(iter(raised.values())))
    return replace(outcome, unscored=raised)


def _scored(model: Any, data: Dataset, train: Rows, rows: Rows, scorer: Scorer) -> ScoringResult:
    """Return the scores of a model that was fitted on ``train`` on some rows."""
    X, y = data.features(rows, train), data.targets(rows)
    y_train = data.targets(train) if scorer.reads_training else None
    weight, metadata = data.weights(rows), data.metadata(rows)
    return scorer.evaluate(model, X, y, sample_weight=weight, y_train=y_train, metadata=metadata)


def _besides(
    outcome: Outcome, plain: Any, model: Any, decision: Any, data: Dataset, train: Rows,
    test: Rows, scorer: Scorer,
) -> Outcome:  # fmt: skip
    """Add the scores of the model without the decision, and those of the rows that are accepted."""
    without, rejected = outcome.scores, None
    accepted: Mapping[str, float] = {}
    if decision.changes:
        without = _scored(plain, data, train, test, scorer).scores
    if decision.least is not None:
        rejected = decision.rejecting(model).rejected(data.features(test, train))
        accepted = dict.fromkeys(scorer.names, np.nan)
        if not rejected.all():
            accepted = _scored(model, data, train, test[~rejected], scorer).scores
    return replace(outcome, decision=decision, plain=without, rejected=rejected, accepted=accepted)


def decided(fitted: Any, decision: Any, data: Dataset, rows: Rows) -> Any:
    """Return a model that was fitted on some rows with its decision, if there is one."""
    if decision is None:
        return fitted
    return decision.rejecting(decision.over(fitted, data.features(rows, rows), data.targets(rows)))


def fit_final(model: Any, data: Dataset, rows: Rows, decision: Any = None) -> Any:
    """Fit on some rows, and apply the decision to the model, if there is one."""
    return decided(fit_model(clone(model), data, rows), decision, data, rows)


def _kept(model: Any, predict: Any, wanted: Sequence[str]) -> Mapping[str, Any]:
    """Add the responses that are wanted even where no metric reads them; none without a wish."""
    for method in wanted:
        if hasattr(model, method):
            with suppress(Exception):  # reported by the metrics that use it
                predict(method)
    return dict(predict.found) if wanted else {}
