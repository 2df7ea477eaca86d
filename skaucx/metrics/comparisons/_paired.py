"""The paired test of two classifiers by the best method that a metric has."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils.multiclass import type_of_target

from ..._arrays import Codes, Floats
from ..._options import check_choice, check_confidence_level, check_flag
from .._registry.declare import check_complete
from .._registry.names import metric_or_function
from .._registry.row import Metric
from .._resampling.sample import sample_of
from ..estimation._closed_forms import Spread
from ..estimation._influence import curve, of_labels
from ..estimation._requests import Alternative, check_alternative
from ..kinds.base import Sample
from ._bootstrap import paired_bootstrap_test
from ._compared import checked_rows, metric_name, values_of_both
from ._delong import delong_test, takes_delong
from ._matched import mcnemar_test
from ._result import (
    ComparisonResult,
    half_width,
    interval_around,
    null_difference,
    studentised,
    tail,
)

Method = Literal["auto", "delong", "mcnemar", "influence", "bootstrap"]
_METHODS = ("delong", "mcnemar", "influence", "bootstrap")
# A standard error, as a share of the difference, that rounding alone can give.
_ROUNDING = 1e-12
_NO_SPREAD = "no row changes the difference"


def paired_test(
    metric: Any,
    y_true: Any,
    y_pred_a: Any,
    y_pred_b: Any,
    *,
    method: Method = "auto",
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    groups: Any = None,
    n_resamples: int = 2000,
    stratify: bool = False,
    confidence_level: float = 0.95,
    random_state: Any = None,
    sample_weight: Any = None,
    **parameters: Any,
) -> ComparisonResult:
    r"""Compare two classifiers on the same examples by any metric, by the method that suits it.

    Parameters
    ----------
    metric : str or callable
        Name, alias or function of a metric of this package, or any function that is called as
        ``metric(y_true, y_pred)`` and returns a number.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True labels.
    y_pred_a, y_pred_b : array-like of shape (n_samples,) or (n_samples, n_classes)
        What the metric reads of the two classifiers: labels, scores or probabilities.
    method : {"auto", "delong", "mcnemar", "influence", "bootstrap"}, default="auto"
        "delong": :func:`delong_test`, for the AUC and its variants that are means over pairs. "mcnemar":
        McNemar's test without correction, for the accuracy. "influence": Student's t of the differences
        of the influences of every row, for metrics that have influence curves; for means over rows, such
        as the Brier score, it is the paired t test of the losses. "bootstrap":
        :func:`paired_bootstrap_test`, for any metric. "auto" is the first of them that applies, but of
        predicted labels without weights and groups it takes the bootstrap before the influences.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        What the difference a - b is under the alternative.
    margin : float, default=0
        Test non-inferiority: with "greater" whether a - b is above -margin, with "less" below margin.
    groups : array-like of shape (n_samples,), default=None
        Examples of one group, such as those of one patient, are not independent: groups are the random
        sample.
    n_resamples : int, default=2000
        Number of resamples of the bootstrap.
    stratify : bool, default=False
        Whether the numbers of examples of each class are fixed by design, as in a case-control study.
        Only the bootstrap draws so; "auto" takes it then, except for means over pairs.
    confidence_level : float, default=0.95
        Nominal coverage of the interval, in (0, 1).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the bootstrap.
    sample_weight : array-like of shape (n_samples,), default=None
        Sampling weights, for metrics of this package.
    **parameters
        Parameters of the metric.

    Returns
    -------
    ComparisonResult
        The estimates, their difference with its interval, and the test, all from one statistic: the
        two-sided p-value is below 1 - confidence_level exactly where the interval excludes 0.

    Raises
    ------
    ValueError, TypeError
        If an argument has a value that is not among those described, the method does not apply to the
        metric, or as the metric raises.

    Notes
    -----
    The variance of the difference of two smooth metrics of the same rows is

    .. math:: \frac{n}{n - 1} \sum_i (\psi_i^a - \psi_i^b)^2

    with the influences :math:`\psi` of every row [1]_. With groups they are summed over each group
    before they are squared, and n is the number of groups. The class counts are random with the rows.

    Predicted labels are resampled by their counts, at a cost that does not grow with n. With 20
    positives among 200 the test of two recalls by influences has a size of 8.8 % at a nominal 5 %, by
    the bootstrap of 4.9 % (``python -m benchmarks.random_sizes``).

    References
    ----------
    .. [1] Efron, B. (1982). The jackknife, the bootstrap and other resampling plans. SIAM, chapter 6.

    Examples
    --------
    >>> from skaucx.metrics import paired_test
    >>> y_true = [1, 1, 1, 1, 0, 0, 0, 0]
    >>> a, b = [0.9, 0.8, 0.7, 0.4, 0.5, 0.3, 0.2, 0.1], [0.9, 0.4, 0.6, 0.5, 0.7, 0.3, 0.2, 0.6]
    >>> paired_test("brier_score", y_true, a, b)
    Paired t test of brier_score_loss
      statistic -1.7979, p-value 0.1152
      estimates 0.1113, 0.2200
      difference -0.1087, 95 % interval -0.2518 to 0.0343
      target: these predictions
    """
    check_choice("method", method, ("auto", "delong", "mcnemar", "influence", "bootstrap"))
    check_alternative(alternative)
    check_confidence_level(confidence_level)
    by_class = check_flag("stratify", stratify)
    function, parameters = metric_or_function(metric, parameters)
    call = _Call(function, parameters, y_true, (y_pred_a, y_pred_b), sample_weight, groups)
    sides: dict[str, Any] = {"alternative": alternative, "confidence_level": confidence_level}
    skipped = "influence" if call.has_only_counts else ""
    order = [name for name in _METHODS if name != skipped] if method == "auto" else [method]
    applies = {
        "delong": call.has_placements,
        "mcnemar": call.is_accuracy and not margin and not by_class,
        "influence": call.ours and not by_class,
        "bootstrap": True,
    }
    how = next((name for name in order if applies[name]), None)
    if how == "influence":
        found = _by_influence(call, null_difference(margin, alternative), sides)
        if found is not None:
            return found
        how = "bootstrap" if method == "auto" else None
    if how is None:
        raise ValueError(
            f"method={method!r} does not apply to {metric_name(function)} with these arguments; take "
            "'auto' or 'bootstrap'."
        )
    rows = {"groups": groups, "sample_weight": sample_weight, "margin": margin, **sides}
    if how == "delong":
        return delong_test(y_true, y_pred_a, y_pred_b, metric=function, **rows, **parameters)
    if how == "mcnemar":
        return mcnemar_test(y_true, y_pred_a, y_pred_b, method="asymptotic", **sides)
    draws = {"n_resamples": n_resamples, "stratify": by_class, "random_state": random_state}
    return paired_bootstrap_test(
        function, y_true, y_pred_a, y_pred_b, **draws, **rows, **parameters
    )


class _Call(NamedTuple):
    """A metric and the arrays of two classifiers."""

    function: Any
    parameters: dict[str, Any]
    y_true: Any
    predictions: tuple[Any, Any]
    sample_weight: Any
    groups: Any

    @property
    def ours(self) -> bool:
        """Whether the metric is one of this package."""
        return hasattr(self.function, "metric")

    @property
    def has_placements(self) -> bool:
        """Whether it is a mean over the pairs of two classes that DeLong's test takes."""
        if not self.ours or self.sample_weight is not None:
            return False
        known = {*self.function.metric.parameters, "rescale", "pos_label"}
        if not set(self.parameters) <= known or not takes_delong(self.function, self.parameters):
            return False
        columns = all(np.ndim(each) == 1 for each in (self.y_true, *self.predictions))
        return columns and type_of_target(self.y_true) == "binary"

    @property
    def is_accuracy(self) -> bool:
        """Whether it is the share of right answers among independent examples."""
        plain = self.sample_weight is None and self.groups is None and not self.parameters
        return plain and self.ours and self.function.metric.name == "accuracy"

    @property
    def has_only_counts(self) -> bool:
        """Whether independent labels are counted, whose resamples cost as little as an influence."""
        plain = self.sample_weight is None and self.groups is None
        return plain and self.ours and bool(self.function.metric.kind.counted)

    def influences(self) -> tuple[Floats, Codes | None] | None:
        """Return the difference of the influences of every row, and the groups; None without a curve."""
        metric = self.function.metric
        check_complete(self.function, self.parameters)
        known = self.function.options.items()
        options = {name: o.default for name, o in known if o.default is not o.empty}
        options |= self.parameters
        labels = options.pop("labels", None)
        options.pop("sample_weight", None)
        rows = {name: options.pop(name) for name in metric.kind.inputs.of_rows if name in options}
        shared = {"labels": labels, "sample_weight": self.sample_weight, **rows}
        truth, *both, shared, groups = checked_rows(
            metric, self.y_true, self.predictions, shared, self.groups
        )
        samples = [sample_of(metric, truth, each, **shared) for each in both]
        found = [_curve(sample, metric, options) for sample in samples]
        return None if found[0] is None or found[1] is None else (found[0] - found[1], groups)


