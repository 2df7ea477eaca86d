"""
What does a published table of counts say?
==========================================

A paper reports that a rapid test found 86 of 100 ill and cleared 190 of 200 healthy volunteers. What is
it worth in a practice where one patient in fifty is ill? Four counts are enough to answer.
"""

# %%
# Rates of the test come with intervals by closed forms: no row has to be rebuilt.
from skaucx.metrics import Counts, evaluate, interval

table = Counts(tp=86, fp=10, fn=14, tn=190)
for metric in ("recall", "specificity", "positive_likelihood_ratio", "negative_likelihood_ratio"):
    print(interval(metric, counts=table))

# %%
# Among the volunteers, a third of them ill, a positive result is right nine times in ten. That share
# belongs to their prevalence. At one in fifty it is another one:
expected = Counts.from_rates(sensitivity=0.86, specificity=0.95, prevalence=0.02, n=10_000)
print(evaluate(counts=table, metrics=["precision", "npv"]))
print(evaluate(counts=expected, metrics=["precision", "npv"]))

# %%
# Is the sensitivity above the .80 that the guideline asks for? The end of a one-sided interval tells.
print(interval("recall", counts=table, alternative="greater"))

# %%
from matplotlib import pyplot

from skaucx.metrics import ForestDisplay

rates = ["recall", "specificity", "precision", "npv"]
ForestDisplay.from_intervals({"": {name: interval(name, counts=table) for name in rates}})
pyplot.show()
