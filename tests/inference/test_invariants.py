"""What every interval promises: it holds its estimate, has a width, lies in range, or says why not."""

import numpy as np
import pytest
from scipy import special

from skaucx.evaluation import evaluate
from skaucx.inference import Confidence, interval, intervals
from skaucx.metrics._registry.declare import METRICS
from tests.metrics.needed import NEEDED, OF_CLASSES, needed_parameters

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
ROWS = 120
FEW = {"n_resamples": 59, "random_state": 0}


def _cases():
    """Return true classes, probabilities, and the groups of rows or None."""
    rng = np.random.default_rng(7)
    x, shared = rng.normal(size=ROWS), rng.normal(size=ROWS // 4).repeat(4)
    logit, of_groups = 1.5 * x - 0.3, 1.2 * shared + 0.9 * rng.normal(size=ROWS) - 0.3
    p, in_groups = special.expit(logit), special.expit(of_groups)
    y, z = ((rng.random(ROWS) < risk).astype(int) for risk in (p, in_groups))
    events = np.isin(np.arange(ROWS), np.argsort(-x)[[0, 2, 9, 20, 47]]).astype(int)
    return {
        "true": (y, p, None),
        "over-confident": (y, special.expit(3 * logit), None),
        "perfect": (y, 0.05 + 0.2 * p + 0.7 * y, None),
        "constant": (y, np.full(ROWS, 0.3), None),
        "five events": (events, special.expit(logit - 3.3), None),
        "clustered": (z, in_groups, np.arange(ROWS) // 4),
    }


CASES = _cases()
SLOW = {"feasible", "best_feasible"}


def metrics_of(method):
    rows = [function.metric for function in OF_CLASSES.values()]
    return [row for row in rows if method == "auto" or row.name not in SLOW]


def check(found, row, *told):
    """Its ends are as many as its estimates and hold them in range; or there is none, with a reason."""
    case = (row.name, *told, found)
    assert np.shape(found.low) == np.shape(found.high) == np.shape(found.estimate), case
    estimate, low, high = (np.atleast_1d(x) for x in (found.estimate, found.low, found.high))
    if np.isnan([low, high]).any():
        np.testing.assert_array_equal(np.isnan(low), np.isnan(high), err_msg=str(case))
        assert found.note, case
        return
    assert (low < high).all(), case
    slack = 1e-9 * np.maximum(1, np.abs(estimate))
    assert ((low <= estimate + slack) & (estimate <= high + slack)).all(), case
    assert (low >= row.bounds[0] - 1e-9).all(), case
    assert (high <= row.bounds[1] + 1e-9).all(), case


def ends(row, case, method="auto", **options):
    y, p, groups = CASES[case]
    judged = (p > 0.5).astype(int) if row.kind.counted else p
    given = {"groups": groups, "method": method, **FEW, **NEEDED.get(row.name, {}), **options}
    return interval(row.name, y, judged, **given)


@pytest.mark.parametrize("method", ["auto", "percentile", "bca"])
@pytest.mark.parametrize("case", CASES)
def test_every_interval_keeps_its_promise_or_says_why_not(case, method):
    """Metrics of the same arrays are of one call."""
    y, p, groups = CASES[case]
    for counted, judged in ((True, (p > 0.5).astype(int)), (False, p)):
        rows = {row.name: row for row in metrics_of(method) if row.kind.counted is counted}
        alike = [name for name in rows if name not in NEEDED]
        found = intervals(alike, y, judged, groups=groups, method=method, **FEW)
        for name, row in rows.items():
            check(found[name] if name in alike else ends(row, case, method), row)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("case", ["true", "perfect", "constant"])
def test_one_sided_intervals_keep_it_too(case, alternative):
    for row in metrics_of("auto"):
        check(ends(row, case, confidence_level=Confidence(alternative=alternative)), row)


@pytest.mark.parametrize(
    ("weights", "methods"), [("unequal", ["auto"]), ("one row", ["auto", "percentile", "bca"])]
)
def test_intervals_of_weighted_rows_keep_it_too(weights, methods):
    weight = np.random.default_rng(0).exponential(size=ROWS)
    if weights == "one row":
        weight *= np.arange(ROWS) == 3
    for method in methods:
        for row in metrics_of(method):
            named = {"labels": [0, 1]} if row.name == "expected_cost" else {}
            check(ends(row, "true", method, sample_weight=weight, **named), row, method)


@pytest.mark.parametrize("groups", [None, np.arange(90) // 3])
def test_intervals_of_averages_keep_it_where_a_class_is_never_predicted(groups):
    rng, tried = np.random.default_rng(3), 0
    true = rng.integers(0, 3, 90)
    score = rng.dirichlet([1, 1, 1], 90) + 0.5 * np.eye(3)[true]
    score[:, 2] /= 50
    score /= score.sum(axis=1, keepdims=True)
    called = score.argmax(axis=1)
    assert set(called) == {0, 1}
    few = {"groups": groups, "n_resamples": 39, "random_state": 0}
    for name, function in OF_CLASSES.items():
        row = function.metric
        for average in ("macro", "weighted", "micro", None):
            options = {"average": average} | ({} if row.kind.counted else {"multi_class": "ovr"})
            if not set(options) <= set(function.options):
                continue
            options |= needed_parameters(name, 3)
            judged = called if row.kind.counted else score
            check(interval(name, true, judged, **few, **options), row, average)
            tried += 1
    assert tried > 250
    evaluate(true, called, intervals=True)


MANY_LABELS = [
    f.metric
    for f in METRICS.values()
    if f.metric.kind.name == "counts" and f.metric.kind.multilabel
]


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_averages_over_labels_have_an_interval_or_a_reason(average):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, (40, 3))
    called = np.where(rng.random((40, 3)) < 0.7, y, 1 - y)
    for row in MANY_LABELS:
        own = {"average": average, **needed_parameters(row.name)}
        check(interval(row.name, y, called, **FEW, **own), row)
