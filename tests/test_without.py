"""An annex comes off: the rest is whole, and smaller by its part."""

from __future__ import annotations

import shutil

import pytest

from tests import without

pytestmark = pytest.mark.presentation

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="lists files by git")


@needs_git
def test_what_is_lost_is_the_annex_alone(tmp_path):
    pytest.importorskip("skaucx.study")
    gone = without.lost("study", tmp_path)
    assert "skaucx.study.tune_measure" in gone["names"]
    assert gone["commands"] == ["study"]
    assert not gone["metrics"]
    rest = tmp_path / "rest"
    assert not any((rest / place / "study").exists() for place in ("skaucx", "tests"))
    assert "skaucx.study" not in (rest / "pyproject.toml").read_text()
    ended = without.run(rest, "-m", "skaucx", "study")
    assert ended.returncode == 2
    assert "there is no 'study'" in ended.stderr


@needs_git
def test_a_core_that_imports_an_annex_is_found(tmp_path):
    pytest.importorskip("skaucx.study")
    without.copy_without("study", tmp_path)
    room = tmp_path / "skaucx/inference/_planning/sample_size.py"
    room.write_text(room.read_text() + "\nfrom ...study import tune_measure\n")
    with pytest.raises(SystemExit, match=r"skaucx\.study"):
        without.left_in(tmp_path)
