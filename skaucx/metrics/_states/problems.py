"""What a metric is evaluated on: one record, or one binary problem a class with its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from ..._arrays import Array, Floats

Formula = Callable[[Any], Any]


class Problem(NamedTuple):
    """One record; None where nothing tells which class is positive."""

    record: Any


class Problems(NamedTuple):
    """Several binary problems.

    Attributes
    ----------
    values : callable
        Takes a formula, returns its value of every problem along the last axis.
    sizes : ndarray of shape (..., n_problems)
        What each problem weighs in an average by size.
    names : ndarray of shape (n_problems,)
        The class, the label or the pair that each is about.
    noun : str
        What a problem is called.
    """

    values: Callable[[Formula], Floats]
    sizes: Floats
    names: Array
    noun: str = "class"


class State(Protocol):
    """Predictions of one kind, counted or held ready, from which any number of metrics is read."""

    def read(self, evaluate: Callable[[Any], Any], **options: Any) -> Any:
        """Return what `evaluate` makes of the state; a state of many replicates calls it for each."""
