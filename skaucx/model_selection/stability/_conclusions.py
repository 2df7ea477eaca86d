"""How often the best of several estimators changes: with the metric, the fold, the group, the seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils import get_tags

from ..._compat import import_pandas
from ..._text.html import Preformatted
from ..._text.tables import paragraph, table
from .._types import Floats, Rows
from ..comparisons._estimator_comparison import EstimatorComparison
from ..results._nested_result import NestedCVResult
from ..results._pool import pooled_scores

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False)
class ConclusionStability(Preformatted):
    """Which estimator is best in each view of the same fits; made by :func:`conclusion_stability`.

    Attributes
    ----------
    best : dict of str to str
        For each metric the estimator with the highest mean over all folds.
    views : dict of str to dict
        For each way to look ("fold", "seed", "group") and each metric the best estimator of each part,
        None where the part has no value.

    Examples
    --------
    >>> from skaucx.model_selection import ConclusionStability
    >>> best = {"roc_auc": "forest", "recall": "bayes"}
    >>> views = {"fold": {"roc_auc": {0: "forest", 1: "bayes", 2: "forest", 3: "forest"}}}
    >>> found = ConclusionStability(best, views)
    >>> found.changes("fold", "roc_auc"), found.changes("metric", "roc_auc")
    (0.25, 1.0)
    """

    best: Mapping[str, str]
    views: Mapping[str, Mapping[str, Mapping[Any, str | None]]]

    def changes(self, view: str, metric: str) -> float:
        """Return the share of the parts of a view whose best is not the best of all; nan without parts.

        Parameters
        ----------
        view : {"metric", "fold", "seed", "group"}
            "metric" looks at the other metrics.
        metric : str

        Raises
        ------
        KeyError
            If there is no such view or metric.
        """
        whole = self.best[metric]
        if view == "metric":
            parts = [best for name, best in self.best.items() if name != metric]
        else:
            found = self.views[view][metric].values()
            parts = [best for best in found if best is not None]
        return float(np.mean([best != whole for best in parts])) if parts else np.nan

    def to_frame(self) -> pd.DataFrame:
        """Return a row a metric: the best, and how often it changes in each view.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pd = import_pandas()
        rows = [
            {"best": best, **{view: self.changes(view, metric) for view in ("metric", *self.views)}}
            for metric, best in self.best.items()
        ]
        return pd.DataFrame(rows, index=pd.Index(self.best, name="metric"))

    def __repr__(self) -> str:
        reported = ", ".join(f"{metric}: {best}" for metric, best in self.best.items())
        return paragraph(f"ConclusionStability({reported})", hang=2)

    def __str__(self) -> str:
        views = ("metric", *self.views)
        rows = [
            [metric, best, *(_percent(self.changes(view, metric)) for view in views)]
            for metric, best in self.best.items()
        ]
        head = "Share of the views in which another estimator is best:"
        return f"{paragraph(head)}\n{table(['metric', 'best', *views], rows)}"


def _percent(share: float) -> str:
    return "" if np.isnan(share) else f"{share:.0%}"


