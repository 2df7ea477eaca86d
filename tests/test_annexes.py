"""The core is whole without an annex, and finds one by its entry point."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from functools import cache
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
import importlib, pkgutil, warnings
warnings.simplefilter("error")

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
print(json.dumps([[row.name for row in list_metrics()], [each.name for each in list_sets()],
                  get_scorer_names()]))
"""
ALONE = """
from skaucx.metrics import get_scorer
assert annex not in sys.modules
get_scorer("accuracy"), get_scorer("roc_auc_ovr")
assert annex not in sys.modules
print(json.dumps(repr(get_scorer(name))))
assert annex in sys.modules
"""
# One process imports packages of others, and a fork of it runs each code with its names.
EACH = """
import json, os, sys
import matplotlib.pyplot, pandas, scipy.stats, sklearn.ensemble, sklearn.model_selection
for code, names in json.loads(sys.argv[1]):
    sys.stdout.flush()
    if not os.fork():
        exec(code, {"json": json, "sys": sys, **names})
        sys.exit()
    if os.wait()[1]:
        sys.exit(f"{names} {code}")
"""
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="forks a process after an import")


def own_of(annex):
    return {n for n, f in METRICS.items() if f.__module__ == f"skaucx.{annex}"}


def own_row(annex):
    rows = (METRICS[name] for name in sorted(own_of(annex)))
    return next(function.metric for function in rows if not function.needed)


@cache
def printed():
    """Return what both codes print of each annex."""
    codes = [(WITHOUT, {"gone": f"skaucx.{annex}"}) for annex in ANNEXES]
    for annex in ANNEXES:
        codes += [(ALONE, {"annex": f"skaucx.{annex}", "name": own_row(annex).scorer_name})]
    run = subprocess.run(
        [sys.executable, "-c", EACH, json.dumps(codes)], capture_output=True, text=True, check=False
    )
    assert not run.returncode, run.stderr
    told = [json.loads(line) for line in run.stdout.splitlines()]
    return {annex: (told[k], told[k + len(ANNEXES)]) for k, annex in enumerate(ANNEXES)}


@pytest.mark.parametrize("annex", ANNEXES)
def test_the_rest_is_whole_without_it(annex):
    (metrics, sets, _), _ = printed()[annex]
    assert own_of(annex)
    assert not own_of(annex) & {*metrics}
    assert annex not in sets


@pytest.mark.parametrize("annex", ANNEXES)
def test_a_name_loads_the_annex_that_has_it(annex):
    _, scorer = printed()[annex]
    assert own_row(annex).function in scorer


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
