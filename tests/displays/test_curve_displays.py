"""Displays of ROC, precision-recall, scorROC and probROC curves: what is drawn, named and framed."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics
from matplotlib import pyplot
from matplotlib.colors import to_hex
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from skaucx import inference
from skaucx import metrics as sm
from skaucx.displays import ProbRocDisplay, ScorRocDisplay
from skaucx.metrics import PrecisionRecallDisplay, RocCurveDisplay
from skaucx.metrics.curves import RocCurve, mean_curve

pytestmark = pytest.mark.presentation

DISPLAYS = [RocCurveDisplay, PrecisionRecallDisplay, ScorRocDisplay, ProbRocDisplay]
CURVES = {
    RocCurveDisplay: sm.roc_curve,
    PrecisionRecallDisplay: sm.precision_recall_curve,
    ScorRocDisplay: sm.scor_roc_curve,
    ProbRocDisplay: sm.prob_roc_curve,
}
each_display = pytest.mark.parametrize("display", DISPLAYS)


@pytest.fixture(scope="module")
def flowers():
    X, y = load_iris(return_X_y=True)
    names = load_iris().target_names[y]
    return X[:, :2], names, GaussianNB().fit(X[:, :2], names)


def folds(X, y, cv=4):
    options = {"return_estimator": True, "return_indices": True}
    return cross_validate(GaussianNB(), X, y, cv=cv, **options)


def drawn(curve):
    """Return what a display puts on x and on y."""
    if isinstance(curve, sm.curves.PrecisionRecallCurve):
        return curve.recall, curve.precision
    return tuple(curve)[:2]


def legend(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


@each_display
def test_from_estimator_draws_the_curve_of_its_scores(display, binary):
    X, y, model = binary
    weight = np.linspace(1, 2, len(y))
    shown = display.from_estimator(model, X, y, sample_weight=weight)
    expected = CURVES[display](y, model.predict_proba(X)[:, 1], sample_weight=weight)
    np.testing.assert_array_equal(shown.line_.get_data(), drawn(expected))
    value = getattr(expected, "average_precision", None) or expected.area
    assert legend(shown)[0].startswith("GaussianNB (")
    assert legend(shown)[0].endswith(f" = {value:.2f})")
    assert shown.ax_.get_xlim() == shown.ax_.get_ylim() == (-0.01, 1.01)
    assert shown.ax_.get_box_aspect() == 1
    assert shown.figure_ is shown.ax_.figure
    assert "(Positive label: 1)" in shown.ax_.get_xlabel()
    assert "Positive label" not in shown.ax_.get_ylabel()  # once in a picture


@each_display
def test_the_other_class_and_predictions(display, binary):
    X, y, model = binary
    names = np.array(["no", "yes"])[y]
    score = model.predict_proba(X)[:, 0]
    shown = display.from_predictions(names, score, pos_label="no", name="turned")
    again = display.from_estimator(GaussianNB().fit(X, names), X, names, pos_label="no")
    np.testing.assert_allclose(shown.line_.get_data(), again.line_.get_data(), atol=1e-12)
    assert legend(shown)[0].startswith("turned (")
    assert "(Positive label: no)" in shown.ax_.get_xlabel()


@each_display
def test_several_classes(display, flowers):
    X, y, model = flowers
    shown = display.from_estimator(model, X, y)
    curves = sm.curves.one_vs_rest_curves(CURVES[display], y, model.predict_proba(X))
    assert len(shown.line_) == 3
    for line, curve in zip(shown.line_, curves.values(), strict=True):
        np.testing.assert_array_equal(line.get_data(), drawn(curve))
    assert [text.partition(" (")[0] for text in legend(shown)] == [f"class {c}" for c in curves]
    assert len({line.get_color() for line in shown.line_}) == 3
    assert len({line.get_linestyle() for line in shown.line_}) == 3
    assert "Positive label" not in shown.ax_.get_xlabel()
    named = display.from_predictions(y, model.predict_proba(X), name="bayes")
    assert legend(named)[0].startswith("bayes: setosa (")


@pytest.mark.parametrize("name", ["RocCurveDisplay", "DetCurveDisplay", "PrecisionRecallDisplay"])
def test_attributes_are_those_of_scikit_learn(name: str) -> None:
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 60), rng.random(60)
    theirs = getattr(sklearn.metrics, name).from_predictions(y, score)
    ours = getattr(sm, name).from_predictions(y, score)
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


@each_display
def test_folds_share_a_line_of_the_legend(display, binary):
    X, y, _ = binary
    results = folds(X, y)
    shown = display.from_cv_results(results, X, y, name="folds", sample_weight=np.ones(len(y)))
    values = []
    for line, model, rows in zip(
        shown.line_, results["estimator"], results["indices"]["test"], strict=True
    ):
        curve = CURVES[display](y[rows], model.predict_proba(X[rows])[:, 1])
        np.testing.assert_allclose(line.get_data(), drawn(curve), atol=1e-12)
        values.append(getattr(curve, "average_precision", None) or curve.area)
    [entry] = legend(shown)
    assert entry.endswith(f"{np.mean(values):.2f} \u00b1 {np.std(values, ddof=1):.2f})")
    assert len({line.get_color() for line in shown.line_}) == 1


def test_a_fold_without_a_class_is_left_out_of_the_mean():
    rng = np.random.default_rng(0)
    y = np.r_[np.zeros(20, int), np.arange(40) % 2]
    X = rng.normal(size=(60, 2)) + y[:, None]
    with pytest.warns(UndefinedMetricWarning, match="no positive example"):
        shown = RocCurveDisplay.from_cv_results(folds(X, y, KFold(3)), X, y)
    areas = [curve.area for curve in shown.curves]
    assert np.isnan(areas).tolist() == [True, False, False]
    assert legend(shown) == [
        f"AUC = {np.mean(areas[1:]):.2f} \u00b1 {np.std(areas[1:], ddof=1):.2f}"
    ]
    assert legend(RocCurveDisplay(shown.curves[0]).plot()) == ["AUC undefined"]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (RocCurveDisplay, sklearn.metrics.RocCurveDisplay),
        (PrecisionRecallDisplay, sklearn.metrics.PrecisionRecallDisplay),
    ],
)
def test_keywords_and_lines_of_scikit_learn(ours, theirs, binary):
    X, y, model = binary
    options = {
        "sample_weight": None, "drop_intermediate": True, "response_method": "auto",
        "pos_label": 1, "name": "model", "ax": None, "plot_chance_level": True,
        "chance_level_kw": {"color": "red"}, "despine": True,
    }  # fmt: skip
    shown = ours.from_estimator(model, X, y, curve_kwargs={"c": "green", "lw": 3}, **options)
    reference = theirs.from_estimator(model, X, y, **options)
    np.testing.assert_allclose(shown.line_.get_data(), reference.line_.get_data(), atol=1e-12)
    assert shown.line_.get_color() == "green"
    assert shown.line_.get_linewidth() == 3
    assert shown.line_.get_drawstyle() == reference.line_.get_drawstyle()
    assert legend(shown) == [text.get_text() for text in reference.ax_.get_legend().get_texts()]
    assert not shown.ax_.spines["top"].get_visible()


def test_a_list_of_styles_or_of_names_sets_curves_apart():
    curves = [RocCurve.from_points([x], [0.8]) for x in (0.1, 0.2)]
    shown = RocCurveDisplay(curves).plot(curve_kwargs=[{"color": "red"}, {"color": "blue"}])
    assert [line.get_color() for line in shown.line_] == ["red", "blue"]
    assert legend(shown) == ["AUC = 0.85", "AUC = 0.80"]
    shown = RocCurveDisplay(curves, name=["a", "b"]).plot()
    assert legend(shown) == ["a (AUC = 0.85)", "b (AUC = 0.80)"]
    for wrong in ({"name": ["a"]}, {"curve_kwargs": [{}] * 3}):
        with pytest.raises(ValueError, match="curves has 2, name or curve_kwargs has"):
            RocCurveDisplay(curves).plot(**wrong)


def test_a_mean_curve_is_drawn_as_a_curve():
    mean = mean_curve([RocCurve.from_points([x], [0.8]) for x in (0.1, 0.2)])
    shown = RocCurveDisplay({"mean": mean}).plot()
    np.testing.assert_array_equal(shown.line_.get_data(), (mean.x, mean.mean))
    assert legend(shown) == ["mean (AUC = 0.83)"]


def test_a_second_display_in_the_same_axes_has_its_own_style(binary):
    X, y, model = binary
    first = RocCurveDisplay.from_estimator(model, X, y, plot_chance_level=True)
    second = RocCurveDisplay.from_estimator(LinearSVC().fit(X, y), X, y, ax=first.ax_)
    assert second.ax_ is first.ax_
    assert first.line_.get_color() != second.line_.get_color()
    assert first.line_.get_linestyle() != second.line_.get_linestyle()
    assert len(legend(second)) == 3


def test_a_class_is_called_so_once():
    score = np.eye(3)[[0, 1, 2] * 4]
    for names, first in ((["class0", "class1", "class2"], "class0"), ([0, 1, 2], "class 0")):
        shown = RocCurveDisplay.from_predictions(np.array(names * 4), score)
        assert legend(shown)[0].startswith(f"{first} (")


def test_chance_of_precision_recall(binary):
    X, y, model = binary
    shown = PrecisionRecallDisplay.from_estimator(model, X, y, plot_chance_level=True)
    np.testing.assert_allclose(shown.chance_level_.get_ydata(), y.mean())


def test_chance_of_several_classes(flowers):
    X, y, model = flowers
    rows = np.r_[:30, 50:150]
    shown = PrecisionRecallDisplay.from_estimator(model, X[rows], y[rows], plot_chance_level=True)
    assert len(shown.chance_level_) == 2
    assert legend(shown)[-1] == "Chance level (AP = 0.23 to 0.38)"


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda X, y: RocCurveDisplay.from_estimator(GaussianNB(), X, y), NotFittedError, "not fitted"),
        (
            lambda X, y: RocCurveDisplay.from_estimator(LinearRegression().fit(X, y), X, y),
            ValueError, "must be a classifier, found LinearRegression",
        ),
        (
            lambda X, y: RocCurveDisplay.from_estimator(GaussianNB().fit(X, y), X, y, pos_label=3),
            ValueError, "pos_label=3 is not a class of the estimator",
        ),
        (
            lambda X, y: RocCurveDisplay.from_estimator(LinearSVC().fit(X, y), X, y,
                                                   response_method="predict_proba"),
            AttributeError, "LinearSVC has none of the following attributes: predict_proba",
        ),
        (
            lambda X, y: RocCurveDisplay.from_estimator(GaussianNB().fit(X, y), X, y,
                                                   response_method="predict"),
            ValueError, "response_method must be one of",
        ),
        (
            lambda X, y: RocCurveDisplay.from_cv_results(cross_validate(GaussianNB(), X, y), X, y),
            ValueError, "return_estimator=True",
        ),
        (
            lambda X, y: RocCurveDisplay.from_cv_results(folds(X, y), X[:50], y[:50]),
            ValueError, "X must be the cross-validated data, 120 rows, found 50",
        ),
        (
            lambda X, y: RocCurveDisplay.from_predictions(y, X[:, 0], colour="red"),
            TypeError, "colour",
        ),
        (
            lambda X, y: RocCurveDisplay.from_predictions(y, X[:, 0], curve_kwargs={"c": 1, "color": 2}),
            TypeError, "both 'c' and 'color', which are aliases",
        ),
    ],
)  # fmt: skip
def test_refusals(call, error, says, binary):
    X, y, _ = binary
    with pytest.raises(error, match=says):
        call(X, y)


def test_folds_that_know_different_classes(flowers):
    X, y, _ = flowers
    with pytest.raises(ValueError, match="classifiers of the folds know different classes"):
        RocCurveDisplay.from_cv_results(folds(X, y, KFold(3)), X, y)


@each_display
def test_without_matplotlib(display, binary, monkeypatch):
    X, y, model = binary
    pyplot.close("all")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"skaucx\[plot\]"):
        display.from_estimator(model, X, y)


@pytest.mark.parametrize(
    ("display", "make"),
    [
        (RocCurveDisplay, inference.roc_band),
        (PrecisionRecallDisplay, inference.precision_recall_band),
    ],
)
def test_bands_name_themselves(binary, display, make):
    X, y, model = binary
    draws = {"n_resamples": 50, "random_state": 0, "confidence_level": 0.9}
    for simultaneous, label in ((True, "90 % band"), (False, "90 % band, pointwise")):
        band = make(y, model.predict_proba(X)[:, 1], simultaneous=simultaneous, **draws)
        shown = display.from_estimator(model, X, y, band=band)
        assert legend(shown)[-1] == label
        top = shown.band_.get_datalim(shown.ax_.transData).y1
        assert top == pytest.approx(np.nanmax(band.high))
        assert to_hex(shown.band_.get_facecolor()) == to_hex(shown.line_.get_color())


def test_frames_pipelines_and_other_responses(binary):
    X, y, _ = binary
    frame = pd.DataFrame(X).add_prefix("x")
    target = pd.Series(np.array(["a", "b"])[y], index=range(5, 125))
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(frame, target)
    shown = RocCurveDisplay.from_estimator(
        model, frame, target, response_method="decision_function"
    )
    assert legend(shown)[0].startswith("LogisticRegression (")
    results = folds(frame, target)
    options = {"plot_chance_level": True, "chance_level_kwargs": {"label": "coin"}}
    drawn_folds = RocCurveDisplay.from_cv_results(results, frame, target, **options)
    assert drawn_folds.chance_level_.get_label() == "coin"
    turned = RocCurveDisplay.from_estimator(LinearSVC().fit(X, y), X, y, pos_label=0)
    expected = sm.roc_curve(y, -LinearSVC().fit(X, y).decision_function(X), pos_label=0)
    np.testing.assert_array_equal(turned.line_.get_data(), drawn(expected))
