"""The simulations: exact expectations where there are any, laws of large numbers elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.metrics import roc_auc_score

from skaucx.study import _simulation as module
from skaucx.study import simulate_bias, simulate_selection

ALPHAS = [1.0, 3.0, 6.0]


@pytest.fixture(scope="module")
def bias():
    return simulate_bias(ALPHAS, repetitions=2000, random_state=0)


def density(alpha):
    return lambda d: alpha * np.exp(-alpha * d) / -np.expm1(-alpha)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 5.0, 50.0])
def test_true_auc_is_the_integral(alpha):
    f = density(alpha)
    area, _ = integrate.dblquad(lambda n, p: f(1 - p) * f(n), 0, 1, 0, lambda p: p)
    assert module.true_auc_of_densities(np.array(alpha)) == pytest.approx(area, abs=1e-8)


def test_scores_have_the_density():
    truth = np.tile([True, False], (20_000, 1))
    uniform = np.random.default_rng(0).random(truth.shape)
    score = module._exponential_sets(truth, uniform, 3.0).groups[0].score
    law = stats.truncexpon(b=3.0, scale=1 / 3)
    assert stats.kstest(1 - score[:, 0], law.cdf).pvalue > 0.001
    assert stats.kstest(score[:, 1], law.cdf).pvalue > 0.001


def test_the_auc_has_no_bias_and_the_known_variance(bias):
    error = np.sqrt(bias.variance["roc_auc"] / 2000)
    assert (abs(bias.bias["roc_auc"]) < 4 * error).all()
    # Hanley & McNeil: from the chances that one score beats two of the other class.
    for place, alpha in enumerate(ALPHAS):
        f, law = density(alpha), stats.truncexpon(b=alpha, scale=1 / alpha)
        auc = bias.true_auc[place]
        both = integrate.quad(lambda d, f=f, law=law: f(d) * law.cdf(1 - d) ** 2, 0, 1)[0]
        variance = (auc * (1 - auc) + 2 * 49 * (both - auc**2)) / 2500
        assert bias.variance["roc_auc"][place] == pytest.approx(variance, rel=0.15)


def test_expectations_of_the_mean_difference(bias):
    for place, alpha in enumerate(ALPHAS):
        distance = stats.truncexpon(b=alpha, scale=1 / alpha).mean()
        assert bias.mean["mm11_auc"][place] == pytest.approx(1 - 2 * distance, abs=0.006)
        variance = 2 * stats.truncexpon(b=alpha, scale=1 / alpha).var() / 50
        assert bias.variance["mm11_auc"][place] == pytest.approx(variance, rel=0.15)


def test_seed_and_common_random_numbers(bias):
    again = simulate_bias(ALPHAS[1:2], repetitions=2000, random_state=0, measures="mm7_auc")
    assert list(again.mean) == ["mm7_auc"]
    assert again.mean["mm7_auc"][0] == bias.mean["mm7_auc"][1]
    other = simulate_bias(ALPHAS[1:2], repetitions=2000, random_state=1, measures="mm7_auc")
    assert again.mean["mm7_auc"][0] != other.mean["mm7_auc"][0]


def test_parameters_reach_the_measures():
    plain, other = (
        simulate_bias(2, repetitions=5, random_state=0, measures=["soft_auc"], beta=beta)
        for beta in (7, 1)
    )
    assert plain.mean["soft_auc"] > other.mean["soft_auc"]


def test_bias_is_written(bias):
    assert str(bias).splitlines()[1].split() == ["alpha", "1", "3", "6"]
    frame = bias.to_frame()
    assert frame.loc["mm7_auc, bias", "3"] == bias.bias["mm7_auc"][1]
    assert frame.loc["mm7_auc, sd", "3"] == bias.variance["mm7_auc"][1] ** 0.5


def test_models_are_scored_on_the_same_instances_with_their_true_aucs():
    generator = np.random.RandomState(0)
    coefficients = module._coefficients(generator, (4, 10, 3), 0.5, 4.0)
    assert np.linalg.norm(coefficients[:, :, 0], axis=1) == pytest.approx(4)
    relative = np.linalg.norm(coefficients[:, :, 1:] - coefficients[:, :, :1], axis=1) / 4
    assert relative.mean() == pytest.approx(0.5, abs=0.1)
    sets = list(module._scored_instances(generator, coefficients, 20_000, 0.1))
    assert len(sets) == 12
    cosine = module._alignment(coefficients).ravel()
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
    right = simulate_selection([40, 400], **options).right
    assert (right["roc_auc"] > 1 / 3).all()
    assert right["roc_auc"][1] > right["roc_auc"][0] + 0.1
    clean = simulate_selection([40], flipped=0.0, **options).right
    assert clean["roc_auc"][0] > right["roc_auc"][0]


def test_ties_are_drawn_for():
    values = np.array([[1.0, 1.0 - 1e-13, 0.5], [0.2, 0.3, 0.1], [0.5, 0.5, 0.5]])
    assert module._share_right(values, np.array([1, 0, 2])) == pytest.approx(
        (1 / 2 + 0 + 1 / 3) / 3
    )


def test_selection_is_written_and_seeded():
    options = {"repetitions": 5, "measures": "mm7_auc"}
    result = simulate_selection([40, 60], random_state=3, **options)
    assert str(result).splitlines()[1].split() == ["instances", "40", "60"]
    assert result.to_frame().loc["mm7_auc", "60"] == result.right["mm7_auc"][1]
    again = simulate_selection([40, 60], random_state=3, **options)
    assert again.to_frame().equals(result.to_frame())


@pytest.mark.parametrize(
    ("study", "options", "message"),
    [
        (simulate_bias, {"alphas": [1, 0]}, "alphas must be finite numbers > 0"),
        (simulate_bias, {"alphas": [np.inf]}, "alphas must be finite numbers > 0"),
        (simulate_bias, {"repetitions": 1}, "repetitions must be a whole number >= 2, found 1"),
        (simulate_bias, {"n_positives": 0}, "n_positives must be a whole number >= 1"),
        (simulate_bias, {"n_negatives": 0}, "n_negatives must be a whole number >= 1"),
        (simulate_bias, {"measures": ["f1"], "repetitions": 2}, "not a measure of score sets"),
        (simulate_selection, {"sizes": [19]}, "sizes must be a whole number >= 20, found 19"),
        (simulate_selection, {"sizes": []}, "sizes is empty"),
        (simulate_selection, {"n_models": 1}, "n_models must be a whole number >= 2"),
        (simulate_selection, {"noise": 0}, "noise must be a finite number"),
        (simulate_selection, {"flipped": 0.5}, "flipped must be a finite number"),
        (simulate_selection, {"steepness": -1}, "steepness must be a finite number"),
    ],
)
def test_bad_requests(study, options, message):
    with pytest.raises(ValueError, match=message):
        study(**options)


def test_halves_are_not_counts():
    with pytest.raises(TypeError, match=r"n_negatives .*>= 1, found 2\.5"):
        simulate_bias(n_negatives=2.5)
