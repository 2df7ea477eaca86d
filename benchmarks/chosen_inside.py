"""What thresholds gain that are chosen on the rows that judge them, and how often sets of labels hold.

``python -m benchmarks.chosen_inside`` prints the tables of benchmarks/results/chosen_inside.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.metrics import f1_score
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from skaucx.metrics import threshold_curves
from skaucx.model_selection import NestedCV

ROWS = 200
GRID = {"var_smoothing": [1e-9, 1e-3, 1e-1]}
SETS = {
    "cv+": {"method": "cv+"},
    "cv+, by class": {"method": "cv+", "by_class": True},
    "refit": {"method": "refit"},
    "refit, by class": {"method": "refit", "by_class": True},
}


def data_sets() -> dict[str, tuple[Any, Any]]:
    """Return two real data sets and a noisy one in which one row of five is positive."""
    X, y = load_breast_cancer(return_X_y=True)
    images, digits = load_digits(return_X_y=True)
    noisy = make_classification(
        6000, 10, n_informative=4, weights=[0.8], flip_y=0.15, class_sep=0.7, random_state=0
    )
    return {
        "breast cancer": (X, 1 - y),
        "digit 8": (images, (digits == 8).astype(int)),
        "noisy": noisy,
    }


def split(X: Any, y: Any, seed: int) -> Any:
    """Return rows to work with, and the rest, which stands for all rows to come."""
    return train_test_split(X, y, train_size=ROWS, stratify=y, random_state=seed)


def nested(X: Any, y: Any, **options: Any) -> NestedCV:
    return NestedCV(GaussianNB(), GRID, scoring=["f1"], pos_label=1, **options).fit(X, y)


def thresholds(X: Any, y: Any, runs: int) -> Iterator[list[float]]:
    """Yield F1 with the threshold chosen inside, on the rows that judge it, and on rows to come."""
    for seed in range(runs):
        train, rest, y_train, y_rest = split(X, y, seed)
        inside = nested(train, y_train, threshold="f1")
        plain = nested(train, y_train, final=None).result_.predictions
        best = threshold_curves(plain.y_true, plain.scores("predict_proba"), ["f1"], pos_label=1)
        truth = f1_score(y_rest, inside.predict(rest))
        yield [inside.result_.pooled["f1"].value, best.best("f1")[1], truth]


def sets(X: Any, y: Any, runs: int, options: dict[str, Any]) -> Iterator[list[float]]:
    """Yield the coverage of nominal 90 % on outer test parts, on rows to come by class, and the size."""
    for seed in range(runs):
        train, rest, y_train, y_rest = split(X, y, seed)
        run = nested(train, y_train, prediction_sets={"confidence_level": 0.9, **options})
        members = run.best_estimator_.predict_set(rest)
        held = members[np.arange(len(rest)), y_rest]
        told = run.result_.prediction_sets
        yield [told.coverage, held.mean(), held[y_rest == 0].mean(), held[y_rest == 1].mean(),
               members.sum(axis=1).mean()]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    runs = parser.parse_args().runs
    print(f"{runs} runs of {ROWS} rows\n")
    print("| F1 | chosen inside | chosen on the rows that judge | on rows to come | optimism, inside "
          "| optimism, outside |\n|---|---|---|---|---|---|")  # fmt: skip
    for name, (X, y) in data_sets().items():
        inside, outside, truth = np.mean(list(thresholds(X, y, runs)), axis=0)
        cells = (inside, outside, truth, inside - truth, outside - truth)
        print(f"| {name} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")
    print("\n| sets at 90 % | method | outer test parts | rows to come | class 0 | class 1 | labels "
          "|\n|---|---|---|---|---|---|---|")  # fmt: skip
    for name, (X, y) in data_sets().items():
        for method, options in SETS.items():
            *shares, size = np.mean(list(sets(X, y, runs, options)), axis=0)
            told = " | ".join(f"{100 * share:.1f} %" for share in shares)
            print(f"| {name} | {method} | {told} | {size:.2f} |")


if __name__ == "__main__":
    main()
