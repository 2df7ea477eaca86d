"""Errors of predicted numbers: those of scikit-learn with intervals and tests, SMAPE and MASE."""

from ..metrics._registry.declare import functions_of
from ..metrics._registry.names import SETS, MetricSet
from . import _formulas as _formulas
from ._bibliography import BIBLIOGRAPHY
from ._kinds import USUAL

globals().update(functions_of(__name__))
__all__ = [*functions_of(__name__)]

SETS["regression"] = MetricSet(
    "regression",
    USUAL,
    "Predicted numbers: explained variance, and errors in the unit of the target and relative to it.",
    BIBLIOGRAPHY["Chicco et al. 2021"],
)
