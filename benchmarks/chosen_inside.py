"""What thresholds gain that are chosen on the rows that judge them.

``python -m benchmarks.chosen_inside`` prints the tables of benchmarks/results/chosen_inside.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.naive_bayes import GaussianNB

from skaucx.metrics import threshold_curves
from skaucx.model_selection import Decisions, Execution, NestedCV, nested_cross_validate
from skaucx.model_selection.decisions._threshold import threshold_rule

ROWS = 200
GRID = {"var_smoothing": [1e-9, 1e-3, 1e-1]}


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
        inside = nested(train, y_train, decisions=Decisions(threshold="f1"))
        plain = nested(train, y_train, final=None).result_.predictions
        best = threshold_curves(plain.y_true, plain.scores("predict_proba"), ["f1"], pos_label=1)
        truth = f1_score(y_rest, inside.predict(rest))
        yield [inside.result_.pooled["f1"].value, best.best("f1")[1], truth]


def noise(runs: int) -> Iterator[list[float]]:
    """Yield informedness of noise labels: on the rows that choose, outside, and with rows that judge."""
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(120, 3)), rng.permutation(120) % 2
        run = nested_cross_validate(
            GaussianNB(), {}, X, y, scoring="informedness",
            decisions=Decisions(threshold="informedness"), outer_cv=StratifiedKFold(5),
            inner_cv=StratifiedKFold(5), final=None, execution=Execution(checks=None),
        )  # fmt: skip
        told, proba = run.predictions, run.predictions.responses["predict_proba"]
        best = threshold_rule("informedness").choose(told.y_true, proba[:, 1], 1)
        inner = np.mean([one.cut.value for one in run.decisions])
        yield [inner, run["test_informedness"].mean(), best.value]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--noise", type=int, default=60)
    given = parser.parse_args()
    runs = given.runs
    print(f"{runs} runs of {ROWS} rows\n")
    print("| F1 | chosen inside | chosen on the rows that judge | on rows to come | optimism, inside "
          "| optimism, outside |\n|---|---|---|---|---|---|")  # fmt: skip
    for name, (X, y) in data_sets().items():
        inside, outside, truth = np.mean(list(thresholds(X, y, runs)), axis=0)
        cells = (inside, outside, truth, inside - truth, outside - truth)
        print(f"| {name} | {' | '.join(f'{cell:.3f}' for cell in cells)} |")
    values = np.array(list(noise(given.noise)))
    inner, outer, best = values.mean(axis=0)
    error = values[:, 1].std(ddof=1) / np.sqrt(given.noise)
    print(f"\n{given.noise} runs of 120 rows of noise labels\n")
    print("| informedness, chance level 0 | rows that choose | outer test parts | standard error | "
          "chosen on the rows that judge |\n|---|---|---|---|---|")  # fmt: skip
    print(f"| 2 classes | {inner:.3f} | {outer:.3f} | {error:.3f} | {best:.3f} |")


if __name__ == "__main__":
    main()
