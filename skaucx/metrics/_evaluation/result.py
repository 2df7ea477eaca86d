"""The result of an evaluation: values by name, with their metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..._compat import import_pandas
from .._cells.certified import Certified
from .._registry.names import named_metric
from .._registry.row import Metric
from ..estimation._interval import Interval
from ._text import (
    DEFAULT,
    DIRECTION,
    MORE,
    evaluation_html,
    evaluation_text,
    intervals_html,
    intervals_text,
    note_of_classes,
)


class Evaluation(Mapping[str, Any]):
    """The metrics of one set of predictions: a mapping from name to value that prints as a table.

    Parameters
    ----------
    values : dict of str to float or ndarray
        One value a metric, or one a class.
    rows : dict of str to Metric, default=None
        The properties of each metric; None where the names are those of metrics.
    classes : dict of str to ndarray, default=None
        The classes of metrics with one value a class.
    note : str, default=""
        How classes were averaged by default.
    baselines : dict of str to dict, default=None
        The chance levels of the same metrics.
    intervals : dict of str to Interval, default=None
        The interval of each metric, if requested.
    passes : int, default=1
        How often rows in chunks were gone through.
    about : str, default=""
        Which metrics were requested, and on how many rows; the first line of the text.
    n_rows : int, default=None
        The rows that weigh something, where they are known.
    positive : tuple of label and int, default=None
        The positive class of two and its rows, where metrics are about it.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        rows: Mapping[str, Metric] | None = None,
        classes: Mapping[str, Any] | None = None,
        note: str = "",
        baselines: Mapping[str, Mapping[str, Any]] | None = None,
        intervals: Mapping[str, Interval] | None = None,
        passes: int = 1,
        about: str = "",
        n_rows: int | None = None,
        positive: tuple[Any, int] | None = None,
    ) -> None:
        self.baselines = {name: dict(held) for name, held in (baselines or {}).items()}
        self._values, self._classes = dict(values), dict(classes or {})
        self.intervals, self.passes, self.about = dict(intervals or {}), passes, about
        self.n_rows, self.positive = n_rows, positive
        self.note = note or ("" if intervals else note_of_classes(self._classes))
        self.rows = {n: named_metric(n).row for n in values} if rows is None else dict(rows)

    def __getitem__(self, name: str) -> Any:
        """Return a value by the metric's name or an alias."""
        key = name if name in self._values else named_metric(name).key
        if key not in self._values:
            raise KeyError(f"{key!r} is not among the metrics; pass metrics=[{key!r}], or 'all'.")
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        blocks = [self.about] if self.about else []
        if self.intervals:
            blocks.append(intervals_text(self._lines(), self.rows, self.intervals, self.note))
        if self.baselines or not self.intervals:
            values = evaluation_text(self, self.rows, self.note, self.baselines)
            blocks += ["", values] if self.intervals else [values]
        more = [MORE] if self.about.startswith(DEFAULT) else []
        return "\n".join([*blocks, *more])

    def _repr_html_(self) -> str:
        """Show all of it in a notebook."""
        if self.intervals:
            return intervals_html(self._lines(), self.rows, self.intervals, self.note)
        return evaluation_html(self, self.rows, self.note, self.baselines)

    def _lines(self) -> dict[str, list[tuple[Any, dict[str, Any]]]]:
        return {name: self.cells(name) for name in self}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row a metric or one a class: value, bounds or interval, summary.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        records = [
            {"metric": name, "class": label, **cells, **self._facts(name)}
            for name in self
            for label, cells in self.cells(name)
        ]
        frame = import_pandas().DataFrame(records).set_index("metric")
        return frame if (frame["class"] != "").any() else frame.drop(columns="class")

    def cells(self, name: str) -> list[tuple[Any, dict[str, Any]]]:
        """Return the values of a metric with their classes; one value belongs to all of them."""
        value, columns = self[name], {"value": self[name]}
        text = {}
        if self.intervals:
            own = self.intervals[name]
            columns |= {"low": own.low, "high": own.high}
            text = {"method": own.method}
        elif any(isinstance(each, Certified) for each in self.values()):
            columns = {end: getattr(value, end, value) for end in ("value", "low", "high")}
        columns |= {column: held[name] for column, held in self.baselines.items()}
        numbers = {end: np.atleast_1d(array) for end, array in columns.items()}
        labels: Any = [""]
        if np.ndim(columns["value"]):
            labels = self._classes.get(name, np.arange(len(numbers["value"]))).tolist()
        return [
            (label, {end: array[k].item() for end, array in numbers.items()} | text)
            for k, label in enumerate(labels)
        ]

    def _facts(self, name: str) -> dict[str, str]:
        row = self.rows[name]
        return {"better": DIRECTION[row.greater_is_better], "summary": row.summary}
