"""The protocol of a kind of metrics: its arrays, their check, and the state for its metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, Literal, NamedTuple

from ..._arrays import Array, Bools, Floats

# The names of the arrays of a call.
TRUE, PRED, SCORE, WEIGHT = "y_true", "y_pred", "y_score", "sample_weight"

Formula = Callable[[Any], Any]


class _Strict(Enum):
    """A value of zero_division= by which undefined and infinite values become nan."""

    STRICT = "strict"


# Also within an average.
STRICT = _Strict.STRICT


class Problem(NamedTuple):
    """What a formula is evaluated on: one record, or several binary problems, which have names.

    Attributes
    ----------
    record : object or None
        The only record; None if its positive class is unknown.
    values : callable
        Takes a formula, returns its value of every problem along the last axis.
    sizes : ndarray of shape (..., n_problems)
        Weight of each problem in an average by size.
    names : ndarray of shape (n_problems,)
        The class, the label or the pair that each is about.
    noun : str
        The name of a problem.
    occurs : ndarray of shape (..., n_problems), bool, or None
        Whether each class is true, or predicted, of any example; None where all count.
    """

    record: Any = None
    values: Callable[[Formula], Floats] | None = None
    sizes: Floats | None = None
    names: Array | None = None
    noun: str = "class"
    occurs: Bools | None = None


class State:
    """A record counted, sorted or held as it is, from which any number of metrics is read.

    Attributes
    ----------
    multilabel : bool
        Whether it holds multilabel indicators.
    of_many : mapping
        The options with which :func:`evaluate` reads metrics of one class where there are many.
    unit : float
        The least weight of a row.
    """

    multilabel: bool = False
    of_many: Any = {}  # noqa: RUF012
    unit: float = 1.0

    def __init__(self, record: Any) -> None:
        self.record = record

    def accepts(self, kind: Kind) -> bool:
        """Whether the values can be read as a kind reads them; a named set leaves other metrics out."""
        return True


class Sample:
    """A record whose metrics are evaluated under many sets of weights of its rows.

    Parameters
    ----------
    record : Record
    inputs : Inputs
    multiplicity : ndarray of shape (n_rows,), int, default=None
        Number of equal examples that each row represents; these are no weights.

    Attributes
    ----------
    n_rows : int
    strata : ndarray of shape (n_rows,), int, or None
        The class of each row.
    weight : ndarray of shape (n_rows,), float64, or None
        Sample weights.
    """

    def __init__(self, record: Any, inputs: Inputs, multiplicity: Array | None = None) -> None:
        self.record, self.inputs, self.multiplicity = record, inputs, multiplicity
        self.n_rows, self.strata = record.n_rows, record.strata
        self.counted, self.ranked = record.counted, record.ranked
        self.one_column = record.one_column
        self.weight = record.weight if multiplicity is None else None

    @classmethod
    def of(cls, record: Any, inputs: Inputs, collapse: bool = False) -> Sample:
        """Return the sample of a record; with `collapse`, equal rows become one."""
        rows, many = record.collapsed() if collapse else (record, None)
        return cls(rows, inputs, many)

    @property
    def n_cells(self) -> int:
        """Numbers that a replicate holds in addition to its counts of rows."""
        return len(self.record.classes) ** 2 if self.counted else 1

    @cached_property
    def state(self) -> Any:
        """What metrics of the sample itself are read from."""
        many = self.multiplicity
        return self.inputs.make_state(
            self.record if many is None else self.record.reweighed(1.0 * many)
        )

    def each_class(self, options: Mapping[str, Any]) -> list[tuple[Sample, dict[str, Any]]]:
        """Return a sample and options for each class that `options` part; none of other kinds."""
        return [
            (Sample(record, self.inputs, many), own)
            for record, many, own in self.record.each_class(options, self.multiplicity)
        ]

    def reweighted(self, counts: Floats) -> Any:
        """Return what metrics are read from where row i counts ``counts[b, i]`` times.

        Replicates without a common state have a list of theirs.
        """
        weight = counts if self.weight is None else counts * self.weight
        if self.record.many_weights:
            return self.inputs.make_state(self.record.reweighed(weight))
        return [self.inputs.make_state(self.record.weighing(row)) for row in weight]


@dataclass(frozen=True, eq=False)
class Inputs:
    """The arrays that metrics of a kind are called with, and how they become a state.

    Parameters
    ----------
    name : str
        What messages call the predictions, such as "risk scores".
    argument : str
        The usual name of the second array.
    check : callable
        Called as ``check(first, second, names=, sample_weight=)``, with ``labels=`` where the first
        array holds classes, and with the arrays of `extra_arrays` by name; returns a :class:`Record`,
        or raises ValueError or TypeError.
    make_state : callable, default=State
        Makes the state that metrics are read from out of the record.
    of_response : callable
        Takes a model's response, its classes and the positive class or None; returns the second array.
    extra_arrays : tuple of str
        Further arrays with one entry per example that `check` takes by name.
    per_row_arguments : tuple of str
        Those of them that belong to the example whatever is predicted of it, such as its costs: two
        models that are compared share them.
    of_classes : bool
        Whether the first array holds class labels: folds then have classes, and positive ones, and
        `check` takes ``labels=``. Other kinds refuse it.
    evaluated_with : str, default=None
        The array that makes :func:`evaluate` read all metrics of the kind where none are named; those
        alone, if the kind is not `of_classes`.
    claims : callable, default=None
        Takes true values; returns whether they are of this kind where no metric is named.
    default_metrics : tuple of str
        Those of its metrics that the package's set "default" has, for two classes and for many.
    cut : callable, default=None
        Called as ``cut(threshold, pos_label)``; returns the inputs that read probabilities instead and
        cut them, for metrics with a parameter `threshold`.
    texts : mapping
        The description of arrays in docstrings, where it differs from that of classes.
    """

    name: str
    argument: str
    check: Callable[..., Any]
    make_state: Callable[[Any], Any] = State
    of_response: Callable[[Array, Array | None, Any], Array] = lambda response, *classes: response
    extra_arrays: tuple[str, ...] = ()
    per_row_arguments: tuple[str, ...] = ()
    of_classes: bool = False
    evaluated_with: str | None = None
    claims: Callable[[Any], bool] | None = None
    default_metrics: tuple[str, ...] = ()
    cut: Callable[[float, Any], Inputs] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)

    def record(self, first: Any, second: Any, *, labels: Any = None, **shared: Any) -> Any:
        """Check two arrays, and what else belongs to their rows."""
        if self.of_classes:
            shared["labels"] = labels
        elif labels is not None:
            raise TypeError(f"labels name classes, which {self.name} do not have; omit it.")
        return self.check(first, second, **shared)


def part_options(options: Mapping[str, Any], names: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Part options into those named, which the state reads, and the formula's own."""
    own = dict(options)
    return {name: own.pop(name) for name in names if name in own}, own


