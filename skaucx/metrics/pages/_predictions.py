"""The report of saved predictions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..._plotting import shown
from ..._text.html import table
from ..._text.numbers import value
from .._records.inputs import known_positive, positive_code, refuse_no_predictions
from .._registry.names import named_metrics
from ..displays import ForestDisplay
from ..estimation import Interval, intervals
from ..kinds.base import PRED, SCORE
from ._page import lead, origin, page, page_style, write_page
from ._parts import PagePredictions, confusion, curves, explorer, forest_with_numbers

_LABELS = ("accuracy", "balanced_accuracy", "matthews_corrcoef")
_SCORES = ("roc_auc",)
_SCORES_OF_TWO = ("roc_auc", "average_precision")
_RESAMPLES = 1000


def report_predictions(
    path: str | PathLike[str],
    y_true: Any,
    y_pred: Any = None,
    y_score: Any = None,
    *,
    metrics: Iterable[str] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    confidence_level: float = 0.95,
    title: str = "Evaluation of predictions",
) -> Path:
    """Write saved predictions up as one HTML page with tables and pictures, which needs no network.

    Takes what :func:`evaluate` takes. The page holds intervals of the metrics, ROC and
    precision-recall curves, reliability, the confusion table with intervals of each class's rates,
    and for two classes a slider of the threshold. It follows the light or dark setting of the reader,
    and prints.

    Parameters
    ----------
    path : str or path
        File to write, replaced if it exists.
    y_true : array-like of shape (n_samples,)
        True class labels.
    y_pred : array-like of shape (n_samples,), default=None
        Predicted class labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores or probabilities: those of the positive class, or one column a class in sorted order.
    metrics : str or list of str, default=None
        Metrics, or the name of a set, whose intervals to show, the first of them in the headline; a
        choice if None.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    groups : array-like of shape (n_samples,), default=None
        Clusters of rows, such as the patient of a row; see :func:`interval`.
    confidence_level : float, default=0.95
        Nominal coverage of the intervals, in (0, 1).
    title : str, default="Evaluation of predictions"

    Returns
    -------
    pathlib.Path
        The file.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError, TypeError
        If there is nothing to evaluate, or from the metrics themselves.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from skaucx.metrics import report_predictions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "report.html")
    ...     written = report_predictions(path, [0, 0, 1, 1, 0, 1], [0, 0, 1, 1, 1, 1])
    ...     written.read_text().startswith("<!DOCTYPE html>")
    True
    """
    if y_pred is None and y_score is None:
        raise refuse_no_predictions()
    judged = _judged(y_true, y_pred, y_score, pos_label, sample_weight, groups)
    found = _intervals(judged, metrics, confidence_level)
    with page_style():
        forest = forest_with_numbers(ForestDisplay({"": found}), _about(found))
        text = page(
            title,
            [
                ("*", _headline(judged, found)),
                ("Metrics", forest),
                ("Threshold", explorer(judged)),
                ("Curves*", curves(judged)),
                ("Confusion*", confusion(judged)),
                ("Notes", _notes(found)),
                ("How it was made", origin("")),
            ],
        )
    return write_page(path, text)


def _judged(
    y_true: Any, y_pred: Any, y_score: Any, pos_label: Any, sample_weight: Any, groups: Any
) -> PagePredictions:
    truth = np.asarray(y_true)
    pred, score = (None if part is None else np.asarray(part) for part in (y_pred, y_score))
    classes = np.unique(truth if pred is None else np.concatenate([truth, pred]))
    positive = None
    if len(classes) == 2:
        positive = classes[known_positive(positive_code(classes, pos_label))]
        if score is not None and score.ndim == 2 and score.shape[1] == 2:
            score = score[:, int(np.flatnonzero(classes == positive)[0])]
    weight, together = (None if x is None else np.asarray(x) for x in (sample_weight, groups))
    return PagePredictions(truth, pred, score, classes, positive, weight, together)


def _intervals(
    judged: PagePredictions, metrics: Iterable[str] | None, confidence_level: float
) -> dict[str, Interval]:
    """Return the intervals of the available metrics, in the requested order."""
    usual = _SCORES_OF_TWO if judged.two else _SCORES
    wanted = named_metrics([*usual, *_LABELS] if metrics is None else metrics)
    found: dict[str, Interval] = {}
    for argument, response in ((SCORE, judged.score), (PRED, judged.y_pred)):
        own = [named for named in wanted if named.row.kind.inputs.argument == argument]
        if response is None or not own:
            continue
        options: dict[str, Any] = {} if judged.positive is None else {"pos_label": judged.positive}
        if judged.positive is None:
            options = {"average": "macro", "multi_class": "ovr"}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an undefined end is nan and shown so
            for named in own:
                taken = set(named.function.options) - set(named.parameters)
                found |= intervals(
                    {named.key: named.entry}, judged.y_true, response,
                    sample_weight=judged.sample_weight,
                    groups=judged.groups, confidence_level=confidence_level,
                    n_resamples=_RESAMPLES, random_state=0,
                    **{key: option for key, option in options.items() if key in taken},
                )  # fmt: skip
    return {named.key: found[named.key] for named in wanted if named.key in found}


def _headline(judged: PagePredictions, found: dict[str, Interval]) -> str:
    name, first = next(iter(found.items()))
    counts = ", ".join(f"{c} {int(np.sum(judged.y_true == c)):,}" for c in judged.classes[:10])
    positive = "" if judged.positive is None else f" Positive class: {judged.positive}."
    words = (
        f"{100 * first.confidence_level:g} % interval for {first.target}. "
        f"{len(judged.y_true):,} rows ({counts}).{positive}"
    )
    ends = f"[{value(first.low)}, {value(first.high)}]"
    return lead(shown(name), value(first.estimate), ends, words)


def _about(found: dict[str, Interval]) -> str:
    methods = ", ".join(dict.fromkeys(interval.method for interval in found.values()))
    return f"Estimates with their intervals, by {methods}"


def _notes(found: dict[str, Interval]) -> str:
    rows = [[name, interval.note] for name, interval in found.items() if interval.note]
    return table("Notes on the intervals", ["metric", "note"], rows) if rows else ""
