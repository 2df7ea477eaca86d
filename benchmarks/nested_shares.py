"""Where the time of a nested 10 x 5 run of 12 metrics goes, in one process.

``python -m benchmarks.nested_shares`` prints the table in Markdown: processor time of fits and
predictions of the estimator, of scoring what it predicted, and of all else, in the quickest of
``--repeats`` runs.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.machine import processor
from benchmarks.nested import DOZEN
from skaucx.metrics._scorers.one_pass import OnePassScorer
from skaucx.model_selection import nested_cross_validate

SPENT: Counter[str] = Counter()


def timed(part: str, call: Any) -> Any:
    """Return a method whose time is added to a part, without that of parts within."""

    def method(*args: Any, **kwargs: Any) -> Any:
        start, before = time.process_time(), SPENT.total()
        try:
            return call(*args, **kwargs)
        finally:
            SPENT[part] += time.process_time() - start - (SPENT.total() - before)

    return method


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nested_shares", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    models: list[tuple[Any, dict[str, Any]]] = [
        (GaussianNB(), {"var_smoothing": np.logspace(-9, 0, 20)}),
        (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5]}),
    ]
    for cls in (GaussianNB, DecisionTreeClassifier):
        for name, part in (
            ("fit", "fits"),
            ("predict", "predictions"),
            ("predict_proba", "predictions"),
        ):
            setattr(cls, name, timed(part, getattr(cls, name)))
    for name in ("count", "results"):
        setattr(OnePassScorer, name, timed("scoring", getattr(OnePassScorer, name)))
    print(
        f"{processor()}, one process\n\n| model | rows | seconds | fits | predictions | scoring | rest |"
    )
    print(f"|{'---|' * 7}")
    for model, grid in models:
        for rows in (1000, 10_000):
            X, y = make_classification(rows, 10, random_state=0)
            runs = []
            for _ in range(repeats):
                SPENT.clear()
                start = time.process_time()
                nested_cross_validate(
                    model,
                    grid,
                    X,
                    y,
                    scoring=DOZEN,
                    refit="roc_auc",
                    outer_cv=10,
                    inner_cv=5,
                    n_jobs=1,
                )
                runs.append((time.process_time() - start, dict(SPENT)))
            total, spent = min(runs, key=lambda run: run[0])
            parts = [spent[part] for part in ("fits", "predictions", "scoring")]
            shares = [f"{100 * part / total:.0f} %" for part in (*parts, total - sum(parts))]
            print(
                f"| {type(model).__name__} | {rows:,} | {total:.2f} | {' | '.join(shares)} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
