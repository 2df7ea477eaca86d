"""The examples in the docstrings of every module run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest
import sklearn.metrics

import skaucx

MODULES = [
    module.name
    for module in pkgutil.walk_packages(skaucx.__path__, "skaucx.")
    if not module.name.endswith("__main__")
]


# Docstrings of functions that are passed on; their examples are tests of scikit-learn's versions.
THEIRS = {vars(sklearn.metrics)[name].__doc__ for name in sklearn.metrics.__all__}


@pytest.mark.parametrize("name", ["skaucx", *MODULES])
def test_examples_run(name):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder().find(importlib.import_module(name), name):
        if not test.examples or test.docstring in THEIRS:
            continue  # a run of none makes a debugger, which looks for every file that was read
        assert runner.run(test).failed == 0, test.name
