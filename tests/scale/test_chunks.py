"""Rows in chunks of every form give the values of the same rows in memory."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sx
from skaucx import inference
from skaucx.evaluation import evaluate
from skaucx.metrics._registry.declare import METRICS
from skaucx.scale import BoundedValue, Chunks, MetricAccumulator
from skaucx.scale import _aggregation as refinement_passes
from skaucx.scale import _aggregation as settling

RNG = np.random.default_rng(0)
N = 3000
TRUTH = RNG.random(N) < 0.3
SCORE = special.expit(RNG.normal(TRUTH, 1.5))
LABEL = np.where(TRUTH, "yes", "no")
CALL = np.where(SCORE > 0.5, "yes", "no")
WEIGHT = RNG.exponential(size=N)
CLASS = RNG.choice(list("abcd"), N)
PROBA = special.softmax(RNG.normal(size=(N, 4)) + (CLASS[:, None] == list("abcd")), axis=1)
MANY = RNG.random((N, 3)) < 0.4
MANY_SCORES = special.expit(RNG.normal(MANY))


def of_counts(values, weighted=True):
    """Leave out what needs every row: totals add up; rejection needs the weight of each."""
    rows = {row.name: row for row in sx.list_metrics()}
    read = {"probabilities"} if weighted else set()
    return {
        name: value
        for name, value in values.items()
        if rows[name].kind.name not in {"columns", "margins", *read}
        or rows[name].totals_of({}) is not None
    }


def chunks(array, parts=7):
    return None if array is None else iter(np.array_split(array, parts))


def close(found, wanted, key=""):
    if isinstance(found, BoundedValue):
        np.testing.assert_array_equal((found.low <= wanted) & (wanted <= found.high), True, key)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=0, err_msg=key)


MULTICLASS = [
    {"multi_class": how, "average": average}
    for how in ("ovr", "ovo")
    for average in ("macro", "weighted", "micro", None)
    if how == "ovr" or average in ("macro", "weighted")
]
CALLS = [
    *((name, TRUTH, SCORE, {}) for name in (
        "roc_auc", "gini", "average_precision", "pr_auc", "break_even_point", "partial_roc_auc",
        "sond_auc", "mm7_auc", "prob_auc", "log_loss", "brier_score_loss",
    )),
    ("log_loss", TRUTH, SCORE, {"normalize": False}),
    ("brier_score_loss", TRUTH, SCORE, {"scale_by_half": False}),
    ("roc_auc", LABEL, SCORE, {"pos_label": "no"}),
    ("log_loss", LABEL, SCORE, {"pos_label": "no"}),
    ("mm4_auc", TRUTH, special.logit(SCORE), {}),
    ("mm7_auc", TRUTH, special.logit(SCORE), {"rescale": "expit"}),
    ("scor_auc", TRUTH, special.logit(SCORE), {"rescale": "minmax"}),
    *(("roc_auc", CLASS, PROBA, options) for options in MULTICLASS),
    *(("soft_auc", CLASS, PROBA, options) for options in MULTICLASS),
    ("log_loss", CLASS, PROBA, {}),
    ("brier_score_loss", CLASS, PROBA, {}),
    ("log_loss", TRUTH, np.column_stack([1 - SCORE, SCORE]), {}),
    *(("roc_auc", MANY, MANY_SCORES, {"average": a}) for a in ("macro", "weighted", "micro", None)),
    ("f1", LABEL, CALL, {"pos_label": "yes"}),
    ("matthews_corrcoef", CLASS, CLASS[::-1], {}),
    *(("f1", CLASS, CLASS[::-1], {"average": a}) for a in ("macro", "weighted", "micro", None)),
    *(("f1", MANY, MANY_SCORES > 0.5, {"average": a}) for a in ("macro", "weighted", "micro")),
    ("accuracy", MANY, MANY_SCORES > 0.6, {}),
    ("f1", CLASS, CLASS[::-1], {"average": None, "labels": ["d", "a"]}),
]  # fmt: skip
IDS = [f"{name}-{number}" for number, (name, *_) in enumerate(CALLS)]


def metric(name):
    return getattr(sx, name, None) or getattr(sx, f"{name}_score")


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize(("name", "first", "second", "options"), CALLS, ids=IDS)
def test_functions(name, first, second, options, weight):
    """Exact while the distinct scores fit; whatever the chunks."""
    function = metric(name)
    wanted = function(first, second, sample_weight=weight, **options)
    for parts in (1, 7, 40):
        found = function(
            chunks(first, parts),
            chunks(second, parts),
            sample_weight=chunks(weight, parts),
            **options,
        )
        assert not isinstance(found, BoundedValue)
        close(found, wanted)


@pytest.mark.parametrize(("name", "first", "second", "options"), CALLS, ids=IDS)
def test_accumulator(name, first, second, options):
    """Bounded values hold those in memory; parts merge, are pickled and written without a change."""
    wanted = metric(name)(first, second, **options)
    labels = options.pop("labels", None) if "labels" in options else None
    scores = metric(name).metric.kind.inputs.argument
    halves = []
    for start in (0, 1):
        half = MetricAccumulator(
            labels=labels, max_cells=200, multi_class=options.get("multi_class", "raise")
        )
        for rows in np.array_split(np.arange(start, N, 2), 3):
            half.update(first[rows], **{scores: second[rows]})
        halves.append(half)
    before = halves[0].result([name], **options)[name]
    both = pickle.loads(pickle.dumps(halves[0])).merge(halves[1])
    assert both.n_samples == N
    close(both.result([name], **options)[name], wanted)
    if isinstance(wanted, float):
        assert float(halves[0].result([name], **options)[name]) == float(before)


@pytest.mark.parametrize("minimum_count", [None, 20])
def test_file(tmp_path, minimum_count):
    """What is written is what is read, and small counts are not there."""
    path = tmp_path / "counts.json"
    here = MetricAccumulator(max_cells=300)
    here.update(LABEL[::2], CALL[::2], SCORE[::2])
    here.to_file(path, minimum_count=minimum_count)
    read = MetricAccumulator.from_file(path)
    there = MetricAccumulator(max_cells=300).update(LABEL[1::2], CALL[1::2], SCORE[1::2])
    if minimum_count is None:
        assert repr(dict(read.result(pos_label="yes"))) == repr(dict(here.result(pos_label="yes")))
    else:
        text = path.read_text()
        assert str(float(SCORE[::2].min())) not in text
        assert str(float(SCORE[::2].max())) not in text
        (cells,) = json.loads(text)["scores"]["cells"]
        assert all(k == 0 or k >= 20 for k in cells["positive"] + cells["negative"])
    found = read.merge(there).result(pos_label="yes")
    wanted = of_counts(evaluate(LABEL, CALL, SCORE, pos_label="yes"), weighted=False)
    assert set(found) == set(wanted)
    for name in wanted:
        close(found[name], wanted[name], name)


def test_file_of_weights_and_matrices(tmp_path):
    path = tmp_path / "counts.json"
    for arrays in (
        {"y_true": CLASS, "y_score": PROBA, "sample_weight": np.round(WEIGHT) + 1},
        {"y_true": MANY, "y_pred": MANY_SCORES > 0.5, "y_score": MANY_SCORES},
    ):
        one = MetricAccumulator(max_cells=100, multi_class="ovo").update(**arrays)
        one.to_file(path)
        read = MetricAccumulator.from_file(path)
        options = {"multi_class": "ovr"} if "sample_weight" in arrays else {"average": "macro"}
        names = ["roc_auc", "average_precision"]
        assert repr(dict(read.result(names, **options))) == repr(dict(one.result(names, **options)))
        if "sample_weight" in arrays:
            with pytest.raises(ValueError, match="minimum_count needs numbers of rows"):
                read.to_file(path, minimum_count=5)


def frames():
    whole = pd.DataFrame(
        {"label": pd.Categorical(LABEL), "call": CALL, "p": SCORE, "w": WEIGHT, "q": 1 - SCORE}
    )
    cuts = range(0, N, 700)
    return [whole.iloc[start : start + 700] for start in cuts]


def dask_frame(parts):
    return pytest.importorskip("dask.dataframe").from_pandas(pd.concat(parts), npartitions=4)


def record_batches(parts):
    arrow = pytest.importorskip("pyarrow")
    return arrow.Table.from_pandas(pd.concat(parts)).to_batches(max_chunksize=400)


class DataSet:
    """What a data set of Ray offers."""

    def __init__(self, batches):
        self.batches = batches

    def columns(self):
        return self.batches[0].schema.names

    def select_columns(self, names):
        return DataSet([batch.select(names) for batch in self.batches])

    def iter_batches(self, *, batch_size, batch_format):
        assert batch_size > 0
        assert batch_format == "pyarrow"
        table = pytest.importorskip("pyarrow").Table
        return map(table.from_batches, zip(self.batches, strict=True))


def data_set_of_ray(parts):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, include_dashboard=False, ignore_reinit_error=True, log_to_driver=False)
    return ray.data.from_pandas(parts)


FORMS = {
    "data set": lambda parts: DataSet(record_batches(parts)),
    "pandas": lambda parts: [*parts, parts[0].iloc[:0]],
    "generator": iter,
    "polars": lambda parts: [pl.from_pandas(part) for part in parts],
    "dicts": lambda parts: [{name: part[name].to_numpy() for name in part} for part in parts],
    "pyarrow": record_batches,
    "dask": dask_frame,
    "ray": data_set_of_ray,
}


# Ray warns of its own settings.
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")
@pytest.mark.parametrize("form", FORMS)
def test_frames(form):
    wanted = of_counts(evaluate(LABEL, CALL, SCORE, pos_label="yes", sample_weight=WEIGHT))
    data = FORMS[form](frames())
    found = evaluate("label", "call", "p", data=data, pos_label="yes", sample_weight="w")
    assert set(found) == set(wanted)
    for name in wanted:
        close(found[name], wanted[name], name)


def test_columns_make_a_matrix():
    wanted = sx.log_loss(LABEL, np.column_stack([1 - SCORE, SCORE]))
    found = evaluate("label", y_score=["q", "p"], data=frames(), metrics=["log_loss"])
    close(found["log_loss"], wanted)
    with pytest.raises(ValueError, match=r"chunk 0: .*'z'.* columns are label"):
        evaluate("label", y_score="z", data=frames())


@pytest.mark.parametrize("tolerance", [1e-3, 1e-5, 0])
def test_tolerance(tolerance):
    """Passes follow until the bounds are as near as asked for; at 0 they meet at the value in memory."""
    names = ["roc_auc", "average_precision", "sond_auc", "pr_auc"]
    wanted = evaluate(LABEL, y_score=SCORE, pos_label="yes", metrics=names)
    found = evaluate(
        "label", y_score="p", data=Chunks(frames(), max_cells=50, tolerance=tolerance),
        pos_label="yes", metrics=names,
    )  # fmt: skip
    for name in names:
        close(found[name], wanted[name])
        if isinstance(found[name], BoundedValue):
            assert found[name].width <= tolerance
    if tolerance == 0:
        assert dict(found) == dict(wanted)
    with pytest.raises(ValueError, match=r"tolerance .*read again"):
        evaluate("label", y_score="p", data=Chunks(iter(frames()), tolerance=tolerance))


@pytest.mark.parametrize("name", ["roc_auc", "soft_auc", "mm11_auc", "f1", "recall", "accuracy"])
def test_intervals(name):
    second = CALL if metric(name).metric.kind.inputs.argument == "y_pred" else SCORE
    wanted = inference.interval(name, LABEL, second, pos_label="yes") if name != "accuracy" else (
        inference.interval(name, LABEL, second)
    )  # fmt: skip
    options = {} if name == "accuracy" else {"pos_label": "yes"}
    found = inference.interval(name, chunks(LABEL), chunks(second), **options)
    assert found.method == wanted.method
    close([found.low, found.high, found.estimate], [wanted.low, wanted.high, wanted.estimate])
    scores = {metric(name).metric.kind.inputs.argument: second}
    counted = MetricAccumulator(max_cells=500).update(LABEL, **scores)
    coarse = counted.interval(name, **options)
    np.testing.assert_allclose([coarse.low, coarse.high], [wanted.low, wanted.high], atol=2e-3)


def test_bootstrap_of_counts():
    rounded = np.round(SCORE, 1)
    wanted = inference.interval("mm4_auc", TRUTH, rounded, random_state=0, n_resamples=400)
    found = inference.interval(
        "mm4_auc", chunks(TRUTH), chunks(rounded), random_state=1, n_resamples=400
    )
    width = wanted.high - wanted.low
    assert abs(found.low - wanted.low) < width / 4
    assert abs(found.high - wanted.high) < width / 4


def test_no_bound_says_why():
    found = evaluate(
        "label", y_score="p", data=Chunks(frames(), max_cells=100), pos_label="yes",
        metrics=["pairwise_auc"], difference=np.sign,
    )["pairwise_auc"]  # fmt: skip
    assert (found.low, found.high) == (-np.inf, np.inf)
    assert "may fall" in found.note
    exact = sx.pairwise_auc_score(LABEL, SCORE, difference=np.sign, pos_label="yes")
    assert abs(float(found) - exact) < 0.01


BAD = [
    ([SCORE[:5], [0.1, np.nan]], [TRUTH[:5], [0, 1]], "chunk 1: Input contains NaN"),
    ([SCORE[:5]], [TRUTH[:5], [0, 1]], "y_score ended after 1 chunks"),
    ([SCORE[:5], SCORE[:2]], [TRUTH[:5], [3, 4]], "chunk 1: A binary metric takes two"),
    ([PROBA[:400], SCORE[:2]], [CLASS[:400], [*"ab"]], "chunk 1: .*one shape are needed"),
    ([SCORE[:5], PROBA[:2]], [TRUTH[:5], [0, 1]], "chunk 1: y_score has 4 columns"),
    ([SCORE[:5], SCORE[:3]], [TRUTH[:5], [0, 1]], "chunk 1: Found input variables"),
    ([], [], "y_true is empty"),
    ([SCORE[:5], [2.0]], [TRUTH[:5], [1]], "chunk 1: .*lies in .* needs them in"),
]


@pytest.mark.parametrize(("score", "truth", "message"), BAD, ids=range(len(BAD)))
def test_bad_input(score, truth, message):
    with pytest.raises(ValueError, match=message):
        sx.scor_auc_score(iter(truth), iter(score))


def test_mixed_kinds_of_labels_and_forms():
    with pytest.raises(TypeError, match="chunk 1: Labels of one kind"):
        sx.roc_auc_score(iter([["a", "b"], [0, 1]]), iter([[0.1, 0.2]] * 2))
    with pytest.raises(TypeError, match="must be all iterators"):
        sx.roc_auc_score(chunks(TRUTH), SCORE)
    with pytest.raises(ValueError, match="average='samples' is a mean over rows"):
        sx.f1_score(chunks(MANY), chunks(MANY), average="samples")
    with pytest.raises(ValueError, match="needs the scores of every row"):
        sx.auc_mu_score(chunks(CLASS), chunks(PROBA))
    with pytest.raises(ValueError, match="average='samples' is a mean over rows"):
        sx.roc_auc_score(chunks(MANY), chunks(MANY_SCORES), average="samples")


class _InterruptedError(Exception):
    """Stands for a key pressed in the middle of an update."""


def test_an_interrupted_update_changes_nothing(monkeypatch):
    accumulator = MetricAccumulator().update(TRUTH[:100], SCORE[:100] > 0.5, SCORE[:100])
    before = repr(dict(accumulator.result()))
    with pytest.raises(ValueError, match="chunk 1: Input contains NaN"):
        accumulator.update(TRUTH[:2], TRUTH[:2], [0.5, np.nan])

    def interrupt(*_):
        raise _InterruptedError

    monkeypatch.setattr("skaucx.scale._score_counts.ScoreCounts.__add__", interrupt)
    with pytest.raises(_InterruptedError):
        accumulator.update(TRUTH[:9], SCORE[:9] > 0.5, SCORE[:9])
    monkeypatch.undo()
    assert accumulator.n_samples == 100
    assert repr(dict(accumulator.result())) == before
    assert accumulator.update(TRUTH[:9], SCORE[:9] > 0.5, SCORE[:9]).n_samples == 109


def test_totals_of_every_metric_are_pickled():
    made = {name: f.metric.totals_of({}) for name, f in METRICS.items() if not f.needed}
    made = {name: totals for name, totals in made.items() if totals}
    assert {"log_loss", "hinge_loss", "ranked_probability_score_loss"} <= made.keys()
    for totals in made.values():
        for protocol in (2, pickle.HIGHEST_PROTOCOL):
            assert pickle.loads(pickle.dumps(totals, protocol)) == totals


def test_accumulators_that_differ_are_not_merged():
    with pytest.raises(ValueError, match="keep different counts"):
        MetricAccumulator(["roc_auc"]).merge(MetricAccumulator(["log_loss"]))
    with pytest.raises(TypeError, match="other must be a MetricAccumulator"):
        MetricAccumulator().merge(3)
    with pytest.raises(ValueError, match=r"No rows .* call update with some"):
        MetricAccumulator().result()


def test_one_class_at_a_time():
    """Chunks of one class each, in either order."""
    for first, second in ((TRUTH, ~TRUTH), (~TRUTH, TRUTH)):
        parts = (iter([values[first], values[second]]) for values in (LABEL, SCORE))
        assert sx.roc_auc_score(*parts, pos_label="yes") == sx.roc_auc_score(
            LABEL, SCORE, pos_label="yes"
        )
    with pytest.warns(UndefinedMetricWarning):
        alone = sx.roc_auc_score(chunks(np.ones(50)), chunks(SCORE[:50]))
    assert np.isnan(alone)


def test_a_declared_metric():
    """A user's own rising formula has bounds, and without that word only its range."""

    def share_of_wins(r):
        """Strict AUC."""
        return r.win_share

    name = "strict_wins_of_cells"
    share_of_wins.__name__ = name
    rising = sx.declare("order", rises=True)(share_of_wins)
    found = evaluate(
        "label", y_score="p", data=Chunks(frames(), max_cells=100), pos_label="yes", metrics=[name]
    )
    assert 0 < found[name].width < 0.1
    assert rising(LABEL, SCORE, pos_label="yes") in found[name]


