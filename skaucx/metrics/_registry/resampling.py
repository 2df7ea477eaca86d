"""How rows are drawn again: groups, strata, many replicates in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..._arrays import Array, Codes, Floats
from ..._progress import ProgressBar
from .._kinds.base import Sample

# Numbers that are held at once: replicates times examples, or times cells.
_CELLS_AT_ONCE = 1 << 20

# Counts in memory at once (4 MB): they fit into the cache and bound the memory.
_COUNTS_AT_ONCE = 1 << 19

# Units of the jackknife: more are left out in random bundles, one bundle at a time.
_MOST_BUNDLES = 1000

# Of many units fewer bundles, so that all of them together read no more rows than this. The error of an
# acceleration is about 0.4 / bundles, far below that of the quantiles that it corrects.
_FEWEST_BUNDLES, _MOST_ROWS_READ = 200, 1 << 27

_ENOUGH_BUNDLES = 50  # for the roughest intervals


def pieces(rows: Any, width: int) -> list[Any]:
    """Cut rows of a width into pieces of bounded size."""
    step = max(1, _CELLS_AT_ONCE // max(width, 1))
    return [rows[start : start + step] for start in range(0, len(rows), step)]


def resampled_pieces(size: int, width: int) -> Iterator[range]:
    """Yield the numbers of resamples, or of exchanges, in pieces of bounded size; shows progress."""
    with ProgressBar.of_resamples(size) as bar:
        for rows in pieces(range(size), width):
            yield rows
            bar.advance(len(rows))


@dataclass(frozen=True, eq=False)
class Resampling:
    """A plan of resampling n rows with replacement, as often as there are rows.

    Parameters
    ----------
    n_rows : int
        Number of rows n.
    strata : ndarray of shape (n,), int, default=None
        Rows of one code are drawn among themselves.
    groups : ndarray of shape (n,), int, default=None
        Rows with the same code are drawn together; the number of drawn groups is that of the
        sample. Codes run from 0 without a gap.
    multiplicity : ndarray of shape (n,), int, default=None
        Number of equal examples that a row represents; counts are then those of all of them.
    """

    n_rows: int
    strata: Codes | None = None
    groups: Codes | None = None
    multiplicity: Array | None = None

    @classmethod
    def of(cls, sample: Sample, *, stratify: bool = False, groups: Codes | None) -> Resampling:
        """Return how rows of a sample are drawn: within classes, in groups, or singly."""
        if stratify and sample.strata is None:
            raise ValueError(
                "stratify=True needs one class per row; these rows have none, or several."
            )
        strata = sample.strata if stratify else None
        return cls(sample.n_rows, strata, groups, sample.multiplicity)

    @property
    def n_units(self) -> int:
        """The number of things that are drawn: rows or groups."""
        return self.n_rows if self.groups is None else int(self.groups.max()) + 1

    def resamples(self, n_resamples: int, random_state: Any = None) -> Iterator[Floats]:
        """Yield counts of shape (b, n), b summing up to `n_resamples`; the seed alone decides them."""
        rng = generator(random_state)
        step = max(1, _COUNTS_AT_ONCE // self.n_rows)
        with ProgressBar.of_resamples(n_resamples) as bar:
            for start in range(0, n_resamples, step):
                size = min(step, n_resamples - start)
                yield self._of_rows(self._draw(rng, size))
                bar.advance(size)

    def deletions(
        self, random_state: Any = None, n_resamples: int = _MOST_BUNDLES
    ) -> Iterator[tuple[Floats, Floats]]:
        """Yield counts of shape (b, n) without one unit each, and the number of equal units.

        With more than a thousand units, random bundles of units of one stratum are deleted instead,
        at most as many as resamples.
        """
        most = max(_ENOUGH_BUNDLES, min(n_resamples, _MOST_BUNDLES))
        return self.without(self.bundles(generator(random_state), most))

    def without(self, bundle: Codes) -> Iterator[tuple[Floats, Floats]]:
        """Yield the same for bundles of units: unit i is deleted with those of its number."""
        bundles = int(bundle.max()) + 1
        whole = np.ones(self.n_units) if self.multiplicity is None else 1.0 * self.multiplicity
        alike = np.ones(bundles) if self.multiplicity is None else whole
        step = max(1, _COUNTS_AT_ONCE // self.n_rows)
        with ProgressBar.of_resamples(bundles) as bar:
            for start in range(0, bundles, step):
                chosen = np.arange(start, min(start + step, bundles))
                left_out = bundle == chosen[:, None]
                counts = np.where(left_out, 0.0 if self.multiplicity is None else whole - 1, whole)
                yield self._of_rows(counts), alike[chosen]
                bar.advance(len(chosen))

    def _of_rows(self, counts: Floats) -> Floats:
        return counts if self.groups is None else counts[:, self.groups]

    @property
    def _strata_of_units(self) -> Codes | None:
        if self.strata is None or self.groups is None:
            return self.strata
        of_units = np.empty(self.n_units, dtype=np.intp)
        of_units[self.groups] = self.strata
        if (of_units[self.groups] != self.strata).any():
            raise ValueError(
                "stratify=True with groups needs groups whose rows are of one class; some hold "
                "several. Pass stratify=False."
            )
        return of_units

    def _members(self) -> list[Codes]:
        """Return the units of each stratum."""
        strata = self._strata_of_units
        if strata is None:
            return [np.arange(self.n_units)]
        return [np.flatnonzero(strata == code) for code in np.unique(strata)]

    def _draw(self, rng: np.random.Generator, size: int) -> Floats:
        counts = np.empty((size, self.n_units))
        for members in self._members():
            if self.multiplicity is not None:
                many = self.multiplicity[members]
                total = int(many.sum())
                counts[:, members] = rng.multinomial(total, many / total, size=size)
                continue
            drawn = rng.integers(len(members), size=(size, len(members)))
            drawn += len(members) * np.arange(size)[:, None]
            bins = np.bincount(drawn.ravel(), minlength=size * len(members))
            counts[:, members] = bins.reshape(size, len(members))
        return counts

    def bundles(self, rng: np.random.Generator, most: int = _MOST_BUNDLES) -> Codes:
        """Return the bundle of each unit: a bundle a unit where there are few."""
        if self.n_units <= _MOST_BUNDLES:
            return np.arange(self.n_units)
        bundle, first = np.empty(self.n_units, dtype=np.intp), 0
        of_rows = int(np.clip(_MOST_ROWS_READ // self.n_units, _FEWEST_BUNDLES, _MOST_BUNDLES))
        most = min(most, of_rows)
        for members in self._members():
            bundles = min(len(members), max(2, most * len(members) // self.n_units))
            bundle[rng.permutation(members)] = first + np.arange(len(members)) % bundles
            first += bundles
        return bundle


def generator(random_state: Any) -> np.random.Generator:
    """Return the generator of an integer, a RandomState, a Generator or None."""
    if isinstance(random_state, np.random.Generator):
        return random_state
    if random_state is None:
        return np.random.default_rng()
    return np.random.default_rng(
        check_random_state(random_state).randint(2**32, size=4, dtype=np.uint32)
    )


def seed_of(random_state: Any) -> int:
    """Return the integer that renews the same draws: the one given, or a new one drawn from it."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(generator(random_state).integers(2**32))
