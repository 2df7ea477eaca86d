"""Rows of nested folds, and the job that fits a candidate on some and scores it on others."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable

from ..._arrays import take_rows
from ...metrics._scorers.one_pass import Judgement
from .._types import ErrorScore, Floats, Rows, Scorer, Split


@dataclass(frozen=True, eq=False)
class Sample:
    """Checked data of n rows that can be cut into folds.

    ``pairwise`` says that X is a square matrix of kernels or distances, cut along both axes.
    """

    X: Any
    y: Any
    sample_weight: Floats | None
    groups: Any
    pairwise: bool

    @classmethod
    def of(
        cls, estimator: Any, X: Any, y: Any, sample_weight: ArrayLike | None, groups: Any
    ) -> Sample:
        """Check that all parts are indexable and of one length."""
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None.")
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weight is not None and weight.ndim != 1:
            raise ValueError(
                f"sample_weight must have one weight a row, shape (n,), found shape {weight.shape}."
            )
        y = y if hasattr(y, "shape") else np.asarray(y)
        X, y, weight, groups = indexable(X, y, weight, groups)
        return cls(X, y, weight, groups, get_tags(estimator).input_tags.pairwise)

    def __len__(self) -> int:
        return int(self.X.shape[0]) if hasattr(self.X, "shape") else len(self.X)

    def features(self, rows: Rows, train: Rows) -> Any:
        """Return X of some rows, as a model fitted on the rows ``train`` expects it."""
        X = take_rows(self.X, rows)
        if not self.pairwise:
            return X
        return X.iloc[:, train] if hasattr(X, "iloc") else X[:, train]

    def targets(self, rows: Rows) -> Any:
        return take_rows(self.y, rows)

    def weights(self, rows: Rows) -> Floats | None:
        return None if self.sample_weight is None else self.sample_weight[rows]

    def split(self, cv: Any, rows: Rows) -> tuple[Split, ...]:
        """Split some rows; the splits hold row numbers of the whole sample.

        Numbers of four bytes: those of all splits are held at once.
        """
        rows = rows.astype(np.int32 if len(self) < 2**31 else np.intp)
        return tuple((rows[train], rows[test]) for train, test in self.split_within(cv, rows))

    def split_within(self, cv: Any, rows: Rows) -> tuple[Split, ...]:
        """Split some rows; the splits hold positions among these rows."""
        X, y = self.features(rows, rows), self.targets(rows)
        groups = None if self.groups is None else take_rows(self.groups, rows)
        splits = tuple((_numbers(a), _numbers(b)) for a, b in cv.split(X, y, groups))
        most = max((part.max(initial=-1) for split in splits for part in split), default=-1)
        if most >= len(rows):
            raise ValueError(
                f"{type(cv).__name__} gave row {most} of {len(rows)} rows to be split; a splitter "
                "of fixed rows can split all rows, as outer_cv, but not a training part."
            )
        return splits


def _numbers(part: Any) -> Rows:
    """Return row numbers, also of a mask."""
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp)


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
    holds the metrics that raised after a fit that succeeded.
    """

    scores: Mapping[str, float]
    responses: Mapping[str, Any] = field(default_factory=dict)
    classes: Any = None
    failure: Failure | None = None
    unscored: Mapping[str, Failure] = field(default_factory=dict)

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
    """Fit on some rows, with their weights if there are any."""
    if (weight := sample.weights(rows)) is not None:
        options[weight_argument(model)] = weight
    return getattr(model, method)(sample.features(rows, rows), sample.targets(rows), **options)


def weight_argument(model: Any) -> str:
    """Return the name under which ``fit`` takes the weights.

    A pipeline hands them to its last step, or with metadata routing to the steps that ask for them.
    """
    if isinstance(model, Pipeline) and not get_config()["enable_metadata_routing"]:
        name, last = model.steps[-1]
        return f"{name}__{weight_argument(last)}"
    return "sample_weight"


def score_candidate(
    estimator: Any,
    params: Mapping[str, Any],
    sample: Sample,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: bool = False,
) -> Outcome:
    """Fit a candidate on ``train`` and score it on ``test``."""

    def fit() -> Any:
        return fit_model(model, sample, train)

    model = candidate_model(estimator, params)
    return score_fit(fit, sample, train, test, scorer, error_score, keep=keep)


def score_fit(
    fit: Callable[[], Any],
    sample: Sample,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: bool = False,
) -> Outcome:
    """Fit, predict ``test`` once a response method, compute every score from that.

    With ``keep`` the predictions come back too, labels and probabilities always among them.
    """
    try:
        model = fit()
    except Exception as error:
        if error_score == "raise":
            raise
        return failed_outcome(Failure.of(error), scorer.names, error_score)
    X, y, weight = sample.features(test, train), sample.targets(test), sample.weights(test)
    judged = scorer.judge(model, X, y, sample_weight=weight)
    kept = _with_labels_and_probabilities(model, X, judged.responses) if keep else {}
    classes = getattr(model, "classes_", None)
    if error_score != "raise":
        return _told(judged, kept, classes, error_score)
    for first in judged.errors.values():
        raise first
    return Outcome(judged.scores, kept, classes)


def _told(judged: Judgement, kept: Mapping[str, Any], classes: Any, error_score: float) -> Outcome:
    """Return scores with the error score for the metrics that raised, and what they raised."""
    raised = {name: Failure.of(error) for name, error in judged.errors.items()}
    scores = {**judged.scores, **dict.fromkeys(raised, error_score)}
    # Where all metrics wait for one prediction that raised, that is one failure.
    unpredicted = [e for e in judged.errors.values() if e in judged.unpredicted.values()]
    if unpredicted and len(unpredicted) == len(scores):
        return Outcome(scores, kept, classes, failure=Failure.of(unpredicted[0]))
    return Outcome(scores, kept, classes, unscored=raised)


def failed_outcome(failure: Failure, names: Sequence[str], error_score: float) -> Outcome:
    """Return what counts for a fit that failed."""
    return Outcome(dict.fromkeys(names, error_score), failure=failure)


def _with_labels_and_probabilities(
    model: Any, X: Any, responses: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Add the responses that are pooled even where no metric reads them."""
    added = {}
    for method in ("predict", "predict_proba"):
        if method not in responses and hasattr(model, method):
            with suppress(Exception):  # the metrics that read it have told
                added[method] = getattr(model, method)(X)
    return {**responses, **added}


def check_error_score(error_score: Any) -> None:
    """Refuse what is neither a number nor the word that lets exceptions through."""
    if error_score != "raise" and not isinstance(error_score, Real):
        raise ValueError(f"error_score must be a number or 'raise', found {error_score!r}.")
