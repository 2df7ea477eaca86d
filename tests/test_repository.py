"""What stands in several files of the repository stands there alike."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

pytestmark = pytest.mark.presentation

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


def test_what_is_published_is_this_version():
    """The metadata of Zenodo and the recipe for conda, whose requirements are those of the wheel."""
    zenodo = json.loads(text(".zenodo.json"))
    assert zenodo["version"] == PROJECT["project"]["version"]
    assert zenodo["license"] == PROJECT["project"]["license"]
    recipe = text(".github/conda/recipe.yaml")
    assert f'version: "{PROJECT["project"]["version"]}"' in recipe
    needed = [name.replace(">=", " >=") for name in PROJECT["project"]["dependencies"]]
    run = recipe.partition("  run:\n")[2].partition("\ntests:")[0]
    assert set(re.findall(r"- (.+)", run)) == {
        *needed,
        f"python {PROJECT['project']['requires-python']}",
    }


def test_workflows_publish_without_a_token():
    """Only the job that publishes may write, and what it may write is its identity."""
    workflows = {path.name: path.read_text() for path in (ROOT / ".github/workflows").glob("*.yml")}
    for name, workflow in workflows.items():
        assert "permissions:\n  contents: read\n" in workflow, name
        assert "secrets." not in workflow, name
    release = workflows["release.yml"]
    assert "id-token: write" in release.partition("  publish:")[2]
    assert release.count("write") == 1


def test_changelog_is_of_this_version():
    """Before the first release it has one entry, which says what every room has."""
    entries = text("CHANGELOG.md").split("\n## ")[1:]
    assert [entry.split()[0] for entry in entries] == [PROJECT["project"]["version"]]
    assert all(f"`skaucx.{room}`" in entries[0] for room in ("regression", "study"))


@pytest.mark.parametrize("name", ["CONTRIBUTING.md"])
def test_files_that_are_named_exist(name):
    """Paths in backquotes, from the root, the package or its metrics."""
    named = re.findall(
        r"`([\w./]+\.(?:py|pyi|json|md|cff)|\.ci/(?:run|full|part|oldest))`", text(name)
    )
    assert named
    for path in named:
        places = (ROOT, ROOT / "skaucx", ROOT / "skaucx/metrics")
        assert any((place / path).exists() for place in places), path
