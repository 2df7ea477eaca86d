"""The guide builds without a warning, and each of its pages opens in a real browser."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from functools import cache, partial
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


class Server(ThreadingHTTPServer):
    """Serves a folder on this machine alone, and keeps what was not found and what is sent home."""

    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), partial(Handler, directory=folder))
        self.lost, self.seen, self.ended = [], None, threading.Event()


class Handler(SimpleHTTPRequestHandler):
    def do_POST(self):
        self.server.seen = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()
        self.server.ended.set()

    def send_error(self, code, *rest):
        self.server.lost.append((code, self.path))
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

    @cache
    def found(start, path):
        """Return the file that a path leads to from a folder, below the site's."""
        target = (site / start / path).resolve(strict=True)
        return target.relative_to(site.resolve()).as_posix()

    for page, body in text.items():
        for link in set(re.findall(r'\b(?:href|src)="([^"]+)"', body)):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            start, own = page.rpartition("/")[::2]
            try:
                name = found(start, unquote(parts.path) or own)
            except FileNotFoundError:
                pytest.fail(f"{page} links to {link}")
            if parts.fragment and name in places:
                assert unquote(parts.fragment) in places[name], (page, link)


@needs_browser
def test_every_page_opens_in_a_browser(site, tmp_path):
    """Nothing on the console but the theme's progress, no file missing, no picture or formula broken."""
    visited = pages(site)
    assert len(visited) > 200
    (site / "visitor.html").write_text(VISITOR.replace("PAGES", json.dumps(visited)))
    with Server(str(site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/visitor.html"
        with (tmp_path / "console").open("w") as console:
            browser = subprocess.Popen(command(tmp_path / "profile", address), stderr=console)
            ended = server.ended.wait(timeout=300)
            browser.terminate()
            browser.wait()
        server.shutdown()
    (site / "visitor.html").unlink()
    said = re.findall(r"CONSOLE.*?\] (.*)", (tmp_path / "console").read_text())
    messages = [line for line in said if not line.startswith('"[PST]: ')]  # the theme's progress
    assert ended, messages
    assert not messages
    assert not [path for _, path in server.lost if not path.endswith("favicon.ico")]
    assert [found["page"] for found in server.seen] == visited
    for found in server.seen:
        assert found["title"], found
        assert found["typeset"] >= found["formulas"], found
        assert [found[fault] for fault in ("broken", "blind", "wide")] == [0, 0, False], found
    assert sum(found["formulas"] for found in server.seen) > 50
