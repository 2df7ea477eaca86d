"""
Do the numbers agree with published ones?
=========================================

Worked examples on the iris data, with the values printed where they were published beside ours.
"""

# %%
# Nine nearest neighbours on two features, judged on a third of the flowers.
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from skaucx.metrics import accuracy_score, f1_score, fbeta_score, get_scorer

X, y = load_iris(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X[:, :2], y, test_size=0.3, random_state=42)
y_pred = KNeighborsClassifier(9).fit(X_train, y_train).predict(X_test)
print(f"accuracy {accuracy_score(y_test, y_pred):.4f} (published 0.8)")
print(f"F1       {f1_score(y_test, y_pred, average=None).round(4)} (published 1, 0.64, 0.6667)")
half = fbeta_score(y_test, y_pred, beta=0.5, average=None).round(4)
print(f"F-half   {half} (published 1, 0.6557, 0.6522)")

# %%
# A linear support vector machine in ten folds.
scores = cross_val_score(SVC(kernel="linear", C=1), X, y, cv=10, scoring=get_scorer("accuracy"))
print(f"mean of ten folds {scores.mean():.4f} (published 0.9733), lowest {scores.min():.4f}")

# %%
from matplotlib import pyplot

from skaucx.metrics import ConfusionMatrixDisplay

ConfusionMatrixDisplay.from_predictions(y_test, y_pred)
pyplot.show()
