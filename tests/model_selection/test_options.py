"""Bad input is refused before a fit, in words; weights and parameters of fits go where they are told."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer as sklearn_scorer
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.metrics import get_scorer, one_pass_scorer
from skaucx.metrics.costs import savings_score
from skaucx.model_selection import (
    Execution,
    NestedCV,
    bootstrap_score,
    compare_estimators,
    nested_cross_validate,
)

from .records import recorded

X, Y = make_classification(90, 4, flip_y=0.2, random_state=0)
WEIGHT = np.random.default_rng(0).uniform(0.1, 3, 90)
OPTIONS = {"scoring": "accuracy", "outer_cv": 3, "inner_cv": 2, "final": None}


class Unfit(GaussianNB):
    """Fails the test that fits it."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("fitted")


BAD = {
    "scoring": [[], {}, 3, [3], {"a": 3}, "nothing", ["f1", "nothing"]],
    "n_jobs": ["two", 1.5, 0],
    "verbose": ["much", 1.5, -1, None],
    "refit": [3, "f1", [], ["accuracy", "accuracy"], [3]],
    "error_score": ["ignore", None],
    "final": ["best", 3],
    "weight_fits": ["yes", None, 1],
    "memory": [3],
    "inner_cv": ["five", [(np.arange(3), np.arange(3))]],
    "outer_cv": ["five"],
}
CASES = [(name, value) for name, values in BAD.items() for value in values]


@pytest.mark.parametrize(("name", "value"), CASES, ids=str)
def test_options_of_a_nested_run(name, value):
    options = {**OPTIONS, name: value}
    with pytest.raises((TypeError, ValueError), match=name if name != "scoring" else ".") as told:
        nested_cross_validate(Unfit(), {}, X, Y, **recorded(options))
    assert type(told.value) in (TypeError, ValueError) or "sklearn" in type(told.value).__module__
    assert len(str(told.value)) > 20


def test_a_misspelt_argument_is_named_with_the_failed_fits():
    """Of the call, of a step, in a comparison, and of a scorer that requests another."""
    steps = Pipeline([("scale", StandardScaler()), ("clf", GaussianNB())])
    for call in (
        lambda: nested_cross_validate(GaussianNB(), {}, X, Y, outercv=3),
        lambda: nested_cross_validate(steps, {}, X, Y, clf__outercv=WEIGHT),
        lambda: compare_estimators(
            {"a": GaussianNB(), "b": GaussianNB()}, X, Y, params={"outercv": 3}
        ),
    ):
        with pytest.raises(ValueError, match=r"All \d+ inner fits .*argument 'outercv'"):
            call()


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({"threshold": "f1"}, "decisions=Decisions(threshold=...)"),
        ({"memory": "x"}, "execution=Execution(memory=...)"),
    ],
)
def test_an_option_of_a_record_names_the_record(given, place):
    with pytest.raises(TypeError, match=re.escape(place)):
        nested_cross_validate(Unfit(), {}, X, Y, **OPTIONS, **given)
    with pytest.raises(TypeError, match=r"decisions must be of the class Decisions.*'f1'"):
        nested_cross_validate(Unfit(), {}, X, Y, **OPTIONS, decisions="f1")


@pytest.mark.parametrize("estimator", [GaussianNB, "bayes", None, 3, len])
def test_estimators(estimator):
    with pytest.raises(TypeError, match="estimator"):
        nested_cross_validate(estimator, {}, X, Y, **recorded(OPTIONS))
    with pytest.raises(TypeError, match="estimator"):
        bootstrap_score(estimator, X, Y, scoring="accuracy")
    with pytest.raises((TypeError, ValueError), match="estimator"):
        compare_estimators({"a": estimator, "b": GaussianNB()}, X, Y)


@pytest.mark.parametrize("data", [3, "table", {"a": [1]}, None])
def test_data_of_another_kind(data):
    with pytest.raises(TypeError, match="X must be"):
        nested_cross_validate(Unfit(), {}, data, Y, **recorded(OPTIONS))


@pytest.mark.parametrize(
    ("groups", "told"),
    [
        (np.r_[np.nan, np.arange(89)], "NaN in groups"),
        (np.array([None, *range(89)]), "NaN in groups"),
        (np.array([*"ab" * 44, "c", 3], dtype=object), "of one type, found int and str"),
        (np.arange(80), "inconsistent"),
        (7, "groups must be an array-like"),
    ],
    ids=["nan", "none", "mixed", "short", "one"],
)
def test_groups(groups, told):
    with pytest.raises((TypeError, ValueError), match=told):
        nested_cross_validate(Unfit(), {}, X, Y, groups=groups, **recorded(OPTIONS))


