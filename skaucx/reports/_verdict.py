"""The verdict: is it useful, are the risks right, is it the same for all; significant or not clear."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
from scipy import special

from .._text.numbers import counted, significant
from .._text.plain import paragraph
from .._text.reported import Reported
from ..evaluation._groups import GroupedEvaluation, columns_of, pairwise_level
from ..evaluation._result import Evaluation
from ..inference import Interval, interval
from ._control import Cut
from ._predictions import PagePredictions

_TIMES = 1.5  # a factor from which on it is written as one
RATIO, SLOPE = "observed_expected_ratio", "calibration_slope"
USE, RISKS, WHOM = "Useful?", "Risks right?", "Same for all?"
_OWN = 3  # statements on all rows that can be alarms: worse than a rule, O:E, slope
_RESAMPLES = 1000
Found = Callable[[str, float], Interval]


def side(low: float, high: float, reference: float) -> int:
    """Return 1 or -1 where an interval lies above or below a value, 0 where it holds it or is none.

    Examples
    --------
    >>> from skaucx.reports._verdict import side
    >>> side(0.1, 0.2, 0), side(-0.2, -0.1, 0), side(0, 0.2, 0), side(float("nan"), 1, 0)
    (1, -1, 0, 0)
    """
    return int(low > reference) - int(high < reference)


def gap_to_others(
    values: Any, low: Any, high: Any, place: int, counted: Any
) -> tuple[float, float, float]:
    r"""Return one of several independent values minus the mean of the others, with limits.

    The squares of the distances to the limits add up (Zou and Donner 2008; their equation for a mean
    :math:`\bar\theta` of :math:`m` others):

    .. math:: L = \theta_i - \bar\theta - \sqrt{(\theta_i - l_i)^2 + m^{-2} \sum_j (u_j - \theta_j)^2}
    """
    values, low, high = (np.asarray(part, dtype=float) for part in (values, low, high))
    others = np.array(counted, dtype=bool)
    others[place] = False
    many, gap = others.sum(), values[place] - values[others].mean()
    below = np.hypot(values[place] - low[place], np.linalg.norm((high - values)[others]) / many)
    above = np.hypot(high[place] - values[place], np.linalg.norm((values - low)[others]) / many)
    return float(gap), float(gap - below), float(gap + above)


@dataclass(frozen=True)
class Statement:
    """A sentence with its number, and whether that is significant.

    Attributes
    ----------
    words : str
        What the estimate says.
    number : Reported or None
        The number behind it, with its interval; None where nothing was examined.
    significant : bool or None
        Whether the interval of the rule does not contain the reference; None where nothing was tested.
    alarm : str
        The fault in two or three words, of a significant or a certain one; "" where there is none.
    """

    words: str
    number: Reported | None = None
    significant: bool | None = None
    alarm: str = ""

    @property
    def mark(self) -> str:
        """The answer: yes, no or not clear; empty where nothing was tested."""
        if self.significant is None:
            return ""
        if not self.significant:
            return "not clear"
        return "no, significant" if self.alarm else "yes, significant"

    @property
    def text(self) -> str:
        """The sentence, its number in parentheses."""
        if self.number is None:
            return self.words
        return f"{self.words} ({self.number.name} {self.number.text})"


@dataclass(frozen=True, repr=False)
class Verdict:
    """Three questions, each answered by "yes, significant", "no, significant" or "not clear".

    Made by :func:`verdict`. It prints as text, and as a table in a
    notebook.

    Attributes
    ----------
    lines : dict of str to tuple of Statement
        The statements of each question.
    rule : str
        When a statement is significant.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.reports import verdict
    >>> rng = np.random.default_rng(0)
    >>> risk = rng.beta(1, 4, 2000)
    >>> ill = (rng.random(2000) < risk / 3).astype(int)
    >>> found = verdict(ill, y_score=risk, threshold=0.2)
    >>> found.alarms
    ('worse than treating none', 'risks too high', 'risks overconfident')
    """

    lines: Mapping[str, Sequence[Statement]]
    rule: str

    @property
    def alarms(self) -> tuple[str, ...]:
        """The significant faults, and certain ones such as a single class, in order."""
        return tuple(one.alarm for each in self.lines.values() for one in each if one.alarm)

    def __repr__(self) -> str:
        wide = max(map(len, self.lines), default=0) + 2
        texts = [paragraph(said(each), lead=f"{name:{wide}}") for name, each in self.lines.items()]
        return "\n".join([*texts, paragraph(self.rule, hang=2)])

    def _repr_html_(self) -> str:
        """Show the verdict in a notebook and on a page."""
        rows = []
        for question, statements in self.lines.items():
            parts = []
            for one in statements:
                kind = "alarm" if one.alarm else "good" if one.significant else "open"
                end = f" <b>{one.mark}</b>" if one.mark else "."
                parts.append(f'<span class="{kind}">{escape(one.text)}{end}</span>')
            rows.append(f"<div><dt>{escape(question)}</dt><dd>{' '.join(parts)}</dd></div>")
        rule = f'<p class="about">{escape(self.rule)}</p>'
        return f'<dl class="verdict">{"".join(rows)}</dl>{rule}'


def said(statements: Sequence[Statement]) -> str:
    """Return statements as sentences, each with its mark."""
    return " ".join(f"{one.text}{f', {one.mark}' if one.mark else ''}." for one in statements)


def rule_of(level: float, confidence_level: float) -> str:
    """Return in words when a statement is significant."""
    return (
        f"Significant: the {100 * level:.3g} % interval does not contain 'no effect' (Bonferroni, "
        f"{100 * confidence_level:g} % jointly); in brackets {100 * confidence_level:g} %."
    )


def shared_level(confidence_level: float, groupings: int = 0) -> float:
    """Return the level of each statement of a verdict, so that all hold at once (Bonferroni)."""
    return 1 - (1 - confidence_level) / (_OWN + 2 * groupings)


def stretched(
    numbers: Sequence[Any], given: float, wanted: float, ratio: bool = False
) -> tuple[float, float, float]:
    r"""Return an estimate and limits of another confidence, by normal quantiles.

    .. math:: l' = \hat\theta - \frac{z'}{z} (\hat\theta - l)

    and its mirror image; of a ratio on the logarithmic scale.
    """
    times = special.ndtri(0.5 + wanted / 2) / special.ndtri(0.5 + given / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = np.log(numbers) if ratio else np.asarray(numbers, dtype=float)
        own = own[0] + times * (own - own[0])
        estimate, low, high = (np.exp(own) if ratio else own).tolist()
    return estimate, low, high


@dataclass(frozen=True)
class Examined:
    """What a verdict reads: intervals of metrics by name and level, and its two levels."""

    of: Found
    level: float
    confidence_level: float

    def against(
        self, name: str, reference: float, scale: float = 1.0, **options: Any
    ) -> tuple[Reported, int]:
        """Return a number with the interval to print, and its significant side of the reference."""
        decided = self.of(name, self.level, **options)
        usual = self.of(name, self.confidence_level, **options)
        place = side(scale * float(decided.low), scale * float(decided.high), reference)
        return Reported.of(name, usual, scale, reference=reference), place


def found_in(given: PagePredictions) -> Found:
    """Return the function that computes an interval of predictions."""

    def of(name: str, level: float, pos_label: Any = None, **options: Any) -> Interval:
        scores = name in ("roc_auc", RATIO, SLOPE)
        if given.positive is not None and name not in ("matthews_corrcoef", "accuracy"):
            options["pos_label"] = given.positive if pos_label is None else pos_label
        elif name == "roc_auc":
            options |= {"average": "macro", "multi_class": "ovr"}
        with warnings.catch_warnings(action="ignore"):  # an undefined end is nan: not clear
            return interval(
                name, given.y_true, given.score if scores else given.y_pred,
                sample_weight=given.sample_weight, groups=given.groups, confidence_level=level,
                n_resamples=_RESAMPLES, random_state=0, **options,
            )  # fmt: skip

    return of


def use_of(given: PagePredictions, cut: Cut, examined: Examined) -> list[Statement]:
    """Return whether it is useful at its threshold; without one, whether it ranks or hits at all."""
    found = []
    if given.score is not None:
        ranking = chance_statement(*examined.against("roc_auc", 0.5), two=given.two)
        if ranking.alarm or not ranking.significant or given.y_pred is None:
            found.append(ranking)
    if given.y_pred is None:
        return [*found, *([Statement("Choose a threshold")] if given.two else [])]
    predicted = np.unique(given.y_pred)
    if len(predicted) == 1:
        return [*found, _same_for_all_rows(given, predicted[0], cut.at)]
    if given.two and given.probabilities and 0 < cut.at < 1:
        return [*found, _benefit(given, cut.at, examined)]
    return [*found, chance_statement(*examined.against("matthews_corrcoef", 0.0))]


def _same_for_all_rows(given: PagePredictions, label: Any, cut: float) -> Statement:
    """Return that every row is predicted alike, and the threshold as its cause."""
    none = given.positive is not None and label != given.positive
    words = f"No row is predicted {given.positive}" if none else f"Every row is predicted {label}"
    if given.two and given.score is not None and np.isfinite(cut):
        low, high = significant(given.score.min()), significant(given.score.max())
        lies = f"above all scores (highest {high})"
        lies = lies if none else f"at or below all scores (lowest {low})"
        words += f": the threshold {significant(cut)} lies {lies}"
    return Statement(words, alarm="one class predicted")


# The value of no effect, and what an estimate above, below and at it says.
_CHANCE = {
    "net_benefit": (0.0, "Better than treating none", "Worse than treating none",
                    "No different from treating none"),
    "roc_auc": (0.5, "Ranks better than chance", "Ranks worse than chance", "Ranks like chance"),
    "matthews_corrcoef": (0.0, "Better than chance", "Worse than chance", "Like chance"),
}  # fmt: skip
REVERSED = "ranks the wrong way round"


def direction(number: Reported, reference: float) -> int:
    """Return whether a number as it is printed lies above, below or at a value."""
    written = number.text.partition(" [")[0].strip("<> ").replace(",", "")
    return int(np.sign(np.nan_to_num(float(written) - reference)))


def chance_statement(number: Reported, place: int, two: bool = True) -> Statement:
    """Return on which side of its value of no effect a metric lies, and whether significantly."""
    if np.isnan(number.estimate):
        return Statement(f"{number.name} is undefined")
    reference, better, worse, same = _CHANCE[number.metric]
    if number.metric == "roc_auc" and place < 0:
        ask = "is this the column of the other class" if two else "are columns and classes in order"
        return Statement(f"The scores rank the wrong way round: {ask}?", number, True, REVERSED)
    at = direction(number, reference)
    words = {1: better, -1: worse, 0: same}[at]
    fault = worse.lower() if place < 0 and at < 0 else ""
    return Statement(words, number, bool(place and at), fault)


def _benefit(given: PagePredictions, cut: float, examined: Examined) -> Statement:
    r"""Compare the net benefit with those of treating none and of treating all.

    With the odds :math:`w = t / (1 - t)`, the difference to treating all is
    :math:`(w \mathrm{TN} - \mathrm{FN}) / n`, that is :math:`w` times the net benefit of the other
    class at :math:`1 - t`.
    """
    options = {"pos_label": given.negative, "threshold": 1 - cut}
    rules = {
        "none": examined.against("net_benefit", 0.0, threshold=cut),
        "all": examined.against("net_benefit", 0.0, cut / (1 - cut), **options),
    }
    rule, (number, place) = min(rules.items(), key=lambda each: each[1][0].estimate)
    number = replace(number, metric=f"net benefit over treat {rule}")
    at = significant(cut)
    if place < 0:
        fault = f"worse than treating {rule}"
        return Statement(f"Worse at {at} than treating {rule}", number, True, fault)
    if all(place_of > 0 for _, place_of in rules.values()):
        return Statement(f"Useful at {at}", number, True)
    how = {1: "better than treating none or all", -1: f"worse than treating {rule}",
           0: f"no different from treating {rule}"}[direction(number, 0.0)]  # fmt: skip
    return Statement(f"At {at} {how}", number, False)


def risks_of(given: PagePredictions, examined: Examined) -> list[Statement]:
    """Return whether probabilities are right, and which way they err."""
    if not given.two or not given.probabilities:
        why = "of several classes are not examined" if given.positive is None else "were not given"
        return [Statement(f"Probabilities {why}")]
    slope, from_zero = examined.against(SLOPE, 0.0)
    if from_zero < 0:
        words = "The outcome is rarer where risks are higher"
        spread = Statement(words, slope, True, "risks run the wrong way round")
    else:
        spread = slope_statement(*examined.against(SLOPE, 1.0))
    return [risk_statement(*examined.against(RATIO, 1.0)), spread]


def risk_statement(ratio: Reported, place: int) -> Statement:
    """Return which way the risks err on average, by the ratio of observed to expected events."""
    estimate = ratio.estimate
    if not np.isfinite(estimate) or estimate <= 0:
        return Statement("Level of the risks not estimated")
    if direction(ratio, 1.0) == 0:
        return Statement("Risks right on average", ratio, False)
    low = estimate > 1
    factor = max(estimate, 1 / estimate)
    size = f"{significant(factor, 2)} times" if factor >= _TIMES else f"{100 * factor - 100:.0f} %"
    words = f"Risks {size} too {'low' if low else 'high'}".replace(" 0 %", "")
    alarm = f"risks too {'low' if low else 'high'}" if place else ""
    return Statement(words, ratio, bool(place), alarm)


def slope_statement(slope: Reported, place: int) -> Statement:
    """Return whether risks are over- or underconfident, by the calibration slope."""
    if not np.isfinite(slope.estimate):
        return Statement("Spread of the risks not estimated")
    at = direction(slope, 1.0)
    if at == 0:
        return Statement("Spread of the risks right", slope, False)
    words = "overconfident" if at < 0 else "underconfident"
    return Statement(words.capitalize(), slope, bool(place), f"risks {words}" if place else "")


READ = (*_CHANCE, RATIO, SLOPE)  # metrics that answer


def worst_statement(
    kind: str,
    name: str,
    labels: Sequence[str],
    sizes: Sequence[Any],
    ends: Any,
    printed: Any,
    counted_in: Any,
    ratio: bool = False,
    sign: float = 1.0,
) -> Statement | None:
    """Return the worst of several independent groups, and whether it differs from the others.

    `ends` are limits that hold for all groups at once; of a ratio the worst is farthest from 1.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        values, low, high = np.log(ends) if ratio else np.asarray(ends, dtype=float)
    counted_in = np.asarray(counted_in, bool) & np.isfinite([values, low, high]).all(axis=0)
    if counted_in.sum() < 2:
        return None
    rank = -np.abs(values - values[counted_in].mean()) if ratio else values
    place = int(np.argmin(np.where(counted_in, rank, np.inf)))
    gap, least, most = gap_to_others(values, low, high, place, counted_in)
    found = most < 0 or (ratio and least > 0)
    rest = values[place] - gap
    other = significant(np.exp(rest) if ratio else sign * rest, 2)
    estimate, lower, upper = (float(part[place]) for part in printed)
    number = Reported(name, estimate, lower, upper, about=labels[place])
    named = labels[place].lower().startswith(f"{kind.lower()} ")
    fault = labels[place] if named else f"{kind} {labels[place]}"
    lead = "Risks farthest off" if ratio else "Worst"
    words = f"{lead}: {fault}, {sizes[place]} rows, others {other}"
    return Statement(words, number, bool(found), fault if found else "")


