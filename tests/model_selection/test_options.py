"""Bad input is refused before a fit, in words; folds are checked; what fits and scorers are given."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import get_scorer as sklearn_scorer
from sklearn.metrics import make_scorer
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.metrics import get_scorer, one_pass_scorer
from skaucx.metrics.costs import savings_score
from skaucx.model_selection import (
    NestedCV,
    bootstrap_score,
    check_folds,
    compare_estimators,
    nested_cross_validate,
)

from .records import recorded

X, Y = make_classification(90, 4, flip_y=0.2, random_state=0)
WEIGHT = np.random.default_rng(0).uniform(0.1, 3, 90)
ROWS = np.arange(90)
SPLIT = ROWS[:3], ROWS[:3]
FOLDS = list(KFold(3).split(X))


class Unfit(GaussianNB):
    """Fails the test that fits it."""

    def fit(self, X, y, sample_weight=None):
        raise AssertionError("fitted")


def nested(model, x=X, y=Y, **options):
    given = {"scoring": "accuracy", "outer_cv": 3, "inner_cv": 2, "final": None, **options}
    return nested_cross_validate(model, {}, x, y, **recorded(given))


BAD = {
    "scoring": [[], {}, 3, [3], {"a": 3}, "nothing", ["f1", "nothing"]],
    "n_jobs": ["two", 1.5, 0],
    "verbose": ["much", 1.5, -1, None],
    "refit": [3, "f1", [], ["accuracy", "accuracy"], [3]],
    "error_score": ["ignore", None],
    "final": ["best", 3],
    "weight_fits": ["yes", None, 1],
    "memory": [3],
    "checks": ["warn"],
    "decisions": ["f1"],
    "inner_cv": ["five", [SPLIT]],
    "outer_cv": ["five"],
    "sample_weight": [np.full(90, np.nan), -WEIGHT, np.ones((90, 2))],
    "X": [3, "table", {"a": [1]}, None],
}  # fmt: skip
CASES = [(name, value) for name, values in BAD.items() for value in values]


@pytest.mark.parametrize(("name", "value"), CASES, ids=str)
def test_options_of_a_nested_run(name, value):
    words = {"scoring": ".", "X": "X must be"}
    options = {"x": value} if name == "X" else {name: value}
    with pytest.raises((TypeError, ValueError), match=words.get(name, name)) as told:
        nested(Unfit(), **options)
    assert type(told.value) in (TypeError, ValueError) or "sklearn" in type(told.value).__module__
    assert len(str(told.value)) > 20


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"threshold": "f1"}, TypeError, r"decisions=Decisions\(threshold=\.\.\.\)"),
        ({"memory": "x"}, TypeError, r"execution=Execution\(memory=\.\.\.\)"),
        ({"decisions": "f1"}, TypeError, "decisions must be of the class Decisions.*'f1'"),
        ({"cv": 3}, TypeError, "'cv' is no argument .*outer_cv= and inner_cv="),
        ({"random_state": 3}, TypeError, "'random_state' is no argument .*the splitters"),
        ({"outer_cv": [(ROWS[:45], ROWS[45:]), (ROWS[:45], ROWS[:0])]}, ValueError,
         "outer_cv or inner_cv: the test part of split 1 has no rows"),
        ({"inner_cv": PredefinedSplit(ROWS % 3)}, ValueError, r"PredefinedSplit .*row 89 of 60"),
        ({"groups": np.array([*"ab" * 44, "c", 3], dtype=object)}, TypeError,
         "of one type, found int and str"),
        ({"groups": 7}, TypeError, "groups must be an array-like"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_before_any_fit(options, error, told):
    given = {"scoring": "accuracy", "outer_cv": 3, "inner_cv": 2, **options}
    with pytest.raises(error, match=told):
        nested_cross_validate(Unfit(), {}, X, Y, **given)
    if "argument" in told:
        with pytest.raises(error, match=told):
            NestedCV(Unfit(), {}).fit(X, Y, **options)


def test_a_misspelt_argument_is_named_with_the_failed_fits():
    """Of the call, of a step, in a comparison, and of a scorer that requests another."""
    steps = Pipeline([("scale", StandardScaler()), ("clf", GaussianNB())])
    two = {"a": GaussianNB(), "b": GaussianNB()}
    for call in (
        lambda: nested(GaussianNB(), outercv=3),
        lambda: nested(steps, clf__outercv=WEIGHT),
        lambda: compare_estimators(two, X, Y, params={"outercv": 3}),
    ):
        with pytest.raises(ValueError, match=r"All \d+ inner fits .*argument 'outercv'"):
            call()


@pytest.mark.parametrize("estimator", [GaussianNB, "bayes", None, 3, len])
def test_estimators(estimator):
    for call in (
        lambda: nested(estimator),
        lambda: bootstrap_score(estimator, X, Y, scoring="accuracy"),
        lambda: compare_estimators({"a": estimator, "b": GaussianNB()}, X, Y),
    ):
        with pytest.raises(TypeError, match="estimator"):
            call()


WORDS = np.array(["a", "b"] * 44 + ["a", "c"])


@pytest.mark.parametrize(
    ("y", "cv", "groups", "told"),
    [
        (Y, FOLDS, ROWS % 29, "groups: 29 of 29 groups of rows are in both"),
        (Y, FOLDS, np.r_[0, ROWS[:88], 0], "groups: 1 of 88 groups of rows are in both"),
        (Y, GroupKFold(3), ROWS // 4, None),
        (Y, [(ROWS[:60], ROWS[58:])], None,
         "overlap: 2 rows in both the training and the test part of a fold;"),
        (Y, [(np.r_[ROWS[:60], ROWS[:60]], ROWS[60:])], None, None),  # drawn with replacement
        (WORDS, [(ROWS[30:], ROWS[:30])], None,
         "rare class: class c has 1 row and is missing in 0 training and 1 test parts of 1"),
        (Y, [(ROWS, []), (ROWS[:45], ROWS[45:])], None,
         "empty part: 1 test part of 2 have no rows; use a splitter whose parts all have rows"),
        (np.sort(Y), KFold(3), None, "rare class"),
        (X[:, 1], KFold(45), None, None),
    ],
)  # fmt: skip
def test_folds_are_checked(y, cv, groups, told):
    found = check_folds(X, y, cv=cv, groups=groups)
    assert len(found) == (2 if told == "rare class" else told is not None)
    assert all(str(one).startswith(told) for one in found)


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_folds_of_a_run_are_checked_before_any_fit():
    torn = {"outer_cv": StratifiedKFold(3), "groups": ROWS // 4}
    result = nested(GaussianNB(), **torn)
    [told] = [note for note in result.notes if note.startswith("groups")]
    assert " ".join(told.split()) in " ".join(result.summary().split())
    assert nested(GaussianNB(), **torn, checks=None).notes == ()
    with pytest.raises(ValueError, match=r"checks='raise' found: groups: "):
        nested(Unfit(), **torn, checks="raise", error_score="raise")
    assert nested(Ridge(), y=X[:, 0], scoring="r2").notes == ()


def test_weights_for_the_scores_alone():
    model = KNeighborsClassifier()
    with pytest.raises(ValueError, match=r"'sample_weight' Set weight_fits=False"):
        nested(model, sample_weight=WEIGHT)
    found, plain = nested(model, sample_weight=WEIGHT, weight_fits=False), nested(model)
    np.testing.assert_array_equal(found.predictions.y_pred, plain.predictions.y_pred)
    right = plain.predictions.y_pred == plain.predictions.y_true
    expected = np.average(right, weights=WEIGHT[plain.predictions.row])
    assert found.pooled["accuracy"].value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("steps", [False, True])
def test_metadata_routing_is_honoured(steps):
    """Who asks not to be weighted is fitted as without weights, and scored with them."""
    with sklearn.config_context(enable_metadata_routing=True):
        found = {}
        for asked in (True, False):
            model = LogisticRegression().set_fit_request(sample_weight=asked)
            if steps:
                scaler = StandardScaler().set_fit_request(sample_weight=False)
                model = make_pipeline(scaler, model)
            found[asked] = nested(model, sample_weight=WEIGHT)
        plain = nested(model)
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
        asking = get_scorer("roc_auc").set_score_request(sample_weight=True)
        if isinstance(model, LogisticRegression):
            model = clone(model).set_fit_request(sample_weight=False)
        found = nested(model, scoring=refusing, sample_weight=WEIGHT)
        plain = nested(model, scoring="roc_auc")
        weighted = nested(model, scoring=asking, sample_weight=WEIGHT)
    name = next(iter(found.test_scores))
    np.testing.assert_allclose(found[f"test_{name}"], plain["test_roc_auc"], rtol=1e-12)
    assert np.abs(weighted["test_roc_auc"] - plain["test_roc_auc"]).max() > 1e-3
    assert found.pooled[name].value == pytest.approx(plain.pooled["roc_auc"].value, rel=1e-12)
    if whose != "theirs":
        assert tuple(found.interval(name)) == tuple(plain.interval("roc_auc"))
        ours, theirs = found.pooled_interval(name), plain.pooled_interval("roc_auc")
        for what in ("method", "standard_error", "estimate"):
            assert getattr(ours, what) == getattr(theirs, what)


AMOUNT = np.arange(90.0) ** 2
COSTS = np.column_stack([1 + AMOUNT, AMOUNT[::-1]])


def mean_amount(y_true, y_pred, amount=1.0):
    """Return a number of any arrays, also of those that do not belong to the rows."""
    return float(np.mean(y_true == y_pred) * np.mean(amount))


def read_by(estimator, X, y, amount):
    return mean_amount(y, estimator.predict(X), amount)


BINDING = {
    "array": (make_scorer(mean_amount, amount=AMOUNT), "amount"),
    "list": (make_scorer(mean_amount, amount=AMOUNT.tolist()), "amount"),
    "partial function": (make_scorer(partial(mean_amount, amount=AMOUNT)), "amount"),
    "partial scorer": (partial(read_by, amount=AMOUNT), "amount"),
    "costs": (get_scorer("savings", example_costs=COSTS), "example_costs"),
}


@pytest.mark.parametrize("way", BINDING)
def test_arrays_of_the_rows_bound_by_a_scorer_are_refused(way):
    """They cannot follow the rows of a fold; a broadcast error or a wrong mean came of them."""
    scorer, name = BINDING[way]
    two = {"a": Unfit(), "b": Unfit()}
    for call in (
        lambda: nested(Unfit(), scoring=["accuracy", scorer]),
        lambda: compare_estimators(two, X, Y, scoring={"s": scorer}),
        lambda: bootstrap_score(Unfit(), X, Y, scoring=scorer),
    ):
        with pytest.raises(ValueError, match=rf"binds {name}, an array of 90.*set_score_request"):
            call()


def requesting():
    with sklearn.config_context(enable_metadata_routing=True):
        return make_scorer(mean_amount).set_score_request(amount=True)


@pytest.mark.parametrize("routed", [False, True])
def test_arrays_that_a_scorer_requests_follow_the_rows(routed):
    models = {"a": GaussianNB(), "b": LogisticRegression()}
    scoring = {"amount": requesting(), "savings": get_scorer("savings")}
    given = {"amount": AMOUNT, "example_costs": COSTS}
    with sklearn.config_context(enable_metadata_routing=routed):
        found = nested(GaussianNB(), scoring=scoring, outer_cv=FOLDS, **given)
        compared = compare_estimators(models, X, Y, scoring=scoring, outer_cv=FOLDS, params=given)
    for fold, (train, test) in enumerate(FOLDS):
        called = GaussianNB().fit(X[train], Y[train]).predict(X[test])
        wanted = mean_amount(Y[test], called, AMOUNT[test])
        costs = savings_score(Y[test], called, example_costs=COSTS[test])
        for one in (found, compared.results["a"]):
            assert one["test_amount"][fold] == pytest.approx(wanted, rel=1e-12)
            assert one["test_savings"][fold] == pytest.approx(costs, rel=1e-12)
    with pytest.raises(ValueError, match=r"requests amount.*nested_cross_validate"):
        bootstrap_score(Unfit(), X, Y, scoring=requesting())


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

    model = NestedCV(Told(), {}, scoring=look, outer_cv=2, inner_cv=2).fit(X, Y, **asked)
    assert len(seen) == 6 + 2
    assert len(model.best_estimator_.told_["offset"]) == 90
