"""Scorers of the worst group, and of the gap between groups."""

from __future__ import annotations

import math
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from ..._arrays import Floats, group_codes, take_rows
from ..._options import check_choice
from .bound import BoundMetric
from .one_pass import OnePassScorer
from .scorers import get_scorer

Summary = Literal["worst", "difference", "ratio"]
_SUMMARIES = ("worst", "difference", "ratio")


def group_scorer(
    metric: str, summary: Summary = "worst", *, by: Any = None, **parameters: Any
) -> GroupScorer:
    """Return a scorer of the worst group, or of the gap between groups.

    Parameters
    ----------
    metric : str
        Name of a scorer, as :func:`get_scorer` takes it: "recall", "neg_log_loss" ...
    summary : {"worst", "difference", "ratio"}, default="worst"
        The value of the worst group; minus the difference of the best and the worst; or the least value
        divided by the greatest. Greater is better in all three.
    by : str or callable, default=None
        The groups of the rows: a column of X, or a function of X that returns them. None takes them as
        metadata named ``by``: see Notes.
    **parameters
        Parameters of the metric, such as ``pos_label``.

    Returns
    -------
    GroupScorer
        Called as ``scorer(estimator, X, y, sample_weight=None, by=None)``.

    Raises
    ------
    ValueError, TypeError
        If there is no such scorer or summary, or as :func:`get_scorer` raises.

    Notes
    -----
    With metadata routing (``sklearn.set_config(enable_metadata_routing=True)``) a scorer requests
    the groups: after ``scorer.set_score_request(by="sex")``, ``search.fit(X, y, sex=sex)`` passes
    them on. :class:`skaucx.model_selection.NestedCV` always passes on the metadata that its scorers
    request.

    Groups with an undefined metric on the scored rows are ignored. If no group is defined, or only
    one and a gap is requested, the value is minus infinity, which no search chooses, and nan in
    one-pass scorers and nested runs. The worst of several groups is low by chance, more so for
    small groups: :func:`evaluate` with ``by=`` and ``intervals=True`` gives its interval.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from skaucx.metrics import group_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> worst = group_scorer("recall", by=lambda X: np.where(X[:, 0] > 14, "large", "small"))
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> search = GridSearchCV(tree, {"max_depth": [1, 3]}, scoring=worst)
    >>> round(float(search.fit(X, y).best_score_), 2)
    0.78
    """
    check_choice("summary", summary, _SUMMARIES)
    return GroupScorer(get_scorer(metric, **parameters), summary, by)


class GroupScorer:
    """Evaluate a fitted classifier by group; made by :func:`group_scorer`.

    Parameters
    ----------
    scorer : scorer
        One of this package.
    summary : {"worst", "difference", "ratio"}
    by : str or callable, default=None
    """

    def __init__(self, scorer: Any, summary: Summary, by: Any = None) -> None:
        self.scorer, self.summary, self.by = scorer, summary, by
        self._requests: dict[str, bool | str | None] = {"sample_weight": None, "by": None}

    @property
    def __name__(self) -> str:
        """What results call it."""
        return f"{self._bound.function.metric.scorer_name}_{self.summary}"

    @property
    def _bound(self) -> BoundMetric:
        bound: BoundMetric = self.scorer._score_func
        return bound

    def set_score_request(self, **requests: bool | str | None) -> Self:
        """Ask metadata routing for `by` and `sample_weight`, or for the names given."""
        if unknown := set(requests) - set(self._requests):
            raise TypeError(
                f"The scorer takes 'by' and 'sample_weight', found {sorted(unknown)[0]!r}."
            )
        self._requests.update(requests)
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return the metadata requests of the scorer."""
        request = MetadataRequest(owner=self)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def __call__(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None, by: Any = None
    ) -> float:
        """Return the summary over groups, minus infinity where it is undefined."""
        value = self.or_nan(estimator, X, y, sample_weight, by)
        return -math.inf if math.isnan(value) else value

    def or_nan(
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None, by: Any = None
    ) -> float:
        """Return the summary over groups, nan where it is undefined."""
        codes = group_codes(self._groups(X, by), {"y": np.asarray(y)})
        one_pass = OnePassScorer({"value": self.scorer})
        responses = one_pass.responses(estimator, X)
        values = []
        for code in range(int(codes.max()) + 1):
            rows = np.flatnonzero(codes == code)
            judged = one_pass.score(
                estimator,
                None,
                take_rows(y, rows),
                sample_weight=None if sample_weight is None else take_rows(sample_weight, rows),
                responses={method: output[rows] for method, output in responses.items()},
            )
            values.append(judged["value"])
        return self._summary(np.array(values))

    def _groups(self, X: Any, by: Any) -> Any:
        """Return the groups of the rows."""
        if by is None and self.by is not None:
            return self.by(X) if callable(self.by) else _column(X, self.by)
        if by is None:
            raise ValueError(
                f"The scorer {self.__name__} needs the groups of the rows: name a column of X or a "
                "function of it by group_scorer(..., by=), or hand them over as metadata after "
                "set_score_request(by=True)."
            )
        return by

    def _summary(self, values: Floats) -> float:
        defined = values[np.isfinite(values)]
        if len(defined) < (1 if self.summary == "worst" else 2):
            return math.nan
        if self.summary == "worst":
            return float(defined.min())
        if self.summary == "difference":
            return float(defined.min() - defined.max())
        low, high = sorted((np.abs(defined).min(), np.abs(defined).max()))
        return float(low / high) if high > 0 else math.nan

    def __repr__(self) -> str:
        where = "" if self.by is None else f", by={self.by!r}"
        return f"group_scorer({self._bound!r}, {self.summary!r}{where})"


def _column(X: Any, name: str) -> Any:
    try:
        return X[name]
    except (KeyError, IndexError, TypeError, ValueError):
        columns = getattr(X, "columns", None)
        known = (
            "X has no named columns" if columns is None else f"X has {', '.join(map(str, columns))}"
        )
        raise ValueError(f"by={name!r} names no column: {known}.") from None
