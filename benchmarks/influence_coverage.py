"""Real coverage of nominal 95 % intervals from influence curves, where class counts are random.

``python -m benchmarks.influence_coverage`` simulates all (six minutes on one core) and prints the tables
in Markdown; ``--runs`` sets the runs of the forms without resampling, ``--drawn`` those of BCa with 499
resamples, in the cells with fewer than ten expected events.

The log-odds of a row are normal, every row draws its own class, and the probabilities predicted are
over-confident: 1.3 times the log-odds. The target is the value on a million rows. Three classes have
normal scores around their own column; the events of a cell are those of the rarest class.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from skaucx.inference import intervals
from skaucx.metrics._registry.names import named_metric

SIZES = (50, 100, 300, 1000)
SHARES = (0.05, 0.1, 0.2, 0.5)
SPREADS = {"AUC .76": 1.2, "AUC .93": 3.0}
FEW = 10
# Metrics with their parameters, and the form that "auto" takes of each.
METRICS: Mapping[str, tuple[dict[str, Any], str]] = {
    "brier_score_loss": ({}, "logit-t"),
    "log_loss": ({}, "log-t"),
    "d2_brier": ({}, "t"),
    "d2_log_loss": ({}, "t"),
    "average_precision": ({}, "logit-t"),
    "pr_auc": ({}, "logit-t"),
    "partial_roc_auc": ({"fpr": (0, 0.2)}, "logit-t"),
    "two_way_partial_auc": ({}, "logit-t"),
    "calibration_slope": ({}, "t"),
    "calibration_intercept": ({}, "t"),
    "calibration_intercept ": ({"joint": True}, "t"),
    "precision_at_k": ({}, "wilson"),
    "recall_at_k": ({}, "wilson"),
    "lift": ({}, "log-t"),
    "pr_gain_auc": ({}, "logit-t"),
    "robust_initial_enhancement": ({}, "log-t"),
    "bedroc": ({}, "logit-t"),
    "break_even_point": ({}, "logit-t"),
    "sensitivity_at_specificity": ({}, "wilson"),
    "aurc_loss": ({}, "logit-t"),
    "excess_aurc_loss": ({}, "logit-t"),
    "selective_risk_loss": ({}, "wilson"),
    "chow_cost_loss": ({}, "logit-t"),
    "information": ({}, "t"),
    "uncertainty": ({}, "score"),
    # The bootstrap up to the rows of their ``influence_from``.
    "specificity_at_sensitivity": ({}, "wilson"),
    "precision_at_recall": ({}, "logit-t"),
    "recall_at_precision": ({}, "logit-t"),
    "coverage_at_risk": ({"risk": 0.2}, "logit-t"),
    "discrimination": ({}, "log-t"),
}
MANY: Mapping[str, tuple[dict[str, Any], str]] = {
    "roc_auc_ovr": ({}, "logit-t"),
    "roc_auc_ovo_weighted": ({}, "logit-t"),
    "average_precision_ovr": ({}, "logit-t"),
    "log_loss": ({}, "log-t"),
    "calibration_slope": ({}, "t"),
}
Data = tuple[NDArray[np.intp], NDArray[np.float64]]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.influence_coverage", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=250)
    parser.add_argument("--drawn", type=int, default=40)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--metrics", nargs="+", help="those of two classes to simulate, alone")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{options.runs} runs a cell, {options.drawn} of BCa: per cent covered\n")
    for title, spread in SPREADS.items():
        shares = {share: offset(spread, share) for share in SHARES}

        chosen = {k: v for k, v in METRICS.items() if k.strip() in (options.metrics or METRICS)}
        table(title, partial(two_classes, spread, shares), chosen, options)
    if options.metrics:
        return
    table("three classes", three_classes, MANY, options, shares=(0.1, 0.2, 0.33))


def table(title: str, draw: Any, metrics: Any, options: Any, shares: Any = SHARES) -> None:
    """Print coverage a metric and method: a column a size and share of events."""
    cells = [(n, share) for n in options.sizes for share in shares]
    heads = [f"{n}, {100 * share:g} %" + "*" * (n * share < FEW) for n, share in cells]
    print(f"| {title} | method | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 2)}")
    truths = {share: target(draw, share, metrics) for share in shares}
    found = [covered(draw, n, share, metrics, truths[share], options) for n, share in cells]
    for key in metrics:
        for method in dict.fromkeys(method for cell in found for method in cell[key]):
            row = [cell_text(cell[key].get(method, [])) for cell in found]
            print(
                f"| {key.strip()}{named(metrics[key][0])} | {method} | {' | '.join(row)} |",
                flush=True,
            )
    print()


def cell_text(held: list[bool]) -> str:
    """Return the per cent covered."""
    return f"{100 * np.mean(held):.1f}" if held else ""


def named(parameters: Mapping[str, Any]) -> str:
    """Return the parameters in brackets."""
    told = ", ".join(f"{name}={value}" for name, value in parameters.items())
    return f" ({told})" if told else ""


def offset(spread: float, share: float) -> float:
    """Return the mean of log-odds of which this share are events."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()

    def gap(c: float) -> float:
        return float(weights @ special.expit(spread * nodes + c)) - share

    return float(optimize.brentq(gap, -20, 20))


def two_classes(
    spread: float, means: Mapping[float, float], rng: np.random.Generator, n: int, share: float
) -> Data:
    """Draw classes one by one, and over-confident probabilities."""
    odds = spread * rng.normal(size=n) + means[share]
    return (rng.random(n) < special.expit(odds)).astype(np.intp), special.expit(1.3 * odds)


def three_classes(rng: np.random.Generator, n: int, share: float) -> Data:
    """Draw classes one by one, the first of this share, the others half of the rest each."""
    y = rng.choice(3, n, p=[share, (1 - share) / 2, (1 - share) / 2])
    return y, special.softmax(1.3 * np.eye(3)[y] + rng.normal(size=(n, 3)), axis=1)


def target(draw: Any, share: float, metrics: Any) -> dict[str, float]:
    """Return the values on very many rows."""
    y, p = draw(np.random.default_rng(1), 1_000_000, share)
    found = {}
    for key, (parameters, _) in metrics.items():
        named = named_metric(key.strip())
        found[key] = float(named.function(y, p, **named.parameters, **parameters))
    return found


def each_interval(key: str, parameters: Mapping[str, Any], y: Any, p: Any, **how: Any) -> Any:
    """Return the interval of one metric."""
    return next(iter(intervals([key.strip()], y, p, **how, **parameters).values()))


def covered(
    draw: Any, n: int, share: float, metrics: Any, truth: Mapping[str, float], options: Any
) -> dict[str, dict[str, list[bool]]]:
    """Return whether each interval held the target; samples without one are left out."""
    rng = np.random.default_rng([n, round(100 * share)])
    held: dict[str, dict[str, list[bool]]] = {key: {} for key in metrics}
    for run in range(options.runs):
        y, p = draw(rng, n, share)
        if len(np.unique(y)) < max(2, p.ndim + 1):
            continue
        for key in metrics:
            parameters, form = metrics[key]
            drawn = n * share < FEW and run < options.drawn
            for method in (form, "bca")[: 1 + drawn]:
                how = {"method": method, "n_resamples": 499, "random_state": run}
                found = each_interval(key, parameters, y, p, **how)
                if not np.isnan(found.low):
                    held[key].setdefault(method, []).append(truth[key] in found)
    return held


if __name__ == "__main__":
    main()
