"""What a band call returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..._arrays import Floats
from ..._deprecation import renamed_attribute
from ..._text.html import curve
from ..curves._as_tuple import Points


class _Band(Points):
    """A band in short, and what legends call it."""

    _values: ClassVar[tuple[str, ...]] = ("label", "method")
    _curve: ClassVar[str]

    low: Floats
    high: Floats
    confidence_level: float
    simultaneous: bool
    method: str

    level = renamed_attribute("level", "confidence_level")

    @property
    def label(self) -> str:
        """The confidence, and whether it is that of each point by itself."""
        return f"{100 * self.confidence_level:g} % band{'' if self.simultaneous else ', pointwise'}"

    def _repr_html_(self) -> str:
        """Show the curve between its band in a notebook."""
        x, y = self._tuple[:2]
        return curve(
            f"{self._curve} curve, {self.label} ({self.method})", x, y, self.low, self.high
        )


@dataclass(frozen=True, eq=False, repr=False)
class RocBand(_Band):
    """A band around a ROC curve.

    Attributes
    ----------
    fpr : ndarray of shape (n_points,), float64
        False positive rates at which the band is given.
    tpr : ndarray of shape (n_points,), float64
        The curve of the sample there, the upper end where it rises straight up.
    low, high : ndarray of shape (n_points,), float64
        The band; nan where a class is missing.
    confidence_level : float
        The confidence that is aimed at.
    method : str
    simultaneous : bool
        Whether the whole curve is meant to lie inside, or each point by itself.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "low", "high")
    _curve: ClassVar[str] = "ROC"

    fpr: Floats
    tpr: Floats
    low: Floats
    high: Floats
    confidence_level: float
    method: str
    simultaneous: bool


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallBand(_Band):
    """A band around a precision-recall curve.

    Attributes
    ----------
    recall : ndarray of shape (n_points,), float64
        Recalls at which the band is given.
    precision : ndarray of shape (n_points,), float64
        The precision at the highest threshold that reaches the recall.
    low, high : ndarray of shape (n_points,), float64
        The band; nan where a class is missing.
    confidence_level : float
        The confidence that is aimed at.
    method : str
    simultaneous : bool
        Whether the whole curve is meant to lie inside, or each point by itself.
    """

    _arrays: ClassVar[tuple[str, ...]] = ("recall", "precision", "low", "high")
    _curve: ClassVar[str] = "Precision-recall"

    recall: Floats
    precision: Floats
    low: Floats
    high: Floats
    confidence_level: float
    method: str
    simultaneous: bool
