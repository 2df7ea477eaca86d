"""Cases inside one test: as many as a parametrised test has, without its overhead a case."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each(names: str, cases: Iterable[Any]) -> Callable[[Any], Any]:
    """Call a test once for every case, as ``pytest.mark.parametrize`` would; a failure names its case.

    A case that is skipped does not skip the others.
    """
    known = [name.strip() for name in names.split(",")]
    listed = list(cases)

    def decorate(test: Any) -> Any:
        @functools.wraps(test)
        def run(*args: Any, **given: Any) -> None:
            for case in listed:
                own = dict(zip(known, case if len(known) > 1 else (case,), strict=True))
                try:
                    test(*args, **given, **own)
                except pytest.skip.Exception:
                    continue
                except BaseException as error:
                    error.add_note(f"the case: {own!r}")
                    raise

        signature = inspect.signature(test)
        kept = [p for name, p in signature.parameters.items() if name not in known]
        run.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return run

    return decorate
