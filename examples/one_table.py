"""
What can one confusion table say, and at which threshold?
=========================================================

Articles on binary classification work three examples: scores with linear densities, whose metrics are
areas below them; a screening of 2030 people; and questions to the reader. Printed values in brackets.
"""

# %%
# Positives score with density 2x, negatives with 2 (1 - x). At a threshold the four counts are areas.
import numpy as np
from matplotlib import pyplot

from skaucx.displays import DensityDisplay, ThresholdDisplay
from skaucx.evaluation import evaluate
from skaucx.metrics import Counts, accuracy_score, list_metrics, threshold_curves
from skaucx.metrics.curves import BinormalModel, LinearDensityModel

model = LinearDensityModel()
areas = model.counts(0.3)
print("areas at .3:", areas)
print(f"AUC {model.auc:.4f}")
DensityDisplay(model, threshold=0.3).plot()

# %%
# Where each metric is best, with classes of one size and with twice as many positives. Accuracy then has
# its best threshold at 1/3, F1 below it, balanced accuracy stays at 1/2.
names = ["accuracy", "balanced_accuracy", "f1", "matthews_corrcoef", "cohen_kappa"]
models = {"equal": model, "twice": LinearDensityModel(prevalence=2 / 3)}
optima = {each: models[each].optimum(names) for each in models}
for name in names:
    told = [f"{optima[each][name][1]:.4f} at {optima[each][name][0]:.4f}" for each in models]
    print(f"{name:18}", "   ".join(told))
ThresholdDisplay(models["twice"].threshold_curves(names)).plot()

# %%
# Two samples, of 300 and of 3,000 rows, over the closed forms.
samples = {
    f"{n:,} rows": threshold_curves(*model.sample(n, random_state=0), ["accuracy", "f1", "mcc"])
    for n in (300, 3000)
}
two = ThresholdDisplay(samples).plot(theory=model)

# %%
# Screening: 2030 people, 30 of them ill.
screening = Counts(tp=20, fp=180, fn=10, tn=1820)
metrics = [
    "prevalence", "accuracy", "precision", "npv", "recall", "specificity",
    "positive_likelihood_ratio", "negative_likelihood_ratio", "diagnostic_odds_ratio", "f1",
    "prevalence_threshold",
]  # fmt: skip
screened = evaluate(counts=screening, metrics=metrics)
for name, value in screened.items():
    print(f"{name:26} {value:.4f}")
print("(.0148 .9064 .10 .9945 .667 .91 7.41 .366 20.2 .174; the last is printed .19)")
credit = Counts(tp=50, fp=100, fn=50, tn=900)
print(f"950 right of 1100: {accuracy_score.from_counts(credit):.4f} (printed .866)")

# %%
# The same test at two prevalences, .99 and .84 of its positives are ill.
at = {p: Counts.from_rates(sensitivity=0.99, specificity=0.99, prevalence=p) for p in (0.5, 0.05)}
precision = {p: float(c.tp / c.predicted_positives) for p, c in at.items()}
print({p: round(value, 2) for p, value in precision.items()})

# %%
# A rare disease: the test is positive for 99 % of the ill and for 5 % of the others. (.019: one positive
# in fifty is ill, 19 times the prior; .98 are false alarms. With a specificity of .999 it is .5.)
from skaucx.inference import posterior_probability
from skaucx.metrics import (
    average_precision_score,
    f1_score,
    false_discovery_rate,
    false_omission_rate,
    p4_score,
    precision_score,
    recall_score,
    roc_auc_score,
)
from skaucx.metrics.association import no_information_rate
from skaucx.metrics.information import precision_lift

few = Counts.from_rates(sensitivity=0.99, specificity=0.95, prevalence=0.001)
strict = Counts.from_rates(sensitivity=0.99, specificity=0.999, prevalence=0.001)
many = Counts.from_rates(sensitivity=0.99, specificity=0.95, prevalence=0.6)
bayes = {
    ".019": precision_score.from_counts(few),
    ".98": false_discovery_rate.from_counts(few),
    "19": precision_lift.from_counts(few),
    ".5": precision_score.from_counts(strict),
    ".0000105": false_omission_rate.from_counts(few),
    ".0155": false_omission_rate.from_counts(many),
}
for shown, value in bayes.items():
    print(f"{value:.7g} ({shown})")
print(f"two positive tests: {posterior_probability(bayes['.019'], 0.99 / 0.05):.2f}")

