"""Parameters of metrics: the values that each admits, and the errors for others."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral, Real
from typing import Annotated, Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from ._arrays import Floats
from ._compat import warn


@dataclass(frozen=True)
class RealRange:
    """An interval of real numbers for a parameter; ends may be open, infinity is optional."""

    low: float
    high: float
    open_low: bool = False
    open_high: bool = False
    infinite: bool = False

    def check(self, name: str, value: Any) -> float:
        """Return `value` as a float if it lies in the interval."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
            raise TypeError(f"{name} must be a real number in {self}, found {_found(value)}.")
        number = float(value)
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        if not (above and below and (self.infinite or math.isfinite(number))):
            kind = "number" if self.infinite else "finite number"
            percent = (self.low, self.high) == (0, 1) and 1 < number <= 100
            remedy = f"; for {_found(value)} per cent pass {number / 100:g}" if percent else ""
            raise ValueError(f"{name} must be a {kind} in {self}, found {_found(value)}{remedy}.")
        return number

    def check_all(self, name: str, values: Any) -> Floats:
        """Return numbers as an array if all of them lie in the interval."""
        given = np.asarray(values)
        return np.array([self.check(name, value) for value in given.ravel()]).reshape(given.shape)

    def __str__(self) -> str:
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        return f"{left}{self.low:g}, {self.high:g}{right}"


def _found(value: Any) -> str:
    """Return a value as a message shows it: a number of NumPy as the number."""
    return repr(value.item() if isinstance(value, np.generic) else value)


OPEN_SHARE = RealRange(0, 1, open_low=True, open_high=True)
UNIT = RealRange(0, 1)
Share = Annotated[float, UNIT]
PositiveShare = Annotated[float, RealRange(0, 1, open_low=True)]
OpenShare = Annotated[float, OPEN_SHARE]
NonNegative = Annotated[float, RealRange(0, math.inf)]
UpToInfinity = Annotated[float, RealRange(0, math.inf, infinite=True)]
Positive = Annotated[float, RealRange(0, math.inf, open_low=True)]


def check_confidence_level(value: Any) -> float:
    """Return `value` as a float if it is a number strictly between 0 and 1."""
    return OPEN_SHARE.check("confidence_level", value)


def check_cut(name: str, value: Any, score: Any) -> float:
    """Return `value` as a float if it may cut scores: of scores within [0, 1] one that is there too."""
    low, high = float(np.min(score)), float(np.max(score))
    cut = (UNIT if low >= 0 and high <= 1 else RealRange(-math.inf, math.inf)).check(name, value)
    if not low <= cut <= high:
        calls = "every row" if cut < low else "no row"
        warn(
            f"{name} is {_found(value)} but y_score lies in [{low:.6g}, {high:.6g}], so that {calls} is "
            "predicted positive; pass a threshold among the scores."
        )
    return cut


Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = get_args(Alternative)


@dataclass(frozen=True)
class Confidence:
    """The confidence of intervals: level, sides, and whether it is that of several at once.

    Calls whose `confidence_level` is a number take such a record instead.

    Parameters
    ----------
    level : float, default=0.95
        Nominal coverage, in (0, 1).
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        "greater": from a lower limit to the metric's greatest value; "less": from its least value
        to an upper limit.
    simultaneous : bool, default=False
        Of :func:`skaucx.evaluation.evaluate` with ``by=``: whether the intervals of a metric hold for
        all groups at once (Bonferroni), as they must where the worst group is looked for.

    Raises
    ------
    TypeError, ValueError
        If a field has a value that is not among those described.

    Examples
    --------
    >>> from skaucx.inference import Confidence, interval
    >>> found = interval("recall", [1, 1, 1, 0], [1, 1, 0, 0],
    ...                  confidence_level=Confidence(0.9, alternative="greater"))
    >>> round(found.low, 4), found.high
    (0.3212, 1.0)
    """

    level: float = 0.95
    alternative: Alternative = field(default="two-sided", kw_only=True)
    simultaneous: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "level", check_confidence_level(self.level))
        check_choice("alternative", self.alternative, ALTERNATIVES)
        check_flag("simultaneous", self.simultaneous)

    @classmethod
    def of(cls, given: float | Confidence) -> Confidence:
        """Return the record of a level, or the record that is given instead."""
        return given if isinstance(given, cls) else cls(given)  # type: ignore[arg-type]

    @property
    def two_sided(self) -> float:
        """The confidence level of the two-sided interval that shares the reported limit."""
        if self.alternative == "two-sided":
            return self.level
        if self.level <= 0.5:
            raise ValueError(
                f"A one-sided interval needs a confidence_level above 0.5, found {self.level!r}."
            )
        return 2 * self.level - 1

    def ends(
        self, low: ArrayLike, high: ArrayLike, bounds: tuple[float, float]
    ) -> tuple[Floats, Floats]:
        """Return the limits; for a one-sided interval the other one is that of the range."""
        low, high = np.asarray(low), np.asarray(high)
        undefined = np.isnan(low) | np.isnan(high)
        if self.alternative == "less":
            low = np.where(undefined, np.nan, bounds[0])
        if self.alternative == "greater":
            high = np.where(undefined, np.nan, bounds[1])
        return low, high


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """Return `value` if it is one of `choices` (compared by value and by kind)."""
    for choice in choices:
        if value is choice or (isinstance(value, str) and value == choice):
            return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, found {value!r}.")


