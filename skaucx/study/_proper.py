"""The note on measures that are not proper."""

from __future__ import annotations

import math
from collections.abc import Iterable

from .._text.plain import paragraph
from ..metrics._registry.names import named_metric


def of_sharpening(measures: Iterable[str]) -> str:
    """Return which measures are not proper, and the effect of sharpening true probabilities."""
    reported = [
        f"{row.name} " + ("rises with it" if math.isinf(row.sharpest) else f"{row.sharpest:g}")
        for row in (named_metric(name).row for name in measures)
        if row.sharpest is not None and not row.proper
    ]
    if not reported:
        return ""
    text = (
        "Not proper: with the odds of true probabilities raised to a power, Brier score and log "
        f"loss are best at 1, but {', '.join(reported)} (python -m benchmarks.dangers)."
    )
    return paragraph(text, hang=2)
