"""Smooth regression of the class on the probability: least squares on a restricted cubic spline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special
from scipy.interpolate import CubicSpline

from ..._arrays import Floats
from .isotonic import Graded

# The knots are at these quantiles (Harrell 2015, table 2.3), or at all of so few probabilities.
_KNOTS = (0.05, 0.275, 0.5, 0.725, 0.95)


@dataclass(frozen=True, eq=False)
class Smooth:
    """A curve that is linear in its parameters, with their covariance."""

    knots: Floats
    parameters: Floats
    covariance: Floats

    def __call__(self, p: Floats) -> Floats:
        return np.clip(_design(p, self.knots) @ self.parameters, 0.0, 1.0)

    def ends(
        self, p: Floats, confidence_level: float, draws: int, rng: np.random.Generator | None
    ) -> tuple[Floats, Floats]:
        """Return a pointwise band, or with `draws` one for all points at once.

        The simultaneous band uses the quantile of the greatest standardised deviation of normal
        parameters.
        """
        rows = _design(p, self.knots)
        # Var(x' b) = x' S x; rounding may turn a variance of 0 negative.
        middle = rows @ self.parameters
        error = np.sqrt(np.maximum(((rows @ self.covariance) * rows).sum(axis=1), 0.0))
        reach = float(special.ndtri((1 + confidence_level) / 2))
        if draws and rng is not None:
            # The whole curve: the quantile of max_x |x' S^(1/2) z| / sqrt(x' S x), z standard normal.
            values, vectors = np.linalg.eigh(self.covariance)
            root = rows @ (vectors * np.sqrt(np.maximum(values, 0.0)))
            root = root[error > 0] / error[error > 0, None]
            peaks = np.abs(root @ rng.standard_normal((root.shape[1], draws))).max(axis=0)
            reach = float(np.quantile(peaks, confidence_level))
        low, high = (np.clip(middle + k * reach * error, 0.0, 1.0) for k in (-1, 1))
        return low, high


def smooth(g: Graded) -> Smooth:
    """Return the smooth curve of the class on the probability."""
    x, total = g.values, g.total
    knots = x if len(x) <= len(_KNOTS) else np.unique(quantiles(x, total, _KNOTS))
    design, root = _design(x, knots), np.sqrt(total / total.max())
    # b = (X' W X)^-1 X' W r of the shares r of positives, by the pseudo-inverse of W^(1/2) X.
    operator = np.linalg.pinv(design * root[:, None]) * root
    parameters = operator @ (g.positive / total)
    fitted = np.clip(design @ parameters, 0.0, 1.0)
    # The variance of the share of positives at a distinct probability of so many rows.
    variance = fitted * (1 - fitted) * g.unit / total
    return Smooth(knots, parameters, (operator * variance) @ operator.T)


def distances(g: Graded) -> Floats:
    """Return the distances of the distinct probabilities from their smooth curve."""
    return np.abs(smooth(g)(g.values) - g.values)


def _design(p: Floats, knots: Floats) -> Floats:
    """Return the natural splines that are 1 at one knot each, straight beyond the outer knots."""
    if len(knots) == 1:
        return np.ones((len(p), 1))
    natural = CubicSpline(knots, np.eye(len(knots)), bc_type="natural")
    inside = np.clip(p, knots[0], knots[-1])
    return np.asarray(natural(inside) + natural(inside, 1) * (p - inside)[:, None])


def quantiles(x: Floats, total: Floats, shares: tuple[float, ...]) -> Floats:
    """Return quantiles of rising values by linear interpolation, as R's type 7.

    The lightest value counts as one row, so that neither scale nor repetition changes them.
    """
    last = np.round(np.cumsum(total / total.min()), 6) - 1
    places = np.array(shares) * last[-1]
    below = np.floor(places)
    low, high = (x[np.searchsorted(last, np.minimum(k, last[-1]))] for k in (below, below + 1))
    return np.asarray(low + (high - low) * (places - below))
