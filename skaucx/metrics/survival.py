"""Predicted risks and survival functions evaluated by times until an event, some of them censored."""

from ._registry.declare import functions_of

globals().update(functions_of(__name__))

__all__ = [*functions_of(__name__)]
