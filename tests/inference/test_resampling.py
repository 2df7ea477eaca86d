"""Resamples and deletions as counts: their law, the rankings they are read by, the jackknife."""

import numpy as np
import pytest
from scipy import special
from sklearn.exceptions import UndefinedMetricWarning

import skaucx.metrics as sm
from skaucx.inference import interval, jackknife
from skaucx.metrics._pairs.ranking import RankedScores
from skaucx.metrics._pairs.replicates import SortedScores
from skaucx.metrics._registry import resampling as _resampling
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.resampling import Resampling
from skaucx.metrics._registry.row import apply
from tests.closeness import rounding
from tests.datasets import binary
from tests.metrics.needed import needed_parameters


def drawn(plan, n_resamples=4000, seed=0):
    return np.concatenate(list(plan.resamples(n_resamples, seed)))


def test_rows_are_drawn_as_often_as_there_are_rows():
    counts = drawn(Resampling(7))
    assert counts.shape == (4000, 7)
    assert (counts.sum(axis=1) == 7).all()
    np.testing.assert_allclose(counts.mean(axis=0), 1, atol=0.06)
    # Multinomial: variance 1 - 1/n, covariance -1/n.
    np.testing.assert_allclose(np.cov(counts.T), np.eye(7) - 1 / 7, atol=0.1)


def test_groups_and_equal_rows_are_drawn_as_a_whole():
    groups, first = np.array([0, 1, 1, 2, 0, 3, 3]), [0, 1, 3, 5]
    counts = drawn(Resampling(7, groups=groups))
    assert (counts == counts[:, first][:, groups]).all()
    assert (counts[:, first].sum(axis=1) == 4).all()
    counts = drawn(Resampling(3, multiplicity=np.array([50, 30, 20])))
    assert (counts.sum(axis=1) == 100).all()
    np.testing.assert_allclose(counts.mean(axis=0), [50, 30, 20], rtol=0.02)
    np.testing.assert_allclose(counts.var(axis=0), [25, 21, 16], rtol=0.1)


