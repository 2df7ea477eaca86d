"""What a nested cross-validation is to do with its data: everything is checked and split here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ._callbacks import WATCHED
from ._code import code_of_fit
from ._options import check_options, check_splitter
from ._positive import classes_of
from ._scoring import judging
from ._types import Scorer, Split
from .decisions._rule import decision_rule
from .execution._sample import Sample
from .results._final import check_numbers
from .searches._inner_search import InnerSearch, check_ways, inner_search
from .searches._procedure import Procedure


@dataclass(frozen=True, eq=False)
class Plan:
    """A nested cross-validation that is ready to run.

    ``inner`` are the splits of each outer training part, and last of all data if they are searched;
    ``execution`` are the arguments of a FitExecutor.
    """

    procedure: Procedure
    sample: Sample
    outer: Sequence[Split]
    inner: Sequence[Sequence[Split]]
    execution: Mapping[str, Any]

    @property
    def n_batches(self) -> int | None:
        """How many batches of fits it takes; None where that depends on what the first ones find."""
        procedure = self.procedure
        if procedure.alone:
            return 1
        return None if procedure.racing or procedure.search is not None else 2


def plan_of(
    nested: Any, X: Any, y: Any, sample_weight: Any, groups: Any, fit_params: Mapping[str, Any]
) -> Plan:
    """Check the options of a :class:`NestedCV` and the arguments of its fit, and split."""
    check_options(nested.get_params(deep=False))
    inner = inner_search(nested.get_params(deep=False))
    scorer = judging(inner.scorers, nested.pos_label)
    asked = {name: fit_params[name] for name in scorer.metadata & set(fit_params)}
    check_ways(inner, scorer, nested.choose_by, nested.racing)
    sample = Sample.of(
        inner.estimator, X, y, sample_weight, groups,
        fit_params={name: fit_params[name] for name in fit_params if name not in asked},
        score_params=asked, weight_fits=nested.weight_fits,
    )  # fmt: skip
    given = {"sample_weight": sample_weight, "groups": groups, **fit_params}
    call = code_of_fit(nested, [name for name, value in given.items() if value is not None])
    procedure = _procedure(nested, inner, scorer, sample, call)
    shared = {name: getattr(nested, name) for name in ("verbose", "memory", "fit_timeout")}
    execution = {"n_jobs": inner.n_jobs, **shared}
    return Plan(procedure, sample, *_splits(procedure, sample), execution)


def _procedure(
    nested: Any, inner: InnerSearch, scorer: Scorer, sample: Sample, call: str
) -> Procedure:
    """Resolve what depends on the kind of search and on the data."""
    y, weighted = sample.y, sample.sample_weight is not None
    _check_final(nested.final, inner)
    classifier = is_classifier(inner.estimator)
    metric = inner.choices[0].metrics[0]
    classes = classes_of(y, inner.estimator, scorer, metric, nested.pos_label)
    return Procedure(
        estimator=inner.estimator,
        candidates=inner.candidates,
        search=inner.search,
        scorer=scorer,
        choices=inner.choices,
        classes=classes,
        outer_cv=check_splitter("outer_cv", nested.outer_cv, y, classifier),
        inner_cv=check_splitter("inner_cv", inner.cv, y, classifier),
        final=nested.final,
        error_score=inner.error_score,
        call=call,
        racing=nested.racing,
        return_estimator=nested.return_estimator,
        watched=WATCHED if getattr(nested, "_skl_callbacks", ()) else (),
        pooled=nested.choose_by == "pooled",
        decide=decision_rule(vars(nested), inner.estimator, classes, weighted=weighted),
    )


def _check_final(final: str | None, inner: InnerSearch) -> None:
    """Refuse a vote or a mean of candidates that are not shared, or a mean of no numbers."""
    if final in ("vote", "mean") and inner.search is not None:
        raise ValueError(
            f"final={final!r} needs candidates that all outer folds share, and every "
            f"{type(inner.search).__name__} finds its own; use final='search' or None."
        )
    if final == "mean":
        check_numbers(inner.candidates)


def _splits(
    procedure: Procedure, sample: Sample
) -> tuple[Sequence[Split], Sequence[Sequence[Split]]]:
    """Split outside, and inside of each training part and of all data if they are searched.

    A search that runs by itself sees its training part only, so its splits are positions in that.
    """
    every = np.arange(len(sample))
    outer = sample.split(procedure.outer_cv, every)
    trains = [train for train, _ in outer] + [every] * (procedure.final == "search")
    split = sample.split_within if procedure.alone else sample.split
    return outer, [split(procedure.inner_cv, train) for train in trains]
