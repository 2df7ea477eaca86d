"""Builds the site: ``python examples/guide/build.py [FOLDER]`` (extra ``docs``), into ``site``.

Pages are written into ``build/guide``, with what their cells and the stories of the gallery print and
draw. Each page runs once in a process of its own: what it gave is kept under a hash of its code, the
code of the package and the versions that are installed.
"""

from __future__ import annotations

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # a page has one core; processes share the others
os.environ["MPLBACKEND"] = "Agg"
os.environ["COLUMNS"] = "80"  # of texts, which are as wide as the terminal

import argparse
import ast
import hashlib
import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import linecache
import multiprocessing
import multiprocessing.connection
import re
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

GUIDE = Path(__file__).parent
ROOT = GUIDE.parents[1]
RESULTS = ROOT / "benchmarks" / "results"
BUILT = ROOT / "build" / "guide"
PAGES, KEPT = BUILT / "pages", BUILT / "kept"

CELL = re.compile(r"^```\{code-cell\} python\n((?::.*\n)*)(.*?)^```$", re.MULTILINE | re.DOTALL)
LANDING = "index"
# The stories among the examples; the others are tools that print or draw what pages show.
TOOLS = ("gallery", "measures", "drop_in_names", "other_packages", "rooms", "study_tables")


# -- Code that runs once


@dataclass(frozen=True)
class Run:
    """The cells of a page, and the folder of what they gave."""

    name: str
    cells: tuple[str, ...]
    folder: Path

    @property
    def outputs(self) -> list[dict[str, Any]]:
        """What each cell printed, its value as HTML or text, and the names of its pictures."""
        found: list[dict[str, Any]] = json.loads((self.folder / "outputs.json").read_text())
        return found

    def execute(self) -> None:
        """Run the cells, as a notebook does, and keep what they give; ends the process on an error."""
        from matplotlib import pyplot

        pyplot.show = lambda *_, **__: None
        sys.argv = [self.name]
        space = sys.modules["__main__"] = ModuleType("__main__")
        part = self.folder.with_suffix(f".{os.getpid()}")
        part.mkdir(parents=True)
        started, outputs = time.process_time(), []
        with tempfile.TemporaryDirectory() as here:
            os.chdir(here)
            for number, cell in enumerate(self.cells):
                outputs.append(evaluated(cell, f"<{self.name}, cell {number + 1}>", space.__dict__))
                for drawn in pyplot.get_fignums():
                    picture = f"{self.name}-{number + 1}-{drawn}.png"
                    figure = pyplot.figure(drawn)
                    figure.savefig(part / picture, dpi=100, bbox_inches="tight")
                    outputs[-1]["pictures"].append(picture)
                pyplot.close("all")
            if self.name == LANDING:  # it shows the page that it writes
                for page in Path(here).glob("*.html"):
                    shutil.copy(page, part)
            os.chdir(ROOT)
        (part / "outputs.json").write_text(json.dumps(outputs))
        part.rename(self.folder)
        print(f"{self.name}: {time.process_time() - started:.1f} s", flush=True)


def evaluated(cell: str, place: str, space: dict[str, Any]) -> dict[str, Any]:
    """Return what a cell prints, also from processes that it starts, and the value of its last line."""
    linecache.cache[place] = (len(cell), None, cell.splitlines(True), place)
    tree = ast.parse(cell, place)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    sys.stdout.flush()
    with tempfile.TemporaryFile("w+") as caught:
        streams = [os.dup(1), os.dup(2)]
        for stream in (1, 2):
            os.dup2(caught.fileno(), stream)
        try:
            exec(compile(tree, place, "exec"), space)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), place, "eval"), space)
        finally:
            sys.stdout.flush()
            for stream, kept in zip((1, 2), streams, strict=True):
                os.dup2(kept, stream)
                os.close(kept)
        caught.seek(0)
        found: dict[str, Any] = {"text": caught.read(), "html": "", "pictures": []}
    if value is not None and not cell.rstrip().endswith(";"):
        if hasattr(value, "_repr_html_"):
            found["html"] = value._repr_html_()
        else:
            found["text"] += repr(value)
    return found


