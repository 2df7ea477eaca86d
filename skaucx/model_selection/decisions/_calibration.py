"""Calibration found on predictions: by the methods of scikit-learn, or by any calibrator."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from ..._arrays import check_rows
from ..._compat import CALIBRATIONS, import_extra
from .._types import Estimator, Features, Floats, Model
from ..execution._dataset import check_takes_weights, weight_argument
from ..execution._pool import OutOfFoldPredictions
from ._reject import ClassifierAround, take_columns

_ANSWERS = ("predict_proba", "predict", "transform")
# The input of calibration: as in CalibratedClassifierCV, and for a calibrator of probabilities.
_METHODS_READ = ("decision_function", "predict_proba")
_CALIBRATORS_READ = ("predict_proba", "decision_function")


def check_calibration(given: Any, weighted: bool) -> None:
    """Raise an error unless it is a method of scikit-learn, or a calibrator or the name of one.

    Raises
    ------
    ValueError
        If there is no such method, or rows have weights and the calibrator does not accept them.
    TypeError
        If it is not an object with fit and predict.
    ImportError
        If the package of a name is missing.
    """
    if given is None or (isinstance(given, str) and given in CALIBRATIONS):
        return
    names = ", ".join(map(repr, (*CALIBRATIONS, *PACKAGED)))
    known = f"{names}, None, or a calibrator with fit and predict"
    if isinstance(given, str) and given in PACKAGED:
        _package(given)
        given = PACKAGED[given]()
    if isinstance(given, str):
        raise ValueError(f"calibration must be {known}, found {given!r}.")
    if isinstance(given, type):
        raise TypeError(f"calibration must be {known}, found the class {given.__name__}; call it.")
    if not hasattr(given, "fit") or _answer(given) is None:
        raise TypeError(f"calibration must be {known}, found {given!r}.")
    if weighted:
        try:
            check_takes_weights(given)
        except ValueError as error:
            raise ValueError(f"calibration: {error}") from None


def _answer(calibrator: Any) -> str | None:
    """Return the method that gives probabilities; None where there is none, as of bare labels."""
    labels = isinstance(calibrator, BaseEstimator) and is_classifier(calibrator)
    answers = _ANSWERS[:1] if labels else _ANSWERS
    return next((name for name in answers if hasattr(calibrator, name)), None)


class _Beta(BaseEstimator):  # type: ignore[misc]
    """Beta calibration (Kull, Silva Filho and Flach 2017) of probabilities, by the package betacal."""

    def fit(self, scores: Floats, y: Any, sample_weight: Any = None) -> _Beta:
        with warnings.catch_warnings():  # betacal adds a filter that silences the whole process
            self.fitted_ = _package("beta").BetaCalibration().fit(scores[:, 0], y, sample_weight)
        return self

    def predict(self, scores: Floats) -> Floats:
        return np.asarray(self.fitted_.predict(scores[:, 0]))


class _VennAbers(BaseEstimator):  # type: ignore[misc]
    r"""Inductive Venn-Abers (Vovk, Petej and Fedorova 2015) of probabilities, by the package venn-abers.

    Its interval of probabilities :math:`(p_0, p_1)` becomes :math:`p_1 / (1 - p_0 + p_1)`, which
    minimises the regret under log loss.
    """

    def fit(self, scores: Floats, y: Any) -> _VennAbers:
        self.fitted_ = _package("venn-abers").VennAbers()
        with np.errstate(all="ignore"):
            self.fitted_.fit(_both(scores), np.asarray(y))
        return self

    def predict(self, scores: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray(self.fitted_.predict_proba(_both(scores))[0][:, 1])


def _both(scores: Floats) -> Floats:
    return np.hstack([1 - scores, scores])


# Calibrators that are known by a name, and their modules.
PACKAGED: dict[str, Any] = {"beta": _Beta, "venn-abers": _VennAbers}
_MODULES = {"beta": "betacal", "venn-abers": "venn_abers"}


def _package(name: str) -> Any:
    with np.errstate():  # venn_abers sets the error state of the whole process
        return import_extra(_MODULES[name], f"calibration={name!r}", "skaucx[calibrators]")


class CalibratingClassifier(ClassifierAround):
    """A fitted classifier whose scores a calibrator maps to probabilities.

    Parameters
    ----------
    estimator : estimator
        A fitted classifier; wrapped into :class:`sklearn.frozen.FrozenEstimator` it stays as it is
        when this object is cloned.
    calibrator : estimator, "beta" or "venn-abers"
        Cloned for each class, or once for two classes; the names are calibrators of probabilities by
        the packages betacal and venn-abers (extra ``calibrators``). Its ``fit`` gets the scores of the
        class, shape (n_samples, 1), and 1 for rows of that class, 0 for others. What its
        ``predict_proba``, ``predict`` or ``transform`` (the first that it has) then gives is clipped to
        [0, 1]; those of three or more classes are divided by their sum.

    Attributes
    ----------
    calibrators_ : list of estimator
        One a class, or that of the second of two classes.
    classes_ : ndarray of shape (n_classes,)
    reads_ : {"predict_proba", "decision_function"}
        The scores that are calibrated: probabilities where the classifier has them.

    See Also
    --------
    NestedCV : Calibrates inside, ``calibration=IsotonicRegression(out_of_bounds="clip")``.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import train_test_split
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.metrics import log_loss
    >>> from skaucx.model_selection import CalibratingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    >>> X_fit, X_held, y_fit, y_held = train_test_split(X, y, random_state=0)
    >>> model = GaussianNB().fit(X_fit, y_fit)
    >>> calibrated = CalibratingClassifier(model, LogisticRegression()).fit(X_held, y_held)
    >>> [round(float(log_loss(y_test, m.predict_proba(X_test))), 2) for m in (model, calibrated)]
    [0.41, 0.25]
    """

    def __init__(self, estimator: Estimator, calibrator: str | Estimator) -> None:
        self.estimator = estimator
        self.calibrator = calibrator

    def fit(
        self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> CalibratingClassifier:
        """Fit the calibrator on rows that the estimator was not fitted on.

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
        check_is_fitted(self.estimator)
        check_calibration(self.calibrator, sample_weight is not None)
        self.classes_ = self.estimator.classes_
        self.reads_ = next(name for name in _CALIBRATORS_READ if hasattr(self.estimator, name))
        if isinstance(self.calibrator, str):
            self._check_name()
        truth = np.asarray(y)
        self.calibrators_ = [
            self._fitted(score, truth == label, sample_weight) for label, score in self._scores(X)
        ]
        take_columns(self, self.estimator)
        return self

    def _check_name(self) -> None:
        if self.calibrator not in PACKAGED:
            raise ValueError(
                f"calibrator must be one of {tuple(PACKAGED)} or an object with fit and predict, found "
                f"{self.calibrator!r}; the methods of scikit-learn are those of CalibratedClassifierCV."
            )
        if self.reads_ != "predict_proba":
            raise ValueError(
                f"calibrator={self.calibrator!r} needs a classifier with predict_proba, "
                f"{type(self.estimator).__name__} has none."
            )

    def _fitted(self, score: Floats, mine: NDArray[np.bool_], weight: ArrayLike | None) -> Any:
        given = self.calibrator
        named = PACKAGED[given]() if isinstance(given, str) else None
        calibrator = clone(given, safe=False) if named is None else named
        weights = {} if weight is None else {weight_argument(calibrator): weight}
        return calibrator.fit(score, mine.astype(np.int64), **weights)

    def _scores(self, X: Any) -> list[tuple[Any, Floats]]:
        """Return each class that is calibrated, and its scores of shape (n, 1)."""
        response = np.asarray(getattr(self.estimator, self.reads_)(X), dtype=np.float64)
        columns = (
            [response[:, None]] if response.ndim == 1 else np.split(response, response.shape[1], 1)
        )
        known = self.estimator.classes_
        if len(known) == 2:
            return [(known[1], columns[-1])]
        return list(zip(known, columns, strict=True))

    def over(self, model: Model) -> CalibratingClassifier:
        """Return the same calibration of another fitted model."""
        made = copy(self)
        made.estimator = FrozenEstimator(model)
        take_columns(made, model)
        return made

    def predict_proba(self, X: Features) -> Floats:
        """Return calibrated probabilities, shape (n_samples, n_classes).

        Raises
        ------
        ValueError
            If the calibrator gives something else than a finite number a row.
        """
        check_is_fitted(self, "calibrators_")
        places = {label: place for place, label in enumerate(self.classes_)}
        scores = self._scores(X)
        proba = np.zeros((len(scores[0][1]), len(places)))
        for label, score in scores:
            place = places[label]
            calibrator = self.calibrators_[0 if len(places) == 2 else place]
            proba[:, place] = _probability(calibrator, score)
        if len(places) == 2:
            proba[:, 0] = 1 - proba[:, 1]
            return proba
        total = proba.sum(axis=1, keepdims=True)
        return np.divide(proba, total, out=np.full_like(proba, 1 / len(places)), where=total > 0)

    def predict(self, X: Features) -> NDArray[Any]:
        """Return the classes of the highest calibrated probabilities, shape (n_samples,)."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


def _probability(calibrator: Any, score: Floats) -> Floats:
    """Return the calibrated probabilities of scores of shape (n, 1), clipped to [0, 1]."""
    method = _answer(calibrator)
    assert method is not None
    found = np.asarray(getattr(calibrator, method)(score), dtype=np.float64)
    values = found[:, -1] if found.ndim == 2 and found.shape[1] <= 2 else found
    if values.shape != (len(score),) or not np.isfinite(values).all():
        raise ValueError(
            f"calibration: {type(calibrator).__name__}.{method} must give a finite number a row, "
            f"found {'others' if values.shape == (len(score),) else f'shape {found.shape}'}."
        )
    return np.clip(values, 0, 1)


class _Given(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier whose X are its predictions."""

    def __init__(self, classes: Any = None) -> None:
        self.classes = classes

    @property
    def classes_(self) -> Any:
        return self.classes

    def fit(self, X: Any, y: Any) -> _Given:
        return self

    def predict(self, X: Any) -> Any:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        return True


