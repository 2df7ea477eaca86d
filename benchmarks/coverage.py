"""Real coverage of nominal 95 % intervals: print it in Markdown and write it as JSON.

``python -m benchmarks.coverage --runs 2000`` runs everything, which takes long: ``--large-runs`` sets
the runs at 1,000 examples, ``--bootstrap-runs`` and ``--resamples`` those of the bootstrap, ``--only
TEXT`` chooses parts by name, ``--jobs`` the processes, ``--json FILE`` names the file (coverage.json by
default).

Classes have fixed sizes. Scores are binormal, positives shifted so that the AUC is the one named, and
given as the probability that they have at even odds. Predicted labels have the sensitivity and the
specificity named. The coverage of proportions is exact: a sum over the binomial law.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import joblib
import numpy as np
from numpy.typing import NDArray
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.evaluation import evaluate
from skaucx.inference import interval, intervals
from skaucx.metrics import average_precision_score, pairwise_auc_score

SIZES = [(15, 15), (50, 50), (5, 95), (500, 500), (48, 952)]
LEVELS = [0.6, 0.8, 0.95]
PAIR_METRICS = ["prob_auc", "scor_auc", "sond_auc", "soft_auc"]
# The last four read the span or the margin.
RESAMPLED = ["roc_auc", "average_precision", "mm1_auc", "mm4_auc", "mm6_auc", "mm7_auc"]
LABEL_METRICS = {
    "matthews_corrcoef": ["logit"],
    "cohen_kappa": ["logit"],
    "f1": ["wilson"],
    "balanced_accuracy": ["logit"],
    "positive_likelihood_ratio": ["log"],
    "diagnostic_odds_ratio": ["log"],
}
PROPORTIONS = ["wilson", "clopper-pearson"]
BOOTSTRAPS = ["percentile", "bca"]


class Case(NamedTuple):
    """One model: class sizes, and the AUC or the sensitivity and specificity."""

    positives: int
    negatives: int
    quality: float

    @property
    def truth(self) -> NDArray[np.bool_]:
        return np.repeat([True, False], [self.positives, self.negatives])


class Row(NamedTuple):
    """The coverage of one method for one metric under one model."""

    part: str
    metric: str
    method: str
    case: Case
    coverage: float
    width: float
    runs: int


def scores(case: Case, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw binormal scores, as probabilities at even odds."""
    return probability(rng.normal(size=len(case.truth)) + shift(case) * case.truth, case)


def shift(case: Case) -> float:
    return float(np.sqrt(2) * special.ndtri(case.quality))


def probability(x: NDArray[np.float64], case: Case) -> NDArray[np.float64]:
    return special.expit(shift(case) * (x - shift(case) / 2))


