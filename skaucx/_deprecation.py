"""Deprecated names: they keep working, with a FutureWarning that names the new one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import attrgetter
from typing import Any, ParamSpec, TypeVar

from ._compat import warn

P = ParamSpec("P")
T = TypeVar("T")


def renamed_argument(old: str, new: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator of functions whose keyword argument `old` is now called `new`."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            if old in kwargs:
                if new in kwargs:
                    raise TypeError(f"{new} and its old name {old} are both given; pass {new}.")
                _warn(f"The argument {old}= of {function.__name__}", f"{new}=")
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call

    return decorate


def renamed_attribute(old: str, new: str) -> Any:
    """Return a property that reads the attribute `new`, or one of an attribute, under its old name."""

    def read(self: Any) -> Any:
        _warn(f"The attribute {old} of {type(self).__name__}", new)
        return attrgetter(new)(self)

    read.__doc__ = f"The old name of ``{new}``."
    return property(read)


def _warn(what: str, new: str) -> None:
    warn(f"{what} is now called {new}; the old name will be removed in version 1.0.", FutureWarning)
