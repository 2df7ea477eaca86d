"""How rows are drawn again: groups, strata, many replicates in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..._arrays import Array, Codes, Floats

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


@dataclass(frozen=True, eq=False)
class Resampling:
    """A plan of resampling n rows with replacement, as often as there are rows.

    Parameters
    ----------
    n_rows : int
        Number of rows n.
    groups : ndarray of shape (n,), int, default=None
        Rows with the same code are drawn together; the number of drawn groups is that of the
        sample. Codes run from 0 without a gap.
    multiplicity : ndarray of shape (n,), int, default=None
        Number of equal examples that a row represents; counts are then those of all of them.
    """

    n_rows: int
    groups: Codes | None = None
    multiplicity: Array | None = None

    @property
    def n_units(self) -> int:
        """The number of things that are drawn: rows or groups."""
        return self.n_rows if self.groups is None else int(self.groups.max()) + 1

    def resamples(self, n_resamples: int, random_state: Any = None) -> Iterator[Floats]:
        """Yield counts of shape (b, n), b summing up to `n_resamples`; the seed alone decides them."""
        rng = generator(random_state)
        step = max(1, _COUNTS_AT_ONCE // self.n_rows)
        for start in range(0, n_resamples, step):
            yield self._of_rows(self._draw(rng, min(step, n_resamples - start)))

    def deletions(
        self, random_state: Any = None, n_resamples: int = _MOST_BUNDLES
    ) -> Iterator[tuple[Floats, Floats]]:
        """Yield counts of shape (b, n) without one unit each, and the number of equal units.

        With more than a thousand units, random bundles of units are deleted instead,
        at most as many as resamples.
        """
        most = max(_ENOUGH_BUNDLES, min(n_resamples, _MOST_BUNDLES))
        return self.without(self.bundles(generator(random_state), most))

    def without(self, bundle: Codes) -> Iterator[tuple[Floats, Floats]]:
        """Yield the same for bundles of units: unit i is deleted with those of its number."""
        bundles = int(bundle.max()) + 1
        whole = np.ones(self.n_units) if self._examples is None else 1.0 * self._examples
        single = self.n_units == bundles  # of equal examples one is left out
        alike = whole if single else np.ones(bundles)
        step = max(1, _COUNTS_AT_ONCE // self.n_rows)
        for start in range(0, bundles, step):
            chosen = np.arange(start, min(start + step, bundles))
            left_out = bundle == chosen[:, None]
            counts = np.where(left_out, whole - 1 if single else 0.0, whole)
            yield self._of_rows(counts), alike[chosen]

    def _of_rows(self, counts: Floats) -> Floats:
        if self.groups is None:
            return counts
        rows = counts[:, self.groups]
        return rows if self.multiplicity is None else rows * self.multiplicity

    def _draw(self, rng: np.random.Generator, size: int) -> Floats:
        """Return how often each unit is drawn, shape (size, n_units)."""
        if self._examples is not None:
            total = int(self._examples.sum())
            return np.asarray(rng.multinomial(total, self._examples / total, size=size), float)
        units = self.n_units
        drawn = rng.integers(units, size=(size, units)) + units * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * units)
        return counts.reshape(size, units).astype(np.float64)

    @property
    def _examples(self) -> Array | None:
        """How many examples each unit stands for, where a unit is a row."""
        return self.multiplicity if self.groups is None else None

    def bundles(self, rng: np.random.Generator, most: int = _MOST_BUNDLES) -> Codes:
        """Return the bundle of each unit: a bundle a unit where there are few."""
        if self.n_units <= _MOST_BUNDLES:
            return np.arange(self.n_units)
        of_rows = int(np.clip(_MOST_ROWS_READ // self.n_units, _FEWEST_BUNDLES, _MOST_BUNDLES))
        return rng.permutation(self.n_units) % min(most, of_rows)


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
