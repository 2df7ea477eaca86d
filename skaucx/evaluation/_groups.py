"""Every metric in every group: values, intervals, and the gaps between groups."""

from __future__ import annotations

import functools
import itertools
import math
import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from .._arguments import DataFrame
from .._arrays import (
    Codes,
    Floats,
    check_memory,
    check_same_length,
    column_names,
    groups_of,
    host_array,
    plain_array,
    weight_vector,
)
from .._compat import import_pandas
from .._faces import Reportable
from .._options import Confidence, check_choice
from .._progress import ProgressBar, counted
from .._text.reported import DIRECTION
from ..inference._intervals.interval import Interval
from ..metrics._records.inputs import check_table
from ..metrics._registry.declare import plain
from ..metrics._registry.row import Metric
from ._evaluator import EvaluationRequest
from ._result import Evaluation, called, groups_tables

# A pass for each of so few groups takes less time than sorting the rows by group.
_FEW_KEYS = 4


@dataclass(frozen=True, eq=False)
class Partition:
    """The groups of the rows with a positive weight.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    keys : tuple
        The groups that occur, in order: a value, or a tuple of one value a column.
    codes : ndarray of shape (n_rows,), int
        The group of each row.
    """

    names: tuple[str, ...]
    keys: tuple[Any, ...]
    codes: Codes

    @classmethod
    def of(cls, by: Any, y_true: Any, sample_weight: Any = None) -> Partition:
        """Take one column, a matrix, a dict or a data frame of columns."""
        columns = columns_of(by)
        true, weight = host_array(y_true), weight_vector(sample_weight)
        values, codes = [], []
        for name, column in columns.items():
            known, own = groups_of(column, {"y_true": true}, f"by {name}")
            values.append(known)
            codes.append(own if weight is None else own[weight > 0])
        parts, group = [known.tolist() for known in values], codes[0]
        if len(columns) > 1 or weight is not None:
            # One number a combination of values, and the combinations that occur numbered anew.
            joint = np.ravel_multi_index(codes, [len(known) for known in values])
            found, group = np.unique(joint, return_inverse=True)
            places = np.unravel_index(found, [len(known) for known in values])
            parts = [known[place].tolist() for known, place in zip(values, places, strict=True)]
        keys = parts[0] if len(columns) == 1 else zip(*parts, strict=True)
        return cls(tuple(columns), tuple(keys), group)

    @property
    def rows(self) -> dict[Any, Codes]:
        """The places of the rows of each group, in order."""
        codes = self.codes.astype(np.min_scalar_type(len(self.keys)))
        if len(self.keys) <= _FEW_KEYS:
            return {key: np.flatnonzero(codes == k) for k, key in enumerate(self.keys)}
        # Numbers of 16 bits are sorted by their digits, several times faster.
        order = np.argsort(codes, kind="stable")
        ends = np.bincount(self.codes, minlength=len(self.keys)).cumsum()[:-1]
        return dict(zip(self.keys, np.split(order, ends), strict=True))


def columns_of(by: Any) -> dict[str, Any]:
    """Return the columns by their names."""
    if isinstance(by, Mapping) or hasattr(by, "columns"):
        names = list(by) if isinstance(by, Mapping) else column_names(by)
        found = {str(name): plain_array(by[name], f"by {name}") for name in names}
    else:
        array = plain_array(by, "by", scalar=True)
        if array.ndim not in (1, 2):
            given = repr(by) if isinstance(by, str) else f"shape {array.shape}"
            raise ValueError(
                f"by must hold one value a row, or one column or more, found {given}; the name of a "
                "column needs data=."
            )
        name = str(getattr(by, "name", None) or "group")
        parts = [array] if array.ndim == 1 else list(array.T)
        found = (
            {name: array} if len(parts) == 1 else {f"{name} {k}": c for k, c in enumerate(parts)}
        )
    if not found:
        raise ValueError("by holds no column; pass one value a row at least.")
    return found


class Ends(NamedTuple):
    """Values of a metric in K groups with the ends of their intervals, each of shape (K, ...)."""

    value: Floats
    low: Floats
    high: Floats


