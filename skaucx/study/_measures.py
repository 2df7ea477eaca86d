"""The values of AUC variants and of measures of one's own on score sets of any lengths."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import numpy as np

from .._arguments import MetricLike
from .._arrays import Bools, Floats
from .._compat import score_function, scorer_parameters, scorer_sign
from ..evaluation._evaluate import FAMILY, family_names
from ..metrics._kinds.base import STRICT
from ..metrics._pairs.sets import ScoreSets
from ..metrics._registry.declare import TWINS, share
from ..metrics._registry.names import (
    NamedMetric,
    entries_of,
    is_metric,
    is_plain_function,
    named_metric,
)
from ..metrics._registry.row import apply, filled
from ._sets import SetCollection, SetGroup

Measures: TypeAlias = str | Callable[..., Any] | Iterable[Any] | Mapping[str, Any]
# Longer sets are ranked one by one, which is faster there than to look at all their pairs.
_LONGEST_BY_PAIRS = 150
# Pairs evaluated at once: arrays of half a MB stay in a core's own cache, and larger ones may be taken
# from the operating system each time.
_PAIRS_AT_ONCE = 1 << 16


def measure_values(
    sets: SetCollection,
    measures: Measures = "all",
    **parameters: Any,
) -> dict[str, Floats]:
    r"""Return the value of each measure on each score set.

    Parameters
    ----------
    sets : SetCollection
    measures : "all", str, callable, list or dict of these, default="all"
        Names or aliases of AUC variants, all of them by default. A dict from any name to one of them, or
        to a partial function such as ``partial(sond_auc_score, q=1/3)``, compares one measure at several
        parameters; see :func:`parameter_variants`. Measures of one's own come along: a metric of
        :func:`skaucx.metrics.declare`, any other metric of scores or probabilities, a scorer, or a
        function that takes the vectors y_true (bool) and y_score of a set and returns a number, the
        greater the better. Losses enter with their sign turned, as in scorers. All but the AUC variants
        are called set by set, which takes longer.
    **parameters
        Parameters given to every variant that takes them: ``ties``, ``q``, ``beta``, ``floor``,
        ``auc_power``, ``margin_power``, ``base``, ``difference``.

    Returns
    -------
    dict of str to ndarray of shape (n_sets,)
        In the order of the sets.

    Raises
    ------
    ValueError, TypeError
        If a measure or a parameter is not known, a parameter is out of range, or a function of one's own
        does not return one number that is not nan.

    Examples
    --------
    >>> from skaucx.study import measure_values, parse_sets
    >>> values = measure_values(parse_sets("0.9p 0.4n\n0.6n 0.5p 0.1n"), ["roc_auc", "scor_auc"])
    >>> {name: value.round(4).tolist() for name, value in values.items()}
    {'roc_auc': [1.0, 0.5], 'scor_auc': [0.5, 0.2]}

    A measure of one's own:

    >>> def share_of_margin(y_true, y_score):
    ...     return (y_score[y_true].min() - y_score[~y_true].max()) / np.ptp(y_score)
    >>> measure_values(parse_sets("0.9p 0.4n\n0.6n 0.5p 0.1n"), share_of_margin)
    {'share_of_margin': array([ 1. , -0.2])}
    """
    requested = _requested(measures, parameters)
    values = {name: np.empty(len(sets)) for name in requested}
    for group in sets.groups:
        for name, value in _values(group, requested).items():
            values[name][group.place] = value
    return values


def parameter_variants(measure: MetricLike, **grid: Iterable[Any]) -> dict[str, Any]:
    """Return one measure at every combination of some values of its parameters.

    Parameters
    ----------
    measure : str or callable
        Name, alias or function of an AUC variant.
    **grid : iterables
        The values of each parameter.

    Returns
    -------
    dict of str to callable
        For `measures` of :func:`count_violations`, :func:`simulate_bias`, :func:`simulate_selection`
        and :func:`measure_regret`. The scores of a set are ranked once for all of them.

    Raises
    ------
    ValueError, TypeError
        If the measure is not known, or a value is out of range.

    Examples
    --------
    >>> from skaucx.study import all_labellings, count_violations, narrow_spans
    >>> from skaucx.study import parameter_variants, parse_sets
    >>> sets = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 30))
    >>> found = count_violations(sets, parameter_variants("sond_auc", q=[1/15, 1/7, 1]))
    >>> {name: tally.violations for name, tally in found.measures.items()}
    {'sond_auc(q=0.0666667)': 20, 'sond_auc(q=0.142857)': 55, 'sond_auc(q=1)': 120}
    """
    named = named_metric(measure)
    found: dict[str, Any] = {}
    for values in itertools.product(*grid.values()):
        own = dict(zip(grid, values, strict=True))
        share(own, [named.function.options])
        named.row.checked(own)
        listed = ", ".join(
            f"{name}={value:g}" if isinstance(value, (int, float)) else f"{name}={value}"
            for name, value in own.items()
        )
        found[f"{named.key}({listed})"] = functools.partial(
            named.function, **{**named.parameters, **own}
        )
    if not found:
        raise ValueError("grid holds a parameter without values; give each at least one.")
    return found


@dataclasses.dataclass(frozen=True)
class OwnMeasure:
    """A function of the labels and scores of one set, and the sign that makes greater better."""

    function: Callable[..., Any]
    sign: int = 1

    def values(self, name: str, truth: Bools, score: Floats) -> Floats:
        """Return the value of every set of a matrix."""
        values = np.empty(len(truth))
        for place, rows in enumerate(zip(truth, score, strict=True)):
            value = np.asarray(self.function(*rows))
            if value.ndim or value.dtype.kind not in "biuf" or np.isnan(value):
                raise ValueError(
                    f"The measure {name!r} must return one number for every set, found {value!r}."
                )
            values[place] = self.sign * value
        return values


def _requested(measures: Measures, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measures by the name that each gets, with all of its parameters."""
    known = family_names(parameters)
    listed = [(None, name) for name in known]
    if not (isinstance(measures, str) and measures == "all"):
        listed = entries_of(measures, "measures")
    measured = [(key, _measure(measure)) for key, measure in listed]
    named = [measure for _, (_, measure) in measured if isinstance(measure, NamedMetric)]
    if parameters:
        share(
            parameters,
            [named_metric(name).function.options for name in known]
            + [n.function.options for n in named],
        )
    found: dict[str, Any] = {}
    for key, (name, measure) in measured:
        own = str(name if key is None else key)
        made = _with_parameters(measure, parameters, known)
        if found.get(own, made) != made:
            raise ValueError(f"Two measures are called {own!r}; give a dict of names and measures.")
        found[own] = made
    return found


