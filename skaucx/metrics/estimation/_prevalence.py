"""Intervals of metrics of the confusion table at a given prevalence."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._arrays import Floats
from ..._options import (
    OPEN_SHARE,
    Alternative,
    check_alternative,
    check_confidence_level,
    check_whole,
)
from .._formulas.slopes import TIMES, derivatives
from .._records.counts import Counts, given_table
from .._records.inputs import check_counts, refuse_not_of_counts
from .._registry.averaging import value_of_counts
from .._registry.names import named_metric
from .._registry.row import Metric
from ._interval import Interval, Sides, noted
from ._normal import link_of, linked, quantile, symmetric

# Added to both cells of a rate of 0 or 1, whose variance would be 0 (Haldane 1956).
_ADDED = 0.5


def interval_at_prevalence(
    metric: Any,
    y_true: Any = None,
    y_pred: Any = None,
    *,
    prevalence: float | tuple[int, int],
    counts: Any = None,
    layout: str | None = None,
    pos_label: Any = None,
    confidence_level: float = 0.95,
    alternative: Alternative = "two-sided",
    **parameters: Any,
) -> Interval:
    r"""Return a metric of predicted labels at a given prevalence, with its interval.

    TPR and FPR of the sample are assumed to be independent of the prevalence, as in the analysis of
    case-control studies.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of predicted labels, such as "precision" (the positive
        predictive value) or "npv".
    y_true, y_pred : array-like of shape (n_samples,), default=None
        True and predicted labels of two classes.
    prevalence : float in (0, 1), or (int, int)
        The known prevalence, or its counts (positives, examples); with counts the interval includes
        its sampling error.
    counts : Counts or array-like of shape (2, 2), default=None
        Integer counts instead of both arrays.
    layout : str, default=None
        Layout of the table, as for :func:`evaluate`; None means "tn fp fn tp".
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater" gives a lower limit only, "less" an upper one.
    **parameters
        The metric's own parameters, such as ``beta`` or ``cost``.

    Returns
    -------
    Interval
        By the delta method on the scale of the metric's range ("logit", "log"), or on its own.

    Raises
    ------
    ValueError, TypeError
        If the metric is not of predicted labels, or an argument is invalid.

    Notes
    -----
    TPR, FPR and an estimated prevalence are independent proportions of P, N and n examples, so that

    .. math::

        \operatorname{Var} f = f_{\mathrm{TPR}}^2 \frac{\mathrm{TPR} (1 - \mathrm{TPR})}{P}
        + f_{\mathrm{FPR}}^2 \frac{\mathrm{FPR} (1 - \mathrm{FPR})}{N}
        + f_\pi^2 \frac{\pi (1 - \pi)}{n}

    For predictive values at a known prevalence these are the logit intervals of [1]_. Half an
    example is added to both cells of a rate of 0 or 1.

    References
    ----------
    .. [1] N. D. Mercaldo, K. F. Lau and X. H. Zhou, Confidence intervals for predictive values with an
       emphasis to case-control studies, Statistics in Medicine 26, 2170-2183, 2007.

    Examples
    --------
    >>> from skaucx.metrics import Counts, interval_at_prevalence
    >>> counts = Counts(tp=90, fn=10, fp=20, tn=180)
    >>> interval_at_prevalence("precision", counts=counts, prevalence=0.02)
    precision 0.1552 (95 %: 0.1076 to 0.2186; logit)
    Note: at prevalence 0.02
    >>> interval_at_prevalence("precision", counts=counts, prevalence=(8, 400))
    precision 0.1552 (95 %: 0.0751 to 0.2936; logit)
    Note: at prevalence 8 of 400
    """
    level = check_confidence_level(confidence_level)
    sides = Sides(check_alternative(alternative), level)
    named = named_metric(metric)
    if named.row.kind.of_counts is None:
        raise refuse_not_of_counts(named.row.name)
    value = _AtRates(named.row.under(parameters), {**named.parameters, **parameters})
    cells = _cells(y_true, y_pred, counts, layout, pos_label)
    share, described = _prevalence(prevalence)
    pairs = np.vstack([cells, share])
    estimate = value(pairs)
    low, high, error = value.interval(pairs, sides, known=not isinstance(prevalence, tuple))
    found = Interval(
        named.key,
        float(estimate),
        float(low),
        float(high),
        float(error),
        sides.confidence_level,
        value.method,
        0,
        f"at prevalence {described}",
    )
    return noted(found, "" if counts is None else given_table(counts, layout).note)


class _AtRates:
    """A metric as a function of TPR, FPR and prevalence, each as a pair (p, 1 - p)."""

    def __init__(self, row: Metric, parameters: dict[str, Any]) -> None:
        self.row, self.parameters = row, parameters

    def __call__(self, pairs: Floats) -> Floats:
        """Return the values of pairs of shape (..., 3, 2)."""
        with np.errstate(invalid="ignore"):
            (tpr, fnr), (fpr, tnr), (share, rest) = np.moveaxis(
                pairs / pairs.sum(axis=-1, keepdims=True), (-2, -1), (0, 1)
            )
        counts = Counts(share * tpr, rest * fpr, share * fnr, rest * tnr)
        return np.asarray(value_of_counts(self.row, counts, self.parameters, np.nan))

    @property
    def method(self) -> str:
        """The name of the scale on which intervals are symmetric."""
        named = link_of(self.row.bounds)
        return named[0] if named else "delta"

    def interval(self, pairs: Floats, sides: Sides, *, known: bool) -> tuple[Floats, ...]:
        """Return both limits and the standard error; nan if the metric is undefined."""
        estimate, middle = self(pairs), self(_shown(pairs))
        error = self.standard_error(pairs, known=known)
        reach, named = quantile(sides.two_sided) * error, link_of(self.row.bounds)
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = (
                linked(middle, reach, named[1])
                if named
                else symmetric(middle, reach, self.row.bounds)
            )
        if np.isnan(estimate):
            return estimate, estimate, error
        ends = np.fmin(low, estimate), np.fmax(high, estimate)
        return *sides.ends(*ends, self.row.bounds), error

    def standard_error(self, pairs: Floats, *, known: bool) -> Floats:
        """Return the standard error from binomial variances; that of a known prevalence is 0."""
        pairs = _shown(pairs)
        steps = 1e-3 * pairs.ravel()
        changes = (np.eye(6) * steps).reshape(6, 3, 2)
        moved = pairs + TIMES[:, None, None, None] * changes
        slopes = derivatives(self(moved), steps).reshape(3, 2)
        parts = (slopes**2 * pairs).sum(axis=1)
        return np.sqrt(parts[:2].sum() if known else parts.sum())


def _shown(pairs: Floats) -> Floats:
    """Return the pairs with half an example added to the cells of a rate of 0 or 1."""
    return pairs + _ADDED * (pairs == 0).any(axis=-1, keepdims=True)


def _cells(y_true: Any, y_pred: Any, counts: Any, layout: str | None, pos_label: Any) -> Floats:
    """Return the counts (tp, fn) and (fp, tn)."""
    if counts is None:
        counted = Counts.from_labels(y_true, y_pred, pos_label=pos_label)
    elif y_true is not None or y_pred is not None:
        raise ValueError("counts represent all rows; omit y_true and y_pred.")
    else:
        counted = Counts.from_table(given_table(counts, layout).table)
    named = dict(zip(("tp", "fp", "fn", "tn"), counted.cells, strict=True))
    tp, fp, fn, tn = check_counts(named)
    cells = np.array([[tp, fn], [fp, tn]], dtype=np.float64)
    if cells.shape != (2, 2) or (cells != np.floor(cells)).any():
        raise ValueError(
            "counts must be four whole numbers: an interval needs the sizes of classes."
        )
    if not cells.sum(axis=1).all():
        raise ValueError("Both classes need examples to estimate TPR and FPR.")
    return cells


def _prevalence(given: Any) -> tuple[Floats, str]:
    """Return the prevalence and its complement, or the numbers of positives and negatives."""
    if not isinstance(given, tuple):
        share = OPEN_SHARE.check("prevalence", given)
        return np.array([share, 1 - share]), f"{share:.4g}"
    if len(given) != 2:
        raise ValueError(f"prevalence must be a number or (positives, examples), found {given!r}.")
    positives, size = (check_whole("prevalence", number, 0) for number in given)
    if not (positives <= size and size > 0):
        raise ValueError(f"prevalence must be (positives, examples), found {given!r}.")
    return np.array([positives, size - positives], dtype=np.float64), f"{positives} of {size}"
