"""Thresholds of several classes or labels, chosen by a metric on predictions that are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...metrics import Counts
from ...metrics._kinds.averages import average_of
from ...metrics._kinds.labels import CountedIndicators, IndicatorCounts, LabelState, named_codes
from ...metrics._scorers.bound import BoundMetric
from .._types import Floats
from ._tuned_threshold import (
    Constraint,
    Cut,
    ThresholdRule,
    compared_by,
    counted_metric,
    requested,
    threshold_rule,
)

# Numbers of all tables along a line, and their least number; of more cuts, quantiles are tried.
_CELLS, _FEWEST = 1 << 16, 32
# Rounds over all classes, and starts beyond two: few of them where responses are many.
_ROUNDS, _STARTS, _RESPONSES_OF_STARTS = 10, 32, 1 << 12
# Cuts that are nearer than this are one.
_SAME = 1e-12

Key = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class CostRule:
    """The class of the least expected cost, with true classes in rows; nothing is chosen from data."""

    cost: Floats
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True, eq=False)
class JointRule:
    """A metric of several classes or labels at once, and its constraints."""

    metric: BoundMetric
    constraints: tuple[Constraint, ...] = ()

    def compared(self, states: Any) -> Floats:
        """Return what tables, stacked along the first axis, are compared by, shape (4, m)."""
        values = _value(self.metric, states)
        if self.metric.function.metric.greater_is_better is False:
            values = -values
        return compared_by(
            values, [c.limit.gap(_value(c.metric, states)) for c in self.constraints]
        )

    def cut(self, threshold: Floats, key: Key) -> Cut:
        """Return the thresholds found, with the value of the metric in its own direction."""
        low = self.metric.function.metric.greater_is_better is False
        defined, short, value, _ = key
        return Cut(threshold, -value if low else value, bool(defined and short == 0))


def _value(bound: BoundMetric, states: Any) -> Floats:
    named = None if bound.labels is None else named_codes(states.classes, np.array(bound.labels))
    if named is not None:
        states = LabelState(states.table, states.classes, named, states.unit)
    return np.asarray(bound.reading(None).unreported(states), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class ClassThresholdRule(JointRule):
    """A threshold a class: the class of the greatest score relative to its threshold is predicted."""

    def choose(
        self,
        y_true: NDArray[Any],
        response: Floats,
        classes: NDArray[Any],
        weight: Floats | None = None,
        *,
        ratio: bool = True,
    ) -> Cut:
        """Choose by coordinate ascent: each threshold in turn takes its best value given the others.

        Of probabilities those of the greatest ratio to their threshold are called, and thresholds sum
        to 1; of decision values those of the greatest difference, and thresholds sum to 0. Ascents start
        from equal thresholds, from the shares of the classes, and, where rows are few, from thresholds
        at which the classes tie in random rows. Of very many cuts along a line quantiles are tried.

        Examples
        --------
        >>> import numpy as np
        >>> from skaucx.model_selection.decisions._several_thresholds import class_rule
        >>> y = np.array([0, 0, 1, 1, 2, 2])
        >>> p = np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.6, 0.3, 0.1],
        ...               [0.5, 0.4, 0.1], [0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])
        >>> cut = class_rule("f1_macro", np.arange(3)).choose(y, p, np.arange(3))
        >>> round(cut.value, 3), (p / cut.threshold).argmax(axis=1).tolist()
        (0.822, [0, 0, 0, 1, 2, 2])
        """
        with np.errstate(divide="ignore"):
            score = np.log(response) if ratio else np.array(response, dtype=np.float64)
        score[np.isnan(score)] = -np.inf  # a class that a fold never saw
        lines = _Lines(self, score, np.searchsorted(classes, y_true), classes, weight)
        found = [lines.ascend(start) for start in _starts(score, lines.true, lines.weight)]
        key, offset = max(found, key=lambda one: one[0])  # of equal ones the first
        threshold = np.exp(offset.min() - offset) if ratio else -offset
        threshold = threshold / threshold.sum() if ratio else threshold - threshold.mean()
        return self.cut(threshold, key)


def _starts_of(responses: int) -> int:
    return min(_STARTS, _RESPONSES_OF_STARTS // responses)


def _starts(score: Floats, true: NDArray[Any], weight: Floats) -> Iterator[Floats]:
    n, size = score.shape
    yield np.zeros(size)
    shares = np.bincount(true, weight, size)
    yield -np.log(np.where(shares > 0, shares, shares.sum()) / shares.sum())
    finite = score[np.isfinite(score).all(axis=1)]
    finite = finite[np.lexsort(finite.T)]  # the same starts in any order of the rows
    many = _starts_of(n * size)
    if many and len(finite):
        rng = np.random.default_rng(0)
        aside = rng.uniform(-1e-6, 1e-6, (many, size))  # ties are no place
        rows = finite[
            rng.choice(len(finite), (many, size))
        ]  # every class ties with one in some row
        one = rng.integers(size, size=(many, 1, 1))
        gaps = np.take_along_axis(rows, one, axis=2) - rows
        yield from aside + np.einsum("mkk->mk", gaps)


def _ascended(
    start: Floats, key: Key, along: Callable[[int, Floats], tuple[Floats, list[Key]]]
) -> tuple[Key, Floats]:
    """Move one threshold after the other to its best place, until none gains.

    Of a threshold and all of them as they are, `along` returns the places to try and their keys.
    """
    place = start.copy()
    for _ in range(_ROUNDS):
        before = key
        for k in range(len(place)):
            cuts, keys = along(k, place)
            if keys and max(keys) > key:
                key = max(keys)
                place[k] = cuts[keys.index(key)]
        if key == before:
            break
    return key, place


class _Lines:
    """Confusion tables along lines on which one class' offset moves and the others stay."""

    def __init__(
        self,
        rule: JointRule,
        score: Floats,
        true: NDArray[Any],
        classes: NDArray[Any],
        weight: Floats | None,
    ) -> None:
        self.rule, self.score, self.true, self.classes = rule, score, true, classes
        self.weight = np.ones(len(score)) if weight is None else weight
        self.unit = float(self.weight.min(initial=1.0)) if weight is None else float(weight.min())

    def ascend(self, start: Floats) -> tuple[Key, Floats]:
        """Move one offset after the other to its best place, until none gains."""
        key = self._keys(self._table((self.score + start).argmax(axis=1))[None])[0]
        return _ascended(start, key, self._along)

    def _along(self, k: int, offset: Floats) -> tuple[Floats, list[Key]]:
        r"""Return the offsets of class k between which predictions change, and their keys.

        Row i is predicted as class k where the offset exceeds

        .. math:: \max_{j \ne k} (s_{ij} + b_j) - s_{ik}
        """
        others = self.score + offset
        others[:, k] = -np.inf
        rival = others.argmax(axis=1)
        with np.errstate(invalid="ignore"):
            need = np.take_along_axis(others, rival[:, None], axis=1)[:, 0] - self.score[:, k]
        need[np.isnan(need)] = np.inf
        moving = np.isfinite(need)
        every = np.unique(need[moving])
        if not len(every):
            return every, []
        every = every[np.append(True, np.diff(every) > _SAME)]
        cuts = np.concatenate([every[:1] - 1, (every[1:] + every[:-1]) / 2, every[-1:] + 1])
        size = len(self.classes)
        tried = np.arange(len(cuts))
        if len(cuts) * size**2 > _CELLS:
            many = min(len(cuts), max(_FEWEST, _CELLS // size**2))
            tried = np.linspace(0, len(cuts) - 1, many).astype(np.intp)
        # Rows that change between the cut before and this one.
        group = np.searchsorted(cuts[tried], need[moving])
        inside = group < len(tried)
        true, lost, weight = (values[moving][inside] for values in (self.true, rival, self.weight))
        shape, first = (len(tried), size, size), group[inside] * size + true
        changes = np.bincount(first * size + k, weight, np.prod(shape))
        changes -= np.bincount(first * size + lost, weight, np.prod(shape))
        base = self._table(np.where(need == -np.inf, k, rival))
        tables = base + np.cumsum(changes.reshape(shape), axis=0)
        tables[tables < _SAME * self.weight.sum()] = 0  # rounding of sums of weights
        return cuts[tried], self._keys(tables)

    def _table(self, called: NDArray[Any]) -> Floats:
        size = len(self.classes)
        cells = np.bincount(self.true * size + called, self.weight, size * size)
        return np.asarray(cells.reshape(size, size), dtype=np.float64)

    def _keys(self, tables: Floats) -> list[Key]:
        compared = self.rule.compared(LabelState(tables, self.classes, None, self.unit))
        return list(map(tuple, np.round(compared, 12).T.tolist()))


@dataclass(frozen=True, eq=False)
class LabelThresholdRule:
    """A threshold a label, each by the metric of its label."""

    rules: tuple[ThresholdRule, ...]

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The limits of each label."""
        return tuple(
            replace(one, label=label)
            for label, rule in enumerate(self.rules)
            for one in rule.constraints
        )

    def choose(
        self,
        y_true: NDArray[Any],
        response: Floats,
        weight: Floats | None = None,
        *,
        ratio: bool = True,
    ) -> Cut:
        """Choose the threshold of every label."""
        cuts = [
            rule.choose(y_true[:, label], response[:, label], 1, weight)
            for label, rule in enumerate(self.rules)
        ]
        threshold = np.array([cut.threshold for cut in cuts])
        return Cut(threshold, np.array([cut.value for cut in cuts]), all(c.feasible for c in cuts))


def _cuts(score: Floats) -> Floats:
    """Return cuts between distinct scores, and those that call all or nothing."""
    every = np.unique(score)
    return np.concatenate([[-np.inf], (every[1:] + every[:-1]) / 2, [np.inf]])


@dataclass(frozen=True, eq=False)
class JointLabelRule(JointRule):
    """A threshold a label, all of them by one metric."""

    def choose(
        self,
        y_true: NDArray[Any],
        response: Floats,
        weight: Floats | None = None,
        *,
        ratio: bool = True,
    ) -> Cut:
        """Choose by coordinate ascent.

        Ascents start from 1/2 of probabilities or from 0 of decision values, and, where rows are few,
        from random cuts.
        """
        true, weight = y_true == 1, np.ones(len(y_true)) if weight is None else weight
        n, size = response.shape
        rng, many = np.random.default_rng(0), _starts_of(n * size)
        starts = np.column_stack([rng.choice(_cuts(score), many) for score in response.T])
        equal = np.full(size, 0.5 if ratio else 0.0)
        along = partial(self._along, true=true, response=response, weight=weight)
        found = [_ascended(one, (), along) for one in (equal, *starts)]
        key, cut = max(found, key=lambda one: one[0])  # of equal ones the first
        return self.cut(cut, key)

    def _along(
        self, label: int, cut: Floats, true: NDArray[Any], response: Floats, weight: Floats
    ) -> tuple[Floats, list[Key]]:
        """Return the cuts of a label, that in use first, and their keys with the others as they are."""
        score, called = response[:, label], response >= cut
        cuts = _cuts(score)
        most = max(_FEWEST, _CELLS // true.shape[1])
        if len(cuts) > most:
            cuts = cuts[np.linspace(0, len(cuts) - 1, most).astype(np.intp)]
        cuts = np.append(cut[label], cuts[::-1])
        order = np.argsort(score)
        place = np.searchsorted(score[order], cuts)  # rows below each cut

        def above(rows: NDArray[np.bool_]) -> Floats:
            """Return the weight of some rows at or above each cut."""
            below = np.append(0.0, np.cumsum((weight * rows)[order]))
            return below[-1] - below[place]

        mine = true[:, label]
        tp = np.tile(weight @ (true & called), (len(cuts), 1))
        fp = np.tile(weight @ (~true & called), (len(cuts), 1))
        tp[:, label], fp[:, label] = above(mine), above(~mine)
        positives = weight @ true
        counts = Counts(tp, fp, positives - tp, weight.sum() - positives - fp)
        rest = (np.delete(true, label, 1) == np.delete(called, label, 1)).all(axis=1)
        right = above(mine & rest) + (weight @ (~mine & rest) - above(~mine & rest))
        rows = np.zeros((len(cuts), 2, 2))
        rows[:, 1, 1], rows[:, 1, 0] = right, weight.sum() - right
        states = CountedIndicators(IndicatorCounts(counts, rows, None, weighted=True))
        states.unit = float(weight.min())
        return cuts, list(map(tuple, np.round(self.compared(states), 12).T.tolist()))


def class_rule(given: Any, classes: NDArray[Any]) -> ClassThresholdRule | CostRule:
    """Return the rule of ``threshold=`` for three or more classes.

    Raises
    ------
    ValueError, TypeError
        If a metric is not one value of the confusion table of all classes, or costs are not one number
        a pair of classes.
    """
    size = len(classes)
    found = requested(given, size, lambda one: counted_metric(one, "of all classes"))
    if not isinstance(found, tuple):
        return CostRule(found)
    rule = ClassThresholdRule(*found)
    _check(rule, LabelState(np.eye(size)[None] + 1, classes), "f1_macro")
    return rule


def label_rule(given: Any, n_labels: int) -> LabelThresholdRule | JointLabelRule:
    """Return the rule of ``threshold=`` for multilabel targets.

    A metric with an average, or of whole rows, is optimised for all labels jointly; any other one, and
    2 x 2 costs, for each label by itself; a list has one of these a label.

    Raises
    ------
    ValueError, TypeError
        If a metric is not one of the confusion table, or a list has another length.
    """
    if isinstance(given, list) and given and isinstance(given[0], str | Mapping):
        if len(given) != n_labels:
            raise ValueError(
                f"threshold has {len(given)} entries, and there are {n_labels} labels; give one for "
                "all or one a label."
            )
        return LabelThresholdRule(tuple(map(_rule_of_label, given)))
    main = next(iter(given), None) if isinstance(given, Mapping) else given
    if not (isinstance(main, str) or callable(main)) or not _joint(counted_metric(main, "")):
        return LabelThresholdRule((_rule_of_label(given),) * n_labels)
    rule = JointLabelRule(*requested(given, 2, _metric_of_all_labels))
    ones = np.ones((1, n_labels))
    states = CountedIndicators(
        IndicatorCounts(Counts(ones, ones, ones, ones), np.ones((1, 2, 2)), None, weighted=False)
    )
    states.unit = 1.0
    _check(rule, states, "f1_micro")
    return rule


def _rule_of_label(given: Any) -> ThresholdRule:
    rule = threshold_rule(given)
    assert rule is not None
    return rule


def _metric_of_all_labels(given: Any) -> BoundMetric:
    bound = counted_metric(given, "of all labels")
    if average_of(bound.parameters.get("average", "binary")).over == "rows":
        raise ValueError(
            f"threshold takes metrics of counts of labels, and average='samples' is a mean over rows; "
            f"choose 'macro', 'micro' or 'weighted', found {given!r}."
        )
    return bound


def _joint(bound: BoundMetric) -> bool:
    """Whether a metric reads all labels at once."""
    row = bound.function.metric
    averages = "average" in bound.function.options
    if averages:
        return bound.parameters.get("average", "binary") != "binary"
    return bool(row.multilabel)


def _check(rule: JointRule, states: Any, example: str) -> None:
    """Raise an error before any fit where a metric has no single value of a table."""
    for bound in (rule.metric, *(one.metric for one in rule.constraints)):
        name = bound.function.metric.scorer_name
        try:
            values = _value(bound, states)
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"threshold: {name!r} does not apply to these targets. {error}"
            ) from error
        if values.shape != (1,):
            raise ValueError(
                f"threshold: {name!r} has a value a class; name an average, such as {example!r}."
            )


LabelRule = LabelThresholdRule | JointLabelRule
