"""Rows beyond memory: metrics from counts of chunks, of several machines, parties or query engines."""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
