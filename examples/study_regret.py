"""Which AUC variant should choose a model? Ten models of each learner, small validation sets.

Three problems and a few repetitions by default; ``--full`` takes all problems and 100 repetitions, in
minutes, with the numbers that the README gives.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from skaucx.study import load_problems, measure_regret

QUICK = ("breast_cancer", "digits_8_9", "wine_1")
MEASURES = [
    "roc_auc", "prob_auc", "scor_auc", "sond_auc", "soft_auc", "mm1_auc", "mm4_auc", "mm6_auc",
    "mm7_auc",
]  # fmt: skip


def main(argv: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(description="Regret of choosing models by each AUC variant.")
    parser.add_argument("--full", action="store_true", help="all problems, 100 repetitions")
    parser.add_argument("--jobs", type=int, help="parallel jobs (1; -1 for all cores)")
    arguments = parser.parse_args(argv)
    problems = load_problems()
    if not arguments.full:
        problems = {name: problems[name] for name in QUICK}
    result = measure_regret(
        problems,
        repetitions=100 if arguments.full else 5,
        measures=MEASURES,
        n_jobs=arguments.jobs,
        random_state=0,
    )
    print(result)
    for pool in result.pools:
        excess = result.excess(pool)
        clear = {name: entry for name, entry in excess.items() if abs(entry[0]) > 3 * entry[1]}
        worse = [name for name, (mean, _) in clear.items() if mean > 0]
        better = [name for name, (mean, _) in clear.items() if mean < 0]
        print(
            f"\nModels: {pool}. Clearly (3 standard errors) worse than the plain AUC: "
            f"{', '.join(worse) or 'none'}; clearly better: {', '.join(better) or 'none'}."
        )


if __name__ == "__main__":
    main(sys.argv[1:])
