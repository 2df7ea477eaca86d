"""Information in a confusion table and in probabilities: entropies and mutual information."""

from ._registry.declare import functions_of

globals().update(functions_of(__name__))

__all__ = [*functions_of(__name__)]