def _curve(sample: Sample, metric: Metric, options: dict[str, Any]) -> Floats | None:
    if not sample.counted:
        return curve(sample, metric, options)
    return None if options.get("average", "binary") is None else of_labels(sample, metric, options)


def _by_influence(call: _Call, shift: float, sides: dict[str, Any]) -> ComparisonResult | None:
    """Compare by Student's t of the differences of influences; None where a curve is missing."""
    estimates = values_of_both(
        call.function, call.y_true, call.predictions, call.sample_weight, call.parameters
    )
    influences = call.influences()
    if influences is None:
        return None
    spread, difference = Spread.of(*influences), estimates[0] - estimates[1]
    error, df = spread.error, max(spread.units - 1, 1)
    error = 0.0 if error <= _ROUNDING * abs(difference) else error
    metric = call.function.metric
    why = _NO_SPREAD if error == 0 else "the difference or its variance is undefined"
    statistic = studentised(difference - shift, error, "The paired test", why)
    ends = interval_around(difference, half_width(error, sides["confidence_level"], df))
    width = np.ptp(metric.under(call.parameters).bounds)
    name = "Paired t test" if metric.losses is not None else "Paired test by influence curves"
    return ComparisonResult(
        method=f"{name} of {metric.name}",
        statistic=statistic,
        p_value=float(tail(statistic, sides["alternative"], df)),
        estimates=estimates,
        difference=difference,
        standard_error=error,
        interval=(max(ends[0], -width), min(ends[1], width)),
        df=df,
        note="" if error > 0 else f"{why}: no interval",
        **sides,
    )
