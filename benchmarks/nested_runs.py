"""Simulated nested cross-validations: labels, folds and the scores of every candidate, many at once.

The positives of Gaussian features are shifted, and candidates are chosen by the AUC of inner folds. All
models of many runs are fitted at once, which finds what scikit-learn's find.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
FOLDS = 5
# Runs that are fitted at once.
BATCH = 100


@dataclass(frozen=True)
class Case:
    """A population, the rows drawn of it, and a learner with its candidates.

    `distance` is that of the classes, in standard deviations.
    """

    rows: int
    distance: float
    prevalence: float = 0.3
    features: int = 10
    learner: str = "logistic"
    candidates: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0)

    def __str__(self) -> str:
        return f"n {self.rows}, distance {self.distance}"

    @property
    def seed(self) -> list[int]:
        """What the random numbers of the case begin with."""
        shares = self.distance, self.prevalence
        return [self.rows, *(round(100 * x) for x in shares), self.features, len(self.learner)]


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of one case: R runs, K outer folds, C candidates, n rows.

    Attributes
    ----------
    y : ndarray of shape (R, n)
    outer : ndarray of shape (R, n)
        The outer fold of every row.
    scores : ndarray of shape (R, C, n)
        Log-odds of every row by each candidate, fitted without its outer fold.
    inner : ndarray of shape (R, K, n)
        The inner fold of every row, -1 on the outer fold.
    inner_scores : ndarray of shape (R, K, C, n)
        Log-odds by each candidate, fitted without outer and inner fold.
    chosen : ndarray of shape (R, K)
        The candidate with the greatest mean inner AUC.
    """

    y: Codes
    outer: Codes
    scores: Floats
    inner: Codes
    inner_scores: Floats
    chosen: Codes

    @property
    def out_of_fold(self) -> Floats:
        """The scores of the chosen candidates, shape (R, n)."""
        chosen = np.take_along_axis(self.chosen, self.outer, axis=1)
        return np.take_along_axis(self.scores, chosen[:, None], axis=1)[:, 0]


