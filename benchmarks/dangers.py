"""What goes wrong with metrics that read score values, and with choices judged on their own data.

``python -m benchmarks.dangers`` computes all (a minute on one core) and prints the tables of
``benchmarks/results/dangers.md``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.evaluation import evaluate
from skaucx.metrics import informedness_score, mm7_auc_score, threshold_curves
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection import nested_cross_validate

from .machine import heading

Floats = NDArray[np.float64]
# Exponents by which the odds of true probabilities are raised: 1 leaves them as they are.
SHARPENED = (0.5, 1, 2, 4, 8, 16, 32, 64, 128)
ROWS, SPREAD = 20_000, 1.5
C = [0.01, 0.1, 1, 10, 100, 1000]
SCORING = ("neg_log_loss", "neg_brier_score_loss", "roc_auc", "mm7_auc")
TUNED = ("neg_log_loss", "roc_auc", "mm7_auc")
SIZES, DRAWS = (25, 50, 100, 500), 200


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dangers", description=__doc__)
    parser.parse_args()
    warnings.simplefilter("ignore")
    print(heading("What is dangerous, in figures"))
    print_sharpened()
    print_tuned()
    print_jumps()
    print_rescaled()
    print_thresholds()


def reading_values() -> list[str]:
    """Return the metrics whose row says what sharpening does to them."""
    return [name for name, f in METRICS.items() if f.metric.sharpest is not None]


def sharpened() -> tuple[dict[str, Floats], dict[str, float]]:
    """Return each metric at every exponent, and the exponent where it is best; inf at the last one.

    The true log-odds are normal with standard deviation 1.5, at 20,000 of their quantiles; every
    example counts as a positive by its probability and as a negative by the rest.
    """
    logit = SPREAD * special.ndtri((np.arange(ROWS) + 0.5) / ROWS)
    p = special.expit(logit)
    y, weight = np.repeat([1, 0], ROWS), np.concatenate([p, 1 - p])
    found: dict[str, list[float]] = {}
    for t in SHARPENED:
        score = np.tile(special.expit(t * logit), 2)
        values = evaluate(y, y_score=score, metrics=reading_values(), sample_weight=weight)
        for name, value in values.items():
            found.setdefault(name, []).append(value)
    curves = {name: np.array(values) for name, values in found.items()}
    signs = {name: -1 if METRICS[name].metric.greater_is_better is False else 1 for name in curves}
    places = {name: int(np.argmax(signs[name] * curve)) for name, curve in curves.items()}
    last = len(SHARPENED) - 1
    best = {name: np.inf if k == last else SHARPENED[k] for name, k in places.items()}
    return curves, best


def print_sharpened() -> None:
    curves, best = sharpened()
    print("| true odds to the power | " + " | ".join(f"{t:g}" for t in SHARPENED) + " | best at |")
    print("|---|" + "---|" * (len(SHARPENED) + 1))
    for name, curve in curves.items():
        at = "the last" if np.isinf(best[name]) else f"{best[name]:g}"
        print(f"| {name} | " + " | ".join(f"{v:.3f}" for v in curve) + f" | {at} |")


def tuned(refit: str) -> Mapping[str, object]:
    """Return what comes of tuning the README's example on one metric, C up to 1000."""
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=10_000))
    result = nested_cross_validate(
        model, {"logisticregression__C": C}, X, y, pos_label=1, scoring=list(SCORING), refit=refit
    )
    chosen = sorted({params["logisticregression__C"] for params in result.winning_params})
    return {"C": chosen} | {name: float(result[f"test_{name}"].mean()) for name in SCORING}


def print_tuned() -> None:
    print(
        "\n| tuned on | C that folds chose | log loss | Brier score | AUC | mm7 |\n|" + "---|" * 6
    )
    for refit in TUNED:
        found = tuned(refit)
        chosen = ", ".join(f"{c:g}" for c in found["C"])  # type: ignore[attr-defined]
        losses = -found["neg_log_loss"], -found["neg_brier_score_loss"]  # type: ignore[operator]
        cells = [f"{x:.3f}" for x in (*losses, found["roc_auc"], found["mm7_auc"])]
        print(f"| {refit} | {chosen} | {' | '.join(cells)} |", flush=True)


def jumps() -> tuple[float, float]:
    """Return mm7 of 200 + 200 evenly spaced scores: perfectly ranked, and with one pair exchanged."""
    score = np.linspace(0, 1, 400)
    y = np.repeat([0, 1], 200)
    lost = y.copy()
    lost[[199, 200]] = 1, 0
    return mm7_auc_score(y, score), mm7_auc_score(lost, score)


def print_jumps() -> None:
    print("\n| 200 + 200 evenly spaced scores | mm7 |\n|---|---|")
    for told, value in zip(("perfectly ranked", "one pair lost"), jumps(), strict=True):
        print(f"| {told} | {value:.3f} |")


def rescaled() -> dict[str, tuple[float, ...]]:
    """Return values of 30 + 30 scores as they are, and with the lowest of a negative lowered to -10."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    score = rng.normal(size=60) + 1.5 * y
    score[0] = score.min() - 0.1
    lowered = np.where(score == score.min(), -10, score)
    found = {
        f"prob_auc, rescale={how!r}": tuple(
            evaluate(y, y_score=s, metrics=["prob_auc"], rescale=how)["prob_auc"]
            for s in (score, lowered)
        )
        for how in ("expit", "minmax")
    }
    aucs = (evaluate(y, y_score=s, metrics=["roc_auc"])["roc_auc"] for s in (score, lowered))
    return {"roc_auc": tuple(aucs), **found}


def print_rescaled() -> None:
    print("\n| a fold of 30 + 30 scores | as it is | lowest negative score at -10 |\n|---|---|---|")
    for name, values in rescaled().items():
        print(f"| {name} | " + " | ".join(f"{v:.3f}" for v in values) + " |")


def thresholds(size: int) -> tuple[float, float]:
    """Return the best informedness on its own data, and that of its threshold on new data."""
    rng = np.random.default_rng(size)
    new_y = np.repeat([0, 1], 5000)
    new = rng.normal(size=10_000) + 1.2 * new_y
    own, fresh = [], []
    for _ in range(DRAWS):
        y = np.repeat([0, 1], size)
        best = threshold_curves(y, rng.normal(size=2 * size) + 1.2 * y, ["informedness"]).best(
            "informedness"
        )
        own.append(best[1])
        fresh.append(informedness_score(new_y, (new >= best[0]).astype(int)))
    return float(np.mean(own)), float(np.mean(fresh))


def print_thresholds() -> None:
    print("\n| best threshold by informedness | on its own data | on new data |\n|---|---|---|")
    for size in SIZES:
        own, fresh = thresholds(size)
        print(f"| {size} + {size} | {own:.3f} | {fresh:.3f} |", flush=True)


if __name__ == "__main__":
    main()
