"""Cells of scores: how many rows they count, their edges, and the sums that losses need."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .._arrays import Codes, Floats

_SMALLEST = np.finfo(np.float64).eps  # of a probability, before its logarithm is taken


class Cells(NamedTuple):
    """Counts of rows by cells of their scores.

    Attributes
    ----------
    cell : ndarray of shape (n_cells,)
        The score itself, or its first digits as a whole number.
    n_rows : ndarray of shape (n_cells,), int
    values : ndarray of shape (6, n_cells) or None
        Least and greatest score, and the sums of the score, its square and the log losses of a
        positive and a negative row; None where each cell is one score.
    """

    cell: Floats
    n_rows: Codes
    values: Floats | None

    @classmethod
    def joined(cls, parts: list[Cells]) -> Cells:
        """Return the cells of all parts."""
        cell, n_rows = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
        if all(part.values is None for part in parts):
            return cls(cell, n_rows, None)
        return cls(cell, n_rows, np.concatenate([part.all_values() for part in parts], axis=1))

    def merged(self) -> Cells:
        """Return the cells in order, equal ones added up."""
        order = np.argsort(self.cell, kind="stable")
        cell = self.cell[order]
        first = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
        n_rows = np.add.reduceat(self.n_rows[order], first)
        if self.values is None:
            return Cells(cell[first], n_rows, None)
        low, high, *sums = (row[order] for row in self.values)
        low, high = np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)
        sums = [np.add.reduceat(each, first) for each in sums]
        return Cells(cell[first], n_rows, np.stack([low, high, *sums]))

    def edges(self) -> tuple[Floats, Floats]:
        """Return the least and the greatest score of each cell."""
        if self.values is None:
            return self.cell, self.cell
        return self.values[0], self.values[1]

    def all_values(self) -> Floats:
        """Return the values, also where each cell is one score."""
        if self.values is not None:
            return self.values
        score = self.cell
        logs = [-np.log(np.maximum(p, _SMALLEST)) for p in (score, 1 - score)]
        return np.stack([score, score, *(self.n_rows * each for each in (score, score**2, *logs))])
