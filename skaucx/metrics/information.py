"""Information in a confusion table and in probabilities: entropies and mutual information."""

from __future__ import annotations

from ._registry.declare import functions_of

_METRICS = functions_of(__name__)
globals().update(_METRICS)

__all__ = [*_METRICS]
