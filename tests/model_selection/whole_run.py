"""A run with all options on, for tests in several processes."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_classification

from skaucx.model_selection import Decisions, Execution, nested_cross_validate

from .unruly import Unruly


def whole_run(log, memory=None):
    """Return all that comes of a run that writes a file a fit."""
    X, y = make_classification(300, 6, flip_y=0.2, random_state=0)
    result = nested_cross_validate(
        Unruly(log=str(log), pause=0.02), {"var_smoothing": [1e-9, 0.1, 10.0, 100.0]}, X, y,
        scoring=["roc_auc", "f1"], outer_cv=2, inner_cv=3,
        execution=Execution(memory=memory and str(memory)),
        decisions=Decisions(
            calibration="sigmoid", threshold="f1", reject={"cost": 0.2}
        ),
    )  # fmt: skip
    probabilities = result.final.estimator.predict_proba(X)[:9, 1]
    rejected = result.rejections.least
    return np.hstack([result["test_f1"], result.thresholds, rejected, probabilities])
