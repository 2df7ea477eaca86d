r"""Student's intervals from influences: a sum of one number an independent unit has a known variance.

A smooth metric of weighted rows differs from its value on the population by the sum of the influences
:math:`\psi_i = w_i \, \partial T / \partial w_i` of its rows, up to terms of order 1 / n (the
infinitesimal jackknife: Jaeckel 1972; Efron 1982, chapter 6). Rows, or groups of them, are a random
sample, class counts included, so that the variance is that of a sum of independent units.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Array, Codes, Floats
from .._registry.row import Metric
from ..kinds.base import Sample
from ._auc_forms import exact
from ._normal import Ends, Found, flat, link_of, linked, symmetric

STUDENT = "t"
# A share of the variance of independent rows that rounding alone can give.
_ROUNDING = 1e-12
_ALIKE = "all examples have the same value"


class Spread(NamedTuple):
    """The variance of a sum of influences over independent units, and the number of these."""

    variance: float
    units: int

    @classmethod
    def of(cls, rows: Floats, groups: Codes | None = None, many: Array | None = None) -> Spread:
        r"""Return :math:`\frac{m}{m - 1} \sum_g (\sum_{i \in g} \psi_i)^2` of m groups, or of rows.

        Rows that stand for `many` equal examples have the sum of their influences. Groups that are all
        alike hide the variance, which is then that of independent rows.
        """
        if groups is None:
            squares = rows @ rows if many is None else (rows / many) @ rows
            return cls.of_squares(float(squares), len(rows) if many is None else int(many.sum()))
        found = cls.of_squares(*_squares(rows, groups))
        independent = cls.of_squares(float(rows @ rows), found.units)
        return found if found.variance > _ROUNDING * independent.variance else independent

    @classmethod
    def of_informative(cls, rows: Floats, groups: Codes) -> Spread:
        """Return the same of the groups whose rows have influences other than 0."""
        told = rows != 0
        return cls.of(rows[told], np.unique(groups[told], return_inverse=True)[1])

    @classmethod
    def of_squares(cls, squares: float, units: int) -> Spread:
        """Return the spread of the sum of the squares of the influences of units."""
        return cls(units / (units - 1) * squares if units > 1 else np.nan, units)

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    def reach(self, confidence_level: float) -> float:
        """Return the quantile of Student's law with a degree of freedom less than units."""
        return float(special.stdtrit(self.units - 1, (1 + confidence_level) / 2))


def _squares(rows: Floats, groups: Codes) -> tuple[float, int]:
    sums = np.bincount(groups, rows)
    return float(sums @ sums), len(sums)


def linearized(
    sample: Sample,
    metric: Metric,
    options: Mapping[str, Any],
    psi: Floats,
    groups: Codes | None,
    confidence_level: float,
    method: str = "",
) -> Found:
    """Return Student's interval of a metric from the influences of the rows of a sample.

    It is symmetric on the logit scale of the metric's range, on the log scale where that has no upper
    end, and with method "t" on the metric's own. Where all rows have the same value the ends of a
    finite range are those of :func:`exact`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # reported with the estimate
        value = np.asarray(metric.value(sample.state, **options))
    spread = Spread.of(psi, groups, sample.multiplicity)
    if not np.isfinite(spread.variance + value):
        return Found(*np.full(3, np.nan))
    error = np.asarray(spread.error)
    ends = student(value, spread, metric.bounds, confidence_level, scaled=method != STUDENT)
    found = Found(*ends, error)
    if not flat(found) or not error <= _ROUNDING:
        return found
    if not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return found._replace(note=_ALIKE)
    ends = exact(value, spread.units, confidence_level, metric.bounds)
    return Found(*ends, error, "exact", _ALIKE)


def student(
    value: Floats,
    spread: Spread,
    bounds: tuple[float, float],
    confidence_level: float,
    *,
    scaled: bool = True,
) -> Ends:
    """Return Student's interval of a value, on the scale of its range where it is `scaled`."""
    half = np.asarray(spread.reach(confidence_level) * spread.error)
    named = link_of(bounds) if scaled else None
    if named is None or not bounds[0] < value < bounds[1]:
        return symmetric(value, half, bounds)
    return linked(value, half, named[1])
