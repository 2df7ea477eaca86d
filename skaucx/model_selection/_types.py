"""Aliases, and protocols of the objects that this package is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from ..metrics._scorers.one_pass import OnePassScorer

Floats = NDArray[np.float64]
Rows = NDArray[np.signedinteger[Any]]
Split = tuple[Rows, Rows]
Params = dict[str, Any]
Grid = Mapping[str, Any] | Sequence[Mapping[str, Any]]
Rule = Literal["search", "vote", "mean"]
FinalRule = Rule | None
Checks = Literal["note", "raise"] | None
ErrorScore = float | Literal["raise"]
Scorer = OnePassScorer


class Model(Protocol):
    """A fitted estimator; it need not have all of this."""

    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def predict(self, X: Any) -> NDArray[Any]: ...

    def predict_proba(self, X: Any) -> Floats: ...

    def decision_function(self, X: Any) -> Floats: ...
