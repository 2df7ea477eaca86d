"""A nested run chooses and scores as nestkit's."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from skaucx.model_selection import nested_cross_validate


@pytest.mark.peers
@pytest.mark.filterwarnings("default")
def test_folds_of_nestkit():
    nestkit = pytest.importorskip("nestkit")
    X, y = make_classification(200, flip_y=0.2, random_state=0)
    folds = {"outer_cv": StratifiedKFold(4), "inner_cv": StratifiedKFold(3), "scoring": "roc_auc"}
    grid = {"C": [0.01, 0.1, 1, 10]}
    theirs = nestkit.NestedCVClassifier(LogisticRegression(), grid, **folds).fit(X, y).results_
    ours = nested_cross_validate(LogisticRegression(), grid, X, y, **folds)
    assert list(ours.winning_params) == theirs.best_params_per_fold_
    scores = theirs.outer_scores_default_["roc_auc"]
    np.testing.assert_allclose(ours["test_roc_auc"], scores, rtol=1e-12)
