"""
What comes of tuning on one metric and reporting another?
=========================================================

One nested run answers for several metrics at once: a row for each metric that chose, a column for each
metric that reports.
"""

# %%
# Among 800 made examples one in twenty is positive. The candidates differ in the strength of the
# penalty and in whether the rare class counts more.
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from skaucx.model_selection import nested_cross_validate

X, y = make_classification(
    n_samples=800, n_informative=4, weights=[0.95], flip_y=0.01, class_sep=1.5, random_state=0
)
metrics = ["neg_log_loss", "roc_auc", "mm7_auc", "f1", "matthews_corrcoef"]
result = nested_cross_validate(
    make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    {
        "logisticregression__C": [0.001, 0.03, 1, 100],
        "logisticregression__class_weight": [None, "balanced"],
    },
    X,
    y,
    scoring=metrics,
    refit=metrics,
    final=None,
)
print(result.tuning_matrix)

# %%
# Read down the columns: the log loss suffers wherever another metric chose, while the log loss as the
# one that chooses costs the others little or nothing. F1 and MCC look at one threshold only, and vary
# so much over five folds that they hardly distinguish candidates. Tune on a proper score, and
# report the others.
from matplotlib import pyplot

from skaucx.model_selection import TuningMatrixDisplay

TuningMatrixDisplay(result.tuning_matrix).plot()
pyplot.show()
