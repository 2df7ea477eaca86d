"""Boosters with early stopping on held-out rows of their training part."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import sklearn
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedShuffleSplit
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from .._arguments import Estimator, Features, Label, Splitter
from .._arrays import RandomState, check_rows, take_rows, weight_vector
from .._compat import import_extra
from .._options import OPEN_SHARE, check_whole
from ._boosters import Floats, XGBoostMetric, catboost_metric, lightgbm_metric, xgboost_metric

Rows = NDArray[np.intp]
# X, y and weights of the rows that learn, then of those that watch.
Part = tuple[Any, Any, Any]


class EarlyStoppingClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A booster that holds back some of its training rows and stops when they no longer gain.

    Every fit splits the rows that it is given, so that inside of a search, a cross-validation or a
    nested run no test row takes part in the decision when to stop.

    Parameters
    ----------
    estimator : classifier or Pipeline
        An XGBClassifier, LGBMClassifier, CatBoostClassifier or, since scikit-learn 1.7, a
        HistGradientBoostingClassifier, with its maximum number of rounds (``n_estimators``,
        ``iterations``, ``max_iter``). Or a :class:`sklearn.pipeline.Pipeline` whose last step is one of
        these: its transformers are fitted on the rows that learn, and transform those held back.
    metric : str, default="log_loss"
        A metric of this package with its average, such as "average_precision".
    validation : float or splitter, default=0.2
        Share of the training rows to hold back, stratified by class, or with ``groups`` about this
        share and whole groups; or a splitter, whose first split is taken.
    rounds : int, default=50
        Rounds without gain after which to stop.
    refit : bool, default=False
        Whether to fit once more on all rows, with the number of rounds found.
    pos_label : label, optional
        The positive class of two, for metrics that have one.
    random_state : int, RandomState instance or None, default=None
        Draws the rows that are held back.

    Attributes
    ----------
    estimator_ : estimator
        The fitted booster, or the pipeline; its classes are coded 0 to K - 1.
    classes_ : ndarray of shape (K,)
    n_rounds_ : int
        Rounds of the best value.
    n_features_in_ : int
    validation_rows_ : ndarray of shape (m,), int
        The rows that were held back.

    Raises
    ------
    TypeError
        In ``fit``, if the estimator is of another library.
    ValueError
        If an option has a value that is not among those described, or scikit-learn is too old to stop
        its booster on given rows.

    See Also
    --------
    skaucx.model_selection.NestedCV : Pass ``groups`` to it and they reach this fit too.

    Notes
    -----
    The parameters of the booster are tuned under ``estimator__``. Weights go into the fit of the booster
    and into the metric that stops it.

    No row serves two purposes: a row that decides when to stop is learned from neither by the booster
    nor by the transformers of a pipeline (unless ``refit=True`` fits all again, with the rounds found).
    A pipeline *around* this classifier fits its transformers on the rows held back as well. Of
    scikit-learn's booster, which keeps the rounds after the best one, a second fit on the rows that
    learned has the rounds found.

    Examples
    --------
    >>> from skaucx.integrations import EarlyStoppingClassifier
    >>> booster = LGBMClassifier(n_estimators=1000)  # doctest: +SKIP
    >>> model = EarlyStoppingClassifier(booster, "average_precision")  # doctest: +SKIP
    >>> nested_cross_validate(model, {"estimator__num_leaves": [7, 31]}, X, y)  # doctest: +SKIP
    """

    def __init__(
        self,
        estimator: Estimator,
        metric: str = "log_loss",
        *,
        validation: float | Splitter = 0.2,
        rounds: int = 50,
        refit: bool = False,
        pos_label: Label = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator: Any = estimator
        self.metric = metric
        self.validation: Any = validation
        self.rounds = rounds
        self.refit = refit
        self.pos_label = pos_label
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    @property
    def fit_note(self) -> str:
        """The note on this estimator in the summary of a nested run."""
        part = f"{self.validation:.0%} of its training rows"
        if not isinstance(self.validation, Real):
            part = f"training rows split off by {type(self.validation).__name__}"
        if isinstance(self.estimator, Pipeline):
            part += ", transformed as fitted on the others"
        again = ", then fitted on all of these" if self.refit else ""
        return f"Every fit stopped early by {self.metric} on {part}{again}; no test row took part."

    def fit(
        self,
        X: Features,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> EarlyStoppingClassifier:
        """Hold back some rows, learn from the others until these no longer gain.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
        groups : array-like of shape (n_samples,), optional
            Rows of one group are held back together.

        Returns
        -------
        self
        """
        transformers, booster = _parts(clone(self.estimator))
        library = _library(booster)
        check_whole("rounds", self.rounds, 1)
        check_classification_targets(y)
        check_rows({"y": y, "sample_weight": sample_weight, "groups": groups})
        X, y, sample_weight, groups = indexable(X, y, sample_weight, groups)
        encoder = LabelEncoder().fit(y)
        self.classes_ = encoder.classes_
        codes = encoder.transform(y)
        weight = None if sample_weight is None else weight_vector(np.asarray(sample_weight, float))
        X = X if hasattr(X, "shape") else np.asarray(X)
        train, held = self._split(X, codes, groups)

        def part(rows: Rows) -> Part:
            return take_rows(X, rows), codes[rows], None if weight is None else weight[rows]

        named = {} if self.pos_label is None else {"pos_label": self.pos_label}
        options = {"classes": self.classes_.tolist(), **named}
        learns, watches = part(train), part(held)
        if transformers is not None:
            learns = (transformers.fit_transform(*learns[:2]), *learns[1:])
            watches = (transformers.transform(watches[0]), *watches[1:])
        self.n_rounds_ = _FITS[library](booster, learns, watches, self.metric, options, self.rounds)
        if self.refit:
            rounds: dict[str, Any] = {_ROUNDS[library]: self.n_rounds_}
            if library == "catboost":  # its default depends on the number of rounds
                rounds["learning_rate"] = booster.learning_rate_
            transformers, booster = _parts(clone(self.estimator))
            table = X if transformers is None else transformers.fit_transform(X, codes)
            booster.set_params(**rounds, **_WHOLE.get(library, {}))
            booster.fit(table, codes, sample_weight=weight)
        self.estimator_, self.validation_rows_ = booster, held
        if transformers is not None:
            name = self.estimator.steps[-1][0]
            self.estimator_ = Pipeline([*transformers.steps, (name, booster)])
        self.n_features_in_ = X.shape[1]
        return self

    def _split(self, X: Any, codes: Rows, groups: Any) -> tuple[Rows, Rows]:
        splitter = self.validation
        if isinstance(splitter, Real):
            share = OPEN_SHARE.check("validation", splitter)
            splitter = StratifiedShuffleSplit(1, test_size=share, random_state=self.random_state)
            if groups is not None:
                splitter = StratifiedGroupKFold(
                    max(2, round(1 / share)), shuffle=True, random_state=self.random_state
                )
        if isinstance(splitter, str) or not hasattr(splitter, "split"):
            raise TypeError(f"validation must be a share or a splitter, found {splitter!r}.")
        train, held = next(iter(splitter.split(X, codes, groups)))
        missing = np.setdiff1d(np.arange(len(self.classes_)), codes[train])
        if len(missing):
            raise ValueError(
                f"The rows that are left to learn from lack the classes "
                f"{self.classes_[missing].tolist()}; hold back fewer rows or other ones."
            )
        return train, held

    def predict(self, X: Features) -> NDArray[Any]:
        """Class labels, shape (n_samples,)."""
        check_is_fitted(self)
        codes = np.asarray(self.estimator_.predict(X)).ravel().astype(np.intp)
        return self.classes_[codes]

    def predict_proba(self, X: Features) -> Floats:
        """Class probabilities, shape (n_samples, n_classes)."""
        check_is_fitted(self)
        return np.asarray(self.estimator_.predict_proba(X))

    @available_if(lambda self: hasattr(self.estimator_, "feature_importances_"))  # type: ignore[untyped-decorator]
    def _importances(self) -> Floats:
        return np.asarray(self.estimator_.feature_importances_)

    @property
    def feature_importances_(self) -> Floats:
        """Importance of the features in the booster."""
        return self._importances()


def _parts(estimator: Any) -> tuple[Pipeline | None, Any]:
    """Return the steps before the last one of a pipeline, if any, and the booster."""
    if not isinstance(estimator, Pipeline):
        return None, estimator
    return estimator[:-1] if len(estimator.steps) > 1 else None, estimator.steps[-1][1]


def _library(estimator: Any) -> str:
    """Return the library that an estimator comes from."""
    for kind in type(estimator).__mro__:
        library = kind.__module__.partition(".")[0]
        if kind.__name__ == "HistGradientBoostingClassifier" or library in _FITS.keys() - {
            "sklearn"
        }:
            return library
    raise TypeError(
        "estimator must be a classifier of XGBoost, LightGBM or CatBoost, scikit-learn's "
        "HistGradientBoostingClassifier, or a pipeline that ends in one of them, found "
        f"{type(estimator).__name__}."
    )


def _fit_xgboost(
    model: Any, train: Part, held: Part, metric: str, options: dict[str, Any], rounds: int
) -> int:
    weights = {}
    if train[2] is not None:
        weights = {"sample_weight": train[2], "sample_weight_eval_set": [held[2]]}
    model.set_params(
        eval_metric=xgboost_metric(metric, **options), early_stopping_rounds=rounds
    ).fit(*train[:2], eval_set=[held[:2]], verbose=False, **weights)
    return int(model.best_iteration) + 1


def _fit_lightgbm(
    model: Any, train: Part, held: Part, metric: str, options: dict[str, Any], rounds: int
) -> int:
    lightgbm = import_extra("lightgbm", "Early stopping", "lightgbm")
    watch: dict[str, Any] = {"eval_set": [held[:2]]}
    if "eval_X" in inspect.signature(model.fit).parameters:  # since LightGBM 4.7
        watch = {"eval_X": held[0], "eval_y": held[1]}
    weights = {}
    if train[2] is not None:
        weights = {"sample_weight": train[2], "eval_sample_weight": [held[2]]}
    model.set_params(metric="None").fit(
        *train[:2],
        **watch,
        eval_metric=lightgbm_metric(metric, **options),
        callbacks=[lightgbm.early_stopping(rounds, verbose=False)],
        **weights,
    )
    return int(model.best_iteration_)


def _fit_catboost(
    model: Any, train: Part, held: Part, metric: str, options: dict[str, Any], rounds: int
) -> int:
    catboost = import_extra("catboost", "Early stopping", "catboost")
    with warnings.catch_warnings():  # CatBoost warns of every metric that numba could compile
        warnings.filterwarnings("ignore", ".*numba")
        model.set_params(eval_metric=catboost_metric(metric, **options)).fit(
            *train[:2],
            sample_weight=train[2],
            eval_set=catboost.Pool(held[0], held[1], weight=held[2]),
            early_stopping_rounds=rounds,
            use_best_model=True,
            verbose=False,
        )
    return int(model.get_best_iteration()) + 1


@dataclass(frozen=True)
class _Scoring:
    """A metric as scorer of codes 0 to K - 1."""

    cost: XGBoostMetric

    def __call__(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        return -float(self.cost(y, model.predict_proba(X), sample_weight))


def _fit_sklearn(
    model: Any, train: Part, held: Part, metric: str, options: dict[str, Any], rounds: int
) -> int:
    if "X_val" not in inspect.signature(model.fit).parameters:
        raise ValueError(
            f"{type(model).__name__} stops on given rows since scikit-learn 1.7, found "
            f"{sklearn.__version__}."
        )
    scoring = _Scoring(xgboost_metric(metric, **options))
    model.set_params(early_stopping=True, scoring=scoring, n_iter_no_change=rounds).fit(
        *train, X_val=held[0], y_val=held[1], sample_weight_val=held[2]
    )
    best = max(1, int(np.argmax(model.validation_score_)))  # the first one is before any round
    model.set_params(max_iter=best, **_WHOLE["sklearn"]).fit(*train)
    return best


_FITS: dict[str, Callable[..., int]] = {
    "xgboost": _fit_xgboost,
    "lightgbm": _fit_lightgbm,
    "catboost": _fit_catboost,
    "sklearn": _fit_sklearn,
}
# The parameter for the number of rounds of a booster.
_ROUNDS = {
    "xgboost": "n_estimators",
    "lightgbm": "n_estimators",
    "catboost": "iterations",
    "sklearn": "max_iter",
}
# What makes a booster take all rounds, where rows are many by default.
_WHOLE: dict[str, dict[str, Any]] = {"sklearn": {"early_stopping": False}}
