"""Pages of nested runs, in a real browser where there is one."""

from __future__ import annotations

import html
import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from skaucx._text.numbers import significant
from skaucx.model_selection import Decisions, nested_cross_validate
from skaucx.reports import report
from tests.datasets import classes
from tests.pages import Page, looked_at, needs_browser

pytestmark = pytest.mark.presentation

X, Y = load_breast_cancer(return_X_y=True)
GRID = {"var_smoothing": [1e-9, 1e-1]}
ONE = {"scoring": "roc_auc"}
FOLDS = "Score of each outer fold, and the inner mean of its best parameters"
BINARY = [
    "ROC curve: mean of 3 folds, band \u00b1 one standard deviation",
    "Precision-recall curve: mean of 3 folds, band \u00b1 one standard deviation",
    "Calibration curve: all rows",
    FOLDS,
]


def written(result, path, **options):
    assert result.report(path, **options) == path
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def binary():
    metrics = ["roc_auc", "specificity"]
    run = {"scoring": metrics, "refit": metrics, "outer_cv": 3, "inner_cv": 2}
    return nested_cross_validate(GaussianNB(), GRID, X, Y, **run)


@pytest.fixture(scope="module")
def binary_file(binary, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    written(binary, path, title="Cells <1 & 2>")
    return path


def test_page_of_two_classes(binary_file):
    """Its four pictures take the colours of the page; a slider has no use on paper."""
    text = binary_file.read_text(encoding="utf-8")
    page = Page(text)
    assert not page.open
    assert page.headings[0] == "Cells <1 & 2>"
    assert page.images == BINARY
    drawings = re.findall(r'<svg role="img" .*?</svg>', text, flags=re.DOTALL)
    assert len(drawings) == len(BINARY)
    for drawing in drawings:
        assert all(colour in drawing for colour in ("var(--ink)", "var(--paper)"))
        assert not any(colour in drawing for colour in ("#010101", "#fefefe"))
    assert "prefers-color-scheme: dark" in text
    assert ".live { display: none !important; }" in text


@pytest.mark.usefixtures("captions_only")
def test_thresholds_and_calibration_of_the_folds(tmp_path):
    """The threshold that a user types in is at the head of the page, with its spread."""
    run = {"scoring": ["roc_auc", "recall"], "refit": "roc_auc", "outer_cv": 3, "inner_cv": 3}
    chosen = Decisions(calibration="sigmoid", threshold={"specificity": {"recall": (">=", 0.9)}})
    result = nested_cross_validate(
        GaussianNB(), GRID, X[:, :3], Y, pos_label=1, decisions=chosen, **run
    )
    page = Page(written(result, tmp_path / "report.html"))
    cuts = result.thresholds
    ends = f"{significant(cuts.min())} to {significant(cuts.max())}"
    text = f"{significant(np.median(cuts))} (folds {ends}), chosen inside"
    assert text in page.facts
    assert page.answer.startswith(f"At the threshold {text}: recall")
    control = json.loads(html.unescape(re.search(r'data-thresholds="([^"]*)"', page.text)[1]))
    assert control["cut"] == pytest.approx(np.median(cuts))
    pooled = result.predictions
    true, called = pooled.y_true == 1, pooled.y_pred == 1
    assert control["cells"][:3] == [sum(true & called), sum(~true & called), sum(true & ~called)]
    assert "Requested recall >= 0.9" in html.unescape(page.text)
    assert "(O:E ratio" in page.text
    assert "(calibration slope" in page.text
    cut = result.final.threshold
    assert cut == result.final.estimator.threshold
    assert f"threshold {cut:.4g}\n" in result.summary()
    assert f"{cut:.3g}" in page.facts
    own = type("Own", (GaussianNB,), {"threshold": 0.7})()
    assert replace(result.final, estimator=own).threshold is None


@pytest.mark.usefixtures("captions_only")
def test_no_class_is_guessed(tmp_path):
    """A metric that is the same for either class names none of the strings as positive."""
    names = np.array(["malignant", "benign"])[Y]
    result = nested_cross_validate(GaussianNB(), GRID, X, names, **ONE, outer_cv=3, inner_cv=2)
    page = Page(written(result, tmp_path / "report.html"))
    assert "name it in the run by pos_label='benign' or 'malignant'" in html.unescape(page.text)
    assert page.images == ["Confusion table: all rows", FOLDS]


@pytest.mark.usefixtures("captions_only")
def test_weights_reach_the_page(tmp_path):
    weight = np.where(np.arange(len(Y)) % 3, 1.0, 0.0)
    run = {"outer_cv": 2, "inner_cv": 2, "sample_weight": weight}
    result = nested_cross_validate(GaussianNB(), GRID, X, Y, **ONE, **run)
    page = Page(written(result, tmp_path / "report.html"))
    pooled, kept = result.predictions, weight[result.predictions.row] > 0
    recall = np.mean(pooled.y_pred[kept & (pooled.y_true == 1)] == 1)
    assert f"recall {recall:.2f} [" in page.answer
    assert [row[3] for row in page.rows if row[0] == "recall"] == [f"{weight.sum():.0f}"]


@pytest.mark.usefixtures("captions_only")
def test_what_does_not_know_groups_says_so(tmp_path):
    page = tmp_path / "report.html"
    report(page, Y, X[:, 0] < 15, 1 / X[:, 0], groups=np.arange(len(Y)) // 4)
    assert "rows of one group as independent" in page.read_text(encoding="utf-8")


@pytest.mark.usefixtures("captions_only")
def test_many_classes(tmp_path):
    run = {"scoring": "accuracy", "outer_cv": 3, "inner_cv": 2}
    result = nested_cross_validate(GaussianNB(), GRID, classes.X, classes.y, **run)
    page = Page(written(result, tmp_path / "report.html"))
    against = "of each class against the rest, and their mean"
    certain = (
        "Error rate of the most certain rows: mean of 3 folds, band \u00b1 one standard deviation"
    )
    pictures = [f"ROC curves {against}", f"Precision-recall curves {against}", certain, FOLDS]
    assert page.images == pictures
    assert "owl" in page.cells


def test_decision_values(tmp_path):
    """No figure of the page is left open."""
    mine = pyplot.figure()
    model, grid, positive = LinearSVC(), {"C": [1e-3]}, X / X.max(axis=0)
    result = nested_cross_validate(model, grid, positive, Y, **ONE, outer_cv=2, inner_cv=2)
    page = Page(written(result, tmp_path / "report.html"))
    assert page.images[0].startswith("ROC curve")
    assert len(page.images) == 3
    assert pyplot.get_fignums() == [mine.number]


@pytest.mark.usefixtures("captions_only")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_runs_without_curves(tmp_path):
    """Numbers have the picture of the folds; folds of one row no curves of their own."""
    run = {"outer_cv": 2, "inner_cv": 2, "scoring": {"r2": "r2"}}
    result = nested_cross_validate(LinearRegression(), {}, X[:, :3], X[:, 3], **run)
    assert Page(written(result, tmp_path / "report.html")).images == [FOLDS]
    run = {"outer_cv": LeaveOneOut(), "inner_cv": 2, "scoring": "accuracy"}
    result = nested_cross_validate(GaussianNB(), GRID, X[::60], Y[::60], **run)
    page = Page(written(result, tmp_path / "report.html"))
    assert "Precision-recall curve: all rows" in page.images


@pytest.mark.usefixtures("captions_only")
def test_failed_fits_are_told(tmp_path):
    run = {"scoring": "accuracy", "outer_cv": 2, "inner_cv": 2}
    with pytest.warns(FitFailedWarning, match="failed"):
        result = nested_cross_validate(GaussianNB(), {"var_smoothing": [1e-9, -1.0]}, X, Y, **run)
    page = Page(written(result, tmp_path / "report.html"))
    assert f"{len(result.failures)} fits failed; see the summary of the run." in page.text


def test_without_matplotlib(binary, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"skaucx\[plot\]"):
        binary.report(tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()
    assert "# Nested cross-validation" in written(binary, tmp_path / "report.md")


MOVED = """
  const of = name => document.querySelector(`[data-of=${name}]`);
  const slider = document.querySelector("input[type=range]");
  const state = () => [of("threshold").textContent, of("tp").textContent,
    of("recall").textContent, document.querySelector(".warning").hidden];
  const seen = [state()];
  slider.value = 150; slider.dispatchEvent(new window.Event("input")); seen.push(state());
  document.querySelector(".control button").click(); seen.push(state());
  return seen;"""


@pytest.mark.usefixtures("captions_only")
@needs_browser
def test_nothing_is_counted_before_the_slider_is_moved(tmp_path):
    """Without a threshold: dashes, then counts of the score moved to, and dashes again."""
    score = np.random.default_rng(0).beta(1, 60, 1500)
    true = (np.random.default_rng(1).random(1500) < score).astype(int)
    report(tmp_path / "page.html", true, None, score)
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    (before, after, back), errors = looked_at(text, MOVED, tmp_path)
    assert before == back == ["none given", "\u2013", "\u2013", True]
    cut = np.sort(score)[np.searchsorted(np.sort(score), float(after[0]) * 0.999)]
    recall = ((score >= cut) & (true == 1)).sum() / true.sum()
    assert after[2:] == [f"{recall:.2f}", False]
    assert "CONSOLE" not in errors


PROBE = """  document.querySelectorAll("details").forEach(part => { part.open = true; });
  const page = document.documentElement, told = name =>
    document.querySelector(`[data-of=${name}]`).textContent;
  const channels = colour => colour.match(/[\\d.]+/g).slice(0, 3).map(each => each / 255)
    .map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
  const light = colour => channels(colour).reduce((sum, x, k) => sum + x * [.2126, .7152, .0722][k], 0);
  const behind = part => { while (part) {
    const colour = window.getComputedStyle(part).backgroundColor;
    if (!/, 0\\)|color/.test(colour)) return colour; part = part.parentElement; } };
  let contrast = 21;
  for (const part of document.querySelectorAll("main :is(p, dd, dt, td, th, b, summary, h1, pre)")) {
    const [a, b] = [window.getComputedStyle(part).color, behind(part)].map(light);
    contrast = Math.min(contrast, (Math.max(a, b) + .05) / (Math.min(a, b) + .05)); }
  const cut = [...document.querySelectorAll("main *")].filter(part =>
    part.getBoundingClientRect().right > page.clientWidth + 1 && !part.closest("svg")).length;
  return {wide: page.scrollWidth > page.clientWidth, cut, contrast, recall: told("recall"),
    paper: window.getComputedStyle(document.body).backgroundColor};"""


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize(("width", "scheme"), [(1280, 1), (1280, 0), (400, 1), (400, 0)])
def test_shows_in_a_browser(binary_file, binary, tmp_path, width, scheme):
    """Nothing is wider than the page or cut, all folds open; words stand out from their ground."""
    text = binary_file.read_text(encoding="utf-8")
    scheme_is = f"--blink-settings=preferredColorScheme={scheme}"
    found, errors = looked_at(text, PROBE, tmp_path, width, scheme_is)
    assert not found["wide"]
    assert found["cut"] == 0
    assert found["contrast"] >= 4.5
    pooled = binary.predictions
    assert found["recall"] == f"{np.mean(pooled.y_pred[pooled.y_true == 1]):.2f}"
    assert found["paper"] == ("rgb(255, 255, 255)" if scheme else "rgb(22, 22, 22)")
    assert "CONSOLE" not in errors
