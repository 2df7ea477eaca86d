"""One fit of a nested cross-validation as a job: which it is, and how a worker performs it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from sklearn.base import clone

from ..._arrays import naming_missing_features
from ..._options import unknown_name
from ...metrics._scorers.one_pass import CountedPredictions, ScoringResult
from .._types import ErrorScore, Rows, Scorer
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
    ``rejected``, ``others`` those of metrics that are not essential: nan if one raised, ``trained``
    those of the training part, nan likewise.
    """

    scores: Mapping[str, float]
    responses: Mapping[str, Any] = field(default_factory=dict)
    classes: Any = None
    failure: Failure | None = None
    unscored: Mapping[str, Failure] = field(default_factory=dict)
    plain: Mapping[str, float] = field(default_factory=dict)
    accepted: Mapping[str, float] = field(default_factory=dict)
    rejected: Any = None
    others: Mapping[str, float] = field(default_factory=dict)
    trained: Mapping[str, float] = field(default_factory=dict)
    model: Any = None

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


def fit_model(model: Any, data: Dataset, rows: Rows, *, method: str = "fit", **options: Any) -> Any:
    """Fit on some rows, with their weights if there are any, and with the parameters of fit."""
    options = {**data.fit_options(model, rows), **options}
    X, y = data.features(rows, rows), data.targets(rows)
    with naming_missing_features(model, X):
        return getattr(model, method)(X, y, **options)


def score_candidate(
    estimator: Any, params: Mapping[str, Any], data: Dataset, train: Rows, test: Rows, *given: Any,
    **options: Any,
) -> Outcome:  # fmt: skip
    """Fit a candidate on ``train`` and score it on ``test``, as :func:`score_fit` does."""
    model = candidate_model(estimator, params)
    return score_fit(lambda: fit_model(model, data, train), data, train, test, *given, **options)


def score_fit(
    fit: Callable[[], Any],
    data: Dataset,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: Sequence[str] = (),
    others: Collection[str] = (),
) -> Outcome:
    """Fit, predict ``test`` once a response method, and compute every score.

    ``keep`` names methods whose predictions come back too, with those that a metric read, and may
    hold MODEL and TRAINED; ``others`` names metrics whose errors do not count.
    """
    try:
        model = fit()
    except Exception as error:
        if error_score == "raise":
            raise
        names = [name for name in scorer.names if name not in others]
        return failed_outcome(Failure.of(error), names, error_score)
    y_train = data.targets(train) if scorer.reads_training else None

    def scored(rows: Rows) -> tuple[ScoringResult, CountedPredictions]:
        X, y = data.features(rows, train), data.targets(rows)
        counted = scorer.count(model, X, y, y_train=y_train, **data.score_options(rows))
        return scorer.results([counted])[0], counted

    found, counted = scored(test)
    begun: dict[str, Any] = {
        "responses": _kept(model, counted.fold.predict, keep),
        "classes": getattr(model, "classes_", None),
        "others": {name: found.scores[name] for name in others},
    }
    if MODEL in keep:
        begun["model"] = model
    if TRAINED in keep:
        begun["trained"] = scored(train)[0].scores
    scores = {name: found.scores[name] for name in found.scores if name not in others}
    errors = {name: found.errors[name] for name in found.errors if name not in others}
    if error_score == "raise":
        for first in errors.values():
            raise first
    raised = {name: Failure.of(error) for name, error in errors.items()}
    for name in raised:
        scores[name] = float(error_score)
    # Where all metrics wait for one prediction that raised, that is one failure.
    unpredicted = [e for e in errors.values() if e in found.unpredicted.values()]
    if unpredicted and len(unpredicted) == len(scores):
        return Outcome(scores, failure=Failure.of(unpredicted[0]), **begun)
    return Outcome(scores, unscored=raised, **begun)


def failed_outcome(failure: Failure, names: Sequence[str], error_score: float) -> Outcome:
    """Return what counts for a fit that failed."""
    return Outcome(dict.fromkeys(names, error_score), failure=failure)


def _kept(model: Any, predict: Any, wanted: Sequence[str]) -> Mapping[str, Any]:
    """Add the responses that are wanted even where no metric reads them; none without a wish."""
    for method in wanted:
        if hasattr(model, method):
            with suppress(Exception):  # reported by the metrics that use it
                predict(method)
    return dict(predict.found) if wanted else {}
