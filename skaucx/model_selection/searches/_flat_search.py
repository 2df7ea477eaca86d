"""Candidates that all folds share: inner fits, the choice, and refits of the winners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from ..._compat import warn
from .._types import Floats, Params, Scorer, Split
from ..decisions._decision import (
    Decision,
    DecisionRule,
    fit_decided,
    score_decided,
    warn_of_infeasible,
)
from ..decisions._winner import FinalModel, Selection, vote
from ..execution._dataset import Dataset
from ..execution._failures import failed_fits, warn_of_failures
from ..execution._job import Outcome, Stage, candidate_model, fit_model, score_candidate
from ..execution._parallel import Job
from ..execution._pool import pool, pooled_scores
from ._procedure import Decisions, Procedure, SearchOutcome


@dataclass(frozen=True, eq=False)
class InnerFits:
    """The inner fits of one search: outcomes of C candidates on l folds."""

    splits: Sequence[Split]
    outcomes: Sequence[Sequence[Outcome]]

    def scores(self, metrics: Sequence[str]) -> Floats:
        """Return the scores by R metrics, shape (C, l, R)."""
        found = [[[fit.scores[name] for name in metrics] for fit in row] for row in self.outcomes]
        return np.array(found, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Chosen:
    """What the inner fits chose, and the refits that are to be done."""

    tables: Sequence[InnerFits]
    inner_jobs: Sequence[Job]
    selections: Sequence[Sequence[Selection]]
    winners: Sequence[tuple[int, int]]
    decisions: Decisions
    final: FinalModel | None
    jobs: Sequence[Job]


def inner_jobs(
    procedure: Procedure, data: Dataset, outer: Sequence[Split], inner: Sequence[Sequence[Split]]
) -> list[Job]:
    """Describe the fits of every candidate on every inner fold of every search."""
    others = _others(procedure)
    scorer = procedure.scorer.subset([*procedure.refit, *others])
    keep: tuple[str, ...] = ("predict",) if procedure.pooled else ()
    if procedure.decide is not None:
        keep = procedure.decide.reads
    return [
        _scoring_job(
            procedure, data, scorer, "inner", params, split,
            search if search < len(outer) else None, fold, keep=keep, others=others,
        )
        for search, splits in enumerate(inner)
        for params in procedure.candidates
        for fold, split in enumerate(splits)
    ]  # fmt: skip


def choose(
    procedure: Procedure,
    data: Dataset,
    outer: Sequence[Split],
    inner: Sequence[Sequence[Split]],
    jobs: Sequence[Job],
    outcomes: Sequence[Outcome],
) -> Chosen:
    """Choose in every search, and describe the refits of the winners and of the final model.

    Raises
    ------
    ValueError
        If nothing is left to choose from.
    """
    warn_of_failures(outcomes, "inner", procedure.error_score, choosing=procedure.refit)
    arrived = iter(outcomes)
    tables = [
        InnerFits(splits, [[next(arrived) for _ in splits] for _ in procedure.candidates])
        for splits in inner
    ]
    evaluated = [_evaluated(procedure, data, table) for table in tables]
    every = [
        [choice.select(scores, procedure.refit, procedure.candidates) for scores in evaluated]
        for choice in procedure.choices
    ]
    k = len(outer)
    _warn_of_undecided(procedure, every, k)
    selections = [row[:k] for row in every]
    winners = list(dict.fromkeys((f, s.winner) for row in selections for f, s in enumerate(row)))
    decisions: dict[tuple[int, int], Decision] = {}
    if procedure.decide is not None:
        decisions = {
            (f, winner): _decide(procedure.decide, data, [tables[f]], winner)
            for f, winner in winners
        }
        warn_of_infeasible(decisions)
    refits = []
    for place, (fold, winner) in enumerate(winners):
        # Predictions are kept of the winners by the first metric, which come first.
        options: dict[str, Any] = {"keep": procedure.keep if place < k else ()}
        if (fold, winner) in decisions:
            options["decision"] = decisions[fold, winner]
        refits.append(
            _scoring_job(
                procedure, data, procedure.scorer, "outer", procedure.candidates[winner],
                outer[fold], fold, **options,
            )
        )  # fmt: skip
    final = _choose_final(procedure, every[0], evaluated[:k])
    if final is not None:
        refits.append(_final_job(procedure, data, final, tables[k:] or tables))
    return Chosen(tables, jobs, selections, winners, decisions, final, refits)


def found(procedure: Procedure, chosen: Chosen, done: Sequence[Any]) -> SearchOutcome:
    """Put together what the refits gave."""
    k, final = len(chosen.selections[0]), chosen.final
    outcomes = done[: len(chosen.winners)]
    warn_of_failures(outcomes, "outer", procedure.error_score)
    inner = [outcome for table in chosen.tables for row in table.outcomes for outcome in row]
    refits = chosen.jobs[: len(chosen.winners)]
    return SearchOutcome(
        candidates=tuple(procedure.candidates),
        inner_scores=_padded([table.scores(procedure.refit) for table in chosen.tables[:k]]),
        inner_others=_other_scores(chosen.tables[:k]),
        selections=chosen.selections,
        outcomes=dict(zip(chosen.winners, outcomes, strict=True)),
        final=None if final is None else replace(final, estimator=done[-1]),
        failures=(*failed_fits(chosen.inner_jobs, inner), *failed_fits(refits, outcomes)),
        decisions=chosen.decisions,
    )


def _scoring_job(
    procedure: Procedure,
    data: Dataset,
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
    function = score_decided if "decision" in options else score_candidate
    return Job(stage, params, function, arguments, data, outer_fold, inner_fold)


def _final_job(
    procedure: Procedure, data: Dataset, final: FinalModel, tables: Sequence[InnerFits]
) -> Job:
    """Describe the fit of the final model, with a decision found on inner predictions.

    By search these are those of all data, by vote those of its parameters in all outer folds.
    """
    arguments: dict[str, Any] = {"model": final.estimator, "rows": np.arange(len(data))}
    if procedure.decide is None:
        return Job("final", final.params, fit_model, arguments, data)
    arguments["decision"] = _decide(procedure.decide, data, tables, final.index)
    return Job("final", final.params, fit_decided, arguments, data)


def _evaluated(procedure: Procedure, data: Dataset, table: InnerFits) -> Floats:
    """Return the scores that choose: of every fold (C, l, R), or of the joined folds (C, 1, R)."""
    if not procedure.pooled:
        return table.scores(procedure.refit)
    choosing, tags = procedure.scorer.subset(procedure.refit), get_tags(procedure.estimator)
    values = np.full((len(table.outcomes), 1, len(procedure.refit)), np.nan)
    for candidate, outcomes in enumerate(table.outcomes):
        if any(outcome.failure is not None for outcome in outcomes):
            continue  # undefined where a fold is missing
        predictions = pool(data, [test for _, test in table.splits], outcomes)
        scores = pooled_scores(choosing, predictions, tags)
        values[candidate, 0] = [scores[name].value for name in procedure.refit]
    return values


def _others(procedure: Procedure) -> tuple[str, ...]:
    """Return the metrics of this package that do not choose.

    Without those that a calibration or a threshold, which are found afterwards, gives other values.
    """
    rule = procedure.decide
    if rule is not None and (rule.calibration or rule.reject):
        return ()
    others = {n: m for n, m in procedure.scorer.metrics.items() if n not in procedure.refit}
    return tuple(n for n, metric in others.items() if rule is None or not metric.of_labels)


def _other_scores(tables: Sequence[InnerFits]) -> dict[str, Floats]:
    """Return the inner scores of metrics that do not choose, of shape (k, C, l) each."""
    names = dict.fromkeys(
        n for table in tables for row in table.outcomes for o in row for n in o.others
    )
    return {
        name: _padded(
            [
                np.array([[[o.others.get(name, np.nan)] for o in row] for row in table.outcomes])
                for table in tables
            ]
        )[..., 0]
        for name in names
    }


def _decide(
    rule: DecisionRule, data: Dataset, tables: Sequence[InnerFits], winner: int
) -> Decision:
    """Find calibration, threshold and rejection on the inner predictions of a candidate."""
    tests = [test for table in tables for _, test in table.splits]
    outcomes = [outcome for table in tables for outcome in table.outcomes[winner]]
    return rule.decide(pool(data, tests, outcomes, rule.positive))


def _choose_final(
    procedure: Procedure, selections: Sequence[Selection], evaluated: Sequence[Floats]
) -> FinalModel | None:
    """Choose the final model, still to be fitted, by vote or by the search on all data."""
    if procedure.final is None:
        return None
    ballot = vote(selections[: len(evaluated)], [scores[:, :, 0] for scores in evaluated])
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
