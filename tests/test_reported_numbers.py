"""One number, one sign: every form of a result shows the same estimate and interval of a metric."""

from __future__ import annotations

import functools
import io
import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from skaucx._text.lines import blocks_of
from skaucx._text.numbers import fixed
from skaucx._text.plain import room_for
from skaucx._text.reported import Reported
from skaucx._text.tables import Table
from skaucx.command.main import main
from skaucx.evaluation import evaluate
from skaucx.metrics.curves import RocCurve, compare_hulls
from skaucx.model_selection import compare_estimators, nested_cross_validate
from skaucx.reports import report, report_evaluation
from tests.readings import Form, Readings, disagreements, places, readings_of, unnoticed

pd = pytest.importorskip("pandas")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :2]
METRICS = ["neg_log_loss", "roc_auc", "neg_brier_score", "recall"]
OPTIONS = {"scoring": METRICS, "refit": "neg_log_loss", "outer_cv": 3, "inner_cv": 2}
SHOWN = ["log loss", "ROC AUC", "Brier score", "recall"]


def written(write, path):
    write(path)
    return path.read_text(encoding="utf-8")


def read_records(readings, where, records):
    """Note numbers that end where they end: 0.5 is not 0.53."""
    rows = [[exact(value) for value in record.values()] for record in records]
    readings.table(where, list(records[0]), rows)


def exact(value):
    try:
        return f"{float(value):.15f}"
    except (TypeError, ValueError):
        return value


def read_json(readings, text, where):
    read_records(readings, where, json.loads(text))


def read_csv(readings, text, where):
    read_records(readings, where, pd.read_csv(io.StringIO(text), dtype=str).to_dict("records"))


def of_frame(where, frame):
    """Return the forms of a frame as JSON and CSV."""
    table = frame.reset_index()
    as_json = Form(f"{where} json", read_json, table.to_json(orient="records"))
    return [as_json, Form(f"{where} csv", read_csv, table.to_csv(index=False))]


def page(where, text):
    return Form(where, Readings.page, text)


def terminal(where, text):
    return Form(where, Readings.terminal, text)


@pytest.fixture(scope="module")
def comparison():
    models = {"none": DummyClassifier(), "bayes": GaussianNB(),
              "flat": GaussianNB(var_smoothing=0.1)}  # fmt: skip
    return compare_estimators(models, X, Y, **OPTIONS)


@pytest.mark.usefixtures("captions_only")
def test_forms_of_a_comparison(comparison, tmp_path):
    """Headline, table, fold, text, notebook, picture, JSON and CSV."""
    forms = [
        page("page", written(comparison.report, tmp_path / "page.html")),
        terminal("text", str(comparison)),
        page("notebook", comparison._repr_html_()),
        *of_frame("estimators", comparison.to_frame()),
        *of_frame("pairs", comparison.to_frame("pair")),
    ]
    for name, rows in comparison.plot_intervals().words().items():
        drawn = ("<table><tr><th>metric</th><th>estimate</th><th>estimator</th></tr>"
                   + "".join(f"<tr><td>{metric}</td><td>{words}</td><td>{name}</td></tr>"
                             for metric, words in rows.items()) + "</table>")  # fmt: skip
        forms.append(page("picture", drawn))
    found = readings_of(forms)
    assert list(disagreements(found)) == []
    assert unnoticed(forms) == []
    seen = places(found)
    names = comparison.names
    of_text = {"text", "notebook", "page"}
    for metric in SHOWN:
        for name in names:
            wanted = of_text | {"page: lines", "picture", "estimators json", "estimators csv"}
            assert seen[metric, name] >= wanted, (metric, name)
        for pair in comparison.pairs(METRICS[SHOWN.index(metric)]):
            wanted = of_text | {"pairs json", "pairs csv"}
            assert seen[metric, f"{pair.first} \u2212 {pair.second}"] >= wanted
    assert any("page: headline" in where for where in seen.values())
    lower = found["log loss", "none \u2212 bayes"][0][1][0]
    assert float(lower) > 0 > comparison.pairs("neg_log_loss")[0].folds.difference


@pytest.mark.usefixtures("captions_only")
def test_the_headline_names_the_better_and_the_sign_of_the_table(comparison, tmp_path):
    text = written(comparison.report, tmp_path / "page.html")
    answer = text.partition('<p class="answer">')[2].partition("</p>")[0]
    for pair in comparison.pairs("neg_log_loss"):
        loss = pair.reported.as_loss()
        better, other = pair.better
        assert (loss.estimate < 0) == (better == pair.first)
        if f"{pair.first} \u2212 {pair.second}" in answer:
            assert f"{loss.about} = {loss.text}" in answer
            if f"{better} has a" in answer:
                assert f"{better} has a lower log loss than {other}" in answer


