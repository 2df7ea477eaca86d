"""Groups and sites as pictures: a row each, the line of all rows, pooled values and a new site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .._text.lines import Line
from .._text.numbers import counted
from .._text.reported import NO_EFFECT, Reported, shown
from ..evaluation._groups import GroupedEvaluation
from ..metrics._registry.names import named_metric
from ._parts import PagePredictions, weight_of
from ._sections import section
from ._verdict import grouped, groupings

_MOST = 12  # rows of a picture; of more groups the farthest from all rows
FIRST = ("roc_auc", "observed_expected_ratio")  # of sites on the first screen
Forest = tuple[str, list[Line]]


def forest(
    name: str, kind: str, each: Mapping[str, Any], sizes: Mapping[str, str], overall: float
) -> Forest:
    """Return the lines of intervals by group, sorted by estimate, with a mark at that of all rows."""
    row = named_metric(name).row
    held = [(g, one) for g, one in each.items() if np.isfinite(float(one.estimate))]
    held.sort(key=lambda item: -abs(float(item[1].estimate) - overall))
    left, held = len(held) - _MOST, held[:_MOST]
    held.sort(key=lambda item: float(item[1].estimate), reverse=row.greater_is_better is False)
    lines = [
        Line.of(
            Reported.of(name, one, about=str(group), bounds=row.bounds),
            n=sizes.get(group, ""), depth=1, reference=overall, logarithmic=row.ratio,
        )
        for group, one in held
    ]  # fmt: skip
    if left > 0:
        lines.append(Line(f"{left} more, nearer to all rows", None, depth=1, words="."))
    return f"{shown(name)} by {kind}", lines


def forests_of_groups(found: GroupedEvaluation) -> list[Forest]:
    """Return a picture a metric of one value, a row a group."""
    labels = {g: str(g) if len(found.names) == 1 else ", ".join(map(str, g)) for g in found}
    sizes = {labels[g]: counted(found.sizes[g]) for g in found}
    parts = []
    for name in found.rows:
        own = {labels[g]: found[g].intervals[name] for g in found}
        if any(np.ndim(one.estimate) for one in own.values()):
            continue
        overall = np.nan if found.overall is None else float(found.overall[name])
        parts.append(forest(name, " and ".join(found.names), own, sizes, overall))
    return parts


def forests_of_sites(
    found: Any, sizes: Mapping[str, str], names: Iterable[str] | None = None
) -> list[Forest]:
    """Return a picture a metric, with the pooled value as a diamond and the interval of a new site."""
    parts = []
    for name in found.intervals if names is None else names:
        if name not in found.intervals:
            continue
        pooled, row = found.pooled.get(name), named_metric(name).row
        middle = NO_EFFECT.get(name, np.nan) if pooled is None else pooled.estimate
        title, lines = forest(name, "site", found.intervals[name], sizes, middle)
        if pooled is not None:
            more: dict[str, Any] = {"reference": middle, "logarithmic": row.ratio, "depth": 1}
            numbers = pooled.estimate, pooled.low, pooled.high
            lines.append(Line("pooled", numbers, row.bounds, mark="diamond", **more))
            if np.isfinite(pooled.prediction_low):
                new = pooled.estimate, pooled.prediction_low, pooled.prediction_high
                lines.append(Line("a new site", new, row.bounds, mark="none", **more))
        parts.append((title, lines))
    return parts


def forests_of(
    given: PagePredictions, by: Any, sites: Any, threshold: float | None, confidence_level: float
) -> tuple[list[Forest], list[Forest], Sequence[str]]:
    """Return the pictures of the first screen, those that fold, and notes on the sites."""
    first: list[Forest] = []
    for name, column in groupings(by, None).items():
        first += forests_of_groups(grouped(given, {name: column}, confidence_level))
    if sites is None:
        return first, [], ()
    where = np.asarray(sites)
    within = threshold is not None and 0 < threshold < 1
    found = section("sites")(
        given.y_true, given.score, sites=where, metrics=(*FIRST, "calibration_slope"),
        pos_label=given.positive,
        confidence_level=confidence_level, sample_weight=given.sample_weight, random_state=0,
        **({"threshold": threshold} if within else {}),
    )  # fmt: skip
    sizes = {str(s): counted(weight_of(given, where == s)) for s in np.unique(where)}
    later = [name for name in found.intervals if name not in FIRST]
    words = "Pooled by random effects (REML, Hartung-Knapp); a new site: prediction interval."
    drawn = [*first, *forests_of_sites(found, sizes, FIRST)]
    return drawn, forests_of_sites(found, sizes, later), (words, *found.notes)
