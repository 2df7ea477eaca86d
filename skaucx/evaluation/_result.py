"""The text and the result of an evaluation: values by name, with their metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .._compat import import_pandas
from .._faces import Reportable
from .._text.lines import Line, metric_line
from .._text.numbers import ends, fixed
from .._text.plain import count, elided
from .._text.reported import DIRECTION
from .._text.tables import Table, Tabular
from ..inference._intervals.interval import Interval
from ..metrics._registry.names import is_set, named_metric, requested_entries
from ..metrics._registry.row import Metric

# How the text of the default metrics begins and ends.
DEFAULT = "Metrics of the set 'default'"
MORE = "More: metrics='all', the name of a set of list_sets(), or a list of names."
_CLASSES = 4  # values in a line; with more the range is printed


def about_evaluation(
    metrics: Any, rows: int | None, positive: tuple[Any, int] | None = None, note: str = ""
) -> str:
    """Return which metrics were requested, on how many rows, how many of them of the positive class.

    Nothing of a table of counts. A note may name the positive class already.
    """
    entries = [entry for _, entry in requested_entries("default" if metrics is None else metrics)]
    named = f"the set {entries[0]!r}" if len(entries) == 1 and is_set(entries[0]) else ""
    if rows is None:
        return ""
    positives = ""
    if positive is not None:
        named_below = f"Positive class: {positive[0]}" in note
        of = "positive" if named_below else f"of the positive class {positive[0]}"
        positives = f", {positive[1]:,} {of}"
    return f"Metrics{' of ' if named else ''}{named}, {count(rows, 'row')}{positives}"


def note_of_classes(classes: Mapping[str, Any]) -> str:
    """Return the names of the classes, if all metrics have one value for each of few classes."""
    named = {tuple(map(str, np.asarray(names).tolist())) for names in classes.values()}
    if len(named) != 1 or len(names := named.pop()) > _CLASSES:
        return ""
    return f"Several values in a line are those of {', '.join(names)}, in this order."


def cell(value: Any) -> str:
    """Return a value, those of a few classes, or the range of those of many."""
    if isinstance(value, float):
        return fixed(value)
    numbers = np.atleast_1d(value)
    if len(numbers) <= _CLASSES:
        return "  ".join(fixed(number) for number in numbers)
    return f"{len(numbers)} classes, {fixed(numbers.min())} to {fixed(numbers.max())}"


_MOST_GROUPS = 20
_LABEL = 34  # letters of a group
_NOT_SHOWN = ", no difference shown"
_UNDEFINED = "Undefined, and excluded from the gaps"
_SMALL = "Too small to compare (below 10 rows, or an interval over half the range of the metric)"


def groups_tables(found: Any) -> list[Table]:
    """Return a table a metric, a line a group, with the gaps; the last has the notes."""
    gaps, extremes = {"difference": found.difference(), "ratio": found.ratio()}, found.extremes()
    tables = [
        _table_of(
            found, name, {kind: each[name] for kind, each in gaps.items()}, extremes.get(name)
        )
        for name in found.rows
    ]
    last = tables[-1]
    odds = (
        [f"equalized odds difference: {_gap_text(found.equalized_odds())}"]
        if found.has_odds
        else []
    )
    return [*tables[:-1], replace(last, notes=[*last.notes, *odds, *_notes(found)])]


def _table_of(found: Any, name: str, kinds: Mapping[str, Interval], extremes: Any) -> Table:
    parts = [found.overall, *found.values()]
    counted = all(own is None or own.positive is not None for own in parts)
    rows = [
        [called(found.names, group), found.sizes[group], *_cells(own, name, counted)]
        for group, own in found.items()
    ]
    cut = len(rows) - _MOST_GROUPS
    more = [f"... and {cut} more groups: to_frame() shows all"] if cut > 0 else []
    rows = rows[:_MOST_GROUPS]
    if found.overall is not None:
        rows.append(["all", sum(found.sizes.values()), *_cells(found.overall, name, counted)])
    share = _share(found)
    heads = [elided(name, _LABEL), "rows", *(["positives"] if counted else []), "value"]
    heads += [f"{share} interval"] if share else []
    notes, lines = [*more, *_gaps(found, name, kinds, extremes)], []
    if share and not np.ndim(kinds["difference"].estimate):
        middle = np.nan if found.overall is None else float(found.overall[name])
        drawn = [*found.values()][:_MOST_GROUPS] + [found.overall] * (found.overall is not None)
        lines = [
            own.line(name, found.rows[name], own.cells(name)[0][1], reference=middle)
            for own in drawn
        ]
    return Table(heads, rows, notes=notes, lines=lines)


def _gaps(found: Any, name: str, kinds: Mapping[str, Interval], extremes: Any) -> list[str]:
    """Return the difference of the groups that are furthest apart, and the greatest of any two."""
    greatest = kinds["difference"]
    if np.ndim(greatest.estimate):
        return []
    if greatest.note:
        return [f"no gap: {greatest.note}"]
    if extremes is None:
        gaps = [f"{kind} {_gap_text(gap)}" for kind, gap in kinds.items()]
        return [", ".join(gaps[: 1 + (not np.isnan(kinds["ratio"].estimate))])]
    high, low = extremes
    difference, ratio = pair_texts(found.pair(high, low)[name])
    lines = [
        f"{_group(found, high)} {fixed(found[high][name])} - {_group(found, low)} "
        f"{fixed(found[low][name])}: difference {difference}{ratio and f', ratio {ratio}'}"
    ]
    if len(found) > 2 and not np.isnan(greatest.low):
        lines.append(f"greatest difference between any two groups: {_gap_text(greatest)}")
    return lines


def pair_texts(pair: Any) -> tuple[str, str]:
    """Return difference and ratio of two groups with their limits; "" for a ratio that is not finite."""
    ratio = _with_ends(*pair.ratio) if np.isfinite(pair.ratio[0]) else ""
    return _with_ends(*pair.difference) + ("" if pair.shown in (True, None) else _NOT_SHOWN), ratio


def _cells(own: Any, name: str, counted: bool = False) -> list[str]:
    """Return a value, or those of several classes, with the ends of the interval if any."""
    cells = [*([f"{own.positive[1]:,}"] if counted else []), cell(own[name])]
    if own.intervals:
        limits = zip(*(np.atleast_1d(end) for end in own.intervals[name]), strict=True)
        cells.append(" ".join(ends(low, high) for low, high in limits))
    return cells


def called(names: Sequence[str], group: Any) -> str:
    """Return the name of a group: each column with its value."""
    values: Sequence[Any] = group if len(names) > 1 else (group,)
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def _group(found: Any, group: Any) -> str:
    """Return the value of a group of one column, or all its columns with their values."""
    return str(group) if len(found.names) == 1 else called(found.names, group)


def _gap_text(gap: Interval) -> str:
    """Return a gap with its limits; those of a difference that begin at 0 show none."""
    shown = _NOT_SHOWN if gap.low == 0 and "difference between groups" in gap.target else ""
    return gap.note or _with_ends(gap.estimate, gap.low, gap.high) + shown


def _with_ends(value: float, low: float, high: float) -> str:
    return fixed(value) + ("" if np.isnan(low) else f" ({fixed(low)} to {fixed(high)})")


def _share(found: Any) -> str:
    level = found.simultaneous or _level_of_each(found)
    return "" if level is None else f"{100 * level:g} %"


def _level_of_each(found: Any) -> float | None:
    first = next(iter(found.values()))
    return next((own.confidence_level for own in first.intervals.values()), None)


def _notes(found: Any) -> Iterator[str]:
    """Return the text on averages, on intervals of differences, and on undefined values."""
    first = next(iter(found.values()))
    yield from first.note.splitlines()
    if share := _share(found):
        each = "hold one by one, not simultaneously"
        if found.simultaneous:
            level = f"{100 * (_level_of_each(found) or 0):.4g} %"
            each = f"hold for all groups at once, of one metric (Bonferroni: {level} each)"
        yield (
            f"Differences and ratios with {share} limits that hold for all pairs of groups at "
            f"once, of one metric; the intervals of groups {each}."
        )
    for what, groups_of in ((_UNDEFINED, found.undefined), (_SMALL, found.too_small)):
        by_groups: dict[tuple[Any, ...], list[str]] = {}
        for name, own in groups_of.items():
            by_groups.setdefault(tuple(own), []).append(name)
        for own, names in by_groups.items():
            yield f"{what}: {_few(names)} where {_few([called(found.names, g) for g in own])}."
    intervals = [each for own in found.values() for each in own.intervals.values()]
    notes = {note for each in intervals for note in each.note.split("; ")}
    yield from sorted(f"Note: {note}." for note in notes if " effective groups of " in note)


def _few(texts: Sequence[str], most: int = 5) -> str:
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


_BY_ITSELF = ", pointwise, not simultaneous"


def _name(name: str, label: Any) -> str:
    return name if label == "" else f"{name} of {label}"


def _notes_of_intervals(intervals: Mapping[str, Interval], note: str) -> list[str]:
    """Return the text on averages, on the target of the intervals, and on their notes."""
    first = next(iter(intervals.values()))
    most = max(intervals.values(), key=lambda found: found.n_resamples)
    resamples = f", bootstrap of {most.drawn}" if most.n_resamples else ""
    said: dict[str, list[str]] = {}
    for name, found in intervals.items():
        for line in filter(None, found.note.split("; ")):
            said.setdefault(line, []).append(name)
    shared = [line for line, names in said.items() if len(names) == len(intervals) > 1]
    share = f"{100 * first.confidence_level:g} %"
    return [
        *note.splitlines(),
        f"{share} intervals{_BY_ITSELF if len(intervals) > 1 else ''}: {first.target}{resamples}.",
        *(f"All: {line}." for line in shared),
        *(f"{_few(names, 4)}: {line}." for line, names in said.items() if line not in shared),
    ]


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
    about : str, default=""
        Which metrics were requested, and on how many rows; the first line of the text.
    n_rows : int, default=None
        The number of rows with a positive weight, where it is known.
    positive : tuple of label and int, default=None
        The positive class of two and its rows, where metrics are about it.
    of_pairs : dict of str to Interval, default=None
        Of a group: the intervals that hold for all pairs of groups at once.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        rows: Mapping[str, Metric] | None = None,
        classes: Mapping[str, Any] | None = None,
        note: str = "",
        intervals: Mapping[str, Interval] | None = None,
        about: str = "",
        n_rows: int | None = None,
        positive: tuple[Any, int] | None = None,
        of_pairs: Mapping[str, Interval] | None = None,
    ) -> None:
        self._values, self._classes = dict(values), dict(classes or {})
        self.intervals, self.about = dict(intervals or {}), about
        self.n_rows, self.positive = n_rows, positive
        self.of_pairs = dict(of_pairs or {})
        self.note = note or ("" if intervals else note_of_classes(self._classes))
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

    def _table(self) -> Table:
        more = [MORE] if self.about.startswith(DEFAULT) else []
        lines: list[Line] = []
        if self.intervals:
            head = ["metric", "value", "interval", "better", "method"]
            found = [
                (_name(name, label), row, own)
                for name, row in self.rows.items()
                for label, own in self.cells(name)
            ]
            rows = [
                [
                    name, own["value"], ends(own["low"], own["high"]),
                    DIRECTION[row.greater_is_better], own["method"],
                ]
                for name, row, own in found
            ]  # fmt: skip
            lines = [self.line(name, row, own) for name, row, own in found]
            notes = _notes_of_intervals(self.intervals, self.note)
        else:
            head = ["metric", "value", "better", "what it is"]
            rows = [
                [name, cell(self[name]), DIRECTION[row.greater_is_better], row.summary]
                for name, row in self.rows.items()
            ]
            notes = self.note.splitlines()
        return Table(
            head, rows, self.about, [*notes, *more], left={"better", head[-1]},
            headed=False, lines=lines,
        )  # fmt: skip

    @property
    def share(self) -> float:
        """The share of the positive class of two; nan where it is not known."""
        return self.positive[1] / self.n_rows if self.positive and self.n_rows else np.nan

    def line(self, name: str, row: Metric, own: Mapping[str, Any], **more: Any) -> Line:
        """Return what is drawn of a value of :meth:`cells`, with its reference."""
        numbers = own["value"], own.get("low", np.nan), own.get("high", np.nan)
        return metric_line(name, numbers, row, share=self.share, **more)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row a metric or one a class: value, interval, summary.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        records = [
            {"metric": name, "class": label, **cells}
            | {"better": DIRECTION[row.greater_is_better], "summary": row.summary}
            for name, row in self.rows.items()
            for label, cells in self.cells(name)
        ]
        frame = import_pandas().DataFrame(records).set_index("metric")
        return frame if (frame["class"] != "").any() else frame.drop(columns="class")

    def cells(self, name: str) -> list[tuple[Any, dict[str, Any]]]:
        """Return the values of a metric with their classes; one value belongs to all of them."""
        columns = {"value": self[name]}
        text = {}
        if self.intervals:
            own = self.intervals[name]
            columns |= {"low": own.low, "high": own.high}
            text = {"method": own.method}
        numbers = {end: np.atleast_1d(array) for end, array in columns.items()}
        labels: Any = [""]
        if np.ndim(columns["value"]):
            labels = self._classes.get(name, np.arange(len(numbers["value"]))).tolist()
        return [
            (label, {end: array[k].item() for end, array in numbers.items()} | text)
            for k, label in enumerate(labels)
        ]
