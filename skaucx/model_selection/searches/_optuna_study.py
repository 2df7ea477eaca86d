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
    from optuna.study import Study
    from optuna.trial import Trial


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
        that a run that was killed requests the same trials again, whose fits ``memory`` of
        :class:`Execution` keeps; ``TPESampler`` by default. An object is used as it is.
    pruner : optuna.pruners.BasePruner, default=None
        Prunes a trial after an inner fold, by the mean of its folds so far. ``racing`` of
        :class:`Execution` does so by bounds.
    random_state : int, default=0
        Seed of the samplers.

    Raises
    ------
    ValueError, TypeError
        In ``fit``, if an option has a value that is not among those described.
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
    random_state: int = 0

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


class SearchStudy:
    """The study of one search, of which `asked` trials were requested."""

    def __init__(self, search: OptunaSearch, number: int) -> None:
        optuna = import_optuna()
        self._search, self.number, self.asked = search, number, 0
        with _quiet(optuna):
            self._study = optuna.create_study(
                direction="maximize",
                pruner=optuna.pruners.NopPruner() if search.pruner is None else search.pruner,
            )
        self._trial: Any = None

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
        defined = scores[done, 0][~np.isnan(scores[done, 0])]
        if not done.all():
            self._study.tell(self._trial, state=states.PRUNED)
        elif len(defined):
            self._study.tell(self._trial, float(defined.mean()))
        else:
            self._study.tell(self._trial, state=states.FAIL)


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Restrict Optuna's log to warnings."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(max(before, optuna.logging.WARNING))
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
