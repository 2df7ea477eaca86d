"""Scorers of the mean over groups, of the worst group, and of the gap between groups."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from sklearn.utils.metadata_routing import MetadataRequest

from ..._arrays import Codes, Floats, group_codes, host_array, take_rows
from ..._options import check_choice
from .._records.inputs import names_positive
from .._registry.declare import METRICS
from .bound import BoundMetric, one_target_classes
from .group_rankings import OF_GROUPS, GroupRanking
from .one_pass import OnePassScorer, first_method
from .scorers import get_scorer

Summary = Literal["mean", "worst", "difference", "ratio"]
_SUMMARIES = ("mean", "worst", "difference", "ratio")
# The outputs of a model that rank rows, in order of preference.
_RANKS = ("decision_function", "predict_proba", "predict")


def group_scorer(
    metric: str,
    summary: Summary = "worst",
    *,
    by: str | Callable[..., Any] | None = None,
    **parameters: Any,
) -> GroupScorer:
    """Return a scorer of the mean over groups, of the worst group, or of the gap between groups.

    Parameters
    ----------
    metric : str
        Name of a scorer, as :func:`get_scorer` takes it: "recall", "neg_log_loss" ...; or "ndcg",
        "reciprocal_rank" or "hit_rate" of the ranking within a group, as
        :func:`skaucx.inference.group_mean` takes them.
    summary : {"mean", "worst", "difference", "ratio"}, default="worst"
        The mean over groups, such as queries or users; the value of the worst group; minus the
        difference of the best and the worst; or the least value divided by the greatest. Greater is
        better in all four.
    by : str or callable, default=None
        The groups of the rows: a column of X, or a function of X that returns them. None takes them as
        metadata named ``by``: see Notes.
    **parameters
        Parameters of the metric, such as ``pos_label`` and ``k``.

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

    Groups with an undefined metric on the scored rows, or without weight there, are ignored. If no
    group is defined, or only one and a gap is requested, the value is minus infinity, which no search
    chooses, and nan in one-pass scorers and nested runs. The worst of several groups is low by chance,
    more so for small groups: :func:`evaluate` with ``by=`` and ``intervals=True`` gives its interval.

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
    ranking = GroupRanking.named(metric, parameters)
    scorer = None if ranking and ranking.name in OF_GROUPS else get_scorer(metric, **parameters)
    return GroupScorer(scorer, summary, by, ranking)


class GroupScorer:
    """Evaluate a fitted classifier by group; made by :func:`group_scorer`.

    Parameters
    ----------
    scorer : scorer or None
        One of this package; None for a metric that has a meaning within groups only.
    summary : {"mean", "worst", "difference", "ratio"}
    by : str or callable, default=None
    ranking : GroupRanking, default=None
        The metric, if it is one of the ranking within groups.
    """

    def __init__(
        self, scorer: Any, summary: Summary, by: Any = None, ranking: GroupRanking | None = None
    ) -> None:
        self.scorer, self.summary, self.by, self.ranking = scorer, summary, by, ranking
        self._requests: dict[str, bool | str | None] = {"sample_weight": None, "by": None}

    def with_pos_label(self, pos_label: Any) -> GroupScorer:
        """Return the same scorer with a positive class, unless it has one or its metric takes none."""
        scorer, ranking, bound = self.scorer, self.ranking, self.scorer and self._bound
        if bound and bound.judges_one_class and bound.parameters.get("pos_label") is None:
            scorer = get_scorer(bound.function, **{**bound.parameters, "pos_label": pos_label})
        if ranking is not None and ranking.pos_label is None:
            ranking = replace(ranking, pos_label=pos_label)
        made = GroupScorer(scorer, self.summary, self.by, ranking)
        made._requests = dict(self._requests)
        return made

    @property
    def __name__(self) -> str:
        """What results call it."""
        if self.scorer is None:
            return f"{self._ranking.label}_{self.summary}"
        return f"{self._bound.function.metric.scorer_name}_{self.summary}"

    @property
    def _ranking(self) -> GroupRanking:
        assert self.ranking is not None
        return self.ranking

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
        codes = group_codes(self._groups(X, by), {"y": host_array(y)})
        classes = one_target_classes(estimator, y)
        named = self.ranking and (self.ranking.pos_label is not None or _names_positive(classes))
        if self.scorer is None or (named and sample_weight is None):
            return self._summary(self._ranked(estimator, X, y, codes, sample_weight))
        one_pass = OnePassScorer({"value": self.scorer})
        responses = one_pass.responses(estimator, X)
        values = []
        for code in range(int(codes.max()) + 1):
            rows = np.flatnonzero(codes == code)
            weight = None if sample_weight is None else take_rows(sample_weight, rows)
            if weight is not None and not np.any(weight):
                continue
            scored = one_pass.score(
                estimator,
                None,
                take_rows(y, rows),
                sample_weight=weight,
                responses={name: take_rows(output, rows) for name, output in responses.items()},
            )
            values.append(scored["value"])
        return self._summary(np.array(values))

    def _ranked(self, estimator: Any, X: Any, y: Any, codes: Codes, sample_weight: Any) -> Floats:
        """Return the metric of the ranking in every group."""
        ranking = self._ranking
        if sample_weight is not None:
            raise TypeError(
                f"{ranking.name!r} takes no sample_weight; set_score_request(sample_weight=False)."
            )
        method = first_method(estimator, _RANKS, f"the metric {ranking.name!r}")
        response, classes = getattr(estimator, method)(X), one_target_classes(estimator, y)
        of_response = METRICS["roc_auc"].metric.kind.inputs.of_response
        positive = ranking.pos_label
        if positive is None and classes is not None:
            positive = classes.tolist()[-1]
        score = of_response(np.asarray(response), classes, positive)
        return ranking.values(y, score, codes, int(codes.max()) + 1, classes)

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
        if len(defined) < (1 if self.summary in ("mean", "worst") else 2):
            return math.nan
        if self.summary == "mean":
            return float(defined.mean())
        if self.summary == "worst":
            return float(defined.min())
        if self.summary == "difference":
            return float(defined.min() - defined.max())
        low, high = sorted((np.abs(defined).min(), np.abs(defined).max()))
        return float(low / high) if high > 0 else math.nan

    def __repr__(self) -> str:
        where = "" if self.by is None else f", by={self.by!r}"
        metric = self.ranking if self.scorer is None else self._bound
        return f"group_scorer({metric!r}, {self.summary!r}{where})"


def _names_positive(classes: Any) -> bool:
    """Whether there are two classes, and the positive one is known without a name."""
    return classes is not None and len(classes) == 2 and names_positive(classes)


def _column(X: Any, name: str) -> Any:
    try:
        return X[name]
    except (KeyError, IndexError, TypeError, ValueError):
        columns = getattr(X, "columns", None)
        known = (
            "X has no named columns" if columns is None else f"X has {', '.join(map(str, columns))}"
        )
        raise ValueError(f"by={name!r} names no column: {known}.") from None
