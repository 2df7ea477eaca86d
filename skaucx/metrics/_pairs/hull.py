"""The upper convex hull of points in ROC space."""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull

from ..._arrays import Codes, Floats
from .isotonic import block_starts

# Of more points of a curve, those within blocks of pooled scores are left out first.
_MANY = 1 << 12
# A point this close to a chord adds nothing to a hull.
_TOLERANCE = 1e-12


def upper_hull(fpr: Floats, tpr: Floats) -> Codes:
    """Return the indices of the upper hull's vertices, from the first point, (0, 0), to the last."""
    kept = _ends_of_blocks(fpr, tpr) if len(fpr) > _MANY else None
    return _of_points(fpr, tpr) if kept is None else kept[_of_points(fpr[kept], tpr[kept])]


def _ends_of_blocks(fpr: Floats, tpr: Floats) -> Codes | None:
    """Return the first point and the ends of the blocks, which hold all vertices, of rising points."""
    across, up = np.diff(fpr), np.diff(tpr)
    if across.min() < 0 or up.min() < 0:
        return None
    held = np.flatnonzero(across + up > 0)
    starts = block_starts(up[held], across[held])
    return np.concatenate([[0], held[starts[1:]], [len(fpr) - 1]])


def _of_points(fpr: Floats, tpr: Floats) -> Codes:
    last = len(fpr) - 1
    # The corner (1, 0) makes a triangle of any curve, so that no hull is flat.
    points = np.append(np.column_stack([fpr, tpr]), [[1.0, 0.0]], axis=0)
    cycle = ConvexHull(points).vertices  # counter-clockwise: the corner, (1, 1), ..., (0, 0)
    chain = np.roll(cycle, -int(np.argmax(cycle == last + 1)))[:0:-1]
    inner = chain[(points[chain] > 0).any(axis=1) & (points[chain] < 1).any(axis=1)]
    kept: list[int] = []
    for vertex in [0, *inner.tolist(), last]:
        while len(kept) > 1 and not _above(points[kept[-2]], points[kept[-1]], points[vertex]):
            kept.pop()
        kept.append(vertex)
    return np.array(kept, dtype=np.intp)


def _above(start: Floats, point: Floats, end: Floats) -> bool:
    """Whether a point lies above the chord from `start` to `end`, by more than the tolerance."""
    chord, leg = end - start, point - start
    return bool(chord[0] * leg[1] - chord[1] * leg[0] > _TOLERANCE * np.hypot(*chord))
