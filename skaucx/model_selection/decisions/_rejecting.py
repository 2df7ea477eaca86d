"""A classifier around another that rejects what is too uncertain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..._options import UNIT
from ..._text.plain import paragraph
from .._fold_scores import moments, with_and_without
from .._types import Estimator, Features, Floats, Label
from ..execution._job import Outcome


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


def confidence(response: NDArray[Any], cut: float | None = None, column: int = -1) -> Floats:
    """Return the margin of each prediction.

    The greatest of the responses of all classes. With a threshold of a probability, the part of the way
    from it to 0 or to 1; of one column of decision values, the distance to it.

    Parameters
    ----------
    response : ndarray of shape (n,) or (n, K)
        Probabilities or decision values.
    cut : float, optional
        The threshold of two classes; of a single column 0.
    column : int
        The column of the class that is predicted at or above the threshold: of one column of decision
        values, which are those of the last class, 0 is their negative.

    Returns
    -------
    ndarray of shape (n,), float64

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.decisions._rejecting import confidence
    >>> p = np.array([[0.25, 0.75], [0.625, 0.375]])
    >>> confidence(p).tolist(), confidence(p, cut=0.25).tolist()
    ([0.75, 0.625], [0.6666666666666666, 0.16666666666666666])
    """
    response = np.asarray(response, dtype=np.float64)
    if response.ndim == 1:
        distance = 0.0 if cut is None else cut
        return np.abs(-response - distance if column == 0 else response - distance)
    if cut is None:
        return response.max(axis=1)
    above = response[:, column] - cut
    way = np.where(above >= 0, 1 - cut, cut)
    return np.divide(np.abs(above), way, out=np.zeros(len(above)), where=(way > 0) & (way < np.inf))


def least_accepted(
    reject: Mapping[str, float],
    sure: Floats,
    wrong: NDArray[np.bool_],
    weight: Floats | None = None,
) -> float:
    """Return the least confidence that is accepted, by ``reject=`` of :class:`Decisions`.

    By cost it is the one with the least sum of wrong predictions that are accepted, at 1 each, and of
    rejections, of equal ones that which rejects less. By coverage it is the greatest that accepts the
    share.

    Examples
    --------
    >>> from skaucx.model_selection.decisions._rejecting import least_accepted
    >>> sure, wrong = np.array([0.9, 0.8, 0.7, 0.6]), np.array([False, False, False, True])
    >>> round(least_accepted({"cost": 0.4}, sure, wrong), 3)
    0.65
    >>> round(least_accepted({"coverage": 0.5}, sure, wrong), 3)
    0.75
    """
    [(by, value)] = reject.items()
    weight = np.ones(len(sure)) if weight is None else weight
    levels, group = np.unique(sure, return_inverse=True)
    rejected = np.r_[0.0, np.cumsum(np.bincount(group, weight))]  # of the j lowest levels
    if by == "coverage":
        spare = (1 - value) * weight.sum()
        at = int(np.flatnonzero(rejected <= spare * (1 + 1e-12))[-1])
    else:
        errors = np.r_[0.0, np.cumsum(np.bincount(group, weight * wrong))]
        at = int(np.argmin(errors[-1] - errors + value * rejected))
    if at == 0:
        return -np.inf
    return float(np.inf if at == len(levels) else levels[at - 1 : at + 1].mean())


def check_reject(given: Any) -> None:
    """Raise an error unless it is ``{"cost": number}`` or ``{"coverage": share}``, both in [0, 1]."""
    if not isinstance(given, Mapping) or len(given) != 1 or not set(given) <= {"cost", "coverage"}:
        raise ValueError(
            "reject must be {'cost': cost of a rejection relative to an error} or "
            f"{{'coverage': the share to be predicted}}, found {given!r}."
        )
    [(by, value)] = given.items()
    UNIT.check(f"reject[{by!r}]", value)


class RejectingClassifier(ClassifierAround):
    """A classifier that rejects the examples of which it is not sure enough.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``predict_proba`` or ``decision_function``. To keep one as it was fitted,
        wrap it into :class:`sklearn.frozen.FrozenEstimator`.
    least : float
        The least confidence that is accepted: of the greatest probability (or decision value) of all
        classes, or with `cut` of the part of the way from that threshold to 0 or to 1 (or of the
        distance to it).
    cut : float, default=None
        The threshold of the estimator for two classes, if it has one.
    pos_label : label, default=None
        The class that the threshold calls; the second by default.

    Attributes
    ----------
    estimator_ : estimator
    classes_ : ndarray of shape (n_classes,)

    See Also
    --------
    NestedCV : Chooses `least` inside, by the cost of a rejection or by the share to be predicted.

    References
    ----------
    .. [1] Chow, C. K. (1970). On optimum recognition error and reject tradeoff. IEEE Transactions on
       Information Theory 16, 41-46.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import RejectingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RejectingClassifier(GaussianNB(), least=0.999).fit(X, y)
    >>> rejected = model.rejected(X)
    >>> float(rejected.mean().round(3)), float((model.predict(X) != y)[~rejected].mean().round(3))
    (0.069, 0.026)
    """

    def __init__(
        self,
        estimator: Estimator,
        least: float,
        *,
        cut: float | None = None,
        pos_label: Label = None,
    ) -> None:
        self.estimator = estimator
        self.least = least
        self.cut = cut
        self.pos_label = pos_label

    def fit(
        self, X: Features | None = None, y: ArrayLike | None = None, **fit_params: Any
    ) -> RejectingClassifier:
        """Fit the estimator; a frozen one needs no data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        **fit_params
            Handed on.

        Returns
        -------
        self
        """
        self._hold(clone(self.estimator).fit(X, y, **fit_params))
        return self

    @available_if(offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Return the decision values of the estimator."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    def confidence(self, X: Features) -> Floats:
        """Return what `least` is compared with, shape (n_samples,)."""
        check_is_fitted(self)
        methods = ("predict_proba", "decision_function")
        method = next(name for name in methods if hasattr(self.estimator_, name))
        positive = self.classes_[-1] if self.pos_label is None else self.pos_label
        column = int(np.flatnonzero(self.classes_ == positive)[0])
        return confidence(getattr(self.estimator_, method)(X), self.cut, column)

    def rejected(self, X: Features) -> NDArray[np.bool_]:
        """Return which examples are rejected, shape (n_samples,)."""
        return self.confidence(X) < self.least

    def predict(self, X: Features) -> Any:
        """Return the labels as a masked array, whose mask marks rejections."""
        check_is_fitted(self)
        return np.ma.MaskedArray(self.estimator_.predict(X), mask=self.rejected(X))


@dataclass(frozen=True, eq=False)
class Rejections:
    """Rejections of outer test rows, and the scores of the accepted ones.

    Attributes
    ----------
    least : ndarray of shape (k,), float64
        The least confidence that each outer fold accepts.
    coverage : ndarray of shape (k,), float64
        Share of each outer test part that is accepted.
    scores : dict of str to ndarray of shape (k,), float64
        The outer scores of the accepted rows.
    rejected : ndarray of shape (m,), bool
        Of the pooled predictions, those rejected.
    """

    least: Floats
    coverage: Floats
    scores: Mapping[str, Floats]
    rejected: NDArray[np.bool_]

    def summary(self, all_scores: Mapping[str, Floats]) -> str:
        """Return coverage, requested confidence, and every metric on accepted and on all rows."""
        finite = np.where(np.isfinite(self.least), self.least, np.nan)  # -inf rejects no row
        (share, share_sd), (least, least_sd) = moments(self.coverage), moments(finite)
        pairs = with_and_without(self.scores, all_scores)
        return paragraph(
            f"Rejection: {share:.1%} of the test rows are predicted (sd {share_sd:.1%}), those "
            f"with a confidence of at least {least:.4g} (sd {least_sd:.2g}). Mean outer score of "
            f"these, and of all rows: {pairs}.",
            hang=2,
        )


def rejections_of(
    outcomes: Sequence[Outcome], decisions: Sequence[Any], names: Sequence[str]
) -> Rejections | None:
    """Collect the rejections of the outer folds; None if rejection was not requested."""
    if not decisions or decisions[0].least is None:
        return None
    rejected = [outcome.rejected for outcome in outcomes if outcome.rejected is not None]
    return Rejections(
        np.array([decision.least for decision in decisions]),
        np.array([np.nan if o.rejected is None else np.mean(~o.rejected) for o in outcomes]),
        {name: np.array([o.accepted.get(name, np.nan) for o in outcomes]) for name in names},
        np.concatenate([np.empty(0, dtype=bool), *rejected]),
    )
