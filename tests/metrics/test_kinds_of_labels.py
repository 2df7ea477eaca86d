"""Evaluations take every kind of label, and say in how many rows something is missing."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import inference, reports
from skaucx import metrics as sm
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import get_scorer
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._registry.declare import METRICS
from tests.metrics.needed import needed_parameters

RNG = np.random.default_rng(2)
N = 60
CODES = RNG.permutation(np.arange(N) % 2)
SCORE = np.round(np.clip(RNG.normal(0.4 + 0.2 * CODES, 0.2), 0.01, 0.99), 3)
CALLS = (SCORE > 0.5).astype(int)
STRINGS = np.array(["ill", "well"])
NAMES = ["recall", "f1", "accuracy", "matthews_corrcoef", "roc_auc", "log_loss", "brier_score_loss"]
KINDS = {
    "object": lambda c: STRINGS[c].astype(object),
    "<U": lambda c: STRINGS[c],
    "list": lambda c: STRINGS[c].tolist(),
    "pandas object": lambda c: pd.Series(STRINGS[c].astype(object), index=np.arange(N) + 7),
    "pandas str": lambda c: pd.Series(STRINGS[c], dtype="string"),
    "category": lambda c: pd.Series(STRINGS[c], dtype="category"),
    "bool": lambda c: c == 1,
    "pandas boolean": lambda c: pd.Series(c == 1, dtype="boolean"),
    "int64": lambda c: c,
    "int8": lambda c: c.astype(np.int8),
    "pandas Int64": lambda c: pd.Series(c, dtype="Int64"),
    "floats": lambda c: 1.0 * c,
    "numbers from 5": lambda c: c + 5,
}


def results(true, called, positive):
    """Yield what each public result of given predictions says, with what identifies it."""
    own = {"pos_label": positive}
    whole = evaluate(true, called, SCORE, metrics=NAMES, **own)
    yield "evaluate", list(whole.values()), whole
    certain = evaluate(true, called, SCORE, metrics=NAMES, intervals=True, random_state=0, **own)
    yield "intervals", [tuple(i) for i in certain.intervals.values()], certain
    grouped = evaluate(true, called, SCORE, metrics=NAMES, by=np.arange(N) % 3, **own)
    yield "by", [list(each.values()) for each in grouped.values()], grouped
    for name, second in (("recall", called), ("roc_auc", SCORE)):
        found = inference.interval(name, true, second, **own)
        yield f"interval of {name}", [found.low, found.high], found
    curve = sm.roc_curve(true, SCORE, **own)
    yield "curve", curve.tpr.tolist(), curve


def test_every_result_with_every_kind_of_label(tmp_path):
    for flipped in (False, True):
        codes = (1 - CODES, 1 - CALLS) if flipped else (CODES, CALLS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = {name: values for name, values, _ in results(*codes, int(not flipped))}
        for kind in ("object", "category", "bool") if flipped else KINDS:
            make = KINDS[kind]
            true, called = make(codes[0]), make(codes[1])
            positive = np.unique(np.asarray(true).astype(object))[int(not flipped)]
            plain = getattr(positive, "item", lambda p=positive: p)()
            for label in {str(type(each)): each for each in (positive, plain)}.values():
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    for name, values, found in results(true, called, label):
                        np.testing.assert_allclose(
                            np.hstack(values),
                            np.hstack(wanted[name]),
                            rtol=1e-12,
                            err_msg=f"{kind} {name}",
                        )
                        assert repr(found)
                        assert found._repr_html_()
            if kind in ("object", "pandas str") and not flipped:
                path = tmp_path / "page.html"
                reports.report(path, true, called, SCORE, metrics=["roc_auc"], pos_label=plain)
                assert f"<dd>{plain}: " in path.read_text(encoding="utf-8")


MISSING = np.isin(np.arange(N), (2, 5, 11))
HOLED = np.where(MISSING, np.nan, SCORE)
COSTS = np.ones((N, 2))
REFUSED = {
    "scores": lambda: evaluate(CODES, y_score=HOLED),
    "a column a class": lambda: evaluate(CODES, y_score=np.c_[HOLED, 1 - SCORE]),
    "infinite": lambda: evaluate(CODES, y_score=np.where(MISSING, np.inf, SCORE)),
    "pandas": lambda: evaluate(CODES, y_score=pd.Series(HOLED).astype("Float64")),
    "weight 0": lambda: evaluate(CODES, y_score=HOLED, sample_weight=1.0 - MISSING),
    "by": lambda: evaluate(CODES, CALLS, by=HOLED, metrics=["recall"]),
    "weights": lambda: evaluate(CODES, CALLS, sample_weight=HOLED),
    "true": lambda: evaluate(np.where(MISSING, np.nan, CODES), CALLS),
    "called": lambda: evaluate(CODES, np.where(MISSING, np.nan, CALLS)),
    "none": lambda: evaluate(np.where(MISSING, None, STRINGS[CODES]), STRINGS[CALLS]),
    "groups": lambda: evaluate(CODES, CALLS, intervals=True, groups=HOLED),
    "costs": lambda: evaluate(
        CODES, CALLS, metrics=["example_cost_loss"], example_costs=COSTS + HOLED[:, None]
    ),
    "interval": lambda: inference.interval("roc_auc", CODES, HOLED),
}  # fmt: skip


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_rows_without_a_value_are_counted(call):
    with pytest.raises(ValueError, match="3 of 60 rows"):
        call()


def test_the_choices_of_an_average_are_named_once():
    with pytest.raises(ValueError, match="average must be one of") as refused:
        sm.roc_auc_score([[0, 1], [1, 0]], [[0.1, 0.2], [0.3, 0.4]], average="bad")
    assert str(refused.value).count("'samples'") == 1


OF_LABELS = [n for n, f in METRICS.items() if f.metric.kind.inputs is LABELS]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", OF_LABELS)
def test_labels_that_never_meet(name):
    """Functions warn of text, from 20 rows on, and show both sets; scorers do not."""
    function, own = METRICS[name], needed_parameters(name, 4)
    truth, called = np.array(["N", "Y"] * 10), np.array(["n", "Y "] * 10)
    if "average" in function.options:
        own["average"] = "macro"
    if name == "expected_cost":
        own["cost"] = np.ones((4, 4))
    with pytest.warns(UserWarning, match=r"occurs in y.*: \{'Y ', 'n'\} and \{'N', 'Y'\}"):
        function(truth, called, **own)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        function(truth[:18], called[:18], **own)
        function(truth, np.where(np.arange(20), called, "Y"), **own)
        scorer = get_scorer(METRICS[name].metric.scorer_name, **own)
        if not scorer._score_func.cuts:
            model = DummyClassifier(strategy="constant", constant="n").fit(truth[:, None], called)
            scorer(model, truth[:, None], truth)


def test_doors_of_labels_that_never_meet():
    truth, called = ["N", "Y"] * 10, ["n", "y"] * 10
    for door in (
        lambda: evaluate(truth, called, metrics=["accuracy"]),
        lambda: interval("accuracy", truth, called),
    ):
        with pytest.warns(UserWarning, match="No label of y_pred occurs in y_true"):
            door()
