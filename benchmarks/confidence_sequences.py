"""How often confidence sequences ever exclude the truth, and how wide they are.

``python -m benchmarks.confidence_sequences`` prints the tables in Markdown; ``--runs`` sets the streams.
Each stream has 100,000 rows and is looked at after every one of them.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from skaucx.inference._intervals.limits import quantile
from skaucx.inference._intervals.proportions import wilson
from skaucx.inference._intervals.sequences import (
    BoundedMean,
    bounded_ends,
    log_evidence_below,
    log_evidence_of_mean,
    log_mixture,
    mirrored,
    time_uniform,
)

LOOKS = 100_000
STREAMS = {
    "share .95": (0.95, lambda rng, n: (rng.random(n) < 0.95) * 1.0),
    "share .7": (0.7, lambda rng, n: (rng.random(n) < 0.7) * 1.0),
    "share .02": (0.02, lambda rng, n: (rng.random(n) < 0.02) * 1.0),
    "loss, beta(1, 6)": (1 / 7, lambda rng, n: rng.beta(1, 6, n)),
    "loss, uniform": (0.5, lambda rng, n: rng.random(n)),
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.confidence_sequences", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=300)
    runs = parser.parse_args().runs
    print(f"{runs} streams of {LOOKS:,} rows, nominal 5 %; false alarms: the mean is at the bar\n")
    sizes = (1_000, 10_000, 100_000, 1_000_000)
    widths = " | ".join(f"width at {n:,}" for n in sizes)
    print(
        f"| stream | ever excluded, % | false alarms, % | {widths} |\n|{'---|' * (3 + len(sizes))}"
    )
    for name, (mean, draw) in STREAMS.items():
        binary = name.startswith("share")
        streams = (draw(np.random.default_rng(seed), LOOKS) for seed in range(runs))
        found = np.array([looked(values, mean, binary) for values in streams])
        ratios = [width(draw(np.random.default_rng(0), n), binary) for n in sizes]
        shares = " | ".join(f"{100 * share:.1f}" for share in found.mean(axis=0))
        print(f"| {name} | {shares} | {' | '.join(f'{r:.2f}' for r in ratios)} |", flush=True)


def looked(values: np.ndarray, mean: float, binary: bool) -> tuple[bool, bool]:
    """Return whether the limits ever exclude the mean, and whether an alarm is raised at it."""
    path, bar = BoundedMean().path(values), -math.log(0.05)
    if binary:
        n, hits, _ = path.T
        excluded = log_mixture(hits, n, np.asarray(mean)).max() >= bar
        return bool(excluded), bool(log_evidence_below(hits, n, mean).max() >= bar)
    below = log_evidence_of_mean(path, np.asarray(mean))
    above = log_evidence_of_mean(mirrored(path), np.asarray(1 - mean))
    excluded = max(below.max(), above.max()) >= bar + math.log(2)
    return bool(excluded), bool(below.max() >= bar)


def width(values: np.ndarray, binary: bool) -> float:
    """Return the width after all values by that of the interval for this size alone."""
    path = BoundedMean().path(values)[-1]
    if binary:
        low, high = time_uniform(path[1], path[0], 0.95)
        usual = np.subtract(*wilson(path[1], path[0], 0.95)[::-1])
    else:
        low, high = bounded_ends(path, 0.95)
        usual = 2 * quantile(0.95) * values.std() / math.sqrt(len(values))
    return float((high - low) / usual)


if __name__ == "__main__":
    main()
