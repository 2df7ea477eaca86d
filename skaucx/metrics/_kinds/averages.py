"""The table of averages over classes, labels and rows, from which all rooms take theirs.

To add an average, add its entry to :data:`AVERAGES`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np

from ..._arrays import Floats, float_array
from ..._options import check_choice


@dataclass(frozen=True)
class Average:
    """A rule that makes one value of several binary problems.

    Attributes
    ----------
    over : {"one", "classes", "rows", "sums"}
        What it evaluates: the positive class alone, each class, each row of multilabel indicators, or
        the sum of the counts, or of the pairs, of all classes.
    weights : {"equal", "by size"} or None
        What each problem weighs in the mean. None where nothing is averaged.
    """

    over: Literal["one", "classes", "rows", "sums"]
    weights: Literal["equal", "by size"] | None = None


AVERAGES: Mapping[str | None, Average] = {
    "binary": Average("one"),
    "macro": Average("classes", "equal"),
    "micro": Average("sums"),
    "samples": Average("rows", "by size"),
    "weighted": Average("classes", "by size"),
    None: Average("classes"),
}
# Those with one value, which have a suffix in names of scorers.
NAMED = tuple(str(name) for name, rule in AVERAGES.items() if name and rule.over != "one")


def average_of(name: Any, ways: Sequence[str] = ("one", "classes", "rows", "sums")) -> Average:
    """Return the rule of an average; raise an error for one that is evaluated in no such way."""
    return AVERAGES[check_choice("average", name, averages_over(*ways))]


def averages_over(*ways: str) -> tuple[str | None, ...]:
    """Return the averages that are evaluated in some ways."""
    return tuple(name for name, rule in AVERAGES.items() if rule.over in ways)


def mean_over_classes(name: Any) -> Literal["equal", "by size"] | None:
    """Return how an average weights the classes, where that is equally or by their sizes."""
    rule = average_of(name)
    return rule.weights if rule.over == "classes" else None


_UNIFORM, _EACH, BY_VARIANCE = "uniform_average", "raw_values", "variance_weighted"


def _check_outputs(name: str, value: Any, also: tuple[str, ...] = ()) -> Any:
    if isinstance(value, str):
        return check_choice(name, value, (_UNIFORM, _EACH, *also))
    weights = float_array(value, name)
    if weights.ndim != 1 or not (weights >= 0).all() or not weights.sum() > 0:
        raise ValueError(f"{name} must hold a weight >= 0 for each output, found {value!r}.")
    return weights


Outputs = Annotated[Any, _check_outputs]
OutputsOrVariance = Annotated[Any, partial(_check_outputs, also=(BY_VARIANCE,))]


def over_outputs(values: Floats, record: Any, *, multioutput: Outputs = _UNIFORM) -> Any:
    """Average the values of several outputs, the last axis: with equal weights, or with those given."""
    chosen = isinstance(multioutput, str)
    if not chosen and values.shape[-1:] != multioutput.shape:
        raise ValueError(
            f"multioutput holds {len(multioutput)} weights for {values.shape[-1]} outputs."
        )
    if chosen and multioutput == _EACH:
        return values
    return np.average(values, axis=-1, weights=None if chosen else multioutput)


def by_variance(values: Floats, record: Any, *, multioutput: OutputsOrVariance = _UNIFORM) -> Any:
    """Average the values of outputs, also with the variances of the true values as weights."""
    if isinstance(multioutput, str) and multioutput == BY_VARIANCE:
        apart = record.true - np.average(record.true, axis=0, weights=record.weights)
        spread = np.atleast_1d(record.weights @ apart**2)
        multioutput = spread if spread.any() else np.ones_like(spread)
    return over_outputs(values, record, multioutput=multioutput)
