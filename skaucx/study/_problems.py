"""Binary problems on real data, and their examples as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import datasets

from .._arrays import Bools, Codes, Floats, check_same_length, label_array
from ._sets import positive_label

Problem = tuple[Any, Any]


def load_problems() -> dict[str, Problem]:
    """Return binary problems made of the data sets that scikit-learn brings along.

    Breast cancer: malignant against benign. Diabetes: progression above its median. Digits: similar
    pairs, and odd against even. Iris: versicolor against the rest, and against virginica. Wine:
    each class against the rest.

    Returns
    -------
    dict of str to tuple of (X, y)
        X of shape (n_samples, n_features), float64; y of shape (n_samples,), bool.

    Examples
    --------
    >>> from skaucx.study import load_problems
    >>> problems = load_problems()
    >>> len(problems)
    12
    >>> X, y = problems["iris_versicolor_virginica"]
    >>> X.shape, int(y.sum())
    ((100, 4), 50)
    """
    cancer, diabetes = datasets.load_breast_cancer(), datasets.load_diabetes()
    digits, iris, wine = datasets.load_digits(), datasets.load_iris(), datasets.load_wine()
    progression = diabetes.target > np.median(diabetes.target)
    return {
        "breast_cancer": (cancer.data, cancer.target == 0),
        "diabetes": (diabetes.data, progression),
        "digits_1_8": _pair(digits, 1, 8),
        "digits_3_8": _pair(digits, 3, 8),
        "digits_3_9": _pair(digits, 3, 9),
        "digits_8_9": _pair(digits, 8, 9),
        "digits_odd": (digits.data, digits.target % 2 == 1),
        "iris_versicolor": (iris.data, iris.target == 1),
        "iris_versicolor_virginica": _pair(iris, 1, 2),
        **{f"wine_{name}": (wine.data, wine.target == name) for name in range(3)},
    }


@dataclass(frozen=True)
class Examples:
    """The examples of a problem as numbers.

    Parameters
    ----------
    problem : str
    X : ndarray of shape (n_samples, n_columns), float64
    y : ndarray of shape (n_samples,), bool
    feature : ndarray of shape (n_columns,), int
        The feature that each column is of: one of categories takes a column for each.
    """

    problem: str
    X: Floats
    y: Bools
    feature: Codes

    @classmethod
    def of(cls, problem: str, X: Any, y: Any) -> Examples:
        """Return the examples of an array or data frame X with labels y of two classes."""
        labels = label_array(y, f"y of {problem!r}")
        columns = [X[name] for name in X.columns] if hasattr(X, "columns") else np.asarray(X).T
        if np.ndim(columns) != 2 or len(columns) == 0:
            raise ValueError(
                f"X of {problem!r} must be a matrix or a data frame of one column or more, found "
                f"shape {np.shape(X)}."
            )
        parts = [_numbers(column) for column in columns]
        feature = np.repeat(np.arange(len(parts)), [part.shape[1] for part in parts])
        examples = cls(problem, np.hstack(parts), labels == positive_label(labels), feature)
        check_same_length({f"X of {problem!r}": examples.X, f"y of {problem!r}": labels})
        return examples

    @property
    def features(self) -> int:
        """The number of features."""
        return int(self.feature.max()) + 1


def _numbers(column: Any) -> Floats:
    """Return a column of numbers as it is, or one of categories as an indicator of each."""
    values = np.asarray(column)
    if values.dtype.kind in "biuf":
        return values[:, None].astype(np.float64)
    return np.asarray(values[:, None] == np.unique(values), dtype=np.float64)


def _pair(bunch: Any, negative: int, positive: int) -> Problem:
    """Return the problem of telling one class from another."""
    chosen = np.isin(bunch.target, [negative, positive])
    return bunch.data[chosen], bunch.target[chosen] == positive
