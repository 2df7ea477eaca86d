"""evaluate(by=): metrics in groups, gaps with limits, scorers of the worst group."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import metrics as sm
from skaucx.metrics import ForestDisplay, GroupedEvaluation, evaluate, interval
from skaucx.metrics._evaluation import gaps

RNG = np.random.default_rng(11)
N = 400
SEX, SITE = RNG.choice(["f", "m"], N), RNG.choice(["north", "south", "west"], N)
Y = (RNG.random(N) < 0.4).astype(int)
SCORE = 1 / (1 + np.exp(-(2 * Y - 1 + RNG.normal(size=N))))
PRED = (SCORE > 0.5).astype(int)
WEIGHT = RNG.integers(0, 4, N).astype(float)
NAMES = ["recall", "specificity", "precision", "accuracy", "g_mean", "roc_auc"]

# fairlearn 0.15.0, MetricFrame(metrics=recall_score, ...) of the rows below: by
# group, difference(), ratio(), difference(method="to_overall"), ratio(method="to_overall").
ROWS = [1, 1, 1, 0, 1, 1, 1, 1], [1, 0, 1, 1, 1, 1, 1, 0], ["a", "a", "a", "a", "b", "b", "b", "b"]
GOLDEN = {"a": 2 / 3, "b": 3 / 4}
GAPS = 1 / 12, 8 / 9, 1 / 21, 14 / 15


def by_hand(name, rows, **options):
    function = getattr(sm, f"{name}_score", None) or getattr(sm, name)
    return function(Y[rows], (SCORE if name == "roc_auc" else PRED)[rows], **options)


class TestValues:
    def test_each_group_is_evaluated_by_itself(self):
        found = evaluate(Y, PRED, SCORE, metrics=NAMES, by=SEX)
        assert isinstance(found, GroupedEvaluation)
        assert list(found) == ["f", "m"]
        assert found.sizes == {"f": int((SEX == "f").sum()), "m": int((SEX == "m").sum())}
        for sex in "fm":
            for name in NAMES:
                assert found[sex][name] == by_hand(name, sex == SEX)
        for name in NAMES:
            assert found.overall[name] == by_hand(name, slice(None))

    def test_intersections(self):
        found = evaluate(Y, PRED, SCORE, metrics=NAMES, by={"sex": SEX, "site": SITE})
        assert len(found) == 6
        assert found.names == ("sex", "site")
        rows = (SEX == "m") & (SITE == "west")
        assert found["m", "west"]["recall"] == by_hand("recall", rows)
        frame = pd.DataFrame({"sex": SEX, "site": SITE})
        other = evaluate(Y, PRED, SCORE, metrics=NAMES, by=frame)
        assert {k: dict(v) for k, v in other.items()} == {k: dict(v) for k, v in found.items()}
        assert evaluate(Y, PRED, by=frame.to_numpy()).names == ("group 0", "group 1")
        assert evaluate(Y, PRED, by=frame["sex"]).names == ("sex",)

    def test_weights_leave_rows_out(self):
        found = evaluate(Y, PRED, SCORE, metrics=NAMES, by=SEX, sample_weight=WEIGHT)
        assert found.sizes["f"] == ((SEX == "f") & (WEIGHT > 0)).sum()
        rows = SEX == "f"
        for name in NAMES:
            assert found["f"][name] == pytest.approx(
                by_hand(name, rows, sample_weight=WEIGHT[rows]), rel=1e-12
            )

    def test_gaps(self):
        found = evaluate(Y, PRED, SCORE, metrics=NAMES, by=SITE)
        for name in NAMES:
            values = [found[site][name] for site in found]
            overall = found.overall[name]
            assert found.group_min()[name] == min(values)
            assert found.group_max()[name] == max(values)
            assert found.difference()[name].estimate == max(values) - min(values)
            assert found.ratio()[name].estimate == min(values) / max(values)
            apart = [abs(v - overall) for v in values]
            assert found.difference("to_overall")[name].estimate == max(apart)
            ratios = [min(v, overall) / max(v, overall) for v in values]
            assert found.ratio("to_overall")[name].estimate == min(ratios)
            assert found.worst()[name][1] == min(values)

    def test_losses_are_worst_where_they_are_greatest(self):
        found = evaluate(Y, y_score=SCORE, metrics=["log_loss"], by=SITE)
        assert found.worst()["log_loss"][1] == found.group_max()["log_loss"]

    def test_golden_values_of_fairlearn(self):
        y, p, by = ROWS
        found = evaluate(y, p, metrics=["recall"], by=by)
        assert {k: v["recall"] for k, v in found.items()} == pytest.approx(GOLDEN)
        told = [
            function(method)["recall"].estimate
            for method in ("between_groups", "to_overall")
            for function in (found.difference, found.ratio)
        ]
        assert told == pytest.approx(GAPS)

    @pytest.mark.parametrize("seed", range(5))
    def test_fairlearns_metric_frame(self, seed):
        fairlearn = pytest.importorskip("fairlearn.metrics")
        rng = np.random.default_rng(seed)
        n = 300
        y, p = rng.integers(0, 2, n), rng.integers(0, 2, n)
        by = pd.DataFrame({"a": rng.choice(list("xyz"), n), "b": rng.choice(list("uv"), n)})
        names = {
            "recall": sm.recall_score, "specificity": sm.specificity_score,
            "precision": sm.precision_score, "accuracy": sm.accuracy_score,
            "predicted_positive_rate": fairlearn.selection_rate,
            "false_positive_rate": fairlearn.false_positive_rate,
        }  # fmt: skip
        theirs = fairlearn.MetricFrame(metrics=names, y_true=y, y_pred=p, sensitive_features=by)
        ours = evaluate(y, p, metrics=list(names), by=by)
        values = ours.to_frame()["value"].unstack("metric")
        pd.testing.assert_frame_equal(
            values[list(names)], theirs.by_group[list(names)], check_names=False, check_dtype=False
        )
        for name in names:
            assert ours.overall[name] == pytest.approx(theirs.overall[name], abs=1e-15)
            for method in ("between_groups", "to_overall"):
                for kind in ("difference", "ratio"):
                    wanted = getattr(theirs, kind)(method=method)[name]
                    found = getattr(ours, kind)(method)[name].estimate
                    assert found == pytest.approx(wanted, abs=1e-14)


class TestUndefined:
    def test_groups_without_a_class_are_named_and_left_out(self):
        by = np.where(np.arange(N) < 3, "few", SEX)
        y = np.where(by == "few", 0, Y)
        found = evaluate(y, PRED, SCORE, metrics=NAMES, by=by)
        assert np.isnan(found["few"]["recall"])
        assert found["few"]["specificity"] == sm.specificity_score(y[:3], PRED[:3])
        assert found.undefined["recall"] == found.undefined["roc_auc"] == ["few"]
        assert "specificity" not in found.undefined
        values = [found[sex]["recall"] for sex in "fm"]
        assert found.difference()["recall"].estimate == max(values) - min(values)
        told = "left out of the gaps: recall, precision, g_mean, roc_auc where group = few"
        assert told in " ".join(str(found).split())
        assert evaluate(y, PRED, metrics=["recall"], by=by, zero_division=0)["few"]["recall"] == 0

    def test_only_one_group_or_none_defines_the_metric(self):
        found = evaluate([0, 0, 1, 1], [0, 1, 1, 0], metrics=["recall"], by=[0, 0, 1, 1])
        assert found.difference()["recall"].estimate == 0
        with pytest.warns(UndefinedMetricWarning):  # that of all rows
            found = evaluate([0, 0, 0, 0], [0, 1, 1, 0], metrics=["recall"], by=[0, 0, 1, 1])
        assert np.isnan(found.difference()["recall"].estimate)
        assert "recall" not in found.worst()

    def test_the_classes_are_those_of_all_rows(self):
        y, p = ["a", "a", "b", "c"], ["a", "b", "b", "c"]
        found = evaluate(y, p, metrics=["recall"], by=[0, 0, 1, 1], average=None)
        np.testing.assert_array_equal(found[0]["recall"], [0.5, np.nan, np.nan])
        np.testing.assert_array_equal(found.difference()["recall"].estimate, [0, 0, 0])


class TestIntervals:
    def test_each_group_has_its_own(self):
        found = evaluate(Y, PRED, SCORE, metrics=["recall", "roc_auc"], by=SITE, intervals=True)
        rows = SITE == "west"
        own = found["west"].intervals
        assert tuple(own["recall"]) == tuple(interval("recall", Y[rows], PRED[rows]))
        assert tuple(own["roc_auc"]) == tuple(interval("roc_auc", Y[rows], SCORE[rows]))

    def test_limits_of_two_groups_are_newcombes(self):
        """Newcombe 1998, method 10: 56 of 70 against 48 of 80, .0524 to .3339."""
        y = np.ones(150, dtype=int)
        p, by = np.repeat([1, 0, 1, 0], [56, 14, 48, 32]), np.repeat([0, 1], [70, 80])
        low, high = evaluate(y, p, metrics=["recall"], by=by, intervals=True).difference()["recall"]
        assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)

    def test_limits_hold_for_all_pairs(self):
        found = evaluate(Y, PRED, metrics=["recall"], by=SITE, intervals=True)
        level = gaps.pairwise_level(0.95, 3)
        q = stats.studentized_range.ppf(0.95, 3, np.inf)
        assert stats.norm.ppf((1 + level) / 2) == pytest.approx(q / np.sqrt(2), rel=1e-9)
        each = [
            interval("recall", Y[s == SITE], PRED[s == SITE], confidence_level=level) for s in found
        ]
        lows, highs = [], []
        for a in each:
            for b in each:
                if a is not b:
                    d = a.estimate - b.estimate
                    lows.append(d - np.hypot(a.estimate - a.low, b.high - b.estimate))
                    highs.append(d + np.hypot(a.high - a.estimate, b.estimate - b.low))
        gap = found.difference()["recall"]
        assert (gap.low, gap.high) == pytest.approx((max(0, *lows), max(highs)))
        assert gap.low <= gap.estimate <= gap.high
        ratio = found.ratio()["recall"]
        assert 0 <= ratio.low <= ratio.estimate <= ratio.high <= 1

    def test_two_groups_need_no_second_pass(self):
        assert gaps.pairwise_level(0.9, 2) == 0.9

    def test_clusters_inside_groups(self):
        patient = np.arange(N) // 4
        found = evaluate(
            Y, PRED, metrics=["recall"], by=SEX[patient], groups=patient, intervals=True
        )
        rows = SEX[patient] == "f"
        own = interval("recall", Y[rows], PRED[rows], groups=patient[rows])
        assert tuple(found["f"].intervals["recall"]) == tuple(own)

    def test_infinite_ratios_have_no_gap_and_no_bare_warning(self):
        y, p = np.tile([0, 0, 1, 1], 20), np.tile([0, 0, 1, 0], 20)
        p[0] = 1
        found = evaluate(y, p, metrics=["lr_plus"], by=np.repeat([0, 1], 40), intervals=True)
        assert found.difference()["positive_likelihood_ratio"].estimate == np.inf


class TestShown:
    def test_text(self):
        found = evaluate(
            Y, PRED, SCORE, by={"sex": SEX, "site": SITE}, metrics=NAMES, intervals=True
        )
        assert all(len(line) <= 80 for line in str(found).splitlines())
        assert "sex = f, site = north" in str(found)
        assert "limits that hold for all pairs of groups" in " ".join(str(found).split())
        assert "more metrics: to_frame()" in str(evaluate(Y, PRED, SCORE, by=SEX))
        many = evaluate(Y, PRED, metrics=["recall"], by=np.arange(N) // 10)
        assert "... and 20 more groups" in str(many)
        assert "metrics by group" in found._repr_html_()

    def test_frames(self):
        found = evaluate(Y, PRED, SCORE, by=SITE, metrics=NAMES, intervals=True)
        frame = found.to_frame()
        assert frame.index.names == ["group", "metric"]
        assert frame.loc[("west", "recall"), "low"] == found["west"].intervals["recall"].low
        gap = found.to_frame("gap").loc["recall"]
        assert gap["difference"] == found.difference()["recall"].estimate
        assert gap["ratio_low"] == found.ratio()["recall"].low
        assert gap["worst"] == found.worst()["recall"][0]
        with pytest.raises(ValueError, match="gap"):
            found.to_frame("pair")

    def test_forest(self):
        pytest.importorskip("matplotlib")
        found = evaluate(Y, PRED, by=SITE, metrics=["recall", "npv"], intervals=True)
        drawn = ForestDisplay.from_evaluation(found)
        assert list(drawn.marks_) == ["group = north", "group = south", "group = west"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"by": SEX[:5]}, "inconsistent numbers of samples"),
        ({"by": np.full(N, np.nan)}, "NaN in groups"),
        ({"by": np.zeros((N, 2, 2))}, "found shape"),
        ({"by": {}}, "no column"),
    ],
)
def test_bad_groups(given, message):
    with pytest.raises(ValueError, match=message):
        evaluate(Y, PRED, **given)
    with pytest.raises(ValueError, match="counts have not"):
        evaluate(counts=[[1, 2], [3, 4]], by=[0, 1], y_true=[0, 1])
