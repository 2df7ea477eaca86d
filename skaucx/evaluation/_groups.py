"""Every metric in every group: values, intervals, and the gaps between groups."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from .._arguments import DataFrame
from .._arrays import Codes, Floats, column_names, groups_of, host_array, plain_array, weight_vector
from .._compat import import_pandas
from .._faces import Reportable
from .._options import Confidence
from ..inference._intervals.interval import Interval, Intervals
from ..metrics._registry.declare import plain
from ..metrics._registry.row import Metric
from ._evaluator import EvaluationInput, evaluated
from ._result import Evaluation
from ._tables import called, groups_tables


def partition(
    by: Any, y_true: Any, sample_weight: Any = None
) -> tuple[tuple[str, ...], dict[Any, Codes]]:
    """Return the columns of groups by name, and the places of each group's rows, in order.

    One column, a matrix, a dict or a data frame of columns; a group is a value, or a tuple of one value
    a column. Rows without a weight are left out.
    """
    columns = columns_of(by)
    true, weight = host_array(y_true), weight_vector(sample_weight)
    found = [groups_of(each, {"y_true": true}, f"by {name}") for name, each in columns.items()]
    shape = tuple(len(known) for known, _ in found)
    # One number a combination of values, of which some may not occur.
    joint = np.ravel_multi_index([codes for _, codes in found], shape)
    joint = joint if weight is None else joint[weight > 0]
    order = np.argsort(joint, kind="stable")
    held, starts = np.unique(joint[order], return_index=True)
    places = np.unravel_index(held, shape)
    parts = [known[at].tolist() for (known, _), at in zip(found, places, strict=True)]
    keys = parts[0] if len(parts) == 1 else zip(*parts, strict=True)
    return tuple(columns), dict(zip(keys, np.split(order, starts[1:]), strict=True))


def columns_of(by: Any) -> dict[str, Any]:
    """Return the columns by their names."""
    if isinstance(by, Mapping) or hasattr(by, "columns"):
        names = list(by) if isinstance(by, Mapping) else column_names(by)
        found = {str(name): plain_array(by[name], f"by {name}") for name in names}
    else:
        array = plain_array(by, "by", scalar=True)
        if array.ndim not in (1, 2):
            raise ValueError(
                f"by must hold one value a row, or one column or more, found shape {array.shape}; the "
                "name of a column needs data=."
            )
        name = str(getattr(by, "name", None) or "group")
        parts = array.reshape(len(array), -1).T
        found = {name if len(parts) == 1 else f"{name} {k}": part for k, part in enumerate(parts)}
    if not found:
        raise ValueError("by holds no column; pass one value a row at least.")
    return found


@lru_cache(maxsize=64)
def pairwise_level(confidence_level: float, groups: int) -> float:
    """Return the confidence of single intervals such that all pairs of groups hold at once.

    z becomes q / sqrt(2), with q the quantile of the range of as many normal variables as groups
    (Tukey); for two groups the confidence is unchanged.
    """
    if groups <= 2:
        return confidence_level
    quantile = float(stats.studentized_range.ppf(confidence_level, groups, np.inf))
    return float(2 * special.ndtr(quantile / math.sqrt(2)) - 1)


def differences(value: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    r"""Return limits of every ordered difference of K groups, of shape (K, K, ...).

    A pair of groups has the limits of Zou and Donner,
    :math:`d - \sqrt{(\theta_1 - l_1)^2 + (u_2 - \theta_2)^2}` and its mirror image.
    """
    with np.errstate(invalid="ignore"):  # infinite ratios are infinitely apart, or nan
        below, above = value - low, high - value
        middle = value[:, None] - value[None]
        down = np.sqrt(below[:, None] ** 2 + above[None] ** 2)
        up = np.sqrt(above[:, None] ** 2 + below[None] ** 2)
        return middle - down, middle + up


def greatest_difference(value: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return limits of the greatest minus the least value.

    Where limits hold for all pairs, the greatest difference lies between the greatest of the lower and
    of the upper ones.
    """
    apart, undefined = ~np.eye(len(value), dtype=bool), np.isnan(value)
    left_out = undefined[:, None] | undefined[None]
    least, most = (
        np.where(left_out, -np.inf, limits)[apart].max(axis=0, initial=0)
        for limits in differences(value, low, high)
    )
    return least, most


