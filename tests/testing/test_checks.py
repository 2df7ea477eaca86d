"""Checks for authors: metrics of the package pass, and each fault is found by its check."""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from skaucx import inference
from skaucx.metrics import declare
from skaucx.metrics._kinds import (
    Inputs,
    Kind,
    Record,
    Sample,
    SpreadOf,
    State,
    SumOf,
    over_outputs,
)
from skaucx.metrics._registry.declare import METRICS
from skaucx.testing import check_kind, check_metric
from skaucx.testing._common import KIND_CHECKS, METRIC_CHECKS
from tests.metrics.needed import needed_parameters

RNG = np.random.default_rng(0)
N = 60
Y, PRED = RNG.gamma(3, size=N) + 0.1, RNG.gamma(3, size=N) + 0.1


@dataclass(frozen=True, eq=False)
class Pair(Record):
    """Two numbers a row."""

    true: Any
    pred: Any
    weight: Any = None


def check(first, second, *, names, sample_weight=None):
    if not len(first):
        raise ValueError("no rows")
    return Pair(np.asarray(first, float), np.asarray(second, float)).weighed(sample_weight)


def kind(**parts):
    return Kind("pairs", Inputs("pairs of numbers", "y_pred", **{"check": check} | parts))


def gap(p):
    return np.abs(p.true - p.pred)


def mean_gap(p):
    """Mean gap."""
    return np.average(gap(p), weights=p.weights)


def influence(p):
    return (gap(p) - np.average(gap(p), weights=p.weights)) / p.weights.sum()


FACTS = {"better": "low", "bounds": (0, np.inf), "undefined": np.nan}


def declared(formula=mean_gap, of=None, **facts):
    return declare(of or kind(), **FACTS | facts)(formula)


@pytest.mark.parametrize(
    "name",
    ["recall", "f1", "matthews_corrcoef", "roc_auc", "average_precision", "mm7_auc", "scor_auc",
     "log_loss", "calibration_slope", "hinge_loss", "top_k_accuracy", "net_benefit", "expected_cost"],
)  # fmt: skip
def test_metrics_of_the_package_pass(name):
    report = check_metric(name, **needed_parameters(name))
    assert report.passed
    assert len(report) == len(METRIC_CHECKS)
    assert sum(each.outcome == "passed" for each in report) >= 10
    assert all(each.reason for each in report if each.outcome == "does not apply")


@pytest.fixture
def of_module(monkeypatch):
    """Declare a metric that is found under its name, as after a decorator."""

    def make(**facts):
        function = declared(**facts)
        monkeypatch.setattr(sys.modules[__name__], "mean_gap", function)
        return function

    return make


def test_a_kind_of_ones_own_passes(of_module):
    report = check_kind(of_module(losses=gap).metric.kind, Y, PRED)
    assert report.passed
    assert len(report) == len(KIND_CHECKS) + len(METRIC_CHECKS)
    assert "no perfect= is declared" in str(report)


def test_influences_that_are_derivatives_pass(of_module):
    report = check_metric(of_module(influence=influence), Y, PRED)
    [line] = [each for each in report if "influence" in each.check]
    assert line.outcome == "passed"


def unweighted(p):
    """No weights."""
    return gap(p).mean()


def first_row(p):
    """The first row counts twice."""
    return np.average(np.append(gap(p), gap(p)[0]), weights=np.append(p.weights, p.weights[0]))


def changing(p):
    """It sorts the caller's array."""
    p.true.sort()
    return np.average(gap(p), weights=p.weights)


def first_gap(p):
    """The gap of the first row."""
    return gap(p)[0]


def counted_calls(calls=itertools.count()):  # noqa: B008
    def formula(p):
        """It grows with every call."""
        return next(calls)

    return formula


def needs_many(p):
    """It fails on the rows of a fold."""
    if len(p.true) < 21 and p.weight is None:
        raise ZeroDivisionError("few rows")
    return mean_gap(p)


def of_light_rows(p):
    """It fails on most resamples; limits without the estimate or a width are no interval anyway."""
    if p.weights.max() > 3:
        raise ZeroDivisionError("a row was drawn four times")
    return mean_gap(p)


class Silent(State):
    """Undefined values are returned as they are."""

    def read(self, evaluate, **options):
        return np.nan if self.record.n_rows < 5 else evaluate(State(self.record))


class Stuck(Sample):
    """All replicates are the sample itself."""

    def reweighted(self, counts):
        return super().reweighted(np.ones_like(counts))


class Doubled(Sample):
    """It has more rows than its record."""

    def __init__(self, record, inputs, collapse=False):
        super().__init__(record, inputs)
        self.n_rows *= 2


class Whole(Pair):
    """Some rows are all rows."""

    def subset(self, rows):
        return self


def keeps_weight_0(first, second, *, names, sample_weight=None):
    weight = None if sample_weight is None else np.asarray(sample_weight, float)
    return Pair(np.asarray(first), np.asarray(second), weight)


