"""Pages and verdicts of results: evaluations, nested runs and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .._arrays import check_rows, host_array
from .._text.numbers import counted, p_value, significant, value
from .._text.plain import count
from .._text.reported import Reported, display_name
from .._text.tables import Table
from ..displays import CalibrationDisplay, DecisionDisplay, RocCurveDisplay
from ..inference import reliability_curve
from ..metrics.curves import decision_curve, roc_curve
from ..model_selection.comparisons._estimators import EstimatorComparison, PairedDifference
from ..model_selection.decisions._limits import REQUESTED
from ..model_selection.results._nested_displays import NestedCVDisplay
from ..model_selection.results._nested_result import NestedCVResult
from ..model_selection.results._summary import dangers
from . import _pictures
from ._control import Cut, cut_of
from ._page import Page, facts_of, methods
from ._pages import page_of_evaluation, page_of_predictions
from ._predictions import PagePredictions, refuse_rows
from ._verdict import (
    Found,
    Statement,
    Verdict,
    found_in,
    rule_of,
    shared_level,
    verdict_lines,
    verdict_of_evaluation,
)

TUNING, WHICH = "Inner score right?", "Which one?"
_CLEAR_PAIRS = 3  # in the verdict
_PAIRS = 6  # on the page
_PICTURES = 3  # of a run, before that of the folds


def page_of_result(found: Any, **options: Any) -> Page:
    """Return the page of an evaluation, a run or a comparison."""
    read = {"title"}
    make: Callable[..., Page] = page_of_evaluation
    if isinstance(found, NestedCVResult):
        make, read = page_of_run, {"title", "pos_label", "by"}
    elif isinstance(found, EstimatorComparison):
        make, read = page_of_comparison, {"title", "pos_label"}
    refuse_rows({name: option for name, option in options.items() if name not in read})
    return make(found, **options)


def verdict_of_result(found: Any, by: Any = None) -> Verdict:
    """Return the verdict of an evaluation, a run or a comparison."""
    if isinstance(found, NestedCVResult):
        joined = joined_of(found)
        own = None
        if joined is not None:
            options = {"by": rows_of(found, by), "of": found_in_run(found, joined)}
            own = verdict_lines(joined, cut_of_run(found, joined), **options)
        return with_tuning(found, own)
    refuse_rows({"by": by})
    if isinstance(found, EstimatorComparison):
        return verdict_of_comparison(found)
    return verdict_of_evaluation(found)


def page_of_run(
    result: NestedCVResult, *, title: str = "Nested cross-validation", pos_label: Any = None,
    by: Any = None,
) -> Page:  # fmt: skip
    """Return the page of a nested run."""
    result = about(result, pos_label)
    joined = joined_of(result)
    found = {name: result.interval(name) for name in result.test_scores}
    drawn: Callable[[], Sequence[str]] = tuple
    folded: dict[str, Table | str] = {"Summary of the run": result.summary()}
    page = Page(title, {})
    lines = [reported(result, name, n=counted(result.n_samples)) for name in found]
    if joined is not None:
        page = page_of_predictions(
            joined, cut_of_run(result, joined), title, by=rows_of(result, by),
            of=found_in_run(result, joined),
        )  # fmt: skip
        drawn = page.pictures
        folded |= {"Out-of-fold predictions as one set": page.tables[0], **page.folded}
    answer = f"{page.answer[:-1]}, of the out-of-fold predictions." if page.answer else ""
    text = "Mean over the outer folds; in brackets: 95 % intervals of the procedure."

    def pictures() -> list[str]:
        caption = "Score of each outer fold, and the inner mean of its best parameters"
        folds = _pictures.figure(caption, NestedCVDisplay(result).plot)
        return [*drawn()[:_PICTURES], folds]

    facts = {
        "Rows": counted(result.n_samples),
        "Data": f"test rows of {result.n_outer} outer folds",
    }
    if result.decisions and result.decisions[0].calibration is not None:
        facts["Calibration"] = f"{result.decisions[0].calibration}, fitted inside"
    if result.final is not None and result.final.threshold is not None:
        facts["Threshold of the final model"] = f"{result.final.threshold:.3g}"
    return replace(
        page,
        facts={**page.facts, **facts},
        verdict=with_tuning(result, page.verdict),
        answer=answer or f"{lines[0].name} {lines[0].text}.",
        notes=_cautions(result, joined),
        tables=[Table.of_lines("Metric", lines, [text]), *page.tables[1:]],
        pictures=pictures,
        folded=folded,
        methods=methods(found),
    )


def with_tuning(result: NestedCVResult, found: Verdict | None) -> Verdict:
    """Return a verdict with whether the inner score of the best parameters is optimistic."""
    level = shared_level(0.95)
    own = Verdict({}, rule_of(level, 0.95)) if found is None else found
    if not result.inner_scores.size or len(result.candidates) < 2:
        return own
    if result.plain_scores:
        words = "Not examined: a threshold or calibration chosen inside changes the test score only"
        return Verdict({**own.lines, TUNING: [Statement(words)]}, own.rule)
    name = result.refit[0]
    inner = float(np.nanmean(result.inner_means)) if result.n_outer else np.nan
    number, decided = reported(result, name), result.interval(name, level)
    alarm = bool(decided.high < inner)
    best = Reported(name, inner).as_loss().estimate
    better = "better" if inner > result.interval(name).estimate else "no better"
    words = f"Inner score {value(best)} of best parameters is {better} than their test score"
    statement = Statement(words, number, alarm, "tuning optimism" if alarm else "")
    return Verdict({**own.lines, TUNING: [statement]}, own.rule)


def reported(
    result: NestedCVResult, name: str, confidence_level: float = 0.95, **more: Any
) -> Reported:
    """Return the mean of a metric over the folds of a result, with its interval."""
    bounds, found = result.statistics(name).bounds, result.interval(name, confidence_level)
    return Reported.of(name, found, bounds=bounds, better=True, **more).as_loss()


def joined_of(result: NestedCVResult) -> PagePredictions | None:
    """Return the out-of-fold predictions as one set; None without plain classes."""
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
    return PagePredictions(
        given.y_true, given.y_pred, score, given.classes, given.positive, given.sample_weight,
        given.clusters, given.fold,
    )  # fmt: skip


def found_in_run(result: NestedCVResult, joined: PagePredictions) -> Found:
    """Return the intervals of a run for its own metrics, those of the predictions for others."""
    pooled = found_in(joined)

    def of(name: str, level: float, **options: Any) -> Any:
        own = name in result.test_scores and not options
        return result.interval(name, level) if own else pooled(name, level, **options)

    return of


def cut_of_run(result: NestedCVResult, joined: PagePredictions) -> Cut:
    """Return the threshold that the folds chose, or that made their predictions."""
    cuts = result.thresholds[np.isfinite(result.thresholds)]
    if not joined.two:
        return Cut(np.nan, "")
    if not len(cuts):
        return cut_of(joined)
    middle, low, high = (float(np.quantile(cuts, share)) for share in (0.5, 0, 1))
    folds = "" if low == high else f" (folds {significant(low)} to {significant(high)})"
    return Cut(middle, f"{significant(middle)}{folds}, chosen inside")


def rows_of(result: NestedCVResult, by: Any) -> Any:
    """Return a column, or a dict or frame of columns, of the rows of X as those of the test rows."""
    if by is None:
        return None
    named = isinstance(by, Mapping) or hasattr(by, "columns")
    columns = {name: host_array(by[name]) for name in by} if named else {"group": host_array(by)}
    for name, column in columns.items():
        check_rows({"X": range(result.n_samples), f"by {name}" if named else "by": column})
    return {name: column[result.predictions.row] for name, column in columns.items()}


def about(result: NestedCVResult, pos_label: Any) -> NestedCVResult:
    """Return a result whose page is about a positive class, where its scores are about no other.

    Raises
    ------
    ValueError
        If it is not one of two classes, or the scores are about the other one.
    """
    classes = result.classes
    if pos_label is None or classes is None or pos_label == classes.positive:
        return result
    if classes.positive is not None or len(classes.counts) != 2 or pos_label not in classes.counts:
        raise ValueError(
            f"pos_label={pos_label!r}, but this run is about {classes.positive!r} of the classes "
            f"{', '.join(map(repr, classes.counts))}; name one of two where the run names none."
        )
    predictions = replace(result.predictions, positive=pos_label)
    return replace(result, classes=replace(classes, positive=pos_label), predictions=predictions)


def _cautions(result: NestedCVResult, joined: PagePredictions | None) -> list[str]:
    """Return what a reader of the first screen must know."""
    notes = [f"Warning: {each}" for each in dangers(result.scorer, result.refit)]
    if joined is not None and len(joined.classes) == 2 and joined.positive is None:
        names = " or ".join(map(repr, joined.classes.tolist()))
        notes.append(
            "Curves, reliability and thresholds are about one class; report(pos_label=) takes "
            f"{names}."
        )
    notes += [note for note in result.notes if note.startswith(REQUESTED)]
    if result.failures:
        notes.append(f"{count(len(result.failures), 'fit')} failed; see the summary of the run.")
    return [" ".join(each.split()) for each in notes]


def page_of_comparison(
    found: EstimatorComparison, *, title: str = "Comparison of estimators", pos_label: Any = None
) -> Page:
    """Return the page of several estimators: the metric that chose first, then its differences."""
    results = {name: about(result, pos_label) for name, result in found.results.items()}
    first, level, leading = next(iter(results.values())), found.confidence_level, _leading(found)
    text = (
        f"Means over the outer folds, in brackets {100 * level:g} % intervals, which are not adjusted "
        "for several pairs; p is (Holm). The best of several, picked afterwards, is optimistic."
    )
    tables: list[Table] = []
    for metric in dict.fromkeys([leading, *found.metrics]):
        lines = [
            reported(result, metric, level, about=name, n=counted(result.n_samples))
            for name, result in results.items()
        ]
        tables.append(Table.of_lines(display_name(metric), lines, [] if tables else [text]))
    pairs = []
    for pair in found.pairs(leading)[:_PAIRS]:
        clear = "significant" if _clear(found, pair) else "not clear"
        pairs.append(
            replace(pair.reported.as_loss(), note=f"{clear}, p {p_value(pair.p_adjusted)}")
        )
    if pairs:
        tables.insert(1, Table.of_lines(f"Difference in {display_name(leading)}", pairs))
    positive, counts = first.pos_label, {} if first.classes is None else first.classes.counts
    data = f"test rows of the same {first.n_outer} outer folds"
    return Page(
        title,
        facts_of(
            first.n_samples,
            positive,
            counts.get(positive),
            Estimators=", ".join(results),
            Data=data,
        ),
        verdict_of_comparison(found),
        notes=[f"{name} failed and is omitted: {error}" for name, error in found.failed.items()],
        tables=tables,
        pictures=partial(_compared_curves, results),
        folded={"Summary": found.summary()}
        | {f"{name}: summary": result.summary() for name, result in results.items()},
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
    if behind is None:
        words = f"No difference in {display_name(metric)} can be estimated"
        return Verdict({WHICH: [Statement(words)]}, rule)
    worse = [pair for pair in behind if _clear(found, pair)]
    left = [name for name in found.names if name not in [pair.better[1] for pair in worse]]
    head = f"No clear winner among {', '.join(left)} by {display_name(metric)}"
    if len(left) == 1:
        head = f"The winner by {display_name(metric)} is {left[0]}"
    named = worse or behind[:1]
    for other in found.metrics:
        if other != metric:
            named = named + [pair for pair in _behind(found, other) or [] if _clear(found, pair)]
    statements = [Statement(head, None, len(left) == 1)]
    for pair in named[:_CLEAR_PAIRS]:
        (better, than), number = pair.better, pair.reported.as_loss()
        words = f"{than} is worse than {better} in {number.name}: {number.about} = {number.text}"
        words += f", adjusted p {p_value(pair.p_adjusted)}"
        statements.append(Statement(words, None, _clear(found, pair)))
    return Verdict({WHICH: statements}, rule)


def _leading(found: EstimatorComparison) -> str:
    """Return the metric that chose the parameters, which decides."""
    chosen = next(iter(found.results.values())).refit[0]
    return chosen if chosen in found.differences else found.metrics[0]


def _clear(found: EstimatorComparison, pair: PairedDifference) -> bool:
    """Whether a pair differs by its adjusted p-value."""
    return bool(pair.p_adjusted < 1 - found.confidence_level)


def _behind(found: EstimatorComparison, metric: str) -> list[PairedDifference] | None:
    """Return the differences of the best estimator to those below it, the greatest first."""
    pairs = [pair for pair in found.pairs(metric) if np.isfinite(pair.test.difference)]
    if not pairs:
        return None
    means = {name: result.statistics(metric).mean for name, result in found.results.items()}
    best = max(means, key=lambda name: np.nan_to_num(means[name], nan=-np.inf))
    behind = [pair for pair in pairs if pair.better[0] == best and pair.test.difference]
    return sorted(behind, key=lambda pair: -abs(pair.test.difference))


def _compared_curves(results: Mapping[str, NestedCVResult]) -> list[str]:
    """Return ROC, decision and calibration curves of every estimator, of all out-of-fold rows."""
    joined = {name: joined_of(result) for name, result in results.items()}
    two = {name: one for name, one in joined.items() if one is not None and one.two}
    risks = {name: one for name, one in two.items() if one.probabilities}
    roc = RocCurveDisplay({name: one.made(roc_curve) for name, one in two.items()})
    benefit = DecisionDisplay({name: one.made(decision_curve) for name, one in risks.items()})

    def calibration(ax: Any) -> None:
        for name, one in risks.items():
            CalibrationDisplay(one.made(reliability_curve), name=name).plot(ax)

    text, drawn = "{} curves, all out-of-fold rows", []
    if two:
        drawn.append(_pictures.figure(text.format("ROC"), roc.plot))
    if risks:
        drawn.append(_pictures.figure(text.format("Decision"), benefit.plot))
        drawn.append(_pictures.figure(text.format("Calibration"), calibration))
    return drawn
