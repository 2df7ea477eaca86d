"""Pages are short: their heights in a browser with all folds open."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.model_selection import Decisions, nested_cross_validate
from skaucx.reports import report
from tests.browser import looked_at, needs_browser

pytestmark = pytest.mark.presentation

OPEN = """document.querySelectorAll("details").forEach(each => { each.open = true; });
  return document.documentElement.scrollHeight;"""


def sepsis():
    """Risks of 1,200 patients of five hospitals, which are twice too high."""
    rng = np.random.default_rng(0)
    sex, site = rng.choice(["female", "male"], 1200), rng.choice([*"ABCDE"], 1200)
    ill = (rng.random(1200) < 0.12).astype(int)
    risk = rng.beta(2, 6, 1200) + 0.25 * ill * (1 - 0.4 * (sex == "male"))
    return ill, np.clip(risk + rng.normal(0, 0.05, 1200), 0, 1), sex, site


def predictions(path):
    ill, risk, *_ = sepsis()
    report(path, ill, (risk > 0.4).astype(int), risk)


def groups(path):
    ill, risk, sex, site = sepsis()
    report(path, ill, None, risk, by={"sex": sex, "site": site}, threshold=0.4)


def nested(path):
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    metrics = ["neg_log_loss", "roc_auc", "recall", "specificity", "npv", "precision"]
    limits = {"specificity": {"recall": (">=", 0.9)}}
    nested_cross_validate(
        model, {"logisticregression__C": [0.01, 0.1, 1, 10]}, X[:, :6], y, pos_label=0,
        scoring=metrics, refit="neg_log_loss",
        decisions=Decisions(calibration="sigmoid", threshold=limits),
    ).report(path)  # fmt: skip


# A third of the heights before pictures stood side by side and forms left pages that are none.
HEIGHTS = {predictions: 9995 / 3, groups: 10345 / 3, nested: 15031 / 3}


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("door", HEIGHTS, ids=lambda door: door.__name__)
def test_height_of_a_page_with_all_folds_open(door, tmp_path):
    door(tmp_path / "page.html")
    found, _ = looked_at((tmp_path / "page.html").read_text(encoding="utf-8"), OPEN, tmp_path)
    assert 1000 < found <= HEIGHTS[door]
