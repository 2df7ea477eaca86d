"""Progress of nested runs: lines on a terminal, in a log, in a notebook."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from skaucx import _progress as progress_module
from skaucx._progress import Lines
from skaucx.model_selection import Execution, NestedCV


class Clock:
    """Time that only the work of one worker moves."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(progress_module.time, "monotonic", clock.monotonic)
    return clock


@pytest.mark.parametrize(("verbose", "n_lines"), [(0, 0), (1, 10), (2, 20)])
def test_lines_come_at_most_once_a_second(clock, capsys, verbose, n_lines):
    lines = Lines(verbose, "inner fits", 1000)
    for done in range(1, 1001):
        clock.now += 0.01
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


def test_lines_in_a_notebook_write_over_each_other(monkeypatch, capsys):
    shown, updated = [], []

    def display(data, raw, display_id):
        shown.append(data["text/plain"])
        return SimpleNamespace(update=lambda data, raw: updated.append(data["text/plain"]))

    monkeypatch.setattr(progress_module, "notebook_display", lambda: display)
    lines = Lines(10**9, "inner fits", 3)
    for done in (1, 2, 3):
        lines.arrived(done)
    assert [text.partition(" inner")[0] for text in shown + updated] == [
        f"[NestedCV] {done} of 3" for done in (1, 2, 3)
    ]
    Lines(10**9, "refits", 1).arrived(1)
    assert len(shown) == 2
    assert not capsys.readouterr().err
