"""Power that planned sample sizes really have, by simulation.

``python -m benchmarks.planning`` prints its tables in Markdown (two minutes on one core); ``--runs``
sets the runs of a row, ``--only`` chooses a table. Two normal classes of equal variance, two-sided tests
at 5 %; a rejection on the wrong side does not count. Where class counts are random, as many rows as
planned are drawn, each positive with the planned share. Rates of fixed counts need no simulation: their
power is an exact sum.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from skaucx.inference import (
    SampleSize,
    interval,
    rate_sample_size,
    roc_auc_sample_size,
)

from .machine import heading

# The AUC, its value under the null hypothesis, negatives for each positive, planned power.
SINGLE = ((0.7, 0.5, 1, 0.8), (0.8, 0.7, 1, 0.8), (0.8, 0.7, 4, 0.8), (0.9, 0.8, 1, 0.9))
# The AUC, a half-width, negatives for each positive.
AREAS = (
    (0.8, 0.05, 1),
    (0.8, 0.05, 3),
    (0.7, 0.05, 4),
    (0.9, 0.05, 9),
    (0.9, 0.03, 1),
    (0.95, 0.03, 4),
)
RATES = ((0.9, 0.8, 0.8), (0.95, 0.9, 0.8), (0.75, 0.6, 0.8), (0.9, 0.8, 0.9))
WIDTHS = ((0.9, 0.05), (0.8, 0.05), (0.8, 0.1))
PREVALENCE = 0.2  # of the rows of which a random number is positive
Floats = NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.planning", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", default="", choices=["", *TABLES])
    options = parser.parse_args()
    runs = options.runs
    print(heading("Power and widths that planned sample sizes really have"))
    print(f"{runs} runs a row; standard error of a power of 80 %: {40 / math.sqrt(runs):.1f}")
    for name, (head, rows) in TABLES.items():
        if options.only in ("", name):
            print(f"\n{head}\n|{'---|' * (head.count('|') - 1)}")
            for row in rows(runs):
                print(row, flush=True)


def singles(runs: int) -> Iterator[str]:
    for setting in SINGLE:
        yield single(*setting, runs // 2)


def areas(runs: int) -> Iterator[str]:
    for area in AREAS:
        yield width_of_area(*area, runs // 4)


def rates(runs: int) -> Iterator[str]:
    for row in RATES:
        yield rate(*row, runs)


def rate_widths(runs: int) -> Iterator[str]:
    for width in WIDTHS:
        yield half_width(*width, runs)


def class_counts(rng: np.random.Generator, p: int, n: int, drawn: bool) -> NDArray[np.intp]:
    """Return p ones and n zeros, or as many rows of which each is a one with that share."""
    return (rng.random(p + n) * (p + n) < p).astype(np.intp) if drawn else np.repeat([1, 0], [p, n])


def scores(rng: np.random.Generator, y: NDArray[np.intp], auc: float) -> Floats:
    """Draw the scores of a classifier."""
    return math.sqrt(2) * special.ndtri(auc) * y + rng.normal(size=len(y))


def single(auc: float, null: float, ratio: float, power: float, runs: int) -> str:
    """Return the row of one AUC, of which an interval must lie above the null value."""
    size = roc_auc_sample_size(auc, null=null, ratio=ratio, power=power)
    p, n = size.n_positive, size.n_negative
    rng, found = np.random.default_rng([p, n]), [0, 0]
    for drawn in (False, True):
        for _ in range(runs):
            y = class_counts(rng, p, n, drawn)
            found[drawn] += interval("roc_auc", y, scores(rng, y, auc)).low > null
    shares = " | ".join(f"{100 * each / runs:.1f}" for each in found)
    return f"| {auc}, {null} | {p} + {n} | {100 * size.power:.1f} | {shares} |"


def rate(true: float, null: float, power: float, runs: int) -> str:
    """Return the row of a sensitivity that is tested."""
    size = rate_sample_size(true, null=null, power=power, prevalence=PREVALENCE)
    n = size.n_positive

    @cache
    def found(k: int, m: int) -> tuple[bool, bool]:
        wilson = interval("recall", counts=[[1, 0], [m - k, k]]).low > null
        return wilson, stats.binomtest(k, m, null).pvalue < 0.05 and k / m > null

    chance = stats.binom.pmf(np.arange(n + 1), n, true)
    fixed = chance @ [found(k, n) for k in range(n + 1)]
    drawn = np.mean([found(*each) for each in right_of_drawn(true, size, runs)], axis=0)
    cells = " | ".join(f"{100 * share:.1f}" for share in (*fixed, *drawn))
    return f"| {true}, {null} | {n} | {100 * size.power:.1f} | {cells} |"


def half_width(true: float, wanted: float, runs: int) -> str:
    """Return the row of a sensitivity whose interval is to be so wide."""
    size = rate_sample_size(true, half_width=wanted, prevalence=PREVALENCE)
    n = size.n_positive

    @cache
    def width(k: int, m: int) -> float:
        found = interval("recall", counts=[[1, 0], [m - k, k]])
        return (found.high - found.low) / 2

    chance = stats.binom.pmf(np.arange(n + 1), n, true)
    widths = np.array([width(k, n) for k in range(n + 1)])
    drawn = np.array([width(*each) for each in right_of_drawn(true, size, runs)])
    fixed = f"{chance @ widths:.3f} | {100 * (chance @ (widths <= wanted)):.0f}"
    return (
        f"| {true} | {n} | {wanted} | {fixed} | {drawn.mean():.3f} "
        f"| {100 * np.mean(drawn <= wanted):.0f} |"
    )


def right_of_drawn(true: float, size: SampleSize, runs: int) -> list[tuple[int, int]]:
    """Return how many of how many positives are recognised where the number of positives is drawn."""
    rng = np.random.default_rng(size.n_positive)
    positives = np.maximum(rng.binomial(size.total, PREVALENCE, size=runs), 1)
    return [(int(rng.binomial(m, true)), int(m)) for m in positives]


def width_of_area(auc: float, wanted: float, ratio: float, runs: int) -> str:
    """Return the row of an AUC whose interval is to be so wide."""
    size = roc_auc_sample_size(auc, half_width=wanted, ratio=ratio)
    p, n = size.n_positive, size.n_negative
    rng, cells = np.random.default_rng([p, n]), []
    for drawn in (False, True):
        widths = np.empty(runs)
        for i in range(runs):
            y = class_counts(rng, p, n, drawn)
            found = interval("roc_auc", y, scores(rng, y, auc))
            widths[i] = (found.high - found.low) / 2
        cells.append(f"{widths.mean():.4f} | {100 * np.mean(widths <= wanted):.0f}")
    return f"| {auc} | {p} + {n} | {wanted} | {' | '.join(cells)} |"


# The head of each table, and its rows.
TABLES: dict[str, tuple[str, Callable[[int], Iterator[str]]]] = {
    "aucs": ("| AUC, null | examples | planned | fixed counts | random counts |", singles),
    "widths": (
        "| AUC | examples | planned half-width | mean, fixed counts | share at most planned "
        "| mean, random counts | share at most planned |",
        areas,
    ),
    "rates": (
        "| rate, null | examples | planned | Wilson | exact test | Wilson, random counts "
        "| exact test, random counts |",
        rates,
    ),
    "rate_widths": (
        "| rate | examples | planned half-width | mean of Wilson's | share at most planned "
        "| mean, random counts | share at most planned |",
        rate_widths,
    ),
}


if __name__ == "__main__":
    main()
