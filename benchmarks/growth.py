"""How cost grows: slopes of the time against size, on logarithmic scales.

``python -m benchmarks.growth`` writes ``benchmarks/results/growth.md``. Times are the least CPU time of
three turns; the slope is that of the least-squares line through the last three.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

import skaucx.metrics as sx
from skaucx import inference
from skaucx.model_selection import nested_cross_validate

from .machine import machine, sentence
from .measure import Work
from .metrics import FOLD_METRICS
from .nested import DOZEN
from .pairs import of_classes

RESULT = Path(__file__).parent / "results" / "growth.md"
ABOVE = """# Growth

CPU time by size, and its slope on logarithmic scales at the right end: 1 is proportional, 0 does not
grow. `python -m benchmarks.growth` writes this table.

| work | grows with | sizes | ms | slope | bounded by |
|---|---|---|---|---|---|"""

Line = tuple[str, str, Sequence[int], Callable[[int], Work], str]


def main() -> None:
    print(ABOVE)
    found = [ABOVE]
    for name, size, sizes, work_of, bound in lines():
        ms = [1e3 * least_time(work_of(each)) for each in sizes]
        slope = np.polyfit(np.log(sizes[-3:]), np.log(ms[-3:]), 1)[0]
        shown = (" / ".join(f"{each:.3g}" for each in row) for row in (sizes, ms))
        found.append(f"| {name} | {size} | {' | '.join(shown)} | {slope:.2f} | {bound} |")
        print(found[-1], flush=True)
    RESULT.write_text("\n".join([*found, "", sentence(machine()), ""]), encoding="utf-8")


def least_time(work: Work) -> float:
    """Return the least seconds of CPU time of three turns after a first one."""
    times = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(4):
            before = time.process_time()
            work()
            times.append(time.process_time() - before)
    return min(times[1:])


def lines() -> Iterator[Line]:
    yield from _of_rows()
    yield from _of_classes()
    yield from _of_runs()


def _scores(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, n)
    return y, 1 / (1 + np.exp(-rng.normal(y, 1.5))), rng.uniform(0.1, 2, n)


def _of_rows() -> Iterator[Line]:
    sizes = [10**power for power in range(3, 7)]

    def judged(judge: Callable[..., Any], n: int) -> Work:
        y, s, _ = _scores(n)
        return partial(judge, y, s)

    def weighted(n: int) -> Work:
        y, s, w = _scores(n)
        return partial(sx.auc_family, y, s, sample_weight=w)

    def counted(n: int) -> Work:
        y, s, _ = _scores(n)
        return partial(sx.matthews_corrcoef, y, (s > 0.5) * 1)

    yield "AUC", "n", sizes, partial(judged, sx.roc_auc_score), "one sort of 32 bits a score"
    yield "all variants", "n", sizes, partial(judged, sx.auc_family), "pairs of near scores in sond"
    yield "all variants, weights", "n", sizes, weighted, "the same, and one argsort"
    yield "MCC", "n", sizes, counted, "one count of the rows"
    yield "ROC curve", "n", sizes, partial(judged, sx.roc_curve), "one sort"


def _of_classes() -> Iterator[Line]:
    sizes = [5, 10, 20, 40, 80]

    def scored(rule: str, k: int) -> Work:
        return partial(sx.roc_auc_score, *of_classes(20_000, k), multi_class=rule)

    def labelled(k: int) -> Work:
        y, s = of_classes(20_000, k)
        return partial(sx.f1_score, y, s.argmax(axis=1), average="macro")

    yield "ovr AUC, n = 20,000", "classes", sizes, partial(scored, "ovr"), "one sort a class"
    yield (
        "ovo AUC, n = 20,000",
        "classes",
        sizes,
        partial(scored, "ovo"),
        "one search of all rows a class; at last, pairs",
    )
    yield "macro F1, n = 20,000", "classes", sizes, labelled, "one count of the rows"


def _of_runs() -> Iterator[Line]:
    X, y = make_classification(200, 5, random_state=0)
    model = GaussianNB().fit(X, y)

    def one_pass(k: int) -> Work:
        return partial(sx.one_pass_scorer(FOLD_METRICS[-k:]), model, X, y)

    def run(candidates: int = 10, folds: int = 5) -> Work:
        grid = {"var_smoothing": np.logspace(-9, 0, candidates)}
        ask = {"scoring": DOZEN, "refit": "roc_auc", "final": None, "n_jobs": 1}
        return partial(nested_cross_validate, GaussianNB(), grid, X, y, outer_cv=folds, **ask)

    def resampled(metric: str, count: int) -> Work:
        labels, scores, _ = _scores(10**4)
        ask = {"method": "percentile", "n_resamples": count, "random_state": 0}
        return partial(inference.interval, metric, labels, scores, **ask)

    yield (
        "one pass, fold of 200",
        "metrics",
        [3, 6, 12, 25],
        one_pass,
        "prediction, then each formula",
    )
    yield "nested run, 12 metrics", "candidates", [5, 10, 20, 40], run, "fits and predictions"
    yield (
        "nested run, 12 metrics",
        "outer folds",
        [3, 6, 12],
        lambda folds: run(folds=folds),
        "fits and predictions",
    )
    for metric in ("roc_auc", "mm7_auc"):
        yield (
            f"bootstrap of {metric}, n = 10^4",
            "resamples",
            [250, 500, 1000, 2000],
            partial(resampled, metric),
            "draws, counted on one ranking",
        )


if __name__ == "__main__":
    main()
