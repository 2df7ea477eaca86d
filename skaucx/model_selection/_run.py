"""Runs of nested cross-validations: split, search inside, score the winners outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import get_routing_for_object

from .._options import check_choice
from .._text.plain import count
from ._checks import Finding, findings, in_order
from ._run_options import (
    Decisions,
    Execution,
    check_estimator,
    check_fit_params,
    check_jobs,
    check_splitter,
    record_of,
)
from ._scoring import classes_of, judging
from ._types import Floats
from .decisions._decision import check_decisions
from .decisions._limits import notes_of_limits
from .decisions._rejecting import rejections_of
from .execution._dataset import Dataset
from .execution._out_of_fold import pool, pooled_scores
from .execution._parallel import Job, fit_all
from .results._nested_result import NestedCVResult
from .results._tuning_matrix import TuningMatrix
from .searches._candidates import check_ways, inner_search
from .searches._flat import choose, found_by_refits, inner_jobs
from .searches._plan import Found, NestedRun
from .searches._separate import found_by_searches, search_jobs

# The ratio of the greatest and least outer test part that is noted.
_UNEQUAL = 1.1


def plan_of(
    nested: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any,
    fit_params: Mapping[str, Any],
) -> NestedRun:
    """Check the options of a :class:`NestedCV` and the arguments of its fit, and split."""
    check_estimator("estimator", nested.estimator)
    check_choice("final", nested.final, ("search", "vote", None))
    check_jobs(nested.n_jobs)
    decisions = record_of("decisions", Decisions, nested.decisions)
    execution = record_of("execution", Execution, nested.execution)
    inner = inner_search(nested, execution.error_score)
    if nested.final == "vote" and inner.own is not None:
        raise ValueError(
            f"final='vote' needs candidates that all outer folds share, and every "
            f"{type(inner.own).__name__} finds its own; use final='search' or None."
        )
    scorer = judging(inner.scorers, nested.pos_label)
    requested = {name: fit_params[name] for name in scorer.metadata & set(fit_params)}
    if groups is not None and "groups" in scorer.metadata:
        requested["groups"] = groups
    check_ways(inner, scorer, decisions.choose_by)
    # Scorers and fits share what both request, such as the treatment of each row.
    shared = get_routing_for_object(inner.estimator).consumes("fit", requested)
    of_fits = {
        name: fit_params[name] for name in fit_params if name in shared or name not in requested
    }
    check_fit_params(inner.estimator, of_fits)
    data = Dataset.of(
        inner.estimator, X, y, sample_weight, groups, fit_params=of_fits,
        score_params=requested, weight_fits=execution.weight_fits,
    )  # fmt: skip
    y, classifier = data.y, is_classifier(inner.estimator)
    classes = classes_of(y, inner.estimator, scorer, inner.choices[0].metrics[0], nested.pos_label)
    check_decisions(decisions, inner.estimator, classes, y)
    every = np.arange(len(data))
    outer = data.split(check_splitter("outer_cv", nested.outer_cv, y, classifier), every)
    inner_cv = check_splitter("inner_cv", inner.cv, y, classifier)
    trains = [train for train, _ in outer] + [every] * (nested.final == "search")
    # A separate search receives its training part only, so its splits are positions within it.
    split = data.split if inner.own is None else data.split_within
    inside = [split(inner_cv, train) for train in trains]
    found: list[Finding] = []
    if execution.checks is not None:
        found = findings(y, outer, groups=data.groups, classifier=classifier)
        if execution.checks == "raise" and found:
            raise ValueError("checks='raise' found: " + " ".join(f"{each}." for each in found))
    return NestedRun(
        inner, scorer, classes, decisions, nested.final, data, outer, inside, execution, found
    )


def run(plans: Sequence[NestedRun], *, going_on: bool = False) -> list[Any]:
    """Run nested cross-validations: all their inner fits in one parallel call, all refits in another.

    One that raises between them ends all, or going on stands among the results as its exception.
    """
    inner = [inner_jobs(plan) for plan in plans]  # none of a search of its own
    outcomes = _fit_lists(inner, plans[0])
    chosen = [
        _attempt(choose, going_on, plan, jobs, found)
        if plan.search.own is None
        else Found(search_jobs(plan))
        for plan, jobs, found in zip(plans, inner, outcomes, strict=True)
    ]
    refits = [[] if isinstance(one, Exception) else one.jobs for one in chosen]
    done = _fit_lists(refits, plans[0])
    return [
        one if isinstance(one, Exception) else _attempt(result_of, going_on, plan, one, fits)
        for plan, one, fits in zip(plans, chosen, done, strict=True)
    ]


def _fit_lists(lists: Sequence[Sequence[Job]], first: NestedRun) -> list[list[Any]]:
    """Return what some lists of jobs give, list by list, of one parallel call for all of them."""
    jobs = [job for each in lists for job in each]
    done = iter(fit_all(jobs, first.search.n_jobs, first.execution) if jobs else [])
    return [list(islice(done, len(each))) for each in lists]


def _attempt(step: Callable[..., Any], going_on: bool, *given: Any) -> Any:
    """Return what a step gives, or going on the exception that it raises."""
    try:
        return step(*given)
    except Exception as error:
        if going_on:
            return error
        raise


def result_of(plan: NestedRun, chosen: Found, done: Sequence[Any]) -> NestedCVResult:
    """Put the result together, given what the second list of jobs gave."""
    add = found_by_refits if plan.search.own is None else found_by_searches
    found = add(plan, chosen, done)
    data, outer, names = plan.data, plan.outer, plan.scorer.names
    selections = found.selections[0]
    places = [(fold, selection.winner) for fold, selection in enumerate(selections)]
    reported = [found.outcomes[place] for place in places]
    decisions = tuple(found.decisions[place] for place in places if place in found.decisions)
    changed = any(decision.changes for decision in found.decisions.values())
    predictions = pool(data, [test for _, test in outer], reported, plan.positive)
    rule, threshold = plan.search.choices[0].rule, plan.decisions.threshold
    return NestedCVResult(
        test_scores=_by_name(names, [outcome.scores for outcome in reported]),
        candidates=found.candidates,
        refit=plan.refit,
        inner_scores=found.inner_scores,
        n_inner=tuple(len(splits) for splits in plan.inner[: len(outer)]),
        selections=tuple(selections),
        tuning_matrix=_tuning_matrix(plan, found),
        predictions=predictions,
        pooled=pooled_scores(plan.scorer, predictions, get_tags(plan.search.estimator)),
        train_scores=_by_name(
            names * plan.execution.return_train_score, [outcome.trained for outcome in reported]
        ),
        n_train=np.array([len(train) for train, _ in outer]),
        n_test=np.array([len(test) for _, test in outer]),
        final=found.final,
        n_samples=len(data),
        failures=found.failures,
        classes=plan.classes,
        decisions=decisions,
        plain_scores=_by_name(names * changed, [outcome.plain for outcome in reported]),
        rejections=rejections_of(reported, decisions, names),
        scorer=plan.scorer,
        notes=(
            *notes_of_limits(rule, threshold, reported, predictions),
            *map(str, plan.findings),
            *_notes_of_folds(plan),
        ),
        estimators=tuple(o.model for o in reported if o.model is not None),
    )


def _by_name(names: Sequence[str], scores: Sequence[Mapping[str, float]]) -> dict[str, Floats]:
    """Return the scores of the folds by each metric, nan where one is missing."""
    return {name: np.array([one.get(name, np.nan) for one in scores], float) for name in names}


def _tuning_matrix(plan: NestedRun, found: Found) -> TuningMatrix:
    """Arrange the outer scores by the metric that chose and the metric reported on."""
    names, rows, choices = plan.scorer.names, found.selections, plan.search.choices
    outcomes = [[found.outcomes[i, s.winner] for i, s in enumerate(row)] for row in rows]
    scores = [[[o.scores[name] for o in row] for name in names] for row in outcomes]
    pooled = "pooled " if plan.decisions.choose_by == "pooled" else ""
    return TuningMatrix(
        tuned_on=tuple(pooled + choice.name for choice in choices),
        stated_in=tuple(choice.metrics[0] for choice in choices),
        reported_on=names,
        scores=np.array(scores, dtype=np.float64),
        winners=np.array([[s.winner for s in row] for row in rows], dtype=np.intp),
        inner_means=np.array([[s.means[s.winner] for s in row] for row in rows]),
        candidates=found.candidates,
    )


def _notes_of_folds(plan: NestedRun) -> list[str]:
    """Return the number of groups, where no fold parts one, and cautions about the test parts."""
    notes, rows, groups = [], len(plan.data), plan.data.groups
    parted = any(each.check == "groups" for each in plan.findings)
    if groups is not None and not parted and plan.execution.checks is not None:
        held = len(np.unique(np.asarray(groups)))
        notes.append(f"{held} groups of rows; no outer fold tests on a group that it trains on.")
    sizes = [len(test) for _, test in plan.outer]
    if max(sizes) > _UNEQUAL * min(sizes) + 1:
        notes.append(
            f"The outer test parts have {min(sizes)} to {max(sizes)} rows, and each part counts as much "
            "in a mean over the folds."
        )
    tested = len(np.unique(np.concatenate([test for _, test in plan.outer])))
    if tested < rows:
        notes.append(
            f"{count(rows - tested, 'row')} of {rows} are tested by no outer fold; every score is about "
            f"the other {tested}."
        )
    if in_order(plan.outer) and groups is None:
        notes.append(
            "Every outer fold tests on rows after those that it trains on. Intervals and tests "
            "assume independent rows, and are too narrow for serially dependent rows; interval of "
            "result.predictions with groups= of successive rows allows for it."
        )
    return notes
