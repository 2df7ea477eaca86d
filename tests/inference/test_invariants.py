"""What every interval promises: it holds its estimate, has a width, lies in range, or says why not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

from skaucx.inference import Confidence, interval, intervals
from tests.metrics.needed import NEEDED, needed_parameters
from tests.metrics.of_classes import OF_CLASSES

ROWS = 120


def _case(name):
    """Return true classes, probabilities, and the groups of rows or None."""
    rng = np.random.default_rng(7)
    groups = None
    if name == "clustered":
        groups = np.arange(ROWS) // 4
        x = 0.8 * rng.normal(size=ROWS // 4).repeat(4) + 0.6 * rng.normal(size=ROWS)
    else:
        x = rng.normal(size=ROWS)
    logit = 1.5 * x - (3.6 if name == "five events" else 0.3)
    p = special.expit(logit)
    y = (rng.random(ROWS) < p).astype(int)
    if name == "five events":
        y = np.zeros(ROWS, dtype=int)
        y[np.argsort(-p)[[0, 2, 9, 20, 47]]] = 1
    if name == "over-confident":
        p = special.expit(3 * logit)
    if name == "perfect":
        p = np.where(y == 1, 0.75 + 0.2 * p, 0.05 + 0.2 * p)
    if name == "constant":
        p = np.full(ROWS, 0.3)
    return y, p, groups


CASES = {
    name: _case(name)
    for name in ("true", "over-confident", "perfect", "constant", "five events", "clustered")
}


def _methods(row):
    return ["auto"] if row.name in SLOW else ["auto", "percentile", "bca"]


SLOW = {"feasible", "best_feasible"}


def broken(found, bounds):
    """Return what an interval breaks of its promise; nothing where there is none, with a reason."""
    estimate, low, high = (np.atleast_1d(x) for x in (found.estimate, found.low, found.high))
    if np.isnan(low).any() or np.isnan(high).any():
        if (np.isnan(low) != np.isnan(high)).any():
            return "one end alone is nan"
        return "" if found.note else "no interval and no reason"
    slack = 1e-9 * np.maximum(1, np.abs(estimate))
    with np.errstate(invalid="ignore"):
        if not (high > low).all():
            return "no width"
    if not ((low <= estimate + slack) & (estimate <= high + slack)).all():
        return "without its estimate"
    if (low < bounds[0] - 1e-9).any() or (high > bounds[1] + 1e-9).any():
        return "out of range"
    return ""


def ends(row, case, method, **options):
    y, p, groups = CASES[case]
    judged = (p > 0.5).astype(int) if row.kind.counted else p
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        return interval(
            row.name, y, judged, groups=groups, method=method, n_resamples=59, random_state=0,
            **NEEDED.get(row.name, {}), **options,
        )  # fmt: skip


def together(case, method):
    """Yield every metric with its interval; those of the same arrays and parameters are of one call."""
    y, p, groups = CASES[case]
    asked = [f.metric for f in OF_CLASSES.values() if method in _methods(f.metric)]
    alike = [row for row in asked if row.name not in NEEDED]
    for counted, judged in ((True, (p > 0.5).astype(int)), (False, p)):
        rows = {row.name: row for row in alike if row.kind.counted is counted}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            found = intervals(
                [*rows], y, judged, groups=groups, method=method, n_resamples=59, random_state=0
            )
        yield from ((row, found[name]) for name, row in rows.items())
    yield from ((row, ends(row, case, method)) for row in asked if row.name in NEEDED)


@pytest.mark.parametrize("case", CASES)
def test_every_interval_keeps_its_promise_or_says_why_not(case):
    wrong = {}
    for method in ("auto", "percentile", "bca"):
        for row, found in together(case, method):
            told = broken(found, row.bounds)
            if told:
                wrong[row.name, method] = told
    assert wrong == {}


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_intervals_keep_it_too(alternative):
    wrong, side = {}, Confidence(alternative=alternative)
    for function in OF_CLASSES.values():
        row = function.metric
        for case in ("true", "perfect", "constant"):
            told = broken(ends(row, case, "auto", confidence_level=side), row.bounds)
            if told:
                wrong[row.name, case] = told
    assert wrong == {}


@pytest.mark.parametrize("weights", ["unequal", "one row"])
def test_intervals_of_weighted_rows_keep_it_too(weights):
    weight = np.random.default_rng(0).exponential(size=ROWS)
    if weights == "one row":
        weight *= np.arange(ROWS) == 3
    wrong = {}
    for function in OF_CLASSES.values():
        row = function.metric
        for method in _methods(row):
            if method != "auto" and weights == "unequal":
                continue
            named = {"labels": [0, 1]} if row.name == "expected_cost" else {}
            told = broken(ends(row, "true", method, sample_weight=weight, **named), row.bounds)
            if told:
                wrong[row.name, method] = told
    assert wrong == {}


def of_many_classes(row, groups):
    """Yield intervals of every average of a metric, of three classes of which one is never predicted."""
    rng = np.random.default_rng(3)
    true = rng.integers(0, 3, 90)
    score = rng.dirichlet([1, 1, 1], 90) + 0.5 * np.eye(3)[true]
    score[:, 2] /= 50
    score /= score.sum(axis=1, keepdims=True)
    judged = score.argmax(axis=1) if row.kind.counted else score
    assert set(score.argmax(axis=1)) == {0, 1}
    for average in ("macro", "weighted", "micro", None):
        options = {"average": average}
        if not row.kind.counted:
            options["multi_class"] = "ovr"
        if not set(options) <= set(OF_CLASSES[row.name].options):
            continue
        try:
            found = interval(
                row.name, true, judged, groups=groups, n_resamples=39, random_state=0,
                **needed_parameters(row.name, 3), **options,
            )  # fmt: skip
        except (TypeError, ValueError):
            continue  # no metric of many classes
        yield average, found


@pytest.mark.parametrize("groups", [None, np.arange(90) // 3])
def test_intervals_of_averages_keep_it_where_a_class_is_never_predicted(groups):
    wrong, tried = {}, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        for function in OF_CLASSES.values():
            for average, found in of_many_classes(function.metric, groups):
                tried += 1
                told = broken(found, function.metric.bounds)
                if told:
                    wrong[function.metric.name, average] = told
    assert wrong == {}
    assert tried > 250
