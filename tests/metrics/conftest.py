"""Parameters that a metric cannot do without, as a fixture."""

from __future__ import annotations

import pytest

from tests.metrics.needed import needed_parameters


@pytest.fixture(scope="session")
def needed():
    """Return the parameters that a metric needs for a number of classes."""
    return lambda metric, classes=2: needed_parameters(metric.metric.name, classes)
