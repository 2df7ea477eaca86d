"""Score distributions with span, margin and overlap."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx.displays import ScoreDisplay

pytestmark = pytest.mark.presentation


def marked(display):
    """Return the ends of the span, of the margin, and how the legend names them."""
    [span] = [line for line in display.ax_.get_lines() if line.get_marker() == "|"]
    [margin] = [p for p in display.ax_.patches if str(p.get_label()).startswith("margin")]
    x = margin.get_bbox().get_points()[:, 0]
    return span.get_xdata(), np.sort(x), {span.get_label(), margin.get_label()}


def test_few_scores_are_stems_with_a_margin():
    shown = ScoreDisplay.from_predictions(
        ["n", "n", "n", "p", "p"], [0.25, 0.5, 0.5, 0.75, 0.85], name="five", pos_label="p"
    )
    assert shown.span_ == pytest.approx(0.6)
    assert shown.margin_ == pytest.approx(0.25)
    span, margin, names = marked(shown)
    np.testing.assert_allclose(span, [0.25, 0.85])
    np.testing.assert_allclose(margin, [0.5, 0.75])
    assert names == {"span 0.6", "margin 0.25"}
    heads = {line.get_label(): line.get_data() for line in shown.ax_.get_lines()}
    np.testing.assert_allclose(heads["positive (p)"], [[0.75, 0.85], [1 / 2, 1 / 2]])
    np.testing.assert_allclose(heads["negative"], [[0.25, 0.5], [-1 / 3, -2 / 3]])
    assert shown.ax_.get_title() == "five"
    assert shown.ax_.get_xlabel() == "Score"
    assert shown.ax_.get_ylabel() == "Share of the class"


def test_many_scores_are_histograms_with_an_overlap():
    X, y = make_classification(n_samples=300, class_sep=0.5, random_state=1)
    model, weight = GaussianNB().fit(X, y), np.linspace(1, 3, 300)
    shown = ScoreDisplay.from_estimator(model, X, y, sample_weight=weight, bins=20)
    score = model.predict_proba(X)[:, 1]
    up, down = shown.ax_.patches[:2]
    for patch, k in ((up, 1), (down, 0)):
        heights, edges, _ = patch.get_data()
        expected = np.histogram(score[y == k], edges, weights=weight[y == k])[0]
        np.testing.assert_allclose(np.abs(heights), expected / expected.sum(), atol=1e-12)
    assert shown.margin_ == score[y == 1].min() - score[y == 0].max()
    _, overlap, names = marked(shown)
    assert any("(overlap)" in name for name in names)
    np.testing.assert_allclose(overlap, [score[y == 1].min(), score[y == 0].max()])
    assert shown.ax_.get_title() == "GaussianNB"


def test_folds_are_pooled():
    X, y = make_classification(n_samples=100, class_sep=0.5, random_state=1)
    results = cross_validate(GaussianNB(), X, y, cv=4, return_estimator=True, return_indices=True)
    shown = ScoreDisplay.from_cv_results(results, X, y, sample_weight=np.ones(100), name="folds")
    ranked = shown.scores
    assert ranked.positive.sum() / ranked.negative.sum() == y.sum() / (1 - y).sum()
    assert len(ranked.values) > 90


def test_weighted_stems_are_shares_of_the_class_and_the_caller_s_title_stays():
    _, ax = pyplot.subplots()
    ax.set_title("mine")
    shown = ScoreDisplay.from_predictions(
        [False, False, True, True],
        [0.1, 0.4, 0.4, 0.8],
        sample_weight=[1, 4, 3, 1],
        ax=ax,
        name="ours",
    )
    heads = {line.get_label(): line.get_data() for line in ax.get_lines()}
    np.testing.assert_allclose(heads["positive (True)"], [[0.4, 0.8], [0.75, 0.25]])
    np.testing.assert_allclose(heads["negative"], [[0.1, 0.4], [-0.2, -0.8]])
    assert (shown.ax_.get_ylabel(), ax.get_title()) == ("Share of the class", "mine")


def test_both_classes_must_occur():
    with pytest.raises(ValueError, match="one class only"):
        ScoreDisplay.from_predictions([1, 1], [0.2, 0.3])
