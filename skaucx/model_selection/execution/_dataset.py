"""Data that can be cut into folds: rows, weights, groups and the parameters of fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import get_config
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, get_routing_for_object

from ..._arrays import (
    check_rows,
    entries_of_column,
    groups_of,
    plain_array,
    refuse_missing,
    take_rows,
    weight_vector,
)
from .._types import Floats, Rows, Split


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
            If X has no rows.
        ValueError
            If a part has another length, groups contain NaN, or no weight is positive.
        """
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None.")
        if X is None or isinstance(X, str | Mapping):
            raise TypeError(f"X must be an array, a matrix or a data frame, found {X!r}.")
        weight = weight_vector(sample_weight)
        if weight is not None and not weight.any():
            raise ValueError("sample_weight is zero everywhere; at least one must be positive.")
        y = checked_targets(y)
        check_rows({"X": X, "y": y, "sample_weight": weight})
        if groups is not None:
            groups_of(groups, {"y": np.asarray(y)})
        X, y, weight, groups = indexable(X, y, weight, groups)
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
        return options

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
        return tuple(split_rows(cv, X, y, groups))


def split_rows(cv: Any, X: Any, y: Any, groups: Any) -> list[Split]:
    """Return the splits of a splitter; an error of it says what it was to split, and what it needs."""
    check_rows({"y": y, "groups": groups})
    name = type(cv).__name__
    try:
        splits = [(_numbers(a), _numbers(b)) for a, b in cv.split(X, y, groups)]
    except ValueError as error:
        needs_groups = groups is None and "groups" in str(error)
        advice = "Pass groups=, one a row, in this call." if needs_groups else "Choose fewer folds."
        raise ValueError(
            f"outer_cv or inner_cv: {name} cannot split {len(y)} rows: {error} {advice}"
        ) from error
    for place, parts in enumerate(splits):
        for part, rows in zip(("training", "test"), parts, strict=True):
            if not len(rows):
                raise ValueError(
                    f"outer_cv or inner_cv: the {part} part of split {place} has no rows; use a "
                    "splitter whose parts all have rows."
                )
            if rows.max() >= len(y):
                raise ValueError(
                    f"{name} gave row {rows.max()} of {len(y)} rows to be split; a splitter of fixed "
                    "rows can split all rows, as outer_cv, but not a training part."
                )
    return splits


def checked_targets(y: Any) -> Any:
    """Return targets as an array, a series or a frame; those that are missing raise an error."""
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise TypeError("y is a masked array; pass the unmasked rows of X and y.")
    y = y if hasattr(y, "shape") else plain_array(y, "y")
    refuse_missing(y, "y")
    return entries_of_column(y)


def params_of_rows(params: Mapping[str, Any], rows: NDArray[Any], n_rows: int) -> dict[str, Any]:
    """Return parameters for some of the rows: those with a value a row are cut."""
    found = {}
    for name, value in params.items():
        n = len(value) if isinstance(value, list) else (*getattr(value, "shape", ()), -1)[0]
        found[name] = take_rows(value, rows) if n == n_rows else value
    return found


def _numbers(part: Any) -> Rows:
    """Return row numbers, also of a mask."""
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part.astype(np.intp)


def weight_argument(model: Any) -> str:
    """Return the name under which ``fit`` takes the weights.

    A pipeline passes them to its last step, or with metadata routing to the steps that request
    them.
    """
    if isinstance(model, Pipeline) and not get_config()["enable_metadata_routing"]:
        name, last = model.steps[-1]
        return f"{name}__{weight_argument(last)}"
    return "sample_weight"


def wants_weights(model: Any) -> bool:
    """Whether a fit gets weights: with metadata routing, unless all consumers decline."""
    if not get_config()["enable_metadata_routing"]:
        return True
    requests = set(_weight_requests(get_routing_for_object(model)))
    return bool(requests) and requests != {False}


def _weight_requests(routing: Any) -> Iterator[Any]:
    """Yield the requests for weights in ``fit`` of every consumer in a routing tree."""
    if isinstance(routing, MetadataRouter):
        for _, pair in routing:
            yield from _weight_requests(pair.router)
    elif "sample_weight" in routing.fit.requests:
        yield routing.fit.requests["sample_weight"]
