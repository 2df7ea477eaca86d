"""Which measure should one tune on? One nested run answers for five, on two data sets."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.model_selection import nested_cross_validate

MEASURES = ["roc_auc", "mm7_auc", "f1", "matthews_corrcoef", "neg_log_loss"]
GRID = {
    "logisticregression__C": [0.001, 0.03, 1],
    "logisticregression__class_weight": [None, "balanced"],
}


def main() -> None:
    data = {
        "Breast cancer (569 examples)": load_breast_cancer(return_X_y=True),
        "Imbalanced, 95 to 5 (800 examples)": make_classification(
            n_samples=800,
            n_informative=4,
            weights=[0.95],
            flip_y=0.01,
            class_sep=1.5,
            random_state=0,
        ),
    }
    model = make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky"))
    for name, (X, y) in data.items():
        result = nested_cross_validate(
            model, GRID, X, y, scoring=MEASURES, refit=MEASURES, final=None
        )
        print(f"\n{name}\n\n{result.tuning_matrix}")


if __name__ == "__main__":
    main()
