"""How many independent examples weighted rows, or rows in groups, are worth to an estimated share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from ..._arrays import Array, Codes, Floats
from ._closed_forms import Spread
from ._normal import Ends, clopper_pearson

# Shares of a class between which scores are cut for its design effect.
_CUTS = np.linspace(0.05, 0.95, 19)


class EffectiveSize(NamedTuple):
    """The number of independent examples behind a share, or each of several; degrees of freedom."""

    size: Any
    freedom: float = math.inf

    def ends(self, share: Floats, rate: Any) -> Ends:
        r"""Return Clopper and Pearson's interval of shares, each end missed at half the rate.

        Of a sample in groups (Korn and Graubard 1998, Survey Methodology 24, 193-201):

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
        """The size at the middle one of the shares."""
        return float(np.median(self.size))


def effective_size(
    p: Floats, above: Floats, weight: Floats, groups: Codes | None, hits: Iterable[Array]
) -> EffectiveSize:
    r"""Return the sizes at which shares have the variance that weighted rows in groups give them.

    .. math:: n_\text{eff} = \frac{1}{D} \, \frac{p (1 - p)}{\sum_i w_i^2 (x_i - p)^2},
        \qquad d + 1 = 1 / \sum_g W_g^2

    Parameters
    ----------
    p : ndarray of shape (n_points,), float64
        The shares.
    above : ndarray of shape (n_points,), float64
        The sums of the squares of the weights of the rows that count for them.
    weight : ndarray of shape (n_rows,), float64
        Weights whose sum is 1.
    groups : ndarray of shape (n_rows,), int, or None
    hits : iterable of ndarray of shape (n_rows,), bool
        Rows that count for a share; over all of them the design effect D is pooled, the variance of
        sums over groups in units of that of independent rows, at least 1.

    Returns
    -------
    EffectiveSize
        nan where one group has all the weight.
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
    """Yield which scores of a class are above each of several cuts through it."""
    for cut in np.unique(np.quantile(score, _CUTS, method="lower")):
        yield score > cut
