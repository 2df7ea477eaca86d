"""Candidates that all folds share: every inner fit in one batch, every refit in a second one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from .._types import Floats, Params, Scorer, Split
from ..execution._executor import FitExecutor
from ..execution._failures import FailedFit, failed_fits, warn_of_failures
from ..execution._folds import (
    Outcome,
    candidate_model,
    failed_outcome,
    fit_model,
    score_candidate,
)
from ..execution._job import Job, Stage
from ..results._final import FinalModel
from ..results._selection import Selection, select, vote
from ._procedure import Found, Procedure, Refits


def search_flat(
    procedure: Procedure,
    executor: FitExecutor,
    outer: Sequence[Split],
    inner: Sequence[Sequence[Split]],
) -> Found:
    """Score all candidates on all inner folds, choose, refit the winners and the final model."""
    k = len(outer)
    scores, failed = _inner_scores(procedure, executor, inner, k)
    selections = [
        [select(table[:, :, metric]) for table in scores] for metric in range(len(procedure.refit))
    ]
    _warn_of_undecided(procedure, selections, k)
    choice = _choose_final(procedure, selections[0], scores, k)
    chosen = [by_metric[:k] for by_metric in selections]
    outcomes, final, failed_refits = _refits(procedure, executor, outer, chosen, choice)
    return Found(
        candidates=procedure.candidates,
        inner_scores=_padded(scores[:k]),
        selections=chosen,
        outcomes=outcomes,
        final=final,
        failures=(*failed, *failed_refits),
    )


def _inner_scores(
    procedure: Procedure, executor: FitExecutor, inner: Sequence[Sequence[Split]], n_outer: int
) -> tuple[list[Floats], Iterator[FailedFit]]:
    """Score every search, shape (candidate, inner fold, refit metric), in one batch."""
    scorer = procedure.scorer.subset(list(procedure.refit))
    jobs = [
        _scoring(procedure, scorer, "inner", params, split, search if search < n_outer else None, i)
        for search, splits in enumerate(inner)
        for params in procedure.candidates
        for i, split in enumerate(splits)
    ]
    outcomes: list[Outcome] = executor.run(jobs, "inner fits")
    warn_of_failures(outcomes, "inner", procedure.error_score, choosing=procedure.refit)
    flat = np.array([[outcome.scores[name] for name in procedure.refit] for outcome in outcomes])
    n_candidates = len(procedure.candidates)
    ends = np.cumsum([n_candidates * len(splits) for splits in inner])
    parts = np.split(flat, ends[:-1])
    tables = [part.reshape(n_candidates, -1, len(procedure.refit)) for part in parts]
    return tables, failed_fits(jobs, outcomes)


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
    instead = None
    if procedure.error_score != "raise":
        instead = partial(failed_outcome, names=scorer.names, error_score=procedure.error_score)
    return Job(stage, params, score_candidate, arguments, outer_fold, inner_fold, instead)


def _refits(
    procedure: Procedure,
    executor: FitExecutor,
    outer: Sequence[Split],
    selections: Sequence[Sequence[Selection]],
    choice: FinalModel | None,
) -> tuple[Refits, FinalModel | None, Iterator[FailedFit]]:
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
    done = executor.run(jobs, "refits")
    final = None if choice is None else replace(choice, estimator=done.pop())
    warn_of_failures(done, "outer", procedure.error_score)
    failures = failed_fits(jobs[: len(done)], done)
    return dict(zip(distinct, done, strict=True)), final, failures


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
                stacklevel=5,
            )


def _padded(scores: Sequence[Floats]) -> Floats:
    """Join scores as (outer fold, candidate, inner fold, metric); shorter ones end in nan."""
    longest = max(table.shape[1] for table in scores)
    n_candidates, _, n_metrics = scores[0].shape
    padded = np.full((len(scores), n_candidates, longest, n_metrics), np.nan)
    for fold, table in enumerate(scores):
        padded[fold, :, : table.shape[1]] = table
    return padded
