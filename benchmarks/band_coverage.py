"""Real coverage of the nominal 95 % bands of ROC and precision-recall curves, by simulation.

``python -m benchmarks.band_coverage`` prints the table in Markdown (an hour on one core); ``--runs``
sets the runs, ``--methods``, ``--curves`` and ``--kinds`` what is simulated, ``--spread`` that of the
positives.

Two normal classes of fixed sizes. Whole curves count at 101 points; pointwise bands by the least and
the mean coverage of a point between the ends.
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import special

from skaucx.metrics import precision_recall_band, roc_band

SIZES = ((15, 15), (50, 50), (500, 500), (20, 180))
AUCS = (0.7, 0.8, 0.9, 0.95)
GRID = np.linspace(0, 1, 101)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.band_coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--draws", type=int, default=300, help="n_resamples of every band")
    parser.add_argument("--methods", nargs="+", default=["rectangles", "bootstrap"])
    parser.add_argument("--curves", nargs="+", default=["ROC", "PR"])
    parser.add_argument("--kinds", nargs="+", default=["whole", "pointwise"])
    parser.add_argument("--spread", type=float, default=1.0, help="of the positives, negatives 1")
    options = parser.parse_args()
    print(f"{options.runs} runs; per cent at AUC {' / '.join(map(str, AUCS))}, mean width at .9\n")
    print("| curve | method | band | " + " | ".join(f"{p} + {n}" for p, n in SIZES) + " |")
    print("|---|---|---|" + "---|" * len(SIZES))
    for curve in options.curves:
        for method in options.methods:
            for simultaneous in [kind == "whole" for kind in options.kinds]:
                cells = []
                for sizes in SIZES:
                    each = [
                        coverage(curve, method, simultaneous, *sizes, auc, options) for auc in AUCS
                    ]
                    width = each[AUCS.index(0.9)][1]
                    cells.append(" / ".join(text for text, _ in each) + f", {width:.2f}")
                kind = "whole curve" if simultaneous else "pointwise: least, mean"
                print(f"| {curve} | {method} | {kind} | {' | '.join(cells)} |", flush=True)


def coverage(curve, method, simultaneous, positives, negatives, auc, options):
    """Return the coverage as text, and the mean width."""
    rng = np.random.default_rng([positives, negatives, round(100 * auc)])
    shift, k = special.ndtri(auc) * np.sqrt(1 + options.spread**2), options.spread
    y = np.repeat([1, 0], [positives, negatives])
    truth = special.ndtr((shift + special.ndtri(GRID)) / k)
    if curve == "PR":
        fpr = special.ndtr(k * special.ndtri(GRID) - shift)
        called = GRID * positives + fpr * negatives
        truth = np.divide(GRID * positives, called, out=np.ones_like(GRID), where=called > 0)
    make = roc_band if curve == "ROC" else precision_recall_band
    inside, width = [], []
    for seed in range(options.runs):
        score = rng.normal(size=len(y)) * np.where(y, k, 1) + shift * y
        settings = {"method": method, "simultaneous": simultaneous, "random_state": seed}
        band = make(y, score, n_resamples=options.draws, **settings)
        inside.append((band.low <= truth + 1e-12) & (truth - 1e-12 <= band.high))
        width.append(np.mean(band.high - band.low))
    points = 100 * np.mean(inside, axis=0)[1:-1]
    whole = 100 * np.mean(np.all(inside, axis=1))
    text = f"{whole:.0f}" if simultaneous else f"{points.min():.0f}, {points.mean():.0f}"
    return text, float(np.mean(width))


if __name__ == "__main__":
    main()