def code_of_package() -> str:
    """Return a hash of what the cells import: this package and the versions of the others."""
    found = hashlib.sha256((inspect.getsource(Run) + inspect.getsource(evaluated)).encode())
    for path in sorted((ROOT / "skaucx").rglob("*")):
        if path.suffix in (".py", ".css", ".js", ".jinja"):
            found.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    for each in sorted(f"{d.name} {d.version}" for d in importlib.metadata.distributions()):
        found.update(each.encode())
    return found.hexdigest()


def runs_of(pages: dict[str, Iterable[str]]) -> dict[str, Run]:
    package = code_of_package()
    runs = {}
    for name, cells in pages.items():
        key = hashlib.sha256(json.dumps([package, *cells]).encode()).hexdigest()[:16]
        runs[name] = Run(name, tuple(cells), KEPT / f"{name}-{key}")
    return runs


def execute(runs: Iterable[Run]) -> None:
    """Execute what is not kept, a process each, as many at a time as there are cores."""
    waiting = [run for run in runs if not run.folder.exists()]
    if not waiting:
        return
    warm()
    fork = multiprocessing.get_context("fork")
    running: dict[Any, tuple[Run, Any]] = {}
    failed = []
    while waiting or running:
        while waiting and len(running) < len(os.sched_getaffinity(0)):
            run = waiting.pop(0)
            process = fork.Process(target=child, args=(run,))
            process.start()
            running[process.sentinel] = run, process
        for sentinel in multiprocessing.connection.wait(list(running)):
            run, process = running.pop(sentinel)
            process.join()
            if process.exitcode:
                failed.append(run.name)
    if failed:
        raise SystemExit(f"Cells of these pages failed: {', '.join(sorted(failed))}.")


def child(run: Run) -> None:
    try:
        run.execute()
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def warm() -> None:
    """Import what most pages import, once for all of their processes."""
    for name in (
        *("pandas", "scipy.stats", "matplotlib.pyplot", "sklearn.ensemble", "sklearn.linear_model"),
        *("skaucx.metrics", "skaucx.inference", "skaucx.evaluation", "skaucx.model_selection"),
        *("skaucx.displays", "skaucx.reports"),
    ):
        importlib.import_module(name)


# -- Pages with what their cells gave


def shown(code: str, output: dict[str, Any], pictures: str, folded: bool = False) -> str:
    """Return a cell in Markdown: its code, then what it prints, its value and its pictures."""
    block = f"```python\n{code.rstrip()}\n```"
    if folded:
        block = f":::{{dropdown}} Code\n{block}\n:::"
    parts = [block]
    if output["text"].strip():
        ticks = "`" * max(3, *(len(found) + 1 for found in re.findall("`{3,}", output["text"])), 3)
        text = output["text"].rstrip("\n")
        parts.append(f"{ticks}{{code-block}} text\n:class: output\n\n{text}\n{ticks}")
    if output["html"]:
        parts.append(f'``````{{raw}} html\n<div class="output">{output["html"]}</div>\n``````')
    parts += [f"![{alt}]({pictures}{alt})" for alt in output["pictures"]]
    if folded:  # the answer first
        parts = [*parts[1:], parts[0]]
    return "\n\n".join(parts)


def story(path: Path) -> tuple[str, str, list[tuple[str, str]]]:
    """Return the title of an example, its introduction, and its blocks: a text and code each."""
    source = path.read_text(encoding="utf-8")
    title, _, about = (ast.get_docstring(ast.parse(source)) or "").partition("\n")
    blocks = []
    for block in re.split(r"^# %%.*\n", source, flags=re.MULTILINE)[1:]:
        found = re.match(r"(?:#.*\n)*", block)
        assert found
        text = re.sub(r"^# ?", "", found[0], flags=re.MULTILINE)
        blocks.append(
            (text.replace("``", "`").replace("::\n", ":\n"), block[found.end() :].strip())
        )
    return title, re.sub(r"\A\s*=+\n", "", about).strip().replace("``", "`"), blocks