class _GivenProbabilities(_Given):
    def predict_proba(self, X: Any) -> Any:
        return X


class _GivenDecisions(_Given):
    def decision_function(self, X: Any) -> Any:
        return X[:, 0] if X.shape[1] == 1 else X


def fit_calibration(wanted: Any, predictions: OutOfFoldPredictions) -> tuple[Any, Floats]:
    """Calibrate on predictions; return what did it, and the calibrated probabilities of these rows."""
    responses: Mapping[str, NDArray[Any]] = predictions.responses
    named = isinstance(wanted, str) and wanted not in PACKAGED
    reads = next(r for r in (_METHODS_READ if named else _CALIBRATORS_READ) if r in responses)
    scores, weight = _table(responses[reads]), predictions.sample_weight
    kind = _GivenProbabilities if reads == "predict_proba" else _GivenDecisions
    given = FrozenEstimator(kind(predictions.classes))
    if named:
        calibrator = _by_method(wanted, given, scores, predictions.y_true, weight)
    else:
        calibrator = CalibratingClassifier(given, wanted).fit(scores, predictions.y_true, weight)
    return calibrator, calibrator.predict_proba(scores)


def _by_method(method: str, given: Any, scores: Floats, y_true: Any, weight: Any) -> Any:
    every = np.arange(len(scores))
    from sklearn.calibration import CalibratedClassifierCV  # slow to import

    calibrator = CalibratedClassifierCV(given, method=method, cv=[(every, every)], ensemble=False)
    with warnings.catch_warnings():
        # Weights count in the calibration, and the frozen model is not fitted.
        warnings.filterwarnings("ignore", ".*sample.weight.*")
        calibrator.fit(scores, y_true, sample_weight=weight)
    return calibrator.set_params(cv=None)


def calibrated(calibrator: Any, model: Any) -> Any:
    """Return a calibrator with a fitted model in the place of the given predictions."""
    if isinstance(calibrator, CalibratingClassifier):
        return calibrator.over(model)
    made, (one,) = copy(calibrator), map(copy, calibrator.calibrated_classifiers_)
    made.estimator = one.estimator = FrozenEstimator(model)
    made.calibrated_classifiers_ = [one]
    take_columns(made, model)
    return made


def _table(response: NDArray[Any]) -> NDArray[Any]:
    return response[:, None] if response.ndim == 1 else response
