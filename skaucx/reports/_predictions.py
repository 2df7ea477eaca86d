"""The report of saved predictions."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Label
from .._arrays import by_name, check_rows, float_array, label_array
from .._compat import import_extra
from .._faces import Reportable
from .._options import check_cut
from .._text.lines import Line, metric_line
from ..evaluation._evaluate import evaluate
from ..evaluation._evaluator import reads_classes
from ..evaluation._groups import GroupedEvaluation
from ..evaluation._result import Evaluation
from ..inference import Interval, intervals
from ..metrics._kinds.base import PRED, SCORE, TRUE
from ..metrics._records.inputs import known_positive, positive_code, refuse_no_predictions
from ..metrics._registry.names import named_metrics
from ._control import control_of, threshold_fact, threshold_in_use
from ._evaluation import refuse_rows, sheet_of, write_result
from ._forests import forests_of
from ._parts import (
    PagePredictions,
    answer_of_calls,
    answer_of_classes,
    answer_of_metric,
    class_lines,
    class_pictures,
    confusion,
    curves,
    named_classes,
    page_style,
    rates_of_classes,
    rows_behind,
    weight_of,
)
from ._sheet import Sheet, facts_of, methods, write_sheet
from ._verdict import Verdict, verdict_lines, verdict_of_result

_RATES = ("recall", "specificity", "precision", "npv")
_CALIBRATION = ("observed_expected_ratio", "calibration_slope")
_RESAMPLES = 1000


def report(
    path: str | PathLike[str],
    y_true: ArrayLike | Reportable,
    y_pred: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    metrics: Iterable[str] | None = None,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    by: ArrayLike | Mapping[str, ArrayLike] | None = None,
    threshold: float | None = None,
    confidence_level: float = 0.95,
    title: str | None = None,
    **parameters: Any,
) -> Path:
    """Write predictions or a result as one page of HTML or Markdown, without a network.

    Parameters
    ----------
    path : str or path
        File to write or replace: .html, or .md without pictures.
    y_true, y_pred : array-like of shape (n_samples,), default=None
        Classes, indicators or numbers; or `y_true` is a result, such as that of :func:`evaluate`.
    y_score : array-like of shape (n_samples, ...), default=None
        Scores or probabilities of the positive class, or a column a class in order.
    metrics : str or list of str, default=None
        Metrics, or the name of a set, to show with intervals; None is about eight.
    pos_label : int, float, bool or str, default=None
        The positive class of two.
    sample_weight, groups : array-like of shape (n_samples,), default=None
        Weights; clusters, such as patients.
    by : array-like of shape (n_samples,) or dict of arrays, default=None
        Subgroups to report; see :func:`evaluate`.
    threshold : float, default=None
        Rows of two classes with at least this score are predicted positive.
    confidence_level, title : default=0.95 and None
        Nominal coverage of the intervals, in (0, 1); heading of the page.
    **parameters
        Further arguments of :func:`evaluate`.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    ImportError, ValueError, TypeError
        If ``skaucx[report]`` is not installed, or an argument is invalid.

    Examples
    --------
    >>> import tempfile
    >>> from skaucx import report
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report(f"{folder}/page.html", [0, 0, 1, 1, 0], [0, 0, 1, 1, 1]).name
    'page.html'
    """
    if hasattr(type(y_true), "report"):
        own = {"y_pred": y_pred, "y_score": y_score, "metrics": metrics, "groups": groups}
        refuse_rows(own | {"sample_weight": sample_weight} | parameters)
        of_rows = {"pos_label": pos_label, "by": by}
        return write_result(path, y_true, threshold=threshold, title=title, **of_rows)
    title = "Evaluation of predictions" if title is None else title
    if y_pred is None and y_score is None:
        raise refuse_no_predictions()
    import_extra("jinja2", "A report", "skaucx[report]")  # before the extra of its pictures
    arrays = {TRUE: y_true, PRED: y_pred, SCORE: y_score}
    if parameters or not of_one_label(y_true) or not reads_classes(metrics, arrays):
        return _of_other_rows(
            path, tuple(arrays.values()), title,
            {"pos_label": pos_label, "groups": groups, "by": by, "threshold": threshold}
            | parameters,
            metrics=metrics, sample_weight=sample_weight,
            confidence_level=confidence_level,
        )  # fmt: skip
    given = _checked(y_true, y_pred, y_score, pos_label, sample_weight, groups)
    if threshold is not None:
        given = _called(given, threshold)
    called = given.y_pred is not None and given.positive is not None
    metrics = _usual(given) if metrics is None else metrics
    found = _intervals(given, metrics, confidence_level)
    rates = _intervals(given, _RATES, confidence_level) if called else {}
    used = threshold_in_use(given, threshold) if given.two else None
    each = rates_of_classes(given)
    first = next(iter(found))
    answer = (
        answer_of_calls(given, used, rates)
        if called
        else answer_of_classes(given, each)
        if given.positive is None and each
        else answer_of_metric(first, found[first])
    )
    found_groups = forests_of(given, by, confidence_level)
    positives = None if given.positive is None else weight_of(given, given.y_true == given.positive)
    n = weight_of(given, np.ones(len(given.y_true), dtype=bool))
    lines = _metric_lines(given, found, None if positives is None else positives / n)
    counts = (
        {}
        if given.positive is not None
        else {
            "Classes": named_classes(
                {c: weight_of(given, given.y_true == c) for c in given.classes}
            )
        }
    )
    with page_style():
        drawn = curves(given)
        folded = [
            ("Confusion table and rates of each class", confusion(given, each)),
        ]
    by_class = class_lines(given, each)
    pictures = class_pictures(by_class)
    return write_sheet(
        path,
        Sheet(
            title,
            facts_of(
                n, given.positive, positives, "saved predictions", threshold_fact(used) | counts
            ),
            answer,
            lines if pictures else [*lines, *by_class],
            f"In brackets: {100 * confidence_level:g} % intervals.",
            control_of(given, used),
            folded,
            verdict=verdict_lines(given, used, confidence_level=confidence_level, by=by),
            forests=[*pictures, *found_groups],
            pictures=drawn,
            methods=methods(found | rates),
        ),
    )


def _metric_lines(
    given: PagePredictions, found: Mapping[str, Interval], prevalence: float | None
) -> list[Line]:
    """Return the line of each metric, with the value that no effect has."""
    return [
        metric_line(
            name,
            (one.estimate, one.low, one.high),
            named_metrics([name])[0].row,
            n=rows_behind(given, name),
            share=np.nan if prevalence is None else prevalence,
        )
        for name, one in found.items()
    ]


def verdict(
    y_true: Any,
    y_pred: ArrayLike | None = None,
    y_score: ArrayLike | None = None,
    *,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    by: ArrayLike | Mapping[str, ArrayLike] | None = None,
    threshold: float | None = None,
    confidence_level: float = 0.95,
) -> Verdict:
    """Return whether predictions are useful, their risks right, and the same for all groups.

    With probabilities of two classes and a threshold, the net benefit is compared with those of
    treating none and of treating all; without a threshold, the ranking with chance. The ratio of
    observed to expected events and the calibration slope are compared with 1 [1]_, and the worst group
    or class with the others. A statement says what its estimate says, and is answered by "yes,
    significant", "no, significant" or "not clear": significant is an interval, at the level that lets
    all statements hold jointly, that does not contain the value of no effect.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or result
        True class labels; or, alone, an evaluation with intervals, a nested run, which adds what tuning
        added, or a comparison, which answers which estimator is better.
    y_pred : array-like of shape (n_samples,), default=None
        Predicted class labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores or probabilities: those of the positive class, or one column a class in sorted order.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    groups : array-like of shape (n_samples,), default=None
        Clusters of rows, such as the patient of a row; see :func:`interval`.
    by : array-like of shape (n_samples,) or dict of arrays, default=None
        Subgroups, each column by itself.
    threshold : float, default=None
        Rows of two classes whose score is at least this are predicted positive; a `y_pred` given too
        must agree.
    confidence_level : float, default=0.95
        In (0, 1); all statements hold at once with it.

    Returns
    -------
    Verdict

    Raises
    ------
    ValueError, TypeError
        As :func:`report` raises, or if an evaluation has no intervals.

    See Also
    --------
    report : The page that begins with it.

    References
    ----------
    .. [1] B. Van Calster et al., Calibration: the Achilles heel of predictive analytics, BMC Medicine
       17, 230, 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.reports import verdict
    >>> rng = np.random.default_rng(0)
    >>> risk = rng.beta(1, 4, 2000)
    >>> ill = (rng.random(2000) < risk).astype(int)
    >>> print(verdict(ill, y_score=risk, threshold=0.2))
    Useful?        Useful at 0.2 (net benefit over treat all 0.08 [0.07, 0.09]),
                   yes, significant.
    Risks right?   Risks 2 % too low (O:E ratio 1.02 [0.94, 1.10]), not clear.
                   Overconfident (calibration slope 0.92 [0.80, 1.04]), not clear.
    Same for all?  No groups given.
    Significant: the 98.3 % interval does not contain 'no effect' (Bonferroni, 95 %
      jointly); in brackets 95 %.
    """
    if isinstance(y_true, Evaluation | GroupedEvaluation) or hasattr(type(y_true), "verdict"):
        own = {"y_pred": y_pred, "y_score": y_score, "pos_label": pos_label, "groups": groups}
        refuse_rows(own | {"sample_weight": sample_weight, "by": by, "threshold": threshold})
        return verdict_of_result(y_true)
    if y_pred is None and y_score is None:
        raise refuse_no_predictions()
    given = _checked(y_true, y_pred, y_score, pos_label, sample_weight, groups)
    given = given if threshold is None else _called(given, threshold)
    used = threshold_in_use(given, threshold) if given.two else None
    return verdict_lines(given, used, by=by, confidence_level=confidence_level)


def of_one_label(y_true: Any) -> bool:
    """Whether rows have one class label each, and not several labels."""
    true = y_true if hasattr(y_true, "dtype") else np.asarray(y_true)
    return np.ndim(true) < 2 or true.shape[1] == 1


def _of_other_rows(
    path: Any, arrays: Any, title: str, parameters: dict[str, Any],
    *, metrics: Any, **options: Any,
) -> Path:  # fmt: skip
    """Write the page of rows of other kinds, with several labels, further arrays or few labels."""
    given = {name: value for name, value in parameters.items() if value is not None}
    wanted: dict[str, Any] = {"metrics": metrics, "intervals": True}
    wanted |= {"n_resamples": _RESAMPLES, "random_state": 0} | options | given
    with warnings.catch_warnings(action="ignore"):  # an undefined end is nan and shown so
        found = evaluate(*arrays, **wanted)
    return write_sheet(path, sheet_of(found, title=title))


def _usual(given: PagePredictions) -> tuple[str, ...]:
    """Return the metrics of a page of which none are requested."""
    if given.positive is None:
        return "roc_auc", "accuracy", "balanced_accuracy", "matthews_corrcoef"
    calibration = _CALIBRATION if given.two and given.probabilities else ()
    return ("roc_auc", "average_precision", *_RATES, "matthews_corrcoef", *calibration)


def _checked(
    y_true: Any, y_pred: Any, y_score: Any, pos_label: Any, sample_weight: Any, groups: Any
) -> PagePredictions:
    given = {"y_pred": y_pred, "y_score": y_score, "sample_weight": sample_weight, "groups": groups}
    check_rows({"y_true": y_true, **given})
    truth = label_array(y_true, "y_true")
    if truth.ndim != 1:
        raise ValueError(
            f"y_true must hold one label a row, found {type(y_true).__name__} of shape "
            f"{getattr(y_true, 'shape', truth.shape)}; of multilabel indicators give each column "
            "by itself, or evaluate all of them by evaluate(y_true, y_pred)."
        )
    pred = None if y_pred is None else label_array(y_pred, "y_pred")
    classes = np.unique(truth if pred is None else np.concatenate([truth, pred]))
    y_score = by_name(y_score, truth, "y_score", classes)
    score = None if y_score is None else float_array(y_score, "y_score")
    positive = None
    if len(classes) == 2:
        positive = classes[known_positive(positive_code(classes, pos_label))]
        if score is not None and score.ndim == 2 and score.shape[1] == 2:
            score = score[:, int(np.flatnonzero(classes == positive)[0])]
    weight, together = (None if x is None else np.asarray(x) for x in (sample_weight, groups))
    return PagePredictions(truth, pred, score, classes, positive, weight, together)


def _called(given: PagePredictions, threshold: float) -> PagePredictions:
    """Return the predictions that a threshold makes, which must be those given, if any."""
    if given.score is None or not given.two:
        raise ValueError(
            f"threshold={threshold!r} needs y_score of two classes, with the positive one named; "
            "leave it out, or pass the scores."
        )
    called = given.score >= check_cut("threshold", threshold, given.score)
    if given.y_pred is not None and (differ := (given.y_pred == given.positive) != called).any():
        raise ValueError(
            f"y_pred and threshold={threshold!r} predict {differ.sum():,} of {len(called):,} rows "
            "differently; pass one of them."
        )
    return replace(given, y_pred=np.where(called, given.positive, given.negative))


def _intervals(
    given: PagePredictions, metrics: Iterable[str], confidence_level: float
) -> dict[str, Interval]:
    """Return the intervals of the available metrics, in the requested order."""
    wanted = named_metrics(metrics)
    found: dict[str, Interval] = {}
    for argument, response in ((SCORE, given.score), (PRED, given.y_pred)):
        own = [named for named in wanted if named.row.kind.inputs.argument == argument]
        if response is None or not own:
            continue
        options: dict[str, Any] = {} if given.positive is None else {"pos_label": given.positive}
        if given.positive is None:
            options = {"average": "macro", "multi_class": "ovr"}
        options["zero_division"] = np.nan
        with warnings.catch_warnings(action="ignore"):  # an undefined end is nan and shown so
            for named in own:
                taken = set(named.function.options) - set(named.parameters)
                found |= intervals(
                    {named.key: named.entry}, given.y_true, response,
                    sample_weight=given.sample_weight,
                    groups=given.groups, confidence_level=confidence_level,
                    n_resamples=_RESAMPLES, random_state=0,
                    **{key: option for key, option in options.items() if key in taken},
                )  # fmt: skip
    return {named.key: found[named.key] for named in wanted if named.key in found}
