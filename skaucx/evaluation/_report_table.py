"""A printable table of metrics with intervals, per class and overall, and the predictions it reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Label
from .._arrays import Array, Floats, RandomState, Rows, host_array, shown
from .._compat import import_pandas
from .._options import check_confidence_level, check_cut, refuse_of_records
from .._text.lines import Line, metric_line
from .._text.numbers import counted, ends, fixed, percent, significant
from .._text.tables import Table, Tabular
from ..inference import intervals
from ..inference._intervals.at_threshold import Bound, BoundSample
from ..metrics._kinds.base import PRED, SCORE, TRUE
from ..metrics._records.counts import Counts, given_table
from ..metrics._records.inputs import (
    check_label_pair,
    check_scored_labels,
    positive_code,
    refuse_no_predictions,
)
from ..metrics._registry.declare import get_metric
from ..metrics._registry.names import NamedMetric, named_metric, named_metrics
from ..metrics._registry.resampling import Blocks
from ..metrics.curves import threshold_curves
from ._evaluate import evaluate
from ._evaluator import reads_classes


@dataclass(frozen=True, eq=False)
class Predictions:
    """True labels with the predictions of a model.

    `positive` is the positive one of two classes, None of more; `score` has a column a class, or is
    the score of the positive class.
    """

    y_true: Any
    y_pred: Any
    score: Any
    classes: Array
    positive: Any
    weight: Any
    groups: Any
    operating_point: str = ""
    threshold: float | None = None
    layout: str = ""
    chosen: BoundSample | None = None

    def truth(self, label: Any) -> tuple[Array, Array]:
        """Return which examples belong to a class, and which were predicted as that class."""
        if np.ndim(self.y_true) == 2:
            return self.y_true[:, label], self.y_pred[:, label]
        return np.asarray(self.y_true) == label, np.asarray(self.y_pred) == label

    def score_of(self, label: Any) -> Floats | None:
        """Return the scores of a class, if there are any."""
        if self.score is None or np.ndim(self.score) == 1:
            return self.score if label == self.positive else None
        return np.asarray(self.score)[:, list(self.classes).index(label)]


def of_arrays(
    y_true: Any, y_pred: Any, score: Any, labels: Any, pos_label: Any, weight: Any, groups: Any
) -> Predictions:
    """Check arrays; without `y_pred` the scores have no threshold yet."""
    if y_pred is None and score is None:
        raise ValueError("y_pred is None; pass predicted labels, or y_score with operating_point=.")
    shared = {"labels": labels, "sample_weight": weight}
    checked: list[Any] = [] if y_pred is None else [check_label_pair(y_true, y_pred, **shared)]
    checked += [] if score is None else [check_scored_labels(y_true, score, **shared)]
    if checked[0].multilabel:
        true = checked[0].true
        pred = None if y_pred is None else checked[0].pred
        score = None if score is None else checked[-1].score
        columns = np.arange(true.shape[1])
        return Predictions(true, pred, score, columns, None, weight, groups)
    classes = checked[0].classes
    positive = None
    if len(classes) <= 2:
        code = positive_code(classes, pos_label)
        positive = pos_label if code is None or code < 0 else classes.tolist()[code]
    true = host_array(y_true)
    return Predictions(true, y_pred, score, classes, positive, weight, groups)


def of_counts(counts: Any, labels: Any, pos_label: Any) -> Predictions:
    """Expand a table into one row per example."""
    given = given_table(counts, labels, pos_label)
    table, labels = given.table, given.labels
    if (table % 1 != 0).any():
        raise ValueError(
            "counts must be whole numbers, since intervals need the number of examples; found sums "
            "of weights. Pass the labels with sample_weight."
        )
    names = np.arange(len(table)) if labels is None else np.asarray(labels)
    if len(names) != len(table):
        raise ValueError(
            f"labels must name the {len(table)} classes of counts, found {shown(names)}."
        )
    true, pred = (
        np.indices(table.shape).reshape(2, -1).repeat(table.astype(np.int64).ravel(), axis=1)
    )
    found = of_arrays(names[true], names[pred], None, names, given.pos_label, None, None)
    return replace(found, layout=given.sentence)


def of_predictions(predictions: Any, pos_label: Any) -> Predictions:
    """Take the out-of-fold predictions of a nested run; two classes without a positive one are many."""
    classes = predictions.classes
    if predictions.y_true.ndim == 2 and predictions.y_pred is not None:
        arrays = predictions.y_true, predictions.y_pred, None, None, None
        return of_arrays(*arrays, predictions.sample_weight, predictions.clusters)
    if classes is None:
        raise ValueError("The run has no classes to report on.")
    positive = predictions.positive if pos_label is None else pos_label
    if positive is not None and len(classes) == 2:
        positive = classes.tolist()[positive_code(classes, positive)]
    return Predictions(
        predictions.y_true,
        predictions.y_pred,
        _scores(predictions, positive),
        classes,
        positive if len(classes) == 2 else None,
        predictions.sample_weight,
        predictions.clusters,
    )


def _scores(predictions: Any, positive: Any) -> Floats | None:
    """Return the scores of the positive class, or of each; None where some are not finite."""
    for method in ("predict_proba", "decision_function"):
        if method not in predictions.responses:
            continue
        wanted = predictions.classes.tolist() if positive is None else [positive]
        if len(predictions.classes) == 2:
            score = np.column_stack([predictions.scores(method, label) for label in wanted])
            score = score if positive is None else score[:, 0]
        else:
            score = np.asarray(predictions.responses[method])
        if np.isfinite(score).all() and (score.ndim == 1 or score.shape[1] == len(wanted)):
            return score
    return None


def at_operating_point(evaluated: Predictions, point: Any) -> Predictions:
    """Apply a threshold, or the best threshold under a bound, to the scores."""
    if evaluated.positive is None or evaluated.score is None:
        raise ValueError(
            "operating_point needs y_score, the scores of the positive one of two classes."
        )
    chosen = None
    if isinstance(point, Mapping):
        threshold, reason, chosen = _reaching(evaluated, point)
    else:
        threshold, reason = check_cut("operating_point", point, evaluated.score), ""
    others = [label for label in evaluated.classes.tolist() if label != evaluated.positive]
    called = np.asarray(evaluated.score) >= threshold
    # A lone class has no other name to call the rest by.
    pred = np.where(called, evaluated.positive, others[0]) if others else called
    text = f"Operating point: positive where the score is at least {significant(threshold, 6)}{reason}."
    return replace(evaluated, y_pred=pred, operating_point=text, threshold=threshold, chosen=chosen)


def _reaching(evaluated: Predictions, point: Mapping[str, float]) -> tuple[float, str, BoundSample]:
    """Return the threshold that satisfies a bound and maximises the counterpart."""
    if len(point) != 1:
        raise ValueError(
            f"operating_point must name one metric with its bound, found {dict(point)!r}."
        )
    [(name, value)] = point.items()
    bound = Bound(get_metric(name).metric, value)
    sample = BoundSample(
        evaluated.y_true, evaluated.score, evaluated.weight, evaluated.positive, bound
    )
    curves = threshold_curves(
        evaluated.y_true,
        evaluated.score,
        [name],
        pos_label=evaluated.positive,
        sample_weight=evaluated.weight,
    )
    place, feasible = bound.places(sample.counts)
    if not feasible:
        best = np.max(bound.reached(sample.counts))
        raise ValueError(
            f"No threshold reaches {name} {'<=' if bound.sign < 0 else '>='} {value:g}; the best "
            f"is {bound.sign * best:.4g}."
        )
    exempt = f"but for rates of the {bound.of_class}" if bound.of_class else f"{name} has none"
    side = "at most" if bound.sign < 0 else "at least"
    reason = (
        f", which has the best {bound.metric.counterpart} with {name} {side} {value:g} on these "
        f"examples; intervals choose it again in every resample, {exempt}"
    )
    return float(curves.thresholds[place]), reason, sample


_MOST = 50  # lines of a table in print


@dataclass(frozen=True)
class ReportRow:
    """One metric of one class, or of all.

    Attributes
    ----------
    part : str
        The class, or "overall".
    metric : str
    estimate, low, high : float
        nan where there is none.
    method : str
        How the interval was found.
    """

    part: str
    metric: str
    estimate: float
    low: float
    high: float
    method: str

    @property
    def texts(self) -> tuple[str, str, str]:
        """Estimate, interval and method."""
        return fixed(self.estimate), ends(self.low, self.high), self.method

    @property
    def line(self) -> Line:
        """What is drawn of it."""
        numbers = self.estimate, self.low, self.high
        return metric_line(self.metric, numbers, named_metric(self.metric).row)


@dataclass(frozen=True, eq=False, repr=False)
class ReportTable(Tabular):
    """Metrics of each class and overall, with intervals; made by :func:`report_table`.

    Attributes
    ----------
    rows : tuple of ReportRow
        The rows of the table, over which it iterates.
    facts : tuple of str
        Classes, positive class and prevalence, operating point, weights and groups, and that the
        intervals are not simultaneous.
    confidence_level : float
        The confidence of the intervals.
    threshold : float or None
        The threshold of the scores, if any.

    Notes
    -----
    ``table["cancer", "recall"]`` is the row of a metric.
    """

    rows: tuple[ReportRow, ...]
    facts: tuple[str, ...]
    confidence_level: float
    threshold: float | None = None

    def __iter__(self) -> Iterator[ReportRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: tuple[Any, str]) -> ReportRow:
        part, metric = place
        for row in self.rows:
            if (row.part, row.metric) == (str(part), metric):
                return row
        raise KeyError(place)

    def _table(self) -> Table:
        """Return one line per part and, below it, one per metric, with empty lines between parts."""
        head = ["", "estimate", f"{100 * self.confidence_level:g} % interval", "method"]
        lines: list[tuple[list[str], Line | None]] = []
        for part, rows in groupby(self.rows, key=attrgetter("part")):
            lines += [*([([], None)] if lines else []), ([part, "", "", ""], None)]
            lines += [([f"  {row.metric}", *row.texts], row.line) for row in rows]
        texts, drawn = zip(*lines, strict=True)
        return Table(head, texts, "\n".join(self.facts), left={"method"}, lines=drawn)

    def __repr__(self) -> str:
        whole = self._table()
        rows, lines = zip(*_cut([*zip(whole.rows, whole.lines, strict=True)]), strict=True)
        return replace(whole, rows=rows, lines=lines).text()

    __str__ = __repr__

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row per class and metric: estimate, low, high, method.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame = import_pandas().DataFrame([asdict(row) for row in self.rows])
        return frame.set_index(["part", "metric"])


def _cut(lines: Sequence[tuple[Any, Line | None]]) -> Sequence[tuple[Any, Line | None]]:
    """Omit classes in the middle of many; the last part, for all classes, stays."""
    ends = [k for k, (cells, _) in enumerate(lines) if not any(cells)]  # of each part but the last
    if len(lines) <= _MOST or not ends:
        return lines
    kept = max((end for end in ends if end <= _MOST), default=ends[0])
    more = sum(end > kept for end in ends)
    reported = [f"... and {more} more classes: to_frame()", "", "", ""]
    return [*lines[: kept + 1], (reported, None), *lines[ends[-1] :]] if more else lines


_OF_CLASS = ("prevalence", "recall", "specificity", "precision", "npv", "f1")
_OVERALL = ("accuracy", "balanced_accuracy", "matthews_corrcoef")
_OVERALL_OF_LABELS = ("accuracy", "hamming_loss")
_MACRO = "macro average"


def report_table(
    y_true: ArrayLike | None = None,
    y_pred: Rows | None = None,
    y_score: Rows | None = None,
    *,
    counts: Counts | ArrayLike | None = None,
    operating_point: float | Mapping[str, float] | None = None,
    metrics: Iterable[str] | None = None,
    overall: Iterable[str] | None = None,
    class_names: Mapping[Any, str] | None = None,
    pos_label: Label = None,
    sample_weight: Rows | None = None,
    groups: ArrayLike | Blocks | None = None,
    method: str = "auto",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    random_state: RandomState = None,
    **parameters: Any,
) -> ReportTable:
    """Return a printable table of metrics with intervals, per class and overall.

    Of two classes the positive one has its metrics, of more each class against the rest, and of
    multilabel indicators each label; of more than two also their macro averages. Metrics that are not
    about classes, such as errors of numbers, and those with further arguments, are of all rows only.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or result of a nested cross-validation
        True class labels, or multilabel indicators of shape (n_samples, n_labels), whose labels are
        named by their column; or a result, whose pooled out-of-fold predictions, weights, groups and
        positive class are used.
    y_pred : array-like of shape (n_samples,), default=None
        Predicted class labels; not with `operating_point`.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores of the positive class, or one column per class, for the AUC.
    counts : Counts or array-like of shape (n_classes, n_classes), default=None
        A confusion table of integers instead of arrays, as for :func:`evaluate`.
    operating_point : float, or dict from str to float, default=None
        The threshold of the scores of two classes (a score equal to it is positive), or a metric
        with its bound, as in ``{"specificity": 0.95}``: the threshold of the best recall (of the
        best specificity, for a bound on recall) that satisfies the bound.
    metrics : list of str, default=None
        Metrics of each class, by name or alias. None means prevalence, recall, specificity, precision,
        NPV and F1.
    overall : list of str, default=None
        Metrics of all classes, by name, alias or with an average, as "f1_weighted". None means
        accuracy, balanced accuracy and Matthews' correlation; of multilabel indicators accuracy
        (all labels of a row right) and Hamming loss.
    class_names : dict from label to str, default=None
        How to print the classes.
    pos_label : int, float, bool or str, default=None
        The positive one of two classes; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    groups : array-like of shape (n_samples,), default=None
        Clusters of rows, such as the examples of one patient.
    method, confidence_level, n_resamples, random_state
        As for :func:`interval`.
    **parameters
        ``labels``: the classes, if some do not occur; those of `counts`. Further arguments of
        :func:`evaluate`, such as further arrays of rows.

    Returns
    -------
    ReportTable
        Prints as text; ``to_frame``, ``to_html``, ``to_latex``; ``table["cancer", "recall"]`` is a
        row.

    Raises
    ------
    ValueError, TypeError
        The errors of :func:`interval`; missing or contradictory arguments; no threshold satisfies
        the bound of `operating_point`.

    Notes
    -----
    A numeric operating point is treated as fixed. The threshold of a bound is chosen on the same
    examples, so its metrics have bootstrap intervals with a threshold for every resample: they are
    intervals for the metric at the threshold that satisfies the bound in the population, as
    ``interval("sensitivity_at_specificity", ...)`` is. Rates of the class whose recall or
    specificity is bounded have the interval at this threshold, which is valid for an order
    statistic; a bounded metric of both classes has none.

    Examples
    --------
    >>> from skaucx.evaluation import report_table
    >>> report_table(counts=[[1820, 180], [10, 20]], labels=["healthy", "cancer"], pos_label="cancer",
    ...              metrics=["recall", "specificity", "precision"], overall=["accuracy"])
    Positive class: cancer, 30 of 2,030 (1.5 %).
    Counts are read in the layout 'tn fp fn tp'.
    The 4 intervals hold 95 % for each value separately, not simultaneously.
                   estimate     95 % interval                            method
    cancer
      recall         0.6667  0.4878 to 0.8077             ----o----      wilson
      specificity    0.9100  0.8967 to 0.9218                       o    wilson
      precision      0.1000  0.0657 to 0.1494    o-                      wilson
                                               0                      1
    <BLANKLINE>
    overall
      accuracy       0.9064  0.8930 to 0.9183    -----------o---------   wilson
                                               0.89                0.92
    Marks: o the estimate, - its interval, | chance or no effect.
    """
    refuse_of_records(parameters)
    labels = parameters.pop("labels", None)
    arrays = {TRUE: y_true, PRED: y_pred, SCORE: y_score}
    metrics, overall = ([m] if isinstance(m, str) else m for m in (metrics, overall))
    every = [*(metrics or ()), *(overall or ())] or None
    of_rows = counts is None and not hasattr(y_true, "predictions") and y_true is not None
    if parameters or (of_rows and not reads_classes(every, arrays)):
        refused = {
            "counts": counts,
            "operating_point": operating_point,
            "labels": labels,
            "class_names": class_names,
            "method": None if method == "auto" else method,
            **{name: parameters.pop(name, None) for name in ("by", "data", "baselines")},
        }
        given = {"pos_label": pos_label, "groups": groups, "sample_weight": sample_weight}
        return _of_all_rows(
            arrays, refused, every, n_resamples=n_resamples, random_state=random_state,
            confidence_level=check_confidence_level(confidence_level),
            **{name: value for name, value in given.items() if value is not None}, **parameters,
        )  # fmt: skip
    metrics = _OF_CLASS if metrics is None else metrics
    evaluated = _judged(y_true, y_pred, y_score, counts, labels, pos_label, sample_weight, groups)
    if operating_point is not None:
        if y_pred is not None or counts is not None:
            raise ValueError("operating_point applies to y_score; omit y_pred and counts.")
        evaluated = at_operating_point(evaluated, operating_point)
    elif evaluated.y_pred is None:
        raise ValueError(
            "y_score without y_pred needs operating_point=, the threshold of the scores."
        )
    requested = {
        "method": method,
        "confidence_level": check_confidence_level(confidence_level),
        "sample_weight": evaluated.weight,
        "groups": evaluated.groups,
        "n_resamples": n_resamples,
        "random_state": random_state,
    }
    names = {
        label: str((class_names or {}).get(label, label)) for label in evaluated.classes.tolist()
    }
    if overall is None:
        overall = _OVERALL_OF_LABELS if np.ndim(evaluated.y_true) == 2 else _OVERALL
    metrics = list(metrics)
    averaged = metrics if evaluated.positive is None and len(names) > 2 else []
    return table_of(evaluated, names, metrics, overall, requested, averaged)


def table_of(
    evaluated: Predictions,
    names: Mapping[Any, str],
    metrics: Iterable[str],
    overall: Iterable[str],
    requested: dict[str, Any],
    averaged: Iterable[str] = (),
) -> ReportTable:
    """Return the table of the evaluated predictions; `requested` are the options of the intervals.

    The macro averages of the metrics `averaged` stand after the classes.
    """
    rows = [
        *_of_classes(evaluated, names, list(metrics), requested),
        *_of_averages(evaluated, averaged, requested),
        *_overall(evaluated, overall, requested),
    ]
    level = float(requested["confidence_level"])
    facts = (*_facts(evaluated, names), _not_simultaneous(len(rows), level))
    return ReportTable(tuple(rows), facts, level, evaluated.threshold)


def _of_all_rows(
    arrays: Mapping[str, Any], refused: Mapping[str, Any], metrics: Any, **options: Any
) -> ReportTable:
    """Return the table of metrics of all rows, which are not parted by classes."""
    if wrong := [name for name, value in refused.items() if value is not None]:
        raise ValueError(f"{wrong[0]}= is not for a table of all rows as one; leave it out.")
    found: Any = evaluate(**arrays, metrics=metrics, intervals=True, **options)
    rows = tuple(
        ReportRow("overall", key, float(one.estimate), float(one.low), float(one.high), one.method)
        for key, one in found.intervals.items()
    )
    level = float(options["confidence_level"])
    facts = (f"{counted(len(arrays[TRUE]))} rows.", _not_simultaneous(len(rows), level))
    return ReportTable(rows, facts, level)


def _not_simultaneous(many: int, level: float) -> str:
    return f"The {many} intervals hold {100 * level:g} % for each value separately, not simultaneously."


def _judged(
    y_true: Any,
    y_pred: Any,
    y_score: Any,
    counts: Any,
    labels: Any,
    pos_label: Any,
    *shared: Any,
) -> Predictions:
    """Return the data to evaluate: a table, the predictions of a run, or arrays; one of the three."""
    given = {"y_pred": y_pred, "y_score": y_score, "sample_weight": shared[0], "groups": shared[1]}
    found = [name for name, value in given.items() if value is not None]
    if counts is not None:
        found += ["y_true"] if y_true is not None else []
        if found:
            raise ValueError(
                f"counts represents all examples; {found[0]} cannot be combined with it."
            )
        return of_counts(counts, labels, pos_label)
    if hasattr(y_true, "predictions"):
        if found or labels is not None:
            raise ValueError(
                f"A result contains its own {(found or ['labels'])[0]}; do not pass any."
            )
        return of_predictions(y_true.predictions, pos_label)
    if y_true is None:
        raise ValueError(
            "y_true is None; pass true labels with y_pred or y_score, a result or counts."
        )
    return of_arrays(y_true, y_pred, y_score, labels, pos_label, *shared)


def _of_classes(
    evaluated: Predictions, names: Mapping[Any, str], metrics: list[str], requested: dict[str, Any]
) -> Iterator[ReportRow]:
    """Yield the metrics of the positive class, or of each class against the rest."""
    wanted = named_metrics(metrics) if metrics else []
    area = [named_metric("roc_auc")]
    for label in names if evaluated.positive is None else [evaluated.positive]:
        truth, called = evaluated.truth(label)
        part = names.get(label, str(label))
        yield from _rows(part, wanted, truth, called, True, requested, evaluated.chosen)
        score = evaluated.score_of(label)
        if score is not None and truth.any() and not truth.all():
            yield from _rows(part, area, truth, score, True, requested)


def _of_averages(
    evaluated: Predictions, metrics: Iterable[str], requested: dict[str, Any]
) -> Iterator[ReportRow]:
    """Yield macro averages, under the names of the metrics; that of a prevalence is a constant."""
    averages = {
        f"{name}_macro": name
        for name in metrics
        if name != "prevalence" and "_macro" in named_metric(name).row.kind.suffixes
    }
    wanted = named_metrics([*averages]) if averages else []
    for row in _rows(_MACRO, wanted, evaluated.y_true, evaluated.y_pred, None, requested):
        yield replace(row, metric=averages[row.metric])
    if averages and evaluated.score is not None:
        area = [named_metric("roc_auc_ovr")]
        for row in _rows(_MACRO, area, evaluated.y_true, evaluated.score, None, requested):
            yield replace(row, metric="roc_auc")


def _overall(
    evaluated: Predictions, metrics: Iterable[str], requested: dict[str, Any]
) -> Iterator[ReportRow]:
    """Yield the metrics of all classes, those of predicted labels first."""
    wanted = named_metrics(metrics) if metrics else []
    for argument, given in ((PRED, evaluated.y_pred), (SCORE, evaluated.score)):
        of_kind = [named for named in wanted if named.row.kind.inputs.argument == argument]
        if of_kind and given is None:
            raise refuse_no_predictions(of_kind[0].key, argument)
        chosen = evaluated.chosen if argument == PRED else None
        yield from _rows(
            "overall", of_kind, evaluated.y_true, given, evaluated.positive, requested, chosen
        )


def _rows(
    part: str,
    wanted: Iterable[NamedMetric],
    true: Any,
    given: Any,
    positive: Any,
    requested: dict[str, Any],
    chosen: BoundSample | None = None,
) -> Iterator[ReportRow]:
    """Yield the intervals of several metrics; those by bootstrap share their resamples."""
    bound = {named.key: _bound(named, positive) for named in wanted}
    found: dict[str, Any] = {}
    if chosen is not None:
        every = {named.key: (named.row, _bound(named, chosen.pos_label)) for named in wanted}
        anew = {
            key: own
            for key, (row, own) in every.items()
            if chosen.chooses(row.under(own.keywords), own.keywords)
        }
        how = {key: requested[key] for key in requested if key != "sample_weight"}
        found = chosen.intervals(anew, **how) if anew else {}
    fixed = {
        key: bound[key] for key in bound if key not in found or found[key].low == found[key].high
    }
    if fixed:
        found |= intervals(fixed, true, given, **requested, zero_division=np.nan)
    for key in bound:
        each = found[key]
        yield ReportRow(
            part, key, float(each.estimate), float(each.low), float(each.high), each.method
        )


def _bound(named: NamedMetric, positive: Any) -> Any:
    """Return the metric with its parameters, and the positive class where it is about one."""
    averages = {"average", "multi_class"} & set(named.parameters)
    of_one = positive is not None and "pos_label" in named.function.options and not averages
    own = {"pos_label": positive} if of_one else {}
    return partial(named.function, **named.parameters, **own)


def _facts(evaluated: Predictions, names: Mapping[Any, str]) -> Iterator[str]:
    """Return the facts about the table."""
    weight = (
        np.ones(len(evaluated.y_true)) if evaluated.weight is None else np.asarray(evaluated.weight)
    )
    total = weight.sum()
    sizes = {label: weight[evaluated.truth(label)[0]].sum() for label in names}
    unit = "" if evaluated.weight is None else " by weight"
    if evaluated.positive is not None:
        size = sizes.get(evaluated.positive, 0.0)
        share = f"{counted(size)} of {counted(total)}{unit} ({percent(size / total)})"
        yield f"Positive class: {names.get(evaluated.positive, evaluated.positive)}, {share}."
    else:
        listed = ", ".join(f"{names[k]} {counted(size)}" for k, size in sizes.items())
        what = "Each label" if np.ndim(evaluated.y_true) == 2 else "Each class against the rest"
        yield f"{what}, {counted(total)} examples{unit}: {listed}."
    if evaluated.layout:
        yield evaluated.layout
    if evaluated.operating_point:
        yield evaluated.operating_point
    if evaluated.groups is not None:
        many = len(np.unique(evaluated.groups))
        yield f"Intervals take the rows of each of {many:,} groups as a cluster."
