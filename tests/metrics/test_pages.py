"""Pages of evaluations, runs and comparisons: every number is that of the data frame."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from skaucx._plotting import shown
from skaucx._text.numbers import fixed, value
from skaucx.metrics import MetricAccumulator, evaluate, report_predictions
from skaucx.metrics.pages import report_evaluation
from skaucx.model_selection import compare_estimators, nested_cross_validate
from tests.pages import Page

pytest.importorskip("pandas")

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :2]
SCORE = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
PRED = (SCORE > 0.5).astype(int)


def page_of(write, path):
    write(path)
    return Page(path.read_text(encoding="utf-8"))


def told(row):
    return f"{value(row.iloc[0])} [{value(row['low'])}, {value(row['high'])}]"


def test_of_an_evaluation(tmp_path):
    found = evaluate(Y, PRED, SCORE, intervals=True, n_resamples=50, random_state=0)
    page = page_of(lambda path: report_evaluation(path, found), tmp_path / "page.html")
    assert page.headings[1:] == ["Intervals", "Metrics", "How it was made"]
    assert len(page.images) == 1
    frame, rows = found.to_frame(), {row[0]: row for row in page.rows}
    for name, own in frame.iterrows():
        numbers = [fixed(own[end]) for end in ("value", "low", "high")]
        assert rows[name][1:5] == [*numbers, own["method"]]
    first = frame.iloc[0]
    ends = f"[{value(first['low'])}, {value(first['high'])}]"
    assert f"{shown(frame.index[0])} <b>{value(first['value'])}</b> {ends}" in page.text


def test_of_groups(tmp_path):
    groups = np.array(["a", "b", "c"])[np.arange(len(Y)) % 3]
    found = evaluate(Y, PRED, metrics=["recall", "mcc"], by={"site": groups}, intervals=True)
    page = page_of(lambda path: report_evaluation(path, found), tmp_path / "page.html")
    frame = found.to_frame()
    for (group, metric), own in frame.iterrows():
        ends = f"{fixed(own['low'])} to {fixed(own['high'])}"
        cells = [metric, f"site = {group}", str(own["rows"]), fixed(own["value"]), ends]
        assert cells in page.rows
    gaps = found.to_frame("gap")
    row = next(row for row in page.rows if row[0] == "recall" and len(row) == 3)
    assert row[1].startswith(fixed(gaps.loc["recall", "difference"]))
    assert (
        f"569 rows in 3 groups: {', '.join(f'{g} {n}' for g, n in found.sizes.items())}."
        in page.text
    )


@pytest.mark.parametrize("chunks", [1, 3])
def test_without_intervals(tmp_path, chunks):
    """Values alone, those of rows in chunks too, and those of many classes."""
    X, y = load_iris(return_X_y=True)
    pred = GaussianNB().fit(X[:, :2], y).predict(X[:, :2])
    counts = MetricAccumulator()
    for k in range(chunks):
        counts.update(y[k::chunks], pred[k::chunks])
    for found in (counts.result(average="macro"), evaluate(y, pred, average=None)):
        page = page_of(
            lambda path, found=found: report_evaluation(path, found), tmp_path / "a.html"
        )
        assert not page.images
        accuracy = [row for row in page.rows if row[0] == "accuracy"]
        assert [row[1] for row in accuracy] == [fixed(np.mean(y == pred))]
        assert "<b>" in page.text


def test_of_saved_predictions(tmp_path):
    asked = ["roc_auc", "accuracy", "matthews_corrcoef", "recall"]
    page = page_of(
        lambda path: report_predictions(path, Y, PRED, SCORE, metrics=asked), tmp_path / "page.html"
    )
    frame = evaluate(Y, PRED, SCORE, metrics=asked, intervals=True).to_frame()
    for name, own in frame.iterrows():
        assert [shown(name), told(own)] in page.rows


def test_of_a_run_and_a_comparison(tmp_path):
    options = {"scoring": ["roc_auc", "f1"], "outer_cv": 3, "inner_cv": 2}
    run = nested_cross_validate(GaussianNB(), {"var_smoothing": [1e-9, 1]}, X, Y, **options)
    page = page_of(run.report, tmp_path / "page.html")
    for name, own in run.to_frame("metric").iterrows():
        numbers = [fixed(own[column], 3) for column in ("sd", "pooled")]
        assert [shown(name), told(own), *numbers] in page.rows
    both = compare_estimators({"bayes": GaussianNB(), "none": DummyClassifier()}, X, Y, **options)
    page = page_of(both.report, tmp_path / "page.html")
    for (metric, name), own in both.to_frame().iterrows():
        assert [name, shown(metric), told(own)] in page.rows
    for key, own in both.to_frame("pair").iterrows():
        numbers = [fixed(own[column]) for column in ("difference", "low", "high")]
        assert [*key, *numbers] in [row[:6] for row in page.rows]
