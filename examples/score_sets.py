"""
What do scores add to a ranking?
================================

A thesis on variants of the AUC that read score values, from its first curve to its count of violations:
sets of six scores, their spans and margins, and how often a variant ranks a correct order below a wrong
one. ``python examples/study_tables.py`` computes all of its tables.
"""

# %%
# Twenty scored examples. Each positive adds the negatives that it exceeds, 81 of 100 in all.
import numpy as np
from matplotlib import pyplot

from skaucx.metrics import RocCurveDisplay, roc_curve
from skaucx.study import (
    BreakdownDisplay,
    DifferenceDisplay,
    all_labellings,
    count_violations,
    format_sets,
    measure_values,
    narrow_margins,
    narrow_spans,
    parse_sets,
)

twenty = parse_sets(
    "(0.95p 0.92p 0.90p 0.86p 0.80n 0.73p 0.71p 0.64n 0.61p 0.60n"
    " 0.57n 0.55p 0.54p 0.52n 0.50n 0.48n 0.47p 0.44n 0.38n 0.35n)"
)
[(truth, score)] = list(twenty)
partial_sums = [int((score[~truth] < p).sum()) for p in score[truth]]
print("cells of each positive", *partial_sums, "(10 10 10 10 9 9 8 6 6 3)")
print("their sums", np.cumsum(partial_sums), "(40 of four, 49, 58, 81)")
curve = roc_curve(truth, score)
print(f"area {curve.area:.2f} (.81), behind examples 4 and 5", end=" ")
print(*curve.at(0.83), "(0, .4),", *curve.at(0.75), "(.1, .4)")
ends = [roc_curve([1, 1, 0], scores).area for scores in ([0.5, 0.5, 0.5], [0.9, 0.8, 0.1])]
print(f"a useless ranking {ends[0]:g} (.5), a perfect one {ends[1]:g} (1)")
RocCurveDisplay(curve, name="table 2.1").plot(plot_chance_level=True)

# %%
# Three of its sets. The second is ranked without an error and has a narrow margin, the third has one
# error and a wide span: all variants of the literature prefer the third, mm7 and the plain AUC do not.
sets = parse_sets(
    "1.00p 1.00p 1.00p 0.00n 0.00n 0.00n\n"
    "0.61p 0.61p 0.61p 0.60n 0.60n 0.60n\n"
    "0.95p 0.83p 0.77n 0.75p 0.69n 0.40n"
)
properties = ("type", "span", "margin", "relative_margin", "median", "errors")
for name in properties:
    print(f"{name:15}", " ".join(f"{value:7.3g}" for value in getattr(sets, name)))
values = measure_values(sets, q=1 / 7, beta=7, margin_power=1 / 16)
for name in ("roc_auc", "prob_auc", "scor_auc", "sond_auc", "soft_auc", "mm7_auc"):
    print(f"{name:15}", " ".join(f"{value:7.3f}" for value in values[name]))

# %%
# What the variants of the literature make of one pair.
DifferenceDisplay().plot()

# %%
# Margins and spans shrink step by step; the last of a hundred sets is
narrow = parse_sets("0.85p 0.80p 0.75p 0.70n 0.65n 0.60n")
last_span = format_sets(narrow_spans(narrow, 100), decimals=5).splitlines()[-1]
last_margin = format_sets(narrow_margins(narrow, 100), decimals=6).splitlines()[-1]
print(last_span, last_margin, sep="\n")
print("(0.72625 0.72575 0.72525 0.72475 0.72425 0.72375)")
print("(0.85 0.787625 0.72525 0.72475 0.662375 0.60)")
print(f"labellings: {len(all_labellings(narrow))} (62)")
for name, found, shown in (
    ("span", narrow_spans(narrow, 100).span, "(.25, .0025)"),
    ("margin", narrow_margins(narrow, 100).margin, "(.05, .0005)"),
):
    print(f"{name} {found[0]:.4f} to {found[-1]:.4f} {shown}")

# %%
# Six scores, a hundredfold narrowed, with every labelling: 6,200 sets, of which 500 are ranked correctly
# (row A6 of its table 5.2). The variants err on the sets of narrow span.
even = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 100))
found = count_violations(even, q=1 / 7, beta=7, auc_power=9 / 10, margin_power=1 / 100)
print(found)
BreakdownDisplay(found.by("span", bins=5)).plot()
pyplot.show()


# %%
# A measure of one's own enters the same table: the margin itself never errs, by definition.
def margin(y_true, y_score):
    return y_score[y_true].min() - y_score[~y_true].max()


print("violations of the margin:", count_violations(even, margin).measures["margin"].violations)
