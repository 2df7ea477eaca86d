"""A calibration and a threshold, found on predictions and laid over a fitted model."""

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
    """

    calibrator: Any
    cut: Cut | None
    positive: Any
    reads: str

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


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """What is to be found: a calibration by a method of CalibratedClassifierCV, a threshold, or both."""

    calibration: str | None
    threshold: ThresholdRule | None
    positive: Any

    @property
    def reads(self) -> tuple[str, ...]:
        """The predictions that it needs."""
        return ("predict", *_TO_CUT)

    def decide(self, predictions: OutOfFoldPredictions) -> Decision:
        """Find calibration and threshold on predictions of rows that no model was fitted on."""
        responses: Mapping[str, NDArray[Any]] = predictions.responses
        calibrator = None
        if self.calibration is not None:
            method = next(name for name in _TO_CALIBRATE if name in responses)
            calibrator = _fit_calibrator(self.calibration, predictions, method)
            responses = {"predict_proba": calibrator.predict_proba(_table(responses[method]))}
        reads = next(name for name in _TO_CUT if name in responses)
        if self.threshold is None:
            return Decision(calibrator, None, self.positive, reads)
        score = _of_class(responses[reads], predictions.classes, self.positive)
        cut = self.threshold.choose(
            predictions.y_true, score, self.positive, predictions.sample_weight
        )
        return Decision(calibrator, cut, self.positive, reads)


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
