"""The threshold control: scores on their axis, and four pictures that follow the threshold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Floats
from .._text.lines import ticks_of
from .._text.numbers import counted, significant
from ..inference import reliability_curve
from ..metrics.curves import decision_curve, precision_recall_curve
from ._sheet import Chart, Series

_STOPS = 400
_BINS = 40
_SKEWED = 0.1  # a median score below it, or that far from 1, has bins of equal counts
_OF = 1000  # people of the natural frequencies
_NO_COUNT = "\u2013"  # in place of a count where nothing was called


@dataclass(frozen=True)
class InUse:
    """The threshold that made the calls, or where the control starts if there are none.

    Attributes
    ----------
    threshold : float
        Scores at or above it are called positive; the one that the control starts at.
    words : str
        Where it comes from, such as "chosen inside"; "" if nothing but the control defines it.
    text : str
        The threshold as a reader writes it, or the range of those of the folds.
    single : bool
        Whether it alone made the calls.
    called : bool
        Whether there are calls; without them there are no counts until the control is moved.
    """

    threshold: float
    words: str
    text: str
    single: bool = True
    called: bool = True


def threshold_in_use(given: Any, threshold: float | None = None) -> InUse:
    """Return the threshold given, the one that separates the calls, or the median score."""
    score = given.score
    if threshold is not None:
        return InUse(threshold, "as given", significant(threshold))
    if given.y_pred is not None:
        called = given.y_pred == given.positive
        above = score[called].min(initial=np.inf)
        below = score[~called].max(initial=-np.inf)
        if below < above:
            at = _roundest(below, above)
            return InUse(at, "read off the calls", significant(at))
    if given.y_pred is None:
        return InUse(float(np.median(score)), "", "none given", single=False, called=False)
    # Calls of several thresholds, or of none: start where as many rows are called.
    share = np.mean(given.y_pred == given.positive)
    at = float(np.quantile(score, 1 - share, method="higher"))
    return InUse(at, "", "more than one", single=False)


def _roundest(low: float, high: float) -> float:
    """Return the number in (low, high] with the fewest decimals."""
    if not np.isfinite(low) or not np.isfinite(high):
        return float(high if np.isfinite(high) else np.nextafter(low, np.inf))
    for places in range(1, 12):
        step = 10.0**-places
        halves = np.round(0.5 / step) * step
        if low < halves <= high:  # a threshold of one half is the usual one
            return float(halves)
        at = np.floor(high / step) * step
        if low < at <= high:
            return round(float(at), places)
    return float(high)


@dataclass(frozen=True)
class Control:
    """What the page shows and its script reads.

    Attributes
    ----------
    positive, negative : str
        The classes.
    used : InUse
    cells : tuple of four float
        True and false positives, false and true negatives of the calls; of no calls at the start.
    scores : Chart
        Histogram of both classes.
    charts : list of Chart
    stops : str
        JSON: threshold, cells and net benefit of every stop, from the lowest.
    of : str
        How the rates put folds together.
    note : str
        What the pictures take as independent.
    """

    positive: str
    negative: str
    used: InUse
    cells: tuple[float, ...]
    scores: Chart
    charts: list[Chart]
    stops: str
    of: str = ""
    note: str = ""

    @property
    def prevalence(self) -> float:
        """The share of the positives among these rows."""
        tp, fp, fn, tn = self.cells
        return (tp + fn) / (tp + fp + fn + tn)

    @property
    def start(self) -> str:
        """JSON of the state that the control begins with."""
        used = self.used
        state = {"threshold": used.threshold, "cells": self.cells, "text": used.text}
        return json.dumps(state | {"called": used.called})

    @property
    def rates(self) -> tuple[str, ...]:
        """Recall, specificity, precision and NPV of the calls."""
        tp, fp, fn, tn = self.cells
        pairs = (tp, tp + fn), (tn, tn + fp), (tp, tp + fp), (tn, tn + fn)
        if not self.used.called:
            return (_NO_COUNT,) * 4
        return tuple(f"{a / b:.2f}" if b else "undefined" for a, b in pairs)

    @property
    def frequencies(self) -> tuple[str, ...]:
        """The cells among 1,000 rows."""
        if not self.used.called:
            return (_NO_COUNT,) * 4
        total = sum(self.cells)
        return tuple(counted(round(_OF * cell / total)) for cell in self.cells)


def control_of(given: Any, used: InUse | None = None) -> Control | None:
    """Return the control of predictions of two classes with scores; None for others."""
    if not given.two:
        return None
    used = threshold_in_use(given) if used is None else used
    curve = given.made(precision_recall_curve, drop_intermediate=False)
    counts, cuts = curve.threshold_counts, np.append(np.inf, curve.thresholds[::-1])
    parts = np.stack(
        [np.asarray(p, dtype=float) for p in (counts.tp, counts.fp, counts.fn, counts.tn)]
    )
    at = np.append(cuts[1:], used.threshold)
    place = np.append(np.arange(1, len(cuts)), np.searchsorted(-cuts, -used.threshold, "right") - 1)
    order = np.argsort(at, kind="stable")
    keep = np.unique(np.linspace(0, len(order) - 1, _STOPS).round().astype(int))
    own = int(np.flatnonzero(order == len(at) - 1)[0])
    keep = order[np.unique(np.append(keep, own))]
    thresholds, cells = at[keep], parts[:, place[keep]]
    called = cells[:, keep == len(at) - 1][:, 0] if given.y_pred is None else _cells(given)
    benefit, charts = np.full(len(thresholds), np.nan), [_roc(parts)]
    if given.probabilities:
        charts.append(_reliability(given))
        inside = (thresholds > 0) & (thresholds < 1)
        benefit, chart = _benefit(given, thresholds, inside)
        charts.append(chart)
    stops = [
        [float(t), *map(_plain, four), _plain(b)]
        for t, four, b in zip(thresholds, cells.T, benefit, strict=True)
    ]
    note = "" if given.groups is None else "The pictures take rows of one group as independent."
    return Control(
        str(given.positive), str(given.negative), used, tuple(map(float, called)), _histogram(given),
        charts, json.dumps(stops, separators=(",", ":")), given.pooled, note,
    )  # fmt: skip


def _cells(given: Any) -> Floats:
    """Return the cells of the calls as they were made."""
    weight = np.ones(len(given.y_true)) if given.sample_weight is None else given.sample_weight
    true, called = given.y_true == given.positive, given.y_pred == given.positive
    return np.array([weight[a & b].sum() for a, b in (
        (true, called), (~true, called), (true, ~called), (~true, ~called),
    )])  # fmt: skip


def _plain(number: Any) -> float | None:
    if not np.isfinite(number):
        return None
    return int(number) if float(number).is_integer() else float(f"{number:.6g}")


def _histogram(given: Any) -> Chart:
    """Draw the shares of each class by score, on one axis."""
    score = given.score
    low, high = float(score.min()), float(score.max())
    if given.probabilities and high > 0.5:
        low, high = 0.0, 1.0
    places = ticks_of(low, high if high > low else low + 1)
    edges = np.linspace(places[0], places[-1], _BINS + 1)
    weight = given.sample_weight
    series, most = [], 0.0
    for colour, positive in enumerate((True, False)):
        rows = (given.y_true == given.positive) == positive
        share, _ = np.histogram(
            score[rows], edges, weights=None if weight is None else weight[rows]
        )
        share = share / max(share.sum(), 1e-300)
        most = max(most, float(share.max()))
        name = str(given.positive) if positive else str(given.negative)
        series.append(Series(np.repeat(edges, 2), np.r_[0, np.repeat(share, 2), 0], name, colour))
    return Chart(
        "scores", "Scores", "Score", "Share of the class", series,
        (places[0], places[-1]), (0, most), wide=720, high=130,
    )  # fmt: skip


def _thinned(*columns: Any) -> list[Floats]:
    keep = np.unique(np.linspace(0, len(columns[0]) - 1, _STOPS).round().astype(int))
    return [np.asarray(column)[keep] for column in columns]


def _roc(parts: Floats) -> Chart:
    tp, fp, fn, tn = parts
    x, y = _thinned(fp / (fp + tn), tp / (tp + fn))
    chance = Series([0, 1], [0, 1], "chance", 9)
    own = Series(x, y, "model", 0)
    return Chart("roc", "ROC", "1 - specificity", "Recall", [chance, own], (0, 1), (0, 1))


def _reliability(given: Any) -> Chart:
    """Draw observed shares with their intervals; bins of equal counts where scores crowd at an end."""
    middle = float(np.median(given.score))
    skewed = min(middle, 1 - middle) < _SKEWED
    found = given.made(reliability_curve, strategy="quantile" if skewed else "uniform")
    there = np.isfinite(found.predicted) & (found.weight > 0)
    x, y, low, high = (
        np.asarray(part)[there] for part in (found.predicted, found.observed, found.low, found.high)
    )
    most = float(np.nanmax([x.max(), y.max(), np.nanmax(high) if np.isfinite(high).any() else 0]))
    end = 1.0 if most > 0.5 else ticks_of(0, most)[-1]
    perfect = Series([0, end], [0, end], "perfect", 9)
    return Chart(
        "reliability", "Reliability", "Predicted probability", "Observed share",
        [perfect, Series(x, y, "observed", 0, low, high)], (0, end), (0, end),
    )  # fmt: skip


def _benefit(given: Any, thresholds: Floats, inside: Any) -> tuple[Floats, Chart]:
    """Draw the net benefit over the thresholds that the scores reach."""
    high = min(float(np.quantile(given.score, 0.99)), 0.99)
    end = ticks_of(0, max(high, 0.01))[-1]
    grid = np.linspace(0, min(end, 1.0), 102)[1:-1]
    curve = given.made(decision_curve, thresholds=grid)
    benefit = np.full(len(thresholds), np.nan)
    if inside.any():
        at = np.unique(thresholds[inside])
        own = given.made(decision_curve, thresholds=at).net_benefit
        benefit[inside] = own[np.searchsorted(at, thresholds[inside])]
    top = float(max(curve.net_benefit.max(), curve.treat_all.max(), 1e-6))
    series = [
        Series([0, end], [0, 0], "call none", 9),
        Series(grid, curve.treat_all, "call all", 1),
        Series(grid, curve.net_benefit, "model", 0),
    ]
    least = -0.25 * top
    return benefit, Chart(
        "benefit", "Net benefit", "Threshold probability", "Net benefit", series,
        (0, min(end, 1.0)), (least, 1.05 * top),
    )  # fmt: skip


def threshold_fact(used: InUse | None) -> dict[str, str]:
    """Return the threshold as a fact of a page."""
    if used is None:
        return {}
    return {"Threshold": f"{used.text}{f', {used.words}' if used.words else ''}"}
