"""The verdict: is it useful, are the risks right, is it the same for all; significant or not clear."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from .._text.html import Preformatted
from .._text.numbers import counted, significant, value
from .._text.plain import paragraph
from .._text.reported import NO_EFFECT, Reported
from ..evaluation._groups import GroupedEvaluation, columns_of, pairwise_level
from ..evaluation._result import Evaluation
from ..inference import Interval
from ._predictions import RATIO, SLOPE, PagePredictions

_TIMES = 1.5  # a factor from which on it is written as one
USE, RISKS, WHOM = "Useful?", "Risks right?", "Same for all?"
_OWN = 3  # statements on all rows that can be alarms: worse than a rule, O:E, slope

Found = Callable[[str, float], Interval]
# What a number above (1), at (0) and below (-1) its reference says, and the fault if significantly.
_SAID = {
    "net_benefit": {
        1: ("Better than treating none", ""),
        0: ("No different from treating none", ""),
        -1: ("Worse than treating none", "worse than treating none"),
    },
    "roc_auc": {
        1: ("Ranks better than chance", ""),
        0: ("Ranks like chance", ""),
        -1: ("Ranks worse than chance", "ranks the wrong way round"),
    },
    "matthews_corrcoef": {
        1: ("Better than chance", ""),
        0: ("Like chance", ""),
        -1: ("Worse than chance", "worse than chance"),
    },
    RATIO: {
        1: ("Risks {} too low", "risks too low"),
        0: ("Risks right on average", ""),
        -1: ("Risks {} too high", "risks too high"),
    },
    SLOPE: {
        1: ("Underconfident", "risks underconfident"),
        0: ("Spread of the risks right", ""),
        -1: ("Overconfident", "risks overconfident"),
    },
}
_CHANCE = "net_benefit", "roc_auc", "matthews_corrcoef"
_REVERSED = "The scores rank the wrong way round: is this the column of the other class?"


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
        clear = "no, significant" if self.alarm else "yes, significant"
        return {None: "", False: "not clear", True: clear}[self.significant]

    @property
    def text(self) -> str:
        """The sentence, its number in parentheses."""
        if self.number is None:
            return self.words
        return f"{self.words} ({self.number.name} {self.number.text})"


@dataclass(frozen=True, repr=False)
class Verdict(Preformatted):
    """Three questions, each answered by "yes, significant", "no, significant" or "not clear".

    Made by :func:`verdict`. It prints as text.

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


NOTHING_SAID = Verdict({}, "")


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

    def against(self, name: str, scale: float = 1.0, **options: Any) -> tuple[Reported, int]:
        """Return a number with the interval to print, and its significant side of no effect."""
        reference = NO_EFFECT[name]
        decided = self.of(name, self.level, **options)
        usual = self.of(name, self.confidence_level, **options)
        above, below = scale * float(decided.low), scale * float(decided.high)
        place = int(above > reference) - int(below < reference)  # 0 where an end is nan
        return Reported.of(name, usual, scale, reference=reference), place


def use_of(given: PagePredictions, examined: Examined) -> list[Statement]:
    """Return whether it is useful at its threshold; without one, whether it ranks or hits at all."""
    found = []
    if given.score is not None:
        ranking = statement_of(*examined.against("roc_auc"))
        if ranking.alarm or not ranking.significant or given.y_pred is None:
            found.append(ranking)
    if given.y_pred is None:
        return [*found, *([Statement("Choose a threshold")] if given.two else [])]
    predicted = np.unique(given.y_pred)
    if len(predicted) == 1:
        return [*found, _same_for_all_rows(given, predicted[0])]
    if given.two and given.probabilities and 0 < given.threshold < 1:
        return [*found, _benefit(given, examined)]
    return [*found, statement_of(*examined.against("matthews_corrcoef"))]


def _same_for_all_rows(given: PagePredictions, label: Any) -> Statement:
    """Return that every row is predicted alike, and the threshold as its cause."""
    none = given.positive is not None and label != given.positive
    words = f"No row is predicted {given.positive}" if none else f"Every row is predicted {label}"
    if given.two and np.isfinite(given.threshold):
        cut, low, high = map(significant, (given.threshold, given.score.min(), given.score.max()))
        lies = "above" if none else "at or below"
        words += f": the threshold {cut} lies {lies} all scores ({low} to {high})"
    return Statement(words, alarm="one class predicted")


