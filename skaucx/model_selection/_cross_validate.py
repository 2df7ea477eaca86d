"""Nested cross-validation in one call."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ._nested import NestedCV
from ._types import ErrorScore, FinalRule, Grid
from .results._result import NestedCVResult
from .searches._optuna_study import OptunaSearch


def nested_cross_validate(
    estimator: Any,
    param_grid: Grid | OptunaSearch | None = None,
    X: Any = None,
    y: Any = None,
    *,
    n_iter: int | None = None,
    random_state: Any = None,
    scoring: Any = None,
    refit: Any = None,
    choose_by: Literal["mean", "pooled"] = "mean",
    pos_label: Any = None,
    calibration: Any = None,
    threshold: Any = None,
    reject: Any = None,
    prediction_sets: Any = None,
    outer_cv: Any = 5,
    inner_cv: Any = None,
    final: FinalRule = "search",
    racing: Literal["exact", "statistical"] | None = None,
    return_estimator: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
    error_score: ErrorScore = np.nan,
    memory: Any = None,
    fit_timeout: float | None = None,
    weight_fits: bool = True,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **fit_params: Any,
) -> NestedCVResult:
    """Estimate how well a tuned estimator does, by nested k x l cross-validation.

    The one-call form of :class:`NestedCV`, which describes the parameters.

    Parameters
    ----------
    estimator : estimator or search
    param_grid : dict, list of dict or OptunaSearch, optional
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    n_iter : int, optional
    random_state : int, RandomState instance or None, default=None
    scoring : str, list of str, dict or scorer, optional
    refit : str, dict, callable, or list of these, optional
    choose_by : {"mean", "pooled"}, default="mean"
    pos_label : label, optional
    calibration : {"sigmoid", "isotonic", "temperature"} or calibrator, default=None
    threshold : str, scorer, dict or array-like of shape (2, 2), optional
    reject : dict, optional
    prediction_sets : float or dict, optional
    outer_cv : int, splitter or iterable of splits, default=5
    inner_cv : int or splitter, optional
    final : {"search", "vote", "mean"} or None, default="search"
    racing : {"exact", "statistical"} or None, default=None
    return_estimator : bool, default=False
    n_jobs : int, optional
    verbose : int, default=0
    error_score : float or "raise", default=nan
    memory : str, path or joblib.Memory, optional
    fit_timeout : float, optional
    weight_fits : bool, default=True
    sample_weight, groups : array-like of shape (n_samples,), optional
    **fit_params
        Parameters of every ``fit``, as :meth:`NestedCV.fit` takes them.

    Returns
    -------
    NestedCVResult

    Raises
    ------
    ValueError
        If an argument has a value that is not among those described.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"var_smoothing": [1e-9, 1e-1]}
    >>> result = nested_cross_validate(
    ...     GaussianNB(), grid, X, y, scoring=["roc_auc", "specificity"], final=None
    ... )
    >>> result["test_specificity"].round(3).tolist()
    [0.907, 0.814, 0.881, 0.905, 0.929]
    """
    nested = NestedCV(
        estimator,
        param_grid,
        n_iter=n_iter,
        random_state=random_state,
        scoring=scoring,
        refit=refit,
        choose_by=choose_by,
        pos_label=pos_label,
        calibration=calibration,
        threshold=threshold,
        reject=reject,
        prediction_sets=prediction_sets,
        outer_cv=outer_cv,
        inner_cv=inner_cv,
        final=final,
        racing=racing,
        return_estimator=return_estimator,
        n_jobs=n_jobs,
        verbose=verbose,
        error_score=error_score,
        memory=memory,
        fit_timeout=fit_timeout,
        weight_fits=weight_fits,
    )
    fitted = nested.fit(X, y, sample_weight=sample_weight, groups=groups, **fit_params)
    return fitted.result_
