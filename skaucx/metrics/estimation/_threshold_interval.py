"""The interval of a metric at the best or another threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from ..._options import Alternative
from ..._text.numbers import significant
from .._registry.declare import missing_options
from ..curves import ThresholdCurves
from ._interval import Interval, intervals

_CHOSEN = (
    "the threshold was chosen on the same examples, so the estimate is optimistic; the interval "
    "is that of a threshold fixed beforehand and ignores the choice."
)


def interval_at_threshold(
    curves: ThresholdCurves,
    metric: str,
    threshold: float | None = None,
    *,
    subject_to: Mapping[str, tuple[str, float]] | None = None,
    method: str = "auto",
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Interval:
    """Return the interval of a metric at a threshold.

    Parameters
    ----------
    curves : ThresholdCurves
        By :func:`threshold_curves`, without weights.
    metric : str
        Name or alias of one of the curves.
    threshold : float, default=None
        Any number; None means the threshold at which the metric is best, with a `note` on optimism.
    subject_to : dict, default=None
        Constraints on the best threshold; see :meth:`ThresholdCurves.best`.
    method : str, default="auto"
        As for :func:`interval`.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" gives a lower limit only, "less" an upper one.

    Returns
    -------
    Interval
        For the fixed threshold that `target` names.

    Raises
    ------
    ValueError
        If the curves do not contain counts of examples, or the metric needs more; if both a
        threshold and `subject_to` are given; if no threshold is best.

    Warns
    -----
    UndefinedMetricWarning
        If the metric is undefined at the threshold, or no threshold satisfies a bound.

    See Also
    --------
    ThresholdDisplay : Draws these with ``intervals=True``.

    Examples
    --------
    >>> from skaucx.metrics import interval_at_threshold, threshold_curves
    >>> y_true, y_score = [0, 0, 0, 1, 0, 1, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.9]
    >>> curves = threshold_curves(y_true, y_score, ["recall", "f1"])
    >>> interval_at_threshold(curves, "recall", 0.55)
    recall 0.7500 (95 %: 0.3006 to 0.9544; wilson)
    >>> best = interval_at_threshold(curves, "f1")
    >>> best.target, best.note[:31]
    ('the population, predicted positive from 0.4 on', 'the threshold was chosen on the')
    """
    if threshold is not None and subject_to is not None:
        raise ValueError("subject_to constrains the best threshold; omit it, or threshold.")
    at = curves.best(metric, subject_to)[0] if threshold is None else threshold
    if threshold is None and np.isnan(at):
        raise ValueError(
            f"{metric} has no best threshold: it is undefined, or none satisfies the bounds."
        )
    named = curves.metric(metric)
    if not named.row.kind.counted:
        raise ValueError(
            f"{metric} needs more than the counts at a threshold; call interval on the labels at "
            f"the threshold."
        )
    # A metric with a threshold of its own, such as the net benefit, takes this one.
    own = dict.fromkeys(missing_options(named.function, named.parameters), at)
    [found] = intervals(
        {named.key: partial(named.function, **named.parameters, **own)},
        counts=curves.counts_at(at),
        method=method,
        confidence_level=confidence_level,
        alternative=alternative,
        zero_division=np.nan,
    ).values()
    target = f"the population, predicted positive from {significant(at)} on"
    notes = [_CHOSEN if threshold is None else "", found.note]
    return replace(found, target=target, note=" ".join(note for note in notes if note))
