"""
Does a score-valued AUC choose better models than the plain one?
================================================================

Variants of the AUC that read score values are said to choose better on small validation sets. The
question can be put to data: let each variant choose among models, and see what their AUC on a large
test set then is.
"""

# %%
# Three real problems and five repetitions here; all problems of ``load_problems`` and a hundred
# repetitions take minutes.
from skaucx.study import load_problems, measure_regret

problems = load_problems()
quick = {name: problems[name] for name in ("breast_cancer", "digits_8_9", "wine_1")}
measures = ["roc_auc", "prob_auc", "scor_auc", "sond_auc", "soft_auc", "mm1_auc", "mm7_auc"]
result = measure_regret(quick, repetitions=5, measures=measures, random_state=0)

# %%
# Regret is the test AUC given away by a choice. Below, that of each measure minus that of the plain
# AUC, with its standard error, over the models of all learners and over those of one: what is not
# several standard errors away from nothing should not be read into the table.
for pool in result.pools:
    print(f"models: {pool}")
    for name, (mean, error) in result.excess(pool).items():
        print(f"  {name:9} {mean:+.4f} ({error:.4f})")

# %%
# The last pool as a picture.
from matplotlib import pyplot

names, excess = zip(*result.excess(pool).items(), strict=True)
means, errors = zip(*excess, strict=True)
pyplot.errorbar(means, names, xerr=errors, fmt="o")
pyplot.axvline(0, color="gray")
pyplot.xlabel("Regret beyond that of the plain AUC")
pyplot.show()
