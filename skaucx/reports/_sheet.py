"""The sheet: one layout for every page, of words, one table with its intervals, and what folds."""

from __future__ import annotations

import base64
import hashlib
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from .._compat import import_extra
from .._options import check_folder
from .._text import markdown
from .._text.html import preformatted
from .._text.lines import Block, Line, blocks_of
from .._text.numbers import counted, percent, significant
from .._text.reported import display_name
from ..inference import Interval

_WORDS = 150  # of the table before its rest folds


@dataclass(frozen=True)
class Sheet:
    """What a page says, in the order in which it is read.

    Attributes
    ----------
    title : str
    facts : dict of str to str
        Rows, positives, threshold, role of the data: a name and a value each.
    answer : str
        One sentence: how good, for whom, at which threshold.
    lines : list of Line
    about : str
        What estimates and intervals of the table are.
    control : Control or None
        The threshold with what follows it.
    folded : list of (str, str)
        Heading and HTML of what folds; empty ones are omitted.
    notes : list of str
        Warnings that a reader of the first screen needs.
    verdict : Verdict or None
        The first lines.
    forests : list of (str, list of Line)
        Groups by a metric: one picture each, on the first screen.
    shown : result or None
        A result that is shown as in a notebook.
    pictures : str
        HTML of the pictures, two a row.
    methods : str
        How the intervals were made, a line a paragraph.
    """

    title: str
    facts: Mapping[str, str]
    answer: str
    lines: Sequence[Line]
    about: str = ""
    control: Any = None
    folded: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = field(default_factory=tuple)
    verdict: Any = None
    forests: Sequence[tuple[str, Sequence[Line]]] = ()
    shown: Any = None
    pictures: str = ""
    methods: str = ""

    def html(self) -> str:
        """Return the page."""
        lines, cut = list(self.lines), self._shown_at_once()
        made = "".join(f'<p class="about">{escape(x)}</p>' for x in self.methods.splitlines())
        folded = [
            *self.folded,
            ("How the intervals were made", made),
            ("How it was made", origin()),
        ]
        return str(
            _template().render(
                sheet=self,
                shown="" if self.shown is None else _scrolling(self.shown._repr_html_()),
                blocks=blocks_of(lines[:cut]),
                rest=blocks_of(lines[cut:]),
                forests_drawn=[(name, Block.of([*each])) for name, each in self.forests],
                folded=[(name, _scrolling(stated)) for name, stated in folded if stated],
                script=_script(),
                policy=_policy(),
            )
        )

    def markdown(self) -> str:
        """Return the page without its pictures as Markdown."""
        parts = [f"# {markdown.escape(self.title)}"]
        parts.append(_listed(f"{name}: {stated}" for name, stated in self.facts.items()))
        if self.verdict is not None:
            answers = [f"{name} {said(each)}" for name, each in self.verdict.lines.items()]
            parts += [_listed(answers), markdown.escape(self.verdict.rule)]
        parts += [markdown.escape(each) for each in (self.answer, *self.notes) if each]
        for name, lines in [("", self.lines), *self.forests]:
            rows = [[line.name, line.text or line.words, line.n] for line in lines]
            parts += [markdown.table(name, ["metric", "estimate", "n"], rows)] if rows else []
        if self.shown is not None:
            parts.append(f"```\n{self.shown}\n```")
        parts += [markdown.escape(each) for each in (self.about, *self.methods.splitlines())]
        return "\n\n".join(filter(None, parts)) + "\n"

    def _shown_at_once(self) -> int:
        """Return how many lines the first screen has room for; a metric stays whole, with its groups."""
        words = [len(f"{x.name} {x.text} {x.words} {x.n}".split()) for x in self.lines]
        starts = [k for k, line in enumerate(self.lines) if not line.depth]
        ends = [*starts[1:], len(words)]
        room = _WORDS - (len(str(self.verdict).split()) if self.verdict else 0)
        return max((end for end in ends if sum(words[:end]) <= room), default=next(iter(ends)))


