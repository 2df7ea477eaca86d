"""One choice among models of real data: split, fit, choose by each measure, test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import train_test_split

from .._arrays import Codes, Floats
from ..metrics import roc_auc_score
from ._measures import Measures, measure_values
from ._problems import Examples
from ._sets import SetCollection, mixed
from ._violations import TIE

CHANCE = "chance"
SEEDS = 2**31 - 1


@dataclass(frozen=True)
class Plan:
    """What is done in every repetition; the parameters are those of `measure_regret`."""

    learners: Mapping[str, Any]
    n_models: int
    n_removed: int
    train_size: float
    validation_size: float | int
    measures: Measures
    parameters: Mapping[str, Any]


def regret_of_choice(examples: Examples, plan: Plan, seed: int) -> dict[str, Floats]:
    """Return the regret of each measure, and of chance, among the models of each learner and all."""
    generator = np.random.RandomState(seed)
    parts = _parts(examples, plan, generator)
    subsets = _subsets(examples, plan, generator)
    scores = [
        _scores(_seeded(learner, generator), examples, columns, parts)
        for learner in plan.learners.values()
        for columns in subsets
    ]
    validated, tested = (np.stack(part) for part in zip(*scores, strict=True))
    truth = np.tile(examples.y[parts[1]], (len(validated), 1))
    sets = SetCollection.from_arrays(truth, validated)
    values = {
        **measure_values(sets, plan.measures, **plan.parameters),
        CHANCE: np.zeros(len(validated)),
    }
    auc = np.array([roc_auc_score(examples.y[parts[2]], score) for score in tested])
    by_learner = (len(plan.learners), plan.n_models)
    return {
        name: np.append(
            regret(value.reshape(by_learner), auc.reshape(by_learner)), regret(value, auc)
        )
        for name, value in values.items()
    }


def regret(value: Floats, auc: Floats) -> Floats:
    """Return the best AUC minus that of the model with the highest value, along the last axis.

    Where several models share the highest value, it is the mean AUC of these that counts.
    """
    chosen = value >= value.max(axis=-1, keepdims=True) - TIE
    return np.maximum(auc.max(axis=-1) - auc.mean(axis=-1, where=chosen), 0)


def _parts(
    examples: Examples, plan: Plan, generator: np.random.RandomState
) -> tuple[Codes, Codes, Codes]:
    """Split the examples into a training, a validation and a test part, class by class."""
    y, size = examples.y, plan.validation_size
    number = size if isinstance(size, int) else max(2, round(size * len(y)))
    try:
        train, rest = train_test_split(
            np.arange(len(y)), train_size=plan.train_size, stratify=y, random_state=generator
        )
        validation, test = train_test_split(
            rest, train_size=number, stratify=y[rest], random_state=generator
        )
    except ValueError as error:
        raise ValueError(f"Problem {examples.problem!r} cannot be split: {error}") from None
    for name, part in (("training", train), ("validation", validation), ("test", test)):
        if not mixed(y[part]):
            raise ValueError(
                f"The {name} part of problem {examples.problem!r} lacks a class, of which there are "
                f"{min(y.sum(), (~y).sum())} examples in all; leave the problem out, or change "
                "train_size or validation_size."
            )
    return train, validation, test


def _subsets(examples: Examples, plan: Plan, generator: np.random.RandomState) -> list[Codes]:
    """Return for each model the columns of the features that it keeps."""
    order = generator.uniform(size=(plan.n_models, examples.features)).argsort(axis=1)
    return [np.flatnonzero(np.isin(examples.feature, kept)) for kept in order[:, plan.n_removed :]]


def _seeded(learner: Any, generator: np.random.RandomState) -> Any:
    """Return an unfitted copy of a learner with a random state of its own."""
    model = clone(learner)
    names = [
        name
        for name in sorted(model.get_params())
        if name == "random_state" or name.endswith("__random_state")
    ]
    return model.set_params(**{name: generator.randint(SEEDS) for name in names})


def _scores(
    model: Any, examples: Examples, columns: Codes, parts: tuple[Codes, Codes, Codes]
) -> list[Floats]:
    """Fit a model on the training part; return the scores of the validation and the test part."""
    train, *others = parts
    X = examples.X[:, columns]
    model.fit(X[train], examples.y[train])
    positive = model.predict_proba(X[np.concatenate(others)])[:, 1]
    return np.split(positive, [len(others[0])])
