"""Calibration by the methods of scikit-learn, found on predictions that are given."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.frozen import FrozenEstimator
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..._arrays import check_rows
from ..._compat import CALIBRATIONS
from ..._options import check_choice
from .._types import Estimator, Features, Floats
from ..execution._out_of_fold import OutOfFoldPredictions
from ._rejecting import ClassifierAround, take_columns

# The input of calibration, as in CalibratedClassifierCV.
_READ = ("decision_function", "predict_proba")


class CalibratingClassifier(ClassifierAround):
    """A fitted classifier whose scores are mapped to probabilities, on rows that it was not fitted on.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier; wrapped into :class:`sklearn.frozen.FrozenEstimator` it stays as it is
        when this object is cloned.
    calibrator : {"sigmoid", "isotonic", "temperature"}, default="sigmoid"
        A method of :class:`sklearn.calibration.CalibratedClassifierCV`; "temperature" since
        scikit-learn 1.8.

    Attributes
    ----------
    calibrated_ : CalibratedClassifierCV
    classes_ : ndarray of shape (n_classes,)

    See Also
    --------
    NestedCV : Calibrates inside, ``decisions=Decisions(calibration="isotonic")``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.metrics import log_loss
    >>> from skaucx.model_selection import CalibratingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    >>> X_fit, X_held, y_fit, y_held = train_test_split(X, y, random_state=0)
    >>> model = GaussianNB().fit(X_fit, y_fit)
    >>> calibrated = CalibratingClassifier(model).fit(X_held, y_held)
    >>> [round(float(log_loss(y_test, m.predict_proba(X_test))), 2) for m in (model, calibrated)]
    [0.41, 0.24]
    """

    def __init__(self, estimator: Estimator, calibrator: str = "sigmoid") -> None:
        self.estimator = estimator
        self.calibrator = calibrator

    def fit(
        self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CalibratingClassifier:
        """Fit the calibration on rows that the estimator was not fitted on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        check_rows({"y": y, "sample_weight": sample_weight})
        check_choice("calibrator", self.calibrator, CALIBRATIONS)
        check_is_fitted(self.estimator)
        given = FrozenEstimator(self.estimator)
        self.calibrated_ = _by_method(self.calibrator, given, X, y, sample_weight)
        self._hold(self.calibrated_)
        return self

    def predict(self, X: Features) -> NDArray[Any]:
        """Return the classes of the highest calibrated probabilities, shape (n_samples,)."""
        check_is_fitted(self)
        return np.asarray(self.calibrated_.predict(X))


class _Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier whose X are its predictions."""

    def __init__(self, classes: Any = None, response: str = "predict_proba") -> None:
        self.classes = self.classes_ = classes
        self.response = response

    def fit(self, X: Any, y: Any) -> _Given:
        return self

    def predict(self, X: Any) -> Any:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return True

    @available_if(lambda given: given.response == "predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        return X

    @available_if(lambda given: given.response == "decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Any:
        return X[:, 0] if X.shape[1] == 1 else X


def fit_calibration(method: str, predictions: OutOfFoldPredictions) -> tuple[Any, Floats]:
    """Calibrate on predictions; return what did it, and the calibrated probabilities of these rows."""
    responses: Mapping[str, NDArray[Any]] = predictions.responses
    reads = next(name for name in _READ if name in responses)
    scores = responses[reads]
    scores = scores[:, None] if scores.ndim == 1 else scores
    given = FrozenEstimator(_Given(predictions.classes, reads))
    weight = predictions.sample_weight
    calibrator = _by_method(method, given, scores, predictions.y_true, weight)
    return calibrator, calibrator.predict_proba(scores)


def _by_method(method: str, given: Any, X: Any, y_true: Any, weight: Any) -> Any:
    every = np.arange(np.shape(y_true)[0])
    from sklearn.calibration import CalibratedClassifierCV  # slow to import

    calibrator = CalibratedClassifierCV(given, method=method, cv=[(every, every)], ensemble=False)
    with warnings.catch_warnings():
        # Weights count in the calibration, and the frozen model is not fitted.
        warnings.filterwarnings("ignore", ".*sample.weight.*")
        calibrator.fit(X, y_true, sample_weight=weight)
    return calibrator.set_params(cv=None)


def calibrated(calibrator: Any, model: Any) -> Any:
    """Return a calibrator with a fitted model in the place of the given predictions."""
    made, (one,) = copy(calibrator), map(copy, calibrator.calibrated_classifiers_)
    made.estimator = one.estimator = FrozenEstimator(model)
    made.calibrated_classifiers_ = [one]
    take_columns(made, model)
    return made
