"""``python -m skaucx.study simulate``: bias and variance, or the choice among noisy models."""

from __future__ import annotations

import argparse
from typing import Any

from ._arguments import add_measures, add_output, computed, measure_options, show, whole
from ._displays import BiasVarianceDisplay, SelectionSharesDisplay
from ._simulation import simulate_bias, simulate_selection


def add_parser(commands: Any) -> None:
    """Add the command to the subparsers of the program."""
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
        "--repetitions", type=whole, metavar="N", help="repetitions (5000 for bias, else 1000)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed (0)")
    add_measures(parser)
    add_output(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Simulate, print the result, write it where asked to."""
    options = {"random_state": arguments.seed, **measure_options(arguments)}
    if arguments.repetitions:
        options["repetitions"] = arguments.repetitions
    if arguments.what == "bias":
        _show_bias(arguments, options)
    else:
        _show_selection(arguments, options)


def _show_bias(arguments: argparse.Namespace, options: dict[str, Any]) -> None:
    result = computed(simulate_bias, **options)
    rows = [
        [name, *row]
        for name, bias in result.bias.items()
        for row in zip(result.alphas, result.true_auc, bias, result.variance[name], strict=True)
    ]
    show(
        result, arguments, ["measure", "alpha", "true_auc", "bias", "variance"], rows,
        [BiasVarianceDisplay(result, legend=False), BiasVarianceDisplay(result, what="variance")],
    )  # fmt: skip


def _show_selection(arguments: argparse.Namespace, options: dict[str, Any]) -> None:
    result = computed(simulate_selection, **options)
    rows = [
        [name, int(size), share]
        for name, shares in result.right.items()
        for size, share in zip(result.sizes, shares, strict=True)
    ]
    header = ["measure", "instances", "right"]
    show(result, arguments, header, rows, [SelectionSharesDisplay(result)])
