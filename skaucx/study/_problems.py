"""Binary problems on real data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import datasets

from .._arrays import Bools, Floats, check_same_length, label_array, score_array
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


def checked_problem(name: str, X: Any, y: Any) -> tuple[Floats, Bools]:
    """Return the numbers of a problem, and which of its examples are positives."""
    numbers, labels = score_array(X, f"X of {name!r}"), label_array(y, f"y of {name!r}")
    if numbers.ndim != 2:
        raise ValueError(f"X of {name!r} must be a matrix, found shape {numbers.shape}.")
    check_same_length({f"X of {name!r}": numbers, f"y of {name!r}": labels})
    return numbers, labels == positive_label(labels)


def _pair(bunch: Any, negative: int, positive: int) -> Problem:
    """Return the problem of telling one class from another."""
    chosen = np.isin(bunch.target, [negative, positive])
    return bunch.data[chosen], bunch.target[chosen] == positive
