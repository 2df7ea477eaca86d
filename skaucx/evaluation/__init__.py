"""Saved predictions evaluated by many metrics at once: values, intervals, groups and tables."""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
