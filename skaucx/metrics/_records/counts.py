"""Confusion tables and the four weighted counts that every confusion metric reads; other prevalences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from ..._arguments import Label
from ..._arrays import (
    Codes,
    Floats,
    Rows,
    check_same_length,
    float_array,
    label_array,
    number_classes,
    weight_vector,
)
from ..._compat import cached_property, warn
from ..._options import OPEN_SHARE, UNIT, RealRange, check_choice
from .inputs import (
    check_label_pair,
    check_one_column,
    check_table,
    in_row_order,
    known_positive,
    positive_code,
    refuse_missing_class,
    refuse_multilabel,
)
from .totals import weight_of_each

_OF_TRUTH = ("true", "truth", "actual", "reference", "observed", "condition", "gold", "label")
_OF_CALLS = ("pred", "test", "call", "response", "output")


# Classes in rising order, the negatives first; how scikit-learn lays tables out, and the other way.
TRUE_ROWS, PREDICTED_ROWS = "true rows", "predicted rows"
_CELLS = {TRUE_ROWS: "tn fp fn tp", PREDICTED_ROWS: "tn fn fp tp"}


def check_layout(layout: Any) -> list[str]:
    """Return the names of the four cells of a 2 x 2 table, row by row."""
    cells = _CELLS.get(layout, layout) if isinstance(layout, str) else ""
    names = cells.split()
    sides = {*names[:2]}, {*names[::2]}  # a row and a column each hold one true or one called class
    apart = {"tp", "tn"} not in sides and {"fp", "fn"} not in sides
    if sorted(names) != ["fn", "fp", "tn", "tp"] or not apart:
        raise ValueError(
            "layout must be 'true rows', 'predicted rows', or name the cells tp, fp, fn and tn of "
            f"a 2 x 2 table row by row, such as 'tp fp fn tn', found {layout!r}."
        )
    return names


def arranged(cells: Floats, layout: str | None, table: Any = None) -> Floats:
    """Return tables of shape (..., K, K) with true rows and, of two classes, the negatives first."""
    layout = TRUE_ROWS if layout is None else layout
    if cells.shape[-1] == 2:
        names = check_layout(layout)
        warn_of_contradiction(table, names)
        order = [names.index(name) for name in _CELLS[TRUE_ROWS].split()]
        return cells.reshape(*cells.shape[:-2], 4)[..., order].reshape(cells.shape)
    if layout not in _CELLS:
        raise ValueError(
            f"layout of a table of {cells.shape[-1]} classes must be 'true rows' or 'predicted "
            f"rows', found {layout!r}."
        )
    warn_of_contradiction(table, _CELLS[layout].split())
    return np.swapaxes(cells, -1, -2) if layout == PREDICTED_ROWS else cells


def warn_of_contradiction(table: Any, names: list[str]) -> None:
    """Warn if the axes and labels of a data frame suggest another layout than `names`."""
    if not hasattr(table, "columns") or not hasattr(table, "index"):
        return
    table, layout = in_row_order(table), " ".join(names)
    rows_true, positives_first = {*names[:2]} in ({"tn", "fp"}, {"tp", "fn"}), names[0] == "tp"
    first = "positives" if positives_first else "negatives"
    for axis, held in (("rows", table.index), ("columns", table.columns)):
        wanted = "true" if rows_true == (axis == "rows") else "predicted"
        labels, odd = held.tolist(), ""
        if (side := _side(held.name)) not in (None, wanted):
            odd = f"named as {side} classes, but layout={layout!r} takes them as {wanted} ones"
        elif labels in ([0, 1], [1, 0]) and (labels == [1, 0]) != positives_first:
            odd = f"in the order {labels}, but layout={layout!r} has the {first} first"
        if odd:
            warn(
                f"The {axis} of the table are {odd}; give the layout of the table, by "
                "Counts.from_table(table, layout=...)."
            )
            return


def _side(name: Any) -> str | None:
    """Return whether an axis of this name has true or predicted classes, or None."""
    words = str(name or "").lower()
    calls, truth = (any(w in words for w in of) for of in (_OF_CALLS, _OF_TRUTH))
    return None if calls == truth else "predicted" if calls else "true"


@dataclass(frozen=True, eq=False)
class GivenTable:
    """A confusion table that a call is given: true rows and, of two classes, the negatives first.

    Attributes
    ----------
    table : ndarray of shape (K, K), float64
    labels : array-like or None
        The caller's names of the classes, in the order of the table.
    pos_label : label or None
        The positive class: the caller's, or the one that a layout of named cells puts there.
    note : str
        The layout, where it is assumed.
    """

    table: Floats
    labels: Any
    pos_label: Any
    note: str


def given_table(counts: Any, labels: Any = None, pos_label: Any = None) -> GivenTable:
    """Read counts, or one table; `labels` name its classes, of two the positive one last."""
    given = isinstance(counts, Counts)
    table = check_table(counts.table if given else counts)
    if table.ndim != 2:
        raise ValueError(f"One table of shape (K, K) is needed, found shape {table.shape}.")
    if not given:
        layout = TRUE_ROWS if len(table) > 2 else _CELLS[TRUE_ROWS]
        warn_of_contradiction(counts, _CELLS[TRUE_ROWS].split())
        return GivenTable(table, labels, pos_label, f"counts are read in the layout {layout!r}")
    if labels is None or len(named := list(labels)) != 2:
        return GivenTable(table, labels, pos_label, "")
    if pos_label not in (None, named[-1]):
        raise ValueError(
            f"Counts name the positive class, the last of labels, {named[-1]!r}, and pos_label is "
            f"{pos_label!r}; give one of the two."
        )
    return GivenTable(table, named, named[-1], "")


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """Weighted counts of one or many binary confusion tables.

    Parameters
    ----------
    tp, fp, fn, tn : ndarray of float64
        True positives, false positives, false negatives and true negatives, all of one shape:
        () for one table, (K,) for K classes, (thresholds,) or (replicates, K) and so on.

    Examples
    --------
    >>> from skaucx.metrics import Counts
    >>> table = Counts.from_table([[3, 2], [1, 1]])
    >>> float(table.tp), float(table.fp), float(table.fn), float(table.tn)
    (1.0, 2.0, 1.0, 3.0)
    """

    tp: Floats
    fp: Floats
    fn: Floats
    tn: Floats
    # Of counts of labels: whether the positive class sorts before the other one.
    positive_first: bool = field(default=False, init=False)

    @classmethod
    def from_table(cls, table: npt.ArrayLike, *, layout: str = "tn fp fn tp") -> Counts:
        """Read 2 x 2 tables, by default ``[[tn, fp], [fn, tp]]``, the layout of scikit-learn.

        Parameters
        ----------
        table : array-like of shape (..., 2, 2)
        layout : str, default="tn fp fn tp"
            The four cells, row by row: "tp fp fn tn" has the positives first and rows predicted,
            "tp fn fp tn" the positives first and rows true. "true rows" and "predicted rows" have
            the negatives first.

        Warns
        -----
        UserWarning
            If `table` is a data frame whose axes or labels (0 and 1) are named otherwise.
        """
        cells = np.asarray(in_row_order(table), dtype=np.float64)
        if cells.shape[-2:] != (2, 2):
            raise ValueError(f"table must be 2 x 2, found shape {cells.shape}.")
        (tn, fp), (fn, tp) = np.moveaxis(arranged(cells, layout, table), (-2, -1), (0, 1))
        return cls(tp, fp, fn, tn)

    @classmethod
    def from_labels(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        pos_label: Label = None,
        sample_weight: ArrayLike | None = None,
    ) -> Counts:
        """Count true and predicted labels of two classes.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
        pos_label : int, float, bool or str, default=None
            The positive class; see :func:`recall_score`.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights >= 0.
        """
        pair = check_label_pair(y_true, y_pred, sample_weight=sample_weight)
        if pair.multilabel:
            raise refuse_multilabel("Counts.from_labels")
        if len(pair.classes) > 2:
            raise ValueError(
                f"Counts.from_labels counts two classes, found {len(pair.classes)}; take "
                "Counts.one_vs_rest of their confusion_matrix for a table of each class."
            )
        code = known_positive(positive_code(pair.classes, pos_label))
        true, pred = (1 * (side == code) for side in (pair.true, pair.pred))
        return cls.from_table(confusion_table(true, pred, 2, pair.weight))

    @classmethod
    def from_rates(
        cls,
        *,
        sensitivity: npt.ArrayLike,
        specificity: npt.ArrayLike | None = None,
        precision: npt.ArrayLike | None = None,
        prevalence: npt.ArrayLike,
        n: npt.ArrayLike = 1.0,
    ) -> Counts:
        """Return the tables that tests of known rates are expected to give.

        Parameters
        ----------
        sensitivity : float in [0, 1], or array-like
            Arrays of shapes that broadcast give a table for each element.
        specificity : float in [0, 1], or array-like, default=None
            Either this or `precision`.
        precision : float in (0, 1], or array-like, default=None
        prevalence : float in [0, 1], or array-like
            Metrics that read no true negatives, such as F1, have one value of sensitivity and precision
            at any prevalence that these allow.
        n : float > 0, or array-like, default=1.0
            The number of examples.

        Raises
        ------
        ValueError, TypeError
            If a rate is out of range, both or neither of `specificity` and `precision` are given, or no
            table has these rates.

        Examples
        --------
        >>> from skaucx.metrics import Counts, f1_score, precision_score
        >>> rates = {"sensitivity": 0.8, "precision": 0.1}
        >>> round(f1_score.from_counts(Counts.from_rates(**rates, prevalence=0.02)), 3)
        0.178
        >>> rates = Counts.from_rates(sensitivity=0.99, specificity=0.99, prevalence=[0.5, 0.05])
        >>> precision_score.from_counts(rates).round(2)
        array([0.99, 0.84])
        """
        recall = UNIT.check_all("sensitivity", sensitivity)
        share = UNIT.check_all("prevalence", prevalence)
        total = RealRange(0, np.inf, open_low=True).check_all("n", n)
        positives, negatives = total * share, total * (1 - share)
        tp, fn = recall * positives, (1 - recall) * positives
        if (specificity is None) == (precision is None):
            raise ValueError("Give specificity or precision, one of the two.")
        if specificity is not None:
            right = UNIT.check_all("specificity", specificity)
            cells = tp, (1 - right) * negatives, fn, right * negatives
        else:
            right = RealRange(0, 1, open_low=True).check_all("precision", precision)
            fp = tp * (1 - right) / right
            if np.any(fp > negatives * (1 + 1e-12)):
                raise ValueError(
                    f"No table has precision {precision!r} and sensitivity {sensitivity!r} at a "
                    f"prevalence of {prevalence!r}: it needs {np.max(fp):.4g} false positives among "
                    f"{np.min(negatives):.4g} negatives."
                )
            cells = tp, fp, fn, np.maximum(negatives - fp, 0.0)
        return cls(*np.broadcast_arrays(*cells))

    @classmethod
    def from_cells(cls, table: Floats) -> Counts:
        """Read 2 x 2 tables of floats, ``[[tn, fp], [fn, tp]]``.

        Of one table the counts are plain numbers, with which NumPy computes faster than with arrays.
        """
        cells = table if table.ndim == 2 else np.moveaxis(table, (-2, -1), (0, 1))
        (tn, fp), (fn, tp) = cells
        return cls(tp, fp, fn, tn)

    @classmethod
    def one_vs_rest(cls, table: npt.ArrayLike) -> Counts:
        """Decompose K x K tables (rows true, columns predicted) into K binary ones."""
        table = np.asarray(table, dtype=np.float64)
        off_diagonal = ~np.eye(table.shape[-1], dtype=bool)
        # The other rows of each class, from both sides: nothing cancels.
        before, after = np.zeros((2, *table.shape))
        np.cumsum(table[..., :-1], axis=-1, out=before[..., 1:])
        np.cumsum(table[..., :0:-1], axis=-1, out=after[..., -2::-1])
        others = before + after
        return cls(
            tp=np.diagonal(table, axis1=-2, axis2=-1),
            fp=np.sum(table, axis=-2, where=off_diagonal),
            fn=np.diagonal(others, axis1=-2, axis2=-1),
            tn=np.sum(others, axis=-2, where=off_diagonal),
        )

    @cached_property
    def positives(self) -> Floats:
        """P = tp + fn."""
        return self.tp + self.fn

    @cached_property
    def negatives(self) -> Floats:
        """N = fp + tn."""
        return self.fp + self.tn

    @cached_property
    def predicted_positives(self) -> Floats:
        """The predicted positives: tp + fp."""
        return self.tp + self.fp

    @cached_property
    def predicted_negatives(self) -> Floats:
        """All that are predicted negative: fn + tn."""
        return self.fn + self.tn

    @cached_property
    def total(self) -> Floats:
        """The number, or the weight, of all examples."""
        return self.positives + self.negatives

    @cached_property
    def table(self) -> Floats:
        """The 2 x 2 tables ``[[tn, fp], [fn, tp]]``, of shape (..., 2, 2)."""
        # A view with the cells in front, so that sums over cells add long rows.
        cells = np.stack([np.stack([self.tn, self.fp]), np.stack([self.fn, self.tp])])
        return np.moveaxis(cells, (0, 1), (-2, -1))

    @property
    def by_label(self) -> Floats:
        """The same with the classes in the order of the labels; without labels the negatives first."""
        return self.table[..., ::-1, ::-1] if self.positive_first else self.table

    def ordered(self, positive_first: bool) -> Self:
        """Return the same counts, of labels of which the positive one sorts first or last."""
        object.__setattr__(self, "positive_first", positive_first)
        return self

    def changed(self, change: Callable[[Floats], Floats]) -> Self:
        """Return the tables with a change of each cell, of the same labels."""
        return type(self)(*map(change, self.cells)).ordered(self.positive_first)

    def normalized(self, over: Literal["true", "pred", "all"] = "all") -> Floats:
        """Return the 2 x 2 tables as shares, of shape (..., 2, 2) with rows true, negatives first.

        Parameters
        ----------
        over : {"true", "pred", "all"}, default="all"
            What adds up to 1: each true class, each predicted one, or the whole table. nan where it is
            empty. Values are those of ``confusion_matrix(normalize=)``.

        Returns
        -------
        ndarray of float64

        Examples
        --------
        >>> from skaucx.metrics import Counts
        >>> Counts(tp=20, fp=180, fn=10, tn=1820).normalized("true").round(3).tolist()
        [[0.91, 0.09], [0.333, 0.667]]
        """
        axes: dict[str, Any] = {"true": -1, "pred": -2, "all": (-2, -1)}
        axis = axes[check_choice("over", over, axes)]
        with np.errstate(invalid="ignore"):
            return np.asarray(self.table / self.table.sum(axis=axis, keepdims=True))

    def of_class(self, code: int) -> Counts:
        """Return the tables of one of the classes along the last axis."""
        return self[code if self.tp.ndim == 1 else (..., code)]

    @property
    def pooled(self) -> Counts:
        """The sum over the last axis: micro-averaging."""
        return Counts(*(cell.sum(axis=-1) for cell in self.cells))

    @cached_property
    def scaled(self) -> Self:
        """The same tables times a power of two (exact) that brings the total near 1.

        Products of counts then neither overflow nor vanish, whatever the scale of the weights.
        """
        exponent = -np.frexp(self.total)[1]
        return self.changed(lambda cell: np.ldexp(cell, exponent))

    @property
    def scaled_alike(self) -> Self:
        """The same with one power of two for the classes of a table, along the last axis."""
        exponent = -np.frexp(self.total.max(axis=-1, keepdims=True))[1]
        return self.changed(lambda cell: np.ldexp(cell, exponent))

    def at_prevalence(self, prevalence: npt.ArrayLike) -> Counts:
        """Return the tables that the same rates give at another share of positives.

        Parameters
        ----------
        prevalence : float or array-like, in [0, 1]
            The share of the positives; several stand along further leading axes, as they broadcast.

        Returns
        -------
        Counts
            Of the same totals; nan where a class has no example.
        """
        share = float_array(prevalence, "prevalence", scalar=True)
        if not ((share >= 0) & (share <= 1)).all():
            raise ValueError(f"prevalence must lie in [0, 1], found {prevalence!r}.")
        with np.errstate(divide="ignore", invalid="ignore"):
            up = share * self.total / self.positives
            down = (1 - share) * self.total / self.negatives
        return Counts(self.tp * up, self.fp * down, self.fn * up, self.tn * down)

    @property
    def cells(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The four counts in the order tp, fp, fn, tn."""
        return self.tp, self.fp, self.fn, self.tn

    def __repr__(self) -> str:
        if np.ndim(self.tp):
            return f"Counts({' x '.join(map(str, np.shape(self.tp)))} tables)"
        cells = zip(("tp", "fp", "fn", "tn"), self.cells, strict=True)
        return f"Counts({', '.join(f'{name}={float(cell):.12g}' for name, cell in cells)})"

    def __getitem__(self, index: Any) -> Self:
        return self.changed(itemgetter(index))


