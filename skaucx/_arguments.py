"""Types of the arguments of public calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.colors import Colormap as Colormap
    from pandas import DataFrame as DataFrame
    from pandas import Series as Series
else:  # which are imported by what draws, and what returns a frame
    Axes = Colormap = DataFrame = Series = Any

Label: TypeAlias = str | bytes | float | np.generic | None
# A metric: its name, a function of the truth and the predictions, or a scorer.
MetricLike: TypeAlias = str | Callable[..., Any]
MetricsLike: TypeAlias = MetricLike | Iterable[MetricLike] | Mapping[str, MetricLike] | None


class Estimator(Protocol):
    """What can be fitted and cloned, as scikit-learn's estimators."""

    def fit(self, *args: Any, **kwargs: Any) -> Any: ...

    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


class Classifier(Protocol):
    """What predicts labels."""

    def predict(self, X: Any) -> Any: ...


class Splitter(Protocol):
    """What splits rows, as scikit-learn's splitters."""

    def split(self, *args: Any, **kwargs: Any) -> Iterable[Any]: ...


Folds = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]] | None


class Shaped(Protocol):
    """Rows and columns, as those of a sparse matrix or a data frame."""

    @property
    def shape(self) -> tuple[int, ...]: ...


Features = ArrayLike | Shaped
# Columns by their names: a data frame, or a dict of arrays.
Columns: TypeAlias = Mapping[str, ArrayLike] | Shaped
