"""
Which of ten digits are confused, and how sure is that?
=======================================================

With ten classes one number hides much. An interval for each class, and the confusion table,
show where a classifier of handwritten digits errs.
"""

# %%
# Nearest neighbours on half of the digits, evaluated on the other half.
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

from skaucx.evaluation import evaluate
from skaucx.metrics import roc_auc_score

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
model = KNeighborsClassifier(9, weights="distance").fit(X_train, y_train)
y_pred = model.predict(X_test)
print(evaluate(y_test, y_pred, metrics=["recall", "precision"], average=None, intervals=True))

# %%
# The average over classes has an interval of its own; the AUC compares one class with another.
auc = roc_auc_score(y_test, model.predict_proba(X_test), multi_class="ovo")
print(f"AUC, mean over all pairs of classes: {auc:.4f}")

# %%
# Each row of the picture is a true digit: eights are taken for ones, and nines for threes.
from matplotlib import pyplot

from skaucx.metrics import ConfusionMatrixDisplay

ConfusionMatrixDisplay.from_predictions(y_test, y_pred)
pyplot.show()
