"""Whatever stops an update or a merge, every state is the one before, to the last byte."""

from __future__ import annotations

import inspect
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import special

import skaucx
from skaucx.evaluation import evaluate
from skaucx.scale import MetricAccumulator

RNG = np.random.default_rng(0)
N = 300
TRUTH = RNG.random(N) < 0.4
SCORE = special.expit(RNG.normal(TRUTH, 1.5))
CALL = SCORE > 0.5
CLASS = RNG.integers(0, 3, N)
PROBA = RNG.dirichlet(np.ones(3), N)
MANY = RNG.random((N, 3)) < 0.4
WEIGHT = RNG.exponential(size=N)
NUMBER = RNG.normal(size=N)

# Each kind of state: how the accumulator is made, and its arrays.
STATES = {
    "labels": ({}, {"y_true": TRUTH, "y_pred": CALL}),
    "strings": ({}, {"y_true": np.where(TRUTH, "ill", "well"), "y_score": SCORE}),
    "indicators": ({}, {"y_true": MANY, "y_pred": ~MANY, "y_score": RNG.random((N, 3))}),
    "one score": ({"max_cells": 50}, {"y_true": TRUTH, "y_pred": CALL, "y_score": SCORE}),
    "columns": ({"max_cells": 50}, {"y_true": CLASS, "y_score": PROBA}),
    "pairs of classes": ({"multi_class": "ovo"}, {"y_true": CLASS, "y_score": PROBA}),
    "margins": (
        {"metrics": ["hinge_loss", "top_k_accuracy"]},
        {"y_true": TRUTH, "y_score": NUMBER},
    ),
    "bins": (
        {"metrics": ["binned_calibration_error"], "n_bins": 7},
        {"y_true": TRUTH, "y_score": SCORE},
    ),
    "rejections": ({}, {"y_true": TRUTH, "y_pred": CALL, "rejected": RNG.random(N) < 0.2}),
    "costs": ({}, {"y_true": TRUTH, "y_pred": CALL, "example_costs": RNG.random((N, 2))}),
    "numbers": ({"metrics": ["smape"]}, {"y_true": NUMBER, "y_pred": NUMBER**2}),
}
each_state = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
INSIDE = str(Path(skaucx.__file__).parent)


def made(name, weighted, rows):
    given, arrays = STATES[name]
    arrays = {key: array[rows] for key, array in arrays.items()}
    arrays |= {"sample_weight": WEIGHT[rows]} if weighted else {}
    return MetricAccumulator(**given), arrays


def calls_until(stop, function):
    """Call a function, a key pressed at the call of the package's with this number; count the calls."""
    seen = 0

    def profile(frame, event, _):
        nonlocal seen
        code = frame.f_code  # what is raised while a generator is closed goes nowhere
        generator = code.co_flags & inspect.CO_GENERATOR
        if event == "call" and code.co_filename.startswith(INSIDE) and not generator:
            seen += 1
            if seen == stop:
                raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        function()
    finally:
        sys.setprofile(before)
    return seen


@each_state
@pytest.mark.parametrize("name", STATES)
def test_interrupted(name, weighted):
    counts, arrays = made(name, weighted, slice(0, 200))
    counts.update(**arrays)
    _, more = made(name, weighted, slice(200, N))
    other = made(name, weighted, slice(0, 0))[0].update(**more)
    before = pickle.dumps(counts), pickle.dumps(other)
    for step in (lambda own: own.update(**more), lambda own: own.merge(other)):
        assert step(pickle.loads(before[0])).n_samples == N
        last = calls_until(0, lambda: step(pickle.loads(before[0])))  # noqa: B023
        for stop in np.unique(np.linspace(1, last, 12).astype(int)):
            with pytest.raises(KeyboardInterrupt):
                calls_until(stop, lambda: step(counts))  # noqa: B023
            assert (pickle.dumps(counts), pickle.dumps(other)) == before


@each_state
@pytest.mark.parametrize("name", STATES)
def test_bad_chunks(name, weighted):
    """Each array in turn is too short, or holds nan where that can be; the chunk is named."""
    counts, arrays = made(name, weighted, slice(0, 200))
    counts.update(**arrays)
    before = pickle.dumps(counts)
    _, more = made(name, weighted, slice(200, N))
    for key, array in more.items():
        spoiled = [array[:-1]]
        if array.dtype.kind == "f":
            spoiled.append(np.where(np.arange(len(array)).reshape(-1, *[1] * (array.ndim - 1)) == 9,
                                    np.nan, array))  # fmt: skip
        for bad in spoiled:
            with pytest.raises((ValueError, TypeError), match=r"^chunk 1: "):
                counts.update(**more | {key: bad})
            assert pickle.dumps(counts) == before
    assert counts.update(**more).n_samples == N


def test_a_source_that_is_interrupted():
    """The interruption is what comes out, from iterators of arrays and of frames."""

    def rows():
        yield TRUTH[:100], SCORE[:100]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate((y for y, _ in rows()), y_score=(p for _, p in rows()), metrics=["roc_auc"])
    frames = ({"y": y, "p": p} for y, p in rows())
    with pytest.raises(KeyboardInterrupt):
        evaluate("y", y_score="p", data=frames, metrics=["roc_auc"], by="y")
