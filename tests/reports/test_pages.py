"""Pages of predictions, evaluations, runs and comparisons: every number is that of the data frame."""

from __future__ import annotations

import html
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from skaucx._plotting.style import DARK, LIGHT
from skaucx._text.numbers import value, with_interval
from skaucx._text.reported import Reported, display_name
from skaucx.evaluation import evaluate
from skaucx.metrics import net_benefit
from skaucx.model_selection import compare_estimators, nested_cross_validate
from skaucx.reports import _page, report, verdict
from tests.datasets import classes, labels
from tests.pages import Page

pytestmark = [pytest.mark.presentation, pytest.mark.usefixtures("captions_only")]

pytest.importorskip("pandas")

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :2]
SCORE = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
PRED = (SCORE > 0.5).astype(int)
MODELS = {"bayes": GaussianNB(), "none": DummyClassifier()}
RATES = ["recall", "specificity", "precision", "npv"]


def page_of(write, path):
    return Page(write(path).read_text(encoding="utf-8"))


@pytest.fixture
def written(tmp_path):
    """Write a page of arguments of `report`."""
    return lambda *given, **options: page_of(
        lambda path: report(path, *given, **options), tmp_path / "page.html"
    )


def control_of(page):
    return json.loads(html.unescape(re.search(r'data-thresholds="([^"]*)"', page.text)[1]))


def told(row):
    return with_interval(row["value"], row["low"], row["high"])


def test_of_an_evaluation_and_of_saved_predictions(written):
    asked = ["roc_auc", "accuracy", "matthews_corrcoef", "recall", "specificity"]
    found = evaluate(Y, PRED, SCORE, metrics=asked, intervals=True)
    page, saved = written(found), written(Y, PRED, SCORE, metrics=asked)
    for name, own in found.to_frame().iterrows():
        row = [display_name(name), told(own), "", "569"]
        assert row in page.rows
        assert row in saved.rows
    recall, specificity = (told(found.to_frame().loc[name]) for name in RATES[:2])
    assert page.answer == f"Recall {recall}, specificity {specificity}."
    assert {"569", f"1: {Y.sum()} rows (62.7 %)"} <= set(page.facts)
    assert page.headings == ["Evaluation", "Methods"]
    assert saved.headings == ["Evaluation of predictions", "Threshold", "Methods"]
    curves = ("ROC", "Precision-recall", "Calibration", "Decision")
    assert saved.images == [f"{what} curve: all rows" for what in curves]


def test_of_groups(written):
    groups = np.array(["a", "b", "c"])[np.arange(len(Y)) % 3]
    found = evaluate(Y, PRED, metrics=["recall", "mcc"], by={"site": groups}, intervals=True)
    page = written(found)
    for (group, _), own in found.to_frame().iterrows():
        assert [group, told(own), "", str(found.sizes[group])] in page.rows
    assert "recall by site" in page.cells
    assert ", ".join(f"{group} {n}" for group, n in found.sizes.items()) in page.facts
    assert str(found) in html.unescape(page.text)


def test_without_intervals(written):
    """Values alone, of many classes."""
    y, pred = classes.y, classes.pred
    found = evaluate(y, pred, average=None)
    page = written(found)
    assert ["accuracy", value(np.mean(y == pred)), "", "90"] in page.rows
    assert ["recall of cat", value(found["recall"][0]), "", "90"] in page.rows


def test_of_a_run_and_a_comparison(tmp_path):
    """The mean over the folds and all rows as one set are apart, each with its name."""
    options = {"scoring": ["roc_auc", "f1", "neg_log_loss", "recall"], "outer_cv": 3, "inner_cv": 2}
    grid = {"var_smoothing": [1e-9, 1]}
    run = nested_cross_validate(GaussianNB(), grid, X, Y, refit="f1", **options)
    page = page_of(run.report, tmp_path / "page.html")
    for name, own in run.to_frame("metric").iterrows():
        found = Reported(name, own["mean"], own["low"], own["high"]).as_loss()
        assert [found.name, found.text, "", "569"] in page.rows
    pooled = run.predictions
    rows = evaluate(pooled.y_true, pooled.y_pred, metrics=["recall"], intervals=True).to_frame()
    assert ["recall", told(rows.iloc[0]), "", str(len(Y))] in page.rows
    assert f"recall {told(rows.iloc[0])}, specificity" in page.answer
    assert page.answer.endswith("of the out-of-fold predictions.")
    parts = ["Threshold", "Summary of the run", "Out-of-fold predictions as one set", "Methods"]
    assert page.headings[1:] == parts
    assert run.summary() in html.unescape(page.text)
    both = compare_estimators(MODELS, X, Y, refit="f1", **options)
    page = page_of(both.report, tmp_path / "page.html")
    assert page.headings[1:] == ["Summary", "bayes: summary", "none: summary", "Methods"]
    for (metric, name), own in both.to_frame().iterrows():
        found = Reported(metric, own["mean"], own["low"], own["high"]).as_loss()
        assert [name, found.text, "", "569"] in page.rows
    [pair] = both.pairs("f1")
    words = "significant" if pair.p_adjusted < 0.05 else "not clear"
    text = f"{pair.reported.text} {words}, p {pair.p_adjusted:.4f}"
    assert ["bayes \u2212 none", text.replace("p 0.0000", "p < 0.0001"), "", ""] in page.rows


