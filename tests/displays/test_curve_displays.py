"""Displays of ROC, precision-recall, score, gain and DET curves: lines, names, axes."""

import sys

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from matplotlib.colors import to_hex
from scipy.stats import norm
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from skaucx import inference
from skaucx import metrics as sm
from skaucx.displays import GainDisplay, ProbRocDisplay, ScorRocDisplay
from skaucx.metrics import DetCurveDisplay, PrecisionRecallDisplay, RocCurveDisplay
from skaucx.metrics.curves import RocCurve, mean_curve
from tests.datasets import binary, classes, words

pytestmark = pytest.mark.presentation

CURVES = {
    RocCurveDisplay: sm.roc_curve,
    PrecisionRecallDisplay: sm.precision_recall_curve,
    ScorRocDisplay: sm.scor_roc_curve,
    ProbRocDisplay: sm.prob_roc_curve,
}
each_display = pytest.mark.parametrize("display", CURVES)
X, Y = binary.X, binary.y
MODEL = GaussianNB().fit(X, Y)
SCORE = MODEL.predict_proba(X)[:, 1]
OF_CLASSES = GaussianNB().fit(classes.X, classes.y)
BY_CLASS = np.argsort(classes.y)


def folds(X, y, cv=4):
    options = {"return_estimator": True, "return_indices": True}
    return cross_validate(GaussianNB(), X, y, cv=cv, **options)


def drawn(curve):
    """Return what a display puts on x and on y."""
    if isinstance(curve, sm.curves.PrecisionRecallCurve):
        return curve.recall, curve.precision
    return tuple(curve)[:2]


def value(curve):
    return getattr(curve, "average_precision", None) or curve.area


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


@each_display
def test_from_estimator_draws_the_curve_of_its_scores(display):
    shown = display.from_estimator(MODEL, X, Y, sample_weight=binary.weight)
    expected = CURVES[display](Y, SCORE, sample_weight=binary.weight)
    np.testing.assert_array_equal(shown.line_.get_data(), drawn(expected))
    assert legend(shown)[0].startswith("GaussianNB (")
    assert legend(shown)[0].endswith(f" = {value(expected):.2f})")
    assert shown.ax_.get_xlim() == shown.ax_.get_ylim() == (-0.01, 1.01)
    assert shown.ax_.get_box_aspect() == 1
    assert shown.figure_ is shown.ax_.figure
    assert "(Positive label: 1)" in shown.ax_.get_xlabel()
    assert "Positive label" not in shown.ax_.get_ylabel()  # once in a picture


@each_display
def test_the_other_class_and_predictions(display):
    model, ill = GaussianNB().fit(words.X, words.y), {"pos_label": "ill"}
    score = model.predict_proba(words.X)[:, 0]
    shown = display.from_predictions(words.y, score, name="turned", **ill)
    again = display.from_estimator(model, words.X, words.y, **ill)
    np.testing.assert_allclose(shown.line_.get_data(), again.line_.get_data(), atol=1e-12)
    assert legend(shown)[0].startswith("turned (")
    assert "(Positive label: ill)" in shown.ax_.get_xlabel()


@each_display
def test_several_classes(display):
    score = OF_CLASSES.predict_proba(classes.X)
    shown = display.from_estimator(OF_CLASSES, classes.X, classes.y)
    curves = sm.curves.one_vs_rest_curves(CURVES[display], classes.y, score)
    assert len(shown.line_) == 3
    for line, curve in zip(shown.line_, curves.values(), strict=True):
        np.testing.assert_array_equal(line.get_data(), drawn(curve))
    assert [text.partition(" (")[0] for text in legend(shown)] == [f"class {c}" for c in curves]
    assert len({line.get_color() for line in shown.line_}) == 3
    assert len({line.get_linestyle() for line in shown.line_}) == 3
    assert "Positive label" not in shown.ax_.get_xlabel()
    named = display.from_predictions(classes.y, score, name="bayes")
    assert legend(named)[0].startswith("bayes: cat (")


@each_display
def test_folds_share_a_line_of_the_legend(display):
    results, weight, values = folds(X, Y), binary.weight, []
    shown = display.from_cv_results(results, X, Y, name="folds", sample_weight=weight)
    models = zip(results["estimator"], results["indices"]["test"], strict=True)
    for line, (model, rows) in zip(shown.line_, models, strict=True):
        score = model.predict_proba(X[rows])[:, 1]
        curve = CURVES[display](Y[rows], score, sample_weight=weight[rows])
        np.testing.assert_allclose(line.get_data(), drawn(curve), atol=1e-12)
        values.append(value(curve))
    [entry] = legend(shown)
    assert entry.endswith(f"{np.mean(values):.2f} \u00b1 {np.std(values, ddof=1):.2f})")
    assert len({line.get_color() for line in shown.line_}) == 1


