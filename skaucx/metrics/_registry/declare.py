"""Rows of the registry and public functions from a decorated formula; calls on arrays or counts."""

from __future__ import annotations

import copyreg
import dataclasses
import functools
import inspect
import math
import operator
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import sklearn.metrics

from ..._compat import renamed_argument
from ..._options import (
    check_choice,
    check_flag,
    unknown_name,
)
from .._kinds import KINDS
from .._kinds.base import Kind, part_options
from .._kinds.labels import LabelState
from .._kinds.listed import Listed
from .._records.counts import Counts, arranged
from .._records.inputs import check_counts, check_table, names_positive, warn_of_apart
from .docstrings import compose
from .row import Metric, MetricEvaluator, Metrics, own_parameters


def evaluate_arrays(
    row: Metric,
    first: Any,
    second: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    evaluation: Mapping[str, Any] | None = None,
    **options: Any,
) -> Any:
    """Evaluate a metric on raw arrays: inputs, then counts or ranking, then the average.

    `evaluation` are the keywords of :class:`MetricEvaluator` by which a scorer reads it.
    """
    inputs = row.kind.inputs
    further = {name: options.pop(name, None) for name in inputs.extra_arrays}
    shared = {"labels": labels, "sample_weight": sample_weight, **further}
    record = inputs.record(first, second, names=row.inputs, **shared)
    if evaluation is None:
        warn_of_apart(record, row.inputs)
    state = inputs.make_state(record)
    if record.one_column and options.get("pos_label") is None:
        classes = record.classes
        lone = len(classes) < 2 and row.kind.scale is None
        # For values equal to scikit-learn's; calls other than of functions require the class.
        if not (names_positive(classes) or lone) and row.guesses_among(classes):
            options["pos_label"] = classes[-1]
    return plain(MetricEvaluator(row, options, **evaluation or {}).value(state))


def plain(value: Any) -> Any:
    """Return a float for a single value."""
    return value if np.ndim(value) else float(value)


def called(row: Metric, signature: inspect.Signature) -> Any:
    """Return the function of a metric with this signature; calls fail as in Python."""

    @functools.wraps(row.formula)
    def public(*args: Any, **given: Any) -> Any:
        try:
            bound = signature.bind(*args, **given)
        except TypeError as error:
            raise TypeError(f"{row.function}() {error}") from None
        bound.apply_defaults()
        first, second = (bound.arguments.pop(name) for name in row.inputs)
        return evaluate_arrays(row, first, second, **bound.arguments)

    return public


def of_counts(
    row: Metric,
    tp: Any,
    fp: Any = None,
    fn: Any = None,
    tn: Any = None,
    *,
    zero_division: Any = "warn",
    **own: Any,
) -> Any:
    """Return the metric of binary tables given by their counts, of any one shape, or by `Counts`."""
    cells = {"tp": tp, "fp": fp, "fn": fn, "tn": tn}
    if isinstance(tp, Counts) and fp is fn is tn is None:
        cells = dict(zip(cells, tp.cells, strict=True))
    state = LabelState(Counts(*check_counts(cells)).table, np.arange(2))
    return plain(row.value(state, zero_division=zero_division, **own))


def of_table(
    row: Metric,
    table: Any,
    *,
    layout: str | None = None,
    zero_division: Any = "warn",
    **options: Any,
) -> Any:
    """Return the metric of confusion tables, in the layout "tn fp fn tp" or with true rows if None."""
    cells = arranged(check_table(table), layout, table)
    state = LabelState(cells, np.arange(cells.shape[-1]))
    return plain(row.value(state, zero_division=zero_division, **options))


_OWN = "skaucx."
_PUBLIC = "skaucx.metrics"


# A public metric: a function of arrays with the attributes `metric` (its row), `options` and `needed`,
# and of labels `from_counts` and `from_table`.
MetricFunction: TypeAlias = Any


METRICS, ALIASES = Listed(), Listed()
# The metrics by the functions of scikit-learn that have the same values.
TWINS = Listed()

_COMMON = {"sample_weight": None, "zero_division": "warn"}
Formula = typing.TypeVar("Formula", bound=Callable[..., Any])


