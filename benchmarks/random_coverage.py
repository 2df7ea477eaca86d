"""Real coverage of nominal 95 % intervals where the class counts are random with the rows.

``python -m benchmarks.random_coverage --runs 200 --resamples 199`` simulates all (four minutes on one
core) and prints the table in Markdown; ``--only TEXT`` chooses cases by name. ``--refused`` simulates
the bootstrap (BCa) of the metrics to which :func:`interval` gives no limits because it fails.

Every row is positive with the prevalence named, independently of the others. Scores are binormal, of
equal spread, the positives shifted so that the AUC is .8, and given as log-odds 1.5 times the true ones:
the model is overconfident, and its calibration slope is 2/3. Labels are predicted where the probability
exceeds the prevalence. The target is the *true performance*, the metric of the whole population, which
the weighted quantiles of both classes stand for. The two groups of a gap differ in nothing; of equalized
odds also with a threshold half as high again in one of them. "calibrated" is the same metric of the true
probabilities.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sm
from skaucx import evaluation, inference
from skaucx.metrics._registry.declare import MetricFunction, _public, get_metric

Floats = NDArray[np.float64]
SHIFT = float(np.sqrt(2) * special.ndtri(0.8))
SHARPER = 1.5
OF_SCORES: dict[str, dict[str, Any]] = {
    "roc_auc": {},
    "brier_score_loss": {},
    "log_loss": {},
    "average_precision": {},
    "calibration_slope": {},
    "calibration_intercept": {},
    "binned_calibration_error": {"norm": "l2", "debias": True},
    "precision_at_recall": {"min_recall": 0.8},
    "sensitivity_at_specificity": {"min_specificity": 0.9},
}
REFUSED = ("discrimination", "ks_score", "h_measure", "hull_auc")
OF_LABELS: dict[str, dict[str, Any]] = {
    "accuracy": {},
    "recall": {},
    "precision": {},
    "f1": {},
    "matthews_corrcoef": {},
    "balanced_accuracy": {},
    "net_benefit": {"threshold": 0.1},
}
APART = 1.5  # the threshold of one group by that of the other


CALIBRATED = "binned_calibration_error, calibrated"


class Case(NamedTuple):
    """A prevalence and a number of rows."""

    prevalence: float
    rows: int

    def __str__(self) -> str:
        return f"{100 * self.prevalence:g} % of {self.rows}"


CASES = (Case(0.5, 100), Case(0.05, 300), Case(0.3, 400), Case(0.05, 2000))


def probability(x: Floats, case: Case) -> Floats:
    """Return what the overconfident model predicts for scores x."""
    true = SHIFT * (x - SHIFT / 2) + special.logit(case.prevalence)
    return np.asarray(special.expit(SHARPER * true))


def population(case: Case) -> tuple[Any, Floats, Floats]:
    """Return classes, probabilities and weights of the population."""
    quantiles = special.ndtri((np.arange(100_000) + 0.5) / 100_000)
    y = np.repeat([1, 0], len(quantiles))
    p = probability(np.concatenate([quantiles + SHIFT, quantiles]), case)
    return y, p, np.repeat([case.prevalence, 1 - case.prevalence], len(quantiles))


def truths(case: Case) -> dict[str, float]:
    """Return the value of every metric on the population."""
    y, p, weight = population(case)
    found = {}
    for name, options in (OF_SCORES | {name: {} for name in REFUSED}).items():
        # No variance to remove from the bins of a population.
        exact = {"norm": "l2"} if name == "binned_calibration_error" else options
        found[name] = float(get_metric(name)(y, p, sample_weight=weight, **exact))
    pred = (p > case.prevalence).astype(int)
    for name, options in OF_LABELS.items():
        found[name] = float(get_metric(name)(y, pred, sample_weight=weight, **options))
    wide = (p > APART * case.prevalence).astype(int)
    rates = (sm.recall_score, sm.false_positive_rate)
    found["equalized odds, apart"] = max(
        abs(rate(y, pred, sample_weight=weight) - rate(y, wide, sample_weight=weight))
        for rate in rates
    )
    none = (
        "gap of recall",
        "gap of precision",
        "gap of brier",
        "equalized odds, alike",
        CALIBRATED,
    )
    return found | dict.fromkeys(none, 0.0)


def sample(case: Case, rng: np.random.Generator) -> tuple[Any, Floats]:
    """Return random classes and what the model predicts for them."""
    y = (rng.random(case.rows) < case.prevalence).astype(int)
    return y, probability(rng.normal(size=case.rows) + SHIFT * y, case)


def bootstrapped(name: str) -> MetricFunction:
    """Return a metric that has an interval even where the package refuses one."""
    function = get_metric(name)
    return _public(replace(function.metric, no_interval=""), {}, function.__module__)


def refused_of(case: Case, rng: np.random.Generator, resamples: int) -> Iterator[Any]:
    """Yield the names and the bootstrap's ends of the metrics that have no interval."""
    y, p = sample(case, rng)
    for name in REFUSED:
        one = inference.interval(
            bootstrapped(name), y, p, method="bca", n_resamples=resamples, random_state=rng
        )
        yield name, one.low, one.high, one.method


