"""The measured work: intervals and tests of many examples and classes against loops of one metric.

A loop is measured by one turn, times its number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import sklearn.metrics as sk

from skaucx.inference import interval, paired_test

from .measure import Row, Work, ratio_of_peaks, ratio_of_times

Line = tuple[str, str, float, str, Callable[[], list[float]]]


def suite(*, quick: bool = False, only: str = "") -> Iterator[Row]:
    """Measure line by line those whose work holds the text `only`."""
    for work, against, wanted, unit, measure in _lines(quick):
        if only in work:
            yield Row(work, against, wanted, *measure(), unit)


def _lines(quick: bool) -> Iterator[Line]:
    yield from _labels()
    yield from _scores(10**5 if quick else 10**6)
    yield from _classes(quick)


def _labels() -> Iterator[Line]:
    rng = np.random.default_rng(0)
    for classes in (100, 1000):
        y, other = rng.integers(0, classes, (2, 20_000))
        pred = np.where(rng.random(20_000) < 0.6, y, other)

        def ours(y: Any = y, pred: Any = pred) -> Any:
            return interval("f1", y, pred, average="macro")

        def theirs(y: Any = y, pred: Any = pred) -> Any:
            return sk.f1_score(y, pred, average="macro")

        work = f"interval of macro F1, {classes} classes"
        wanted = 1.0 if classes == 100 else 40.0
        yield work, "one `f1_score`", wanted, "ms", _looped(ours, theirs, 1)
    work = "peak extra memory, interval of macro F1, 1000 classes"
    tables = partial(np.ones, (20, 1000, 1000))
    yield work, "twenty confusion tables", 1.0, "MB", lambda: ratio_of_peaks(ours, tables)


def _scores(n: int) -> Iterator[Line]:
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.3
    a, b = 1 / (1 + np.exp(-rng.normal(y, size=(2, n))))
    settings = {"random_state": 0}

    def loop() -> Any:
        return sk.roc_auc_score(y, a)

    for work, wanted, times, ours in (
        ("DeLong interval of sond, {n}", 10, 1, lambda: interval("sond_auc", y, a)),
        (
            "200 resamples of mm7, {n}",
            0.4,
            200,
            lambda: interval("mm7_auc", y, a, n_resamples=200, **settings),
        ),
        (
            "permutation test of two AUCs, 100 exchanges, {n}",
            0.1,
            200,
            lambda: paired_test(
                "roc_auc", y, a, b, n_resamples=100, **settings, method="permutation"
            ),
        ),
    ):
        against = "one `roc_auc_score`" if times == 1 else f"a loop of {times} `roc_auc_score`"
        named = work.format(n=f"n = 10^{round(np.log10(n))}")
        yield named, against, wanted, "ms", _looped(ours, loop, times)


def _classes(quick: bool) -> Iterator[Line]:
    for classes, wanted in ((10, 0.05), (100, 0.05)):
        if quick and classes == 100:
            continue
        rng = np.random.default_rng(0)
        y = rng.integers(0, classes, 20_000)
        score = rng.random((20_000, classes)) + 0.5 * (y[:, None] == np.arange(classes))
        score /= score.sum(axis=1, keepdims=True)
        how = {"n_resamples": 500, "method": "percentile", "random_state": 0}

        def ours(y: Any = y, score: Any = score, how: Any = how) -> Any:
            return interval("roc_auc", y, score, multi_class="ovr", **how)

        def theirs(y: Any = y, score: Any = score) -> Any:
            return sk.roc_auc_score(y, score, multi_class="ovr")

        work = f"500 bootstrap replicates of the AUC of {classes} classes, n = 20,000"
        yield work, "a loop of `roc_auc_score`", wanted, "ms", _looped(ours, theirs, 500)


def _looped(ours: Work, theirs: Work, times: int) -> Callable[[], list[float]]:
    def measure() -> list[float]:
        mine, one = ratio_of_times(ours, theirs, budget=0, least=1)
        return [mine, times * one]

    return measure
