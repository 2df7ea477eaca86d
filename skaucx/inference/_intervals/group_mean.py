"""The mean of a metric over groups of rows, such as queries or users, with its interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from ..._arguments import MetricLike
from ..._arrays import Array, Codes, Floats, group_codes, host_array
from ..._options import check_choice, check_confidence_level
from ..._text.numbers import fixed
from ..._text.plain import count, paragraph
from ..._text.tables import Table, Tabular
from ...metrics._scorers.group_rankings import group_values
from .interval import Interval

Weighting = Literal["macro", "weighted"]
_SHOWN = 5
# With fewer groups the coverage of the interval is not guaranteed.
_FEW_GROUPS = 30


@dataclass(frozen=True, eq=False, repr=False)
class GroupMean(Tabular):
    """A metric in every group, and its mean over the groups; made by :func:`group_mean`.

    Attributes
    ----------
    metric : str
        Its name.
    groups : ndarray of shape (n_groups,)
        The groups, sorted.
    values : ndarray of shape (n_groups,), float64
        The metric in each; nan where it is undefined.
    sizes : ndarray of shape (n_groups,), int
        Rows of each.
    average : {"macro", "weighted"}
        Whether groups count equally, or by their rows.
    bounds : tuple of float
        The range of the metric.

    Examples
    --------
    >>> from skaucx.inference import group_mean
    >>> found = group_mean("reciprocal_rank", [1, 0, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.6, 0.1],
    ...                    groups=["q1", "q1", "q1", "q2", "q2", "q3"])
    >>> print(found)
    reciprocal_rank: mean 0.7500 over 2 of 3 groups
      undefined in 1 group: q3
    """

    _index = "group"

    metric: str
    groups: Array
    values: Floats
    sizes: Codes
    average: Weighting = "macro"
    bounds: tuple[float, float] = (0.0, 1.0)

    @property
    def defined(self) -> Any:
        """Which groups have a value, shape (n_groups,), bool."""
        return ~np.isnan(self.values)

    @property
    def undefined(self) -> Array:
        """The groups without a value, which the mean leaves out."""
        return self.groups[~self.defined]

    @property
    def weights(self) -> Floats:
        """The weight of each group with a value: 1, or its rows."""
        rows = self.sizes[self.defined].astype(np.float64)
        return rows if self.average == "weighted" else np.ones(len(rows))

    @property
    def value(self) -> float:
        """The mean over the groups that have a value; nan if none has."""
        return weighted_mean(self.values[self.defined], self.weights)[0]

    @property
    def standard_error(self) -> float:
        """The standard error of the mean; nan for fewer than two groups."""
        return weighted_mean(self.values[self.defined], self.weights)[1]

    def interval(self, confidence_level: float = 0.95) -> Interval:
        r"""Return the interval of the mean over further groups.

        Parameters
        ----------
        confidence_level : float, default=0.95
            Nominal coverage, in (0, 1).

        Returns
        -------
        Interval

        Notes
        -----
        Student's t with G - 1 degrees of freedom for the G groups with a value, within the range of
        the metric. With weights :math:`w_g` and values :math:`v_g`, whose mean is :math:`\bar v`,

        .. math:: s^2 = \frac{G}{G - 1} \frac{\sum_g w_g^2 (v_g - \bar v)^2}{(\sum_g w_g)^2}

        The groups are the random sample; the number of rows of a group may depend on the group.
        """
        level = check_confidence_level(confidence_level)
        value, error, n = self.value, self.standard_error, int(self.defined.sum())
        half = float(special.stdtrit(n - 1, (1 + level) / 2)) * error if error > 0 else math.nan
        low, high = max(value - half, self.bounds[0]), min(value + half, self.bounds[1])
        notes = [f"undefined in {count(len(self.undefined), 'group')}"] * bool(len(self.undefined))
        if math.isnan(half):
            low = high = math.nan
            notes.append("no interval: fewer than two groups with different values")
        elif n < _FEW_GROUPS:
            notes.append(f"{n} groups; below {_FEW_GROUPS} the coverage is not guaranteed")
        method = f"t over {n} groups"
        return Interval(
            self.metric, value, low, high, error, level, method,
            note="; ".join(notes), target="the mean over groups of the population",
        )  # fmt: skip

    def _table(self) -> Table:
        columns = {"group": self.groups, "rows": self.sizes, "value": self.values}
        return Table.of_columns(columns, repr(self), formats={"group": str})

    def __repr__(self) -> str:
        n, by = int(self.defined.sum()), " by rows" * (self.average == "weighted")
        lines = [
            f"{self.metric}: mean{by} {fixed(self.value)} over {n} of {len(self.groups)} groups"
        ]
        if len(self.undefined):
            some = ", ".join(map(str, self.undefined[:_SHOWN]))
            more = ", ..." * (len(self.undefined) > _SHOWN)
            lines.append(f"  undefined in {count(len(self.undefined), 'group')}: {some}{more}")
        return "\n".join(paragraph(line, hang=4) for line in lines)


def weighted_mean(values: Floats, weights: Floats) -> tuple[float, float]:
    """Return the weighted mean of groups and its standard error, nan where there is none."""
    n, total = len(values), weights.sum()
    if not n:
        return math.nan, math.nan
    # The variance of a ratio of means, sum w v / sum w, with the factor n / (n - 1) of small samples.
    mean = float(weights @ values / total)
    if n == 1:
        return mean, math.nan
    return mean, float(np.sqrt(n / (n - 1) * ((weights * (values - mean)) ** 2).sum()) / total)


def group_mean(
    metric: MetricLike,
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    groups: ArrayLike,
    average: Weighting = "macro",
    sample_weight: ArrayLike | None = None,
    **parameters: Any,
) -> GroupMean:
    r"""Return the mean of a metric over groups, such as queries, users or sessions.

    Parameters
    ----------
    metric : str or callable
        Any metric of this package; or, of the ranking within a group, "ndcg", "reciprocal_rank" (its
        mean is the MRR) or "hit_rate". The mean of "roc_auc" is the GAUC, that of
        "average_precision" the MAP; "precision_at_k" and "recall_at_k" take ``k=``.
    y_true : array-like of shape (n_samples,)
        True labels; for "ndcg" the relevance, 0 or more.
    y_pred : array-like of shape (n_samples,)
        What the metric reads: scores, or predicted labels.
    groups : array-like of shape (n_samples,)
        The group of each row; rows may come in any order.
    average : {"macro", "weighted"}, default="macro"
        Whether every group counts equally, or by its number of rows.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of rows within their group; not for "ndcg", "reciprocal_rank" and "hit_rate".
    **parameters
        Parameters of the metric, such as ``pos_label``; ``k``, the number of rows at the top, and for
        "ndcg" ``gain="exponential"``, which is 2 to the power of the relevance minus 1.

    Returns
    -------
    GroupMean
        With the value of every group, the groups without one, and :meth:`GroupMean.interval`.

    Raises
    ------
    ValueError, TypeError
        If an input is invalid, or the metric has no such parameter.

    See Also
    --------
    skaucx.metrics.group_scorer : The same as a scorer, ``group_scorer(metric, "mean", by=)``.
    skaucx.inference.group_mean_test : Two models compared over the same groups.

    Notes
    -----
    Groups without a relevant row have no reciprocal rank, hit rate, recall, average precision or NDCG,
    and groups of one class no AUC: they are left out and named, not counted as 0.
    Tied scores take the expected value over the orders of the tied rows, for average precision one
    threshold, so the order of the rows does not matter. With the gain :math:`g_{(i)}` of the row at
    rank i, and the ideal order in the denominator [1]_,

    .. math:: \mathrm{NDCG}_k = \frac{\sum_{i \le k} g_{(i)} / \log_2 (i + 1)}{
        \max_\pi \sum_{i \le k} g_{\pi(i)} / \log_2 (i + 1)}

    Metrics of the ranking take one sort of all rows; others are evaluated group by group.

    References
    ----------
    .. [1] K. Jarvelin and J. Kekalainen, Cumulated gain-based evaluation of IR techniques, ACM
       Transactions on Information Systems 20, 2002.
    .. [2] G. Zhou et al., Deep interest network for click-through rate prediction, KDD 2018 (weighted
       mean of the AUC of users).

    Examples
    --------
    >>> from skaucx.inference import group_mean
    >>> query = ["a", "a", "a", "b", "b", "b"]
    >>> found = group_mean("ndcg", [3, 0, 1, 0, 2, 1], [0.9, 0.5, 0.4, 0.8, 0.7, 0.1], groups=query, k=3)
    >>> found.values.round(4).tolist()
    [0.9639, 0.6697]
    >>> round(found.value, 4)
    0.8168
    """
    check_choice("average", average, ("macro", "weighted"))
    true = host_array(y_true)
    codes = group_codes(groups, {"y_true": true, "y_pred": host_array(y_pred)})
    sizes = np.bincount(codes)
    if not len(sizes):
        raise ValueError("y_true is empty; a mean over groups needs one row at least.")
    name, bounds, values = group_values(
        metric, y_true, y_pred, codes, len(sizes), sample_weight=sample_weight, **parameters
    )
    one = np.zeros(len(sizes), dtype=np.intp)
    one[codes] = np.arange(len(codes))
    return GroupMean(name, host_array(groups)[one], values, sizes, average, bounds)
