"""Configuration of the guide: ``python -m sphinx examples/guide site`` builds it (extra ``docs``)."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import inspect
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

import skaucx
import skaucx.displays
import skaucx.evaluation
import skaucx.inference
import skaucx.metrics
import skaucx.model_selection
import skaucx.reports
import skaucx.testing
from skaucx._annexes import announced

HERE = Path(__file__).parent
RESULTS = HERE.parents[1] / "benchmarks" / "results"
project = "skaucx"
author = "The skaucx developers"
project_copyright = author
version = release = skaucx.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_nb",
]
exclude_patterns = ["_templates", "api/rooms.md", "examples/*.ipynb", "sg_execution_times.rst"]
root_doc = "index"
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
html_title = "skaucx"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["metrics.js"]
html_extra_path = ["api/live"]
# Pages that are read from top to bottom; all others show the contents of their part.
html_sidebars: dict[str, list[str]] = {
    name: [] for name in ("index", "start", "api/table", "api/gallery")
}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 5,
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "index": [],
        "api/table": [],
        "api/gallery": [],
    },
}

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_merge_streams = True

# The stories among the examples; the others are tools that print or draw what pages show.
TOOLS = r"(gallery|measures|drop_in_names|other_packages|rooms|study_tables|conf)\.py$"
sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent),
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "ignore_pattern": TOOLS,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "parallel": True,
}

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# The public modules of skaucx.metrics with names that the package itself does not have.
MODULES = (
    *skaucx.metrics.FAMILIES,
    *("curves", "kinds"),
)
PACKAGES = (
    skaucx.inference,
    skaucx.evaluation,
    skaucx.displays,
    skaucx.reports,
    skaucx.model_selection,
    skaucx.testing,
    # Annexes, those that are there.
    *(
        importlib.import_module(f"skaucx.{annex}")
        for annex in (
            *("survival", "clinic", "gold", "regression"),
            *("scale", "integrations", "study"),
        )
        if importlib.util.find_spec(f"skaucx.{annex}")
    ),
)
# The rooms of skaucx.metrics, as the reference shows them.
ROOMS = {
    "metrics._scorers": "Scorers",
    "metrics.curves": "Curves",
    "evaluation": "Many metrics at once",
    "displays": "Displays",
}
LAST = "The registry, and metrics of one's own"


def part_of(thing: Any) -> str:
    """Return where a public name of skaucx.metrics belongs: a family of metrics, or a room."""
    if hasattr(thing, "metric") and not isinstance(thing, type):
        family: str = thing.metric.family
        return f"Metrics: {family}"
    module = thing.__module__.removeprefix("skaucx.")
    return next((title for room, title in ROOMS.items() if module.startswith(room)), LAST)


def families() -> list[tuple[str, str, str, list[str]]]:
    """Return title, module, first sentence and names of every part of the reference."""
    parts: dict[str, list[str]] = {}
    for name in skaucx.metrics.__all__:
        thing = getattr(skaucx.metrics, name)
        if not thing.__module__.startswith("sklearn."):  # those are described by scikit-learn
            parts.setdefault(part_of(thing), []).append(name)
    parts[LAST] = parts.pop(LAST)
    found = [(title, "skaucx.metrics", "", names) for title, names in parts.items()]
    modules = [importlib.import_module(f"skaucx.metrics.{short}") for short in MODULES]
    for module in (*modules, *PACKAGES, *announced("skaucx.kinds").values()):
        known = skaucx.metrics.__all__ if module in modules else ()
        names = [name for name in module.__all__ if name not in known]
        about = (module.__doc__ or "").partition("\n")[0]
        found.append((module.__name__, module.__name__, about, names))
    return found


FAMILIES = families()
# The full name of every public name; one that occurs twice means the one in skaucx.metrics.
PUBLIC = {name: f"{m}.{name}" for _, m, _, names in reversed(FAMILIES) for name in names}
# Names that scikit-learn describes.
PASSED_ON = set(skaucx.metrics.__all__) - set(PUBLIC)
SKLEARN = "https://scikit-learn.org/stable/modules/generated"


def write(name: str, form: str, page: str) -> None:
    """Write a generated page, unless it stands there already."""
    path = HERE / "api" / f"{name}.{form}"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")


def slug(title: str) -> str:
    return re.sub(r"\W+", "_", title.lower()).strip("_")


def write_reference() -> None:
    """Write a page for every part of the reference, and the list of their names."""
    lines = [
        "# Reference",
        "",
        "Every public name, in families. {doc}`table` has all metrics in one table, "
        "{ref}`genindex` all names and aliases in the order of the alphabet.",
        "",
    ]
    contents: dict[str, list[str]] = {"Metrics": [], "Evaluation": [], "Modules": []}
    for title, module, about, names in FAMILIES:
        head, _, family = title.rpartition(": ")
        part = head or ("Modules" if title == module else "Evaluation")
        listed = "\n".join(f"   {name}" for name in names)
        summary = f".. autosummary::\n   :toctree: .\n   :nosignatures:\n\n{listed}\n"
        shown = family.capitalize() if head else title
        page = f"{shown}\n{'=' * len(shown)}\n\n{about}\n\n.. currentmodule:: {module}\n\n{summary}"
        write(f"part_{slug(title)}", "rst", page)
        links = ", ".join(f"`{name}`" for name in names)
        contents[part].append(f"[**{shown}**](part_{slug(title)})\n: {about} {links}\n")
    for part, entries in contents.items():
        pages = "\n".join(re.findall(r"\((part_\w+)\)", "".join(entries)))
        lines += [f"## {part}", "", *entries]
        lines += [f"```{{toctree}}\n:hidden:\n:maxdepth: 2\n:caption: {part}\n\n{pages}\n```", ""]
    write("index", "md", "\n".join(lines))


def tool(name: str) -> Any:
    """Return one of the examples that print or draw what pages show."""
    spec = importlib.util.spec_from_file_location(name, HERE.parent / f"{name}.py")
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


def write_table() -> None:
    """Write the page of all metrics, printed from the registry by examples/measures.py."""
    rows = re.sub(
        r"^\| `(\w+)` \|",
        lambda found: f"| {{py:obj}}`{found[1]} <{PUBLIC[found[1]]}>` |",
        tool("measures").tables(),
        flags=re.MULTILINE,
    )
    write(
        "table", "md", f"# All metrics\n\n{TABLE_TEXT}\n:::{{div}} all-metrics\n\n{rows}\n\n:::\n"
    )


def write_gallery() -> None:
    """Write the gallery: the stories and the pictures as thumbnails, and a page for each picture."""
    gallery = tool("gallery")
    pictures = {p.__name__: p for p in gallery.PICTURES}
    folder = HERE / "api" / "gallery"
    if missing := [name for name in pictures if not (folder / f"{name}.png").exists()]:
        gallery.write(folder, missing)
    cards = {}
    for path in sorted(HERE.parent.glob("*.py")):
        if not re.search(TOOLS, path.name):
            title = (
                ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            ).partition("\n")[0]
            picture = f"../examples/images/thumb/sphx_glr_{path.stem}_thumb.png"
            cards[title] = (f"../examples/{path.stem}", picture)
    stories = grid(cards)
    drawn = grid({question(p): (f"gallery/{n}", f"gallery/{n}.png") for n, p in pictures.items()})
    for name, picture in pictures.items():
        code = inspect.getsource(picture)
        text = f"# {question(picture)}\n\n![{name}]({name}.png)\n\n```python\n{code}```\n"
        more = "Data and models are in `examples/gallery.py`, which draws all pictures.\n"
        write(f"gallery/{name}", "md", f"{text}\n{more}")
    pages = "\n".join(["Stories <../examples/index>", *(f"gallery/{name}" for name in pictures)])
    contents = f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{pages}\n```\n"
    parts = [
        "# Gallery",
        "## Stories: data, code and an answer",
        stories,
        "## Pictures",
        drawn,
        contents,
    ]
    write("gallery", "md", "\n\n".join(parts))


def question(picture: Any) -> str:
    """Return the question that a picture answers."""
    return (inspect.getdoc(picture) or "").partition("\n")[0]


def grid(cards: dict[str, tuple[str, str]]) -> str:
    """Return thumbnails with their titles, each a link to a page."""
    items = [
        f":::{{grid-item-card}} {title}\n:link: {page}\n:link-type: doc\n:img-top: {picture}\n:::"
        for title, (page, picture) in cards.items()
    ]
    return "\n".join(
        ["::::{grid} 2 2 3 4", ":gutter: 3", ":class-container: thumbnails", *items, "::::"]
    )


def write_results() -> None:
    """Write the measured tables, which lie outside of the guide, as pages."""
    for path in RESULTS.glob("*.md"):
        page = path.read_text(encoding="utf-8")
        if path.stem == "README":
            names = "\n".join(sorted(each.stem for each in RESULTS.glob("*.md") if each != path))
            page += f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{names}\n```\n"
        write(f"results/{'index' if path.stem == 'README' else path.stem}", "md", page)


NAME = re.compile(r"(?:skaucx\.(?:\w+\.)*|metrics\.)?(\w+)(?:\(.*\))?", re.DOTALL)
TABLE = re.compile(r"(?:benchmarks/results/)?(\w+)\.md")


def link_names(app: Any, tree: nodes.document) -> None:
    """Make a link of every public name, and of every measured table, that the guide names."""
    page = app.env.docname
    if page.startswith("api/skaucx."):
        return
    for literal in list(tree.findall(nodes.literal)):
        if isinstance(literal.parent, nodes.reference | nodes.title | addnodes.pending_xref):
            continue
        text = literal.astext()
        link: nodes.Element
        if (found := NAME.fullmatch(text)) and found[1] in PUBLIC:
            link = addnodes.pending_xref(
                "",
                refdomain="py",
                reftype="obj",
                reftarget=PUBLIC[found[1]],
                refdoc=page,
                refwarn=True,
            )
        elif text in PASSED_ON:
            link = nodes.reference("", refuri=f"{SKLEARN}/sklearn.metrics.{text}.html")
        elif (found := TABLE.fullmatch(text)) and (RESULTS / f"{found[1]}.md").exists():
            goal = f"/api/results/{'index' if found[1] == 'README' else found[1]}"
            link = addnodes.pending_xref(
                "", refdomain="std", reftype="doc", reftarget=goal, refdoc=page,
                refexplicit=True, refwarn=True,
            )  # fmt: skip
        else:
            continue
        literal.replace_self(link)
        link += literal


def name_aliases(
    app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Show the aliases of a metric on its page, and put them into the index that a search reads."""
    row = getattr(thing, "metric", None)
    if what != "function" or not row or not row.aliases:
        return
    words = ", ".join("! " + alias.replace("_", " ") for alias in (row.name, *row.aliases))
    shown = ", ".join(f"``{alias}``" for alias in row.aliases)
    place = lines.index("") + 1  # after the summary
    lines[place:place] = [f"Also called {shown}.", "", f".. index:: {words}", ""]


def setup(app: Any) -> None:
    # It names files of its own and reads no page, but does not declare so: option -j reads side by side.
    app.extensions["sphinx-mathjax-offline"].parallel_read_safe = True
    app.connect("doctree-read", link_names)
    app.connect("autodoc-process-docstring", name_aliases, priority=900)


def write_live() -> None:
    """Run the example of the landing page, which writes the report that the page shows."""
    landing, report = HERE / "index.md", HERE / "api" / "live" / "sheet.html"
    package = [
        path for path in Path(skaucx.__file__).parent.rglob("*") if "__pycache__" not in str(path)
    ]
    newest = max(path.stat().st_mtime for path in (landing, *package))
    if report.exists() and report.stat().st_mtime > newest:
        return
    code = re.findall(r"```python\n(.*?)```", landing.read_text(encoding="utf-8"), re.DOTALL)[0]
    report.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.chdir(report.parent):
        exec(code, {})


write_live()
write_reference()
write("rooms", "md", tool("rooms").table())
write_table()
write_gallery()
write_results()
