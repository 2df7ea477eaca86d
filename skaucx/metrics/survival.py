"""Predicted risks and survival functions evaluated by times until an event, some of them censored."""

from __future__ import annotations

from ._registry.declare import functions_of

_METRICS = functions_of(__name__)
globals().update(_METRICS)

__all__ = [*_METRICS]
