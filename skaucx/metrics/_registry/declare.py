"""One decorated formula becomes a public function and a row of the registry."""

from __future__ import annotations

import functools
import inspect
import math
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np
import sklearn.metrics

from ..._options import check_choice, check_flag, unknown_name
from .._records.count_inputs import check_binary, check_counts, check_table
from .._records.counts import Counts
from .._records.inputs import check_label_pair, check_scored_labels
from .._states.scores import LabelState, ScoreState, label_state, score_state
from .averaging import apply, settle, value_of_counts
from .docstrings import compose
from .row import Metric, Reads


class MetricFunction(Protocol):
    """A public metric: called on arrays, or on counts where it judges labels."""

    __name__: str
    metric: Metric
    options: Mapping[str, inspect.Parameter]
    from_counts: Callable[..., Any]
    from_table: Callable[..., Any]

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """Return the value, a float or one value a class."""


METRICS: dict[str, MetricFunction] = {}
ALIASES: dict[str, str] = {}

_COMMON = {"sample_weight": None, "zero_division": "warn"}
_LABELS = {"labels": None, "pos_label": None}
_RANKED = {**_LABELS, "average": "macro", "multi_class": "raise"}
_INPUTS_AND_OPTIONS: dict[str, tuple[tuple[str, str], dict[str, Any]]] = {
    "counts": (("y_true", "y_pred"), {**_LABELS, "average": "binary"}),
    "table": (("y_true", "y_pred"), {}),
    "order": (("y_true", "y_score"), _RANKED),
    "values": (("y_true", "y_score"), {**_RANKED, "rescale": None}),
    "unit_values": (("y_true", "y_score"), {**_RANKED, "rescale": None}),
    "probabilities": (("y_true", "y_proba"), _LABELS),
}


def declare(
    reads: Reads,
    source: str,
    *,
    better: Literal["high", "low", "neither"] = "high",
    bounds: tuple[float, float] = (0, 1),
    best: float | None = None,
    undefined: float | None = None,
    aliases: tuple[str, ...] = (),
    twin: bool = False,
    inputs: tuple[str, str] | None = None,
    multilabel: bool | None = None,
    options: dict[str, Any] | None = None,
    swapped: str | None = None,
    transposed: str | None = None,
) -> Callable[[Callable[..., Any]], MetricFunction]:
    """Declare a metric; the decorated formula says the rest (see :class:`Metric` for the terms).

    `undefined` is 0 where greater is better and 1 where lower is, unless given; `best` the end of
    `bounds` that is better. `inputs` and `options` name the two arrays and further shared keywords
    where they differ from those of the other metrics that read the same.
    """

    def decorate(formula: Callable[..., Any]) -> MetricFunction:
        name = formula.__name__.removesuffix("_score")
        ends = {"low": bounds[0], "high": bounds[1], "neither": math.nan}
        row = Metric(
            name=name,
            formula=formula,
            reads=reads,
            greater_is_better={"high": True, "low": False, "neither": None}[better],
            bounds=bounds,
            best=ends[better] if best is None else best,
            undefined=float(better == "low") if undefined is None else undefined,
            source=source,
            aliases=aliases,
            twin=formula.__name__ if twin else None,
            one_or_fail=twin and _default_is_one(formula.__name__),
            swapped=swapped,
            transposed=transposed,
            inputs=inputs or _INPUTS_AND_OPTIONS[reads][0],
            multilabel=reads not in ("table", "probabilities")
            if multilabel is None
            else multilabel,
            parameters=_checks(formula),
        )
        ALIASES.update(dict.fromkeys(aliases, name))
        METRICS[name] = _public(row, options or {})
        return METRICS[name]

    return decorate


def get_metric(name: str) -> MetricFunction:
    """Return the public function of a metric by its name or an alias."""
    known = ALIASES.get(name, name.removesuffix("_score"))
    if known in METRICS:
        return METRICS[known]
    raise unknown_name("metric", name, [*METRICS, *ALIASES])


def list_metrics() -> list[Metric]:
    """Return the registry: one row a metric, with all that is known about it.

    Returns
    -------
    list of Metric
        In the order of declaration: rates, composites, agreement, areas, AUC variants, losses.

    Examples
    --------
    >>> from skaucx.metrics import list_metrics
    >>> [row.name for row in list_metrics() if row.bounds == (-1, 1)][:2]
    ['matthews_corrcoef', 'cohen_kappa']
    """
    return [function.metric for function in METRICS.values()]


def missing_options(function: MetricFunction, given: Mapping[str, Any]) -> list[str]:
    """Return the parameters that have no default and are not given."""
    return [
        name
        for name, option in function.options.items()
        if option.default is option.empty and name not in given
    ]


