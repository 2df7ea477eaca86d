"""Bands around ROC and precision-recall curves."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import integrate, special
from sklearn.exceptions import UndefinedMetricWarning

from ..._arguments import Label
from ..._arrays import Array, Bools, Codes, Floats, RandomState, Rows, float_array
from ..._compat import warn
from ..._options import check_choice, check_confidence_level, check_flag, check_whole
from ..._text.html import curve
from ..._text.plain import paragraph
from ...metrics._formulas.rates import false_positive_rate
from ...metrics._formulas.rates import precision as precision_of
from ...metrics._formulas.rates import recall as recall_of
from ...metrics._kinds.scores.state import ScoreSample
from ...metrics._records.counts import Counts
from ...metrics._records.inputs import check_binary_scores
from ...metrics._registry.resampling import (
    Resampling,
    generator,
    seed_of,
)
from ...metrics.curves._decisions import DecisionCurve, decision_curve, net_benefits
from ...metrics.curves._ranked import Points
from .._intervals.bootstrap import Ends
from .._intervals.interval import groups_of_rows
from .._intervals.limits import quantile
from .._intervals.means import EffectiveSize, cuts, effective_size
from .._intervals.proportions import clopper_pearson


class CurveSample:
    """Scores of one binary problem and the counts at all thresholds, with a leading axis of one."""

    def __init__(
        self,
        y_true: Any,
        y_score: Any,
        pos_label: Any,
        sample_weight: Any,
        groups: Any,
    ) -> None:
        self.truth, scored = check_binary_scores(
            "A band of a curve", y_true, y_score, pos_label, sample_weight=sample_weight
        )
        self.sample, self.pos_label = ScoreSample(scored), pos_label
        self.groups = groups_of_rows(groups, y_true, sample_weight)
        self.counts = self.reweighted(np.ones((1, self.sample.n_rows)))

    def reweighted(self, counts: Floats) -> Counts:
        """Return the counts at all thresholds, one row a replicate."""
        return self.sample.reweighted(counts).binary_ranking(self.pos_label).threshold_counts

    def resampled(
        self, values: Callable[[Counts], Floats], n_resamples: int, stratify: bool, seed: int
    ) -> Floats:
        """Return the values of the resamples without undefined values, one row per resample."""
        stratify = check_flag("stratify", stratify)
        drawn = Resampling.of(self.sample, stratify=stratify, groups=self.groups)
        parts = drawn.resamples(int(n_resamples), generator(seed))
        found = np.concatenate([values(self.reweighted(counts)) for counts in parts])
        return found[~np.isnan(found).any(axis=1)]

    @property
    def independent(self) -> bool:
        """Whether every row is an independent example of weight 1."""
        return self.sample.weight is None and self.groups is None

    @property
    def corners(self) -> tuple[Counts, Counts]:
        """The counts between which those of the rows lie."""
        return self.counts, self.counts

    @property
    def both_classes(self) -> bool:
        """Whether both classes occur."""
        return bool(self.truth.any() and not self.truth.all())

    @cached_property
    def sizes(self) -> tuple[EffectiveSize, EffectiveSize]:
        """The effective sample sizes of the positives and the negatives at each threshold."""
        positives, negatives = (
            self._size(rows, *(getattr(each, name) for each in (self.counts, self._squares)))
            for rows, name in ((self.truth, "tp"), (~self.truth, "fp"))
        )
        return positives, negatives

    def prevalence(self) -> tuple[float, EffectiveSize]:
        """Return the prevalence of the sample and its effective sample size."""
        every = np.ones(len(self.truth), dtype=bool)
        size = self._size(
            every, self.counts.positives[:, :1], self._squares.positives[:, :1], [self.truth]
        )
        return float((self.counts.positives / self.counts.total)[0, 0]), size

    @cached_property
    def _squares(self) -> Counts:
        """The sums of the squares of the weights at all thresholds."""
        weight = self.sample.weight
        return self.counts if weight is None else self.reweighted(weight[None])

    def _size(
        self, rows: Bools, above: Floats, squares: Floats, hits: Iterable[Bools] | None = None
    ) -> EffectiveSize:
        """Return the effective sample size of a share, from sums of weights and of their squares."""
        if self.independent:
            return EffectiveSize(np.count_nonzero(rows))
        every = np.ones(len(rows)) if self.sample.weight is None else self.sample.weight
        weight, groups = every[rows], None if self.groups is None else self.groups[rows]
        total = weight.sum()
        hits = cuts(self.sample.scored.score[rows]) if hits is None else hits
        return effective_size(above[0] / total, squares[0] / total**2, weight / total, groups, hits)


# Candidate local error rates; the simulation chooses one.
_RATES = np.geomspace(2e-4, 0.6, 32)
# Larger classes are simulated with this many examples: the rate decreases like log log n.
_MOST_SIMULATED = 1000
# Scores that are drawn at once.
_AT_ONCE = 1 << 18
# Draws for a pointwise band, evaluated point by point.
_MOST_POINTWISE = 500
# Greatest number of thresholds with a rectangle; if there are more, evenly spaced ones are used.
_MOST_POINTS = 20_000

CountsAbove = tuple[Codes, Codes]
# Values of curves at given abscissae, and the share of the rows above each threshold.
ValuesAt = Callable[[Counts, Floats], tuple[Floats, Floats]]


def sweep(of_tpr: Ends, of_fpr: Ends, at: Floats, aside: bool) -> Ends:
    """Return the least and the greatest ordinate of increasing curves through all rectangles."""
    (left, right), (bottom, top) = (of_tpr, of_fpr) if aside else (of_fpr, of_tpr)
    first = np.searchsorted(left, at, side="left")
    last = np.searchsorted(right, at, side="right") - 1
    return np.where(last < 0, 0.0, bottom[last]), np.append(top, 1.0)[first]


@dataclass(frozen=True)
class BinormalCoverage:
    """Local error rates that give the requested coverage for curves of two normal classes."""

    sizes: tuple[int, int]
    auc: float
    aside: bool

    def rates(
        self,
        at: Floats,
        confidence_level: float,
        rng: np.random.Generator,
        *,
        simultaneous: bool,
        n_draws: int,
    ) -> Floats:
        """Return one local error rate per point, the same for all points of a simultaneous band."""
        of_size = {
            size: clopper_pearson(np.arange(size + 1), size, 1 - _RATES[:, None])
            for size in set(self.sizes)
        }
        tables = [of_size[size] for size in self.sizes]
        draws = self._draws(n_draws, rng)
        if simultaneous:
            passed = self._passed(tables, draws)
            level = int(np.quantile(passed, 1 - confidence_level, method="lower")) - 1
            return np.full(len(at), _RATES[max(level, 0)])
        few = min(n_draws, _MOST_POINTWISE)
        each = (counts_above(ordered) for drawn in draws for ordered in drawn)
        inside = sum(self._inside(tables, above, at) for above in islice(each, few))
        enough = np.cumprod(inside >= confidence_level * few, axis=0).sum(axis=0)
        return np.asarray(_RATES[np.maximum(enough - 1, 0)])

    def _passed(self, tables: list[Ends], draws: Iterator[Bools]) -> Codes:
        """Return for each draw the number of rates, from the least, whose band contains the whole curve.

        Between the j-th positive and the next, at least k negatives are above the threshold. The
        curve is closest to the lower right corner of a rectangle for the fewest negatives, to the
        upper left corner for the most, so the corners at positives decide.
        """
        table, positives = self._levels(tables), self.sizes[0]
        found = []
        for ordered in draws:
            place = np.flatnonzero(ordered).reshape(-1, positives) % ordered.shape[1]
            above = place - np.arange(positives)
            found.append(table[above, np.arange(1, positives + 1)].min(axis=1))
        return np.concatenate(found)

    def _levels(self, tables: list[Ends]) -> Codes:
        """Return how many rates contain a curve whose j-th positive is below k negatives."""
        (bottom, top), (left, right) = tables
        right_of, left_of = self._curve(right), self._curve(left)
        negatives, width = left.shape[1], bottom.shape[1] + 1
        change = np.zeros(negatives * width, dtype=np.int8)
        for level in range(len(_RATES)):
            # bottom_j <= R(right_k) and R(left_k) <= top_(j - 1) hold from the first to the last j.
            first = np.searchsorted(top[level], left_of[level]) + 1
            last = np.searchsorted(bottom[level], right_of[level], side="right")
            row = np.arange(negatives) * width
            change[row + np.minimum(first, last)] += 1
            change[row + last] -= 1
        return np.cumsum(change.reshape(negatives, width), axis=1, dtype=np.int8)

    def _inside(self, tables: list[Ends], above: CountsAbove, at: Floats) -> Bools:
        """Return for each rate the points at which the curve of a draw is inside the band."""
        truth = self._curve(at, -1) if self.aside else self._curve(at)
        found = []
        for level in range(len(_RATES)):
            of_tpr, of_fpr = (
                (low[level, counts], high[level, counts])
                for (low, high), counts in zip(tables, above, strict=True)
            )
            low, high = sweep(of_tpr, of_fpr, at, self.aside)
            found.append((low <= truth) & (truth <= high))
        return np.array(found)

    def _curve(self, rate: Floats, side: int = 1) -> Floats:
        """Return the true positive rate at false positive rates, or with side -1 the reverse."""
        return np.asarray(special.ndtr(special.ndtri(rate) + side * self._shift))

    @property
    def _shift(self) -> float:
        return float(np.sqrt(2) * special.ndtri(self.auc))

    def _draws(self, n_draws: int, rng: np.random.Generator) -> Iterator[Bools]:
        """Yield which of the examples of each draw, from the highest score on, are positive."""
        positives, size = self.sizes[0], sum(self.sizes)
        step = max(1, _AT_ONCE // size)
        for start in range(0, n_draws, step):
            fallen = -rng.standard_normal((min(step, n_draws - start), size))
            fallen[:, :positives] -= self._shift
            # The last bit of a score stores its class during the sort.
            bits = fallen.view(np.int64)
            bits &= ~1
            bits[:, :positives] |= 1
            fallen.sort(axis=1)
            yield (bits & 1).astype(bool)


def counts_above(ordered: Array) -> CountsAbove:
    """Return the positives and the negatives among the first 0, 1, ... of ordered labels."""
    j = np.append(0, np.cumsum(ordered)).astype(np.intp)
    return j, np.arange(len(j)) - j


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class _Band(Points):
    """Short text of a band, and its label in legends."""

    _curve: ClassVar[str]

    low: Floats
    high: Floats
    confidence_level: float
    method: str
    simultaneous: bool
    n_resamples: int = 0
    seed: int | None = None
    note: str = ""
    target: str = "the population, by these predictions"

    @property
    def label(self) -> str:
        """The confidence level, and whether it is pointwise."""
        return f"{100 * self.confidence_level:g} % band{'' if self.simultaneous else ', pointwise'}"

    @property
    def about(self) -> str:
        """Draws and their seed, the target, and the note."""
        drawn = f"{self.n_resamples} draws, seed {self.seed}" if self.n_resamples else ""
        each = "the whole curve" if self.simultaneous else "each point of the curve separately"
        return "; ".join(filter(None, [drawn, f"target: {each} of {self.target}", self.note]))

    def __repr__(self) -> str:
        reported = f"{type(self).__name__}({len(self.low)} points, {self.label}, {self.method})"
        return f"{reported}\n{paragraph(self.about, hang=2)}"

    def _repr_html_(self) -> str:
        """Show the curve and its band in a notebook."""
        x, y = self._tuple[:2]
        title = f"{self._curve} curve, {self.label} ({self.method}; {self.about})"
        return curve(title, x, y, self.low, self.high)


@dataclass(frozen=True, eq=False, repr=False)
class RocBand(_Band):
    """A band around a ROC curve.

    Attributes
    ----------
    fpr : ndarray of shape (n_points,), float64
        False positive rates at which the band is given.
    tpr : ndarray of shape (n_points,), float64
        The curve of the sample at `fpr`, the upper end of vertical steps.
    low, high : ndarray of shape (n_points,), float64
        The band; nan where a class is missing.
    confidence_level : float
        The nominal confidence level.
    method : str
    simultaneous : bool
        Whether the confidence level applies to the whole curve, or to each point separately.
    n_resamples : int
        Number of resampled or simulated curves; 0 for "dkw".
    seed : int or None
        The seed that reproduces them, given or drawn.
    note : str
        A caution about the band, or "".
    target : str
        The target of the band.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "low", "high")
    _curve: ClassVar[str] = "ROC"

    fpr: Floats
    tpr: Floats


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallBand(_Band):
    """A band around a precision-recall curve.

    Attributes
    ----------
    recall : ndarray of shape (n_points,), float64
        Recalls at which the band is given.
    precision : ndarray of shape (n_points,), float64
        The precision at the highest threshold that reaches the recall.
    low, high : ndarray of shape (n_points,), float64
        The band; nan where a class is missing.
    confidence_level : float
        The nominal confidence level.
    method : str
    simultaneous : bool
        Whether the confidence level applies to the whole curve, or to each point separately.
    n_resamples : int
        Number of resampled or simulated curves; 0 for "dkw".
    seed : int or None
        The seed that reproduces them, given or drawn.
    note : str
        A caution about the band, or "".
    target : str
        The target of the band.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("recall", "precision", "low", "high")
    _curve: ClassVar[str] = "Precision-recall"

    recall: Floats
    precision: Floats


# Default abscissae of a band.
_POINTS = 101
_RESAMPLED = (  # benchmarks/results: band_coverage.md
    "resampled bands contain as few as 25 % of whole curves at an AUC of .95; the coverage of "
    "method='rectangles' is at least about the nominal 95 %"
)
_MISSING_CLASS = "examples of both classes; one is missing"
_LONE_GROUP = "two groups with examples of each class; one class has a single group"


class _Request(NamedTuple):
    """A band around the curve of a sample, at some abscissae."""

    curve: Any
    method: str
    values_at: ValuesAt
    at: Floats
    confidence_level: float
    simultaneous: bool
    n_resamples: int
    seed: int

    def around(self, kind: Callable[..., Any], ends: Ends) -> Any:
        """Return the band of a curve, which contains the vertical steps of its counts."""
        least, most = (self.values_at(each, self.at)[0][0] for each in self.curve.corners)
        drawn = {"n_resamples": int(self.n_resamples), "seed": self.seed}
        return kind(
            self.at, self.values_at(self.curve.counts, self.at)[0][0],
            low=np.minimum(ends[0], least), high=np.maximum(ends[1], most), method=self.method,
            confidence_level=self.confidence_level, simultaneous=self.simultaneous,
            note=_RESAMPLED if self.method == "bootstrap" and self.simultaneous else "",
            **({} if self.method == "dkw" else drawn),
        )  # fmt: skip

    def nothing(self, reason: str) -> Ends:
        """Return no band, with a warning."""
        warn(f"A band needs {reason}, and the band is nan.", UndefinedMetricWarning)
        return np.full(len(self.at), np.nan), np.full(len(self.at), np.nan)

    def swept(self, aside: bool) -> tuple[Floats, Floats, Floats]:
        """Return the union of the rectangles, for false positive rates if `aside`, and local errors.

        The band is nan without a class, or two groups of each.
        """
        curve, at, n_draws = self.curve, self.at, check_whole("n_resamples", self.n_resamples, 2)
        if not curve.both_classes:
            return *self.nothing(_MISSING_CLASS), at
        if np.isnan([each.typical for each in curve.sizes]).any():
            return *self.nothing(_LONE_GROUP), at
        rates = recall_of(curve.counts[0]), false_positive_rate(curve.counts[0])
        p, n = (int(np.clip(round(each.typical), 1, _MOST_SIMULATED)) for each in curve.sizes)
        # The area is kept away from 1/2 and 1 by half a misranked pair per example.
        most = 1 - 0.5 / max(1.0, min(each.typical for each in curve.sizes))
        area = min(max(float(integrate.trapezoid(*rates)), 0.5), most)
        local = BinormalCoverage((p, n), area, aside).rates(
            at, self.confidence_level, generator(self.seed),
            simultaneous=self.simultaneous, n_draws=n_draws,
        )  # fmt: skip
        few: Any = slice(None)
        if len(rates[0]) > _MOST_POINTS:
            few = np.linspace(0, len(rates[0]) - 1, _MOST_POINTS).astype(np.intp)
        low, high = np.empty(len(at)), np.empty(len(at))
        for error in np.unique(local).tolist():
            own, sizes = local == error, zip(curve.sizes, rates, strict=True)
            of_tpr, of_fpr = (each.at(few).ends(rate[few], error) for each, rate in sizes)
            low[own], high[own] = sweep(of_tpr, of_fpr, at[own], aside)
        return low, high, local

    def resampled(self, stratify: bool) -> Ends:
        """Return a band of a multiple of the standard errors around the curve of the sample."""
        size = check_whole("n_resamples", self.n_resamples, 2)
        curves = self.curve.resampled(
            lambda counts: self.values_at(counts, self.at)[0], size, stratify, self.seed
        )
        if len(curves) < 2:
            return self.nothing(_MISSING_CLASS)
        (middle,), share = self.values_at(self.curve.counts, self.at)
        least = least_error(middle, share[0] * self.curve.sample.n_rows)
        width = half_width(curves, middle, least, self.confidence_level, self.simultaneous)
        return np.clip(middle - width, 0, 1), np.clip(middle + width, 0, 1)

    def dkw(self) -> Ends:
        """Return the union of the rectangles around the points of the curve."""
        if not (self.curve.independent and self.simultaneous):
            raise ValueError(
                "method='dkw' is simultaneous and requires independent rows; with "
                "sample_weight, groups or simultaneous=False use method='bootstrap'."
            )
        counts = self.curve.counts[0]
        if not (counts.positives[0] > 0 and counts.negatives[0] > 0):
            return self.nothing(_MISSING_CLASS)
        # The distance of an empirical distribution from the true one is bounded (Massart 1990).
        bound = -math.log((1 - math.sqrt(self.confidence_level)) / 2) / 2
        up, aside = (math.sqrt(bound / size) for size in (counts.positives[0], counts.negatives[0]))
        fpr, tpr = false_positive_rate(counts), recall_of(counts)
        below = tpr[np.searchsorted(fpr, np.minimum(self.at - aside, 1.0))] - up
        above = tpr[np.searchsorted(fpr, self.at + aside, side="right") - 1] + up
        return np.clip(below, 0, 1), np.clip(above, 0, 1)


def roc_band(
    y_true: Rows,
    y_score: Rows,
    *,
    method: str = "auto",
    simultaneous: bool = True,
    confidence_level: float = 0.95,
    fpr: ArrayLike | None = None,
    pos_label: Label = None,
    sample_weight: Rows | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: RandomState = None,
) -> RocBand:
    r"""Return a band around the ROC curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    method : {"auto", "rectangles", "bootstrap", "dkw"}, default="auto"
        "rectangles": the union of Clopper-Pearson rectangles around the points of the curve, with a
        simulated local level; weighted rows and rows in groups enter with their effective sample
        size. "bootstrap": a multiple of the standard errors of resampled curves. "dkw": the
        guaranteed band of the Dvoretzky-Kiefer-Wolfowitz inequality for any sample size and
        continuous scores, which is wide and always simultaneous. "auto" is "rectangles".
    simultaneous : bool, default=True
        Whether to widen the band until it contains a share `confidence_level` of the simulated or
        resampled curves entirely.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    fpr : array-like of shape (n_points,), default=None
        False positive rates in [0, 1]; None means 101 equally spaced ones.
    pos_label, sample_weight, groups, n_resamples, stratify, random_state
        As for :func:`interval`.

    Returns
    -------
    RocBand

    Raises
    ------
    ValueError, TypeError
        For bad input; for "dkw" with weights or groups, or a pointwise "dkw".

    Warns
    -----
    UndefinedMetricWarning
        If a class is missing, or has a single group; the band is then nan.

    Notes
    -----
    The target is the curve of the population of which the rows, or the groups, are a random sample.

    The local confidence of the rectangles is simulated with curves of two normal classes with the
    sizes and the AUC of the sample; it depends little on the curve. With weighted rows, or rows in
    groups, the effective sample size of a rate p is at most

    .. math:: n^* = \frac{1}{D} \, \frac{p (1 - p)}{\sum_i w_i^2 (x_i - p)^2}
        \left(\frac{z_{\eta / 2}}{t_{\eta / 2, \, d}}\right)^2

    [3]_, where the weights of a class sum to 1, D >= 1 is the design effect (the variance of sums
    over groups divided by that of independent rows), pooled over thresholds, and d + 1 is the
    effective number of groups, which is reduced for groups of unequal size.

    In simulations "rectangles" contain 92 to 100 % of whole curves; "bootstrap" as few as 25 % at an
    AUC of .95, because resampled curves contain no thresholds other than those of the sample
    (``benchmarks/results/band_coverage.md``).

    With P positives and N negatives, each class's empirical distribution is within
    d = sqrt(log(2 / a) / (2 m)) of the true one with probability 1 - a, here the square root of
    `confidence_level`, because the two are independent; every point of the curve is within its
    rectangle (Campbell 1994).

    The standard error is at least that of a proportion with two successes and two failures added,
    so that the bootstrap band also has a width close to (0, 0) and (1, 1), where resampled curves
    agree.

    References
    ----------
    .. [1] G. Campbell, Advances in statistical methodology for the evaluation of diagnostic and
       laboratory tests, Statistics in Medicine 13, 499-508, 1994.
    .. [2] S. A. Macskassy and F. Provost, Confidence bands for ROC curves: methods and an empirical
       study, ROC Analysis in Artificial Intelligence, 61-70, 2004.
    .. [3] E. L. Korn and B. I. Graubard, Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data, Survey Methodology 24, 193-201, 1998.

    Examples
    --------
    >>> from skaucx.inference import roc_band
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.9]
    >>> band = roc_band(y_true, y_score, fpr=[0, 0.5, 1], random_state=0)
    >>> band.tpr.tolist(), band.high.tolist()
    ([0.5, 1.0, 1.0], [0.5, 1.0, 1.0])
    """
    check_choice("method", method, ("auto", "rectangles", "bootstrap", "dkw"))
    method = "rectangles" if method == "auto" else method
    curve = CurveSample(y_true, y_score, pos_label, sample_weight, groups)
    how = check_confidence_level(confidence_level), check_flag("simultaneous", simultaneous)
    draws = n_resamples, seed_of(random_state)
    band = _Request(curve, method, _tpr_at, _grid(fpr, "fpr"), *how, *draws)
    if method == "rectangles":
        return band.around(RocBand, band.swept(False)[:2])
    return band.around(RocBand, band.dkw() if method == "dkw" else band.resampled(stratify))


def precision_recall_band(
    y_true: Rows,
    y_score: Rows,
    *,
    method: str = "auto",
    simultaneous: bool = True,
    confidence_level: float = 0.95,
    recall: ArrayLike | None = None,
    pos_label: Label = None,
    sample_weight: Rows | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: RandomState = None,
) -> PrecisionRecallBand:
    """Return a band around the precision-recall curve.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    method : {"auto", "rectangles", "bootstrap"}, default="auto"
        As for :func:`roc_band`. "rectangles" add an interval of the
        prevalence, of the same local confidence; with ``stratify=True`` it is that of the sample.
    simultaneous, confidence_level
        As for :func:`roc_band`.
    recall : array-like of shape (n_points,), default=None
        Recalls in [0, 1]; None means 101 equally spaced ones.
    pos_label, sample_weight, groups, n_resamples, stratify, random_state
        As for :func:`interval`.

    Returns
    -------
    PrecisionRecallBand

    Raises
    ------
    ValueError, TypeError
        For bad input.

    Examples
    --------
    >>> from skaucx.inference import precision_recall_band
    >>> y_true, y_score = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.9]
    >>> band = precision_recall_band(y_true, y_score, recall=[0.5, 1], random_state=0)
    >>> band.precision.round(4).tolist(), band.high.round(4).tolist()
    ([1.0, 0.6667], [1.0, 0.8185])
    """
    check_choice("method", method, ("auto", "rectangles", "bootstrap"))
    method = "rectangles" if method == "auto" else method
    curve = CurveSample(y_true, y_score, pos_label, sample_weight, groups)
    at, draws = _grid(recall, "recall"), (n_resamples, seed_of(random_state))
    how = check_confidence_level(confidence_level), check_flag("simultaneous", simultaneous)
    band = _Request(curve, method, _precision_at, at, *how, *draws)
    if method == "rectangles":
        least, most, local = band.swept(True)
        prevalence, size = curve.prevalence()
        fixed = check_flag("stratify", stratify)
        rare, common = [prevalence] * 2 if fixed else size.ends(np.asarray(prevalence), local)
        ends = _precision(at, most, rare), _precision(at, least, common)
    else:
        ends = band.resampled(stratify)
    return band.around(PrecisionRecallBand, ends)


def _grid(points: Any, name: str) -> Floats:
    if points is None:
        return np.linspace(0, 1, _POINTS)
    array = float_array(points, name)
    if array.ndim != 1 or not ((array >= 0) & (array <= 1)).all():
        raise ValueError(f"{name} must be a vector of numbers in [0, 1], found {points!r}.")
    return array


def _tpr_at(counts: Counts, at: Floats) -> tuple[Floats, Floats]:
    """Return the true positive rate at false positive rates, and the share above the threshold."""
    with np.errstate(invalid="ignore"):
        rows = zip(false_positive_rate(counts), recall_of(counts), strict=True)
        share = (counts.positives / counts.total)[:, -1:]
    return np.array([np.interp(at, x, y) for x, y in rows]), share


def _precision_at(counts: Counts, at: Floats) -> tuple[Floats, Floats]:
    """Return the precision at the highest threshold with a recall, and the share predicted positive."""
    with np.errstate(invalid="ignore"):
        recall, precision = recall_of(counts), precision_of(counts)
        called = counts.predicted_positives / counts.total
    last = recall.shape[1] - 1
    places = np.array([np.clip(np.searchsorted(x, at), 1, last) for x in recall])
    precision, called = (np.take_along_axis(x, places, axis=1) for x in (precision, called))
    return np.where(recall[:, -1:] > 0, precision, np.nan), called


def _precision(recall: Floats, fpr: Floats, prevalence: Any) -> Floats:
    """Return the precision of rates at a prevalence; 1 without predicted positives."""
    right, wrong = recall * prevalence, fpr * (1 - prevalence)
    called = right + wrong
    return np.divide(right, called, out=np.ones_like(called), where=called > 0)


def half_width(
    curves: Floats, middle: Floats, least: Any, confidence_level: float, simultaneous: bool
) -> Floats:
    """Return the multiple of standard errors whose band contains a share of whole resampled curves."""
    error = np.maximum(curves.std(axis=0, ddof=1), least)
    reach = quantile(confidence_level)
    if check_flag("simultaneous", simultaneous):
        far = np.divide(np.abs(curves - middle), error, where=error > 0, out=0 * curves)
        reach = max(reach, float(np.quantile(far.max(axis=1), confidence_level)))
    return np.asarray(reach * error)


def least_error(share: Floats, trials: Floats) -> Floats:
    """Return the error of a proportion after two successes and two failures are added.

    Where all resampled curves agree, as close to (0, 0) and (1, 1), their own standard error is 0.
    """
    p = (share * trials + 2) / (trials + 4)
    return np.sqrt(p * (1 - p) / (trials + 4))


def decision_band(
    y_true: Rows,
    y_proba: Rows,
    *,
    thresholds: ArrayLike | None = None,
    prevalence: float | None = None,
    simultaneous: bool = True,
    confidence_level: float = 0.95,
    pos_label: Label = None,
    sample_weight: Rows | None = None,
    groups: ArrayLike | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: RandomState = None,
) -> DecisionCurve:
    r"""Return a decision curve with a band around its net benefit, by the bootstrap.

    Parameters
    ----------
    y_true, y_proba, thresholds, prevalence
        As for :func:`decision_curve`.
    simultaneous : bool, default=True
        Whether to widen the band until it contains a share `confidence_level` of the resampled
        curves entirely; needed if a threshold is chosen after inspecting the curve.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    pos_label, sample_weight, groups, n_resamples, stratify, random_state
        As for :func:`interval`.

    Returns
    -------
    DecisionCurve
        Its ``low`` and ``high`` are the band; :class:`DecisionDisplay` draws it.

    Raises
    ------
    ValueError, TypeError
        As :func:`decision_curve` and :func:`interval` raise.

    Notes
    -----
    The half-width is a constant multiple of the standard errors of the resampled curves (sup-t
    band): with the standard error :math:`s(t)` and a resampled curve :math:`NB^*`,

    .. math:: NB(t) \pm q \, s(t), \qquad q = \text{quantile of} \max_t |NB^*(t) - NB(t)| / s(t)

    The standard error is at least that of the shares of true and false positives with two of each
    added to the sample, so that the band also has a width where nobody is predicted positive; it is
    wide at thresholds that few scores reach.

    References
    ----------
    .. [1] J. L. Montiel Olea and M. Plagborg-Moller, Simultaneous confidence bands: theory,
       implementation, and an application to SVARs, Journal of Applied Econometrics 34(1), 1-17, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.inference import decision_band
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 200)
    >>> y_proba = np.clip(0.3 * y_true + 0.7 * rng.random(200), 0, 1)
    >>> band = decision_band(y_true, y_proba, thresholds=[0.2, 0.5], random_state=0)
    >>> bool((band.low < band.net_benefit).all() and (band.net_benefit < band.high).all())
    True
    """
    check_confidence_level(confidence_level)
    check_whole("n_resamples", n_resamples, 2)
    curve = decision_curve(
        y_true, y_proba, thresholds=thresholds, prevalence=prevalence, pos_label=pos_label,
        confidence_level=confidence_level, sample_weight=sample_weight,
    )  # fmt: skip
    rows = CurveSample(y_true, y_proba, pos_label, sample_weight, groups)
    values = np.unique(rows.sample.scored.score)
    places = len(values) - np.searchsorted(values, curve.thresholds)
    odds = curve.thresholds / (1 - curve.thresholds)

    def benefits(counts: Counts) -> Floats:
        at = Counts(*(cells[:, places] for cells in counts.cells))
        return net_benefits(at if prevalence is None else at.at_prevalence(prevalence), odds)

    seed = seed_of(random_state)
    with np.errstate(invalid="ignore"):  # a resample without one of the classes
        curves = rows.resampled(benefits, n_resamples, stratify, seed)
    least = _least_error(rows.counts[0][places], odds, rows.sample.n_rows, prevalence)
    width = half_width(curves, curve.net_benefit, least, confidence_level, simultaneous)
    greatest = 1.0 if prevalence is None else curve.prevalence
    low, high = curve.net_benefit - width, np.minimum(curve.net_benefit + width, greatest)
    method = f"bootstrap, {n_resamples} draws, seed {seed}"
    return dataclasses.replace(curve, low=low, high=high, simultaneous=simultaneous, method=method)


def _least_error(counts: Counts, odds: Floats, examples: int, prevalence: float | None) -> Floats:
    """Return the standard error of true and false positives after adding two of each, and of the others.

    With a fixed prevalence they are shares of their classes, otherwise of all rows.
    """
    sizes, shares = (counts.total, counts.total), (1.0, 1.0)
    if prevalence is not None:
        sizes, shares = (counts.positives, counts.negatives), (prevalence, 1 - prevalence)
    right, wrong = (
        share * least_error(calls / size, examples * size / counts.total)
        for calls, size, share in zip((counts.tp, counts.fp), sizes, shares, strict=True)
    )
    return np.hypot(right, odds * wrong)
