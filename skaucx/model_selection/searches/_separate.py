"""Separate searches: one task per outer fold, with their own candidates."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if

from .._run_options import Decisions
from .._types import ErrorScore, Params, Rows, Scorer, Split
from ..decisions._decision import READS, Decision, check_decisions
from ..decisions._winner import FinalModel, Selection, count_wins
from ..execution._dataset import Dataset
from ..execution._failures import failed_fits, warn_of_failures
from ..execution._job import Outcome, fit_model, score_candidate, score_fit
from ..execution._out_of_fold import pool
from ..execution._parallel import Job
from ._plan import Found, NestedRun


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
    model : estimator or None
        The winner fitted on all data, without an outer test part.
    """

    outcome: Outcome
    params: Params | None
    score: float
    model: Any = None

    @property
    def complete(self) -> bool:
        """Whether nothing failed."""
        return self.outcome.complete


@dataclass(frozen=True, eq=False)
class Searches:
    """The searches that are to be done."""

    jobs: Sequence[Job]


def found_by_searches(plan: NestedRun, jobs: Sequence[Job], done: Sequence[Searched]) -> Found:
    """Put together what the searches of the outer training parts, and of all data, found."""
    k = len(plan.outer)
    folds = done[:k]
    outcomes = [found.outcome for found in folds]
    warn_of_failures(outcomes, "outer", plan.search.error_score)
    candidates, places = distinct([found.params for found in done])
    selections = [
        own_selection(place, found.score, len(candidates), len(splits))
        for place, found, splits in zip(places, folds, plan.inner, strict=False)
    ]
    final = None
    if plan.final == "search":
        whole, counts = done[-1], count_wins(selections)
        final = FinalModel.of("search", places[-1], candidates, whole.score, counts, whole.model)
    return Found(
        candidates=candidates,
        inner_scores=np.empty((k, len(candidates), 0, 1)),
        selections=[selections],
        outcomes={(i, places[i]): outcome for i, outcome in enumerate(outcomes)},
        final=final,
        failures=tuple(failed_fits(jobs[:k], outcomes)),
        decisions={
            (i, places[i]): outcome.decision
            for i, outcome in enumerate(outcomes)
            if outcome.decision is not None
        },
    )


def search_jobs(plan: NestedRun) -> list[Job]:
    """Describe the search of each outer training part, and that of all data if it is wanted."""
    common = {
        "search": plan.search.own,
        "estimator": plan.search.estimator,
        "scorer": plan.scorer,
        "refit": plan.refit[0],
        "decide": _decider(plan),
    }
    jobs = []
    for fold, (split, splits) in enumerate(zip(plan.outer, plan.inner, strict=False)):
        arguments = {**common, "split": split, "inner": splits, "keep": plan.keep}
        arguments["error_score"] = plan.search.error_score
        jobs.append(Job("search", {}, search_fold, arguments, plan.data, fold))
    if plan.final == "search":
        whole = {**common, "inner": plan.inner[-1]}
        jobs.append(Job("search", {}, search_all, whole, plan.data))
    return jobs


def _decider(plan: NestedRun) -> tuple[Decisions, Any] | None:
    """Return what is decided for the winners, and the positive class."""
    given = plan.decisions
    requested = check_decisions(given, plan.search.estimator, plan.classes, plan.data.y)
    return (given, plan.positive) if requested else None


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
    decide: tuple[Decisions, Any] | None = None,
) -> Searched:
    """Search in an outer training part and score the winner on the test part."""
    choosing = scorer.subset([refit])
    found: list[Any] = []

    def fit() -> tuple[Any, Any]:
        found.append(_fitted(search, estimator, data, split[0], inner, choosing))
        decision = _decision(found[0], estimator, data, split[0], inner, choosing, decide)
        return found[0].best_estimator_.model, decision

    outcome = score_fit(fit, data, *split, scorer, error_score, keep=keep)
    if not found:
        return Searched(outcome, None, np.nan)
    return _searched(found[0], outcome)


def search_all(
    search: Any,
    estimator: Any,
    data: Dataset,
    inner: Sequence[Split],
    scorer: Scorer,
    refit: str,
    decide: tuple[Decisions, Any] | None = None,
) -> Searched:
    """Search in all rows and fit the winner on them."""
    every, choosing = np.arange(len(data)), scorer.subset([refit])
    found = _fitted(search, estimator, data, every, inner, choosing)
    model = found.best_estimator_.model
    decision = _decision(found, estimator, data, every, inner, choosing, decide)
    if decision is not None:
        decided = decision.over(model, data.features(every, every), data.targets(every))
        model = decision.rejecting(decided)
    return replace(_searched(found, Outcome({})), model=model)


def _decision(
    found: Any, estimator: Any, data: Dataset, train: Rows, inner: Sequence[Split], scorer: Scorer,
    decide: tuple[Decisions, Any] | None,
) -> Decision | None:  # fmt: skip
    """Find the decision for the winner by fitting it again on every inner fold."""
    if decide is None:
        return None
    given, positive = decide
    splits = [(train[fit], train[held]) for fit, held in inner]
    outcomes = [
        score_candidate(estimator, found.best_params_, data, *split, scorer, "raise", keep=READS)
        for split in splits
    ]
    return Decision.of(given, pool(data, [test for _, test in splits], outcomes, positive))


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
    score = getattr(search, "best_score_", None)
    if score is None:  # its refit is a function
        score = search.cv_results_["mean_test_score"][search.best_index_]
    return Searched(outcome, dict(search.best_params_), float(score))


def distinct(given: Sequence[Params | None]) -> tuple[tuple[Params, ...], list[int]]:
    """Return distinct parameters in order of appearance, and the place of each among them.

    A failed search has the first candidate.

    Examples
    --------
    >>> from skaucx.model_selection.searches._separate import distinct
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
