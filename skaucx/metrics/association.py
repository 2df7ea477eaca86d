"""Association and agreement in a confusion table: kappa and its relatives, Cramer's V, relative risk."""

from ._registry.declare import functions_of as _functions_of

globals().update(_functions_of(__name__))

__all__ = [*_functions_of(__name__)]
