"""Values of a metric on a grid of ROC or precision-recall space."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from ..._arrays import Floats
from ..._compat import import_pandas
from ..._options import OPEN_SHARE, check_choice, check_whole
from ..._text.html import table
from .._records.counts import Counts
from .._registry.declare import get_metric
from ._thresholds import values_of_shares


@dataclass(frozen=True, eq=False, repr=False)
class Isometrics:
    """A metric on a grid of ROC or precision-recall space; its level lines are the isometrics.

    Iterates as ``x, y, values``.

    Attributes
    ----------
    x, y : ndarray of shape (n_points,), float64
        FPR and TPR, or recall and precision, from 0 to 1.
    values : ndarray of shape (n_points, n_points), float64
        The metric at ``x[j]``, ``y[i]``; nan where it is undefined, infinite, or where no table of
        that prevalence has such a precision and recall.
    metric : str
        Its name.
    prevalence : float
        The share of the positives.
    space : {"roc", "pr"}
        Which plane `x` and `y` span.
    """

    x: Floats
    y: Floats
    values: Floats
    metric: str
    prevalence: float
    space: Literal["roc", "pr"]

    def __iter__(self) -> Any:
        return iter((self.x, self.y, self.values))

    def __repr__(self) -> str:
        points = f"{len(self.x)} x {len(self.y)} points"
        return f"Isometrics({self.metric}, {self.space}, prevalence={self.prevalence:g}, {points})"

    def _repr_html_(self) -> str:
        """Show some of the values in a notebook, the highest row on top as in the picture."""
        keep = np.linspace(0, len(self.x) - 1, min(len(self.x), 5)).round().astype(int)
        across, up = ("FPR", "TPR") if self.space == "roc" else ("recall", "precision")
        head = [f"{up} \\ {across}", *(f"{x:.4g}" for x in self.x[keep])]
        rows = [[f"{self.y[i]:.4g}", *self.values[i, keep].tolist()] for i in keep[::-1]]
        return table(f"{self.metric} at prevalence {self.prevalence:g}", head, rows)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of the values, with ``y`` as index and ``x`` as columns.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return import_pandas().DataFrame(self.values, index=self.y, columns=self.x)


def isometrics(
    metric: str | Callable[[Counts], Any],
    prevalence: float = 0.5,
    *,
    space: Literal["roc", "pr"] = "roc",
    n_points: int = 201,
    **parameters: Any,
) -> Isometrics:
    """Return a metric of the confusion table on a grid of ROC or precision-recall space.

    Parameters
    ----------
    metric : str or callable
        Name or alias, or a function that takes :class:`Counts` (arrays, as shares of the whole) and
        returns an array of values.
    prevalence : float in (0, 1), default=0.5
        The share of the positives, which a point of either space does not determine.
    space : {"roc", "pr"}, default="roc"
        FPR against TPR, or recall against precision.
    n_points : int >= 2, default=201
        Points a side of the grid.
    **parameters
        The metric's own parameters, such as ``beta`` or ``cost``.

    Returns
    -------
    Isometrics
        Iterates as ``x, y, values``.

    Raises
    ------
    ValueError, TypeError
        If a name is unknown or a parameter outside its range.

    See Also
    --------
    IsometricsDisplay : The picture of the level lines.

    References
    ----------
    .. [1] P. A. Flach, The geometry of ROC space: understanding machine learning metrics through ROC
       isometrics, ICML, 194-201, 2003.

    Examples
    --------
    >>> from skaucx.metrics.curves import isometrics
    >>> fpr, tpr, values = isometrics("accuracy", prevalence=0.25, n_points=3)
    >>> values.tolist()
    [[0.75, 0.375, 0.0], [0.875, 0.5, 0.125], [1.0, 0.625, 0.25]]
    >>> isometrics("f1", 0.25, space="pr", n_points=3).values.round(3).tolist()
    [[nan, nan, nan], [0.0, 0.5, 0.667], [0.0, 0.667, 1.0]]
    """
    OPEN_SHARE.check("prevalence", prevalence)
    check_choice("space", space, ("roc", "pr"))
    axis = np.linspace(0, 1, check_whole("n_points", n_points, 2))
    x, y = np.meshgrid(axis, axis)
    if space == "pr":
        counts = _pr_counts(x, y, prevalence)
    else:
        tp, fp = prevalence * y, (1 - prevalence) * x
        counts = Counts(tp, fp, prevalence * (1 - y), (1 - prevalence) * (1 - x))
    if callable(metric):
        name = getattr(metric, "__name__", type(metric).__name__)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            values = np.asarray(metric(counts), dtype=np.float64)
        if values.shape != x.shape:
            raise ValueError(f"metric must return shape {x.shape}, it returned {values.shape}.")
    else:
        name = get_metric(metric).metric.name
        values = values_of_shares(counts, [metric], parameters)[1][name]
    values = np.where(np.isfinite(values), values, np.nan)
    return Isometrics(axis, axis, values, name, prevalence, space)


def _pr_counts(recall: Floats, precision: Floats, prevalence: float) -> Counts:
    """Return the tables of recall and precision, of nan where they need too many negatives."""
    tp = prevalence * recall
    with np.errstate(divide="ignore", invalid="ignore"):
        fp = tp * (1 - precision) / precision
    # A table at the very limit may miss it by rounding.
    tn = 1 - prevalence - fp
    possible = tn >= -1e-12
    cells = tp, fp, prevalence - tp, np.maximum(tn, 0)
    return Counts(*(np.where(possible, cell, np.nan) for cell in cells))