def intervals_of(case: Case, rng: np.random.Generator, resamples: int) -> Iterator[Any]:
    """Yield the names and the ends of all intervals of one sample."""
    y, p = sample(case, rng)
    pred, how = (p > case.prevalence).astype(int), {"n_resamples": resamples, "random_state": rng}
    for names, judged in ((OF_SCORES, p), (OF_LABELS, pred)):
        asked = [partial(get_metric(name), **options) for name, options in names.items()]
        found = inference.intervals(asked, y, judged, **how)
        for name, one in zip(names, found.values(), strict=True):
            yield name, one.low, one.high, one.method
    group = rng.integers(0, 2, case.rows)
    asked = ["recall", "precision", "brier_score_loss"]
    by = evaluation.evaluate(y, pred, y_score=p, metrics=asked, by=group, intervals=True, **how)
    for name, gap in by.difference().items():
        yield f"gap of {name.split('_')[0]}", gap.low, gap.high, gap.method
    for label, factor in (("alike", 1.0), ("apart", APART)):
        called = p > np.where(group == 1, factor, 1) * case.prevalence
        odds = ["recall", "false_positive_rate"]
        by = evaluation.evaluate(y, called.astype(int), metrics=odds, by=group, intervals=True)
        one = by.equalized_odds()
        yield f"equalized odds, {label}", one.low, one.high, one.method
    options = OF_SCORES["binned_calibration_error"]
    true = special.expit(special.logit(p) / SHARPER)
    one = inference.interval("binned_calibration_error", y, true, **options)
    yield CALIBRATED, one.low, one.high, one.method


def coverage(
    case: Case, runs: int, resamples: int, intervals: Callable[..., Iterator[Any]] = intervals_of
) -> dict[str, tuple[str, int, int, int]]:
    """Return the method of each interval, how many there were, and how many missed on either side."""
    rng, target = np.random.default_rng([round(1000 * case.prevalence), case.rows]), truths(case)
    found: dict[str, Any] = {}
    for _ in range(runs):
        for name, low, high, method in intervals(case, rng, resamples):
            own = found.setdefault(name, ["", 0, 0, 0])
            own[0] = method if np.isfinite(low) else own[0]
            if not np.isnan(low):
                own[1] += 1
                own[2] += target[name] < low
                own[3] += target[name] > high
    return {name: tuple(own) for name, own in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.random_coverage", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--resamples", type=int, default=199)
    parser.add_argument("--only", default="")
    parser.add_argument("--refused", action="store_true")
    options = parser.parse_args()
    cases = [case for case in CASES if options.only in str(case)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        kind = refused_of if options.refused else intervals_of
        found = {case: coverage(case, options.runs, options.resamples, kind) for case in cases}
    print("| metric | method | " + " | ".join(map(str, cases)) + " |")
    print("|---" * (len(cases) + 2) + "|")
    for name in found[cases[0]]:
        cells, method = [], ""
        for case in cases:
            method, drawn, below, above = found[case][name]
            share = 100 * (1 - (below + above) / drawn) if drawn else np.nan
            none = f", none in {options.runs - drawn}" if drawn < options.runs else ""
            cells.append(f"{share:.1f} ({below} + {above}{none})")
        print(f"| {name} | {method} | {' | '.join(cells)} |")
    error = 100 * np.sqrt(0.95 * 0.05 / options.runs)
    print(
        f"\nPer cent covered (true value below + above the interval), {options.runs} runs; Monte-Carlo "
        f"standard error {error:.1f} at 95 %. Bootstraps have {options.resamples} resamples."
    )


if __name__ == "__main__":
    main()
