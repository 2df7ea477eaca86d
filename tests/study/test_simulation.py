"""The simulations: exact expectations where there are any, laws of large numbers elsewhere."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.metrics import roc_auc_score

from skaucx.study import _simulation as module
from skaucx.study import simulate_bias, simulate_folds, simulate_selection

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
    flat, steep = (
        simulate_bias(2, repetitions=5, random_state=0, measures=["soft_auc"], beta=beta)
        for beta in (1, 7)
    )
    assert steep.mean["soft_auc"] > flat.mean["soft_auc"]
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
    result = simulate_selection([20, 40, 400], **options)
    assert (result.right["roc_auc"] > 1 / 3).all()
    assert result.right["roc_auc"][2] > result.right["roc_auc"][1] + 0.1
    clean = simulate_selection([20, 40], flipped=0.0, **options).right
    assert clean["roc_auc"][1] > result.right["roc_auc"][1]
    assert str(result).splitlines()[1].split() == ["instances", "20", "40", "400"]
    assert simulate_selection([20, 40, 400], **options).to_frame().equals(result.to_frame())


def test_ties_are_drawn_for():
    values = np.array([[1.0, 1.0 - 1e-13, 0.5], [0.2, 0.3, 0.1], [0.5, 0.5, 0.5]])
    found = module._share_right(values, np.array([1, 0, 2]))
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
    ],
)
def test_bad_requests(study, options, message):
    with pytest.raises(ValueError, match=message):
        study(**options)