def takes_any(first, second, *, names, sample_weight=None):
    few = min(len(first), len(second))
    return check(first[:few], second[:few], names=names)


def whole(first, second, *, names, sample_weight=None):
    return Whole(np.asarray(first), np.asarray(second)).weighed(sample_weight)


# A fault for each check, by a part of what the check is called.
FAULTS = {
    "repetitions": {"formula": unweighted},
    "weight 0": {"formula": first_gap, "of": kind(check=keeps_weight_0)},
    "order": {"formula": first_row},
    "bounds, of few": {"bounds": (0, 0.5)},
    "undefined value": {"of": kind(make_state=Silent)},
    "losses": {"losses": lambda p: 2 * gap(p)},
    "influence": {"influence": lambda p: 2 * influence(p)},
    "Replicates": {"of": kind(sample=Stuck)},
    "interval contains": {"formula": of_light_rows},
    "equal predictions": {"formula": counted_calls()},
    "pickled": {},  # its name holds the formula, not the metric
    "nested run": {"formula": needs_many},
    "left as they are": {"formula": changing},
}  # fmt: skip
FAULTS_OF_KINDS = {
    "and its weights": {"check": keeps_weight_0},
    "weighed anew": {"check": whole},
    "different lengths": {"check": takes_any},
    "rows as its record": {"sample": Doubled},
    "Perfect predictions": {"perfect": lambda y: y[:-1]},
}


@pytest.mark.parametrize(
    ("faults", "checks"), [(FAULTS, METRIC_CHECKS), (FAULTS_OF_KINDS, KIND_CHECKS)]
)
def test_every_check_has_its_fault(faults, checks):
    named = [[fault for fault in faults if fault in each.__doc__] for each in checks]
    assert sorted(fault for [fault] in named) == sorted(faults)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_named(fault):
    function = declared(**FAULTS[fault])
    report = check_metric(function, Y.copy(), PRED, on_fail="report")
    failed = [each.check for each in report if each.outcome == "failed"]
    assert any(fault in each for each in failed), report
    assert not report.passed
    with pytest.raises(AssertionError):
        check_metric(function, Y.copy(), PRED)


@pytest.mark.parametrize("fault", FAULTS_OF_KINDS)
def test_every_fault_of_a_kind_is_named(fault):
    report = check_kind(kind(**FAULTS_OF_KINDS[fault]), Y, PRED, on_fail="report")
    assert any(fault in each.check for each in report if each.outcome == "failed"), report


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ({"check": lambda a, b: None}, TypeError, r"check= of Inputs.'pairs of numbers'"),
        ({"check": None}, TypeError, "check= of .* must be of type Callable.*found None"),
        ({"extra_arrays": ("costs",)}, TypeError, "check=.*costs="),
        ({"extra_arrays": "costs"}, TypeError, "extra_arrays=.*tuple.*'costs'"),
        ({"per_row_arguments": ("costs",)}, ValueError, "per_row_arguments=.*'costs'"),
        ({"perfect": 3}, TypeError, "perfect=.*found 3"),
        ({"claims": 3}, TypeError, "claims=.*found 3"),
        ({"default_metrics": "gap"}, TypeError, "default_metrics=.*'gap'"),
        ({"texts": ["y"]}, TypeError, "texts=.*Mapping"),
    ],
)
def test_what_a_kind_lacks_is_said_where_it_is_declared(parts, error, message):
    with pytest.raises(error, match=message):
        kind(**parts)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Kind("pairs", {}), "inputs= of Kind.'pairs'. .*Inputs"),
        (lambda: Kind("pairs", kind().inputs, select=3), "select=.*found 3"),
        (lambda: Kind("pairs", kind().inputs, scale="ratio"), "scale=.*'ratio'"),
        (lambda: Kind("pairs", kind().inputs, response_method=3), "response_method=.*found 3"),
    ],
)
def test_parts_of_another_type_are_named(make, message):
    with pytest.raises(TypeError, match=message):
        make()


@pytest.mark.parametrize(
    ("formula", "facts", "message"),
    [
        (mean_gap, {"losess": gap}, "'losess' .*did you mean 'losses'"),
        (mean_gap, {"losses": "gap"}, "losses= of mean_gap .*'gap'"),
        (mean_gap, {"losses": lambda: 0}, r"losses= of mean_gap is called as losses\(record\)"),
        (mean_gap, {"influence": 3}, "influence= of mean_gap .*found 3"),
        (mean_gap, {"totals": [gap]}, "totals= of mean_gap .*tuple"),
        (mean_gap, {"bounds": (1, 0)}, r"bounds .*found \(1, 0\)"),
        (mean_gap, {"better": "up"}, "better must be one of 'low'"),
        (mean_gap, {"undefined": "none"}, "undefined= of mean_gap .*'none'"),
        (mean_gap, {"aliases": "mg"}, "aliases= of mean_gap .*'mg'"),
        (gap, {"mean": 2}, "mean must be 1, or 0.5 .*found 2"),
        (gap, {"mean": 1, "losses": gap}, "mean= makes losses="),
        (gap, {"average": lambda values: values}, r"average\(values, record\)"),
        (lambda: 0, {}, r"is called as formula\(record\)"),
    ],
)
def test_what_a_metric_lacks_is_said_where_it_is_declared(formula, facts, message):
    before = set(METRICS.data)
    with pytest.raises((TypeError, ValueError), match=message):
        declared(formula, **facts)
    assert set(METRICS.data) == before


