"""Tune two classifiers on mm7 by nested cross-validation and judge them by a dozen measures."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.model_selection import nested_cross_validate

MEASURES = [
    "mm7_auc", "roc_auc", "prob_auc", "scor_auc", "soft_auc", "recall", "specificity", "precision",
    "npv", "informedness", "matthews_corrcoef", "p4", "g_mean", "neg_log_loss", "neg_brier_score",
]  # fmt: skip
CANDIDATES = {
    "Scaled logistic regression": (
        make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        {"logisticregression__C": [0.01, 0.1, 1, 10]},
    ),
    "Random forest": (
        RandomForestClassifier(n_estimators=60, random_state=0),
        {"max_features": [2, 5, 10], "min_samples_leaf": [1, 3]},
    ),
}


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    for name, (estimator, grid) in CANDIDATES.items():
        result = nested_cross_validate(
            estimator, grid, X, y, scoring=MEASURES, refit="mm7_auc", n_jobs=-1
        )
        print(f"\n{name} on the breast-cancer data ({len(y)} examples, positive class: benign)\n")
        print(result.summary())


if __name__ == "__main__":
    main()
