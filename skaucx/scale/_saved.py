"""Counts as JSON, plain text for exchange between parties.

The keys are those below; scores are decimal numbers that name their float64 exactly. A cell holds the
scores from its ``lowest`` to its ``highest``. The digest shows whether the content is what was written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Array, Floats
from ..metrics._kinds.base import PRED, SCORE
from ..metrics._kinds.labels import IndicatorCounts, LabelCounts, Labelled
from ..metrics._kinds.scores.state import (
    BinaryProblem,
    LabelColumn,
    OneScore,
    OneVsOne,
    OneVsRest,
)
from ..metrics._records.counts import Counts
from ..metrics._records.totals import SumOf, Total, UniformBins, named_total
from ..metrics._registry.declare import METRICS
from ._aggregation import Aggregate, Settings
from ._score_counts import ClassTotals, CountingPlan, ScoreCounts, squares_for
from ._score_histogram import ScoreCells, codes_of, low_bits, scores_of

FORMAT, VERSION = "skaucx counts", 1
PROBLEMS: dict[str, Any] = {
    "one score": OneScore,
    "class against the rest": OneVsRest,
    "class against class": OneVsOne,
    "label": LabelColumn,
}
# What files call the sums of the powers of weights, and the cells of the table of a label.
_POWERS = ("table", "squares", "fourths", "rows")
_CELLS = ("tp", "fp", "fn", "tn")


def _digest(content: Mapping[str, Any]) -> str:
    """Return a digest of all fields but that of the digest."""
    held = {name: value for name, value in content.items() if name != "digest"}
    return blake2b(json.dumps(held, sort_keys=True).encode(), digest_size=16).hexdigest()


def read_counts(path: str | PathLike[str]) -> tuple[Aggregate, Settings]:
    """Read counts, and how they were made."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise LookupError
        digest = _digest(content)
    except LookupError:
        raise ValueError(
            f"{path} does not hold counts written by MetricAccumulator.to_file."
        ) from None
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, or nested without end
        raise ValueError(f"{path} is not JSON: {error}") from None
    if content.get("version") != VERSION:
        raise ValueError(f"{path} is of version {content.get('version')!r}; known is {VERSION}.")
    if content.get("digest") != digest:
        raise ValueError(
            f"{path} is damaged: its content is not what was written; have it written again."
        )
    try:
        predictions, scores = _predictions(content["predictions"]), _scores(content["scores"])
    except KeyError as error:
        raise ValueError(
            f"{path} holds sums of {error}, and no metric that is declared here has such sums."
        ) from None
    counts = {PRED: predictions, SCORE: scores}
    plan = CountingPlan() if scores is None else scores.plan
    labels = None if content["labels"] is None else tuple(content["labels"])
    held = {name: part for name, part in counts.items() if part is not None}
    return Aggregate(content["rows"], held), Settings(plan, labels)


def _floats(values: Any) -> Floats:
    """Return numbers, nan of null."""
    return np.array(values, dtype=np.float64)


def _optional(values: Any, kind: Any = None) -> Array | None:
    return None if values is None else np.array(values, dtype=kind)


def _predictions(content: Any) -> Labelled | None:
    if content is None:
        return None
    weighted = content["weighted"]
    if "classes" in content:
        sums = [_floats(content[name]) for name in (_POWERS if weighted else _POWERS[:1])]
        classes = np.array(content["classes"])
        return LabelCounts(classes, np.stack(sums), _optional(content["named"]))
    counts = Counts(*(_floats(content[name]) for name in _CELLS))
    right, named = _floats(content["rows_wrong_and_right"]), _optional(content["named"], np.intp)
    return IndicatorCounts(counts, right, named, weighted)


def _scores(content: Any) -> ScoreCounts | None:
    if content is None:
        return None
    known = _known_totals()
    probable, of_probabilities = _totals(content["totals_of_probabilities"], known)
    wanted, of_columns = _totals(content["totals_of_columns"], known)
    limit, weighted = content["max_cells"], content["weighted"]
    plan = CountingPlan(limit, content["ranked"], probable, wanted, content["pairs_of_classes"])
    cells: dict[BinaryProblem, ScoreCells] = {
        PROBLEMS[each["problem"]](*each["of"]): _cells(each, limit, weighted)
        for each in content["cells"]
    }
    return ScoreCounts(
        plan, np.array(content["classes"]), _floats(content["sizes"]), content["columns"],
        _optional(content["named"]), cells, of_probabilities, of_columns, content["rows"], weighted,
        content["multilabel"],
    )  # fmt: skip


def _cells(content: Mapping[str, Any], limit: int, weighted: bool) -> ScoreCells:
    first, last = (codes_of(_floats(content[name])) for name in ("lowest", "highest"))
    level = content["level"]
    if level is not None:
        low = low_bits(first, level)
        first = first & ~low
        last = first | low
    kind = np.float64 if weighted else np.int64
    positive, negative = (np.array(content[name], kind) for name in ("positive", "negative"))
    ends = [
        content[f"lowest_and_highest_{name}"] or (np.inf, -np.inf)
        for name in ("positive", "negative")
    ]
    exact = content["ends_are_scores"]
    return ScoreCells(first, last, positive, negative, _floats(ends), level, limit, exact)


