"""Every public name of the study is documented in numpydoc's form."""

from __future__ import annotations

import inspect
import re

import pytest

import skaucx.study

PUBLIC = {name: getattr(skaucx.study, name) for name in skaucx.study.__all__}
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def sections(thing):
    pieces = SECTION.split(inspect.getdoc(thing))
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


@pytest.mark.parametrize("name", PUBLIC)
def test_parameters_are_documented_in_order(name):
    found = sections(PUBLIC[name])
    entries = re.findall(r"^(\*{0,2}\w[\w, ]*?)(?: : .+)?$", found.get("Parameters", ""), re.M)
    documented = [part.strip().lstrip("*") for entry in entries for part in entry.split(",")]
    assert documented == list(inspect.signature(PUBLIC[name]).parameters)
    assert inspect.isclass(PUBLIC[name]) or {"Returns", "Examples"} <= set(found)