def test_a_check_returns_a_record():
    of = kind(check=lambda a, b, *, names, sample_weight=None: (a, b))
    with pytest.raises(
        TypeError, match=r"check= of Inputs.'pairs of numbers'. must return a Record"
    ):
        declared(of=of)(Y, PRED)


def test_labels_of_a_kind_without_classes_are_refused():
    with pytest.raises(TypeError, match="labels name classes, which pairs of numbers do not have"):
        inference.interval(declared(), Y, PRED, labels=[0, 1])


def squares(p):
    return (p.true - p.pred) ** 2


def truth(p):
    return p.true


def root_gap(p):
    """Root mean square gap."""
    return squares(p)


def powered(p, *, power: float = 1.0):
    """Mean gap to a power."""
    return gap(p) ** power


def skill(p):
    """Share of the variance that is explained."""
    return 1 - p.sum_of(squares) / p.total(SpreadOf(truth))[2]


BY_TOTALS = {
    "mean": (powered, {"mean": 1}),
    "root": (root_gap, {"mean": 0.5}),
    "ratio": (
        skill,
        {"totals": (SumOf(squares), SpreadOf(truth)), "better": "high", "bounds": (-np.inf, 1)},
    ),
}


@pytest.mark.parametrize("name", BY_TOTALS)
def test_means_roots_and_ratios_of_totals_have_every_door(name, monkeypatch):
    """Their losses or influences, follow from what is declared."""
    formula, facts = BY_TOTALS[name]
    function = declared(formula, kind(), **facts)
    monkeypatch.setattr(sys.modules[__name__], formula.__name__, function)
    report = check_metric(function, Y, PRED)
    passed = {each.check for each in report if each.outcome == "passed"}
    assert any("influence" in each for each in passed)
    assert any("losses" in each for each in passed) == (name == "mean")
    found = inference.interval(function, Y, PRED)
    assert found.low < found.estimate < found.high
    assert not found.n_resamples


def test_a_parameter_of_a_loss_reaches_its_mean():
    function = declared(powered, kind(), mean=1)
    for given in ({}, {"power": 1.0}, {"power": 2.0}):
        wanted = np.mean(np.abs(Y - PRED) ** given.get("power", 1))
        assert function(Y, PRED, **given) == pytest.approx(wanted)


def test_totals_of_a_perfect_prediction_have_no_slope():
    function = declared(skill, kind(), **BY_TOTALS["ratio"][1])
    assert function(Y, Y) == 1
    low, high = (getattr(inference.interval(function, Y, Y), end) for end in ("low", "high"))
    assert not (low == high == 1)


def test_outputs_are_averaged_by_the_rule_of_averages():
    function = declared(powered, kind(), mean=1, average=over_outputs)
    both = np.column_stack([Y, 2 * Y]), np.column_stack([PRED, PRED])
    each = [function(y, f) for y, f in zip(both[0].T, both[1].T, strict=True)]
    assert function(*both) == pytest.approx(np.mean(each))
    np.testing.assert_allclose(function(*both, multioutput="raw_values"), each)
    assert function(*both, multioutput=[1.0, 3.0]) == pytest.approx(
        np.average(each, weights=[1, 3])
    )
    assert function(*both, power=2.0) == pytest.approx(np.mean((both[0] - both[1]) ** 2))
    losses = np.abs(both[0] - both[1]).mean(axis=1)
    found = inference.interval(function, *both)
    assert found.estimate == pytest.approx(losses.mean())
    assert found.standard_error == pytest.approx(losses.std(ddof=1) / np.sqrt(N))
    with pytest.raises(ValueError, match="multioutput holds 3 weights for 2 outputs"):
        function(*both, multioutput=[1.0, 1.0, 1.0])


def test_a_name_of_a_kind_is_taken_once():
    with pytest.raises(ValueError, match=r"'counts' .*already"):
        declared(of=Kind("counts", kind().inputs))
    declared()
    declared(of=kind())  # one's own may be declared again


def test_what_is_missing_is_asked_for():
    with pytest.raises(ValueError, match="pass y_true and y_pred_or_score"):
        check_metric(declared())
    with pytest.raises(ValueError, match="on_fail must be one of"):
        check_metric("recall", on_fail="warn")
    with pytest.raises(ValueError, match="kind must be one of"):
        check_kind("no_such_kind", Y, PRED)
