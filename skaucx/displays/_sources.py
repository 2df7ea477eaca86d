"""What the curves of a display are made of: estimators, the folds of a cross-validation, points."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .._arrays import Array, by_name, take_rows
from .._options import check_choice
from ..metrics._records.inputs import positive_scores
from ..metrics._scorers.one_pass import first_method

_METHODS = {
    "auto": ("predict_proba", "decision_function"),
    "predict_proba": ("predict_proba",),
    "decision_function": ("decision_function",),
}


def estimator_name(estimator: Any) -> str:
    """Return the name of an estimator's class, of a pipeline that of its last step."""
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    return type(last).__name__


def scores(
    estimator: Any, X: Any, response_method: str, pos_label: Any
) -> tuple[Array, Array, Any]:
    """Return the scores, the classes, and the positive class of two.

    The scores are those of the positive class of two, or of `pos_label` where it is given; otherwise
    a matrix with a column a class.
    """
    check_is_fitted(estimator)
    if not is_classifier(estimator):
        raise ValueError(f"estimator must be a classifier, found {estimator_name(estimator)}.")
    check_choice("response_method", response_method, _METHODS)
    method = first_method(estimator, _METHODS[response_method], "a display")
    classes = np.asarray(estimator.classes_)
    response = np.asarray(by_name(getattr(estimator, method)(X), classes, method))
    if pos_label is None and len(classes) > 2:
        return response, classes, None
    positive = classes[-1] if pos_label is None else pos_label
    return positive_scores(response, classes, positive), classes, positive


def folds(
    cv_results: Mapping[str, Any], X: Any, y: Any, sample_weight: Any
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield the fitted estimator of each fold with its test rows of X, y and the weights."""
    missing = [key for key in ("estimator", "indices") if key not in cv_results]
    if missing:
        raise ValueError(
            f"cv_results lacks {missing}; call cross_validate with return_estimator=True and "
            "return_indices=True."
        )
    splits = cv_results["indices"]
    rows = len(splits["train"][0]) + len(splits["test"][0])
    found = X.shape[0] if hasattr(X, "shape") else len(X)
    if found < rows:
        raise ValueError(f"X must be the cross-validated data, {rows} rows, found {found}.")
    for estimator, test in zip(cv_results["estimator"], splits["test"], strict=True):
        weight = None if sample_weight is None else np.asarray(sample_weight)[test]
        yield estimator, take_rows(X, test), np.asarray(take_rows(y, test)), weight


def curves_of_points(curves: Any, make: Callable[..., Any], **rates: Any) -> Any:
    """Return the curves that were given, or the one through points in their place."""
    given = [rate for rate in rates.values() if rate is not None]
    if len(given) != (2 if curves is None else 0):
        raise TypeError(f"Pass either curves, or {' and '.join(rates)}.")
    return make(*given) if curves is None else curves


def class_name(key: Any, name: str | None) -> str:
    """Return the name of the curve of a class: "class A", and "class 0" once."""
    if name is not None:
        return f"{name}: {key}"
    return str(key) if str(key).lower().startswith("class") else f"class {key}"
