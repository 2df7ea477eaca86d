"""Counts as JSON, plain text for exchange between parties: written, and verified as they are read.

The keys are those below; scores are decimal numbers that name their float64 exactly. A cell holds the
scores from its ``lowest`` to its ``highest``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from itertools import pairwise, permutations
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from .._arrays import Array, Codes, Floats
from ..metrics._records.counts import Counts
from ..metrics._records.totals import SCALE, SumOf, Total, UniformBins, named_total
from ..metrics._registry.declare import METRICS
from ..metrics.kinds.base import PRED, SCORE
from ..metrics.kinds.labels import IndicatorCounts, LabelCounts, Labelled
from ..metrics.kinds.scores.class_scores import Columns, Probabilities
from ..metrics.kinds.scores.state import (
    GREATEST,
    BinaryProblem,
    LabelColumn,
    OneScore,
    OneVsOne,
    OneVsRest,
)
from ._aggregation import Aggregate, Settings
from ._score_counts import ClassTotals, CountingPlan, ScoreCounts, squares_for
from ._score_histogram import PREFIXES, UNLIMITED, ScoreCells, codes_of, low_bits, scores_of

Read = TypeVar("Read")
_LONGEST = 40


class Field:
    """A value of a JSON file, with the file and the field that hold it.

    Parameters
    ----------
    value : object
        What :mod:`json` returns.
    file, name : str
    """

    def __init__(self, value: Any, file: str, name: str = "") -> None:
        self.value, self.file, self.name = value, file, name

    @classmethod
    def of_file(cls, path: str | PathLike[str]) -> Field:
        """Read a file that must be JSON."""
        try:
            text = Path(path).read_text(encoding="utf-8")
            return cls(json.loads(text, object_pairs_hook=_distinct), str(path))
        except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, or nested without end
            raise ValueError(f"{path} is not JSON: {error}") from None

    def error(self, wanted: str) -> ValueError:
        """Return the error for an invalid value."""
        found = repr(self.value)
        found = found if len(found) <= _LONGEST else f"{found[:_LONGEST]} ..."
        name = self.name or "the whole"
        return ValueError(f"{self.file} is damaged: {name} must be {wanted}, found {found}.")

    def check(self, right: bool, wanted: str) -> None:
        """Raise an error for a value that violates a condition."""
        if not right:
            raise self.error(wanted)

    def __getitem__(self, key: str) -> Field:
        """Return a field of an object."""
        self.check(isinstance(self.value, dict), "an object")
        if key not in self.value:
            name = f"{self.name}.{key}" if self.name else key
            raise ValueError(f"{self.file} is damaged: {name} is missing.")
        return Field(self.value[key], self.file, f"{self.name}.{key}" if self.name else key)

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and key in self.value

    def __iter__(self) -> Iterator[Field]:
        self.check(isinstance(self.value, list), "a list")
        return (
            Field(each, self.file, f"{self.name}[{place}]") for place, each in enumerate(self.value)
        )

    def optional(self, read: Callable[[Field], Read]) -> Read | None:
        """Read a value that may be null."""
        return None if self.value is None else read(self)

    def whole(self, low: int, high: int) -> int:
        """Return a whole number within bounds."""
        right = type(self.value) is int and low <= self.value <= high
        self.check(right, f"a whole number from {low} to {high}")
        return int(self.value)

    def flag(self) -> bool:
        """Return true or false."""
        self.check(isinstance(self.value, bool), "true or false")
        return bool(self.value)

    def text(self) -> str:
        """Return a string."""
        self.check(isinstance(self.value, str), "a string")
        return str(self.value)

    def numbers(
        self, shape: tuple[int, ...], *, kind: type = np.float64, unknown: bool = False
    ) -> Array:
        """Return finite numbers of a shape, -1 where any length will do; of unknown ones null is nan."""
        wanted = f"finite numbers of shape {shape}".replace("-1", "any")
        try:
            entries = np.array(self.value, dtype=object)
            null: Any = None
            missing = np.equal(entries, null) & unknown
            entries[missing] = 0.0
            found = entries.astype(np.float64)
        except (ValueError, TypeError, OverflowError, RecursionError):
            raise self.error(wanted) from None
        fits = found.ndim == len(shape) and all(
            want in (-1, size) for want, size in zip(shape, found.shape, strict=True)
        )
        plain = set(map(type, entries.ravel().tolist())) <= {int, float}
        self.check(fits and plain and bool(np.isfinite(found).all()), wanted)
        if kind is np.float64:
            wide = entries[abs(found) >= 2**53].tolist()
            self.check(not any(isinstance(each, int) for each in wide), "numbers that floats hold")
            found[missing] = np.nan
            return found
        exact = (found == np.floor(found)) & (abs(found) < 2.0**63)
        self.check(bool(exact.all()), f"whole numbers of shape {shape}")
        return entries.astype(kind)

    def counts(self, shape: tuple[int, ...], *, whole: bool) -> Array:
        """Return numbers of rows, or sums of weights, none below 0."""
        found = self.numbers(shape, kind=np.int64 if whole else np.float64)
        self.check(bool((found >= 0).all()), "counts >= 0")
        return found

    def labels(self, *, rising: bool) -> Array:
        """Return labels of one kind, none of them twice."""
        self.check(isinstance(self.value, list) and bool(self.value), "a list of labels")
        kinds = set(map(type, self.value))
        one_kind = any(kinds <= kind for kind in ({str}, {bool}, {int, float}))
        self.check(one_kind, "a list of strings, of numbers, or of true and false")
        found = np.array(self.value)
        kept = found.dtype.kind in "biuU" and found.tolist() == self.value
        self.check(kept, "strings, whole numbers, or true and false, as NumPy holds them")
        self.check(len(np.unique(found)) == len(found), "labels of which none occurs twice")
        self.check(not rising or np.unique(found).tolist() == self.value, "labels that rise")
        return found


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, of which no field may occur twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has two fields of one name")
    return found


FORMAT, VERSION = "skaucx counts", 1
PROBLEMS: dict[str, Any] = {
    "one score": OneScore,
    "class against the rest": OneVsRest,
    "class against class": OneVsOne,
    "label": LabelColumn,
}
_MOST_ROWS, _MOST_BINS = 2**62, 10**6
_ROUNDING = 1e-9  # of sums of weights


def read_counts(path: str | PathLike[str]) -> tuple[Aggregate, Settings]:
    """Read counts, and how they were made."""
    content = Field.of_file(path)
    if "format" not in content or content["format"].value != FORMAT:
        raise ValueError(f"{path} does not hold counts written by MetricAccumulator.to_file.")
    if "version" not in content or content["version"].value != VERSION:
        found = content.value.get("version")
        raise ValueError(f"{path} is of version {found!r}; known is {VERSION}.")
    rows = content["rows"].whole(1, _MOST_ROWS)
    labels = content["labels"].optional(lambda each: each.labels(rising=False))
    predictions = content["predictions"].optional(lambda each: _predictions(each, rows))
    scores = content["scores"].optional(lambda each: _scores(each, rows))
    if predictions is None and scores is None:
        raise content["predictions"].error("given where no scores are")
    _check_alike(content["scores"], predictions, scores)
    read = {PRED: predictions, SCORE: scores}
    counts = {name: part for name, part in read.items() if part is not None}
    plan = CountingPlan() if scores is None else scores.plan
    return Aggregate(rows, counts), Settings(
        plan, None if labels is None else tuple(labels.tolist())
    )


def _sums_to(parts: Array, whole: Any) -> bool:
    """Whether counts add up to others, weights up to rounding."""
    with np.errstate(over="ignore"):
        return bool(np.isclose(parts, whole, rtol=_ROUNDING, atol=0).all())


def _check_alike(field: Field, predictions: Any, scores: ScoreCounts | None) -> None:
    """Check that labels and scores are of the same rows."""
    if scores is None or predictions is None or predictions.multilabel or scores.multilabel:
        return
    known = predictions.classes.tolist()
    held = dict(zip(known, predictions.table.sum(axis=1).tolist(), strict=True))
    sizes = dict(zip(scores.classes.tolist(), scores.sizes.tolist(), strict=True))
    wanted = [held.get(label, 0.0) for label in {**held, **sizes}]
    found = [sizes.get(label, 0.0) for label in {**held, **sizes}]
    field["sizes"].check(_sums_to(np.array(found), wanted), "the row sums of predictions.table")


# What files call the sums of the powers of weights.
_POWERS = ("table", "squares", "fourths", "rows")


def _predictions(content: Field, rows: int) -> Labelled:
    weighted = content["weighted"].flag()
    if "table" not in content:
        return _indicators(content, rows, weighted)
    classes = content["classes"].labels(rising=True)
    shape = len(classes), len(classes)
    sums = np.stack([
        content[name].counts(shape, whole=name == "rows" or not weighted).astype(np.float64)
        for name in (_POWERS if weighted else _POWERS[:1])
    ])  # fmt: skip
    table, sizes = sums[0], sums[-1]
    alike = ((table > 0) == (sizes > 0)).all()
    with np.errstate(over="ignore", under="ignore"):
        # Of n numbers w >= 0: (sum w)^2 / n <= sum w^2 <= (sum w)^2; of weights, and of their squares.
        for each, squares in pairwise(sums[:3]):
            least, most = each**2 / np.maximum(sizes, 1), each**2.0
            alike &= (squares >= least * (1 - _ROUNDING)).all()
            alike &= (squares <= most * (1 + _ROUNDING)).all()
    content["table"].check(
        bool(alike), "sums of weights that the numbers of rows and sums of powers allow"
    )
    content["rows" if weighted else "table"].check(int(sizes.sum()) == rows, f"{rows} rows in all")
    named = content["named"].optional(lambda each: _named(each, classes))
    return LabelCounts(classes, sums, named)


def _indicators(content: Field, rows: int, weighted: bool) -> IndicatorCounts:
    labels = len(content["tp"].counts((-1,), whole=not weighted))
    content["tp"].check(labels > 0, "a count for each label")
    cells = [content[n].counts((labels,), whole=not weighted) for n in ("tp", "fp", "fn", "tn")]
    right = content["rows_wrong_and_right"].counts((2, 2), whole=not weighted)
    total = right.sum() if weighted else rows
    content["rows_wrong_and_right"].check(_sums_to(right.sum(), total), f"{rows} rows in all")
    content["tp"].check(_sums_to(np.sum(cells, axis=0), total), "counts of the same rows")
    named = content["named"].optional(lambda each: _columns_named(each, labels))
    counts = Counts(*(cell.astype(np.float64) for cell in cells))
    return IndicatorCounts(counts, right.astype(np.float64), named, weighted)


def _named(content: Field, classes: Array) -> Array:
    """Return the caller's labels, which are among the classes."""
    found = content.labels(rising=False)
    content.check(set(found.tolist()) <= set(classes.tolist()), "labels among the classes")
    return found


