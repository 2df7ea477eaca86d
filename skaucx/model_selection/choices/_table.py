"""Inner scores in the form of ``cv_results_``, which scikit-learn's callable ``refit`` reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from .._types import Floats, Params


def cv_results(
    candidates: Sequence[Params], scores: Floats, metrics: Sequence[str]
) -> dict[str, Any]:
    """Return the table of a search over C candidates and l folds by R metrics.

    Folds on which every candidate is undefined are left out; a candidate that is undefined on
    another has no mean and ranks last.

    Parameters
    ----------
    candidates : sequence of C dict
    scores : ndarray of shape (C, l, R), float64
    metrics : sequence of R str

    Returns
    -------
    dict of str to ndarray of shape (C,) or list
        The keys that :class:`sklearn.model_selection.GridSearchCV` gives for several metrics; for
        one metric also those for a single one, as ``mean_test_score``.

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.choices._table import cv_results
    >>> table = cv_results([{"C": 1}, {"C": 9}], np.array([[[0.7], [0.9]], [[0.9], [0.8]]]), ["f1"])
    >>> table["mean_test_f1"].round(2).tolist(), table["rank_test_score"].tolist()
    ([0.8, 0.85], [2, 1])
    """
    table: dict[str, Any] = {}
    for name in dict.fromkeys(name for params in candidates for name in params):
        values = np.empty(len(candidates), dtype=object)
        values[:] = [params.get(name) for params in candidates]
        unset = [name not in params for params in candidates]
        table[f"param_{name}"] = np.ma.MaskedArray(values, mask=unset)
    table["params"] = list(candidates)
    for i, metric in enumerate(metrics):
        columns = _columns(scores[:, :, i])
        table |= {f"{key}_test_{metric}": values for key, values in columns.items()}
        if len(metrics) == 1:
            table |= {f"{key}_test_score": values for key, values in columns.items()}
    return table


def _columns(scores: Floats) -> dict[str, Any]:
    """Return the columns of one metric: folds, mean, standard deviation, rank."""
    kept = scores[:, ~np.isnan(scores).all(axis=0)]
    nothing = np.full(len(scores), np.nan)
    means = kept.mean(axis=1) if kept.size else nothing
    ranks = rankdata(np.nan_to_num(-means, nan=np.inf), method="min")
    return {
        **{f"split{fold}": column for fold, column in enumerate(kept.T)},
        "mean": means,
        "std": kept.std(axis=1) if kept.size else nothing,
        "rank": ranks.astype(np.int32),
    }
