"""Bias and error of the bootstrap and of cross-validation, against the true accuracy.

``python -m benchmarks.bootstrap_bias`` prints a table in Markdown (a minute on one core);
``--runs`` sets the runs of a row, ``--rounds`` the rounds of the bootstrap.

Five Gaussian features, classes of equal size whose means are a distance apart; a distance of 0 leaves
nothing to be learned. True is the accuracy, on 5,000 rows to come, of the model fitted on all rows of
the run. The three bootstrap estimates share the rounds of one ``bootstrap_score(method=".632+")``.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import bootstrap_score

LEARNERS = {
    "naive Bayes": GaussianNB(),
    "one nearest neighbour": KNeighborsClassifier(1),
    "full tree": DecisionTreeClassifier(random_state=0),
}
# Rows, and the distance of the means.
SETTINGS = ((40, 0.0), (40, 1.5), (100, 1.5))
ESTIMATES = ("plain", ".632", ".632+", "5-fold")
FEATURES, TO_COME = 5, 5000
Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bootstrap_bias", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    print(f"{options.runs} runs a row, {options.rounds} rounds: bias (its standard error), rmse\n")
    print("| learner, rows, distance | true | " + " | ".join(ESTIMATES) + " |")
    print("|---|---|" + "---|" * len(ESTIMATES))
    for name, learner in LEARNERS.items():
        for rows, distance in SETTINGS:
            rng = np.random.default_rng([rows, round(10 * distance)])
            found = [
                once(learner, rng, rows, distance, options.rounds) for _ in range(options.runs)
            ]
            print(f"| {name}, {rows}, {distance} | {line(np.array(found))} |", flush=True)


def drawn(rng: np.random.Generator, rows: int, distance: float) -> tuple[Floats, NDArray[np.intp]]:
    y = np.repeat([0, 1], rows // 2)
    return rng.normal(size=(rows, FEATURES)) + y[:, None] * distance / np.sqrt(FEATURES), y


def once(
    learner: Any, rng: np.random.Generator, rows: int, distance: float, rounds: int
) -> list[float]:
    """Return the true accuracy of one fitted model, and the estimates of it."""
    X, y = drawn(rng, rows, distance)
    seed = int(rng.integers(2**31))
    true = clone(learner).fit(X, y).score(*drawn(rng, TO_COME, distance))
    how = {"scoring": "accuracy", "n_splits": rounds, "random_state": seed}
    found = bootstrap_score(learner, X, y, method=".632+", **how)
    mixed = 0.632 * found.out_of_bag_error + 0.368 * found.resubstitution_error
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    crossed = cross_val_score(learner, X, y, cv=folds).mean()
    return [true, float(np.nanmean(found.rounds)), 1 - mixed, found.estimate, float(crossed)]


def line(found: Floats) -> str:
    """Return the mean true accuracy, then bias, its standard error and rmse of each estimate."""
    true, off = found[:, 0], found[:, 1:] - found[:, :1]
    error, rmse = off.std(axis=0, ddof=1) / np.sqrt(len(off)), np.sqrt((off**2).mean(axis=0))
    cells = zip(off.mean(axis=0), error, rmse, strict=True)
    return f"{true.mean():.3f} | " + " | ".join(f"{b:+.3f} ({s:.3f}), {r:.3f}" for b, s, r in cells)


if __name__ == "__main__":
    main()
