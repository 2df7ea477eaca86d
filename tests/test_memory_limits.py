"""What does not fit into memory is refused before it starts, with what it needs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import LeaveOneOut, LeavePOut
from sklearn.naive_bayes import GaussianNB

from skaucx.model_selection import check_folds, nested_cross_validate

Y = np.arange(80) % 2
X = np.random.default_rng(0).normal(size=(80, 40))


def folds(k):
    check_folds(X[:k], Y[:k], cv=LeaveOneOut())


def outer_folds(k):
    nested_cross_validate(GaussianNB(), {}, X[:k], Y[:k], outer_cv=LeavePOut(2), inner_cv=2)


@pytest.mark.parametrize(
    ("call", "few", "many", "what"),
    [
        (folds, 40, 80, "80 splits of 80 rows"),
        (outer_folds, 8, 80, "LeavePOut cannot split 80 rows: .*3,160 splits of 80 rows"),
    ],
)
def test_what_does_not_fit_is_refused_before_it_starts(call, few, many, what, monkeypatch):
    monkeypatch.setattr("skaucx._arrays._machine_memory", lambda: 24_000)
    call(few)
    with pytest.raises(ValueError, match=rf"(?s){what}.*of memory, where this machine has"):
        call(many)
