"""Parts of reports of predictions: curves, confusion with intervals, a forest, a threshold to move."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._arrays import Floats
from ..._plotting import shown
from ..._text.html import table
from ..._text.numbers import counted, value
from ..curves import (
    PrecisionRecallCurve,
    cost_curve,
    precision_recall_curve,
    risk_coverage_curve,
    roc_curve,
    threshold_curves,
)
from ..displays import (
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    CostDisplay,
    ForestDisplay,
    PrecisionRecallDisplay,
    RiskCoverageDisplay,
    RocCurveDisplay,
    ScoreDisplay,
    ThresholdDisplay,
)
from ..estimation import intervals
from ._page import Hover, figure, figures


def forest_with_numbers(
    forest: ForestDisplay, caption: str, more: Mapping[str, Mapping[str, str]] | None = None
) -> str:
    """Return the picture, and a table of estimate and ends with further columns by row."""
    models = len(forest.intervals)
    rows = max(len(found) for found in forest.intervals.values())
    high = 0.9 + rows * (0.3 + 0.15 * (models - 1))
    picture = figure(caption, forest.plot, size=(5.2, high))
    more = {} if more is None else more
    cells = [
        [*([model] if models > 1 else []), row, words, *(col.get(row, "") for col in more.values())]
        for model, found in forest.words().items()
        for row, words in found.items()
    ]
    head = [*(["model"] if models > 1 else []), "metric", "estimate [interval]", *more]
    return figures([picture, table("", head, cells)])


_STOPS = 200
_RATES = ("recall", "specificity", "precision", "npv", "f1", "accuracy")


def threshold_slider(curve: PrecisionRecallCurve, positive: Any, others: str) -> str:
    """Return a slider over the thresholds of a curve, which the script of the page moves."""
    counts, thresholds = curve.threshold_counts, np.append(np.inf, curve.thresholds[::-1])
    keep = np.unique(np.linspace(1, len(thresholds) - 1, _STOPS).round().astype(int))
    rows = [
        [float(thresholds[k]), *(_count(part[k]) for part in _parts(counts))]
        for k in keep[::-1].tolist()
    ]
    start = int(np.argmin([abs(row[0] - 0.5) for row in rows]))
    told = escape(json.dumps(rows, separators=(",", ":")), quote=True)
    cells = "".join(
        f"<tr><th>{escape(str(name))}</th><td data-of={a}></td><td data-of={b}></td></tr>"
        for name, a, b in ((positive, "tp", "fn"), (others, "fp", "tn"))
    )
    rates = "".join(f"<tr><th>{name}</th><td data-of={name}></td></tr>" for name in _RATES)
    return (
        f'<div class="live" data-thresholds="{told}"><label>Positive from a score of '
        f"<b data-of=t></b> on<input type=range min=0 max={len(rows) - 1} value={start} step=1>"
        f"</label><table><tr><th>true</th><th>called {escape(str(positive))}</th>"
        f"<th>called {escape(others)}</th></tr>{cells}</table><table>{rates}</table>"
        "<p>The marks on the curves follow. A threshold picked here, after looking at the same "
        "rows, looks better than it is.</p></div>"
    )


def _parts(counts: Any) -> tuple[Any, ...]:
    return counts.tp, counts.fp, counts.fn, counts.tn


def _count(number: Any) -> float:
    return float(counted(number).replace(",", ""))


_CONFUSION_RATES = ("recall", "specificity", "precision", "npv", "f1")
_USUAL = ("recall", "specificity", "precision", "f1", "matthews_corrcoef")
_RESAMPLES = 500


@dataclass(frozen=True, eq=False)
class PagePredictions:
    """Predictions with the true values, and their metadata.

    Attributes
    ----------
    y_true : ndarray of shape (n,)
    y_pred : ndarray of shape (n,) or None
    score : ndarray of shape (n,) or (n, n_classes), or None
        Of two classes those of the positive one.
    classes : ndarray of shape (n_classes,)
    positive : label or None
        The positive class of two.
    sample_weight, groups, fold : ndarray of shape (n,) or None
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any] | None
    score: Floats | None
    classes: NDArray[Any]
    positive: Any = None
    sample_weight: Floats | None = None
    groups: NDArray[Any] | None = None
    fold: NDArray[Any] | None = None

    @property
    def two(self) -> bool:
        """Whether there are two classes and scores of the positive one."""
        return self.score is not None and self.score.ndim == 1 and self.ranked(slice(None))

    @property
    def others(self) -> str:
        """The name of the negative class."""
        [other] = [name for name in self.classes if name != self.positive]
        return str(other)

    @property
    def probabilities(self) -> bool:
        """Whether the scores may be probabilities."""
        return self.score is not None and bool(((self.score >= 0) & (self.score <= 1)).all())

    def ranked(self, rows: Any) -> bool:
        """Whether both classes occur among some rows."""
        return len(np.unique(self.y_true[rows])) > 1

    def parts(self) -> list[Any]:
        """Return the rows of each fold in which both classes occur."""
        if self.fold is None:
            return []
        rows = [self.fold == k for k in np.unique(self.fold)]
        return [part for part in rows if self.ranked(part)]

    def made(self, make: Callable[..., Any], rows: Any = slice(None), **options: Any) -> Any:
        """Return the curve of some rows."""
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        assert self.score is not None
        return make(
            self.y_true[rows], self.score[rows], pos_label=self.positive, sample_weight=weight,
            **options,
        )  # fmt: skip