STORIES = sorted(path for path in GUIDE.parent.glob("*.py") if path.stem not in TOOLS)


class Site:
    """The folder of the pages: writes what has changed, and removes what nobody writes any more."""

    def __init__(self) -> None:
        self.written: set[Path] = set()

    def write(self, name: str, page: str | bytes) -> None:
        """Write a page or picture, unless it is there already."""
        path = PAGES / name
        content = page.encode() if isinstance(page, str) else page
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != content:
            path.write_bytes(content)

    def finish(self, names: Iterable[str]) -> None:
        """Remove old pages; autosummary writes those of the names."""
        self.written |= {PAGES / "api" / f"{name}.rst" for name in names}
        for path in set(PAGES.rglob("*")) - self.written:
            if path.is_file():
                path.unlink()


def write_guide(site: Site) -> None:
    """Write the pages of the guide and of the stories, and the gallery."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in GUIDE.glob("*.md")}
    cells = {name: [found[1] for found in CELL.findall(text)] for name, text in texts.items()}
    stories = {path.stem: story(path) for path in STORIES}
    gallery = tool("gallery")
    source = (GUIDE.parent / "gallery.py").read_text(encoding="utf-8").partition("\nif __name__")[0]
    pictures = [picture.__name__ for picture in gallery.PICTURES]
    runs = runs_of(
        {name: own for name, own in cells.items() if own}
        | {f"examples-{name}": [code for _, code in found[2]] for name, found in stories.items()}
        | {"gallery": [source, *(f"{name}();" for name in pictures)]}
    )
    execute(runs.values())
    for name, run in runs.items():
        for path in run.folder.glob("*.png"):
            folder = "examples/" if name.startswith("examples-") else "pictures/"
            site.write(f"{folder}{path.name}", path.read_bytes())
        for path in run.folder.glob("*.html"):
            site.write(f"extra/{path.name}", path.read_bytes())
    for path in (*(GUIDE.parent / "images").glob("*.png"),):
        site.write(f"images/{path.name}", path.read_bytes())
    for name, text in texts.items():
        outputs = iter(runs[name].outputs if name in runs else ())
        page = CELL.sub(lambda found: shown(found[2], next(outputs), "pictures/"), text)  # noqa: B023
        site.write(f"{name}.md", page.replace("](../images/", "](images/"))
    cards = {}
    for name, (title, about, blocks) in stories.items():
        outputs = runs[f"examples-{name}"].outputs
        parts = [f"# {title}", about]
        for (text, code), output in zip(blocks, outputs, strict=True):
            parts += [text, shown(code, output, "", folded=True)]
        parts.append(f"The whole example is `examples/{name}.py`.")
        site.write(f"examples/{name}.md", "\n\n".join(parts))
        drawn = [picture for output in outputs for picture in output["pictures"]]
        cards[title] = (f"../examples/{name}", f"../examples/{drawn[-1]}" if drawn else "")
    write_gallery(site, cards, gallery.PICTURES, runs["gallery"].outputs[1:])


def write_gallery(
    site: Site, stories: dict[str, tuple[str, str]], pictures: Any, outputs: list[dict[str, Any]]
) -> None:
    """Write the gallery: the stories as thumbnails, and every picture with its code folded."""
    drawn = []
    for picture, output in zip(pictures, outputs, strict=True):
        question = (inspect.getdoc(picture) or "").partition("\n")[0]
        code = inspect.getsource(picture)
        drawn += [f"### {question}", shown(code, output, "../pictures/", folded=True)]
    pages = "\n".join(goal for goal, _ in stories.values())
    parts = [
        "# Gallery",
        "## Stories: data, code and an answer",
        grid(stories),
        "## Pictures",
        "Data and models are in `examples/gallery.py`, which draws all pictures.",
        *drawn,
        f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{pages}\n```\n",
    ]
    site.write("api/gallery.md", "\n\n".join(parts))


def grid(cards: dict[str, tuple[str, str]]) -> str:
    """Return thumbnails with their titles, each a link to a page."""
    items = [
        f":::{{grid-item-card}} {title}\n:link: {page}\n:link-type: doc\n"
        + (f":img-top: {picture}\n:::" if picture else ":::")
        for title, (page, picture) in cards.items()
    ]
    return "\n".join(
        ["::::{grid} 2 2 3 4", ":gutter: 3", ":class-container: thumbnails", *items, "::::"]
    )


# -- The reference


def part_of(thing: Any) -> str:
    """Return where a public name of skaucx.metrics belongs: a family of metrics, or a room."""
    if hasattr(thing, "metric") and not isinstance(thing, type):
        return f"Metrics: {thing.metric.family}"
    module = thing.__module__.removeprefix("skaucx.")
    return next((title for room, title in ROOMS.items() if module.startswith(room)), LAST)


# The rooms of skaucx.metrics, as the reference shows them.
ROOMS = {
    "metrics._scorers": "Scorers",
    "metrics.curves": "Curves",
    "evaluation": "Many metrics at once",
    "displays": "Displays",
}
LAST = "The registry, and metrics of one's own"


def families() -> list[tuple[str, str, str, list[str]]]:
    """Return title, module, first sentence and names of every part of the reference."""
    import skaucx.metrics
    from skaucx.metrics._passed_through import PASSED_THROUGH

    parts: dict[str, list[str]] = {}
    shown = {}
    for name in skaucx.metrics.__all__:
        thing = getattr(skaucx.metrics, name)
        if thing is not PASSED_THROUGH.get(name):  # those are described by scikit-learn
            parts.setdefault(part_of(thing), []).append(name)
            shown[name] = thing
    parts[LAST] = parts.pop(LAST)
    found = [(title, "skaucx.metrics", "", names) for title, names in parts.items()]
    modules = [f"skaucx.metrics.{short}" for short in (*skaucx.metrics.FAMILIES, "curves")]
    rooms = [
        f"skaucx.{room}"
        for room in (
            *("inference", "evaluation", "displays", "reports", "model_selection"),
            *("regression", "scale", "study"),
        )
        if importlib.util.find_spec(f"skaucx.{room}")
    ]
    for title in dict.fromkeys((*modules, *rooms)):
        module = importlib.import_module(title)
        own = [name for name in module.__all__ if shown.get(name) is not getattr(module, name)]
        about = (module.__doc__ or "").partition("\n")[0]
        if other := sorted(set(module.__all__) - set(own)):
            about += f" Under ``skaucx.metrics``: {', '.join(f'``{name}``' for name in other)}."
        found.append((title, title, about, own))
    return found


def slug(title: str) -> str:
    return re.sub(r"\W+", "_", title.lower()).strip("_")


def write_reference(site: Site, parts: list[tuple[str, str, str, list[str]]]) -> None:
    """Write a page for every part of the reference, and the list of their names."""
    lines = [
        "# Reference",
        "",
        "Every public name, in families. {doc}`table` has all metrics in one table, "
        "{ref}`genindex` all names and aliases in the order of the alphabet.",
        "",
    ]
    contents: dict[str, list[str]] = {"Metrics": [], "Evaluation": [], "Modules": []}
    for title, module, about, names in parts:
        head, _, family = title.rpartition(": ")
        part = head or ("Modules" if title == module else "Evaluation")
        listed = "\n".join(f"   {name}" for name in names)
        summary = f".. autosummary::\n   :toctree: .\n   :nosignatures:\n\n{listed}\n"
        heading = family.capitalize() if head else title
        page = f"{heading}\n{'=' * len(heading)}\n\n{about}\n\n.. currentmodule:: {module}\n\n{summary}"
        site.write(f"api/part_{slug(title)}.rst", page)
        links = ", ".join(f"`{name}`" for name in names)
        text = about.replace("``", "`")
        contents[part].append(f"[**{heading}**](part_{slug(title)})\n: {text} {links}\n")
    for part, entries in contents.items():
        pages = "\n".join(re.findall(r"\((part_\w+)\)", "".join(entries)))
        lines += [f"## {part}", "", *entries]
        lines += [f"```{{toctree}}\n:hidden:\n:maxdepth: 2\n:caption: {part}\n\n{pages}\n```", ""]
    site.write("api/index.md", "\n".join(lines))


def tool(name: str) -> Any:
    """Return one of the examples that print or draw what pages show."""
    spec = importlib.util.spec_from_file_location(name, GUIDE.parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLE_TEXT = """Type a name, an alias or a word such as `sensitivity`, `calibration` or `rare`. A scorer
