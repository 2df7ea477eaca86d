"""Validate array-likes and convert them to plain arrays of labels, scores or weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from ._compat import warn

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
Array = npt.NDArray[Any]
# An entry a row; a column's name where the rows are those of a frame.
Rows = npt.ArrayLike
RandomState = int | np.random.RandomState | np.random.Generator | None

# The rounding unit of float64.
UNIT = float(np.finfo(np.float64).eps)
_EXACT = 2**53  # up to here every integer is a float
# Integer labels within a range of this width are numbered by counting, others by sorting.
_WIDEST_COUNTED = 65536
_HEAVIEST = 1e300  # a weight
_MISSING = frozenset({"nan", "NaN", "NaT", "<NA>"})


def on_host(values: Any) -> Any:
    """Return an array of another library or device as one that NumPy reads.

    Arrays of other devices are copied by DLPack, or by ``cpu`` of torch or ``get`` of cupy.
    """
    arrow = hasattr(values, "__arrow_c_array__")  # read by NumPy, whatever its type
    if isinstance(values, np.ndarray) or arrow or not hasattr(values, "__dlpack_device__"):
        return values
    plain = values.detach() if hasattr(values, "detach") else values  # of torch, without gradients
    for copy in (np.from_dlpack, lambda x: np.asarray(x.cpu()), lambda x: x.get()):
        with suppress(AttributeError, TypeError, ValueError, RuntimeError, BufferError):
            return copy(plain)
    return plain


def host_array(values: Any) -> Array:
    """Return what NumPy reads of an array of any library or device, or objects where it makes texts."""
    array = np.asarray(on_host(values))
    if array.dtype.kind not in "US" or not isinstance(values, (list, tuple)):
        return array
    entries = np.array(values, dtype=object)  # NumPy makes the text 'nan' of a number among texts
    return array if all(isinstance(each, (str, bytes)) for each in entries.flat) else entries


def refuse_no_array(values: Any, name: str) -> None:
    """Raise an error for a text or a model in the place of an array, such as the name of a column."""
    if isinstance(values, str) or hasattr(values, "predict"):
        text = isinstance(values, str)
        found = f"the text {values!r}" if text else f"the estimator {type(values).__name__}"
        raise TypeError(
            f"{name} must be an array-like, found {found}; pass the column itself, such as "
            "frame['label'] (names of columns are for calls with data=), or predictions, such as "
            "model.predict_proba(X)[:, 1]."
        )


_NO_ARRAYS: tuple[tuple[Any, str], ...] = (
    (type(None), "is None; pass an array-like."),
    ((sparse.spmatrix, sparse.sparray), "is sparse, which is not supported; pass {name}.toarray()."),
    (np.ma.MaskedArray, "is a masked array, and a mask is never ignored: pass the unmasked entries "
     "(values.compressed()) of all arrays."),
    ((dict, set, frozenset, Iterator, Callable), "must be an array-like, found {found}; pass an array "
     "or a list."),
)  # fmt: skip


def plain_array(values: Any, name: str, *, scalar: bool = False) -> Array:
    """Return an ndarray; raise an error where NumPy would silently change the values."""
    if type(values) is np.ndarray and values.ndim:
        return values
    if not scalar:
        refuse_no_array(values, name)
    for kinds, text in _NO_ARRAYS:
        if isinstance(values, kinds):
            raise TypeError(f"{name} {text.format(name=name, found=type(values).__name__)}")
    array = _read_by_numpy(values, name)
    if array.ndim == 0 and not scalar:
        raise TypeError(f"{name} must be an array-like, found the scalar {values!r}.")
    return array


def _read_by_numpy(values: Any, name: str) -> Array:
    try:
        return host_array(values)
    except (TypeError, RuntimeError) as error:
        raise TypeError(
            f"{name} is {type(values).__name__}, which NumPy cannot read; pass a dense copy with "
            f"float32 or float64 numbers, in the host's memory: {error}"
        ) from None
    except ValueError as error:
        raise ValueError(
            f"{name} is not a rectangular array; several labels a row go into a matrix of 0 and 1, "
            f"as MultiLabelBinarizer makes it: {error}"
        ) from None


def float_array(values: Any, name: str, *, scalar: bool = False) -> Floats:
    """Return float64 values of a real numeric array-like, or of a scalar where one is allowed."""
    frame = hasattr(values, "iloc") and hasattr(values, "columns")
    if frame and all(getattr(kind, "kind", "O") in "biuf" for kind in values.dtypes):
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)  # of nullable columns, too
    array = plain_array(values, name, scalar=scalar)
    if array.dtype.kind not in "biuf":
        refuse_missing(array, name)
        raise TypeError(
            f"{name} has dtype {array.dtype}, but real numbers are needed; convert it with "
            "astype(float) if it holds them."
        )
    return array.astype(np.float64, copy=False)


def entries_of_column(values: Any) -> Any:
    """Return the entries of a matrix or frame of one column; anything else unchanged."""
    if sparse.issparse(values) or getattr(values, "shape", ())[1:] != (1,):
        return values
    return values.iloc[:, 0] if hasattr(values, "iloc") else values[:, 0]


def _entries(array: Array, name: str, wanted: str, axes: int = 2) -> Array:
    """Return entries in one to `axes` dimensions, at least one, with a single column as a vector."""
    array = entries_of_column(array)
    if not 1 <= array.ndim <= axes:
        raise ValueError(f"{name} must {wanted}, found shape {array.shape}.")
    if array.size == 0:
        raise ValueError(f"{name} is empty; at least one example is needed.")
    return array


def score_array(values: Any, name: str) -> Floats:
    """Return finite float64 scores of shape (n,) or (n, K)."""
    given = float_array(values, name)
    array = _entries(given, name, "have shape (n,) or (n, n_classes)")
    # Floats that were not converted were never integers.
    converted = given is not values and max(array.max(), -array.min()) >= _EXACT
    if converted and host_array(values).dtype.kind in "iuO":
        raise ValueError(
            f"{name} holds integers beyond 2^53, which floats cannot represent; pass their ranks "
            "(scipy.stats.rankdata), or floats."
        )
    if not (finite := np.isfinite(array)).all():
        raise ValueError(
            f"Input contains NaN or infinity in {name}; scores must be finite, but those of "
            f"{rows_of(~finite)} are not: remove these rows from all arrays, or give them a score."
        )
    return array


def rows_of(odd: Bools) -> str:
    """Return the number of rows with a flagged value, and the first of them, as text."""
    rows: Bools = np.logical_or.reduce(odd.reshape(len(odd), -1), axis=1)
    return f"{np.count_nonzero(rows)} of {len(rows)} rows (first: row {rows.argmax()})"


def refuse_missing(values: Any, name: str) -> None:
    """Raise an error for an array with missing entries (None, nan, NaT, pandas.NA), with their rows."""
    array = host_array(values)
    if array.dtype.kind in "biuU":
        return
    if array.dtype.kind == "O":
        flags = [_is_missing(each) for each in array.ravel().tolist()]
        missing = np.array(flags, dtype=bool).reshape(array.shape)
    else:
        missing = np.asarray(array != array, dtype=bool)
    if missing.any():
        raise ValueError(
            f"Input contains NaN in {name}, in {rows_of(missing)}: None, nan, NaT and NA are no "
            "values; remove these rows from all arrays, or fill them in."
        )


def _is_missing(entry: Any) -> bool:
    return entry is None or (not isinstance(entry, str) and str(entry) in _MISSING)


def label_array(values: Any, name: str) -> Array:
    """Return labels as a vector of bool, integers, integral floats or strings, or as indicators.

    Multilabel indicators, a matrix of 0 and 1 (sparse too), become a boolean matrix.
    """
    array = plain_array(values.toarray() if bool(sparse.issparse(values)) else values, name)
    wanted = "be a vector of class labels or a matrix of multilabel indicators"
    array = _entries(array, name, wanted)
    refuse_missing(array, name)
    if array.dtype.kind == "O":
        array = _of_objects(array, name)
    if array.dtype.kind not in "biufU":
        raise TypeError(
            f"{name} has dtype {array.dtype}; class labels are strings, integers or booleans."
        )
    if (
        array.dtype.kind == "f"
        and not (whole := np.isfinite(array) & (np.floor(array) == array)).all()
    ):
        raise ValueError(
            f"{name} holds continuous values (such as {array[~whole][0].item()!r}), but class labels "
            "are needed; pass the output of predict, or cut the scores at a threshold. Where a "
            "function has y_score, scores go there."
        )
    if array.ndim == 1:
        return array
    if array.dtype.kind == "U" or not np.isin(array, (0, 1)).all():
        raise ValueError(
            f"{name} has shape {array.shape}, so it must hold multilabel indicators, 0 or 1; class "
            "labels of one target go into a vector."
        )
    return array.astype(bool)


def _of_objects(array: Array, name: str) -> Array:
    """Turn an object array of strings, or of numbers, into a plain one."""
    values = array.ravel().tolist()
    kinds = set(map(type, values))
    odd = [kind for kind in kinds if not issubclass(kind, (Real, np.bool_, str))]
    if odd:
        first = next(each for each in values if type(each) in odd)
        raise ValueError(
            f"{name} holds {first!r} ({type(first).__name__}); class labels are strings, integers or "
            "booleans."
        )
    if len({issubclass(kind, str) for kind in kinds}) > 1:
        raise TypeError(f"{name} mixes strings and numbers; use labels of one kind.")
    return np.asarray(values).reshape(array.shape)


def weight_vector(values: Any) -> Floats | None:
    if values is None:
        return None
    name = "sample_weight"
    weight = _entries(float_array(values, name), name, "be one-dimensional", axes=1)
    if not (finite := np.isfinite(weight)).all():
        raise ValueError(
            f"Input sample_weight contains NaN or infinity, in {rows_of(~finite)}; weights must be "
            "finite."
        )
    if (weight < 0).any():
        raise ValueError(
            f"Negative values in sample_weight: the least is {weight.min():.6g}, and weights must be "
            "at least 0; remove rows that are not to count, or give them 0."
        )
    if weight.max() > _HEAVIEST:
        raise ValueError(
            f"sample_weight holds {weight.max():.6g}, and sums may pass the greatest float; divide all "
            "weights by a constant, which does not change proportions."
        )
    return weight


def check_same_length(arrays: Mapping[str, Any]) -> None:
    """Raise an error for arrays of different lengths; None entries are ignored."""
    given = {name: each for name, each in arrays.items() if each is not None}
    rows = {n: each.shape[0] if hasattr(each, "shape") else len(each) for n, each in given.items()}
    if len(set(rows.values())) > 1:
        listed = ", ".join(f"{name} has {length}" for name, length in rows.items())
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{list(rows.values())} ({listed})."
        )


def check_rows(arrays: Mapping[str, Any]) -> None:
    """Raise an error for arrays as given, of any kind, that differ in their numbers of rows."""
    given = {name: each for name, each in arrays.items() if each is not None}
    for name, each in given.items():
        refuse_no_array(each, name)
        if not (hasattr(each, "shape") or hasattr(each, "__len__")):
            given[name] = plain_array(each, name)
    warn_of_order(given)
    check_same_length(given)
    for name in ("y", "sample_weight", "groups"):
        if name in given:
            refuse_missing(given[name], name)


def warn_of_order(given: Mapping[str, Any]) -> None:
    """Warn of frames and series that have the same index in another order."""
    indexed = {name: each.index for name, each in given.items() if hasattr(each, "iloc")}
    for (first, one), (name, other) in pairwise(indexed.items()):
        same = len(one) == len(other) and not one.equals(other)
        if same and one.sort_values().equals(other.sort_values()):
            warn(
                f"{first} and {name} have the same index in different orders, and rows are matched "
                f"by their position: pass {name}.loc[{first}.index] if the index names the rows, or "
                "to_numpy() of both if it does not."
            )


def groups_of(groups: Any, arrays: Mapping[str, Any], name: str = "groups") -> tuple[Array, Codes]:
    """Return the sorted names of the groups of the rows of some arrays, and the place of each row's."""
    names = plain_array(groups, name)
    if names.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, found shape {names.shape}.")
    check_same_length({**arrays, name: names})
    refuse_missing(names, name)
    listed = names.tolist()
    try:  # hashed, not sorted row by row
        known = np.unique(np.array([*set(listed)], dtype=names.dtype))
    except TypeError:
        found = " and ".join(sorted({type(each).__name__ for each in listed}))
        raise TypeError(
            f"{name} must hold names of one type, found {found}; make all of them strings."
        ) from None
    place = {each: code for code, each in enumerate(known.tolist())}
    return known, np.array([place[each] for each in listed], dtype=np.intp)