@functools.lru_cache(maxsize=64)
def pairwise_level(confidence_level: float, groups: int) -> float:
    """Return the confidence of single intervals such that all pairs of groups hold at once.

    z becomes q / sqrt(2), with q the quantile of the range of as many normal variables as groups
    (Tukey); for two groups the confidence is unchanged.
    """
    if groups <= 2:
        return confidence_level
    quantile = float(stats.studentized_range.ppf(confidence_level, groups, np.inf))
    return float(2 * special.ndtr(quantile / math.sqrt(2)) - 1)


def difference(ends: Ends) -> tuple[Floats, Floats]:
    """Return limits of the greatest minus the least value.

    Where limits hold for all pairs, the greatest difference lies between the greatest of the lower and
    of the upper ones.
    """
    low, high = differences(ends)
    return np.maximum(_greatest(low), 0), np.maximum(_greatest(high), 0)


def ratio(ends: Ends) -> tuple[Floats, Floats]:
    """Return limits of the least divided by the greatest value, of a metric that is 0 or more."""
    low, high = ratios(ends)
    with np.errstate(divide="ignore"):
        return 1 / _greatest(high), np.minimum(1 / _greatest(low), 1)


def differences(ends: Ends) -> tuple[Floats, Floats]:
    r"""Return limits of every ordered difference, of shape (K, K, ...).

    A pair of groups has the limits of Zou and Donner,
    :math:`d - \sqrt{(\theta_1 - l_1)^2 + (u_2 - \theta_2)^2}` and its mirror image.
    """
    return _of_pairs(ends, lambda x: x)


