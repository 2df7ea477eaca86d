"""A score-valued AUC as the objective of scikit-learn's own grid search, on string labels."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.metrics import get_scorer, one_pass_scorer


def main() -> None:
    data = load_breast_cancer()
    X, y = data.data, data.target_names[data.target]  # "benign" and "malignant"
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    grid = {"logisticregression__C": [0.01, 0.1, 1, 10, 100]}

    search = GridSearchCV(model, grid, scoring=get_scorer("mm7_auc", pos_label="malignant"))
    search.fit(X, y)
    print(f"best by mm7: {search.best_params_}, mm7 = {search.best_score_:.4f}")

    many = one_pass_scorer(["mm7_auc", "roc_auc", "recall", "npv"], pos_label="malignant")
    search = GridSearchCV(model, grid, scoring=many, refit="npv").fit(X, y)
    print(f"best by NPV: {search.best_params_}")
    for name in many.names:
        print(f"  {name:8} {search.cv_results_[f'mean_test_{name}'][search.best_index_]:.4f}")


if __name__ == "__main__":
    main()
