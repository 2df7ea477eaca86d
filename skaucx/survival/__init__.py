"""Predicted risks and survival functions evaluated by times until an event, some of them censored."""

from .._faces import face
from ..metrics._registry.declare import functions_of
from ..metrics._registry.names import MetricSet
from . import _formulas as _formulas
from ._bibliography import BIBLIOGRAPHY

globals().update(functions_of(__name__))
__getattr__, _, _others = face(__name__)
__all__ = [*functions_of(__name__), *_others]

METRIC_SET = MetricSet(
    "survival",
    (
        "harrell_c",
        "uno_c",
        "cumulative_dynamic_auc",
        "survival_brier_loss",
        "survival_r2",
        "survival_oe_ratio",
        "survival_calibration_slope",
        "survival_net_benefit",
    ),
    "Times until an event, some of them censored: discrimination, overall performance, calibration "
    "and utility at a time; most of them require horizon=.",
    BIBLIOGRAPHY["McLernon et al. 2023"],
)
