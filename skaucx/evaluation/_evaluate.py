"""All metrics of saved predictions, or of counts, in one call and one table; the AUC family."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Label, MetricsLike
from .._arrays import (
    RandomState,
    Rows,
    in_class_order,
    named_labels,
)
from .._options import Confidence, check_cut, check_flag
from ..inference._intervals.interval import frequencies, groups_of_rows
from ..metrics._kinds.base import PRED, SCORE, TRUE, WEIGHT
from ..metrics._kinds.labels import LABELS, both_classes
from ..metrics._records.counts import (
    Counts,
    given_table,
    prevalence_weights,
    probabilities_at_prevalence,
)
from ..metrics._records.inputs import (
    LabelPair,
    check_binary_scores,
    check_scored_labels,
    known_positive,
    positive_code,
)
from ..metrics._registry.declare import METRICS, missing_options
from ..metrics._registry.resampling import seed_of
from ._columns import columns_of_frame, read_columns
from ._evaluator import (
    REJECTED,
    EvaluationInput,
    evaluated,
    listed,
    of_classes,
    records_of,
)
from ._groups import GroupedEvaluation, grouped, partition
from ._result import Evaluation


def evaluate(
    y_true: Rows | None = None,
    y_pred: Rows | None = None,
    y_score: Rows | None = None,
    metrics: MetricsLike = None,
    *,
    counts: Counts | ArrayLike | None = None,
    sample_weight: Rows | None = None,
    frequency: Rows | None = None,
    groups: ArrayLike | None = None,
    by: ArrayLike | Mapping[str, ArrayLike] | None = None,
    intervals: bool = False,
    threshold: float | None = None,
    pos_label: Label = None,
    data: Any = None,
    confidence_level: float | Confidence = 0.95,
    random_state: RandomState = None,
    **parameters: Any,
) -> Evaluation | GroupedEvaluation:
    """Return metrics of saved predictions, or of counts, in one table.

    Parameters
    ----------
    y_true, y_pred, y_score : array-like of shape (n_samples, ...), default=None
        Labels, predictions; scores of the positive class, or in a column a class.
    metrics : str, list, dict or scorer, default=None
        Names, such as "f1_macro", or sets of :func:`list_sets`.
    counts : Counts or array-like of shape (n_classes, n_classes), default=None
        Instead of labels: ``[[tn, fp], [fn, tp]]`` of two.
    sample_weight, frequency : array-like of shape (n_samples,), default=None
        Weights >= 0; or the numbers of equal examples that rows stand for.
    groups : array-like of shape (n_samples,), default=None
        Clusters, such as patients.
    by : array-like of shape (n_samples, ...) or dict of arrays, default=None
        Groups to compare, such as hospitals; several columns make intersections.
    intervals : bool, default=False
        Whether to add the intervals of :func:`interval`.
    threshold : float, default=None
        Rows of two classes whose score is at least this are predicted positive; also that
        of metrics with a threshold of their own, and with `y_pred` of these alone.
    pos_label : label, default=None
        The positive class; by default 1.
    data : data frame or path of a file, default=None
        A frame, or Parquet or CSV; the arrays are then names of its columns.
    confidence_level, random_state : default=0.95 and None
        Of intervals: level in (0, 1) or :class:`Confidence`; the seed.
    **parameters
        Of the metrics that take them, such as ``average``; ``labels``; ``n_resamples`` of
        intervals, 2000; ``prevalence``, the share of positives where the model is used.

    Returns
    -------
    Evaluation or GroupedEvaluation
        A mapping from name to value; with `by` one a group, and the gaps.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid or missing; the message names it and the remedy.

    Examples
    --------
    >>> from skaucx import evaluate
    >>> evaluate([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])["specificity"]
    0.6
    """
    arrays: dict[str, Any] = {TRUE: y_true, PRED: y_pred, SCORE: y_score, WEIGHT: sample_weight}
    arrays |= {_GROUPS: groups, _BY: by, _FREQUENCY: frequency}
    arrays |= {name: parameters.pop(name, None) for name in (REJECTED, _COSTS)}
    labels, prevalence = parameters.pop("labels", None), parameters.pop("prevalence", None)
    n_resamples = parameters.pop("n_resamples", 2000)
    parameters |= {} if pos_label is None else {"pos_label": pos_label}
    if data is not None:
        arrays |= _columns_of(data, arrays, metrics, labels, pos_label)
    groups, by, frequency = (arrays.pop(name) for name in (_GROUPS, _BY, _FREQUENCY))
    if frequency is not None:
        arrays[WEIGHT] = frequencies(frequency, arrays)
    true, weight = arrays[TRUE], arrays[WEIGHT]
    certain = Confidence.of(confidence_level)
    check_flag("intervals", intervals)
    if certain.simultaneous and (by is None or not intervals):
        raise ValueError(
            "simultaneous=True is about intervals of groups; pass by= and intervals=True."
        )
    note, usual = "", None if prevalence is None else 0.5
    if prevalence is not None:
        refuse(
            {"counts": counts, "frequency": frequency, "groups": groups,
             "sample_weight": arrays[WEIGHT], "by": by},
            "prevalence cannot be combined with {}; leave one of them out.",
        )  # fmt: skip
        arrays, note = _at_prevalence(arrays, prevalence, parameters)
    arrays[PRED] = _at_threshold(arrays, threshold, metrics, labels, parameters, usual=usual)
    if counts is None:
        records, rows = records_of(arrays, labels, metrics, parameters)
    else:
        refuse(
            {"frequency": frequency, **arrays, "groups": groups, "by": by},
            "counts represent all examples, so {} does not go with them; leave it out.",
        )
        pair, note = _rows_of(counts, labels, parameters)
        if intervals and (pair.weight % 1).any():
            raise ValueError(
                "counts must be whole numbers: an interval needs the number of examples."
            )
        records, rows = {LABELS: pair}, {}
    repeated = frequency is not None or counts is not None
    given = EvaluationInput(
        records, rows, repeated, groups_of_rows(groups, true, weight), metrics, parameters, note,
        [certain] if intervals else [], n_resamples, seed_of(random_state if intervals else 0),
    )  # fmt: skip
    if by is None:
        return evaluated(given)
    return grouped(given, *partition(by, true, weight))


def refuse(others: Mapping[str, Any], message: str) -> None:
    """Raise an error for an argument that is given, by its name."""
    for name in (name for name, given in others.items() if given is not None):
        raise ValueError(message.format(name))


def _at_prevalence(
    arrays: Mapping[str, Any], prevalence: float, parameters: dict[str, Any]
) -> tuple[dict[str, Any], str]:
    """Return the arrays with weights under which the positives have a share, and a note.

    Probabilities are corrected from ``training_prevalence``, by default the share in the sample, and
    then cut. Their distribution within each class is taken to be that of the sample (label
    shift): true of case-control samples, not where the disease itself looks different.
    """
    true, pred, score = (arrays[name] for name in (TRUE, PRED, SCORE))
    positive = parameters.get("pos_label")
    weight = prevalence_weights(true, prevalence, pos_label=positive)
    if score is None:
        return {**arrays, WEIGHT: weight}, f"At prevalence {prevalence:g}."
    if pred is not None:
        raise ValueError(
            "With prevalence=, predictions follow from the corrected y_score and threshold=; leave "
            "out y_pred."
        )
    is_positive, _ = check_binary_scores("prevalence", true, score, positive)
    earlier = parameters.pop("training_prevalence", float(is_positive.mean()))
    moved = probabilities_at_prevalence(score, prevalence, training_prevalence=earlier)
    note = f"At prevalence {prevalence:g}; probabilities corrected from {earlier:.4g}."
    return {**arrays, SCORE: moved, WEIGHT: weight}, note


def _at_threshold(
    arrays: Mapping[str, Any],
    threshold: float | None,
    metrics: Any,
    labels: Any,
    parameters: dict[str, Any],
    *,
    usual: float | None,
) -> Any:
    """Return the predictions given, or those of a threshold, which metrics that have one are given."""
    cut = usual if threshold is None else threshold
    pred, score = arrays[PRED], arrays[SCORE]
    if cut is None:
        return pred
    own = [] if metrics is None else [
        "threshold" in each.function.options and "threshold" not in each.parameters
        for each, _ in listed(metrics)
    ]  # fmt: skip
    if pred is None and score is not None and not (own and all(own)):
        pred = _predicted_at(cut, arrays[TRUE], score, labels, parameters.get("pos_label"))
    if threshold is None:
        return pred
    if metrics is None or any(own):
        parameters["threshold"] = threshold
    elif pred is arrays[PRED]:
        raise ValueError(
            f"threshold={threshold!r} predicts labels from y_score of two classes, without y_pred, "
            "or goes to metrics with a threshold of their own, such as 'net_benefit'; found neither."
        )
    return pred


def _predicted_at(threshold: float, y_true: Any, y_score: Any, labels: Any, positive: Any) -> Any:
    """Return the labels that a threshold predicts from scores of two classes; None of other scores."""
    scored = check_scored_labels(y_true, y_score, labels=labels)
    if scored.multilabel or len(scored.classes) > 2 or scored.score.shape[1:] not in ((), (2,)):
        return None
    code = known_positive(positive_code(scored.classes, positive))
    score = scored.score if scored.one_column else scored.score[:, code]
    classes, place = both_classes(scored.classes, code, positive)
    above = score >= check_cut("threshold", threshold, score)
    return classes[np.where(above, place, 1 - place)]


_GROUPS, _BY, _FREQUENCY, _COSTS = "groups", "by", "frequency", "example_costs"


def _columns_of(
    data: Any, columns: Mapping[str, Any], metrics: Any, labels: Any, positive: Any
) -> dict[str, Any]:
    """Return the arrays that the named columns of a frame or of a file hold; several make a matrix."""
    named: dict[str, list[str]] = {}
    for name, column in ((name, each) for name, each in columns.items() if each is not None):
        several = isinstance(column, list) and name in (SCORE, _COSTS, _BY)
        named[name] = column if several else [column]
        if not named[name] or not all(isinstance(each, str) for each in named[name]):
            raise TypeError(
                f"With data, {name} must be the name of a column, or y_score or by a list of "
                f"names; found {column!r}."
            )
    same = [name for key in (TRUE, PRED) for name in named.get(key, [])]
    numbers = [name for key in (SCORE, WEIGHT, _FREQUENCY, _COSTS) for name in named.get(key, [])]
    if not of_classes(metrics):
        numbers += same
    known = [*np.atleast_1d(labels), positive]
    every = [each for names in named.values() for each in names]
    held = (
        read_columns([data], every, numbers, same, known)
        if isinstance(data, (str, PathLike))
        else columns_of_frame(data, every)
    )
    truth = held.get(columns[TRUE], ())
    found: dict[str, Any] = {}
    for key, names in named.items():
        if key == _BY:
            found[key] = {name: held[name] for name in names}
        elif isinstance(columns[key], list):
            ordered = in_class_order(names, truth, key, labels)
            found[key] = np.column_stack([held[name] for name in ordered])
        else:
            found[key] = held[names[0]]
    return found


def _rows_of(counts: Any, labels: Any, parameters: dict[str, Any]) -> tuple[Any, str]:
    """Return a row a cell of a table, of which it holds the count, and a note.

    The table may name the positive class.
    """
    known = given_table(counts, labels, parameters.get("pos_label"))
    if known.pos_label is not None:
        parameters["pos_label"] = known.pos_label
    size = len(known.table)
    classes = np.arange(size) if known.labels is None else named_labels(known.labels)
    if len(classes) != size:
        raise ValueError(f"counts has {size} classes, but labels names {len(classes)}.")
    true, pred = np.nonzero(known.table)
    note = f"{known.note.capitalize()}." if known.note else ""
    return LabelPair(classes, true, pred, known.table[true, pred], None), note


FAMILY = "AUC variants"


def auc_family(y_true: ArrayLike, y_score: ArrayLike, **parameters: Any) -> Evaluation:
    """Return the AUC and all its variants from one ranking of the scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True class labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores in [0, 1], or any with `rescale`.
    **parameters
        Parameters given to every variant that takes them: ``sample_weight``, ``pos_label``,
        ``rescale``, ``multi_class``, ``average``, ``q``, ``beta``, ``floor``, ``auc_power`` and
        so on.

    Returns
    -------
    Evaluation
        A mapping from name to value that prints as a table.

    Examples
    --------
    >>> from skaucx.metrics import auc_family
    >>> family = auc_family([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.1])
    >>> round(family["mm7_auc"], 4), family["roc_auc"]
    (0.6454, 1.0)
    """
    names = family_names(parameters)
    return cast(Evaluation, evaluate(y_true, y_score=y_score, metrics=names, **parameters))


def family_names(parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of the AUC variants, all their parameters given."""
    return [
        name
        for name, function in METRICS.items()
        if function.metric.family == FAMILY and not missing_options(function, parameters)
    ]
