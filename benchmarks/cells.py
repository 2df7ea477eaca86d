"""The measured work on rows in chunks: updates, merges, bounds; and files of 10^8 rows.

``python -m benchmarks --only cells`` measures the ratios; ``python -m benchmarks.cells FOLDER`` writes a
Parquet file of 10^8 rows there, counts it in one process and in two, against a pass that only sums its
scores, and evaluates 10^7 rows beside scikit-learn (``benchmarks/results/cells.md``); ``--exact`` in the
place of FOLDER prints what exact values of all variants take, and how far they lie from those in memory;
``--paper`` what 10^10 rows on 100 workers take, from the rates in the table.
"""

from __future__ import annotations

import math
import multiprocessing
import pickle
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import sklearn.metrics as sk

from skaucx.evaluation import evaluate
from skaucx.inference import reliability_curve
from skaucx.metrics import list_metrics
from skaucx.scale import BoundedValue, Chunks, MetricAccumulator

from .measure import Row, ratio_of_times

_FAMILY = [row.name for row in list_metrics() if row.family == "AUC variants" and row.rises]
_EXACT = [*_FAMILY, "average_precision", "pr_auc"]
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
    parts = [_counted(4)._aggregate, _counted(5)._aggregate]
    yield (
        "cells: merge of two states of 10^6 cells",
        auc,
        0.1,
        "ms",
        lambda: ratio_of_times(lambda: parts[0] + parts[1], lambda: sk.roc_auc_score(y, s)),
    )
    counts = _counted(4)
    yield (
        "cells: both bounds of all variants from 10^6 cells",
        auc,
        1.2,
        "ms",
        lambda: ratio_of_times(lambda: counts.result(_FAMILY), lambda: sk.roc_auc_score(y, s)),
    )
    y, s = _chunk(99)
    yield (
        "chunks: calibration bins of 10^6 float64 scores",
        auc,
        0.5,
        "ms",
        lambda: ratio_of_times(
            lambda: reliability_curve(iter([y]), iter([s])), lambda: sk.roc_auc_score(y, s)
        ),
    )
    if not quick:
        yield from _widths()


def _widths() -> Iterator[Line]:
    found = _counted(10).result(_FAMILY)
    widths = {name: v.width for name, v in found.items() if isinstance(v, BoundedValue)}
    for work, wanted, width in (
        ("cells: width of the AUC, 10^7 rows", 2e-6, widths["roc_auc"]),
        ("cells: greatest width of a variant, 10^7 rows", 5e-6, max(widths.values())),
    ):
        yield work, "1", wanted, "", lambda width=width: [width, 1.0]


