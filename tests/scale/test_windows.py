"""Sums over all pairs, window by window, give the values of memory for any number of distinct scores."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy import special

import skaucx.metrics as sx
from skaucx.evaluation import evaluate
from skaucx.metrics import declare, list_metrics
from skaucx.metrics._kinds import DifferenceFunction
from skaucx.metrics._pairs.kernels import Floored, Logistic, Power, Relative
from skaucx.scale import BoundedValue, Chunks, MetricAccumulator
from skaucx.scale import _aggregation as refinement_passes
from skaucx.scale import _windows as windows
from skaucx.scale._windows import Points, distances, mesh
from tests.closeness import rounding
from tests.scale.score_families import families

RNG = np.random.default_rng(0)
N = 1000
TRUTH = RNG.random(N) < 0.3
SCORE = special.expit(RNG.normal(TRUTH, 1.5))
LABEL = np.where(TRUTH, "yes", "no")
WEIGHT = RNG.exponential(size=N)
CLASS = RNG.choice(list("abc"), N)
PROBA = special.softmax(RNG.normal(size=(N, 3)) + (CLASS[:, None] == list("abc")), axis=1)
STEPS = [row.name for row in list_metrics() if row.over_thresholds and row.name != "roc_auc"]
FAMILY = [row.name for row in list_metrics() if row.family == "AUC variants" and row.rises]
ANY_SCALE = {"roc_auc", "gini", "soft_auc", "mm1_auc", "mm4_auc", *STEPS}
# Of sums in two orders, each exact to 4e-15.
ROUNDING = 2e-14


def in_chunks(
    monkeypatch, y, score, metrics, *, weight=None, most=200, parts=5, order=None, **options
):
    """Evaluate rows in chunks with room for `most` distinct scores, exactly."""
    monkeypatch.setattr(refinement_passes, "MOST_CELLS", most)
    columns = [f"p{k}" for k in range(score.shape[1])] if score.ndim == 2 else "p"
    data = []
    for k in order or range(parts):
        frame = {"y": y[k::parts]}
        frame |= dict(zip(np.atleast_1d(columns), np.atleast_2d(score[k::parts].T), strict=True))
        data.append(frame if weight is None else frame | {"w": weight[k::parts]})
    return evaluate(
        "y", y_score=columns, data=Chunks(data, max_cells=min(100, most // 2), tolerance=0),
        metrics=metrics, sample_weight=None if weight is None else "w", **options,
    )  # fmt: skip


def check(found, wanted):
    """Values without bounds, equal up to rounding; those of counts to the last bit."""
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert not isinstance(found[name], BoundedValue), name
        np.testing.assert_allclose(found[name], value, rtol=ROUNDING, atol=1e-15, err_msg=name)


@pytest.mark.filterwarnings("ignore:.*no threshold reaches")
@pytest.mark.parametrize("most", [64, 600])
@pytest.mark.parametrize("number", range(10))
def test_families_of_scores(monkeypatch, number, most):
    name, truth, score = list(families(np.random.default_rng(1), N, 0.3))[number]
    unit = score.min() >= 0 and score.max() <= 1
    metrics = [m for m in FAMILY + STEPS if unit or m in ANY_SCALE]
    found = in_chunks(monkeypatch, truth, score, metrics, most=most)
    wanted = evaluate(truth, None, score, metrics)
    check(found, wanted)
    assert found["roc_auc"] == wanted["roc_auc"]
    assert found.passes > len(np.unique(score[truth])) / most, name


CALLS = [
    {"metrics": FAMILY + STEPS, "weight": WEIGHT},
    {"metrics": FAMILY + STEPS, "weight": WEIGHT * 1e200},
    {"metrics": FAMILY + STEPS, "pos_label": "no"},
    *({"metrics": ["mm1_auc", "mm4_auc", "mm7_auc"], "base": base} for base in ("sond", "soft")),
    {"metrics": ["mm4_auc"], "floor": 0.1},
    {"metrics": ["mm4_auc"], "base": "soft", "beta": 2.0, "floor": 0.7},
    {"metrics": ["soft_auc"], "beta": 1000.0},
    {"metrics": ["sond_auc"], "q": 2.0},
    {"metrics": ["break_even_point", "ks"]},
    {"metrics": ["partial_roc_auc"], "fpr": (0.1, 0.33), "standardize": True},
    {"metrics": ["partial_roc_auc"], "tpr": (0.5, 0.93)},
    {"metrics": ["roc_auc"], "max_fpr": 0.2},
    {"metrics": ["pr_auc"], "interpolation": "linear"},
    *({"metrics": FAMILY, "score": special.logit(SCORE), "rescale": how} for how in ("expit", "minmax")),
]  # fmt: skip


@pytest.mark.parametrize("call", CALLS, ids=range(len(CALLS)))
def test_parameters(monkeypatch, call):
    options = {"pos_label": "yes", "score": SCORE, **call}
    metrics, score, weight = (options.pop(k, None) for k in ("metrics", "score", "weight"))
    wanted = evaluate(LABEL, None, score, metrics, sample_weight=weight, **options)
    check(in_chunks(monkeypatch, LABEL, score, metrics, weight=weight, **options), wanted)


@pytest.mark.parametrize(
    ("multi_class", "average", "weight"),
    [
        ("ovr", None, None),
        ("ovr", "micro", WEIGHT),
        ("ovo", "macro", None),
        ("ovr", "macro", WEIGHT),
    ],
)
def test_several_classes(monkeypatch, multi_class, average, weight):
    names = ["roc_auc", "sond_auc", "mm4_auc", "average_precision"]
    metrics = names[:3] if multi_class == "ovo" else names
    options = {"multi_class": multi_class, "average": average}
    wanted = evaluate(CLASS, None, PROBA, metrics, sample_weight=weight, **options)
    check(in_chunks(monkeypatch, CLASS, PROBA, metrics, weight=weight, most=400, **options), wanted)


def declared(name, h, **facts):
    def mean(r):
        """The mean of a function of the difference."""
        return r.mean_of(h)

    mean.__name__ = name
    return declare("values", bounds=(-np.inf, np.inf), **facts)(mean)


KINKED = {
    "capped_gain_of_windows": DifferenceFunction(lambda d: np.clip(d, 0, 0.25), kinks=(0.0, 0.25)),
    "near_of_windows": DifferenceFunction(lambda d: 1.0 * (np.abs(d) <= 0.25), kinks=(-0.25, 0.25)),
    "waves_of_windows": DifferenceFunction(lambda d: np.sin(40 * d), kinks=()),
    "losses_of_windows": DifferenceFunction(lambda d: np.sqrt(np.maximum(-d, 0)), kinks=(0.0,)),
}


@pytest.mark.parametrize("name", KINKED)
def test_kinks_within_between_and_at_the_edges_of_windows(monkeypatch, name):
    """On a dyadic grid many pairs lie on a kink exactly, beside others that do not."""
    declared(name, KINKED[name])
    grid = np.where(RNG.random(N) < 0.5, np.round(SCORE * 64) / 64, SCORE)
    for score in (grid, 0.2 * grid):  # kinks beyond the span, too
        wanted = evaluate(TRUTH, None, score, [name])
        for most in (70, 400):
            check(in_chunks(monkeypatch, TRUTH, score, [name], most=most), wanted)


def test_unknown_kinks_keep_bounds(monkeypatch):
    found = in_chunks(monkeypatch, TRUTH, SCORE, ["pairwise_auc"], difference=np.sign)[
        "pairwise_auc"
    ]
    assert (found.low, found.high) == (-np.inf, np.inf)
    assert "DifferenceFunction with its kinks" in found.note
    unknown = DifferenceFunction(lambda d: np.maximum(d, 0) ** 2)
    declared("squares_of_windows", unknown, rises=True)
    found = in_chunks(monkeypatch, TRUTH, SCORE, ["squares_of_windows"])["squares_of_windows"]
    assert evaluate(TRUTH, None, SCORE, ["squares_of_windows"])["squares_of_windows"] in found
    assert found.width < 0.1
    assert "known kinks are summed up pass by pass" in found.note


def test_orders_and_chunks(monkeypatch):
    """One partition gives one value; others the same up to rounding, and the AUC to the last bit."""
    orders = [*permutations(range(3))][::2]
    values = [
        in_chunks(monkeypatch, TRUTH, SCORE, FAMILY, parts=3, order=order) for order in orders
    ]
    assert dict(values[0]) == dict(
        in_chunks(monkeypatch, TRUTH, SCORE, FAMILY, parts=3, order=orders[0])
    )
    for other in values:
        check(other, values[0])
        assert other["roc_auc"] == values[0]["roc_auc"]


def test_dask(monkeypatch):
    frame = pytest.importorskip("dask.dataframe")
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr(refinement_passes, "MOST_CELLS", 300)
    data = frame.from_pandas(pandas.DataFrame({"y": LABEL, "p": SCORE}), npartitions=5)
    found = evaluate(
        "y",
        y_score="p",
        data=Chunks(data, max_cells=100, tolerance=0),
        metrics=FAMILY,
        pos_label="yes",
    )
    check(found, evaluate(LABEL, None, SCORE, FAMILY, pos_label="yes"))


def test_a_tolerance_that_splitting_does_not_reach(monkeypatch):
    monkeypatch.setattr(refinement_passes, "MOST_CELLS", 300)
    data = [{"y": TRUTH, "p": SCORE}]
    wanted = evaluate(TRUTH, None, SCORE, FAMILY)
    for tolerance in (1e-2, 1e-9):
        found = evaluate(
            "y", y_score="p", data=Chunks(data, tolerance=tolerance, max_cells=100), metrics=FAMILY
        )
        for name, value in found.items():
            low, high = getattr(value, "low", value), getattr(value, "high", value)
            assert high - low <= tolerance
            assert low - ROUNDING <= wanted[name] <= high + ROUNDING


def test_memory_is_bounded(monkeypatch):
    """No window holds more, nor where negatives crowd at a kink of one positive."""
    held, lifted = [], windows.WindowRows.lifted

    def counted(rows):
        found = lifted(rows)
        held.append((len(found.held), len(found.others.values)))
        return found

    monkeypatch.setattr(windows.WindowRows, "lifted", counted)
    tiny = np.where(TRUTH, SCORE.round(1), 1e-18 * SCORE)
    tiny[:2] = 0.0, 1.0
    truth = TRUTH.copy()
    truth[:2] = False, True
    for score in (SCORE, tiny):
        check(
            in_chunks(monkeypatch, truth, score, FAMILY, most=100),
            evaluate(truth, None, score, FAMILY),
        )
    scores, others = np.max(held, axis=0)
    assert scores <= 100
    # Beside those near a kink 16 a range of the mesh, however many the rows.
    assert others < N / 2


class _Changing:
    """Frames that differ from pass to pass."""

    def __init__(self, change):
        self.change, self.passes = change, 0

    def __iter__(self):
        self.passes += 1
        yield {"y": TRUTH[:9], "p": SCORE[:9]}
        yield self.change({"y": TRUTH[9:], "p": SCORE[9:]}, self.passes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda rows, k: {n: v[k:] for n, v in rows.items()},
            "The rows changed between two passes",
        ),
        (lambda rows, k: {**rows, "p": np.where(k > 2, np.nan, rows["p"])}, "chunk 1: .*NaN"),
    ],
)
def test_rows_that_change_are_refused(monkeypatch, change, message):
    monkeypatch.setattr(refinement_passes, "MOST_CELLS", 200)
    with pytest.raises(ValueError, match=message):
        evaluate(
            "y",
            y_score="p",
            data=Chunks(_Changing(change), max_cells=100, tolerance=0),
            metrics=FAMILY,
        )


SCALES = {
    "unit": RNG.random(5000),
    "many orders": 10.0 ** RNG.uniform(-300, 0, 5000),
    "both signs": RNG.normal(size=5000) * 10.0 ** RNG.integers(-8, 1, 5000),
    "denormal": np.abs(RNG.normal(size=5000)) * 5e-320,
}


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(
    "h", [Power(1 / 7), Logistic(7.0), Logistic(1e3), Floored(Power(1 / 7), 0.5)], ids=str
)
def test_nodes_stand_for_far_negatives(scale, h):
    """Sums over them are those over the negatives, for every positive of the window; twice is once."""
    n = np.unique(SCALES[scale])
    points = Points(n, RNG.exponential(size=len(n)))
    kernel = Relative(h, n[-1] - n[0]) if isinstance(h, Floored) else h
    span = n[-1] - n[0]
    first, last = np.quantile(n, [0.4, 0.45])
    slack = 4 * np.spacing(span)
    near = [(first, last)]
    near += [(first - kink - slack, last - kink + slack) for kink in kernel.kinks if kink]
    distance = distances(lambda far: kernel.smooth_width(far, span), span)
    nodes = mesh(near, distance, n[0], n[-1])
    found = nodes.lifted(points)
    assert len(found.values) < 0.95 * len(n)
    assert n[0] <= found.values[0] <= found.values[-1] <= n[-1]
    p = np.append(np.linspace(first, last, 20), [first, last])[:, None]
    with np.errstate(over="ignore"):  # old NumPy on quotients of denormal numbers
        wanted = kernel(p - n) @ points.weight
    atol = 1e-15 * np.abs(wanted).max()
    again = nodes.lifted(found)
    assert len(again.values) <= len(found.values)
    for lifted in (found, again):
        with np.errstate(over="ignore"):
            sums = kernel(p - lifted.values) @ lifted.weight
        np.testing.assert_allclose(sums, wanted, rtol=3e-14, atol=atol)
    narrower = mesh([(np.quantile(n, 0.42), last)], distance, n[0], n[-1])
    assert narrower.lifted(found).weight.sum() == pytest.approx(
        points.weight.sum(), rel=rounding(len(n))
    )


def test_counts_alone_keep_their_bounds():
    """Only rows that can be read again give exact values."""
    counts = MetricAccumulator(FAMILY, max_cells=100).update(TRUTH, y_score=SCORE)
    found, exact = counts.result(["sond_auc"])["sond_auc"], sx.sond_auc_score(TRUTH, SCORE)
    assert isinstance(found, BoundedValue)
    assert found.low < exact < found.high
    assert 0 < found.high - found.low < 0.1


def test_small_values_keep_their_digits(monkeypatch):
    """Where every positive scores far below the negatives a logistic mean is small, and exact."""
    score = np.where(TRUTH, 0.3 * SCORE, 0.7 + 0.3 * SCORE)
    for beta in (7.0, 100.0):
        found = in_chunks(monkeypatch, TRUTH, score, ["soft_auc"], most=150, beta=beta)["soft_auc"]
        wanted = sx.soft_auc_score(TRUTH, score, beta=beta)
        assert found == pytest.approx(wanted, rel=rounding(len(TRUTH)), abs=0)


def test_negatives_within_the_rounding_of_a_kink(monkeypatch):
    """Differences that round to a jump are where the rounded difference puts them."""
    declared("near_of_windows", KINKED["near_of_windows"])
    score = np.where(TRUTH, 0.25 + np.round(8 * SCORE) / 64, 1e-16 * RNG.normal(size=N))
    for weight in (None, WEIGHT):
        wanted = evaluate(TRUTH, None, score, ["near_of_windows"], sample_weight=weight)
        for most in (50, 2000):
            check(
                in_chunks(monkeypatch, TRUTH, score, ["near_of_windows"], weight=weight, most=most),
                wanted,
            )
