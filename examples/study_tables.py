"""Reproduce the printed tables of AUC variants and mark every cell that differs.

Cells of table 5.2 that the scan of the source lost are left out.
"""

from __future__ import annotations

import functools
import json
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from skaucx.study import (
    Violations,
    all_labellings,
    count_violations,
    narrow_margins,
    narrow_spans,
    parse_sets,
)

# As the sources print them, misprint included.
PRINTED = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
# Of the four measures that the thesis adds, it compares the last one with those of the literature.
COMPARED = ("prob_auc", "scor_auc", "sond_auc", "soft_auc", "mm7_auc")


@dataclass(frozen=True)
class Cell:
    """One printed number next to the one that skaucx computes; None stands for undefined.

    `with_ties` is a count of violations that takes in exact ties, which are none.
    """

    table: str
    row: str
    column: str
    printed: float | None
    computed: float
    decimals: int = 3
    with_ties: int | None = None

    @property
    def reproduced(self) -> bool:
        """Whether the computed number rounds to the printed one."""
        return self._text(self.computed) == self._text(self.printed)

    def __str__(self) -> str:
        mark = " " if self.reproduced else "!"
        return f"{self._text(self.computed)} {self._text(self.printed)}{mark}"

    def _text(self, value: float | None) -> str:
        """Return a value with the decimals in print, halves rounded up as there."""
        if value is None or math.isnan(value):
            return "-"
        rounded = math.floor(value * 10**self.decimals + 0.5 + 1e-9) / 10**self.decimals
        return f"{rounded:.{self.decimals}f}"


def main() -> None:
    print("In each column: computed, printed; ! marks a difference.")
    tables = [list(cells()) for cells in (table_3_1, table_4_1, table_4_2, table_5_1, table_5_2)]
    for cells in tables:
        print(f"\nTable {cells[0].table}\n\n{as_text(cells)}")
    cells = [cell for table in tables for cell in table]
    print(f"\n{sum(cell.reproduced for cell in cells)} of {len(cells)} cells reproduced.")
    for cell in cells:
        if not cell.reproduced:
            print(f"Table {cell.table}, row {cell.row}, {cell.column}: {explanation(cell)}.")
    print(tallies())
    print(f"Row B8 of table 5.2, its 55,800 sets made and measured: {seconds_of_row('B8'):.2f} s.")


