"""Pictures in hard surroundings: no text is cut or covered, and the axes keep their room."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb
from matplotlib.text import Annotation
from matplotlib.transforms import Bbox

from skaucx._plotting.legends import _bare
from skaucx._plotting.style import DARK, LIGHT, luminance
from skaucx.displays import (
    CostDisplay,
    DecisionDisplay,
    ForestDisplay,
    GainDisplay,
    IsometricsDisplay,
    ProbRocDisplay,
    RiskCoverageDisplay,
    ScoreDisplay,
    ScorRocDisplay,
)
from skaucx.inference import Interval, intervals
from skaucx.metrics import DetCurveDisplay, PrecisionRecallDisplay, RocCurveDisplay
from tests.each import each
from tests.picture_cases import (
    CASES,
    HARD,
    LONG,
    MANY,
    covered,
    critical_difference,
    cut,
    drawn,
    folds,
    forest_of_groups,
    scored,
    sizes,
    ten,
    texts,
    two,
)
from tests.public import cases_of_annexes

pytestmark = pytest.mark.presentation

GRIDS = {
    "curves": ["roc", "pr", "scor", "prob", "thresholds", "confusion"],
    "tables": ["scores", "isometrics", "nested", "matrix", "ranks", "roc folds"],
}
MANY_IN_A_GRID = [
    "30 names", "10 classes", "10 classes table", "40 letters, table", "40 letters, scores",
    "30 ranked",
]  # fmt: skip
LEAST = 2.4  # inches of the sides of axes in a grid of 2 x 3 in 12 x 8


@pytest.fixture(autouse=True)
def _plain():
    with pyplot.rc_context():
        yield
    pyplot.close("all")


def check(figure):
    """Nothing is cut or covered; return the shown texts with their boxes."""
    shown = texts(figure)
    assert not cut(figure, shown)
    assert not covered(shown)
    return shown


def grid(draws):
    figure, axes = pyplot.subplots(2, 3, figsize=(12, 8), layout="constrained")
    for ax, draw in zip(axes.flat, draws, strict=True):
        draw(ax)
    return figure


@pytest.mark.parametrize("names", GRIDS.values(), ids=GRIDS)
def test_in_a_grid(names):
    figure = grid([CASES[name] for name in names])
    check(figure)
    assert np.min(sizes(figure)) > LEAST
    assert tuple(figure.get_size_inches()) == (12, 8)


def test_many_names_in_a_grid():
    figure = grid([MANY[name] for name in MANY_IN_A_GRID])
    check(figure)
    assert np.min(sizes(figure)) > LEAST


@pytest.mark.parametrize("draw", CASES.values(), ids=CASES)
def test_in_three_by_two_inches(draw):
    figure, ax = pyplot.subplots(figsize=(3, 2), layout="constrained")
    draw(ax)
    check(figure)
    assert np.min(sizes(figure)) > 0.6
    assert tuple(figure.get_size_inches()) == (3, 2)


@pytest.mark.parametrize("draw", MANY.values(), ids=MANY)
def test_many_names_or_long_ones(draw):
    figure = draw().figure_
    check(figure)
    assert np.max(sizes(figure)[0]) > 3
    assert max(figure.get_size_inches()) < 11


def contrast(one, other):
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


TABLES = ["confusion", "matrix", "matrix of eight", *cases_of_annexes("TABLES")]


@pytest.mark.parametrize(
    ("style", "name"),
    [("dark_background", name) for name in CASES] + [("seaborn-v0_8", name) for name in TABLES],
)
def test_in_large_type_on_another_ground(style, name):
    """Each case drawn once: nothing is cut or covered, and all of it is seen on its ground."""
    pyplot.style.use(style)
    pyplot.rcParams["font.size"] = 18
    shown = CASES[name]()
    words = check(shown.figure_)
    ax, ground = shown.ax_, shown.figure_.get_facecolor()
    outside = [text for text, _ in words if text not in ax.texts]
    assert all(contrast(text.get_color(), ground) > 4 for text in outside)
    for line in ax.get_lines():
        if (
            line.get_gid() != "gap"
            and line.get_alpha() in (None, 1)
            and line.get_linestyle() != "None"
        ):
            assert contrast(line.get_color(), ax.get_facecolor()) > 1.4
    if ax.images:  # numbers in cells, on the colour of their cell
        assert not any(line.get_visible() for line in ax.get_xgridlines() + ax.get_ygridlines())
        [image] = ax.images
        cells = image.cmap(image.norm(np.asarray(image.get_array()))).reshape(-1, 4)
        words = [text for text in ax.texts if not isinstance(text, Annotation)]
        assert min(contrast(t.get_color(), c[:3]) for t, c in zip(words, cells, strict=True)) > 4.5


@pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])
def test_ten_lines_differ_in_grey(colours):
    assert len(colours) == 10
    lightness = np.sort([116 * np.cbrt(luminance(to_rgb(colour))) - 16 for colour in colours])
    assert np.diff(lightness).min() > 4


def test_what_a_caller_has_drawn_keeps_its_colour():
    _, ax = pyplot.subplots()
    ax.plot([0, 1], [0, 1], color=LIGHT[0], label="mine")
    shown = CASES["roc"](ax)
    assert shown.line_.get_color() == LIGHT[1]
    pyplot.rcParams["axes.prop_cycle"] = pyplot.cycler(color=["#111111", "#777777"])
    assert CASES["roc"]().line_.get_color() == "#111111"


@each("name", ["matrix", "nested"])
def test_colours_of_a_theme_may_be_numbers(name):
    """As those of seaborn's themes."""
    pyplot.rcParams["axes.prop_cycle"] = pyplot.cycler(color=[(0.2, 0.1, 0.3), (0.9, 0.4, 0.3)])
    drawn(CASES[name]().figure_)
    pyplot.close("all")


