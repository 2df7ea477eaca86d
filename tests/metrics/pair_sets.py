"""Sorted scores of two classes, with and without weights, that the fast pair sums are tested on."""

from __future__ import annotations

import zlib

import numpy as np


def _sigmoid(rng, y):
    return 1 / (1 + np.exp(-(2 * rng.normal(size=len(y)) + 2 * y)))


def _by_class(rng, y, positive, negative):
    """Map uniform numbers into one interval a class."""
    (a, b), (c, d) = positive, negative
    u = rng.random(len(y))
    return np.where(y, a + (b - a) * u, c + (d - c) * u)


def _outlier(rng, y):
    score = rng.random(len(y))
    score[len(y) // 2] = 1e6
    return score


FAMILIES = {
    "uniform": lambda rng, y: rng.random(len(y)),
    "sigmoid": _sigmoid,
    "two decimals": lambda rng, y: np.round(_sigmoid(rng, y), 2),
    "four decimals": lambda rng, y: np.round(_sigmoid(rng, y), 4),
    "clustered": lambda rng, y: 0.5 + 1e-9 * (rng.random(len(y)) - 0.5),
    "two clusters": lambda rng, y: rng.choice([0.2, 0.8], len(y)) + 1e-7 * rng.random(len(y)),
    "tiny to one": lambda rng, y: 10 ** (-30 * rng.random(len(y))),
    "both signs": lambda rng, y: rng.choice([1, -1], len(y)) * 10 ** (-12 * rng.random(len(y))),
    "constant": lambda rng, y: np.full(len(y), 0.3),
    "one positive": lambda rng, y: rng.random(len(y)),
    "one negative": lambda rng, y: np.round(rng.random(len(y)), 1),
    "reversed": lambda rng, y: _by_class(rng, y, (0, 0.5), (0.5, 1)),
    "reversed apart": lambda rng, y: _by_class(rng, y, (0, 0.3), (0.6, 1)),
    "touching": lambda rng, y: 0.5 + np.where(y, -1e-3, 1e-3) * rng.random(len(y)) ** 3,
    "separated": lambda rng, y: _by_class(rng, y, (0.7, 1), (0, 0.5)),
    "wide": lambda rng, y: 2000 * (rng.random(len(y)) - 0.5),
    "below zero": lambda rng, y: -3 - rng.random(len(y)),
    "outlier": _outlier,
}


def score_set(family, size, weighted=False):
    """Return sorted positives and negatives of a named family, and weights over 1e-6 to 1e6."""
    rng = np.random.default_rng([zlib.crc32(family.encode()), size])
    y = rng.random(size) < 0.4
    y[:2] = True, False
    if family == "one positive":
        y[1:] = False
    if family == "one negative":
        y[2:] = True
    score = FAMILIES[family](rng, y)
    weight = 10 ** rng.uniform(-6, 6, size)
    order = np.argsort(score)
    positive, negative = order[y[order]], order[~y[order]]
    weights = (weight[positive], weight[negative]) if weighted else (None, None)
    return score[positive], score[negative], *weights
