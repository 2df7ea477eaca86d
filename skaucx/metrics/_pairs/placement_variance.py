"""Variance of means over pairs, from placement values (DeLong et al. 1988; Obuchowski 1997)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..._arrays import Array, Codes, Floats


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


class ClusterParts(NamedTuple):
    """The parts of the variance of a mean over pairs whose examples come in clusters.

    Attributes
    ----------
    s10, s01, s11 : float
        Of the positives, of the negatives, and their covariance within clusters.
    sizes : tuple of int
        Clusters that hold positives, that hold negatives, and all.
    """

    s10: float
    s01: float
    s11: float
    sizes: tuple[int, int, int]

    @property
    def variance(self) -> float:
        """The sum, each part as often as it counts."""
        return max(self.s10 + self.s01 + 2 * self.s11, 0.0)


def cluster_parts(
    of_positives: Floats, of_negatives: Floats, of_p: Codes, of_n: Codes
) -> ClusterParts:
    """Sum placement values by cluster (Obuchowski 1997); nan below two clusters of a class."""
    size = int(max(of_p.max(), of_n.max())) + 1
    held = [np.unique(codes) for codes in (of_p, of_n)]
    sums = [
        np.bincount(codes, values - values.mean(), minlength=size) / len(values)
        for codes, values in ((of_p, of_positives), (of_n, of_negatives))
    ]
    sizes = len(held[0]), len(held[1]), len(np.union1d(*held))
    if min(sizes) < 2:
        return ClusterParts(np.nan, np.nan, np.nan, sizes)
    products = sums[0] @ sums[0], sums[1] @ sums[1], sums[0] @ sums[1]
    s10, s01, s11 = (n / (n - 1) * float(p) for n, p in zip(sizes, products, strict=True))
    return ClusterParts(s10, s01, s11, sizes)


def counted_parts(
    values: tuple[Floats, Floats], counts: tuple[Array, Array]
) -> tuple[Floats, Floats]:
    """Return a mean over pairs and the parts S10 / P and S01 / N of DeLong's variance."""
    sides = list(zip(values, counts, strict=True))
    means = [np.average(v, weights=count) for v, count in sides]
    parts = [
        (count * (v - mean) ** 2).sum() / (float(count.sum()) * (count.sum() - 1.0))
        for (v, count), mean in zip(sides, means, strict=True)
    ]
    return np.asarray(means[0]), np.array(parts)
