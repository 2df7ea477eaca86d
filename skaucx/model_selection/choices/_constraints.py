"""Limits that values are held to: ``(">=", 0.9)``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._types import Floats

COMPARISONS = (">=", "<=")


@dataclass(frozen=True)
class Limit:
    """A value must be at least, or at most, so much."""

    comparison: str
    value: float

    def __str__(self) -> str:
        return f"{self.comparison} {self.value:g}"

    def gap(self, reached: Floats) -> Floats:
        """Return how far inside the limit values are, negative outside."""
        return reached - self.value if self.comparison == ">=" else self.value - reached


def limits_of(given: Any, argument: str) -> dict[str, Limit]:
    """Return the limit of each name.

    Raises
    ------
    ValueError
        If they are not in the form ``{name: (">=" or "<=", value)}``.

    Examples
    --------
    >>> from skaucx.model_selection.choices._constraints import limits_of
    >>> limits_of({"recall": (">=", 0.9)}, "limits")
    {'recall': Limit(comparison='>=', value=0.9)}
    """
    if not isinstance(given, Mapping):
        raise ValueError(
            f"{argument} must be a dict from metrics to ('>=' or '<=', value), found {given!r}."
        )
    for name, bound in given.items():
        if not isinstance(bound, tuple | list) or len(bound) != 2 or bound[0] not in COMPARISONS:
            raise ValueError(
                f"{argument}: the constraint of {name!r} must be ('>=', value) or ('<=', value), "
                f"found {bound!r}."
            )
    return {name: Limit(comparison, float(value)) for name, (comparison, value) in given.items()}
