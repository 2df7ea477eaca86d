"""Resolve ``scoring`` and ``refit``: scorers by name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from sklearn import metrics as sklearn_metrics
from sklearn.base import is_classifier
from sklearn.utils.multiclass import type_of_target

from skaucx.metrics import one_pass_scorer
from skaucx.metrics._scorers.bound import BoundMetric, bound_metric
from skaucx.metrics._scorers.one_pass import OnePassScorer
from skaucx.metrics._scorers.scorers import scorer_entries

from .._compat import remade_scorer, score_function, scorer_parameters
from ._types import Scorer


def resolve_scoring(scoring: Any, estimator: Any = None, *, pos_label: Any = None) -> OnePassScorer:
    """Return the scorer of all metrics of ``scoring``.

    Parameters
    ----------
    scoring : str, metric, scorer, OnePassScorer, list or dict of them, or None
        As :func:`named_scorers` takes it.
    estimator : estimator, optional
        None means its own ``score``.
    pos_label : label, optional
        The positive class of every metric that has one and names none itself.

    Returns
    -------
    OnePassScorer

    Examples
    --------
    >>> from skaucx.metrics import get_scorer
    >>> from skaucx.model_selection._scoring import resolve_scoring
    >>> resolve_scoring(["recall", "roc_auc_ovr"]).names
    ('recall', 'roc_auc_ovr')
    >>> scorer = resolve_scoring(get_scorer("recall"), pos_label="ill")
    >>> scorer.scorers["recall"]
    make_scorer(recall_score(pos_label='ill'), response_method='predict')
    """
    return judging(named_scorers(scoring, estimator), pos_label)


def judging(scorers: Mapping[str, Any], pos_label: Any = None) -> OnePassScorer:
    """Return the one scorer of named scorers, with the positive class where none is named."""
    made = dict(one_pass_scorer(scorers).scorers)
    if pos_label is not None:
        made = {key: _with_positive(scorer, pos_label) for key, scorer in made.items()}
    return OnePassScorer(made)


def named_scorers(scoring: Any, estimator: Any) -> dict[str, Any]:
    """Map names to scorers.

    Parameters
    ----------
    scoring : str, metric, scorer, OnePassScorer, list or dict of them, or None
        None is the estimator's own ``score``.
    estimator : estimator

    Returns
    -------
    dict of str to name, metric or scorer

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from skaucx.metrics import get_scorer
    >>> from skaucx.model_selection._scoring import named_scorers
    >>> list(named_scorers(["mm7_auc", "r2"], Ridge()))
    ['mm7_auc', 'r2']
    >>> list(named_scorers(get_scorer("mm7_auc", pos_label=0), Ridge()))
    ['mm7_auc']
    """
    if scoring is None:
        return {"score": sklearn_metrics.check_scoring(estimator)}
    return scorer_entries(scoring, "scoring")


def takes_positive(scorer: Any) -> bool:
    """Whether a scorer depends on the positive class, by the parameter ``pos_label``."""
    bound, function, given = bound_metric(scorer), score_function(scorer), _parameters(scorer)
    if bound is None and function is None:
        return False
    known = bound.function.options if bound else inspect.signature(function).parameters
    return (
        "pos_label" in known
        and given.get("average", "binary") == "binary"
        and "multi_class" not in given
    )


def named_positive(scorer: Any) -> Any:
    """Return the positive class that a scorer itself names, or None."""
    return _parameters(scorer).get("pos_label") if takes_positive(scorer) else None


def _parameters(scorer: Any) -> dict[str, Any]:
    bound = bound_metric(scorer)
    return scorer_parameters(scorer) if bound is None else bound.parameters


def depends_on_positive(scorer: Any) -> bool:
    """Whether the value of a scorer depends on which class is positive."""
    bound = bound_metric(scorer)
    if bound is None or not takes_positive(scorer):
        return takes_positive(scorer)
    return not bound.function.metric.symmetric


def check_bound_arrays(scorer: OnePassScorer, n_rows: int) -> None:
    """Raise an error for an array of all rows that a scorer binds: folds score some of them only."""
    for key, one in scorer.scorers.items():
        bound = dict(_parameters(one))
        for part in (one, score_function(one)):
            if isinstance(part, partial):
                bound |= part.keywords
        for name, value in bound.items():
            if isinstance(value, list | np.ndarray) and np.shape(value)[:1] == (n_rows,):
                raise ValueError(
                    f"scoring: {key!r} binds {name}, an array of {n_rows} entries, one a row of X, "
                    "which does not follow the rows of a fold. Leave it out and request it: with "
                    "metadata routing enabled, scorer.set_score_request(name=True); then pass it to "
                    "nested_cross_validate(..., name=array) or compare_estimators(..., params={...}). "
                    "Metrics of this package that read such arrays request them already."
                )


def refuse_metadata(scorer: OnePassScorer, call: str) -> None:
    """Raise an error for scorers that request arrays where the call does not pass any to them."""
    if names := ", ".join(sorted(scorer.metadata)):
        raise ValueError(
            f"scoring requests {names}, and {call} passes no further arrays to scorers; use "
            "nested_cross_validate or compare_estimators, which do."
        )


def _with_positive(scorer: Any, pos_label: Any) -> Any:
    """Return a scorer that takes a class as positive, if it has one and names none."""
    if not takes_positive(scorer) or named_positive(scorer) is not None:
        return scorer
    function, given = score_function(scorer), scorer_parameters(scorer)
    if isinstance(function, BoundMetric):
        bound = BoundMetric(function.function, {**function.parameters, "pos_label": pos_label})
        return remade_scorer(scorer, bound, given)
    return remade_scorer(scorer, function, {**given, "pos_label": pos_label})


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a run and which of them is the positive one.

    Attributes
    ----------
    counts : dict of label to int
        Rows of each class, in sorted order of the classes.
    positive : label or None
        The positive class of two: the one that was named, or 1 of {0, 1}, {-1, 1} and booleans;
        otherwise None.
    others : dict of str to label
        The positive class of each metric that names another one itself.
    """

    counts: Mapping[Any, int]
    positive: Any = None
    others: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        rows = sum(self.counts.values())
        if self.positive is None:
            counts = ", ".join(f"{label} {count}" for label, count in self.counts.items())
            reported = f"Classes: {counts} of {rows} rows."
            if len(self.counts) == 2:
                # Metrics that give either class the same value: scikit-learn reads the second column.
                reported += f" Scores are those of {list(self.counts)[1]}."
            return reported
        named = {"Positive class": self.positive}
        named |= {f"Of {metric}": label for metric, label in self.others.items()}
        return " ".join(f"{k}: {v}, {self.counts[v]} of {rows} rows." for k, v in named.items())


