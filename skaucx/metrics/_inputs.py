"""Raw labels, scores and weights become checked, frozen records: the one place that refuses input."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse, special

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Array = npt.NDArray[Any]

# Integer labels spread no wider than this are numbered by a look-up table, others by sorting.
_WIDEST_LOOKUP = 65536


@dataclass(frozen=True, eq=False)
class LabelPair:
    """True and predicted labels as codes into the sorted `classes`.

    `named` holds the codes of the caller's ``labels``, in that order, or None.
    """

    classes: Array
    true: Codes
    pred: Codes
    weight: Floats | None
    named: Codes | None


@dataclass(frozen=True, eq=False)
class ScoredLabels:
    """True labels as codes into the sorted `classes`, with one score or one column of scores each.

    `columns` holds the codes of the caller's ``labels``, which name the columns of a score matrix, or
    None: then the columns stand for the sorted classes.
    """

    classes: Array
    true: Codes
    score: Floats
    weight: Floats | None
    columns: Codes | None


def check_label_pair(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    names: Sequence[str] = ("y_true", "y_pred"),
) -> LabelPair:
    """Check two vectors of labels and number their classes together."""
    true, pred = (_label_vector(y, name) for y, name in zip((y_true, y_pred), names, strict=True))
    weight = _weight_vector(sample_weight)
    _same_length({names[0]: true, names[1]: pred, "sample_weight": weight})
    true, pred, weight = _without_zero_weights(weight, true, pred)
    named = None if labels is None else _named_labels(labels)
    arrays = {names[0]: true, names[1]: pred} | ({} if named is None else {"labels": named})
    classes, codes = _number(arrays)
    return LabelPair(classes, codes[0], codes[1], weight, codes[2] if named is not None else None)


def check_scored_labels(
    y_true: Any,
    y_score: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    score_name: str = "y_score",
) -> ScoredLabels:
    """Check labels with their scores: one score an example, or one column a class."""
    true = _label_vector(y_true, "y_true")
    score = score_array(y_score, score_name)
    weight = _weight_vector(sample_weight)
    _same_length({"y_true": true, score_name: score, "sample_weight": weight})
    true, score, weight = _without_zero_weights(weight, true, score)
    named = None if labels is None else _named_labels(labels)
    classes, codes = _number({"y_true": true} | ({} if named is None else {"labels": named}))
    return ScoredLabels(classes, codes[0], score, weight, codes[1] if named is not None else None)


def positive_code(
    classes: Array, pos_label: Any = None, *, one_or_fail: bool = False
) -> int | None:
    """Return the code of the positive class, -1 where it does not occur, None where unknown.

    Parameters
    ----------
    classes : ndarray
        Sorted classes that occur in the data or in ``labels``.
    pos_label : label, default=None
        None means 1 (or True) where all classes lie in {-1, 0, 1} or are bool, otherwise the
        greater of the two classes; a lone class of another kind leaves it unknown.
    one_or_fail : bool, default=False
        Whether to refuse classes such as {1, 2}, for which a function of scikit-learn with
        ``pos_label=1`` as its default would take the other class as positive.
    """
    if len(classes) > 2:
        raise ValueError(
            f"A binary metric takes two classes, found {len(classes)}: {_shown(classes)}. Choose "
            "average='macro', 'micro', 'weighted' or None for predicted labels, or multi_class='ovr' "
            "or 'ovo' for a matrix of scores."
        )
    if pos_label is not None:
        return _given_positive(classes, pos_label)
    if classes.dtype.kind == "b" or (
        classes.dtype.kind in "iuf" and np.isin(classes, (-1, 0, 1)).all()
    ):
        return _code_of(classes, 1)
    if one_or_fail and classes.dtype.kind in "iuf" and 1 in classes and len(classes) == 2:
        raise ValueError(
            f"pos_label=None is ambiguous for the labels {_shown(classes)}: scikit-learn's function "
            "of this name takes 1 as the positive class, others take the greater label; pass "
            "pos_label."
        )
    return 1 if len(classes) == 2 else None


def rescaled(score: Floats, how: str | None) -> Floats:
    """Map scores into [0, 1]: by their own range ("minmax"), or as log-odds ("expit")."""
    if how is None:
        return score
    if how == "expit":
        return np.asarray(special.expit(score), dtype=np.float64)
    low, high = score.min(), score.max()
    if high == low:
        return np.zeros_like(score)
    half = (
        0.5 * score - 0.5 * low
    )  # halves, so that a span beyond the largest float cannot overflow
    return half / (0.5 * high - 0.5 * low)


def check_unit_interval(score: Floats, metric: str) -> None:
    """Refuse scores outside [0, 1] for a metric that reads their values."""
    low, high = score.min(), score.max()
    if low < 0 or high > 1:
        raise ValueError(
            f"y_score lies in [{low:.6g}, {high:.6g}], but {metric} reads score values and needs "
            "them in [0, 1]: use probabilities (a scorer's response_method='predict_proba'), or "
            "pass rescale='minmax' (over the scored set) or rescale='expit' (for log-odds)."
        )


def check_probabilities(score: Floats) -> Floats:
    """Return the n x K matrix of class probabilities; one column means the positive class."""
    low, high = score.min(), score.max()
    if low < 0 or high > 1:
        raise ValueError(
            f"y_proba lies in [{low:.6g}, {high:.6g}], but probabilities lie in [0, 1]; pass the "
            "output of predict_proba."
        )
    if score.ndim == 1:
        return np.column_stack([1 - score, score])
    totals = score.sum(axis=1)
    if not np.allclose(totals, 1, rtol=math.sqrt(np.finfo(np.float64).eps)):
        raise ValueError(
            f"The rows of y_proba do not sum to one (the least and greatest sums are "
            f"{totals.min():.6g} and {totals.max():.6g}); pass the output of predict_proba."
        )
    return score


def score_columns(scored: ScoredLabels) -> Codes:
    """Return the class code of each column of a score matrix of three or more classes."""
    if len(scored.classes) <= 2 and scored.score.shape[1] == 2:
        raise ValueError(
            "y_score has two columns for a binary problem; pass the column of the positive class, "
            "y_score[:, 1] of predict_proba where that is the greater label."
        )
    columns = np.arange(len(scored.classes)) if scored.columns is None else scored.columns
    if scored.score.shape[1] != len(columns):
        raise ValueError(
            f"y_score has {scored.score.shape[1]} columns, but there are {len(columns)} classes "
            f"({_shown(scored.classes)}); give one column a class in sorted order, and name all "
            "classes with labels= if some do not occur in y_true."
        )
    if len(columns) < len(scored.classes):
        raise ValueError(
            f"y_true holds labels that labels= does not name: {_shown(scored.classes)}."
        )
    return columns


def check_counts(counts: dict[str, Any]) -> list[Floats]:
    """Check the four counts of a confusion table: finite, non-negative, of shapes that broadcast."""
    arrays = [_floats(value, name) for name, value in counts.items()]
    for name, array in zip(counts, arrays, strict=True):
        if not np.isfinite(array).all() or (array < 0).any():
            raise ValueError(f"{name} must hold finite counts >= 0, found {counts[name]!r}.")
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        shapes = {name: array.shape for name, array in zip(counts, arrays, strict=True)}
        raise ValueError(f"The counts must have shapes that broadcast, found {shapes}.") from None


def check_table(table: Any) -> Floats:
    """Check a K x K confusion matrix (rows true, columns predicted), leading axes allowed."""
    (array,) = check_counts({"table": table})
    if array.ndim < 2 or array.shape[-1] != array.shape[-2] or array.shape[-1] < 2:
        raise ValueError(
            f"table must be K x K with K >= 2 (rows true, columns predicted), found shape "
            f"{array.shape}."
        )
    return array


def check_cost(cost: Any, classes: int) -> Floats:
    """Check a K x K matrix of costs, ``cost[true, predicted]``."""
    array = _floats(cost, "cost")
    if array.shape != (classes, classes) or not np.isfinite(array).all():
        raise ValueError(
            f"cost must be a finite {classes} x {classes} matrix, cost[true, predicted], found "
            f"shape {array.shape}; name all classes with labels= if some do not occur."
        )
    return array


def check_replacement(value: Any) -> float:
    """Check a value of kappa that is to stand for 0/0."""
    if isinstance(value, Real) and (math.isnan(value) or -1 <= value <= 1):
        return float(value)
    raise ValueError(f"replace_undefined_by must lie in [-1, 1] or be nan, found {value!r}.")


def check_binary(table: Floats) -> Floats:
    """Check that several confusion tables are 2 x 2."""
    if table.shape[-1] != 2:
        raise ValueError(
            f"A stack of tables must be 2 x 2 for this metric, found shape {table.shape}; pass "
            "K x K tables one at a time, with average=."
        )
    return table


def check_band(name: str, band: Any) -> tuple[float, float]:
    """Check an interval (low, high) with 0 <= low < high <= 1."""
    try:
        low, high = (float(edge) for edge in band)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a pair (low, high), found {band!r}.") from None
    if not 0 <= low < high <= 1:
        raise ValueError(f"{name} must satisfy 0 <= low < high <= 1, found {band!r}.")
    return low, high


def check_choice(name: str, value: Any, choices: Iterable[Any]) -> Any:
    """Return `value` if it is one of `choices` (compared by value and by kind)."""
    choices = tuple(choices)
    if any(value is choice or (isinstance(value, str) and value == choice) for choice in choices):
        return value
    raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, found {value!r}.")


def unknown_name(kind: str, name: Any, known: Iterable[str]) -> ValueError:
    """Return the error for a name that nothing answers to, with the nearest that something does."""
    near = difflib.get_close_matches(str(name), known, n=4, cutoff=0.5)
    hint = f"did you mean {', '.join(map(repr, near))}?" if near else "none is near it."
    return ValueError(f"{name!r} is not the name of a {kind}; {hint}")


def refuse_no_predictions(metric: str | None = None, name: str = "y_pred or y_score") -> ValueError:
    """Return the error for measures asked of predictions that were not given."""
    whose = "evaluate" if metric is None else f"The metric {metric!r}"
    return ValueError(f"{whose} needs {name}, which was not given; pass it (or counts=).")


def check_zero_division(value: Any) -> str | float:
    """Return "warn", 0.0, 1.0 or nan."""
    if isinstance(value, str) and value == "warn":
        return value
    if isinstance(value, Real) and (value in (0, 1) or math.isnan(value)):
        return float(value)
    raise ValueError(f"zero_division must be 'warn', 0, 1 or nan, found {value!r}.")


@dataclass(frozen=True)
class Interval:
    """The real numbers that a parameter may take; open ends are marked."""

    low: float
    high: float
    open_low: bool = False
    open_high: bool = False

    def check(self, name: str, value: Any) -> float:
        """Return `value` as a float if it lies in the interval."""
        if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
            raise TypeError(f"{name} must be a real number in {self}, found {value!r}.")
        number = float(value)
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        if not (above and below and math.isfinite(number)):
            raise ValueError(f"{name} must be a finite number in {self}, found {value!r}.")
        return number

    def __str__(self) -> str:
        left, right = "(" if self.open_low else "[", ")" if self.open_high else "]"
        return f"{left}{self.low:g}, {self.high:g}{right}"


def score_array(values: Any, name: str) -> Floats:
    """Return finite float64 scores of shape (n,) or (n, K)."""
    array = _floats(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2):
        raise ValueError(f"{name} must have shape (n,) or (n, n_classes), found {array.shape}.")
    if array.size == 0:
        raise ValueError(f"{name} is empty; at least one example is needed.")
    # The sum of finite numbers is nan or inf only by overflow: one pass settles the usual case.
    with np.errstate(over="ignore", invalid="ignore"):
        suspicious = not math.isfinite(array.sum())
    if suspicious and not np.isfinite(array).all():
        raise ValueError(f"Input contains NaN or infinity in {name}; scores must be finite.")
    return array


def _label_vector(values: Any, name: str) -> Array:
    """Return labels as a one-dimensional array of bool, integers, integral floats or strings."""
    array = _plain_array(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name} must be a vector of class labels, found shape {array.shape}.")
    if array.size == 0:
        raise ValueError(f"{name} is empty; at least one example is needed.")
    if array.dtype.kind == "O":
        array = _from_objects(array, name)
    if array.dtype.kind == "f":
        _whole_numbers(array, name)
    elif array.dtype.kind not in "biuU":
        raise TypeError(
            f"{name} has dtype {array.dtype}; class labels are strings, integers or booleans."
        )
    return array


def _whole_numbers(array: Array, name: str) -> None:
    if np.isnan(array).any():
        raise ValueError(f"Input contains NaN in {name}; class labels must be known.")
    if not np.isfinite(array).all() or (array != np.floor(array)).any():
        raise ValueError(
            f"{name} holds continuous values (such as {array.flat[0]!r}), but class labels are "
            "needed; pass the output of predict, or cut the scores at a threshold."
        )


def _from_objects(array: Array, name: str) -> Array:
    """Turn an object array of strings, or of numbers, into a plain one."""
    values = array.tolist()
    kinds = set(map(type, values))
    if kinds <= {str, np.str_}:
        return np.asarray(values, dtype=np.str_)
    if all(issubclass(kind, (Real, np.bool_)) for kind in kinds):
        return np.asarray(values)
    if all(issubclass(kind, (Real, np.bool_, str)) for kind in kinds):
        if any(value != value for value in values):
            raise ValueError(f"Input contains NaN in {name}; class labels must be known.")
        raise TypeError(f"{name} mixes strings and numbers; use labels of one kind.")
    odd = next(v for v in values if not isinstance(v, (Real, np.bool_, str)))
    raise ValueError(
        f"{name} holds {odd!r} ({type(odd).__name__}); class labels are strings, integers or "
        "booleans, none of them missing."
    )


def _plain_array(values: Any, name: str) -> Array:
    """Return an ndarray, refusing what NumPy would convert into something else unseen."""
    if values is None:
        raise TypeError(f"{name} is None; pass an array-like.")
    if sparse.issparse(values):
        raise TypeError(f"Sparse input is not supported for {name}; pass {name}.toarray().")
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array; a mask is never ignored here: pass the unmasked entries "
            "(values.compressed()) of all arrays."
        )
    if isinstance(values, (str, bytes, dict, set, frozenset)) or callable(values):
        raise TypeError(f"{name} must be an array-like, found {type(values).__name__}.")
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{name} is not a rectangular array: {error}") from None
    if array.ndim and array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        _refuse_mixed_list(values, name)
    if array.ndim == 0:
        raise TypeError(f"{name} must be an array-like, found the scalar {values!r}.")
    return array


def _refuse_mixed_list(values: Sequence[Any], name: str) -> None:
    """NumPy turns [1, "a"] into strings and [nan, "a"] into "nan"; neither is meant."""
    if any(not isinstance(value, (str, np.str_, Sequence, np.ndarray)) for value in values):
        _from_objects(np.array(values, dtype=object), name)


def _floats(values: Any, name: str) -> Floats:
    """Return float64 values of a real numeric array-like."""
    dtype = getattr(values, "dtype", None)
    if getattr(dtype, "na_value", None) is not None and hasattr(values, "to_numpy"):
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)  # pandas nullable columns
    array = _plain_array(values, name) if np.ndim(values) else np.asarray(values)
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{name} has dtype {array.dtype}, but real numbers are needed; convert it with "
            "astype(float) if it holds them."
        )
    return array.astype(np.float64, copy=False)


def _weight_vector(values: Any) -> Floats | None:
    if values is None:
        return None
    weight = _floats(values, "sample_weight")
    if weight.ndim == 2 and weight.shape[1] == 1:
        weight = weight[:, 0]
    if weight.ndim != 1:
        raise ValueError(f"sample_weight must be one-dimensional, found shape {weight.shape}.")
    if not np.isfinite(weight).all():
        raise ValueError("Input sample_weight contains NaN or infinity; weights must be finite.")
    if (weight < 0).any():
        raise ValueError(f"Negative values in sample_weight: the least is {weight.min():.6g}.")
    return weight


def _same_length(arrays: dict[str, Array | None]) -> None:
    lengths = {name: len(array) for name, array in arrays.items() if array is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{list(lengths.values())} ({listed})."
        )


def _without_zero_weights(weight: Floats | None, *arrays: Array) -> tuple[Any, ...]:
    """Drop the rows that weigh nothing; return the arrays, then the weights."""
    if weight is None or weight.all():
        return *arrays, weight
    kept = weight > 0
    if not kept.any():
        raise ValueError("sample_weight is zero everywhere; at least one example must count.")
    return *(array[kept] for array in arrays), weight[kept]


def _named_labels(labels: Any) -> Array:
    named = _label_vector(labels, "labels")
    if len(np.unique(named)) != len(named):
        raise ValueError(f"labels must be distinct, found {_shown(named)}.")
    return named


def _number(arrays: dict[str, Array]) -> tuple[Array, list[Codes]]:
    """Number the classes of several label vectors together: sorted classes, one code vector each."""
    textual = {name: array.dtype.kind == "U" for name, array in arrays.items()}
    if len(set(textual.values())) > 1:
        found = ", ".join(f"{name} {array.dtype}" for name, array in arrays.items())
        raise TypeError(f"Labels of one kind are needed, found strings and numbers: {found}.")
    vectors = list(arrays.values())
    if all(vector.dtype.kind in "biu" for vector in vectors):
        low = min(int(vector.min()) for vector in vectors)
        high = max(int(vector.max()) for vector in vectors)
        if high - low < _WIDEST_LOOKUP and -(2**62) < low and high < 2**62:
            return _number_by_lookup(vectors, low, high)
    classes, codes = np.unique(np.concatenate(vectors), return_inverse=True)
    return classes, np.split(codes, np.cumsum([len(vector) for vector in vectors])[:-1])


def _number_by_lookup(vectors: list[Array], low: int, high: int) -> tuple[Array, list[Codes]]:
    offsets = [vector.astype(np.intp, copy=False) - low for vector in vectors]
    seen = np.zeros(high - low + 1, dtype=bool)
    for offset in offsets:
        seen |= np.bincount(offset, minlength=len(seen)) > 0
    classes = (np.flatnonzero(seen) + low).astype(np.result_type(*vectors))
    if not seen.all():
        rank = np.cumsum(seen) - 1
        offsets = [rank[offset] for offset in offsets]
    return classes, offsets


def _given_positive(classes: Array, pos_label: Any) -> int:
    code = _code_of(classes, pos_label)
    if code < 0 and len(classes) > 1:
        raise ValueError(
            f"pos_label={pos_label!r} is not a valid label: it should be one of {_shown(classes)}."
        )
    return code


def _code_of(classes: Array, label: Any) -> int:
    hits = [code for code, known in enumerate(classes.tolist()) if known == label]
    return hits[0] if hits else -1


def _shown(labels: Array, most: int = 8) -> str:
    listed = ", ".join(repr(label) for label in labels[:most].tolist())
    return f"{{{listed}{', ...' if len(labels) > most else ''}}}"
