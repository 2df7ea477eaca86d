"""Four pictures of predictions, in the colours of the page."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any, TypeAlias

import numpy as np

from .._compat import import_pyplot
from .._plotting import LIGHT
from ..displays import (
    CalibrationDisplay,
    ConfusionMatrixDisplay,
    DecisionDisplay,
    PrecisionRecallDisplay,
    RiskCoverageDisplay,
    RocCurveDisplay,
)
from ..inference import reliability_curve
from ..metrics.curves import (
    decision_curve,
    mean_curve,
    one_vs_rest_curves,
    precision_recall_curve,
    risk_coverage_curve,
    roc_curve,
)
from ._predictions import PagePredictions

# Placeholder colours, replaced by those of the page in the final drawing.
_INK, _PAPER = "#010101", "#fefefe"
_COLOURS = {
    **dict.fromkeys(
        ["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], _INK
    ),
    **dict.fromkeys(["axes.facecolor", "figure.facecolor", "legend.facecolor"], _PAPER),
}
_SIZE = 5.0, 2.8  # inches
# A caption, the function that draws into axes, and a size of its own.
Picture: TypeAlias = tuple[Any, ...]


def figure(caption: str, draw: Callable[..., Any], size: tuple[float, float] = _SIZE) -> str:
    """Return a picture of a size in inches with its caption; ``draw(ax=...)`` draws into axes.

    It has the colours of the page, independent of the caller's style.
    """
    pyplot = import_pyplot()
    with pyplot.style.context(["default", _COLOURS]):
        drawn, ax = pyplot.subplots(figsize=size, layout="constrained")
        draw(ax=ax)
        legend = ax.get_legend()
        if legend is not None:  # below the axes; the figure grows by it
            wide, high = drawn.get_size_inches()
            drawn.set_size_inches(wide, high + legend.get_window_extent().height / drawn.dpi)
        svg = _svg(drawn, caption)
        pyplot.close(drawn)
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def _svg(drawn: Any, caption: str) -> str:
    """Return a figure as SVG whose ink, paper and lines are variables of the page."""
    with io.StringIO() as file:
        drawn.savefig(file, format="svg", metadata={"Date": None, "Creator": None})
        text = file.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    lines = {colour.lower(): f"--line{k}" for k, colour in enumerate(LIGHT)}
    for colour, name in {_INK: "--ink", _PAPER: "--paper", **lines}.items():
        text = text.replace(colour, f"var({name})")
    wide, high = (72 * inches for inches in drawn.get_size_inches())
    head = f'<svg role="img" aria-label="{escape(caption)}" viewBox="0 0 {wide:g} {high:g}">'
    return head + text[text.index(">") + 1 :]


def pictures_of(given: PagePredictions) -> list[Picture]:
    """Return the four pictures of predictions, fewer where there are no scores or probabilities."""
    if given.two:
        return _of_two(given)
    many = given.score is not None and given.score.ndim == 2 and given.ranked(slice(None))
    drawn = _of_many(given) if many else []
    if given.y_pred is not None:
        draw = partial(
            ConfusionMatrixDisplay.from_predictions, given.y_true, given.y_pred,
            labels=given.classes, sample_weight=given.sample_weight,
        )  # fmt: skip
        side = min(2.0 + 0.4 * len(given.classes), 6.0)
        drawn.append(("Confusion table: all rows", draw, (side, side)))
    return drawn


def _of_two(given: PagePredictions) -> list[Picture]:
    """Return ROC and precision-recall curve, and of probabilities calibration and decision curve."""
    drawn = [
        _of_folds(given, "ROC curve", RocCurveDisplay, roc_curve, plot_chance_level=True),
        _of_folds(
            given, "Precision-recall curve", PrecisionRecallDisplay, precision_recall_curve,
            plot_chance_level=True,
        ),
    ]  # fmt: skip
    if given.score is not None and given.probabilities:
        note = "all rows" + ("" if given.groups is None else "; rows of one group as independent")
        bins = given.made(reliability_curve, strategy="quantile")
        drawn += [
            (f"Calibration curve: {note}", CalibrationDisplay(bins).plot),
            (f"Decision curve: {note}", DecisionDisplay(given.made(decision_curve)).plot),
        ]
    return drawn


def _of_folds(
    given: PagePredictions, what: str, display: Any, make: Any, **options: Any
) -> Picture:  # fmt: skip
    """Return the curves of the folds under their mean, or the curve of all rows."""
    parts = [] if given.fold is None else [given.fold == k for k in np.unique(given.fold)]
    of_folds = [given.made(make, rows) for rows in parts if given.ranked(rows)]
    curves, stated = of_folds, f"mean of {len(of_folds)} folds, band \u00b1 one standard deviation"
    if len(of_folds) < 2:
        curves, stated = given.made(make), "all rows"
    return f"{what}: {stated}", partial(display(curves, pos_label=given.positive).plot, **options)


def _of_many(given: PagePredictions) -> list[Picture]:
    """Return the curves of each class against the rest, and of probabilities those of rejection."""
    drawn: list[Picture] = []
    for what, display, make in (
        ("ROC", RocCurveDisplay, roc_curve),
        ("Precision-recall", PrecisionRecallDisplay, precision_recall_curve),
    ):
        curves: dict[Any, Any] = one_vs_rest_curves(
            make, given.y_true, given.score, labels=given.classes, sample_weight=given.sample_weight
        )
        named = {f"class {label}": curve for label, curve in curves.items()}
        named["mean of the classes"] = mean_curve(list(curves.values()))
        caption = f"{what} curves of each class against the rest, and their mean"
        drawn.append((caption, display(named).plot))
    if given.probabilities:
        risks = partial(risk_coverage_curve, labels=given.classes)
        drawn.append(
            _of_folds(given, "Error rate of the most certain rows", RiskCoverageDisplay, risks)
        )
    return drawn
