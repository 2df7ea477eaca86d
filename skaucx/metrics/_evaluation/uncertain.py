"""The intervals of all metrics of an evaluation, from one sample and shared resamples."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import Codes
from ..._options import Alternative, check_flag
from .._registry.names import NamedMetric
from .._resampling.draws import generator
from ..estimation._interval import Interval, intervals_of_sample
from ..kinds.base import Inputs, Sample


@dataclass(frozen=True, eq=False)
class Certainty:
    """How the intervals of an evaluation are found.

    Attributes
    ----------
    confidence_level : float
    alternative : {"two-sided", "greater", "less"}
    groups : ndarray of shape (n_samples,), int, or None
        Rows of one code belong together.
    n_resamples : int
    seed : int
        That of the resamples, the same for all metrics.
    simultaneous : bool
        Whether the intervals of a metric hold for all groups at once.
    """

    confidence_level: float
    alternative: Alternative
    groups: Codes | None
    n_resamples: int
    seed: int
    simultaneous: bool = False

    def of_each(self, groups: int) -> Certainty:
        """Return how the interval of each of several groups is found (Bonferroni)."""
        if not self.simultaneous:
            return self
        return replace(self, confidence_level=1 - (1 - self.confidence_level) / groups)

    def groups_of(self, rows: Codes | None) -> Codes | None:
        """Return the groups of some rows, or of all, numbered without a gap."""
        if self.groups is None or rows is None:
            return self.groups
        return np.unique(self.groups[rows], return_inverse=True)[1].astype(np.intp)


def certainty_of(
    intervals: Any,
    confidence_level: float,
    alternative: Alternative,
    n_resamples: int,
    random_state: Any,
    groups: Codes | None = None,
) -> Certainty | None:
    """Return how intervals are found; None if they are not requested."""
    if not check_flag("intervals", intervals):
        return None
    seed = int(generator(random_state).integers(2**32))
    return Certainty(confidence_level, alternative, groups, n_resamples, seed)


def intervals_of(
    requested: Sequence[NamedMetric],
    samples: Mapping[Inputs, Sample],
    certainty: Certainty,
    rows: Mapping[Inputs, Codes],
) -> dict[str, Interval]:
    """Return the interval of every metric; those of one kind of prediction share the resamples.

    `rows` are those of samples that hold some of the rows only.
    """
    found: dict[str, Interval] = {}
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UndefinedMetricWarning
        )  # the warning is given with the values
        for judged, sample in samples.items():
            own = [each for each in requested if each.row.kind.inputs is judged]
            if own:
                found |= intervals_of_sample(
                    own,
                    sample,
                    {},
                    confidence_level=certainty.confidence_level,
                    alternative=certainty.alternative,
                    groups=certainty.groups_of(rows.get(judged)),
                    n_resamples=certainty.n_resamples,
                    random_state=certainty.seed,
                )
    return {each.key: found[each.key] for each in requested}
