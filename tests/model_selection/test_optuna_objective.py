"""The objective of an Optuna study is the mean score over folds."""

from __future__ import annotations

import pytest
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import optuna_objective

optuna = pytest.importorskip("optuna")

X, Y = make_classification(160, 6, n_informative=3, flip_y=0.1, random_state=0)
TREE = DecisionTreeClassifier(random_state=0)
SPACE = {
    "max_depth": optuna.distributions.IntDistribution(1, 8),
    "min_samples_leaf": optuna.distributions.IntDistribution(1, 40, log=True),
    "criterion": ["gini", "entropy"],
}


def test_an_objective_in_one_line():
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=2),
    )  # fmt: skip
    study.optimize(optuna_objective(TREE, SPACE, X, Y, scoring=["mcc", "neg_log_loss"]), n_trials=8)
    best = study.best_trial
    model = DecisionTreeClassifier(random_state=0, **best.params)
    values = cross_val_score(model, X, Y, scoring="matthews_corrcoef")
    assert best.value == best.user_attrs["mcc"] == pytest.approx(values.mean(), rel=1e-12)
    assert {"COMPLETE", "PRUNED"} == {trial.state.name for trial in study.trials}