@cache
def _template(name: str = "sheet") -> Any:
    jinja2 = import_extra("jinja2", "A report", "skaucx[report]")
    loader = jinja2.FileSystemLoader(Path(__file__).parent / "templates")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, extensions=["jinja2.ext.loopcontrols"],
        trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters |= {"counted": counted, "percent": percent, "significant": significant}
    return environment.get_template(f"{name}.html.jinja")


@cache
def _script() -> str:
    """Return the script of the page."""
    return (Path(__file__).parent / "templates" / "sheet.js").read_text(encoding="utf-8")


@cache
def _policy() -> str:
    """Return the content security policy: the page's own script, by its hash, and nothing else.

    Styles stand in attributes, of pictures too, for which a policy has no hashes.
    """
    digest = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _scrolling(content: str) -> str:
    """Make a table that is wider than the page scrollable."""
    return content.replace("<table", '<div class="scroll"><table').replace(
        "</table>", "</table></div>"
    )


def said(statements: Sequence[Any]) -> str:
    """Return statements as sentences, each with its mark."""
    return " ".join(f"{one.text}{f', {one.mark}' if one.mark else ''}." for one in statements)


def _listed(lines: Iterable[str]) -> str:
    """Return a list in Markdown."""
    return "\n".join(f"- {markdown.escape(each)}" for each in lines)


def write_sheet(path: str | PathLike[str], sheet: Sheet) -> Path:
    """Write a page whole or, where that fails, not at all, and return its file."""
    written = Path(path)
    if written.suffix not in (".html", ".md"):
        raise ValueError(f"path must end in .html or .md, such as report.html, found {written}.")
    text = sheet.html() if written.suffix == ".html" else sheet.markdown()
    target = written.resolve()
    if target.exists() and not target.is_file():  # such as a pipe
        target.write_text(text, encoding="utf-8")
        return written
    check_folder(target)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)
    return written


def origin() -> str:
    """Return the versions that the numbers were made with."""
    packages = ("skaucx", "scikit-learn", "numpy", "scipy", "joblib")
    versions = ", ".join(f"{name} {version(name)}" for name in packages)
    return preformatted(f"Python {platform.python_version()}, {versions}")


def methods(found: Mapping[str, Interval]) -> str:
    """Return how the intervals of metrics were computed, what they are about, and their cautions."""
    if not found:
        return ""
    by: dict[str, list[str]] = {}
    for name, one in found.items():
        stated = [
            f"Interval by {one.method}, for {one.target}",
            *filter(None, one.note.split("; ")),
        ]
        for each in stated:
            by.setdefault(each, []).append(display_name(name))
    lines = [f"{', '.join(dict.fromkeys(names))}: {stated}." for stated, names in by.items()]
    return " ".join(lines)


def of_hundred(found: Any, label: Any = None) -> str:
    """Return a share and its interval as counts of 100: "92 of 100 malignant rows [85, 95]"."""
    numbers = [float(x) for x in (found.estimate, found.low, found.high)]
    if np.isnan(numbers[0]):
        return "an undefined share" if label is None else f"an undefined share of {_rows_of(label)}"
    ends = "" if np.isnan(numbers[1:]).all() else f" [{_whole(numbers[1])}, {_whole(numbers[2])}]"
    return f"{_whole(numbers[0])} of 100{'' if label is None else f' {_rows_of(label)}'}{ends}"


def _whole(share: float) -> str:
    """Return a share of 100, with a decimal where it would else look like none or all."""
    if np.isnan(share):
        return "undefined"
    places = 1 if round(100 * share) in (0, 100) and share not in (0, 1) else 0
    return f"{100 * share:.{places}f}"


def _rows_of(label: Any) -> str:
    """Return the rows of a class in a sentence."""
    text = str(label)
    return f"{text} rows" if any(letter.isalpha() for letter in text) else f"rows of class {text}"


def facts_of(
    n: Any, positive: Any, positives: Any, data: str, more: Mapping[str, str]
) -> dict[str, str]:
    """Return the facts at the head of a page."""
    stated = {} if n is None else {"Rows": counted(n)}
    if positives is not None and n:
        share = percent(float(positives) / float(n))
        stated["Positive class"] = f"{positive}: {counted(positives)} rows ({share})"
    return stated | dict(more) | {"Data": data}
