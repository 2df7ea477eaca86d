"""Calibration: percentiles of the smooth calibration error, and the error by kernel smoothing."""

from ._registry.declare import functions_of

globals().update(functions_of(__name__))

__all__ = [*functions_of(__name__)]
