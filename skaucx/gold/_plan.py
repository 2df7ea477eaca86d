"""How many rows need gold labels, planned from a pilot."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special

from .._options import RealRange, check_whole
from .._text.tables import Table, Tabular
from ._labels import GoldInterval


@dataclass(frozen=True)
class GoldLabelPlan(Tabular):
    """How many rows need gold labels.

    Attributes
    ----------
    n_gold : int
        With the judge's labels of all rows.
    n_alone : int
        Without a judge.
    half_width : float
        That is aimed at.
    n_rows : int
        Rows that the judge labels.

    Examples
    --------
    >>> from skaucx.gold import GoldLabelPlan
    >>> GoldLabelPlan(n_gold=210, n_alone=640, half_width=0.03, n_rows=10_000).n_gold
    210
    """

    n_gold: int
    n_alone: int
    half_width: float
    n_rows: int

    def _table(self) -> Table:
        head = "gold labels", "without a judge", "half-width", "rows of the judge"
        return Table(
            head, [[self.n_gold, self.n_alone, self.half_width, self.n_rows]], "Gold labels"
        )


def plan_gold_labels(
    pilot: GoldInterval, half_width: float, *, n_rows: int | None = None
) -> GoldLabelPlan:
    r"""Return how many gold labels give an interval of a wanted half-width.

    Parameters
    ----------
    pilot : GoldInterval
        The interval of the metric from a pilot: :func:`~skaucx.inference.interval` with
        ``gold=GoldLabels(...)``.
    half_width : float
        Half of the width that the interval is to have, above 0, in the metric's units.
    n_rows : int, default=None
        Rows that the judge will label; None is as many as in the pilot.

    Returns
    -------
    GoldLabelPlan

    Raises
    ------
    TypeError
        If the pilot is no interval of gold labels and a judge's.
    ValueError
        If the pilot has no standard error, or all rows together are too few.

    Notes
    -----
    The variance of the estimate is, with n gold rows among N

    .. math:: V(n, N) = \frac{r}{n} + \frac{b}{N}

    with the variance r of what the judge leaves open on a row, and b of what it explains, both from the
    pilot. n follows from :math:`z^2 V = h^2` for the half-width h. A pilot of 50 gold rows knows r to
    some 20 %, so plan with a margin.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.gold import GoldLabels, plan_gold_labels
    >>> from skaucx.inference import interval
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(2000) < 0.3) * 1
    >>> predicted = np.where(rng.random(2000) < 0.85, truth, 1 - truth)
    >>> judge = np.where(rng.random(2000) < 0.93, truth, 1 - truth)
    >>> gold = GoldLabels(judge, has_gold=np.arange(2000) < 100)
    >>> pilot = interval("f1", truth, predicted, gold=gold)
    >>> plan = plan_gold_labels(pilot, 0.03, n_rows=10_000)
    >>> plan.n_gold < plan.n_alone / 2
    True
    """
    if not isinstance(pilot, GoldInterval):
        raise TypeError(
            f"pilot must be an interval with gold=GoldLabels(...), found {type(pilot).__name__}."
        )
    if not pilot.standard_error > 0:
        raise ValueError("pilot has no standard error; label more rows of it.")
    half_width = RealRange(0, math.inf, open_low=True).check("half_width", half_width)
    rows = pilot.n_rows if n_rows is None else check_whole("n_rows", n_rows, 1)
    wanted = (half_width / special.ndtri((1 + pilot.confidence_level) / 2)) ** 2
    variance = pilot.standard_error**2
    explained = max(variance - pilot.residual / pilot.n_gold, 0.0) * pilot.n_rows / rows
    if wanted <= explained:
        least = half_width * math.sqrt(explained / wanted)
        raise ValueError(
            f"half_width={half_width:g} needs more than {rows} rows with the judge's labels, whose "
            f"sampling error alone is wider. Judge more rows, or take a half-width above {least:.3g}."
        )
    needed = math.ceil(pilot.residual / (wanted - explained))
    if needed > rows:
        raise ValueError(
            f"half_width={half_width:g} needs {needed} gold rows, more than the {rows} rows there "
            f"are."
        )
    alone = math.ceil(pilot.effective_gold_rows * variance / wanted)
    return GoldLabelPlan(needed, alone, half_width, rows)
