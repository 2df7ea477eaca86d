"""The common checks of a metric, and of a kind, on rows that its author gives."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn import clone, config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning

from .._arguments import MetricLike
from .._arrays import Array, take_rows
from .._options import check_choice
from ..inference import interval, paired_bootstrap_test
from ..inference._intervals.means import influence_values, row_losses
from ..metrics import get_scorer
from ..metrics._kinds import KINDS
from ..metrics._kinds.base import Kind
from ..metrics._registry.declare import METRICS
from ..metrics._registry.names import named_metric
from ..metrics._registry.samples import MetricOnSample, sample_of
from ..model_selection import Execution, nested_cross_validate

# Differences by rounding, of values and of numerical derivatives.
_ROUNDING, _DERIVATIVE = 1e-9, 1e-4
_ROWS, _FOLDS = 60, 3

Outcome = Literal["passed", "failed", "does not apply"]


class CheckResult(NamedTuple):
    """The outcome of one check.

    Attributes
    ----------
    check : str
        What is checked.
    outcome : {"passed", "failed", "does not apply"}
    reason : str
        Why it failed or does not apply.
    """

    check: str
    outcome: Outcome
    reason: str = ""


class CheckReport(list[CheckResult]):
    """The outcomes of all checks, a line each.

    Parameters
    ----------
    iterable : iterable of CheckResult
        The outcomes.
    """

    @property
    def passed(self) -> bool:
        """Whether none failed."""
        return all(each.outcome != "failed" for each in self)

    def __repr__(self) -> str:
        return "\n".join(
            f"{each.outcome:14}  {each.check}{each.reason and f' ({each.reason})'}" for each in self
        )


@dataclass(frozen=True, eq=False)
class Case:
    """A metric with the rows on which it is checked."""

    function: Any
    first: Any
    second: Any
    extra_arrays: Mapping[str, Any]
    parameters: Mapping[str, Any]

    @property
    def row(self) -> Any:
        return self.function.metric

    @cached_property
    def n_rows(self) -> int:
        return len(self.first)

    def value(self, rows: Any = None, **given: Any) -> Any:
        """Return the metric of some rows, an undefined one as nan and without a warning."""
        with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
            return self.reported(rows, **given)

    def reported(self, rows: Any = None, **given: Any) -> Any:
        """Return the metric of some rows, an undefined one as nan."""
        arrays = [self.first, self.second, *self.extra_arrays.values()]
        taken = arrays if rows is None else [take_rows(each, rows) for each in arrays]
        further = dict(zip(self.extra_arrays, taken[2:], strict=True))
        options = {"zero_division": np.nan, **self.parameters, **further, **given}
        return self.function(*taken[:2], **options)

    def on(self, weight: Any = None) -> MetricOnSample:
        """Return the metric on its sample."""
        sample = sample_of(
            self.row, self.first, self.second, sample_weight=weight, **self.extra_arrays
        )
        return MetricOnSample(sample, self.row, self.parameters)

    @property
    def scorer(self) -> Any:
        """The scorer; of a metric of labels with a threshold that of labels."""
        method = "predict" if self.row.cuts else None
        return get_scorer(self.function, response_method=method, **self.parameters)

    @cached_property
    def model(self) -> Any:
        """An estimator that returns the predictions of the rows whose numbers are its features."""
        base = ClassifierMixin if self.row.kind.inputs.of_classes else RegressorMixin
        wanted = self.row.response_method
        methods = {
            name: _response(name) for name in ([wanted] if isinstance(wanted, str) else wanted)
        }
        methods.setdefault("predict", _response("predict"))
        made = type("Predicted", (base, _Predicted), methods)
        return made(self).fit(None, self.first)


class _Predicted(BaseEstimator):  # type: ignore[misc]
    """A model that knows the predictions of all rows."""

    def __init__(self, case: Any = None, power: float = 1.0) -> None:
        self.case, self.power = case, power

    def __sklearn_clone__(self) -> Any:
        return type(self)(self.case, self.power)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if self.case.row.kind.inputs.of_classes:
            self.classes_ = np.unique(np.asarray(self.case.first))
        self.fitted_ = True
        return self


def _response(method: str) -> Callable[..., Any]:
    def respond(self: Any, X: Any) -> Any:
        found = take_rows(self.case.second, np.asarray(X)[:, 0].astype(int))
        if method == "predict_proba" and np.ndim(found) == 1:
            return np.column_stack([1 - np.asarray(found), found])
        return found

    respond.__name__ = method
    return respond


def _same(a: Any, b: Any, room: float = _ROUNDING) -> None:
    np.testing.assert_allclose(a, b, rtol=room, atol=room)


def weights_are_repetitions(case: Case) -> str | None:
    """Weights of whole numbers are repetitions of rows."""
    if case.row.kind.inputs.of_classes and case.row.reads_size:
        return "it reads the number of rows"
    weight = 1.0 + np.arange(case.n_rows) % 3
    repeated = np.repeat(np.arange(case.n_rows), weight.astype(int))
    _same(case.value(sample_weight=weight), case.value(repeated))
    return None


def rows_of_weight_0_do_not_count(case: Case) -> str | None:
    """Rows of weight 0 do not count."""
    weight = np.where(np.arange(case.n_rows) % 5 == 0, 0.0, 1.0)
    _same(case.value(sample_weight=weight), case.value(np.flatnonzero(weight)))
    return None


def order_does_not_matter(case: Case) -> str | None:
    """The order of the rows does not matter."""
    _same(case.value(np.random.default_rng(0).permutation(case.n_rows)), case.value())
    return None


def values_stay_within_bounds(case: Case) -> str | None:
    """Values lie within the declared bounds, of few rows too."""
    low, high = case.row.bounds
    for rows in (None, *np.array_split(np.arange(case.n_rows), 4)):
        value = np.asarray(case.value(rows))
        assert (np.isnan(value) | ((value >= low) & (value <= high))).all(), (
            f"{value} lies beyond [{low:g}, {high:g}]"
        )
    return None


def undefined_values_are_replaced(case: Case) -> str | None:
    """An undefined value is the declared one, with a warning, or that of zero_division."""
    for rows in (np.arange(1), np.zeros(4, dtype=int)):
        try:
            value = case.value(rows)
        except ValueError:  # refused, such as one class of a table of costs
            continue
        if not np.isnan(value).any():
            continue
        with warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            found = case.reported(rows, zero_division="warn")
        assert any(each.category is UndefinedMetricWarning for each in raised), "no warning"
        if np.ndim(found) == 0:
            np.testing.assert_equal(float(found), float(case.row.undefined))
        return None
    return "no value was undefined"


def arrays_are_left_alone(case: Case) -> str | None:
    """The arrays of the caller are left as they are."""
    before = pickle.dumps((case.first, case.second, dict(case.extra_arrays)))
    case.value()
    assert pickle.dumps((case.first, case.second, dict(case.extra_arrays))) == before, (
        "they changed"
    )
    return None


def losses_have_the_value_as_their_mean(case: Case) -> str | None:
    """The declared losses have the value as their weighted mean."""
    weight = 1.0 + np.arange(case.n_rows) % 3
    losses = row_losses(case.on(weight))
    if losses is None:
        return "no losses are declared"
    _same(np.average(losses, weights=weight), case.value(sample_weight=weight))
    return None


def the_influence_is_the_derivative(case: Case) -> str | None:
    """The influence of each row is the derivative with respect to its weight."""
    weight, few = 1.0 + np.arange(case.n_rows) % 3, range(0, case.n_rows, 1 + case.n_rows // 8)
    found = influence_values(case.on(weight))
    if found is None:
        return "no losses, influence or totals are declared, or none of these rows"
    step, value = 1e-4, case.value(sample_weight=weight)
    for row in few:
        unit = step * (np.arange(case.n_rows) == row)
        right = (case.value(sample_weight=weight + unit) - value) / step
        left = (value - case.value(sample_weight=weight - unit)) / step
        if abs(right - left) < _DERIVATIVE * max(1.0, abs(right)):  # else the value has a kink
            _same(found[row] / weight[row], (left + right) / 2, _DERIVATIVE)
    return None


def replicates_are_values(case: Case) -> str | None:
    """Replicates by counts are the values of the rows so often."""
    counts = np.random.default_rng(0).integers(0, 3, (2, case.n_rows)).astype(float)
    options = {"zero_division": np.nan, **case.parameters}
    with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
        found = case.row.value(case.on().sample.reweighted(counts), **options)
    _same(found, [case.value(sample_weight=row) for row in counts])
    return None


def the_interval_contains_the_estimate(case: Case) -> str | None:
    """The interval contains its estimate, has a width, and lies within the bounds."""
    found = interval(
        case.function, case.first, case.second, n_resamples=60, random_state=0,
        **case.parameters, **case.extra_arrays,
    )  # fmt: skip
    if not np.isfinite(np.append(found.low, found.high)).all():
        assert found.note, "there is neither an interval nor a reason"
        return found.note
    low, high = case.row.bounds
    ends = np.array([low, found.low, found.estimate, found.high, high])
    assert (np.diff(ends) >= -_ROUNDING).all(), f"{ends} are not in order"
    assert np.all(found.low < found.high), "it has no width"
    return None


def two_models_are_compared(case: Case) -> str | None:
    """A paired test of equal predictions finds no difference."""
    found = paired_bootstrap_test(
        case.function, case.first, case.second, case.second, n_resamples=20, random_state=0,
        **case.parameters, **case.extra_arrays,
    )  # fmt: skip
    _same(found.difference, 0.0)
    return None


def the_scorer_is_the_signed_value(case: Case) -> str | None:
    """The scorer is the value, with the sign for which greater is better; it can be pickled."""
    scorer = case.scorer
    X = np.arange(case.n_rows)[:, None]
    value = case.value()
    sign = -1 if case.row.greater_is_better is False else 1
    with config_context(enable_metadata_routing=bool(case.extra_arrays)):
        for each in (scorer, pickle.loads(pickle.dumps(scorer)), clone(scorer, safe=False)):
            _same(each(case.model, X, case.first, **case.extra_arrays), sign * value)
    return None


def nested_runs_read_it(case: Case) -> str | None:
    """A nested run tunes and tests by it."""
    X = np.arange(case.n_rows)[:, None]
    with config_context(enable_metadata_routing=bool(case.extra_arrays)):
        result = nested_cross_validate(
            case.model, {"power": [1.0, 2.0]}, X, case.first, scoring={"metric": case.scorer},
            outer_cv=_FOLDS, inner_cv=2, execution=Execution(checks=None), **case.extra_arrays,
        )  # fmt: skip
    assert len(result["test_metric"]) == _FOLDS
    assert "metric" in str(result.summary())
    return None


METRIC_CHECKS: Sequence[Callable[[Case], str | None]] = (
    arrays_are_left_alone,
    weights_are_repetitions, rows_of_weight_0_do_not_count, order_does_not_matter,
    values_stay_within_bounds, undefined_values_are_replaced,
    losses_have_the_value_as_their_mean, the_influence_is_the_derivative, replicates_are_values,
    the_interval_contains_the_estimate, two_models_are_compared,
    the_scorer_is_the_signed_value, nested_runs_read_it,
)  # fmt: skip


def check_metric(
    metric: MetricLike,
    y_true: ArrayLike | None = None,
    y_pred_or_score: ArrayLike | None = None,
    *,
    on_fail: Literal["raise", "report"] = "raise",
    **options: Any,
) -> CheckReport:
    """Check that a metric keeps what all metrics of this package promise.

    Weights are repetitions of rows, their order does not matter, values lie within their bounds,
    undefined ones are replaced, parts add up, intervals contain their estimate, and scorers, paired
    tests and nested runs work.

    Parameters
    ----------
    metric : str or metric
        The name of a metric, or the function that :func:`~skaucx.metrics.declare` made.
    y_true, y_pred_or_score : array-like, default=None
        The rows on which it is checked, 60 or so without repeated values. None draws labels of two
        classes with predicted labels, or probabilities; metrics of other kinds need them.
    on_fail : {"raise", "report"}, default="raise"
        Whether a failure is an AssertionError, or a line of the report.
    **options
        Parameters that the metric needs, and its further arrays by name.

    Returns
    -------
    CheckReport
        A line a check: passed, failed, or does not apply, with the reason.

    Raises
    ------
    ValueError
        If rows are needed and none are given.
    AssertionError
        If a check fails, unless on_fail is "report".

    Examples
    --------
    >>> from skaucx.testing import check_metric
    >>> report = check_metric("fbeta", beta=2.0)
    >>> report.passed, len(report)
    (True, 14)
    """
    check_choice("on_fail", on_fail, ("raise", "report"))
    named = named_metric(metric)
    inputs = named.row.kind.inputs
    if y_true is None or y_pred_or_score is None:
        if not inputs.of_classes or inputs.extra_arrays:
            raise ValueError(
                f"{named.row.name} reads {inputs.name}: pass y_true and y_pred_or_score, the rows "
                "on which it is checked."
            )
        y_true, y_pred_or_score = _drawn(inputs.argument == "y_pred")
    further = {name: options.pop(name) for name in inputs.extra_arrays if name in options}
    case = Case(named.function, y_true, y_pred_or_score, further, {**named.parameters, **options})
    return _report([(each, case) for each in METRIC_CHECKS], on_fail)


def _drawn(labels: bool) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    y = np.arange(_ROWS) % 2
    score = 1 / (1 + np.exp(-rng.normal(2.0 * y - 1, 1.5)))
    return y, (score > 0.5).astype(int) if labels else score


def _report(checks: Sequence[tuple[Callable[[Any], Any], Any]], on_fail: str) -> CheckReport:
    found = CheckReport()
    for check, case in checks:
        said = (check.__doc__ or "").rstrip(".")
        try:
            reason = check(case)
        except Exception as error:
            if on_fail == "raise":
                raise AssertionError(f"{said}: {error}") from error
            found.append(CheckResult(said, "failed", f"{type(error).__name__}: {error}".strip()))
        else:
            outcome: Outcome = "passed" if reason is None else "does not apply"
            found.append(CheckResult(said, outcome, reason or ""))
    return found


@dataclass(frozen=True, eq=False)
class KindCase:
    """A kind with rows of it."""

    kind: Kind
    first: Any
    second: Any
    extra_arrays: Mapping[str, Any]

    def record(self, first: Any = None, second: Any = None, weight: Any = None) -> Any:
        """Return the checked record."""
        inputs = self.kind.inputs
        return inputs.record(
            self.first if first is None else first, self.second if second is None else second,
            names=("y_true", inputs.argument), sample_weight=weight, **self.extra_arrays,
        )  # fmt: skip


def records_have_rows(case: KindCase) -> str | None:
    """The record has the rows that were given, and its weights."""
    n = len(case.first)
    assert case.record().n_rows == n
    weighted = case.record(weight=np.where(np.arange(n) < n // 2, 0.0, 2.0))
    assert weighted.n_rows == n - n // 2, "rows of weight 0 are to be removed"
    assert (weighted.weights == 2).all()
    return None


def records_are_taken_apart(case: KindCase) -> str | None:
    """Rows of a record are taken, and weighed anew."""
    record, rows = case.record(), np.arange(0, len(case.first), 2)
    taken = record.subset(rows)
    assert taken.n_rows == len(rows)
    assert (record.weighing(np.full(record.n_rows, 3.0)).weights == 3).all()
    return None


def bad_arrays_are_refused(case: KindCase) -> str | None:
    """Arrays of different lengths, and of none, are a ValueError."""
    for few in (np.arange(len(case.first) - 1), np.arange(0)):
        try:
            case.record(second=take_rows(case.second, few))
        except ValueError:
            continue
        raise AssertionError(f"{len(case.first)} true and {len(few)} predicted rows were taken")
    return None


def samples_are_resampled(case: KindCase) -> str | None:
    """A sample has as many rows as its record, and is taken apart."""
    inputs = case.kind.inputs
    sample = inputs.sample(case.record(), inputs, False)
    assert sample.n_rows == case.record().n_rows
    assert sample.subset(np.arange(3)).n_rows == 3
    return None


def perfect_predictions_are_read(case: KindCase) -> str | None:
    """Perfect predictions of the truth are read."""
    if case.kind.inputs.perfect is None:
        return "no perfect= is declared: nested runs fit before they try a metric"
    case.record(second=case.kind.inputs.perfect(case.first))
    return None


KIND_CHECKS: Sequence[Callable[[KindCase], str | None]] = (
    records_have_rows, records_are_taken_apart, bad_arrays_are_refused,
    samples_are_resampled, perfect_predictions_are_read,
)  # fmt: skip


def check_kind(
    kind: Kind | str,
    y_true: ArrayLike,
    y_pred_or_score: ArrayLike,
    *,
    on_fail: Literal["raise", "report"] = "raise",
    parameters: Mapping[str, Mapping[str, Any]] | None = None,
    **further: Any,
) -> CheckReport:
    """Check a kind of metrics, and all metrics that are declared with it.

    Parameters
    ----------
    kind : Kind or str
        The kind, or the name of one of which a metric is declared.
    y_true, y_pred_or_score : array-like
        Rows of the kind, 60 or so without repeated values.
    on_fail : {"raise", "report"}, default="raise"
        Whether a failure is an AssertionError, or a line of the report.
    parameters : mapping, default=None
        The parameters that metrics need, by their names.
    **further
        The further arrays of the kind by name.

    Returns
    -------
    CheckReport
        First the checks of the kind, then :func:`check_metric` of each of its metrics.

    Raises
    ------
    ValueError
        If no kind has the name.
    AssertionError
        If a check fails, unless on_fail is "report".

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.testing import check_kind
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 2, 60)
    >>> check_kind("margins", y, rng.normal(2 * y - 1)).passed
    True
    """
    held = kind if isinstance(kind, Kind) else KINDS[check_choice("kind", kind, KINDS)]
    whole = KindCase(held, y_true, y_pred_or_score, further)
    found = _report([(each, whole) for each in KIND_CHECKS], on_fail)
    for function in [each for each in METRICS.values() if each.metric.kind is held]:
        own = (parameters or {}).get(function.metric.name, {})
        case = Case(function, y_true, y_pred_or_score, further, own)
        name = function.metric.name
        outcomes = _report([(each, case) for each in METRIC_CHECKS], on_fail)
        found += [each._replace(check=f"{name}: {each.check}") for each in outcomes]
    return found
