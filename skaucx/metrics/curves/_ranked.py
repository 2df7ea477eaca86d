"""Raw labels and scores of a curve, checked and ranked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ..._options import check_choice
from .._chunks.sources import is_chunked
from .._pairs.ranking import RankedScores
from .._records.inputs import check_scored_labels, check_unit_interval
from .._records.rescaling import rescaled
from ..kinds.scores.state import score_state
from ._counted import counted_ranking, is_counted

Curve = TypeVar("Curve")


def ranked_scores(
    y_true: Any, y_score: Any, pos_label: Any = None, sample_weight: Any = None
) -> RankedScores:
    """Rank the scores of a binary problem; of rows in chunks, or counted already, their cells."""
    if is_counted(y_true) or is_chunked(y_true):
        return counted_ranking(y_true, y_score, pos_label, sample_weight)
    checked = check_scored_labels(y_true, y_score, sample_weight=sample_weight)
    return score_state(checked).binary_ranking(pos_label)


def ranked_unit_scores(
    metric: str, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, rescale: Any
) -> RankedScores:
    """Rank scores that must lie in [0, 1], or are brought there by `rescale`."""
    check_choice("rescale", rescale, (None, "minmax", "expit"))
    if is_counted(y_true) or is_chunked(y_true):
        return _unit_cells(metric, y_true, y_score, pos_label, sample_weight, rescale)
    checked = check_scored_labels(y_true, y_score, sample_weight=sample_weight)
    if rescale is None:
        check_unit_interval(checked.score, metric)
    return score_state(checked).binary_ranking(pos_label, rescale)


def _unit_cells(
    metric: str, y_true: Any, y_score: Any, pos_label: Any, sample_weight: Any, rescale: Any
) -> RankedScores:
    """Rank counted scores of which every one must be known."""
    ranked = counted_ranking(y_true, y_score, pos_label, sample_weight)
    if not ranked.exact:
        raise ValueError(
            f"{metric} reads score values, and of these rows only cells of scores are kept, as their "
            "distinct scores are too many; round the scores, or pass arrays in memory."
        )
    if rescale is None:
        check_unit_interval(ranked.values, metric)
        return ranked
    return RankedScores(rescaled(ranked.values, rescale), ranked.positive, ranked.negative)


def one_vs_rest_curves(
    curve: Callable[..., Curve],
    y_true: Any,
    y_score: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    micro: bool = False,
    **options: Any,
) -> dict[Any, Curve]:
    """Return one curve a class, each class against the rest, or one a label of indicators.

    Parameters
    ----------
    curve : callable
        A curve of two classes, such as :func:`roc_curve` or :func:`precision_recall_curve`.
    y_true : array-like of shape (n_samples,) or (n_samples, n_labels)
        True class labels, or multilabel indicators.
    y_score : array-like of shape (n_samples, n_classes)
        One column of scores a class, in sorted order, or a label.
    labels : array-like of shape (n_classes,), default=None
        The sorted classes that the columns stand for, where some do not occur.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights >= 0.
    micro : bool, default=False
        Whether to add, under the key "micro", the curve of all cells of the score matrix.
    **options
        Passed to `curve`.

    Returns
    -------
    curves : dict
        From class label, or from column number, to its curve.

    Raises
    ------
    ValueError, TypeError
        If `y_score` is no matrix of a column a class, or as `curve` raises.

    Examples
    --------
    >>> from skaucx.metrics import one_vs_rest_curves, roc_curve
    >>> scores = [[0.8, 0.1, 0.1], [0.3, 0.4, 0.3], [0.4, 0.5, 0.1], [0.1, 0.2, 0.7]]
    >>> curves = one_vs_rest_curves(roc_curve, ["a", "b", "a", "c"], scores)
    >>> {label: round(curve.area, 4) for label, curve in curves.items()}
    {'a': 1.0, 'b': 0.6667, 'c': 1.0}
    """
    checked = check_scored_labels(y_true, y_score, labels=labels, sample_weight=sample_weight)
    state = score_state(checked)
    if checked.score.ndim != 2:
        raise ValueError(
            f"y_score must have one column a class, found shape {checked.score.shape}; for two "
            f"classes call {getattr(curve, '__name__', 'the curve')} itself."
        )
    problems = state.each_class() | ({"micro": state.all_cells()} if micro else {})
    return {
        name: curve(truth, score, pos_label=True, sample_weight=weight, **options)
        for name, (truth, score, weight) in problems.items()
    }