# A pair takes 49 bytes with what a metric makes of the table: in all 20 GB.
_MOST_CLASSES = 20_000


def check_table_fits(classes: int) -> None:
    """Raise an error for more classes than their confusion table has room for, before it is made."""
    if classes > _MOST_CLASSES:
        raise ValueError(
            f"y_true and y_pred hold {classes:,} classes, and the table of all pairs of them has room "
            f"for {_MOST_CLASSES:,}. Are these columns labels, not identifiers or texts? Join rare "
            "classes into one, or pass scores of the classes that matter."
        )


@dataclass(frozen=True, eq=False)
class TableCells:
    """A K x K table by the pairs of labels: of many classes nearly all cells hold none.

    Parameters
    ----------
    true, pred : ndarray of shape (m,), int
        The codes of the classes.
    weight : ndarray of shape (..., m), float64, or None
        What each pair weighs in one table, or in several; 1 if None.
    classes : int
        The number K of classes.
    """

    true: Codes
    pred: Codes
    weight: Floats | None
    classes: int

    def among(self, codes: Codes) -> TableCells:
        """Return the table of some of the classes, in their order."""
        place = np.full(self.classes, -1)
        place[codes] = np.arange(len(codes))
        true, pred = place[self.true], place[self.pred]
        held = (true >= 0) & (pred >= 0)
        weight = None if self.weight is None else self.weight[..., held]
        return TableCells(true[held], pred[held], weight, len(codes))

    @property
    def table(self) -> Floats:
        """The table itself."""
        return confusion_table(self.true, self.pred, self.classes, self.weight)

    @property
    def outcomes(self) -> Floats:
        """The 2 x 2 table of examples that are wrong, or right."""
        right = 1 * (self.true == self.pred)
        return confusion_table(np.ones_like(right), right, 2, self.weight)

    @property
    def one_vs_rest(self) -> Counts:
        """One binary table a class."""
        weight = np.ones(len(self.true)) if self.weight is None else self.weight
        right, k = self.true == self.pred, self.classes
        tp = weight_of_each(self.true, k, weight * right)
        fn, fp = (weight_of_each(side, k, weight * ~right) for side in (self.true, self.pred))
        touched, total = tp + fp + fn, weight.sum(axis=-1)[..., None]
        tn = total - touched
        # Of the few classes in more than half of the examples the others are added up: nothing cancels.
        for code in np.flatnonzero((2 * touched > total).reshape(-1, k).any(axis=0)).tolist():
            tn[..., code] = (weight * ((self.true != code) & (self.pred != code))).sum(axis=-1)
        return Counts(tp, fp, fn, tn)


