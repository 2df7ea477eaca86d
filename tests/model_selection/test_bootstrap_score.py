"""Bootstrap estimates by hand, against an independent .632+, and on the iris data."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn.metrics
from joblib import parallel_config
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import skaucx.metrics as m
from skaucx.metrics import get_scorer, one_pass_scorer
from skaucx.model_selection import BootstrapSplit, bootstrap_score
from skaucx.model_selection.bootstrap._score import (
    Losses,
    losses_of,
    losses_of_labels,
    mixed,
    out_of_bag_weight,
)
from tests.closeness import rounding

# Mean error of 1000 rounds, 90 of 150 rows drawn; printed 0.032 for a splitter that drew both sides
# with replacement from a disjoint split, about 0.031 out of bag.
IRIS_ERROR = 0.031


@pytest.fixture(scope="module")
def data():
    return make_classification(
        n_samples=80, n_features=5, n_informative=3, flip_y=0.2, random_state=0
    )


def rounds(model, X, y, n_splits=12, seed=0):
    for train, test in BootstrapSplit(n_splits, random_state=seed).split(X, y):
        yield model.fit(X[train], y[train]), test


def test_iris():
    X, y = load_iris(return_X_y=True)
    found = bootstrap_score(
        SVC(kernel="linear", C=1), X, y, scoring="accuracy", n_splits=250, train_size=90,
        random_state=1,
    )  # fmt: skip
    assert found.error == pytest.approx(IRIS_ERROR, abs=0.0025)
    assert found.estimate == 1 - found.error
    low, high = found.spread(0.95)
    assert low < 0.95 < found.estimate < high <= 1


def test_plain_is_the_mean_over_rounds(data):
    X, y = data
    found = bootstrap_score(GaussianNB(), X, y, scoring="f1", n_splits=12, random_state=0)
    expected = [
        m.f1_score(y[test], model.predict(X[test])) for model, test in rounds(GaussianNB(), X, y)
    ]
    np.testing.assert_allclose(found.rounds, expected, rtol=rounding(4))
    assert found.estimate == pytest.approx(np.mean(expected))
    assert found.weight == 1
    assert np.isnan(found.resubstitution_error)
    np.testing.assert_array_equal(found.repetitions, found.rounds)


@pytest.mark.parametrize("model", [DecisionTreeClassifier(random_state=0), GaussianNB()])
@pytest.mark.parametrize("method", [".632", ".632+"])
def test_accuracy_by_hand(data, method, model):
    X, y = data
    found = bootstrap_score(
        model, X, y, scoring="accuracy", method=method, n_splits=12, random_state=0
    )
    losses = np.full((12, 80), np.nan)
    for row, (fitted, test) in zip(losses, rounds(model, X, y), strict=True):
        row[test] = fitted.predict(X[test]) != y[test]
    err1 = np.nanmean(np.nanmean(losses[:, ~np.isnan(losses).all(axis=0)], axis=0))
    predicted = model.fit(X, y).predict(X)
    e = np.mean(predicted != y)
    assert found.out_of_bag_error == pytest.approx(err1)
    assert found.resubstitution_error == pytest.approx(e)
    weight = 0.632
    if method == ".632+":
        g = np.mean(predicted[:, None] != y)
        assert found.no_information_error == pytest.approx(g)
        assert e < err1 < g
        weight = 0.632 / (1 - 0.368 * (err1 - e) / (g - e))
    assert found.weight == pytest.approx(weight)
    assert found.error == pytest.approx((1 - weight) * e + weight * err1)
    assert found.estimate == pytest.approx(1 - found.error)
    np.testing.assert_allclose(found.rounds, 1 - np.nanmean(losses, axis=1))
    repetitions = (1 - weight) * (1 - e) + weight * found.rounds
    np.testing.assert_allclose(found.repetitions, repetitions)
    assert found.spread(0.5) == pytest.approx(np.percentile(repetitions, [25, 75]))


@pytest.mark.parametrize(("metric", "power"), [("neg_brier_score_loss", 2), ("neg_log_loss", 0)])
def test_losses_of_probabilities_by_hand(data, metric, power):
    X, y = data
    model = LogisticRegression()
    found = bootstrap_score(
        model, X, y, scoring=metric, method=".632+", n_splits=12, random_state=0
    )

    def loss(truth, p):
        return np.abs(truth - p) ** 2 if power else -np.log(np.where(truth, p, 1 - p))

    total, times = np.zeros((2, 80))
    for fitted, test in rounds(model, X, y):
        total[test] += loss(y[test], fitted.predict_proba(X[test])[:, 1])
        times[test] += 1
    p = model.fit(X, y).predict_proba(X)[:, 1]
    tested = times > 0
    assert found.out_of_bag_error == pytest.approx(np.mean(total[tested] / times[tested]))
    assert found.resubstitution_error == pytest.approx(np.mean(loss(y, p)))
    assert found.no_information_error == pytest.approx(np.mean(loss(y[:, None], p)))
    assert found.estimate == -found.error
    assert (found.rounds < 0).all()


@pytest.mark.parametrize("metric", ["roc_auc", "prob_auc", "soft_auc", "mm12_auc"])
def test_auc_without_information_is_one_half(data, metric):
    X, y = data
    found = bootstrap_score(
        GaussianNB(), X, y, scoring=metric, method=".632+", n_splits=12, random_state=0
    )
    score = get_scorer(metric)
    scores = [score(model, X[test], y[test]) for model, test in rounds(GaussianNB(), X, y)]
    e, err1 = 1 - score(GaussianNB().fit(X, y), X, y), 1 - np.mean(scores)
    weight = out_of_bag_weight(".632+", e, err1, 0.5)
    assert found.no_information_error == 0.5
    assert found.error == pytest.approx((1 - weight) * e + weight * err1)


@pytest.mark.parametrize("metric", ["roc_auc", "soft_auc", "scor_auc", "mm1_auc", "mm11_auc"])
def test_every_score_on_either_side_is_no_information(data, metric):
    X, y = data
    model = GaussianNB().fit(X, y)
    scorer = one_pass_scorer({metric: metric})
    losses = losses_of(metric, get_scorer(metric), model.classes_)
    p = model.predict_proba(X)[:, 1]
    d = p[:, None] - p
    h = {
        "roc_auc": (d > 0) + (d == 0) / 2,
        "soft_auc": 1 / (1 + np.exp(-7 * d)),
        "scor_auc": np.maximum(d, 0),
        "mm1_auc": np.maximum(d, 0) / np.ptp(p),
        "mm11_auc": d,
    }[metric]
    responses = {"predict_proba": model.predict_proba(X)}
    found = losses.no_information(model, y, responses, None, scorer)
    assert found == pytest.approx(1 - h.mean(), abs=1e-12)


@pytest.mark.parametrize(
    ("e", "err1", "g", "weight"),
    [
        (0.1, 0.3, 0.5, 0.632 / (1 - 0.368 * 0.5)),
        (0.0, 0.6, 0.5, 1.0),
        (0.3, 0.2, 0.5, 0.632),
        (0.5, 0.6, 0.4, 0.632),
        (0.0, 0.0, 0.5, 0.632),
    ],
)
def test_weight(e, err1, g, weight):
    assert out_of_bag_weight(".632+", e, err1, g) == pytest.approx(weight)
    assert out_of_bag_weight(".632", e, err1, g) == 0.632
    assert mixed(out_of_bag_weight("plain", np.nan, err1, np.nan), np.nan, err1) == err1


class Parrot(ClassifierMixin, BaseEstimator):
    """Knows the rows it was fitted on and says the opposite elsewhere."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.known_ = dict(zip(X[:, 0], y, strict=True))
        return self

    def predict(self, X):
        return np.array([self.known_.get(x, x % 2 == 0) for x in X[:, 0]]).astype(int)


