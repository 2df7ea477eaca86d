"""Smooth regressions of the class on the probability: loess, restricted cubic splines, kernels.

A smoother that is linear in its parameters gives the curve and the covariance of the curve at once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import special
from scipy.interpolate import CubicHermiteSpline

from ..._arrays import Floats
from .isotonic import Graded

Smoother = Literal["loess", "spline"]
_SPAN, _CELL = 0.75, 0.2  # of R's loess: its neighbourhood, and the share of it that a cell holds
_MARGIN = 0.005  # of the range, on either side, as in R's loess
# Knots of restricted cubic splines are at these quantiles (Harrell 2015, table 2.3).
_KNOTS = {
    3: (0.1, 0.5, 0.9),
    4: (0.05, 0.35, 0.65, 0.95),
    5: (0.05, 0.275, 0.5, 0.725, 0.95),
}
# Newton's steps, the relative change at which they end, and a condition number without a maximum.
_STEPS, _SMALL, _SINGULAR = 50, 1e-10, 1e14


@dataclass(frozen=True, eq=False)
class Smooth:
    """A fitted curve with the covariance of its parameters.

    `rows(p)` gives what the parameters weigh in the curve at p, `back` maps that sum to the scale of
    probabilities; `curve` is the sum itself.
    """

    parameters: Floats
    covariance: Callable[[], Floats]
    rows: Callable[[Floats], Floats]
    back: Callable[[Any], Any]
    curve: Callable[[Floats], Floats]

    def __call__(self, p: Floats) -> Floats:
        return np.asarray(np.clip(self.back(self.curve(p)), 0.0, 1.0))

    def ends(
        self, p: Floats, confidence_level: float, draws: int, rng: np.random.Generator | None
    ) -> tuple[Floats, Floats]:
        """Return a pointwise band, or with `draws` one for all points at once.

        The simultaneous band uses the quantile of the greatest standardised deviation of normal
        parameters.
        """
        rows = self.rows(p)
        # On the scale of the link Var(x' b) = x' S x; rounding may turn a variance of 0 negative.
        middle, covariance = rows @ self.parameters, self.covariance()
        error = np.sqrt(np.maximum(((rows @ covariance) * rows).sum(axis=1), 0.0))
        reach = float(special.ndtri((1 + confidence_level) / 2))
        if draws and rng is not None:
            # The whole curve: the quantile of max_x |x' S^(1/2) z| / sqrt(x' S x), z standard normal.
            values, vectors = np.linalg.eigh(covariance)
            root = rows @ (vectors * np.sqrt(np.maximum(values, 0.0)))
            root = root[error > 0] / error[error > 0, None]
            peaks = np.abs(root @ rng.standard_normal((root.shape[1], draws))).max(axis=0)
            reach = float(np.quantile(peaks, confidence_level))
        ends = (np.clip(self.back(middle + k * reach * error), 0.0, 1.0) for k in (-1, 1))
        low, high = (np.asarray(end) for end in ends)
        return low, high


def smooth(g: Graded, smoother: Smoother = "loess", knots: int = 5) -> Smooth | None:
    """Return the smooth curve of the class on the probability; None if there is none."""
    return loess(g) if smoother == "loess" else spline(g, knots)


def loess(g: Graded, span: float = _SPAN) -> Smooth:
    """Local quadratic regression with tricube weights (Cleveland et al. 1992), as R's loess.

    Fits at the corners of cells are joined by cubic Hermite polynomials. Of fewer than four distinct
    probabilities the curve joins the shares of positives by straight lines.
    """
    # In units of the lightest probability, so that neither scale nor repetition changes the curve.
    x, total = g.values, g.total / g.total.min()
    rate = g.positive / g.total
    if len(x) < 4:

        def straight(p: Floats) -> Floats:
            return np.stack([np.interp(p, x, unit) for unit in np.eye(len(x))], axis=1)

        own = np.diag(rate * (1 - rate) * g.unit / g.total)
        return Smooth(rate, lambda: own, straight, _as_it_is, lambda p: np.interp(p, x, rate))
    rows_in_all = float(np.round(total.sum(), 6))
    most = max(int(rows_in_all * span * _CELL), 1)
    corners = np.array(_corners(x, np.round(np.cumsum(total), 6), most))
    below = np.append(0.0, np.cumsum(total))
    fits = [_local(x, total, below, at, span) for at in corners]
    # The value and the slope of each corner.
    parameters = np.concatenate([fit.of_rates(rate) for fit in fits])
    curve = CubicHermiteSpline(corners, parameters[::2], parameters[1::2])

    def rows(p: Floats) -> Floats:
        cell = np.clip(np.searchsorted(corners, p, side="right") - 1, 0, len(corners) - 2)
        width = corners[cell + 1] - corners[cell]
        t = (p - corners[cell]) / width
        # The cubic Hermite basis: value and slope at the left corner, then at the right.
        blend = (
            (1 - t) ** 2 * (1 + 2 * t),
            t * (1 - t) ** 2 * width,
            t**2 * (3 - 2 * t),
            -(t**2) * (1 - t) * width,
        )
        found = np.zeros((len(p), 2 * len(corners)))
        for place, part in enumerate(blend):
            found[np.arange(len(p)), 2 * cell + place] = part
        return found

    def covariance() -> Floats:
        # The variance of the share of positives at a distinct probability of so many rows.
        fitted = np.clip(curve(x), 0.0, 1.0)
        operator = np.concatenate([fit.operator(len(x)) for fit in fits])
        return (operator * (fitted * (1 - fitted) * g.unit / g.total)) @ operator.T

    return Smooth(parameters, covariance, rows, _as_it_is, curve)


def _as_it_is(middle: Any) -> Any:
    return middle


def _corners(x: Floats, below: Floats, most: int) -> list[float]:
    """Return the corners of cells: halves of halves until each holds at most `most` rows."""
    margin = _MARGIN * max(x[-1] - x[0], 1e-3 * np.abs(x).max() + 1e-30)
    inner: list[float] = []

    def cut(start: float, stop: float) -> None:
        if stop - start <= most:
            return
        middle = start + np.floor((stop - start + 1) / 2)
        place = float(x[np.searchsorted(below, middle)])
        if place in (x[0], x[-1]) or place in inner:
            return
        inner.append(place)
        cut(start, middle)
        cut(middle, stop)

    cut(0.0, float(below[-1]))
    return [float(x[0] - margin), *sorted(inner), float(x[-1] + margin)]


class _Local(NamedTuple):
    """A local polynomial: the rates that it reads, and the normal equations of its coefficients."""

    held: slice
    gram: Floats
    weighed: Floats
    width: float

    def of_rates(self, rate: Floats) -> Floats:
        """Return the value and the slope."""
        return self._solved(self.weighed @ rate[self.held])

    def operator(self, size: int) -> Floats:
        """Return what so many rates weigh in the value and in the slope, (2, size)."""
        found = np.zeros((2, size))
        found[:, self.held] = self._solved(self.weighed)
        return found

    def _solved(self, right: Floats) -> Floats:
        fit = np.linalg.solve(self.gram, right)[:2]
        found = np.zeros((2, *fit.shape[1:]))
        found[: len(fit)] = fit
        found[1] /= self.width
        return found


def _local(x: Floats, total: Floats, below: Floats, at: float, span: float) -> _Local:
    """Return the local parabola at a corner; `below` are the totals below each value.

    Where fewer than three distinct values are within reach the polynomial is of lower degree.
    """
    middle = int(np.searchsorted(x, at))
    sides = at - x[:middle][::-1], x[middle:] - at  # distances, rising

    def reached(distance: float, end: Literal["left", "right"] = "right") -> slice:
        left, right = (int(np.searchsorted(side, distance, end)) for side in sides)
        return slice(middle - left, middle + right)

    def held_within(distance: float) -> float:
        held = reached(distance)
        return float(below[held.stop] - below[held.start])

    # So many rows are within reach as R's loess counts.
    wanted = np.floor(span * total.sum() + 1e-5) * (1 - 1e-12)
    places = [bisect_left(side, wanted, key=held_within) for side in sides]
    ends = [side[place] for side, place in zip(sides, places, strict=True) if place < len(side)]
    # One value may hold all rows within reach.
    width = max(min(ends), np.sort(np.concatenate([side[:2] for side in sides]))[1])
    held = reached(width, "left")
    # Tricube weights (1 - |t|^3)^3 (Cleveland et al. 1992).
    t = (x[held] - at) / width
    away = np.abs(t)
    away = 1 - away * away * away
    near = away * away * away * total[held]
    powers = np.stack([np.ones(len(t)), t, t * t][: len(t)])
    weighed = powers * near
    gram = weighed @ powers.T
    while np.linalg.cond(gram) > _SINGULAR:
        gram, weighed = gram[:-1, :-1], weighed[:-1]
    return _Local(held, gram, weighed, width)


def spline(g: Graded, knots: int = 5) -> Smooth | None:
    """Logistic regression on a restricted cubic spline of the log-odds, with sandwich covariance."""
    inside = (g.values > 0) & (g.values < 1)
    x, hits, total = g.log_odds[inside], g.positive[inside] / g.unit, g.total[inside] / g.unit
    if len(x) <= knots or not 0 < hits.sum() < total.sum():
        return None
    at = quantiles(x, total, _KNOTS[knots])
    if (np.diff(at) <= 0).any():
        return None
    scale = (at[-1] - at[0]) ** 2

    def basis(z: Floats) -> Floats:
        # Harrell's basis: truncated cubes whose sum is linear beyond the outer knots, over the squared
        # range of the knots so that all columns are of the size of z.
        cubes = [np.maximum(z - knot, 0.0) ** 3 for knot in at]
        last = at[-1] - at[-2]
        parts = [
            (c - cubes[-2] * (at[-1] - t) / last + cubes[-1] * (at[-2] - t) / last) / scale
            for c, t in zip(cubes[:-2], at[:-2], strict=True)
        ]
        return np.column_stack([np.ones(len(z)), z, *parts])

    fit = _logistic(basis(x), hits, total)
    if fit is None:
        return None

    def rows(p: Floats) -> Floats:
        return basis(special.logit(np.clip(p, g.values[inside][0], g.values[inside][-1])))

    parameters, covariance = fit
    return Smooth(
        parameters, lambda: covariance, rows, special.expit, lambda p: rows(p) @ parameters
    )


def quantiles(x: Floats, total: Floats, shares: tuple[float, ...]) -> Floats:
    """Return quantiles of rising values by linear interpolation, as R's type 7.

    The lightest value counts as one row, so that neither scale nor repetition changes them.
    """
    last = np.round(np.cumsum(total / total.min()), 6) - 1
    places = np.array(shares) * last[-1]
    below = np.floor(places)
    low, high = (x[np.searchsorted(last, np.minimum(k, last[-1]))] for k in (below, below + 1))
    return np.asarray(low + (high - low) * (places - below))


def _logistic(design: Floats, hits: Floats, total: Floats) -> tuple[Floats, Floats] | None:
    """Return coefficients and their sandwich covariance, by Newton's method."""
    # b <- b + (X' W X)^-1 X' (h - n p), with W = n p (1 - p) for h hits of n.
    found = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        fitted = special.expit(design @ found)
        information = (design * (total * fitted * (1 - fitted))[:, None]).T @ design
        if not np.linalg.cond(information) < _SINGULAR:
            return None
        step = np.linalg.solve(information, design.T @ (hits - total * fitted))
        found = found + step
        if np.abs(step).max() < _SMALL * max(1.0, np.abs(found).max()):
            break
    else:
        return None
    fitted = special.expit(design @ found)
    # Huber's sandwich: it holds where the curve is no logistic one of the design.
    squares = hits * (1 - fitted) ** 2 + (total - hits) * fitted**2
    inverse = np.linalg.inv(information)
    return found, inverse @ ((design * squares[:, None]).T @ design) @ inverse
