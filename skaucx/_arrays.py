"""Validate array-likes and convert them to plain arrays of labels, scores or weights."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from numbers import Real
from operator import attrgetter
from typing import Any, TypeGuard

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn import get_config

from ._compat import import_arrow, warn

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
# Integer labels within a range of this width are numbered by a look-up table, others by sorting.
_WIDEST_LOOKUP = 65536
_TYPE, _KIND = attrgetter("dtype"), attrgetter("dtype.kind")
_WHOLE = frozenset("biu")
_PLAIN_LABELS = frozenset("biuU")
_FLOAT64 = np.dtype(np.float64)
# For arrays this short a Python loop is faster than NumPy, for distinct labels and for finite
# numbers.
_FEW = 1 << 10
_BITS = frozenset({0, 1})


@lru_cache
def _machine_memory() -> int:
    """Return the bytes of the machine's memory; 2^36 where the system does not report it."""
    pages = getattr(os, "sysconf_names", {}).keys() >= {"SC_PHYS_PAGES", "SC_PAGE_SIZE"}
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if pages else 1 << 36


def check_memory(needed: int, what: str, advice: str) -> None:
    """Raise an error for work that this machine's memory has no room for, before it starts."""
    if needed > (held := _machine_memory()):
        raise ValueError(
            f"{what} needs {needed / 2**30:,.1f} GiB of memory, where this machine has "
            f"{held / 2**30:,.1f} GiB. {advice}"
        )


def score_array(values: Any, name: str, *, narrow: bool = False) -> Array:
    """Return finite float64 scores of shape (n,) or (n, K).

    With `narrow`, a float32 vector is returned unchanged.
    """
    array = given = values if narrow and _single_vector(values) else float_array(values, name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2):
        raise ValueError(f"{name} must have shape (n,) or (n, n_classes), found {array.shape}.")
    if array.size == 0:
        raise ValueError(f"{name} is empty; at least one example is needed.")
    if given is not values:  # floats that were not converted were never integers
        _refuse_wide_integers(array, values, name)
    if not _all_finite(array):
        raise ValueError(
            f"Input contains NaN or infinity in {name}; scores must be finite, but those of "
            f"{rows_of(~np.isfinite(array))} are not: remove these rows from all arrays, or give "
            f"them a score."
        )
    return array


def rows_of(odd: Bools) -> str:
    """Return the number of rows with a flagged value, and the first of them, as text."""
    rows: Bools = np.logical_or.reduce(odd.reshape(len(odd), -1), axis=1)
    return f"{np.count_nonzero(rows)} of {len(rows)} rows (first: row {rows.argmax()})"


def missing(values: Any) -> Bools:
    """Return which entries are None, nan, NaT or pandas.NA; of a sparse matrix, which rows have one."""
    if bool(sparse.issparse(values)):
        entries, rows = values.tocoo(), np.zeros(values.shape[0], dtype=bool)
        rows[entries.row[np.isnan(entries.data)]] = True
        return rows
    array = host_array(values)
    if array.dtype.kind != "O":
        return np.asarray(array != array, dtype=bool)
    flags = [_is_missing(each) for each in array.ravel().tolist()]
    return np.array(flags, dtype=bool).reshape(array.shape)


def refuse_missing(values: Any, name: str) -> None:
    """Raise an error for an array with missing entries, with their rows."""
    if type(values) is np.ndarray and values.dtype.kind in _PLAIN_LABELS:
        return
    if (found := missing(values)).any():
        raise ValueError(
            f"Input contains NaN in {name}, in {rows_of(found)}: None, nan, NaT and NA are no values; "
            "remove these rows from all arrays, or fill them in."
        )


def _is_missing(entry: Any) -> bool:
    """Whether an object is not equal to itself, as NaN and NaT, or is None or pandas.NA."""
    try:
        return entry is None or bool(entry != entry)
    except TypeError:  # of pandas.NA, whose comparisons are neither true nor false
        return True
    except ValueError:  # of an array
        return False


def entries_of_column(values: Any) -> Any:
    """Return the entries of a matrix or frame of one column; anything else unchanged."""
    if sparse.issparse(values) or getattr(values, "shape", ())[1:] != (1,):
        return values
    return values.iloc[:, 0] if hasattr(values, "iloc") else values[:, 0]


