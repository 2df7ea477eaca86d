"""The same numbers in every kind of array that holds them: of libraries, of devices, of any layout."""

from __future__ import annotations

import importlib
from importlib.util import find_spec

import numpy as np
import pandas as pd
import polars as pl
import pytest

import skaucx.metrics as sm
from skaucx import evaluation, inference
from tests.closeness import rounding
from tests.each import each
from tests.metrics.needed import OF_CLASSES, needed_parameters

N = 40
RNG = np.random.default_rng(0)
TRUE, PRED = RNG.integers(0, 2, (2, N))
TEXT = np.where(TRUE, "yes", "no")
HALVES = RNG.integers(0, 64, N) / 64  # exact in float32
WEIGHT, CLASS = RNG.uniform(0.5, 2, N), RNG.integers(0, 3, N)
LABELS = {
    "Int64": lambda pa: pd.Series(TRUE, dtype="Int64"),
    "array of Int64": lambda pa: pd.array(TRUE, dtype="Int64"),
    "boolean": lambda pa: pd.Series(TRUE == 1, dtype="boolean"),
    "Float64": lambda pa: pd.Series(TRUE, dtype="Float64"),
    "int64[pyarrow]": lambda pa: pd.Series(TRUE, dtype="int64[pyarrow]"),
    "bool[pyarrow]": lambda pa: pd.Series(TRUE == 1, dtype="bool[pyarrow]"),
    "string[pyarrow]": lambda pa: pd.Series(TEXT, dtype="string[pyarrow]"),
    "dictionary[pyarrow]": lambda pa: pd.Series(
        pd.arrays.ArrowExtensionArray(pa.chunked_array([pa.array(TEXT).dictionary_encode()]))
    ),
    "category": lambda pa: pd.Series(TEXT).astype("category"),
    "polars": lambda pa: pl.Series(TRUE),
    "polars boolean": lambda pa: pl.Series(TRUE == 1),
    "polars categorical": lambda pa: pl.Series(TEXT).cast(pl.Categorical),
    "polars enumeration": lambda pa: pl.Series(TEXT).cast(pl.Enum(["no", "yes"])),
    "arrow": lambda pa: pa.array(TRUE),
    "arrow bits": lambda pa: pa.array(TRUE == 1),
    "arrow dictionary": lambda pa: pa.array(TEXT).dictionary_encode(),
    "arrow chunks": lambda pa: pa.chunked_array([TEXT[:9], TEXT[9:]]).dictionary_encode(),
    "arrow view": lambda pa: pa.array(TEXT).cast(pa.string_view()),
}
NUMBERS = {
    "memory map": lambda pa, path: np.memmap(path, dtype="float32", mode="r"),
    "Float64": lambda pa, path: pd.Series(HALVES, dtype="Float64"),
    "Float32": lambda pa, path: pd.Series(HALVES, dtype="Float32"),
    "float[pyarrow]": lambda pa, path: pd.Series(HALVES, dtype="float[pyarrow]"),
    "polars": lambda pa, path: pl.Series(HALVES).cast(pl.Float32),
    "arrow": lambda pa, path: pa.array(HALVES),
    "arrow chunks": lambda pa, path: pa.chunked_array([HALVES[:9], HALVES[9:]]),
}


class TestLibraries:
    @pytest.mark.parametrize("kind", LABELS)
    def test_labels_and_groups(self, kind):
        true = LABELS[kind](pytest.importorskip("pyarrow"))
        assert sm.roc_auc_score(true, HALVES) == sm.roc_auc_score(TRUE, HALVES)
        assert sm.accuracy_score(true, true) == 1
        options = {"y_score": HALVES, "metrics": ["brier_score_loss"]}
        found = evaluation.evaluate(TRUE, by={"side": true}, groups=true, **options)
        wanted = evaluation.evaluate(TRUE, by={"side": TRUE}, groups=TRUE, **options)
        assert [dict(each) for each in found.values()] == [dict(each) for each in wanted.values()]

    @pytest.mark.parametrize("kind", NUMBERS)
    def test_scores_and_weights(self, kind, tmp_path):
        HALVES.astype("float32").tofile(tmp_path / "values.bin")
        score = NUMBERS[kind](pytest.importorskip("pyarrow"), tmp_path / "values.bin")
        for metric in (sm.brier_score_loss, sm.mm7_auc_score):
            assert metric(TRUE, score) == metric(TRUE, HALVES)
        weighted = sm.roc_auc_score(TRUE, TRUE - HALVES, sample_weight=score)
        assert weighted == sm.roc_auc_score(TRUE, TRUE - HALVES, sample_weight=HALVES)
        found = inference.interval("roc_auc", TRUE, score)
        assert found.low == inference.interval("roc_auc", TRUE, HALVES).low

    @pytest.mark.parametrize(
        "missing",
        [
            lambda pa: pd.Series([1, None, 0, 1], dtype="Int64"),
            lambda pa: pd.Series([True, None, False, True], dtype="boolean"),
            lambda pa: pd.Series([1, None, 0, 1], dtype="int64[pyarrow]"),
            lambda pa: pd.Series(["a", None, "b", "b"], dtype="string[pyarrow]"),
            lambda pa: pd.Categorical(["a", None, "b", "b"]),
            lambda pa: pl.Series([1, None, 0, 1]),
            lambda pa: pl.Series(["a", None, "b", "b"]).cast(pl.Categorical),
            lambda pa: pa.array([1, None, 0, 1]),
            lambda pa: pa.array([True, None, False, True]),
        ],
    )
    def test_missing_labels_and_groups_are_named(self, missing):
        values = missing(pytest.importorskip("pyarrow"))
        score = [0.1, 0.2, 0.3, 0.4]
        with pytest.raises(ValueError, match=r"y_true.* 1 of 4 rows"):
            sm.accuracy_score(values, values)
        with pytest.raises(ValueError, match=r"1 of 4 rows"):
            evaluation.evaluate([0, 1, 0, 1], y_score=score, by={"side": values})


