"""What the annex of rows in parts adds to the common tests."""

from skaucx.scale import Certified

RETURNED_WITHOUT_FRAME = {"Certified": lambda: Certified(0.75, 0.74, 0.76, "too many scores")}
