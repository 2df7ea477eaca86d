"""Tables for a paper, in the rules of booktabs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def escape(text: str) -> str:
    r"""Return a text that LaTeX prints as it stands.

    Examples
    --------
    >>> from skaucx._text.latex import escape
    >>> print(escape("f1_score > 95 %"))
    f1\_score \textgreater{} 95 \%
    """
    return "".join(_SPECIAL.get(letter, letter) for letter in " ".join(text.splitlines()))


def table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str] = ()
) -> str:
    """Return a table that may run over pages, which needs booktabs and longtable, and its notes."""
    width = f"{0.94 / len(head):.2f}"
    return "\n".join(
        [
            rf"\begin{{longtable}}{{*{{{len(head)}}}{{p{{{width}\linewidth}}}}}}",
            *([rf"\caption{{{escape(caption)}}}\\"] if caption else []),
            r"\toprule", _line(head), r"\midrule", r"\endhead", *map(_line, rows), r"\bottomrule",
            r"\end{longtable}", *map(escape, notes),
        ]
    )  # fmt: skip


def _line(cells: Sequence[str]) -> str:
    return " & ".join(map(escape, cells)) + r" \\"
