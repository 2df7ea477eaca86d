"""A metric with bound parameters, as called by a scorer."""

from __future__ import annotations

import inspect
from copy import copy
from typing import Any

import numpy as np

from ..._arrays import (
    Array,
    host_array,
    label_array,
    number_classes,
    shown,
)
from ..._compat import score_function
from .._kinds.base import STRICT
from .._records.inputs import names_positive, unnamed_positive
from .._registry.declare import MetricFunction, evaluate_arrays
from .._registry.row import Metric, MetricEvaluator

# Log-odds come from decision_function only; the range of the scored set brings any score into [0, 1].
_RESCALED: dict[str | None, str | tuple[str, ...]] = {
    "expit": "decision_function",
    "minmax": ("decision_function", "predict_proba"),
}


class BoundMetric:
    """A metric with parameters bound, as a scorer calls it.

    Where the value is undefined it is that of the function if it is finite, otherwise the worst of the
    metric's range; binding `zero_division` chooses another value.

    Its signature shows the bound parameters, because scikit-learn reads from there which class a
    scorer takes as positive.

    Parameters
    ----------
    function : callable
        A metric of this package.
    parameters : dict
        Its parameters.
    response_method : str or tuple of str, default=None
        The response method of a classifier, or several in order of preference; None uses that of
        the metric with these parameters.

    Attributes
    ----------
    weighted : bool
        Whether given sample weights are used.
    chosen_response : str, tuple of str or None
        The response method that was given.
    """

    weighted = True

    def __init__(
        self,
        function: MetricFunction,
        parameters: dict[str, Any],
        response_method: str | tuple[str, ...] | None = None,
    ) -> None:
        self.function, self.parameters = function, parameters
        self.chosen_response = response_method
        self.__name__ = repr(self)

    def __call__(self, *arrays: Any, cut: bool = False, **given: Any) -> Any:
        """Return the value for two arrays; where it is not finite, the worst of the range.

        scikit-learn takes the greatest of scores, or of their means over folds, in ways that nan wins.
        With `cut` the second array holds probabilities that a metric with a threshold cuts there,
        otherwise labels.
        """
        self._refuse_labels(arrays[-1])
        options = self.parameters | given
        row = self.row(options.get("pos_label")) if cut else self.function.metric
        worst = self._worst(given.get("labels"))
        evaluation = {"scored": True, "occurring": self.labels is None, "worst": worst}
        value = evaluate_arrays(row, *arrays, evaluation=evaluation, **options)
        bad = ~np.isfinite(value)
        if "zero_division" in self.parameters or not bad.any():
            return value
        return np.where(bad, worst, value)[()]

    def _refuse_labels(self, response: Any) -> None:
        """Raise an error for predicted labels, as text, in the place of scores."""
        row = self.function.metric
        if row.kind.response_method != "predict" and host_array(response).dtype.kind in "OU":
            raise ValueError(
                f"{row.scorer_name!r} reads scores, and the predictions that it was given are labels, "
                f"{shown(np.unique(response))}. A search of thresholds, as TunedThresholdClassifierCV, "
                "scores labels: choose a metric of them, such as get_scorer('informedness')."
            )

    def _worst(self, labels: Any) -> float:
        """Return the worst value of the range; of many classes it may be another than of two."""
        metric = self.function.metric
        low, high = metric.under(self.parameters, 2 if labels is None else len(labels)).bounds
        return high if metric.greater_is_better is False else low

    def check_classes(self, classes: Array, y_true: Any) -> None:
        """Raise an error if the value depends on the positive class and none of two classes is named.

        Or if the named one is not among the classes, or the labels to score are of another kind.
        """
        named = self.parameters.get("pos_label")
        if named is not None and len(classes) == 2 and named not in classes.tolist():
            raise ValueError(
                f"pos_label={named!r} is not a valid label: it should be one of {shown(classes)}."
            )
        if self.asks_for_positive and len(classes) == 2 and not names_positive(classes):
            known_labels(classes, y_true)  # raises for labels of another kind
            name = self.function.metric.scorer_name
            raise ValueError(unnamed_positive(classes, repr(name)))

    def reading(self, positive: Any, y_train: Any = None) -> MetricEvaluator:
        """Return the metric as it is read from a fold: undefined values are nan unless bound otherwise.

        `positive` is the positive class where none is bound.
        """
        row = self.function.metric
        options = {"zero_division": STRICT, **self.parameters}
        if self.judges_one_class and options.get("pos_label") is None:
            options["pos_label"] = positive
        if self.reads_training:
            options["y_train"] = y_train
        for name in ("labels", *row.kind.inputs.extra_arrays):
            options.pop(name, None)
        return MetricEvaluator(row, options, scored=True, occurring=self.labels is None)

    @property
    def labels(self) -> tuple[Any, ...] | None:
        """The labels that are bound."""
        bound = self.parameters.get("labels")
        return None if bound is None else tuple(bound)

    @property
    def reads_training(self) -> bool:
        """Whether it uses the training part, unless a scale is given."""
        free = {"y_train", "scale"}.isdisjoint(self.parameters)
        return free and "y_train" in self.function.options

    @property
    def judges_one_class(self) -> bool:
        """Whether it takes one class as the positive one."""
        one = self.parameters.get("average", "binary") == "binary"
        return one and "pos_label" in self.function.options

    @property
    def asks_for_positive(self) -> bool:
        """Whether the value depends on the positive class, and none is named."""
        unnamed = self.judges_one_class and self.parameters.get("pos_label") is None
        return unnamed and not self.function.metric.symmetric

    @property
    def cuts(self) -> bool:
        """Whether the metric cuts probabilities at its own threshold."""
        row = self.function.metric
        return self.chosen_response != "predict" and row.cut(self.parameters) is not row

    def row(self, positive: Any = None) -> Metric:
        """Return the metric's row, of probabilities of the positive class where it cuts them."""
        row = self.function.metric
        return row.cut(self.parameters, positive) if self.cuts else row

    @property
    def response_method(self) -> str | tuple[str, ...]:
        """The response method of a classifier; for many classes, the one with one column per class."""
        if self.chosen_response is not None:
            return self.chosen_response
        if "multi_class" in self.parameters or self.cuts:
            return "predict_proba"
        rescale = self.parameters.get("rescale")
        return _RESCALED.get(rescale, self.function.metric.kind.response_method)

    @property
    def __signature__(self) -> inspect.Signature:
        """The metric's signature with the bound values as defaults."""
        hidden = {"zero_division"}
        if not {"labels", "pos_label"}.isdisjoint(self.parameters):
            hidden.add("labels")  # a caller that sees it sets both it and `pos_label`
        every = inspect.signature(self.function).parameters
        return inspect.Signature(
            [
                option.replace(default=self.parameters.get(name, option.default))
                for name, option in every.items()
                if name not in hidden
            ]
        )

    def __repr__(self) -> str:
        bound = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        name = self.function.__name__
        return f"{name}({bound.removeprefix(', ')})" if bound else name


