"""Raw labels, scores and weights become checked, frozen records.

Bad input raises errors here and in the modules ``_arrays`` and ``_options`` only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
from scipy import special

from ..._arrays import (
    UNIT,
    Array,
    Bools,
    Codes,
    Floats,
    by_name,
    check_same_columns,
    check_same_length,
    code_of,
    column_names,
    float_array,
    host_array,
    label_array,
    named_labels,
    number_classes,
    rounding_unit,
    score_array,
    shown,
    weighed,
)
from ..._compat import cached_property, warn
from .totals import Weighed


class Record(Weighed):
    """Base of the checked arrays of one call: a frozen dataclass with a field `weight`, or None.

    Attributes
    ----------
    by_row : tuple of str
        The fields that have one entry an example, besides `weight`.
    many_weights : bool
        Whether states take weights of shape (replicates, n), so that all resamples are evaluated at
        once; otherwise one after another.
    multilabel : bool
        Whether it holds multilabel indicators.
    counted : bool
        Whether a confusion table holds all that metrics read.
    ranked, one_column : bool
        Whether rows have scores, and one score each.
    weight : ndarray of shape (n_rows,), float64, or None
    """

    by_row: ClassVar[tuple[str, ...]] = ("true", "pred")
    many_weights: ClassVar[bool] = False
    multilabel: ClassVar[bool] = False
    counted: ClassVar[bool] = False
    ranked: ClassVar[bool] = False
    one_column: bool = False
    weight: Floats | None

    @property
    def strata(self) -> Codes | None:
        """The class of each row, where rows have one."""
        return None

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(getattr(self, self.by_row[0]))

    @property
    def weights(self) -> Floats:
        """The weight of each row, 1 where none are given."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

    def reweighed(self, weight: Floats | None) -> Self:
        """Return the same rows with other weights, of shape (n_rows,) or (replicates, n_rows)."""
        return replace(self, weight=weight)  # type: ignore[type-var]

    def weighing(self, weight: Floats) -> Self:
        """Return the rows of weight above 0, with their new weights."""
        return self.reweighed(weight).subset(np.flatnonzero(weight > 0))

    def subset(self, rows: Codes) -> Self:
        """Return some of the rows, with their weights."""
        taken = {name: getattr(self, name)[rows] for name in self.by_row}
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, weight=weight, **taken)  # type: ignore[type-var]

    def collapsed(self) -> tuple[Self, Codes | None]:
        """Return each kind of equal rows once, and how often it stands; all rows where they differ."""
        return self, None

    def each_class(self, options: Mapping[str, Any], many: Codes | None) -> Sequence[ClassRecord]:
        """Return a record for each class that `options` part, and what its rows stand for."""
        return ()


# A record, how many examples each of its rows stands for, and options.
ClassRecord: TypeAlias = tuple[Record, Codes | None, dict[str, Any]]


def masked_labels(y_pred: Any, name: str = "y_pred", rejected: Any = None) -> Array:
    """Return predicted labels as a masked array, with the mask given or their own."""
    if rejected is not None and np.ma.isMaskedArray(y_pred):
        raise ValueError(f"rejected is given, but {name} is masked itself; pass one mask.")
    mask = np.ma.getmaskarray(y_pred) if rejected is None else _flags(rejected)
    labels = label_array(np.ma.getdata(y_pred) if np.ma.isMaskedArray(y_pred) else y_pred, name)
    if labels.ndim == 2:
        raise refuse_multilabel("A metric of rejections")
    check_same_length({name: labels, "rejected": mask})
    return np.ma.array(labels, mask=mask)


def _flags(rejected: Any) -> Bools:
    """Return the mask of rejected examples: booleans, or zeros and ones."""
    flags = label_array(rejected, "rejected")
    if flags.ndim != 1 or not set(np.unique(flags).tolist()) <= {0, 1}:
        raise ValueError(
            "rejected must hold one True or False for every example, found "
            f"{flags.dtype} of shape {flags.shape}."
        )
    return flags.astype(bool)


def rescaled(score: Array, how: str | None) -> Floats:
    """Map scores into [0, 1]: by their own range ("minmax"), or as log-odds ("expit")."""
    score = score.astype(np.float64, copy=False)
    if how is None:
        return score
    if how == "expit":
        return np.asarray(special.expit(score), dtype=np.float64)
    low, high = score.min(), score.max()
    if high == low:
        return np.zeros_like(score)
    # Halves, so that a span beyond the largest float cannot overflow; but not of the least floats.
    scale = 0.5 if 0.5 * high - 0.5 * low > np.finfo(np.float64).max / 4 else 1.0
    return (scale * score - scale * low) / (scale * high - scale * low)


