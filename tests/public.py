"""Every public name of metrics, inference, evaluation, displays and reports; and the annexes."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path

from skaucx import metrics

PLACES = [
    "skaucx.metrics",
    *(f"skaucx.metrics.{room}" for room in metrics._ROOMS),
    *metrics._OTHERS,
]
PUBLIC = {
    name: getattr(importlib.import_module(place), name)
    for place in PLACES
    for name in importlib.import_module(place).__all__
}
# What comes off: taken away, the rest passes its tests (python -m tests.without NAME).
ANNEXES = ("study", "regression")
# The public names of the annexes that are there.
ANNEX_NAMES = {
    name: getattr(importlib.import_module(f"skaucx.{annex}"), name)
    for annex in ANNEXES
    if importlib.util.find_spec(f"skaucx.{annex}")
    for name in importlib.import_module(f"skaucx.{annex}").__all__
}
_TESTS = Path(__file__).parent


def cases_of_annexes(name):
    """Return the entries that annexes add to a table of the common tests: NAME in their cases.py."""
    found = {}
    for annex in ANNEXES:
        if (_TESTS / annex / "cases.py").exists():
            cases = importlib.import_module(f"tests.{annex}.cases")
            found |= getattr(cases, name, {})
    return found
