"""Many classifiers over many data sets: Friedman, Nemenyi, and Wilcoxon with Holm's adjustment."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from ..._arguments import Axes
from ..._arrays import Codes, Floats, check_memory, float_array
from ..._compat import import_pandas
from ..._options import OPEN_SHARE, check_choice
from ..._plotting import Display, apart, fit_rows, inches, ink, palette, text_width
from ..._progress import ProgressBar
from ..._text.numbers import p_value, significant
from ..._text.tables import Table, Tabular
from .result import ComparisonResult, holm_adjusted


@dataclass(frozen=True, eq=False, repr=False)
class PairwiseResult(Tabular):
    """Tests of every pair of K classifiers.

    Attributes
    ----------
    method : str
        The test.
    names : tuple of K str
        The classifiers.
    mean_ranks : ndarray of shape (K,), float64
        Mean over the data sets of a classifier's rank; 1 is the best.
    statistics : ndarray of shape (K, K), float64
        Statistic of each pair, nan on the diagonal.
    p_values : ndarray of shape (K, K), float64
        p-value of each pair, adjusted for multiple testing; symmetric, 1 on the diagonal.
    n_datasets : int
        Number of data sets.

    Examples
    --------
    >>> from skaucx.inference import nemenyi_test
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]]
    >>> result = nemenyi_test(scores, names=["forest", "tree", "stump"])
    >>> result.mean_ranks.tolist()
    [1.0, 2.25, 2.75]
    >>> print(result)
    Nemenyi's test over 4 data sets, p-values
            mean rank  forest    tree   stump
    forest      1.000  1.0000  0.1805  0.0356
    tree        2.250  0.1805  1.0000  0.7593
    stump       2.750  0.0356  0.7593  1.0000
    """

    method: str
    names: tuple[str, ...]
    mean_ranks: Floats
    statistics: Floats
    p_values: Floats
    n_datasets: int

    def _table(self) -> Table:
        rows = zip(self.names, self.mean_ranks, self.p_values, strict=True)
        return Table(
            ["", "mean rank", *self.names],
            [[name, f"{rank:.3f}", *map(p_value, row)] for name, rank, row in rows],
            f"{self.method} over {self.n_datasets} data sets, p-values",
        )

    def groups(self, alpha: float = 0.05) -> tuple[tuple[str, ...], ...]:
        """Return the maximal runs of neighbouring ranks in which no pair differs.

        Parameters
        ----------
        alpha : float, default=0.05
            Significance level: a pair differs if its p-value is below it.

        Returns
        -------
        tuple of tuple of str
            Names from the best mean rank to the worst, runs of two or more.
        """
        OPEN_SHARE.check("alpha", alpha)
        order = np.argsort(self.mean_ranks, kind="stable")
        same = self.p_values[np.ix_(order, order)] >= alpha
        runs: list[tuple[int, int]] = []
        for start in range(len(order)):
            stop = start + 1
            while stop < len(order) and same[start : stop + 1, stop].all():
                stop += 1
            if stop - start > 1 and (not runs or stop > runs[-1][1]):
                runs.append((start, stop))
        return tuple(tuple(self.names[i] for i in order[start:stop]) for start, stop in runs)

    def to_frame(self) -> Any:
        """Return the p-values as a pandas DataFrame, one row and one column per classifier.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = import_pandas()
        return pandas.DataFrame(self.p_values, index=self.names, columns=self.names)


