"""Pictures are drawn without a warning, no text leaves the figure, and a model has one colour."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx import displays as d
from skaucx._plotting.style import LIGHT
from skaucx.evaluation import evaluate
from skaucx.inference import Interval, intervals
from skaucx.metrics import Counts, curves, roc_curve
from skaucx.model_selection import NestedCVDisplay, TuningMatrixDisplay, nested_cross_validate
from tests.each import each
from tests.study import cases as of_study

pytestmark = pytest.mark.presentation

LONG = "the_name_of_a_thing_in_all_forty_letters"
LONG_TWO = f"n{LONG[2:]}", f"p{LONG[2:]}"


@cache
def two(names=("no", "yes")):
    """Labels and scores of two classes, and the positive class."""
    X, y = make_classification(
        n_samples=300, n_informative=4, weights=[0.7], flip_y=0.1, class_sep=0.8, random_state=3
    )
    score = GaussianNB().fit(X[::2], y[::2]).predict_proba(X)[:, 1]
    return np.array(names)[y], score, {"pos_label": names[1]}


@cache
def folds():
    X, y = make_classification(n_samples=300, flip_y=0.2, random_state=0)
    options = {"return_estimator": True, "return_indices": True}
    return cross_validate(GaussianNB(), X, y, cv=10, **options), X, y


@cache
def ten(name="class{}"):
    """Labels, predictions and probabilities of ten classes."""
    rng, names = np.random.default_rng(0), np.array([name.format(k) for k in range(10)])
    y = np.repeat(np.arange(10), 30)
    score = rng.dirichlet(np.ones(10), 300) + 0.3 * np.eye(10)[y]
    return names[y], names[score.argmax(axis=1)], score / score.sum(axis=1, keepdims=True)


@cache
def tuned(*more):
    X, y = make_classification(n_samples=200, flip_y=0.2, random_state=1)
    metrics = ["roc_auc", "f1", "matthews_corrcoef", "balanced_accuracy", *more]
    return nested_cross_validate(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 9]},
        X, y, scoring=metrics, refit=metrics, outer_cv=4, inner_cv=2, final=None,
    )  # fmt: skip


def forest_of_models(ax=None):
    found = {name: tuned().interval(name) for name in tuned().test_scores}
    return d.ForestDisplay({"one": found, "another": found}).plot(ax)


def forest_of_groups(ax=None, words=""):
    y, score, positive = two()
    groups = np.array([f"{k}{words}" for k in "abcde"])[np.arange(len(y)) % 5]
    calls, ask = np.where(score > 0.5, "yes", "no"), {"metrics": ["recall", "npv"], **positive}
    found = evaluate(y, calls, by={"site": groups}, intervals=True, **ask)
    return d.ForestDisplay.from_evaluation(found, ax=ax)


def thirty_names(ax=None):
    pairs = {f"classifier {k}": np.random.default_rng(k).normal(size=60) for k in range(30)}
    y = np.arange(60) % 2
    shown = d.RocCurveDisplay({name: roc_curve(y, y + noise) for name, noise in pairs.items()})
    return shown.plot(ax, plot_chance_level=True)


def scored(display, names=("no", "yes"), **options):
    def draw(ax=None):
        y, score, positive = two(names)
        return display.from_predictions(y, score, ax=ax, **positive, **options)

    return draw


def of_folds(display):
    return lambda ax=None: display.from_cv_results(*folds(), ax=ax)


def table(counts, **options):
    return lambda ax=None: d.ConfusionMatrixDisplay(counts, **options).plot(ax)


CASES = {
    "roc": scored(d.RocCurveDisplay, plot_chance_level=True),
    "pr": scored(d.PrecisionRecallDisplay, plot_chance_level=True),
    "scor": scored(d.ScorRocDisplay, plot_chance_level=True),
    "prob": scored(d.ProbRocDisplay, plot_chance_level=True),
    "thresholds": scored(d.ThresholdDisplay),
    "confusion": table([[135, 19], [29, 42]]),
    "scores": scored(d.ScoreDisplay),
    "isometrics": lambda ax=None: d.IsometricsDisplay.from_metric("f1", 0.2, space="pr", ax=ax),
    "nested": lambda ax=None: NestedCVDisplay(tuned()).plot(ax),
    "matrix": lambda ax=None: TuningMatrixDisplay(tuned().tuning_matrix).plot(ax),
    "matrix of eight": lambda ax=None: TuningMatrixDisplay(
        tuned("mm7_auc", "npv", "average_precision", "p4").tuning_matrix
    ).plot(ax),
    "roc folds": of_folds(d.RocCurveDisplay),
    "pr folds": of_folds(d.PrecisionRecallDisplay),
    "threshold folds": of_folds(d.ThresholdDisplay),
    "forest": forest_of_models,
    "forest of groups": forest_of_groups,
    "gain": scored(d.GainDisplay),
    "det": scored(d.DetCurveDisplay),
    "risk": scored(d.RiskCoverageDisplay),
    "risk folds": of_folds(d.RiskCoverageDisplay),
    "reliability": scored(d.CalibrationDisplay),
    "isotonic": scored(d.CalibrationDisplay, method="isotonic", n_resamples=50, random_state=0),
    "densities": lambda ax=None: d.DensityDisplay(
        curves.DensityModel(stats.norm(2), stats.norm(), prevalence=0.3), 1.2
    ).plot(ax),
    "venn": lambda ax=None: d.VennDisplay(Counts(tp=20, fp=180, fn=10, tn=1820)).plot(ax),
    "decision": scored(d.DecisionDisplay),
    "cost": scored(d.CostDisplay),
    "cost folds": of_folds(d.CostDisplay),
    **of_study.PICTURES,
}


def ten_curves(name):
    y, _, score = ten(name)
    return d.RocCurveDisplay.from_predictions(y, score, plot_chance_level=True)


MANY = {
    "30 names": thirty_names,
    "30 classes": table(
        np.random.default_rng(0).integers(0, 300, (30, 30)),
        display_labels=[f"class {k}" for k in range(30)],
    ),
    "10 classes": lambda: ten_curves("class{}"),
    "10 classes table": lambda: d.ConfusionMatrixDisplay.from_predictions(*ten()[:2]),
    "40 letters, 10 classes": lambda: ten_curves("{}" + LONG[1:]),
    "40 letters, table": lambda: d.ConfusionMatrixDisplay.from_predictions(*ten("{}" + LONG[1:])[:2]),
    "40 letters, two": table([[13, 19], [29, 42]], display_labels=LONG_TWO),
    "40 letters, roc": scored(
        d.RocCurveDisplay, LONG_TWO, name=f"{LONG} and more", plot_chance_level=True
    ),
    "40 letters, scores": scored(d.ScoreDisplay, LONG_TWO, name=LONG),
    "40 letters, thresholds": scored(d.ThresholdDisplay, LONG_TWO, name=LONG),
    "40 letters, groups": lambda: forest_of_groups(words=LONG),
}  # fmt: skip


def out_of_view(ax):
    """Return the names of ticks outside the view, and of axes that are off."""
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        room, shown = 1e-6 * (high - low), []
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            inside = ax.axison and low - room <= tick.get_loc() <= high + room
            shown += [tick.label1, tick.label2] if inside else []
        shown += [axis.label, axis.offsetText] if ax.axison else []
        yield from (text for text in axis.findobj(Text) if text not in shown)


def cut(figure, room=1.5):
    """Return the texts that are seen and leave the figure by more pixels."""
    figure.draw_without_rendering()
    renderer, page, found = figure.canvas.get_renderer(), figure.bbox, []
    unseen = {text for ax in figure.axes for text in out_of_view(ax)}
    for text in figure.findobj(Text):
        box = text.get_window_extent(renderer)
        seen = text.get_visible() and text.get_text().strip() and text not in unseen
        inside = box.x0 >= -room and box.x1 <= page.x1 + room
        inside &= box.y0 >= -room and box.y1 <= page.y1 + room
        found += [text.get_text()] if seen and box.width > 0 and not inside else []
    return found


@pytest.fixture(autouse=True)
def _plain():
    with pyplot.rc_context():
        yield


@pytest.mark.parametrize("draw", [*CASES.values(), *MANY.values()], ids=[*CASES, *MANY])
def test_no_text_leaves_the_figure(draw):
    assert not cut(draw().figure_)


def test_what_a_caller_has_drawn_keeps_its_colour():
    _, ax = pyplot.subplots()
    ax.plot([0, 1], [0, 1], color=LIGHT[0], label="mine")
    assert CASES["roc"](ax).line_.get_color() == LIGHT[1]
    pyplot.rcParams["axes.prop_cycle"] = pyplot.cycler(color=["#111111", "#777777"])
    assert CASES["roc"]().line_.get_color() == "#111111"


CURVES = [
    "roc", "pr", "scor", "prob", "gain", "det", "risk", "decision", "cost", "reliability",
    "isotonic",
]  # fmt: skip


@each("name", CURVES)
def test_the_nth_curve_has_the_nth_colour_beside_references_and_all_that_is_its_own(name):
    """In one page a model has one colour in every picture."""
    _, ax = pyplot.subplots()
    for colour in LIGHT[:3]:
        before = {*ax.get_children()}
        shown = CASES[name](ax)
        assert shown.line_.get_color() == colour
        own = {*ax.get_children()} - before
        found = [part.get_edgecolor() for part in own if isinstance(part, LineCollection)]
        filled = [part for part in own if isinstance(part, PolyCollection | Rectangle)]
        found += [part.get_facecolor() for part in filled]
        assert {to_hex(part) for part in found} <= {colour.lower()}
    together = type(shown)(dict.fromkeys("abc", shown.curves)).plot()
    assert [line.get_color() for line in together.line_] == [*LIGHT[:3]]
    pyplot.close("all")


@pytest.mark.parametrize("name", ["matrix", "nested"])
def test_colours_of_a_theme_may_be_numbers(name):
    """As those of seaborn's themes."""
    pyplot.rcParams["axes.prop_cycle"] = pyplot.cycler(color=[(0.2, 0.1, 0.3), (0.9, 0.4, 0.3)])
    CASES[name]().figure_.draw_without_rendering()


