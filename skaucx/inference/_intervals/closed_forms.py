"""Intervals without resampling: limits on a scale, closed forms, and influences of examples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Array, Bools, Codes, Floats
from ..._compat import warn
from ..._options import RealRange
from ...metrics._formulas.slopes import STEP, TIMES, derivatives, of_rows, of_sorted_rows, of_steps
from ...metrics._pairs.kernels import DifferenceFunction
from ...metrics._pairs.placements import (
    Placements,
    cluster_parts,
    counted_parts,
    pair_mean,
    variances,
)
from ...metrics._records.counts import Counts
from ...metrics._records.inputs import check_binary_scores, positive_code, rescaled, score_columns
from ...metrics._registry.declare import options_of_state
from ...metrics._registry.names import named_metric
from ...metrics._registry.row import Metric, Reading, apply, quiet
from ...metrics._registry.samples import (
    MetricOnSample,
    Resampling,
    has_placements,
    pieces,
    sample_of,
    values_of,
)
from ...metrics._registry.samples import placement_values as values_of_metric
from ...metrics.kinds.averages import average_of, mean_over_classes
from ...metrics.kinds.base import Sample
from ...metrics.kinds.labels import LabelState
from ...metrics.kinds.scores.class_scores import Probabilities
from ...metrics.kinds.scores.state import BinaryProblem, ClassCells, OneScore, OneVsOne, OneVsRest
from ...metrics.kinds.totals import KnownTotals, SumOf
from .bootstrap import BOOTSTRAPS, Ends, of_replicates, values_under

# A width, and a variance relative to that of independent rows, that can be rounding error.
_ROUNDING = 1e-12


class Limits(NamedTuple):
    """The limits of an interval, the standard error, and an optional name and note."""

    low: Floats
    high: Floats
    error: Floats
    method: str = ""
    note: str = ""

    @classmethod
    def nothing(cls, note: str = "", shape: tuple[int, ...] = ()) -> Limits:
        """Return no interval, with the reason."""
        nan = np.full(shape, np.nan)
        return cls(nan, nan, nan, note=note)


Forms: TypeAlias = dict[str, Callable[[], Limits]]


class Link(NamedTuple):
    """An increasing map of a metric's range onto the real line, its inverse, and its derivative."""

    forward: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]


LOG = Link(np.log, np.exp, lambda x: 1 / x)


def quantile(confidence_level: float) -> float:
    """Return z such that a standard normal variable is in [-z, z] with this probability."""
    return float(special.ndtri((1 + confidence_level) / 2))


def logit(low: float, high: float) -> Link:
    """Return the log-odds of the relative position between two bounds; on [-1, 1] it is Fisher's z."""
    width = high - low
    return Link(
        lambda x: special.logit((x - low) / width),
        lambda y: low + width * special.expit(y),
        lambda x: width / ((x - low) * (high - x)),
    )


def link_of(bounds: tuple[float, float]) -> tuple[str, Link] | None:
    """Return the name and the link of a metric's range: "log", "logit", or None."""
    low, high = bounds
    if low == 0 and high == np.inf:
        return "log", LOG
    return ("logit", logit(low, high)) if np.isfinite(high - low) else None


def symmetric(estimate: Floats, half: Floats, bounds: tuple[float, float]) -> Ends:
    """Return the estimate -+ half, within the bounds."""
    return np.clip(estimate - half, *bounds), np.clip(estimate + half, *bounds)


def linked(estimate: Floats, half: Floats, link: Link) -> Ends:
    """Return the interval that is symmetric on the link's scale, with half-width `half`."""
    middle, reach = link.forward(estimate), half * link.slope(estimate)
    return link.inverse(middle - reach), link.inverse(middle + reach)


def ends_on(
    estimate: Floats, error: Floats, *, reach: float, bounds: tuple[float, float], link: Link | None
) -> Ends:
    """Return the interval of `reach` standard errors, on the scale of the link if there is one."""
    if link is None:
        return symmetric(estimate, reach * error, bounds)
    with np.errstate(divide="ignore", invalid="ignore"):
        return linked(estimate, reach * error, link)


def on_scale(estimate: Floats, error: Floats, reach: float, bounds: tuple[float, float]) -> Ends:
    """Return the interval of `reach` standard errors on the scale of the metric's range."""
    named = link_of(bounds)
    return ends_on(estimate, error, reach=reach, bounds=bounds, link=named and named[1])


def flat(found: Limits) -> Bools:
    """Whether the limits of an interval are equal up to rounding."""
    return np.asarray(~(found.high > found.low + _ROUNDING))


