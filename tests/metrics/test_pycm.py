"""Statistics of PyCM beside ours, on random tables."""

from __future__ import annotations

import numpy as np
import pytest

import skaucx.metrics as sm
from skaucx.inference import interval
from skaucx.metrics import Counts
from skaucx.metrics._registry.names import named_metric

pytestmark = pytest.mark.peers

# By the name there: a metric here with its options.
OVERALL = {
    "Overall ACC": ("accuracy", {}), "Overall RACC": ("chance_agreement", {}),
    "Overall RACCU": ("chance_agreement", {"shared": True}), "Kappa": ("kappa", {}),
    "Gwet AC1": ("gwet_ac1", {}), "Bennett S": ("bennett_s", {}),
    "Kappa Unbiased": ("unbiased_kappa", {}), "Scott PI": ("scott_pi", {}),
    "Kappa No Prevalence": ("pabak", {}), "Phi-Squared": ("phi_squared", {}),
    "Cramer V": ("cramer_v", {}), "Response Entropy": ("class_entropy", {"of": "predicted"}),
    "Reference Entropy": ("class_entropy", {}), "Cross Entropy": ("class_cross_entropy", {}),
    "Joint Entropy": ("class_entropy", {"of": "both"}),
    "Conditional Entropy": ("conditional_entropy", {}), "KL Divergence": ("class_divergence", {}),
    "Lambda A": ("goodman_kruskal_lambda", {}),
    "Lambda B": ("goodman_kruskal_lambda", {"guessed": "predicted"}),
    "Hamming Loss": ("hamming_loss", {}), "Zero-one Loss": ("zero_one_loss", {"normalize": False}),
    "NIR": ("no_information_rate", {}), "Overall CEN": ("confusion_entropy", {}),
    "Overall MCEN": ("confusion_entropy", {"modified": True}), "Overall MCC": ("mcc", {}),
    "CBA": ("braun_blanquet", {"average": "macro"}), "AUNU": ("label_auc", {"average": "macro"}),
    "AUNP": ("label_auc", {"average": "weighted"}), "RCI": ("rci", {}),
    "Pearson C": ("pearson_c", {}), "CSI": ("icsi", {"average": "macro"}), "ARI": ("ari", {}),
    "Bangdiwala B": ("bangdiwala_b", {}), "Krippendorff Alpha": ("krippendorff_alpha", {}),
    "ACC Macro": ("macro_accuracy", {}),
}  # fmt: skip
RATES = {
    "TPR": "recall", "TNR": "specificity", "PPV": "precision", "NPV": "npv", "FPR": "fpr",
    "FNR": "fnr", "F1": "f1",
}  # fmt: skip
OVERALL |= {
    f"{theirs} {average.title()}": (ours, {"average": average})
    for theirs, ours in RATES.items()
    for average in ("macro", "micro")
}
OF_CLASS = {
    "TPR": ("recall", {}), "TNR": ("specificity", {}), "PPV": ("precision", {}),
    "NPV": ("npv", {}), "FNR": ("fnr", {}), "FPR": ("fpr", {}), "FDR": ("fdr", {}),
    "FOR": ("for", {}), "F1": ("f1", {}), "BM": ("informedness", {}), "MK": ("markedness", {}),
    "PLR": ("plr", {}), "NLR": ("nlr", {}), "DOR": ("dor", {}), "TP": ("tp", {"normalize": False}),
    "TN": ("tn", {"normalize": False}), "FP": ("fp", {"normalize": False}),
    "FN": ("fn", {"normalize": False}), "PRE": ("prevalence", {}), "PR": ("prevalence", {}),
    "TOPR": ("ppr", {}), "G": ("fowlkes_mallows_index", {}), "F0.5": ("fbeta", {"beta": 0.5}),
    "F2": ("fbeta", {"beta": 2}), "J": ("jaccard", {}), "IS": ("pointwise_mutual_information", {}),
    "AUC": ("label_auc", {}), "sInd": ("similarity_index", {}), "dInd": ("distance_index", {}),
    "Y": ("informedness", {}), "GI": ("informedness", {}), "LS": ("precision_lift", {}),
    "AM": ("excess_of_calls", {"normalize": False}), "BCD": ("bray_curtis_dissimilarity", {}),
    "OP": ("optimized_precision", {}), "IBA": ("iba", {}), "GM": ("g_mean", {}),
    "Q": ("yule_q", {}), "AGM": ("adjusted_g_mean", {}), "AGF": ("adjusted_f", {}),
    "OC": ("overlap_coefficient", {}), "AUPR": ("kulczynski_index", {}), "ICSI": ("icsi", {}),
    "BB": ("braun_blanquet", {}), "OOC": ("fowlkes_mallows_index", {}),
}  # fmt: skip
OF_TABLE_OF_CLASS = {
    "ACC": ("accuracy", {}), "MCC": ("mcc", {}), "ERR": ("error_rate", {}),
}  # fmt: skip


@pytest.fixture(scope="module", params=[2, 3, 5])
def table(request):
    rng = np.random.default_rng(request.param)
    size = request.param
    return rng.integers(1, 20, (size, size)) + np.diag(rng.integers(5, 40, size))


@pytest.fixture(scope="module")
def theirs(table):
    pycm = pytest.importorskip("pycm")
    size = range(len(table))
    return pycm.ConfusionMatrix(matrix={i: {j: int(table[i, j]) for j in size} for i in size})


def test_overall(table, theirs):
    for name, (ours, options) in OVERALL.items():
        if options.get("average") and len(table) == 2:
            continue
        value = named_metric(ours).function.from_table(table, **options)
        assert value == pytest.approx(theirs.overall_stat[name], rel=1e-12), name


def test_of_each_class(table, theirs):
    for name, (ours, options) in OF_CLASS.items():
        found = named_metric(ours).function.from_table(table, average=None, **options)
        assert found == pytest.approx(list(theirs.class_stat[name].values()), rel=1e-12), name
    each = Counts.one_vs_rest(table.astype(float)).table
    for name, (ours, options) in OF_TABLE_OF_CLASS.items():
        found = named_metric(ours).function.from_table(each, **options)
        assert found == pytest.approx(list(theirs.class_stat[name].values()), rel=1e-12), name


def test_intervals_and_agreement(table, theirs):
    assert interval("accuracy", counts=table).standard_error == pytest.approx(
        theirs.overall_stat["Standard Error"], rel=1e-12
    )
    assert sm.association.aickin_alpha.from_table(table) == pytest.approx(
        theirs.aickin_alpha(max_iter=20000, epsilon=1e-14), rel=1e-9
    )
    d_prime = sm.association.d_prime.from_table(table, average=None)
    assert d_prime == pytest.approx(list(theirs.sensitivity_index().values()), rel=1e-12)
