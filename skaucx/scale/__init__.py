"""Rows beyond memory: counts of labels and scores, from one SQL query or from chunks of rows."""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
