"""Counts of rows: of any layout, of rates and shares, one table against a stack."""

from __future__ import annotations

import inspect
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics

from skaucx import inference
from skaucx import metrics as sm
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import ConfusionMatrixDisplay, Counts, cohen_kappa_score, confusion_matrix
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics.association import cramer_v, phi_squared
from tests.closeness import rounding
from tests.metrics.needed import NEEDED
from tests.public import PUBLIC


def test_one_binary_table_is_counted_as_in_a_stack():
    tables = np.random.default_rng(0).uniform(0, 9, (20, 2, 2))
    stacked = Counts.one_vs_rest(tables)
    for k, table in enumerate(tables):
        for alone, among in zip(Counts.one_vs_rest(table).cells, stacked.cells, strict=True):
            np.testing.assert_array_equal(alone, among[k])


@pytest.mark.parametrize("of", [
    phi_squared,
    lambda y, p: cohen_kappa_score(y, p, weights="linear"),
    lambda y, p: cramer_v(y, p, sample_weight=np.ones(len(y))),
    lambda y, p: evaluate(y, p, metrics=["cramer_v"]),
    lambda y, p: interval("theil_u", y, p, method="percentile", n_resamples=30),
])  # fmt: skip
def test_more_classes_than_fit_are_refused_before_their_table_is_made(of, monkeypatch):
    monkeypatch.setattr("skaucx.metrics._records.counts._MOST_CLASSES", 200)
    y = np.array([f"class {k}" for k in range(300)])
    with pytest.raises(ValueError, match=r"300 classes.* for 200\..*[Jj]oin") as told:
        of(y, y[::-1])
    assert "y_true" in str(told.value)
    of(y[:200], y[:200])


def test_more_classes_than_scikit_learns_table_has_room_for_are_named(monkeypatch):
    def no_room(*arrays, **options):
        raise MemoryError

    monkeypatch.setattr("sklearn.metrics.confusion_matrix", no_room)
    with pytest.raises(MemoryError):  # of few classes, as where the rows take all of it
        confusion_matrix([0, 1], [1, 1])
    monkeypatch.setattr("skaucx.metrics._records.counts._MOST_CLASSES", 50)
    with pytest.raises(ValueError, match=r"60 classes.*[Jj]oin"):
        confusion_matrix(np.arange(60), np.arange(60))


TABLE = Counts(tp=90, fp=250, fn=10, tn=650)
RATES = {"sensitivity": 0.9, "precision": 90 / 340}


def test_precision_stands_for_specificity():
    found = Counts.from_rates(**RATES, prevalence=0.1, n=1000)
    assert np.array(found.cells) == pytest.approx(np.array(TABLE.cells))
    perfect = Counts.from_rates(sensitivity=1, precision=1, prevalence=0.3)
    assert np.array(perfect.cells) == pytest.approx(np.array([0.3, 0, 0, 0.7]))


def test_what_reads_no_true_negatives_is_the_same_at_any_prevalence():
    for prevalence in (0.02, 0.1, 0.2):
        found = Counts.from_rates(**RATES, prevalence=prevalence)
        for function in (sm.f1_score, sm.jaccard_score, sm.recall_score, sm.precision_score):
            expected = function.from_counts(TABLE)
            assert function.from_counts(found) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"sensitivity": 0.9, "precision": 0.01, "prevalence": 0.5}, "No table has precision 0.01"),
        ({"sensitivity": 0.9, "precision": 0, "prevalence": 0.1}, "precision must be"),
        ({"sensitivity": 0.9, "prevalence": 0.1}, "specificity or precision"),
        ({**RATES, "specificity": 0.9, "prevalence": 0.1}, "specificity or precision"),
    ],
)
def test_rates_of_no_table(given, told):
    with pytest.raises(ValueError, match=told):
        Counts.from_rates(**given)


def test_normalized_as_in_scikit_learn():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, (2, 60))
    counts = Counts.from_labels(y, p)
    for over in ("true", "pred", "all"):
        expected = sklearn.metrics.confusion_matrix(y, p, normalize=over)
        np.testing.assert_allclose(counts.normalized(over), expected, rtol=rounding(4))
    stacked = Counts(*(np.stack([cell, 2 * cell]) for cell in counts.cells))
    assert stacked.normalized().shape == (2, 2, 2)
    assert np.isnan(Counts(tp=0.0, fp=1.0, fn=0.0, tn=1.0).normalized("true")[1]).all()
    with pytest.raises(ValueError, match="over must be"):
        counts.normalized("rows")