def bound_metric(scorer: Any) -> BoundMetric | None:
    """Return the metric of this package, with its parameters, behind a scorer; None for another."""
    if isinstance(scorer, BoundMetric):
        return scorer
    function = score_function(scorer)
    if not isinstance(function, BoundMetric):
        return None
    if takes_weights(scorer):
        return function
    unweighted = copy(function)
    unweighted.weighted = False
    return unweighted


def takes_weights(scorer: Any) -> bool:
    """Whether a scorer receives sample weights: not if ``set_score_request`` declines them."""
    if not hasattr(scorer, "get_metadata_routing"):
        return True
    request = getattr(scorer.get_metadata_routing(), "score", None)
    return request is None or request.requests.get("sample_weight") is not False


def known_labels(classes: Array | None, y: Any) -> Array | None:
    """Return the labels of the evaluation of a fold: the classifier's, and those that it never saw."""
    if classes is None:
        return None
    labels = {"y_true": y, "classes_": classes}
    return number_classes({name: label_array(each, name) for name, each in labels.items()})[0]


def label_columns(response: Any, classes: Any) -> Array:
    """Return a response as one array; of labels that are a list of probabilities, those of 1.

    A label that was never positive in training has no column of 1, and its probability is 0.
    """
    if not isinstance(response, list):
        return np.asarray(response)
    known = classes if isinstance(classes, list) else [[0, 1]] * len(response)
    columns = [
        np.where(np.asarray(own) == 1, table, 0).sum(axis=1)
        for own, table in zip(known, response, strict=True)
    ]
    return np.column_stack(columns)


def of_all_classes(response: Array, method: str, own: Array | None, classes: Any) -> Array:
    """Return a response with a column for each of all classes, also those that the model never saw.

    Their probability is 0, and their decision values are the lowest.
    """
    if own is None or classes is None or len(own) >= len(classes) or method == "predict":
        return response
    matrix = response if response.ndim == 2 else np.column_stack([-response, response])
    if matrix.shape[1] != len(own):
        return response
    lowest = 0.0 if method == "predict_proba" else matrix.min(initial=0.0)
    table = np.full((len(matrix), len(classes)), lowest, dtype=matrix.dtype)
    table[:, np.searchsorted(classes, own)] = matrix
    return table


def one_target_classes(estimator: Any, y: Any) -> Array | None:
    """Return the classes of a classifier, or None if it has none or several targets."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or (getattr(y, "ndim", 1) == 2 and y.shape[1] > 1):
        return None
    return np.asarray(classes)
