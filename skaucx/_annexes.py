"""What annexes, and packages of others, announce through entry points.

The core imports no annex. A package names what it adds in its metadata, in the groups

- ``skaucx.kinds``: a module whose import declares metrics, and kinds of them;
- ``skaucx.metric_sets``: a :class:`MetricSet`;
- ``skaucx.commands``: a module with one command of the command line: ``HELP``, its line in the list of
  commands, ``DESCRIPTION``, ``add_arguments(parser)``, ``run(arguments)`` unless its parsers set one,
  and, if it likes, ``EXAMPLE``. The list of commands imports it, so it imports no library at its top;
- ``skaucx.report_sections``: a section of reports;

and it is loaded when a name is looked up that the core does not have, or when all names are listed.
"""

from __future__ import annotations

import threading
from collections import UserDict
from collections.abc import Callable, Iterator, MutableSequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, overload

if TYPE_CHECKING:
    from importlib import metadata

K = TypeVar("K")
V = TypeVar("V")
_LOADING = threading.RLock()
_BEGUN: set[str] = set()


@cache
def entry_points(group: str) -> tuple[metadata.EntryPoint, ...]:
    """Return the entry points of a group, in the order of their names."""
    from importlib import metadata

    return tuple(sorted(metadata.entry_points(group=group), key=lambda entry: entry.name))


@cache
def announced(group: str) -> dict[str, Any]:
    """Return the objects that entry points of a group name; each is imported once."""
    return dict(one_by_one(group))


def one_by_one(group: str) -> Iterator[tuple[str, Any]]:
    """Iterate over what entry points of a group name; each is imported when its turn comes.

    An entry whose own module is not there belongs to an annex that was taken away: it is left out.
    """
    for entry in entry_points(group):
        try:
            yield entry.name, entry.load()
        except ModuleNotFoundError as error:
            if not f"{entry.module}.".startswith(f"{error.name}."):
                from ._compat import (
                    warn,
                )  # which imports scikit-learn; the command line's help does not

                warn(f"{entry.value}, announced in {group}, cannot be imported: {error}")


def require(annex: str, purpose: str) -> ImportError:
    """Return the error of a call that needs an annex which is not installed."""
    return ImportError(f"{purpose} needs skaucx.{annex}, an annex that is not installed.")


def load(group: str) -> None:
    """Load a group before the first look into what it adds to; within the loading, nothing."""
    with _LOADING:
        if group not in _BEGUN:
            _BEGUN.add(group)
            announced(group)


class AnnouncedDict(UserDict[K, V]):
    """A dictionary that a group of entry points completes, when it lacks a key or is listed.

    `key` takes an announced object and returns its key; without it the import of what is announced
    adds the entries.
    """

    def __init__(
        self, group: str, data: Any = (), *, key: Callable[[Any], K] | None = None
    ) -> None:
        self.group, self.key = group, key
        super().__init__(data)

    def _load(self) -> None:
        load(self.group)
        if self.key is not None:
            for found in announced(self.group).values():
                self.data.setdefault(self.key(found), found)

    def __missing__(self, key: K) -> V:
        self._load()
        return self.data[key]

    def __contains__(self, key: object) -> bool:
        if key not in self.data:
            self._load()
        return key in self.data

    def __iter__(self) -> Iterator[K]:
        self._load()
        return iter(self.data)

    def __len__(self) -> int:
        self._load()
        return len(self.data)


class AnnouncedList(MutableSequence[V]):
    """A list that a group of entry points completes, when it is read; `data` is what is there."""

    def __init__(self, group: str, data: list[V]) -> None:
        self.group, self.data = group, data

    @overload
    def __getitem__(self, place: int) -> V: ...
    @overload
    def __getitem__(self, place: slice) -> list[V]: ...
    def __getitem__(self, place: Any) -> Any:
        load(self.group)
        return self.data[place]

    def __setitem__(self, place: Any, value: Any) -> None:
        self.data[place] = value

    def __delitem__(self, place: Any) -> None:
        del self.data[place]

    def __len__(self) -> int:
        load(self.group)
        return len(self.data)

    def __iter__(self) -> Iterator[V]:
        load(self.group)
        return iter(self.data)

    def insert(self, index: int, value: V) -> None:
        """Insert a value, without completing the list."""
        self.data.insert(index, value)
