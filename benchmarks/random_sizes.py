"""Print sizes and coverage of the comparisons of two predictions where class counts are random.

``python -m benchmarks.random_sizes --runs 1000`` simulates all (five minutes on one core);
``--resamples`` is the number of bootstrap resamples, ``--parts`` names some of the four tables.

Biased forecasts: events have the probability p = expit(x + c), x normal. One forecast is too high on the
logit scale, the other too low by what makes the expected scores of both equal, so that the difference
depends on the class and the null hypothesis is exact. Rankings: scores of two classifiers with the same
AUC of .8, correlated by .5. Noise: logistic models with and without five markers of noise, fitted on one
sample and evaluated on another; the hypothesis is that the markers add nothing. Two tables: independent
samples of one population. The last two are simulated half as often. A p-value that is undefined does
not reject.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator

import numpy as np
from scipy import optimize
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from skaucx.inference import (
    ComparisonResult,
    integrated_discrimination_improvement,
    net_reclassification,
    paired_test,
    two_table_test,
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


def of_noise(runs: int, resamples: int) -> None:
    for n, rate in ((300, 0.3), (300, 0.1)):
        noise(n, rate, runs // 2)


def of_tables(runs: int, resamples: int) -> None:
    for sizes in ((50, 50), (100, 300), (300, 300)):
        two_tables(sizes, runs // 2)


# Each part: the heads of its columns, and what prints its rows.
PARTS: dict[str, tuple[str, Callable[[int, int], None]]] = {
    "biases": ("forecasts with opposite biases | n | events | size | coverage", of_biased),
    "rankings": ("equal rankings | n | events | size | coverage", of_ranked),
    "noise": ("five markers of noise | n | events | p < .05 | gain and p < .05", of_noise),
    "tables": ("two tables of one population | n | size | p and interval disagree", of_tables),
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


def noise(n: int, rate: float, runs: int) -> None:
    """Print how often models with markers of noise improve significantly."""
    tests = {
        "net reclassification, continuous": lambda *d: net_reclassification(*d),
        "net reclassification, categories": lambda *d: net_reclassification(*d, thresholds=rate),
        "discrimination improvement": lambda *d: integrated_discrimination_improvement(*d),
        "paired_test, log loss": lambda *d: paired_test("log_loss", *d),
    }
    rng = np.random.default_rng([n, round(100 * rate), 5])
    counts = {name: np.zeros(2, dtype=int) for name in tests}
    for _ in range(runs):
        x = rng.normal(size=(2, n, 6))
        y = (rng.random((2, n)) < expit(x[..., 0] + logit(rate))).astype(int)
        proba = []
        for columns in (6, 1):
            model = LogisticRegression(C=np.inf).fit(x[0, :, :columns], y[0])
            proba.append(model.predict_proba(x[1, :, :columns])[:, 1])
        for name, test in tests.items():
            found = test(y[1], *proba)
            better = found.statistic > 0 if "loss" not in name else found.statistic < 0
            counts[name] += [found.p_value < LEVEL, better and found.p_value < LEVEL]
    for name, (any_side, up) in counts.items():
        print(
            f"| {name} | {n} | {rate:g} | {share(any_side, runs)} | {share(up, runs)} |", flush=True
        )


def tables(rng: np.random.Generator, sizes: tuple[int, int]) -> Iterator[np.ndarray]:
    for size in sizes:
        yield rng.multinomial(size, [0.55, 0.1, 0.1, 0.25]).reshape(2, 2)


def two_tables(sizes: tuple[int, int], runs: int) -> None:
    """Print size and disagreement of the tests of two independent tables."""
    metrics = {
        "recall, mid-p": ("recall", "auto"),
        **{
            name: (name, "auto")
            for name in ("f1", "mcc", "positive_likelihood_ratio", "diagnostic_odds_ratio")
        },
    }
    rng = np.random.default_rng(sizes)
    rejected, differ = dict.fromkeys(metrics, 0), dict.fromkeys(metrics, 0)
    for _ in range(runs):
        pair = list(tables(rng, sizes))
        for name, (metric, method) in metrics.items():
            found = two_table_test(metric, *pair, method=method)
            null = 0 if found.ratio is None else 1
            outside = null < found.interval[0] or null > found.interval[1]
            rejected[name] += found.p_value < LEVEL
            differ[name] += (found.p_value < LEVEL) != outside
    for name in metrics:
        size = f"{sizes[0]} + {sizes[1]}"
        print(f"| {name} | {size} | {share(rejected[name], runs)} | {differ[name]} |", flush=True)


if __name__ == "__main__":
    main()
