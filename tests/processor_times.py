"""A pytest plugin that prints the processor seconds of each test file, test and fixture.

``python -m pytest -n 0 -p tests.processor_times`` counts this process and those that it has waited
for, with the number of processes that were started; times of the worker processes of joblib, which
are kept, fall on the file at whose end they stop.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections import Counter

import pytest

FILES, TESTS, FIXTURES, STARTED = Counter(), Counter(), Counter(), Counter()
#: Where all of the figures are also written, as JSON.
WRITTEN = os.environ.get("PROCESSOR_TIMES")
_now = {"file": "", "fixtures": []}


def seconds() -> float:
    """Return the processor seconds of this process and of the ended ones that it started."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def _hear(event, _arguments):
    if event in ("subprocess.Popen", "os.fork", "os.posix_spawn"):
        STARTED[_now["file"]] += 1


def pytest_configure():
    sys.addaudithook(_hear)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    _now["file"] = item.location[0]
    before = seconds()
    try:
        return (yield)
    finally:
        used = seconds() - before
        FILES[item.location[0]] += used
        TESTS[item.nodeid] += used


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    before, within = seconds(), _now["fixtures"]
    _now["fixtures"] = []
    try:
        return (yield)
    finally:
        used = seconds() - before
        FIXTURES[f"{fixturedef.baseid} {fixturedef.argname}"] += used - sum(_now["fixtures"])
        _now["fixtures"] = [*within, used]


def pytest_sessionfinish():
    if WRITTEN:
        with open(WRITTEN, "w", encoding="utf-8") as file:
            json.dump([FILES, TESTS, FIXTURES, STARTED], file)


def pytest_terminal_summary(terminalreporter):
    line = terminalreporter.write_line
    line(f"processor seconds: {sum(FILES.values()):.0f} in tests, {seconds():.0f} of the process")
    for what, counts in (("file", FILES), ("test", TESTS), ("fixture", FIXTURES)):
        for name, used in counts.most_common(30):
            line(f"{used:8.1f} s  {what} {name}")
    for name, number in STARTED.most_common(30):
        line(f"{number:8d} processes started by {name}")