def _columns_named(content: Field, labels: int) -> Codes:
    found = content.numbers((-1,), kind=np.int64).astype(np.intp)
    inside = len(found) > 0 and found.min() >= 0 and found.max() < labels
    content.check(inside and len(np.unique(found)) == len(found), f"columns from 0 to {labels - 1}")
    return found


def _scores(content: Field, rows: int) -> ScoreCounts:
    weighted, multilabel = content["weighted"].flag(), content["multilabel"].flag()
    content["rows"].whole(rows, rows)
    classes = content["classes"].labels(rising=True)
    named = content["named"].optional(lambda each: _named(each, classes))
    columns = content["columns"].whole(0, max(len(classes), 2))
    if columns or multilabel or len(classes) > 2:
        width = len(classes) if multilabel else max(len(classes), 2)
        content["columns"].check(columns == width, f"{width}, a column a class")
        content["named"].check(named is None or len(named) == len(classes), "all classes, or null")
    if multilabel:
        content["classes"].check(classes.tolist() == list(range(columns)), "the columns from 0")
    sizes = content["sizes"].counts((len(classes),), whole=not weighted).astype(np.float64)
    if not (weighted or multilabel):
        content["sizes"].check(sizes.sum() == rows, f"sizes of {rows} rows in all")
    if not weighted:
        content["sizes"].check(bool((sizes <= rows).all()), f"sizes of {rows} rows at most")
    # Of one score an example there are two probabilities; of indicators no totals.
    widths = (0, 0) if multilabel else (max(columns, 2), max(columns, 1))
    (probable, of_probabilities), (of_scores, of_columns) = (
        _totals(content[f"totals_of_{name}"], classes, sizes, width)
        for name, width in zip(("probabilities", "columns"), widths, strict=True)
    )
    plan = CountingPlan(
        content["max_cells"].whole(1, UNLIMITED),
        content["ranked"].flag(),
        probable,
        of_scores,
        content["pairs_of_classes"].flag(),
    )
    found = ScoreCounts(
        plan, classes, sizes, columns, named, {}, of_probabilities, of_columns, rows, weighted,
        multilabel,
    )  # fmt: skip
    for each in content["cells"]:
        problem, cells = _cells(each, found)
        each["of"].check(problem not in found.cells, "a problem that occurs once")
        found.cells[problem] = cells  # type: ignore[index]
    missing = _problems(found) - found.cells.keys()
    content["cells"].check(not missing, "cells of every binary problem")
    totals = np.array([cells.total for cells in found.cells.values()])
    alike = not multilabel or _sums_to(totals, totals[:1])
    content["cells"].check(alike, "cells of the same rows for every label")
    return found


