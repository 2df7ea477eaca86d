"""Print sizes and coverage of the comparisons of two predictions where class counts are random.

``python -m benchmarks.random_sizes --runs 1000`` simulates all (five minutes on one core);
``--resamples`` is the number of bootstrap resamples, ``--parts`` names one of the two tables.

Biased forecasts: events have the probability p = expit(x + c), x normal. One forecast is too high on the
logit scale, the other too low by what makes the expected scores of both equal, so that the difference
depends on the class and the null hypothesis is exact. Rankings: scores of two classifiers with the same
AUC of .8, correlated by .5. A p-value that is undefined does not reject.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
from scipy import optimize
from scipy.special import expit

from skaucx.inference import (
    ComparisonResult,
    paired_test,
)

LEVEL = 0.05
Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
Test = Callable[[Drawn, int], ComparisonResult]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.random_sizes", description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--resamples", type=int, default=399)
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=list(PARTS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"Shares in % with their Monte-Carlo standard error, {options.runs} runs.")
    for part in options.parts:
        head = PARTS[part][0]
        print(f"\n| {head} |\n|{'---|' * (head.count('|') + 1)}")
        PARTS[part][1](options.runs, options.resamples)


def of_biased(runs: int, resamples: int) -> None:
    for n, rate in ((100, 0.3), (200, 0.1), (1000, 0.1), (1000, 0.3)):
        for metric in ("brier_score", "log_loss"):
            tests = {
                "paired_test": lambda d, s, m=metric: paired_test(m, *d),
                "bootstrap": lambda d, s, m=metric: boot(m, d, s, resamples),
                "bootstrap, stratify=True": lambda d, s, m=metric: boot(
                    m, d, s, resamples, stratify=True
                ),
            }
            report(f"{metric}, {{}}", tests, biased(metric, n, rate), n, rate, runs)


def of_ranked(runs: int, resamples: int) -> None:
    for n, rate in ((100, 0.3), (200, 0.1), (1000, 0.1)):
        for metric in ("roc_auc", "average_precision", "accuracy", "f1", "recall", "precision"):
            how = "influence" if metric in ("f1", "recall", "precision") else "auto"
            draws = {"method": how, "n_resamples": resamples}
            tests = {
                f"paired_test, {how}": lambda d, s, m=metric, o=draws: paired_test(
                    m, *judged(m, d), random_state=s, **o
                ),
                "bootstrap": lambda d, s, m=metric: boot(m, judged(m, d), s, resamples),
            }
            report(f"{metric}, {{}}", tests, ranked(n, rate), n, rate, runs)


# Each part: the heads of its columns, and what prints its rows.
PARTS: dict[str, tuple[str, Callable[[int, int], None]]] = {
    "biases": ("forecasts with opposite biases | n | events | size | coverage", of_biased),
    "rankings": ("equal rankings | n | events | size | coverage", of_ranked),
}


def boot(metric: str, drawn: Drawn, seed: int, size: int, **options: bool) -> ComparisonResult:
    how = {"method": "bootstrap", "random_state": seed, "n_resamples": size}
    return paired_test(metric, *drawn, **how, **options)


def share(counts: int, runs: int) -> str:
    p = counts / runs
    return f"{100 * p:.1f} ({100 * np.sqrt(max(p * (1 - p), 1 / runs / 4) / runs):.1f})"


def report(
    name: str, tests: dict[str, Test], draw: Callable[..., Drawn], n: int, rate: float, runs: int
) -> None:
    """Print a row a test: the true difference is 0."""
    rejected, covered = dict.fromkeys(tests, 0), dict.fromkeys(tests, 0)
    rng = np.random.default_rng([n, round(100 * rate)])
    for seed in range(runs):
        drawn = draw(rng)
        for test, run in tests.items():
            found = run(drawn, seed)
            rejected[test] += found.p_value < LEVEL
            covered[test] += found.p_value == 1 or found.interval[0] <= 0 <= found.interval[1]
    for test in tests:
        cells = share(rejected[test], runs), share(covered[test], runs)
        print(f"| {name.format(test)} | {n} | {rate:g} | {' | '.join(cells)} |", flush=True)


def biased(metric: str, n: int, rate: float) -> Callable[[np.random.Generator], Drawn]:
    """Return a sampler of forecasts whose expected scores are equal, one too high and one too low."""
    x = np.random.default_rng(0).normal(size=200_000)
    c = optimize.brentq(lambda c: expit(x + c).mean() - rate, -9, 9)

    def expected(shift: float) -> float:
        p, q = expit(x + c), expit(x + c + shift)
        if metric == "brier_score":
            return float((p * (1 - q) ** 2 + (1 - p) * q**2).mean())
        return float(-(p * np.log(q) + (1 - p) * np.log1p(-q)).mean())

    up = 1.0
    down = optimize.brentq(lambda d: expected(-d) - expected(up), 0.01, 30)

    def draw(rng: np.random.Generator) -> Drawn:
        z = rng.normal(size=n) + c
        return (rng.random(n) < expit(z)).astype(int), expit(z + up), expit(z - down)

    return draw


def ranked(n: int, rate: float) -> Callable[[np.random.Generator], Drawn]:
    def draw(rng: np.random.Generator) -> Drawn:
        y = (rng.random(n) < rate).astype(int)
        y[:2] = 0, 1
        common, own = rng.normal(size=n), rng.normal(size=(2, n))
        a, b = 1.19 * y + np.sqrt(0.5) * (common + own)
        return y, a, b

    return draw


def judged(metric: str, drawn: Drawn) -> Drawn:
    """Return labels for metrics that read them."""
    y, a, b = drawn
    return drawn if metric in ("roc_auc", "average_precision") else (y, a > 0.8, b > 0.8)


if __name__ == "__main__":
    main()
