"""Every AUC variant against the mean over all pairs, and areas against integration."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sklearn.metrics
from scipy import special

from skaucx import metrics as sm
from skaucx.metrics import auc_family, list_metrics
from skaucx.metrics._pairs.ranking import RankedScores
from skaucx.metrics._pairs.replicates import SortedScores
from skaucx.metrics._pairs.sets import ScoreSets
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.row import apply
from tests.each import each
from tests.metrics.pair_sets import score_set

# Of scores within [0, 1].
SETS = [
    "uniform", "two decimals", "clustered", "two clusters", "tiny to one", "reversed", "separated",
    "one positive", "one negative", "constant",
]  # fmt: skip


def sample(family, seed, n=41):
    """Return labels, scores and, of odd seeds, weights."""
    p, q, *weights = score_set(family, n + seed, weighted=bool(seed % 2))
    turn = np.random.default_rng(seed).permutation(len(p) + len(q))
    weight = np.concatenate(weights)[turn] if seed % 2 else None
    return (np.arange(len(turn)) < len(p))[turn], np.concatenate([p, q])[turn], weight


def mean_over_pairs(y, score, weight, h):
    """Return the mean of h(d, span) and of its absolute value, where d is p - n."""
    weight = np.ones(len(y)) if weight is None else weight
    values = h(score[y][:, None] - score[~y], np.ptp(score) or 1.0)
    total = math.fsum(weight[y]) * math.fsum(weight[~y])
    terms = np.multiply.outer(weight[y], weight[~y]) * values
    return math.fsum(terms.ravel()) / total, math.fsum(np.abs(terms).ravel()) / total


def gain(d, span):
    return np.maximum(d, 0)


def relative_gain(d, span):
    return np.maximum(d / span, 0)


def win(d, span):
    return (d > 0) * 1.0


def floored(floor):
    return lambda d, span: np.where(d > 0, np.maximum(d / span, floor), 0)


MEANS = [
    ("roc_auc", {}, lambda d, span: (d > 0) + (d == 0) / 2),
    ("roc_auc", {"ties": "win"}, lambda d, span: (d >= 0) * 1.0),
    ("roc_auc", {"ties": "loss"}, win),
    ("gini", {}, lambda d, span: np.sign(d)),
    ("prob_auc", {}, lambda d, span: (d + 1) / 2),
    ("mm11_auc", {}, lambda d, span: d),
    ("scor_auc", {}, gain),
    ("sond_auc", {"q": 1}, gain),
    ("sond_auc", {}, lambda d, span: np.maximum(d, 0) ** (1 / 7)),
    ("sond_auc", {"q": 0.5}, lambda d, span: np.sqrt(np.maximum(d, 0))),
    ("sond_auc", {"q": 0}, win),
    ("soft_auc", {}, lambda d, span: special.expit(7 * d)),
    ("soft_auc", {"beta": 1e4}, lambda d, span: special.expit(1e4 * d)),
    ("mm1_auc", {}, relative_gain),
    ("mm4_auc", {"floor": 0}, relative_gain),
    ("mm4_auc", {}, floored(0.5)),
    ("mm4_auc", {"floor": 1}, win),
    ("pairwise_auc", {"difference": np.cbrt}, lambda d, span: np.cbrt(d)),
]


@each("family", SETS)
@pytest.mark.parametrize(("name", "options", "h"), MEANS)
def test_mean_over_pairs(family, name, options, h):
    for seed in range(6):
        y, score, weight = sample(family, seed)
        expected, size = mean_over_pairs(y, score, weight, h)
        found = METRICS[name](y, score, sample_weight=weight, **options)
        assert abs(found - expected) <= 1e-12 * size


@each("family", SETS)
def test_mm6_and_mm7(family):
    for seed in range(6):
        y, score, weight = sample(family, seed)
        margin, given = score[y].min() - score[~y].max(), {"sample_weight": weight}
        for floor, auc_power, margin_power, own in (
            (0.5, 9 / 10, 1 / 16, {}),
            (0.2, 2, 1 / 100, {"floor": 0.2, "auc_power": 2, "margin_power": 1 / 100}),
        ):
            mm4, _ = mean_over_pairs(y, score, weight, floored(floor))
            wins, _ = mean_over_pairs(y, score, weight, win)
            mm6 = mm4**auc_power * (margin**margin_power if margin > 0 else 1)
            assert sm.mm6_auc_score(y, score, **own, **given) == pytest.approx(mm6, rel=1e-12)
            mm7 = sm.mm7_auc_score(y, score, **own, **given)
            assert mm7 == pytest.approx(mm6 * wins, rel=1e-12)


@pytest.mark.parametrize("exponent", [-1070, -1022, -960, 960, 1020])
def test_metrics_free_of_scale_at_the_ends_of_the_floats(exponent):
    """On one ranking, on replicates and on score sets; to a span beyond the largest float."""
    rng = np.random.default_rng(0)
    y, moderate = rng.random(60) < 0.4, rng.integers(-8, 9, 60) * 1.0
    score = np.ldexp(moderate, exponent)
    weight = rng.integers(0, 3, (3, 60)) * 1.0
    for row in (sm.mm1_auc_score.metric, sm.mm4_auc_score.metric):
        expected = float(apply(row, RankedScores.from_scores(y, moderate), {}))
        assert float(apply(row, RankedScores.from_scores(y, score), {})) == expected
        np.testing.assert_allclose(apply(row, ScoreSets(y[None], score[None]), {}), expected)
        np.testing.assert_array_equal(
            *(apply(row, SortedScores(y, s).replicates(weight), {}) for s in (moderate, score))
        )


def test_gains_of_many_examples_keep_their_digits():
    """Against the sum over pairs in extended precision, with ties and weights of all sizes."""
    rng = np.random.default_rng(0)
    y = rng.random(4000) < 0.3
    score = np.where(rng.random(4000) < 0.5, rng.random(4000), np.round(rng.random(4000), 2))
    weight = 10.0 ** rng.uniform(-6, 6, 4000)
    gains = np.maximum(score[y].astype(np.longdouble)[:, None] - score[~y], 0)
    wp, wn = weight[y].astype(np.longdouble), weight[~y].astype(np.longdouble)
    expected = float(wp @ gains @ wn / (wp.sum() * wn.sum()))
    assert sm.scor_auc_score(y, score, sample_weight=weight) == pytest.approx(expected, rel=1e-12)
    assert sm.scor_auc_score(y, score) == pytest.approx(float(gains.mean()), rel=1e-12)


BANDS = [(0, 1), (0, 0.1), (0.2, 0.7), (0.35, 0.36), (0.9, 1), (0, 1e-3)]


def integral(x, y, low, high):
    """Integrate the polygon through (x, y) exactly: by the mid-points between all its corners."""
    corners = np.unique(np.concatenate([[low, high], x[(x > low) & (x < high)]]))
    middles = (corners[1:] + corners[:-1]) / 2
    return math.fsum(np.diff(corners) * np.interp(middles, x, y))


@each("family", SETS)
@pytest.mark.parametrize("band", BANDS, ids=str)
def test_partial_auc_is_the_integral_of_the_curve(family, band):
    low, high = band
    below = (high**2 - low**2) / 2
    for seed in range(6):
        y, score, weight = sample(family, seed)
        options = {"sample_weight": weight}
        fpr, tpr, _ = sklearn.metrics.roc_curve(y, score, drop_intermediate=False, **options)
        for name, area, least in (
            ("fpr", integral(fpr, tpr, low, high), below),
            ("tpr", integral(tpr, 1 - fpr, low, high), high - low - below),
        ):
            given = {name: band, **options}
            found = sm.partial_roc_auc_score(y, score, **given)
            assert found == pytest.approx(area, abs=1e-12)
            standardised = (1 + (area - least) / (high - low - least)) / 2
            found = sm.partial_roc_auc_score(y, score, standardize=True, **given)
            assert found == pytest.approx(standardised, rel=1e-10, abs=1e-10)


def test_partial_auc_of_the_perfect_and_of_the_constant_score():
    y = [1, 1, 0, 0, 0]
    for options in [{name: band} for band in BANDS for name in ("fpr", "tpr")]:
        options["standardize"] = True
        assert sm.partial_roc_auc_score(y, [4, 3, 2, 1, 0], **options) == pytest.approx(1)
        assert sm.partial_roc_auc_score(y, [0.5] * 5, **options) == pytest.approx(0.5)
    whole = sm.roc_auc_score(y, [3, 1, 2, 1, 0])
    for standardize in (False, True):
        found = sm.partial_roc_auc_score(y, [3, 1, 2, 1, 0], standardize=standardize)
        assert found == pytest.approx(whole)


@each("family", SETS)
def test_precision_recall_areas_as_in_scikit_learn(family):
    for seed in range(6):
        y, score, weight = sample(family, seed)
        given = {"sample_weight": weight}
        precision, recall, _ = sklearn.metrics.precision_recall_curve(y, score, **given)
        found = sm.pr_auc_score(y, score, interpolation="linear", **given)
        assert found == pytest.approx(sklearn.metrics.auc(recall, precision), abs=1e-12)
        expected = sklearn.metrics.average_precision_score(y, score, **given)
        assert sm.average_precision_score(y, score, **given) == pytest.approx(expected, abs=1e-12)


def test_break_even_point_by_hand():
    assert sm.break_even_point([1, 1, 0, 0], [4, 3, 2, 1]) == 1
    assert sm.break_even_point([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) == 0.5
    # Three tie at the top of two positives: precision 2/3, recall 1; no cut below counts.
    assert sm.break_even_point([1, 1, 0, 0], [2, 2, 2, 1]) == pytest.approx((2 / 3 + 1) / 2)
    # One cut above finds nothing; the next has precision 1/3 and recall 1.
    assert sm.break_even_point([1, 0, 0], [1, 3, 2]) == pytest.approx((1 / 3 + 1) / 2)
    # Of three positives two are called, or five rows: 1 and 2/3 are closer than 3/5 and 1.
    assert sm.break_even_point([1, 1, 0, 0, 1], [3, 3, 2, 2, 2]) == pytest.approx((1 + 2 / 3) / 2)
    # One is called, or four rows: 3/4 and 1 are closer than 1 and 1/3.
    assert sm.break_even_point([1, 1, 1, 0], [3, 2, 2, 2]) == pytest.approx((3 / 4 + 1) / 2)


MEMBERS = [row.name for row in list_metrics() if row.family == "AUC variants"]
PARAMETERS = {"q": 0.4, "beta": 3.0, "floor": 0.3, "auc_power": 0.5, "margin_power": 0.25}


@pytest.mark.parametrize("parameters", [{}, PARAMETERS, {"difference": np.sign}])
@pytest.mark.parametrize("weighted", [False, True])
def test_family_is_its_members(parameters, weighted):
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 60), rng.random(60).round(2)
    given = {**parameters, **({"sample_weight": rng.uniform(0.1, 3, 60)} if weighted else {})}
    family = auc_family(y, score, **given)
    assert len(family) == len(MEMBERS) - ("difference" not in parameters)
    for name in {*family} & {*MEMBERS}:
        own = {key: value for key, value in given.items() if key in METRICS[name].options}
        assert family[name] == METRICS[name](y, score, **own)


def test_a_variant_that_is_declared_again_is_taken_as_it_is_now():
    def passing_variant_score(r):
        """The share of won pairs."""
        return r.win_share

    y, score = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]
    sm.declare("values", family="others")(passing_variant_score)
    assert "passing_variant" not in auc_family(y, score)
    sm.declare("values", family="AUC variants")(passing_variant_score)
    assert auc_family(y, score)["passing_variant"] == 1