def ratios(ends: Ends) -> tuple[Floats, Floats]:
    """Return limits of every ordered ratio, of shape (K, K, ...): differences of logarithms."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        logs = Ends(*(np.log(np.maximum(part, 0)) for part in ends))
        low, high = _of_pairs(logs, lambda x: np.where(np.isnan(x), np.inf, x))
        return np.exp(low), np.exp(high)


def _of_pairs(ends: Ends, reach: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
    """Return limits of every ordered difference, of shape (K, K, ...)."""
    with np.errstate(invalid="ignore"):  # infinite ratios are infinitely apart, or nan
        below, above = reach(ends.value - ends.low), reach(ends.high - ends.value)
        middle = ends.value[:, None] - ends.value[None]
        down = np.sqrt(below[:, None] ** 2 + above[None] ** 2)
        up = np.sqrt(above[:, None] ** 2 + below[None] ** 2)
        return middle - down, middle + up


def _greatest(limits: Floats) -> Any:
    """Return the greatest over pairs of two groups."""
    groups = len(limits)
    apart = limits[~np.eye(groups, dtype=bool)].reshape(groups * (groups - 1), *limits.shape[2:])
    return apart.max(axis=0)


_HOW = ("between_groups", "to_overall")
How = Literal["between_groups", "to_overall"]
_TARGET = {
    "difference": "the greatest difference between groups",
    "ratio": "the least ratio between groups",
    "equalized_odds_difference": "the greater difference between groups of the two rates",
}
_ODDS, _ODDS_NAME = ("recall", "false_positive_rate"), "equalized_odds_difference"

_OF_RATES = ("pos_label", "average", "zero_division")  # the parameters that they have
_ALONE = "fewer than two groups have a value"
_FEW = 10  # rows; fewer say nothing about a group
_PAIR = 370  # bytes of a row of to_frame(by="pair")


class GroupPair(NamedTuple):
    """A metric in two groups: its difference and its ratio, in the same direction.

    Attributes
    ----------
    first, second : object
        The groups.
    difference, ratio : tuple of float
        Value, lower and upper limit of the first minus, and divided by, the second; limits hold for all
        pairs of groups at once, and are nan without intervals.
    """

    first: Any
    second: Any
    difference: tuple[float, float, float]
    ratio: tuple[float, float, float]

    @property
    def shown(self) -> bool | None:
        """Whether the limits of the difference exclude 0; None without limits."""
        _, low, high = self.difference
        return None if math.isnan(low) else low > 0 or high < 0


class GroupedEvaluation(Reportable, Mapping[Any, Evaluation]):
    """The metrics of every group: a mapping from group to its :class:`Evaluation`.

    Made by :func:`evaluate` with ``by=``.

    Parameters
    ----------
    evaluations : dict of group to Evaluation
        A group is a value of the only column, or a tuple of one value a column.
    sizes : dict of group to int
        Rows of each.
    overall : Evaluation, default=None
        That of all rows.
    names : tuple of str, default=("group",)
        The names of the columns.
    simultaneous : float, default=None
        The confidence with which the intervals of a metric hold for all groups at once.
    rates : dict of group to dict of str to Interval, default=None
        Of recall and false positive rate of two classes, where both were requested: intervals that
        hold for all pairs and both rates at once, if any.

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
    f 1.0000 - m 0.5000: difference 0.5000, ratio 2.0000
    <BLANKLINE>
    accuracy   rows  positives   value
    group = f     3          2  0.6667
    group = m     3          2  0.6667
    all           6          4  0.6667
    difference 0.0000, ratio 1.0000
    <BLANKLINE>
    Too small to compare (below 10 rows, or an interval over half the range of the
      metric): recall, accuracy where group = f, group = m.
    """

    def __init__(
        self,
        evaluations: Mapping[Any, Evaluation],
        sizes: Mapping[Any, int],
        overall: Evaluation | None = None,
        names: tuple[str, ...] = ("group",),
        simultaneous: float | None = None,
        rates: Mapping[Any, Mapping[str, Interval]] | None = None,
    ) -> None:
        self._evaluations, self.sizes, self.overall = dict(evaluations), dict(sizes), overall
        self.names, self.simultaneous, self._rates = tuple(names), simultaneous, rates
        self._joint = {key: own.of_pairs for key, own in self.items() if own.of_pairs}
        first = next(iter(self.values()))
        self.rows: Mapping[str, Metric] = first.rows
        self.undefined = {name: missing for name in first if (missing := self._missing(name))}
        self.too_small = {name: small for name in first if (small := self._small(name))}

    def __getitem__(self, group: Any) -> Evaluation:
        """Return the metrics of a group."""
        return self._evaluations[group]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._evaluations)

    def __len__(self) -> int:
        return len(self._evaluations)

    def __repr__(self) -> str:
        *tables, last = groups_tables(self)
        return "\n\n".join([*(table.text(explained=False) for table in tables), last.text()])

    def _repr_html_(self) -> str:
        """Show all of it in a notebook."""
        return "".join(table._repr_html_() for table in groups_tables(self))

    def named(self) -> dict[str, Evaluation]:
        """Return the evaluations by what their groups are called: "sex = f, site = north"."""
        return {called(self.names, group): found for group, found in self.items()}

    def group_min(self) -> dict[str, Any]:
        """Return the least value of every metric over the groups."""
        return {name: _over(np.nanmin, self._column(name)) for name in self.rows}

    def group_max(self) -> dict[str, Any]:
        """Return the greatest value of every metric over the groups."""
        return {name: _over(np.nanmax, self._column(name)) for name in self.rows}

    def extremes(self) -> dict[str, tuple[Any, Any]]:
        """Return the groups of the greatest and of the least value, by each metric of one value.

        Metrics that are alike in all groups are omitted, and those defined for fewer than two groups.
        """
        found, groups = {}, list(self)
        for name in self.rows:
            column = self._column(name)
            if column.ndim > 1 or (~np.isnan(column)).sum() < 2:
                continue
            if np.nanmax(column) > np.nanmin(column):
                found[name] = (groups[np.nanargmax(column)], groups[np.nanargmin(column)])
        return found

    def worst(self) -> dict[str, tuple[Any, Any]]:
        """Return the group that is worst by each metric of one value, and that value.

        Metrics without a better direction are omitted, and those defined for fewer than two groups.
        """
        found = {}
        for name, row in self.rows.items():
            column = self._column(name)
            if row.greater_is_better is None or column.ndim > 1 or (~np.isnan(column)).sum() < 2:
                continue
            place = np.nanargmin(column if row.greater_is_better else -column)
            found[name] = (list(self)[place], float(column[place]))
        return found

    def difference(self, method: How = "between_groups") -> dict[str, Interval]:
        r"""Return the difference between the extreme groups for every metric.

        Parameters
        ----------
        method : {"between_groups", "to_overall"}, default="between_groups"
            The greatest minus the least value; or the greatest distance of a group from all rows.

        Returns
        -------
        dict of str to Interval
            Between groups with limits, where intervals were requested. nan where fewer than two groups
            have a value.

        Raises
        ------
        ValueError
            If there is no other method of this name, or no evaluation of all rows.

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
        if check_choice("method", method, _HOW) == "to_overall":
            return self._to_overall(lambda own, all_: np.abs(own - all_), np.nanmax)
        low, high = self.group_min(), self.group_max()
        with np.errstate(invalid="ignore"):  # both may be infinite
            values = {name: np.subtract(high[name], low[name]) for name in self.rows}
        return self._limited(values, "difference")

    def ratio(self, method: How = "between_groups") -> dict[str, Interval]:
        """Return the least ratio between groups, the least by the greatest value, for every metric.

        Parameters
        ----------
        method : {"between_groups", "to_overall"}, default="between_groups"
            The least divided by the greatest value; or the least ratio of a group and all rows, the
            smaller divided by the greater.

        Returns
        -------
        dict of str to Interval
            With simultaneous limits if intervals were requested, like those of :meth:`difference`
            on the logarithmic scale. nan for a metric that may be negative, and where fewer than
            two groups have a value.

        Raises
        ------
        ValueError
            If there is no other method of this name, or no evaluation of all rows.
        """

        def to(own: Any, all_: Any) -> Any:
            return _divided(np.minimum(own, all_), np.maximum(own, all_))

        if check_choice("method", method, _HOW) == "to_overall":
            return self._to_overall(to, np.nanmin)
        low, high = self.group_min(), self.group_max()
        values = {name: _divided(low[name], high[name]) for name in self.rows}
        negative = {name: np.nan for name, row in self.rows.items() if row.bounds[0] < 0}
        return self._limited(values | negative, "ratio")

    @property
    def has_odds(self) -> bool:
        """Whether :meth:`equalized_odds` is defined: recall and false positive rate were requested."""
        return self._rates is not None

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
        if self._rates is None:
            raise ValueError(
                f"metrics must hold {' and '.join(_ODDS)} of two classes for equalized odds, found "
                f"{', '.join(self.rows)}."
            )
        every = self.difference()
        gaps = [every[name] for name in _ODDS]
        found = max(gaps, key=lambda gap: (math.isnan(gap.estimate), gap.estimate))
        low = high = math.nan
        if self._rates and not math.isnan(found.estimate):
            high = max(gap.high for gap in gaps)
            low = max(
                float(difference(ends)[0])
                for name in _ODDS
                if (ends := self._ends(name, of=self._rates))
            )
        return replace(found, metric=_ODDS_NAME, low=low, high=high, target=_TARGET[_ODDS_NAME])

    def pair(self, first: Hashable, second: Hashable) -> dict[str, GroupPair]:
        """Return the difference and the ratio of two groups, by each metric of one value.

        Parameters
        ----------
        first, second : object
            Two of the groups.

        Returns
        -------
        dict of str to GroupPair
            With the pair's own limits, which hold for all pairs of groups at once, where intervals
            were requested; see :meth:`difference`.

        Raises
        ------
        KeyError
            If there is no such group.
        """
        single = (name for name in self.rows if self._column(name).ndim == 1)
        return {name: self._pair(name, first, second) for name in single}

    def _pair(self, name: str, first: Any, second: Any) -> GroupPair:
        one, other = (float(self[group][name]) for group in (first, second))
        limits = [(math.nan, math.nan)] * 2
        missing = self.undefined.get(name, ())
        if self._joint and first not in missing and second not in missing:
            ends = self._ends(name, (first, second))
            assert ends is not None
            limits = [
                (float(low[0, 1]), float(high[0, 1]))
                for low, high in (differences(ends), ratios(ends))
            ]
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0, or both are infinite
            value, times = np.subtract(one, other), np.divide(one, other)
        if self.rows[name].bounds[0] < 0:
            times, limits[1] = np.nan, (math.nan, math.nan)
        return GroupPair(first, second, (float(value), *limits[0]), (float(times), *limits[1]))

    def to_frame(self, by: Literal["group", "pair", "gap"] = "group") -> DataFrame:
        """Return one row a group and metric, a pair of groups and metric, or a metric with its gaps.

        Parameters
        ----------
        by : {"group", "pair", "gap"}, default="group"

        Returns
        -------
        pandas.DataFrame
            By group: rows, value, ends and method of the interval if any, better; of which
            ``["value"].unstack("metric")`` is a table with one column a metric. By pair: difference
            and ratio with the limits of the pair, and whether they show a difference. By gap: greatest
            difference and least ratio of any two groups with their limits, the worst group, the
            excluded groups and those too small to compare.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If ``by`` is not one of those.
        """
        pandas = import_pandas()
        if check_choice("by", by, ("group", "pair", "gap")) == "gap":
            return pandas.DataFrame(self._gaps()).set_index("metric")
        if by == "pair":
            check_memory(
                _PAIR * len(self.rows) * math.comb(len(self), 2),
                f"A row for each metric of each two of {len(self):,} groups",
                "Call pair(first, second) for the groups that matter, or choose by='gap'.",
            )
            ends = [
                f"{kind}{end}" for kind in ("difference", "ratio") for end in ("", "_low", "_high")
            ]
            rows = [
                (name, pair.first, pair.second, *pair.difference, *pair.ratio, pair.shown)
                for first, second in itertools.combinations(self, 2)
                for name, pair in self.pair(first, second).items()
            ]
            heads = ["metric", "first", "second"]
            return pandas.DataFrame(rows, columns=[*heads, *ends, "shown"]).set_index(heads)
        parts = {
            group: found.to_frame().drop(columns="summary").assign(rows=self.sizes[group])
            for group, found in self.items()
        }
        frame = pandas.concat(parts, names=[*self.names, "metric"])
        return frame[["rows", *(c for c in frame.columns if c != "rows")]]

    def _gaps(self) -> list[dict[str, Any]]:
        worst, ends = self.worst(), {"difference": self.difference(), "ratio": self.ratio()}
        return [
            {
                "metric": name,
                **{
                    key: part
                    for kind, found in ends.items()
                    for key, part in (
                        (kind, found[name].estimate),
                        (f"{kind}_low", found[name].low),
                        (f"{kind}_high", found[name].high),
                    )
                },
                "worst": worst.get(name, (None,))[0],
                "better": DIRECTION[row.greater_is_better],
                "undefined": self.undefined.get(name, []),
                "too_small": self.too_small.get(name, []),
            }
            for name, row in self.rows.items()
        ]

    def _column(self, name: str) -> Floats:
        """Return the values of a metric, a group along the first axis."""
        return np.array([found[name] for found in self.values()], dtype=np.float64)

    def _missing(self, name: str) -> list[Any]:
        undefined = np.isnan(self._column(name))
        rows = np.asarray(undefined.reshape(len(self), -1).any(axis=1))
        return [group for group, missing in zip(self, rows.tolist(), strict=True) if missing]

    def _small(self, name: str) -> list[Any]:
        low, high = self.rows[name].bounds
        few = {group for group, size in self.sizes.items() if size < _FEW}
        for group, found in self._joint.items():
            own = found[name]
            # false where the range or the interval is infinite or nan
            if np.any(np.subtract(own.high, own.low) > (high - low) / 2):
                few.add(group)
        return [
            group for group in self if group in few and group not in self.undefined.get(name, ())
        ]

    def _to_overall(self, distance: Any, over: Any) -> dict[str, Interval]:
        if self.overall is None:
            raise ValueError("method='to_overall' needs the evaluation of all rows, found none.")
        overall = self.overall
        values = {
            name: _over(over, distance(self._column(name), overall[name])) for name in self.rows
        }
        return self._limited(values, "")

    def _limited(self, values: Mapping[str, Any], kind: str) -> dict[str, Interval]:
        """Put limits to the gaps of a kind."""
        first = next((i for found in self.values() for i in found.intervals.values()), None)
        level = 0.95 if first is None else first.confidence_level
        limits: dict[str, Any] = {}
        if self._joint and kind:
            limit = {"difference": difference, "ratio": ratio}[kind]
            limits = {n: limit(ends) for n in values if (ends := self._ends(n)) is not None}
        found = {}
        for name, value in values.items():
            missing = np.full(np.shape(value), np.nan)
            # A single group has no gap: a value of 0 would suggest equal groups.
            alone = (~np.isnan(self._column(name))).sum(axis=0) < 2
            value = np.where(alone, np.nan, value)
            ends = limits.get(name, (missing, missing))
            low, high = (plain(np.where(np.isnan(value), np.nan, end)) for end in ends)
            target = _TARGET.get(kind, "groups and all rows")
            parts = plain(value), low, high, plain(missing)
            method = "pairs of groups at once" if limits else "no interval"
            note = _ALONE if alone.any() else ""
            found[name] = Interval(name, *parts, level, method, note=note, target=target)
        return found

    def limits(self, name: str, group: Hashable) -> tuple[float, float, float]:
        """Return value, low and high end of one group; the ends hold for all pairs of groups at once.

        They are nan without intervals.
        """
        if not self._joint:
            return float(self[group][name]), math.nan, math.nan
        own = self._joint[group][name]
        return float(own.estimate), float(own.low), float(own.high)

    def _ends(
        self,
        name: str,
        groups: Sequence[Any] | None = None,
        of: Mapping[Any, Mapping[str, Interval]] | None = None,
    ) -> Ends | None:
        """Return values and ends of groups, all that define a metric, or None below two of them."""
        joint = of or self._joint
        missing = self.undefined.get(name, ())
        own = [joint[group][name] for group in groups or joint if group not in missing]
        if len(own) < 2:
            return None
        parts = ([getattr(i, end) for i in own] for end in ("estimate", "low", "high"))
        return Ends(*(np.array(part, dtype=np.float64) for part in parts))


