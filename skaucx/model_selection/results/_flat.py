"""A nested result as plain tables: the candidates' inner scores, and numbers by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.ma import MaskedArray


def candidate_table(result: Any, fold: int) -> dict[str, Any]:
    """Return the inner scores of an outer fold's candidates in the form of ``cv_results_``."""
    if not 0 <= fold < result.n_outer:
        raise ValueError(f"fold must be in 0 to {result.n_outer - 1}, found {fold!r}.")
    if result.searches:
        return dict(result.searches[fold])
    table: dict[str, Any] = {"params": [dict(params) for params in result.candidates]}
    for name in sorted({name for params in result.candidates for name in params}):
        table[f"param_{name}"] = _column([p.get(name, _ABSENT) for p in result.candidates])
    names = result.refit
    for metric, name in enumerate(names):
        suffix = "score" if len(names) == 1 else name
        scores = result.inner_scores[fold, :, : result.n_inner[fold], metric]
        means = scores.mean(axis=1)
        table |= {f"split{i}_test_{suffix}": column for i, column in enumerate(scores.T)}
        table[f"mean_test_{suffix}"] = means
        table[f"std_test_{suffix}"] = scores.std(axis=1)
        table[f"rank_test_{suffix}"] = _ranks(means)
    return table


_ABSENT = object()


def _column(values: list[Any]) -> Any:
    """Return a masked array of objects, as scikit-learn does: absent parameters are masked."""
    column = MaskedArray(np.empty(len(values), dtype=object), mask=True)
    for i, value in enumerate(values):
        if value is not _ABSENT:
            column[i] = value
    return column


def _ranks(means: Any) -> Any:
    """Return 1 for the highest mean, equal ones alike; undefined ones come last."""
    order = -np.where(np.isnan(means), -np.inf, means)
    return 1 + (order[None, :] < order[:, None]).sum(axis=1).astype(np.int32)


def numbers(result: Any) -> dict[str, float]:
    """Return the numbers of a result by flat names, without undefined ones."""
    found: dict[str, float] = {}
    for name in result.test_scores:
        record = result.statistics(name).record()
        found |= {f"{name}.{part}": float(value) for part, value in record.items()}
        found |= {f"{name}.fold_{i}": float(s) for i, s in enumerate(result.test_scores[name])}
    found[f"{result.refit[0]}.optimism"] = float(np.mean(result.optimism))
    found |= {f"threshold.fold_{i}": float(cut) for i, cut in enumerate(result.thresholds)}
    found |= {f"{name}.plain": float(np.mean(s)) for name, s in result.plain_scores.items()}
    if result.rejections is not None:
        found["accepted"] = float(np.mean(result.rejections.coverage))
    if result.prediction_sets is not None:
        found["set_coverage"] = result.prediction_sets.coverage
        found["set_size"] = float(result.prediction_sets.sizes.mean())
    counts = {"n_samples": result.n_samples, "failed_fits": len(result.failures)}
    found |= {name: float(n) for name, n in {**counts, "fits_saved": result.fits_saved}.items()}
    return {name: value for name, value in found.items() if np.isfinite(value)}
