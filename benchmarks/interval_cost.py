"""What a 95 % interval costs in values of its metric, by the method that "auto" takes.

``python -m benchmarks.interval_cost`` prints the table in Markdown: for each number of rows the time of
`interval` over that of the metric itself, both the least of ``--repeats`` calls.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from benchmarks.machine import processor
from skaucx import metrics as sm

SIZES = (10**4, 10**5, 10**6)
METRICS: dict[str, dict[str, Any]] = {
    "brier_score_loss": {},
    "log_loss": {},
    "average_precision_score": {},
    "pr_auc_score": {},
    "calibration_slope": {},
    "calibration_intercept": {},
    "partial_roc_auc_score": {"fpr": (0, 0.2)},
    "precision_at_k_score": {"k": 500},
    "lift_score": {},
    "d2_brier_score": {},
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interval_cost", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print(f"{processor()}: interval over value, one thread\n")
    print(f"| metric | method | {' | '.join(f'{n:,} rows' for n in SIZES)} | seconds at the last |")
    print(f"|{'---|' * (len(SIZES) + 3)}")
    for name, parameters in METRICS.items():
        function, cells, spent, method = getattr(sm, name), [], 0.0, ""
        for n in SIZES:
            rng = np.random.default_rng(n)
            odds = rng.normal(size=n) - 2
            y, p = (rng.random(n) < special.expit(odds)).astype(np.intp), special.expit(odds)
            method = sm.interval(function, y, p, **parameters).method
            spent = least(partial(sm.interval, function, y, p, **parameters), repeats)
            cells.append(f"{spent / least(partial(function, y, p, **parameters), repeats):.1f}")
        print(f"| {name} | {method} | {' | '.join(cells)} | {spent:.2f} |", flush=True)


def least(call: Callable[[], Any], repeats: int) -> float:
    """Return the least time of several calls."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    main()
