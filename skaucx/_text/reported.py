"""A reported number, the row of every table: name, sign, interval and reference go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .numbers import with_interval

DIRECTION = {True: "high", False: "low", None: ""}

_SHORT = {
    "matthews_corrcoef": "MCC",
    "mcc": "MCC",
    "cohen_kappa": "kappa",
    "observed_expected_ratio": "O:E ratio",
    "d2_brier": "scaled Brier score",
    "d2_log_loss": "McFadden R2",
    "fbeta": "F-beta",
}
_CAPITALS = (
    "AUC BEDROC E50 E90 F1 H KS NPV P4 PR R2 ROC V Aickin Bangdiwala Bennett Blanquet Braun Bray Brier "
    "Cramer Curtis Fowlkes Gini Goodman Gwet Jaccard Kendall Krippendorff Kruskal Kulczynski "
    "Mallows Nagelkerke Scott Theil Tversky Yule"
)
_WORDS = {word.lower(): word for word in _CAPITALS.split()}
_AVERAGES = {
    "macro": "macro",
    "micro": "micro",
    "weighted": "weighted",
    "samples": "by row",
    "ovr": "one-vs-rest",
    "ovo": "one-vs-one",
}


def shown(metric: str) -> str:
    """Return a metric's name as a reader writes it.

    Examples
    --------
    >>> from skaucx._text.reported import shown
    >>> shown("roc_auc_ovr_weighted"), shown("f1_macro"), shown("fbeta(beta=2)")
    ('ROC AUC (one-vs-rest, weighted)', 'F1 (macro)', 'F-beta (beta=2)')
    """
    name, _, given = metric.partition("(")
    notes = [given.rstrip(")")] if given else []
    while (parts := name.rpartition("_"))[0] and parts[2] in _AVERAGES:
        name, notes = parts[0], [_AVERAGES[parts[2]], *notes]
    words = " ".join(_WORDS.get(word, word) for word in name.split("_"))
    return _SHORT.get(name, words) + (f" ({', '.join(notes)})" if notes else "")


def display_name(metric: str) -> str:
    """Return the name of a metric as a reader writes it; that of a negated loss is the loss."""
    return shown(metric.removeprefix("neg_"))


# The value of no effect: chance, no error of the risks, no use.
NO_EFFECT = {
    "roc_auc": 0.5, "matthews_corrcoef": 0.0, "cohen_kappa": 0.0, "informedness": 0.0,
    "observed_expected_ratio": 1.0, "calibration_slope": 1.0,
    "calibration_intercept": 0.0, "net_benefit": 0.0,
}  # fmt: skip


@dataclass(frozen=True)
class Reported:
    """One number of a result: its metric and sign go together into every form of it.

    Attributes
    ----------
    metric : str
        The metric as named; ``neg_log_loss`` is the negated loss, whose number is at most 0.
    estimate, low, high : float
        The ends are nan where there is no interval.
    about : str
        The row: an estimator, a class, a group, or a pair as "first \u2212 second".
    better : bool or None
        Whether greater is better; None where neither is.
    reference : float
        A value that is marked: of no effect, or that of all rows; nan for none.
    bounds : tuple of two float or None
        The range of the metric.
    n : str
        The rows behind it.
    note : str
        What is said after the interval.
    """

    metric: str
    estimate: float
    low: float = np.nan
    high: float = np.nan
    about: str = ""
    better: bool | None = None
    reference: float = np.nan
    bounds: tuple[float, float] = (-np.inf, np.inf)
    n: str = ""
    note: str = ""

    @classmethod
    def of(cls, metric: str, found: Any, scale: float = 1.0, **more: Any) -> Reported:
        """Return the number of an interval, times a positive scale."""
        estimate, low, high = (scale * float(x) for x in (found.estimate, found.low, found.high))
        return cls(metric, estimate, low, high, **more)

    @classmethod
    def of_row(
        cls, name: str, numbers: Sequence[Any], row: Any, *, share: float = np.nan, **more: Any
    ) -> Reported:
        """Return estimate and ends of a metric with the reference and the range of its row.

        `share` is that of the positive class, which is the chance level of the average precision.
        """
        better, usual = row.greater_is_better, 1.0 if row.ratio else np.nan
        if better is not None and row.uninformed is not None:
            usual = row.uninformed
        usual = {"average_precision": share, **NO_EFFECT}.get(name, usual)
        given = {"better": better, "reference": usual, "bounds": row.bounds} | more
        estimate, low, high = map(float, numbers)
        return cls(name, estimate, low, high, **given).as_loss()

    @property
    def numbers(self) -> tuple[float, float, float]:
        """Estimate and ends."""
        return self.estimate, self.low, self.high

    @property
    def name(self) -> str:
        """The metric's name as a reader writes it."""
        return shown(self.metric)

    @property
    def text(self) -> str:
        """Estimate and interval in one precision."""
        if np.isnan(self.estimate):
            return "undefined"
        return with_interval(*self.numbers)

    def as_loss(self) -> Reported:
        """Return the number of the loss where the metric is a negated one, name and signs at once.

        Examples
        --------
        >>> from skaucx._text.reported import Reported
        >>> found = Reported("neg_log_loss", -0.17, -0.22, -0.14, better=True).as_loss()
        >>> found.name, found.text, found.better
        ('log loss', '0.17 [0.14, 0.22]', False)
        """
        if not self.metric.startswith("neg_"):
            return self
        return replace(
            self, metric=self.metric.removeprefix("neg_"), estimate=-self.estimate, low=-self.high,
            high=-self.low, reference=-self.reference + 0.0,
            bounds=(-self.bounds[1], -self.bounds[0]),
            better=None if self.better is None else not self.better,
        )  # fmt: skip
