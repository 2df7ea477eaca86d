"""Calls about scores of one class ask which class is positive."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn import metrics as theirs
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
from tests.closeness import rounding
from tests.metrics.needed import NEEDED

RNG = np.random.default_rng(5)
TRUTH = np.arange(40) % 2
SCORE = np.round(np.clip(RNG.normal(0.4 + 0.2 * TRUTH, 0.2), 0.01, 0.99), 2)
PRED = (SCORE > 0.5).astype(int)
NAMES = {"strings": np.array(["ill", "well"]), "numbers": np.array([1, 2])}
ASKS = (
    r"pos_label=None does not determine which of the labels \{.*\} is the positive class"
    r".*pass pos_label"
)


def metrics_of(kind, condition=lambda row: True):
    return [n for n, f in METRICS.items() if f.metric.kind.inputs is kind and condition(f.metric)]


FEW = {"n_resamples": 20, "random_state": 0}
CALLS = {
    "by groups": lambda y, **given: evaluate(
        y, y_score=SCORE, metrics=["roc_auc"], by=PRED, **given
    ),
    "interval of a loss": lambda y, **given: interval("log_loss", y, SCORE, **given),
    "jackknife": lambda y, **given: inference.jackknife("roc_auc", y, SCORE, **given),
    "DeLong": lambda y, **given: inference.delong_test(y, SCORE, 1 - SCORE, **given),
    "against chance": lambda y, **given: inference.permutation_test(
        "roc_auc", y, SCORE, **FEW, **given
    ),
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_every_metric_of_scores_asks(names):
    y = names[TRUTH]
    for name in metrics_of(SCORES):
        ask = {"y_score": SCORE, "metrics": [name], **NEEDED.get(name, {})}
        with pytest.raises(ValueError, match=ASKS):
            evaluate(y, **ask)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = evaluate(y, pos_label=names[1], **ask)
        assert f"positive class {names[1]}" in " ".join(str(found).split())


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_further_calls_ask_too(names, call):
    with pytest.raises(ValueError, match=ASKS):
        call(names[TRUTH])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call(names[TRUTH], pos_label=names[0])


def test_metrics_whose_value_no_class_changes_go_on():
    for names in NAMES.values():
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


def test_functions_follow_their_twins():
    strings, numbers = (names[TRUTH] for names in NAMES.values())
    for y in (strings, numbers):
        assert sm.roc_auc_score(y, SCORE) == pytest.approx(
            theirs.roc_auc_score(y, SCORE), abs=rounding(len(y))
        )
        assert sm.log_loss(y, SCORE) == pytest.approx(
            theirs.log_loss(y, SCORE), abs=rounding(len(y))
        )
    assert sm.brier_score_loss(numbers, SCORE) == theirs.brier_score_loss(numbers, SCORE)
    with pytest.raises(ValueError, match=ASKS):
        sm.brier_score_loss(strings, SCORE)


def test_the_class_that_each_metric_names_is_printed():
    y, p = NAMES["strings"][TRUTH], NAMES["strings"][PRED]
    asked = {label: sm.get_scorer("recall", pos_label=label) for label in ("ill", "well")}
    told = str(evaluate(y, p, metrics=asked))
    assert told.endswith("Positive class of ill: ill. Positive class of well: well.")
    told = evaluate(y, p, metrics=["recall"], pos_label="ill", by=TRUTH)
    assert "Positive class: ill." in str(told)
    assert "Positive class: ill." in told._repr_html_()
    assert "Positive class" not in str(evaluate(y, p, metrics=["f1"], average="macro"))


COSTS = {"a": {"a": 0.0, "b": 7.0}, "b": {"a": 2.0, "b": -1.0}}
BY_CLASS = {
    "function": lambda y, pred, score, positive, cost: sm.expected_cost(y, pred, cost=cost),
    "evaluate": lambda y, pred, score, positive, cost: evaluate(
        y, pred, metrics=["recall", "expected_cost"], cost=cost, pos_label=positive
    )["expected_cost"],
    "interval": lambda y, pred, score, positive, cost: interval(
        "expected_cost", y, pred, cost=cost
    ).estimate,
    "curve": lambda y, pred, score, positive, cost: sm.threshold_curves(
        y, score, ["expected_cost"], cost=cost, pos_label=positive, thresholds=[0.501]
    )["expected_cost"][0],
    "objective": lambda y, pred, score, positive, cost: -sm.feasible_score(
        y, pred, pos_label=positive, subject_to={"recall": (">=", 0)},
        objective=partial(sm.expected_cost, cost=cost),
    ),
    "bound": lambda y, pred, score, positive, cost: sm.feasible_score(
        y, pred, pos_label=positive, objective="recall",
        subject_to={partial(sm.expected_cost, cost=cost): ("<=", 1.5)},
    ),
    "least cost": lambda y, pred, score, positive, cost: sm.best_feasible_score(
        y, score, pos_label=positive, subject_to={"recall": (">=", 0)},
        objective=partial(sm.expected_cost, cost=cost),
    ),
    "lone class": lambda y, pred, score, positive, cost: sm.threshold_curves(
        y[y != positive], score[y != positive], ["expected_cost"], cost=cost, pos_label=positive
    )["expected_cost"].sum(),
    "chosen inside": lambda y, pred, score, positive, cost: threshold_rule(cost).choose(
        y, score, positive
    ).threshold,
    "scorer": lambda y, pred, score, positive, cost: get_scorer("neg_expected_cost", cost=cost)(
        LogisticRegression().fit(score[:, None], y), score[:, None], y
    ),
    "tuned threshold": lambda y, pred, score, positive, cost: TunedThresholdClassifierCV(
        LogisticRegression(), scoring=get_scorer("neg_expected_cost", cost=cost)
    ).fit(score[:, None], y).best_score_,
}  # fmt: skip


@pytest.mark.parametrize("door", BY_CLASS)
def test_a_matrix_by_class_has_one_order(door):
    """That of the sorted labels, whichever is positive."""
    found = []
    for positive, names in (("b", ["a", "b"]), ("a", ["b", "a"])):
        y, pred = (np.array(names)[side] for side in (TRUTH, PRED))
        table = {true: COSTS["ab"[names.index(true)]] for true in names}
        cost = [[table[true]["ab"[names.index(of)]] for of in ("a", "b")] for true in ("a", "b")]
        found.append(BY_CLASS[door](y, pred, SCORE, positive, cost))
    assert np.isfinite(found[0])
    assert found[0] == pytest.approx(found[1], rel=1e-9)


def test_an_interval_of_a_metric_without_a_positive_class_takes_one():
    y, called = np.array(["a", "b"] * 10), np.array(["a", "b", "b", "b"] * 5)
    wanted = tuple(inference.interval("accuracy", y, called))
    assert tuple(inference.interval("accuracy", y, called, pos_label="a")) == wanted
    found = inference.intervals(["accuracy", "recall"], y, called, pos_label="a")
    assert tuple(found["accuracy"]) == wanted
