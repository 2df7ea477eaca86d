"""Pages and verdicts of results: evaluations, nested runs and comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._arrays import check_rows
from .._text.numbers import counted, p_value, significant, value
from .._text.plain import count
from .._text.reported import Reported, display_name
from .._text.tables import Table
from ..displays import CalibrationDisplay, DecisionDisplay, RocCurveDisplay
from ..evaluation._groups import columns_of
from ..inference import reliability_curve
from ..metrics.curves import decision_curve, roc_curve
from ..model_selection.comparisons._estimators import EstimatorComparison, PairedDifference
from ..model_selection.decisions._limits import REQUESTED
from ..model_selection.results._nested_displays import NestedCVDisplay
from ..model_selection.results._nested_result import NestedCVResult
from ..model_selection.results._summary import dangers
from ._page import Page, facts_of, methods
from ._pages import page_of_evaluation, page_of_predictions
from ._pictures import Picture
from ._predictions import PagePredictions, refuse_rows
from ._verdict import (
    NOTHING_SAID,
    Found,
    Statement,
    Verdict,
    grouped,
    rule_of,
    shared_level,
    verdict_lines,
    verdict_of_evaluation,
)

TUNING, WHICH = "Inner score right?", "Which one?"
_OF_FOLDS = "Mean over the outer folds; in brackets: 95 % intervals of the procedure."
_EACH_FOLD = "Score of each outer fold, and the inner mean of its best parameters"
_CLEAR_PAIRS = 3  # in the verdict
_PAIRS = 6  # on the page
_PICTURES = 3  # of a run, before that of the folds


def page_of_result(found: Any, title: str | None, by: Any) -> Page:
    """Return the page of an evaluation, a run or a comparison."""
    if isinstance(found, NestedCVResult):
        return page_of_run(found, title or "Nested cross-validation", by)
    refuse_rows(by=by)
    if isinstance(found, EstimatorComparison):
        return page_of_comparison(found, title or "Comparison of estimators")
    return page_of_evaluation(found, title or "Evaluation")


def verdict_of_result(found: Any, by: Any = None) -> Verdict:
    """Return the verdict of an evaluation, a run or a comparison."""
    if isinstance(found, NestedCVResult):
        joined, own = joined_of(found), NOTHING_SAID
        if joined is not None:
            groups = grouped(joined, rows_of(found, by), 0.95)
            own = verdict_lines(joined, groups, of=found_in_run(found, joined))
        return with_tuning(found, own)
    refuse_rows(by=by)
    if isinstance(found, EstimatorComparison):
        return verdict_of_comparison(found)
    return verdict_of_evaluation(found)


def page_of_run(result: NestedCVResult, title: str, by: Any) -> Page:
    """Return the page of a nested run: its metrics, and the page of its out-of-fold predictions."""
    joined = joined_of(result)
    n = counted(result.n_samples)
    found = {name: result.interval(name) for name in result.test_scores}
    lines = [reported(result, name, n=n) for name in found]
    page = Page(title, {}, answer=f"{lines[0].name} {lines[0].text}.")
    folded: dict[str, Table | str] = {"Summary of the run": result.summary()}
    if joined is not None:
        page = page_of_predictions(
            joined, title, by=rows_of(result, by), of=found_in_run(result, joined)
        )
        page = replace(page, answer=f"{page.answer[:-1]}, of the out-of-fold predictions.")
        folded["Out-of-fold predictions as one set"] = page.tables[0]
    facts = {"Rows": n, "Data": f"test rows of {result.n_outer} outer folds"}
    if result.final is not None and result.final.threshold is not None:
        facts["Threshold of the final model"] = f"{result.final.threshold:.3g}"
    return replace(
        page,
        facts={**page.facts, **facts},
        verdict=with_tuning(result, page.verdict),
        notes=_cautions(result, joined),
        tables=[Table.of_lines("Metric", lines, [_OF_FOLDS]), *page.tables[1:]],
        pictures=[*page.pictures[:_PICTURES], (_EACH_FOLD, NestedCVDisplay(result).plot)],
        folded=folded,
        methods=methods(found),
    )


def with_tuning(result: NestedCVResult, found: Verdict) -> Verdict:
    """Return a verdict with whether the inner score of the best parameters is optimistic."""
    level = shared_level(0.95)
    rule = found.rule or rule_of(level, 0.95)
    if not result.inner_scores.size or len(result.candidates) < 2 or result.plain_scores:
        return replace(found, rule=rule)  # what is chosen inside changes the test score only
    name, inner = result.refit[0], float(np.nanmean(result.inner_means))
    alarm = bool(result.interval(name, level).high < inner)
    better = "better" if inner > result.interval(name).estimate else "no better"
    number = value(Reported(name, inner).as_loss().estimate)
    words = f"Inner score {number} of best parameters is {better} than their test score"
    one = Statement(words, reported(result, name), alarm, "tuning optimism" if alarm else "")
    return Verdict({**found.lines, TUNING: [one]}, rule)


def reported(
    result: NestedCVResult, name: str, confidence_level: float = 0.95, **more: Any
) -> Reported:
    """Return the mean of a metric over the folds of a result, with its interval."""
    return replace(result.statistics(name).line(confidence_level), **more).as_loss()


def joined_of(result: NestedCVResult) -> PagePredictions | None:
    """Return the out-of-fold predictions as one set, with the threshold that the folds chose.

    None without plain classes.
    """
    given = result.predictions
    if given.classes is None or len(given.classes) < 2 or given.y_true.ndim != 1:
        return None
    score = None
    if len(given.classes) > 2 or given.positive is not None:
        order = ["predict_proba", "decision_function"]
        if np.isfinite(result.thresholds).any():
            order.insert(0, result.decisions[0].reads)  # what the thresholds cut
        finite = [name for name in order if np.isfinite(given.responses.get(name, np.nan)).all()]
        score = given.scores(finite[0], given.positive) if finite else None
    joined = PagePredictions(
        given.y_true, given.y_pred, score, given.classes, given.positive, given.sample_weight,
        given.clusters, given.fold,
    )  # fmt: skip
    cuts = result.thresholds[np.isfinite(result.thresholds)]
    if not joined.two or not len(cuts):
        return joined.inferred()
    middle, low, high = (float(np.quantile(cuts, share)) for share in (0.5, 0, 1))
    folds = "" if low == high else f" (folds {significant(low)} to {significant(high)})"
    return replace(joined, threshold=middle, origin=f"{significant(middle)}{folds}, chosen inside")


def found_in_run(result: NestedCVResult, joined: PagePredictions) -> Found:
    """Return the intervals of a run for its own metrics, those of the predictions for others."""

    def of(name: str, level: float, **options: Any) -> Any:
        own = name in result.test_scores and not options
        return result.interval(name, level) if own else joined.interval(name, level, **options)

    return of


def rows_of(result: NestedCVResult, by: Any) -> Any:
    """Return columns of the rows of X as those of the test rows."""
    columns = {} if by is None else columns_of(by)
    for name, column in columns.items():
        check_rows({"X": range(result.n_samples), f"by {name}": column})
    return {name: column[result.predictions.row] for name, column in columns.items()} or None


def _cautions(result: NestedCVResult, joined: PagePredictions | None) -> list[str]:
    """Return what a reader of the first screen must know."""
    notes = [f"Warning: {each}" for each in dangers(result.scorer, result.refit)]
    if joined is not None and len(joined.classes) == 2 and joined.positive is None:
        notes.append(
            "Curves, reliability and thresholds are about one class; name it in the run by "
            f"pos_label={' or '.join(map(repr, joined.classes.tolist()))}."
        )
    notes += [note for note in result.notes if note.startswith(REQUESTED)]
    if result.failures:
        notes.append(f"{count(len(result.failures), 'fit')} failed; see the summary of the run.")
    return [" ".join(each.split()) for each in notes]


def page_of_comparison(found: EstimatorComparison, title: str) -> Page:
    """Return the page of several estimators: the metric that chose first, then its differences."""
    results, level, leading = found.results, found.confidence_level, _leading(found)
    first = next(iter(results.values()))
    n, classes = counted(first.n_samples), first.classes
    text = (
        f"Means over the outer folds, in brackets {100 * level:g} % intervals, which are not adjusted "
        "for several pairs; p is (Holm). The best of several, picked afterwards, is optimistic."
    )
    tables: list[Table] = []
    for metric in dict.fromkeys([leading, *found.metrics]):
        lines = [reported(one, metric, level, about=name, n=n) for name, one in results.items()]
        tables.append(Table.of_lines(display_name(metric), lines, [] if tables else [text]))
    marks = {True: "significant", False: "not clear"}
    pairs = [
        replace(
            pair.reported.as_loss(),
            note=f"{marks[_clear(found, pair)]}, p {p_value(pair.p_adjusted)}",
        )
        for pair in found.pairs(leading)[:_PAIRS]
    ]
    if pairs:
        tables.insert(1, Table.of_lines(f"Difference in {display_name(leading)}", pairs))
    positives = None if classes is None else classes.counts.get(first.pos_label)
    facts = {"Estimators": ", ".join(results),
             "Data": f"test rows of the same {first.n_outer} outer folds"}  # fmt: skip
    summaries = {f"{name}: summary": result.summary() for name, result in results.items()}
    return Page(
        title,
        facts_of(first.n_samples, first.pos_label, positives, **facts),
        verdict_of_comparison(found),
        notes=[f"{name} failed and is omitted: {error}" for name, error in found.failed.items()],
        tables=tables,
        pictures=_compared_curves(results),
        folded={"Summary": found.summary(), **summaries},
        methods=methods({metric: first.interval(metric, level) for metric in found.metrics}),
    )


def verdict_of_comparison(found: EstimatorComparison) -> Verdict:
    """Return which estimator is best by the metric that chose, and which are worse.

    A difference is significant where its p-value, adjusted by Holm's rule for all pairs, is below one
    minus the confidence level.
    """
    rule = (
        f"Significant: p of the pair, adjusted by Holm's rule, is below "
        f"{1 - found.confidence_level:.4g}; in brackets {100 * found.confidence_level:g} % intervals, "
        "which are not adjusted."
    )
    metric = _leading(found)
    behind = _behind(found, metric)
    worse = [pair for pair in behind if _clear(found, pair)]
    left = [name for name in found.names if name not in [pair.better[1] for pair in worse]]
    head = f"No clear winner among {', '.join(left)} by {display_name(metric)}"
    if len(left) == 1:
        head = f"The winner by {display_name(metric)} is {left[0]}"
    elsewhere = [
        pair
        for other in found.metrics
        for pair in _behind(found, other)
        if other != metric and _clear(found, pair)
    ]
    statements = [Statement(head, None, len(left) == 1)]
    for pair in [*(worse or behind[:1]), *elsewhere][:_CLEAR_PAIRS]:
        (better, than), number = pair.better, pair.reported.as_loss()
        words = (
            f"{than} is worse than {better} in {number.name}: {number.about} = {number.text}, "
            f"adjusted p {p_value(pair.p_adjusted)}"
        )
        statements.append(Statement(words, None, _clear(found, pair)))
    return Verdict({WHICH: statements}, rule)


def _leading(found: EstimatorComparison) -> str:
    """Return the metric that chose the parameters, which decides."""
    chosen = next(iter(found.results.values())).refit[0]
    return chosen if chosen in found.differences else found.metrics[0]


def _clear(found: EstimatorComparison, pair: PairedDifference) -> bool:
    """Whether a pair differs by its adjusted p-value."""
    return bool(pair.p_adjusted < 1 - found.confidence_level)


def _behind(found: EstimatorComparison, metric: str) -> list[PairedDifference]:
    """Return the differences of the best estimator to those below it, the greatest first."""
    means = {name: result.statistics(metric).mean for name, result in found.results.items()}
    best = max(means, key=lambda name: np.nan_to_num(means[name], nan=-np.inf))
    pairs = [pair for pair in found.pairs(metric) if pair.better[0] == best]
    behind = [pair for pair in pairs if np.nan_to_num(pair.test.difference)]
    return sorted(behind, key=lambda pair: -abs(pair.test.difference))


def _compared_curves(results: Mapping[str, NestedCVResult]) -> list[Picture]:
    """Return ROC, decision and calibration curves of every estimator, of all out-of-fold rows."""
    joined = {name: joined_of(result) for name, result in results.items()}
    two = {name: one for name, one in joined.items() if one is not None and one.two}
    risks = {name: one for name, one in two.items() if one.probabilities}
    bins = partial(reliability_curve, strategy="quantile")
    kinds: list[tuple[str, Any, Any, Any]] = [
        ("ROC", RocCurveDisplay, roc_curve, two),
        ("Decision", DecisionDisplay, decision_curve, risks),
        ("Calibration", CalibrationDisplay, bins, risks),
    ]
    return [
        (
            f"{what} curves, all out-of-fold rows",
            display({name: one.made(make) for name, one in held.items()}).plot,
        )
        for what, display, make, held in kinds
        if held
    ]
