"""Metrics of the confusion table as functions of the threshold, and on a grid of a space of rates."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import UndefinedMetricWarning

from ..._arguments import Label, MetricsLike
from ..._arrays import Floats, float_array
from ..._compat import import_pandas, warn
from ..._options import OPEN_SHARE, check_bound, check_choice, check_whole, check_zero_division
from .._records.counts import Counts
from .._records.inputs import refuse_not_of_counts
from .._registry.declare import METRICS, check_complete, missing_options, share
from .._registry.names import NamedMetric, named_metric, named_metrics
from .._registry.row import apply, filled
from ._ranked import last_at_or_above, ranked_scores

Bounds: TypeAlias = Mapping[str, tuple[str, float]]
_SHOWN = 2  # metrics that the short form names


class BestThreshold(NamedTuple):
    """Where a metric is best.

    Attributes
    ----------
    threshold : float
        A score at or above it is predicted positive.
    value : float
        Of the metric there.
    """

    threshold: float
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdCurves:
    """Metrics at every distinct threshold.

    Attributes
    ----------
    thresholds : ndarray of shape (n_thresholds,), float64
        Descending from infinity, where nothing is predicted positive, over every distinct score; a
        score at or above the threshold is predicted positive.
    values : dict of str to ndarray of shape (n_thresholds,), float64
        One curve per metric; nan if it is undefined.
    counts : Counts of shape (n_thresholds,) or None
        The confusion tables; None if they are not counts of examples, as with weights or for a
        model.
    metrics : dict of str to NamedMetric
        The metric of each curve with the parameters that it was given.
    """

    thresholds: Floats
    values: Mapping[str, Floats]
    counts: Counts | None = None
    metrics: Mapping[str, NamedMetric] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Floats:
        """Return the curve of a metric, by its name or an alias."""
        return self.values[self.metric(name).key]

    def metric(self, name: str) -> NamedMetric:
        """Return the metric of a curve with its parameters, by its name or an alias."""
        key = name if name in self.values else named_metric(name).row.name
        return self.metrics[key] if key in self.metrics else named_metric(key)

    def __repr__(self) -> str:
        names = list(self.values)
        if len(names) > _SHOWN:
            names = [*names[:_SHOWN], f"and {len(names) - _SHOWN} more metrics"]
        return f"ThresholdCurves({', '.join([f'{len(self.thresholds)} thresholds', *names])})"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row per threshold and one column per metric.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return import_pandas().DataFrame({"threshold": self.thresholds, **self.values})

    def best(self, name: str, subject_to: Bounds | None = None) -> BestThreshold:
        """Return the threshold at which a metric is best, and its value.

        Ties are broken by the constrained metric, then by the highest threshold. The value is
        optimistic, because the threshold is chosen on the evaluated examples: with 50 + 50 examples
        and an AUC of .80 the best informedness is .515 on average, and .428 on new data with the same
        threshold (``benchmarks/results/dangers.md``).
        ``Decisions(threshold=...)`` of a nested run chooses it in the inner folds and evaluates it
        on the outer test parts.

        Parameters
        ----------
        name : str
            Name or alias of one of the curves.
        subject_to : dict, default=None
            Bounds on other curves, such as ``{"recall": (">=", 0.9)}``; "<=" too.

        Returns
        -------
        BestThreshold
            The pair of `threshold` and `value`, both nan if the metric is undefined everywhere, or
            no threshold satisfies the bounds.

        Raises
        ------
        ValueError
            If a bound is not a pair of ">=" or "<=" and a number.

        Warns
        -----
        UndefinedMetricWarning
            If no threshold satisfies a bound and those before it; it names the best value.
        """
        kept, second = np.ones(len(self.thresholds), dtype=bool), np.zeros(len(self.thresholds))
        for number, (other, bound) in enumerate((subject_to or {}).items()):
            sign, limit = check_bound(f"subject_to[{other!r}]", bound)
            signed = sign * self[other]
            kept &= signed >= sign * limit
            second = second if number else signed
            if not kept.any():
                warn(
                    f"No threshold keeps {other} {bound[0]} {limit:g}: its best value is "
                    f"{sign * np.fmax.reduce(signed, initial=-np.inf):g}, and {name} has none.",
                    UndefinedMetricWarning,
                )
                break
        curve = np.where(kept, self[name], np.nan)
        if np.isnan(curve).all():
            return BestThreshold(np.nan, np.nan)
        low = self.metric(name).row.greater_is_better is False
        ties = np.flatnonzero(curve == (np.nanmin(curve) if low else np.nanmax(curve)))
        at = ties[np.argmax(second[ties])]
        return BestThreshold(float(self.thresholds[at]), float(curve[at]))


def threshold_curves(
    y_true: ArrayLike,
    y_score: ArrayLike,
    metrics: MetricsLike = None,
    *,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
    zero_division: float | str = np.nan,
    thresholds: ArrayLike | None = None,
    **parameters: Any,
) -> ThresholdCurves:
    """Return metrics of the confusion table at every threshold, from one sort of the scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,)
        Scores of the positive class.
    metrics : list of str, default=None
        Names or aliases of metrics of the confusion table. None means all formulas that need no
        parameter other than `parameters`, except :func:`aickin_alpha`, which is slow.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    zero_division : {"warn", 0, 1, nan}, default=nan
        The value that replaces 0/0.
    thresholds : array-like of shape (n_thresholds,), default=None
        Thresholds at which to evaluate instead of every distinct score; they are sorted, falling.
    **parameters
        Parameters passed to every metric that accepts them, such as ``beta`` or ``cost``. For
        :func:`net_benefit` at the threshold of each point see :func:`decision_curve`.

    Returns
    -------
    ThresholdCurves

    Raises
    ------
    ValueError, TypeError
        The errors of the metrics; a metric that is not a function of the table.

    Examples
    --------
    >>> from skaucx.metrics import threshold_curves
    >>> curves = threshold_curves([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ["recall", "informedness"])
    >>> curves.thresholds.tolist()
    [inf, 0.8, 0.4, 0.35, 0.1]
    >>> curves["recall"].tolist()
    [0.0, 0.5, 0.5, 1.0, 1.0]
    >>> curves.best("informedness")
    BestThreshold(threshold=0.8, value=0.5)

    At a few thresholds of interest:

    >>> some = threshold_curves([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], ["recall"], thresholds=[0.2, 0.5])
    >>> some.thresholds.tolist(), some["recall"].tolist()
    ([0.5, 0.2], [0.5, 1.0])
    """
    ranked = ranked_scores(y_true, y_score, pos_label, sample_weight)
    counts = ranked.threshold_counts
    if ranked.unit != 1:
        counts = counts.changed(lambda cell: cell / ranked.unit)
    at = np.append(np.inf, ranked.values[::-1])
    if thresholds is not None:
        wanted = np.unique(float_array(thresholds, "thresholds"))[::-1]
        counts, at = counts[last_at_or_above(at, wanted)], wanted
    requested = _requested(metrics, parameters)
    values = _values(requested, counts, zero_division)
    return ThresholdCurves(at, values, counts if sample_weight is None else None, requested)


def _values(
    requested: Mapping[str, NamedMetric], counts: Counts, zero_division: Any
) -> dict[str, Floats]:
    """Evaluate metrics on stacked binary tables."""
    found, zero_division = {}, check_zero_division(zero_division)
    for key, named in requested.items():
        row: Any = named.row
        record, own = row.kind.of_counts(counts), dict(named.parameters)
        check_complete(named.function, own)
        values = apply(row, record, own)
        found[key] = filled(row, values, zero_division)
    return found


def _requested(metrics: Any, parameters: Mapping[str, Any]) -> dict[str, NamedMetric]:
    """Return metrics of the confusion table (None: all that can be evaluated), with parameters."""
    chosen = _readable(parameters) if metrics is None else named_metrics(metrics)
    taken = [inspect.signature(named.row.formula).parameters for named in chosen]
    found = {}
    for named, own, given in zip(chosen, taken, share(parameters, taken), strict=True):
        if not named.row.kind.counted:
            raise refuse_not_of_counts(named.row.name)
        usual = {name: option.default for name, option in named.function.options.items()}
        set_apart = {k: v for k, v in named.parameters.items() if k not in own and v != usual[k]}
        if set_apart:
            raise ValueError(
                f"{named.key} sets {min(set_apart)!r}, but curves over thresholds are for the "
                f"positive class; omit the average."
            )
        bound = {k: v for k, v in named.parameters.items() if k in own}
        found[named.key] = replace(named, parameters={**bound, **given})
    return found


def values_of_shares(
    shares: Counts, metrics: Any, parameters: Mapping[str, Any]
) -> tuple[dict[str, NamedMetric], dict[str, Floats]]:
    """Return metrics with their parameters and values of tables of shares, which hold no numbers."""
    if metrics is None:
        metrics = [
            named.key for named in _readable(parameters) if "reads_size" not in named.row.traits
        ]
    for named in named_metrics(metrics):
        if "reads_size" in named.row.traits:
            raise ValueError(
                f"{named.key} depends on the number of examples, which proportions do not "
                f"determine; use threshold_curves of data, or another metric."
            )
    requested = _requested(metrics, parameters)
    return requested, _values(requested, shares, np.nan)


def _readable(parameters: Mapping[str, Any]) -> list[NamedMetric]:
    """Return the metrics of the confusion table with all parameters given."""
    return [
        NamedMetric(name, function)
        for name, function in METRICS.items()
        if function.metric.kind.counted
        and "iterative" not in function.metric.traits
        and not missing_options(function, parameters)
    ]


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
        [(name, values)] = values_of_shares(counts, [metric], parameters)[1].items()
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