@dataclass(frozen=True, eq=False)
class Kind:
    """The input of the formula of a metric.

    Parameters
    ----------
    name : str
        The name under which metrics are declared.
    inputs : Inputs
        The arrays of a call; several kinds may share them.
    problem : callable, optional
        Called as ``problem(reading, state, **settings)`` with a metric under its options; returns the
        problem, or the problems to average over. By default the formula reads the record.
    settings : tuple of str
        The options that `problem` reads; the others are the formula's own.
    response_method : str or tuple of str, default="predict"
        The method of a model whose output is evaluated, or several to try in turn.
    options : mapping
        The keywords that all functions of the kind share, with their defaults.
    suffixes : mapping
        Suffixes of scorer names, mapped to options.
    scale : {"order", "shift and scale", "any", "unit"} or None
        Of scores: what maps leave the value as it is (every rising one, or every rising line), or
        that the values themselves are read: on any scale, or in [0, 1] only.
    multilabel : bool, default=False
        Whether metrics accept multilabel indicators by default.
    of_counts : callable or None
        Makes the record out of binary tables given by their counts.
    """

    name: str
    inputs: Inputs
    problem: Callable[..., Problem] = lambda of, state, **own: Problem(state.record)
    settings: tuple[str, ...] = ()
    response_method: str | tuple[str, ...] = "predict"
    options: Mapping[str, Any] = field(default_factory=dict)
    suffixes: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: {"": {}})
    scale: Literal["order", "shift and scale", "any", "unit"] | None = None
    multilabel: bool = False
    of_counts: Callable[[Any], Any] | None = None

    @property
    def counted(self) -> bool:
        """Whether a confusion table holds all that the formula reads."""
        return self.of_counts is not None
