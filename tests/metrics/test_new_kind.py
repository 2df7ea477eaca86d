"""A kind that the package does not have: costs of each example, in one file, from outside the house."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from skaucx import metrics as sm
from skaucx._arrays import check_same_length, float_array, label_array, weight_vector
from skaucx.metrics._records.inputs import check_label_pair
from skaucx.metrics._records.record import Record
from skaucx.metrics.kinds.base import Kind, Prediction, Problem

RNG = np.random.default_rng(0)
Y, A, B = RNG.integers(0, 2, (3, 80))
COST = RNG.gamma(2.0, size=(80, 2, 2)) * (1 - np.eye(2))
WEIGHT = RNG.integers(0, 3, 80)
OF_EACH = COST[np.arange(80), Y, A]


@dataclass(frozen=True, eq=False)
class CostedLabels(Record):
    """True and predicted labels, with what each example costs: ``cost[i, true, predicted]``."""

    _by_row = ("true", "pred", "cost")
    many_weights = True

    true: Any
    pred: Any
    cost: Any
    weight: Any


@dataclass(frozen=True)
class Costs:
    """What each example costs as it is called, with weights of shape (n,) or (replicates, n)."""

    each: Any
    weight: Any


class CostState:
    multilabel = False

    def __init__(self, record):
        weight = np.ones(len(record.true)) if record.weight is None else record.weight
        rows = np.arange(len(record.true))
        self.costs = Costs(record.cost[rows, record.true, record.pred], weight)

    def read(self, evaluate, **options):
        return evaluate(self)


def check_costed(first, second, *, names, labels=None, sample_weight=None, prices=None):
    pair = check_label_pair(first, second, names=names, labels=labels)
    cost, weight = float_array(prices, "prices"), weight_vector(sample_weight)
    check_same_length({names[0]: pair.true, "prices": cost, "sample_weight": weight})
    record = CostedLabels(pair.true, pair.pred, cost, weight)
    return record if weight is None else record.weighing(weight)


COSTED = Prediction(
    "predicted labels with costs",
    "y_pred",
    read=label_array,
    check=check_costed,
    hold=CostState,
    of_response=lambda response, *_: response,
    beside=("prices",),
    of_rows=("prices",),
)
KIND = Kind(
    "prices",
    COSTED,
    lambda metric, options, zero_division: (lambda state: Problem(state.costs), {}),
    "predict",
    options={"prices": None},
    suffixes={"": {}},
    multilabel=False,
)


@pytest.fixture
def price():
    @sm.declare(KIND, better="low", bounds=(0, np.inf))
    def price_loss(c):
        """Mean cost of an example, each by its own table of costs."""
        return (c.each * c.weight).sum(axis=-1) / c.weight.sum(axis=-1)

    return price_loss


def test_value_weights_and_refusals(price):
    assert price(Y, A, prices=COST) == pytest.approx(OF_EACH.mean())
    weighted = price(Y, A, prices=COST, sample_weight=WEIGHT)
    assert weighted == pytest.approx(np.average(OF_EACH, weights=WEIGHT))
    with pytest.raises(ValueError, match="prices has 79"):
        price(Y, A, prices=COST[:-1])
    with pytest.raises(TypeError, match="prices is None"):
        price(Y, A)


def test_interval_by_the_bootstrap(price):
    found = sm.interval(
        price, Y, A, prices=COST, method="percentile", n_resamples=400, random_state=0
    )
    assert found.estimate == pytest.approx(OF_EACH.mean())
    error = OF_EACH.std() / np.sqrt(80)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.2)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_two_classifiers_share_the_costs_of_a_row(price, weight):
    settings = {"sample_weight": weight, "random_state": 0}
    w = np.ones(80) if weight is None else weight
    gaps = (COST[np.arange(80), Y, A] - COST[np.arange(80), Y, B]) * w / w.sum()
    boot = sm.paired_bootstrap_test(
        price, Y, A, B, prices=COST, n_resamples=2000, stratify=False, **settings
    )
    assert boot.difference == pytest.approx(gaps.sum())
    middle = gaps - w / w.sum() * gaps.sum()
    error = np.sqrt((middle**2).sum())
    low, high = boot.interval
    assert high - low == pytest.approx(2 * 1.96 * error, rel=0.1)
    few = np.where(np.arange(80) < 7, 1 - A, A)
    exchanged = sm.paired_permutation_test(
        price, Y, A, few, prices=COST.tolist(), sample_weight=weight
    )
    gaps = ((COST[np.arange(80), Y, A] - COST[np.arange(80), Y, few]) * w)[:7]
    sums = np.array(list(itertools.product([-1, 1], repeat=7))) @ gaps
    assert exchanged.p_value == np.mean(np.abs(sums) >= abs(gaps.sum()) * (1 - 1e-12))


def test_jackknife(price):
    found = sm.jackknife(price, Y, A, prices=COST)
    assert found.corrected == pytest.approx(found.estimate)
    assert found.standard_error == pytest.approx(OF_EACH.std(ddof=1) / np.sqrt(80))


def test_its_name_is_known(price):
    assert sm.list_metrics()[-1].kind is KIND
    assert str(sm.get_scorer("neg_price_loss", prices=COST[:2])).startswith("make_scorer")
    assert not price.metric.kind.counted
