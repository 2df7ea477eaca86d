"""Predictions on a page: their curves, confusion table and rates, for the part that folds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._arrays import Floats
from ..._plotting import shown
from ..._text.html import table
from ..._text.numbers import counted, with_interval
from ..curves import (
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
    PrecisionRecallDisplay,
    RiskCoverageDisplay,
    RocCurveDisplay,
    ScoreDisplay,
    ThresholdDisplay,
)
from ..estimation import Interval, intervals
from ._control import InUse
from ._page import figure, figures
from ._sheet import Line, metric_line, of_hundred

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
    def pooled(self) -> str:
        """What the rates of rows of several folds are about; "" without folds."""
        return "" if self.fold is None else "all test rows as one set"

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
        yield _means(judged, f"{what} curve", display, make, plot_chance_level=True)
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
    draw = partial(judged.made, partial(CalibrationDisplay.from_predictions, n_bins=10))
    return figure(f"{told}{alone}", draw)


def _means(
    judged: PagePredictions,
    what: str,
    display: Any,
    make: Any,
    **options: Any,
) -> str:
    """Draw the curves of the folds under their mean, or the curve of all rows."""
    folds = [judged.made(make, rows) for rows in judged.parts()]
    several = len(folds) > 1
    shown = display(folds if several else judged.made(make), pos_label=judged.positive)
    told = (
        f"mean of {len(folds)} folds, band \u00b1 one standard deviation" if several else "all rows"
    )
    return figure(f"{what}: {told}", partial(shown.plot, **options))


def _rejection(judged: PagePredictions) -> Iterator[str]:
    """Yield the error rate where the least sure are left to others, of probabilities."""
    if judged.probabilities:
        make = partial(risk_coverage_curve, labels=None if judged.two else judged.classes)
        yield _means(judged, "Errors among the surest", RiskCoverageDisplay, make)


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


def confusion(judged: PagePredictions, found: dict[str, Any]) -> str:
    """Return the confusion table, and rates of every class with their intervals."""
    if judged.y_pred is None:
        return ""
    draw = partial(
        ConfusionMatrixDisplay.from_predictions, judged.y_true, judged.y_pred, labels=judged.classes,
        sample_weight=judged.sample_weight, pos_label=judged.positive, metrics=[],
    )  # fmt: skip
    side = min(2.4 + 0.5 * len(judged.classes), 6.0)
    return figures(
        [figure("Confusion table, all rows", draw, size=(side, side)), _rates(judged, found)]
    )


def rates_of_classes(judged: PagePredictions) -> dict[str, Any]:
    """Return the rates of each class against the rest with their intervals."""
    if judged.y_pred is None:
        return {}
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


def _rates(judged: PagePredictions, found: dict[str, Any]) -> str:
    names, rows = list(found), []
    for k, label in enumerate(judged.classes):
        weight = weight_of(judged, judged.y_true == label)
        ends = [
            with_interval(i.estimate[k], i.low[k], i.high[k])
            for i in (found[name] for name in names)
        ]
        rows.append([str(label), counted(weight), *ends])
    told = ", ".join(filter(None, ["Each class against the rest", judged.pooled]))
    return table(
        f"{told}, with 95 % intervals for these predictions",
        ["class", "rows" if judged.sample_weight is None else "weight", *map(shown, names)],
        rows,
    )


def answer_of_calls(
    judged: PagePredictions,
    used: InUse | None,
    found: Mapping[str, Interval],
    of: Mapping[str, str] | None = None,
) -> str:
    """Return in a sentence how many of each class are recognised, and at which threshold.

    `of` says how a rate puts folds together.
    """
    recall_of, specificity_of = (
        f" ({of[name]})" if of else "" for name in ("recall", "specificity")
    )
    if recall_of == specificity_of:  # said once, at the end
        recall_of = ""
    recall, specificity = found["recall"], found["specificity"]
    at = "The model"
    if used is not None and used.words:
        at = f"At {used.text}, the threshold {used.words}, the model"
    return (
        f"{at} finds {of_hundred(recall, judged.positive)}{recall_of} and clears "
        f"{of_hundred(specificity, judged.others)}{specificity_of}."
    )


def answer_of_metric(name: str, found: Interval) -> str:
    """Return in a sentence what the first metric is."""
    [line] = [metric_line(name, (found.estimate, found.low, found.high))]
    if name == "roc_auc" and np.isfinite(found.estimate):
        return (
            f"A positive row scores higher than a negative one in {100 * found.estimate:.0f} of 100 "
            f"pairs: ROC AUC {line.text}."
        )
    ends = (
        "" if np.isnan(found.low) else f", {100 * found.confidence_level:g} % interval in brackets"
    )
    return f"{line.name[:1].upper()}{line.name[1:]} is {line.text}{ends}."


def entry_of(found: Interval, k: int) -> Interval:
    """Return the interval of one of several classes."""
    estimate, low, high = (float(x[k]) for x in (found.estimate, found.low, found.high))
    return replace(found, estimate=estimate, low=low, high=high)


def class_lines(judged: PagePredictions, found: Mapping[str, Any]) -> list[Line]:
    """Return a heading and the recall of each of three classes or more."""
    if judged.y_pred is None or len(judged.classes) < 3:
        return []
    recall = found["recall"]
    head = ", ".join(filter(None, ["Recall of each class", judged.pooled]))
    lines = [Line(head, None, (0.0, 1.0))]
    for k, label in enumerate(judged.classes):
        ends = tuple(float(part[k]) for part in (recall.estimate, recall.low, recall.high))
        n = counted(weight_of(judged, judged.y_true == label))
        lines.append(Line(str(label), ends, (0.0, 1.0), n, depth=1))  # type: ignore[arg-type]
    return lines


def weight_of(judged: PagePredictions, rows: Any) -> float:
    """Return how many rows there are, or what they weigh."""
    return float(rows.sum() if judged.sample_weight is None else judged.sample_weight[rows].sum())


def rows_behind(judged: PagePredictions, name: str) -> str:
    """Return the rows that a rate is a share of, or all of them."""
    if judged.positive is None or judged.y_pred is None or judged.sample_weight is not None:
        return counted(weight_of(judged, np.ones(len(judged.y_true), dtype=bool)))
    of = {"recall": (judged.y_true, True), "specificity": (judged.y_true, False),
          "precision": (judged.y_pred, True), "npv": (judged.y_pred, False)}  # fmt: skip
    labels, positive = of.get(name, (judged.y_true, None))
    if positive is None:
        return counted(len(judged.y_true))
    return counted(int(((labels == judged.positive) == positive).sum()))
