"""What stands in several files of the repository stands there alike."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def test_citation_is_of_this_version():
    assert (
        re.search(r"^version: (.+)$", text("CITATION.cff"), re.M)[1]
        == PROJECT["project"]["version"]
    )
    assert (
        re.search(r"^license: (.+)$", text("CITATION.cff"), re.M)[1]
        == PROJECT["project"]["license"]
    )


def test_changelog_has_three_kinds_of_change():
    top = text("CHANGELOG.md").split("\n## ")[1]
    assert top.startswith(PROJECT["project"]["version"])
    assert re.findall(r"^### (.+)$", top, re.M) == ["Added", "Changed", "Fixed"]


def test_no_option_of_a_plugin_is_forced_on_pytest():
    options = PROJECT["tool"]["pytest"]["ini_options"]["addopts"].split()
    assert not {"-n", "--dist", "--cov"} & {option.partition("=")[0] for option in options}


@pytest.mark.parametrize("name", ["CONTRIBUTING.md"])
def test_files_that_are_named_exist(name):
    """Paths in backquotes, from the root or from the package's metrics."""
    named = re.findall(r"`([\w./]+\.(?:py|pyi|json|md|cff)|\.ci/run)`", text(name))
    assert named
    for path in named:
        places = (ROOT, ROOT / "skaucx/metrics")
        assert any((place / path).exists() for place in places), path
