"""scikit-learn's classification report, with intervals and further rates."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np
import sklearn.metrics
from numpy.typing import ArrayLike

from .._arrays import RandomState, on_host
from ..metrics._records.inputs import check_label_pair
from ._report_table import Predictions, ReportTable, table_of

_METRICS = ("precision", "recall", "specificity", "npv", "f1")
_OVERALL = ("accuracy", "precision_macro", "recall_macro", "f1_macro", "f1_weighted")


class ClassificationReport(str):
    """The text of a classification report, with its table as attribute.

    Attributes
    ----------
    table : ReportTable
        Precision, recall, specificity, NPV and F1 of each class with intervals; computed at first
        access.
    """

    __slots__ = ("__dict__",)
    _make: Callable[[], ReportTable]

    @classmethod
    def of(cls, text: str, make: Callable[[], ReportTable]) -> ClassificationReport:
        """Return a text with what makes its table."""
        report = cls(text)
        report._make = make
        return report

    @cached_property
    def table(self) -> ReportTable:
        """The metrics of each class and overall, with intervals."""
        return self._make()

    def to_frame(self) -> Any:
        """Return the table as a pandas DataFrame, one row per class and metric."""
        return self.table.to_frame()

    def to_html(self) -> str:
        """Return the table as HTML."""
        return self.table.to_html()

    def to_latex(self) -> str:
        """Return the table as LaTeX, which needs the package booktabs."""
        return self.table.to_latex()

    def _repr_html_(self) -> str:
        return self.to_html()


def classification_report(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    labels: ArrayLike | None = None,
    target_names: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    digits: int = 2,
    output_dict: bool = False,
    zero_division: float | str = "warn",
    groups: ArrayLike | None = None,
    method: str = "auto",
    confidence_level: float = 0.95,
    random_state: RandomState = None,
) -> ClassificationReport | dict[str, Any]:
    """Return the main metrics of every class as text, as scikit-learn does, and as a table.

    The text and the dict are those of :func:`sklearn.metrics.classification_report`. The table adds
    specificity, NPV and an interval of every value.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True class labels, or multilabel indicators.
    y_pred : array-like of shape (n_samples,) or (n_samples, n_labels)
        Predicted class labels, or indicators.
    labels : array-like of shape (n_classes,), default=None
        The classes to report on, in this order.
    target_names : list of str of shape (n_classes,), default=None
        How to print the classes.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    digits : int, default=2
        Decimals of the text.
    output_dict : bool, default=False
        Whether to return scikit-learn's dict.
    zero_division : {"warn", 0, 1, nan}, default="warn"
        The value that replaces 0/0 in text and dict; in the table it is nan.
    groups : array-like of shape (n_samples,), default=None
        Clusters of rows for the intervals.
    method, confidence_level, random_state
        Of the intervals, as for :func:`interval`.

    Returns
    -------
    ClassificationReport or dict
        A str with ``table``, ``to_frame()``, ``to_html()`` and ``to_latex()``, which a notebook shows
        as a table.

    Raises
    ------
    ValueError, TypeError
        The errors of scikit-learn; for the table, those of :func:`interval`.

    See Also
    --------
    report_table : The table alone, at an operating point, from scores, counts or a nested run.

    Examples
    --------
    >>> from skaucx.metrics import classification_report
    >>> report = classification_report([0, 1, 2, 2, 2], [0, 0, 2, 2, 1])
    >>> print(report)
                  precision    recall  f1-score   support
    <BLANKLINE>
               0       0.50      1.00      0.67         1
               1       0.00      0.00      0.00         1
               2       1.00      0.67      0.80         3
    <BLANKLINE>
        accuracy                           0.60         5
       macro avg       0.50      0.56      0.49         5
    weighted avg       0.70      0.60      0.61         5
    <BLANKLINE>
    >>> row = report.table["2", "specificity"]
    >>> row.estimate, round(row.low, 4), row.high, row.method
    (1.0, 0.3424, 1.0, 'wilson')
    """
    y_true, y_pred, labels, sample_weight = map(on_host, (y_true, y_pred, labels, sample_weight))
    text = sklearn.metrics.classification_report(
        y_true,
        y_pred,
        labels=labels,
        target_names=target_names,
        sample_weight=sample_weight,
        digits=digits,
        output_dict=output_dict,
        zero_division=zero_division,
    )
    if output_dict:
        return dict(text)
    requested = {
        "method": method,
        "confidence_level": confidence_level,
        "sample_weight": sample_weight,
        "groups": groups,
        "random_state": random_state,
    }
    make = partial(_table, y_true, y_pred, labels, target_names, requested)
    return ClassificationReport.of(text, make)


def _table(
    y_true: Any, y_pred: Any, labels: Any, target_names: Any, requested: dict[str, Any]
) -> ReportTable:
    """Return the table of the classes that scikit-learn's report shows, each against the rest."""
    pair = check_label_pair(y_true, y_pred, sample_weight=requested["sample_weight"])
    if pair.multilabel:
        true, pred, found = pair.true, pair.pred, np.arange(pair.true.shape[1])
    else:
        true, pred, found = np.asarray(y_true), np.asarray(y_pred), pair.classes
    classes = found if labels is None else np.asarray(labels)
    predictions = Predictions(
        true, pred, None, classes, None, requested["sample_weight"], requested["groups"]
    )
    shown = classes if target_names is None else target_names
    names = dict(zip(classes.tolist(), map(str, shown), strict=False))
    return table_of(predictions, names, _METRICS, () if true.ndim == 2 else _OVERALL, requested)
