"""Pages of evaluations, runs and comparisons: every number is that of the data frame."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from skaucx._plotting.style import DARK, LIGHT
from skaucx._text.lines import ticks_of
from skaucx._text.numbers import ends, fixed, value, with_interval
from skaucx._text.reported import Reported, display_name
from skaucx.evaluation import evaluate
from skaucx.metrics import list_metrics
from skaucx.model_selection import Decisions, compare_estimators, nested_cross_validate
from skaucx.reports import _sheet, report, verdict
from skaucx.reports._sheet import of_hundred
from tests.pages import Page

pytestmark = pytest.mark.presentation


pytest.importorskip("pandas")

X, Y = load_breast_cancer(return_X_y=True)
X = X[:, :2]
SCORE = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
PRED = (SCORE > 0.5).astype(int)


def page_of(write, path):
    write(path)
    return Page(path.read_text(encoding="utf-8"))


def told(row, sign=1):
    first = row.iloc[0]
    ends = sorted(sign * row[end] for end in ("low", "high"))
    return with_interval(sign * first, *ends)


def starts(row, *cells):
    return [row[0], *row[2 : 2 + len(cells) - 1]] == list(cells)


def test_of_an_evaluation(tmp_path):
    found = evaluate(Y, PRED, SCORE, intervals=True, n_resamples=50, random_state=0)
    page = page_of(lambda path: report(path, found), tmp_path / "page.html")
    assert page.headings == [
        "Evaluation", "Metrics", "How the intervals were made", "How it was made",
    ]  # fmt: skip
    for name, own in found.to_frame().iterrows():
        assert any(starts(row, display_name(name), told(own)) for row in page.rows if len(row) == 4)
    recall, specificity = found.intervals["recall"], found.intervals["specificity"]
    assert page.answer == (
        f"The predictions find {of_hundred(recall, 1)} and clear {of_hundred(specificity, 'other')}."
    )
    assert {"569", f"1: {Y.sum()} rows (62.7 %)"} <= set(page.facts)
    # The rows of scales without an end are apart from those of shares.
    assert page.text.count('class="axis"') >= 3


def test_of_groups(tmp_path):
    groups = np.array(["a", "b", "c"])[np.arange(len(Y)) % 3]
    found = evaluate(Y, PRED, metrics=["recall", "mcc"], by={"site": groups}, intervals=True)
    page = page_of(lambda path: report(path, found), tmp_path / "page.html")
    frame = found.to_frame()
    for (group, _), own in frame.iterrows():
        positives = Y[groups == group].sum()
        numbers = with_interval(own["value"], own["low"], own["high"])
        assert ["", numbers, f"{own['rows']} ({positives})"] in [
            row[1:] for row in page.rows if row[0] == group
        ]
    high, low = found.extremes()["recall"]
    pair = found.pair(high, low)["recall"]
    words = (
        f"{high} {value(frame.loc[(high, 'recall'), 'value'])} \u2212 {low} "
        f"{value(frame.loc[(low, 'recall'), 'value'])} = {with_interval(pair.estimate, *pair)}"
    )
    words += ", no difference shown" if 0 in pair else ""
    assert ["groups furthest apart", words] in page.rows
    assert f"Groups furthest apart: recall of {words}." in page.answer
    assert f"3: {', '.join(f'{g} {n}' for g, n in found.sizes.items())}" in page.facts
    assert f"{high} {fixed(found[high]['recall'])} - {low} " in str(found)


def test_without_intervals(tmp_path):
    """Values alone, of many classes."""
    X, y = load_iris(return_X_y=True)
    pred = GaussianNB().fit(X[:, :2], y).predict(X[:, :2])
    found = evaluate(y, pred, average=None)
    page = page_of(lambda path: report(path, found), tmp_path / "a.html")
    [row] = [row for row in page.rows if row[0] == "accuracy" and len(row) == 4]
    assert row[2:] == [value(np.mean(y == pred)), "150"]


@pytest.mark.usefixtures("captions_only")
def test_of_saved_predictions(tmp_path):
    asked = ["roc_auc", "accuracy", "matthews_corrcoef", "recall"]
    page = page_of(lambda path: report(path, Y, PRED, SCORE, metrics=asked), tmp_path / "page.html")
    frame = evaluate(Y, PRED, SCORE, metrics=asked, intervals=True).to_frame()
    for name, own in frame.iterrows():
        n = Y.sum() if name == "recall" else len(Y)
        assert any(starts(row, display_name(name), told(own), str(n)) for row in page.rows)
    assert "to be filled in" not in " ".join(page.cells)  # a form is written where it is requested


def test_of_a_run_and_a_comparison(tmp_path):
    options = {"scoring": ["roc_auc", "f1", "neg_log_loss"], "outer_cv": 3, "inner_cv": 2}
    run = nested_cross_validate(
        GaussianNB(), {"var_smoothing": [1e-9, 1]}, X, Y, refit="f1", **options
    )
    page = page_of(run.report, tmp_path / "page.html")
    for name, own in run.to_frame("metric").iterrows():
        sign = -1 if name.startswith("neg_") else 1
        numbers = [fixed(own["sd"], 3), "0"]
        assert [display_name(name), told(own, sign), *numbers] in page.rows
        assert any(starts(row, display_name(name), told(own, sign), "569") for row in page.rows)
    both = compare_estimators(
        {"bayes": GaussianNB(), "none": DummyClassifier()}, X, Y, refit="f1", **options
    )
    page = page_of(both.report, tmp_path / "page.html")
    for (metric, name), own in both.to_frame().iterrows():
        assert any(
            starts(r, name, told(own, -1 if metric.startswith("neg_") else 1)) for r in page.rows
        )
    for (metric, *names), own in both.to_frame("pair").iterrows():
        found = Reported(metric, own["difference"], own["low"], own["high"]).as_loss()
        numbers = [fixed(found.estimate), ends(found.low, found.high)]
        assert [display_name(metric), *names, *numbers] in [row[:5] for row in page.rows]


@pytest.mark.usefixtures("captions_only")
def test_a_comparison_claims_no_more_than_its_test(tmp_path):
    """The verdict follows the adjusted p-value: equal models have no winner."""
    options = {"scoring": ["roc_auc"], "outer_cv": 3, "inner_cv": 2}
    first, same = GaussianNB(), GaussianNB(var_smoothing=1e-8)
    for models, clear in (
        ({"a": first, "b": same, "c": GaussianNB(var_smoothing=1e-7)}, False),
        ({"bayes": first, "none": DummyClassifier()}, True),
    ):
        found = compare_estimators(models, X, Y, **options)
        page = page_of(found.report, tmp_path / "page.html")
        adjusted = min(np.nan_to_num(pair.p_adjusted, nan=1) for pair in found.pairs("roc_auc"))
        assert (adjusted < 0.05) == clear
        assert (
            "none is worse than bayes in ROC AUC: bayes \u2212 none = 0." in page.answer
        ) == clear
        assert ("No clear winner" in page.answer) != clear
        assert "highest mean" not in page.text


CUTS = [0.4, 0.123]


@pytest.mark.usefixtures("captions_only")
@pytest.mark.parametrize("cut", CUTS)
def test_the_threshold_of_the_calls(tmp_path, cut):
    """The page reads it off, starts there, and every recall on the page agrees."""
    pred = np.where(cut <= SCORE, "ill", "well")
    true = np.where(Y == 1, "ill", "well")
    page = page_of(
        lambda path: report(path, true, pred, SCORE, pos_label="ill"),
        tmp_path / "page.html",
    )
    used = json.loads(html.unescape(re.search(r'data-used="([^"]*)"', page.text)[1]))
    assert ((used["threshold"] <= SCORE) == (pred == "ill")).all()
    assert f"{used['text']}, inferred from y_pred" in page.facts
    tp, fp, fn, tn = used["cells"]
    found = evaluate(true, pred, metrics=["recall", "specificity"], pos_label="ill")
    assert (tp / (tp + fn), tn / (tn + fp)) == (found["recall"], found["specificity"])
    assert f"finds {100 * found['recall']:.0f} of 100 ill rows" in page.answer
    assert f'Recall <b data-of="recall">{found["recall"]:.2f}</b>' in page.text
    assert any(
        starts(row, "recall") and row[2].startswith(value(found["recall"])) for row in page.rows
    )


@pytest.mark.usefixtures("captions_only")
def test_calls_of_no_single_threshold(tmp_path):
    """The page says so, and shows the calls as they were made."""
    pred = PRED.copy()
    pred[np.argmax(SCORE)] = 0
    page = page_of(lambda path: report(path, Y, pred, SCORE), tmp_path / "page.html")
    assert "more than one" in page.facts
    used = json.loads(html.unescape(re.search(r'data-used="([^"]*)"', page.text)[1]))
    assert used["cells"][0] == np.sum((Y == 1) & (pred == 1))
    assert "Back to more than one" in page.text


@pytest.mark.usefixtures("captions_only")
def test_the_threshold_as_given(tmp_path):
    """It makes the calls that the page counts, or must agree with those given."""
    path, pred = tmp_path / "page.html", (SCORE >= 0.2).astype(int)
    page = page_of(lambda path: report(path, Y, None, SCORE, threshold=0.2), path)
    assert "0.2, as given" in page.facts
    found = evaluate(Y, pred, metrics=["recall", "specificity"])
    used = json.loads(html.unescape(re.search(r'data-used="([^"]*)"', page.text)[1]))
    tp, fp, fn, tn = used["cells"]
    assert (tp / (tp + fn), tn / (tn + fp)) == (found["recall"], found["specificity"])
    assert page.answer.startswith(f"At 0.2, the threshold as given, the model finds "
                                  f"{100 * found['recall']:.0f} of 100")  # fmt: skip
    assert len(agree(page.text, {None: rates(Y, pred)})) > 4
    report(path, Y, pred, SCORE, threshold=0.2)
    differ = ((SCORE >= 0.3) != pred).sum()
    with pytest.raises(ValueError, match=f"threshold=0.3.* {differ} of 569 rows"):
        report(path, Y, pred, SCORE, threshold=0.3)
    three = np.arange(569) % 3
    for true, bad in ((Y, {"y_pred": pred}), (three, {"y_score": np.eye(3)[three]})):
        with pytest.raises(ValueError, match=r"threshold=0\.3 needs y_score of two classes"):
            report(path, true, threshold=0.3, **bad)
    with pytest.raises(ValueError, match=r"threshold must be a finite number.*nan"):
        report(path, Y, None, SCORE, threshold=np.nan)
    page = page_of(lambda path: report(path, found, threshold=0.2), path)
    assert "0.2, as given" in page.facts
    with pytest.raises(ValueError, match=r"threshold=0\.2 is about predicted labels"):
        report(path, evaluate(Y, None, SCORE, metrics=["roc_auc"]), threshold=0.2)


def test_multilabel_indicators_make_the_page_of_their_evaluation(tmp_path):
    rng = np.random.default_rng(0)
    many = rng.integers(0, 2, (60, 3))
    called = np.where(rng.random((60, 3)) < 0.8, many, 1 - many)
    expected = evaluate(many, called, metrics=["f1_macro"])["f1_macro"]
    for given in (many, many.tolist()):
        write = lambda path, given=given: report(path, given, called, metrics=["f1_macro"])  # noqa: E731
        page = page_of(write, tmp_path / "page.html")
        row = next(row for row in page.rows if row[0] == "F1 (macro)")
        assert row[2].startswith(value(expected))
    with pytest.raises(ValueError, match=r"threshold=0\.5 .* found neither"):
        report(tmp_path / "page.html", many, called, metrics=["f1_macro"], threshold=0.5)
    report(tmp_path / "page.html", many[:, :1], many[:, :1])


@pytest.mark.parametrize("far", [False, True])
def test_many_classes_by_group(tmp_path, far):
    rng = np.random.default_rng(1)
    true, where = rng.choice(list("abcd"), 600), rng.choice(["north", "south"], 600)
    hit = np.where((where == "south") & far, 0.4, 0.8)
    called = np.where(rng.random(600) < hit, true, rng.choice(list("abcd"), 600))
    write = lambda path: report(path, true, called, by={"region": where})  # noqa: E731
    page = page_of(write, tmp_path / "page.html")
    own = evaluate(true, called, metrics=["accuracy"], by={"region": where}, intervals=True)
    for group in own:
        one = own[group].intervals["accuracy"]
        assert [group, with_interval(one.estimate, one.low, one.high)] in [
            [row[0], row[2]] for row in page.rows if len(row) > 2
        ]
    alarms = verdict(true, called, by={"region": where}).alarms
    assert ("region south" in alarms) == far
    assert "region" in " ".join(page.first_screen)


def test_a_printed_result_makes_a_page(tmp_path):
    """Tables of the study of measures too: the page shows what a notebook shows."""
    from skaucx.study import simulate_bias

    own = simulate_bias([2, 8], repetitions=20, measures=["auc", "scor_auc"], random_state=0)
    page = page_of(own.report, tmp_path / "page.html")
    assert page.headings == ["Bias variance", "How it was made"]
    assert "".join(str(own).split()) in "".join(" ".join(page.words).split())
    with pytest.raises(ValueError, match="groups is about rows, and a result was given"):
        report(tmp_path / "page.html", own, groups=Y)


@pytest.mark.usefixtures("captions_only")
def test_nothing_is_counted_without_a_threshold(tmp_path):
    rng = np.random.default_rng(0)
    score = rng.beta(1, 60, 1500)
    true = (rng.random(1500) < score).astype(int)
    page = page_of(lambda path: report(path, true, None, score), tmp_path / "page.html")
    # No threshold was given: nothing is predicted or counted, and the slider starts inside.
    used = json.loads(html.unescape(re.search(r'data-used="([^"]*)"', page.text)[1]))
    assert not used["called"]
    assert used["threshold"] == np.median(score)
    assert "none given" in page.facts
    assert re.findall(r'<b data-of="(?:found|recall|npv|missed)">(.*?)</b>', page.text) == (
        ["\u2013"] * 4
    )


@pytest.mark.usefixtures("captions_only")
def test_the_first_screen_is_short_and_has_no_raw_name(tmp_path):
    groups = np.array(["north hospital", "south hospital", "east", "west"])[np.arange(len(Y)) % 4]
    pages = [
        (lambda path: report(path, Y, PRED, SCORE)),
        (lambda path: report(
            path, evaluate(Y, PRED, SCORE, by=groups, intervals=True, n_resamples=20))),
        nested_cross_validate(
            GaussianNB(), {"var_smoothing": [1e-9, 1]}, X, Y, outer_cv=2, inner_cv=2,
            scoring=["neg_log_loss", "balanced_accuracy", "mm1_auc"], refit="neg_log_loss",
        ).report,
    ]  # fmt: skip
    for write in pages:
        page = page_of(write, tmp_path / "page.html")
        assert 60 < len(page.first_screen) <= 250
        told = re.sub(r"<pre>.*?</pre>|<style>.*|<script>.*?</script>", "", page.text, flags=re.S)
        shown = page_of(lambda path, told=told: path.write_text(told), tmp_path / "told.html")
        for name in (
            "neg_log_loss",
            "balanced_accuracy",
            "mm1_auc",
            "roc_auc",
            "average_precision",
        ):
            assert name not in " ".join(shown.words), name


RATES = {"recall": "recall", "specificity": "specificity", "precision": "precision", "NPV": "npv"}
MEAN, POOLED = "mean over the", "the out-of-fold predictions"


SENTENCE = re.compile(
    r"finds? ([\d.]+) of 100 [^(]*?(?:\(([^)]*)\) )?and clears? ([\d.]+) of 100 "
    r"[^(]*(?:\(([^)]*)\))?"
)


def rates_of(text):
    """Yield place, rate, number as written, class or estimator, and what the text says of folds."""
    answer = Page(text).answer  # the threshold before "model" may have parentheses of its own
    found = SENTENCE.search(answer.partition("model")[2] or answer)
    if found is not None:
        recall, said, specificity, last = found.groups(default="")
        yield "sentence", "recall", str(float(recall) / 100), "1", said or last
        yield "sentence", "specificity", str(float(specificity) / 100), "1", last
    control = re.search(r'<p class="rates">.*?</p>', text, flags=re.DOTALL)
    if control is not None:
        for name, number in re.findall(r'data-of="(?!benefit)(\w+)">([\d.]+)', control[0]):
            yield "control", {"npv": "NPV"}.get(name, name), number, "1", control[0]
    for drawn in re.findall(r"<table.*?</table>", text, flags=re.DOTALL):
        caption = " ".join(re.findall("<caption.*?</caption>", drawn))
        said = html.unescape(re.sub("<.*?>", "", caption))
        rows = [[cell for cell in row if cell] for row in Page(f"<main>{drawn}</main>").rows]
        yield from rates_of_rows(rows[0], rows[1:], said)


def rates_of_rows(head, rows, said):
    """Yield those of a table; not of folds one by one, of differences, or of definitions."""
    within = None
    for row in rows if not {"fold", "difference", "what it is"} & {*head} else []:
        if head[0] == "class" and head[1] != "metric":  # a column a rate
            columns = zip(head, row, strict=True)
            yield from (
                ("classes", name, cell, row[0], said) for name, cell in columns if name in RATES
            )
        elif head[0] == "estimate" and len(row) > 1 and row[0] in RATES:
            yield "classes", row[0], row[1], "1", said
        elif "sd" in head and row[0] in RATES:
            yield "statistics", row[0], row[1], "1", MEAN
        elif row and len(row) > 1 and row[0] in RATES:
            yield "table", row[0], row[1], "1", f"{said} {row[1]}"
        elif row and len(row) > 1 and within in RATES:
            yield "table", within, row[1], row[0], said
        within = row[0] if len(row) == 1 else within


def agree(text, values):
    """Demand of every rate that it is the value of what the text next to it says; return places."""
    places = []
    for place, name, cell, about, said in rates_of(text):
        named = [of for of in (MEAN, POOLED) if of in said.lower()]
        if None not in values:
            assert len(named) == 1, (place, name, cell, said)
        written = re.match(r"nan|[\d.]+", cell.replace("undefined", "nan"))[0]
        places.append(place)
        if written == "nan":
            continue
        decimals = len(written.partition(".")[2])
        wanted = values[named[0] if named else None][about][name]
        assert float(written) == pytest.approx(wanted, abs=0.5001 * 10.0**-decimals), (place, name)
    return places


def rates(true, pred):
    options = {"metrics": list(RATES.values()), "zero_division": np.nan}
    found = {label: evaluate(true, pred, pos_label=label, **options) for label in (0, 1)}
    return {str(k): dict(zip(RATES, one.values(), strict=True)) for k, one in found.items()}


def folds_and_rows(result):
    means = {shown: result.interval(name).estimate for shown, name in RATES.items()}
    pooled = result.predictions
    return means, rates(pooled.y_true, pooled.y_pred)


@pytest.mark.usefixtures("captions_only")
def test_every_rate_of_a_page_agrees_or_says_why_not(tmp_path):
    """Mean over folds and all rows as one set are apart; without folds there is one number."""
    path = tmp_path / "page.html"
    options = {
        "scoring": ["roc_auc", *RATES.values(), "neg_log_loss"],
        "outer_cv": 3,
        "inner_cv": 2,
    }
    run = nested_cross_validate(
        GaussianNB(),
        {},
        X,
        Y,
        refit="roc_auc",
        decisions=Decisions(threshold="balanced_accuracy"),
        **options,
    )
    means, rows = folds_and_rows(run)
    assert any(abs(means[name] - rows["1"][name]) > 0.002 for name in RATES)
    page = page_of(run.report, path)
    assert len(page.first_screen) <= 250
    places = agree(page.text, {MEAN: {"1": means}, POOLED: rows})
    wanted = {"sentence", "control", "table", "classes", "statistics"}
    assert set(places) == wanted
    only = nested_cross_validate(GaussianNB(), {}, X, Y, refit="roc_auc",
                                 **options | {"scoring": ["roc_auc", "recall"]})  # fmt: skip
    means = {"recall": only.interval("recall").estimate}
    rows = rates(only.predictions.y_true, only.predictions.y_pred)
    agree(page_of(only.report, path).text, {MEAN: {"1": means}, POOLED: rows})

    pred = (SCORE >= 0.3).astype(int)
    one = {None: rates(Y, pred)}
    text = page_of(lambda path: report(path, Y, pred, SCORE), path).text
    assert set(agree(text, one)) == wanted - {"statistics"}
    text = page_of(lambda path: report(path, evaluate(Y, pred, SCORE)), path).text
    assert agree(text, one).count("table") == 4
    assert "Scores of rows are not kept" in text

    both = compare_estimators({"bayes": GaussianNB(), "none": DummyClassifier()}, X, Y,
                              refit="roc_auc", **options)  # fmt: skip
    held = {name: folds_and_rows(result) for name, result in both.results.items()}
    text = page_of(both.report, path).text
    for name, (_, rows) in held.items():
        parts = re.findall(rf"<summary>{name}: classes.*?</details>", text, flags=re.DOTALL)
        assert agree(f"<details>{parts[0]}", {POOLED: rows}).count("classes") == 8
    text = re.sub(r"<summary>\w+: classes.*?</details>", "</details>", text, flags=re.DOTALL)
    text = re.sub(r"<details></details>", "", text)
    assert (
        agree(text, {MEAN: {name: means for name, (means, _) in held.items()}}).count("table") == 8
    )


@pytest.mark.usefixtures("captions_only")
def test_recall_of_many_classes_says_that_it_is_pooled(tmp_path):
    X, y = load_iris(return_X_y=True)
    run = nested_cross_validate(
        GaussianNB(), {}, X, y, outer_cv=2, inner_cv=2, refit="roc_auc_ovr",
        scoring=["roc_auc_ovr", "f1_macro", "recall_macro", "accuracy"],
    )  # fmt: skip
    page = page_of(run.report, tmp_path / "page.html")
    assert [f"Recall of each class, {POOLED}"] in page.rows
    raw_names(page.text)


RAW = {name for name in {m.name for m in list_metrics()} if "_" in name}


def raw_names(text):
    """Demand that what a reader sees holds no name of the registry but in the code."""
    told = re.sub(
        r"<pre.*?</pre>|<style.*?</style>|<script.*?</script>|<wbr/?>", "", text, flags=re.S
    )
    words = set(re.findall(r"\w+", html.unescape(re.sub(r"<[^>]*>", " ", told))))
    ends = "", "_macro", "_micro", "_weighted", "_ovr", "_ovo"
    assert not {w for w in words for end in ends if w.removeprefix("neg_").removesuffix(end) in RAW
                and "_" in w}  # fmt: skip


@pytest.mark.usefixtures("captions_only")
def test_no_page_has_a_raw_name(tmp_path):
    """Names of metrics are those of a reader everywhere, in what folds too."""
    groups = np.array(["north", "south"])[np.arange(len(Y)) % 2]
    options = {"scoring": ["roc_auc", "neg_log_loss", "balanced_accuracy", "npv", "recall_at_k"],
               "outer_cv": 2, "inner_cv": 2, "refit": "roc_auc"}  # fmt: skip
    grid = {"var_smoothing": [1e-9, 1]}
    for write in (
        lambda path: report(path, Y, PRED, SCORE),
        lambda path: report(path, evaluate(Y, PRED, SCORE)),
        lambda path: report(path, evaluate(Y, y_score=SCORE, metrics="recall_at_k")),
        lambda path: report(path, evaluate(Y, PRED, SCORE, by=groups)),
        nested_cross_validate(
            GaussianNB(), grid, X, Y,
            decisions=Decisions(threshold={"recall": {"balanced_accuracy": (">=", 0.5)}}),
            **options
        ).report,
        compare_estimators({"bayes": GaussianNB(), "none": DummyClassifier()}, X, Y, **options).report,
    ):  # fmt: skip
        raw_names(page_of(write, tmp_path / "page.html").text)


def test_without_jinja(tmp_path, monkeypatch):
    """The error names the extra; values and tables do without."""
    monkeypatch.setitem(sys.modules, "jinja2", None)
    _sheet._template.cache_clear()
    found = evaluate(Y, PRED)
    with pytest.raises(ImportError, match=r"A report needs .*skaucx\[report\]"):
        report(tmp_path / "page.html", found)
    assert not (tmp_path / "page.html").exists()
    assert "recall" in str(found)
    assert "recall" in found._repr_html_()


def test_colours_of_pages_are_those_of_pictures():
    path = Path(_sheet.__file__).parent / "templates" / "language.css"
    found = re.findall(r"--line(\d): (#\w{6});", path.read_text(encoding="utf-8"))
    wanted = [(str(k), c) for palette in (LIGHT, DARK, LIGHT) for k, c in enumerate(palette)]
    assert found == wanted


def test_a_scale_holds_its_numbers():
    for low, high in ((0, 1), (-1, 1), (0, 0.37), (-0.012, 0.017), (0, 21.4), (3, 3.001)):
        ticks = ticks_of(low, high)
        assert ticks[0] <= low + 1e-9
        assert ticks[-1] >= high - 1e-9
        assert 2 <= len(ticks) <= 7
    ratio = _sheet.Block.of([_sheet.Line("LR+", (4.0, 2.0, 8.0), (0, np.inf), logarithmic=True)])
    assert ratio.x(4.0) == pytest.approx((ratio.x(2.0) + ratio.x(8.0)) / 2, abs=0.02)
    blocks = _sheet.blocks_of(
        _sheet.Line(name, (0.2, 0.1, 0.3), bounds)
        for name, bounds in (
            ("a", (0, 1)),
            ("log loss", (0, np.inf)),
            ("b", (0, 1)),
            ("c", (0, np.inf)),
        )
    )
    assert [[line.name for line in block.lines] for block in blocks] == [
        ["a", "b"],
        ["log loss"],
        ["c"],
    ]


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
    block = _sheet.Block.of([_sheet.Line("a", (number, np.nan, np.nan), bounds)] * 4)
    assert bounds[0] <= block.low < block.high <= bounds[1]
    if number == number:
        assert block.low <= number <= block.high
        assert all("o" in line for line in block.bars(20)[:-1])


def test_a_mask_is_never_ignored(tmp_path):
    """A page of masked labels would show a coverage of 1."""
    y, score = np.arange(40) % 2, np.linspace(0, 1, 40)
    masked = np.ma.masked_array((score > 0.5).astype(int), np.abs(score - 0.5) < 0.2)
    for given in ({"y_pred": masked}, {"y_score": np.ma.masked_array(score, masked.mask)}):
        [name] = given
        with pytest.raises(TypeError, match=f"{name} is a masked array"):
            report(tmp_path / "page.html", y, metrics=["coverage"], **given)


def test_the_policy_of_a_page_allows_its_own_script_alone(tmp_path):
    """By its hash; neither scripts in attributes nor anything from elsewhere."""
    page = page_of(lambda path: report(path, Y, PRED, SCORE), tmp_path / "page.html").text
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)[1]
    allowed = dict(rule.split(" ", 1) for rule in html.unescape(policy).split("; "))
    scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digests = [hashlib.sha256(script.encode()).digest() for script in scripts]
    assert allowed["script-src"].split() == [
        f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests
    ]
    assert page.count("<script") == len(scripts) == 1
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"
    assert not re.search(r"<[^>]+\son\w+=", page.replace(scripts[0], ""))


def test_a_page_is_html_or_markdown(tmp_path):
    """One writer for predictions, evaluations, runs and comparisons; other endings are refused."""
    found = evaluate(Y, PRED, SCORE, intervals=True, n_resamples=50, random_state=0)
    both = compare_estimators(
        {"bayes": GaussianNB(), "none": DummyClassifier()}, X, Y, scoring="roc_auc",
        outer_cv=2, inner_cv=2,
    )  # fmt: skip
    writers = [lambda path: report(path, Y, PRED, SCORE), found.report, both.report,
               both.results["bayes"].report]  # fmt: skip
    for write in writers:
        for end in ("tex", "pdf", "htm"):
            with pytest.raises(ValueError, match=r"path must end in .html or .md"):
                write(tmp_path / f"page.{end}")
        text = write(tmp_path / "page.md").read_text(encoding="utf-8")
        assert text.startswith("# ")
        assert "| ROC AUC | 0." in text or "| bayes | 0." in text
        assert "<" not in re.sub(r"adjusted p .*", "", text)