def confusion_table(true: Codes, pred: Codes, classes: int, weight: Floats | None = None) -> Floats:
    """Return the K x K table of true (rows) against predicted (columns) codes, or one a replicate."""
    check_table_fits(classes)
    found = weight_of_each(true * classes + pred, classes**2, weight)
    return found.reshape(*found.shape[:-1], classes, classes)


def shares_of(table: Floats) -> Floats:
    """Return the cells as shares of the whole."""
    return np.asarray(table / table.sum(axis=(-2, -1), keepdims=True))


def sides_of(table: Floats) -> tuple[Floats, Floats]:
    """Return the shares of the true and of the predicted classes."""
    shares = shares_of(table)
    return shares.sum(axis=-1), shares.sum(axis=-2)


def prevalence_weights(
    y_true: Rows,
    prevalence: float,
    *,
    pos_label: Label = None,
    sample_weight: ArrayLike | None = None,
) -> Floats:
    r"""Return weights of rows under which the positives have a stated share of the whole.

    As ``sample_weight=`` they adjust every metric, curve, band and plot to that prevalence, with
    the same score distributions of positives and of negatives.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True labels of two classes; both must occur.
    prevalence : float in (0, 1)
        The share of the positives.
    pos_label : int, float, bool or str, default=None
        The positive class; see :func:`recall_score`.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0 that rows have already.

    Returns
    -------
    weights : ndarray of shape (n_samples,), float64
        Their sum is that of `sample_weight`, by default the number of rows.

    Raises
    ------
    ValueError, TypeError
        If `prevalence` is not a number in (0, 1), or a class is missing.

    Notes
    -----
    .. math:: w_i = \pi \frac{n}{P} \text{ of a positive}, \qquad (1 - \pi) \frac{n}{N} \text{ else}

    See Also
    --------
    Counts.at_prevalence : The same adjustment of counts.

    Examples
    --------
    >>> from skaucx.metrics import average_precision_score
    >>> from skaucx.inference import prevalence_weights
    >>> y_true, y_score = [0, 0, 0, 1, 1, 1], [0.1, 0.4, 0.7, 0.35, 0.8, 0.9]
    >>> round(average_precision_score(y_true, y_score), 4)
    0.8667
    >>> weight = prevalence_weights(y_true, 0.01)
    >>> round(average_precision_score(y_true, y_score, sample_weight=weight), 4)
    0.6716
    """
    share = OPEN_SHARE.check("prevalence", prevalence)
    true, weight = label_array(y_true, "y_true"), weight_vector(sample_weight)
    check_same_length({"y_true": true, "sample_weight": weight})
    if true.ndim == 2:
        raise refuse_multilabel("prevalence_weights")
    classes, [codes] = number_classes({"y_true": true})
    positive = codes == known_positive(positive_code(classes, pos_label))
    own = np.ones(len(true)) if weight is None else weight
    sizes = weight_of_each(positive.astype(np.intp), 2, own)
    if not sizes.all():
        raise refuse_missing_class("prevalence")
    return np.asarray(own * (np.array([1 - share, share]) * sizes.sum() / sizes)[positive * 1])


