"""A user's function with keyword arrays: they follow the rows wherever rows move, or are refused."""

from functools import partial

import numpy as np
import pytest

from skaucx.inference import (
    interval,
    intervals,
    jackknife,
    paired_test,
    permutation_test,
)

RNG = np.random.default_rng(0)
N = 60
Y = RNG.integers(0, 2, N)
A, B = (np.where(RNG.random(N) < share, Y, 1 - Y) for share in (0.85, 0.6))
AMOUNT = RNG.lognormal(0, 1, N)
FEW = {"n_resamples": 200, "random_state": 0}


def profit(y_true, y_pred, amount):
    return np.mean(np.where(y_pred == 1, np.where(y_true == 1, amount, -amount), 0))


def of_columns(y_true, y_pred):
    """The same, with the amounts in a second column of the predictions, which follow the rows."""
    return profit(y_true, y_pred[:, 0], y_pred[:, 1])


def with_amounts(pred):
    return np.column_stack([pred, AMOUNT])


ONE = {
    "percentile": partial(interval, method="percentile", **FEW),
    "auto": partial(interval, **FEW),
    "groups": partial(interval, method="percentile", groups=np.arange(N) // 3, **FEW),
    "frequency": partial(
        interval,
        method="percentile",
        frequency=1 + np.arange(N) % 3,
        n_resamples=50,
        random_state=0,
    ),
    "intervals": lambda f, *rows, **given: intervals([f], *rows, **FEW, **given).popitem()[1],
    "jackknife": jackknife,
    "permutation": partial(permutation_test, **FEW),
}
TWO = {
    "paired": partial(paired_test, **FEW),
    "bootstrap": partial(paired_test, method="bootstrap", **FEW),
    "groups": partial(paired_test, method="bootstrap", groups=np.arange(N) // 3, **FEW),
    "permutation": partial(paired_test, method="permutation", **FEW),
}
NUMBERS = (
    "estimate", "low", "high", "standard_error", "bias", "p_value", "estimates", "interval",
)  # fmt: skip


def numbers(found):
    held = (getattr(found, name, None) for name in NUMBERS)
    return np.hstack([each for each in held if each is not None]).astype(float)


@pytest.mark.parametrize("door", ONE)
def test_arrays_of_a_function_follow_the_rows(door):
    call, bound = ONE[door], partial(profit, amount=AMOUNT)
    found = numbers(call(profit, Y, A, amount=AMOUNT))
    np.testing.assert_array_equal(numbers(call(bound, Y, A)), found)
    np.testing.assert_array_equal(numbers(call(profit, Y, A, amount=list(AMOUNT))), found)

    def by_default(y_true, y_pred, amount=AMOUNT):
        return profit(y_true, y_pred, amount)

    np.testing.assert_array_equal(numbers(call(by_default, Y, A)), found)
    if door != "permutation":  # there the predictions stay where they are, the amounts move
        seen = numbers(call(of_columns, Y, with_amounts(A)))
        np.testing.assert_allclose(found, seen, rtol=1e-12)


@pytest.mark.parametrize("door", TWO)
def test_arrays_of_a_function_follow_the_rows_of_pairs(door):
    found = numbers(TWO[door](profit, Y, A, B, amount=AMOUNT))
    np.testing.assert_array_equal(
        numbers(TWO[door](partial(profit, amount=AMOUNT), Y, A, B)), found
    )
    seen = numbers(TWO[door](of_columns, Y, with_amounts(A), with_amounts(B)))
    np.testing.assert_allclose(found, seen, rtol=1e-12)


@pytest.mark.parametrize("door", [*ONE, *(f"two {name}" for name in TWO)])
@pytest.mark.parametrize("amount", [np.append(AMOUNT, 1), AMOUNT[1:], [1.0, 2.0]])
def test_other_lengths_are_refused_by_name(door, amount):
    two = door.startswith("two ")
    call, rows = (TWO[door[4:]], (Y, A, B)) if two else (ONE[door], (Y, A))
    for function, given in ((profit, {"amount": amount}), (partial(profit, amount=amount), {})):
        with pytest.raises(ValueError, match=f"amount has {len(amount)}.*lambda y_true, y_pred"):
            call(function, *rows, **given)


def test_arrays_bound_by_position_are_refused():
    def first(amount, y_true, y_pred):
        return profit(y_true, y_pred, amount)

    with pytest.raises(ValueError, match=r"Argument 0 of first.* name"):
        interval(partial(first, AMOUNT), Y, A)


def test_one_number_is_needed():
    for call in (ONE["auto"], ONE["jackknife"], ONE["permutation"]):
        with pytest.raises(ValueError, match="must return one number"):
            call(lambda y_true, y_pred: y_true, Y, A)
