"""Metrics at the threshold that keeps a bound: the best of one rate where another is good enough.

Every formula reads the `threshold_counts` of its record, also with a leading axis of replicates. The
threshold is found on the examples that are judged, so the values are optimistic; a threshold that is
chosen on other examples, as by scikit-learn's ``TunedThresholdClassifierCV``, is judged honestly.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..._arrays import Floats
from ..._options import Share
from .._pairs.contract import PairMeans
from .._records.counts import Counts
from .._registry.declare import metric
from ..kinds.scores import ORDER
from .rates import precision, recall, specificity
from .slopes import ENOUGH, MANY, Slopes, of_cut

# Rates that equal their bound up to rounding keep it.
_ROUNDING = 1e-12


def _unreached(bounded: Callable[[Counts], Floats]) -> Callable[..., str]:
    """Return what tells that no threshold reaches the least value of a rate, the only parameter."""

    def reason(r: PairMeans | None, **least: float) -> str:
        if r is None:
            return "no threshold reaches the bound"
        [(name, value)] = least.items()
        with np.errstate(divide="ignore", invalid="ignore"):
            best = np.fmax.reduce(bounded(r.threshold_counts), axis=None)
        return f"no threshold reaches {name}={value:g}, the best is {best:g}"

    return reason


_OPTIMISTIC = (
    "the best of the thresholds is optimistic, so that coverage is not guaranteed (88 to 97 % of "
    "nominal 95 from {:,} rows on)"
)


def at_bound(value: Callable[[Counts], Floats], bounded: Callable[[Counts], Floats]) -> Any:
    """Return the influence on the best of a value where a rate keeps its least value.

    Where the neighbours of the best threshold keep it as well, the bound does not matter (the envelope
    theorem).
    """

    def slopes(r: PairMeans, **least: float) -> Slopes:
        c, [limit] = r.threshold_counts, least.values()
        kept = bounded(c) >= limit - _ROUNDING
        best = np.flatnonzero(kept & (value(c) == _best(value(c), bounded(c), limit)))
        beside = np.pad(kept, 1, constant_values=True)
        active = best[~(beside[best] & beside[best + 2])]
        if not len(best):
            return np.full(len(kept) - 1, np.nan), np.full(len(kept) - 1, np.nan)
        at = (active if len(active) else best)[0]
        return of_cut(c, c.predicted_positives[at], value, bounded if len(active) else None)

    return slopes


constrained = partial(
    metric,
    kind=ORDER,
    family="rates under a constraint",
    undefined=np.nan,
    over_thresholds="best",
)


@constrained(
    "precision_at_recall_score",
    "Manning et al. 2008",
    reason=_unreached(recall),
    influence=at_bound(precision, recall),
    influence_from=MANY,
    interval_note=_OPTIMISTIC.format(MANY),
)
def precision_at_recall(r: PairMeans, *, min_recall: Share = 0.9) -> Floats:
    r"""Precision at recall: the best precision of the thresholds that find enough positives.

    Parameters
    ----------
    min_recall : float in [0, 1], default=0.9
        The least recall that a threshold must reach.

    Notes
    -----
    .. math:: \max_t \{ \mathrm{precision}(t) : \mathrm{recall}(t) \ge c \}

    over all distinct scores as thresholds and one above them; undefined where no threshold reaches the
    bound. :meth:`ThresholdCurves.best` with ``subject_to=`` gives the threshold too.

    Examples
    --------
    >>> from skaucx.metrics import precision_at_recall_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(precision_at_recall_score(y_true, y_score, min_recall=0.6), 4)
    0.6667
    """
    c = r.threshold_counts
    return _best(precision(c), recall(c), min_recall)


@constrained(
    "recall_at_precision_score",
    "Manning et al. 2008",
    reason=_unreached(precision),
    influence=at_bound(recall, precision),
    influence_from=MANY,
    interval_note=_OPTIMISTIC.format(MANY),
)
def recall_at_precision(r: PairMeans, *, min_precision: Share = 0.5) -> Floats:
    r"""Recall at precision: the most positives found while positive calls are right often enough.

    Parameters
    ----------
    min_precision : float in [0, 1], default=0.5
        The least precision that a threshold must reach.

    Notes
    -----
    .. math:: \max_t \{ \mathrm{recall}(t) : \mathrm{precision}(t) \ge c \}

    over the thresholds of :func:`precision_at_recall_score`.

    Examples
    --------
    >>> from skaucx.metrics import recall_at_precision_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(recall_at_precision_score(y_true, y_score, min_precision=0.6), 4)
    1.0
    """
    c = r.threshold_counts
    return _best(recall(c), precision(c), min_precision)


@constrained(
    "sensitivity_at_specificity_score",
    "Altman & Bland 1994",
    reason=_unreached(specificity),
    influence=at_bound(recall, specificity),
)
def sensitivity_at_specificity(r: PairMeans, *, min_specificity: Share = 0.9) -> Floats:
    r"""Sensitivity at specificity: the most positives found while enough negatives are recognised.

    Parameters
    ----------
    min_specificity : float in [0, 1], default=0.9
        The least specificity that a threshold must reach.

    Notes
    -----
    .. math:: \max_t \{ \mathrm{recall}(t) : \mathrm{specificity}(t) \ge c \}

    over the thresholds of :func:`precision_at_recall_score`.

    Examples
    --------
    >>> from skaucx.metrics import sensitivity_at_specificity_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(sensitivity_at_specificity_score(y_true, y_score, min_specificity=0.6), 4)
    0.5
    """
    c = r.threshold_counts
    return _best(recall(c), specificity(c), min_specificity)


@constrained(
    "specificity_at_sensitivity_score",
    "Altman & Bland 1994",
    reason=_unreached(recall),
    influence=at_bound(specificity, recall),
    influence_from=ENOUGH,
)
def specificity_at_sensitivity(r: PairMeans, *, min_sensitivity: Share = 0.9) -> Floats:
    r"""Specificity at sensitivity: the most negatives recognised while enough positives are found.

    Parameters
    ----------
    min_sensitivity : float in [0, 1], default=0.9
        The least recall that a threshold must reach.

    Notes
    -----
    .. math:: \max_t \{ \mathrm{specificity}(t) : \mathrm{recall}(t) \ge c \}

    over the thresholds of :func:`precision_at_recall_score`.

    Examples
    --------
    >>> from skaucx.metrics import specificity_at_sensitivity_score
    >>> y_true, y_score = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> round(specificity_at_sensitivity_score(y_true, y_score, min_sensitivity=0.6), 4)
    0.5
    """
    c = r.threshold_counts
    return _best(specificity(c), recall(c), min_sensitivity)


def _best(value: Floats, bounded: Floats, least: float) -> Floats:
    """Return the greatest value where `bounded` reaches its bound; nan where it does nowhere."""
    kept = (bounded >= least - _ROUNDING) & ~np.isnan(value)
    return np.where(kept.any(axis=-1), np.max(value, axis=-1, where=kept, initial=-np.inf), np.nan)
