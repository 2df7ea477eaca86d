"""Real coverage of the nominal 95 % bands of ROC and precision-recall curves, by simulation.

``python -m benchmarks.band_coverage`` prints the table in Markdown (four minutes on one core);
``--runs`` sets the runs, ``--designs``, ``--methods``, ``--curves`` and ``--kinds`` what is simulated,
``--spread`` that of the positives. ``--peer`` compares with the package rocci, where it is installed:
coverage, width and time of whole ROC curves.

Two normal classes; the class counts are random, but for designs "P + N". Whole curves count at 101
points; pointwise bands by the mean coverage of a point. In brackets: Monte-Carlo standard errors.

Groups: each of so many patients has so many rows, whose scores share half their variance; the class is
the patient's, or every row has its own. Weights: log-normal, or those that undo a sample of too many
high scores ("tilted").
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from scipy import special

from skaucx.inference import precision_recall_band, roc_band

AUCS = (0.7, 0.8, 0.9, 0.95)
GRID = np.linspace(0, 1, 101)
# What is drawn: units, rows a unit, prevalence.
DESIGNS = {
    "15 + 15": ("fixed", 30, 1, 0.5),
    "50 + 50": ("fixed", 100, 1, 0.5),
    "500 + 500": ("fixed", 1000, 1, 0.5),
    "20 + 180": ("fixed", 200, 1, 0.1),
    "100 rows, half positive": ("rows", 100, 1, 0.5),
    "200 rows, 10 % positive": ("rows", 200, 1, 0.1),
    "30 patients of 6, a class a patient": ("of patients", 30, 6, 0.5),
    "30 patients of 6, a class a row": ("of rows", 30, 6, 0.5),
    "12 patients of 6, a class a patient": ("of patients", 12, 6, 0.5),
    "6 patients of 10, a class a row": ("of rows", 6, 10, 0.5),
    "200 weighted rows": ("weighted", 200, 1, 0.5),
    "200 rows, tilted": ("tilted", 200, 1, 0.4),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.band_coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--draws", type=int, default=300, help="n_resamples of every band")
    parser.add_argument("--designs", nargs="+", default=list(DESIGNS))
    parser.add_argument("--methods", nargs="+", default=["rectangles"])
    parser.add_argument("--curves", nargs="+", default=["ROC", "PR"])
    parser.add_argument("--kinds", nargs="+", default=["whole"], choices=["whole", "pointwise"])
    parser.add_argument("--spread", type=float, default=1.0, help="of the positives, negatives 1")
    parser.add_argument("--peer", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.peer:
        peers(options)
        return
    heads = " | ".join(f"AUC {auc}" for auc in AUCS)
    print(f"{options.runs} runs; per cent covered, mean width\n")
    print(f"| curve, method, band | design | {heads} |\n|---|---|{'---|' * len(AUCS)}")
    for curve in options.curves:
        for method in options.methods:
            for kind in options.kinds:
                for design in options.designs:
                    ask = {"method": method, "simultaneous": kind == "whole"}
                    cells = [
                        str(Found(ours(curve, **ask), curve, design, auc, options)) for auc in AUCS
                    ]
                    print(
                        f"| {curve}, {method}, {kind} | {design} | {' | '.join(cells)} |",
                        flush=True,
                    )


def peers(options) -> None:
    """Print whole ROC curves of either package, each with its defaults on one thread."""
    import rocci

    def peer(y, score, seed, **_):
        band = rocci.roc_band(y, score, random_state=seed, n_threads=1)
        low, high = (np.interp(GRID, band.fpr, ends) for ends in (band.lower, band.upper))
        return low, high

    print(f"{options.runs} runs, 2,000 resamples; per cent covered, mean width, CPU milliseconds\n")
    print(
        f"| design | package | {' | '.join(f'AUC {auc}' for auc in AUCS)} |\n|---|---|{'---|' * 4}"
    )
    options.draws = 2000
    for design in ("50 + 50", "500 + 500", "20 + 180"):
        for name, make in (("skaucx", ours("ROC")), (f"rocci {rocci.__version__}", peer)):
            found = [Found(make, "ROC", design, auc, options) for auc in AUCS]
            cells = " | ".join(f"{each}, {each.milliseconds:.0f} ms" for each in found)
            print(f"| {design} | {name} | {cells} |", flush=True)


def ours(curve, **ask):
    """Return what makes the ends of a band."""
    make = roc_band if curve == "ROC" else precision_recall_band

    def ends(y, score, seed, **given):
        band = make(y, score, random_state=seed, **ask, **given)
        return band.low, band.high

    return ends


class Found:
    """Coverage, mean width and time of the bands of one design."""

    def __init__(self, make, curve, design, auc, options) -> None:
        kind, units, size, prevalence = DESIGNS[design]
        rng = np.random.default_rng([units, size, round(100 * auc)])
        truth = population(curve, auc, prevalence, options.spread)
        inside, width, spent = [], [], []
        for seed in range(options.runs):
            y, score, given = drawn(rng, kind, units, size, prevalence, auc, options.spread)
            start = time.process_time()
            low, high = make(y, score, seed, n_resamples=options.draws, **given)
            spent.append(time.process_time() - start)
            if np.isnan(low).any():  # a class without two patients
                continue
            inside.append((low <= truth + 1e-12) & (truth - 1e-12 <= high))
            width.append(np.mean(high - low))
        each = np.mean(inside, axis=1) if options.kinds == ["pointwise"] else np.all(inside, axis=1)
        self.covered, self.error = 100 * each.mean(), 100 * each.std() / np.sqrt(len(each))
        self.width, self.milliseconds = float(np.mean(width)), 1000 * float(np.median(spent))

    def __str__(self) -> str:
        return f"{self.covered:.1f} ({self.error:.1f}), {self.width:.2f}"


def population(curve, auc, prevalence, spread):
    """Return the true curve at the grid."""
    shift = special.ndtri(auc) * np.sqrt(1 + spread**2)
    if curve == "ROC":
        return special.ndtr((shift + special.ndtri(GRID)) / spread)
    wrong = (1 - prevalence) * special.ndtr(spread * special.ndtri(GRID) - shift)
    right = prevalence * GRID
    return np.divide(right, right + wrong, out=np.ones_like(GRID), where=right > 0)


def drawn(rng, kind, units, size, prevalence, auc, spread=1.0):
    """Draw classes, scores, and groups or weights."""
    group = np.repeat(np.arange(units), size)
    if kind == "fixed":
        y = np.arange(units) < round(prevalence * units)
    else:
        own = rng.random(units)[group] if kind == "of patients" else rng.random(len(group))
        y = own < prevalence
    noise, given = rng.normal(size=len(group)), {}
    if kind.startswith("of"):
        noise = (noise + rng.normal(size=units)[group]) / np.sqrt(2)
        given = {"groups": group}
    elif kind == "weighted":
        given = {"sample_weight": np.exp(rng.normal(size=units))}
    elif kind == "tilted":
        # Noise of mean 1/2 in place of 0 is e^(x / 2) times too frequent at x.
        noise += 0.5
        given = {"sample_weight": np.exp(-0.5 * noise)}
    shift = special.ndtri(auc) * np.sqrt(1 + spread**2)
    return y, noise * np.where(y, spread, 1) + shift * y, given


if __name__ == "__main__":
    main()
