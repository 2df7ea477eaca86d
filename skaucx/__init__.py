"""Metrics of classifiers with their uncertainty, and the procedures around them, for scikit-learn."""

from importlib.metadata import version

from ._faces import face

__version__ = version("skaucx")
__getattr__, __dir__, __all__ = face(__name__)
