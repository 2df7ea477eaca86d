"""Score sets of any lengths, with their properties: read, derived from others, or of a classifier.

The sets of one length are stored as one matrix. The first of the sets that a generator makes of a set is
the set itself. Generators can be applied one after the other: the published study narrows margins, then
spans, then takes all labellings. Those of a classifier are its out-of-fold probabilities.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import check_cv, cross_val_predict
from sklearn.utils import check_random_state, indexable

from .._arguments import Estimator, Features, Folds, Label
from .._arrays import (
    Array,
    Bools,
    Codes,
    Floats,
    RandomState,
    check_rows,
    check_same_columns,
    code_of,
    label_array,
    quotient,
    score_array,
    shown,
)
from .._options import RealRange, check_whole
from .._text.tables import Table, Tabular
from ..metrics._records.inputs import positive_code

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
class SetCollection(Tabular):
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
    def from_arrays(cls, y_true: ArrayLike, y_score: ArrayLike) -> SetCollection:
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
        return cls((_group(y_true, y_score),))

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
        listed = list(sets)
        if not listed:
            raise ValueError("sets is empty; at least one score set is needed.")
        for place, (truth, score) in enumerate(listed):
            if len(truth) != len(score):
                raise ValueError(
                    f"Set {place} has {len(truth)} labels and {len(score)} scores; pass equal "
                    "numbers of both."
                )
        lengths, groups = np.array([len(score) for _, score in listed]), []
        for length in np.unique(lengths):
            places = np.flatnonzero(lengths == length)
            truths, scores = zip(*(listed[place] for place in places), strict=True)
            groups.append(_group(np.atleast_2d(truths), np.atleast_2d(scores), places))
        return cls(tuple(groups))

    def __len__(self) -> int:
        return sum(len(group.place) for group in self.groups)

    def __repr__(self) -> str:
        parts = [f"{len(g.place):,} of {g.score.shape[1]} scores" for g in self.groups[:_SHOWN]]
        return f"SetCollection({', '.join(parts)}{', ...' if len(self.groups) > _SHOWN else ''})"

    def _table(self) -> Table:
        rows = [[g.score.shape[1], len(g.place)] for g in self.groups]
        return Table(["scores", "sets"], rows, f"{len(self):,} score sets")

    def __iter__(self) -> Iterator[tuple[Bools, Floats]]:
        """Yield the two vectors of each set in turn."""
        held = {
            k: row for g in self.groups for k, *row in zip(g.place, g.truth, g.score, strict=True)
        }
        for place in range(len(self)):
            truth, score = held[place]
            yield truth, score

    def of_each(self, function: Callable[[Bools, Floats], Array]) -> Array:
        """Return a function of the matrices (truth, score) of one length, in the order of the sets."""
        parts = [function(group.truth, group.score) for group in self.groups]
        values = np.empty(len(self), dtype=np.result_type(*parts))
        for group, part in zip(self.groups, parts, strict=True):
            values[group.place] = part
        return values

    def expand(
        self, members: Callable[[Bools, Floats], Members], scores: int, remedy: str
    ) -> SetCollection:
        """Return the sets that come of each set, in the order of the sets they come of.

        Parameters
        ----------
        members : callable
            Takes the matrices (truth, score) of one length, returns (parent, truth, score): new
            matrices, and the row that each new row comes of.
        scores : int
            About how many scores they hold in all.
        remedy : str
            What to do where these are too many.

        Returns
        -------
        SetCollection
        """
        if scores > _MOST_SCORES:
            raise ValueError(
                f"The score sets would hold {float(scores):.2g} scores, but at most "
                f"{_MOST_SCORES:.2g} are made at once; {remedy}."
            )
        made = [members(group.truth, group.score) for group in self.groups]
        parents = [g.place[parent] for g, (parent, _, _) in zip(self.groups, made, strict=True)]
        ends = np.cumsum([len(parent) for parent in parents])
        place = np.empty(ends[-1], dtype=np.intp)
        place[np.argsort(np.concatenate(parents), kind="stable")] = np.arange(len(place))
        parts = zip(np.split(place, ends[:-1]), made, strict=True)
        return SetCollection(tuple(SetGroup(own, t, s) for own, (_, t, s) in parts))

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
        return self.of_each(lambda _, score: np.ptp(score, axis=1))

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
        return self.of_each(
            lambda t, score: (
                score.min(axis=1, where=t, initial=1) - score.max(axis=1, where=~t, initial=0)
            )
        )

    @property
    def relative_margin(self) -> Floats:
        """The margin as a share of the span; nan where the span is 0."""
        return quotient(self.margin, self.span, np.nan)

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


def _group(y_true: Any, y_score: Any, place: Codes | None = None) -> SetGroup:
    """Check matrices with a score set a row, both classes in each and scores in [0, 1]."""
    truth, score = label_array(y_true, "y_true"), score_array(y_score, "y_score")
    if truth.ndim != 2:
        raise ValueError(f"y_true must have a score set in each row, found shape {truth.shape}.")
    check_same_columns({"y_true": truth, "y_score": score})
    place = np.arange(len(truth)) if place is None else place
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
    return SetGroup(place, truth, score)


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


_SCORE = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?[pn]")
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
        If a line is malformed, with the numbers of its line and column, counted from 1, if a set lacks
        a class, with its number, counted from 0, or if there is no set at all.

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
    sets, decimals = [], 0
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.partition("#")[0].translate(_PUNCTUATION)
        tokens = list(re.finditer(r"\S+", bare))
        read = [_read_score(token, number) for token in tokens]
        truth, score = [token[0][-1] == "p" for token in tokens], [float(each) for each in read]
        if tokens:
            sets.append((truth, score))
            decimals = max(decimals, *(-int(each.as_tuple().exponent) for each in read))
    if not sets:
        raise ValueError(
            "There is no score set; write one a line, such as 0.85p 0.80p 0.75p 0.70n 0.65n 0.60n."
        )
    # Up to 15 decimals a float is written as it was read.
    return replace(SetCollection.from_sets(sets), decimals=decimals if decimals <= 15 else None)


def _read_score(token: re.Match[str], line: int) -> Decimal:
    found = f"line {line}, column {token.start() + 1}: {token[0]!r}"
    if _SCORE.fullmatch(token[0]) is None:
        raise ValueError(f"{found} is not a score with p or n behind it, such as 0.85p.")
    score = Decimal(token[0][:-1])
    if not 0 <= score <= 1:
        raise ValueError(f"{found} is outside [0, 1]; scores must lie in it.")
    return score


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
        as many as give back the very same scores, or scores that differ by the rounding of arithmetic
        alone: 0.725 for 0.7250000000000001.

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
    written = [_plain(s) if decimals is None else f"{s:.{decimals}f}" for s in score.tolist()]
    return " ".join(s + ("p" if t else "n") for s, t in zip(written, truth, strict=True))


def _plain(score: float) -> str:
    """Return the decimal of 12 places that a score is but for four roundings, else all digits."""
    short = round(score, 12)
    return repr(short if abs(short - score) <= 4 * math.ulp(score) else score)


# Greatest number of generated scores: 512 MiB, with a few GiB of temporary memory.
_MOST_SCORES = 1 << 26


def narrow_margins(sets: SetCollection, steps: int) -> SetCollection:
    """Bring the two classes of each set closer together, step by step, at the same span.

    At step h the lowest positive and the highest negative have moved a share h / steps of their way
    to the point between them; the highest positive and the lowest negative stay, and each class
    keeps its relative positions between its two edges. A class whose scores are all equal stays. A
    correctly ranked set remains one.

    Parameters
    ----------
    sets : SetCollection
    steps : int >= 1
        The number of sets that come of each, itself included, bit for bit. A set whose highest
        negative reaches the highest positive, or whose lowest positive reaches the lowest negative,
        passes once, unchanged.

    Returns
    -------
    SetCollection

    Examples
    --------
    >>> from skaucx.study import format_sets, narrow_margins, parse_sets
    >>> print(format_sets(narrow_margins(parse_sets("1p .8p .6p .4n .2n 0n"), 2), decimals=3), end="")
    1.000p 0.800p 0.600p 0.400n 0.200n 0.000n
    1.000p 0.775p 0.550p 0.450n 0.225n 0.000n
    """
    scores = int(sets.size.sum()) * check_whole("steps", steps, 1)
    return sets.expand(partial(_margins, steps=steps), scores, "take fewer steps")


def narrow_spans(sets: SetCollection, steps: int) -> SetCollection:
    """Draw all scores of each set towards its mid-range, step by step.

    At step h every score has moved a share h / steps of its way to the point midway between the
    highest and the lowest.

    Parameters
    ----------
    sets : SetCollection
    steps : int >= 1
        The number of sets that come of each, itself included, bit for bit.

    Returns
    -------
    SetCollection

    Examples
    --------
    >>> from skaucx.study import format_sets, narrow_spans, parse_sets
    >>> print(format_sets(narrow_spans(parse_sets("1p .75p 0n"), 4)), end="")
    1.0p 0.75p 0.0n
    0.875p 0.6875p 0.125n
    0.75p 0.625p 0.25n
    0.625p 0.5625p 0.375n
    """
    scores = int(sets.size.sum()) * check_whole("steps", steps, 1)
    return sets.expand(partial(_spans, steps=steps), scores, "take fewer steps")


def all_labellings(sets: SetCollection) -> SetCollection:
    """Give the scores of each set every labelling in which both classes occur.

    Parameters
    ----------
    sets : SetCollection

    Returns
    -------
    SetCollection
        2^m - 2 sets of each set of m scores, in the order of binary numbers whose digits are 0 for
        negatives: only the last score positive, only the last but one, both, and so on.

    Raises
    ------
    ValueError
        If they would be too many to hold; :func:`sample_labellings` draws some.

    Examples
    --------
    >>> from skaucx.study import all_labellings, format_sets, parse_sets
    >>> print(format_sets(all_labellings(parse_sets("0.9p 0.5n 0.1n"))), end="")
    0.9n 0.5n 0.1p
    0.9n 0.5p 0.1n
    0.9n 0.5p 0.1p
    0.9p 0.5n 0.1n
    0.9p 0.5n 0.1p
    0.9p 0.5p 0.1n
    """
    scores = sum(group.score.size * 2 ** group.score.shape[1] for group in sets.groups)
    return sets.expand(_labellings, scores, "draw some of them with sample_labellings")


def sample_labellings(
    sets: SetCollection, n_samples: int, *, random_state: RandomState = None
) -> SetCollection:
    """Give the scores of each set labellings drawn at random from those with both classes.

    Parameters
    ----------
    sets : SetCollection
    n_samples : int >= 1
        The number of labellings drawn for each set, with replacement, each equally likely; its own
        labelling is the first.
    random_state : int, RandomState instance or None, default=None
        The seed.

    Returns
    -------
    SetCollection

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.study import SetCollection, sample_labellings
    >>> score = np.linspace(0, 1, 50)
    >>> one = SetCollection.from_arrays([score > 0.5], [score])
    >>> len(sample_labellings(one, 1000, random_state=0))
    1001
    """
    count, generator = check_whole("n_samples", n_samples, 1), check_random_state(random_state)
    members = partial(_samples, n_samples=count, generator=generator)
    return sets.expand(members, int(sets.size.sum()) * count, "take a smaller n_samples")


def add_noise(
    sets: SetCollection,
    scale: float,
    *,
    copies: int = 1,
    random_state: RandomState = None,
) -> SetCollection:
    """Add Gaussian noise to every score of each set on its own; what leaves [0, 1] is clipped.

    Parameters
    ----------
    sets : SetCollection
    scale : float >= 0
        The standard deviation.
    copies : int >= 1, default=1
        The number of perturbed sets for each set; the set itself precedes them.
    random_state : int, RandomState instance or None, default=None
        The seed.

    Returns
    -------
    SetCollection

    Examples
    --------
    >>> from skaucx.study import add_noise, format_sets, parse_sets
    >>> noisy = add_noise(parse_sets("1.0p 0.5n"), 0.1, copies=2, random_state=0)
    >>> print(format_sets(noisy, decimals=2), end="")
    1.00p 0.50n
    1.00p 0.72n
    1.00p 0.40n
    """
    spread, count = RealRange(0, math.inf).check("scale", scale), check_whole("copies", copies, 1)
    generator = check_random_state(random_state)

    def disturbed(truth: Bools, score: Floats) -> Members:
        parent, step = _members(np.full(len(score), 1 + count))
        noise = generator.normal(0.0, spread, size=(len(parent), score.shape[1]))
        moved = np.clip(score[parent] + noise, 0, 1)
        return parent, truth[parent], np.where(step[:, None] == 0, score[parent], moved)

    return sets.expand(disturbed, int(sets.size.sum()) * count, "take fewer copies")


def _members(counts: Codes) -> tuple[Codes, Codes]:
    """Return of each new row the row that it comes of, and its number among those."""
    parent = np.repeat(np.arange(len(counts)), counts)
    first = np.repeat(np.cumsum(counts) - counts, counts)
    return parent, np.arange(len(parent)) - first


def _spans(truth: Bools, score: Floats, steps: int) -> Members:
    parent, h = _members(np.full(len(score), steps))
    score = score[parent]
    centre = (score.max(axis=1, keepdims=True) + score.min(axis=1, keepdims=True)) / 2
    moved = centre + (score - centre) * (1 - h / steps)[:, None]
    return parent, truth[parent], np.where(h[:, None] == 0, score, moved)


def _margins(truth: Bools, score: Floats, steps: int) -> Members:
    (low_p, low_n), (high_p, high_n) = ends_of_classes(truth, score)[..., None]
    narrowable = ((high_p > high_n) & (low_n < low_p)).ravel()
    parent, h = _members(np.where(narrowable, steps, 1))
    truth, score = truth[parent], score[parent]
    low_p, high_p, low_n, high_n = (edge[parent] for edge in (low_p, high_p, low_n, high_n))
    centre, left = (low_p + high_n) / 2, (1 - h / steps)[:, None]
    upper = _between(score, low_p, high_p, centre + (low_p - centre) * left, high_p)
    lower = _between(score, low_n, high_n, low_n, centre + (high_n - centre) * left)
    return parent, truth, np.where(h[:, None] == 0, score, np.where(truth, upper, lower))


def _between(score: Floats, low: Floats, high: Floats, new_low: Floats, new_high: Floats) -> Floats:
    """Map [low, high] onto [new_low, new_high], ends onto ends exactly; what has no width stays."""
    width = high - low
    position = (score - low) / np.where(width > 0, width, 1)
    moved = np.minimum(new_low + (new_high - new_low) * position, new_high)
    moved = np.where(score == high, new_high, moved)
    return np.where(width > 0, moved, score)


def _labellings(truth: Bools, score: Floats) -> Members:
    """Label by the binary digits of every number but the first and the last."""
    length = score.shape[1]
    code = np.arange(1, 2**length - 1)[:, None]
    labelled = (code >> np.arange(length)[::-1] & 1).astype(bool)
    parent = np.repeat(np.arange(len(score)), len(code))
    return parent, np.tile(labelled, (len(score), 1)), score[parent]


def _samples(
    truth: Bools, score: Floats, n_samples: int, generator: np.random.RandomState
) -> Members:
    drawn = np.zeros((len(truth), n_samples, truth.shape[1]), dtype=bool)
    while (poor := ~mixed(drawn)).any():
        drawn[poor] = generator.randint(2, size=(poor.sum(), truth.shape[1]), dtype=bool)
    labelled = np.concatenate([truth[:, None, :], drawn], axis=1)
    parent = np.repeat(np.arange(len(score)), labelled.shape[1])
    return parent, labelled.reshape(len(parent), -1), score[parent]


def sets_of_classifier(
    estimator: Estimator,
    X: Features,
    y: ArrayLike,
    *,
    cv: Folds = None,
    groups: ArrayLike | None = None,
    pos_label: Label = None,
    pooled: bool = False,
    n_jobs: int | None = None,
) -> SetCollection:
    """Return the score sets of a classifier's out-of-fold probabilities.

    Parameters
    ----------
    estimator : classifier with ``predict_proba``
        Cloned for every fold.
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Labels of two classes.
    cv : int, splitter or iterable, default=None
        Folds, each row in the test part of one, as in ``cross_val_predict``: None means five stratified
        ones.
    groups : array-like of shape (n_samples,), default=None
        Groups for the splitter.
    pos_label : label, default=None
        The positive class. None means 1 (or True) where all labels lie in {-1, 0, 1} or are bool,
        otherwise the greater one.
    pooled : bool, default=False
        Whether all folds together make one set, instead of one each.
    n_jobs : int, default=None
        Jobs of joblib.

    Returns
    -------
    SetCollection

    Raises
    ------
    ValueError
        If a fold lacks a class; stratified folds, or ``pooled=True``, help.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.study import sets_of_classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> sets = sets_of_classifier(GaussianNB(), X, y, cv=3)
    >>> sets.size.tolist()
    [190, 190, 189]
    """
    check_predicts_probabilities("estimator", estimator)
    check_rows({"y": y, "groups": groups})
    X, y, groups = indexable(X, y, groups)
    labels = label_array(y, "y")
    positive = positive_label(labels, pos_label)
    folds = list(check_cv(cv, labels, classifier=True).split(X, labels, groups))
    proba = cross_val_predict(estimator, X, labels, cv=folds, method="predict_proba", n_jobs=n_jobs)
    score, truth = proba[:, code_of(np.unique(labels), positive)], labels == positive
    tests = [test for _, test in folds]
    for number, test in enumerate(() if pooled else tests):
        if not mixed(truth[test]):
            raise ValueError(
                f"Test fold {number} lacks a class; use stratified folds (cv=), or pooled=True."
            )
    parts = [np.concatenate(tests)] if pooled else tests
    return SetCollection.from_sets([(truth[test], score[test]) for test in parts])


def check_predicts_probabilities(name: str, estimator: Any) -> None:
    """Raise an error for a classifier without predict_proba."""
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{name} must have predict_proba, found {type(estimator).__name__}, which has not; "
            "wrap it in CalibratedClassifierCV."
        )


def positive_label(labels: Array, pos_label: Any = None) -> Any:
    """Return the label of the positive class of a problem with two classes."""
    classes = np.unique(labels)
    if labels.ndim != 1 or len(classes) != 2:
        raise ValueError(
            f"y must hold two classes, found {len(classes)}: {shown(classes)} in shape "
            f"{labels.shape}; pass a vector of labels."
        )
    return classes[positive_code(classes, pos_label, either=True)]
