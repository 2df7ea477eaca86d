"""One table of averages, which works everywhere; wins and ties of all pairs of classes at once."""

from itertools import combinations

import numpy as np
import pytest
import sklearn.metrics

import skaucx.metrics as sm
from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import f1_score, roc_auc_score
from skaucx.metrics._pairs.ranking import ClassPairs
from skaucx.metrics._registry.row import Metric
from tests.closeness import rounding

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


NAMES = np.array(["ape", "bee", "cat", "dog", "eel"])


def problem(decimals, weighted, seed=3, n=300):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 5, n)
    score = (rng.random((n, 5)) + 0.4 * np.eye(5)[y]).round(decimals)
    return NAMES[y], score, rng.uniform(0.1, 9, n) if weighted else None


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("decimals", [1, 15], ids=["tied", "distinct"])
@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("metric", [sm.roc_auc_score, sm.gini_score, sm.mm4_auc_score])
def test_all_pairs_at_once_are_one_by_one(metric, average, decimals, weighted, monkeypatch):
    y, score, weight = problem(decimals, weighted)
    asked = {"multi_class": "ovo", "average": average, "sample_weight": weight}
    at_once = metric(y, score, **asked)
    monkeypatch.setattr(Metric, "averages_pairs", lambda *given: False)
    assert at_once == pytest.approx(metric(y, score, **asked), rel=rounding(len(y)))


def test_shares_are_those_of_outer_differences():
    y, score, weight = problem(1, True)
    rows = [np.flatnonzero(y == name) for name in NAMES]
    pairs = list(combinations(range(5), 2))
    found = ClassPairs(score, rows, weight, pairs)
    for place, couple in enumerate(pairs):
        for way, (own, other) in enumerate((couple, couple[::-1])):
            d = score[rows[own], own][:, None] - score[rows[other], own]
            of_pair = np.multiply.outer(weight[rows[own]], weight[rows[other]])
            for sign, shares in ((d > 0, found.win_share), (d == 0, found.tie_share)):
                expected = (of_pair * sign).sum() / of_pair.sum()
                assert shares[way, place] == pytest.approx(expected, rel=rounding(len(y)))


def test_a_formula_that_reads_curves_goes_pair_by_pair():
    y, score, _ = problem(15, False)
    every = sm.roc_auc_score(y, score, multi_class="ovo", max_fpr=1.0)
    assert every == sm.roc_auc_score(y, score, multi_class="ovo")
    part = sm.roc_auc_score(y, score, multi_class="ovo", max_fpr=0.3)
    assert 0.5 < part < 1
    assert part != every


def test_weights_of_any_size():
    y, score, weight = problem(1, True)
    expected = sm.roc_auc_score(y, score, multi_class="ovo", sample_weight=weight)
    for scale in (2.0**-1000, 2.0**900):
        scaled = sm.roc_auc_score(y, score, multi_class="ovo", sample_weight=weight * scale)
        assert scaled == expected


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_a_class_without_examples_is_undefined_and_named():
    y, score, _ = problem(15, False)
    kept = y != "cat"
    asked = {"multi_class": "ovo", "labels": NAMES}
    assert np.isnan(sm.roc_auc_score(y[kept], score[kept], **asked))
    with pytest.warns(sklearn.exceptions.UndefinedMetricWarning, match="cat"):
        sm.roc_auc_score(y[kept], score[kept], **asked)
