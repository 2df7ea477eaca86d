"""Friedman, Nemenyi and Wilcoxon against the tables of Demsar (2006) and SciPy."""

from __future__ import annotations

import warnings
from dataclasses import astuple
from itertools import product

import numpy as np
import pytest
from matplotlib import pyplot
from scipy import stats

from skaucx.inference import (
    CriticalDifferenceDisplay,
    critical_difference,
    friedman_test,
    nemenyi_test,
    wilcoxon_holm_test,
)
from skaucx.inference._tests.ranks import _wilcoxon, friedman_statistic
from skaucx.inference._tests.result import holm_adjusted
from tests.closeness import rounding

NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
# Demsar (2006), table 6: AUC of four learners on 14 data sets. In the row of voting the third is
# printed as .975 like the fourth, but ranked above it.
AUC = np.array([
    [.763, .768, .771, .798], [.599, .591, .590, .569], [.954, .971, .968, .967],
    [.628, .661, .654, .657], [.882, .888, .886, .898], [.936, .931, .916, .931],
    [.661, .668, .609, .685], [.583, .583, .563, .625], [.775, .838, .866, .875],
    [1.00, 1.00, 1.00, 1.00], [.940, .962, .965, .962], [.619, .666, .614, .669],
    [.972, .981, .97501, .975], [.957, .978, .946, .970],
])  # fmt: skip


def test_mean_ranks_of_the_paper():
    found = friedman_test(AUC)
    assert np.round(found.estimates, 3).tolist() == [3.143, 2.0, 2.893, 1.964]


def test_iman_davenport_of_the_paper():
    f, df, p = friedman_statistic(9.28, 14, 4, "iman-davenport")
    assert round(float(f), 2) == 3.69
    assert df == (3, 39)
    assert p == pytest.approx(stats.f.sf(f, 3, 39))


def test_friedman_is_that_of_scipy():
    expected = stats.friedmanchisquare(*AUC.T)  # corrected for ties, as the paper's 9.28 is not
    found = friedman_test(AUC, correction=None)
    assert (found.statistic, found.p_value) == pytest.approx(tuple(expected))
    assert found.method.endswith("chi-squared")
    assert friedman_test(AUC).method.endswith("Iman and Davenport's F")
    lower = friedman_test(-AUC, greater_is_better=False)
    assert astuple(lower) == astuple(friedman_test(AUC))


def test_two_data_sets_are_enough():
    expected = stats.friedmanchisquare(*AUC[:2].T)
    found = friedman_test(AUC[:2], correction=None)
    assert (found.statistic, found.p_value) == pytest.approx(tuple(expected))


@pytest.mark.parametrize(
    ("classifiers", "five", "ten"),  # Demsar (2006), table 5a
    [(2, 1.960, 1.645), (3, 2.343, 2.052), (4, 2.569, 2.291), (5, 2.728, 2.459), (6, 2.850, 2.589),
     (7, 2.949, 2.693), (8, 3.031, 2.780), (9, 3.102, 2.855), (10, 3.164, 2.920)],
)  # fmt: skip
def test_critical_values_of_the_paper(classifiers, five, ten):
    unit = np.sqrt(classifiers * (classifiers + 1) / (6 * 20))
    assert critical_difference(20, classifiers) / unit == pytest.approx(five, abs=0.0011)
    assert critical_difference(20, classifiers, 0.1) / unit == pytest.approx(ten, abs=0.0011)


def test_critical_difference_of_the_paper():
    assert round(critical_difference(14, 4), 2) == 1.25
    assert round(critical_difference(14, 4, 0.1), 2) == 1.12


def test_nemenyi_agrees_with_its_critical_difference():
    found = nemenyi_test(AUC, names=NAMES)
    gaps = np.abs(found.mean_ranks[:, None] - found.mean_ranks)
    for alpha in (0.05, 0.1, 0.5):
        apart = gaps > critical_difference(14, 4, alpha)
        assert (apart == (found.p_values < alpha)).all()
    # the paper finds at 10 % that C4.5 differs from both learners with m
    assert (found.p_values[0, [1, 3]] < 0.1).all()
    assert (np.diag(found.p_values) == 1).all()


