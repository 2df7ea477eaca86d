"""Arrays of other libraries and devices: values, and what scikit-learn's array API dispatch returns."""

from __future__ import annotations

import importlib
import inspect
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest
import scipy
import sklearn
import sklearn.metrics
from sklearn.utils.fixes import parse_version

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
MANY, MANY_CALLS = RNG.integers(0, 2, (2, N, 3))
MANY_SCORES = RNG.random((N, 3))
ARRAYS = {
    "labels": (TRUE, PRED), "scores": (TRUE, SCORE), "classes": (CLASS, CALL),
    "probabilities": (CLASS, PROBA), "indicators": (MANY, MANY_CALLS),
    "scores of indicators": (MANY, MANY_SCORES),
}  # fmt: skip
OPTIONS = [
    {}, {"average": "macro"}, {"average": None}, {"multi_class": "ovr"}, {"max_fpr": 0.5},
    {"beta": 2.0}, {"beta": 2.0, "average": None}, {"k": 2}, {"labels": [0, 1]},
    {"sample_weight": WEIGHT},
]  # fmt: skip
NAMES = [
    name
    for name in sm.__all__
    if inspect.isfunction(getattr(sklearn.metrics, name, None))
    and getattr(sm, name) is not getattr(sklearn.metrics, name)
    and "scorer" not in name
]
DEVICES = {
    "strict, host": ("array_api_strict", "CPU_DEVICE"),
    "strict, device 1": ("array_api_strict", "device1"),
    "strict, without float64": ("array_api_strict", "no_float64"), "torch": ("torch", "cpu"),
}  # fmt: skip
DEVICES = {name: held for name, held in DEVICES.items() if find_spec(held[0])}


@pytest.fixture(params=DEVICES)
def moved(request):
    """Return a function that moves an array to a device."""
    library, name = DEVICES[request.param]
    library = importlib.import_module(library)
    device = library.Device(name) if hasattr(library, "Device") else name
    wide = name != "no_float64"

    def move(array):
        array = np.asarray(array)
        array = array if wide or array.dtype.kind != "f" else array.astype(np.float32)
        return library.asarray(array, device=device)

    return move


@pytest.fixture
def dispatch(monkeypatch):
    if parse_version(sklearn.__version__).release[:2] < (1, 9):
        pytest.skip("an older scikit-learn dispatches less, by other rules")
    if parse_version(scipy.__version__).release[:2] < (1, 14):
        pytest.skip("scikit-learn dispatches with SciPy 1.14")
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        yield


def on_device(value, moved):
    return moved(value) if isinstance(value, (np.ndarray, list)) else value


def answers(name, moved):
    """Yield the answers of scikit-learn's function with ours; those that it refuses are left out."""
    for form, arrays in ARRAYS.items():
        for options in OPTIONS:
            given = [moved(array) for array in arrays]
            chosen = {key: on_device(value, moved) for key, value in options.items()}
            try:
                theirs = getattr(sklearn.metrics, name)(*given, **chosen)
            except Exception:
                continue
            yield f"{form}, {options}", theirs, partial(getattr(sm, name), *given, **chosen)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
def test_names_of_scikit_learn_answer_where_its_own_do(name, moved, dispatch):
    for called, theirs, ours in answers(name, moved):
        found = ours()
        if isinstance(theirs, tuple):
            found = tuple(found)
            assert len(found) == len(theirs), called
        else:
            found, theirs = (found,), (theirs,)
        for mine, other in zip(found, theirs, strict=True):
            if isinstance(mine, (float, str, dict)):  # a weighted Hamming loss is an array there
                assert isinstance(other, type(mine)) or np.ndim(other) == 0, called
                continue
            assert type(mine) is type(other), called
            assert mine.device == other.device, called
            values = [np.from_dlpack(array) for array in (mine, other)]
            np.testing.assert_allclose(*values, rtol=1e-5, atol=1e-6, err_msg=called)


def test_some_name_answers_in_every_form(moved, dispatch):
    for name in ("roc_curve", "accuracy_score"):
        assert list(answers(name, moved)), name


def test_values_of_arrays_on_a_device(moved):
    """Without dispatch, every call copies."""
    y, pred, score, weight = map(moved, (TRUE, PRED, SCORE, WEIGHT))
    near = partial(pytest.approx, rel=1e-5)  # single precision, where a device has no other
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


def test_curves_keep_the_arrays_of_numpy(moved, dispatch):
    curve = sm.roc_curve(moved(TRUE), moved(SCORE))
    fpr, _, _ = curve
    assert type(curve.fpr) is np.ndarray
    assert type(fpr) is type(curve[0]) is type(moved(SCORE))
    assert curve.area == sm.roc_auc_score(TRUE, SCORE)
    assert type(curve.hull()[0]) is np.ndarray


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
