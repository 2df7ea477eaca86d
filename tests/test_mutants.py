"""The changes of ``python -m tests.mutants`` take effect, those inside inner functions too."""

from __future__ import annotations

import pytest

from tests.mutants import key, new_codes, sites

TEXT = """
def plain(x):
    return x + 1

def around(x):
    return list(map(lambda each: each + 1, [x]))[0]
"""


@pytest.mark.parametrize("name", ["plain", "around"])
def test_a_changed_sum_is_a_difference(name, tmp_path):
    path = tmp_path / "room" / "file.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    found: dict = {}
    exec(compile(TEXT, str(path), "exec"), found)
    function = found[name]
    (site,) = (
        site
        for site in sites(tmp_path, ["room"])
        if site.mutant.function == name and site.mutant.after.endswith(" - 1")
    )
    new, made = new_codes(site)
    assert function(5) == 6
    assert (key(function.__code__) in made) == (name == "plain")
    function.__code__ = new[key(function.__code__)]
    assert function(5) == 4
