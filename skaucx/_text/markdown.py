"""Text for Markdown that renders as it stands, and pipe tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# What CommonMark, its tables and usual extensions read as markup. An entity is text wherever it
# stands, also within a word, where a backslash may be none.
_SPECIAL = re.compile(
    r"(?P<interval>\[[-\d., ]+\](?![(\[:]))"  # no link, and left as it is
    r"|[&<>\\`*\[\]|~$^@#]"  # tags, code, emphasis, links, cells, formulas, mentions
    r"|(?<!\w)_|_(?!\w)"  # emphasis; not the "_" within a name
    r"|:(?=\S)|(?<=www)\."  # addresses and emoji
    r"|^(?:\d+[.)]|[-=+])(?=\s|[-=]|$)"  # lists, rules, headings by underlining
)


def escape(text: str) -> str:
    r"""Return one line of Markdown that renders as the text: no tag, link, picture or table cell.

    Examples
    --------
    >>> from skaucx._text.markdown import escape
    >>> escape("a|b"), escape("<i>"), escape("two\nlines")
    ('a&#124;b', '&#60;i&#62;', 'two lines')
    """
    return _SPECIAL.sub(_entities, " ".join(text.split()))


def _entities(found: re.Match[str]) -> str:
    return found["interval"] or "".join(f"&#{ord(letter)};" for letter in found[0])


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a pipe table below its caption."""
    lines = [_line(map(escape, head)), _line(["---"] * len(head))]
    lines += [_line(map(escape, row)) for row in rows]
    return "\n".join([*([escape(caption), ""] if caption else []), *lines])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
