"""None, nan, NaT and pandas.NA are refused with their row everywhere; words for them in files only."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

import skaucx.metrics as sm
from skaucx import evaluation, inference, reports
from skaucx.command.main import main
from skaucx.displays import RocCurveDisplay
from skaucx.model_selection import nested_cross_validate

N, ROW = 40, 7
CODES = np.arange(N) % 2
WORDS = np.array(["no", "yes"])[CODES]
RISK = np.round(np.linspace(0.1, 0.9, N) * 0.5 + 0.4 * CODES, 3)
SITES = np.array(["a", "b", "c", "d"])[np.arange(N) // 2 % 4]
X = np.c_[RISK, np.arange(N) % 7]
MARKERS = {"None": None, "nan": np.nan, "float nan": float("nan"), "NaT": pd.NaT, "NA": pd.NA,
           "datetime NaT": np.datetime64("NaT")}  # fmt: skip


def arrow(values):
    return pytest.importorskip("pyarrow").array(values, from_pandas=True)


FORMS = {
    "list": list,
    "tuple": tuple,
    "array": lambda v: np.array(v, dtype=object),
    "Series": lambda v: pd.Series(v, dtype=object),
    "Series of its own type": pd.Series,
    "category": lambda v: pd.Series(pd.Categorical(v)),
    "Arrow": arrow,
    "polars": lambda v: pl.Series([None if pd.isna(each) else each for each in v]),
}  # fmt: skip


def holed(values, marker, form):
    """Return values as a form, one of them missing; None where the form does not hold the marker."""
    entries = values.tolist()
    entries[ROW] = marker
    try:
        return FORMS[form](entries)
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        return None


def nested(y=WORDS, **given):
    run = {"outer_cv": 2, "inner_cv": 2, "scoring": "accuracy"} | given
    return nested_cross_validate(LogisticRegression(), {}, X, y, **run)


LABELS = {
    "function, truth": lambda v: sm.accuracy_score(v, WORDS),
    "function, predictions": lambda v: sm.accuracy_score(WORDS, v),
    "ranking": lambda v: sm.roc_auc_score(v, RISK, pos_label="yes"),
    "evaluate, predictions": lambda v: evaluation.evaluate(WORDS, v, metrics=["accuracy"]),
    "interval": lambda v: inference.interval("accuracy", WORDS, v),
    "paired test, truth": lambda v: inference.paired_test("accuracy", v, WORDS, WORDS),
    "paired test, predictions": lambda v: inference.paired_test("accuracy", WORDS, WORDS, v),
    "permutation test": lambda v: inference.permutation_test("accuracy", WORDS, v, n_resamples=9),
    "jackknife": lambda v: inference.jackknife("accuracy", WORDS, v),
    "display": lambda v: RocCurveDisplay.from_predictions(v, RISK, pos_label="yes"),
    "band": lambda v: inference.roc_band(v, RISK, pos_label="yes", n_resamples=20),
    "verdict": lambda v: reports.verdict(v, y_score=RISK, pos_label="yes"),
    "report": lambda v: reports.report("page.html", v, WORDS, pos_label="yes"),
    "scorer": lambda v: sm.get_scorer("accuracy")(LogisticRegression().fit(X, WORDS), X, v),
    "nested run": nested,
}
SCORES = {
    "function": lambda v: sm.roc_auc_score(CODES, v),
    "matrix": lambda v: sm.log_loss(CODES, np.column_stack([RISK, np.asarray(v, dtype=object)])),
    "evaluate": lambda v: evaluation.evaluate(CODES, y_score=v),
    "interval": lambda v: inference.interval("roc_auc", CODES, v),
    "paired test": lambda v: inference.paired_test("roc_auc", CODES, RISK, v),
    "curve": lambda v: sm.precision_recall_curve(CODES, v),
    "report": lambda v: reports.report("page.html", CODES, y_score=v),
    "weights": lambda v: sm.accuracy_score(CODES, CODES, sample_weight=v),
}
GROUPS = {
    "by": lambda v: evaluation.evaluate(WORDS, WORDS, metrics=["accuracy"], by={"site": v}),
    "interval": lambda v: inference.interval("accuracy", WORDS, WORDS, groups=v),
    "paired test": lambda v: inference.paired_test("accuracy", WORDS, WORDS, WORDS[::-1], groups=v),
    "band": lambda v: inference.roc_band(CODES, RISK, groups=v, n_resamples=20),
    "nested run": lambda v: nested(groups=v, outer_cv=GroupKFold(2)),
}
CASES = {
    f"{what}: {door}": (values, call)
    for what, values, doors in (
        ("labels", WORDS, LABELS), ("scores", RISK, SCORES), ("groups", SITES, GROUPS),
    )
    for door, call in doors.items()
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_missing_entries_are_refused_with_their_row(case, tmp_path, monkeypatch):
    values, call = CASES[case]
    monkeypatch.chdir(tmp_path)
    for name, marker in MARKERS.items():
        for form in FORMS:
            if (given := holed(values, marker, form)) is None:
                continue
            print(name, form)  # shown where it fails
            with pytest.raises(ValueError, match=rf"1 of {N} rows \(first: row {ROW}\)"):
                call(given)


@pytest.mark.parametrize("word", ["NA", "nan", "?", ".", " ", "None"])
def test_words_are_classes_and_groups_in_memory(word):
    y = np.where(CODES, word, "other")
    assert sm.recall_score(y, y, pos_label=word) == 1
    found = evaluation.evaluate(y.tolist(), y.tolist(), metrics=["accuracy"], by=y.tolist())
    assert set(found) == {word, "other"}


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("word", ["", " ", "NA", "n/a", "NaN", "?", ".", "<NA>"])
def test_words_for_missing_values_are_refused_in_files(word, form, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    file = str(tmp_path / f"rows.{form}")
    whole = pd.DataFrame({"truth": WORDS, "called": WORDS, "site": SITES}, dtype=object)
    asked = {"y_pred": "called", "metrics": ["accuracy"], "data": file}
    options = ["--true", "truth", "--pred", "called", "--by", "site", "--metrics", "accuracy"]
    for column in whole:
        changed = whole.copy()
        changed.loc[ROW, column] = word
        getattr(changed, f"to_{form}")(file, index=False)
        line = f" (line {ROW + 2})" if form == "csv" else ""
        with pytest.raises(ValueError, match=re.escape(f"row {ROW}{line}, column {column!r}")):
            evaluation.evaluate("truth", by="site", **asked)
        assert main(["evaluate", file, *options]) != 0
        assert f"row {ROW}" in capsys.readouterr().err
        if column != "site" and word:
            found = evaluation.evaluate("truth", labels=[word, "no", "yes"], **asked)
            assert found["accuracy"] == (N - 1) / N
    if word:
        both = np.where(CODES, word, "no")
        getattr(pd.DataFrame({"truth": both, "called": both}), f"to_{form}")(file, index=False)
        options = ["--true", "truth", "--pred", "called", "--metrics", "recall", "--positive", word]
        assert main(["evaluate", file, *options]) == 0
        assert "1.0000" in capsys.readouterr().out
