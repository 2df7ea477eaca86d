"""Coverage of the intervals of nested runs on series, outer and inner folds in time.

``python -m benchmarks.nested_time`` prints a table in Markdown. Features and errors of a series are
autoregressions of order 1; a run tunes a logistic regression by ``TimeSeriesSplit`` inside and outside,
and the expected outer score is the mean over all runs. ``--runs`` is the number of series,
``--rows`` their length, ``--autocorrelations`` those of the table.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from scipy.signal import lfilter
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TimeSeriesSplit

from skaucx.inference import Blocks
from skaucx.model_selection import Execution, nested_cross_validate

METRICS = ("neg_brier_score", "roc_auc", "accuracy")
WAYS: dict[str, dict[str, Any]] = {
    "as if independent": {},
    'blocks="auto"': {"groups": Blocks("auto")},
    "blocks=20": {"groups": Blocks(20)},
}


def series(rho: float, rows: int, rng: np.random.Generator) -> tuple[Any, Any]:
    """Return features and classes, each from a stationary autoregression with variance 1."""
    shocks = rng.normal(size=(rows + 200, 3)) * np.sqrt(1 - rho**2)
    values = lfilter([1], [1, -rho], shocks, axis=0)[200:]
    return values[:, :2], (values.sum(axis=1) > 0).astype(int)


def one(rho: float, rows: int, rng: np.random.Generator) -> dict[str, Any]:
    """Return means and limits of one run, by metric."""
    X, y = series(rho, rows, rng)
    result = nested_cross_validate(
        LogisticRegression(), {"C": [0.01, 1]}, X, y, scoring=list(METRICS), refit=METRICS[0],
        outer_cv=TimeSeriesSplit(4, gap=5), inner_cv=TimeSeriesSplit(2, gap=5), final=None,
        execution=Execution(checks=None),
    )  # fmt: skip
    return {
        name: (
            float(np.mean(result.test_scores[name])),
            [tuple(result.interval(name, **way)) for way in WAYS.values()],
        )
        for name in METRICS
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--autocorrelations", type=float, nargs="+", default=[0.0, 0.5, 0.9])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{given.runs} series of {given.rows} rows, four outer folds: coverage of the 95 %")
    print("interval in percent (Monte-Carlo standard error).\n")
    print(f"| autocorrelation | metric | {' | '.join(WAYS)} |")
    print(f"|---|---|{'---|' * len(WAYS)}")
    for rho in given.autocorrelations:
        rng = np.random.default_rng(int(10 * rho))
        runs = [one(rho, given.rows, rng) for _ in range(given.runs)]
        for name in METRICS:
            truth = np.mean([run[name][0] for run in runs])
            limits = np.array([run[name][1] for run in runs])
            shares = ((limits[..., 0] <= truth) & (truth <= limits[..., 1])).mean(axis=0)
            errors = np.sqrt(shares * (1 - shares) / given.runs)
            cells = [f"{100 * s:.0f} ({100 * e:.0f})" for s, e in zip(shares, errors, strict=True)]
            print(f"| {rho:g} | {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
