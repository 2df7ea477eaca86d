"""Signatures of the public calls: few enough parameters to be read."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil

import skaucx

MOST = 16
# Calls that still have more.
LONGER = {"evaluate", "interval", "intervals", "report_table"}


def public_calls():
    """Yield each public function, class that is no record, and public method of a class, by name."""
    places = {"skaucx"} | {
        module.name
        for module in pkgutil.walk_packages(skaucx.__path__, "skaucx.")
        if not any(part.startswith("_") for part in module.name.split("."))
    }
    for place in sorted(places):
        module = importlib.import_module(place)
        for name in getattr(module, "__all__", ()):
            found = getattr(module, name)
            if inspect.isclass(found):
                yield from (
                    (f"{name}.{own}", getattr(found, own))
                    for own, value in vars(found).items()
                    if not own.startswith("_") and callable(getattr(value, "__func__", value))
                )
            if callable(found) and not dataclasses.is_dataclass(found):
                yield name, found


def test_no_public_call_has_more_parameters_than_a_reader_holds():
    counts = {}
    for name, call in public_calls():
        try:
            counts[name] = len(inspect.signature(call).parameters)
        except (TypeError, ValueError):  # aliases of types have none
            continue
    assert len(counts) > 400
    assert {name for name, count in counts.items() if count > MOST} == LONGER