def as_text(cells: list[Cell]) -> str:
    """Return the cells of a table, a line a row."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    shown = {(cell.row, cell.column): str(cell) for cell in cells}
    rows = dict.fromkeys(cell.row for cell in cells)
    lines = [["", *columns], *([row, *(shown.get((row, c), "") for c in columns)] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(map(str.rjust, line, widths)).rstrip() for line in lines
    )  # fmt: skip


def explanation(cell: Cell) -> str:
    """Return why a cell differs from print, where that is known."""
    for known in PRINTED["misprints"]:
        if (known["table"], known["row"], known["column"]) == (cell.table, cell.row, cell.column):
            return f"a misprint: {known['why']}"
    if cell.with_ties is not None and cell.computed < (cell.printed or 0) <= cell.with_ties:
        return (
            f"{cell.computed:,} violations, {cell.with_ties:,} with exact ties; the printed program "
            f"decides the ties by rounding and counts {cell.printed:,}"
        )
    return "not explained"


def table_3_1() -> Iterator[Cell]:
    for row in PRINTED["table_3_1"]:
        sets = parse_sets(PRINTED["score_sets"][row["set"]])
        values = count_violations(sets, q=number(row["q"]), beta=row["beta"]).values
        for name in ("auc", "prob_auc", "scor_auc", "sond_auc", "soft_auc"):
            yield Cell("3.1", row["row"], name, row[name], float(values[measure(name)][0]))


def table_4_1() -> Iterator[Cell]:
    sets = parse_sets("\n".join(PRINTED["score_sets"][row["set"]] for row in PRINTED["table_4_1"]))
    for name in ("span", "margin", "relative_margin", "median", "errors"):
        decimals = 0 if name == "errors" else 2
        for row, value in zip(PRINTED["table_4_1"], getattr(sets, name), strict=True):
            yield Cell("4.1", row["set"], name, row[name], float(value), decimals)


def table_4_2() -> Iterator[Cell]:
    sets = parse_sets("\n".join(PRINTED["score_sets"][row["set"]] for row in PRINTED["table_4_2"]))
    values = count_violations(sets, margin_power=1 / 16).values
    for name in ("mm1_auc", "mm4_auc", "mm6_auc", "mm7_auc"):
        for row, value in zip(PRINTED["table_4_2"], values[name], strict=True):
            yield Cell("4.2", row["set"], name, row[name], float(value))


def table_5_1() -> Iterator[Cell]:
    table = PRINTED["table_5_1"]
    sets = narrow_spans(parse_sets("\n".join(table["sources"])), table["span_steps"])
    result = count_violations(sets, **parameters(table))
    for name in ("sets", "correct"):
        yield Cell("5.1", name, "", table[name], getattr(result, name), 0)
    for what in ("violations", "lowest_correct", "highest_incorrect"):
        for name, printed in table[what].items():
            value = getattr(result.measures[measure(name)], what)
            yield Cell("5.1", name, what, printed, value, 0 if what == "violations" else 3)


def table_5_2() -> Iterator[Cell]:
    for row in PRINTED["table_5_2"]["rows"]:
        found = row_of_table_5_2(row["row"])
        for name in ("sets", "correct"):
            yield Cell("5.2", row["row"], name, row[name], found[name][0], 0)
        for name, printed in row["violations"].items():
            computed, with_ties = found[name]
            yield Cell("5.2", row["row"], name, printed, computed, 0, with_ties)


def tallies() -> str:
    """Return where one of the measures compared in print has fewer violations than all others."""
    alone: dict[str, list[str]] = {}
    for row in PRINTED["table_5_2"]["rows"]:
        found = row_of_table_5_2(row["row"])
        fewest = min(found[name] for name in COMPARED)[0]
        best = [name for name in COMPARED if found[name][0] == fewest]
        alone.setdefault(best[0] if len(best) == 1 else "several", []).append(row["row"])
    return "Fewest violations: " + "; ".join(
        f"{name} in {len(rows)} rows ({', '.join(rows)})" for name, rows in alone.items()
    )


@functools.cache
def row_of_table_5_2(name: str) -> dict[str, tuple[int, int]]:
    """Return the counts of a row, of violations without and with exact ties."""
    table = PRINTED["table_5_2"]
    (row,) = (row for row in table["rows"] if row["row"] == name)
    source = zip(table["sources"][name[0]], table["source_labels"], strict=True)
    sets = parse_sets(" ".join(f"{score}{side}" for score, side in source))
    sets = narrow_spans(narrow_margins(sets, row["margin_steps"]), row["span_steps"])
    result = count_violations(all_labellings(sets), **parameters(table))
    counts = {
        measure: (tally.violations, ties_and_violations(result, measure))
        for measure, tally in result.measures.items()
    }
    return {"sets": (result.sets,) * 2, "correct": (result.correct,) * 2, **counts}


def ties_and_violations(result: Violations, name: str) -> int:
    """Count the correctly ranked sets whose value does not exceed that of every incorrect one."""
    value, correct = result.values[name], result.is_correct
    return int((correct & (value - value[~correct].max() <= 1e-12)).sum())


def seconds_of_row(name: str) -> float:
    row_of_table_5_2.cache_clear()
    start = time.perf_counter()
    assert row_of_table_5_2(name)
    return time.perf_counter() - start


def parameters(table: dict[str, Any]) -> dict[str, Any]:
    return {name: number(value) for name, value in table["parameters"].items()}


def number(value: str | float) -> float:
    return float(Fraction(value))


def measure(printed: str) -> str:
    return "roc_auc" if printed == "auc" else printed


if __name__ == "__main__":
    main()
