"""The metric row: everything that is known about one metric."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ..._arrays import Array
from ..._deprecation import renamed_attribute
from .._cells.bounds import StepBound
from ..kinds.base import Kind, Problems
from ..kinds.totals import Total
from .averaging import Reading
from .parameters import checks_of


@dataclass(frozen=True, eq=False)
class Metric:
    """One row of the registry.

    Parameters
    ----------
    name : str
        Canonical name: the function's, without ``_score``.
    function : str
        The name of the public function.
    formula : callable
        Pure function of the record that `kind` hands it, vectorised over its leading axes; nan
        stands for 0/0.
    kind : Kind
        What the formula reads.
    family : str
        The group that tables show the metric in.
    greater_is_better : bool or None
        None where neither end is good.
    bounds : tuple of float
        The least and the greatest value.
    best : float
        The value of a perfect prediction.
    undefined : float
        The value that stands for 0/0.
    source : str
        The paper or book that defines the metric.
    aliases : tuple of str
        Other names in use.
    twin : str or None
        The function of scikit-learn with the same values.
    inputs : tuple of str
        The names of the two arrays that the function takes.
    formerly : str or None
        The older name of the second in scikit-learn.
    defaults : mapping
        Defaults of the function's keywords, where they differ from those of the kind.
    multilabel : bool
        Whether it can be read from multilabel indicators.
    guesses : bool
        Whether the twin takes the greater of two labels as positive and cannot be told otherwise.
    swapped : str or None
        The metric that takes this one's value when positives and negatives are exchanged, and with
        them the sides of their scores.
    transposed : str or None
        The metric that takes this one's value when truth and prediction are exchanged.
    counterpart : str
        The metric that falls as this one is pushed to a bound: the best threshold that keeps the bound
        is the one where it is greatest.
    losses : callable or None
        The value of every single example, where the metric is their mean. It takes the record of
        such examples, one along the first axis, and the formula's parameters.
    influence : callable or None
        The derivative of the value with respect to the weight of each example, of the record and the
        formula's parameters; of metrics that read the counts at thresholds two arrays, for a positive
        and for a negative at each distinct score, falling. None where no form is known.
    influence_from : int
        Rows from which intervals and paired tests take the influence by default; below, the bootstrap
        covers better.
    trials : callable or None
        Of metrics of scores that are the share of some examples among others: the share of all examples
        that these others are, of the record and the formula's parameters.
    totals : tuple of Total, callable or None
        The totals over rows that the formula is made of, beside the class weights: of its parameters,
        where it is called with them. None where it reads more.
    uninformed : float or None
        The value of predictions without information, where they all have the same: 1 for ratios.
    rises : bool
        Of metrics of scores: whether the value never falls where a positive's score rises or a
        negative's falls while the lowest and highest of each class stay, so that scores known within
        bounds give bounds of the value.
    reads_size : bool
        Of metrics of tables: whether the value changes where every count is doubled, as that of a
        correction for small samples does. Shares alone, such as a point of ROC space, leave it open.
    iterative : bool
        Of metrics of tables: whether equations are solved for the value, step by step, which at all
        thresholds of many scores takes far longer than a formula.
    step_bound : StepBound or None
        Of other metrics of scores: bounds of the value from the counts at the edges of such bounds.
    over_thresholds : {"sum", "best"} or None
        Of metrics that read the counts at thresholds: whether the value is a constant and a sum over the
        steps between neighbouring ones, or the greatest over them of numbers that do not fall with one
        of true and false positives and not rise with the other. It can then be taken run by run.
    bin_bound : callable or None
        Of metrics of probabilities in bins: takes cells of probabilities, whether the upper bound is
        asked for, and the formula's parameters; returns the bound.
    sharpest : float or None
        Of metrics that read values of probabilities, where it is known: the power of the true odds at
        which the metric is best, inf where it rises with it. 1 for proper ones, which the true
        probabilities suit best.
    finite : callable or None
        Of metrics of counts whose best value may be infinite: the finite value that scorers have
        there. It takes the record, a function that adds half an example to every cell of counts, and
        the parameters.
    interval : callable or None
        Takes a record of unweighted rows, the confidence level and the formula's parameters, and returns
        the ends and the standard error of an interval that the metric alone has, or None.
    no_interval : str
        Why the bootstrap says nothing of the value on the population, where that is known.
    interval_note : str
        What is known of how well bootstrap intervals of the metric cover.
    reason : callable or None
        Tells of a record, or of None for any, and the formula's parameters why the value is undefined,
        where that is not a ratio of 0/0.
    """

    name: str
    function: str
    formula: Callable[..., Any]
    kind: Kind
    family: str
    greater_is_better: bool | None
    bounds: tuple[float, float]
    best: float
    undefined: float
    source: str
    aliases: tuple[str, ...] = ()
    twin: str | None = None
    inputs: tuple[str, str] = ("y_true", "y_pred")
    formerly: str | None = None
    defaults: Mapping[str, Any] = field(default_factory=dict)
    multilabel: bool = True
    guesses: bool = False
    swapped: str | None = None
    transposed: str | None = None
    counterpart: str = "recall"
    losses: Callable[..., Any] | None = None
    influence: Callable[..., Any] | None = None
    influence_from: int = 0
    trials: Callable[..., Any] | None = None
    totals: tuple[Total, ...] | Callable[..., tuple[Total, ...] | None] | None = None
    uninformed: float | None = None
    rises: bool = False
    reads_size: bool = False
    iterative: bool = False
    step_bound: StepBound | None = None
    over_thresholds: Literal["sum", "best"] | None = None
    bin_bound: Callable[..., float] | None = None
    sharpest: float | None = None
    finite: Callable[..., Any] | None = None
    reason: Callable[..., str] | None = None
    interval: Callable[..., tuple[Any, Any, Any] | None] | None = None
    no_interval: str = ""
    interval_note: str = ""

    @property
    def proper(self) -> bool | None:
        """Whether the true probabilities suit the metric best; None where it reads no values of them."""
        return None if self.sharpest is None else self.sharpest == 1

    @cached_property
    def symmetric(self) -> bool:
        """Whether the value is the same where two classes, and with them their scores, are exchanged."""
        return self.swapped == self.name

    def positive_matters(self) -> bool:
        """Whether the value depends on which of two classes is the positive one.

        Scores that are given are those of one class, so it does.
        """
        return not (self.kind.counted and self.symmetric)

    def guesses_among(self, classes: Array) -> bool:
        """Whether the twin takes the greater of two labels as positive where none is named.

        scikit-learn's losses do so among numbers, and ask for the class among strings.
        """
        loss = self.twin is not None and self.kind.scale is None
        return self.guesses or (loss and classes.dtype.kind in "iuf")

    @property
    def bounded(self) -> bool:
        """Whether scores known within bounds give bounds of the value."""
        told = self.step_bound is not None or self.bin_bound is not None
        return self.rises or told or self.over_thresholds == "best"

    reads = renamed_attribute("reads", "kind.name")
    reads_labels = renamed_attribute("reads_labels", "kind.counted")

    @property
    def response_method(self) -> str | tuple[str, ...]:
        """The method of a classifier whose output the metric judges, or several to try in turn."""
        return self.kind.response_method

    @property
    def scorer_name(self) -> str:
        """The name under which greater is better."""
        return f"neg_{self.name}" if self.greater_is_better is False else self.name

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return (self.formula.__doc__ or "").strip().partition("\n")[0]

    def checked(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Check the values given for the formula's own parameters."""
        checks = self.parameters
        return {
            name: checks[name](name, value) if name in checks else value
            for name, value in parameters.items()
        }

    @cached_property
    def parameters(self) -> Mapping[str, Callable[[str, Any], Any]]:
        """The formula's own parameters that are annotated, and the check of each."""
        return checks_of(self.formula)

    def why(self, record: Any, parameters: Mapping[str, Any]) -> str:
        """Return what makes the value of a record, or of some if None, undefined."""
        return "0/0" if self.reason is None else self.reason(record, **self.completed(parameters))

    def completed(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the formula's own parameters, with their defaults where none are given."""
        own = inspect.signature(self.formula).parameters
        usual = {n: p.default for n, p in own.items() if p.default is not p.empty}
        return {**usual, **{name: value for name, value in parameters.items() if name in own}}

    def totals_of(self, parameters: Mapping[str, Any]) -> tuple[Total, ...] | None:
        """Return the totals over rows that the formula is made of; None where it reads more."""
        if not callable(self.totals):
            return self.totals
        return self.totals(self.completed(parameters))

    def under(self, options: Mapping[str, Any]) -> Metric:
        """Return the row under options: a sum in place of a mean has no upper bound."""
        if options.get("normalize", True) is not False:
            return self
        return replace(self, bounds=(-np.inf if self.bounds[0] < 0 else 0.0, np.inf))

    @cached_property
    def usual(self) -> Reading:
        """The metric under no options."""
        return Reading(self, {})

    def value(self, state: Any, **options: Any) -> Any:
        """Return the metric of a state: a float, or one value a class, a replicate or both."""
        return Reading(self, options).value(state)

    def names(self, state: Any, **options: Any) -> Any:
        """Return what the values of a metric with one value a class, or a sample, are of."""
        problem = Reading(self, options).problem(state)
        return problem.names if isinstance(problem, Problems) else None
