"""Metrics of classifiers that may reject an example, and the thresholds of Chow's rule."""

from ._registry.declare import functions_of as _functions_of
from .curves._chow import chow_predictions, chow_thresholds

globals().update(_functions_of(__name__))

__all__ = [*_functions_of(__name__), "chow_predictions", "chow_thresholds"]
