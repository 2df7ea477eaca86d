"""
Which number answers which question of a lecture on evaluation?
===============================================================

Its examples in order: tables of two classes and of three, averages, the F measure, curves, nested
cross-validation. Values that the lecture prints stand in brackets.
"""

# %%
# Seven examples, and a test on 150 people. Calling everybody healthy has the higher accuracy. (Where the
# lecture writes the recall of its examples as TP / (FP + FN), its numbers are those of TP / (TP + FN).)
import numpy as np
from matplotlib import pyplot

from skaucx.displays import VennDisplay
from skaucx.evaluation import evaluate
from skaucx.metrics import (
    Counts,
    accuracy_score,
    confusion_matrix,
    f1_score,
    precision_score,
    recall_score,
)
from skaucx.metrics.association import no_information_rate

seven = Counts.from_labels([1, 0, 0, 0, 1, 0, 0], [1, 0, 1, 0, 0, 0, 1])
disease = Counts(tp=6, fp=12, fn=2, tn=130)
print(seven, "(1, 2, 1, 3)")
print(
    f"{disease.total:g} people: {disease.positives:g} ill, {disease.negatives:g} healthy, "
    f"{disease.tp + disease.tn:g} right (150: 8, 142, 136)"
)
print(f"accuracy {accuracy_score.from_counts(disease):.3f} (.907),", end=" ")
print(f"all healthy {no_information_rate.from_counts(disease):.4f} (.9467)")
VennDisplay(disease, name="150 people").plot()
print(f"precision {precision_score.from_counts(disease):.4f} (.3333),", end=" ")
print(f"recall {recall_score.from_counts(disease):.2f} (.75),", end=" ")
print(f"F1 {f1_score.from_counts(disease):.4f}")
print("(the lecture prints an F1 of .458, from a precision rounded to .33)")

# %%
# A thousand examples, a hundred of them positive: a lavish classifier, a balanced one, and a coin, whose
# expected accuracy is .5 whatever the share of the positives. The lecture has no F1 of the lavish one.
from skaucx.metrics.similarity import kulczynski_index

thousand = {
    "lavish": Counts(tp=90, fp=250, fn=10, tn=650),
    "balanced": Counts(tp=50, fp=50, fn=50, tn=850),
    "coin": Counts.from_rates(sensitivity=0.5, specificity=0.5, prevalence=0.1, n=1000),
}
names = ["accuracy", "precision", "recall", "f1"]
in_print = {"lavish": ".74 .265 .9", "balanced": ".9 .5 .5 .5", "coin": ".5 .1 .5 .167"}
thousands = {name: evaluate(counts=table, metrics=names) for name, table in thousand.items()}
for name, found in thousands.items():
    values = " ".join(f"{metric} {value:.3f}" for metric, value in found.items())
    print(f"{name:9}", values, f"({in_print[name]})")
print("table of the coin", [float(cell) for cell in thousand["coin"].cells], "(50, 450, 50, 450)")
tossed = [
    Counts.from_rates(sensitivity=0.5, specificity=0.5, prevalence=q) for q in (0.1, 0.3, 0.9)
]
print(
    "its accuracy at 10, 30, 90 % positives", [float(accuracy_score.from_counts(c)) for c in tossed]
)
low = Counts.from_rates(sensitivity=0.8, precision=0.1, prevalence=0.02)
print(f"F1 of P = .1 and R = .8: {f1_score.from_counts(low):.3f} (.178),", end=" ")
print(f"arithmetic mean {kulczynski_index.from_counts(low):.2f} (.45)")
print(f"F1 if no row is predicted positive {f1_score([1, 0], [0, 0]):g} (0),", end=" ")
print(f"where none is either {f1_score([0, 0], [0, 0], zero_division=0):g} (0)")

# %%
# Three classes, each against the rest. The micro average of precision, recall and F1 is the accuracy;
# macro averages are lower where small classes are hard. The last column, weighted, is not in print.
y_pred = [2, 2, 2, 2, 2, 2, 1, 3, 1, 2, 2, 1, 3, 2, 2]
y_true = [1, 2, 2, 2, 3, 1, 1, 1, 2, 2, 3, 3, 3, 2, 2]
table = confusion_matrix(y_true, y_pred)
each_class = Counts.one_vs_rest(table)
print([[int(cell) for cell in each.cells] for each in each_class], "(1 2 3 9, 6 4 1 4, 1 1 3 10)")
in_print = {"precision": ".333 .6 .5, .478, .533", "recall": ".25 .857 .25, .452, .533",
            "f1": ".286 .706 .333, .442, .533"}  # fmt: skip
