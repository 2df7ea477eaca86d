"""What is found on predictions and laid over a fitted model: calibration, threshold, rejection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from ..results._pool import OutOfFoldPredictions
from ._calibration import calibrated, fit_calibration
from ._reject import RejectingClassifier, RejectRule, confidence
from ._sets import Calibration, SetRule
from ._threshold import Cut, ThresholdRule

# As FixedThresholdClassifier reads them.
_TO_CUT = ("predict_proba", "decision_function")


@dataclass(frozen=True, eq=False)
class Decision:
    """What is laid over a fitted model.

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
    """

    calibrator: Any
    cut: Cut | None
    positive: Any
    reads: str
    least: float | None = None
    sets: SetRule | None = None
    strangeness: Any = None
    calibration: str | None = None

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
    """What is to be found: a calibration by its method or its calibrator, and rules for the rest."""

    calibration: Any
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
            calibrator, proba = fit_calibration(self.calibration, predictions)
            responses = {"predict_proba": proba}
        reads = next(name for name in _TO_CUT if name in responses)
        cut = None
        if self.threshold is not None:
            score = _of_class(responses[reads], given.classes, self.positive)
            cut = self.threshold.choose(given.y_true, score, self.positive, given.sample_weight)
        least = None if self.reject is None else self._least(given, responses[reads], cut)
        named = self.calibration is None or isinstance(self.calibration, str)
        how = self.calibration if named else type(self.calibration).__name__
        return Decision(calibrator, cut, self.positive, reads, least, self.sets, known, how)

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
