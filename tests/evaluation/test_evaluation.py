"""evaluate(): from labels, scores and counts; names, parameters, printing, and intervals."""

import inspect
import re

import numpy as np
import pytest

from skaucx import metrics as sm
from skaucx.evaluation import Evaluation, evaluate
from skaucx.inference import Confidence, interval
from skaucx.metrics import Counts
from skaucx.metrics._pairs import ranking
from skaucx.metrics._pairs.placements import Placements
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.resampling import Resampling
from tests.closeness import rounding
from tests.datasets import binary, classes, labels, words
from tests.metrics.needed import NEEDED, OF_CLASSES

Y, PRED, SCORE, WEIGHT = binary.y, binary.pred, binary.score, binary.weight


def by_function(result, of_labels, of_scores, **options):
    """Compare every value with that of the public function."""
    for name, value in result.items():
        function = METRICS[name]
        own = {k: v for k, v in options.items() if k in inspect.signature(function).parameters}
        expected = function(*(of_labels if function.metric.kind.counted else of_scores), **own)
        np.testing.assert_allclose(value, expected, rtol=rounding(len(of_labels[0])))


def test_labels_and_scores():
    result = evaluate(Y, PRED, SCORE, metrics="all")
    needing = NEEDED.keys() - {"top_k_accuracy"}  # which counts the first two by default
    assert list(result) == [name for name in OF_CLASSES if name not in needing]
    by_function(result, (Y, PRED), (Y, SCORE))
    assert all(isinstance(value, float) for value in result.values())
    result = evaluate(Y, PRED, SCORE, sample_weight=WEIGHT)
    by_function(result, (Y, PRED), (Y, SCORE), sample_weight=WEIGHT)


def test_three_classes():
    options = {"average": "macro", "multi_class": "ovr"}
    arrays = classes.y, classes.pred, classes.score
    result = evaluate(*arrays, metrics="all", **options)
    by_function(result, arrays[:2], (classes.y, classes.score), **options)
    each = evaluate(*arrays, metrics="all", average=None, multi_class="ovr")
    assert each["recall"].shape == each["mm7_auc"].shape == (3,)


def test_counts():
    expected = evaluate(Y, PRED)
    cells = Counts.from_labels(Y, PRED)
    for counts in (cells, cells.table):
        result = evaluate(counts=counts)
        assert list(result) == list(expected)
        assert dict(result) == pytest.approx(dict(expected))
    names = {"labels": ["healthy", "sick"], "pos_label": "healthy", "metrics": "recall"}
    assert evaluate(counts=[[4, 2], [1, 3]], **names)["recall"] == 4 / 6


@pytest.mark.parametrize(
    ("arrays", "options", "error", "words"),
    [
        ((), {}, ValueError, "evaluate needs y_pred or y_score"),
        ((Y,), {}, ValueError, "evaluate needs y_pred or y_score"),
        ((Y, PRED), {"metrics": ["roc_auc"]}, ValueError, "'roc_auc' needs y_score"),
        ((Y, None, SCORE), {"metrics": ["recall"]}, ValueError, "'recall' needs y_pred"),
        ((None, PRED), {}, (ValueError, TypeError), "y_true"),
        ((), {"counts": [[4, 2], [1, 3]], "labels": list("abc")},
         ValueError, "2 classes, but labels names 3"),
        ((), {"counts": [[1.5, 1], [1, 2]], "metrics": "recall", "intervals": True},
         ValueError, "whole numbers"),
        ((Y, PRED), {"surprise": 1}, TypeError, "surprise"),
        ((Y, PRED), {"metrics": ["recall"], "pos_lable": 0}, TypeError, "pos_lable"),
        ((Y, PRED), {"metrics": ["fbeta"]}, TypeError, "beta"),
        *(
            (arrays, {"metrics": "accuracy", "threshold": 0.3},
             ValueError, r"threshold=0\.3 .* found neither")
            for arrays in ((Y, PRED, SCORE), (Y, PRED), (classes.y, None, classes.score))
        ),
        *(
            ((Y, PRED), {"frequency": Y + 1, **more}, ValueError, words)
            for more, words in (
                ({"sample_weight": WEIGHT}, "sample_weight does not go with frequency"),
                ({"frequency": WEIGHT / 2}, "whole numbers >= 0"),
                ({"frequency": [1, 2]}, "frequency has 2"),
                ({"counts": [[1, 2], [3, 4]]}, "counts represent all examples, so frequency"),
                ({"prevalence": 0.2}, "prevalence cannot be combined with frequency"),
            )
        ),
        *(
            ((), {"counts": [[3, 2], [1, 1]], "metrics": ["recall"], extra: np.array([1, 0, 0])},
             ValueError, rf"\b{extra} does not go")
            for extra in ("y_true", "y_score", "sample_weight", "rejected", "groups", "by")
        ),
        ((Y, PRED), {"confidence_level": Confidence(simultaneous=True), "intervals": True},
         ValueError, "pass by= and intervals=True"),
    ],
)  # fmt: skip
def test_refusals(arrays, options, error, words):
    with pytest.raises(error, match=words):
        evaluate(*arrays, **options)


