"""Counts that come from a file, verified: what is read is what some rows may have given."""

from __future__ import annotations

from itertools import permutations
from os import PathLike
from typing import Any

import numpy as np

from ..._arrays import Array, Codes, Floats
from .._cells.cells import UNLIMITED, ScoreCells
from .._cells.codes import PREFIXES, codes_of, low_bits
from .._chunks.tally import Settings, Tally
from .._records.counts import Counts
from .._registry.declare import METRICS
from ..kinds.base import PRED, SCORE
from ..kinds.labels import IndicatorCounts, LabelCounts, Labelled
from ..kinds.scores.cells import Plan, ScoreCounts
from ..kinds.scores.probabilities import Columns, Probabilities
from ..kinds.scores.state import GREATEST, BinaryProblem, LabelColumn, OneScore, OneVsOne, OneVsRest
from ..kinds.scores.totals import ClassTotals
from ..kinds.totals import SCALE, Total, UniformBins, named_total
from ._fields import Field

FORMAT, VERSION = "skaucx counts", 1
PROBLEMS: dict[str, Any] = {
    "one score": OneScore,
    "class against the rest": OneVsRest,
    "class against class": OneVsOne,
    "label": LabelColumn,
}
_MOST_ROWS, _MOST_BINS = 2**62, 10**6
_ROUNDING = 1e-9  # of sums of weights


def read_counts(path: str | PathLike[str]) -> tuple[Tally, Settings]:
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
    plan = Plan() if scores is None else scores.plan
    return Tally(rows, counts), Settings(plan, None if labels is None else tuple(labels.tolist()))


def _sums_to(parts: Array, whole: Any) -> bool:
    """Whether counts add up to others, weights up to rounding."""
    with np.errstate(over="ignore"):
        return bool(np.isclose(parts, whole, rtol=_ROUNDING, atol=0).all())


def _check_alike(field: Field, predictions: Any, scores: ScoreCounts | None) -> None:
    """Check that labels and scores are of the same rows."""
    if scores is None or not isinstance(predictions, LabelCounts) or scores.multilabel:
        return
    known = predictions.classes.tolist()
    held = dict(zip(known, predictions.table.sum(axis=1).tolist(), strict=True))
    sizes = dict(zip(scores.classes.tolist(), scores.sizes.tolist(), strict=True))
    wanted = [held.get(label, 0.0) for label in {**held, **sizes}]
    found = [sizes.get(label, 0.0) for label in {**held, **sizes}]
    field["sizes"].check(_sums_to(np.array(found), wanted), "the row sums of predictions.table")


def _predictions(content: Field, rows: int) -> Labelled:
    weighted = content["weighted"].flag()
    if "table" not in content:
        return _indicators(content, rows, weighted)
    classes = content["classes"].labels(rising=True)
    shape = len(classes), len(classes)
    table, squares, sizes = (
        content[name if weighted else "table"].counts(shape, whole=name == "rows" or not weighted)
        for name in ("table", "squares", "rows")
    )
    with np.errstate(over="ignore", under="ignore"):
        # Of n weights w: (sum w)^2 / n <= sum w^2 <= (sum w)^2.
        least, most = table**2 / np.maximum(sizes, 1), table**2.0
        near = (squares >= least * (1 - _ROUNDING)) & (squares <= most * (1 + _ROUNDING))
    alike = ((table > 0) == (sizes > 0)).all() and (near.all() or not weighted)
    content["table"].check(
        bool(alike), "sums of weights that the numbers of rows and squares allow"
    )
    content["rows" if weighted else "table"].check(int(sizes.sum()) == rows, f"{rows} rows in all")
    named = content["named"].optional(lambda each: _named(each, classes))
    table, squares, sizes = (part.astype(np.float64) for part in (table, squares, sizes))
    return LabelCounts(classes, table, squares, sizes, named, weighted)


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
    plan = Plan(
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
        values = each["values"].numbers((*shape, *_shape_of(total, columns)))
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
    known = {named_total(t): t for row in rows for t in row.totals_of({}) or ()}
    content.check(isinstance(content.value, str) and content.value in known, "a known total")
    return known[content.value]
