"""The metric row: everything that is known about one metric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Reads = Literal["counts", "table", "order", "values", "unit_values", "probabilities"]

_RESPONSES: dict[str, str | tuple[str, ...]] = {
    "counts": "predict",
    "table": "predict",
    "order": ("decision_function", "predict_proba"),
    "values": "predict_proba",
    "unit_values": "predict_proba",
    "probabilities": "predict_proba",
}


@dataclass(frozen=True, eq=False)
class Metric:
    """One row of the registry.

    Parameters
    ----------
    name : str
        Canonical name: the function's, without ``_score``.
    formula : callable
        Pure function of the record that `reads` names, vectorised over its leading axes; nan
        stands for 0/0.
    reads : str
        What the formula reads: the four "counts" of one binary table, a whole confusion "table",
        only the "order" of scores, their "values", their values in [0, 1] ("unit_values"), or class
        "probabilities".
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
    multilabel : bool
        Whether it can be read from multilabel indicators.
    one_or_fail : bool
        Whether the twin's positive class is 1 by default.
    swapped : str or None
        The metric that takes this one's value when positives and negatives are exchanged.
    transposed : str or None
        The metric that takes this one's value when truth and prediction are exchanged.
    parameters : mapping
        The formula's own parameters and the check of each.
    """

    name: str
    formula: Callable[..., Any]
    reads: Reads
    greater_is_better: bool | None
    bounds: tuple[float, float]
    best: float
    undefined: float
    source: str
    aliases: tuple[str, ...] = ()
    twin: str | None = None
    inputs: tuple[str, str] = ("y_true", "y_pred")
    multilabel: bool = True
    one_or_fail: bool = False
    swapped: str | None = None
    transposed: str | None = None
    parameters: Mapping[str, Callable[[str, Any], Any]] = field(default_factory=dict)

    @property
    def reads_labels(self) -> bool:
        """Whether the metric judges predicted labels, not scores."""
        return self.reads in ("counts", "table")

    @property
    def response_method(self) -> str | tuple[str, ...]:
        """The method of a classifier whose output the metric judges, or several to try in turn."""
        return _RESPONSES[self.reads]

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
        if not parameters:
            return {}
        return {
            name: self.parameters[name](name, value) if name in self.parameters else value
            for name, value in parameters.items()
        }