_ODDS = "recall", "false_positive_rate"
_FEW = 10  # rows; fewer say nothing about a group


class GroupedEvaluation(Reportable, dict[Any, Evaluation]):
    """The metrics of every group: a mapping from group to its :class:`Evaluation`.

    Made by :func:`evaluate` with ``by=``.

    Parameters
    ----------
    evaluations : dict of group to Evaluation
        A group is a value of the only column, or a tuple of one value a column.
    sizes : dict of group to int
        Rows of each.
    overall : Evaluation
        That of all rows.
    names : tuple of str, default=("group",)
        The names of the columns.
    simultaneous : float, default=None
        The confidence with which the intervals of a metric hold for all groups at once.
    has_odds : bool, default=False
        Whether recall and false positive rate of two classes are among the metrics.

    Attributes
    ----------
    undefined : dict of str to list
        For each metric that some group leaves undefined, those groups. They are excluded from gaps.
    too_small : dict of str to list
        For each metric the groups that are too small to compare: of fewer than ten rows, or whose
        interval at the confidence of all pairs covers more than half of the range of the metric.

    Examples
    --------
    >>> from skaucx.evaluation import evaluate
    >>> found = evaluate([1, 1, 1, 1, 0, 0], [1, 1, 1, 0, 0, 1], metrics=["recall", "accuracy"],
    ...                  by=["f", "f", "m", "m", "m", "f"])
    >>> found["m"]["recall"], found.overall["recall"], found.difference()["recall"].estimate
    (0.5, 0.75, 0.5)
    >>> print(found)
    recall     rows  positives   value
    group = f     3          2  1.0000
    group = m     3          2  0.5000
    all           6          4  0.7500
    f 1.0000 - m 0.5000: difference 0.5000
    <BLANKLINE>
    accuracy   rows  positives   value
    group = f     3          2  0.6667
    group = m     3          2  0.6667
    all           6          4  0.6667
    difference 0.0000
    Too small to compare (below 10 rows, or an interval over half the range of the
      metric): recall, accuracy where group = f, group = m.
    """

    def __init__(
        self,
        evaluations: Mapping[Any, Evaluation],
        sizes: Mapping[Any, int],
        overall: Evaluation,
        names: tuple[str, ...] = ("group",),
        simultaneous: float | None = None,
        has_odds: bool = False,
    ) -> None:
        super().__init__(evaluations)
        self.sizes, self.overall = dict(sizes), overall
        self.names, self.simultaneous, self.has_odds = tuple(names), simultaneous, has_odds
        first = next(iter(self.values()))
        self.rows: Mapping[str, Metric] = first.rows
        own = [each.confidence_level for each in first.intervals.values()]
        self.confidence_level, self._joint = simultaneous or (own or [0.95])[0], bool(own)
        self.undefined = self._where(lambda name: np.isnan(self._column(name)))
        self.too_small = self._where(self._small)

    def __repr__(self) -> str:
        *tables, last = groups_tables(self)
        return "\n\n".join([*(table.text(explained=False) for table in tables), last.text()])

    def _repr_html_(self) -> str:
        """Show all of it in a notebook."""
        return "".join(table._repr_html_() for table in groups_tables(self))

    def named(self) -> dict[str, Evaluation]:
        """Return the evaluations by what their groups are called: "sex = f, site = north"."""
        return {called(self.names, group): found for group, found in self.items()}

    def difference(self) -> Intervals:
        r"""Return the greatest minus the least value of the groups, for every metric.

        Returns
        -------
        dict of str to Interval
            With limits, where intervals were requested. nan where fewer than two groups have a value.

        Notes
        -----
        The limits are those of the greatest difference between any two groups, whichever they are;
        :meth:`pair` has those of a pair. A lower limit of 0 shows no difference. Each pair has those of
        [1]_

        .. math:: \theta_1 - \theta_2 - \sqrt{(\theta_1 - l_1)^2 + (u_2 - \theta_2)^2}

        and its mirror image, from the groups' own intervals [l, u] at Tukey's confidence, so that they
        hold for all pairs at once; the greatest difference lies between the greatest of their lower and
        of their upper limits. They take the groups as independent, and hold for one metric at a time.

        References
        ----------
        .. [1] Zou, G. Y. and Donner, A. (2008). Construction of confidence limits about effect measures:
           a general approach. Statistics in Medicine 27, 1693-1702.
        """
        found = Intervals()
        for name in self.rows:
            column = self._column(name)
            with np.errstate(invalid="ignore"):  # both may be infinite
                value = np.fmax.reduce(column) - np.fmin.reduce(column)
            # A single group has no gap: a value of 0 would suggest equal groups.
            alone = (~np.isnan(column)).sum(axis=0) < 2
            ends = greatest_difference(*self._ends(name))
            numbers = [np.where(alone, np.nan, each) for each in (value, *ends)]
            note = "fewer than two groups have a value" if alone.any() else ""
            found[name] = self._gap(name, numbers, "the greatest difference between groups", note)
        return found

    def equalized_odds(self) -> Interval:
        r"""Return the equalized odds difference: the greater of the gaps of the two rates.

        Returns
        -------
        Interval
            0 where all groups have the same recall and the same false positive rate. With limits where
            intervals were requested.

        Raises
        ------
        ValueError
            If the metrics of two classes "recall" and "false_positive_rate" were not both requested.

        Notes
        -----
        .. math:: \max\Bigl(\max_{a, b} |\mathrm{TPR}_a - \mathrm{TPR}_b|,\;
            \max_{a, b} |\mathrm{FPR}_a - \mathrm{FPR}_b|\Bigr)

        as of [1]_ and fairlearn's ``equalized_odds_difference``. Positives and negatives are different
        rows, so that lower limits of both gaps at the confidence :math:`\sqrt{1 - \alpha}` hold together
        at :math:`1 - \alpha` (Šidák); the greater of them is the lower limit. The upper limit is the
        greater of the two gaps' own, of which that of the greater gap alone has to hold. Coverage at a
        nominal 95 % was 95 to 96.5 % where no group differs, and 99 to 99.5 % where they do. A lower
        limit of 0 shows no difference.

        References
        ----------
        .. [1] M. Hardt, E. Price and N. Srebro, Equality of opportunity in supervised learning, Advances
           in Neural Information Processing Systems 29, 2016.

        Examples
        --------
        >>> from skaucx.evaluation import evaluate
        >>> y_true, y_pred = [1, 1, 0, 0, 1, 1, 0, 0], [1, 1, 0, 0, 1, 0, 1, 0]
        >>> found = evaluate(y_true, y_pred, metrics=["recall", "false_positive_rate"],
        ...                  by=["f", "f", "f", "f", "m", "m", "m", "m"])
        >>> found.equalized_odds().estimate
        0.5
        """
        if not self.has_odds:
            raise ValueError(
                f"metrics must hold {' and '.join(_ODDS)} of two classes for equalized odds, found "
                f"{', '.join(self.rows)}."
            )
        gaps = [*map(self.difference().__getitem__, _ODDS)]
        found = max(gaps, key=lambda gap: (math.isnan(gap.estimate), gap.estimate))
        low = high = math.nan
        if not math.isnan(found.estimate):
            low = max(float(greatest_difference(*self._ends(name, 1))[0]) for name in _ODDS)
            high = max(gap.high for gap in gaps)
        return replace(
            found, metric="equalized_odds_difference", low=low, high=high,
            target="the greater difference between groups of the two rates",
        )  # fmt: skip

    def pair(self, first: Hashable, second: Hashable) -> Intervals:
        """Return the first minus the second of two groups, for every metric.

        Parameters
        ----------
        first, second : object
            Two of the groups.

        Returns
        -------
        dict of str to Interval
            With the pair's own limits, which hold for all pairs of groups at once, where intervals
            were requested; see :meth:`difference`.

        Raises
        ------
        KeyError
            If there is no such group.
        """
        found, one, other = Intervals(), self[first], self[second]
        target = f"the difference of {first} and {second}"
        places = [list(self).index(group) for group in (first, second)]
        for name in self.rows:
            with np.errstate(invalid="ignore"):  # both may be infinite
                value = np.subtract(one[name], other[name])
            ends = [limits[*places] for limits in differences(*self._ends(name))]
            found[name] = self._gap(name, [value, *ends], target)
        return found

    def to_frame(self) -> DataFrame:
        """Return one row a group and metric.

        Returns
        -------
        pandas.DataFrame
            Rows, value, ends and method of the interval if any, better; of which
            ``["value"].unstack("metric")`` is a table with one column a metric.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        parts = {
            group: found.to_frame().drop(columns="summary").assign(rows=self.sizes[group])
            for group, found in self.items()
        }
        frame = import_pandas().concat(parts, names=[*self.names, "metric"])
        return frame[["rows", *(c for c in frame.columns if c != "rows")]]

    def _column(self, name: str) -> Floats:
        """Return the values of a metric, a group along the first axis."""
        return np.array([found[name] for found in self.values()], dtype=np.float64)

    def _ends(self, name: str, which: int = 0) -> tuple[Floats, Floats, Floats]:
        """Return the values of the groups with joint limits, nan where there are none."""
        value = self._column(name)
        if not self._joint:
            return value, value * np.nan, value * np.nan
        own = [found.joint[which][name] for found in self.values()]
        low, high = (np.array([getattr(i, end) for i in own], float) for end in ("low", "high"))
        return value, low, high

    def _gap(self, name: str, numbers: Any, target: str, note: str = "") -> Interval:
        """Return a difference with its limits."""
        value, low, high = map(plain, map(np.asarray, numbers))
        how = "pairs of groups at once" if self._joint else "no interval"
        level, error = self.confidence_level, value * np.nan
        return Interval(name, value, low, high, error, level, how, note=note, target=target)

    def _where(self, holds: Callable[[str], Floats]) -> dict[str, list[Any]]:
        """Return for each metric the groups for which something holds of any class, if there are any."""
        held = {
            name: [group for group, own in zip(self, holds(name), strict=True) if np.any(own)]
            for name in self.rows
        }
        return {name: groups for name, groups in held.items() if groups}

    def _small(self, name: str) -> Floats:
        """Return which groups define a metric, and are too small to compare."""
        value, low, high = self._ends(name)
        least, most = self.rows[name].bounds
        few = np.array([*self.sizes.values()]) < _FEW
        # False where the range or the interval is infinite or nan.
        wide = (high - low > (most - least) / 2).reshape(len(self), -1).any(axis=1)
        defined = ~np.isnan(value).reshape(len(self), -1).any(axis=1)
        return np.asarray(defined & (few | wide))


def grouped(
    given: EvaluationInput, names: tuple[str, ...], rows: Mapping[Any, Codes]
) -> GroupedEvaluation:
    """Evaluate all rows, and those of every group.

    With intervals also at the level of all pairs, and at that of two rates of all pairs.
    """
    overall, groups = evaluated(given), len(rows)
    # An undefined metric of a group is nan, not the replacement of 0/0.
    options = {"zero_division": np.nan, **given.parameters}
    odds = {*_ODDS} <= {*overall} and options.get("average", "binary") == "binary"
    simultaneous, levels = None, given.levels
    if levels:
        [own] = levels
        each, simultaneous = own, None
        if own.simultaneous:  # Bonferroni
            each, simultaneous = replace(own, level=1 - (1 - own.level) / groups), own.level
        joint = (own.level, math.sqrt(own.level)) if odds else (own.level,)
        levels = (each, *(Confidence(pairwise_level(x, groups)) for x in joint))
    given = replace(given, parameters=options, levels=levels)
    # `undefined` names the groups
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        found = {key: evaluated(given.subset(own)) for key, own in rows.items()}
    sizes = {key: own.n_rows or 0 for key, own in found.items()}
    return GroupedEvaluation(found, sizes, overall, names, simultaneous, odds)
