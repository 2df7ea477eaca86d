"""Differences between versions of libraries, and uses of undocumented behaviour."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
import warnings
from collections.abc import Callable, Mapping
from copy import copy
from functools import cached_property, partial, wraps
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.utils.fixes import parse_version

# Callers in the package, and what stands between them.
_WITHIN = (
    f"{Path(__file__).parent}{os.sep}",
    f"{Path(np.__file__).parent}{os.sep}",
    functools.__file__,
    contextlib.__file__,
)

try:
    from joblib.externals.cloudpickle import Pickler
except ImportError:  # since joblib 1.6 a package of its own
    from cloudpickle import Pickler

__all__ = ["Pickler", "cached_property"]


_temperature = parse_version(sklearn.__version__) >= parse_version("1.8")
# The methods of CalibratedClassifierCV.
CALIBRATIONS = ("sigmoid", "isotonic", *["temperature"][:_temperature])


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the first caller outside this package.

    ``skip_file_prefixes`` of :func:`warnings.warn` does the same from Python 3.12 on.
    """
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_WITHIN):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def score_function(scorer: Any) -> Any:
    """Return the function inside a ``make_scorer`` object, or None for another kind of scorer."""
    return getattr(scorer, "_score_func", None)


def scorer_parameters(scorer: Any) -> dict[str, Any]:
    """Return the keywords that a ``make_scorer`` object hands to its function."""
    return dict(getattr(scorer, "_kwargs", {}))


def scorer_sign(scorer: Any) -> int:
    """Return 1 or, for a loss, -1: what a ``make_scorer`` object multiplies by."""
    return int(getattr(scorer, "_sign", 1))


def remade_scorer(scorer: Any, function: Any, parameters: Mapping[str, Any]) -> Any:
    """Return a ``make_scorer`` object like another, of another function or other parameters."""
    made = copy(scorer)
    made._score_func, made._kwargs = function, dict(parameters)
    return made


def import_extra(module: str, what: str, install: str, shown: str = "") -> Any:
    """Import a module of another library; the error names what needs it and how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ImportError(
            f'{what} needs {shown or install}; install it with: pip install "{install}"'
        ) from None


import_pandas = partial(import_extra, "pandas", "A data frame", "skaucx[frames]", "pandas")
import_pyplot = partial(import_extra, "matplotlib.pyplot", "Plotting", "skaucx[plot]", "matplotlib")
import_arrow = partial(
    import_extra, "pyarrow", "Data of files or Arrow", "skaucx[files]", "pyarrow"
)


def renamed_argument(old: str, new: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose keyword `new` scikit-learn called `old`, and deprecates."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if old in kwargs:
            if new in kwargs:
                raise TypeError(f"{new} and its old name {old} are both given; pass {new}.")
            warn(f"{old}= of {function.__name__} is now called {new}=.", FutureWarning)
            kwargs[new] = kwargs.pop(old)
        return function(*args, **kwargs)

    return call
