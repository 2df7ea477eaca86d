"""
Which of two radar operators is better?
=======================================

A lecture on ROC curves measures two operators under several conditions, builds a curve by hand on a
grid of one step a case, and reads the area off it. Every number of it, from a few lines.
"""

# %%
# Rates of both operators, measured without scores. The points that no other point of the same operator
# beats are his Pareto front, the vertices of their hull what he reaches at best. The hull of B lies
# above that of A everywhere, so B is better whatever an error costs; but two points of A's front,
# (.4, .6) and (.9, .85), are beaten by no single point of B.
import numpy as np
from matplotlib import pyplot

from skaucx.metrics import RocCurveDisplay, roc_curve
from skaucx.metrics.curves import RocCurve, compare_hulls, isometrics

operators = {
    "A": RocCurve.from_points([0.20, 0.25, 0.40, 0.70, 0.90], [0.20, 0.30, 0.60, 0.80, 0.85]),
    "B": RocCurve.from_points([0.10, 0.20, 0.50, 0.95], [0.15, 0.40, 0.80, 0.95]),
}


def unbeaten(points, others):
    """Return the points that no other one beats, with less FPR or more TPR, and neither worse."""
    better = (others - points[:, None]) * [-1, 1]
    beaten = (better >= 0).all(axis=2) & (better > 0).any(axis=2)
    return points[~beaten.any(axis=1)]


measured = {name: np.column_stack(curve[:2])[1:-1] for name, curve in operators.items()}
for name, curve in operators.items():
    front, hull = unbeaten(measured[name], measured[name]), curve.hull()
    through = " ".join(f"({x:g}, {y:g})" for x, y in zip(hull.fpr, hull.tpr, strict=True))
    print(f"{name}: {len(front)} points on the front, hull of area {hull.area:.2f}")
    print(f"   through {through}")
print("hulls:", compare_hulls(operators["A"], operators["B"]), sep="\n")
print("of A, beaten by no point of B:", unbeaten(measured["A"], measured["B"]).tolist())

# %%
# Lines of equal informedness run along the diagonal: the point of an operator on the highest of them is
# his best where both classes and both errors weigh the same. With one aircraft in five an enemy, lines
# of equal accuracy are steeper, and calling nobody an enemy, at (0, 0), beats every point of A.
from skaucx.displays import IsometricsDisplay

hulls = {f"hull of {name}": curve.hull() for name, curve in operators.items()}
display = RocCurveDisplay(operators | hulls).plot(curve_kwargs={"marker": "o"})
IsometricsDisplay(isometrics("accuracy", prevalence=0.2)).plot(display.ax_)

# %%
# Ten cases with their probabilities. The curve leaves (0, 0); every group of equal probabilities moves
# it as many steps of 1/P up as it has positives, and as many steps of 1/N to the right as it has
# negatives. (The printed recipe exchanges the two directions.)
y_true = [1, 1, 1, 0, 1, 0, 1, 0, 0, 0]
y_prob = [0.89, 0.80, 0.80, 0.80, 0.63, 0.33, 0.33, 0.10, 0.10, 0.10]
curve = roc_curve(y_true, y_prob)
P, N = sum(y_true), len(y_true) - sum(y_true)
for threshold, x, y in zip(curve.thresholds, curve.fpr, curve.tpr, strict=True):
    print(f"p >= {threshold:4.2f}: {x * N:.0f} right, {y * P:.0f} up, FPR {x:.1f}, TPR {y:.1f}")
print(f"area {curve.area:.2f}, of {P * N} cells {curve.area * P * N:g} below the curve")
print(
    "FPR and TPR below all scores", *curve.at(0.05), "(1, 1), above them", *curve.at(0.95), "(0, 0)"
)

# %%
ax = RocCurveDisplay(curve, name="ten cases").plot(plot_chance_level=True).ax_
ax.set(xticks=np.arange(N + 1) / N, yticks=np.arange(P + 1) / P)
ax.grid(linewidth=0.5)
pyplot.show()

# %%
# The area is the share of pairs in which the positive scores above the negative, ties half: what each
# positive contributes are the cells of its row.
rows = [sum((p > n) + (p == n) / 2 for n, t in zip(y_prob, y_true, strict=True) if not t)
        for p, t in zip(y_prob, y_true, strict=True) if t]  # fmt: skip
print("cells of each positive:", rows, "of", N)

# %%
# Chance is no lower bound of the area: scores that rank the classes the wrong way round lie below the
# diagonal, and the curve of the negated scores lies as far above it. (.5 is printed as the bound. It is
# the area of scores that are all alike. That .75 is useful and .9 high is a rule of thumb.)
alike = roc_curve(y_true, [0.5] * len(y_true))
print(f"scores all alike: area {alike.area:.2f} (.5)")
wrong = roc_curve([1 - y for y in y_true], y_prob)
negated = roc_curve([1 - y for y in y_true], [-p for p in y_prob])
print(f"labels exchanged: area {wrong.area:.2f}, negated {negated.area:.2f}")
