"""A real browser without a window, where one is installed."""

from __future__ import annotations

import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no headless browser is installed")


def command(profile, *options):
    """Return the command that runs the browser, whose console is written to its stderr."""
    return [
        BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--enable-logging=stderr", f"--user-data-dir={profile}", *options,
    ]  # fmt: skip
