"""Decisions found on predictions and applied to a fitted model: calibration, threshold, rejection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.utils.multiclass import type_of_target

from ..._compat import warn
from .._run_options import Decisions
from .._scoring import Classes
from .._types import ErrorScore, Rows, Scorer, Split
from ..execution._dataset import Dataset
from ..execution._job import Outcome, candidate_model, fit_model, score_fit
from ..execution._pool import OutOfFoldPredictions, pool
from ._calibration import calibrated, fit_calibration
from ._reject import RejectingClassifier, RejectRule, confidence, reject_rule
from ._tuned_threshold import Cut, ThresholdRule, threshold_rule

# As FixedThresholdClassifier reads them.
_TO_CUT = ("predict_proba", "decision_function")


@dataclass(frozen=True, eq=False)
class Decision:
    """Calibration, threshold and rejection of a fitted model.

    Attributes
    ----------
    calibrator : CalibratedClassifierCV or None
        Fitted on the predictions that chose.
    cut : Cut or None
    positive : label or None
        The class that the threshold calls.
    reads : str
        The response that the threshold cuts.
    least : float or None
        The least confidence that is not rejected.
    calibration : str or None
        The method of calibration.
    """

    calibrator: Any
    cut: Cut | None
    positive: Any
    reads: str
    least: float | None = None
    calibration: str | None = None

    @property
    def changes(self) -> bool:
        """Whether labels or probabilities are others than those of the model."""
        return self.calibrator is not None or self.cut is not None

    def over(self, model: Any, X: Any, y: Any) -> Any:
        """Return a classifier of scikit-learn that calibrates a fitted model and cuts its scores.

        It pickles and clones; cloned, it keeps the model as it was fitted. ``X`` and ``y`` of the
        fit define columns and classes.
        """
        if self.calibrator is not None:
            model = calibrated(self.calibrator, model)
        if self.cut is None:
            return model
        return FixedThresholdClassifier(
            FrozenEstimator(model),
            threshold=self.cut.threshold,
            pos_label=self.positive,
            response_method=self.reads,
        ).fit(X, y)

    def rejecting(self, model: Any) -> Any:
        """Return a fitted model that rejects examples of low confidence, if requested."""
        if self.least is None:
            return model
        cut = None if self.cut is None else self.cut.threshold
        kept = RejectingClassifier(
            FrozenEstimator(model), self.least, cut=cut, pos_label=self.positive
        )
        return kept.fit()


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """The request: a method of calibration, and rules for the rest."""

    calibration: str | None
    threshold: ThresholdRule | None
    positive: Any
    reject: RejectRule | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """The predictions that it needs."""
        return ("predict", *_TO_CUT)

    def decide(self, predictions: OutOfFoldPredictions) -> Decision:
        """Find all of it on predictions of rows that no model was fitted on."""
        responses: Mapping[str, NDArray[Any]] = predictions.responses
        calibrator = None
        if self.calibration is not None:
            calibrator, proba = fit_calibration(self.calibration, predictions)
            responses = {"predict_proba": proba}
        reads = next(name for name in _TO_CUT if name in responses)
        response, y_true = responses[reads], predictions.y_true
        cut, least = None, None
        if self.threshold is not None:
            score = _of_class(response, predictions.classes, self.positive)
            cut = self.threshold.choose(y_true, score, self.positive, predictions.sample_weight)
        if self.reject is not None:
            least = self._least(predictions, response, cut)
        return Decision(calibrator, cut, self.positive, reads, least, self.calibration)

    def _least(self, given: OutOfFoldPredictions, response: NDArray[Any], cut: Cut | None) -> float:
        """Return the least confidence that is accepted."""
        assert self.reject is not None
        assert given.classes is not None
        classes, threshold, column = given.classes, None, -1
        if cut is not None:
            score = _of_class(response, classes, self.positive)
            threshold, column = cut.threshold, int(np.flatnonzero(classes == self.positive)[0])
            called = np.where(score >= threshold, column, 1 - column)
            response = score if response.ndim == 1 else response
        elif response.ndim == 1:
            called = (response > 0).astype(np.intp)
        else:
            called = response.argmax(axis=1)
        sure = confidence(response, threshold, column)
        return self.reject.choose(sure, classes[called] != given.y_true, given.sample_weight)


def _of_class(response: NDArray[Any], classes: Any, positive: Any) -> NDArray[Any]:
    last = positive == classes[-1]
    if response.ndim == 2:
        return response[:, -1 if last else 0]
    return response if last else -response


@dataclass(frozen=True, eq=False)
class Decided:
    """A fitted model, and the same with calibration and threshold."""

    plain: Any
    model: Any
    decision: Decision

    def shipped(self) -> Any:
        """Return the one object that does all of it."""
        return self.decision.rejecting(self.model)


def decide_over(plain: Any, decision: Decision, data: Dataset, train: Rows) -> Decided:
    """Lay a decision over a fitted model."""
    model = decision.over(plain, data.features(train, train), data.targets(train))
    return Decided(plain, model, decision)


def decide_by_folds(
    rule: DecisionRule,
    fresh: Callable[[], Any],
    data: Dataset,
    splits: Sequence[Split],
    scorer: Scorer,
) -> Decision:
    """Find a decision on predictions of test parts that are fitted for it: a model a split."""
    outcomes = []
    for train, test in splits:
        fit = partial(fit_model, fresh(), data, train)
        outcomes.append(score_fit(fit, data, train, test, scorer, "raise", keep=rule.reads))
    return rule.decide(pool(data, [test for _, test in splits], outcomes, rule.positive))


def score_decided(
    estimator: Any,
    params: Mapping[str, Any],
    data: Dataset,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    decision: Decision,
    *,
    keep: Sequence[str] = (),
) -> Outcome:
    """Fit a candidate on ``train`` and score it on ``test``, with the decision and without."""

    def fit() -> Decided:
        model = fit_model(candidate_model(estimator, params), data, train)
        return decide_over(model, decision, data, train)

    return score_besides(fit, data, train, test, scorer, error_score, keep=keep)


def score_besides(
    fit: Callable[[], Decided],
    data: Dataset,
    train: Rows,
    test: Rows,
    scorer: Scorer,
    error_score: ErrorScore,
    *,
    keep: Sequence[str] = (),
) -> Outcome:
    """Score the decided model, the plain model, and the accepted rows."""
    made: list[Decided] = []

    def decided() -> Any:
        made.append(fit())
        return made[0].model

    outcome = score_fit(decided, data, train, test, scorer, error_score, keep=keep)
    if not made:
        return outcome
    X, y = data.features(test, train), data.targets(test)
    found = made[0]
    plain = outcome.scores
    if found.decision.changes:
        plain = scorer.evaluate(found.plain, X, y, **data.score_options(test)).scores
    outcome = replace(outcome, plain=plain)
    if found.decision.least is not None:
        rejected = found.decision.rejecting(found.model).rejected(X)
        outcome = replace(outcome, rejected=rejected, accepted=_accepted(
            found.model, data, train, test[~rejected], scorer
        ))  # fmt: skip
    return outcome


def _accepted(
    model: Any, data: Dataset, train: Rows, rows: Rows, scorer: Scorer
) -> Mapping[str, float]:
    """Score the rows that were not rejected; nan where none is left."""
    if not len(rows):
        return dict.fromkeys(scorer.names, np.nan)
    X, y = data.features(rows, train), data.targets(rows)
    return scorer.evaluate(model, X, y, **data.score_options(rows)).scores


def fit_decided(model: Any, data: Dataset, rows: Rows, decision: Decision) -> Any:
    """Fit on some rows and lay the decision over the model."""
    return decide_over(fit_model(clone(model), data, rows), decision, data, rows).shipped()


def warn_of_infeasible(decisions: Mapping[tuple[int, int], Decision]) -> None:
    """Warn of thresholds that do not keep to their constraints, where none would."""
    folds = sorted(
        {fold for (fold, _), d in decisions.items() if d.cut is not None and not d.cut.feasible}
    )
    if folds:
        warn(
            f"No threshold keeps to the constraints on the inner predictions of outer folds "
            f"{folds}; the closest was chosen there."
        )


def decision_rule(
    given: Decisions, estimator: Any, classes: Classes | None, y: Any
) -> DecisionRule | None:
    """Return the rule that finds everything requested; None where nothing is.

    Parameters
    ----------
    given : Decisions
    estimator : estimator
    classes : Classes or None
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)

    Raises
    ------
    ValueError, TypeError
        If there are no plain classes, or the positive one of two is unknown.
    """
    reject = reject_rule(given.reject)
    wishes = ("calibration", "reject", "threshold")
    requested = next((name for name in wishes if getattr(given, name) is not None), None)
    if requested is None:
        return None
    if classes is None:
        raise ValueError(
            f"{requested} needs a classifier of plain classes, found {type(estimator).__name__} and "
            f"y of type {type_of_target(y)!r}."
        )
    if not any(hasattr(estimator, name) for name in _TO_CUT):
        raise ValueError(
            f"{requested} needs a classifier with predict_proba or decision_function, "
            f"{type(estimator).__name__} has none."
        )
    threshold = threshold_rule(given.threshold)
    if threshold is not None and (len(classes.counts) != 2 or classes.positive is None):
        raise ValueError(
            "threshold needs the positive one of two classes; pass pos_label. The classes "
            f"are {', '.join(map(repr, classes.counts))}."
        )
    return DecisionRule(given.calibration, threshold, classes.positive, reject)
