"""All metrics of saved predictions, or of counts, in one call and one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..._compat import import_pandas
from .._records.count_inputs import check_single_table
from .._records.counts import Counts
from .._records.inputs import refuse_no_predictions
from .._registry.declare import (
    METRICS,
    MetricFunction,
    check_complete,
    get_metric,
    missing_options,
    plain,
    share,
)
from .._registry.kind import Prediction
from .._registry.kinds import LABELS, SCORES
from .._states.labels import LabelState
from ._text import DIRECTION, evaluation_html, evaluation_text


class Evaluation(Mapping[str, Any]):
    """The metrics of one set of predictions: a mapping from name to value that prints as a table.

    Parameters
    ----------
    values : dict of str to float or ndarray
        One value a metric, or one a class.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> Any:
        """Return a value by the metric's name or an alias."""
        return self._values[name if name in self._values else get_metric(name).metric.name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return evaluation_text(self)

    def _repr_html_(self) -> str:
        """Show all of it in a notebook."""
        return evaluation_html(self)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row a metric: value, direction and summary.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = import_pandas()
        rows = [get_metric(name).metric for name in self]
        return pandas.DataFrame(
            {
                "value": list(self.values()),
                "better": [DIRECTION[row.greater_is_better] for row in rows],
                "summary": [row.summary for row in rows],
            },
            index=pandas.Index(list(self), name="metric"),
        )


def evaluate(
    y_true: Any = None,
    y_pred: Any = None,
    y_score: Any = None,
    metrics: Iterable[str] | None = None,
    *,
    counts: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> Evaluation:
    """Return all metrics of saved predictions, or of counts, in one table.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), default=None
        True class labels.
    y_pred : array-like of shape (n_samples,), default=None
        Predicted class labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        Scores or probabilities: those of the positive class, or one column a class.
    metrics : list of str, default=None
        Names or aliases of metrics. None means all that can be read from what is given and have no
        parameter without a default.
    counts : Counts or array-like of shape (n_classes, n_classes), default=None
        Instead of `y_true` and `y_pred`: counts, or a confusion table (rows true).
    labels : array-like of shape (n_classes,), default=None
        The classes, where some do not occur.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    **parameters
        Parameters given to every metric that takes them, such as ``pos_label``, ``average="macro"``,
        ``multi_class="ovr"``, ``zero_division`` or ``beta=2``.

    Returns
    -------
    Evaluation
        A mapping from name to value, with ``to_frame()``; it prints as a table.

    Raises
    ------
    ValueError, TypeError
        If nothing to judge is given, or as the metrics themselves raise.

    Examples
    --------
    >>> from skaucx.metrics import evaluate
    >>> result = evaluate([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1],
    ...                   metrics=["sensitivity", "specificity", "mcc"])
    >>> result["specificity"]
    0.6
    >>> print(result)
    recall             0.5000  high  Recall, sensitivity
    specificity        0.6000  high  Specificity
    matthews_corrcoef  0.0913  high  MCC: the correlation of truth and prediction.
    >>> round(evaluate(counts=[[3, 2], [1, 1]])["kappa"], 4)
    0.087
    """
    shared = {"labels": labels, "sample_weight": sample_weight}
    states = _states(y_true, y_pred, y_score, counts, shared)
    if not states:
        raise refuse_no_predictions()
    chosen = (
        _all_readable(states, parameters) if metrics is None else [get_metric(m) for m in metrics]
    )
    if SCORES in states:
        states[SCORES].several = len(chosen) > 1
    values = {}
    for function, options in zip(
        chosen, share(parameters, [function.options for function in chosen]), strict=True
    ):
        row = function.metric
        judged = row.kind.judged
        if judged not in states:
            raise refuse_no_predictions(row.name, judged.argument)
        if judged is SCORES and options.get("average") == "binary":
            del options["average"]
        check_complete(function, options)
        values[row.name] = plain(row.value(states[judged], **options))
    return Evaluation(values)


def _states(
    y_true: Any, y_pred: Any, y_score: Any, counts: Any, shared: dict[str, Any]
) -> dict[Prediction, Any]:
    """Hold ready what is given: predicted labels or their counts, and scores."""
    states: dict[Prediction, Any] = {}
    for judged, given in ((LABELS, y_pred), (SCORES, y_score)):
        if given is not None:
            names = "y_true", judged.argument
            states[judged] = judged.state(y_true, given, names=names, **shared)
    if counts is not None:
        table = check_single_table(counts.table if isinstance(counts, Counts) else counts)
        states[LABELS] = LabelState(table, np.arange(len(table)))
    return states


def _all_readable(
    states: Mapping[Prediction, Any], parameters: Mapping[str, Any]
) -> list[MetricFunction]:
    """Return the metrics that can be read from the states, all their parameters given."""
    return [
        function
        for function in METRICS.values()
        if function.metric.kind.judged in states and not missing_options(function, parameters)
    ]