# %%
# Cats, dogs and rabbits, rows truth: rabbits are recognised, cats and dogs are not.
animals = [[5, 3, 0], [2, 3, 1], [0, 2, 11]]
print("recall", recall_score.from_table(animals, average=None).round(3), "of 8, 6 and 13")
print("precision", precision_score.from_table(animals, average=None).round(3))

# %%
# Fives among 60,000 digits (.957, .8371, .6512, .7325), and what a perfect classifier has.
fives = Counts(tp=3530, fp=687, fn=1891, tn=53892)
digits = evaluate(counts=fives, metrics=["accuracy", "precision", "recall", "f1"])
print({name: round(value, 4) for name, value in digits.items()})
perfect = evaluate(counts=Counts(tp=5421, fp=0, fn=0, tn=54579), metrics=list(digits))
print(set(perfect.values()))

# %%
# Spam: 90 of 100 letters and 5 of 10 of spam are recognised (.864); to call nothing spam has .909. P4 is
# the same when the classes are exchanged, F1 is not.
spam = Counts(tp=5, fp=10, fn=5, tn=90)
exchanged = Counts(tp=90, fp=5, fn=10, tn=5)
print(
    f"accuracy {accuracy_score.from_counts(spam):.3f}, {no_information_rate.from_counts(spam):.3f}"
)
for metric in (p4_score, f1_score):
    both = metric.from_counts(spam), metric.from_counts(exchanged)
    print(f"{metric.metric.name} {both[0]:.3f}, exchanged {both[1]:.3f}")

# %%
# 1,000,100 articles, 100 of them relevant at the places 50,001 to 50,100 (printed: 50,101). The AUC is
# .95, and so are TPR and 1 - FPR behind 95 of them; the average precision shows how few are relevant.
relevant = np.repeat([0, 1, 0], [50_000, 100, 950_000])
ranking = -np.arange(len(relevant), dtype=float)
articles = roc_auc_score(relevant, ranking), average_precision_score(relevant, ranking)
print(f"AUC {articles[0]:.2f} (.95), average precision {articles[1]:.4f}")
cut = evaluate(counts=Counts(tp=95, fn=5, fp=50_000, tn=950_000), metrics=["tpr", "fpr"])
print({name: round(value, 4) for name, value in cut.items()})

# %%
# Questions. Has F1 always the lowest best threshold? No: of rare positives that of balanced accuracy is
# lower. Is the best accuracy never below the best balanced accuracy? With these symmetric densities it
# is not; with normal ones of unequal spread it can be.
rare = LinearDensityModel(prevalence=0.1)
lowest = {name: round(rare.optimum(name)[0], 3) for name in ("f1", "balanced_accuracy")}
print("one positive in ten:", lowest)
normal = [BinormalModel(2.0, 1.0, 0.0, 3.0, prevalence=p) for p in np.linspace(0.3, 0.7, 9)]
gaps = {m.prevalence: m.optimum("accuracy")[1] - m.optimum("balanced_accuracy")[1] for m in normal}
worst = min(gaps, key=gaps.get)
print(f"best accuracy minus best balanced accuracy: {gaps[worst]:+.4f} at prevalence {worst:.2f}")

# %%
# Which is the least stable? Standard deviations of the values at the best thresholds, 50 rows a sample.
spread = models["twice"].sampling_spread(names, 50, random_state=0)
for name, value in spread.items():
    print(f"{name:18} {value:.3f}")

# %%
# Which suits rare positives? The best values of two equal classes, and of one positive in 10 and in 100.
rarer = {share: LinearDensityModel(share).optimum(names) for share in (0.5, 0.1, 0.01)}
for name in names:
    print(f"{name:18}", "  ".join(f"{best[name].value:.3f}" for best in rarer.values()))

# %%
# The merits of the table of metrics: free of prevalence, symmetric in the classes, blind to the true
# negatives.
merits = {
    "free of prevalence": list_metrics(prevalence_free=True),
    "symmetric": list_metrics(symmetric=True),
    "blind to true negatives": list_metrics(ignores_true_negatives=True),
}
for merit, rows in merits.items():
    print(f"{merit}: {', '.join(row.name for row in rows[:6])} ...")

# %%
# Errors of numbers: SMAPE weighs an error by the size of both numbers, MASE by the error of repeating
# the last value.
from skaucx.regression import mase_loss, smape_loss

y_past, y_true, y_pred = [10, 12, 11, 13], [14, 12, 15], [13, 12, 17]
smape, mase = smape_loss(y_true, y_pred), mase_loss(y_true, y_pred, y_train=y_past)
print(f"SMAPE {smape:.4f}, MASE {mase:.4f}")
pyplot.show()
