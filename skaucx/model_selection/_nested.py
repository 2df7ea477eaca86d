"""Nested k x l cross-validation: the inner folds choose, the outer folds estimate."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from .._arrays import check_rows
from ._run_options import Decisions, Execution
from ._types import (
    Estimator,
    Features,
    FinalRule,
    Floats,
    Folds,
    Grid,
    Label,
    Model,
    Params,
    Refit,
    Scorer,
    Scoring,
    Splitter,
)

if TYPE_CHECKING:
    from .decisions._winner import FinalModel
    from .results._nested_result import NestedCVResult


def tuned(nested: Any) -> Any:
    """Return the estimator to tune: the estimator itself, or the one inside a search."""
    given = nested.estimator
    return getattr(given, "estimator", given) if nested.param_grid is None else given


def _offers(method: str) -> Callable[[NestedCV], bool]:
    """Whether the final model, or where there is none the estimator, has a method."""

    def check(nested: NestedCV) -> bool:
        final = nested.result_.final if hasattr(nested, "result_") else None
        return hasattr(tuned(nested) if final is None else final.estimator, method)

    return check


class NestedCV(
    MetaEstimatorMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
):
    """Nested cross-validation: tune an estimator, and estimate how well the tuned procedure does.

    Each of k outer folds chooses parameters by l inner folds of its training part, is fitted with
    them on the whole training part, and is scored once on its test part.

    Parameters
    ----------
    estimator : estimator or search
        Cloned for every fit. With an integer ``random_state`` it gives the same numbers for any
        ``n_jobs``. With ``param_grid=None`` it is the inner search itself, ready made.
    param_grid : dict or list of dict, optional
        As :class:`sklearn.model_selection.ParameterGrid` takes it, one candidate a combination;
        ``{}`` is the estimator as it is. Random draws are those of a
        :class:`sklearn.model_selection.RandomizedSearchCV`, given as the estimator; all outer folds
        share them.
    scoring : str, list of str, dict or scorer, optional
        Metrics, as :func:`skaucx.metrics.one_pass_scorer` takes them, or as scikit-learn names
        them. The outer test parts get all of them from one prediction a response method. None is
        the ``scoring`` of the search, or else the estimator's own ``score``.
    refit : str, dict, callable, or list of these, optional
        What chooses parameters: the name of a metric, the first of ``scoring`` by default, by its
        highest mean; ``{"npv": {"recall": (">=", 0.9)}}``, the highest of those that keep others
        within limits; or a function that returns an index from a table like ``cv_results_``, such
        as :class:`OneStandardError`. With a list each of them chooses by the
        same inner fits: the result's ``tuning_matrix`` compares what comes of it, and the first
        one decides what else is reported and the final model.
    pos_label : label, optional
        The positive one of two classes, for every metric that depends on it and does not name one;
        the result uses it for intervals, plots and tables. None is 1 (or True) where the labels are
        {0, 1}, {-1, 1} or booleans; on others, metrics that depend on it require it.
    decisions : Decisions, optional
        What else is chosen for the best parameters on the predictions of the inner test parts:
        calibration, threshold, rejection; none by default.
    outer_cv : int, splitter or iterable of splits, default=5
        As :func:`sklearn.model_selection.check_cv` takes it: an integer means stratified folds for
        a classifier, not shuffled.
    inner_cv : int or splitter, optional
        Likewise; 5, or what the search has, by default.
    final : {"search", "vote"} or None, default="search"
        How the parameters of the final model are chosen. "search": by one more inner search on all
        data, as every outer fold searched its training part: the procedure that the outer scores
        estimate. "vote": those that most outer folds chose (ties: the highest mean over all inner
        folds, then grid order); it saves that search, and needs candidates that all outer folds
        share. None fits no final model.
    n_jobs : int, optional
        Number of jobs, as in joblib. All inner fits are one batch, all refits a second one.
    execution : Execution, optional
        How the fits are executed and checked, and what is kept of them: messages and failures, a cache.

    Attributes
    ----------
    result_ : NestedCVResult
        Scores, best parameters, out-of-fold predictions; ``print(nested.result_.summary())``.
    best_estimator_ : estimator
        The final model; absent with ``final=None``, like ``best_params_``,
        ``best_index_``, ``classes_`` and ``n_features_in_``.
    best_params_ : dict
    best_index_ : int
        Position of ``best_params_`` among ``result_.candidates``.
    scorer_ : OnePassScorer
        Of all metrics.
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

    Each row of the tuning matrix estimates one procedure on the same folds; the best row, selected
    afterwards, is optimistic.

    A search object keeps its ``scoring``, ``refit`` and ``cv``; those that are None are taken from
    here, and setting both raises an error. :class:`~sklearn.model_selection.GridSearchCV` and
    :class:`~sklearn.model_selection.RandomizedSearchCV` are split into candidates, whose fits run
    in one batch; a search of any other class, such as
    :class:`~sklearn.model_selection.HalvingGridSearchCV` or Optuna's ``OptunaSearchCV``, runs as
    one task per outer fold, and chooses by one metric.

    ``sample_weight`` reaches every fit and every score, and ``groups`` both splitters, whether
    metadata routing is on or not. With a :class:`sklearn.pipeline.Pipeline` the weights go to the
    last step; with routing on, to the steps that request them, and to no fit if none does
    (``set_fit_request(sample_weight=False)``).

    All fits run under joblib's current backend, so they go to Dask, Ray or Spark as those of
    scikit-learn's searches do. Where a worker process dies, joblib raises an error; with ``memory``
    of :class:`Execution` the run, started again, fits only what is missing.

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

    A search that is there already:

    >>> from sklearn.model_selection import GridSearchCV
    >>> search = GridSearchCV(KNeighborsClassifier(), grid, scoring="accuracy")
    >>> NestedCV(search, outer_cv=3).fit(X, y).best_params_
    {'n_neighbors': 5}
    """

    def __init__(
        self,
        estimator: Estimator,
        param_grid: Grid | None = None,
        *,
        scoring: Scoring = None,
        refit: Refit = None,
        pos_label: Label = None,
        decisions: Decisions | None = None,
        outer_cv: Folds = 5,
        inner_cv: Splitter | int | None = None,
        final: FinalRule = "search",
        n_jobs: int | None = None,
        execution: Execution | None = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.scoring = scoring
        self.refit = refit
        self.pos_label = pos_label
        self.decisions = decisions
        self.outer_cv = outer_cv
        self.inner_cv = inner_cv
        self.final = final
        self.n_jobs = n_jobs
        self.execution = execution

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = deepcopy(get_tags(tuned(self)))
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        tags.target_tags = inner.target_tags
        tags.input_tags = inner.input_tags
        return tags

    result_: NestedCVResult

    def fit(
        self,
        X: Features,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        **fit_params: Any,
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
            Passed to both splitters; intervals and tests of the result treat groups as clusters.
        **fit_params
            Parameters of every ``fit``, such as ``eval_set`` or callbacks. Arrays with one value
            per row are split like X; everything else is passed unchanged. Metadata requested by a
            scorer (``set_score_request(by=True)``) is passed to it, not to the fits.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an argument has a value that is not among those described, or ``sample_weight`` is
            not one weight a row.
        TypeError
            If there is no ``param_grid``, and the estimator is not a search.
        """
        # Searches, decisions and results are imported by the first run.
        from ._run import plan_of, run

        plan = plan_of(self, X, y, sample_weight, groups, fit_params)
        self.scorer_: Scorer = plan.scorer
        (self.result_,) = run([plan])
        return self

    def _final_model(self) -> FinalModel:
        check_is_fitted(self, "result_")
        if self.result_.final is None:
            raise AttributeError(
                "This NestedCV was fitted with final=None and so has no final model; "
                "set final='search' and fit again."
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
        """Position of the final model's parameters among the candidates."""
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
    def predict(self, X: Features) -> NDArray[Any]:
        """Class labels by the final model, shape (n_samples,)."""
        return self.best_estimator_.predict(X)

    @available_if(_offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Features) -> Floats:
        """Class probabilities by the final model, shape (n_samples, n_classes)."""
        return self.best_estimator_.predict_proba(X)

    @available_if(_offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Features) -> Floats:
        """Decision values of the final model, shape (n_samples,) or (n_samples, n_classes)."""
        return self.best_estimator_.decision_function(X)

    def score(self, X: Features, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
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
        check_rows({"y": y, "sample_weight": sample_weight})
        model = self.best_estimator_
        name = self.result_.refit[0]
        return self.scorer_.subset([name]).score(model, X, y, sample_weight=sample_weight)[name]


def nested_cross_validate(
    estimator: Estimator,
    param_grid: Grid | None = None,
    X: Features | None = None,
    y: ArrayLike | None = None,
    *,
    scoring: Scoring = None,
    refit: Refit = None,
    pos_label: Label = None,
    decisions: Decisions | None = None,
    outer_cv: Folds = 5,
    inner_cv: Splitter | int | None = None,
    final: FinalRule = "search",
    n_jobs: int | None = None,
    execution: Execution | None = None,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    **fit_params: Any,
) -> NestedCVResult:
    """Estimate how well a tuned estimator does, by nested k x l cross-validation.

    Parameters
    ----------
    estimator, param_grid : estimator or search; dict or list of dict
        What the inner folds tune, and values to try; without them it is not tuned.
    X, y : array-like of shape (n_samples, n_features) and (n_samples,)
        Features and class labels.
    scoring, refit : str, list of str, dict or scorer, default=None
        Metrics, and the one that chooses parameters; by default the first.
    pos_label : label, default=None
        The positive class of two.
    decisions, execution, n_jobs : Decisions, Execution and int, default=None
        What else the inner folds decide; how it is computed; number of jobs.
    outer_cv, inner_cv : int or splitter, default=5 and None
        Folds that estimate, and folds that tune.
    final : {"search", "vote"} or None, default="search"
        How the parameters of the final model are chosen; None fits none.
    sample_weight, groups : array-like of shape (n_samples,), default=None
        Weights >= 0, and clusters that no fold splits.
    **fit_params
        Parameters of every ``fit``, as :meth:`NestedCV.fit` takes them.

    Returns
    -------
    NestedCVResult
        Scores by fold (``test_<name>``), frames, intervals and the final model.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid; :class:`NestedCV` describes them.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx import nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> grid = {"var_smoothing": [1e-9, 1e-1]}
    >>> nested_cross_validate(GaussianNB(), grid, X, y)["test_score"].shape
    (5,)
    """
    nested = NestedCV(
        estimator, param_grid, scoring=scoring, refit=refit, pos_label=pos_label,
        decisions=decisions, outer_cv=outer_cv, inner_cv=inner_cv, final=final, n_jobs=n_jobs,
        execution=execution,
    )  # fmt: skip
    given: Any = (X, y)  # None is refused by fit
    return nested.fit(*given, sample_weight=sample_weight, groups=groups, **fit_params).result_
