"""Values of R packages (pROC, vcd, psych, epiR), written by tests/data/r_values.R."""

import json
from pathlib import Path

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx import inference

R = json.loads((Path(__file__).parents[1] / "data" / "r_values.json").read_text())
Y, FIRST, SECOND = (np.array(R[name]) for name in ("y", "first", "second"))
BINARY = [[30, 9], [4, 17]]


def same(found, expected, rel=1e-10):
    np.testing.assert_allclose(found, expected, rtol=rel)


def test_areas_are_those_of_proc():
    expected = R["pROC"]
    found = inference.interval("roc_auc", Y, FIRST)
    half = 1.959963984540054 * found.standard_error
    ends = found.estimate - half, found.estimate, min(found.estimate + half, 1.0)
    same(ends, expected["ci"])
    same(found.standard_error**2, expected["variance"])
    test = inference.delong_test(Y, FIRST, SECOND)
    same([test.statistic, test.p_value], [expected["z"], expected["p"]])
    part = {"fpr": {"fpr": (0, 0.2)}, "tpr": {"tpr": (0.8, 1)}}
    for side, band in part.items():
        same(sm.partial_roc_auc_score(Y, FIRST, **band), expected[f"partial_{side}"])
        standard = sm.partial_roc_auc_score(Y, FIRST, standardize=True, **band)
        same(standard, expected[f"partial_{side}_standard"])


@pytest.mark.parametrize("name", ["kappa", "linear", "quadratic"])
def test_kappas_and_their_errors_are_those_of_vcd(name):
    """Fleiss, Cohen & Everitt 1969."""
    weights = None if name == "kappa" else name
    found = inference.interval("kappa", counts=R["ratings"], weights=weights)
    same([found.estimate, found.standard_error], R["vcd"][name], rel=1e-9)


def test_association_is_that_of_vcd_and_psych():
    table, vcd, psych = R["ratings"], R["vcd"], R["psych"]
    same(sm.association.bangdiwala_b.from_table(table), np.ravel(vcd["bangdiwala"])[0])
    same(sm.association.cramer_v.from_table(table), vcd["cramer"])
    same(sm.association.contingency_coefficient.from_table(table), vcd["contingency"])
    same(sm.association.yule_q.from_table(BINARY), psych["q"])
    same(sm.association.yule_y.from_table(BINARY), psych["y"])
    same(sm.matthews_corrcoef.from_table(BINARY), psych["phi"])


EPIR = {
    "recall": "se", "specificity": "sp", "precision": "pv.pos", "npv": "pv.neg",
    "accuracy": "diag.ac", "prevalence": "tp", "predicted_positive_rate": "ap",
    "fpr": "p.tpdn", "fnr": "p.tndp", "fdr": "p.dntp", "for": "p.dptn",
    "lr_plus": "lr.pos", "lr_minus": "lr.neg", "dor": "diag.or",
}  # fmt: skip


@pytest.mark.parametrize("name", EPIR)
def test_intervals_of_a_table_are_those_of_epir(name):
    """Wilson's of shares, Simel's of likelihood ratios, Woolf's of the odds ratio."""
    [expected] = R["epiR"][EPIR[name]]
    found = inference.interval(name, counts=BINARY)
    same([found.estimate, found.low, found.high], [expected[k] for k in ("est", "lower", "upper")])
