"""What predictions that know nothing of the examples would be worth.

Of predicted labels the expected table is judged. Of scores, those that are the same for every example;
and for "random", each example with the score of each other.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..._arrays import Floats
from .._records.counts import weighted_bincount
from .._records.inputs import ScoredLabels, positive_code, score_columns
from .._registry.kind import Prediction
from .._registry.kinds import LABELS, SCORES
from .._states.labels import IndicatorState, LabelState
from .._states.scores import score_state
from .values import Found, read_metrics

BASELINES = ("majority", "prior", "uniform", "random")
_ROUNDING = 1e-14


def baselines_of(
    states: Mapping[Prediction, Any], found: Found, given: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Return the values of the same metrics for every baseline, nan where one has no meaning."""
    parts = {}
    if LABELS in states and not isinstance(states[LABELS], IndicatorState):
        parts[LABELS] = dict(_tables(states[LABELS]))
    if SCORES in states and isinstance(states[SCORES].scored, ScoredLabels):
        parts[SCORES] = dict(_scores(states[SCORES].scored, given.get("pos_label")))
    return {name: _values(name, parts, found, given) for name in BASELINES}


def _values(
    name: str,
    parts: Mapping[Prediction, Mapping[str, Any]],
    found: Found,
    given: Mapping[str, Any],
) -> dict[str, Any]:
    own = {judged: made[name] for judged, made in parts.items() if name in made}
    values = {key: np.full(np.shape(value), np.nan)[()] for key, value in found.values.items()}
    readable = {key: named for key, named in found.asked.items() if named.row.kind.judged in own}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a baseline is often undefined, which nan says
        for key, named in readable.items():
            taken = {k: v for k, v in given.items() if k in named.function.options}
            taken.setdefault("zero_division", np.nan)
            value = read_metrics(own, {key: named}, taken).values[key]
            # An expected table of no association is so up to rounding.
            values[key] = np.where(np.abs(value) < _ROUNDING, 0.0, value)[()]
    return values


def _tables(state: LabelState) -> Iterator[tuple[str, LabelState]]:
    """Yield the table that each baseline is expected to give, classes as they are."""
    sizes, called = state.table.sum(axis=-1), state.table.sum(axis=-2)
    for name, shares in _shares(sizes, called).items():
        yield name, LabelState(np.outer(sizes, shares), state.classes, state.named)


def _shares(sizes: Floats, called: Floats) -> dict[str, Floats]:
    """Return how often each class is predicted."""
    greatest = sizes == sizes.max()
    return {
        "majority": greatest / greatest.sum(),
        "prior": sizes / sizes.sum(),
        "uniform": np.full(len(sizes), 1 / len(sizes)),
        "random": called / called.sum(),
    }


def _scores(scored: ScoredLabels, pos_label: Any) -> Iterator[tuple[str, Any]]:
    """Yield the scores of each baseline: the same for all, or the model's own dealt at random."""
    classes = len(scored.classes)
    sizes = weighted_bincount(scored.true, classes, scored.weight)
    weight = np.ones(len(scored.true)) if scored.weight is None else scored.weight
    for name, shares in _shares(sizes, sizes).items():
        if name == "random":
            continue
        columns = _columns(scored, shares, pos_label)
        if columns is not None:
            same = np.broadcast_to(columns, scored.score.shape).copy()
            yield name, score_state(dataclasses.replace(scored, given=same))
    held = np.flatnonzero(sizes)
    yield (
        "random",
        score_state(
            dataclasses.replace(
                scored,
                true=np.repeat(held, len(weight)),
                given=np.concatenate([scored.score] * len(held)),
                weight=np.outer(sizes[held] / sizes.sum(), weight).ravel(),
            )
        ),
    )


def _columns(scored: ScoredLabels, shares: Floats, pos_label: Any) -> Any:
    """Return the probabilities that every example has; of one column that of the positive class."""
    if not scored.one_column:
        return shares[score_columns(scored)]
    code = positive_code(scored.classes, pos_label, either=True)
    return None if code is None else shares[code] if code >= 0 else 0.0
