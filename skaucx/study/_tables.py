"""Frames, and the note on measures that are not proper."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .._compat import import_pandas
from .._text.plain import paragraph
from ..metrics._registry.names import named_metric


def frame(columns: Any, rows: Any, name: str) -> Any:
    """Return a pandas DataFrame of columns, whose index has a name."""
    pandas = import_pandas()
    return pandas.DataFrame(columns, index=pandas.Index(rows, name=name))


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
