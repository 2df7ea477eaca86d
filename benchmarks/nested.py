"""The measured work: nested cross-validation against cross_validate(GridSearchCV(...))."""

from __future__ import annotations

import importlib.util
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import sklearn.metrics as sk
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    ParameterGrid,
    StratifiedKFold,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import (
    Decisions,
    compare_estimators,
    compare_over_datasets,
    nested_cross_validate,
)

from .measure import Row, Work, ratio_of_peaks, ratio_of_times

DOZEN = [
    "roc_auc", "average_precision", "accuracy", "balanced_accuracy", "recall", "precision", "f1",
    "matthews_corrcoef", "jaccard", "neg_log_loss", "neg_brier_score", "cohen_kappa",
]  # fmt: skip
FIVE = ["roc_auc", "average_precision", "f1", "matthews_corrcoef", "neg_log_loss"]
THEIRS = "`cross_validate(GridSearchCV(...))`"
JOBS = 2
WANTED = {("GaussianNB", 12): 0.1, ("random forest of 20", 1): 0.85}

Line = tuple[str, str, float, str, Callable[[], list[float]]]
Model = tuple[str, Any, dict[str, Any]]


def suite(*, quick: bool = False, only: str = "") -> Iterator[Row]:
    """Measure line by line those whose work holds the text `only`."""
    for work, against, wanted, unit, measure in _lines(quick):
        if only in work:
            ours, theirs, *floor = measure()
            yield Row(work, against, wanted, ours, theirs, unit, *floor)


def _models(quick: bool) -> list[Model]:
    scaled = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    forest = RandomForestClassifier(20, random_state=0)
    depths = [1, 3, 9] if quick else [1, 2, 3, 5, 9]
    return [
        ("GaussianNB", GaussianNB(), {"var_smoothing": np.logspace(-9, 0, 20)}),
        ("scaled logistic regression", scaled, {"logisticregression__C": np.logspace(-3, 2, 6)}),
        ("random forest of 20", forest, {"max_depth": depths}),
    ]


def _lines(quick: bool) -> Iterator[Line]:
    X, y = make_classification(500, 10, flip_y=0.1, random_state=0)
    for name, model, grid in _models(quick):
        for metrics in (["roc_auc"], DOZEN):
            wanted = WANTED.get((name, len(metrics)), 1.0)
            yield (
                f"nested 5 x 5, {name}, {len(metrics)} metric{'s' * (len(metrics) > 1)}",
                f"{THEIRS}, {JOBS} jobs",
                wanted,
                "ms",
                lambda m=model, g=grid, s=metrics: [
                    *_timed(
                        lambda: _ours(m, g, X, y, s, refit=s), lambda: _theirs(m, g, X, y, s)
                    )(),
                    _share_of_fits(m, g, X, y, scoring=s),
                ],
            )
    name, model, grid = _models(quick)[0]
    yield (
        f"tuning matrix over five metrics, nested 5 x 5, {name}",
        "five nested runs",
        0.3,
        "ms",
        _timed(
            lambda: _ours(model, grid, X, y, FIVE, refit=FIVE),
            lambda: [_ours(model, grid, X, y, FIVE, refit=metric) for metric in FIVE],
        ),
    )
    yield from _floor(quick)
    yield from _decisions(model, grid, X, y)
    yield from _data_sets(model, grid)
    yield from _memory(model)


def _floor(quick: bool) -> Iterator[Line]:
    """The run and its summary against the clones, fits and predictions that it makes, alone."""
    chosen = {"decisions": Decisions(calibration="sigmoid", threshold="f1")}
    for model, grid in (
        (GaussianNB(), {"var_smoothing": np.logspace(-9, 0, 4)}),
        (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5]}),
    ):
        for rows in (1000,) if quick else (1000, 10_000):
            X, y = make_classification(rows, 10, random_state=0)
            for jobs in (1, JOBS):
                for more, options in (("", {}), (", threshold and calibration", chosen)):
                    yield (
                        f"nested 5 x 5 with summary, {type(model).__name__}, 12 metrics, "
                        f"n = {rows:,}{more}",
                        f"its fits and predictions alone, {jobs} job{'s' * (jobs > 1)}",
                        1.3,
                        "ms",
                        partial(_against_fits, model, grid, X, y, n_jobs=jobs, **options),
                    )


def _against_fits(
    model: Any, grid: Any, X: Any, y: Any, scoring: Any = DOZEN, *, n_jobs: int = 1, **options: Any
) -> list[float]:
    """Return the time of a run with its summary, of its fits alone, and the ratio.

    It is processor time of one job, time by the clock of several.
    """
    ours, alone = ratio_of_times(
        lambda: _ours(
            model, grid, X, y, scoring, refit=scoring[0], final="search", n_jobs=n_jobs, **options
        ).summary(),
        lambda: _alone(model, grid, X, y, n_jobs, decided="decisions" in options),
        clock=time.process_time if n_jobs == 1 else time.perf_counter,
    )
    return [ours, alone, ours / alone]


def _share_of_fits(*given: Any, **options: Any) -> float:
    return _against_fits(*given, **options)[-1]


def _alone(model: Any, grid: Any, X: Any, y: Any, n_jobs: int, *, decided: bool) -> None:
    """Clone, fit and predict as often as a nested 5 x 5 run with a final search does.

    Where it is `decided`, also fit the calibrators of the winners, and predict by them and a threshold.
    """
    candidates, folds = list(ParameterGrid(grid)), StratifiedKFold(5)
    outer = [*folds.split(X, y), (np.arange(len(y)), None)]
    inner = [
        (model, params, X, y, train[fit], train[held])
        for train, _ in outer
        for fit, held in folds.split(X[train], y[train])
        for params in candidates
    ]
    winners = [(model, candidates[0], X, y, *split, decided) for split in outer]
    for fits in (inner, winners):
        if n_jobs == 1:
            for fit in fits:
                _fitted(*fit)
        else:
            Parallel(n_jobs)(delayed(_fitted)(*fit) for fit in fits)


