"""Separate searches: one task per outer fold, with their own candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if

from .._types import ErrorScore, Params, Rows, Scorer, Split
from ..decisions._decision import (
    Decided,
    Decision,
    DecisionRule,
    decide_by_folds,
    decide_over,
    score_besides,
)
from ..decisions._winner import FinalModel, Selection, count_wins
from ..execution._dataset import Dataset
from ..execution._failures import failed_fits, warn_of_failures
from ..execution._job import (
    Outcome,
    candidate_model,
    fit_model,
    score_fit,
)
from ..execution._parallel import Job
from ._procedure import Procedure, SearchOutcome


def _model_fits_further(estimator: RowsEstimator) -> bool:
    return hasattr(estimator.model, "partial_fit")


class RowsEstimator:
    """An estimator that fits on row numbers of a dataset; its parameters are those of the model."""

    def __init__(self, model: Any, data: Dataset) -> None:
        self.model, self.data = model, data

    def __sklearn_clone__(self) -> RowsEstimator:
        return RowsEstimator(clone(self.model), self.data)

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
        fit_model(self.model, self.data, self.fitted_on)
        return self

    @available_if(_model_fits_further)  # type: ignore[untyped-decorator]
    def partial_fit(self, rows: Any, y: Any, **options: Any) -> RowsEstimator:
        """Fit the model further, as searches do that give up on a candidate half-way."""
        self.fitted_on = row_numbers(rows)
        fit_model(self.model, self.data, self.fitted_on, method="partial_fit", **options)
        return self


@dataclass(frozen=True, eq=False)
class RowsScorer:
    """Evaluates a fitted :class:`RowsEstimator` by one metric, with weights."""

    scorer: Scorer
    data: Dataset

    def __call__(self, estimator: RowsEstimator, rows: Any, y: Any) -> float:
        """Return the value of the metric on the rows with these numbers."""
        test = row_numbers(rows)
        scores = self.scorer.score(
            estimator.model,
            self.data.features(test, estimator.fitted_on),
            self.data.targets(test),
            sample_weight=self.data.weights(test),
        )
        (score,) = scores.values()
        return score


def row_numbers(rows: Any) -> Rows:
    """Return row numbers that came in a column, as a search wants X."""
    return np.asarray(rows, dtype=np.intp)[:, 0]


@dataclass(frozen=True, eq=False)
class Searched:
    """Result of one search.

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
        The winner fitted on all data, without an outer test part.
    decision : Decision or None
        The decision for the winner, if requested.
    """

    outcome: Outcome
    params: Params | None
    score: float
    record: Mapping[str, Any]
    model: Any = None
    decision: Decision | None = None

    @property
    def complete(self) -> bool:
        """Whether nothing failed."""
        return self.outcome.complete


@dataclass(frozen=True, eq=False)
class Searches:
    """The searches that are to be done."""

    jobs: Sequence[Job]


def found_by_searches(
    procedure: Procedure,
    outer: Sequence[Split],
    inner: Sequence[Sequence[Split]],
    jobs: Sequence[Job],
    done: Sequence[Searched],
) -> SearchOutcome:
    """Put together what the searches of the outer training parts, and of all data, found."""
    folds = done[: len(outer)]
    outcomes = [found.outcome for found in folds]
    warn_of_failures(outcomes, "outer", procedure.error_score)
    candidates, places = distinct([found.params for found in done])
    selections = [
        own_selection(place, found.score, len(candidates), len(splits))
        for place, found, splits in zip(places, folds, inner, strict=False)
    ]
    final = None
    if procedure.final == "search":
        *_, whole = done
        counts = count_wins(selections)
        final = FinalModel.of("search", places[-1], candidates, whole.score, counts, whole.model)
    return SearchOutcome(
        candidates=candidates,
        inner_scores=np.empty((len(outer), len(candidates), 0, 1)),
        selections=[selections],
        outcomes={(i, places[i]): outcome for i, outcome in enumerate(outcomes)},
        final=final,
        failures=tuple(failed_fits(jobs[: len(outer)], outcomes)),
        records=tuple(found.record for found in folds),
        decisions={
            (i, places[i]): found.decision
            for i, found in enumerate(folds)
            if found.decision is not None
        },
    )


def search_jobs(
    procedure: Procedure,
    data: Dataset,
    outer: Sequence[Split],
    inner: Sequence[Sequence[Split]],
) -> list[Job]:
    """Describe the search of each outer training part, and that of all data if it is wanted."""
    common = {
        "search": procedure.search,
        "estimator": procedure.estimator,
        "scorer": procedure.scorer,
        "refit": procedure.refit[0],
        "rule": procedure.decide,
    }
    jobs = []
    for fold, (split, splits) in enumerate(zip(outer, inner, strict=False)):
        arguments = {**common, "split": split, "inner": splits, "keep": procedure.keep}
        arguments["error_score"] = procedure.error_score
        jobs.append(Job("search", {}, search_fold, arguments, data, fold))
    if procedure.final == "search":
        jobs.append(Job("search", {}, search_all, {**common, "inner": inner[-1]}, data))
    return jobs


def search_fold(
    search: Any,
    estimator: Any,
    data: Dataset,
    split: Split,
    inner: Sequence[Split],
    scorer: Scorer,
    refit: str,
    error_score: ErrorScore,
    keep: Sequence[str],
    rule: DecisionRule | None = None,
) -> Searched:
    """Search in an outer training part and score the winner on the test part."""
    choosing = scorer.subset([refit])
    found: list[Any] = []
    made: list[Decided] = []

    def fit() -> Any:
        found.append(_fitted(search, estimator, data, split[0], inner, choosing))
        return found[0].best_estimator_.model

    def decided(rule: DecisionRule) -> Decided:
        plain = fit()
        made.append(_decided(plain, found[0], estimator, data, split[0], inner, choosing, rule))
        return made[0]

    if rule is None:
        outcome = score_fit(fit, data, *split, scorer, error_score, keep=keep)
    else:
        outcome = score_besides(
            partial(decided, rule), data, *split, scorer, error_score, keep=keep
        )
    if not found:
        return Searched(outcome, None, np.nan, {})
    return replace(_searched(found[0], outcome), decision=made[0].decision if made else None)


def search_all(
    search: Any,
    estimator: Any,
    data: Dataset,
    inner: Sequence[Split],
    scorer: Scorer,
    refit: str,
    rule: DecisionRule | None = None,
) -> Searched:
    """Search in all rows and fit the winner on them."""
    every, choosing = np.arange(len(data)), scorer.subset([refit])
    found = _fitted(search, estimator, data, every, inner, choosing)
    model = found.best_estimator_.model
    if rule is not None:
        model = _decided(model, found, estimator, data, every, inner, choosing, rule).shipped()
    return replace(_searched(found, Outcome({})), model=model)


def _decided(
    plain: Any,
    found: Any,
    estimator: Any,
    data: Dataset,
    train: Rows,
    inner: Sequence[Split],
    scorer: Scorer,
    rule: DecisionRule,
) -> Decided:
    """Find the decision for the winner by fitting it again on every inner fold."""
    fresh = partial(candidate_model, estimator, found.best_params_)
    splits = [(train[fit], train[held]) for fit, held in inner]
    decision = decide_by_folds(rule, fresh, data, splits, scorer)
    return decide_over(plain, decision, data, train)


def _fitted(
    search: Any, estimator: Any, data: Dataset, train: Rows, inner: Sequence[Split], scorer: Scorer
) -> Any:
    """Fit a copy of a search on some rows with given splits, choosing by the scorer's metric."""
    options: dict[str, Any] = {
        "estimator": RowsEstimator(clone(estimator), data),
        "scoring": RowsScorer(scorer, data),
        "cv": list(inner),
    }
    copy = clone(search)
    if isinstance(copy.get_params(deep=False).get("refit"), bool | str):
        options["refit"] = True  # the one metric
    return copy.set_params(**options).fit(train[:, None], data.targets(train))


