"""What an evaluation reads, checked once, and the metrics and intervals read from it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from .._arrays import Array, Codes, check_rows, named_labels, take_rows, weight_vector
from .._options import Confidence
from ..inference._intervals.interval import Interval, intervals_at
from ..metrics._kinds import known_inputs
from ..metrics._kinds.base import PRED, SCORE, TRUE, WEIGHT, Inputs, Sample
from ..metrics._records.inputs import (
    accepted_rows,
    known_positive,
    names_positive,
    positive_code,
    refuse_no_predictions,
    warn_of_apart,
)
from ..metrics._registry.declare import check_complete, declared_or_taking, plain, share
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
from ..metrics._registry.resampling import generator
from ..metrics._registry.row import Metric
from ._result import Evaluation, about_evaluation

REJECTED = "rejected"


@dataclass(frozen=True, eq=False)
class EvaluationInput:
    """Records of the rows by the inputs that they were checked as, or the table that counts them.

    Attributes
    ----------
    records : dict of Inputs to Record
    tables : dict of Inputs to State
        The states of a given table of counts.
    rows : dict of Inputs to ndarray of int
        The rows of a record that holds some only: those whose predictions are accepted.
    repeated : bool
        Whether weights are numbers of equal examples.
    """

    records: Mapping[Inputs, Any]
    tables: Mapping[Inputs, Any] = field(default_factory=dict)
    rows: Mapping[Inputs, Codes] = field(default_factory=dict)
    repeated: bool = False

    @classmethod
    def of(
        cls,
        arrays: Mapping[str, Any],
        labels: Any,
        counts: Any,
        metrics: Any,
        parameters: Mapping[str, Any],
    ) -> EvaluationInput:
        """Check the arrays that are given as the requested metrics read them."""
        read = inputs_read(metrics, arrays, parameters)
        if any(inputs.of_classes for inputs in read):
            check_rows({name: arrays.get(name) for name in (TRUE, PRED, SCORE, WEIGHT)})
        accepted, weight = _accepted(arrays), arrays.get(WEIGHT)
        records, rows = {}, {}
        for inputs in read:
            read_of = TRUE, inputs.argument, WEIGHT, *inputs.extra_arrays
            own = {name: arrays[name] for name in read_of if arrays.get(name) is not None}
            if inputs.argument not in own:
                continue
            if (
                accepted is not None
                and inputs.argument == PRED
                and REJECTED not in inputs.extra_arrays
            ):
                kept = np.flatnonzero(accepted)
                if not len(kept):
                    continue
                own = {name: take_rows(values, kept) for name, values in own.items()}
                own[PRED] = np.asarray(np.ma.getdata(own[PRED]))
                counted = weight_vector(weight)
                rows[inputs] = np.flatnonzero(
                    accepted if counted is None else accepted[counted > 0]
                )
            first, second = own.pop(TRUE, None), own.pop(inputs.argument)
            names = TRUE, inputs.argument
            records[inputs] = inputs.record(first, second, names=names, labels=labels, **own)
            warn_of_apart(records[inputs], names)
        if counts is None:
            return cls(records, rows=rows)
        for name in (PRED, WEIGHT, REJECTED, *(() if records else (TRUE,))):
            if arrays.get(name) is not None:
                raise ValueError(
                    f"counts represent the predicted labels of all examples, so {name} does not "
                    "go with it; pass one of the two."
                )
        classes = _class_names(labels, len(counts))
        tables = {each: each.of_table(counts, classes) for each in known_inputs() if each.of_table}
        return cls(records, tables)

    @property
    def states(self) -> dict[Inputs, Any]:
        """What metrics are read from."""
        found = {inputs: inputs.make_state(record) for inputs, record in self.records.items()}
        return {**found, **self.tables}

    def samples(self, *, whole: bool) -> dict[Inputs, Sample]:
        """Return the resampling units; with `whole`, equal rows are not merged."""
        found = {
            inputs: inputs.sample(record, inputs, not whole)
            for inputs, record in self.records.items()
        }
        if self.repeated:
            for sample in found.values():
                sample.multiplicity, sample.weight = sample.weight.astype(np.int64), None
        return {**found, **{inputs: state.sample for inputs, state in self.tables.items()}}

    def subset(self, rows: Codes) -> EvaluationInput:
        """Return some of the rows, in order, of the same classes."""
        records, part = {}, {}
        for inputs, record in self.records.items():
            own = rows
            if inputs in self.rows:
                own = np.flatnonzero(np.isin(self.rows[inputs], rows))
                part[inputs] = np.searchsorted(rows, self.rows[inputs][own])
            records[inputs] = record.subset(own)
        return EvaluationInput(records, rows=part, repeated=self.repeated)


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
    return accepted_rows(pred, rejected=rejected)


def _class_names(labels: Any, classes: int) -> Array:
    """Return the names of the classes of a table."""
    if labels is None:
        return np.arange(classes)
    named = named_labels(labels)
    if len(named) != classes:
        raise ValueError(f"counts has {classes} classes, but labels names {len(named)}.")
    return named


@dataclass(frozen=True, eq=False)
class EvaluationRequest:
    """The request of an evaluation, on checked arrays.

    Attributes
    ----------
    metrics : str, list, dict or scorer, or None
    parameters : dict
        Given to every metric that takes them.
    certainty : Certainty or None
        How intervals are computed, if requested.
    note : str
        How counts were read, where that is assumed.
    """

    metrics: Any
    parameters: Mapping[str, Any]
    certainty: Certainty | None = None
    note: str = ""


def evaluated(
    given: EvaluationInput, requested: EvaluationRequest, rows: Codes | None = None
) -> Evaluation:
    """Read metrics of all rows, or of some, and their intervals from the same sorted scores."""
    certainty = requested.certainty
    if rows is not None:
        given = given.subset(rows)
        certainty = certainty and replace(certainty, groups=certainty.groups_of(rows))
    if certainty is None:
        samples, states = {}, given.states
    else:
        samples = given.samples(whole=certainty.groups is not None)
        states = {kind: sample.state for kind, sample in samples.items()}
    found = read_metrics(states, requested.metrics, requested.parameters)
    certain: Certain = {}, {}
    if certainty is not None:
        certain = intervals_of(found.read, samples, certainty, given.rows)
    note = " ".join(filter(None, [found.note, requested.note]))
    sizes = (
        int(record.weight.sum()) if given.repeated else record.n_rows
        for record in given.records.values()
    )
    n_rows = max(sizes, default=None)
    positive = _positive(given, requested.parameters)
    about = about_evaluation(requested.metrics, n_rows, positive, note)
    return Evaluation(
        found.values, found.rows, found.classes, note, certain[0], about=about,
        n_rows=n_rows, positive=positive, of_pairs=certain[1],
    )  # fmt: skip


def _positive(given: EvaluationInput, parameters: Mapping[str, Any]) -> tuple[Any, int] | None:
    """Return the positive class and its rows, from the first record of labels; None with weights."""
    for record in given.records.values():
        classes = getattr(record, "classes", None)
        if classes is not None and (given.repeated or record.weight is None):
            sizes = np.bincount(record.true, record.weight, minlength=len(classes))
            return positive_of(classes, sizes, parameters)
    return None


def positive_of(classes: Any, sizes: Any, parameters: Mapping[str, Any]) -> tuple[Any, int] | None:
    """Return the positive one of two classes and its rows, for metrics that are not averages."""
    named = parameters.get("pos_label")
    if len(classes) != 2 or parameters.get("average", "binary") != "binary":
        return None
    if named is None and not names_positive(classes):
        return None
    code = known_positive(positive_code(classes, named))
    return (classes[code].tolist(), int(sizes[code])) if code >= 0 else None


# What many classes take where nothing is requested, by the parameter that requests another.
_OF_MANY = {
    "average": "Metrics of one class are plain averages over the classes (average='macro').",
    "multi_class": "Rankings are of each class against the rest, on average (multi_class='ovr').",
}


class MetricValues(NamedTuple):
    """Values of states for the requested metrics, and with all their options."""

    values: dict[str, Any]
    rows: dict[str, Metric]
    classes: dict[str, Any]
    note: str
    requested: dict[str, NamedMetric]
    read: list[NamedMetric]


def read_metrics(
    states: Mapping[Inputs, Any], metrics: Any, parameters: Mapping[str, Any]
) -> MetricValues:
    """Read metrics by their names, or all that can be read; of many classes on average."""
    if not states and metrics is None:
        raise refuse_no_predictions()
    chosen = requested_metrics(states, metrics, parameters)
    if not chosen:
        raise ValueError(
            f"None of the metrics of {metrics!r} can be computed from the arrays given; pass y_pred, "
            "y_score or both, or the parameters that the metrics require."
        )
    requested = {named.key: named for named in chosen}
    found = MetricValues(
        {}, {key: named.row for key, named in requested.items()}, {}, "", requested, []
    )
    bound: list[tuple[NamedMetric, dict[str, Any]]] = []
    unrequested: set[str] = set()
    usual = {key: getattr(s, "of_many", {}) for key, s in states.items()}
    given_to_each = share(parameters, [named.function.options for named in chosen])
    for named, own in zip(chosen, given_to_each, strict=True):
        if named.row.kind.inputs not in states:
            inputs = named.row.kind.inputs
            raise refuse_no_predictions(named.row.name, inputs.evaluated_with or inputs.argument)
        state, given = states[named.row.kind.inputs], {**named.parameters, **own}
        options = _options(named, usual[named.row.kind.inputs], given)
        bound.append((named, options))
        unrequested |= set(options) - set(given)
        value = named.row.value(state, **options)
        value = float(value) if isinstance(value, float) else plain(value)
        found.values[named.key] = value
        if isinstance(value, np.ndarray):
            found.classes[named.key] = named.row.names(state, **options)
    found.read.extend([replace(named, parameters=options) for named, options in bound])
    notes = " ".join(
        [
            *_positive_classes(found.read),
            *_given_labels(found.read),
            *(said for parameter, said in _OF_MANY.items() if parameter in unrequested),
        ]
    )
    labels = labels_of(found.read)
    return found._replace(note="\n".join(filter(None, [notes, labels])))


def _positive_classes(read: Iterable[NamedMetric]) -> list[str]:
    """Return the positive class that was named, and each metric that names another one itself."""
    named: dict[Any, list[str]] = {}
    for each in read:
        if (label := each.parameters.get("pos_label")) is None:
            continue
        averaged = each.row.kind.counted and each.parameters.get("average", "binary") != "binary"
        if not averaged and each.row.positive_matters():
            named.setdefault(label, []).append(each.key)
    if len(named) == 1:
        return [f"Positive class: {next(iter(named))}."]
    return [f"Positive class of {', '.join(keys)}: {label}." for label, keys in named.items()]


def _given_labels(read: Iterable[NamedMetric]) -> list[str]:
    """Return a note on metrics at a threshold that were read from labels, cut by the caller."""
    return [
        f"{each.key} reads the labels given, which must be cut at {each.parameters['threshold']:g}; "
        "of y_score it cuts them itself."
        for each in read
        if each.row.cuts
    ]


def _options(
    named: NamedMetric, usual: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options that a metric is read with, those of many classes where none are given."""
    given = {name: value for name, value in given.items() if name != "labels"}
    if given.get("average") == "binary" != named.row.kind.options.get("average"):
        del given["average"]  # what metrics of labels call one value
    if not given.keys() >= set(named.function.needed):
        check_complete(named.function, given)
    return {name: usual[name] for name in usual if name in named.function.options} | given


