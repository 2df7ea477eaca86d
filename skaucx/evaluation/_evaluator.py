"""What an evaluation reads, checked once, and the metrics and intervals read from it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
    requested_entries,
)
from ._result import Evaluation

REJECTED = "rejected"


@dataclass(frozen=True, eq=False)
class EvaluationInput:
    """Records of the rows by the inputs that they were checked as, and what is requested of them.

    Attributes
    ----------
    records : dict of Inputs to Record
    rows : dict of Inputs to ndarray of int
        The rows of a record that holds some only: those whose predictions are accepted.
    repeated : bool
        Whether weights are numbers of equal examples.
    groups : ndarray of shape (n_samples,), int, or None
        Rows of one code belong together.
    metrics : str, list, dict or scorer, or None
    parameters : dict
        Given to every metric that takes them.
    note : str
        How counts were read, where that is assumed.
    levels : sequence of Confidence
        Those of the intervals; without any there are none.
    n_resamples : int
    seed : int
        That of the resamples, the same for all metrics.
    """

    records: Mapping[Inputs, Any]
    rows: Mapping[Inputs, Codes]
    repeated: bool
    groups: Codes | None
    metrics: Any
    parameters: Mapping[str, Any]
    note: str
    levels: Sequence[Confidence]
    n_resamples: int
    seed: int

    def groups_of(self, rows: Codes | None) -> Codes | None:
        """Return the groups of some rows, or of all, numbered without a gap."""
        if self.groups is None or rows is None:
            return self.groups
        return np.unique(self.groups[rows], return_inverse=True)[1].astype(np.intp)

    def subset(self, rows: Codes) -> EvaluationInput:
        """Return some of the rows, in order, of the same classes."""
        records, part = {}, {}
        for inputs, record in self.records.items():
            own = rows
            if inputs in self.rows:
                own = np.flatnonzero(np.isin(self.rows[inputs], rows))
                part[inputs] = np.searchsorted(rows, self.rows[inputs][own])
            records[inputs] = record.subset(own)
        return replace(self, records=records, rows=part, groups=self.groups_of(rows))

    @property
    def n_rows(self) -> int | None:
        """The number of rows; None of counts that are no whole numbers."""
        held = self.records.values()
        sizes = (each.weight.sum() if self.repeated else each.n_rows for each in held)
        most = max(sizes, default=None)
        return None if most is None or most % 1 else int(most)

    @property
    def positive(self) -> tuple[Any, int] | None:
        """The positive one of two classes and its rows, for metrics that are not averages.

        None of weighted rows.
        """
        named, average = self.parameters.get("pos_label"), self.parameters.get("average", "binary")
        for record in self.records.values() if average == "binary" else ():
            classes: Any = getattr(record, "classes", ())
            weighted = record.weight is not None and not self.repeated
            if (
                len(classes) == 2
                and not weighted
                and (named is not None or names_positive(classes))
            ):
                code = known_positive(positive_code(classes, named))
                if code >= 0:
                    size = np.bincount(record.true, record.weight, minlength=2)[code]
                    return classes[code].tolist(), round(size)
        return None


def records_of(
    arrays: Mapping[str, Any], labels: Any, metrics: Any, parameters: Mapping[str, Any]
) -> tuple[dict[Inputs, Any], dict[Inputs, Codes]]:
    """Check the arrays that are given as the requested metrics read them.

    Returns their records, and the rows of those that hold some only, whose predictions are accepted.
    """
    read = inputs_read(metrics, arrays, parameters)
    check_rows({name: arrays.get(name) for name in (TRUE, PRED, SCORE, WEIGHT)})
    pred, rejected, accepted = arrays.get(PRED), arrays.get(REJECTED), None
    if pred is not None and (rejected is not None or np.ma.isMaskedArray(pred)):
        accepted = ~np.ma.getmaskarray(masked_labels(pred, PRED, rejected))
    weight = weight_vector(arrays.get(WEIGHT))
    records, rows = {}, {}
    for inputs in read:
        names = TRUE, inputs.argument
        own = {
            name: arrays[name]
            for name in (*names, WEIGHT, *inputs.extra_arrays)
            if arrays.get(name) is not None
        }
        if inputs.argument not in own:
            continue
        of_accepted = inputs.argument == PRED and REJECTED not in inputs.extra_arrays
        if accepted is not None and of_accepted:
            if not accepted.any():
                continue
            kept = np.flatnonzero(accepted)
            own = {name: take_rows(values, kept) for name, values in own.items()}
            own[PRED] = np.asarray(np.ma.getdata(own[PRED]))
            rows[inputs] = np.flatnonzero(accepted if weight is None else accepted[weight > 0])
        first, second = own.pop(TRUE, None), own.pop(inputs.argument)
        records[inputs] = inputs.record(first, second, names=names, labels=labels, **own)
        warn_of_apart(records[inputs], names)
    return records, rows


def inputs_read(
    metrics: Any, given: Mapping[str, Any], parameters: Mapping[str, Any]
) -> tuple[Inputs, ...]:
    """Return the inputs of the requested metrics, or of all whose arrays are given.

    Scores are also read as labels, cut at the threshold of the metrics that have one.
    """
    every = listed(metrics)
    if metrics is None:
        every += [(NamedMetric(*each), True) for each in declared_or_taking(parameters).items()]
    read = {each.row.kind.inputs for each, of_set in every if of_set}
    found = dict[Inputs, None]()
    for each, of_set in every:
        cut = each if given.get(SCORE) is None else each.cut_at(parameters)
        if not of_set or cut.row is not each.row:
            found[cut.row.kind.inputs] = None
    if read:
        there = {name for name, values in given.items() if values is not None}
        if np.ma.isMaskedArray(given.get(PRED)):
            there.add(REJECTED)
        own = [each for each in known_inputs() if each.argument in there]
        usual = [each for each in known_inputs() if each.evaluated_with in there]
        if metrics is None:
            usual = [each for each in own if each.claims and each.claims(given[TRUE])] or usual
        elif not any(inputs.evaluated_with for inputs in read):
            # A set of kinds that are read by request only, such as that of numbers.
            usual = [each for each in own if each in read]
        found |= dict.fromkeys(usual)
    return tuple(found)


def listed(metrics: Any, **options: bool) -> list[tuple[NamedMetric, bool]]:
    """Return the metrics that are named, and those of sets, of which those that can be computed stay."""
    found = []
    for key, entry in requested_entries("default" if metrics is None else metrics):
        if is_set(entry):
            found += [(each, True) for each in members_of(entry, **options)]
        else:
            named = named_metric(entry)
            found.append((replace(named, key=named.key if key is None else str(key)), False))
    return found


def of_classes(metrics: Any) -> bool:
    """Whether true values are labels: some requested metric reads them so, or none is named."""
    return any(each.row.kind.inputs.of_classes for each, _ in listed(metrics))


def reads_classes(metrics: Any, arrays: Mapping[str, Any]) -> bool:
    """Whether the requested metrics of arrays, or those of the default set, are about classes."""
    read = inputs_read(metrics, arrays, {})
    return not read or any(inputs.of_classes for inputs in read)


def evaluated(given: EvaluationInput) -> Evaluation:
    """Read the metrics and their intervals from the same sorted scores."""
    parameters, levels, metrics = given.parameters, given.levels, given.metrics
    if not given.records and metrics is None:
        raise refuse_no_predictions()
    samples = {  # in groups, equal rows are not merged
        inputs: Sample(record, inputs, record.weight.astype(np.int64))
        if given.repeated
        else Sample.of(record, inputs, given.groups is None)
        for inputs, record in (given.records.items() if levels else ())
    }
    states = {inputs: each.state for inputs, each in samples.items()} or {
        inputs: inputs.make_state(record) for inputs, record in given.records.items()
    }
    read = _bound(requested_metrics(states, metrics, parameters), states, parameters)
    values, classes = {}, {}
    for named in read:
        state = states[named.row.kind.inputs]
        values[named.key] = plain(named.row.value(state, **named.parameters))
        if isinstance(values[named.key], np.ndarray):
            classes[named.key] = named.row.names(state, **named.parameters)
    every: list[dict[str, Interval]] = [{} for _ in levels]
    # given with the values
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        for inputs, sample in samples.items():
            own = [named for named in read if named.row.kind.inputs is inputs]
            found = intervals_at(
                levels, own, sample, {}, groups=given.groups_of(given.rows.get(inputs)),
                n_resamples=given.n_resamples, random_state=given.seed,
            )  # fmt: skip
            every = [held | more for held, more in zip(every, found, strict=True)]
    intervals, *joint = [{key: held[key] for key in values} for held in every] or [{}]
    positive = given.positive
    notes = [*_positive_classes(read, positive), *_given_labels(read), *_of_many(read, parameters)]
    note = "\n".join(filter(None, [" ".join([*notes, given.note]).strip(), labels_of(read)]))
    return Evaluation(
        values, {named.key: named.row for named in read}, classes, note, intervals, metrics,
        given.n_rows, positive, joint,
    )  # fmt: skip


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
    if len(named) > 1:
        return [f"Positive class of {', '.join(keys)}: {label}." for label, keys in named.items()]
    return [f"Positive class: {label}." for label in named if not positive or label != positive[0]]


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
            raise refuse_no_predictions(named.row.name, inputs.argument)
        given = {**named.parameters, **own}
        given.pop("labels", None)
        if given.get("average") == "binary" != named.row.kind.options.get("average"):
            del given["average"]  # what metrics of labels call one value
        check_complete(named.function, given)
        usual = {n: x for n, x in states[inputs].of_many.items() if n in named.function.options}
        found.append(replace(named, parameters=usual | given))
    return found


def _computable(
    named: NamedMetric, states: Mapping[Inputs, Any], parameters: Mapping[str, Any]
) -> bool:
    """Whether a metric that a set has can be read from the arrays and parameters given."""
    state = states.get(named.row.kind.inputs)
    if state is None or missing_options(named.function, {**named.parameters, **parameters}):
        return False
    single = named.row.kind.multilabel or not state.multilabel
    return bool(single and state.accepts(named.row.kind))


def requested_metrics(
    states: Mapping[Inputs, Any], metrics: Any, parameters: Mapping[str, Any]
) -> list[NamedMetric]:
    """Return the metrics that are named, and those of named sets that can be computed.

    `states` are those of the arrays given. None stands for the set "default", with the user's own
    metrics and those that take a parameter which none of that set takes.
    """
    many = any(state.of_many for state in states.values())
    multilabel = any(state.multilabel for state in states.values())
    every = listed(metrics, many=many, multilabel=multilabel)
    if metrics is None:
        read = [each for each, _ in every if _computable(each, states, parameters)]
        taken = {name for each in read for name in each.function.options}
        more = declared_or_taking(set(parameters) - taken).items()
        every += [(NamedMetric(*each), True) for each in more]
    found: dict[str, NamedMetric] = {}
    for each, of_set in every:
        cut = each.cut_at(parameters)
        named = cut if cut.row.kind.inputs in states else each
        if not of_set or (named.key not in found and _computable(named, states, parameters)):
            found[named.key] = named
    if not found:
        raise ValueError(
            f"None of the metrics of {metrics!r} can be computed from the arrays given; pass y_pred, "
            "y_score or both, or the parameters that the metrics require."
        )
    return list(found.values())
