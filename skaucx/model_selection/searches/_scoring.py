"""What ``scoring`` and ``refit`` stand for: scorers by name, and which of them choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sklearn import metrics as sklearn_metrics

from skaucx.metrics import get_scorer_names
from skaucx.metrics._scorers.bound import BoundMetric
from skaucx.metrics._scorers.one_pass import OnePassScorer

from ..._compat import score_function


def named_scorers(scoring: Any, estimator: Any) -> dict[str, Any]:
    """Map names to scorers.

    Parameters
    ----------
    scoring : str, list of str, dict, scorer, OnePassScorer or None
        None is the estimator's own ``score``.
    estimator : estimator

    Returns
    -------
    dict of str to str or scorer
        Names that only scikit-learn knows are turned into its scorers.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skaucx.metrics import get_scorer
    >>> from skaucx.model_selection.searches._scoring import named_scorers
    >>> named_scorers(["mm7_auc", "r2"], Ridge())
    {'mm7_auc': 'mm7_auc', 'r2': make_scorer(r2_score)}
    >>> list(named_scorers(get_scorer("mm7_auc", pos_label=0), Ridge()))
    ['mm7_auc']
    """
    if scoring is None:
        return {"score": sklearn_metrics.check_scoring(estimator)}
    if isinstance(scoring, OnePassScorer):
        return dict(scoring.scorers)
    if callable(scoring):
        return {scorer_name(scoring): scoring}
    names = [scoring] if isinstance(scoring, str) else scoring
    entries = names if isinstance(names, Mapping) else {name: name for name in names}
    return {key: _known_to_sklearn(entry) for key, entry in entries.items()}


def scorer_name(scorer: Any) -> str:
    """Return the name under which a scorer is reported."""
    function = score_function(scorer)
    if isinstance(function, BoundMetric):
        return function.function.metric.scorer_name
    return getattr(scorer if function is None else function, "__name__", "score")


def refit_names(refit: str | Sequence[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Check the metrics that choose; the first known one by default."""
    names = (known[0],) if refit is None else (refit,) if isinstance(refit, str) else tuple(refit)
    if not names or len(set(names)) < len(names) or not set(names) <= set(known):
        raise ValueError(
            f"refit must be one of the metrics {known} or a list of distinct ones, found {refit!r}."
        )
    return names


def _known_to_sklearn(entry: Any) -> Any:
    if not isinstance(entry, str) or entry in get_scorer_names():
        return entry
    if entry in sklearn_metrics.get_scorer_names():
        return _scorer_of_sklearn(entry)
    return entry  # unknown to both: refused where scorers are made, with the names that are near


@cache
def _scorer_of_sklearn(name: str) -> Any:
    """Return the same object for the same name, so that two can be told to be one."""
    return sklearn_metrics.get_scorer(name)
