"""Aliases, and protocols of the objects that this package is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ..metrics._scorers.one_pass import OnePassScorer
else:  # which is imported by the first run; fields of results are read back by their types
    OnePassScorer = Any

Floats = NDArray[np.float64]
Rows = NDArray[np.signedinteger[Any]]
Split = tuple[Rows, Rows]
Params = dict[str, Any]
Grid = Mapping[str, Any] | Sequence[Mapping[str, Any]]
Rule = Literal["search", "vote", "mean"]
FinalRule = Rule | None
Checks = Literal["note", "raise"] | None
ErrorScore = float | Literal["raise"]
Scorer: TypeAlias = OnePassScorer
Label = str | bytes | float | np.generic | None
RandomState = int | np.random.RandomState | None
# A metric: its name, a function of the truth and the predictions, or a scorer.
MetricLike = str | Callable[..., Any]
Scoring: TypeAlias = (
    MetricLike | OnePassScorer | Sequence[MetricLike] | Mapping[str, MetricLike] | None
)
# What chooses: a metric, a metric within limits, a rule of a table like ``cv_results_``.
Chooser = str | Mapping[str, Mapping[str, Any]] | Callable[[Mapping[str, Any]], int]
Refit = Chooser | Sequence[Chooser] | None


class Estimator(Protocol):
    """What can be fitted and cloned, as scikit-learn's estimators."""

    def fit(self, *args: Any, **kwargs: Any) -> Any: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


class Splitter(Protocol):
    """What splits rows, as scikit-learn's splitters."""

    def split(self, *args: Any, **kwargs: Any) -> Iterable[Any]: ...


Folds = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]] | None


class Shaped(Protocol):
    """Rows and columns, as those of a sparse matrix or a data frame."""

    @property
    def shape(self) -> tuple[int, ...]: ...


Features = ArrayLike | Shaped
# One column a row of X, or several by their names.
ByRow: TypeAlias = "ArrayLike | Mapping[str, ArrayLike] | Shaped | None"


class Model(Protocol):
    """A fitted estimator; it need not have all of this."""

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]: ...

    def predict_proba(self, X: Any) -> Floats: ...

    def decision_function(self, X: Any) -> Floats: ...
