"""Variance of means over pairs, from placement values (DeLong et al. 1988)."""

from __future__ import annotations

import numpy as np

from ..._arrays import Floats


def pair_mean(of_positives: Floats) -> Floats:
    """Return the mean over all pairs from the placement values of the positives, on the last axis."""
    return np.asarray(of_positives.mean(axis=-1))


def variance(of_positives: Floats, of_negatives: Floats) -> Floats:
    """Return S10 / P + S01 / N, each a variance over the last axis; nan below two of a class."""
    return np.asarray(variances(of_positives, of_negatives).sum(axis=0))


def variances(of_positives: Floats, of_negatives: Floats) -> Floats:
    """Return the parts S10 / P and S01 / N of the variance along a new first axis."""
    return np.stack([_variance_of_mean(v) for v in (of_positives, of_negatives)])


def _variance_of_mean(values: Floats) -> Floats:
    size = values.shape[-1]
    if size < 2:
        return np.full(values.shape[:-1], np.nan)
    return np.asarray(values.var(axis=-1, ddof=1) / size)
