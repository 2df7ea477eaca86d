"""Reports: one file with the verdict, tables and pictures, which needs no network."""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
