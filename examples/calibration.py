"""
Can the predicted probabilities be believed, and is the model worth using?
==========================================================================

A model may rank well and still be wrong about the risks that it states. Who acts on a risk needs both:
probabilities that come true, and decisions that are better than treating everybody or nobody.
"""

# %%
# Naive Bayes takes features as independent, and is too sure of itself where they are not.
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from skaucx.evaluation import evaluate

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
metrics = [
    "roc_auc",
    "log_loss",
    "brier_score_loss",
    "binned_calibration_error",
    "calibration_slope",
]
for name, score in scores.items():
    print(f"\n{name}\n{evaluate(y_test, y_score=score, metrics=metrics)}")

# %%
# The ranking hardly changed, the log loss did. The net benefit weighs found cases against needless
# treatments, at the risk from which on one would treat; treating everybody is the rival.
from skaucx.metrics import decision_curve

risks = [0.05, 0.1, 0.2, 0.4]
curves = {name: decision_curve(y_test, score, thresholds=risks) for name, score in scores.items()}
print("\nrisk from which on one treats", *(f"{risk:8}" for risk in risks))
for name, curve in curves.items():
    print(f"{name:29}", *(f"{benefit:8.4f}" for benefit in curve.net_benefit))
print(f"{'everybody is treated':29}", *(f"{benefit:8.4f}" for benefit in curve.treat_all))

# %%
from matplotlib import pyplot

from skaucx.displays import CalibrationDisplay, DecisionDisplay

axes = pyplot.subplots(1, 3, figsize=(14, 4.5), layout="constrained")[1]
for ax, (name, score) in zip(axes, scores.items(), strict=False):
    CalibrationDisplay.from_predictions(y_test, score, ax=ax, name=name)
for name, score in scores.items():
    DecisionDisplay.from_predictions(y_test, score, ax=axes[2], name=name)
pyplot.show()
