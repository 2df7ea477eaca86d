"""Many metrics of rows that come in chunks."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._options import RealRange, check_whole
from .._cells.certified import Certified
from .._records.inputs import refuse_no_predictions
from .._registry.kind import Prediction
from .._registry.kinds import COLUMNS, MARGINS, PROBABILITIES
from .._registry.row import Metric
from .._registry.streamed import ARRAYS, plan_for
from .._streams.frames import Frames
from .._streams.refining import refined
from .._streams.sources import Arrays, Source, source_of
from .._streams.states import state_of
from .._streams.tally import TRUE, WEIGHT, Settings, Tally, tallied
from .values import chosen_metrics, values_of


@dataclass(frozen=True)
class Rows:
    """Rows in chunks, what of them is judged, and how they are counted."""

    source: Source
    judged: tuple[Prediction, ...]
    labels: tuple[Any, ...] | None
    max_cells: int

    @classmethod
    def of(cls, data: Any, arrays: Arrays, labels: Any, max_cells: int) -> Rows:
        """Take rows out of frames, or of arrays in chunks."""
        given = {name: array for name, array in arrays.items() if array is not None}
        judged = tuple(kind for kind, name in ARRAYS.items() if name in given)
        if not judged:
            raise refuse_no_predictions()
        if TRUE not in given:
            raise TypeError("y_true is None; pass what holds the true labels.")
        return cls(
            source_of(given) if data is None else Frames(data, _columns(given)),
            judged,
            None if labels is None else tuple(labels),
            check_whole("max_cells", max_cells, 1),
        )


def _columns(given: Arrays) -> dict[str, Any]:
    for name, column in given.items():
        names = column if isinstance(column, list) and name not in (TRUE, WEIGHT) else [column]
        if not names or not all(isinstance(each, str) for each in names):
            raise TypeError(
                f"With data, {name} must be the name of a column, or y_score a list of names; found "
                f"{column!r}."
            )
    return dict(given)


def values_of_chunks(
    rows: Rows,
    metrics: Iterable[str] | None,
    parameters: Mapping[str, Any],
    tolerance: float | None = None,
) -> dict[str, Any]:
    """Return the values of metrics by their names, after as many passes as the tolerance takes."""
    chosen = metrics_of_counts(rows.judged, metrics, parameters)
    metrics = [row.name for row in chosen]
    settings = Settings(plan_for(chosen, parameters, rows.max_cells), rows.labels)

    def read(tally: Tally) -> dict[str, Any]:
        return values_of(states_of(tally), metrics, parameters)

    def width(tally: Tally) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # told with the values that are returned
            found = read(tally).values()
        return max((float(np.max(v.width)) for v in found if isinstance(v, Certified)), default=0.0)

    if tolerance is not None:
        _check_tolerance(tolerance, rows.source)
    tally = tallied(rows.source, settings)
    if tolerance is not None:
        of_values = any(
            (row.step_bound is not None and row.step_bound.by_values)
            or row.kind.scale not in ("order", None)
            for row in chosen
        )
        tally = refined(tally, rows.source, settings, width, tolerance, values=of_values)
    return read(tally)


def metrics_of_counts(
    judged: Iterable[Prediction], metrics: Iterable[str] | None, parameters: Mapping[str, Any]
) -> list[Metric]:
    """Return the metrics that are named, or all that need no more of the rows than counts."""
    found = [function.metric for function in chosen_metrics(judged, metrics, parameters)]
    if metrics is not None:
        return found
    rows_needed = [COLUMNS, MARGINS]
    return [
        row
        for row in found
        if row.kind not in rows_needed and (row.kind is not PROBABILITIES or row.losses is not None)
    ]


def states_of(tally: Tally) -> dict[Prediction, Any]:
    """Return what metrics are read from, by what they judge."""
    counts = tally.counts
    return {judged: state_of(counts[name]) for judged, name in ARRAYS.items() if name in counts}


def _check_tolerance(tolerance: Any, source: Source) -> None:
    RealRange(0, math.inf).check("tolerance", tolerance)
    if not source.repeatable:
        raise ValueError(
            "tolerance needs rows that can be gone through again; pass collections of Dask, or data as "
            "a list of frames or another iterable that starts anew, not an iterator."
        )
