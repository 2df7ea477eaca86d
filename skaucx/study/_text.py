"""The text form of score sets: one set a line, each score followed by p or n."""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from .._arrays import Bools, Floats
from ._sets import SetCollection

_SCORE = re.compile(
    r"(?P<score>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?P<side>[pn])"
)


def parse_sets(text: str) -> SetCollection:
    """Read score sets from text.

    One set a line: scores in [0, 1] in any order and precision, each with p (positive) or n
    (negative) behind it, parted by spaces. A ``#`` starts a comment; empty lines are skipped.

    Parameters
    ----------
    text : str

    Returns
    -------
    SetCollection
        In the order of the lines.

    Raises
    ------
    ValueError
        If a line is malformed, with the numbers of its line and column, counted from 1, or if there
        is no set at all.

    Examples
    --------
    >>> from skaucx.study import parse_sets
    >>> parse_sets("0.85p 0.80p 0.75p 0.70n 0.65n 0.60n  # a narrow margin").margin.round(4).tolist()
    [0.05]
    >>> parse_sets("0.85p 0.80q 0.75n")
    Traceback (most recent call last):
    ...
    ValueError: line 1, column 7: '0.80q' is not a score with p or n behind it, such as 0.85p.
    """
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, found {type(text).__name__}.")
    sets = list(_read_lines(text))
    if not sets:
        raise ValueError(
            "There is no score set; write one a line, such as 0.85p 0.80p 0.75p 0.70n 0.65n 0.60n."
        )
    return SetCollection.from_sets(sets)


def read_sets(path: str | PathLike[str]) -> SetCollection:
    r"""Read score sets from a text file (see :func:`parse_sets`).

    Parameters
    ----------
    path : str or path-like
        A file in UTF-8.

    Returns
    -------
    SetCollection

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        As :func:`parse_sets`, with the file's name before it.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from skaucx.study import read_sets
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "sets.txt")
    ...     _ = path.write_text("0.9p 0.4n\n0.6n 0.3p 0.1n")
    ...     len(read_sets(path))
    2
    """
    try:
        return parse_sets(Path(path).read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}: not a text file in UTF-8 (byte {error.start + 1}); save it as plain text."
        ) from None
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def format_sets(sets: SetCollection, *, decimals: int | None = None) -> str:
    """Write score sets as text.

    Parameters
    ----------
    sets : SetCollection
    decimals : int, default=None
        Decimal places. None writes as many as give back the very same scores.

    Returns
    -------
    str
        One set a line, each line ended.

    Examples
    --------
    >>> from skaucx.study import format_sets, parse_sets
    >>> print(format_sets(parse_sets(".850p 0.8p 6e-1n")), end="")
    0.85p 0.8p 0.6n
    >>> print(format_sets(parse_sets(".850p 0.8p 6e-1n"), decimals=2), end="")
    0.85p 0.80p 0.60n
    """
    if decimals is not None and (not isinstance(decimals, int) or decimals < 0):
        raise ValueError(f"decimals must be a whole number >= 0 or None, found {decimals!r}.")
    return "".join(f"{_line(truth, score, decimals)}\n" for truth, score in sets)


def _line(truth: Bools, score: Floats, decimals: int | None) -> str:
    written = [repr(s) if decimals is None else f"{s:.{decimals}f}" for s in score.tolist()]
    return " ".join(s + ("p" if t else "n") for s, t in zip(written, truth, strict=True))


def _read_lines(text: str) -> Iterator[tuple[list[bool], list[float]]]:
    """Yield the set of each line that holds one."""
    for number, line in enumerate(text.split("\n"), start=1):
        tokens = list(re.finditer(r"\S+", line.partition("#")[0]))
        if tokens:
            yield _read_set(tokens, number)


def _read_set(tokens: list[re.Match[str]], line: int) -> tuple[list[bool], list[float]]:
    read = [_read_score(token, line) for token in tokens]
    truth, score = [positive for positive, _ in read], [value for _, value in read]
    if all(truth) or not any(truth):
        missing = "negative (such as 0.40n)" if truth[0] else "positive (such as 0.85p)"
        raise _malformed(line, tokens[0], f"the set has no {missing}; it needs both classes.")
    return truth, score


def _read_score(token: re.Match[str], line: int) -> tuple[bool, float]:
    match = _SCORE.fullmatch(token[0])
    if match is None:
        what = f"{token[0]!r} is not a score with p or n behind it, such as 0.85p."
        raise _malformed(line, token, what)
    score = float(match["score"])
    if not 0 <= score <= 1:
        raise _malformed(line, token, f"{token[0]!r} is outside [0, 1]; scores must lie in it.")
    return match["side"] == "p", score


def _malformed(line: int, token: re.Match[str], what: str) -> ValueError:
    return ValueError(f"line {line}, column {token.start() + 1}: {what}")
