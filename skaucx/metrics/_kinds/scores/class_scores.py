"""Scores of the classes, probabilities among them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np

from ...._arrays import UNIT, Bools, Codes, Floats, shown
from ...._compat import warn
from ..._pairs.isotonic import Graded
from ..._records.inputs import ScoredIndicators, ScoredLabels, refuse_columns
from ..._records.totals import Weighed, weight_of_each

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Columns(Weighed):
    """Scores of the classes with the column of each example's true class.

    `score` has shape (n, K), or (n,) for those of the second of two classes; `outcome` has shape (n,),
    `weight` shape (n,) or (replicates, n).
    """

    score: Floats
    outcome: Codes
    weight: Floats

    @property
    def n_columns(self) -> int:
        """Columns of the scores; 1 for one score an example."""
        return 1 if self.score.ndim == 1 else self.score.shape[1]


@dataclass(frozen=True, eq=False)
class Probabilities(Weighed):
    """Probabilities of classes with the column of each example's true class, or of labels.

    `probability` has shape (n, K), `outcome` shape (n,), `weight` shape (n,) or (replicates, n);
    `unit` is the rounding unit of the type that the probabilities came in. Of multilabel indicators
    there are `labels` of shape (n, K), of which any number is true of an example, and no outcome.
    """

    probability: Floats
    outcome: Codes | Any
    weight: Floats
    unit: float = UNIT
    labels: Bools | None = None
    _graded: dict[int, list[Graded]] = field(init=False, repr=False, default_factory=dict)
    _made: dict[Any, Any] = field(init=False, repr=False, default_factory=dict)

    @property
    def n_columns(self) -> int:
        """The number of classes, or of labels."""
        return self.probability.shape[1]

    @property
    def n_examples(self) -> int:
        """The number of examples, whatever they weigh."""
        return len(self.probability)

    def once(self, make: Callable[[Any], Made]) -> Made:
        """Return what a function makes of the record, made at the first call."""
        if make not in self._made:
            self._made[make] = make(self)
        return cast(Made, self._made[make])

    def graded(self, column: int) -> list[Graded]:
        """Return a class against the rest, sorted once, for each set of weights."""
        if column not in self._graded:
            truth, probability = self.outcome == column, self.probability[:, column]
            weights = np.atleast_2d(self.weight)
            self._graded[column] = [Graded.of_rows(truth, probability, w) for w in weights]
        return self._graded[column]

    @property
    def true(self) -> Bools:
        """Whether each class, or label, is true of each example."""
        if self.labels is not None:
            return self.labels
        return np.asarray(self.outcome[:, None] == np.arange(self.n_columns))

    def of_true(self, loss: Callable[[Floats], Floats]) -> Floats:
        """Return the loss of the probability of each example's true class, or their sum over labels."""
        if self.labels is not None:
            return np.where(self.labels, loss(self.probability), 0.0).sum(axis=1)
        return loss(self.probability[np.arange(self.n_examples), self.outcome])

    @property
    def greatest_error(self) -> float:
        """The greatest sum of the squared errors of an example: of labels each may be wrong."""
        return 2.0 if self.labels is None else float(self.n_columns)

    @property
    def class_weights(self) -> Floats:
        """The weight of the examples of each class, or label, of shape (..., n_columns)."""
        if self.labels is not None:
            return np.asarray(self.weight @ self.labels)
        return weight_of_each(self.outcome, self.n_columns, self.weight)

    @property
    def sizes(self) -> Floats:
        """Number of examples that each row represents: 0 if its weight is 0."""
        return (self.weight > 0).astype(np.float64)


def check_probabilities(scored: ScoredLabels) -> Floats:
    """Return the n x K matrix of class probabilities; one column means the positive class."""
    check_columns(scored, "y_proba")
    score = scored.shares
    if score.ndim == 2:
        _check_sums(score, scored.unit)
        return score
    return np.column_stack([1 - score, score])


def check_columns(scored: ScoredLabels, name: str = "y_score") -> None:
    """Raise an error for scores that are neither a vector for two classes nor one column per class."""
    classes, needed = scored.classes, max(len(scored.classes), 2)
    if scored.columns is not None and len(scored.columns) < len(classes):
        unnamed = np.delete(classes, scored.columns)
        raise ValueError(f"y_true holds labels that labels= does not name: {shown(unnamed)}.")
    columns = 1 if scored.one_column else scored.score.shape[1]
    if needed != (2 if scored.one_column else columns):
        raise refuse_columns(name, columns, needed, classes)


def probabilities_of_labels(scored: ScoredIndicators) -> Probabilities:
    """Return those of indicators; of one true label in every row, those of classes in columns."""
    true, score, given = scored.true, scored.shares, (scored.weights, scored.unit)
    if (true.sum(axis=1) != 1).any():
        return Probabilities(score, None, *given, true)
    _check_sums(score, scored.unit)
    return Probabilities(score, true.argmax(axis=1), *given)


def _check_sums(score: Floats, unit: float) -> None:
    """Warn of rows that do not sum to one."""
    totals = score.sum(axis=1)
    if np.abs(totals - 1).max() > math.sqrt(unit) + 1e-8:  # as scikit-learn
        warn(
            "The rows of y_proba do not sum to one (the least and greatest sums are "
            f"{totals.min():.6g} and {totals.max():.6g}), and are taken as they are; pass the "
            "output of predict_proba."
        )
