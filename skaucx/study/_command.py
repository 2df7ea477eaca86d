"""``python -m skaucx study``: which measure deserves trust, by violations, simulations and regret."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .. import study
from .._text.plain import names
from .._text.tables import Table

if TYPE_CHECKING:
    from .._plotting import Display
    from ._problems import Problem

_T = TypeVar("_T")

_PICTURES = (".png", ".svg", ".pdf")

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
        add(own)


def _add_violations(commands: Any) -> None:
    from ._violations import PROPERTIES

    parser = commands.add_parser(
        "violations",
        help="how often a measure ranks a correctly ranked score set below an incorrect one",
        description="Count the correctly ranked score sets whose value is below the highest value "
        "of an incorrectly ranked one.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="score sets, one a line; - for standard input")
    parser.add_argument(
        "--margin-steps", type=_whole, default=1, metavar="K", help="narrow margins in K steps"
    )
    parser.add_argument(
        "--span-steps", type=_whole, default=1, metavar="K", help="then narrow spans in K steps"
    )
    parser.add_argument("--labellings", action="store_true", help="then label in every way")
    parser.add_argument(
        "--by", choices=PROPERTIES, help="break the violations down by a property of the sets"
    )
    parser.add_argument(
        "--disagreement", action="store_true",
        help="count how often any two measures order a pair of sets differently",
    )  # fmt: skip
    parser.add_argument(
        "--plot", type=_picture, metavar="FILE",
        help="draw them too, as PNG, SVG or PDF by the end of the name (needs matplotlib)",
    )  # fmt: skip
    _add_measures(parser)
    _add_output(parser)
    parser.set_defaults(run=_violations)


def _violations(arguments: argparse.Namespace) -> None:
    sets = _generated(_read(arguments.file), arguments)
    result = _computed(study.count_violations, sets, **_measure_options(arguments))
    rows = [
        [name, *vars(tally).values(), result.sets, result.correct]
        for name, tally in result.measures.items()
    ]
    header = ["measure", "violations", "lowest_correct", "highest_incorrect", "sets", "correct"]
    texts: list[str] = [str(result)]
    parts: dict[str, Any] = {"violations": _records(header, rows)}
    displays: list[Display] = [study.ViolationsDisplay(result), study.ValueRangesDisplay(result)]
    if arguments.by:
        breakdown = result.by(arguments.by)
        table = breakdown._table()
        texts += [f"Violations by {arguments.by}", str(breakdown)]
        parts["by"] = _records(table.head, table.rows)
        displays.append(study.BreakdownDisplay(breakdown))
    if arguments.disagreement:
        orders = result.confusion()
        texts += ["Share of the pairs of sets that two measures order differently"]
        texts += [_text_of_orders(list(result.values), orders)]
        parts["disagreement"] = [
            {"measures": list(both), **vars(own)} for both, own in orders.items()
        ]
    _show("\n\n".join(texts), arguments, header, rows, displays, parts)
    if result.correct in (0, result.sets):
        which = "correctly" if result.correct == 0 else "incorrectly"
        print(
            f"No set is {which} ranked, so none can be violated; try --labellings.", file=sys.stderr
        )


def _text_of_orders(names: list[str], orders: Mapping[tuple[str, str], study.PairOrders]) -> str:
    shares = {
        both: count.different / max(count.pairs, 1)
        for pair, count in orders.items()
        for both in (pair, pair[::-1])
    }
    columns = {name: [shares.get((row, name), 0.0) for row in names] for name in names}
    return Table.of_columns({"measure": names, **columns}).text()


def _read(file: str) -> study.SetCollection:
    if file != "-":
        return study.read_sets(file)
    try:
        return study.parse_sets(sys.stdin.read())
    except ValueError as error:
        raise ValueError(f"standard input: {error}") from None


def _generated(sets: study.SetCollection, arguments: argparse.Namespace) -> study.SetCollection:
    sets = study.narrow_spans(
        study.narrow_margins(sets, arguments.margin_steps), arguments.span_steps
    )
    return study.all_labellings(sets) if arguments.labellings else sets


def _add_simulate(commands: Any) -> None:
    parser = commands.add_parser(
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
        "--repetitions", type=_whole, metavar="N", help="repetitions (5000 for bias, else 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed (0)")
    _add_measures(parser)
    _add_output(parser)
    parser.set_defaults(run=_simulate)


def _simulate(arguments: argparse.Namespace) -> None:
    options = {"random_state": arguments.seed, **_measure_options(arguments)}
    if arguments.repetitions:
        options["repetitions"] = arguments.repetitions
    if arguments.what == "bias":
        _show_bias(arguments, options)
    else:
        _show_selection(arguments, options)


def _show_bias(arguments: argparse.Namespace, options: dict[str, Any]) -> None:
    result = _computed(study.simulate_bias, **options)
    rows = [
        [name, *row]
        for name, bias in result.bias.items()
        for row in zip(result.alphas, result.true_auc, bias, result.variance[name], strict=True)
    ]
    _show(str(result), arguments, ["measure", "alpha", "true_auc", "bias", "variance"], rows)


def _show_selection(arguments: argparse.Namespace, options: dict[str, Any]) -> None:
    result = _computed(study.simulate_selection, **options)
    rows = [
        [name, int(size), share]
        for name, shares in result.right.items()
        for size, share in zip(result.sizes, shares, strict=True)
    ]
    _show(str(result), arguments, ["measure", "instances", "right"], rows)


def _add_regret(commands: Any) -> None:
    parser = commands.add_parser(
        "regret",
        help="how much test AUC is given away by choosing models of real data by each measure",
        description="Choose among models of one learner, and among those of all, by each measure on "
        "small validation sets; the regret is the best test AUC minus that of the chosen model. "
        "All "
        "problems at the default sizes take minutes.",
    )
    parser.add_argument(
        "--problems",
        type=names,
        metavar="NAMES",
        help="problems parted by commas (all)",
    )
    parser.add_argument(
        "--repetitions", type=_whole, default=100, metavar="N", help="repetitions (100)"
    )
    parser.add_argument(
        "--models", type=_whole, default=10, metavar="N", help="models of each learner (10)"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="parallel jobs (1; -1 for all cores)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed (0)")
    _add_measures(parser)
    _add_output(parser)
    parser.set_defaults(run=_regret)


def _regret(arguments: argparse.Namespace) -> None:
    result = _computed(
        study.measure_regret,
        _problems(arguments.problems),
        n_models=arguments.models,
        repetitions=arguments.repetitions,
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
        **_measure_options(arguments),
    )
    from ._regret import ROW

    _show(str(result), arguments, ROW, result.rows())


def _problems(listed: list[str] | None) -> dict[str, Problem]:
    from .._options import unknown_name

    known = study.load_problems()
    for name in listed or ():
        if name not in known:
            raise unknown_name("data set", name, known)
    return {name: known[name] for name in listed or known}


def _add_measures(parser: argparse.ArgumentParser) -> None:
    """Add the choice of measures and their parameters."""
    parser.add_argument(
        "--measures", type=_measures, default="all", metavar="NAMES",
        help="all (the default), or AUC variants parted by commas, such as roc_auc,mm7_auc",
    )  # fmt: skip
    for name, what in _PARAMETERS.items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=_number, metavar="X", help=what)


def _add_output(parser: argparse.ArgumentParser) -> None:
    """Add the forms of output."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--csv", metavar="FILE", help="write the numbers to a file too")


