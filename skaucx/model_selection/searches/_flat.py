"""Candidates that all folds share: inner fits, the choice, and refits of the winners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from ..._compat import warn
from .._types import Floats, Params, Scorer, Split
from ..decisions._decision import READS, Decision, warn_of_infeasible
from ..decisions._winner import FinalModel, Selection, vote
from ..execution._failures import failed_fits, warn_of_failures
from ..execution._job import Outcome, Stage, candidate_model, fit_final, score_candidate
from ..execution._out_of_fold import pool, pooled_scores
from ..execution._parallel import Job
from ._plan import Found, NestedRun


def inner_jobs(plan: NestedRun) -> list[Job]:
    """Describe the fits of every candidate on every inner fold of every search."""
    scorer = plan.scorer.subset([*plan.refit])
    keep = READS if plan.decides else READS[: plan.decisions.choose_by == "pooled"]
    jobs = []
    for search, splits in enumerate(plan.inner):
        outer_fold = search if search < len(plan.outer) else None
        for params in plan.search.candidates:
            jobs += [
                _job(plan, "inner", params, split, scorer, outer_fold, fold, keep=keep)
                for fold, split in enumerate(splits)
            ]
    return jobs


def choose(plan: NestedRun, jobs: Sequence[Job], outcomes: Sequence[Outcome]) -> Found:
    """Choose in every search, and describe the refits of the winners and of the final model.

    Raises
    ------
    ValueError
        If nothing is left to choose from.
    """
    candidates, k = plan.search.candidates, len(plan.outer)
    warn_of_failures(outcomes, "inner", plan.search.error_score, choosing=plan.refit)
    arrived = iter(outcomes)
    tables = [[[next(arrived) for _ in splits] for _ in candidates] for splits in plan.inner]
    evaluated = [_evaluated(plan, *one) for one in zip(tables, plan.inner, strict=True)]
    every = [
        [choice.select(scores, plan.refit, candidates) for scores in evaluated]
        for choice in plan.search.choices
    ]
    _warn_of_undecided(plan, every)
    selections = [row[:k] for row in every]
    winners = list(dict.fromkeys((f, s.winner) for row in selections for f, s in enumerate(row)))
    decisions: dict[tuple[int, int], Decision] = {}
    if plan.decides:
        decisions = {(f, winner): _decide(plan, tables, [f], winner) for f, winner in winners}
        warn_of_infeasible(decisions)
    # Predictions are kept of the winners by the first metric, which come first.
    refits = [
        _job(
            plan, "outer", candidates[winner], plan.outer[fold], plan.scorer, fold,
            keep=plan.keep if place < k else (), decision=decisions.get((fold, winner)),
        )
        for place, (fold, winner) in enumerate(winners)
    ]  # fmt: skip
    final = _choose_final(plan, every[0], evaluated[:k])
    if final is not None:
        searched = range(len(tables))[k:] or range(k)
        decision = _decide(plan, tables, searched, final.index) if plan.decides else None
        rows = np.arange(len(plan.data))
        given = {"model": final.estimator, "data": plan.data, "rows": rows, "decision": decision}
        refits.append(Job("final", final.params, fit_final, given))
    return Found(
        jobs=refits,
        candidates=candidates,
        inner_scores=_padded([_scores(table, plan.refit) for table in tables[:k]]),
        selections=selections,
        outcomes=dict.fromkeys(winners),
        decisions=decisions,
        final=final,
        failures=tuple(failed_fits(jobs, outcomes)),
    )


def found_by_refits(plan: NestedRun, found: Found, done: Sequence[Any]) -> Found:
    """Add what the refits gave."""
    n, final = len(found.outcomes), found.final
    outcomes = done[:n]
    warn_of_failures(outcomes, "outer", plan.search.error_score)
    return replace(
        found,
        outcomes=dict(zip(found.outcomes, outcomes, strict=True)),
        final=None if final is None else replace(final, estimator=done[-1]),
        failures=(*found.failures, *failed_fits(found.jobs[:n], outcomes)),
    )


def _job(
    plan: NestedRun, stage: Stage, params: Params, split: Split, scorer: Scorer,
    outer_fold: int | None, inner_fold: int | None = None, **options: Any,
) -> Job:  # fmt: skip
    """Describe the fit of a candidate on one part of a split and its scores on the other."""
    arguments = {
        "estimator": plan.search.estimator,
        "params": params,
        "data": plan.data,
        "train": split[0],
        "test": split[1],
        "scorer": scorer,
        "error_score": plan.search.error_score,
        **options,
    }
    return Job(stage, params, score_candidate, arguments, outer_fold, inner_fold)


def _scores(table: Sequence[Sequence[Outcome]], metrics: Sequence[str]) -> Floats:
    """Return the scores of C candidates on l folds by R metrics, shape (C, l, R)."""
    return np.array(
        [[[fit.scores[name] for name in metrics] for fit in row] for row in table], float
    )


def _evaluated(
    plan: NestedRun, table: Sequence[Sequence[Outcome]], splits: Sequence[Split]
) -> Floats:
    """Return the scores that choose: of every fold (C, l, R), or of the joined folds (C, 1, R)."""
    if plan.decisions.choose_by != "pooled":
        return _scores(table, plan.refit)
    choosing, tags = plan.scorer.subset(plan.refit), get_tags(plan.search.estimator)
    values = np.full((len(table), 1, len(plan.refit)), np.nan)
    for candidate, outcomes in enumerate(table):
        if any(outcome.failure is not None for outcome in outcomes):
            continue  # undefined where a fold is missing
        scores = pooled_scores(choosing, pool(plan.data, [t for _, t in splits], outcomes), tags)
        values[candidate, 0] = [scores[name].value for name in plan.refit]
    return values


def _decide(
    plan: NestedRun, tables: Sequence[Any], searches: Sequence[int], winner: int
) -> Decision:
    """Find calibration, threshold and rejection on the inner predictions of a candidate.

    Those of the final model are found on the search of all data, or by vote on all outer folds.
    """
    tests = [test for search in searches for _, test in plan.inner[search]]
    outcomes = [outcome for search in searches for outcome in tables[search][winner]]
    return Decision.of(plan.decisions, pool(plan.data, tests, outcomes, plan.positive))


def _choose_final(
    plan: NestedRun, selections: Sequence[Selection], evaluated: Sequence[Floats]
) -> FinalModel | None:
    """Choose the final model, still to be fitted, by vote or by the search on all data."""
    if plan.final is None:
        return None
    candidates = plan.search.candidates
    of_folds = selections[: len(evaluated)], [scores[:, :, 0] for scores in evaluated]
    elected, counts, means = vote(*of_folds)
    if plan.final == "search":
        elected, means = selections[-1].winner, selections[-1].means
    model = candidate_model(plan.search.estimator, candidates[elected])
    return FinalModel.of(plan.final, elected, candidates, means[elected], counts, model)


def _warn_of_undecided(plan: NestedRun, selections: Sequence[Sequence[Selection]]) -> None:
    k = len(plan.outer)
    for choice, by_metric in zip(plan.search.choices, selections, strict=True):
        undecided = [i for i, selection in enumerate(by_metric) if not selection.decided]
        if undecided:
            at = [f"outer fold {i}" if i < k else "the search on all data" for i in undecided]
            warn(
                f"{choice.metrics[0]!r} is undefined for every candidate on every inner fold of "
                f"{', '.join(at)}; the first candidate, {plan.search.candidates[0]}, was taken "
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
