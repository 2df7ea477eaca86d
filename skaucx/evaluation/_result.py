"""The result of an evaluation: values by name, with their metrics, intervals and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._faces import Reportable
from .._text.plain import count
from .._text.reported import DIRECTION, Reported
from .._text.tables import Table, Tabular
from ..inference._intervals.interval import Interval, notes_of
from ..metrics._registry.names import is_set, named_metric, requested_entries
from ..metrics._registry.row import Metric


class Evaluation(Tabular, Reportable, Mapping[str, Any]):
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
    intervals : dict of str to Interval, default=None
        The interval of each metric, if requested.
    metrics : str or list, default="all"
        The metrics or sets that were requested; None stands for the set "default".
    n_rows : int, default=None
        The number of rows with a positive weight, where it is known.
    positive : tuple of label and int, default=None
        The positive class of two and its rows, where metrics are about it.
    joint : sequence of dict of str to Interval, default=()
        Of a group: the intervals that hold for all pairs of groups at once, and those that hold for
        two rates at once as well.
    """

    _index = "metric"

    def __init__(
        self,
        values: Mapping[str, Any],
        rows: Mapping[str, Metric] | None = None,
        classes: Mapping[str, Any] | None = None,
        note: str = "",
        intervals: Mapping[str, Interval] | None = None,
        metrics: Any = "all",
        n_rows: int | None = None,
        positive: tuple[Any, int] | None = None,
        joint: Sequence[Mapping[str, Interval]] = (),
    ) -> None:
        self._values, self._classes = dict(values), dict(classes or {})
        self.note, self.intervals, self.joint = note, dict(intervals or {}), joint
        self._metrics, self.n_rows, self.positive = metrics, n_rows, positive
        self.rows = {n: named_metric(n).row for n in values} if rows is None else dict(rows)

    def __getitem__(self, name: str) -> Any:
        """Return a value by the metric's name or an alias."""
        key = name if name in self._values else self._key(name)
        if key not in self._values:
            raise KeyError(f"{key!r} is not among the metrics; pass metrics=[{key!r}], or 'all'.")
        return self._values[key]

    def _key(self, name: str) -> str:
        """Return under which name a metric is here: its own, or that of a set."""
        named = named_metric(name)
        same = (key for key, row in self.rows.items() if row.name == named.row.name)
        return named.key if named.parameters else next(same, named.key)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def about(self) -> str:
        """Which metrics were requested, on how many rows, and how many of them are positive."""
        if self.n_rows is None:
            return ""
        [(_, first), *more] = requested_entries(
            "default" if self._metrics is None else self._metrics
        )
        named = f" of the set {first!r}" if is_set(first) and not more else ""
        label, positives = self.positive or ("", 0)
        positive = f", {positives:,} of the positive class {label}" if self.positive else ""
        return f"Metrics{named}, {count(self.n_rows, 'row')}{positive}"

    def _table(self) -> Table:
        found = [(name, *cell) for name in self.rows for cell in self.cells(name)]
        parts = {
            "metric": [name for name, *_ in found],
            "class": [label for _, label, _ in found],
            "value": [own["value"] for *_, own in found],
            "interval": [(own.get("low"), own.get("high")) for *_, own in found],
            "better": [DIRECTION[self.rows[name].greater_is_better] for name, *_ in found],
            "method": [own.get("method") for *_, own in found],
            "summary": [self.rows[name].summary for name, *_ in found],
        }
        if all(isinstance(label, str) and not label for label in parts["class"]):
            del parts["class"]
        notes, lines, hidden = self.note.splitlines(), [], []
        if self.intervals:
            notes += notes_of(self.intervals)
            lines = [self.line(name, own) for name, _, own in found]
            hidden = ["summary"]
        else:
            del parts["interval"], parts["method"]
        if self._metrics is None:
            notes.append(
                "More: metrics='all', the name of a set of list_sets(), or a list of names."
            )
        return Table.of_columns(
            parts, self.about, notes=notes, left={"class", "method", "better", "summary"},
            headed=False, lines=lines, hidden=hidden, formats={"class": str},
        )  # fmt: skip

    def line(self, name: str, own: Mapping[str, Any], **more: Any) -> Reported:
        """Return what is drawn of a value of :meth:`cells`, with its reference."""
        numbers = own["value"], own.get("low", np.nan), own.get("high", np.nan)
        share = self.positive[1] / self.n_rows if self.positive and self.n_rows else np.nan
        return Reported.of_row(name, numbers, self.rows[name], share=share, **more)

    def cells(self, name: str) -> list[tuple[Any, dict[str, Any]]]:
        """Return the values of a metric with their classes; one value belongs to all of them."""
        value, own = self[name], self.intervals.get(name)
        numbers = {"value": value}
        if own is not None:
            numbers |= {"low": own.low, "high": own.high}
        method = {} if own is None else {"method": own.method}
        columns = [np.atleast_1d(each).tolist() for each in numbers.values()]
        cells = [
            dict(zip(numbers, row, strict=True)) | method for row in zip(*columns, strict=True)
        ]
        labels = self._classes.get(name, np.arange(len(cells))).tolist() if np.ndim(value) else [""]
        return [*zip(labels, cells, strict=True)]