CROWDED = np.where(RNG.random(N) < 0.9, 0.5 + 1e-13 * RNG.random(N), SCORE)


@pytest.mark.parametrize("score", [SCORE, special.logit(SCORE), SCORE.round(2), CROWDED])
@pytest.mark.parametrize("positive", ["yes", "no"])
def test_pairs_are_counted_in_turn(monkeypatch, score, positive):
    """The AUC is that of memory to the last bit, though no pass holds more than a few of the scores."""
    held, count = [], settling.Window.count

    def counted(plan, *rows, before=None):
        found = count(plan, *rows, before=before)
        held.append(len(found.held))
        return found

    monkeypatch.setattr(settling.Window, "count", counted)
    monkeypatch.setattr(refinement_passes, "MOST_CELLS", 400)
    metrics = ["roc_auc", "gini"]
    data = [{"label": LABEL[k::5], "p": score[k::5]} for k in range(5)]
    options = {"metrics": metrics, "pos_label": positive}
    rows = Chunks(data, max_cells=100, tolerance=0)
    found = evaluate("label", y_score="p", data=rows, **options)
    assert dict(found) == dict(evaluate(LABEL, None, score, metrics, pos_label=positive))
    assert max(held, default=0) <= 400
    several = len(np.unique(score)) > 400
    of_positives = len(np.unique(score[positive == LABEL]))
    assert found.passes >= (of_positives / 400 if several else 1)
    rows = Chunks(data[::-1], max_cells=100, tolerance=0.005)
    near = evaluate("label", y_score="p", data=rows, **options)["roc_auc"]
    low, high = getattr(near, "low", near), getattr(near, "high", near)
    assert low <= found["roc_auc"] <= high <= low + 0.005


