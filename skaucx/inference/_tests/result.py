"""Results of tests between classifiers, and tail probabilities."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Bools, Floats
from ..._compat import warn
from ..._options import Alternative, RealRange
from ..._text.numbers import fixed, p_value
from ..._text.plain import paragraph
from ..._text.tables import Table, Tabular
from .._intervals.limits import student

# Halvings of [0, 1] that reach the resolution of float64.
HALVINGS = 60


@dataclass(frozen=True, repr=False)
class ComparisonResult(Tabular):
    """Result of a test between classifiers.

    Attributes
    ----------
    method : str
        The test and its variant.
    statistic : float
        The test statistic; if it has a sign, it is positive if the first of two classifiers has the
        greater value.
    p_value : float
        Probability of a statistic at least as extreme under the null hypothesis.
    estimates : tuple of float
        One value per classifier.
    difference : float
        The first estimate minus the second; nan for more than two classifiers.
    standard_error : float
        Of the difference; nan if the test has none.
    interval : tuple of float
        Lower and upper end of the interval of the difference; nan if the test has none. A two-sided
        p-value is below 1 - confidence_level exactly where the interval excludes 0.
    confidence_level : float
        Nominal coverage of the interval.
    alternative : {"two-sided", "greater", "less"}
        Alternative hypothesis for the difference: not 0, above 0, below 0.
    df : float or tuple of float
        Degrees of freedom; inf for the normal distribution, nan where there are none.
    note : str
        A caution about the result, or "".
    target : str
        The target of the comparison: these predictions, these fold models, or the procedure.

    Examples
    --------
    >>> from skaucx.inference import mcnemar_test
    >>> y_true = [1, 1, 1, 0, 0, 0, 1, 0]
    >>> result = mcnemar_test(y_true, [1, 1, 1, 0, 0, 0, 1, 1], [1, 0, 0, 1, 0, 1, 1, 1])
    >>> result.p_value
    0.125
    >>> result.difference
    0.5
    """

    method: str
    statistic: float
    p_value: float
    estimates: tuple[float, ...]
    difference: float = math.nan
    standard_error: float = math.nan
    interval: tuple[float, float] = (math.nan, math.nan)
    confidence_level: float = 0.95
    alternative: Alternative = "two-sided"
    df: float | tuple[float, float] = math.nan
    note: str = ""
    target: str = "these predictions"

    @classmethod
    def of_difference(
        cls,
        method: str,
        estimates: tuple[float, ...],
        difference: float,
        error: float,
        *,
        why: str,
        test: str = "",
        df: float = math.inf,
        null: float = 0.0,
        most: float = math.inf,
        note: str = "",
        **sides: Any,
    ) -> ComparisonResult:
        """Return Student's t of a difference of at most `most` in size, and its interval.

        A warning names the `test` and `why` it is undefined.
        """
        found = cls(method, math.nan, math.nan, estimates, difference, error, df=df, **sides)
        statistic = studentised(difference - null, error, test or method, why)
        half = student(found.confidence_level, df) * error
        low, high = (difference - half, difference + half) if half > 0 else (math.nan, math.nan)
        return replace(
            found,
            statistic=statistic,
            p_value=float(tail(statistic, found.alternative, df)),
            interval=(float(max(low, -most)), float(min(high, most))),
            note=note if math.isnan(low) else of_two_sides(found.alternative, note),
        )

    def __repr__(self) -> str:
        listed = ", ".join(map(fixed, self.estimates))
        side = "" if self.alternative == "two-sided" else f" ({self.alternative})"
        lines = [
            self.method,
            f"statistic {fixed(self.statistic)}, p-value {p_value(self.p_value)}{side}",
            f"estimates {listed}",
        ]
        if not math.isnan(self.difference):
            lines.append(f"difference {fixed(self.difference)}")
        if not math.isnan(self.interval[0]):
            low, high = self.interval
            lines[-1] += (
                f", {100 * self.confidence_level:g} % interval {fixed(low)} to {fixed(high)}"
            )
        lines.append(f"target: {self.target}")
        if self.note:
            lines.append(f"note: {self.note}")
        return "\n".join([lines[0], *(paragraph(f"  {line}", hang=4) for line in lines[1:])])

    def _table(self) -> Table:
        estimates = {f"estimate_{k + 1}": each for k, each in enumerate(self.estimates)}
        low, high = self.interval
        values = vars(self) | estimates | {"low": low, "high": high}
        columns = ["method", "statistic", "p_value", *estimates, "difference"]
        columns += ["standard_error", "low", "high", "confidence_level", "alternative", "target"]
        undefined = {name for name in columns if values[name] != values[name]}  # nan
        return Table(
            columns,
            [[values[name] for name in columns]],
            self.method,
            notes=[self.note] if self.note else [],
            formats={"p_value": p_value},
            hidden={"method", "standard_error", "confidence_level", "alternative"} | undefined,
        )


def of_two_sides(alternative: Alternative, note: str = "") -> str:
    """Return a note, with a remark on a two-sided interval next to a one-sided p-value."""
    side = "" if alternative == "two-sided" else "the p-value is one-sided, the interval two-sided"
    return "; ".join(filter(None, [note, side]))


def tail(statistic: Any, alternative: Alternative = "two-sided", df: float = math.inf) -> Any:
    """Return the p-value of a normal statistic, or of Student's t if `df` is finite."""
    lower = special.ndtr if math.isinf(df) else functools.partial(special.stdtr, df)
    if alternative == "two-sided":
        return 2 * lower(-np.abs(statistic))
    return lower(-statistic) if alternative == "greater" else lower(statistic)


