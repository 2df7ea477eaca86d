"""
Which of three classifiers should we take?
==========================================

Each classifier is tuned and evaluated on the same nested folds. Differences then come from the
classifiers, not from luckier test rows, and a test says whether they are more than chance.
"""

# %%
# A model without anything to tune takes part as it is.
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from skaucx.inference import roc_auc_difference_sample_size
from skaucx.model_selection import compare_estimators

data = load_breast_cancer()
X, y = data.data, data.target_names[data.target]
result = compare_estimators(
    {
        "logistic": (
            make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
            {"logisticregression__C": [0.01, 0.1, 1]},
        ),
        "tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [2, 4, 8]}),
        "bayes": GaussianNB(),
    },
    X,
    y,
    scoring="roc_auc",
    pos_label="malignant",
)
print(result)

# %%
# The single tree is out. Between the other two these 569 rows do not decide; how many would?
size = roc_auc_difference_sample_size(0.987, 0.995, correlation=0.5, power=0.9)
print(f"\nTo distinguish an AUC of .987 from one of .995 with power .9: {size.total} rows")

# %%
from matplotlib import pyplot

result.plot_intervals()
pyplot.show()
