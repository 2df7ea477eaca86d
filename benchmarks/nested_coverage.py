"""Real coverage of the nominal 95 % intervals of a nested cross-validation, by simulation.

``python -m benchmarks.nested_coverage`` simulates the four cases with which the rules of the interval
were chosen and prints a table in Markdown; ``--cases further`` simulates others, of other sizes,
prevalences, numbers of features and candidates, and another learner: three that had no say, and one near
those of 300 rows; ``--cases alike`` candidates that lead to nearly the same models. ``--runs`` sets the
runs (a thousand take five minutes a table on one core), ``--json FILE`` names the file
(nested_coverage.json by default). ``--compare`` prints the real size of tests of two procedures that
learn from one half of the features each, ``--repeats 10`` intervals of one candidate whose outer folds
are repeated, both together the size of tests on such folds.

Features are Gaussian, those of the positives shifted; candidates are chosen by the AUC of 5 inner folds
in each of 5 outer ones. The target is the mean of the outer scores over all runs: what the procedure
scores on average. No interval around the mean score can be much narrower than 3.92 standard deviations
that it has over the runs: the ratio to that is printed.
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.inference import delong_test
from skaucx.inference._tests.result import tail
from skaucx.metrics import one_pass_scorer
from skaucx.model_selection import corrected_resampled_t_test
from skaucx.model_selection.execution._pool import OutOfFoldPredictions, metric_of, score_bounds
from skaucx.model_selection.results._statistics import (
    choice_law,
    choice_of,
    difference_noise,
    fold_interval,
    nested_interval,
    noise_or_none,
    variance_parts,
)

from .nested_runs import FOLDS, Case, Runs, auc, simulated

Floats = NDArray[np.float64]
ALIKE = (1.0, 3.0, 10.0, 30.0)
# Rows and the distance between the classes make an AUC of about .71, .94, .74 and .95. The first three
# values of C shrink so differently that a fixed threshold calls almost nothing positive or a third, at
# nearly equal AUC.
FOUR = ((100, 1.0), (100, 2.4), (300, 1.0), (300, 2.4))
CASES = {
    "tuned": [Case(*one) for one in FOUR],
    "alike": [Case(*one, candidates=ALIKE) for one in FOUR],
    "further": [
        Case(250, 1.3, 0.25, 8, "logistic", (0.005, 0.05, 0.5, 5.0, 50.0)),
        Case(120, 2.0, 0.4, 15),
        Case(160, 1.6, 0.35, 5, "neighbours", (5, 15, 31, 61)),
        Case(400, 1.6, 0.2, 12, "logistic", (0.003, 0.03, 0.3, 3.0, 30.0)),
    ],
}
METRICS = ("roc_auc", "accuracy", "recall", "npv", "f1", "mm7_auc", "neg_brier_score_loss")
METHODS = ("interval", "Nadeau-Bengio")


@dataclass(frozen=True)
class Cell:
    """What the intervals of one metric did in one case; shares in per cent."""

    case: str
    metric: str
    method: str
    target: float
    coverage: float
    width: float
    ratio: float
    beyond: float


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.nested_coverage", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--cases", choices=CASES, default="tuned")
    parser.add_argument("--compare", action="store_true", help="sizes of tests of two procedures")
    parser.add_argument("--repeats", type=int, default=0, help="repetitions of the outer folds")
    parser.add_argument("--json", type=Path, default=Path("nested_coverage.json"))
    options = parser.parse_args()
    cases = CASES[options.cases]
    if options.compare:
        print_sizes(cases, options.runs, max(options.repeats, 1))
        return
    if options.repeats:
        print_repeated(cases, options.runs, options.repeats)
        return
    cells = [cell for case in cases for cell in coverage(case, options.runs)]
    options.json.write_text(json.dumps([vars(cell) for cell in cells], indent=1) + "\n")
    error = np.sqrt(0.95 * 0.05 / options.runs)
    print(
        f"{options.runs} runs a column: coverage in % (standard error {100 * error:.1f}), mean width, "
        "its ratio to 3.92 standard deviations of the mean score; share beyond the range in %\n"
    )
    print("| metric | method | " + " | ".join(map(str, cases)) + " |")
    print("|---|---|" + "---|" * len(cases))
    for metric in METRICS:
        for method in METHODS:
            own = [c for c in cells if (c.metric, c.method) == (metric, method)]
            shown = [f"{c.coverage:.1f}, {c.width:.3f}, {c.ratio:.2f}; {c.beyond:.0f}" for c in own]
            print(f"| {metric} | {method} | {' | '.join(shown)} |")


def print_sizes(cases: list[Case], runs: int, repeats: int) -> None:
    """Print the sizes of tests; with repeated outer folds of procedures with one candidate."""
    if repeats > 1:
        cases = [replace(case, candidates=(1.0,)) for case in cases]
    found = [sizes(case, runs, repeats) for case in cases]
    print(
        f"{runs} runs a column, {repeats} x {FOLDS} folds; "
        "equal procedures that are rejected at a nominal 5 %, in %\n"
    )
    print("| test of two AUCs | " + " | ".join(map(str, cases)) + " |")
    print("|---|" + "---|" * len(cases))
    for test in found[0]:
        print(f"| {test} | {' | '.join(f'{one[test]:.1f}' for one in found)} |")


def print_repeated(cases: list[Case], runs: int, repeats: int) -> None:
    """Print the coverage of intervals of one candidate and repeated outer folds."""
    found = [repeated(replace(case, candidates=(1.0,)), runs, repeats) for case in cases]
    print(f"{runs} runs a column, {repeats} x {FOLDS} folds, C of 1: coverage in %, mean width\n")
    print("| metric | method | " + " | ".join(map(str, cases)) + " |")
    print("|---|---|" + "---|" * len(cases))
    for metric, method in found[0]:
        print(f"| {metric} | {method} | {' | '.join(one[metric, method] for one in found)} |")


def repeated(case: Case, runs: int, repeats: int) -> dict[tuple[str, str], str]:
    """Return coverage and mean width of both methods for some metrics."""
    rng = np.random.default_rng([*case.seed, repeats])
    scorer = one_pass_scorer(["roc_auc", "accuracy"])
    ends: dict[tuple[str, str], list[tuple[float, float]]] = {
        (m, method): [] for m in scorer.names for method in ("interval", "nested", "Nadeau-Bengio")
    }
    values: dict[str, list[float]] = {metric: [] for metric in scorer.names}
    for batch in simulated(case, runs, rng, repeats=repeats):
        inner = [inner_scores(one) for one in batch]
        for run in range(len(batch[0].y)):
            predictions = of_repetitions(batch, run)
            n_test = np.bincount(predictions.fold)
            sizes = case.rows - n_test, n_test
            parts = [
                scores_of(scorer, predictions, predictions.fold == k) for k in range(len(n_test))
            ]
            for metric in scorer.names:
                scores, bound = np.array([p[metric] for p in parts]), metric_of(metric, scorer)
                noise = noise_or_none(bound, predictions, np.arange(len(n_test)))
                own = np.concatenate([one[metric][run, :, 0] for one in inner])
                values[metric].append(scores.mean())
                bounds = score_bounds(bound)
                ends[metric, "interval"].append(tuple(fold_interval(scores, *sizes, noise, bounds)))
                told = nested_interval(scores, *sizes, noise, own, bounds, 0.95)
                ends[metric, "nested"].append(tuple(told))
                ends[metric, "Nadeau-Bengio"].append(tuple(fold_interval(scores, *sizes)))
    shown = {}
    for (metric, method), found in ends.items():
        cell = tally(case, metric, method, np.array(values[metric]), np.array(found))
        shown[metric, method] = f"{cell.coverage:.1f}, {cell.width:.3f}"
    return shown


def coverage(case: Case, runs: int) -> list[Cell]:
    """Return what every interval did in one case."""
    rng = np.random.default_rng(case.seed)
    scorer = one_pass_scorer(list(METRICS))
    values: dict[str, list[float]] = {metric: [] for metric in METRICS}
    ends = {(metric, method): [] for metric in METRICS for method in METHODS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for [batch] in simulated(case, runs, rng):
            inner = inner_scores(batch)
            for run in range(len(batch.y)):
                own = {metric: scores[run] for metric, scores in inner.items()}
                for metric, scores, found in intervals(batch, run, own, scorer):
                    values[metric].append(np.nanmean(scores))
                    for method in METHODS:
                        ends[metric, method].append(found[method])
    return [
        tally(case, metric, method, np.array(values[metric]), np.array(found))
        for (metric, method), found in ends.items()
    ]


def intervals(batch: Runs, run: int, inner, scorer):
    """Yield for each metric its fold scores and the ends by every method."""
    y, fold = batch.y[run], batch.outer[run]
    predictions = joined(y, batch.out_of_fold[run], fold)
    n_test = np.bincount(fold, minlength=FOLDS)
    each = [scores_of(scorer, predictions, fold == k) for k in range(FOLDS)]
    law = choice_law(inner["roc_auc"])
    for metric in METRICS:
        scores = np.array([one[metric] for one in each])
        bound = metric_of(metric, scorer)
        noise = noise_or_none(bound, predictions, np.flatnonzero(~np.isnan(scores)))
        choice = choice_of(law, inner[metric], batch.chosen[run])
        sizes = len(y) - n_test, n_test
        ours = fold_interval(scores, *sizes, noise, score_bounds(bound), choice=choice)
        yield (
            metric,
            scores,
            {"interval": tuple(ours), "Nadeau-Bengio": tuple(fold_interval(scores, *sizes))},
        )


def inner_scores(batch: Runs) -> dict[str, Floats]:
    """Return the inner scores of every metric, each of shape (R, K, C, L)."""
    folds = np.arange(FOLDS)
    rows = batch.inner[:, :, None, None] == folds[:, None]  # (R, K, 1, L, n)
    y, score = batch.y[:, None, None, None], batch.inner_scores[:, :, :, None]
    called = score > 0
    tp, fp = (np.sum(rows & called & (y == k), axis=-1) for k in (1, 0))
    fn, tn = (np.sum(rows & ~called & (y == k), axis=-1) for k in (1, 0))
    loss = (special.expit(score) - y) ** 2
    with np.errstate(invalid="ignore"):
        return {
            "roc_auc": auc(y, np.nan_to_num(score), rows),
            "accuracy": (tp + tn) / (tp + fp + fn + tn),
            "recall": tp / (tp + fn),
            "npv": tn / (tn + fn),
            "f1": 2 * tp / (2 * tp + fp + fn),
            "mm7_auc": _mm7(batch),
            "neg_brier_score_loss": -np.nansum(rows * loss, axis=-1) / rows.sum(axis=-1),
        }


def _mm7(batch: Runs) -> Floats:
    runs, folds, candidates, _ = batch.inner_scores.shape
    found = np.empty((runs, folds, candidates, FOLDS))
    for r, k, c, part in np.ndindex(found.shape):
        own = batch.inner[r, k] == part
        proba = special.expit(batch.inner_scores[r, k, c, own])
        found[r, k, c, part] = _mm7_of(batch.y[r, own] == 1, proba)
    return found


def _mm7_of(true: NDArray[np.bool_], score: Floats) -> float:
    """Return the definition of mm7, without the checks of ``mm7_auc_score``."""
    p, n = score[true], score[~true]
    if not (len(p) and len(n)):
        return np.nan
    d, span = np.subtract.outer(p, n), np.ptp(score)
    won, margin = d > 0, p.min() - n.max()
    mm4 = np.sum(np.maximum(d[won] / span, 0.5)) / d.size if span > 0 else 0.0
    return float(mm4**0.9 * (margin ** (1 / 16) if margin > 0 else 1) * won.mean())


def joined(y, score, fold, row=None):
    proba = special.expit(score)
    return OutOfFoldPredictions(
        np.arange(len(y)) if row is None else row,
        fold,
        y,
        1 * (score > 0),
        {"predict_proba": np.column_stack([1 - proba, proba]), "decision_function": score},
        np.array([0, 1]),
        positive=1,
    )


def of_repetitions(batch: list[Runs], run: int) -> OutOfFoldPredictions:
    """Return the predictions of one run in all repetitions of its outer folds."""
    return joined(
        np.concatenate([one.y[run] for one in batch]),
        np.concatenate([one.out_of_fold[run] for one in batch]),
        np.concatenate([FOLDS * i + one.outer[run] for i, one in enumerate(batch)]),
        np.tile(np.arange(batch[0].y.shape[1]), len(batch)),
    )


def sizes(case: Case, runs: int, repeats: int) -> dict[str, float]:
    """Return how often tests of the AUC reject that each half of the features does as well."""
    rng = np.random.default_rng([*case.seed, repeats])
    scorer = one_pass_scorer(["roc_auc"])
    bound, found = metric_of("roc_auc", scorer), []
    for batch in simulated(case, runs, rng, halves=2, repeats=repeats):
        for run in range(len(batch[0].y)):
            pair = (of_repetitions(half, run) for half in (batch[:repeats], batch[repeats:]))
            found.append(p_values(scorer, bound, *pair))
    return {test: 100 * float(np.mean([one[test] < 0.05 for one in found])) for test in found[0]}


def p_values(scorer, bound, first, second) -> dict[str, float]:
    n_test = np.bincount(first.fold)
    folds, n_train = len(n_test), first.row.max() + 1 - n_test
    scores = np.array(
        [
            [scores_of(scorer, one, one.fold == k)["roc_auc"] for k in range(folds)]
            for one in (first, second)
        ]
    )
    differences = scores[0] - scores[1]
    noise = difference_noise(bound, first, second, np.arange(folds))
    by_rows, by_models = variance_parts(differences, n_train, n_test, noise)
    total = by_rows + by_models
    df = (folds - 1) * (total / by_models) ** 2 if by_models > 0 else np.inf
    within = tail(differences.mean() / np.sqrt(total), "two-sided", df)
    corrected = corrected_resampled_t_test(*scores, n_train=n_train, n_test=n_test)
    found = {"within folds": float(within), "corrected t": corrected.p_value}
    if folds > FOLDS:
        return found
    joint = delong_test(
        first.y_true, *(one.responses["decision_function"] for one in (first, second))
    )
    return found | {"DeLong, joined scores": joint.p_value}


class Recorded:
    """A stand-in for the model of a fold."""

    classes_ = np.array([0, 1])

    def predict(self, X): ...

    def predict_proba(self, X): ...

    def decision_function(self, X): ...


def scores_of(scorer, predictions, part):
    responses = {"predict": predictions.y_pred[part]} | {
        name: response[part] for name, response in predictions.responses.items()
    }
    return scorer.score(Recorded(), None, predictions.y_true[part], responses=responses)


def tally(case: Case, metric: str, method: str, values: Floats, ends: Floats) -> Cell:
    low, high = ends.T
    least, most = score_bounds(metric_of(metric, None))
    target, rounding, width = float(np.nanmean(values)), 1e-9, float(np.nanmean(high - low))
    return Cell(
        str(case),
        metric,
        method,
        target,
        100 * float(np.mean((low <= target) & (target <= high))),
        width,
        width / float(3.92 * np.nanstd(values)),
        100 * float(np.mean((low < least - rounding) | (high > most + rounding))),
    )


if __name__ == "__main__":
    main()
