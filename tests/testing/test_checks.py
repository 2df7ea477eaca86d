"""Checks for authors: metrics of the package pass, and each fault is found by its check."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from skaucx.metrics import declare
from skaucx.metrics.kinds import Inputs, Kind, Record
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
    assert "which are not counted in chunks" in str(report)
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


FAULTS = {
    "repetitions": {"formula": unweighted},
    "order": {"formula": first_row},
    "bounds": {"bounds": (0, 0.5)},
    "losses": {"losses": lambda p: 2 * gap(p)},
    "influence": {"influence": lambda p: 2 * influence(p)},
    "left as they are": {"formula": changing},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_is_named(fault):
    function = declared(**FAULTS[fault])
    report = check_metric(function, Y.copy(), PRED, on_fail="report")
    failed = [each.check for each in report if each.outcome == "failed"]
    assert any(fault in each for each in failed)
    assert not report.passed
    with pytest.raises(AssertionError):
        check_metric(function, Y.copy(), PRED)


def keeps_weight_0(first, second, *, names, sample_weight=None):
    weight = None if sample_weight is None else np.asarray(sample_weight, float)
    return Pair(np.asarray(first), np.asarray(second), weight)


@pytest.mark.parametrize(
    ("parts", "named"),
    [
        ({"check": keeps_weight_0}, "weights"),
        ({"perfect": lambda y: y[:-1]}, "Perfect predictions"),
    ],
)  # fmt: skip
def test_every_fault_of_a_kind_is_named(parts, named):
    report = check_kind(kind(**parts), Y, PRED, on_fail="report")
    assert any(named in each.check for each in report if each.outcome == "failed")


@pytest.mark.parametrize(
    ("parts", "error", "message"),
    [
        ({"check": lambda a, b: None}, TypeError, r"check= of Inputs.'pairs of numbers'"),
        ({"check": None}, TypeError, "check= .* must be callable, found None"),
        ({"extra_arrays": ("costs",)}, TypeError, "check=.*costs="),
        ({"per_row_arguments": ("costs",)}, ValueError, "per_row_arguments=.*'costs'"),
    ],
)
def test_what_a_kind_lacks_is_said_where_it_is_declared(parts, error, message):
    with pytest.raises(error, match=message):
        kind(**parts)


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