averages = {}
for metric in (precision_score, recall_score, f1_score):
    name, each = metric.metric.name, metric(y_true, y_pred, average=None)
    over = (metric(y_true, y_pred, average=how) for how in ("macro", "micro", "weighted"))
    averages[name] = [*each, *over]
    print(f"{name:9}", " ".join(f"{value:.3f}" for value in averages[name]), f"({in_print[name]})")
pooled = [int(cell) for cell in each_class.pooled.cells]
print(f"pooled {pooled} (8 7 7 23), accuracy {accuracy_score(y_true, y_pred):.3f} (.533)")

# %%
# Thirteen examples of three classes: accuracy .538, and class 2 against the rest has cells 2, 5, 1, 5.
# The mean of the accuracies of the three tables is the accuracy of their pooled one (note 14).
thirteen = [[1, 2, 0], [1, 2, 0], [0, 3, 4]]
second = Counts.one_vs_rest(thirteen)[1].cells
print(
    f"{accuracy_score.from_table(thirteen):.3f} (.538), {[int(cell) for cell in second]} (2 5 1 5)"
)
macro = np.mean([accuracy_score.from_counts(each) for each in Counts.one_vs_rest(thirteen)])
micro = accuracy_score.from_counts(Counts.one_vs_rest(thirteen).pooled)
print(f"macro {macro:.4f}, micro {micro:.4f}")

# %%
# Four means of a precision of .5 and a recall x (note 9): the harmonic one, F1, is pulled down most by a
# small recall, but for the smaller of the two.
from skaucx.metrics import fowlkes_mallows_index
from skaucx.metrics.similarity import braun_blanquet

four = {
    "arithmetic": kulczynski_index,
    "geometric": fowlkes_mallows_index,
    "harmonic": f1_score,
    "least": braun_blanquet,
}
x = np.array([0.1, 0.5, 0.9])
rates = Counts.from_rates(sensitivity=x, precision=0.5, prevalence=0.3)
means = {name: metric.from_counts(rates) for name, metric in four.items()}
for name, values in means.items():
    print(f"{name:10}", values.round(3))
recalls = np.linspace(0.01, 1, 100)
of_recalls = Counts.from_rates(sensitivity=recalls, precision=0.5, prevalence=0.3)
lines = {}
_, ax = pyplot.subplots()
for (name, metric), dashes in zip(four.items(), ("-", "--", "-.", ":"), strict=True):
    [lines[name]] = ax.plot(recalls, metric.from_counts(of_recalls), dashes, label=name)
ax.set(xlabel="Recall", ylabel="Mean with a precision of .5")
ax.legend()

# %%
# Leave-one-out: one test row a fold. Metrics of single rows are undefined or 0 or 1; of all rows pooled
# they are not.
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import LeaveOneOut
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import nested_cross_validate

X, y = load_breast_cancer(return_X_y=True)
alone = nested_cross_validate(
    GaussianNB(),
    {},
    X[::14],
    y[::14],
    scoring="roc_auc",
    outer_cv=LeaveOneOut(),
    inner_cv=2,
    final=None,
)
print(f"pooled AUC of {len(X[::14])} folds {alone.pooled['roc_auc'].value:.3f}")

# %%
# Nested k x l: the inner folds choose the depth, the outer ones estimate what the whole procedure
# reaches. To ship a model, the candidate that was chosen most often is fitted to all rows.
from sklearn.tree import DecisionTreeClassifier

result = nested_cross_validate(
    DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]}, X, y,
    scoring=["accuracy", "roc_auc"], refit="accuracy", outer_cv=5, inner_cv=3, final="vote",
)  # fmt: skip
print(result.winner_counts, result.final.params)
print(result.interval("accuracy"))

# %%
# The precision at full recall is the share of the positives; the AUC of scores all alike is .5, whatever
# that share. (The curves of the lecture, and their values at R = .7 and .95, are of data not in print.)
from skaucx.metrics import PrecisionRecallDisplay, roc_auc_score

print(f"one positive, 99 negatives, all alike: {roc_auc_score([1] + [0] * 99, [0.5] * 100)} (.5)")

score = result.final.estimator.predict_proba(X)[:, 1]
PrecisionRecallDisplay.from_predictions(
    y, score, plot_chance_level=True, name="tree on its own rows"
)
pyplot.show()
