"""Every public name of metrics, inference, evaluation, displays, reports and others; the study's."""

from __future__ import annotations

import importlib

from skaucx import metrics, study

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
STUDY_NAMES = {name: getattr(study, name) for name in study.__all__}
