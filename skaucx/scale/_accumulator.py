"""Counts of predictions that grow chunk by chunk, from which any metric is read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from .._arguments import Columns, Label
from .._arrays import RandomState
from .._options import Confidence, check_choice, check_flag, check_whole
from ..evaluation._evaluator import Certainty, EvaluationRequest, cut_inputs
from ..evaluation._groups import GroupedEvaluation, Partition, compared
from ..evaluation._result import Evaluation
from ..inference import Interval
from ..inference._intervals.interval import intervals_of_sample
from ..metrics._kinds import INPUTS
from ..metrics._kinds.base import PRED, SCORE, TRUE, WEIGHT
from ..metrics._kinds.scores import SCORES
from ..metrics._kinds.scores.state import GREATEST
from ..metrics._records.inputs import refuse_no_predictions
from ..metrics._registry.declare import MetricFunction, get_metric
from ..metrics._registry.names import NamedMetric, named_metric, requested_entries
from ._aggregation import Aggregate, Settings, aggregate_of, sum_of_parts, usually_counted
from ._batches import Chunk, with_chunk
from ._cut_cells import with_cuts
from ._in_chunks import (
    evaluated_counts,
    metrics_of_counts,
    needed_counting,
    plan_of_metrics,
    totals_of,
)
from ._saved import read_counts, write_counts
from ._score_counts import MAX_CELLS, ScoreCounts, counting_of
from ._sql import (
    columns_of_cells,
    counts_of_cells,
    metrics_of_cells,
    narrowed,
    open_cells_of,
    settings_of,
)

Curve = TypeVar("Curve")


class MetricAccumulator:
    """Counts of predictions that grow chunk by chunk, from which any metric is read.

    Of the rows only counts are kept: a confusion table, sums of losses, bins of probabilities, and for
    each binary problem how many positives and negatives score within each cell, a range of the floats.
    Up to `max_cells` distinct scores every metric is exact; beyond, metrics of scores are
    :class:`BoundedValue` values with bounds that contain the exact one. The state does not depend on
    the order of unweighted rows nor on how they are parted: parts counted on other machines merge
    into the same one to the last bit, sums of weights and losses up to rounding.

    Parameters
    ----------
    metrics : list of str, default=None
        The metrics that will be requested. None keeps the inputs of all metrics.
    labels : array-like of shape (n_classes,), default=None
        The classes. Needed for a score matrix where a chunk lacks one.
    max_cells : int, default=2**20
        The greatest number of cells of a binary problem, at 32 bytes each.
    multi_class : {"raise", "ovr", "ovo"}, default="raise"
        "ovo" keeps the cells of all pairs of classes, K (K - 1) sets.
    n_bins : int or list of int, default=(10, 15)
        The numbers of uniform bins of probabilities that are kept, of which
        :func:`binned_calibration_error` and :func:`reliability_curve` are exact however many the
        rows; the default are theirs.
    intervals : bool, default=False
        Whether to keep sums of squared losses too: intervals of means of losses, such as the log loss,
        are then exact and need no cells.

    Attributes
    ----------
    n_samples : int
        Rows counted so far.
    classes : list
        The class labels met so far, sorted.

    Examples
    --------
    >>> from skaucx.scale import MetricAccumulator
    >>> here, there = MetricAccumulator(), MetricAccumulator()
    >>> here.update([0, 1], y_score=[0.2, 0.7]).update([1, 0], y_score=[0.6, 0.3]).n_samples
    4
    >>> there.update([1, 0], y_score=[0.4, 0.5]).n_samples
    2
    >>> found = here.merge(there).result(["roc_auc", "log_loss"])
    >>> round(found["roc_auc"], 4), round(found["log_loss"], 4)
    (0.8889, 0.5095)
    """

    def __init__(
        self,
        metrics: Iterable[str] | None = None,
        *,
        labels: Sequence[Any] | None = None,
        max_cells: int = MAX_CELLS,
        multi_class: str = "raise",
        n_bins: int | Sequence[int] = (10, 15),
        intervals: bool = False,
    ) -> None:
        check_choice("multi_class", multi_class, ("raise", "ovr", "ovo"))
        self._metrics = (
            None if metrics is None else [entry for _, entry in requested_entries(metrics)]
        )
        requested = metrics_of_counts(INPUTS[:2], self._metrics or "all", {})
        options, cells = {"multi_class": multi_class}, check_whole("max_cells", max_cells, 1)
        squares = check_flag("intervals", intervals)
        plan = plan_of_metrics(requested, options, cells, squares=squares)
        numbers = n_bins if isinstance(n_bins, Sequence) else [n_bins]
        plan = plan.binned([check_whole("n_bins", number, 1) for number in numbers])
        plan = replace(plan, strict=False)
        self._settings = Settings(
            plan,
            None if labels is None else tuple(labels),
            kinds=_kinds_of(requested),
            numbers=totals_of([named.row for named in requested], {}),
        )
        self._aggregate: Aggregate | None = None
        self._chunks = 0
        self._pos_label: Any = None

    @property
    def n_samples(self) -> int:
        """Rows counted so far."""
        return 0 if self._aggregate is None else self._aggregate.rows

    @property
    def classes(self) -> list[Any]:
        """The class labels met so far, sorted."""
        parts: list[Any] = (
            [] if self._aggregate is None else [self._aggregate.labels, self._aggregate.scores]
        )
        return sorted({c for p in parts if hasattr(p, "classes") for c in p.classes.tolist()})

    def update(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike | None = None,
        y_score: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        **further: Any,
    ) -> MetricAccumulator:
        """Count a chunk of rows.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
            True class labels, or multilabel indicators; numbers for metrics of these.
        y_pred : array-like of shape (n_samples,) or (n_samples, n_labels), default=None
            Predicted labels, or numbers.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
            Scores or probabilities.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights >= 0.
        **further : array-like of n_samples entries
            What else a kind of metrics reads. ``rejected``, bool: which predicted labels are rejected;
            alternatively `y_pred` is a masked array. ``example_costs``, of shape (n_samples,
            n_classes): the cost of each example by predicted class.

        Returns
        -------
        MetricAccumulator
            The accumulator itself.

        Raises
        ------
        ValueError, TypeError
            As metrics of arrays raise, naming the number of the chunk. Whatever stops an update, the
            counts are then those before the chunk.
        """
        known = {name for inputs in INPUTS for name in inputs.extra_arrays}
        if unknown := sorted(further.keys() - known):
            raise TypeError(
                f"update() reads no {unknown[0]}=; further arrays are {', '.join(sorted(known))}."
            )
        arrays = {TRUE: y_true, PRED: y_pred, SCORE: y_score, WEIGHT: sample_weight, **further}
        given = {name: array for name, array in arrays.items() if array is not None}
        if y_pred is None and y_score is None:
            raise refuse_no_predictions()
        chunk = Chunk(f"chunk {self._chunks}", given)
        counted = with_chunk(self._aggregate, chunk, self._counted)
        self._aggregate, self._chunks = counted, self._chunks + 1
        return self

    def emptied(self) -> MetricAccumulator:
        """Return one that counts the same, without rows."""
        found = copy(self)
        found._aggregate, found._chunks = None, 0
        return found

    def _counted(self, arrays: Mapping[str, Any], before: Aggregate | None) -> Aggregate | None:
        return aggregate_of(self._settings, arrays, before)

    def merge(self, other: MetricAccumulator) -> MetricAccumulator:
        """Add the counts of another accumulator.

        Parameters
        ----------
        other : MetricAccumulator
            Made with the same `metrics`, `labels`, `multi_class`, `n_bins` and `intervals`. Of two
            `max_cells` the smaller one holds.

        Returns
        -------
        MetricAccumulator
            The accumulator itself.

        Raises
        ------
        ValueError, TypeError
            If the other counts something else.
        """
        if not isinstance(other, MetricAccumulator):
            raise TypeError(f"other must be a MetricAccumulator, found {type(other).__name__}.")
        mine, others = (a._settings.kept for a in (self, other))
        if mine != others:
            raise ValueError(
                "The accumulators keep different counts; make both with the same metrics, labels, "
                "multi_class, n_bins and intervals."
            )
        if other._aggregate is not None:
            added = (
                other._aggregate if self._aggregate is None else self._aggregate + other._aggregate
            )
            self._aggregate, self._chunks = added, self._chunks + other._chunks
        return self

    def result(
        self,
        metrics: Iterable[str] | None = None,
        *,
        intervals: bool = False,
        confidence_level: float | Confidence = 0.95,
        n_resamples: int = 2000,
        random_state: RandomState = None,
        **parameters: Any,
    ) -> Evaluation:
        """Return metrics of all rows so far.

        Parameters
        ----------
        metrics : list of str, default=None
            Names or aliases. None means those of the constructor, or all that can be read.
        intervals : bool, default=False
            Whether every value gets its interval, as by :func:`evaluate`.
        confidence_level, n_resamples, random_state
            Of the intervals, as for :func:`evaluate`.
        **parameters
            As for :func:`evaluate`: ``pos_label``, ``average``, ``multi_class``, ``beta`` and so on.

        Returns
        -------
        Evaluation
            Floats, and :class:`BoundedValue` values where there are bounds only.

        Raises
        ------
        ValueError, TypeError
            If there are no rows, or from the metrics.
        """
        usual = Certainty.of(confidence_level, n_resamples, random_state)
        certainty = usual if check_flag("intervals", intervals) else None
        return self.read_as(EvaluationRequest(metrics, self._facing(parameters), certainty))

    def read_as(self, requested: EvaluationRequest) -> Evaluation:
        """Return the requested metrics of all rows so far."""
        chosen = self._metrics if requested.metrics is None else requested.metrics
        cuts = tuple(cut_inputs(chosen, requested.parameters))
        counts = with_cuts(self._counts, cuts)
        return evaluated_counts(counts, replace(requested, metrics=chosen), cuts=cuts)

    def interval(self, metric: str | MetricFunction, **options: Any) -> Interval:
        """Return an interval for a metric's value on the population, from the counts.

        Parameters
        ----------
        metric : str or callable
            Name, alias or function.
        **options
            As for :func:`interval`: ``method``, ``confidence_level``, ``n_resamples``, ``stratify``,
            ``random_state``, and the metric's own arguments.

        Returns
        -------
        Interval
            Rows of a cell count as rows of its middle.

        Raises
        ------
        ValueError, TypeError
            As :func:`interval` raises; for weighted scores, for several columns of them, and for costs
            and numbers, of which only sums are kept.
        """
        options = self._facing(options)
        named = named_metric(metric if callable(metric) else get_metric(metric))
        if self._counts.scores is not None:
            named = named.cut_at(options)
        inputs, name = named.row.kind.inputs, needed_counting(named.row).key
        counts = with_cuts(self._counts, [inputs]).counts.get(name)
        if counts is None:
            raise refuse_no_predictions(named.row.name, inputs.evaluated_with or inputs.argument)
        own = {
            key: options.pop(key)
            for key in (
                "method", "confidence_level", "n_resamples", "stratify", "random_state",
            )
            if key in options
        }  # fmt: skip
        return intervals_of_sample([named], counts.sample, options, **own)[named.key]

    def curve(self, curve: Callable[..., Curve], **options: Any) -> Curve:
        """Return a curve from the counts.

        Parameters
        ----------
        curve : callable
            :func:`roc_curve`, :func:`precision_recall_curve`, :func:`threshold_curves`,
            :func:`decision_curve`, :func:`reliability_curve`, :func:`roc_band` or another curve of
            labels and scores.
        **options
            Its own arguments, such as ``pos_label``.

        Returns
        -------
        RocCurve, PrecisionRecallCurve, ThresholdCurves or another curve
            Its points are exact, one a cell. With more distinct scores than `max_cells` a ROC or
            precision-recall curve has `low` and `high`, between which the exact one lies; the bins of
            a reliability curve end at the ends of cells.

        Raises
        ------
        ValueError, TypeError
            As the curve raises; without scores, or with several columns of them; for a curve that reads
            score values where these are not all known.

        Examples
        --------
        >>> from skaucx.metrics import roc_curve
        >>> from skaucx.scale import MetricAccumulator
        >>> counts = MetricAccumulator().update([0, 0, 1, 1], y_score=[0.1, 0.4, 0.35, 0.8])
        >>> counts.curve(roc_curve).tpr.tolist()
        [0.0, 0.5, 0.5, 1.0, 1.0]
        """
        if self._counts.scores is None:
            raise refuse_no_predictions("a curve", SCORE)
        return curve(self._counts.scores, None, **self._facing(options))

    def _facing(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters with the positive class of cells, unless another is given."""
        own = {} if self._pos_label is None else {"pos_label": self._pos_label}
        return {**own, **parameters}

    @property
    def _counts(self) -> Aggregate:
        if self._aggregate is None:
            raise ValueError("No rows of positive weight have been counted; call update with some.")
        return self._aggregate

    def to_file(self, path: str | PathLike[str], *, minimum_count: int | None = None) -> None:
        """Write the counts as JSON, of which no row can be read back.

        Parameters
        ----------
        path : str or path-like
        minimum_count : int, default=None
            If given, no count above 0 and below it is written: neighbouring cells are joined until
            each class has 0 or at least this many, and the lowest and highest scores become edges
            of cells.

        Raises
        ------
        ValueError
            If there are no rows, or a count that cannot be joined is too small.
        """
        least = None if minimum_count is None else check_whole("minimum_count", minimum_count, 1)
        write_counts(path, self._counts, self._settings, least)

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> MetricAccumulator:
        """Return the accumulator whose counts were written to a file.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        MetricAccumulator

        Raises
        ------
        ValueError
            If the file does not hold counts, is of another version, or is not as it was written.
        """
        accumulator = cls()
        accumulator._aggregate, accumulator._settings = read_counts(path)
        return accumulator

    @classmethod
    def from_cells(
        cls,
        table: Columns,
        *,
        by: str | Sequence[str] | None = None,
        labels: Sequence[Any] = (0, 1),
        max_cells: int = MAX_CELLS,
    ) -> Any:
        """Return the accumulator of scores that a query engine counted in cells.

        The rows never leave the engine: :func:`cells_query` writes the query. Every metric of scores
        then lies between two bounds, and is exact where each cell holds one score.

        Parameters
        ----------
        table : data frame of pandas or polars, pyarrow table, or dict of arrays
            A row a cell, in any order: columns ``positive`` and ``negative``, the number or weight of
            the rows of each class; ``least`` and ``greatest``, their outermost scores. Cells are ranges
            of scores apart. ``rows`` and ``known``, numbers of rows and of those with a known label,
            show rows that must not be there; ``counted`` is the number of rows that weigh more than 0,
            and cells without any are left out. Optional are the outermost scores of each class,
            ``positive_least``, ``positive_greatest``, ``negative_least`` and ``negative_greatest``, and
            sums that add the Brier score and the log loss with their intervals: ``brier`` and ``log``,
            of squared errors and log losses, ``brier_squares`` and ``log_squares``, of their squares.
        by : str or list of str, default=None
            A column of groups, or several.
        labels : sequence of two labels, default=(0, 1)
            The negative and the positive class; results, intervals, curves and :meth:`narrow` take this
            positive class unless they are given another `pos_label`.
        max_cells : int, default=2**20
            As of the class; more cells are joined.

        Returns
        -------
        MetricAccumulator, or dict of group to MetricAccumulator
            A group of several columns is a tuple; one whose rows all weigh 0 is left out, as by
            :func:`evaluate`. Merges with accumulators of rows that keep the same:
            ``MetricAccumulator(["roc_auc"])`` of cells without sums of losses.

        Raises
        ------
        ValueError
            If there are no rows, columns differ in length, cells overlap, a count or a sum is below 0,
            or rows have missing or infinite scores or labels other than both: the message names the
            column and the number of rows.

        Examples
        --------
        >>> from skaucx.scale import MetricAccumulator
        >>> cells = {"positive": [0, 2, 3], "negative": [5, 2, 0], "least": [0.1, 0.4, 0.7],
        ...          "greatest": [0.3, 0.5, 0.9]}
        >>> found = MetricAccumulator.from_cells(cells).result(["roc_auc"])["roc_auc"]
        >>> round(found.low, 4), round(found.high, 4)
        (0.8857, 1.0)
        """
        columns = [by] if isinstance(by, str) else list(by or [])
        cells, groups = columns_of_cells(table, columns)
        if not len(cells["positive"]):
            raise ValueError(
                "table has no rows, or rows that weigh 0 throughout; at least one cell with a row is "
                "needed: check the conditions of the query."
            )
        if by is None:
            return cls._of_cells(cells, slice(None), labels, max_cells)
        rows = Partition.of(groups, cells["positive"]).rows
        return {key: cls._of_cells(cells, own, labels, max_cells) for key, own in rows.items()}

    @classmethod
    def _of_cells(
        cls, table: Any, rows: Any, labels: Sequence[Any], max_cells: int
    ) -> MetricAccumulator:
        accumulator = cls()
        least = check_whole("max_cells", max_cells, 1)
        accumulator._aggregate = counts_of_cells(table, rows, labels, least)
        accumulator._settings = settings_of(accumulator._aggregate)
        accumulator._metrics = metrics_of_cells(table)
        accumulator._pos_label = labels[1]
        return accumulator

    def open_cells(self, tolerance: float = 0.0) -> list[tuple[float, float]]:
        """Return the ranges of scores that leave the AUC open by more than a tolerance.

        Parameters
        ----------
        tolerance : float, default=0
            How far the bounds of the AUC may lie apart.

        Returns
        -------
        list of (float, float)
            The least and the greatest score of each run of them, for ``cells_query(within=...)`` with
            more bits; empty where the bounds are near enough. At most 200 ranges: runs with few other
            cells between are joined.
        """
        return open_cells_of(self._one_score.cells[GREATEST], tolerance)

    def narrow(self, table: Columns, *, pos_label: Label = None) -> MetricAccumulator:
        """Replace cells by narrower ones that a second query counted.

        Parameters
        ----------
        table : data frame of pandas or polars, pyarrow table, or dict of arrays
            As of :meth:`from_cells`: all rows of the open cells.
        pos_label : label, default=None
            The class that column ``positive`` counts. None means the one of :meth:`from_cells`; where
            rows or a file gave the counts, 1 (or True), and other labels need it.

        Returns
        -------
        MetricAccumulator
            The accumulator itself.

        Raises
        ------
        ValueError
            If the cells reach beyond those that they replace, or hold other numbers of rows, as of a
            view that changed; if the positive class is not known.
        """
        positive = self._pos_label if pos_label is None else pos_label
        cells, _ = columns_of_cells(table)
        self._aggregate = narrowed(self._counts, self._one_score, cells, positive)
        return self

    @property
    def _one_score(self) -> ScoreCounts:
        scores = self._counts.scores
        if scores is None or GREATEST not in scores.cells:
            raise ValueError("There are no cells of one score a row to narrow.")
        return scores

    def __repr__(self) -> str:
        return f"MetricAccumulator({self.n_samples} rows)"


