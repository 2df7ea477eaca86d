"""The output that the README shows: ``python -m tests.readme`` renews it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
# Code, and the block without a language that follows it, if one does.
_BLOCKS = re.compile(r"(```python\n(.*?)```)(\n\n```\n(.*?)```)?", re.DOTALL)
_PAGES = re.compile(r".*(\.report|report)\(.*\n")


def renewed() -> str:
    """Return the README with what its code prints: as many lines, from that of the same beginning on."""
    space: dict[str, object] = {}

    def block(found: re.Match[str]) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(_PAGES.sub("", found[2]), space)
        if not found[3]:
            return found[0]
        lines, shown = printed.getvalue().splitlines(), found[4].splitlines()
        first = shown[0].partition("  ")[0]
        start = next(k for k, line in enumerate(lines) if line.startswith(first))
        lines = lines[start : start + len(shown)]
        return "\n".join([found[1], "", "```", *lines, "```"])

    return _BLOCKS.sub(block, README.read_text(encoding="utf-8"))


if __name__ == "__main__":
    README.write_text(renewed(), encoding="utf-8")
