"""Every call that takes a table of counts takes one of any layout, and says which one it assumes."""

from __future__ import annotations

import inspect
from functools import partial
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from skaucx import inference
from skaucx import metrics as sm
from skaucx.evaluation import evaluate
from skaucx.metrics import ConfusionMatrixDisplay, Counts
from skaucx.metrics._registry.declare import METRICS
from tests.metrics.needed import NEEDED
from tests.public import PUBLIC

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
    assert (display.display_labels.tolist(), display.pos_label) == (labels, "ill")
    with pytest.raises(ValueError, match=r"labels, 'ill', .*pos_label is 'well'"):
        evaluate(counts=book, labels=labels, pos_label="well")
    rows = evaluate(counts=SCIKIT, labels=labels, pos_label="ill", metrics=["recall"])
    assert rows["recall"] == 0.75
    assert evaluate(counts=book, labels=labels, metrics=["accuracy"])["accuracy"] == 136 / 150
