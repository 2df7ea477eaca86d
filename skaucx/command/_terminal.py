"""Terminal output: JSON without nan, each warning once."""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

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


@contextmanager
def reported_warnings() -> Iterator[None]:
    """Collect warnings and print each once at the end, whether that is an error or not."""
    with warnings.catch_warnings(record=True) as caught:
        if not sys.warnoptions:
            warnings.simplefilter("default")
        try:
            yield
        finally:
            for text in dict.fromkeys(" ".join(str(each.message).split()) for each in caught):
                print(f"skaucx: warning: {printable(text)}", file=sys.stderr)