def whom_of_groups(
    found: GroupedEvaluation, limits: Callable[[str, Any], Any], names: Iterable[str]
) -> list[Statement]:
    """Return by some metrics which group is worst; `limits` returns a group's of the rule."""
    groups = list(found)
    labels = [str(g) if len(found.names) == 1 else ", ".join(map(str, g)) for g in groups]
    sizes = [counted(found.sizes[g]) for g in groups]
    statements: list[Statement] = []
    for name in names:
        row = found.rows[name]
        small = {*found.too_small.get(name, ()), *found.undefined.get(name, ())}
        own = [found[g].intervals[name] for g in groups]
        if any(np.ndim(one.estimate) for one in own):
            continue
        value, low, high = np.array([limits(name, group) for group in groups]).T
        worse = row.greater_is_better is False
        ends = (-value, -high, -low) if worse else (value, low, high)
        printed = np.array([(one.estimate, one.low, one.high) for one in own], dtype=float).T
        one = worst_statement(
            found.names[0], name, labels, sizes, ends, printed, [g not in small for g in groups],
            ratio=row.ratio, sign=-1.0 if worse else 1.0,
        )  # fmt: skip
        statements += [] if one is None else [one]
    if any(one.alarm for one in statements):  # what is not clear says nothing then
        statements = [one for one in statements if one.alarm]
    return statements or [Statement("Groups are too small to compare")]