_ROUNDINGS = 4  # rounding units by which a probability may exceed 0 or 1


class ScoredRecord(Record):
    """A record of scores; `unit` is the rounding unit of the type that they came in."""

    score: Floats
    unit: float

    @cached_property
    def extremes(self) -> tuple[np.float64, np.float64]:
        """The lowest and the highest score; 0 and 1 where rounding alone exceeds them."""
        low, high, room = self.score.min(), self.score.max(), _ROUNDINGS * self.unit
        low = np.float64(0) if -room <= low < 0 else low
        return low, np.float64(1) if 1 < high <= 1 + room else high

    @property
    def shares(self) -> Floats:
        """The scores, as probabilities: those that rounding puts beyond 0 or 1 are 0 or 1."""
        low, high = self.extremes
        if low < 0 or high > 1:
            raise ValueError(
                f"y_proba lies in [{low!s}, {high!s}], but probabilities lie in [0, 1]; pass the output "
                "of predict_proba."
            )
        return self.score.clip(0, 1)


@dataclass(frozen=True, eq=False)
class LabelPair(Record):
    """True and predicted labels as codes into the sorted `classes`.

    `named` holds the codes of the caller's ``labels``, in that order, or None.
    """

    many_weights: ClassVar[bool] = True
    counted: ClassVar[bool] = True

    classes: Array
    true: Codes
    pred: Codes
    weight: Floats | None
    named: Codes | None

    strata = property(attrgetter("true"), doc="The class of each row.")

    @property
    def cells(self) -> Codes:
        """The cell of each row in the confusion table, row by row."""
        return self.true * len(self.classes) + self.pred

    def collapsed(self) -> tuple[Self, Codes | None]:
        """Return each pair of labels once, and how often it stands; weighted rows as they are."""
        if self.weight is not None:
            return self, None
        cells, many = np.unique(self.cells, return_counts=True)
        true, pred = np.divmod(cells, len(self.classes))
        return replace(self, true=true, pred=pred), many

    def each_class(self, options: Mapping[str, Any], many: Codes | None) -> Sequence[ClassRecord]:
        """Return each class against all others."""
        alone = {**options, "pos_label": True, "average": "binary"}
        codes = np.arange(len(self.classes)) if self.named is None else self.named
        return [(*self._against_rest(code, many), alone) for code in codes]

    def _against_rest(self, code: int, many: Codes | None) -> tuple[LabelPair, Codes | None]:
        true, pred = 1 * (self.true == code), 1 * (self.pred == code)
        if many is not None:  # few cells, also of many classes
            held = np.bincount(2 * true + pred, many, 4)
            [cells] = np.nonzero(held)
            (true, pred), many = np.divmod(cells, 2), held[cells].astype(np.int64)
        return replace(self, classes=_RESTS, true=true, pred=pred, named=None), many


# The classes of one class against all others.
_RESTS = np.array([False, True])


@dataclass(frozen=True, eq=False)
class ScoredLabels(ScoredRecord):
    """True labels as codes into the sorted `classes`, with one score or one column of scores each.

    `columns` contains
    the codes of the caller's sorted ``labels``, which name the columns of a score matrix, or None
    if the columns are the classes. `unit` is the rounding unit of the original type of the scores.
    What is put `in_order` once serves every set of weights.
    """

    by_row: ClassVar[tuple[str, ...]] = ("true", "score")
    many_weights: ClassVar[bool] = True
    ranked: ClassVar[bool] = True

    classes: Array
    true: Codes
    score: Floats
    weight: Floats | None
    columns: Codes | None
    unit: float = UNIT
    in_order: dict[Any, Any] = field(default_factory=dict)

    strata = property(attrgetter("true"), doc="The class of each row.")

    def subset(self, rows: Codes) -> Self:
        """Return some of the rows, which are not in order yet."""
        return replace(super().subset(rows), in_order={})

    def each_class(self, options: Mapping[str, Any], many: Codes | None) -> Sequence[ClassRecord]:
        """Return each class against all others, of a matrix of scores."""
        if options.get("multi_class") != "ovr":
            return ()
        alone = {**options, "pos_label": True, "average": "macro", "multi_class": "raise"}
        found = []
        for k, code in enumerate(score_columns(self)):
            true, score = 1 * (self.true == code), self.score[:, k]
            one = ScoredLabels(_RESTS, true, score, self.weight, None, self.unit)
            found.append((one, many, alone))
        return found

    @property
    def one_column(self) -> bool:  # type: ignore[override]
        """Whether there is one score an example, not a column a class."""
        return self.score.ndim == 1

    @cached_property
    def rows_of_class(self) -> list[Codes]:
        """The rows of each class."""
        sizes = np.bincount(self.true, minlength=len(self.classes))
        return np.split(np.argsort(self.true, kind="stable"), np.cumsum(sizes)[:-1])


