"""Optimism-corrected bootstrap: bias, coverage of its intervals, cost.

python -m benchmarks.optimism_coverage --runs 200 > benchmarks/results/optimism_coverage.md
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy import special
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from benchmarks.machine import processor
from skaucx.clinic import optimism_bootstrap
from skaucx.metrics import one_pass_scorer

METRICS = ["calibration_slope", "roc_auc", "neg_brier_score"]
SCORER = one_pass_scorer(METRICS)
RESAMPLES = 100


def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return five features and outcomes; the class counts are random."""
    X = rng.normal(size=(n, 5))
    risk = special.expit(-1 + X @ np.array([0.8, 0.5, 0.3, 0.0, 0.0]))
    return X, (rng.random(n) < risk).astype(int)


def covered(
    rng: np.random.Generator,
    n: int,
    runs: int,
    methods: tuple[str, ...],
    **two_stage: tuple[int, int],
) -> None:
    """Print the coverage of the value of each run's own model on new rows."""
    model = LogisticRegression(C=np.inf, max_iter=1000)
    X_new, y_new = drawn(rng, 20_000)
    held: dict[tuple[str, str], list[bool]] = {}
    gaps: dict[str, list[float]] = {}
    for _ in range(runs):
        X, y = drawn(rng, n)
        found = optimism_bootstrap(
            model, X, y, scoring=METRICS, n_resamples=RESAMPLES, random_state=rng.integers(2**31),
            return_predictions=False, **two_stage,
        )  # fmt: skip
        fitted = clone(model).fit(X, y)
        truths = SCORER.score(fitted, X_new, y_new)
        for name, truth in truths.items():
            gaps.setdefault(name, []).append(found.corrected[name] - truth)
            for method in methods:
                one = found.interval(name, method=method)
                if not np.isnan(one.low):
                    held.setdefault((name, method), []).append(one.low <= truth <= one.high)
    for (name, method), inside in held.items():
        error = np.std(inside) / np.sqrt(len(inside))
        bias = np.mean(gaps[name])
        print(
            f"| {name} | {method} | {n} | {len(inside)} | {100 * np.mean(inside):.1f} | "
            f"{100 * error:.1f} | {bias:+.4f} | {np.std(gaps[name]) / np.sqrt(runs):.4f} |",
            flush=True,
        )


def cost(rounds: int = 5) -> tuple[float, float]:
    """Return the least seconds of 200 fits on 1,000 rows, and of the bootstrap by two metrics."""
    rng = np.random.default_rng(0)
    X, y = drawn(rng, 1000)
    model = LogisticRegression(C=np.inf, max_iter=1000)
    fits, whole = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        for _ in range(200):
            rows = rng.integers(1000, size=1000)
            clone(model).fit(X[rows], y[rows])
        fits.append(time.perf_counter() - begin)
        begin = time.perf_counter()
        optimism_bootstrap(model, X, y, scoring=METRICS[:2], random_state=0)
        whole.append(time.perf_counter() - begin)
    return min(fits), min(whole)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument(
        "--two-stage", type=int, default=0, help="runs; the one row is printed alone"
    )
    asked = parser.parse_args()
    runs = asked.runs
    rng = np.random.default_rng(0)
    if asked.two_stage:
        covered(rng, 100, asked.two_stage, ("two-stage",), two_stage=(40, 15))
        return
    print("# Optimism-corrected bootstrap\n")
    print(
        f"`python -m benchmarks.optimism_coverage --runs {runs}`; nominal 95 %, {RESAMPLES} resamples, "
        "logistic regression\non five features, about 30 % positives, class counts random. The target "
        "is the value of the fitted model on new rows.\n"
    )
    print(
        "| metric | interval | n | runs | coverage (%) | Monte-Carlo standard error | bias | "
        "Monte-Carlo standard error |\n| --- | --- | --- | --- | --- | --- | --- | --- |"
    )
    for n in (100, 400):
        covered(rng, n, runs, ("pivot", "location-shifted"))
    fits, whole = cost()
    print(
        f"\n200 fits on 1,000 rows {fits:.2f} s, the bootstrap by two metrics {whole:.2f} s: "
        f"{whole / fits:.2f} times, least of five, {processor()}."
    )


if __name__ == "__main__":
    main()
