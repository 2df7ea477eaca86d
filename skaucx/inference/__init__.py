"""How sure a number is: intervals, bands of curves, tests between classifiers, planning of studies.

Rows (or groups of rows) are a random sample, class counts included; every interval,
band and test follows from that one model and names its target.
"""

from .._faces import face

__getattr__, __dir__, __all__ = face(__name__)