@each(
    "display, named",
    [(d.CostDisplay, "area = "), (d.RiskCoverageDisplay, "AURC = "), (d.GainDisplay, "KS = "),
     (d.DetCurveDisplay, "10 folds")],
)  # fmt: skip
def test_curves_without_a_name_are_named_by_their_value_or_number(display, named):
    first = display.from_cv_results(*folds()).ax_.get_legend().get_texts()[0].get_text()
    assert first.startswith(named)


@each("display", [d.CostDisplay, d.RiskCoverageDisplay, d.GainDisplay, d.DecisionDisplay])
def test_folds_are_faint_under_their_mean(display):
    shown = display.from_cv_results(*folds())
    assert all(line.get_alpha() < 0.5 for line in shown.line_)
    assert shown.ax_.get_legend().get_title().get_text() == "mean \u00b1 sd of 10 curves"
    assert len([part for part in shown.ax_.collections if isinstance(part, PolyCollection)]) == 1
    [mean] = shown.mean_
    if display is not d.RiskCoverageDisplay:  # those are no lines between points
        x, found = mean.get_xdata()[40:160:40], []
        for line in display({f"fold {k}": c for k, c in enumerate(shown.curves)}).plot().line_:
            order = np.argsort(line.get_xdata(), kind="stable")
            found.append(np.interp(x, line.get_xdata()[order], line.get_ydata()[order]))
        np.testing.assert_allclose(mean.get_ydata()[40:160:40], np.mean(found, axis=0))


