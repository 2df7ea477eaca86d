"""Pictures of confusion tables, with the metrics read from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._arguments import Axes, Classifier, Colormap, Features, Label
from .._arrays import Floats, code_of
from .._options import check_choice
from .._plotting import (
    Display,
    name_table,
    shown,
    styled,
    wrapped,
    write_cells,
)
from .._text.numbers import counted, percent, value
from ..metrics._records.counts import Counts, confusion_table, given_table
from ..metrics._records.inputs import check_label_pair, refuse_multilabel
from ..metrics._registry.declare import check_complete, get_metric
from ._sources import folds

_OF_TWO = (
    "recall", "specificity", "precision", "npv", "f1", "accuracy", "balanced_accuracy",
    "matthews_corrcoef", "cohen_kappa", "p4",
)  # fmt: skip
_OF_MANY = ("accuracy", "balanced_accuracy", "matthews_corrcoef", "cohen_kappa")
_OF_EACH = ("recall", "precision", "f1")
_OF = {"true": "row", "pred": "column", "all": "whole"}
_CELL, _LARGEST = 0.8, 5.6  # inches: of a cell, and of a whole table of ours
_GAP, _COLUMN = 10, 46  # points between the table and its metrics, and of a column of these


class ConfusionMatrixDisplay(Display):
    r"""Plot of a confusion table: counts, shares, and metrics at the side.

    Parameters
    ----------
    confusion_matrix : Counts or array-like of shape (n_classes, n_classes)
        Counts or weights, with true rows; other layouts of two classes by :meth:`Counts.from_table`.
    display_labels : array-like of shape (n_classes,), default=None
        Names of the classes in the order of the table; 0, 1, ... if None.
    pos_label : label, default=None
        Of two classes the positive one, by default the second.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    im_ : matplotlib AxesImage
    text_ : ndarray of shape (n_classes, n_classes) of matplotlib Text
    metrics_ : dict from str to float or ndarray of shape (n_classes,)
        The values next to the table.

    Examples
    --------
    >>> from skaucx.metrics import ConfusionMatrixDisplay
    >>> display = ConfusionMatrixDisplay([[1820, 180], [10, 20]], display_labels=["well", "ill"]).plot()
    >>> display.text_[1, 1].get_text(), round(display.metrics_["specificity"], 4)
    ('20\n66.7 %', 0.91)
    """

    def __init__(
        self,
        confusion_matrix: Counts | ArrayLike,
        *,
        display_labels: ArrayLike | None = None,
        pos_label: Label = None,
    ) -> None:
        given = given_table(confusion_matrix, display_labels, pos_label)
        whole = np.asarray(confusion_matrix).dtype.kind in "iu"  # not of Counts, which are objects
        self.confusion_matrix = given.table.astype(np.int64) if whole else given.table
        self.pos_label = given.pos_label
        self.display_labels = np.asarray(
            np.arange(len(given.table)) if given.labels is None else given.labels
        )
        if len(self.display_labels) != len(self.confusion_matrix):
            raise ValueError(
                f"display_labels must name {len(self.confusion_matrix)} classes, found "
                f"{self.display_labels.tolist()}."
            )

    @classmethod
    def from_estimator(
        cls,
        estimator: Classifier,
        X: Features,
        y: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        display_labels: ArrayLike | None = None,
        pos_label: Label = None,
        ax: Axes | None = None,
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
        ConfusionMatrixDisplay
        """
        check_is_fitted(estimator)
        return cls.from_predictions(
            y, estimator.predict(X), labels=labels, sample_weight=sample_weight, pos_label=pos_label,
            display_labels=display_labels, ax=ax, **options,
        )  # fmt: skip

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        display_labels: ArrayLike | None = None,
        pos_label: Label = None,
        ax: Axes | None = None,
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
        ConfusionMatrixDisplay
        """
        pair = check_label_pair(y_true, y_pred, labels=labels, sample_weight=sample_weight)
        if pair.multilabel:
            raise refuse_multilabel("A confusion table")
        table = confusion_table(pair.true, pair.pred, len(pair.classes), pair.weight)
        table = table.astype(np.int64) if pair.weight is None else table
        shown = np.arange(len(table)) if pair.named is None else pair.named
        classes = pair.classes[shown]
        if pos_label is not None and display_labels is not None:
            pos_label = np.asarray(display_labels)[code_of(classes, pos_label)]
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
        X: Features,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        ax: Axes | None = None,
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
        ConfusionMatrixDisplay
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
        ax: Axes | None = None,
        *,
        name: str | None = None,
        normalize: Literal["true", "pred", "all"] | None = "true",
        metrics: Iterable[str] | None = None,
        include_values: bool = True,
        cmap: str | Colormap = "Blues",
        xticks_rotation: Literal["vertical", "horizontal"] | float = "horizontal",
        values_format: str | None = None,
        colorbar: bool = False,
        im_kw: Mapping[str, Any] | None = None,
        text_kw: Mapping[str, Any] | None = None,
        despine: bool = False,
    ) -> Self:
        """Draw the table.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            New ones if None.
        name : str, default=None
            Title.
        normalize : {"true", "pred", "all"} or None, default="true"
            Denominator of shares and colours: the row, the column or the whole table. None
            writes counts alone, with the colours of "true".
        metrics : list of str, default=None
            Metrics of the table to write next to it; empty for none. By default the usual ones in a
            figure of its own, none in given axes.
        include_values : bool, default=True
            Whether to write counts and shares into the cells.
        cmap : str or matplotlib Colormap, default="Blues"
        xticks_rotation : {"vertical", "horizontal"} or float, default="horizontal"
        values_format : str, default=None
            Format of the counts.
        colorbar : bool, default=False
        im_kw, text_kw : dict, default=None
            Keywords of matplotlib's ``imshow`` and ``text``.
        despine : bool, default=False
            Whether to remove the top and the right spine.

        Returns
        -------
        ConfusionMatrixDisplay
        """
        shares = self._shares(check_choice("normalize", normalize, (None, *_OF)) or "true")
        classes = len(shares)
        side = min(1.6 + _CELL * classes, _LARGEST)
        self._begin(
            ax,
            name,
            (side + 1.4 + 0.6 * (classes > 2) * len(_OF_EACH), side + (1.4 if colorbar else 0.9)),
        )
        self.metrics_ = self._metrics(metrics)
        style = {"cmap": cmap, "vmin": 0, "vmax": 1, "interpolation": "nearest"}
        self.im_ = self.ax_.imshow(np.nan_to_num(shares), **styled(style, im_kw))
        self.text_ = (
            self._write(shares, normalize, values_format, text_kw) if include_values else None
        )
        if colorbar:
            label = f"Share of the {_OF[normalize or 'true']}"
            place = {"location": "bottom", "panchor": False, "anchor": (0.0, 1.0), "shrink": 0.5}
            self.figure_.colorbar(self.im_, ax=self.ax_, label=label, **place)
        names = self.display_labels
        name_table(self.ax_, names, names, self._below(), "True label", xticks_rotation)
        if self._own and self.metrics_:
            self._beside()
        return self._end(despine)

    def _shares(self, normalize: str) -> Floats:
        table = self.confusion_matrix
        axis = {"true": 1, "pred": 0, "all": None}[normalize]
        total = np.broadcast_to(table.sum(axis=axis, keepdims=True), table.shape)
        return np.divide(table, total, out=np.full(table.shape, np.nan), where=total > 0)

    def _write(self, shares: Floats, normalize: str | None, form: str | None, text_kw: Any) -> Any:
        """Write count and, unless `normalize` is None, share into every cell."""
        words = np.empty(shares.shape, dtype=object)
        for (i, j), share in np.ndenumerate(shares):
            count = self.confusion_matrix[i, j]
            stated = f"\n{percent(share)}" if normalize and share > 0 else ""
            words[i, j] = f"{counted(count) if form is None else format(count, form)}{stated}"
        return write_cells(self.im_, words, text_kw)

    def _metrics(self, names: Iterable[str] | None) -> dict[str, Any]:
        """Return the metrics to write: of the positive class of two, or of each of many."""
        table = self.confusion_matrix
        two = len(table) == 2
        usual = () if not self._own else _OF_TWO if two else _OF_EACH + _OF_MANY
        own = list(usual if names is None else names)
        wanted: dict[str, Any] = {"pos_label": self._positive} if two else {"average": None}
        found = {}
        for name in own:
            metric = get_metric(name)
            if not metric.metric.kind.counted:
                raise ValueError(
                    f"metrics must be metrics of confusion tables, found {name!r}, which reads "
                    f"{metric.metric.inputs[1]}; pass those arrays to evaluate."
                )
            taken = {option: wanted[option] for option in wanted if option in metric.options}
            check_complete(metric, taken)
            found[metric.metric.name] = metric.from_table(table, zero_division=np.nan, **taken)
        return found

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

    def _below(self) -> str:
        """Return the name of the columns, and of many classes the metrics of the whole table."""
        whole = {name: number for name, number in self.metrics_.items() if not np.ndim(number)}
        if len(whole) == len(self.metrics_):
            return "Predicted label"
        stated = ", ".join(f"{shown(name)} {value(number)}" for name, number in whole.items())
        return f"Predicted label\nWhole table: {stated}" if stated else "Predicted label"

    def _beside(self) -> None:
        """Write the metrics of each class into its row, or those of two classes to the right."""
        each = {name: values for name, values in self.metrics_.items() if np.ndim(values)}
        if each:
            self._columns(each)
        else:
            self._list()

    def _columns(self, each: Mapping[str, Any]) -> None:
        """Write one column a metric, each class in its row."""
        for column, (name, values) in enumerate(each.items(), 1):
            left = _COLUMN * column
            self._text(shown(name), (1, 1), (left, 4), "axes fraction", ha="right", va="bottom")
            for row, number in enumerate(values):
                where = ("axes fraction", "data")
                self._text(value(number), (1, row), (left, 0), where, ha="right", va="center")

    def _list(self) -> None:
        """Write one line a metric."""
        title = wrapped(f"Positive label: {self.display_labels[self._positive]}", 28)
        words = [f"{shown(name)} {value(number)}" for name, number in self.metrics_.items()]
        text = "\n".join([title, *words])
        self._text(text, (1, 0.5), (_GAP, 0), "axes fraction", va="center", linespacing=1.5)

    def _text(self, text: str, at: Any, offset: Any, where: Any, **look: Any) -> Any:
        """Write next to the axes, at an offset in points."""
        return self.ax_.annotate(
            text, at, xytext=offset, xycoords=where, textcoords="offset points",
            annotation_clip=False, fontsize="small", parse_math=False, **look,
        )  # fmt: skip
