"""Metrics as scorers: those of scikit-learn's type, and a scorer of many metrics in one pass."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn import metrics as sklearn_metrics
from sklearn.utils.validation import check_is_fitted

from ..._arguments import MetricLike
from ..._arrays import by_name
from ..._compat import score_function
from ..._options import check_choice
from .._records.inputs import scores_of_positive
from .._registry.declare import METRICS, MetricFunction, check_complete, share
from .._registry.names import (
    entries_of,
    is_metric,
    is_one_pass,
    is_set,
    named_metric,
    names_scorer,
    only_entry,
    scorer_names,
    unknown_metric,
)
from .bound import (
    BoundMetric,
    known_labels,
    label_columns,
    of_all_classes,
    one_target_classes,
)
from .one_pass import OnePassScorer, first_method

# The class of the objects that make_scorer returns, which all of scikit-learn looks for.
_Scorer = type(sklearn_metrics.make_scorer(METRICS["accuracy"]))
_RESPONSES = ("predict", "predict_proba", "decision_function", "predict_log_proba")


def get_scorer_names() -> list[str]:
    """Return one name of each scorer, and the names of scikit-learn's scorers of classifiers.

    :func:`get_scorer` also takes the aliases of a metric ("ppv"), and averages as suffixes ("f2_macro",
    "mm7_auc_ovr_weighted").

    Returns
    -------
    list of str
        Sorted. A metric of which less is better has the prefix ``neg_``.

    Examples
    --------
    >>> from skaucx.metrics import get_scorer_names
    >>> [name for name in get_scorer_names() if name.startswith("f1")]
    ['f1', 'f1_macro', 'f1_micro', 'f1_samples', 'f1_weighted']
    """
    own = {function.metric.scorer_name for function in METRICS.values()}
    return sorted(own | (set(sklearn_metrics.get_scorer_names()) & set(scorer_names())))


def get_scorer(
    metric: MetricLike, *, response_method: str | Sequence[str] | None = None, **parameters: Any
) -> Any:
    """Return a metric as a scorer made by scikit-learn's ``make_scorer``.

    It goes wherever scikit-learn takes ``scoring=`` and can be pickled and cloned. Where the metric is
    undefined it warns and gives the value of its function if that is finite, as 0 for precision,
    otherwise the worst of its range, as 0 for an AUC: nan would win where scikit-learn takes the
    greatest score. Minus infinity is left where the range has no end. The parameter ``zero_division``
    chooses another value; :func:`one_pass_scorer` gives nan, which cross_validate and GridSearchCV
    understand. An average over classes leaves out those that are neither true nor predicted of any
    scored row, unless `labels` names them; elsewhere all classes of the estimator count. Where a metric
    whose best value is infinite is infinite, as "diagnostic_odds_ratio" of a fold without errors, the
    score is that of the table with half an example (half the least weight) added to every cell
    (Haldane 1956, Anscombe 1956): a perfect fold has more than any other on the same rows, and means
    are finite. Functions give the infinite value itself.
    A metric of labels with a parameter `threshold`, such as ``"net_benefit"``, cuts the probabilities
    of ``predict_proba`` there; ``response_method="predict"`` takes the labels of the model instead.
    A metric of further arrays, such as ``"savings"`` of costs, requests them by metadata routing:
    with ``sklearn.set_config(enable_metadata_routing=True)`` pass ``search.fit(X, y,
    example_costs=costs)`` or ``params={"example_costs": costs}``.

    Parameters
    ----------
    metric : str or callable
        One of :func:`get_scorer_names`, such as "mm7_auc", "specificity_macro" or "neg_log_loss"; a
        metric of this package, or a partial function of one; or another name that scikit-learn knows,
        such as "r2", for its scorer. A scorer is returned as it is.
    response_method : str or tuple of str, default=None
        "predict_proba", "decision_function" or "predict", or several to try in turn; None uses that
        of the metric.
    **parameters
        Parameters of the metric, such as ``pos_label="malignant"`` or ``beta=2``.

    Returns
    -------
    scorer : callable
        Called as ``scorer(estimator, X, y)``; greater is better.

    Raises
    ------
    ValueError
        If no metric has that name; the message suggests similar ones. If it reads the training part
        of each fold, as "neg_mase_loss" without `scale`, which scikit-learn does not hand to
        scorers.
    TypeError
        If the metric does not accept a parameter, or an object is not a metric.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.metrics import get_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scores = cross_val_score(GaussianNB(), X, y, scoring=get_scorer("mm7_auc"))
    >>> [round(float(score), 3) for score in scores]
    [0.874, 0.887, 0.929, 0.934, 0.938]
    """
    if not _binds(metric):
        if parameters or response_method is not None:
            raise TypeError(f"{metric!r} is a scorer already, and accepts no further parameters.")
        return _ready(metric)
    scorer = _made(metric, response_method=response_method, **parameters)
    bound = scorer._score_func
    if bound.reads_training and "scale" in bound.function.options:
        raise ValueError(
            f"{bound.function.metric.scorer_name!r} reads the training part of each fold, y_train, "
            "which scikit-learn does not hand to scorers: name a fixed scale, "
            f"get_scorer({bound.function.metric.scorer_name!r}, scale=...), or use "
            "skaucx.model_selection.nested_cross_validate or NestedCV, which hand it over."
        )
    return scorer


def _made(metric: Any, *, response_method: Any = None, **parameters: Any) -> Any:
    """Make a scorer of a metric."""
    function, own = _function_of(metric)
    bound = _bind(function, own | parameters, check_response_method(response_method))
    greater = function.metric.greater_is_better is not False
    scorer = sklearn_metrics.make_scorer(
        bound, response_method=bound.response_method, greater_is_better=greater
    )
    scorer.__class__ = MetricScorer
    wanted = set(function.metric.kind.inputs.per_row_arguments) - set(bound.parameters)
    if wanted:
        with config_context(enable_metadata_routing=True):
            scorer.set_score_request(**dict.fromkeys(wanted, True))
    return scorer


def _binds(metric: Any) -> bool:
    """Whether something is a metric here to make a scorer of, and no scorer already."""
    if isinstance(metric, str):
        return names_scorer(metric) or metric not in sklearn_metrics.get_scorer_names()
    if not callable(metric):
        raise TypeError(f"A scorer must be a name or a callable, found {metric!r}.")
    return is_metric(metric)


def _function_of(metric: Any) -> tuple[MetricFunction, dict[str, Any]]:
    """Return the metric that is to be a scorer, and the parameters that it binds itself."""
    if isinstance(metric, str) and not names_scorer(metric):
        raise unknown_metric("scorer", metric, scorer_names())
    named = named_metric(metric)
    return named.function, dict(named.parameters)


def _ready(scorer: Any) -> Any:
    """Return a scorer, or that of scikit-learn's name, or the only one of a one-pass scorer."""
    if is_one_pass(scorer):
        [scorer] = only_entry(scorer).values()
    return _scorer_of_sklearn(scorer) if isinstance(scorer, str) else _called_with_data(scorer)


