"""What a comparison says: its p-value and its interval come from one statistic, of a named target."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import inference
from skaucx.inference import delong_test, mcnemar_test, paired_test, permutation_test
from skaucx.model_selection import corrected_resampled_t_test

PAIRS = 100


def predictions(rng, n=60):
    """Two forecasts whose difference is anything from none to much, of random class counts."""
    x = rng.normal(size=n)
    y = (rng.random(n) < expit(x - 0.5)).astype(int)
    y[:4] = 0, 0, 1, 1
    gap = rng.uniform(-1, 1)
    a, b = (expit(x + rng.normal(0, 1, n) + k * gap * (y - 0.5)) for k in (1, -0.3))
    return y, a, b


def of_scores(test, *first, **options):
    return lambda _, drawn: test(*first, *drawn, **options)


def of_labels(test, *first, **options):
    return lambda _, drawn: test(*first, drawn[0], drawn[1] > 0.5, drawn[2] > 0.5, **options)


def _unpaired(rng, drawn):
    other = predictions(rng)
    return delong_test(drawn[0], drawn[1], other[2], y_true_b=other[0])


FEW = {"n_resamples": 99, "random_state": 0}
BOOT = {"method": "bootstrap", **FEW}
THREES = {"groups": np.arange(60) // 3}
TESTS = {
    "delong": of_scores(delong_test),
    "delong, groups": of_scores(delong_test, **THREES),
    "delong, unpaired": _unpaired,
    "brier, t": of_scores(paired_test, "brier_score"),
    "log loss, groups": of_scores(paired_test, "log_loss", **THREES),
    "f1, influences": of_labels(paired_test, "f1"),
    "mcc": of_labels(paired_test, "mcc", sample_weight=np.linspace(1, 2, 60)),
    "accuracy": of_labels(paired_test, "accuracy"),
    "mcnemar, asymptotic": of_labels(mcnemar_test, method="asymptotic"),
    "accuracy, groups": of_labels(paired_test, "accuracy", **THREES),
    "mcnemar": of_labels(mcnemar_test, method="exact"),
    "bootstrap, brier": of_scores(paired_test, "brier_score", **BOOT),
    "bootstrap, f1": of_labels(paired_test, "f1", **BOOT),
    "corrected t": lambda rng, _: corrected_resampled_t_test(
        *rng.normal([[rng.uniform(0.7, 0.9)], [0.8]], 0.03, (2, 10)), n_train=90, n_test=10
    ),
}
WITHOUT = {
    "permutation": of_scores(paired_test, "brier_score", method="permutation", **FEW),
    "chance": lambda _, drawn: permutation_test("roc_auc", *drawn[:2], **FEW),
}


def test_every_test_of_the_package_is_tried():
    functions = {
        name
        for name in inference.__all__
        if name[0].islower()
        if getattr(inference, name).__module__.startswith("skaucx.inference._tests")
    }
    assert functions == {"delong_test", "mcnemar_test", "paired_test", "permutation_test"}


def disagrees(found):
    """Whether p < alpha and an interval without the null do not come together."""
    low, high = found.interval
    if np.isnan(low):
        return not (np.isnan(found.p_value) or found.p_value == 1 or found.note)
    return (found.p_value < 0.05) != (low > 0 or high < 0)


def says_its_target(found, name):
    assert found.target == ("the procedures" if name == "corrected t" else "these predictions")
    assert f"target: {found.target}" in repr(found)
    if name in WITHOUT or name.startswith("bootstrap"):
        assert "99 " in found.method
        assert "seed 0" in found.method


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", TESTS)
def test_every_p_value_agrees_with_its_interval(name):
    rng = np.random.default_rng(1)
    found = [TESTS[name](rng, predictions(rng)) for _ in range(PAIRS)]
    assert sum(map(disagrees, found)) == 0
    assert 0 < np.mean([one.p_value < 0.05 for one in found]) < 1  # both answers were tried
    says_its_target(found[0], name)


@pytest.mark.parametrize("name", WITHOUT)
def test_tests_that_no_interval_inverts_have_none(name):
    rng = np.random.default_rng(2)
    found = WITHOUT[name](rng, predictions(rng))
    assert np.isnan(found.interval).all()
    assert "ermutation" in found.method
    says_its_target(found, name)


def test_the_door_takes_the_method_that_suits():
    y, a, b = predictions(np.random.default_rng(6))
    called, other = a > 0.5, b > 0.5
    three = np.random.default_rng(7).integers(0, 3, 60)
    shares = np.random.default_rng(8).dirichlet([1, 1, 1], (2, 60))
    for metric, rows, options, words in (
        ("roc_auc", (y, a, b), {}, "DeLong"),
        ("accuracy", (y, called, other), {}, "Paired t test of accuracy"),
        ("log_loss", (three, *shares), {}, "Paired t test of log_loss"),
        ("f1", (y, called, other), {}, "Paired test by influences of f1"),
        ("ks", (y, a, b), FEW, "Paired bootstrap test of ks"),
        (lambda t, s: np.mean((t - s) ** 2), (y, a, b), FEW, "Paired bootstrap test of <lambda>"),
        ("roc_auc", (three, *shares), {"multi_class": "ovr"}, "Paired test by influences of roc_auc"),
    ):  # fmt: skip
        assert paired_test(metric, *rows, **options).method.startswith(words)
    words = np.array(["no", "yes"])[y]
    named = paired_test("brier_score", words, a, b, pos_label="yes")
    assert named.p_value == paired_test("brier_score", y, a, b).p_value
    shifted = paired_test("brier_score", y, a, b, margin=0.05, alternative="less")
    t = (shifted.difference - 0.05) / shifted.standard_error
    assert shifted.p_value == pytest.approx(stats.t.cdf(t, 59), rel=1e-12)
    unseeded = paired_test("brier_score", y, a, b, n_resamples=50, method="bootstrap")
    assert "seed not fixed" in unseeded.method


@pytest.mark.parametrize("name", ["brier_score", "log_loss", "zero_one_loss"])
def test_differences_of_means_over_rows_are_those_of_the_paired_t(name):
    """Of rare events and a biased forecast; the error of a mean includes random class counts."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=1000)
    y, a, b = (rng.random(1000) < expit(x - 2.2)).astype(int), expit(x - 2.2), expit(x)
    if name == "zero_one_loss":
        a, b = a > 0.15, b > 0.5
        losses = (a != y).astype(float) - (b != y)
    elif name == "brier_score":
        losses = (a - y) ** 2 - (b - y) ** 2
    else:
        losses = np.log(np.where(y, b, 1 - b)) - np.log(np.where(y, a, 1 - a))
    wanted = tuple(stats.ttest_1samp(losses, 0).confidence_interval())
    width = wanted[1] - wanted[0]
    for how, options in {
        "auto": {},
        "bootstrap": {"method": "bootstrap", "random_state": 0},
        "groups": {"groups": np.arange(1000)},
        "weights": {"sample_weight": np.full(1000, 7.0)},
    }.items():
        found = paired_test(name, y, a, b, **options)
        assert found.interval[1] - found.interval[0] == pytest.approx(width, rel=0.15), how
        assert found.interval == pytest.approx(wanted, abs=0.1 * width), how
        if name != "zero_one_loss" and how != "bootstrap":
            assert found.interval == pytest.approx(wanted, rel=1e-9), how
            assert found.method.startswith("Paired t test"), how


