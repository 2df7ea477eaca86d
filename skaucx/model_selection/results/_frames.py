"""A nested result as data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..._compat import import_pandas

if TYPE_CHECKING:
    import pandas as pd


def by_metric(result: Any) -> pd.DataFrame:
    """Return one row a metric."""
    pd = import_pandas()
    rows = [result.statistics(name).record() for name in result.test_scores]
    return pd.DataFrame(rows, index=pd.Index(result.test_scores, name="metric"))


def by_fold(result: Any) -> pd.DataFrame:
    """Return one row an outer fold."""
    pd = import_pandas()
    index = pd.RangeIndex(result.n_outer, name="fold")
    return pd.DataFrame([_record(result, fold) for fold in range(result.n_outer)], index=index)


def _record(result: Any, fold: int) -> dict[str, Any]:
    selection = result.selections[fold]
    params = result.candidates[selection.winner]
    chosen = {"threshold": result.thresholds[fold]} if result.decisions else {}
    return {
        **{key: scores[fold] for key, scores in result.items()},
        f"inner_{result.refit[0]}": selection.means[selection.winner],
        "optimism": result.optimism[fold],
        "winner": selection.winner,
        **{f"param_{name}": value for name, value in params.items()},
        **chosen,
        "dropped_inner_folds": int(selection.dropped.sum()),
        "undefined_candidates": int(np.count_nonzero(selection.undefined)),
        "failed_fits": sum(failed.outer_fold == fold for failed in result.failures),
    }