def null_difference(margin: Any, alternative: Alternative) -> float:
    """Return the difference under the null hypothesis; 0 without a margin of non-inferiority."""
    size = RealRange(0, math.inf).check("margin", margin)
    if size and alternative == "two-sided":
        raise ValueError("margin needs alternative='greater' or 'less', found 'two-sided'.")
    return -size if alternative == "greater" else size


def studentised(difference: float, error: float, test: str, why: str) -> float:
    """Return difference / error; 0 for 0 / 0, otherwise nan with a warning if the error is 0."""
    if error > 0:
        return difference / error
    if difference == 0 and error == 0:
        return 0.0
    warn(f"{test} is undefined and nan: {why}.", UndefinedMetricWarning)
    return math.nan


def accepted_range(
    accepts: Callable[[float], bool], inside: float, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Return the limits of the values that a test accepts, by bisection from an accepted one."""
    ends = []
    for outside in bounds:
        low, high = (outside, outside) if accepts(outside) else (inside, outside)
        for _ in range(HALVINGS if low != high else 0):
            middle = (low + high) / 2
            low, high = (middle, high) if accepts(middle) else (low, middle)
        ends.append(low)
    return ends[0], ends[1]


def as_extreme(found: Floats, least: float, rounding: float, alternative: Alternative) -> Bools:
    """Return which replicates are at least as extreme; equal up to rounding is as extreme."""
    if alternative == "two-sided":
        found, least = np.abs(found), abs(least)
    if alternative == "less":
        found, least = -found, -least
    return ~(found < least - rounding)


def resampled(what: str, size: int, random_state: Any) -> str:
    """Return the text on the number of resamples and their seed."""
    seed = random_state if isinstance(random_state, (int, np.integer)) else None
    reported = "seed not fixed" if random_state is None else "random state given"
    return f"{size} {what}, {reported if seed is None else f'seed {seed}'}"


def holm_adjusted(p_values: Any) -> Floats:
    r"""Return p-values adjusted by Holm's step-down rule; nan is ignored and remains nan.

    The i-th smallest of m becomes the largest of (m - j + 1) p_(j) over j <= i, at most 1
    (Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal
    of Statistics 6, 65-70).

    Examples
    --------
    >>> from skaucx.inference._tests.result import holm_adjusted
    >>> holm_adjusted([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p)[: int(np.sum(~np.isnan(p)))]  # nan sorts to the end
    adjusted = np.full(p.shape, np.nan)
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted
