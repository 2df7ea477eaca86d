"""The parameters of a measure, chosen by violations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arguments import MetricLike
from .._arrays import Array
from .._text.tables import Table, Tabular
from ._measures import parameter_variants
from ._sets import SetCollection
from ._violations import count_violations


@dataclass(frozen=True, eq=False, repr=False)
class MeasureTuning(Tabular):
    """Violations of a measure at each combination of its parameters.

    Parameters
    ----------
    parameters : tuple of dict
        The combinations, in the order of the grid.
    loss : ndarray of shape (n_combinations,)
        The violations.
    """

    parameters: tuple[dict[str, Any], ...]
    loss: Array

    @property
    def best(self) -> dict[str, Any]:
        """The parameters with the fewest violations; the first of several."""
        return self.parameters[int(np.argmin(self.loss))]

    def _table(self) -> Table:
        pairs = zip(self.parameters, self.loss.tolist(), strict=True)
        rows = [[*own.values(), loss] for own, loss in pairs]
        names = [*self.parameters[0]]
        return Table([*names, "violations"], rows, formats=dict.fromkeys(names, "{:g}".format))


def tune_measure(
    measure: MetricLike,
    grid: Mapping[str, Iterable[Any]],
    *,
    sets: SetCollection,
    **options: Any,
) -> MeasureTuning:
    """Try a measure at every combination of parameters.

    Parameters
    ----------
    measure : str or callable
        Name, alias or function of an AUC variant.
    grid : dict of str to iterable
        The values of each parameter: ``q``, ``beta``, ``floor``, ``auc_power``, ``margin_power``,
        ``base``.
    sets : SetCollection
        Score sets, on which :func:`count_violations` counts.
    **options
        Further arguments of that function.

    Returns
    -------
    MeasureTuning

    Raises
    ------
    ValueError, TypeError
        As that function raises.

    Notes
    -----
    The combination with the fewest violations is the best on these sets; on others it may not be.

    Examples
    --------
    >>> from skaucx.study import all_labellings, narrow_spans, parse_sets, tune_measure
    >>> sets = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 30))
    >>> found = tune_measure("sond_auc", {"q": [1/15, 1/7, 1]}, sets=sets)
    >>> found.loss.tolist(), round(found.best["q"], 4)
    ([20, 55, 120], 0.0667)
    """
    variants = parameter_variants(measure, **{name: list(values) for name, values in grid.items()})
    parameters = tuple({name: v.keywords[name] for name in grid} for v in variants.values())
    tallies = count_violations(sets, variants, **options).measures
    return MeasureTuning(parameters, np.array([tallies[name].violations for name in variants]))
