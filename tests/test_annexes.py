"""The core is whole without an annex, and finds one by its entry point."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from importlib import metadata

import pytest

from skaucx import _annexes
from skaucx.metrics._registry.declare import METRICS

ANNEXES = [
    entry.name
    for entry in _annexes.entry_points("skaucx.kinds")
    if entry.value.startswith("skaucx.") and importlib.util.find_spec(entry.module)
]
WITHOUT = """
import importlib, pkgutil, sys, warnings
warnings.simplefilter("error")
gone = sys.argv[1]

class Gone:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if f"{name}.".startswith(f"{gone}."):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Gone)
import skaucx
walked = pkgutil.walk_packages(skaucx.__path__, "skaucx.", onerror=lambda name: None)
for module in walked:
    if not f"{module.name}.".startswith(f"{gone}.") and not module.name.endswith("__main__"):
        importlib.import_module(module.name)
from skaucx.metrics import get_scorer_names, list_metrics, list_sets
assert {row.name for row in list_metrics()} >= {"accuracy", "roc_auc"}
print(*(row.name for row in list_metrics()))
print(*(each.name for each in list_sets()))
print(*get_scorer_names())
"""
ALONE = """
import sys
from skaucx.metrics import get_scorer
name, annex = sys.argv[1:]
assert annex not in sys.modules
get_scorer("accuracy"), get_scorer("roc_auc_ovr")
assert annex not in sys.modules
print(get_scorer(name))
assert annex in sys.modules
"""


def printed(script, *arguments):
    run = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=False
    )
    assert not run.returncode, run.stderr
    return run.stdout


def own_of(annex):
    return {n for n, f in METRICS.items() if f.__module__ == f"skaucx.{annex}"}


@pytest.mark.parametrize("annex", ANNEXES)
def test_the_rest_is_whole_without_it(annex):
    metrics, sets, _ = (
        set(line.split()) for line in printed(WITHOUT, f"skaucx.{annex}").splitlines()
    )
    assert own_of(annex)
    assert not own_of(annex) & metrics
    assert annex not in sets


@pytest.mark.parametrize("annex", ANNEXES)
def test_a_name_loads_the_annex_that_has_it(annex):
    rows = (METRICS[name] for name in sorted(own_of(annex)))
    row = next(function.metric for function in rows if not function.needed)
    assert row.function in printed(ALONE, row.scorer_name, f"skaucx.{annex}")


class Entry:
    """An entry point that is not of an installed package."""

    def __init__(self, value):
        self.found = metadata.EntryPoint("other", value, "skaucx.kinds")
        self.name, self.value, self.module = "other", value, self.found.module

    def load(self):
        return self.found.load()


def test_what_is_gone_is_left_out_and_what_is_broken_is_named(monkeypatch, tmp_path):
    (tmp_path / "of_another_package.py").write_text("import a_module_that_nobody_has")
    monkeypatch.syspath_prepend(tmp_path)
    for value, warned in (("no_such_package.kinds", False), ("of_another_package", True)):
        monkeypatch.setattr(_annexes, "entry_points", lambda group, v=value: (Entry(v),))
        _annexes.announced.cache_clear()
        if warned:
            with pytest.warns(UserWarning, match=r"of_another_package.*cannot be imported"):
                assert not _annexes.announced("skaucx.kinds")
        else:
            assert not _annexes.announced("skaucx.kinds")
    monkeypatch.undo()
    _annexes.announced.cache_clear()
