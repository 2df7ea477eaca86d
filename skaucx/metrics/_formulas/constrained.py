"""Metrics at a constrained threshold: the best of one rate given a bound on another.

Every formula reads the `threshold_counts` of its record, also with a leading axis of replicates.
The threshold is chosen on the evaluated examples, so the values are optimistic. A threshold chosen
on other examples, as by scikit-learn's ``TunedThresholdClassifierCV``, is evaluated without bias.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ..._arrays import Floats
from ..._options import Share
from .._pairs.contract import PairMeans
from .._records.counts import Counts
from .._registry.declare import metric
from ..kinds.scores import ORDER
from .rates import precision, recall, specificity

# Rates that equal their bound up to rounding satisfy it.
_ROUNDING = 1e-12


def _unreached(bounded: Callable[[Counts], Floats]) -> Callable[..., str]:
    """Return the function that explains that no threshold satisfies the bound, the only parameter."""

    def reason(r: PairMeans | None, **least: float) -> str:
        if r is None:
            return "no threshold reaches the bound"
        [(name, value)] = least.items()
        with np.errstate(divide="ignore", invalid="ignore"):
            best = np.fmax.reduce(bounded(r.threshold_counts), axis=None)
        return f"no threshold reaches {name}={value:g}, the best is {best:g}"

    return reason


constrained = partial(
    metric,
    kind=ORDER,
    family="rates under a constraint",
    undefined=np.nan,
    over_thresholds="best",
)


@constrained("precision_at_recall_score", "Manning et al. 2008", reason=_unreached(recall))
def precision_at_recall(r: PairMeans, *, min_recall: Share = 0.9) -> Floats:
    r"""Precision at recall: the best precision over the thresholds with sufficient recall.

    Parameters
    ----------
    min_recall : float in [0, 1], default=0.9
        The least recall of a threshold.

    Notes
    -----
    .. math:: \max_t \{ \mathrm{precision}(t) : \mathrm{recall}(t) \ge c \}

    over all distinct scores as thresholds and one above them; undefined if no threshold reaches the
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


@constrained("recall_at_precision_score", "Manning et al. 2008", reason=_unreached(precision))
def recall_at_precision(r: PairMeans, *, min_precision: Share = 0.5) -> Floats:
    r"""Recall at precision: the best recall over the thresholds with sufficient precision.

    Parameters
    ----------
    min_precision : float in [0, 1], default=0.5
        The least precision of a threshold.

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
    "sensitivity_at_specificity_score", "Altman & Bland 1994", reason=_unreached(specificity)
)
def sensitivity_at_specificity(r: PairMeans, *, min_specificity: Share = 0.9) -> Floats:
    r"""Sensitivity at specificity: the best recall over the thresholds with sufficient specificity.

    Parameters
    ----------
    min_specificity : float in [0, 1], default=0.9
        The least specificity of a threshold.

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


@constrained("specificity_at_sensitivity_score", "Altman & Bland 1994", reason=_unreached(recall))
def specificity_at_sensitivity(r: PairMeans, *, min_sensitivity: Share = 0.9) -> Floats:
    r"""Specificity at sensitivity: the best specificity over the thresholds with sufficient recall.

    Parameters
    ----------
    min_sensitivity : float in [0, 1], default=0.9
        The least recall of a threshold.

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
    """Return the greatest value where `bounded` reaches its bound; nan if it never does."""
    kept = (bounded >= least - _ROUNDING) & ~np.isnan(value)
    return np.where(kept.any(axis=-1), np.max(value, axis=-1, where=kept, initial=-np.inf), np.nan)
