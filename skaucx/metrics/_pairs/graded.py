"""The probabilities of one class against the rest, sorted once for all that calibration asks of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from scipy import special

from ..._arrays import Bools, Floats
from .pooling import pooled
from .ranking import RankedScores


class Graded:
    """Probabilities with their outcomes, under one set of weights.

    Parameters
    ----------
    truth : ndarray of shape (n,), bool
    probability, weight : ndarray of shape (n,), float64
    rank : callable, default=None
        Gives the ranking of the probabilities where there is one already.
    """

    def __init__(
        self,
        truth: Bools,
        probability: Floats,
        weight: Floats,
        rank: Callable[[], RankedScores] | None = None,
    ) -> None:
        self._given, self._rank = (truth, probability, weight), rank

    @cached_property
    def _ranked(self) -> RankedScores:
        if self._rank is not None:
            return self._rank()
        truth, probability, weight = self._given
        held = weight > 0  # a resample leaves rows out
        return RankedScores.from_scores(truth[held], probability[held], weight[held])

    @property
    def values(self) -> Floats:
        """The distinct probabilities, rising."""
        return self._ranked.values

    @property
    def unit(self) -> float:
        """What a weight of 1 has become in the sums below."""
        return self._ranked.unit

    @cached_property
    def positive(self) -> Floats:
        """What the positives weigh at each distinct probability."""
        return np.asarray(self._ranked.positive, dtype=np.float64)

    @cached_property
    def negative(self) -> Floats:
        """What the negatives weigh at each distinct probability."""
        return np.asarray(self._ranked.negative, dtype=np.float64)

    @cached_property
    def total(self) -> Floats:
        """What all weigh at each distinct probability."""
        return self.positive + self.negative

    @cached_property
    def log_odds(self) -> Floats:
        """The log-odds of the distinct probabilities."""
        return np.asarray(special.logit(self.values))

    @cached_property
    def blocks(self) -> tuple[Floats, Floats]:
        """Positives and negatives of the blocks of the isotonic regression, probabilities falling."""
        return pooled(self.positive[::-1], self.negative[::-1])
