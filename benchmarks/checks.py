"""Checks of data and folds: planted leaks found, false alarms on clean data, share of a run's time.

``python -m benchmarks.checks`` prints all three tables in Markdown; ``--runs`` is the number of clean
data sets, ``--repeats`` that of plants of each leak. The time is that of nested 10 x 5 logistic runs
on 10,000 rows of 30 columns, with and without the checks.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit

from benchmarks.machine import processor
from skaucx.model_selection import Execution, check_folds, nested_cross_validate
from skaucx.model_selection._checks import findings

CV = StratifiedKFold(5, shuffle=True, random_state=0)


def clean(seed: int) -> dict[str, Any]:
    """Return one of several kinds of clean data, with a splitter that suits it."""
    rng = np.random.default_rng(seed)
    n, p, kind = int(rng.choice([80, 200, 500])), int(rng.choice([3, 10, 40])), seed % 7
    X, groups, cv = rng.normal(size=(n, p)), None, CV
    y = (X[:, :3].sum(axis=1) + rng.normal(0, 1.5, n) > rng.choice([0, 1.5])).astype(int)
    if kind == 1:  # heavy tails
        X = np.exp(2 * X)
    if kind == 2:  # a questionnaire
        X = np.clip(np.round(X + rng.normal(size=(n, 1))), -2, 2)
    if kind == 3:  # answers with missing values
        X = np.where(rng.random(X.shape) < 0.1, np.nan, (X > 0).astype(float))
    if kind == 4:  # patients with several visits
        groups = np.arange(n) // 4
        X = X + rng.normal(size=(n, p))[groups]
        cv = StratifiedGroupKFold(5, shuffle=True, random_state=0)
    if kind == 5:  # three classes
        y = np.digitize(X[:, 0] + rng.normal(size=n), [-0.6, 0.6])
    if kind == 6:  # a series with a trend and serial dependence
        X = np.cumsum(rng.normal(size=(n, p)), axis=0) * 0.2
        y = (X[:, 0] - X[:, 0].mean() + rng.normal(size=n) > 0).astype(int)
        cv, y[:20] = TimeSeriesSplit(3), rng.permutation(np.arange(20) % 2)
    return {"X": X, "y": y, "cv": cv, "groups": groups}


def _basis(seed: int) -> dict[str, Any]:
    return clean(7 * seed)


def _duplicates(seed: int) -> dict[str, Any]:
    data, rng = _basis(seed), np.random.default_rng(seed)
    again = rng.integers(len(data["y"]), size=max(5, len(data["y"]) // 20))
    X, y = np.r_[data["X"], data["X"][again]], np.r_[data["y"], data["y"][again]]
    order = rng.permutation(len(y))
    return {**data, "X": X[order], "y": y[order]}


def _near_duplicates(seed: int) -> dict[str, Any]:
    data, rng = _basis(seed), np.random.default_rng(seed)
    again = rng.integers(len(data["y"]), size=max(5, len(data["y"]) // 20))
    copies = data["X"][again] + rng.normal(0, 1e-3, (len(again), data["X"].shape[1]))
    X, y = np.r_[data["X"], copies], np.r_[data["y"], data["y"][again]]
    return {**data, "X": X, "y": y, "near_duplicates": 0.05}


def _groups(seed: int) -> dict[str, Any]:
    return {**clean(7 * seed + 4), "cv": CV}


def _overlap(seed: int) -> dict[str, Any]:
    data = _basis(seed)
    splits = [(np.r_[a, b[:1]], b) for a, b in CV.split(data["X"], data["y"])]
    return {**data, "cv": splits}


def _with_column(seed: int, column: Callable[[Any, Any], Any]) -> dict[str, Any]:
    data = _basis(seed)
    made = column(data["y"], np.random.default_rng(seed))
    return {**data, "X": np.column_stack([data["X"], made])}


def _time_reversed(seed: int) -> dict[str, Any]:
    data = clean(7 * seed + 6)
    days = pd.date_range("2020", periods=len(data["y"]))[::-1]
    return {**data, "X": pd.DataFrame(data["X"], index=days)}


def _shuffled_time(seed: int) -> dict[str, Any]:
    data = clean(7 * seed + 6)
    days = pd.date_range("2020", periods=len(data["y"]))
    return {**data, "X": pd.DataFrame(data["X"]).assign(day=days), "cv": CV}


def _rare(seed: int) -> dict[str, Any]:
    data = _basis(seed)
    y = np.where(np.arange(len(data["y"])) < 2, 7, data["y"])
    return {**data, "y": y, "cv": KFold(5, shuffle=True, random_state=0)}


def _sorted_rows(seed: int) -> dict[str, Any]:
    data = _basis(seed)
    order = np.argsort(data["X"][:, 0])
    y = data["y"][order]
    y[::10], y[1::10] = 0, 1
    return {**data, "X": data["X"][order], "y": y, "cv": KFold(5)}


PLANTS: dict[str, tuple[str, Callable[[int], dict[str, Any]]]] = {
    "rows repeated": ("duplicates", _duplicates),
    "rows repeated with noise of 0.001 sd": ("near-duplicates", _near_duplicates),
    "patients in both parts": ("groups", _groups),
    "a test row among the training rows": ("overlap", _overlap),
    "a column that codes y": ("feature", lambda k: _with_column(k, lambda y, rng: 3 - y)),
    "y with noise of 0.1": (
        "feature", lambda k: _with_column(k, lambda y, rng: y + rng.normal(0, 0.1, len(y)))),
    "missing where y is 1": (
        "feature", lambda k: _with_column(k, lambda y, rng: np.where(y, np.nan, rng.random(len(y))))),
    "newest rows first": ("time", _time_reversed),
    "days shuffled over folds": ("time", _shuffled_time),
    "one value": ("constant", lambda k: _with_column(k, lambda y, rng: np.full(len(y), 4.0))),
    "no value": ("constant", lambda k: _with_column(k, lambda y, rng: np.full(len(y), np.nan))),
    "a class of two rows": ("rare class", _rare),
    "rows sorted by a column": ("fold", _sorted_rows),
}  # fmt: skip


def found_in(data: dict[str, Any]) -> list[str]:
    """Return which checks find something."""
    return [each.check for each in check_folds(**data)]


def edges(runs: int) -> tuple[int, int]:
    """Return in how many runs a planted edge is noted, and the notes after runs on clean data."""
    notes = []
    for seed in range(runs):
        data = clean(7 * seed)
        grids = ({"C": [1e-5, 1e-4, 1e-3]}, {"C": [1e-3, 0.1, 10]})
        for grid in grids:
            result = nested_cross_validate(
                LogisticRegression(), grid, data["X"][:, :3], data["y"], outer_cv=8, inner_cv=5,
                scoring="neg_log_loss", execution=Execution(checks="note"), final=None,
            )  # fmt: skip
            told = [note for note in result.notes if note.startswith(("grid", "fold"))]
            notes.append(len(told))
    return sum(n > 0 for n in notes[::2]), sum(notes[1::2])


def shares(repeats: int) -> tuple[float, float]:
    """Return seconds of the checks and of a nested run without them, each the least."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(10_000, 30))
    y = (X[:, :5].sum(axis=1) + rng.normal(0, 2, 10_000) > 0).astype(int)
    splits = list(StratifiedKFold(10).split(X, y))
    checks, runs = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        findings(X, y, splits)
        checks.append(time.perf_counter() - start)
        start = time.perf_counter()
        nested_cross_validate(
            LogisticRegression(), {"C": [0.1, 1]}, X, y, outer_cv=10, inner_cv=5,
            execution=Execution(checks=None),
            scoring="roc_auc",
        )  # fmt: skip
        runs.append(time.perf_counter() - start)
    return min(checks), min(runs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=20)
    given = parser.parse_args()
    print(f"| planted ({given.repeats} data sets each) | check | found |\n|---|---|---|")
    for name, (check, plant) in PLANTS.items():
        hits = sum(check in found_in(plant(seed)) for seed in range(given.repeats))
        print(f"| {name} | {check} | {hits} |")
    few = max(2, given.repeats // 4)
    planted, alarms = edges(few)
    print(f"| a grid that ends too early ({few}) | grid | {planted} |")
    clear = [found_in({**clean(seed), "near_duplicates": 0.05}) for seed in range(given.runs)]
    told = [check for each in clear for check in each]
    print(f"\nFalse alarms before fits, all checks, {given.runs} clean data sets of seven kinds:")
    print(f"{len(told)} {told or ''}; after {few} runs on clean data: {alarms}.\n")
    checks, run = shares(3)
    print(f"{processor()}: {1000 * checks:.0f} ms of checks, {run:.2f} s of a nested 10 x 5")
    print(f"logistic run on 10,000 x 30 with two candidates: {100 * checks / run:.1f} %.")


if __name__ == "__main__":
    main()