def check_same_columns(arrays: Mapping[str, Array]) -> None:
    """Raise an error for matrices with different columns, or a matrix and a vector."""
    shapes = {name: array.shape for name, array in arrays.items()}
    if len(set(shapes.values())) > 1:
        raise ValueError(
            f"Matrices of one shape are needed, found {shapes}; a vector of classes and a matrix "
            "of multilabel indicators cannot be combined."
        )


def without_zero_weights(weight: Floats | None, *arrays: Array) -> tuple[Any, ...]:
    """Drop the rows of weight 0; return the arrays, then the weights."""
    if weight is None or weight.all():
        return *arrays, weight
    kept = weight > 0
    if not kept.any():
        raise ValueError("sample_weight is zero everywhere; at least one weight must be positive.")
    return *(array[kept] for array in arrays), weight[kept]


def weighed(
    names: Sequence[str], first: Array, second: Array, sample_weight: Any
) -> tuple[Any, ...]:
    """Return two arrays of one length with their weights, without the rows of weight 0."""
    weight = weight_vector(sample_weight)
    check_same_length({names[0]: first, names[1]: second, "sample_weight": weight})
    return without_zero_weights(weight, first, second)


def named_labels(labels: Any) -> Array:
    named = _entries(label_array(labels, "labels"), "labels", "be one-dimensional", axes=1)
    if len(set(named.tolist())) != len(named):
        raise ValueError(f"labels must be distinct, found {shown(named)}.")
    return named