def test_a_fold_without_a_class_is_left_out_of_the_mean():
    y = np.r_[np.zeros(20, int), np.arange(40) % 2]
    X = np.random.default_rng(0).normal(size=(60, 2)) + y[:, None]
    with pytest.warns(UndefinedMetricWarning, match="no positive example"):
        shown = RocCurveDisplay.from_cv_results(folds(X, y, KFold(3)), X, y)
    areas = [curve.area for curve in shown.curves]
    assert np.isnan(areas).tolist() == [True, False, False]
    mean, deviation = np.mean(areas[1:]), np.std(areas[1:], ddof=1)
    assert legend(shown) == [f"AUC = {mean:.2f} \u00b1 {deviation:.2f}"]
    assert legend(RocCurveDisplay(shown.curves[0]).plot()) == ["AUC undefined"]


@pytest.mark.parametrize("name", ["RocCurveDisplay", "DetCurveDisplay", "PrecisionRecallDisplay"])
def test_attributes_are_those_of_scikit_learn(name):
    theirs = getattr(sklearn.metrics, name).from_predictions(Y, SCORE)
    ours = getattr(sm, name).from_predictions(Y, SCORE)
    arrays = {
        key: value
        for key, value in vars(theirs).items()
        if isinstance(value, np.ndarray | float) and not key.endswith("_")
    }
    assert len(arrays) >= 2
    for key, value in arrays.items():
        found = getattr(ours, key)
        if np.ndim(value):  # one drops points on a line, and the ends
            few, many = sorted((value, found), key=len)
            assert np.isin(np.round(few, 12), [*np.round(many, 12), 0, 1]).all(), key
        else:
            assert found == pytest.approx(value, abs=1e-12), key


@pytest.mark.parametrize("name", ["RocCurveDisplay", "PrecisionRecallDisplay"])
def test_keywords_and_lines_of_scikit_learn(name):
    options = {
        "sample_weight": None, "drop_intermediate": True, "response_method": "auto",
        "pos_label": 1, "name": "model", "ax": None, "plot_chance_level": True,
        "chance_level_kw": {"color": "red"}, "despine": True,
    }  # fmt: skip
    styles = {"curve_kwargs": {"c": "green", "lw": 3}}
    shown = getattr(sm, name).from_estimator(MODEL, X, Y, **styles, **options)
    reference = getattr(sklearn.metrics, name).from_estimator(MODEL, X, Y, **options)
    np.testing.assert_allclose(shown.line_.get_data(), reference.line_.get_data(), atol=1e-12)
    assert (shown.line_.get_color(), shown.line_.get_linewidth()) == ("green", 3)
    assert shown.line_.get_drawstyle() == reference.line_.get_drawstyle()
    assert legend(shown) == [text.get_text() for text in reference.ax_.get_legend().get_texts()]
    assert not shown.ax_.spines["top"].get_visible()


def test_names_and_styles_of_several_curves():
    curves = [RocCurve.from_points([x], [0.8]) for x in (0.1, 0.2)]
    shown = RocCurveDisplay(curves).plot(curve_kwargs=[{"color": "red"}, {"color": "blue"}])
    assert [line.get_color() for line in shown.line_] == ["red", "blue"]
    assert legend(shown) == ["AUC = 0.85", "AUC = 0.80"]
    shown = RocCurveDisplay(curves, name=["a", "b"]).plot()
    assert legend(shown) == ["a (AUC = 0.85)", "b (AUC = 0.80)"]
    for wrong in ({"name": ["a"]}, {"curve_kwargs": [{}] * 3}):
        with pytest.raises(ValueError, match="curves has 2, name or curve_kwargs has"):
            RocCurveDisplay(curves).plot(**wrong)
    mean = mean_curve(curves)
    shown = RocCurveDisplay({"mean": mean}).plot()
    np.testing.assert_array_equal(shown.line_.get_data(), (mean.x, mean.mean))
    assert legend(shown) == ["mean (AUC = 0.83)"]
    for names, first in ((["class0", "class1", "class2"], "class0"), ([0, 1, 2], "class 0")):
        shown = RocCurveDisplay.from_predictions(np.array(names * 4), np.eye(3)[[0, 1, 2] * 4])
        assert legend(shown)[0].startswith(f"{first} (")  # a class is called so once


def test_a_second_display_in_the_same_axes_has_its_own_style():
    first = RocCurveDisplay.from_estimator(MODEL, X, Y, plot_chance_level=True)
    second = RocCurveDisplay.from_estimator(LinearSVC().fit(X, Y), X, Y, ax=first.ax_)
    assert second.ax_ is first.ax_
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    assert len(legend(second)) == 3


def test_chance_of_precision_recall_is_the_share_of_each_class():
    chance = {"plot_chance_level": True}
    shown = PrecisionRecallDisplay.from_estimator(MODEL, X, Y, **chance)
    np.testing.assert_allclose(shown.chance_level_.get_ydata(), Y.mean())
    rows = BY_CLASS[10:]  # of 20, 30 and 30
    shown = PrecisionRecallDisplay.from_estimator(
        OF_CLASSES, classes.X[rows], classes.y[rows], **chance
    )
    assert len(shown.chance_level_) == 2
    assert legend(shown)[-1] == "Chance level (AP = 0.25 to 0.38)"