def metric(
    function: str, source: str, *, kind: Kind, family: str, room: str = "", **facts: Any
) -> Callable[[Formula], Formula]:
    """Register the decorated formula under a public function, and return the formula unchanged.

    Parameters
    ----------
    function : str
        Name of the public function.
    source : str
        A key of the bibliography.
    room : str, default=""
        The public module of ``skaucx.metrics`` that holds the function; by default that package itself.
    kind, family, **facts
        As for :func:`declare`.
    """

    def decorate(formula: Formula) -> Formula:
        place = f"{_PUBLIC}.{room}" if room else _PUBLIC
        _register(_row(formula, function, source, kind, family, **facts), place)
        return formula

    return decorate


def declare(
    kind: str,
    source: str = "",
    *,
    family: str = "others",
    module: str = "",
    **facts: Any,
) -> Callable[[Callable[..., Any]], MetricFunction]:
    r"""Return a decorator that makes a full metric from a formula.

    The formula becomes a function with checks, weights and averages. Its name works in
    :func:`get_scorer`, :func:`evaluate`, :func:`interval`, the tests between classifiers, the
    curves over thresholds and nested cross-validation. A parameter `threshold` of a formula of
    counts is the probability at which scorers and :func:`evaluate` cut the scores.

    Parameters
    ----------
    kind : str
        The input of the formula.
        "counts": the four :class:`Counts` of binary tables. "table": confusion tables of shape
        (..., K, K), rows true. For scores, with means over pairs and counts at thresholds: "order"
        if only their order matters, "relative_values" if shift and scale do not matter, "values",
        or "unit_values" in [0, 1]. "probabilities" of the classes with the column of each true
        class. "columns": any scores of the classes, preferably of decision_function; "margins": of
        decision_function only. "rejections": the :class:`Counts` of wrong predictions (positive)
        that are rejected (predicted positive); "example_costs": the mean costs of predictions and
        of each constant one. "regression": numbers.
    source : str, default=""
        Where the metric is defined, for its docstring.
    family : str, default="others"
        The group of the metric in tables.
    module : str, default=""
        The public module that holds the function, by default that of the formula.
    **facts
        ``better`` : {"high", "low", "neither"}, "high" by default. ``bounds`` : the least and the
        greatest value, (0, 1) by default. ``best`` : the value of a perfect prediction, the better
        bound by default. ``undefined`` : the value that replaces 0/0, by default 0 if greater is
        better and 1 if lower is. ``aliases`` : other names. ``symmetric`` : True if the value
        stays the same when the classes are exchanged, so that it needs no positive class.
        ``losses`` : a function of the record that gives the value of each example, if the metric is
        their mean; True for the formula itself on tables of one example
        each. ``influence`` : a function of the record and the parameters that gives the
        derivative of the value with respect to the weight of each example; for metrics of counts at
        thresholds two arrays, for a positive and a negative at each distinct score, descending.
        Intervals then need no resampling. ``mean`` : 1 if the
        decorated function gives the loss of each row and the metric is their weighted mean, 0.5 if it
        is the root of that; losses or influences follow from it.
        ``average`` : a function of the
        values of several outputs along the last axis, the record and parameters, which makes one of
        them; its parameters become the metric's.
        ``over_thresholds`` : "sum" if the value is a
        constant plus a sum over the steps between neighbouring thresholds, "best" if it is the
        maximum over thresholds of a function that is monotone in true and in false positives, in
        opposite directions. ``pair_mean`` : True for scores if the value is an affine function of
        means over pairs of functions of the score difference, or a function of the parameters that
        says so; DeLong's variance follows. ``traits`` : for tables, of "prevalence_free" and
        "ignores_true_negatives" those that :func:`list_metrics` describes, "reads_size" if the value
        changes when every count is doubled, and "iterative" if equations are solved for it; curves
        include it on request only. ``sharpest`` : for metrics of probability
        values, the power of the true odds at which the metric is best; 1 for proper ones.
        ``reason`` : the reason for an undefined value, if it is not 0/0. ``inputs``, ``options``,
        ``multilabel`` : if they differ from those of the kind.

    Returns
    -------
    decorator : callable
        Takes the formula and returns the public function. The formula takes the record of its kind,
        vectorised over leading axes, and its parameters by keyword; it returns nan for 0/0.

    Raises
    ------
    ValueError
        If the kind is unknown, or the name or an alias belongs to another metric.

    Examples
    --------
    >>> from skaucx.inference import interval
    >>> from skaucx.metrics import declare, get_scorer
    >>> def weighted_accuracy_score(c, *, weight=1.0):
    ...     '''Right calls among right calls and weighted errors.'''
    ...     return (c.tp + c.tn) / (c.tp + c.tn + weight * (c.fp + c.fn))
    >>> weighted_accuracy_score = declare("counts")(weighted_accuracy_score)
    >>> weighted_accuracy_score([0, 0, 1, 1], [0, 1, 1, 1], weight=3.0)
    0.5
    >>> get_scorer("weighted_accuracy", weight=3.0)
    make_scorer(weighted_accuracy_score(weight=3.0), response_method='predict')
    >>> interval(weighted_accuracy_score, [0, 0, 1, 1] * 10, [0, 1, 1, 1] * 10).method
    'delta'
    """
    known = KINDS[check_choice("kind", kind, KINDS)]

    def decorate(formula: Callable[..., Any]) -> MetricFunction:
        _check_facts(facts)
        row = _row(formula, formula.__name__, source, known, family, **facts)
        row.checked({})  # names in annotations must resolve
        return _register(row, module or formula.__module__)

    return decorate


