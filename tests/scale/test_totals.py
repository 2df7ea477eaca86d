"""Totals of rows in chunks: exact however many the distinct scores, and the same for every partition."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from scipy import special

import skaucx.metrics as sx
from skaucx import inference
from skaucx.evaluation import evaluate
from skaucx.metrics._records.totals import Bins, UniformBins
from skaucx.metrics._registry.declare import METRICS
from skaucx.scale import BoundedValue, Chunks, MetricAccumulator
from tests.closeness import rounding

RNG = np.random.default_rng(0)
N = 800
TRUTH = RNG.random(N) < 0.3
SCORE = special.expit(RNG.normal(TRUTH, 1.5))
LABEL = np.where(TRUTH, "yes", "no")
WEIGHT = RNG.exponential(size=N) * (RNG.random(N) < 0.9)
CLASS = RNG.choice(list("abcd"), N)
PROBA = special.softmax(RNG.normal(size=(N, 4)) + (CLASS[:, None] == list("abcd")), axis=1)
NUMBER = RNG.normal(size=N)
FORECAST = NUMBER + RNG.normal(size=N)
COSTS = RNG.exponential(size=(N, 2))
REJECTED = RNG.random(N) < 0.2


@pytest.fixture
def own_metrics():
    """What a test declares is forgotten after it."""
    known = dict(METRICS)
    yield
    for name in METRICS.keys() - known.keys():
        del METRICS[name]


# Each total with what reads it: the function, its two arrays, and options.
CALLS = [
    *((sx.binned_calibration_error, TRUTH, SCORE, {"norm": norm}) for norm in ("l1", "l2", "max")),
    (sx.binned_calibration_error, TRUTH, SCORE, {"norm": "l2", "debias": True, "n_bins": 10}),
    (sx.binned_calibration_error, LABEL, SCORE.astype(np.float32), {"pos_label": "no"}),
    (sx.binned_calibration_error, TRUTH, np.round(SCORE, 2), {"n_bins": 10}),
    (sx.binned_calibration_error, CLASS, PROBA, {}),
    (sx.binned_calibration_error, CLASS, PROBA, {"classes": "each", "norm": "l2"}),
    (sx.d2_log_loss_score, TRUTH, SCORE, {}),
    (sx.d2_brier_score, CLASS, PROBA, {}),
    (sx.d2_brier_score, LABEL, SCORE, {"pos_label": "yes"}),
    (sx.ranked_probability_score_loss, CLASS, PROBA, {}),
    (sx.uncertainty, CLASS, PROBA, {"loss": "log"}),
    (sx.hinge_loss, LABEL, special.logit(SCORE), {"pos_label": "yes"}),
    (sx.hinge_loss, LABEL, special.logit(SCORE), {"pos_label": "no"}),
    (sx.hinge_loss, CLASS, np.log(PROBA), {}),
    *((sx.top_k_accuracy_score, CLASS, np.round(PROBA, 1), {"k": k}) for k in (1, 2, 4, 9)),
    (sx.top_k_accuracy_score, TRUTH, SCORE, {"k": 1, "normalize": False}),
    (sx.top_k_accuracy_score, TRUTH, special.logit(SCORE), {"k": 1}),
    (sx.top_k_accuracy_score, TRUTH, SCORE, {"k": 2}),
    (sx.costs.example_cost_loss, LABEL, np.where(SCORE > 0.5, "yes", "no"), {"example_costs": COSTS}),
    (sx.costs.savings_score, LABEL, np.where(SCORE > 0.5, "yes", "no"), {"example_costs": COSTS}),
    *((metric, TRUTH, SCORE > 0.5, {"rejected": REJECTED}) for metric in (
        sx.rejection.coverage_score, sx.rejection.rejection_quality, sx.rejection.rejection_cost_loss,
    )),
]  # fmt: skip
IDS = [f"{function.__name__}-{number}" for number, (function, *_) in enumerate(CALLS)]
each_call = pytest.mark.parametrize(("function", "first", "second", "options"), CALLS, ids=IDS)


def parted(order, cuts, options):
    """Return the options with arrays in chunks, the rows in another order."""
    return {
        name: iter(np.split(value[order], cuts)) if isinstance(value, np.ndarray) else value
        for name, value in options.items()
    }


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@each_call
def test_values_are_those_in_memory(function, first, second, options, weight):
    """Whatever the chunks and their order, with empty ones and with more scores than cells."""
    options = options if weight is None else {**options, "sample_weight": weight}
    wanted = function(first, second, **options)
    every_class = "example_costs" in options or second.ndim == 2  # else labels= would name them
    for cuts in ([], [0, 200, 200, 500], [1, 2, *range(0, N, 40), N]):
        if every_class and len(cuts) > 9:
            continue
        order = np.random.default_rng(len(cuts)).permutation(N)
        arrays = parted(order, sorted(cuts), {"first": first, "second": second})
        found = function(*arrays.values(), **parted(order, sorted(cuts), options))
        assert type(found) is float
        assert found == pytest.approx(wanted, rel=1e-11)


@each_call
def test_parts_merge(function, first, second, options):
    """Accumulators of few cells give exact values; parts are pickled and merged."""
    rows = {name: value for name, value in options.items() if isinstance(value, np.ndarray)}
    own = {name: value for name, value in options.items() if name not in rows}
    score = second.dtype.kind == "f"
    parts = []
    for part in np.array_split(np.random.default_rng(1).permutation(N), 4):
        arrays = {"y_score" if score else "y_pred": second[part]}
        arrays |= {name: value[part] for name, value in rows.items()}
        part_of = MetricAccumulator([function.metric.name], max_cells=16)
        parts.append(pickle.loads(pickle.dumps(part_of.update(first[part], **arrays))))
    one, *others = parts
    for other in others:
        one.merge(other)
    found = one.result(**own)[function.metric.name]
    assert found == pytest.approx(function(first, second, **options), rel=1e-11)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_one_state_of_bins_for_every_partition(dtype):
    """Unweighted bins are the same to the last bit, whatever the order and the chunks."""
    score = np.concatenate([SCORE, 10.0 ** -np.arange(300), [0.0, 1.0, 0.5]]).astype(dtype)
    truth = np.arange(len(score)) % 3 == 0
    states, values = [], []
    for seed, parts in enumerate((1, 7, 100)):
        counts = MetricAccumulator(["binned_calibration_error"], max_cells=10)
        for rows in np.array_split(np.random.default_rng(seed).permutation(len(score)), parts):
            counts.update(truth[rows], y_score=score[rows])
        totals = counts._counts.scores.of_probabilities.totals
        states.append([totals[UniformBins(n)].tobytes() for n in (10, 15)])
        values.append(counts.result()["binned_calibration_error"])
    assert states[0] == states[1] == states[2]
    assert set(values) == {sx.binned_calibration_error(truth, score)}
    exact = np.sort(score.astype(float))
    of_bins = counts._counts.scores.of_probabilities.of_positive(1)[UniformBins(10)]
    assert Bins.of(of_bins).probability.sum() == pytest.approx(
        np.sum(exact, dtype=np.longdouble), rel=rounding(1)
    )


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_reliability_curves(weight):
    """Bins that are kept give the curve of the rows in memory; others end at the ends of cells."""
    counts = MetricAccumulator(max_cells=50, n_bins=[10, 7])
    for rows in np.array_split(np.arange(N), 4):
        own = None if weight is None else weight[rows]
        counts.update(LABEL[rows], y_score=SCORE[rows], sample_weight=own)
    for n_bins in (10, 7):
        options = {"n_bins": n_bins, "pos_label": "yes"}
        wanted = inference.reliability_curve(LABEL, SCORE, sample_weight=weight, **options)
        parts = parted(np.arange(N), [250, 600], {"y": LABEL, "p": SCORE, "sample_weight": weight})
        arrays = parts.pop("y"), parts.pop("p")
        for found in (
            counts.curve(inference.reliability_curve, **options),
            inference.reliability_curve(*arrays, **parts, **options),
        ):
            for name in ("predicted", "observed", "low", "high", "weight", "edges"):
                np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), rtol=1e-12)
    others = counts.curve(inference.reliability_curve, n_bins=9, pos_label="yes")
    assert others.predicted_error > 0  # the mean predictions are known up to the width of cells
    w = np.ones(N) if weight is None else weight
    place = np.searchsorted(others.edges[1:-1], SCORE, side="left")
    held = np.bincount(place, w)
    np.testing.assert_allclose(others.weight, held[held > 0], rtol=1e-12)
    shares = np.bincount(place, w * (LABEL == "yes"))[held > 0] / held[held > 0]
    np.testing.assert_allclose(others.observed, shares, rtol=1e-12)
    few = MetricAccumulator().update(LABEL, y_score=SCORE.round(2), sample_weight=weight)
    wanted = inference.reliability_curve(
        LABEL, SCORE.round(2), n_bins=9, pos_label="yes", sample_weight=weight
    )
    found = few.curve(inference.reliability_curve, n_bins=9, pos_label="yes")
    np.testing.assert_allclose(found.observed, wanted.observed, rtol=1e-12)
    if weight is not None:
        with pytest.raises(ValueError, match=r"isotonic.* the weight of every row"):
            few.curve(inference.reliability_curve, method="isotonic", pos_label="yes")


def test_calibration_of_columns_while_they_fit():
    """What reads one column at a time is that of memory; beyond max_cells it is refused."""
    names = ["calibration_slope", "calibration_intercept", "miscalibration", "discrimination"]
    coarse = np.round(PROBA, 2)
    coarse[:, 0] += 1 - coarse.sum(axis=1)
    coarse = coarse.clip(0, 1)
    few = MetricAccumulator(names).update(CLASS, y_score=coarse)
    for name, value in few.result().items():
        assert value == pytest.approx(
            evaluate(CLASS, y_score=coarse, metrics=[name])[name], rel=1e-9
        )
    each = {"metrics": ["binned_calibration_error"], "strategy": "quantile", "classes": "each"}
    found = MetricAccumulator().update(CLASS, y_score=coarse).result(**each)
    wanted = evaluate(CLASS, y_score=coarse, **each)
    assert dict(found) == pytest.approx(dict(wanted), rel=1e-11)
    beyond = MetricAccumulator(names, max_cells=20).update(CLASS, y_score=PROBA)
    for name in names:
        with pytest.raises(ValueError, match="needs the scores of every row"):
            beyond.result([name])


@pytest.mark.parametrize("minimum_count", [None, 5])
@pytest.mark.parametrize("kind", ["one score", "columns"])
def test_files(tmp_path, kind, minimum_count):
    """Totals are read as they were written; those with counts below the minimum are not there."""
    path = tmp_path / "counts.json"
    truth, score = (TRUTH, SCORE) if kind == "one score" else (CLASS, PROBA)
    few = score.copy()
    few[3] = 0.999 if kind == "one score" else [0.999, 0.001, 0, 0]
    for chosen in (score.clip(0.2, 0.7) if kind == "one score" else score, few):
        counts = MetricAccumulator(max_cells=100).update(truth, y_score=chosen)
        counts.to_file(path, minimum_count=minimum_count)
        read = MetricAccumulator.from_file(path)
        names = ["log_loss", "hinge_loss", "d2_brier", "binned_calibration_error", "top_k_accuracy"]
        written = json.loads(path.read_text())["scores"]
        held = [each["of"] for each in written["totals_of_probabilities"]["totals"]]
        bins = [name for name in held if isinstance(name, dict)]
        if minimum_count is None:
            assert repr(dict(read.result(names))) == repr(dict(counts.result(names)))
            continue
        for total in written["totals_of_probabilities"]["totals"]:
            if isinstance(total["of"], dict):
                inside = np.array(total["values"])
                sides = inside[..., 1, :], inside[..., 0, :] - inside[..., 1, :]
                assert not any(((side > 0) & (side < minimum_count)).any() for side in sides)
        wanted = counts.result(["binned_calibration_error"])["binned_calibration_error"]
        if {"n_bins": 15, "classes": "top"} in bins:
            assert read.result(["binned_calibration_error"])["binned_calibration_error"] == wanted
        elif kind == "one score":
            found = read.result(["binned_calibration_error"])["binned_calibration_error"]
            assert isinstance(found, BoundedValue)
            assert wanted in found
        else:
            with pytest.raises(ValueError, match="is none of them"):
                read.result(["binned_calibration_error"])
        assert read.result(["log_loss"]) == counts.result(["log_loss"])
        both = read.merge(MetricAccumulator(max_cells=100).update(truth, y_score=score))
        assert both.n_samples == 2 * N
    if minimum_count is not None:
        assert len(bins) < 4
    if kind == "columns":
        costs = MetricAccumulator().update([0, 1], [0, 1], example_costs=np.eye(2))
        with pytest.raises(ValueError, match="these are of example_costs; pickle"):
            costs.to_file(path)


BAD = [
    (sx.hinge_loss, [[0, 1], [0, 1]], [[0.1, 0.2], [0.1, np.nan]], {}, "chunk 1: .*NaN"),
    (sx.binned_calibration_error, [[0, 1], [0, 1]], [[0.1, 0.2], [0.1, 1.5]], {}, "chunk 1: .*ties lie"),
    (inference.reliability_curve, [[0, 1], [0, 1]], [[0.1, 0.2], [-0.1, 0.5]], {}, "chunk 1: .*lie in"),
    (sx.log_loss, [[0, 1], [0, 1]], [[0.1, 0.2], [0.1, 1.5]], {}, "chunk 1: .*lie in"),
    (sx.top_k_accuracy_score, [[0, 1, 2], [0, 1]], [np.eye(3), np.eye(3)[:2]], {}, "chunk 1: .*labels="),
    (sx.costs.savings_score, [[0, 1], [0]], [[0, 1], [0]], {"example_costs": [np.eye(2), np.eye(2)]},
     "chunk 1: .*inconsistent"),
    (sx.costs.savings_score, [[0, 1], [2, 3]], [[0, 1], [2, 3]], {"example_costs": [np.eye(2)] * 2},
     "chunk 1: example_costs are those of the classes"),
    (sx.rejection.coverage_score, [[0, 1], [0]], [[0, 1], [0]], {"rejected": [[0, 1], [2]]},
     "chunk 1: rejected must hold"),
]  # fmt: skip


@pytest.mark.parametrize(("function", "first", "second", "options", "message"), BAD)
def test_bad_chunks_are_named(function, first, second, options, message):
    beside = {name: iter(arrays) for name, arrays in options.items()}
    with pytest.raises(ValueError, match=message):
        function(iter(first), iter(second), **beside)


def gaps_of_probabilities(p):
    return np.abs(p.probability[:, 1] - (p.outcome == 1))


def distances_of_columns(c):
    return np.where(c.outcome == 1, -c.score, c.score)


def cubes_of_numbers(r):
    return np.abs(r.true - r.pred) ** 3


OWN = [
    ("probabilities", gaps_of_probabilities, (TRUTH, SCORE), "probability"),
    ("columns", distances_of_columns, (TRUTH, special.logit(SCORE)), "score"),
    ("regression", cubes_of_numbers, (NUMBER, FORECAST), "pred"),
]


@pytest.mark.usefixtures("own_metrics")
@pytest.mark.parametrize(("kind", "losses", "rows", "read"), OWN)
def test_a_declared_mean_of_losses(kind, losses, rows, read):
    """Exact beyond max_cells where the formula reads the sum; refused where it reads rows."""

    def mean(r):
        """Mean of losses."""
        return r.sum_of(losses) / r.total_weight

    def by_rows(r):
        """Mean of losses, row by row."""
        return (losses(r) * r.weight).sum(axis=-1) / r.weight.sum(axis=-1) + 0 * getattr(
            r, read
        ).sum()

    facts = {"better": "low", "bounds": (-np.inf, np.inf), "losses": losses}
    name = "y_pred" if kind == "regression" else "y_score"
    for formula in (mean, by_rows):
        formula.__name__ = f"{formula.__name__}_of_{kind}"
        own = sx.declare(kind, **facts)(formula)
        wanted = own(*rows, sample_weight=WEIGHT)
        counts = MetricAccumulator([own.metric.name], max_cells=20)
        for part in np.array_split(np.arange(N), 3):
            counts.update(rows[0][part], **{name: rows[1][part]}, sample_weight=WEIGHT[part])
        if formula is mean:
            assert counts.result()[own.metric.name] == pytest.approx(wanted, rel=1e-11)
        else:
            with pytest.raises(ValueError, match="needs the scores of every row"):
                counts.result()


def test_frames_with_costs_and_rejections():
    names = {"example_costs": ["none", "all"], "rejected": "held back"}
    data = [
        {"y": TRUTH[k::3], "call": SCORE[k::3] > 0.5, "none": COSTS[k::3, 0], "all": COSTS[k::3, 1],
         "held back": REJECTED[k::3], "site": CLASS[k::3]}
        for k in range(3)
    ]  # fmt: skip
    order = np.concatenate([np.arange(N)[k::3] for k in range(3)])
    for name, columns in names.items():
        rows = {"example_costs": COSTS, "rejected": REJECTED}[name][order]
        found = evaluate("y", "call", data=data, **{name: columns})
        wanted = evaluate(TRUTH[order], SCORE[order] > 0.5, **{name: rows})
        assert dict(found) == pytest.approx(dict(wanted), rel=1e-11)
    groups = evaluate("y", "call", data=data, by="site", rejected="held back", metrics=["f1"])
    wanted = evaluate(TRUTH, SCORE > 0.5, by=CLASS, rejected=REJECTED, metrics=["f1"])
    assert {k: dict(v) for k, v in groups.items()} == {k: dict(v) for k, v in wanted.items()}
    with pytest.raises(ValueError, match="example_costs go with predicted labels"):
        evaluate("y", "call", data=data, **names)


@pytest.mark.parametrize("tolerance", [None, 1e-9])
def test_chunks_of_weight_0_add_nothing(tolerance):
    """Not in the first pass, nor in those that tighten bounds, nor in any group."""
    weight = np.where(np.arange(N) // 200 == 1, 0.0, WEIGHT)
    data = [
        {
            "y": TRUTH[k : k + 200],
            "p": SCORE[k : k + 200],
            "w": weight[k : k + 200],
            "site": [k] * 200,
        }
        for k in range(0, N, 200)
    ]
    options = {"metrics": ["roc_auc", "binned_calibration_error"], "sample_weight": "w"}
    rows = Chunks(data, max_cells=60, tolerance=tolerance)
    found = evaluate("y", y_score="p", data=rows, **options)
    wanted = evaluate(TRUTH, y_score=SCORE, **options | {"sample_weight": weight})
    assert found["binned_calibration_error"] == pytest.approx(
        wanted["binned_calibration_error"], rel=1e-11
    )
    assert abs(float(found["roc_auc"]) - wanted["roc_auc"]) < (0.01 if tolerance is None else 1e-9)
    if tolerance is None:
        groups = evaluate("y", y_score="p", data=data, by="site", **options)
        assert list(groups) == [0, 400, 600]
    with pytest.raises(ValueError, match="y_true is empty, or weighs 0 throughout"):
        evaluate("y", y_score="p", data=data[1:2], **options)
