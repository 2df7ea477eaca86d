"""Means of a metric over queries or users: seconds, coverage of their intervals, size of their test.

``python -m benchmarks.group_means`` prints both tables in Markdown; ``--rows`` is the number of rows,
a tenth of them groups, ``--runs`` the number of simulated samples.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.machine import processor
from skaucx.inference import group_mean, group_mean_test

METRICS: dict[str, dict[str, Any]] = {
    "roc_auc": {},
    "ndcg": {"k": 10},
    "average_precision": {},
    "reciprocal_rank": {},
    "precision_at_k": {"k": 10},
    "hit_rate": {"k": 3},
}
GROUPS = (10, 30, 100)


def seconds(rows: int) -> list[str]:
    """Return a line a metric: the least of three calls."""
    rng = np.random.default_rng(0)
    group, y = rng.integers(rows // 10, size=rows), rng.integers(2, size=rows)
    score, lines = rng.random(rows) + 0.3 * y, []
    for name, own in METRICS.items():
        true = rng.integers(5, size=rows) if name == "ndcg" else y
        taken = []
        for _ in range(3):
            start = time.perf_counter()
            group_mean(name, true, score, groups=group, **own)
            taken.append(time.perf_counter() - start)
        lines.append(f"| {name} | {min(taken):.2f} |")
    return lines


def coverage(runs: int) -> list[str]:
    """Return a line a number of groups: users of differing size whose AUC differs."""
    lines = []
    for n in GROUPS:
        rng = np.random.default_rng(n)
        covered, rejected = 0, 0
        for _ in range(runs):
            size = rng.integers(4, 20, n)
            group = np.repeat(np.arange(n), size)
            # Each user's rows: two positives, the others negatives.
            y = (np.arange(len(group)) - np.repeat(np.cumsum(size) - size, size) < 2).astype(int)
            ability = rng.normal(1, 0.7, n)[group]
            a, b = (rng.normal(size=len(group)) + ability * y for _ in range(2))
            truth = stats.norm.cdf(1 / np.sqrt(2 + 0.7**2))
            low, high = group_mean("roc_auc", y, a, groups=group).interval()
            covered += low <= truth <= high
            rejected += group_mean_test("roc_auc", y, a, b, groups=group).p_value < 0.05
        shares = np.array([covered, rejected]) / runs
        errors = np.sqrt(shares * (1 - shares) / runs)
        cells = [f"{100 * s:.1f} ({100 * e:.1f})" for s, e in zip(shares, errors, strict=True)]
        lines.append(f"| {n} | {cells[0]} | {cells[1]} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**6)
    parser.add_argument("--runs", type=int, default=2000)
    given = parser.parse_args()
    print(f"{processor()}, busy with other work: {given.rows:,} rows, a tenth as many groups.\n")
    print("| metric | seconds |\n|---|---|")
    print("\n".join(seconds(given.rows)))
    print(
        f"\n{given.runs} samples: coverage of the 95 % interval of the GAUC of users who differ, and"
    )
    print("size of the 5 % test of two equal models, in percent (Monte-Carlo standard error).\n")
    print("| groups | coverage | size |\n|---|---|---|")
    print("\n".join(coverage(given.runs)))


if __name__ == "__main__":
    main()
