"""Decisions found on predictions and applied to a fitted model: calibration, threshold, rejection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.utils.multiclass import type_of_target

from ..._compat import warn
from .._run_options import Decisions
from .._scoring import Classes
from ..execution._out_of_fold import OutOfFoldPredictions
from ._calibration import calibrated, fit_calibration
from ._rejecting import RejectingClassifier, check_reject, confidence, least_accepted
from ._threshold import Cut, threshold_rule

# As FixedThresholdClassifier reads them.
_TO_CUT = ("predict_proba", "decision_function")
# The inner predictions on which decisions are found.
READS = ("predict", *_TO_CUT)


@dataclass(frozen=True, eq=False)
class Decision:
    """Calibration, threshold and rejection of a fitted model.

    Attributes
    ----------
    calibrator : CalibratedClassifierCV or None
        Fitted on the predictions that chose.
    cut : Cut or None
    positive : label or None
        The class that is predicted at or above the threshold.
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

    @classmethod
    def of(cls, given: Decisions, predictions: OutOfFoldPredictions) -> Decision:
        """Find all that is requested on predictions of rows that no model was fitted on."""
        responses: Mapping[str, NDArray[Any]] = predictions.responses
        calibrator, cut, least = None, None, None
        if given.calibration is not None:
            calibrator, proba = fit_calibration(given.calibration, predictions)
            responses = {"predict_proba": proba}
        reads = next(name for name in _TO_CUT if name in responses)
        response, y_true, weight = responses[reads], predictions.y_true, predictions.sample_weight
        classes, positive = np.asarray(predictions.classes), predictions.positive
        wide = response if response.ndim == 2 else np.c_[-response, response]
        column = 0 if positive == classes[0] else len(classes) - 1
        if (threshold := threshold_rule(given.threshold)) is not None:
            cut = threshold.choose(y_true, wide[:, column], positive, weight)
        if given.reject is not None:
            at = None if cut is None else cut.threshold
            predicted = wide.argmax(axis=1)
            if at is not None:
                predicted = np.where(wide[:, column] >= at, column, 1 - column)
            wrong = classes[predicted] != y_true
            least = least_accepted(given.reject, confidence(response, at, column), wrong, weight)
        return cls(calibrator, cut, positive, reads, least, given.calibration)

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


def check_decisions(given: Decisions, estimator: Any, classes: Classes | None, y: Any) -> None:
    """Check what is to be decided besides the parameters.

    Raises
    ------
    ValueError, TypeError
        If there are no plain classes, or the positive one of two is unknown.
    """
    wishes = {name: getattr(given, name) for name in ("calibration", "reject", "threshold")}
    requested = [name for name, wish in wishes.items() if wish is not None]
    if given.reject is not None:
        check_reject(given.reject)
    if requested and classes is None:
        raise ValueError(
            f"{requested[0]} needs a classifier of plain classes, found {type(estimator).__name__} and "
            f"y of type {type_of_target(y)!r}."
        )
    if requested and not any(hasattr(estimator, name) for name in _TO_CUT):
        raise ValueError(
            f"{requested[0]} needs a classifier with predict_proba or decision_function, "
            f"{type(estimator).__name__} has none."
        )
    unnamed = classes is None or len(classes.counts) != 2 or classes.positive is None
    if threshold_rule(given.threshold) is not None and unnamed:
        raise ValueError(
            "threshold needs the positive one of two classes; pass pos_label. The classes "
            f"are {', '.join(map(repr, classes.counts if classes else ()))}."
        )
