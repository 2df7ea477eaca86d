"""The values of the AUC variants on score sets of any lengths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from .._arrays import Bools, Floats
from ..metrics._evaluation.families import auc_family, auc_family_of_sets
from ..metrics._registry.declare import get_metric
from ._progress import ProgressBar
from ._sets import SetCollection, SetGroup

# Longer sets are ranked one by one, which is faster there than to look at all their pairs.
_LONGEST_BY_PAIRS = 150
# Sets between two steps of a progress bar: a fraction of a second's work.
_SETS_AT_ONCE = 1 << 14


def measure_values(
    sets: SetCollection,
    measures: str | Iterable[str] = "all",
    *,
    verbose: bool = False,
    **parameters: Any,
) -> dict[str, Floats]:
    r"""Return the value of each measure on each score set.

    Parameters
    ----------
    sets : SetCollection
    measures : "all" or list of str, default="all"
        Names or aliases of AUC variants.
    verbose : bool, default=False
        Whether to show a progress bar on standard error.
    **parameters
        Parameters given to every variant that takes them: ``ties``, ``q``, ``beta``, ``floor``,
        ``auc_power``, ``margin_power``, ``difference``.

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


def values_of_sets(
    sets: SetCollection,
    measures: str | Iterable[str],
    parameters: Mapping[str, Any],
    bar: ProgressBar,
) -> dict[str, Floats]:
    """Return the value of each measure on each set; the bar advances a step a score."""
    parts = [_values(group, parameters, bar) for group in sets.groups]
    values = {name: np.empty(len(sets)) for name in parts[0]}
    for group, part in zip(sets.groups, parts, strict=True):
        for name, value in part.items():
            values[name][group.place] = value
    return {name: values[name] for name in _chosen(measures, values)}


def _values(group: SetGroup, parameters: Mapping[str, Any], bar: ProgressBar) -> dict[str, Floats]:
    families = []
    for truth, score in _pieces(group):
        families.append(_family(truth, score, parameters))
        bar.advance(truth.size)
    return {name: np.concatenate([family[name] for family in families]) for name in families[0]}


def _pieces(group: SetGroup) -> Iterator[tuple[Bools, Floats]]:
    """Yield matrices of short sets, or the long sets each as a matrix of its own."""
    step = _SETS_AT_ONCE if group.score.shape[1] <= _LONGEST_BY_PAIRS else 1
    for start in range(0, len(group.score), step):
        yield group.truth[start : start + step], group.score[start : start + step]


def _family(truth: Bools, score: Floats, parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    if score.shape[1] <= _LONGEST_BY_PAIRS:
        return auc_family_of_sets(truth, score, **parameters)
    return {name: [value] for name, value in auc_family(truth[0], score[0], **parameters).items()}


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