def test_a_second_chance_line_is_the_first():
    shown = CASES["roc"]()
    again = CASES["roc"](shown.ax_)
    assert again.chance_level_ is shown.chance_level_
    assert len([line for line in shown.ax_.get_lines() if line.get_gid() == "chance"]) == 1


def named(figure):
    """Return what legends say."""
    legends = [ax.get_legend() for ax in figure.axes if ax.get_legend()]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_a_free_part_holds_the_names():
    figure, ax = pyplot.subplots(figsize=(7, 6), layout="constrained")
    HARD["4 models, thresholds"](ax)
    drawn(figure)
    free = figure.axes[-1]
    assert len(named(figure)) == 4
    box, room = free.get_legend().get_window_extent(), free.get_window_extent()
    assert room.x0 - 1 <= box.x0 < box.x1 <= room.x1 + 1
    assert room.y0 - 1 <= box.y0 < box.y1 <= room.y1 + 1


@each("name", ["forest of groups", "ranges", "40 letters, roc"])
def test_numbers_of_an_axis_in_large_type_are_apart(name):
    with pyplot.rc_context({"font.size": 24}):
        figure, ax = pyplot.subplots(figsize=(7, 6), layout="constrained")
        (CASES | MANY)[name](ax)
        check(figure)
        pyplot.close(figure)


def test_names_that_are_left_out_are_counted():
    figure, ax = pyplot.subplots(figsize=(4, 4), layout="constrained")
    MANY["30 names"](ax)
    drawn(figure)
    left = int(ax.get_xlabel().rpartition("(unnamed:")[2].rstrip(")"))
    assert 0 < left == 31 - len(named(figure))


SETTINGS = {
    "3.5 x 1.4 inches": ({}, {"figsize": (3.5, 1.4)}, 1),
    "24 points": ({"font.size": 24}, {"figsize": (7, 6)}, 1),
    "dark": ("dark_background", {"figsize": (9, 4)}, 2),
    "grey": ("grayscale", {"figsize": (9, 4)}, 2),
    "seaborn": ("seaborn-v0_8-darkgrid", {"figsize": (9, 4)}, 2),
}


# Every case small and in large type; on the other grounds, which move nothing, one after the other.
GROUNDS = list(SETTINGS)[2:]
HARD_CASES = [(setting, case) for setting in list(SETTINGS)[:2] for case in HARD]
HARD_CASES += [(GROUNDS[i % len(GROUNDS)], case) for i, case in enumerate(HARD)]


