"""An estimator and a scorer that take row numbers in place of rows.

A search that is handed these passes on numbers only. So weights reach its fits and its scores,
whatever it does with them itself, and nothing is copied before a fit needs it.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if

from .._types import Params, Rows, Scorer
from ..execution._folds import fit_model
from ..execution._sample import Sample


def _model_fits_further(estimator: RowsEstimator) -> bool:
    return hasattr(estimator.model, "partial_fit")


class RowsEstimator:
    """An estimator that fits on row numbers of a sample; its parameters are those of the model."""

    def __init__(self, model: Any, sample: Sample) -> None:
        self.model, self.sample = model, sample

    def __sklearn_clone__(self) -> RowsEstimator:
        return RowsEstimator(clone(self.model), self.sample)

    def __sklearn_tags__(self) -> Tags:
        tags = deepcopy(get_tags(self.model))
        tags.input_tags.pairwise = False  # row numbers are cut along one axis
        return tags

    def get_params(self, deep: bool = True) -> Params:
        """Return the parameters of the model."""
        return self.model.get_params(deep)

    def set_params(self, **params: Any) -> RowsEstimator:
        """Set parameters of the model."""
        self.model.set_params(**params)
        return self

    def fit(self, rows: Any, y: Any) -> RowsEstimator:
        """Fit the model on the rows with these numbers, weights included."""
        self.fitted_on = row_numbers(rows)
        fit_model(self.model, self.sample, self.fitted_on)
        return self

    @available_if(_model_fits_further)  # type: ignore[untyped-decorator]
    def partial_fit(self, rows: Any, y: Any, **options: Any) -> RowsEstimator:
        """Fit the model further, as searches do that give up on a candidate half-way."""
        self.fitted_on = row_numbers(rows)
        fit_model(self.model, self.sample, self.fitted_on, method="partial_fit", **options)
        return self


@dataclass(frozen=True, eq=False)
class RowsScorer:
    """Judges a fitted :class:`RowsEstimator` by one metric, weights included."""

    scorer: Scorer
    sample: Sample

    def __call__(self, estimator: RowsEstimator, rows: Any, y: Any) -> float:
        """Return the value of the metric on the rows with these numbers."""
        test = row_numbers(rows)
        scores = self.scorer.score(
            estimator.model,
            self.sample.features(test, estimator.fitted_on),
            self.sample.targets(test),
            sample_weight=self.sample.weights(test),
        )
        (score,) = scores.values()
        return score


def row_numbers(rows: Any) -> Rows:
    """Return row numbers that came in a column, as a search wants X."""
    return np.asarray(rows, dtype=np.intp)[:, 0]
