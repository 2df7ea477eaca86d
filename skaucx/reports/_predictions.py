"""Predictions of classes, checked once for verdict and page."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arrays import Floats, by_name, check_rows, float_array, label_array
from .._options import check_cut
from .._text.numbers import significant
from ..evaluation._evaluate import evaluate
from ..inference import Interval, interval
from ..metrics._records.inputs import known_positive, positive_code, refuse_no_predictions

RESAMPLES = 1000
RATIO, SLOPE = "observed_expected_ratio", "calibration_slope"


@dataclass(frozen=True, eq=False)
class PagePredictions:
    """Predictions with the true values, and their metadata.

    Attributes
    ----------
    y_true : ndarray of shape (n,)
    y_pred : ndarray of shape (n,) or None
    score : ndarray of shape (n,) or (n, n_classes), or None
        Of two classes those of the positive one.
    classes : ndarray of shape (n_classes,)
    positive : label or None
        The positive class of two.
    sample_weight, groups, fold : ndarray of shape (n,) or None
    threshold : float
        Scores at or above it are predicted positive; nan where no single threshold is known.
    origin : str
        Where that comes from, in words.
    """

    y_true: NDArray[Any]
    y_pred: NDArray[Any] | None
    score: Any
    classes: NDArray[Any]
    positive: Any = None
    sample_weight: Floats | None = None
    groups: NDArray[Any] | None = None
    fold: NDArray[Any] | None = None
    threshold: float = np.nan
    origin: str = ""

    @classmethod
    def of(
        cls, y_true: Any, y_pred: Any, y_score: Any, pos_label: Any, sample_weight: Any, groups: Any,
        threshold: float | None,
    ) -> PagePredictions:  # fmt: skip
        """Check what a user gives."""
        if y_pred is None and y_score is None:
            raise refuse_no_predictions()
        check_rows({"y_true": y_true, "y_pred": y_pred, "y_score": y_score,
                    "sample_weight": sample_weight, "groups": groups})  # fmt: skip
        truth = label_array(y_true, "y_true")
        if truth.ndim != 1:
            raise ValueError(
                f"y_true must hold one label a row, found {type(y_true).__name__} of shape "
                f"{getattr(y_true, 'shape', truth.shape)}; of multilabel indicators give each column "
                "by itself, or evaluate all of them by evaluate(y_true, y_pred)."
            )
        pred = None if y_pred is None else label_array(y_pred, "y_pred")
        classes = np.unique(truth if pred is None else np.concatenate([truth, pred]))
        y_score = by_name(y_score, truth, "y_score", classes)
        score = None if y_score is None else float_array(y_score, "y_score")
        positive = None
        if len(classes) == 2:
            positive = classes[known_positive(positive_code(classes, pos_label))]
            if score is not None and score.ndim == 2 and score.shape[1] == 2:
                score = score[:, int(np.flatnonzero(classes == positive)[0])]
        weight, together = (None if x is None else np.asarray(x) for x in (sample_weight, groups))
        found = cls(truth, pred, score, classes, positive, weight, together)
        return found.inferred() if threshold is None else found.cut(threshold)

    @property
    def two(self) -> bool:
        """Whether there are two classes and scores of the positive one."""
        return self.score is not None and self.score.ndim == 1 and self.ranked(slice(None))

    @property
    def negative(self) -> Any:
        """The negative class."""
        [other] = self.classes[self.classes != self.positive]
        return other

    @property
    def probabilities(self) -> bool:
        """Whether the scores may be probabilities."""
        return self.score is not None and bool(((self.score >= 0) & (self.score <= 1)).all())

    def ranked(self, rows: Any) -> bool:
        """Whether both classes occur among some rows."""
        return len(np.unique(self.y_true[rows])) > 1

    def weight(self, rows: Any = slice(None)) -> float:
        """Return how many rows there are, or what they weigh."""
        weight = np.ones(len(self.y_true)) if self.sample_weight is None else self.sample_weight
        return float(weight[rows].sum())

    def cut(self, threshold: float) -> PagePredictions:
        """Return the predictions that a threshold makes, which must be those given, if any."""
        if not self.two:
            raise ValueError(
                f"threshold={threshold!r} needs y_score of two classes, with the positive one named; "
                "leave it out, or pass the scores."
            )
        above = self.score >= check_cut("threshold", threshold, self.score)
        differ = 0 if self.y_pred is None else int(((self.y_pred == self.positive) != above).sum())
        if differ:
            raise ValueError(
                f"y_pred and threshold={threshold!r} predict {differ:,} of {len(above):,} rows "
                "differently; pass one of them."
            )
        return replace(
            self, y_pred=np.where(above, self.positive, self.negative), threshold=threshold,
            origin=f"{significant(threshold)}, as given",
        )  # fmt: skip

    def inferred(self) -> PagePredictions:
        """Return the predictions with the threshold that separates them, if there is one."""
        if not self.two:
            return self
        if self.y_pred is None:
            return replace(self, origin="none given")
        positive = self.y_pred == self.positive
        low = float(self.score[~positive].max(initial=-np.inf))
        high = float(self.score[positive].min(initial=np.inf))
        if not -np.inf < low < high < np.inf:
            return replace(self, origin="none that separates y_pred")
        at = 0.5 if low < 0.5 <= high else high
        return replace(self, threshold=at, origin=f"{significant(at)}, inferred from y_pred")

    def made(self, make: Callable[..., Any], rows: Any = slice(None), **options: Any) -> Any:
        """Return the curve of some rows."""
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        return make(
            self.y_true[rows], self.score[rows], pos_label=self.positive, sample_weight=weight,
            **options,
        )  # fmt: skip

    def evaluate(
        self, metrics: Any, confidence_level: float = 0.95, *, by: Any = None, **options: Any
    ) -> Any:
        """Return metrics with their intervals, in every group of `by` if there are any."""
        options = {"zero_division": np.nan, "n_resamples": RESAMPLES} | options
        with warnings.catch_warnings(action="ignore"):  # an undefined end is nan and shown so
            return evaluate(
                self.y_true, self.y_pred, self.score, metrics=metrics, by=by, intervals=True,
                confidence_level=confidence_level, sample_weight=self.sample_weight,
                groups=self.groups, pos_label=self.positive, random_state=0, **options,
            )  # fmt: skip

    def interval(self, name: str, level: float, pos_label: Any = None, **options: Any) -> Interval:
        """Return the interval of a metric that a verdict reads, at a level."""
        scores = name in ("roc_auc", RATIO, SLOPE)
        if self.positive is not None and name != "matthews_corrcoef":
            options["pos_label"] = self.positive if pos_label is None else pos_label
        elif name == "roc_auc":
            options |= {"average": "macro", "multi_class": "ovr"}
        with warnings.catch_warnings(action="ignore"):  # an undefined end is nan: not clear
            return interval(
                name, self.y_true, self.score if scores else self.y_pred,
                sample_weight=self.sample_weight, groups=self.groups, confidence_level=level,
                n_resamples=RESAMPLES, random_state=0, **options,
            )  # fmt: skip


def refuse_rows(**given: Any) -> None:
    """Raise an error for arguments about rows where a result is given."""
    for name in (name for name, each in given.items() if each is not None):
        raise ValueError(f"{name} is about rows, and a result was given; leave one of them out.")
