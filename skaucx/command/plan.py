"""``python -m skaucx plan``: how many examples a study needs."""

from __future__ import annotations

import argparse
from typing import Any

from .._text.plain import paragraph
from ..inference import (
    SampleSize,
    rate_sample_size,
    roc_auc_difference_sample_size,
    roc_auc_sample_size,
)  # fmt: skip
from ._terminal import print_json, strong

EXAMPLE = """\
examples:
  python -m skaucx plan auc 0.80 --null 0.70 --prevalence 0.1
      a study that shows an AUC of 0.80 to be above 0.70, one case in ten
  python -m skaucx plan auc-difference 0.85 0.80 --correlation 0.5
      two tests on the same patients
  python -m skaucx plan sensitivity 0.90 --half-width 0.05 --prevalence 0.2
      a sensitivity of 90 %, give or take 5 points
"""


DESCRIPTION = "Number of examples (patients) for a test, or for an interval."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the kinds of studies to plan, with their arguments."""
    kinds = parser.add_subparsers(title="the quantity to plan for", metavar="WHAT", required=True)
    auc = kinds.add_parser("auc", help="an AUC: against a known value, or to within a width")
    auc.add_argument("auc", type=float, help="the AUC that is expected")
    auc.add_argument("--null", type=float, metavar="X", help="the value to differ from (0.5)")
    auc.add_argument(
        "--half-width", type=float, metavar="X", help="of the interval that is wanted instead"
    )
    _add_common(auc, _of_auc, lambda given: _against(given, "an AUC", given.auc))
    both = kinds.add_parser("auc-difference", help="that two AUCs differ")
    both.add_argument("auc_a", type=float, help="the first AUC that is expected")
    both.add_argument("auc_b", type=float, help="the second")
    both.add_argument(
        "--correlation", type=float, default=0.0,
        help="of the two estimates: 0 for two groups (the default), about 0.5 for paired data",
    )  # fmt: skip
    _add_common(both, _of_difference, lambda given: f"AUCs of {given.auc_a:g} and {given.auc_b:g}")
    for name, of in (("sensitivity", "positives"), ("specificity", "negatives")):
        rate = kinds.add_parser(name, help=f"a {name}: against a known value, or to within a width")
        rate.add_argument("rate", type=float, help=f"the {name} that is expected")
        rate.add_argument("--null", type=float, metavar="X", help="the value to differ from")
        rate.add_argument(
            "--half-width", type=float, metavar="X", help="of the interval that is wanted"
        )
        rate.set_defaults(of=of, rate_name=name)
        _add_common(
            rate, _of_rate, lambda given: _against(given, f"a {given.rate_name}", given.rate)
        )


def _add_common(parser: argparse.ArgumentParser, size: Any, of_what: Any) -> None:
    parser.add_argument(
        "--prevalence",
        type=float,
        metavar="X",
        default=0.5,
        help="share of positives among the examples (0.5)",
    )
    parser.add_argument(
        "--power",
        type=float,
        metavar="X",
        default=0.8,
        help="wanted probability to find the effect (0.8)",
    )
    parser.add_argument(
        "--alpha", type=float, metavar="X", default=0.05, help="size of the test (0.05)"
    )
    parser.add_argument(
        "--one-sided", action="store_true", help="a one-sided test in place of a two-sided one"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a sentence")
    parser.set_defaults(run=run, size=size, of_what=of_what)


def run(arguments: argparse.Namespace) -> None:
    """Print the numbers of examples."""
    if not 0 < arguments.prevalence < 1:
        raise ValueError(f"--prevalence must lie between 0 and 1, found {arguments.prevalence:g}.")
    found: SampleSize = arguments.size(arguments)
    if arguments.json:
        print_json({**vars(found), "total": found.total})
        return
    counts = f"{found.n_positive} positives and {found.n_negative} negatives"
    print(strong(f"{found.total} examples: {counts}."))
    if getattr(arguments, "half_width", None) is not None:
        reported = (
            f"The {100 * (1 - arguments.alpha):g} % interval of {arguments.of_what(arguments)} then has "
            f"a half-width of {arguments.half_width:g}, if the value is as expected."
        )
    else:
        sides = "one-sided" if arguments.one_sided else "two-sided"
        reported = (
            f"A {sides} test of {arguments.of_what(arguments)} at {100 * arguments.alpha:g} % then has "
            f"a power of {found.power:.2f}, if the values are as expected."
        )
    print(paragraph(reported))


def _against(arguments: argparse.Namespace, name: str, expected: float) -> str:
    """Return the quantity with its expected value, and the value that a test compares it with."""
    null = arguments.null
    if null is None and arguments.half_width is None:
        return f"{name} of {expected:g} against 0.5, the chance level,"  # of the AUC alone
    return f"{name} of {expected:g}" + (f" against {null:g}" if null is not None else "")


def _common(arguments: argparse.Namespace) -> dict[str, Any]:
    alternative = "one-sided" if arguments.one_sided else "two-sided"
    return {"power": arguments.power, "alpha": arguments.alpha, "alternative": alternative}


def _ratio(arguments: argparse.Namespace) -> float:
    return float((1 - arguments.prevalence) / arguments.prevalence)


def _of_auc(arguments: argparse.Namespace) -> SampleSize:
    return roc_auc_sample_size(
        arguments.auc,
        null=arguments.null,
        half_width=arguments.half_width,
        ratio=_ratio(arguments),
        **_common(arguments),
    )


def _of_difference(arguments: argparse.Namespace) -> SampleSize:
    return roc_auc_difference_sample_size(
        arguments.auc_a, arguments.auc_b, correlation=arguments.correlation,
        ratio=_ratio(arguments), **_common(arguments),
    )  # fmt: skip


def _of_rate(arguments: argparse.Namespace) -> SampleSize:
    if (arguments.null is None) == (arguments.half_width is None):
        raise ValueError("Give either --null, for a test, or --half-width, for an interval.")
    return rate_sample_size(
        arguments.rate, null=arguments.null, half_width=arguments.half_width, of=arguments.of,
        prevalence=arguments.prevalence, **_common(arguments),
    )  # fmt: skip
