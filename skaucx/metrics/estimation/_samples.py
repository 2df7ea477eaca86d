"""What a call that asks for intervals judges: its metrics, and the sample that it is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..._arrays import Codes
from .._records.counts import given_table
from .._registry.names import NamedMetric, is_plain_function, named_metrics
from .._registry.row import Metric
from .._registry.streamed import streamed_counts
from .._resampling.counted import sample_of_counts, sample_of_table
from .._resampling.sample import LabelSample, Sample, sample_of
from .._streams.scores import Plan
from .._streams.sources import is_chunked
from ._functions import FunctionSample
from ._settings import groups_of_rows, repeated


class Rows(NamedTuple):
    """The arrays of a call, None where one is not given."""

    y_true: Any
    y_pred_or_score: Any
    sample_weight: Any
    groups: Any


class Judged(NamedTuple):
    """What is judged.

    Attributes
    ----------
    metrics : list
        Named metrics, or plain functions.
    sample : Sample
    parameters : mapping
        Those of the metrics: what belongs to the arrays is in the sample.
    groups : ndarray of int or None
        The group of each row.
    """

    metrics: Sequence[Any]
    sample: Sample
    parameters: Mapping[str, Any]
    groups: Codes | None = None


def judged(
    metrics: str | Iterable[str | Callable[..., Any]],
    rows: Rows,
    parameters: Mapping[str, Any],
    *,
    counts: Any,
    frequency: Any,
    layout: str | None = None,
) -> Judged:
    """Check what a call is given, and return what it judges."""
    if frequency is not None:
        rows = Rows(*repeated(frequency, counts, *rows))
    asked = list(metrics) if isinstance(metrics, (list, tuple)) else []
    plain = [each for each in asked if is_plain_function(each)]
    if plain and len(plain) < len(asked):
        raise ValueError("metrics mixes plain functions with metrics; ask for them in two calls.")
    if plain and counts is None:
        return _of_functions(plain, rows, parameters)
    wanted = named_metrics(metrics)
    if counts is not None:
        return Judged(wanted, _of_table(wanted, counts, rows, layout), parameters)
    if layout is not None:
        raise ValueError("layout is that of counts=, which are not given.")
    if is_chunked(rows.y_true):
        return Judged(wanted, _of_chunks(wanted, rows, parameters), parameters)
    return _of_rows(wanted, rows, parameters)


def _of_functions(
    functions: Sequence[Callable[..., Any]], rows: Rows, parameters: Mapping[str, Any]
) -> Judged:
    if rows.sample_weight is not None:
        raise ValueError("sample_weight needs a metric of this package, found a function.")
    sample = FunctionSample(rows.y_true, rows.y_pred_or_score)
    return Judged(functions, sample, parameters, _groups(rows))


def _of_rows(wanted: Sequence[NamedMetric], rows: Rows, parameters: Mapping[str, Any]) -> Judged:
    row, own = _one_kind(wanted), dict(parameters)
    sample = sample_of(
        row,
        rows.y_true,
        rows.y_pred_or_score,
        labels=own.get("labels"),
        sample_weight=rows.sample_weight,
        collapse=rows.groups is None,
        **{name: own.pop(name) for name in row.kind.judged.beside if name in own},
    )
    return Judged(wanted, sample, own, _groups(rows))


def _groups(rows: Rows) -> Codes | None:
    if rows.groups is None:
        return None
    return groups_of_rows(rows.groups, rows.y_true, rows.sample_weight)


def _of_table(
    wanted: Sequence[NamedMetric], counts: Any, rows: Rows, layout: str | None
) -> LabelSample:
    """Return the sample that a table counts; nothing else of the rows can be given."""
    if any(array is not None for array in rows):
        raise ValueError(
            "counts stand for all rows; leave out y_true, y_pred_or_score, groups and sample_weight."
        )
    return sample_of_counts_given(_one_kind(wanted), counts, layout)


def sample_of_counts_given(row: Metric, counts: Any, layout: str | None = None) -> LabelSample:
    """Return the sample that a table of counts stands for."""
    if not row.kind.counted:
        raise ValueError(f"{row.name} judges scores, of which a table of counts tells nothing.")
    table = given_table(counts, layout).table
    if (table != np.floor(table)).any():
        raise ValueError("counts must be whole numbers: an interval needs the number of examples.")
    return sample_of_table(table, np.arange(len(table)))


def _of_chunks(wanted: Sequence[NamedMetric], rows: Rows, parameters: Mapping[str, Any]) -> Sample:
    if rows.groups is not None:
        raise ValueError("groups need rows in memory; of rows in chunks only counts are kept.")
    counts = streamed_counts(
        _one_kind(wanted),
        rows.y_true,
        rows.y_pred_or_score,
        Plan(),
        labels=parameters.get("labels"),
        sample_weight=rows.sample_weight,
    )
    return sample_of_counts(counts)


def _one_kind(wanted: Sequence[NamedMetric]) -> Metric:
    """Return a row that stands for what all metrics read: labels or scores."""
    kinds = {named.row.kind.judged: named.row for named in wanted}
    if len(kinds) > 1:
        each = " and ".join(f"{row.name} judges {judged.name}" for judged, row in kinds.items())
        raise ValueError(f"{each}; ask for them in two calls.")
    return wanted[0].row