def test_what_has_no_interval_says_why():
    y, a, b = predictions(np.random.default_rng(9))
    for name, rows, options in (
        ("brier_score", (y, a, a), {}),
        ("f1", (y, a > 0.5, a > 0.5), {}),
        ("brier_score", (y, a, a), BOOT),
    ):
        found = paired_test(name, *rows, **options)
        assert (found.p_value, found.difference) == (1, 0), name
        assert np.isnan(found.interval).all(), name
        assert found.note, name
    assert paired_test("f1", y, a > 0.5, a > 0.5, method="permutation").p_value == 1
    for size, held in ((39, False), (40, True)):
        found = paired_test("brier_score", y, a, b, **{**BOOT, "n_resamples": size})
        assert np.isfinite(found.interval).all() == held
        assert ("40 resamples" in found.note) != held


def test_one_group_and_one_side_are_said():
    y, a, b = predictions(np.random.default_rng(6))
    with pytest.warns(UndefinedMetricWarning, match="variance is undefined"):
        alone = paired_test("brier_score", y, a, b, groups=np.zeros(60))
    assert np.isnan([alone.p_value, *alone.interval]).all()
    for metric, options in (("roc_auc", {}), ("log_loss", {}), ("ks", FEW)):
        one = paired_test(metric, y, a, b, alternative="greater", **options)
        assert "the interval two-sided" in one.note
