"""The page: one layout of verdict, tables with marks, pictures, threshold and methods."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

from .._compat import import_extra
from .._text import markdown
from .._text.numbers import counted, percent
from .._text.reported import display_name
from .._text.tables import Table
from ..inference import Interval
from . import _pictures
from ._pictures import Picture
from ._verdict import NOTHING_SAID, Verdict, said

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Page:
    """What a page says, in the order in which it is read.

    Attributes
    ----------
    title : str
    facts : dict of str to str
        Rows, positives, threshold, role of the data: a name and a value each.
    verdict : Verdict
    answer : str
        One sentence: how good, for whom, at which threshold.
    notes : list of str
        Warnings that a reader of the first screen needs.
    tables : list of Table
        The metrics, and two a row what compares groups, classes or estimators.
    pictures : list of tuple
        A caption, and what draws into axes.
    control : dict or None
        Thresholds with their counts, which the script of the page reads.
    folded : dict of str to Table or str
        What is collapsed, by its heading.
    methods : list of str
        How the intervals were computed.
    """

    title: str
    facts: Mapping[str, str]
    verdict: Verdict = NOTHING_SAID
    answer: str = ""
    notes: Sequence[str] = ()
    tables: Sequence[Table] = ()
    pictures: Sequence[Picture] = ()
    control: Mapping[str, Any] | None = None
    folded: Mapping[str, Table | str] = field(default_factory=dict)
    methods: Sequence[str] = ()

    def html(self) -> str:
        """Return the page."""
        jinja2 = import_extra("jinja2", "A report", "skaucx[report]")
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, trim_blocks=True,
            lstrip_blocks=True, undefined=jinja2.StrictUndefined,
        )  # fmt: skip
        return str(
            environment.get_template("page.html.jinja").render(
                page=self,
                pictures=[_pictures.figure(*each) for each in self.pictures],
                origin=origin(),
            )
        )

    def markdown(self) -> str:
        """Return the page without its pictures as Markdown."""
        parts = [
            f"# {markdown.escape(self.title)}",
            _listed(f"{name}: {fact}" for name, fact in self.facts.items()),
            _listed(f"{name} {said(each)}" for name, each in self.verdict.lines.items()),
        ]
        parts += map(markdown.escape, [self.verdict.rule, self.answer, *self.notes])
        parts += [table.markdown() for table in self.tables]
        for heading, part in self.folded.items():
            written = f"```\n{part}\n```" if isinstance(part, str) else part.markdown()
            parts += [f"## {markdown.escape(heading)}", written]
        parts += [markdown.escape(each) for each in (*self.methods, origin())]
        return "\n\n".join(filter(None, parts)) + "\n"


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {markdown.escape(each)}" for each in lines)


def write_page(path: str | PathLike[str], page: Page) -> Path:
    """Write a page and return its file."""
    written = Path(path)
    if written.suffix not in (".html", ".md"):
        raise ValueError(f"path must end in .html or .md, such as report.html, found {written}.")
    text = page.html() if written.suffix == ".html" else page.markdown()
    written.write_text(text, encoding="utf-8")
    return written


def origin() -> str:
    """Return the versions that the numbers were made with."""
    packages = ("skaucx", "scikit-learn", "numpy", "scipy", "joblib")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return f"Made with Python {platform.python_version()}, {versions}."


def methods(found: Mapping[str, Interval]) -> list[str]:
    """Return how the intervals of metrics were computed, what they are about, and their cautions."""
    by: dict[str, list[str]] = {}
    for name, one in found.items():
        for each in (f"Interval by {one.method}, for {one.target}", *one.note.split("; ")):
            by.setdefault(each, []).append(display_name(name))
    return [f"{', '.join(dict.fromkeys(names))}: {each}." for each, names in by.items() if each]


def facts_of(n: Any, positive: Any, positives: Any, **more: str) -> dict[str, str]:
    """Return the facts at the head of a page."""
    stated = {} if n is None else {"Rows": counted(n)}
    if positive is not None and n:
        rows = f"{counted(positives)} rows ({percent(float(positives) / float(n))})"
        stated["Positive class"] = f"{positive}: {rows}"
    return stated | more
