"""A metric under options: what they mean is settled once, and read from any number of states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._states.problems import Problem, State
from .averaging import SCORED, Row, apply_quietly, average_values, corrected, quiet, settle


class Reading:
    """A metric under options.

    Parameters
    ----------
    metric : Metric
    options : mapping
        Keywords of its function, save the arrays and what is checked with them.
    zero_division : {"warn", 0, 1, nan}, STRICT or SCORED, default="warn"
    """

    def __init__(
        self, metric: Row, options: Mapping[str, Any], zero_division: Any = "warn"
    ) -> None:
        self.metric, self.options, self.zero_division = metric, options, zero_division
        self.problem, self.parameters = metric.kind.select(metric, options, zero_division)
        self._bounded = metric.bounded

    def value(self, state: State) -> Any:
        """Return the metric of a state: a float, or one value a class, a replicate or both."""
        with quiet():
            return self.value_quietly(state)

    def value_quietly(self, state: State) -> Any:
        """Return the metric of a state, within :func:`quiet`, which many readings may share."""
        return state.read(self._value, bounded=self._bounded, **self.options)

    def _value(self, state: Any) -> Any:
        problem, metric, parameters = self.problem(state), self.metric, self.parameters
        unit = getattr(state, "unit", 1.0) if self.zero_division is SCORED else None

        def evaluated(record: Any) -> Any:
            found = apply_quietly(metric, record, parameters)
            return found if unit is None else corrected(metric, found, record, parameters, unit)

        if isinstance(problem, Problem):
            record = problem.record
            found = evaluated(record)
            return settle(
                metric, found, self.zero_division, why=lambda: metric.why(record, parameters)
            )
        values = problem.values(evaluated)
        average = self.options.get("average", metric.kind.options.get("average"))
        return average_values(metric, values, problem, average, self.zero_division)
