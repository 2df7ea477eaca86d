"""Score sets from the out-of-fold probabilities of a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.model_selection import check_cv
from sklearn.utils import indexable

from .._arrays import Array, Bools, Codes, Floats, code_of, label_array, shown, take_rows
from .._compat import job_option
from ..metrics._records.inputs import known_positive, positive_code
from ._sets import SetCollection, mixed


def sets_of_classifier(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = None,
    groups: Any = None,
    pos_label: Any = None,
    pooled: bool = False,
    n_jobs: int | None = None,
) -> SetCollection:
    """Return the score sets of a classifier's out-of-fold probabilities.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Cloned for every fold.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two classes.
    cv : int, splitter or iterable, default=None
        Folds, as in scikit-learn: None means five stratified ones.
    groups : array-like of shape (n_samples,), default=None
        Groups for the splitter.
    pos_label : label, default=None
        The positive class. None means 1 (or True) where all labels lie in {-1, 0, 1} or are bool,
        otherwise the greater one.
    pooled : bool, default=False
        Whether all folds together make one set, instead of one each.
    n_jobs : int, default=None
        Jobs of joblib.

    Returns
    -------
    SetCollection

    Raises
    ------
    ValueError
        If a fold lacks a class; stratified folds, or ``pooled=True``, help.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.study import sets_of_classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> sets = sets_of_classifier(GaussianNB(), X, y, cv=3)
    >>> sets.size.tolist()
    [190, 190, 189]
    """
    check_predicts_probabilities("estimator", estimator)
    X, y, groups = indexable(X, y, groups)
    labels = label_array(y, "y")
    positive = positive_label(labels, pos_label)
    folds = list(check_cv(cv, labels, classifier=True).split(X, labels, groups))
    if not pooled:
        _check_folds([labels[test] == positive for _, test in folds])
    scores = Parallel(**job_option(n_jobs))(
        delayed(_scores)(estimator, X, labels, train, test, positive) for train, test in folds
    )
    sets = [
        (labels[test] == positive, score) for (_, test), score in zip(folds, scores, strict=True)
    ]
    return SetCollection.from_sets([_joined(sets)] if pooled else sets)


def check_predicts_probabilities(name: str, estimator: Any) -> None:
    """Raise an error for a classifier without predict_proba."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{name} must have predict_proba, found {type(estimator).__name__}, which has not; "
            "wrap it in CalibratedClassifierCV."
        )


def positive_label(labels: Array, pos_label: Any = None) -> Any:
    """Return the label of the positive class of a problem with two classes."""
    if labels.ndim != 1:
        raise ValueError(f"y must be a vector of class labels, found shape {labels.shape}.")
    classes = np.unique(labels)
    if len(classes) != 2:
        raise ValueError(f"y must hold two classes, found {len(classes)}: {shown(classes)}.")
    if pos_label is not None and code_of(classes, pos_label) < 0:
        raise ValueError(f"pos_label={pos_label!r} is not one of the labels {shown(classes)}.")
    return classes[known_positive(positive_code(classes, pos_label, either=True))]


def _check_folds(truths: list[Bools]) -> None:
    for number, truth in enumerate(truths):
        if not mixed(truth):
            raise ValueError(
                f"Test fold {number} lacks a class; use stratified folds (cv=), or pooled=True."
            )


def _scores(
    estimator: Any, X: Any, labels: Array, train: Codes, test: Codes, positive: Any
) -> Floats:
    model = clone(estimator).fit(take_rows(X, train), labels[train])
    column = np.flatnonzero(model.classes_ == positive)
    if len(column) == 0:
        raise ValueError(f"A training fold holds no {positive!r}; use stratified folds (cv=).")
    return model.predict_proba(take_rows(X, test))[:, column[0]]


def _joined(sets: list[tuple[Bools, Floats]]) -> tuple[Bools, Floats]:
    truths, scores = zip(*sets, strict=True)
    return np.concatenate(truths), np.concatenate(scores)
