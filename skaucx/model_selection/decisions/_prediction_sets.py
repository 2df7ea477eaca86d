"""Prediction sets: labels that hold the true one with a wanted probability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import check_cv
from sklearn.utils import column_or_1d, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..._arrays import check_rows, take_rows, weight_vector
from ..._options import check_confidence_level
from .._types import Estimator, Features, Floats, Folds, Model
from ._reject import ClassifierAround, offers

METHODS = ("cv+", "refit")
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Calibration:
    """The calibration data of one model: probabilities of rows that it was not fitted on.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        Of the columns of its probabilities.
    truth : ndarray of shape (n,), int
        Column of each row's true class.
    strangeness : ndarray of shape (n,), float64
        One minus the probability of the true class.
    weight : ndarray of shape (n,), float64
    """

    classes: NDArray[Any]
    truth: NDArray[np.intp]
    strangeness: Floats
    weight: Floats

    @classmethod
    def of(
        cls, classes: NDArray[Any], y: ArrayLike, proba: Floats, weight: Floats | None
    ) -> Calibration:
        """Look up the true classes; one that the model does not know is as strange as can be."""
        y = np.asarray(y)
        truth = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
        known = classes[truth] == y
        strangeness = np.where(known, 1 - proba[np.arange(len(y)), truth], 1.0)
        given = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
        return cls(classes, np.where(known, truth, -1), strangeness, given)

    def stranger(self, proba: Floats, *, by_class: bool) -> tuple[Floats, Floats]:
        """Weigh the rows that are at least as strange as each label would be; and all of them.

        Of shape (m, K) and (K,); by class those of the label's class count.
        """
        columns, totals = [], []
        for k in range(len(self.classes)):
            among = self.truth == k if by_class else np.ones(len(self.truth), dtype=bool)
            order = np.argsort(self.strangeness[among])
            sorted_ = self.strangeness[among][order]
            above = np.r_[np.cumsum(self.weight[among][order][::-1])[::-1], 0.0]
            at = np.searchsorted(sorted_, 1 - proba[:, k] - ROUNDING)
            columns.append(above[at])
            totals.append(self.weight[among].sum())
        return np.stack(columns, axis=1), np.array(totals)


@dataclass(frozen=True)
class SetRule:
    """The request: a confidence level, for each class or on average, and the method."""

    confidence_level: float
    by_class: bool = False
    method: Literal["cv+", "refit"] = "cv+"


def set_rule(given: Any) -> SetRule | None:
    """Return the rule of ``prediction_sets=``.

    Raises
    ------
    ValueError
        If it is neither a probability nor a dict with one.
    """
    if given is None:
        return None
    options = dict(given) if isinstance(given, Mapping) else {"confidence_level": given}
    unknown = set(options) - {"confidence_level", "by_class", "method"}
    if unknown or "confidence_level" not in options:
        raise ValueError(
            "prediction_sets must be a probability, or a dict with confidence_level, by_class and "
            f"method, found {given!r}."
        )
    rule = SetRule(**options)
    check_confidence_level(rule.confidence_level)
    if rule.method not in METHODS:
        raise ValueError(
            f"prediction_sets: method must be one of {METHODS}, found {rule.method!r}."
        )
    return rule


def plausible(
    calibrations: Sequence[Calibration],
    probas: Sequence[Floats],
    classes: NDArray[Any],
    rule: SetRule,
) -> NDArray[np.bool_]:
    """Return which labels are in the set of each example, shape (m, K).

    A model without a class never excludes it.
    """
    stranger = np.zeros((len(probas[0]), len(classes)))
    totals = np.zeros(len(classes))
    for one, proba in zip(calibrations, probas, strict=True):
        at = np.searchsorted(classes, one.classes)
        counted, total = one.stranger(proba, by_class=rule.by_class)
        whole = 0.0 if rule.by_class else one.weight.sum()
        stranger += whole
        totals += whole
        stranger[:, at] += counted - whole
        totals[at] += total - whole
    own = np.concatenate([one.weight for one in calibrations]).mean()  # of the new example
    share = (stranger + own) / (totals + own)
    members: NDArray[np.bool_] = share > 1 - rule.confidence_level + ROUNDING
    return members


class ConformalClassifier(ClassifierAround):
    r"""A classifier that also gives sets of labels, which hold the true one with a wanted probability.

    Fitted directly it splits the data by ``cv``. :class:`NestedCV` makes one from the inner folds
    of its final model, if ``prediction_sets`` is requested.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``predict_proba``; labels and probabilities are its own.
    confidence_level : float, default=0.9
        The wanted probability, in (0, 1).
    by_class : bool, default=False
        Whether each class shall be held with this probability (Mondrian), or all on average.
    method : {"cv+", "refit"}, default="cv+"
        "cv+": an example is compared with the held-out rows of each fold by the model of that fold;
        "refit": with all of them by the model of all data, which needs only one model but has no
        proof of coverage.
    cv : int, splitter or iterable of splits, default=5
        As :func:`sklearn.model_selection.check_cv` takes it.

    Attributes
    ----------
    estimator_ : estimator
        Fitted on all data.
    models_ : list of estimator
        Of the folds; ``[estimator_]`` with "refit".
    classes_ : ndarray of shape (n_classes,)

    Notes
    -----
    A label y belongs to the set of x if the share of the n held-out rows i with at least the same
    nonconformity,

    .. math:: \frac{1 + \#\{i : s_i \ge s_{k(i)}(x, y)\}}{n + 1}, \quad s(x, y) = 1 - \hat p(y \mid x)

    is above one minus the confidence level [1]_ [2]_. By class, only rows of the class y count [1]_.
    Where rows are exchangeable the sets hold the true label with a probability of at least
    :math:`1 - 2 \alpha` for a confidence level of :math:`1 - \alpha`, up to a term of the number of
    folds, and in practice with about :math:`1 - \alpha` [3]_. A set may be empty: then no label fits.

    References
    ----------
    .. [1] Vovk, V. (2015). Cross-conformal predictors. Annals of Mathematics and Artificial
       Intelligence 74, 9-28.
    .. [2] Romano, Y., Sesia, M. and Candes, E. (2020). Classification with valid and adaptive coverage.
       NeurIPS 33, 3581-3591.
    .. [3] Barber, R. F., Candes, E. J., Ramdas, A. and Tibshirani, R. J. (2021). Predictive inference
       with the jackknife+. Annals of Statistics 49, 486-507.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import ConformalClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(GaussianNB(), confidence_level=0.9).fit(X[::2], y[::2])
    >>> sets = model.predict_set(X[1::2])
    >>> sets.shape, round(float(sets[range(75), y[1::2]].mean()), 2)
    ((75, 3), 0.95)
    """

    def __init__(
        self,
        estimator: Estimator,
        *,
        confidence_level: float = 0.9,
        by_class: bool = False,
        method: str = "cv+",
        cv: Folds = 5,
    ) -> None:
        self.estimator = estimator
        self.confidence_level = confidence_level
        self.by_class = by_class
        self.method = method
        self.cv = cv

    @property
    def _rule(self) -> SetRule:
        requested = {
            "confidence_level": self.confidence_level,
            "by_class": self.by_class,
            "method": self.method,
        }
        rule = set_rule(requested)
        assert rule is not None
        return rule

    def fit(self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Fit the model of all data and those of the folds, which compare.

        Of a :class:`sklearn.frozen.FrozenEstimator` nothing is fitted: it is compared on all rows
        given, which must be others than those that it was fitted on (split conformal).

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Of the rows, in the fits and in the comparison.

        Returns
        -------
        self
        """
        rule = self._rule
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None.")
        check_rows({"y": y, "sample_weight": sample_weight})
        X, y, sample_weight = indexable(X, y, sample_weight)
        X = X if hasattr(X, "shape") else np.asarray(X)
        weight = None if sample_weight is None else weight_vector(sample_weight)
        y = np.asarray(column_or_1d(y, warn=True))
        every = np.arange(len(y))
        model = _fitted(self.estimator, X, y, weight, every)
        if isinstance(self.estimator, FrozenEstimator):
            own = [Calibration.of(model.classes_, y, model.predict_proba(X), weight)]
            return self.of(model, [model], own)
        models, calibrations = [], []
        for train, test in check_cv(self.cv, y, classifier=True).split(X, y):
            models.append(_fitted(self.estimator, X, y, weight, train))
            proba = models[-1].predict_proba(take_rows(X, test))
            held = None if weight is None else weight[test]
            calibrations.append(Calibration.of(models[-1].classes_, y[test], proba, held))
        return self.of(model, [model] if rule.method == "refit" else models, calibrations)

    def of(
        self, model: Model, models: Sequence[Model], calibrations: Sequence[Calibration]
    ) -> ConformalClassifier:
        """Use fitted models with their calibration data."""
        self._hold(model)
        self.models_ = list(models)
        one = len(self.models_) == 1
        self.calibrations_ = [joined(calibrations, self.classes_)] if one else list(calibrations)
        return self

    def predict_set(self, X: Features) -> NDArray[np.bool_]:
        """Return which classes are in the set of each example, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        probas = [model.predict_proba(X) for model in self.models_]
        return plausible(self.calibrations_, probas, self.classes_, self._rule)

    def predict(self, X: Features) -> Any:
        """Return the labels that the estimator predicts."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @available_if(offers("rejected"))  # type: ignore[untyped-decorator]
    def rejected(self, X: Any) -> NDArray[np.bool_]:
        """Return which examples the estimator rejects."""
        return self.estimator_.rejected(X)


def joined(calibrations: Sequence[Calibration], classes: NDArray[Any]) -> Calibration:
    """Join the calibration data of several models."""
    truth = [
        np.where(one.truth < 0, -1, np.searchsorted(classes, one.classes[one.truth]))
        for one in calibrations
    ]
    return Calibration(
        classes,
        np.concatenate(truth),
        np.concatenate([one.strangeness for one in calibrations]),
        np.concatenate([one.weight for one in calibrations]),
    )


def _fitted(estimator: Any, X: Any, y: NDArray[Any], weight: Floats | None, rows: Any) -> Any:
    options = {} if weight is None else {"sample_weight": weight[rows]}
    return clone(estimator).fit(take_rows(X, rows), y[rows], **options)
