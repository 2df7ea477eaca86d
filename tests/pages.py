"""What stands on a page, and what a browser without a window makes of it, where one is installed."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no headless browser is installed")
UNPAIRED = ("meta", "link", "img", "input")


class Page(HTMLParser):
    """Headings, pictures, table cells and words of a page, whose tags are paired."""

    def __init__(self, text):
        super().__init__()
        self.text, self.open, self.unseen, self.place = text, [], [], None
        self.headings, self.images, self.rows, self.facts = [], [], [], []
        self.words, self.answer, self.folded = [], "", None
        self.feed(text)
        self.close()
        self.cells = [cell for row in self.rows for cell in row if cell]

    @property
    def first_screen(self):
        """The words before the first part that folds."""
        return self.words[: self.folded]

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.place = attributes.get("class") if tag == "p" else tag
        if tag not in UNPAIRED:
            self.open.append(tag)
            # Ticks of a picture, and what appears once a control is moved, are no words of the page.
            self.unseen.append(not {"hidden", "aria-hidden"}.isdisjoint(attributes))
        if tag == "details" and self.folded is None:
            self.folded = len(self.words)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "svg" and "aria-label" in attributes:
            self.images.append(attributes["aria-label"])

    def handle_startendtag(self, tag, attrs):
        pass  # parts of pictures

    def handle_endtag(self, tag):
        assert self.open.pop() == tag
        self.unseen.pop()
        self.place = None

    def handle_data(self, data):
        if self.place == "dd" and data.strip():
            self.facts.append(data)
        if self.place == "answer":
            self.answer += data.strip()
        if "main" in self.open and "svg" not in self.open and not any(self.unseen):
            self.words += data.split()
        if self.open and self.open[-1] in ("h1", "h2", "summary"):
            self.headings.append(data)
        if {"td", "th"} & {*self.open}:
            self.rows[-1][-1] += data.strip()


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
    """Return what a script sees of a page in a frame of that width, and errors of the page's own."""
    file = folder / "looked.html"
    framed = FRAME.format(width=width, page=html.escape(page), script=script)
    file.write_text(framed, encoding="utf-8")
    look = command(
        folder / "profile", f"--window-size={max(width, 500)},900", "--virtual-time-budget=5000",
        *options, "--dump-dom", file.as_uri(),
    )  # fmt: skip
    done = subprocess.run(look, capture_output=True, text=True, timeout=120, check=True)
    title = re.search(r"<title>(.*?)</title>", done.stdout, flags=re.DOTALL)[1]
    return json.loads(html.unescape(title)), done.stderr