def simulated(
    case: Case, runs: int, rng: np.random.Generator, *, halves: int = 1, repeats: int = 1
) -> Iterator[list[Runs]]:
    """Yield batches of runs: of each half of the features, of each repetition of the outer folds."""
    for _ in range(-(-runs // BATCH)):
        y = (rng.random((BATCH, case.rows)) < case.prevalence).astype(np.intp)
        shift = case.distance / np.sqrt(case.features)
        X = rng.normal(size=(*y.shape, case.features)) + y[..., None] * shift
        folds = [stratified(y, np.ones_like(y, dtype=bool), rng) for _ in range(repeats)]
        parts = np.split(X, halves, axis=2)
        yield [nested(case, part, y, outer, rng) for part in parts for outer in folds]


def nested(case: Case, X: Floats, y: Codes, outer: Codes, rng: np.random.Generator) -> Runs:
    """Fit every candidate on all outer and inner training parts."""
    count, values = len(case.candidates), np.array(case.candidates)
    learn = LEARNERS[case.learner](X, y)
    scores = np.empty((len(y), count, y.shape[1]))
    inner = np.empty((len(y), FOLDS, y.shape[1]), dtype=np.intp)
    inner_scores = np.full((len(y), FOLDS, count, y.shape[1]), np.nan)
    chosen = np.empty((len(y), FOLDS), dtype=np.intp)
    for k in range(FOLDS):
        train = outer != k
        inner[:, k], found = stratified(y, train, rng), np.zeros((len(y), count))
        scores = np.where(train[:, None], scores, learn(train, values))
        for part in range(FOLDS):
            test = inner[:, k] == part
            fitted = learn(train & ~test, values)
            inner_scores[:, k] = np.where(test[:, None], fitted, inner_scores[:, k])
            found += auc(y[:, None], fitted, test[:, None])
        chosen[:, k] = found.argmax(axis=1)
    return Runs(y, outer, scores, inner, inner_scores, chosen)


def stratified(y: Codes, rows: NDArray[np.bool_], rng: np.random.Generator) -> Codes:
    """Return the fold of each row of each run, -1 outside the rows given."""
    fold = np.full(y.shape, -1)
    for labels, inside, own in zip(y, rows, fold, strict=True):
        start = 0
        for label in (0, 1):
            members = rng.permutation(np.flatnonzero((labels == label) & inside))
            own[members] = (start + np.arange(len(members))) % FOLDS
            start += len(members)
    return fold


Learner = Callable[[NDArray[np.bool_], Floats], Floats]


def logistic(X: Floats, y: Codes) -> Learner:
    """L2-penalised logistic regression on scaled features, by Newton's method; values are C."""
    return lambda train, values: np.stack([_logistic(X, y, train, C) for C in values], axis=1)


def _logistic(X: Floats, y: Codes, train: NDArray[np.bool_], C: float) -> Floats:
    weight = 1.0 * train
    total = weight.sum(axis=1)[:, None]
    mean = np.einsum("rnd,rn->rd", X, weight) / total
    centred = X - mean[:, None]
    scaled = centred / np.sqrt(np.einsum("rnd,rn->rd", centred**2, weight) / total)[:, None]
    design = np.concatenate([scaled, np.ones((*X.shape[:2], 1))], axis=2)
    across = np.ascontiguousarray(design.transpose(0, 2, 1))
    beta, penalty = np.zeros((len(X), X.shape[2] + 1)), np.append(np.ones(X.shape[2]), 1e-9)
    for _ in range(15):
        p = special.expit((design @ beta[..., None])[..., 0])
        slope = C * (across @ (weight * (p - y))[..., None])[..., 0] + penalty * beta
        bend = C * (across @ (design * (weight * p * (1 - p))[..., None])) + np.diag(penalty)
        step = np.linalg.solve(bend, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        beta -= step * np.minimum(1, 5 / np.maximum(longest, 1e-300))
        if longest.max() < 1e-6:
            break
    return (design @ beta[..., None])[..., 0]


def neighbours(X: Floats, y: Codes) -> Learner:
    """The share of positives among the nearest training rows; values are their number."""
    squares = (X**2).sum(axis=2)
    distance = squares[:, :, None] + squares[:, None] - 2 * X @ X.transpose(0, 2, 1)
    order = np.argsort(distance, axis=2)
    labels = np.take_along_axis(y[:, None], order, axis=2).astype(np.int16)

    def learn(train: NDArray[np.bool_], values: Floats) -> Floats:
        inside = np.take_along_axis(train[:, None], order, axis=2)
        rank = np.cumsum(inside, axis=2, dtype=np.int16)
        found = [(labels * (inside & (rank <= k))).sum(axis=2) for k in values.astype(int)]
        # Nearly the share itself: a vote of all neighbours is no infinite log-odds.
        return np.stack(
            [special.logit((x + 1e-3) / (k + 2e-3)) for x, k in zip(found, values, strict=True)],
            axis=1,
        )

    return learn


LEARNERS = {"logistic": logistic, "neighbours": neighbours}


def auc(y: Codes, score: Floats, rows: NDArray[np.bool_]) -> Floats:
    """Return the AUC of some rows along the last axis; ties count one half, without a class 0."""
    found = []
    for nudge in (1e-9, -1e-9):
        order = np.argsort(np.where(rows, score + nudge * y, np.inf), axis=-1)
        positive, negative = (
            np.take_along_axis(np.broadcast_to(rows & (y == label), order.shape), order, axis=-1)
            for label in (1, 0)
        )
        won = (np.cumsum(negative, axis=-1) * positive).sum(axis=-1)
        found.append(won / np.maximum(positive.sum(axis=-1) * negative.sum(axis=-1), 1))
    return (found[0] + found[1]) / 2