def test_many_classes_are_sent_to_the_right_call():
    with pytest.raises(ValueError, match=r"counts two classes, found 3; take Counts.one_vs_rest"):
        Counts.from_labels([0, 1, 2], [0, 1, 1])


def test_tables_of_many_rates():
    """Arrays of rates broadcast, and give the tables of each by itself."""
    shares, specificity = [0.5, 0.05], [[0.99], [0.9], [0.5]]
    found = Counts.from_rates(sensitivity=0.9, specificity=specificity, prevalence=shares, n=200)
    assert np.shape(found.tp) == (3, 2)
    for i, j in np.ndindex(3, 2):
        alone = Counts.from_rates(
            sensitivity=0.9, specificity=specificity[i][0], prevalence=shares[j], n=200
        )
        assert [cell[i, j] for cell in found.cells] == [float(cell) for cell in alone.cells]
    with pytest.raises(ValueError, match=r"prevalence must be .*\[0, 1\], found .*1\.5"):
        Counts.from_rates(sensitivity=0.9, specificity=0.9, prevalence=[0.5, 1.5])
    with pytest.raises(ValueError, match=r"No table has precision 0\.1.*\[0\.02, 0\.5\]"):
        Counts.from_rates(sensitivity=0.9, precision=0.1, prevalence=[0.02, 0.5])


def test_what_is_declared_free_of_prevalence_stays():
    shares = np.array([0.5, 0.1, 0.01])
    tables = sm.Counts.from_rates(sensitivity=0.8, specificity=0.9, prevalence=shares)
    free = [row.name for row in sm.list_metrics(prevalence_free=True) if row.kind.name == "counts"]
    functions = [METRICS[name] for name in free]
    found = {f.metric.name: f.from_counts(tables) for f in functions if not f.needed}
    assert len(found) > 5
    for name, values in found.items():
        np.testing.assert_allclose(values, values[0], rtol=1e-12, err_msg=name)
    assert np.ptp(sm.precision_score.from_counts(tables)) > 0.8


# Sensitivity .75 and precision 1/3, as a textbook prints it: predicted rows, the positives first.
CELLS = {"tp": 6, "fp": 12, "fn": 2, "tn": 130}
COUNTS = Counts(**{name: np.array(float(cell)) for name, cell in CELLS.items()})
BOOK = [[6, 12], [2, 130]]
SCIKIT = [[130, 12], [2, 6]]
MANY = np.array([[8, 1, 2], [0, 9, 3], [4, 1, 7]])
# Tables whose rows and columns are classes; the others mix the sides.
MIXED = {"tp", "tn"}, {"fp", "fn"}
LAYOUTS = [
    " ".join(names)
    for names in permutations(CELLS)
    if {*names[:2]} not in MIXED and {*names[::2]} not in MIXED
]

DOORS = {
    "evaluate": lambda table, **how: evaluate(counts=table, metrics=["recall"], **how)["recall"],
    "intervals": lambda table, **how: evaluate(
        counts=table, metrics=["recall"], intervals=True, **how
    ).intervals["recall"].low,
    "interval": lambda table, **how: inference.interval("recall", counts=table, **how).high,
    "ConfusionMatrixDisplay": lambda table, **how: (
        ConfusionMatrixDisplay(table, **how).confusion_matrix.tolist()
    ),
}  # fmt: skip


def laid_out(layout):
    return np.array([CELLS[name] for name in layout.split()]).reshape(2, 2)


@pytest.mark.parametrize("call", DOORS.values(), ids=DOORS)
def test_every_layout_at_every_door(call):
    wanted = call(SCIKIT)
    assert len(LAYOUTS) == 8
    for layout in LAYOUTS:
        table = Counts.from_table(laid_out(layout), layout=layout)
        np.testing.assert_array_equal(call(table), wanted)
    np.testing.assert_array_equal(call(COUNTS), wanted)
    with pytest.warns(UserWarning, match=r"Counts\.from_table\(table, layout=\.\.\.\)"):
        call(pd.DataFrame(SCIKIT, index=[1, 0], columns=[1, 0]))


