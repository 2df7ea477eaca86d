"""Options of nested runs by their names, for tests that vary them."""

from __future__ import annotations

from skaucx.model_selection import Decisions, Execution

RECORDS = {"decisions": Decisions, "execution": Execution}


def recorded(options=(), **more):
    """Return options with those of a record gathered in it."""
    given = {**dict(options), **more}
    for name, kind in RECORDS.items():
        own = {key: given.pop(key) for key in kind.__dataclass_fields__ if key in given}
        if own:
            given[name] = kind(**own)
    return given
