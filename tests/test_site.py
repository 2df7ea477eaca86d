"""The guide builds without a warning, and each of its pages opens in a real browser."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.pages import command, needs_browser

ROOT = Path(__file__).parents[1]
TOOLS = (
    "sphinx", "myst_parser", "numpydoc", "pydata_sphinx_theme", "sphinx_design",
    "sphinx-mathjax-offline", "imblearn",
)  # fmt: skip
MISSING = [tool for tool in TOOLS if find_spec(tool) is None]
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"the extra docs is not installed: {MISSING}"),
    pytest.mark.xdist_group("site"),
]

# Opens the pages one after the other in a frame and sends home what each of them shows.
VISITOR = """<!doctype html><meta charset="utf-8"><iframe width="1200" height="900"></iframe><script>
const frame = document.querySelector("iframe"), seen = [];
const loaded = page => new Promise(done => { frame.onload = done; frame.src = page; });
(async () => {
  for (const page of PAGES) {
    await loaded(page);
    const view = frame.contentWindow, text = frame.contentDocument;
    if (view.MathJax && view.MathJax.startup) await view.MathJax.startup.promise;
    seen.push({page, title: text.title, wide: text.documentElement.scrollWidth > 1200,
               formulas: text.querySelectorAll(".math").length,
               typeset: text.querySelectorAll("mjx-container").length,
               broken: text.querySelectorAll("mjx-merror").length,
               blind: [...text.images].filter(i => !i.complete || !i.naturalWidth).length});
  }
  await fetch("seen", {method: "POST", body: JSON.stringify(seen)});
})();
</script>"""


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder on this machine alone, and keeps what was not found and what is sent home."""

    lost, seen = [], queue.Queue()

    def do_POST(self):
        self.seen.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def send_error(self, code, *rest):
        self.lost.append(self.path)
        super().send_error(code, *rest)

    def log_message(self, *_):
        pass


def built(*options):
    """Return what the build prints, which fails on a warning."""
    build = [sys.executable, "examples/guide/build.py", *options]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site():
    """The site; every cell of the guide has run."""
    built()
    return ROOT / "site"


def test_what_is_kept_does_not_run_again(site):
    assert not re.findall(r"^\S+: [\d.]+ s$", built("--run"), re.MULTILINE)


def pages(folder):
    """Return the addresses of the pages, below the folder."""
    found = [page.relative_to(folder).as_posix() for page in sorted(folder.rglob("*.html"))]
    return [page for page in found if not page.startswith(("_modules", "_static", "visitor"))]


def test_links_within_the_site_hold(site):
    """Every file and every place in a page that a page names is there."""
    text = {page: (site / page).read_text(encoding="utf-8") for page in pages(site)}
    places = {page: set(re.findall(r'\bid="([^"]+)"', body)) for page, body in text.items()}
    for page, body in text.items():
        for link in set(re.findall(r'\b(?:href|src)="([^"]+)"', body)):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = unquote(parts.path)
            name = os.path.normpath(Path(page).parent / path) if path else page
            assert not name.startswith(".."), (page, link)
            assert (site / name).exists(), (page, link)
            if parts.fragment and name in places:
                assert unquote(parts.fragment) in places[name], (page, link)


@needs_browser
def test_every_page_opens_in_a_browser(site, tmp_path):
    """Nothing on the console but the theme's progress, no file missing, no picture or formula broken."""
    visited, seen = pages(site), []
    assert len(visited) > 200
    (site / "visitor.html").write_text(VISITOR.replace("PAGES", json.dumps(visited)))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/visitor.html"
        with (tmp_path / "console").open("w") as console:
            browser = subprocess.Popen(command(tmp_path / "profile", address), stderr=console)
            with contextlib.suppress(queue.Empty):
                seen = Handler.seen.get(timeout=300)
            browser.terminate()
            browser.wait()
        server.shutdown()
    (site / "visitor.html").unlink()
    said = re.findall(r"CONSOLE.*?\] (.*)", (tmp_path / "console").read_text())
    assert not [line for line in said if not line.startswith('"[PST]: ')]  # the theme's progress
    assert [found["page"] for found in seen] == visited
    assert not [path for path in Handler.lost if not path.endswith("favicon.ico")]
    for found in seen:
        assert found["title"], found
        assert found["typeset"] >= found["formulas"], found
        assert [found[fault] for fault in ("broken", "blind", "wide")] == [0, 0, False], found
    assert sum(found["formulas"] for found in seen) > 50
