"""The run of a nested cross-validation: all inner fits, the choices, all refits."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from ._execution import FitExecutor
from ._failures import FailedFit, failed_fits
from ._final import FinalModel
from ._folds import (
    Outcome,
    Sample,
    candidate_model,
    failed_outcome,
    fit_model,
    score_candidate,
    warn_of_failures,
)
from ._job import Job, Stage
from ._pool import pool
from ._pooled import pooled_scores
from ._progress import Watcher
from ._result import NestedCVResult
from ._selection import Selection, select, vote
from ._tuning import TuningMatrix
from ._types import ErrorScore, FinalRule, Floats, Params, Scorer, Split

# The outcome of every distinct winner, by outer fold and candidate.
Refits = Mapping[tuple[int, int], Outcome]


@dataclass(frozen=True, eq=False)
class Procedure:
    """Everything that a run needs beside the data; ``execution`` are arguments of FitExecutor."""

    estimator: Any
    candidates: tuple[Params, ...]
    scorer: Scorer
    refit: tuple[str, ...]
    outer_cv: Any
    inner_cv: Any
    final: FinalRule
    error_score: ErrorScore
    execution: Mapping[str, Any]


def run(procedure: Procedure, sample: Sample, watchers: Sequence[Watcher] = ()) -> NestedCVResult:
    """Search inside every outer fold, then refit the winners and score them outside."""
    outer, inner = _splits(procedure, sample)
    k = len(outer)
    with FitExecutor(sample, watchers=watchers, **procedure.execution) as executor:
        scores, failures = _inner_scores(procedure, executor, inner, k)
        selections = [
            [select(table[:, :, metric]) for table in scores]
            for metric in range(len(procedure.refit))
        ]
        _warn_of_undecided(procedure, selections, k)
        choice = _choose_final(procedure, selections[0], scores, k)
        chosen = [by_metric[:k] for by_metric in selections]
        outcomes, final, failed_refits = _refits(procedure, executor, outer, chosen, choice)
    reported = [outcomes[fold, chosen[0][fold].winner] for fold in range(k)]
    predictions = pool(sample, [test for _, test in outer], reported)
    return NestedCVResult(
        test_scores={
            name: np.array([outcome.scores[name] for outcome in reported])
            for name in procedure.scorer.names
        },
        candidates=procedure.candidates,
        refit=procedure.refit,
        inner_scores=_padded(scores[:k]),
        n_inner=tuple(len(splits) for splits in inner[:k]),
        selections=tuple(chosen[0]),
        tuning_matrix=_tuning_matrix(procedure, chosen, outcomes),
        predictions=predictions,
        pooled=pooled_scores(
            procedure.scorer,
            predictions,
            sample.weights(predictions.row),
            get_tags(procedure.estimator),
        ),
        n_train=np.array([len(train) for train, _ in outer]),
        n_test=np.array([len(test) for _, test in outer]),
        final=final,
        n_samples=len(sample),
        failures=(*failures, *failed_refits),
    )


def _splits(
    procedure: Procedure, sample: Sample
) -> tuple[Sequence[Split], Sequence[Sequence[Split]]]:
    """Split outside, and inside of each training part and of all data if they are searched."""
    every = np.arange(len(sample))
    outer = sample.split(procedure.outer_cv, every)
    trains = [train for train, _ in outer] + [every] * (procedure.final == "search")
    return outer, [sample.split(procedure.inner_cv, train) for train in trains]


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
    warn_of_failures(outcomes, "inner", procedure.error_score)
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


def _tuning_matrix(
    procedure: Procedure, selections: Sequence[Sequence[Selection]], outcomes: Refits
) -> TuningMatrix:
    """Arrange the outer scores by the metric that chose and the metric reported on."""
    names = procedure.scorer.names
    scores = [
        [[outcomes[fold, s.winner].scores[name] for fold, s in enumerate(row)] for name in names]
        for row in selections
    ]
    return TuningMatrix(
        tuned_on=procedure.refit,
        reported_on=names,
        scores=np.array(scores, dtype=np.float64),
        winners=np.array([[s.winner for s in row] for row in selections], dtype=np.intp),
        inner_means=np.array([[s.means[s.winner] for s in row] for row in selections]),
        candidates=procedure.candidates,
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
    return FinalModel(
        rule=procedure.final,
        index=elected,
        params=procedure.candidates[elected],
        inner_mean=float(means[elected]),
        votes=int(ballot.counts[elected]),
        rivals=int(np.sum(ballot.counts == ballot.counts[elected])) - 1,
        estimator=candidate_model(procedure.estimator, procedure.candidates[elected]),
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
