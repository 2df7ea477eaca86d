"""What metrics read: labels, scores, probabilities, rejections, costs of examples, numbers.

A kind is one module: the record of its checked arrays, the state from which metrics are read, and how
rows are resampled. :class:`Kind` and :class:`Inputs` describe one.
"""

from __future__ import annotations

from .._pairs.kernels import DifferenceFunction as DifferenceFunction
from .base import Inputs
from .example_costs import EXAMPLE_COSTS
from .labels import COUNTS, TABLE
from .listed import Listed
from .rejections import REJECTIONS
from .scores import (
    COLUMNS,
    MARGINS,
    ORDER,
    PROBABILITIES,
    RELATIVE_VALUES,
    UNIT_VALUES,
    VALUES,
)

KINDS = Listed(
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
            EXAMPLE_COSTS,
            REJECTIONS,
        )
    }
)


def known_inputs() -> tuple[Inputs, ...]:
    """Return the arrays of calls, in the order of reports."""
    return tuple(dict.fromkeys(kind.inputs for kind in KINDS.values()))
