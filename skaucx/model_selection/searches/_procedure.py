"""The procedure of a nested cross-validation, and the results of its searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._scoring import Classes
from .._types import ErrorScore, Floats, Params, Rule, Scorer
from ..decisions._choice import Choice, metrics_of
from ..decisions._decision import Decision, DecisionRule
from ..decisions._winner import FinalModel, Selection
from ..execution._failures import FailedFit
from ..execution._job import MODEL, POOLED, TRAINED, Outcome

# The outcome of every distinct winner, by outer fold and candidate, with its decision.
Refits = Mapping[tuple[int, int], Outcome]
Decisions = Mapping[tuple[int, int], Decision]


@dataclass(frozen=True, eq=False)
class Procedure:
    """Everything that a run needs except the data and the workers.

    ``search`` is None, or a separate search with its own candidates; ``classes`` is None if the
    targets are not plain classes; ``decide`` finds the calibration and the threshold; with
    ``pooled`` candidates are evaluated on their pooled inner predictions; ``return_estimator``
    keeps the winners' fits, ``train_score`` their scores on the training part.
    """

    estimator: Any
    candidates: Sequence[Params]
    search: Any
    scorer: Scorer
    choices: tuple[Choice, ...]
    classes: Classes | None
    outer_cv: Any
    inner_cv: Any
    final: Rule | None
    error_score: ErrorScore
    decide: DecisionRule | None = None
    pooled: bool = False
    return_estimator: bool = False
    train_score: bool = False

    @property
    def refit(self) -> tuple[str, ...]:
        """The metrics that the choices read, that of the first choice first."""
        return metrics_of(self.choices)

    @property
    def keep(self) -> tuple[str, ...]:
        """The results of the winners' fits to keep in addition to scores."""
        return (*POOLED, *[MODEL] * self.return_estimator, *[TRAINED] * self.train_score)

    @property
    def alone(self) -> bool:
        """Whether the search runs separately, one task per outer fold."""
        return self.search is not None


@dataclass(frozen=True, eq=False)
class SearchOutcome:
    """The choices of the searches and their scores: k outer folds, C candidates, R choices.

    ``records`` contains the table of every separate search, ``inner_others`` the inner scores
    of the metrics that do not choose.
    """

    candidates: tuple[Params, ...]
    inner_scores: Floats
    selections: Sequence[Sequence[Selection]]
    outcomes: Refits
    final: FinalModel | None
    failures: tuple[FailedFit, ...]
    decisions: Decisions = field(default_factory=dict)
    records: tuple[Mapping[str, Any], ...] = ()
    inner_others: Mapping[str, Floats] = field(default_factory=dict)