def whom_of_classes(given: PagePredictions, level: float, usual: float) -> list[Statement]:
    """Return which of several classes has the lowest recall, and what its rows are predicted."""
    at_once = 1 - (1 - level) / len(given.classes)  # of all classes
    recall, decided = (
        given.evaluate(["recall"], each, average=None, labels=given.classes).intervals["recall"]
        for each in (usual, at_once)
    )
    names = [str(label) for label in given.classes]
    sizes = [given.weight(given.y_true == label) for label in given.classes]
    one = worst_statement(
        "class", "recall", names, list(map(counted, sizes)),
        (decided.estimate, decided.low, decided.high),
        (recall.estimate, recall.low, recall.high), np.array(sizes) > 0,
    )  # fmt: skip
    if one is None or one.number is None:
        return [Statement("Classes are too small to compare")]
    place = names.index(one.number.about)
    rows = given.y_true == given.classes[place]
    taken = [given.weight(rows & (given.y_pred == label)) for label in given.classes]
    taken[place] = 0.0
    most = int(np.argmax(taken))
    if taken[most] == 0:
        return [one]
    share = f"{100 * taken[most] / sizes[place]:.0f} of 100"
    return [one, Statement(f"{share} of its rows are predicted {names[most]}")]


def verdict_lines(
    given: PagePredictions,
    cut: Cut,
    *,
    by: Any = None,
    confidence_level: float = 0.95,
    of: Found | None = None,
) -> Verdict:
    """Return the verdict of predictions; `of` computes intervals where they are not those of rows."""
    columns = groupings(by)
    level = shared_level(confidence_level, len(columns))
    rule = rule_of(level, confidence_level)
    there = given.y_true if given.sample_weight is None else given.y_true[given.sample_weight > 0]
    if len(np.unique(there)) < 2:
        label = there[0] if len(there) else "none"
        words = (
            f"Only one class among the true labels, {label}: ranking and risks cannot be examined"
        )
        return Verdict({USE: [Statement(words, alarm="one class only")]}, rule)
    examined = Examined(found_in(given) if of is None else of, level, confidence_level)
    whom: list[Statement] = []
    if given.positive is None and given.y_pred is not None and len(given.classes) > 2:
        whom += whom_of_classes(given, level, confidence_level)
    for name, column in columns.items():
        usual, decided = (grouped(given, {name: column}, at) for at in (confidence_level, level))
        whom += whom_of_groups(usual, decided.limits, usual.rows)
    lines = {USE: use_of(given, cut, examined), RISKS: risks_of(given, examined)}
    return Verdict(lines | {WHOM: whom or [Statement("No groups given")]}, rule)


