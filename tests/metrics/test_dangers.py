"""What rows and texts say of dangers is what the benchmark finds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from benchmarks import dangers
from skaucx.metrics import get_scorer
from skaucx.metrics._registry.declare import METRICS
from skaucx.model_selection import nested_cross_validate

X, Y = load_breast_cancer(return_X_y=True)
GRID = {"var_smoothing": [1e-9, 1e-3]}


def run(scoring, **options):
    return nested_cross_validate(
        GaussianNB(), GRID, X, Y, scoring=scoring, outer_cv=3, inner_cv=2, final=None, **options
    )


def test_rows_know_where_a_metric_is_best(monkeypatch):
    monkeypatch.setattr(dangers, "ROWS", 2000)
    _, best = dangers.sharpened()
    assert best == {name: METRICS[name].metric.sharpest for name in best}
    assert {"log_loss", "brier_score_loss", "mm7_auc", "soft_auc"} < set(best)


def test_every_variant_that_reads_values_is_tried():
    family = {n for n, f in METRICS.items() if f.metric.family == "AUC variants"}
    values = {n for n in family if METRICS[n].metric.kind.scale not in ("order", None)}
    assert values - {"pairwise_auc"} == {n for n in values if METRICS[n].metric.proper is False}
    assert not any(METRICS[n].metric.proper for n in family)


def test_docstrings_say_it_in_figures():
    assert "is best at 16, while Brier score" in " ".join(METRICS["mm7_auc"].__doc__.split())
    assert "increasing with the power" in " ".join(METRICS["prob_auc"].__doc__.split())
    assert "Proper: the true probabilities" in METRICS["log_loss"].__doc__
    assert "roper" not in METRICS["recall"].__doc__


def test_jumps():
    assert dangers.jumps() == (pytest.approx(0.424, abs=5e-4), pytest.approx(0.616, abs=5e-4))


class TestSummary:
    def test_tuned_on_an_improper_metric_alone(self):
        told = " ".join(run(["mm7_auc", "roc_auc"]).summary().split())
        assert "Warning: tuned on mm7_auc, which is not proper" in told
        assert "is best at 16, not at 1" in told
        assert "No proper metric is reported" in told

    def test_a_proper_metric_that_chooses_nothing_is_no_remedy(self):
        told = " ".join(run(["mm7_auc", "neg_log_loss"], refit="mm7_auc").summary().split())
        assert "Warning: tuned on mm7_auc, which is not proper" in told
        assert "neg_log_loss is proper: tune on it (refit='neg_log_loss')." in told

    @pytest.mark.parametrize(
        ("scoring", "refit"),
        [(["mm7_auc", "neg_log_loss"], "neg_log_loss"), (["roc_auc", "recall"], "roc_auc"),
         (["roc_auc", "mm7_auc"], "roc_auc"), (["neg_brier_score_loss"], None)],
    )  # fmt: skip
    def test_nothing_to_warn_of(self, scoring, refit):
        assert "Warning" not in run(scoring, refit=refit).summary()

    def test_rescaled_by_the_range(self):
        scorer = get_scorer("prob_auc", rescale="minmax", response_method="predict_proba")
        told = run({"prob": scorer, "neg_log_loss": "neg_log_loss"}, refit="neg_log_loss").summary()
        assert "prob: rescale='minmax' uses the range" in " ".join(told.split())

    @pytest.mark.usefixtures("captions_only")
    def test_the_report_says_it_too(self, tmp_path):
        pytest.importorskip("matplotlib")
        run(["mm7_auc", "roc_auc"]).report(tmp_path / "run.html")
        assert "tuned on mm7_auc, which is not proper" in (tmp_path / "run.html").read_text()


def test_a_threshold_is_optimistic_on_its_own_data(monkeypatch):
    monkeypatch.setattr(dangers, "DRAWS", 30)
    own, fresh = dangers.thresholds(50)
    assert own > fresh + 0.03


def test_one_score_changes_what_the_range_rescales():
    found = dangers.rescaled()
    assert np.ptp(found["roc_auc"]) == 0
    assert np.ptp(found["prob_auc, rescale='minmax'"]) > 0.05
    assert np.ptp(found["prob_auc, rescale='expit'"]) < 0.005
