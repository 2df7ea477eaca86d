"""Calls about scores of one class ask which class is positive."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TunedThresholdClassifierCV

from skaucx import inference
from skaucx import metrics as sm
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import get_scorer
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection.decisions._threshold import threshold_rule
from tests.datasets import binary
from tests.metrics.needed import NEEDED

TRUTH, SCORE, PRED = binary.y, binary.score, binary.pred
NAMES = {"strings": np.array(["ill", "well"]), "numbers": np.array([1, 2])}
ASKS = (
    r"pos_label=None does not determine which of the labels \{.*\} is the positive class"
    r".*pass pos_label"
)
each_naming = pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)


def metrics_of(kind, condition=lambda row: True):
    return [n for n, f in METRICS.items() if f.metric.kind.inputs is kind and condition(f.metric)]


CALLS = {
    "by groups": partial(evaluate, y_score=SCORE, metrics=["roc_auc"], by=PRED),
    "interval of a loss": lambda y, **given: interval("log_loss", y, SCORE, **given),
    "jackknife": lambda y, **given: inference.jackknife("roc_auc", y, SCORE, **given),
    "DeLong": lambda y, **given: inference.delong_test(y, SCORE, 1 - SCORE, **given),
    "against chance": partial(
        inference.permutation_test, "roc_auc", y_pred_or_score=SCORE, n_resamples=20, random_state=0
    ),
}


@each_naming
def test_every_metric_of_scores_asks(names):
    y = names[TRUTH]
    for name in metrics_of(SCORES):
        ask = {"y_score": SCORE, "metrics": [name], **NEEDED.get(name, {})}
        with pytest.raises(ValueError, match=ASKS):
            evaluate(y, **ask)
        with warnings.catch_warnings(action="ignore"):
            found = evaluate(y, pos_label=names[1], **ask)
        assert f"positive class {names[1]}" in " ".join(str(found).split())


@each_naming
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_further_calls_ask_too(names, call):
    with pytest.raises(ValueError, match=ASKS):
        call(names[TRUTH])
    with warnings.catch_warnings(action="ignore"):
        call(names[TRUTH], pos_label=names[0])


@each_naming
def test_metrics_whose_value_no_class_changes_go_on(names):
    y, p = names[TRUTH], names[PRED]
    free = metrics_of(LABELS, lambda row: not row.positive_matters() and row.name not in NEEDED)
    assert {"accuracy", "matthews_corrcoef", "cohen_kappa"} <= set(free)
    found, again = evaluate(y, p, metrics=free), evaluate(TRUTH, PRED, metrics=free)
    np.testing.assert_allclose(list(found.values()), list(again.values()), equal_nan=True)
    assert "Positive class" not in str(found)
    dependent = metrics_of(LABELS, lambda row: row.kind.name == "counts")
    for name in sorted({*dependent} - {*free} - {*NEEDED}):
        with pytest.raises(ValueError, match=ASKS):
            evaluate(y, p, metrics=[name])


def test_the_class_that_each_metric_names_is_printed():
    y, p = NAMES["strings"][TRUTH], NAMES["strings"][PRED]
    asked = {label: sm.get_scorer("recall", pos_label=label) for label in ("ill", "well")}
    told = str(evaluate(y, p, metrics=asked))
    assert told.endswith("Positive class of ill: ill. Positive class of well: well.")
    told = evaluate(y, p, metrics=["recall"], pos_label="ill", by=TRUTH)
    assert "Positive class: ill." in str(told)
    assert "Positive class: ill." in told._repr_html_()
    assert "Positive class" not in str(evaluate(y, p, metrics=["f1"], average="macro"))


def values_of_costs(y, pred, score, positive, cost):
    """Return the expected cost at every door that takes a matrix of costs."""
    given, at_least = {"cost": cost, "pos_label": positive}, {"recall": (">=", 0)}
    of_cost = partial(sm.expected_cost, cost=cost)
    objective = {"objective": of_cost, "subject_to": at_least, "pos_label": positive}
    bound = {"objective": "recall", "subject_to": {of_cost: ("<=", 1.5)}, "pos_label": positive}
    curve, X, lone = (
        partial(sm.threshold_curves, metrics=["expected_cost"]),
        score[:, None],
        y != positive,
    )
    scorer, model = get_scorer("neg_expected_cost", cost=cost), LogisticRegression().fit(X, y)
    return {
        "function": of_cost(y, pred),
        "evaluate": evaluate(y, pred, metrics=["recall", "expected_cost"], **given)[
            "expected_cost"
        ],
        "interval": interval("expected_cost", y, pred, cost=cost).estimate,
        "curve": curve(y, score, thresholds=[0.501], **given)["expected_cost"][0],
        "objective": -sm.feasible_score(y, pred, **objective),
        "bound": sm.feasible_score(y, pred, **bound),
        "least cost": sm.best_feasible_score(y, score, **objective),
        "lone class": curve(y[lone], score[lone], **given)["expected_cost"].sum(),
        "chosen inside": threshold_rule(cost).choose(y, score, positive).threshold,
        "scorer": scorer(model, X, y),
        "tuned threshold": TunedThresholdClassifierCV(model, scoring=scorer).fit(X, y).best_score_,
    }


def test_a_matrix_by_class_has_one_order():
    """That of the sorted labels, whichever is positive."""
    one, other = np.array(["a", "b"]), np.array(["b", "a"])
    found = values_of_costs(one[TRUTH], one[PRED], SCORE, "b", [[0.0, 7.0], [2.0, -1.0]])
    again = values_of_costs(other[TRUTH], other[PRED], SCORE, "a", [[-1.0, 2.0], [7.0, 0.0]])
    assert np.isfinite(list(found.values())).all()
    assert found == pytest.approx(again, rel=1e-9)


def test_intervals_of_metrics_with_and_without_a_positive_class():
    y, called = NAMES["strings"][TRUTH], NAMES["strings"][PRED]
    found = inference.intervals(["accuracy", "recall"], y, called, pos_label="ill")
    assert tuple(found["accuracy"]) == tuple(interval("accuracy", y, called))
    assert tuple(found["recall"]) == tuple(interval("recall", y, called, pos_label="ill"))
