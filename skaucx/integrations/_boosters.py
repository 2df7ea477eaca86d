"""Metrics in the signatures that XGBoost, LightGBM and CatBoost call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from ..metrics import get_scorer, named_metric

Floats = NDArray[np.float64]


class Predictions(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A fitted classifier whose probabilities, shape (n, K), are there already.

    Like the classifiers of XGBoost, LightGBM and CatBoost it has no ``decision_function``, so that a
    scorer reads the same of it as of them.
    """

    def __init__(self, classes: NDArray[Any], proba: Floats) -> None:
        self.classes, self.proba = classes, proba

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels, shape (K,)."""
        return self.classes

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the highest probability."""
        return self.classes[self.proba.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities."""
        return self.proba


class RawScoreMetric:
    """A picklable metric of labels coded 0 to K - 1 and the output of a model.

    Parameters
    ----------
    name : str
        A metric or a scorer of this package, with its average.
    classes : sequence of K labels, optional
        The labels of the codes, in order; the codes themselves by default.
    parameters : mapping
        Parameters of the metric.

    Attributes
    ----------
    name : str
        Of the metric, without ``neg_``.
    greater_is_better : bool
    """

    def __init__(
        self, name: str, classes: Sequence[Any] | None, parameters: Mapping[str, Any]
    ) -> None:
        named = named_metric(name)
        self._classes = classes
        self.name = name.removeprefix("neg_")
        self.greater_is_better = named.row.greater_is_better is not False
        self._scorer = get_scorer(named.row.scorer_name, **{**named.parameters, **parameters})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def of_probabilities(
        self, y_true: ArrayLike, proba: ArrayLike, sample_weight: ArrayLike | None
    ) -> float:
        """Return the value for probabilities, those of code 1, shape (n,), or of all, (n, K)."""
        given = np.asarray(
            proba
        )  # kept in single precision, which determines the tolerance for sums of rows
        if given.size and not (given.min() >= 0 and given.max() <= 1):
            raise ValueError(
                f"{self.name} was given scores outside [0, 1]. With a custom objective, which "
                f"gives margins, set raw=True; for many classes let the model predict one "
                f"probability per class, as XGBoost's objective 'multi:softprob' does."
            )
        table = np.column_stack([1 - given, given]) if given.ndim == 1 else given
        return self._value(y_true, table, sample_weight)

    def of_margins(
        self, y_true: ArrayLike, margins: ArrayLike, sample_weight: ArrayLike | None
    ) -> float:
        """Return the value for log-odds of code 1, shape (n,), or a margin a class, (n, K)."""
        given = np.asarray(margins, dtype=np.float64)
        one = given.ndim == 1
        table = np.column_stack([expit(-given), expit(given)]) if one else softmax(given, axis=1)
        return self._value(y_true, table, sample_weight)

    def _value(self, y_true: ArrayLike, proba: Floats, sample_weight: ArrayLike | None) -> float:
        classes = np.arange(proba.shape[1]) if self._classes is None else np.asarray(self._classes)
        if len(classes) != proba.shape[1]:
            raise ValueError(
                f"classes must name the {proba.shape[1]} classes of the scores, found "
                f"{len(classes)}."
            )
        truth = classes[np.asarray(y_true).astype(np.intp)]
        weights = {} if sample_weight is None else {"sample_weight": np.asarray(sample_weight)}
        score = float(self._scorer(Predictions(classes, proba), proba, truth, **weights))
        return score if self.greater_is_better else -score


class XGBoostMetric:
    """A metric as XGBoost calls it; made by :func:`xgboost_metric`."""

    def __init__(self, metric: RawScoreMetric, raw: bool) -> None:
        self._metric, self._raw = metric, raw
        self.__name__ = f"neg_{metric.name}" if metric.greater_is_better else metric.name

    def __call__(self, y_true: Any, y_score: Any, sample_weight: ArrayLike | None = None) -> Any:
        """Return the cost; for scores and a DMatrix, as from ``xgboost.train``, with its name."""
        if not hasattr(y_score, "get_label"):
            return self._cost(y_true, y_score, sample_weight)
        scores, data = y_true, y_score
        weight = data.get_weight()
        cost = self._cost(data.get_label(), scores, weight if len(weight) else None)
        return self.__name__, cost

    def _cost(self, y_true: Any, y_score: Any, sample_weight: ArrayLike | None) -> float:
        value_of = self._metric.of_margins if self._raw else self._metric.of_probabilities
        value = value_of(y_true, y_score, sample_weight)
        return -value if self._metric.greater_is_better else value

    def __repr__(self) -> str:
        return f"xgboost_metric({self._metric.name!r})"


class LightGBMMetric:
    """A metric as LightGBM calls it; made by :func:`lightgbm_metric`."""

    def __init__(self, metric: RawScoreMetric, raw: bool) -> None:
        self._metric, self._raw = metric, raw
        self.__name__ = metric.name

    def __call__(
        self, y_true: Any, y_pred: Any, weight: ArrayLike | None = None
    ) -> tuple[str, float, bool]:
        """Return name, value, and whether higher is better.

        The same for scores and a Dataset, as from ``lightgbm.train``.
        """
        if hasattr(y_pred, "get_label"):
            y_true, y_pred, weight = y_pred.get_label(), y_true, y_pred.get_weight()
        value_of = self._metric.of_margins if self._raw else self._metric.of_probabilities
        value = value_of(y_true, y_pred, weight)
        return self._metric.name, value, self._metric.greater_is_better

    def __repr__(self) -> str:
        return f"lightgbm_metric({self._metric.name!r})"


class CatBoostMetric:
    """A metric as CatBoost calls it; made by :func:`catboost_metric`."""

    def __init__(self, metric: RawScoreMetric) -> None:
        self._metric = metric

    def evaluate(
        self, approxes: Sequence[Any], target: ArrayLike, weight: ArrayLike | None
    ) -> tuple[float, float]:
        """Return the value for margins, a sequence of n of two classes, or of n for each class."""
        margins = np.stack([np.asarray(column) for column in approxes], axis=-1)
        given = margins[:, 0] if margins.shape[1] == 1 else margins
        weights = None if weight is None else np.asarray(weight)
        return self._metric.of_margins(np.asarray(target), given, weights), 1.0

    def get_final_error(self, error: float, weight: float) -> float:
        """Return the value unchanged: a metric of all rows is not a mean over parts."""
        return error

    def is_max_optimal(self) -> bool:
        """Whether higher is better."""
        return self._metric.greater_is_better

    def __reduce__(self) -> Any:
        return _named, (self._metric,)

    def __deepcopy__(self, memo: Any) -> CatBoostMetric:
        """Return itself (immutable): CatBoost classifiers copy their arguments."""
        return self

    def __repr__(self) -> str:
        return f"catboost_metric({self._metric.name!r})"


def _named(metric: RawScoreMetric) -> CatBoostMetric:
    """Return a metric whose class has its name, which CatBoost reports it under."""
    return type(metric.name, (CatBoostMetric,), {})(metric)


def xgboost_metric(
    name: str, *, raw: bool = False, classes: Sequence[Any] | None = None, **parameters: Any
) -> XGBoostMetric:
    """Return a metric as evaluation function of XGBoost.

    Use it in ``XGBClassifier(eval_metric=...)`` and into ``xgboost.train(custom_metric=...)``.

    Parameters
    ----------
    name : str
        A metric of this package with its average, such as "mm7_auc" or "roc_auc_ovr".
    raw : bool, default=False
        Whether the scores are margins, as an objective of your own leaves them, in place of
        probabilities. Margins are turned into probabilities.
    classes : sequence of K labels, optional
        The labels of the codes 0 to K - 1, so that ``pos_label`` and others can name a class; the
        codes by default.
    **parameters
        Parameters of the metric.

    Returns
    -------
    XGBoostMetric
        A callable that pickles. It returns a *cost*: XGBoost's early stopping takes the smaller value
        of an evaluation function as the better one, so a score comes negated and is called
        ``neg_<name>``. The undefined is the worst, plus infinity.

    Raises
    ------
    ValueError
        If no metric has that name; where it is called, if scores that should be probabilities are none.
    TypeError
        If the metric does not take a parameter.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.integrations import xgboost_metric
    >>> metric = xgboost_metric("average_precision")
    >>> metric(np.array([0, 1, 1]), np.array([0.2, 0.6, 0.1]))
    -0.8333333333333333
    >>> metric.__name__
    'neg_average_precision'

    With the library: ``XGBClassifier(eval_metric=metric, early_stopping_rounds=20)``.
    """
    return XGBoostMetric(RawScoreMetric(name, classes, parameters), raw)


def lightgbm_metric(
    name: str, *, raw: bool = False, classes: Sequence[Any] | None = None, **parameters: Any
) -> LightGBMMetric:
    """Return a metric as evaluation function of LightGBM.

    Use it in ``LGBMClassifier().fit(..., eval_metric=...)`` and into ``lightgbm.train(feval=...)``.

    Parameters
    ----------
    name : str
        A metric of this package with its average, such as "mm7_auc" or "roc_auc_ovr".
    raw : bool, default=False
        Whether the scores are margins, as an objective of your own leaves them, in place of
        probabilities. Margins are turned into probabilities.
    classes : sequence of K labels, optional
        The labels of the codes 0 to K - 1, so that ``pos_label`` and others can name a class; the
        codes by default.
    **parameters
        Parameters of the metric.

    Returns
    -------
    LightGBMMetric
        A callable that pickles and returns name, value and whether higher is better. The undefined is
        the worst, infinite value.

    Raises
    ------
    ValueError
        If no metric has that name; where it is called, if scores that should be probabilities are none.
    TypeError
        If the metric does not take a parameter.

    Notes
    -----
    Where LightGBM stops early it looks at every metric, its own loss included; set
    ``LGBMClassifier(metric="None")`` to let this one alone decide.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.integrations import lightgbm_metric
    >>> metric = lightgbm_metric("brier_score")
    >>> metric(np.array([0, 1, 1]), np.array([0.2, 0.6, 0.1]))
    ('brier_score', 0.33666666666666667, False)
    """
    return LightGBMMetric(RawScoreMetric(name, classes, parameters), raw)


def catboost_metric(
    name: str, *, classes: Sequence[Any] | None = None, **parameters: Any
) -> CatBoostMetric:
    """Return a metric as evaluation object of CatBoost.

    Use it in ``CatBoostClassifier(eval_metric=...)``.

    Parameters
    ----------
    name : str
        A metric of this package with its average, such as "mm7_auc" or "roc_auc_ovr".
    classes : sequence of K labels, optional
        The labels of the codes 0 to K - 1, so that ``pos_label`` and others can name a class; the
        codes by default.
    **parameters
        Parameters of the metric.

    Returns
    -------
    CatBoostMetric
        An object with ``evaluate``, ``get_final_error`` and ``is_max_optimal``, that pickles.
        CatBoost passes margins, which are mapped to probabilities as in the losses "Logloss" and
        "MultiClass".

    Raises
    ------
    ValueError
        If no metric has that name.
    TypeError
        If the metric does not take a parameter.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.integrations import catboost_metric
    >>> metric = catboost_metric("roc_auc")
    >>> metric.evaluate([np.array([-1.0, 2.0, -3.0])], np.array([0.0, 1.0, 1.0]), None)
    (0.5, 1.0)
    >>> metric.is_max_optimal()
    True
    """
    return _named(RawScoreMetric(name, classes, parameters))
