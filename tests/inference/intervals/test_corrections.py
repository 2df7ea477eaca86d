"""The argument `gold`: the methods that calls use of any correction of labels, without its annex."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from skaucx.evaluation import evaluate
from skaucx.inference import (
    Confidence,
    CorrectedEstimate,
    LabelCorrection,
    interval,
    intervals,
    paired_test,
)
from skaucx.inference._intervals.proportions import ShareForm

RNG = np.random.default_rng(0)
Y = (RNG.random(200) < 0.4) * 1
SCORE = RNG.random(200) * 0.5 + 0.4 * Y
PRED = (SCORE > 0.45) * 1
SITE = np.arange(200) % 3


class Whole:
    """All rows have true labels, so that nothing is corrected."""

    def __init__(self, rows=None):
        self.rows = rows

    def labelled_rows(self, y_true):
        return np.ones(len(y_true), dtype=bool)

    def subset(self, rows):
        return Whole(rows)

    def of_rows(self, y_true, predictions, *, sample_weight=None, groups=None, labels=None):
        own = Whole(np.arange(len(y_true)))
        own.given = np.asarray(y_true), [np.asarray(each) for each in predictions]
        own.extra = sample_weight, groups
        return own

    def _on(self, metric):
        truth, predictions = self.given
        return [metric.on(truth, each, slice(None), *self.extra) for each in predictions]

    def interval(self, metric, method):
        return self._on(metric)[0].usual_interval

    def difference(self, metric):
        one, other = self._on(metric)
        error = np.linalg.norm(one.influence_values - other.influence_values)
        values = float(one.estimate), float(other.estimate)
        return CorrectedEstimate(values, float(error), math.inf, "All rows", "a note")


def ends(found):
    return found.estimate, found.low, found.high


def test_it_is_a_protocol():
    assert isinstance(Whole(), LabelCorrection)
    assert not isinstance(np.ones(3), LabelCorrection)


@pytest.mark.parametrize(
    ("metric", "given", "options"),
    [
        ("f1", PRED, {}),
        ("roc_auc", SCORE, {"confidence_level": Confidence(0.9, alternative="greater")}),
        ("brier_score_loss", SCORE, {"sample_weight": RNG.random(200) + 0.5}),
        ("roc_auc", SCORE, {"groups": SITE * 60 + np.arange(200) % 20}),
        ("example_cost_loss", PRED, {"example_costs": RNG.random((200, 2, 2))}),
        ("fbeta:beta=2", PRED, {}),
        ("f1_macro", PRED, {}),
    ],
)
def test_every_argument_of_a_call_reaches_the_metric(metric, given, options):
    found = interval(metric, Y, given, gold=Whole(), **options)
    plain = interval(metric, Y, given, **options)
    np.testing.assert_allclose(ends(found), ends(plain), rtol=1e-12)
    assert (found.metric, found.label) == (plain.metric, plain.label)


@pytest.mark.parametrize("metric", ["mcc", "f1_macro"])
def test_a_correction_takes_the_classes_for_metrics_without_that_parameter_too(metric):
    found = interval(metric, Y, PRED, gold=Whole(), labels=[0, 1])
    np.testing.assert_allclose(ends(found), ends(interval(metric, Y, PRED)), rtol=1e-12)


def test_calls_of_several_metrics_and_of_groups():
    several = intervals(["recall", "mcc"], Y, PRED, gold=Whole())
    plain = intervals(["recall", "mcc"], Y, PRED)
    assert {k: ends(v) for k, v in several.items()} == {k: ends(v) for k, v in plain.items()}
    table = evaluate(Y, PRED, SCORE, ["recall", "roc_auc"], intervals=True, gold=Whole(), by=SITE)
    usual = evaluate(Y, PRED, SCORE, ["recall", "roc_auc"], intervals=True, by=SITE)
    for site in (0, 1, 2):
        assert table[site]["recall"] == usual[site]["recall"]
        assert ends(table[site].intervals["roc_auc"]) == ends(usual[site].intervals["roc_auc"])


def test_the_estimate_of_a_difference_makes_the_test():
    other = np.clip(SCORE + 0.1 * RNG.normal(size=200), 0, 1)
    found = paired_test(
        "roc_auc", Y, SCORE, other, gold=Whole(), margin=0.05, alternative="greater"
    )
    exact = paired_test("roc_auc", Y, SCORE, other, margin=0.05, alternative="greater")
    assert found.method == "All rows of roc_auc"
    assert "a note" in found.note
    assert found.estimates == pytest.approx(exact.estimates, abs=1e-12)
    assert found.statistic == pytest.approx(exact.statistic, rel=0.01)


def test_an_interval_around_another_estimate_has_its_standard_error_and_keeps_to_the_range():
    class Shifted(Whole):
        def of_rows(self, *arrays, **given):
            own = Whole.of_rows(self, *arrays, **given)
            own.interval = lambda metric, method: own._on(metric)[0].interval_around(
                0.97, 0.05, 12.0, symmetrical=method != "auto"
            )
            return own

    found = interval("recall", Y, PRED, gold=Shifted())
    assert (found.estimate, found.standard_error, found.method) == (0.97, 0.05, "wilson")
    # The score test of a share with the variance .05^2 at .97: (p - .97)^2 = t^2 p (1 - p) / n.
    size, reach = 0.97 * 0.03 / 0.05**2, 2.1788128
    p = np.array(ends(found)[1:])
    assert (p - 0.97) ** 2 == pytest.approx(reach**2 * p * (1 - p) / size, rel=1e-6)
    linked = interval("matthews_corrcoef", Y, PRED, gold=Shifted())
    assert (linked.estimate, linked.standard_error, linked.method) == (0.97, 0.05, "logit-t")
    assert linked.low < 0.87
    assert 0.97 < linked.high < 1
    flat = interval("recall", Y, PRED, gold=Shifted(), method="wald")
    reach *= 0.05  # the 97.5th percentile of Student's t with 12 degrees of freedom
    assert ends(flat) == pytest.approx((0.97, 0.97 - reach, 1.0), abs=1e-6)


@pytest.mark.parametrize(
    ("metric", "ends"), [("recall", (0.0, 1.0)), ("matthews_corrcoef", (-1.0, 1.0))]
)
def test_an_estimate_at_an_end_of_the_range_has_no_interval_around_it(metric, ends):
    found = []

    class Around(Whole):
        def of_rows(self, *arrays, **given):
            own = Whole.of_rows(self, *arrays, **given)

            def usual(metric, method):
                on = own._on(metric)[0]
                found.extend(on.interval_around(at, 0.05, 12.0) for at in (*ends, np.mean(ends)))
                return on.usual_interval

            own.interval = usual
            return own

    interval(metric, Y, PRED, gold=Around())
    assert found[:2] == [None, None]
    assert found[2].low < np.mean(ends) < found[2].high


def test_limits_around_a_ratio_are_wilsons_of_the_share_behind_it():
    """Of 30 among 40, and 2 A / (2 A + 3 B), whose slope at s = 3/4 is 6 / (9/4)^2."""
    form = ShareForm(30, 40, (2, 2), (0, 3))
    wilson = stats.binomtest(30, 40).proportion_ci(method="wilson")
    variance = (6 / 2.25**2) ** 2 * 0.75 * 0.25 / 40
    found = form.limits(np.array(1.5 / 2.25), variance, stats.norm.ppf(0.975))
    assert found == pytest.approx([2 * s / (3 - s) for s in (wilson.low, wilson.high)])