@dataclass(frozen=True, eq=False)
class IndicatorPair(Record):
    """True and predicted multilabel indicators, boolean matrices of shape (n, n_labels).

    `named` holds the columns that the caller's ``labels`` choose, in that order, or None; `columns` the
    names of all, by default their numbers.
    """

    multilabel: ClassVar[bool] = True

    true: Bools
    pred: Bools
    weight: Floats | None
    named: Codes | None
    columns: Array | None = None


@dataclass(frozen=True, eq=False)
class ScoredIndicators(ScoredRecord):
    """True multilabel indicators with a score for each: matrices of shape (n, n_labels).

    `unit` is the rounding unit of the type that the scores came in.
    """

    by_row: ClassVar[tuple[str, ...]] = ("true", "score")
    multilabel: ClassVar[bool] = True

    true: Bools
    score: Floats
    weight: Floats | None
    unit: float = UNIT


def check_label_pair(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    names: Sequence[str] = ("y_true", "y_pred"),
) -> Any:
    """Return the checked :class:`LabelPair` of two vectors, or :class:`IndicatorPair` of two matrices.

    The classes of both are numbered together.
    """
    y_pred = by_name(y_pred, y_true, names[1])
    true, pred = label_array(y_true, names[0]), label_array(y_pred, names[1])
    true, pred, weight = weighed(names, true, pred, sample_weight)
    named = None if labels is None else named_labels(labels)
    if true.ndim == 2 or pred.ndim == 2:
        check_same_columns({names[0]: true, names[1]: pred})
        if named is not None:
            columns = true.shape[1]
            if named.dtype.kind not in "iu" or named.min() < 0 or named.max() >= columns:
                raise ValueError(
                    f"labels must be columns of the indicator matrix, 0 to {columns - 1}, found "
                    f"{shown(named)}."
                )
            named = named.astype(np.intp)
        return IndicatorPair(true, pred, weight, named)
    arrays = {names[0]: true, names[1]: pred} | ({} if named is None else {"labels": named})
    classes, codes = number_classes(arrays)
    return LabelPair(classes, codes[0], codes[1], weight, codes[2] if named is not None else None)


# With fewer rows it is likely that no prediction meets a true label.
_ENOUGH_ROWS = 20


def warn_of_apart(record: Any, names: Sequence[str]) -> None:
    """Warn of predicted labels, as text, of which none occurs among the true ones."""
    if type(record) is not LabelPair or record.classes.dtype.kind not in "OU":
        return
    true, pred = np.unique(record.true), np.unique(record.pred)
    if record.n_rows >= _ENOUGH_ROWS and not np.isin(pred, true).any():
        warn(
            f"No label of {names[1]} occurs in {names[0]}: {shown(record.classes[pred])} and "
            f"{shown(record.classes[true])}. Labels that differ in case, blanks or spelling are "
            "different classes."
        )


def check_scored_labels(
    y_true: Any,
    y_score: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    names: Sequence[str] = ("y_true", "y_score"),
) -> Any:
    """Return the checked :class:`ScoredLabels`, or :class:`ScoredIndicators`, of labels and scores."""
    score_name = names[1]
    true, y_score = label_array(y_true, names[0]), by_name(y_score, y_true, score_name, labels)
    score, unit = score_array(y_score, score_name), rounding_unit(y_score)
    true, score, weight = weighed(names, true, score, sample_weight)
    if true.ndim == 2:
        check_same_columns({names[0]: true, score_name: score})
        return ScoredIndicators(true, score, weight, unit)
    named = None if labels is None else named_labels(labels)
    classes, codes = number_classes({names[0]: true} | ({} if named is None else {"labels": named}))
    if host_array(y_score).dtype.kind in "biu" and np.isin(score, classes).all():
        warn(
            f"{score_name} holds nothing but class labels ({shown(np.unique(score))} as integers): "
            "these look like predictions, not scores. Pass predict_proba or decision_function (a "
            "scorer's response_method), or floats if they are meant as scores."
        )
    if score.ndim == 2 and named is not None and (np.diff(codes[1]) < 0).any():
        raise ValueError(
            f"labels must be in sorted order, {shown(np.sort(named))}, as the columns of "
            f"{score_name} are, found {shown(named)}."
        )
    columns = codes[1] if named is not None else None
    score = score.astype(np.float64, copy=False)
    return ScoredLabels(classes, codes[0], score, weight, columns, unit)


