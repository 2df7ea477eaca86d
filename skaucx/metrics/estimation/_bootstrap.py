"""Bootstrap replicates of metrics, and the percentile and BCa intervals that they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from ..._arrays import Codes, Floats
from .._registry.row import Metric
from .._resampling.draws import Resampling, generator
from ..kinds.base import STRICT, Sample
from ._normal import Ends

_MEANS = ("macro", "weighted", "samples")
Asked = Sequence[tuple[Metric, Mapping[str, Any]]]


def plan(sample: Sample, *, stratify: bool, groups: Codes | None) -> Resampling:
    """Return how rows of a sample are drawn: from each class by itself, in groups, or neither."""
    if stratify and sample.strata is None:
        raise ValueError(
            "stratify=True needs one class a row, and these rows have none, or several."
        )
    return Resampling(
        sample.n_rows, sample.strata if stratify else None, groups, sample.multiplicity
    )


def replicates(
    sample: Sample, asked: Asked, drawn: Resampling, n_resamples: int, random_state: Any
) -> list[Floats]:
    """Return the values of metrics on the same resamples: arrays of shape (n_resamples, ...).

    Undefined values are nan.
    """
    parts = [
        values_under(sample, asked, counts) for counts in drawn.resamples(n_resamples, random_state)
    ]
    return [np.concatenate(values) for values in zip(*parts, strict=True)]


def percentile(
    values: Floats, estimate: Floats, acceleration: Floats, confidence_level: float
) -> Ends:
    """Return the quantiles of the defined replicates that leave out equal tails."""
    tails = (1 - confidence_level) / 2, (1 + confidence_level) / 2
    return _quantile(values, tails[0]), _quantile(values, tails[1])


def bca(values: Floats, estimate: Floats, acceleration: Floats, confidence_level: float) -> Ends:
    """Return the bias-corrected and accelerated quantiles (Efron 1987, equation 2.3).

    Where all replicates lie on one side of the estimate there is no correction, and the ends are
    those of the percentiles.
    """
    defined = (~np.isnan(values)).sum(axis=0)
    # Replicates equal to the estimate count as half below it: metrics of few examples have many.
    below = ((values < estimate).sum(axis=0) + 0.5 * (values == estimate).sum(axis=0)) / defined
    bias = special.ndtri(below)
    z = special.ndtri(np.array([(1 - confidence_level) / 2, (1 + confidence_level) / 2]))
    shifted = np.add.outer(z, bias)
    with np.errstate(invalid="ignore"):  # an infinite bias
        shares = special.ndtr(bias + shifted / (1 - acceleration * shifted))
    shares = np.where(np.isfinite(bias), shares, np.add.outer(special.ndtr(z), 0 * below))
    return _quantile(values, shares[0]), _quantile(values, shares[1])


BOOTSTRAPS: dict[str, Callable[[Floats, Floats, Floats, float], Ends]] = {
    "bca": bca,
    "percentile": percentile,
}


def acceleration(
    sample: Sample, asked: Asked, drawn: Resampling, n_resamples: int, random_state: Any
) -> list[Floats]:
    """Return sum d^3 / (6 (sum d^2)^(3/2)) of the jackknife deviations d, a metric each."""
    parts, alike = [], []
    for counts, many in drawn.deletions(generator(random_state), n_resamples):
        parts.append(values_under(sample, asked, counts))
        alike.append(many)
    weight = np.concatenate(alike)
    return [_skewness(np.concatenate(v), weight) for v in zip(*parts, strict=True)]


def _skewness(values: Floats, weight: Floats) -> Floats:
    weight = weight.reshape(-1, *[1] * (values.ndim - 1)) * np.isfinite(values)
    values = np.where(np.isfinite(values), values, 0)
    # Deletions after which the metric is undefined are left out.
    total = np.maximum(weight.sum(axis=0), 1)
    deviation = (values * weight).sum(axis=0) / total - values
    square = (weight * deviation**2).sum(axis=0)
    cube = (weight * deviation**3).sum(axis=0)
    return np.divide(cube, 6 * square**1.5, where=square > 0, out=np.zeros(np.shape(square)))


def values_under(sample: Sample, asked: Asked, counts: Floats) -> list[Floats]:
    """Return the values of metrics where row i counts ``counts[b, i]`` times, undefined ones as nan."""
    state = sample.under(counts)
    return [row.value(state, **{**options, **_undefined(options)}) for row, options in asked]


def _undefined(options: Mapping[str, Any]) -> dict[str, Any]:
    """Leave 0/0 as nan; x/0 stays infinite, but an average with an undefined class is nan as well."""
    return {"zero_division": STRICT if options.get("average") in _MEANS else np.nan}


def _quantile(values: Floats, share: Any) -> Floats:
    """Return the defined value of rank (B + 1) share in each column (Efron & Tibshirani 1993, 12.4)."""
    defined = (~np.isnan(values)).sum(axis=0)
    rank = np.clip(np.rint((defined + 1) * np.asarray(share)), 1, np.maximum(defined, 1)).astype(
        np.intp
    )
    return np.take_along_axis(np.sort(values, axis=0), rank[None] - 1, axis=0)[0]
