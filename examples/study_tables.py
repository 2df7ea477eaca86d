"""Reproduce the printed tables of AUC variants and mark every cell that differs."""

from __future__ import annotations

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


@dataclass(frozen=True)
class Cell:
    """One printed number beside the one that skaucx computes; None stands for undefined."""

    table: str
    row: str
    column: str
    printed: float | None
    computed: float
    decimals: int = 3

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
    print(f"Row B8 of table 5.2, its 55,800 sets made and judged: {seconds_of_row('B8'):.2f} s.")


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
        result = judged(row)
        for name in ("sets", "correct"):
            yield Cell("5.2", row["row"], name, row[name], getattr(result, name), 0)
        for name, printed in row["violations"].items():
            yield Cell("5.2", row["row"], name, printed, result.measures[name].violations, 0)


def judged(row: dict[str, Any]) -> Violations:
    """Return the violations of a row of table 5.2."""
    table = PRINTED["table_5_2"]
    source = zip(table["sources"][row["row"][0]], table["source_labels"], strict=True)
    sets = parse_sets(" ".join(f"{score}{side}" for score, side in source))
    sets = narrow_spans(narrow_margins(sets, row["margin_steps"]), row["span_steps"])
    return count_violations(all_labellings(sets), **parameters(table))


def seconds_of_row(name: str) -> float:
    (row,) = (row for row in PRINTED["table_5_2"]["rows"] if row["row"] == name)
    start = time.perf_counter()
    assert judged(row).measures
    return time.perf_counter() - start


def parameters(table: dict[str, Any]) -> dict[str, Any]:
    return {name: number(value) for name, value in table["parameters"].items()}


def number(value: str | float) -> float:
    return float(Fraction(value))


def measure(printed: str) -> str:
    return "roc_auc" if printed == "auc" else printed


if __name__ == "__main__":
    main()
