"""The report is one page that shows itself, in a real browser where there is one."""

from __future__ import annotations

import html
import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx._text.numbers import significant, with_interval
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import net_benefit
from skaucx.model_selection import Decisions, compare_estimators, nested_cross_validate
from skaucx.reports import report
from skaucx.reports._sheet import of_hundred
from tests.browser import looked_at, needs_browser
from tests.pages import Page

pytestmark = pytest.mark.presentation

GRID = {"var_smoothing": [1e-9, 1e-1]}
FOLDS = "Score of each outer fold, and the inner mean of its best parameters"
CONFUSION = "Confusion table, all rows"
SCORES = "Scores of the two classes, all rows"
RELIABILITY = (
    "Observed event rates by predicted probability, all rows, with 95 % intervals of each bin"
)
COSTS = "Expected cost against the costs of both errors"
ERRORS = "Errors among the surest"
BINARY = [
    "ROC curve: mean of 3 folds, band \u00b1 one standard deviation",
    "Precision-recall curve: mean of 3 folds, band \u00b1 one standard deviation",
    "Calibration curve: all rows",
    "Decision curve: all rows",
    FOLDS,
    "Tuning matrix; its best row, picked afterwards, is optimistic",
    CONFUSION,
]


def written(result, path, **options):
    assert result.report(path, **options) == path
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def binary():
    X, y = load_breast_cancer(return_X_y=True)
    metrics = ["roc_auc", "specificity"]
    return nested_cross_validate(
        GaussianNB(), GRID, X, y, scoring=metrics, refit=metrics, outer_cv=3, inner_cv=2
    )


