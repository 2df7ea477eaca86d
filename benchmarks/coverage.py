"""Coverage of the intervals that metrics have by default, in ten designs: one command, one table.

``python -m benchmarks.coverage > benchmarks/results/coverage.md`` takes hours on one core with the
usual 400 runs of closed forms and 200 of the bootstrap; ``--runs`` takes fewer, ``--designs`` some.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

from skaucx.inference import intervals
from skaucx.metrics._registry.declare import METRICS

RESAMPLES, POPULATION = 199, 200_000
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


def both(data: Rows, many: bool, asked: Callable[..., dict], **options: object) -> dict:
    """Return what is asked of the metrics of labels and of those of scores."""
    y, score, _ = data
    labels = (
        score.argmax(axis=1) if many else (score > np.quantile(score, 1 - y.mean())).astype(int)
    )
    found = {}
    for counted, judged in ((True, labels), (False, score)):
        for name in names_of(counted, many):
            own = {"average": "macro"} if many and "average" in METRICS[name].options else {}
            if many and "multi_class" in METRICS[name].options:
                own["multi_class"] = "ovr"
            try:
                found |= asked([name], y, judged, **own, **options)
            except (TypeError, ValueError):
                continue  # of two classes alone
    return found


def values(metrics: list[str], y: np.ndarray, judged: np.ndarray, **own: object) -> dict:
    """Return the value of the population."""
    return {name: float(METRICS[name](y, judged, **own)) for name in metrics}


def coverage(design: Design, runs: int) -> dict[str, tuple[str, float, int]]:
    """Return the method of each metric, how often it covers, and the number of runs."""
    rng, many = np.random.default_rng(0), design.classes > 2
    truth = both(design.draw(rng, POPULATION), many, values)
    held: dict[str, list[bool]] = {}
    methods: dict[str, str] = {}
    for seed in range(runs):
        data = design.draw(rng)
        options = {"groups": data[2], "n_resamples": RESAMPLES, "random_state": seed}
        for name, found in both(data, many, intervals, **options).items():
            methods[name] = found.method
            if not np.isnan(found.low) and name in truth:
                held.setdefault(name, []).append(bool(found.low <= truth[name] <= found.high))
    return {name: (methods[name], float(np.mean(own)), len(own)) for name, own in held.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--designs", nargs="*", default=[*DESIGNS], choices=[*DESIGNS])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    found = {name: coverage(DESIGNS[name], given.runs) for name in given.designs}
    command = f"python -m benchmarks.coverage --runs {given.runs}"
    print("# Coverage of the intervals that metrics have by default\n")
    print(
        f"In per cent of nominal 95, of the runs with an interval: {given.runs} runs a cell, "
        f"{RESAMPLES} resamples\nof the bootstrap, so that a cell has a standard error of about "
        f"{100 * np.sqrt(0.95 * 0.05 / given.runs):.1f}. `{command}`\n"
    )
    print("| metric | method |", " | ".join(found), "|")
    print("|---|---|" + "---|" * len(found))
    for metric in METRICS:
        cells = [own.get(metric) for own in found.values()]
        if any(cells):
            ways = ", ".join(dict.fromkeys(cell[0] for cell in cells if cell))
            shown = [f"{100 * cell[1]:.0f}" if cell else "" for cell in cells]
            print(f"| {metric} | {ways} |", " | ".join(shown), "|")


if __name__ == "__main__":
    main()
