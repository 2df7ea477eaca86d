"""Association and agreement in a confusion table: kappa and its relatives, Cramer's V, relative risk."""

from ._registry.declare import functions_of

globals().update(functions_of(__name__))

__all__ = [*functions_of(__name__)]
