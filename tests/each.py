"""Cases inside one test: as many as a parametrised test has, without its overhead a case."""

from __future__ import annotations

import functools
import inspect

import pytest


def each(names, cases):
    """Call a test once for every case, as ``pytest.mark.parametrize`` would; a failure names its case.

    A case that is skipped does not skip the others.
    """
    known, listed = names.replace(" ", "").split(","), list(cases)

    def decorate(test):
        @functools.wraps(test)
        def run(*args, **given):
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
        kept = [each for name, each in signature.parameters.items() if name not in known]
        run.__signature__ = signature.replace(parameters=kept)
        return run

    return decorate
