"""What a nested cross-validation is to choose from inner predictions, beside candidates, checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn.utils import get_tags

from .._positive import Classes
from ._calibration import check_calibration
from ._decision import DecisionRule
from ._reject import reject_rule
from ._sets import set_rule
from ._threshold import threshold_rule


def decision_rule(
    given: Mapping[str, Any], estimator: Any, classes: Classes | None, *, weighted: bool
) -> DecisionRule | None:
    """Return the rule by which all that is asked for is found; None where nothing is.

    Parameters
    ----------
    given : dict
        ``calibration``, ``threshold``, ``reject`` and ``prediction_sets`` of a :class:`NestedCV`.
    estimator : estimator
    classes : Classes or None
    weighted : bool
        Whether rows have weights.

    Raises
    ------
    ValueError, TypeError
        If there is nothing to calibrate or to cut, or nothing that tells the positive class.
    """
    calibration = given["calibration"]
    check_calibration(calibration, weighted)
    rule = threshold_rule(given["threshold"])
    reject, sets = reject_rule(given["reject"]), set_rule(given["prediction_sets"])
    wishes = ("calibration", "threshold", "reject", "prediction_sets")
    asked = next((name for name in wishes if given[name] is not None), None)
    if asked is None:
        return None
    if classes is None:
        raise ValueError(
            f"{asked} needs a classifier of plain classes, found {type(estimator).__name__}."
        )
    if sets is not None:
        _check_sets(estimator, sets.method)
    if rule is not None and (len(classes.counts) != 2 or classes.positive is None):
        raise ValueError(
            "threshold needs two classes and the positive one of them; pass pos_label. The classes "
            f"are {', '.join(map(repr, classes.counts))}."
        )
    return DecisionRule(calibration, rule, classes.positive, reject, sets)


def _check_sets(estimator: Any, method: str) -> None:
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"prediction_sets needs a classifier with predict_proba, {type(estimator).__name__} has "
            "none; wrap it into a CalibratedClassifierCV."
        )
    if method == "cv+" and get_tags(estimator).input_tags.pairwise:
        raise ValueError(
            "prediction_sets by 'cv+' predicts by models of other rows, which a matrix of kernels "
            "or distances does not allow; use {'method': 'refit', ...}."
        )
