"""Tables of rates: precision instead of specificity, shares of counts, the z test of one share."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix

from skaucx import metrics as sm
from skaucx.metrics import Counts
from skaucx.metrics._registry.declare import METRICS
from tests.closeness import rounding

TABLE = Counts(tp=90, fp=250, fn=10, tn=650)
RATES = {"sensitivity": 0.9, "precision": 90 / 340}


def test_precision_stands_for_specificity():
    found = Counts.from_rates(**RATES, prevalence=0.1, n=1000)
    assert np.array(found.cells) == pytest.approx(np.array(TABLE.cells))
    perfect = Counts.from_rates(sensitivity=1, precision=1, prevalence=0.3)
    assert np.array(perfect.cells) == pytest.approx(np.array([0.3, 0, 0, 0.7]))


def test_what_reads_no_true_negatives_is_the_same_at_any_prevalence():
    for prevalence in (0.02, 0.1, 0.2):
        found = Counts.from_rates(**RATES, prevalence=prevalence)
        for function in (sm.f1_score, sm.jaccard_score, sm.recall_score, sm.precision_score):
            expected = function.from_counts(TABLE)
            assert function.from_counts(found) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"sensitivity": 0.9, "precision": 0.01, "prevalence": 0.5}, "No table has precision 0.01"),
        ({"sensitivity": 0.9, "precision": 0, "prevalence": 0.1}, "precision must be"),
        ({"sensitivity": 0.9, "prevalence": 0.1}, "specificity or precision"),
        ({**RATES, "specificity": 0.9, "prevalence": 0.1}, "specificity or precision"),
    ],
)
def test_rates_of_no_table(given, told):
    with pytest.raises(ValueError, match=told):
        Counts.from_rates(**given)


def test_normalized_as_in_scikit_learn():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 2, (2, 60))
    counts = Counts.from_labels(y, p)
    for over in ("true", "pred", "all"):
        expected = confusion_matrix(y, p, normalize=over)
        np.testing.assert_allclose(counts.normalized(over), expected, rtol=rounding(4))
    stacked = Counts(*(np.stack([cell, 2 * cell]) for cell in counts.cells))
    assert stacked.normalized().shape == (2, 2, 2)
    assert np.isnan(Counts(tp=0.0, fp=1.0, fn=0.0, tn=1.0).normalized("true")[1]).all()
    with pytest.raises(ValueError, match="over must be"):
        counts.normalized("rows")


def test_display_of_counts():
    display = sm.ConfusionMatrixDisplay(TABLE).plot()
    assert display.text_[1, 1].get_text().startswith("90")
    assert display.metrics_["recall"] == 0.9


def test_many_classes_are_sent_to_the_right_call():
    with pytest.raises(ValueError, match=r"counts two classes, found 3; take Counts.one_vs_rest"):
        Counts.from_labels([0, 1, 2], [0, 1, 1])


def test_tables_of_many_rates():
    """Arrays of rates broadcast, and give the tables of each by itself."""
    shares, specificity = [0.5, 0.05], [[0.99], [0.9], [0.5]]
    found = Counts.from_rates(sensitivity=0.9, specificity=specificity, prevalence=shares, n=200)
    assert np.shape(found.tp) == (3, 2)
    for i, j in np.ndindex(3, 2):
        alone = Counts.from_rates(
            sensitivity=0.9, specificity=specificity[i][0], prevalence=shares[j], n=200
        )
        assert [cell[i, j] for cell in found.cells] == [float(cell) for cell in alone.cells]
    with pytest.raises(ValueError, match=r"prevalence must be .*\[0, 1\], found .*1\.5"):
        Counts.from_rates(sensitivity=0.9, specificity=0.9, prevalence=[0.5, 1.5])
    with pytest.raises(ValueError, match=r"No table has precision 0\.1.*\[0\.02, 0\.5\]"):
        Counts.from_rates(sensitivity=0.9, precision=0.1, prevalence=[0.02, 0.5])


def test_what_is_declared_free_of_prevalence_stays():
    shares = np.array([0.5, 0.1, 0.01])
    tables = sm.Counts.from_rates(sensitivity=0.8, specificity=0.9, prevalence=shares)
    free = [row.name for row in sm.list_metrics(prevalence_free=True) if row.kind.name == "counts"]
    functions = [METRICS[name] for name in free]
    found = {f.metric.name: f.from_counts(tables) for f in functions if not f.needed}
    assert len(found) > 5
    for name, values in found.items():
        np.testing.assert_allclose(values, values[0], rtol=1e-12, err_msg=name)
    assert np.ptp(sm.precision_score.from_counts(tables)) > 0.8
