"""The run of a nested cross-validation: all inner fits, the choices, all refits."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from ._execution import FitExecutor, Job, Stage
from ._final import FinalModel
from ._folds import (
    Outcome,
    Sample,
    candidate_model,
    fit_model,
    score_candidate,
    warn_of_failures,
)
from ._own_search import Searched, distinct, own_selection, search_all, search_fold
from ._pool import pool
from ._pooled import pooled_scores
from ._result import NestedCVResult
from ._selection import Selection, count_wins, select, vote
from ._tuning import TuningMatrix
from ._types import ErrorScore, Floats, Params, Rule, Scorer, Split

# The outcome of every distinct winner, by outer fold and candidate.
Refits = Mapping[tuple[int, int], Outcome]


@dataclass(frozen=True, eq=False)
class Procedure:
    """Everything that a run needs beside the data; ``parallel`` are arguments of joblib.

    ``search`` is None, or a search that runs by itself and finds candidates of its own.
    """

    estimator: Any
    candidates: tuple[Params, ...]
    search: Any
    scorer: Scorer
    refit: tuple[str, ...]
    outer_cv: Any
    inner_cv: Any
    final: Rule | None
    error_score: ErrorScore
    parallel: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Found:
    """What the searches chose and how it did: k outer folds, C candidates, R metrics that choose.

    ``records`` holds the table of every search that ran by itself.
    """

    candidates: tuple[Params, ...]
    inner_scores: Floats
    selections: Sequence[Sequence[Selection]]
    outcomes: Refits
    final: FinalModel | None
    records: tuple[Mapping[str, Any], ...] = ()


def run(procedure: Procedure, sample: Sample) -> NestedCVResult:
    """Search inside every outer fold, then refit the winners and score them outside."""
    outer, inner = _splits(procedure, sample)
    with FitExecutor(sample, **procedure.parallel) as executor:
        search = _search_flat if procedure.search is None else _search_by_themselves
        found = search(procedure, executor, outer, inner)
    selections = found.selections[0]
    reported = [found.outcomes[fold, s.winner] for fold, s in enumerate(selections)]
    predictions = pool(sample, [test for _, test in outer], reported)
    return NestedCVResult(
        test_scores={
            name: np.array([outcome.scores[name] for outcome in reported])
            for name in procedure.scorer.names
        },
        candidates=found.candidates,
        refit=procedure.refit,
        inner_scores=found.inner_scores,
        n_inner=tuple(len(splits) for splits in inner[: len(outer)]),
        selections=tuple(selections),
        tuning_matrix=_tuning_matrix(procedure, found),
        predictions=predictions,
        pooled=pooled_scores(
            procedure.scorer,
            predictions,
            sample.weights(predictions.row),
            get_tags(procedure.estimator),
        ),
        n_train=np.array([len(train) for train, _ in outer]),
        n_test=np.array([len(test) for _, test in outer]),
        final=found.final,
        n_samples=len(sample),
        searches=found.records,
    )


def _splits(
    procedure: Procedure, sample: Sample
) -> tuple[Sequence[Split], Sequence[Sequence[Split]]]:
    """Split outside, and inside of each training part and of all data if they are searched.

    A search that runs by itself sees its training part only, so its splits are positions in that.
    """
    every = np.arange(len(sample))
    outer = sample.split(procedure.outer_cv, every)
    trains = [train for train, _ in outer] + [every] * (procedure.final == "search")
    split = sample.split if procedure.search is None else sample.split_within
    return outer, [split(procedure.inner_cv, train) for train in trains]


def _search_flat(
    procedure: Procedure,
    executor: FitExecutor,
    outer: Sequence[Split],
    inner: Sequence[Sequence[Split]],
) -> Found:
    """Score all candidates on all inner folds in one batch, choose, refit in a second batch."""
    k = len(outer)
    scores = _inner_scores(procedure, executor, inner, k)
    selections = [
        [select(table[:, :, metric]) for table in scores] for metric in range(len(procedure.refit))
    ]
    _warn_of_undecided(procedure, selections, k)
    choice = _choose_final(procedure, selections[0], scores, k)
    chosen = [by_metric[:k] for by_metric in selections]
    outcomes, final = _refits(procedure, executor, outer, chosen, choice)
    return Found(procedure.candidates, _padded(scores[:k]), chosen, outcomes, final)


def _search_by_themselves(
    procedure: Procedure,
    executor: FitExecutor,
    outer: Sequence[Split],
    inner: Sequence[Sequence[Split]],
) -> Found:
    """Let every search find candidates of its own, a task an outer fold and one for all data."""
    done: list[Searched] = executor.run(_searches(procedure, outer, inner))
    folds = done[: len(outer)]
    warn_of_failures([found.outcome for found in folds], "outer", procedure.error_score)
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
    return Found(
        candidates=candidates,
        inner_scores=np.empty((len(outer), len(candidates), 0, 1)),
        selections=[selections],
        outcomes={(i, places[i]): found.outcome for i, found in enumerate(folds)},
        final=final,
        records=tuple(found.record for found in folds),
    )


def _searches(
    procedure: Procedure, outer: Sequence[Split], inner: Sequence[Sequence[Split]]
) -> list[Job]:
    """Describe the search of each outer training part, and that of all data if it is wanted."""
    common = {
        "search": procedure.search,
        "estimator": procedure.estimator,
        "scorer": procedure.scorer,
        "refit": procedure.refit[0],
    }
    jobs = [
        Job(
            "outer",
            {},
            search_fold,
            {**common, "split": split, "inner": splits, "error_score": procedure.error_score},
            fold,
        )
        for fold, (split, splits) in enumerate(zip(outer, inner, strict=False))
    ]
    if procedure.final == "search":
        jobs.append(Job("final", {}, search_all, {**common, "inner": inner[-1]}))
    return jobs


def _inner_scores(
    procedure: Procedure, executor: FitExecutor, inner: Sequence[Sequence[Split]], n_outer: int
) -> list[Floats]:
    """Score every search, shape (candidate, inner fold, refit metric), in one batch."""
    scorer = procedure.scorer.subset(list(procedure.refit))
    jobs = [
        _scoring(procedure, scorer, "inner", params, split, search if search < n_outer else None, i)
        for search, splits in enumerate(inner)
        for params in procedure.candidates
        for i, split in enumerate(splits)
    ]
    outcomes: list[Outcome] = executor.run(jobs)
    warn_of_failures(outcomes, "inner", procedure.error_score)
    flat = np.array([[outcome.scores[name] for name in procedure.refit] for outcome in outcomes])
    n_candidates = len(procedure.candidates)
    ends = np.cumsum([n_candidates * len(splits) for splits in inner])
    parts = np.split(flat, ends[:-1])
    return [part.reshape(n_candidates, -1, len(procedure.refit)) for part in parts]


def _scoring(
    procedure: Procedure,
    scorer: Scorer,
    stage: Stage,
    params: Params,
    split: Split,
    outer_fold: int | None,
    inner_fold: int | None = None,
    *,
    keep: bool = False,
) -> Job:
    """Describe the fit of a candidate on one part of a split and its scores on the other."""
    train, test = split
    arguments = {
        "estimator": procedure.estimator,
        "params": params,
        "train": train,
        "test": test,
        "scorer": scorer,
        "error_score": procedure.error_score,
        "keep": keep,
    }
    return Job(stage, params, score_candidate, arguments, outer_fold, inner_fold)


def _refits(
    procedure: Procedure,
    executor: FitExecutor,
    outer: Sequence[Split],
    selections: Sequence[Sequence[Selection]],
    choice: FinalModel | None,
) -> tuple[Refits, FinalModel | None]:
    """Score every distinct winner of an outer fold on its test part and fit the final model.

    All in one batch. Predictions are kept of the winners by the first metric.
    """
    winners = [
        (fold, by_metric[fold].winner) for by_metric in selections for fold in range(len(outer))
    ]
    distinct = list(dict.fromkeys(winners))
    jobs = [
        _scoring(
            procedure,
            procedure.scorer,
            "outer",
            procedure.candidates[winner],
            outer[fold],
            fold,
            keep=winner == selections[0][fold].winner,
        )
        for fold, winner in distinct
    ]
    if choice is not None:
        arguments = {"model": choice.estimator, "rows": np.arange(len(executor.sample))}
        jobs.append(Job("final", choice.params, fit_model, arguments))
    done = executor.run(jobs)
    final = None if choice is None else replace(choice, estimator=done.pop())
    warn_of_failures(done, "outer", procedure.error_score)
    return dict(zip(distinct, done, strict=True)), final


def _tuning_matrix(procedure: Procedure, found: Found) -> TuningMatrix:
    """Arrange the outer scores by the metric that chose and the metric reported on."""
    names, rows = procedure.scorer.names, found.selections
    scores = [
        [[found.outcomes[i, s.winner].scores[name] for i, s in enumerate(row)] for name in names]
        for row in rows
    ]
    return TuningMatrix(
        tuned_on=procedure.refit,
        reported_on=names,
        scores=np.array(scores, dtype=np.float64),
        winners=np.array([[s.winner for s in row] for row in rows], dtype=np.intp),
        inner_means=np.array([[s.means[s.winner] for s in row] for row in rows]),
        candidates=found.candidates,
    )


def _choose_final(
    procedure: Procedure, selections: Sequence[Selection], scores: Sequence[Floats], n_outer: int
) -> FinalModel | None:
    """Choose the final model, still to be fitted, by vote or by the search on all data."""
    if procedure.final is None:
        return None
    ballot = vote(selections[:n_outer], [table[:, :, 0] for table in scores[:n_outer]])
    elected, means = ballot.winner, ballot.means
    if procedure.final == "search":
        elected, means = selections[-1].winner, selections[-1].means
    model = candidate_model(procedure.estimator, procedure.candidates[elected])
    return FinalModel.of(
        procedure.final, elected, procedure.candidates, means[elected], ballot.counts, model
    )


def _warn_of_undecided(
    procedure: Procedure, selections: Sequence[Sequence[Selection]], n_outer: int
) -> None:
    for name, by_metric in zip(procedure.refit, selections, strict=True):
        undecided = [i for i, selection in enumerate(by_metric) if not selection.decided]
        if undecided:
            at = [f"outer fold {i}" if i < n_outer else "the search on all data" for i in undecided]
            warnings.warn(
                f"{name!r} is undefined for every candidate on every inner fold of "
                f"{', '.join(at)}; the first candidate, {procedure.candidates[0]}, was taken "
                "there. Larger inner folds or another refit metric would leave something to "
                "choose by.",
                UserWarning,
                stacklevel=4,
            )


def _padded(scores: Sequence[Floats]) -> Floats:
    """Join scores as (outer fold, candidate, inner fold, metric); shorter ones end in nan."""
    longest = max(table.shape[1] for table in scores)
    n_candidates, _, n_metrics = scores[0].shape
    padded = np.full((len(scores), n_candidates, longest, n_metrics), np.nan)
    for fold, table in enumerate(scores):
        padded[fold, :, : table.shape[1]] = table
    return padded