@pytest.mark.slow
@each("setting, case", HARD_CASES)
@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_hard_cases_in_hard_surroundings(setting, case):
    """No legend moves limits or covers curves; no value is cut; names stay different."""
    style, given, columns = SETTINGS[setting]
    with pyplot.rc_context(), pyplot.style.context(style):
        figure = pyplot.figure(layout="constrained", **given)
        part = figure.subfigures(1, 2)[0] if columns == 2 else figure
        shown = HARD[case](part.subplots())
        words = texts(figure)
        assert not cut(figure, words)
        assert case == "30 classes" or named(figure) or "(unnamed" in str(words)
        limits = [(ax.get_xlim(), ax.get_ylim()) for ax in part.axes]
        for ax in part.axes:
            legend = ax.get_legend()
            if legend is not None:
                cut_short = [
                    text.get_text() for text in legend.get_texts() if "\u2026" in text.get_text()
                ]
                assert not any(mark.isdigit() for name in cut_short for mark in name)
                box = Bbox.intersection(legend.get_window_extent(), ax.get_window_extent())
                for line in ax.get_lines() if box else ():
                    at = line.get_transform().transform(line.get_xydata())
                    assert not ((box.min < at) & (at < box.max)).all(axis=1).any()
                legend.remove()
        figure.set_layout_engine("none")  # is not what is tested, and takes half of the time
        figure.draw_without_rendering()
        assert [(ax.get_xlim(), ax.get_ylim()) for ax in part.axes] == limits
        if case == "30 classes":
            names = [label.get_text() for label in shown.ax_.get_xticklabels()]
            assert len({*names}) == 30
        elif case in ("risk", "4 models, thresholds"):
            assert shown.ax_.get_ylim()[1] < 1.06
        pyplot.close(figure)


@each("setting, case", [
    ("3.5 x 1.4 inches", "scor"), ("3.5 x 1.4 inches", "prob"),
    ("24 points", "scor"), ("dark", "scor"),
])  # fmt: skip
def test_names_of_axes_and_lines_stay_in_the_room_of_a_square(setting, case):
    """A long name of the x-axis of a square is not cut, nor are the names of its lines."""
    style, given, columns = SETTINGS[setting]
    with pyplot.rc_context(), pyplot.style.context(style):
        figure, axes = pyplot.subplots(1, columns, layout="constrained", squeeze=False, **given)
        CASES[case](axes[0, 0])
        check(figure)


@each("name, size", [("risk", (1.75, 1.9)), ("ks", (3.5, 1.4)), ("thresholds", (3.5, 1.4))])
def test_limits_are_those_of_large_axes(name, size):
    """A legend never stretches an axis: the limits are the same in axes of any size and type."""
    _, ax = pyplot.subplots(figsize=size, layout="constrained")
    pyplot.rcParams["font.size"] = 12
    small, large = CASES[name](ax).ax_, CASES[name]().ax_
    assert (small.get_xlim(), small.get_ylim()) == (large.get_xlim(), large.get_ylim())
    pyplot.close("all")


@pytest.mark.parametrize(
    "display", [CostDisplay, RiskCoverageDisplay, GainDisplay, DetCurveDisplay]
)
def test_curves_without_a_name_are_told_by_their_number(display):
    shown = display.from_cv_results(*folds())
    named = shown.ax_.get_legend().get_texts()[0].get_text()
    assert named.startswith("10 folds")
    assert "(" not in named or "(mean " in named
    alone = display(shown.curves[0]).plot()
    assert not any(line.get_label().startswith("(") for line in alone.ax_.get_lines())
    also = display(shown.curves[0], name="one").plot().ax_.get_lines()[0].get_label()
    assert also == "one" or also.startswith("one (")


@pytest.mark.parametrize(
    ("display", "kind"),
    [
        (CostDisplay, None), (RiskCoverageDisplay, "risk"), (RiskCoverageDisplay, "accuracy"),
        (GainDisplay, "gain"), (GainDisplay, "lift"), (GainDisplay, "ks"),
        (DecisionDisplay, "net_benefit"), (DecisionDisplay, "interventions_avoided"),
    ],
)  # fmt: skip
def test_folds_have_their_mean_under_which_they_are_faint(display, kind):
    asked = {} if kind is None else {"kind": kind}
    shown = display.from_cv_results(*folds(), **asked)
    [mean], places = shown.mean_, slice(40, 160, 40)
    named = display({f"fold {k}": curve for k, curve in enumerate(shown.curves)}).plot(**asked)
    alone = [line.get_data() for line in named.line_]
    x, y = (np.asarray(side, float) for side in mean.get_data())
    found = []
    for across, up in alone:
        order = np.argsort(across, kind="stable")
        found.append(np.interp(x, np.asarray(across)[order], np.asarray(up)[order]))
    if display is not RiskCoverageDisplay and kind != "lift":  # those are no lines between points
        np.testing.assert_allclose(y[places], np.mean(found, axis=0)[places])
    assert y.min() >= np.nanmin(shown.ax_.dataLim.y0) - 1e-9
    assert all(line.get_alpha() < 0.5 for line in shown.line_)
    assert shown.ax_.get_legend().get_title().get_text() == "mean over a band of \u00b1 sd"
    assert len([part for part in shown.ax_.collections if isinstance(part, PolyCollection)]) == 1


