"""A metric as the objective of an Optuna study."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier

from ..._arguments import Estimator, Features, Folds, Label
from .._run_options import check_splitter
from .._scoring import check_bound_arrays, refuse_metadata, resolve_scoring
from .._types import Scorer, Scoring, Split
from ..execution._dataset import Dataset
from ..execution._job import score_candidate
from ._optuna_study import distributions, import_optuna, suggested


def optuna_objective(
    estimator: Estimator,
    space: Mapping[str, Any] | Callable[..., Any],
    X: Features,
    y: ArrayLike,
    *,
    scoring: Scoring = None,
    pos_label: Label = None,
    cv: Folds = 5,
    sample_weight: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> OptunaObjective:
    """Return what ``study.optimize`` takes: the mean score of a trial's parameters over folds.

    Parameters
    ----------
    estimator : estimator
    space : dict of str to distribution or list, or callable
        As :class:`skaucx.model_selection.OptunaSearch` takes it.
    X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    scoring : str, list of str, dict or scorer, optional
        Metrics, as :class:`skaucx.model_selection.NestedCV` takes them. The first is optimised; the
        means of all are attributes of the trial.
    pos_label : label, optional
        The positive class of two, of every metric that has one and names none itself.
    cv : int, splitter or iterable of splits, default=5
    sample_weight, groups : array-like of shape (n_samples,), optional

    Returns
    -------
    OptunaObjective
        A function of a trial. Greater is better, of losses their negative: make the study with
        ``direction="maximize"``. It reports the mean so far after each fold, and stops if the
        study's pruner does. Where a fold is undefined the trial fails.

    See Also
    --------
    skaucx.model_selection.OptunaSearch : The same inside of nested folds, all in one pool.

    Examples
    --------
    >>> import optuna
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import optuna_objective
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> study = optuna.create_study(direction="maximize")
    >>> space = {"var_smoothing": [1e-9]}
    >>> study.optimize(optuna_objective(GaussianNB(), space, X, y, scoring="mm7_auc"), n_trials=1)
    >>> round(study.best_value, 3)
    0.912
    """
    data = Dataset.of(estimator, X, y, sample_weight, groups)
    splitter = check_splitter("cv", cv, y, is_classifier(estimator))
    splits = data.split(splitter, np.arange(len(data)))
    scorer = resolve_scoring(scoring, estimator, pos_label=pos_label)
    refuse_metadata(scorer, "optuna_objective")
    check_bound_arrays(scorer, len(data))
    return OptunaObjective(estimator, space, data, splits, scorer)


class OptunaObjective:
    """The mean score of a trial's parameters over folds; made by :func:`optuna_objective`.

    Parameters
    ----------
    estimator : estimator
    space : dict of str to distribution or list, or callable
    data : Dataset
        What the folds are taken from.
    splits : sequence of pairs of ndarray of int
        The rows to fit on and those to score.
    scorer : scorer of one or several metrics
        The first is optimised.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import optuna_objective
    >>> X, y = np.arange(20.0)[:, None], np.arange(20) % 2
    >>> type(optuna_objective(GaussianNB(), {}, X, y, scoring="roc_auc")).__name__
    'OptunaObjective'
    """

    def __init__(
        self,
        estimator: Estimator,
        space: Mapping[str, Any] | Callable[..., Any],
        data: Dataset,
        splits: Sequence[Split],
        scorer: Scorer,
    ) -> None:
        self._estimator, self._data, self._splits = estimator, data, splits
        self._space = space if callable(space) else distributions(space)
        self._scorer = scorer

    def __call__(self, trial: Any) -> float:
        """Return the mean of the first metric over all folds."""
        params = self._params(trial)
        found = []
        for step, (train, test) in enumerate(self._splits):
            outcome = score_candidate(
                self._estimator, params, self._data, train, test, self._scorer, "raise"
            )
            found.append(list(outcome.scores.values()))
            trial.report(float(np.mean(found, axis=0)[0]), step)
            if trial.should_prune():
                raise import_optuna().TrialPruned
        means = np.mean(found, axis=0).tolist()
        for name, mean in zip(self._scorer.names, means, strict=True):
            trial.set_user_attr(name, mean)
        return float(means[0])

    def _params(self, trial: Any) -> dict[str, Any]:
        if callable(self._space):
            return dict(self._space(trial))
        return {name: suggested(trial, name, kind) for name, kind in self._space.items()}