class naming_missing_features:  # noqa: N801
    """Name the rows with missing features where an estimator refuses them."""

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator, self.X = estimator, X

    def __enter__(self) -> None:
        """Wait for an error: entered for every fit and prediction, so without a generator."""

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if not isinstance(error, ValueError) or "NaN" not in str(error):
            return
        if not (found := missing(self.X)).any():
            return
        name = type(getattr(self.estimator, "steps", [("", self.estimator)])[-1][1]).__name__
        raise ValueError(
            f"X holds NaN in {rows_of(found)}, which {name} does not accept; put an imputer before "
            f"it, such as make_pipeline(SimpleImputer(), {name}()), remove these rows, or choose an "
            "estimator for missing features, such as HistGradientBoostingClassifier."
        ) from error


def _single_vector(values: Any) -> bool:
    return type(values) is np.ndarray and values.dtype == np.float32 and values.ndim == 1


def _all_finite(array: Floats) -> bool:
    if array.size <= _FEW:
        return np.count_nonzero(np.isfinite(array)) == array.size
    # The sum of finite numbers is nan or inf only by overflow: one pass suffices in the usual case.
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(array.sum()) or bool(np.isfinite(array).all())


def column_types(values: Any) -> list[Any]:
    """Return the types of the columns of a data frame, or the only one of an array or series."""
    kind = getattr(values, "dtype", None)
    return list(getattr(values, "dtypes", ())) if kind is None else [kind]


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
    places = {} if numbered else {text: k for k, each in enumerate(wanted) for text in _texts(each)}
    places |= {each: k for k, each in enumerate(wanted)}
    found = [places.get(each, places.get(str(each), -1)) for each in names]
    if max(found) < 0 or (numbered and min(found) < 0):
        return names
    if min(found) < 0 or len(set(found)) < len(names):
        odd = [each for each, k in zip(names, found, strict=True) if k < 0 or found.count(k) > 1]
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


def _texts(label: Any) -> set[str]:
    whole = isinstance(label, Real) and not isinstance(label, bool) and label % 1 == 0
    return {str(label), *((str(int(label)), str(float(label))) if whole else ())}


def rounding_unit(values: Any) -> float:
    """Return the rounding unit of the least precise float type among the columns."""
    if type(values) is np.ndarray and values.dtype is _FLOAT64:
        return UNIT
    # Each library has its own types, with similar names.
    names = {str(kind).lower() for kind in column_types(values) or [host_array(values).dtype]}
    for coarse in (np.float16, np.float32):
        if any(coarse.__name__ in name for name in names):
            return float(np.finfo(coarse).eps)
    return UNIT


def label_array(values: Any, name: str) -> Array:
    """Return labels as a vector of bool, integers, integral floats or strings, or as indicators.

    Multilabel indicators, a matrix of 0 and 1 (sparse too), become a boolean matrix.
    """
    if _is_plain(values):
        return values
    array = plain_array(_dense(values), name)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim not in (1, 2):
        raise ValueError(
            f"{name} must be a vector of class labels or a matrix of multilabel indicators, found "
            f"shape {array.shape}."
        )
    if array.size == 0:
        raise ValueError(f"{name} is empty; at least one example is needed.")
    refuse_missing(array, name)
    if array.dtype.kind == "O":
        array = _from_objects(array, name)
    if array.dtype.kind == "f":
        _whole_numbers(array, name)
    elif array.dtype.kind not in "biuU":
        raise TypeError(
            f"{name} has dtype {array.dtype}; class labels are strings, integers or booleans."
        )
    return array if array.ndim == 1 else _indicators(array, name)


def _is_plain(values: Any) -> TypeGuard[Array]:
    """Whether values are a vector of labels that needs no further check."""
    if type(values) is not np.ndarray or values.ndim != 1:
        return False
    return values.dtype.kind in _PLAIN_LABELS and values.size > 0


def _indicators(array: Array, name: str) -> Bools:
    if array.dtype.kind == "U" or not ((array == 0) | (array == 1)).all():
        raise ValueError(
            f"{name} has shape {array.shape}, so it must hold multilabel indicators, 0 or 1; class "
            "labels of one target go into a vector."
        )
    return array.astype(bool)


def _dense(values: Any) -> Any:
    is_sparse = type(values) is not np.ndarray and bool(sparse.issparse(values))
    return values.toarray() if is_sparse and values.ndim == 2 else values


