"""Rules from ``cv_results_`` to the index of the winner, also as ``refit`` of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..._compat import warn
from ..._options import check_bound
from .._types import Floats, Params


@dataclass(frozen=True)
class Limit:
    """A value must be at least, or at most, so much."""

    comparison: str
    value: float

    def __str__(self) -> str:
        return f"{self.comparison} {self.value:g}"

    def gap(self, reached: Floats) -> Floats:
        """Return the distance of values from the limit, negative outside."""
        return reached - self.value if self.comparison == ">=" else self.value - reached


def limits_of(given: Any, argument: str) -> dict[str, Limit]:
    """Return the limit of each name.

    Raises
    ------
    ValueError
        If they are not in the form ``{name: (">=" or "<=", value)}``.

    Examples
    --------
    >>> from skaucx.model_selection.decisions._rules import limits_of
    >>> limits_of({"recall": (">=", 0.9)}, "limits")
    {'recall': Limit(comparison='>=', value=0.9)}
    """
    if not isinstance(given, Mapping):
        raise ValueError(
            f"{argument} must be a dict from metrics to ('>=' or '<=', value), found {given!r}."
        )
    for name, bound in given.items():
        check_bound(f"{argument}: the constraint of {name!r}", bound)
    return {name: Limit(comparison, float(value)) for name, (comparison, value) in given.items()}


Table = Mapping[str, Any]


def column(table: Table, kind: str, metric: str | None) -> Floats:
    """Return a column of one metric; a search by one metric calls it ``score``."""
    key = f"{kind}_test_{'score' if metric is None else metric}"
    if key not in table:
        known = [k.removeprefix("mean_test_") for k in table if k.startswith("mean_test_")]
        raise ValueError(f"refit needs {metric!r}; the search scored {', '.join(known)}.")
    return np.asarray(table[key], dtype=np.float64)


def first_best(values: Floats, among: Any = True) -> int:
    """Return the first index of the highest value among some; undefined ones rank last."""
    return int(np.argmax(np.where(np.isnan(values) | ~np.asarray(among), -np.inf, values)))


@dataclass(frozen=True)
class OneStandardError:
    r"""Take the simplest candidate whose mean score is within one standard error of the best.

    Parameters
    ----------
    metric : str, default=None
        Name of the metric in ``scoring``; None where there is only one.
    complexity : str or callable, default=None
        The complexity to minimise: a parameter of the candidates, or a function of their dict of
        parameters. None means that the grid lists the simplest first.

    Notes
    -----
    With the scores of the best candidate on l folds, of mean :math:`m` and standard deviation
    :math:`s` (l - 1 in the denominator), a candidate is good enough where its mean is at least

    .. math:: m - s / \sqrt{l}

    which is the rule of Breiman, Friedman, Olshen and Stone [1]_. Of equally simple ones the best
    is taken. The folds of a cross-validation are not independent, so that the standard error is a
    yardstick and no confidence statement.

    References
    ----------
    .. [1] Breiman, L., Friedman, J. H., Olshen, R. A. and Stone, C. J. (1984). Classification and
       Regression Trees. Wadsworth, section 3.4.3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.model_selection import OneStandardError
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree, grid = DecisionTreeClassifier(random_state=0), {"min_samples_leaf": [60, 30, 9, 3]}
    >>> GridSearchCV(tree, grid, refit=OneStandardError()).fit(X, y).best_params_
    {'min_samples_leaf': 30}
    >>> GridSearchCV(tree, grid).fit(X, y).best_params_
    {'min_samples_leaf': 9}
    """

    metric: str | None = None
    complexity: str | Callable[[Params], Any] | None = None

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that it uses; none means the first one of ``scoring``."""
        return () if self.metric is None else (self.metric,)

    @property
    def name(self) -> str:
        """The rule in words."""
        return f"one standard error of {self.metric or 'the score'}"

    def __call__(self, cv_results: Table) -> int:
        """Return the index of the candidate chosen.

        Raises
        ------
        ValueError
            If there is but one inner fold, or no such metric or parameter.
        """
        means = column(cv_results, "mean", self.metric)
        best = first_best(means)
        end = f"_test_{self.metric or 'score'}"
        folds = [key for key in cv_results if key.startswith("split") and key.endswith(end)]
        scores = np.array([cv_results[key][best] for key in folds], dtype=np.float64)
        scores = scores[~np.isnan(scores)]
        if len(scores) < 2:
            raise ValueError("OneStandardError needs the scores of two inner folds or more.")
        enough = means >= means[best] - scores.std(ddof=1) / np.sqrt(len(scores))
        candidates = np.flatnonzero(enough)
        cost = [self._complexity(cv_results["params"][i], int(i)) for i in candidates]
        least = min(cost)
        simplest = [i for i, c in zip(candidates, cost, strict=True) if not c > least]
        return int(max(simplest, key=lambda i: (means[i], -i)))

    def _complexity(self, params: Params, index: int) -> Any:
        if self.complexity is None:
            return index
        if callable(self.complexity):
            return self.complexity(params)
        if self.complexity not in params:
            raise ValueError(
                f"complexity names {self.complexity!r}; the candidates vary {', '.join(params)}."
            )
        return params[self.complexity]