def number_classes(arrays: Mapping[str, Array]) -> tuple[Array, list[Codes]]:
    """Number the classes of several label vectors together: sorted classes, one code vector each."""
    vectors = list(arrays.values())
    kinds = {vector.dtype.kind for vector in vectors}
    if "U" in kinds and len(kinds) > 1:
        found = ", ".join(f"{name} {array.dtype}" for name, array in arrays.items())
        raise TypeError(
            f"Labels of one kind are needed, found strings and numbers: {found}; "
            "convert one of them, for example by astype(str) or by comparing with a label."
        )
    every = np.concatenate(vectors)
    ends = np.cumsum([len(vector) for vector in vectors])[:-1]
    low, high = (int(every.min()), int(every.max())) if kinds <= set("biu") else (0, _EXACT)
    if high - low >= _WIDEST_COUNTED or abs(low) > _EXACT:
        classes, codes = np.unique(every, return_inverse=True)
        return classes, np.split(codes, ends)
    places = every.astype(np.intp) - low
    held = np.bincount(places) > 0
    classes = (np.flatnonzero(held) + low).astype(every.dtype)
    return classes, np.split((np.cumsum(held) - 1)[places], ends)


def column_names(values: Any) -> list[Any]:
    """Return the names of the columns of a frame; none of anything else."""
    if type(values) is np.ndarray:
        return []
    return list(getattr(values, "column_names", getattr(values, "columns", ())))  # pyarrow's first


