"""Real coverage of the nominal 95 % intervals of a nested cross-validation, by simulation.

``python -m benchmarks.nested_coverage --runs 2000`` simulates all (ten minutes on one core) and prints a
table in Markdown; ``--json FILE`` names the file (nested_coverage.json by default). ``--compare`` prints
the real size of tests of two procedures that learn from one half of the features each.

Ten Gaussian features of which the positives, a share of .3, are shifted; logistic regression on scaled
features with four values of C, chosen by the AUC of 5 inner folds in each of 5 outer ones. All models of
a run are fitted at once by Newton's method, which finds what scikit-learn's does. The target is the mean
of the outer scores over all runs: what the procedure scores on average.
"""

from __future__ import annotations

import argparse
import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.metrics import delong_test, one_pass_scorer
from skaucx.metrics.comparisons._result import tail
from skaucx.model_selection import corrected_resampled_t_test
from skaucx.model_selection.results._judged import metric_of, score_bounds
from skaucx.model_selection.results._noise import difference_noise, noise_or_none
from skaucx.model_selection.results._pool import OutOfFoldPredictions
from skaucx.model_selection.results._statistics import fold_interval, variance_parts

Floats = NDArray[np.float64]
# Values of C: the first four shrink so differently that a fixed threshold calls almost nothing positive
# or a third, at nearly equal AUC; those alike do not.
CANDIDATES = {"unlike": np.array([0.01, 0.1, 1.0, 10.0]), "alike": np.array([1.0, 3.0, 10.0, 30.0])}
FEATURES, FOLDS, PREVALENCE = 10, 5, 0.3
# Rows, and the distance between the classes: an AUC of about .71, .74 and .95.
CASES = ((100, 1.0), (100, 2.4), (300, 1.0), (300, 2.4))
METRICS = ("roc_auc", "accuracy", "recall", "npv", "f1", "mm7_auc", "neg_brier_score_loss")
METHODS = ("interval", "Nadeau-Bengio")
TESTS = ("within folds", "corrected t", "DeLong, joined scores")
# mm7 is found by the jackknife, one run after another.
BATCH = 100


@dataclass(frozen=True)
class Cell:
    """What the intervals of one metric did in one case."""

    rows: int
    distance: float
    metric: str
    method: str
    target: float
    coverage: float
    width: float
    beyond: float
    flat: float


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.nested_coverage", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--candidates", choices=CANDIDATES, default="unlike")
    parser.add_argument("--compare", action="store_true", help="sizes of tests of two procedures")
    parser.add_argument("--json", type=Path, default=Path("nested_coverage.json"))
    options = parser.parse_args()
    candidates = CANDIDATES[options.candidates]
    if options.compare:
        print_sizes(options.runs, candidates)
        return
    cells = [cell for case in CASES for cell in coverage(*case, options.runs, candidates)]
    options.json.write_text(json.dumps([vars(cell) for cell in cells], indent=1) + "\n")
    print(f"{options.runs} runs a column; coverage in %, mean width, share beyond the range in %\n")
    print("| metric | method | " + " | ".join(f"n {n}, distance {d}" for n, d in CASES) + " |")
    print("|---|---|" + "---|" * len(CASES))
    for metric in METRICS:
        for method in METHODS:
            own = [c for c in cells if (c.metric, c.method) == (metric, method)]
            shown = [f"{c.coverage:.1f}, {c.width:.3f}, {c.beyond:.0f}" for c in own]
            print(f"| {metric} | {method} | {' | '.join(shown)} |")


def print_sizes(runs: int, candidates: Floats) -> None:
    found = [sizes(*case, runs, candidates) for case in CASES]
    print(f"{runs} runs a column; equal procedures that are rejected at a nominal 5 %, in %\n")
    print("| test of two AUCs | " + " | ".join(f"n {n}, distance {d}" for n, d in CASES) + " |")
    print("|---|" + "---|" * len(CASES))
    for test in TESTS:
        print(f"| {test} | {' | '.join(f'{one[test]:.1f}' for one in found)} |")


