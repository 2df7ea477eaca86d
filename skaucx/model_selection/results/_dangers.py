"""Cautions on how a run was tuned and evaluated, printed with its numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..._text.tables import paragraph
from ...metrics._registry.declare import ALIASES
from ...metrics._registry.names import NamedMetric, labels_of
from .._types import Scorer
from ._pool import metric_of


def dangers(scorer: Scorer | None, refit: Sequence[str]) -> list[str]:
    """Return the cautions on tuning with an improper metric and on rescaling."""
    if scorer is None:
        return []
    known = {name: bound for name in scorer.names if (bound := metric_of(name, scorer)) is not None}
    rows = {name: bound.function.metric for name, bound in known.items()}
    proper = [name for name, row in rows.items() if row.proper]
    told = [
        _improper(name, float(rows[name].sharpest or 0), proper)
        for name in refit
        if name in rows and rows[name].proper is False
    ]
    minmax = [name for name, bound in known.items() if bound.parameters.get("rescale") == "minmax"]
    if minmax:
        told.append(
            f"{', '.join(minmax)}: rescale='minmax' uses the range of each scored part, so every "
            f"fold has a different scale; rescale='expit' has the same for all."
        )
    return told


def parameters_and_names(scorer: Scorer | None) -> list[str]:
    """Return the parameters of the metrics, and the metrics of aliases."""
    if scorer is None:
        return []
    known = {name: bound for name in scorer.names if (bound := metric_of(name, scorer)) is not None}
    named = [NamedMetric(n, bound.function, bound.parameters) for n, bound in known.items()]
    aliases = [
        f"{name} is {row.name}"
        for name, bound in known.items()
        if ALIASES.get(name.removeprefix("neg_")) == (row := bound.function.metric).name
    ]
    told = [f"Names: {', '.join(aliases)}."] if aliases else []
    return [*told, *filter(None, [labels_of(named)])]


def told_dangers(scorer: Scorer | None, refit: Sequence[str]) -> str:
    """Return the warnings of :func:`dangers` as text."""
    return "\n".join(paragraph(f"Warning: {told}", hang=2) for told in dangers(scorer, refit))


def _improper(name: str, sharpest: float, proper: Sequence[str]) -> str:
    at = "rises with the power" if math.isinf(sharpest) else f"is best at {sharpest:g}"
    return (
        f"tuned on {name}, which is not proper: with the odds of true probabilities raised to a "
        f"power "
        f"it {at}, not at 1, so it prefers models that are too sure. {_remedy(proper)}"
    )


def _remedy(proper: Sequence[str]) -> str:
    if proper:
        return f"{proper[0]} is proper: tune on it (refit={proper[0]!r})."
    return "No proper metric is reported; add 'neg_log_loss' or 'neg_brier_score_loss', and tune on it."
