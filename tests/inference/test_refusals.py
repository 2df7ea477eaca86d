"""What intervals, bands, tests and plans refuse: an error that names the argument and what to do."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from skaucx.evaluation import evaluate
from skaucx.inference import (
    delong_test,
    example_losses,
    interval,
    intervals,
    jackknife,
    mcnemar_test,
    paired_test,
    permutation_test,
    placement_values,
    posterior_probability,
    prevalence_weights,
    probabilities_at_prevalence,
    rate_sample_size,
    roc_auc_sample_size,
    roc_band,
    soft_auc_gradient,
)
from skaucx.metrics import Counts
from tests.datasets import binary, classes, words

Y, S, P, W = binary.y, binary.score, binary.pred, binary.weight
SCORES, LABELS = (Y, S, binary.other), (Y, P, binary.other_pred)
GROUPS, COUNTS, TABLE = binary.groups, Counts(9.0, 2.0, 1.0, 8.0), [[8, 2], [1, 9]]


def zero(y_true, y_pred):
    return 0.0


def moved(score, new, old):
    return probabilities_at_prevalence(score, new, training_prevalence=old)


def of_auc(auc=0.7, **options):
    return roc_auc_sample_size(auc, **options)


@pytest.mark.parametrize(
    ("says", "call"),
    [
        ("paired_test", lambda: delong_test(*SCORES, metric="mm7_auc")),
        ("paired_test", lambda: delong_test(*SCORES, max_fpr=0.2)),
        ("paired_test", lambda: delong_test(*SCORES, metric="scor_auc", rescale="minmax")),
        ("mean over pairs", lambda: delong_test(*SCORES, metric="f1")),
        ("roc_auc", lambda: delong_test(*SCORES, metric="rocauk")),
        ("confidence_level", lambda: delong_test(*SCORES, confidence_level=1.5)),
        ("alternative", lambda: delong_test(*SCORES, alternative="both")),
        ("inconsistent", lambda: delong_test(*SCORES, y_true_b=Y[:5])),
        ("margin needs alternative=", lambda: delong_test(*SCORES, margin=0.1)),
        (r"\[0, 1\]", lambda: delong_test(Y, 3 * S, S, metric="prob_auc")),
        ("two classes", lambda: delong_test(np.arange(60) % 3, S, S)),
        ("method must be one of", lambda: mcnemar_test(*LABELS, method="chi2")),
        ("alternative must be one of", lambda: mcnemar_test(*LABELS, alternative="larger")),
        *(
            ("method must be", lambda method=method: paired_test("ks", *SCORES, method=method))
            for method in ("delong", "influence", "t")
        ),
        ("n_resamples", lambda: permutation_test("roc_auc", Y, S, n_resamples=1)),
        ("counts represent all rows", lambda: interval("recall", Y, counts=TABLE)),
        ("whole numbers", lambda: interval("recall", counts=np.array(TABLE) / 3)),
        ("needs scores", lambda: interval("roc_auc", counts=TABLE)),
        ("K x K", lambda: interval("recall", counts=TABLE[:1])),
        ("sample_weight needs a metric", lambda: interval(roc_auc_score, Y, S, sample_weight=W)),
        ("mixes plain functions", lambda: intervals(["roc_auc", roc_auc_score], Y, S)),
        ("method must be one of", lambda: interval("recall", Y, P, method="exact")),
        ("method must be one of", lambda: interval("recall", Y, P, method="wilson", groups=GROUPS)),
        ("confidence_level must be", lambda: interval("recall", Y, P, confidence_level=1.0)),
        ("n_resamples must be", lambda: interval("recall", Y, P, n_resamples=1)),
        ("frequency must be a vector of whole numbers",
         lambda: interval("recall", Y, P, frequency=W / 2)),
        ("sample_weight does not go",
         lambda: interval("recall", Y, P, frequency=W, sample_weight=W)),
        ("sample_weight needs a metric", lambda: jackknife(zero, Y, P, sample_weight=W)),
        ("fpr must be a vector of numbers in", lambda: roc_band(Y, S, fpr=[0.5, 2])),
        ("confidence_level must be", lambda: roc_band(Y, S, confidence_level=1)),
        ("simultaneous must be True or False", lambda: roc_band(Y, S, simultaneous="yes")),
        ("one-dimensional", lambda: roc_band(Y, np.column_stack([S, S]))),
        ("mm7_auc is no mean over pairs", lambda: placement_values(Y, S, metric="mm7_auc")),
        ("pos_label", lambda: placement_values(words.y, words.score)),
        ("roc_auc is no mean over examples", lambda: example_losses("roc_auc", Y, S)),
        ("both classes", lambda: soft_auc_gradient([1, 1], [0.1, 0.2])),
        ("beta must be", lambda: soft_auc_gradient(Y, S, beta=0)),
        ("one class only", lambda: prevalence_weights([1, 1, 1], 0.1)),
        ("pos_label", lambda: prevalence_weights(words.y, 0.1)),
        ("prior", lambda: posterior_probability(1.2, 1)),
        ("likelihood_ratio", lambda: posterior_probability(0.5, -1)),
        ("likelihood_ratio", lambda: posterior_probability(0.5, np.nan)),
        (r"prevalence must lie in \[0, 1\]", lambda: COUNTS.at_prevalence(2)),
        (r"must lie in \[0, 1\]", lambda: moved([1.2], 0.1, 0.5)),
        ("prevalence", lambda: moved([0.5], 0.0, 0.5)),
        ("training_prevalence", lambda: moved([0.5], 0.1, 1.0)),
        ("y_score must be one-dimensional", lambda: moved([[0.5, 0.5]], 0.5, 0.4)),
        ("threshold", lambda: evaluate(Y, y_score=S, prevalence=0.1, threshold=1.5)),
        ("leave out y_pred", lambda: evaluate(Y, P, S, prevalence=0.1)),
        ("prevalence cannot be combined with by", lambda: evaluate(Y, P, prevalence=0.1, by=Y)),
        ("auc must be", lambda: of_auc(1.0)),
        ("effect is 0", lambda: of_auc(0.5)),
        ("power", lambda: of_auc(power=1)),
        ("alpha", lambda: of_auc(alpha=0)),
        ("ratio", lambda: of_auc(ratio=0)),
        ("null", lambda: of_auc(null=2)),
        ("spread", lambda: of_auc(spread=0)),
        ("alternative", lambda: of_auc(alternative="greater")),
        ("half_width", lambda: of_auc(half_width=0)),
        ("One of null", lambda: of_auc(null=0.8, half_width=0.1)),
        ("One of null", lambda: rate_sample_size(0.9)),
        ("One of null", lambda: rate_sample_size(0.9, null=0.8, half_width=0.1)),
        ("of must be", lambda: rate_sample_size(0.9, null=0.8, of="both")),
    ],
)  # fmt: skip
def test_values_that_are_refused(says, call):
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize(
    ("says", "call"),
    [
        ("does not accept the parameter 'beta'", lambda: delong_test(*SCORES, beta=3)),
        ("metric must be a name.*found len", lambda: delong_test(*SCORES, metric=len)),
        ("found None", lambda: interval(None, Y, S)),
        ("cost", lambda: jackknife("expected_cost", Y, P)),
    ],
)
def test_types_that_are_refused(says, call):
    with pytest.raises(TypeError, match=says):
        call()


@pytest.mark.parametrize("method", ["bootstrap", "permutation"])
def test_paired_tests_by_resamples_refuse(method):
    three = classes.y, classes.pred, classes.pred
    for metric, rows, options, error, says in (
        ("f1", LABELS, {"n_resamples": 1}, ValueError, "n_resamples"),
        ("f1", LABELS, {"alternative": "unlike"}, ValueError, "alternative"),
        ("f1", three, {"average": None}, ValueError, "one number"),
        (3, LABELS, {}, TypeError, "metric must be a name"),
        (zero, LABELS, {"sample_weight": W}, ValueError, "plain function"),
    ):
        with pytest.raises(error, match=says):
            paired_test(metric, *rows, method=method, **options)
