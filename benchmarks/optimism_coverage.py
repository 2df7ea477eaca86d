"""Optimism-corrected bootstrap: bias, coverage of its intervals, cost.

The fits and scores of a run are those of :func:`optimism_bootstrap`, many at once by Newton's method;
its intervals are those of :class:`OptimismCorrection`.

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
from skaucx.clinic import OptimismCorrection, optimism_bootstrap

METRICS = ["calibration_slope", "roc_auc", "neg_brier_score"]
RESAMPLES = 100
BOUNDS = {
    "calibration_slope": (-np.inf, np.inf),
    "roc_auc": (0.0, 1.0),
    "neg_brier_score": (-1.0, 0.0),
}


def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return five features and outcomes; the class counts are random."""
    X = rng.normal(size=(n, 5))
    risk = special.expit(-1 + X @ np.array([0.8, 0.5, 0.3, 0.0, 0.0]))
    return X, (rng.random(n) < risk).astype(int)


def covered(n: int, runs: int) -> None:
    """Print the coverage of the value of each run's own model on new rows."""
    rng = np.random.default_rng(n)
    X_new, y_new = drawn(rng, 20_000)
    held: dict[str, list[bool]] = {}
    gaps: dict[str, list[float]] = {}
    for _ in range(runs):
        X, y = drawn(rng, n)
        every = np.ones((1, n))
        [whole] = fitted(X, y, every)
        apparent = {name: float(found[0]) for name, found in scored(X, y, [whole], every).items()}
        own, original = resampled(rng, X, y, every[0], RESAMPLES)
        found = OptimismCorrection(
            apparent, own, original, None, None, y, BOUNDS, classes=None, confidence_level=0.95
        )
        truths = scored(X_new, y_new, [whole], np.ones((1, len(y_new))))
        for name, [truth] in truths.items():
            gaps.setdefault(name, []).append(found.corrected[name] - truth)
            one = found.interval(name)
            held.setdefault(name, []).append(one.low <= truth <= one.high)
    for name, inside in held.items():
        error = np.std(inside) / np.sqrt(len(inside))
        bias = np.mean(gaps[name])
        print(
            f"| {name} | {n} | {len(inside)} | {100 * np.mean(inside):.1f} | "
            f"{100 * error:.1f} | {bias:+.4f} | {np.std(gaps[name]) / np.sqrt(runs):.4f} |",
            flush=True,
        )


Scores = dict[str, np.ndarray]


def resampled(
    rng: np.random.Generator, X: np.ndarray, y: np.ndarray, base: np.ndarray, many: int
) -> tuple[Scores, Scores]:
    """Return the scores of resamples' models on their own rows, and on those they were drawn from."""
    drawn = rng.multinomial(len(y), base / len(y), size=many).astype(float)
    models = fitted(X, y, drawn)
    return scored(X, y, models, drawn), scored(X, y, models, np.broadcast_to(base, drawn.shape))


def fitted(X: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return the coefficients of a logistic regression for each row of weights."""
    design = np.column_stack([np.ones(len(y)), X])
    return newton(np.broadcast_to(design, (len(weight), *design.shape)), y, weight)


def newton(design: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Maximise the likelihood of each design and its weights; no step is longer than 3."""
    coefficients = np.zeros((len(design), design.shape[2]))
    for _ in range(12):
        risk = special.expit(np.einsum("bij,bj->bi", design, coefficients))
        gradient = np.einsum("bi,bij->bj", weight * (y - risk), design)
        curved = design * (weight * risk * (1 - risk))[:, :, None]
        hessian = np.swapaxes(curved, 1, 2) @ design + 1e-9 * np.eye(design.shape[2])
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        coefficients += np.clip(step, -3, 3)
    return coefficients


def scored(X: np.ndarray, y: np.ndarray, models: np.ndarray, weight: np.ndarray) -> Scores:
    """Return the metrics of each model on rows with its weights."""
    linear = np.clip(np.asarray(models) @ np.column_stack([np.ones(len(y)), X]).T, -30, 30)
    slopes = newton(np.stack([np.ones_like(linear), linear], axis=2), y, weight)[:, 1]
    square = (special.expit(linear) - y) ** 2
    return {
        "calibration_slope": slopes,
        "roc_auc": np.array([area(*each, y) for each in zip(linear, weight, strict=True)]),
        "neg_brier_score": -(weight * square).sum(axis=1) / weight.sum(axis=1),
    }


def area(score: np.ndarray, weight: np.ndarray, y: np.ndarray) -> float:
    """Return the AUC of weighted rows."""
    order = np.argsort(score)
    positive, negative = weight * y, weight * (1 - y)
    below = np.cumsum(negative[order]) - negative[order]
    return float(positive[order] @ below / (positive.sum() * negative.sum()))


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
    parser.add_argument("--rows", nargs="+", type=int, default=[100, 400])
    asked = parser.parse_args()
    runs = asked.runs
    print("# Optimism-corrected bootstrap\n")
    print(
        f"`python -m benchmarks.optimism_coverage --runs {runs}`; nominal 95 %, {RESAMPLES} resamples, "
        "logistic regression\non five features, about 30 % positives, class counts random. The target "
        "is the value of the fitted model on new rows.\n"
    )
    print(
        "| metric | n | runs | coverage (%) | Monte-Carlo standard error | bias | "
        "Monte-Carlo standard error |\n| --- | --- | --- | --- | --- | --- | --- |"
    )
    for n in asked.rows:
        covered(n, runs)
    fits, whole = cost()
    print(
        f"\n200 fits on 1,000 rows {fits:.2f} s, the bootstrap by two metrics {whole:.2f} s: "
        f"{whole / fits:.2f} times, least of five, {processor()}."
    )


if __name__ == "__main__":
    main()
