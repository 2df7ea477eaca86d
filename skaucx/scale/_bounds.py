"""Metrics of rows that cells count: exact, or between those of the rows at the edges of their cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from .._arrays import Array, Bools, Codes, Floats, quotient
from ..evaluation import Evaluation, GroupedEvaluation, evaluate
from ..evaluation._groups import partition
from ..inference import Interval
from ..metrics._records.inputs import known_positive, positive_code
from ..metrics._registry.declare import plain
from ..metrics._registry.names import is_set, named_metric, requested_entries
from ..metrics._registry.row import Metric
from ._score_cells import Cells

# Families of metrics for which a higher score of a positive row, or a lower one of a negative row, is
# never worse, apart from a few of their metrics.
_BOUNDED = frozenset(
    ["AUC variants", "agreement", "areas", "association", "composites", "imbalanced classes",
     "losses of probabilities", "losses of scores", "odds and decisions", "rates",
     "rates under a constraint", "shape of the ROC curve", "similarity of sets", "top of the ranking"]
)  # fmt: skip
_NOT_BOUNDED = frozenset(
    ["adjusted_rand_index", "bray_curtis_dissimilarity", "break_even_point", "contingency_coefficient",
     "cramer_v", "expected_cost", "goodman_kruskal_lambda", "index_of_balanced_accuracy", "ks",
     "mm1_auc", "mm4_auc", "mm6_auc", "mm7_auc", "optimized_precision", "pairwise_auc", "phi_squared",
     "rand_index"]
)  # fmt: skip
_ENDS = np.array(["low", "high"])


def evaluated(
    truth: Array, cells: Cells, groups: Mapping[str, Array], metrics: Any, options: dict[str, Any]
) -> Evaluation | GroupedEvaluation:
    """Evaluate cells as the rows that they count."""
    low, high = cells.edges()
    given = {**options, "frequency": cells.n_rows, "by": dict(groups) or None}
    if (low == high).all():
        return evaluate(truth, y_score=low, metrics=metrics, **given)
    _refuse_other_digits(cells)
    if options.get("rescale") is not None:
        raise ValueError("rescale= reads the range of scores, which cells of several do not hold.")
    positive = _positive_rows(truth, options.get("pos_label"))
    cut = options.get("threshold")
    settled = cut is not None and not ((low < cut) & (cut <= high)).any()
    for _, entry in [] if metrics is None else requested_entries(metrics):
        if not is_set(entry) and not _bounded(named_metric(entry).row, settled):
            raise _unbounded(named_metric(entry).key)
    lost, won = (
        evaluate(truth, y_score=np.where(positive, a, b), metrics=metrics, **given)
        for a, b in ((low, high), (high, low))
    )
    sums = {} if given.keys() & {"normalize", "scale_by_half"} else _sums(cells, positive)
    exact = {name: row.name for name, row in lost.rows.items() if row.name in sums}
    middle = lost
    if exact and options.get("intervals"):
        mean = np.clip(cells.all_values()[2] / np.maximum(cells.n_rows, 1), low, high)
        middle = evaluate(truth, y_score=mean, **{**given, "metrics": exact})
    rows: dict[Any, Any] = {None: slice(None)}
    if groups:
        rows |= partition(groups, truth)[1]
    kept = [name for name, row in lost.rows.items() if _bounded(row, settled)]
    if not kept:
        raise _unbounded(", ".join(lost.rows))
    in_order = {
        key: _average_precision_in_order(positive[own], low[own], high[own], cells.n_rows[own])
        for key, own in rows.items()
    }
    several = {
        name
        for name in kept
        if name not in exact
        and any(not _same(name, _part(lost, k), _part(won, k), in_order[k]) for k in rows)
    }
    note = _note(several, [name for name in lost.rows if name not in kept])
    found = {}
    for key, own in rows.items():
        n_rows = cells.n_rows[own].sum()
        means = {name: float(sums[loss][own].sum() / n_rows) for name, loss in exact.items()}
        own_parts = _part(lost, key), _part(won, key), _part(middle, key)
        two = {name: name in several for name in kept}
        found[key] = _joined(*own_parts, means, two, in_order[key], note, metrics)
    whole = found.pop(None)
    if not isinstance(lost, GroupedEvaluation):
        return whole
    has_odds = lost.has_odds and not {"recall", "false_positive_rate"} & several
    return GroupedEvaluation(found, lost.sizes, whole, lost.names, lost.simultaneous, has_odds)


def _part(found: Any, key: Any) -> Any:
    """Return the evaluation of a group, or that of all rows."""
    if isinstance(found, GroupedEvaluation):
        return found.overall if key is None else found[key]
    return found


def _same(name: str, lost: Evaluation, won: Evaluation, in_order: float) -> bool:
    """Whether a metric has one value, whatever the scores within their cells are."""
    if lost.rows[name].name == "average_precision" and in_order < won[name] * (1 - 1e-12):
        return False
    return np.array_equal(lost[name], won[name], equal_nan=True)


def _joined(
    lost: Evaluation,
    won: Evaluation,
    middle: Evaluation,
    means: Mapping[str, float],
    several: Mapping[str, bool],
    in_order: float,
    note: str,
    metrics: Any,
) -> Evaluation:
    """Return one evaluation of those with all ties lost, all won, and losses at the mean scores.

    `several` has the names of the metrics that are kept, and which of them have two values. Positives at
    one edge are ties, which raise the average precision: `in_order` is the one without ties.
    """
    values: dict[str, Any] = {}
    classes: dict[str, Any] = {}
    intervals: list[dict[str, Interval]] = [{} for _ in range(1 + len(lost.joint))]
    for name, two in several.items():
        least, most, values[name] = lost, lost, lost[name]
        if name in means:
            least, most, values[name] = middle, middle, means[name]
        elif two:
            if np.ndim(lost[name]):
                raise _unbounded(f"{name} of several classes")
            least, most = (lost, won) if lost[name] <= won[name] else (won, lost)
            low = least[name]
            if lost.rows[name].name == "average_precision":
                low = min(low, in_order)
            values[name], classes[name] = np.array([low, most[name]]), _ENDS
        elif np.ndim(lost[name]):
            classes[name] = np.array([label for label, _ in lost.cells(name)])
        ends = zip([least.intervals, *least.joint], [most.intervals, *most.joint], strict=True)
        for held, (below, above) in zip(intervals, ends, strict=True):
            if name in below:
                held[name] = _spanning(below[name], above[name], values[name])
    rows = {name: lost.rows[name] for name in several}
    note = "\n".join(filter(None, [lost.note, note]))
    own, *joint = intervals
    return Evaluation(values, rows, classes, note, own, metrics, lost.n_rows, lost.positive, joint)


def _spanning(below: Interval, above: Interval, value: Any) -> Interval:
    """Return an interval from one's lower to the other's upper limit, which contains the value."""
    if below is above:
        low, high = np.minimum(below.low, value), np.maximum(below.high, value)
        return replace(below, estimate=value, low=plain(low), high=plain(high))
    low = np.maximum(below.low - (below.estimate - value[0]), min(below.low, 0))
    return replace(
        below, estimate=value, low=np.full(2, low), high=np.full(2, above.high),
        standard_error=np.array([below.standard_error, above.standard_error]), classes=_ENDS,
    )  # fmt: skip


def _note(several: Collection[str], left_out: Collection[str]) -> str:
    """Return what has two values, and what none."""
    lines = []
    if several:
        lines.append(
            f"Cells hold several scores, so {', '.join(sorted(several))} have a low and a high value: "
            "with the rows at the edges of their cells, positives below negatives and above them."
        )
    if left_out:
        names = ", ".join(left_out)
        lines.append(f"Left out, as cells of several scores do not bound them: {names}.")
    return "\n".join(lines)


def _bounded(row: Metric, settled: bool) -> bool:
    """Whether the rows at the edges of cells give the least and the greatest value of a metric.

    All metrics of labels are exact where no cell holds scores on both sides of the threshold.
    """
    if settled and row.kind.counted:
        return True
    monotone = row.family in _BOUNDED and row.name not in _NOT_BOUNDED
    return monotone and row.greater_is_better is not None


def _unbounded(name: str) -> ValueError:
    return ValueError(
        f"{name} does not follow from cells that hold several scores, nor lies between its values at "
        "their edges; count distinct scores (digits=None), or leave the metric out."
    )


def _average_precision_in_order(positive: Bools, low: Floats, high: Floats, n_rows: Codes) -> float:
    r"""Return the average precision where the positives of each cell follow its negatives one by one.

    .. math:: \frac1P \sum_{i=1}^m \frac{t + i}{t + i + f}
        = \frac{m - f (\psi(t + f + m + 1) - \psi(t + f + 1))}P

    is the share of m positives after t positives and f negatives.
    """
    edge = np.where(positive, low, high)
    order = np.lexsort((positive, -edge))
    true = np.where(positive, n_rows, 0)[order]
    false = np.where(positive, 0, n_rows)[order].cumsum()
    ahead = true.cumsum() - true + false
    one_by_one = true - false * (special.digamma(ahead + true + 1) - special.digamma(ahead + 1))
    tied = true * quotient(true.cumsum(), ahead + true)
    shares = np.where((low < high)[order], one_by_one, tied)
    return float(quotient(shares.sum(), true.sum(), np.nan))


def _positive_rows(truth: Array, pos_label: Any) -> Bools:
    classes, codes = np.unique(truth, return_inverse=True)
    return np.asarray(codes == known_positive(positive_code(classes, pos_label)))


def _sums(cells: Cells, positive: Bools) -> dict[str, Floats]:
    """Return the sums of losses over the rows of each cell."""
    _, _, score, square, log_positive, log_negative = cells.all_values()
    return {
        "brier_score_loss": np.where(positive, square - 2 * score + cells.n_rows, square),
        "log_loss": np.where(positive, log_positive, log_negative),
    }


def _refuse_other_digits(cells: Cells) -> None:
    """Raise an error for cells that overlap."""
    low, high = cells.merged().edges()
    if (low[1:] < high[:-1]).any():
        raise ValueError(
            "Cells of scores overlap: parts were counted with different digits; count all with the "
            "same."
        )
