"""Tables that a clinic prints: every number is that of the metric and interval it names."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
import sklearn.metrics
from sklearn.linear_model import LogisticRegression

from skaucx.evaluation import report_table
from skaucx.inference import interval
from skaucx.metrics import classification_report, threshold_curves
from skaucx.model_selection import nested_cross_validate
from skaucx.reports._sheet import of_hundred

RNG = np.random.default_rng(0)
Y = np.where(RNG.random(240) < 0.25, "cancer", "healthy")
SCORE = np.clip((Y == "cancer") * 0.3 + RNG.normal(0.4, 0.2, 240), 0, 1)
PRED = np.where(SCORE >= 0.5, "cancer", "healthy")
Y3 = RNG.integers(0, 3, 150)
PRED3 = np.where(RNG.random(150) < 0.6, Y3, RNG.integers(0, 3, 150))
PROBA3 = 0.5 * np.eye(3)[PRED3] + 1 / 6
WEIGHT = RNG.integers(1, 4, 240) * 1.0
GROUPS = np.arange(240) // 4
FEW = {"n_resamples": 60, "random_state": 3}


def agrees(row, found):
    assert (row.estimate, row.low, row.high) == (found.estimate, found.low, found.high)
    assert row.method == found.method


@pytest.mark.parametrize(
    "given",
    [{}, {"groups": GROUPS, **FEW}, {"sample_weight": WEIGHT, **FEW}],
    ids=["rows", "groups", "weights"],
)
def test_two_classes(given):
    table = report_table(Y, PRED, SCORE, pos_label="cancer", **given)
    for name in ("recall", "specificity", "precision", "npv", "f1", "prevalence"):
        agrees(table["cancer", name], interval(name, Y, PRED, pos_label="cancer", **given))
    agrees(table["cancer", "roc_auc"], interval("roc_auc", Y, SCORE, pos_label="cancer", **given))
    for name in ("accuracy", "balanced_accuracy", "matthews_corrcoef"):
        agrees(table["overall", name], interval(name, Y, PRED, **given))
    assert "Positive class: cancer" in repr(table)


def test_the_other_class_positive():
    table = report_table(Y, PRED, pos_label="healthy")
    mirrored = report_table(Y, PRED, pos_label="cancer")
    assert table["healthy", "recall"].estimate == mirrored["cancer", "specificity"].estimate
    assert table["healthy", "npv"].low == mirrored["cancer", "precision"].low


def test_many_classes():
    table = report_table(Y3, PRED3, PROBA3, overall=["f1_macro"], class_names={2: "severe"})
    for label, name in enumerate(["0", "1", "severe"]):
        agrees(table[name, "recall"], interval("recall", label == Y3, label == PRED3))
        agrees(table[name, "roc_auc"], interval("roc_auc", label == Y3, PROBA3[:, label]))
    agrees(table["overall", "f1_macro"], interval("f1", Y3, PRED3, average="macro"))
    agrees(table["macro average", "f1"], interval("f1", Y3, PRED3, average="macro"))
    agrees(table["macro average", "roc_auc"], interval("roc_auc", Y3, PROBA3, multi_class="ovr"))
    assert "macro average" not in {row.part for row in report_table(Y, PRED, pos_label="cancer")}


def test_classes_share_the_scale_of_their_marks():
    """So that classes can be compared by eye; one of other metrics stands below its own."""
    true, called = [0, 0, 1, 1, 2, 2, 2] * 4, [0, 1, 1, 1, 2, 2, 0] * 4
    shown = str(report_table(true, called, metrics=["recall", "precision"], overall=["accuracy"]))
    parts = re.findall(r"^ +0?\.?\d+ +[01]?\.?\d+$|^\S+$", shown, re.MULTILINE)
    assert [part.strip() if part[0] != " " else "scale" for part in parts] == [
        "0", "1", "2", "scale", "overall", "scale",
    ]  # fmt: skip


def test_multilabel_indicators():
    rng = np.random.default_rng(0)
    true = (rng.random((200, 3)) < [0.5, 0.2, 0.7]).astype(int)
    score = true + rng.normal(size=true.shape)
    pred, options = (score > 0.5).astype(int), {"random_state": 0, "n_resamples": 99}
    table = report_table(true, pred, score, class_names={0: "rain"}, **options)
    for label, name in enumerate(["rain", "1", "2"]):
        agrees(table[name, "recall"], interval("recall", true[:, label], pred[:, label]))
        agrees(table[name, "roc_auc"], interval("roc_auc", true[:, label], score[:, label]))
    agrees(table["macro average", "f1"], interval("f1", true, pred, average="macro", **options))
    agrees(table["macro average", "roc_auc"], interval("roc_auc", true, score))
    agrees(table["overall", "hamming_loss"], interval("hamming_loss", true, pred, **options))
    assert "Each label, 200 examples: rain" in " ".join(repr(table).split())
    assert (
        table.rows
        == report_table(true == 1, pred == 1, score, class_names={0: "rain"}, **options).rows
    )


def test_counts_are_the_labels_counted():
    counts = sklearn.metrics.confusion_matrix(Y3, PRED3)
    from_counts, from_labels = report_table(counts=counts), report_table(Y3, PRED3)
    assert from_counts.rows == from_labels.rows
    layout = "Counts are read in the layout 'true rows'."
    assert [fact for fact in from_counts.facts if fact != layout] == list(from_labels.facts)
    assert layout in from_counts.facts


@pytest.mark.parametrize("bound", [0.5, 0.9, 0.95, 1.0])
@pytest.mark.parametrize(
    ("name", "partner", "sign"),
    [("specificity", "recall", 1), ("recall", "specificity", 1), ("fpr", "recall", -1)],
)
def test_operating_point_is_the_best_that_reaches_the_bound(name, partner, sign, bound):
    bound = bound if sign > 0 else 1 - bound
    table = report_table(Y, y_score=SCORE, operating_point={name: bound}, pos_label="cancer")
    curves = threshold_curves(Y, SCORE, [name, partner], pos_label="cancer")
    feasible = sign * curves[name] >= sign * bound
    assert table["cancer", partner].estimate == pytest.approx(curves[partner][feasible].max())
    if name != "fpr":
        assert table["cancer", name].estimate >= bound
    called = np.where(table.threshold <= SCORE, "cancer", "healthy")
    fixed = report_table(Y, called, pos_label="cancer")
    assert [row.estimate for row in table if row.metric != "roc_auc"] == [r.estimate for r in fixed]
    same_class = {"specificity": "specificity", "recall": "recall", "fpr": "specificity"}[name]
    for metric in ("prevalence", same_class):
        assert table["cancer", metric] == fixed["cancer", metric]
    assert "Operating point" in repr(table)


def test_the_interval_at_a_bound_is_that_of_the_constrained_metric():
    """A threshold chosen on the same rows: Wilson's interval of the recall there is too narrow."""
    constrained = {
        "specificity": ("recall", "sensitivity_at_specificity", "min_specificity"),
        "recall": ("specificity", "specificity_at_sensitivity", "min_sensitivity"),
        "precision": ("recall", "recall_at_precision", "min_precision"),
    }
    y, settings = (Y == "cancer").astype(int), {"random_state": 0, "n_resamples": 200}
    for name, (partner, metric, least) in constrained.items():
        for given in ({}, {"groups": np.arange(len(y)) // 3}, {"sample_weight": 1.0 + y}):
            table = report_table(y, y_score=SCORE, operating_point={name: 0.6}, **given, **settings)
            # The table chooses the threshold anew in every resample, so it has the bootstrap.
            options = {least: 0.6, "method": "bca", **given, **settings}
            known = interval(metric, y, SCORE, **options)
            assert tuple(known) == (table["1", partner].low, table["1", partner].high)
            for row in table:
                told = row.method == "none: chosen by its bound"
                assert told == (name == "precision" == row.metric)
                assert told or row.low < row.high
                assert told or row.low <= row.estimate <= row.high
                exempt = row.metric in ("prevalence", "roc_auc", name)
                assert exempt or row.method == "bca"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": Y, "y_score": SCORE}, "operating_point"),
        ({"y_true": Y}, "y_pred is None"),
        ({}, "y_true is None"),
        (
            {"y_true": Y, "y_pred": PRED, "y_score": SCORE, "operating_point": 0.5},
            "operating_point applies to y_score",
        ),
        (
            {"y_true": Y, "y_pred": PRED, "operating_point": 0.5},
            "operating_point applies to y_score",
        ),
        ({"counts": [[1, 2], [3, 4]], "sample_weight": [1.0]}, "sample_weight cannot be combined"),
        ({"counts": [[1, 2], [3, 4]], "y_true": Y}, "y_true cannot be combined"),
        ({"counts": [[1.5, 2], [3, 4]]}, "whole numbers"),
        (
            {"y_true": Y, "y_score": SCORE, "operating_point": {"recall": 1.2}},
            "No threshold reaches",
        ),
        ({"y_true": Y, "y_score": SCORE, "operating_point": {}}, "one metric"),
        ({"y_true": Y3, "y_score": PROBA3, "operating_point": 0.5}, "two classes"),
    ],
)
def test_refuses(arguments, message):
    named = (
        {} if arguments.get("y_true") is Y3 or "counts" in arguments else {"pos_label": "cancer"}
    )
    with pytest.raises(ValueError, match=message):
        report_table(**arguments, **named)