def _searched(search: Any, outcome: Outcome) -> Searched:
    """Read the winner off a fitted search."""
    if not hasattr(search, "best_params_"):
        raise TypeError(
            f"{type(search).__name__} is not a search: after fit it has no best_params_. Give it a "
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

    A failed search has the first candidate.

    Examples
    --------
    >>> from skaucx.model_selection.searches._own_search import distinct
    >>> distinct([{"C": 1}, {"C": 9}, None, {"C": 1}])
    (({'C': 1}, {'C': 9}), [0, 1, 0, 0])
    """
    keys = ["" if params is None else _key(params) for params in given]
    first: dict[str, Params] = {}
    for key, params in zip(keys, given, strict=True):
        if params is not None:
            first.setdefault(key, params)
    order = list(first)
    return tuple(first.values()) or ({},), [order.index(key) if key else 0 for key in keys]


def _key(params: Params) -> str:
    """Return the same text for the same parameters, estimators and arrays among them."""
    try:
        return str(joblib.hash(params))
    except Exception:  # a value that does not pickle is equal to itself only
        return repr(params)


def own_selection(winner: int, score: float, n_candidates: int, n_inner: int) -> Selection:
    """Return the choice of a search that reports its winner only."""
    means = np.full(n_candidates, np.nan)
    means[winner] = score
    dropped = np.full(n_inner, np.isnan(score))
    return Selection(winner, means, dropped, np.zeros(n_candidates, dtype=np.intp))
