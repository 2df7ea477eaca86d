"""The positive class, groups and weights of a run reach every number that comes of it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.naive_bayes import GaussianNB

from skaucx.inference import interval
from skaucx.metrics import get_scorer
from skaucx.metrics._registry.names import scorer_names
from skaucx.model_selection import bootstrap_score, compare_estimators, nested_cross_validate

X, CODES = make_classification(
    240, 5, n_informative=2, weights=[0.7], flip_y=0.1, class_sep=0.5, random_state=3
)
# Sorted, the positive class comes first: whoever takes the second one is found out.
Y = np.array(["healthy", "cancer"])[CODES]
OPTIONS = {"outer_cv": 3, "inner_cv": 2, "final": None}
GRID = {"var_smoothing": [1e-9, 0.1]}
NAMES = [
    "recall", "specificity", "precision", "npv", "f1", "mcc", "average_precision", "roc_auc",
    "mm7_auc", "neg_log_loss", "neg_brier_score", "balanced_accuracy", "lr_plus", "prob_auc",
]  # fmt: skip


def nested(scoring, pos_label=None, y=Y, **options):
    return nested_cross_validate(
        GaussianNB(), GRID, X, y, scoring=scoring, pos_label=pos_label, **OPTIONS, **options
    )


@pytest.fixture(scope="module", params=["run", "scorer", "codes"])
def result(request):
    """The same run, its positive class named to the run, by its scorers, or by its labels."""
    if request.param == "run":
        return nested(NAMES, "cancer")
    if request.param == "codes":
        return nested(NAMES, y=CODES)
    own = {name: get_scorer(name, pos_label="cancer") for name in NAMES if _takes(name)}
    return nested({name: own.get(name, name) for name in NAMES})


def _takes(name):
    try:
        get_scorer(name, pos_label="cancer")
    except TypeError:
        return False
    return True


@pytest.fixture(scope="module")
def by_codes():
    return nested(NAMES, y=CODES)


@pytest.mark.parametrize("name", NAMES)
def test_a_number_in_two_ways(result, by_codes, name):
    """Folds against the same run on codes, pooled value against interval and metric function."""
    np.testing.assert_allclose(result[f"test_{name}"], by_codes[f"test_{name}"], rtol=1e-12)
    pooled = result.pooled[name].value
    assert pooled == pytest.approx(by_codes.pooled[name].value, rel=1e-12)
    found = result.pooled_interval(name, method="percentile", n_resamples=9, random_state=0)
    sign = -1 if name.startswith("neg_") else 1
    assert sign * found.estimate == pytest.approx(pooled, rel=1e-12)
    cut = result.predictions.y_true == result.pos_label
    row = get_scorer(name)._score_func.function.metric
    if row.kind.counted:
        judged = result.predictions.y_pred == result.pos_label
    else:
        judged = result.predictions.scores(
            get_scorer(name)._score_func.response_method, result.pos_label
        )
    function = get_scorer(name)._score_func.function
    assert sign * function(cut, judged) == pytest.approx(pooled, rel=1e-12)


def test_every_scorer_that_depends_on_it_asks_for_it():
    """Of two classes that tell nothing, each scorer refuses or has one value for both classes."""
    checked, unnamed = 0, nested("accuracy")
    model = LogisticRegression().fit(X, Y)
    for name in sorted(scorer_names()):
        parts = ("macro_", "micro_", "weighted_f1", "aun", "_macro", "_micro", "_weighted")
        if any(part in name for part in (*parts, "_samples", "ovr", "ovo")):
            continue
        if not _takes(name) or name in ("pairwise_auc",):
            continue
        values = [get_scorer(name, pos_label=label)(model, X, Y) for label in ("cancer", "healthy")]
        if not np.isclose(*values, rtol=1e-10, equal_nan=True):
            checked += 1
            with pytest.raises(ValueError, match="pos_label"):
                unnamed.pooled_interval(name)
    assert checked > 20


def test_metrics_that_name_others_are_printed_apart():
    both = {
        "recall": get_scorer("recall", pos_label="cancer"),
        "spared": get_scorer("recall", pos_label="healthy"),
    }
    found = nested(both)
    assert found.pos_label == "cancer"
    text = f"Of spared: healthy, {np.sum(CODES == 0)} of 240 rows."
    assert text in " ".join(found.summary().split())
    by_codes = nested(["recall", "specificity"], y=CODES)
    for own, name in (("recall", "recall"), ("spared", "specificity")):
        assert found.pooled_interval(own).estimate == by_codes.pooled[name].value


@pytest.mark.parametrize(
    ("y", "pos_label"), [(Y, "ill"), (load_iris().target, 1), (X[:, 0], 1)], ids=str
)
def test_wrong_ones_are_refused(y, pos_label):
    data = (X, y) if len(y) == len(X) else (load_iris().data, y)
    model = Ridge() if np.asarray(y).dtype.kind == "f" else GaussianNB()
    with pytest.raises(ValueError, match=f"pos_label.*{pos_label}"):
        nested_cross_validate(model, {}, *data, pos_label=pos_label)


def test_a_positive_class_that_is_needed_is_asked_for_before_the_first_fit():
    class Unfit(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            raise AssertionError("fitted")

    with pytest.raises(ValueError, match=r"'recall'.*pos_label"):
        nested_cross_validate(Unfit(), {}, X, Y, scoring=["accuracy", "recall"])
    with pytest.raises(ValueError, match="y holds one class, 'cancer'"):
        nested_cross_validate(Unfit(), {}, X, np.full(len(X), "cancer"), scoring="accuracy")


def test_bootstrap_and_comparison():
    options = {"n_splits": 5, "random_state": 0}
    by_codes = bootstrap_score(GaussianNB(), X, CODES, scoring="recall", **options)
    found = bootstrap_score(GaussianNB(), X, Y, scoring="recall", pos_label="cancer", **options)
    assert found.estimate == by_codes.estimate
    assert "Positive class: cancer" in str(found)
    models = {"bayes": (GaussianNB(), GRID), "linear": LogisticRegression()}
    names = ["average_precision", "roc_auc", "recall"]
    compared = compare_estimators(models, X, Y, scoring=names, pos_label="cancer", outer_cv=3)
    expected = compare_estimators(models, X, CODES, scoring=names, outer_cv=3)
    assert "Positive class: cancer" in str(compared)
    for name in names:
        np.testing.assert_allclose(compared.scores(name), expected.scores(name), rtol=1e-12)
        [one], [two] = compared.pairs(name), expected.pairs(name)
        assert one.within.difference == pytest.approx(two.within.difference, rel=1e-12)


def test_groups_reach_intervals_and_tests():
    """Rows eight times over, of as many groups as there were rows, tell no more than once."""
    times, groups = np.repeat(np.arange(240), 8), np.repeat(np.arange(240), 8)
    many = X[times] + np.random.default_rng(0).normal(0, 0.01, (240 * 8, 5)), CODES[times]
    run = {"scoring": ["accuracy", "roc_auc"], "outer_cv": StratifiedGroupKFold(3), "inner_cv": 2}
    options = {"final": None, **run}
    with pytest.warns(UserWarning, match="groups parameter is ignored"):
        clustered = nested_cross_validate(GaussianNB(), {}, *many, groups=groups, **options)
    assert np.array_equal(clustered.predictions.groups, groups[clustered.predictions.row])
    once = nested_cross_validate(GaussianNB(), {}, X, CODES, **{**options, "outer_cv": 3})
    for name in ("accuracy", "roc_auc"):
        wide, usual = (
            r.pooled_interval(name, method="percentile", n_resamples=200, random_state=0)
            for r in (clustered, once)
        )
        assert wide.standard_error == pytest.approx(usual.standard_error, rel=0.3)
        assert np.isnan(wide.high - wide.low) == (name == "roc_auc")
        reach = 1.96 * usual.standard_error  # of rows that are counted once
        wide = clustered.interval(name)
        assert wide.high - wide.low > 0.8 * 2 * reach
    models = {"bayes": GaussianNB(), "linear": LogisticRegression()}
    with pytest.warns(UserWarning, match="groups parameter is ignored"):
        compared = compare_estimators(
            models, *many, scoring="roc_auc", groups=groups, outer_cv=StratifiedGroupKFold(3),
            inner_cv=2,
        )  # fmt: skip
    [pair] = compared.pairs("roc_auc")
    plain = interval("roc_auc", *_arrays(compared.results["bayes"]))
    assert pair.within.standard_error > plain.standard_error


def _arrays(result):
    return result.predictions.y_true, result.predictions.scores("predict_proba")
