"""Score sets of any lengths, stored as one matrix per length, with their properties."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from .._arrays import Array, Bools, Codes, Floats
from .._text.html import table
from ..metrics._pairs.sets import ScoreSets
from ..metrics._records.inputs import check_score_sets

_SHOWN = 3  # lengths in the short form
Members = tuple[Codes, Bools, Floats]


@dataclass(frozen=True, eq=False)
class SetGroup:
    """The score sets of one length.

    Parameters
    ----------
    place : ndarray of shape (n,), int
        Where in the collection each set stands.
    truth : ndarray of shape (n, m), bool
        Which scores are those of positives.
    score : ndarray of shape (n, m), float64
    """

    place: Codes
    truth: Bools
    score: Floats


@dataclass(frozen=True, eq=False, repr=False)
class SetCollection:
    r"""Ordered score sets, of one length or of several.

    A score set is a handful of scores in [0, 1], some of positives and some of negatives, at least
    one of each. Made by :func:`parse_sets`, :meth:`from_arrays` or :meth:`from_sets`; every property
    is an array with one entry a set, in their order.

    Parameters
    ----------
    groups : tuple of SetGroup
        The sets of each length, shortest first.
    decimals : int, default=None
        The most decimal places of a score in the text that the sets were read from; None for others.

    Examples
    --------
    >>> from skaucx.study import parse_sets
    >>> sets = parse_sets("0.9p 0.7p 0.4n\n0.8n 0.6p 0.5p 0.1n")
    >>> len(sets)
    2
    >>> sets.margin.round(2).tolist()
    [0.3, -0.3]
    >>> sets.correct.tolist()
    [True, False]
    """

    groups: tuple[SetGroup, ...]
    decimals: int | None = None

    @classmethod
    def from_arrays(cls, y_true: Any, y_score: Any) -> SetCollection:
        """Return the sets in the rows of two matrices.

        Parameters
        ----------
        y_true : array-like of shape (n_sets, n_samples), bool or 0 and 1
            Which scores of each set are those of positives.
        y_score : array-like of shape (n_sets, n_samples)
            Scores in [0, 1].

        Returns
        -------
        SetCollection

        Raises
        ------
        ValueError, TypeError
            If a set lacks a class, a score lies outside [0, 1], or the shapes do not agree.

        Examples
        --------
        >>> from skaucx.study import SetCollection
        >>> SetCollection.from_arrays([[1, 0], [0, 1]], [[0.9, 0.4]] * 2).errors.tolist()
        [0, 1]
        """
        truth, score = check_score_sets(y_true, y_score)
        _check_sets(truth, score, np.arange(len(truth)))
        return cls((SetGroup(np.arange(len(truth)), truth, score),))

    @classmethod
    def from_sets(cls, sets: Iterable[tuple[Any, Any]]) -> SetCollection:
        """Return a collection of sets of any lengths.

        Parameters
        ----------
        sets : iterable of (y_true, y_score)
            Two vectors a set: bool or 0 and 1, and scores in [0, 1].

        Returns
        -------
        SetCollection

        Raises
        ------
        ValueError, TypeError
            If there is no set, a set lacks a class, or a score lies outside [0, 1].

        Examples
        --------
        >>> from skaucx.study import SetCollection
        >>> sets = SetCollection.from_sets([([1, 0], [0.9, 0.4]), ([1, 0, 0], [0.5, 0.1, 0.3])])
        >>> sets.span.tolist()
        [0.5, 0.4]
        """
        places: dict[int, list[int]] = {}
        listed = list(sets)
        if not listed:
            raise ValueError("sets is empty; at least one score set is needed.")
        for place, (_, score) in enumerate(listed):
            places.setdefault(len(score), []).append(place)
        return cls(tuple(_group(listed, places[length]) for length in sorted(places)))

    def __len__(self) -> int:
        return sum(len(group.place) for group in self.groups)

    def __repr__(self) -> str:
        reported = (f"{len(g.place):,} of {g.score.shape[1]} scores" for g in self.groups[:_SHOWN])
        more = [] if len(self.groups) <= _SHOWN else ["..."]
        return f"SetCollection({', '.join([*reported, *more])})"

    def _repr_html_(self) -> str:
        """Show how many sets there are of each length in a notebook."""
        rows = [[g.score.shape[1], len(g.place)] for g in self.groups]
        return table(f"{len(self):,} score sets", ["scores", "sets"], rows)

    def __iter__(self) -> Iterator[tuple[Bools, Floats]]:
        """Yield the two vectors of each set in turn."""
        where = {
            int(place): (group, row)
            for group in self.groups
            for row, place in enumerate(group.place)
        }
        for place in range(len(self)):
            group, row = where[place]
            yield group.truth[row], group.score[row]

    def of_each(self, function: Callable[[Bools, Floats], Array]) -> Array:
        """Return a function of the matrices (truth, score) of one length, in the order of the sets."""
        parts = [function(group.truth, group.score) for group in self.groups]
        values = np.empty(len(self), dtype=np.result_type(*parts))
        for group, part in zip(self.groups, parts, strict=True):
            values[group.place] = part
        return values

    def expand(self, members: Callable[[Bools, Floats], Members]) -> SetCollection:
        """Return the sets that come of each set, in the order of the sets they come of.

        Parameters
        ----------
        members : callable
            Takes the matrices (truth, score) of one length, returns (parent, truth, score): new
            matrices, and the row that each new row comes of.

        Returns
        -------
        SetCollection
        """
        made = [members(group.truth, group.score) for group in self.groups]
        parents = [
            group.place[parent] for group, (parent, _, _) in zip(self.groups, made, strict=True)
        ]
        order = np.argsort(np.concatenate(parents), kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        ends = np.cumsum([len(parent) for parent in parents])
        return SetCollection(
            tuple(
                SetGroup(own, truth, score)
                for own, (_, truth, score) in zip(np.split(place, ends[:-1]), made, strict=True)
            )
        )

    @property
    def size(self) -> Array:
        """The number of scores."""
        return self.of_each(lambda truth, _: np.full(len(truth), truth.shape[1]))

    @property
    def positives(self) -> Array:
        """The number of positives."""
        return self.of_each(lambda truth, _: truth.sum(axis=1))

    @property
    def balance(self) -> Floats:
        """The share of positives."""
        return self.of_each(lambda truth, _: truth.mean(axis=1))

    @property
    def span(self) -> Floats:
        """The highest minus the lowest score."""
        return self.of_each(lambda truth, score: ScoreSets(truth, score).span)

    @property
    def positive_span(self) -> Floats:
        """The highest minus the lowest score of a positive."""
        return self.of_each(lambda truth, score: np.ptp(ends_of_classes(truth, score), axis=0)[0])

    @property
    def negative_span(self) -> Floats:
        """The highest minus the lowest score of a negative."""
        return self.of_each(lambda truth, score: np.ptp(ends_of_classes(truth, score), axis=0)[1])

    @property
    def type(self) -> Array:
        r"""The type of the ranking, 1 to 6, by the lowest and the highest score of each class.

        1: all positives above all negatives. 2: both ends of the positives are higher, and the classes
        overlap. 3: the positives enclose the negatives. 4: the negatives enclose the positives. 5: both
        ends of the negatives are higher, and the classes overlap. 6: no positive above a negative.
        :func:`narrow_margins` changes types 1 and 2. Of several that ties allow it is the first.

        Examples
        --------
        >>> from skaucx.study import parse_sets
        >>> parse_sets("0.9p 0.1n\n0.9p 0.8n 0.2p 0.1n\n0.1p 0.9n").type.tolist()
        [1, 2, 6]
        """
        return self.of_each(_type)

    @property
    def margin(self) -> Floats:
        """The lowest positive minus the highest negative: negative where the classes overlap."""
        return self.of_each(lambda truth, score: ScoreSets(truth, score).margin)

    @property
    def relative_margin(self) -> Floats:
        """The margin as a share of the span; nan where the span is 0."""
        span = self.span
        return np.divide(self.margin, span, out=np.full(len(span), np.nan), where=span > 0)

    @property
    def median(self) -> Floats:
        """The median of all scores."""
        return self.of_each(lambda _, score: np.median(score, axis=1))

    @property
    def errors(self) -> Array:
        """The number of pairs in which the positive does not score above the negative."""
        return self.of_each(_errors)

    @property
    def relative_error(self) -> Floats:
        """The errors as a share of all pairs: 1 minus the AUC that counts ties as losses."""
        return self.errors / (self.positives * (self.size - self.positives))

    @property
    def correct(self) -> Bools:
        """Whether a set is correctly ranked: its margin is greater than 0."""
        return self.margin > 0


def _group(sets: Sequence[tuple[Any, Any]], places: Sequence[int]) -> SetGroup:
    """Return the sets at some places, all of one length, as matrices."""
    for place in places:
        if len(sets[place][0]) != len(sets[place][1]):
            raise ValueError(
                f"Set {place} has {len(sets[place][0])} labels and {len(sets[place][1])} scores; "
                f"pass equal numbers of both."
            )
    truth, score = check_score_sets(
        np.atleast_2d([sets[place][0] for place in places]),
        np.atleast_2d([sets[place][1] for place in places]),
    )
    _check_sets(truth, score, np.asarray(places))
    return SetGroup(np.asarray(places), truth, score)


def _check_sets(truth: Bools, score: Floats, place: Codes) -> None:
    """Raise an error for a set without one of the classes, or with scores outside [0, 1]."""
    lacking = ~mixed(truth)
    if lacking.any():
        row = int(np.argmax(lacking))
        missing = "negative" if truth[row].all() else "positive"
        raise ValueError(f"Set {place[row]} has no {missing}; a score set needs both classes.")
    outside = (score < 0) | (score > 1)
    if outside.any():
        row, column = np.argwhere(outside)[0]
        raise ValueError(
            f"Set {place[row]} holds the score {score[row, column]:.6g}; scores must lie in [0, "
            "1]: use probabilities, or bring them there first."
        )


def ends_of_classes(truth: Bools, score: Floats) -> Floats:
    """Return the lowest and the highest score of the positives and of the negatives, (2, 2, sets)."""
    sides = np.stack([truth, ~truth])
    lowest = np.where(sides, score, np.inf).min(axis=-1)
    return np.stack([lowest, np.where(sides, score, -np.inf).max(axis=-1)])


def _type(truth: Bools, score: Floats) -> Array:
    """Return the types of rankings of section 5.1.3 of Majnik 2011, ties to the first."""
    (low_p, low_n), (high_p, high_n) = ends_of_classes(truth, score)
    kinds = [
        high_n < low_p,
        (low_n < low_p) & (high_n < high_p),
        (low_p <= low_n) & (high_n < high_p),
        (low_n < low_p) & (high_p <= high_n),
        (low_p <= low_n) & (low_n < high_p),
    ]
    return np.select(kinds, range(1, 6), 6)


def mixed(truth: Bools) -> Bools:
    """Whether both classes occur along the last axis."""
    return np.asarray(truth.any(axis=-1) & ~truth.all(axis=-1))


def _errors(truth: Bools, score: Floats) -> Array:
    """Count for every negative the positives that do not score above it."""
    order = np.lexsort((~truth, score), axis=1)
    sorted_truth = np.take_along_axis(truth, order, axis=1)
    return np.where(sorted_truth, 0, np.cumsum(sorted_truth, axis=1)).sum(axis=1)


_SCORE = re.compile(
    r"(?P<score>[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?P<side>[pn])"
)
_PUNCTUATION = str.maketrans("()[]{},;", " " * 8)


def parse_sets(text: str) -> SetCollection:
    r"""Read score sets from text.

    One set a line: scores in [0, 1] in any order and precision, each with p (positive) or n
    (negative) behind it, parted by spaces or commas, with or without brackets around the set. A ``#``
    starts a comment; empty lines are skipped.

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
    >>> len(parse_sets("(0.85p, 0.80p, 0.75n), \n[0.9p, 0.4n]"))
    2
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
    found = [-int(Decimal(m["score"]).as_tuple().exponent) for m in _SCORE.finditer(_bare(text))]
    places = max(0, *found)
    # Up to 15 decimals a float is written as it was read.
    return replace(SetCollection.from_sets(sets), decimals=places if places <= 15 else None)