def _fitted(
    model: Any, params: Any, X: Any, y: Any, train: Any, test: Any, decided: bool = False
) -> list[Any]:
    """Fit on some rows and return the predictions of others."""
    fitted = clone(model).set_params(**params).fit(X[train], y[train])
    models = [fitted, _calibrated(fitted, X[train], y[train])] if decided else [fitted]
    if test is None:
        return []
    methods, tested = ("predict", "predict_proba"), X[test]
    return [getattr(one, method)(tested) for one in models for method in methods]


def _calibrated(winner: Any, X: Any, y: Any) -> Any:
    """Fit one calibrator on the predictions of a fitted model, and lay a threshold over it."""
    every = np.arange(len(y))
    calibrator = CalibratedClassifierCV(
        FrozenEstimator(winner), method="sigmoid", cv=[(every, every)], ensemble=False
    ).fit(X, y)
    return FixedThresholdClassifier(FrozenEstimator(calibrator), threshold=0.4).fit(X, y)


def _decisions(model: Any, grid: Any, X: Any, y: Any) -> Iterator[Line]:
    work = "nested 5 x 5 with threshold and calibration, GaussianNB, 12 metrics"
    chosen = {"decisions": Decisions(calibration="sigmoid", threshold="f1")}
    yield (
        work,
        f"ours without them, {JOBS} jobs",
        1.15,
        "ms",
        _timed(
            lambda: _ours(model, grid, X, y, DOZEN, refit=DOZEN[0], **chosen),
            lambda: _ours(model, grid, X, y, DOZEN, refit=DOZEN[0]),
        ),
    )
    if importlib.util.find_spec("nestkit") is not None:
        yield (
            work,
            f"nestkit doing the same with one metric, {JOBS} jobs",
            0.5,
            "ms",
            _timed(
                lambda: _ours(model, grid, X, y, DOZEN, refit=DOZEN[0], **chosen),
                lambda: _nestkit(model, grid, X, y),
            ),
        )


def _nestkit(model: Any, grid: Any, X: Any, y: Any) -> Any:
    from nestkit import NestedCVClassifier

    nested = NestedCVClassifier(
        model, grid, scoring="roc_auc", n_jobs_outer=JOBS, calibration_method="sigmoid",
        threshold_strategy="fold_specific", threshold_criterion="f_beta",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nested.fit(X, y)


def _data_sets(model: Any, grid: Any) -> Iterator[Line]:
    """Data sets of several sizes: one pool that all share against one after the other."""
    sizes = [200, 300, 500, 800, 1200, 2000]
    datasets = {str(n): make_classification(n, 10, flip_y=0.1, random_state=n) for n in sizes}
    forest = RandomForestClassifier(10, random_state=0), {"max_depth": [2, 4, 8]}
    models = {"bayes": (model, grid), "forest": forest}
    options = {"scoring": "roc_auc", "outer_cv": 3, "inner_cv": 3, "n_jobs": JOBS}
    yield (
        f"`compare_over_datasets`, {len(sizes)} data sets, 2 estimators, nested 3 x 3",
        f"`compare_estimators`, one data set after the other, {JOBS} jobs",
        1.0,
        "ms",
        _timed(
            lambda: compare_over_datasets(models, datasets, **options),
            lambda: [compare_estimators(models, *data, **options) for data in datasets.values()],
        ),
    )


def _memory(model: Any) -> Iterator[Line]:
    X, y = make_classification(100_000, 20, random_state=0)
    grid = {"var_smoothing": [1e-9, 1e-3]}
    yield (
        "peak extra memory, nested 5 x 5, GaussianNB, 12 metrics, 10^5 rows",
        f"{THEIRS}, 1 job",
        1.0,
        "MB",
        lambda: ratio_of_peaks(
            lambda: _ours(model, grid, X, y, DOZEN, refit=DOZEN, n_jobs=1),
            lambda: _theirs(model, grid, X, y, DOZEN, n_jobs=1),
        ),
    )


def _timed(ours: Work, theirs: Work) -> Callable[[], list[float]]:
    return lambda: ratio_of_times(ours, theirs, clock=time.perf_counter)


def _ours(
    model: Any,
    grid: Any,
    X: Any,
    y: Any,
    scoring: list[str],
    *,
    refit: Any,
    final: Any = None,
    n_jobs: int = JOBS,
    **options: Any,
) -> Any:
    return nested_cross_validate(
        model, grid, X, y, scoring=scoring, refit=refit, final=final, n_jobs=n_jobs, **options
    )


def _theirs(
    model: Any, grid: Any, X: Any, y: Any, scoring: list[str], *, n_jobs: int = JOBS
) -> Any:
    """Search with all metrics and choose by the first: one row of our matrix."""
    scorers = {name: _scorer(name) for name in scoring}
    search = GridSearchCV(model, grid, scoring=scorers, refit=scoring[0], cv=5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return cross_validate(search, X, y, scoring=scorers, cv=5, n_jobs=n_jobs)


def _scorer(name: str) -> Any:
    return sk.make_scorer(sk.cohen_kappa_score) if name == "cohen_kappa" else sk.get_scorer(name)