def _measure(measure: Any) -> tuple[str, NamedMetric | OwnMeasure]:
    """Return a measure and the name that it has where it is given none."""
    inside = score_function(measure)
    if inside is not None and not is_metric(TWINS.get(inside, inside)):
        name = getattr(inside, "__name__", "measure")
        called = functools.partial(inside, **scorer_parameters(measure))
        # A function of a metric of this package holds its parameters.
        if not hasattr(inside, "function"):
            return name, OwnMeasure(called, scorer_sign(measure))
    if is_plain_function(measure):
        inner = measure.func if isinstance(measure, functools.partial) else measure
        return getattr(inner, "__name__", "measure"), OwnMeasure(measure)
    named = named_metric(measure)
    return (named.key if named.row.family == FAMILY else named.scorer_key), named


def _with_parameters(
    measure: NamedMetric | OwnMeasure, parameters: Mapping[str, Any], known: Iterable[str]
) -> NamedMetric | OwnMeasure:
    """Return a measure with those of the parameters for all that it takes; its own come first."""
    if isinstance(measure, OwnMeasure):
        return measure
    row, function = measure.row, measure.function
    reads = row.kind.inputs
    if not reads.of_classes or reads.argument != "y_score" or row.greater_is_better is None:
        neither = row.greater_is_better is None
        what = "has no better direction" if neither else f"reads {row.inputs[1]}"
        raise ValueError(
            f"{measure.key!r} in measures is not a measure of score sets, since it {what}; choose "
            f"among {', '.join(known)} (pairwise_auc where difference= is given), other metrics of "
            "scores whose greatest or least value is best, and functions of (y_true, y_score)."
        )
    given = {k: v for k, v in parameters.items() if k in function.options}
    if row.family == FAMILY:
        return dataclasses.replace(measure, parameters={**given, **measure.parameters})
    called = functools.partial(function, **{**given, **measure.parameters})
    return OwnMeasure(called, -1 if row.greater_is_better is False else 1)


def _values(group: SetGroup, requested: Mapping[str, Any]) -> dict[str, Floats]:
    """Return the values of the sets of one length; AUC variants of short ones from all pairs."""
    short = group.score.shape[1] <= _LONGEST_BY_PAIRS
    values, variants = {}, {}
    for name, measure in requested.items():
        if short and isinstance(measure, NamedMetric):
            variants[name] = measure
        else:
            own = measure if isinstance(measure, OwnMeasure) else OwnMeasure(measure.entry)
            values[name] = own.values(name, group.truth, group.score)
    return {**values, **_by_pairs(group.truth, group.score, variants)}


def _by_pairs(
    truth: Bools, score: Floats, variants: Mapping[str, NamedMetric]
) -> dict[str, Floats]:
    """Return the AUC variants of every set of a matrix, from all of its pairs."""
    step = max(1, 2 * _PAIRS_AT_ONCE // score.shape[1] ** 2)
    values = {name: np.empty(len(score)) for name in variants}
    for start in range(0, len(score) if variants else 0, step):
        chunk = slice(start, start + step)
        sets = ScoreSets(truth[chunk], score[chunk])
        for name, named in variants.items():
            values[name][chunk] = apply(named.row, sets, dict(named.parameters))
    return {name: filled(variants[name].row, found, STRICT) for name, found in values.items()}
