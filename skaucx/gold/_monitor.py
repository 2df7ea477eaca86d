"""Watching metrics of a stream of rows, with limits that hold however often one looks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Axes, Label
from .._arrays import Array, Floats, check_same_length, host_array
from .._compat import import_pandas
from .._options import check_confidence_level
from .._plotting.axes import new_axes
from .._text.reported import shown
from .._text.tables import Table, Tabular
from ..inference import Interval, example_losses
from ..inference._intervals.proportions import share_of_counts
from ..inference._intervals.sequences import (
    BoundedMean,
    bounded_ends,
    log_evidence_below,
    log_evidence_of_mean,
    mirrored,
    time_uniform,
)
from ..metrics import Counts, NamedMetric
from ..metrics._kinds.base import PRED, SCORE
from ..metrics._records.inputs import refuse_no_predictions, unnamed_positive
from ..metrics._registry.declare import options_of_state
from ..metrics._registry.names import named_metrics

_METHOD = "time-uniform"
_TARGET = "the mean over the stream so far, at all looks together"
# Cells tp, fp, fn, tn as the bits of a number: which of them a share counts.
_BITS = Counts(*np.array([1.0, 2.0, 4.0, 8.0]))
# The share of a table's diagonal among all its rows.
_TABLE, _DIAGONAL = np.arange(9.0).reshape(3, 3), (12.0, 36.0)


class _Stream(NamedTuple):
    """Places of the rows that count with their values in [0, 1], and the range of the metric."""

    values: Callable[[Mapping[str, Any]], tuple[Array, Floats]]
    low: float = 0.0
    high: float = 1.0
    binary: bool = True


class MetricMonitor(Tabular):
    """Watch metrics of rows that come one after another, with limits valid at every look.

    A fixed-size 95 % interval that is computed again and again excludes the truth sooner or later. The
    limits of a confidence sequence contain it at all looks together with a chance of 95 %, so that one
    may look after every row, and stop when one likes.

    Parameters
    ----------
    metrics : str or list of str
        Shares of predicted labels in their own stream of rows (accuracy, recall of the positives,
        precision of the positive calls, specificity, ...), means over rows with a finite range (Brier
        score), and roc_auc, by pairs of a positive and a negative in the order of their coming.
    below, above : dict of str to float, default=None
        For some of the metrics a value; an alarm says when there is evidence that the metric is below,
        or above, it. One that is not has a chance of at most 1 - confidence_level of ever raising it.
    confidence_level : float, default=0.95
        Of the limits of each metric over all looks, in (0, 1).
    pos_label : label, default=None
        The positive class; None is 1 where labels lie in {-1, 0, 1} or are bool.

    Attributes
    ----------
    n_samples : int
        Rows so far.
    alarms : dict of str to int or None
        The number of rows after which each alarm was raised.

    Raises
    ------
    ValueError
        For a metric that is no mean over rows or pairs, of which no such limits are known.

    Notes
    -----
    A share has the beta mixture of Bernoulli likelihood ratios [1]_, which depends on counts alone; a
    mean of other values in [0, 1] the empirical Bernstein supermartingale [2]_ with a gamma mixture of
    stakes. ``interval(..., method="time-uniform")`` gives the limits of a share from its counts.
    ``python -m benchmarks.confidence_sequences`` prints how often a sequence ever excludes the truth and
    how wide it is.

    The AUC pairs every row with one waiting row of the other class, so that pairs are independent; it
    uses min(P, N) pairs, and is wider than that of all pairs.

    References
    ----------
    .. [1] Howard, S. R., Ramdas, A., McAuliffe, J. and Sekhon, J. (2021). Time-uniform, nonparametric,
       nonasymptotic confidence sequences. Annals of Statistics 49(2), 1055-1080.
    .. [2] Waudby-Smith, I. and Ramdas, A. (2024). Estimating means of bounded random variables by
       betting. Journal of the Royal Statistical Society B 86(1), 1-27.

    Examples
    --------
    >>> from skaucx.gold import MetricMonitor
    >>> monitor = MetricMonitor(["recall", "accuracy"], below={"recall": 0.85})
    >>> for _ in range(40):
    ...     _ = monitor.update([1, 1, 1, 0, 0], y_pred=[1, 1, 0, 0, 0])
    >>> monitor.result()["recall"]
    recall 0.6667 (95 %: 0.4521 to 0.8345; time-uniform)
    >>> monitor.alarms
    {'recall': 148}
    """

    def __init__(
        self,
        metrics: str | Iterable[str],
        *,
        below: Mapping[str, float] | None = None,
        above: Mapping[str, float] | None = None,
        confidence_level: float = 0.95,
        pos_label: Label = None,
    ) -> None:
        check_confidence_level(confidence_level)
        self.confidence_level, self.pos_label = float(confidence_level), pos_label
        self._metrics = {each.key: each for each in named_metrics(metrics)}
        self._streams = {key: self._stream_of(each) for key, each in self._metrics.items()}
        self._bars = self._bars_of(below or {}, "below") | self._bars_of(above or {}, "above")
        self.alarms: dict[str, int | None] = dict.fromkeys(self._bars)
        self.n_samples = 0
        self._sums = dict.fromkeys(self._streams, BoundedMean())
        self._waiting: list[Floats] = [np.empty(0), np.empty(0)]
        self._history: list[tuple[int, dict[str, BoundedMean]]] = []

    def update(
        self, y_true: ArrayLike, y_pred: ArrayLike | None = None, y_score: ArrayLike | None = None
    ) -> MetricMonitor:
        """Count further rows, in their order.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
        y_pred : array-like of shape (n_samples,), default=None
            Predicted labels, for shares.
        y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
            Scores or probabilities.

        Returns
        -------
        MetricMonitor
            The monitor itself.

        Raises
        ------
        ValueError, TypeError
            As metrics of arrays raise, or if predictions that a metric reads are not given. Nothing is
            then counted.
        """
        arrays: dict[str, Any] = {"y_true": host_array(y_true), PRED: y_pred, SCORE: y_score}
        check_same_length({k: np.asarray(v) for k, v in arrays.items() if v is not None})
        waiting = list(self._waiting)
        try:
            found = {key: each.values(arrays) for key, each in self._streams.items()}
        except Exception:
            self._waiting = waiting
            raise
        for key, (places, values) in found.items():
            path = self._sums[key].path(values)
            self._raise_alarm(key, path, places)
            if len(path):
                self._sums[key] = BoundedMean(*path[-1].tolist())
        self.n_samples += len(arrays["y_true"])
        self._history.append((self.n_samples, dict(self._sums)))
        return self

    def result(self) -> dict[str, Interval]:
        """Return each metric with its limits so far.

        Returns
        -------
        dict of str to Interval
        """
        return {key: self._interval(key) for key in self._streams}

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with a row an update and metric: rows, value, low, high.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = import_pandas()
        frames = [pandas.DataFrame({"metric": key, **self._path_of(key)}) for key in self._streams]
        return pandas.concat(frames, ignore_index=True).sort_values("rows", kind="stable")

    def plot(self, metric: str | None = None, *, ax: Axes | None = None) -> Any:
        """Draw a metric with its limits over the rows, the value of its alarm, and the alarm.

        Parameters
        ----------
        metric : str, default=None
            By default the first one.
        ax : matplotlib Axes, default=None

        Returns
        -------
        matplotlib Axes
        """
        key = next(iter(self._streams)) if metric is None else named_metrics(metric)[0].key
        if key not in self._streams or not self._history:
            raise ValueError(f"There are no rows of {key!r} yet; watched are {[*self._streams]}.")
        ax, _ = new_axes(ax)
        at, value, low, high = self._path_of(key).values()
        (line,) = ax.plot(at, value, label=shown(key))
        share = f"{100 * self.confidence_level:g} % at all looks"
        ax.fill_between(at, low, high, color=line.get_color(), alpha=0.2, lw=0, label=share)
        if key in self._bars:
            side, bar = self._bars[key]
            ax.axhline(bar, color="0.3", lw=1, ls="--", label=f"alarm {side} {bar:g}")
        if (row := self.alarms.get(key)) is not None:
            ax.axvline(row, color="C3", lw=1, label=f"alarm at row {row}")
        ax.set(xlabel="Rows", ylabel=shown(key))
        ax.legend()
        return ax

    def __repr__(self) -> str:
        lines = [repr(each) for each in self.result().values()]
        lines += [
            f"alarm at row {row}: {shown(name)} is {' '.join(map(str, self._bars[name]))}"
            for name, row in self.alarms.items()
            if row is not None
        ]
        return "\n".join([f"MetricMonitor, {self.n_samples} rows", *lines])

    def _table(self) -> Table:
        rows = [
            [shown(key), i.estimate, i.low, i.high, self.alarms.get(key)]
            for key, i in self.result().items()
        ]
        title = f"{self.n_samples} rows, {100 * self.confidence_level:g} % limits at all looks"
        return Table(["metric", "value", "low", "high", "alarm at row"], rows, title)

    def _interval(self, key: str) -> Interval:
        value, low, high = self._limits(key, [self._sums[key]])[:, 0].tolist()
        note = "" if self._sums[key].n else "no row counts for it yet"
        return Interval(
            key,
            value,
            low,
            high,
            math.nan,
            self.confidence_level,
            _METHOD,
            note=note,
            target=_TARGET,
            label=self._metrics[key].label,
        )

    def _limits(self, key: str, path: Sequence[BoundedMean]) -> Floats:
        """Return values, lower and upper limits at each of some sums; nan where no row counted."""
        stream, sums = self._streams[key], np.array(path, dtype=np.float64)
        n, total, _ = sums.T
        if stream.binary:
            ends = time_uniform(total, n, self.confidence_level)
        else:
            ends = bounded_ends(sums, self.confidence_level)
        means = np.divide(total, n, out=np.full(len(n), np.nan), where=n > 0)
        found = stream.low + (stream.high - stream.low) * np.stack([means, *ends])
        return np.where(n > 0, found, np.nan)

    def _path_of(self, key: str) -> dict[str, Array]:
        """Return rows, values and limits after every update."""
        rows = np.array([rows for rows, _ in self._history], dtype=np.intp)
        limits = self._limits(key, [held[key] for _, held in self._history] or [BoundedMean()])
        names = "value", "low", "high"
        return {"rows": rows, **dict(zip(names, limits[:, : len(rows)], strict=True))}

    def _raise_alarm(self, key: str, path: Floats, places: Array) -> None:
        """Note the first row at which the evidence reaches the bar."""
        if self.alarms.get(key, 0) is not None or not len(path):
            return
        stream, (side, bar) = self._streams[key], self._bars[key]
        share = (bar - stream.low) / (stream.high - stream.low)
        if side == "above":  # the complement is below
            path, share = mirrored(path), 1 - share
        if stream.binary:
            evidence = log_evidence_below(path[:, 1], path[:, 0], share)
        else:
            evidence = log_evidence_of_mean(path, np.asarray(share))
        reached = np.flatnonzero(evidence >= -math.log1p(-self.confidence_level))
        if len(reached):
            self.alarms[key] = self.n_samples + int(places[reached[0]]) + 1

    def _bars_of(self, given: Mapping[str, float], side: str) -> dict[str, tuple[str, float]]:
        """Check the values of alarms."""
        found = {}
        for name, value in given.items():
            key = named_metrics(name)[0].key
            if key not in self._streams:
                raise ValueError(
                    f"{side} names {name!r}, which is not watched: {[*self._streams]}."
                )
            low, high = self._streams[key].low, self._streams[key].high
            if not low < value < high:
                raise ValueError(
                    f"{side}[{name!r}] must lie between {low:g} and {high:g}, found {value!r}."
                )
            found[key] = side, float(value)
        return found

    def _stream_of(self, named: NamedMetric) -> _Stream:
        """Return how a metric's values come of rows, or refuse it."""
        row = named.row
        options = options_of_state(named.function, dict(named.parameters))
        if row.name == "roc_auc":
            return _Stream(self._pairs)
        if row.kind.counted and share_of_counts(row, _TABLE, {}) == _DIAGONAL:
            return _Stream(_agreements)
        average = options.get("average", "binary")
        one = row.kind.counted and average == "binary"
        share = share_of_counts(row, _BITS, {}) if one else None
        if share is not None:
            return _Stream(partial(_hits, share=share, pos_label=self.pos_label))
        under = row.under(options)
        if row.losses is not None and not row.kind.counted and np.isfinite(under.bounds).all():
            low, high = under.bounds
            values = partial(_losses, named=named, bounds=(low, high))
            return _Stream(values, low, high, False)
        raise ValueError(
            f"{row.name} is no mean over rows with a finite range; watch shares of labels (jaccard, J, "
            "for F1 = 2 J / (1 + J)), the Brier score or roc_auc."
        )

    def _pairs(self, arrays: Mapping[str, Any]) -> tuple[Array, Floats]:
        """Return 1, 1/2 or 0 for every pair of a row and one that waited for it."""
        if arrays[SCORE] is None:
            raise refuse_no_predictions("roc_auc", SCORE)
        score = np.asarray(arrays[SCORE], dtype=np.float64)
        held = arrays["y_true"] == _positive_of(arrays["y_true"], self.pos_label)
        ends = []
        for side, old in zip((held, ~held), self._waiting, strict=True):
            where = np.append(np.full(len(old), -1), np.flatnonzero(side))
            ends.append((where, np.append(old, score[side])))
        many = min(len(ends[0][0]), len(ends[1][0]))
        (a, positives), (b, negatives) = ends
        self._waiting = [positives[many:], negatives[many:]]
        at = np.maximum(a[:many], b[:many])
        won = (positives[:many] > negatives[:many]) + 0.5 * (positives[:many] == negatives[:many])
        return at, won


