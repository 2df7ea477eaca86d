"""Optuna's trials as inner fits: those of all outer folds in the same batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._types import Params, Split
from ..decisions._choice import cv_results
from ..decisions._winner import FinalModel, Selection, count_wins
from ..execution._dataset import Dataset
from ..execution._executor import Steps
from ._inner_loop import InnerLoop
from ._optuna_study import OptunaSearch, SearchStudy
from ._own_search import distinct
from ._procedure import Procedure, SearchOutcome
from ._race import out_of_the_race


class OptunaLoop(InnerLoop):
    """An inner loop whose candidates are trials: those of search s begin at s times ``n_trials``.

    Every search requests a trial, and the fits of all of them are one batch, or one batch per inner
    fold if trials may be pruned; the reported values do not depend on the number of workers.
    """

    def __init__(
        self,
        procedure: Procedure,
        data: Dataset,
        inner: Sequence[Sequence[Split]],
        n_outer: int,
    ) -> None:
        self._plan: OptunaSearch = procedure.search
        self._candidates: list[Params] = [{}] * (self._plan.n_trials * len(inner))
        super().__init__(replace(procedure, candidates=self._candidates), data, inner, n_outer)
        self._studies = [SearchStudy(self._plan, number) for number in range(len(inner))]

    @property
    def candidates(self) -> tuple[Params, ...]:
        """The parameters of all trials."""
        return tuple(self._candidates)

    @property
    def fits_saved(self) -> int:
        """Inner fits of trials that were given up."""
        return sum(int((~table.done[self._own(s)]).sum()) for s, table in enumerate(self.tables))

    def records(self) -> tuple[dict[str, Any], ...]:
        """Return the trials of each outer fold as a table like ``cv_results_``."""
        return tuple(self._record(search) for search in range(self._n_outer))

    def _fit_candidates(self) -> Steps[None]:
        """Ask every study for a trial and fit them, again and again."""
        for _ in range(self._plan.n_trials):
            for study in self._studies:
                self._candidates[self._row(study)] = study.ask()
            yield from self._try()
            for study in self._studies:
                table, row = self.tables[study.number], self._row(study)
                study.tell(table.scores[row], table.done[row])

    def _try(self) -> Steps[None]:
        """Fit the requested trials, on all folds or until they are pruned."""
        may_end = self._procedure.racing is not None or self._plan.pruner is not None
        running = self._studies
        last = max(len(table.splits) for table in self.tables)
        for folds in [[fold] for fold in range(last)] if may_end else [range(last)]:
            yield from self._fit(
                (study.number, self._row(study), fold)
                for study in running
                for fold in folds
                if fold < len(self.tables[study.number].splits)
            )
            if may_end:
                running = [study for study in running if not self._given_up(study, folds[0])]

    def _given_up(self, study: SearchStudy, fold: int) -> bool:
        """Report the scores of a trial to its study, and whether pruner or racing end it."""
        table, row = self.tables[study.number], self._row(study)
        if study.report(table.scores[row, table.done[row], 0], fold):
            return True
        if self._procedure.racing is None:
            return False
        seen = np.array(table.done.all(axis=1))
        seen[row] = True
        out = out_of_the_race(table.scores[seen], table.done[seen], self._greatest())
        return bool(out[np.flatnonzero(seen) == row][0])

    def _own(self, search: int) -> slice:
        return slice(search * self._plan.n_trials, (search + 1) * self._plan.n_trials)

    def _row(self, study: SearchStudy) -> int:
        """Return the index of the trial that was requested last."""
        return self._own(study.number).start + study.asked - 1

    def _record(self, search: int) -> dict[str, Any]:
        table, own = self.tables[search], self._own(search)
        names = self._procedure.refit if len(self._procedure.refit) > 1 else ["score"]
        found = cv_results(self._candidates[own], table.scores[own], names)
        kept = {name: column for name, column in found.items() if not name.startswith("param_")}
        return {**kept, "pruned": np.logical_not(table.done[own].all(axis=1))}


def winners_only(found: SearchOutcome) -> SearchOutcome:
    """Omit unused trials: candidates are the distinct winning parameters."""
    chosen = [s.winner for by_metric in found.selections for s in by_metric]
    last = [] if found.final is None else [int(found.final.index or 0)]
    order = list(dict.fromkeys([*chosen, *last]))
    candidates, places = distinct([found.candidates[trial] for trial in order])
    place = dict(zip(order, places, strict=True))

    def moved(s: Selection) -> Selection:
        """Join the trials with equal parameters: the winner among them, or else the last one."""
        own = [t for t in (*order, s.winner) if s.undefined[t] or not np.isnan(s.means[t])]
        means, undefined = np.full(len(candidates), np.nan), np.zeros(len(candidates), np.intp)
        for trial in own:
            means[place[trial]], undefined[place[trial]] = s.means[trial], s.undefined[trial]
        return replace(s, winner=place[s.winner], means=means, undefined=undefined)

    selections = [[moved(s) for s in by_metric] for by_metric in found.selections]
    final = found.final
    if final is not None:
        final = FinalModel.of(
            final.rule, place[last[0]], candidates, final.inner_mean, count_wins(selections[0]),
            final.estimator,
        )  # fmt: skip
    shape = (len(found.inner_scores), len(candidates), 0, found.inner_scores.shape[-1])
    return replace(
        found,
        candidates=candidates,
        inner_scores=np.empty(shape),
        selections=selections,
        outcomes={(fold, place[c]): outcome for (fold, c), outcome in found.outcomes.items()},
        decisions={(fold, place[c]): decision for (fold, c), decision in found.decisions.items()},
        final=final,
    )