def test_nemenyi_of_two_is_a_normal_test():
    found = nemenyi_test(AUC[:, :2])
    assert found.p_values[0, 1] == pytest.approx(
        2 * stats.norm.sf(found.statistics[0, 1]), rel=1e-6
    )


def by_all_signs(differences):
    """Return the smaller sum of signed ranks, and the share of all signs that give one as small."""
    ranks, zero = stats.rankdata(np.abs(differences)), differences == 0
    signs = np.array([*product([0, 1], repeat=len(ranks))])
    sums = np.where(zero, 0.5, signs) @ ranks
    own = np.where(zero, 0.5, differences > 0) @ ranks
    return min(own, ranks.sum() - own), min(1, 2 * min((sums <= own).mean(), (sums >= own).mean()))


@pytest.mark.parametrize("rows", [2, 3, 5, 8, 13])
def test_few_data_sets_with_ties_go_through_all_signs(rows):
    scores = np.random.default_rng(rows).integers(0, 4, (rows, 12)).astype(float)
    i, j = np.triu_indices(12, 1)
    statistics, p = _wilcoxon(scores, i, j)
    for pair, found in zip((scores[:, i] - scores[:, j]).T, np.c_[statistics, p], strict=True):
        expected = by_all_signs(pair) if pair.any() else (0, 1)
        assert found == pytest.approx(expected, rel=rounding(2**rows))


@pytest.mark.parametrize(("rows", "places"), [(40, 9), (50, 9), (51, 9), (40, 1), (8, 9), (60, 1)])
def test_pairs_with_ties_and_without_are_those_of_scipy(rows, places):
    scores = np.random.default_rng(rows).normal(size=(rows, 5)).round(places)
    found = wilcoxon_holm_test(scores)
    pairs = list(zip(*np.triu_indices(5, 1), strict=True))
    with warnings.catch_warnings():  # of SciPy before 1.13, called here by itself
        warnings.filterwarnings("ignore", "Exact p-value|Sample size", UserWarning)
        alone = [
            stats.wilcoxon(scores[:, i] - scores[:, j], zero_method="zsplit") for i, j in pairs
        ]
    assert [found.statistics[pair] for pair in pairs] == [one.statistic for one in alone]
    least = min(one.pvalue for one in alone)
    assert np.nanmin(found.p_values) == pytest.approx(min(1.0, least * len(pairs)))


def test_pairs_with_one_difference_of_ranks_have_one_p_value():
    """That is counted once, from whole numbers, whatever the means of ranks round to."""
    scores = np.random.default_rng(0).normal(size=(7, 30))
    found = nemenyi_test(scores)
    gaps = np.abs(found.mean_ranks[:, None] - found.mean_ranks)
    expected = stats.studentized_range.sf(np.sqrt(2) * gaps / np.sqrt(30 * 31 / 42), 30, np.inf)
    np.testing.assert_allclose(found.p_values, np.clip(expected, 0, 1), atol=1e-9)
    whole, place = np.unique(np.rint(14 * gaps), return_inverse=True)
    assert len(whole) < 200
    for each in (found.statistics, found.p_values):
        assert np.ptp(each.ravel()[place.ravel() == 3]) == 0


def test_a_pair_with_ties_leaves_the_others_their_exact_distribution():
    """All scores are below 1, in steps that floats hold exactly."""
    scores = np.random.default_rng(0).integers(0, 2**20, (20, 3)) / 2**22
    scores += [0, 0.0625, 0.125]
    scores = np.c_[scores, scores[:, 0] + np.repeat([1, -1, 2, 3], 5) / 16]
    pairs = np.triu_indices(4, 1)
    alone = [
        stats.wilcoxon(scores[:, i], scores[:, j], "zsplit") for i, j in zip(*pairs, strict=True)
    ]
    found = wilcoxon_holm_test(scores)
    assert found.p_values[pairs] == pytest.approx(holm_adjusted([one.pvalue for one in alone]))


def test_wilcoxon_is_that_of_scipy_adjusted():
    scores = AUC[:, :3] + np.random.default_rng(0).normal(0, 0.01, (14, 3))
    found = wilcoxon_holm_test(scores)
    plain = [stats.wilcoxon(scores[:, i], scores[:, j]).pvalue for i, j in ((0, 1), (0, 2), (1, 2))]
    assert found.p_values[[0, 0, 1], [1, 2, 2]] == pytest.approx(holm_adjusted(plain))
    assert (found.p_values == found.p_values.T).all()


