"""The types that editors read say what the functions take."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
import sklearn
from sklearn.utils.fixes import parse_version

pytestmark = pytest.mark.presentation


@pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.9"),
    reason="an older scikit-learn lacks names that the stub passes on",
)
def test_stubs_are_fresh():
    spec = importlib.util.spec_from_file_location("stubs", Path(__file__).with_name("stubs.py"))
    stubs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(stubs)
    for place, text in stubs.stubs().items():
        assert place.read_text() == text, "run python tests/stubs.py"
