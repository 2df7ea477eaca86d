"""Evaluation of a metric on two arrays, counts, or confusion tables."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .._cells.certified import Certified
from .._chunks.aggregation import Settings, aggregated
from .._chunks.sources import is_chunked, source_of
from .._records.counts import Counts, arranged
from .._records.inputs import check_counts, check_table, names_positive
from ..kinds.base import TRUE, WEIGHT, Counting
from ..kinds.labels import LabelState
from ..kinds.scores import plan_of
from ..kinds.scores.chunks import CountingPlan
from ..kinds.totals import Total
from .averaging import Reading, value_of_record
from .row import Metric


def counting_of(row: Metric) -> Counting:
    """Return how chunks are counted for a metric; raise an error if its kind does not define it."""
    inputs = row.kind.inputs
    if inputs.counting is None:
        raise ValueError(
            f"{row.name} reads {inputs.name}, which are not counted in chunks; pass all rows at "
            f"once."
        )
    return inputs.counting


def streamed_counts(
    row: Metric,
    first: Any,
    second: Any,
    plan: CountingPlan,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    **further: Any,
) -> Any:
    """Count two arrays in chunks, with their further arrays."""
    counting, second_name = counting_of(row), row.kind.inputs.argument
    names = dict(zip((TRUE, second_name), row.inputs, strict=True))
    settings = Settings(
        plan,
        None if labels is None else tuple(labels),
        names,
        kinds=(counting.key,),
        numbers=totals_of([row], {}),
    )
    arrays = {TRUE: first, second_name: second, WEIGHT: sample_weight, **further}
    return aggregated(source_of(arrays, names), settings).counts[counting.key]


def totals_of(metrics: Iterable[Metric], options: Mapping[str, Any]) -> tuple[Total, ...]:
    """Return the sums to keep for metrics of kinds without other states."""
    found: dict[Total, None] = {}
    for row in metrics:
        if counting_of(row).totals_only:
            totals = row.totals_of(options)
            if totals is None:
                raise ValueError(
                    f"{row.name} is not declared as a mean of losses, and of "
                    f"{row.kind.inputs.name} in "
                    "chunks only sums are kept; declare it with losses=, or pass all rows at once."
                )
            found |= dict.fromkeys(totals)
    return tuple(found)


def read(
    row: Metric,
    first: Any,
    second: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    **options: Any,
) -> Any:
    """Evaluate a metric on raw arrays: inputs, then counts or ranking, then the average."""
    inputs = row.kind.inputs
    shared = {"labels": labels, "sample_weight": sample_weight}
    if inputs.further:
        shared |= {name: options.pop(name, None) for name in inputs.further}
    arrays = type(first) is type(second) is np.ndarray
    if not arrays and (is_chunked(first) or is_chunked(second)):
        plan = plan_of([row], options)
        state = streamed_counts(row, first, second, plan, **shared).state
    else:
        state = inputs.hold(inputs.check(first, second, names=row.inputs, **shared))
    if inputs.in_columns and options.get("pos_label") is None:
        options |= _greater_class(row, state.scored)
    return plain((Reading(row, options) if options else row.usual).value(state))


def _greater_class(row: Metric, scored: Any) -> dict[str, Any]:
    """Return the positive class that scikit-learn's function uses by default.

    Only functions do so, for values equal to scikit-learn's; other calls require the class.
    """
    if not scored.one_column or names_positive(scored.classes):
        return {}
    lone = len(scored.classes) < 2 and not row.kind.needs_every_class
    if lone or not row.guesses_among(scored.classes):
        return {}
    return {"pos_label": scored.classes[-1]}


def plain(value: Any) -> Any:
    """Return a float for a single value, certified values unchanged."""
    if isinstance(value, float):
        return float(value)
    return float(value) if np.ndim(value) == 0 and not isinstance(value, Certified) else value


def called(
    row: Metric, signature: inspect.Signature, options: Mapping[str, inspect.Parameter]
) -> Callable[..., Any]:
    """Return the function of a metric of two arrays and these options; calls fail as in Python."""
    required = frozenset(name for name, option in options.items() if option.default is option.empty)

    @functools.wraps(row.formula)
    def public(*args: Any, **given: Any) -> Any:
        if not (len(args) == 2 and required <= given.keys() <= options.keys()):
            try:
                given = signature.bind(*args, **given).arguments
            except TypeError as error:
                raise TypeError(f"{row.function}() {error}") from None
            args = given.pop(row.inputs[0]), given.pop(row.inputs[1])
        return read(row, *args, **{**row.defaults, **given})

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
    record = row.kind.of_counts(Counts(*check_counts(cells)))  # type: ignore[misc]
    return plain(value_of_record(row, record, own, zero_division))


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
    if cells.ndim > 2 and row.kind.of_tables is not None:
        return plain(value_of_record(row, row.kind.of_tables(cells), options, zero_division))
    state = LabelState(cells, np.arange(len(cells)))
    return plain(row.value(state, zero_division=zero_division, **options))