def large(folder: str, rows: int = 10**8) -> None:
    """Print as Markdown what a Parquet file of many rows takes, and 10^7 rows beside scikit-learn."""
    path = Path(folder) / f"scores_{rows}.parquet"
    if not path.exists():
        _write(path, rows)
    groups = range(rows // _ROWS)
    summed, _ = _timed(lambda: _summed(path))
    print("| work | seconds | rows a second | peak memory |\n|---|---|---|---|")
    print(_line("sum of the scores", summed, rows))
    for cores in (1, 2):
        parts = [(path, list(groups)[k::cores]) for k in range(cores)]
        with multiprocessing.get_context("spawn").Pool(cores) as pool:
            pickled, peaks, begun, ended = zip(*pool.map(_counted_groups, parts), strict=True)
        seconds = max(ended) - min(begun)
        print(_line(f"counts, number of processes: {cores}", seconds, rows, max(peaks)))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        seconds, peak = pool.apply(_in_two_threads, (path,))
    print(_line("the same counts and bounds, one process of two threads", seconds, rows, peak))
    states = [pickle.loads(state) for state in pickled]
    merged, counts = _timed(lambda: states[0].merge(states[1]))
    print(_line(f"merge of two states, {len(pickled[0]) / 1e6:.0f} MB each", merged))
    one, auc = _timed(lambda: counts.result(["roc_auc"])["roc_auc"])
    print(_line(f"bounds of the AUC, {auc.width:.1e} apart", one))
    every, found = _timed(lambda: counts.result(_FAMILY))
    print(_line(f"bounds of all variants, {max(v.width for v in found.values()):.1e} apart", every))
    _beside_sklearn(10**7)


def _beside_sklearn(rows: int) -> None:
    for work in (_in_memory, _in_chunks, _exact):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            name, seconds, peak = pool.apply(work, (rows,))
        print(_line(name, seconds, rows, peak))


class _Frames:
    """Chunks of float64 scores that are made anew for every pass."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __iter__(self) -> Iterator[dict[str, np.ndarray]]:
        for seed in range(self.rows // _ROWS):
            y, p = _chunk(seed)
            yield {"y": y, "p": p}


def _in_memory(rows: int) -> tuple[str, float, float]:
    parts = [_chunk(seed) for seed in range(rows // _ROWS)]
    y, p = (np.concatenate(side) for side in zip(*parts, strict=True))
    seconds, _ = _timed(lambda: sk.roc_auc_score(y, p))
    return f"{rows:.0e} rows in memory: roc_auc_score of scikit-learn", seconds, _peak()


def _in_chunks(rows: int) -> tuple[str, float, float]:
    """Count the chunks, without the time that making them takes."""
    counts, seconds = MetricAccumulator(["roc_auc"]), 0.0
    for frame in _Frames(rows):
        seconds += _timed(lambda frame=frame: counts.update(frame["y"], y_score=frame["p"]))[0]
    more, auc = _timed(lambda: counts.result()["roc_auc"])
    return f"{rows:.0e} rows in chunks: the AUC within {auc.width:.1e}", seconds + more, _peak()


def _exact(rows: int) -> tuple[str, float, float]:
    frames = _Frames(rows)
    making = _timed(lambda: [None for _ in frames])[0]
    seconds, found = _timed(
        lambda: evaluate("y", y_score="p", data=Chunks(frames, tolerance=0), metrics=["roc_auc"])
    )
    name = f"{rows:.0e} rows in chunks: the exact AUC, {found.passes} passes"
    return name, seconds - found.passes * making, _peak()


_TABLE = Path(__file__).parent / "results" / "cells.md"


def paper(rows: float = 1e10, workers: int = 100) -> None:
    """Print what many rows on many workers take, from the measured rates.

    Each counts its share of the rows; the states are merged in a binary tree.
    """
    cells = [line.split("|")[1:-1] for line in _TABLE.read_text().splitlines() if "|" in line]
    table = {work.strip(): [cell.strip() for cell in rest] for work, *rest in cells}
    rate = 1e6 * float(table["counts, number of processes: 1"][1].split()[0])
    merge = next(work for work in table if work.startswith("merge of two states"))
    seconds, state = float(table[merge][0]), 1e6 * float(merge.split()[4])
    levels = math.ceil(math.log2(workers))
    print(f"{rows:.0e} rows on {workers} workers, a pass:")
    print(
        f"counting {rows / workers:.0e} rows each at {rate:.3g} a second: {rows / workers / rate:.3g} s"
    )
    print(f"{levels} levels of merges at {seconds:.3g} s: {levels * seconds:.3g} s")
    print(
        f"{workers - 1} states of {state / 1e6:.3g} MB sent: {(workers - 1) * state / 1e9:.3g} GB"
    )
    print(f"of these on the longest branch: {levels * state / 1e9:.3g} GB")


def exact(*rows: int) -> None:
    """Print as Markdown what exact values of the whole family take, each in a process of its own."""
    print("| rows | passes | seconds | peak memory | greatest relative difference |")
    print("|---|---|---|---|---|")
    for number in rows or (2 * 10**6, 10**7):
        found = []
        for work in (_family_in_chunks, _family_in_memory):
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                found.append(pool.apply(work, (number,)))
        for (name, seconds, peak, values), wanted in zip(found, (found[1][3], None), strict=True):
            off = [abs(values[m] / wanted[m] - 1) for m in wanted] if wanted else []
            worst = f"{max(off):.1e}" if off else ""
            print(f"| {number:.0e} {name} | {seconds:.3g} | {peak:.2f} GiB | {worst} |")


_Family = tuple[str, float, float, dict[str, float]]


def _family_in_chunks(rows: int) -> _Family:
    frames = _Frames(rows)
    making = _timed(lambda: [None for _ in frames])[0]
    seconds, found = _timed(
        lambda: evaluate("y", y_score="p", data=Chunks(frames, tolerance=0), metrics=_EXACT)
    )
    seconds -= found.passes * making
    return f"in chunks of 10^6 | {found.passes}", seconds, _peak(), dict(found)


def _family_in_memory(rows: int) -> _Family:
    parts = [_chunk(seed) for seed in range(rows // _ROWS)]
    y, p = (np.concatenate(side) for side in zip(*parts, strict=True))
    seconds, found = _timed(lambda: evaluate(y, None, p, _EXACT))
    return "in memory | 1", seconds, _peak(), dict(found)


def _summed(path: Path) -> float:
    from pyarrow import parquet

    with parquet.ParquetFile(path, pre_buffer=False) as file:
        batches = file.iter_batches(_ROWS, columns=["p"])
        return sum(batch.column("p").to_numpy().sum(dtype=np.float64) for batch in batches)


def _counted_groups(part: tuple[Path, list[int]]) -> tuple[bytes, float, float, float]:
    """Return the counts of some row groups, the peak of memory, and when this began and ended."""
    from pyarrow import parquet

    (path, groups), begin = part, time.perf_counter()
    counts = MetricAccumulator(_FAMILY)
    with parquet.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(_ROWS, row_groups=groups):
            y, p = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("y", "p"))
            counts.update(y, y_score=p)
    return pickle.dumps(counts), _peak(), begin, time.perf_counter()


class _Batches:
    """Batches of a file, read anew for every pass."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __iter__(self) -> Iterator[Any]:
        from pyarrow import parquet

        with parquet.ParquetFile(self.path, pre_buffer=False) as file:
            yield from file.iter_batches(_ROWS)


def _in_two_threads(path: Path) -> tuple[float, float]:
    def judge() -> Any:
        with joblib.parallel_config("threading", n_jobs=2):
            return evaluate("y", y_score="p", data=_Batches(path), metrics=["roc_auc"])

    return _timed(judge)[0], _peak()


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    before = time.perf_counter()
    found = work()
    return time.perf_counter() - before, found


def _peak() -> float:
    """Return the greatest memory of this process so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def _line(work: str, seconds: float, rows: int | None = None, peak: float | None = None) -> str:
    rate = "" if rows is None else f"{rows / seconds / 1e6:.3g} million"
    return f"| {work} | {seconds:.3g} | {rate} | {'' if peak is None else f'{peak:.2f} GiB'} |"


def _write(path: Path, rows: int) -> None:
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([("y", pyarrow.bool_()), ("p", pyarrow.float32())])
    with parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for seed in range(rows // _ROWS):
            y, p = _chunk(seed, np.float32)
            writer.write_table(pyarrow.table([y, p], schema=schema))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--paper"]:
        paper()
    elif sys.argv[1:2] == ["--exact"]:
        exact(*map(int, sys.argv[2:]))
    else:
        large(*sys.argv[1:2], *map(int, sys.argv[2:3]))