def friedman_test(
    scores: ArrayLike,
    *,
    correction: Literal["iman-davenport"] | None = "iman-davenport",
    greater_is_better: bool = True,
) -> ComparisonResult:
    r"""Test whether several classifiers perform equally well over many data sets, by ranks.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_classifiers)
        One score of each of three or more classifiers on each of two or more data sets.
    correction : {"iman-davenport"} or None, default="iman-davenport"
        Whether the p-value is from Iman and Davenport's F [2]_, which is less conservative [3]_, or
        from Friedman's chi-squared [1]_.
    greater_is_better : bool, default=True
        Whether the greatest score of a data set has rank 1.

    Returns
    -------
    ComparisonResult
        The estimates are the mean ranks.

    Raises
    ------
    ValueError
        If `scores` is not a matrix of finite numbers of that shape.

    Notes
    -----
    Chi-squared is corrected for ties. With N data sets and K classifiers

    .. math:: F = \frac{(N - 1) \chi^2}{N (K - 1) - \chi^2}

    has K - 1 and (K - 1) (N - 1) degrees of freedom. If all classifiers tie on every data set, the
    statistic is 0 and the p-value 1; if all data sets have the same ranking, F is infinite and the
    p-value 0.

    References
    ----------
    .. [1] Friedman, M. (1937). The use of ranks to avoid the assumption of normality implicit in the
       analysis of variance. Journal of the American Statistical Association 32, 675-701.
    .. [2] Iman, R. L. and Davenport, J. M. (1980). Approximations of the critical region of the
       Friedman statistic. Communications in Statistics 9, 571-595.
    .. [3] Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal
       of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> from skaucx.inference import friedman_test
    >>> friedman_test([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]])
    Friedman's test, Iman and Davenport's F
      statistic 13.0000, p-value 0.0066
      estimates 1.0000, 2.2500, 2.7500
      target: the classifiers on data sets like these
    """
    check_choice("correction", correction, ("iman-davenport", None))
    matrix, _ = checked_scores(scores, None, least=3)
    n, k = matrix.shape
    ranks = mean_ranks(matrix, greater_is_better)
    tied = bool((matrix == matrix[:, :1]).all())
    chi2 = 0.0 if tied else float(stats.friedmanchisquare(*matrix.T).statistic)
    statistic, df, p_value = friedman_statistic(chi2, n, k, correction)
    return ComparisonResult(
        method="Friedman's test, "
        + ("chi-squared" if correction is None else "Iman and Davenport's F"),
        statistic=float(statistic),
        p_value=float(p_value),
        estimates=tuple(ranks.tolist()),
        df=df,
        target="the classifiers on data sets like these",
    )