def test_overfitting_beyond_no_information_is_capped():
    X, y = np.arange(40)[:, None], np.arange(40) % 2
    found = bootstrap_score(
        Parrot(), X, y, scoring="accuracy", method=".632+", n_splits=5, random_state=0
    )
    assert found.out_of_bag_error == 1
    assert (found.resubstitution_error, found.no_information_error) == (0, 0.5)
    assert (found.weight, found.error, found.estimate) == (1, 0.5, 0.5)


LABEL_METRICS = [
    row.scorer_name for row in m.list_metrics() if row.kind.name in ("counts", "table")
]

# Shares of which neither end is good; a mean at one prevalence only.
NO_LOSSES = {"prevalence", "predicted_positive_rate"}
NEED_MORE = {
    "fbeta",
    "net_benefit",
    "feasible",
    "neg_expected_cost",
}  # a parameter without a default


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", sorted({*LABEL_METRICS} - NEED_MORE))
def test_metrics_are_means_of_losses_or_refused(name):
    """Tables of single examples tell, by the metric's own formula, which metrics are means."""
    random = np.random.default_rng(0)
    y, predicted = (random.random((2, 60)) < 0.4).astype(int)
    judge = get_scorer(name)
    bound = judge._score_func
    each = losses_of_labels(bound, np.arange(2))[y, predicted]
    sign = -1 if name.startswith("neg_") else 1
    value = bound(y, predicted)
    is_mean = np.isclose(each.mean(), 1 - value if sign == 1 else value)
    if is_mean and name not in NO_LOSSES:
        assert losses_of(name, judge, np.arange(2)).table is not None
    else:
        with pytest.raises(ValueError, match=r"mean of losses .*found .*takes any metric"):
            losses_of(name, judge, np.arange(2))


