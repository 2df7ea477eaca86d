"""Information in a confusion table and in probabilities: entropies and mutual information."""

from ._registry.declare import functions_of as _functions_of

globals().update(_functions_of(__name__))

__all__ = [*_functions_of(__name__)]
