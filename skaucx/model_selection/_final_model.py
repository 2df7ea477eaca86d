"""Attributes and predictions that a fitted nested cross-validation takes from its final model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ._types import Floats, Model, Params, Scorer
from .results._final import FinalModel
from .results._result import NestedCVResult


def tuned(nested: Any) -> Any:
    """Return what is tuned: the estimator, or the one inside where the estimator is a search."""
    given = nested.estimator
    return getattr(given, "estimator", given) if nested.param_grid is None else given


def _offers(method: str) -> Callable[[FinalModelMixin], bool]:
    """Whether the final model, or where there is none the estimator, has a method."""

    def check(nested: FinalModelMixin) -> bool:
        final = nested.result_.final if hasattr(nested, "result_") else None
        return hasattr(tuned(nested) if final is None else final.estimator, method)

    return check


class FinalModelMixin:
    """Predicts with the final model of the ``result_``."""

    result_: NestedCVResult
    scorer_: Scorer

    def _final_model(self) -> FinalModel:
        check_is_fitted(self, "result_")
        if self.result_.final is None:
            raise AttributeError(
                "This NestedCV was fitted with final=None and so has no final model; "
                "set final='search' and fit again."
            )
        return self.result_.final

    @property
    def best_estimator_(self) -> Model:
        """The final model."""
        return self._final_model().estimator

    @property
    def best_params_(self) -> Params:
        """Parameters of the final model."""
        return self._final_model().params

    @property
    def best_index_(self) -> int | None:
        """Position of the final model's parameters among the candidates."""
        return self._final_model().index

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels of the final model."""
        return self.best_estimator_.classes_

    @property
    def n_features_in_(self) -> int:
        """Number of columns that the final model was fitted on."""
        return self.best_estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns that the final model was fitted on."""
        return self.best_estimator_.feature_names_in_

    @available_if(_offers("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[Any]:
        """Class labels by the final model, shape (n_samples,)."""
        return self.best_estimator_.predict(X)

    @available_if(_offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities by the final model, shape (n_samples, n_classes)."""
        return self.best_estimator_.predict_proba(X)

    @available_if(_offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Decision values of the final model, shape (n_samples,) or (n_samples, n_classes)."""
        return self.best_estimator_.decision_function(X)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Score the final model on new data by the metric that chose.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        model = self.best_estimator_
        name = self.result_.refit[0]
        return self.scorer_.subset([name]).score(model, X, y, sample_weight=sample_weight)[name]
