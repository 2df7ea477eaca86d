"""Parameters of the AUC variants: violations against reversals of the AUC's own order.

``python -m benchmarks.variant_parameters`` counts both on every score set that the program of Majnik
2011 makes in the 40 rows of its table 5.2, for a grid of q, beta, m and n, and prints the table of
``benchmarks/results/variant_parameters.md`` (half a minute on one core).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skaucx.study import (
    SetCollection,
    all_labellings,
    count_violations,
    narrow_margins,
    narrow_spans,
    parameter_variants,
    parse_sets,
)

from .machine import heading

PRINTED = Path(__file__).parents[1] / "examples" / "study_tables.json"
TABLE: Mapping[str, Any] = json.loads(PRINTED.read_text(encoding="utf-8"))["table_5_2"]
# m is auc_power, n is margin_power; the thesis took q = 1/7, beta = 7, m = 9/10, n = 1/16 or 1/100.
GRIDS = {
    "sond_auc": {"q": (1, 1 / 3, 1 / 7, 1 / 15, 1 / 30, 1 / 100, 1 / 1000)},
    "soft_auc": {"beta": (2, 7, 20, 100, 1000, 10_000)},
    "mm7_auc": {"auc_power": (0.1, 0.5, 0.9, 1), "margin_power": (1 / 16, 1 / 100, 1e-3, 1e-4)},
}
OTHERS = ("roc_auc", "prob_auc", "scor_auc", "mm1_auc", "mm4_auc", "mm6_auc")
# Sets of each row whose pairs are compared, drawn with a fixed seed.
SETS_OF_A_ROW = 800


@dataclass
class Record:
    """What one variant does: violations by row, and pairs of sets by what the AUC says of them."""

    violations: dict[str, int]
    ordered: int = 0
    reversed: int = 0
    tied: int = 0
    split: int = 0

    @property
    def point(self) -> tuple[int, float]:
        """The two faults: violations, and the share of the AUC's orders that are reversed."""
        return sum(self.violations.values()), self.reversed / self.ordered


def sets_of(row: Mapping[str, Any]) -> SetCollection:
    """Return the score sets of a row of table 5.2."""
    source = zip(TABLE["sources"][row["row"][0]], TABLE["source_labels"], strict=True)
    sets = parse_sets(" ".join(f"{score}{side}" for score, side in source))
    return all_labellings(
        narrow_spans(narrow_margins(sets, row["margin_steps"]), row["span_steps"])
    )


def orders(value: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return for each pair of sets -1, 0 or 1, differences within 1e-12 being none."""
    above, below = np.triu_indices(len(value), 1)
    difference = value[above] - value[below]
    return np.where(np.abs(difference) > 1e-12, np.sign(difference), 0)


def measured(rows: list[Mapping[str, Any]], measures: Mapping[str, Any]) -> dict[str, Record]:
    """Count violations and orders of every measure over rows of table 5.2."""
    found = {name: Record({}) for name in measures}
    generator = np.random.default_rng(0)
    for row in rows:
        counted = count_violations(sets_of(row), measures)
        some = generator.choice(counted.sets, min(SETS_OF_A_ROW, counted.sets), replace=False)
        by_auc = orders(counted.values["roc_auc"][some])
        for name, record in found.items():
            record.violations[row["row"]] = counted.measures[name].violations
            own = orders(counted.values[name][some])
            record.ordered += int((by_auc != 0).sum())
            record.reversed += int((by_auc * own < 0).sum())
            record.tied += int((by_auc == 0).sum())
            record.split += int(((by_auc == 0) & (own != 0)).sum())
    return found


def front(found: Mapping[str, Record]) -> list[str]:
    """Return the variants that no other one beats in one fault without losing in the other."""
    points = {name: record.point for name, record in found.items()}
    return [
        name
        for name, (a, b) in points.items()
        if not any(c <= a and d <= b and (c, d) != (a, b) for c, d in points.values())
    ]


def variants() -> dict[str, Any]:
    """Return the measures of the search, the AUC first."""
    grids = [parameter_variants(name, **grid) for name, grid in GRIDS.items()]
    return {name: name for name in OTHERS} | {k: v for grid in grids for k, v in grid.items()}


def table(found: Mapping[str, Record]) -> str:
    """Return the records as a table of Markdown."""
    best = front(found)
    lines = [
        "| measure | violations | rows with any, of 40 | AUC's order reversed | AUC's ties split "
        "| front |",
        "|---|---|---|---|---|---|",
    ]
    for name, record in found.items():
        violations, share = record.point
        rows = sum(map(bool, record.violations.values()))
        lines.append(
            f"| {name} | {violations:,} | {rows} | {share:.2%} | {record.split / record.tied:.1%} | "
            f"{'yes' if name in best else ''} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(
        prog="python -m benchmarks.variant_parameters", description=__doc__
    ).parse_args()
    print(heading("Parameters of the AUC variants"))
    print(table(measured(TABLE["rows"], variants())))


if __name__ == "__main__":
    main()
