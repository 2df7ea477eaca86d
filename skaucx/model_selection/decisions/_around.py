"""What classifiers around another classifier share: its classes, its columns, its responses."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._types import Floats


def take_columns(around: Any, model: Any) -> None:
    """Give a classifier the number and the names of the columns that a model was fitted on."""
    for name in ("n_features_in_", "feature_names_in_"):
        around.__dict__.pop(name, None)
        if hasattr(model, name):
            setattr(around, name, getattr(model, name))


def offers(method: str) -> Any:
    """Whether the estimator, fitted if it is, has a method."""
    return lambda around: hasattr(getattr(around, "estimator_", around.estimator), method)


class ClassifierAround(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Base of classifiers around another, `estimator`, which reads what it reads."""

    estimator: Any
    estimator_: Any

    def __sklearn_tags__(self) -> Tags:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.classifier_tags, tags.input_tags = inner.classifier_tags, inner.input_tags
        return tags

    def _hold(self, model: Any) -> None:
        """Keep the fitted estimator."""
        self.estimator_, self.classes_ = model, model.classes_
        take_columns(self, model)

    @available_if(offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the estimator."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)


class ResponsesOf(ClassifierAround):
    """One that has the decision values of the estimator too."""

    @available_if(offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Return the decision values of the estimator."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)
