"""Limits of a mean that hold at every time, however often they are looked at."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from scipy import special

from ..._arrays import Bools, Floats
from .bootstrap import Ends
from .limits import bisect, invert_test

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
    return invert_test(accepted, middle)


def log_evidence_below(hits: Floats, n: Floats, share: float) -> Floats:
    """Return the log of the evidence that a share has fallen below a value, 0 or less where it has not.

    The mixture runs over shares below the value, so that it is a supermartingale for all above it.
    """
    a, b = _MIXED * share, _MIXED * (1 - share)
    with np.errstate(divide="ignore"):
        # The weight of shares below the value, with the data and before them.
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
        # The mean of 1/2 and the n - 1 values before.
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
    high = bisect(lambda m: log_evidence_of_mean(path, m) < bar, middle, np.ones_like(middle))
    low = bisect(
        lambda m: log_evidence_of_mean(mirrored(path), 1 - m) < bar, middle, np.zeros_like(middle)
    )
    return low, high
