"""The verdict names the known fault of generated data, also on a page's first screen, and no other."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import special
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.verdicts import FAULTS, Draw, N
from skaucx._text.reported import Reported
from skaucx.evaluation import evaluate
from skaucx.inference import Interval, interval
from skaucx.metrics import net_benefit
from skaucx.model_selection import compare_estimators, nested_cross_validate
from skaucx.reports import report, verdict
from skaucx.reports._predictions import PagePredictions
from skaucx.reports._verdict import Examined, _benefit, statement_of, stretched, worst_of
from tests.closeness import rounding
from tests.pages import Page

pytestmark = pytest.mark.usefixtures("captions_only")

TINY = np.nextafter(0, 1)


@pytest.mark.parametrize("make", FAULTS, ids=lambda make: make.__name__)
def test_the_known_fault_is_named(make):
    alarms, fault = make(Draw(list(FAULTS).index(make))).alarms, FAULTS[make]
    assert alarms == () if fault is None else fault in alarms


def test_columns_of_both_classes_are_the_score_of_the_positive_one():
    d = Draw(0)
    names, both = np.where(d.ill == 1, "ill", "well"), np.column_stack([d.risk, 1 - d.risk])
    given = {"threshold": 0.2, "pos_label": "ill"}
    found = verdict(names, y_score=both, **given)
    assert str(found) == str(verdict(names, y_score=d.risk, **given))
    assert "net benefit" in str(found)


def risks(y_true, y_score, threshold, **more):
    return (y_true, None, y_score), {"threshold": threshold, **more}


def of_one_site(d):
    return np.where(d.site == "C", d.rng.permutation(d.risk), d.risk)


def failing_class(d):
    names, true = np.array(["bus", "car", "lorry", "van"]), d.rng.integers(0, 4, N)
    score = d.rng.dirichlet(np.ones(4), N) + np.eye(4)[true]
    score[true == 3] = score[true == 3][:, [0, 3, 2, 1]]
    called = np.where(d.rng.random(N) < 0.5, true, score.argmax(axis=1))
    return (names[true], names[called], score / 2), {}


PLANTED = {
    "too high": (lambda d: risks(d.occurring(d.risk / 2), d.risk, 0.1),
        "Risks right?", "times too high", "risks too high"),
    "shuffled": (lambda d: risks(d.ill, d.rng.permutation(d.risk), 0.22),
        "Useful?", "At 0.22 worse than treating all", "risks overconfident"),
    "site": (lambda d: risks(d.ill, of_one_site(d), 0.2, by={"site": d.site}),
        "Same for all?", "Worst: site C", "site C"),
    "class": (failing_class, "Same for all?", "Worst: class van", "class van"),
    "nobody found": (lambda d: risks(d.ill, d.risk, 0.99),
        "Useful?", "No row is predicted 1: the threshold 0.99 lies above all scores",
        "one class predicted"),
    "other column": (lambda d: risks(d.ill, 1 - d.risk, 0.3),
        "Useful?", "The scores rank the wrong way round", "ranks the wrong way round"),
    "one class": (lambda d: risks(0 * d.ill, d.risk, None),
        "Useful?", "Only one class among the true labels, 0", "one class only"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:threshold is 0.99")
@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_on_the_first_screen(name, tmp_path):
    make, question, words, alarm = PLANTED[name]
    arrays, options = make(Draw(11))
    found = verdict(*arrays, **options)
    assert alarm in found.alarms
    assert any(words in one.text for one in found.lines[question]), found
    page = report(tmp_path / "page.html", *arrays, **options)
    page = Page(page.read_text(encoding="utf-8"))
    assert words in " ".join(page.first_screen)
    assert name != "class" or page.answer.startswith("Worst classes by recall: van")
    assert name != "nobody found" or ["precision", "undefined", "", "3,000"] in page.rows


@pytest.mark.parametrize("seed", range(20))
def test_noise_is_not_praised(seed, tmp_path):
    """No sentence says more than its own number, with a threshold and without."""
    rng = np.random.default_rng(seed)
    risk = special.expit(rng.normal(-1.5, 1.2, 1500))
    ill = (rng.random(1500) < 0.22).astype(int)
    for threshold in (0.2, None):
        for one in verdict(ill, y_score=risk, threshold=threshold).lines["Useful?"]:
            assert one.significant is not False or not one.alarm
            if one.number is not None:
                reference = 0.5 if one.number.metric == "roc_auc" else 0.0
                assert "Useful" not in one.words
                assert one.number.estimate > reference or "better than" not in one.words
                assert not one.alarm or one.number.high < reference
    if seed < 2:
        page = report(tmp_path / "page.html", ill, None, risk, threshold=0.2)
        assert "Useful at" not in page.read_text(encoding="utf-8")


def test_tuned_noise_and_a_comparison(tmp_path):
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(120, 10)), (rng.random(120) < 0.4).astype(int)
    tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4, 8]}
    run = nested_cross_validate(tree, grid, X, y, scoring="roc_auc", outer_cv=3, inner_cv=3)
    use, inner = (run.verdict().lines[name][0] for name in ("Useful?", "Inner score right?"))
    assert use.mark != "yes, significant"
    assert ("better than" in use.words) == (use.number.estimate > 0.5)
    assert "of best parameters is" in inner.words
    ill = (rng.random(120) < special.expit(2 * X[:, 0])).astype(int)
    models = {"logistic": LogisticRegression(), "bayes": GaussianNB(), "deep": tree}
    names = ["roc_auc", "neg_log_loss"]
    found, turned, by_auc = (
        compare_estimators(models, X, ill, scoring=scoring, refit=refit, outer_cv=3)
        for scoring, refit in ((names, names[1]), (names[::-1], names[1]), (names, names[0]))
    )
    text = " ".join(str(found.verdict()).split())
    assert str(found.verdict()) == str(turned.verdict())
    winner = "Which one? No clear winner among logistic, bayes"
    assert text.startswith(f"{winner} by log loss, not clear.")
    assert "deep is worse than" in text
    told = " ".join(str(by_auc.verdict()).split())
    assert re.search("deep is worse than .* in log loss", told)
    page = Page(found.report(tmp_path / "page.html").read_text(encoding="utf-8"))
    assert winner in " ".join(page.first_screen)


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
    given = Interval("roc_auc", 0.5, low, high, np.nan, 0.95, "given")
    name = {0.0: "matthews_corrcoef", 0.5: "roc_auc", 1.0: RATIO}[reference]
    number, place = Examined(lambda name, level: given, 0.99, 0.95).against(name)
    assert (number.numbers[1:], place) == (pytest.approx((low, high), nan_ok=True), expected)


RATIO, SLOPE = "observed_expected_ratio", "calibration_slope"


@pytest.mark.parametrize(
    ("metric", "reference", "estimate", "at", "words", "alarm"),
    [
        ("roc_auc", 0.5, 0.6, 1, "Ranks better than chance", ""),
        ("roc_auc", 0.5, 0.6, 0, "Ranks better than chance", None),
        ("roc_auc", 0.5, 0.4, 0, "Ranks worse than chance", None),
        ("roc_auc", 0.5, 0.5001, 1, "Ranks like chance", None),
        ("roc_auc", 0.5, 0.2, -1, "The scores rank the wrong way round: is this the column of the "
         "other class?", "ranks the wrong way round"),
        ("roc_auc", 0.5, np.nan, 0, "ROC AUC is undefined", None),
        ("matthews_corrcoef", 0, -0.1, 0, "Worse than chance", None),
        ("net_benefit", 0, -0.1, -1, "Worse than treating none", "worse than treating none"),
        (RATIO, 1, 0.5, -1, "Risks 2 times too high", "risks too high"),
        (RATIO, 1, 0.5, 0, "Risks 2 times too high", None),
        (RATIO, 1, 1 / 1.5, -1, "Risks 1.5 times too high", "risks too high"),
        (RATIO, 1, 1 / 1.49, -1, "Risks 49 % too high", "risks too high"),
        (RATIO, 1, 1.237, 1, "Risks 24 % too low", "risks too low"),
        (RATIO, 1, 1.004, 1, "Risks right on average", None),
        (RATIO, 1, 2.345, 1, "Risks 2.3 times too low", "risks too low"),
        (RATIO, 1, np.inf, 0, "O:E ratio is undefined", None),
        (SLOPE, 1, 0.98, -1, "Overconfident", "risks overconfident"),
        (SLOPE, 1, 1.02, 1, "Underconfident", "risks underconfident"),
        (SLOPE, 1, 1.02, 0, "Underconfident", None),
        (SLOPE, 1, 1.002, 1, "Spread of the risks right", None),
    ],
)  # fmt: skip
def test_a_number_in_words(metric, reference, estimate, at, words, alarm):
    """The direction of the estimate as printed; a fault only where it is significant."""
    found = statement_of(Reported(metric, estimate, reference=reference), at)
    assert (found.words, found.alarm) == (words, alarm or "")
    assert bool(found.significant) == (alarm is not None)
    marks = {None: "", False: "not clear", True: "no, significant" if alarm else "yes, significant"}
    assert found.mark == marks[found.significant]


@pytest.mark.parametrize(
    ("none", "of_all", "words", "shown", "alarm"),
    [
        (0.0, TINY, "At 0.5 better than treating none or all", False, ""),
        (TINY, 0.0, "At 0.5 better than treating none or all", False, ""),
        (TINY, TINY, "Useful", True, ""),
        (-1.0, TINY, "Worse", True, "worse than treating none"),
        (TINY, -1.0, "Worse", True, "worse than treating all"),
    ],
)
def test_net_benefit_at_its_borders(none, of_all, words, shown, alarm):
    """Useful is a lower limit above 0 against both rules; worse, an upper one below 0."""

    def of(name, level, pos_label=None, threshold=None):
        low = none if pos_label is None else of_all
        high = low / 2 if low < 0 else 1.0
        return Interval(name, (low + high) / 2, low, high, np.nan, level, "given")

    y = np.array([0, 1])
    given = PagePredictions(y, y, y * 1.0, y, 1, threshold=0.5)
    found = _benefit(given, Examined(of, 0.99, 0.95))
    assert found.words.startswith(words)
    assert (found.significant, found.alarm) == (shown, alarm)


@pytest.mark.parametrize(
    ("metric", "shift", "worst"),
    [("roc_auc", 0.0, None), ("roc_auc", 1.0, "site B"), ("log_loss", 1.0, "site B"),
     ("observed_expected_ratio", -1.0, "site B"), ("observed_expected_ratio", 0.5, "site B")],
)  # fmt: skip
def test_the_worst_of_several_groups(metric, shift, worst):
    """Least by a score, greatest by a loss, farthest by a ratio; a fault where a gap excludes 0."""
    d = Draw(9)
    risk, off = d.risk.copy(), d.site == "B"
    if metric == "observed_expected_ratio":
        risk[off] = np.clip(risk[off] * np.exp(-shift * 0.8), 0, 1)
    elif shift:
        risk[off] = d.rng.permutation(risk[off])
    found = evaluate(d.ill, y_score=risk, metrics=[metric], by={"site": d.site}, intervals=True)
    one = worst_of(found, metric, 0.95)
    assert one.alarm == (worst or "")
    values = {group: own[metric] for group, own in found.items()}
    low, high = min(values, key=values.get), max(values, key=values.get)
    assert one.number.about in (low, high)
    assert bool(one.significant) == (found.pair(high, low)[metric].low > 0)
    assert f"{found.sizes[one.number.about]} rows, against" in one.words
    by = {"site": d.site[:12]}
    few = evaluate(d.ill[:12], y_score=risk[:12], metrics=[metric], by=by, intervals=True)
    assert worst_of(few, metric, 0.95) is None


def test_the_worst_class():
    true = np.repeat(list("ABCD"), [100, 100, 100, 50])
    called = true.copy()
    called[100:160] = ["C"] * 40 + ["A"] * 20
    called[:10] = list("BCBCBCBCBC")
    [worst] = verdict(true, called).lines["Same for all?"]
    assert worst.alarm == "class B"
    assert worst.number.estimate == pytest.approx(0.4)
    assert "100 rows, against 1.00 of" in worst.words
    [all_right] = verdict(true, true).lines["Same for all?"]
    assert all_right.alarm == ""


def test_given_intervals_are_stretched_to_the_level_of_the_rule():
    assert stretched((2.0, 1.0, 3.0), 0.5, 0.5) == pytest.approx((2.0, 1.0, 3.0))
    half = special.ndtri(0.995) / special.ndtri(0.975)
    assert stretched((2.0, 1.0, 3.0), 0.95, 0.99) == pytest.approx((2, 2 - half, 2 + half))
    twice = stretched((2.0, 1.0, 4.0), 0.95, 0.99, ratio=True)
    assert twice == pytest.approx((2, 2 * 2**-half, 2 * 2**half))


def test_each_mark_follows_its_interval():
    """Shown is what the interval at the level of three statements excludes; printed is the usual one.

    An evaluation has the rule of its predictions, up to the form of the intervals.
    """
    seen = set()
    for seed in range(30):
        d = Draw(300 + seed)
        ill = d.occurring(np.minimum(d.risk * (0.9 + 0.01 * seed), 1))
        found = d.of(ill=ill, threshold=None)
        given = verdict(evaluate(ill, y_score=d.risk, metrics=[RATIO, SLOPE], intervals=True))
        assert given.rule.startswith(found.rule)
        said, again = (each.lines["Risks right?"] for each in (found, given))
        for name, one, other in zip([RATIO, SLOPE], said, again, strict=True):
            usual, strict = (
                interval(name, ill, d.risk, confidence_level=share)
                for share in (0.95, 1 - 0.05 / 3)
            )
            assert one.number.numbers == (usual.estimate, usual.low, usual.high)
            assert one.significant == (1.0 not in strict) == bool(one.alarm)
            near = pytest.approx(one.number.numbers, rel=rounding(len(ill)))
            assert other.number.numbers == near
            assert other.mark == one.mark
            seen.add((one.significant, 1.0 in usual))
    assert seen == {(False, True), (False, False), (True, False)}


def test_groups_drawn_at_random_raise_no_alarm_beyond_the_level():
    """Of 40 evaluations with three groups drawn at random at most one in twenty may raise one."""
    alarms = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        risk = special.expit(rng.normal(-0.5, 1.3, 150))
        ill = (rng.random(150) < risk).astype(int)
        by = {"group": rng.choice(list("abc"), 150)}
        found = evaluate(ill, y_score=risk, metrics=["roc_auc"], by=by, intervals=True)
        alarms += any(alarm.startswith("group") for alarm in verdict(found).alarms)
        assert "the 99 % interval" in verdict(found).rule  # of five statements
    assert alarms <= 2


@pytest.mark.parametrize("threshold", [0.05, 0.3])
def test_the_binding_rule_is_the_better_of_treating_none_and_all(threshold):
    d = Draw(1)
    called = (d.risk >= threshold).astype(int)
    own = net_benefit(d.ill, called, threshold=threshold)
    rules = {"none": 0.0, "all": net_benefit(d.ill, np.ones(N, int), threshold=threshold)}
    best = max(rules, key=rules.get)
    [one] = d.of(threshold=threshold).lines["Useful?"]
    assert one.number.metric == f"net benefit over treat {best}"
    assert one.number.estimate == pytest.approx(own - rules[best], abs=1e-12)


def test_of_results():
    d = Draw(2)
    metrics, by = ["roc_auc", "observed_expected_ratio"], {"site": d.site}
    found = evaluate(d.ill, y_score=of_one_site(d), metrics=metrics, by=by, intervals=True)
    assert verdict(found).alarms == ("site C",)
    assert verdict(found.overall).alarms == ()
    with pytest.raises(ValueError, match="evaluation has no intervals"):
        verdict(evaluate(d.ill, y_score=d.risk, metrics=["roc_auc"]))
    with pytest.raises(ValueError, match="threshold is about rows, and a result was given"):
        verdict(found, threshold=0.2)
