"""Parameters that a metric cannot do without, and how the tests call metrics with them."""

from __future__ import annotations

import functools
import inspect

import pytest

from tests.metrics.needed import needed_parameters


@pytest.fixture(scope="session")
def needed():
    """Return the parameters that a metric needs for a number of classes."""

    def parameters(metric, classes=2):
        return needed_parameters(metric.metric.name, classes)

    return parameters


@functools.cache
def parameters_of(metric):
    return inspect.signature(metric).parameters


@pytest.fixture(scope="session")
def evaluated(needed):
    """Call a metric with the parameters that it needs, and those of `options` that it takes."""

    def value(metric, first, second, classes=2, **options):
        taken = parameters_of(metric)
        options = {name: option for name, option in options.items() if name in taken}
        return metric(first, second, **needed(metric, classes), **options)

    return value
