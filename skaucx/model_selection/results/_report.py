"""The report of a nested cross-validation: its tables, its pictures, and how it was made."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np

from ..._compat import import_pyplot
from ...metrics import (
    ConfusionDisplay,
    PrecisionRecallDisplay,
    RocDisplay,
    ScoreDisplay,
    ThresholdDisplay,
    precision_recall_curve,
    report_table,
    roc_curve,
)
from .._types import Floats
from ._displays import NestedCVDisplay, TuningMatrixDisplay
from ._html import html_tables
from ._page import page, pictures, preformatted
from ._pool import OutOfFoldPredictions

# Figures as they are drawn, with what they show.
_Figures = Iterator[tuple[str, Any]]
_CURVES: dict[str, tuple[Any, Any]] = {
    "ROC curves": (RocDisplay, roc_curve),
    "Precision-recall curves": (PrecisionRecallDisplay, precision_recall_curve),
}
_POOLED: dict[str, Any] = {
    "Metrics by threshold": ThresholdDisplay,
    "Scores of the two classes": ScoreDisplay,
}


def report_page(result: Any, title: str) -> str:
    """Return the page of a NestedCVResult."""
    pyplot = import_pyplot()
    tables = html_tables(result)
    opened = set(pyplot.get_fignums())
    try:
        return page(
            title,
            [
                ("Metrics", tables["metrics"]),
                ("Folds and winners", tables["folds"] + tables["winners"]),
                ("Failed fits", tables.get("failures", "")),
                ("Inner against outer", pictures(_pictures_of_folds(result))),
                ("Out-of-fold predictions", pictures(_pictures_of_predictions(result.predictions))),
                ("Classes", _table_of_classes(result)),
                ("Summary", preformatted(result.summary())),
                ("How it was made", preformatted(_origin(result.call))),
            ],
        )
    finally:
        for number in set(pyplot.get_fignums()) - opened:
            pyplot.close(number)


def _origin(call: str) -> str:
    packages = ("skaucx", "scikit-learn", "numpy", "scipy", "joblib")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"{call}\n\nPython {platform.python_version()}, {versions}"


def _pictures_of_folds(result: Any) -> _Figures:
    yield (
        "Score of each outer fold, and the inner mean of its winner",
        NestedCVDisplay(result).plot().figure_,
    )
    if len(result.refit) > 1:
        yield (
            "Tuning matrix; its best row, picked afterwards, is optimistic",
            TuningMatrixDisplay(result.tuning_matrix).plot().figure_,
        )


def _pictures_of_predictions(predictions: OutOfFoldPredictions) -> _Figures:
    classes = predictions.classes
    if classes is None or len(classes) < 2 or predictions.y_true.ndim != 1:
        return
    weight = predictions.sample_weight
    yield (
        "Confusion table",
        ConfusionDisplay.from_predictions(
            predictions.y_true, predictions.y_pred, labels=classes, sample_weight=weight
        ).figure_,
    )
    score = _scores(predictions)
    if score is None or not _both_classes(predictions.y_true):
        return
    yield from _two_classes(predictions, score) if score.ndim == 1 else _many(predictions, score)


def _scores(predictions: OutOfFoldPredictions) -> Floats | None:
    """Return the scores of the second of two classes or of each class; None without finite ones."""
    for response in ("predict_proba", "decision_function"):
        score = predictions.responses.get(response)
        if score is not None and np.isfinite(score).all():
            return score[:, 1] if score.ndim == 2 and score.shape[1] == 2 else score
    return None


def _two_classes(predictions: OutOfFoldPredictions, score: Floats) -> _Figures:
    positive = predictions.classes[1]  # type: ignore[index]
    for what, (display, make) in _CURVES.items():
        of_rows = partial(_curve, make, predictions, score)
        parts = [predictions.fold == fold for fold in np.unique(predictions.fold)]
        folds = [of_rows(rows) for rows in parts if _both_classes(predictions.y_true[rows])]
        curves = ({"outer folds": folds} if folds else {}) | {"pooled": of_rows(slice(None))}
        yield f"{what} of the class {positive}", display(curves, pos_label=positive).plot().figure_
    for what, display in _POOLED.items():
        drawn = display.from_predictions(
            predictions.y_true, score, pos_label=positive, sample_weight=predictions.sample_weight
        )
        yield f"{what}, pooled, of the class {positive}", drawn.figure_


def _both_classes(y_true: Any) -> bool:
    return len(np.unique(y_true)) > 1


def _curve(make: Any, predictions: OutOfFoldPredictions, score: Floats, rows: Any) -> Any:
    weight = predictions.sample_weight
    return make(
        predictions.y_true[rows],
        score[rows],
        pos_label=predictions.classes[1],  # type: ignore[index]
        sample_weight=None if weight is None else weight[rows],
    )


def _many(predictions: OutOfFoldPredictions, score: Floats) -> _Figures:
    for what, (display, _) in _CURVES.items():
        drawn = display.from_predictions(
            predictions.y_true,
            score,
            labels=predictions.classes,
            sample_weight=predictions.sample_weight,
        )
        yield f"{what} of each class against the rest, pooled", drawn.figure_


def _table_of_classes(result: Any) -> str:
    """Return the metrics of the positive class, or of each, from the pooled predictions."""
    predictions = result.predictions
    if predictions.classes is None or len(predictions.classes) < 2 or predictions.y_true.ndim != 1:
        return ""
    return report_table(result, random_state=0).to_html()
