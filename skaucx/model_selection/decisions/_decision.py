"""Decisions found on predictions and applied to a fitted model: calibration, threshold, rejection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.utils import get_tags
from sklearn.utils.multiclass import type_of_target

from ..._compat import warn
from .._run_options import Decisions
from .._scoring import Classes
from .._types import ErrorScore, Rows, Scorer, Split
from ..execution._dataset import Dataset
from ..execution._job import Outcome, candidate_model, fit_model, score_fit
from ..execution._pool import OutOfFoldPredictions, pool, relative
from ._calibration import PACKAGED, calibrated, check_calibration, fit_calibration
from ._prediction_sets import Calibration, ConformalClassifier, SetRule, set_rule
from ._reject import (
    FixedDecisionClassifier,
    RejectingClassifier,
    RejectRule,
    confidence,
    reject_rule,
)
from ._several_thresholds import (
    ClassThresholdRule,
    CostRule,
    LabelRule,
    class_rule,
    label_rule,
)
from ._tuned_threshold import Cut, ThresholdRule, threshold_rule

# As FixedThresholdClassifier reads them.
_TO_CUT = ("predict_proba", "decision_function")


@dataclass(frozen=True, eq=False)
class Decision:
    """Calibration, threshold and rejection of a fitted model.

    Attributes
    ----------
    calibrator : CalibratedClassifierCV, CalibratingClassifier or None
        Fitted on the predictions that chose.
    cut : Cut or None
    positive : label or None
        The class that the threshold calls.
    reads : str
        The response that the threshold cuts.
    least : float or None
        The least confidence that is not rejected.
    sets : SetRule or None
        The sets of labels that are wanted.
    strangeness : Calibration or None
        The rows that sets by "refit" are compared with.
    calibration : str or None
        The method of calibration, or the class of the calibrator.
    classes : ndarray of shape (K,) or None
        The classes or labels of several thresholds.
    cost : ndarray of shape (K, K) or None
        Costs by which several classes are called.
    multilabel : bool
        Whether the thresholds are those of labels, of which a row has any number.
    """

    calibrator: Any
    cut: Cut | None
    positive: Any
    reads: str
    least: float | None = None
    sets: SetRule | None = None
    strangeness: Any = None
    calibration: str | None = None
    classes: Any = None
    cost: Any = None
    multilabel: bool = False

    @property
    def changes(self) -> bool:
        """Whether labels or probabilities are others than those of the model."""
        return any(each is not None for each in (self.calibrator, self.cut, self.cost))

    def over(self, model: Any, X: Any, y: Any) -> Any:
        """Return a classifier of scikit-learn that calibrates a fitted model and cuts its scores.

        It pickles and clones; cloned, it keeps the model as it was fitted. ``X`` and ``y`` of the
        fit define columns and classes.
        """
        if self.calibrator is not None:
            model = calibrated(self.calibrator, model)
        if self.classes is not None:
            return FixedDecisionClassifier(
                FrozenEstimator(model), **self._of(model), response_method=self.reads
            ).fit(X, y)
        if self.cut is None:
            return model
        return FixedThresholdClassifier(
            FrozenEstimator(model),
            threshold=self.cut.threshold,
            pos_label=self.positive,
            response_method=self.reads,
        ).fit(X, y)

    def _of(self, model: Any) -> dict[str, Any]:
        """Return the thresholds or costs of the classes that a model was fitted on."""
        at: Any = np.arange(len(self.classes))
        if isinstance(model.classes_, np.ndarray) and len(model.classes_) < len(at):
            at = np.searchsorted(self.classes, model.classes_)
        if self.cost is not None:
            return {"cost": self.cost[np.ix_(at, at)]}
        assert self.cut is not None
        return {"thresholds": self.cut.threshold[at]}

    def rejecting(self, model: Any) -> Any:
        """Return a fitted model that rejects examples of low confidence, if requested."""
        if self.least is None:
            return model
        cut = None if self.cut is None else self.cut.threshold
        if cut is not None and self.classes is not None:
            cut = self._of(model)["thresholds"]
        kept = RejectingClassifier(
            FrozenEstimator(model), self.least, cut=cut, pos_label=self.positive
        )
        return kept.fit()


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """The request: a calibration by its method or its calibrator, and rules for the rest."""

    calibration: Any
    threshold: ThresholdRule | ClassThresholdRule | CostRule | LabelRule | None
    positive: Any
    reject: RejectRule | None = None
    sets: SetRule | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """The predictions that it needs."""
        return ("predict", *_TO_CUT)

    def decide(self, predictions: OutOfFoldPredictions) -> Decision:
        """Find all of it on predictions of rows that no model was fitted on."""
        given = predictions
        if self.sets is not None and self.sets.method == "refit":
            assert given.classes is not None
            proba = given.responses["predict_proba"]
            known = Calibration.of(given.classes, given.y_true, proba, given.sample_weight)
        else:
            known = None
        responses: Mapping[str, NDArray[Any]] = predictions.responses
        calibrator = None
        if self.calibration is not None:
            calibrator, proba = fit_calibration(self.calibration, predictions)
            responses = {"predict_proba": proba}
        reads = next(name for name in _TO_CUT if name in responses)
        cut, classes, cost = self._cut(given, responses[reads], reads)
        least = None if self.reject is None else self._least(given, responses[reads], cut, reads)
        named = self.calibration is None or isinstance(self.calibration, str)
        how = self.calibration if named else type(self.calibration).__name__
        return Decision(
            calibrator, cut, self.positive, reads, least, self.sets, known, how, classes, cost,
            multilabel=given.y_true.ndim > 1,
        )  # fmt: skip

    def _cut(
        self, given: OutOfFoldPredictions, response: NDArray[Any], reads: str
    ) -> tuple[Cut | None, Any, Any]:
        """Return the threshold, or those of several classes or labels with these, or costs."""
        rule, y_true, weight = self.threshold, given.y_true, given.sample_weight
        if rule is None:
            return None, None, None
        if isinstance(rule, CostRule):
            return None, given.classes, rule.cost
        if isinstance(rule, ThresholdRule):
            score = _of_class(response, given.classes, self.positive)
            return rule.choose(y_true, score, self.positive, weight), None, None
        ratio = reads == "predict_proba"
        if isinstance(rule, ClassThresholdRule):
            assert given.classes is not None
            cut = rule.choose(y_true, response, given.classes, weight, ratio=ratio)
            return cut, given.classes, None
        cut = rule.choose(y_true, response, weight, ratio=ratio)
        return cut, np.arange(y_true.shape[1]), None

    def _least(
        self, given: OutOfFoldPredictions, response: NDArray[Any], cut: Cut | None, reads: str
    ) -> float:
        """Return the least confidence that is accepted."""
        assert self.reject is not None
        assert given.classes is not None
        classes, threshold, column = given.classes, None, -1
        if cut is not None and len(classes) > 2:
            response, cut = relative(response, cut.threshold, reads), None
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
    """A fitted model, the same with calibration and threshold, and what gives sets of labels."""

    plain: Any
    model: Any
    decision: Decision
    sets: ConformalClassifier | None

    def shipped(self) -> Any:
        """Return the one object that does all of it."""
        model = self.decision.rejecting(self.model)
        if self.sets is None:
            return model
        self.sets.estimator, self.sets.estimator_ = FrozenEstimator(model), model
        return self.sets


def decide_over(
    plain: Any,
    decision: Decision,
    fresh: Callable[[], Any],
    data: Dataset,
    train: Rows,
    splits: Sequence[Split],
) -> Decided:
    """Lay a decision over a fitted model; sets of labels by "cv+" take a model more a split."""
    model = decision.over(plain, data.features(train, train), data.targets(train))
    if decision.sets is None:
        return Decided(plain, model, decision, None)
    models, calibrations = [plain], [decision.strangeness]
    if decision.sets.method == "cv+":
        models = [fit_model(fresh(), data, part) for part, _ in splits]
        calibrations = [
            _left_out(one, data, *split) for one, split in zip(models, splits, strict=True)
        ]
    sets = ConformalClassifier(FrozenEstimator(model), **vars(decision.sets))
    return Decided(plain, model, decision, sets.of(model, models, calibrations))


def _left_out(model: Any, data: Dataset, train: Rows, test: Rows) -> Calibration:
    proba = model.predict_proba(data.features(test, train))
    return Calibration.of(model.classes_, data.targets(test), proba, data.weights(test))


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
    splits: Sequence[Split] = (),
    keep: Sequence[str] = (),
) -> Outcome:
    """Fit a candidate on ``train`` and score it on ``test``, with the decision and without."""
    fresh = partial(candidate_model, estimator, params)

    def fit() -> Decided:
        return decide_over(fit_model(fresh(), data, train), decision, fresh, data, train, splits)

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
    """Score the decided model, the plain model, the accepted rows, and the sets."""
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
    return outcome if found.sets is None else replace(outcome, sets=found.sets.predict_set(X))


def _accepted(
    model: Any, data: Dataset, train: Rows, rows: Rows, scorer: Scorer
) -> Mapping[str, float]:
    """Score the rows that were not rejected; nan where none is left."""
    if not len(rows):
        return dict.fromkeys(scorer.names, np.nan)
    X, y = data.features(rows, train), data.targets(rows)
    return scorer.evaluate(model, X, y, **data.score_options(rows)).scores


def fit_decided(
    model: Any, data: Dataset, rows: Rows, decision: Decision, splits: Sequence[Split] = ()
) -> Any:
    """Fit on some rows and lay the decision over the model."""
    fresh = partial(clone, model)
    return decide_over(
        fit_model(fresh(), data, rows), decision, fresh, data, rows, splits
    ).shipped()


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
    given: Decisions, estimator: Any, classes: Classes | None, y: Any, *, weighted: bool
) -> DecisionRule | None:
    """Return the rule that finds everything requested; None where nothing is.

    Parameters
    ----------
    given : Decisions
    estimator : estimator
    classes : Classes or None
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    weighted : bool
        Whether rows have weights.

    Raises
    ------
    ValueError, TypeError
        If there are no scores to calibrate or to threshold, or the positive class is unknown.
    """
    calibration = given.calibration
    check_calibration(calibration, weighted)
    reject, sets = reject_rule(given.reject), set_rule(given.prediction_sets)
    wishes = ("calibration", "reject", "prediction_sets", "threshold")
    requested = next((name for name in wishes if getattr(given, name) is not None), None)
    if requested is None:
        return None
    if classes is None:
        labels = is_classifier(estimator) and type_of_target(y) == "multilabel-indicator"
        if requested != "threshold" or not labels:
            raise ValueError(
                f"{requested} needs a classifier of plain classes, found {type(estimator).__name__} and "
                f"y of type {type_of_target(y)!r}."
            )
        _check_scores("threshold", estimator, ("predict_proba", "decision_function"))
        return DecisionRule(None, label_rule(given.threshold, np.shape(y)[1]), None)
    if isinstance(calibration, str) and calibration in PACKAGED:
        _check_scores(f"calibration={calibration!r}", estimator, ("predict_proba",))
    if sets is not None:
        _check_sets(estimator, sets.method)
    rule = _threshold_rule(given.threshold, classes)
    if isinstance(rule, CostRule):
        if calibration is None:
            _check_scores("threshold by costs of several classes", estimator, ("predict_proba",))
        if reject is not None:
            raise ValueError(
                "reject rejects by a confidence, which costs of several classes do not define; "
                "choose threshold by a metric, such as get_scorer('neg_expected_cost', cost=...)."
            )
    return DecisionRule(calibration, rule, classes.positive, reject, sets)


def _threshold_rule(
    given: Any, classes: Classes
) -> ThresholdRule | ClassThresholdRule | CostRule | None:
    """Return the rule of one threshold of two classes, or of one a class."""
    if given is None:
        return None
    if len(classes.counts) > 2:
        return class_rule(given, np.array(list(classes.counts)))
    rule = threshold_rule(given)
    if len(classes.counts) != 2 or classes.positive is None:
        raise ValueError(
            "threshold needs the positive one of two classes; pass pos_label. The classes "
            f"are {', '.join(map(repr, classes.counts))}."
        )
    return rule


def _check_scores(what: str, estimator: Any, wanted: Sequence[str]) -> None:
    if not any(hasattr(estimator, name) for name in wanted):
        raise ValueError(
            f"{what} needs a classifier with {' or '.join(wanted)}, {type(estimator).__name__} has "
            "none."
        )


def _check_sets(estimator: Any, method: str) -> None:
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"prediction_sets needs a classifier with predict_proba, {type(estimator).__name__} "
            f"has none; wrap it into a CalibratedClassifierCV."
        )
    if method == "cv+" and get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            "prediction_sets by 'cv+' predicts by models of other rows, which a matrix of kernels "
            "or distances does not allow; use {'method': 'refit', ...}."
        )
