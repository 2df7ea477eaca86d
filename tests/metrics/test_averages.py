"""One table of averages: what is added there works everywhere, what is not in it raises."""

import json
import subprocess
import sys

import numpy as np
import pytest

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import f1_score, roc_auc_score

RNG = np.random.default_rng(0)
Y, PRED = RNG.integers(0, 3, (2, 90))
P = RNG.dirichlet(np.ones(3), 90)
INDICATORS, CALLED = RNG.integers(0, 2, (2, 30, 3))


def test_an_average_that_is_not_in_the_table_raises():
    for call in (
        lambda: f1_score(Y, PRED, average="middle"),
        lambda: f1_score(INDICATORS, CALLED, average="middle"),
        lambda: roc_auc_score(Y, P, multi_class="ovr", average="middle"),
        lambda: roc_auc_score(INDICATORS, 1.0 * CALLED, average="middle"),
        lambda: interval("f1", Y, PRED, average="middle"),
        lambda: evaluate(Y, PRED, metrics=["f1"], average="middle"),
    ):
        with pytest.raises(ValueError, match=r"average.*middle"):
            call()


NEW = """
import json, sys
import importlib.machinery as machinery
import numpy as np

OLD, NEW = b"    None: Average(", b'    "root": Average("classes", np.sqrt),\\n    None: Average('

class Loader(machinery.SourceFileLoader):
    def get_code(self, name):
        source = self.get_data(self.path)
        assert source.count(OLD) == 1
        return self.source_to_code(source.replace(OLD, NEW), self.path)

class Finder:
    def find_spec(name, path=None, target=None):
        if name != "skaucx.metrics._kinds.averages":
            return None
        spec = machinery.PathFinder.find_spec(name, path)
        spec.loader = Loader(name, spec.origin)
        return spec

sys.meta_path.insert(0, Finder)
from skaucx import evaluate, interval
from skaucx.metrics import f1_score, get_scorer, roc_auc_score

rng = np.random.default_rng(0)
y, pred = rng.integers(0, 3, (2, 90))
p = rng.dirichlet(np.ones(3), 90)
how = {"n_resamples": 100, "random_state": 0}
scores = {"multi_class": "ovr", "average": "root"}
print(json.dumps({
    "f1": f1_score(y, pred, average="root"),
    "named": evaluate(y, pred, metrics=["f1_root"])["f1_root"],
    "interval": interval("f1_root", y, pred, **how).estimate,
    "auc": roc_auc_score(y, p, **scores),
    "auc interval": interval("roc_auc", y, p, **scores, **how).estimate,
    "method": interval("roc_auc", y, p, **scores, **how).method,
    "scorer": repr(get_scorer("f1_root")),
}))
"""


def test_a_new_average_is_one_entry():
    ran = subprocess.run([sys.executable, "-c", NEW], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    found, root = json.loads(ran.stdout), np.sqrt(np.bincount(Y))
    f1 = np.average(f1_score(Y, PRED, average=None), weights=root)
    auc = np.average(roc_auc_score(Y, P, multi_class="ovr", average=None), weights=root)
    np.testing.assert_allclose([found[k] for k in ("f1", "named", "interval")], f1, rtol=1e-12)
    np.testing.assert_allclose([found["auc"], found["auc interval"]], auc, rtol=1e-12)
    assert found["method"] == "bca"  # no derivative is known, so the bootstrap
    assert "average='root'" in found["scorer"]