@pytest.mark.parametrize("weight", [np.full(90, np.nan), -WEIGHT, WEIGHT[:-1], np.ones((90, 2))])
def test_weights(weight):
    with pytest.raises(ValueError, match=r"sample_weight|inconsistent"):
        nested_cross_validate(Unfit(), {}, X, Y, sample_weight=weight, **recorded(OPTIONS))


def test_weights_for_the_scores_alone():
    model = KNeighborsClassifier()
    with pytest.raises(ValueError, match=r"'sample_weight' Set weight_fits=False"):
        nested_cross_validate(model, {}, X, Y, sample_weight=WEIGHT, **recorded(OPTIONS))
    found = nested_cross_validate(
        model,
        {},
        X,
        Y,
        sample_weight=WEIGHT,
        execution=Execution(weight_fits=False),
        **recorded(OPTIONS),
    )
    plain = nested_cross_validate(model, {}, X, Y, **recorded(OPTIONS))
    np.testing.assert_array_equal(found.predictions.y_pred, plain.predictions.y_pred)
    right = plain.predictions.y_pred == plain.predictions.y_true
    expected = np.average(right, weights=WEIGHT[plain.predictions.row])
    assert found.pooled["accuracy"].value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("steps", [False, True])
def test_metadata_routing_is_honoured(steps):
    """Who asks not to be weighted is fitted as without weights, and scored with them."""
    with sklearn.config_context(enable_metadata_routing=True):
        models = {
            asked: LogisticRegression().set_fit_request(sample_weight=asked)
            for asked in (True, False)
        }
        if steps:
            scaler = StandardScaler().set_fit_request(sample_weight=False)
            models = {asked: make_pipeline(scaler, model) for asked, model in models.items()}
        found = {
            asked: nested_cross_validate(model, {}, X, Y, sample_weight=WEIGHT, **recorded(OPTIONS))
            for asked, model in models.items()
        }
        plain = nested_cross_validate(models[False], {}, X, Y, **recorded(OPTIONS))
    scores = {asked: result.predictions.scores("predict_proba") for asked, result in found.items()}
    np.testing.assert_array_equal(scores[False], plain.predictions.scores("predict_proba"))
    assert np.abs(scores[True] - scores[False]).max() > 1e-3
    assert found[False].pooled["accuracy"].value != plain.pooled["accuracy"].value


@pytest.mark.parametrize("model", [LogisticRegression(), KNeighborsClassifier()])
@pytest.mark.parametrize("whose", ["ours", "theirs", "one pass"])
def test_scorers_that_refuse_weights_judge_without_them(model, whose):
    """Also in the pooled value and in the intervals; another scorer beside them is weighted."""
    makers = {"ours": get_scorer, "theirs": sklearn_scorer, "one pass": one_pass_scorer}
    with sklearn.config_context(enable_metadata_routing=True):
        refusing = makers[whose]("roc_auc").set_score_request(sample_weight=False)
        if isinstance(model, LogisticRegression):
            model = clone(model).set_fit_request(sample_weight=False)
        options = {**OPTIONS, "scoring": refusing}
        found = nested_cross_validate(model, {}, X, Y, sample_weight=WEIGHT, **recorded(options))
        plain = nested_cross_validate(
            model, {}, X, Y, **recorded({**OPTIONS, "scoring": "roc_auc"})
        )
        asked = get_scorer("roc_auc").set_score_request(sample_weight=True)
        weighted = nested_cross_validate(
            model, {}, X, Y, sample_weight=WEIGHT, **recorded({**OPTIONS, "scoring": asked})
        )
    name = next(iter(found.test_scores))
    np.testing.assert_allclose(found[f"test_{name}"], plain["test_roc_auc"], rtol=1e-12)
    assert np.abs(weighted["test_roc_auc"] - plain["test_roc_auc"]).max() > 1e-3
    assert found.pooled[name].value == pytest.approx(plain.pooled["roc_auc"].value, rel=1e-12)
    if whose != "theirs":
        assert tuple(found.interval(name)) == tuple(plain.interval("roc_auc"))
        assert found.pooled_interval(name).method == plain.pooled_interval("roc_auc").method
        ours, theirs = found.pooled_interval(name), plain.pooled_interval("roc_auc")
        assert ours.standard_error == theirs.standard_error
        assert ours.estimate == theirs.estimate


