"""What folds and metrics share changes no value: stacks of states over folds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.naive_bayes import GaussianNB

from skaucx.metrics import one_pass_scorer
from skaucx.metrics._kinds.labels import LabelState
from skaucx.metrics._kinds.scores.state import ScoreState

METRICS = ["f1_macro", "matthews_corrcoef", "neg_log_loss", "roc_auc_ovr", "balanced_accuracy"]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_scored_together_and_one_by_one(classes, weighted, monkeypatch):
    X, y = make_classification(130, 6, n_informative=4, n_classes=classes, random_state=0)
    weight = np.random.default_rng(0).exponential(size=130) if weighted else None
    scorer = one_pass_scorer(METRICS)
    counted, alone = [], []
    for start, stop in [(0, 40), (40, 80), (80, 130)]:
        for smoothing in (1e-9, 1.0):
            rows, rest = slice(start, stop), np.r_[0:start, stop:130]
            model = GaussianNB(var_smoothing=smoothing).fit(X[rest], y[rest])
            own = {} if weight is None else {"sample_weight": weight[rows]}
            counted.append(scorer.count(model, X[rows], y[rows], **own))
            alone.append(scorer.evaluate(model, X[rows], y[rows], **own).scores)
    sizes = {}
    for kind in (LabelState, ScoreState):
        stacked = kind.stacked

        def noted(state, states, kind=kind, stacked=stacked):
            sizes.setdefault(kind, []).append(len(states))
            return stacked(state, states)

        monkeypatch.setattr(kind, "stacked", noted)
    together = [found.scores for found in scorer.results(counted)]
    # Weighted tables have the unit of the weights of their fold.
    assert (sizes[LabelState], sizes[ScoreState]) == ([2, 2, 2] if weighted else [6], [4, 2])
    assert len({scores["f1_macro"] for scores in alone}) > 1
    for found, wanted in zip(together, alone, strict=True):
        assert found == pytest.approx(wanted, rel=1e-13)