def groupings(by: Any) -> dict[str, Any]:
    """Return the columns that part the rows, each by itself."""
    found: dict[str, Any] = {}
    if by is not None:
        named = isinstance(by, Mapping) or hasattr(by, "columns")
        found |= columns_of(by) if named else {"group": by}
    return found


def grouped(given: PagePredictions, by: Any, level: float) -> GroupedEvaluation:
    """Return ranking and level of the risks, or hits, in every group with their intervals."""
    names = ["balanced_accuracy"] if given.positive is not None else ["accuracy"]
    if given.two:
        names = ["roc_auc", *([RATIO] if given.probabilities else [])]
    read = replace(given, score=given.score if given.two else None)
    found: GroupedEvaluation = read.evaluate(names, level, by=by, n_resamples=200)
    return found


def verdict_of_evaluation(found: Evaluation | GroupedEvaluation) -> Verdict:
    """Return the verdict of given intervals, which are stretched to the level of the rule."""
    by = found if isinstance(found, GroupedEvaluation) else None
    whole = found.overall if isinstance(found, GroupedEvaluation) else found
    first = whole if by is None else next(iter(by.values()))
    held = {} if whole is None else whole.intervals
    if first is None or not first.intervals:
        raise ValueError("The evaluation has no intervals; evaluate with intervals=True.")
    own = next(iter((held or first.intervals).values())).confidence_level
    share = own if by is None or by.simultaneous is None else by.simultaneous
    level, rows = shared_level(share, by is not None), first.rows
    single = [name for name, one in held.items() if np.ndim(one.estimate) == 0]

    def of(name: str, wanted: float) -> Interval:
        one = held[name]
        given = one.estimate, one.low, one.high
        _, low, high = stretched(given, one.confidence_level, wanted, rows[name].ratio)
        return replace(one, low=low, high=high)

    examined = Examined(of, level, share)
    two = whole is not None and whole.positive is not None
    chance = {
        name: chance_statement(*examined.against(name, _CHANCE[name][0]), two)
        for name in _CHANCE
        if name in single
    }
    use = [one for one in chance.values() if one.alarm == REVERSED] or [*chance.values()][:1]
    risks = [risk_statement(*examined.against(RATIO, 1.0))] if RATIO in single else []
    risks += [slope_statement(*examined.against(SLOPE, 1.0))] if SLOPE in single else []
    whom = [Statement("No groups given")]
    if by is not None:
        given, wanted = (pairwise_level(each, len(by)) for each in (own, level))
        limits = lambda name, group: stretched(  # noqa: E731
            by.limits(name, group), given, wanted, rows[name].ratio
        )
        directed = [n for n, row in rows.items() if row.greater_is_better is not None or row.ratio]
        compared = [name for name in ("roc_auc", RATIO) if name in directed] or directed[:1]
        whom = whom_of_groups(by, limits, compared)
    missing = "Not examined: no {} among the metrics"
    lines = {
        USE: use or [Statement(missing.format("net benefit, AUC or correlation"))],
        RISKS: risks or [Statement(missing.format("O:E ratio or slope"))],
        WHOM: whom,
    }
    return Verdict(lines, f"{rule_of(level, share)} Given intervals are stretched to the former.")
