"""A real browser without a window, where one is installed."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess

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


FRAME = """<!DOCTYPE html><title></title><style>body {{ margin: 0 }}</style>
<iframe style="border: 0; width: {width}px; height: 900px" srcdoc="{page}"></iframe>
<script>const frame = document.querySelector("iframe");
const look = (document, window) => {{ {script} }};
frame.addEventListener("load", () => setTimeout(() => {{
  document.title = JSON.stringify(look(frame.contentDocument, frame.contentWindow));
}}, 100));</script>"""


def looked_at(page, script, folder, width=1280, *options):
    """Return what a script sees of a page and does to it from outside.

    The page lies in a frame of that width; errors of its own scripts are in the second value.
    """
    file = folder / "looked.html"
    file.write_text(
        FRAME.format(width=width, page=html.escape(page), script=script), encoding="utf-8"
    )
    look = command(
        folder / "profile", f"--window-size={max(width, 500)},900", "--virtual-time-budget=5000",
        *options, "--dump-dom", file.as_uri(),
    )  # fmt: skip
    done = subprocess.run(look, capture_output=True, text=True, timeout=120, check=True)
    title = re.search(r"<title>(.*?)</title>", done.stdout, flags=re.DOTALL)[1]
    return json.loads(html.unescape(title)), done.stderr
