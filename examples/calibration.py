"""
Can the predicted probabilities be believed, and is the model worth using?
==========================================================================

A model may rank well and still be wrong about the risks that it states. Who acts on a risk needs both:
probabilities that come true, and decisions that are better than treating everybody or nobody.
"""

# %%
# Naive Bayes takes features as independent, and is too sure of itself where they are not.
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from skaucx.metrics import evaluate

X, y = make_classification(
    4000, 12, n_informative=4, n_redundant=6, weights=[0.8], flip_y=0.1, random_state=1
)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
models = {
    "as it is": GaussianNB(),
    "calibrated": CalibratedClassifierCV(GaussianNB(), method="sigmoid"),
}
scores = {
    name: model.fit(X_train, y_train).predict_proba(X_test)[:, 1] for name, model in models.items()
}
metrics = ["roc_auc", "log_loss", "brier_score_loss", "calibration_error", "calibration_slope"]
for name, score in scores.items():
    print(f"\n{name}\n{evaluate(y_test, y_score=score, metrics=metrics)}")

# %%
# The ranking hardly changed, the log loss did. The net benefit weighs found cases against needless
# treatments, at the risk from which on one would treat; "treat all" is the rival.
from skaucx.metrics import net_benefit

print("\nrisk from which on one treats   as it is  calibrated  treat all")
for risk in (0.05, 0.1, 0.2, 0.4):
    everybody = net_benefit(y_test, np.ones(len(y_test)), threshold=risk)
    found = [net_benefit(y_test, score >= risk, threshold=risk) for score in scores.values()]
    print(f"{risk:30}   {found[0]:8.4f}  {found[1]:10.4f}  {everybody:9.4f}")

# %%
from matplotlib import pyplot

from skaucx.metrics import ReliabilityDisplay

axes = pyplot.subplots(1, 2, figsize=(10, 4.5), layout="constrained")[1]
for ax, (name, score) in zip(axes, scores.items(), strict=True):
    ReliabilityDisplay.from_predictions(y_test, score, ax=ax, name=name)
pyplot.show()
