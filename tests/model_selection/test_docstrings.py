"""Every public name has examples, and its parameters are documented."""

from __future__ import annotations

import doctest
import inspect
import re

import pytest

import skaucx.model_selection

pytestmark = pytest.mark.presentation

PUBLIC = {name: getattr(skaucx.model_selection, name) for name in skaucx.model_selection.__all__}


@pytest.mark.parametrize("name", PUBLIC)
def test_has_examples(name):
    """They run in tests/test_doctests.py."""
    found = doctest.DocTestFinder().find(PUBLIC[name], name, module=False)
    assert sum(len(test.examples) for test in found), f"{name} has no example"


@pytest.mark.parametrize("name", PUBLIC)
def test_parameters_are_documented(name):
    text = inspect.getdoc(PUBLIC[name])
    entries = re.findall(r"^(?:\*\*)?(\w[\w, ]*?)(?: : .+)?$", text, re.MULTILINE)
    documented = {part.strip() for entry in entries for part in entry.split(",")}
    assert set(inspect.signature(PUBLIC[name]).parameters) <= documented
