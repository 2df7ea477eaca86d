"""What rows and texts say of dangers is what the benchmark finds."""

from __future__ import annotations

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