# Evaluates the rows of a group, or all of them where that is None.
Evaluate = Callable[[EvaluationRequest, Any], Evaluation]


def grouped(
    of: Evaluate, parts: Partition, requested: EvaluationRequest, many: Codes | None = None
) -> GroupedEvaluation:
    """Evaluate all rows, of which each stands for `many`, and those of every group."""
    rows = parts.rows
    sizes = {key: len(own) if many is None else int(many[own].sum()) for key, own in rows.items()}
    return compared(
        lambda reading, key: of(reading, None if key is None else rows[key]),
        sizes,
        parts.names,
        requested,
    )


def counts_by_group(counts: Any, by: Any) -> tuple[dict[Any, int], dict[Any, Floats]]:
    """Return the number of rows and the table of each group, named by one column or more."""
    tables = check_table(counts)
    columns = columns_of(by)
    if tables.ndim != 3:
        raise ValueError(
            f"With by, counts must hold a table a group, of shape (n_groups, n_classes, n_classes), "
            f"found shape {tables.shape}; one table has no rows that by could split."
        )
    check_same_length({"counts": tables, **{f"by {name}": each for name, each in columns.items()}})
    parts = [each.tolist() for each in columns.values()]
    keys = parts[0] if len(parts) == 1 else list(zip(*parts, strict=True))
    if len(set(keys)) < len(keys):
        raise ValueError("by must name each table of counts once; found a name twice.")
    found = dict(zip(keys, tables, strict=True))
    return {key: int(own.sum()) for key, own in found.items()}, found


