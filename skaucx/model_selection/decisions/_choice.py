"""Resolve ``refit``: metrics that choose by their mean, and other rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from scipy.stats import rankdata

from .._types import Floats, Params
from ._rules import Constrained
from ._winner import Selection, select


def cv_results(
    candidates: Sequence[Params], scores: Floats, names: Sequence[str]
) -> dict[str, Any]:
    """Return the table of a search over C candidates and l folds by R metrics.

    Means leave out folds on which every candidate is undefined; a candidate that is undefined on
    another fold has no mean and ranks last.

    Parameters
    ----------
    candidates : sequence of C dict
    scores : ndarray of shape (C, l, R), float64
    names : sequence of R str
        The ends of the keys; :class:`sklearn.model_selection.GridSearchCV` calls a single metric
        "score".

    Returns
    -------
    dict of str to ndarray of shape (C,) or list

    Examples
    --------
    >>> import numpy as np
    >>> from skaucx.model_selection.decisions._choice import cv_results
    >>> table = cv_results([{"C": 1}, {"C": 9}], np.array([[[0.7], [0.9]], [[0.9], [0.8]]]), ["f1"])
    >>> table["mean_test_f1"].round(2).tolist(), table["rank_test_f1"].tolist()
    ([0.8, 0.85], [2, 1])
    """
    table: dict[str, Any] = {}
    for name in dict.fromkeys(name for params in candidates for name in params):
        values = np.empty(len(candidates), dtype=object)
        values[:] = [params.get(name) for params in candidates]
        unset = [name not in params for params in candidates]
        table[f"param_{name}"] = np.ma.MaskedArray(values, mask=unset)
    table["params"] = list(candidates)
    for i, name in enumerate(names):
        columns = _columns(np.ascontiguousarray(scores[:, :, i]))
        table |= {f"{key}_test_{name}": values for key, values in columns.items()}
    return table


def _columns(scores: Floats) -> dict[str, Any]:
    """Return the columns of one metric: folds, mean, standard deviation, rank."""
    kept = np.ascontiguousarray(scores[:, ~np.isnan(scores).all(axis=0)])
    nothing = np.full(len(scores), np.nan)
    means = kept.mean(axis=1) if kept.size else nothing
    ranks = rankdata(np.nan_to_num(-means, nan=np.inf), method="min")
    return {
        **{f"split{fold}": column for fold, column in enumerate(scores.T)},
        "mean": means,
        "std": kept.std(axis=1) if kept.size else nothing,
        "rank": ranks.astype(np.int32),
    }


Rule = Callable[[Mapping[str, Any]], int]


@dataclass(frozen=True, eq=False)
class Choice:
    """One way to choose among candidates.

    Attributes
    ----------
    name : str
        Its name in the tuning matrix.
    metrics : tuple of str
        The metrics that it uses; inner means of winners are reported in the first one.
    rule : callable or None
        From a table like ``cv_results_`` to the index of the winner; None for the highest mean.
    """

    name: str
    metrics: tuple[str, ...]
    rule: Rule | None = None

    def select(
        self,
        scores: Floats,
        metrics: Sequence[str],
        candidates: Sequence[Params],
    ) -> Selection:
        """Choose by scores of shape (C, l, R), by R metrics.

        Raises
        ------
        ValueError
            If the rule does not return an index of a candidate.
        """
        chosen = select(scores[:, :, metrics.index(self.metrics[0])])
        if self.rule is None or not chosen.decided:
            return chosen
        names = {name: metrics.index(name) for name in self.metrics}
        if len(names) == 1:  # as a search by one metric calls it, too
            names |= dict.fromkeys(["score"], *names.values())
        index = self.rule(cv_results(candidates, scores[:, :, [*names.values()]], [*names]))
        if not isinstance(index, Integral) or not 0 <= index < len(candidates):
            raise ValueError(
                f"refit={self.name} must return the index of one of {len(candidates)} candidates, "
                f"returned {index!r}."
            )
        return replace(chosen, winner=int(index))


def choices_of(refit: Any, known: tuple[str, ...]) -> tuple[Choice, ...]:
    """Return the rules of ``refit``; by default the mean of the first metric.

    Parameters
    ----------
    refit : None, str, callable, dict, or list of these
        A metric; a function of ``cv_results_``; ``{metric: {other: (">=" or "<=", value)}}``.
    known : tuple of str
        Names of all metrics.

    Raises
    ------
    ValueError
        If there is none, one twice, or a metric that is not known.

    Examples
    --------
    >>> from skaucx.model_selection.decisions._choice import choices_of
    >>> asked = ["npv", {"npv": {"recall": (">=", 0.9)}}]
    >>> [choice.name for choice in choices_of(asked, ("npv", "recall"))]
    ['npv', 'npv with recall >= 0.9']
    """
    if refit is None:
        return (Choice(known[0], known[:1]),)
    single = isinstance(refit, str | Mapping) or callable(refit)
    listed = [refit] if single else list(refit) if isinstance(refit, Iterable) else []
    choices = tuple(_choice(one, known) for one in listed)
    names = [choice.name for choice in choices]
    unknown = {name for choice in choices for name in choice.metrics} - set(known)
    if not names or len(set(names)) < len(names) or unknown:
        raise ValueError(
            f"refit must be one of the metrics {known}, a rule of these, or a list of distinct "
            f"ones, found {refit!r}."
        )
    return choices


def _choice(given: Any, known: tuple[str, ...]) -> Choice:
    if isinstance(given, Mapping) and len(given) == 1:
        [(metric, limits)] = given.items()
        given = Constrained(metric, limits)
    if not callable(given):
        return Choice(str(given), (given,))
    own = tuple(getattr(given, "metrics", known)) or known[:1]
    name = getattr(given, "name", None) or getattr(given, "__name__", None) or repr(given)
    return Choice(str(name), own, given)


def metrics_of(choices: Sequence[Choice]) -> tuple[str, ...]:
    """Return all metrics that are read, the first of the first choice first."""
    return tuple(dict.fromkeys(name for choice in choices for name in choice.metrics))
