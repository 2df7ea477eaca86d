"""Families of scores on which bounds from cells are tried."""

from __future__ import annotations

import numpy as np
from scipy import special


def families(rng, n, prevalence):
    """Yield a name, the class and the score of n examples for each family."""
    truth = rng.random(n) < prevalence
    truth[0], truth[-1] = True, False
    z = rng.normal(truth, 1.5)
    p = special.expit(z)
    yield "continuous", truth, p
    yield "two decimals", truth, np.round(p, 2)
    yield "rare events", truth, special.expit(z - 9)
    yield "tiny", truth, np.exp(np.minimum(5 * z - 40, 0))
    yield "all tied", truth, np.full(n, 0.3)
    yield "both signs", truth, z * 10.0 ** rng.integers(-8, 1, n)
    yield "denormal", truth, np.abs(z) * 5e-320
    yield "float32", truth, p.astype(np.float32).astype(np.float64)
    yield "separated", truth, np.where(truth, 0.6 + 0.4 * p, 0.5 * p)
    yield "zeros", truth, np.where(rng.random(n) < 0.5, 0.0, -0.0) + (p > 0.8) * p
