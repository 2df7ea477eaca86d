"""What an interval call returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..._compat import import_pandas
from ..._deprecation import renamed_attribute
from ..._text.html import paragraph as html_paragraph
from ..._text.html import table
from ..._text.numbers import fixed
from ..._text.tables import paragraph


@dataclass(frozen=True, eq=False, repr=False)
class Interval:
    """An interval for the value that a metric has on the population.

    Attributes
    ----------
    metric : str
    estimate : float or ndarray of shape (n_classes,), float64
        The metric on the sample.
    low, high : float or ndarray of shape (n_classes,), float64
        The ends; nan where there is no interval.
    standard_error : float or ndarray of shape (n_classes,), float64
        That of the estimate; nan where the method has none.
    confidence_level : float
        The confidence that is aimed at.
    method : str
        How it was found.
    n_resamples : int
        Bootstrap resamples on which the metric was defined; 0 where none were drawn.
    note : str
        What to know before trusting it; empty where there is nothing to say.
    target : str
        What the interval is about.
    classes : ndarray of shape (n_classes,) or None
        The class, label or pair that each entry is about, of several.
    random_state : int or None
        Seed that draws the same resamples again, also where none was given; None where none were drawn.
    label : str
        The metric with the parameters that its value depends on, such as ``fbeta(beta=2)``.

    Notes
    -----
    It unpacks as its two ends: ``low, high = interval(...)``.
    """

    metric: str
    estimate: Any
    low: Any
    high: Any
    standard_error: Any
    confidence_level: float
    method: str
    n_resamples: int = 0
    note: str = ""
    target: str = "the population, by these predictions"
    classes: Any = None
    random_state: int | None = None
    label: str = ""

    level = renamed_attribute("level", "confidence_level")

    def __iter__(self) -> Iterator[Any]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        """Whether a value lies between the ends, or in every class's interval."""
        return bool(np.all((self.low <= value) & (value <= self.high)))

    @property
    def drawn(self) -> str:
        """How many resamples were drawn, and by which seed."""
        seed = "" if self.random_state is None else f", seed {self.random_state}"
        return f"{self.n_resamples} resamples{seed}"

    def __repr__(self) -> str:
        resamples = f", {self.drawn}" if self.n_resamples else ""
        share = f"{100 * self.confidence_level:g} %"
        how = f"{self.method}{resamples}"
        rows = zip(*(np.atleast_1d(x) for x in (self.estimate, self.low, self.high)), strict=True)
        several = [""] * np.size(self.estimate)
        names = several if self.classes is None else [f" of {name}" for name in self.classes]
        lines = [
            f"{self.label or self.metric}{name} {fixed(value)} "
            + (
                f"(no {share} interval; {how})"
                if np.isnan([low, high]).all()
                else f"({share}: {fixed(low)} to {fixed(high)}; {how})"
            )
            for name, (value, low, high) in zip(names, rows, strict=True)
        ]
        notes = [paragraph(f"Note: {self.note}", hang=2)] if self.note else []
        return "\n".join([*(paragraph(line, hang=2) for line in lines), *notes])

    def to_frame(self) -> Any:
        """Return a pandas DataFrame of one row, or a row a class.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pd, names = import_pandas(), ("estimate", "low", "high", "standard_error")
        columns = {name: np.atleast_1d(getattr(self, name)) for name in names}
        rows = [self.metric] * len(columns["estimate"])
        first = {} if self.classes is None else {"class": self.classes}
        shared = "confidence_level", "method", "n_resamples", "random_state"
        how = {name: getattr(self, name) for name in shared}
        return pd.DataFrame({**first, **columns, **how}, index=pd.Index(rows, name="metric"))

    def _repr_html_(self) -> str:
        """Show estimate and ends in a notebook."""
        values = (self.estimate, self.low, self.high)
        rows = zip(*(np.atleast_1d(x).tolist() for x in values), strict=True)
        told = f"{self.label or self.metric}, {100 * self.confidence_level:g} % interval ({self.method})"
        names = [] if self.classes is None else ["class"]
        cells = [[str(name)] for name in self.classes] if names else [[]] * np.size(self.estimate)
        shown = table(
            told,
            [*names, "estimate", "low", "high"],
            [[*name, *row] for name, row in zip(cells, rows, strict=True)],
        )
        return shown + (html_paragraph(self.note) if self.note else "")


def noted(found: Any, note: str) -> Any:
    """Return a result with a further note, if there is one."""
    return replace(found, note="; ".join(filter(None, [found.note, note]))) if note else found