def test_holm():
    # statsmodels 0.15.0, multipletests(method="holm")
    assert holm_adjusted([0.01, 0.04, 0.03, 0.005, 0.2]) == pytest.approx(
        [0.04, 0.09, 0.09, 0.025, 0.2]
    )
    found = holm_adjusted([0.03, np.nan, 0.02])
    assert found == pytest.approx([0.04, np.nan, 0.04], nan_ok=True)
    assert holm_adjusted([]).tolist() == []
    assert holm_adjusted([0.6, 0.9]).tolist() == [1, 1]


def test_zero_differences_are_split():
    # ranks of |d|: two zeros share 1.5, half of each sign; then 3 to 6, of which 3 is negative
    table = np.array([[0, 0], [0, 0], [-1, 0], [2, 0], [3, 0], [4, 0]])
    assert wilcoxon_holm_test(table).statistics[0, 1] == 3 + 1.5


def test_nothing_to_tell_apart():
    ties = np.ones((5, 3))
    found = friedman_test(ties)
    assert (found.statistic, found.p_value) == (0, 1)
    assert (wilcoxon_holm_test(ties).p_values == 1).all()
    assert nemenyi_test(ties).p_values == pytest.approx(np.ones((3, 3)))


def test_all_data_sets_alike():
    found = friedman_test(np.arange(3) + np.arange(6)[:, None])
    assert (found.statistic, found.p_value) == (np.inf, 0)


def test_groups():
    found = nemenyi_test(AUC, names=NAMES)
    assert found.groups(0.05) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert found.groups(0.1) == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    apart = nemenyi_test(np.arange(3) + np.arange(200)[:, None])
    assert apart.groups() == ()


def test_frames():
    pandas = pytest.importorskip("pandas")
    found = nemenyi_test(pandas.DataFrame(AUC, columns=NAMES))
    assert found.names == tuple(NAMES)
    frame = found.to_frame()
    assert frame.loc["C4.5", "C4.5+m"] == found.p_values[0, 1]


@pytest.mark.parametrize("scores", [AUC[0], AUC[:1], AUC[:, :1], AUC * np.nan])
@pytest.mark.parametrize("test", [friedman_test, nemenyi_test, wilcoxon_holm_test])
def test_refusals(test, scores):
    with pytest.raises(ValueError, match="scores"):
        test(scores)


def test_refusal_of_names():
    with pytest.raises(ValueError, match="names must be 4 distinct"):
        nemenyi_test(AUC, names=["a", "b", "c", "a"])
    with pytest.raises(ValueError, match="correction"):
        friedman_test(AUC, correction="none")


class TestCriticalDifferenceDisplay:
    @pytest.fixture(autouse=True)
    def _close(self):
        yield
        pyplot.close("all")

    def test_names_and_bars_are_drawn_at_the_mean_ranks(self):
        display = CriticalDifferenceDisplay.from_scores(AUC, names=NAMES, alpha=0.1)
        words = [text.get_text().strip() for text in display.ax_.texts]
        assert {"C4.5+m+cf (1.96)", "C4.5+m (2.00)", "C4.5+cf (2.89)", "C4.5 (3.14)"} <= set(words)
        assert "critical difference 1.12" in words
        bars = [
            line.get_xdata()
            for line in display.ax_.lines
            if line.get_solid_capstyle() == "butt" and len({*line.get_ydata()}) == 1
        ]
        expected = [(1.964, 2.893), (2.893, 3.143)]
        assert np.allclose(bars, expected, atol=0.032)
        display.figure_.canvas.draw()

    def test_given_axes_and_wilcoxon(self):
        _, ax = pyplot.subplots()
        display = CriticalDifferenceDisplay.from_scores(AUC, test="wilcoxon", ax=ax)
        assert display.ax_ is ax
        assert not any("critical" in text.get_text() for text in ax.texts)

    def test_unknown_test(self):
        with pytest.raises(ValueError, match="test must be one of"):
            CriticalDifferenceDisplay.from_scores(AUC, test="tukey")


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"skaucx\[plot\]"):
        CriticalDifferenceDisplay.from_scores(AUC)