def check_binary_scores(
    what: str, y_true: Any, y_score: Any, pos_label: Any = None, *, unit: str = "", **given: Any
) -> tuple[Bools, ScoredLabels]:
    """Return which rows are positive, and the checked scores; in [0, 1] for the name in `unit`."""
    scored = check_scored_labels(y_true, y_score, **given)
    if scored.multilabel:
        raise refuse_multilabel(what)
    check_one_column(scored.score)
    if unit:
        check_unit_range(scored.extremes, unit)
    return scored.true == known_positive(positive_code(scored.classes, pos_label)), scored


def positive_code(classes: Array, pos_label: Any = None, *, either: bool = False) -> int | None:
    """Return the code of the positive class, -1 where it does not occur, None where unknown.

    Parameters
    ----------
    classes : ndarray
        Sorted classes that occur in the data or in ``labels``.
    pos_label : label, default=None
        None means 1 (or True) where all classes lie in {-1, 0, 1} or are bool.
    either : bool, default=False
        Whether other labels may do without a name: then the greater of two is positive, and a lone
        class leaves it unknown.
    """
    if len(classes) > 2:
        raise ValueError(
            f"A binary metric takes two classes, found {len(classes)}: {shown(classes)}. Choose "
            "average='macro', 'micro', 'weighted', or None for a value of each class, where labels "
            "are predicted, and multi_class='ovr' or 'ovo' for a matrix of scores."
        )
    known = classes.tolist()
    if pos_label is not None:
        if pos_label in known:
            return known.index(pos_label)
        if len(known) > 1:
            raise ValueError(
                f"pos_label={pos_label!r} is not a valid label: it should be one of "
                f"{shown(classes)}."
            )
        return -1
    if _OF_ITSELF.issuperset(known):
        return known.index(1) if 1 in known else -1
    if not either:
        raise ValueError(unnamed_positive(classes))
    return 1 if len(classes) == 2 else None


def sorts_first(classes: Array, code: int, pos_label: Any = None) -> bool:
    """Return whether the positive class, of a code, sorts before the other one."""
    if code < 0:  # it does not occur
        return pos_label is not None and bool(pos_label < classes[0])
    return code == 0 and len(classes) == 2


_OF_ITSELF = frozenset({-1, 0, 1})


def names_positive(classes: Array) -> bool:
    """Whether the labels define the positive class: all are in {-1, 0, 1} or bool."""
    return _OF_ITSELF.issuperset(classes.tolist())  # True and False are 1 and 0


def unnamed_positive(classes: Array, whose: str = "the value") -> str:
    """Return the message for a value that depends on an unnamed positive class."""
    return (
        f"pos_label=None does not determine which of the labels {shown(classes)} is the positive "
        f"class, and {whose} depends on it; pass pos_label."
    )


def positive_scores(response: Array, classes: Array, positive: Any) -> Array:
    """Return a classifier's scores of one class: its column, or the signed decision value of two."""
    code = code_of(classes, positive)
    if code < 0:
        raise ValueError(
            f"pos_label={positive!r} is not a class of the estimator, whose classes are "
            f"{classes.tolist()}."
        )
    if response.ndim == 2:
        return response[:, code]
    return response if code == len(classes) - 1 else -response


def scores_of_positive(response: Array, classes: Array | None, positive: Any) -> Array:
    """Return the scores of the positive class of two, or the matrix of many."""
    if classes is None or len(classes) > 2:
        return response
    return positive_scores(response, classes, positive)


def refuse_not_of_counts(metric: str) -> ValueError:
    """Return the error for a metric of scores that is requested at every threshold."""
    return ValueError(
        f"{metric} is not a function of the confusion table, so it has no value at a threshold; "
        f"choose metrics of predicted labels."
    )


def refuse_missing_class(curve: str) -> ValueError:
    """Return the error for a curve over pairs where one class has no example."""
    return ValueError(f"y_true holds examples of one class only; a {curve} compares two.")


def refuse_multilabel(metric: str) -> ValueError:
    """Return the error for multilabel indicators given to a metric that has no meaning there."""
    return ValueError(f"{metric} does not apply to multilabel indicators; y_true must be a vector.")


