"""The scores of one binary problem under many sets of weights, for bands around its curves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import numpy as np

from ..._arrays import Bools, Floats
from ..._options import check_flag
from .._records.counts import Counts
from .._records.inputs import (
    check_one_column,
    check_scored_labels,
    known_positive,
    positive_code,
    refuse_multilabel,
)
from .._resampling.blocks import block_codes, block_length
from .._resampling.draws import generator
from ..kinds.scores.sample import ScoreSample
from ._bootstrap import plan
from ._effective_size import EffectiveSize, cuts, effective_size
from ._requests import groups_of_rows


class CurveSample:
    """Scores of one binary problem and the counts at all thresholds, with a leading axis of one."""

    def __init__(
        self,
        y_true: Any,
        y_score: Any,
        pos_label: Any,
        sample_weight: Any,
        groups: Any,
        blocks: Any = None,
    ) -> None:
        self._block = block_length(blocks, groups, y_true, y_score)
        if self._block is not None:
            groups = block_codes(len(y_true), self._block)
        scored = check_scored_labels(y_true, y_score, sample_weight=sample_weight)
        if scored.true.ndim == 2:
            raise refuse_multilabel("A band of a curve")
        check_one_column(scored.score)
        self.sample, self.pos_label = ScoreSample(scored), pos_label
        self.groups = None if groups is None else groups_of_rows(groups, y_true, sample_weight)
        self.counts = self.under(np.ones((1, self.sample.n_rows)))

    def under(self, counts: Floats) -> Counts:
        """Return the counts at all thresholds, one row a replicate."""
        return self.sample.under(counts).binary_ranking(self.pos_label).threshold_counts

    def resampled(
        self,
        values: Callable[[Counts], Floats],
        n_resamples: int,
        stratify: bool,
        random_state: Any,
    ) -> Floats:
        """Return the values of the resamples that define all of them, one row a resample."""
        stratify = check_flag("stratify", stratify)
        drawn = plan(self.sample, stratify=stratify, groups=self.groups, block=self._block)
        parts = drawn.resamples(int(n_resamples), generator(random_state))
        found = np.concatenate([values(self.under(counts)) for counts in parts])
        return found[~np.isnan(found).any(axis=1)]

    @property
    def independent(self) -> bool:
        """Whether every row is one independent example."""
        return self.sample.weight is None and self.groups is None

    @cached_property
    def truth(self) -> Bools:
        """Which rows are positive."""
        scored = self.sample.scored
        return np.asarray(
            scored.true == known_positive(positive_code(scored.classes, self.pos_label))
        )

    @cached_property
    def sizes(self) -> tuple[EffectiveSize, EffectiveSize]:
        """How many independent examples the positives and the negatives are worth at each threshold."""
        positives, negatives = (
            self._size(rows, *(getattr(each, name) for each in (self.counts, self._squares)))
            for rows, name in ((self.truth, "tp"), (~self.truth, "fp"))
        )
        return positives, negatives

    def prevalence(self) -> tuple[float, EffectiveSize]:
        """Return the prevalence of the sample, and how many independent examples it is known from."""
        every = np.ones(len(self.truth), dtype=bool)
        size = self._size(
            every, self.counts.positives[:, :1], self._squares.positives[:, :1], [self.truth]
        )
        return float((self.counts.positives / self.counts.total)[0, 0]), size

    @cached_property
    def _squares(self) -> Counts:
        """The sums of the squares of the weights at all thresholds."""
        weight = self.sample.weight
        return self.counts if weight is None else self.under(weight[None])

    def _size(
        self, rows: Bools, above: Floats, squares: Floats, hits: Iterable[Bools] | None = None
    ) -> EffectiveSize:
        """Return the size of rows of which sums of weights, and of their squares, count for a share."""
        if self.independent:
            return EffectiveSize(np.count_nonzero(rows))
        every = np.ones(len(rows)) if self.sample.weight is None else self.sample.weight
        weight, groups = every[rows], None if self.groups is None else self.groups[rows]
        total = weight.sum()
        hits = cuts(self.sample.scored.score[rows]) if hits is None else hits
        return effective_size(above[0] / total, squares[0] / total**2, weight / total, groups, hits)
