"""One number, one sign: every form of a result is one table, with what a reader needs beside it."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit
from sklearn.naive_bayes import GaussianNB

from skaucx import evaluate, inference
from skaucx._text.lines import drawn_in_text, places, scale_of, ticks_of
from skaucx._text.numbers import fixed
from skaucx._text.plain import room_for
from skaucx._text.reported import Reported
from skaucx._text.tables import Table
from skaucx.metrics import get_scorer
from skaucx.metrics.curves import RocCurve, compare_hulls
from skaucx.model_selection import Decisions, compare_estimators, nested_cross_validate
from tests.datasets import binary, words

OPTIONS = {
    "scoring": ["neg_log_loss", "roc_auc", "recall"], "refit": "neg_log_loss", "outer_cv": 3,
    "inner_cv": 2,
}  # fmt: skip


def test_a_run_has_its_numbers_in_every_form(tmp_path):
    result = nested_cross_validate(GaussianNB(), {}, binary.X, binary.y, **OPTIONS)
    found = result.interval("roc_auc")
    result.report(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    for number in (found.estimate, found.low, found.high):
        assert fixed(number) in result.summary()
        assert fixed(number) in page or f"{number:.2f}" in page
    assert np.mean(result["test_roc_auc"]) == pytest.approx(found.estimate)


def test_a_comparison_has_one_sign_and_the_metrics_that_are_requested():
    models = {"bayes": GaussianNB(), "prior": DummyClassifier()}
    found = compare_estimators(models, binary.X, binary.y, **OPTIONS)
    pair = found.to_frame("pair").loc["roc_auc", "bayes", "prior"]
    assert pair["low"] < pair["difference"] < pair["high"]
    assert f"bayes - prior      {fixed(pair['difference'])} " in found.summary()
    assert "recall" not in found.summary(metrics=["roc_auc"])
    with pytest.raises(ValueError, match="metrics must be"):
        found.summary(metrics=["npw"])


def test_name_and_signs_turn_together():
    given = {"better": True, "reference": -0.25, "bounds": (-np.inf, 0)}
    one = Reported("neg_log_loss", -0.2, -0.3, -0.1, **given)
    loss = one.as_loss()
    assert (loss.metric, loss.numbers, loss.better) == ("log_loss", (0.2, 0.1, 0.3), False)
    assert (loss.bounds, loss.reference) == ((0, np.inf), 0.25)
    assert str(replace(one, reference=0).as_loss().reference) == "0.0"
    assert loss.as_loss() is loss


def test_every_form_of_a_table_holds_its_cells():
    table = Table(
        ["metric", "mean", "p", "rows"], [["f1_score", 0.8125, 1e-9, 1200], [], ["a|b", -0.5, 1.0, 3]],
        "Two <metrics>", ["Of 1,203 rows."], {"p": lambda p: f"p {p:.0e}"},
    )  # fmt: skip
    written = [["f1_score", "0.8125", "p 1e-09", "1,200"], [], ["a|b", "-0.5000", "p 1e+00", "3"]]
    assert table.cells() == (table.head, written)
    lines = str(table).splitlines()
    assert (lines[0], lines[3].strip(), lines[-1]) == ("Two <metrics>", "", "Of 1,203 rows.")
    for form in (str(table), table.html(), table.markdown()):
        assert all(cell in form for cell in ("0.8125", "-0.5000", "p 1e-09", "1,200"))
    assert "<metrics>" not in table.html() + table.markdown()
    assert table.frame("metric").loc["a|b", "mean"] == -0.5


def test_a_table_without_rows_has_every_form():
    level = RocCurve.from_points([0.2], [0.6])
    empty = compare_hulls(level, level)
    assert all("higher" in form for form in (repr(empty), empty.to_html(), empty.to_markdown()))
    assert [*empty.to_frame().columns] == ["higher", "low", "high"]
    assert Table(["metric", "mean"], [[], []]).frame("metric").shape == (0, 1)


@pytest.mark.filterwarnings("ignore:precision is undefined")
@pytest.mark.parametrize("by", [None, np.repeat(["a", "b"], 6)])
def test_an_interval_that_is_not_there_is_none_in_every_text(by):
    y, called = np.arange(12) % 2, np.zeros(12, int)
    metrics = ["precision", "recall"] if by is None else ["precision"]
    found = evaluate(y, called, metrics=metrics, by=by, intervals=True)
    for text in (repr(found), found._repr_html_()):
        assert "nan to nan" not in text
        assert "none" in text or "undefined" in text


def test_marks_of_a_table_are_where_its_numbers_are():
    """In characters and as SVG: estimate, ends and reference on one scale a block of metrics."""
    names = ["roc_auc", "average_precision", "observed_expected_ratio", "net_benefit"]
    called = (binary.score >= 0.2).astype(int)
    found = evaluate(
        binary.y, called, binary.score, metrics=names, intervals=True, threshold=0.2
    )  # fmt: skip
    lines = found._table().lines
    assert [line.reference for line in lines] == pytest.approx([0.5, binary.y.mean(), 1, 0])
    scales = [scale_of(lines[:2])] * 2 + [scale_of([line]) for line in lines[2:]]
    text = str(found).splitlines()
    shown = [line for line in text if re.match(r"\w+.* \d\.\d{4}  ", line)]
    wide = room_for(*found._table().cells(), found._table().left)
    start = next(len(row) - len(row.lstrip()) for row in text if row.startswith(" " * 30))
    drawn = [svg for svg in re.findall(r"<svg.*?</svg>", found._repr_html_()) if "circle" in svg]
    for line, row, picture, scale in zip(lines, shown, drawn, scales, strict=True):
        drawn_at = {name: float(x) for name, x in re.findall(r'(cx|x1|x2)="([\d.]+)%"', picture)}
        at, low, high, reference = (100 * place for place in places(line, scale))
        assert [drawn_at[name] for name in ("cx", "x1", "x2")] == pytest.approx([at, low, high])
        assert f'class="reference" x1="{reference:.2f}%"' in picture
        assert row[start + round(drawn_at["cx"] / 100 * (wide - 1))] == "o"


def test_a_scale_holds_its_numbers():
    for low, high in ((0, 1), (-1, 1), (0, 0.37), (-0.012, 0.017), (0, 21.4), (3, 3.001)):
        ticks = ticks_of(low, high)
        assert ticks[0] <= low + 1e-9
        assert ticks[-1] >= high - 1e-9
        assert 2 <= len(ticks) <= 7


RANGES = [(0, 1), (-1, 0), (0, np.inf), (-np.inf, 0), (-np.inf, np.inf)]


@pytest.mark.parametrize("bounds", RANGES)
@pytest.mark.parametrize("number", [np.nan, -1e20, -1.0, -0.25, 0.0, 0.25, 1.0, 1e20])
def test_a_scale_of_one_number_has_a_length(bounds, number):
    """Also at an end of the range, as a negated loss has it, and where adding 1 changes nothing."""
    number = np.clip(number, *bounds)
    rows = [Reported("a", number, bounds=bounds)] * 2
    low, *_, high = scale_of(rows)
    assert bounds[0] <= low < high <= bounds[1]
    if number == number:
        assert low <= number <= high
        assert all("o" in line for line in drawn_in_text(rows, 20)[:-1])


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_a_table_is_as_wide_as_the_terminal_with_all_of_its_numbers(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    found = evaluate(binary.y, y_score=binary.score, metrics="clinical", intervals=True)
    lines = repr(found).splitlines()
    assert max(map(len, lines)) <= columns
    for name in found:
        assert any(line[:7] == name[:7] and fixed(found[name]) in line for line in lines)


# One awkward study: string labels, groups, weights, a fold on which metrics are undefined, a constraint
# that no threshold keeps, a model that fails, and a metric with a parameter.
FOLD = words.groups // 7
Y = np.where(FOLD == 2, "well", words.y)
ASKED = {
    "groups": words.groups,
    "pos_label": "ill",
    "outer_cv": PredefinedSplit(FOLD),
    "inner_cv": 2,
}
SCORERS = {"f2": get_scorer("fbeta", beta=2.0), "recall": "recall", "auc": "roc_auc"}


class Broken(ClassifierMixin, BaseEstimator):
    """A classifier whose fits fail."""

    def fit(self, X, y):
        raise RuntimeError("the licence has expired")


def holds(face, *parts):
    """Whether a text, or the words of a page, has each of these parts."""
    body = re.sub(r"<(style|script).*?</\1>", " ", str(face), flags=re.DOTALL)
    flat = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())
    missing = [part for part in parts if not re.search(part, flat)]
    assert not missing, (missing, flat[:3000])


@pytest.mark.presentation
def test_faces_of_single_calls():
    given = {"pos_label": "ill", "beta": 2.0}
    rows = {"groups": words.groups, "sample_weight": 1 + words.weight}
    found = inference.interval("fbeta", words.y, words.pred, **rows, **given)
    for face in (found, found._repr_html_()):
        holds(face, r"fbeta\(beta=2\)", "95 %", "cluster")
    models = words.y, words.pred, words.other_pred
    test = inference.paired_test("fbeta", *models, groups=words.groups, **given)
    holds(test, r"fbeta\(beta=2\)", "p-value", "target: these predictions")
    found = evaluate(
        words.y, words.pred, words.score, metrics=["recall", "fbeta", "net_benefit"],
        by=words.groups % 2, intervals=True, threshold=0.2, n_resamples=60, random_state=0, **given,
    )  # fmt: skip
    holds(found, "Positive class: ill", r"fbeta\(beta=2\)", r"net_benefit\(threshold=0.2\)", "95 %")


def faces(result, folder):
    result.report(folder / "page.html")
    return result.summary(), (folder / "page.html").read_text(encoding="utf-8")


@pytest.mark.presentation
@pytest.mark.filterwarnings("ignore")
def test_faces_of_a_nested_run(tmp_path):
    kept = Decisions(threshold={"recall": {"precision": (">=", 1.1)}})
    result = nested_cross_validate(
        LogisticRegression(), {"C": [0.1, 1]}, words.X, Y, scoring=SCORERS, refit="f2",
        sample_weight=1 + words.weight, decisions=kept, **ASKED,
    )  # fmt: skip
    for face in faces(result, tmp_path):
        holds(face, "ill", "f2", "beta=2", "undefined", "groups?", r"precision >= 1\.1",
              "0 of 3 outer folds")  # fmt: skip
    holds(result.interval("f2"), "folds|groups|note|Note")


@pytest.mark.presentation
@pytest.mark.filterwarnings("ignore")
def test_faces_of_a_comparison(tmp_path):
    models = {"logistic": LogisticRegression(), "flat": LogisticRegression(C=1e-3)}
    models["broken"] = Broken()
    found = compare_estimators(models, words.X, Y, scoring=SCORERS, **ASKED)
    for face in (found, *faces(found, tmp_path)):
        holds(face, "broken", "the licence has expired", "beta=2", "undefined", "ill")
