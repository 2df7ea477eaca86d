"""The kind of a metric: what its formula reads, as one object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..._arrays import Array, label_array
from .._states.problems import Problem, Problems, State

Scale = Literal["order", "shift and scale", "any", "unit"]


@dataclass(frozen=True, eq=False)
class Prediction:
    """What of a model is judged, and how two arrays of it become a state.

    Parameters
    ----------
    name : str
        What messages call it.
    argument : str
        The usual name of the second array.
    check : callable
        Called as ``check(first, second, names=, labels=, sample_weight=)``; returns a frozen record
        of checked arrays, or refuses them.
    hold : callable
        Makes the state that metrics are read from out of the record.
    of_response : callable
        Takes a classifier's response, its classes and the positive class or None; returns the second
        array.
    read, read_true : callable
        Called as ``read(values, name)``; returns the second array, or the first, checked by itself.
    beside : tuple of str
        Further arrays of one entry an example that `check` takes by name.
    of_rows : tuple of str
        Those of them that an example has whatever is predicted of it, such as its costs: two
        classifiers that are compared share them.
    in_columns : bool
        Whether a column of the second array stands for each class that the classifier knows, and for
        no other.
    """

    name: str
    argument: str
    read: Callable[[Any, str], Array]
    check: Callable[..., Any]
    hold: Callable[[Any], State]
    of_response: Callable[[Array, Array | None, Any], Array]
    read_true: Callable[[Any, str], Array] = label_array
    beside: tuple[str, ...] = ()
    of_rows: tuple[str, ...] = ()
    in_columns: bool = False

    def state(self, first: Any, second: Any, *, names: tuple[str, str], **shared: Any) -> State:
        """Check two arrays and hold them ready."""
        return self.hold(self.check(first, second, names=names, **shared))


@dataclass(frozen=True, eq=False)
class Kind:
    """What the formula of a metric reads.

    Parameters
    ----------
    name : str
        The name under which metrics are declared.
    judged : Prediction
        What of a model is judged.
    select : callable
        Called as ``select(metric, options, zero_division)``; returns what takes a state and returns the
        problem, or the problems to average over, and those of the options that are the formula's own.
    response_method : str or tuple of str
        The method of a classifier whose output is judged, or several to try in turn.
    options : mapping
        The keywords that all functions of the kind share, with their defaults.
    suffixes : mapping
        From what a scorer's name may end with to the options that it stands for.
    scale : {"order", "shift and scale", "any", "unit"} or None
        Of scores: what maps leave the value as it is (every rising one, or every rising line), or
        that the values themselves are read: on any scale, or in [0, 1] only.
    multilabel : bool
        Whether multilabel indicators are read, unless a metric says otherwise.
    needs_every_class : bool
        Whether an average is undefined where a class has no example.
    of_counts : callable or None
        Makes the record out of binary tables given by their counts.
    of_tables : callable or None
        Makes the record out of a stack of K x K tables.
    """

    name: str
    judged: Prediction
    select: Callable[..., tuple[Callable[[Any], Problem | Problems], dict[str, Any]]]
    response_method: str | tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    suffixes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    scale: Scale | None = None
    multilabel: bool = True
    needs_every_class: bool = False
    of_counts: Callable[[Any], Any] | None = None
    of_tables: Callable[[Any], Any] | None = None

    @property
    def counted(self) -> bool:
        """Whether a confusion table holds all that the formula reads."""
        return self.of_counts is not None