@pytest.mark.parametrize("groups", [None, np.arange(40) // 2])
def test_the_seed_alone_decides(groups, monkeypatch):
    plan = Resampling(40, groups=groups)
    whole = drawn(plan, 50)
    assert (whole == drawn(plan, 50)).all()
    assert (whole != drawn(plan, 50, seed=1)).any()
    assert (whole == drawn(plan, 50, seed=np.random.RandomState(0))).all()
    monkeypatch.setattr(_resampling, "_COUNTS_AT_ONCE", 120)
    assert (whole == drawn(plan, 50)).all()


@pytest.mark.parametrize(
    ("plan", "wanted", "alike"),
    [
        (Resampling(3), [[0, 1, 1], [1, 0, 1], [1, 1, 0]], [1, 1, 1]),
        (Resampling(4, groups=np.array([0, 1, 1, 2])),
         [[0, 1, 1, 1], [1, 0, 0, 1], [1, 1, 1, 0]], [1, 1, 1]),
        (Resampling(2, multiplicity=np.array([3, 9])), [[2, 9], [3, 8]], [3, 9]),
    ],
)  # fmt: skip
def test_deletions_leave_out_one_unit_each(plan, wanted, alike):
    ((counts, found),) = plan.deletions()
    assert (counts == wanted).all()
    assert (found == alike).all()


@pytest.mark.parametrize(("resamples", "bundles"), [(20, 50), (300, 300), (5000, 1000)])
def test_bundles_are_no_more_than_resamples_need(resamples, bundles):
    """The jackknife of an acceleration costs no more than the resamples that it corrects."""
    counts = np.concatenate([counts for counts, _ in Resampling(3000).deletions(0, resamples)])
    assert counts.shape == (bundles, 3000)
    assert ((counts == 0).sum(axis=0) == 1).all()


ROWS = [r for r in sm.list_metrics() if r.kind.name in ("order", "values", "unit_values")]
OPTIONS = {
    "pairwise_auc": [{"difference": np.tanh}],
    "partial_roc_auc": [{"fpr": (0.1, 0.6)}, {"tpr": (0.3, 1.0), "standardize": True}],
    "roc_auc": [{}, {"ties": "win"}, {"max_fpr": 0.3}],
    "sond_auc": [{}, {"q": 0.0}, {"q": 3.5}],
    "soft_auc": [{}, {"beta": 1e4}],
    "mm4_auc": [{}, {"floor": 0.0}, {"floor": 0.2}, {"floor": 1.0}],
}


def weights(n, replicates, truth):
    """Resamples with fractional weights; the first has one class only, the second one row each."""
    rng = np.random.default_rng(0)
    counts = drawn(Resampling(n), replicates) * rng.choice([0.5, 1.0, 1.7], n)
    counts[0] *= truth
    counts[1] = 0
    counts[1, [np.argmax(truth), np.argmin(truth)]] = 1
    return counts


@pytest.mark.parametrize("decimals", [1, 2, 12])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_replicate_is_the_ranking_of_its_rows(row, decimals):
    rng = np.random.default_rng(1)
    truth = rng.random(50) < 0.4
    score = np.round(special.expit(rng.normal(size=50) + truth), decimals)
    many = weights(50, 40, truth)
    kept = [(weight > 0, weight) for weight in many]
    ranked = [RankedScores.from_scores(truth[k], score[k], weight[k]) for k, weight in kept]
    for options in OPTIONS.get(row.name, [needed_parameters(row.name)]):
        found = apply(row, SortedScores(truth, score).replicates(many), options)
        expected = [float(apply(row, one, options)) for one in ranked]
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=rounding(50))


def test_narrow_scores_keep_their_digits():
    rng = np.random.default_rng(2)
    truth, score = rng.random(60) < 0.5, 0.5 + 1e-9 * rng.random(60)
    many = weights(60, 20, truth)
    narrow, wide = (
        SortedScores(truth, each).replicates(many)
        for each in (score, (score - score.min()) * 2.0**30)
    )
    with np.errstate(invalid="ignore"):
        for share in (0.0, 0.5):
            found, wanted = (each.mean_gain_above(share) for each in (narrow, wide))
            np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_rows_of_a_larger_sample():
    rng = np.random.default_rng(6)
    rows = rng.permutation(90)[:50]
    truth, score, weight = rng.random(50) < 0.4, np.round(rng.random(50), 1), rng.random((4, 90))
    found = SortedScores(truth, score, rows).replicates(weight)
    expected = SortedScores(truth, score).replicates(weight[:, rows])
    for name in ("win_share", "tie_share", "mean_gain", "span"):
        wanted = getattr(expected, name)
        np.testing.assert_allclose(getattr(found, name), wanted, rtol=rounding(50))


def left_out(value, parts):
    """Return bias and error by leaving out every part by hand."""
    parts, whole = np.asarray(parts), value(np.arange(len(parts)))
    values = np.array([value(np.flatnonzero(parts != name)) for name in np.unique(parts)])
    k, mean = len(values), values.mean(axis=0)
    return (k - 1) * (mean - whole), np.sqrt((k - 1) / k * ((values - mean) ** 2).sum(axis=0))


@pytest.mark.parametrize(
    ("name", "options"),
    [("f1", {}), ("matthews_corrcoef", {}), ("recall", {"average": None}), ("roc_auc", {}),
     ("mm7_auc", {}), ("log_loss", {}), ("smape_loss", {})],
)  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_the_jackknife_row_by_row(name, options, weighted):
    other = binary.pred if METRICS[name].metric.kind.counted else binary.score
    weight = np.linspace(0.5, 2, 60) if weighted else None

    def value(rows):
        given = {} if weight is None else {"sample_weight": weight[rows]}
        return METRICS[name](binary.y[rows], other[rows], **given, **options)

    found = jackknife(name, binary.y, other, sample_weight=weight, **options)
    bias, error = left_out(value, np.arange(60))
    np.testing.assert_allclose(found.estimate, value(np.arange(60)), rtol=1e-12)
    np.testing.assert_allclose(found.bias, bias, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.standard_error, error, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.corrected, found.estimate - found.bias)
    assert found.n_deletions == 60


def test_the_jackknife_of_groups_and_of_plain_functions():
    y, score, groups = binary.y, binary.score, binary.groups
    found = jackknife("roc_auc", y, score, groups=groups)
    wanted = left_out(lambda rows: sm.roc_auc_score(y[rows], score[rows]), groups)
    assert (found.bias, found.standard_error) == pytest.approx(wanted, rel=1e-9)
    assert found.n_deletions == 20
    plain = jackknife(lambda a, b: np.mean(a == b), y, binary.pred)
    right = y == binary.pred
    for found in (plain, jackknife("accuracy", y, binary.pred)):
        assert found.bias == pytest.approx(0, abs=1e-12)
        usual = right.std(ddof=1) / np.sqrt(60)
        assert found.standard_error == pytest.approx(usual, rel=1e-12)


@pytest.mark.parametrize(("n", "deletions", "close"), [(400, 400, 0.01), (4000, 1000, 0.1)])
def test_the_jackknife_of_a_mean_over_pairs_is_delongs(n, deletions, close):
    """Up to 1 / n (Arvesen 1969); of many rows bundles are left out."""
    y = np.arange(n) % 2
    score = np.round(np.random.default_rng(2).random(n) + 0.4 * y, 1)
    found = jackknife("roc_auc", y, score, random_state=0)
    delong = interval("roc_auc", y, score).standard_error
    assert found.standard_error == pytest.approx(delong, rel=close)
    assert repr(found).endswith(f"Jackknife of {deletions} deletions.")


def test_what_has_no_jackknife():
    with pytest.warns(UndefinedMetricWarning, match="roc_auc is undefined without some part"):
        found = jackknife("roc_auc", [0, 0, 1], [0.1, 0.4, 0.3])
    assert found.estimate == 0.5
    assert np.isnan([found.bias, found.standard_error]).all()
