"""Coverage and width of intervals from few gold labels and a judge's labels of all rows.

``python -m benchmarks.gold_labels --runs 400`` prints the table in Markdown; ``--gold`` takes numbers of
gold rows, ``--designs`` some of "random", "strata" and "probabilities".

Every row draws its own class, with a share of events of 30 %, from a normal log-odds; the predicted
probability is over-confident, the predicted label is probability >= .4. Given the class the judge errs
independently of the prediction. Of 1,000 rows some have gold labels: a random part; as many within each
of both predicted labels ("strata"); or each row by itself with a probability that rises with its
prediction ("probabilities").
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from skaucx.evaluation import evaluate
from skaucx.gold import GoldLabels
from skaucx.inference import interval

from .influence_coverage import offset

ROWS, SHARE, SPREAD = 1_000, 0.3, 1.6
GOLD = (10, 15, 20, 30, 50, 200)
JUDGES = {".93/.07": (0.93, 0.07), ".8/.3": (0.8, 0.3), "useless": (0.4, 0.4)}
METRICS = {
    "accuracy": "label",
    "recall": "label",
    "precision": "label",
    "f1": "label",
    "matthews_corrcoef": "label",
    "roc_auc": "score",
    "brier_score_loss": "score",
}
Data = tuple[NDArray[np.intp], dict[str, NDArray[np.float64]]]
Chosen = tuple[NDArray[np.bool_], dict[str, Any]]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gold_labels", description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--gold", nargs="+", type=int, default=GOLD)
    parser.add_argument("--designs", nargs="+", default=["random"])
    parser.add_argument("--judges", nargs="+", default=list(JUDGES))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    mean = offset(SPREAD, SHARE)
    truth, predictions = draw(np.random.default_rng(0), 1_000_000, mean)
    targets = {m: value_of(m, truth, predictions) for m in METRICS}
    print(
        f"{options.runs} runs a cell, {ROWS:,} rows: per cent covered; width by that of the gold rows "
        "alone; per cent of the runs without an interval, of those with a note on coverage\n"
    )
    print(f"| design, gold rows, judge | {' | '.join(METRICS)} |\n|{'---|' * (len(METRICS) + 1)}")
    for design in options.designs:
        for n in options.gold:
            for name in options.judges:
                judge = JUDGES[name]
                cells = run(DESIGNS[design], n, judge, mean, options.runs, targets)
                print(f"| {design}, {n}, {name} | {' | '.join(cells)} |", flush=True)


def draw(rng: np.random.Generator, rows: int, mean: float) -> Data:
    """Draw classes one by one, with over-confident probabilities and the labels of a cut at .4."""
    odds = SPREAD * rng.normal(size=rows) + mean
    score = special.expit(1.3 * odds)
    truth = (rng.random(rows) < special.expit(odds)).astype(np.intp)
    return truth, {"score": score, "label": (score >= 0.4) * 1.0}


def at_random(rng: np.random.Generator, n: int, predictions: dict[str, Any]) -> Chosen:
    return np.arange(ROWS) < n, {}  # rows are exchangeable


def by_label(rng: np.random.Generator, n: int, predictions: dict[str, Any]) -> Chosen:
    label = predictions["label"]
    marked = np.zeros(ROWS, dtype=bool)
    for value in (0, 1):
        marked[np.flatnonzero(label == value)[: n // 2]] = True
    return marked, {"strata": label}


def by_score(rng: np.random.Generator, n: int, predictions: dict[str, Any]) -> Chosen:
    chance = 0.3 + predictions["score"]
    chance = chance * n / chance.sum()
    return rng.random(ROWS) < chance, {"inclusion": chance}


DESIGNS: dict[str, Callable[..., Chosen]] = {
    "random": at_random,
    "strata": by_label,
    "probabilities": by_score,
}


def value_of(metric: str, truth: NDArray[np.intp], predictions: dict[str, Any]) -> float:
    """Return the metric of many rows."""
    given = {"y_score" if METRICS[metric] == "score" else "y_pred": predictions[METRICS[metric]]}
    return float(evaluate(truth, metrics=[metric], **given)[metric])


def run(
    design: Callable[..., Chosen],
    n: int,
    judge: tuple[float, float],
    mean: float,
    runs: int,
    targets: dict[str, float],
) -> list[str]:
    """Return the cell of each metric."""
    found: dict[str, list[tuple[float, ...]]] = {m: [] for m in METRICS}
    for seed in range(runs):
        rng = np.random.default_rng([seed, n, round(100 * judge[0])])
        truth, predictions = draw(rng, ROWS, mean)
        judged = (rng.random(ROWS) < np.where(truth == 1, *judge)).astype(np.intp)
        marked, given = design(rng, n, predictions)
        gold = GoldLabels(judged, marked, **given)
        for metric, reads in METRICS.items():
            values = predictions[reads]
            try:
                ours = interval(metric, truth, values, gold=gold)
            except ValueError:
                found[metric].append((np.nan,) * 5)
                continue
            alone = interval(metric, truth, values, gold=GoldLabels(None, marked, **given))
            noted = float("guaranteed" in ours.note)
            found[metric].append((ours.low, ours.high, alone.low, alone.high, noted))
    return [cell(np.array(each), targets[m]) for m, each in found.items()]


def cell(found: NDArray[np.float64], target: float) -> str:
    """Return coverage, relative width, and the shares without limits and with a note."""
    low, high, least, most, noted = found[~np.isnan(found[:, 0])].T
    if not len(low):
        return "none"
    share = 100 * np.mean((low <= target) & (target <= high))
    width = np.nanmean(high - low) / np.nanmean(most - least)
    missing = 100 * (1 - len(low) / len(found))
    return f"{share:.1f}; {width:.2f}; {missing:.0f}, {100 * noted.mean():.0f}"


if __name__ == "__main__":
    main()
