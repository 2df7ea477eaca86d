"""Optuna's trials: where parameters are drawn from, and the study of one search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._compat import import_extra
from ..._options import check_whole
from .._types import Floats, Params
from ._race import Bools

if TYPE_CHECKING:
    from optuna.pruners import BasePruner
    from optuna.samplers import BaseSampler
    from optuna.storages import BaseStorage
    from optuna.study import Study
    from optuna.trial import FrozenTrial, Trial

# Attributes of our own in a storage: of a trial, and of a study.
_SCORES, _PRINT = "skaucx_scores", "skaucx_print"


def import_optuna() -> Any:
    """Import Optuna; the error names the extra to install."""
    return import_extra("optuna", "Optuna's search", "skaucx[optuna]")


@dataclass(frozen=True, eq=False)
class OptunaSearch:
    """Trials of Optuna in place of a grid: ``NestedCV(estimator, OptunaSearch(space))``.

    Every outer fold has a separate study. All of them ask at once, and the fits of their trials
    share the workers, so the numbers are the same for any ``n_jobs``.

    Parameters
    ----------
    space : dict of str to distribution or list, or callable
        For each parameter a distribution of :mod:`optuna.distributions` or a list of values; or a
        function that takes a trial and returns the parameters.
    n_trials : int, default=50
        Trials of each study.
    sampler : callable or optuna.samplers.BaseSampler, default=None
        A function of ``seed``, such as a class of samplers, which is called for every trial, so
        that a resumed run continues as if it had not been interrupted; ``TPESampler`` by default.
        An object is used as it is.
    pruner : optuna.pruners.BasePruner, default=None
        Prunes a trial after an inner fold, by the mean of its folds so far. ``racing`` of
        :class:`NestedCV` does so by bounds.
    storage : str or optuna.storages.BaseStorage, default=None
        Keeps the trials, such as ``"sqlite:///trials.db"``: a run with the same data, estimator and
        metrics takes those that are there and makes the others.
    study_name : str, default="skaucx"
        Begins the names of the studies in the storage.
    random_state : int, default=0
        Seed of the samplers.

    Raises
    ------
    ValueError, TypeError
        In ``fit``, if an option has a value that is not among those described, or the storage holds
        trials of something else.
    ImportError
        In ``fit``, if Optuna is not installed.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skaucx.model_selection import OptunaSearch, nested_cross_validate
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = OptunaSearch({"var_smoothing": [1e-9, 1e-6, 1e-3]}, n_trials=4)
    >>> result = nested_cross_validate(
    ...     GaussianNB(), search, X, y, scoring="roc_auc", outer_cv=2, inner_cv=2, final=None
    ... )
    >>> len(result.searches[0]["params"])
    4
    """

    space: Mapping[str, Any] | Callable[[Any], Params]
    n_trials: int = 50
    sampler: BaseSampler | Callable[..., BaseSampler] | None = None
    pruner: BasePruner | None = None
    storage: str | BaseStorage | None = None
    study_name: str = "skaucx"
    random_state: int = 0

    def __deepcopy__(self, memo: Any) -> OptunaSearch:
        """Return itself, so that ``clone`` shares storages, which hold locks and connections."""
        return self

    def check(self) -> None:
        """Check the arguments early."""
        check_whole("n_trials", self.n_trials, 1)
        check_whole("random_state", self.random_state, 0)
        if not callable(self.space) and not (isinstance(self.space, Mapping) and self.space):
            raise TypeError(
                "space must be a dict from parameters to distributions or lists, or a function of "
                f"a trial, found {self.space!r}."
            )

    def ask(self, study: Study) -> tuple[Trial, Params]:
        """Return a new trial of a study and its parameters."""
        if callable(self.space):
            trial = study.ask()
            return trial, dict(self.space(trial))
        trial = study.ask(distributions(self.space))
        return trial, dict(trial.params)

    def params_of(self, trial: FrozenTrial) -> Params:
        """Return the parameters of a trial that is over."""
        return dict(self.space(trial) if callable(self.space) else trial.params)

    def sampler_of(self, search: int, trial: int) -> Any:
        """Return the sampler of a trial, a new one with a seed unless an object was given."""
        optuna = import_optuna()
        if isinstance(self.sampler, optuna.samplers.BaseSampler):
            return self.sampler
        seeds = np.random.SeedSequence([self.random_state, search, trial])
        made: Any = optuna.samplers.TPESampler if self.sampler is None else self.sampler
        return made(seed=int(seeds.generate_state(1)[0]))


def distributions(space: Mapping[str, Any]) -> dict[str, Any]:
    """Return distributions of Optuna; a list of values is one of categories.

    Raises
    ------
    TypeError
        If an entry is neither a distribution nor a list.
    """
    kinds = import_optuna().distributions
    found = {}
    for name, given in space.items():
        if not isinstance(given, kinds.BaseDistribution | Sequence) or isinstance(given, str):
            raise TypeError(
                f"space[{name!r}] must be a distribution of optuna.distributions or a list of "
                f"values, found {given!r}."
            )
        known = isinstance(given, kinds.BaseDistribution)
        found[name] = given if known else kinds.CategoricalDistribution(tuple(given))
    return found


def suggested(trial: Any, name: str, kind: Any) -> Any:
    """Return the value that a trial draws from a distribution."""
    if hasattr(kind, "choices"):
        return trial.suggest_categorical(name, kind.choices)
    whole = isinstance(kind, import_optuna().distributions.IntDistribution)
    suggest = trial.suggest_int if whole else trial.suggest_float
    return suggest(name, kind.low, kind.high, step=kind.step, log=kind.log)


@dataclass(frozen=True, eq=False)
class KeptTrial:
    """A trial that a storage holds: its parameters, scores (l, R), and the folds done, (l,)."""

    params: Params
    scores: Floats
    done: Bools


class SearchStudy:
    """The study of one search, with `requested` trials.

    ``print_`` is the fingerprint of the data, the estimator and the metrics.
    """

    def __init__(self, search: OptunaSearch, number: int, print_: str) -> None:
        self._search, self.number, self.asked = search, number, 0
        self._study = _opened(search, number, print_)
        self._trial: Any = None

    def kept(self) -> Iterator[KeptTrial]:
        """Yield the trials of the storage; one that was under way there counts as failed."""
        for trial in self._study.get_trials(deepcopy=False):
            kept = trial.user_attrs.get(_SCORES)
            if not trial.state.is_finished():
                self._study.tell(trial.number, state=import_optuna().trial.TrialState.FAIL)
            elif kept is not None and self.asked < self._search.n_trials:
                self.asked += 1
                scores = np.array(kept["scores"], dtype=np.float64)  # None is nan
                yield KeptTrial(self._search.params_of(trial), scores, np.array(kept["done"]))

    def ask(self) -> Params:
        """Begin a trial and return its parameters."""
        self._study.sampler = self._search.sampler_of(self.number, self.asked)
        self._trial, params = self._search.ask(self._study)
        self.asked += 1
        return params

    def report(self, scores: Floats, fold: int) -> bool:
        """Report the scores of the finished folds, and return whether to prune."""
        defined = scores[~np.isnan(scores)]
        if not len(defined):
            return False
        self._trial.report(float(defined.mean()), fold)
        return self._search.pruner is not None and bool(self._trial.should_prune())

    def tell(self, scores: Floats, done: Bools) -> None:
        """End the trial with its scores (l, R), of which the first metric is optimised."""
        states = import_optuna().trial.TrialState
        kept = [[None if np.isnan(s) else s for s in row] for row in scores.tolist()]
        self._trial.set_user_attr(_SCORES, {"scores": kept, "done": done.tolist()})
        defined = scores[done, 0][~np.isnan(scores[done, 0])]
        if not done.all():
            self._study.tell(self._trial, state=states.PRUNED)
        elif len(defined):
            self._study.tell(self._trial, float(defined.mean()))
        else:
            self._study.tell(self._trial, state=states.FAIL)


def _opened(search: OptunaSearch, number: int, print_: str) -> Any:
    optuna = import_optuna()
    with _quiet(optuna):
        study = optuna.create_study(
            storage=search.storage,
            study_name=f"{search.study_name}-{number}",
            direction="maximize",
            pruner=optuna.pruners.NopPruner() if search.pruner is None else search.pruner,
            load_if_exists=search.storage is not None,
        )
    if study.user_attrs.get(_PRINT, print_) != print_:
        raise ValueError(
            f"storage: the study {study.study_name!r} holds trials of other data, another "
            "estimator, other folds or other metrics; take another study_name."
        )
    study.set_user_attr(_PRINT, print_)
    return study


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Restrict Optuna's log to warnings."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(max(before, optuna.logging.WARNING))
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
