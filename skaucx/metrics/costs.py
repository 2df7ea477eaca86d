"""Predictions evaluated by what each example costs."""

from ._registry.declare import functions_of

globals().update(functions_of(__name__))

__all__ = [*functions_of(__name__)]
