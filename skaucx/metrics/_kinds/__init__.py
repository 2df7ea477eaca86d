"""What metrics read: labels, scores, probabilities, rejections, costs of examples, numbers, or your own.

A kind is one module: the record of its checked arrays, the state from which metrics are read, and how
rows are resampled. :class:`Kind` and :class:`Inputs` describe how to
declare a new one.
"""

from __future__ import annotations

from ..._annexes import AnnouncedDict, AnnouncedList
from .._pairs.kernels import DifferenceFunction
from .._records.inputs import Record
from .._records.totals import SpreadOf, SumOf
from .averages import over_outputs
from .base import Inputs, Kind, Problem, Problems, Sample, State
from .base import UndefinedPolicy as UndefinedPolicy
from .example_costs import COSTED, EXAMPLE_COSTS
from .labels import COUNTS, LABELS, TABLE
from .rejections import REJECTED, REJECTIONS
from .scores import (
    COLUMNS,
    MARGINS,
    ORDER,
    PROBABILITIES,
    RELATIVE_VALUES,
    SCORES,
    UNIT_VALUES,
    VALUES,
)

KINDS: AnnouncedDict[str, Kind] = AnnouncedDict(
    "skaucx.kinds",
    {
        kind.name: kind
        for kind in (
            COUNTS,
            TABLE,
            ORDER,
            RELATIVE_VALUES,
            VALUES,
            UNIT_VALUES,
            PROBABILITIES,
            COLUMNS,
            MARGINS,
            REJECTIONS,
            EXAMPLE_COSTS,
        )
    },
)

# The arrays of calls, in the order of reports.
INPUTS: AnnouncedList[Inputs] = AnnouncedList("skaucx.kinds", [LABELS, SCORES, COSTED, REJECTED])

__all__ = [
    "DifferenceFunction",
    "Inputs",
    "Kind",
    "Problem",
    "Problems",
    "Record",
    "Sample",
    "SpreadOf",
    "State",
    "SumOf",
    "over_outputs",
]
