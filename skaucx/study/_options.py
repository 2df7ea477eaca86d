"""Numbers that the studies take."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np


def check_count(name: str, value: Any, least: int = 1) -> int:
    """Return `value` if it is a whole number of at least `least`."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number >= {least}, found {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be a whole number >= {least}, found {value!r}.")
    return int(value)
