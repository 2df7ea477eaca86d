"""What the share of positives alone does to metrics of a test with known rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..._arrays import Floats
from ..._text.tables import Table, Tabular
from .._records.counts import Counts
from ._thresholds import values_of_shares


@dataclass(frozen=True, eq=False, repr=False)
class PrevalenceTable(Tabular):
    """Metrics of a test of fixed sensitivity and specificity, by the share of positives.

    Attributes
    ----------
    sensitivity, specificity : float
    prevalence : ndarray of shape (n_shares,), float64
    values : dict of str to ndarray of shape (n_shares,)
        The values of each metric.
    """

    sensitivity: float
    specificity: float
    prevalence: Floats
    values: dict[str, Floats]

    _index = "metric"

    def _table(self) -> Table:
        return Table(
            ["metric", *(f"{share:g}" for share in self.prevalence)],
            [[name, *values] for name, values in self.values.items()],
            f"By prevalence, with a sensitivity of {self.sensitivity:g} and a specificity of "
            f"{self.specificity:g}",
        )


def prevalence_table(
    metrics: str | Sequence[str],
    *,
    sensitivity: float,
    specificity: float,
    prevalence: ArrayLike,
    **parameters: Any,
) -> PrevalenceTable:
    r"""Show what imbalance does to metrics: a test whose rates stay, at several shares of positives.

    Parameters
    ----------
    metrics : str or list of str
        Metrics of the confusion table, or a named set of them.
    sensitivity, specificity : float in [0, 1]
        The shares of positives and of negatives that are recognised, at every prevalence.
    prevalence : array-like of shape (n_shares,), in [0, 1]
        Shares of positives.
    **parameters
        Parameters passed to every metric that accepts them.

    Returns
    -------
    PrevalenceTable
        A row a metric, a column a prevalence.

    Raises
    ------
    ValueError, TypeError
        If a number lies outside [0, 1], or a metric depends on the number of examples.

    Notes
    -----
    With a recall R, a specificity S and the prevalence :math:`\pi`, the shares of the four cells are

    .. math:: TP = \pi R, \quad FN = \pi (1 - R), \quad TN = (1 - \pi) S, \quad FP = (1 - \pi) (1 - S)

    Examples
    --------
    >>> from skaucx.metrics.curves import prevalence_table
    >>> prevalence_table(["accuracy", "precision", "informedness"], sensitivity=0.8,
    ...                  specificity=0.9, prevalence=[0.5, 0.1, 0.01])
    By prevalence, with a sensitivity of 0.8 and a specificity of 0.9
    metric           0.5     0.1    0.01
    accuracy      0.8500  0.8900  0.8990
    precision     0.8889  0.4706  0.0748
    informedness  0.7000  0.7000  0.7000
    """
    shares = np.atleast_1d(np.asarray(prevalence, dtype=np.float64))
    cells = Counts.from_rates(sensitivity=sensitivity, specificity=specificity, prevalence=shares)
    _, values = values_of_shares(cells, metrics, parameters)
    return PrevalenceTable(float(sensitivity), float(specificity), shares, values)
