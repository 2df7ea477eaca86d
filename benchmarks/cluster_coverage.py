"""Real coverage of nominal 95 % intervals of rows in clusters, and of gaps between groups.

``python -m benchmarks.cluster_coverage`` simulates all (five minutes on one core) and prints the tables
in Markdown; ``--runs`` sets the runs of the closed forms; the bootstrap, of 199 resamples, gets a fifth.
``--parts`` takes some of "patients", "areas" and "gaps". Class counts are random throughout. In
brackets: Monte-Carlo standard errors.

A cluster is a patient with 1 to 9 rows, whose scores share half their variance. Either each patient has
one class (prevalence .4) or every row its own. Called positive is a score above that half-way between
the classes. Areas: the AUC of 6 to 100 groups of 5 rows, or of 2 to 40 rows (5.5 on average), against
two other intervals of the same sums: uncorrected sums, and Obuchowski's variance with the smaller
number of degrees of freedom of Brunner and Munzel and of Satterthwaite. Gaps: groups of independent
rows, of which one is better than the others or none.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from skaucx.evaluation import evaluate
from skaucx.inference import interval, placement_values

CLUSTERS = (6, 8, 15, 30, 60)
METRICS = ("recall", "accuracy", "f1", "roc_auc", "soft_auc")
METHODS = ("cluster", "percentile", "as if independent")
PURE = {"a class a patient": True, "a class a row": False}
AUC, PREVALENCE = 0.8, 0.4
AREAS, SIZES = (0.6, 0.8, 0.95), (6, 10, 15, 30, 60, 100)
ROWS_OF_GROUP = {"5 rows": False, "2 to 40 rows": True}
GROUPS = ((2, 40), (2, 150), (4, 40), (4, 150), (8, 40), (8, 150))
GAPS = ("recall", "roc_auc")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cluster_coverage", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=600)
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=list(PARTS))
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"{options.runs} runs a cell: per cent covered, mean width\n")
    for part in options.parts:
        PARTS[part](options.runs)
        print()


def of_patients(runs: int) -> None:
    heads = [f"{m} patients" for m in CLUSTERS]
    for title, pure in PURE.items():
        print(f"| {title} | method | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 2)}")
        for name in METRICS:
            truth = target(name, pure)
            for method in METHODS:
                own = runs // 5 if method == "percentile" else runs
                cells = [clustered(name, method, m, pure, truth, own) for m in CLUSTERS]
                print(f"| {name} | {method} | {' | '.join(cells)} |", flush=True)


def of_areas(runs: int) -> None:
    heads = [f"{m} groups" for m in SIZES]
    print("Coverage and its error; width / (3.92 standard deviations of the estimate).\n")
    print(f"| groups of | AUC | interval | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 3)}")
    outside = dict.fromkeys(FORMS, 0)
    for title, pure in PURE.items():
        for rows, unequal in ROWS_OF_GROUP.items():
            for auc in AREAS:
                cells = [area(auc, m, pure, unequal, runs) for m in SIZES]
                for name in FORMS:
                    found = [each[name] for each in cells]
                    outside[name] += sum(not 92 <= round(100 * c, 1) <= 97 for c, _, _ in found)
                    texts = [f"{100 * c:.1f} ({100 * e:.1f}), {w:.2f}" for c, e, w in found]
                    print(f"| {rows}, {title} | {auc} | {name} | {' | '.join(texts)} |", flush=True)
    print(f"\nCells outside 92 to 97: {outside}")


def area(auc: float, groups: int, pure: bool, unequal: bool, runs: int) -> dict[str, Any]:
    """Return coverage, its error and relative width of the intervals of a grouped AUC."""
    rng = np.random.default_rng([groups, round(100 * auc), pure, unequal])
    found: dict[str, list[Any]] = {name: [] for name in FORMS}
    estimates = []
    for _ in range(runs):
        sizes = np.full(groups, 5)
        if unequal:
            sizes = np.minimum(1 + rng.geometric(1 / 4.5, groups), 40)
        group = np.repeat(np.arange(groups), sizes)
        y = rng.random(groups)[group] if pure else rng.random(len(group))
        y = (y < PREVALENCE).astype(np.intp)
        if min(len(np.unique(group[y == k])) for k in (0, 1)) < 2:
            continue
        noise = rng.normal(size=groups)[group] + rng.normal(size=len(group))
        score = special.expit(2 * special.ndtri(auc) * y + noise)
        own = interval("roc_auc", y, score, groups=group)
        estimates.append(own.estimate)
        found["interval"].append((own.low, own.high))
        for name, ends in others(y == 1, score, group, own.estimate).items():
            found[name].append(ends if own.estimate < 1 else tuple(own))
    spread, result = 3.92 * np.std(estimates), {}
    for name, ends in found.items():
        low, high = np.array(ends).T
        share = np.mean((low <= auc) & (auc <= high))
        error = np.sqrt(share * (1 - share) / len(ends))
        result[name] = share, error, np.mean(high - low) / spread
    return result


FORMS = ("interval", "sums", "Obuchowski")


def others(truth: Any, score: Any, group: Any, auc: float) -> dict[str, tuple[float, float]]:
    """Return logit intervals of the sums of placement values over groups."""
    values, m = placement_values(truth, score), int(group.max()) + 1
    sums, held = [], []
    for side, own in ((truth, values.of_positives), (~truth, values.of_negatives)):
        sums.append(np.bincount(group[side], (own - auc) / len(own), m))
        held.append(len(np.unique(group[side])))
    moved, k = sum(sums), np.array(held)
    fourth = (moved**4).sum() - (moved @ moved) ** 2 / m
    few = min(2 * (moved @ moved) ** 2 / fourth, m - 1) if fourth > 0 else m - 1
    parts = k / (k - 1) * np.array([each @ each for each in sums])
    freedom = parts.sum() ** 2 / (parts**2 / (k - 1)).sum() if parts.sum() > 0 else m - 1
    both = max(parts.sum() + 2 * m / (m - 1) * sums[0] @ sums[1], 0)
    found = {}
    for name, v, df in (
        ("sums", m / (m - 1) * moved @ moved, m - 1),
        ("Obuchowski", both, max(min(freedom, few), 1)),
    ):
        half = special.stdtrit(df, 0.975) * np.sqrt(v) / (auc * (1 - auc)) if 0 < auc < 1 else 0
        low, high = special.expit(special.logit(auc) + np.array([-half, half]))
        found[name] = float(low), float(high)
    return found


def answers_of(name: str, score: NDArray[np.float64]) -> tuple[Any, Any]:
    """Return predicted labels or scores, whichever a metric takes."""
    centred = score - np.sqrt(2) * special.ndtri(AUC) / 2
    return (
        ((centred > 0).astype(np.intp), None)
        if name == "accuracy"
        else (None, special.expit(centred))
    )


def cell(covered: list[bool], found: list[Any]) -> str:
    share, width = np.mean(covered), np.mean([each.high - each.low for each in found])
    error = np.sqrt(share * (1 - share) / len(covered))
    return f"{100 * share:.1f} ({100 * error:.1f}), {width:.2f}"


def of_gaps(runs: int) -> None:
    print("| gap of | " + " | ".join(f"{k} x {n} rows" for k, n in GROUPS) + " |")
    print("|---|" + "---|" * len(GROUPS))
    for name in GAPS:
        for better in (0.0, 0.5):
            cells = [gaps(name, k, n, better, runs // 5) for k, n in GROUPS]
            told = "one better" if better else "all alike"
            print(f"| {name}, {told} | {' | '.join(cells)} |", flush=True)


PARTS = {"patients": of_patients, "areas": of_areas, "gaps": of_gaps}


def patients(rng: np.random.Generator, clusters: int, pure: bool) -> tuple[Any, ...]:
    """Draw classes, clusters and scores in [0, 1]."""
    group = np.repeat(np.arange(clusters), rng.integers(1, 10, clusters))
    y = rng.random(clusters)[group] if pure else rng.random(len(group))
    y = (y < PREVALENCE).astype(np.intp)
    noise = rng.normal(size=clusters)[group] + rng.normal(size=len(group))
    return y, group, special.expit(2 * special.ndtri(AUC) * (y - 0.5) + noise)


def judged(name: str, score: NDArray[np.float64]) -> NDArray[np.generic]:
    """Return what a metric judges."""
    return score if name.endswith("auc") else (score > 0.5).astype(np.intp)


def target(name: str, pure: bool) -> float:
    """Return the value on very many clusters."""
    y, _, score = patients(np.random.default_rng(1), 400_000, pure)
    return float(evaluate(y, judged("labels", score), score, metrics=[name])[name])


def clustered(name: str, method: str, clusters: int, pure: bool, truth: float, runs: int) -> str:
    """Return coverage and mean width of one method, samples of one class left out."""
    rng = np.random.default_rng([clusters, pure, len(name)])
    covered, intervals = [], []
    for _ in range(runs):
        y, group, score = patients(rng, clusters, pure)
        how = {"method": method, "groups": group, "n_resamples": 199, "random_state": 0}
        found = interval(name, y, judged(name, score), **({} if method[:2] == "as" else how))
        if not np.isnan(found.low):
            covered.append(truth in found)
            intervals.append(found)
    return cell(covered, intervals)


def gaps(name: str, groups: int, rows: int, better: float, runs: int) -> str:
    """Return how often the limits of the gap hold the true one."""
    rng = np.random.default_rng([groups, rows, round(10 * better)])
    by = np.repeat(np.arange(groups), rows)
    shift = np.where(by == 0, 1 + better, 1.0) * np.sqrt(2) * special.ndtri(AUC)
    first, other = ((1 + more) * special.ndtri(AUC) for more in (better, 0.0))
    if name == "recall":  # called positive above 0
        first, other = first / np.sqrt(2), other / np.sqrt(2)
    gap = float(special.ndtr(first) - special.ndtr(other))
    covered = []
    for _ in range(runs):
        y = (rng.random(len(by)) < PREVALENCE).astype(np.intp)
        score = special.expit(shift * (y - 0.5) + rng.normal(size=len(by)))
        found = evaluate(y, judged("labels", score), score, metrics=[name], by=by, intervals=True)
        low, high = found.difference()[name]
        covered.append(low - 1e-12 <= gap <= high)
    return f"{100 * np.mean(covered):.1f}"


if __name__ == "__main__":
    main()
