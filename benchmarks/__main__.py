"""Speed beside scikit-learn, one table: ``python -m benchmarks > benchmarks/results/speed.md``.

Both sides of a row are measured in turn in one process, and the least processor times are compared;
imports are measured in processes of their own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import sklearn.metrics
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import auc_family, one_pass_scorer, roc_auc_score
from skaucx.model_selection import nested_cross_validate

from .machine import heading

DOZEN = [
    "roc_auc", "average_precision", "accuracy", "balanced_accuracy", "recall", "precision", "f1",
    "matthews_corrcoef", "jaccard", "neg_log_loss", "neg_brier_score", "cohen_kappa",
]  # fmt: skip
TEN = DOZEN[:-1]  # of which scikit-learn has no kappa
BAYES = GaussianNB(), {"var_smoothing": list(np.logspace(-9, 0, 4))}
TREE = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5]}

Work = Callable[[], Any]
Row = tuple[str, str, float, Work, Work]


def of_scores() -> Iterator[Row]:
    """The AUC and all of its variants."""
    theirs = sklearn.metrics.roc_auc_score
    for n, wanted in ((200, 0.15), (10**3, 0.15), (10**6, 0.2)):
        yield (
            f"`roc_auc_score`, {n:,} rows",
            "the same",
            wanted,
            *(partial(function, *scores(n)) for function in (roc_auc_score, theirs)),
        )
    for n in (10**3, 10**5):
        data = scores(n)
        ours = partial(auc_family, *data)
        yield f"`auc_family`, all variants, {n:,} rows", "one AUC", 2, ours, partial(theirs, *data)
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 100, 10_000), rng.dirichlet(np.ones(100), 10_000)
    yield (
        "AUC of 100 classes, one against one, 10,000 rows",
        "the same",
        0.1,
        *(partial(function, y, score, multi_class="ovo") for function in (roc_auc_score, theirs)),
    )


def of_models() -> Iterator[Row]:
    """Searches and nested runs."""
    X, y = make_classification(1000, 10, random_state=0)
    model, grid = GaussianNB(), {"var_smoothing": np.logspace(-9, 0, 20)}
    one_pass = one_pass_scorer(DOZEN)
    yield (
        "`GridSearchCV`, 12 metrics in one pass",
        "one scorer of scikit-learn",
        1,
        *(
            partial(GridSearchCV(model, grid, scoring=scoring, refit=refit).fit, X, y)
            for scoring, refit in ((one_pass, "roc_auc"), ("roc_auc", True))
        ),
    )
    alone = "its fits and predictions"
    for (learner, values), rows, wanted in (
        (BAYES, 1000, 2),
        (TREE, 1000, 2),
        (BAYES, 10_000, 1.4),
    ):
        data = make_classification(rows, 10, random_state=0)
        name = f"nested 5 x 5 run, 12 metrics, {type(learner).__name__}, {rows:,} rows"
        ours = partial(nested, learner, values, *data, DOZEN)
        yield name, alone, wanted, ours, partial(fits_alone, learner, values, *data)
    learner, values = BAYES
    search = GridSearchCV(learner, values, scoring=TEN, refit="roc_auc")
    yield (
        "nested 5 x 5 run, 11 metrics, GaussianNB, 1,000 rows",
        "scikit-learn's own loop",
        0.4,
        *(
            partial(nested, learner, values, X, y, TEN),
            partial(cross_validate, search, X, y, scoring=TEN),
        ),
    )


def scores(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, n)
    return y, 1 / (1 + np.exp(-rng.normal(y, 1.5)))


def nested(model: Any, grid: Any, X: Any, y: Any, scoring: list[str]) -> str:
    result = nested_cross_validate(model, grid, X, y, scoring=scoring, refit="roc_auc", pos_label=1)
    return str(result.summary())


def fits_alone(model: Any, grid: dict[str, list[Any]], X: Any, y: Any) -> None:
    """Fit and predict as often as a nested 5 x 5 run with its final model does."""
    folds = StratifiedKFold(5)
    [(name, values)] = grid.items()
    for train, test in [*folds.split(X, y), (np.arange(len(y)), None)]:
        parts = [(train[a], train[b]) for a, b in folds.split(X[train], y[train])]
        jobs = [(value, *part) for part in parts for value in values] + [(values[0], train, test)]
        for value, rows, judged in jobs:
            fitted = clone(model).set_params(**{name: value}).fit(X[rows], y[rows])
            if judged is not None:
                fitted.predict(X[judged])
                fitted.predict_proba(X[judged])


def importing(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)


def measured(ours: Work, theirs: Work, clock: Callable[[], float]) -> list[float]:
    """Return the least seconds of each, in turn for two seconds; the first turn warms up."""
    times: list[list[float]] = [[], []]
    begun = time.perf_counter()
    while len(times[0]) < 2 or (time.perf_counter() - begun < 2 and len(times[0]) < 300):
        for work, kept in zip((ours, theirs), times, strict=True):
            before = clock()
            work()
            kept.append(clock() - before)
    return [min(kept) for kept in times]


def time_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    warnings.simplefilter("ignore")
    print(heading("Speed"))
    print(
        "Least processor times in milliseconds; a ratio above the one wanted is marked as missed.\n"
    )
    print("| work | against | ours | theirs | ratio | wanted |\n|---|---|---|---|---|---|")
    imports = partial(importing, "skaucx.metrics"), partial(importing, "sklearn.metrics")
    rows = [(row, time.process_time) for rows in (of_scores(), of_models()) for row in rows]
    rows.append(
        (("import of `skaucx.metrics`", "`sklearn.metrics`", 1.2, *imports), time_of_children)
    )
    for (work, against, wanted, ours, theirs), clock in rows:
        mine, other = (1000 * seconds for seconds in measured(ours, theirs, clock))
        mark = "" if mine / other <= wanted else " (missed)"
        print(
            f"| {work} | {against} | {mine:.3g} | {other:.3g} | {mine / other:.2g}{mark} | {wanted:g} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