def curves(judged: PagePredictions) -> str:
    """Return the pictures of the scores: mean curves over folds with their bands, or one curve."""
    if judged.score is None or not judged.ranked(slice(None)):
        return ""
    return figures([*(_two(judged) if judged.two else _many(judged))])


def _two(judged: PagePredictions) -> Iterator[str]:
    for what, display, make in (
        ("ROC", RocCurveDisplay, roc_curve),
        ("Precision-recall", PrecisionRecallDisplay, precision_recall_curve),
    ):
        yield _curve(judged, what, display, make)
    yield _means(judged, "Expected cost against the costs of both errors", CostDisplay, cost_curve)
    yield from _rejection(judged)
    yield _thresholds(judged)
    if judged.probabilities:
        yield _reliability(judged)
    yield figure(
        "Scores of the two classes, all rows", partial(judged.made, ScoreDisplay.from_predictions)
    )


def _thresholds(judged: PagePredictions) -> str:
    """Draw metrics against the threshold: the mean of folds, or all rows with their intervals."""
    parts = judged.parts()
    folds = [judged.made(threshold_curves, rows, metrics=_USUAL) for rows in parts]
    shown = folds if len(folds) > 1 else judged.made(threshold_curves, metrics=_USUAL)
    told = f"the mean of {len(folds)} folds" if len(folds) > 1 else "all rows"
    counted = len(folds) < 2 and judged.sample_weight is None and judged.groups is None
    draw = partial(ThresholdDisplay(shown, pos_label=judged.positive).plot, intervals=counted)
    return figure(f"Metrics against the threshold, {told}", draw)


def _reliability(judged: PagePredictions) -> str:
    told = (
        "Observed event rates by predicted probability, all rows, with 95 % intervals of each bin"
    )
    alone = "" if judged.groups is None else ", which take rows of one group as independent"
    draw = partial(judged.made, CalibrationDisplay.from_predictions)
    return figure(f"{told}{alone}", draw)


def _curve(judged: PagePredictions, what: str, display: Any, make: Any) -> str:
    """Draw the mean curve of the folds, or the curve of all rows; it shows its values."""
    hover = _hover(what, judged.made(make))
    return _means(judged, f"{what} curve", display, make, hover, plot_chance_level=True)