def by_name(values: Any, truth: Any, name: str, labels: Any = None) -> Any:
    """Return a frame with its columns in the order of the classes, and anything else as it is."""
    names = column_names(values)
    ordered = in_class_order(names, truth, name, labels)
    if ordered == names:
        return values
    return values.select(ordered) if hasattr(values, "select") else values[ordered]


def in_class_order(names: list[Any], truth: Any, name: str, labels: Any = None) -> list[Any]:
    """Return the names of columns in the order of `labels`, or else of the classes of the truth.

    Multilabel predictions follow the columns of the truth. Names that are no classes, and numbers from 0
    on, stay as they are. Numbers are also known by their text, as names in files are.
    """
    if len(names) < 2:
        return names
    wanted = _wanted_columns(truth) if labels is None else host_array(labels).tolist()
    numbered = names == list(range(len(names)))
    places = (
        {} if numbered else {text: k for k, each in enumerate(wanted) for text in texts_of(each)}
    )
    places |= {each: k for k, each in enumerate(wanted)}
    found = [places.get(each, places.get(str(each), -1)) for each in names]
    if max(found) < 0 or (numbered and min(found) < 0):
        return names
    odd = [each for each, k in zip(names, found, strict=True) if k < 0 or found.count(k) > 1]
    if odd:
        raise ValueError(
            f"The columns of {name} are named {shown(names)}, and names that match the classes "
            f"{shown(wanted)} in part are not read: {shown(odd)} do not, or not once. Name every column "
            "by its class (labels= names classes that do not occur), or pass to_numpy(), with the "
            "columns in sorted order of the classes."
        )
    return [names[k] for k in np.argsort(found)]