def check_unit_range(extremes: tuple[np.float64, np.float64], metric: str) -> None:
    """Raise an error for a lowest or highest score outside [0, 1] for a metric of score values."""
    low, high = extremes
    if low < 0 or high > 1:
        raise ValueError(
            f"y_score lies in [{low:.6g}, {high:.6g}], but {metric} reads score values and needs "
            "them in [0, 1]: use probabilities (a scorer's response_method='predict_proba'), or "
            "pass rescale='minmax' (over the scored set) or rescale='expit' (for log-odds)."
        )


def check_one_column(score: Floats) -> None:
    """Raise an error for a matrix of scores where one binary problem is needed."""
    if score.ndim != 1:
        raise ValueError(
            f"y_score must be one-dimensional here, the scores of the positive class, found shape "
            f"{score.shape}."
        )


def known_positive(code: int | None) -> int:
    """Raise an error if the positive class is not defined."""
    if code is None:
        raise ValueError("y_true has one class only, which may be either one; pass pos_label.")
    return code


def score_columns(scored: ScoredLabels) -> Codes:
    """Return the class code of each column of a score matrix of three or more classes."""
    if len(scored.classes) <= 2 and scored.score.shape[1] == 2:
        raise ValueError(
            "y_score has two columns for a binary problem; pass the column of the positive class, "
            "y_score[:, 1] of predict_proba where that is the greater label."
        )
    columns = np.arange(len(scored.classes)) if scored.columns is None else scored.columns
    if scored.score.shape[1] != len(columns):
        raise refuse_columns("y_score", scored.score.shape[1], len(columns), scored.classes)
    if len(columns) < len(scored.classes):
        raise ValueError(
            f"y_true holds labels that labels= does not name: {shown(scored.classes)}."
        )
    return columns


def refuse_columns(name: str, columns: int, needed: int, classes: Array) -> ValueError:
    """Return the error for scores that do not have a column a class."""
    return ValueError(
        f"{name} has {columns} columns, but there are {needed} classes ({shown(classes)}); give one "
        "column a class in sorted order, and name all classes with labels= if some do not occur in "
        "y_true."
    )


def refuse_no_predictions(metric: str | None = None, name: str = "y_pred or y_score") -> ValueError:
    """Return the error for metrics of missing predictions."""
    whose = "evaluate" if metric is None else f"The metric {metric!r}"
    return ValueError(f"{whose} needs {name}, which was not given; pass it (or counts=).")


def names_one_class(pos_label: Any) -> bool:
    """Whether `pos_label` names a class: 1 is scikit-learn's default where each class has a problem."""
    return pos_label is not None and not (np.isscalar(pos_label) and pos_label == 1)


def check_counts(counts: dict[str, Any]) -> list[Floats]:
    """Check the four counts of a confusion table: finite, non-negative, of shapes that broadcast."""
    arrays = [float_array(value, name, scalar=True) for name, value in counts.items()]
    for name, array in zip(counts, arrays, strict=True):
        if not np.isfinite(array).all() or (array < 0).any():
            raise ValueError(f"{name} must hold finite counts >= 0, found {counts[name]!r}.")
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = {name: array.shape for name, array in zip(counts, arrays, strict=True)}
        raise ValueError(f"The counts must have shapes that broadcast, found {shapes}.") from None


def in_row_order(table: Any) -> Any:
    """Return a frame of counts with its columns in the order of the rows, if both have names."""
    return by_name(table, None, "the table", table.index) if hasattr(table, "index") else table


def check_table(table: Any) -> Floats:
    """Check a K x K confusion matrix (rows true, columns predicted), leading axes allowed."""
    (array,) = check_counts({"table": in_row_order(table)})
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] < 2:
        raise ValueError(
            f"table must be K x K with K >= 2 (rows true, columns predicted), found shape "
            f"{array.shape}."
        )
    return array


def check_cost(cost: Any, classes: int) -> Floats:
    """Check a K x K matrix of costs, ``cost[true, predicted]``."""
    refuse_named_costs(cost, classes)
    array = float_array(cost, "cost")
    if array.shape != (classes, classes) or not np.isfinite(array).all():
        raise ValueError(
            f"cost must be a finite {classes} x {classes} matrix, cost[true, predicted], found "
            f"shape {array.shape}; name all classes with labels= if some do not occur."
        )
    return array


def refuse_named_costs(cost: Any, classes: int) -> None:
    """Raise an error for costs in a frame whose names may say another order than the positions."""
    named, numbers = column_names(cost), list(range(classes))
    if named and not named == list(getattr(cost, "index", numbers)) == numbers:
        raise ValueError(
            f"cost is a frame with columns {shown(named)}, and costs are read by position; pass "
            "to_numpy(), with rows and columns in sorted order of the classes or that of labels=."
        )
