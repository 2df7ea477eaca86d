"""Registries that the import of ``skaucx.regression`` completes.

It is imported at the first name that a registry does not know, and whenever names are listed, so that no
result depends on what was looked up before.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Iterator
from types import ModuleType
from typing import Any


def regression() -> ModuleType:
    """Return ``skaucx.regression``, whose import declares its kind, its metrics and their set."""
    from ... import regression as found

    return found


class Listed(UserDict[Any, Any]):
    """A dictionary with the entries of ``skaucx.regression``; `data` has what is there already."""

    def __missing__(self, key: object) -> Any:
        regression()
        return self.data[key]

    def __contains__(self, key: object) -> bool:
        if key not in self.data:
            regression()
        return key in self.data

    def __iter__(self) -> Iterator[Any]:
        regression()
        return iter(self.data)

    def __len__(self) -> int:
        regression()
        return len(self.data)
