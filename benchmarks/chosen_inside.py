"""What thresholds gain that are chosen on the rows that judge them, and how often sets of labels hold.

``python -m benchmarks.chosen_inside`` prints the tables of benchmarks/results/chosen_inside.md.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.metrics import accuracy_score, f1_score
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB

from skaucx.metrics import threshold_curves
from skaucx.model_selection import Decisions, Execution, NestedCV, nested_cross_validate
from skaucx.model_selection.decisions._several_thresholds import class_rule, label_rule
from skaucx.model_selection.decisions._tuned_threshold import threshold_rule

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


def noise(case: str, runs: int) -> Iterator[list[float]]:
    """Yield informedness of noise labels: on the rows that choose, outside, and with rows that judge."""
    metric = "informedness" if case == "2 classes" else "informedness_macro"
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(120, 3))
        if case == "3 labels":
            y, model = rng.integers(0, 2, (120, 3)), OneVsRestClassifier(GaussianNB())
        else:
            y, model = rng.permutation(120) % int(case[0]), GaussianNB()
        folds: Any = KFold(5) if case == "3 labels" else StratifiedKFold(5)
        run = nested_cross_validate(
            model, {}, X, y, scoring=metric, decisions=Decisions(threshold=metric),
            outer_cv=folds, inner_cv=folds,
            final=None, execution=Execution(checks=None),
        )  # fmt: skip
        told, proba = run.predictions, run.predictions.responses["predict_proba"]
        if case == "2 classes":
            best = threshold_rule(metric).choose(told.y_true, proba[:, 1], 1)
        elif case == "3 classes":
            best = class_rule(metric, np.arange(3)).choose(told.y_true, proba, np.arange(3))
        else:
            best = label_rule(metric, 3).choose(told.y_true, proba)
        yield [
            np.mean([one.cut.value for one in run.decisions]),
            run[f"test_{metric}"].mean(),
            best.value,
        ]


def against_all(runs: int) -> Iterator[tuple[str, float]]:
    """Yield how far thresholds found are below the best of all predictions that any thresholds make."""
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        proba, y = rng.dirichlet(np.ones(3), 8), np.append([0, 1, 2], rng.integers(0, 3, 5))
        calls = reachable(np.log(proba))
        best = max(f1_score(y, called, average="macro", zero_division=0) for called in calls)
        yield (
            "f1_macro, 3 classes, 8 rows",
            best - class_rule("f1_macro", np.arange(3)).choose(y, proba, np.arange(3)).value,
        )
        proba = rng.random((5, 3))
        labels = (rng.random((5, 3)) < proba).astype(int)
        cuts = [np.append(np.unique(column), np.inf) for column in proba.T]
        calls = np.unique([1 * (proba >= cut) for cut in itertools.product(*cuts)], axis=0)
        for metric in ("f1_micro", "accuracy"):
            score = f1_score if metric == "f1_micro" else accuracy_score
            options = {"average": "micro", "zero_division": 0} if score is f1_score else {}
            best = max(score(labels, called, **options) for called in calls)
            found = label_rule(metric, 3).choose(labels, proba).value
            yield f"{metric}, 3 labels, 5 rows", best - found


def reachable(score: Any) -> Any:
    """Return all predictions that offsets make of three classes: around points where ties meet."""
    ties = [np.unique(score[:, i] - score[:, j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    corners = [
        *itertools.product(ties[0], ties[1]),
        *((x, x + d) for x, d in itertools.product(ties[0], ties[2])),
        *((y - d, y) for y, d in itertools.product(ties[1], ties[2])),
    ]
    angle = np.pi * (np.arange(8) / 4 + 1 / 8)
    around = np.array(corners)[:, None] + 1e-6 * np.column_stack([np.cos(angle), np.sin(angle)])
    offset = np.insert(around.reshape(-1, 2), 0, 0, axis=1)
    return np.unique((score + offset[:, None]).argmax(axis=2), axis=0)


def print_several(runs: int) -> None:
    """Print what thresholds of several classes and labels reach on noise, and against brute force."""
    print(f"{runs} runs of 120 rows of noise labels\n")
    print("| informedness, chance level 0 | rows that choose | outer test parts | standard error | "
          "chosen on the rows that judge |\n|---|---|---|---|---|")  # fmt: skip
    for case in ("2 classes", "3 classes", "3 labels"):
        values = np.array(list(noise(case, runs)))
        inner, outer, best = values.mean(axis=0)
        error = values[:, 1].std(ddof=1) / np.sqrt(runs)
        print(f"| {case} | {inner:.3f} | {outer:.3f} | {error:.3f} | {best:.3f} |")
    print("\n| against all thresholds | sets | equal | largest shortfall |\n|---|---|---|---|")
    gaps: dict[str, list[float]] = {}
    for name, gap in against_all(runs):
        gaps.setdefault(name, []).append(gap)
    for name, each in gaps.items():
        print(f"| {name} | {runs} | {np.sum(np.array(each) < 1e-9)} | {max(0.0, *each):.3f} |")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument(
        "--several", type=int, help="runs of the tables of several classes and labels alone"
    )
    given = parser.parse_args()
    if given.several is not None:
        print_several(given.several)
        return
    runs = given.runs
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
