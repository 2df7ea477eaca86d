"""The progress bar: late, rare, on standard error, and gone in the end."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from skaucx import _progress as module
from skaucx import _progress as progress_module
from skaucx._progress import Lines
from skaucx.inference import interval, paired_test, permutation_test
from skaucx.metrics._registry import resampling
from skaucx.model_selection import Execution, NestedCV

pytestmark = pytest.mark.presentation


@pytest.fixture
def clock(monkeypatch):
    """Seconds, moved by hand."""
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return now


def test_short_work_shows_nothing(clock, capsys):
    with module.ProgressBar(10, shown=True) as bar:
        clock[0] += 0.9
        bar.advance(5)
    assert capsys.readouterr().err == ""


def test_a_bar_is_drawn_and_wiped_out(clock, capsys):
    with module.ProgressBar(40, shown=True) as bar:
        clock[0] += 2
        bar.advance(10)
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.endswith(f"\r[{'#' * 7}{'-' * 23}]  25%, 6 s left")
        clock[0] += 0.1
        bar.advance()  # too soon after the last drawing
        assert capsys.readouterr().err == ""
        clock[0] += 60
        bar.advance(29)
        text = f"[{'#' * 30}] 100%, 0 s left"
        assert capsys.readouterr().err.endswith(f"\r{text}")
    assert capsys.readouterr().err == f"\r{' ' * len(text)}\r"


def test_an_error_wipes_it_out_too(clock, capsys):
    def work():
        with module.ProgressBar(2, shown=True) as bar:
            clock[0] += 5
            bar.advance()
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert capsys.readouterr().err.endswith(" \r")


class Slow:
    """A clock on which every look takes two seconds."""

    def __init__(self):
        self.now = 0.0

    def monotonic(self):
        self.now += 2
        return self.now


@pytest.fixture
def small_pieces(monkeypatch):
    """Resamples of a few hundred rows come in as many pieces as those of some thousand."""
    for room, name in ((resampling, "_COUNTS_AT_ONCE"), (resampling, "_CELLS_AT_ONCE")):
        monkeypatch.setattr(room, name, 1 << 15)


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize("terminal", [True, False])
def test_long_resampling_is_not_silent(terminal, monkeypatch, capsys):
    """A terminal has the bar, a log one line."""
    monkeypatch.setattr(module, "time", Slow())
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: terminal, raising=False)
    y, score = np.arange(400) % 2, np.random.default_rng(0).random(400)
    interval("mm7_auc", y, score, method="percentile", n_resamples=900, random_state=0)
    said = capsys.readouterr()
    assert not said.out
    if terminal:
        assert said.err.count("s left") >= 2
        assert said.err.endswith(" \r")
    else:
        assert len(said.err.splitlines()) == 1
        assert said.err.startswith("900 resamples, about ")


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    "resample",
    [
        lambda *rows, **how: paired_test(
            "ks_score", *rows, rows[-1][::-1], **how, method="permutation"
        ),
        lambda *rows, **how: permutation_test("ks_score", *rows, **how),
    ],
    ids=["exchanges", "shuffles"],
)
def test_the_time_left_is_that_of_all_resamples(resample, monkeypatch, capsys):
    """Exchanges and shuffles report it once, for all of them."""
    monkeypatch.setattr(module, "time", Slow())
    monkeypatch.setattr(module.sys.stderr, "isatty", lambda: False, raising=False)
    y, score = np.arange(400) % 2, np.random.default_rng(0).random(400)
    resample(y, score, n_resamples=900, random_state=0)
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("900 resamples, about ")


class Clock:
    """Time that only the work of one worker moves."""

    def __init__(self):
        self.now = 1000.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock_lines(monkeypatch):
    clock_lines = Clock()
    monkeypatch.setattr(progress_module.time, "monotonic", clock_lines.monotonic)
    return clock_lines


@pytest.mark.parametrize(("verbose", "n_lines"), [(0, 0), (1, 10), (2, 20)])
def test_lines_come_at_most_once_a_second(clock_lines, capsys, verbose, n_lines):
    lines = Lines(verbose, "inner fits", 1000)
    for done in range(1, 1001):
        clock_lines.now += 0.01
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
