"""Pictures of the annex: the instability of risks, and sites."""

from __future__ import annotations

from functools import cache

import numpy as np
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skaucx.clinic import SitesDisplay, evaluate_sites, optimism_bootstrap


@cache
def instability():
    X, y = make_classification(200, random_state=0)
    return optimism_bootstrap(
        GaussianNB(), X, y, scoring="roc_auc", n_resamples=10, random_state=0
    ).instability()


@cache
def sites():
    rng = np.random.default_rng(0)
    p, where = rng.random(400), np.repeat(["Ghent", "Leiden", "Oslo", "York"], 100)
    return evaluate_sites((rng.random(400) < p) * 1, p, sites=where, metrics=["roc_auc"])


CASES = {
    **{
        f"instability, {kind}": lambda ax=None, kind=kind: instability().plot(ax, kind=kind)
        for kind in ("prediction", "calibration", "classification", "error")
    },
    "sites": lambda ax=None: SitesDisplay.from_sites(sites(), "roc_auc", ax=ax),
}
