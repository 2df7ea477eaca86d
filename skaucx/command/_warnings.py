"""Warnings of the package on standard error: each once, and undefined metrics in one line."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._terminal import in_options, printable, program

_UNDEFINED = re.compile(r"(\S+) is undefined \((.*)\) and set to (\S+?);")


@contextmanager
def told_warnings() -> Iterator[None]:
    """Collect warnings and print them at the end, whether that is an error or not."""
    told: dict[str, None] = {}

    def tell(message: Warning | str, *place: Any, **more: Any) -> None:
        told[str(message)] = None

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("default")
        warnings.showwarning = tell
        try:
            yield
        finally:
            for line in _lines(list(told)):
                print(f"{program()}: warning: {printable(in_options(line))}", file=sys.stderr)


def _lines(messages: list[str]) -> list[str]:
    undefined: dict[str, list[str]] = {}
    lines = []
    for message in (" ".join(message.split()) for message in messages):
        if found := _UNDEFINED.match(message):
            undefined.setdefault(f"set to {found[3]} ({found[2]})", []).append(found[1])
        else:
            lines.append(message)
    if undefined:
        sets = [f"{', '.join(names)} {told}" for told, names in undefined.items()]
        lines.append(f"undefined metrics: {'; '.join(sets)}.")
    return lines
