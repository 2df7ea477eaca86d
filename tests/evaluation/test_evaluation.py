"""evaluate(): from labels, scores and counts; names, printing, data frames, parameters."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import pytest

from skaucx import metrics as sm
from skaucx.evaluation import Evaluation, evaluate
from skaucx.metrics import Counts
from skaucx.metrics._registry.declare import METRICS
from tests.closeness import rounding
from tests.metrics.needed import NEEDED
from tests.metrics.of_classes import OF_CLASSES

Y = np.array([1, 0, 0, 0, 1, 0, 0, 1, 1, 0])
SCORE = np.array([0.9, 0.2, 0.6, 0.1, 0.3, 0.4, 0.7, 0.8, 0.55, 0.05])
PRED = (SCORE > 0.5).astype(int)
WEIGHT = np.array([1, 2, 1, 0.5, 1, 3, 1, 2, 0, 1])
Y3 = np.array([0, 1, 2, 2, 1, 0, 0, 2])
PRED3 = np.array([0, 1, 1, 2, 1, 0, 2, 2])
SCORE3 = np.array(
    [[5, 2, 1], [1, 6, 1], [1, 4, 3], [1, 1, 6], [2, 3, 3], [6, 1, 1], [1, 3, 4], [2, 2, 4]]
) / 8  # fmt: skip


def names(condition=lambda row: True):
    left_out = NEEDED.keys() - {"top_k_accuracy"}  # which counts the first two by default
    return [n for n, f in OF_CLASSES.items() if condition(f.metric) and n not in left_out]


def by_function(result, *, labels=None, scores=None, **options):
    """Compare every value with that of the public function."""
    for name, value in result.items():
        function = METRICS[name]
        taken = inspect.signature(function).parameters
        own = {key: option for key, option in options.items() if key in taken}
        expected = function(*(labels if function.metric.kind.counted else scores), **own)
        np.testing.assert_allclose(value, expected, rtol=rounding(len(Y)))


class TestInputs:
    def test_labels_and_scores(self):
        result = evaluate(Y, PRED, SCORE, metrics="all")
        assert list(result) == names()
        by_function(result, labels=(Y, PRED), scores=(Y, SCORE))
        assert all(isinstance(value, float) for value in result.values())
        result = evaluate(Y, PRED, SCORE, sample_weight=WEIGHT)
        by_function(result, labels=(Y, PRED), scores=(Y, SCORE), sample_weight=WEIGHT)

    def test_counts(self):
        expected = evaluate(Y, PRED)
        tp, fp = ((PRED == 1) & (Y == 1)).sum(), ((PRED == 1) & (Y == 0)).sum()
        fn, tn = (Y == 1).sum() - tp, (Y == 0).sum() - fp
        cells = (np.float64(cell) for cell in (tp, fp, fn, tn))
        for counts in (Counts(*cells), [[tn, fp], [fn, tp]]):
            result = evaluate(counts=counts)
            assert list(result) == list(expected)
            assert dict(result) == pytest.approx(dict(expected))

    def test_names_of_the_classes_of_counts(self):
        names = {"labels": ["healthy", "sick"], "pos_label": "healthy", "metrics": "recall"}
        assert evaluate(counts=[[4, 2], [1, 3]], **names)["recall"] == 4 / 6
        with pytest.raises(ValueError, match="2 classes, but labels names 3"):
            evaluate(counts=[[4, 2], [1, 3]], labels=["a", "b", "c"])

    def test_three_classes(self):
        result = evaluate(Y3, PRED3, SCORE3, metrics="all", average="macro", multi_class="ovr")
        by_function(
            result, labels=(Y3, PRED3), scores=(Y3, SCORE3), average="macro", multi_class="ovr"
        )
        each = evaluate(Y3, PRED3, SCORE3, metrics="all", average=None, multi_class="ovr")
        assert each["recall"].shape == each["mm7_auc"].shape == (3,)

    def test_nothing_to_judge(self):
        with pytest.raises(ValueError, match="evaluate needs y_pred or y_score"):
            evaluate()
        with pytest.raises(ValueError, match="evaluate needs y_pred or y_score"):
            evaluate(Y)
        with pytest.raises(ValueError, match="'roc_auc' needs y_score"):
            evaluate(Y, PRED, metrics=["roc_auc"])
        with pytest.raises(ValueError, match="'recall' needs y_pred"):
            evaluate(Y, y_score=SCORE, metrics=["recall"])
        with pytest.raises((ValueError, TypeError), match="y_true"):
            evaluate(y_pred=PRED)


class TestNames:
    def test_aliases_ask_and_answer(self):
        result = evaluate(Y, PRED, metrics=["sensitivity", "mcc", "specificity_score"])
        assert list(result) == ["recall", "matthews_corrcoef", "specificity"]
        assert result["tpr"] == result["recall"] == result["recall_score"]
        assert "recall" in result
        assert len(result) == 3

    def test_a_metric_that_was_not_asked_for(self):
        result = evaluate(Y, PRED, metrics=["recall"])
        with pytest.raises(KeyError):
            result["specificity"]
        assert "specificity" not in result
        assert result.get("specificity") is None


class TestParameters:
    def test_reach_the_metrics_that_take_them(self):
        result = evaluate(
            Y, PRED, SCORE, "all", beta=2, threshold=0.3, cost=[[0, 1], [5, 0]], q=1, difference=np.sign,
            pos_label=0,
            objective="npv", subject_to={"recall": (">=", 0)},
        )  # fmt: skip
        assert list(result) == list(OF_CLASSES)
        usual = evaluate(Y, PRED, SCORE, threshold=0.3, pos_label=0)
        assert list(usual)[-1] == "net_benefit"
        assert result["fbeta"] == sm.fbeta_score(Y, PRED, beta=2, pos_label=0)
        assert result["soft_auc"] == sm.soft_auc_score(Y, SCORE, beta=2, pos_label=0)
        scor = sm.scor_auc_score(Y, SCORE, pos_label=0)
        assert result["sond_auc"] == pytest.approx(scor, rel=rounding(len(Y)))
        assert result["specificity"] == sm.recall_score(Y, PRED)

    def test_a_parameter_that_no_metric_takes(self):
        with pytest.raises(TypeError, match="surprise"):
            evaluate(Y, PRED, surprise=1)
        with pytest.raises(TypeError, match="pos_lable"):
            evaluate(Y, PRED, metrics=["recall"], pos_lable=0)

    def test_a_missing_parameter(self):
        with pytest.raises(TypeError, match="beta"):
            evaluate(Y, PRED, metrics=["fbeta"])


class TestShown:
    def test_printed_table(self):
        result = evaluate(Y, PRED, metrics=["recall", "fpr", "prevalence"])
        lines = str(result).splitlines()
        assert lines.pop(0) == f"Metrics, 10 rows, {sum(Y)} of the positive class 1"
        assert len(lines) == 3
        assert lines[0].split()[:3] == ["recall", f"{result['recall']:.4f}", "high"]
        assert lines[1].split()[:3] == ["false_positive_rate", f"{result['fpr']:.4f}", "low"]
        assert lines[0].index("Recall") == lines[1].index("False") == lines[2].index("Prevalence")
        assert repr(result) == str(result)

    def test_printed_nan_and_nothing(self):
        with pytest.warns(UserWarning, match="undefined"):
            result = evaluate([1, 1], y_score=[0.2, 0.4], metrics=["roc_auc"])
        assert "nan" in str(result)
        assert str(Evaluation({})) == ""

    def test_frame(self):
        result = evaluate(Y, PRED, SCORE)
        frame = result.to_frame()
        assert list(frame.index) == list(result)
        assert frame.index.name == "metric"
        assert list(frame.columns) == ["value", "better", "summary"]
        assert frame.loc["recall", "value"] == result["recall"]
        assert frame.loc["log_loss", "better"] == "low"
        assert isinstance(frame, pd.DataFrame)

    @pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
    @pytest.mark.parametrize("average", ["macro", None])
    def test_frame_of_many_classes_and_labels(self, average):
        options = {} if average is None else {"average": average}
        indicators, scores = np.eye(3, dtype=int)[Y3], np.round(SCORE3, 2)
        result = evaluate(Y3, PRED3, SCORE3, **options)
        assert result["recall"] == sm.recall_score(Y3, PRED3, average="macro")
        assert result["roc_auc"] == sm.roc_auc_score(Y3, SCORE3, multi_class="ovr")
        assert ("average='macro'" in str(result)) == (average is None)
        of_labels = evaluate(indicators, np.eye(3, dtype=int)[PRED3], scores, **options)
        assert of_labels["roc_auc"] == sm.roc_auc_score(indicators, scores)
        assert "matthews_corrcoef" not in of_labels
        for found in (result, of_labels):
            assert found.to_frame()["value"].dtype == float


class TestThreshold:
    """Rows at or above it are predicted positive; metrics with one of their own take it."""

    def test_scores_are_cut(self):
        pred = (SCORE >= 0.3).astype(int)
        found = evaluate(Y, None, SCORE, ["recall", "roc_auc"], threshold=0.3)
        assert dict(found) == dict(evaluate(Y, pred, SCORE, ["recall", "roc_auc"]))
        found = evaluate(Y, None, SCORE, ["recall", "net_benefit"], threshold=0.3)
        assert found["net_benefit"] == sm.net_benefit(Y, pred, threshold=0.3)
        assert dict(evaluate(Y, None, SCORE, threshold=0.3)) == dict(
            evaluate(Y, pred, SCORE, threshold=0.3)
        )
        assert evaluate(Y, None, 10 * SCORE, "recall", threshold=3)["recall"] == found["recall"]

    def test_the_positive_class_is_the_one_named(self):
        words, both = np.where(Y == 1, "a", "b"), np.column_stack([SCORE, 1 - SCORE])
        for score in (SCORE, both):
            found = evaluate(words, None, score, ["f1"], threshold=0.3, pos_label="a")
            assert found["f1"] == sm.f1_score(Y, SCORE >= 0.3)

    def test_with_predictions_it_goes_to_metrics_that_have_one(self):
        found = evaluate(Y, PRED, SCORE, ["recall", "net_benefit"], threshold=0.3)
        assert found["recall"] == sm.recall_score(Y, PRED)
        assert found["net_benefit"] == sm.net_benefit(Y, SCORE >= 0.3, threshold=0.3)

    @pytest.mark.parametrize("arrays", [(Y, PRED, SCORE), (Y, PRED), (Y3, None, SCORE3)])
    def test_there_is_nothing_that_it_could_cut(self, arrays):
        with pytest.raises(ValueError, match=r"threshold=0\.3 .* found neither"):
            evaluate(*arrays, metrics="accuracy", threshold=0.3)


class TestFrequency:
    """Rows that stand for several: all is as of the repeated rows."""

    MANY = np.array([3, 1, 4, 1, 5, 9, 2, 6, 0, 3])

    def test_values_and_intervals(self):
        names = ["recall", "f1", "roc_auc", "brier_score_loss", "average_precision"]
        own = evaluate(Y, PRED, SCORE, names, frequency=self.MANY, intervals=True)
        rows = np.repeat(np.arange(10), self.MANY)
        whole = evaluate(Y[rows], PRED[rows], SCORE[rows], names, intervals=True)
        assert dict(own) == pytest.approx(dict(whole))
        assert own.about == whole.about
        for name, one in own.intervals.items():
            assert one.method == whole.intervals[name].method
            assert tuple(one) == pytest.approx(tuple(whole.intervals[name]))

    def test_groups(self):
        by, groups = np.arange(10) % 2, np.arange(10) // 3
        rows = np.repeat(np.arange(10), self.MANY)
        own = evaluate(
            Y, PRED, metrics="recall", frequency=self.MANY, by=by, groups=groups, intervals=True
        )
        whole = evaluate(
            Y[rows], PRED[rows], metrics="recall", by=by[rows], groups=groups[rows], intervals=True
        )
        assert own.sizes == whole.sizes
        assert str(own) == str(whole)

    @pytest.mark.parametrize(
        ("more", "match"),
        [({"sample_weight": WEIGHT}, "sample_weight does not go with frequency"),
         ({"frequency": WEIGHT}, "whole numbers >= 0"), ({"frequency": [1, 2]}, "frequency has 2"),
         ({"counts": [[1, 2], [3, 4]]}, "counts represent all examples, so frequency"),
         ({"prevalence": 0.2}, "prevalence cannot be combined with frequency")],
    )  # fmt: skip
    def test_bad_input(self, more, match):
        with pytest.raises(ValueError, match=match):
            evaluate(Y, PRED, **{"frequency": self.MANY, **more})


def test_a_set_by_its_name_and_a_class_that_no_metric_needs():
    assert list(evaluate(Y, PRED, SCORE, "screening")) == list(
        evaluate(Y, PRED, SCORE, ["screening"])
    )
    assert dict(evaluate(Y, PRED, metrics="accuracy", pos_label=0)) == {"accuracy": 0.7}
