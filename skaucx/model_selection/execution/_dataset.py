"""Data that can be cut into folds: rows, weights, groups and the parameters of fits."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

from ..._arrays import (
    check_rows,
    entries_of_column,
    group_codes,
    host_array,
    refuse_missing,
    take_rows,
    weight_vector,
)
from ..._compat import warn
from ..._options import unknown_name
from .._run_options import check_splits_fit, record_with
from .._types import Floats, Rows, Split

_FEWER = "Choose fewer folds."


@dataclass(frozen=True, eq=False)
class Dataset:
    """Checked data of n rows that can be cut into folds.

    ``pairwise`` says that X is a square matrix of kernels or distances, split along both axes.
    ``fit_params`` are further parameters of every fit, ``score_params`` those of every score;
    ``weight_fits`` controls whether fits get the weights, or the scores only.
    """

    X: Any
    y: Any
    sample_weight: Floats | None
    groups: Any
    pairwise: bool
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    weight_fits: bool = True
    score_params: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None,
        groups: Any,
        *,
        fit_params: Mapping[str, Any] | None = None,
        score_params: Mapping[str, Any] | None = None,
        weight_fits: bool = True,
    ) -> Dataset:
        """Check that all parts are indexable and of one length.

        Raises
        ------
        TypeError
            If X has no rows, or rows that cannot be taken by their number.
        ValueError
            If X is a Dask array of unknown lengths, a part has another length, groups contain NaN,
            or ``fit`` does not accept weights.
        """
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None.")
        if not _is_table(X):
            raise TypeError(f"X must be an array, a matrix or a data frame, found {X!r}.")
        _check_rows_by_number(X)
        weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        if weight is not None and weight.ndim != 1:
            raise ValueError(
                f"sample_weight must have one weight a row, shape (n,), found shape {weight.shape}."
            )
        weight = weight_vector(weight)
        if weight is not None and not weight.any():
            raise ValueError("sample_weight is zero everywhere; at least one must be positive.")
        y = checked_targets(y)
        check_rows({"X": X, "y": y, "sample_weight": weight})
        if groups is not None:
            group_codes(groups, {"y": np.asarray(y)})
        X, y, weight, groups = indexable(X, y, weight, groups)
        if weight is not None and weight_fits:
            check_takes_weights(estimator)
        pairwise = get_tags(estimator).input_tags.pairwise
        given = dict(fit_params or {}), weight_fits, dict(score_params or {})
        return cls(X, y, weight, groups, pairwise, *given)

    def __len__(self) -> int:
        return int(self.X.shape[0]) if hasattr(self.X, "shape") else len(self.X)

    def features(self, rows: Rows, train: Rows) -> Any:
        """Return X of some rows, as a model fitted on the rows ``train`` expects it."""
        X = take_rows(self.X, rows)
        if not self.pairwise:
            return X
        return X.iloc[:, train] if hasattr(X, "iloc") else X[:, train]

    def targets(self, rows: Rows) -> Any:
        return take_rows(self.y, rows)

    def weights(self, rows: Rows) -> Floats | None:
        return None if self.sample_weight is None else self.sample_weight[rows]

    def fit_options(self, model: Any, rows: Rows) -> dict[str, Any]:
        """Return the parameters of a fit on some rows: those with a value a row are cut."""
        options = params_of_rows(self.fit_params, rows, len(self))
        weight = self.weights(rows)
        if weight is not None and self.weight_fits and wants_weights(model):
            options[weight_argument(model)] = weight
        if self.groups is not None and "groups" not in options and takes_groups(model):
            options["groups"] = take_rows(self.groups, rows)
        return options

    def score_options(self, rows: Rows) -> dict[str, Any]:
        """Return the weights of a score on some rows, and the metadata that its scorers request."""
        return {"sample_weight": self.weights(rows), "metadata": self.metadata(rows)}

    def metadata(self, rows: Rows) -> dict[str, Any]:
        """Return the metadata that scorers request, for some rows."""
        return params_of_rows(self.score_params, rows, len(self))

    def split(self, cv: Any, rows: Rows) -> tuple[Split, ...]:
        """Split some rows; the splits hold row numbers of the whole dataset.

        Numbers of four bytes: those of all splits are held at once.
        """
        rows = rows.astype(np.int32 if len(self) < 2**31 else np.intp)
        return tuple((rows[train], rows[test]) for train, test in self.split_within(cv, rows))

    def split_within(self, cv: Any, rows: Rows) -> tuple[Split, ...]:
        """Split some rows; the splits hold positions among these rows."""
        X, y = self.features(rows, rows), self.targets(rows)
        groups = None if self.groups is None else take_rows(self.groups, rows)
        splits = tuple(split_rows(cv, X, y, groups))
        most = max((part.max(initial=-1) for split in splits for part in split), default=-1)
        if most >= len(rows):
            raise ValueError(
                f"{type(cv).__name__} gave row {most} of {len(rows)} rows to be split; a splitter "
                "of fixed rows can split all rows, as outer_cv, but not a training part."
            )
        return splits


def split_rows(cv: Any, X: Any, y: Any, groups: Any) -> list[Split]:
    """Return the splits of a splitter; an error of it says what it was to split, and what it needs."""
    check_rows({"y": y, "groups": groups})
    try:
        with catch_warnings(record=True) as raised:
            simplefilter("always")
            check_splits_fit(cv, X, y, groups)
            splits = [(_numbers(a), _numbers(b)) for a, b in cv.split(X, y, groups)]
    except ValueError as error:
        needs_groups = groups is None and "groups" in str(error)
        advice = "Pass groups=, one a row, in this call." if needs_groups else _FEWER
        raise ValueError(
            f"outer_cv or inner_cv: {type(cv).__name__} cannot split {len(y)} rows: {error} {advice}"
        ) from error
    for place, parts in enumerate(splits):
        for part, rows in zip(("training", "test"), parts, strict=True):
            if not len(rows):
                raise ValueError(
                    f"outer_cv or inner_cv: the {part} part of split {place} has no rows; use a "
                    "splitter whose parts all have rows."
                )
    for each in raised:
        advice = f" {_FEWER}" if "least populated" in str(each.message) else ""
        words = str(each.message).rstrip(".")  # first, as filters match the beginning
        warn(f"{words}, in outer_cv or inner_cv.{advice}", each.category)
    return splits


def checked_targets(y: Any) -> Any:
    """Return targets as an array, a series or a frame; those that are missing raise an error."""
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise TypeError("y is a masked array; pass the unmasked rows of X and y.")
    if isinstance(y, str | Iterator):
        found = repr(y) if isinstance(y, str) else f"the iterator {type(y).__name__}"
        raise TypeError(f"y must hold one target a row, found {found}; pass a column or a list.")
    try:
        y = y if hasattr(y, "shape") else host_array(y)
    except ValueError as error:
        raise ValueError(
            f"y is not a rectangular array; several labels a row go into a matrix of 0 and 1, as "
            f"MultiLabelBinarizer makes it: {error}"
        ) from None
    refuse_missing(y, "y")
    return entries_of_column(y)


def params_of_rows(params: Mapping[str, Any], rows: NDArray[Any], n_rows: int) -> dict[str, Any]:
    """Return parameters for some of the rows: those with a value a row are cut."""
    if not params:
        return {}

    def of_rows(value: Any) -> bool:
        shape = getattr(value, "shape", None)
        if shape is None:
            return isinstance(value, list) and len(value) == n_rows
        return len(shape) > 0 and shape[0] == n_rows

    return {
        name: take_rows(value, rows) if of_rows(value) else value for name, value in params.items()
    }


def _numbers(part: Any) -> Rows:
    """Return row numbers, also of a mask."""
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp)


def _is_table(X: Any) -> bool:
    if hasattr(X, "shape") or hasattr(X, "__array__"):
        return True
    return hasattr(X, "__len__") and not isinstance(X, str | Mapping)


def _check_rows_by_number(X: Any) -> None:
    """Raise an error for a Dask collection without indexing of rows by number."""
    if not hasattr(X, "__dask_graph__"):
        return
    if hasattr(X, "map_partitions"):
        raise TypeError(
            "X is a Dask data frame, whose rows cannot be taken by their number, as folds need; "
            "pass X.to_dask_array(lengths=True)."
        )
    if np.isnan(np.asarray(X.shape, dtype=np.float64)).any():
        raise ValueError(
            f"X is a Dask array of unknown lengths, shape {X.shape}, and folds need the number of "
            "rows; call X.compute_chunk_sizes() first."
        )


def weight_argument(model: Any) -> str:
    """Return the name under which ``fit`` takes the weights.

    A pipeline passes them to its last step, or with metadata routing to the steps that request
    them.
    """
    if isinstance(model, Pipeline) and not _routed():
        name, last = model.steps[-1]
        return f"{name}__{weight_argument(last)}"
    return "sample_weight"


def wants_weights(model: Any) -> bool:
    """Whether a fit gets weights: with metadata routing, unless all consumers decline."""
    if not _routed():
        return True
    requests = set(_weight_requests(get_routing_for_object(model)))
    return bool(requests) and requests != {False}


def takes_groups(model: Any) -> bool:
    """Whether ``fit`` has a parameter ``groups``, as in RFECV; never with routing."""
    return not _routed() and "groups" in inspect.signature(model.fit).parameters


def check_takes_weights(model: Any) -> None:
    """Raise an error for an estimator whose ``fit`` does not accept weights, or that changes the rows.

    Metadata routing decides for itself.
    """
    last = model
    while isinstance(last, Pipeline):
        made = [name for name, step in last.steps if hasattr(step, "fit_resample")]
        if made and not _routed():
            raise ValueError(
                f"sample_weight was given, but the step {made[0]!r} of the pipeline makes new "
                "rows, which have no weights; set weight_fits=False to weight the scores alone."
            )
        last = last.steps[-1][1]
    fit = getattr(last, "fit", None)
    if fit is None or _routed():
        return
    parameters = inspect.signature(fit).parameters
    further = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    if "sample_weight" not in parameters and not further:
        raise ValueError(
            f"sample_weight was given, but {type(last).__name__}.fit takes none; set "
            "weight_fits=False to weight the scores alone."
        )


def check_takes_params(
    estimator: Any, params: Iterable[str], known: Iterable[str], models: Iterable[Any] = ()
) -> None:
    """Raise an error for a parameter that no ``fit`` of the estimator, or of variants of it, accepts.

    Parameters
    ----------
    estimator : estimator
    params : iterable of str
        Names of the parameters.
    known : iterable of str
        Names of the call's own arguments, which may have been meant.
    models : iterable of estimator, default=()
        Variants, such as the candidates of a grid that replaces steps of a pipeline; read only if
        the estimator itself does not accept a parameter.
    """
    own, refused = _FitParameters.of(estimator), list(params)
    for model in chain([estimator], models):
        taken = _FitParameters.of(model)
        refused = [name for name in refused if not taken.holds(name)]
        if not refused:
            return
    if place := record_with(refused[0]):
        raise TypeError(f"{refused[0]!r} is no argument of its own; pass {place}.")
    call = f"parameter of this call, of {type(estimator).__name__}.fit or of a metadata request"
    raise TypeError(str(unknown_name(call, refused[0], [*known, *own.names])))


@dataclass(frozen=True)
class _FitParameters:
    """The names that a ``fit`` accepts, and the beginnings of further ones."""

    names: frozenset[str]
    beginnings: frozenset[str] = frozenset()
    routing: MetadataRouter | None = None

    @classmethod
    def of(cls, model: Any) -> _FitParameters:
        try:
            given = inspect.signature(model.fit).parameters.values()
        except (AttributeError, TypeError, ValueError):  # a step without fit, compiled code
            return cls(frozenset(), frozenset([""] if hasattr(model, "fit") else []))
        named = frozenset(
            p.name for p in given if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
        )
        if not any(p.kind is p.VAR_KEYWORD for p in given):
            return cls(named - {"X", "y"})
        routing = get_routing_for_object(model) if _routed() else None
        if isinstance(routing, MetadataRouter):
            return cls(named - {"X", "y"}, routing=routing)
        if routing is not None or not isinstance(model, Pipeline):
            return cls(named - {"X", "y"}, frozenset([""]))
        inner = {f"{step}__": cls.of(part) for step, part in model.steps}
        return cls(
            frozenset(start + name for start, part in inner.items() for name in part.names),
            frozenset(start + more for start, part in inner.items() for more in part.beginnings),
        )

    def holds(self, name: str) -> bool:
        if self.routing is not None and self.routing.consumes("fit", [name]):
            return True
        return name in self.names or name.startswith(tuple(self.beginnings))


def _routed() -> bool:
    return bool(get_config()["enable_metadata_routing"])


def _weight_requests(routing: Any) -> Iterator[Any]:
    """Yield the requests for weights in ``fit`` of every consumer in a routing tree."""
    if isinstance(routing, MetadataRouter):
        for _, pair in routing:
            yield from _weight_requests(pair.router)
    elif "sample_weight" in routing.fit.requests:
        yield routing.fit.requests["sample_weight"]
