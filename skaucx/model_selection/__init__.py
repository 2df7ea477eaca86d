"""Nested k x l cross-validation and the bootstrap: estimates of how well a procedure does."""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
