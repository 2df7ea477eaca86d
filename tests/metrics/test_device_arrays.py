"""Arrays of other libraries and devices are copied."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx import evaluation, inference
from tests.closeness import rounding

RNG = np.random.default_rng(0)
N = 40
TRUE, PRED = RNG.integers(0, 2, (2, N))
SCORE = RNG.random(N)
WEIGHT = RNG.uniform(0.5, 2, N)
CLASS, CALL = RNG.integers(0, 3, (2, N))
PROBA = RNG.dirichlet(np.ones(3), N)
DEVICES = {"strict": ("array_api_strict", "CPU_DEVICE"), "torch": ("torch", "cpu")}
DEVICES = {name: held for name, held in DEVICES.items() if find_spec(held[0])}


@pytest.fixture(params=DEVICES)
def moved(request):
    """Return a function that moves an array to a device."""
    library, name = DEVICES[request.param]
    library = importlib.import_module(library)
    device = library.Device(name) if hasattr(library, "Device") else name
    return lambda array: library.asarray(np.asarray(array), device=device)


def test_values_of_arrays_on_a_device(moved):
    y, pred, score, weight = map(moved, (TRUE, PRED, SCORE, WEIGHT))
    near = pytest.approx
    assert sm.roc_auc_score(y, score) == sm.roc_auc_score(TRUE, SCORE)
    assert sm.specificity_score(y, pred) == sm.specificity_score(TRUE, PRED)
    wanted = sm.brier_score_loss(TRUE, SCORE, sample_weight=WEIGHT)
    assert sm.brier_score_loss(y, score, sample_weight=weight) == near(wanted)
    assert type(sm.f1_score(y, pred, average=None)) is np.ndarray
    assert type(sm.roc_curve(y, score)[0]) is np.ndarray

    found = inference.interval("roc_auc", y, score, groups=moved(CLASS))
    wanted = inference.interval("roc_auc", TRUE, SCORE, groups=CLASS)
    assert (found.low, found.high) == near((wanted.low, wanted.high))
    found = inference.paired_test("roc_auc", y, score, moved(PROBA[:, 0]))
    assert found.p_value == near(
        inference.paired_test("roc_auc", TRUE, SCORE, PROBA[:, 0]).p_value, abs=rounding(40)
    )
    metrics = {"metrics": ["roc_auc", "f1"]}
    found = evaluation.evaluate(y, pred, score, by={"class": moved(CLASS)}, **metrics)
    wanted = evaluation.evaluate(TRUE, PRED, SCORE, by={"class": CLASS}, **metrics)
    assert {key: dict(each) for key, each in found.items()} == {
        key: dict(each) for key, each in wanted.items()
    }


@pytest.mark.recipes
def test_tensors_with_a_gradient_and_those_that_numpy_cannot_read():
    torch = pytest.importorskip("torch")
    score = torch.tensor(SCORE, requires_grad=True)
    assert sm.roc_auc_score(TRUE, score) == sm.roc_auc_score(TRUE, SCORE)
    for layout in ("to_sparse", "bfloat16"):
        with pytest.raises(TypeError, match=r"y_score is Tensor.*float32 or float64"):
            sm.roc_auc_score(TRUE, getattr(torch.tensor(SCORE), layout)())


class OnDevice:
    """An array of a library that is not installed: NumPy cannot read it, a method copies it."""

    def __init__(self, values, method):
        self.values, self.dtype, self.shape = np.asarray(values), np.asarray(values).dtype, (N,)
        self.ndim = 1
        setattr(self, method, lambda: self.values)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, **_):
        raise BufferError("Cannot export from device")

    def __array__(self, *_, **__):
        raise TypeError("can't convert a device array to numpy")

    def __len__(self):
        return len(self.values)


class OfJax(OnDevice):
    """An array that NumPy copies itself."""

    def __array__(self, *_, **__):
        return self.values


def test_arrays_that_numpy_copies():
    true, score = (OfJax(values, "copied") for values in (TRUE, SCORE))
    assert sm.roc_auc_score(true, score) == sm.roc_auc_score(TRUE, SCORE)


@pytest.mark.parametrize("method", ["cpu", "get"])
def test_arrays_that_their_library_copies(method):
    true, score = (OnDevice(values, method) for values in (TRUE, SCORE))
    assert sm.roc_auc_score(true, score) == sm.roc_auc_score(TRUE, SCORE)
