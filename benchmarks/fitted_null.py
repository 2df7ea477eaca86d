"""Size of the fold tests where two fitted procedures are equally good.

``python -m benchmarks.fitted_null --runs 400`` prints the table of
``benchmarks/results/fitted_null.md``; ``--learners`` takes some of "bayes", "logistic",
"tree", "boosting".

Eight features of which each procedure sees four, with the same law, so that both learn equally well and
the null hypothesis holds for the *procedures*; class counts are random. By default the features are
normal and the classes follow a logistic model; with ``--classes`` the features of each class are those
of Student's t with five degrees of freedom around its mean, and all of them correlated by .4. Each
procedure is fitted on the same five stratified folds. The tests are those of ``compare_estimators``:
the row-based one within folds, and the corrected resampled t of the five scores. Runs with fewer than
five rows of a class are drawn again. Every share stands with its Monte-Carlo standard error.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import rankdata
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import one_pass_scorer
from skaucx.model_selection.comparisons._tests import paired_tests
from skaucx.model_selection.execution._out_of_fold import OutOfFoldPredictions

from .machine import heading

METRICS = ("neg_brier_score_loss", "neg_log_loss", "roc_auc", "accuracy")
LEARNERS = {
    "bayes": GaussianNB,
    "logistic": lambda: LogisticRegression(solver="newton-cholesky"),
    "tree": lambda: DecisionTreeClassifier(min_samples_leaf=10, random_state=0),
    "boosting": lambda: GradientBoostingClassifier(n_estimators=20, max_depth=2, random_state=0),
}
EFFECTS = np.array([0.9, 0.4, 0.0, 0.0] * 2)


def share(counts: int, runs: int) -> str:
    """Return a share in per cent with its standard error."""
    p = counts / runs
    return f"{100 * p:.1f} ({100 * np.sqrt(max(p * (1 - p), 1 / runs / 4) / runs):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fitted_null", description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--learners", nargs="+", default=list(LEARNERS))
    parser.add_argument("--rows", nargs="+", type=int, default=[60, 120, 300, 1000])
    parser.add_argument("--rates", nargs="+", type=float, default=[0.05, 0.2, 0.5])
    parser.add_argument("--classes", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(heading("Sizes of the fold tests for fitted procedures of equal expected score"))
    print(
        "| learner | n | events | runs | metric | within folds: rejects | corrected t: rejects |"
        "\n|---|---|---|---|---|---|---|"
    )
    for learner in options.learners:
        for n in options.rows:
            for rate in options.rates:
                if n * rate >= 12:
                    draw = in_classes if options.classes else by_logistic_model
                    found = rejected(learner, n, rate, options.runs, draw)
                    for name, counts in found.items():
                        cells = " | ".join(share(int(k), options.runs) for k in counts)
                        print(
                            f"| {learner} | {n} | {rate:g} | {options.runs} | {name} | {cells} |",
                            flush=True,
                        )


Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]


def by_logistic_model(rng: np.random.Generator, rate: float) -> Draw:
    """Return what draws normal features, and classes by a logistic model of them."""
    spread = rng.normal(size=20_000) * np.sqrt(EFFECTS @ EFFECTS)
    mean = brentq(lambda shift: expit(shift + spread).mean() - rate, -9, 9)

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        X = rng.normal(size=(n, 8))
        return X, (rng.random(n) < expit(mean + X @ EFFECTS)).astype(int)

    return draw


def in_classes(_: np.random.Generator, rate: float) -> Draw:
    """Return what draws classes, and features of them with wide tails that one factor correlates."""

    def draw(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        y = (rng.random(n) < rate).astype(int)
        common, own = rng.normal(size=(n, 1)), rng.standard_t(5, size=(n, 8)) * np.sqrt(3 / 5)
        return np.outer(y, EFFECTS) + np.sqrt(0.4) * common + np.sqrt(0.6) * own, y

    return draw


def rejected(
    learner: str, n: int, rate: float, runs: int, drawn: Callable[..., Draw] = by_logistic_model
) -> dict[str, np.ndarray]:
    """Return how often the tests within folds and the corrected t reject at 5 %, by metric."""
    rng = np.random.default_rng([n, round(100 * rate)])
    draw = drawn(rng, rate)
    scorers = one_pass_scorer(list(METRICS), pos_label=1).scorers
    found = {name: np.zeros(2, dtype=int) for name in METRICS}
    for seed in range(runs):
        y = np.zeros(n, dtype=int)
        while np.bincount(y, minlength=2).min() < 5:
            X, y = draw(rng, n)
        splits = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))
        both = [folded(learner, X[:, half], y, splits) for half in (slice(4), slice(4, 8))]
        for name, scorer in scorers.items():
            folds, within = paired_tests(*both, name, scorer, 0.95)
            p_values = np.array([np.nan if within is None else within.p_value, folds.p_value])
            found[name] += p_values < 0.05
    return found


class Folded(dict[str, np.ndarray]):
    """What the tests read of a nested result: scores, predictions and sizes of the folds."""

    predictions: OutOfFoldPredictions
    n_train: np.ndarray
    n_test: np.ndarray

    def statistics(self, name: str) -> Any:
        return SimpleNamespace(pooled_only="")


def folded(learner: str, X: np.ndarray, y: np.ndarray, splits: list[Any]) -> Folded:
    """Fit a procedure on every fold and score its test rows."""
    row = np.concatenate([test for _, test in splits])
    fold = np.repeat(np.arange(len(splits)), [len(test) for _, test in splits])
    p = np.concatenate(
        [LEARNERS[learner]().fit(X[a], y[a]).predict_proba(X[b])[:, 1] for a, b in splits]
    )
    true, called = y[row], (p > 0.5).astype(int)
    proba = np.column_stack([1 - p, p])
    found = Folded()
    found.predictions = OutOfFoldPredictions(
        row, fold, true, called, {"predict_proba": proba}, np.array([0, 1]), positive=1
    )
    found.n_train, found.n_test = (
        np.array([len(split[side]) for split in splits]) for side in (0, 1)
    )
    rows = {
        "neg_brier_score_loss": -((p - true) ** 2),
        "neg_log_loss": np.log(np.clip(np.where(true, p, 1 - p), np.finfo(float).eps, 1)),
        "accuracy": 1.0 * (true == called),
    }
    for name, each in rows.items():
        found[f"test_{name}"] = np.bincount(fold, each) / found.n_test
    areas = [area(true[fold == one], p[fold == one]) for one in range(len(splits))]
    found["test_roc_auc"] = np.array(areas)
    return found


def area(true: np.ndarray, score: np.ndarray) -> float:
    """Return the area under the ROC curve by its ranks."""
    many = true.sum()
    above = rankdata(score)[true == 1].sum() - many * (many + 1) / 2
    return float(above / (many * (len(true) - many)))


if __name__ == "__main__":
    main()
