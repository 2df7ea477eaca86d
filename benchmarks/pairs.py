"""The measured work of pair means: single precision, many classes, replicates, exchanges, placements."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import sklearn.metrics as sk
from scipy import stats

import skaucx.metrics as sx
from skaucx import inference
from skaucx.metrics._pairs.kernels import Logistic, Power
from skaucx.metrics._pairs.placements import Placements

from .measure import Row, Work, ratio_of_times

Line = tuple[str, str, float, Work, Work, int]


def suite(*, quick: bool = False, only: str = "") -> Iterator[Row]:
    """Measure line by line those whose work holds the text `only`."""
    for lines in (single_precision, many_classes, resamples, placements):
        for work, against, wanted, ours, theirs, least in lines():
            if only in work:
                yield Row(work, against, wanted, *ratio_of_times(ours, theirs, least=least))


def scores(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, n)
    return y, 1 / (1 + np.exp(-rng.normal(y, 1.5)))


def of_classes(n: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(k)
    y = np.append(np.arange(k), rng.integers(0, k, n - k))
    score = rng.random((n, k)) + 0.5 * np.eye(k)[y]
    return y, score / score.sum(axis=1, keepdims=True)


def single_precision() -> Iterator[Line]:
    y, s = scores(10**6)
    s = s.astype(np.float32)
    ours, theirs = partial(sx.roc_auc_score, y, s), partial(sk.roc_auc_score, y, s)
    yield "AUC, n = 10^6, float32", "one `roc_auc_score`", 0.05, ours, theirs, 3


def many_classes() -> Iterator[Line]:
    for k, rule, wanted in ((10, "ovr", 0.1), (1000, "ovr", 0.1), (100, "ovo", 0.05)):
        y, s = of_classes(20_000, k)
        ours, theirs = (partial(m.roc_auc_score, y, s, multi_class=rule) for m in (sx, sk))
        yield f"{rule} AUC of {k} classes, n = 20,000", "`roc_auc_score`", wanted, ours, theirs, 1


def resamples() -> Iterator[Line]:
    """Bootstrap and permutation, each against a loop of a tenth as many rounds."""
    y, s = of_classes(20_000, 10)
    rng = np.random.default_rng(0)

    def loop() -> None:
        for _ in range(50):
            rows = rng.integers(len(y), size=len(y))
            sk.roc_auc_score(y[rows], s[rows], multi_class="ovr")

    ask = {"multi_class": "ovr", "method": "percentile", "n_resamples": 500, "random_state": 0}
    yield (
        "500 bootstrap replicates of the ovr AUC of 10 classes, n = 20,000",
        "a loop of 50 `roc_auc_score`",
        0.5,
        partial(inference.interval, "roc_auc", y, s, **ask),
        loop,
        1,
    )
    y, a = scores(10**6)
    b = a + 0.1 * rng.random(len(a))

    def exchanges() -> None:
        for _ in range(2):
            swap = rng.random(len(y)) < 0.5
            for one, other in ((a, b), (b, a)):
                sk.roc_auc_score(y, np.where(swap, one, other))

    yield (
        "100 exchanges of the AUC, n = 10^6",
        "a loop of 2",
        5,
        partial(
            inference.paired_test,
            "roc_auc",
            y,
            a,
            b,
            method="permutation",
            n_resamples=100,
            random_state=0,
        ),
        exchanges,
        1,
    )


def placements() -> Iterator[Line]:
    """Placement values against the two rankings that those of the AUC take."""
    y, s = scores(10**6)
    p, n = s[y == 1], s[y == 0]

    def ranks() -> None:
        for part in (s, p, n):
            stats.rankdata(part)

    for name, kernel, wanted in (("sond", Power(1 / 7), 20), ("soft", Logistic(7.0), 10)):
        ours = partial(Placements(y == 1, s).mean_of, kernel)
        yield f"placement values of {name}, n = 10^6", "three `rankdata`", wanted, ours, ranks, 1
