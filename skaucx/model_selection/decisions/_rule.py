"""What ``calibration`` and ``threshold`` of a nested cross-validation ask for, checked."""

from __future__ import annotations

from typing import Any

from .._positive import Classes
from ._decision import DecisionRule
from ._threshold import threshold_rule

METHODS = ("sigmoid", "isotonic")


def decision_rule(
    calibration: Any, threshold: Any, search: Any, estimator: Any, classes: Classes | None
) -> DecisionRule | None:
    """Return the rule by which calibration and threshold are found; None where none is wanted.

    Raises
    ------
    ValueError, TypeError
        If there is nothing to calibrate or to cut, or nothing that tells the positive class.
    """
    if calibration is not None and calibration not in METHODS:
        raise ValueError(f"calibration must be one of {METHODS} or None, found {calibration!r}.")
    rule = threshold_rule(threshold)
    if calibration is None and rule is None:
        return None
    asked = "threshold" if calibration is None else "calibration"
    if search is not None:
        raise ValueError(
            f"{asked} needs candidates that all outer folds share, and every "
            f"{type(search).__name__} finds its own; set a CalibratedClassifierCV or a "
            "TunedThresholdClassifierCV as its estimator."
        )
    if classes is None:
        raise ValueError(f"{asked} needs a classifier, found {type(estimator).__name__}.")
    if rule is not None and (len(classes.counts) != 2 or classes.positive is None):
        raise ValueError(
            "threshold needs two classes and the positive one of them; pass pos_label. The classes "
            f"are {', '.join(map(repr, classes.counts))}."
        )
    return DecisionRule(calibration, rule, classes.positive)
