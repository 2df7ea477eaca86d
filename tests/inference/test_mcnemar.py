"""McNemar's test against statsmodels and SciPy."""

from dataclasses import astuple, replace

import numpy as np
import pytest
from scipy import optimize, stats

from skaucx.inference import mcnemar_test


def predictions(b, c, both=20, neither=10):
    """Return truth and two predictions of which b and c examples are right in one only."""
    right_a = np.repeat([1, 0, 1, 0], [b, c, both, neither])
    right_b = np.repeat([0, 1, 1, 0], [b, c, both, neither])
    truth = np.arange(len(right_a)) % 2
    return truth, np.where(right_a, truth, 1 - truth), np.where(right_b, truth, 1 - truth)


# statsmodels 0.15.0, mcnemar: b, c, p of the exact form; statistic and p of the form without
# correction.
STATSMODELS = [
    (3, 9, 0.14599609375, 3.0, 0.08326451666355042),
    (0, 5, 0.0625, 5.0, 0.025347318677468325),
    (10, 25, 0.016673847800120715, 6.428571428571429, 0.011229886652916672),
    (1, 2, 1.0, 0.3333333333333333, 0.5637028616507731),
]  # fmt: skip


@pytest.mark.parametrize(("b", "c", "exact", "q", "plain"), STATSMODELS)
def test_values_of_statsmodels(b, c, exact, q, plain):
    data = predictions(b, c)
    assert mcnemar_test(*data, method="exact").p_value == pytest.approx(exact, rel=1e-12)
    usual = "exact" if b + c < 25 else "asymptotic"
    assert mcnemar_test(*data) == mcnemar_test(*data, method=usual)
    found = mcnemar_test(*data, method="asymptotic")
    assert (found.statistic, found.p_value) == pytest.approx((q, plain), rel=1e-12)


@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_nothing_to_tell_apart(method):
    truth, a, _ = predictions(5, 5)
    found = mcnemar_test(truth, a, a, method=method)
    assert (found.p_value, found.difference) == (1, 0)
    assert method == "exact" or found.interval[0] < 0 < found.interval[1]


@pytest.mark.parametrize(("b", "c", "n"), [(59, 16, 1019), (16, 9, 80), (3, 1, 30), (10, 0, 50)])
def test_interval_of_tango_is_at_the_likeliest_probabilities(b, c, n):
    rows = predictions(b, c, both=n - b - c - 5, neither=5)
    found = mcnemar_test(*rows, confidence_level=0.9, method="asymptotic")
    assert found.difference == (b - c) / n
    for end, z in zip(found.interval, stats.norm.ppf([0.95, 0.05]), strict=True):

        def unlikely(q, d=end):
            return -stats.multinomial.logpmf([b, c, n - b - c], n, [q + d, q, 1 - 2 * q - d])

        bounds = max(0, -end) + 1e-12, (1 - end) / 2 - 1e-12
        q = optimize.minimize_scalar(unlikely, bounds=bounds, options={"xatol": 1e-12}).x
        error = np.sqrt(n * (2 * q + end * (1 - end)))
        assert (b - c - n * end) / error == pytest.approx(z, abs=1e-5)


def test_labels_of_any_kind():
    truth, a, b = predictions(3, 9)
    words, wanted = np.array(["cat", "dog"]), astuple(mcnemar_test(truth, a, b))
    assert astuple(mcnemar_test(words[truth].tolist(), words[a], words[b])) == wanted
    indicators = [np.stack([labels, 1 - labels], axis=1) for labels in (truth, a, b)]
    assert astuple(mcnemar_test(*indicators)) == wanted


@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_one_sided_tests_are_half_of_the_two_sided_one(method):
    y, a, b = predictions(14, 6)
    two, greater, less = (
        mcnemar_test(y, a, b, method=method, alternative=side)
        for side in ("two-sided", "greater", "less")
    )
    assert greater.p_value == pytest.approx(two.p_value / 2)
    backward = mcnemar_test(y, b, a, method=method, alternative="less")
    assert backward.p_value == pytest.approx(greater.p_value)
    assert less.p_value > 0.9
    if method == "exact":
        wanted = stats.binomtest(14, 20, alternative="greater").pvalue
        assert greater.p_value == pytest.approx(wanted)
    both = mcnemar_test(y, a, b, method=method, confidence_level=0.9)
    assert greater.interval == pytest.approx((both.interval[0], 1), rel=1e-12)


def test_a_notebook_shows_the_facts_of_a_test_that_are_defined():
    found = mcnemar_test(*predictions(12, 9))
    for one, shown in ((found, True), (replace(found, statistic=np.nan), False)):
        html = one._repr_html_()
        assert ("p_value" in html, "statistic" in html, "nan" in html) == (True, shown, False)
