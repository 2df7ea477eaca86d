"""The threshold: where it comes from, and the counts, rates and net benefit at others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arrays import Floats
from .._text.numbers import counted, significant
from ..metrics.curves import precision_recall_curve

_STOPS = 200
_NO_COUNT = "\u2013"  # in place of a count where nothing was predicted


@dataclass(frozen=True)
class InUse:
    """The threshold that made the predictions, or where the slider starts without one.

    Attributes
    ----------
    threshold : float
        Scores at or above it are predicted positive; the one that the slider starts at.
    words : str
        Where it comes from, such as "chosen inside"; "" if nothing but the slider defines it.
    text : str
        The threshold as a reader writes it, or the range of those of the folds.
    single : bool
        Whether it alone made the predictions.
    called : bool
        Whether there are predictions; without them there are no counts until the slider moves.
    """

    threshold: float
    words: str
    text: str
    single: bool = True
    called: bool = True


def threshold_in_use(given: Any, threshold: float | None = None) -> InUse:
    """Return the threshold given, the one that separates the predictions, or the median score."""
    score = given.score
    if threshold is not None:
        return InUse(threshold, "as given", significant(threshold))
    if given.y_pred is not None:
        called = given.y_pred == given.positive
        above = score[called].min(initial=np.inf)
        below = score[~called].max(initial=-np.inf)
        if below < above:
            at = _roundest(below, above)
            return InUse(at, "inferred from y_pred", significant(at))
    if given.y_pred is None:
        return InUse(float(np.median(score)), "", "none given", single=False, called=False)
    # Predictions of several thresholds, or of none: start where as many rows are predicted.
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
    """What the page shows of the threshold and its script reads.

    Attributes
    ----------
    positive, negative : str
        The classes.
    used : InUse
    cells : tuple of four float
        True and false positives, false and true negatives of the predictions in use.
    benefit : float or None
        Their net benefit; None where there is none.
    stops : list of list
        Threshold, cells and net benefit of some 200 thresholds, from the lowest.
    of : str
        How the rates put folds together.
    """

    positive: str
    negative: str
    used: InUse
    cells: tuple[float, ...]
    benefit: float | None
    stops: list[list[float | None]]
    of: str = ""

    @property
    def start(self) -> dict[str, Any]:
        """What the page begins with."""
        return {"threshold": self.used.threshold, "cells": self.cells, "text": self.used.text,
                "benefit": self.benefit, "called": self.used.called}  # fmt: skip

    @property
    def place(self) -> int:
        """The stop that is nearest to the threshold in use."""
        return int(np.argmin([abs((at or 0.0) - self.used.threshold) for at, *_ in self.stops]))

    @property
    def texts(self) -> dict[str, str]:
        """Counts, rates and net benefit as they are written; nothing is counted without predictions."""
        tp, fp, fn, tn = self.cells
        pairs = {"recall": (tp, tp + fn), "specificity": (tn, tn + fp),
                 "precision": (tp, tp + fp), "npv": (tn, tn + fn)}  # fmt: skip
        texts = {name: f"{a / b:.2f}" if b else "undefined" for name, (a, b) in pairs.items()}
        texts |= dict(zip(("found", "alarms", "missed", "cleared"), map(counted, self.cells),
                          strict=True))  # fmt: skip
        texts["benefit"] = "undefined" if self.benefit is None else f"{self.benefit:.3f}"
        return texts if self.used.called else dict.fromkeys(texts, _NO_COUNT)


def control_of(given: Any, used: InUse | None = None) -> Control | None:
    """Return the thresholds of predictions of two classes with scores; None for others."""
    if not given.two:
        return None
    used = threshold_in_use(given) if used is None else used
    curve = given.made(precision_recall_curve, drop_intermediate=False)
    counts = curve.threshold_counts
    parts = np.stack(
        [np.asarray(p, float)[1:] for p in (counts.tp, counts.fp, counts.fn, counts.tn)]
    )
    cuts = curve.thresholds[::-1]
    keep = np.unique(np.linspace(0, len(cuts) - 1, _STOPS).round().astype(int))[::-1]
    stops = [
        [float(cuts[k]), *map(_plain, parts[:, k]), _benefit(given, parts[:, k], cuts[k])]
        for k in keep
    ]
    cells = _cells(given, given.y_pred == given.positive if used.called else given.score < -np.inf)
    benefit = _benefit(given, cells, used.threshold) if used.single else None
    return Control(
        str(given.positive), str(given.negative), used, tuple(map(float, cells)), benefit, stops,
        given.pooled,
    )  # fmt: skip


def _cells(given: Any, predicted: Any) -> Floats:
    """Return the cells of rows that are predicted positive."""
    weight = np.ones(len(given.y_true)) if given.sample_weight is None else given.sample_weight
    true = given.y_true == given.positive
    return np.array([weight[a & b].sum() for a, b in (
        (true, predicted), (~true, predicted), (true, ~predicted), (~true, ~predicted),
    )])  # fmt: skip


def _benefit(given: Any, cells: Any, cut: float) -> float | None:
    """Return the net benefit of cells at a threshold probability."""
    if not given.probabilities or not 0 < cut < 1:
        return None
    return _plain((cells[0] - cells[1] * cut / (1 - cut)) / cells.sum())


def _plain(number: Any) -> float | None:
    if not np.isfinite(number):
        return None
    return int(number) if float(number).is_integer() else float(f"{number:.6g}")


def threshold_fact(used: InUse | None) -> dict[str, str]:
    """Return the threshold as a fact of a page."""
    if used is None:
        return {}
    return {"Threshold": f"{used.text}{f', {used.words}' if used.words else ''}"}