def check_zero_division(value: Any) -> str | float:
    """Return "warn", 0.0, 1.0 or nan."""
    if isinstance(value, Real) and (value in (0, 1) or math.isnan(value)):
        return float(value)
    if value != "warn":
        raise ValueError(f"zero_division must be 'warn', 0, 1 or nan, found {value!r}.")
    return "warn"


def check_flag(name: str, value: Any) -> bool:
    """Return `value` if it is True or False."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name} must be True or False, found {value!r}.")


def check_whole(name: str, value: Any, least: int) -> int:
    """Return `value` if it is a whole number, at least `least`."""
    whole = isinstance(value, Integral) and not isinstance(value, (bool, np.bool_))
    if not whole or value < least:
        error = ValueError if whole else TypeError
        raise error(f"{name} must be a whole number >= {least}, found {_found(value)}.")
    return int(value)


@dataclass(frozen=True)
class CheckedDifference:
    """A function of an array of differences, whose result is checked at every call.

    Two of them are equal where the functions given are the same.
    """

    name: str
    function: Callable[[Floats], Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(
                f"{self.name} must be a function of an array of differences, found "
                f"{self.function!r}."
            )

    def __call__(self, d: Floats) -> Floats:
        h = np.asarray(self.function(d))
        if h.shape != d.shape or h.dtype.kind not in "biuf":
            raise ValueError(
                f"{self.name} must return real numbers of the shape that it is given, {d.shape}; "
                f"it returned {h.dtype} of shape {h.shape}."
            )
        return h


def check_band(name: str, band: Any) -> tuple[float, float]:
    """Check an interval (low, high) with 0 <= low < high <= 1."""
    ends = UNIT.check_all(name, band)
    if ends.shape != (2,) or ends[0] >= ends[1]:
        raise ValueError(f"{name} must be (low, high), 0 <= low < high <= 1, found {band!r}.")
    return float(ends[0]), float(ends[1])


def check_bound(name: str, bound: Any) -> tuple[float, float]:
    """Check such as (">=", 0.9); return 1 for a lower bound, -1 for an upper one, and the number."""
    signs = {">=": 1.0, "<=": -1.0}
    if not isinstance(bound, (tuple, list)) or len(bound) != 2 or bound[0] not in signs:
        raise ValueError(f"{name} must be such as ('>=', 0.9) or ('<=', 0.1), found {bound!r}.")
    return signs[bound[0]], RealRange(-math.inf, math.inf).check(name, bound[1])


def check_replacement(name: str, value: Any) -> float:
    """Check the value of kappa that replaces 0/0."""
    if isinstance(value, Real) and (math.isnan(value) or -1 <= float(value) <= 1):
        return float(value)
    raise ValueError(f"{name} must lie in [-1, 1] or be nan, found {_found(value)}.")


def unknown_name(kind: str, name: Any, known: Iterable[str]) -> ValueError:
    """Return the error for an unknown name, with the most similar known names."""
    known = dict.fromkeys(known)
    similar = difflib.get_close_matches(str(name), known, n=4, cutoff=0.5)
    # The parameter of a step is known by the step, too.
    similar += [each for each in known if each.endswith(f"__{name}") and each not in similar]
    hint = f"did you mean {', '.join(map(repr, similar))}?" if similar else "none is near it."
    return ValueError(f"{name!r} is not the name of a {kind}; {hint}")


WholePositive = Annotated[int, partial(check_whole, least=1)]
Difference = Annotated[Callable[[Floats], Floats], CheckedDifference]
Replacement = Annotated[float, check_replacement]
Band = Annotated[tuple[float, float], check_band]
