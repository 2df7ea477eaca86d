"""The data of a report: labels with predictions, from arrays, counts or a nested run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ..._arrays import Array, Floats, shown
from ..._compat import import_pandas
from ..._text import html, latex
from ..._text.numbers import fixed, significant
from ..._text.tables import paragraph, table
from .._records.counts import given_table
from .._records.inputs import check_label_pair, check_scored_labels, positive_code
from .._registry.declare import get_metric
from ..curves import threshold_curves
from ..estimation._interval_at import Bound, BoundSample


@dataclass(frozen=True, eq=False)
class Predictions:
    """True labels with the predictions of a model.

    `positive` is the positive one of two classes, None of more; `score` has a column a class, or is
    the score of the positive class.
    """

    y_true: Any
    y_pred: Any
    score: Any
    classes: Array
    positive: Any
    weight: Any
    groups: Any
    operating_point: str = ""
    threshold: float | None = None
    layout: str = ""
    chosen: BoundSample | None = None

    def truth(self, label: Any) -> tuple[Array, Array]:
        """Return which examples belong to a class, and which were predicted as that class."""
        if np.ndim(self.y_true) == 2:
            return self.y_true[:, label], self.y_pred[:, label]
        return np.asarray(self.y_true) == label, np.asarray(self.y_pred) == label

    def score_of(self, label: Any) -> Floats | None:
        """Return the scores of a class, if there are any."""
        if self.score is None or np.ndim(self.score) == 1:
            return self.score if label == self.positive else None
        return np.asarray(self.score)[:, list(self.classes).index(label)]


def of_arrays(
    y_true: Any, y_pred: Any, score: Any, labels: Any, pos_label: Any, weight: Any, groups: Any
) -> Predictions:
    """Check arrays; without `y_pred` the scores have no threshold yet."""
    if y_pred is None and score is None:
        raise ValueError("y_pred is None; pass predicted labels, or y_score with operating_point=.")
    shared = {"labels": labels, "sample_weight": weight}
    checked: list[Any] = [] if y_pred is None else [check_label_pair(y_true, y_pred, **shared)]
    checked += [] if score is None else [check_scored_labels(y_true, score, **shared)]
    if checked[0].multilabel:
        true = checked[0].true
        pred = None if y_pred is None else checked[0].pred
        score = None if score is None else checked[-1].score
        columns = np.arange(true.shape[1])
        return Predictions(true, pred, score, columns, None, weight, groups)
    classes = checked[0].classes
    positive = None
    if len(classes) <= 2:
        code = positive_code(classes, pos_label)
        positive = pos_label if code is None or code < 0 else classes.tolist()[code]
    true = np.asarray(y_true)
    return Predictions(true, y_pred, score, classes, positive, weight, groups)


def of_counts(counts: Any, layout: str | None, labels: Any, pos_label: Any) -> Predictions:
    """Expand a table into one row per example."""
    given = given_table(counts, layout, labels, pos_label)
    table, labels = given.table, given.labels
    if (table % 1 != 0).any():
        raise ValueError(
            "counts must be whole numbers, since intervals need the number of examples; found sums "
            "of weights. Pass the labels with sample_weight."
        )
    names = np.arange(len(table)) if labels is None else np.asarray(labels)
    if len(names) != len(table):
        raise ValueError(
            f"labels must name the {len(table)} classes of counts, found {shown(names)}."
        )
    true, pred = (
        np.indices(table.shape).reshape(2, -1).repeat(table.astype(np.int64).ravel(), axis=1)
    )
    found = of_arrays(names[true], names[pred], None, names, given.pos_label, None, None)
    return replace(found, layout=given.sentence)


def of_predictions(predictions: Any, pos_label: Any) -> Predictions:
    """Take the out-of-fold predictions of a nested run; two classes without a positive one are many."""
    classes = predictions.classes
    if predictions.y_true.ndim == 2 and predictions.y_pred is not None:
        arrays = predictions.y_true, predictions.y_pred, None, None, None
        return of_arrays(*arrays, predictions.sample_weight, predictions.clusters)
    if classes is None:
        raise ValueError("The run has no classes to report on.")
    positive = predictions.positive if pos_label is None else pos_label
    if positive is not None and len(classes) == 2:
        positive = classes.tolist()[positive_code(classes, positive)]
    return Predictions(
        predictions.y_true,
        predictions.y_pred,
        _scores(predictions, positive),
        classes,
        positive if len(classes) == 2 else None,
        predictions.sample_weight,
        predictions.clusters,
    )


def _scores(predictions: Any, positive: Any) -> Floats | None:
    """Return the scores of the positive class, or of each; None where some are not finite."""
    for method in ("predict_proba", "decision_function"):
        if method not in predictions.responses:
            continue
        wanted = predictions.classes.tolist() if positive is None else [positive]
        if len(predictions.classes) == 2:
            score = np.column_stack([predictions.scores(method, label) for label in wanted])
            score = score if positive is None else score[:, 0]
        else:
            score = np.asarray(predictions.responses[method])
        if np.isfinite(score).all() and (score.ndim == 1 or score.shape[1] == len(wanted)):
            return score
    return None


def at_operating_point(evaluated: Predictions, point: Any) -> Predictions:
    """Apply a threshold, or the best threshold under a bound, to the scores."""
    if evaluated.positive is None or evaluated.score is None:
        raise ValueError(
            "operating_point needs y_score, the scores of the positive one of two classes."
        )
    chosen = None
    if isinstance(point, Mapping):
        threshold, reason, chosen = _reaching(evaluated, point)
    else:
        threshold, reason = float(point), ""
    others = [label for label in evaluated.classes.tolist() if label != evaluated.positive]
    called = np.asarray(evaluated.score) >= threshold
    # A lone class has no other name to call the rest by.
    pred = np.where(called, evaluated.positive, others[0]) if others else called
    text = f"Operating point: positive where the score is at least {significant(threshold, 6)}{reason}."
    return replace(evaluated, y_pred=pred, operating_point=text, threshold=threshold, chosen=chosen)


def _reaching(evaluated: Predictions, point: Mapping[str, float]) -> tuple[float, str, BoundSample]:
    """Return the threshold that satisfies a bound and maximises the counterpart."""
    if len(point) != 1:
        raise ValueError(
            f"operating_point must name one metric with its bound, found {dict(point)!r}."
        )
    [(name, value)] = point.items()
    bound = Bound(get_metric(name).metric, value)
    sample = BoundSample(
        evaluated.y_true, evaluated.score, evaluated.weight, evaluated.positive, bound
    )
    curves = threshold_curves(
        evaluated.y_true,
        evaluated.score,
        [name],
        pos_label=evaluated.positive,
        sample_weight=evaluated.weight,
    )
    place, feasible = bound.places(sample.counts)
    if not feasible:
        best = np.max(bound.reached(sample.counts))
        raise ValueError(
            f"No threshold reaches {name} {'<=' if bound.sign < 0 else '>='} {value:g}; the best "
            f"is {bound.sign * best:.4g}."
        )
    exempt = f"but for rates of the {bound.of_class}" if bound.of_class else f"{name} has none"
    side = "at most" if bound.sign < 0 else "at least"
    reason = (
        f", which has the best {bound.metric.counterpart} with {name} {side} {value:g} on these "
        f"examples; intervals choose it again in every resample, {exempt}"
    )
    return float(curves.thresholds[place]), reason, sample


_MOST = 50  # lines of a table in print


@dataclass(frozen=True)
class ReportRow:
    """One metric of one class, or of all.

    Attributes
    ----------
    part : str
        The class, or "overall".
    metric : str
    estimate, low, high : float
        nan where there is none.
    method : str
        How the interval was found.
    """

    part: str
    metric: str
    estimate: float
    low: float
    high: float
    method: str


@dataclass(frozen=True, eq=False, repr=False)
class ReportTable:
    """Metrics of each class and overall, with intervals; made by :func:`report_table`.

    Attributes
    ----------
    rows : tuple of ReportRow
        The rows of the table, over which it iterates.
    facts : tuple of str
        Classes, positive class and prevalence, operating point, weights and groups, and that the
        intervals are not simultaneous.
    confidence_level : float
        The confidence of the intervals.
    threshold : float or None
        The threshold of the scores, if any.

    Notes
    -----
    ``table["cancer", "recall"]`` is the row of a metric.
    """

    rows: tuple[ReportRow, ...]
    facts: tuple[str, ...]
    confidence_level: float
    threshold: float | None = None

    def __iter__(self) -> Iterator[ReportRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: tuple[Any, str]) -> ReportRow:
        part, metric = place
        for row in self.rows:
            if (row.part, row.metric) == (str(part), metric):
                return row
        raise KeyError(place)

    @property
    def _head(self) -> list[str]:
        return ["", "estimate", f"{100 * self.confidence_level:g} % interval", "method"]

    def _lines(self) -> Iterator[list[str]]:
        """Yield one line per part and, below it, one per metric, with empty lines between parts."""
        part = None
        for row in self.rows:
            if row.part != part:
                if part is not None:
                    yield ["", "", "", ""]
                yield [row.part, "", "", ""]
                part = row.part
            ends = f"{fixed(row.low)} to {fixed(row.high)}"
            yield [f"  {row.metric}", fixed(row.estimate), ends, row.method]

    def __repr__(self) -> str:
        facts = [paragraph(fact, hang=2) for fact in self.facts]
        lines = table(self._head, _cut(list(self._lines()))).splitlines()
        return "\n".join([*facts, "", *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_html(self) -> str:
        """Return the table as HTML, which takes its colours from the page that contains it."""
        rows = [
            [r.part, r.metric, fixed(r.estimate), f"{fixed(r.low)} to {fixed(r.high)}", r.method]
            for r in self.rows
        ]
        return html.table(" ".join(self.facts), ["class", "metric", *self._head[1:]], rows)

    def to_latex(self) -> str:
        """Return the table as LaTeX, which needs the package booktabs."""
        return latex.table(" ".join(self.facts), self._head, self._lines())

    def to_frame(self) -> Any:
        """Return a pandas DataFrame, one row per class and metric: estimate, low, high, method.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        frame = import_pandas().DataFrame([asdict(row) for row in self.rows])
        return frame.set_index(["part", "metric"])


def _cut(lines: list[list[str]]) -> list[list[str]]:
    """Omit classes in the middle of many; the last part, for all classes, stays."""
    ends = [k for k, line in enumerate(lines) if not any(line)]  # of each part but the last
    if len(lines) <= _MOST or not ends:
        return lines
    kept = max((end for end in ends if end <= _MOST), default=ends[0])
    more = sum(end > kept for end in ends)
    reported = [f"... and {more} more classes: to_frame()", "", "", ""]
    return [*lines[: kept + 1], reported, *lines[ends[-1] :]] if more else lines