def _wanted_columns(truth: Any) -> list[Any]:
    """Return the names of the columns of multilabel indicators, or the sorted classes of labels."""
    if len(titles := column_names(truth)) > 1:
        return titles
    labels = entries_of_column(host_array(truth))
    known = {each for each in labels.tolist() if not _is_missing(each)} if labels.ndim == 1 else ()
    return sorted(known, key=lambda each: (isinstance(each, str), each))


def texts_of(label: Any) -> set[str]:
    """Return how a label may be written in a file."""
    whole = isinstance(label, Real) and not isinstance(label, bool) and label % 1 == 0
    return {str(label), *((str(int(label)), str(float(label))) if whole else ())}


def rounding_unit(values: Any) -> float:
    """Return the rounding unit of floats of a library's type, at least that of float64."""
    # Nullable columns of pandas have a type of NumPy, too.
    kinds = values.dtypes if hasattr(values, "columns") else []
    numpy_kinds = [kind.numpy_dtype for kind in kinds if hasattr(kind, "numpy_dtype")]
    units = [np.finfo(k).eps for k in numpy_kinds or [host_array(values).dtype] if k.kind == "f"]
    return max(map(float, units), default=UNIT)


def shown(labels: Array | list[Any], most: int = 8) -> str:
    some = labels[:most] if isinstance(labels, list) else labels[:most].tolist()
    listed = ", ".join(map(repr, some))
    return f"{{{listed}{', ...' if len(labels) > most else ''}}}"


def quotient(part: Any, whole: Any, empty: float = 0.0) -> Floats:
    """Return part / whole, and `empty` where the whole is not above 0."""
    shape = np.broadcast_shapes(np.shape(part), np.shape(whole))
    return np.divide(part, whole, out=np.full(shape, empty), where=np.asarray(whole) > 0)


def code_of(classes: Array, label: Any) -> int:
    known = classes.tolist()
    return known.index(label) if label in known else -1


def take_rows(values: Any, rows: Codes) -> Any:
    """Take rows of an array, a sparse matrix, a data frame or a list."""
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return values[rows] if hasattr(values, "shape") else [values[row] for row in rows]
