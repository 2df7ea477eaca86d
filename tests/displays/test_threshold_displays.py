"""Metrics against the threshold and as level lines, and the scores that a threshold parts."""

import numpy as np
import pytest
from matplotlib import pyplot
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB

from skaucx import metrics as sm
from skaucx.displays import IsometricsDisplay, ScoreDisplay, ThresholdDisplay
from skaucx.metrics import Counts, RocCurveDisplay, threshold_curves
from skaucx.metrics.curves import DensityModel, RocCurve, isometrics
from tests.datasets import classes

pytestmark = pytest.mark.presentation

X, Y = make_classification(n_samples=120, class_sep=0.6, random_state=0)
MODEL = GaussianNB().fit(X, Y)
SCORE = MODEL.predict_proba(X)[:, 1]
FOLDS = cross_validate(GaussianNB(), X, Y, cv=3, return_estimator=True, return_indices=True)


def legend(display):
    return [" ".join(text.get_text().split()) for text in display.ax_.get_legend().get_texts()]


def title(display):
    return display.ax_.get_legend().get_title().get_text()


def height_at(line, x):
    """Return the height of a rising step line at x: that of the next point."""
    xs, ys = line.get_data()
    assert line.get_drawstyle() == "steps-pre"
    return ys[np.searchsorted(xs, x)]


def test_lines_are_the_metrics_at_each_threshold():
    names, cost = ["recall", "f1", "expected_cost"], [[0, 1], [3, 0]]
    shown = ThresholdDisplay.from_estimator(MODEL, X, Y, metrics=names, cost=cost)
    for threshold in (-0.01, 0.1, 0.37, 0.5, 0.93, 1.01):
        called = (threshold <= SCORE).astype(int)
        values = {
            "recall": sm.recall_score(Y, called),
            "f1": sm.f1_score(Y, called),
            "expected_cost": sm.expected_cost(Y, called, cost=cost),
        }
        for name, value in values.items():
            [line] = shown.lines_[name]
            assert line.get_ydata()[0] == line.get_ydata()[1]
            assert height_at(line, threshold) == pytest.approx(value)
    curves = threshold_curves(Y, SCORE, names, cost=cost)
    assert set(shown.best_) == {"f1", "expected_cost"}  # recall is best where all is positive
    for name, mark in shown.best_.items():
        np.testing.assert_array_equal(np.ravel(mark.get_data()), curves.best(name))
    threshold, value = curves.best("f1")
    share = 100 * (threshold <= SCORE).mean()
    assert legend(shown)[1] == f"F1: best {value:.2f} at {threshold:.3g}, {share:.1f} % of rows"
    assert legend(shown)[2].startswith("expected cost: best ")
    assert len({mark.get_marker() for mark in shown.best_.values()}) == 2


def test_no_mark_where_predicting_none_positive_is_best_or_nothing_is_defined():
    shown = ThresholdDisplay.from_predictions([0, 1, 1], [0.9, 0.2, 0.4], metrics=["specificity"])
    assert legend(shown) == ["specificity"]
    assert not shown.best_
    # MCC of one score for all is nan at every threshold; that is no warning of NumPy's.
    drawn = ThresholdDisplay.from_predictions([0, 0, 1, 1], [0.5] * 4)
    assert np.isnan(drawn.lines_["matthews_corrcoef"][0].get_ydata()).all()


def test_the_usual_metrics():
    shown = ThresholdDisplay.from_estimator(MODEL, X, Y, name="bayes")
    named = [text.partition(":")[0] for text in legend(shown)]
    assert named == ["recall", "specificity", "precision", "F1", "MCC"]
    assert title(shown) == "bayes"
    assert shown.ax_.get_xlabel() == "Threshold (Positive label: 1)"


def test_samples_over_the_theory():
    model = DensityModel(prevalence=0.3)
    samples = {
        f"{n} rows": threshold_curves(*model.sample(n, n), ["f1", "mcc"]) for n in (300, 3000)
    }
    shown = ThresholdDisplay(samples).plot(theory=model)
    for metric in ("f1", "matthews_corrcoef"):
        t, values = shown.theory_[metric].get_data()
        closed = model.threshold_curves([metric], thresholds=t)
        np.testing.assert_allclose(values, closed[metric], rtol=1e-12)
    heads = [text.partition(":")[0] for text in legend(shown)]
    assert heads == ["300 rows, F1", "300 rows, MCC", "3000 rows, F1", "3000 rows, MCC", "theory"]


