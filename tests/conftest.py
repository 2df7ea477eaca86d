"""Pictures that need no screen, one thread a worker, and metrics that a test declares are forgotten."""

from __future__ import annotations

import gc
import html
import os
import warnings

import pytest

os.environ.setdefault("MPLBACKEND", "Agg")
os.environ["COLUMNS"] = "80"  # of texts, which are as wide as the terminal
# A worker of pytest and its processes take one core: threads of OpenMP that wait for others spin.
os.environ.setdefault("OMP_NUM_THREADS", "1")
with warnings.catch_warnings():
    # On import matplotlib 3.8 calls functions that pyparsing 3.3 has renamed.
    warnings.filterwarnings("ignore", ".* deprecated - use ", DeprecationWarning)
    import matplotlib.pyplot

from skaucx.metrics._registry.declare import ALIASES, METRICS
from skaucx.metrics._registry.names import SETS


def pytest_collection_finish():
    """Modules and items stay: no search for cycles looks at them."""
    gc.freeze()
    gc.set_threshold(700, 10, 100)  # all are seldom visited: pictures hold many objects


@pytest.fixture(autouse=True)
def _own_metrics_only():
    """Forget the metrics and sets of metrics that a test or an example declares."""
    registries = METRICS, ALIASES, SETS
    # The length loads skaucx.regression; `data` is copied at once, the registry item by item.
    known = [registry.data.copy() for registry in registries if len(registry)]
    yield
    for registry, before in zip(registries, known, strict=True):
        if registry.data != before:
            registry.data.clear()
            registry.data.update(before)


@pytest.fixture(autouse=True)
def _close_pictures():
    yield
    matplotlib.pyplot.close("all")


@pytest.fixture
def captions_only(monkeypatch):
    """Pages have the captions of their pictures only, for tests of what else they say."""
    from skaucx.reports import _pictures

    def figure(caption, draw, size=None):
        named = html.escape(caption, quote=True)
        return f'<figure><svg aria-label="{named}"></svg><figcaption>{named}</figcaption></figure>'

    monkeypatch.setattr(_pictures, "figure", figure)
