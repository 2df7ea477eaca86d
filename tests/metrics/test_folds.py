"""Every scorer on folds that lack a class: the function's value, or else the worst of the range."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

from skaucx.metrics import get_scorer, one_pass_scorer
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import scorer_names
from tests.metrics.needed import needed_parameters

RNG = np.random.default_rng(0)
TRUTH = np.repeat([0, 1, 2], 20)
X = RNG.normal(size=(60, 3)) + 1.5 * np.eye(3)[TRUTH]
MODELS = {
    2: LogisticRegression().fit(X[:40], TRUTH[:40]),
    3: LogisticRegression().fit(X, TRUTH),
    "unseen": LogisticRegression().fit(X[:40], TRUTH[:40]),  # class 2 is not in training
}


def folds(model, classes):
    """Return folds that lack a class in truth, in predictions too, or that hold one alone."""
    called, some = model.predict(X), np.isin(TRUTH, classes)
    for code in (classes[0], classes[-1]):
        yield f"without {code}", some & (code != TRUTH)
        yield f"nowhere {code}", some & (code != TRUTH) & (called != code)
        yield f"only {code}", code == TRUTH
        yield f"only {code}, right", (code == TRUTH) & (called == code)
        yield f"only {code}, wrong", (code == TRUTH) & (called != code)


NAMES = {
    name: (METRICS[metric], dict(how))
    for name, (metric, how) in scorer_names().items()
    if METRICS[metric].metric.kind.inputs in (LABELS, SCORES)
    and name.startswith(METRICS[metric].metric.scorer_name)  # no alias
    and how.get("average") != "samples"
}


def expected(function, own, model, rows):
    """Return the function's value with the classes of the model; an average takes those that occur."""
    row, classes = function.metric, np.union1d(model.classes_, TRUTH[rows])
    if row.kind.inputs is SCORES:
        score = model.predict_proba(X[rows])
        if row.kind.response_method != "predict_proba" and "multi_class" not in own:
            margins = len(classes) == 2 or row.kind.response_method == "decision_function"
            score = model.decision_function(X[rows]) if margins else score
        score = np.column_stack([-score, score]) if score.ndim == 1 else score
        lacking = 0 if np.allclose(score.sum(axis=1), 1) else score.min(initial=0)
        new = np.full((len(rows), len(classes) - score.shape[1]), lacking)  # classes sort last
        score = np.column_stack([score, new])
        score = score[:, 1] if len(classes) == 2 else score
        return function(TRUTH[rows], score, **own, labels=classes)
    if own.get("average") not in ("macro", "weighted") and "labels" in function.options:
        own = {"labels": classes, **own}
    return function(TRUTH[rows], model.predict(X[rows]), **own)


# Metrics of two classes with the model of two classes alone.
CASES = [
    (name, trained)
    for name, (function, how) in NAMES.items()
    for trained in MODELS
    if not function.metric.cuts and function.metric.name != "pairwise_auc"  # read other scores
    if trained == 2
    or "average" in how
    or not (function.metric.kind.name == "counts" or function.metric.kind.scale)
]


@pytest.mark.parametrize(("name", "trained"), CASES)
def test_a_fold_without_a_class(name, trained):
    function, how = NAMES[name]
    row, model, many = function.metric, MODELS[trained], trained != 2
    needed = needed_parameters(row.name, 3 if many else 2)
    if row.name == "expected_cost":  # the matrix says nothing of which class is new
        needed["labels"] = [0, 1, 2] if many else [0, 1]
    own, scorer = {**needed, **how}, get_scorer(name, **needed)
    one_pass = one_pass_scorer({"value": scorer})
    low, high = row.under(own, 3 if many else 2).bounds
    sign, worst = (-1, high) if row.greater_is_better is False else (1, low)
    for fold, kept in folds(model, [0, 1, 2] if many else [0, 1]):
        rows = np.flatnonzero(kept)
        if not len(rows):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            value = sign * expected(function, own, model, rows)
            found = scorer(model, X[rows], TRUTH[rows])
        alone = one_pass(model, X[rows], TRUTH[rows])["value"]
        assert not np.isnan(found), fold
        if np.isinf(value) and row.haldane_corrected:  # half an example more in every cell
            assert np.isfinite(found), fold
        else:
            wanted = value if np.isfinite(value) else sign * worst
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12), fold
        assert np.isnan(alone) or alone == found, fold
        if np.isnan(value):
            with pytest.warns(UndefinedMetricWarning, match="is undefined"):
                scorer(model, X[rows], TRUTH[rows])
            assert np.isnan(alone), fold


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_no_candidate_within_the_bounds():
    """A metric under constraints has the range of its objective."""
    given = {"objective": "precision", "subject_to": {"recall": (">=", 2.0)}}
    scorer = get_scorer("feasible", **given)
    assert scorer(MODELS[2], X[:40], TRUTH[:40]) == 0
    given = {"objective": "fpr", "subject_to": {"recall": (">=", 2.0)}}
    assert get_scorer("best_feasible", **given)(MODELS[2], X[:40], TRUTH[:40]) == -1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", [n for n, f in METRICS.items() if f.metric.kind.scale])
def test_a_class_without_weight_has_no_say(name):
    """Of labels, and of each class against the rest; an equal weight needs the value of each."""
    function, own = METRICS[name], needed_parameters(name)
    score = MODELS[3].predict_proba(X)
    truth = (np.arange(3) == TRUTH[:, None]).astype(int)
    truth[:, 2] = 0
    value = function(truth, score, average="weighted", **own)
    assert value == pytest.approx(
        function(truth[:, :2], score[:, :2], average="weighted", **own), rel=1e-12
    )
    one = function(truth, score, average=None, zero_division=np.nan, **own)
    if np.isnan([one[2], function.metric.undefined]).all():
        assert np.isnan(function(truth, score, average="macro", **own))
    rows = TRUTH < 2
    ovr = {"multi_class": "ovr", "labels": [0, 1, 2], **own}
    each = function(TRUTH[rows], score[rows], average=None, zero_division=np.nan, **ovr)
    value = function(TRUTH[rows], score[rows], average="weighted", **ovr)
    assert value == pytest.approx(each[:2].mean(), rel=1e-12)
