"""Sections of reports that annexes announce, and the document for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._annexes import announced, require

_GROUP = "skaucx.report_sections"


def section(name: str) -> Any:
    """Return what is announced as a section of reports; None where its annex is not installed."""
    return announced(_GROUP).get(name)


def is_paper(path: Any, risks: bool, by: Any = None, sites: Any = None) -> bool:
    """Return whether Markdown or LaTeX is requested; raise an error without risks of two classes."""
    paper = Path(path).suffix in (".md", ".tex")
    for wanted, name, what in (
        (paper, "document", "A report in Markdown or LaTeX"),
        (sites is not None, "sites", "A report with sites="),
    ):
        if wanted and section(name) is None:
            raise require("clinic", what)
    if not risks and (paper or sites is not None):
        raise ValueError(
            "Markdown, LaTeX and sites= need probabilities of two classes, with the positive one named; "
            "this report has none of them. Write HTML without sites=."
        )
    return paper
