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


def _decided(result: Any, fold: int) -> dict[str, Any]:
    """Return what was chosen inside beside a candidate, and what came of it."""
    found = {f"plain_{name}": scores[fold] for name, scores in result.plain_scores.items()}
    if result.decisions:
        found["threshold"] = result.thresholds[fold]
    if result.rejections is not None:
        found["accepted"] = result.rejections.coverage[fold]
    if result.prediction_sets is not None:
        found["set_coverage"] = result.prediction_sets.fold_coverage[fold]
    return found


def _record(result: Any, fold: int) -> dict[str, Any]:
    selection = result.selections[fold]
    params = result.candidates[selection.winner]
    return {
        **{key: scores[fold] for key, scores in result.items()},
        f"inner_{result.refit[0]}": selection.means[selection.winner],
        "optimism": result.optimism[fold],
        "winner": selection.winner,
        **{f"param_{name}": value for name, value in params.items()},
        **_decided(result, fold),
        "dropped_inner_folds": int(selection.dropped.sum()),
        "undefined_candidates": int(np.count_nonzero(selection.undefined)),
        "failed_fits": sum(failed.outer_fold == fold for failed in result.failures),
    }