def classes_of(
    y: Any, estimator: Any, scorer: Scorer, refit: str, pos_label: Any = None
) -> Classes | None:
    """Return the classes of y and the positive one.

    Parameters
    ----------
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
    estimator : estimator
    scorer : OnePassScorer
    refit : str
        Its positive class is the run's where the metrics name different ones.
    pos_label : label, optional

    Returns
    -------
    Classes or None
        None unless the estimator is a classifier of plain classes.

    Raises
    ------
    ValueError
        If ``pos_label`` is not one of two classes, a metric needs it, or a scorer binds an array of
        the rows.
    """
    check_bound_arrays(scorer, len(y))
    kind = type_of_target(y)
    if is_classifier(estimator) and kind == "unknown":
        raise ValueError(
            "Unknown label type: y holds Python objects, of which scikit-learn's classifiers take "
            f"strings only; found {np.asarray(y).ravel()[:1].tolist()[0]!r} among them. "
            "Convert them, for example by y.astype(int)."
        )
    if not is_classifier(estimator) or kind not in ("binary", "multiclass"):
        if pos_label is not None:
            raise ValueError(
                f"pos_label={pos_label!r} needs a classifier of two classes; found "
                f"{type(estimator).__name__} and y of type {kind!r}."
            )
        return None
    labels, numbers = np.unique(np.asarray(y), return_counts=True)
    counts = dict(zip(labels.tolist(), numbers.tolist(), strict=True))
    if len(counts) == 1:
        raise ValueError(f"y holds one class, {labels.tolist()[0]!r}; pass rows of two or more.")
    if pos_label is not None and (len(counts) > 2 or pos_label not in counts):
        raise ValueError(
            f"pos_label must be one of two classes, found {pos_label!r} and the classes "
            f"{', '.join(map(repr, counts))}."
        )
    for bound in scorer.metrics.values():
        bound.check_classes(labels, labels)
    if len(counts) > 2:
        return Classes(counts)
    return _of_two(counts, scorer, refit, pos_label)


def _of_two(counts: Mapping[Any, int], scorer: Scorer, refit: str, pos_label: Any) -> Classes:
    plain = set(counts) <= {-1, 0, 1}
    usual = next((label for label in counts if plain and label == 1), None)
    by_metric = {}
    for name, one in {**scorer.scorers, **scorer.metrics}.items():
        label = named_positive(one)
        if label is None and depends_on_positive(one):
            label = usual
        if label in counts:
            by_metric[name] = label
    if pos_label is None:
        pos_label = by_metric.get(refit, next(iter(by_metric.values()), usual))
    others = {name: label for name, label in by_metric.items() if label != pos_label}
    return Classes(counts, pos_label, others)