def test_folds():
    shown = ThresholdDisplay.from_cv_results(FOLDS, X, Y, metrics=["f1", "npv"])
    assert [len(lines) for lines in shown.lines_.values()] == [3, 3]
    [[at], [value]] = shown.best_["f1"].get_data()
    heights = [height_at(line, at) for line in shown.lines_["f1"]]
    assert value == pytest.approx(np.mean(heights))
    assert value == pytest.approx(np.max(shown.mean_["f1"].get_ydata()))
    told = f"{value:.2f} \u00b1 {np.std(heights, ddof=1):.2f} at {at:.3g}"
    assert legend(shown)[0].startswith(f"F1: best {told}, ")
    assert legend(shown)[0].endswith(" % of rows")
    assert title(shown) == "mean \u00b1 sd of 3 curves"


def test_the_best_of_the_mean_is_never_above_the_mean_of_the_folds_maxima():
    """Precision is undefined above the highest score of a fold: a mean of the rest would be 1."""
    y = np.arange(300) % 3 == 0
    score = np.random.default_rng(0).normal(size=300) + y
    folds = [threshold_curves(y[k::10], score[k::10], ["precision"]) for k in range(10)]
    shown = ThresholdDisplay(folds).plot()
    [value] = shown.best_["precision"].get_ydata()
    assert value <= np.mean([fold.best("precision")[1] for fold in folds])
    assert np.nanmax(shown.mean_["precision"].get_ydata()) == value < 1


def test_a_fold_where_a_metric_is_nowhere_defined_is_no_part_of_the_mean():
    folds = [threshold_curves(Y[k::2], SCORE[k::2], ["mcc"]) for k in (0, 1)]
    nowhere = threshold_curves([0, 1], [0.5, 0.5], ["mcc"])
    drawn = (ThresholdDisplay(given).plot() for given in ([*folds, nowhere], folds))
    found, wanted = (shown.best_["matthews_corrcoef"].get_data() for shown in drawn)
    np.testing.assert_allclose(found, wanted)


def test_one_of_several_classes():
    model = GaussianNB().fit(classes.X, classes.y)
    dog = {"pos_label": "dog", "metrics": ["f1"]}
    shown = ThresholdDisplay.from_estimator(model, classes.X, classes.y, **dog)
    score = model.predict_proba(classes.X)[:, 1]
    expected = threshold_curves(classes.y == "dog", score, ["f1"])
    assert shown.best_["f1"].get_ydata()[0] == expected.best("f1")[1]
    with pytest.raises(ValueError, match="choose pos_label"):
        ThresholdDisplay.from_estimator(model, classes.X, classes.y)


def marked(display):
    """Return the ends of the span, of the margin, and how the legend names them."""
    [span] = [line for line in display.ax_.get_lines() if line.get_marker() == "|"]
    [margin] = [p for p in display.ax_.patches if str(p.get_label()).startswith("margin")]
    x = margin.get_bbox().get_points()[:, 0]
    return span.get_xdata(), np.sort(x), {span.get_label(), margin.get_label()}


def stems(display):
    return {line.get_label(): line.get_data() for line in display.ax_.get_lines()}


def test_few_scores_are_stems_with_a_margin():
    shown = ScoreDisplay.from_predictions(
        ["n", "n", "n", "p", "p"], [0.25, 0.5, 0.5, 0.75, 0.85], name="five", pos_label="p"
    )
    assert (shown.span_, shown.margin_) == pytest.approx((0.6, 0.25))
    span, margin, names = marked(shown)
    np.testing.assert_allclose(span, [0.25, 0.85])
    np.testing.assert_allclose(margin, [0.5, 0.75])
    assert names == {"span 0.6", "margin 0.25"}
    np.testing.assert_allclose(stems(shown)["positive (p)"], [[0.75, 0.85], [1 / 2, 1 / 2]])
    np.testing.assert_allclose(stems(shown)["negative"], [[0.25, 0.5], [-1 / 3, -2 / 3]])
    assert (shown.ax_.get_title(), shown.ax_.get_xlabel()) == ("five", "Score")


