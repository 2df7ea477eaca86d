"""The one writer of pages, and the verdict with which they begin."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import Label
from .._faces import Reportable
from ..evaluation._evaluate import evaluate
from ..evaluation._evaluator import reads_classes
from ..metrics._kinds.base import PRED, SCORE, TRUE
from ._page import write_page
from ._pages import page_of_evaluation, page_of_predictions
from ._predictions import RESAMPLES, PagePredictions, refuse_rows
from ._verdict import Verdict, grouped, verdict_lines


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
        Classes, indicators or numbers; or `y_true` is an evaluation, a nested run or a comparison.
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
    if isinstance(y_true, Reportable):
        from ._results import page_of_result  # with all of model selection

        refuse_rows(
            y_pred=y_pred, y_score=y_score, metrics=metrics, groups=groups,
            sample_weight=sample_weight, threshold=threshold, pos_label=pos_label, **parameters,
        )  # fmt: skip
        return write_page(path, page_of_result(y_true, title, by))
    title = "Evaluation of predictions" if title is None else title
    arrays = {TRUE: y_true, PRED: y_pred, SCORE: y_score}
    shape = np.shape(y_true if hasattr(y_true, "shape") else np.asarray(y_true))
    if parameters or shape[1:] not in ((), (1,)) or not reads_classes(metrics, arrays):
        with warnings.catch_warnings(action="ignore"):  # an undefined end is nan and shown so
            found = evaluate(
                y_true, y_pred, y_score, metrics=metrics, sample_weight=sample_weight,
                groups=groups, by=by, threshold=threshold, pos_label=pos_label, intervals=True,
                confidence_level=confidence_level,
                **{"n_resamples": RESAMPLES, "random_state": 0} | parameters,
            )  # fmt: skip
        return write_page(path, page_of_evaluation(found, title))
    rows = PagePredictions.of(
        y_true, y_pred, y_score, pos_label, sample_weight, groups, threshold
    )  # fmt: skip
    page = page_of_predictions(
        rows, title, metrics=metrics, by=by, confidence_level=confidence_level
    )
    return write_page(path, page)


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
    if isinstance(y_true, Reportable):
        from ._results import verdict_of_result  # with all of model selection

        refuse_rows(
            y_pred=y_pred, y_score=y_score, pos_label=pos_label, groups=groups,
            sample_weight=sample_weight, threshold=threshold,
        )  # fmt: skip
        return verdict_of_result(y_true, by)
    rows = PagePredictions.of(
        y_true, y_pred, y_score, pos_label, sample_weight, groups, threshold
    )  # fmt: skip
    return verdict_lines(rows, grouped(rows, by, confidence_level), confidence_level)