def _whole_numbers(array: Array, name: str) -> None:
    whole = np.isfinite(array) & (array == np.floor(array))
    if not whole.all():
        raise ValueError(
            f"{name} holds continuous values (such as {array[~whole][0].item()!r}), but class labels "
            "are needed; pass the output of predict, or cut the scores at a threshold. Where a "
            "function has y_score, scores go there."
        )


def _from_objects(array: Array, name: str) -> Array:
    """Turn an object array of strings, or of numbers, into a plain one."""
    values = array.ravel().tolist()
    kinds = set(map(type, values))
    if kinds <= {str, np.str_}:
        _refuse_trailing_nul(values, name)
        return np.asarray(values, dtype=np.str_).reshape(array.shape)
    if all(issubclass(kind, (Real, np.bool_)) for kind in kinds):
        return np.asarray(values).reshape(array.shape)
    if all(issubclass(kind, (Real, np.bool_, str)) for kind in kinds):
        raise TypeError(f"{name} mixes strings and numbers; use labels of one kind.")
    odd = next(v for v in values if not isinstance(v, (Real, np.bool_, str)))
    raise ValueError(
        f"{name} holds {odd!r} ({type(odd).__name__}); class labels are strings, integers or booleans."
    )


def _refuse_trailing_nul(values: Iterable[Any], name: str) -> None:
    """Raise an error for labels that NumPy would truncate, which could merge two of them."""
    for value in values:
        if isinstance(value, str) and value.endswith("\0"):
            raise ValueError(
                f"{name} holds {value!r}; NumPy drops NUL characters at the end of strings, so it "
                f"may become equal to another label. Strip or replace them."
            )


def on_host(values: Any) -> Any:
    """Return an array of another library or device as one that NumPy reads.

    Arrays of other devices are copied by DLPack, by their library's own method, ``cpu`` of torch or
    ``get`` of cupy, or by the array's own namespace, whose default device is the host; columns of
    Arrow by pyarrow.
    """
    if isinstance(values, np.ndarray):
        return values
    if not hasattr(values, "__dlpack_device__") or hasattr(values, "__arrow_c_array__"):
        return values if hasattr(values, "__array__") else _of_arrow_protocol(values)
    plain = values.detach() if hasattr(values, "detach") else values  # of torch, without gradients
    for copied in _COPIES:
        try:
            return copied(plain)
        except _NOT_COPIED:
            continue
    return plain


def host_array(values: Any) -> Array:
    """Return what NumPy reads of an array of any library or device, or objects where it makes texts."""
    array = np.asarray(on_host(values))
    if array.dtype.kind not in "US" or not isinstance(values, (list, tuple)):
        return array
    entries = np.array(values, dtype=object)  # NumPy makes the text 'nan' of a number among texts
    return array if all(isinstance(each, (str, bytes)) for each in entries.flat) else entries


def _by_namespace(values: Any) -> Array:
    namespace = values.__array_namespace__()
    device = namespace.__array_namespace_info__().default_device()
    return np.from_dlpack(namespace.asarray(values, device=device))


_COPIES: tuple[Callable[[Any], Array], ...] = (
    np.from_dlpack,
    lambda values: np.asarray(values.cpu()),
    lambda values: np.asarray(values.get()),
    _by_namespace,
)
_NOT_COPIED = (AttributeError, TypeError, ValueError, RuntimeError, BufferError)


def like_given(values: Any, predictions: Any) -> Any:
    """Return arrays of results as scikit-learn does, with its ``array_api_dispatch``.

    They are arrays of the namespace and on the device of the predictions.
    """
    if type(predictions) is np.ndarray or not get_config()["array_api_dispatch"]:
        return values
    namespace = getattr(predictions, "__array_namespace__", None)
    library = sys.modules[type(predictions).__module__.partition(".")[0]]
    if namespace is None and not hasattr(
        library, "from_dlpack"
    ):  # as torch has, without the method
        return values
    make = (namespace() if namespace else library).asarray

    def made(array: Array) -> Any:
        try:
            return make(array, device=predictions.device)
        except (TypeError, ValueError):  # a device without float64
            return make(array.astype(np.float32), device=predictions.device)

    return tuple(map(made, values)) if isinstance(values, tuple) else made(values)


