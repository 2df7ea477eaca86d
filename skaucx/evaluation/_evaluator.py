"""What an evaluation reads, checked once, and the metrics and intervals read from it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from .._arrays import Codes, check_rows, take_rows, weight_vector
from .._options import Confidence
from ..inference._intervals.interval import Interval, intervals_at
from ..metrics._kinds import known_inputs
from ..metrics._kinds.base import PRED, SCORE, TRUE, WEIGHT, Inputs, Sample
from ..metrics._records.inputs import (
    known_positive,
    masked_labels,
    names_positive,
    positive_code,
    refuse_no_predictions,
    warn_of_apart,
)
from ..metrics._registry.declare import (
    check_complete,
    declared_or_taking,
    missing_options,
    plain,
    share,
)
from ..metrics._registry.names import (
    NamedMetric,
    is_set,
    labels_of,
    members_of,
    named_metric,
    named_metrics,
    names_sets,
    requested_entries,
)
from ._result import Evaluation

REJECTED = "rejected"


@dataclass(frozen=True, eq=False)
class EvaluationInput:
    """Records of the rows by the inputs that they were checked as.

    Attributes
    ----------
    records : dict of Inputs to Record
    rows : dict of Inputs to ndarray of int
        The rows of a record that holds some only: those whose predictions are accepted.
    repeated : bool
        Whether weights are numbers of equal examples.
    """

    records: Mapping[Inputs, Any]
    rows: Mapping[Inputs, Codes] = field(default_factory=dict)
    repeated: bool = False

    @classmethod
    def of(
        cls,
        arrays: Mapping[str, Any],
        labels: Any,
        metrics: Any,
        parameters: Mapping[str, Any],
        *,
        repeated: bool,
    ) -> EvaluationInput:
        """Check the arrays that are given as the requested metrics read them."""
        read = inputs_read(metrics, arrays, parameters)
        if any(inputs.of_classes for inputs in read):
            check_rows({name: arrays.get(name) for name in (TRUE, PRED, SCORE, WEIGHT)})
        accepted, weight = _accepted(arrays), weight_vector(arrays.get(WEIGHT))
        records, rows = {}, {}
        for inputs in read:
            names = TRUE, inputs.argument
            read_of = [*names, WEIGHT, *inputs.extra_arrays]
            own = {name: arrays[name] for name in read_of if arrays.get(name) is not None}
            if inputs.argument not in own:
                continue
            if (
                accepted is not None
                and inputs.argument == PRED
                and REJECTED not in inputs.extra_arrays
            ):
                if not accepted.any():
                    continue
                own = {
                    name: take_rows(values, np.flatnonzero(accepted))
                    for name, values in own.items()
                }
                own[PRED] = np.asarray(np.ma.getdata(own[PRED]))
                rows[inputs] = np.flatnonzero(accepted if weight is None else accepted[weight > 0])
            first, second = own.pop(TRUE, None), own.pop(inputs.argument)
            records[inputs] = inputs.record(first, second, names=names, labels=labels, **own)
            warn_of_apart(records[inputs], names)
        return cls(records, rows, repeated)

    @property
    def states(self) -> dict[Inputs, Any]:
        """What metrics are read from."""
        return {inputs: inputs.make_state(record) for inputs, record in self.records.items()}

    def samples(self, *, whole: bool) -> dict[Inputs, Sample]:
        """Return the resampling units; with `whole`, equal rows are not merged."""
        found = {
            inputs: Sample.of(record, inputs, not whole) for inputs, record in self.records.items()
        }
        if self.repeated:
            found = {
                inputs: Sample(sample.record, inputs, sample.record.weight.astype(np.int64))
                for inputs, sample in found.items()
            }
        return found

    def subset(self, rows: Codes) -> EvaluationInput:
        """Return some of the rows, in order, of the same classes."""
        records, part = {}, {}
        for inputs, record in self.records.items():
            own = rows
            if inputs in self.rows:
                own = np.flatnonzero(np.isin(self.rows[inputs], rows))
                part[inputs] = np.searchsorted(rows, self.rows[inputs][own])
            records[inputs] = record.subset(own)
        return EvaluationInput(records, part, self.repeated)

    @property
    def n_rows(self) -> int | None:
        """The number of rows; None of counts that are no whole numbers."""
        if self.repeated:
            totals = [float(record.weight.sum()) for record in self.records.values()]
            return round(max(totals)) if all(total % 1 == 0 for total in totals) else None
        return max((record.n_rows for record in self.records.values()), default=None)

    def positive(self, parameters: Mapping[str, Any]) -> tuple[Any, int] | None:
        """Return the positive one of two classes and its rows, for metrics that are not averages.

        None of weighted rows.
        """
        named = parameters.get("pos_label")
        for record in self.records.values():
            classes: Any = getattr(record, "classes", ())
            weighted = record.weight is not None and not self.repeated
            if len(classes) != 2 or weighted or parameters.get("average", "binary") != "binary":
                continue
            if named is None and not names_positive(classes):
                continue
            code = known_positive(positive_code(classes, named))
            if code >= 0:
                size = np.bincount(record.true, record.weight, minlength=2)[code]
                return classes[code].tolist(), round(size)
        return None


def inputs_read(
    metrics: Any, given: Mapping[str, Any], parameters: Mapping[str, Any]
) -> tuple[Inputs, ...]:
    """Return the inputs of the requested metrics, or of all whose arrays are given.

    Scores are also read as labels, cut at the threshold of the metrics that have one.
    """
    entries = [] if metrics is None else requested_entries(metrics)
    named = [named_metric(entry) for _, entry in entries if not is_set(entry)]
    cut: dict[Inputs, None] = {}
    if given.get(SCORE) is not None:
        cut = cut_inputs(metrics, parameters)
        named = [each.cut_at(parameters) for each in named]
    found = dict.fromkeys(each.row.kind.inputs for each in named)
    if names_sets(metrics):
        masked = np.ma.isMaskedArray(given.get(PRED))
        there = {name for name, values in given.items() if values is not None}
        there |= {REJECTED} if masked else set()
        read = {n.row.kind.inputs for _, e in entries if is_set(e) for n in members_of(e)}
        usual = [each for each in known_inputs() if each.evaluated_with in there]
        if metrics is None:
            claimed = (each for each in known_inputs() if each.claims and each.argument in there)
            of_numbers = [each for each in usual if not each.of_classes]
            usual = [each for each in claimed if each.claims(given[TRUE])] or of_numbers or usual  # type: ignore[misc]
        # A set of kinds that are read by request only, such as that of numbers.
        own = [each for each in known_inputs() if each in read and each.argument in there]
        found |= dict.fromkeys(own if read and not any(e.evaluated_with for e in read) else usual)
    for inputs in found:
        _check_further(inputs, given)
    return tuple(found | cut)


def of_classes(metrics: Any) -> bool:
    """Whether true values are labels: some requested metric reads them so, or none is named."""
    rows = [] if metrics is None else [named.row for named in named_metrics(metrics)]
    return not rows or any(row.kind.inputs.of_classes for row in rows)


def reads_classes(metrics: Any, arrays: Mapping[str, Any]) -> bool:
    """Whether the requested metrics of arrays, or those of the default set, are about classes."""
    read = inputs_read(metrics, arrays, {})
    return not read or any(inputs.of_classes for inputs in read)


def every_metric(metrics: Any) -> list[NamedMetric]:
    """Return the metrics that are named, and all those of named sets."""
    return [
        each
        for _, entry in requested_entries("default" if metrics is None else metrics)
        for each in (members_of(entry) if is_set(entry) else [named_metric(entry)])
    ]


def cut_inputs(metrics: Any, parameters: Mapping[str, Any]) -> dict[Inputs, None]:
    """Return the inputs of the requested metrics that cut scores at a threshold."""
    every = every_metric(metrics)
    more = declared_or_taking(parameters) if metrics is None else {}
    every += [NamedMetric(*each) for each in more.items()]
    read_as = [(each.row, each.cut_at(parameters).row) for each in every]
    return {row.kind.inputs: None for before, row in read_as if row is not before}


def further_arrays(metrics: Any) -> set[str]:
    """Return the names of further arrays of one entry an example that the metrics may read."""
    read = (
        known_inputs() if metrics is None else [n.row.kind.inputs for n in named_metrics(metrics)]
    )
    return {name for inputs in read for name in inputs.extra_arrays if name != REJECTED}


def _check_further(inputs: Inputs, given: Mapping[str, Any]) -> None:
    """Raise an error for arrays of examples without predictions, or with rejections."""
    named = [name for name in inputs.extra_arrays if name != REJECTED]
    missing = given.get(inputs.argument) is None or given.get(REJECTED) is not None
    if named and (missing or np.ma.isMaskedArray(given.get(inputs.argument))):
        raise ValueError(
            f"{named[0]} go with {inputs.name}; pass {inputs.argument}, none of them rejected."
        )


def _accepted(arrays: Mapping[str, Any]) -> Any:
    """Return which predictions are not rejected; None where none can be."""
    pred, rejected = arrays.get(PRED), arrays.get(REJECTED)
    if pred is None or (rejected is None and not np.ma.isMaskedArray(pred)):
        return None
    return ~np.ma.getmaskarray(masked_labels(pred, PRED, rejected))


@dataclass(frozen=True, eq=False)
class EvaluationRequest:
    """The request of an evaluation, on checked arrays.

    Attributes
    ----------
    metrics : str, list, dict or scorer, or None
    parameters : dict
        Given to every metric that takes them.
    note : str
        How counts were read, where that is assumed.
    levels : sequence of Confidence
        Those of the intervals; without any there are none.
    groups : ndarray of shape (n_samples,), int, or None
        Rows of one code belong together.
    n_resamples : int
    seed : int
        That of the resamples, the same for all metrics.
    """

    metrics: Any
    parameters: Mapping[str, Any]
    note: str
    levels: Sequence[Confidence]
    groups: Codes | None
    n_resamples: int
    seed: int


def evaluated(
    given: EvaluationInput, requested: EvaluationRequest, rows: Codes | None = None
) -> Evaluation:
    """Read metrics of all rows, or of some, and their intervals from the same sorted scores."""
    metrics, parameters, groups = requested.metrics, requested.parameters, requested.groups
    if rows is not None:
        given = given.subset(rows)
        groups = _numbered(groups, rows)
    samples = given.samples(whole=groups is not None) if requested.levels else {}
    states = {inputs: each.state for inputs, each in samples.items()} or given.states
    read = _bound(requested_metrics(states, metrics, parameters), states, parameters)
    values, classes = {}, {}
    for named in read:
        state = states[named.row.kind.inputs]
        value = named.row.value(state, **named.parameters)
        values[named.key] = float(value) if isinstance(value, float) else plain(value)
        if isinstance(values[named.key], np.ndarray):
            classes[named.key] = named.row.names(state, **named.parameters)
    every: list[dict[str, Interval]] = [{} for _ in requested.levels]
    # given with the values
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        for inputs, sample in samples.items():
            own = [named for named in read if named.row.kind.inputs is inputs]
            found = intervals_at(
                requested.levels, own, sample, {}, groups=_numbered(groups, given.rows.get(inputs)),
                n_resamples=requested.n_resamples, random_state=requested.seed,
            )  # fmt: skip
            every = [held | more for held, more in zip(every, found, strict=True)]
    intervals, *joint = [{key: held[key] for key in values} for held in every] or [{}]
    positive = given.positive(parameters)
    notes = [*_positive_classes(read, positive), *_given_labels(read), *_of_many(read, parameters)]
    note = "\n".join(filter(None, [" ".join([*notes, requested.note]).strip(), labels_of(read)]))
    return Evaluation(
        values, {named.key: named.row for named in read}, classes, note, intervals, metrics,
        given.n_rows, positive, joint,
    )  # fmt: skip


def _numbered(groups: Codes | None, rows: Codes | None) -> Codes | None:
    """Return the groups of some rows, or of all, numbered without a gap."""
    if groups is None or rows is None:
        return groups
    return np.unique(groups[rows], return_inverse=True)[1].astype(np.intp)


# What many classes take where nothing is requested, by the parameter that requests another.
_OF_MANY = {
    "average": "Metrics of one class are plain averages over the classes (average='macro').",
    "multi_class": "Rankings are of each class against the rest, on average (multi_class='ovr').",
}


def _of_many(read: Iterable[NamedMetric], given: Mapping[str, Any]) -> list[str]:
    """Return what many classes take of the parameters that nobody gave."""
    taken = {name for each in read for name in each.parameters}
    return [said for name, said in _OF_MANY.items() if name in taken and name not in given]


def _positive_classes(read: Iterable[NamedMetric], positive: tuple[Any, int] | None) -> list[str]:
    """Return the positive class that metrics name, unless it is the one known, or all that they name."""
    named: dict[Any, list[str]] = {}
    for each in read:
        averaged = each.row.kind.counted and each.parameters.get("average", "binary") != "binary"
        if not averaged and each.row.positive_matters() and "pos_label" in each.parameters:
            named.setdefault(each.parameters["pos_label"], []).append(each.key)
    if len(named) == 1:
        label = next(iter(named))
        return (
            [] if positive is not None and label == positive[0] else [f"Positive class: {label}."]
        )
    return [f"Positive class of {', '.join(keys)}: {label}." for label, keys in named.items()]


def _given_labels(read: Iterable[NamedMetric]) -> list[str]:
    """Return a note on metrics at a threshold that were read from labels, cut by the caller."""
    return [
        f"{each.key} reads the labels given, which must be cut at {each.parameters['threshold']:g}; "
        "of y_score it cuts them itself."
        for each in read
        if each.row.cuts
    ]


def _bound(
    chosen: Sequence[NamedMetric], states: Mapping[Inputs, Any], parameters: Mapping[str, Any]
) -> list[NamedMetric]:
    """Return metrics with the options that they are read with, those of many classes by default."""
    found = []
    for named, own in zip(
        chosen, share(parameters, [n.function.options for n in chosen]), strict=True
    ):
        inputs = named.row.kind.inputs
        if inputs not in states:
            raise refuse_no_predictions(named.row.name, inputs.evaluated_with or inputs.argument)
        given = {name: x for name, x in {**named.parameters, **own}.items() if name != "labels"}
        if given.get("average") == "binary" != named.row.kind.options.get("average"):
            del given["average"]  # what metrics of labels call one value
        check_complete(named.function, given)
        usual = getattr(states[inputs], "of_many", {})
        usual = {name: usual[name] for name in usual if name in named.function.options}
        found.append(replace(named, parameters=usual | given))
    return found


def requested_metrics(
    states: Mapping[Inputs, Any], metrics: Any, parameters: Mapping[str, Any]
) -> list[NamedMetric]:
    """Return the metrics that are named, and those of named sets that can be computed.

    `states` are those of the arrays given. None stands for the set "default", with the user's own
    metrics and those that take a parameter which none of that set takes.
    """
    if not states and metrics is None:
        raise refuse_no_predictions()

    def as_read(named: NamedMetric) -> NamedMetric:
        cut = named.cut_at(parameters) if named.function.metric.cuts else named
        return cut if cut is named or cut.row.kind.inputs in states else named

    many = any(getattr(state, "of_many", {}) for state in states.values())
    multilabel = any(getattr(state, "multilabel", False) for state in states.values())

    def computable(named: NamedMetric) -> bool:
        state = states.get(named.row.kind.inputs)
        if state is None or missing_options(named.function, {**named.parameters, **parameters}):
            return False
        single = not getattr(state, "multilabel", False) or named.row.multilabel
        return single and state.accepts(named.row.kind)

    found: dict[Any, NamedMetric] = {}
    for key, entry in requested_entries("default" if metrics is None else metrics):
        if is_set(entry):
            members = map(as_read, members_of(entry, many=many, multilabel=multilabel))
            found |= {n.key: n for n in members if computable(n) and n.key not in found}
        else:
            named = as_read(named_metric(entry))
            named = named if key is None else replace(named, key=str(key))
            found[named.key] = named
    if metrics is None:
        taken = {name for named in found.values() for name in named.function.options}
        further = set(parameters) - taken
        found |= {
            named.key: named
            for each in declared_or_taking(further).items()
            if computable(named := as_read(NamedMetric(*each)))
        }
    if not found:
        raise ValueError(
            f"None of the metrics of {metrics!r} can be computed from the arrays given; pass y_pred, "
            "y_score or both, or the parameters that the metrics require."
        )
    return list(found.values())
