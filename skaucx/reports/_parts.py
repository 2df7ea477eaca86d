"""Predictions on a page: their curves, confusion table and rates, for the part that folds."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Floats
from .._compat import import_pyplot
from .._plotting import LIGHT, shown
from .._text.html import whole as table
from .._text.lines import Line, metric_line
from .._text.numbers import counted, with_interval
from .._text.reported import Reported
from ..displays import (
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    DecisionDisplay,
    PrecisionRecallDisplay,
    RiskCoverageDisplay,
    RocCurveDisplay,
)
from ..inference import Interval, intervals, reliability_curve
from ..metrics.curves import (
    decision_curve,
    precision_recall_curve,
    risk_coverage_curve,
    roc_curve,
)
from ._control import InUse
from ._sheet import of_hundred

# Placeholder colours, replaced by those of the page in the final drawing.
_INK, _PAPER = "#010101", "#fefefe"


@contextmanager
def page_style() -> Iterator[None]:
    """Draw in the colours of the page, independent of the caller's style, and close the figures."""
    pyplot = import_pyplot()
    opened = set(pyplot.get_fignums())
    ink = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
    paper = ("axes.facecolor", "figure.facecolor", "legend.facecolor")
    colours = dict.fromkeys(ink, _INK) | dict.fromkeys(paper, _PAPER)
    try:
        with (
            pyplot.style.context("default"),
            pyplot.rc_context(colours | {"legend.edgecolor": "0.6"}),
        ):
            yield
    finally:
        for number in set(pyplot.get_fignums()) - opened:
            pyplot.close(number)


def figure(caption: str, draw: Callable[..., Any], size: tuple[float, float] = (5.0, 2.8)) -> str:
    """Return a picture of a size in inches with its caption; ``draw(ax=...)`` returns a display."""
    _, ax = import_pyplot().subplots(figsize=size, layout="constrained")
    display = draw(ax=ax)
    _name_below(ax)
    caption_html = f"<figcaption>{escape(caption)}</figcaption>"
    return f"<figure>{_svg(display.figure_, caption)}{caption_html}</figure>"


def _name_below(ax: Any) -> None:
    """Move a legend out of the axes to below them, so that it covers no curve; the figure grows."""
    legend, figure_ = ax.get_legend(), ax.figure
    if legend is None:
        return
    handles, names = legend.legend_handles, [text.get_text() for text in legend.get_texts()]
    title = legend.get_title().get_text() or None
    legend.remove()
    columns = 2 if len(names) > _ONE_COLUMN else 1
    look = {"loc": "outside lower left", "fontsize": "small", "frameon": False, "ncols": columns}
    below = figure_.legend(handles, names, title=title, **look)
    wide, high = figure_.get_size_inches()
    figure_.set_size_inches(wide, high + below.get_window_extent().height / figure_.dpi)


def _svg(drawn: Any, caption: str) -> str:
    """Return a figure as SVG whose ink, paper and lines are variables of the page."""
    with io.StringIO() as file:
        drawn.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        text = file.getvalue()
    import_pyplot().close(drawn)
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    variables = {_INK: "--ink", _PAPER: "--paper"}
    variables |= {colour.lower(): f"--line{k}" for k, colour in enumerate(LIGHT)}
    for colour, name in variables.items():
        text = text.replace(colour, f"var({name})")
    width, height = (72 * inches for inches in drawn.get_size_inches())
    head = (
        f'<svg role="img" aria-label="{escape(caption, quote=True)}" '
        f'viewBox="0 0 {width:g} {height:g}" style="width: {width / 72 * 7:.1f}rem">'
    )
    return head + text[text.index(">") + 1 :]


def figures(parts: Sequence[str]) -> str:
    """Return pictures side by side, as many as the page is wide."""
    return f'<div class="pictures">{"".join(parts)}</div>' if parts else ""


_CONFUSION_RATES = ("recall", "specificity", "precision", "npv", "f1")
_ONE_COLUMN = 6  # names of curves
_SKEWED = 0.1  # a median score below it, or that far from 1, has bins of equal counts
_RESAMPLES = 500
_NAMED = 6  # classes that are named with their rows
_LEAST = 3  # classes that are named as found least
_MOST_CLASSES = 9  # lines of the table


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
        return "" if self.fold is None else "the out-of-fold predictions"

    @property
    def negative(self) -> Any:
        """The negative class."""
        [other] = self.classes[self.classes != self.positive]
        return other

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


def curves(evaluated: PagePredictions) -> str:
    """Return the pictures of the scores: mean curves over folds with their bands, or one curve."""
    if evaluated.score is None or not evaluated.ranked(slice(None)):
        return ""
    return figures([*(_two(evaluated) if evaluated.two else _many(evaluated))])


