"""Metrics as evaluation functions: each library reports what our scorer says of its model."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

from skaucx.integrations import catboost_metric, lightgbm_metric, xgboost_metric
from skaucx.metrics import get_scorer, mm7_auc_score

pytestmark = [
    pytest.mark.filterwarnings("ignore:Failed to import numba"),
    pytest.mark.filterwarnings("ignore:The argument 'eval_set'"),
]
X, Y = make_classification(300, 6, random_state=0)
NAMED = np.array(["ill", "well"])[Y]
X3, Y3 = make_classification(300, 8, n_informative=5, n_classes=3, random_state=1)
WEIGHT = np.random.default_rng(0).exponential(size=300)
LEARN, WATCH = slice(0, 200), slice(200, 300)

# Scores and losses, of labels, ranks and values, binary and of many classes.
BINARY = ["mm7_auc", "average_precision", "recall", "mcc", "neg_log_loss", "brier_score"]
MANY = ["roc_auc_ovr", "roc_auc_ovo", "f1_macro", "log_loss"]
CASES = [(name, X, Y) for name in BINARY] + [(name, X3, Y3) for name in MANY]
each_case = pytest.mark.parametrize(("name", "x", "y"), CASES, ids=[case[0] for case in CASES])


def wanted(name, model, x, y, weight, **options):
    """Return the value by our scorer, in the metric's own sign."""
    loss = name.removeprefix("neg_") in ("log_loss", "brier_score")
    scorer = get_scorer(f"neg_{name.removeprefix('neg_')}" if loss else name, **options)
    return scorer(model, x, y, sample_weight=weight) * (-1 if loss else 1)


@each_case
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_xgboost(name, x, y, weight):
    xgboost = pytest.importorskip("xgboost")
    metric = xgboost_metric(name)
    model = xgboost.XGBClassifier(n_estimators=4, max_depth=2, n_jobs=1, eval_metric=metric)
    weights = None if weight is None else [weight[WATCH]]
    model.fit(
        x[LEARN], y[LEARN], eval_set=[(x[WATCH], y[WATCH])], sample_weight_eval_set=weights,
        verbose=False,
    )  # fmt: skip
    reported = model.evals_result()["validation_0"][metric.__name__][-1]
    value = wanted(name, model, x[WATCH], y[WATCH], None if weight is None else weight[WATCH])
    sign = 1 if metric.__name__ == name.removeprefix("neg_") else -1
    assert reported == pytest.approx(sign * value, rel=1e-5)


@each_case
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_lightgbm(name, x, y, weight):
    lightgbm = pytest.importorskip("lightgbm")
    model = lightgbm.LGBMClassifier(n_estimators=4, verbose=-1, n_jobs=1)
    weights = None if weight is None else [weight[WATCH]]
    model.fit(
        x[LEARN], y[LEARN], eval_set=[(x[WATCH], y[WATCH])], eval_sample_weight=weights,
        eval_metric=lightgbm_metric(name),
    )  # fmt: skip
    reported = model.evals_result_["valid_0"][name.removeprefix("neg_")][-1]
    value = wanted(name, model, x[WATCH], y[WATCH], None if weight is None else weight[WATCH])
    assert reported == pytest.approx(value, rel=1e-5)


@each_case
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_catboost(name, x, y, weight, tmp_path):
    catboost = pytest.importorskip("catboost")
    loss = "Logloss" if len(np.unique(y)) == 2 else "MultiClass"
    model = catboost.CatBoostClassifier(
        iterations=4, depth=2, loss_function=loss, eval_metric=catboost_metric(name),
        verbose=False, allow_writing_files=False, thread_count=1, use_best_model=False,
    )  # fmt: skip
    weights = None if weight is None else weight[WATCH]
    model.fit(x[LEARN], y[LEARN], eval_set=catboost.Pool(x[WATCH], y[WATCH], weight=weights))
    reported = model.get_evals_result()["validation"][name.removeprefix("neg_")][-1]
    model = Flat(model)
    assert reported == pytest.approx(wanted(name, model, x[WATCH], y[WATCH], weights), rel=1e-5)


class Flat:
    """CatBoost's classifier of many classes, whose labels come in a column, as scikit-learn's."""

    _estimator_type = "classifier"

    def __init__(self, model):
        self.classes_, self.model = model.classes_, model

    def __sklearn_tags__(self):
        return self.model.__sklearn_tags__()

    def __sklearn_is_fitted__(self):
        return True

    def predict(self, x):
        return np.ravel(self.model.predict(x))

    def predict_proba(self, x):
        return self.model.predict_proba(x)