def _problems(counts: ScoreCounts) -> set[BinaryProblem]:
    """Return the binary problems whose cells are kept."""
    every, plan = range(counts.columns), counts.plan
    if not plan.ranked or (not counts.multilabel and counts.columns == 2 >= len(counts.classes)):
        return set()
    if counts.multilabel:
        return {LabelColumn(k) for k in every}
    if not counts.columns:
        return {GREATEST}
    pairs = permutations(every, 2) if plan.pairs else ()
    return {*map(OneVsRest, every), *(OneVsOne(a, b) for a, b in pairs)}


def _cells(content: Field, counts: ScoreCounts) -> tuple[BinaryProblem, ScoreCells]:
    kind = content["problem"]
    kind.check(isinstance(kind.value, str) and kind.value in PROBLEMS, "a binary problem")
    of = content["of"]
    numbers = [each.whole(-1, max(counts.columns - 1, 0)) for each in of]
    of.check(len(numbers) == (2 if kind.value == "class against class" else 1), "its classes")
    problem: BinaryProblem = PROBLEMS[kind.value](*numbers)
    of.check(problem in _problems(counts), "a problem of these classes")
    level = content["level"].optional(lambda each: each.whole(0, 64 * PREFIXES))
    lowest = content["lowest"].numbers((-1,))
    first, last = codes_of(lowest), codes_of(content["highest"].numbers((len(lowest),)))
    content["lowest"].check(bool((first[1:] > first[:-1]).all()), "scores that rise")
    content["lowest"].check(len(first) <= counts.plan.max_cells, "max_cells scores at most")
    if level is not None:
        low = low_bits(first, level)
        first, own = first & ~low, last & ~low
        content["highest"].check(bool((first == own).all()), "scores in the cells of the lowest")
        last = first | low
    apart = (first <= last).all() and (first[1:] > last[:-1]).all()
    content["highest"].check(bool(apart), "scores that rise with the lowest, of cells apart")
    shape, whole = (len(first),), not counts.weighted
    positive, negative = (content[n].counts(shape, whole=whole) for n in ("positive", "negative"))
    for name, side, size in zip(
        ("positive", "negative"), (positive, negative), _sides(problem, counts), strict=True
    ):
        right = size is None or _sums_to(side.sum(), size)
        content[name].check(right, f"counts of {size} in all, as the sizes of the classes say")
    content["positive"].check(bool((positive + negative > 0).all()), "cells of which none is empty")
    ends = [
        _ends(content[f"lowest_and_highest_{name}"], side, first, last)
        for name, side in (("positive", positive), ("negative", negative))
    ]
    exact = content["ends_are_scores"].flag()
    limit = counts.plan.max_cells
    return problem, ScoreCells(first, last, positive, negative, np.array(ends), level, limit, exact)