def _of_arrow_protocol(values: Any) -> Any:
    """Return a column of any library that exports Arrow's, and other values as they are."""
    for method, read in (("__arrow_c_array__", "array"), ("__arrow_c_stream__", "chunked_array")):
        if hasattr(values, method):
            return of_arrow(getattr(import_arrow(), read)(values))
    return values


def of_arrow(values: Any) -> Array:
    """Return a column of pyarrow as an array; nulls become nan or None, which raise errors."""
    if hasattr(values, "combine_chunks"):
        values = values.combine_chunks()
    if hasattr(values, "dictionary"):  # of a type that pyarrow may not take from
        words = values.dictionary.to_numpy(zero_copy_only=False)
        values = type(values).from_arrays(values.indices, words)
    return np.asarray(values.to_numpy(zero_copy_only=False))


def plain_array(values: Any, name: str, *, scalar: bool = False) -> Array:
    """Return an ndarray; raise an error where NumPy would silently change the values."""
    if type(values) is np.ndarray and values.ndim:
        return values
    if values is None:
        raise TypeError(f"{name} is None; pass an array-like.")
    if sparse.issparse(values):
        raise TypeError(f"Sparse input is not supported for {name}; pass {name}.toarray().")
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(
            f"{name} is a masked array, and a mask is never ignored: pass the unmasked entries "
            "(values.compressed()) of all arrays."
        )
    if isinstance(values, (dict, set, frozenset)) or callable(values):
        raise TypeError(f"{name} must be an array-like, found {type(values).__name__}.")
    array = _read_by_numpy(values, name)
    if array.ndim and array.dtype.kind == "U" and isinstance(values, (list, tuple)):
        _refuse_trailing_nul(values, name)
    if array.ndim == 0 and not scalar:
        _refuse_model(values, name)
        found = f"the scalar {values!r}"
        if isinstance(values, Iterator):
            found = f"{type(values).__name__}, an iterator; pass an array or a list"
        raise TypeError(f"{name} must be an array-like, found {found}.")
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
    if type(values) is np.ndarray and values.dtype is _FLOAT64 and values.ndim:
        return values
    kinds = column_types(values)
    numbers = all(getattr(kind, "kind", "O") in "biuf" for kind in kinds)
    if numbers and any(hasattr(kind, "na_value") for kind in kinds):
        values = values.to_numpy(dtype=np.float64, na_value=np.nan)  # pandas nullable columns
    array = plain_array(values, name, scalar=scalar)
    if array.dtype.kind not in "biuf":
        refuse_missing(array, name)
        raise TypeError(
            f"{name} has dtype {array.dtype}, but real numbers are needed; convert it with "
            "astype(float) if it holds them."
        )
    return array.astype(np.float64, copy=False)


def _refuse_wide_integers(array: Floats, given: Any, name: str) -> None:
    """Raise an error for distinct integers that became equal floats."""
    wide = max(array.max(), -array.min()) >= _EXACT
    if wide and host_array(given).dtype.kind in "iuO":
        raise ValueError(
            f"{name} holds integers beyond 2^53, which floats cannot represent; pass their ranks "
            "(scipy.stats.rankdata), or floats."
        )


def weight_vector(values: Any) -> Floats | None:
    if values is None:
        return None
    weight = float_array(values, "sample_weight")
    if weight.ndim == 2 and weight.shape[1] == 1:
        weight = weight[:, 0]
    if weight.ndim != 1:
        raise ValueError(f"sample_weight must be one-dimensional, found shape {weight.shape}.")
    if not np.isfinite(weight).all():
        raise ValueError(
            "Input sample_weight contains NaN or infinity, in "
            f"{rows_of(~np.isfinite(weight))}; weights must be finite."
        )
    if (weight < 0).any():
        raise ValueError(
            f"Negative values in sample_weight: the least is {weight.min():.6g}, and weights must be "
            "at least 0; remove rows that are not to count, or give them 0."
        )
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not np.isfinite(total):
        raise ValueError(
            "sample_weight sums to more than the greatest float; divide all weights by a constant, "
            f"which does not change proportions: the greatest is {weight.max():.6g}."
        )
    return weight


def check_same_length(arrays: Mapping[str, Array | None]) -> None:
    """Raise an error for arrays of different lengths; None entries are ignored."""
    if len({len(array) for array in arrays.values() if array is not None}) > 1:
        lengths = {name: len(array) for name, array in arrays.items() if array is not None}
        listed = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{list(lengths.values())} ({listed})."
        )


