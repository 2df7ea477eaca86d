"""Every public name of the study is documented in numpydoc's form, with examples."""

from __future__ import annotations

import doctest
import inspect
import re

import pytest

import skaucx.study

pytestmark = pytest.mark.presentation

PUBLIC = {name: getattr(skaucx.study, name) for name in skaucx.study.__all__}
FUNCTIONS = {name: thing for name, thing in PUBLIC.items() if not inspect.isclass(thing)}
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def sections(thing):
    pieces = SECTION.split(inspect.getdoc(thing))
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def test_all_is_sorted_and_complete():
    assert skaucx.study.__all__ == sorted(skaucx.study.__all__) == dir(skaucx.study)
    assert {thing.__module__.rpartition(".")[0] for thing in PUBLIC.values()} == {"skaucx.study"}


@pytest.mark.parametrize("name", PUBLIC)
def test_parameters_are_documented_in_order(name):
    entries = re.findall(
        r"^(\*{0,2}\w[\w, ]*?)(?: : .+)?$", sections(PUBLIC[name]).get("Parameters", ""), re.M
    )
    documented = [part.strip().lstrip("*") for entry in entries for part in entry.split(",")]
    assert documented == list(inspect.signature(PUBLIC[name]).parameters)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_has_examples(name):
    """They run in tests/test_doctests.py."""
    found = doctest.DocTestFinder().find(FUNCTIONS[name], name)
    assert sum(len(test.examples) for test in found)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_say_what_they_return(name):
    assert {"Returns", "Examples"} <= set(sections(FUNCTIONS[name]))


@pytest.mark.parametrize("name", [n for n, thing in PUBLIC.items() if inspect.isclass(thing)])
def test_public_members_of_classes_are_documented(name):
    for attribute, member in vars(PUBLIC[name]).items():
        if not attribute.startswith("_") and (callable(member) or isinstance(member, property)):
            assert member.__doc__, attribute
