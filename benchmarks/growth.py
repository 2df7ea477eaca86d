"""How cost grows: processor time and peak memory of calls at n and at 4 n.

``python -m benchmarks.growth`` writes ``benchmarks/results/growth.md``. Times are the least CPU time of
three turns after a first one, one turn above a second; the memory is what tracemalloc sees in a further
turn. ``python -m benchmarks.growth classes models`` prints the lines of some sizes only.
"""

from __future__ import annotations

import math
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import skaucx.metrics as sx
from skaucx import inference
from skaucx.evaluation import auc_family, classification_report, evaluate, report_table
from skaucx.metrics import curves
from skaucx.model_selection import (
    bayesian_signed_rank_test,
    check_folds,
    corrected_resampled_t_test,
    nested_cross_validate,
)
from skaucx.scale import MetricAccumulator

from .machine import machine, sentence
from .nested import DOZEN
from .pairs import of_classes

RESULT = Path(__file__).parent / "results" / "growth.md"
ABOVE = """# Growth

CPU time and peak memory at n and at 4 n, and their exponents: 1 is proportional, 0 does not grow. Above
1.1, or 1.2 where rows are sorted, a line carries its reason. `python -m benchmarks.growth` writes this
table; the last column names what is bounded by more than the size.

| call | grows with | n, 4 n | ms | exponent | MB | exponent | reason |
|---|---|---|---|---|---|---|---|"""
LARGE = """
## Large

One call each, at sizes near the end of what it is meant for.

| call | size | s | MB |
|---|---|---|---|"""

Call = Callable[[], Any]
# A call of some arrays by their names, or with the reason why it grows by more than its size.
Calls = Mapping[str, Callable[[Any], Any] | tuple[Callable[[Any], Any], str]]

_LIMIT, _SLOW, _TURNS = 1.1, 1.0, 3
_TABLE, _PAIRS = "K^2 cells of the table", "pairs of them"
_CACHE = "draws of 2^19 counts: scattered reads of rows that leave the cache"


def main() -> None:
    wanted = sys.argv[1:]
    found = [ABOVE]
    print(ABOVE)
    for kind, sizes, data_of, calls in axes():
        if not wanted or kind in wanted:
            for name, call in calls.items():
                found.append(_line(name, kind, sizes, data_of, call))
                print(found[-1], flush=True)
    if not wanted:
        found.append(LARGE)
        for name, size, call in large():
            seconds, peak = measured(call)
            found.append(f"| {name} | {size} | {seconds:.3g} | {peak / 1e6:.4g} |")
            print(found[-1], flush=True)
        RESULT.write_text("\n".join([*found, "", sentence(machine()), ""]), encoding="utf-8")


def _line(name: str, kind: str, sizes: tuple[int, int], data_of: Any, call: Any) -> str:
    work, reason = call if isinstance(call, tuple) else (call, "")
    both = [measured(partial(work, data_of(size))) for size in sizes]
    cells = []
    for (first, second), unit in zip(zip(*both, strict=True), (1e3, 1e-6), strict=True):
        cells += [f"{first * unit:.3g} / {second * unit:.3g}", f"{math.log(second / first, 4):.2f}"]
    shown = reason if float(cells[1]) > _LIMIT or float(cells[3]) > _LIMIT else ""
    return f"| {name} | {kind} | {sizes[0]:,} / {sizes[1]:,} | {' | '.join(cells)} | {shown} |"