def direction(number: Reported) -> int:
    """Return whether a number as it is printed lies above, below or at its reference."""
    written = number.text.partition(" [")[0].strip("<> ").replace(",", "")
    return int(np.sign(np.nan_to_num(float(written) - number.reference)))


def statement_of(number: Reported, place: int) -> Statement:
    """Return on which side of its reference a number lies, and whether significantly."""
    if not np.isfinite(number.estimate):
        return Statement(f"{number.name} is undefined")
    at = direction(number)
    words, fault = _SAID[number.metric][at]
    clear = at != 0 and place == at
    if number.metric == RATIO:
        factor = max(number.estimate, 1 / max(number.estimate, 1e-300))
        percent = f"{100 * factor - 100:.0f} %"
        words = words.format(f"{significant(factor, 2)} times" if factor >= _TIMES else percent)
    if number.metric == "roc_auc" and clear and at < 0:
        words = _REVERSED
    return Statement(words, number, clear, fault if clear else "")


def _benefit(given: PagePredictions, examined: Examined) -> Statement:
    r"""Compare the net benefit with those of treating none and of treating all.

    With the odds :math:`w = t / (1 - t)`, the difference to treating all is
    :math:`(w \mathrm{TN} - \mathrm{FN}) / n`, that is :math:`w` times the net benefit of the other
    class at :math:`1 - t`.
    """
    cut, at = given.threshold, significant(given.threshold)
    turned = {"pos_label": given.negative, "threshold": 1 - cut}
    rules = {
        "none": examined.against("net_benefit", threshold=cut),
        "all": examined.against("net_benefit", cut / (1 - cut), **turned),
    }
    rule, (number, place) = min(rules.items(), key=lambda each: each[1][0].estimate)
    number = replace(number, metric=f"net benefit over treat {rule}")
    if place < 0:
        words = f"Worse at {at} than treating {rule}"
        return Statement(words, number, True, f"worse than treating {rule}")
    if all(place_of > 0 for _, place_of in rules.values()):
        return Statement(f"Useful at {at}", number, True)
    how = {1: "better than treating none or all", -1: f"worse than treating {rule}",
           0: f"no different from treating {rule}"}[direction(number)]  # fmt: skip
    return Statement(f"At {at} {how}", number, False)


def worst_of(by: GroupedEvaluation, name: str, level: float, read_as: str = "") -> Statement | None:
    """Return the worst of several groups by a metric, of a ratio the one farthest from all rows.

    It is a fault where its difference to the best one is significant at a level of all pairs.
    """
    row, small = by.rows[name], {*by.too_small.get(name, ()), *by.undefined.get(name, ())}
    values = {group: found[name] for group, found in by.items() if group not in small}
    if len(values) < 2 or any(np.ndim(each) for each in values.values()):
        return None
    highest, lowest = max(values, key=values.__getitem__), min(values, key=values.__getitem__)
    worst, other = (highest, lowest) if row.greater_is_better is False else (lowest, highest)
    if row.ratio and values[highest] * values[lowest] > by.overall[name] ** 2:
        worst, other = highest, lowest  # farther in logarithms
    gap = by.pair(highest, lowest)[name]
    given, wanted = (pairwise_level(each, len(by)) for each in (by.confidence_level, level))
    found = bool(stretched((gap.estimate, gap.low, gap.high), given, wanted)[1] > 0)
    called, against = (", ".join(map(str, g)) if len(by.names) > 1 else str(g)
                       for g in (worst, other))  # fmt: skip
    kind = ", ".join(by.names)
    fault = called if called.lower().startswith(f"{kind.lower()} ") else f"{kind} {called}"
    lead = "Risks farthest off" if row.ratio else "Worst"
    words = (
        f"{lead}: {fault}, {counted(by.sizes[worst])} rows, "
        f"against {value(values[other])} of {against}"
    )
    number = Reported.of(read_as or name, by[worst].intervals[name], about=called)
    return Statement(words, number, found, fault if found else "")


def whom_of_groups(by: GroupedEvaluation, names: Iterable[str], level: float) -> list[Statement]:
    """Return by some metrics which group is worst; where there is a fault, faults alone."""
    found = [one for name in names if (one := worst_of(by, name, level)) is not None]
    alarms = [one for one in found if one.alarm]
    return alarms or found or [Statement("Groups are too small to compare")]


