"""Separate searches: one task per outer fold, with their own candidates."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from typing import Any

import joblib
import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags

from .._run_options import Decisions
from .._types import ErrorScore, Params, Rows, Scorer, Split
from ..decisions._decision import READS, Decision
from ..decisions._winner import FinalModel, Selection, count_wins
from ..execution._dataset import Dataset
from ..execution._failures import failed_fits, warn_of_failures
from ..execution._job import Outcome, decided, fit_model, score_candidate, score_fit
from ..execution._out_of_fold import pool
from ..execution._parallel import Job
from ._plan import Found, NestedRun


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


def score_rows(scorer: Scorer, data: Dataset, estimator: RowsEstimator, rows: Any, y: Any) -> float:
    """Return the value of one metric of a fitted model on the rows with these numbers, with weights."""
    test = row_numbers(rows)
    scores = scorer.score(
        estimator.model,
        data.features(test, estimator.fitted_on),
        data.targets(test),
        sample_weight=data.weights(test),
    )
    (score,) = scores.values()
    return score


def row_numbers(rows: Any) -> Rows:
    """Return row numbers that came in a column, as a search wants X."""
    return np.asarray(rows, dtype=np.intp)[:, 0]


def search_jobs(plan: NestedRun) -> list[Job]:
    """Describe the search of each outer training part, and that of all data if it is wanted."""
    parts: list[tuple[Rows, Rows | None]] = [*plan.outer, (np.arange(len(plan.data)), None)]
    jobs = []
    for fold, ((train, test), inner) in enumerate(zip(parts, plan.inner, strict=False)):
        arguments = {
            "search": plan.search.own,
            "estimator": plan.search.estimator,
            "data": plan.data,
            "train": train,
            "test": test,
            "inner": inner,
            "scorer": plan.scorer,
            "refit": plan.refit[0],
            "error_score": plan.search.error_score,
            "keep": plan.keep,
            "decisions": plan.decisions if plan.decides else None,
            "positive": plan.positive,
        }
        jobs.append(Job("search", {}, search_and_score, arguments, None if test is None else fold))
    return jobs


def search_and_score(
    search: Any,
    estimator: Any,
    data: Dataset,
    train: Rows,
    test: Rows | None,
    inner: Sequence[Split],
    scorer: Scorer,
    refit: str,
    error_score: ErrorScore,
    keep: Sequence[str],
    decisions: Decisions | None,
    positive: Any,
) -> Outcome:
    """Search in some rows and score the winner on others; without these return the winner."""
    choosing = scorer.subset([refit])
    own = clone(search)
    own.set_params(estimator=RowsEstimator(clone(estimator), data), cv=list(inner))
    own.set_params(scoring=partial(score_rows, choosing, data))
    if isinstance(own.get_params(deep=False).get("refit"), bool | str):
        own.set_params(refit=True)  # the one metric

    def fit() -> tuple[Any, Any]:
        own.fit(train[:, None], data.targets(train))
        if decisions is None:
            return own.best_estimator_.model, None
        tests = [train[held] for _, held in inner]
        outcomes = [
            score_candidate(
                estimator, own.best_params_, data, train[fitted], train[held], choosing, "raise",
                keep=READS,
            )
            for fitted, held in inner
        ]  # fmt: skip
        found = Decision.of(decisions, pool(data, tests, outcomes, positive))
        return own.best_estimator_.model, found

    if test is None:
        outcome = Outcome({}, model=decided(*fit(), data, train))
    else:
        outcome = score_fit(fit, data, train, test, scorer, error_score, keep=keep)
    if not hasattr(own, "best_params_"):  # it failed
        return outcome
    score = getattr(own, "best_score_", None)
    if score is None:  # its refit is a function
        score = own.cv_results_["mean_test_score"][own.best_index_]
    return replace(outcome, params=dict(own.best_params_), inner_mean=float(score))


def found_by_searches(plan: NestedRun, found: Found, done: Sequence[Outcome]) -> Found:
    """Put together what the searches of the outer training parts, and of all data, found."""
    k = len(plan.outer)
    outcomes = done[:k]
    warn_of_failures(outcomes, "outer", plan.search.error_score)
    candidates, places = distinct([outcome.params for outcome in done])
    selections = [
        own_selection(place, outcome.inner_mean, len(candidates), len(splits))
        for place, outcome, splits in zip(places, outcomes, plan.inner, strict=False)
    ]
    final = None
    if plan.final == "search":
        whole, counts = done[-1], count_wins(selections)
        final = FinalModel.of(
            "search", places[-1], candidates, whole.inner_mean, counts, whole.model
        )
    winners = {(fold, places[fold]): outcome for fold, outcome in enumerate(outcomes)}
    return replace(
        found,
        candidates=candidates,
        inner_scores=np.empty((k, len(candidates), 0, 1)),
        selections=[selections],
        outcomes=winners,
        final=final,
        failures=tuple(failed_fits(found.jobs[:k], outcomes)),
        decisions={key: one.decision for key, one in winners.items() if one.decision is not None},
    )


def distinct(given: Sequence[Params | None]) -> tuple[tuple[Params, ...], list[int]]:
    """Return distinct parameters in order of appearance, and the place of each among them.

    A failed search has the first candidate.

    Examples
    --------
    >>> from skaucx.model_selection.searches._separate import distinct
    >>> distinct([{"C": 1}, {"C": 9}, None, {"C": 1}])
    (({'C': 1}, {'C': 9}), [0, 1, 0, 0])
    """
    keys = [None if params is None else joblib.hash(params) for params in given]
    first = {key: params for key, params in zip(keys, given, strict=True) if params is not None}
    order = list(first)
    return tuple(first.values()) or ({},), [order.index(key) if key else 0 for key in keys]


def own_selection(winner: int, score: float, n_candidates: int, n_inner: int) -> Selection:
    """Return the choice of a search that reports its winner only."""
    means = np.full(n_candidates, np.nan)
    means[winner] = score
    dropped = np.full(n_inner, np.isnan(score))
    return Selection(winner, means, dropped, np.zeros(n_candidates, dtype=np.intp))
