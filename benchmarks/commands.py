"""The measured work of the command line: a Parquet file by groups, beside DuckDB's sort and cells of it.

``python -m benchmarks --only command:`` measures it where DuckDB is installed.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from skaucx.command.main import main
from skaucx.scale import cells_query

from .engines import write
from .measure import Row, ratio_of_times

Line = tuple[str, str, float, Callable[[], list[float]]]

_ROWS = 5 * 10**6
# Cells of a group: one a row where values are exact; 2^13 in the query.
_BITS, _CELLS = 13, 10_000
_WANTED = 1.5


def suite(*, quick: bool = False, only: str = "") -> Iterator[Row]:
    """Measure line by line those whose work holds the text `only`."""
    with TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        named = [line for line in _lines(path) if only in line[0]]
        if not named or find_spec("duckdb") is None:
            return
        write(path, _ROWS)
        for work, against, wanted, measure in named:
            yield Row(work, against, wanted, *measure())


def _lines(path: str) -> Iterator[Line]:
    sort = f"SELECT site, y, p FROM '{path}' ORDER BY site, p"
    cells = cells_query(f"'{path}'", true="y", score="p", by="site", losses=True, bits=_BITS)
    work = "command: AUC, log loss, intervals of 4 groups, 5*10^6 rows of Parquet"
    yield work, "DuckDB's sort", _WANTED, lambda: _beside(sort, path, _ROWS)
    bounded = f"{work}, bounded"
    yield bounded, "DuckDB's cells", _WANTED, lambda: _beside(cells, path, _CELLS)


def _beside(query: str, path: str, cells: int) -> list[float]:
    """Measure the command and a query whose answer stays in DuckDB, both in one thread."""
    import duckdb

    engine = duckdb.connect()
    engine.execute("SET threads = 1")
    named = ["--true", "y", "--score", "p", "--by", "site", "--max-cells", str(cells)]
    wanted = ["--metrics", "roc_auc,log_loss", "--intervals"]

    def ours() -> None:
        with redirect_stdout(io.StringIO()):
            main(["evaluate", path, *named, *wanted])

    return ratio_of_times(
        ours, lambda: engine.execute(f"CREATE OR REPLACE TABLE answer AS {query}"), least=5
    )