def test_text_frame_html_and_latex_hold_the_same_numbers():
    table = report_table(Y, PRED, pos_label="cancer", class_names={"cancer": "a_b & <c>"})
    frame = table.to_frame()
    assert list(frame.columns) == ["estimate", "low", "high", "method"]
    for row in table:
        assert tuple(frame.loc[(row.part, row.metric)]) == (
            row.estimate, row.low, row.high, row.method
        )  # fmt: skip
        cells = [f"{row.estimate:.4f}", f"{row.low:.4f} to {row.high:.4f}", row.method]
        assert any(all(cell in line for cell in cells) for line in repr(table).splitlines())
        assert all(cell in table.to_html() for cell in cells)
        assert f"{cells[0]} & {cells[1]} & {cells[2]}" in table.to_latex()
    assert r"a\_b \& \textless{}c\textgreater{}" in table.to_latex()
    assert "a_b &amp; &lt;c&gt;" in table.to_html()
    assert all(line == line.rstrip() for line in repr(table).splitlines())


def test_undefined_values_are_nan_without_a_warning():
    table = report_table([0, 0, 0, 1], [0, 0, 0, 0])
    assert np.isnan(table["1", "precision"].estimate)
    assert len(report_table([0, 0, 0], [0, 0, 0], pos_label=1)) > 5


