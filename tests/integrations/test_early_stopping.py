"""Early stopping by a part of the training rows only."""

from __future__ import annotations

import inspect
import pickle
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import QuantileTransformer, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from skaucx.integrations import EarlyStoppingClassifier
from skaucx.metrics import log_loss
from skaucx.model_selection import Execution, nested_cross_validate

pytestmark = pytest.mark.filterwarnings("ignore:Failed to import numba")
X, Y = make_classification(240, 6, random_state=0)
NAMED = np.array(["ill", "well"])[Y]
WEIGHT = np.random.default_rng(0).exponential(size=240)
GROUPS = np.arange(240) // 4

ESTIMATORS = {
    "xgboost": ("XGBClassifier", {"n_estimators": 60, "max_depth": 2, "n_jobs": 1}),
    "lightgbm": ("LGBMClassifier", {"n_estimators": 60, "verbose": -1, "n_jobs": 1}),
    "catboost": (
        "CatBoostClassifier",
        {
            "iterations": 60,
            "depth": 2,
            "learning_rate": 0.2,
            "allow_writing_files": False,
            "verbose": False,
        },
    ),
}


if "X_val" in inspect.signature(HistGradientBoostingClassifier.fit).parameters:
    ESTIMATORS["sklearn.ensemble"] = (
        "HistGradientBoostingClassifier",
        {"max_iter": 60, "min_samples_leaf": 5},
    )


@pytest.fixture(params=ESTIMATORS)
def booster(request):
    name, options = ESTIMATORS[request.param]
    return getattr(pytest.importorskip(request.param), name)(**options)


def test_rounds_are_the_best_on_the_rows_held_back(booster):
    model = EarlyStoppingClassifier(booster, rounds=5, random_state=0).fit(X, NAMED)
    held = model.validation_rows_
    assert len(held) == 48
    fitted = model.estimator_
    if isinstance(fitted, HistGradientBoostingClassifier):
        rest = np.setdiff1d(np.arange(240), held)
        shorter = [clone(booster).set_params(max_iter=1 + m) for m in range(model.n_rounds_ + 5)]
        losses = [
            log_loss(Y[held], one.fit(X[rest], Y[rest]).predict_proba(X[held])) for one in shorter
        ]
        assert np.argmin(losses) + 1 == model.n_rounds_ == fitted.n_iter_
        assert pickle.loads(pickle.dumps(model)).score(X, NAMED) == model.score(X, NAMED)
        return
    history = fitted.evals_result_ if hasattr(fitted, "evals_result_") else fitted.evals_result()
    losses = list(history.values())[-1]["log_loss"]
    best = losses[model.n_rounds_ - 1]
    assert len(losses) < 60
    assert best == min(losses)
    assert log_loss(Y[held], model.predict_proba(X)[held]) == pytest.approx(best, rel=1e-5)
    assert set(model.predict(X)) == {"ill", "well"}
    assert model.score(X, NAMED) > 0.8


def test_groups_stay_together_and_refit_sees_all(booster):
    model = EarlyStoppingClassifier(
        booster, "average_precision", rounds=3, refit=True, pos_label="ill", random_state=0
    ).fit(X, NAMED, sample_weight=WEIGHT, groups=GROUPS)
    held = np.zeros(240, dtype=bool)
    held[model.validation_rows_] = True
    assert not set(GROUPS[held]) & set(GROUPS[~held])
    again = clone(model).set_params(refit=False).fit(X, NAMED, sample_weight=WEIGHT, groups=GROUPS)
    assert again.n_rounds_ == model.n_rounds_
    assert not np.array_equal(again.predict_proba(X), model.predict_proba(X))


def test_inside_a_nested_run_only_training_rows_stop():
    """Also with groups, which reach the fit; and the result says so."""
    lightgbm = pytest.importorskip("lightgbm")
    booster = lightgbm.LGBMClassifier(n_estimators=20, verbose=-1, n_jobs=1, min_child_samples=5)
    seen = []

    class Spy(EarlyStoppingClassifier):
        def fit(self, X, y, *, sample_weight=None, groups=None):
            super().fit(X, y, sample_weight=sample_weight, groups=groups)
            seen.append((X[:, -1].astype(int), X[self.validation_rows_, -1].astype(int)))
            return self

    numbered = np.column_stack([X, np.arange(240)])
    result = nested_cross_validate(
        Spy(booster, rounds=3, random_state=0), {"estimator__num_leaves": [3, 7]}, numbered, NAMED,
        scoring="roc_auc", pos_label="ill", outer_cv=GroupKFold(3), inner_cv=GroupKFold(2),
        groups=GROUPS, final=None, execution=Execution(error_score="raise"),
    )  # fmt: skip
    for rows, held in seen:
        assert set(held) <= set(rows)
        assert not set(GROUPS[held]) & set(GROUPS[np.setdiff1d(rows, held)])
    assert result.notes == (
        "Every fit stopped early by log_loss on 20% of its training rows; no test row took part.",
        f"{len(set(GROUPS))} groups of rows; no outer fold tests on a group that it trains on.",
    )
    assert "no test row took part" in " ".join(result.summary().split())


class Seen(TransformerMixin, BaseEstimator):
    """Notes which rows it is fitted on and which it transforms, by the number in the last column."""

    log: ClassVar[list] = []

    def fit(self, X, y=None):
        self.fitted_on_ = X[:, -1].astype(int)
        return self

    def transform(self, X):
        self.log.append((set(self.fitted_on_), set(X[:, -1].astype(int))))
        return X[:, :-1]


