"""The tally of checks that the summary prints."""

from __future__ import annotations

from collections import Counter

import pytest

_TALLY = pytest.StashKey[Counter]()


def pytest_configure(config):
    config.stash[_TALLY] = Counter()


def pytest_terminal_summary(terminalreporter, config):
    for what, number in sorted(config.stash[_TALLY].items()):
        terminalreporter.write_line(f"{what}: {number}")


@pytest.fixture(scope="session")
def tally(request):
    """A counter of checks by kind, printed after the last test."""
    return request.config.stash[_TALLY]
