"""Print the table of ratios in Markdown and write it as JSON.

``python -m benchmarks`` runs everything; ``python -m benchmarks --quick`` leaves out 10^7 scores;
``--json FILE`` names the file (benchmarks.json by default), ``--only TEXT`` chooses lines.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import platform
from pathlib import Path

import joblib
import numpy
import scipy
import sklearn

import skaucx

from . import metrics, nested
from .measure import Row

SUITES = (metrics.suite, nested.suite)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out 10^7 scores")
    parser.add_argument("--only", default="", help="run the lines whose work holds this text")
    parser.add_argument("--json", type=Path, default=Path("benchmarks.json"))
    options = parser.parse_args()
    print("| work | against | ours | theirs | ratio | wanted |\n|---|---|---|---|---|---|")
    rows = []
    suites = [suite(quick=options.quick, only=options.only) for suite in SUITES]
    for row in itertools.chain(*suites):
        rows.append(row)
        print(line(row), flush=True)
    print("\n" + machine())
    record = {"machine": machine(), "rows": [dataclasses.asdict(row) for row in rows]}
    options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def line(row: Row) -> str:
    """Return one line of the table; a ratio above the one wanted is marked."""
    mark = "" if row.ratio <= row.wanted else " (missed)"
    return (
        f"| {row.work} | {row.against} | {row.ours:.3g} {row.unit} | {row.theirs:.3g} {row.unit} "
        f"| {row.ratio:.3g}{mark} | <= {row.wanted:g} |"
    )


def machine() -> str:
    """Return one sentence on processor and versions."""
    libraries = (numpy, scipy, sklearn, joblib, skaucx)
    versions = ", ".join(f"{library.__name__} {library.__version__}" for library in libraries)
    return (
        f"Ratios of medians, measured in turn in one process on {joblib.cpu_count()} cores "
        f"({platform.machine()}), Python {platform.python_version()}, {versions}."
    )


if __name__ == "__main__":
    main()
