"""What a library hands to its evaluation functions, judged by a metric of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from ..metrics import get_scorer
from ..metrics._registry.names import named_metric

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
    """A metric of labels coded 0 to K - 1 and what a model puts out; it pickles.

    Parameters
    ----------
    name : str
        A metric or a scorer of this package, with its average.
    classes : sequence of K labels, optional
        What the codes stand for, in order; themselves by default.
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
        )  # of single precision as it is, which says how far rows may miss one
        if given.size and not (given.min() >= 0 and given.max() <= 1):
            raise ValueError(
                f"{self.name} was given scores outside [0, 1]. Of an objective of your own, which "
                "leaves margins, say raw=True; of many classes let the model predict a probability "
                "a class, as XGBoost's objective 'multi:softprob' does."
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