def measured(work: Call) -> tuple[float, float]:
    """Return the least seconds of CPU time, and the peak of the memory."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        times = [_seconds(work)]
        while times[0] < _SLOW and len(times) < 1 + _TURNS:
            times.append(_seconds(work))
        tracemalloc.start()
        work()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return min(times[1:] or times), peak


def _seconds(work: Call) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


class Rows:
    """Labels, scores of two models, calls, weights and groups."""

    def __init__(self, n: int, classes: int = 2, groups: int = 50) -> None:
        rng = np.random.default_rng(n)
        self.n, self.groups = n, rng.integers(0, groups, n)
        self.y, self.weight = rng.integers(0, classes, n), rng.uniform(0.1, 2, n)
        self.s, self.other = 1 / (1 + np.exp(-rng.normal(np.minimum(self.y, 1), 1.5, (2, n))))
        other = rng.integers(0, classes, (2, n))
        self.call, self.call_2 = np.where(rng.random((2, n)) < 0.6, self.y, other)


class Models(Rows):
    """The same rows with scores of m models, and their values on forty data sets."""

    def __init__(self, m: int) -> None:
        super().__init__(2000)
        rng = np.random.default_rng(m)
        self.scores = {f"m{k}": self.s + rng.normal(0, 0.1, self.n) for k in range(m)}
        self.table = rng.normal(size=(40, m))
        self.calls = {name: (s > 0.5) * 1 for name, s in self.scores.items()}


class Folds:
    """Values of two models in f folds, and the rows of these folds."""

    def __init__(self, f: int) -> None:
        rng = np.random.default_rng(f)
        self.f, self.a, self.b = f, rng.normal(0.8, 0.05, f), rng.normal(0.78, 0.05, f)
        self.X, self.y = rng.normal(size=(4 * f, 3)), np.tile([0, 1], 2 * f)


class OfClasses:
    """Probabilities of K classes."""

    def __init__(self, k: int) -> None:
        self.y, self.s = of_classes(10_000, k)


def axes() -> Iterator[tuple[str, tuple[int, int], Any, Calls]]:
    yield "rows", (250_000, 1_000_000), Rows, _of_rows()
    yield "groups", (2_500, 10_000), partial(_grouped, 100_000), _of_groups()
    yield "classes", (250, 1_000), lambda k: Rows(20 * k, k), _of_labels()
    yield "classes of scores", (25, 100), OfClasses, _of_class_scores()
    yield "models", (25, 100), Models, _of_models()
    yield "folds", (100, 400), Folds, _of_folds()
    yield (
        "thresholds",
        (1_000, 4_000),
        lambda t: (Rows(20_000), np.linspace(0.01, 0.99, t)),
        {
            "threshold_curves": lambda d: curves.threshold_curves(d[0].y, d[0].s, thresholds=d[1]),
            "decision_curve": lambda d: curves.decision_curve(d[0].y, d[0].s, thresholds=d[1]),
            "decision_band": lambda d: inference.decision_band(
                d[0].y, d[0].s, thresholds=d[1], n_resamples=20, random_state=0
            ),
        },
    )
    yield "candidates", (10, 40), lambda c: c, {"nested run, 12 metrics": _nested}


def _grouped(n: int, groups: int) -> Rows:
    return Rows(n, groups=groups)


def _nested(candidates: int) -> Any:
    X, y = make_classification(200, 5, random_state=0)
    grid = {"var_smoothing": np.logspace(-9, 0, candidates)}
    options: Any = {"scoring": DOZEN, "refit": "roc_auc", "final": None, "n_jobs": 1}
    return nested_cross_validate(GaussianNB(), grid, X, y, **options)


_BY_NAME = {
    "roc_auc", "average_precision", "brier_score_loss", "log_loss", "calibration_slope", "ks",
    "binned_calibration_error",
}  # fmt: skip
_SCORED = (
    "roc_auc_score", "average_precision_score", "brier_score_loss", "log_loss", "mm7_auc_score",
    "sond_auc_score", "soft_auc_score", "pr_auc_score", "h_measure_score",
)  # fmt: skip
_DRAWN: Any = {"n_resamples": 30, "random_state": 0}


def _of_rows() -> Calls:
    found: dict[str, Any] = {
        name: (_of_scores(sx, name), "rows are sorted, or leave the cache")
        for name in _SCORED
        if hasattr(sx, name)
    }
    found |= {
        "matthews_corrcoef": lambda d: sx.matthews_corrcoef(d.y, d.call),
        "auc_family": lambda d: auc_family(d.y, d.s),
        "auc_family, weights": lambda d: auc_family(d.y, d.s, sample_weight=d.weight),
    }
    found |= {f"interval of {name}": _interval_of_scores(name) for name in sorted(_BY_NAME)}
    found |= {f"interval of {name}": _interval_of_labels(name) for name in ("f1", "mcc", "kappa")}
    for name in (
        "roc_curve", "precision_recall_curve", "threshold_curves", "decision_curve", "cost_curve",
        "brier_curve", "risk_coverage_curve", "prob_roc_curve",
    ):  # fmt: skip
        found[name] = _of_scores(curves, name), "rows are sorted"
    for name in (
        "delong_test", "net_reclassification", "integrated_discrimination_improvement",
    ):  # fmt: skip
        found[name] = _of_scores(inference, name, two=True)
    for name in ("roc_band", "precision_recall_band", "reliability_curve", "spiegelhalter_test"):
        found[name] = _of_scores(inference, name), "rows leave the cache"
    return found | {
        "interval, groups": lambda d: inference.interval("roc_auc", d.y, d.s, groups=d.groups),
        "interval, weights": lambda d: inference.interval(
            "roc_auc", d.y, d.s, sample_weight=d.weight
        ),
        "interval by 30 resamples": (
            lambda d: inference.interval("roc_auc", d.y, d.s, method="percentile", **_DRAWN),
            _CACHE,
        ),
        "paired_test of roc_auc": lambda d: inference.paired_test("roc_auc", d.y, d.s, d.other),
        "paired_test of f1": lambda d: inference.paired_test("f1", d.y, d.call, d.call_2),
        "paired_permutation_test": (
            lambda d: inference.paired_permutation_test("roc_auc", d.y, d.s, d.other, **_DRAWN),
            _CACHE,
        ),
        "permutation_test": (
            lambda d: inference.permutation_test("roc_auc", d.y, d.s, **_DRAWN),
            _CACHE,
        ),
        "mcnemar_test": lambda d: inference.mcnemar_test(d.y, d.call, d.call_2),
        "jackknife": lambda d: inference.jackknife("brier_score_loss", d.y, d.s),
        "example_losses": lambda d: inference.example_losses("log_loss", d.y, d.s),
        "group_mean": (
            lambda d: inference.group_mean("roc_auc", d.y, d.s, groups=d.groups),
            "rows are sorted",
        ),
        "evaluate": lambda d: evaluate(d.y, d.call, d.s),
        "evaluate, intervals": lambda d: evaluate(d.y, d.call, d.s, intervals=True),
        "evaluate, chunks": lambda d: evaluate(
            iter(np.array_split(d.y, 10)), None, iter(np.array_split(d.s, 10))
        ),
        "MetricAccumulator": lambda d: MetricAccumulator().update(d.y, d.call, d.s).result(),
        "report_table": lambda d: report_table(d.y, d.call),
        "classification_report": lambda d: classification_report(d.y, d.call),
    }


def _of_scores(module: Any, name: str, two: bool = False) -> Callable[[Any], Any]:
    call = getattr(module, name)
    return lambda d: call(d.y, d.s, d.other) if two else call(d.y, d.s)


def _interval_of_scores(name: str) -> Any:
    return lambda d: inference.interval(name, d.y, d.s), "rows are sorted, or leave the cache"


def _interval_of_labels(name: str, **options: Any) -> Callable[[Any], Any]:
    return lambda d: inference.interval(name, d.y, d.call, **options)


def _of_groups() -> Calls:
    return {
        "interval of roc_auc": lambda d: inference.interval("roc_auc", d.y, d.s, groups=d.groups),
        "interval of f1": lambda d: inference.interval("f1", d.y, d.call, groups=d.groups),
        "bootstrap": lambda d: inference.interval(
            "roc_auc", d.y, d.s, groups=d.groups, method="percentile", **_DRAWN
        ),
        "paired_test": lambda d: inference.paired_test(
            "roc_auc", d.y, d.s, d.other, groups=d.groups
        ),
        "group_mean": lambda d: inference.group_mean("roc_auc", d.y, d.s, groups=d.groups),
        "evaluate, groups": lambda d: evaluate(d.y, d.call, d.s, groups=d.groups, intervals=True),
        "evaluate, by": lambda d: evaluate(d.y, d.call, None, ["accuracy"], by={"g": d.groups}),
    }


def _of_labels() -> Calls:
    names = ("balanced_accuracy", "matthews_corrcoef", "cohen_kappa", "cramer_v", "theil_u")
    return {
        "f1_score, macro": (lambda d: sx.f1_score(d.y, d.call, average="macro"), _TABLE),
        **{f"interval of {n}": (_interval_of_labels(n), _TABLE) for n in (*names[:3], "f1_macro")},
        **{name: (lambda d, n=name: evaluate(d.y, d.call, metrics=[n]), _TABLE) for name in names},
        "interval by 30 resamples": (
            _interval_of_labels("f1_macro", method="percentile", zero_division=0, **_DRAWN),
            _TABLE,
        ),
        "paired_permutation_test": (
            lambda d: inference.paired_permutation_test("mcc", d.y, d.call, d.call_2, **_DRAWN),
            _TABLE,
        ),
        "classification_report": (lambda d: classification_report(d.y, d.call), _TABLE),
    }


def _of_class_scores() -> Calls:
    return {
        "ovr AUC": lambda d: sx.roc_auc_score(d.y, d.s, multi_class="ovr"),
        "ovo AUC": lambda d: sx.roc_auc_score(d.y, d.s, multi_class="ovo"),
        "interval of ovr AUC": lambda d: inference.interval("roc_auc", d.y, d.s, multi_class="ovr"),
        "interval of ovo AUC": (
            lambda d: inference.interval("roc_auc", d.y, d.s, multi_class="ovo"),
            _PAIRS,
        ),
        "log_loss": lambda d: sx.log_loss(d.y, d.s),
        "evaluate": lambda d: evaluate(d.y, None, d.s),
    }


def _of_models() -> Calls:
    return {
        "friedman_test": lambda d: inference.friedman_test(d.table),
        "nemenyi_test": (lambda d: inference.nemenyi_test(d.table), _PAIRS),
        "wilcoxon_holm_test": (lambda d: inference.wilcoxon_holm_test(d.table), _PAIRS),
        "delong_scores_test": (lambda d: inference.delong_scores_test(d.y, d.scores), _PAIRS),
        "cochran_q_test": lambda d: inference.cochran_q_test(d.y, d.calls),
        "mean_curve": lambda d: curves.mean_curve(
            [curves.roc_curve(d.y, s) for s in d.scores.values()]
        ),
    }


def _of_folds() -> Calls:
    return {
        "corrected_resampled_t_test": lambda d: corrected_resampled_t_test(
            d.a, d.b, n_train=90, n_test=10
        ),
        "bayesian_signed_rank_test": (
            lambda d: bayesian_signed_rank_test(d.a, d.b, random_state=0),
            _PAIRS,
        ),
        "check_folds": (lambda d: check_folds(d.X, d.y, cv=KFold(d.f)), "folds times rows"),
    }


def large() -> Iterator[tuple[str, str, Call]]:
    rows = Rows(10_000_000)
    by_rows: dict[str, Callable[[Any], Any]] = {
        "roc_auc_score": lambda d: sx.roc_auc_score(d.y, d.s),
        "interval of roc_auc": lambda d: inference.interval("roc_auc", d.y, d.s),
        "interval of f1": _interval_of_labels("f1"),
    }
    for name, work in by_rows.items():
        yield name, "10^7 rows", partial(work, rows)
    grouped = Rows(1_000_000, groups=100_000)
    calls: Any = _of_groups()
    for name in ("interval of roc_auc", "interval of f1", "evaluate, by"):
        yield name, "10^6 rows, 10^5 groups", partial(calls[name], grouped)
    many = Rows(100_000, 5_000)
    macro = partial(sx.f1_score, average="macro")
    yield "f1_score, macro", "5,000 classes", lambda: macro(many.y, many.call)
    balanced = _interval_of_labels("balanced_accuracy")
    yield "interval of balanced_accuracy", "5,000 classes", lambda: balanced(many)
    models, folds = Models(1_000), Folds(10_000)
    yield "friedman_test", "1,000 models", lambda: inference.friedman_test(models.table)
    yield "cochran_q_test", "1,000 models", lambda: inference.cochran_q_test(models.y, models.calls)
    tested = partial(corrected_resampled_t_test, n_train=90, n_test=10)
    yield "corrected_resampled_t_test", "10^4 folds", lambda: tested(folds.a, folds.b)


if __name__ == "__main__":
    main()
