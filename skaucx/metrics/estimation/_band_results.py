"""What a band call returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ..._arrays import Floats
from ..._deprecation import renamed_attribute
from ..._text.html import curve
from ..._text.tables import paragraph
from ..curves._as_tuple import Points


class _Band(Points):
    """A band in short, and what legends call it."""

    _curve: ClassVar[str]

    low: Floats
    high: Floats
    confidence_level: float
    simultaneous: bool
    method: str
    n_resamples: int
    seed: int | None
    note: str
    target: str

    level = renamed_attribute("level", "confidence_level")

    @property
    def label(self) -> str:
        """The confidence, and whether it is that of each point by itself."""
        return f"{100 * self.confidence_level:g} % band{'' if self.simultaneous else ', pointwise'}"

    @property
    def about(self) -> str:
        """Draws and their seed, the target, and what to know before the band is trusted."""
        drawn = f"{self.n_resamples} draws, seed {self.seed}" if self.n_resamples else ""
        each = "the whole curve" if self.simultaneous else "each point of the curve by itself"
        return "; ".join(filter(None, [drawn, f"target: {each} of {self.target}", self.note]))

    def __repr__(self) -> str:
        told = f"{type(self).__name__}({len(self.low)} points, {self.label}, {self.method})"
        return f"{told}\n{paragraph(self.about, hang=2)}"

    def _repr_html_(self) -> str:
        """Show the curve between its band in a notebook."""
        x, y = self._tuple[:2]
        title = f"{self._curve} curve, {self.label} ({self.method}; {self.about})"
        return curve(title, x, y, self.low, self.high)


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
    n_resamples : int
        The resampled or simulated curves; 0 of "dkw".
    seed : int or None
        The seed that renews them: the given one, or one that was drawn.
    note : str
        What to know before the band is trusted; empty where there is nothing to say.
    target : str
        What the band is about.
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
    n_resamples: int = 0
    seed: int | None = None
    note: str = ""
    target: str = "the population, by these predictions"


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
    n_resamples : int
        The resampled or simulated curves; 0 of "dkw".
    seed : int or None
        The seed that renews them: the given one, or one that was drawn.
    note : str
        What to know before the band is trusted; empty where there is nothing to say.
    target : str
        What the band is about.
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
    n_resamples: int = 0
    seed: int | None = None
    note: str = ""
    target: str = "the population, by these predictions"