def _check_facts(facts: Mapping[str, Any]) -> None:
    """Raise an error for facts that contradict each other, or that are none."""
    known = (*inspect.signature(_row).parameters, *(f.name for f in dataclasses.fields(Metric)))
    for name in set(facts) - set(known):
        raise unknown_name("fact of declare", name, known)
    bounds = facts.get("bounds", (0, 1))
    if not (isinstance(bounds, tuple) and len(bounds) == 2 and bounds[0] < bounds[1]):
        raise ValueError(f"bounds must be the least and the greatest value, found {bounds!r}.")
    if facts.get("mean") not in (None, 1, 0.5):
        raise ValueError(f"mean must be 1, or 0.5 for the root of it, found {facts['mean']!r}.")


def _row(
    formula: Callable[..., Any],
    function: str,
    source: str,
    kind: Kind,
    family: str,
    *,
    better: Literal["high", "low", "neither"] = "high",
    best: float | None = None,
    undefined: float | None = None,
    twin: bool = False,
    inputs: tuple[str, str] | None = None,
    multilabel: bool | None = None,
    options: Mapping[str, Any] | None = None,
    symmetric: bool = False,
    losses: Callable[..., Any] | bool = False,
    mean: float | None = None,
    average: Callable[..., Any] | None = None,
    **facts: Any,
) -> Metric:
    """Return the row of a formula.

    What is named here has another form or default in a row; the other facts enter it as they are.
    """
    if mean is not None:
        losses = formula if mean == 1 else False
        if mean != 1:
            facts["influence"] = _slopes_of_root(formula)
        if facts.get("share") is True:  # the losses are 0 or 1
            facts["share"] = functools.partial(_share_of_rows, formula)
        formula = mean_of(formula, mean)
    if average is not None:
        formula = averaged(formula, average)
        losses = averaged(losses, average, per_row=True) if callable(losses) else losses
        if mean == 0.5:
            facts["influence"] = averaged(facts["influence"], average, per_row=True)
    if symmetric:
        facts["traits"] = (*facts.get("traits", ()), "symmetric")
    bounds = facts.setdefault("bounds", (0, 1))
    ends = {"low": bounds[0], "high": bounds[1], "neither": math.nan}
    check_choice("better", better, ends)
    if options is not None or multilabel is not None:
        multilabel = kind.multilabel if multilabel is None else multilabel
        shared = {**kind.options, **(options or {})}
        kind = dataclasses.replace(kind, options=shared, multilabel=multilabel)
    return Metric(
        function=function,
        formula=formula,
        kind=kind,
        family=family,
        greater_is_better={"high": True, "low": False, "neither": None}[better],
        best=ends[better] if best is None else best,
        undefined=float(better == "low") if undefined is None else undefined,
        source=source,
        twin=function if twin and hasattr(sklearn.metrics, function) else None,
        inputs=inputs or ("y_true", kind.inputs.argument),
        losses=(formula if losses else None) if isinstance(losses, bool) else losses,
        **facts,
    )


