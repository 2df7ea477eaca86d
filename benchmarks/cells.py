"""The measured work on rows in chunks: updates, merges, bounds; and files of 10^8 rows.

``python -m benchmarks --only cells`` measures the ratios; ``python -m benchmarks.cells FOLDER`` writes a
Parquet file of 10^8 rows there and evaluates it, against a pass that only sums its scores.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import sklearn.metrics as sk

from skaucx.metrics import Certified, MetricAccumulator, list_metrics

from .measure import Row, ratio_of_times

_FAMILY = [row.name for row in list_metrics() if row.family == "AUC variants" and row.rises]
_ROWS = 10**6


def suite(*, quick: bool = False, only: str = "") -> Iterator[Row]:
    """Measure line by line those whose work holds the text `only`."""
    for work, against, wanted, unit, measure in _lines(quick):
        if only in work:
            ours, theirs = measure()
            yield Row(work, against, wanted, ours, theirs, unit)


Line = tuple[str, str, float, str, Callable[[], list[float]]]


def _chunk(seed: int, dtype: type = np.float64) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.random(_ROWS) < 0.4
    return y, (1 / (1 + np.exp(-rng.normal(y, 1.5)))).astype(dtype)


def _counted(chunks: int, dtype: type = np.float64) -> MetricAccumulator:
    counts = MetricAccumulator(_FAMILY)
    for seed in range(chunks):
        y, s = _chunk(seed, dtype)
        counts.update(y, y_score=s)
    return counts


def _lines(quick: bool) -> Iterator[Line]:
    auc = "one `roc_auc_score` of 10^6"
    for dtype, wanted in ((np.float32, 0.15), (np.float64, 0.25)):
        counts, (y, s) = _counted(4, dtype), _chunk(99, dtype)
        yield (
            f"cells: update with 10^6 {dtype.__name__} scores",
            auc,
            wanted,
            "ms",
            lambda counts=counts, y=y, s=s: ratio_of_times(
                lambda: counts.update(y, y_score=s), lambda: sk.roc_auc_score(y, s)
            ),
        )
    y, s = _chunk(99)
    tallies = [_counted(4)._tally, _counted(5)._tally]
    yield (
        "cells: merge of two states of 10^6 cells",
        auc,
        0.1,
        "ms",
        lambda: ratio_of_times(lambda: tallies[0] + tallies[1], lambda: sk.roc_auc_score(y, s)),
    )
    counts = _counted(4)
    yield (
        "cells: both bounds of all variants from 10^6 cells",
        auc,
        1.2,
        "ms",
        lambda: ratio_of_times(lambda: counts.result(_FAMILY), lambda: sk.roc_auc_score(y, s)),
    )
    if not quick:
        yield from _widths()


def _widths() -> Iterator[Line]:
    found = _counted(10).result(_FAMILY)
    widths = {name: v.width for name, v in found.items() if isinstance(v, Certified)}
    for work, wanted, width in (
        ("cells: width of the AUC, 10^7 rows", 2e-6, widths["roc_auc"]),
        ("cells: greatest width of a variant, 10^7 rows", 5e-6, max(widths.values())),
    ):
        yield work, "1", wanted, "", lambda width=width: [width, 1.0]


def large(folder: str, rows: int = 10**8) -> None:
    """Evaluate a Parquet file of many rows; print rows a second and the peak of the memory."""
    from pyarrow import parquet

    path = Path(folder) / f"scores_{rows}.parquet"
    if not path.exists():
        _write(path, rows)
    before = time.perf_counter()
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS, columns=["p"]):
            batch.column("p").to_numpy().sum(dtype=np.float64)
    summed = time.perf_counter() - before
    counts, before = MetricAccumulator(_FAMILY), time.perf_counter()
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(_ROWS):
            y, p = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("y", "p"))
            counts.update(y, y_score=p)
    counted = time.perf_counter() - before
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{rows} rows: {rows / counted:.3g} rows a second counted, {rows / summed:.3g} summed")
    before = time.perf_counter()
    print(counts.result(["roc_auc", "sond_auc"]))
    print(f"bounds in {time.perf_counter() - before:.1f} s; peak of memory {peak:.2f} GiB")


def _write(path: Path, rows: int) -> None:
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([("y", pyarrow.bool_()), ("p", pyarrow.float32())])
    with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for seed in range(rows // _ROWS):
            y, p = _chunk(seed, np.float32)
            writer.write_table(pyarrow.table([y, p], schema=schema))


if __name__ == "__main__":
    large(*sys.argv[1:2], *map(int, sys.argv[2:3]))