def posterior_probability(prior: ArrayLike, likelihood_ratio: ArrayLike) -> Any:
    r"""Return the probability after a test result, from the one before it and the likelihood ratio.

    Parameters
    ----------
    prior : float or array-like, in [0, 1]
        The probability before the result: at first the prevalence.
    likelihood_ratio : float or array-like, >= 0
        How many times likelier the result is on a positive than on a negative;
        :func:`positive_likelihood_ratio` after a positive call, :func:`negative_likelihood_ratio` after
        a negative one. It may be infinite. Those of independent results multiply.

    Returns
    -------
    posterior : float or ndarray of float64
        nan if prior and result contradict each other.

    Raises
    ------
    ValueError, TypeError
        If a number lies outside its range.

    Notes
    -----
    .. math:: \frac{p'}{1 - p'} = \frac{p}{1 - p} \cdot \mathrm{LR}

    Examples
    --------
    >>> from skaucx.inference import posterior_probability
    >>> round(posterior_probability(0.01, 18.0), 4)
    0.1538
    >>> posterior_probability([0.01, 0.1, 0.5], 18.0).round(3).tolist()
    [0.154, 0.667, 0.947]
    """
    before = float_array(prior, "prior", scalar=True)
    ratio = float_array(likelihood_ratio, "likelihood_ratio", scalar=True)
    if not (ratio >= 0).all():
        raise ValueError(f"likelihood_ratio must be >= 0, found {likelihood_ratio!r}.")
    if not ((before >= 0) & (before <= 1)).all():
        raise ValueError(f"prior must lie in [0, 1], found {prior!r}.")
    with np.errstate(divide="ignore", invalid="ignore"):
        # Divided by the ratio where it is large, which may be infinite.
        small, large = np.minimum(ratio, 1), np.minimum(1 / ratio, 1)
        after = before * small / (before * small + (1 - before) * large)
    return float(after) if np.ndim(after) == 0 else after


