"""Configuration of Sphinx; ``build.py`` writes the pages and runs it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.util.index_entries import split_index_msg

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))

import skaucx
import skaucx.metrics

RESULTS = HERE.parents[1] / "benchmarks" / "results"
PAGES = HERE.parents[1] / "build" / "guide" / "pages"
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
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
]
exclude_patterns = ["api/rooms.md"]
root_doc = "index"
templates_path = [str(HERE / "_templates")]

html_theme = "pydata_sphinx_theme"
html_title = "skaucx"
html_show_sourcelink = False
html_copy_source = False
html_static_path = ["_static", str(PAGES / "_static")]
html_css_files = ["colours.css", "site.css"]
html_js_files = ["metrics.js"]
html_search_scorer = str(HERE / "_static" / "scorer.js")
html_extra_path = [str(PAGES / "extra")]
# Pages that are read from top to bottom; all others show the contents of their part.
html_sidebars: dict[str, list[str]] = {name: [] for name in ("index", "api/table", "api/gallery")}
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

myst_enable_extensions = ["attrs_inline", "dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# The full name of every public name; one that occurs twice means the one in skaucx.metrics.
PUBLIC: dict[str, str] = json.loads((PAGES / "public.json").read_text(encoding="utf-8"))
# Names that scikit-learn describes.
PASSED_ON = set(skaucx.metrics.__all__) - set(PUBLIC)
SKLEARN = "https://scikit-learn.org/stable/modules/generated"

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
    """Show the aliases of a metric on its page; the index, which a search reads, has them too."""
    row = getattr(thing, "metric", None)
    words = []
    if what == "function" and name.endswith("_sample_size"):
        words = ["sample size"]
    elif what == "function" and row:
        words = [each.replace("_", " ") for each in (row.name, f"{row.name} scorer", *row.aliases)]
    if words:
        also = [f"``{alias}``" for alias in row.aliases] if row else []
        place = lines.index("") + 1 if "" in lines else len(lines)  # after the summary
        lines[place:place] = [
            *([f"Also called {', '.join(also)}.", ""] if also else []),
            f".. index:: {', '.join(f'! {word}' for word in words)}",
            "",
        ]


def complete_search(app: Any) -> list[Any]:
    """Give the search the index entries of pages that are not written anew, which Sphinx forgets."""
    held = app.builder.indexer._index_entries
    for page, entries in app.env.get_domain("index").entries.items():
        words = {(w, *at[:2]) for kind, text, *at in entries for w in split_index_msg(kind, text)}
        held.setdefault(page, sorted(words))
    return []


def setup(app: Any) -> None:
    # It names files of its own and reads no page, but does not declare so: option -j reads side by side.
    app.extensions["sphinx-mathjax-offline"].parallel_read_safe = True
    app.connect("doctree-read", link_names)
    app.connect("autodoc-process-docstring", name_aliases, priority=900)
    app.connect("html-collect-pages", complete_search)
