"""What differs between versions of scikit-learn, or is not offered to third parties in words."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def score_function(scorer: Any) -> Any:
    """Return the function inside a ``make_scorer`` object, or None for another kind of scorer."""
    return getattr(scorer, "_score_func", None)


def import_pandas() -> Any:
    """Import pandas, or say which extra brings it."""
    try:
        import pandas
    except ImportError:
        raise ImportError(
            'A data frame needs pandas; install it with: pip install "skaucx[frames]"'
        ) from None
    return pandas


def import_pyplot() -> ModuleType:
    """Return matplotlib.pyplot, or say which extra brings it."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            'A picture needs matplotlib; install it with: pip install "skaucx[plot]"'
        ) from None
    return pyplot
