"""A nested cross-validation that is ready to run, and what its searches found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._checks import Finding
from .._run_options import Decisions, Execution
from .._scoring import Classes
from .._types import FinalRule, Params, Scorer, Split
from ..decisions._choice import metrics_of
from ..decisions._decision import Decision
from ..decisions._winner import FinalModel, Selection
from ..execution._dataset import Dataset
from ..execution._failures import FailedFit
from ..execution._job import MODEL, POOLED, TRAINED
from ..execution._parallel import Job
from ._candidates import InnerSearch


@dataclass(frozen=True, eq=False)
class NestedRun:
    """A nested cross-validation: what is searched, on which data and folds.

    ``inner`` are the splits of each outer training part, and last of all data if they are searched;
    ``classes`` is None if the targets are not plain classes; ``findings`` are those about the data and
    the outer folds.
    """

    search: InnerSearch
    scorer: Scorer
    classes: Classes | None
    decisions: Decisions
    final: FinalRule
    data: Dataset
    outer: Sequence[Split]
    inner: Sequence[Sequence[Split]]
    execution: Execution
    findings: Sequence[Finding] = ()

    @property
    def refit(self) -> tuple[str, ...]:
        """The metrics that the choices read, that of the first choice first."""
        return metrics_of(self.search.choices)

    @property
    def positive(self) -> Any:
        """The positive class of two, or None."""
        return None if self.classes is None else self.classes.positive

    @property
    def decides(self) -> bool:
        """Whether a calibration, a threshold or a rejection is found for the winners."""
        given = self.decisions
        return any(each is not None for each in (given.calibration, given.threshold, given.reject))

    @property
    def keep(self) -> tuple[str, ...]:
        """The results of the winners' fits to keep in addition to scores."""
        kept = self.execution
        more = [MODEL] * kept.return_estimator + [TRAINED] * kept.return_train_score
        return (*POOLED, *more)


@dataclass(frozen=True, eq=False)
class Found:
    """What the searches chose, and their scores: k outer folds, C candidates, R choices.

    ``jobs`` is the second list: refits of the winners and of the final model, or searches of their own.
    ``outcomes`` and ``decisions`` are those of every distinct winner, by outer fold and candidate;
    outcomes are None until the jobs are done.
    """

    jobs: Sequence[Job]
    candidates: tuple[Params, ...] = ()
    inner_scores: Any = None
    selections: Sequence[Sequence[Selection]] = ()
    outcomes: Mapping[tuple[int, int], Any] = field(default_factory=dict)
    decisions: Mapping[tuple[int, int], Decision] = field(default_factory=dict)
    final: FinalModel | None = None
    failures: tuple[FailedFit, ...] = ()