def wald(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """The share p = x / n -+ z sqrt(p (1 - p) / n)."""
    p = x / n
    return symmetric(p, quantile(confidence_level) * np.sqrt(p * (1 - p) / n), (0, 1))


def agresti_coull(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """Wald's interval after z^2 / 2 successes and as many failures are added."""
    z2 = quantile(confidence_level) ** 2
    return wald(x + z2 / 2, n + z2, confidence_level)


def wilson(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """The p that a score test does not reject: |x/n - p| <= z sqrt(p (1 - p) / n)."""
    return score_interval(x, n, quantile(confidence_level))


def score_interval(x: Floats, n: Floats, z: float) -> Ends:
    """Wilson's interval of z standard errors."""
    half = z * np.sqrt(x * (n - x) / n + z**2 / 4) / (n + z**2)
    low, high = symmetric((x + z**2 / 2) / (n + z**2), half, (0, 1))
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


def clopper_pearson(x: Any, n: Any, confidence_level: Any) -> Ends:
    """The p that neither one-sided exact binomial test rejects."""
    tail, none, every = (1 - confidence_level) / 2, x <= 0, x >= n
    low = special.betaincinv(np.where(none, 1, x), np.where(none, 1, n - x + 1), tail)
    high = special.betaincinv(np.where(every, 1, x + 1), np.where(every, 1, n - x), 1 - tail)
    return np.where(none, 0.0, low), np.where(every, 1.0, high)


def jeffreys(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """Equal-tailed posterior interval under Jeffreys' prior, including 0 or 1 if x is extreme."""
    tail = (1 - confidence_level) / 2
    low = special.betaincinv(x + 0.5, n - x + 0.5, tail)
    high = special.betaincinv(x + 0.5, n - x + 0.5, 1 - tail)
    return np.where(x == 0, 0.0, low), np.where(x == n, 1.0, high)


PROPORTION_METHODS: dict[str, Callable[[Floats, Floats, float], Ends]] = {
    "wilson": wilson,
    "clopper-pearson": clopper_pearson,
    "agresti-coull": agresti_coull,
    "jeffreys": jeffreys,
    "wald": wald,
}


@dataclass(frozen=True)
class ShareForm:
    r"""A metric that is an increasing function of one share s = A / (A + B) of counts.

    .. math:: \frac{p_1 A + p_2 B}{w_1 A + w_2 B} = \frac{p_1 s + p_2 (1 - s)}{w_1 s + w_2 (1 - s)}

    F1 is 2 J / (1 + J) of the Jaccard index J = TP / (TP + FP + FN), and has its limits so mapped.
    """

    part: float
    whole: float
    of_part: tuple[float, float]
    of_rest: tuple[float, float]

    @property
    def itself(self) -> bool:
        """Whether the metric is the share."""
        (p, w), rest = self.of_part, self.of_rest
        return rest == (0, w) and p == w

    def at(self, share: Floats) -> Floats:
        """Return the metric at a share."""
        if self.itself:
            return share
        (p, w), (q, v) = self.of_part, self.of_rest
        return np.asarray((p * share + q * (1 - share)) / (w * share + v * (1 - share)))

    def slope(self, share: Floats) -> Floats:
        """Return the derivative of the metric."""
        (p, w), (q, v) = self.of_part, self.of_rest
        return np.asarray((p * v - q * w) / (w * share + v * (1 - share)) ** 2)


def share_form(
    metric: Metric, record: Counts | Floats, parameters: Mapping[str, Any]
) -> ShareForm | None:
    """Return the share of counts of which a metric is an increasing function, else None.

    The formula is evaluated once on symbolic cells that support only addition, multiples and one
    division.
    """
    return _form_of(metric, _as_cells(record), parameters)


def share_of_counts(
    metric: Metric, record: Counts | Floats, parameters: Mapping[str, Any]
) -> tuple[float, float] | None:
    """Return numerator and denominator of a metric that is a ratio of sums of counts, else None."""
    form = share_form(metric, record, parameters)
    return (form.part, form.whole) if form is not None and form.itself else None


def _form_of(metric: Metric, cells: Any, parameters: Mapping[str, Any]) -> ShareForm | None:
    try:
        found = apply(metric, cells, dict(parameters))
    except (TypeError, AttributeError, ValueError):
        return None
    found = found.item() if isinstance(found, np.ndarray) and not found.ndim else found
    return found if isinstance(found, ShareForm) else None


class _Cells:
    """A sum of multiples of the cells of a table."""

    def __init__(self, times: Mapping[int, float], values: Mapping[int, float]) -> None:
        self.times = {name: many for name, many in times.items() if many}
        self.values = values

    def __add__(self, other: Any) -> _Cells:
        if isinstance(other, (int, float)) and other == 0:  # the start of a sum of cells
            return self
        if not isinstance(other, _Cells):
            return NotImplemented
        names = self.times.keys() | other.times.keys()
        times = {name: self.times.get(name, 0) + other.times.get(name, 0) for name in names}
        return _Cells(times, {**self.values, **other.values})

    __radd__ = __add__

    def __mul__(self, many: Any) -> _Cells:
        if not isinstance(many, (int, float)) or not 0 <= many < np.inf:
            return NotImplemented
        return _Cells({name: many * own for name, own in self.times.items()}, self.values)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> ShareForm:
        if not isinstance(other, _Cells):
            return NotImplemented
        names = sorted(self.times.keys() | other.times.keys())
        pairs = {name: (self.times.get(name, 0), other.times.get(name, 0)) for name in names}
        kinds = set(pairs.values())
        if len(kinds) != 2 or not all(whole > 0 for _, whole in kinds):
            return NotImplemented
        rest, part = sorted(kinds, key=lambda kind: kind[0] / kind[1])
        if rest[0] * part[1] == part[0] * rest[1]:
            return NotImplemented
        sums = {
            kind: math.fsum(other.values[name] for name in names if pairs[name] == kind)
            for kind in kinds
        }
        return ShareForm(sums[part], sums[part] + sums[rest], part, rest)


def _as_cells(record: Counts | Floats) -> Any:
    values = np.array(getattr(record, "cells", record))
    cells = np.empty(values.shape, dtype=object)
    for name, (place, value) in enumerate(np.ndenumerate(values)):
        cells[place] = _Cells({name: 1}, {name: float(value)})
    return Counts(*cells) if isinstance(record, Counts) else cells


# Halvings of [0, 1] that reach the resolution of float64.
HALVINGS = 60

T = TypeVar("T", float, Floats)


def exponential_covariances(auc: T) -> tuple[T, T]:
    """Return Q1 - A^2 and Q2 - A^2, the covariances of two pairs that share an example.

    For exponential scores Q1 = A / (2 - A), if the positive differs, and Q2 = 2 A^2 / (1 + A), if
    the negative does (Hanley & McNeil 1982).
    """
    return auc * (1 - auc) ** 2 / (2 - auc), auc**2 * (1 - auc) / (1 + auc)


def exponential_variance(auc: Floats, positives: float, negatives: float) -> Floats:
    """Return P N times the variance of an AUC of exponential scores (Hanley & McNeil 1982, eq. 1)."""
    q1, q2 = exponential_covariances(auc)
    return np.asarray(auc * (1 - auc) + (positives - 1) * q1 + (negatives - 1) * q2)


def newcombe(auc: Floats, positives: int, negatives: int, confidence_level: float) -> Ends:
    """Return the AUCs that a score test does not reject (Newcombe 2006, method 5).

    Its variance is that of Hanley & McNeil at the AUC tested, with both classes as large as their
    mean: A (1 - A) (1 + m (1 - A) / (2 - A) + m A / (1 + A)) / (P N), m = (P + N) / 2 - 1.
    """
    return _not_rejected(auc, positives, negatives, quantile(confidence_level), np.asarray(1.0))


def score_t(
    auc: Floats, parts: Floats, positives: int, negatives: int, confidence_level: float
) -> Ends:
    """Return the AUCs that a score test with the variance of the data does not reject.

    Newcombe's variance V(A) of exponential scores is scaled to DeLong's: it is multiplied by (D + 2
    U) / (V(auc) + 2 U), with D = S10 / P + S01 / N. U, the variance of an AUC of 1 - 1 / (2 min(P,
    N)), gives Newcombe's variance if nearly all pairs are ranked correctly and D is uninformative.
    Student's t has the degrees of freedom of Brunner & Munzel for both terms of D + 2 U.
    """
    sizes = np.array([positives, negatives]).reshape(2, *[1] * (parts.ndim - 1))
    few = _of_mean_sizes(np.asarray(1 - 0.5 / sizes.min()), positives, negatives)
    size = (parts.sum(axis=0) + 2 * few) / (_of_mean_sizes(auc, positives, negatives) + 2 * few)
    freedom = (parts + few).sum(axis=0) ** 2 / ((parts + few) ** 2 / (sizes - 1)).sum(axis=0)
    reach = special.stdtrit(freedom, (1 + confidence_level) / 2)
    return _not_rejected(auc, positives, negatives, reach, np.asarray(size))


def _of_mean_sizes(auc: Floats, positives: int, negatives: int) -> Floats:
    size = (positives + negatives) / 2
    return exponential_variance(auc, size, size) / (positives * negatives)


def _not_rejected(auc: Floats, positives: int, negatives: int, reach: Any, size: Floats) -> Ends:
    def accepted(a: Floats) -> Bools:
        spread = size * _of_mean_sizes(a, positives, negatives)
        return np.abs(a - auc) <= reach * np.sqrt(spread)

    return edges(accepted, auc)


def edges(accepted: Callable[[Floats], Bools], inside: Floats) -> Ends:
    """Return the ends of the accepted part of [0, 1] around a value inside."""
    return edge(accepted, inside, np.zeros_like(inside)), edge(
        accepted, inside, np.ones_like(inside)
    )


def edge(accepted: Callable[[Floats], Bools], inside: Floats, outside: Floats) -> Floats:
    """Bisect for the last accepted value between one inside and an end of the range."""
    outside = np.where(accepted(outside) & (outside == inside), inside, outside)
    for _ in range(HALVINGS):
        middle = (inside + outside) / 2
        within = accepted(middle)
        inside, outside = np.where(within, middle, inside), np.where(within, outside, middle)
    return np.asarray((inside + outside) / 2)


def exact(
    value: Floats, independent: int, confidence_level: float, bounds: tuple[float, float]
) -> Ends:
    """Return an interval for a mean of h if every pair of the sample has the same h.

    k = `independent` disjoint pairs are independent, and all have h = c. By the argument of Clopper
    and Pearson, h = c has a probability of at least b = (alpha / 2)^(1 / k), so the mean of h is
    between b c + (1 - b) times its least and its greatest value, for any distribution of the
    scores.
    """
    share = ((1 - confidence_level) / 2) ** (1 / independent)
    low, high = (np.asarray(share * value + (1 - share) * end) for end in bounds)
    return low, high


# The size of the mixing distribution, in examples. The limits of a share are narrowest, against those of
# a fixed n, where n is about ten times as many: 1.66 at 1,000, 1.6 to 1.9 up to a million.
_MIXED = 300.0
# The shape of the gamma law of stakes: narrowest where the variance of the sum is about ten times it.
_STAKES = 20.0


def log_mixture(hits: Floats, n: Floats, share: Floats) -> Floats:
    r"""Return the log of a Bernoulli likelihood ratio, mixed over the alternatives.

    .. math:: M_n(p) = \frac{B(gp + s, g(1 - p) + n - s)}{B(gp, g(1 - p)) \, p^s (1 - p)^{n - s}}

    of s hits among n is a martingale in n where the share is p, whose chance of ever reaching 1 / alpha
    is at most alpha (Ville). It depends on counts alone, so the order of rows does not matter. Values
    in [0, 1] with mean p make it a supermartingale.
    """
    a, b = _MIXED * share, _MIXED * (1 - share)
    ratio = special.betaln(a + hits, b + n - hits) - special.betaln(a, b)
    return np.asarray(ratio - special.xlogy(hits, share) - special.xlog1py(n - hits, -share))


def time_uniform(x: Floats, n: Floats, confidence_level: float) -> Ends:
    """Return the shares that the mixture has never refuted, of x hits among n."""
    hits, n = np.asarray(x, dtype=np.float64), np.asarray(n, dtype=np.float64)
    bar = -math.log1p(-confidence_level)

    def accepted(share: Floats) -> Bools:
        inner = np.clip(share, 1e-300, 1 - 1e-16)
        found = log_mixture(hits, n, inner) < bar
        return np.where(share <= 0, hits == 0, np.where(share >= 1, hits == n, found))

    middle = np.divide(hits, n, out=np.full(np.shape(hits), 0.5), where=n > 0)
    return edges(accepted, middle)


def log_evidence_below(hits: Floats, n: Floats, share: float) -> Floats:
    """Return the log of the evidence that a share has fallen below a value, 0 or less where it has not.

    The mixture runs over shares below the value, so that it is a supermartingale for all above it.
    """
    a, b = _MIXED * share, _MIXED * (1 - share)
    with np.errstate(divide="ignore"):
        part = np.log(special.betainc(a + hits, b + n - hits, share) / special.betainc(a, b, share))
    return log_mixture(hits, n, np.asarray(share)) + part


class BoundedMean(NamedTuple):
    r"""A stream of values in [0, 1], in their order.

    Attributes
    ----------
    n : float
    total : float
        Their sum.
    variance : float
        :math:`V_n = \sum_i (x_i - \hat\mu_{i-1})^2`, with the mean of 1/2 and the values before.
    """

    n: float = 0.0
    total: float = 0.0
    variance: float = 0.0

    def path(self, values: Floats) -> Floats:
        """Return the sums after each of further values, of shape (n_values, 3)."""
        n = self.n + np.arange(1, len(values) + 1)
        total = self.total + np.cumsum(values)
        before = (0.5 + total - values) / n
        return np.stack([n, total, self.variance + np.cumsum((values - before) ** 2)], axis=1)


def log_evidence_of_mean(path: Floats, mean: Floats) -> Floats:
    r"""Return the log of the evidence that a mean has been below a value.

    For a stake :math:`\lambda` in [0, 1) and a stream with mean m

    .. math:: \exp\bigl(\lambda \sum_i (m - x_i) - (-\log(1 - \lambda) - \lambda) V_n\bigr)

    is a supermartingale (Waudby-Smith and Ramdas 2024, theorem 2); a gamma law mixes the stakes (Howard,
    Ramdas, McAuliffe and Sekhon 2021, proposition 9, with c = 1).
    """
    n, total, v = np.moveaxis(path, -1, 0)
    s = np.maximum(n * mean - total, -(v + _STAKES))
    shape, rate = v + _STAKES, s + v + _STAKES
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (
            special.gammaln(shape) + np.log(special.gammainc(shape, rate)) - shape * np.log(rate)
        )
    scale = _STAKES * math.log(_STAKES) - math.lgamma(_STAKES)
    scale -= math.log(special.gammainc(_STAKES, _STAKES))
    return np.where(rate > 0, found + scale + s + v, -np.inf)


def mirrored(path: Floats) -> Floats:
    """Return the sums of the complements to 1."""
    n, total, v = np.moveaxis(path, -1, 0)
    return np.stack([n, n - total, v], axis=-1)


def bounded_ends(path: Floats, confidence_level: float) -> Ends:
    """Return the means that neither side has ever refuted, each at half the error."""
    bar = math.log(2 / (1 - confidence_level))
    n, total, _ = np.moveaxis(path, -1, 0)
    middle = np.divide(total, n, out=np.full(np.shape(n), 0.5), where=n > 0)
    high = edge(lambda m: log_evidence_of_mean(path, m) < bar, middle, np.ones_like(middle))
    low = edge(
        lambda m: log_evidence_of_mean(mirrored(path), 1 - m) < bar, middle, np.zeros_like(middle)
    )
    return low, high


# Tables drawn if all derivatives are 0; the standard deviation from 400 draws has an error of 4 %.
_DRAWS = 400
# Total number of examples added, evenly over the cells, if the variance of the table is 0; in a
# binary table that is 1/2 per cell (Haldane 1956, Anscombe 1956).
_ADDED = 2.0


class TableFunction:
    """A metric as a function of stacks of confusion tables, with its slopes.

    Parameters
    ----------
    reading : Reading
        A metric of predicted labels under its options.
    classes : ndarray of shape (K,)
    named : ndarray of int, or None
        The classes that ``labels`` names.
    """

    def __init__(self, reading: Reading, classes: Array, named: Codes | None) -> None:
        self.reading, self.classes, self.named = reading, classes, named

    def __call__(self, tables: Floats) -> Floats:
        """Return the values of tables of shape (..., K, K), of shape (...) or (..., C)."""
        return np.asarray(self.reading.unreported(LabelState(tables, self.classes, self.named)))

    def standard_error(self, table: Floats) -> Floats:
        """Return the standard error of the value of one table.

        The cells are multinomial with n fixed, so for the gradient g with respect to the counts c the
        variance is sum g^2 c - (sum g c)^2 / n. An empty cell adds nothing.
        """
        square, linear = np.asarray(0.0), np.asarray(0.0)
        for cells, slopes in self._slopes(table):
            counts = table.ravel()[cells].reshape(-1, *[1] * (slopes.ndim - 1))
            # In order of size, so that no order of the classes changes a digit.
            square = square + np.sort(slopes**2 * counts, axis=0).sum(axis=0)
            linear = linear + np.sort(slopes * counts, axis=0).sum(axis=0)
        return np.sqrt(np.maximum(square - linear**2 / table.sum(), 0))

    def drawn(self, table: Floats) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of the values of multinomial tables like this one.

        They replace the delta method if all derivatives are 0, as at a minimum inside the range.
        """
        rng = np.random.default_rng(0)
        n = max(1, round(float(table.sum())))
        values = []
        for chosen in pieces(np.arange(_DRAWS), table.size):
            tables = rng.multinomial(n, table.ravel() / table.sum(), len(chosen))
            values.append(self(tables.reshape(-1, *table.shape).astype(np.float64)))
        found = np.concatenate(values)
        with np.errstate(invalid="ignore"):  # an infinite value among them
            return found.mean(axis=0), found.std(axis=0)

    def gradient(self, table: Floats) -> Floats:
        """Return the derivatives with respect to the cells of a table, 0 for empty cells."""
        found = np.zeros(table.size)
        for cells, slopes in self._slopes(table):
            found[cells] = slopes
        return found.reshape(table.shape)

    def _slopes(self, table: Floats) -> Iterator[tuple[Codes, Floats]]:
        """Yield indices of the non-empty cells, and the derivatives with respect to them."""
        if "average" in self.reading.metric.kind.options:  # metrics of one class against the rest
            yield from self._by_counts(table)
            return
        cells = np.flatnonzero(table)
        for chosen in pieces(cells, len(TIMES) * table.size):
            steps = STEP * table.ravel()[chosen]
            changes = np.zeros((len(chosen), table.size))
            changes[np.arange(len(chosen)), chosen] = steps
            moved = table + TIMES[:, None, None, None] * changes.reshape(-1, *table.shape)
            yield chosen, derivatives(self(moved), steps)

    def _by_counts(self, table: Floats) -> Iterator[tuple[Codes, Floats]]:
        """Yield the same from 4 K derivatives, with respect to the four counts of every class.

        A cell (i, j) is a true negative of all classes but i and j, a true positive of i if i = j, else
        a false negative of i and a false positive of j.
        """
        counts = np.stack(Counts.one_vs_rest(table).cells)  # of shape (4, K)
        classes = np.arange(counts.shape[1])
        parts = pieces(classes, 4 * len(TIMES) * counts.size)  # each of the four counts changes
        found = [self._by_class(counts, chosen) for chosen in parts]
        tp, fp, fn, tn = np.concatenate(found, axis=1)
        rest = tn.sum(axis=0)
        for cells in pieces(np.flatnonzero(table), max(1, rest.size)):
            i, j = np.unravel_index(cells, table.shape)
            right = (i == j).reshape(-1, *[1] * rest.ndim)
            yield cells, rest - tn[i] + np.where(right, tp[i], fn[i] + fp[j] - tn[j])

    def _by_class(self, counts: Floats, chosen: Codes) -> Floats:
        """Return the derivatives with respect to the four counts of some classes, count by count."""
        steps = STEP * counts[:, chosen]
        # Axes: the count and the class that change; then the count and the class that are
        # evaluated.
        # Steps are relative to the counts, so that a slope has the same digits at any size.
        changes = np.zeros((4, len(chosen), *counts.shape))
        count, place = np.indices(steps.shape)
        changes[count, place, count, chosen[place]] = steps
        moved = counts + TIMES[:, None, None, None, None] * changes
        state = LabelState(np.zeros((*moved.shape[:-2], 0, 0)), self.classes, self.named)
        state.one_vs_rest = Counts(*np.moveaxis(moved, -2, 0))
        return derivatives(np.asarray(self.reading.unreported(state)), steps)


def called_alike(table: Floats) -> bool:
    """Whether all examples of some class have the same prediction, so that its variance would be 0."""
    return bool((((table > 0).sum(axis=-1) == 1) & (table.sum(axis=-1) > 0)).any())


def smoothed(table: Floats) -> Floats:
    """Return the table with two examples added evenly over its cells."""
    return table + _ADDED / table.size


# An entry of an average: its binary problems and the codes of their classes.
_Part = tuple[Sequence[BinaryProblem], Codes]


def ranked_slopes(on: MetricOnSample, in_order: bool) -> Floats | None:
    r"""Return :math:`W \, \partial T / \partial w_i` of rows of total weight W, up to a constant.

    Unless they must be `in_order`, those of one score a row are sorted. None if no form is known.
    """
    scored, options = on.sample.state.scored, on.options
    average = options.get("average") or "macro"
    how = "one" if scored.one_column else options.get("multi_class")
    parts = _parts(scored, options, how, average, not on.metric.positive_matters())
    if parts is None:
        return None
    in_order |= how != "one" or scored.weight is not None or on.sample.multiplicity is not None
    each = []
    for problems, _ in parts:
        found = [_of_problem(on, problem, in_order) for problem in problems]
        if any(one is None for one in found):
            return None
        each.append(np.mean(np.array(found), axis=0))
    slopes = np.array(each)
    if mean_over_classes(average) != "by size" or how == "one":
        return np.asarray(slopes.mean(axis=0))
    read, rescale = partial(apply, on.metric), options.get("rescale")
    rankings = ([on.sample.state.ranking(p, rescale) for p in problems] for problems, _ in parts)
    values = [np.mean([read(r, dict(on.parameters)) for r in each]) for each in rankings]
    own = np.array([np.isin(scored.true, codes) for _, codes in parts])
    return _weighted(slopes, values, own, scored.weight)


def _weighted(slopes: Floats, values: Sequence[Any], own: Bools, weight: Floats | None) -> Floats:
    r"""Return the derivatives of :math:`T = \sum_k S_k T_k / S`.

    S_k is the weight of the rows that part k has for its `own`, which moves with theirs.
    """
    weight = np.ones(own.shape[1]) if weight is None else weight
    sizes = own @ weight
    value = sizes @ np.array(values) / sizes.sum()
    moved = ((np.array(values) - value)[:, None] * own).sum(axis=0) * weight.sum()
    return np.asarray((sizes @ slopes + moved) / sizes.sum())


def _parts(
    scored: Any, options: Mapping[str, Any], how: str | None, average: str, either: bool
) -> list[_Part] | None:
    if how == "one":
        code = positive_code(scored.classes, options.get("pos_label"), either=either)
        return None if code is None else [([OneScore(code)], np.arange(2))]
    columns = score_columns(scored)
    if how == "ovr" and average_of(average).over == "sums":
        return [([ClassCells()], columns)]
    if mean_over_classes(average) is None:
        return None
    if how == "ovr":
        return [([OneVsRest(k)], columns[[k]]) for k in range(len(columns))]
    pairs = combinations(range(len(columns)), 2)
    return [([OneVsOne(a, b), OneVsOne(b, a)], columns[[a, b]]) for a, b in pairs]


def _of_problem(on: MetricOnSample, problem: BinaryProblem, in_order: bool) -> Floats | None:
    """Return the derivatives with respect to the rows of one binary problem."""
    metric, parameters, rescale = on.metric, on.parameters, on.options.get("rescale")
    state: Any = on.sample.state
    truth, score, weight = problem.of(state.scored)
    whole = len(state.scored.true) if state.scored.weight is None else state.scored.weight.sum()
    if metric.influence is not None or metric.over_thresholds == "sum":
        ranked, completed = state.ranking(problem, rescale), metric.completed(parameters)
        with quiet():
            if metric.influence is not None:
                found = metric.influence(ranked, **completed)
            else:
                found = of_steps(partial(metric.formula, **completed), ranked.threshold_counts)
        rows_of = (
            of_rows(ranked, found, truth, score) if in_order else of_sorted_rows(ranked, found)
        )
        slopes = rows_of * whole
    elif rescale != "minmax" and has_placements(metric, parameters):
        each = np.ones(len(truth)) if weight is None else weight
        ranks = Placements(truth, rescaled(score, rescale), each)
        slopes = np.empty(len(truth))
        for side, own in zip((truth, ~truth), values_of(metric, parameters, ranks), strict=True):
            with np.errstate(invalid="ignore"):  # of one class
                share = each[side] / each[side].sum()
            slopes[side] = (own - share @ own) * whole / each[side].sum()
    else:
        return None
    rows = problem.rows(state.scored)
    if rows is not None:
        slopes = np.bincount(rows, slopes, len(state.scored.true))
    return np.asarray(slopes)


def influences(on: MetricOnSample, groups: Codes | None = None) -> Floats:
    """Return the influence of every row of a sample on the value of a metric, of shape (n_rows,).

    Rows, or groups, are a random sample, class counts included. The variance of the value is the
    sum over independent units of their squared influences. It equals DeLong's variance for a mean
    over pairs of independent rows, the variance of a mean for a mean over rows, that of the delta
    method for a metric of predicted labels, that of the infinitesimal jackknife for metrics with an
    influence curve, and that of the jackknife otherwise. Units that the jackknife deletes together
    have their influence at one of their rows.
    """
    sample = on.sample
    if sample.counted and on.options.get("average", "binary") is not None:
        return of_labels(on)
    binary = binary_scores(on)
    if binary is not None and sample.weight is None:
        return of_pairs(*values_of_metric(on.metric, on.parameters, *binary), binary[0])
    found = curve(on)
    if found is None:
        return by_jackknife(on, groups)
    units = sample.n_rows if groups is None else int(groups.max()) + 1
    return found * np.sqrt(units / (units - 1)) if units > 1 else found * np.nan


def curve(on: MetricOnSample, *, in_order: bool = True) -> Floats | None:
    r"""Return :math:`w_i \, \partial T / \partial w_i` for every row i; None where no form is known.

    A row that represents several equal examples has the sum of theirs. Rows that need not be
    `in_order` are not looked up.
    """
    slopes: Floats | None = row_losses(on)
    if slopes is None:
        slopes = _slopes(on, in_order)
    if slopes is None:
        return None
    weight = weights_of(on.sample)
    if weight is None:
        return (slopes - slopes.mean()) / len(slopes)
    # The slopes are known up to a constant, which leaves with their mean: influences add up to 0.
    share = weight / weight.sum()
    return np.asarray(share * (slopes - share @ slopes))


def _slopes(on: MetricOnSample, in_order: bool) -> Floats | None:
    """Return the derivatives with respect to the weights of the rows, times the total weight."""
    sample, metric = on.sample, on.metric
    if sample.ranked and metric.kind.scale is not None:
        return ranked_slopes(on, in_order)
    own, parameters = metric.influence, on.parameters
    totals = metric.totals_of(parameters) if sample.ranked else None
    if own is None and totals is not None and all(isinstance(total, SumOf) for total in totals):
        own = partial(_of_totals, metric, totals)
    if own is None or sample.counted or sample.summed:
        return None
    if sample.record.multilabel:
        return _of_labels(on)
    with quiet():
        slopes = own(on.record, **metric.completed(parameters))
    if np.shape(slopes) != (sample.n_rows,) and not sample.ranked:
        return None  # of several values
    weight = weights_of(sample)
    return np.asarray(slopes * (sample.n_rows if weight is None else weight.sum()))


def _of_labels(on: MetricOnSample) -> Floats | None:
    """Return the derivatives of an average over the scored labels of multilabel indicators."""
    record, average = on.sample.record, on.options.get("average") or "macro"
    weighting = mean_over_classes(average)
    if weighting is None:
        return None
    options = {**on.options, "average": None, "multi_class": "raise", "pos_label": True}
    labels = [
        MetricOnSample(
            sample_of(on.metric, *columns, sample_weight=on.sample.weight), on.metric, options
        )
        for columns in zip(record.true.T, record.score.T, strict=True)
    ]
    found = [_slopes(label, True) for label in labels]
    if any(one is None for one in found):
        return None
    slopes = np.array(found)
    if weighting == "equal":
        return np.asarray(slopes.mean(axis=0))
    return _weighted(slopes, [label.value for label in labels], record.true.T, on.sample.weight)


def _of_totals(
    metric: Metric, totals: Sequence[Any], p: Probabilities, **parameters: Any
) -> Floats:
    """Return the derivatives of a formula of sums of losses and class weights, by the chain rule."""
    losses = [total.values(p) for total in totals]
    held = np.append([each @ p.weight for each in losses], p.class_weights)
    steps = STEP * held

    def value(times: float) -> Floats:
        moved = held + times * np.diag(steps)
        facts = p.n_examples, p.n_columns
        known = (
            KnownTotals(dict(zip(totals, row, strict=False)), row[len(totals) :], *facts)
            for row in moved
        )
        return np.array([metric.formula(each, **parameters) for each in known])

    slopes = derivatives(np.stack([value(times) for times in TIMES]), steps)
    parts = [slope * each for slope, each in zip(slopes, losses, strict=False)]
    return np.asarray(np.sum(parts, axis=0) + slopes[len(totals) :][p.outcome])


def weights_of(sample: Sample) -> Floats | None:
    """Return the weight of each row, or its number of examples; None if all are equal."""
    return sample.weight if sample.multiplicity is None else 1.0 * sample.multiplicity


def row_losses(on: MetricOnSample) -> Floats | None:
    """Return the value of every row if the metric is their mean; otherwise None.

    If it is their sum (``normalize=False``), the values are multiplied by their number.
    """
    sample = on.sample
    if on.metric.losses is None or sample.counted:
        return None
    values: Floats = sample.losses_of(on.metric, on.record, on.parameters)
    if values.shape != (sample.n_rows,):
        return None
    if on.options.get("normalize", True) is False:
        weight = weights_of(sample)
        values = values * (len(values) if weight is None else weight.sum())
    return values


def binary_scores(on: MetricOnSample) -> tuple[Bools, Floats] | None:
    """Return truth and scores if the metric is a mean over the pairs of one binary problem."""
    options = on.options
    if not on.sample.one_column or options.get("rescale") == "minmax":
        return None
    if not has_placements(on.metric, on.parameters):
        return None
    scored = on.sample.scored
    truth = scored.true == positive_code(scored.classes, options.get("pos_label"))
    return truth, rescaled(scored.score, options.get("rescale"))


def of_pairs(of_positives: Floats, of_negatives: Floats, truth: Bools) -> Floats:
    """Return scaled deviations of placement values; their sum of squares is DeLong's variance."""
    found = np.empty(len(truth))
    for side, values in ((truth, of_positives), (~truth, of_negatives)):
        size = len(values)
        scale = np.sqrt(size * (size - 1.0)) if size > 1 else np.nan
        found[side] = (values - values.mean()) / scale
    return found


def of_labels(on: MetricOnSample) -> Floats:
    """Return the gradient with respect to the share of each row's cell of the confusion table.

    If the variance of the table is 0 the smoothed table is used.
    """
    sample, value, table = on.sample, table_function(on), on.sample.state.table
    slopes = value.gradient(table)
    if called_alike(table) or not np.isfinite(slopes).all() or not slopes.any():
        table = smoothed(table)
        slopes = value.gradient(table)
    own = slopes[sample.pair.true, sample.pair.pred] - (slopes * table).sum() / table.sum()
    return own if sample.weight is None else own * sample.weight


def form_of(on: MetricOnSample) -> ShareForm | None:
    """Return the share of the sample of which a metric is an increasing function, else None."""
    average = on.options.get("average", "binary")
    if average == "binary":
        return share_form(on.metric, on.record, on.parameters)
    if average != "micro" or not hasattr(counts := on.record, "tp"):
        return None
    table = on.sample.state.table
    right, rows, size = float(np.trace(table)), float(table.sum()), len(table)
    if (counts.tp, counts.fp, counts.fn, counts.total) != (
        right, rows - right, rows - right, size * rows,
    ):  # fmt: skip
        return None
    # Micro-averaged over all classes, a right prediction is one tp and K - 1 tn, a wrong one a fp, a fn
    # and K - 2 tn: every ratio of these is a function of accuracy.
    values = {0: right, 1: rows - right}
    times = ({0: 1}, {1: 1}, {1: 1}, {0: size - 1, 1: size - 2})
    cells: Any = [_Cells(own, values) for own in times]
    return _form_of(on.metric, Counts(*cells), on.parameters)


def share_of(on: MetricOnSample) -> tuple[float, float] | None:
    """Return the two sums of counts whose ratio a metric is, or None if it is not a proportion."""
    form = form_of(on)
    return (form.part, form.whole) if form is not None and form.itself else None


def table_function(on: MetricOnSample) -> TableFunction:
    """Return the metric as a function of tables over the classes of a sample."""
    return TableFunction(on.reading, on.sample.pair.classes, on.sample.pair.named)


def by_jackknife(on: MetricOnSample, groups: Codes | None = None) -> Floats:
    r"""Return :math:`\sqrt{(m - 1) / m} (\bar\theta - \theta_{-i})` of m units: rows, or groups.

    With more than a thousand units, random bundles of units are deleted together. A unit without
    which the metric is undefined has influence 0.
    """
    sample, readings = on.sample, [of_replicates(on.metric, on.options)]
    drawn = Resampling(sample.n_rows, None, groups)
    bundle = drawn.bundles(np.random.default_rng(0))
    first = np.unique(bundle if groups is None else bundle[groups], return_index=True)[1]
    values = np.concatenate(
        [values_under(sample, readings, counts)[0] for counts, _ in drawn.without(bundle)]
    )
    defined = np.isfinite(values)
    size = np.count_nonzero(defined)
    found = np.zeros(sample.n_rows)
    if size:
        deviation = np.where(defined, values[defined].mean() - values, 0.0)
        found[first] = np.sqrt((size - 1) / size) * deviation
    return found


_OF_SHARES = {**PROPORTION_METHODS, "time-uniform": time_uniform}
# Quantiles of a class at which scores are cut to estimate the design effect.
_CUTS = np.linspace(0.05, 0.95, 19)


class EffectiveSize(NamedTuple):
    """The effective sample size of a share, or of each of several, with degrees of freedom."""

    size: Any
    freedom: float = math.inf

    def ends(self, share: Floats, rate: Any) -> Ends:
        r"""Return Clopper-Pearson intervals of shares, with equal tails.

        For a sample in groups (Korn and Graubard 1998, Survey Methodology 24, 193-201):

        .. math:: n^* = n_\text{eff} \, (z_{\eta / 2} / t_{\eta / 2, d})^2
        """
        size = self.size
        if math.isfinite(self.freedom):
            size = size * (special.ndtri(rate / 2) / special.stdtrit(self.freedom, rate / 2)) ** 2
        return clopper_pearson(share * size, size, 1 - rate)

    def at(self, points: Any) -> EffectiveSize:
        """Return the sizes at some of the shares."""
        return self._replace(size=self.size[points]) if np.ndim(self.size) else self

    @property
    def typical(self) -> float:
        """The size at the median of the shares."""
        return float(np.median(self.size))


def effective_size(
    p: Floats, above: Floats, weight: Floats, groups: Codes | None, hits: Iterable[Array]
) -> EffectiveSize:
    r"""Return the effective sample sizes of shares of weighted rows in groups.

    .. math:: n_\text{eff} = \frac{1}{D} \, \frac{p (1 - p)}{\sum_i w_i^2 (x_i - p)^2},
        \qquad d + 1 = 1 / \sum_g W_g^2

    Parameters
    ----------
    p : ndarray of shape (n_points,), float64
        The shares.
    above : ndarray of shape (n_points,), float64
        The sums of the squared weights of the rows that count for them.
    weight : ndarray of shape (n_rows,), float64
        Weights whose sum is 1.
    groups : ndarray of shape (n_rows,), int, or None
    hits : iterable of ndarray of shape (n_rows,), bool
        Rows that count for a share. The design effect D, the variance of sums over groups divided
        by that of independent rows (at least 1), is pooled over all of them.

    Returns
    -------
    EffectiveSize
        nan if one group has all the weight.
    """
    _, codes = np.unique(np.arange(len(weight)) if groups is None else groups, return_inverse=True)
    among, total = np.bincount(codes, weight), float(weight @ weight)
    if len(among) < 2:
        return EffectiveSize(math.nan, math.nan)
    inside = np.flatnonzero((p > 0) & (p < 1))
    size = np.full(len(p), 1 / total)
    if len(inside):
        q, squares = p[inside], above[inside]
        found = q * (1 - q) / (squares * (1 - q) ** 2 + (total - squares) * q**2)
        size = np.minimum(size, np.interp(np.arange(len(p)), inside, found))
    design = 1.0 if groups is None else _design_effect(weight, codes, hits)
    return EffectiveSize(size / design, max(1.0, 1 / float(among @ among) - 1))


def _design_effect(weight: Floats, codes: Codes, hits: Iterable[Array]) -> float:
    influences = [weight * (hit - weight @ hit) for hit in hits]
    independent = sum(Spread.of(psi).variance for psi in influences)
    found = sum(Spread.of(psi, codes).variance for psi in influences)
    return max(1.0, found / independent) if independent > 0 else len(codes) / (codes.max() + 1.0)


def cuts(score: Floats) -> Iterator[Array]:
    """Yield which scores of a class are above each of several thresholds."""
    for cut in np.unique(np.quantile(score, _CUTS, method="lower")):
        yield score > cut


STUDENT = "t"
# With fewer examples of a class, intervals from influence curves carry a note
# (``python -m benchmarks.influence_coverage``).
_FEWEST = 10
_FEW_EVENTS = (
    f"{{}} of a class: below {_FEWEST} coverage is not guaranteed (61 to 99 % of nominal 95)"
)
_ALIKE = "all examples have the same value"


class Spread(NamedTuple):
    """The variance of a sum of influences over independent units, and the number of units.

    `freedom` are the degrees of freedom of Student's distribution, by matching the mean and
    variance of the estimated variance to a scaled chi-squared distribution (Satterthwaite 1946):
    fewer than units if few units dominate.
    """

    variance: float
    units: int
    freedom: float = np.nan

    @classmethod
    def of(cls, rows: Floats, groups: Codes | None = None, many: Array | None = None) -> Spread:
        r"""Return :math:`v = \frac{m}{m - 1} \sum_g s_g^2` of the sums of m groups, or of rows.

        A row that represents `many` equal examples has the sum of their influences. The variance of
        v is about :math:`\sum_g s_g^4 - v^2 / m`. If all groups are identical v would be 0, and the
        variance of independent rows is used.
        """
        if groups is None:
            times = None if many is None else many.astype(np.float64)
            each = rows if times is None else rows / times
            return cls._of_sums(each, times)
        found = cls._of_sums(np.asarray(np.bincount(groups, rows), dtype=np.float64))
        independent = cls.of_squares(float(rows @ rows), found.units)
        return found if found.variance > _ROUNDING * independent.variance else independent

    @classmethod
    def _of_sums(cls, sums: Floats, many: Array | None = None) -> Spread:
        squares = sums**2
        weighed = squares if many is None else squares * many
        found = cls.of_squares(float(weighed.sum()), len(sums) if many is None else int(many.sum()))
        if found.units < 2:
            return found
        spread = float(weighed @ squares) - float(weighed.sum()) ** 2 / found.units
        if not spread > 0:
            return found
        freedom = 2 * float(weighed.sum()) ** 2 / spread
        return found._replace(freedom=min(max(freedom, 1.0), found.units - 1.0))

    @classmethod
    def of_informative(cls, rows: Floats, groups: Codes) -> Spread:
        """Return the same for the groups with nonzero influences."""
        moved = rows != 0
        return cls.of(rows[moved], np.unique(groups[moved], return_inverse=True)[1])

    @classmethod
    def of_squares(cls, squares: float, units: int) -> Spread:
        """Return the variance of the sum of the squared influences of units."""
        return cls(units / (units - 1) * squares if units > 1 else np.nan, units, units - 1.0)

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    def reach(self, confidence_level: float, freedom: float | None = None) -> float:
        """Return the quantile of Student's t, by default with units - 1 degrees of freedom."""
        freedom = self.units - 1 if freedom is None else freedom
        return float(special.stdtrit(freedom, (1 + confidence_level) / 2))


def linearized(
    on: MetricOnSample,
    psi: Floats,
    groups: Codes | None,
    confidence_level: float,
    method: str = "",
) -> Limits:
    """Return Student's interval of a metric from the influences of the rows of a sample.

    It is symmetric on the logit scale of the metric's range, on the log scale if the range has no
    upper end, and with method "t" on the metric's own scale. If all rows have the same value the
    limits for a finite range are those of :func:`exact`.
    """
    sample, metric, value = on.sample, on.metric, on.value
    spread = Spread.of(psi, groups, sample.multiplicity)
    if not np.isfinite(spread.variance + value):
        return Limits.nothing()
    error = np.asarray(spread.error)
    of_classes = sample.ranked and metric.losses is None
    pairs = independent_pairs(sample, groups) if of_classes else spread.units
    note = _FEW_EVENTS.format(pairs) if of_classes and pairs < _FEWEST else ""
    reach = spread.reach(confidence_level, None if metric.losses is not None else spread.freedom)
    if method != STUDENT and (share := _share_of_trials(on)) is not None:
        p, size = float(value), share * spread.units
        if 0 < p < 1 and spread.variance > 0:
            size = p * (1 - p) / spread.variance  # as many as give a share this variance
        ends = score_interval(np.asarray(p * size), np.asarray(size), reach)
        return Limits(*ends, error, note=note)
    inside = method != STUDENT and metric.bounds[0] < value < metric.bounds[1]
    named = link_of(metric.bounds) if inside else None
    ends = ends_on(value, error, reach=reach, bounds=metric.bounds, link=named and named[1])
    found = Limits(*ends, error, note=note)
    if not flat(found) or not error <= _ROUNDING:
        return found
    if not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return found._replace(note=_ALIKE)
    return Limits(*exact(value, pairs, confidence_level, metric.bounds), error, "exact", _ALIKE)


def _share_of_trials(on: MetricOnSample) -> float | None:
    """Return the share of the examples in the denominator of a metric that is a proportion."""
    if on.metric.trials is None or not on.sample.one_column:
        return None
    return float(on.metric.trials(on.record, **on.parameters))


def independent_pairs(sample: Any, groups: Codes | None) -> int:
    """Return the number of disjoint pairs of units of two classes."""
    true = sample.scored.true
    if groups is None:
        held = np.bincount(true, sample.multiplicity)
        return max(1, int(min(held[held > 0].min(), held.sum() // 2)))
    held = np.array([len(np.unique(groups[true == k])) for k in np.unique(true)])
    # A group with several classes is used for one pair only.
    return max(1, int(min(held.min(), len(np.unique(groups)) // 2)))


_SMOOTHED = "two examples are added over the cells, as all of some class have the same prediction"
# A standard error that can be rounding error of numerical derivatives.
_FLAT = 1e-6
_ONE_VALUE = "all resamples gave the same value"
_ALL_ALIKE = "all pairs have the same value, so the limits are those of min(P, N) independent pairs"


def forms(on: MetricOnSample, confidence_level: float) -> Forms:
    """Return the intervals of a metric, the one for "auto" first.

    Every row of the sample is an independent example.
    """
    if on.sample.counted:
        return _of_table(on, confidence_level)
    if on.sample.one_column and (known := _of_scores(on, confidence_level)):
        return known
    if on.metric.interval is not None:
        own = on.metric.interval(on.record, confidence_level, **on.metric.completed(on.parameters))
        if own is not None:
            low, high, error = map(np.asarray, own)
            return {OWN: lambda: Limits(low, high, error)}
    psi = curve(on, in_order=False)
    if psi is None:
        return {}
    found: Forms = {}
    losses = row_losses(on) if on.metric.bounds == (0, 1) else None
    if losses is not None and on.sample.multiplicity is None and np.isin(losses, (0, 1)).all():
        # A share of examples, such as top-k accuracy, has binomial intervals.
        share = ShareForm(float(losses.sum()), float(len(losses)), (1, 1), (0, 1))
        found = _of_share(share, confidence_level)
    names = [f"{named[0]}-{STUDENT}"] if (named := link_of(on.metric.bounds)) else []
    names = ["wilson"] if on.metric.trials is not None else names
    find = partial(linearized, on, psi, None, confidence_level)
    return found | {name: partial(find, name) for name in (*names, STUDENT)}


def _of_table(on: MetricOnSample, confidence_level: float) -> Forms:
    """Binomial intervals of a function of one proportion of counts; the delta method."""
    found: Forms = {}
    if (share := form_of(on)) is not None:
        found |= _of_share(share, confidence_level)
    bounds, reach = on.metric.bounds, quantile(confidence_level)

    def delta(link: Link | None) -> Limits:
        found = _delta(on, partial(ends_on, reach=reach, bounds=bounds, link=link))
        # Haldane's table has limits for a ratio of 0/0 with examples of both classes.
        limits = bounds == (0, np.inf) and on.sample.state.table.sum(axis=1).all()
        undefined = np.isnan(on.value if limits else on.unfilled)
        return found._replace(
            low=np.where(undefined, np.nan, found.low),
            high=np.where(undefined, np.nan, found.high),
        )

    if named := link_of(bounds):
        found[named[0]] = lambda: delta(named[1])
    return found | {"delta": lambda: delta(None)}


def _of_share(share: ShareForm, confidence_level: float) -> Forms:
    x, n = np.asarray(share.part), np.asarray(share.whole)

    def form(ends: Callable[[Floats, Floats, float], Ends]) -> Limits:
        if not share.whole > 0:
            return Limits.nothing()
        low, high = map(share.at, ends(x, n, confidence_level))
        return Limits(low, high, share.slope(x / n) * np.sqrt(x * (n - x) / n) / n)

    return {name: partial(form, ends) for name, ends in _OF_SHARES.items()}


def _delta(on: MetricOnSample, ends: Callable[[Floats, Floats], Ends]) -> Limits:
    """Return the delta-method interval of a function of a table, smoothed if its variance would be 0."""
    # Var g(c) = grad' Cov(c) grad with Cov(c) = diag(c) - c c' / n of multinomial counts.
    estimate, value, table = on.value, table_function(on), on.sample.state.table
    error, hidden = value.standard_error(table), called_alike(table)
    low, high = ends(estimate, error)
    fails = ~((error > 0) & np.isfinite(low + high)) | hidden
    if not fails.any():
        return Limits(low, high, error)
    full = smoothed(table)
    middle, wider = value(full), value.standard_error(full)
    if (fails & ~(wider > _FLAT)).any():
        mean, sd = value.drawn(full)
        flat = ~(wider > _FLAT) & (sd > _FLAT)
        middle, wider = np.where(flat, mean, middle), np.where(flat, sd, wider)
    lower, higher = ends(middle, wider)
    return Limits(
        np.where(fails, np.fmin(lower, estimate), low),
        np.where(fails, np.fmax(higher, estimate), high),
        np.where(fails, wider, error),
        note=_SMOOTHED,
    )


def _of_scores(on: MetricOnSample, confidence_level: float) -> Forms:
    """Intervals from placement values, for means over pairs of a function of d alone."""
    binary = binary_scores(on)
    if binary is None:
        return {}
    truth, score = binary
    metric, many = on.metric, on.sample.multiplicity
    if many is None:
        many = np.ones(len(truth), dtype=np.int64)
    counts = many[truth], many[~truth]
    sizes = int(counts[0].sum()), int(counts[1].sum())
    if min(sizes) < 2:
        found = f"{sizes[0]} positives and {sizes[1]} negatives"
        none = partial(_too_few, metric.name, "two examples of each class", found)
        return dict.fromkeys([*_PAIR_FORMS, *_AUC_FORMS], none)
    ranks = placements_of(on, truth, score)
    values = values_of(metric, on.parameters, ranks)
    # The method of "auto" is first (``python -m benchmarks.auc_coverage``).
    of_auc = _is_auc(values, metric.bounds, ranks)
    if on.sample.multiplicity is None:
        mean, parts = pair_mean(values[0]), variances(*values)
    else:
        mean, parts = counted_parts(values, counts)
    pairs = Pairs(mean, parts, sizes, confidence_level, metric.bounds)
    known = _AUC_FORMS | _PAIR_FORMS if of_auc else _PAIR_FORMS
    return {name: partial(_of_pairs, pairs, form) for name, form in known.items()}


def placements_of(on: MetricOnSample, truth: Bools, score: Floats) -> Placements:
    """Return the data of placement values, shared by metrics with the same positive class."""
    key = on.options.get("pos_label"), on.options.get("rescale")
    found: Placements = on.sample.placements(truth, score, key)
    return found


def _is_auc(values: tuple[Floats, Floats], bounds: tuple[float, float], ranks: Placements) -> bool:
    """Whether a mean over pairs is the AUC, or linear in it, such as the Gini coefficient."""
    if not np.isfinite(bounds[1] - bounds[0]):
        return False
    of_auc = bounds[0] + (bounds[1] - bounds[0]) * (ranks.win_share + ranks.tie_share / 2)
    return bool(np.allclose(of_auc, np.concatenate(values), rtol=0, atol=_ROUNDING))


class Pairs(NamedTuple):
    """A mean over pairs with the two components of DeLong's variance, and the class sizes."""

    mean: Floats
    parts: Floats
    sizes: tuple[int, int]
    confidence_level: float
    bounds: tuple[float, float]
    # Number of disjoint pairs; None: the size of the smaller class.
    independent: int | None = None

    @property
    def error(self) -> Floats:
        """The standard error."""
        return np.sqrt(self.parts.sum(axis=0))

    @property
    def width(self) -> float:
        """The length of the metric's range."""
        return self.bounds[1] - self.bounds[0]

    @property
    def auc(self) -> Floats:
        """The mean as a share of the range."""
        return np.asarray((self.mean - self.bounds[0]) / self.width)

    def scaled(self, ends: Ends) -> Ends:
        """Return shares of the range as values of the metric."""
        return self.bounds[0] + self.width * ends[0], self.bounds[0] + self.width * ends[1]

    @property
    def student(self) -> float:
        """The quantile of Student's law with the degrees of freedom of Brunner & Munzel 2000."""
        # (v1 + v0)^2 / (v1^2 / (P - 1) + v0^2 / (N - 1))
        freedom = self.parts.sum() ** 2 / (self.parts**2 / (np.array(self.sizes) - 1)).sum()
        return float(stats.t.ppf((1 + self.confidence_level) / 2, freedom))


def _delong(p: Pairs) -> Limits:
    return Limits(*symmetric(p.mean, quantile(p.confidence_level) * p.error, p.bounds), p.error)


def _logit(p: Pairs, reach: float | None = None) -> Limits:
    reach = reach or quantile(p.confidence_level)
    return Limits(*on_scale(p.mean, p.error, reach, p.bounds), p.error)


def _logit_t(p: Pairs) -> Limits:
    if not p.error > 0:
        return Limits(p.mean, p.mean, p.error)
    return _logit(p, p.student)


def _hanley_mcneil(p: Pairs) -> Limits:
    error = p.width * np.sqrt(exponential_variance(p.auc, *p.sizes) / math.prod(p.sizes))
    return Limits(*symmetric(p.mean, quantile(p.confidence_level) * error, p.bounds), error)


def _newcombe(p: Pairs) -> Limits:
    return Limits(*p.scaled(newcombe(p.auc, *p.sizes, p.confidence_level)), p.error)


def _score_t(p: Pairs) -> Limits:
    parts = p.parts / p.width**2
    return Limits(*p.scaled(score_t(p.auc, parts, *p.sizes, p.confidence_level)), p.error)


_PAIR_FORMS: dict[str, Callable[[Pairs], Limits]] = {
    "logit-t": _logit_t,
    "logit": _logit,
    "delong": _delong,
}
_AUC_FORMS: dict[str, Callable[[Pairs], Limits]] = {
    "score-t": _score_t,
    "newcombe": _newcombe,
    "hanley-mcneil": _hanley_mcneil,
}


OWN = "score"
ALL_FORMS = (*_OF_SHARES, OWN, "log", "log-t", "delta", *_PAIR_FORMS, *_AUC_FORMS, STUDENT)


def _of_pairs(pairs: Pairs, form: Callable[[Pairs], Limits]) -> Limits:
    """Return the interval, or the exact one if all pairs have the same value and the variance is 0."""
    found = form(pairs)
    if not flat(found):
        return found
    independent = pairs.independent or min(pairs.sizes)
    ends = exact(pairs.mean, independent, pairs.confidence_level, pairs.bounds)
    return Limits(*ends, np.asarray(np.nan), "exact", _ALL_ALIKE)


def interval_of_pairs(pairs: Pairs, values: tuple[Floats, Floats], ranks: Placements) -> Limits:
    """Return the interval of "auto" for a mean over pairs."""
    of_auc = _is_auc(values, pairs.bounds, ranks)
    return _of_pairs(pairs, _score_t if of_auc else _logit_t)


def _too_few(name: str, needed: str, found: str) -> Limits:
    text = f"The variance of {name} needs {needed}, found {found}; the interval is nan."
    warn(text, UndefinedMetricWarning)
    return Limits.nothing()


def all_alike(
    on: MetricOnSample, drawn: Resampling, confidence_level: float, found: Limits
) -> Limits:
    """Replace an interval of width 0 by one that depends on the sample size, if possible.

    For independent labels this is the first closed form; for metrics of scores with a finite range
    it is the exact interval of a mean over pairs.
    """
    sample, metric = on.sample, on.metric
    if sample.counted and sample.weight is None and drawn.groups is None:
        method, form = next(iter(forms(on, confidence_level).items()))
        return form()._replace(method=method, note=_ONE_VALUE)
    if not sample.ranked or not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return found._replace(note=_ONE_VALUE)
    note = _ALL_ALIKE if has_placements(metric, on.parameters) else _ONE_VALUE
    independent = independent_pairs(sample, drawn.groups)
    classes = len(np.unique(sample.scored.true))
    problems = 1 if sample.scored.one_column else classes * (classes - 1)
    ends = exact(found.low, independent, 1 - (1 - confidence_level) / problems, metric.bounds)
    no_width = np.abs(found.high - found.low) <= _ROUNDING  # not without limits
    low, high = (np.where(no_width, end, was) for end, was in zip(ends, found[:2], strict=True))
    return Limits(low, high, np.where(no_width, np.nan, found.error), "exact", note)


CLUSTER, LINEARIZED = "cluster", "linearized"
_SMOOTHED_GROUPS = (
    "two groups are added over the cells, as all of some class have the same prediction"
)
# With fewer clusters the intervals carry a note (``python -m benchmarks.cluster_coverage``).
_FEW = 30
_FEW_DRAWN = "their bootstrap is too narrow (6 or 8 groups: coverage of 66 to 92 %, nominal 95)"
_FEW_SUMMED = "the coverage varies (6 or 8 groups: 90 to 100 %, nominal 95)"


def cluster_forms(on: MetricOnSample, groups: Codes | None, confidence_level: float) -> Forms:
    """Return the interval of a metric for rows in clusters, if it has a closed form.

    Without groups each weighted row is a cluster.
    """
    sample = on.sample
    if sample.counted:
        rows = groups is None and not sample.summed
        if rows or on.options.get("average", "binary") is None:
            return {}
        units = _units(sample, groups)
        return {CLUSTER: partial(_labels_in_clusters, on, units, confidence_level)}
    binary = binary_scores(on)
    if binary is None or groups is None or sample.weight is not None:
        psi = curve(on)
        if psi is None:
            return {}
        name = LINEARIZED if groups is None else CLUSTER
        return {name: partial(linearized, on, psi, groups, confidence_level)}
    return {CLUSTER: partial(_pairs_in_clusters, on, groups, confidence_level, *binary)}


def note_of_groups(groups: int, method: str = CLUSTER) -> str:
    """Say what few groups do to an interval (``benchmarks/results/cluster_coverage.md``)."""
    effect = _FEW_DRAWN if method in BOOTSTRAPS else _FEW_SUMMED
    return f"{groups} groups: below {_FEW} {effect}" if 0 < groups < _FEW else ""


class _Units(NamedTuple):
    """Independent units: their number, and sums of influences from the derivatives of cells."""

    size: int
    sums: Callable[[Floats], Spread]


def _units(sample: Any, groups: Codes | None) -> _Units:
    if sample.summed:
        return _Units(int(sample.sizes.sum()), partial(_of_cells, sample))
    codes = np.arange(sample.n_rows) if groups is None else groups

    def sums(slopes: Floats) -> Spread:
        rows = slopes[sample.pair.true, sample.pair.pred]
        rows = rows if sample.weight is None else rows * sample.weight
        return Spread.of_informative(rows, codes)

    return _Units(int(codes.max()) + 1, sums)


def _of_cells(sample: Any, slopes: Floats) -> Spread:
    """Sum the squared influences (weight times derivative) of informative rows."""
    moved = slopes != 0
    squares = float((slopes**2 * sample.squares)[moved].sum())
    return Spread.of_squares(squares, int(sample.sizes[moved].sum()))


def _labels_in_clusters(on: MetricOnSample, units: _Units, confidence_level: float) -> Limits:
    """Wilson's interval with the effective sample size of the clusters, or the delta method."""
    value, table = table_function(on), on.sample.state.table
    if np.isnan(on.unfilled):
        return Limits.nothing()
    if (share := form_of(on)) is not None:
        # For a share of 0 or 1 the sample size is the number of clusters.
        inside = 0 < share.part < share.whole
        sums = units.sums(value.gradient(table if inside else smoothed(table)))
        if np.isnan(sums.variance):
            return Limits.nothing()
        p = np.asarray(share.part / share.whole)
        variance = sums.variance / share.slope(p) ** 2
        size = np.asarray(p * (1 - p) / variance if inside else float(sums.units))
        ends = score_interval(p * size, size, sums.reach(confidence_level))
        low, high = map(share.at, ends)
        return Limits(low, high, np.asarray(sums.error if inside else 0.0))
    if not called_alike(table):
        sums = units.sums(value.gradient(table))
        reach = sums.reach(confidence_level)
        low, high = on_scale(on.value, np.asarray(sums.error), reach, on.metric.bounds)
        if low < high:
            return Limits(low, high, np.asarray(sums.error))
    return _smoothed(on, value, table, units, confidence_level)


def _smoothed(
    on: MetricOnSample, value: TableFunction, table: Floats, units: _Units, confidence_level: float
) -> Limits:
    """Add two clusters of mean size over the cells if the variance of the table would be 0."""
    mean_size = table.sum() / units.size
    full = mean_size * smoothed(table / mean_size)
    slopes = value.gradient(full)
    added = ((full - table) / mean_size * (mean_size * slopes) ** 2).sum()
    sums = units.sums(slopes)
    if np.isnan(sums.variance):
        return Limits.nothing()
    error = np.sqrt(sums.variance + added)
    low, high = on_scale(value(full), error, sums.reach(confidence_level), on.metric.bounds)
    ends = np.fmin(low, on.value), np.fmax(high, on.value)
    return Limits(*ends, np.asarray(error), note=_SMOOTHED_GROUPS)


def _pairs_in_clusters(
    on: MetricOnSample,
    groups: Codes,
    confidence_level: float,
    truth: Bools,
    score: Floats,
) -> Limits:
    """Score-t or logit-t interval with placement values summed over clusters (Obuchowski 1997)."""
    if not truth.any() or truth.all():
        return Limits.nothing()
    metric, ranks = on.metric, placements_of(on, truth, score)
    values = values_of(metric, on.parameters, ranks)
    found = cluster_parts(*values, groups[truth], groups[~truth])
    if np.isnan(found.variance):
        sizes = f"{found.sizes[0]} with positives and {found.sizes[1]} with negatives"
        return _too_few(metric.name, "two groups with examples of each class", sizes)
    # The covariance of both sums within groups of both classes is spread over the two parts.
    parts = np.array([found.s10, found.s01])
    if found.variance > 0:
        parts *= found.variance / parts.sum()
    # A cluster with both classes is used for one independent pair only.
    independent = max(1, min(*found.sizes[:2], found.sizes[2] // 2))
    pairs = Pairs(
        pair_mean(values[0]), parts, found.sizes[:2], confidence_level, metric.bounds, independent
    )
    return interval_of_pairs(pairs, values, ranks)


class PlacementValues(NamedTuple):
    """What each example contributes to an AUC, in the order of the rows.

    Attributes
    ----------
    of_positives : ndarray of shape (n_positives,), float64
        For each positive the mean over the negatives.
    of_negatives : ndarray of shape (n_negatives,), float64
        For each negative the mean over the positives. Both have the metric as their mean.
    """

    of_positives: Floats
    of_negatives: Floats

    @property
    def partial_sums(self) -> Floats:
        """For each positive the sum over the negatives: of the AUC, how many it exceeds, ties half."""
        return self.of_positives * len(self.of_negatives)


def placement_values(
    y_true: Any, y_score: Any, *, metric: Any = "roc_auc", pos_label: Any = None, **parameters: Any
) -> PlacementValues:
    r"""Return how far each example is on the right side of the examples of the other class.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    metric : str or callable, default="roc_auc"
        A metric that is a mean over pairs of a function h of the score difference, such as
        "scor_auc", "sond_auc" and "soft_auc".
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    **parameters
        Parameters of the metric.

    Returns
    -------
    PlacementValues

    Raises
    ------
    ValueError, TypeError
        If an input is invalid, a class is missing, or the metric is no such mean.

    Notes
    -----
    .. math:: V_i = \frac1N \sum_{j=1}^N h(p_i - n_j), \quad W_j = \frac1P \sum_{i=1}^P h(p_i - n_j)

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson, Comparing the areas under two or more
       correlated receiver operating characteristic curves, Biometrics 44, 1988, equation 2.

    Examples
    --------
    >>> from skaucx.inference import placement_values
    >>> values = placement_values([1, 0, 1, 0, 0], [0.9, 0.7, 0.6, 0.6, 0.2])
    >>> values.partial_sums.tolist(), values.of_negatives.tolist()
    ([3.0, 1.5], [0.5, 0.75, 1.0])
    """
    named = named_metric(metric)
    own = {**named.parameters, **parameters}
    if not has_placements(named.row, own):
        raise ValueError(
            f"{named.key} is no mean over pairs of a function of the score difference."
        )
    truth, score = _binary(named.row, y_true, y_score, pos_label)
    return PlacementValues(*values_of_metric(named.row, own, truth, score))


def soft_auc_gradient(
    y_true: Any, y_score: Any, *, beta: float = 7.0, pos_label: Any = None
) -> Floats:
    r"""Return the derivative of softAUC with respect to each score, for learning by it.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    beta : float > 0, default=7.0
        Steepness.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.

    Returns
    -------
    ndarray of shape (n_samples,), float64
        Positive at positives, negative at negatives, with a sum of 0. In near-linear time.

    Raises
    ------
    ValueError, TypeError
        If an input is invalid or a class is missing.

    Notes
    -----
    With :math:`s = 1 / (1 + e^{-\beta (p_i - n_j)})`:

    .. math::

       \frac{\partial}{\partial p_i} = \frac{\beta}{PN} \sum_{j=1}^N s (1 - s), \quad
       \frac{\partial}{\partial n_j} = -\frac{\beta}{PN} \sum_{i=1}^P s (1 - s)

    References
    ----------
    .. [1] T. Calders and S. Jaroszewicz, Efficient AUC optimization for classification, PKDD 2007.

    Examples
    --------
    >>> from skaucx.inference import soft_auc_gradient
    >>> soft_auc_gradient([1, 1, 0], [0.9, 0.4, 0.5]).round(3).tolist()
    [0.189, 0.776, -0.965]
    """
    steep = RealRange(0, np.inf, open_low=True).check("beta", beta)
    truth, score = _binary(named_metric("soft_auc").row, y_true, y_score, pos_label)

    def slope(d: Floats) -> Floats:
        return np.asarray(steep * special.expit(steep * d) * special.expit(-steep * d))

    means = Placements(truth, score).mean_of(DifferenceFunction(slope, kinks=()))
    positives = int(truth.sum())
    gradient = np.empty(len(truth))
    gradient[truth] = means[:positives] / positives
    gradient[~truth] = -means[positives:] / (len(truth) - positives)
    return gradient


def example_losses(metric: Any, y_true: Any, y_pred: Any, **parameters: Any) -> Floats:
    """Return the value of each example, of which a metric is the mean.

    Parameters
    ----------
    metric : str or callable
        Name, alias, function or scorer of a metric that is a mean over examples: Brier score, log
        loss, squared error, Hamming loss ...
    y_true : array-like of shape (n_samples,)
        True labels, or numbers.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_classes)
        What the metric reads: probabilities, labels or numbers.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ndarray of shape (n_samples,), float64

    Raises
    ------
    ValueError, TypeError
        If an input is invalid, or the metric is no mean over examples.

    Examples
    --------
    >>> from skaucx.inference import example_losses
    >>> example_losses("brier_score_loss", [1, 0, 1], [0.9, 0.2, 0.4]).round(2).tolist()
    [0.01, 0.04, 0.36]
    """
    named = named_metric(metric)
    options = options_of_state(named.function, {**named.parameters, **parameters})
    sample = sample_of(named.row, y_true, y_pred, labels=options.pop("labels", None))
    values = row_losses(MetricOnSample(sample, named.row, options))
    if values is None:
        raise ValueError(
            f"{named.key} is no mean over examples, which have no values of their own."
        )
    return values


def _binary(metric: Any, y_true: Any, y_score: Any, pos_label: Any) -> tuple[Bools, Floats]:
    """Return truth and scores of two classes that both occur."""
    unit = metric.name if metric.kind.scale == "unit" else ""
    truth, scored = check_binary_scores(metric.name, y_true, y_score, pos_label, unit=unit)
    if truth.all() or not truth.any():
        raise ValueError("y_true must hold both classes, found one.")
    return truth, scored.score
