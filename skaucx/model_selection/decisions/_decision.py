"""What is found on predictions and laid over a fitted model: calibration, threshold, rejection."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from ..results._pool import OutOfFoldPredictions
from ._reject import RejectingClassifier, RejectRule, confidence
from ._sets import Calibration, SetRule
from ._threshold import Cut, ThresholdRule

# As CalibratedClassifierCV reads them, and as FixedThresholdClassifier does.
_TO_CALIBRATE = ("decision_function", "predict_proba")
_TO_CUT = ("predict_proba", "decision_function")


@dataclass(frozen=True, eq=False)
class Decision:
    """What is laid over a fitted model.

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
    sets : SetRule or None
        The sets of labels that are wanted.
    strangeness : Calibration or None
        The rows that sets by "refit" are compared with.
    """

    calibrator: Any
    cut: Cut | None
    positive: Any
    reads: str
    least: float | None = None
    sets: SetRule | None = None
    strangeness: Any = None

    @property
    def changes(self) -> bool:
        """Whether labels or probabilities are others than those of the model."""
        return self.calibrator is not None or self.cut is not None

    def over(self, model: Any, X: Any, y: Any) -> Any:
        """Return a classifier of scikit-learn that calibrates a fitted model and cuts its scores.

        It pickles and clones; cloned, it keeps the model as it was fitted. ``X`` and ``y``, which it
        was fitted on, tell columns and classes.
        """
        if self.calibrator is not None:
            model = _calibrated(self.calibrator, model)
        if self.cut is None:
            return model
        return FixedThresholdClassifier(
            FrozenEstimator(model),
            threshold=self.cut.threshold,
            pos_label=self.positive,
            response_method=self.reads,
        ).fit(X, y)

    def rejecting(self, model: Any) -> Any:
        """Return a fitted model that rejects what it is not sure enough of, where that is wanted."""
        if self.least is None:
            return model
        cut = None if self.cut is None else self.cut.threshold
        kept = RejectingClassifier(
            FrozenEstimator(model), self.least, cut=cut, pos_label=self.positive
        )
        return kept.fit()


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """What is to be found: a calibration by a method of scikit-learn's, and rules for the rest."""

    calibration: str | None
    threshold: ThresholdRule | None
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
            method = next(name for name in _TO_CALIBRATE if name in responses)
            calibrator = _fit_calibrator(self.calibration, predictions, method)
            responses = {"predict_proba": calibrator.predict_proba(_table(responses[method]))}
        reads = next(name for name in _TO_CUT if name in responses)
        cut = None
        if self.threshold is not None:
            score = _of_class(responses[reads], given.classes, self.positive)
            cut = self.threshold.choose(given.y_true, score, self.positive, given.sample_weight)
        least = None if self.reject is None else self._least(given, responses[reads], cut)
        return Decision(calibrator, cut, self.positive, reads, least, self.sets, known)

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


class _Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier whose X are its predictions."""

    def __init__(self, classes: Any = None) -> None:
        self.classes = classes

    @property
    def classes_(self) -> Any:
        return self.classes

    def fit(self, X: Any, y: Any) -> _Given:
        return self

    def predict(self, X: Any) -> Any:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _GivenProbabilities(_Given):
    def predict_proba(self, X: Any) -> Any:
        return X


class _GivenDecisions(_Given):
    def decision_function(self, X: Any) -> Any:
        return X[:, 0] if X.shape[1] == 1 else X


def _fit_calibrator(method: str, predictions: OutOfFoldPredictions, reads: str) -> Any:
    kind = _GivenProbabilities if reads == "predict_proba" else _GivenDecisions
    given = FrozenEstimator(kind(predictions.classes))
    every = np.arange(len(predictions.row))
    calibrator = CalibratedClassifierCV(given, method=method, cv=[(every, every)], ensemble=False)
    with warnings.catch_warnings():
        # Weights count in the calibration, and the frozen model is not fitted.
        warnings.filterwarnings("ignore", ".*sample.weight.*")
        calibrator.fit(
            _table(predictions.responses[reads]),
            predictions.y_true,
            sample_weight=predictions.sample_weight,
        )
    return calibrator.set_params(cv=None)


def _calibrated(calibrator: Any, model: Any) -> Any:
    """Return a calibrator with a fitted model in the place of the given predictions."""
    made = deepcopy(calibrator)
    made.estimator = FrozenEstimator(model)
    made.calibrated_classifiers_[0].estimator = made.estimator
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(model, name):
            setattr(made, name, getattr(model, name))
        elif hasattr(made, name):
            delattr(made, name)
    return made


def _table(response: NDArray[Any]) -> NDArray[Any]:
    return response[:, None] if response.ndim == 1 else response


def _of_class(response: NDArray[Any], classes: Any, positive: Any) -> NDArray[Any]:
    last = positive == classes[-1]
    if response.ndim == 2:
        return response[:, -1 if last else 0]
    return response if last else -response
