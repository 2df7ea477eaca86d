"""A band around a decision curve that holds at all thresholds at once."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..._arrays import Floats
from .._records.counts import Counts
from .._resampling.draws import seed_of
from ..curves._decisions import DecisionCurve, decision_curve, net_benefits
from ._bands import half_width, least_error
from ._curve_sample import CurveSample
from ._settings import check_settings


def decision_band(
    y_true: Any,
    y_proba: Any,
    *,
    thresholds: Any = None,
    prevalence: float | None = None,
    simultaneous: bool = True,
    confidence_level: float = 0.95,
    pos_label: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    blocks: int | str | None = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    random_state: Any = None,
) -> DecisionCurve:
    r"""Return a decision curve with a band around its net benefit, by the bootstrap.

    Parameters
    ----------
    y_true, y_proba, thresholds, prevalence
        As for :func:`decision_curve`.
    simultaneous : bool, default=True
        Whether to widen the band until a share `confidence_level` of the resampled curves lies wholly
        inside; a threshold that is chosen after a look at the curve needs that.
    confidence_level : float, default=0.95
        Confidence, in (0, 1).
    pos_label, sample_weight, groups, blocks, n_resamples, stratify, random_state
        As for :func:`interval`.

    Returns
    -------
    DecisionCurve
        Whose ``low`` and ``high`` are the band; :class:`DecisionDisplay` draws it.

    Raises
    ------
    ValueError, TypeError
        As :func:`decision_curve` and :func:`interval` raise.

    Notes
    -----
    The band lies so many standard errors of the resampled curves around the curve, the same number at
    all thresholds (sup-t): with the standard error :math:`s(t)` and a resampled curve :math:`NB^*`,

    .. math:: NB(t) \pm q \, s(t), \qquad q = \text{quantile of} \max_t |NB^*(t) - NB(t)| / s(t)

    The standard error is at least that of the shares of right and wrong calls with two of each added to
    the sample, so that the band has a width where nobody is called positive, too: thresholds that few
    reach have a wide one.

    References
    ----------
    .. [1] J. L. Montiel Olea and M. Plagborg-Moller, Simultaneous confidence bands: theory,
       implementation, and an application to SVARs, Journal of Applied Econometrics 34(1), 1-17, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.metrics import decision_band
    >>> rng = np.random.default_rng(0)
    >>> y_true = rng.integers(0, 2, 200)
    >>> y_proba = np.clip(0.3 * y_true + 0.7 * rng.random(200), 0, 1)
    >>> band = decision_band(y_true, y_proba, thresholds=[0.2, 0.5], random_state=0)
    >>> bool((band.low < band.net_benefit).all() and (band.net_benefit < band.high).all())
    True
    """
    check_settings(confidence_level, n_resamples)
    curve = decision_curve(
        y_true, y_proba, thresholds=thresholds, prevalence=prevalence, pos_label=pos_label,
        confidence_level=confidence_level, sample_weight=sample_weight,
    )  # fmt: skip
    rows = CurveSample(y_true, y_proba, pos_label, sample_weight, groups, blocks)
    values = np.unique(rows.sample.scored.score)
    places = len(values) - np.searchsorted(values, curve.thresholds)
    odds = curve.thresholds / (1 - curve.thresholds)

    def benefits(counts: Counts) -> Floats:
        at = Counts(*(cells[:, places] for cells in counts.cells))
        return net_benefits(at if prevalence is None else at.at_prevalence(prevalence), odds)

    seed = seed_of(random_state)
    with np.errstate(invalid="ignore"):  # a resample without one of the classes
        curves = rows.resampled(benefits, n_resamples, stratify, seed)
    least = _least_error(rows.counts[0][places], odds, rows.sample.n_rows, prevalence)
    width = half_width(curves, curve.net_benefit, least, confidence_level, simultaneous)
    greatest = 1.0 if prevalence is None else curve.prevalence
    low, high = curve.net_benefit - width, np.minimum(curve.net_benefit + width, greatest)
    method = f"bootstrap, {n_resamples} draws, seed {seed}"
    return dataclasses.replace(curve, low=low, high=high, simultaneous=simultaneous, method=method)


def _least_error(counts: Counts, odds: Floats, examples: int, prevalence: float | None) -> Floats:
    """Return the error of right and wrong calls after two of each, and of others, are added.

    With the prevalence fixed they are shares of their classes, else of all.
    """
    sizes, shares = (counts.total, counts.total), (1.0, 1.0)
    if prevalence is not None:
        sizes, shares = (counts.positives, counts.negatives), (prevalence, 1 - prevalence)
    right, wrong = (
        share * least_error(calls / size, examples * size / counts.total)
        for calls, size, share in zip((counts.tp, counts.fp), sizes, shares, strict=True)
    )
    return np.hypot(right, odds * wrong)
