"""Hard cases for pictures, and what the boxes of the renderer say about them."""

from __future__ import annotations

from functools import cache

import numpy as np
from matplotlib.text import Text
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skaucx.displays import (
    CalibrationDisplay,
    CostDisplay,
    DecisionDisplay,
    DensityDisplay,
    ForestDisplay,
    GainDisplay,
    IsometricsDisplay,
    ProbRocDisplay,
    RiskCoverageDisplay,
    ScoreDisplay,
    ScorRocDisplay,
    ThresholdDisplay,
    VennDisplay,
)
from skaucx.evaluation import evaluate
from skaucx.metrics import (
    ConfusionMatrixDisplay,
    Counts,
    DetCurveDisplay,
    PrecisionRecallDisplay,
    RocCurveDisplay,
)
from skaucx.metrics.curves import DensityModel
from skaucx.model_selection import (
    NestedCVDisplay,
    TuningMatrixDisplay,
    nested_cross_validate,
)
from tests.study import cases as of_study

LONG = "the_name_of_a_thing_in_all_forty_letters"


@cache
def two(letters=0):
    """Labels and scores of two classes, whose names may be long."""
    X, y = make_classification(
        n_samples=300, n_informative=4, weights=[0.7], flip_y=0.1, class_sep=0.8, random_state=3
    )
    names = np.array([f"n{LONG[2:]}", f"p{LONG[2:]}"] if letters else ["no", "yes"])
    score = GaussianNB().fit(X[::2], y[::2]).predict_proba(X)[:, 1]
    return names[y], score, {"pos_label": names[1]}


@cache
def folds():
    X, y = make_classification(n_samples=300, flip_y=0.2, random_state=0)
    options = {"return_estimator": True, "return_indices": True}
    return cross_validate(GaussianNB(), X, y, cv=10, **options), X, y


