"""Which measure deserves trust: score sets, what they can be turned into, how measures rank them."""

from __future__ import annotations

from ._classifiers import sets_of_classifier
from ._generators import (
    add_noise,
    all_labellings,
    narrow_margins,
    narrow_spans,
    sample_labellings,
)
from ._orders import PairOrders, pair_orders
from ._sets import SetCollection
from ._text import format_sets, parse_sets, read_sets
from ._violations import Breakdown, Tally, Violations, count_violations

__all__ = [
    "Breakdown",
    "PairOrders",
    "SetCollection",
    "Tally",
    "Violations",
    "add_noise",
    "all_labellings",
    "count_violations",
    "format_sets",
    "narrow_margins",
    "narrow_spans",
    "pair_orders",
    "parse_sets",
    "read_sets",
    "sample_labellings",
    "sets_of_classifier",
]
