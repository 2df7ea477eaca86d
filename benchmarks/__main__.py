"""Print the table of ratios in Markdown and write it as JSON.

``python -m benchmarks`` runs everything; ``python -m benchmarks --quick`` leaves out 10^7 scores;
``--json FILE`` names the file (benchmarks.json by default), ``--only TEXT`` chooses lines. Results of
several processors are kept in ``benchmarks/results/``; NumPy's variable NPY_DISABLE_CPU_FEATURES lets
one with AVX-512 stand for one without.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
from pathlib import Path

from . import cells, metrics, nested, pairs, uncertainty
from .machine import machine, sentence
from .measure import Row

SUITES = (metrics.suite, pairs.suite, uncertainty.suite, nested.suite, cells.suite)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out 10^7 scores")
    parser.add_argument("--only", default="", help="run the lines whose work holds this text")
    parser.add_argument("--json", type=Path, default=Path("benchmarks.json"))
    options = parser.parse_args()
    facts = machine()
    print("| work | against | ours | theirs | ratio | wanted |\n|---|---|---|---|---|---|")
    rows = []
    suites = [suite(quick=options.quick, only=options.only) for suite in SUITES]
    for row in itertools.chain(*suites):
        rows.append(row)
        print(line(row), flush=True)
    print("\n" + sentence(facts))
    record = {"machine": facts, "rows": [dataclasses.asdict(row) for row in rows]}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def line(row: Row) -> str:
    """Return one line of the table; a ratio above the one wanted is marked."""
    mark = "" if row.ratio <= row.wanted else " (missed)"
    return (
        f"| {row.work} | {row.against} | {row.ours:.3g} {row.unit} | {row.theirs:.3g} {row.unit} "
        f"| {row.ratio:.3g}{mark} | <= {row.wanted:g} |"
    )


if __name__ == "__main__":
    main()