AMOUNT = np.arange(90.0) ** 2
COSTS = np.column_stack([1 + AMOUNT, AMOUNT[::-1]])


def mean_amount(y_true, y_pred, amount=1.0):
    """Return a number of any arrays, also of those that do not belong to the rows."""
    return float(np.mean(y_true == y_pred) * np.mean(amount))


def read_by(estimator, X, y, amount):
    return mean_amount(y, estimator.predict(X), amount)


BINDING = {
    "array": (lambda: make_scorer(mean_amount, amount=AMOUNT), "amount"),
    "list": (lambda: make_scorer(mean_amount, amount=AMOUNT.tolist()), "amount"),
    "partial function": (lambda: make_scorer(partial(mean_amount, amount=AMOUNT)), "amount"),
    "partial scorer": (lambda: partial(read_by, amount=AMOUNT), "amount"),
    "costs": (lambda: get_scorer("savings", example_costs=COSTS), "example_costs"),
}
SCORED = {
    "nested": lambda scorer: nested_cross_validate(
        Unfit(), {}, X, Y, scoring=["accuracy", scorer], outer_cv=3
    ),
    "compare": lambda scorer: compare_estimators(
        {"a": Unfit(), "b": Unfit()}, X, Y, scoring={"s": scorer}
    ),
    "bootstrap": lambda scorer: bootstrap_score(Unfit(), X, Y, scoring=scorer),
}


@pytest.mark.parametrize("call", SCORED)
@pytest.mark.parametrize("way", BINDING)
def test_arrays_of_the_rows_bound_by_a_scorer_are_refused(way, call):
    """They cannot follow the rows of a fold; a broadcast error or a wrong mean came of them."""
    make, name = BINDING[way]
    with pytest.raises(ValueError, match=rf"binds {name}, an array of 90.*set_score_request"):
        SCORED[call](make())


def requesting():
    with sklearn.config_context(enable_metadata_routing=True):
        return make_scorer(mean_amount).set_score_request(amount=True)


@pytest.mark.parametrize("routed", [False, True])
def test_arrays_that_a_scorer_requests_follow_the_rows(routed):
    folds = list(KFold(3).split(X))
    options = {"outer_cv": folds, "inner_cv": 2, "final": None}
    scoring = {"amount": requesting(), "savings": get_scorer("savings")}
    given = {"amount": AMOUNT, "example_costs": COSTS}
    with sklearn.config_context(enable_metadata_routing=routed):
        found = nested_cross_validate(GaussianNB(), {}, X, Y, scoring=scoring, **options, **given)
        compared = compare_estimators(
            {"a": GaussianNB(), "b": LogisticRegression()},
            X, Y, scoring=scoring, outer_cv=folds, params=given,
        )  # fmt: skip
    for fold, (train, test) in enumerate(folds):
        called = GaussianNB().fit(X[train], Y[train]).predict(X[test])
        wanted = mean_amount(Y[test], called, AMOUNT[test])
        costs = savings_score(Y[test], called, example_costs=COSTS[test])
        for one in (found, compared.results["a"]):
            assert one["test_amount"][fold] == pytest.approx(wanted, rel=1e-12)
            assert one["test_savings"][fold] == pytest.approx(costs, rel=1e-12)


def test_arrays_that_a_bootstrap_does_not_pass_to_scorers_are_refused():
    with pytest.raises(ValueError, match=r"requests amount.*nested_cross_validate"):
        SCORED["bootstrap"](requesting())


class Told(GaussianNB):
    """Keeps what its fit was given."""

    def fit(self, X, y, sample_weight=None, eval_set=None, callbacks=(), offset=None):
        self.told_ = {"eval_set": eval_set, "callbacks": callbacks, "offset": offset}
        self.rows_ = X
        return super().fit(X, y, sample_weight)


def test_parameters_of_fit_pass_through():
    asked = {"eval_set": [(X[:5], Y[:5])], "callbacks": [print], "offset": np.arange(90.0)}
    seen = []

    def look(estimator, X_test, y_test):
        told = estimator.told_
        seen.append(told)
        assert told["callbacks"] == asked["callbacks"]
        assert told["eval_set"] is asked["eval_set"]
        np.testing.assert_array_equal(X[told["offset"].astype(int)], estimator.rows_)
        return 1.0

    nested = NestedCV(Told(), {}, scoring=look, outer_cv=2, inner_cv=2)
    nested.fit(X, Y, **asked)
    assert len(seen) == 6 + 2
    assert len(nested.best_estimator_.told_["offset"]) == 90
