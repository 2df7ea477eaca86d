"""How much test AUC is lost by choosing a model by each measure, on real data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from .._arrays import Bools, Codes, Floats, RandomState
from .._options import OPEN_SHARE, check_choice, check_whole
from .._text.plain import count
from .._text.tables import Table, Tabular
from ..metrics import roc_auc_score
from ._measures import Measures, measure_values
from ._problems import Problem, checked_problem, load_problems
from ._sets import SetCollection, check_predicts_probabilities, mixed
from ._violations import TIE

CHANCE = "chance"
SEEDS = 2**31 - 1


def regret_of_choice(
    problem: str,
    X: Floats,
    y: Bools,
    seed: int,
    learners: Mapping[str, Any],
    n_models: int,
    n_removed: int,
    sizes: tuple[float, float],
    values_of: Callable[[SetCollection, Measures], dict[str, Floats]],
    measures: Measures,
) -> dict[str, Floats]:
    """Return the regret of each measure, and of chance, among the models of each learner and all."""
    generator = np.random.RandomState(seed)
    train, *held_out = _parts(problem, y, *sizes, generator)
    # The columns that each model keeps.
    order = generator.uniform(size=(n_models, X.shape[1])).argsort(axis=1)
    subsets = np.sort(order[:, n_removed:], axis=1)
    scores = []
    for learner in learners.values():
        for columns in subsets:
            kept = X[:, columns]
            model = _seeded(learner, generator).fit(kept[train], y[train])
            scores.append([model.predict_proba(kept[part])[:, 1] for part in held_out])
    validated, tested = (np.stack(part) for part in zip(*scores, strict=True))
    truth, test = (y[part] for part in held_out)
    sets = SetCollection.from_arrays(np.tile(truth, (len(validated), 1)), validated)
    values = values_of(sets, BASELINE) | values_of(sets, measures)
    values[CHANCE] = np.zeros(len(validated))
    auc = np.array([roc_auc_score(test, score) for score in tested])
    pools = (len(learners), n_models)
    return {
        name: np.append(regret(value.reshape(pools), auc.reshape(pools)), regret(value, auc))
        for name, value in values.items()
    }


def regret(value: Floats, auc: Floats) -> Floats:
    """Return the best AUC minus that of the model with the highest value, along the last axis.

    Where several models share the highest value, it is the mean AUC of these that counts.
    """
    chosen = value >= value.max(axis=-1, keepdims=True) - TIE
    return np.maximum(auc.max(axis=-1) - auc.mean(axis=-1, where=chosen), 0)


def _parts(
    problem: str, y: Bools, train_size: float, size: float, generator: np.random.RandomState
) -> tuple[Codes, Codes, Codes]:
    """Split the examples into a training, a validation and a test part, class by class."""
    number = max(2, round(size * len(y)))
    try:
        train, rest = train_test_split(
            np.arange(len(y)), train_size=train_size, stratify=y, random_state=generator
        )
        validation, test = train_test_split(
            rest, train_size=number, stratify=y[rest], random_state=generator
        )
    except ValueError as error:
        raise ValueError(f"Problem {problem!r} cannot be split: {error}") from None
    if not all(mixed(y[part]) for part in (train, validation, test)):
        raise ValueError(
            f"A part of problem {problem!r} lacks a class, of which there are "
            f"{min(y.sum(), (~y).sum())} examples in all; leave the problem out, or change "
            "train_size or validation_size."
        )
    return train, validation, test


def _seeded(learner: Any, generator: np.random.RandomState) -> Any:
    """Return an unfitted copy of a learner with its own random state."""
    model = clone(learner)
    names = [
        name
        for name in sorted(model.get_params())
        if name == "random_state" or name.endswith("__random_state")
    ]
    return model.set_params(**{name: generator.randint(SEEDS) for name in names})


BASELINE = "roc_auc"
ALL_LEARNERS = "all"
_LEARNERS = {
    "decision_tree": DecisionTreeClassifier(min_samples_leaf=5),
    "naive_bayes": GaussianNB(),
    "logistic_regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
}


@dataclass(frozen=True, eq=False, repr=False)
class SelectionRegret(Tabular):
    """The test AUC that is lost by choosing models by each measure.

    The regret is the highest test AUC of all models to choose from, minus that of the chosen one.

    Parameters
    ----------
    problems : tuple of str
    pools : tuple of str
        What there is to choose from: the models of one learner, named by it (setting 1), or those of
        all learners, named "all" (setting 2).
    regret : dict of str to ndarray of shape (n_problems, n_pools, repetitions)
        The regret of each measure; where several models share its highest value, the expected
        regret of drawing among them. ``"roc_auc"`` is always there.
    chance : ndarray of shape (n_problems, n_pools, repetitions)
        The expected regret of drawing among all models.
    """

    problems: tuple[str, ...]
    pools: tuple[str, ...]
    regret: Mapping[str, Floats]
    chance: Floats

    _index = ("models", "measure")

    @property
    def _with_chance(self) -> dict[str, Floats]:
        return {**self.regret, CHANCE: self.chance}

    @property
    def repetitions(self) -> int:
        """The number of choices on each problem."""
        return self.chance.shape[-1]

    def excess(self, pool: str = ALL_LEARNERS) -> dict[str, tuple[float, float]]:
        """Return how much more each measure, and chance, give away than the plain AUC does.

        Parameters
        ----------
        pool : str, default="all"
            One of :attr:`pools`.

        Returns
        -------
        dict of str to tuple of (float, float)
            The mean over problems of the regret minus that of the plain AUC, and its standard error
            over the repetitions. The standard error is about these problems, not about others.

        Raises
        ------
        ValueError
            If there is no such pool.
        """
        place = self.pools.index(check_choice("pool", pool, self.pools))
        excess = {}
        for name, regret in self._with_chance.items():
            difference = (regret - self.regret[BASELINE])[:, place].mean(axis=0)
            error = difference.std(ddof=1) / np.sqrt(self.repetitions)
            excess[name] = float(difference.mean()), float(error)
        return excess

    def _table(self) -> Table:
        """Return the means over the problems, a row a pool and measure."""
        rows: list[list[Any]] = []
        for place, pool in enumerate(self.pools):
            rows += [[]] if place else []
            for name, (excess, error) in self.excess(pool).items():
                regret = self._with_chance[name][:, place].mean()
                rows.append([pool, name, regret, excess, error])
        head = ["models", "measure", "regret", "excess", "se"]
        caption = (
            f"Mean regret of {self.repetitions} choices on {count(len(self.problems), 'problem')}, and "
            f"its excess over that of {BASELINE} with the standard error"
        )
        return Table(head, rows, caption, left=["measure"])


def measure_regret(
    problems: Mapping[str, Problem] | None = None,
    *,
    learners: Mapping[str, Any] | None = None,
    n_models: int = 10,
    n_removed: int = 3,
    train_size: float = 0.5,
    validation_size: float = 0.1,
    repetitions: int = 100,
    measures: Measures = "all",
    n_jobs: int | None = None,
    random_state: RandomState = None,
    **parameters: Any,
) -> SelectionRegret:
    """Choose models on real data by each measure, and report the loss of test AUC.

    Each repetition splits a problem at random, class by class, into a training, a validation and a
    test part, and draws `n_models` subsets of the features, each without `n_removed` of them. Every
    learner is fitted on the training part once with each subset. A measure chooses the model with
    the highest value on the validation part; its regret is the highest test AUC minus that of the
    chosen model. In setting 1 it chooses among the models of one learner, in setting 2 among those
    of all learners.

    Parameters
    ----------
    problems : dict of str to tuple of (X, y), default=None
        X of shape (n_samples, n_features) holds numbers, y labels of two classes. None means
        :func:`load_problems`.
    learners : dict of str to classifier with ``predict_proba``, default=None
        None means a decision tree with leaves of five examples or more, Gaussian naive Bayes, and
        logistic regression on standardised features. Every copy gets a `random_state` of its own.
    n_models : int >= 2, default=10
        Models of each learner.
    n_removed : int >= 0, default=3
        Features that each model lacks; a problem must have more.
    train_size : float in (0, 1), default=0.5
        The share of the examples to fit on.
    validation_size : float in (0, 1), default=0.1
        The share of the examples to choose by; the test part is the rest.
    repetitions : int >= 2, default=100
        Choices on each problem. All problems at the default sizes take minutes.
    measures : "all", str, callable, list or dict of these, default="all"
        AUC variants and measures of one's own, as in :func:`measure_values`. The plain AUC always
        comes along.
    n_jobs : int, default=None
        Jobs of joblib. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        The seed.
    **parameters
        Parameters given to every variant that takes them, as in :func:`measure_values`.

    Returns
    -------
    SelectionRegret

    Raises
    ------
    ValueError, TypeError
        If an argument is out of range, a problem is too small for its parts, a learner has no
        ``predict_proba``, or as :func:`measure_values`.

    References
    ----------
    .. [1] S. Vanderlooy and E. Huellermeier, "A critical analysis of variants of the AUC", Machine
       Learning 72, 2008. Problems, sizes of the parts and parameters of the learners are chosen
       here.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from skaucx.study import measure_regret
    >>> X, y = load_iris(return_X_y=True)
    >>> result = measure_regret({"versicolor": (X, y == 1)}, measures=["roc_auc", "mm7_auc"],
    ...                         repetitions=3, random_state=0)
    >>> result.pools
    ('decision_tree', 'naive_bayes', 'logistic_regression', 'all')
    >>> {name: regret.shape for name, regret in result.regret.items()}
    {'roc_auc': (1, 4, 3), 'mm7_auc': (1, 4, 3)}
    """
    known = _LEARNERS if learners is None else learners
    _check_learners(known)
    one = partial(
        regret_of_choice,
        learners=known,
        n_models=check_whole("n_models", n_models, 2),
        n_removed=check_whole("n_removed", n_removed, 0),
        sizes=(
            OPEN_SHARE.check("train_size", train_size),
            OPEN_SHARE.check("validation_size", validation_size),
        ),
        values_of=partial(measure_values, **parameters),
        measures=measures,
    )
    listed = _examples(load_problems() if problems is None else problems, n_removed)
    shape = len(listed), check_whole("repetitions", repetitions, 2)
    seeds = check_random_state(random_state).randint(SEEDS, size=shape)
    results = Parallel(n_jobs=n_jobs)(
        delayed(one)(name, *examples, seed)
        for (name, examples), row in zip(listed.items(), seeds, strict=True)
        for seed in row
    )
    pools = (*known, ALL_LEARNERS)[: None if len(known) > 1 else 1]
    regret = {}
    for name in results[0]:
        found = np.reshape([result[name][: len(pools)] for result in results], (*shape, -1))
        regret[name] = np.moveaxis(found, 1, 2)
    chance = regret.pop(CHANCE)
    return SelectionRegret(tuple(listed), pools, regret, chance)


def _check_learners(learners: Mapping[str, Any]) -> None:
    if not learners:
        raise ValueError("learners is empty; at least one classifier is needed.")
    for name, learner in learners.items():
        if name == ALL_LEARNERS:
            raise ValueError(
                f"{name!r} in learners names those of all learners; take another name."
            )
        check_predicts_probabilities(f"The learner {name!r}", learner)


def _examples(problems: Mapping[str, Problem], n_removed: int) -> dict[str, tuple[Floats, Bools]]:
    if not problems:
        raise ValueError("problems is empty; at least one is needed.")
    listed = {name: checked_problem(name, X, y) for name, (X, y) in problems.items()}
    for name, (X, _) in listed.items():
        if X.shape[1] <= n_removed:
            raise ValueError(
                f"Problem {name!r} has {X.shape[1]} features, of which n_removed={n_removed} cannot "
                "be removed; leave the problem out, or remove fewer."
            )
    return listed