def test_names_ask_and_answer():
    result = evaluate(Y, PRED, metrics=["sensitivity", "mcc", "specificity_score"])
    assert list(result) == ["recall", "matthews_corrcoef", "specificity"]
    assert result["tpr"] == result["recall"] == result["recall_score"]
    assert "recall" in result
    assert len(result) == 3
    with pytest.raises(KeyError):
        result["precision"]
    assert "precision" not in result
    assert result.get("precision") is None
    assert list(evaluate(Y, PRED, SCORE, "screening")) == [*evaluate(Y, PRED, SCORE, ["screening"])]
    found = evaluate(Y, PRED, metrics="accuracy", pos_label=0)  # which needs no class
    assert dict(found) == {"accuracy": np.mean(Y == PRED)}


def test_parameters_reach_the_metrics_that_take_them():
    result = evaluate(
        Y, PRED, SCORE, "all", beta=2, threshold=0.3, cost=[[0, 1], [5, 0]], q=1,
        difference=np.sign, pos_label=0, objective="npv", subject_to={"recall": (">=", 0)},
    )  # fmt: skip
    assert list(result) == list(OF_CLASSES)
    assert list(evaluate(Y, PRED, SCORE, threshold=0.3, pos_label=0))[-1] == "net_benefit"
    assert result["fbeta"] == sm.fbeta_score(Y, PRED, beta=2, pos_label=0)
    assert result["soft_auc"] == sm.soft_auc_score(Y, SCORE, beta=2, pos_label=0)
    scor = sm.scor_auc_score(Y, SCORE, pos_label=0)
    assert result["sond_auc"] == pytest.approx(scor, rel=rounding(len(Y)))
    assert result["specificity"] == sm.recall_score(Y, PRED)


def test_rows_at_or_above_a_threshold_are_predicted_positive():
    """Metrics with one of their own take it, beside predictions too."""
    pred = (SCORE >= 0.3).astype(int)
    assert (SCORE == 0.3).any()
    cut = {"threshold": 0.3}
    assert dict(evaluate(Y, None, SCORE, **cut)) == dict(evaluate(Y, pred, SCORE, **cut))
    found = evaluate(Y, None, SCORE, ["recall", "net_benefit"], **cut)
    assert found["recall"] == sm.recall_score(Y, pred)
    assert found["net_benefit"] == sm.net_benefit(Y, pred, **cut)
    assert evaluate(Y, None, 10 * SCORE, "recall", threshold=3)["recall"] == found["recall"]
    beside = evaluate(Y, PRED, SCORE, ["recall", "net_benefit"], **cut)
    assert beside["recall"] == sm.recall_score(Y, PRED)
    assert beside["net_benefit"] == found["net_benefit"]
    both = np.column_stack([words.score, 1 - words.score])  # of the classes ill, well
    for score in (words.score, both):
        found = evaluate(words.y, None, score, ["f1"], pos_label="ill", **cut)
        assert found["f1"] == sm.f1_score(words.y == "ill", words.score >= 0.3)


def test_rows_that_stand_for_several_are_those_rows():
    many = np.random.default_rng(0).integers(0, 9, 60)
    rows = np.repeat(np.arange(60), many)
    names = ["recall", "f1", "roc_auc", "brier_score_loss", "average_precision"]
    own = evaluate(Y, PRED, SCORE, names, frequency=many, intervals=True)
    whole = evaluate(Y[rows], PRED[rows], SCORE[rows], names, intervals=True)
    assert dict(own) == pytest.approx(dict(whole))
    assert own.about == whole.about
    for name, one in own.intervals.items():
        assert one.method == whole.intervals[name].method
        assert tuple(one) == pytest.approx(tuple(whole.intervals[name]))
    by, groups, ask = np.arange(60) % 2, binary.groups, {"metrics": "recall", "intervals": True}
    own = evaluate(Y, PRED, frequency=many, by=by, groups=groups, **ask)
    whole = evaluate(Y[rows], PRED[rows], by=by[rows], groups=groups[rows], **ask)
    assert own.sizes == whole.sizes
    assert str(own) == str(whole)


def test_printed_table_and_frame():
    result = evaluate(Y, PRED, metrics=["recall", "fpr", "prevalence"])
    first, *lines = str(result).splitlines()
    assert first == f"Metrics, 60 rows, {sum(Y)} of the positive class 1"
    assert len(lines) == 3
    assert lines[0].split()[:3] == ["recall", f"{result['recall']:.4f}", "high"]
    assert lines[1].split()[:3] == ["false_positive_rate", f"{result['fpr']:.4f}", "low"]
    assert lines[0].index("Recall") == lines[1].index("False") == lines[2].index("Prevalence")
    assert repr(result) == str(result)
    frame = result.to_frame()
    assert (list(frame.index), frame.index.name) == (list(result), "metric")
    assert list(frame.columns) == ["value", "better", "summary"]
    assert frame.loc["recall", "value"] == result["recall"]
    assert frame.loc["false_positive_rate", "better"] == "low"
    with pytest.warns(UserWarning, match="undefined"):
        result = evaluate([1, 1], y_score=[0.2, 0.4], metrics=["roc_auc"])
    assert "nan" in str(result)
    assert str(Evaluation({})) == ""


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("options", [{"average": "macro"}, {}])
def test_averages_of_many_classes_and_labels(options):
    result = evaluate(classes.y, classes.pred, classes.score, **options)
    assert result["recall"] == sm.recall_score(classes.y, classes.pred, average="macro")
    assert result["roc_auc"] == sm.roc_auc_score(classes.y, classes.score, multi_class="ovr")
    assert ("average='macro'" in str(result)) == (not options)
    of_labels = evaluate(labels.y, labels.pred, labels.score, **options)
    assert of_labels["roc_auc"] == sm.roc_auc_score(labels.y, labels.score)
    assert "matthews_corrcoef" not in of_labels
    for found in (result, of_labels):
        assert found.to_frame()["value"].dtype == float


