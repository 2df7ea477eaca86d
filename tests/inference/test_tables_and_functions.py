"""Published tables, and functions that the package does not know, whose arrays follow the rows."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import fbeta_score, roc_auc_score

from skaucx.inference import interval, intervals, jackknife, paired_test, permutation_test
from skaucx.metrics import Counts
from tests.datasets import binary, classes

RNG = np.random.default_rng(0)
TABLE = np.array([[50, 7], [9, 34]])
Y = np.repeat([0, 0, 1, 1], TABLE.ravel())
PRED = np.repeat([0, 1, 0, 1], TABLE.ravel())
SCORE = RNG.normal(size=100) + Y


@pytest.mark.parametrize(
    "metric", ["recall", "npv", "mcc", "f1", "positive_likelihood_ratio", "kappa"]
)
@pytest.mark.parametrize("method", ["auto", "percentile", "bca"])
def test_a_table_has_the_interval_of_its_rows(metric, method):
    settings = {"method": method, "n_resamples": 200, "random_state": 0}
    rows = interval(metric, Y, PRED, **settings)
    for counts in (TABLE, Counts.from_table(TABLE)):
        found = interval(metric, counts=counts, **settings)
        assert (found.estimate, found.method) == (rows.estimate, rows.method)
        np.testing.assert_allclose([*found], [*rows], rtol=1e-12)


def test_tables_of_many_classes_and_several_metrics():
    table = RNG.integers(1, 20, (4, 4))
    y, pred = (np.repeat(i.ravel(), table.ravel()) for i in np.indices((4, 4)))
    for average in ("macro", None):
        rows = interval("f1", y, pred, average=average)
        counted = interval("f1", counts=table, average=average)
        np.testing.assert_allclose(counted.low, rows.low, rtol=1e-12)
    found = intervals(["accuracy", "kappa"], counts=table)
    assert found["accuracy"].estimate == np.trace(table) / table.sum()


@pytest.mark.parametrize("method", ["auto", "percentile"])
def test_a_plain_function_has_the_bootstrap_of_the_metric(method):
    settings = {"n_resamples": 100, "random_state": 0}
    plain = interval(roc_auc_score, Y, SCORE, method=method, **settings)
    ours = interval("roc_auc", Y, SCORE, method="bca" if method == "auto" else method, **settings)
    np.testing.assert_allclose([plain.estimate, *plain], [ours.estimate, *ours], rtol=1e-9)
    assert (plain.metric, plain.method) == ("roc_auc_score", ours.method)
    found = interval(fbeta_score, Y, PRED, beta=2.0, method=method, n_resamples=40, random_state=0)
    assert found.estimate == fbeta_score(Y, PRED, beta=2.0)


SKEWED = np.random.default_rng(0).exponential(size=40)
TIED = np.random.default_rng(2).integers(0, 3, 10).astype(float)  # resamples have few values


@pytest.mark.parametrize(("method", "x"), [("BCa", SKEWED), ("BCa", TIED), ("percentile", SKEWED)])
def test_resampled_limits_of_a_mean_are_those_of_scipy(method, x):
    many, seed = {"n_resamples": 2000}, np.random.default_rng(1)
    theirs = stats.bootstrap((x,), np.mean, method=method, random_state=seed, **many)
    many |= {"method": method.lower(), "random_state": 0}
    found = interval(lambda y, p: p.mean(), np.arange(len(x)) % 2, x, **many)
    close = 0.25 * theirs.standard_error  # less than the acceleration or ties move
    assert [*found] == pytest.approx([*theirs.confidence_interval], abs=close)


def test_entries_name_their_classes():
    y, pred, names = classes.y, classes.pred, ["cat", "dog", "owl"]
    found = interval("recall", y, pred, average=None)
    assert found.classes.tolist() == names
    assert [line.split()[2] for line in repr(found).splitlines()[:3]] == names
    assert "<td" in found._repr_html_()
    some = interval("recall", y, pred, average=None, labels=["owl", "cat"])
    assert some.classes.tolist() == ["owl", "cat"]
    np.testing.assert_allclose(some.low, found.low[[2, 0]])
    scores = interval("roc_auc", y, classes.score, multi_class="ovr", average=None)
    assert scores.classes.tolist() == names
    assert interval("recall", y, pred, average="macro").classes is None


AMOUNT = RNG.lognormal(0, 1, 60)
FEW = {"n_resamples": 200, "random_state": 0}
ONE, TWO = (binary.y, binary.pred), (binary.y, binary.pred, binary.other_pred)


def profit(y_true, y_pred, amount):
    return np.mean(np.where(y_pred == 1, np.where(y_true == 1, amount, -amount), 0))


def profit_of_some(y_true, y_pred, amount=AMOUNT):
    return profit(y_true, y_pred, amount)


def profit_of_columns(y_true, y_pred):
    """The same, with the amounts in a second column of the predictions, which follow the rows."""
    return profit(y_true, y_pred[:, 0], y_pred[:, 1])


DOORS = {
    "percentile": (partial(interval, method="percentile", **FEW), ONE),
    "auto": (partial(interval, **FEW), ONE),
    "groups": (partial(interval, method="percentile", groups=binary.groups, **FEW), ONE),
    "frequency": (
        partial(interval, method="percentile", frequency=1 + np.arange(60) % 3, **FEW), ONE
    ),
    "intervals": (lambda f, *rows, **given: intervals([f], *rows, **FEW, **given).popitem()[1], ONE),
    "jackknife": (jackknife, ONE),
    "chance": (partial(permutation_test, **FEW), ONE),
    "paired": (partial(paired_test, **FEW), TWO),
    "bootstrap": (partial(paired_test, method="bootstrap", **FEW), TWO),
    "paired groups": (partial(paired_test, method="bootstrap", groups=binary.groups, **FEW), TWO),
    "permutation": (partial(paired_test, method="permutation", **FEW), TWO),
}  # fmt: skip
NUMBERS = ["estimate", "low", "high", "standard_error", "bias", "p_value", "estimates", "interval"]


def numbers(found):
    held = (getattr(found, name, None) for name in NUMBERS)
    return np.hstack([each for each in held if each is not None]).astype(float)


@pytest.mark.parametrize("door", DOORS)
def test_arrays_of_a_function_follow_the_rows_or_are_refused(door):
    call, (y, *preds) = DOORS[door]
    found = numbers(call(profit, y, *preds, amount=AMOUNT))
    for same, given in (
        (profit, {"amount": list(AMOUNT)}),
        (partial(profit, amount=AMOUNT), {}),
        (profit_of_some, {}),
    ):
        np.testing.assert_array_equal(numbers(call(same, y, *preds, **given)), found)
    if door != "chance":  # there the predictions stay where they are, the amounts move
        both = (np.column_stack([pred, AMOUNT]) for pred in preds)
        np.testing.assert_allclose(numbers(call(profit_of_columns, y, *both)), found, rtol=1e-12)
    for wrong in (np.append(AMOUNT, 1), [1.0, 2.0]):
        for function, given in ((profit, {"amount": wrong}), (partial(profit, amount=wrong), {})):
            with pytest.raises(ValueError, match=f"amount has {len(wrong)}.*lambda y_true, y_pred"):
                call(function, y, *preds, **given)


def test_arrays_bound_by_position_and_other_than_one_number_are_refused():
    with pytest.raises(ValueError, match=r"Argument 0 of profit.* name"):
        interval(partial(profit, AMOUNT), *ONE)
    for door in ("auto", "jackknife", "chance"):
        with pytest.raises(ValueError, match="must return one number"):
            DOORS[door][0](lambda y_true, y_pred: y_true, *ONE)
