"""Nested k x l cross-validation: the inner folds choose, the outer folds estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from skaucx.metrics import one_pass_scorer

from .._compat import CallbackSupportMixin, begin_callbacks, with_callbacks
from ._final import FinalModel
from ._folds import Sample
from ._progress import Callbacks
from ._run import Procedure, run
from ._types import ErrorScore, FinalRule, Floats, Grid, Model, Params, Scorer


def _offers(method: str) -> Callable[[NestedCV], bool]:
    """Whether the final model, or where there is none the estimator, has a method."""

    def check(nested: NestedCV) -> bool:
        final = nested.result_.final if hasattr(nested, "result_") else None
        return hasattr(nested.estimator if final is None else final.estimator, method)

    return check


def _refit_names(refit: str | Sequence[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Check the metrics that choose; the first known one by default."""
    names = (known[0],) if refit is None else (refit,) if isinstance(refit, str) else tuple(refit)
    if not names or len(set(names)) < len(names) or not set(names) <= set(known):
        raise ValueError(
            f"refit must be one of the metrics {known} or a list of distinct ones, found {refit!r}."
        )
    return names


class NestedCV(CallbackSupportMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """An estimator that tunes itself and says how well the tuned procedure does.

    Each of k outer folds chooses parameters by l inner folds of its training part, is fitted with
    them on the whole training part, and is scored once on its test part.

    Parameters
    ----------
    estimator : estimator
        Cloned for every fit. With an integer ``random_state`` it gives the same numbers for any
        ``n_jobs``.
    param_grid : dict or list of dict
        As :class:`sklearn.model_selection.ParameterGrid` takes it. One candidate a combination.
    scoring : str, list of str or dict
        Metrics, as :func:`skaucx.metrics.one_pass_scorer` takes them. The outer test parts get all
        of them from one prediction a response method.
    refit : str or list of str, optional
        Name of the metric that chooses parameters; the first of ``scoring`` by default. With a list
        each of them chooses by the same inner fits: the result's ``tuning_matrix`` compares what
        comes of it, and the first one decides what else is reported and the final model.
    outer_cv, inner_cv : int or splitter, default=5
        As :func:`sklearn.model_selection.check_cv` takes them: an integer means stratified folds
        for a classifier, not shuffled. ``outer_cv`` may also be an iterable of splits.
    final : {"vote", "search"} or None, default="vote"
        How the parameters of the final model are chosen: those that most outer folds chose (ties:
        the highest mean over all inner folds, then grid order), or those of one more inner search
        on all data. None fits no final model.
    n_jobs : int, optional
        Number of jobs, as in joblib. All inner fits are one batch, all refits a second one.
    verbose : int, default=0
        Above 0, how far the run is and how long it will take is printed on stderr, at most once a
        second and, as time goes by, once in a tenth of the time elapsed; 2 prints twice as often.
    error_score : float or "raise", default=nan
        Score of a fold whose fit or score raises, whose fit takes longer than ``fit_timeout`` or
        kills its worker process twice. The result's ``failures`` name them. "raise" lets the
        exception through.
    memory : str, path or joblib.Memory, optional
        Keeps finished fits there, so that a run that was killed continues where it was. A fit is
        found again by estimator, parameters, data, rows, scorers and versions. Code is known by
        its name: clear the folder after changing an estimator or a scorer. What
        ``random_state=None`` made of a fit is kept as it came.
    fit_timeout : float, optional
        Seconds that a fit and its scores may take before it is given up as failed. Needs joblib's
        process backend "loky" and ``n_jobs`` of 2 or more: only a process can be ended.

    Attributes
    ----------
    result_ : NestedCVResult
        Scores, winners, pooled predictions; ``print(nested.result_.summary())``.
    best_estimator_ : estimator
        The final model; absent with ``final=None``, like the four below.
    best_params_ : dict
    best_index_ : int
        Position of ``best_params_`` in the grid.
    classes_ : ndarray of shape (n_classes,)
        Where the final model has them.
    n_features_in_ : int
        Where the final model has it; likewise ``feature_names_in_``.

    See Also
    --------
    nested_cross_validate : The same in one call.

    Notes
    -----
    Inner folds on which every candidate is undefined (nan) are dropped from the choice. On the
    others, a candidate with fewer undefined folds precedes one with more, then the higher mean
    decides, then grid order. The result reports both.

    The score of the chosen parameters on the folds that chose them is too high [1]_ [2]_; the outer
    scores are free of this bias. They estimate the procedure, and are usually slightly pessimistic
    for the final model, which learns from more rows.

    The rows of the tuning matrix are estimates of as many procedures on the same folds; the best
    row, picked afterwards, is optimistic again.

    With a :class:`sklearn.pipeline.Pipeline`, ``sample_weight`` reaches the last step.

    All fits run under joblib's current backend. Under "loky", the default, a worker process that
    dies is replaced and its fits are tried again, the ones that were running one by one. Python's
    own process pool, "multiprocessing", waits for a dead worker forever. With scikit-learn 1.9 and
    later ``set_callbacks`` takes callbacks such as :class:`sklearn.callback.ProgressBar`; they see
    the fits as tasks and are not handed on to the estimator.

    References
    ----------
    .. [1] Cawley, G. C. and Talbot, N. L. C. (2010). On over-fitting in model selection and
       subsequent selection bias in performance evaluation. JMLR 11, 2079-2107.
    .. [2] Varma, S. and Simon, R. (2006). Bias in error estimation when using cross-validation for
       model selection. BMC Bioinformatics 7, 91.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skaucx.model_selection import NestedCV
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"n_neighbors": [1, 5, 15]}
    >>> nested = NestedCV(KNeighborsClassifier(), grid, scoring="accuracy", outer_cv=3).fit(X, y)
    >>> nested.result_["test_accuracy"].round(2).tolist()
    [0.96, 0.94, 0.98]
    >>> nested.best_params_
    {'n_neighbors': 5}
    >>> nested.predict(X[:2])
    array([0, 0])
    """

    def __init__(
        self,
        estimator: Any,
        param_grid: Grid,
        *,
        scoring: Any,
        refit: str | Sequence[str] | None = None,
        outer_cv: Any = 5,
        inner_cv: Any = 5,
        final: FinalRule = "vote",
        n_jobs: int | None = None,
        verbose: int = 0,
        error_score: ErrorScore = np.nan,
        memory: Any = None,
        fit_timeout: float | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.refit = refit
        self.outer_cv = outer_cv
        self.inner_cv = inner_cv
        self.final = final
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.error_score = error_score
        self.memory = memory
        self.fit_timeout = fit_timeout

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = deepcopy(get_tags(self.estimator))
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        tags.target_tags = inner.target_tags
        tags.input_tags = inner.input_tags
        return tags

    @with_callbacks  # type: ignore[untyped-decorator]
    def fit(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> NestedCV:
        """Run the nested folds and fit the final model.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Class labels, numbers or strings.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows, in every fit and every score.
        groups : array-like of shape (n_samples,), optional
            Handed to both splitters.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an argument has a value that is not among those described, or ``sample_weight`` is
            not one weight a row.
        """
        sample = Sample.of(self.estimator, X, y, sample_weight, groups)
        context = begin_callbacks(self, X, y, n_tasks=2)
        watchers = [] if context is None else [Callbacks(self, context)]
        self.result_ = run(self._procedure(sample), sample, watchers)
        if context is not None:
            context.call_on_fit_task_end(estimator=self, X=X, y=y)
        return self

    def _procedure(self, sample: Sample) -> Procedure:
        """Check the parameters and resolve defaults."""
        self._check_options()
        scorer: Scorer = one_pass_scorer(self.scoring)
        classifier = is_classifier(self.estimator)
        return Procedure(
            estimator=self.estimator,
            candidates=tuple(ParameterGrid(self.param_grid)),
            scorer=scorer,
            refit=_refit_names(self.refit, scorer.names),
            outer_cv=check_cv(self.outer_cv, sample.y, classifier=classifier),
            inner_cv=check_cv(self.inner_cv, sample.y, classifier=classifier),
            final=self.final,
            error_score=self.error_score,
            execution={
                "n_jobs": self.n_jobs,
                "verbose": self.verbose,
                "memory": self.memory,
                "fit_timeout": self.fit_timeout,
            },
        )

    def _check_options(self) -> None:
        if self.final not in ("vote", "search", None):
            raise ValueError(f"final must be 'vote', 'search' or None, found {self.final!r}.")
        if self.error_score != "raise" and not isinstance(self.error_score, Real):
            raise ValueError(
                f"error_score must be a number or 'raise', found {self.error_score!r}."
            )
        if self.fit_timeout is not None and not self.fit_timeout > 0:
            raise ValueError(
                f"fit_timeout must be a number of seconds above 0, found {self.fit_timeout!r}."
            )
        if not len(ParameterGrid(self.param_grid)):
            raise ValueError(
                f"param_grid has no candidates, found {self.param_grid!r}; "
                "{} stands for the estimator as it is."
            )
        if isinstance(self.inner_cv, Iterable) and not hasattr(self.inner_cv, "split"):
            raise ValueError(
                "inner_cv must be an integer or a splitter, because every outer fold splits other "
                f"rows, found {type(self.inner_cv).__name__}."
            )

    def _final_model(self) -> FinalModel:
        check_is_fitted(self, "result_")
        if self.result_.final is None:
            raise AttributeError(
                "This NestedCV was fitted with final=None and so has no final model; "
                "set final='vote' or final='search' and fit again."
            )
        return self.result_.final

    @property
    def best_estimator_(self) -> Model:
        """The final model."""
        return self._final_model().estimator

    @property
    def best_params_(self) -> Params:
        """Parameters of the final model."""
        return self._final_model().params

    @property
    def best_index_(self) -> int:
        """Position of the final model's parameters in the grid."""
        return self._final_model().index

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels of the final model."""
        return self.best_estimator_.classes_

    @property
    def n_features_in_(self) -> int:
        """Number of columns that the final model was fitted on."""
        return self.best_estimator_.n_features_in_

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        """Names of the columns that the final model was fitted on."""
        return self.best_estimator_.feature_names_in_

    @available_if(_offers("predict"))  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[Any]:
        """Class labels by the final model, shape (n_samples,)."""
        return self.best_estimator_.predict(X)

    @available_if(_offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities by the final model, shape (n_samples, n_classes)."""
        return self.best_estimator_.predict_proba(X)

    @available_if(_offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Decision values of the final model, shape (n_samples,) or (n_samples, n_classes)."""
        return self.best_estimator_.decision_function(X)

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Score the final model on new data by the metric that chose.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        float
        """
        model = self.best_estimator_
        name = self.result_.refit[0]
        scorer: Scorer = one_pass_scorer(self.scoring).subset([name])
        return scorer.score(model, X, y, sample_weight=sample_weight)[name]
