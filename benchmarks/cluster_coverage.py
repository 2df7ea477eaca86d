"""Real coverage of nominal 95 % intervals of rows that come in clusters, and of gaps between groups.

``python -m benchmarks.cluster_coverage`` simulates all (four minutes on one core) and prints the tables
in Markdown; ``--runs`` sets the runs of the closed forms; the bootstrap, of 199 resamples, gets a fifth.

A cluster is a patient with 1 to 9 rows, whose scores share half their variance. Either each patient has
one class (prevalence .4) or every row its own. Called positive is a score above that half-way between
the classes. Gaps: groups of independent rows, of which one is better than the others or none.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from numpy.typing import NDArray
from scipy import special

from skaucx.metrics import evaluate, interval

CLUSTERS = (8, 15, 30, 60)
METRICS = ("recall", "accuracy", "f1", "roc_auc", "soft_auc")
METHODS = ("cluster", "percentile", "as if independent")
PURE = {"a class a patient": True, "a class a row": False}
AUC, PREVALENCE = 0.8, 0.4
GROUPS = ((2, 40), (2, 150), (4, 40), (4, 150), (8, 40), (8, 150))
GAPS = ("recall", "roc_auc")
Arrays = tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cluster_coverage", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=600)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    heads = [f"{m} patients" for m in CLUSTERS]
    print(f"{options.runs} runs a cell: per cent covered, mean width\n")
    for title, pure in PURE.items():
        print(f"| {title} | method | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 2)}")
        for name in METRICS:
            truth = target(name, pure)
            for method in METHODS:
                runs = options.runs // 5 if method == "percentile" else options.runs
                cells = [clustered(name, method, m, pure, truth, runs) for m in CLUSTERS]
                print(f"| {name} | {method} | {' | '.join(cells)} |", flush=True)
        print()
    print("| gap of | " + " | ".join(f"{k} x {n} rows" for k, n in GROUPS) + " |")
    print("|---|" + "---|" * len(GROUPS))
    for name in GAPS:
        for better in (0.0, 0.5):
            cells = [gaps(name, k, n, better, options.runs // 5) for k, n in GROUPS]
            told = "one better" if better else "all alike"
            print(f"| {name}, {told} | {' | '.join(cells)} |", flush=True)


def patients(rng: np.random.Generator, clusters: int, pure: bool) -> Arrays:
    """Draw classes, clusters and scores in [0, 1]."""
    group = np.repeat(np.arange(clusters), rng.integers(1, 10, clusters))
    y = rng.random(clusters)[group] if pure else rng.random(len(group))
    y = (y < PREVALENCE).astype(np.intp)
    noise = rng.normal(size=clusters)[group] + rng.normal(size=len(group))
    return y, group, special.expit(2 * special.ndtri(AUC) * (y - 0.5) + noise)


def judged(name: str, score: NDArray[np.float64]) -> NDArray[np.generic]:
    """Return what a metric judges."""
    return score if name.endswith("auc") else (score > 0.5).astype(np.intp)


def target(name: str, pure: bool) -> float:
    """Return the value on very many clusters."""
    y, _, score = patients(np.random.default_rng(1), 400_000, pure)
    return float(evaluate(y, judged("labels", score), score, metrics=[name])[name])


def clustered(name: str, method: str, clusters: int, pure: bool, truth: float, runs: int) -> str:
    """Return coverage and mean width of one method, samples of one class left out."""
    rng = np.random.default_rng([clusters, pure, len(name)])
    covered, width = [], []
    for _ in range(runs):
        y, group, score = patients(rng, clusters, pure)
        how = {"method": method, "groups": group, "n_resamples": 199, "random_state": 0}
        found = interval(name, y, judged(name, score), **({} if method[:2] == "as" else how))
        if not np.isnan(found.low):
            covered.append(truth in found)
            width.append(found.high - found.low)
    return f"{100 * np.mean(covered):.1f}, {np.mean(width):.2f}"


def gaps(name: str, groups: int, rows: int, better: float, runs: int) -> str:
    """Return how often the limits of the gap hold the true one."""
    rng = np.random.default_rng([groups, rows, round(10 * better)])
    by = np.repeat(np.arange(groups), rows)
    shift = np.where(by == 0, 1 + better, 1.0) * np.sqrt(2) * special.ndtri(AUC)
    first, other = ((1 + more) * special.ndtri(AUC) for more in (better, 0.0))
    if name == "recall":  # called positive above 0
        first, other = first / np.sqrt(2), other / np.sqrt(2)
    gap = float(special.ndtr(first) - special.ndtr(other))
    covered = []
    for _ in range(runs):
        y = (rng.random(len(by)) < PREVALENCE).astype(np.intp)
        score = special.expit(shift * (y - 0.5) + rng.normal(size=len(by)))
        found = evaluate(y, judged("labels", score), score, metrics=[name], by=by, intervals=True)
        low, high = found.difference()[name]
        covered.append(low - 1e-12 <= gap <= high)
    return f"{100 * np.mean(covered):.1f}"


if __name__ == "__main__":
    main()
