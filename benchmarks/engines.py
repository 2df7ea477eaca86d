"""Scores counted in cells by a query engine, by batches, and by a bare query.

``python -m benchmarks.engines --rows 20000000`` writes labels, scores and four sites to a Parquet file,
and prints a table in Markdown: seconds, and the peak of the process above its start. Each line runs in a
process of its own.
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
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.engines", description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--line", help="one line alone, of a file that is there")
    parser.add_argument("--path")
    options = parser.parse_args()
    if options.line:
        print(*measured(LINES[options.line], options.path))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        write(path, options.rows)
        print(f"{options.rows:,} rows\n\n| | seconds | peak, GiB |\n|---|---|---|")
        for name in LINES:
            command = [sys.executable, "-m", "benchmarks.engines", "--line", name, "--path", path]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            seconds, peak = map(float, done.stdout.split())
            print(f"| {name} | {seconds:.2f} | {peak:.2f} |", flush=True)


def measured(line: str, path: str) -> tuple[float, float]:
    """Return seconds and GiB of a line, imports left out."""
    import duckdb

    from skaucx.metrics import evaluate
    from skaucx.metrics.accumulation import MetricAccumulator, cells_query

    query = cells_query(f"'{path}'", true="y", score="p")
    names = {
        "duckdb": duckdb, "evaluate": evaluate, "MetricAccumulator": MetricAccumulator,
        "path": path, "query": query, "BARE": BARE,
        "by_site": cells_query(f"'{path}'", true="y", score="p", by="site", losses=True, bits=10),
    }  # fmt: skip
    evaluate([0, 1], y_score=[0.1, 0.9], metrics=["roc_auc", "average_precision", "log_loss"])
    before, start = _peak(), time.perf_counter()
    eval(line, names)
    return time.perf_counter() - start, _peak() - before


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def write(path: str, rows: int) -> None:
    """Write labels, scores and sites."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, left = np.random.default_rng(0), rows
    with pq.ParquetWriter(
        path, pa.schema([("y", pa.int8()), ("p", pa.float64()), ("site", pa.int8())])
    ) as file:
        while left:
            n = min(left, 1_000_000)
            y = (rng.random(n) < 0.2).astype(np.int8)
            p = 1 / (1 + np.exp(1.4 - 1.5 * y - rng.normal(size=n)))
            site = rng.integers(0, 4, n).astype(np.int8)
            file.write_table(pa.table({"y": y, "p": p, "site": site}))
            left -= n


if __name__ == "__main__":
    main()
