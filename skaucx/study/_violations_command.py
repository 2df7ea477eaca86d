"""``python -m skaucx.study violations``: count the violations of score sets in a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._arguments import add_measures, add_output, computed, measure_options, show, whole
from ._displays import (
    BreakdownDisplay,
    DisagreementDisplay,
    Display,
    ValueRangesDisplay,
    ViolationsDisplay,
)
from ._generators import all_labellings, narrow_margins, narrow_spans
from ._sets import SetCollection, parse_sets, read_sets
from ._tables import text_columns
from ._violations import PROPERTIES, Breakdown, PairOrders, Violations, count_violations

_EXAMPLE = """\
example:
  echo "1.0p 0.8p 0.6p 0.4n 0.2n 0.0n" |
    python -m skaucx.study violations - --span-steps 30 --labellings --margin-power 1/100
"""


@dataclass(frozen=True)
class _Findings:
    """The violations, and what was asked for beside them."""

    violations: Violations
    breakdown: Breakdown | None
    orders: Mapping[tuple[str, str], PairOrders] | None

    def as_dict(self) -> dict[str, Any]:
        found = self.violations.as_dict()
        if self.breakdown is not None:
            found["by"] = self.breakdown.as_dict()
        if self.orders is not None:
            found["disagreement"] = [
                {"measures": list(both), **vars(orders)} for both, orders in self.orders.items()
            ]
        return found

    def __str__(self) -> str:
        parts = [str(self.violations)]
        if self.breakdown is not None:
            parts += [f"Violations by {self.breakdown.by}", str(self.breakdown)]
        if self.orders is not None:
            parts += ["Share of the pairs of sets that two measures order differently"]
            parts += [_text_of_orders(list(self.violations.values), self.orders)]
        return "\n\n".join(parts)

    @property
    def displays(self) -> list[Display]:
        """What there is to draw."""
        drawn: list[Display] = [
            ViolationsDisplay(self.violations),
            ValueRangesDisplay(self.violations),
        ]
        if self.breakdown is not None:
            drawn.append(BreakdownDisplay(self.breakdown))
        if self.orders is not None:
            drawn.append(DisagreementDisplay(self.orders))
        return drawn


def add_parser(commands: Any) -> None:
    """Add the command to the subparsers of the program."""
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
        "--margin-steps", type=whole, default=1, metavar="K", help="narrow margins in K steps"
    )
    parser.add_argument(
        "--span-steps", type=whole, default=1, metavar="K", help="then narrow spans in K steps"
    )
    parser.add_argument("--labellings", action="store_true", help="then label in every way")
    parser.add_argument(
        "--by", choices=PROPERTIES, help="break the violations down by a property of the sets"
    )
    parser.add_argument(
        "--disagreement", action="store_true",
        help="count how often any two measures order a pair of sets differently",
    )  # fmt: skip
    add_measures(parser)
    add_output(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Count the violations, print them, write them where asked to."""
    sets = _generated(_read(arguments.file), arguments)
    result = computed(count_violations, sets, **measure_options(arguments))
    findings = _Findings(
        result,
        result.by(arguments.by) if arguments.by else None,
        result.confusion() if arguments.disagreement else None,
    )
    show(
        findings,
        arguments,
        ["measure", "violations", "lowest_correct", "highest_incorrect", "sets", "correct"],
        [
            [name, *tally.values(), result.sets, result.correct]
            for name, tally in result.as_dict()["measures"].items()
        ],
        findings.displays,
    )
    if result.correct in (0, result.sets):
        which = "correctly" if result.correct == 0 else "incorrectly"
        print(
            f"No set is {which} ranked, so none can be violated; try --labellings.", file=sys.stderr
        )


def _text_of_orders(names: list[str], orders: Mapping[tuple[str, str], PairOrders]) -> str:
    shares = {
        both: count.different / max(count.pairs, 1)
        for pair, count in orders.items()
        for both in (pair, pair[::-1])
    }
    columns = {name: [shares.get((row, name), 0.0) for row in names] for name in names}
    return text_columns({"measure": names, **columns})


def _read(file: str) -> SetCollection:
    if file != "-":
        return read_sets(file)
    try:
        return parse_sets(sys.stdin.read())
    except ValueError as error:
        raise ValueError(f"standard input: {error}") from None


def _generated(sets: SetCollection, arguments: argparse.Namespace) -> SetCollection:
    sets = narrow_spans(narrow_margins(sets, arguments.margin_steps), arguments.span_steps)
    return all_labellings(sets) if arguments.labellings else sets
