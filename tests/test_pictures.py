"""Pictures are drawn without a warning, and no text leaves the figure."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from skaucx._plotting.style import LIGHT
from skaucx.displays import (
    CostDisplay,
    DecisionDisplay,
    ForestDisplay,
    GainDisplay,
    RiskCoverageDisplay,
)
from skaucx.inference import Interval, intervals
from skaucx.metrics import DetCurveDisplay, RocCurveDisplay
from tests.each import each
from tests.picture_cases import (
    CASES,
    MANY,
    cut,
    drawn,
    folds,
    texts,
    two,
)

pytestmark = pytest.mark.presentation


@pytest.fixture(autouse=True)
def _plain():
    with pyplot.rc_context():
        yield
    pyplot.close("all")


@pytest.mark.parametrize("draw", [*CASES.values(), *MANY.values()], ids=[*CASES, *MANY])
def test_no_text_leaves_the_figure(draw):
    figure = draw().figure_
    assert not cut(figure, texts(figure))


def test_what_a_caller_has_drawn_keeps_its_colour():
    _, ax = pyplot.subplots()
    ax.plot([0, 1], [0, 1], color=LIGHT[0], label="mine")
    shown = CASES["roc"](ax)
    assert shown.line_.get_color() == LIGHT[1]
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
        bars = [part for part in own if isinstance(part, LineCollection)]
        filled = [part for part in own if isinstance(part, PolyCollection | Rectangle)]
        found = [part.get_edgecolor() for part in bars] + [part.get_facecolor() for part in filled]
        assert {to_hex(part) for part in found} <= {colour.lower()}
    together = type(shown)(dict.fromkeys("abc", shown.curves)).plot()
    assert [line.get_color() for line in together.line_] == [*LIGHT[:3]]
    pyplot.close("all")


@each("name", ["matrix", "nested"])
def test_colours_of_a_theme_may_be_numbers(name):
    """As those of seaborn's themes."""
    pyplot.rcParams["axes.prop_cycle"] = pyplot.cycler(color=[(0.2, 0.1, 0.3), (0.9, 0.4, 0.3)])
    drawn(CASES[name]().figure_)
    pyplot.close("all")


def test_curves_without_a_name_are_named_by_their_value_or_number():
    first = [
        display.from_cv_results(*folds()).ax_.get_legend().get_texts()[0].get_text()
        for display in (CostDisplay, RiskCoverageDisplay, GainDisplay, DetCurveDisplay)
    ]
    assert [text.partition(" = ")[0] for text in first] == ["area", "AURC", "KS", "10 folds"]


@each("display", [CostDisplay, RiskCoverageDisplay, GainDisplay, DecisionDisplay])
def test_folds_have_their_mean_under_which_they_are_faint(display):
    shown = display.from_cv_results(*folds())
    [mean], places = shown.mean_, slice(40, 160, 40)
    named = display({f"fold {k}": curve for k, curve in enumerate(shown.curves)}).plot()
    alone = [line.get_data() for line in named.line_]
    x, y = (np.asarray(side, float) for side in mean.get_data())
    found = []
    for across, up in alone:
        order = np.argsort(across, kind="stable")
        found.append(np.interp(x, np.asarray(across)[order], np.asarray(up)[order]))
    if display is not RiskCoverageDisplay:  # those are no lines between points
        np.testing.assert_allclose(y[places], np.mean(found, axis=0)[places])
    assert y.min() >= np.nanmin(shown.ax_.dataLim.y0) - 1e-9
    assert all(line.get_alpha() < 0.5 for line in shown.line_)
    assert shown.ax_.get_legend().get_title().get_text() == "mean \u00b1 sd of 10 curves"
    assert len([part for part in shown.ax_.collections if isinstance(part, PolyCollection)]) == 1


def test_rows_of_a_forest_are_in_the_words_of_a_reader():
    y, score, positive = two()
    calls = np.where(score > 0.5, "yes", "no")
    found = intervals(["recall", "diagnostic_odds_ratio"], y, calls, **positive)
    found["neg_log_loss"] = Interval("neg_log_loss", -0.4, -2.0, -0.3, 0.1, 0.95, "normal")
    _, axes = pyplot.subplots(1, 2, figsize=(12, 4), layout="constrained")
    shown = ForestDisplay.from_intervals(found, ax=axes[0])
    assert shown.ax_ is axes[0]
    assert not cut(shown.figure_, texts(shown.figure_))
    assert shown.rows_ == ["recall", "diagnostic odds ratio", "log loss"]
    assert [text.get_text() for text in shown.ax_.texts][-1] == "0.40 [0.30, 2]"


def test_a_figure_can_be_pickled_and_drawn_again():
    figure, axes = pyplot.subplots(1, 2, layout="constrained")
    CASES["roc"](axes[0])
    CASES["confusion"](axes[1])
    again = pickle.loads(pickle.dumps(figure))
    assert not cut(again, texts(again))


def test_names_with_an_underscore_or_dollar_signs_are_in_the_legend():
    y, score, options = two()
    _, ax = pyplot.subplots()
    for name in ("_hidden", "from $5 to $10"):
        RocCurveDisplay.from_predictions(y, score, name=name, ax=ax, **options)
    found = ax.get_legend().get_texts()
    assert [text.get_text().strip().partition(" (")[0] for text in found] == [
        "_hidden", "from $5 to $10",
    ]  # fmt: skip
    assert not found[1].get_parse_math()


def test_chance_is_a_curve_on_a_logarithmic_axis():
    y, score, options = two()
    shown = RocCurveDisplay.from_predictions(y, score, plot_chance_level=True, **options)
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
