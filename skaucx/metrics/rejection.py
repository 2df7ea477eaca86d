"""Metrics of classifiers that may reject an example, and the thresholds of Chow's rule."""

from ._registry.declare import functions_of
from .curves._chow import chow_predictions, chow_thresholds

globals().update(functions_of(__name__))

__all__ = [*functions_of(__name__), "chow_predictions", "chow_thresholds"]
