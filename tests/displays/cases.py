"""What tests of several displays read from axes."""

from __future__ import annotations


def bands(ax):
    """Return whether each uncertainty that was drawn is seen."""
    held = [part for part in ax.collections if part.get_gid() == "uncertainty"]
    return [part.get_visible() for part in held]
