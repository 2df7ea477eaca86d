"""Comparison of AUC variants as measures: on score sets, in simulations, and in choosing models."""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