def compared(
    of: Evaluate, sizes: Mapping[Any, int], names: tuple[str, ...], requested: EvaluationRequest
) -> GroupedEvaluation:
    """Evaluate all rows, None, and every group; with intervals also at the level of all pairs."""
    overall = of(requested, None)
    # An undefined metric of a group is nan, not the replacement of 0/0.
    options = {"zero_division": np.nan, **requested.parameters}
    certainty, groups, of_rates = requested.certainty, len(sizes), None
    odds = set(_ODDS) <= set(overall) and options.get("average", "binary") == "binary"
    if certainty is not None and groups > 1:
        level = certainty.confidence.level
        if odds:
            both = Confidence(pairwise_level(math.sqrt(level), groups))
            of_rates = replace(
                requested,
                metrics=list(_ODDS),
                parameters={name: options[name] for name in _OF_RATES if name in options},
                certainty=replace(certainty, confidence=both),
            )
        of_pairs = Confidence(pairwise_level(level, groups))
        certainty = replace(certainty, of_pairs=of_pairs)
    reading = replace(
        requested, parameters=options, certainty=certainty and certainty.of_each(groups)
    )
    found: dict[Any, Evaluation] = {}
    rates: dict[Any, Mapping[str, Interval]] = {}
    # `undefined` names the groups
    with (
        warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning),
        ProgressBar.of_resamples(groups, "groups") as bar,
    ):
        for key in counted(sizes, bar):
            found[key] = of(reading, key)
            if of_rates is not None:
                rates[key] = of(of_rates, key).intervals
    given = requested.certainty and requested.certainty.confidence
    whole = given.level if given and given.simultaneous else None
    return GroupedEvaluation(found, sizes, overall, names, whole, rates if odds else None)


def _over(statistic: Any, column: Floats) -> Any:
    """Return a statistic over the groups, nan where all are."""
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        return statistic(column, axis=0)


def _divided(above: Any, below: Any) -> Any:
    above, below = np.asarray(above), np.asarray(below)
    undefined = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    return np.divide(above, below, out=undefined, where=below > 0)
