"""A metric with parameters bound: what a scorer calls."""

from __future__ import annotations

import inspect
from typing import Any

from .._registry.averaging import STRICT
from .._registry.declare import MetricFunction, read


class BoundMetric:
    """A metric with parameters bound, as a scorer calls it: nan wherever the value is undefined.

    Binding `zero_division` chooses another value.

    Its signature shows the bound parameters, because scikit-learn reads from there which class a
    scorer takes as positive.

    Parameters
    ----------
    function : callable
        A metric of this package.
    parameters : dict
        Its parameters.
    """

    def __init__(self, function: MetricFunction, parameters: dict[str, Any]) -> None:
        self.function, self.parameters = function, parameters
        self.__name__ = repr(self)

    def __call__(self, *arrays: Any, **given: Any) -> Any:
        """Return the value for two arrays."""
        options = {"zero_division": STRICT} | self.parameters | given
        return read(self.function.metric, *arrays, **options)

    @property
    def response_method(self) -> str | tuple[str, ...]:
        """The method of a classifier to judge; of many classes, the one with a column a class."""
        if "multi_class" in self.parameters:
            return "predict_proba"
        return self.function.metric.response_method

    @property
    def __signature__(self) -> inspect.Signature:
        """The metric's signature with the bound values as defaults."""
        shown = []
        for name, parameter in inspect.signature(self.function).parameters.items():
            if name == "zero_division" or self._hides(name):
                continue
            default = self.parameters.get(name, parameter.default)
            shown.append(parameter.replace(default=default))
        return inspect.Signature(shown)

    def _hides(self, name: str) -> bool:
        """Whether `labels` is to be hidden: a caller that sees it sets both it and `pos_label`."""
        return name == "labels" and not {"labels", "pos_label"}.isdisjoint(self.parameters)

    def __repr__(self) -> str:
        bound = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        name = self.function.__name__
        return f"{name}({bound.removeprefix(', ')})" if bound else name
