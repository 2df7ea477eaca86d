"""The job that fits a candidate on some rows and scores it on others."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.base import clone

from ...metrics._scorers.one_pass import Judgement
from .._types import ErrorScore, Rows, Scorer
from ._sample import Sample

# Predictions that are pooled even where no metric reads them.
POOLED = ("predict", "predict_proba")
# Among what is to be kept: the fitted model itself.
MODEL = "the model"


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
    """Result of a job: scores, predictions if asked for, and what went wrong.

    ``failure`` is set where the fit itself failed, and no score has a value then; ``unscored``
    holds the metrics that raised after a fit that succeeded. ``plain`` are the scores without the
    calibration and the threshold that were chosen inside, ``accepted`` those of the rows that are not
    ``rejected``, ``others`` those of metrics that nothing depends on: nan where one raised. ``sets``
    tells for each row which classes are in its set.
    """

    scores: Mapping[str, float]
    responses: Mapping[str, Any] = field(default_factory=dict)
    classes: Any = None
    failure: Failure | None = None
    unscored: Mapping[str, Failure] = field(default_factory=dict)
    plain: Mapping[str, float] = field(default_factory=dict)
    accepted: Mapping[str, float] = field(default_factory=dict)
    rejected: Any = None
    sets: Any = None
    others: Mapping[str, float] = field(default_factory=dict)
    model: Any = None

    @property
    def complete(self) -> bool:
        """Whether nothing failed."""
        return self.failure is None and not self.unscored


def candidate_model(estimator: Any, params: Mapping[str, Any]) -> Any:
    """Return an unfitted copy of the estimator that shares nothing with other candidates."""
    return clone(estimator).set_params(
        **{name: clone(value, safe=False) for name, value in params.items()}
    )


def fit_model(
    model: Any, sample: Sample, rows: Rows, *, method: str = "fit", **options: Any
) -> Any:
    """Fit on some rows, with their weights if there are any, and with the parameters of fit."""
    options = {**sample.fit_options(model, rows), **options}
    return getattr(model, method)(sample.features(rows, rows), sample.targets(rows), **options)


def score_candidate(
    estimator: Any,
    params: Mapping[str, Any],
    sample: Sample,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: Sequence[str] = (),
    others: Scorer | None = None,
) -> Outcome:
    """Fit a candidate on ``train`` and score it on ``test``."""

    def fit() -> Any:
        return fit_model(model, sample, train)

    model = candidate_model(estimator, params)
    return score_fit(fit, sample, train, test, scorer, error_score, keep=keep, others=others)


def score_fit(
    fit: Callable[[], Any],
    sample: Sample,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: Sequence[str] = (),
    others: Scorer | None = None,
) -> Outcome:
    """Fit, predict ``test`` once a response method, compute every score from that.

    ``keep`` names methods whose predictions come back too, with those that a metric read, and may
    hold MODEL.
    """
    try:
        model = fit()
    except Exception as error:
        if error_score == "raise":
            raise
        return failed_outcome(Failure.of(error), scorer.names, error_score)
    X, y = sample.features(test, train), sample.targets(test)
    given = {"y_train": sample.targets(train), **sample.score_options(test)}
    judged = scorer.judge(model, X, y, **given)
    kept = _kept(model, X, judged.responses, keep)
    classes = getattr(model, "classes_", None)
    if error_score == "raise":
        for first in judged.errors.values():
            raise first
    outcome = _told(judged, kept, classes, error_score)
    if others is not None:
        more = others.judge(model, X, y, before=judged, **given)
        outcome = replace(outcome, others=more.scores)
    return replace(outcome, model=model) if MODEL in keep else outcome


def _told(
    judged: Judgement, kept: Mapping[str, Any], classes: Any, error_score: ErrorScore
) -> Outcome:
    """Return scores with the error score for the metrics that raised, and what they raised."""
    if not judged.errors:
        return Outcome(judged.scores, kept, classes)
    raised = {name: Failure.of(error) for name, error in judged.errors.items()}
    scores = {**judged.scores, **dict.fromkeys(raised, float(error_score))}
    # Where all metrics wait for one prediction that raised, that is one failure.
    unpredicted = [e for e in judged.errors.values() if e in judged.unpredicted.values()]
    if unpredicted and len(unpredicted) == len(scores):
        return Outcome(scores, kept, classes, failure=Failure.of(unpredicted[0]))
    return Outcome(scores, kept, classes, unscored=raised)


def failed_outcome(failure: Failure, names: Sequence[str], error_score: float) -> Outcome:
    """Return what counts for a fit that failed."""
    return Outcome(dict.fromkeys(names, error_score), failure=failure)


def _kept(
    model: Any, X: Any, responses: Mapping[str, Any], wanted: Sequence[str]
) -> Mapping[str, Any]:
    """Add the responses that are wanted even where no metric reads them; none without a wish."""
    if not wanted:
        return {}
    added = {}
    for method in wanted:
        if method not in responses and hasattr(model, method):
            with suppress(Exception):  # the metrics that read it have told
                added[method] = getattr(model, method)(X)
    return {**responses, **added}
