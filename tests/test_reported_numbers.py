"""One number, one sign: every form of a result is made of the same table."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from skaucx._text.lines import drawn_in_text, places, scale_of, ticks_of
from skaucx._text.numbers import fixed
from skaucx._text.plain import room_for
from skaucx._text.reported import Reported
from skaucx._text.tables import Table
from skaucx.evaluation import evaluate
from skaucx.metrics.curves import RocCurve, compare_hulls
from skaucx.model_selection import compare_estimators, nested_cross_validate
from tests.datasets import binary

X, Y = binary.X, binary.y
OPTIONS = {
    "scoring": ["neg_log_loss", "roc_auc", "recall"], "refit": "neg_log_loss", "outer_cv": 3,
    "inner_cv": 2,
}  # fmt: skip


def test_a_run_has_its_numbers_in_every_form(tmp_path):
    result = nested_cross_validate(GaussianNB(), {}, X, Y, **OPTIONS)
    found = result.interval("roc_auc")
    result.report(tmp_path / "run.html")
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    for number in (found.estimate, found.low, found.high):
        assert fixed(number) in result.summary()
        assert fixed(number) in page or f"{number:.2f}" in page
    assert np.mean(result["test_roc_auc"]) == pytest.approx(found.estimate)


def test_a_comparison_has_one_sign_and_the_metrics_that_are_requested():
    models = {"bayes": GaussianNB(), "prior": DummyClassifier()}
    found = compare_estimators(models, X, Y, **OPTIONS)
    pair = found.to_frame("pair").loc["roc_auc", "bayes", "prior"]
    assert pair["low"] < pair["difference"] < pair["high"]
    assert f"bayes - prior      {fixed(pair['difference'])} " in found.summary()
    assert "recall" not in found.summary(metrics=["roc_auc"])
    with pytest.raises(ValueError, match="metrics must be"):
        found.summary(metrics=["npw"])


def test_name_and_signs_turn_together():
    one = Reported("neg_log_loss", -0.2, -0.3, -0.1, better=True, reference=0, bounds=(-np.inf, 0))
    loss = one.as_loss()
    assert (loss.metric, loss.numbers, loss.better) == ("log_loss", (0.2, 0.1, 0.3), False)
    assert loss.bounds == (0, np.inf)
    assert str(loss.reference) == "0.0"
    assert loss.as_loss() is loss


def test_every_form_of_a_table_holds_its_cells():
    table = Table(
        ["metric", "mean", "p", "rows"], [["f1_score", 0.8125, 1e-9, 1200], [], ["a|b", -0.5, 1.0, 3]],
        "Two <metrics>", ["Of 1,203 rows."], {"p": lambda p: f"p {p:.0e}"},
    )  # fmt: skip
    written = [["f1_score", "0.8125", "p 1e-09", "1,200"], [], ["a|b", "-0.5000", "p 1e+00", "3"]]
    assert table.cells() == (table.head, written)
    lines = str(table).splitlines()
    assert lines[0] == "Two <metrics>"
    assert lines[3].strip() == ""
    assert lines[-1] == "Of 1,203 rows."
    for form in (str(table), table.html(), table.markdown()):
        for cell in ("0.8125", "-0.5000", "p 1e-09", "1,200"):
            assert cell in form
    assert "<metrics>" not in table.html() + table.markdown()
    assert table.frame("metric").loc["a|b", "mean"] == -0.5


def test_a_table_without_rows_has_every_form():
    level = RocCurve.from_points([0.2], [0.6])
    empty = compare_hulls(level, level)
    for form in (repr(empty), empty.to_html(), empty.to_markdown()):
        assert "higher" in form
    assert [*empty.to_frame().columns] == ["higher", "low", "high"]
    assert Table(["metric", "mean"], [[], []]).frame("metric").shape == (0, 1)


@pytest.mark.filterwarnings("ignore:precision is undefined")
def test_an_interval_that_is_not_there_is_none_in_every_text():
    rows = np.arange(12)
    y, called = rows % 2, np.zeros(12, int)
    groups = np.repeat(["a", "b"], 6)
    both = [
        evaluate(y, called, metrics=["precision", "recall"], intervals=True),
        evaluate(y, called, metrics=["precision"], by=groups, intervals=True),
    ]
    for found in both:
        for text in (repr(found), found._repr_html_()):
            assert "nan to nan" not in text
            assert "none" in text or "undefined" in text


def test_marks_of_a_table_are_where_its_numbers_are():
    """In characters and as SVG: estimate, ends and reference on one scale a block of metrics."""
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.3
    score = np.clip(rng.beta(2, 4, 300) + 0.2 * y, 0.01, 0.99)
    names = ["roc_auc", "average_precision", "observed_expected_ratio", "net_benefit"]
    found = evaluate(
        y.astype(int),
        (score >= 0.2).astype(int),
        score,
        metrics=names,
        intervals=True,
        threshold=0.2,
    )
    lines = found._table().lines
    references = [0.5, y.mean(), 1, 0]
    assert [line.reference for line in lines] == pytest.approx(references)
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


@pytest.mark.parametrize(
    ("bounds", "number"),
    [
        (bounds, number)
        for bounds in [(0, 1), (-1, 0), (0, np.inf), (-np.inf, 0), (-np.inf, np.inf)]
        for number in [np.nan, -1e20, -1.0, -0.25, 0.0, 0.25, 1.0, 1e20]
        if np.isnan(number) or bounds[0] <= number <= bounds[1]
    ],
)
def test_a_scale_of_one_number_has_a_length(bounds, number):
    """Also at an end of the range, as a negated loss has it, and where adding 1 changes nothing."""
    rows = [Reported("a", number, bounds=bounds)] * 2
    low, *_, high = scale_of(rows)
    assert bounds[0] <= low < high <= bounds[1]
    if number == number:
        assert low <= number <= high
        assert all("o" in line for line in drawn_in_text(rows, 20)[:-1])


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_a_table_is_as_wide_as_the_terminal_with_all_of_its_numbers(columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    y = np.arange(200) % 3 == 0
    score = np.random.default_rng(0).random(200)
    found = evaluate(y.astype(int), y_score=score, metrics="clinical", intervals=True)
    lines = repr(found).splitlines()
    assert max(map(len, lines)) <= columns
    for name in found:
        assert any(line[:7] == name[:7] and fixed(found[name]) in line for line in lines)