@cache
def ten(letters=0):
    """Labels, predictions and probabilities of ten classes."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 30)
    score = rng.dirichlet(np.ones(10), 300) + 0.3 * np.eye(10)[y]
    names = np.array([f"{k}{LONG[1:]}" if letters else f"class{k}" for k in range(10)])
    return names[y], names[score.argmax(axis=1)], score / score.sum(axis=1, keepdims=True)


@cache
def tuned(more=()):
    X, y = make_classification(n_samples=200, flip_y=0.2, random_state=1)
    metrics = ["roc_auc", "f1", "matthews_corrcoef", "balanced_accuracy", *more]
    return nested_cross_validate(
        DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4], "min_samples_leaf": [1, 9]},
        X, y, scoring=metrics, refit=metrics, outer_cv=4, inner_cv=2, final=None,
    )  # fmt: skip


def forest_of_groups(ax=None, words=""):
    y, score, positive = two()
    groups = np.array([f"{k}{words}" for k in "abcde"])[np.arange(len(y)) % 5]
    calls, ask = np.where(score > 0.5, "yes", "no"), {"metrics": ["recall", "npv"], **positive}
    found = evaluate(y, calls, by={"site": groups}, intervals=True, **ask)
    return ForestDisplay.from_evaluation(found, ax=ax)


def tuned_intervals():
    return {name: tuned().interval(name) for name in tuned().test_scores}


def scored(display, **options):
    def draw(ax=None):
        y, score, positive = two()
        return display.from_predictions(y, score, ax=ax, **positive, **options)

    return draw


def of_folds(display):
    return lambda ax=None: display.from_cv_results(*folds(), ax=ax)


CASES = {
    "roc": scored(RocCurveDisplay, plot_chance_level=True),
    "pr": scored(PrecisionRecallDisplay, plot_chance_level=True),
    "scor": scored(ScorRocDisplay, plot_chance_level=True),
    "prob": scored(ProbRocDisplay, plot_chance_level=True),
    "thresholds": scored(ThresholdDisplay),
    "confusion": lambda ax=None: ConfusionMatrixDisplay([[135, 19], [29, 42]]).plot(ax),
    "scores": scored(ScoreDisplay),
    "isometrics": lambda ax=None: IsometricsDisplay.from_metric("f1", 0.2, space="pr", ax=ax),
    "nested": lambda ax=None: NestedCVDisplay(tuned()).plot(ax),
    "matrix": lambda ax=None: TuningMatrixDisplay(tuned().tuning_matrix).plot(ax),
    "matrix of eight": lambda ax=None: TuningMatrixDisplay(
        tuned(("mm7_auc", "npv", "average_precision", "p4")).tuning_matrix
    ).plot(ax),
    "roc folds": of_folds(RocCurveDisplay),
    "pr folds": of_folds(PrecisionRecallDisplay),
    "threshold folds": of_folds(ThresholdDisplay),
    "forest": lambda ax=None: ForestDisplay(
        {"one": tuned_intervals(), "another": tuned_intervals()}
    ).plot(ax),
    "forest of groups": forest_of_groups,
    "gain": scored(GainDisplay),
    "det": scored(DetCurveDisplay),
    "risk": scored(RiskCoverageDisplay),
    "risk folds": of_folds(RiskCoverageDisplay),
    "reliability": scored(CalibrationDisplay),
    "isotonic": scored(CalibrationDisplay, method="isotonic", n_resamples=50, random_state=0),
    "densities": lambda ax=None: DensityDisplay(
        DensityModel(stats.norm(2), stats.norm(), prevalence=0.3), 1.2
    ).plot(ax),
    "venn": lambda ax=None: VennDisplay(Counts(tp=20, fp=180, fn=10, tn=1820)).plot(ax),
    "decision": scored(DecisionDisplay),
    "cost": scored(CostDisplay),
    "cost folds": of_folds(CostDisplay),
    **of_study.PICTURES,
}


def _named(curve, names):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    display = RocCurveDisplay
    from skaucx.metrics import roc_curve

    del curve
    return display({name: roc_curve(y, rng.normal(size=60) + y) for name in names})


MANY = {
    "30 names": lambda ax=None: _named(None, [f"classifier {k}" for k in range(30)]).plot(
        ax, plot_chance_level=True
    ),
    "30 classes": lambda ax=None: ConfusionMatrixDisplay(
        np.random.default_rng(0).integers(0, 300, (30, 30)),
        display_labels=[f"class {k}" for k in range(30)],
    ).plot(ax),
    "10 classes": lambda ax=None: RocCurveDisplay.from_predictions(
        ten()[0], ten()[2], ax=ax, plot_chance_level=True
    ),
    "10 classes table": lambda ax=None: ConfusionMatrixDisplay.from_predictions(*ten()[:2], ax=ax),
    "40 letters, 10 classes": lambda ax=None: RocCurveDisplay.from_predictions(
        ten(1)[0], ten(1)[2], ax=ax, plot_chance_level=True
    ),
    "40 letters, table": lambda ax=None: ConfusionMatrixDisplay.from_predictions(*ten(1)[:2], ax=ax),
    "40 letters, two": lambda ax=None: ConfusionMatrixDisplay(
        [[13, 19], [29, 42]], display_labels=[f"n{LONG[2:]}", f"p{LONG[2:]}"]
    ).plot(ax),
    "40 letters, roc": lambda ax=None: RocCurveDisplay.from_predictions(
        *two(1)[:2], ax=ax, **two(1)[2], name=f"{LONG} and more", plot_chance_level=True
    ),
    "40 letters, scores": lambda ax=None: ScoreDisplay.from_predictions(
        *two(1)[:2], ax=ax, **two(1)[2], name=LONG
    ),
    "40 letters, thresholds": lambda ax=None: ThresholdDisplay.from_predictions(
        *two(1)[:2], ax=ax, **two(1)[2], name=LONG
    ),
    "40 letters, groups": lambda ax=None: forest_of_groups(ax, LONG),
}  # fmt: skip


def drawn(figure):
    figure.draw_without_rendering()
    return figure.canvas.get_renderer()


def texts(figure):
    """Return every text that is seen, with its box."""
    renderer = drawn(figure)
    unseen = {text for ax in figure.axes for text in _out_of_view(ax)}
    found = [
        (text, text.get_window_extent(renderer))
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and text not in unseen
    ]
    return [(text, box) for text, box in found if box.width > 0]


def _out_of_view(ax):
    """Return the names of ticks outside the view, and of axes that are off."""
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        room = 1e-6 * (high - low)
        shown = []
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            inside = ax.axison and low - room <= tick.get_loc() <= high + room
            shown += [tick.label1, tick.label2] if inside else []
        yield from (
            text
            for text in axis.findobj(Text)
            if text not in shown and (not ax.axison or text not in (axis.label, axis.offsetText))
        )


def cut(figure, shown, tolerance=1.5):
    """Return the shown texts that leave the figure."""
    page = figure.bbox
    return [
        text.get_text()
        for text, box in shown
        if box.x0 < -tolerance
        or box.y0 < -tolerance
        or box.x1 > page.x1 + tolerance
        or box.y1 > page.y1 + tolerance
    ]
