"""The values of the AUC variants on score sets of any lengths."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

import numpy as np

from .._arrays import Bools, Floats
from .._progress import ProgressBar
from ..metrics._evaluation.evaluation import evaluate
from ..metrics._evaluation.families import FAMILY, family_names, variants_of_sets
from ..metrics._evaluation.result import Evaluation
from ..metrics._registry.declare import METRICS, get_metric, share
from ..metrics._registry.names import NamedMetric, named_metric
from ._sets import SetCollection, SetGroup

Measures = str | Iterable[str] | Mapping[str, Any]
# Longer sets are ranked one by one, which is faster there than to look at all their pairs.
_LONGEST_BY_PAIRS = 150
# Sets between two steps of a progress bar: a fraction of a second's work.
_SETS_AT_ONCE = 1 << 14


def measure_values(
    sets: SetCollection,
    measures: Measures = "all",
    *,
    verbose: bool = False,
    **parameters: Any,
) -> dict[str, Floats]:
    r"""Return the value of each measure on each score set.

    Parameters
    ----------
    sets : SetCollection
    measures : "all", list of str, or dict, default="all"
        Names or aliases of AUC variants. A dict from any name to one of them, or to a partial function
        such as ``partial(sond_auc_score, q=1/3)``, compares one measure at several parameters; see
        :func:`parameter_variants`.
    verbose : bool, default=False
        Whether to show a progress bar on standard error.
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
        If a measure or a parameter is not known, or a parameter is out of range.

    Examples
    --------
    >>> from skaucx.study import measure_values, parse_sets
    >>> values = measure_values(parse_sets("0.9p 0.4n\n0.6n 0.5p 0.1n"), ["roc_auc", "scor_auc"])
    >>> {name: value.round(4).tolist() for name, value in values.items()}
    {'roc_auc': [1.0, 0.5], 'scor_auc': [0.5, 0.2]}
    """
    with ProgressBar(int(sets.size.sum()), shown=verbose) as bar:
        return values_of_sets(sets, measures, parameters, bar)


def parameter_variants(measure: Any, **grid: Iterable[Any]) -> dict[str, Any]:
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
        listed = ", ".join(f"{name}={_shown(value)}" for name, value in own.items())
        found[f"{named.key}({listed})"] = functools.partial(
            named.function, **{**named.parameters, **own}
        )
    if not found:
        raise ValueError("grid holds a parameter without values; give each at least one.")
    return found


def values_of_sets(
    sets: SetCollection, measures: Measures, parameters: Mapping[str, Any], bar: ProgressBar
) -> dict[str, Floats]:
    """Return the value of each measure on each set; the bar advances a step a score."""
    asked = _asked(measures, parameters)
    values = {name: np.empty(len(sets)) for name in asked}
    for group in sets.groups:
        for name, value in _values(group, asked, bar).items():
            values[name][group.place] = value
    return values


def _asked(measures: Measures, parameters: Mapping[str, Any]) -> dict[str, NamedMetric]:
    """Return the measures by the name that each gets, with all of its parameters."""
    known = family_names(parameters)
    if isinstance(measures, Mapping):
        named = {str(name): named_metric(measure) for name, measure in measures.items()}
    else:
        named = {name: named_metric(name) for name in _chosen(measures, known)}
    strange = [n for n in named.values() if n.row.family != FAMILY]
    if strange or not named:
        _chosen([n.row.name for n in strange], known)
    taken = {name: n.function.options for name, n in named.items()}
    if parameters:
        share(parameters, [METRICS[name].options for name in known])
    return {
        name: dataclasses.replace(
            n,
            parameters={
                **{k: v for k, v in parameters.items() if k in taken[name]},
                **n.parameters,
            },
        )
        for name, n in named.items()
    }


def _values(group: SetGroup, asked: Mapping[str, NamedMetric], bar: ProgressBar) -> dict[str, Any]:
    parts = []
    for truth, score in _pieces(group):
        parts.append(_of_matrix(truth, score, asked))
        bar.advance(truth.size)
    return {name: np.concatenate([part[name] for part in parts]) for name in asked}


def _pieces(group: SetGroup) -> Iterator[tuple[Bools, Floats]]:
    """Yield matrices of short sets, or the long sets each as a matrix of its own."""
    step = _SETS_AT_ONCE if group.score.shape[1] <= _LONGEST_BY_PAIRS else 1
    for start in range(0, len(group.score), step):
        yield group.truth[start : start + step], group.score[start : start + step]


def _of_matrix(truth: Bools, score: Floats, asked: Mapping[str, NamedMetric]) -> Mapping[str, Any]:
    if score.shape[1] <= _LONGEST_BY_PAIRS:
        return variants_of_sets(truth, score, asked)
    partials = {
        name: functools.partial(n.function, **n.parameters, zero_division=np.nan)
        for name, n in asked.items()
    }
    found = cast(Evaluation, evaluate(truth[0], y_score=score[0], metrics=partials))
    return {name: [value] for name, value in found.items()}


def _chosen(measures: str | Iterable[str], known: Iterable[str]) -> list[str]:
    """Return canonical names of AUC variants, each once."""
    if isinstance(measures, str):
        measures = known if measures == "all" else [measures]
    names = list(dict.fromkeys(get_metric(name).metric.name for name in measures))
    if not names:
        raise ValueError("measures is empty; name at least one AUC variant, or pass 'all'.")
    if strange := [name for name in names if name not in known]:
        raise ValueError(
            f"{strange[0]!r} in measures is not an AUC variant; choose among {', '.join(known)} "
            "(pairwise_auc where difference= is given)."
        )
    return names


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, (int, float)) else str(value)
