"""Print the table of ratios in Markdown and write it as JSON.

``python -m benchmarks`` runs everything; ``python -m benchmarks --quick`` leaves out 10^7 scores;
``--json FILE`` names the file (benchmarks.json by default), ``--only TEXT`` chooses lines, and
``--markdown benchmarks/results/ratios.md`` writes the table with those of other processors, which are
kept as JSON in ``benchmarks/results/``. NumPy's variable NPY_DISABLE_CPU_FEATURES lets a processor with
AVX-512 stand for one without.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
from pathlib import Path

from . import metrics, nested, pairs, uncertainty
from .machine import machine, sentence
from .measure import Row

SUITES = tuple(m.suite for m in (metrics, pairs, uncertainty, nested))
RESULTS = Path(__file__).parent / "results"
HEAD = "| work | against | ours | theirs | ratio | wanted | floor |\n|---|---|---|---|---|---|---|"
ABOVE = """# Speed

`python -m benchmarks --markdown benchmarks/results/ratios.md` measures this table (and writes it as
JSON); with the extra `benchmarks` PyCM is among the peers. *wanted* is the aim; a ratio above it is
marked as missed. Ratios are those of the least processor times, measured in turn in one process, and of
time by the clock where work has several processes (nested runs); work that takes longer than eight
seconds is measured once. *floor*, of nested runs: the run and its summary against the clones, fits and
predictions that it makes, alone: processor time of one job, time by the clock of two.
"""
OTHERS = """## Other processors

Ratios of lines that depend on how NumPy sorts, from the JSON files beside this one: its variable
`NPY_DISABLE_CPU_FEATURES` makes a processor with AVX-512 sort as one without.
"""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave out 10^7 scores")
    parser.add_argument("--only", default="", help="run the lines whose work holds this text")
    parser.add_argument("--json", type=Path, default=Path("benchmarks.json"))
    parser.add_argument("--markdown", type=Path, help="write the table there too")
    options = parser.parse_args()
    facts = machine()
    print(HEAD)
    rows = []
    suites = [suite(quick=options.quick, only=options.only) for suite in SUITES]
    for row in itertools.chain(*suites):
        rows.append(row)
        print(line(row), flush=True)
    print("\n" + sentence(facts))
    record = {"machine": facts, "rows": [dataclasses.asdict(row) for row in rows]}
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.markdown:
        table = "\n".join([HEAD, *map(line, rows)])
        parts = ABOVE, f"{table}\n", f"{sentence(facts)}\n", OTHERS, other_processors()
        options.markdown.write_text("\n".join(parts), encoding="utf-8")


def other_processors() -> str:
    """Return the ratios kept of several processors, a column each."""
    kept = [json.loads(path.read_text()) for path in sorted(RESULTS.glob("scores-*.json"))]
    names = [f"{each['machine']['processor']}, {each['machine']['sort']}" for each in kept]
    ratios = [
        {(row["work"], row["against"]): row["ours"] / row["theirs"] for row in each["rows"]}
        for each in kept
    ]
    lines = [
        f"| {' | '.join(key)} | {' | '.join(f'{of[key]:.3g}' if key in of else '-' for of in ratios)} |"
        for key in dict.fromkeys(key for of in ratios for key in of)
    ]
    head = [f"| work | against | {' | '.join(names)} |", "|---|---|" + "---|" * len(names)]
    return "\n".join([*head, *lines]) + "\n"


def line(row: Row) -> str:
    """Return one line of the table; a ratio above the one wanted is marked."""
    mark = "" if row.ratio <= row.wanted else " (missed)"
    floor = "-" if row.floor is None else f"{row.floor:.3g}"
    return (
        f"| {row.work} | {row.against} | {row.ours:.3g} {row.unit} | {row.theirs:.3g} {row.unit} "
        f"| {row.ratio:.3g}{mark} | <= {row.wanted:g} | {floor} |"
    )


if __name__ == "__main__":
    main()
