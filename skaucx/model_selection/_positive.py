"""The classes of a run and the positive one among them, printed with its count wherever it matters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.multiclass import type_of_target

from ._scoring import (
    check_scorable,
    check_scorable_targets,
    depends_on_positive,
    named_positive,
    takes_positive,
)
from ._types import Scorer


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a run and which of them is the positive one.

    Attributes
    ----------
    counts : dict of label to int
        Rows of each class, in sorted order of the classes.
    positive : label or None
        The positive class of two: the one that was named, or 1 of {0, 1}, {-1, 1} and booleans;
        otherwise None.
    others : dict of str to label
        The positive class of each metric that names another one itself.
    """

    counts: Mapping[Any, int]
    positive: Any = None
    others: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        rows = sum(self.counts.values())
        if self.positive is None:
            counts = ", ".join(f"{label} {count}" for label, count in self.counts.items())
            told = f"Classes: {counts} of {rows} rows."
            if len(self.counts) == 2:
                # Metrics that give either class the same value: scikit-learn reads the second column.
                told += f" Scores are those of {list(self.counts)[1]}."
            return told
        told = f"Positive class: {self.positive}, {self.counts[self.positive]} of {rows} rows."
        for metric, label in self.others.items():
            told += f" Of {metric}: {label}, {self.counts[label]} of {rows} rows."
        return told


def classes_of(
    y: Any, estimator: Any, scorer: Scorer, refit: str, pos_label: Any = None
) -> Classes | None:
    """Tell the classes of y and the positive one, and check that every metric can judge them.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    estimator : estimator
    scorer : OnePassScorer
    refit : str
        Its positive class is the run's where the metrics name different ones.
    pos_label : label, optional

    Returns
    -------
    Classes or None
        None unless the estimator is a classifier of plain classes.

    Raises
    ------
    ValueError
        If ``pos_label`` is not one of two classes, or a metric cannot judge these classes or targets.
    """
    if not is_classifier(estimator) or type_of_target(y) not in ("binary", "multiclass"):
        if pos_label is not None:
            raise ValueError(
                f"pos_label={pos_label!r} needs a classifier of two classes; found "
                f"{type(estimator).__name__} and y of type {type_of_target(y)!r}."
            )
        check_scorable_targets(scorer, y, estimator)
        return None
    labels, numbers = np.unique(np.asarray(y), return_counts=True)
    counts = dict(zip(labels.tolist(), numbers.tolist(), strict=True))
    if pos_label is not None and (len(counts) > 2 or pos_label not in counts):
        raise ValueError(
            f"pos_label must be one of two classes, found {pos_label!r} and the classes "
            f"{', '.join(map(repr, counts))}."
        )
    check_scorable(scorer, labels)
    if len(counts) > 2:
        return Classes(counts)
    return _of_two(counts, scorer, refit, pos_label)


def usual_positive(labels: Any) -> Any:
    """Return 1, or True, where labels lie in {-1, 0, 1}, or are bool; None where they do not tell."""
    if any(label not in (-1, 0, 1) for label in labels):
        return None
    return next((label for label in labels if label == 1), None)


def _of_two(counts: Mapping[Any, int], scorer: Scorer, refit: str, pos_label: Any) -> Classes:
    usual = usual_positive(list(counts))
    by_metric = {}
    for name, one in scorer.scorers.items():
        label = named_positive(one)
        if label is None and takes_positive(one) and depends_on_positive(one):
            label = usual
        if label in counts:
            by_metric[name] = label
    named = list(dict.fromkeys(by_metric.values()))
    positive = pos_label
    if positive is None:
        positive = by_metric.get(refit, named[0] if named else usual)
    others = {name: label for name, label in by_metric.items() if label != positive}
    return Classes(counts, positive, others)
