"""Pictures of confusion tables, with the metrics read from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ..._arrays import Floats, code_of
from ..._options import check_choice
from ..._plotting import new_axes, shown, styled
from .._evaluation.evaluation import evaluate
from .._records.count_inputs import check_single_table
from .._records.counts import confusion_table
from .._records.inputs import IndicatorPair, check_label_pair, refuse_multilabel
from .._registry.declare import get_metric
from ._responses import folds

_OF_TWO = (
    "recall", "specificity", "precision", "npv", "f1", "accuracy", "balanced_accuracy",
    "matthews_corrcoef", "cohen_kappa", "p4",
)  # fmt: skip
_OF_MANY = ("accuracy", "balanced_accuracy", "matthews_corrcoef", "cohen_kappa")
_OF_EACH = ("recall", "precision", "f1")
_OF = {"true": "row", "pred": "column", "all": "whole"}
_COLUMN, _LINE = 46, 15  # points


class ConfusionDisplay:
    r"""Picture of a confusion table: counts, shares, and the metrics read from it beside.

    Parameters
    ----------
    confusion_matrix : array-like of shape (n_classes, n_classes)
        Counts or weights, rows true, columns predicted.
    display_labels : array-like of shape (n_classes,), default=None
        Names of the classes; 0, 1, ... if None.
    pos_label : label, default=None
        Of two classes the positive one, by default the second.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    im_ : matplotlib AxesImage
    text_ : ndarray of shape (n_classes, n_classes) of matplotlib Text
    metrics_ : dict from str to float or ndarray of shape (n_classes,)
        The values beside the table.

    Examples
    --------
    >>> from skaucx.metrics import ConfusionDisplay
    >>> display = ConfusionDisplay([[1820, 180], [10, 20]], display_labels=["well", "ill"]).plot()
    >>> display.text_[1, 1].get_text(), round(display.metrics_["specificity"], 4)
    ('20\n66.7 %', 0.91)
    """

    def __init__(
        self, confusion_matrix: Any, *, display_labels: Any = None, pos_label: Any = None
    ) -> None:
        self.confusion_matrix = check_single_table(confusion_matrix)
        self.display_labels = np.asarray(
            np.arange(len(self.confusion_matrix)) if display_labels is None else display_labels
        )
        self.pos_label = pos_label
        if len(self.display_labels) != len(self.confusion_matrix):
            raise ValueError(
                f"display_labels must name {len(self.confusion_matrix)} classes, found "
                f"{self.display_labels.tolist()}."
            )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        display_labels: Any = None,
        pos_label: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the table of a fitted classifier's predictions.

        Parameters
        ----------
        estimator : fitted classifier or pipeline
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        labels : array-like of shape (n_classes,), default=None
            The classes to show, in this order.
        sample_weight : array-like of shape (n_samples,), default=None
        display_labels : array-like of shape (n_classes,), default=None
            Names of the classes, the labels themselves if None.
        pos_label : label, default=None
            Of two classes the positive one, by default the second shown.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        ConfusionDisplay
        """
        check_is_fitted(estimator)
        shared = {"labels": labels, "sample_weight": sample_weight, "pos_label": pos_label}
        return cls.from_predictions(
            y, estimator.predict(X), display_labels=display_labels, ax=ax, **shared, **options
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        display_labels: Any = None,
        pos_label: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the table of true and predicted labels.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
        labels : array-like of shape (n_classes,), default=None
            The classes to show, in this order; sorted if None.
        sample_weight : array-like of shape (n_samples,), default=None
        display_labels : array-like of shape (n_classes,), default=None
            Names of the classes, the labels themselves if None.
        pos_label : label, default=None
            Of two classes the positive one, by default the second shown.
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `plot`.

        Returns
        -------
        ConfusionDisplay
        """
        pair = check_label_pair(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        if isinstance(pair, IndicatorPair):
            raise refuse_multilabel("A confusion table")
        table = confusion_table(pair.true, pair.pred, len(pair.classes), pair.weight)
        shown = np.arange(len(table)) if pair.named is None else pair.named
        classes = pair.classes[shown]
        if pos_label is not None and display_labels is not None:
            pos_label = display_labels[code_of(classes, pos_label)]
        display = cls(
            table[np.ix_(shown, shown)],
            display_labels=classes if display_labels is None else display_labels,
            pos_label=pos_label,
        )
        return display.plot(ax, **options)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw one table of the test rows of all folds of a cross-validation.

        Parameters
        ----------
        cv_results : dict
            From :func:`sklearn.model_selection.cross_validate` with ``return_estimator=True`` and
            ``return_indices=True``.
        X : array-like of shape (n_samples, n_features)
            What was cross-validated.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default=None
        ax : matplotlib Axes, default=None
            New ones if None.
        **options
            Keywords of `from_predictions`.

        Returns
        -------
        ConfusionDisplay
        """
        parts = [
            (truth, estimator.predict(rows), weight)
            for estimator, rows, truth, weight in folds(cv_results, X, y, sample_weight)
        ]
        truth, pred, weights = zip(*parts, strict=True)
        weight = None if sample_weight is None else np.concatenate(weights)
        return cls.from_predictions(
            np.concatenate(truth), np.concatenate(pred), sample_weight=weight, ax=ax, **options
        )

    def plot(
        self,
        ax: Any = None,
        *,
        normalize: Literal["true", "pred", "all"] = "true",
        metrics: Iterable[str] | None = None,
        include_values: bool = True,
        cmap: Any = "Blues",
        xticks_rotation: Any = "horizontal",
        values_format: str | None = None,
        colorbar: bool = False,
        im_kw: Mapping[str, Any] | None = None,
        text_kw: Mapping[str, Any] | None = None,
    ) -> Self:
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        normalize : {"true", "pred", "all"}, default="true"
            What the shares, and the colours, are shares of: the row, the column or the whole.
        metrics : list of str, default=None
            Metrics of the table to write beside it; empty for none.
        include_values : bool, default=True
            Whether to write counts and shares into the cells.
        cmap : str or matplotlib Colormap, default="Blues"
        xticks_rotation : {"vertical", "horizontal"} or float, default="horizontal"
        values_format : str, default=None
            Format of the counts.
        colorbar : bool, default=False
        im_kw, text_kw : dict, default=None
            Keywords of matplotlib's ``imshow`` and ``text``.

        Returns
        -------
        ConfusionDisplay
        """
        shares = self._shares(normalize)
        classes = len(shares)
        self.metrics_ = self._metrics(metrics)
        each = sum(np.ndim(value) for value in self.metrics_.values())
        beside = _COLUMN * (each + 4) / 72 if self.metrics_ else 0
        side = 1.6 + 0.8 * classes
        longest = max(len(str(label)) for label in self.display_labels)
        size = side + 0.9 + 0.09 * longest + beside, side + (1.4 if colorbar else 0.6)
        self.ax_, self.figure_ = new_axes(ax, size)
        style = {"cmap": cmap, "vmin": 0, "vmax": 1, "interpolation": "nearest"}
        self.im_ = self.ax_.imshow(np.nan_to_num(shares), **styled(style, im_kw))
        self.text_ = self._write(shares, values_format, text_kw) if include_values else None
        if colorbar:
            label = f"Share of the {_OF[normalize]}"
            place = {"location": "bottom", "panchor": False, "anchor": (0.0, 1.0), "shrink": 0.5}
            self.figure_.colorbar(self.im_, ax=self.ax_, label=label, **place)
        self.ax_.set(
            xticks=range(classes), yticks=range(classes), xlabel="Predicted label",
            ylabel="True label", ylim=(classes - 0.5, -0.5),
        )  # fmt: skip
        self.ax_.set_xticklabels(self.display_labels, rotation=xticks_rotation)
        self.ax_.set_yticklabels(self.display_labels)
        if self.metrics_:
            self._beside()
        return self

    def _shares(self, normalize: str) -> Floats:
        check_choice("normalize", normalize, _OF)
        table = self.confusion_matrix
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        total = np.broadcast_to(table.sum(axis=axis, keepdims=True), table.shape)
        return np.divide(table, total, out=np.full(table.shape, np.nan), where=total > 0)

    def _write(self, shares: Floats, form: str | None, text_kw: Any) -> Any:
        """Write count and share into every cell, white on dark."""
        text = np.empty(shares.shape, dtype=object)
        form = form or (".0f" if (self.confusion_matrix % 1 == 0).all() else ".4g")
        for (i, j), share in np.ndenumerate(shares):
            told = "" if np.isnan(share) else f"\n{100 * share:.1f} %"
            style = {"ha": "center", "va": "center", "color": "white" if share > 0.55 else "black"}
            cell = f"{self.confusion_matrix[i, j]:{form}}{told}"
            text[i, j] = self.ax_.text(j, i, cell, **styled(style, text_kw))
        return text

    def _metrics(self, names: Iterable[str] | None) -> dict[str, Any]:
        """Return the metrics to write: of the positive class of two, or of each of many."""
        table = self.confusion_matrix
        two = len(table) == 2
        own = list((_OF_TWO if two else _OF_EACH + _OF_MANY) if names is None else names)
        wanted: dict[str, Any] = {"pos_label": self._positive} if two else {"average": None}
        taken = {option for name in own for option in get_metric(name).options}
        wanted = {option: value for option, value in wanted.items() if option in taken}
        if not own:
            return {}
        return dict(evaluate(metrics=own, counts=table, zero_division=np.nan, **wanted))

    @property
    def _positive(self) -> int:
        if self.pos_label is None:
            return 1
        code = code_of(self.display_labels, self.pos_label)
        if code < 0:
            raise ValueError(
                f"pos_label={self.pos_label!r} is none of {self.display_labels.tolist()}."
            )
        return code

    def _beside(self) -> None:
        """Write the metrics of each class into its row, and beside those of the whole table."""
        left = 0.0
        each = {name: value for name, value in self.metrics_.items() if np.ndim(value)}
        whole = {name: value for name, value in self.metrics_.items() if not np.ndim(value)}
        for name, values in each.items():
            left += _COLUMN
            self._text(shown(name), (1, 1), (left, 4), "axes fraction", ha="right", va="bottom")
            for row, value in enumerate(values):
                where = ("axes fraction", "data")
                self._text(f"{value:.3f}", (1, row), (left, 0), where, ha="right", va="center")
        left += _COLUMN / 3
        right = left + 3.2 * _COLUMN
        down = _LINE * len(whole) / 2
        if not each:
            told = f"Positive label: {self.display_labels[self._positive]}"
            self._text(told, (1, 0.5), (left, down), "axes fraction", va="center")
        for name, value in whole.items():
            down -= _LINE
            self._text(shown(name), (1, 0.5), (left, down), "axes fraction", va="center")
            place = (right, down)
            self._text(f"{value:.3f}", (1, 0.5), place, "axes fraction", ha="right", va="center")

    def _text(self, text: str, at: Any, offset: Any, where: Any, **align: str) -> None:
        """Write beside the axes, at an offset in points."""
        self.ax_.annotate(
            text, at, xytext=offset, xycoords=where, textcoords="offset points",
            annotation_clip=False, fontsize="small", **align,
        )  # fmt: skip
