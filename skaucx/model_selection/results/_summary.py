"""The parts of a nested cross-validation's summary, as plain text for a terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..._options import check_choice
from ..._text.numbers import fixed
from ..._text.plain import (
    count,
    listed,
    paragraph,
    parameters,
)
from ..._text.tables import Table
from ...metrics._registry.declare import ALIASES
from ...metrics._registry.names import NamedMetric, labels_of
from .._fold_scores import moments, with_and_without
from .._types import Scorer
from ._statistics import MetricStatistics

_NOT_ESTIMATED = (
    "No outer fold used a vote: each searched and refitted once. final='search' gives the model "
    "of that procedure."
)


REST = (
    "More: to_frame(), interval(name), pooled_interval(name), predictions.to_frame(),\n"
    "  report(path)."
)


def chosen(metrics: Iterable[str] | None, known: Iterable[str]) -> list[str]:
    """Return the metrics to show, all where none are named."""
    if metrics is None:
        return list(known)
    wanted = [metrics] if isinstance(metrics, str) else list(dict.fromkeys(metrics))
    for name in wanted:
        check_choice("metrics", name, list(known))
    return wanted


def scores_table(
    head: str, statistics: Mapping[str, MetricStatistics], confidence_level: float = 0.95
) -> Table:
    """Return a line a metric or an estimator, its mean with the interval of it first."""
    rows = {name: found.record(confidence_level) for name, found in statistics.items()}
    lines = [found.line(confidence_level) for found in statistics.values()]
    alone = any(found.pooled_only for found in statistics.values())
    # The value of the out-of-fold predictions has another target than the mean.
    return Table(
        [head, *next(iter(rows.values()))],
        [[name, *cells.values()] for name, cells in rows.items()],
        lines=lines,
        hidden=["undefined"] if alone else ["pooled", "undefined"],
    )


def metrics(statistics: Mapping[str, MetricStatistics]) -> Table:
    """One line per metric, its mean with the interval of it first, and what the columns are."""
    gaps = [found.gaps for found in statistics.values() if found.gaps]
    found = [each.interval().note for each in statistics.values()]
    notes = [f"Note: {note}." for note in dict.fromkeys(filter(None, found))]
    columns = (
        "Interval: of the expected score of the procedure, which the mean estimates; includes "
        "test-set sampling error and between-fold variation."
    )
    own = scores_table("test scores", statistics)
    return replace(own, notes=[*gaps, *notes, columns, *of_pooled(statistics)])


def of_pooled(statistics: Mapping[str, MetricStatistics]) -> list[str]:
    """Return what the pooled column is, where there is one, and which metrics have no such value."""
    if not any(found.pooled_only for found in statistics.values()):
        return []
    return [
        "Pooled: the score of the out-of-fold predictions of all folds as one set; "
        "pooled_interval(name) has its interval.",
        *(
            f"{name} has no pooled value: {' '.join(found.pooled.reason.split()).rstrip('.')}."
            for name, found in statistics.items()
            if found.pooled.reason is not None
        ),
    ]


def best_parameters(result: Any) -> str:
    """How many folds chose each candidate."""
    counts, lines = result.winner_counts, []
    for index in np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)].tolist():
        share = f"best in {counts[index]} of {result.n_outer}"
        lines.append(paragraph(parameters(result.candidates[index]), lead=f"{share:<20}"))
    return "\n".join(lines)


def optimism(result: Any) -> str:
    """Mean difference between the inner and the outer scores of the chosen candidates."""
    mean, sd = map(fixed, moments(result.optimism))
    return f"Optimism, inner mean minus outer score of {result.refit[0]}: {mean} (sd {sd})."


def decisions(result: Any) -> list[str]:
    """Return the thresholds, and each metric with and without the decisions."""
    chosen, plain, lines = result.decisions, result.plain_scores, []
    if not plain:
        return []
    if chosen[0].calibration is not None:
        lines.append(f"Calibration ({chosen[0].calibration}) found on inner predictions.")
    if chosen[0].cut is not None:
        cuts = np.array([d.cut.threshold for d in chosen], dtype=np.float64)
        mean, sd = moments(np.where(np.isfinite(cuts), cuts, np.nan))
        each = ", ".join(f"{cut:.4g}" for cut in cuts)
        lines.append(
            f"Threshold chosen on inner predictions: {each} (mean {mean:.4g}, sd {sd:.4g}); scores "
            f"at or above it are called {chosen[0].positive}."
        )
    pairs = with_and_without(result.test_scores, plain)
    return [*lines, f"Mean outer score with these choices, and without them: {pairs}."]


def undefined(result: Any) -> list[str]:
    """Return the effect of undefined inner scores."""
    selections = result.selections
    undecided = [fold for fold, selection in enumerate(selections) if not selection.decided]
    if not result.inner_scores.size:
        return [f"Nothing was chosen in outer {listed('fold', undecided)}."] if undecided else []
    total = sum(result.n_inner)
    dropped = sum(int(selection.dropped.sum()) for selection in selections)
    missing = np.array([selection.undefined for selection in selections])
    lines = []
    if dropped:
        lines.append(
            f"{result.refit[0]} was undefined in {dropped} of {total} inner folds for every "
            "candidate; these folds took no part in the choice."
        )
    lines += [
        f"{parameters(result.candidates[index])} was undefined in {missing[:, index].sum()} of "
        f"{total - dropped} {'other ' if dropped else ''}inner folds and ranked after fully defined "
        "candidates."
        for index in np.flatnonzero(missing.any(axis=0)).tolist()
    ]
    if undecided:
        lines.append(
            f"Outer {listed('fold', undecided)} had nothing defined to choose by, took the first "
            "candidate and did not vote."
        )
    return lines


def final(result: Any) -> list[str]:
    """Return which model is final, why, and the meaning of the estimate for it."""
    model = result.final
    if model is None:
        return ["No final model (final=None). The estimate belongs to the procedure."]
    cut = "" if model.threshold is None else f", threshold {model.threshold:.4g}"
    chosen, note = "Chosen by one more inner search on all data", []
    mean = f"its mean over {'all ' if model.rule == 'vote' else 'these '}inner folds"
    if model.rule == "vote":
        chosen, note = "Elected by the outer folds", [_NOT_ESTIMATED]
    rivals = f", like {count(model.rivals, 'other candidate')}" if model.rivals else ""
    return [
        f"Final model: {parameters(model.params)}{cut}",
        f"{chosen}: {mean} is {model.inner_mean:.4f}; {model.votes} of {result.n_outer} outer folds "
        f"chose it{rivals}. Refitted on all {result.n_samples} rows.",
        "The estimate belongs to the procedure, its search included, not to this one model, "
        "for which it is usually slightly pessimistic.",
        *note,
    ]


def dangers(scorer: Scorer, refit: Sequence[str]) -> list[str]:
    """Return the cautions on tuning with an improper metric and on rescaling."""
    known = scorer.metrics
    rows = {name: bound.function.metric for name, bound in known.items()}
    proper = next((name for name, row in rows.items() if row.proper), None)
    remedy = "No proper metric is reported; add 'neg_log_loss' or 'neg_brier_score_loss', and "
    remedy += "tune on it."
    if proper is not None:
        remedy = f"{proper} is proper: tune on it (refit={proper!r})."
    cautions = []
    for name in refit:
        if name in rows and rows[name].proper is False:
            best = float(rows[name].sharpest or 0)
            at = "rises with the power" if math.isinf(best) else f"is best at {best:g}"
            cautions.append(
                f"tuned on {name}, which is not proper: with the odds of true probabilities raised "
                f"to a power it {at}, not at 1, so it prefers models that are too sure. {remedy}"
            )
    minmax = [name for name, bound in known.items() if bound.parameters.get("rescale") == "minmax"]
    if minmax:
        cautions.append(
            f"{', '.join(minmax)}: rescale='minmax' uses the range of each scored part, so every "
            f"fold has a different scale; rescale='expit' has the same for all."
        )
    return cautions


def parameters_and_names(scorer: Scorer) -> list[str]:
    """Return the parameters of the metrics, and the metrics of aliases."""
    known = scorer.metrics
    named = [NamedMetric(n, bound.function, bound.parameters) for n, bound in known.items()]
    aliases = [
        f"{name} is {row.name}"
        for name, bound in known.items()
        if ALIASES.get(name.removeprefix("neg_")) == (row := bound.function.metric).name
    ]
    names = [f"Names: {', '.join(aliases)}."] if aliases else []
    return [*names, *filter(None, [labels_of(named)])]
