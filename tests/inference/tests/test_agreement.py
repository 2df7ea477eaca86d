"""What a comparison says: its p-value and its interval come from one statistic, of a named target."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit
from sklearn.exceptions import UndefinedMetricWarning

from skaucx import inference
from skaucx.model_selection import corrected_resampled_t_test

PAIRS = 100
LEVEL = 0.95


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
    return inference.delong_test(drawn[0], drawn[1], other[2], y_true_b=other[0])


FEW = {"n_resamples": 99, "random_state": 0}
TESTS = {
    "delong": of_scores(inference.delong_test),
    "delong, groups": of_scores(inference.delong_test, groups=np.arange(60) // 3),
    "delong, unpaired": _unpaired,
    "brier, t": of_scores(inference.paired_test, "brier_score"),
    "log loss, groups": of_scores(inference.paired_test, "log_loss", groups=np.arange(60) // 3),
    "f1, influences": of_labels(inference.paired_test, "f1"),
    "mcc": of_labels(inference.paired_test, "mcc", sample_weight=np.linspace(1, 2, 60)),
    "accuracy": of_labels(inference.paired_test, "accuracy"),
    "mcnemar, asymptotic": of_labels(inference.mcnemar_test, method="asymptotic"),
    "accuracy, groups": of_labels(inference.paired_test, "accuracy", groups=np.arange(60) // 3),
    "mcnemar": of_labels(inference.mcnemar_test, method="exact"),
    "bootstrap, brier": of_scores(inference.paired_test, "brier_score", method="bootstrap", **FEW),
    "bootstrap, f1": of_labels(inference.paired_test, "f1", method="bootstrap", **FEW),
    "corrected t": lambda rng, _: corrected_resampled_t_test(
        *rng.normal([[rng.uniform(0.7, 0.9)], [0.8]], 0.03, (2, 10)), n_train=90, n_test=10
    ),
}  # fmt: skip
WITHOUT = {
    "permutation": of_scores(inference.paired_test, "brier_score", method="permutation", **FEW),
    "chance": lambda _, drawn: inference.permutation_test("roc_auc", *drawn[:2], **FEW),
}


TRIED = {"delong_test", "mcnemar_test", "paired_test"}
HAVE_NO_INTERVAL = {"permutation_test"}


def test_every_test_of_the_package_is_tried():
    functions = {
        name
        for name in inference.__all__
        if name[0].islower()
        if getattr(inference, name).__module__.startswith("skaucx.inference._tests")
    }
    assert functions == TRIED | HAVE_NO_INTERVAL


def disagrees(found):
    """Whether p < alpha and an interval without the null do not come together."""
    low, high = found.interval
    if np.isnan(low):
        return not (np.isnan(found.p_value) or found.p_value == 1 or found.note)
    return (found.p_value < 1 - LEVEL) != (low > 0 or high < 0)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_every_p_value_agrees_with_its_interval():
    wrong, decided = {}, {}
    for name, test in TESTS.items():
        rng = np.random.default_rng(1)
        found = [test(rng, predictions(rng)) for _ in range(PAIRS)]
        wrong[name] = sum(map(disagrees, found))
        decided[name] = np.mean([one.p_value < 1 - LEVEL for one in found])
    assert not any(wrong.values()), {name: times for name, times in wrong.items() if times}
    assert all(0 < share < 1 for share in decided.values()), decided  # both answers were tried


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_tests_that_no_interval_inverts_have_none():
    rng = np.random.default_rng(2)
    for name, test in WITHOUT.items():
        found = test(rng, predictions(rng))
        assert np.isnan(found.interval).all(), name
        assert "ermutation" in found.method, name


def test_the_door_takes_the_method_that_suits():
    y, a, b = predictions(np.random.default_rng(6))
    called, other = a > 0.5, b > 0.5
    few = {"n_resamples": 60, "random_state": 0}
    three = np.random.default_rng(7).integers(0, 3, 60)
    shares = np.random.default_rng(8).dirichlet([1, 1, 1], (2, 60))
    methods = {
        "DeLong": inference.paired_test("roc_auc", y, a, b),
        "Paired t test of accuracy": inference.paired_test("accuracy", y, called, other),
        "Paired t test of log_loss": inference.paired_test("log_loss", three, *shares),
        "Paired test by influences of f1": inference.paired_test("f1", y, called, other),
        "Paired bootstrap test of ks": inference.paired_test("ks", y, a, b, **few),
        "Paired bootstrap test of <lambda>": inference.paired_test(
            lambda t, s: float(np.mean((t - s) ** 2)), y, a, b, **few
        ),
        "Paired test by influences of roc_auc": inference.paired_test(
            "roc_auc", three, *shares, multi_class="ovr", **few
        ),
    }
    for words, found in methods.items():
        assert found.method.startswith(words), found
    words = np.array(["no", "yes"])
    named = inference.paired_test("brier_score", words[y], a, b, pos_label="yes")
    assert named.p_value == inference.paired_test("brier_score", y, a, b).p_value
    shifted = inference.paired_test("brier_score", y, a, b, margin=0.05, alternative="less")
    assert shifted.p_value == pytest.approx(
        stats.t.cdf((shifted.difference - 0.05) / shifted.standard_error, 59), rel=1e-12
    )
    for refused in ("delong", "influence", "t"):
        with pytest.raises(ValueError, match="method must be"):
            inference.paired_test("ks", y, a, b, method=refused)


def test_every_comparison_prints_its_target_and_its_draws():
    rng = np.random.default_rng(3)
    targets = set()
    for name, test in (TESTS | WITHOUT).items():
        drawn = predictions(rng)
        found = test(rng, drawn)
        assert found.target, name
        assert f"target: {found.target}" in repr(found), name
        targets.add(found.target)
        if name in WITHOUT or name.startswith("bootstrap"):
            assert "99 " in found.method, name
            assert "seed 0" in found.method, name
    assert targets == {"these predictions", "the procedures"}
    drawn = predictions(rng)
    unseeded = inference.paired_test("brier_score", *drawn, n_resamples=50, method="bootstrap")
    assert "seed not fixed" in unseeded.method


def opposite(rng, n):
    """Forecasts of rare events, one of them biased: the difference depends on the class."""
    x = rng.normal(size=n)
    return (rng.random(n) < expit(x - 2.2)).astype(int), expit(x - 2.2), expit(x)


@pytest.mark.parametrize("name", ["brier_score", "log_loss", "zero_one_loss"])
def test_differences_of_means_over_rows_are_those_of_the_paired_t(name):
    """Class counts are random with the rows: the error of a mean includes them."""
    y, a, b = opposite(np.random.default_rng(0), 1000)
    if name == "zero_one_loss":
        a, b = a > 0.15, b > 0.5
        losses = (a != y).astype(float) - (b != y)
    elif name == "brier_score":
        losses = (a - y) ** 2 - (b - y) ** 2
    else:
        losses = np.log(np.where(y, b, 1 - b)) - np.log(np.where(y, a, 1 - a))
    wanted = stats.ttest_1samp(losses, 0).confidence_interval()
    width = wanted.high - wanted.low
    tests = {
        "auto": inference.paired_test(name, y, a, b),
        "bootstrap": inference.paired_test(name, y, a, b, random_state=0, method="bootstrap"),
        "groups": inference.paired_test(name, y, a, b, groups=np.arange(1000)),
        "weights": inference.paired_test(name, y, a, b, sample_weight=np.full(1000, 7.0)),
    }
    for how, found in tests.items():
        assert found.interval[1] - found.interval[0] == pytest.approx(width, rel=0.15), how
        assert found.interval == pytest.approx(tuple(wanted), abs=0.1 * width), how
    if name != "zero_one_loss":
        for how in ("auto", "groups", "weights"):
            assert tests[how].interval == pytest.approx(tuple(wanted), rel=1e-9), how
            assert tests[how].method.startswith("Paired t test"), how


def test_what_has_no_interval_says_why():
    y, a, b = predictions(np.random.default_rng(9))
    alike = {
        "delong": inference.delong_test(y, a, a),
        "t": inference.paired_test("brier_score", y, a, a),
        "labels": inference.paired_test("f1", y, a > 0.5, a > 0.5),
        "bootstrap": inference.paired_test(
            "brier_score", y, a, a, n_resamples=50, method="bootstrap"
        ),
    }
    for name, found in alike.items():
        assert (found.p_value, found.difference) == (1, 0), name
        assert np.isnan(found.interval).all(), name
        assert found.note, name
    same = inference.paired_test("f1", y, a > 0.5, a > 0.5, method="permutation")
    assert same.p_value == 1
    for size, held in ((39, False), (40, True)):
        few = {"n_resamples": size, "random_state": 0, "method": "bootstrap"}
        found = inference.paired_test("brier_score", y, a, b, **few)
        assert np.isfinite(found.interval).all() == held
        assert ("40 resamples" in found.note) != held


def test_one_group_and_one_side_are_said():
    y, a, b = predictions(np.random.default_rng(6))
    with pytest.warns(UndefinedMetricWarning, match="variance is undefined"):
        alone = inference.paired_test("brier_score", y, a, b, groups=np.zeros(60))
    assert np.isnan([alone.p_value, *alone.interval]).all()
    for metric, options in (("roc_auc", {}), ("log_loss", {}), ("ks", FEW)):
        one = inference.paired_test(metric, y, a, b, alternative="greater", **options)
        assert "the interval two-sided" in one.note
