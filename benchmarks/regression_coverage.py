"""Coverage of nominal 95 % intervals of errors of numbers.

``python -m benchmarks.regression_coverage`` simulates 50, 200 and 1,000 rows (a minute on one core)
and prints the table in Markdown; ``--runs`` sets the samples of a cell, ``--drawn`` those of the metric
whose interval is drawn, BCa of 199 resamples.

The prediction is a standard normal x, the true number 1 + 0.9 x plus an error: normal, of Student's t
with 5 degrees of freedom, or normal with a standard deviation that grows from 0.2 to 1.4 with x. Of the
deviances both are exponentials, and errors end at 3. The target is the value on 2,000,000 rows.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from skaucx.inference import interval
from skaucx.metrics._registry.declare import get_metric

from .machine import machine, sentence

SIZES = (50, 200, 1000)
ERRORS = ("normal", "t of 5", "growing")
LARGE = 2_000_000
CLOSED = (
    "mean_squared_error",
    "root_mean_squared_error",
    "mean_absolute_error",
    "mean_pinball_loss",
    "smape_loss",
    "mean_gamma_deviance",
    "r2",
    "explained_variance",
    "d2_absolute_error",
)
DRAWN = ("median_absolute_error",)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.regression_coverage", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--drawn", type=int, default=200)
    runs = parser.parse_args()
    heads = [f"{error}, {n}" for error in ERRORS for n in SIZES]
    print(f"| metric, method | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    for name in (*CLOSED, *DRAWN):
        many = runs.drawn if name in DRAWN else runs.runs
        cells = [cell(name, error, n, many) for error in ERRORS for n in SIZES]
        print(f"| {name}, {cells[0][0]} | {' | '.join(text for _, text in cells)} |", flush=True)
    print(f"\n{sentence(machine())}")


def drawn(
    name: str, error: str, n: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw true and predicted numbers."""
    x = rng.normal(size=n)
    noise = {
        "normal": lambda: rng.normal(size=n),
        "t of 5": lambda: rng.standard_t(5, n) / np.sqrt(5 / 3),
        "growing": lambda: rng.normal(size=n) * (0.2 + 1.2 * special.expit(x)),
    }[error]()
    true = 1 + 0.9 * x + noise
    if "deviance" in name:
        return np.exp((x + np.clip(noise, -3, 3)) / 2), np.exp(x / 2)
    return true, x + 1


def cell(name: str, error: str, n: int, runs: int) -> tuple[str, str]:
    """Return the method, and the coverage in percent with its standard error."""
    function, rng = get_metric(name), np.random.default_rng([n, ERRORS.index(error)])
    options: dict[str, Any] = {"alpha": 0.9} if name == "mean_pinball_loss" else {}
    target = function(*drawn(name, error, LARGE, rng), **options)
    resampling = {"n_resamples": 199, "random_state": 0} if name in DRAWN else {}
    held, method = 0, ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(runs):
            found = interval(function, *drawn(name, error, n, rng), **options, **resampling)
            held, method = held + (found.low <= target <= found.high), found.method
    share = held / runs
    return method, f"{100 * share:.1f} ({100 * np.sqrt(share * (1 - share) / runs):.1f})"


if __name__ == "__main__":
    main()
