"""Cells of scores that a query engine counted: the query, and the counts read from its answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from .._arguments import Label
from .._arrays import Array, Floats, check_same_length, label_array, rows_of
from .._options import check_choice, check_flag, check_whole
from ..metrics._kinds.base import SCORE
from ..metrics._kinds.scores.state import GREATEST
from ..metrics._records.inputs import positive_code
from ..metrics._records.totals import Total
from ..metrics._registry.declare import get_metric
from ._aggregation import Aggregate, Settings
from ._batches import column_of, has_column
from ._score_counts import ClassTotals, CountingPlan, ScoreCounts, squares_for
from ._score_histogram import (
    UNLIMITED,
    ScoreCells,
    check_same_rows,
    codes_of,
    scores_of,
    sums_of_runs,
)

Cells = Mapping[str, Array]
Dialect = Literal["duckdb", "postgresql", "sqlite", "bigquery", "snowflake", "clickhouse", "spark"]
Escapes = Mapping[int, str]


def _doubled(mark: str) -> Escapes:
    return str.maketrans({mark: 2 * mark})


def _backslashed(mark: str) -> Escapes:
    # BigQuery ends a literal at the end of a line.
    return str.maketrans({"\\": "\\\\", mark: f"\\{mark}", "\n": "\\n", "\r": "\\r"})


@dataclass(frozen=True)
class _Writer:
    """How an engine spells names, literals and functions.

    Parameters
    ----------
    mark : str
        The quotation mark of names.
    in_names, in_texts : callable
        From a quotation mark to what stands for the characters that must be escaped.
    double, floor, log : str
        A number as float64, the greatest whole number below, and the natural logarithm.
    aliases_first : bool
        Whether a column of the answer hides a column of the table that has its name.
    """

    mark: str = '"'
    in_names: Callable[[str], Escapes] = _doubled
    in_texts: Callable[[str], Escapes] = _doubled
    double: str = "CAST({} AS DOUBLE)"
    floor: str = "FLOOR({})"
    log: str = "LN({})"
    aliases_first: bool = False

    def name(self, column: Any, argument: str) -> str:
        """Return the name of a column."""
        if not isinstance(column, str):
            raise TypeError(f"{argument} must be the name of a column, found {column!r}.")
        if not column:
            raise ValueError(f"{argument} is empty; name a column.")
        return _quoted(column, self.mark, self.in_names, argument)

    def literal(self, label: Any, argument: str) -> str:
        """Return the literal of a label."""
        if isinstance(label, (bool, np.bool_)):
            return "TRUE" if label else "FALSE"
        if isinstance(label, str):
            return _quoted(label, "'", self.in_texts, argument)
        return _number(label, argument)


def _quoted(text: str, mark: str, escapes: Callable[[str], Escapes], argument: str) -> str:
    if "\0" in text:
        raise ValueError(f"{argument}={text!r} holds a NUL, at which engines end; rename it.")
    return f"{mark}{text.translate(escapes(mark))}{mark}"


def _number(value: Any, argument: str) -> str:
    """Return the literal of a number.

    Without an exponent engines read a decimal; of fewer than 17 digits SQLite does not find the nearest
    float of each.
    """
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:d}"
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.16e}"
    error = ValueError if isinstance(value, float) else TypeError
    raise error(
        f"{argument} holds {value!r}, which SQL cannot compare; use finite int or float numbers, and "
        "for labels also str or bool."
    )


# SQLite may lack FLOOR, its CAST truncates towards 0, and a misspelt name between double quotation marks
# is a text to it.
_WRITERS: Mapping[str, _Writer] = {
    "duckdb": _Writer(),
    "postgresql": _Writer(double="CAST({} AS DOUBLE PRECISION)"),
    "sqlite": _Writer(
        mark="`", double="{}", floor="(CAST({0} AS INTEGER) - ({0} < CAST({0} AS INTEGER)))"
    ),
    "bigquery": _Writer("`", _backslashed, _backslashed, double="CAST({} AS FLOAT64)"),
    "snowflake": _Writer(in_texts=_backslashed),
    "clickhouse": _Writer(
        "`",
        _backslashed,
        _backslashed,
        "CAST({} AS Nullable(Float64))",
        "floor({})",
        "log({})",
        True,
    ),
    "spark": _Writer(mark="`", in_texts=_backslashed),
}
# Sums of losses that a query can add to the counts: the metric of each, and its value of a row.
_LOSSES = {"brier": "brier_score_loss", "log": "log_loss"}
_WRONG_LABELS = "The labels of {:.0f} rows are NULL, or neither the positive nor the negative one"
# Columns that count the valid rows of a cell, and what the others are.
_WRONG_ROWS = {
    "known": _WRONG_LABELS,
    "weighed": "The weights of {:.0f} rows are NULL or below 0",
    "probabilities": "The scores of {:.0f} rows lie outside [0, 1], and are no probabilities",
}
_UNIT = 2.0**-52  # at which scikit-learn clips float64 probabilities in a logarithm
_MOST_BITS = 52
_MOST_RANGES = 200  # of a query


def cells_query(
    table: str,
    *,
    true: str,
    score: str,
    by: str | Sequence[str] | None = None,
    weight: str | None = None,
    pos_label: Label = 1,
    neg_label: Label = 0,
    bits: int = 20,
    losses: bool = False,
    ends: bool = False,
    within: Iterable[tuple[float, float]] | None = None,
    dialect: Dialect = "duckdb",
) -> str:
    """Return the SQL query that counts positives and negatives in cells of scores.

    The engine answers with at most 2**bits rows a group, however many rows there are;
    :meth:`MetricAccumulator.from_cells` reads metrics from them, with bounds that hold their values.

    Parameters
    ----------
    table : str
        A table, or a query in parentheses; it stands in the query as it is.
    true, score : str
        Columns of the labels and of the scores.
    by : str or list of str, default=None
        Columns of groups, counted each by itself.
    weight : str, default=None
        Column of weights.
    pos_label, neg_label : str, int, float or bool, default=1 and 0
        The labels.
    bits : int, default=20
        A cell is 2**-bits wide.
    losses : bool, default=False
        Whether to sum squared errors and log losses too, for the Brier score, the log loss and their
        intervals; scores are then probabilities.
    ends : bool, default=False
        Whether to find the outermost scores of each class too, which metrics of the margin or the span
        (mm1, mm4, mm6, mm7) read.
    within : iterable of (float, float), default=None
        Only the rows with scores in these ranges, ends included: the open cells of
        :meth:`MetricAccumulator.open_cells`, counted again with more bits.
    dialect : {"duckdb", "postgresql", "sqlite", "bigquery", "snowflake", "clickhouse", "spark"}

    Returns
    -------
    str

    Raises
    ------
    ValueError, TypeError
        For an unknown dialect, bits beyond 1 to 52, equal labels, a label or a limit that no literal
        can name (None, nan, a Decimal), or a column of groups with a name of the answer's own columns.

    Examples
    --------
    >>> from skaucx.scale import cells_query
    >>> print(cells_query("visits", true="ill", score="p"))
    SELECT
      FLOOR(CAST("p" AS DOUBLE) * 1048576) AS "cell",
      COUNT(*) AS "rows",
      COUNT(CASE WHEN "ill" = 1 THEN 1 END) AS "positive",
      COUNT(CASE WHEN "ill" = 0 THEN 1 END) AS "negative",
      MIN(CAST("p" AS DOUBLE)) AS "least",
      MAX(CAST("p" AS DOUBLE)) AS "greatest"
    FROM visits
    GROUP BY 1
    """
    writer = _WRITERS[check_choice("dialect", dialect, tuple(_WRITERS))]
    given = [by] if isinstance(by, str) else list(by or [])
    for each in [*given, *((true, score, weight) if writer.aliases_first else ())]:
        if isinstance(each, str) and each.casefold() in _OWN_NAMES:
            raise ValueError(
                f"{each!r} is a column of the table and of the answer, which has columns "
                f"{', '.join(_OWN_NAMES)}; rename it in a subquery: table='(SELECT ... AS ...)'."
            )
    name = partial(writer.name, argument="column")
    y, p = writer.name(true, "true"), writer.double.format(writer.name(score, "score"))
    positive = writer.literal(pos_label, "pos_label")
    negative = writer.literal(neg_label, "neg_label")
    if pos_label == neg_label:
        raise ValueError(f"pos_label and neg_label must differ, found {pos_label!r} for both.")
    number = "COUNT(CASE WHEN {} THEN {} END)"
    one, total, counts, valid = "1", number, "", {}
    if weight is not None:
        one = writer.double.format(writer.name(weight, "weight"))
        total, counts = "SUM(CASE WHEN {} THEN {} ELSE 0 END)", f" AND {one} > 0"
        valid = {
            "known": f"{y} IN ({positive}, {negative})",
            "weighed": f"{one} >= 0",
            "counted": f"{one} > 0",
        }
    if check_whole("bits", bits, 1) > _MOST_BITS:
        raise ValueError(f"bits must be at most {_MOST_BITS}, found {bits!r}.")
    scale = 2**bits
    groups = [writer.name(each, "by") for each in given]
    columns = [*groups, f"{writer.floor.format(f'{p} * {scale}')} AS {name('cell')}"]
    columns.append(f"COUNT(*) AS {name('rows')}")
    for key, label in (("positive", positive), ("negative", negative)):
        columns.append(f"{total.format(f'{y} = {label}', one)} AS {name(key)}")
    columns += [f"MIN({p}) AS {name('least')}", f"MAX({p}) AS {name('greatest')}"]
    columns += [f"{number.format(each, 1)} AS {name(key)}" for key, each in valid.items()]
    if check_flag("ends", ends):
        for key, label in (("positive", positive), ("negative", negative)):
            own = f"CASE WHEN {y} = {label}{counts} THEN {p} END"
            columns.append(f"MIN({own}) AS {name(f'{key}_least')}")
            columns.append(f"MAX({own}) AS {name(f'{key}_greatest')}")
    if check_flag("losses", losses):
        inside = number.format(f"{p} >= 0 AND {p} <= 1", 1)
        columns.append(f"{inside} AS {name('probabilities')}")
        columns += [
            f"SUM({one} * {loss}) AS {name(key)}"
            for key, loss in _losses_of_row(f"{y} = {positive}", p, writer.log).items()
        ]
    where = "" if within is None else f"\nWHERE {_in_ranges(p, within)}"
    keys = ", ".join(str(k + 1) for k in range(len(groups) + 1))
    return f"SELECT\n  {f',{chr(10)}  '.join(columns)}\nFROM {table}{where}\nGROUP BY {keys}"


def _in_ranges(p: str, within: Iterable[tuple[float, float]]) -> str:
    ends = ([_number(end, "within") for end in pair] for pair in within)
    ranges = [f"({p} >= {low} AND {p} <= {high})" for low, high in ends]
    return " OR ".join(ranges) or "1 = 0"


def _losses_of_row(positive: str, p: str, log: str) -> dict[str, str]:
    """Return the losses of a row and their squares, by the columns of their sums."""
    given = f"(CASE WHEN {positive} THEN {p} ELSE 1 - {p} END)"
    unit = _number(_UNIT, "unit")
    clipped = f"(CASE WHEN {given} < {unit} THEN {unit} ELSE {given} END)"
    losses = {"brier": f"(1 - {given}) * (1 - {given})", "log": f"(-{log.format(clipped)})"}
    return losses | {f"{key}_squares": f"{loss} * {loss}" for key, loss in losses.items()}


def counts_of_cells(table: Cells, rows: Any, labels: Sequence[Any], max_cells: int) -> Aggregate:
    """Return the counts that some rows of a table of cells hold."""
    classes = np.unique(label_array(list(labels), "labels"))
    if len(labels) != 2 or len(classes) != 2:
        raise ValueError(f"labels must be the negative and the positive label, found {labels!r}.")
    swapped = classes[1] != labels[1]  # cells face the greater label
    cells = _cells_of(table, rows, max_cells, swapped)
    totals = _totals_of(table, rows, classes, swapped)
    known = [table[name][rows].sum() for name in ("counted", "rows") if name in table]
    n = math.ceil([*known, cells.total][0])
    sizes = np.array([cells.negative.sum(), cells.positive.sum()], dtype=np.float64)
    plan = CountingPlan(max_cells, of_probabilities=tuple(totals.totals))
    columns = ClassTotals(np.arange(0), {}, 0)
    counts = ScoreCounts(
        plan, classes, sizes, 0, None, {GREATEST: cells}, totals, columns, n,
        cells.weighted,
    )  # fmt: skip
    return Aggregate(n, {SCORE: counts})


def metrics_of_cells(table: Cells) -> list[str]:
    """Return the metrics that are read of a table where none are named."""
    losses = [name for key, name in _LOSSES.items() if key in table]
    return ["roc_auc", "average_precision", *losses]


def settings_of(counted: Aggregate) -> Settings:
    """Return the settings under which counts of cells merge."""
    assert counted.scores is not None
    return Settings(counted.scores.plan)


def _cells_of(table: Cells, rows: Any, max_cells: int, swapped: bool) -> ScoreCells:
    """Put the cells of some rows of a table in order; the greater class is their positive one."""
    sides = _SIDES[::-1] if swapped else _SIDES
    columns = [table[name][rows] for name in (*sides, *_ENDS)]
    # A million cells are mostly the cost of fresh memory: arrays are put in order one by one.
    order = np.argsort(columns[2])
    positive, negative, first, last = (column.take(order) for column in columns)
    if (first > last).any() or (first[1:] <= last[:-1]).any():
        k = int(np.argmax(np.append(first[1:] <= last[:-1], True)))
        raise ValueError(
            f"Cells overlap: one reaches from {first[k]!r} to {last[k]!r}, and another starts at "
            f"{first[min(k + 1, len(first) - 1)]!r}. Cells must be ranges of scores apart; group by a "
            "rising function of the score."
        )
    # A cell of one score holds the least and greatest score of both classes; one of a single class
    # its own, unless a row at its end weighs 0.
    alone = first == last
    if positive.dtype.kind == "i":
        alone |= (positive == 0) | (negative == 0)
    ends, exact = np.array([[np.inf, -np.inf]] * 2), True
    for k, side in enumerate((positive > 0, negative > 0)):
        if side.any():
            low, high = int(side.argmax()), len(side) - 1 - int(side[::-1].argmax())
            ends[k] = first[low], last[high]
            exact = exact and bool(alone[low] and alone[high])
    if table.keys() >= set(_CLASS_ENDS):
        exact, ends = True, np.array([_known_ends(table, rows, side) for side in sides])
    lowest, highest = codes_of(first), codes_of(last)
    cells = ScoreCells(lowest, highest, positive, negative, ends, None, max_cells, exact)
    return cells.within_limit()


def _check_rows(table: Cells) -> None:
    """Refuse cells that no rows can have given, or with rows that must not be there."""
    least, greatest = (table[name] for name in _ENDS)
    for name in (*_SIDES, "rows", "counted", *_WRONG_ROWS, *_SUMS):
        if name in table and not (good := (table[name] >= 0) & (table[name] < np.inf)).all():
            raise ValueError(
                f"Column {name} must hold finite numbers >= 0, found others in {rows_of(~good)} of the "
                "table."
            )
    both = table["positive"] + table["negative"]
    many = table.get("rows", both)
    finite = np.isfinite(least) & np.isfinite(greatest)
    if not finite.all():
        raise ValueError(
            f"The scores of {many[~finite].sum():.0f} rows are NULL, NaN or infinite (columns least "
            "and greatest); leave those rows out, or give them scores."
        )
    for name, wrong in _WRONG_ROWS.items():
        bad = np.abs(many - table[name]).sum() if name in table else 0
        if bad:
            raise ValueError(
                f"{wrong.format(bad)} (columns rows and {name}); leave those rows out."
            )
    if not {"weighed", "known"} & table.keys() and (bad := np.abs(many - both).sum()):
        raise ValueError(
            f"{_WRONG_LABELS.format(bad)} (columns rows, positive and negative); leave those rows "
            "out. With weights, count the rows with known labels in a column known."
        )
    if any(key in table for key in _LOSSES) and ((least < 0) | (greatest > 1)).any():
        raise ValueError(
            f"Scores lie in [{least.min():.6g}, {greatest.max():.6g}] (columns least and greatest), but "
            "sums of losses need probabilities, which lie in [0, 1]."
        )


def _known_ends(table: Cells, rows: Any, side: str) -> tuple[float, float]:
    """Return the outermost scores of a class, inf and -inf where it has none."""
    least, greatest = (table[f"{side}_{end}"][rows] for end in _ENDS)
    return float(np.nanmin(least, initial=np.inf)), float(np.nanmax(greatest, initial=-np.inf))


def _totals_of(table: Cells, rows: Any, classes: Array, swapped: bool) -> ClassTotals:
    """Return the sums of losses of a table, where it has them."""
    totals: dict[Total, Floats] = {}
    for key, name in _LOSSES.items():
        if key not in table:
            continue
        metric = get_metric(name).metric
        held: dict[Any, str] = dict.fromkeys(metric.totals_of({}) or (), key)
        held[squares_for(metric, {})] = f"{key}_squares"
        for each, column in held.items():
            if each is None or column not in table:
                continue
            # Rows of both classes, each under its own outcome.
            both = np.full((2, 2), np.nan)
            both[0, 0], both[1, 1] = 0.0, table[column][rows].sum()
            both = both[:, ::-1] if swapped else both
            totals[each] = both
    return ClassTotals(classes, totals, 2) if totals else ClassTotals(np.arange(0), {}, 0)


def open_cells_of(cells: ScoreCells, tolerance: float) -> list[tuple[float, float]]:
    """Return the ranges of the cells that leave the AUC open by more than a tolerance."""
    pairs = cells.positive.astype(np.float64) * cells.negative
    pairs[cells.first == cells.last] = 0  # one score: its pairs are ties
    order = np.argsort(-pairs, kind="stable")
    every = float(cells.positive.sum()) * float(cells.negative.sum())
    left = pairs.sum() - np.cumsum(pairs[order])
    near = pairs.sum() <= tolerance * every
    many = 0 if near else int(np.searchsorted(-left, -tolerance * every)) + 1
    chosen = np.sort(order[:many])
    if not many:
        return []
    # Runs of neighbours; of more than fit a query, those with the least cells between are joined.
    gaps = np.diff(chosen)
    cuts = np.sort(np.argsort(-gaps, kind="stable")[: _MOST_RANGES - 1])
    cuts = cuts[gaps[cuts] > 1]
    starts, stops = chosen[np.append(0, cuts + 1)], chosen[np.append(cuts, len(chosen) - 1)]
    ends = scores_of(cells.first[starts]).tolist(), scores_of(cells.last[stops]).tolist()
    return list(zip(*ends, strict=True))


def narrowed(counted: Aggregate, counts: ScoreCounts, table: Cells, pos_label: Any) -> Aggregate:
    """Return counts whose cells are replaced by the narrower ones of a table."""
    old = counts.cells[GREATEST]
    swapped = positive_code(counts.classes, pos_label) != len(counts.classes) - 1
    finer = _cells_of(table, slice(None), UNLIMITED, swapped)
    if not len(finer):
        return counted
    # The cell in which each finer one lies.
    place = np.searchsorted(old.first, finer.first, side="right") - 1
    if (place < 0).any() or (finer.last > old.last[np.maximum(place, 0)]).any():
        raise ValueError(
            "The narrower cells reach beyond those that they replace; count the open ones."
        )
    replaced, starts = np.unique(place, return_index=True)
    for side, again in zip(old.sides, finer.sides, strict=True):
        check_same_rows(side[replaced], sums_of_runs(again, starts))
    kept = old.taken(np.setdiff1d(np.arange(len(old)), replaced))
    order = np.argsort(np.append(kept.first, finer.first), kind="stable")
    columns: dict[str, Any] = {
        name: np.append(getattr(kept, name), getattr(finer, name))[order] for name in _COLUMNS
    }
    cells = replace(kept, **columns, ends=old.ends).within_limit()
    return counted.with_scores(replace(counts, cells={GREATEST: cells}, means={}))


def columns_of_cells(table: Any, by: Sequence[str] = ()) -> tuple[Cells, dict[str, Array]]:
    """Return the checked columns of the cells with a positive weight, and their groups.

    Numbers become floats, and counts of rows without weights int64.
    """
    known = [*_SIDES, *_ENDS, *(name for name in _OPTIONAL if has_column(table, name))]
    cells: dict[str, Array] = {
        name: np.asarray(column_of(table, name), dtype=np.float64) for name in known
    }
    groups = {name: np.asarray(column_of(table, name)) for name in by}
    if odd := {name: column.shape for name, column in cells.items() if column.ndim != 1}:
        raise ValueError(f"Columns of cells must be vectors, found those of shapes {odd}.")
    check_same_length({**cells, **groups})
    _check_rows(cells)
    sides = [cells[side] for side in _SIDES]
    whole = all((side % 1 == 0).all() and side.sum() < 2.0**53 for side in sides)
    if whole and "weighed" not in cells:
        cells |= {name: cells[name].astype(np.int64) for name in _SIDES}
    held = sides[0] + sides[1] > 0
    if held.all():
        return cells, groups
    return tuple({name: c[held] for name, c in part.items()} for part in (cells, groups))  # type: ignore[return-value]


_SIDES, _ENDS = ("positive", "negative"), ("least", "greatest")
_COLUMNS = ("first", "last", *_SIDES)
_CLASS_ENDS = tuple(f"{side}_{end}" for side in _SIDES for end in _ENDS)
_SUMS = (*_LOSSES, *(f"{key}_squares" for key in _LOSSES))
_OPTIONAL = ("rows", "counted", *_WRONG_ROWS, *_CLASS_ENDS, *_SUMS)
_OWN_NAMES = ("cell", *_SIDES, *_ENDS, *_OPTIONAL)
