"""evaluate(by=): metrics in groups, and gaps with limits."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import metrics as sm
from skaucx.evaluation import GroupedEvaluation, evaluate
from skaucx.evaluation import _groups as gaps
from skaucx.inference import Confidence, interval
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
SITED = {"by": SITE, "intervals": True}


def own_interval(name, rows, level=0.95, weight=None):
    given = {} if weight is None else {"sample_weight": weight[rows]}
    judged = SCORE if name == "roc_auc" else PRED
    return interval(name, Y[rows], judged[rows], confidence_level=level, **given)


def words_of(face):
    return " ".join(str(face).split())


def test_groups_beside_all_rows():
    """Rows without weight are none; that a group has the value of its rows is tested at every door."""
    found = evaluate(Y, PRED, SCORE, metrics=NAMES, by=SEX)
    assert isinstance(found, GroupedEvaluation)
    assert list(found) == ["f", "m"]
    assert found.sizes == {sex: (sex == SEX).sum() for sex in "fm"}
    assert dict(found.overall) == dict(evaluate(Y, PRED, SCORE, metrics=NAMES))
    weighted = evaluate(Y, PRED, SCORE, metrics=NAMES, by=SEX, sample_weight=WEIGHT)
    assert weighted.sizes["f"] == ((SEX == "f") & (WEIGHT > 0)).sum()


def test_intersections():
    found = evaluate(Y, PRED, SCORE, metrics=NAMES, by={"sex": SEX, "site": SITE})
    assert len(found) == 6
    assert found.names == ("sex", "site")
    rows = (SEX == "m") & (SITE == "west")
    assert found["m", "west"]["recall"] == sm.recall_score(Y[rows], PRED[rows])
    frame = pd.DataFrame({"sex": SEX, "site": SITE})
    other = evaluate(Y, PRED, SCORE, metrics=NAMES, by=frame)
    assert {k: dict(v) for k, v in other.items()} == {k: dict(v) for k, v in found.items()}
    assert evaluate(Y, PRED, by=frame.to_numpy()).names == ("group 0", "group 1")
    assert evaluate(Y, PRED, by=frame["sex"]).names == ("sex",)


def test_golden_values_of_fairlearn():
    """fairlearn 0.15.0, MetricFrame(metrics=recall_score, ...): by group, difference()."""
    y, p, by = [1, 1, 1, 0, 1, 1, 1, 1], [1, 0, 1, 1, 1, 1, 1, 0], list("aaaabbbb")
    found = evaluate(y, p, metrics=["recall"], by=by)
    assert {k: v["recall"] for k, v in found.items()} == pytest.approx({"a": 2 / 3, "b": 3 / 4})
    assert found.difference()["recall"].estimate == pytest.approx(1 / 12)


@pytest.mark.peers
@pytest.mark.parametrize("seed", range(5))
def test_fairlearns_metric_frame(seed):
    fairlearn = pytest.importorskip("fairlearn.metrics")
    rng, n = np.random.default_rng(seed), 300
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
    difference = theirs.difference(method="between_groups")
    for name in names:
        assert ours.overall[name] == pytest.approx(theirs.overall[name], abs=rounding(n))
        found = ours.difference()[name].estimate
        assert found == pytest.approx(difference[name], abs=rounding(n))


def test_groups_without_a_class_are_named_and_left_out():
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
    assert told in words_of(found)
    assert evaluate(y, PRED, metrics=["recall"], by=by, zero_division=0)["few"]["recall"] == 0


def test_only_one_group_or_none_defines_the_metric(tmp_path):
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


def test_the_classes_are_those_of_all_rows():
    y, p = ["a", "a", "b", "c"], ["a", "b", "b", "c"]
    found = evaluate(y, p, metrics=["recall"], by=[0, 0, 1, 1], average=None)
    np.testing.assert_array_equal(found[0]["recall"], [0.5, np.nan, np.nan])
    np.testing.assert_array_equal(found.difference()["recall"].estimate, [np.nan] * 3)


def test_each_group_has_its_own_interval():
    found = evaluate(Y, PRED, SCORE, metrics=NAMES, **SITED)
    own = found["west"].intervals
    for name in ("recall", "roc_auc"):
        assert tuple(own[name]) == tuple(own_interval(name, SITE == "west"))
    frame = found.to_frame()
    assert frame.index.names == ["group", "metric"]
    assert frame.loc[("west", "recall"), "low"] == own["recall"].low


def test_limits_of_two_groups_are_newcombes():
    """Newcombe 1998, method 10: 56 of 70 against 48 of 80, .0524 to .3339."""
    y = np.ones(150, dtype=int)
    p, by = np.repeat([1, 0, 1, 0], [56, 14, 48, 32]), np.repeat([0, 1], [70, 80])
    low, high = evaluate(y, p, metrics=["recall"], by=by, intervals=True).difference()["recall"]
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)


def test_each_pair_has_its_own_limits_in_one_direction():
    """Those of every pair, both ways round; the greatest of them are those of the greatest gap."""
    found = evaluate(Y, PRED, SCORE, metrics=["recall", "roc_auc", "mcc"], **SITED)
    level, lows, highs = gaps.pairwise_level(0.95, 3), [], []
    z = 3.314493 / np.sqrt(2)  # Tukey's studentised range of three groups
    assert level == pytest.approx(2 * stats.norm.cdf(z) - 1, abs=1e-6)
    for a in found:
        for b in set(found) - {a}:
            pair, back = found.pair(a, b), found.pair(b, a)
            one, other = (own_interval("recall", each == SITE, level) for each in (a, b))
            d = one.estimate - other.estimate
            lows.append(d - np.hypot(one.estimate - one.low, other.high - other.estimate))
            highs.append(d + np.hypot(one.high - one.estimate, other.estimate - other.low))
            assert pair["recall"].estimate == d
            assert tuple(pair["recall"]) == pytest.approx((lows[-1], highs[-1]))
            for name in found.rows:
                assert back[name].estimate == -pair[name].estimate
                assert tuple(back[name]) == pytest.approx((-pair[name].high, -pair[name].low))
                assert pair[name].estimate == found[a][name] - found[b][name]
    assert tuple(found.difference()["recall"]) == pytest.approx((max(0, *lows), max(highs)))


def test_a_greatest_difference_whose_limits_begin_at_0_shows_none():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    pred = np.where(rng.random(300) < 0.8, y, 1 - y)
    found = evaluate(y, pred, metrics=["accuracy"], by=np.arange(300) % 3, intervals=True)
    gap = found.difference()["accuracy"]
    assert gap.low == 0
    said = f"any two groups: {gap.estimate:.4f} (0.0000 to {gap.high:.4f}), no difference shown"
    assert said in words_of(found)


def test_a_group_of_few_rows_is_marked_and_shows_no_difference():
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
    text = words_of(found)
    value, low, high = furthest.estimate, *furthest
    assert f"difference {value:.4f} ({low:.4f} to {high:.4f}), no difference shown" in text
    assert f"any two groups: {value:.4f} ({found.difference()[name].low:.4f}" in text
    assert "where group = 0" in text
    assert "Too small to compare" in found._repr_html_()
    two = evaluate(y[:503], p[:503], metrics=["fpr"], by=by[:503], intervals=True)
    assert "any two groups" not in str(two)
    # by rows alone, though all are right
    for rows, small in ((9, {"recall": [0]}), (10, {})):
        ones, by = np.ones(rows + 90, int), np.repeat([0, 1], [rows, 90])
        assert evaluate(ones, ones, metrics=["recall"], by=by, intervals=True).too_small == small
    # by intervals alone: 12 rows of an AUC, each end beyond half of its range
    odd = np.where(np.isin(np.arange(1000), np.r_[100:106, 900:906]), "few", "many")
    score = np.random.default_rng(0).random(1000)
    found = evaluate(y, y_score=score, metrics=["roc_auc"], by=odd, intervals=True)
    assert found.too_small == {"roc_auc": ["few"]}


@pytest.mark.parametrize("weight", [None, WEIGHT + 1])
def test_equalized_odds_have_one_value_with_its_limits(weight):
    """The lower limit holds for both rates at once, the upper one is the greater gap's own."""
    names, ask = ["recall", "false_positive_rate"], {"by": SITE, "sample_weight": weight}
    found = evaluate(Y, PRED, metrics=[*names, "fbeta"], beta=2, intervals=True, **ask)
    odds = found.equalized_odds()

    def limits(name, level):
        level = gaps.pairwise_level(level, 3)
        own = [own_interval(name, site == SITE, level, weight) for site in found]
        parts = ([getattr(one, end) for one in own] for end in ("estimate", "low", "high"))
        return gaps.greatest_difference(*map(np.array, parts))

    assert odds.estimate == max(np.ptp([found[site][name] for site in found]) for name in names)
    low = max(limits(name, np.sqrt(0.95))[0] for name in names)
    high = max(limits(name, 0.95)[1] for name in names)
    assert tuple(odds) == pytest.approx((low, high))
    assert f"equalized odds difference: {odds.estimate:.4f} ({odds.low:.4f} to" in str(found)
    bare = evaluate(Y, PRED, metrics=names, **ask).equalized_odds()
    assert bare.estimate == odds.estimate
    assert np.isnan([bare.low, bare.high]).all()


