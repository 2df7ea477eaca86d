"""Terminal output: emphasis, JSON without nan, each warning once."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from .._text.plain import paragraph

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def program() -> str:
    """Return the name that the program was called by."""
    return "skaucx" if Path(sys.argv[0]).stem == "skaucx" else "python -m skaucx"


def strong(text: str) -> str:
    """Return bold text on a terminal that wants it (https://no-color.org), else the text."""
    plain = not sys.stdout.isatty() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain else f"{_BOLD}{text}{_PLAIN}"


# Control characters, which a terminal obeys, apart from the line break.
_CONTROL = {code: repr(chr(code))[1:-1] for code in (*range(10), *range(11, 32), *range(127, 160))}


def printable(text: str) -> str:
    r"""Return a text whose control characters are written as code.

    Examples
    --------
    >>> from skaucx.command._terminal import printable
    >>> print(printable("site \x1b[2Jnorth"))
    site \x1b[2Jnorth
    """
    return text.translate(_CONTROL)


# What messages and tables of the package name, and what does the same here.
_OPTIONS = {
    "pos_label=None does not determine": "It is not determined",
    "pass pos_label": "name it by --positive",
    "metrics='all', the name of a set of list_sets(), or a list of names": (
        "--set NAME or --metrics NAMES; the command metrics lists them"
    ),
    "to_frame() shows all": "--json shows all",
    "y_pred, which was not given; pass it (or counts=)": (
        "y_pred, which was not given; name the column of predicted labels or numbers by --pred"
    ),
}


def in_options(text: str) -> str:
    """Return a text of the package, which may be folded, in terms of the command's options."""
    for name, option in _OPTIONS.items():
        words = r"\s+".join(map(re.escape, name.split()))
        text = re.sub(rf"{words}(\S*)", partial(_in_place, option), text)
    return text


def _in_place(option: str, found: re.Match[str]) -> str:
    """Return what replaces words; it is folded where they were."""
    stated = option + found[1]
    if "\n" not in found[0]:
        return stated
    column = found.start() - found.string.rfind("\n", 0, found.start()) - 1
    return paragraph(stated, lead=" " * column, hang=2).lstrip()


def print_json(value: Any) -> None:
    """Print JSON; nan and infinity become null."""
    print(json.dumps(_plain(value), indent=2, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(entry) for name, entry in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


_UNDEFINED = re.compile(r"(\S+) is undefined \((.*)\) and set to (\S+?);")


@contextmanager
def reported_warnings() -> Iterator[None]:
    """Collect warnings and print them at the end, whether that is an error or not."""
    reported: dict[str, None] = {}

    def report(message: Warning | str, *place: Any, **more: Any) -> None:
        reported[str(message)] = None

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("default")
        warnings.showwarning = report
        try:
            yield
        finally:
            for line in _lines(list(reported)):
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
        sets = [f"{', '.join(names)} {reported}" for reported, names in undefined.items()]
        lines.append(f"undefined metrics: {'; '.join(sets)}.")
    return lines