def conclusion_stability(
    results: EstimatorComparison | Mapping[str, NestedCVResult], *, groups: ArrayLike | None = None
) -> ConclusionStability:
    """Return how often the best estimator changes by metric, fold, group and repetition.

    Nothing is fitted.

    Parameters
    ----------
    results : EstimatorComparison, or dict of str to NestedCVResult
        Two estimators or more on the same outer folds.
    groups : array-like of shape (n_samples,), optional
        Kinds of rows to look at one by one, such as hospitals; those given to ``fit`` by default where
        they are at most 20.

    Returns
    -------
    ConclusionStability
        With the views "fold" (each outer fold alone), "seed" (each repetition of repeated folds, where
        there are any) and "group" (the joined predictions of each group).

    Raises
    ------
    ValueError
        If there are fewer than two estimators, or they were evaluated on different folds.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import compare_estimators, conclusion_stability
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    >>> found = conclusion_stability(compare_estimators(models, X, y, scoring=["roc_auc", "recall"]))
    >>> found.best["roc_auc"], found.changes("fold", "roc_auc")
    ('bayes', 0.0)
    """
    found = results.results if isinstance(results, EstimatorComparison) else dict(results)
    _check(found)
    first = next(iter(found.values()))
    scores = {
        metric: np.stack([result.test_scores[metric] for result in found.values()])
        for metric in first.test_scores
    }
    names = list(found)
    views: dict[str, dict[str, dict[Any, str | None]]] = {
        "fold": {m: _best_of(names, dict(enumerate(s.T))) for m, s in scores.items()}
    }
    if len(seeds := _repetitions(first)) > 1:
        views["seed"] = {
            metric: _best_of(names, {i: _means(s[:, part]) for i, part in enumerate(seeds)})
            for metric, s in scores.items()
        }
    if by_group := _by_group(found, groups):
        views["group"] = {
            m: _best_of(names, {g: values[m] for g, values in by_group.items()}) for m in scores
        }
    best = {m: _best_of(names, {0: _means(s)})[0] or names[0] for m, s in scores.items()}
    return ConclusionStability(best, views)


def _check(found: Mapping[str, NestedCVResult]) -> None:
    if len(found) < 2:
        raise ValueError(f"results must hold two estimators or more, found {list(found)}.")
    first, *others = found.values()
    for result in others:
        same = result.n_test.tolist() == first.n_test.tolist()
        if not same or set(result.test_scores) != set(first.test_scores):
            raise ValueError("results must be of the same outer folds and metrics.")


def _means(scores: Floats) -> Floats:
    """Return means over folds (E,), nan for an estimator that is undefined on any."""
    return np.asarray(scores.mean(axis=1))


def _best_of(names: list[str], parts: Mapping[Any, Floats]) -> dict[Any, str | None]:
    """Return the name with the highest value of each part, the first of equal ones."""
    return {
        part: None if np.isnan(values).all() else names[int(np.nanargmax(values))]
        for part, values in parts.items()
    }


def _repetitions(result: NestedCVResult) -> list[Rows]:
    """Return the folds of each repetition: one ends where all rows have been tested once more."""
    found, begun, tested = [], 0, 0
    for fold, size in enumerate(result.n_test.tolist()):
        tested += size
        if tested == result.n_samples:
            found.append(np.arange(begun, fold + 1))
            begun, tested = fold + 1, 0
    return found if not tested else []


def _by_group(
    found: Mapping[str, NestedCVResult], groups: ArrayLike | None
) -> dict[Any, dict[str, Floats]]:
    """Return each metric of each group's joined predictions, a value an estimator."""
    first = next(iter(found.values()))
    if groups is None:
        own = first.predictions.groups
        if own is None or len(np.unique(own)) > 20:
            return {}
    per_row = None if groups is None else np.asarray(groups)
    if per_row is not None and len(per_row) != first.n_samples:
        raise ValueError(
            f"groups must hold one entry a row, {first.n_samples}, found {len(per_row)}."
        )
    values: dict[Any, list[Mapping[str, float]]] = {}
    for result in found.values():
        own = result.predictions.groups if per_row is None else per_row[result.predictions.row]
        for group in np.unique(np.asarray(own)).tolist():
            values.setdefault(group, []).append(_pooled(result, np.asarray(own) == group))
    return {
        group: {m: np.array([v[m] for v in each]) for m in first.test_scores}
        for group, each in values.items()
    }


def _pooled(result: NestedCVResult, rows: Any) -> Mapping[str, float]:
    if result.scorer is None:
        return dict.fromkeys(result.test_scores, np.nan)
    kind = DummyRegressor() if result.classes is None else DummyClassifier()
    found = pooled_scores(result.scorer, result.predictions.taken(rows), get_tags(kind))
    return {name: pooled.value for name, pooled in found.items()}
