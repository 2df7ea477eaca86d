"""
What does a published table of counts say?
==========================================

A paper reports that a rapid test found 86 of 100 ill and cleared 190 of 200 healthy volunteers. What is
it worth in a practice where one patient in fifty is ill? Four counts are enough to answer.
"""

# %%
# Rates of the test come with intervals by closed forms: no row has to be rebuilt.
from scipy.stats import binomtest

from skaucx.inference import interval, posterior_probability
from skaucx.metrics import Counts, npv_score, precision_score

table = Counts(tp=86, fp=10, fn=14, tn=190)
for metric in ("recall", "specificity", "precision", "npv"):
    print(interval(metric, counts=table))

# %%
# Among the volunteers, a third of them ill, a positive result is right nine times in ten. That share
# belongs to their prevalence. In the practice, where one in fifty is ill, it is another one.
practice = table.at_prevalence(0.02)
for metric in (precision_score, npv_score):
    print(f"{metric.metric.name} {metric.from_counts(practice):.3f}")

# %%
# The same for one patient, whose symptoms make the doctor think of one in five:
ratio = interval("positive_likelihood_ratio", counts=table)
print(ratio)
print(f"after a positive result: {posterior_probability(0.2, ratio.estimate):.2f}")

# %%
# Is the sensitivity above the .80 that a guideline requires? A hundred ill do not prove it.
print(binomtest(86, 100, 0.8, alternative="greater").pvalue)

# %%
from matplotlib import pyplot

from skaucx.displays import ForestDisplay

rates = ["recall", "specificity", "precision", "npv"]
ForestDisplay.from_intervals({name: interval(name, counts=table) for name in rates})
pyplot.show()
