"""Every public name of metrics, inference, evaluation, displays and reports."""

from __future__ import annotations

import importlib

from skaucx import metrics
from skaucx._annexes import announced
from tests.annexes import is_there

PLACES = [
    "skaucx.metrics",
    *(f"skaucx.metrics.{room}" for room in metrics._ROOMS if room != "kinds"),
    *metrics._OTHERS,
    "skaucx.testing",
    *(module.__name__ for module in announced("skaucx.kinds").values()),
    *(["skaucx.scale"] if is_there("scale") else []),
]
PUBLIC = {
    name: getattr(importlib.import_module(place), name)
    for place in PLACES
    for name in importlib.import_module(place).__all__
} | {"DifferenceFunction": metrics.kinds.DifferenceFunction}
