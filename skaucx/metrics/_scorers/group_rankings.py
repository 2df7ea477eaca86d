"""Metrics of the ranking within every group at once: documents of a query, items of a user."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from scipy.special import gammaln
from sklearn.exceptions import UndefinedMetricWarning

from ..._arrays import (
    Array,
    Codes,
    Floats,
    check_same_length,
    float_array,
    host_array,
    take_rows,
    weight_vector,
)
from ..._options import check_choice, check_whole
from .._pairs.sorting import rising_rows, sort_in_place
from .._records.inputs import check_one_column, check_scored_labels, known_positive, positive_code
from .._registry.declare import options_of_state
from .._registry.names import named_metric
from .._registry.samples import MetricOnSample, sample_of

Gain = Literal["linear", "exponential"]


@dataclass(frozen=True, eq=False)
class RankedGroups:
    """Rows sorted by group, scores falling, with ties as blocks.

    Attributes
    ----------
    gain : ndarray of shape (n,), float64
        Relevance of the rows, sorted; 0 or 1 for two classes.
    group : ndarray of shape (n,), int
        Their groups, which rise.
    starts : ndarray of shape (n_blocks,), int
        First row of each block of equal scores.
    n_groups : int
    """

    gain: Floats
    group: Codes
    starts: Codes
    n_groups: int

    @classmethod
    def of(cls, gain: Floats, score: Floats, codes: Codes, n_groups: int) -> RankedGroups:
        """Sort the rows."""
        order = rising_rows(-score)[0]
        n = len(order)
        keys = codes.take(order) * np.int64(n) + np.arange(n)
        sort_in_place(keys)
        group = keys // n
        order = order.take(keys - group * n)
        score = score.take(order)
        new = np.ones(n, dtype=bool)
        new[1:] = (score[1:] != score[:-1]) | (group[1:] != group[:-1])
        return cls(gain.take(order), group, np.flatnonzero(new), n_groups)

    @cached_property
    def sizes(self) -> Codes:
        """Rows of each group."""
        return np.bincount(self.group, minlength=self.n_groups)

    @cached_property
    def relevant(self) -> Floats:
        """Relevance of each group, summed."""
        return np.asarray(np.bincount(self.group, self.gain, self.n_groups), dtype=np.float64)

    @cached_property
    def first(self) -> Codes:
        """First row of each group."""
        return np.cumsum(self.sizes) - self.sizes

    @cached_property
    def owner(self) -> Codes:
        """The group of each block."""
        return self.group.take(self.starts)

    @cached_property
    def before(self) -> Codes:
        """Rows of the group above each block."""
        return self.starts - self.first.take(self.owner)

    @cached_property
    def tied(self) -> Codes:
        """Rows of each block."""
        return np.diff(self.starts, append=len(self.gain))

    @cached_property
    def found(self) -> Floats:
        """Relevance of each block, summed."""
        return np.add.reduceat(self.gain, self.starts) if len(self.gain) else self.gain

    @cached_property
    def found_before(self) -> Floats:
        """Relevance of the group above each block."""
        total = np.cumsum(self.found) - self.found
        before = np.cumsum(self.relevant) - self.relevant
        return total - before.take(self.owner)

    def total(self, of_blocks: Floats) -> Floats:
        """Sum over the blocks of each group."""
        return np.asarray(np.bincount(self.owner, of_blocks, self.n_groups), dtype=np.float64)

    def among_first(self, k: int | None) -> Codes:
        """Rows of each block among the first k of its group."""
        return self.tied if k is None else np.clip(k - self.before, 0, self.tied)


def _roc_auc(r: RankedGroups, k: int | None) -> Floats:
    negatives = (r.sizes - r.relevant).take(r.owner)
    below = negatives - (r.before - r.found_before) - (r.tied - r.found) / 2
    return r.total(r.found * below) / (r.relevant * (r.sizes - r.relevant))


def _average_precision(r: RankedGroups, k: int | None) -> Floats:
    precision = (r.found_before + r.found) / (r.before + r.tied)
    return r.total(r.found * precision) / r.relevant


def _found_among_first(r: RankedGroups, k: int | None) -> Floats:
    return r.total(r.found * r.among_first(k) / r.tied)


def _precision(r: RankedGroups, k: int | None) -> Floats:
    return _found_among_first(r, k) / (r.sizes if k is None else k)


def _recall(r: RankedGroups, k: int | None) -> Floats:
    return _found_among_first(r, k) / r.relevant


def _first_relevant(r: RankedGroups) -> Codes:
    """Return the block of each group with relevance that holds the first relevant row."""
    some = np.flatnonzero(r.found > 0)
    return some[np.append(True, np.diff(r.owner[some]) > 0)[: len(some)]]


def _reciprocal_rank(r: RankedGroups, k: int | None) -> Floats:
    """Return the expected 1 / rank of the first relevant row, over the orders of tied rows."""
    block = _first_relevant(r)
    m, own = r.tied[block], r.found[block]
    # Of m tied rows, `own` relevant, the first is at place j with C(m - j, own - 1) / C(m, own).
    places = (m - own + 1).astype(np.intp)
    at = np.repeat(np.arange(len(block)), places)
    j = np.arange(len(at)) - np.repeat(np.cumsum(places) - places, places) + 1
    share = np.where(m[at] == own[at], 1.0, _chosen(m[at] - j, own[at] - 1, m[at], own[at]))
    rank = r.before[block][at] + j
    value = np.where(rank <= (np.inf if k is None else k), share / rank, 0.0)
    return np.where(r.relevant > 0, np.bincount(r.owner[block][at], value, r.n_groups), np.nan)


def _hit_rate(r: RankedGroups, k: int | None) -> Floats:
    """Return the probability that one of the first k rows is relevant."""
    block, first = _first_relevant(r), r.among_first(k)
    m, own, seen = r.tied[block], r.found[block], first[block]
    # No relevant row among `seen` of m has the probability C(m - own, seen) / C(m, seen).
    none = np.where(m - own >= seen, _chosen(m - own, seen, m, seen), 0.0)
    hit = np.bincount(r.owner[block], np.where(seen > 0, 1 - none, 0.0), r.n_groups)
    return np.where(r.relevant > 0, hit, np.nan)


def _chosen(n: Any, k: Any, of_n: Any, of_k: Any) -> Floats:
    """Return C(n, k) / C(of_n, of_k); 1 where both are choices of nothing or of all."""
    logs = [gammaln(a + 1) - gammaln(b + 1) - gammaln(np.maximum(a - b, 0) + 1)
            for a, b in ((n, k), (of_n, of_k))]  # fmt: skip
    return np.asarray(np.exp(logs[0] - logs[1]))


def _ndcg(r: RankedGroups, k: int | None) -> Floats:
    """Return the discounted gain divided by that of the ideal order; ties take their mean discount."""
    most = int(r.sizes.max(initial=0))
    discount = 1 / np.log2(np.arange(most) + 2.0)
    discount[most if k is None else k :] = 0
    reach = np.append(0.0, np.cumsum(discount))
    mean = (reach[r.before + r.tied] - reach[r.before]) / r.tied
    single = r.tied == 1
    mean[single] = discount[r.before[single]]  # without the rounding of the difference
    ideal = RankedGroups.of(r.gain, r.gain, r.group, r.n_groups)
    place = np.arange(len(ideal.gain)) - ideal.first.take(ideal.group)
    best = np.bincount(ideal.group, ideal.gain * discount[place], r.n_groups)
    return r.total(r.found * mean) / np.where(best > 0, best, np.nan)


_FORMULAS: Mapping[str, Callable[[RankedGroups, int | None], Floats]] = {
    "roc_auc": _roc_auc,
    "average_precision": _average_precision,
    "precision_at_k": _precision,
    "recall_at_k": _recall,
    "ndcg": _ndcg,
    "reciprocal_rank": _reciprocal_rank,
    "hit_rate": _hit_rate,
}
# Those that have a meaning within groups only, and no scorer of their own.
OF_GROUPS = ("ndcg", "reciprocal_rank", "hit_rate")
# Names of the mean over groups for those of the value within a group.
_OF_MEANS = {"mrr": "reciprocal_rank", "gauc": "roc_auc", "map": "average_precision"}
_NEEDS_K = ("precision_at_k", "recall_at_k", "hit_rate")
_TAKES_K = (*_NEEDS_K, "ndcg", "reciprocal_rank")


@dataclass(frozen=True)
class GroupRanking:
    """A metric of the ranking within groups, with its parameters."""

    name: str
    k: int | None = None
    gain: Gain = "linear"
    pos_label: Any = None

    @classmethod
    def named(cls, metric: Any, parameters: Mapping[str, Any]) -> GroupRanking | None:
        """Return the ranking metric of a name, or None if another way must compute it."""
        own = dict(parameters)
        metric = _OF_MEANS.get(metric, metric) if isinstance(metric, str) else metric
        if not (isinstance(metric, str) and metric in OF_GROUPS):
            try:
                found = named_metric(metric)
            except (TypeError, ValueError):
                return None
            metric, own = found.row.name, {**found.parameters, **own}
        if metric not in _FORMULAS:
            return None
        taken = {"pos_label", *["k"] * (metric in _TAKES_K), *["gain"] * (metric == "ndcg")}
        if unknown := sorted(set(own) - taken):
            if metric in OF_GROUPS:
                raise TypeError(f"{metric!r} takes {sorted(taken)}, found {unknown[0]!r}.")
            return None
        if own.get("k") is not None:
            own["k"] = check_whole("k", own["k"], least=1)
        elif metric == "hit_rate":
            raise TypeError("'hit_rate' needs the number of rows at the top, k=.")
        elif metric in _NEEDS_K:  # a share of the rows
            return None
        check_choice("gain", own.get("gain", "linear"), ("linear", "exponential"))
        return cls(metric, **own)

    @property
    def label(self) -> str:
        """The name with k, as in "ndcg@10"."""
        return self.name.removesuffix("_at_k") + ("" if self.k is None else f"@{self.k}")

    def values(
        self, y_true: Any, y_score: Any, codes: Codes, n_groups: int, labels: Any = None
    ) -> Floats:
        """Return the value of every group, nan where it is undefined."""
        if self.name == "ndcg":
            gain, score = self._gains(y_true), float_array(y_score, "y_score")
            check_one_column(score)
        else:
            scored = check_scored_labels(y_true, y_score, labels=labels)
            if scored.multilabel:
                raise ValueError(f"{self.name} within groups takes one score a row.")
            check_one_column(scored.score)
            score = np.asarray(scored.score, dtype=np.float64)
            code = known_positive(self._positive(scored.classes))
            gain = (scored.true == code).astype(np.float64)
        ranked = RankedGroups.of(gain, score, codes, n_groups)
        with np.errstate(divide="ignore", invalid="ignore"):
            return _FORMULAS[self.name](ranked, self.k)

    def _positive(self, classes: Array) -> int | None:
        if len(classes) > 2:
            raise ValueError(
                f"{self.name} takes two classes, found {len(classes)}; pass which rows are relevant, "
                "such as y_true > 0, or use 'ndcg' for graded relevance."
            )
        return positive_code(classes, self.pos_label)

    def _gains(self, y_true: Any) -> Floats:
        if self.pos_label is not None:
            return np.asarray(host_array(y_true) == self.pos_label, dtype=np.float64)
        relevance = float_array(y_true, "y_true")
        if relevance.ndim != 1 or not (np.isfinite(relevance) & (relevance >= 0)).all():
            raise ValueError("y_true of 'ndcg' must hold one relevance a row, 0 or more, no NaN.")
        return relevance if self.gain == "linear" else np.exp2(relevance) - 1


def group_values(
    metric: Any,
    y_true: Any,
    y_pred: Any,
    codes: Codes,
    n_groups: int,
    *,
    sample_weight: Any = None,
    **parameters: Any,
) -> tuple[str, tuple[float, float], Floats]:
    """Return the name and the range of a metric, and its value in every group, nan if undefined."""
    metric = _OF_MEANS.get(metric, metric) if isinstance(metric, str) else metric
    ranking = GroupRanking.named(metric, parameters)
    if ranking is not None and (sample_weight is None or ranking.name in OF_GROUPS):
        if sample_weight is not None:
            raise ValueError(f"{ranking.name!r} takes no sample_weight.")
        return ranking.label, (0.0, 1.0), ranking.values(y_true, y_pred, codes, n_groups)
    named = named_metric(metric)
    options = options_of_state(named.function, {**named.parameters, **parameters})
    inputs, labels = named.row.kind.inputs, {**named.parameters, **parameters}.get("labels")
    true, pred = host_array(y_true), host_array(y_pred)
    if labels is None and inputs.of_classes and true.ndim == 1:
        labels = np.unique(true if inputs.in_columns else np.concatenate([true, pred]))
    weight, values = weight_vector(sample_weight), np.full(n_groups, np.nan)
    check_same_length({"y_true": true, "y_pred": pred, "sample_weight": weight})
    order = np.argsort(codes, kind="stable")
    edges = np.cumsum(np.bincount(codes, minlength=n_groups))[:-1]
    for group, rows in enumerate(np.split(order, edges)):
        own = None if weight is None else weight[rows]
        if own is not None and not own.any():
            continue
        sample = sample_of(
            named.row,
            take_rows(true, rows),
            take_rows(pred, rows),
            labels=labels,
            sample_weight=own,
        )
        with warnings.catch_warnings(action="ignore", category=UndefinedMetricWarning):
            value = MetricOnSample(sample, named.row, options).unfilled
        if np.ndim(value):
            raise ValueError(f"{named.key} has several values a group; choose one average.")
        values[group] = float(value)
    return named.key, named.row.bounds, values