def test_weighted_pairs_are_counted_in_turn(monkeypatch):
    monkeypatch.setattr(refinement_passes, "MOST_CELLS", 400)
    data = [{"label": LABEL[k::5], "p": SCORE[k::5], "w": WEIGHT[k::5]} for k in range(5)]
    found = evaluate(
        "label", y_score="p", data=Chunks(data, max_cells=100, tolerance=1e-9),
        metrics=["roc_auc"], pos_label="yes", sample_weight="w",
    )["roc_auc"]  # fmt: skip
    wanted = sx.roc_auc_score(LABEL, SCORE, pos_label="yes", sample_weight=WEIGHT)
    assert found == pytest.approx(wanted, abs=1e-11)


def test_rows_that_change_between_passes_are_refused(monkeypatch):
    monkeypatch.setattr(refinement_passes, "MOST_CELLS", 400)

    class Changing:
        passes = 0

        def __iter__(self):
            self.passes += 1
            yield {"label": LABEL[self.passes % 2 :], "p": SCORE[self.passes % 2 :]}

    with pytest.raises(ValueError, match="The rows changed between two passes"):
        evaluate(
            "label", y_score="p", data=Chunks(Changing(), max_cells=100, tolerance=0),
            metrics=["roc_auc"], pos_label="yes",
        )  # fmt: skip


