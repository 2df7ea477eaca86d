"""Which of three tuned classifiers is better? The same nested outer folds for all, and tests."""

from __future__ import annotations

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skaucx.metrics import mcnemar_test, roc_auc_difference_sample_size
from skaucx.model_selection import compare_estimators

ESTIMATORS = {
    "logistic": (
        make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky")),
        {"logisticregression__C": [0.01, 0.1, 1]},
    ),
    "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [2, 4, 8]}),
    "bayes": GaussianNB(),
}


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    result = compare_estimators(ESTIMATORS, X, y, scoring=["roc_auc", "specificity"])
    print(result)

    first, second = (result.results[name].predictions for name in ("logistic", "tree"))
    print("\nAre they equally accurate on the pooled predictions?")
    print(mcnemar_test(first.y_true, first.y_pred, second.y_pred))

    size = roc_auc_difference_sample_size(0.98, 0.99, correlation=0.5, power=0.9)
    print(f"\nTo tell an AUC of .98 from one of .99, with power .9: {size.total} examples")


if __name__ == "__main__":
    main()