def requested_metrics(
    states: Mapping[Inputs, Any], metrics: Any, parameters: Mapping[str, Any]
) -> list[NamedMetric]:
    """Return the metrics that are named, and those of named sets that can be computed.

    `states` are those of the arrays given. None stands for the set "default", with the user's own
    metrics and those that take a parameter which none of that set takes.
    """

    def as_read(named: NamedMetric) -> NamedMetric:
        cut = named.cut_at(parameters) if named.function.metric.cuts else named
        return cut if cut is named or cut.row.kind.inputs in states else named

    many = any(getattr(state, "of_many", {}) for state in states.values())
    multilabel = any(getattr(state, "multilabel", False) for state in states.values())

    def computable(named: NamedMetric) -> bool:
        state = states.get(named.row.kind.inputs)
        if state is None or not named.complete(parameters):
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
    return list(found.values())


@dataclass(frozen=True, eq=False)
class Certainty:
    """How the intervals of an evaluation are found.

    Attributes
    ----------
    confidence : Confidence
    groups : ndarray of shape (n_samples,), int, or None
        Rows of one code belong together.
    n_resamples : int
    seed : int
        That of the resamples, the same for all metrics.
    of_pairs : Confidence or None
        That of the intervals from which limits of pairs of groups follow, if these are wanted too.
    """

    confidence: Confidence
    groups: Codes | None
    n_resamples: int
    seed: int
    of_pairs: Confidence | None = None

    @property
    def levels(self) -> list[Confidence]:
        """The confidences of all intervals that are wanted."""
        return [self.confidence, *([] if self.of_pairs is None else [self.of_pairs])]

    @classmethod
    def of(
        cls, confidence: float | Confidence, n_resamples: int, random_state: Any, groups: Any = None
    ) -> Certainty:
        """Return how intervals are found; all of them have the seed of one generator."""
        seed = int(generator(random_state).integers(2**32))
        return cls(Confidence.of(confidence), groups, n_resamples, seed)

    def of_each(self, groups: int) -> Certainty:
        """Return how the interval of each of several groups is found."""
        return replace(self, confidence=self.confidence.of_each(groups))

    def groups_of(self, rows: Codes | None) -> Codes | None:
        """Return the groups of some rows, or of all, numbered without a gap."""
        if self.groups is None or rows is None:
            return self.groups
        return np.unique(self.groups[rows], return_inverse=True)[1].astype(np.intp)


# The intervals of metrics, and those from which limits of pairs of groups follow, if wanted.
Certain: TypeAlias = tuple[dict[str, Interval], dict[str, Interval]]


def intervals_of(
    requested: Sequence[NamedMetric],
    samples: Mapping[Inputs, Sample],
    certainty: Certainty,
    rows: Mapping[Inputs, Codes],
) -> Certain:
    """Return the interval of every metric; those of one kind of prediction share the resamples.

    `rows` are those of samples that hold some of the rows only.
    """
    found: list[dict[str, Interval]] = [{} for _ in certainty.levels]
    # given with the values
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        for inputs, sample in samples.items():
            own = [each for each in requested if each.row.kind.inputs is inputs]
            if own:
                of_sample = intervals_at(
                    certainty.levels,
                    own,
                    sample,
                    {},
                    groups=certainty.groups_of(rows.get(inputs)),
                    n_resamples=certainty.n_resamples,
                    random_state=certainty.seed,
                )
                found = [held | more for held, more in zip(found, of_sample, strict=True)]
    ordered = [{each.key: held[each.key] for each in requested} for held in found]
    return ordered[0], {} if certainty.of_pairs is None else ordered[1]
