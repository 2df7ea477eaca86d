"""Coverage of the intervals that metrics have by default, in thirteen designs: one command, one table.

``python -m benchmarks.coverage > benchmarks/results/coverage.md`` takes about an hour on two cores: 400
runs of closed forms, 200 of resampled metrics, four times as many where they leave a cell below 93.5 %;
a process a design. ``--runs`` takes fewer, ``--designs`` and ``--metrics`` some. Below the table it
prints the cells under 92 % as ``skaucx/inference/_intervals/covered.py`` holds them, by the rows of the
rarest class or by groups.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from joblib import Parallel, delayed
from scipy.special import expit, softmax

from skaucx.inference import intervals
from skaucx.inference._intervals import covered
from skaucx.inference._intervals.covered import ENOUGH, SIZES, noun_of
from skaucx.metrics._registry.declare import METRICS

RESAMPLES, POPULATION = 199, 200_000
UNCLEAR = 0.935  # a cell that covers less has four times the runs, as 92 % is what decides
# The data of a design: classes, scores or probabilities, and groups or None.
Rows = tuple[np.ndarray, np.ndarray, np.ndarray | None]


@dataclass(frozen=True)
class Design:
    """A population of scored rows from which samples are drawn."""

    rows: int
    prevalence: float = 0.5
    groups: int = 0
    unequal: bool = False
    classes: int = 2

    def draw(self, rng: np.random.Generator, rows: int | None = None) -> Rows:
        """Return a sample of some rows, or of as many as the design has."""
        n, groups, shift = rows or self.rows, None, 0.0
        if self.groups:
            many = self.groups if rows is None else rows // 20
            sizes = np.full(many, 20)
            if self.unequal:
                sizes = np.maximum(3, (rng.pareto(1.2, many) * 12).astype(int).clip(0, 300))
            groups = np.repeat(np.arange(many), sizes)
            n, shift = len(groups), 0.6 * rng.normal(size=many)[groups]
        if self.classes > 2:
            y = np.zeros(n, dtype=int)
            while len(np.unique(y)) < self.classes:  # a sample without the rarest is drawn again
                y = rng.choice(5, n, p=[0.3, 0.25, 0.25, 0.17, 0.03])
            return y, softmax(1.5 * np.eye(5)[y] + rng.normal(size=(n, 5)), axis=1), groups
        x = rng.normal(size=n) + shift
        y = rng.random(n) < expit(1.8 * x + 1.3 * np.log(self.prevalence / (1 - self.prevalence)))
        return (
            y.astype(int),
            expit(1.6 * x + np.log(self.prevalence / (1 - self.prevalence))),
            groups,
        )


DESIGNS = {
    "50 rows, .1": Design(50, 0.1),
    "50 rows, .5": Design(50),
    "100 rows, .2": Design(100, 0.2),
    "100 rows, .5": Design(100),
    "1,000 rows, .05": Design(1000, 0.05),
    "1,000 rows, .5": Design(1000),
    "10 groups": Design(200, groups=10),
    "10 unequal groups": Design(200, groups=10, unequal=True),
    "30 groups": Design(600, groups=30),
    "30 unequal groups": Design(600, groups=30, unequal=True),
    "5 classes, 100 rows": Design(100, classes=5),
    "5 classes, 300 rows": Design(300, classes=5),
    # Of what is below 92 % at the greatest size before.
    "100 unequal groups": Design(2000, groups=100, unequal=True),
}


def names_of(counted: bool, many: bool) -> list[str]:
    """Return the metrics of labels, or of scores, that need no parameter and have an interval."""
    found = []
    for name, function in METRICS.items():
        row = function.metric
        kinds = ("counts", "table", "classes", "right") if counted else ("ranking", "probabilities")
        usable = row.kind.inputs.of_classes and not row.kind.inputs.extra_arrays
        if function.needed or row.no_interval or row.kind.counted is not counted or not usable:
            continue
        if many and ("average" not in function.options and row.kind.name in kinds[:1]):
            continue
        found.append(name)
    return found


def asked(counted: bool, many: bool) -> dict[str, partial]:
    """Return the metrics of labels, or of scores, with their averages over many classes."""
    averages = {"average": "macro", "multi_class": "ovr"} if many else {}
    return {
        name: partial(
            METRICS[name], **{k: v for k, v in averages.items() if k in METRICS[name].options}
        )
        for name in names_of(counted, many)
    }


def judged_by(score: np.ndarray, counted: bool, cut: float) -> np.ndarray:
    """Return what metrics of labels, or of scores, read; the threshold is that of the population."""
    if not counted:
        return score
    return score.argmax(axis=1) if score.ndim == 2 else 1 * (score > cut)


def coverage(design: Design, runs: int, names: Sequence[str]) -> dict[str, tuple[str, float, int]]:
    """Return the method of each metric, or of some, how often it covers, and the number of runs."""
    warnings.simplefilter("ignore")
    covered.LEAST = 0.0  # intervals that are refused are simulated, too
    rng = np.random.default_rng(0)
    y, score, _ = design.draw(rng, POPULATION)
    cut = float(np.quantile(score, 1 - y.mean())) if design.classes == 2 else np.nan
    truth: dict[str, float] = {}
    left: dict[bool, dict[str, partial]] = {True: {}, False: {}}
    for counted, metrics in left.items():
        judged = judged_by(score, counted, cut)
        for name, metric in asked(counted, design.classes > 2).items():
            if names and name not in names:
                continue
            try:
                truth[name] = float(metric(y, judged))
            except (TypeError, ValueError):
                continue  # of two classes alone
            metrics[name] = metric
    held: dict[str, list[bool]] = defaultdict(list)
    methods: dict[str, str] = {}
    for seed in range(4 * runs):
        ended = {name for name in methods if _ended(seed, runs, methods[name], held[name])}
        left = {k: {n: m for n, m in own.items() if n not in ended} for k, own in left.items()}
        y, score, groups = design.draw(rng)
        for counted, metrics in left.items():
            if not metrics:
                continue
            found = intervals(
                metrics, y, judged_by(score, counted, cut), groups=groups, n_resamples=RESAMPLES,
                random_state=seed,
            )  # fmt: skip
            for name, one in found.items():
                if not np.isnan(one.low):
                    methods[name] = one.method
                    held[name].append(one.low <= truth[name] <= one.high)
    return {name: (methods[name], float(np.mean(own)), len(own)) for name, own in held.items()}


def _ended(seed: int, runs: int, method: str, held: Sequence[bool]) -> bool:
    """Whether a metric has had its runs: half of them if it is drawn again, four times if unclear."""
    most = max(runs // 2, 1) if method in ("bca", "percentile") else runs
    return (seed == most and np.mean(held) >= UNCLEAR) or seed == 4 * most


def below(found: dict[str, dict[str, tuple[str, float, int]]]) -> str:
    """Return the cells below 92 % by noun, metric and size, the lowest of those of one size."""
    cells: dict[str, dict[str, dict[int, float]]] = {noun: {} for noun in SIZES}
    for name, own in found.items():
        design = DESIGNS[name]
        rarest = 0.03 if design.classes > 2 else min(design.prevalence, 1 - design.prevalence)
        noun = noun_of(design.classes, design.groups > 0)
        size = design.groups or round(design.rows * rarest)
        for metric, (_, share, _) in own.items():
            if 100 * share < ENOUGH:
                at = cells[noun].setdefault(metric, {})
                at[size] = min(at.get(size, 100.0), round(100 * share, 1))
    return f"BELOW = {cells}"


def print_table(found: dict[str, dict[str, tuple[str, float, int]]], names: Sequence[str]) -> None:
    """Print a row a metric, a column a design."""
    print("| metric | method |", " | ".join(names), "|")
    print("|---|---|" + "---|" * len(names))
    for metric in METRICS:
        cells = [found[name].get(metric) for name in names]
        if any(cells):
            ways = ", ".join(dict.fromkeys(cell[0] for cell in cells if cell))
            shown = [f"{100 * cell[1]:.0f}" if cell else "" for cell in cells]
            print(f"| {metric} | {ways} |", " | ".join(shown), "|")


def main() -> None:
    """Print the table, and what is below 92 %."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--designs", nargs="*", default=[*DESIGNS], choices=[*DESIGNS])
    parser.add_argument("--metrics", nargs="*", default=[], help="all by default")
    given = parser.parse_args()
    longest = sorted(given.designs, key=lambda name: -DESIGNS[name].rows)
    from . import coverage as here  # processes import it by its name, which is not __main__

    work = [
        delayed(here.coverage)(here.DESIGNS[name], given.runs, given.metrics) for name in longest
    ]
    parts = Parallel(n_jobs=2)(work)
    found = dict(zip(longest, parts, strict=True))
    print("# Coverage of the intervals that metrics have by default\n")
    errors = [100 * np.sqrt(0.95 * 0.05 / n) for n in (given.runs, max(given.runs // 2, 1))]
    print(
        f"In per cent of nominal 95, of the runs with an interval: {given.runs} runs a cell of closed "
        f"forms\nand {given.runs // 2} of resampled metrics ({RESAMPLES} resamples), standard errors of "
        f"{errors[0]:.1f} and {errors[1]:.1f};\nfour times as many where they cover less than "
        f"{100 * UNCLEAR:g}. Of several classes averages are macro.\n"
        f"`python -m benchmarks.coverage --runs {given.runs}`\n"
    )
    print_table(found, given.designs)
    print(f"\n```\n{below(found)}\n```")


if __name__ == "__main__":
    main()