LABELS = ["recall", "npv", "f1", "matthews_corrcoef"]
SCORES = ["roc_auc", "soft_auc", "mm7_auc", "log_loss"]
ASK = {"intervals": True, "random_state": 0, "n_resamples": 60}
PAIRS = np.arange(60) // 2


def same(found, wanted):
    assert found.method == wanted.method
    for end in ("estimate", "low", "high", "standard_error"):
        np.testing.assert_allclose(getattr(found, end), getattr(wanted, end), rtol=1e-12)


@pytest.mark.parametrize(
    "given",
    [{}, {"groups": PAIRS}, {"sample_weight": WEIGHT}, {"confidence_level": 0.8},
     {"confidence_level": Confidence(alternative="greater")},
     {"groups": PAIRS, "sample_weight": WEIGHT}],
)  # fmt: skip
def test_intervals_are_those_of_interval(given):
    found = evaluate(Y, PRED, SCORE, metrics=LABELS + SCORES, **ASK, **given)
    for name in LABELS + SCORES:
        own, judged = found.intervals[name], PRED if name in LABELS else SCORE
        wanted = interval(name, Y, judged, n_resamples=60, random_state=0, **given)
        np.testing.assert_array_equal(own.estimate, found[name])
        assert own.method == wanted.method
        if own.method not in {"percentile", "bca"}:
            same(own, wanted)
        refused = name == "mm7_auc" and "groups" in given  # it covers too rarely in groups
        assert np.isnan(own.low) == np.isnan(wanted.low) == refused
        assert refused or own.low <= found[name] <= own.high


def test_intervals_of_counts_classes_and_averages():
    table = [[50, 10], [5, 35]]
    found = evaluate(counts=table, metrics=LABELS, intervals=True)
    for name in LABELS:
        same(found.intervals[name], interval(name, counts=table))
    each = evaluate(classes.y, classes.pred, metrics=["recall", "f1"], average=None, **ASK)
    wanted = interval("recall", classes.y, classes.pred, average=None)
    same(each.intervals["recall"], wanted)
    frame = each.to_frame()
    assert frame.loc["recall", "low"].tolist() == wanted.low.tolist()
    assert frame.loc["recall", "class"].tolist() == ["cat", "dog", "owl"]
    assert re.search(r"^recall +owl ", str(each), re.M)
    macro = evaluate(classes.y, classes.pred, metrics=["recall"], **ASK)
    same(macro.intervals["recall"], interval("recall", classes.y, classes.pred, average="macro"))
    assert "plain averages over the classes" in str(macro)


def test_scores_are_sorted_and_resampled_once(monkeypatch):
    sorts, draws = [], []
    sort, place, draw = ranking.distinct_scores, Placements.__init__, Resampling.resamples
    monkeypatch.setattr(ranking, "distinct_scores", lambda *a: sorts.append(len(a[0])) or sort(*a))
    monkeypatch.setattr(Placements, "__init__", lambda *a: sorts.append(len(a[2])) or place(*a))
    monkeypatch.setattr(Resampling, "resamples", lambda *a: draws.append(1) or draw(*a))
    evaluate(Y, y_score=SCORE, metrics=[*SCORES, "gini", "mm1_auc", "brier_score_loss"], **ASK)
    assert sorts.count(60) == 1
    assert len(draws) == 1


def test_intervals_in_print_frame_and_page():
    found = evaluate(Y, PRED, SCORE, metrics=LABELS + SCORES, **ASK)
    text = str(found)
    low, high = found.intervals["recall"]
    assert f"{low:.4f} to {high:.4f}" in text
    assert "wilson" in text
    assert "bootstrap of 60 resamples" in " ".join(text.split())
    assert "pointwise, not simultaneous" in " ".join(text.split())
    frame = found.to_frame()
    assert list(frame.columns) == ["value", "low", "high", "better", "method", "summary"]
    assert frame.loc["roc_auc", "high"] == found.intervals["roc_auc"].high
    assert "delong" in found._repr_html_()
    whole = evaluate(Y, PRED, intervals=True)
    assert all(len(line) <= 80 for line in [*text.splitlines(), *str(whole).splitlines()])
    assert all(f"{name}  " in str(whole) for name in whole)
    assert not evaluate(Y, PRED).intervals