def coverage(n: int, distance: float, runs: int, candidates: Floats) -> list[Cell]:
    """Return what every interval did in one case."""
    rng = np.random.default_rng([n, round(10 * distance)])
    scorer = one_pass_scorer(list(METRICS))
    values = {metric: [] for metric in METRICS}
    ends = {(metric, method): [] for metric in METRICS for method in METHODS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for _ in range(-(-runs // BATCH)):
            for y, score, fold in zip(*nested(n, distance, BATCH, rng, candidates), strict=True):
                for metric, scores, found in intervals(y, score, fold, scorer):
                    values[metric].append(np.nanmean(scores))
                    for method in METHODS:
                        ends[metric, method].append(found[method])
    return [
        tally(n, distance, metric, method, np.nanmean(values[metric]), np.array(found))
        for (metric, method), found in ends.items()
    ]


def intervals(y, score, fold, scorer):
    """Yield for each metric its fold scores and the ends by every method."""
    predictions = joined(y, score, fold)
    n_test = np.bincount(fold, minlength=FOLDS)
    parts = [fold == k for k in range(FOLDS)]
    each = [scores_of(scorer, predictions, part) for part in parts]
    for metric in METRICS:
        scores = np.array([one[metric] for one in each])
        bound = metric_of(metric, scorer)
        noise = noise_or_none(bound, predictions, np.flatnonzero(~np.isnan(scores)))
        sizes = len(y) - n_test, n_test
        yield (
            metric,
            scores,
            {
                "interval": tuple(fold_interval(scores, *sizes, noise, score_bounds(bound))),
                "Nadeau-Bengio": tuple(fold_interval(scores, *sizes)),
            },
        )


def joined(y, score, fold):
    proba = special.expit(score)
    return OutOfFoldPredictions(
        np.arange(len(y)),
        fold,
        y,
        1 * (score > 0),
        {"predict_proba": np.column_stack([1 - proba, proba]), "decision_function": score},
        np.array([0, 1]),
        positive=1,
    )


def sizes(n: int, distance: float, runs: int, candidates: Floats) -> dict[str, float]:
    """Return how often tests of the AUC reject that each half of the features does as well."""
    rng = np.random.default_rng([n, round(10 * distance), 1])
    scorer = one_pass_scorer(["roc_auc"])
    bound, rejected = metric_of("roc_auc", scorer), dict.fromkeys(TESTS, 0)
    total = 0
    for _ in range(-(-runs // BATCH)):
        y, *scores, fold = nested(n, distance, BATCH, rng, candidates, halves=2)
        for labels, a, b, own in zip(y, *scores, fold, strict=True):
            both = [joined(labels, score, own) for score in (a, b)]
            found = p_values(scorer, bound, *both)
            total += 1
            for test in TESTS:
                rejected[test] += found[test] < 0.05
    return {test: 100 * count / total for test, count in rejected.items()}


def p_values(scorer, bound, first, second) -> dict[str, float]:
    parts = [first.fold == k for k in range(FOLDS)]
    n_test = np.array([part.sum() for part in parts])
    scores = np.array(
        [[scores_of(scorer, one, part)["roc_auc"] for part in parts] for one in (first, second)]
    )
    differences, n_train = scores[0] - scores[1], len(first.row) - n_test
    noise = difference_noise(bound, first, second, np.arange(FOLDS))
    by_rows, by_models = variance_parts(differences, n_train, n_test, noise)
    total = by_rows + by_models
    df = (FOLDS - 1) * (total / by_models) ** 2 if by_models > 0 else np.inf
    corrected = corrected_resampled_t_test(*scores, n_train=n_train, n_test=n_test)
    joint = delong_test(
        first.y_true, *(one.responses["decision_function"] for one in (first, second))
    )
    return {
        "within folds": float(tail(differences.mean() / np.sqrt(total), "two-sided", df)),
        "corrected t": corrected.p_value,
        "DeLong, joined scores": joint.p_value,
    }


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


def tally(n: int, distance: float, metric: str, method: str, target: float, ends: Floats) -> Cell:
    low, high = ends.T
    least, most = score_bounds(metric_of(metric, None))
    rounding = 1e-9
    return Cell(
        n,
        distance,
        metric,
        method,
        float(target),
        100 * float(np.mean((low <= target) & (target <= high))),
        float(np.nanmean(high - low)),
        100 * float(np.mean((low < least - rounding) | (high > most + rounding))),
        100 * float(np.mean(~(high - low > rounding))),
    )


def nested(
    n: int,
    distance: float,
    runs: int,
    rng: np.random.Generator,
    candidates: Floats,
    halves: int = 1,
) -> tuple[NDArray[np.intp], Floats, NDArray[np.intp]]:
    """Return labels, out-of-fold scores (log-odds) and outer folds of many runs at once."""
    y = (rng.random((runs, n)) < PREVALENCE).astype(np.intp)
    X = rng.normal(size=(runs, n, FEATURES)) + y[..., None] * distance / np.sqrt(FEATURES)
    outer = stratified(y, np.ones_like(y, dtype=bool), rng)
    parts = np.split(X, halves, axis=2)
    return y, *(out_of_fold(part, y, outer, rng, candidates) for part in parts), outer


def out_of_fold(X, y, outer, rng, candidates: Floats) -> Floats:
    """Return the scores of the models that the folds choose."""
    score = np.empty(y.shape)
    for k in range(FOLDS):
        train = outer != k
        inner = stratified(y, train, rng)
        found = np.zeros((len(candidates), len(y)))
        for part in range(FOLDS):
            for place, C in enumerate(candidates):
                fitted = fit_predict(X, y, train & (inner != part), np.full(len(y), C))
                found[place] += auc(y, fitted, train & (inner == part))
        chosen = candidates[found.argmax(axis=0)]
        score = np.where(train, score, fit_predict(X, y, train, chosen))
    return score


def stratified(y, rows, rng):
    """Return the fold of each row of each run, -1 outside the rows given."""
    fold = np.full(y.shape, -1)
    for labels, inside, own in zip(y, rows, fold, strict=True):
        start = 0
        for label in (0, 1):
            members = rng.permutation(np.flatnonzero((labels == label) & inside))
            own[members] = (start + np.arange(len(members))) % FOLDS
            start += len(members)
    return fold


def fit_predict(X: Floats, y, train, C: Floats) -> Floats:
    """Fit L2-penalised logistic regression on the scaled training rows; return all log-odds."""
    weight = 1.0 * train
    total = weight.sum(axis=1)[:, None]
    mean = np.einsum("rnd,rn->rd", X, weight) / total
    centred = X - mean[:, None]
    scaled = centred / np.sqrt(np.einsum("rnd,rn->rd", centred**2, weight) / total)[:, None]
    design = np.concatenate([scaled, np.ones((*X.shape[:2], 1))], axis=2)
    beta, penalty = np.zeros((len(X), X.shape[2] + 1)), np.append(np.ones(X.shape[2]), 1e-9)
    for _ in range(15):
        p = special.expit(np.einsum("rnd,rd->rn", design, beta))
        slope = C[:, None] * np.einsum("rnd,rn->rd", design, weight * (p - y)) + penalty * beta
        curved = design * (weight * p * (1 - p))[..., None]
        bend = C[:, None, None] * (design.transpose(0, 2, 1) @ curved) + np.diag(penalty)
        step = np.linalg.solve(bend, slope[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        beta -= step * np.minimum(1, 5 / np.maximum(longest, 1e-300))
        if longest.max() < 1e-7:
            break
    return np.einsum("rnd,rd->rn", design, beta)


def auc(y, score: Floats, rows) -> Floats:
    """Return the AUC of some rows of each run."""
    order = np.argsort(np.where(rows, score, np.inf), axis=1)
    positive, negative = (
        np.take_along_axis(rows & (y == label), order, axis=1) for label in (1, 0)
    )
    won = (np.cumsum(negative, axis=1) * positive).sum(axis=1)
    return won / np.maximum(positive.sum(axis=1) * negative.sum(axis=1), 1)


if __name__ == "__main__":
    main()
