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


WARNING = "Warning: tuned on mm7_auc, which is not proper"


@pytest.mark.parametrize(
    ("scoring", "refit", "says"),
    [
        (["mm7_auc", "roc_auc"], None,
         [WARNING, "is best at 16, not at 1", "No proper metric is reported"]),
        (["mm7_auc", "neg_log_loss"], "mm7_auc",
         [WARNING, "neg_log_loss is proper: tune on it (refit='neg_log_loss')."]),
        (["mm7_auc", "neg_log_loss"], "neg_log_loss", []),
        (["roc_auc", "recall"], "roc_auc", []),
        (["roc_auc", "mm7_auc"], "roc_auc", []),
        (["neg_brier_score_loss"], None, []),
    ],
)  # fmt: skip
def test_a_summary_warns_of_tuning_on_an_improper_metric(scoring, refit, says):
    """Also where a proper one is reported that chooses nothing."""
    told = " ".join(run(scoring, refit=refit).summary().split())
    assert ("Warning" in told) == bool(says)
    assert [words for words in says if words not in told] == []


def test_rescaled_by_the_range():
    scorer = get_scorer("prob_auc", rescale="minmax", response_method="predict_proba")
    told = run({"prob": scorer, "neg_log_loss": "neg_log_loss"}, refit="neg_log_loss").summary()
    assert "prob: rescale='minmax' uses the range" in " ".join(told.split())


@pytest.mark.usefixtures("captions_only")
def test_the_report_says_it_too(tmp_path):
    run(["mm7_auc", "roc_auc"]).report(tmp_path / "run.html")
    assert "tuned on mm7_auc, which is not proper" in (tmp_path / "run.html").read_text()