def read_card(readings, text, where):
    readings.card(text, SHOWN, where)


@pytest.mark.usefixtures("captions_only")
def test_forms_of_a_nested_run(tmp_path):
    """Page, text, notebook, picture, JSON and CSV."""
    run = nested_cross_validate(GaussianNB(), {"var_smoothing": [1e-9, 1e-1]}, X, Y, **OPTIONS)
    words = run.plot_intervals().words()[""]
    forms = [
        page("page", written(run.report, tmp_path / "page.html")),
        page("notebook", run._repr_html_()),
        *of_frame("metrics", run.to_frame("metric")),
        terminal("text", run.summary()),
        Form(
            "picture", read_card, "\n".join(f"| {name} | {text} |" for name, text in words.items())
        ),
    ]
    found = readings_of(forms)
    assert list(disagreements(found)) == []
    assert unnoticed(forms) == []
    seen = places(found)
    wanted = {"page", "page: lines", "notebook", "metrics json", "metrics csv",
              "text", "picture"}  # fmt: skip
    for metric in SHOWN:
        assert seen[metric, ""] >= wanted, (metric, wanted - seen[metric, ""])


def read_command(readings, text, where):
    for name, one in json.loads(text).items():
        ends = one["interval"]["low"], one["interval"]["high"]
        readings.add(where, name, "", (one["value"], *ends))


@pytest.mark.usefixtures("captions_only")
def test_forms_of_predictions(tmp_path, capsys):
    """Page, text, notebook, JSON, CSV and the command line."""
    pytest.importorskip("pyarrow")
    score = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
    names = ["roc_auc", "recall", "log_loss", "brier_score_loss"]
    pred = (score >= 0.5).astype(int)
    result = evaluate(Y, pred, score, metrics=names, intervals=True)
    file = tmp_path / "a.csv"
    pd.DataFrame({"y": Y, "p": score, "c": pred}).to_csv(file, index=False)
    common = ["evaluate", str(file), "--true", "y", "--score", "p", "--pred", "c"]
    common += ["--metrics", ",".join(names), "--intervals"]
    assert main(common) == 0
    printed = capsys.readouterr().out
    assert main([*common, "--json"]) == 0
    write = functools.partial(report, y_true=Y, y_pred=pred, y_score=score, metrics=names)
    forms = [
        terminal("text", str(result).partition("\n")[2]),
        page("notebook", result._repr_html_()),
        *of_frame("evaluate", result.to_frame()),
        page("of", written(lambda path: report_evaluation(path, result), tmp_path / "e.html")),
        terminal("command", printed),
        Form("command json", read_command, capsys.readouterr().out),
        page("page", written(write, tmp_path / "p.html")),
    ]
    found = readings_of(forms)
    assert list(disagreements(found)) == []
    assert unnoticed(forms) == []
    seen = places(found)
    for metric in ("ROC AUC", "recall", "log loss", "Brier score loss"):
        wanted = {"text", "notebook", "evaluate json", "evaluate csv", "of: lines", "command json",
                  "page: lines", "command"}  # fmt: skip
        assert seen[metric, ""] >= wanted, (metric, wanted - seen[metric, ""])


@pytest.mark.usefixtures("captions_only")
def test_forms_of_groups(tmp_path, capsys):
    """Text, notebook, frame, page, and the command line, by sex."""
    pytest.importorskip("pyarrow")
    score = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
    sex = np.array(["f", "m"])[np.arange(len(Y)) % 2]
    names = ["roc_auc", "recall", "log_loss", "calibration_slope"]
    pred = (score >= 0.5).astype(int)
    result = evaluate(Y, pred, score, metrics=names, by={"sex": sex}, intervals=True)
    file = tmp_path / "a.csv"
    pd.DataFrame({"y": Y, "p": score, "c": pred, "sex": sex}).to_csv(file, index=False)
    common = ["--true", "y", "--score", "p", "--pred", "c", "--by", "sex"]
    assert main(["evaluate", str(file), *common, "--metrics", ",".join(names), "--intervals"]) == 0
    given = {"y_true": Y, "y_pred": pred, "y_score": score, "metrics": names, "by": {"sex": sex}}
    write = functools.partial(report, **given)
    forms = [
        terminal("text", str(result)),
        page("notebook", result._repr_html_()),
        *of_frame("groups", result.to_frame().rename_axis(index={"sex": "group"})),
        terminal("command", capsys.readouterr().out),
        page("of", written(lambda path: report_evaluation(path, result), tmp_path / "e.html")),
        page("page", written(write, tmp_path / "p.html")),
    ]
    options = [*common, "--metrics", ",".join(names)]
    out = tmp_path / "command.html"
    assert main(["report", str(file), *options, "-o", str(out)]) == 0
    forms.append(page("command html", out.read_text(encoding="utf-8")))
    found = readings_of(forms)
    assert list(disagreements(found)) == []
    assert unnoticed(forms) == []
    seen = places(found)
    wanted = {"text", "notebook", "groups json", "groups csv", "command", "of: lines"}
    for metric in ("ROC AUC", "recall", "log loss", "calibration slope"):
        # which pages show by group
        of_pages = {"page: lines", "command html: lines"} if metric == "ROC AUC" else set()
        for group in ("f", "m"):
            missing = (wanted | of_pages) - seen[metric, group]
            assert not missing, (metric, group, missing)
        pair = next(key for key in seen if key[0] == metric and "\u2212" in key[1])
        assert seen[pair] >= {"text", "command", "of: lines"}, pair