def check_complete(function: MetricFunction, given: Mapping[str, Any]) -> None:
    """Refuse to go on without a parameter that has no default."""
    if missing := missing_options(function, given):
        raise TypeError(f"{function.__name__} needs the parameter {missing[0]!r}.")


def share(
    parameters: Mapping[str, Any], taken: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Give each metric those of the parameters that it takes; refuse one that none of them takes."""
    for name in parameters:
        if not any(name in options for options in taken):
            near = unknown_name(
                "parameter", name, {option for options in taken for option in options}
            )
            raise TypeError(f"None of the metrics takes it: {near}")
    return [{name: parameters[name] for name in options if name in parameters} for options in taken]


def read(row: Metric, first: Any, second: Any, **options: Any) -> Any:
    """Evaluate a metric on raw arrays: inputs, then counts or ranking, then the average."""
    shared = {name: options.pop(name, None) for name in ("labels", "sample_weight")}
    state: LabelState | ScoreState
    if row.reads_labels:
        state = label_state(check_label_pair(first, second, names=row.inputs, **shared))
    else:
        checked = check_scored_labels(first, second, score_name=row.inputs[1], **shared)
        state = score_state(checked)
    return plain(state.value(row, **options))


def plain(value: Any) -> Any:
    """Return a float where there is one value."""
    return float(value) if np.ndim(value) == 0 else value


def _public(row: Metric, options: dict[str, Any]) -> MetricFunction:
    """Return the function that users call, with a true signature and docstring."""
    usual = _INPUTS_AND_OPTIONS[row.reads][1]
    signature = _signature(row, {**usual, **options, **_COMMON})

    @functools.wraps(row.formula)
    def metric(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{row.formula.__name__}() {error}") from None
        first, second = given.pop(row.inputs[0]), given.pop(row.inputs[1])
        return read(row, first, second, **(options | given))

    def from_counts(
        tp: Any, fp: Any, fn: Any, tn: Any, *, zero_division: Any = "warn", **parameters: Any
    ) -> Any:
        """Return the metric of binary tables given by their counts, of any one shape."""
        counts = Counts(*check_counts({"tp": tp, "fp": fp, "fn": fn, "tn": tn}))
        return plain(value_of_counts(row, counts, parameters, zero_division))

    def from_table(table: Any, *, zero_division: Any = "warn", **options: Any) -> Any:
        """Return the metric of confusion tables, rows true, columns predicted."""
        cells = check_table(table)
        if cells.ndim > 2:
            record = cells if row.reads == "table" else Counts.from_table(check_binary(cells))
            return plain(settle(row, apply(row, record, options), zero_division))
        state = LabelState(cells, np.arange(len(cells)))
        return plain(state.value(row, zero_division=zero_division, **options))

    public: Any = metric
    public.__signature__, public.metric = signature, row
    public.options = dict(list(signature.parameters.items())[2:])
    public.__doc__ = compose(
        row.formula.__doc__ or "", signature, row.bounds, row.undefined, row.source
    )
    if row.reads_labels:
        public.from_counts, public.from_table = from_counts, from_table
    return typing.cast(MetricFunction, public)


def _signature(row: Metric, options: dict[str, Any]) -> inspect.Signature:
    """Two arrays, then by keyword the formula's own parameters and the shared ones."""
    kinds = inspect.Parameter
    arrays = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in row.inputs]
    own = list(inspect.signature(row.formula).parameters.values())[1:]
    own = [parameter.replace(annotation=kinds.empty) for parameter in own]
    shared = [kinds(name, kinds.KEYWORD_ONLY, default=value) for name, value in options.items()]
    return inspect.Signature([*arrays, *own, *shared])


def _checks(formula: Callable[..., Any]) -> dict[str, Callable[[str, Any], Any]]:
    """Read from the annotations how each of the formula's own parameters is checked."""
    hints = typing.get_type_hints(formula, include_extras=True)
    return {name: _check_of(hint) for name, hint in hints.items() if _check_of(hint)}


def _check_of(hint: Any) -> Any:
    """Return the check that an annotation stands for: a flag, a choice, a mark, or one or None."""
    if hint is bool:
        return check_flag
    if typing.get_origin(hint) is Literal:
        return lambda name, value: check_choice(name, value, typing.get_args(hint))
    inner = [_check_of(part) for part in typing.get_args(hint) if part is not type(None)]
    if type(None) in typing.get_args(hint) and inner and inner[0]:
        return lambda name, value: None if value is None else inner[0](name, value)
    mark = next(iter(getattr(hint, "__metadata__", ())), None)
    return getattr(mark, "check", mark)


def _default_is_one(function: str) -> bool:
    """Whether scikit-learn's function of this name takes class 1 as positive by default."""
    parameters = inspect.signature(getattr(sklearn.metrics, function)).parameters
    return "pos_label" in parameters and parameters["pos_label"].default == 1
