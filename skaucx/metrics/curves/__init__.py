"""Curves as plain arrays, with their areas."""

from ..._faces import face

__getattr__, __dir__, __all__ = face(__name__)
