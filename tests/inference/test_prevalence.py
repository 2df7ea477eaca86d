"""Metrics at another prevalence: by Bayes' rule, and by weights."""

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx import inference
from skaucx.evaluation import evaluate
from skaucx.inference import posterior_probability, prevalence_weights, probabilities_at_prevalence
from skaucx.metrics import Counts
from skaucx.metrics._registry.declare import METRICS
from tests.datasets import binary, words
from tests.metrics.needed import NEEDED

COUNTS = Counts(*map(np.asarray, (90.0, 20.0, 10.0, 180.0)))
COUNTED = [row for row in sm.list_metrics() if row.kind.counted]


@pytest.mark.parametrize("name", [row.name for row in COUNTED if "reads_size" not in row.traits])
def test_one_value_by_weights_by_counts_and_by_rates(name):
    y, pred = (np.repeat(each, [90, 20, 10, 180]) for each in ([1, 0, 1, 0], [1, 1, 0, 0]))
    options = NEEDED.get(name, {}) | {"zero_division": np.nan}
    by_weights = METRICS[name](y, pred, sample_weight=prevalence_weights(y, 0.07), **options)
    by_counts = METRICS[name].from_counts(COUNTS.at_prevalence(0.07), **options)
    rates = {"sensitivity": 0.9, "specificity": 0.9, "prevalence": 0.07}
    by_rates = METRICS[name].from_counts(Counts.from_rates(**rates, n=300), **options)
    np.testing.assert_allclose([by_counts, by_rates], by_weights, rtol=1e-10)


def test_the_parameter_prevalence_is_bayes_rule():
    named = [row for row in COUNTED if "prevalence" in row.parameters]
    assert {"precision", "npv", "net_benefit"} <= {row.name for row in named}
    counts = Counts(*map(np.asarray, (90.0, 30.0, 10.0, 170.0)))  # unlike errors of the classes
    for row in named:
        function, options = METRICS[row.name], NEEDED.get(row.name, {})
        found = function.from_counts(counts, **options, prevalence=0.07)
        wanted = function.from_counts(counts.at_prevalence(0.07), **options)
        assert found == pytest.approx(wanted, rel=1e-12), row.name


def test_weights_have_the_prevalence_and_the_sum_of_the_rows():
    y, score, few = words.y, words.score, {"n_resamples": 50, "random_state": 0}
    weight = prevalence_weights(y, 0.05, pos_label="ill")
    assert weight.sum() == pytest.approx(60)
    found = sm.prevalence(y, y, sample_weight=weight, pos_label="ill")
    assert found == pytest.approx(0.05)
    given = {"pos_label": "ill", "sample_weight": np.full(60, 2.0)}
    np.testing.assert_allclose(prevalence_weights(y, 0.05, **given), 2 * weight)
    given = {"pos_label": "ill", "sample_weight": weight}
    band = inference.precision_recall_band(y, score, recall=[0.5, 1], **given, **few)
    assert (band.low <= band.precision).all()
    assert band.precision[1] < 0.2


def test_curves_at_a_prevalence_are_those_of_the_weights():
    y, score = binary.y, binary.score
    weight = prevalence_weights(y, 0.05)
    plain = sm.precision_recall_curve(y, score)
    curve = sm.precision_recall_curve(y, score, sample_weight=weight)
    counts = plain.threshold_counts[1:]
    bayes = sm.precision_score.from_counts(counts, prevalence=0.05)[::-1]
    np.testing.assert_allclose(curve.precision[:-1], bayes, rtol=1e-10)
    np.testing.assert_allclose(curve.recall, plain.recall, rtol=1e-10)
    assert curve.prevalence == pytest.approx(0.05)


def test_from_prior_to_posterior():
    for prior in (0.01, 0.3):
        table = COUNTS.at_prevalence(prior)
        for ratio, after in (
            (sm.positive_likelihood_ratio, sm.precision_score),
            (sm.negative_likelihood_ratio, sm.false_omission_rate),
        ):
            found = posterior_probability(prior, ratio.from_counts(COUNTS))
            assert found == pytest.approx(after.from_counts(table))
    found = posterior_probability([0.2, 0.2, 1, 0], [np.inf, 0, 3, 3])
    assert found.tolist() == [1, 0, 1, 0]
    assert np.isnan(posterior_probability(0, np.inf))
    assert posterior_probability(1e-300, 1e300) == pytest.approx(0.5)


def test_probabilities_move_to_another_prevalence():
    """Saerens, Latinne and Decaestecker 2002, equation 2.4; of two classes Elkan 2001, theorem 2."""
    p = np.array([0.0, 0.1, 0.5, 0.9, 1.0])
    moved = probabilities_at_prevalence(p, 0.02, training_prevalence=0.4)
    expected = p * 0.02 * 0.6 / (p * 0.02 * 0.6 + (1 - p) * 0.98 * 0.4)
    np.testing.assert_allclose(moved, expected, rtol=1e-12)
    back = probabilities_at_prevalence(moved, 0.4, training_prevalence=0.02)
    np.testing.assert_allclose(back, p, rtol=1e-9)


Y = np.repeat([1, 0], 60)
P = 1 / (1 + np.exp(1 - 2 * Y - 1.2 * np.random.default_rng(0).normal(size=120)))
CALLED = (P >= 0.5) * 1


@pytest.mark.parametrize(
    ("y", "own"), [(Y, {}), (np.array(["well", "ill"])[Y], {"pos_label": "ill"})]
)
def test_metrics_at_another_prevalence_in_one_call(y, own):
    metrics = ["precision", "accuracy", "recall", "roc_auc", "brier_score_loss"]
    asked = {"prevalence": 0.1, "threshold": 0.2, "intervals": True, "random_state": 0}
    found = evaluate(y, None, P, metrics, **asked, **own)
    moved = probabilities_at_prevalence(P, 0.1, training_prevalence=0.5)
    weight = prevalence_weights(Y, 0.1)
    plain = evaluate(Y, (moved >= 0.2) * 1, moved, metrics, sample_weight=weight)
    assert list(found.values()) == pytest.approx(list(plain.values()), rel=1e-12)
    assert "At prevalence 0.1; probabilities corrected from 0.5" in " ".join(str(found).split())
    assert all(each.low < each.high for each in found.intervals.values())
    wanted = evaluate(Y, CALLED, metrics="accuracy", sample_weight=weight)
    assert dict(evaluate(Y, CALLED, metrics="accuracy", prevalence=0.1)) == dict(wanted)
