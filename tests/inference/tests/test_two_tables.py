"""Two independent tables: Newcombe's printed intervals, statsmodels' tests, sizes by enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.inference import interval, mcnemar_test, proportion_test, two_table_test
from skaucx.metrics import Counts


def positives(hits, total):
    return Counts(tp=hits, fp=0, fn=total - hits, tn=0)


# Newcombe 1998, table II: contrasts (a) to (h), method 10, both ends of the 95 % interval.
NEWCOMBE = [
    ((56, 70), (48, 80), (0.0524, 0.3339)),
    ((9, 10), (3, 10), (0.1705, 0.8090)),
    ((6, 7), (2, 7), (0.0582, 0.8062)),
    ((5, 56), (0, 29), (-0.0381, 0.1926)),
    ((0, 10), (0, 20), (-0.1611, 0.2775)),
    ((0, 10), (0, 10), (-0.2775, 0.2775)),
    ((10, 10), (0, 20), (0.6791, 1.0000)),
    ((10, 10), (0, 10), (0.6075, 1.0000)),
]
PAIRS = [((56, 70), (48, 80)), ((9, 10), (3, 10)), ((5, 56), (1, 29)), ((40, 50), (12, 20))]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(("a", "b", "ends"), NEWCOMBE)
def test_printed_intervals(a, b, ends):
    found = two_table_test("recall", positives(*a), positives(*b)).interval
    assert found == pytest.approx(ends, abs=6e-5)


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_exact_tests_are_scipys(a, b, alternative):
    table = [[a[0], a[1] - a[0]], [b[0], b[1] - b[0]]]
    ask = {"alternative": alternative}
    wanted = {
        "fisher": stats.fisher_exact(table, **ask).pvalue,
    }
    for method, p in wanted.items():
        found = two_table_test("recall", positives(*a), positives(*b), method=method, **ask)
        assert found.p_value == pytest.approx(p, rel=1e-9)
        assert found.statistic == pytest.approx(a[0] / a[1] - b[0] / b[1], rel=1e-12)
    middle = two_table_test("recall", positives(*a), positives(*b), method="mid-p", **ask)
    assert middle.statistic == pytest.approx(a[0] / a[1] - b[0] / b[1], rel=1e-12)


def score_by_search(x, m, y, n, shift):
    """The score statistic at the likeliest shares that are `shift` apart, found by a search."""

    def unlikely(p):
        laws = stats.binom.logpmf([x, y], [m, n], [p, p - shift])
        return -laws.sum()

    inside = max(shift, 0) + 1e-9, min(1, 1 + shift) - 1e-9
    p = optimize.minimize_scalar(
        unlikely, bounds=inside, method="bounded", options={"xatol": 1e-12}
    ).x
    q = p - shift
    return (x / m - y / n - shift) / np.sqrt(p * (1 - p) / m + q * (1 - q) / n)


@pytest.mark.parametrize(("a", "b"), PAIRS)
@pytest.mark.parametrize("margin", [0.05, 0.1, 0.25])
@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_the_score_test_is_at_the_likeliest_shares(a, b, margin, alternative):
    shift = -margin if alternative == "greater" else margin
    found = two_table_test(
        "recall", positives(*a), positives(*b), margin=margin,
        alternative=alternative,
    )  # fmt: skip
    wanted = score_by_search(*a, *b, shift)
    assert found.statistic == pytest.approx(wanted, rel=1e-6, abs=1e-8)
    law = stats.norm.sf if alternative == "greater" else stats.norm.cdf
    assert found.p_value == pytest.approx(law(wanted), rel=1e-5)


@pytest.mark.parametrize(("m", "n"), [(12, 12), (10, 25)])
def test_sizes_by_enumeration(m, n):
    """Fisher's test never rejects too often, mid-p hardly ever by more than half a per cent."""
    reject = {"fisher": np.zeros((m + 1, n + 1)), "mid-p": np.zeros((m + 1, n + 1))}
    for x in range(m + 1):
        for y in range(n + 1):
            for method, table in reject.items():
                found = two_table_test("recall", positives(x, m), positives(y, n), method=method)
                table[x, y] = found.p_value <= 0.05
    for p in np.linspace(0.05, 0.95, 19):
        laws = np.outer(stats.binom(m, p).pmf(range(m + 1)), stats.binom(n, p).pmf(range(n + 1)))
        assert (laws * reject["fisher"]).sum() <= 0.05
        assert (laws * reject["mid-p"]).sum() <= 0.056


