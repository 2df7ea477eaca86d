"""Real coverage of the nominal 95 % intervals of an AUC whose classes spread unequally.

``python -m benchmarks.auc_coverage`` simulates all (two minutes on one core) and prints the tables in
Markdown; ``--runs`` sets the runs.

Scores are normal; the positives spread k times as wide as the negatives and are shifted so that the AUC
is the one named. Class sizes stand on both sides of those at which a switch of methods could lie.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import special

from skaucx.inference._intervals.areas import constant_pairs_interval, score_t
from skaucx.inference._intervals.limits import linked, logit
from skaucx.metrics._pairs.placements import variances

Floats = NDArray[np.float64]
SIZES = (
    (15, 15),
    (5, 95),
    (15, 185),
    (20, 180),
    (40, 360),
    (49, 49),
    (50, 50),
    (52, 948),
    (500, 500),
)
AUCS = (0.6, 0.8, 0.9, 0.95, 0.99, 0.995)
SPREADS = (1 / 3, 0.5, 1.0, 2.0, 3.0)
METHODS = ("score-t", "logit-t")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.auc_coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    options = parser.parse_args()
    found = {
        (sizes, auc, k): coverage(*sizes, auc, k, options.runs)
        for sizes in SIZES
        for auc in AUCS
        for k in SPREADS
    }
    print(f"{options.runs} runs a cell, {len(found)} cells: per cent covered, and mean width\n")
    print(
        "| method | least | cells < 90 | cells < 92 | cells > 98.2 | mean | mean width |\n|"
        + "---|" * 7
    )
    for method in METHODS:
        covered, width = np.transpose([one[method] for one in found.values()])
        counts = [int(np.sum(x)) for x in (covered < 90, covered < 92, covered > 98.2)]
        cells = [
            f"{covered.min():.1f}",
            *map(str, counts),
            f"{covered.mean():.1f}",
            f"{width.mean():.3f}",
        ]
        print(f"| {method} | {' | '.join(cells)} |")
    for method in METHODS:
        print(f"\n{method}, per cent covered at k = 1/3 / 1/2 / 1 / 2 / 3\n")
        print("| positives + negatives | " + " | ".join(f"AUC {a:g}" for a in AUCS) + " |")
        print("|---|" + "---|" * len(AUCS))
        for sizes in SIZES:
            cells = [
                " / ".join(f"{found[sizes, auc, k][method][0]:.0f}" for k in SPREADS)
                for auc in AUCS
            ]
            print(f"| {sizes[0]} + {sizes[1]} | {' | '.join(cells)} |")


def coverage(
    positives: int, negatives: int, auc: float, k: float, runs: int
) -> Mapping[str, tuple[float, float]]:
    """Return the per cent covered and the mean width of each method."""
    rng = np.random.default_rng([positives, negatives, round(1000 * auc), round(10 * k)])
    shift = special.ndtri(auc) * np.sqrt(1 + k**2)
    found, parts = np.empty(runs), np.empty((2, runs))
    for run in range(runs):
        p, n = np.sort(rng.normal(shift, k, positives)), np.sort(rng.normal(size=negatives))
        values = np.searchsorted(n, p) / negatives, 1 - np.searchsorted(p, n) / positives
        found[run], parts[:, run] = values[0].mean(), variances(*values)
    sizes = positives, negatives
    ends = {
        "score-t": score_t(found, parts, *sizes, 0.95),
        "logit-t": logit_t(found, parts, sizes),
    }
    return {
        method: (100 * float(np.mean((low <= auc) & (auc <= high))), float(np.mean(high - low)))
        for method, (low, high) in ends.items()
    }


def logit_t(found: Floats, parts: Floats, sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return the intervals by Student's t on the logit scale, exact where all pairs are alike."""
    alike = parts.sum(axis=0) == 0
    with np.errstate(divide="ignore", invalid="ignore"):
        below = (parts**2 / (np.array(sizes)[:, None] - 1)).sum(axis=0)
        reach = special.stdtrit(parts.sum(axis=0) ** 2 / below, 0.975)
        ends = linked(found, reach * np.sqrt(parts.sum(axis=0)), logit(0, 1))
    low, high = constant_pairs_interval(found, min(sizes), 0.95, (0, 1))
    return np.where(alike, low, ends[0]), np.where(alike, high, ends[1])


if __name__ == "__main__":
    main()
