"""Association and agreement in a confusion table: kappa and its relatives, Cramer's V, relative risk."""

from __future__ import annotations

from ._registry.declare import functions_of

_METRICS = functions_of(__name__)
globals().update(_METRICS)

__all__ = [*_METRICS]
