"""Predictions of several classes or labels by fixed thresholds, or by costs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from .._types import Floats
from ..results._pool import label_columns, relative
from ._around import ResponsesOf

_RESPONSES = ("predict_proba", "decision_function")


class FixedDecisionClassifier(ResponsesOf):
    r"""A classifier of several classes or labels that decides by fixed thresholds, or by costs.

    What :class:`sklearn.model_selection.FixedThresholdClassifier` is for two classes.

    Parameters
    ----------
    estimator : estimator
        To keep one as it was fitted, wrap it into :class:`sklearn.frozen.FrozenEstimator`.
    thresholds : array-like of shape (n_classes,) or (n_labels,), default=None
        Of several classes the one with the greatest probability divided by its threshold (above 0) is
        predicted, or with the greatest decision value minus its threshold. Of multilabel targets each
        label is predicted whose probability or decision value is at least its threshold. None leaves
        the predictions as they are.
    cost : array-like of shape (n_classes, n_classes), default=None
        Costs, true classes in rows and predicted ones in columns, in sorted order: the class of the
        least expected cost is predicted. Needs probabilities.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        What is compared; "auto" takes probabilities where the estimator has them.

    Attributes
    ----------
    estimator_ : estimator
    classes_ : ndarray of shape (n_classes,), or list of ndarray
        Those of the estimator.
    multilabel_ : bool
        Whether the targets are labels, of which a row has any number.

    Raises
    ------
    ValueError
        In ``fit``, if `thresholds` and `cost` are both given; in ``predict``, if they have other sizes
        than the responses of the estimator.

    See Also
    --------
    NestedCV : Chooses the thresholds inside, ``threshold="f1_macro"``.

    Notes
    -----
    With thresholds :math:`t_k` that sum to 1 (the ``cutoff`` of R's randomForest, the ``thresholds`` of
    Spark) the prediction is :math:`\arg\max_k p_k / t_k`, of two classes
    :math:`p_1 > t_1`; with costs it is :math:`\arg\min_k \sum_j p_j c_{jk}` [1]_.

    References
    ----------
    .. [1] Elkan, C. (2001). The foundations of cost-sensitive learning. IJCAI, 973-978.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from skaucx.model_selection import FixedDecisionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegression(max_iter=1000)
    >>> for thresholds in ([1 / 3, 1 / 3, 1 / 3], [0.3, 0.6, 0.1]):
    ...     fixed = FixedDecisionClassifier(model, thresholds=thresholds).fit(X, y)
    ...     print((fixed.predict(X) == 2).sum())
    52
    66
    """

    def __init__(
        self,
        estimator: Any,
        *,
        thresholds: ArrayLike | None = None,
        cost: ArrayLike | None = None,
        response_method: str = "auto",
    ) -> None:
        self.estimator = estimator
        self.thresholds = thresholds
        self.cost = cost
        self.response_method = response_method

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags = get_tags(self.estimator).target_tags
        return tags

    def fit(self, X: Any, y: Any, **fit_params: Any) -> FixedDecisionClassifier:
        """Fit the estimator; one that is frozen stays as it is.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or (n_samples, n_labels)
        **fit_params
            Passed to the estimator.

        Returns
        -------
        self
        """
        if self.thresholds is not None and self.cost is not None:
            raise ValueError("thresholds and cost each define the decision; pass one of them.")
        if self.response_method not in ("auto", *_RESPONSES):
            raise ValueError(
                f"response_method must be one of {('auto', *_RESPONSES)}, found "
                f"{self.response_method!r}."
            )
        self._hold(clone(self.estimator).fit(X, y, **fit_params))
        self.multilabel_ = type_of_target(y) == "multilabel-indicator"
        return self

    def _response(self, X: Any) -> tuple[str, Floats]:
        wanted = _RESPONSES if self.response_method == "auto" else (self.response_method,)
        method = next((name for name in wanted if hasattr(self.estimator_, name)), wanted[-1])
        return method, label_columns(getattr(self.estimator_, method)(X), self.classes_)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the classes or labels, shape (n_samples,) or (n_samples, n_labels)."""
        check_is_fitted(self)
        if self.thresholds is None and self.cost is None:
            return np.asarray(self.estimator_.predict(X))
        method, response = self._response(X)
        size = response.shape[1] if response.ndim == 2 else 1
        classes = None if self.multilabel_ else np.asarray(self.classes_)
        if self.cost is not None:
            cost = np.asarray(self.cost, dtype=np.float64)
            if method != "predict_proba" or classes is None or cost.shape != (size, size):
                raise ValueError(
                    f"cost needs probabilities of as many classes as it has rows and columns; found "
                    f"cost of shape {cost.shape} and {method} of {size} columns."
                )
            return np.asarray(classes[(response @ cost).argmin(axis=1)])
        thresholds = np.asarray(self.thresholds, dtype=np.float64)
        if thresholds.shape != (size,) or size == 1:
            raise ValueError(
                f"thresholds must be one a class or label, of several; found shape {thresholds.shape} "
                f"and {method} of {size} columns."
            )
        if self.multilabel_:
            return (response >= thresholds).astype(np.int64)
        assert classes is not None
        return np.asarray(classes[relative(response, thresholds, method).argmax(axis=1)])