@pytest.mark.parametrize("size", [(3, 2), (5, 4)])
@pytest.mark.parametrize("words", ["", LONG])
def test_a_forest_tells_its_groups_apart(size, words):
    figure, ax = pyplot.subplots(figsize=size, layout="constrained")
    forest_of_groups(ax, words)
    figure.draw_without_rendering()
    labels = ax.get_yticklabels()
    names = [label.get_text() for label in labels]
    assert [names[0], names[6]] == ["recall", "NPV"]
    assert names[1:6] == names[7:]
    assert [name[0] for name in names[1:6]] == list("abcde")
    assert [label.get_fontweight() for label in labels[:2]] == ["bold", "normal"]
    assert len({text.xy[1] for text in ax.texts}) == 10
    assert ax.get_legend() is None


@each("layout", ["constrained", None])
def test_metrics_of_unlike_range_have_axes_of_their_own(layout):
    y, score, positive = two()
    calls = np.where(score > 0.5, "yes", "no")
    names = ["recall", "positive_likelihood_ratio", "matthews_corrcoef", "diagnostic_odds_ratio"]
    found = intervals(names, y, calls, **positive)
    found["neg_log_loss"] = Interval("neg_log_loss", -0.4, -2.0, -0.3, 0.1, 0.95, "normal")
    figure, axes = pyplot.subplots(1, 2, figsize=(12, 4), layout=layout)
    shown = ForestDisplay.from_intervals(found, ax=axes[0])
    check(figure)
    assert shown.axes_[0] is shown.ax_ is axes[0]
    rows = [[text.get_text() for text in ax.get_yticklabels()] for ax in shown.axes_]
    told = [["recall", "MCC"], ["positive likelihood ratio", "diagnostic odds ratio"], ["log loss"]]
    assert [[" ".join(name.split()) for name in part] for part in rows] == told
    assert [ax.get_xscale() for ax in shown.axes_] == ["linear", "log", "linear"]
    assert shown.words()[""]["log loss"] == "0.40 [0.30, 2]"
    assert [text.get_text() for text in shown.axes_[2].texts] == ["0.40 [0.30, 2]"]
    places = [ax.get_position() for ax in shown.axes_]
    assert all(low.y1 < high.y0 for high, low in pairwise(places))
    assert len({round(place.x0, 6) for place in places}) == 1
    shown.plot(axes[0])
    assert len(figure.axes) == 4


@pytest.mark.parametrize("display", [ProbRocDisplay, ScorRocDisplay, RocCurveDisplay])
@pytest.mark.parametrize("size", [(5, 4.8), (6.4, 4.8)])
def test_names_of_axes_stay_in_a_figure_without_a_layout(display, size):
    """Where nothing makes room for two lines, they are written smaller and not cut."""
    figure, ax = pyplot.subplots(figsize=size)
    y, score, options = two()
    display.from_predictions(y, score, ax=ax, **options)
    figure.canvas.draw()
    assert ax.yaxis.label.get_window_extent().x0 >= 0
    assert ax.xaxis.label.get_window_extent().y0 >= 0
    pyplot.close(figure)


@each("name", ["matrix", "forest", "40 letters, two", "40 letters, groups", "30 names"])
def test_nothing_is_cut_in_a_figure_without_a_layout(name):
    """Axes leave room for names of rows and columns that are longer than numbers."""
    figure, ax = pyplot.subplots()
    (CASES | MANY)[name](ax)
    check(figure)
    assert figure.get_layout_engine() is None
    assert np.min(sizes(figure)) > 1.3
    pyplot.close(figure)


def test_numbers_in_small_cells_stay_apart():
    figure, ax = pyplot.subplots(figsize=(3, 2), layout="constrained")
    CASES["matrix of eight"](ax)
    renderer = drawn(figure)
    rows = np.reshape([text.get_window_extent(renderer) for text in ax.texts], (8, 8, 4))
    letter = ax.texts[0].get_window_extent(renderer).width / len(ax.texts[0].get_text())
    assert (rows[:, 1:, 0] - rows[:, :-1, 2]).min() > 0.4 * letter  # x0 of the next, x1 of this
    assert all(text.get_visible() for text in ax.texts)