@dataclass(frozen=True)
class Constrained:
    """Take the candidate that is best by one metric among those that keep others within limits.

    As ``refit`` of :class:`NestedCV` the dict ``{"npv": {"recall": (">=", 0.9)}}`` means
    ``Constrained("npv", {"recall": (">=", 0.9)})``.

    Parameters
    ----------
    metric : str
        Name of the metric in ``scoring`` that is to be highest.
    limits : dict of str to (">=" or "<=", float)
        Bounds on the mean scores of other metrics of ``scoring``, at every candidate's own
        threshold. Losses are scored by their negative.

    Notes
    -----
    Where no candidate keeps to all limits, the one that breaks them least, by the sum of its
    shortfalls, is taken with a warning.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.metrics import one_pass_scorer
    >>> from skaucx.model_selection import Constrained
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree, grid = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5, 8]}
    >>> scoring = one_pass_scorer(["specificity", "recall"])
    >>> search = GridSearchCV(tree, grid, scoring=scoring, refit="specificity").fit(X, y)
    >>> bound = GridSearchCV(
    ...     tree, grid, scoring=scoring, refit=Constrained("specificity", {"recall": (">=", 0.94)})
    ... ).fit(X, y)
    >>> search.best_params_, bound.best_params_
    ({'max_depth': 8}, {'max_depth': 2})
    """

    metric: str
    limits: Mapping[str, tuple[str, float]]

    def __post_init__(self) -> None:
        limits_of(self.limits, "limits")

    @property
    def bounds(self) -> dict[str, Limit]:
        """The limit of each metric."""
        return limits_of(self.limits, "limits")

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics that it reads."""
        return (self.metric, *(name for name in self.limits if name != self.metric))

    @property
    def name(self) -> str:
        """The rule in words."""
        kept = " and ".join(f"{name} {limit}" for name, limit in self.bounds.items())
        return f"{self.metric} with {kept}"

    def __call__(self, cv_results: Table) -> int:
        """Return the index of the candidate chosen.

        Raises
        ------
        ValueError
            If the search scored no such metric.
        """
        means = column(cv_results, "mean", self.metric)
        gaps = [limit.gap(column(cv_results, "mean", name)) for name, limit in self.bounds.items()]
        slack = np.minimum(np.nan_to_num(np.array(gaps), nan=-np.inf), 0).sum(axis=0)
        feasible = (slack >= 0) & ~np.isnan(means)
        if feasible.any():
            return first_best(means, feasible)
        warn(f"No candidate keeps to {self.name}; the closest one was chosen.")
        return int(np.lexsort((-np.nan_to_num(means, nan=-np.inf), -slack))[0])