@pytest.mark.parametrize("metric", ["mm7_auc", "recall"])
def test_rows_held_back_pass_through_the_pipeline(booster, metric):
    """Fitted on the rows that learn, and no row serves two purposes, inside or outside."""
    numbered = np.column_stack([X, np.arange(240)])
    steps = [("seen", Seen()), ("scale", StandardScaler()), ("booster", booster)]
    model = EarlyStoppingClassifier(
        Pipeline(steps), metric, rounds=3, pos_label="ill", random_state=0
    )
    Seen.log.clear()
    result = nested_cross_validate(
        model, {"estimator__scale__with_mean": [True]}, numbered, NAMED, scoring="roc_auc",
        pos_label="ill", outer_cv=KFold(2), inner_cv=KFold(2), final=None,
        execution=Execution(error_score="raise", return_estimator=True),
        sample_weight=WEIGHT,
    )  # fmt: skip
    watching = [sets for sets in Seen.log if not sets[0] & sets[1]]
    learning = [sets for sets in Seen.log if sets[0] & sets[1]]
    assert all(fitted == seen for fitted, seen in learning)  # none is transformed but those
    assert len({tuple(map(frozenset, sets)) for sets in watching}) == 6 * 2  # held back, tested
    for (train, test), fitted in zip(KFold(2).split(X), result.estimators, strict=True):
        held = set(train[fitted.validation_rows_])
        learned = set(fitted.estimator_[0].fitted_on_)
        assert not held & learned
        assert held | learned == set(train)
        assert not learned & set(test)
        scale = fitted.estimator_[1]
        np.testing.assert_allclose(scale.mean_, X[sorted(learned)].mean(axis=0))
        assert type(fitted.estimator_[-1]) is type(booster)
        assert set(fitted.predict(numbered[test])) <= {"ill", "well"}
    told = "transformed as fitted on the others; no test row took part."
    assert result.notes[0].endswith(told)


def test_the_pipeline_is_the_booster_on_transformed_rows(booster):
    """By hand: split, transform, stop; and refitted on all rows with the rounds found."""
    pipeline = make_pipeline(QuantileTransformer(n_quantiles=20), booster)
    options = {"metric": "average_precision", "rounds": 3, "pos_label": "ill"}
    model = EarlyStoppingClassifier(pipeline, random_state=0, **options)
    model.fit(X, NAMED, sample_weight=WEIGHT)
    held = model.validation_rows_
    rest = np.setdiff1d(np.arange(240), held)
    scaler = QuantileTransformer(n_quantiles=20).fit(X[rest])
    split = PredefinedSplit(np.isin(np.arange(240), held) - 1)
    alone = EarlyStoppingClassifier(booster, validation=split, **options).fit(
        scaler.transform(X), NAMED, sample_weight=WEIGHT
    )
    assert alone.n_rounds_ == model.n_rounds_
    np.testing.assert_allclose(
        model.predict_proba(X), alone.predict_proba(scaler.transform(X)), atol=1e-6
    )
    again = clone(model).set_params(refit=True).fit(X, NAMED, sample_weight=WEIGHT)
    assert again.n_rounds_ == model.n_rounds_
    whole = QuantileTransformer(n_quantiles=20).fit(X)
    np.testing.assert_allclose(again.estimator_[0].quantiles_, whole.quantiles_)
    single = EarlyStoppingClassifier(make_pipeline(booster), rounds=3, random_state=0).fit(X, NAMED)
    plain = EarlyStoppingClassifier(booster, rounds=3, random_state=0).fit(X, NAMED)
    np.testing.assert_allclose(single.predict_proba(X), plain.predict_proba(X), atol=1e-6)


def test_bad_options(booster):
    with pytest.raises(TypeError, match=r"pipeline.* found LogisticRegression"):
        EarlyStoppingClassifier(LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match=r"rounds .*>= 1"):
        EarlyStoppingClassifier(booster, rounds=0).fit(X, Y)
    with pytest.raises(ValueError, match="validation"):
        EarlyStoppingClassifier(booster, validation=1.5).fit(X, Y)
    with pytest.raises(TypeError, match=r"validation .*share or a splitter"):
        EarlyStoppingClassifier(booster, validation="half").fit(X, Y)
    few = np.r_[0:60, 180:240]  # KFold learns from the second half, of one class
    order = np.argsort(Y, kind="stable")[few]
    with pytest.raises(ValueError, match=r"lack the classes \['ill'\]"):
        EarlyStoppingClassifier(booster, validation=KFold(2)).fit(X[order], NAMED[order])


# Rows drawn into the part that is held back differ between a row of weight 2 and two rows.
DRAWN = [
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks():
    lightgbm = pytest.importorskip("lightgbm")
    booster = lightgbm.LGBMClassifier(n_estimators=5, verbose=-1, n_jobs=1, min_child_samples=1)
    model = EarlyStoppingClassifier(booster, random_state=0)
    found = check_estimator(model, on_fail=None, on_skip=None)
    failed = {check["check_name"] for check in found if check["status"] == "failed"}
    assert failed <= set(DRAWN)
    assert sum(check["status"] == "passed" for check in found) > 40
