"""Pictures of confusion tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from .._arguments import Axes, Classifier, Colormap, Features
from .._arrays import quotient
from .._options import check_choice
from .._plotting import Display, name_table, styled, write_cells
from .._text.numbers import counted, percent
from ..metrics._records.counts import Counts, confusion_table, given_table
from ..metrics._records.inputs import check_label_pair, refuse_multilabel
from ._sources import folds

_OF: dict[str, tuple[str, Any]] = {
    "true": ("row", 1),
    "pred": ("column", 0),
    "all": ("whole", None),
}
_CELL, _LARGEST = 0.8, 5.6  # inches: of a cell, and of a whole table of ours


class ConfusionMatrixDisplay(Display):
    r"""Plot of a confusion table: counts and shares.

    Parameters
    ----------
    confusion_matrix : Counts or array-like of shape (n_classes, n_classes)
        Counts or weights, with true rows; other layouts of two classes by :meth:`Counts.from_table`.
    display_labels : array-like of shape (n_classes,), default=None
        Names of the classes in the order of the table; 0, 1, ... if None.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
    im_ : matplotlib AxesImage
    text_ : ndarray of shape (n_classes, n_classes) of matplotlib Text

    Examples
    --------
    >>> from skaucx.metrics import ConfusionMatrixDisplay
    >>> display = ConfusionMatrixDisplay([[1820, 180], [10, 20]], display_labels=["well", "ill"]).plot()
    >>> display.text_[1, 1].get_text()
    '20\n66.7 %'
    """

    @property
    def size(self) -> tuple[float, float]:
        """Width and height in inches of a figure of its own."""
        side = min(1.6 + _CELL * len(self.confusion_matrix), _LARGEST)
        return side + 1.8, side + 0.7

    def __init__(
        self,
        confusion_matrix: Counts | ArrayLike,
        *,
        display_labels: ArrayLike | None = None,
    ) -> None:
        given = given_table(confusion_matrix, display_labels)
        whole = np.asarray(confusion_matrix).dtype.kind in "iu"  # not of Counts, which are objects
        self.confusion_matrix = given.table.astype(np.int64) if whole else given.table
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
            y, estimator.predict(X), labels=labels, sample_weight=sample_weight,
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
        display = cls(
            table[np.ix_(shown, shown)],
            display_labels=classes if display_labels is None else display_labels,
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
        part, axis = _OF[check_choice("normalize", normalize, (None, *_OF)) or "true"]
        table = self.confusion_matrix
        shares = quotient(table, table.sum(axis=axis, keepdims=True), np.nan)
        self._begin(ax, name)
        look = styled({"cmap": cmap, "vmin": 0, "vmax": 1, "aspect": "auto"}, im_kw)
        self.im_ = self.ax_.imshow(np.nan_to_num(shares), **look)
        self.text_ = None
        if include_values:
            words = np.empty(shares.shape, dtype=object)
            for place, share in np.ndenumerate(shares):
                count = table[place]
                stated = f"\n{percent(share)}" if normalize and share > 0 else ""
                number = counted(count) if values_format is None else format(count, values_format)
                words[place] = number + stated
            self.text_ = write_cells(self.im_, words, text_kw)
        if colorbar:
            self.figure_.colorbar(
                self.im_, ax=self.ax_, label=f"Share of the {part}", location="bottom", shrink=0.5
            )
        name_table(self.ax_, self.display_labels, self.display_labels, xticks_rotation)
        return self._end(despine, "Predicted label", "True label")
