"""The parameters of a formula and their checks."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

from ..._options import check_choice, check_flag


@lru_cache(maxsize=256)
def own_parameters(formula: Callable[..., Any]) -> tuple[inspect.Parameter, ...]:
    """Return the parameters of a formula other than its record."""
    return tuple(inspect.signature(formula).parameters.values())[1:]


def checks_of(formula: Callable[..., Any]) -> dict[str, Callable[[str, Any], Any]]:
    """Return the check of each of the formula's own parameters, from its annotation."""
    if not own_parameters(formula):
        return {}
    hints = inspect.get_annotations(formula, eval_str=True)
    checks = {name: _check_of(hint) for name, hint in hints.items()}
    return {name: check for name, check in checks.items() if check}


def _check_of(hint: Any) -> Any:
    """Return the check of an annotation: bool, Literal, a marker, or one of these or None."""
    if hint is bool:
        return check_flag
    if typing.get_origin(hint) is Literal:
        return lambda name, value: check_choice(name, value, typing.get_args(hint))
    inner = [_check_of(part) for part in typing.get_args(hint) if part is not type(None)]
    if type(None) in typing.get_args(hint) and inner and inner[0]:
        return lambda name, value: None if value is None else inner[0](name, value)
    mark = next(iter(getattr(hint, "__metadata__", ())), None)
    return getattr(mark, "check", mark)
