"""Candidates that all folds share: every inner fit in one batch, every refit in a second one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..._compat import warn
from .._types import Floats, Split
from ..decisions._decision import fit_decided, warn_of_infeasible
from ..decisions._winner import FinalModel, Selection, vote
from ..execution._dataset import Dataset
from ..execution._executor import Steps, Wanted
from ..execution._failures import FailedFit, failed_fits, warn_of_failures
from ..execution._job import Job, candidate_model, fit_model
from ._inner_loop import InnerFits, InnerLoop, decide, other_scores, scoring_job
from ._procedure import Decisions, Procedure, Refits, SearchOutcome


def search_flat(
    procedure: Procedure,
    data: Dataset,
    outer: Sequence[Split],
    inner: Sequence[Sequence[Split]],
) -> Steps[SearchOutcome]:
    """Score all candidates on all inner folds, choose, refit the winners and the final model."""
    k = len(outer)
    loop = InnerLoop(procedure, data, inner, k)
    yield from loop.run()
    evaluated = [loop.evaluated(table) for table in loop.tables]
    selections = _select(procedure, loop, evaluated, k)
    choice = _choose_final(procedure, selections[0], evaluated[:k])
    chosen = [by_metric[:k] for by_metric in selections]
    winners = distinct_winners(chosen)
    decisions = _decisions(procedure, data, loop, winners)
    predicting = _that_predict(loop.tables, choice, k)
    last = _final_job(procedure, data, choice, predicting)
    outcomes, final, failed_refits = yield from _refits(
        procedure, data, outer, winners, decisions, last
    )
    return SearchOutcome(
        candidates=tuple(procedure.candidates),
        inner_scores=_padded([table.scores for table in loop.tables[:k]]),
        inner_others=other_scores(loop.tables[:k]),
        selections=chosen,
        outcomes=outcomes,
        final=None if choice is None else replace(choice, estimator=final),
        failures=(*loop.failures(), *failed_refits),
        decisions=decisions,
    )


def _select(
    procedure: Procedure, loop: InnerLoop, evaluated: Sequence[Floats], n_outer: int
) -> list[list[Selection]]:
    """Choose by every rule in every search."""
    selections = [
        [choice.select(scores, procedure.refit, procedure.candidates) for scores in evaluated]
        for choice in procedure.choices
    ]
    _warn_of_undecided(procedure, selections, n_outer)
    return selections


def _decisions(
    procedure: Procedure, data: Dataset, loop: InnerLoop, winners: Sequence[tuple[int, int]]
) -> Decisions:
    """Find calibration, threshold and rejection of each winner, on its inner predictions."""
    if procedure.decide is None:
        return {}
    decisions = {
        (fold, winner): decide(procedure.decide, data, [(loop.tables[fold], winner)])
        for fold, winner in winners
    }
    warn_of_infeasible(decisions)
    return decisions


def distinct_winners(selections: Sequence[Sequence[Selection]]) -> list[tuple[int, int]]:
    """Return every outer fold with each candidate that some metric chose there."""
    return list(
        dict.fromkeys(
            (fold, s.winner) for by_metric in selections for fold, s in enumerate(by_metric)
        )
    )


def _refits(
    procedure: Procedure,
    data: Dataset,
    outer: Sequence[Split],
    winners: Sequence[tuple[int, int]],
    decisions: Decisions,
    final: Job | None,
) -> Steps[tuple[Refits, Any, Iterator[FailedFit]]]:
    """Score every distinct winner of an outer fold on its test part and fit the final model.

    All in one batch. Predictions are kept of the winners by the first metric, which come first.
    """
    jobs = []
    for place, (fold, winner) in enumerate(winners):
        options: dict[str, Any] = {"keep": procedure.keep if place < len(outer) else ()}
        if (fold, winner) in decisions:
            options["decision"] = decisions[fold, winner]
        params = procedure.candidates[winner]
        jobs.append(
            scoring_job(
                procedure, data, procedure.scorer, "outer", params, outer[fold], fold, **options
            )
        )
    done = yield Wanted([*jobs, final] if final is not None else jobs, "refits")
    model = None if final is None else done.pop()
    warn_of_failures(done, "outer", procedure.error_score)
    return dict(zip(winners, done, strict=True)), model, failed_fits(jobs, done)


def _final_job(
    procedure: Procedure,
    data: Dataset,
    choice: FinalModel | None,
    predicting: Sequence[tuple[InnerFits, int]],
) -> Job | None:
    """Describe the fit of the final model, with decisions found on the inner predictions."""
    if choice is None:
        return None
    arguments = {"model": choice.estimator, "rows": np.arange(len(data))}
    if procedure.decide is None:
        return Job("final", choice.params, fit_model, arguments, data)
    arguments["decision"] = decide(procedure.decide, data, predicting)
    return Job("final", choice.params, fit_decided, arguments, data)


def _that_predict(
    tables: Sequence[InnerFits],
    choice: FinalModel | None,
    n_outer: int,
) -> list[tuple[InnerFits, int]]:
    """Return the inner fits for the final model, and their candidate.

    By search those of all data, by vote those of its parameters in all outer folds.
    """
    if choice is None:
        return []
    return [(table, choice.index) for table in tables[n_outer:] or tables]


def _choose_final(
    procedure: Procedure,
    selections: Sequence[Selection],
    evaluated: Sequence[Floats],
) -> FinalModel | None:
    """Choose the final model, still to be fitted, by vote or by the search on all data."""
    if procedure.final is None:
        return None
    chosen = selections[: len(evaluated)]
    ballot = vote(chosen, [scores[:, :, 0] for scores in evaluated])
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
    for choice, by_metric in zip(procedure.choices, selections, strict=True):
        undecided = [i for i, selection in enumerate(by_metric) if not selection.decided]
        if undecided:
            at = [f"outer fold {i}" if i < n_outer else "the search on all data" for i in undecided]
            warn(
                f"{choice.metrics[0]!r} is undefined for every candidate on every inner fold of "
                f"{', '.join(at)}; the first candidate, {procedure.candidates[0]}, was taken "
                "there. Inner folds with rows of every class (larger, shuffled or stratified ones), "
                "choose_by='pooled' or another refit metric would leave something to choose by."
            )


def _padded(scores: Sequence[Floats]) -> Floats:
    """Join scores as (outer fold, candidate, inner fold, metric); shorter ones end in nan."""
    longest = max(table.shape[1] for table in scores)
    n_candidates, _, n_metrics = scores[0].shape
    padded = np.full((len(scores), n_candidates, longest, n_metrics), np.nan)
    for fold, table in enumerate(scores):
        padded[fold, :, : table.shape[1]] = table
    return padded
