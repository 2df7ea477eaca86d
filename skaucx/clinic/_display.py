"""A metric at every site, pooled, and where a new site lies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..displays import ForestDisplay
from ._pooling import SiteEvaluation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HALF = 0.24  # the height of the diamond above and below its row


class _Drawn(NamedTuple):
    """A row of a picture of intervals."""

    metric: str
    estimate: float
    low: float
    high: float
    confidence_level: float


class SitesDisplay(ForestDisplay):
    """Picture of a metric at every site, with the pooled value as a diamond and where a new site lies.

    Make it by `from_sites`.

    Parameters
    ----------
    intervals : dict of str to dict of str to Interval
        As of :class:`~skaucx.displays.ForestDisplay`.

    Attributes
    ----------
    ax_, figure_, axes_, marks_, rows_
        As of :class:`~skaucx.displays.ForestDisplay`.
    diamond_ : matplotlib Polygon
        The pooled value.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.clinic import SitesDisplay, evaluate_sites
    >>> rng = np.random.default_rng(0)
    >>> y_proba, sites = rng.random(600), np.repeat(["Ghent", "Leiden", "York"], 200)
    >>> y_true = (rng.random(600) < y_proba).astype(int)
    >>> found = evaluate_sites(y_true, y_proba, sites=sites, metrics=["roc_auc"])
    >>> SitesDisplay.from_sites(found, "roc_auc").rows_
    ['Ghent', 'Leiden', 'York', 'pooled', 'new site']
    """

    diamond_: Any

    @classmethod
    def from_sites(
        cls, found: SiteEvaluation, metric: str, *, ax: Axes | None = None, **options: Any
    ) -> Self:
        """Draw a metric at every site.

        Parameters
        ----------
        found : SiteEvaluation
            As :func:`evaluate_sites` returns it.
        metric : str
            One of its metrics.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        SitesDisplay

        Raises
        ------
        ValueError
            If no site has the metric.
        """
        if not found.intervals.get(metric):
            known = [name for name, sites in found.intervals.items() if sites]
            raise ValueError(f"metric must be one of {known}, found {metric!r}.")
        pooled = found.pooled[metric]
        middle, low, high, level = pooled.estimate, pooled.low, pooled.high, pooled.confidence_level
        rows: dict[str, Any] = {**found.intervals[metric]}
        rows["pooled"] = _Drawn(metric, middle, low, high, level)
        new = pooled.prediction_low, pooled.prediction_high
        if not math.isnan(new[0]):
            rows["new site"] = _Drawn(metric, middle, *new, level)
        drawn = cls.from_intervals(rows, ax=ax, **options)
        at = drawn.rows_.index("pooled")
        [drawn.diamond_] = drawn.ax_.fill(
            [low, middle, high, middle],
            [at, at - _HALF, at, at + _HALF],
            color=drawn.marks_[""].get_color(),
        )
        return drawn