def mean_of(losses: Callable[..., Any], power: float) -> Callable[..., Any]:
    """Return the formula of the mean of a loss to a power."""

    @functools.wraps(losses)
    def formula(record: Any, *, normalize: bool = True, **own: Any) -> Any:
        found = record.sum_of(losses, **own)  # the sum on request
        return (found / record.total_weight) ** power if normalize else found

    return formula


def _share_of_rows(
    losses: Callable[..., Any], record: Any, *, normalize: bool = True, **own: Any
) -> tuple[Any, Any]:
    """Return how many rows have the loss 1, and how many there are."""
    return record.sum_of(losses, **own), record.total_weight


def _slopes_of_root(losses: Callable[..., Any]) -> Callable[..., Any]:
    """Return the derivatives of the root of a mean of losses."""

    @functools.wraps(losses)
    def slopes(record: Any, **own: Any) -> Any:
        each, total = losses(record, **own), record.total_weight
        root = np.sqrt(record.weights @ each / total)
        apart = each - root**2
        return np.divide(apart, 2 * root * total, where=root > 0, out=np.zeros_like(apart))

    return slopes


def averaged(
    found: Callable[..., Any], average: Callable[..., Any], *, per_row: bool = False
) -> Callable[..., Any]:
    """Return a formula, or losses, of several outputs followed by their average, with its parameters."""
    added = own_parameters(average)[1:]

    @functools.wraps(found)
    def of_all(record: Any, **given: Any) -> Any:
        ways, own = part_options(given, [option.name for option in added])
        values = np.asarray(found(record, **own))
        return average(values.reshape(*values.shape[:per_row], -1), record, **ways)

    signature = inspect.signature(found)
    named: Any = of_all
    named.__signature__ = signature.replace(parameters=[*signature.parameters.values(), *added])
    hints = (inspect.get_annotations(each, eval_str=True) for each in (found, average))
    named.__annotations__ = dict(item for each in hints for item in each.items())
    return of_all


def _register(row: Metric, module: str) -> MetricFunction:
    """Add a metric to the registry; declaring a user's metric again replaces it."""
    # Of what is loaded: while the package declares its own, nothing else.
    held, known = METRICS.data, ALIASES.data
    names = (row.name, *row.aliases)
    for name in names:
        taken = held.get(known.get(name, name))
        if taken is not None and (
            taken.metric.name != row.name or taken.__module__.startswith(_OWN)
        ):
            raise ValueError(
                f"{name!r} is the name of a metric already, {taken.__name__}; choose another."
            )
    ALIASES.update(dict.fromkeys(names[1:], row.name))
    METRICS[row.name] = _public(row, module)
    if row.twin is not None:
        TWINS[getattr(sklearn.metrics, row.twin)] = METRICS[row.name]
    return METRICS[row.name]


def _pickled(row: Metric) -> Any:
    """Return how a row is pickled: rows of the registry by the name of their function."""
    function = METRICS.get(row.name)
    if function is not None and function.metric is row:
        return operator.attrgetter("metric"), (function,)
    return row.__reduce_ex__(2)


copyreg.pickle(Metric, _pickled)


def declared_or_taking(parameters: Iterable[str]) -> dict[str, MetricFunction]:
    """Return the user's own metrics, and those that take one of some parameters."""
    given = set(parameters)
    return {
        name: function
        for name, function in METRICS.items()
        if not function.__module__.startswith(_OWN) or not given.isdisjoint(function.options)
    }


def functions_of(module: str) -> dict[str, MetricFunction]:
    """Return the metrics that a public module holds, by the names of their functions."""
    return {f.__name__: f for f in METRICS.data.values() if f.__module__ == module}


def listed_names() -> tuple[str, ...]:
    """Return the names of all metrics and their aliases."""
    rows = [function.metric for function in METRICS.values()]
    return tuple(name for row in rows for name in (row.name, *row.aliases))