@pytest.fixture(scope="module")
def binary_file(binary, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    written(binary, path, title="Cells <1 & 2>")
    return path


def test_page_of_two_classes(binary_file, binary):
    text = binary_file.read_text(encoding="utf-8")
    page = Page(text)
    assert not page.open
    assert page.headings == [
        "Cells <1 & 2>", "Threshold", "Outer folds", "Best parameters and their stability",
        "Inner against outer", "Confusion table and rates of each class",
        "How the intervals were made", "How it was made",
    ]  # fmt: skip
    assert page.images == BINARY
    assert all(link.startswith(("data:", "#")) for link in page.links)
    assert not re.search(r"(src|href)=.http|url\(.?http|@import", text)
    pooled = binary.predictions
    options = {"labels": pooled.classes, "average": None}
    found = interval("recall", pooled.y_true, pooled.y_pred, **options)
    [row] = [row for row in page.rows if row[0] == "1" and len(row) == 7]
    assert row[2] == with_interval(found.estimate[1], found.low[1], found.high[1])


def test_the_sentence_is_about_both_classes(binary_file, binary):
    """Recall is no metric of the run, so both rates are of the out-of-fold predictions."""
    page = Page(binary_file.read_text(encoding="utf-8"))
    pooled, own = binary.predictions, binary.interval("specificity")
    recall = interval("recall", pooled.y_true, pooled.y_pred)
    specificity = interval("specificity", pooled.y_true, pooled.y_pred)
    assert page.answer == (
        f"At 0.5, the threshold inferred from y_pred, the model finds {of_hundred(recall, 1)} and "
        f"clears {of_hundred(specificity, 0)} (the out-of-fold predictions)."
    )
    ends = with_interval(own.estimate, own.low, own.high)
    assert ["specificity", "", ends, str(sum(pooled.y_true == 0))] in page.rows


@pytest.mark.usefixtures("captions_only")
def test_thresholds_and_calibration_of_the_folds(tmp_path):
    """The threshold that a user types in is at the head of the page, with its spread."""
    X, y = load_breast_cancer(return_X_y=True)
    result = nested_cross_validate(
        GaussianNB(), GRID, X[:, :3], y, scoring=["roc_auc", "recall"], refit="roc_auc", outer_cv=3,
        inner_cv=3,
        decisions=Decisions(calibration="sigmoid", threshold={"specificity": {"recall": (">=", 0.9)}}),
    )  # fmt: skip
    page = Page(written(result, tmp_path / "report.html"))
    cuts = result.thresholds
    ends = f"{significant(cuts.min())} to {significant(cuts.max())}"
    text = f"{significant(np.median(cuts))} (folds {ends})"
    assert f"{text}, chosen inside" in page.facts
    assert "sigmoid, fitted inside" in page.facts
    assert page.answer.startswith(f"At {text}, the threshold chosen inside, the model finds")
    used = json.loads(html.unescape(re.search(r'data-used="([^"]*)"', page.text)[1]))
    assert used["threshold"] == pytest.approx(np.median(cuts))
    pooled = result.predictions
    true, called = pooled.y_true == 1, pooled.y_pred == 1
    assert used["cells"][:3] == [sum(true & called), sum(~true & called), sum(true & ~called)]
    assert "Requested recall >= 0.9" in html.unescape(page.text)
    assert "(O:E ratio" in page.text
    assert "(calibration slope" in page.text


def test_pictures_take_the_colours_of_the_page(binary_file):
    text = binary_file.read_text(encoding="utf-8")
    drawings = re.findall(r'<svg role="img" [^>]*style=.*?</svg>', text, flags=re.DOTALL)
    assert len(drawings) == len(BINARY)
    for drawing in drawings:
        assert "var(--ink)" in drawing
        assert "var(--paper)" in drawing
        assert "#010101" not in drawing
        assert "#fefefe" not in drawing
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    assert ".live { display: none !important; }" in text  # a slider has no use on paper


def test_the_slider_counts_as_evaluate_does(binary_file, binary):
    text = binary_file.read_text(encoding="utf-8")
    rows = json.loads(html.unescape(re.search(r'data-stops="([^"]*)"', text)[1]))
    y, score = binary.predictions.y_true, binary.predictions.responses["predict_proba"][:, 1]
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    for threshold, tp, fp, fn, tn, benefit in rows[:: len(rows) // 5]:
        called = (score >= threshold).astype(int)
        found = evaluate(y, called, metrics=["recall", "specificity"])
        assert tp / (tp + fn) == found["recall"]
        assert tn / (tn + fp) == found["specificity"]
        if 0 < threshold < 1:
            own = net_benefit(y, called, threshold=threshold)
            assert benefit == pytest.approx(own, rel=1e-4, abs=1e-6)


def test_no_figure_is_left_open(binary, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    mine = pyplot.figure()
    written(binary, tmp_path / "report.html")
    assert pyplot.get_fignums() == [mine.number]
    pyplot.close(mine)


@pytest.fixture(scope="module")
def unnamed():
    """A run whose metric is the same for either class: none of the strings is positive."""
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])[y]
    return nested_cross_validate(
        GaussianNB(), GRID, X, names, scoring="roc_auc", outer_cv=3, inner_cv=2
    )


@pytest.mark.usefixtures("captions_only")
def test_no_class_is_guessed(unnamed, tmp_path):
    page = Page(written(unnamed, tmp_path / "report.html"))
    assert "report(pos_label=) takes 'benign' or 'malignant'" in html.unescape(page.text)
    assert page.images == [FOLDS, CONFUSION]


@pytest.mark.usefixtures("captions_only")
@pytest.mark.parametrize("positive", ["malignant", "benign"])
def test_the_class_named_for_the_page(unnamed, tmp_path, positive):
    """Headline, slider and table of classes are about it."""
    text = written(unnamed, tmp_path / "report.html", pos_label=positive)
    pooled = unnamed.predictions
    rows, page = unnamed.classes.counts[positive], Page(text)
    assert any(fact.startswith(f"{positive}: {rows} rows") for fact in page.facts)
    recall = evaluate(pooled.y_true, pooled.y_pred, pos_label=positive)["recall"]
    assert f"finds {100 * recall:.0f} of 100 {positive} rows" in page.answer


def test_a_page_about_another_class_than_its_scores_is_refused(binary, unnamed, tmp_path):
    with pytest.raises(ValueError, match=r"specificity .*1; run it"):
        binary.report(tmp_path / "report.html", pos_label=0)
    with pytest.raises(ValueError, match=r"found 'ill'.* 'benign', "):
        unnamed.report(tmp_path / "report.html", pos_label="ill")


@pytest.mark.usefixtures("captions_only")
def test_weights_reach_the_table_of_classes(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.where(np.arange(len(y)) % 3, 1.0, 0.0)
    result = nested_cross_validate(
        GaussianNB(), GRID, X, y, scoring="roc_auc", outer_cv=2, inner_cv=2, sample_weight=weight
    )
    rows = Page(written(result, tmp_path / "report.html")).rows
    pooled, kept = result.predictions, weight[result.predictions.row] > 0
    recall = np.mean(pooled.y_pred[kept & (pooled.y_true == 1)] == 1)
    [row] = [row for row in rows if row[0] == "1" and len(row) == 7]
    assert row[2].startswith(f"{recall:.2f} [")


@pytest.mark.usefixtures("captions_only")
def test_what_does_not_know_groups_says_so(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    report(tmp_path / "report.html", y, X[:, 0] < 15, 1 / X[:, 0], groups=np.arange(len(y)) // 4)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "rows of one group as independent" in text


@pytest.mark.usefixtures("captions_only")
def test_many_classes(tmp_path):
    X, y = load_iris(return_X_y=True, as_frame=False)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    result = nested_cross_validate(
        GaussianNB(), GRID, X, names, scoring="accuracy", outer_cv=3, inner_cv=2
    )
    page = Page(written(result, tmp_path / "report.html"))
    averages = "of each class against the rest, all rows, and their averages"
    assert page.images == [
        f"ROC curves {averages}", f"Precision-recall curves {averages}",
        f"{ERRORS}: mean of 3 folds, band \u00b1 one standard deviation", FOLDS, CONFUSION,
    ]  # fmt: skip
    assert "virginica" in page.cells


def test_decision_values(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    result = nested_cross_validate(
        LinearSVC(), {"C": [1e-3]}, X / X.max(axis=0), y, scoring="roc_auc", outer_cv=2, inner_cv=2
    )
    page = Page(written(result, tmp_path / "report.html"))
    assert "Calibration curve: all rows" not in page.images
    assert page.images[0].startswith("ROC curve")


@pytest.mark.usefixtures("captions_only")
def test_a_regressor_has_no_classes(tmp_path):
    X = load_iris().data
    result = nested_cross_validate(
        LinearRegression(), {"fit_intercept": [True]}, X[:, :3], X[:, 3], scoring={"r2": "r2"},
        outer_cv=2, inner_cv=2,
    )  # fmt: skip
    page = Page(written(result, tmp_path / "report.html"))
    assert page.images == [FOLDS]
    assert not any("Confusion" in heading for heading in page.headings)


def test_folds_of_one_row_have_no_curves_of_their_own(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::60], y[::60]
    result = nested_cross_validate(
        GaussianNB(), GRID, X, y, scoring="accuracy", outer_cv=LeaveOneOut(), inner_cv=2
    )
    page = Page(written(result, tmp_path / "report.html"))
    assert "Precision-recall curve: all rows" in page.images
    assert "Outer folds" in page.headings


def test_one_class_has_no_pictures(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    result = nested_cross_validate(
        DummyClassifier(), {"strategy": ["prior"]}, X, np.ones_like(y), scoring="accuracy",
        outer_cv=2, inner_cv=2,
    )  # fmt: skip
    assert Page(written(result, tmp_path / "report.html")).images == [FOLDS]


@pytest.mark.usefixtures("captions_only")
def test_failed_fits_are_told(tmp_path):
    X, y = load_iris(return_X_y=True)
    with pytest.warns(FitFailedWarning, match="failed"):
        result = nested_cross_validate(
            GaussianNB(), {"var_smoothing": [1e-9, -1.0]}, X, y, scoring="accuracy", outer_cv=2,
            inner_cv=2,
        )  # fmt: skip
    page = Page(written(result, tmp_path / "report.html"))
    assert "Failed fits" in page.headings
    rows = page.cells[page.cells.index("stage") :]
    assert rows[:4] == ["stage", "parameters", "error", "times"]
    assert rows[7] == str(len(result.failures))  # all of them failed alike


def test_without_matplotlib(binary, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"skaucx\[plot\]"):
        binary.report(tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_report_of_a_comparison(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    found = compare_estimators(
        {"bayes": (GaussianNB(), GRID), "dummy": DummyClassifier()}, X, y,
        scoring=["roc_auc", "f1"], outer_cv=3, inner_cv=2,
    )  # fmt: skip
    page = Page(written(found, tmp_path / "report.html"))
    assert page.headings[1:6] == [
        "Differences by every metric", "bayes: classes", "dummy: classes",
        "bayes: winners and failed fits", "dummy: winners and failed fits",
    ]  # fmt: skip
    assert page.images == [
        f"{what} curves, all out-of-fold rows" for what in ("ROC", "Decision", "Calibration")
    ]
    shown = found.pairs("roc_auc")[0].reported
    assert f"{shown.low:.4f} to {shown.high:.4f}" in page.cells


@pytest.mark.usefixtures("captions_only")
def test_report_of_saved_predictions(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    names = np.array(["malignant", "benign"])[y]
    score = GaussianNB().fit(X, y).predict_proba(X)[:, 0]
    path = tmp_path / "report.html"
    pred = np.where(score >= 0.5, "malignant", "benign")
    report(path, names, pred, score, pos_label="malignant")
    page = Page(path.read_text(encoding="utf-8"))
    assert "Precision-recall curve: all rows" in page.images
    assert "predicted malignant" in page.cells
    found = interval("roc_auc", names, score, pos_label="malignant")
    assert ["ROC AUC", "", with_interval(found.estimate, *found), "569"] in page.rows
    with pytest.raises(ValueError, match="y_pred"):
        report(path, names)


PROBE = """  const wide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  const control = document.querySelector("[data-stops]"), words = [];
  const told = name => control.querySelector(`[data-of=${name}]`).textContent;
  const warned = () => !control.querySelector(".warning").hidden;
  const slider = control.querySelector("input[type=range]");
  const start = [told("recall"), told("threshold"), warned()];
  for (const at of [slider.min, slider.max]) { slider.value = at;
    slider.dispatchEvent(new window.Event("input")); words.push(told("recall")); }
  const moved = warned();
  control.querySelector("button").click();
  const back = [told("recall"), told("threshold"), warned()];
  const small = [...document.querySelectorAll("main > section td")].filter(c => c.clientWidth &&
    parseFloat(window.getComputedStyle(c).fontSize) < 11).length;
  window.dispatchEvent(new window.Event("beforeprint"));
  const folds = [...document.querySelectorAll("details")].every(part => part.open);
  return {wide, words, start, moved, back, small, folds,
    width: document.documentElement.clientWidth,
    paper: window.getComputedStyle(document.body).backgroundColor};"""


@pytest.mark.usefixtures("captions_only")
@needs_browser
def test_nothing_is_counted_before_the_control_is_moved(tmp_path):
    """Without calls and threshold: dashes, then counts of the score moved to, and dashes again."""
    score = np.random.default_rng(0).beta(1, 60, 1500)
    true = (np.random.default_rng(1).random(1500) < score).astype(int)
    report(tmp_path / "page.html", true, None, score)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    found, errors = looked_at(text, MOVED, tmp_path)
    before, after, back = found
    at, *_ = after
    assert before == back == ["none given", "\u2013", "\u2013", True]
    cut = np.sort(score)[np.searchsorted(np.sort(score), float(at) * 0.999)]
    recall = ((score >= cut) & (true == 1)).sum() / true.sum()
    assert after[2:] == [f"{recall:.2f}", False]
    assert "CONSOLE" not in errors


MOVED = """
  const of = name => document.querySelector(`[data-of=${name}]`);
  const slider = document.querySelector("input[type=range]");
  const state = () => [of("threshold").textContent, of("found").textContent,
    of("recall").textContent, document.querySelector(".warning").hidden];
  const seen = [state()];
  slider.value = 150; slider.dispatchEvent(new window.Event("input")); seen.push(state());
  document.querySelector(".control button").click(); seen.push(state());
  return seen;"""


@pytest.mark.usefixtures("captions_only")
@needs_browser
def test_a_page_runs_no_script_but_its_own(tmp_path):
    """The policy refuses a script, a handler and a remote picture that get into the page."""
    report(tmp_path / "page.html", [0, 1] * 20, [0, 1] * 20, [0.2, 0.7] * 20)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    alien = (
        "<script>document.body.dataset.alien = 1</script>"
        "<img src='data:,' onerror='document.body.dataset.alien = 1'></main>"
    )
    script = (
        "return [document.body.dataset.alien ?? 'none', !!document.querySelector('[data-stops]')]"
    )
    found, errors = looked_at(text.replace("</main>", alien), script, tmp_path)
    assert found == ["none", True]
    assert errors.count("Content Security Policy") >= 2
    bare = re.sub("<meta http-equiv.*?>", "", text)
    assert looked_at(bare.replace("</main>", alien), script, tmp_path)[0][0] == "1"


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, 1), (500, 0), (400, 1)])
def test_shows_in_a_browser(binary_file, tmp_path, width, scheme):
    """Nothing is wider than the page; the control starts at the calls, moves, warns, and comes back."""
    text = binary_file.read_text(encoding="utf-8")
    scheme_is = f"--blink-settings=preferredColorScheme={scheme}"
    found, errors = looked_at(text, PROBE, tmp_path, width, scheme_is)
    assert abs(found["width"] - width) < 30
    assert not found["wide"]
    assert float(found["words"][0]) == 1 > float(found["words"][1])
    assert found["moved"]
    assert found["start"] == found["back"] == [found["start"][0], "0.5", False]
    assert f"{100 * float(found['start'][0]):.0f} of 100 rows of class 1" in text
    assert found["small"] == 0
    assert found["paper"] == ("rgb(255, 255, 255)" if scheme else "rgb(22, 22, 22)")
    assert found["folds"]
    assert "CONSOLE" not in errors


@pytest.mark.usefixtures("captions_only")
def test_the_threshold_of_the_shipped_model_is_said(tmp_path):
    """It is neither the median of the folds nor lost: on the page, on the card and in the summary."""
    X, y = load_breast_cancer(return_X_y=True)
    result = nested_cross_validate(
        GaussianNB(),
        GRID,
        X,
        y,
        scoring="roc_auc",
        pos_label=1,
        decisions=Decisions(threshold="f1"),
    )
    cut = result.final.threshold
    assert cut == result.final.estimator.threshold
    assert cut not in result.thresholds
    assert f"threshold {cut:.4g}\n" in result.summary()
    result.report(tmp_path / "page.html")
    assert f"{cut:.3g}" in Page((tmp_path / "page.html").read_text(encoding="utf-8")).facts
    plain = nested_cross_validate(GaussianNB(), GRID, X, y, scoring="roc_auc")
    assert plain.final.threshold is None
    own = type("Own", (GaussianNB,), {"threshold": 0.7})()
    assert replace(plain.final, estimator=own).threshold is None


@pytest.mark.usefixtures("captions_only")
def test_no_metric_stands_twice(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    result = nested_cross_validate(
        GaussianNB(), GRID, X[::2], y[::2], scoring="clinical", refit="neg_log_loss", pos_label=1,
        outer_cv=3, inner_cv=2,
    )  # fmt: skip
    result.report(tmp_path / "page.html")
    rows = Page((tmp_path / "page.html").read_text(encoding="utf-8")).rows
    names = [row[0] for row in rows[: len(result.test_scores) + 8] if row]
    assert names.count("O:E ratio") == 1
    assert names.count("calibration slope") == 1
