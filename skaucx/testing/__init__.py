"""Checks for authors of metrics and of kinds, in the manner of scikit-learn's ``check_estimator``."""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
