"""Where the curves of a display come from: estimators, predictions, the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .._arrays import Array, by_name, check_same_length, code_of, host_array, take_rows
from .._options import check_choice
from ..metrics._records.inputs import names_positive, positive_scores
from ..metrics._scorers.one_pass import first_method
from ..metrics.curves import mean_curve, one_vs_rest_curves

if TYPE_CHECKING:
    from ..metrics.curves._ranked import Points
    from ..metrics.curves._thresholds import ThresholdCurves

Curve: TypeAlias = "Points | ThresholdCurves"
# One curve, several that share a style, or those of several models by name.
Curves: TypeAlias = "Curve | Sequence[Curve] | Mapping[str, Curve | Sequence[Curve]] | None"

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
    cv_results: Mapping[str, Any], X: Any, y: Any, sample_weight: Any = None
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


def check_same_classes(cv_results: Mapping[str, Any]) -> None:
    """Raise an error for folds whose classifiers were trained on different classes."""
    known = {
        tuple(np.asarray(getattr(estimator, "classes_", ())).tolist())
        for estimator in cv_results.get("estimator", ())
    }
    if len(known) > 1:
        raise ValueError(
            f"The classifiers of the folds know different classes, {sorted(known)}; use stratified "
            "folds."
        )


Scored: TypeAlias = tuple[Any, Any, Any]  # labels, scores and weights

MACRO, MICRO = "macro average", "micro average"


def curves_of_points(curves: Any, make: Callable[..., Any], each: Any = None, **rates: Any) -> Any:
    """Return the curves that were given, or those through points in their place.

    Points are two arrays, or two lists of arrays, then with one value of `each` a curve.
    """
    first, second = rates.values()
    if (curves is None) == (first is None or second is None) or (first is None) != (second is None):
        raise TypeError(f"Pass either curves, or {' and '.join(rates)}.")
    if curves is not None:
        return curves
    if not (isinstance(first, list | tuple) and len(first) and np.ndim(first[0])):
        return make(first, second, *stated_values(each))
    text = [] if each is None else [stated_values(each)]
    check_same_length(rates | {"the value of each curve": text[0] if text else None})
    return [make(*given) for given in zip(first, second, *text, strict=True)]


def stated_values(given: Any) -> list[Any]:
    """Return one value a curve, of a number or a list; none where None is given."""
    return [] if given is None else np.atleast_1d(np.asarray(given, dtype=np.float64)).tolist()


def one_name(name: Any, estimator_name: Any) -> Any:
    """Return the name in the legend; `estimator_name` is its older keyword."""
    if name is not None and estimator_name is not None:
        raise TypeError("Pass either name or estimator_name.")
    return estimator_name if name is None else name


def averages_of_classes(
    make: Callable[..., Any],
    y: Any,
    score: Any,
    curves: Mapping[Any, Any],
    wanted: Sequence[str],
    how: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the mean of the curves of all classes, and the curve of all cells of the scores."""
    made: dict[str, Any] = {}
    if "macro" in wanted:
        made[MACRO] = mean_curve(list(curves.values()))
    if "micro" in wanted:
        made[MICRO] = one_vs_rest_curves(make, y, score, micro=True, **how)["micro"]
    return made


def class_name(key: Any, name: str | None) -> str:
    """Return the name of a class's curve, or of an average: "class A", and "class 0" once."""
    if key in (MACRO, MICRO):
        return str(key)
    if name is not None:
        return f"{name}: {key}"
    return str(key) if str(key).lower().startswith("class") else f"class {key}"


def positive_class(y: Any) -> Any:
    """Return the positive class of labels that name it, otherwise None."""
    classes = np.unique(host_array(y))
    code = code_of(classes, 1) if names_positive(classes) else -1
    return None if code < 0 else classes[code]
