"""Checks of data and folds: every planted leak is found, clean data raise few alarms."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

from benchmarks.checks import PLANTS, clean, found_in
from skaucx.model_selection import (
    Execution,
    _run,
    check_folds,
    compare_estimators,
    compare_over_datasets,
    nested_cross_validate,
)
from skaucx.model_selection._checks import _moments, edge_notes, findings, odd_fold_notes

RNG = np.random.default_rng(3)
X = RNG.normal(size=(90, 3))
Y = (X[:, 0] + RNG.normal(size=90) > 0).astype(int)


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_every_planted_leak_is_found():
    for name, (check, plant) in PLANTS.items():
        for seed in range(4):
            assert check in found_in(plant(seed)), (name, seed)


def test_clean_data_raise_few_alarms():
    told = [found_in({**clean(seed), "near_duplicates": 0.05}) for seed in range(50)]
    assert sum(map(len, told)) <= 4, told


def test_equal_rows_are_counted_and_those_in_one_part_are_not_reported():
    twice, y = np.r_[X, X[:10]], np.r_[Y, Y[:10]]
    assert check_folds(twice, y, cv=[(np.arange(30, 90), np.r_[:30, 90:100])]) == []
    groups = np.r_[np.arange(90), np.arange(10)]
    assert [f.check for f in check_folds(twice, y, cv=GroupKFold(5), groups=groups)] == []
    order = np.r_[np.arange(80), np.arange(10), np.arange(80, 90)]  # copies fall into another fold
    for table in (X, pd.DataFrame(X).assign(site="a"), sparse.csr_array(X), X.astype(np.float32)):
        again = table.iloc[order] if hasattr(table, "iloc") else table[order]
        found = {f.check: f for f in check_folds(again, Y[order], cv=5)}
        assert found["duplicates"].found.startswith("20 rows of X have an equal row")


def test_texts_and_times():
    texts = np.array([f"mail {k}" for k in range(40)], dtype=object)
    assert check_folds(texts, [0, 1] * 20) == []
    assert check_folds(texts[np.r_[:20, :20]], [0, 1] * 20)[0].check == "duplicates"
    days = pd.date_range("2021-01-01", periods=90, tz="UTC")
    frame = pd.DataFrame(X, index=days)
    assert check_folds(frame, Y, cv=TimeSeriesSplit(3)) == []
    assert check_folds(frame[::-1], Y, cv=TimeSeriesSplit(3))[0].check == "time"
    falling = np.column_stack([X, -np.arange(90)])
    assert "column 3 falls" in check_folds(falling, Y, cv=TimeSeriesSplit(3))[0].found


DAYS = pd.Series(pd.date_range("2021-01-01", periods=90))
TIMES = {
    "stamps": DAYS,
    "zone": DAYS.dt.tz_localize("Asia/Tokyo"),
    "arrow": DAYS.astype("timestamp[us][pyarrow]"),
    "periods": DAYS.dt.to_period("D"),
    "dates": DAYS.dt.date,
    "datetimes": pd.Series(list(DAYS.dt.tz_localize("UTC").dt.to_pydatetime()), dtype=object),
    "period objects": DAYS.dt.to_period("D").astype(object),
    "texts": DAYS.dt.strftime("%Y-%m-%d"),
    "text type": DAYS.dt.strftime("%Y-%m-%d %H:%M").astype("string"),
    "months": pd.Series(pd.period_range("2010-01", periods=90, freq="M")).astype(str),
    "offsets": DAYS.dt.strftime("%Y-%m-%dT%H:%M:%S+02:00"),
    "one is missing": DAYS.dt.date.where(np.arange(90) != 3, None),
}


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize("place", ["column", "index", "array"])
def test_times_of_every_type(kind, place):
    """Rows in order of time pass; shuffled folds, and rows that run backwards, are found."""
    times = TIMES[kind]
    table = pd.DataFrame(X, columns=list("abc"))
    if place == "array":
        table = np.asarray(table.assign(t=times).astype(object))
    else:
        table = table.assign(t=times) if place == "column" else table.set_index(pd.Index(times))
    back = table[::-1]
    shuffled = KFold(3, shuffle=True, random_state=0)
    ordered = TimeSeriesSplit(3)
    assert check_folds(table, Y, cv=ordered) == []
    for rows, cv in ((back, ordered), (table, shuffled)):
        found = check_folds(rows, Y, cv=cv)
        assert [f.check for f in found] == ["time"], found
        assert {"column": "column t", "index": "the index", "array": "column 3"}[place] in found[
            0
        ].found


def test_offsets_of_texts_count():
    local = [f"2021-01-01T{hour:02d}:00+0{offset}:00" for hour, offset in ((1, 0), (2, 3), (3, 0))]
    found = _moments(pd.Series([*local, "2021-01-01", None]))
    expected = ["2021-01-01T01", "2020-12-31T23", "2021-01-01T03", "2021-01-01", "NaT"]
    np.testing.assert_array_equal(found, np.array(expected, dtype="datetime64[us]"))
    for no_times in (
        ["2021-01-01", "north"],
        ["2021", "2022"],
        [3, 4],
        [None, None],
        [["a"], ["b"]],
    ):
        column = pd.Series(no_times, dtype=object)
        assert _moments(column) is None


def test_copies_among_few_valued_columns_are_found():
    """Of binary columns, of categories beside a number, rows copied up to ten times."""
    rng = np.random.default_rng(0)
    binary = rng.integers(0, 2, (600, 200))
    mixed = np.column_stack([rng.normal(size=600), rng.integers(0, 3, (600, 2))])
    for table in (
        binary,
        mixed,
        sparse.csr_array(binary),
        pd.DataFrame(binary).astype("category"),
    ):
        for copies, times in ((60, 1), (10, 1), (60, 9)):
            order = np.r_[np.arange(600), np.tile(np.arange(copies), times)]
            rows = table.iloc[order] if hasattr(table, "iloc") else table[order]
            cv = KFold(5, shuffle=True, random_state=0)
            if sparse.issparse(table) and times > 1:
                continue
            found = {f.check: f for f in check_folds(rows, rng.integers(0, 2, len(order)), cv=cv)}
            assert "duplicates" in found, (copies, times)


def test_rows_that_are_equal_by_chance_are_not_reported():
    """Of few columns with many values each, of indicators, of columns that follow from others."""
    raised = []
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n = 3000
        day, age = rng.integers(0, 365, n), rng.integers(20, 90, n)
        sex, letter = rng.integers(0, 2, n), rng.integers(0, 26, n)
        frame = pd.DataFrame(
            {"age": age, "sex": np.array(["f", "m"])[sex], "letter": letter,
             "date": pd.Timestamp("2020-01-01") + pd.to_timedelta(day, "D")}
        )  # fmt: skip
        tables = {
            "frame": frame,
            "indicators": np.eye(26)[letter] + 2 * np.eye(26)[rng.integers(0, 26, n)],
            "following": np.column_stack([age, age // 10, sex, letter, letter // 5, day // 30]),
            "same": np.column_stack([sex, sex, letter]),
            "binary": rng.integers(0, 2, (n, 12)),
            # a half of the columns may by chance agree less often than both halves
            "number and sex": np.column_stack([rng.integers(0, 10**6, n), sex]),
        }
        for name, table in list(tables.items())[: 1 if seed > 9 else None]:
            found = check_folds(table, rng.integers(0, 2, n), cv=KFold(5))
            raised += [(seed, name) for f in found if f.check == "duplicates"]
    assert raised == []


@pytest.mark.parametrize("missing", [None, np.nan])
def test_groups_without_a_name_are_named(missing):
    groups = np.array([missing, *("ab" * 44), "c"], dtype=object)
    with pytest.raises(ValueError, match=r"groups, in 1 of 90 rows"):
        check_folds(X, Y, cv=GroupKFold(3), groups=groups)
    with pytest.raises(ValueError, match="inconsistent"):
        check_folds(X, Y, groups=groups[1:])


def test_numbers_as_targets():
    y = X[:, 1] ** 3
    told = check_folds(X, y)
    assert [f.check for f in told] == ["feature"]
    assert "column 1" in told[0].found
    assert check_folds(X, y + RNG.normal(size=90)) == []


def test_notes_of_a_run_and_errors_before_any_fit():
    leak = np.column_stack([X, Y, np.ones(90)])
    options = {"outer_cv": 3, "inner_cv": 2, "scoring": "roc_auc"}
    result = nested_cross_validate(LogisticRegression(), {}, leak, Y, **options)
    told = [note for note in result.notes if note.startswith(("feature", "constant"))]
    assert len(told) == 2
    assert "column 3" in result.summary()
    silent = nested_cross_validate(
        LogisticRegression(), {}, leak, Y, **options, execution=Execution(checks=None)
    )
    assert silent.notes == ()

    class Never(LogisticRegression):
        def fit(self, X, y, sample_weight=None):
            raise AssertionError("fitted")

    with pytest.raises(ValueError, match=r"checks='raise' found: feature: .* constant: "):
        nested_cross_validate(
            Never(),
            {},
            leak,
            Y,
            **options,
            execution=Execution(checks="raise", error_score="raise"),
        )
    with pytest.raises(ValueError, match="checks must be"):
        nested_cross_validate(
            LogisticRegression(), {}, leak, Y, **options, execution=Execution(checks="warn")
        )
    assert (
        nested_cross_validate(Ridge(), {}, X, X[:, 0] + RNG.normal(size=90), outer_cv=3).notes == ()
    )


def test_checks_of_a_comparison_are_made_once(monkeypatch):
    """Findings are about the data, not about an estimator; those about winners name it."""
    calls = []
    monkeypatch.setattr(_run, "findings", lambda *a, **k: calls.append(1) or findings(*a, **k))
    leak = np.column_stack([X, Y, np.ones(90)])
    models = {
        "short": (LogisticRegression(), {"C": [1e-4, 1e-3, 1e-2]}),
        "plain": LogisticRegression(),
    }
    options = {"outer_cv": 3, "inner_cv": 2, "scoring": "roc_auc"}
    result = compare_estimators(models, leak, Y, **options)
    assert len(calls) == 1
    about = [note.split(":")[0] for note in result.notes]
    assert about[:2] == ["feature", "constant"]
    assert [note for note in result.notes if note in result.results["plain"].notes]
    assert result.summary().count("column 3") == 1
    assert (
        compare_estimators(models, leak, Y, **options, execution=Execution(checks=None)).notes == ()
    )
    with pytest.raises(ValueError, match=r"checks='raise' found: feature: "):
        compare_over_datasets(
            models, {"leak": (leak, Y)}, **options, execution=Execution(checks="raise")
        )


def test_a_grid_that_ends_too_early():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), rng.integers(2, size=400)
    X[:, 0] += 1.5 * y
    options = {"outer_cv": 4, "inner_cv": 5, "scoring": "neg_log_loss", "final": None}
    short = nested_cross_validate(LogisticRegression(), {"C": [1e-5, 1e-4, 1e-3]}, X, y, **options)
    assert any("C=0.001 won in every outer fold, the greatest" in note for note in short.notes)
    wide = nested_cross_validate(LogisticRegression(), {"C": [1e-4, 1, 100]}, X, y, **options)
    assert not any(note.startswith("grid") for note in wide.notes)
    scores = np.stack([rng.normal(size=(3, 5)) for _ in range(4)])  # the edge won by chance
    assert edge_notes([{"C": 1.0}, {"C": 2.0}, {"C": 3.0}], [2] * 4, scores) == ()


def test_a_fold_that_differs_strongly():
    scores = np.array([0.81, 0.8, 0.79, 0.82, 0.8, 0.3, 0.81, 0.8])
    assert "outer fold 5" in odd_fold_notes("recall", scores)[0]
    alarms = sum(bool(odd_fold_notes("f1", row)) for row in RNG.normal(size=(2000, 10)))
    assert alarms <= 8


def test_a_comparison_names_what_is_found_once():
    """Findings of the data stand once, those of one estimator under its name."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    X[:, 2] = y
    estimators = {
        "plain": LogisticRegression(),
        "edge": (LogisticRegression(), {"C": [1e-4, 1e-3, 1e-2]}),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare_estimators(estimators, X, y, scoring="neg_log_loss")
        silent = compare_estimators(
            estimators, X, y, scoring="neg_log_loss", execution=Execution(checks=None)
        )
        with pytest.raises(ValueError, match="checks='raise' found"):
            compare_estimators(
                estimators, X, y, scoring="neg_log_loss", execution=Execution(checks="raise")
            )
    [leak] = [note for note in found.results["plain"].notes if "follows nearly" in note]
    text = " ".join(found.summary().split())
    assert text.count(" ".join(leak.split())) == 1
    assert not any("follows nearly" in note for note in silent.results["plain"].notes)
    own = {*found.results["edge"].notes} - {*found.results["plain"].notes}
    assert len(own) == 1
    assert all(f"edge: {' '.join(note.split())}" in text for note in own)