def _kinds_of(metrics: Sequence[NamedMetric]) -> tuple[str, ...]:
    """Return the names of the states of metrics, if their arrays are given."""
    own = {named.row.kind.inputs for named in metrics}
    own |= {SCORES} if any(named.row.cuts for named in metrics) else set()
    read = [each for each in INPUTS if each in own]
    counted = [found for each in read if (found := counting_of(each))]
    if not any(each.totals_only for each in counted):
        return usually_counted()
    return tuple(each.key for each in counted)


def evaluated_groups(
    groups: Mapping[Any, MetricAccumulator],
    name: str,
    parameters: Mapping[str, Any],
    *,
    intervals: bool,
    confidence_level: float,
    n_resamples: int,
    random_state: Any,
) -> GroupedEvaluation:
    """Return the metrics of separately counted groups, compared as by :func:`evaluate`."""
    certainty = Certainty.of(confidence_level, n_resamples, random_state) if intervals else None
    requested, first = EvaluationRequest(None, parameters, certainty), next(iter(groups.values()))
    whole = first.emptied()
    whole._aggregate = sum_of_parts([counts._counts for counts in groups.values()])
    sizes = {key: counts.n_samples for key, counts in groups.items()}
    read: Mapping[Any, MetricAccumulator] = {**groups, None: whole}
    return compared(lambda reading, key: read[key].read_as(reading), sizes, (name,), requested)