def whom_of_classes(given: PagePredictions, examined: Examined) -> list[Statement]:
    """Return which of several classes has the lowest recall."""
    [by] = grouped(given, {"class": given.y_true}, examined.confidence_level)
    # The accuracy of the rows of a class is its recall.
    one = worst_of(by, "accuracy", examined.level, "recall")
    return [one or Statement("Classes are too small to compare")]


def verdict_lines(
    given: PagePredictions,
    groups: Sequence[GroupedEvaluation],
    confidence_level: float = 0.95,
    of: Found | None = None,
) -> Verdict:
    """Return the verdict of predictions, and of their groups by each column.

    `of` computes intervals where they are not those of rows.
    """
    level = shared_level(confidence_level, len(groups))
    rule = rule_of(level, confidence_level)
    there = given.y_true if given.sample_weight is None else given.y_true[given.sample_weight > 0]
    if len(np.unique(there)) < 2:
        label = there[0] if len(there) else "none"
        one = Statement(
            f"Only one class among the true labels, {label}: ranking and risks cannot be examined",
            alarm="one class only",
        )
        return Verdict({USE: [one]}, rule)
    examined = Examined(given.interval if of is None else of, level, confidence_level)
    whom: list[Statement] = []
    if given.positive is None and given.y_pred is not None and len(given.classes) > 2:
        whom += whom_of_classes(given, examined)
    for own in groups:
        whom += whom_of_groups(own, own.rows, level)
    risks = [RATIO, SLOPE] if given.two and given.probabilities else []
    return Verdict(
        {
            USE: use_of(given, examined),
            RISKS: risks_of(examined, risks),
            WHOM: whom or [Statement("No groups given")],
        },
        rule,
    )


def risks_of(examined: Examined, metrics: Collection[str]) -> list[Statement]:
    """Return whether probabilities are right on average, and in their spread."""
    found = [statement_of(*examined.against(name)) for name in (RATIO, SLOPE) if name in metrics]
    return found or [Statement("Not examined: no probabilities of two classes")]


def grouped(given: PagePredictions, by: Any, level: float) -> list[GroupedEvaluation]:
    """Return ranking and level of the risks, or hits, in the groups of each column by itself."""
    if by is None or not given.ranked(slice(None)):
        return []
    names = ["balanced_accuracy"] if given.positive is not None else ["accuracy"]
    if given.two:
        names = ["roc_auc", *([RATIO] if given.probabilities else [])]
    read = replace(given, score=given.score if given.two else None)
    return [
        read.evaluate(names, level, by={name: column}, n_resamples=200)
        for name, column in columns_of(by).items()
    ]


def verdict_of_evaluation(found: Evaluation | GroupedEvaluation) -> Verdict:
    """Return the verdict of given intervals, which are stretched to the level of the rule."""
    by, whole = (found, found.overall) if isinstance(found, GroupedEvaluation) else (None, found)
    held, rows = whole.intervals, whole.rows
    if not held:
        raise ValueError("The evaluation has no intervals; evaluate with intervals=True.")
    share = next(iter(held.values())).confidence_level if by is None else by.confidence_level
    level = shared_level(share, by is not None)
    single = [name for name, one in held.items() if np.ndim(one.estimate) == 0]

    def of(name: str, wanted: float) -> Interval:
        one = held[name]
        given = one.estimate, one.low, one.high
        _, low, high = stretched(given, one.confidence_level, wanted, rows[name].ratio)
        return replace(one, low=low, high=high)

    examined = Examined(of, level, share)
    chance = [statement_of(*examined.against(name)) for name in _CHANCE if name in single]
    use = (
        [one for one in chance if one.words == _REVERSED]
        or chance[:1]
        or [Statement("Not examined: no net benefit, AUC or correlation")]
    )
    whom = [Statement("No groups given")]
    if by is not None:
        directed = [n for n, row in rows.items() if row.greater_is_better is not None or row.ratio]
        compared = [name for name in ("roc_auc", RATIO) if name in directed] or directed[:1]
        whom = whom_of_groups(by, compared, level)
    lines = {USE: use, RISKS: risks_of(examined, single), WHOM: whom}
    return Verdict(lines, f"{rule_of(level, share)} Given intervals are stretched to the former.")