def probabilities_at_prevalence(
    y_score: Rows, prevalence: float, *, training_prevalence: float
) -> Floats:
    r"""Return predicted probabilities, corrected for another prevalence than that of the training data.

    Parameters
    ----------
    y_score : array-like of shape (n_samples,), in [0, 1]
        Probabilities of the positive class.
    prevalence : float in (0, 1)
        The share of positives where the model is used.
    training_prevalence : float in (0, 1)
        The same in the training data, after any resampling or weighting.

    Returns
    -------
    probabilities : ndarray of shape (n_samples,), float64

    Raises
    ------
    ValueError, TypeError
        If a number lies outside its range, or `y_score` is a matrix.

    Notes
    -----
    With the same distributions of features within classes [1]_ [2]_,

    .. math:: p' = \frac{p\, \pi' (1 - \pi)}{p\, \pi' (1 - \pi) + (1 - p) (1 - \pi')\, \pi}

    from the training prevalence :math:`\pi` to :math:`\pi'`.

    See Also
    --------
    skaucx.evaluation.evaluate : Metrics of the corrected probabilities, by `prevalence`.

    References
    ----------
    .. [1] M. Saerens, P. Latinne and C. Decaestecker, Adjusting the outputs of a classifier to new a
       priori probabilities: a simple procedure, Neural Computation 14(1), 21-41, 2002.
    .. [2] C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001, 973-978.

    Examples
    --------
    >>> from skaucx.inference import probabilities_at_prevalence
    >>> probabilities_at_prevalence([0.5, 0.9], 0.02, training_prevalence=0.5).round(4).tolist()
    [0.02, 0.1552]
    """
    scores = float_array(y_score, "y_score")
    check_one_column(scores)
    now = OPEN_SHARE.check("prevalence", prevalence)
    before = OPEN_SHARE.check("training_prevalence", training_prevalence)
    return np.asarray(posterior_probability(scores, now / (1 - now) / (before / (1 - before))))
