"""Print the real size of every nominal 5 % test, by simulation under the null hypothesis.

``python -m benchmarks.sizes --runs 2000`` simulates all (ten minutes on one core); ``--resamples`` is
the number of replicates of the bootstrap and the permutation test, ``--jobs`` that of processes,
``--json FILE`` names the file (sizes.json by default); ``--paired bootstrap`` simulates only the tests
of two predictions whose name contains that word, ``--folds`` only the tests of estimators on folds.

Data models: two normal classes of fixed sizes whose scores are judged by classifiers with the same
true AUC (.6, .8 or .95) and a correlation of .5 within a class. Labels are the scores cut half-way
between the classes. Estimators learn that cut from one of two features that are alike. A p-value
that is undefined does not reject.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import RepeatedStratifiedKFold

from skaucx.inference import (
    delong_test,
    paired_test,
)
from skaucx.inference._tests.mcnemar import mcnemar_statistic
from skaucx.model_selection import corrected_resampled_t_test
from skaucx.model_selection.comparisons._tests import five_by_two

from .machine import heading

AUCS = (0.6, 0.8, 0.95)
# Positives and negatives: balanced n = 30, 100, 1000, then 1:20 with n = 100, 1000.
CLASSES = ((15, 15), (50, 50), (500, 500), (5, 95), (48, 952))
LEVEL = 0.05
# From so many examples on these tests get a quarter of the runs.
MANY, SLOW = 1000, ("bootstrap, AUC", "permutation, AUC", "permutation, F1 of labels")

Sizes = dict[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sizes", description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--resamples", type=int, default=199)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", type=Path, default=Path("sizes.json"))
    parser.add_argument("--paired", default="", help="only the paired tests that contain this word")
    parser.add_argument("--folds", action="store_true", help="only the tests on folds")
    options = parser.parse_args()
    cells = [(classes, auc) for classes in CLASSES for auc in AUCS]
    work = [
        delayed(only_folds)(*cell, options.runs)
        if options.folds
        else delayed(sizes)(*cell, options.runs, options.resamples, options.paired)
        for cell in cells
    ]
    found: list[Sizes] = []
    for one in Parallel(n_jobs=options.jobs, return_as="generator")(work):
        found.append(one)
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(heading("Real sizes of the tests"))
    print(f"Share of rejections in %, {options.runs} runs, at AUC .6 / .8 / .95\n")
    heads = [f"{p} + {n}" for p, n in CLASSES]
    print_table("test, positives + negatives", heads, by_test(found, len(AUCS)))


def by_test(found: list[Sizes], group: int) -> dict[str, list[str]]:
    """Return for each test one cell a group of neighbouring results."""
    return {
        test: [
            " / ".join(f"{100 * one[test]:.1f}" for one in found[start : start + group])
            for start in range(0, len(found), group)
        ]
        for test in found[0]
    }


def print_table(corner: str, heads: list[str], rows: dict[str, list[str]]) -> None:
    print(f"| {corner} | {' | '.join(heads)} |\n|{'---|' * (len(heads) + 1)}")
    for test, cells in rows.items():
        print(f"| {test} | {' | '.join(cells)} |", flush=True)


def sizes(
    classes: tuple[int, int], auc: float, runs: int, resamples: int, paired: str = ""
) -> Sizes:
    """Return the share of rejections of every test of two classifiers or estimators."""
    rng = np.random.default_rng([*classes, round(100 * auc)])
    truth = np.repeat([1, 0], classes)
    shift = np.sqrt(2) * stats.norm.ppf(auc)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        tests = {name: test for name, test in paired_tests(resamples).items() if paired in name}
        found = of_runs(tests, runs, rng, truth, shift)
        return (
            found
            if paired
            else (
                found | mcnemar_sizes(rng, truth, shift, runs) | fold_sizes(rng, truth, shift, runs)
            )
        )


def only_folds(classes: tuple[int, int], auc: float, runs: int) -> Sizes:
    """Return the share of rejections of the tests of two estimators on folds."""
    rng = np.random.default_rng([*classes, round(100 * auc)])
    truth, shift = np.repeat([1, 0], classes), np.sqrt(2) * stats.norm.ppf(auc)
    return fold_sizes(rng, truth, shift, runs)


def scores(rng: np.random.Generator, truth: np.ndarray, shift: float, shape: tuple[int, ...]):
    """Draw scores of shape (*shape, n), correlated by .5 along the last axis of `shape`."""
    common = rng.normal(size=(*shape[:-1], 1, len(truth)))
    own = rng.normal(size=(*shape, len(truth)))
    return shift * truth + np.sqrt(0.5) * (common + own)


Test = Callable[..., float]


def paired_tests(resamples: int) -> dict[str, Test]:
    """Return the tests that judge scores or labels, as functions that return a p-value."""
    options = {"n_resamples": resamples}
    return {
        "DeLong, paired": lambda y, a, b, *_: delong_test(y, a, b).p_value,
        "DeLong, unpaired": lambda y, a, b, d, _: delong_test(y, a, d, y_true_b=y).p_value,
        "bootstrap, AUC": lambda y, a, b, d, seed: (
            paired_test(
                "roc_auc", y, a, b, method="bootstrap", random_state=seed, **options
            ).p_value
        ),
        "permutation, AUC": lambda y, a, b, d, seed: (
            paired_test(
                "roc_auc", y, a, b, method="permutation", random_state=seed, **options
            ).p_value
        ),
        "bootstrap, F1 of labels": lambda y, a, b, d, seed: (
            paired_test(
                "f1", y, a > 0, b > 0, method="bootstrap", random_state=seed, **options
            ).p_value
        ),
        "permutation, F1 of labels": lambda y, a, b, d, seed: (
            paired_test(
                "f1",
                y,
                a > 0,
                b > 0,
                method="permutation",
                random_state=seed,
                **options,
            ).p_value
        ),
    }


def of_runs(
    tests: dict[str, Test], runs: int, rng: np.random.Generator, truth: np.ndarray, shift: float
) -> Sizes:
    rejected = dict.fromkeys(tests, 0)
    fewer = runs if len(truth) < MANY else runs // 4
    for seed in range(runs):
        a, b = scores(rng, truth, shift, (2,)) - shift / 2
        (d,) = scores(rng, truth, shift, (1,)) - shift / 2
        for name, test in tests.items():
            if seed < fewer or name not in SLOW:
                rejected[name] += test(truth, a, b, d, seed) < LEVEL
    return {name: count / (fewer if name in SLOW else runs) for name, count in rejected.items()}


def mcnemar_sizes(rng: np.random.Generator, truth: np.ndarray, shift: float, runs: int) -> Sizes:
    right = (scores(rng, truth, shift, (runs, 2)) > shift / 2) == truth
    b = (right[:, 0] & ~right[:, 1]).sum(axis=1)
    c = (right[:, 1] & ~right[:, 0]).sum(axis=1)
    return {
        f"McNemar, {method}": float(np.mean(mcnemar_statistic(b, c, method)[1] < LEVEL))
        for method in ("exact", "asymptotic")
    }


def fold_sizes(rng: np.random.Generator, truth: np.ndarray, shift: float, runs: int) -> Sizes:
    """Tests of estimators, each of which cuts one feature half-way between the class means."""
    x = shift * truth + rng.normal(size=(runs, 2, len(truth)))
    differences = means_of(hits(x, truth, folds=2, repeats=5))
    halves = (differences[:, 0] - differences[:, 1]).reshape(runs, 5, 2)
    found = {"5x2cv F": float(np.mean(five_by_two(halves)[1] < LEVEL))}
    for repeats in (1, 10):
        n_test = len(truth) / 5
        p_values = [
            corrected_resampled_t_test(a, b, n_train=4 * n_test, n_test=n_test).p_value
            for a, b in means_of(hits(x, truth, folds=5, repeats=repeats))
        ]
        found[f"corrected resampled t, {repeats} x 5 folds"] = float(
            np.mean(np.array(p_values) < LEVEL)
        )
    return found | bayle_sizes(x, truth) | split_half_sizes(rng, x, truth)


def bayle_sizes(x: np.ndarray, truth: np.ndarray) -> Sizes:
    """Normal tests of the mean loss difference over all rows of 1 x 5 folds (Bayle et al. 2020).

    The variance of a loss is estimated within the folds, or from all pairs of rows.
    """
    folds = [1.0 * h[:, 0] - h[:, 1] for h in hits(x, truth, folds=5, repeats=1)]
    rows = np.concatenate(folds, axis=1)
    variances = {
        "within folds": np.mean([fold.var(axis=1, ddof=1) for fold in folds], axis=0),
        "all pairs": rows.var(axis=1),
    }
    return {
        f"Bayle et al., {name}, 1 x 5 folds": rejected(rows.mean(axis=1), v / rows.shape[1])
        for name, v in variances.items()
    }


def split_half_sizes(
    rng: np.random.Generator, x: np.ndarray, truth: np.ndarray, repeats: int = 30
) -> Sizes:
    """Five folds inside each of two disjoint halves, repeated, by the test of the package sharp-cv."""
    if importlib.util.find_spec("sharp_cv") is None:
        return {}
    from sharp_cv import sharp_test

    found = np.empty((len(x), repeats, 2))
    for repeat in range(repeats):
        first = np.zeros(len(truth), dtype=bool)
        for label in (0, 1):
            rows = rng.permutation(np.flatnonzero(truth == label))
            first[rows[: (len(rows) + repeat % 2) // 2]] = True
        for half, inside in enumerate((first, ~first)):
            means = means_of(hits(x[..., inside], truth[inside], folds=5, repeats=1))
            found[:, repeat, half] = (means[:, 0] - means[:, 1]).mean(axis=1)
    return {
        f"disjoint halves (sharp-cv), {repeats} x 5 folds": float(
            np.mean([sharp_test(one)[1] < LEVEL for one in found])
        )
    }


def rejected(difference: np.ndarray, squared_error: np.ndarray) -> float:
    """Return the share of normal tests that reject; without variation, none does."""
    z = np.abs(difference) / np.sqrt(np.where(squared_error > 0, squared_error, np.inf))
    return float(np.mean(2 * stats.norm.sf(z) < LEVEL))


def means_of(folds: Iterator[np.ndarray]) -> np.ndarray:
    """Return the accuracies of every run, feature and fold."""
    return np.stack([fold.mean(axis=-1) for fold in folds], axis=-1)


def hits(x: np.ndarray, truth: np.ndarray, folds: int, repeats: int) -> Iterator[np.ndarray]:
    """Yield whether the rows of a fold are called right, (runs, 2, rows), fold by fold."""
    cv = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # halves with fewer positives than folds
        splits = list(cv.split(truth, truth))
    for train, test in splits:
        means = [x[..., train[truth[train] == label]].mean(axis=-1) for label in (0, 1)]
        above = x[..., test] > (means[0] + means[1])[..., None] / 2
        called = above == (means[1] > means[0])[..., None]
        yield called == truth[test]


if __name__ == "__main__":
    main()
