"""Simulations and choices: exact expectations, laws of large numbers, choices made by hand."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from scipy import integrate, stats
from sklearn.datasets import make_classification
from sklearn.linear_model import Perceptron
from sklearn.metrics import roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import mm7_auc_score
from skaucx.study import (
    SelectionRegret,
    _regret,
    _simulation,
    measure_regret,
    measure_values,
    simulate_bias,
    simulate_folds,
    simulate_selection,
)
from tests.closeness import rounding

ALPHAS = [1.0, 3.0, 6.0]
X, Y = make_classification(200, 6, n_informative=3, flip_y=0.2, random_state=0)
PROBLEM = {"made": (X, Y)}
FAST = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3)}


@pytest.fixture(scope="module")
def bias():
    return simulate_bias(ALPHAS, repetitions=2000, random_state=0)


def density(alpha):
    return lambda d: alpha * np.exp(-alpha * d) / -np.expm1(-alpha)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 5.0, 50.0])
def test_true_auc_is_the_integral(alpha):
    f = density(alpha)
    area, _ = integrate.dblquad(lambda n, p: f(1 - p) * f(n), 0, 1, 0, lambda p: p)
    assert _simulation.true_auc_of_densities(np.array(alpha)) == pytest.approx(area, abs=1e-8)


def test_the_auc_and_the_mean_difference_have_their_expectations_and_variances(bias):
    error = np.sqrt(bias.variance["roc_auc"] / 2000)
    assert (abs(bias.bias["roc_auc"]) < 4 * error).all()
    for place, alpha in enumerate(ALPHAS):
        f, law = density(alpha), stats.truncexpon(b=alpha, scale=1 / alpha)
        auc = bias.true_auc[place]
        # Hanley & McNeil: from the chances that one score beats two of the other class.
        both = integrate.quad(lambda d, f=f, law=law: f(d) * law.cdf(1 - d) ** 2, 0, 1)[0]
        variance = (auc * (1 - auc) + 2 * 49 * (both - auc**2)) / 2500
        assert bias.variance["roc_auc"][place] == pytest.approx(variance, rel=0.15)
        assert bias.mean["mm11_auc"][place] == pytest.approx(1 - 2 * law.mean(), abs=0.006)
        assert bias.variance["mm11_auc"][place] == pytest.approx(2 * law.var() / 50, rel=0.15)


def test_seed_common_random_numbers_and_parameters(bias):
    options = {"repetitions": 2000, "measures": "mm7_auc"}
    again = simulate_bias(ALPHAS[1:2], random_state=0, **options)
    assert list(again.mean) == ["mm7_auc"]
    assert again.mean["mm7_auc"][0] == bias.mean["mm7_auc"][1]
    assert simulate_bias(3.0, random_state=1, **options).mean["mm7_auc"] != again.mean["mm7_auc"]
    given = {"repetitions": 5, "random_state": 0, "measures": ["soft_auc"]}
    flat, steep = (simulate_bias(2, beta=beta, **given) for beta in (1, 7))
    assert steep.mean["soft_auc"] > flat.mean["soft_auc"]
    assert str(bias).splitlines()[1].split() == ["alpha", "1", "3", "6"]
    frame = bias.to_frame()
    assert frame.loc["mm7_auc, bias", "3"] == bias.bias["mm7_auc"][1]
    assert frame.loc["mm7_auc, sd", "3"] == bias.variance["mm7_auc"][1] ** 0.5


def test_models_are_scored_on_the_same_instances_with_their_true_aucs():
    generator = np.random.RandomState(0)
    coefficients = _simulation._coefficients(generator, (4, 10, 3), 0.5, 4.0)
    assert np.linalg.norm(coefficients[:, :, 0], axis=1) == pytest.approx(4)
    relative = np.linalg.norm(coefficients[:, :, 1:] - coefficients[:, :, :1], axis=1) / 4
    assert relative.mean() == pytest.approx(0.5, abs=0.1)
    sets = list(_simulation._scored_instances(generator, coefficients, 20_000, 0.1))
    assert len(sets) == 12
    cosine = _simulation._alignment(coefficients).ravel()
    for (truth, score), angle in zip(sets, cosine, strict=True):
        # Points in the half-plane of w against the half-plane of m, at the angle between them.
        clean = stats.multivariate_normal([0, 0], [[1, angle], [angle, 1]]).cdf([0, 0]) * 2
        agreement = (truth == (score > 0.5)).mean()
        assert agreement == pytest.approx(0.9 * clean + 0.1 * (1 - clean), abs=0.015)
    for start in range(0, 12, 3):
        assert (sets[start][0] == sets[start + 2][0]).all()
    aucs = np.array([roc_auc_score(truth, score) for truth, score in sets])
    assert np.corrcoef(aucs, cosine)[0, 1] > 0.95


def test_more_instances_and_fewer_switches_choose_better():
    options = {"repetitions": 300, "measures": ["roc_auc", "mm1_auc"], "random_state": 0}
    result = simulate_selection([20, 40, 400], **options)
    assert (result.right["roc_auc"] > 1 / 3).all()
    assert result.right["roc_auc"][2] > result.right["roc_auc"][1] + 0.1
    clean = simulate_selection([20, 40], flipped=0.0, **options).right
    assert clean["roc_auc"][1] > result.right["roc_auc"][1]
    assert str(result).splitlines()[1].split() == ["instances", "20", "40", "400"]
    assert simulate_selection([20, 40, 400], **options).to_frame().equals(result.to_frame())


def test_ties_are_drawn_for():
    values = np.array([[1.0, 1.0 - 1e-13, 0.5], [0.2, 0.3, 0.1], [0.5, 0.5, 0.5]])
    found = _simulation._share_right(values, np.array([1, 0, 2]))
    assert found == pytest.approx((1 / 2 + 0 + 1 / 3) / 3)


def test_folds_and_their_bias():
    found = simulate_folds([2, 20], repetitions=60, random_state=0)
    assert found.bias[0] < found.bias[1] - 0.01  # half of the rows train the worse models
    spread = (found.estimates - found.truth).var(axis=1)
    assert found.error**2 == pytest.approx(found.bias**2 + spread)
    assert found.variance == pytest.approx(found.estimates.var(axis=1, ddof=1))
    assert 0.75 < found.truth.mean() < 0.8413  # the best rule of all: Phi(1)
    assert found.to_frame().index.tolist() == [2, 20]
    assert "60 samples" in str(found)


def test_regret_by_hand():
    three, two = [0.7, 0.6, 0.8], [[0.5, 0.6], [0.5, 0.9]]
    for value, auc, expected in (
        ([0.3, 0.9, 0.5], three, 0.2),
        ([0.3, 0.5, 0.9], three, 0),
        ([0.9, 0.9 - 1e-13, 0.5], three, 0.15),
        ([0.5, 0.5, 0.5], three, 0.1),
        ([[0.1, 0.2], [0.2, 0.1]], two, [0, 0.4]),
    ):
        found = _regret.regret(np.array(value), np.array(auc))
        assert found == pytest.approx(expected, abs=rounding(3))


def test_a_choice_by_hand():
    y, seed = Y.astype(bool), 7
    found = _regret.regret_of_choice(
        "made", X, y, seed, FAST, n_models=4, n_removed=2, sizes=(0.5, 0.2), values_of=measure_values,
        measures="all",
    )  # fmt: skip
    generator = np.random.RandomState(seed)
    train, validation, test = parts = _regret._parts("made", y, 0.5, 0.2, generator)
    assert [len(part) for part in parts] == [100, 40, 60]
    assert sorted(np.concatenate(parts)) == list(range(200))
    assert [Y[part].mean() for part in parts] == pytest.approx([Y.mean()] * 3, abs=0.02)
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


def test_settings():
    noise = np.random.default_rng(0).random((90, 5)), np.arange(90) % 3 == 0
    problems = {**PROBLEM, "noise": noise}
    result = measure_regret(problems, learners=FAST, repetitions=6, random_state=1)
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


def regret_of(**changed):
    given = {"problems": PROBLEM, "repetitions": 2, "random_state": 0}
    return measure_regret(**given | changed)


@pytest.mark.parametrize(
    ("study", "options", "message"),
    [
        (simulate_bias, {"alphas": [1, 0]}, "alphas must be finite numbers > 0"),
        (simulate_bias, {"repetitions": 1}, "repetitions must be a whole number >= 2, found 1"),
        (simulate_bias, {"n_negatives": 0}, "n_negatives must be a whole number >= 1"),
        (simulate_selection, {"sizes": [19]}, "sizes must be a whole number >= 20, found 19"),
        (simulate_selection, {"sizes": []}, "sizes is empty"),
        (simulate_selection, {"noise": 0}, "noise must be a finite number"),
        (simulate_selection, {"flipped": 0.5}, "flipped must be a finite number"),
        (simulate_folds, {"folds": [30]}, "folds must be numbers up to n_samples=20"),
        (regret_of, {"problems": {}}, "problems is empty"),
        (regret_of, {"problems": {"mine": (X[:, :3], Y)}},
         "'mine' has 3 features, of which n_removed=3"),
        (regret_of, {"problems": {"mine": (X[:12], np.arange(12) == 0)}},
         "Problem 'mine' cannot be split"),
        (regret_of, {"problems": {"mine": (X[:60], np.arange(60) < 4)}},
         "part of problem 'mine' lacks a class"),
        (regret_of, {"problems": {"mine": (X[:3], [0, 1])}}, "y of 'mine'"),
        (regret_of, {"problems": {"mine": (X[:3, 0], [0, 1, 1])}},
         "X of 'mine' must be a matrix, found"),
        (regret_of, {"learners": {}}, "learners is empty"),
        (regret_of, {"learners": {"all": GaussianNB()}},
         "'all' in learners names those of all learners"),
        (regret_of, {"n_models": 1}, "n_models must be a whole number >= 2"),
        (regret_of, {"repetitions": 1}, "repetitions must be a whole number >= 2"),
        (regret_of, {"validation_size": 1}, "validation_size must be a finite number in"),
        (regret_of, {"validation_size": 0.5}, "Problem 'made' cannot be split"),
    ],
)  # fmt: skip
def test_bad_requests(study, options, message):
    with pytest.raises(ValueError, match=message):
        study(**options)


def test_learners_must_predict_probabilities():
    with pytest.raises(TypeError, match=r"'p' .*predict_proba, found Perceptron"):
        measure_regret(PROBLEM, learners={"p": Perceptron()})
