"""Configuration of the guide: ``python -m sphinx examples/guide site`` builds it (extra ``docs``)."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from pathlib import Path
from typing import Any

import skaucx
import skaucx.integrations
import skaucx.metrics
import skaucx.model_selection
import skaucx.study

HERE = Path(__file__).parent
project = "skaucx"
author = "The skaucx developers"
project_copyright = author
version = release = skaucx.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
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
html_sidebars: dict[str, list[str]] = {
    name: [] for name in (*(page.stem for page in HERE.glob("*.md")), "api/gallery", "api/table")
}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 4,
    "secondary_sidebar_items": ["page-toc"],
}

myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_execution_in_temp = True
nb_merge_streams = True

# The stories among the examples; the others are tools that print or draw what pages show.
sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent),
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"(gallery|measures|drop_in_names|other_packages|rooms|study_tables|conf)\.py$",
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
}

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

TABLE_TEXT = """Every metric is declared once, in a registry from which this page is printed
(``python examples/measures.py``). A scorer takes an average as a suffix, such as
`specificity_macro` or `mm7_auc_ovr_weighted`, and every other name works in its place."""

GALLERY_TEXT = """Each picture stands above the code that draws it; data and models of all of them are
in `examples/gallery.py`, and `python examples/gallery.py FOLDER [NAME ...]` writes them.
"""
PICTURES = HERE / "api" / "gallery"

# The public modules of skaucx.metrics with names that the package itself does not have.
MODULES = (
    *skaucx.metrics.FAMILIES,
    *("curves", "displays", "estimation", "comparisons", "planning", "pages", "reports"),
    *("accumulation", "kinds"),
)
# The rooms of skaucx.metrics, as the reference shows them.
ROOMS = {
    "_scorers": "Scorers",
    "_evaluation": "Many metrics at once",
    "estimation": "Intervals and bands",
    "comparisons": "Tests between classifiers",
    "planning": "Sample size and power",
    "curves": "Curves",
    "displays": "Displays",
}


def listed(module: str, names: list[str]) -> str:
    """Return an autosummary of names of a module."""
    lines = [f"   {name}" for name in names]
    return "\n".join(
        [f".. currentmodule:: {module}", "", ".. autosummary::", "   :toctree: .", "", *lines]
    )


def section(title: str, text: str, rule: str = "-") -> str:
    return f"{title}\n{rule * len(title)}\n\n{text}\n"


def part_of(thing: Any) -> str:
    """Return where a public name of skaucx.metrics belongs: a family of metrics, or a room."""
    if hasattr(thing, "metric") and not isinstance(thing, type):
        family: str = thing.metric.family
        return f"Metrics: {family}"
    room = thing.__module__.removeprefix("skaucx.metrics.").partition(".")[0]
    return ROOMS.get(room, "The registry, and metrics of one's own")


def reference_of_metrics() -> str:
    """Return the page of skaucx.metrics: its names by family and room, then its modules."""
    parts: dict[str, list[str]] = {}
    for name in skaucx.metrics.__all__:
        thing = getattr(skaucx.metrics, name)
        if not thing.__module__.startswith("sklearn."):  # those are described by scikit-learn
            parts.setdefault(part_of(thing), []).append(name)
    sections = [section(title, listed("skaucx.metrics", names)) for title, names in parts.items()]
    for short in MODULES:
        module = importlib.import_module(f"skaucx.metrics.{short}")
        names = [name for name in module.__all__ if name not in skaucx.metrics.__all__]
        about = (module.__doc__ or "").partition("\n")[0]
        title = f"skaucx.metrics.{short}"
        sections.append(section(title, f"{about}\n\n{listed(title, names)}"))
    return section("skaucx.metrics", "\n".join(sections), "=")


def write(name: str, form: str, page: str) -> None:
    """Write a generated page, unless it stands there already."""
    folder = HERE / "api"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.{form}"
    if not path.exists() or path.read_text(encoding="utf-8") != page:
        path.write_text(page, encoding="utf-8")


def tool(name: str) -> Any:
    """Return one of the examples that print or draw what pages show."""
    spec = importlib.util.spec_from_file_location(name, HERE.parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def table_of_metrics() -> str:
    """Return the page of all metrics, printed from the registry by examples/measures.py."""
    return f"# All metrics\n\n{TABLE_TEXT}\n\n{tool('measures').tables()}\n"


def page_of_pictures() -> str:
    """Return the page of all pictures, each with the code of examples/gallery.py that draws it."""
    gallery = tool("gallery")
    missing = [
        p.__name__ for p in gallery.PICTURES if not (PICTURES / f"{p.__name__}.png").exists()
    ]
    if missing:
        gallery.write(PICTURES, missing)
    parts = [
        f"## {name.replace('_', ' ')}\n\n![{name}](gallery/{name}.png)\n\n```python\n{code}```\n"
        for name, code in ((p.__name__, inspect.getsource(p)) for p in gallery.PICTURES)
    ]
    return "\n".join(["# All pictures\n", GALLERY_TEXT, *parts])


write("metrics", "rst", reference_of_metrics())
for package in (skaucx.model_selection, skaucx.integrations, skaucx.study):
    short = package.__name__.rpartition(".")[2]
    write(short, "rst", section(f"skaucx.{short}", listed(package.__name__, package.__all__), "="))
write("rooms", "md", tool("rooms").table())
write("table", "md", table_of_metrics())
write("gallery", "md", page_of_pictures())
