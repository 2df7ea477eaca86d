"""How far a call walks: files entered, and changes between them, have a ceiling."""

import numpy as np
import pytest

from benchmarks.walk import walked
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import roc_auc_score

_RNG = np.random.default_rng(0)
_TRUE, _SCORE = _RNG.integers(0, 2, 500), _RNG.random(500)
_PRED = (_SCORE > 0.5).astype(int)


@pytest.mark.parametrize(
    ("call", "most_files", "most_changes"),
    [
        (lambda: roc_auc_score(_TRUE, _SCORE), 9, 18),
        (lambda: interval("f1", _TRUE, _PRED), 20, 58),
        (lambda: str(evaluate(_TRUE, _PRED, _SCORE)), 35, 400),
    ],
    ids=["roc_auc_score", "interval", "evaluate"],
)
def test_a_call_stays_in_few_files(call, most_files, most_changes):
    files, changes, calls = walked(call)
    assert 1 < files <= most_files
    assert files <= changes <= most_changes < calls