def _positive_of(truth: Array, pos_label: Any) -> Any:
    """Return the positive class, 1 where labels lie in {-1, 0, 1} or are bool."""
    if pos_label is None and not np.isin(classes := np.unique(truth), [-1, 0, 1]).all():
        raise ValueError(unnamed_positive(classes))
    return 1 if pos_label is None else pos_label


def _agreements(arrays: Mapping[str, Any]) -> tuple[Array, Floats]:
    """Return which rows have the right label, of any number of classes."""
    if arrays[PRED] is None:
        raise refuse_no_predictions("accuracy", PRED)
    found = arrays["y_true"] == np.asarray(arrays[PRED])
    return np.arange(len(found)), found.astype(np.float64)


def _hits(
    arrays: Mapping[str, Any], share: tuple[float, float], pos_label: Any
) -> tuple[Array, Floats]:
    """Return which rows of a share's cells are hits."""
    if arrays[PRED] is None:
        raise refuse_no_predictions("a share of labels", PRED)
    positive = _positive_of(arrays["y_true"], pos_label)
    actual, called = arrays["y_true"] == positive, np.asarray(arrays[PRED]) == positive
    cell = np.where(actual, np.where(called, 0, 2), np.where(called, 1, 3))
    part, whole = (np.array([int(bits) >> k & 1 for k in range(4)], dtype=bool) for bits in share)
    places = np.flatnonzero(whole[cell])
    return places, part[cell[places]].astype(np.float64)


def _losses(
    arrays: Mapping[str, Any], named: NamedMetric, bounds: tuple[float, float]
) -> tuple[Array, Floats]:
    """Return the values of rows, mapped onto [0, 1]."""
    argument = named.row.kind.inputs.argument
    if arrays[argument] is None:
        raise refuse_no_predictions(named.row.name, argument)
    values = example_losses(named.entry, arrays["y_true"], arrays[argument])
    return np.arange(len(values)), (values - bounds[0]) / (bounds[1] - bounds[0])
