"""
Does the classifier work as well for every group?
=================================================

One figure for all patients can hide that a classifier misses more cases in one clinic than in another.
Each group gets its values with intervals, and the greatest gap gets limits that hold for all pairs of
groups at once.
"""

# %%
# Made data of three clinics. In the smallest one the measurements are noisier.
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from skaucx.evaluation import evaluate

rng = np.random.default_rng(0)
n = 3000
clinic = rng.choice(["north", "south", "hill"], n, p=[0.5, 0.4, 0.1])
y = rng.random(n) < 0.3
noise = np.where(clinic == "hill", 2.0, 0.8)
X = y[:, None] + rng.normal(size=(n, 3)) * noise[:, None]
X_train, X_test, y_train, y_test, _, where = train_test_split(
    X, y, clinic, test_size=0.5, random_state=0
)
model = LogisticRegression().fit(X_train, y_train)
found = evaluate(
    y_test,
    model.predict(X_test),
    metrics=["recall", "specificity", "npv"],
    by=where,
    intervals=True,
    random_state=0,
)
print(found)

# %%
# The hill clinic finds hardly fewer cases, as far as so few rows can show; its false alarms are the
# trouble, and no figure of all clinics together shows it.
from matplotlib import pyplot

from skaucx.displays import ForestDisplay

ForestDisplay.from_evaluation(found)
pyplot.show()
