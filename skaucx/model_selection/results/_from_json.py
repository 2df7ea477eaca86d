"""A nested result from the JSON that it was written as."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from .._positive import Classes
from ..execution._failures import FailedFit
from ._decided import KeptLimit, PredictionSets, Rejections
from ._final import FinalModel
from ._pool import OutOfFoldPredictions, Pooled
from ._selection import Selection
from ._tuning import TuningMatrix

Record = Mapping[str, Any]
T = TypeVar("T")


def result_from_json(kind: type[T], text: str) -> T:
    """Return a result; estimators, scorers and what JSON could not hold are left out.

    Raises
    ------
    ValueError
        If the text is not what ``to_json`` writes.
    """
    try:
        document = json.loads(text)
        parts = {name: _READ.get(name, _as_is)(value) for name, value in document.items()}
        parts["tuning_matrix"] = _tuning(document["tuning_matrix"], parts["candidates"])
        known = {field.name for field in fields(kind) if field.init}  # type: ignore[arg-type]
        return kind(**{name: value for name, value in parts.items() if name in known})
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise ValueError(
            f"This is no JSON of a NestedCVResult ({type(error).__name__}: {error})."
        ) from error


def _as_is(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _floats(value: Any) -> Any:
    return np.array(value, dtype=np.float64)  # null is nan, "inf" infinite


def _scores(value: Record) -> dict[str, Any]:
    return {name: _floats(scores) for name, scores in value.items()}


def _number(value: Any) -> float:
    return np.nan if value is None else float(value)


def _selection(value: Record) -> Selection:
    return Selection(
        value["winner"],
        _floats(value["means"]),
        np.array(value["dropped"], dtype=bool),
        np.array(value["undefined"], dtype=np.intp),
    )


def _tuning(value: Record, candidates: Any) -> TuningMatrix:
    read = {"scores": _floats, "inner_means": _floats, "winners": _places, "plain_scores": _maybe}
    given = {name: read.get(name, _as_is)(entry) for name, entry in value.items()}
    return TuningMatrix(**given, candidates=candidates)


def _places(value: Any) -> Any:
    return np.array(value, dtype=np.intp)


def _maybe(value: Any) -> Any:
    return None if value is None else _floats(value)


def _predictions(value: Record) -> OutOfFoldPredictions:
    given = dict(value)
    for name in ("row", "fold"):
        given[name] = _places(value[name])
    for name in ("y_true", "y_pred", "classes", "groups"):
        given[name] = None if value[name] is None else np.array(value[name])
    given["responses"] = {name: _floats(entry) for name, entry in value["responses"].items()}
    given["sample_weight"] = _maybe(value["sample_weight"])
    given["metadata"] = {
        name: np.array(entry) if isinstance(entry, list) else entry
        for name, entry in value.get("metadata", {}).items()
    }
    return OutOfFoldPredictions(**given)


def _final(value: Any) -> FinalModel | None:
    if value is None:
        return None
    return FinalModel(**{**value, "inner_mean": _number(value["inner_mean"]), "estimator": None})


def _classes(value: Any) -> Classes | None:
    """Return the classes; labels are keys of an object, so those that were numbers are read as such."""
    if value is None:
        return None
    counts = {_label(name): count for name, count in value["counts"].items()}
    return Classes(counts, value["positive"], value["others"])


def _label(text: str) -> Any:
    try:
        return json.loads(text.lower() if text in ("True", "False") else text)
    except json.JSONDecodeError:
        return text


def _decision(value: Any) -> Any:
    """Return what a decision tells, without its calibrator."""
    if not isinstance(value, Mapping):
        return value
    return SimpleNamespace(**{name: _decision(entry) for name, entry in value.items()})


def _rejections(value: Any) -> Rejections | None:
    if value is None:
        return None
    told = {name: _floats(value[name]) for name in ("least", "coverage")}
    return Rejections(**told, scores=_scores(value["scores"]), rejected=_flags(value["rejected"]))


def _sets(value: Any) -> PredictionSets | None:
    if value is None:
        return None
    arrays = {name: np.array(value[name]) for name in ("classes", "y_true", "fold")}
    return PredictionSets(**{**value, **arrays, "members": _flags(value["members"])})


def _limit(value: Record) -> KeptLimit:
    arrays = {name: _floats(value[name]) for name in ("reached", "inside")}
    return KeptLimit(value["request"], **arrays, infeasible=_flags(value["infeasible"]))


def _flags(value: Any) -> Any:
    return np.array(value, dtype=bool)


_READ: dict[str, Any] = {
    "inner_others": _scores,
    "rejections": _rejections,
    "prediction_sets": _sets,
    "decisions": lambda value: tuple(
        _decision({**one, "calibration": one.get("calibration"), "calibrator": None})
        for one in value
    ),
    "kept_limits": lambda value: tuple(map(_limit, value)),
    "test_scores": _scores,
    "plain_scores": _scores,
    "inner_scores": _floats,
    "selections": lambda value: tuple(map(_selection, value)),
    "predictions": _predictions,
    "pooled": lambda value: {n: Pooled(_number(p["value"]), p["reason"]) for n, p in value.items()},
    "n_train": _places,
    "n_test": _places,
    "final": _final,
    "failures": lambda value: tuple(FailedFit(**failed) for failed in value),
    "classes": _classes,
    "searches": lambda value: tuple(
        {name: entry if name == "params" else np.array(entry) for name, entry in one.items()}
        for one in value
    ),
}
