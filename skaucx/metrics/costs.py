"""Predictions evaluated by what each example costs."""

from ._registry.declare import functions_of as _functions_of

globals().update(_functions_of(__name__))

__all__ = [*_functions_of(__name__)]