@pytest.mark.parametrize("n", [40, 2000, 50_000])
@pytest.mark.parametrize("sign", [1, -1])
def test_single_precision_says_what_its_double_says(n, sign):
    rng = np.random.default_rng(n)
    truth, weight = rng.random(n) < 0.3, rng.random(n)
    narrow = (sign * rng.random(n).round(5)).astype(np.float32)
    ask = {"metrics": ["roc_auc", "mm7_auc", "soft_auc", "average_precision"], "rescale": "expit"}

    def told(score):
        for given in ({}, {"sample_weight": weight}):
            yield dict(evaluation.evaluate(truth, y_score=score, **ask, **given))
            yield sm.roc_auc_score(truth, score, **given)
        yield sm.roc_curve(truth, score).thresholds.tolist()
        yield list(inference.interval("roc_auc", truth, score))

    assert list(told(narrow)) == list(told(narrow.astype(np.float64)))


DEVICES = {"strict": ("array_api_strict", "CPU_DEVICE"), "torch": ("torch", "cpu")}


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


class TestDevices:
    @pytest.mark.parametrize("name", [name for name, held in DEVICES.items() if find_spec(held[0])])
    def test_values_of_arrays_on_a_device(self, name):
        library, device = importlib.import_module(DEVICES[name][0]), DEVICES[name][1]
        device = library.Device(device) if hasattr(library, "Device") else device
        arrays = TRUE, PRED, HALVES, WEIGHT, CLASS
        y, pred, score, weight, group = (library.asarray(each, device=device) for each in arrays)
        near = pytest.approx
        assert sm.roc_auc_score(y, score) == sm.roc_auc_score(TRUE, HALVES)
        assert sm.specificity_score(y, pred) == sm.specificity_score(TRUE, PRED)
        wanted = sm.brier_score_loss(TRUE, HALVES, sample_weight=WEIGHT)
        assert sm.brier_score_loss(y, score, sample_weight=weight) == near(wanted)
        assert type(sm.f1_score(y, pred, average=None)) is np.ndarray
        assert type(sm.roc_curve(y, score)[0]) is np.ndarray
        found = inference.interval("roc_auc", y, score, groups=group)
        assert list(found) == near(list(inference.interval("roc_auc", TRUE, HALVES, groups=CLASS)))
        found = inference.paired_test("roc_auc", y, score, weight)
        wanted = inference.paired_test("roc_auc", TRUE, HALVES, WEIGHT)
        assert found.p_value == near(wanted.p_value, abs=rounding(N))
        metrics = {"metrics": ["roc_auc", "f1"]}
        found = evaluation.evaluate(y, pred, score, by={"class": group}, **metrics)
        wanted = evaluation.evaluate(TRUE, PRED, HALVES, by={"class": CLASS}, **metrics)
        assert {key: dict(of) for key, of in found.items()} == {
            key: dict(of) for key, of in wanted.items()
        }

    @pytest.mark.recipes
    def test_tensors_with_a_gradient_and_those_that_numpy_cannot_read(self):
        torch = pytest.importorskip("torch")
        score = torch.tensor(HALVES, requires_grad=True)
        assert sm.roc_auc_score(TRUE, score) == sm.roc_auc_score(TRUE, HALVES)
        for layout in ("to_sparse", "bfloat16"):
            with pytest.raises(TypeError, match=r"y_score is Tensor.*float32 or float64"):
                sm.roc_auc_score(TRUE, getattr(torch.tensor(HALVES), layout)())

    @pytest.mark.parametrize(
        ("kind", "method"), [(OnDevice, "cpu"), (OnDevice, "get"), (OfJax, "a")]
    )
    def test_arrays_that_their_library_or_numpy_copies(self, kind, method):
        true, score = (kind(values, method) for values in (TRUE, HALVES))
        assert sm.roc_auc_score(true, score) == sm.roc_auc_score(TRUE, HALVES)


@pytest.mark.parametrize("names", [[-(2**60), 2**60], [2**60, 2**60 + 1], [2**63, 2**63 + 1]])
def test_integers_that_no_float_holds_stay_apart(names):
    y, pred = np.array(names)[[TRUE, PRED]]
    assert sm.recall_score(y, pred, pos_label=names[1]) == sm.recall_score(TRUE, PRED)


@each("name", OF_CLASSES)
def test_the_defaults_of_a_signature_are_those_of_the_call(name):
    function = OF_CLASSES[name]
    other = PRED if function.metric.kind.counted else HALVES
    options = function.options.items()
    said = {name: one.default for name, one in options if one.default is not one.empty}
    own = needed_parameters(name)
    np.testing.assert_equal(function(TRUE, other, **{**said, **own}), function(TRUE, other, **own))
