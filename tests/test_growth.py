"""Every public call that takes rows, groups, models or the like has a line in the table of growth."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest

from tests.annexes import is_there
from tests.public import ANNEXES

if not all(map(is_there, ANNEXES)):
    pytest.skip("an annex was taken away", allow_module_level=True)
from benchmarks import growth_calls

pytestmark = pytest.mark.presentation


def test_every_public_call_that_grows_is_measured_or_excused():
    assert not growth_calls.missing(), (
        "add a line, or the reason why there is none to EXCUSED, in benchmarks/growth_calls.py"
    )


def test_lines_and_excuses_are_of_public_calls():
    public = growth_calls.public_calls()
    lines = {f"{axis.kind}: {line}" for axis in growth_calls.axes() for line in axis.calls}
    called = {growth_calls.line_call(line.partition(": ")[2]) for line in lines}
    assert called - set(public) == {"numpy"}  # what theirs costs at these sizes
    grown = [name for name, (_, call) in public.items() if growth_calls.grows(call)]
    patterns = [pattern for names in growth_calls.REASONS.values() for pattern in names]
    assert not [each for each in growth_calls.EXCUSED if not any(fnmatch(n, each) for n in grown)]
    assert not [each for each in patterns if not any(fnmatch(line, each) for line in lines)]


def test_a_call_that_nobody_measured_is_found(monkeypatch):
    def tenfold(y_true, y_pred):
        return 10 * len(y_true)

    public = {**growth_calls.public_calls(), "tenfold": ("skaucx.scale", tenfold)}
    monkeypatch.setattr(growth_calls, "public_calls", lambda: public)
    assert growth_calls.missing() == ["tenfold"]
