"""Predictions of one model, for displays of several kinds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB


@pytest.fixture(scope="session")
def judged():
    X, y = make_classification(n_samples=400, flip_y=0.2, random_state=0)
    return y, GaussianNB().fit(X[::2], y[::2]).predict_proba(X)[:, 1], X


@pytest.fixture(scope="session")
def rare():
    rng = np.random.default_rng(0)
    y = (rng.random(20_000) < 0.01).astype(int)
    return y, np.clip(rng.beta(1, 60, 20_000) + 0.05 * y * rng.random(20_000), 0, 1)


@pytest.fixture(scope="session")
def binary():
    X, y = make_classification(n_samples=120, class_sep=0.6, random_state=0)
    return X, y, GaussianNB().fit(X, y)