def test_early_stopping_goes_the_right_way():
    """The best round by each library's own rule is the best by ours, of a score and of a loss."""
    xgboost = pytest.importorskip("xgboost")
    lightgbm = pytest.importorskip("lightgbm")
    catboost = pytest.importorskip("catboost")
    watch = [(X[WATCH], Y[WATCH])]
    for name, best in [("mm7_auc", np.argmax), ("log_loss", np.argmin)]:
        boost = xgboost.XGBClassifier(
            n_estimators=40, eval_metric=xgboost_metric(name), early_stopping_rounds=40
        ).fit(X[LEARN], Y[LEARN], eval_set=watch, verbose=False)
        *_, values = boost.evals_result()["validation_0"].values()  # its own loss comes first
        assert boost.best_iteration == np.argmin(values)
        light = lightgbm.LGBMClassifier(n_estimators=40, verbose=-1, metric="None").fit(
            X[LEARN], Y[LEARN], eval_set=watch, eval_metric=lightgbm_metric(name),
            callbacks=[lightgbm.early_stopping(40, verbose=False)],
        )  # fmt: skip
        assert light.best_iteration_ == 1 + best(light.evals_result_["valid_0"][name])
        cat = catboost.CatBoostClassifier(
            iterations=40, eval_metric=catboost_metric(name), verbose=False,
            allow_writing_files=False,
        ).fit(X[LEARN], Y[LEARN], eval_set=watch[0])  # fmt: skip
        assert cat.get_best_iteration() == best(cat.get_evals_result()["validation"][name])


def logistic(scores, truth, weight=None):
    """Return gradient and curvature of the log loss: an objective of one's own leaves margins."""
    p = 1 / (1 + np.exp(-scores))
    return p - truth, p * (1 - p)


def test_margins_of_an_own_objective():
    xgboost = pytest.importorskip("xgboost")
    lightgbm = pytest.importorskip("lightgbm")
    data = xgboost.DMatrix(X[LEARN], Y[LEARN])
    held = xgboost.DMatrix(X[WATCH], Y[WATCH], weight=WEIGHT[WATCH])
    history = {}
    booster = xgboost.train(
        {"max_depth": 2, "base_score": 0.5, "disable_default_eval_metric": True}, data, 4,
        obj=lambda scores, given: logistic(scores, given.get_label()),
        custom_metric=xgboost_metric("mm7_auc", raw=True), evals=[(held, "held")],
        evals_result=history, verbose_eval=False,
    )  # fmt: skip
    margin = booster.predict(held, output_margin=True).astype(float)
    value = mm7_auc_score(Y[WATCH], 1 / (1 + np.exp(-margin)), sample_weight=WEIGHT[WATCH])
    assert history["held"]["neg_mm7_auc"][-1] == pytest.approx(-value, rel=1e-5)

    history = {}
    learn = lightgbm.Dataset(X[LEARN], Y[LEARN])
    booster = lightgbm.train(
        {"objective": lambda scores, given: logistic(scores, given.get_label()), "verbose": -1},
        learn, 4, valid_sets=[learn.create_valid(X[WATCH], Y[WATCH], weight=WEIGHT[WATCH])],
        feval=lightgbm_metric("mm7_auc", raw=True),
        callbacks=[lightgbm.record_evaluation(history)],
    )  # fmt: skip
    margin = booster.predict(X[WATCH])
    value = mm7_auc_score(Y[WATCH], 1 / (1 + np.exp(-margin)), sample_weight=WEIGHT[WATCH])
    assert history["valid_0"]["mm7_auc"][-1] == pytest.approx(value, rel=1e-5)


def test_margins_are_not_taken_for_probabilities():
    with pytest.raises(ValueError, match="raw=True"):
        lightgbm_metric("roc_auc")(np.array([0, 1]), np.array([-1.5, 2.0]))
    with pytest.raises(ValueError, match="multi:softprob"):
        xgboost_metric("f1_macro")(np.array([0, 2]), np.array([0.0, 2.0]))


def test_classes_name_the_codes():
    score = np.array([0.2, 0.7, 0.6, 0.4])
    codes = np.array([0, 1, 0, 0])
    of_ill = lightgbm_metric("recall", classes=["ill", "well"], pos_label="ill")
    assert of_ill(codes, score) == ("recall", pytest.approx(2 / 3), True)
    with pytest.raises(ValueError, match=r"classes .* 2 .*found 3"):
        lightgbm_metric("recall", classes=list("abc"), pos_label="a")(codes, score)


def test_the_undefined_is_the_worst():
    one_class, score = np.zeros(3), np.array([0.2, 0.7, 0.6])
    assert xgboost_metric("roc_auc")(one_class, score) == np.inf
    assert lightgbm_metric("roc_auc")(one_class, score)[1] == -np.inf
    assert catboost_metric("roc_auc").evaluate([score], one_class, None)[0] == -np.inf


@pytest.mark.parametrize("make", [xgboost_metric, lightgbm_metric, catboost_metric])
def test_they_pickle_and_refuse_strangers(make):
    metric = make("f1_macro", classes=["a", "b"])
    again = pickle.loads(pickle.dumps(metric))
    assert repr(again) == repr(metric)
    assert type(again).__name__ == type(metric).__name__
    with pytest.raises(ValueError, match="rok_auc"):
        make("rok_auc")
    with pytest.raises(TypeError, match="beta"):
        make("roc_auc", beta=2)


def test_they_clone_with_their_boosters():
    catboost = pytest.importorskip("catboost")
    xgboost = pytest.importorskip("xgboost")
    clone(catboost.CatBoostClassifier(eval_metric=catboost_metric("f1")))
    clone(xgboost.XGBClassifier(eval_metric=xgboost_metric("f1")))
