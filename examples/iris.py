"""The worked examples on the iris data: nearest neighbours by class, a linear SVM in ten folds."""

from __future__ import annotations

from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from skaucx.metrics import accuracy_score, f1_score, fbeta_score, get_scorer


def main() -> None:
    X, y = load_iris(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X[:, :2], y, test_size=0.3, random_state=42)
    y_pred = KNeighborsClassifier(9).fit(X_train, y_train).predict(X_test)
    print("9 nearest neighbours on two features, 30 % held out")
    print(f"  accuracy   {accuracy_score(y_test, y_pred):.4f}  (published 0.8)")
    print(f"  F1         {f1_score(y_test, y_pred, average=None)}  (published 1, 0.64, 0.6667)")
    print(
        f"  F-half     {fbeta_score(y_test, y_pred, beta=0.5, average=None)}"
        "  (published 1, 0.6557, 0.6522)"
    )
    scores = cross_val_score(SVC(kernel="linear", C=1), X, y, cv=10, scoring=get_scorer("accuracy"))
    print("Linear SVM, ten folds")
    print(f"  accuracy   {scores.round(4)}")
    print(f"  mean       {scores.mean():.4f}  (published 0.9733)")


if __name__ == "__main__":
    main()