takes an average as a suffix, such as `specificity_macro` or `mm7_auc_ovr_weighted`, and every other name
works in its place. A *proper* metric is best in expectation for the true probabilities. The table is
printed from the registry (`python examples/measures.py`).
"""


def write_table(site: Site, public: dict[str, str]) -> None:
    """Write the page of all metrics, printed from the registry by examples/measures.py."""
    rows = re.sub(
        r"^\| `(\w+)` \|",
        lambda found: f"| {{py:obj}}`{found[1]} <{public[found[1]]}>` |",
        tool("measures").tables(),
        flags=re.MULTILINE,
    )
    page = f"# All metrics\n\n{TABLE_TEXT}\n:::{{div}} all-metrics\n\n{rows}\n\n:::\n"
    site.write("api/table.md", page)


def write_results(site: Site) -> None:
    """Write the measured tables, which lie outside of the guide, as pages."""
    for path in RESULTS.glob("*.md"):
        page = path.read_text(encoding="utf-8")
        if path.stem == "README":
            names = "\n".join(sorted(each.stem for each in RESULTS.glob("*.md") if each != path))
            page += f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{names}\n```\n"
        site.write(f"api/results/{'index' if path.stem == 'README' else path.stem}.md", page)


def write_colours(site: Site) -> None:
    """Write the colours of the pages of a report as those of the site, light and dark."""
    language = (ROOT / "skaucx/reports/templates/language.css").read_text(encoding="utf-8")
    light, dark = re.findall(r":root \{(.*?)\n\}|:root \{(.*?)\n\} \}", language, re.DOTALL)[:2]
    rules = [
        f'html[data-theme="{theme}"] {{\n'
        + "\n".join(
            re.findall(r"  --(?:ink|paper|soft|line\d): [^;]+;|(?<= )--line\d: [^;]+;", text)
        )
        + "\n}"
        for theme, text in (("light", "".join(light)), ("dark", "".join(dark)))
    ]
    site.write("_static/colours.css", "\n".join(rules) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", default=str(ROOT / "site"))
    parser.add_argument(
        "--run", action="store_true", help="run the pages that are not kept, and build no site"
    )
    options = parser.parse_args()
    sys.path[:0] = [str(ROOT)]
    site = Site()
    write_guide(site)
    if options.run:
        return
    parts = families()
    public = {name: f"{m}.{name}" for _, m, _, names in reversed(parts) for name in names}
    write_reference(site, parts)
    site.write("api/rooms.md", tool("rooms").table())
    write_table(site, public)
    write_results(site)
    write_colours(site)
    site.write("public.json", json.dumps(public))
    site.finish(f"{module}.{name}" for _, module, _, names in parts for name in names)
    from sphinx.cmd.build import main as sphinx

    cores = str(len(os.sched_getaffinity(0)))
    # What conf.py adds to pages is read anew where it has changed; Sphinx does not notice.
    key = hashlib.sha256((GUIDE / "conf.py").read_bytes()).hexdigest()[:16]
    places = ("-c", str(GUIDE), "-d", str(BUILT / f"doctrees-{key}"), str(PAGES), options.folder)
    raise SystemExit(sphinx(["-q", "-W", "--keep-going", "-j", cores, *places]))


if __name__ == "__main__":
    main()