def test_labels_of_points_are_clear_of_the_points():
    cuts = np.linspace(0.1, 0.9, 17)
    shown = scored(RocCurveDisplay, operating_points=cuts)()
    renderer = drawn(shown.figure_)
    labels = [text for text in shown.ax_.texts if text.get_gid() == "label"]
    dots = shown.ax_.transData.transform([label.xy for label in labels])
    boxes = [t.get_window_extent(renderer) for t in labels if t.get_visible()]
    assert len(boxes) > 9
    for (x0, y0), (x1, y1) in (box.get_points() for box in boxes):
        inside = (x0 <= dots[:, 0]) & (dots[:, 0] <= x1) & (y0 <= dots[:, 1]) & (dots[:, 1] <= y1)
        assert not inside.any()


@pytest.mark.parametrize("size", [(7, 3), (4, 3)])
def test_names_at_ranks_have_one_size(size):
    _, ax = pyplot.subplots(figsize=size)
    names = ["tree", "k nearest neighbours", "multilayer perceptron", "SVM", "forest"]
    figure = critical_difference(ax, names).figure_
    drawn(figure)
    assert len({text.get_fontsize() for text in ax.texts}) == 1
    assert ax.texts[-1].get_fontsize() > 6
    whole = [name for name in names if any(name in text.get_text() for text in ax.texts)]
    assert len(whole) == 5 or size[0] < 7


def test_level_lines_leave_the_names_of_a_curve_s_axes():
    shown = CASES["roc"]()
    before = shown.ax_.get_xlabel(), shown.ax_.get_ylabel()
    IsometricsDisplay.from_metric("mcc", 0.3, ax=shown.ax_)
    assert (shown.ax_.get_xlabel(), shown.ax_.get_ylabel()) == before
    assert shown.ax_.get_legend().get_texts()[-1].get_text() == "MCC"


def test_the_legend_does_not_cover_a_break_even_point():
    shown = PrecisionRecallDisplay.from_predictions(
        np.arange(100) < 50, np.linspace(0, 1, 100), plot_break_even=True
    )
    box = shown.ax_.get_legend().get_window_extent(drawn(shown.figure_))
    [mark] = shown.break_even_
    assert not box.contains(*shown.ax_.transData.transform(mark.get_xydata())[0])


@pytest.mark.parametrize("name", ["roc", "scor", "prob", "pr"])
def test_names_of_square_axes_may_use_the_width_of_a_small_figure(name):
    figure, ax = pyplot.subplots(figsize=(3, 2), layout="constrained")
    CASES[name](ax)
    drawn(figure)
    assert ax.xaxis.label.get_fontsize() > 7
    assert "\u2026" not in ax.get_xlabel()


ON_TOP = ["ks", "risk", "cost", "brier", "lift", *cases_of_annexes("LEGENDS_ON_TOP")]


@pytest.mark.parametrize("name", ON_TOP)
@pytest.mark.parametrize("size", [(3, 2), (5, 4)])
def test_a_legend_on_top_leaves_the_curves_free(name, size):
    figure, ax = pyplot.subplots(figsize=size, layout="constrained")
    CASES[name](ax)
    box = ax.get_legend().get_window_extent(drawn(figure))
    points = [ax.transData.transform(line.get_xydata()) for line in ax.get_lines()]
    x, y = np.concatenate(points).T
    assert not ((box.x0 < x) & (x < box.x1) & (box.y0 < y) & (y < box.y1)).any()


def test_short_of_room_a_legend_keeps_the_words_that_tell_its_entries_apart():
    figure, ax = pyplot.subplots(figsize=(3, 2), layout="constrained")
    MANY["40 letters, scores"](ax)
    drawn(figure)
    assert named(figure) == ["positive", "negative"]


def test_short_of_room_a_name_loses_its_words_in_brackets_and_never_a_value():
    names = [(None, name) for name in ("bayes (KS = 0.51)", "trees (all rows)", "others")]
    assert [name for _, name in _bare(names)] == ["bayes (KS = 0.51)", "trees", "others"]


def test_a_grid_strikes_through_no_row():
    pyplot.style.use("seaborn-v0_8-whitegrid")
    for name in ("forest", *cases_of_annexes("ROWS")):
        assert not any(line.get_visible() for line in CASES[name]().ax_.get_ygridlines())


def test_scores_of_several_classes_ask_for_one():
    with pytest.raises(ValueError, match="choose pos_label"):
        ScoreDisplay.from_predictions(*ten()[::2])


def test_a_figure_can_be_pickled_and_drawn_again():
    figure = grid([CASES[name] for name in GRIDS["curves"]])
    again = pickle.loads(pickle.dumps(figure))
    check(again)


