"""Bootstrap and permutation tests against SciPy, against chance, and replicate-by-replicate loops."""

from functools import partial

import numpy as np
import pytest
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import metrics as sm
from skaucx.inference import paired_test, permutation_test
from skaucx.inference._tests.paired import _p_value
from skaucx.inference._tests.paired_call import PairedCall
from skaucx.metrics._registry.names import metric_or_function
from skaucx.model_selection import corrected_resampled_t_test
from tests.datasets import binary, classes, labels

TRUE, SCORE_A, SCORE_B = OF_SCORES = binary.y, binary.score, binary.other
OF_LABELS = binary.y, binary.pred, binary.other_pred
OF_CLASSES = classes.y, classes.pred, classes.other_pred
bootstrap = partial(paired_test, method="bootstrap", random_state=0)
exchanges = partial(paired_test, method="permutation", random_state=0)


def test_exchanges_are_those_of_scipy():
    for (truth, a, b), metric, function in (
        (OF_LABELS, sm.f1_score, sm.f1_score),
        (OF_CLASSES, "f1_macro", partial(sm.f1_score, average="macro")),
        (OF_SCORES, sm.roc_auc_score, sm.roc_auc_score),
        (OF_LABELS, lambda t, p: np.mean(t == p), sm.accuracy_score),
    ):
        theirs = stats.permutation_test(
            (a, b), lambda x, y, t=truth, f=function: f(t, x) - f(t, y), permutation_type="samples",
            n_resamples=600, vectorized=False, random_state=np.random.default_rng(1),
        ).pvalue  # fmt: skip
        ours = exchanges(metric, truth, a, b, n_resamples=600)
        assert ours.p_value == pytest.approx(theirs, abs=0.09)


def test_exchanges_do_not_depend_on_a_classifiers_scale():
    few = {"n_resamples": 99}
    found = exchanges("roc_auc", *OF_SCORES, **few)
    assert exchanges("roc_auc", TRUE, 1000 * SCORE_A, SCORE_B**3, **few).p_value == found.p_value
    assert exchanges("scor_auc", *OF_SCORES, **few).p_value != found.p_value


@pytest.mark.parametrize(
    ("metric", "data", "options"),
    [
        ("f1", OF_LABELS, {}),
        ("npv", OF_LABELS, {"pos_label": 0}),
        ("mcc", OF_CLASSES, {}),
        ("f1", OF_CLASSES, {"average": "macro"}),
        ("recall", OF_CLASSES, {"average": "weighted", "labels": ["cat", "owl"]}),
        ("roc_auc", OF_SCORES, {}),
        ("mm7_auc", OF_SCORES, {}),
        ("soft_auc", OF_SCORES, {"beta": 3}),
        ("average_precision", OF_SCORES, {}),
        ("brier_score_loss", OF_SCORES, {}),
    ],
)
def test_replicates_are_values_of_the_metric(metric, data, options):
    """Bootstrap means and deviations against a loop over rows drawn by another generator."""
    truth, *both = data
    call = PairedCall(*metric_or_function(metric, options), truth, both)
    value, rng = partial(call.function, **options), np.random.default_rng(1)
    values = call.drawn(np.random.default_rng(0), 400)
    draws = [rng.choice(len(truth), len(truth)) for _ in range(300)]
    looped = np.array([[value(truth[rows], pred[rows]) for rows in draws] for pred in both])
    error = looped.std(axis=1, ddof=1)
    assert np.abs(values.mean(axis=1) - looped.mean(axis=1)) / error == pytest.approx(0, abs=0.3)
    assert values.std(axis=1, ddof=1) == pytest.approx(error, rel=0.25)
    assert np.corrcoef(values)[0, 1] == pytest.approx(np.corrcoef(looped)[0, 1], abs=0.2)
    assert call.estimates() == tuple(value(truth, pred) for pred in both)


