"""Early stopping by a part of the training rows only."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, KFold
from sklearn.utils.estimator_checks import check_estimator

from skaucx.integrations import EarlyStoppingClassifier
from skaucx.metrics import log_loss
from skaucx.model_selection import nested_cross_validate

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


@pytest.fixture(params=ESTIMATORS)
def booster(request):
    name, options = ESTIMATORS[request.param]
    return getattr(pytest.importorskip(request.param), name)(**options)


def test_rounds_are_the_best_on_the_rows_held_back(booster):
    model = EarlyStoppingClassifier(booster, rounds=5, random_state=0).fit(X, NAMED)
    held = model.validation_rows_
    assert len(held) == 48
    fitted = model.estimator_
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
        groups=GROUPS, final=None, error_score="raise",
    )  # fmt: skip
    for rows, held in seen:
        assert set(held) <= set(rows)
        assert not set(GROUPS[held]) & set(GROUPS[np.setdiff1d(rows, held)])
    assert result.notes == (
        "Every fit stopped early by log_loss on 20% of its training rows; no test row took part.",
        f"{len(set(GROUPS))} groups of rows; no outer fold tests on a group that it trains on.",
    )
    assert "no test row took part" in " ".join(result.summary().split())


def test_bad_options(booster):
    with pytest.raises(TypeError, match="XGBoost, LightGBM or CatBoost, found LogisticRegression"):
        EarlyStoppingClassifier(LogisticRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="rounds must be a whole number >= 1"):
        EarlyStoppingClassifier(booster, rounds=0).fit(X, Y)
    with pytest.raises(ValueError, match="validation"):
        EarlyStoppingClassifier(booster, validation=1.5).fit(X, Y)
    with pytest.raises(TypeError, match="validation must be a share or a splitter"):
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
