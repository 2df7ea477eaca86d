"""Scores counted in cells by a query engine, by batches, and by a bare query.

``python -m benchmarks.engines --rows 20000000`` writes labels, scores, four sites and 2,000 doctors to a
Parquet file, and prints a table in Markdown: seconds, processor seconds of all threads, and the peak of
the process above its start. Each line runs ``--times`` times in processes of their own, and the least is
given. ``--only`` runs the lines whose names contain a text.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

BARE = """SELECT FLOOR(p * 1048576) AS cell, COUNT(*), SUM(y), MIN(p), MAX(p)
FROM '{path}' GROUP BY 1"""
LINES = {
    "bare GROUP BY": "duckdb.sql(BARE.format(path=path)).arrow()",
    "cells by DuckDB, AUC and average precision": (
        "MetricAccumulator.from_cells(duckdb.sql(query).arrow().read_all())"
        ".result(['roc_auc', 'average_precision'])"
    ),
    "batches, AUC and average precision": (
        "evaluate('y', y_score='p', data=path, metrics=['roc_auc', 'average_precision'])"
    ),
    "log loss with interval, 4 sites, by DuckDB": (
        "{k: a.result(['log_loss'], intervals=True) for k, a in MetricAccumulator.from_cells("
        "duckdb.sql(by_site).arrow().read_all(), by='site').items()}"
    ),
    "log loss with interval, 4 sites, batches": (
        "evaluate('y', y_score='p', data=path, metrics=['log_loss'], by='site', intervals=True)"
    ),
    "log loss, 4 sites, batches": (
        "evaluate('y', y_score='p', data=path, metrics=['log_loss'], by='site')"
    ),
    "AUC with interval and gaps, 4 sites, batches": (
        "evaluate('y', y_score='p', data=path, metrics=['roc_auc'], by='site', intervals=True)"
        ".difference()"
    ),
    "log loss, 2,000 doctors, batches": (
        "evaluate('y', y_score='p', data=path, metrics=['log_loss'], by='doctor')"
    ),
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--line", help="one line alone, of a file that is there")
    parser.add_argument("--path")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--only", default="", help="lines whose names contain this")
    options = parser.parse_args()
    if options.line:
        print(*measured(LINES[options.line], options.path))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.path or str(Path(folder) / "rows.parquet")
        if options.path is None:
            write(path, options.rows)
        print(
            f"{options.rows:,} rows\n\n| | seconds | processor seconds | peak, GiB |\n|---|---|---|---|"
        )
        for name in (each for each in LINES if options.only in each):
            command = [sys.executable, "-m", "benchmarks.engines", "--line", name, "--path", path]
            found = []
            for _ in range(options.times):
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found.append([float(each) for each in done.stdout.split()])
            seconds, processor, peak = (min(column) for column in zip(*found, strict=True))
            print(f"| {name} | {seconds:.2f} | {processor:.2f} | {peak:.2f} |", flush=True)


def measured(line: str, path: str) -> tuple[float, float, float]:
    """Return seconds, processor seconds and GiB of a line, imports left out."""
    import duckdb

    from skaucx.evaluation import evaluate
    from skaucx.scale import MetricAccumulator, cells_query

    query = cells_query(f"'{path}'", true="y", score="p")
    names = {
        "duckdb": duckdb, "evaluate": evaluate, "MetricAccumulator": MetricAccumulator,
        "path": path, "query": query, "BARE": BARE,
        "by_site": cells_query(f"'{path}'", true="y", score="p", by="site", losses=True, bits=10),
    }  # fmt: skip
    # The engine would keep what it freed, 0.2 GiB.
    duckdb.sql("SET allocator_background_threads = true")
    evaluate([0, 1], y_score=[0.1, 0.9], metrics=["roc_auc", "average_precision", "log_loss"])
    before, start, processor = _peak(), time.perf_counter(), time.process_time()
    eval(line, names)
    return time.perf_counter() - start, time.process_time() - processor, _peak() - before


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def write(path: str, rows: int) -> None:
    """Write labels, scores, sites and doctors."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, left = np.random.default_rng(0), rows
    kinds = {"y": pa.int8(), "p": pa.float64(), "site": pa.int8(), "doctor": pa.int16()}
    with pq.ParquetWriter(path, pa.schema(kinds)) as file:
        while left:
            n = min(left, 1_000_000)
            y = (rng.random(n) < 0.2).astype(np.int8)
            p = 1 / (1 + np.exp(1.4 - 1.5 * y - rng.normal(size=n)))
            site = rng.integers(0, 4, n).astype(np.int8)
            doctor = rng.integers(0, 2000, n).astype(np.int16)
            file.write_table(pa.table({"y": y, "p": p, "site": site, "doctor": doctor}))
            left -= n


if __name__ == "__main__":
    main()
