"""The section of a report on times until an event: events, follow-up, horizon, and pictures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .._text.numbers import percent, significant
from ._displays import SurvivalCalibrationDisplay, TimeDependentDisplay
from ._kinds import survival_times

Drawing = tuple[str, Callable[..., Any]]
_TIMES = 0.1, 0.9, 9  # shares of the events, between which discrimination is drawn


def rows(
    y_true: Any, y_pred: Any = None, y_score: Any = None, *, horizon: Any = None,
    sample_weight: Any = None, **_parameters: Any,
) -> tuple[str, dict[str, str], list[Drawing]] | None:  # fmt: skip
    """Return the default metrics, facts and pictures of times until an event; None of other rows."""
    try:
        time, event = survival_times(y_true, "y_true")
    except (TypeError, ValueError):
        return None
    events, weight = int(event.sum()), {"sample_weight": sample_weight}
    censored = len(event) - events
    facts = {
        "Events": f"{events:,} ({percent(events / len(event))}), {censored:,} rows censored",
        "Follow-up": f"median {significant(np.median(time))}, up to {significant(time.max())}",
    }
    drawn: list[Drawing] = []
    if horizon is not None:
        by_then = int((event & (time <= horizon)).sum())
        facts["Horizon"] = f"{significant(horizon)}, {by_then:,} events by then"
        if y_pred is not None:
            draw: Any = partial(
                SurvivalCalibrationDisplay.from_predictions,
                y_true,
                y_pred,
                horizon=horizon,
                **weight,
            )
            drawn.append((f"Calibration at {significant(horizon)}, groups of equal size", draw))
    times = np.unique(np.quantile(time[event], np.linspace(*_TIMES))) if events else np.empty(0)
    if y_score is not None and len(times := times[times < time.max()]) > 1:
        draw = partial(
            TimeDependentDisplay.from_predictions, y_true, y_score, times=times, **weight
        )
        drawn.append(
            ("Discrimination by time, between the first and last tenth of the events", draw)
        )
    return "survival", facts, drawn
