"""Lines on the progress of nested runs."""

from __future__ import annotations

import re

import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from skaucx import _progress
from skaucx._progress import Lines
from skaucx.model_selection import Execution, NestedCV

pytestmark = pytest.mark.presentation


@pytest.mark.parametrize(("verbose", "n_lines"), [(0, 0), (1, 10), (2, 20)])
def test_lines_come_at_most_once_a_second(monkeypatch, capsys, verbose, n_lines):
    now = [1000.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    lines = Lines(verbose, "inner fits", 1000)
    for done in range(1, 1001):
        now[0] += 0.01
        lines.arrived(done)
    out, err = capsys.readouterr()
    printed = err.splitlines()
    assert not out
    assert abs(len(printed) - n_lines) <= 1
    if verbose:
        assert re.fullmatch(
            r"\[NestedCV\] \d+ of 1000 inner fits, 1\.\ds elapsed, about [89]\.\ds left",
            printed[verbose - 1],
        )
        assert printed[-1] == "[NestedCV] 1000 of 1000 inner fits, 10.0s elapsed"


def test_verbose_prints_both_batches(capsys):
    nested = NestedCV(
        GaussianNB(), {"var_smoothing": [1e-9, 1]}, scoring="accuracy", outer_cv=2, inner_cv=2,
        execution=Execution(verbose=1),
    )  # fmt: skip
    nested.fit(*load_iris(return_X_y=True))
    out, err = capsys.readouterr()
    assert not out
    assert "[NestedCV] 12 of 12 inner fits, " in err
    assert re.search(r"\[NestedCV\] 3 of 3 refits, [\d.]+s elapsed\n$", err)
