"""A whole procedure fitted again on rows drawn from the data, and scored on both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.parallel import delayed

from .._run_options import check_options
from .._scoring import Classes, classes_of, refuse_metadata, resolve_scoring
from .._types import ErrorScore, Estimator, Features, Floats, Label, Rows, Scorer, Scoring
from ..execution._dataset import Dataset
from ..execution._job import Failure, candidate_model, fit_model
from ..execution._pool import score_bounds
from ._score import errors_of, fits_of


class Refits(NamedTuple):
    """Scores and risks of models fitted on drawn rows; made by :func:`refit_on_draws`.

    Attributes
    ----------
    own, original : dict of str to ndarray of shape (n_draws,), float64
        Score of each model on the rows that it was fitted on, and on those that they were drawn from;
        nan where the fit failed or the metric is undefined.
    risks : list of ndarray
        Probabilities of the positive class of the rows drawn from, of the first models; without those
        that failed, and empty without probabilities.
    y_true : ndarray of shape (n_samples,)
    bounds : dict of str to tuple of float
        The range of each metric.
    classes : Classes or None
        Rows of each class and the positive one.
    errors : tuple of str
        The exceptions of fits and scores that failed, in one line each.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LinearRegression
    >>> from skaucx.model_selection import refit_on_draws
    >>> X, y = load_iris(return_X_y=True)
    >>> rows = np.arange(150)
    >>> refit_on_draws(LinearRegression(), X, y, [(rows, rows)], scoring="r2").errors
    ()
    """

    own: Mapping[str, Floats]
    original: Mapping[str, Floats]
    risks: list[Floats]
    y_true: Any
    bounds: Mapping[str, tuple[float, float]]
    classes: Classes | None
    errors: tuple[str, ...]


def refit_on_draws(
    estimator: Estimator,
    X: Features,
    y: ArrayLike,
    draws: Sequence[tuple[Rows, Rows]],
    *,
    scoring: Scoring,
    pos_label: Label = None,
    n_predicted: int = 0,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    weight_fits: bool = True,
    error_score: ErrorScore = np.nan,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> Refits:
    """Fit a whole procedure on drawn rows, and score each model on them and on what they are drawn from.

    Every step of a pipeline is repeated, and the tuning if `estimator` is a search; each model predicts
    once.

    Parameters
    ----------
    estimator : estimator or search
        Cloned for every fit.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    draws : sequence of tuple of two ndarrays of int
        Rows of the data, and places among them: a model is fitted on ``rows[places]`` and scored there
        and on `rows`. An error of the first is raised.
    scoring : str, list of str, dict or scorer
        Metrics, as :class:`NestedCV` takes them.
    pos_label : label, optional
        The positive class of two, as :class:`NestedCV` takes it.
    n_predicted : int, default=0
        How many of the first models keep their probabilities of the positive class.
    sample_weight : array-like of shape (n_samples,), optional
        Weights of the rows, in every fit and every score.
    groups : array-like of shape (n_samples,), optional
        Clusters of rows, for searches whose splitter takes groups; by default each row is one.
    weight_fits, error_score
        As :func:`bootstrap_score` takes them. A fit or score that raises is left out with a warning.
    n_jobs, verbose : int, optional
        As in joblib; the numbers do not depend on them.

    Returns
    -------
    Refits

    Raises
    ------
    ValueError, TypeError
        If an argument has a value that is not among those described.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LinearRegression
    >>> from skaucx.model_selection import refit_on_draws
    >>> X, y = load_iris(return_X_y=True)
    >>> rows, half = np.arange(150), np.arange(0, 150, 2)
    >>> found = refit_on_draws(LinearRegression(), X, y, [(rows, half)], scoring="r2")
    >>> bool(found.own["r2"][0] > found.original["r2"][0])
    True
    """
    check_options(
        {"estimator": estimator, "error_score": error_score, "n_jobs": n_jobs, "verbose": verbose}
    )
    scorer = resolve_scoring(scoring, estimator, pos_label=pos_label)
    refuse_metadata(scorer, "refit_on_draws")
    data = Dataset.of(estimator, X, y, sample_weight, groups, weight_fits=weight_fits)
    classes = classes_of(data.y, estimator, scorer, scorer.names[0], pos_label)
    own_groups = np.arange(len(data)) if groups is None else np.asarray(data.groups)
    data = replace(data, groups=own_groups)
    positive = None if classes is None else classes.positive
    job = partial(fit_resample, estimator, data, scorer, positive)
    jobs = [
        delayed(job)(error_score if i else "raise", *draw, i < n_predicted)
        for i, draw in enumerate(draws)
    ]
    fits: list[ResampledFit] = fits_of(jobs, n_jobs, verbose, error_score)
    return Refits(
        {name: np.array([fit.own[name] for fit in fits]) for name in scorer.names},
        {name: np.array([fit.original[name] for fit in fits]) for name in scorer.names},
        [fit.risk for fit in fits if fit.risk is not None],
        np.asarray(data.y),
        {name: score_bounds(one) for name, one in scorer.scorers.items()},
        classes,
        errors_of(fits),
    )


class ResampledFit(NamedTuple):
    """Scores of one fit on its own rows and on the rows that they were drawn from."""

    own: Mapping[str, float]
    original: Mapping[str, float]
    risk: Floats | None = None
    failure: Failure | None = None


def fit_resample(
    estimator: Any,
    data: Dataset,
    scorer: Scorer,
    positive: Any,
    error_score: ErrorScore,
    base: Rows,
    places: Rows,
    keep: bool,
) -> ResampledFit:
    """Fit the whole procedure on ``base[places]``, predict ``base`` once, score both."""
    drawn = base[places]
    try:
        together = {"groups": data.groups[drawn]} if _splits_groups(estimator) else {}
        model = fit_model(candidate_model(estimator, {}), data, drawn, **together)
        X, y = data.features(base, drawn), data.targets(base)
        found = scorer.responses(model, X)
        original = scorer.score(model, X, y, sample_weight=data.weights(base), responses=found)
        own = scorer.score(
            model, data.features(drawn, drawn), data.targets(drawn),
            sample_weight=data.weights(drawn),
            responses={method: values[places] for method, values in found.items()},
        )  # fmt: skip
    except Exception as error:
        if error_score == "raise":
            raise
        nothing = dict.fromkeys(scorer.names, np.nan)
        return ResampledFit(nothing, nothing, failure=Failure.of(error))
    return ResampledFit(own, original, _risk(model, X, found, positive) if keep else None)


def _splits_groups(estimator: Any) -> bool:
    """Whether an estimator is a search whose splitter wants groups."""
    cv = getattr(estimator, "cv", None)
    searches = isinstance(estimator, GridSearchCV | RandomizedSearchCV)
    if not searches or not hasattr(cv, "get_metadata_routing"):
        return False
    return get_routing_for_object(cv).split.requests.get("groups") is True


def _risk(model: Any, X: Any, found: Mapping[str, Any], positive: Any) -> Floats | None:
    """Return the probability of the positive class; None without one."""
    if positive is None or not hasattr(model, "predict_proba"):
        return None
    table = found["predict_proba"] if "predict_proba" in found else model.predict_proba(X)
    return np.asarray(table)[:, int(np.flatnonzero(model.classes_ == positive)[0])]
