"""Counts written as JSON: plain text for exchange between parties.

The keys are those below; scores are decimal numbers that name their float64 exactly. A cell holds the
scores from its ``lowest`` to its ``highest``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..._arrays import Array, Floats
from .._cells.cells import ScoreCells
from .._cells.codes import codes_of, scores_of
from .._chunks.tally import Settings, Tally
from ..kinds.base import PRED, SCORE
from ..kinds.labels import LabelCounts
from ..kinds.scores.cells import ScoreCounts
from ..kinds.scores.state import BinaryProblem
from ..kinds.scores.totals import ClassTotals
from ..kinds.totals import SumOf, Total, UniformBins, named_total
from ._reading import FORMAT, PROBLEMS, VERSION


def write_counts(
    path: str | PathLike[str], tally: Tally, settings: Settings, minimum: int | None
) -> None:
    """Write counts to a file, none above 0 and below the minimum."""
    _check_writable(tally)
    if minimum is not None:
        _check_withholdable(tally, minimum)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "rows": tally.rows,
        "labels": None if settings.labels is None else _plain(np.asarray(settings.labels)),
        "predictions": _predictions(tally.labels),
        "scores": _scores(tally.scores, minimum),
    }
    Path(path).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _check_writable(tally: Tally) -> None:
    """Refuse sums that have no place in the format."""
    for name in tally.counts.keys() - {PRED, SCORE}:
        raise ValueError(
            f"A file holds counts of predicted labels and of scores, and these are of {name}; pickle "
            "the accumulator."
        )


def _check_withholdable(tally: Tally, minimum: int) -> None:
    """Refuse counts that cannot be joined with others."""
    if any(part is not None and part.weighted for part in (tally.labels, tally.scores)):
        raise ValueError(
            "minimum_count needs numbers of rows, and of weighted rows sums of weights are kept."
        )
    tables = {
        "confusion table": getattr(tally.labels, "table", None),
        "counts of the labels": getattr(getattr(tally.labels, "counts", None), "table", None),
        "class sizes": None if tally.scores is None else tally.scores.sizes,
    }
    for name, table in tables.items():
        if table is not None and _has_small(table, minimum):
            least = table[table > 0].min()
            raise ValueError(
                f"The {name} holds a count of {least:g}, below minimum_count={minimum}; join classes, "
                "or leave the predictions out."
            )


def _has_small(counts: Array, minimum: int) -> bool:
    """Whether one of the counts is above 0 and below the minimum."""
    return bool(((counts > 0) & (counts < minimum)).any())


def _predictions(counted: Any) -> dict[str, Any] | None:
    if counted is None:
        return None
    named = None if counted.named is None else _plain(counted.named)
    if isinstance(counted, LabelCounts):
        content = {"classes": _plain(counted.classes), "table": _plain(counted.table)}
        if counted.weighted:
            content |= {"squares": _plain(counted.squares), "rows": _plain(counted.sizes)}
    else:
        cells = zip(("tp", "fp", "fn", "tn"), counted.counts.cells, strict=True)
        content = {name: _plain(count) for name, count in cells}
        content["rows_wrong_and_right"] = _plain(counted.rows)
    return {**content, "named": named, "weighted": counted.weighted}


def _scores(counts: ScoreCounts | None, minimum: int | None) -> dict[str, Any] | None:
    if counts is None:
        return None
    return {
        "classes": _plain(counts.classes),
        "sizes": _plain(counts.sizes),
        "columns": counts.columns,
        "named": None if counts.named is None else _plain(counts.named),
        "multilabel": counts.multilabel,
        "weighted": counts.weighted,
        "max_cells": counts.plan.max_cells,
        "pairs_of_classes": counts.plan.pairs,
        "ranked": counts.plan.ranked,
        "cells": [_cells(p, c, minimum) for p, c in counts.cells.items()],
        "rows": counts.n_examples,
        "totals_of_probabilities": _totals(
            counts.plan.of_probabilities, counts.of_probabilities, minimum
        ),
        "totals_of_columns": _totals(counts.plan.of_columns, counts.of_columns, minimum),
    }


def _totals(wanted: Sequence[Total], held: ClassTotals, minimum: int | None) -> dict[str, Any]:
    """Return totals with what names them; those that hold small counts are withheld."""
    told = {
        total: array
        for total, array in held.totals.items()
        if minimum is None or not _has_small(_counts_in(total, array), minimum)
    }
    return {
        "wanted": [_name(total) for total in wanted],
        "classes": _plain(held.classes),
        "columns": held.n_columns,
        "refused": held.refused,
        "totals": [{"of": _name(total), "values": _plain(array)} for total, array in told.items()],
    }


def _counts_in(total: Total, held: Floats) -> Floats:
    """Return the numbers of examples in a total."""
    if isinstance(total, SumOf):
        return np.zeros(0)
    if isinstance(total, UniformBins):
        positive = held[..., 1, :]
        return np.stack([positive, held[..., 0, :] - positive])
    return held


def _name(total: Total) -> Any:
    return asdict(total) if isinstance(total, UniformBins) else named_total(total)


def _cells(problem: BinaryProblem, cells: ScoreCells, minimum: int | None) -> dict[str, Any]:
    if minimum is not None:
        cells = cells.at_least(minimum)
    known = cells.ends[np.isfinite(cells.ends)]
    reach = codes_of(np.array([known.min(), known.max()])) if len(known) else ()
    edges = (
        scores_of(edge.clip(*reach)) if len(edge) else edge for edge in (cells.first, cells.last)
    )
    lowest, highest = map(_plain, edges)
    kind = next(name for name, made in PROBLEMS.items() if isinstance(problem, made))
    return {
        "problem": kind,
        "of": list(vars(problem).values()),
        "level": cells.level,
        "lowest": lowest,
        "highest": highest,
        "positive": _plain(cells.positive),
        "negative": _plain(cells.negative),
        "lowest_and_highest_positive": _ends(cells.ends[0]),
        "lowest_and_highest_negative": _ends(cells.ends[1]),
        "ends_are_scores": cells.ends_exact,
    }


def _ends(ends: Array) -> list[float] | None:
    return _plain(ends) if np.isfinite(ends).all() else None


def _plain(array: Array) -> Any:
    """Return lists of plain numbers or strings; whole floats as whole numbers."""
    if array.dtype.kind == "f" and (array == np.floor(array)).all() and (abs(array) < 2**53).all():
        array = array.astype(np.int64)
    return array.tolist()