@pytest.mark.parametrize("name", ["neg_type_i_error_macro", "neg_type_ii_error_micro", "accuracy"])
def test_losses_of_three_classes(name):
    X, y = load_iris(return_X_y=True)
    names = np.array(["c", "a", "b"])[y]
    model = GaussianNB().fit(X, names)
    losses = losses_of(name, get_scorer(name), np.unique(names))
    each = losses.each(model, np.searchsorted(losses.classes, names), {"predict": model.predict(X)})
    score = get_scorer(name)(model, X, names)
    assert 0 < each.mean() == pytest.approx(1 - score if name == "accuracy" else -score)


def test_expected_cost(data):
    X, y = data
    scorer = get_scorer("neg_expected_cost", cost=[[0, 1], [5, 0]])
    found = bootstrap_score(
        GaussianNB(), X, y, scoring=scorer, method=".632+", n_splits=5, random_state=0
    )
    model = GaussianNB().fit(X, y)
    assert found.resubstitution_error == pytest.approx(-scorer(model, X, y))
    costs = np.array([[0, 1], [5, 0]])[y[:, None], model.predict(X)]
    assert found.no_information_error == pytest.approx(costs.mean())
    assert found.metric == "neg_expected_cost"


def test_positive_class_of_a_rate(data):
    X, y = data
    scorer = get_scorer("neg_type_i_error", pos_label=0)
    found = bootstrap_score(
        GaussianNB(), X, y, scoring=scorer, method=".632", n_splits=3, random_state=0
    )
    predicted = GaussianNB().fit(X, y).predict(X)
    assert found.resubstitution_error == pytest.approx(np.mean((predicted == 0) & (y == 1)))


def test_class_that_a_model_never_saw_has_no_probability():
    X, y = load_iris(return_X_y=True)
    model = GaussianNB().fit(X[:100], y[:100])
    losses = Losses(get_scorer("neg_log_loss")._score_func, np.arange(3))
    each = losses.each(model, y, {"predict_proba": model.predict_proba(X)})
    np.testing.assert_allclose(each[100:], -np.log(np.finfo(float).eps))
    assert each[:100].max() < 1e-6


def test_round_that_never_saw_a_class_counts():
    X, y = load_iris(return_X_y=True)
    rows = np.r_[0:40, 50:90, 100:102]
    found = bootstrap_score(
        GaussianNB(var_smoothing=1e-3), X[rows], y[rows], scoring="neg_log_loss", method=".632",
        n_splits=30, random_state=0,
    )  # fmt: skip
    assert np.isfinite(found.rounds).all()
    assert found.rounds.min() < -2 * 36 / 40


