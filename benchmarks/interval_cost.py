"""What a 95 % interval costs in values of its metric, by the method that "auto" takes.

``python -m benchmarks.interval_cost`` prints the table in Markdown: for each number of rows the
processor time of `interval` over that of the metric itself, both the least of ``--repeats`` calls. A
second table has what `evaluate` and paired tests take at the greatest number.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy import special
from threadpoolctl import threadpool_limits

from benchmarks.machine import processor
from skaucx import evaluation, inference
from skaucx.metrics._registry.names import named_metric

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
    "pr_gain_auc_score": {},
    "bedroc_score": {},
    "sensitivity_at_specificity_score": {},
    "aurc_loss": {},
    "information_score": {},
}
PAIRED = ["brier_score_loss", "log_loss", "roc_auc", "average_precision", "pr_auc"]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.interval_cost", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    threadpool_limits(1)
    print(f"{processor()}: interval over value, one thread\n")
    print(f"| metric | method | {' | '.join(f'{n:,} rows' for n in SIZES)} | seconds at the last |")
    print(f"|{'---|' * (len(SIZES) + 3)}")
    for name, parameters in METRICS.items():
        function, cells, spent, method = named_metric(name).function, [], 0.0, ""
        for n in SIZES:
            y, p, _ = rows(n)
            method = inference.interval(function, y, p, **parameters).method
            spent = least(partial(inference.interval, function, y, p, **parameters), repeats)
            cells.append(f"{spent / least(partial(function, y, p, **parameters), repeats):.1f}")
        print(f"| {name} | {method} | {' | '.join(cells)} | {spent:.2f} |", flush=True)
    calls(*rows(SIZES[-1]), repeats)


def rows(n: int) -> tuple[Any, Any, Any]:
    """Return classes, their probabilities, and those of a second, noisier model."""
    rng = np.random.default_rng(n)
    odds = rng.normal(size=n) - 2
    y = (rng.random(n) < special.expit(odds)).astype(np.intp)
    return y, special.expit(odds), special.expit(odds + 0.3 * rng.normal(size=n))


def calls(y: Any, p: Any, other: Any, repeats: int) -> None:
    """Print what calls that find many intervals take at the greatest size."""
    print(f"\n| {len(y):,} rows | seconds | against | seconds | ratio |\n|{'---|' * 5}")
    read = partial(evaluation.evaluate, y, (p > 0.3).astype(np.intp), p)
    with_ends, without = least(partial(read, intervals=True), 2), least(read, repeats)
    dozen = f"`evaluate(intervals=True)` of its {len(read())} default metrics"
    print(f"| {dozen} | {with_ends:.2f} | without | {without:.2f} | {with_ends / without:.1f} |")
    for name in PAIRED:
        value = least(partial(evaluation.evaluate, y, y_score=p, metrics=[name]), repeats)
        test = least(partial(inference.paired_test, name, y, p, other), 2)
        print(
            f"| `paired_test` of {name} | {test:.2f} | one value | {value:.2f} | {test / value:.1f} |"
        )


def least(call: Callable[[], Any], repeats: int) -> float:
    """Return the least processor time of several calls."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


if __name__ == "__main__":
    main()