def _sides(problem: BinaryProblem, counts: ScoreCounts) -> tuple[float | None, float | None]:
    """Return how much the positives and the negatives of a problem weigh; None where unknown."""
    sizes, total = counts.sizes, counts.sizes.sum()
    if isinstance(problem, LabelColumn):
        own = sizes[problem.column]
        return own, None if counts.weighted else counts.n_examples - own
    if isinstance(problem, OneScore):
        return sizes[-1], total - sizes[-1]
    named = counts.classes if counts.named is None else counts.named
    of_column = sizes[np.searchsorted(counts.classes, named)]
    if isinstance(problem, OneVsOne):
        return of_column[problem.column], of_column[problem.other]
    assert isinstance(problem, OneVsRest)
    return of_column[problem.column], np.delete(of_column, problem.column).sum()


def _ends(content: Field, side: Array, first: Array, last: Array) -> Floats:
    """Return the lowest and the highest score of a class, which lie in its outer cells."""
    held = np.flatnonzero(side)
    if not len(held):
        content.check(content.value is None, "null, as the class is empty")
        return np.array([np.inf, -np.inf])
    ends = content.numbers((2,))
    codes, outer = codes_of(ends), held[[0, -1]]
    inside = (first[outer] <= codes) & (codes <= last[outer])
    content.check(bool(inside.all() and ends[0] <= ends[1]), "scores within the outer cells")
    return ends


