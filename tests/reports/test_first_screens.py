"""The verdict and the first screen of a page: eight planted faults, and twenty data sets of noise."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import compare_estimators, nested_cross_validate
from skaucx.reports import report, verdict
from tests.pages import Page

pytestmark = pytest.mark.usefixtures("captions_only")


class Drawn:
    """Risks of 2,000 rows that are right."""

    def __init__(self, middle=-1.5, n=2000):
        self.rng = np.random.default_rng(11)
        self.logit = self.rng.normal(middle, 1.2, n)
        self.ill = (self.rng.random(n) < expit(self.logit)).astype(int)


def overconfident(d):
    return (d.ill, None, expit(2.2 * d.logit + 1.8)), {"threshold": 0.2}


def failing_group(d):
    age = d.rng.choice(["young", "middle", "old"], len(d.ill))
    own = np.where(age == "old", d.rng.random(len(d.ill)) < expit(0.2 * d.logit - 1.2), d.ill)
    return (own.astype(int), None, expit(d.logit)), {"threshold": 0.25, "by": {"age": age}}


def shuffled(d):
    return (d.rng.permutation(d.ill), None, expit(d.logit)), {"threshold": 0.2}


def too_high(d):
    ill = (d.rng.random(len(d.ill)) < expit(d.logit - 1.1)).astype(int)
    return (ill, None, expit(d.logit)), {"threshold": 0.2}


def failing_class(d):
    names, n = np.array(["bus", "car", "lorry", "tram", "van"]), len(d.ill)
    true = d.rng.choice(5, n, p=[0.3, 0.3, 0.2, 0.15, 0.05])
    score = d.rng.normal(size=(n, 5))
    score[np.arange(n), true] += 2.2
    score[true == 4] += [0, 0, 1.5, 0, -2.2]
    share = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return (names[true], names[share.argmax(axis=1)], share), {}


def nobody_found(d):
    rare = Drawn(-5, 8000)
    return (rare.ill, None, expit(rare.logit)), {"threshold": 0.9}


def other_column(d):
    return (d.ill, None, 1 - expit(d.logit)), {"threshold": 0.3}


def one_class(d):
    return (np.zeros(len(d.ill), dtype=int), None, expit(d.logit)), {}


FAULTS = {
    overconfident: ("Risks right?", "Overconfident", "risks overconfident"),
    failing_group: ("Same for all?", "Worst: age old", "age old"),
    shuffled: ("Useful?", "At 0.2 worse than treating all", "risks overconfident"),
    too_high: ("Risks right?", "2.2 times too high", "risks too high"),
    failing_class: ("Same for all?", "Worst: class van", "class van"),
    nobody_found: ("Useful?", "No row is predicted 1: the threshold 0.9 lies above all scores",
                   "one class predicted"),
    other_column: ("Useful?", "The scores rank the wrong way round", "ranks the wrong way round"),
    one_class: ("Useful?", "Only one class among the true labels, 0", "one class only"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:threshold is 0.9")
@pytest.mark.parametrize("make", FAULTS, ids=lambda make: make.__name__)
def test_a_planted_fault_is_on_the_first_screen(make, tmp_path):
    arrays, options = make(Drawn())
    question, words, alarm = FAULTS[make]
    found = verdict(*arrays, **options)
    assert alarm in found.alarms
    assert any(words in one.text for one in found.lines[question])
    written = report(tmp_path / "page.html", *arrays, **options).read_text(encoding="utf-8")
    screen = " ".join(Page(written).first_screen)
    assert words in screen
    if make is failing_class:
        assert Page(written).answer.startswith("Worst classes by recall: van")
    if make is nobody_found:
        assert ["precision", "undefined", "", "8,000"] in Page(written).rows


NOISE = range(20)


@pytest.mark.parametrize("seed", NOISE)
def test_noise_is_not_praised(seed, tmp_path):
    """No sentence says more than its own number, with a threshold and without."""
    rng = np.random.default_rng(seed)
    risk = expit(rng.normal(-1.5, 1.2, 1500))
    ill = (rng.random(1500) < 0.22).astype(int)
    for threshold in (0.2, None):
        found = verdict(ill, y_score=risk, threshold=threshold)
        for one in found.lines["Useful?"]:
            if one.number is not None:
                reference = 0.5 if one.number.metric == "roc_auc" else 0.0
                above = one.number.estimate > reference
                assert "Useful" not in one.words
                assert above or "better than" not in one.words
                assert not one.alarm or one.number.high < reference
        assert all(one.significant is not False or not one.alarm for one in found.lines["Useful?"])
    if seed < 2:
        page = report(tmp_path / "page.html", ill, None, risk, threshold=0.2)
        assert "Useful at" not in page.read_text(encoding="utf-8")


def test_tuned_noise_and_a_comparison(tmp_path):
    rng = np.random.default_rng(11)
    X, y = rng.normal(size=(120, 10)), (rng.random(120) < 0.4).astype(int)
    grid = {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 3]}
    run = nested_cross_validate(
        DecisionTreeClassifier(random_state=0),
        grid,
        X,
        y,
        scoring="roc_auc",
        outer_cv=3,
        inner_cv=3,
    )
    use, inner = (run.verdict().lines[name][0] for name in ("Useful?", "Inner score right?"))
    assert use.mark != "yes, significant"
    assert ("better than" in use.words) == (use.number.estimate > 0.5)
    assert "of best parameters is" in inner.words
    ill = (rng.random(120) < expit(2 * X[:, 0])).astype(int)
    models = {"logistic": LogisticRegression(), "bayes": GaussianNB(),
              "deep": DecisionTreeClassifier(random_state=0)}  # fmt: skip
    said = set()
    for scoring in (["roc_auc", "neg_log_loss"], ["neg_log_loss", "roc_auc"]):
        found = compare_estimators(
            models, X, ill, scoring=scoring, refit="neg_log_loss", outer_cv=3, inner_cv=2
        )
        said.add(" ".join(str(found.verdict()).split()))
    [text] = said
    assert text.startswith(
        "Which one? No clear winner among logistic, bayes by log loss, not clear."
    )
    assert "deep is worse than" in text
    other = compare_estimators(models, X, ill, scoring=scoring, refit="roc_auc", outer_cv=3)
    assert re.search("deep is worse than .* in log loss", " ".join(str(other.verdict()).split()))
    found.report(tmp_path / "page.html")
    page = Page((tmp_path / "page.html").read_text(encoding="utf-8"))
    assert "Which one? No clear winner among logistic, bayes" in " ".join(page.first_screen)
