"""Types of the arguments of public calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes
    from matplotlib.colors import Colormap as Colormap
    from pandas import DataFrame as DataFrame
else:  # which are imported by what draws, and what returns a frame
    Axes = Colormap = DataFrame = Any

Label: TypeAlias = str | bytes | float | np.generic | None
# A metric: its name, a function of the truth and the predictions, or a scorer.
MetricLike: TypeAlias = str | Callable[..., Any]
MetricsLike: TypeAlias = MetricLike | Iterable[MetricLike] | Mapping[str, MetricLike] | None


# What can be fitted and cloned, predicts labels or splits rows, as scikit-learn's classes do.
Estimator: TypeAlias = Any
Classifier: TypeAlias = Any
Splitter: TypeAlias = Any
Folds: TypeAlias = int | Splitter | Iterable[tuple[ArrayLike, ArrayLike]] | None
# Rows and columns, such as those of a sparse matrix or a data frame.
Features: TypeAlias = ArrayLike | Any
