"""Pictures of curves, confusion tables and scores; matplotlib is imported when one is drawn."""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
