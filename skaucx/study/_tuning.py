"""The parameters of a measure, chosen by violations or by regret."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._arguments import MetricLike
from .._arrays import Array
from .._text.tables import Table, Tabular
from ._measures import parameter_variants
from ._regret import measure_regret
from ._sets import SetCollection
from ._violations import count_violations


@dataclass(frozen=True, eq=False, repr=False)
class MeasureTuning(Tabular):
    """Violations or regret of a measure at each combination of its parameters.

    Parameters
    ----------
    criterion : {"violations", "mean regret"}
        The criterion.
    parameters : tuple of dict
        The combinations, in the order of the grid.
    loss : ndarray of shape (n_combinations,)
        Violations, or the mean regret over problems and repetitions in the pool of all models.
    """

    criterion: str
    parameters: tuple[dict[str, Any], ...]
    loss: Array

    @property
    def best(self) -> dict[str, Any]:
        """The parameters with the least loss; the first of several."""
        return self.parameters[int(np.argmin(self.loss))]

    def _table(self) -> Table:
        pairs = zip(self.parameters, self.loss.tolist(), strict=True)
        rows = [[*own.values(), loss] for own, loss in pairs]
        names = [*self.parameters[0]]
        return Table([*names, self.criterion], rows, formats=dict.fromkeys(names, "{:g}".format))


def tune_measure(
    measure: MetricLike,
    grid: Mapping[str, Iterable[Any]],
    *,
    sets: SetCollection | None = None,
    problems: Mapping[str, Any] | None = None,
    **options: Any,
) -> MeasureTuning:
    """Try a measure at every combination of parameters, on score sets or in choosing real models.

    Parameters
    ----------
    measure : str or callable
        Name, alias or function of an AUC variant.
    grid : dict of str to iterable
        The values of each parameter: ``q``, ``beta``, ``floor``, ``auc_power``, ``margin_power``,
        ``base``.
    sets : SetCollection, default=None
        Score sets, on which :func:`count_violations` counts; or
    problems : dict of str to tuple of (X, y), default=None
        problems, on which :func:`measure_regret` lets the measure choose. Every model is fitted once
        for all combinations.
    **options
        Further arguments of those functions, such as ``repetitions`` and ``random_state``.

    Returns
    -------
    MeasureTuning

    Raises
    ------
    ValueError, TypeError
        If not one of `sets` and `problems` is given, or as those functions raise.

    Notes
    -----
    The combination with the least loss is the best on these sets or problems; on others it may not be.

    Examples
    --------
    >>> from skaucx.study import all_labellings, narrow_spans, parse_sets, tune_measure
    >>> sets = all_labellings(narrow_spans(parse_sets("1p .8p .6p .4n .2n 0n"), 30))
    >>> found = tune_measure("sond_auc", {"q": [1/15, 1/7, 1]}, sets=sets)
    >>> found.loss.tolist(), round(found.best["q"], 4)
    ([20, 55, 120], 0.0667)
    """
    if (sets is None) == (problems is None):
        found = "neither" if sets is None else "both"
        raise ValueError(f"tune_measure needs one of sets and problems, found {found}.")
    variants = parameter_variants(measure, **{name: list(values) for name, values in grid.items()})
    parameters = tuple({name: v.keywords[name] for name in grid} for v in variants.values())
    if sets is not None:
        tallies = count_violations(sets, variants, **options).measures
        counts = [tallies[name].violations for name in variants]
        return MeasureTuning("violations", parameters, np.array(counts))
    mean = measure_regret(problems, measures=variants, **options).mean
    loss = np.array([mean[name][:, -1].mean() for name in variants])
    return MeasureTuning("mean regret", parameters, loss)
