"""Any search inside: random draws, successive halving, and thresholds tuned with the rest."""

from __future__ import annotations

from scipy.stats import loguniform
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import HalvingGridSearchCV, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skaucx.model_selection import NestedCV, NestedCVResult

MEASURES = ["balanced_accuracy", "recall", "specificity", "roc_auc"]


def show(title: str, result: NestedCVResult) -> None:
    print(f"\n{title}")
    for name in MEASURES:
        found = result.statistics(name)
        print(f"  {name:18} {found.mean:.3f} (sd {found.sd:.3f}), pooled {found.pooled.value:.3f}")
    params = ", ".join(f"{name}={value:.3g}" for name, value in result.final.params.items())
    print(f"  final model: {params}, by {result.final.rule}")


def main() -> None:
    X, y = make_classification(
        n_samples=600, n_informative=4, weights=[0.9], flip_y=0.02, random_state=0
    )
    scaled = make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky"))

    draws = NestedCV(
        scaled,
        {"logisticregression__C": loguniform(1e-3, 10)},
        n_iter=8,
        random_state=0,
        scoring=MEASURES,
    )
    show("Logistic regression, eight random draws shared by all folds", draws.fit(X, y).result_)

    thresholds = NestedCV(
        TunedThresholdClassifierCV(scaled, scoring="balanced_accuracy", cv=2, thresholds=10),
        {"estimator__logisticregression__C": [0.01, 1]},
        scoring=MEASURES,
        outer_cv=3,
        inner_cv=2,
    )
    show("The same with its threshold tuned in every inner fold", thresholds.fit(X, y).result_)

    halving = HalvingGridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 4, 8], "min_samples_leaf": [1, 5, 20]},
        scoring="balanced_accuracy",
        random_state=0,
    )
    nested = NestedCV(halving, scoring=MEASURES).fit(X, y)
    show("A tree, by successive halving, one search an outer fold", nested.result_)


if __name__ == "__main__":
    main()
