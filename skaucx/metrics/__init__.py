"""Metrics, scorers and curves.

Here are the names that most work needs: those of scikit-learn for classifiers, the variants of the AUC,
the common rates, calibration and curves. The other metrics are in the modules of their families,
``association``, ``calibration``, ``costs``, ``imbalance``, ``information``, ``rejection`` and
``similarity``; every metric of every family is reachable by its name in :func:`get_scorer` and wherever
else metrics are named. Further curves are in ``curves``.

Arguments have one order everywhere: the true labels, the predictions, then options by keyword. A
function of one metric without a default, such as :func:`skaucx.inference.interval`, takes the metric
before the arrays; one with a default, such as :func:`skaucx.evaluation.evaluate`, takes it by keyword.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from . import _formulas as _formulas
from ._passed_through import PASSED_THROUGH as _PASSED_THROUGH
from ._passed_through import missing as _missing
from ._passed_through import other as _other
from ._records.counts import Counts
from ._registry.declare import declare, list_metrics
from ._registry.declare import functions_of as _functions_of

_METRICS = _PASSED_THROUGH | _functions_of(__name__)
globals().update(_METRICS)

# The modules of the other names; each is imported at the first access to one of its names, so that
# importing a metric does not import the displays.
_NAMES = {
    "_registry.names": ("list_sets",),
    "_scorers.scorers": ("get_scorer", "get_scorer_names", "get_scorers", "one_pass_scorer"),
    "curves": (
        "decision_curve",
        "precision_recall_curve",
        "prob_roc_curve",
        "risk_coverage_curve",
        "roc_curve",
        "scor_roc_curve",
        "threshold_curves",
    ),
    ".displays": (
        "ConfusionMatrixDisplay",
        "DetCurveDisplay",
        "PrecisionRecallDisplay",
        "RocCurveDisplay",
    ),
    ".evaluation": ("auc_family",),
}
_MODULE_OF = {name: module for module, names in _NAMES.items() for name in names}
FAMILIES = (
    "association",
    "calibration",
    "costs",
    "imbalance",
    "information",
    "rejection",
    "similarity",
)
_ROOMS = (*FAMILIES, "curves")
_OTHERS = (
    "skaucx.inference",
    "skaucx.evaluation",
    "skaucx.displays",
    "skaucx.reports",
    "skaucx.regression",
    "skaucx.scale",
)

__all__ = ["Counts", "declare", "list_metrics", *_MODULE_OF, *_METRICS]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        found = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
        globals()[name] = found
        return found
    if name in _ROOMS:
        return importlib.import_module(f".{name}", __name__)
    if (passed := _other(name)) is not None:
        return passed
    error = (None if name.startswith("_") else _moved(name)) or _missing(name)
    # `from skaucx.metrics import ...` replaces the text of an AttributeError by its own.
    in_import = sys._getframe(1).f_code.co_name == "_handle_fromlist"
    raise ImportError(*error.args) if in_import and not name.startswith("_") else error


def _moved(name: str) -> Exception | None:
    """Return the error for a name that another public module has."""
    holders = (*(f"{__name__}.{room}" for room in _ROOMS), *_OTHERS)
    place = next((m for m in holders if name in importlib.import_module(m).__all__), None)
    if place is None:
        return None
    # Without a full stop: Python may append ". Did you mean ..." to it.
    return AttributeError(f"{name} is in {place}: use `from {place} import {name}`")


def __dir__() -> list[str]:
    return sorted({*__all__, *FAMILIES, *(name for name in globals() if name.startswith("__"))})
