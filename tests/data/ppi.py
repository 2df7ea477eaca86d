"""Means by PPI++ with tuned power (ppi-python): ``python tests/data/ppi.py > tests/data/ppi.json``."""

import json

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

rng = np.random.default_rng(7)
rows, gold = 600, 80
truth = (rng.random(rows) < 0.35) * 1
score = np.round(np.clip(0.5 * truth + 0.5 * rng.random(rows), 0, 1), 3)
judge = np.where(rng.random(rows) < 0.88, truth, 1 - truth)
label = np.where(rng.random(rows) < 0.8, truth, 1 - truth)
found = {
    "truth": truth.tolist(), "score": score.tolist(), "judge": judge.tolist(), "label": label.tolist()
}  # fmt: skip
for name, loss in {
    "accuracy": lambda y: (y == label) * 1.0,
    "brier_score_loss": lambda y: (y - score) ** 2,
}.items():
    arrays = loss(truth)[:gold], loss(judge)[:gold], loss(judge)[gold:]
    ends = ppi_mean_ci(*arrays, alpha=0.05)
    value = ppi_mean_pointestimate(*arrays)
    found[name] = [float(np.ravel(each)[0]) for each in (value, *ends)]
print(json.dumps(found))