def test_any_metric_of_labels():
    a, b = [[80, 20], [10, 40]], [[70, 30], [20, 30]]
    found = two_table_test("f1", a, b)
    one, two = interval("f1", counts=a), interval("f1", counts=b)
    assert found.method == "Delta method of f1, two tables"
    assert found.difference == one.estimate - two.estimate
    assert found.standard_error == pytest.approx(np.hypot(one.standard_error, two.standard_error))
    at = two_table_test("f1", a, b, confidence_level=1 - found.p_value)
    assert at.interval[0] == pytest.approx(0, abs=1e-9)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(found.statistic))
    assert found.interval[0] < found.difference < found.interval[1]
    for name in ("f1", "mcc"):  # whose differences lie in [-1, 1] and in [-2, 2]
        (one, first), (two, second) = (
            (i.estimate, i) for i in (interval(name, counts=table) for table in (a, b))
        )
        low = one - two - np.hypot(one - first.low, second.high - two)
        high = one - two + np.hypot(first.high - one, two - second.low)
        found = two_table_test(name, a, b)
        assert found.interval == pytest.approx((low, high), abs=1e-9)
    assert two_table_test("mcc", a, b, alternative="greater").interval[1] == 2
    three = np.array([[8, 1, 1], [2, 7, 1], [0, 1, 9]])
    macro = two_table_test("recall", three, three.T, average="macro")
    assert macro.p_value <= 1
    assert two_table_test("recall_macro", three, three.T).difference == macro.difference


def test_likelihood_ratios_are_compared_on_the_log_scale():
    """The variance of a log ratio is 1/tp - 1/(tp + fn) + 1/fp - 1/(fp + tn) (Simel et al. 1991)."""
    a, b = [[80, 20], [10, 40]], [[70, 30], [20, 30]]
    found = two_table_test("positive_likelihood_ratio", a, b)
    error = np.sqrt(1 / 40 - 1 / 50 + 1 / 20 - 1 / 100 + 1 / 30 - 1 / 50 + 1 / 30 - 1 / 100)
    assert found.statistic == pytest.approx(np.log(2) / error, rel=1e-6)
    ends = 2 * np.exp([-stats.norm.ppf(0.975) * error, stats.norm.ppf(0.975) * error])
    assert found.interval == pytest.approx(tuple(ends), rel=1e-6)
    said = repr(found)
    for fact in (f"statistic {found.statistic:.4f}", "ratio 2.0000", "target: these two tables"):
        assert fact in said


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize(
    ("counts", "smoothed", "undefined"),
    [
        ([[50, 0], [8, 40]], True, False),
        ([[50, 7], [8, 40]], False, False),
        ([[50, 5], [0, 0]], False, True),
    ],
)
def test_smoothed_tables_are_told(counts, smoothed, undefined):
    """A table whose ratio is infinite is smoothed; one without a positive example is undefined."""
    found = two_table_test("positive_likelihood_ratio", [[50, 5], [8, 40]], counts)
    assert ("smoothed" in found.note) == smoothed
    assert np.isnan(found.ratio) == undefined


def test_the_ratio_has_its_column():
    found = two_table_test("positive_likelihood_ratio", [[80, 20], [10, 40]], [[70, 30], [20, 30]])
    [row] = found.to_frame().to_dict("records")
    assert (row["ratio"], row["low"]) == (found.ratio, found.interval[0])


def test_exchanged_tables_and_one_side():
    a, b = positives(45, 50), positives(30, 45)
    first, second = two_table_test("recall", a, b), two_table_test("recall", b, a)
    assert first.p_value == pytest.approx(second.p_value)
    assert first.interval == pytest.approx(tuple(-x for x in reversed(second.interval)))
    one = two_table_test("recall", a, b, alternative="greater")
    assert one.interval[1] == 1
    assert one.interval[0] == two_table_test("recall", a, b, confidence_level=0.9).interval[0]
    assert one.p_value == pytest.approx(first.p_value / 2)


def test_non_inferiority():
    a, b = positives(80, 100), positives(82, 100)
    found = two_table_test("recall", a, b, margin=0.15, alternative="greater")
    assert found.method.startswith("Score test")
    assert found.p_value < 0.05 < two_table_test("recall", a, b, alternative="greater").p_value
    with pytest.raises(ValueError, match="margin needs alternative"):
        two_table_test("recall", a, b, margin=0.1)
    with pytest.raises(ValueError, match="margin has the score test"):
        two_table_test("recall", a, b, margin=0.1, alternative="greater", method="fisher")


def test_what_is_refused():
    a = [[8, 2], [3, 7]]
    with pytest.raises(ValueError, match="needs scores"):
        two_table_test("roc_auc", a, a)
    with pytest.raises(ValueError, match="not a proportion"):
        two_table_test("mcc", a, a, method="fisher")
    with pytest.raises(ValueError, match="one number"):
        two_table_test("recall", a, a, average=None)
    with pytest.raises(ValueError, match="whole numbers"):
        two_table_test("recall", [[1.5, 1], [1, 1]], a)
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(two_table_test("recall", [[5, 5], [0, 0]], a).p_value)


def test_a_proportion_from_a_published_table():
    y = np.repeat([0, 0, 1, 1], [90, 10, 4, 46])
    p = np.repeat([0, 1, 0, 1], [90, 10, 4, 46])
    table = [[90, 10], [4, 46]]
    for null in (0.8, "majority"):
        rows, counted = proportion_test("recall", y, p, null=null), None
        counted = proportion_test("recall", counts=table, null=null)
        assert (counted.p_value, counted.interval) == (rows.p_value, rows.interval)
    with pytest.raises(ValueError, match="omit y_true"):
        proportion_test("recall", y, p, counts=table)
    assert mcnemar_test(y, p, p).p_value == 1
