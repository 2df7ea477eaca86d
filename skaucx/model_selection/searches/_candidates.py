"""The search inside every outer fold: a grid, random draws, or a search object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import (
    GridSearchCV,
    ParameterGrid,
    ParameterSampler,
    RandomizedSearchCV,
)

from ...metrics._scorers.bound import bound_metric
from .._scoring import named_scorers
from .._types import ErrorScore, Grid, Params, Scorer
from ..decisions._choice import Choice, choices_of, metrics_of


@dataclass(frozen=True, eq=False)
class InnerSearch:
    """The inner procedure, from the settings of a search object and of the caller.

    Attributes
    ----------
    estimator : estimator
        The estimator to tune.
    candidates : tuple of dict
        Shared by all outer folds; empty where every search finds its own.
    own : search object or None
        A separate search, one task per outer fold.
    scorers : dict of str to str or scorer
        All metrics, those that choose among them.
    choices : tuple of Choice
        The ways to choose.
    cv : int, splitter or None
    error_score : float or "raise"
    n_jobs : int or None
    """

    estimator: Any
    candidates: tuple[Params, ...]
    own: Any
    scorers: Mapping[str, Any]
    choices: tuple[Choice, ...]
    cv: Any
    error_score: ErrorScore
    n_jobs: int | None


def inner_search(given: Any, error_score: ErrorScore = np.nan) -> InnerSearch:
    """Read the inner procedure from the parameters of a :class:`NestedCV`, and score of failed fits.

    Raises
    ------
    TypeError
        If there is no grid and the estimator is not a search object.
    ValueError
        If a grid is empty, the inner splits are given as such, or something is set twice, by the
        search object and by the caller.
    """
    read = _ready_search if given.param_grid is None else _grid_search
    search = read(given, error_score)
    if isinstance(search.cv, Iterable) and not hasattr(search.cv, "split"):
        raise ValueError(
            "inner_cv must be an integer or a splitter, because every outer fold splits other "
            f"rows, found {type(search.cv).__name__}."
        )
    return search


def check_ways(inner: InnerSearch, scorer: Scorer, choose_by: str) -> None:
    """Raise an error for choices that a search does not support.

    Raises
    ------
    ValueError
        If a separate search should choose by pooled predictions, or by a metric without a value on
        them.
    """
    if inner.own is not None and choose_by != "mean":
        raise ValueError(
            f"choose_by={choose_by!r} needs candidates that all outer folds share, and every "
            f"{type(inner.own).__name__} finds its own."
        )
    for name in metrics_of(inner.choices) if choose_by == "pooled" else ():
        bound = bound_metric(scorer.scorers[name])
        if bound is not None and bound.reads_training:
            raise ValueError(
                f"choose_by='pooled' joins folds, and {name!r} is scaled by the training part of "
                "each; choose by the mean, or give the metric one scale."
            )


def _grid_search(given: Any, error_score: ErrorScore) -> InnerSearch:
    """Read a grid."""
    scorers = named_scorers(given.scoring, given.estimator)
    return InnerSearch(
        estimator=given.estimator,
        candidates=candidates(given.param_grid),
        own=None,
        scorers=scorers,
        choices=choices_of(given.refit, tuple(scorers)),
        cv=given.inner_cv,
        error_score=error_score,
        n_jobs=given.n_jobs,
    )


def candidates(grid: Grid) -> tuple[Params, ...]:
    """Return all combinations of a grid.

    Examples
    --------
    >>> from skaucx.model_selection.searches._candidates import candidates
    >>> candidates({"C": [1, 10]})
    ({'C': 1}, {'C': 10})
    """
    try:
        combinations = tuple(ParameterGrid(grid))
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"param_grid: {error} Distributions go into RandomizedSearchCV(estimator, "
            "param_distributions), given as the estimator without a param_grid."
        ) from None
    if not combinations:
        raise ValueError(
            f"param_grid has no candidates, found {grid!r}; {{}} stands for the estimator as it is."
        )
    return combinations


def _ready_search(given: Any, error_score: ErrorScore) -> InnerSearch:
    """Unpack a grid or a random search; any other search runs separately."""
    search = given.estimator
    options = search.get_params(deep=False) if hasattr(search, "get_params") else {}
    _check_search(search, options)
    flat = type(search) in (GridSearchCV, RandomizedSearchCV)
    given_here = error_score == "raise" or not np.isnan(error_score)
    scorers, choices = _choice(options, given, flat=flat)
    if not flat and (len(choices) > 1 or choices[0].rule is not None):
        raise ValueError(
            f"{type(search).__name__} runs separately and chooses by one metric, found "
            f"refit={', '.join(choice.name for choice in choices)}."
        )
    return InnerSearch(
        estimator=options["estimator"],
        candidates=_unpacked(options) if flat else (),
        own=None if flat else search,
        scorers=scorers,
        choices=choices,
        cv=_settled("inner_cv", given.inner_cv, options["cv"]),
        error_score=options["error_score"] if flat and not given_here else error_score,
        n_jobs=options["n_jobs"] if flat and given.n_jobs is None else given.n_jobs,
    )


def _check_search(search: Any, options: Mapping[str, Any]) -> None:
    space = any("param" in name or "space" in name for name in options)
    if not (space and {"estimator", "scoring", "cv"} <= set(options)):
        raise TypeError(
            "param_grid=None needs an estimator that is a search, such as RandomizedSearchCV, "
            f"found {type(search).__name__}; give it a param_grid, {{}} for none."
        )


def _choice(
    options: Mapping[str, Any], given: Any, *, flat: bool
) -> tuple[dict[str, Any], tuple[Choice, ...]]:
    """Return all metrics and the ways to choose: the search's own, else the caller's."""
    own, estimator, refit = given.scoring, options["estimator"], options.get("refit")
    rule = refit if flat and callable(refit) else None
    if options["scoring"] is None:
        scorers = named_scorers(own, estimator)
        return scorers, choices_of(_settled("refit", given.refit, rule), tuple(scorers))
    choosing = named_scorers(options["scoring"], estimator)
    if not flat and callable(refit) and len(choosing) > 1:
        raise ValueError(
            f"A search whose refit is a function needs one metric, found {tuple(choosing)}."
        )
    reported = {} if own is None else named_scorers(own, estimator)
    for name in set(choosing) & set(reported):
        if choosing[name] is not reported[name] and choosing[name] != reported[name]:
            raise ValueError(
                f"The metric {name!r} is one scorer in scoring and another in that of the search; "
                "give them different names in a dict."
            )
    if rule is None:
        named = next(iter(choosing)) if len(choosing) == 1 else refit
        rule = named if isinstance(named, str) else None
    settled = _settled("refit", given.refit, rule)
    known = tuple(reported | choosing if settled is not rule else choosing)
    return reported | choosing, choices_of(settled, known)


def _unpacked(options: Mapping[str, Any]) -> tuple[Params, ...]:
    if "param_grid" in options:
        return candidates(options["param_grid"])
    drawn = options["param_distributions"], options["n_iter"]
    return tuple(ParameterSampler(*drawn, random_state=options["random_state"]))


def _settled(name: str, own: Any, searched: Any) -> Any:
    """Return the setting of one side; raise an error if both set it."""
    if own is not None and searched is not None:
        raise ValueError(
            f"{name} is set twice, to {own!r} and by the search to {searched!r}; leave one of them "
            "None."
        )
    return searched if own is None else own