def test_a_comparison_claims_no_more_than_its_test(tmp_path):
    """The verdict follows the adjusted p-value: equal models have no winner."""
    options = {"scoring": ["roc_auc"], "outer_cv": 3, "inner_cv": 2}
    alike = {"a": GaussianNB(), "b": GaussianNB(var_smoothing=1e-8)}
    for models, clear in ((alike, False), (MODELS, True)):
        found = compare_estimators(models, X, Y, **options)
        screen = " ".join(page_of(found.report, tmp_path / "page.html").first_screen)
        adjusted = min(np.nan_to_num(pair.p_adjusted, nan=1) for pair in found.pairs("roc_auc"))
        assert (adjusted < 0.05) == clear
        assert ("none is worse than bayes in ROC AUC: bayes \u2212 none = 0." in screen) == clear
        assert ("No clear winner among a, b" in screen) != clear
        assert ("The winner by ROC AUC is bayes" in screen) == clear


@pytest.mark.parametrize("cut", [0.4, 0.123])
def test_the_threshold_of_the_predictions(written, cut):
    """The page infers it, starts there, and every number agrees."""
    pred = np.where(cut <= SCORE, "ill", "well")
    true = np.where(Y == 1, "ill", "well")
    page = written(true, pred, SCORE, pos_label="ill")
    control = control_of(page)
    assert ((control["cut"] <= SCORE) == (pred == "ill")).all()
    assert control["text"] in page.facts
    assert control["text"].endswith(", inferred from y_pred")
    recall = evaluate(true, pred, metrics=["recall"], pos_label="ill")["recall"]
    assert f"recall {recall:.2f}"[:-1] in page.answer
    stops = control["stops"]
    assert [stop[0] for stop in stops] == sorted(stop[0] for stop in stops)
    for at, tp, fp, fn, tn in [[control["cut"], *control["cells"]], *stops[:: len(stops) // 5]]:
        above = (at <= SCORE).astype(int)
        found = evaluate(Y, above, metrics=["recall", "specificity"])
        assert (tp / (tp + fn), tn / (tn + fp)) == (found["recall"], found["specificity"])
        if 0 < at < 1:
            own = (tp - fp * at / (1 - at)) / len(Y)
            assert own == pytest.approx(net_benefit(Y, above, threshold=at), abs=1e-12)


def test_predictions_of_no_single_threshold_or_of_none(written):
    """The page says so, and shows the predictions as they were made."""
    pred = PRED.copy()
    pred[np.argmax(SCORE)] = 0
    page = written(Y, pred, SCORE)
    assert "none that separates y_pred" in page.facts
    control = control_of(page)
    assert control["cut"] is None
    assert control["cells"][0] == np.sum((Y == 1) & (pred == 1))
    assert "none that separates y_pred" in written(Y, np.ones_like(Y), SCORE).facts
    page = written(Y, None, SCORE)
    assert "none given" in page.facts
    assert control_of(page)["cells"] is None


def test_the_threshold_as_given(written):
    """It makes the predictions that the page counts, or must agree with those given."""
    pred = (SCORE >= 0.2).astype(int)
    page = written(Y, None, SCORE, threshold=0.2)
    assert "0.2, as given" in page.facts
    found = evaluate(Y, pred, metrics=RATES, intervals=True)
    for name, own in found.to_frame().iterrows():
        assert [display_name(name), told(own)] in [row[:2] for row in page.rows]
    recall = told(found.to_frame().loc["recall"])
    assert page.answer.startswith(f"At the threshold 0.2, as given: recall {recall}")
    written(Y, pred, SCORE, threshold=0.2)
    differ = ((SCORE >= 0.3) != pred).sum()
    with pytest.raises(ValueError, match=f"threshold=0.3.* {differ} of 569 rows"):
        written(Y, pred, SCORE, threshold=0.3)
    three = np.arange(569) % 3
    for true, bad in ((Y, {"y_pred": pred}), (three, {"y_score": np.eye(3)[three]})):
        with pytest.raises(ValueError, match=r"threshold=0\.3 needs y_score of two classes"):
            written(true, threshold=0.3, **bad)
    with pytest.raises(ValueError, match=r"threshold must be a finite number.*nan"):
        written(Y, None, SCORE, threshold=np.nan)


def test_multilabel_indicators_make_the_page_of_their_evaluation(written):
    many, called = labels.y, labels.pred
    expected = evaluate(many, called, metrics=["f1_macro"])["f1_macro"]
    for given in (many, many.tolist()):
        [row] = [row for row in written(given, called, metrics=["f1_macro"]).rows if "F1" in row[0]]
        assert row[0] == "F1 (macro)"
        assert row[1].startswith(value(expected)[:4])
    with pytest.raises(ValueError, match=r"threshold=0\.5 .* found neither"):
        written(many, called, metrics=["f1_macro"], threshold=0.5)
    written(many[:, :1], many[:, :1])


@pytest.mark.parametrize("far", [False, True])
def test_many_classes_by_group(written, far):
    """The worst class is in the headline, the recall of each in a table, the group in the verdict."""
    rng = np.random.default_rng(1)
    true, where = rng.choice(list("abcd"), 600), rng.choice(["north", "south"], 600)
    hit = np.where((where == "south") & far, 0.4, 0.8)
    called = np.where(rng.random(600) < hit, true, rng.choice(list("abcd"), 600))
    page = written(true, called, by={"region": where})
    by = evaluate(true, called, metrics=["accuracy"], by={"region": where}, intervals=True)
    for group, own in by.items():
        assert [group, told(own.to_frame().iloc[0])] in [row[:2] for row in page.rows]
    recall = evaluate(true, called, metrics=["recall"], average=None, intervals=True).to_frame()
    for _, own in recall.iterrows():
        assert [own["class"], told(own), "", str(sum(true == own["class"]))] in page.rows
    worst = recall.sort_values("value").iloc[0]
    assert page.answer.startswith(f"Worst classes by recall: {worst['class']} {worst['value']:.2f}")
    alarms = verdict(true, called, by={"region": where}).alarms
    assert ("region south" in alarms) == far
    assert page.images == ["Confusion table: all rows"]


def test_what_a_result_does_not_read_is_refused(written):
    found = evaluate(Y, PRED, intervals=True)
    for name, option in {"groups": Y, "by": Y, "pos_label": 0, "threshold": 0.2}.items():
        with pytest.raises(ValueError, match=f"{name} is about rows, and a result was"):
            written(found, **{name: option})


def test_without_jinja(written, tmp_path, monkeypatch):
    """The error names the extra; values, tables and Markdown do without."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    found = evaluate(Y, PRED)
    with pytest.raises(ImportError, match=r"A report needs .*skaucx\[report\]"):
        written(found)
    assert not (tmp_path / "page.html").exists()
    assert "recall" in report(tmp_path / "page.md", found).read_text(encoding="utf-8")
    assert "recall" in found._repr_html_()


def test_colours_of_pages_are_those_of_pictures():
    path = Path(_page.__file__).parent / "templates" / "language.css"
    found = re.findall(r"--line(\d): (#\w{6});", path.read_text(encoding="utf-8"))
    wanted = [(str(k), c) for palette in (LIGHT, DARK, LIGHT) for k, c in enumerate(palette)]
    assert found == wanted


def test_a_page_has_its_own_script_alone(written):
    """Neither scripts in attributes nor anything from elsewhere."""
    page = written(Y, PRED, SCORE).text
    [script] = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    assert page.count("<script") == 1
    assert not re.search(r"<[^>]+\son\w+=", page.replace(script, ""))
    assert not re.search(r"(src|href)=.http|url\(.?http|@import", page)


def test_a_page_is_html_or_markdown(tmp_path):
    """One writer for predictions, evaluations, runs and comparisons; other endings are refused."""
    found = evaluate(Y, PRED, SCORE, intervals=True, n_resamples=50, random_state=0)
    both = compare_estimators(MODELS, X, Y, scoring="roc_auc", outer_cv=2, inner_cv=2)
    writers = [lambda path: report(path, Y, PRED, SCORE), found.report, both.report,
               both.results["bayes"].report]  # fmt: skip
    for write in writers:
        for end in ("tex", "pdf", "htm"):
            with pytest.raises(ValueError, match=r"path must end in .html or .md"):
                write(tmp_path / f"page.{end}")
        path = tmp_path / "page.md"
        assert write(path) == path
        text = path.read_text(encoding="utf-8")
        assert text.startswith("# ")
        assert "| ROC AUC | 0." in text or "| bayes | 0." in text
        assert "<" not in re.sub(r"p < 0|```.*?```", "", text, flags=re.DOTALL)