def nemenyi_test(
    scores: ArrayLike, *, names: Sequence[str] | None = None, greater_is_better: bool = True
) -> PairwiseResult:
    r"""Compare every pair of classifiers by their mean ranks over many data sets (Nemenyi's test).

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_classifiers)
        As for :func:`friedman_test`, for two or more classifiers.
    names : list of str, default=None
        Names of the classifiers; by default the columns of a data frame, or "0", "1" ...
    greater_is_better : bool, default=True
        Whether the greatest score of a data set has rank 1.

    Returns
    -------
    PairwiseResult
        The statistic of a pair is the difference of its mean ranks divided by its standard error.

    Raises
    ------
    ValueError
        If `scores` is not a matrix of finite numbers of that shape, or `names` does not match it.

    Notes
    -----
    .. math:: q = \frac{|R_i - R_j|}{\sqrt{K (K + 1) / (6 N)}}

    and q times the square root of 2 is compared with the range of K studentised normal variables
    [1]_ [2]_. To be used after a significant :func:`friedman_test`.

    References
    ----------
    .. [1] Nemenyi, P. B. (1963). Distribution-free multiple comparisons. PhD thesis, Princeton
       University.
    .. [2] Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal
       of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> from skaucx.inference import nemenyi_test
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]]
    >>> nemenyi_test(scores).p_values.round(3)[0].tolist()
    [1.0, 0.181, 0.036]
    """
    matrix, named = checked_scores(scores, names, least=2)
    n, k = matrix.shape
    ranks, (i, j) = mean_ranks(matrix, greater_is_better), pairs_of(k)
    # Sums of ranks are whole numbers of halves, so that most pairs share their difference with others.
    gaps, which = np.unique(np.rint(2 * n * np.abs(ranks[i] - ranks[j])), return_inverse=True)
    q, p = gaps / (2 * n) / rank_error(n, k), np.empty(len(gaps))
    with ProgressBar.of_resamples(len(gaps), "differences of ranks") as bar:
        for some in np.array_split(np.arange(len(gaps)), -(-len(gaps) // _RANGES_AT_ONCE)):
            p[some] = stats.studentized_range.sf(q[some] * np.sqrt(2), k, np.inf)
            bar.advance(len(some))
    return _of_pairs("Nemenyi's test", named, ranks, q[which], np.clip(p, 0, 1)[which], n)


_RANGES_AT_ONCE = 250  # integrals of SciPy, some milliseconds


def wilcoxon_holm_test(
    scores: ArrayLike, *, names: Sequence[str] | None = None, greater_is_better: bool = True
) -> PairwiseResult:
    """Compare every pair of classifiers over many data sets by Wilcoxon's signed ranks.

    The p-values are adjusted by Holm's rule for the number of pairs [2]_. Unlike in
    :func:`nemenyi_test`, the result for a pair does not depend on the other classifiers [3]_.

    Parameters
    ----------
    scores : array-like of shape (n_datasets, n_classifiers)
        As for :func:`friedman_test`, for two or more classifiers.
    names : list of str, default=None
        Names of the classifiers; by default the columns of a data frame, or "0", "1" ...
    greater_is_better : bool, default=True
        Whether the greatest score of a data set has rank 1.

    Returns
    -------
    PairwiseResult
        The statistic of a pair is the smaller sum of signed ranks.

    Raises
    ------
    ValueError
        If `scores` is not a matrix of finite numbers of that shape, or `names` does not match it.

    Notes
    -----
    The p-values are those of :func:`scipy.stats.wilcoxon`, two-sided [1]_: exact for up to 50 data sets
    without equal differences and for up to 13 with them, else of the normal approximation. The ranks of
    zero differences are split between both signs. A pair that ties on every data set has p-value 1.

    References
    ----------
    .. [1] Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1,
       80-83.
    .. [2] Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian
       Journal of Statistics 6, 65-70.
    .. [3] Benavoli, A., Corani, G. and Mangili, F. (2016). Should we really use post-hoc tests based
       on mean-ranks? Journal of Machine Learning Research 17(5), 1-10.

    Examples
    --------
    >>> from skaucx.inference import wilcoxon_holm_test
    >>> a = [0.81, 0.92, 0.73, 0.64, 0.85, 0.76]
    >>> b = [0.80, 0.90, 0.70, 0.60, 0.80, 0.70]
    >>> wilcoxon_holm_test(list(zip(a, b))).p_values[0].tolist()
    [1.0, 0.03125]
    """
    matrix, named = checked_scores(scores, names, least=2)
    i, j = pairs_of(matrix.shape[1])
    statistics, p = _wilcoxon(matrix, i, j)
    ranks, title = mean_ranks(matrix, greater_is_better), "Wilcoxon's test with Holm's rule"
    return _of_pairs(title, named, ranks, statistics, holm_adjusted(p), len(matrix))


def pairs_of(k: int, size: int = 160) -> tuple[Codes, Codes]:
    """Return the pairs i < j of k classifiers; the test of each takes so many bytes."""
    advice = "Leave out classifiers that are out of the question."
    check_memory(size * math.comb(k, 2), f"A test of all pairs of {k:,} classifiers", advice)
    return np.triu_indices(k, 1)


def _of_pairs(
    title: str, names: tuple[str, ...], ranks: Floats, statistics: Floats, p: Floats, n: int
) -> PairwiseResult:
    """Return symmetric matrices of the tests of the pairs i < j, row by row."""
    k = len(ranks)
    (i, j), grids = pairs_of(k), (np.full((k, k), np.nan), np.eye(k))
    for grid, values in zip(grids, (statistics, p), strict=True):
        grid[i, j] = grid[j, i] = values
    return PairwiseResult(title, names, ranks, *grids, n)


def critical_difference(n_datasets: int, n_classifiers: int, alpha: float = 0.05) -> float:
    """Return the least significant difference of two mean ranks in Nemenyi's test.

    Parameters
    ----------
    n_datasets : int
        Number of data sets.
    n_classifiers : int
        Number of classifiers.
    alpha : float, default=0.05
        Size of the test, in (0, 1).

    Returns
    -------
    float

    Examples
    --------
    >>> from skaucx.inference import critical_difference
    >>> round(critical_difference(14, 4), 2)
    1.25
    """
    quantile = stats.studentized_range.ppf(
        1 - OPEN_SHARE.check("alpha", alpha), n_classifiers, np.inf
    )
    return float(quantile / np.sqrt(2) * rank_error(n_datasets, n_classifiers))


def checked_scores(
    scores: Any, names: Sequence[str] | None, least: int
) -> tuple[Floats, tuple[str, ...]]:
    """Return a matrix of scores, one row per data set, and the names of its columns."""
    matrix = float_array(scores, "scores")
    if matrix.ndim != 2 or len(matrix) < 2 or matrix.shape[1] < least:
        raise ValueError(
            f"scores must have two or more rows (data sets) and {least} or more columns "
            f"(classifiers), found shape {matrix.shape}."
        )
    if not np.isfinite(matrix).all():
        raise ValueError("scores contains NaN or infinity; omit such a data set or classifier.")
    if names is None:
        names = [str(name) for name in getattr(scores, "columns", range(matrix.shape[1]))]
    if len(names) != matrix.shape[1] or len(set(names)) < len(names):
        raise ValueError(
            f"names must be {matrix.shape[1]} distinct names, one per column of scores, found "
            f"{names!r}."
        )
    return matrix, tuple(names)


def mean_ranks(matrix: Floats, greater_is_better: bool = True) -> Floats:
    """Return the mean over the rows of each column's rank; 1 is the best, ties share their mean rank."""
    ordered = -matrix if greater_is_better else matrix
    return np.asarray(stats.rankdata(ordered, axis=-1).mean(axis=-2))


def rank_error(n: int, k: int) -> float:
    """Return the standard error of the difference of two mean ranks, divided by sqrt(2)."""
    return float(np.sqrt(k * (k + 1) / (6 * n)))


def friedman_statistic(chi2: Any, n: int, k: int, correction: str | None) -> tuple[Any, Any, Any]:
    """Return statistic, degrees of freedom and p-value for Friedman's chi-squared of any shape."""
    if correction is None:
        return chi2, k - 1, stats.chi2.sf(chi2, k - 1)
    df = (k - 1, (k - 1) * (n - 1))
    # F = (n - 1) chi2 / (n (k - 1) - chi2) (Iman & Davenport 1980).
    # Rounding may exceed the greatest value n (k - 1) of chi-squared.
    room = np.maximum(n * (k - 1) - np.asarray(chi2), 0)
    above = (n - 1) * np.asarray(chi2, dtype=np.float64)
    infinite = np.full(above.shape, np.inf)
    statistic = np.divide(above, room, out=infinite, where=room > 1e-9)
    return statistic, df, stats.f.sf(statistic, *df)


# Numbers of differences at once, and data sets with exact p-values: of differences without and with
# zeros or ties, as in SciPy.
_AT_ONCE, _UNTIED, _TIED = 1 << 20, 50, 13


def _wilcoxon(matrix: Floats, i: Codes, j: Codes) -> tuple[Floats, Floats]:
    """Return statistics and p-values of the pairs of columns i and j.

    SciPy takes one way for all that it is given, counts the exact distribution pair by pair, and with
    ties goes through all signs; here it is counted once for all pairs with the same ranks.
    """
    statistics, p, n = np.zeros(len(i)), np.ones(len(i)), len(matrix)
    columns = np.ascontiguousarray(matrix.T)
    with ProgressBar.of_resamples(len(i), "pairs") as bar:
        for some in np.array_split(np.arange(len(i)), -(-len(i) * n // _AT_ONCE)):
            gaps = columns[i[some]] - columns[j[some]]
            # Twice the ranks, which of ties are whole numbers too.
            ranks = np.rint(2 * stats.rankdata(np.abs(gaps), axis=1)).astype(np.intp)
            ordered = np.sort(np.where(gaps != 0, ranks, 0), axis=1)
            tied = (ordered != 2 * np.arange(1, n + 1)).any(axis=1)
            for alike, most in ((~tied, _UNTIED), (tied & (ordered[:, -1] > 0), _TIED)):
                if not alike.any():
                    continue
                if n > most:
                    found = _by_scipy(gaps[alike])
                else:
                    found = _by_counts(gaps[alike], ranks[alike], ordered[alike])
                statistics[some[alike]], p[some[alike]] = found
            bar.advance(len(some))
    return statistics, p


def _by_counts(gaps: Floats, ranks: Codes, ordered: Codes) -> tuple[Floats, Floats]:
    """Return the smaller sums of signed ranks of rows, and how probable one as small is.

    Of the 2^n signs as many give the sum s of the ranks r of positive differences as the product of the
    1 + x^r has for a coefficient of x^s. Half of the rank of a zero is positive whatever its sign.
    """
    n, total, signed = gaps.shape[1], ranks.sum(axis=1), ordered.sum(axis=1)
    positive = np.where(gaps > 0, ranks, 0).sum(axis=1)
    least = np.minimum(positive, signed - positive)
    alike, which = ordered[:1], np.zeros(len(gaps), dtype=np.intp)
    if (ordered != alike).any():
        alike, which = np.unique(ordered, axis=0, return_inverse=True)
    ways = np.zeros((len(alike), n * (n + 1) + 1))
    ways[:, 0] = 1
    sums = np.arange(ways.shape[1])
    for rank in alike.T[..., None]:
        ways += np.where(
            sums < rank, 0, np.take_along_axis(ways, np.maximum(sums - rank, 0), axis=1)
        )
    up_to = np.cumsum(ways, axis=1)[which.ravel(), least] / 2.0**n
    return (2 * least + total - signed) / 4, np.minimum(2 * up_to, 1)


def _by_scipy(differences: Floats) -> tuple[Floats, Floats]:
    with warnings.catch_warnings():
        # SciPy before 1.13 warns that it uses the normal approximation with zeros.
        warnings.filterwarnings("ignore", "Exact p-value|Sample size too small", UserWarning)
        found = stats.wilcoxon(differences, zero_method="zsplit", axis=1)
    return np.asarray(found.statistic), np.asarray(found.pvalue)


_SIDE = 0.3  # of the width: the most that names have on either side
_LEAD = 0.1  # lengths of the scale from its end to the names
_TESTS = {"nemenyi": nemenyi_test, "wilcoxon": wilcoxon_holm_test}


@dataclass(eq=False)
class CriticalDifferenceDisplay(Display):
    """Critical-difference diagram: mean ranks on a line, with bars over classifiers that do not differ.

    Made by :meth:`from_scores`. The best mean rank is on the left. For Nemenyi's test the critical
    difference is drawn above the line.

    Parameters
    ----------
    result : PairwiseResult
        The tests of all pairs.
    alpha : float, default=0.05
        Significance level: a pair differs if its p-value is below it.
    length : float, default=nan
        The critical difference to draw above the line, in ranks; none is drawn for nan.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the last plot.
    figure_ : matplotlib Figure
        The figure of the last plot.

    References
    ----------
    .. [1] Demsar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal
       of Machine Learning Research 7, 1-30.

    Examples
    --------
    >>> from skaucx.inference import CriticalDifferenceDisplay
    >>> scores = [[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.9, 0.7, 0.8], [0.7, 0.6, 0.5]]
    >>> display = CriticalDifferenceDisplay.from_scores(scores, names=["a", "b", "c"])
    >>> display.result.groups(display.alpha)
    (('a', 'b'), ('b', 'c'))
    """

    result: PairwiseResult
    alpha: float = 0.05
    length: float = math.nan

    @classmethod
    def from_scores(
        cls,
        scores: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        test: Literal["nemenyi", "wilcoxon"] = "nemenyi",
        alpha: float = 0.05,
        greater_is_better: bool = True,
        ax: Axes | None = None,
    ) -> CriticalDifferenceDisplay:
        """Test all pairs of classifiers and draw the diagram.

        Parameters
        ----------
        scores : array-like of shape (n_datasets, n_classifiers)
            One score of each classifier on each data set.
        names : list of str, default=None
            Names of the classifiers; by default the columns of a data frame, or "0", "1" ...
        test : {"nemenyi", "wilcoxon"}, default="nemenyi"
            :func:`nemenyi_test` or :func:`wilcoxon_holm_test`.
        alpha : float, default=0.05
            Size of the test, in (0, 1).
        greater_is_better : bool, default=True
            Whether the greatest score of a data set has rank 1.
        ax : matplotlib Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        CriticalDifferenceDisplay

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        """
        check_choice("test", test, _TESTS)
        result = _TESTS[test](scores, names=names, greater_is_better=greater_is_better)
        length = math.nan
        if test == "nemenyi":
            length = critical_difference(result.n_datasets, len(result.names), alpha)
        return cls(result, alpha, length).plot(ax=ax)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        rows = (len(self.result.names) + 1) // 2
        return 7, 1.2 + 0.22 * (len(self.result.groups(self.alpha)) + 1.4 * rows)

    def _draw(self, ax: Any) -> None:
        groups, names = self.result.groups(self.alpha), self.result.names
        self._ink = ink(self.ax_)
        self._side = self._room()
        self._texts: list[Any] = []
        top = self._draw_scale(self.ax_, len(names))
        bottom = self._draw_groups(self.ax_, groups)
        depth = self._draw_names(self.ax_, bottom)
        margin = self._side * (len(names) - 1)
        self.ax_.set(xlim=(1 - margin, len(names) + margin), ylim=(depth, top))
        self.ax_.set_axis_off()
        fit_rows(self.ax_, self._texts)

    def _room(self) -> float:
        """Return the extent of leads and names on either side of the scale, in lengths of the scale."""
        widest = max(text_width(self.ax_, label) for label in self._labels())
        names = min(_SIDE, 1.05 * widest / inches(self.ax_)[0])
        scale = (1 - 2 * names) / (1 + 2 * _LEAD)  # of the width
        return (1 / scale - 1) / 2

    def _labels(self) -> list[str]:
        letters = int(10 * _SIDE * inches(self.ax_)[0] / text_width(self.ax_, "n" * 10))
        names = apart(self.result.names, int(np.clip(1.6 * letters - 7, 6, 30)), 1)
        ranks = self.result.mean_ranks
        return [f" {name} ({rank:.2f}) " for name, rank in zip(names, ranks, strict=True)]

    def _draw_scale(self, ax: Any, classifiers: int) -> float:
        """Draw the line of ranks at height 0 and the critical difference above it."""
        ax.plot([1, classifiers], [0, 0], color=self._ink, linewidth=1)
        fit = max(2, int(inches(ax)[0] / (1 + 2 * self._side) / 0.25))  # numbers of a quarter inch
        step = -(-classifiers // fit)
        for rank in range(1, classifiers + 1, step):
            ax.plot([rank, rank], [0, 0.25], color=self._ink, linewidth=1)
            self._write(rank, 0.35, str(rank), ha="center", va="bottom")
        if math.isnan(self.length):
            return 1.4
        end = 1 + self.length
        ax.plot([1, end], [1.9, 1.9], color=self._ink, linewidth=1.5)
        for x in (1, end):
            ax.plot([x, x], [1.75, 2.05], color=self._ink, linewidth=1.5)
        self._write(1, 2.15, f"critical difference {significant(self.length)}", va="bottom")
        return 3.3

    def _write(self, x: float, y: float, words: str, **align: str) -> None:
        self._texts.append(self.ax_.text(x, y, words, **align))

    def _draw_groups(self, ax: Any, groups: Sequence[Sequence[str]]) -> float:
        """Draw a bar over each group; return the height below the last one."""
        at = dict(zip(self.result.names, self.result.mean_ranks, strict=True))
        height, colour = -0.4, palette(ax)[0]
        thick = min(4.0, 72 * inches(ax)[1] / (len(self.result.names) + 8) * 0.2)
        for group in groups:
            ends = at[group[0]] - 0.03, at[group[-1]] + 0.03
            ax.plot(ends, [height, height], color=colour, linewidth=thick, solid_capstyle="butt")
            height -= 0.4
        return height

    def _draw_names(self, ax: Any, bottom: float) -> float:
        """Connect each mean rank with its name: the better half on the left, the worse on the right."""
        classifiers = len(self.result.names)
        order = np.argsort(self.result.mean_ranks, kind="stable")
        left = (classifiers + 1) // 2
        margin, labels = _LEAD * (classifiers - 1), self._labels()
        for place, index in enumerate(order.tolist()):
            rank = float(self.result.mean_ranks[index])
            depth = bottom - (place if place < left else classifiers - 1 - place) - 0.3
            edge, side = (1 - margin, "right") if place < left else (classifiers + margin, "left")
            ax.plot([rank, rank, edge], [0, depth, depth], color=self._ink, linewidth=0.8)
            self._write(edge, depth, labels[index], ha=side, va="center")
        return bottom - left - 0.2