def test_several_classes():
    X, y = load_iris(return_X_y=True)
    options = {"n_splits": 5, "stratify": True, "random_state": 0}
    model = KNeighborsClassifier()
    found = bootstrap_score(model, X, y, scoring="roc_auc_ovr", method=".632+", **options)
    assert found.no_information_error == 0.5
    assert 0.9 < found.estimate <= 1
    options["scoring"] = "mm7_auc_ovr"
    assert 0 < bootstrap_score(model, X, y, method=".632", **options).estimate < 1
    with pytest.raises(ValueError, match=r"'mm7_auc_ovr' of two classes only, found 3"):
        bootstrap_score(model, X, y, method=".632+", **options)


def test_groups_and_jobs(data):
    X, y = np.repeat(data[0], 2, axis=0), np.repeat(data[1], 2)
    model, options = KNeighborsClassifier(1), {"scoring": "accuracy", "random_state": 0}
    options["n_splits"] = 20
    apart = bootstrap_score(model, X, y, groups=np.repeat(np.arange(80), 2), **options)
    torn = bootstrap_score(model, X, y, **options)
    assert torn.estimate > apart.estimate + 0.05
    with parallel_config("threading"):
        two = bootstrap_score(model, X, y, n_jobs=2, **options)
    np.testing.assert_array_equal(two.rounds, torn.rounds)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_undefined_rounds_do_not_count():
    X, y = np.arange(12.0)[:, None], np.r_[0, np.ones(11, dtype=int)]
    found = bootstrap_score(
        GaussianNB(), X, y, scoring="roc_auc", stratify=False, train_size=40, n_splits=1,
        random_state=3,
    )  # fmt: skip
    assert np.isnan(found.rounds).all()
    assert np.isnan(found.estimate)
    assert np.isnan(found.spread()).all()
    assert "1 of them undefined" in str(found)


def test_text_and_pickle(data):
    found = bootstrap_score(
        GaussianNB(), *data, scoring="accuracy", method=".632+", n_splits=5, random_state=0
    )
    low, high = found.spread()
    assert str(found) == (
        f"accuracy {found.estimate:.4f} by the .632+ bootstrap, 5 rounds; 95 % spread over "
        f"repetitions\n  {low:.4f} to {high:.4f}\n"
        f"Positive class: 1, {np.sum(data[1])} of {len(data[1])} rows."
    )
    assert pickle.loads(pickle.dumps(found)).estimate == found.estimate
    with pytest.raises(ValueError, match="confidence_level must be"):
        found.spread(95)


@pytest.mark.parametrize(
    "scoring",
    ["f1", "balanced_accuracy", "pr_auc", "partial_roc_auc", "prevalence", "precision_weighted",
     "neg_type_i_error_weighted", sklearn.metrics.get_scorer("accuracy"),
     get_scorer("accuracy", normalize=False)],
)  # fmt: skip
def test_metrics_without_losses_are_refused(data, scoring):
    with pytest.raises(ValueError, match=r"\.632 estimates need a metric of skaucx"):
        bootstrap_score(GaussianNB(), *data, scoring=scoring, method=".632", n_splits=2)


def test_plain_takes_any_scorer(data):
    scorer = sklearn.metrics.get_scorer("accuracy")
    theirs, ours = (
        bootstrap_score(GaussianNB(), *data, scoring=s, n_splits=5, random_state=0)
        for s in (scorer, "accuracy")
    )
    np.testing.assert_array_equal(theirs.rounds, ours.rounds)
    assert theirs.error == ours.error


def test_wrong_arguments(data):
    with pytest.raises(ValueError, match=r"method must be .*found 'oob'"):
        bootstrap_score(GaussianNB(), *data, scoring="accuracy", method="oob")
    with pytest.raises(TypeError, match=r"one metric or a scorer, found \['f1'\]"):
        bootstrap_score(GaussianNB(), *data, scoring=["f1"])
    assert losses_of("x", get_scorer("neg_log_loss"), np.arange(2)).table is None
