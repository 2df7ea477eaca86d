"""Similarity of two sets of examples: those that are positive and those that are predicted so."""

from __future__ import annotations

from ._registry.declare import functions_of

_METRICS = functions_of(__name__)
globals().update(_METRICS)

__all__ = [*_METRICS]
