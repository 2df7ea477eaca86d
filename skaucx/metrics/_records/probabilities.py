"""Scores that are class probabilities, checked as a matrix of one column a class."""

from __future__ import annotations

import math

import numpy as np

from ..._arrays import Codes, Floats, shown
from ..._compat import warn
from .inputs import ScoredIndicators, ScoredLabels, refuse_multilabel


def check_probabilities(scored: ScoredLabels) -> Floats:
    """Return the n x K matrix of class probabilities; one column means the positive class."""
    score = scored.score
    check_columns(scored, "y_proba")
    if score.ndim == 2:
        _check_rows(score, scored.unit)
        return score
    low, high = scored.extremes
    check_probability_range(min(low, 1 - high), max(high, 1 - low))
    both = np.empty((len(score), 2))
    np.subtract(1, score, out=both[:, 0])
    both[:, 1] = score
    return both


def check_columns(scored: ScoredLabels, name: str = "y_score") -> None:
    """Refuse scores that are neither those of one of two classes nor a column a class."""
    classes, needed = scored.classes, max(len(scored.classes), 2)
    if scored.columns is not None and len(scored.columns) < len(classes):
        unnamed = np.delete(classes, scored.columns)
        raise ValueError(f"y_true holds labels that labels= does not name: {shown(unnamed)}.")
    one = scored.one_column
    if needed != (2 if one else scored.score.shape[1]):
        raise ValueError(
            f"{name} has {1 if one else scored.score.shape[1]} columns, but there are {needed} "
            f"classes ({shown(classes)}); give one column a class in sorted order, and name all "
            "classes with labels= if some do not occur in y_true."
        )


def single_labels(scored: ScoredIndicators) -> Codes:
    """Return the one label that every row of indicators marks: classes, written in columns."""
    if (scored.true.sum(axis=1) != 1).any():
        raise refuse_multilabel("A loss of probabilities")
    _check_rows(scored.score, scored.unit)
    return scored.true.argmax(axis=1)


def check_probability_range(low: np.float64, high: np.float64) -> None:
    """Refuse a lowest or highest score that is no probability."""
    if low < 0 or high > 1:
        raise ValueError(
            f"y_proba lies in [{low:.6g}, {high:.6g}], but probabilities lie in [0, 1]; pass the "
            "output of predict_proba."
        )


def _check_rows(score: Floats, unit: float) -> None:
    """Refuse what is no probability, and warn of rows that miss one by more than rounding."""
    check_probability_range(score.min(), score.max())
    totals = score.sum(axis=1)
    if np.abs(totals - 1).max() > math.sqrt(unit) + 1e-8:  # as scikit-learn
        warn(
            "The rows of y_proba do not sum to one (the least and greatest sums are "
            f"{totals.min():.6g} and {totals.max():.6g}), and are taken as they are; pass the output "
            "of predict_proba."
        )
