"""Similarity of two sets of examples: those that are positive and those that are predicted so."""

from ._registry.declare import functions_of as _functions_of

globals().update(_functions_of(__name__))

__all__ = [*_functions_of(__name__)]