def _refuse_text(values: Any, name: str) -> None:
    """Raise an error for a text or a model in the place of an array, such as the name of a column."""
    _refuse_model(values, name)
    if isinstance(values, str):
        raise TypeError(
            f"{name} must be an array-like, found the text {values!r}; pass the column itself, such "
            "as frame['label']. Names of columns are for calls with data=."
        )


def _refuse_model(values: Any, name: str) -> None:
    if hasattr(values, "predict"):
        raise TypeError(
            f"{name} must be an array-like, found the estimator {type(values).__name__}; pass its "
            "predictions, such as model.predict_proba(X)[:, 1]."
        )


def warn_of_order(given: Mapping[str, Any]) -> None:
    """Warn of frames and series that have the same index in another order."""
    indexed = {name: each.index for name, each in given.items() if hasattr(each, "iloc")}
    for (first, one), (name, other) in pairwise(indexed.items()):
        if (
            len(one) == len(other)
            and not one.equals(other)
            and one.sort_values().equals(other.sort_values())
        ):
            warn(
                f"{first} and {name} have the same index in different orders, and rows are matched "
                f"by their position: pass {name}.loc[{first}.index] if the index names the rows, or "
                "to_numpy() of both if it does not."
            )


def check_rows(arrays: Mapping[str, Any]) -> None:
    """Raise an error for arrays as given, of any kind, that differ in their numbers of rows."""
    given = {name: each for name, each in arrays.items() if each is not None}
    for name, each in given.items():
        _refuse_text(each, name)
    warn_of_order(given)
    sized = {  # of anything that becomes an array
        name: each
        if hasattr(each, "shape") or hasattr(each, "__len__")
        else plain_array(each, name)
        for name, each in given.items()
    }
    rows = {n: each.shape[0] if hasattr(each, "shape") else len(each) for n, each in sized.items()}
    check_same_length({name: range(n) for name, n in rows.items()})  # type: ignore[misc]


def group_codes(groups: Any, arrays: dict[str, Array]) -> Codes:
    """Number the groups of the rows of some arrays from 0."""
    return groups_of(groups, arrays)[1]


def groups_of(groups: Any, arrays: dict[str, Array], name: str = "groups") -> tuple[Array, Codes]:
    """Return the sorted names of the groups of the rows of some arrays, and the place of each row's."""
    names = plain_array(groups, name)
    if names.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, found shape {names.shape}.")
    check_same_length({**arrays, name: names})
    refuse_missing(names, name)
    hashed = names.dtype.kind in "OU"  # hashing takes a pass, sorting of texts many
    listed = names.tolist() if hashed else []
    every = set(listed)
    if hashed and len(types := {kind.__name__ for kind in set(map(type, listed))}) > 1:
        found = " and ".join(sorted(types))
        raise TypeError(
            f"{name} must hold names of one type, found {found}; make all of them strings."
        )
    if names.dtype.kind in "iu" and names.dtype != np.uint64 and len(names):
        least = int(names.min())
        width = int(names.max()) - least + 1
        if width <= max(len(names), 1 << 16):
            held, places = distinct(np.subtract(names, least, dtype=np.intp), width)
            return (held + least).astype(names.dtype), places
    if hashed:
        known = np.unique(np.array(list(every), dtype=names.dtype))
        place = {name: code for code, name in enumerate(known.tolist())}
        return known, np.fromiter(map(place.__getitem__, listed), np.intp, len(names))
    known, codes = np.unique(names, return_inverse=True)
    return known, codes.astype(np.intp)


def distinct(codes: Codes, size: int) -> tuple[Codes, Codes]:
    """Return which of the whole numbers below `size` occur, and the place of each among them."""
    if size > 4 * len(codes) + (1 << 16):  # a table of all would be larger than the rows
        found, places = np.unique(codes, return_inverse=True)
        return found, places.astype(np.intp)
    held = np.zeros(size, dtype=bool)
    held[codes] = True
    found = np.flatnonzero(held)
    return found, codes if len(found) == size else (np.cumsum(held) - 1).take(codes)


def check_same_columns(arrays: dict[str, Array]) -> None:
    """Raise an error for matrices with different columns, or a matrix and a vector."""
    shapes = {name: array.shape for name, array in arrays.items()}
    if len(set(shapes.values())) > 1:
        raise ValueError(
            f"Matrices of one shape are needed, found {shapes}; a vector of classes and a matrix "
            "of multilabel indicators cannot be combined."
        )


