"""Metrics as callbacks of skorch."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification

from skaucx.integrations import skorch_callback
from skaucx.metrics import brier_score_loss, mm7_auc_score

torch = pytest.importorskip("torch")
skorch = pytest.importorskip("skorch")

X, Y = make_classification(120, 5, random_state=0)
X = X.astype(np.float32)


def net(**options):
    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(5, 2), torch.nn.Softmax(dim=-1))
    return skorch.NeuralNetClassifier(layers, max_epochs=3, lr=0.1, verbose=0, **options)


def test_history_holds_the_metric_of_the_rows_held_back():
    callbacks = [skorch_callback("mm7_auc"), skorch_callback("brier_score")]
    fitted = net(callbacks=callbacks).fit(X, Y)
    _, held = fitted.get_split_datasets(X, Y)
    held_x, held_y = held.dataset.X[held.indices], Y[held.indices]
    p = fitted.predict_proba(held_x)[:, 1]
    last = fitted.history[-1]
    assert last["valid_mm7_auc"] == pytest.approx(mm7_auc_score(held_y, p), rel=1e-6)
    assert last["valid_brier_score"] == pytest.approx(brier_score_loss(held_y, p), rel=1e-6)


def test_the_best_is_the_best():
    scores, losses = skorch_callback("mm7_auc"), skorch_callback("log_loss", on_train=True)
    assert (scores.lower_is_better, losses.lower_is_better) == (False, True)
    fitted = net(callbacks=[scores, losses]).fit(X, Y)
    found = np.array(fitted.history[:, "valid_mm7_auc"])
    best = np.array(fitted.history[:, "valid_mm7_auc_best"])
    assert best.tolist() == (found == np.maximum.accumulate(found)).tolist()
    assert "train_log_loss" in fitted.history[-1]
