"""Metrics inside other libraries: XGBoost, LightGBM, CatBoost, skorch and Optuna.

Each is imported at its first use.
"""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
