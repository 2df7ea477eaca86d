"""Annexes in tests of the core: a test that needs one is skipped where it was taken away."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


def is_there(annex):
    """Whether the package has an annex."""
    return find_spec(f"skaucx.{annex}") is not None


def needs(annex):
    """Return the mark of a test that needs an annex."""
    return pytest.mark.skipif(not is_there(annex), reason=f"skaucx.{annex} was taken away")
