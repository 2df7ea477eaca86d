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
from urllib.parse import quote, unquote, urlsplit

import pytest

from skaucx import model_selection
from skaucx.metrics import list_metrics
from tests.browser import command, needs_browser
from tests.public import PUBLIC, STUDY_NAMES

OWN = {*PUBLIC, *model_selection.__all__, *STUDY_NAMES}
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


# The same at 400 px: what is wider than the page, and the colour of the links.
NARROW = """<!doctype html><meta charset="utf-8"><iframe width="400" height="900"></iframe><script>
const frame = document.querySelector("iframe"), seen = [];
const loaded = page => new Promise(done => { frame.onload = done; frame.src = page; });
localStorage.setItem("mode", THEME);
localStorage.setItem("theme", THEME);
(async () => {
  for (const page of PAGES) {
    await loaded(page);
    const text = frame.contentDocument, root = text.documentElement;
    const style = frame.contentWindow.getComputedStyle(root);
    const wide = [...text.querySelectorAll("article :is(h1, h2, dt.sig, dt.sig *)")]
      .filter(each => each.getBoundingClientRect().right > 400);
    seen.push({page, cut: [...wide.map(each => each.textContent),
                           ...(root.scrollWidth > 400 ? ["the page"] : [])],
               colour: style.getPropertyValue("--pst-color-link").trim()});
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


def sources():
    """Return the files of the tree outside of build folders, with their sizes and times."""
    folders = (ROOT / name for name in ("benchmarks", "examples", "skaucx"))
    return {
        path: (path.stat().st_size, path.stat().st_mtime_ns)
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def built(*options):
    """Return what the build prints, which fails on a warning."""
    build = [sys.executable, "examples/guide/build.py", *options]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site():
    """The site; every cell of the guide has run."""
    before = sources()
    built()
    assert sources() == before, "the build has written into the sources"
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


def test_the_header_has_four_entries(site):
    """None of them is in a menu, and pages of the guide show its contents."""
    page = (site / "nested.html").read_text(encoding="utf-8")
    header = page.partition('class="bd-header')[2].partition("</header>")[0]
    entries = re.findall(r'nav-link nav-internal"[^>]*>\s*(\S+)\s*</a>', header)
    assert list(dict.fromkeys(entries)) == ["Guide", "Gallery", "Metrics", "Reference"]
    assert "dropdown-toggle" not in header.partition("theme-switch")[0]
    sidebar = page.partition("bd-sidebar-primary")[2].partition("<main")[0]
    assert "intervals.html" in sidebar


def test_public_names_are_links(site):
    """In the text of the guide; headings and links of their own aside."""
    name = re.compile(r'<code class="[^"]*literal[^"]*"><span class="pre">(\w+)</span></code>')
    for path in site.glob("*.html"):
        body = path.read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
        body = re.sub(r"(?s)<(a|h\d)\b.*?</\1>", "", body)
        unlinked = set(name.findall(body)) & OWN
        assert not unlinked, (path.name, unlinked)


def test_no_output_is_an_install_hint(site):
    for page in pages(site):
        body = (site / page).read_text(encoding="utf-8")
        for output in re.findall(
            r'(?s)<div class="(?:output|highlight-text output).*?</div>', body
        ):
            assert "pip install" not in output, page


def test_all_metrics_are_one_table(site):
    page = (site / "api/table.html").read_text(encoding="utf-8")
    table = page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert page.count("<tbody>") == 1
    assert table.count("<tr") == len(list_metrics())
    assert len(re.findall(r'<a class="reference internal" href="[^"]+"', table)) >= len(
        list_metrics()
    )


@needs_browser
@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("specificity scorer", "specificity_score"),
        ("sample size", "rate_sample_size"),
        ("sample size", "roc_auc_sample_size"),
        ("sensitivity", "recall_score"),
        ("PPV", "precision_score"),
        ("AUC confidence interval", "Intervals"),
    ],
)
def test_search_finds_other_names(site, tmp_path, words, wanted):
    with Server(str(site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/search.html?q={quote(words)}"
        options = ("--virtual-time-budget=8000", "--dump-dom", address)
        done = subprocess.run(
            command(tmp_path / "profile", *options), capture_output=True, text=True, timeout=60,
            check=False,
        )  # fmt: skip
        server.shutdown()
    results = done.stdout.partition('id="search-results"')[2]
    links = re.findall(r"<li[^>]*><a[^>]*>(.*?)</a>", results)
    found = [re.sub("<[^>]+>", "", title) for title in links]  # words are marked
    wide = 4 if words == "sample size" else 3  # there are several planners
    first = 1 if words == "specificity scorer" else wide
    assert any(wanted in title for title in found[:first]), found[:20]


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


@needs_browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_narrow_screen_cuts_no_name(site, tmp_path, theme):
    """At 400 px no heading or signature is wider than the page, and the colours are a report's."""
    language = (ROOT / "skaucx/reports/templates/language.css").read_text(encoding="utf-8")
    colours = re.findall(r"--line0: (#\w+)", language)
    wanted = colours[0] if theme == "light" else colours[1]
    longest = sorted((site / "api").glob("skaucx.*.html"), key=lambda path: -len(path.name))[:4]
    visited = ["index.html", "tasks.html", *(f"api/{path.name}" for path in longest)]
    script = NARROW.replace("PAGES", json.dumps(visited)).replace("THEME", json.dumps(theme))
    (site / "visitor.html").write_text(script)
    with Server(str(site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/visitor.html"
        browser = subprocess.Popen(
            command(tmp_path / "profile", address), stderr=subprocess.DEVNULL
        )
        ended = server.ended.wait(timeout=120)
        browser.terminate()
        browser.wait()
        server.shutdown()
    (site / "visitor.html").unlink()
    assert ended
    assert [found["page"] for found in server.seen] == visited
    for found in server.seen:
        assert not found["cut"], found
        assert found["colour"].lower() == wanted.lower(), found


def test_every_figure_of_the_gallery_folds_its_code(site):
    page = (site / "api/gallery.html").read_text(encoding="utf-8")
    drawn = page.count("../_images/gallery-")
    assert drawn >= 40
    assert page.count("sd-summary-text") == drawn
    for story in (site / "examples").glob("*.html"):
        body = story.read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
        outside = re.sub(r"(?s)<details.*?</details>", "", body)
        assert "highlight-python" not in outside, story.name
