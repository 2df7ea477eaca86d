"""Searches that run by themselves: one task an outer fold.

A search is handed row numbers in place of rows, and an estimator and a scorer that look the rows
up. So weights reach its fits and its scores, and groups its folds, whatever the search passes on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if

from ._folds import Outcome, Sample, fit_model, score_fit
from ._selection import Selection
from ._types import ErrorScore, Params, Rows, Scorer, Split


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


@dataclass(frozen=True, eq=False)
class Searched:
    """What one search brings home.

    Attributes
    ----------
    outcome : Outcome
        Of the winner on the outer test part.
    params : dict or None
        Of the winner; None if the search failed.
    score : float
        The winner's inner score; nan if the search failed.
    record : dict
        ``cv_results_`` without its columns of single parameters, where the search has them.
    model : estimator or None
        The winner fitted on all data, where there is no outer test part.
    """

    outcome: Outcome
    params: Params | None
    score: float
    record: Mapping[str, Any]
    model: Any = None


def search_fold(
    search: Any,
    estimator: Any,
    sample: Sample,
    split: Split,
    inner: Sequence[Split],
    scorer: Scorer,
    refit: str,
    error_score: ErrorScore,
) -> Searched:
    """Search in an outer training part and score the winner on the test part."""
    choosing = scorer.subset([refit])
    found: list[Any] = []

    def fit() -> Any:
        found.append(_fitted(search, estimator, sample, split[0], inner, choosing))
        return found[0].best_estimator_.model

    outcome = score_fit(fit, sample, *split, scorer, error_score, keep=True)
    return _searched(found[0], outcome) if found else Searched(outcome, None, np.nan, {})


def search_all(
    search: Any, estimator: Any, sample: Sample, inner: Sequence[Split], scorer: Scorer, refit: str
) -> Searched:
    """Search in all rows and bring the winner home."""
    every = np.arange(len(sample))
    found = _fitted(search, estimator, sample, every, inner, scorer.subset([refit]))
    return replace(_searched(found, Outcome({})), model=found.best_estimator_.model)


def _fitted(
    search: Any, estimator: Any, sample: Sample, train: Rows, inner: Sequence[Split], scorer: Scorer
) -> Any:
    """Fit a copy of a search on some rows, split as told, choosing by the scorer's one metric."""
    options: dict[str, Any] = {
        "estimator": RowsEstimator(clone(estimator), sample),
        "scoring": RowsScorer(scorer, sample),
        "cv": list(inner),
    }
    copy = clone(search)
    if isinstance(copy.get_params(deep=False).get("refit"), bool | str):
        options["refit"] = True  # the one metric
    return copy.set_params(**options).fit(train[:, None], sample.targets(train))


def _searched(search: Any, outcome: Outcome) -> Searched:
    """Read the winner off a fitted search."""
    if not hasattr(search, "best_params_"):
        raise TypeError(
            f"{type(search).__name__} is no search: fitted, it has no best_params_. Give it a "
            "param_grid, {} for none."
        )
    table = getattr(search, "cv_results_", {})
    record = {key: values for key, values in table.items() if not key.startswith("param_")}
    score = getattr(search, "best_score_", None)
    if score is None:  # its refit is a function
        score = table["mean_test_score"][search.best_index_]
    return Searched(outcome, dict(search.best_params_), float(score), record)


def distinct(given: Sequence[Params | None]) -> tuple[tuple[Params, ...], list[int]]:
    """Return distinct parameters in order of appearance, and the place of each among them.

    What a failed search lacks stands at the first place.

    Examples
    --------
    >>> from skaucx.model_selection._own_search import distinct
    >>> distinct([{"C": 1}, {"C": 9}, None, {"C": 1}])
    (({'C': 1}, {'C': 9}), [0, 1, 0, 0])
    """
    first: dict[str, Params] = {}
    for params in given:
        if params is not None:
            first.setdefault(joblib.hash(params), params)
    places = {key: place for place, key in enumerate(first)}
    return tuple(first.values()) or ({},), [
        0 if params is None else places[joblib.hash(params)] for params in given
    ]


def own_selection(winner: int, score: float, n_candidates: int, n_inner: int) -> Selection:
    """Tell the choice of a search of which nothing but its winner is known."""
    means = np.full(n_candidates, np.nan)
    means[winner] = score
    dropped = np.full(n_inner, np.isnan(score))
    return Selection(winner, means, dropped, np.zeros(n_candidates, dtype=np.intp))
