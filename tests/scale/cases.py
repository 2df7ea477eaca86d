"""What the annex of rows in parts adds to the common tests."""

from skaucx.scale import BoundedValue, Chunks

RETURNED_WITHOUT_FRAME = {"BoundedValue": lambda: BoundedValue(0.75, 0.74, 0.76, "too many scores")}
RETURNED_FURTHER = {"Chunks": lambda: Chunks(max_cells=9)}
HANDED_OVER = {"Chunks": Chunks}