@pytest.mark.parametrize("weight", [None, np.linspace(1, 2, 150)])
def test_classification_report_is_that_of_scikit_learn(weight):
    names = ["mild", "moderate", "severe"]
    given = {"target_names": names, "sample_weight": weight, "digits": 3}
    theirs = sklearn.metrics.classification_report
    report = classification_report(Y3, PRED3, **given, random_state=0)
    assert report == theirs(Y3, PRED3, **given)
    dicts = [function(Y3, PRED3, output_dict=True) for function in (classification_report, theirs)]
    assert dicts[0] == dicts[1]
    found = theirs(Y3, PRED3, **given, output_dict=True)
    for name in names:
        for ours, other in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
            assert report.table[name, ours].estimate == pytest.approx(found[name][other], rel=1e-12)
        assert 0 < report.table[name, "specificity"].low < report.table[name, "specificity"].high
    assert report.table["overall", "f1_macro"].estimate == pytest.approx(
        found["macro avg"]["f1-score"], rel=1e-12
    )
    assert "severe" in report.to_html()
    assert "severe" in report._repr_html_()
    assert "severe" in report.to_latex()
    assert ("severe", "npv") in report.to_frame().index
    assert pickle.loads(pickle.dumps(report)) == report


def test_classification_report_of_indicators():
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 2, (2, 60, 3))
    report = classification_report(true, pred, zero_division=0)
    assert report == sklearn.metrics.classification_report(true, pred, zero_division=0)
    for label in range(3):
        agrees(report.table[str(label), "npv"], interval("npv", true[:, label], pred[:, label]))


@pytest.mark.usefixtures("captions_only")
def test_report_of_a_nested_run_agrees_with_its_page(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 3))
    y = np.where(X[:, 0] + rng.normal(size=150) > 0.8, "sick", "well")
    run = nested_cross_validate(
        LogisticRegression(), {"C": [0.1, 1]}, X, y, scoring=["roc_auc"], pos_label="sick"
    )
    table = report_table(run, random_state=0)
    predictions = run.predictions
    agrees(
        table["sick", "recall"],
        interval("recall", predictions.y_true, predictions.y_pred, pos_label="sick"),
    )
    assert "Positive class: sick" in repr(table)
    run.report(tmp_path / "page.html")
    found = of_hundred(table["sick", "recall"], "sick")
    assert f"finds {found} and" in (tmp_path / "page.html").read_text()
    cut = report_table(run, operating_point={"specificity": 0.9})
    assert cut["sick", "specificity"].estimate >= 0.9