def list_metrics(
    *,
    prevalence_free: bool | None = None,
    symmetric: bool | None = None,
    ignores_true_negatives: bool | None = None,
) -> list[Metric]:
    """Return the registry: one row of properties per metric.

    Parameters
    ----------
    prevalence_free : bool, default=None
        Only metrics of confusion tables whose value stays the same when every positive counts three
        times (True), or does not (False).
    symmetric : bool, default=None
        Only those whose value stays the same when the two classes are exchanged, or does not.
    ignores_true_negatives : bool, default=None
        Only those whose value does not depend on the true negatives, or does.

    Returns
    -------
    list of Metric
        In the order of declaration: rates, composites, agreement, areas, AUC variants, losses; then
        user-declared metrics. It is shown as a table.

    Examples
    --------
    >>> from skaucx.metrics import list_metrics
    >>> [row.name for row in list_metrics() if row.bounds == (-1, 1)][:2]
    ['informedness', 'markedness']
    >>> [row.name for row in list_metrics(prevalence_free=True, symmetric=True)][:2]
    ['g_mean', 'informedness']
    """
    wanted = {
        "prevalence_free": prevalence_free,
        "symmetric": symmetric,
        "ignores_true_negatives": ignores_true_negatives,
    }
    traits = {name: check_flag(name, trait) for name, trait in wanted.items() if trait is not None}
    return Metrics(
        function.metric
        for function in METRICS.values()
        if not traits or (function.metric.kind.counted and not function.needed)
        if all((name in function.metric.traits) is trait for name, trait in traits.items())
    )


def missing_options(function: MetricFunction, given: Mapping[str, Any]) -> list[str]:
    """Return the required parameters that are missing."""
    return [name for name in function.needed if name not in given]


def check_complete(function: MetricFunction, given: Mapping[str, Any]) -> None:
    """Raise an error for a missing required parameter."""
    if missing := missing_options(function, given):
        raise TypeError(f"{function.__name__} needs the parameter {missing[0]!r}.")


def options_of_state(function: MetricFunction, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a call with their defaults, without those that belong to the arrays."""
    check_complete(function, given)
    known = {name: o.default for name, o in function.options.items() if o.default is not o.empty}
    options = known | dict(given)
    return {name: options[name] for name in options if name not in ("labels", "sample_weight")}


def share(
    parameters: Mapping[str, Any], taken: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Assign each metric the parameters that it accepts; raise an error for others.

    A positive class is accepted by all, also by those that do not depend on it.
    """
    known = {option for options in taken for option in options}
    for name in sorted(set(parameters) - known - {"pos_label"}):
        why: Any = unknown_name("parameter", name, known)
        if any(name in function.options for function in METRICS.values()):
            listed = ", ".join(map(repr, sorted(known)))
            why = f"{name!r} is a parameter of other metrics. They take {listed}."
        raise TypeError(f"None of the metrics takes it: {why}")
    return [{name: parameters[name] for name in options if name in parameters} for options in taken]


def _public(row: Metric, module: str) -> MetricFunction:
    """Return the public function, with its signature and docstring."""
    signature = _signature(row)
    names = dict(list(signature.parameters.items())[2:])
    needed = [name for name, option in names.items() if option.default is option.empty]
    function = called(row, signature)
    if row.formerly:
        function = renamed_argument(row.formerly, row.inputs[1], function)
    function.__name__ = function.__qualname__ = row.function
    function.__module__, function.__signature__, function.metric = module, signature, row
    function.options, function.needed = names, needed
    function.__doc__ = compose(row, signature)
    if row.kind.counted:
        function.from_counts = functools.partial(of_counts, row)
        function.from_table = functools.partial(of_table, row)
    return function


def _signature(row: Metric) -> inspect.Signature:
    """Two arrays, then the formula's own and the shared parameters by keyword."""
    kinds = inspect.Parameter
    arrays = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in row.inputs]
    own = [option.replace(annotation=kinds.empty) for option in own_parameters(row.formula)]
    options = {**row.kind.options, **_COMMON}
    shared = [kinds(name, kinds.KEYWORD_ONLY, default=value) for name, value in options.items()]
    return inspect.Signature([*arrays, *own, *shared])
