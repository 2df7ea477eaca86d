"""Every AUC variant against the plain double loop over pairs, and areas against integration."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import sklearn.metrics

from skaucx import metrics as sm
from skaucx.metrics import auc_family, list_metrics
from skaucx.metrics._pairs.ranking import RankedScores
from skaucx.metrics._pairs.replicates import SortedScores
from skaucx.metrics._pairs.sets import ScoreSets
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.row import apply
from tests.each import each
from tests.metrics.pair_sets import score_set

Q, BETA, FLOOR, AUC_POWER, MARGIN_POWER = 1 / 7, 7.0, 0.5, 9 / 10, 1 / 16


# Of scores within [0, 1].
SETS = [
    "uniform", "two decimals", "clustered", "two clusters", "tiny to one", "reversed", "separated",
    "one positive", "one negative", "constant",
]  # fmt: skip


class Pairs:
    """All pairs of a set, as Python floats."""

    def __init__(self, y, score, weight=None):
        score, y = score.tolist(), y.tolist()
        weight = [1.0] * len(y) if weight is None else weight.tolist()
        rows = list(zip(y, score, weight, strict=True))
        self.positives = [(s, w) for truth, s, w in rows if truth]
        self.negatives = [(s, w) for truth, s, w in rows if not truth]
        self.span = max(score) - min(score)
        self.margin = min(self.positives)[0] - max(self.negatives)[0]

    def mean(self, h):
        """Return the mean of h(p, n) and of its absolute value."""
        terms = [
            (wp * wn * h(p, n), wp * wn)
            for (p, wp), (n, wn) in itertools.product(self.positives, self.negatives)
        ]
        total = math.fsum(weight for _, weight in terms)
        size = math.fsum(abs(term) for term, _ in terms) / total
        return math.fsum(term for term, _ in terms) / total, size


def logistic(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def mm1(pairs):
    return lambda p, n: max(p - n, 0) / pairs.span if pairs.span else 0.0


def mm4(pairs):
    return lambda p, n: max((p - n) / pairs.span, FLOOR) if p > n else 0.0


MEANS = {
    "roc_auc": (sm.roc_auc_score, lambda pairs: lambda p, n: (p > n) + 0.5 * (p == n)),
    "roc_auc-win": (
        lambda *a, **k: sm.roc_auc_score(*a, **k, ties="win"),
        lambda pairs: lambda p, n: float(p >= n),
    ),
    "roc_auc-loss": (
        lambda *a, **k: sm.roc_auc_score(*a, **k, ties="loss"),
        lambda pairs: lambda p, n: float(p > n),
    ),
    "prob_auc": (sm.prob_auc_score, lambda pairs: lambda p, n: (p + (1 - n)) / 2),
    "scor_auc": (sm.scor_auc_score, lambda pairs: lambda p, n: max(p - n, 0)),
    "sond_auc": (sm.sond_auc_score, lambda pairs: lambda p, n: (p - n) ** Q if p > n else 0.0),
    "sond_auc-1": (
        lambda *a, **k: sm.sond_auc_score(*a, **k, q=1),
        lambda pairs: lambda p, n: max(p - n, 0),
    ),
    "sond_auc-0": (
        lambda *a, **k: sm.sond_auc_score(*a, **k, q=0),
        lambda pairs: lambda p, n: float(p > n),
    ),
    "sond_auc-half": (
        lambda *a, **k: sm.sond_auc_score(*a, **k, q=0.5),
        lambda pairs: lambda p, n: math.sqrt(max(p - n, 0)),
    ),
    "soft_auc": (sm.soft_auc_score, lambda pairs: lambda p, n: logistic(BETA * (p - n))),
    "soft_auc-steep": (
        lambda *a, **k: sm.soft_auc_score(*a, **k, beta=1e4),
        lambda pairs: lambda p, n: logistic(1e4 * (p - n)),
    ),
    "mm1_auc": (sm.mm1_auc_score, mm1),
    "mm4_auc": (sm.mm4_auc_score, mm4),
    "mm4_auc-floor-0": (lambda *a, **k: sm.mm4_auc_score(*a, **k, floor=0), mm1),
    "mm4_auc-floor-1": (
        lambda *a, **k: sm.mm4_auc_score(*a, **k, floor=1),
        lambda pairs: lambda p, n: float(p > n),
    ),
    "mm11_auc": (sm.mm11_auc_score, lambda pairs: lambda p, n: p - n),
    "gini": (sm.gini_score, lambda pairs: lambda p, n: float((p > n) - (p < n))),
    "pairwise_auc": (
        lambda *a, **k: sm.pairwise_auc_score(*a, **k, difference=np.cbrt),
        lambda pairs: lambda p, n: math.cbrt(p - n),
    ),
}  # fmt: skip


def sample(family, seed, n=41):
    p, q, *weights = score_set(family, n + seed, weighted=bool(seed % 2))
    turn = np.random.default_rng(seed).permutation(len(p) + len(q))
    weight = np.concatenate(weights)[turn] if seed % 2 else None
    return (np.arange(len(turn)) < len(p))[turn], np.concatenate([p, q])[turn], weight


@each("family", SETS)
@pytest.mark.parametrize("measure", MEANS)
def test_mean_over_pairs(family, measure):
    function, difference = MEANS[measure]
    for seed in range(6):
        y, score, weight = sample(family, seed)
        pairs = Pairs(y, score, weight)
        expected, size = pairs.mean(difference(pairs))
        assert abs(function(y, score, sample_weight=weight) - expected) <= 1e-12 * size


@each("family", SETS)
def test_mm6_and_mm7(family):
    for seed in range(6):
        y, score, weight = sample(family, seed)
        pairs = Pairs(y, score, weight)
        mm4_mean, _ = pairs.mean(mm4(pairs))
        wins, _ = pairs.mean(lambda p, n: float(p > n))
        damping = pairs.margin**MARGIN_POWER if pairs.margin > 0 else 1.0
        mm6 = mm4_mean**AUC_POWER * damping
        assert sm.mm6_auc_score(y, score, sample_weight=weight) == pytest.approx(mm6, rel=1e-12)
        mm7 = sm.mm7_auc_score(y, score, sample_weight=weight)
        assert mm7 == pytest.approx(mm6 * wins, rel=1e-12)
        other = {"floor": 0.2, "auc_power": 2, "margin_power": 1 / 100}
        low_floor, _ = pairs.mean(
            lambda p, n: max((p - n) / pairs.span, 0.2) if p > n else 0.0  # noqa: B023
        )
        damping = pairs.margin ** (1 / 100) if pairs.margin > 0 else 1.0
        mm6 = sm.mm6_auc_score(y, score, sample_weight=weight, **other)
        assert mm6 == pytest.approx(low_floor**2 * damping, rel=1e-12)


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
    p, n = score[y].astype(np.longdouble), score[~y].astype(np.longdouble)
    wp, wn = weight[y].astype(np.longdouble), weight[~y].astype(np.longdouble)
    gains = np.maximum(p[:, None] - n, 0)
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
    width = high - low
    for seed in range(6):
        y, score, weight = sample(family, seed)
        fpr, tpr, _ = sklearn.metrics.roc_curve(
            y, score, sample_weight=weight, drop_intermediate=False
        )
        above = integral(fpr, tpr, low, high)
        options = {"sample_weight": weight}
        found = sm.partial_roc_auc_score(y, score, fpr=band, **options)
        assert found == pytest.approx(above, abs=1e-12)
        right = integral(tpr, 1 - fpr, low, high)
        found = sm.partial_roc_auc_score(y, score, tpr=band, **options)
        assert found == pytest.approx(right, abs=1e-12)
        for name, area, least in (
            ("fpr", above, (high**2 - low**2) / 2),
            ("tpr", right, width - (high**2 - low**2) / 2),
        ):
            standardised = (1 + (area - least) / (width - least)) / 2
            found = sm.partial_roc_auc_score(y, score, **{name: band}, standardize=True, **options)
            assert found == pytest.approx(standardised, rel=1e-10, abs=1e-10)


def test_partial_auc_of_the_perfect_and_of_the_constant_score():
    y = [1, 1, 0, 0, 0]
    for band, name in itertools.product(BANDS, ("fpr", "tpr")):
        options = {name: band, "standardize": True}
        assert sm.partial_roc_auc_score(y, [4, 3, 2, 1, 0], **options) == pytest.approx(1)
        assert sm.partial_roc_auc_score(y, [0.5] * 5, **options) == pytest.approx(0.5)
    for standardize in (False, True):  # of the whole curve both are the area
        assert sm.partial_roc_auc_score(
            y, [3, 1, 2, 1, 0], standardize=standardize
        ) == pytest.approx(sm.roc_auc_score(y, [3, 1, 2, 1, 0]))


@each("family", SETS)
def test_precision_recall_areas_as_in_scikit_learn(family):
    for seed in range(6):
        y, score, weight = sample(family, seed)
        precision, recall, _ = sklearn.metrics.precision_recall_curve(
            y, score, sample_weight=weight
        )
        found = sm.pr_auc_score(y, score, sample_weight=weight, interpolation="linear")
        assert found == pytest.approx(sklearn.metrics.auc(recall, precision), abs=1e-12)
        expected = sklearn.metrics.average_precision_score(y, score, sample_weight=weight)
        found = sm.average_precision_score(y, score, sample_weight=weight)
        assert found == pytest.approx(expected, abs=1e-12)


def break_even_points(y, score):
    """Return the values that the definition allows: one, or two neighbours equally close."""
    positives = int(y.sum())
    cuts = []
    for threshold in sorted(set(score.tolist()), reverse=True):
        called = score >= threshold
        tp = int((called & y).sum())
        if tp:
            cuts.append((int(called.sum()), tp))
    exact = [tp / positives for called, tp in cuts if called == positives]
    if exact:
        return exact
    beside = [cut for cut in cuts if cut[0] < positives][-1:]
    beside += [cut for cut in cuts if cut[0] > positives][:1]
    parts = [(tp / called, tp / positives) for called, tp in beside]
    least = min(abs(precision - recall) for precision, recall in parts)
    return [(p + r) / 2 for p, r in parts if abs(p - r) <= least + 1e-15]


@each("family", SETS)
def test_break_even_point(family):
    for seed in range(30):
        y, score, _ = sample(family, seed)
        score = np.round(score, 1) if seed % 3 else score
        allowed = break_even_points(y, score)
        found = sm.break_even_point(y, score)
        assert min(abs(found - value) for value in allowed) <= 1e-12


def test_break_even_point_by_hand():
    assert sm.break_even_point([1, 1, 0, 0], [4, 3, 2, 1]) == 1
    assert sm.break_even_point([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]) == 0.5
    # Three tie at the top of two positives: precision 2/3, recall 1; no cut below counts.
    assert sm.break_even_point([1, 1, 0, 0], [2, 2, 2, 1]) == pytest.approx((2 / 3 + 1) / 2)
    # One cut above finds nothing; the next has precision 1/3 and recall 1.
    assert sm.break_even_point([1, 0, 0], [1, 3, 2]) == pytest.approx((1 / 3 + 1) / 2)


MEMBERS = [row for row in list_metrics() if row.family == "AUC variants"]
PARAMETERS = {"q": 0.4, "beta": 3.0, "floor": 0.3, "auc_power": 0.5, "margin_power": 0.25}


def function(row):
    return METRICS[row.name]


def taken(row, parameters):
    return {name: value for name, value in parameters.items() if name in row_parameters(row)}


def row_parameters(row):
    return function(row).options


@pytest.mark.parametrize("parameters", [{}, PARAMETERS, {"difference": np.sign}])
@pytest.mark.parametrize("weighted", [False, True])
def test_family_is_its_members(parameters, weighted):
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 60), rng.random(60).round(2)
    given = {**parameters, **({"sample_weight": rng.uniform(0.1, 3, 60)} if weighted else {})}
    family = auc_family(y, score, **given)
    assert len(family) == len(MEMBERS) - ("difference" not in parameters)
    for row in MEMBERS:
        if row.name in family:
            assert family[row.name] == function(row)(y, score, **taken(row, given))


def test_a_variant_that_is_declared_again_is_taken_as_it_is_now():
    def passing_variant_score(r):
        """The share of won pairs."""
        return r.win_share

    y, score = [0, 1, 0, 1], [0.1, 0.4, 0.35, 0.8]
    try:
        sm.declare("values", family="others")(passing_variant_score)
        assert "passing_variant" not in auc_family(y, score)
        sm.declare("values", family="AUC variants")(passing_variant_score)
        assert auc_family(y, score)["passing_variant"] == 1
    finally:
        METRICS.pop("passing_variant", None)