def check_score_sets(y_true: Any, y_score: Any) -> tuple[Bools, Floats]:
    """Check matrices with a score set a row: the class of each score, and the scores."""
    truth, score = label_array(y_true, "y_true"), score_array(y_score, "y_score")
    if truth.ndim != 2:
        raise ValueError(f"y_true must have a score set in each row, found shape {truth.shape}.")
    check_same_columns({"y_true": truth, "y_score": score})
    return truth, score


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
) -> tuple[Array, Array, Floats | None]:
    """Return two arrays of one length with their weights, without the rows of weight 0."""
    if sample_weight is None and len(first) == len(second):
        return first, second, None
    weight = weight_vector(sample_weight)
    check_same_length({names[0]: first, names[1]: second, "sample_weight": weight})
    first, second, weight = without_zero_weights(weight, first, second)
    return first, second, weight


def named_labels(labels: Any) -> Array:
    named = label_array(labels, "labels")
    if named.ndim != 1:
        raise ValueError(f"labels must be one-dimensional, found shape {named.shape}.")
    if len(set(named.tolist())) != len(named):
        raise ValueError(f"labels must be distinct, found {shown(named)}.")
    return named


def occurring(labels: Array) -> set[Any]:
    """Return the distinct labels."""
    return set((labels if len(labels) <= _FEW else np.unique(labels)).tolist())


def number_classes(arrays: dict[str, Array]) -> tuple[Array, list[Codes]]:
    """Number the classes of several label vectors together: sorted classes, one code vector each."""
    vectors = list(arrays.values())
    kinds = set(map(_KIND, vectors))
    if "U" in kinds and len(kinds) > 1:
        found = ", ".join(f"{name} {array.dtype}" for name, array in arrays.items())
        raise TypeError(
            f"Labels of one kind are needed, found strings and numbers: {found}; "
            "convert one of them, for example by astype(str) or by comparing with a label."
        )
    if kinds <= _WHOLE:
        if max(map(len, vectors)) <= _FEW:
            seen = set().union(*map(np.ndarray.tolist, vectors))
            if seen <= _BITS:
                known = _bits(0 in seen, 1 in seen, *map(_TYPE, vectors))
                bits = [vector.astype(np.intp, copy=False) for vector in vectors]
                return known, bits if 0 in seen else [bit - 1 for bit in bits]
        low = min([int(vector.min()) for vector in vectors])
        high = max([int(vector.max()) for vector in vectors])
        if high - low < _WIDEST_LOOKUP and low > -(2**62) and high < 2**62:
            return _number_by_lookup(vectors, low, high)
    classes, codes = np.unique(np.concatenate(vectors), return_inverse=True)
    return classes, np.split(codes, np.cumsum([len(vector) for vector in vectors])[:-1])


@lru_cache
def _bits(zero: bool, one: bool, *types: Any) -> Array:
    """Return which of the classes 0 and 1 occur, for arrays of simple types."""
    classes = np.array([0, 1], dtype=np.result_type(*types))[[zero, one]]
    classes.setflags(write=False)
    return classes


def _number_by_lookup(vectors: list[Array], low: int, high: int) -> tuple[Array, list[Codes]]:
    offsets = [vector.astype(np.intp, copy=False) for vector in vectors]
    if low:
        offsets = [offset - low for offset in offsets]
    if high - low <= 1:  # both occur, and nothing lies between them
        return np.arange(low, high + 1).astype(np.result_type(*vectors)), offsets
    seen = np.zeros(high - low + 1, dtype=bool)
    for offset in offsets:
        seen |= np.bincount(offset, minlength=len(seen)) > 0
    classes = (np.flatnonzero(seen) + low).astype(np.result_type(*vectors))
    if not seen.all():
        rank = np.cumsum(seen) - 1
        offsets = [rank[offset] for offset in offsets]
    return classes, offsets


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
    # Several times as fast as by brackets, which keep the order in memory of other arrays.
    plain = type(values) is np.ndarray and values.flags.c_contiguous
    if plain and isinstance(rows, np.ndarray) and rows.dtype.kind == "i":
        return values.take(rows, axis=0)
    return values[rows] if hasattr(values, "shape") else [values[row] for row in rows]
