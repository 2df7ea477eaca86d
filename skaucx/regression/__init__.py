"""Errors of predicted numbers: those of scikit-learn with intervals and tests, SMAPE and MASE."""

from ..metrics._registry import names as _names
from ..metrics._registry.declare import functions_of as _functions_of
from . import _bibliography, _kinds
from . import _formulas as _formulas

globals().update(_functions_of(__name__))
__all__ = [*_functions_of(__name__)]

_names.SETS["regression"] = _names.MetricSet(
    "regression",
    _kinds.USUAL,
    "Predicted numbers: explained variance, and errors in the unit of the target and relative to it.",
    _bibliography.BIBLIOGRAPHY["Chicco et al. 2021"],
)
