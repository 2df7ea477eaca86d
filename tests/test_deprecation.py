"""Old names keep working, with a FutureWarning that names the new one and points at the caller."""

import numpy as np
import pytest

from skaucx import metrics, model_selection

pytestmark = pytest.mark.presentation

Y = np.array([0, 0, 0, 0, 1, 1, 1, 1])
A, B = (
    np.array(x)
    for x in ([0.1, 0.3, 0.4, 0.6, 0.35, 0.5, 0.7, 0.9], [0.2, 0.1, 0.6, 0.5, 0.4, 0.3, 0.8, 0.7])
)
SEEDED = {"n_resamples": 20, "random_state": 0}
RENAMED = {
    "interval": lambda **k: metrics.interval("roc_auc", Y, A, **k),
    "intervals": lambda **k: metrics.intervals(["roc_auc"], Y, A, **k)["roc_auc"],
    "roc_band": lambda **k: metrics.estimation.roc_band(Y, A, **SEEDED, **k),
    "precision_recall_band": lambda **k: metrics.estimation.precision_recall_band(
        Y, A, **SEEDED, **k
    ),
    "paired_bootstrap_test": lambda **k: metrics.paired_bootstrap_test(
        "roc_auc", Y, A, B, **SEEDED, **k
    ),
    "delong_test": lambda **k: metrics.delong_test(Y, A, B, **k),
    "mcnemar_test": lambda **k: metrics.mcnemar_test(Y, A > 0.5, B > 0.5, **k),
    "corrected_resampled_t_test": lambda **k: model_selection.corrected_resampled_t_test(
        A, B, n_train=10, n_test=2, **k
    ),
}


@pytest.mark.parametrize("name", RENAMED)
def test_level_is_the_old_name_of_confidence_level(name):
    new = RENAMED[name](confidence_level=0.8)
    with pytest.warns(
        FutureWarning, match=f"level= of {name} is now called confidence_level="
    ) as seen:
        old = RENAMED[name](level=0.8)
    assert seen[0].filename == __file__
    assert old.confidence_level == new.confidence_level == 0.8
    with pytest.warns(
        FutureWarning, match="attribute level of .* is now called confidence_level"
    ) as seen:
        assert old.level == 0.8
    assert seen[0].filename == __file__


@pytest.mark.parametrize("name", RENAMED)
def test_both_names_are_refused(name):
    with pytest.raises(TypeError, match="both given; pass confidence_level"):
        RENAMED[name](level=0.8, confidence_level=0.8)


@pytest.mark.parametrize(
    ("old", "new", "value"),
    [("reads", "kind.name", "order"), ("reads_labels", "kind.counted", False)],
)
def test_what_a_metric_reads_is_asked_of_its_kind(old, new, value):
    row = metrics.roc_auc_score.metric
    with pytest.warns(
        FutureWarning, match=f"attribute {old} of Metric is now called {new}"
    ) as seen:
        assert getattr(row, old) == value
    assert seen[0].filename == __file__
