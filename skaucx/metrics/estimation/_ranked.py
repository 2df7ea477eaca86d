"""Influences of rows on metrics of ranked scores: of one binary problem, or averages over several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ..._arrays import Codes, Floats
from .._records.inputs import positive_code, score_columns
from .._records.rescaling import rescaled
from .._registry.averaging import apply, quiet
from .._registry.row import Metric
from .._resampling.placements import has_placements, placement_values
from .._resampling.sample import ScoreSample, own_parameters
from .._states.binary import BinaryProblem, ClassCells, OneScore, OneVsOne, OneVsRest

# An entry of an average: the binary problems whose mean it is, and the codes of its classes.
_Part = tuple[Sequence[BinaryProblem], Codes]


def ranked_slopes(sample: ScoreSample, metric: Metric, options: Mapping[str, Any]) -> Floats | None:
    r"""Return :math:`W \, \partial T / \partial w_i` of rows of total weight W, up to a constant.

    None where the metric has no form.
    """
    state: Any = sample.state
    scored = state.scored
    average = options.get("average") or "macro"
    how = "one" if scored.one_column else options.get("multi_class")
    parts = _parts(scored, options, how, average, not metric.positive_matters())
    if parts is None:
        return None
    each = [_of_part(sample, scored, metric, options, problems) for problems, _ in parts]
    if any(found is None for found in each):
        return None
    values, slopes = (np.array(column) for column in zip(*each, strict=True))
    if average != "weighted" or how == "one":
        return np.asarray(slopes.mean(axis=0))
    # T = sum S_k T_k / S with the size S_k of the classes of part k, of which a row may be one.
    own = np.array([np.isin(scored.true, codes) for _, codes in parts])
    weight = np.ones(len(scored.true)) if scored.weight is None else scored.weight
    sizes = own @ weight
    value = sizes @ values / sizes.sum()
    moved = ((values - value)[:, None] * own).sum(axis=0) * weight.sum()
    return np.asarray((sizes @ slopes + moved) / sizes.sum())


def _parts(
    scored: Any, options: Mapping[str, Any], how: str | None, average: str, either: bool
) -> list[_Part] | None:
    if how == "one":
        code = positive_code(scored.classes, options.get("pos_label"), either=either)
        return None if code is None else [([OneScore(code)], np.arange(2))]
    columns = score_columns(scored)
    if how == "ovr" and average == "micro":
        return [([ClassCells()], columns)]
    if average not in ("macro", "weighted"):
        return None
    if how == "ovr":
        return [([OneVsRest(k)], columns[[k]]) for k in range(len(columns))]
    pairs = combinations(range(len(columns)), 2)
    return [([OneVsOne(a, b), OneVsOne(b, a)], columns[[a, b]]) for a, b in pairs]


def _of_part(
    sample: ScoreSample,
    scored: Any,
    metric: Metric,
    options: Mapping[str, Any],
    problems: Sequence[BinaryProblem],
) -> tuple[Any, Floats] | None:
    found = [_of_problem(sample, scored, metric, options, problem) for problem in problems]
    if any(one is None for one in found):
        return None
    value, slopes = (np.mean(column, axis=0) for column in zip(*found, strict=True))
    return value, slopes


def _of_problem(
    sample: ScoreSample,
    scored: Any,
    metric: Metric,
    options: Mapping[str, Any],
    problem: BinaryProblem,
) -> tuple[Any, Floats] | None:
    """Return the value of one binary problem, and the slopes of its rows."""
    parameters, rescale = own_parameters(metric, options), options.get("rescale")
    truth, score, weight = problem.of(scored)
    whole = len(scored.true) if scored.weight is None else scored.weight.sum()
    if metric.influence is not None:
        state: Any = sample.state
        ranked = state.ranking(problem, rescale)
        value = apply(metric, ranked, dict(parameters))
        with quiet():
            of_positives, of_negatives = metric.influence(ranked, **parameters)
        place = len(ranked.values) - 1 - np.searchsorted(ranked.values, score)
        slopes = np.where(truth, of_positives[place], of_negatives[place]) * whole * ranked.unit
    elif weight is None and rescale != "minmax" and has_placements(metric, parameters):
        sides = placement_values(metric, parameters, truth, rescaled(score, rescale))
        value, slopes = sides[0].mean(), np.empty(len(truth))
        for side, own in zip((truth, ~truth), sides, strict=True):
            slopes[side] = (own - value) * whole / len(own)
    else:
        return None
    rows = problem.rows(scored)
    if rows is not None:
        slopes = np.bincount(rows, slopes, len(scored.true))
    return value, slopes