def labels(case: Case, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw predicted labels: right with the probability named."""
    return case.truth ^ (rng.random(len(case.truth)) > case.quality)


def population_of_scores(case: Case) -> dict[str, float]:
    """Return the metrics of the population, from the quantiles of both classes."""
    few, many = (special.ndtri((np.arange(m) + 0.5) / m) for m in (2000, 100_000))
    d = shift(case)
    truth = np.repeat([1, 0], len(many))
    score = probability(np.concatenate([many + d, many]), case)
    found = dict(evaluate(truth, y_score=score, metrics=PAIR_METRICS)) | {"roc_auc": case.quality}
    weight = np.repeat([case.positives, case.negatives], len(many))
    found["average_precision"] = average_precision_score(truth, score, sample_weight=weight)
    # The population of probabilities spans (0, 1) and its classes overlap.
    truth = np.repeat([1, 0], len(few))
    score = probability(np.concatenate([few + d, few]), case)
    found["mm1_auc"] = found["scor_auc"]
    found["mm4_auc"] = pairwise_auc_score(
        truth, score, difference=lambda d: np.where(d > 0, np.maximum(d, 0.5), 0)
    )
    found["mm6_auc"] = found["mm4_auc"] ** 0.9
    found["mm7_auc"] = found["mm6_auc"] * case.quality
    return found


def population_of_labels(case: Case, metrics: Sequence[str]) -> dict[str, float]:
    s, p, n = case.quality, case.positives, case.negatives
    table = [[n * s, n * (1 - s)], [p * (1 - s), p * s]]
    return dict(evaluate(counts=table, metrics=metrics))


def tally(part: str, case: Case, truth: dict[str, float], drawn: list[dict[Any, Any]]) -> list[Row]:
    """Return how often the intervals of all runs, keyed by metric and method, held the truth."""
    rows = []
    for metric, method in drawn[0]:
        ends = np.array([run[metric, method] for run in drawn])
        inside = (ends[:, 0] <= truth[metric]) & (truth[metric] <= ends[:, 1])
        width = float(np.mean(ends[:, 1] - ends[:, 0]))
        rows.append(Row(part, metric, method, case, float(inside.mean()), width, len(ends)))
    return rows


def ends(metrics: Sequence[str], method: str, *arrays: Any, **options: Any) -> dict[Any, Any]:
    found = intervals(metrics, *arrays, method=method, **options)
    return {(name, method): (one.low, one.high) for name, one in found.items()}


def of_scores(case: Case, runs: int, rng: np.random.Generator) -> list[Row]:
    """Closed forms of the AUC and its variants."""
    drawn = []
    for _ in range(runs):
        score = scores(case, rng)
        found = ends(["roc_auc", *PAIR_METRICS], "logit-t", case.truth, score)
        for method in ("score-t",):
            found |= ends(["roc_auc"], method, case.truth, score)
        drawn.append(found)
    return tally("scores", case, population_of_scores(case), drawn)


def of_labels(case: Case, runs: int, rng: np.random.Generator) -> list[Row]:
    """The delta method, plain and on the scale of the range; each table is done once."""
    done: dict[Any, Any] = {}
    drawn = []
    for _ in range(runs):
        pred = labels(case, rng)
        table = int(pred[case.truth].sum()), int(pred[~case.truth].sum())
        if table not in done:
            done[table] = {}
            for metric, methods in LABEL_METRICS.items():
                for method in methods:
                    done[table] |= ends([metric], method, case.truth, pred)
        drawn.append(done[table])
    return tally("labels", case, population_of_labels(case, list(LABEL_METRICS)), drawn)


def of_resamples(
    part: str, case: Case, runs: int, resamples: int, rng: np.random.Generator
) -> list[Row]:
    """Bootstrap of metrics of scores or of labels."""
    metrics, draw = (RESAMPLED, scores) if part == "scores" else (list(LABEL_METRICS), labels)
    drawn = []
    for _ in range(runs):
        found: dict[Any, Any] = {}
        arrays = case.truth, draw(case, rng)
        for method in BOOTSTRAPS:
            settings = {"n_resamples": resamples, "random_state": rng}
            found |= ends(metrics, method, *arrays, **settings)
        drawn.append(found)
    truth = population_of_scores(case) if part == "scores" else population_of_labels(case, metrics)
    return tally(f"{part}, bootstrap", case, truth, drawn)


def of_proportion(size: int, share: float) -> list[Row]:
    """The recall of `size` positives: exact coverage."""
    truth, found = np.ones(size, dtype=bool), np.arange(size + 1)
    law = stats.binom.pmf(found, size, share)
    rows = []
    for method in PROPORTIONS:
        each = [
            interval("recall", truth, np.arange(size) < x, labels=[False, True], method=method)
            for x in found
        ]
        inside = [share in one for one in each]
        width = float(sum(law * [one.high - one.low for one in each]))
        case = Case(size, 0, share)
        rows.append(Row("proportions", "recall", method, case, float(law @ inside), width, 0))
    return rows


def work(options: argparse.Namespace) -> Iterator[Any]:
    """Yield the pieces to be done, each with its own seed; the longest come last."""
    piece = joblib.delayed(quietly)
    chosen = [part for part in ("proportions", "labels", "scores") if options.only in part]
    cases = [Case(*sizes, level) for sizes in SIZES for level in LEVELS]
    if "proportions" in chosen:
        yield from (piece(of_proportion, k, p) for k in (5, 15, 48, 50, 500) for p in LEVELS)
    for seed, case in enumerate(cases):
        runs = options.large_runs if len(case.truth) >= 1000 else options.runs
        if "labels" in chosen:
            yield piece(of_labels, case, runs, seed=seed)
        if "scores" in chosen:
            yield piece(of_scores, case, runs, seed=seed)
    settings = options.bootstrap_runs, options.resamples
    for seed, case in enumerate(cases):
        for part in chosen:
            if part != "proportions":
                yield piece(of_resamples, part, case, *settings, seed=seed)


def quietly(function: Any, *arguments: Any, seed: int | None = None) -> list[Row]:
    """Run one piece; an undefined metric is a missed interval, not news."""
    rng = () if seed is None else (np.random.default_rng(seed),)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return function(*arguments, *rng)


def table(rows: Sequence[Row]) -> str:
    """Return a Markdown table: a line a metric and method, a column a pair of class sizes."""
    sizes = list(dict.fromkeys((row.case.positives, row.case.negatives) for row in rows))
    head = " | ".join(f"{p} + {n}" if n else f"{p}" for p, n in sizes)
    lines = [f"| metric | method | {head} |", "|---" * (len(sizes) + 2) + "|"]
    for metric, method in dict.fromkeys((row.metric, row.method) for row in rows):
        own = {row.case: row.coverage for row in rows if row[1:3] == (metric, method)}
        cells = [[own.get(Case(*size, level)) for level in LEVELS] for size in sizes]
        shown = (" / ".join("-" if c is None else f"{100 * c:.1f}" for c in cell) for cell in cells)
        lines.append(f"| {metric} | {method} | {' | '.join(shown)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--large-runs", type=int, default=2000)
    parser.add_argument("--bootstrap-runs", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=499)
    parser.add_argument("--only", default="", help="scores, labels or proportions")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, default=Path("coverage.json"))
    options = parser.parse_args()
    rows: list[Row] = []
    for piece in joblib.Parallel(n_jobs=options.jobs, return_as="generator")(work(options)):
        rows += piece
        record = [row._asdict() | {"case": row.case._asdict()} for row in rows]
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for part in ("scores", "labels", "proportions"):
        if chosen := [row for row in rows if row.part.startswith(part)]:
            print(table(chosen) + "\n")
    print(
        f"Per cent, at qualities {LEVELS}: {options.runs} runs, {options.large_runs} at 1,000 examples; "
        f"bootstrap {options.bootstrap_runs} runs of {options.resamples} resamples."
    )


if __name__ == "__main__":
    main()
