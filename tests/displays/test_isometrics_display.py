"""Level lines: their levels, places, labels and neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from skaucx.displays import IsometricsDisplay
from skaucx.metrics import Counts, RocCurveDisplay
from skaucx.metrics.curves import RocCurve, isometrics

pytestmark = pytest.mark.presentation


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_lines_are_level():
    shown = IsometricsDisplay.from_metric("accuracy", 0.2, levels=[0.7, 0.5])
    np.testing.assert_array_equal(shown.levels_, [0.5, 0.7])
    for level, path in zip(shown.levels_, shown.contours_.get_paths(), strict=True):
        for fpr, tpr in path.vertices:
            assert 0.2 * tpr + 0.8 * (1 - fpr) == pytest.approx(level, abs=1e-9)
    assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == (
        "False positive rate", "True positive rate"
    )  # fmt: skip
    assert shown.ax_.get_legend().get_title().get_text() == "prevalence 0.2"


def test_f_beta_in_precision_recall_space():
    ax = None
    for beta in (0.5, 2):
        shown = IsometricsDisplay.from_metric(
            "fbeta", 0.2, beta=beta, space="pr", name=f"beta {beta}", ax=ax, levels=[0.5]
        )
        ax = shown.ax_
        for recall, precision in shown.contours_.get_paths()[0].vertices:
            value = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            assert value == pytest.approx(0.5, abs=1e-3)
    assert sorted(legend(shown)) == ["beta 0.5", "beta 2"]
    lines = ax.get_lines()
    assert lines[0].get_color() != lines[1].get_color()
    assert lines[0].get_linestyle() != lines[1].get_linestyle()
    assert ax.get_xlabel() == "Recall"


def test_over_a_roc_curve_and_of_a_function():
    def total_recall(c: Counts):
        return c.tp / c.positives

    roc = RocCurveDisplay(RocCurve.from_points([0.2], [0.6]), name="measured").plot()
    shown = IsometricsDisplay(isometrics(total_recall, n_points=21)).plot(roc.ax_)
    assert shown.ax_ is roc.ax_
    assert shown.ax_.get_ylabel() == "True positive rate"
    assert [name.replace("\n", " ") for name in legend(shown)] in (
        ["measured (AUC = 0.70)", "total recall"], ["measured AUC = 0.70", "total recall"],
    )  # fmt: skip