def test_the_reader_finds_a_turned_sign():
    """Of one number of a comparison, as of a loss under the sign of its scorer."""
    found = Readings()
    heads = ["metric", "first", "second", "difference", "low", "high"]
    found.table("a", heads, [["log loss", "a", "b", "-0.16", "-0.34", "0.02"]])
    found.table("b", heads, [["neg_log_loss", "a", "b", "0.1575", "-0.0234", "0.3383"]])
    assert list(disagreements(found)) == []
    found.table("c", heads, [["log loss", "a", "b", "0.1575", "-0.0234", "0.3383"]])
    assert {(one[1], one[2]) for one in disagreements(found)} == {("b", "c")}


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
    assert table.texts() == [["f1_score", "0.8125", "p 1e-09", "1,200"], [],
                             ["a|b", "-0.5000", "p 1e+00", "3"]]  # fmt: skip
    lines = str(table).splitlines()
    assert lines[0] == "Two <metrics>"
    assert lines[3].strip() == ""
    assert lines[-1] == "Of 1,203 rows."
    for form in (str(table), table.html(), table.markdown(), table.latex()):
        for cell in ("0.8125", "-0.5000", "p 1e-09", "1,200"):
            assert cell in form
    assert "<metrics>" not in table.html() + table.markdown()
    assert table.frame("metric").loc["a|b", "mean"] == -0.5


def test_a_table_without_rows_has_every_form():
    level = RocCurve.from_points([0.2], [0.6])
    empty = compare_hulls(level, level)
    for form in (repr(empty), empty.to_html(), empty.to_markdown(), empty.to_latex()):
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
    text, blocks = str(found).splitlines(), blocks_of(lines)
    assert [len(block.lines) for block in blocks] == [2, 1, 1]
    shown = [line for line in text if re.match(r"\w+.* \d\.\d{4}  ", line)]
    table = found._table()
    wide = room_for(table.head, table.texts(), table.left)
    start = next(len(row) - len(row.lstrip()) for row in text if row.startswith(" " * 30))
    svg = re.findall(r"<svg.*?</svg>", found._repr_html_())
    drawn = [picture for picture in svg if "circle" in picture]
    for line, row, picture in zip(lines, shown, drawn, strict=True):
        block = next(each for each in blocks if line in each.lines)
        places = {name: float(x) for name, x in re.findall(r'(cx|x1|x2)="([\d.]+)%"', picture)}
        assert places["cx"] == block.x(line.numbers[0])
        assert [places["x1"], places["x2"]] == [*map(block.x, line.numbers[1:])]
        assert f'class="reference" x1="{block.x(line.reference)}%"' in picture
        at = start + round(places["cx"] / 100 * (wide - 1))
        assert row[at] == "o"
    assert "\u2191" in found._repr_html_()


def test_a_notebook_shows_a_dozen_rows_and_folds_the_rest():
    y = np.arange(40) % 2
    found = evaluate(y, y, metrics="all", intervals=False)
    shown, folded = found._repr_html_().split("<details>")
    assert shown.count("<tr>") == 1 + 12
    assert folded.count("<tr>") == 1 + len(found) - 12
    assert f"<summary>{len(found) - 12} more rows</summary>" in folded
    assert "<details>" not in found.to_html()
    score = np.clip(0.5 + np.random.default_rng(0).normal(0, 0.1, 40) + 0.1 * y, 0.01, 0.99)
    marked = evaluate(y, (score > 0.5).astype(int), score, intervals=True)
    shown, folded = marked._repr_html_().split("<details>")
    assert shown.count("circle") == 12
    assert folded.count("circle") == len(marked) - 12
    for part in (shown, folded):  # each ends with its own scale
        assert "<text" in re.findall("<tr>.*?</tr>", part)[-1]


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