of_model, of_scores = RocCurveDisplay.from_estimator, RocCurveDisplay.from_predictions
of_folds = RocCurveDisplay.from_cv_results


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: of_model(GaussianNB(), X, Y), NotFittedError, "not fitted"),
        (lambda: of_model(LinearRegression().fit(X, Y), X, Y),
         ValueError, "must be a classifier, found LinearRegression"),
        (lambda: of_model(MODEL, X, Y, pos_label=3),
         ValueError, "pos_label=3 is not a class of the estimator"),
        (lambda: of_model(LinearSVC().fit(X, Y), X, Y, response_method="predict_proba"),
         AttributeError, "LinearSVC has none of the following attributes: predict_proba"),
        (lambda: of_model(MODEL, X, Y, response_method="predict"),
         ValueError, "response_method must be one of"),
        (lambda: of_folds(cross_validate(GaussianNB(), X, Y), X, Y),
         ValueError, "return_estimator=True"),
        (lambda: of_folds(folds(X, Y), X[:50], Y[:50]),
         ValueError, "X must be the cross-validated data, 60 rows, found 50"),
        (lambda: of_folds(folds(classes.X[BY_CLASS], classes.y[BY_CLASS], KFold(3)),
                          classes.X[BY_CLASS], classes.y[BY_CLASS]),
         ValueError, "classifiers of the folds know different classes"),
        (lambda: of_scores(Y, SCORE, colour="red"), TypeError, "colour"),
        (lambda: of_scores(Y, SCORE, curve_kwargs={"c": 1, "color": 2}),
         TypeError, "both 'c' and 'color', which are aliases"),
    ],
)  # fmt: skip
def test_refusals(call, error, says):
    with pytest.raises(error, match=says):
        call()


@each_display
def test_without_matplotlib(display, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"skaucx\[plot\]"):
        display.from_estimator(MODEL, X, Y)


@pytest.mark.parametrize(
    ("display", "make"),
    [
        (RocCurveDisplay, inference.roc_band),
        (PrecisionRecallDisplay, inference.precision_recall_band),
    ],
)
def test_bands_name_themselves(display, make):
    draws = {"n_resamples": 50, "random_state": 0, "confidence_level": 0.9}
    for simultaneous, label in ((True, "90 % band"), (False, "90 % band, pointwise")):
        band = make(Y, SCORE, simultaneous=simultaneous, **draws)
        shown = display.from_estimator(MODEL, X, Y, band=band)
        assert legend(shown)[-1] == label
        top = shown.band_.get_datalim(shown.ax_.transData).y1
        assert top == pytest.approx(np.nanmax(band.high))
        assert to_hex(shown.band_.get_facecolor()) == to_hex(shown.line_.get_color())


def test_frames_pipelines_and_other_responses():
    frame = pd.DataFrame(X).add_prefix("x")
    target = pd.Series(np.array(["a", "b"])[Y], index=range(5, 65))
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, target)
    shown = of_model(model, frame, target, response_method="decision_function")
    assert legend(shown)[0].startswith("LogisticRegression (")
    options = {"plot_chance_level": True, "chance_level_kwargs": {"label": "coin"}}
    shown = of_folds(folds(frame, target), frame, target, **options)
    assert shown.chance_level_.get_label() == "coin"
    model = LinearSVC().fit(X, Y)
    expected = sm.roc_curve(Y, -model.decision_function(X), pos_label=0)
    shown = of_model(model, X, Y, pos_label=0)
    np.testing.assert_array_equal(shown.line_.get_data(), drawn(expected))


def test_gain_at_a_share():
    gain = GainDisplay.from_predictions(Y, SCORE)
    for k in (3, 10, 30):
        found = np.interp(k / 60, *gain.line_.get_data())
        assert found == pytest.approx(sm.recall_at_k_score(Y, SCORE, k=k))
        assert found / (k / 60) == pytest.approx(sm.lift_score(Y, SCORE, k=k))
    assert legend(gain)[0] == f"Classifier (KS = {sm.ks_score(Y, SCORE):.2f})"


@pytest.mark.parametrize("score", [SCORE, binary.score], ids=["distinct", "tied"])
def test_det_line_is_that_of_scikit_learn(score):
    shown = DetCurveDisplay.from_predictions(Y, score)
    fpr, fnr, _ = sklearn.metrics.det_curve(Y, score, drop_intermediate=False)
    assert len(fpr) > 20
    eps = np.finfo(float).eps
    theirs = norm.ppf(np.clip([fpr, fnr], eps, 1 - eps))
    np.testing.assert_allclose(shown.line_.get_data(), theirs, rtol=1e-9, atol=1e-9)
