"""Every picture, or some by name, into a folder: ``python examples/gallery.py [folder [name ...]]``."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_validate, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
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
from skaucx.inference import (
    intervals,
    precision_recall_band,
    roc_band,
)
from skaucx.metrics import (
    ConfusionMatrixDisplay,
    Counts,
    DetCurveDisplay,
    PrecisionRecallDisplay,
    RocCurveDisplay,
    roc_curve,
)
from skaucx.metrics.curves import DensityModel, RocCurve, mean_curve, one_vs_rest_curves
from skaucx.model_selection import (
    NestedCVDisplay,
    NestedCVResult,
    TuningMatrixDisplay,
    compare_estimators,
    nested_cross_validate,
)

LINEAR = make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky"))
FOREST = RandomForestClassifier(30, max_depth=3, random_state=0)
# Two radar operators, measured at several operating points (FPR, TPR).
OPERATORS = {
    "operator A": [(0.2, 0.2), (0.25, 0.3), (0.4, 0.6), (0.7, 0.8), (0.9, 0.85)],
    "operator B": [(0.1, 0.15), (0.2, 0.4), (0.5, 0.8), (0.95, 0.95)],
}


@cache
def noisy() -> tuple[Any, ...]:
    """Two classes of 30 and 70 per cent that overlap, in a training and a test part."""
    X, y = make_classification(
        n_samples=900, n_informative=4, weights=[0.7], flip_y=0.1, class_sep=0.8, random_state=3
    )
    return train_test_split(X, y, random_state=0, stratify=y)


def folds(X: Any, y: Any) -> dict[str, Any]:
    return cross_validate(
        LINEAR, X, y, cv=StratifiedKFold(5), return_estimator=True, return_indices=True
    )


def flowers() -> tuple[Any, Any]:
    """Iris with two features and named classes."""
    iris = load_iris()
    return iris.data[:, :2], iris.target_names[iris.target]


def roc() -> None:
    """How well do two models rank, and where do their thresholds lie?"""
    X_train, X_test, y_train, y_test = noisy()
    first = RocCurveDisplay.from_estimator(
        LINEAR.fit(X_train, y_train), X_test, y_test, name="linear"
    )
    model = FOREST.fit(X_train, y_train)
    RocCurveDisplay.from_estimator(
        model, X_test, y_test, name="forest", ax=first.ax_, plot_chance_level=True
    )
    curve = roc_curve(y_test, model.predict_proba(X_test)[:, 1], drop_intermediate=False)
    first.ax_.plot(*curve.at([0.3, 0.5]), "o")


def roc_hull() -> None:
    """Which operating points of two people are worth using?"""
    curves = {name: RocCurve.from_points(*zip(*p, strict=True)) for name, p in OPERATORS.items()}
    hulls = {f"hull of {name}": curve.hull() for name, curve in curves.items()}
    RocCurveDisplay(curves | hulls).plot(plot_chance_level=True)


def roc_classes() -> None:
    """Which of several classes is distinguished from the others?"""
    X, y = flowers()
    RocCurveDisplay.from_estimator(LINEAR.fit(X, y), X, y, plot_chance_level=True)


def roc_folds() -> None:
    """How much does the ROC curve change from fold to fold?"""
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :3]
    RocCurveDisplay.from_cv_results(folds(X, y), X, y, name="five folds", plot_chance_level=True)


def roc_class_folds() -> None:
    """How do the ROC curves of several classes vary over folds?"""
    X, y = flowers()
    RocCurveDisplay.from_cv_results(folds(X, y), X, y)


def roc_averages() -> None:
    """How do macro and micro averages summarise several classes?"""
    X, y = flowers()
    scores = LINEAR.fit(X, y).predict_proba(X)
    curves = one_vs_rest_curves(roc_curve, y, scores, micro=True)
    macro = mean_curve([curve for name, curve in curves.items() if name != "micro"])
    RocCurveDisplay({"macro": macro, "micro": curves["micro"]}).plot(plot_chance_level=True)


def forest() -> None:
    """How do two models compare on several metrics?"""
    X_train, X_test, y_train, y_test = noisy()
    names = ["accuracy", "recall", "specificity", "precision", "npv", "matthews_corrcoef"]
    models = {"linear": LINEAR, "forest": FOREST}
    ForestDisplay.from_intervals(
        {
            name: intervals(names, y_test, model.fit(X_train, y_train).predict(X_test))
            for name, model in models.items()
        }
    )


def reliability() -> None:
    """Do the predicted probabilities agree with what is observed?"""
    X_train, X_test, y_train, y_test = noisy()
    CalibrationDisplay.from_estimator(FOREST.fit(X_train, y_train), X_test, y_test, n_bins=8)


def gain() -> None:
    """How many positives are found in the first part of the ranking?"""
    X_train, X_test, y_train, y_test = noisy()
    first = GainDisplay.from_estimator(LINEAR.fit(X_train, y_train), X_test, y_test)
    GainDisplay.from_estimator(FOREST.fit(X_train, y_train), X_test, y_test, ax=first.ax_)


def det() -> None:
    """How do the two error rates trade off on normal scales?"""
    X_train, X_test, y_train, y_test = noisy()
    first = DetCurveDisplay.from_estimator(LINEAR.fit(X_train, y_train), X_test, y_test)
    DetCurveDisplay.from_estimator(FOREST.fit(X_train, y_train), X_test, y_test, ax=first.ax_)


def decision_curves() -> None:
    """Does acting on the model do more good than treating all or none?"""
    X_train, X_test, y_train, y_test = noisy()
    first = DecisionDisplay.from_estimator(LINEAR.fit(X_train, y_train), X_test, y_test)
    DecisionDisplay.from_estimator(FOREST.fit(X_train, y_train), X_test, y_test, ax=first.ax_)


def cost_folds() -> None:
    """What does the classifier cost under other class sizes and costs?"""
    X_train, _, y_train, _ = noisy()
    CostDisplay.from_cv_results(folds(X_train, y_train), X_train, y_train)


def risk_coverage_folds() -> None:
    """How many errors remain when uncertain rows are left out?"""
    X, y = flowers()
    RiskCoverageDisplay.from_cv_results(folds(X, y), X, y)


def roc_with_band() -> None:
    """How certain is the ROC curve?"""
    X_train, X_test, y_train, y_test = noisy()
    score = LINEAR.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    RocCurveDisplay.from_predictions(
        y_test, score, name="linear", band=roc_band(y_test, score, random_state=0)
    )


def precision_recall_with_band() -> None:
    """How certain is the precision-recall curve?"""
    X_train, X_test, y_train, y_test = noisy()
    score = LINEAR.fit(X_train, y_train).predict_proba(X_test)[:, 1]
    PrecisionRecallDisplay.from_predictions(
        y_test, score, name="linear",
        band=precision_recall_band(y_test, score, simultaneous=False, random_state=0),
    )  # fmt: skip


def precision_recall() -> None:
    """How precise are the calls, at every recall?"""
    X_train, X_test, y_train, y_test = noisy()
    PrecisionRecallDisplay.from_estimator(
        LINEAR.fit(X_train, y_train), X_test, y_test, plot_chance_level=True
    )


def precision_recall_folds() -> None:
    """How much does precision change from fold to fold?"""
    X_train, _, y_train, _ = noisy()
    PrecisionRecallDisplay.from_cv_results(
        folds(X_train, y_train), X_train, y_train, plot_chance_level=True
    )


def scor_roc() -> None:
    """How far may the scores be shifted before the ranking suffers?"""
    X_train, X_test, y_train, y_test = noisy()
    first = ScorRocDisplay.from_estimator(LINEAR.fit(X_train, y_train), X_test, y_test)
    model = FOREST.fit(X_train, y_train)
    ScorRocDisplay.from_estimator(model, X_test, y_test, ax=first.ax_, plot_chance_level=True)


def prob_roc() -> None:
    """How confidently are positives scored above negatives?"""
    X_train, X_test, y_train, y_test = noisy()
    first = ProbRocDisplay.from_estimator(LINEAR.fit(X_train, y_train), X_test, y_test)
    ProbRocDisplay.from_estimator(FOREST.fit(X_train, y_train), X_test, y_test, ax=first.ax_)


def thresholds() -> None:
    """Which threshold gives which recall, precision and specificity?"""
    X_train, X_test, y_train, y_test = noisy()
    ThresholdDisplay.from_estimator(LINEAR.fit(X_train, y_train), X_test, y_test, name="linear")


def thresholds_model() -> None:
    """How do the metrics of a fitted model depend on its threshold?"""
    model = DensityModel(prevalence=0.3)
    ThresholdDisplay.from_predictions(
        *model.sample(400, random_state=0), theory=model, metrics=["f1", "mcc", "accuracy", "p4"]
    )


def thresholds_folds() -> None:
    """Is the best threshold the same in every fold?"""
    X_train, _, y_train, _ = noisy()
    ThresholdDisplay.from_cv_results(
        folds(X_train, y_train), X_train, y_train, metrics=["specificity", "f1", "expected_cost"],
        cost=[[0, 1], [3, 0]], name="five folds",
    )  # fmt: skip


def confusion() -> None:
    """Which errors does the classifier make?"""
    X, y = load_breast_cancer(return_X_y=True)
    names = load_breast_cancer().target_names
    X_train, X_test, y_train, y_test = train_test_split(X, names[y], random_state=0)
    ConfusionMatrixDisplay.from_estimator(LINEAR.fit(X_train, y_train), X_test, y_test)


def confusion_classes() -> None:
    """Which of many classes are confused with each other?"""
    X, y = flowers()
    ConfusionMatrixDisplay.from_cv_results(folds(X, y), X, y, colorbar=True)


def scores() -> None:
    """How are the scores of the two classes distributed?"""
    X_train, X_test, y_train, y_test = noisy()
    ScoreDisplay.from_estimator(LINEAR.fit(X_train, y_train), X_test, y_test)


def scores_few() -> None:
    """How are the scores distributed when there are few rows?"""
    entries = ["0.85p", "0.80p", "0.75p", "0.55n", "0.50n", "0.25n"]
    ScoreDisplay.from_predictions(
        [entry[-1] for entry in entries],
        [float(entry[:-1]) for entry in entries],
        name="six",
        pos_label="p",
    )


def density_cells() -> None:
    """Which areas below the two densities are the cells at a threshold?"""
    DensityDisplay(DensityModel(), threshold=0.4).plot()


def venn_cells() -> None:
    """How do the positives and the positive calls overlap?"""
    VennDisplay(Counts(tp=20, fp=180, fn=10, tn=1820)).plot()


def isometrics_roc() -> None:
    """Which points of ROC space have the same value of a metric?"""
    first = IsometricsDisplay.from_metric("mcc", 0.2, name="MCC", levels=np.arange(1, 10) / 10)
    IsometricsDisplay.from_metric("p4", 0.2, name="P4", ax=first.ax_)


def isometrics_cost() -> None:
    """Which points of ROC space cost the same?"""
    IsometricsDisplay.from_metric("expected_cost", 0.2, cost=[[0, 1], [5, 0]], name="cost, 1 to 5")


def isometrics_mean() -> None:
    """How do the harmonic and the arithmetic mean of precision and recall differ?"""

    def arithmetic_mean(c: Counts) -> Any:
        return (c.tp / c.positives + c.tp / c.predicted_positives) / 2

    first = IsometricsDisplay.from_metric("f1", 0.2, space="pr", name="harmonic mean, F1")
    IsometricsDisplay.from_metric(
        arithmetic_mean, 0.2, space="pr", name="arithmetic mean", ax=first.ax_,
        levels=np.arange(2, 10) / 10,
    )  # fmt: skip


def isometrics_f_beta() -> None:
    """How does beta change which points have the same F score?"""
    ax, levels = None, [0.3, 0.5, 0.7]
    for beta in (0.5, 1, 2):
        ax = IsometricsDisplay.from_metric(
            "fbeta", 0.2, beta=beta, space="pr", name=f"beta = {beta:g}", ax=ax, levels=levels
        ).ax_


@cache
def tuned() -> NestedCVResult:
    X_train, _, y_train, _ = noisy()
    measures = ["roc_auc", "f1", "matthews_corrcoef"]
    return nested_cross_validate(
        DecisionTreeClassifier(random_state=0), {"max_depth": [2, 3, 4, 6, 8]}, X_train, y_train,
        scoring=[*measures, "specificity"], refit=measures, inner_cv=4, final=None,
    )  # fmt: skip


def nested_folds() -> None:
    """How do the outer folds of a nested run differ?"""
    NestedCVDisplay(tuned()).plot()


def nested_forest() -> None:
    """How good is the tuned model, with which uncertainty?"""
    X_train, _, y_train, _ = noisy()
    metrics = ["roc_auc", "average_precision", "recall", "specificity", "precision", "npv"]
    result = nested_cross_validate(
        LINEAR, {"logisticregression__C": [0.01, 0.1, 1, 10]}, X_train, y_train,
        scoring=["neg_log_loss", *metrics], refit="neg_log_loss",
    )  # fmt: skip
    display = ForestDisplay.from_intervals({name: result.interval(name) for name in metrics})
    for row, name in enumerate(metrics):
        scores = result[f"test_{name}"]
        display.ax_.plot(scores, [row + 0.25] * len(scores), ".", color="grey", markersize=4)


def tuning_matrix() -> None:
    """Which tuning metric serves which reported metric?"""
    TuningMatrixDisplay(tuned().tuning_matrix).plot()


def compared() -> None:
    """Do several tuned models differ, fold by fold?"""
    X_train, _, y_train, _ = noisy()
    compare_estimators(
        {"linear": LINEAR, "forest": FOREST}, X_train, y_train, scoring=["roc_auc", "f1"]
    ).plot_intervals()


PICTURES: list[Callable[[], None]] = [
    roc, roc_hull, roc_classes, roc_folds, roc_class_folds, roc_with_band,
    precision_recall, precision_recall_with_band,
    precision_recall_folds, scor_roc, prob_roc, thresholds, thresholds_model, thresholds_folds,
    confusion, confusion_classes, scores, scores_few, density_cells, venn_cells,
    isometrics_roc, isometrics_cost,
    isometrics_mean, isometrics_f_beta, nested_folds, nested_forest, tuning_matrix,
    roc_averages, gain, det, forest, reliability,
    compared, decision_curves, cost_folds, risk_coverage_folds,
]  # fmt: skip


def write(folder: Path, names: Sequence[str] = (), dpi: int = 90) -> list[Path]:
    """Draw all pictures, or some by name, and write them as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for picture in PICTURES:
        if names and picture.__name__ not in names:
            continue
        picture()
        paths.append(folder / f"{picture.__name__}.png")
        pyplot.gcf().savefig(paths[-1], dpi=dpi, pil_kwargs={"optimize": True})
        pyplot.close("all")
    return paths


def main(folder: str | None = None, *names: str) -> None:
    for path in write(Path(folder or tempfile.mkdtemp(prefix="gallery-")), names):
        print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
