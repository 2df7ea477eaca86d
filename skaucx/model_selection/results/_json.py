"""Values as JSON can hold them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from numbers import Integral, Real
from types import SimpleNamespace
from typing import Any

import numpy as np


def as_json(record: Any, left_out: Mapping[str, tuple[str, ...]]) -> str:
    """Write a record with its parts as JSON, without its scorer and some fields of some parts."""
    document = {
        name: _fields(value, left_out.get(name, ()))
        for name, value in vars(record).items()
        if not (name.startswith("_") or name in ("scorer", "estimators"))
    }
    return json.dumps(plain(document), allow_nan=False)


def plain(value: Any) -> Any:
    """Return numbers, text, lists and dicts; nan is None, and what JSON cannot hold its repr.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.results._json import plain
    >>> plain({"scores": np.array([0.5, np.nan]), "C": np.int64(3), "kernel": min})
    {'scores': [0.5, None], 'C': 3, 'kernel': '<built-in function min>'}
    """
    if isinstance(value, np.ndarray | np.bool_):
        value = value.tolist()
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return None if math.isnan(number) else number if math.isfinite(number) else repr(number)
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, Sequence):
        return [plain(entry) for entry in value]
    return repr(value)


def _fields(value: Any, left_out: tuple[str, ...] = ()) -> Any:
    """Return records, also those in tuples, dicts and records, as dicts of their attributes."""
    if isinstance(value, tuple):
        return [_fields(entry, left_out) for entry in value]
    if isinstance(value, Mapping):
        return {name: _fields(entry, left_out) for name, entry in value.items()}
    if not is_dataclass(value) and not isinstance(value, SimpleNamespace):
        return value
    return {
        name: _fields(entry, left_out)
        for name, entry in vars(value).items()
        if name not in left_out
    }
