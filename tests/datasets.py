"""Six data sets by name; a test that needs rows takes them here, and says by the name what they are.

``from tests.datasets import binary``: labels `y`, predicted labels `pred` and scores `score`, those of a
second model (`other_pred`, `other`), features `X`, weights and groups of the rows, the positive class.
Scores of two classes have ties, and some rows weigh nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class DataSet:
    """Rows of one classification problem."""

    X: Any
    y: Any
    score: Any
    pred: Any
    other: Any
    other_pred: Any
    weight: Any
    groups: Any
    pos_label: Any = None


def _of_two(negative: Any, positive: Any, n: int, share: float, seed: int) -> DataSet:
    rng = np.random.default_rng(seed)
    true = rng.permutation(np.arange(n) < round(share * n))
    X = rng.normal(size=(n, 3)) + true[:, None] * [1.2, 0.6, 0]
    score, other = (np.round(1 / (1 + np.exp(0.6 - X[:, k])), 2) for k in (0, 1))
    y, pred, second = (np.where(v, positive, negative) for v in (true, score > 0.5, other > 0.5))
    weight = rng.integers(0, 4, n).astype(float)
    pos_label = None if positive == 1 else positive
    return DataSet(X, y, score, pred, other, second, weight, np.arange(n) // 3, pos_label)


def _of_three(n: int, seed: int) -> DataSet:
    rng = np.random.default_rng(seed)
    names = np.array(["cat", "dog", "owl"])
    true = rng.permutation(np.arange(n) % 3)
    X = rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[true]
    score, other = (np.exp(power * X) for power in (1, 0.5))
    score, other = (p / p.sum(axis=1, keepdims=True) for p in (score, other[:, [0, 2, 1]]))
    weight = rng.integers(0, 4, n).astype(float)
    pred, second = (names[p.argmax(axis=1)] for p in (score, other))
    return DataSet(X, names[true], score, pred, other, second, weight, np.arange(n) // 3)


def _of_labels(n: int, seed: int) -> DataSet:
    rng = np.random.default_rng(seed)
    y = (rng.random((n, 3)) < [0.5, 0.3, 0.2]).astype(int)
    X = rng.normal(size=(n, 3)) + 1.2 * y
    score, other = (np.round(1 / (1 + np.exp(0.6 - power * X)), 2) for power in (1, 0.5))
    weight = rng.integers(0, 4, n).astype(float)
    pred, second = ((p > 0.5).astype(int) for p in (score, other))
    return DataSet(X, y, score, pred, other, second, weight, np.arange(n) // 3)


binary = _of_two(0, 1, 60, 0.4, 0)  # labels 0 and 1
words = _of_two("well", "ill", 60, 0.4, 1)  # the positive class is the first in alphabetical order
reversed_ = _of_two(1, 0, 60, 0.4, 2)  # the positive class is 0
classes = _of_three(90, 3)  # three classes, and a column of probabilities for each
labels = _of_labels(60, 4)  # an indicator matrix of three labels
rare = _of_two(0, 1, 200, 0.03, 5)  # six positives
