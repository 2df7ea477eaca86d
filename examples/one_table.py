"""
What can one confusion table say?
=================================

Articles on binary classification work a screening of 2030 people, and rare diseases, digits, spam and
articles to be found. Values that they print stand in brackets.
"""

# %%
# Screening: 2030 people, 30 of them ill.
import numpy as np
from matplotlib import pyplot

from skaucx.displays import VennDisplay
from skaucx.evaluation import evaluate
from skaucx.metrics import (
    Counts,
    accuracy_score,
    average_precision_score,
    f1_score,
    false_omission_rate,
    matthews_corrcoef,
    npv_score,
    p4_score,
    pr_auc_score,
    recall_score,
    roc_auc_score,
    roc_curve,
)
from skaucx.metrics.association import no_information_rate

screening = Counts(tp=20, fp=180, fn=10, tn=1820)
in_print = {
    "prevalence": ".0148", "accuracy": ".9064", "precision": ".10", "false_discovery_rate": ".9",
    "npv": ".9945; .995", "false_omission_rate": ".0055", "recall": ".667; .67",
    "false_negative_rate": ".333; .33", "specificity": ".91", "false_positive_rate": ".09",
    "positive_likelihood_ratio": "7.41; 7.4", "negative_likelihood_ratio": ".366; .37",
    "diagnostic_odds_ratio": "20.2", "f1": ".174", "prevalence_threshold": "a misprint: .19",
}  # fmt: skip
screened = evaluate(counts=screening, metrics=list(in_print))
for name, value in screened.items():
    print(f"{name:26} {value:.4f} ({in_print[name]})")
expected = Counts.from_rates(sensitivity=0.67, specificity=0.91, prevalence=0.0148, n=2030)
VennDisplay(screening, name="2030 people").plot()
print("expected", [round(float(cell)) for cell in expected.cells], "(20, 180, 10, 1820)")

# %%
# Lenders: 950 of 1100 are classified correctly, and more if all are taken for good ones.
credit = Counts(tp=50, fp=100, fn=50, tn=900)
print(f"950 right of 1100: {accuracy_score.from_counts(credit):.4f} (a misprint: .866)")
print(f"all taken for good ones: {no_information_rate.from_counts(credit):.4f} (.909)")
sick = Counts(tp=0, fp=0, fn=10, tn=90)
print(f"90 of 100 have no COVID: {no_information_rate.from_counts(sick):.1f} (.9)")

# %%
# The same test of 2000 people at two prevalences: of its positives .99 and .84 are ill, and of 1882
# negatives one.
at = {p: Counts.from_rates(sensitivity=0.99, specificity=0.99, prevalence=p) for p in (0.5, 0.05)}
precision = {p: float(c.tp / c.predicted_positives) for p, c in at.items()}
print({p: round(value, 2) for p, value in precision.items()}, "(.99, .84)")
print(f"negatives that are well, at .5: {npv_score.from_counts(at[0.5]):.2f} (.99)")
cells = Counts.from_rates(sensitivity=0.99, specificity=0.99, prevalence=0.05, n=2000).cells
missed = false_omission_rate.from_counts(at[0.05])
print([round(float(cell)) for cell in cells], f"(99, 19, 1, 1881): {missed:.4f} (.0005),", end=" ")
print(f"one in {1 / missed:.0f} (1882)")

# %%
# A rare disease: the test is positive for 99 % of the ill and for 5 % of the others. (.019: one positive
# in fifty is ill, 19 times the prior; .98 are false alarms. With a specificity of .999 it is .5.)
from skaucx.inference import posterior_probability
from skaucx.metrics import false_discovery_rate, precision_score
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
print("animals", np.sum(animals, axis=1), "(8, 6, 13)")
print("recall", recall_score.from_table(animals, average=None).round(3))
print("precision", precision_score.from_table(animals, average=None).round(3))

# %%
# Fives among 60,000 digits, and what a perfect classifier has.
fives = Counts(tp=3530, fp=687, fn=1891, tn=53892)
digits = evaluate(counts=fives, metrics=["accuracy", "precision", "recall", "f1"])
in_print = "0.9570333333333333", "0.8370879772350012", "0.6511713705958311", "0.7325171197343846"
for (name, value), shown in zip(digits.items(), in_print, strict=True):
    print(f"{name:10} {value:.16f} ({shown})")
perfect = evaluate(counts=Counts(tp=5421, fp=0, fn=0, tn=54579), metrics=list(digits))
print("perfect", set(perfect.values()), "(1)")

# %%
# Spam: 90 of 100 letters and 5 of 10 of spam are recognised; to call nothing spam has .909. (The counts
# are in print, not their accuracies.) P4 is the same when the classes are exchanged, F1 is not.
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
print({name: round(value, 4) for name, value in cut.items()}, "(.95, .05)")

# %%
# Curves at their ends: the area under the ROC curve of a perfect model and of a useless one, that under
# the precision-recall curve of a perfect model and of one that scores all alike, with one positive in
# ten. Above all scores no row is predicted positive: FPR and TPR are 0. (Printed: 1 and 1.)
few_positives = np.repeat([1, 0], [10, 90])
alike = np.full(100, 0.5)
perfect_scores = np.repeat([0.9, 0.1], [10, 90])
for name, area in (("ROC", roc_auc_score), ("PR", pr_auc_score)):
    ends = area(few_positives, perfect_scores), area(few_positives, alike)
    print(f"{name}: {ends[0]:g} and {ends[1]:g}", {"ROC": "(1, .5)", "PR": "(1, .1)"}[name])
print("FPR and TPR above all scores:", *roc_curve(few_positives, alike).at(1), "(a misprint: 1, 1)")
mcc = matthews_corrcoef([1, 0, 1], [1, 1, 1], zero_division=0)
print(f"MCC if all rows are predicted positive: {mcc:g} (0)")
bound = f1_score.from_counts(Counts.from_rates(sensitivity=1, precision=0.1, prevalence=0.05))
print(f"highest F1 of a precision of .1: {bound:.4f} (below .2)")
pyplot.show()
