"""Score sets derived from score sets: narrowed, relabelled, perturbed.

The first of the sets that a generator makes of a set is the set itself. Generators can be applied one
after the other: the published study narrows margins, then spans, then takes all labellings.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from sklearn.utils import check_random_state

from .._arrays import Bools, Codes, Floats
from .._options import RealRange, check_choice, check_flag, check_whole
from ._sets import Members, SetCollection, ends_of_classes, mixed

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
    count = _copies(sets, "steps", steps, "take fewer steps")
    return sets.expand(lambda truth, score: _margins(truth, score, count))


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
    count = _copies(sets, "steps", steps, "take fewer steps")
    return sets.expand(lambda truth, score: _spans(truth, score, count))


def all_labellings(sets: SetCollection) -> SetCollection:
    """Give the scores of each set every labelling in which both classes occur.

    Parameters
    ----------
    sets : SetCollection

    Returns
    -------
    SetCollection
        2^m - 2 sets of each set of m scores: the labellings that differ from its own in no score, in
        the last, in the last but one, in both, and so on.

    Raises
    ------
    ValueError
        If they would be too many to hold; :func:`sample_labellings` draws some.

    Examples
    --------
    >>> from skaucx.study import all_labellings, format_sets, parse_sets
    >>> print(format_sets(all_labellings(parse_sets("0.9p 0.5n 0.1n"))), end="")
    0.9p 0.5n 0.1n
    0.9p 0.5n 0.1p
    0.9p 0.5p 0.1n
    0.9n 0.5n 0.1p
    0.9n 0.5p 0.1n
    0.9n 0.5p 0.1p
    """
    _check_number(
        sum(group.score.size * 2 ** group.score.shape[1] for group in sets.groups),
        "draw some of them with sample_labellings",
    )
    return sets.expand(_labellings)


def sample_labellings(
    sets: SetCollection, n_samples: int, *, cuts: bool = False, random_state: Any = None
) -> SetCollection:
    """Give the scores of each set labellings drawn at random from those with both classes.

    Parameters
    ----------
    sets : SetCollection
    n_samples : int >= 1
        The number of labellings drawn for each set, with replacement, each equally likely; its own
        labelling is the first.
    cuts : bool, default=False
        Whether to add, between the two, the m - 1 labellings that cut the ranking in two. They alone
        are correctly ranked, and draws from 2^m - 2 labellings hardly ever hit them.
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
    >>> sample = sample_labellings(one, 1000, cuts=True, random_state=0)
    >>> len(sample), int(sample.correct.sum())
    (1050, 50)
    """
    count, generator = check_whole("n_samples", n_samples, 1), check_random_state(random_state)
    check_flag("cuts", cuts)
    _check_number(int(sets.size.sum()) * count, "take a smaller n_samples")
    return sets.expand(lambda truth, score: _samples(truth, score, count, cuts, generator))


def add_noise(
    sets: SetCollection,
    scale: float,
    *,
    copies: int = 1,
    kind: Literal["gaussian", "uniform"] = "gaussian",
    random_state: Any = None,
) -> SetCollection:
    """Disturb every score of each set on its own; what leaves [0, 1] is clipped.

    Parameters
    ----------
    sets : SetCollection
    scale : float >= 0
        The standard deviation of Gaussian noise, the greatest shift of uniform noise.
    copies : int >= 1, default=1
        The number of perturbed sets for each set; the set itself precedes them.
    kind : {"gaussian", "uniform"}, default="gaussian"
        The distribution of the shifts.
    random_state : int, RandomState instance or None, default=None
        The seed.

    Returns
    -------
    SetCollection

    Examples
    --------
    >>> from skaucx.study import add_noise, format_sets, parse_sets
    >>> noisy = add_noise(parse_sets("1.0p 0.5n"), 0.1, kind="uniform", copies=2, random_state=0)
    >>> print(format_sets(noisy, decimals=2), end="")
    1.00p 0.50n
    1.00p 0.51n
    0.98p 0.53n
    """
    spread, count = RealRange(0, math.inf).check("scale", scale), check_whole("copies", copies, 1)
    check_choice("kind", kind, ("gaussian", "uniform"))
    _check_number(int(sets.size.sum()) * count, "take fewer copies")
    generator = check_random_state(random_state)

    def shifts(shape: tuple[int, ...]) -> Any:
        if kind == "gaussian":
            return generator.normal(scale=spread, size=shape)
        return generator.uniform(-spread, spread, size=shape)

    def disturbed(truth: Bools, score: Floats) -> Members:
        parent, step = _members(np.full(len(score), 1 + count))
        moved = np.clip(score[parent] + shifts((len(parent), score.shape[1])), 0, 1)
        return parent, truth[parent], np.where(step[:, None] == 0, score[parent], moved)

    return sets.expand(disturbed)


def _copies(sets: SetCollection, name: str, count: Any, remedy: str) -> int:
    """Check how often each set is repeated."""
    _check_number(int(sets.size.sum()) * check_whole(name, count, 1), remedy)
    return int(count)


def _check_number(scores: int, remedy: str) -> None:
    if scores > _MOST_SCORES:
        raise ValueError(
            f"The score sets would hold {float(scores):.2g} scores, but at most {_MOST_SCORES:.2g} "
            f"are made at once; {remedy}."
        )


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
    """Flip the bits of every code in the labels; code 0, the original, comes first."""
    length = score.shape[1]
    code = np.arange(2**length)[:, None]
    flipped = (code >> np.arange(length)[::-1] & 1).astype(bool)
    labelled = truth[:, None, :] ^ flipped
    labelled = labelled[mixed(labelled)]
    parent = np.repeat(np.arange(len(score)), 2**length - 2)
    return parent, labelled, score[parent]


def _samples(
    truth: Bools, score: Floats, n_samples: int, cuts: bool, generator: np.random.RandomState
) -> Members:
    drawn = np.zeros((len(truth), n_samples, truth.shape[1]), dtype=bool)
    while (poor := ~mixed(drawn)).any():
        drawn[poor] = generator.randint(2, size=(poor.sum(), truth.shape[1]), dtype=bool)
    parts = [truth[:, None, :], _cuts(score), drawn] if cuts else [truth[:, None, :], drawn]
    labelled = np.concatenate(parts, axis=1)
    parent = np.repeat(np.arange(len(score)), labelled.shape[1])
    return parent, labelled.reshape(len(parent), -1), score[parent]


def _cuts(score: Floats) -> Bools:
    """Label the highest score positive, the highest two, and so on to all but one."""
    rank = np.argsort(np.argsort(-score, axis=1, kind="stable"), axis=1)
    return rank[:, None, :] <= np.arange(score.shape[1] - 1)[:, None]
