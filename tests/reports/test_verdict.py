"""The verdict names the known fault of generated data sets, and none where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from benchmarks.verdicts import FAULTS, Draw, N
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import net_benefit
from skaucx.model_selection import compare_estimators
from skaucx.reports import report, verdict
from skaucx.reports._verdict import gap_to_others, shared_level, side
from tests.pages import Page


@pytest.mark.parametrize("make", FAULTS, ids=lambda make: make.__name__)
def test_the_known_fault_is_named(make):
    found, fault = make(Draw(list(FAULTS).index(make))), FAULTS[make]
    if fault is None:
        assert found.alarms == ()
    else:
        assert fault in found.alarms
    assert all(str(line) for line in found.lines)


@pytest.mark.parametrize(
    ("low", "high", "reference", "expected"),
    [
        (0.0, 0.1, 0.0, 0),
        (np.nextafter(0, 1), 0.1, 0.0, 1),
        (-0.1, 0.0, 0.0, 0),
        (-0.1, np.nextafter(0, -1), 0.0, -1),
        (1.0, 1.2, 1.0, 0),
        (0.8, np.nextafter(1, 0), 1.0, -1),
        (np.nan, np.nan, 0.0, 0),
        (-np.inf, np.inf, 0.5, 0),
    ],
)
def test_the_rule_at_its_borders(low, high, reference, expected):
    assert side(low, high, reference) == expected


def test_the_rule_is_printed_with_the_level_that_decides():
    d = Draw(0)
    for groupings in ({}, {"sites": d.site}, {"sites": d.site, "by": d.site}):
        level = shared_level(0.95, len(groupings))
        assert level == pytest.approx(1 - 0.05 / (3 + 2 * len(groupings)))
        assert f"the {100 * level:.3g} % interval" in d.of(**groupings).rule


def test_each_mark_follows_its_interval():
    """Shown is what the interval at the stricter level excludes; printed is the usual interval."""
    level = shared_level(0.95)
    seen = set()
    for seed in range(25):
        d = Draw(100 + seed)
        ill = d.occurring(np.minimum(d.risk * (0.85 + 0.012 * seed), 1))
        found = d.of(ill=ill)
        ratio, slope = found.lines["Risks right?"]
        for one, name in ((ratio, "observed_expected_ratio"), (slope, "calibration_slope")):
            usual, strict = (
                interval(name, ill, d.risk, confidence_level=share, random_state=0)
                for share in (0.95, level)
            )
            assert one.number.numbers == (usual.estimate, usual.low, usual.high)
            assert one.shown == (1.0 not in strict)
            assert bool(one.alarm) == one.shown
            seen.add((one.shown, 1.0 in usual))
    assert (False, True) in seen
    assert (True, False) in seen


@pytest.mark.parametrize("threshold", [0.05, 0.3])
def test_the_binding_rule_is_the_better_of_calling_none_and_all(threshold):
    d = Draw(1)
    called = (d.risk >= threshold).astype(int)
    own = net_benefit(d.ill, called, threshold=threshold)
    rules = {
        "none": 0.0,
        "all": net_benefit(d.ill, np.ones(N, dtype=int), threshold=threshold),
    }
    best = max(rules, key=rules.get)
    [one] = d.of(threshold=threshold).lines["Useful?"]
    assert one.number.metric == f"net benefit over {best}"
    assert one.number.estimate == pytest.approx(own - rules[best], abs=1e-12)


def test_gap_to_others_by_hand():
    gap, low, high = gap_to_others([0.5, 0.8, 0.9], [0.4, 0.7, 0.8], [0.6, 0.9, 1.0], 0, [1, 1, 1])
    half = np.sqrt(0.1**2 + (0.1**2 + 0.1**2) / 4)
    assert (gap, low, high) == pytest.approx((-0.35, -0.35 - half, -0.35 + half))


def test_of_results():
    d = Draw(2)
    bad = np.where(d.site == "C", d.rng.permutation(d.risk), d.risk)
    found = evaluate(
        d.ill, (bad >= 0.2).astype(int), bad, metrics=["roc_auc", "observed_expected_ratio"],
        by={"site": d.site}, intervals=True,
    )  # fmt: skip
    assert verdict(found).alarms == ("site C",)
    assert verdict(found.overall).alarms == ()
    with pytest.raises(ValueError, match="found has no intervals"):
        verdict(evaluate(d.ill, y_score=d.risk, metrics=["roc_auc"]))
    with pytest.raises(TypeError, match=r"found must be an Evaluation.*float"):
        verdict(0.5)


def test_of_a_comparison():
    d = Draw(3)
    X = np.column_stack([d.logit, d.rng.normal(size=N)])[:300]
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    options = {"scoring": ["roc_auc"], "pos_label": 1, "outer_cv": 4, "inner_cv": 2}
    same = compare_estimators({"a": tree, "b": tree}, X, d.ill[:300], **options)
    stump = DecisionTreeClassifier(max_leaf_nodes=2, max_features=1, random_state=1)
    other = compare_estimators({"a": tree, "b": stump}, X, d.ill[:300], **options)
    for found in (same, other):
        [one] = verdict(found).lines["Which one?"]
        p = np.nan_to_num(found.pairs("roc_auc")[0].p_adjusted, nan=1.0)
        assert bool(one.shown) == (p < 0.05)
    assert not verdict(same).lines["Which one?"][0].shown


def test_text_and_page_say_the_same(tmp_path):
    pytest.importorskip("jinja2")
    d = Draw(4)
    found = d.of(sites=d.site)
    assert max(map(len, str(found).splitlines())) <= 80
    report(tmp_path / "page.html", d.ill, y_score=d.risk, threshold=0.2, sites=d.site)
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    words = " ".join(page.first_screen)
    for statements in found.lines.values():
        for one in statements:
            assert f"{one.text} {one.mark}".strip() in words
    assert found.rule in words
    assert "ROC AUC by site" in words
    assert "a new site" in words