def _two(evaluated: PagePredictions) -> Iterator[str]:
    """Yield ROC and precision-recall curve, and of probabilities calibration and decision curve."""
    yield _means(evaluated, "ROC curve", RocCurveDisplay, roc_curve, plot_chance_level=True)
    yield _means(
        evaluated, "Precision-recall curve", PrecisionRecallDisplay, precision_recall_curve,
        plot_chance_level=True,
    )  # fmt: skip
    if evaluated.score is not None and evaluated.probabilities:
        note = "" if evaluated.groups is None else "; rows of one group as independent"
        middle = float(np.median(evaluated.score))
        strategy = "quantile" if min(middle, 1 - middle) < _SKEWED else "uniform"
        bins = evaluated.made(reliability_curve, strategy=strategy)
        yield figure(f"Calibration curve: all rows{note}", CalibrationDisplay(bins).plot)
        benefit = DecisionDisplay(evaluated.made(decision_curve))
        yield figure(f"Decision curve: all rows{note}", benefit.plot)


def _means(
    evaluated: PagePredictions,
    what: str,
    display: Any,
    make: Any,
    **options: Any,
) -> str:
    """Draw the curves of the folds under their mean, or the curve of all rows."""
    folds = [evaluated.made(make, rows) for rows in evaluated.parts()]
    several = len(folds) > 1
    shown = display(folds if several else evaluated.made(make), pos_label=evaluated.positive)
    stated = (
        f"mean of {len(folds)} folds, band \u00b1 one standard deviation" if several else "all rows"
    )
    return figure(f"{what}: {stated}", partial(shown.plot, **options))


def _rejection(evaluated: PagePredictions) -> Iterator[str]:
    """Yield the error rate where the least sure are left to others, of probabilities."""
    if evaluated.probabilities:
        make = partial(risk_coverage_curve, labels=None if evaluated.two else evaluated.classes)
        yield _means(evaluated, "Errors among the surest", RiskCoverageDisplay, make)


def _many(evaluated: PagePredictions) -> Iterator[str]:
    averages = ["macro", "micro"]
    for what, display in (("ROC", RocCurveDisplay), ("Precision-recall", PrecisionRecallDisplay)):
        yield figure(
            f"{what} curves of each class against the rest, all rows, and their averages",
            partial(
                display.from_predictions, evaluated.y_true, evaluated.score, labels=evaluated.classes,
                sample_weight=evaluated.sample_weight, averages=averages,
            ),
        )  # fmt: skip
    yield from _rejection(evaluated)


def confusion(evaluated: PagePredictions, found: dict[str, Any]) -> str:
    """Return the confusion table, and rates of every class with their intervals."""
    if evaluated.y_pred is None:
        return ""
    draw = partial(
        ConfusionMatrixDisplay.from_predictions, evaluated.y_true, evaluated.y_pred,
        labels=evaluated.classes,
        sample_weight=evaluated.sample_weight, pos_label=evaluated.positive, metrics=[],
    )  # fmt: skip
    side = min(1.4 + 0.4 * len(evaluated.classes), 6.0)
    return figures(
        [figure("Confusion table, all rows", draw, size=(side, side)), rates_html(evaluated, found)]
    )


def rates_of_classes(evaluated: PagePredictions) -> dict[str, Any]:
    """Return the rates of each class against the rest with their intervals."""
    if evaluated.y_pred is None:
        return {}
    ask = partial(
        intervals, labels=evaluated.classes, average=None, sample_weight=evaluated.sample_weight,
        groups=evaluated.groups, n_resamples=_RESAMPLES, random_state=0, zero_division=np.nan,
    )  # fmt: skip
    with warnings.catch_warnings(action="ignore"):  # an undefined end is nan and shown so
        found = ask(_CONFUSION_RATES, evaluated.y_true, evaluated.y_pred)
        if evaluated.score is not None and evaluated.score.ndim == 2:
            found |= ask(["roc_auc"], evaluated.y_true, evaluated.score, multi_class="ovr")
    return found


def rates_html(evaluated: PagePredictions, found: dict[str, Any]) -> str:
    """Return the rates of each class against the rest as a table."""
    names, rows = list(found), []
    for k, label in enumerate(evaluated.classes):
        weight = weight_of(evaluated, evaluated.y_true == label)
        ends = [
            with_interval(i.estimate[k], i.low[k], i.high[k])
            for i in (found[name] for name in names)
        ]
        rows.append([str(label), counted(weight), *ends])
    stated = ", ".join(filter(None, ["Each class against the rest", evaluated.pooled]))
    return table(
        f"{stated}, with 95 % intervals for these predictions",
        ["class", "rows" if evaluated.sample_weight is None else "weight", *map(shown, names)],
        rows,
    )


