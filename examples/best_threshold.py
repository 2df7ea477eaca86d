"""
At which threshold is each metric best?
=======================================

An article works scores with linear densities, whose metrics are areas below them, and asks its readers
five questions; another lists the merits of metrics, and errors of numbers.
"""

# %%
# Positives score with density 2x, negatives with 2 (1 - x). At a threshold the four counts are areas.
import numpy as np
from matplotlib import pyplot
from scipy import stats

from skaucx.displays import DensityDisplay, ThresholdDisplay
from skaucx.metrics import (
    Counts,
    accuracy_score,
    balanced_accuracy_score,
    cohen_kappa_score,
    f1_score,
    list_metrics,
    matthews_corrcoef,
    threshold_curves,
)
from skaucx.metrics.curves import DensityModel

model = DensityModel()
areas = model.counts(0.3)
print("areas at .3:", areas)
print(f"AUC {model.auc:.4f}")
DensityDisplay(model, threshold=0.3).plot()

# %%
# Where each metric is best, with classes of one size and with twice as many positives. Accuracy then has
# its best threshold at 1/3, F1 below it, balanced accuracy stays at 1/2.
functions = {
    "accuracy": accuracy_score, "balanced_accuracy": balanced_accuracy_score, "f1": f1_score,
    "matthews_corrcoef": matthews_corrcoef, "cohen_kappa": cohen_kappa_score,
}  # fmt: skip
names = list(functions)
models = {"equal": model, "twice": DensityModel(prevalence=2 / 3)}
optima = {each: {name: models[each].optimum(name) for name in names} for each in models}
for name in names:
    shown = [f"{optima[each][name][1]:.4f} at {optima[each][name][0]:.4f}" for each in models]
    print(f"{name:18}", "   ".join(shown))
ThresholdDisplay(models["twice"].threshold_curves(names)).plot()

# %%
# Two samples, of 300 and of 3,000 rows, over the closed forms.
samples = {
    f"{n:,} rows": threshold_curves(*model.sample(n, random_state=0), ["accuracy", "f1", "mcc"])
    for n in (300, 3000)
}
two = ThresholdDisplay(samples).plot(theory=model)

# %%
# Questions. Has F1 always the lowest best threshold? No: of rare positives that of balanced accuracy is
# lower. Is the best accuracy never below the best balanced accuracy? With these symmetric densities it
# is not; with normal ones of unequal spread it can be.
rare = DensityModel(prevalence=0.1)
lowest = {name: round(rare.optimum(name)[0], 3) for name in ("f1", "balanced_accuracy")}
print("one positive in ten:", lowest)
normal = [
    DensityModel(stats.norm(2), stats.norm(0, 3), prevalence=p) for p in np.linspace(0.3, 0.7, 9)
]
gaps = {m.prevalence: m.optimum("accuracy")[1] - m.optimum("balanced_accuracy")[1] for m in normal}
worst = min(gaps, key=gaps.get)
print(f"best accuracy minus best balanced accuracy: {gaps[worst]:+.4f} at prevalence {worst:.2f}")

# %%
# Which is the least stable? Standard deviations of the values at the best thresholds, 50 rows a sample.
rng = np.random.default_rng(0)
drawn = [models["twice"].sample(50, rng) for _ in range(1000)]
for name, metric in functions.items():
    cut = optima["twice"][name].threshold
    print(f"{name:18} {np.std([metric(truth, score >= cut) for truth, score in drawn]):.3f}")

# %%
# Which suits rare positives? The best values of two equal classes, and of one positive in 10 and in 100.
rarer = [DensityModel(prevalence=share) for share in (0.5, 0.1, 0.01)]
for name in names:
    print(f"{name:18}", "  ".join(f"{each.optimum(name).value:.3f}" for each in rarer))

# %%
# What imbalance alone does to a test with a recall of .8 and a specificity of .9, at the same shares.
test = Counts.from_rates(sensitivity=0.8, specificity=0.9, prevalence=np.array([0.5, 0.1, 0.01]))
for name, metric in functions.items():
    print(f"{name:18}", metric.from_counts(test).round(3))

# %%
# The merits of the table of metrics: free of prevalence, symmetric in the classes, blind to the true
# negatives.
merits = {
    "free of prevalence": list_metrics(prevalence_free=True),
    "symmetric": list_metrics(symmetric=True),
    "blind to true negatives": list_metrics(ignores_true_negatives=True),
}
for merit, rows in merits.items():
    print(f"{merit}: {', '.join(row.name for row in rows[:3])} ...")

# %%
# Errors of numbers: SMAPE weighs an error by the size of both numbers, MASE by the error of repeating
# the last value.
from skaucx.regression import mase_loss, smape_loss

y_past, y_true, y_pred = [10, 12, 11, 13], [14, 12, 15], [13, 12, 17]
smape, mase = smape_loss(y_true, y_pred), mase_loss(y_true, y_pred, y_train=y_past)
print(f"SMAPE {smape:.4f}, MASE {mase:.4f}")
pyplot.show()