def _known_totals() -> dict[str, Total]:
    """Return the totals that metrics read, by their names."""
    rows = (function.metric for function in METRICS.values())
    wanted = (t for row in rows for t in (*(row.totals_of({}) or ()), squares_for(row, {})))
    return {named_total(total): total for total in wanted if total is not None}


def _totals(
    content: Mapping[str, Any], known: Mapping[str, Total]
) -> tuple[tuple[Total, ...], ClassTotals]:
    def named(name: Any) -> Total:
        return UniformBins(**name) if isinstance(name, dict) else known[name]

    totals = {named(each["of"]): _floats(each["values"]) for each in content["totals"]}
    classes = np.array(content["classes"]) if content["classes"] else np.arange(0)
    held = ClassTotals(classes, totals, content["columns"], content["refused"])
    return tuple(map(named, content["wanted"])), held


def write_counts(
    path: str | PathLike[str], aggregate: Aggregate, settings: Settings, minimum: int | None
) -> None:
    """Write counts to a file, none above 0 and below the minimum."""
    _check_writable(aggregate)
    if minimum is not None:
        _check_withholdable(aggregate, minimum)
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "rows": aggregate.rows,
        "labels": None if settings.labels is None else _plain(np.asarray(settings.labels)),
        "predictions": _plain_predictions(aggregate.labels),
        "scores": _plain_scores(aggregate.scores, minimum),
    }
    content["digest"] = _digest(content)
    Path(path).write_text(json.dumps(content, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _check_writable(aggregate: Aggregate) -> None:
    """Raise an error for sums that the format does not support."""
    for name in aggregate.counts.keys() - {PRED, SCORE}:
        raise ValueError(
            f"A file holds counts of predicted labels and of scores, and these are of {name}; "
            "pickle the accumulator."
        )


def _check_withholdable(aggregate: Aggregate, minimum: int) -> None:
    """Raise an error for counts that cannot be joined with others."""
    if any(part is not None and part.weighted for part in (aggregate.labels, aggregate.scores)):
        raise ValueError(
            "minimum_count needs numbers of rows, and of weighted rows sums of weights are kept."
        )
    tables = {
        "confusion table": getattr(aggregate.labels, "table", None),
        "counts of the labels": getattr(getattr(aggregate.labels, "counts", None), "table", None),
        "class sizes": None if aggregate.scores is None else aggregate.scores.sizes,
    }
    for name, table in tables.items():
        if table is not None and _has_small(table, minimum):
            least = table[table > 0].min()
            raise ValueError(
                f"The {name} holds a count of {least:g}, below minimum_count={minimum}; join "
                "classes, or leave the predictions out."
            )


def _has_small(counts: Array, minimum: int) -> bool:
    """Whether one of the counts is above 0 and below the minimum."""
    return bool(((counts > 0) & (counts < minimum)).any())


def _plain_predictions(counted: Any) -> dict[str, Any] | None:
    if counted is None:
        return None
    named = None if counted.named is None else _plain(counted.named)
    if not counted.multilabel:
        content = {"classes": _plain(counted.classes)}
        content |= {name: _plain(sums) for name, sums in zip(_POWERS, counted.sums, strict=False)}
    else:
        cells = zip(_CELLS, counted.counts.cells, strict=True)
        content = {name: _plain(count) for name, count in cells}
        content["rows_wrong_and_right"] = _plain(counted.rows)
    return {**content, "named": named, "weighted": counted.weighted}


def _plain_scores(counts: ScoreCounts | None, minimum: int | None) -> dict[str, Any] | None:
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
        "cells": [_plain_cells(p, c, minimum) for p, c in counts.cells.items()],
        "rows": counts.n_examples,
        "totals_of_probabilities": _plain_totals(
            counts.plan.of_probabilities, counts.of_probabilities, minimum
        ),
        "totals_of_columns": _plain_totals(counts.plan.of_columns, counts.of_columns, minimum),
    }


def _plain_totals(
    wanted: Sequence[Total], held: ClassTotals, minimum: int | None
) -> dict[str, Any]:
    """Return totals with what names them; those that hold small counts are withheld."""
    reported = {
        total: array
        for total, array in held.totals.items()
        if minimum is None or not _has_small(_counts_in(total, array), minimum)
    }
    return {
        "wanted": [_name(total) for total in wanted],
        "classes": _plain(held.classes),
        "columns": held.n_columns,
        "refused": held.refused,
        "totals": [
            {"of": _name(total), "values": _plain(array)} for total, array in reported.items()
        ],
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


def _plain_cells(problem: BinaryProblem, cells: ScoreCells, minimum: int | None) -> dict[str, Any]:
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
        "lowest_and_highest_positive": _plain_ends(cells.ends[0]),
        "lowest_and_highest_negative": _plain_ends(cells.ends[1]),
        "ends_are_scores": cells.ends_exact,
    }


def _plain_ends(ends: Array) -> list[float] | None:
    return _plain(ends) if np.isfinite(ends).all() else None


def _plain(array: Array) -> Any:
    """Return lists of plain numbers or strings; whole floats as whole numbers, and nan as null."""
    if array.dtype.kind == "f" and np.isnan(array).any():
        known: Any = array.astype(object)
        known[np.isnan(array)] = None
        return known.tolist()
    if array.dtype.kind == "f" and (array == np.floor(array)).all() and (abs(array) < 2**53).all():
        array = array.astype(np.int64)
    return array.tolist()
