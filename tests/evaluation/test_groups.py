"""evaluate(by=): metrics in groups, gaps with limits, scorers of the worst group."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import metrics as sm
from skaucx.evaluation import GroupedEvaluation, evaluate
from skaucx.evaluation import _groups as gaps
from skaucx.inference import interval
from skaucx.reports import report
from tests.closeness import rounding

RNG = np.random.default_rng(11)
N = 400
SEX, SITE = RNG.choice(["f", "m"], N), RNG.choice(["north", "south", "west"], N)
Y = (RNG.random(N) < 0.4).astype(int)
SCORE = 1 / (1 + np.exp(-(2 * Y - 1 + RNG.normal(size=N))))
PRED = (SCORE > 0.5).astype(int)
WEIGHT = RNG.integers(0, 4, N).astype(float)
NAMES = ["recall", "specificity", "precision", "accuracy", "g_mean", "roc_auc"]

# fairlearn 0.15.0, MetricFrame(metrics=recall_score, ...) of the rows below: by group, difference().
ROWS = [1, 1, 1, 0, 1, 1, 1, 1], [1, 0, 1, 1, 1, 1, 1, 0], ["a", "a", "a", "a", "b", "b", "b", "b"]
GOLDEN = {"a": 2 / 3, "b": 3 / 4}
GAP = 1 / 12


def by_hand(name, rows, **options):
    function = getattr(sm, f"{name}_score", None) or getattr(sm, name)
    return function(Y[rows], (SCORE if name == "roc_auc" else PRED)[rows], **options)


def _weights(weight, site):
    return {} if weight is None else {"sample_weight": weight[site == SITE]}


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

    def test_golden_values_of_fairlearn(self):
        y, p, by = ROWS
        found = evaluate(y, p, metrics=["recall"], by=by)
        assert {k: v["recall"] for k, v in found.items()} == pytest.approx(GOLDEN)
        assert found.difference()["recall"].estimate == pytest.approx(GAP)

    @pytest.mark.peers
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
            assert ours.overall[name] == pytest.approx(theirs.overall[name], abs=rounding(len(y)))
            wanted = theirs.difference(method="between_groups")[name]
            found = ours.difference()[name].estimate
            assert found == pytest.approx(wanted, abs=rounding(len(y)))


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
        told = "excluded from the gaps: recall, precision, g_mean, roc_auc where group = few"
        assert told in " ".join(str(found).split())
        assert evaluate(y, PRED, metrics=["recall"], by=by, zero_division=0)["few"]["recall"] == 0

    def test_only_one_group_or_none_defines_the_metric(self, tmp_path):
        """One group alone has no gap, in no print and by no method; 0 would read as fair."""
        y, p, by = [0, 0, 1, 1] * 5, [0, 1, 1, 0] * 5, [0, 0, 1, 1] * 5
        found = evaluate(y, p, metrics=["recall", "accuracy"], by=by, intervals=True)
        gaps_of = found.difference()
        ends = [gaps_of["recall"].estimate, *gaps_of["recall"], gaps_of["accuracy"].estimate]
        np.testing.assert_array_equal(np.isnan(ends), [True, True, True, False])
        alone = "fewer than two groups have a value"
        page = report(tmp_path / "page.html", found).read_text(encoding="utf-8")
        for face in (str(found), found._repr_html_(), page):
            assert f"no gap: {alone}" in face
        assert "no gap" not in str(evaluate(y, p, metrics=["accuracy"], by=by))
        # A lone group has none either, and of every metric.
        lone = evaluate(y, p, by=[0] * 20).difference()
        assert all(np.isnan(gap.estimate) for gap in lone.values())
        with pytest.warns(UndefinedMetricWarning):  # that of all rows
            found = evaluate([0, 0, 0, 0], [0, 1, 1, 0], metrics=["recall"], by=[0, 0, 1, 1])
        assert np.isnan(found.difference()["recall"].estimate)

    def test_the_classes_are_those_of_all_rows(self):
        y, p = ["a", "a", "b", "c"], ["a", "b", "b", "c"]
        found = evaluate(y, p, metrics=["recall"], by=[0, 0, 1, 1], average=None)
        np.testing.assert_array_equal(found[0]["recall"], [0.5, np.nan, np.nan])
        np.testing.assert_array_equal(found.difference()["recall"].estimate, [np.nan] * 3)


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

    def test_each_pair_has_its_own_limits_in_one_direction(self):
        """Those of every pair, both ways round; the greatest of them are those of the greatest gap."""
        names = ["recall", "roc_auc", "mcc"]
        found = evaluate(Y, PRED, SCORE, metrics=names, by=SITE, intervals=True)
        names = list(found.rows)
        level, lows, highs = gaps.pairwise_level(0.95, 3), [], []
        for a in found:
            for b in set(found) - {a}:
                pair, back = found.pair(a, b), found.pair(b, a)
                one, other = (
                    interval("recall", Y[s == SITE], PRED[s == SITE], confidence_level=level)
                    for s in (a, b)
                )
                d = one.estimate - other.estimate
                low = d - np.hypot(one.estimate - one.low, other.high - other.estimate)
                high = d + np.hypot(one.high - one.estimate, other.estimate - other.low)
                assert pair["recall"].estimate == d
                assert tuple(pair["recall"]) == pytest.approx((low, high))
                lows, highs = [*lows, low], [*highs, high]
                for name in names:
                    assert back[name].estimate == -pair[name].estimate
                    assert tuple(back[name]) == pytest.approx((-pair[name].high, -pair[name].low))
                    assert pair[name].estimate == found[a][name] - found[b][name]
        assert tuple(found.difference()["recall"]) == pytest.approx((max(0, *lows), max(highs)))

    def test_a_greatest_difference_whose_limits_begin_at_0_shows_none(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 300)
        pred = np.where(rng.random(300) < 0.8, y, 1 - y)
        found = evaluate(y, pred, metrics=["accuracy"], by=np.arange(300) % 3, intervals=True)
        gap = found.difference()["accuracy"]
        assert gap.low == 0
        said = f"any two groups: {gap.estimate:.4f} (0.0000 to {gap.high:.4f}), no difference shown"
        assert said in " ".join(str(found).split())

    def test_a_group_of_few_rows_is_marked_and_shows_no_difference(self):
        """Of 3, 500 and 497 rows the pair of the greatest difference cannot show one; another does."""
        by = np.repeat([0, 1, 2], [3, 500, 497])
        y = (np.arange(1000) >= 900).astype(int)
        p = ((by == 1) & (np.arange(1000) % 3 == 0)).astype(int)
        p[503::20] = 1
        found = evaluate(y, p, metrics=["fpr"], by=by, intervals=True)
        name = "false_positive_rate"
        assert found.too_small == {name: [0]}
        furthest = found.pair(1, 0)[name]
        assert 0 in furthest
        assert 0 not in found.pair(1, 2)[name]
        assert found.difference()[name].low == pytest.approx(found.pair(1, 2)[name].low)
        text = " ".join(str(found).split())
        value, low, high = furthest.estimate, *furthest
        assert f"difference {value:.4f} ({low:.4f} to {high:.4f}), no difference shown" in text
        assert f"any two groups: {value:.4f} ({found.difference()[name].low:.4f}" in text
        assert "where group = 0" in text
        assert "Too small to compare" in found._repr_html_()
        two = evaluate(y[:503], p[:503], metrics=["fpr"], by=by[:503], intervals=True)
        assert "any two groups" not in str(two)
        # by intervals alone: 12 rows of an AUC, each end beyond half of its range
        odd = np.where(np.isin(np.arange(1000), np.r_[100:106, 900:906]), "few", "many")
        score = np.random.default_rng(0).random(1000)
        found = evaluate(y, y_score=score, metrics=["roc_auc"], by=odd, intervals=True)
        assert found.too_small == {"roc_auc": ["few"]}

    @pytest.mark.parametrize("weight", [None, WEIGHT + 1])
    def test_equalized_odds_have_one_value_with_its_limits(self, weight):
        """The lower limit holds for both rates at once, the upper one is the greater gap's own."""
        names, ask = ["recall", "false_positive_rate"], {"by": SITE, "sample_weight": weight}
        found = evaluate(Y, PRED, metrics=[*names, "fbeta"], beta=2, intervals=True, **ask)
        gaps_of = {n: [by_hand(n, s == SITE, **_weights(weight, s)) for s in found] for n in names}
        odds = found.equalized_odds()
        assert odds.estimate == pytest.approx(max(np.ptp(each) for each in gaps_of.values()))

        def limits(name, level):
            options = {"confidence_level": gaps.pairwise_level(level, 3)}
            own = [
                interval(name, Y[s == SITE], PRED[s == SITE], **options, **_weights(weight, s))
                for s in found
            ]
            parts = ([getattr(i, e) for i in own] for e in ("estimate", "low", "high"))
            return gaps.greatest_difference(*map(np.array, parts))

        low = max(limits(name, np.sqrt(0.95))[0] for name in names)
        high = max(limits(name, 0.95)[1] for name in names)
        assert tuple(odds) == pytest.approx((low, high))
        assert f"equalized odds difference: {odds.estimate:.4f} ({odds.low:.4f} to" in str(found)
        bare = evaluate(Y, PRED, metrics=names, **ask).equalized_odds()
        assert bare.estimate == odds.estimate
        assert np.isnan([bare.low, bare.high]).all()

    def test_equalized_odds_need_both_rates_of_two_classes_and_two_groups(self):
        for names, options in ((["recall"], {}), (["recall", "fpr"], {"average": "macro"})):
            found = evaluate(Y, PRED, metrics=names, by=SITE, **options)
            assert "equalized" not in str(found)
            with pytest.raises(
                ValueError, match="metrics must hold recall and false_positive_rate"
            ):
                found.equalized_odds()
        one = np.where(SITE == "north", 0, Y)  # no site but one has negatives and positives
        one[SITE == "south"] = 0
        found = evaluate(one, PRED, metrics=["recall", "fpr"], by=SITE, intervals=True)
        assert np.isnan([found.equalized_odds().estimate, *found.equalized_odds()]).all()
        assert "fewer than two groups" in found.equalized_odds().note

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
        whole = evaluate(Y, PRED, SCORE, by=SEX)
        assert all(name in str(whole) for name in whole.rows)
        many = evaluate(Y, PRED, metrics=["recall"], by=np.arange(N) // 10)
        assert "... and 20 more groups" in str(many)
        assert all(f">{name}</th>" in whole._repr_html_() for name in whole.rows)

    def test_frames(self):
        found = evaluate(Y, PRED, SCORE, by=SITE, metrics=NAMES, intervals=True)
        frame = found.to_frame()
        assert frame.index.names == ["group", "metric"]
        assert frame.loc[("west", "recall"), "low"] == found["west"].intervals["recall"].low


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"by": SEX[:5]}, "inconsistent numbers of samples"),
        ({"by": np.full(N, np.nan)}, "NaN in by group"),
        ({"by": np.zeros((N, 2, 2))}, "found shape"),
        ({"by": {}}, "no column"),
    ],
)
def test_bad_groups(given, message):
    with pytest.raises(ValueError, match=message):
        evaluate(Y, PRED, **given)


@pytest.mark.parametrize(
    "extra", ["y_true", "y_score", "sample_weight", "rejected", "groups", "by"]
)
def test_counts_go_with_no_array_of_the_examples_that_they_represent(extra):
    with pytest.raises(ValueError, match=rf"\b{extra} does not go"):
        evaluate(counts=[[3, 2], [1, 1]], metrics=["recall"], **{extra: np.array([1, 0, 0])})
