"""Candidates that all folds share: every inner fit in one batch, every refit in a second one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .._types import Floats, Params, Scorer, Split
from ..decisions._decision import Decision, DecisionRule
from ..decisions._fits import fit_decided, score_decided, warn_of_infeasible
from ..execution._executor import FitExecutor
from ..execution._failures import FailedFit, failed_fits, warn_of_failures
from ..execution._folds import (
    POOLED,
    Outcome,
    candidate_model,
    failed_outcome,
    fit_model,
    score_candidate,
)
from ..execution._job import Job, Stage
from ..execution._sample import Sample
from ..results._final import FinalModel
from ..results._pool import pool
from ..results._selection import Selection, select, vote
from ._procedure import Decisions, Found, Procedure, Refits


def search_flat(
    procedure: Procedure,
    executor: FitExecutor,
    outer: Sequence[Split],
    inner: Sequence[Sequence[Split]],
) -> Found:
    """Score all candidates on all inner folds, choose, refit the winners and the final model."""
    k = len(outer)
    tables, failed = _inner_fits(procedure, executor, inner, k)
    scores = [table.scores for table in tables]
    selections = [
        [select(one[:, :, metric]) for one in scores] for metric in range(len(procedure.refit))
    ]
    _warn_of_undecided(procedure, selections, k)
    chosen = [by_metric[:k] for by_metric in selections]
    winners = distinct_winners(chosen)
    decisions: Decisions = {}
    choice = _choose_final(procedure, selections[0], scores, k)
    if procedure.decide is not None:
        decisions = {
            (fold, winner): decide(procedure.decide, executor.sample, [tables[fold]], winner)
            for fold, winner in winners
        }
        warn_of_infeasible(decisions)
    outcomes, final, failed_refits = _refits(
        procedure,
        executor,
        outer,
        winners,
        decisions,
        _final_job(procedure, executor, choice, tables, k),
    )
    if choice is not None:
        choice = replace(choice, estimator=final)
    return Found(
        candidates=procedure.candidates,
        inner_scores=_padded(scores[:k]),
        selections=chosen,
        outcomes=outcomes,
        final=choice,
        failures=(*failed, *failed_refits),
        decisions=decisions,
    )


@dataclass(frozen=True, eq=False)
class InnerFits:
    """The inner fits of one search: splits, and outcomes by candidate and inner fold.

    ``scores`` has shape (candidate, inner fold, metric that chooses).
    """

    splits: Sequence[Split]
    outcomes: Sequence[Sequence[Outcome]]
    scores: Floats


def _inner_fits(
    procedure: Procedure, executor: FitExecutor, inner: Sequence[Sequence[Split]], n_outer: int
) -> tuple[list[InnerFits], Iterator[FailedFit]]:
    """Fit and score every candidate on every inner fold of every search, in one batch."""
    scorer = procedure.scorer.subset(list(procedure.refit))
    keep = () if procedure.decide is None else procedure.decide.reads
    jobs = [
        _scoring(
            procedure, scorer, "inner", params, split, search if search < n_outer else None, i,
            keep=keep,
        )
        for search, splits in enumerate(inner)
        for params in procedure.candidates
        for i, split in enumerate(splits)
    ]  # fmt: skip
    outcomes: list[Outcome] = executor.run(jobs, "inner fits")
    warn_of_failures(outcomes, "inner", procedure.error_score, choosing=procedure.refit)
    arrived = iter(outcomes)
    tables = []
    for splits in inner:
        rows = [[next(arrived) for _ in splits] for _ in procedure.candidates]
        scores = [[[o.scores[name] for name in procedure.refit] for o in row] for row in rows]
        tables.append(InnerFits(splits, rows, np.array(scores, dtype=np.float64)))
    return tables, failed_fits(jobs, outcomes)


def distinct_winners(selections: Sequence[Sequence[Selection]]) -> list[tuple[int, int]]:
    """Return every outer fold with each candidate that some metric chose there."""
    return list(
        dict.fromkeys(
            (fold, s.winner) for by_metric in selections for fold, s in enumerate(by_metric)
        )
    )


def decide(
    rule: DecisionRule, sample: Sample, tables: Sequence[InnerFits], candidate: int
) -> Decision:
    """Find calibration and threshold on a candidate's predictions of inner test parts."""
    tests = [test for table in tables for _, test in table.splits]
    outcomes = [outcome for table in tables for outcome in table.outcomes[candidate]]
    return rule.decide(pool(sample, tests, outcomes, rule.positive))


def _scoring(
    procedure: Procedure,
    scorer: Scorer,
    stage: Stage,
    params: Params,
    split: Split,
    outer_fold: int | None,
    inner_fold: int | None = None,
    **options: Any,
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
        **options,
    }
    instead = None
    if procedure.error_score != "raise":
        instead = partial(failed_outcome, names=scorer.names, error_score=procedure.error_score)
    function = score_decided if "decision" in options else score_candidate
    return Job(stage, params, function, arguments, outer_fold, inner_fold, instead)


def _refits(
    procedure: Procedure,
    executor: FitExecutor,
    outer: Sequence[Split],
    winners: Sequence[tuple[int, int]],
    decisions: Decisions,
    final: Job | None,
) -> tuple[Refits, Any, Iterator[FailedFit]]:
    """Score every distinct winner of an outer fold on its test part and fit the final model.

    All in one batch. Predictions are kept of the winners by the first metric, which come first.
    """
    jobs = []
    for place, (fold, winner) in enumerate(winners):
        options: dict[str, Any] = {"keep": POOLED if place < len(outer) else ()}
        if (fold, winner) in decisions:
            options["decision"] = decisions[fold, winner]
        params = procedure.candidates[winner]
        jobs.append(
            _scoring(procedure, procedure.scorer, "outer", params, outer[fold], fold, **options)
        )
    done = executor.run([*jobs, final] if final is not None else jobs, "refits")
    model = None if final is None else done.pop()
    warn_of_failures(done, "outer", procedure.error_score)
    return dict(zip(winners, done, strict=True)), model, failed_fits(jobs, done)


def _final_job(
    procedure: Procedure,
    executor: FitExecutor,
    choice: FinalModel | None,
    tables: Sequence[InnerFits],
    n_outer: int,
) -> Job | None:
    """Describe the fit of the final model, what is laid over it found on all that predicts it.

    By vote these are the inner predictions of all outer folds, by search those of all data.
    """
    if choice is None:
        return None
    arguments = {"model": choice.estimator, "rows": np.arange(len(executor.sample))}
    if procedure.decide is None:
        return Job("final", choice.params, fit_model, arguments)
    used = tables[n_outer:] or tables
    decision = decide(procedure.decide, executor.sample, used, choice.index)
    return Job("final", choice.params, fit_decided, {**arguments, "decision": decision})


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