def _texts_of(ax):
    """Return the texts of axes that a user reaches: names, title, legend, ticks and labels."""
    legend = ax.get_legend()
    entries = [] if legend is None else [*legend.get_texts(), legend.get_title()]
    return [ax.xaxis.label, ax.yaxis.label, ax.title, *entries, *ax.texts]


@pytest.mark.slow
@each("name", [*CASES, "40 letters, scores", "10 classes table", "30 ranked"])
def test_in_a_part_of_a_figure_and_what_a_user_sets_there_stays(name):
    figure = pyplot.figure(figsize=(9, 4), layout="constrained")
    left, _ = figure.subfigures(1, 2)
    ax = left.subplot_mosaic("abb")["b"]
    shown = (CASES | MANY)[name](ax)
    check(figure)
    assert shown.figure_ is left
    assert shown.ax_ is ax
    assert np.min(sizes(left)) > 0.5
    ours, size = _texts_of(ax), 3.25
    for number, text in enumerate(ours):
        text.set(text=f"mine {number}", fontsize=7.5, color="green")
    ours[-1].set_visible(False)
    for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]:
        label.set_fontsize(size)
    limits = ax.get_xlim()[0], ax.get_xlim()[1] + 0.5
    ax.set_xlim(limits)
    figure.set_layout_engine("none")  # is not what is tested, and takes half of the time
    figure.set_size_inches(10, 5)
    figure.draw_without_rendering()
    assert _texts_of(ax) == ours
    for number, text in enumerate(ours):
        assert text.get_text() == f"mine {number}"
        assert text.get_fontsize() == 7.5
        assert text.get_color() == "green"
    assert not ours[-1].get_visible()
    assert {label.get_fontsize() for label in ax.get_yticklabels()[:1]} <= {size}
    assert ax.get_xlim() == limits
    pyplot.close(figure)


def test_ticks_that_a_user_hides_stay_hidden():
    figure, axes = pyplot.subplots(1, 2, sharey=True, layout="constrained")
    for ax in axes:
        CASES["confusion"](ax)
        ax.label_outer()
    assert not axes[1].get_ylabel()
    CASES["roc"](axes[0])  # the names of a neighbour are not written anew
    figure.draw_without_rendering()
    shown = [label.get_visible() for label in axes[1].get_yticklabels()]
    assert not any(shown)
    assert all(label.get_visible() for label in axes[0].get_yticklabels())
    assert not axes[1].get_ylabel()


@each("name", ["thresholds", "forest", "confusion", "gain"])
def test_in_a_figure_that_is_tightened(name):
    figure, axes = pyplot.subplots(2, 1, figsize=(5, 7))
    for ax in axes.flat:
        CASES[name](ax)
    figure.tight_layout()
    check(figure)
    pyplot.close(figure)


@each("layout", ["constrained", None])
def test_curves_everywhere_leave_a_legend_above_or_below_them(layout):
    figure, ax = pyplot.subplots(figsize=(4, 3.5), layout=layout)
    CASES["thresholds with intervals"](ax)
    box = ax.get_legend().get_window_extent(drawn(figure))
    for line in ax.get_lines():
        points = line.get_transform().transform(line.get_xydata())
        assert not ((box.min < points) & (points < box.max)).all(axis=1).any()


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


def test_a_journal_s_column_holds_three_panels():
    pyplot.rcParams.update({"font.size": 7, "legend.fontsize": 6, "lines.linewidth": 0.8})
    for names in (
        ("roc", "pr", "reliability"),
        ("gain", "det", "cost"),
        ("decision", "risk", "ks"),
    ):
        figure, axes = pyplot.subplots(1, 3, figsize=(3.5, 1.4), layout="constrained", dpi=200)
        for ax, name in zip(axes, names, strict=True):
            CASES[name](ax)
        check(figure)
        assert np.min(sizes(figure)) > 0.5
        shown = [label for ax in axes for label in (ax.xaxis.label, ax.yaxis.label)]
        assert len({label.get_fontsize() for label in shown}) == 1
        assert not any("\u2026" in label.get_text() for label in shown)
        ticks = [text.get_fontsize() for ax in axes for text in ax.get_xticklabels()]
        assert len({*ticks}) == 1
        assert sum("Positive label" in ax.get_xlabel().replace("\n", " ") for ax in axes) == 1
        pyplot.close(figure)


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
        for ax in display.axes_ or [display.ax_]:
            assert not any(ax.spines[side].get_visible() for side in ("top", "right")), case
        pyplot.close("all")