def _called_with_data(scorer: Any) -> Any:
    """Return a scorer, unless it is a plain function of labels and predictions, which is none."""
    try:
        inspect.signature(scorer).bind(None, None, None)
    except TypeError:
        name = getattr(scorer, "__name__", repr(scorer))
        raise TypeError(
            f"{name} is not a scorer: it cannot be called as {name}(estimator, X, y). Of a "
            f"function of "
            f"true and predicted labels make one by sklearn.metrics.make_scorer({name}); where it "
            "reads scores, add response_method='predict_proba'."
        ) from None
    except ValueError:  # a callable without a signature
        pass
    return scorer


@cache
def _scorer_of_sklearn(name: str) -> Any:
    """Return the same object for the same name, so that duplicates can be detected."""
    return sklearn_metrics.get_scorer(name)


def scorer_entries(
    requested: Any, argument: str = "metrics", parameters: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the requested names, metrics and scorers by the names under which they are reported."""
    entries: dict[str, Any] = {}
    for key, entry in entries_of(requested, argument, parameters):
        name = _key_of(entry) if key is None else key
        if name in entries and entries[name] is not entry and entries[name] != entry:
            raise ValueError(
                f"{argument} holds two metrics named {name!r}; give them other names in a dict."
            )
        entries[name] = entry
    return entries


def _key_of(entry: Any) -> Any:
    """Return the name under which an entry of a list is reported."""
    if isinstance(entry, str):
        return entry
    function = score_function(entry)
    if is_metric(entry) or isinstance(function, BoundMetric):
        return named_metric(entry).scorer_key
    return getattr(entry if function is None else function, "__name__", "score")


class MetricScorer(_Scorer):  # type: ignore[misc, valid-type]
    """A scorer of scikit-learn that passes the classes of the estimator to its metric."""

    def _score(
        self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **metadata: Any
    ) -> Any:
        bound = self._score_func
        classes = one_target_classes(estimator, y_true)
        if bound.cuts:
            metadata = {**metadata, "cut": True}
        if classes is not None:
            bound.check_classes(classes, y_true)
            if "labels" not in bound.parameters and bound.row().kind.inputs.of_classes:
                metadata = {**metadata, "labels": known_labels(classes, y_true)}
        labels = bound.parameters.get("labels", metadata.get("labels"))
        caller = _caller(method_caller, classes, labels)
        try:
            return super()._score(caller, estimator, X, y_true, **metadata)
        except AttributeError:
            check_is_fitted(estimator)
            reader = f"the metric {bound.function.metric.scorer_name!r}"
            first_method(estimator, bound.response_method, reader)
            raise


def _caller(caller: Any, own: Any, classes: Any) -> Any:
    """Return a caller of methods whose responses have a column for each class.

    The model, of its `own` classes, may lack some.
    """

    def call(estimator: Any, method: Any, X: Any, **options: Any) -> Any:
        targets = getattr(estimator, "classes_", None)
        several = targets if isinstance(targets, list) and method == "predict_proba" else []
        if any(len(each) < 2 for each in several):
            # scikit-learn takes the last column, also of a label that was never positive.
            return label_columns(estimator.predict_proba(X), targets)
        if method == "predict" or classes is None or own is None or len(classes) <= len(own):
            return caller(estimator, method, X, **options)
        response = np.asarray(by_name(getattr(estimator, method)(X), own, method))
        positive = options.get("pos_label")
        table = of_all_classes(response, method, own, classes)
        return scores_of_positive(table, classes, classes[-1] if positive is None else positive)

    return call


def get_scorers(metrics: Iterable[str] | Mapping[str, Any], **parameters: Any) -> dict[str, Any]:
    """Return several scorers as the dict that ``scoring=`` takes.

    Parameters
    ----------
    metrics : list or dict
        Names of scorers, metrics and scorers; or a dict from any key to one of them.
    **parameters
        Parameters given to every metric that takes them; scorers have theirs already.

    Returns
    -------
    dict of str to scorer

    Raises
    ------
    ValueError
        If the scorers differ in `pos_label`: scikit-learn predicts once for all of them and the
        values would be wrong; :func:`one_pass_scorer` takes such a combination.

    Examples
    --------
    >>> from skaucx.metrics import get_scorers
    >>> list(get_scorers(["mm7_auc", "specificity", "neg_log_loss"]))
    ['mm7_auc', 'specificity', 'neg_log_loss']
    """
    scorers = _scorers(metrics, parameters)
    labels = {name: _pos_label(scorer) for name, scorer in scorers.items()}
    if len(set(labels.values())) > 1:
        raise ValueError(
            f"The scorers differ in pos_label ({labels}). scikit-learn reuses one prediction for "
            "all of them and would return wrong values; use one_pass_scorer instead."
        )
    return scorers


def one_pass_scorer(
    metrics: str | Iterable[str] | Mapping[str, Any], **parameters: Any
) -> OnePassScorer:
    """Return a callable that evaluates a fitted classifier by many metrics in one pass.

    It predicts once a response, counts and ranks once, and returns a dict, as ``scoring=`` of
    ``cross_validate`` and ``GridSearchCV`` takes it. Metrics that are undefined on a fold are nan, and
    infinite best values are finite as in :func:`get_scorer`.
    It reads the estimator's ``classes_``, so that a class missing from a fold is known, and takes
    scorers with different `pos_label` side by side.

    Parameters
    ----------
    metrics : str, list or dict
        Names of scorers, metrics and scorers; or a dict from any key to one of them.
    **parameters
        Parameters given to every metric that takes them; scorers have theirs already.

    Returns
    -------
    OnePassScorer
        Called as ``scorer(estimator, X, y, sample_weight=None)``; returns a dict of floats.

    Notes
    -----
    scikit-learn's ``cross_val_score``, ``learning_curve`` and ``validation_curve`` take one number a
    fold and end in an error on a dict, in the curves ``'list' object has no attribute 'reshape'``: give
    them ``get_scorer(name)``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.metrics import one_pass_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scorer = one_pass_scorer(["mm7_auc", "specificity", "neg_log_loss"])
    >>> scores = scorer(GaussianNB().fit(X, y), X, y)
    >>> {name: round(score, 3) for name, score in scores.items()}
    {'mm7_auc': 0.917, 'specificity': 0.892, 'neg_log_loss': -0.52}
    """
    names = [metrics] if isinstance(metrics, str) else metrics
    return OnePassScorer(_scorers(names, parameters, training=True))


def check_response_method(response_method: Any) -> str | tuple[str, ...] | None:
    """Return the response methods to try if they are methods of classifiers."""
    if response_method is None or isinstance(response_method, str):
        return check_choice("response_method", response_method, (None, *_RESPONSES))
    return tuple(check_choice("response_method", method, _RESPONSES) for method in response_method)


def _bind(
    function: MetricFunction,
    parameters: dict[str, Any],
    response_method: str | tuple[str, ...] | None = None,
) -> BoundMetric:
    taken = function.options
    unknown = set(parameters) - set(taken)
    if unknown:
        raise TypeError(
            f"{function.__name__} does not accept the parameter "
            f"{', '.join(map(repr, sorted(unknown)))}; it takes {', '.join(map(repr, taken))}."
        )
    check_complete(function, parameters)
    own = {name: value for name, value in parameters.items() if name in function.metric.parameters}
    function.metric.checked(own)
    return BoundMetric(function, parameters, response_method)


def _scorers(
    metrics: Iterable[str] | Mapping[str, Any],
    parameters: dict[str, Any],
    *,
    training: bool = False,
) -> dict[str, Any]:
    if isinstance(metrics, str) and not is_set(metrics):
        raise TypeError(f"metrics must be a list of names or a dict, found the string {metrics!r}.")
    entries = scorer_entries(metrics, parameters=parameters)
    bound = [key for key, entry in entries.items() if _binds(entry)]
    taken = share(parameters, [_function_of(entries[key])[0].options for key in bound])
    own = dict(zip(bound, taken, strict=True))
    made = {key: _made if training and key in own else get_scorer for key in entries}
    return {key: made[key](entry, **own.get(key, {})) for key, entry in entries.items()}


def _pos_label(scorer: Any) -> Any:
    """Return what scikit-learn would take as the scorer's positive class."""
    function = score_function(scorer)
    if function is None:
        return None
    bound = getattr(scorer, "_kwargs", {})
    parameter = inspect.signature(function).parameters.get("pos_label")
    return bound.get("pos_label", None if parameter is None else parameter.default)
