"""The report of nested runs: estimates first, then curves, confusion, winners, failures, origin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..._plotting import shown
from ..._text.html import paragraph, table
from ..._text.numbers import fixed, spread, value
from ..._text.tables import count, parameters
from ...metrics import report_table
from ...metrics.curves import decision_curve, roc_curve
from ...metrics.displays import CalibrationDisplay, DecisionDisplay, ForestDisplay, RocCurveDisplay
from ...metrics.estimation import reliability_curve
from ...metrics.pages._page import figure, figures, lead, origin, page, page_style
from ...metrics.pages._parts import (
    PagePredictions,
    confusion,
    curves,
    explorer,
    forest_with_numbers,
)
from .._scoring import depends_on_positive
from .._types import Floats
from . import _summary
from ._nested_displays import CandidatesDisplay, NestedCVDisplay, TuningMatrixDisplay
from ._pool import OutOfFoldPredictions
from ._summary import dangers

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


def nested_page(result: Any, title: str) -> str:
    """Return the page of a NestedCVResult."""
    judged = judged_of(result.predictions)
    with page_style():
        return page(
            title,
            [
                ("*", _headline(result)),
                ("Metrics", _metrics(result)),
                ("Threshold", "" if judged is None else explorer(judged)),
                ("Curves*", "" if judged is None else curves(judged) or _no_positive(judged)),
                ("Confusion", "" if judged is None else confusion(judged, rates=False)),
                ("Classes", _classes(result)),
                *_choice(result),
                ("How it was made*", origin(result.call)),
            ],
        )


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
    told = [name for name, one in result.scorer.scorers.items() if depends_on_positive(one)]
    if told and pos_label != result.classes.positive:
        raise ValueError(
            f"pos_label={pos_label!r}, but {', '.join(told)} of this run are about "
            f"{result.classes.positive!r}; run it with that pos_label."
        )
    return replace(
        result,
        classes=replace(result.classes, positive=pos_label),
        predictions=replace(result.predictions, positive=pos_label),
    )


def comparison_page(
    results: Mapping[str, Any], title: str, differences: str, confidence_level: float
) -> str:
    """Return the page of several results on the same folds."""
    with page_style():
        return page(
            title,
            [
                ("*", _ranking(results)),
                ("Metrics*", _forest(results, confidence_level)),
                ("Differences*", differences),
                ("Curves*", _curves_of_all(results)),
                *((f"{name}: classes", _classes(result)) for name, result in results.items()),
                *(
                    (f"{name}: winners", _winners(result) + _failures(result))
                    for name, result in results.items()
                ),
                ("How it was made*", origin(next(iter(results.values())).call)),
            ],
        )


def _curves_of_all(results: Mapping[str, Any]) -> str:
    """Return ROC, calibration and decision curves of every estimator, of all out-of-fold rows."""
    judged = {name: judged_of(result.predictions) for name, result in results.items()}
    two = {name: one for name, one in judged.items() if one is not None and one.two}
    risks = {name: one for name, one in two.items() if one.probabilities}
    parts = [
        figure(
            f"{what}, all out-of-fold rows",
            display({name: one.made(make) for name, one in of.items()}).plot,
        )
        for what, display, make, of in (
            ("ROC curves", RocCurveDisplay, roc_curve, two),
            ("Decision curves", DecisionDisplay, decision_curve, risks),
        )
        if of
    ]
    reliability = {name: one.made(reliability_curve) for name, one in risks.items()}

    def draw(ax: Any) -> Any:
        displays = [
            CalibrationDisplay(curve, name=name).plot(ax) for name, curve in reliability.items()
        ]
        return displays[0]

    drawn = [figure("Calibration curves, all out-of-fold rows", draw)] if reliability else []
    return figures([*parts, *drawn])


def judged_of(predictions: OutOfFoldPredictions) -> PagePredictions | None:
    """Return the pooled predictions for the cards of a report; None without plain classes."""
    classes = predictions.classes
    if classes is None or len(classes) < 2 or predictions.y_true.ndim != 1:
        return None
    positive = predictions.positive
    repeated = len(np.unique(predictions.row)) < len(predictions.row)
    together = predictions.row if repeated else None
    return PagePredictions(
        predictions.y_true, predictions.y_pred, _scores(predictions, positive), classes, positive,
        predictions.sample_weight,
        together if predictions.groups is None else predictions.groups,
        predictions.fold,
    )  # fmt: skip


def _no_positive(judged: PagePredictions) -> str:
    """Return why two classes have no curves, if no positive class is named."""
    if len(judged.classes) != 2 or judged.positive is not None:
        return ""
    names = " or ".join(map(repr, judged.classes.tolist()))
    return paragraph(
        f"Curves, reliability and thresholds are about one class; report(pos_label=) takes {names}."
    )


def _scores(predictions: OutOfFoldPredictions, positive: Any) -> Floats | None:
    """Return the scores of the positive of two classes or of each class; None without finite ones."""
    classes = np.asarray(predictions.classes)
    if len(classes) == 2 and positive is None:
        return None
    for response in ("predict_proba", "decision_function"):
        score = predictions.responses.get(response)
        if score is None or not np.isfinite(score).all():
            continue
        if len(classes) > 2:
            return score
        side = int(np.flatnonzero(classes == positive)[0])
        return score[:, side] if score.ndim == 2 else score * (1 if side else -1)
    return None


def _headline(result: Any) -> str:
    name = (
        result.refit[0] if result.refit[0] in result.test_scores else next(iter(result.test_scores))
    )
    found = result.interval(name)
    classes = "" if result.classes is None else f" {result.classes}"
    words = (
        f"{result.header}. {count(result.n_samples, 'row')}.{classes} In brackets the "
        f"{100 * found.confidence_level:g} % interval of {found.target}."
    )
    ends = f"[{value(found.low)}, {value(found.high)}]"
    return lead(shown(name), value(found.estimate), ends, words)


def _metrics(result: Any) -> str:
    """Return the forest plot with its numbers, and the metrics not in it."""
    statistics = {name: result.statistics(name) for name in result.test_scores}
    more = {
        "sd of folds": {shown(name): fixed(s.sd, 3) for name, s in statistics.items()},
        "pooled": {shown(name): fixed(s.pooled.value, 3) for name, s in statistics.items()},
    }
    if any(s.undefined for s in statistics.values()):
        more["undefined"] = {shown(n): str(s.undefined) for n, s in statistics.items()}
    pooled = "Pooled: all out-of-fold predictions as one set, not the mean of the folds."
    reasons = [
        paragraph(f"{name} has no pooled value: {' '.join(s.pooled.reason.split()).rstrip('.')}.")
        for name, s in statistics.items()
        if s.pooled.reason is not None
    ]
    notes = dict.fromkeys(one.interval().note for one in statistics.values())
    warned = [paragraph(f"Note: {note}.") for note in notes if note]
    warned += [paragraph(told) for told in (*result.naming, *result.notes)]
    warned += [paragraph(f"Warning: {told}") for told in dangers(result.scorer, result.refit)]
    return _forest({"": result}, 0.95, more) + paragraph(pooled) + "".join([*reasons, *warned])


def _forest(results: Mapping[str, Any], confidence_level: float, more: Any = None) -> str:
    told = f"Mean over the outer folds with {100 * confidence_level:g} % intervals"
    return forest_with_numbers(forest(results, confidence_level), told, more)


def _choice(result: Any) -> Iterator[tuple[str, str]]:
    """Yield the choices of the inner folds, their stability, and the failures."""
    parts = [
        figure(
            "Score of each outer fold, and the inner mean of its winner",
            NestedCVDisplay(result).plot,
        )
    ]
    if result.inner_scores.size and len(result.candidates) > 1:
        told = "Candidates on the inner folds; the best of them, picked by looking, is optimistic"
        parts.append(figure(told, CandidatesDisplay(result).plot))
    if len(result.tuning_matrix.tuned_on) > 1:
        told = "Tuning matrix; its best row, picked afterwards, is optimistic"
        parts.append(figure(told, TuningMatrixDisplay(result.tuning_matrix).plot))
    yield "Inner against outer*", figures(parts)
    yield "Winners and their stability", _winners(result) + _words(result)
    yield "Outer folds", _folds(result)
    yield "Failed fits*", _failures(result)


def _classes(result: Any) -> str:
    """Return the metrics of the positive class, or of each, from the pooled predictions."""
    predictions = result.predictions
    if predictions.classes is None or len(predictions.classes) < 2 or predictions.y_true.ndim != 1:
        return ""
    return report_table(result, random_state=0).to_html()


def _winners(result: Any) -> str:
    counted = zip(result.candidates, result.winner_counts.tolist(), strict=True)
    chosen = sorted(((times, parameters(p)) for p, times in counted if times), reverse=True)
    rows = [[text, f"{times} of {result.n_outer}"] for times, text in chosen[:_MOST_WINNERS]]
    more = len(chosen) - len(rows)
    rest = paragraph(f"... and {more} more winners: to_frame() shows all.") if more > 0 else ""
    return table("Choices of the outer folds", ["parameters", "folds"], rows) + rest


def _words(result: Any) -> str:
    gaps = (
        _summary.undecided_searches(result.selections)
        if result.searches
        else _summary.undefined(
            result.refit[0], result.candidates, result.selections, result.n_inner
        )
    )
    told = [
        *map(str, result.kept_limits),
        _summary.optimism(result.refit[0], result.optimism),
        gaps,
        _summary.final(result.final, result.n_outer, result.n_samples),
    ]
    return "".join(paragraph(" ".join(text.split())) for text in told if text)


def _folds(result: Any) -> str:
    """Return the scores of every fold, where there are few."""
    if result.n_outer > _MOST_FOLDS:
        return paragraph(f"The scores of all {result.n_outer} folds: to_frame().")
    rows = [
        [str(fold), *(fixed(scores[fold], 3) for scores in result.values())]
        for fold in range(result.n_outer)
    ]
    return table("Outer test scores", ["fold", *map(shown, result.test_scores)], rows)


def _failures(result: Any) -> str:
    """Return the failed fits, one row per kind of failure."""
    alike = Counter((f.stage, parameters(f.params), f.error) for f in result.failures)
    rows = [
        [stage, params, error, str(times)] for (stage, params, error), times in alike.most_common()
    ]
    told = count(len(result.failures), "fit") + " gave no score"
    return table(told, ["stage", "parameters", "error", "times"], rows) if rows else ""


def _ranking(results: Mapping[str, Any]) -> str:
    """Return the headline of a comparison: the mean of each estimator by the first metric."""
    first = next(iter(results.values()))
    metric = next(iter(first.test_scores))
    means = {name: result.statistics(metric) for name, result in results.items()}
    best = max(means, key=lambda name: np.nan_to_num(means[name].mean, nan=-np.inf))
    told = ", ".join(f"{name} {spread(found.mean, found.sd)}" for name, found in means.items())
    classes = "" if first.classes is None else f" {first.classes}"
    words = (
        f"{count(len(results), 'estimator')} on the same {first.n_outer} outer folds, "
        f"{count(first.n_samples, 'row')}.{classes} {shown(metric)}, mean \u00b1 standard "
        f"deviation of "
        f"the folds: {told}. The best of several, picked by looking, is optimistic."
    )
    return lead(f"{shown(metric)}: {best}", value(means[best].mean), "highest mean", words)
