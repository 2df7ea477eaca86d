"""The inner fits of all searches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from .._types import Floats, Params, Scorer, Split
from ..decisions._decision import Decision, DecisionRule, score_decided
from ..execution._dataset import Dataset
from ..execution._executor import Steps, Wanted
from ..execution._failures import FailedFit, failed_fits, warn_of_failures
from ..execution._job import Job, Outcome, Stage, failed_outcome, predict_candidate
from ..execution._pool import pool, pooled_scores
from ._procedure import Procedure


def scoring_job(
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
    instead = None
    if procedure.error_score != "raise":
        names = [name for name in scorer.names if name not in options.get("others", ())]
        instead = partial(failed_outcome, names=names, error_score=procedure.error_score)
    function = score_decided if "decision" in options else predict_candidate
    return Job(stage, params, function, arguments, data, outer_fold, inner_fold, instead)


# A search, a candidate, and an inner fold.
Place = tuple[int, int, int]


@dataclass(eq=False)
class InnerFits:
    """The inner fits of one search over C candidates and l folds, by R metrics that choose.

    ``scores`` has shape (C, l, R); an outcome is None where nothing is fitted yet.
    """

    splits: Sequence[Split]
    outcomes: list[list[Outcome | None]]
    scores: Floats

    @classmethod
    def of(cls, splits: Sequence[Split], n_candidates: int, n_metrics: int) -> InnerFits:
        """Nothing is fitted yet."""
        shape = n_candidates, len(splits)
        nothing: list[list[Outcome | None]] = [[None] * len(splits) for _ in range(n_candidates)]
        return cls(splits, nothing, np.full((*shape, n_metrics), np.nan))


class InnerLoop:
    """Fits candidates on inner folds, in one batch over all searches."""

    def __init__(
        self,
        procedure: Procedure,
        data: Dataset,
        inner: Sequence[Sequence[Split]],
        n_outer: int,
    ) -> None:
        self._procedure, self._data, self._n_outer = procedure, data, n_outer
        self._metrics = procedure.refit
        self._others = _others(procedure)
        self._scorer = procedure.scorer.subset([*self._metrics, *self._others])
        self._choosing = procedure.scorer.subset(self._metrics)
        self._jobs: dict[Place, Job] = {}
        n_candidates, n_metrics = len(procedure.candidates), len(self._metrics)
        self.tables = [InnerFits.of(splits, n_candidates, n_metrics) for splits in inner]

    def run(self) -> Steps[None]:
        """Fit every candidate on every fold; stop where nothing can be chosen."""
        yield from self._fit(self._open())
        outcomes = [outcome for _, outcome in self._arrived()]
        warn_of_failures(outcomes, "inner", self._procedure.error_score, choosing=self._metrics)

    def evaluated(self, table: InnerFits) -> Floats:
        """Return the scores that choose: of every fold (C, l, R), or of the joined folds (C, 1, R)."""
        if not self._procedure.pooled:
            return table.scores
        values = [self._joined(table, candidate) for candidate in range(len(table.scores))]
        return np.array(values, dtype=np.float64)[:, None]

    def _joined(self, table: InnerFits, candidate: int) -> list[float]:
        """Score the joined predictions of a candidate; undefined where a fold is missing."""
        outcomes = [outcome for outcome in table.outcomes[candidate] if outcome is not None]
        if any(outcome.failure is not None for outcome in outcomes):
            return [np.nan] * len(self._metrics)
        predictions = pool(self._data, [test for _, test in table.splits], outcomes)
        found = pooled_scores(self._choosing, predictions, get_tags(self._procedure.estimator))
        return [found[name].value for name in self._metrics]

    def failures(self) -> Iterator[FailedFit]:
        """Yield what failed, search by search."""
        places = [place for place, _ in self._arrived()]
        return failed_fits([self._jobs[p] for p in places], [o for _, o in self._arrived()])

    def _open(self) -> Iterator[Place]:
        """Yield all fits, in order."""
        for search, table in enumerate(self.tables):
            for candidate, fold in np.ndindex(table.scores.shape[:2]):
                yield search, candidate, fold

    def _arrived(self) -> Iterator[tuple[Place, Outcome]]:
        for search, table in enumerate(self.tables):
            for candidate, row in enumerate(table.outcomes):
                for fold, outcome in enumerate(row):
                    if outcome is not None:
                        yield (search, candidate, fold), outcome

    def _fit(self, places: Iterable[Place]) -> Steps[None]:
        """Fit in one batch and write down what came of it."""
        wanted = list(places)
        jobs = [self._job(*place) for place in wanted]
        outcomes: list[Outcome] = yield Wanted(jobs, "inner fits")
        for (search, candidate, fold), job, outcome in zip(wanted, jobs, outcomes, strict=True):
            table = self.tables[search]
            self._jobs[search, candidate, fold] = job
            table.outcomes[candidate][fold] = outcome
            table.scores[candidate, fold] = [outcome.scores[n] for n in self._metrics]

    def _job(self, search: int, candidate: int, fold: int) -> Job:
        rule = self._procedure.decide
        kept = ("predict",) if self._procedure.pooled else self._procedure.watched
        return scoring_job(
            self._procedure,
            self._data,
            self._scorer,
            "inner",
            self._procedure.candidates[candidate],
            self.tables[search].splits[fold],
            search if search < self._n_outer else None,
            fold,
            keep=kept if rule is None else rule.reads,
            others=self._others,
        )


def _others(procedure: Procedure) -> tuple[str, ...]:
    """Return the metrics of this package that do not choose.

    Without those that a calibration or a threshold, which are found afterwards, gives other values.
    """
    rule = procedure.decide
    if rule is not None and (rule.calibration or rule.reject):
        return ()
    others = {n: m for n, m in procedure.scorer.metrics.items() if n not in procedure.refit}
    return tuple(n for n, metric in others.items() if rule is None or not metric.of_labels)


def other_scores(tables: Sequence[InnerFits]) -> dict[str, Floats]:
    """Return the inner scores of metrics that do not choose, of shape (searches, C, l) each."""
    longest = max(len(table.splits) for table in tables)
    places = [
        ((search, candidate, fold), outcome.others)
        for search, table in enumerate(tables)
        for candidate, row in enumerate(table.outcomes)
        for fold, outcome in enumerate(row)
        if outcome is not None
    ]
    names = dict.fromkeys(name for _, others in places for name in others)
    shape = len(tables), len(tables[0].outcomes), longest
    found = {name: np.full(shape, np.nan) for name in names}
    for place, others in places:
        for name, value in others.items():
            found[name][place] = value
    return found


def decide(rule: DecisionRule, data: Dataset, chosen: Sequence[tuple[InnerFits, int]]) -> Decision:
    """Find calibration and threshold on the predictions of inner test parts by chosen candidates."""
    tests = [test for table, _ in chosen for _, test in table.splits]
    outcomes: list[Any] = [
        outcome for table, winner in chosen for outcome in table.outcomes[winner]
    ]
    return rule.decide(pool(data, tests, outcomes, rule.positive))
