"""Runs of nested cross-validations: split, search inside, score the winners outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import get_routing_for_object

from .._text.plain import count
from ._checks import Finding, edge_notes, findings, in_order, odd_fold_notes
from ._run_options import Decisions, Execution, check_options, check_splitter, record_of
from ._scoring import classes_of, judging
from ._types import Floats, Scorer, Split
from .decisions._decided import KeptLimit, kept_limits, rejections_of
from .decisions._decision import Decision, decision_rule
from .decisions._rules import Constrained
from .execution._dataset import Dataset, check_takes_params
from .execution._job import Outcome, candidate_model
from .execution._parallel import Job, fit_all
from .execution._pool import pool, pooled_scores
from .results._nested_result import NestedCVResult
from .results._summary import parameters_and_names
from .results._tuning_matrix import TuningMatrix
from .searches._flat_search import choose, inner_jobs
from .searches._flat_search import found as found_by_refits
from .searches._inner_search import InnerSearch, check_ways, inner_search
from .searches._own_search import Searches, found_by_searches, search_jobs
from .searches._procedure import Procedure, SearchOutcome

# The ratio of the greatest and least outer test part that is noted.
_UNEQUAL = 1.1
# Arguments that every fit of a nested run takes besides X and y.
_GIVEN = ("sample_weight", "groups")


@dataclass(frozen=True, eq=False)
class NestedRun:
    """A nested cross-validation that is ready to run.

    ``inner`` are the splits of each outer training part, and last of all data if they are searched;
    ``findings`` are those about the data and the outer folds.
    """

    procedure: Procedure
    data: Dataset
    outer: Sequence[Split]
    inner: Sequence[Sequence[Split]]
    n_jobs: int | None
    execution: Execution
    findings: Sequence[Finding] = ()


def plan_of(
    nested: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any,
    fit_params: Mapping[str, Any],
    found: Sequence[Finding] | None = None,
) -> NestedRun:
    """Check the options of a :class:`NestedCV` and the arguments of its fit, and split.

    ``found`` are the findings about these data and outer folds, where they were checked before.
    """
    check_options(nested.get_params(deep=False))
    decisions = record_of("decisions", Decisions, nested.decisions)
    execution = record_of("execution", Execution, nested.execution)
    inner = inner_search(nested, execution.error_score)
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
    check_takes_params(
        inner.estimator, of_fits, [*nested.get_params(deep=False), *scorer.metadata, *_GIVEN],
        (candidate_model(inner.estimator, params) for params in inner.candidates),
    )  # fmt: skip
    data = Dataset.of(
        inner.estimator, X, y, sample_weight, groups, fit_params=of_fits,
        score_params=requested, weight_fits=execution.weight_fits,
    )  # fmt: skip
    procedure = replace(
        _procedure(nested, inner, decisions, scorer, data),
        return_estimator=execution.return_estimator, train_score=execution.return_train_score,
    )  # fmt: skip
    outer, inside = _splits(procedure, data)
    if found is None:
        found = _checked(execution.checks, procedure.estimator, data, outer)
    return NestedRun(procedure, data, outer, inside, inner.n_jobs, execution, found)


def _checked(
    checks: str | None, estimator: Any, data: Dataset, outer: Sequence[Split]
) -> list[Finding]:
    """Check the outer folds; raise an error for what is found if requested."""
    if checks is None:
        return []
    found = findings(data.y, outer, groups=data.groups, classifier=is_classifier(estimator))
    if checks == "raise" and found:
        raise ValueError("checks='raise' found: " + " ".join(f"{each}." for each in found))
    return found


def _procedure(
    nested: Any, inner: InnerSearch, decisions: Decisions, scorer: Scorer, data: Dataset
) -> Procedure:
    """Resolve what depends on the kind of search and on the data."""
    y = data.y
    _check_final(nested.final, inner)
    classifier = is_classifier(inner.estimator)
    metric = inner.choices[0].metrics[0]
    classes = classes_of(y, inner.estimator, scorer, metric, nested.pos_label)
    return Procedure(
        estimator=inner.estimator,
        candidates=inner.candidates,
        search=inner.search,
        scorer=scorer,
        choices=inner.choices,
        classes=classes,
        outer_cv=check_splitter("outer_cv", nested.outer_cv, y, classifier),
        inner_cv=check_splitter("inner_cv", inner.cv, y, classifier),
        final=nested.final,
        error_score=inner.error_score,
        pooled=decisions.choose_by == "pooled",
        decide=decision_rule(decisions, inner.estimator, classes, y),
    )


def _check_final(final: str | None, inner: InnerSearch) -> None:
    """Raise an error for a vote of candidates that differ by fold."""
    if final == "vote" and inner.search is not None:
        raise ValueError(
            f"final='vote' needs candidates that all outer folds share, and every "
            f"{type(inner.search).__name__} finds its own; use final='search' or None."
        )


def _splits(
    procedure: Procedure, data: Dataset
) -> tuple[Sequence[Split], Sequence[Sequence[Split]]]:
    """Split outside, and inside of each training part and of all data if they are searched.

    A separate search receives its training part only, so its splits are positions within it.
    """
    every = np.arange(len(data))
    outer = data.split(procedure.outer_cv, every)
    trains = [train for train, _ in outer] + [every] * (procedure.final == "search")
    split = data.split_within if procedure.alone else data.split
    return outer, [split(procedure.inner_cv, train) for train in trains]


def run(plans: Sequence[NestedRun], *, going_on: bool = False) -> list[Any]:
    """Run nested cross-validations: all their inner fits in one parallel call, all refits in another.

    One that raises between them ends all, or going on stands among the results as its exception.
    """
    inner = [_inner_jobs(plan) for plan in plans]
    outcomes = _fit_lists(inner, "inner fits", plans[0])
    chosen = [
        _attempt(_choose, going_on, plan, jobs, found)
        for plan, jobs, found in zip(plans, inner, outcomes, strict=True)
    ]
    refits = [[] if isinstance(one, Exception) else one.jobs for one in chosen]
    what = "searches" if all(plan.procedure.alone for plan in plans) else "refits"
    done = _fit_lists(refits, what, plans[0])
    return [
        one if isinstance(one, Exception) else _attempt(_result, going_on, plan, one, found)
        for plan, one, found in zip(plans, chosen, done, strict=True)
    ]


def _fit_lists(lists: Sequence[Sequence[Job]], what: str, first: NestedRun) -> list[list[Any]]:
    """Return what some lists of jobs give, list by list, of one parallel call for all of them."""
    jobs = [job for each in lists for job in each]
    done = iter(fit_all(jobs, what, first.n_jobs, first.execution) if jobs else [])
    return [list(islice(done, len(each))) for each in lists]


def _attempt(step: Callable[..., Any], going_on: bool, *given: Any) -> Any:
    """Return what a step gives, or going on the exception that it raises."""
    try:
        return step(*given)
    except Exception as error:
        if going_on:
            return error
        raise


def _inner_jobs(plan: NestedRun) -> list[Job]:
    if plan.procedure.alone:
        return []
    return inner_jobs(plan.procedure, plan.data, plan.outer, plan.inner)


def _choose(plan: NestedRun, jobs: Sequence[Job], outcomes: Sequence[Any]) -> Any:
    parts = plan.procedure, plan.data, plan.outer, plan.inner
    return Searches(search_jobs(*parts)) if plan.procedure.alone else choose(*parts, jobs, outcomes)


def _result(plan: NestedRun, chosen: Any, done: Sequence[Any]) -> NestedCVResult:
    """Score the winners outside, and put the result together."""
    procedure, data, outer, inner = plan.procedure, plan.data, plan.outer, plan.inner
    checked = plan.execution.checks is not None
    if procedure.alone:
        found = found_by_searches(procedure, outer, inner, chosen.jobs, done)
    else:
        found = found_by_refits(procedure, chosen, done)
    selections = found.selections[0]
    reported = [found.outcomes[fold, s.winner] for fold, s in enumerate(selections)]
    tests = [test for _, test in outer]
    tested = np.array([o.scores[procedure.choices[0].metrics[0]] for o in reported])
    positive = None if procedure.classes is None else procedure.classes.positive
    predictions = pool(data, tests, reported, positive)
    return NestedCVResult(
        test_scores={
            name: np.array([outcome.scores[name] for outcome in reported])
            for name in procedure.scorer.names
        },
        candidates=found.candidates,
        refit=procedure.refit,
        inner_scores=found.inner_scores,
        inner_others=found.inner_others,
        n_inner=tuple(len(splits) for splits in inner[: len(outer)]),
        selections=tuple(selections),
        tuning_matrix=_tuning_matrix(procedure, found),
        predictions=predictions,
        pooled=pooled_scores(procedure.scorer, predictions, get_tags(procedure.estimator)),
        train_scores={
            name: np.array([outcome.trained.get(name, np.nan) for outcome in reported])
            for name in procedure.scorer.names * plan.execution.return_train_score
        },
        n_train=np.array([len(train) for train, _ in outer]),
        n_test=np.array([len(test) for _, test in outer]),
        final=found.final,
        n_samples=len(data),
        searches=found.records,
        failures=found.failures,
        classes=procedure.classes,
        decisions=_decisions(found),
        kept_limits=_kept_limits(procedure, found, reported, predictions),
        plain_scores=_plain_scores(procedure, reported) if _changes(found) else {},
        rejections=rejections_of(reported, _decisions(found), procedure.scorer.names),
        scorer=procedure.scorer,
        naming=tuple(parameters_and_names(procedure.scorer)),
        notes=(
            *(_note_of_groups(data.groups, plan.findings) if checked else ()),
            *map(str, plan.findings),
            *_note_of_rows(len(data), outer, grouped=data.groups is not None),
            *(_notes_of_winners(procedure, found, tested) if checked else ()),
        ),
        estimators=tuple(o.model for o in reported if o.model is not None),
    )


def _tuning_matrix(procedure: Procedure, found: SearchOutcome) -> TuningMatrix:
    """Arrange the outer scores by the metric that chose and the metric reported on."""
    names, rows = procedure.scorer.names, found.selections
    outcomes = [[found.outcomes[i, s.winner] for i, s in enumerate(row)] for row in rows]
    scores = [[[o.scores[name] for o in row] for name in names] for row in outcomes]
    plain = [[[o.plain.get(name, np.nan) for o in row] for name in names] for row in outcomes]
    return TuningMatrix(
        tuned_on=tuple(("pooled " if procedure.pooled else "") + c.name for c in procedure.choices),
        plain_scores=np.array(plain, dtype=np.float64) if _changes(found) else None,
        stated_in=tuple(choice.metrics[0] for choice in procedure.choices),
        reported_on=names,
        scores=np.array(scores, dtype=np.float64),
        winners=np.array([[s.winner for s in row] for row in rows], dtype=np.intp),
        inner_means=np.array([[s.means[s.winner] for s in row] for row in rows]),
        candidates=found.candidates,
    )


def _decisions(found: SearchOutcome) -> tuple[Decision, ...]:
    """Return the decision of each outer fold, if any."""
    chosen = [(fold, s.winner) for fold, s in enumerate(found.selections[0])]
    return tuple(found.decisions[place] for place in chosen if place in found.decisions)


def _kept_limits(
    procedure: Procedure, found: SearchOutcome, reported: Sequence[Outcome], predictions: Any
) -> tuple[KeptLimit, ...]:
    """Return the limits by which candidates and thresholds were chosen, on the outer test rows."""
    chosen: tuple[KeptLimit, ...] = ()
    if isinstance(procedure.choices[0].rule, Constrained):
        nothing = np.zeros(len(reported), dtype=bool)
        for name, limit in procedure.choices[0].rule.bounds.items():
            reached = np.array([outcome.scores[name] for outcome in reported])
            text = f"{name} {limit} of the candidate chosen"
            chosen = (*chosen, KeptLimit(text, reached, limit.gap(reached), nothing))
    rule = None if procedure.decide is None else procedure.decide.threshold
    if rule is None or not rule.constraints:
        return chosen
    return (*chosen, *kept_limits(rule.constraints, _decisions(found), predictions))


def _changes(found: SearchOutcome) -> bool:
    """Whether a calibration or threshold changed labels or probabilities."""
    return any(decision.changes for decision in found.decisions.values())


def _plain_scores(procedure: Procedure, reported: Sequence[Outcome]) -> dict[str, Floats]:
    return {
        name: np.array([outcome.plain.get(name, np.nan) for outcome in reported])
        for name in procedure.scorer.names
    }


def _note_of_groups(groups: Any, found: Sequence[Finding]) -> tuple[str, ...]:
    """Return the number of groups, where no fold parts one."""
    if groups is None or any(each.check == "groups" for each in found):
        return ()
    names = np.unique(np.asarray(groups))
    return (f"{len(names)} groups of rows; no outer fold tests on a group that it trains on.",)


def _notes_of_winners(procedure: Procedure, found: SearchOutcome, test: Floats) -> tuple[str, ...]:
    """Return what winners and outer scores show after the last fit."""
    winners = [s.winner for s in found.selections[0]]
    inner = found.inner_scores[..., 0] if np.ndim(found.inner_scores) == 4 else np.zeros(0)
    name = procedure.choices[0].metrics[0]
    return (*edge_notes(found.candidates, winners, inner), *odd_fold_notes(name, test))


def _note_of_rows(rows: int, outer: Sequence[Split], *, grouped: bool) -> tuple[str, ...]:
    """Return how many rows no outer fold tests, and that rows in order may depend on each other."""
    tested = np.zeros(rows, dtype=bool)
    for _, test in outer:
        tested[test] = True
    text = []
    least, *_, most = sorted(len(test) for _, test in [*outer, *outer])
    if most > _UNEQUAL * least + 1:
        text.append(
            f"The outer test parts have {least} to {most} rows, and each part counts as much in a "
            "mean over the folds."
        )
    if not tested.all():
        text.append(
            f"{count(rows - int(tested.sum()), 'row')} of {rows} are tested by no outer fold; "
            f"every "
            f"score is about the other {int(tested.sum())}."
        )
    if in_order(outer) and not grouped:
        text.append(
            "Every outer fold tests on rows after those that it trains on. Intervals and tests "
            "assume independent rows, and are too narrow for serially dependent rows; interval of "
            "result.predictions with groups= of successive rows allows for it."
        )
    return tuple(text)
