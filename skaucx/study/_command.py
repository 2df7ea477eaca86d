"""``python -m skaucx study``: which measure deserves trust, by violations, simulations and regret."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import study
from .._options import unknown_name
from .._text.plain import names
from .._text.tables import Table

if TYPE_CHECKING:
    from .._plotting import Display

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
    for add in (_add_violations, _add_simulate, _add_regret):
        command = add(own)
        command.add_argument(
            "--measures", type=names, metavar="NAMES",
            help="AUC variants parted by commas, such as roc_auc,mm7_auc (all)",
        )  # fmt: skip
        for name, what in _PARAMETERS.items():
            option = f"--{name.replace('_', '-')}"
            command.add_argument(option, type=_number, metavar="X", help=what)
        command.add_argument("--json", action="store_true", help="print JSON instead of a table")
        command.add_argument("--csv", metavar="FILE", help="write the numbers to a file too")


def _add_violations(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "violations",
        help="how often a measure ranks a correctly ranked score set below an incorrect one",
        description="Count the correctly ranked score sets whose value is below the highest value\n"
        "of an incorrectly ranked one.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="score sets, one a line; - for standard input")
    parser.add_argument(
        "--margin-steps", type=int, default=1, metavar="K", help="narrow margins in K steps"
    )
    parser.add_argument(
        "--span-steps", type=int, default=1, metavar="K", help="then narrow spans in K steps"
    )
    parser.add_argument("--labellings", action="store_true", help="then label in every way")
    parser.add_argument("--by", help="break the violations down by a property of the sets")
    parser.add_argument(
        "--plot", metavar="FILE",
        help="draw them too, as PNG, SVG or PDF by the end of the name (needs matplotlib)",
    )  # fmt: skip
    parser.set_defaults(run=_violations)
    return parser


def _violations(arguments: argparse.Namespace) -> None:
    sets = study.narrow_margins(_read(arguments.file), arguments.margin_steps)
    sets = study.narrow_spans(sets, arguments.span_steps)
    sets = study.all_labellings(sets) if arguments.labellings else sets
    result = study.count_violations(sets, **_measure_options(arguments))
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


def _add_simulate(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "simulate",
        help="bias and variance of the measures, or how often each picks the best model",
        description="The simulations of Vanderlooy & Huellermeier 2008. All measures at the default "
        "repetitions take about a minute (bias) or several (selection).",
    )
    parser.add_argument(
        "what", nargs="?", choices=("bias", "selection"), default="bias",
        help="bias and variance against the true AUC (the default), or how often each measure picks "
        "the best of three models",
    )  # fmt: skip
    parser.add_argument(
        "--repetitions", type=int, metavar="N", help="repetitions (5000 for bias, else 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed (0)")
    parser.set_defaults(run=_simulate)
    return parser


def _simulate(arguments: argparse.Namespace) -> None:
    simulate = study.simulate_bias if arguments.what == "bias" else study.simulate_selection
    options = _measure_options(arguments)
    if arguments.repetitions is not None:
        options["repetitions"] = arguments.repetitions
    result = simulate(random_state=arguments.seed, **options)
    _show(arguments, {arguments.what: result._table()})


def _add_regret(commands: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        "regret",
        help="how much test AUC is given away by choosing models of real data by each measure",
        description="Choose among models of one learner, and among those of all, by each measure on "
        "small validation sets; the regret is the best test AUC minus that of the chosen model. All "
        "problems at the default sizes take minutes.",
    )
    parser.add_argument(
        "--problems", type=names, metavar="NAMES", help="problems parted by commas (all)"
    )
    parser.add_argument(
        "--repetitions", type=int, default=100, metavar="N", help="repetitions (100)"
    )
    parser.add_argument(
        "--models", type=int, default=10, metavar="N", help="models of each learner (10)"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="parallel jobs (1; -1 for all cores)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed (0)")
    parser.set_defaults(run=_regret)
    return parser


def _regret(arguments: argparse.Namespace) -> None:
    known = study.load_problems()
    for name in arguments.problems or ():
        if name not in known:
            raise unknown_name("data set", name, known)
    result = study.measure_regret(
        {name: known[name] for name in arguments.problems or known},
        n_models=arguments.models,
        repetitions=arguments.repetitions,
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
        **_measure_options(arguments),
    )
    _show(arguments, {"regret": result._table()})


def _measure_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the measures and their parameters, as far as they are given."""
    given = {name: getattr(arguments, name) for name in ("measures", *_PARAMETERS)}
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
        from ._displays import save_pictures

        save_pictures(displays, arguments.plot)
    if arguments.json:
        records = {name: _records(table) for name, table in tables.items()}
        print(json.dumps(records, indent=2))
    else:
        print("\n\n".join(table.printed().text() for table in tables.values()))


def _records(table: Table) -> list[dict[str, Any]]:
    """Return rows as JSON holds them: plain numbers, None where undefined."""

    def plain(cell: Any) -> Any:
        cell = cell.item() if isinstance(cell, np.generic) else cell
        return None if isinstance(cell, float) and math.isnan(cell) else cell

    return [dict(zip(table.head, map(plain, row), strict=True)) for row in table.rows if row]


def _number(text: str) -> float:
    """Read a number or a fraction such as 1/7."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"must be a number or a fraction such as 1/7, found {text!r}"
        ) from None