def test_equalized_odds_need_both_rates_of_two_classes_and_two_groups():
    for names, options in ((["recall"], {}), (["recall", "fpr"], {"average": "macro"})):
        found = evaluate(Y, PRED, metrics=names, by=SITE, **options)
        assert "equalized" not in str(found)
        with pytest.raises(ValueError, match="metrics must hold recall and false_positive_rate"):
            found.equalized_odds()
    one = np.where(SITE == "north", 0, Y)  # no site but one has negatives and positives
    one[SITE == "south"] = 0
    found = evaluate(one, PRED, metrics=["recall", "fpr"], by=SITE, intervals=True)
    assert np.isnan([found.equalized_odds().estimate, *found.equalized_odds()]).all()
    assert "fewer than two groups" in found.equalized_odds().note


def test_infinite_ratios_have_no_gap_and_no_bare_warning():
    y, p = np.tile([0, 0, 1, 1], 20), np.tile([0, 0, 1, 0], 20)
    p[0] = 1
    found = evaluate(y, p, metrics=["lr_plus"], by=np.repeat([0, 1], 40), intervals=True)
    assert found.difference()["positive_likelihood_ratio"].estimate == np.inf


def test_text():
    found = evaluate(Y, PRED, SCORE, by={"sex": SEX, "site": SITE}, metrics=NAMES, intervals=True)
    assert all(len(line) <= 80 for line in str(found).splitlines())
    assert "sex = f, site = north" in str(found)
    assert "limits that hold for all pairs of groups" in words_of(found)
    whole = evaluate(Y, PRED, SCORE, by=SEX)
    for name in whole.rows:
        assert name in str(whole)
        assert f">{name}</th>" in whole._repr_html_()
    many = evaluate(Y, PRED, metrics=["recall"], by=np.arange(N) // 10)
    assert "... and 20 more groups" in str(many)


def test_intervals_of_groups_hold_at_once_on_request():
    """Bonferroni: an interval a group at 1 - alpha / K; what holds for whom is printed everywhere."""
    ask = {"metrics": ["recall", "roc_auc"], "random_state": 0, **SITED}
    wholes = (0.95, Confidence(0.95, simultaneous=True))
    alone, at_once = (evaluate(Y, PRED, SCORE, confidence_level=x, **ask) for x in wholes)
    for site in alone:
        for name in ask["metrics"]:
            for found, level in ((alone, 0.95), (at_once, 1 - 0.05 / 3)):
                known = own_interval(name, site == SITE, level)
                assert tuple(found[site].intervals[name]) == pytest.approx(tuple(known))
    assert at_once.difference()["recall"].high == alone.difference()["recall"].high
    for face in (words_of(at_once), words_of(at_once._repr_html_())):
        assert "for all groups at once, of one metric (Bonferroni: 98.33 % each)" in face
        assert "95 % interval" in face
    assert "one by one, not simultaneously" in words_of(alone)


def test_bad_groups():
    for by, message in ((np.zeros((N, 2, 2)), "found shape"), ({}, "no column")):
        with pytest.raises(ValueError, match=message):
            evaluate(Y, PRED, by=by)
