"""Where the curves of a display come from: estimators, predictions, the folds of a cross-validation."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from .._arguments import Label
from .._arrays import Array, by_name, check_same_length, code_of, host_array, label_array, take_rows
from .._options import check_choice
from .._plotting import Display
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


Scored = tuple[Any, Any, Any]  # labels, scores and weights

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


class CurveSources(Display):
    """Base of displays of curves that are made from labels and scores.

    Parameters
    ----------
    curves : curve, sequence of curves, or mapping from name to either
        One curve; several that share a style, such as those of the folds of a cross-validation; or
        curves by name, such as those of several classes or classifiers.
    name : str or list of str, default=None
        Name in the legend; a list names each of several curves.
    pos_label : int, float, bool or str, default=None
        The positive class, named on the axes.
    """

    _make: ClassVar[Callable[..., Any]]
    _anonymous: ClassVar[str | None] = "Classifier"

    def __init__(
        self, curves: Curves, *, name: str | Sequence[str] | None = None, pos_label: Label = None
    ) -> None:
        self.curves: Any = curves
        self.name = name
        self.pos_label: Any = pos_label

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier; of more than two classes, one curve each.

        Parameters
        ----------
        estimator : fitted classifier or pipeline
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
            "auto" takes the first of the two that the estimator has.
        pos_label : int, float, bool or str, default=None
            The positive class, the greater of two by default. Of several classes, the only one to
            draw against the rest.
        name : str, default=None
            Name in the legend, by default that of the estimator's class.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`, and of the function that makes the curve.

        Returns
        -------
        display
            Drawn, with ``ax_`` and ``figure_``.
        """
        score, classes, positive = scores(estimator, X, response_method, pos_label)
        return cls._drawn(
            [(host_array(y), score, sample_weight)],
            labels=classes,
            pos_label=positive,
            name=estimator_name(estimator) if name is None and positive is not None else name,
            ax=ax,
            options=options,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        labels: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of scores; from a matrix of a column a class, one curve each.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
            True labels, or multilabel indicators.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
            Scores of the positive class, or one column a class in sorted order.
        sample_weight : array-like of shape (n_samples,), default=None
        labels : array-like of shape (n_classes,), default=None
            The sorted classes of the columns, if some do not occur.
        pos_label : int, float, bool or str, default=None
            The positive class of two; see :func:`recall_score`.
        name : str, default=None
            Name in the legend.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`, and of the function that makes the curve.

        Returns
        -------
        display
            Drawn, with ``ax_`` and ``figure_``.
        """
        return cls._drawn(
            [(y_true, y_score, sample_weight)],
            labels=labels,
            pos_label=pos_label,
            name=cls._anonymous if name is None and np.ndim(y_score) == 1 else name,
            ax=ax,
            options=options,
        )

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        response_method: str = "auto",
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        chance_level_kwargs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of each fold of a cross-validation on its test rows.

        Parameters
        ----------
        cv_results : dict
            From :func:`sklearn.model_selection.cross_validate` with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            What was cross-validated.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        pos_label : int, float, bool or str, default=None
            As in `from_estimator`.
        name : str, default=None
            Name in the legend, where the folds share one entry: mean and standard deviation (with
            the number of folds less one in the denominator).
        ax : matplotlib Axes, default=None
            New ones if None.
        chance_level_kwargs : dict, default=None
            The name that scikit-learn gives `chance_level_kw` here.
        **options
            Keywords of `plot`, and of the function that makes the curve.

        Returns
        -------
        display
            Drawn, with ``ax_`` and ``figure_``.
        """
        if chance_level_kwargs is not None:
            options["chance_level_kw"] = chance_level_kwargs
        check_same_classes(cv_results)
        data, labels, positive = [], None, pos_label
        for estimator, part, truth, weight in folds(cv_results, X, y, sample_weight):
            score, labels, positive = scores(estimator, part, response_method, pos_label)
            data.append((truth, score, weight))
        return cls._drawn(
            data, labels=labels, pos_label=positive, name=name, ax=ax, options=options
        )

    @classmethod
    def _drawn(
        cls,
        data: Sequence[Scored],
        *,
        labels: Any,
        pos_label: Any,
        name: str | None,
        ax: Any,
        options: dict[str, Any],
    ) -> Self:
        """Make the curves of one or more sets of scores, and draw them."""
        known = inspect.signature(cls.plot).parameters
        drawing = {key: value for key, value in options.items() if key in known}
        if "kwargs" in known:  # those of matplotlib: what does not make a curve
            makes = {"averages", *inspect.signature(cls._make).parameters}
            drawing |= {key: value for key, value in options.items() if key not in makes}
        making = {key: value for key, value in options.items() if key not in drawing}
        made = [cls._made(scored, labels, pos_label, making) for scored in data]
        curves = {key: [part[key] for part in made] for key in made[0]}
        if None not in curves:
            named = {_class_name(key, name): several for key, several in curves.items()}
            return cls(named).plot(ax, **drawing)
        positive = _positive_class(data[0][0]) if pos_label is None else pos_label
        if len(curves) == 1:
            [several] = curves.values()
            return cls(
                several[0] if len(data) == 1 else several, name=name, pos_label=positive
            ).plot(ax, **drawing)
        named = {str(name or "ROC") if key is None else key: c for key, c in curves.items()}
        return cls(named, pos_label=positive).plot(ax, **drawing)

    @classmethod
    def _made(
        cls,
        scored: Scored,
        labels: Any,
        pos_label: Any,
        options: dict[str, Any],
        make: Callable[..., Any] | None = None,
    ) -> dict[Any, Any]:
        """Make the curves of one set of scores: one a class, or under None that of two classes."""
        y, score, weight = scored
        make = make or cls._make
        averages = options.get("averages", ())
        for average in averages:
            check_choice("averages", average, ("macro", "micro"))
        options = {key: option for key, option in options.items() if key != "averages"}
        if np.ndim(score) == 2 and np.shape(score)[1] > 1:
            shared = {"labels": labels, "sample_weight": weight}
            curves = one_vs_rest_curves(make, y, score, **shared, **options)
            return curves | _averages(make, scored, labels, curves, averages, options)
        if averages:
            raise ValueError("averages are those of several classes, and scores of one are given.")
        y = label_array(y, "y_true")
        if pos_label is not None and len(np.unique(y)) > 2:
            y, pos_label = y == pos_label, True
        return {None: make(y, score, pos_label=pos_label, sample_weight=weight, **options)}

    def _labelled(self, axis: str) -> str:
        """Return the label of an axis, with the positive class if it is known: once in a figure."""
        note = f"(Positive label: {self.pos_label})"
        others = (" ".join(ax.get_xlabel().split()) for ax in self.figure_.axes if ax != self.ax_)
        known = self.pos_label is None or any(note in other for other in others)
        return axis if known else f"{axis} {note}"


def _averages(
    make: Callable[..., Any],
    scored: Scored,
    labels: Any,
    curves: Mapping[Any, Any],
    wanted: Sequence[str],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the mean of the curves of all classes, and the curve of all cells of the scores."""
    y, score, weight = scored
    made: dict[str, Any] = {}
    if "macro" in wanted:
        made[MACRO] = mean_curve(list(curves.values()))
    if "micro" in wanted:
        shared = {"labels": labels, "sample_weight": weight, "micro": True}
        made[MICRO] = one_vs_rest_curves(make, y, score, **shared, **options)["micro"]
    return made


def _class_name(key: Any, name: str | None) -> str:
    """Return the name of a class's curve, or of an average: "class A", and "class 0" once."""
    if key in (MACRO, MICRO):
        return str(key)
    if name is not None:
        return f"{name}: {key}"
    return str(key) if str(key).lower().startswith("class") else f"class {key}"


def class_sizes(data: Sequence[Scored], pos_label: Any) -> Any:
    """Return the numbers of negatives and positives of a single unweighted set; True of others."""
    [(y, score, weight), *others] = data
    if others or weight is not None or (np.ndim(score) > 1 and np.shape(score)[1] > 1):
        return True
    y = host_array(y)
    positive = np.count_nonzero(y == (_positive_class(y) if pos_label is None else pos_label))
    return len(y) - positive, positive


def _positive_class(y: Any) -> Any:
    classes = np.unique(host_array(y))
    code = code_of(classes, 1) if names_positive(classes) else -1
    return None if code < 0 else classes[code]
