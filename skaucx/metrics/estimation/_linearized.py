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
from .._registry.averaging import STRICT
from .._registry.row import Metric
from .._resampling.sample import Sample, ScoreSample, own_parameters
from ._auc_forms import exact
from ._normal import Found, flat, link_of, linked, symmetric
from ._proportions import score_interval

STUDENT = "t"
# A share of the variance of independent rows that rounding alone can give.
_ROUNDING = 1e-12
# Below so many of a class intervals from influence curves come with a note
# (``python -m benchmarks.influence_coverage``).
_FEWEST = 10
_FEW_EVENTS = (
    f"{{}} of a class: below {_FEWEST} coverage is not guaranteed (61 to 99 % of nominal 95)"
)
_ALIKE = "all examples have the same value"


class Spread(NamedTuple):
    """The variance of a sum of influences over independent units, and the number of these.

    `freedom` are the degrees of freedom of Student's law, as many as a sum of squares of normal numbers
    would have whose mean and variance are those of the variance found (Satterthwaite 1946): fewer than
    units where few of them make most of it.
    """

    variance: float
    units: int
    freedom: float = np.nan

    @classmethod
    def of(cls, rows: Floats, groups: Codes | None = None, many: Array | None = None) -> Spread:
        r"""Return :math:`v = \frac{m}{m - 1} \sum_g s_g^2` of the sums of m groups, or of rows.

        Rows that stand for `many` equal examples have the sum of their influences. The variance of v is
        about :math:`\sum_g s_g^4 - v^2 / m`. Groups that are all alike hide the variance, which is then
        that of independent rows.
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
        """Return the same of the groups whose rows have influences other than 0."""
        told = rows != 0
        return cls.of(rows[told], np.unique(groups[told], return_inverse=True)[1])

    @classmethod
    def of_squares(cls, squares: float, units: int) -> Spread:
        """Return the spread of the sum of the squares of the influences of units."""
        return cls(units / (units - 1) * squares if units > 1 else np.nan, units, units - 1.0)

    @property
    def error(self) -> float:
        """The standard error."""
        return math.sqrt(self.variance)

    def reach(self, confidence_level: float, freedom: float | None = None) -> float:
        """Return the quantile of Student's law, by default with a degree of freedom less than units."""
        freedom = self.units - 1 if freedom is None else freedom
        return float(special.stdtrit(freedom, (1 + confidence_level) / 2))


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
    of_classes = isinstance(sample, ScoreSample) and metric.losses is None
    pairs = independent_pairs(sample, groups) if of_classes else spread.units
    note = _FEW_EVENTS.format(pairs) if of_classes and pairs < _FEWEST else ""
    reach = spread.reach(confidence_level, None if metric.losses is not None else spread.freedom)
    if method != STUDENT and (share := _share_of_trials(sample, metric, options)) is not None:
        p, size = float(value), share * spread.units
        if 0 < p < 1 and spread.variance > 0:
            size = p * (1 - p) / spread.variance
        ends = score_interval(np.asarray(p * size), np.asarray(size), reach)
        return Found(*ends, error, note=note)
    half = np.asarray(reach * spread.error)
    named = link_of(metric.bounds) if method != STUDENT else None
    if named is not None and metric.bounds[0] < value < metric.bounds[1]:
        ends = linked(value, half, named[1])
    else:
        ends = symmetric(value, half, metric.bounds)
    found = Found(*ends, error, note=note)
    if not flat(found) or not error <= _ROUNDING:
        return found
    if not np.isfinite(metric.bounds[1] - metric.bounds[0]):
        return found._replace(note=_ALIKE)
    return Found(*exact(value, pairs, confidence_level, metric.bounds), error, "exact", _ALIKE)


def _share_of_trials(sample: Sample, metric: Metric, options: Mapping[str, Any]) -> float | None:
    """Return the share of the examples among which a metric of one score is a share."""
    if metric.trials is None or not isinstance(sample, ScoreSample) or not sample.scored.one_column:
        return None
    problem: Any = metric.kind.select(metric, options, STRICT)[0](sample.state)
    return float(metric.trials(problem.record, **own_parameters(metric, options)))


def independent_pairs(sample: Any, groups: Codes | None) -> int:
    """Return how many pairs of units of two classes have no unit in common."""
    true = sample.scored.true
    if groups is None:
        held = np.bincount(true, sample.multiplicity)
        return max(1, int(min(held[held > 0].min(), held.sum() // 2)))
    held = np.array([len(np.unique(groups[true == k])) for k in np.unique(true)])
    # A group of several classes serves one pair only.
    return max(1, int(min(held.min(), len(np.unique(groups)) // 2)))
