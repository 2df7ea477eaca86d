"""The page of nested runs: the answer first, and folded the folds, choices, curves and origin."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..._arrays import check_rows, host_array
from ..._text.html import paragraph
from ..._text.html import whole as table
from ..._text.lines import Line
from ..._text.numbers import counted, fixed, significant, value
from ..._text.plain import count, parameters
from ..._text.reported import Reported, display_name
from ...displays import CalibrationDisplay, DecisionDisplay, ForestDisplay, RocCurveDisplay
from ...inference import reliability_curve
from ...metrics.curves import decision_curve, roc_curve
from ...reports._control import InUse, control_of, threshold_fact, threshold_in_use
from ...reports._forests import Forest, forests_of
from ...reports._parts import (
    PagePredictions,
    answer_of_calls,
    answer_of_metric,
    class_lines,
    class_pictures,
    confusion,
    curves,
    entry_of,
    figure,
    figures,
    named_classes,
    page_style,
    rates_html,
    rates_of_classes,
    rows_behind,
)
from ...reports._sheet import Sheet, facts_of, methods, write_sheet
from ...reports._verdict import (
    Statement,
    Verdict,
    found_in,
    rule_of,
    shared_level,
    side,
    verdict_lines,
)
from .._scoring import depends_on_positive
from .._types import Floats
from ..decisions._limits import REQUESTED
from ..execution._out_of_fold import OutOfFoldPredictions
from . import _summary
from ._nested_displays import (
    NestedCVDisplay,
    TuningMatrixDisplay,
)
from ._summary import dangers, of_shipped

_RESAMPLES = 500
_MOST_FOLDS = 10  # with more, the scores are in the plot only
_MOST_WINNERS = 12


def forest(results: Mapping[str, Any], confidence_level: float = 0.95) -> ForestDisplay:
    """Return the picture of the interval of every metric of one or several results."""
    return ForestDisplay(
        {
            name: {
                metric: result.interval(metric, confidence_level) for metric in result.test_scores
            }
            for name, result in results.items()
        }
    )


def write_report(result: Any, path: Any, title: str, by: Any) -> Path:
    """Write the page of a NestedCVResult."""
    return write_sheet(path, nested_sheet(result, title, rows_of(result, by, "by")))


def rows_of(result: Any, given: Any, argument: str) -> Any:
    """Return a column, or a dict or frame of columns, of the rows of X as those of the test rows."""
    if given is None:
        return None
    named = isinstance(given, Mapping) or hasattr(given, "columns")
    columns = {name: host_array(given[name]) for name in given} if named else {"": given}
    for name, column in columns.items():
        check_rows({"X": range(result.n_samples), " ".join([argument, name]).strip(): column})
    found = {name: host_array(column)[result.predictions.row] for name, column in columns.items()}
    return found if named else found[""]


def nested_sheet(result: Any, title: str, by: Any = None) -> Sheet:
    """Return the page of a NestedCVResult."""
    joined = joined_of(result.predictions, _cut_response(result))
    found = {name: result.interval(name) for name in result.test_scores}
    each = {} if joined is None else rates_of_classes(joined)
    used = in_use(result, joined) if joined is not None and joined.two else None
    lines = [line_of(result, name, joined) for name in found]
    by_class = [] if joined is None else class_lines(joined, each)
    pictures = class_pictures(by_class)
    lines += [] if pictures else by_class
    counts = {} if result.classes is None else result.classes.counts
    more = threshold_fact(used) | _chosen(result)
    if counts and result.pos_label is None:
        more["Classes"] = named_classes(counts)
    drawn: list[Forest] = []
    if joined is not None and by is not None:
        drawn = forests_of(joined, by, 0.95)
    decisions = " ".join(_summary.decisions(result))
    choices = [[_summary.optimism(result)], _summary.undefined(result), _summary.final(result)]
    with page_style():
        shown = "" if joined is None else curves(joined)
        folded = [
            (
                "Thresholds and calibration of the folds",
                paragraph(named(decisions, result)) if decisions else "",
            ),
            ("Outer folds", _folds(result) + _statistics(result)),
            (
                "Best parameters and their stability",
                winners_html(result)
                + "".join(paragraph(named(" ".join(each), result)) for each in choices if each),
            ),
            ("Inner against outer", _choice(result)),
            (
                "Confusion table and rates of each class",
                "" if joined is None else confusion(joined, each),
            ),
            ("Failed fits", failures_html(result)),
        ]
    return Sheet(
        title,
        facts_of(
            result.n_samples,
            result.pos_label,
            counts.get(result.pos_label),
            f"test rows of {result.n_outer} outer folds",
            more,
        ),
        _answer(result, joined, used, found, each),
        lines,
        "Mean over the outer folds [95 % interval of the procedure].",
        None if joined is None else control_of(joined, used),
        folded,
        _cautions(result, joined),
        nested_verdict(result, joined, used, by),
        [*pictures, *drawn],
        pictures=shown,
        methods=methods(found),
    )


def nested_verdict(
    result: Any, joined: PagePredictions | None = None, used: InUse | None = None,
    by: Any = None,
) -> Verdict:  # fmt: skip
    """Return the verdict of the pooled test rows, and what tuning added to the inner score."""
    joined = joined_of(result.predictions, _cut_response(result)) if joined is None else joined
    lines: dict[str, Sequence[Statement]] = {}
    level = shared_level(0.95)
    rule = rule_of(level, 0.95)
    if joined is not None:
        if used is None and joined.two:
            used = in_use(result, joined)
        pooled = found_in(joined)

        def of(name: str, level: float, **options: Any) -> Any:
            own = name in result.test_scores and not options
            return result.interval(name, level) if own else pooled(name, level, **options)

        found = verdict_lines(joined, used, by=by, of=of)
        lines, rule = dict(found.lines), found.rule
    if result.inner_scores.size and len(result.candidates) > 1:
        changed = (
            "Not examined: the threshold or calibration chosen inside changes the test score only."
        )
        lines[TUNING] = [Statement(changed) if result.plain_scores else _tuning(result, level)]
    return Verdict(lines, rule)


TUNING = "Inner score right?"


def _tuning(result: Any, level: float) -> Statement:
    """Return whether the inner score of the best parameters lies above their test score."""
    name = result.refit[0]
    inner = float(np.nanmean(result.inner_means)) if result.n_outer else np.nan
    number = reported(result, name)
    decided = result.interval(name, level)
    alarm = side(float(decided.low), float(decided.high), inner) < 0
    best = Reported(name, inner).as_loss().estimate
    better = "better" if inner > number.estimate else "no better"
    words = f"Inner score {value(best)} of best parameters is {better} than their test score"
    return Statement(
        words, number.as_loss(), bool(alarm), "tuning optimism" if alarm else ""
    )  # fmt: skip


def reported(result: Any, name: str, confidence_level: float = 0.95, about: str = "") -> Reported:
    """Return the mean of a metric over the folds of a result, with its interval."""
    found = result.interval(name, confidence_level)
    return Reported(
        name, found.estimate, found.low, found.high, about, better=True, rows=result.n_samples,
        bounds=result.statistics(name).bounds,
    )  # fmt: skip


def line_of(result: Any, name: str, joined: PagePredictions | None = None) -> Line:
    """Return the line of a metric: its range, and its rows, those of a class where it is their share."""
    n = counted(result.n_samples)
    if joined is not None and len(joined.y_true) == result.n_samples:
        n = rows_behind(joined, name)
    return Line.of(reported(result, name), n=n)


def in_use(result: Any, joined: PagePredictions) -> InUse:
    """Return the threshold that the folds chose, or that made their calls."""
    cuts = _single(result)
    if not len(cuts):
        return threshold_in_use(joined)
    middle = float(np.median(cuts))
    if cuts.min() == cuts.max():
        return InUse(middle, "chosen inside", significant(middle))
    ends = f"{significant(cuts.min())} to {significant(cuts.max())}"
    text = f"{significant(middle)} (folds {ends})"
    return InUse(middle, "chosen inside", text, single=False)


def _cut_response(result: Any) -> str | None:
    """Return the response that thresholds of the folds cut, where they were chosen."""
    return result.decisions[0].reads if len(_single(result)) else None


def _single(result: Any) -> Floats:
    """Return the finite thresholds of the folds."""
    return result.thresholds[np.isfinite(result.thresholds)]


def _chosen(result: Any) -> dict[str, str]:
    """Return calibration and threshold of the shipped model as facts of the page."""
    how = result.decisions[0].calibration if result.decisions else None
    facts = {} if how is None else {"Calibration": f"{how}, fitted inside"}
    shipped = None if result.final is None else result.final.threshold
    return facts if shipped is None else facts | {"Threshold of the final model": f"{shipped:.3g}"}


def _answer(
    result: Any, joined: PagePredictions | None, used: Any, found: Mapping[str, Any], each: Any
) -> str:
    """Return the sentence of the page: calls of two classes, or the metric that chose."""
    positive = None if joined is None else joined.positive
    if joined is None or positive is None or not each:
        name = result.refit[0] if result.refit[0] in found else next(iter(found))
        return answer_of_metric(name, found[name])
    k = int(np.flatnonzero(joined.classes == positive)[0])
    names = "recall", "specificity"
    # One sentence has one target: the procedure's where both rates are among its scores.
    if result.pos_label == positive and found.keys() >= {*names}:
        return answer_of_calls(joined, used, found, "mean over the folds")
    rates = {name: entry_of(each[name], k) for name in names}
    return answer_of_calls(joined, used, rates, joined.pooled)


def _cautions(result: Any, joined: PagePredictions | None) -> list[str]:
    """Return what a reader of the first screen must know."""
    notes = [f"Warning: {each}" for each in dangers(result.scorer, result.refit)]
    if joined is not None and len(joined.classes) == 2 and joined.positive is None:
        names = " or ".join(map(repr, joined.classes.tolist()))
        notes.append(
            "Curves, reliability and thresholds are about one class; report(pos_label=) takes "
            f"{names}."
        )
    limits = [note for note in result.notes if note.startswith(REQUESTED)]
    notes += [named(limit, result) for limit in limits]
    if result.failures:
        notes.append(f"{count(len(result.failures), 'fit')} failed; see below.")
    return [" ".join(each.split()) for each in notes]


def named(text: str, result: Any) -> str:
    """Return a text with the metrics under their display names."""
    names = sorted(result.test_scores, key=len, reverse=True)
    for name in names:
        sign = "negative " if name.startswith("neg_") else ""
        own = lambda found: sign + display_name(found[0])  # noqa: B023, E731
        pattern = rf"(?<![\w.]){re.escape(name)}(?:\(\w+=[^)]*\)|(?![\w(]))"
        text = re.sub(pattern, own, text)
    return text


def about(result: Any, pos_label: Any) -> Any:
    """Return a result whose page is about a positive class, where its scores are about no other.

    Raises
    ------
    ValueError
        If it is not one of two classes, or the scores are about the other one.
    """
    if pos_label is None:
        return result
    counts = {} if result.classes is None else result.classes.counts
    if len(counts) != 2 or pos_label not in counts:
        raise ValueError(
            f"pos_label must be one of two classes, found {pos_label!r} and the classes "
            f"{', '.join(map(repr, counts)) or 'of no classifier'}."
        )
    scorers = {} if result.scorer is None else result.scorer.scorers
    dependent = [name for name, one in scorers.items() if depends_on_positive(one)]
    if dependent and pos_label != result.classes.positive:
        raise ValueError(
            f"pos_label={pos_label!r}, but {', '.join(dependent)} of this run are about "
            f"{result.classes.positive!r}; run it with that pos_label."
        )
    return replace(
        result,
        classes=replace(result.classes, positive=pos_label),
        predictions=replace(result.predictions, positive=pos_label),
    )


def compared_curves(results: Mapping[str, Any]) -> str:
    """Return ROC, decision and calibration curves of every estimator, of all out-of-fold rows."""
    joined = {name: joined_of(result.predictions) for name, result in results.items()}
    two = {name: one for name, one in joined.items() if one is not None and one.two}
    risks = {name: one for name, one in two.items() if one.probabilities}
    roc = RocCurveDisplay({name: one.made(roc_curve) for name, one in two.items()})
    bins = {name: one.made(reliability_curve) for name, one in risks.items()}

    def calibration(ax: Any) -> Any:
        for name, one in bins.items():
            drawn = CalibrationDisplay(one, name=name).plot(ax)
        return drawn

    benefit = DecisionDisplay({name: one.made(decision_curve) for name, one in risks.items()})
    drawn: dict[str, tuple[Any, Any]] = {"ROC": (two, roc.plot), "Decision": (risks, benefit.plot),
             "Calibration": (risks, calibration)}  # fmt: skip
    with page_style():
        return figures(
            [
                figure(f"{what} curves, all out-of-fold rows", draw)
                for what, (of, draw) in drawn.items()
                if of
            ]
        )


def classes_html(result: Any) -> str:
    """Return the rates of each class, from the pooled predictions."""
    joined = joined_of(result.predictions)
    return "" if joined is None else rates_html(joined, rates_of_classes(joined))


def joined_of(
    predictions: OutOfFoldPredictions, response: str | None = None
) -> PagePredictions | None:
    """Return the pooled predictions with a response; None without plain classes."""
    classes = predictions.classes
    if classes is None or len(classes) < 2 or predictions.y_true.ndim != 1:
        return None
    positive = predictions.positive
    score = _scores(predictions, positive, response)
    return PagePredictions(
        predictions.y_true, predictions.y_pred, score, classes, positive,
        predictions.sample_weight, predictions.clusters, predictions.fold,
    )  # fmt: skip


def _scores(predictions: OutOfFoldPredictions, positive: Any, first: str | None) -> Floats | None:
    """Return the scores of the positive of two classes or of each class; None without finite ones."""
    if len(np.asarray(predictions.classes)) == 2 and positive is None:
        return None
    usual = "predict_proba", "decision_function"
    for response in usual if first is None else (first, *usual):
        if np.isfinite(predictions.responses.get(response, np.nan)).all():
            return predictions.scores(response, positive)
    return None


def _statistics(result: Any) -> str:
    """Return the mean and the spread of the folds of each metric, and what to know of them."""
    statistics = {name: result.statistics(name) for name in result.test_scores}
    alone = any(s.pooled_only for s in statistics.values())
    others = ["sd", *["pooled"] * alone, *["train"] * bool(result.train_scores)]
    cells = {
        name: {
            head: fixed(
                (-1 if name.startswith("neg_") and head != "sd" else 1) * s.record()[head], 3
            )
            for head in others
        }
        for name, s in statistics.items()
    }
    heads = ["metric", "mean [interval]", *others, "undefined folds"]
    rows = [
        [display_name(name), reported(result, name).as_loss().text,
         *(cells[name][head] for head in others), str(s.undefined)]
        for name, s in statistics.items()
    ]  # fmt: skip
    shipped = of_shipped({display_name(name): one for name, one in statistics.items()})
    gaps = [one.gaps for one in statistics.values() if one.errors and one.gaps]
    notes = [f"{result.header}.", *shipped, *gaps, *result.naming, *result.notes]
    return table("", heads, rows) + "".join(paragraph(named(each, result)) for each in notes)


def _number(name: str, value: float) -> str:
    """Return a score; that of a negated loss appears as the loss."""
    return fixed(Reported(name, value).as_loss().estimate, 3)


def _choice(result: Any) -> str:
    """Return the pictures of the choices of the inner folds."""
    scores = NestedCVDisplay(result).plot
    parts = [figure("Score of each outer fold, and the inner mean of its best parameters", scores)]
    if len(result.tuning_matrix.tuned_on) > 1:
        title = "Tuning matrix; its best row, picked afterwards, is optimistic"
        parts.append(figure(title, TuningMatrixDisplay(result.tuning_matrix).plot))
    return figures(parts)


def winners_html(result: Any) -> str:
    """Return the winners of the outer folds, those of most folds first."""
    counted = zip(result.candidates, result.winner_counts.tolist(), strict=True)
    chosen = sorted(((times, parameters(p)) for p, times in counted if times), reverse=True)
    rows = [[text, f"{times} of {result.n_outer}"] for times, text in chosen[:_MOST_WINNERS]]
    more = len(chosen) - len(rows)
    rest = paragraph(f"... and {more} more: to_frame() shows all.") if more > 0 else ""
    return table("Choices of the outer folds", ["parameters", "folds"], rows) + rest


def _folds(result: Any) -> str:
    """Return the scores of every fold, where there are few."""
    if result.n_outer > _MOST_FOLDS:
        return paragraph(f"The scores of all {result.n_outer} folds: to_frame().")
    rows = [
        [str(fold), *(_number(name, scores[fold]) for name, scores in result.test_scores.items())]
        for fold in range(result.n_outer)
    ]
    return table("Outer test scores", ["fold", *map(display_name, result.test_scores)], rows)


def failures_html(result: Any) -> str:
    """Return the failed fits, one row per kind of failure."""
    alike = Counter((f.stage, parameters(f.params), f.error) for f in result.failures)
    rows = [
        [stage, params, error, str(times)] for (stage, params, error), times in alike.most_common()
    ]
    title = count(len(result.failures), "fit") + " gave no score"
    return table(title, ["stage", "parameters", "error", "times"], rows) if rows else ""