def test_evaluation_with_intervals():
    """Those of rows in chunks are those of the same rows in memory."""
    names = ["roc_auc", "recall", "f1", "sond_auc"]
    options = {"metrics": names, "pos_label": "yes", "intervals": True, "confidence_level": 0.9}
    found = evaluate("label", "call", "p", data=frames(), **options)
    wanted = evaluate(LABEL, CALL, SCORE, **options)
    assert found.intervals.keys() == wanted.intervals.keys()
    for name, own in wanted.intervals.items():
        np.testing.assert_allclose(
            [found.intervals[name].low, found.intervals[name].high], [own.low, own.high], rtol=1e-9
        )
    assert str(found) == str(wanted)
    with pytest.raises(ValueError, match="scores with weights draws rows"):
        evaluate("label", "call", "p", data=frames(), sample_weight="w", **options)
    with pytest.raises(ValueError, match="groups needs all rows at once"):
        evaluate("label", "call", "p", data=frames(), groups=CLASS, **options)


WEIGHED = [
    ("accuracy", {}), ("f1", {"average": "macro"}), ("f1", {"average": None}), ("kappa", {}),
    ("matthews_corrcoef", {}), ("recall", {"average": None}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "options"), WEIGHED)
def test_weighted_intervals_of_labels(tmp_path, name, options):
    """From sums of powers of weights: those of the rows as groups of their own."""
    call = np.where(np.arange(N) % 5 < 3, CLASS, CLASS[::-1])
    weight = WEIGHT * (np.arange(N) % 7 > 0)
    for rows in (np.arange(N), np.flatnonzero(call == CLASS), np.arange(25)):
        given = CLASS[rows], call[rows]
        own = weight[rows]
        wanted = inference.interval(
            name, *given, sample_weight=own, groups=np.arange(len(own)), method="cluster", **options
        )
        parts = (iter(np.split(a, [0, len(own) // 3])) for a in (*given, own))
        first, second, weights = parts
        found = inference.interval(name, first, second, sample_weight=weights, **options)
        counts = MetricAccumulator().update(*given, sample_weight=own)
        of_rows = inference.interval(name, *given, sample_weight=own, **options)
        counts.to_file(tmp_path / "counts.json")
        read = MetricAccumulator.from_file(tmp_path / "counts.json").interval(name, **options)
        for each in (found, read):
            np.testing.assert_allclose(each.standard_error, wanted.standard_error, rtol=1e-9)
            np.testing.assert_allclose([*each], [*wanted], rtol=1e-8)
            assert np.ndim(each.low) or each.note == of_rows.note
    with pytest.raises(ValueError, match="bootstrap draws rows"):
        counts.interval(name, method="percentile", **options)


def test_weighted_intervals_are_as_wide_as_those_of_the_bootstrap():
    given = LABEL[:500], CALL[:500]
    wanted = inference.interval(
        "accuracy", *given, sample_weight=WEIGHT[:500], method="bca", random_state=0
    )
    found = inference.interval(
        "accuracy", *(iter([a]) for a in given), sample_weight=iter([WEIGHT[:500]])
    )
    assert (found.method, wanted.method) == ("cluster", "bca")
    assert found.high - found.low == pytest.approx(wanted.high - wanted.low, rel=0.1)


def test_intervals_take_the_columns_that_are_read_alone():
    """Probabilities beside the labels, which give no interval in chunks, stand in no metric's way."""
    data = [{"y": [0, 1, 1, 0, 1], "call": [0, 1, 0, 0, 1], "p": [0.1, 0.8, 0.4, 0.3, 0.9]}]
    options = {"metrics": ["recall"], "intervals": True}
    [found] = evaluate("y", "call", "p", data=data, **options).intervals.values()
    [wanted] = evaluate("y", "call", data=data, **options).intervals.values()
    assert (found.low, found.high) == (wanted.low, wanted.high)


@pytest.mark.parametrize("intervals", [False, True])
# Ray warns of its own settings.
@pytest.mark.filterwarnings("ignore::DeprecationWarning:ray")
@pytest.mark.parametrize("form", FORMS)
def test_groups(form, intervals):
    """One state a group; that of all rows is their sum."""
    data = [f.assign(site=CLASS[f.index], sex=np.arange(N)[f.index] % 2) for f in frames()]
    order = np.concatenate([f.index for f in data])
    for by in ("site", ["site", "sex"]):
        options = {"metrics": ["roc_auc", "f1"], "pos_label": "yes", "intervals": intervals}
        found = evaluate("label", "call", "p", data=FORMS[form](data), by=by, **options)
        columns = {"site": CLASS, "sex": np.arange(N) % 2}
        columns = {name: columns[name][order] for name in ([by] if by == "site" else by)}
        wanted = evaluate(LABEL[order], CALL[order], SCORE[order], by=columns, **options)
        assert found.sizes == wanted.sizes
        assert found.undefined == wanted.undefined
        assert str(found) == str(wanted)
        assert dict(found.overall) == pytest.approx(dict(wanted.overall), rel=1e-12)


def test_groups_of_arrays_in_chunks():
    found = evaluate(
        chunks(LABEL), y_score=chunks(SCORE), by=chunks(CLASS), sample_weight=chunks(WEIGHT),
        metrics=["roc_auc", "log_loss"], pos_label="yes",
    )  # fmt: skip
    wanted = evaluate(
        LABEL, y_score=SCORE, by=CLASS, sample_weight=WEIGHT, metrics=["roc_auc", "log_loss"],
        pos_label="yes",
    )  # fmt: skip
    for group, values in wanted.items():
        assert dict(found[group]) == pytest.approx(dict(values), rel=1e-12)
    rows = Chunks(frames(), tolerance=0)
    with pytest.raises(ValueError, match="tolerance needs all rows in one count"):
        evaluate("label", y_score="p", data=rows, by="call", pos_label="yes")


def test_names_of_metrics():
    """Averages in names, functions and dicts mean what they mean in memory."""
    asked = {"f": "f1_macro", "auc": sx.roc_auc_score, "ovo": "roc_auc_ovo_weighted"}
    found = evaluate(chunks(CLASS), chunks(CLASS[::-1]), chunks(PROBA), asked)
    wanted = evaluate(CLASS, CLASS[::-1], PROBA, asked)
    assert dict(found) == pytest.approx(dict(wanted), rel=1e-12)
    every = evaluate(chunks(MANY), chunks(MANY_SCORES > 0.5), chunks(MANY_SCORES))
    assert every["f1"] == evaluate(MANY, MANY_SCORES > 0.5, MANY_SCORES)["f1"]


def test_losses_of_single_precision():
    """A probability of 0 costs what it costs in memory, by the precision that it came in."""
    truth, score = np.array([1, 0, 1]), np.array([0.0, 0.25, 0.5], dtype=np.float32)
    for dtype in (np.float32, np.float64):
        own = score.astype(dtype)
        assert sx.log_loss(iter([truth]), iter([own])) == pytest.approx(sx.log_loss(truth, own))


def test_classes_that_do_not_fit_are_refused_in_whichever_chunk_they_come(monkeypatch):
    monkeypatch.setattr("skaucx._arrays._machine_memory", lambda: 2 * 10**6)
    y = np.array([f"class {k}" for k in range(300)])
    counts = MetricAccumulator(["accuracy"]).update(y[:200], y[:200])
    with pytest.raises(ValueError, match=r"chunk 1: .*300 classes"):
        counts.update(y[200:], y[200:])
    with pytest.raises(ValueError, match=r"chunk 0: .*300 classes"):
        MetricAccumulator(["accuracy"]).update(y, y)
    assert counts.result()["accuracy"] == 1