def test_weighted_stems_are_shares_of_the_class_and_the_caller_s_title_stays():
    _, ax = pyplot.subplots()
    ax.set_title("mine")
    y, score, weight = [False, False, True, True], [0.1, 0.4, 0.4, 0.8], [1, 4, 3, 1]
    shown = ScoreDisplay.from_predictions(y, score, sample_weight=weight, ax=ax, name="ours")
    np.testing.assert_allclose(stems(shown)["positive (True)"], [[0.4, 0.8], [0.75, 0.25]])
    np.testing.assert_allclose(stems(shown)["negative"], [[0.1, 0.4], [-0.2, -0.8]])
    assert (shown.ax_.get_ylabel(), ax.get_title()) == ("Share of the class", "mine")


def test_many_scores_are_histograms_with_an_overlap():
    weight = np.linspace(1, 3, 120)
    shown = ScoreDisplay.from_estimator(MODEL, X, Y, sample_weight=weight, bins=20)
    up, down = shown.ax_.patches[:2]
    for patch, k in ((up, 1), (down, 0)):
        heights, edges, _ = patch.get_data()
        expected = np.histogram(SCORE[k == Y], edges, weights=weight[k == Y])[0]
        np.testing.assert_allclose(np.abs(heights), expected / expected.sum(), atol=1e-12)
    low, high = SCORE[Y == 1].min(), SCORE[Y == 0].max()
    assert shown.margin_ == low - high
    _, overlap, names = marked(shown)
    assert any("(overlap)" in name for name in names)
    np.testing.assert_allclose(overlap, [low, high])
    assert shown.ax_.get_title() == "GaussianNB"


def test_scores_of_folds_are_pooled_and_both_classes_must_occur():
    weight = np.linspace(1, 3, 120)
    shown = ScoreDisplay.from_cv_results(FOLDS, X, Y, sample_weight=weight, name="folds")
    ranked = shown.scores
    odds = (weight * Y).sum() / (weight * (1 - Y)).sum()
    assert ranked.positive.sum() / ranked.negative.sum() == pytest.approx(odds)
    assert len(ranked.values) > 110
    with pytest.raises(ValueError, match="one class only"):
        ScoreDisplay.from_predictions([1, 1], [0.2, 0.3])


def test_lines_are_level():
    shown = IsometricsDisplay.from_metric("accuracy", 0.2, levels=[0.7, 0.5])
    np.testing.assert_array_equal(shown.levels_, [0.5, 0.7])
    for level, path in zip(shown.levels_, shown.contours_.get_paths(), strict=True):
        fpr, tpr = path.vertices.T
        np.testing.assert_allclose(0.2 * tpr + 0.8 * (1 - fpr), level, atol=1e-9)
    assert shown.ax_.get_xlabel() == "False positive rate"
    assert shown.ax_.get_ylabel() == "True positive rate"
    assert title(shown) == "prevalence 0.2"


def test_f_beta_in_precision_recall_space():
    ax, options = None, {"space": "pr", "levels": [0.5]}
    for beta in (0.5, 2):
        shown = IsometricsDisplay.from_metric(
            "fbeta", 0.2, beta=beta, name=f"beta {beta}", ax=ax, **options
        )
        ax = shown.ax_
        recall, precision = shown.contours_.get_paths()[0].vertices.T
        value = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
        np.testing.assert_allclose(value, 0.5, atol=1e-3)
    assert sorted(legend(shown)) == ["beta 0.5", "beta 2"]
    first, second = ax.get_lines()[:2]
    assert first.get_color() != second.get_color()
    assert first.get_linestyle() != second.get_linestyle()
    assert ax.get_xlabel() == "Recall"


def test_over_a_roc_curve_and_of_a_function():
    def total_recall(c: Counts):
        return c.tp / c.positives

    roc = RocCurveDisplay(RocCurve.from_points([0.2], [0.6]), name="measured").plot()
    shown = IsometricsDisplay(isometrics(total_recall, n_points=21)).plot(roc.ax_)
    assert shown.ax_ is roc.ax_
    assert shown.ax_.get_ylabel() == "True positive rate"
    assert legend(shown) in (
        ["measured (AUC = 0.70)", "total recall"], ["measured AUC = 0.70", "total recall"],
    )  # fmt: skip