def _totals(
    content: Field, classes: Array, sizes: Floats, columns: int
) -> tuple[tuple[Total, ...], ClassTotals]:
    wanted = tuple(_total_of(each) for each in content["wanted"])
    content["wanted"].check(len(set(wanted)) == len(wanted), "totals of which none occurs twice")
    refused = content["refused"].text()
    kept, held = bool(wanted) and not refused and columns > 0, bool(wanted) and columns > 0
    content["columns"].whole(columns if kept else 0, columns if kept else 0)
    if held:
        same = content["classes"].labels(rising=True).tolist() == classes.tolist()
        content["classes"].check(same, "the classes of the scores")
    else:
        content["classes"].numbers((0,))
    shape = (1, 1) if columns > 2 else (len(classes), 2)
    totals: dict[Total, Floats] = {}
    for each in content["totals"]:
        total = _total_of(each["of"])
        each["of"].check(kept and total in wanted and total not in totals, "a total that is wanted")
        values = each["values"].numbers((*shape, *_shape_of(total, columns)), unknown=True)
        if isinstance(total, UniformBins):
            size = sizes.sum() if columns > 2 else sizes[:, None, None]
            each["values"].check(_are_bins(values, size, columns), "bins that hold the classes")
        totals[total] = values
    held_classes = classes if held else np.arange(0)
    return wanted, ClassTotals(held_classes, totals, columns if kept else 0, refused)


def _are_bins(held: Floats, size: Any, columns: int) -> bool:
    """Whether bins hold examples of a size: their weight, that of the positives, and probabilities."""
    total, positive, *parts = np.moveaxis(held, -2, 0)
    checks = [
        _sums_to(total.sum(axis=-1), size),
        (held >= 0).all(),
        (positive <= total * (1 + _ROUNDING)).all(),
        *((part <= total * SCALE * (1 + _ROUNDING)).all() for part in parts),
    ]
    if not all(checks):
        return False
    if columns > 2:
        return True
    # A class as outcome 0 and as outcome 1: of the same examples none, or all, are positive.
    none, all_ = np.moveaxis(np.delete(held, 1, axis=-2), 1, 0)
    side = (positive[:, 0] == 0).all() and (positive[:, 1] == total[:, 1]).all()
    return bool(side and (none == all_).all())


def _shape_of(total: Total, columns: int) -> tuple[int, ...]:
    """Return the shape of a total, that of one row."""
    outcome, weight = np.zeros(1, dtype=np.intp), np.ones(1)
    even = np.full((1, columns), 1 / columns)
    record: Any = Probabilities(even, outcome, weight)
    try:
        return np.shape(total(record))
    except AttributeError:  # what reads scores of the classes
        return np.shape(total(Columns(even[:, 0] if columns == 1 else even, outcome, weight)))


def _total_of(content: Field) -> Total:
    """Return the total of a name, or the bins that are described."""
    if isinstance(content.value, dict):
        content.check(content.value.keys() == {"n_bins", "classes"}, "n_bins and classes")
        content["classes"].check(content["classes"].value in ("top", "each"), "'top' or 'each'")
        return UniformBins(content["n_bins"].whole(1, _MOST_BINS), content["classes"].value)
    rows = (function.metric for function in METRICS.values())
    wanted = (t for row in rows for t in (*(row.totals_of({}) or ()), squares_for(row, {})))
    known = {named_total(total): total for total in wanted if total is not None}
    content.check(isinstance(content.value, str) and content.value in known, "a known total")
    return known[content.value]


def write_counts(
    path: str | PathLike[str], aggregate: Aggregate, settings: Settings, minimum: int | None
) -> None:
    """Write counts to a file, none above 0 and below the minimum."""
    _check_writable(aggregate)
    if minimum is not None:
        _check_withholdable(aggregate, minimum)
    content = {
        "format": FORMAT,
        "version": VERSION,
        "rows": aggregate.rows,
        "labels": None if settings.labels is None else _plain(np.asarray(settings.labels)),
        "predictions": _plain_predictions(aggregate.labels),
        "scores": _plain_scores(aggregate.scores, minimum),
    }
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
        cells = zip(("tp", "fp", "fn", "tn"), counted.counts.cells, strict=True)
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