def test_tables_of_every_layout():
    for read in (
        sm.recall_score.from_table,
        lambda table, **how: Counts.from_table(table, **how).table,
    ):
        wanted = read(SCIKIT)
        for layout in LAYOUTS:
            np.testing.assert_array_equal(read(laid_out(layout), layout=layout), wanted)
        np.testing.assert_array_equal(read(SCIKIT, layout="true rows"), wanted)
        np.testing.assert_array_equal(read(np.transpose(SCIKIT), layout="predicted rows"), wanted)
        for bad in ("tp fp fn", "tp tn fp fn", "rows true", "", 3, ["tn", "fp", "fn", "tp"]):
            with pytest.raises(ValueError, match=r"layout .*'true rows', 'predicted rows'"):
                read(SCIKIT, layout=bad)


def test_no_door_is_left_out():
    """Each public function with counts= is one of the doors; `intervals` is `interval`."""
    taking = {
        name
        for name, thing in PUBLIC.items()
        if inspect.isfunction(thing) and "counts" in inspect.signature(thing).parameters
    }
    assert not taking - set(DOORS)


def test_the_book_is_right_and_the_assumption_is_stated():
    book = Counts.from_table(BOOK, layout="tp fp fn tn")
    assert evaluate(counts=book, metrics=["recall"])["recall"] == 0.75
    said = "ounts are read in the layout 'tn fp fn tp'"
    calls = (
        lambda table, **how: evaluate(counts=table, **how),
        lambda table, **how: evaluate(counts=table, metrics=["recall"], intervals=True, **how),
        lambda table, **how: inference.interval("recall", counts=table, **how),
    )
    for call in calls:
        for text in (call(SCIKIT), call(SCIKIT)._repr_html_()):
            assert said in " ".join(str(text).replace("&#x27;", "'").split())
        assert said not in str(call(book))
        with pytest.raises(TypeError, match="layout"):
            call(BOOK, layout="tp fp fn tn")
    assert "layout 'true rows'" in str(evaluate(counts=MANY, metrics=["accuracy"]))
    for call in (partial(evaluate, None, None, None), inference.interval):
        with pytest.raises(TypeError, match="layout"):
            call("recall", counts=BOOK, layout="tp fp fn tn")


def test_tables_of_many_classes():
    for name, metric in METRICS.items():
        if not metric.metric.kind.counted or name in NEEDED:
            continue
        options = {"average": "macro"} if "average" in metric.options else {}
        with np.errstate(all="ignore"):
            wanted = metric.from_table(MANY, **options)
            found = metric.from_table(MANY.T, layout="predicted rows", **options)
        np.testing.assert_array_equal(found, wanted)
    found = evaluate(counts=MANY, labels=list("abc"), average=None)
    assert dict(found).keys() == dict(evaluate(counts=MANY, average=None)).keys()
    np.testing.assert_array_equal(found["recall"], MANY.diagonal() / MANY.sum(axis=1))
    with pytest.raises(ValueError, match=r"3 classes .*'true rows' or 'predicted rows'"):
        sm.recall_score.from_table(MANY, layout="tn fp fn tp", average=None)
    stack = np.stack([SCIKIT, np.multiply(2, SCIKIT) + 1])
    np.testing.assert_array_equal(
        sm.recall_score.from_table(stack[..., ::-1, ::-1].swapaxes(1, 2), layout="tp fp fn tn"),
        sm.recall_score.from_table(stack),
    )


def test_counts_say_which_class_is_positive():
    """It is the last of their labels."""
    book, labels = Counts.from_table(BOOK, layout="tp fp fn tn"), ["well", "ill"]
    found = evaluate(counts=book, labels=labels, metrics=["recall", "npv"])
    assert found["recall"] == 0.75
    assert "positive class ill" in str(found)
    display = ConfusionMatrixDisplay(book, display_labels=labels)
    assert display.display_labels.tolist() == labels
    with pytest.raises(ValueError, match=r"labels, 'ill', .*pos_label is 'well'"):
        evaluate(counts=book, labels=labels, pos_label="well")
    rows = evaluate(counts=SCIKIT, labels=labels, pos_label="ill", metrics=["recall"])
    assert rows["recall"] == 0.75
    assert evaluate(counts=book, labels=labels, metrics=["accuracy"])["accuracy"] == 136 / 150
