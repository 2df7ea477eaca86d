"""Numbers as text, with enough digits to distinguish them from 0, from 1 and from each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def value(number: Any) -> str:
    """Return the value of a metric with enough decimals to distinguish it from 0 and from 1.

    Two decimals at least, and two digits where four decimals would be 0, so that "0.00" is 0; a
    bound replaces a number that they would show as 1.

    Examples
    --------
    >>> from skaucx._text.numbers import value
    >>> [value(x) for x in (0.75, 0.9983, 0.99999, 1, 0.004, 2e-5, -0.25, 20.22, 214400)]
    ['0.75', '0.998', '> 0.9999', '1.00', '0.004', '0.00002', '-0.25', '20.2', '214,400']
    """
    x = float(number)
    if not math.isfinite(x) or abs(x) > 1:
        return significant(x)
    return fixed(x, decimals(min(abs(x), 1 - abs(x))))


def decimals(size: float) -> int:
    """Return how many decimals show the first digit of a size; from two to four."""
    if not 0 < size < 1:
        return 2
    # Rounding may carry 0.0096 to 0.010, whose first digit stands one place earlier.
    return min(4, max(2, -math.floor(math.log10(size * (1 + 1e-9)))))


def spread(mean: Any, deviation: Any) -> str:
    """Return a mean and its deviation with the decimals that either needs.

    Examples
    --------
    >>> from skaucx._text.numbers import spread
    >>> spread(0.99042, 0.00791), spread(0.998, 0.03), spread(0.75, float("nan"))
    ('0.990 \u00b1 0.008', '0.998 \u00b1 0.030', '0.75')
    >>> spread(0.99999, 2e-6), spread(1, 0)
    ('> 0.9999 \u00b1 0.000002', '1.00 \u00b1 0.00')
    """
    if not np.isfinite(deviation) or not np.isfinite(mean):
        return value(mean)
    size = abs(float(mean))
    places = max(decimals(float(deviation)), decimals(min(size, 1 - size)))
    return f"{fixed(mean, places)} \u00b1 {fixed(deviation, places)}"


def with_interval(estimate: Any, low: Any, high: Any) -> str:
    """Return an estimate and its interval in one precision, from two decimals or three digits on.

    More decimals are written where the estimate would look like an end.

    Examples
    --------
    >>> from skaucx._text.numbers import with_interval
    >>> with_interval(0.981, 0.974, 0.9912), with_interval(0.997, 0.994, 0.9991)
    ('0.98 [0.97, 0.99]', '0.997 [0.994, 0.999]')
    >>> with_interval(21.44, 18.2, 25.18), with_interval(0.5, float("nan"), float("nan"))
    ('21.4 [18.2, 25.2]', '0.50')
    >>> with_interval(0.0212, 0.0177, 0.0458), with_interval(1.0004, 0.9679, 1.034)
    ('0.021 [0.018, 0.046]', '1.00 [0.97, 1.03]')
    """
    numbers = [float(x) for x in (estimate, low, high)]
    if not np.isfinite(numbers).all():
        ends = "" if np.isnan([low, high]).all() else f" [{value(low)}, {value(high)}]"
        return value(estimate) + ends
    whole = math.floor(math.log10(max(1.0, *map(abs, numbers))))
    places = max(0, 2 - whole)
    while places < 6 and len({round(x, places) for x in numbers}) < len({*numbers}):
        places += 1
    shares = max(map(abs, numbers)) <= 1
    texts = [fixed(x, places) if shares or abs(x) < 0.5 else f"{x:,.{places}f}" for x in numbers]
    return f"{texts[0]} [{texts[1]}, {texts[2]}]"


def significant(number: Any, digits: int = 3) -> str:
    """Return a number of any size with some significant digits, and no exponent where one can do.

    Examples
    --------
    >>> from skaucx._text.numbers import significant
    >>> [significant(x) for x in (0.35, 0.000412, 1234.5, 214400, 1e300, float("inf"))]
    ['0.35', '0.000412', '1,234', '214,400', '1e+300', 'inf']
    """
    x = float(number) + 0.0
    if 1000 <= abs(x) < 1e12:
        return f"{x:,.0f}"
    if not 1e-6 <= abs(x) < 1e12:
        return f"{x:.{digits}g}"
    return np.format_float_positional(x, precision=digits, fractional=False, trim="-")


def fixed(number: Any, places: int = 4) -> str:
    """Return a number with decimals that stand under each other; with its digits where they would be 0.

    A bound replaces a number that they would show as 1.

    Examples
    --------
    >>> from skaucx._text.numbers import fixed
    >>> [fixed(x) for x in (0.75, -1e-9, 1 - 1e-9, 0.0, 1551.0)]
    ['0.7500', '-1e-09', '> 0.9999', '0.0000', '1,551']
    """
    x = float(number)
    if not math.isfinite(x) or abs(x) >= 1000:
        return significant(x)
    least = 10.0**-places
    if 0 < abs(x) < least / 2:
        return significant(x, 2)
    if 1 - least / 2 < abs(x) < 1:
        return f"> {1 - least:.{places}f}" if x > 0 else f"< -{1 - least:.{places}f}"
    return f"{x + 0.0:.{places}f}"


def ends(low: Any, high: Any) -> str:
    """Return the ends of an interval, "none" where there is no interval.

    Examples
    --------
    >>> from skaucx._text.numbers import ends
    >>> ends(0.25, 0.5), ends(float("nan"), float("nan"))
    ('0.2500 to 0.5000', 'none')
    """
    none = math.isnan(low) and math.isnan(high)
    return "none" if none else f"{fixed(low)} to {fixed(high)}"


def p_value(number: Any) -> str:
    """Return a p-value: four decimals, and "< 0.0001" below.

    Examples
    --------
    >>> from skaucx._text.numbers import p_value
    >>> p_value(0.0066), p_value(1e-11), p_value(1)
    ('0.0066', '< 0.0001', '1.0000')
    """
    return "< 0.0001" if number < 1e-4 else f"{float(number):.4f}"


def percent(share: Any) -> str:
    """Return a share as a percentage that is 0 or 100 only where the share is 0 or 1.

    Examples
    --------
    >>> from skaucx._text.numbers import percent
    >>> [percent(x) for x in (0, 1e-5, 0.123, 0.9999, 1)]
    ['0 %', '< 0.1 %', '12.3 %', '> 99.9 %', '100 %']
    """
    x = 100 * float(share)
    if x in (0, 100):
        return f"{x:.0f} %"
    return f"{x:.1f} %" if 0.1 <= x <= 99.9 else "< 0.1 %" if x < 1 else "> 99.9 %"


def counted(number: Any) -> str:
    """Return a count, or a sum of weights with the necessary digits.

    Examples
    --------
    >>> from skaucx._text.numbers import counted
    >>> counted(99900), counted(214400.37), counted(12.3456)
    ('99,900', '214,400', '12.35')
    """
    return significant(number, digits=4)
