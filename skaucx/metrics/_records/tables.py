"""What several metrics read of a confusion table of shape (..., K, K), made once for all of them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import numpy as np

from ..._arrays import Array, Floats
from .counts import Counts

Made = TypeVar("Made")


def once(make: Callable[[Floats], Made]) -> Callable[[Floats], Made]:
    """Keep what is made of a table that cannot be written to, for as long as the table lives."""
    kept: dict[int, Made] = {}

    @wraps(make)
    def made(table: Floats) -> Made:
        if not _constant(table):
            return make(table)
        key = id(table)
        if key not in kept:
            kept[key] = _frozen(make(table))
            weakref.finalize(table, kept.pop, key, None)
        return kept[key]

    return made


def _frozen(found: Made) -> Made:
    """Return what several metrics share, so that none can write to it."""
    for each in found if isinstance(found, tuple) else (found,):
        if isinstance(each, np.ndarray):
            each.setflags(write=False)
    return found


def _constant(table: Array) -> bool:
    """Whether no array that shares the table's memory can be written to."""
    base = table.base
    owned = base is None or (isinstance(base, np.ndarray) and not base.flags.writeable)
    return owned and not table.flags.writeable


@once
def shares_of(table: Floats) -> Floats:
    """Return the cells as shares of the whole."""
    return np.asarray(table / table.sum(axis=(-2, -1), keepdims=True))


@once
def sides_of(table: Floats) -> tuple[Floats, Floats]:
    """Return the shares of the true and of the predicted classes."""
    shares = shares_of(table)
    return shares.sum(axis=-1), shares.sum(axis=-2)


@once
def each_class(table: Floats) -> Counts:
    """Return the tables of each class against the rest."""
    return Counts.one_vs_rest(table)
