"""All metrics of saved predictions, or of counts, in one call and one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from ..._compat import import_pandas
from .._cells.certified import Certified
from .._records.count_inputs import check_single_table
from .._records.counts import Counts
from .._registry.declare import get_metric
from .._registry.kind import Prediction
from .._registry.kinds import LABELS, SCORES
from .._states.labels import LabelState
from .._streams.scores import MAX_CELLS
from .._streams.sources import is_chunked
from .._streams.tally import PRED, SCORE, TRUE, WEIGHT
from ._text import DIRECTION, evaluation_html, evaluation_text
from .chunked import Rows, values_of_chunks
from .values import values_of


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
        """Return a pandas DataFrame, a row a metric: value, bounds if any, direction, summary.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = import_pandas()
        rows = [get_metric(name).metric for name in self]
        values = list(self.values())
        columns = {"value": [v.value if isinstance(v, Certified) else v for v in values]}
        if any(isinstance(v, Certified) for v in values):
            columns |= {end: [getattr(v, end, v) for v in values] for end in ("low", "high")}
        columns |= {
            "better": [DIRECTION[row.greater_is_better] for row in rows],
            "summary": [row.summary for row in rows],
        }
        return pandas.DataFrame(columns, index=pandas.Index(list(self), name="metric"))


def evaluate(
    y_true: Any = None,
    y_pred: Any = None,
    y_score: Any = None,
    metrics: Iterable[str] | None = None,
    *,
    counts: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    data: Any = None,
    max_cells: int = MAX_CELLS,
    tolerance: float | None = None,
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
    data : Dask data frame, or iterable of frames or record batches, default=None
        Rows in chunks; `y_true`, `y_pred`, `y_score` and `sample_weight` are then names of columns, and
        a list of names makes a matrix of scores. Without it the arrays themselves may come in chunks:
        all as iterators of arrays, or all as collections of Dask.
    max_cells : int, default=2**20
        Of rows in chunks: how many distinct scores, or cells of scores, are kept for each binary
        problem. Metrics of scores are exact while the distinct scores are no more, and have bounds
        beyond.
    tolerance : float, default=None
        Of rows in chunks that can be gone through again: how far the bounds may lie apart. As many
        passes follow as it takes; 0 asks for exact values.
    **parameters
        Parameters given to every metric that takes them, such as ``pos_label``, ``average="macro"``,
        ``multi_class="ovr"``, ``zero_division`` or ``beta=2``.

    Returns
    -------
    Evaluation
        A mapping from name to value, with ``to_frame()``; it prints as a table. Values of rows in
        chunks that are not exact are :class:`Certified`, between two bounds.

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
    >>> chunks = [{"label": [0, 0], "p": [0.1, 0.6]}, {"label": [1, 1], "p": [0.4, 0.9]}]
    >>> evaluate("label", y_score="p", data=chunks, metrics=["roc_auc"])["roc_auc"]
    0.75
    """
    arrays = {TRUE: y_true, PRED: y_pred, SCORE: y_score, WEIGHT: sample_weight}
    if data is not None or any(map(is_chunked, arrays.values())):
        rows = Rows.of(data, arrays, labels, max_cells)
        return Evaluation(values_of_chunks(rows, metrics, parameters, tolerance))
    shared = {"labels": labels, "sample_weight": sample_weight}
    states = _states(y_true, y_pred, y_score, counts, shared)
    return Evaluation(values_of(states, metrics, parameters))


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
