"""Real coverage of nominal 95 % intervals of rows with sampling weights.

``python -m benchmarks.weight_coverage`` prints the table in Markdown (two minutes on one core);
``--runs`` sets the runs of a cell. Each row of a sample is drawn from a population with a probability
proportional to exp(s z), where z is correlated (.6) with the score, and has the reciprocal as its
weight: design effects of 1.2, 2 and 4 are exp(s^2). Class counts are random. In brackets: Monte-Carlo
standard errors.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from scipy import special

from skaucx.inference import intervals

DESIGN_EFFECTS = (1.2, 2.0, 4.0)
SIZES = (100, 200, 500)
LABELS, SCORES = ("recall", "precision", "f1"), ("roc_auc", "brier_score_loss")
METRICS = LABELS + SCORES


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.weight_coverage", description=__doc__
    )
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(1)
    x, z = rng.normal(size=(2, 200_000))
    z = 0.6 * x + 0.8 * z
    odds = -1.25 + 1.5 * x
    y, score = (rng.random(len(x)) < special.expit(odds)).astype(np.intp), special.expit(1.3 * odds)
    label = (score > 0.3).astype(np.intp)
    given = ((LABELS, label), (SCORES, score))
    truth = {
        name: each.estimate
        for names, own in given
        for name, each in intervals(names, y, own).items()
    }
    print(f"{runs} runs a cell\n")
    print(f"| metric | design effect | {' | '.join(f'{n} rows' for n in SIZES)} |")
    print(f"|{'---|' * (len(SIZES) + 2)}")
    cells: dict[tuple[str, float, int], str] = {}
    for effect in DESIGN_EFFECTS:
        chance = np.exp(np.sqrt(np.log(effect)) * z)
        upto = np.cumsum(chance) / chance.sum()
        for n in SIZES:
            found: dict[str, list[tuple[bool, float]]] = {name: [] for name in METRICS}
            for _ in range(runs):
                rows = np.searchsorted(upto, rng.random(n))
                for names, own in given:
                    weight = 1 / chance[rows]
                    for name, one in intervals(
                        names, y[rows], own[rows], sample_weight=weight
                    ).items():
                        if not np.isnan(one.low):
                            found[name].append((truth[name] in one, one.high - one.low))
            for name, ends in found.items():
                share, width = np.mean(ends, axis=0)
                error = np.sqrt(share * (1 - share) / len(ends))
                cells[name, effect, n] = f"{100 * share:.1f} ({100 * error:.1f}), {width:.2f}"
    for name in METRICS:
        for effect in DESIGN_EFFECTS:
            row = " | ".join(cells[name, effect, n] for n in SIZES)
            print(f"| {name} | {effect:g} | {row} |")


if __name__ == "__main__":
    main()
