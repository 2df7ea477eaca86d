"""Choices among models of real data: against choices made by hand, and laws they obey."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import make_classification
from sklearn.linear_model import Perceptron
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import mm7_auc_score
from skaucx.study import SelectionRegret, measure_regret, measure_values
from skaucx.study import _regret as module
from tests.closeness import rounding

X, Y = make_classification(200, 6, n_informative=3, flip_y=0.2, random_state=0)
PROBLEM = {"made": (X, Y)}
FAST = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3)}


@pytest.fixture(scope="module")
def result():
    noise = np.random.default_rng(0).random((90, 5)), np.arange(90) % 3 == 0
    return measure_regret({**PROBLEM, "noise": noise}, learners=FAST, repetitions=6, random_state=1)


@pytest.mark.parametrize(
    ("value", "auc", "expected"),
    [
        ([0.3, 0.9, 0.5], [0.7, 0.6, 0.8], 0.2),
        ([0.3, 0.5, 0.9], [0.7, 0.6, 0.8], 0),
        ([0.9, 0.9 - 1e-13, 0.5], [0.7, 0.6, 0.8], 0.15),
        ([0.5, 0.5, 0.5], [0.7, 0.6, 0.8], 0.1),
        ([[0.1, 0.2], [0.2, 0.1]], [[0.5, 0.6], [0.5, 0.9]], [0, 0.4]),
    ],
)
def test_regret_by_hand(value, auc, expected):
    assert module.regret(np.array(value), np.array(auc)) == pytest.approx(expected, abs=rounding(3))


def test_a_choice_by_hand():
    y, seed = Y.astype(bool), 7
    found = module.regret_of_choice(
        "made", X, y, seed, FAST, n_models=4, n_removed=2, sizes=(0.5, 0.2), values_of=measure_values,
        measures="all",
    )  # fmt: skip
    generator = np.random.RandomState(seed)
    train, validation, test = module._parts("made", y, 0.5, 0.2, generator)
    order = [np.argsort(row) for row in generator.uniform(size=(4, 6))]
    subsets = [sorted(columns[2:]) for columns in order]
    judged = []
    for learner in (GaussianNB(), DecisionTreeClassifier(max_depth=3)):
        for columns in subsets:
            if isinstance(learner, DecisionTreeClassifier):
                learner.set_params(random_state=generator.randint(2**31 - 1))
            model = learner.fit(X[train][:, columns], Y[train])
            on_validation, on_test = (
                model.predict_proba(X[part][:, columns])[:, 1] for part in (validation, test)
            )
            measures = (roc_auc_score, mm7_auc_score)
            values = [measure(Y[validation], on_validation) for measure in measures]
            judged.append((*values, roc_auc_score(Y[test], on_test)))
    for place, name in enumerate(["roc_auc", "mm7_auc"]):
        for pool, models in enumerate([judged[:4], judged[4:], judged]):
            best = max(model[2] for model in models)
            top = max(model[place] for model in models)
            chosen = [model[2] for model in models if model[place] > top - 1e-12]
            assert found[name][pool] == pytest.approx(best - np.mean(chosen), abs=1e-12)


def test_parts():
    y = Y.astype(bool)
    parts = module._parts("made", y, 0.5, 0.2, np.random.RandomState(0))
    assert [len(part) for part in parts] == [100, 40, 60]
    assert sorted(np.concatenate(parts)) == list(range(200))
    for part in parts:
        assert Y[part].mean() == pytest.approx(Y.mean(), abs=0.02)


def test_settings(result):
    assert (result.problems, result.pools) == (("made", "noise"), ("bayes", "tree", "all"))
    assert result.repetitions == 6
    for regret in [*result.regret.values(), result.chance]:
        assert regret.shape == (2, 3, 6)
        assert (regret >= 0).all()
    assert (result.regret["gini"] == result.regret["roc_auc"]).all()
    assert result.regret["mm11_auc"] == pytest.approx(result.regret["prob_auc"])
    assert (result.regret["mm7_auc"] != result.regret["roc_auc"]).any()
    # Choosing beats drawing where there is something to choose by.
    assert result.regret["roc_auc"][0, 2].mean() < result.chance[0, 2].mean()
    with pytest.raises(ValueError, match=r"pool .*'bayes', 'tree', 'all', found 'x'"):
        result.excess("x")


def test_seeds_jobs_and_parameters():
    options = {"learners": FAST, "repetitions": 3, "random_state": 4, "measures": "mm7_auc"}
    plain = measure_regret(PROBLEM, **options)
    assert list(plain.regret) == ["roc_auc", "mm7_auc"]  # the plain AUC comes along
    with parallel_config("threading"):
        other = measure_regret(PROBLEM, n_jobs=2, **options)
    assert (other.regret["mm7_auc"] == plain.regret["mm7_auc"]).all()
    another = measure_regret(PROBLEM, **{**options, "random_state": 5})
    assert (another.regret["mm7_auc"] != plain.regret["mm7_auc"]).any()
    options |= {"learners": {"bayes": GaussianNB()}, "measures": ["soft_auc", "auc"]}
    flat, steep = (measure_regret(PROBLEM, beta=beta, **options) for beta in (0.01, 1e9))
    assert steep.pools == ("bayes",)
    assert steep.regret["soft_auc"] == pytest.approx(steep.regret["roc_auc"])
    assert (flat.regret["soft_auc"] != steep.regret["soft_auc"]).any()


def test_excess():
    auc = np.array([[[0.1, 0.2, 0.0]], [[0.3, 0.3, 0.3]]])
    other = np.array([[[0.0, 0.3, 0.1]], [[0.3 - 1e-13, 0.3 + 1e-13, 0.0]]])
    made = SelectionRegret(("a", "b"), ("all",), {"roc_auc": auc, "mm7_auc": other}, auc + 0.1)
    assert made.excess()["roc_auc"] == (0, 0)
    mean, error = made.excess()["mm7_auc"]
    differences = [-0.05, 0.05, -0.1]  # means over the problems
    assert mean == pytest.approx(np.mean(differences))
    assert error == pytest.approx(np.std(differences, ddof=1) / np.sqrt(3))
    lines = [line.split() for line in str(made).splitlines()]
    assert ["all", "mm7_auc", "0.1667", "-0.0333", "0.0441"] in lines
    assert ["all", "chance", "0.3000", "0.1000"] in [line[:4] for line in lines]
    assert made.to_frame().loc[("all", "mm7_auc"), "excess"] == pytest.approx(mean)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"problems": {}}, "problems is empty"),
        ({"problems": {"mine": (X[:, :3], Y)}}, "'mine' has 3 features, of which n_removed=3"),
        ({"problems": {"mine": (X[:12], np.arange(12) == 0)}}, "Problem 'mine' cannot be split"),
        ({"problems": {"mine": (X[:60], np.arange(60) < 4)}}, "part of problem 'mine' lacks a class"),
        ({"problems": {"mine": (X[:3], [0, 1])}}, "y of 'mine'"),
        ({"problems": {"mine": (X[:3, 0], [0, 1, 1])}}, "X of 'mine' must be a matrix, found"),
        ({"learners": {}}, "learners is empty"),
        ({"learners": {"all": GaussianNB()}}, "'all' in learners names those of all learners"),
        ({"n_models": 1}, "n_models must be a whole number >= 2"),
        ({"repetitions": 1}, "repetitions must be a whole number >= 2"),
        ({"validation_size": 1}, "validation_size must be a finite number in"),
        ({"validation_size": 0.5}, "Problem 'made' cannot be split"),
    ],
)  # fmt: skip
def test_bad_requests(options, message):
    with pytest.raises(ValueError, match=message):
        measure_regret(**{"problems": PROBLEM, "repetitions": 2, "random_state": 0, **options})


def test_learners_must_predict_probabilities():
    with pytest.raises(TypeError, match=r"'p' .*predict_proba, found Perceptron"):
        measure_regret(PROBLEM, learners={"p": Perceptron()})