def _means(
    judged: PagePredictions,
    what: str,
    display: Any,
    make: Any,
    hover: Hover | None = None,
    **options: Any,
) -> str:
    """Draw the curves of the folds under their mean, or the curve of all rows."""
    folds = [judged.made(make, rows) for rows in judged.parts()]
    several = len(folds) > 1
    shown = display(folds if several else judged.made(make), pos_label=judged.positive)
    told = (
        f"mean of {len(folds)} folds, band \u00b1 one standard deviation" if several else "all rows"
    )
    return figure(f"{what}: {told}", partial(shown.plot, **options), hover)


def _rejection(judged: PagePredictions) -> Iterator[str]:
    """Yield the error rate where the least sure are left to others, of probabilities."""
    if judged.probabilities:
        make = partial(risk_coverage_curve, labels=None if judged.two else judged.classes)
        yield _means(judged, "Errors among the surest", RiskCoverageDisplay, make)


def _hover(what: str, whole: Any) -> Hover:
    """Return the points that the pointer and the threshold move along: those of all rows."""
    if what == "ROC":
        return Hover(whole.fpr, whole.tpr, whole.thresholds, ("All rows: FPR", "TPR"))
    thresholds = np.append(whole.thresholds, np.inf)
    return Hover(whole.recall, whole.precision, thresholds, ("All rows: recall", "precision"))


def _many(judged: PagePredictions) -> Iterator[str]:
    averages = ["macro", "micro"]
    for what, display in (("ROC", RocCurveDisplay), ("Precision-recall", PrecisionRecallDisplay)):
        yield figure(
            f"{what} curves of each class against the rest, all rows, and their averages",
            partial(
                display.from_predictions, judged.y_true, judged.score, labels=judged.classes,
                sample_weight=judged.sample_weight, averages=averages,
            ),
        )  # fmt: skip
    yield from _rejection(judged)


def confusion(judged: PagePredictions, rates: bool = True) -> str:
    """Return the confusion table, and rates of every class with their intervals if requested."""
    if judged.y_pred is None:
        return ""
    draw = partial(
        ConfusionMatrixDisplay.from_predictions, judged.y_true, judged.y_pred, labels=judged.classes,
        sample_weight=judged.sample_weight, pos_label=judged.positive, metrics=[],
    )  # fmt: skip
    side = min(2.4 + 0.5 * len(judged.classes), 6.0)
    parts = [figure("Confusion table, all rows", draw, size=(side, side))]
    return figures([*parts, _rates(judged)] if rates else parts)


def _rates(judged: PagePredictions) -> str:
    found = _intervals(judged)
    names, rows = list(found), []
    for k, label in enumerate(judged.classes):
        held = judged.y_true == label
        weight = held.sum() if judged.sample_weight is None else judged.sample_weight[held].sum()
        ends = [
            f"{value(i.estimate[k])} [{value(i.low[k])}, {value(i.high[k])}]"
            for i in (found[name] for name in names)
        ]
        rows.append([str(label), counted(weight), *ends])
    told = "Each class against the rest, with 95 % intervals for these predictions"
    return table(
        told,
        ["class", "rows" if judged.sample_weight is None else "weight", *map(shown, names)],
        rows,
    )


def _intervals(judged: PagePredictions) -> dict[str, Any]:
    ask = partial(
        intervals, labels=judged.classes, average=None, sample_weight=judged.sample_weight,
        groups=judged.groups, n_resamples=_RESAMPLES, random_state=0,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an undefined end is nan and shown so
        found = ask(_CONFUSION_RATES, judged.y_true, judged.y_pred)
        if judged.score is not None and judged.score.ndim == 2:
            found |= ask(["roc_auc"], judged.y_true, judged.score, multi_class="ovr")
    return found


def explorer(judged: PagePredictions) -> str:
    """Return the slider of the threshold, for two classes."""
    if not judged.two:
        return ""
    curve = judged.made(precision_recall_curve)
    return threshold_slider(curve, judged.positive, judged.others)
