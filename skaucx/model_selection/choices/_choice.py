"""What ``refit`` stands for: metrics that choose by their mean, and rules that choose otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._types import Floats, Params
from ..results._selection import Selection, select
from ._rules import Constrained
from ._table import cv_results

Rule = Callable[[Mapping[str, Any]], int]


@dataclass(frozen=True, eq=False)
class Choice:
    """One way to choose among candidates.

    Attributes
    ----------
    name : str
        As the tuning matrix tells it.
    metrics : tuple of str
        Those that it reads; in the first one the inner means of winners are told.
    rule : callable or None
        From a table like ``cv_results_`` to the index of the winner; None for the highest mean.
    """

    name: str
    metrics: tuple[str, ...]
    rule: Rule | None = None

    def select(
        self,
        scores: Floats,
        skipped: NDArray[np.bool_],
        metrics: Sequence[str],
        candidates: Sequence[Params],
    ) -> Selection:
        """Choose by scores of shape (C, l, R), by R metrics.

        Raises
        ------
        ValueError
            If the rule returns what is no index of a candidate.
        """
        chosen = select(scores[:, :, metrics.index(self.metrics[0])], skipped)
        if self.rule is None or not chosen.decided:
            return chosen
        read = [metrics.index(name) for name in self.metrics]
        index = self.rule(cv_results(candidates, scores[:, :, read], self.metrics))
        if not isinstance(index, Integral) or not 0 <= index < len(candidates):
            raise ValueError(
                f"refit={self.name} must return the index of one of {len(candidates)} candidates, "
                f"returned {index!r}."
            )
        return replace(chosen, winner=int(index))


def choices_of(refit: Any, known: tuple[str, ...]) -> tuple[Choice, ...]:
    """Return the ways to choose that ``refit`` asks for; the first metric's mean by default.

    Parameters
    ----------
    refit : None, str, callable, dict, or list of these
        A metric; a function of ``cv_results_``; ``{metric: {other: (">=" or "<=", value)}}``.
    known : tuple of str
        Names of all metrics.

    Raises
    ------
    ValueError
        If there is none, one twice, or a metric that is not known.

    Examples
    --------
    >>> from skaucx.model_selection.choices._choice import choices_of
    >>> asked = ["npv", {"npv": {"recall": (">=", 0.9)}}]
    >>> [choice.name for choice in choices_of(asked, ("npv", "recall"))]
    ['npv', 'npv with recall >= 0.9']
    """
    if refit is None:
        return (Choice(known[0], known[:1]),)
    single = isinstance(refit, str | Mapping) or callable(refit)
    listed = [refit] if single else list(refit) if isinstance(refit, Iterable) else []
    choices = tuple(_choice(one, known) for one in listed)
    names = [choice.name for choice in choices]
    unknown = {name for choice in choices for name in choice.metrics} - set(known)
    if not names or len(set(names)) < len(names) or unknown:
        raise ValueError(
            f"refit must be one of the metrics {known}, a rule of these, or a list of distinct ones, "
            f"found {refit!r}."
        )
    return choices


def _choice(given: Any, known: tuple[str, ...]) -> Choice:
    if isinstance(given, Mapping) and len(given) == 1:
        [(metric, limits)] = given.items()
        given = Constrained(metric, limits)
    if not callable(given):
        return Choice(str(given), (given,))
    own = tuple(getattr(given, "metrics", known)) or known[:1]
    name = getattr(given, "name", None) or getattr(given, "__name__", None) or repr(given)
    return Choice(str(name), own, given)


def metrics_of(choices: Sequence[Choice]) -> tuple[str, ...]:
    """Return all metrics that are read, the first of the first choice first."""
    return tuple(dict.fromkeys(name for choice in choices for name in choice.metrics))