def _computed(function: Callable[..., _T], *given: Any, **options: Any) -> _T:
    """Call a study, a progress bar on a terminal; its errors are errors of the command line."""
    try:
        return function(*given, verbose=sys.stderr.isatty(), **options)
    except (TypeError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _measure_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the measures and those of their parameters that were given."""
    given = {name: getattr(arguments, name) for name in _PARAMETERS}
    options = {name: value for name, value in given.items() if value is not None}
    return {"measures": arguments.measures, **options}


def _records(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """Return rows as JSON holds them: plain numbers, None where undefined."""

    def plain(cell: Any) -> Any:
        cell = cell.item() if isinstance(cell, np.generic) else cell
        return None if isinstance(cell, float) and math.isnan(cell) else cell

    return [dict(zip(header, map(plain, row), strict=True)) for row in rows]


def _show(
    text: str,
    arguments: argparse.Namespace,
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    displays: Sequence[Display] = (),
    parts: Any = None,
) -> None:
    """Write the CSV file and the plots if requested, then print the text, or the rows as JSON."""
    if arguments.csv:
        with open(arguments.csv, "w", newline="", encoding="utf-8") as stream:
            csv.writer(stream).writerows([header, *rows])
    if displays and arguments.plot:
        from ._displays import save_pictures

        save_pictures(displays, arguments.plot)
    found = _records(header, rows) if parts is None else parts
    print(json.dumps(found, indent=2) if arguments.json else text)


def _whole(text: str) -> int:
    """Read a whole number >= 1."""
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be a whole number >= 1, found {text!r}")
    return value


def _number(text: str) -> float:
    """Read a number or a fraction such as 1/7."""
    try:
        return float(Fraction(text))
    except (ValueError, ZeroDivisionError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"must be a number or a fraction such as 1/7, found {text!r}"
        ) from None


def _picture(text: str) -> str:
    """Read the file name of a plot, whose suffix is its format."""
    if Path(text).suffix.lower() not in _PICTURES:
        raise argparse.ArgumentTypeError(f"must end in {', '.join(_PICTURES)}, found {text!r}")
    return text


def _measures(text: str) -> str | list[str]:
    return text if text == "all" else names(text)
