"""All metrics of saved predictions, or of counts, in one call and one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..._compat import import_pandas
from ..._options import check_flag
from .._cells.certified import Certified
from .._registry.names import named_metric
from .._registry.row import Metric
from .._streams.scores import MAX_CELLS
from .._streams.sources import is_chunked
from .._streams.tally import PRED, SCORE, TRUE, WEIGHT
from ._text import DIRECTION, evaluation_html, evaluation_text
from .baselines import baselines_of
from .chunked import Rows, values_of_chunks
from .given import states_of
from .values import read_metrics


class Evaluation(Mapping[str, Any]):
    """The metrics of one set of predictions: a mapping from name to value that prints as a table.

    Parameters
    ----------
    values : dict of str to float or ndarray
        One value a metric, or one a class.
    rows : dict of str to Metric, default=None
        What is known of each; None where the names are those of metrics.
    classes : dict of str to ndarray, default=None
        The classes of metrics with one value a class.
    note : str, default=""
        How classes were averaged, where the caller did not say.
    baselines : dict of str to dict, default=None
        The values of the same metrics for predictions that know nothing of the example.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        rows: Mapping[str, Metric] | None = None,
        classes: Mapping[str, Any] | None = None,
        note: str = "",
        baselines: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.baselines = {name: dict(held) for name, held in (baselines or {}).items()}
        self._values, self._classes, self.note = dict(values), dict(classes or {}), note
        self.rows = {n: named_metric(n).row for n in values} if rows is None else dict(rows)

    def __getitem__(self, name: str) -> Any:
        """Return a value by the metric's name or an alias."""
        return self._values[name if name in self._values else named_metric(name).key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return evaluation_text(self, self.rows, self.note, self.baselines)

    def _repr_html_(self) -> str:
        """Show all of it in a notebook."""
        return evaluation_html(self, self.rows, self.note, self.baselines)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, a row a metric or one a class: value, bounds if any, summary.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        records = [
            {"metric": name, "class": label, **cells, **self._facts(name)}
            for name in self
            for label, cells in self._cells(name)
        ]
        frame = import_pandas().DataFrame(records).set_index("metric")
        return frame if (frame["class"] != "").any() else frame.drop(columns="class")

    def _cells(self, name: str) -> list[tuple[Any, dict[str, float]]]:
        """Return the values of a metric with their classes; one value belongs to all of them."""
        value, columns = self[name], {"value": self[name]}
        if any(isinstance(each, Certified) for each in self.values()):
            columns = {end: getattr(value, end, value) for end in ("value", "low", "high")}
        columns |= {column: held[name] for column, held in self.baselines.items()}
        numbers = {end: np.atleast_1d(array) for end, array in columns.items()}
        labels: Any = [""]
        if np.ndim(columns["value"]):
            labels = self._classes.get(name, np.arange(len(numbers["value"]))).tolist()
        return [
            (label, {end: array[k].item() for end, array in numbers.items()})
            for k, label in enumerate(labels)
        ]

    def _facts(self, name: str) -> dict[str, str]:
        row = self.rows[name]
        return {"better": DIRECTION[row.greater_is_better], "summary": row.summary}


def evaluate(
    y_true: Any = None,
    y_pred: Any = None,
    y_score: Any = None,
    metrics: Any = None,
    *,
    counts: Any = None,
    rejected: Any = None,
    labels: Any = None,
    sample_weight: Any = None,
    data: Any = None,
    max_cells: int = MAX_CELLS,
    tolerance: float | None = None,
    baselines: bool = False,
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
    metrics : str, list, dict or scorer, default=None
        Metrics by name or alias, with an average ("f1_macro"), by function or scorer; a dict names
        them. None means all that can be read from what is given and have no
        parameter without a default.
    counts : Counts or array-like of shape (n_classes, n_classes), default=None
        Instead of `y_true` and `y_pred`: counts, or a confusion table (rows true).
    rejected : array-like of shape (n_samples,), bool, default=None
        Which predicted labels are rejected; a masked array as `y_pred` says it too. Metrics of labels
        are then those of the accepted, beside the coverage and others of rejections; scores are
        judged on all rows.
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
    baselines : bool, default=False
        Whether to put beside every value what predictions are worth that know nothing of the example:
        "majority" calls all of them the most frequent class, "prior" draws classes by their shares,
        "uniform" draws every class as often, and "random" deals the predictions themselves, or the
        scores, out at random. Of labels it is the metric of the expected table; scores of the first
        three are the same for all. nan stands where one is undefined or has no meaning.
    **parameters
        Parameters given to every metric that takes them, such as ``pos_label``, ``average="macro"``,
        ``multi_class="ovr"``, ``zero_division`` or ``beta=2``. Of more than two classes, or labels,
        metrics of one class are averaged plainly where no average is given.

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
        for name, asked in (("rejected", rejected is not None), ("baselines", baselines)):
            if asked:
                raise ValueError(f"{name} needs all rows at once, and these come in chunks.")
        rows = Rows.of(data, arrays, labels, max_cells)
        return Evaluation(values_of_chunks(rows, metrics, parameters, tolerance))
    shared = {"labels": labels, "sample_weight": sample_weight}
    states = states_of(y_true, y_pred, y_score, counts, rejected, shared, metrics)
    found = read_metrics(states, metrics, parameters)
    beside = baselines_of(states, found, parameters) if check_flag("baselines", baselines) else {}
    return Evaluation(found.values, found.rows, found.classes, found.note, beside)
