"""
Is the model useful, are its risks right, and for whom does it fail?
====================================================================

Three questions that one AUC does not answer. A verdict answers each with its interval, and says by a
rule that it prints whether the answer is significant.
"""

# %%
# The risks of 1,500 patients of three clinics. They are too high, and in the west they are noise.
import numpy as np

from skaucx.evaluation import evaluate
from skaucx.reports import verdict

rng = np.random.default_rng(0)
risk = rng.beta(1, 4, 1500)
clinic = rng.choice(["north", "south", "west"], 1500)
ill = rng.random(1500) < 0.7 * np.where(clinic == "west", 0.2, risk)

# %%
# At a threshold of 15 % the net benefit is compared with those of treating everybody and nobody.
print(verdict(ill, y_score=risk, threshold=0.15, by={"clinic": clinic}))

# %%
# The same as a page, with pictures, is ``report``. The picture of the clinics:
from importlib.util import find_spec

if find_spec("matplotlib"):
    from matplotlib import pyplot

    from skaucx.displays import ForestDisplay

    found = evaluate(ill, y_score=risk, metrics="roc_auc", by={"clinic": clinic}, intervals=True)
    ForestDisplay.from_evaluation(found)
    pyplot.show()
