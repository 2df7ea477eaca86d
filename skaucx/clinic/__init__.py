"""Prediction models in medicine: sites, published studies, optimism, instability, the document.

An annex: the core of the package does not need it.
"""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
