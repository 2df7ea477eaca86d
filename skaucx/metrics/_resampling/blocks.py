"""Rows that depend on their neighbours in order, as in time: blocks of successive rows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._arrays import Array, Codes, Floats
from ..._options import check_whole
from .._streams.sources import is_chunked

# Blocks that "auto" leaves at least, and the autocorrelation up to which it lengthens them.
_FEWEST, _GREATEST = 10, 0.97


def block_length(blocks: Any, groups: Any, y_true: Any, prediction: Any) -> int | None:
    r"""Return the number of rows of a block; None where rows are independent.

    "auto" takes the longest of those that Andrews (1991, equation 6.4) gives the Bartlett kernel for
    autoregressions of the classes, and of the predictions of each class around their mean (of
    predicted labels: whether they are right):

    .. math:: 1.1447 \left(\frac{4 \rho^2 n}{(1 - \rho^2)^2}\right)^{1/3}

    and at most n / 10.
    """
    if blocks is None:
        return None
    if groups is not None:
        raise ValueError("blocks and groups both say which rows depend on each other; pass one.")
    if y_true is None or is_chunked(y_true):
        raise ValueError("blocks need rows in memory, in their order.")
    true, n = np.asarray(y_true), len(y_true)
    if isinstance(blocks, str):
        if blocks != "auto":
            raise ValueError(f"blocks must be 'auto' or a number of rows, found {blocks!r}.")
        lengths = [_bandwidth(series) for series in _series(true, np.asarray(prediction))]
        return int(np.clip(np.ceil(max(lengths)), 1, max(1, n // _FEWEST)))
    length = int(check_whole("blocks", blocks, 1))
    if n < 2 * length:
        raise ValueError(f"blocks={length} leaves fewer than two blocks of {n} rows.")
    return length


def groups_of_blocks(blocks: Any, groups: Any, y_true: Any, prediction: Any) -> Any:
    """Return the blocks of successive rows as groups, or the groups that are given instead."""
    length = block_length(blocks, groups, y_true, prediction)
    return groups if length is None else block_codes(len(y_true), length)


def block_codes(n_rows: int, length: int) -> Codes:
    """Return the number of the block of each row; the last one takes what is left over."""
    return np.minimum(np.arange(n_rows) // length, n_rows // length - 1)


def moving_counts(rng: np.random.Generator, size: int, n_rows: int, length: int) -> Floats:
    """Return how often rows are drawn, of blocks that start anywhere (Kuensch 1989).

    The last block is cut to give n rows, and blocks go on from the last row to the first (Politis and
    Romano 1992), so that every row is drawn equally often.
    """
    many, last = divmod(n_rows, length)
    counts = np.zeros((size, n_rows))
    for drawn, own in ((many, length), (1, last)):
        if own:
            starts = rng.integers(n_rows, size=(size, drawn)) + n_rows * np.arange(size)[:, None]
            at = np.bincount(starts.ravel(), minlength=size * n_rows).reshape(size, n_rows)
            # Row i is in the blocks that start at i - own + 1, ..., i.
            total = np.cumsum(np.concatenate([at[:, n_rows - own :], at], axis=1), axis=1)
            counts += total[:, own:] - total[:, :n_rows]
    return counts


def _series(true: Array, prediction: Array) -> Iterator[Floats]:
    columns = true.reshape(len(true), -1).T
    codes = np.unique(true, return_inverse=True)[1].reshape(true.shape).reshape(len(true), -1).T
    yield from codes - codes.mean(axis=1, keepdims=True)
    for place, column in enumerate(prediction.reshape(len(true), -1).T):
        kinds = codes[min(place, len(codes) - 1)]
        numeric = column.dtype.kind == "f"
        values = column if numeric else column == columns[min(place, len(columns) - 1)]
        means = np.bincount(kinds, values) / np.maximum(np.bincount(kinds), 1)
        yield values - means[kinds]


def _bandwidth(series: Floats) -> float:
    zero, one, two = (float(series[lag:] @ series[: len(series) - lag]) for lag in (0, 1, 2))
    rho = max(one / zero, 0.0) if zero > 0 else 0.0
    if rho > 2 / math.sqrt(len(series)):
        rho = max(rho, two / one)  # noise on top of an autoregression hides its strength at lag 1
    rho = min(rho, _GREATEST)
    return float(1.1447 * (4 * rho**2 * len(series) / (1 - rho**2) ** 2) ** (1 / 3))