def answer_of_calls(
    evaluated: PagePredictions,
    used: InUse | None,
    found: Mapping[str, Interval],
    of: str = "",
) -> str:
    """Return in a sentence how many of each class are recognised, and at which threshold.

    `of` says how the rates put folds together.
    """
    recall, specificity = found["recall"], found["specificity"]
    at = "The model"
    if used is not None and used.words:
        at = f"At {used.text}, the threshold {used.words}, the model"
    return (
        f"{at} finds {of_hundred(recall, evaluated.positive)} and clears "
        f"{of_hundred(specificity, evaluated.negative)}{of and f' ({of})'}."
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


def named_classes(sizes: Mapping[Any, Any]) -> str:
    """Return the classes with their rows, of many their number and the range."""
    if len(sizes) > _NAMED:
        rows = sorted(sizes.values())
        return f"{len(sizes)}, of {counted(rows[0])} to {counted(rows[-1])} rows"
    return ", ".join(f"{label} {counted(rows)}" for label, rows in sizes.items())


def answer_of_classes(evaluated: PagePredictions, found: Mapping[str, Any]) -> str:
    """Return in a sentence how many rows are named rightly, and which classes are found least."""
    with warnings.catch_warnings(action="ignore"):  # an undefined end is nan and shown so
        right = intervals(
            ["accuracy"], evaluated.y_true, evaluated.y_pred, sample_weight=evaluated.sample_weight,
            groups=evaluated.groups, n_resamples=_RESAMPLES, random_state=0,
        )["accuracy"]  # fmt: skip
    recall = np.asarray(found["recall"].estimate, dtype=float)
    least = np.argsort(np.where(np.isnan(recall), np.inf, recall), kind="stable")[:_LEAST]
    named = ", ".join(
        f"{evaluated.classes[k]} ({of_hundred(entry_of(found['recall'], k))})" for k in least
    )
    return f"Worst classes by recall: {named}. Of all rows {of_hundred(right)} get their class."


def entry_of(found: Interval, k: int) -> Interval:
    """Return the interval of one of several classes."""
    estimate, low, high = (float(x[k]) for x in (found.estimate, found.low, found.high))
    return replace(found, estimate=estimate, low=low, high=high)


def class_lines(evaluated: PagePredictions, found: Mapping[str, Any]) -> list[Line]:
    """Return a heading and the recall of each of three classes or more."""
    if evaluated.y_pred is None or len(evaluated.classes) < 3:
        return []
    recall = found["recall"]
    head = ", ".join(filter(None, ["Recall of each class", evaluated.pooled]))
    lines = [Line(head, None, (0.0, 1.0))]
    for k, label in enumerate(evaluated.classes):
        own = Reported.of("recall", entry_of(recall, k), about=str(label), bounds=(0.0, 1.0))
        n = counted(weight_of(evaluated, evaluated.y_true == label))
        lines.append(Line.of(own, n=n, depth=1))
    return lines


def class_pictures(lines: Sequence[Line]) -> list[tuple[str, Sequence[Line]]]:
    """Return lines of classes that the table has no room for as two pictures, sorted by recall."""
    if len(lines) <= _MOST_CLASSES:
        return []
    head, *rows = lines
    rows.sort(key=lambda line: np.nan_to_num(line.numbers[0], nan=np.inf) if line.numbers else 0)
    half = -(-len(rows) // 2)
    return [(head.name, rows[:half]), (head.name, rows[half:])]


def weight_of(evaluated: PagePredictions, rows: Any) -> float:
    """Return how many rows there are, or what they weigh."""
    return float(
        rows.sum() if evaluated.sample_weight is None else evaluated.sample_weight[rows].sum()
    )


def rows_behind(evaluated: PagePredictions, name: str) -> str:
    """Return the rows that a rate is a share of, or all of them."""
    if (
        evaluated.positive is None
        or evaluated.y_pred is None
        or evaluated.sample_weight is not None
    ):
        return counted(weight_of(evaluated, np.ones(len(evaluated.y_true), dtype=bool)))
    of = {"recall": (evaluated.y_true, True), "specificity": (evaluated.y_true, False),
          "precision": (evaluated.y_pred, True), "npv": (evaluated.y_pred, False)}  # fmt: skip
    labels, positive = of.get(name, (evaluated.y_true, None))
    if positive is None:
        return counted(len(evaluated.y_true))
    return counted(int(((labels == evaluated.positive) == positive).sum()))
