"""Coverage of the true performance by nested intervals and sizes of comparisons, random class counts.

``python -m benchmarks.nested_random --runs 200`` prints the tables of
``benchmarks/results/nested_random.md``, each row as soon as it is known; ``--only`` takes some of
"coverage", "threshold", "groups" and "sizes".

Every run draws rows from a population, so that the class counts are random, and makes an ordinary nested
cross-validation of them: a scaled logistic regression with two values of C, 5 stratified outer and 3
inner folds. The performance of the models of the five folds on 20,000 other rows of the population is
their
*true performance*; its mean over the runs is what the procedure scores on average. Sizes are those of
``compare_estimators`` for two forecasts with the same expected loss, one too high and one too low, so
that their difference depends on the class. Every share stands with its Monte-Carlo standard error.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.metrics import one_pass_scorer
from skaucx.model_selection import Execution, compare_estimators, nested_cross_validate
from skaucx.model_selection.execution._pool import score_bounds
from skaucx.model_selection.results._statistics import fold_interval

from .random_sizes import biased, share

Rows = tuple[np.ndarray, np.ndarray, np.ndarray | None]
GRID = {"logisticregression__C": [0.05, 1.0]}
POPULATION = 20_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nested_random", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--only", nargs="+", default=["sizes", "coverage", "threshold", "groups"])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for part in options.only:
        PARTS[part](options.runs)


def population(rng: np.random.Generator, n: int, prevalence: float, per_group: int = 1) -> Rows:
    """Return rows of five features whose first carries the signal; groups share a part of it."""
    shared = rng.normal(size=(-(-n // per_group), 5)).repeat(per_group, axis=0)[:n]
    weight = 0.7 if per_group > 1 else 0.0
    X = np.sqrt(weight) * shared + np.sqrt(1 - weight) * rng.normal(size=(n, 5))
    y = (rng.random(n) < expit(1.5 * X[:, 0] + 1.3 * logit(prevalence))).astype(int)
    return X, y, np.arange(n) // per_group if per_group > 1 else None


def model() -> Any:
    return make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky"))


def nested_runs(
    metrics: list[str], runs: int, n: int, prevalence: float, per_group: int = 1, **options: Any
) -> Iterator[tuple[Any, dict[str, float]]]:
    """Yield results and the mean true score of their fold models by every metric."""
    rng = np.random.default_rng([n, round(100 * prevalence), per_group])
    scorer = one_pass_scorer(metrics, pos_label=1)
    unseen = population(rng, POPULATION, prevalence)
    splitter = StratifiedGroupKFold if per_group > 1 else StratifiedKFold
    for seed in range(runs):
        X, y, groups = population(rng, n, prevalence, per_group)
        if min(np.bincount(y, minlength=2)) < 8:
            continue
        result = nested_cross_validate(
            model(), GRID, X, y, scoring=metrics, pos_label=1, groups=groups, final=None,
            outer_cv=splitter(5, shuffle=True, random_state=seed), inner_cv=splitter(3),
            execution=Execution(return_estimator=True), **options,
        )  # fmt: skip
        truth = [scorer.score(one, unseen[0], unseen[1]) for one in result.estimators]
        yield result, {name: float(np.mean([one[name] for one in truth])) for name in metrics}


def coverage_rows(
    label: str, metrics: list[str], runs: int, kinds: tuple[str, ...] = ("interval",), **case: Any
) -> None:
    """Print a row a metric and kind of interval."""
    ends, truth, means = defaultdict(list), defaultdict(list), defaultdict(list)
    for result, true in nested_runs(metrics, runs, **case):
        for name in metrics:
            truth[name].append(true[name])
            means[name].append(result.statistics(name).mean)
            for kind in kinds:
                ends[name, kind].append(tuple(interval_of(result, name, kind)))
    for (name, kind), found in ends.items():
        low, high = np.array(found).T
        if kind == "pooled" and name.startswith("neg_"):
            low, high = -high, -low
        own = np.array(truth[name])
        average = share(int(np.sum((low <= own.mean()) & (own.mean() <= high))), len(low))
        fold_models = share(int(np.sum((low <= own) & (own <= high))), len(low))
        ratio = np.mean(high - low) / (3.92 * np.std(means[name]))
        cells = f"{np.mean(high - low):.3f} | {ratio:.2f} | {average} | {fold_models}"
        print(f"| {label} | {name} | {kind} | {len(low)} | {cells} |", flush=True)


def interval_of(result: Any, name: str, kind: str) -> Any:
    if kind == "pooled":
        return result.pooled_interval(name)
    if kind == "interval":
        return result.interval(name)
    bounds = score_bounds(result.scorer.scorers[name])
    return fold_interval(result[f"test_{name}"], result.n_train, result.n_test, bounds=bounds)


HEADS = (
    "\n| case | metric | kind | runs | width | width / 3.92 sd | covers the procedure's mean | "
    "covers the fold models' |\n|---|---|---|---|---|---|---|---|"
)


def coverage(runs: int) -> None:
    print(HEADS)
    metrics = ["neg_brier_score_loss", "neg_log_loss", "accuracy", "roc_auc"]
    for n, prevalence in ((300, 0.05), (60, 0.4), (400, 0.3)):
        label = f"n {n}, {100 * prevalence:g} %"
        kinds = ("interval", "pooled") if n == 300 else ("interval",)
        coverage_rows(label, metrics, runs, kinds, n=n, prevalence=prevalence)


def threshold(runs: int) -> None:
    print(HEADS)
    for chosen in ("f1", "accuracy"):
        label, kinds = f"threshold={chosen!r}, n 150, 30 %", ("interval", "Nadeau-Bengio")
        case = {"n": 150, "prevalence": 0.3, "threshold": chosen}
        coverage_rows(label, ["accuracy", "f1"], runs, kinds, **case)


def grouped(runs: int) -> None:
    print(HEADS)
    for n, per_group in ((300, 5), (300, 30)):
        label = f"n {n}, {n // per_group} groups, 30 %"
        metrics = ["neg_brier_score_loss", "accuracy", "roc_auc"]
        coverage_rows(label, metrics, runs, n=n, prevalence=0.3, per_group=per_group)


class Forecast(ClassifierMixin, BaseEstimator):
    """Takes the probability of its own column as it is."""

    def __init__(self, column: int = 0) -> None:
        self.column = column

    def fit(self, X: Any, y: Any) -> Forecast:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.column_stack([1 - X[:, self.column], X[:, self.column]])

    def predict(self, X: Any) -> np.ndarray:
        return self.classes_[(X[:, self.column] > 0.5).astype(int)]


def sizes(runs: int) -> None:
    print(
        "\n| folds | loss | n | events | runs | p: rejects | within p: rejects |"
        "\n|---|---|---|---|---|---|---|"
    )
    for n, rate in ((200, 0.1), (300, 0.3)):
        for metric in ("brier_score", "log_loss"):
            for splitter in (StratifiedKFold, KFold):
                found = rejected(metric, n, rate, splitter, runs)
                cells = " | ".join(share(int(k), runs) for k in found)
                name = splitter.__name__
                print(f"| {name} | {metric} | {n} | {rate:g} | {runs} | {cells} |", flush=True)


def rejected(
    metric: str, n: int, rate: float, splitter: Callable[..., Any], runs: int
) -> np.ndarray:
    """Return how often both tests reject two forecasts of one expected loss."""
    draw, scoring = biased(metric, n, rate), f"neg_{metric.removesuffix('_loss')}_loss"
    rng, found = np.random.default_rng([n, round(100 * rate)]), np.zeros(2, dtype=int)
    for seed in range(runs):
        y, *columns = draw(rng)
        both = {"high": Forecast(0), "low": Forecast(1)}
        cv = splitter(5, shuffle=True, random_state=seed)
        (pair,) = compare_estimators(
            both, np.column_stack(columns), y, scoring=scoring, outer_cv=cv, inner_cv=2
        ).pairs(scoring)
        found += [pair.folds.p_value < 0.05, pair.within.p_value < 0.05]
    return found


PARTS = {"coverage": coverage, "threshold": threshold, "groups": grouped, "sizes": sizes}

if __name__ == "__main__":
    main()
