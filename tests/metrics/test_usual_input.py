"""Plain arrays take short ways past checks that they cannot fail: every other way gives the same."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest

from skaucx.metrics._registry.declare import METRICS
from tests.each import each
from tests.metrics.of_classes import OF_CLASSES
from tests.metrics.test_bad_input import OF_KINDS, PARAMETERS, Y3

RNG = np.random.default_rng(0)
FEW, MANY = 60, 1500  # on either side of the number from which on NumPy collects labels
LABELS = {
    "bool": ([False, True], bool), "int8": ([0, 1], np.int8), "int64": ([0, 1], np.int64),
    "uint64": ([0, 1], np.uint64), "big-endian": ([0, 1], ">i4"), "minus-one": ([-1, 1], np.int64),
    "far-apart": ([-(2**60), 2**60], np.int64), "float64": ([0, 1], np.float64),
    "strings": (["healthy", "ill"], np.str_), "objects": (["healthy", "ill"], object),
}  # fmt: skip


class View(np.ndarray):
    """An array that is no plain one, so that nothing is known of it beforehand."""


View.__name__ = "ndarray"  # as messages call it


def outcome(call):
    """Return the value of a call, or its error, with the warnings that it gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = np.asarray(call()).tobytes()
        except (ValueError, TypeError) as error:
            value = type(error), str(error)
    return value, [(warning.category, str(warning.message)) for warning in caught]


def as_array(values):
    """Return a plain array of a list, where it is one of equal rows."""
    try:
        return np.asarray(values) if type(values) is list else values
    except ValueError:
        return values


def other_forms(array):
    """Yield an array in other containers and layouts."""
    yield array.view(View)
    yield np.repeat(array, 2)[::2]
    frozen = array.copy()
    frozen.setflags(write=False)
    yield frozen


@pytest.mark.parametrize("n", [FEW, MANY])
@pytest.mark.parametrize("lone", [False, True])
@pytest.mark.parametrize("kind", LABELS)
def test_labels_of_any_form(n, lone, kind):
    """Labels are numbered by their bits, by a look-up table or by sorting, which strings always are."""
    names, dtype = LABELS[kind]
    drawn = np.ones((2, n), dtype=int) if lone else RNG.integers(0, 2, (2, n))
    y, pred = np.array(names, dtype=dtype)[drawn]
    letters = np.array(["a", "b"])
    for name in ("matthews_corrcoef", "recall", "cohen_kappa", "p4"):
        function = METRICS[name]
        takes = "pos_label" in function.options
        options, of_letters = ({"pos_label": one} if takes else {} for one in (names[1], "b"))
        expected = outcome(lambda f=function, o=of_letters: f(*letters[drawn], **o))
        for arrays in [(y, pred), *zip(other_forms(y), other_forms(pred), strict=True)]:
            assert outcome(lambda f=function, a=arrays, o=options: f(*a, **o)) == expected


@pytest.mark.parametrize("defined", [0, 1])
@each("name", OF_CLASSES)
def test_options_that_say_what_is_usual(name, defined, needed):
    """A metric under no options is settled beforehand, one under some at each call."""
    function = OF_CLASSES[name]
    y, score = RNG.integers(0, 2, FEW) * defined, RNG.random(FEW)
    other = np.where(score > 0.5, defined, 0) if function.metric.kind.counted else score
    said = {
        name: option.default
        for name, option in function.options.items()
        if option.default is not option.empty
    }
    own = needed(function)
    assert outcome(lambda: function(y, other, **own)) == outcome(
        lambda: function(y, other, **{**said, **own})
    )


@each("case", OF_KINDS + PARAMETERS)
def test_refusals_of_any_form(case, needed):
    """What is refused in a plain array is refused in the same words in another."""
    kinds = {}
    for function in OF_CLASSES.values():
        if case.applies(function.metric):
            kinds.setdefault(function.metric.kind.name, function)
    for function in kinds.values():
        taken = inspect.signature(function).parameters
        arrays = [None if array is ... else array for array in case.arrays(function.metric)]
        options = {name: v for name, v in case.options.items() if name in taken}
        options = needed(function, classes=3 if case.y is Y3 else 2) | options
        plain = [as_array(array) for array in arrays]
        viewed = [a.view(View) if type(a) is np.ndarray and a.ndim else a for a in plain]
        first = outcome(lambda f=function, p=plain, o=options: f(*p, **o))
        assert first == outcome(lambda f=function, v=viewed, o=options: f(*v, **o))
