"""Coverage and width of intervals from few gold labels and a judge's labels of all rows.

``python -m benchmarks.gold_labels`` prints the tables in Markdown; ``--runs`` sets the runs of a cell.

Every row draws its own class, with a share of events of 30 %, from a normal log-odds; the predicted
probability is over-confident, the predicted label is probability >= .5. Given the class the judge errs
independently of the prediction. Of 4,000 rows a random part has gold labels.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from numpy.typing import NDArray
from scipy import special

from skaucx.gold import GoldLabels
from skaucx.inference import interval

from .influence_coverage import offset

ROWS, SHARE, SPREAD = 4_000, 0.3, 2.5
GOLD = (50, 100, 200)
JUDGES = ((0.95, 0.05), (0.9, 0.15), (0.7, 0.3), (0.5, 0.5))
METRICS = {
    "roc_auc": "score",
    "f1": "label",
    "recall": "label",
    "specificity": "label",
    "matthews_corrcoef": "label",
    "brier_score_loss": "score",
    "calibration_slope": "score",
}
Data = tuple[NDArray[np.intp], dict[str, NDArray[np.float64]]]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gold_labels", description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    warnings.simplefilter("ignore")
    mean = offset(SPREAD, SHARE)
    truth, predictions = draw(np.random.default_rng(0), 2_000_000, mean)
    targets = {m: interval_value(m, truth, predictions) for m in METRICS}
    print(
        f"{runs} runs a cell, {ROWS:,} rows: per cent covered; width by that of the gold rows alone\n"
    )
    heads = [f"{n} gold, judge {a:g}/{b:g}" for n in GOLD for a, b in JUDGES]
    print(f"| metric | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    cells = [run(n, judge, mean, runs, targets) for n in GOLD for judge in JUDGES]
    for metric in METRICS:
        shown = [f"{100 * held:.1f}; {width:.2f}" for held, width in (c[metric] for c in cells)]
        print(f"| {metric} | {' | '.join(shown)} |")


def draw(rng: np.random.Generator, rows: int, mean: float) -> Data:
    """Draw classes one by one, with over-confident probabilities and the labels of a cut at .5."""
    odds = SPREAD * rng.normal(size=rows) + mean
    score = special.expit(1.3 * odds)
    truth = (rng.random(rows) < special.expit(odds)).astype(np.intp)
    return truth, {"score": score, "label": (score >= 0.5) * 1.0}


def interval_value(metric: str, truth: NDArray[np.intp], predictions: dict[str, object]) -> float:
    """Return the metric of many rows."""
    from skaucx.evaluation import evaluate

    values = predictions[METRICS[metric]]
    given = {"y_score" if METRICS[metric] == "score" else "y_pred": values}
    return float(evaluate(truth, metrics=[metric], **given)[metric])


def run(
    n: int, judge: tuple[float, float], mean: float, runs: int, targets: dict[str, float]
) -> dict[str, tuple[float, float]]:
    """Return the share of runs that cover, and the ratio of the mean widths, of each metric."""
    held: dict[str, list[bool]] = {m: [] for m in METRICS}
    widths: dict[str, list[tuple[float, float]]] = {m: [] for m in METRICS}
    for seed in range(runs):
        rng = np.random.default_rng([seed, n, round(100 * judge[0])])
        truth, predictions = draw(rng, ROWS, mean)
        judged = (rng.random(ROWS) < np.where(truth == 1, *judge)).astype(np.intp)
        labelled = np.arange(ROWS) < n  # rows are exchangeable
        for metric, reads in METRICS.items():
            values = predictions[reads]
            found = interval(
                metric, truth, values, gold=GoldLabels(judged=judged, labelled=labelled)
            )
            alone = interval(metric, truth[:n], values[:n])
            if np.isnan([found.low, alone.low]).any():
                continue
            held[metric].append(targets[metric] in found)
            widths[metric].append((found.high - found.low, alone.high - alone.low))
    means = {m: np.mean(w, axis=0) for m, w in widths.items()}
    return {m: (float(np.mean(held[m])), float(means[m][0] / means[m][1])) for m in METRICS}


if __name__ == "__main__":
    main()
