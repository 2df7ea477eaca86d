"""The whole AUC family of one set of scores, or of many sets at once."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, cast

import numpy as np

from ..._arrays import Floats
from .._pairs.sets import ScoreSets
from .._records.inputs import check_score_sets, check_unit_interval
from .._registry.averaging import apply, settle
from .._registry.declare import METRICS, missing_options, share
from .._registry.names import NamedMetric
from ..kinds.base import STRICT
from .evaluation import evaluate
from .result import Evaluation

FAMILY = "AUC variants"
# Pairs evaluated at once: arrays of half a MB stay in a core's own cache, and larger ones may be taken
# from the operating system each time.
_PAIRS_AT_ONCE = 1 << 16


def auc_family(y_true: Any, y_score: Any, **parameters: Any) -> Evaluation:
    """Return the AUC and all its variants from one ranking of the scores.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True class labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores in [0, 1], or any with `rescale`.
    **parameters
        Parameters given to every variant that takes them: ``sample_weight``, ``pos_label``,
        ``rescale``, ``multi_class``, ``average``, ``q``, ``beta``, ``floor``, ``auc_power`` and
        so on.

    Returns
    -------
    Evaluation
        A mapping from name to value that prints as a table.

    Examples
    --------
    >>> from skaucx.metrics import auc_family
    >>> family = auc_family([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.1])
    >>> round(family["mm7_auc"], 4), family["roc_auc"]
    (0.6454, 1.0)
    """
    names = family_names(parameters)
    return cast(Evaluation, evaluate(y_true, y_score=y_score, metrics=names, **parameters))


def auc_family_of_sets(y_true: Any, y_score: Any, **parameters: Any) -> dict[str, Floats]:
    """Return the AUC and all its variants of many score sets of one size.

    Parameters
    ----------
    y_true : array-like of shape (n_sets, n_samples), bool or 0 and 1
        Which scores of each set are those of positives.
    y_score : array-like of shape (n_sets, n_samples)
        Scores in [0, 1].
    **parameters
        Parameters given to every variant that takes them: ``ties``, ``q``, ``beta``, ``floor``,
        ``auc_power``, ``margin_power``, ``difference``.

    Returns
    -------
    dict of str to ndarray of shape (n_sets,), float64
        One value a set; nan where a class is missing.

    Examples
    --------
    >>> from skaucx.metrics import auc_family_of_sets
    >>> family = auc_family_of_sets([[1, 1, 0, 0], [1, 0, 1, 0]], [[0.9, 0.6, 0.4, 0.1]] * 2)
    >>> family["roc_auc"].tolist()
    [1.0, 0.75]
    """
    names = family_names(parameters)
    rows = [METRICS[name].metric for name in names]
    options = share(parameters, [inspect.signature(row.formula).parameters for row in rows])
    requested = {
        name: NamedMetric(name, METRICS[name], own)
        for name, own in zip(names, options, strict=True)
    }
    return variants_of_sets(y_true, y_score, requested)


def variants_of_sets(
    y_true: Any, y_score: Any, requested: Mapping[str, NamedMetric]
) -> dict[str, Floats]:
    """Return AUC variants, each with its parameters, of many score sets of one size."""
    truth, score = check_score_sets(y_true, y_score)
    check_unit_interval(score, "auc_family_of_sets")
    pairs = max(1, score.shape[1] * (score.shape[1] - 1) // 2)
    step = max(1, _PAIRS_AT_ONCE // pairs)
    values = {name: np.empty(len(score)) for name in requested}
    for start in range(0, len(score), step):
        chunk = slice(start, start + step)
        sets = ScoreSets(truth[chunk], score[chunk])
        for name, named in requested.items():
            values[name][chunk] = apply(named.row, sets, dict(named.parameters))
    return {name: settle(requested[name].row, found, STRICT) for name, found in values.items()}


def family_names(parameters: Mapping[str, Any]) -> list[str]:
    """Return the names of the AUC variants, all their parameters given."""
    return [
        name
        for name, function in METRICS.items()
        if function.metric.family == FAMILY and not missing_options(function, parameters)
    ]