def test_groups_are_drawn_together():
    pairs = [np.repeat(given, 2) for given in OF_LABELS]
    grouped = bootstrap("recall", *pairs, groups=np.arange(120) // 2).standard_error
    single = bootstrap("recall", *OF_LABELS).standard_error
    assert grouped == pytest.approx(single, rel=0.1)
    alone = bootstrap("recall", *pairs).standard_error
    assert alone == pytest.approx(single / np.sqrt(2), rel=0.1)


def test_multilabel_indicators():
    both = labels.pred, labels.other_pred
    found = bootstrap("f1", labels.y, *both, average="macro", n_resamples=20)
    shares = [sm.f1_score(labels.y, pred, average="macro") for pred in both]
    assert found.estimates == pytest.approx(shares)
    assert found.difference == pytest.approx(shares[0] - shares[1])


def test_undefined_replicates_are_left_out():
    truth = [1, 1, 1, 0, 0, 0, 0, 0]
    a, b = [1, 0, 1, 1, 0, 0, 1, 0], [1, 1, 0, 0, 1, 0, 1, 0]
    with pytest.warns(UndefinedMetricWarning, match="of 100 replicates, which are ignored"):
        found = bootstrap("dor", truth, a, b, n_resamples=100)
    assert np.isfinite(found.interval).all()
    with pytest.warns(UndefinedMetricWarning, match="of the difference have no variance"):
        found = bootstrap("accuracy", TRUE, TRUE, 1 - TRUE)
    assert np.isnan([found.statistic, *found.interval]).all()


def test_a_margin_shifts_resampled_tests():
    boot = {"n_resamples": 100, "alternative": "greater"}
    shifted = bootstrap("roc_auc", *OF_SCORES, margin=0.1, **boot)
    plain = bootstrap("roc_auc", *OF_SCORES, **boot)
    assert shifted.p_value < plain.p_value
    added = 0.1 / plain.standard_error
    assert shifted.statistic == pytest.approx(plain.statistic + added, rel=1e-12)
    folds = [0.8, 0.82, 0.79, 0.81], [0.8, 0.8, 0.81, 0.8]
    less = {"n_train": 90, "n_test": 30, "alternative": "less"}
    shifted = corrected_resampled_t_test(*folds, **less, margin=0.05)
    assert shifted.p_value < corrected_resampled_t_test(*folds, **less).p_value


def test_p_values_of_resampled_differences_count_the_observed_one():
    """Davison and Hinkley 1997, section 4.2.5: (1 + those as far) / (1 + all), twice for two sides."""
    drawn = np.array([-1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert _p_value(drawn, 0.0, "greater") == 2 / 8
    assert _p_value(drawn, 0.0, "less") == 7 / 8
    assert _p_value(drawn, 0.0, "two-sided") == 4 / 8
    assert _p_value(np.array([-1.0, 1.0]), 0.0, "two-sided") == 1
    assert _p_value(drawn, 1.0, "greater") == 3 / 8  # those at the shift are on both sides


Y = np.repeat([0, 1], [18, 12])
SCORE = np.random.default_rng(0).normal(size=30) + 0.8 * Y
CALLED = (SCORE > 0.4) * 1
chance = partial(permutation_test, n_resamples=3000, random_state=0)


def test_auc_against_chance_is_the_test_of_mann_and_whitney():
    found = chance("roc_auc", Y, SCORE)
    exact = stats.mannwhitneyu(SCORE[Y == 1], SCORE[Y == 0], alternative="greater", method="exact")
    assert found.p_value == pytest.approx(exact.pvalue, abs=0.01)
    less = chance("roc_auc", Y, SCORE, alternative="less")
    assert less.p_value == pytest.approx(1 - exact.pvalue, abs=0.01)
    assert found.estimates[1] == pytest.approx(0.5, abs=0.01)
    assert found.standard_error == pytest.approx(np.sqrt(31 / (12 * 18 * 12)), rel=0.05)
    both = chance("roc_auc", Y, SCORE, alternative="two-sided")
    assert found.p_value <= both.p_value < 0.01


def test_accuracy_against_chance_is_fishers_test():
    table = [[np.sum((i == Y) & (j == CALLED)) for j in (0, 1)] for i in (0, 1)]
    exact = stats.fisher_exact(table, "greater").pvalue
    assert chance("accuracy", Y, CALLED).p_value == pytest.approx(exact, abs=0.015)


@pytest.mark.parametrize(("metric", "given"), [("scor_auc", special.expit(SCORE)), ("f1", CALLED)])
def test_a_plain_function_has_the_same_law(metric, given):
    ours, function = chance(metric, Y, given), getattr(sm, f"{metric}_score")
    plain = permutation_test(lambda y, p: function(y, p), Y, given, n_resamples=400, random_state=1)
    assert plain.statistic == pytest.approx(ours.statistic, rel=1e-12)
    assert plain.estimates[1] == pytest.approx(ours.estimates[1], abs=0.02)
    assert plain.standard_error == pytest.approx(ours.standard_error, rel=0.15)


def test_labels_of_any_kind_and_few_shuffles():
    words = np.array(["no", "yes"])[Y]
    less = chance("roc_auc", words, SCORE, pos_label="no", alternative="less")
    assert less.statistic == pytest.approx(1 - sm.roc_auc_score(Y, SCORE))
    assert less.p_value < 0.1
    three = np.arange(30) % 3
    assert chance("accuracy", three, three, n_resamples=200).p_value == 1 / 201
    assert chance("roc_auc", Y, SCORE, n_resamples=2).p_value in (1 / 3, 2 / 3, 1)
