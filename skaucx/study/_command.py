"""``python -m skaucx study``: which measure deserves trust, by violations, simulations and regret."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from .. import study
from .._options import unknown_name
from .._plotting import Display
from .._text.plain import names
from .._text.tables import Table
from ._displays import save_pictures

_PARAMETERS = {
    "q": "the power of sondAUC (1/7)",
    "beta": "the steepness of softAUC (7)",
    "floor": "the least value of a won pair in mm4, mm6 and mm7 (1/2)",
    "auc_power": "the power of mm4 in mm6 and mm7 (9/10)",
    "margin_power": "the power of the margin in mm6 and mm7 (1/16)",
}
_EXAMPLE = """\
example:
  echo "1.0p 0.8p 0.6p 0.4n 0.2n 0.0n" |
    python -m skaucx study violations - --span-steps 30 --labellings \\
      --margin-power 1/100
"""


DESCRIPTION = "Which measure deserves trust: studies of the AUC variants."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the studies with their arguments."""
    own = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    counted = own.add_parser(
        "violations",
        help="how often a measure ranks a correctly ranked score set below an incorrect one",
        description="Count the correctly ranked score sets whose value is below the highest value\n"
        "of an incorrectly ranked one.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = counted.add_argument
    add("file", metavar="FILE", help="score sets, one a line; - for standard input")
    add("--margin-steps", type=int, default=1, metavar="K", help="narrow margins in K steps")
    add("--span-steps", type=int, default=1, metavar="K", help="then narrow spans in K steps")
    add("--labellings", action="store_true", help="then label in every way")
    add("--by", help="break the violations down by a property of the sets")
    add(
        "--plot", metavar="FILE",
        help="draw them too, as PNG, SVG or PDF by the end of the name (needs matplotlib)",
    )  # fmt: skip
    counted.set_defaults(run=_violations)
    simulated = own.add_parser(
        "simulate",
        help="bias and variance of the measures, or how often each picks the best model",
        description="The simulations of Vanderlooy & Huellermeier 2008. All measures at the default "
        "repetitions take about a minute (bias) or several (selection).",
    )
    simulated.add_argument(
        "what", nargs="?", choices=("bias", "selection"), default="bias",
        help="bias and variance against the true AUC (the default), or how often each measure picks "
        "the best of three models",
    )  # fmt: skip
    simulated.set_defaults(run=_simulate)
    chosen = own.add_parser(
        "regret",
        help="how much test AUC is given away by choosing models of real data by each measure",
        description="Choose among models of one learner, and among those of all, by each measure on "
        "small validation sets; the regret is the best test AUC minus that of the chosen model. All "
        "problems at the default sizes take minutes.",
    )
    add = chosen.add_argument
    add("--problems", type=names, metavar="NAMES", help="problems parted by commas (all)")
    add("--models", type=int, default=10, metavar="N", help="models of each learner (10)")
    add("--jobs", type=int, metavar="N", help="parallel jobs (1; -1 for all cores)")
    chosen.set_defaults(run=_regret)
    for command, usual in ((simulated, "5000 for bias, else 1000"), (chosen, "100")):
        command.add_argument("--repetitions", type=int, metavar="N", help=f"repetitions ({usual})")
        command.add_argument("--seed", type=int, default=0, metavar="N", help="the seed (0)")
    for command in (counted, simulated, chosen):
        command.add_argument(
            "--measures", type=names, metavar="NAMES",
            help="AUC variants parted by commas, such as roc_auc,mm7_auc (all)",
        )  # fmt: skip
        for name, what in _PARAMETERS.items():
            option = f"--{name.replace('_', '-')}"
            command.add_argument(option, type=_number, metavar="X", help=what)
        command.add_argument("--json", action="store_true", help="print JSON instead of a table")
        command.add_argument("--csv", metavar="FILE", help="write the numbers to a file too")


def _violations(arguments: argparse.Namespace) -> None:
    if arguments.file in (arguments.csv, arguments.plot):
        raise ValueError(f"{arguments.file} is read; write elsewhere.")
    sets = study.narrow_margins(_read(arguments.file), arguments.margin_steps)
    sets = study.narrow_spans(sets, arguments.span_steps)
    sets = study.all_labellings(sets) if arguments.labellings else sets
    result = study.count_violations(sets, **_options(arguments))
    tables = {"violations": result._table()}
    displays: list[Display] = [study.ViolationsDisplay(result), study.ValueRangesDisplay(result)]
    if arguments.by:
        breakdown = result.by(arguments.by)
        tables["by"] = breakdown._table()
        displays.append(study.BreakdownDisplay(breakdown))
    _show(arguments, tables, displays)
    if result.correct in (0, result.sets):
        which = "correctly" if result.correct == 0 else "incorrectly"
        print(
            f"No set is {which} ranked, so none can be violated; try --labellings.", file=sys.stderr
        )


def _read(file: str) -> study.SetCollection:
    if file != "-":
        return study.read_sets(file)
    try:
        return study.parse_sets(sys.stdin.read())
    except ValueError as error:
        raise ValueError(f"standard input: {error}") from None


def _simulate(arguments: argparse.Namespace) -> None:
    simulate = study.simulate_bias if arguments.what == "bias" else study.simulate_selection
    result = simulate(random_state=arguments.seed, **_options(arguments))
    _show(arguments, {arguments.what: result._table()})


def _regret(arguments: argparse.Namespace) -> None:
    known = study.load_problems()
    for name in arguments.problems or ():
        if name not in known:
            raise unknown_name("data set", name, known)
    result = study.measure_regret(
        {name: known[name] for name in arguments.problems or known},
        n_models=arguments.models,
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
        **_options(arguments),
    )
    _show(arguments, {"regret": result._table()})


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return repetitions, the measures and their parameters, as far as they are given."""
    given = {n: getattr(arguments, n, None) for n in ("repetitions", "measures", *_PARAMETERS)}
    return {name: value for name, value in given.items() if value is not None}


def _show(
    arguments: argparse.Namespace, tables: Mapping[str, Table], displays: Sequence[Display] = ()
) -> None:
    """Write the first table as CSV and the pictures if requested; print the tables, as JSON or text."""
    first, *_ = tables.values()
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([first.head, *filter(len, first.rows)])
    if displays and arguments.plot:
        save_pictures(displays, arguments.plot)
    if arguments.json:
        records = {name: _records(table) for name, table in tables.items()}
        print(json.dumps(records, indent=2))
    else:
        print("\n\n".join(table.text() for table in tables.values()))


def _records(table: Table) -> list[dict[str, Any]]:
    """Return rows as JSON holds them: plain numbers, None where undefined."""
    rows = [[np.asarray(cell).item() for cell in row] for row in table.rows if row]
    return [
        {name: None if cell != cell else cell for name, cell in zip(table.head, row, strict=True)}
        for row in rows
    ]


def _number(text: str) -> float:
    """Read a number or a fraction such as 1/7."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"must be a number or a fraction such as 1/7, found {text!r}"
        ) from None