def _bare(text: str) -> str:
    """Return text without comments, brackets and commas, in the same lines and columns."""
    lines = (line.partition("#")[0] for line in text.split("\n"))
    return "\n".join(lines).translate(_PUNCTUATION)


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
        Decimal places. None writes those of the text that the sets were read from, and of other sets
        as many as give back the very same scores.

    Returns
    -------
    str
        One set a line, each line ended.

    Examples
    --------
    >>> from skaucx.study import format_sets, parse_sets
    >>> print(format_sets(parse_sets("0.90p 0.8p 6e-1n")), end="")
    0.90p 0.80p 0.60n
    >>> from skaucx.study import narrow_spans
    >>> print(format_sets(narrow_spans(parse_sets("0.90p 0.8p 6e-1n"), steps=2), decimals=3), end="")
    0.900p 0.800p 0.600n
    0.825p 0.775p 0.675n
    """
    if decimals is not None and (not isinstance(decimals, int) or decimals < 0):
        raise ValueError(f"decimals must be a whole number >= 0 or None, found {decimals!r}.")
    places = sets.decimals if decimals is None else decimals
    return "".join(f"{_line(truth, score, places)}\n" for truth, score in sets)


def _line(truth: Bools, score: Floats, decimals: int | None) -> str:
    written = [repr(s) if decimals is None else f"{s:.{decimals}f}" for s in score.tolist()]
    return " ".join(s + ("p" if t else "n") for s, t in zip(written, truth, strict=True))


def _read_lines(text: str) -> Iterator[tuple[list[bool], list[float]]]:
    """Yield the set of each line that holds one."""
    for number, line in enumerate(_bare(text).split("\n"), start=1):
        tokens = list(re.finditer(r"\S+", line))
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
