"""The measured work: metrics, scorers, thresholds and score sets."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import sklearn.metrics as sk
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

import skaucx.metrics as sx
from skaucx import evaluation, inference
from skaucx.metrics._kinds.labels import LABELS
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._pairs.kernels import Logistic, Power
from skaucx.metrics._pairs.ranking import RankedScores
from skaucx.metrics._registry.declare import METRICS
from skaucx.study import SetCollection, measure_values

from .measure import Row, Work, ratio_of_peaks, ratio_of_times

FOLD_METRICS = [
    "roc_auc", "mm1_auc", "mm4_auc", "mm6_auc", "mm7_auc", "prob_auc", "scor_auc", "soft_auc",
    "average_precision", "accuracy", "balanced_accuracy", "recall", "specificity", "precision", "npv",
    "f1", "informedness", "markedness", "matthews_corrcoef", "cohen_kappa", "p4", "g_mean", "jaccard",
    "neg_log_loss", "neg_brier_score",
]  # fmt: skip
SKLEARN_SCORERS = [
    "roc_auc", "average_precision", "accuracy", "balanced_accuracy", "recall", "precision", "f1",
    "matthews_corrcoef", "jaccard", "neg_log_loss", "neg_brier_score", "f1_macro", "recall_macro",
]  # fmt: skip


def suite(*, quick: bool = False, only: str = "") -> Iterator[Row]:
    """Measure line by line those whose work holds the text `only`."""
    for work, against, wanted, unit, measure in _lines(quick):
        if only in work:
            ours, theirs = measure()
            yield Row(work, against, wanted, ours, theirs, unit)


Line = tuple[str, str, float, str, Callable[[], list[float]]]


def _lines(quick: bool) -> Iterator[Line]:
    yield from _large(quick)
    yield from _small()
    yield from _searches()
    yield from _tables()
    yield from _intervals()


def _scores(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n)
    y = rng.integers(0, 2, n)
    return y, 1 / (1 + np.exp(-rng.normal(y, 1.5))), rng.uniform(0.1, 2, n)


def _timed(ours: Work, theirs: Work) -> Callable[[], list[float]]:
    return lambda: ratio_of_times(ours, theirs)


def _large(quick: bool) -> Iterator[Line]:
    """Lines on up to 10^7 continuous scores."""
    y, s, w = _scores(10**6)
    auc = "one `roc_auc_score`"
    yield (
        "AUC, n = 10^6",
        auc,
        0.08,
        "ms",
        _timed(lambda: sx.roc_auc_score(y, s), lambda: sk.roc_auc_score(y, s)),
    )
    for power, wanted in {3: 0.5, 4: 0.6, 5: 0.5, 6: 0.45, 7: 0.3}.items():
        if quick and power == 7:
            continue
        y, s, w = _scores(10**power)
        yield (
            f"all variants, n = 10^{power}",
            auc,
            wanted,
            "ms",
            _timed(lambda y=y, s=s: sx.auc_family(y, s), lambda y=y, s=s: sk.roc_auc_score(y, s)),
        )
        yield (
            f"all variants, weights, n = 10^{power}",
            auc + " with weights",
            wanted,
            "ms",
            _timed(
                lambda y=y, s=s, w=w: sx.auc_family(y, s, sample_weight=w),
                lambda y=y, s=s, w=w: sk.roc_auc_score(y, s, sample_weight=w),
            ),
        )
    y, s, w = _scores(10**6)
    families = ("calibration", "top of the ranking", "rates under a constraint",
                "shape of the ROC curve", "rejection")  # fmt: skip
    for family in families:
        names = [
            row.name
            for row in sx.list_metrics()
            if row.family == family and row.kind.inputs.argument == "y_score"
        ]
        yield (
            f"all {len(names)} metrics of {family}, n = 10^6",
            auc,
            1.0,
            "ms",
            _timed(
                lambda names=names: evaluation.evaluate(
                    y, y_score=s, metrics=names, zero_division=0
                ),
                lambda: sk.roc_auc_score(y, s),
            ),
        )
    for curve in (
        sx.decision_curve,
        sx.curves.cost_curve,
        sx.risk_coverage_curve,
    ):
        yield (
            f"`{curve.__name__}`, n = 10^6",
            auc,
            1.0,
            "ms",
            _timed(lambda curve=curve: curve(y, s), lambda: sk.roc_auc_score(y, s)),
        )
    for base in ("sond", "soft"):
        yield (
            f"mm7 on the basis of {base}, n = 10^6",
            auc,
            0.6,
            "ms",
            _timed(lambda base=base: sx.mm7_auc_score(y, s, base=base),
                   lambda: sk.roc_auc_score(y, s)),
        )  # fmt: skip
    ready = RankedScores.from_scores(y == 1, s)
    ready.mean_of(Logistic(7.0))
    yield (
        "soft (beta 7) on a ready ranking, n = 10^6",
        auc,
        0.05,
        "ms",
        _timed(lambda: ready.mean_of(Logistic(7.0)), lambda: sk.roc_auc_score(y, s)),
    )
    yield (
        "sond (q 1/7) on a ready ranking, n = 10^6",
        auc,
        0.45,
        "ms",
        _timed(lambda: ready.mean_of(Power(1 / 7)), lambda: sk.roc_auc_score(y, s)),
    )
    if not quick:
        y7, s7, _ = _scores(10**7)
        yield (
            "peak extra memory, all variants, n = 10^7",
            auc,
            0.7,
            "MB",
            lambda: ratio_of_peaks(lambda: sx.auc_family(y7, s7), lambda: sk.roc_auc_score(y7, s7)),
        )


def _small() -> Iterator[Line]:
    """Lines on one fold."""
    for n in (50, 200):
        y, s, _ = _scores(n)
        p = (s > 0.5).astype(int)
        yield (
            f"one AUC, n = {n}",
            "`roc_auc_score`",
            0.03,
            "ms",
            _timed(
                lambda y=y, s=s: sx.roc_auc_score(y, s), lambda y=y, s=s: sk.roc_auc_score(y, s)
            ),
        )
        yield (
            f"one MCC, n = {n}",
            "`matthews_corrcoef`",
            0.03,
            "ms",
            _timed(
                lambda y=y, p=p: sx.matthews_corrcoef(y, p),
                lambda y=y, p=p: sk.matthews_corrcoef(y, p),
            ),
        )
    y, s, _ = _scores(50)
    p = (s > 0.5).astype(int)
    others = {"f1_score": p, "brier_score_loss": s, "log_loss": s, "average_precision_score": s}
    for name, second in others.items():
        yield (
            f"one {name}, n = 50",
            f"`{name}`",
            0.06,
            "ms",
            _timed(
                partial(getattr(sx, name), y, second),
                partial(getattr(sk, name), y, second),
            ),
        )


def _searches() -> Iterator[Line]:
    """Lines on scorers and searches."""
    X, y = make_classification(200, 5, random_state=0)
    model = GaussianNB().fit(X, y)
    one_pass = sx.one_pass_scorer(FOLD_METRICS)
    theirs = {name: sk.get_scorer(name) for name in SKLEARN_SCORERS}
    yield (
        "25 metrics in one pass, fold of 200",
        "dict of 13 scorers",
        0.03,
        "ms",
        _timed(
            lambda: one_pass(model, X, y), lambda: [theirs[name](model, X, y) for name in theirs]
        ),
    )
    every = [
        n for n, f in METRICS.items() if not f.needed and f.metric.kind.inputs in (LABELS, SCORES)
    ]
    sixty = sx.one_pass_scorer([METRICS[name].metric.scorer_name for name in every[:60]])
    yield (
        "60 metrics in one pass, fold of 200",
        "dict of 13 scorers",
        0.15,
        "ms",
        _timed(lambda: sixty(model, X, y), lambda: [theirs[name](model, X, y) for name in theirs]),
    )
    yield (
        "the two predictions that the 25 metrics take, fold of 200",
        "dict of 13 scorers",
        0.03,
        "ms",
        _timed(
            lambda: (model.predict(X), model.predict_proba(X)),
            lambda: [theirs[name](model, X, y) for name in theirs],
        ),
    )
    X, y = make_classification(500, 5, random_state=0)
    grid = {"var_smoothing": np.logspace(-9, 0, 20)}

    def search(scoring: object) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            GridSearchCV(GaussianNB(), grid, scoring=scoring, refit="roc_auc", cv=5).fit(X, y)

    dozen = [*SKLEARN_SCORERS[:11], "cohen_kappa"]
    ours = sx.one_pass_scorer(dozen)
    scorers = {name: sk.get_scorer(name) for name in SKLEARN_SCORERS[:11]}
    scorers["cohen_kappa"] = sk.make_scorer(sk.cohen_kappa_score)
    yield (
        "GridSearchCV(GaussianNB), 20 candidates x 5 folds, 12 metrics",
        "the same with a dict of scorers",
        0.08,
        "ms",
        _timed(lambda: search(ours), lambda: search(scorers)),
    )
    yield (
        "the same search of predictions that nothing judges",
        "the same with a dict of scorers",
        0.08,
        "ms",
        _timed(lambda: search(_unjudged), lambda: search(scorers)),
    )


def _unjudged(model: Any, X: Any, y: Any) -> dict[str, float]:
    """Predict as the metrics need it, and judge nothing: the least that a search takes."""
    model.predict(X)
    model.predict_proba(X)
    return {"roc_auc": 0.0}


def _tables() -> Iterator[Line]:
    """Lines on confusion tables, thresholds and score sets."""
    y, s, _ = _scores(10**6)
    p = (s > 0.5).astype(int)
    names = list(evaluation.evaluate(counts=[[4, 1], [2, 3]], metrics="all"))
    yield (
        f"all {len(names)} confusion metrics, n = 10^6",
        "one `matthews_corrcoef`",
        0.2,
        "ms",
        _timed(
            lambda: evaluation.evaluate(y, p, metrics=names), lambda: sk.matthews_corrcoef(y, p)
        ),
    )
    try:
        import pycm
    except ImportError:
        pass
    else:
        yield (
            f"all {len(names)} confusion metrics, n = 10^6",
            "PyCM's constructor",
            0.1,
            "ms",
            lambda: ratio_of_times(
                lambda: evaluation.evaluate(y, p, metrics=names),
                lambda: pycm.ConfusionMatrix(y, p),
                least=3,
            ),
        )
    usual = list(sx.threshold_curves([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4]).metrics)
    sweep = f"all {len(usual)} confusion metrics at all thresholds, n = 10^6"
    yield (
        sweep,
        "`precision_recall_curve`",
        3,
        "ms",
        _timed(lambda: sx.threshold_curves(y, s), lambda: sk.precision_recall_curve(y, s)),
    )
    rng = np.random.default_rng(0)
    labels = [row for row in itertools.product([0, 1], repeat=6) if 0 < sum(row) < 6]
    truth, score = np.tile(labels, (1000, 1)), np.repeat(rng.random((1000, 6)), 62, axis=0)
    sets = SetCollection.from_arrays(truth, score)
    yield (
        "62,000 sets of six, all variants",
        "pair loop over the sets",
        0.004,
        "ms",
        lambda: ratio_of_times(lambda: measure_values(sets), lambda: _loop(truth, score), least=3),
    )


def _intervals() -> Iterator[Line]:
    """Lines on intervals of 10^4 scores."""
    y, s, _ = _scores(10**4)
    ask = {"method": "percentile", "n_resamples": 200, "random_state": 0}

    def loop() -> None:
        rng = np.random.default_rng(0)
        for _ in range(200):
            rows = rng.integers(len(y), size=len(y))
            sk.roc_auc_score(y[rows], s[rows])

    def all_pairs() -> None:
        p, n = s[y == 1], s[y == 0]
        wins = (p[:, None] > n) + 0.5 * (p[:, None] == n)
        wins.mean(axis=1).var(ddof=1) / len(p) + wins.mean(axis=0).var(ddof=1) / len(n)

    yield (
        "200 bootstrap replicates of the AUC, n = 10^4",
        "a loop of `roc_auc_score`",
        0.1,
        "ms",
        _timed(lambda: inference.interval("roc_auc", y, s, **ask), loop),
    )
    yield (
        "DeLong's interval, n = 10^4",
        "the matrix of all pairs",
        0.05,
        "ms",
        _timed(lambda: inference.interval("roc_auc", y, s), all_pairs),
    )


def _loop(truth: np.ndarray, score: np.ndarray) -> None:
    """All variants of each set from its outer difference, set by set."""
    for t, s in zip(truth == 1, score, strict=True):
        d = s[t][:, None] - s[~t]
        span, margin = np.ptp(s), d.min()
        gain, win = np.maximum(d, 0), d > 0
        auc = (win + 0.5 * (d == 0)).mean()
        mm4 = np.where(win, np.maximum(d / span, 0.5), 0).mean()
        mm6 = mm4**0.9 * (margin ** (1 / 16) if margin > 0 else 1)
        _ = auc, d.mean(), (1 + d.mean()) / 2, gain.mean(), gain.mean() / span, mm4, mm6
        _ = (
            mm6 * win.mean(),
            np.where(win, gain ** (1 / 7), 0).mean(),
            (1 / (1 + np.exp(-7 * d))).mean(),
        )
