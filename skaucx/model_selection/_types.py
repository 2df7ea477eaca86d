"""Aliases, and protocols of the objects that this package is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .._arguments import Estimator as Estimator
from .._arguments import Features as Features
from .._arguments import Folds as Folds
from .._arguments import Label as Label
from .._arguments import MetricLike as MetricLike
from .._arguments import Splitter as Splitter

if TYPE_CHECKING:
    from ..metrics._scorers.one_pass import OnePassScorer
else:  # which is imported by the first run; fields of results are read back by their types
    OnePassScorer = Any

Floats = NDArray[np.float64]
Rows = NDArray[np.signedinteger[Any]]
Split = tuple[Rows, Rows]
Params = dict[str, Any]
Grid = Mapping[str, Any] | Sequence[Mapping[str, Any]]
FinalRule = Literal["search", "vote"] | None
ErrorScore = float | Literal["raise"]
Scorer: TypeAlias = OnePassScorer
RandomState = int | np.random.RandomState | None
Scoring: TypeAlias = (
    MetricLike | OnePassScorer | Sequence[MetricLike] | Mapping[str, MetricLike] | None
)
# What chooses: a metric, a metric within limits, a rule of a table like ``cv_results_``.
Chooser = str | Mapping[str, Mapping[str, Any]] | Callable[[Mapping[str, Any]], int]
Refit = Chooser | Sequence[Chooser] | None
# A fitted estimator.
Model: TypeAlias = Any