def test_rows_of_a_forest_are_in_the_words_of_a_reader():
    y, score, positive = two()
    calls = np.where(score > 0.5, "yes", "no")
    found = intervals(["recall", "diagnostic_odds_ratio"], y, calls, **positive)
    found["neg_log_loss"] = Interval("neg_log_loss", -0.4, -2.0, -0.3, 0.1, 0.95, "normal")
    _, axes = pyplot.subplots(1, 2, figsize=(12, 4), layout="constrained")
    shown = d.ForestDisplay.from_intervals(found, ax=axes[0])
    assert shown.ax_ is axes[0]
    assert not cut(shown.figure_)
    assert shown.rows_ == ["recall", "diagnostic odds ratio", "log loss"]
    assert [text.get_text() for text in shown.ax_.texts][-1] == "0.40 [0.30, 2.00]"


def test_a_figure_can_be_pickled_and_drawn_again():
    figure, axes = pyplot.subplots(1, 2, layout="constrained")
    CASES["roc"](axes[0])
    CASES["confusion"](axes[1])
    assert not cut(pickle.loads(pickle.dumps(figure)))


def test_names_with_an_underscore_or_dollar_signs_are_in_the_legend():
    _, ax = pyplot.subplots()
    names = ["_hidden", "from $5 to $10"]
    for name in names:
        scored(d.RocCurveDisplay, name=name)(ax)
    found = ax.get_legend().get_texts()
    assert [text.get_text().strip().partition(" (")[0] for text in found] == names
    assert not found[1].get_parse_math()


def test_chance_is_a_curve_on_a_logarithmic_axis():
    shown = CASES["roc"]()
    x, height = shown.chance_level_.get_data()
    np.testing.assert_allclose(x, height)
    shown.ax_.set_xscale("log")
    assert ((x > 0) & (x < 0.01)).sum() > 10


@pytest.mark.slow
def test_every_picture_takes_a_name_and_despines():
    """The name is the title, or in the legend; both spines go from all axes of the display."""
    for case, make in CASES.items():
        display = make()
        display.plot(name="A name", despine=True)
        legend = display.ax_.get_legend()
        named = [display.ax_.get_title()]
        if legend is not None:
            named += [text.get_text() for text in (legend.get_title(), *legend.get_texts())]
        assert any("A name" in text for text in named), (case, named)
        spines = display.ax_.spines
        assert not any(spines[side].get_visible() for side in ("top", "right")), case
        pyplot.close("all")
