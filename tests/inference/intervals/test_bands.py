"""Bands of curves: the points of the curve, coverage by simulation, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import precision_recall_curve, roc_curve

from benchmarks import band_coverage as bands
from skaucx.inference import decision_band, precision_recall_band, reliability_curve, roc_band
from skaucx.inference._bands.curves import _RATES, BinormalCoverage, counts_above
from skaucx.inference._intervals.proportions import clopper_pearson


def binormal(n, d, seed):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y, rng.normal(size=n) + d * y


Y, SCORE = binormal(120, 1.2, 0)


def test_the_curve_is_that_of_scikit_learn():
    fpr, tpr, _ = roc_curve(Y, SCORE)
    at = np.linspace(0.01, 0.99, 37)
    band = roc_band(Y, SCORE, fpr=at, n_resamples=20, random_state=0)
    np.testing.assert_allclose(band.tpr, np.interp(at, fpr, tpr), atol=1e-12)
    precision, recall, _ = precision_recall_curve(Y, SCORE)
    band = precision_recall_band(Y, SCORE, recall=recall[:-1], n_resamples=20, random_state=0)
    first = [precision[recall == r][-1] for r in recall[:-1]]
    np.testing.assert_allclose(band.precision[1:], first[1:], atol=1e-12)


@pytest.mark.parametrize("ask", [{}, {"simultaneous": False}, {"method": "dkw"}])
def test_bands_hold_their_curve_and_have_a_width(ask):
    band = roc_band(Y, SCORE, n_resamples=200, random_state=0, **ask)
    assert band.fpr.shape == band.low.shape == (101,)
    assert (band.low <= band.tpr).all()
    assert (band.tpr <= band.high).all()
    assert (band.high > band.low).all()
    assert (band.low >= 0).all()
    assert (band.high <= 1).all()


def test_two_draws_are_enough_and_one_is_not():
    calls = (
        lambda n: roc_band(Y, SCORE, method="bootstrap", n_resamples=n, random_state=0),
        lambda n: decision_band(Y, special.expit(SCORE), n_resamples=n, random_state=0),
        lambda n: reliability_curve(Y, special.expit(SCORE), method="isotonic", n_resamples=n),
    )
    for call in calls:
        assert (call(2).high >= call(2).low).all()
        with pytest.raises(ValueError, match="n_resamples"):
            call(1)


def test_a_simultaneous_band_is_wider():
    for band in (roc_band, precision_recall_band):
        one, all_of_it = (
            band(Y, SCORE, simultaneous=s, n_resamples=300, random_state=0) for s in (False, True)
        )
        assert ((all_of_it.high - all_of_it.low) >= (one.high - one.low)).all()


def test_dkw_at_a_point():
    """50 negatives below 200 positives, 1 - a = .95 a class: fpr strays by 0.192, tpr by 0.096."""
    y, score = np.arange(250) >= 50, np.arange(250) / 250
    band = roc_band(y, score, method="dkw", fpr=[0.0, 0.15, 0.5], confidence_level=0.9025)
    up = np.sqrt(np.log(2 / 0.05) / 400)
    np.testing.assert_allclose(band.low, [0.0, 0.0, 1 - up])
    np.testing.assert_allclose(band.high, [1.0, 1.0, 1.0])


def test_simultaneous_bands_hold_the_true_curve():
    """60 samples of 200: of nominal 95 %, at least 52 hold (three standard errors below)."""
    d, at = 1.2, np.linspace(0.02, 0.98, 25)
    true = special.ndtr(d + special.ndtri(at))
    held = {"bootstrap": 0, "dkw": 0}
    for seed in range(60):
        y, score = binormal(200, d, seed)
        for method in held:
            band = roc_band(y, score, method=method, fpr=at, n_resamples=150, random_state=seed)
            held[method] += bool(((band.low <= true) & (true <= band.high)).all())
    assert held["bootstrap"] >= 52
    assert held["dkw"] == 60


def test_weights_groups_and_missing_classes():
    weighted, plain = (
        roc_band(Y, SCORE, method="bootstrap", n_resamples=50, random_state=0, sample_weight=weight)
        for weight in (np.full(120, 2.0), None)
    )
    np.testing.assert_allclose(weighted.high, plain.high)
    grouped = precision_recall_band(
        Y, SCORE, groups=np.arange(120) // 10, n_resamples=50, random_state=0
    )
    assert (grouped.high >= grouped.low).all()


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        ({"method": "ks"}, "method must be one of"),
        ({"method": "dkw", "simultaneous": False}, "use method='bootstrap'"),
        ({"method": "dkw", "sample_weight": np.ones(120)}, "use method='bootstrap'"),
        ({"fpr": [0.5, 2]}, "fpr must be a vector of numbers in"),
        ({"confidence_level": 1}, "confidence_level must be"),
        ({"simultaneous": "yes"}, "simultaneous must be True or False"),
    ],
)
def test_refusals(ask, message):
    with pytest.raises(ValueError, match=message):
        roc_band(Y, SCORE, **ask)
    with pytest.raises(ValueError, match="one-dimensional"):
        roc_band(Y, np.column_stack([SCORE, SCORE]))


def test_rectangles_do_not_exclude_the_truth_at_the_corners():
    """The true curve of two normal classes starts at (0, 0), wherever the sample's begins to rise."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], 50)
    band = roc_band(y, rng.normal(size=100) + 2.3 * y, random_state=0, n_resamples=200)
    assert band.method == "rectangles"
    assert band.low[0] == 0
    assert band.high[-1] == 1


@pytest.mark.parametrize("make", [roc_band, precision_recall_band])
def test_rectangles_are_free_of_scale_narrower_with_data_and_pointwise(make):
    settings = {"random_state": 0, "n_resamples": 100}
    band, same = make(Y, SCORE, **settings), make(Y, np.exp(SCORE), **settings)
    np.testing.assert_array_equal(band.low, same.low)
    width = np.mean(band.high - band.low)
    more = make(np.tile(Y, 4), np.tile(SCORE, 4) + 1e-9 * np.arange(4 * len(Y)), **settings)
    assert np.mean(more.high - more.low) < 0.7 * width
    pointwise = make(Y, SCORE, simultaneous=False, **settings)
    assert np.mean(pointwise.high - pointwise.low) < 0.9 * width
    half = make(Y, SCORE, simultaneous=False, confidence_level=0.5, **settings)
    assert np.mean(half.high - half.low) < 0.7 * np.mean(pointwise.high - pointwise.low)


def test_a_rectangle_is_clopper_and_pearsons():
    from skaucx.inference._intervals.means import EffectiveSize

    low, high = EffectiveSize(7).ends(np.arange(8) / 7, 0.1)
    known = [stats.binomtest(x, 7).proportion_ci(0.9, "exact") for x in range(8)]
    np.testing.assert_allclose(np.column_stack([low, high]), known)


def test_few_groups_make_a_rectangle_that_of_fewer_rows():
    """Of 66 rows in groups with 5 degrees of freedom (2.5706 / 1.96)^2 times fewer, 38.4."""
    from skaucx.inference._intervals.means import EffectiveSize

    rows = 66 * (1.959964 / 2.570582) ** 2
    known = stats.beta.ppf([0.025, 0.975], rows / 4 + np.arange(2), 0.75 * rows + 1 - np.arange(2))
    assert EffectiveSize(66, 5).ends(np.array(0.25), 0.05) == pytest.approx(known, rel=1e-6)


def test_the_size_of_weighted_rows_is_that_of_the_variance_of_their_share():
    """A row of weight .3 among seven of .1: .3 * .7 / (.3^2 * .7^2 + 7 * .1^2 * .3^2) = .21 / .0504."""
    from skaucx.inference._intervals.means import effective_size

    weight, hit = np.repeat([0.3, 0.1], [1, 7]), np.arange(8) == 0
    found = effective_size(np.array([0.3]), np.array([0.09]), weight, None, [hit])
    assert found.size == pytest.approx([0.21 / 0.0504])
    # By the freedom of its groups, n of the same size have n - 1; it is never below 1.
    for groups in (2, 5):
        codes = np.arange(20) % groups
        found = effective_size(np.array([0.5]), np.array([0.025]), np.full(20, 0.05), codes, [])
        assert found.freedom == pytest.approx(groups - 1)


@pytest.mark.parametrize("method", ["rectangles", "bootstrap", "dkw"])
@pytest.mark.parametrize("make", [roc_band, precision_recall_band])
def test_one_class_is_told(make, method):
    if make is precision_recall_band and method == "dkw":
        return
    with pytest.warns(UndefinedMetricWarning, match="examples of both classes"):
        band = make(np.zeros(5), np.arange(5.0), method=method, n_resamples=10)
    assert np.isnan(band.low).all()
    assert np.isnan(band.high).all()


DESIGNS = ("30 patients of 6, a class a patient", "200 weighted rows", "200 rows, tilted")


def test_bands_of_dependent_and_weighted_rows_hold_whole_curves():
    """25 samples a case: of nominal 95 % at least 22; the bootstrap holds less than half of them."""
    for design in DESIGNS:
        kind, units, size, prevalence = bands.DESIGNS[design]
        for curve in ("ROC", "PR"):
            truth, make = bands.population(curve, 0.95, prevalence, 1.0), bands.ours(curve)
            rng, held = np.random.default_rng(0), 0
            for seed in range(25):
                y, score, given = bands.drawn(rng, kind, units, size, prevalence, 0.95)
                low, high = make(y, score, seed, n_resamples=100, **given)
                held += bool(((low <= truth + 1e-12) & (truth - 1e-12 <= high)).all())
            assert held >= 22, (design, curve, held)


def test_the_prevalence_of_a_precision_recall_band_is_that_of_the_population():
    """At a recall of 1 the precision is the prevalence: unless fixed by design, it has an interval."""
    y, score = np.arange(100) % 4 == 0, np.random.default_rng(0).normal(size=100)
    ends = [
        precision_recall_band(
            y, score, recall=[1.0], n_resamples=50, random_state=0, stratify=fixed
        )
        for fixed in (False, True)
    ]
    assert ends[0].low[0] < 0.2 < ends[1].low[0] == pytest.approx(0.25)


@pytest.mark.parametrize("make", [roc_band, precision_recall_band])
def test_equal_weights_and_lone_rows_change_little(make):
    """Kish's size of equal weights is that of the rows, and groups of one row have no design effect."""
    settings = {"n_resamples": 2000, "random_state": 0}
    plain = make(Y, SCORE, **settings)
    twice = np.repeat(Y, 2), np.repeat(SCORE, 2)
    for (y, score), given in (
        ((Y, SCORE), {"sample_weight": np.full(120, 3.0)}),
        ((Y, SCORE), {"groups": np.arange(120)}),
        (twice, {"groups": np.arange(240) // 2}),
    ):
        other = make(y, score, **given, **settings)
        assert other.method == plain.method == "rectangles"
        assert abs(other.high - plain.high).mean() < 0.02
        assert abs(other.low - plain.low).mean() < 0.02
    few = make(Y, SCORE, groups=np.argsort(np.argsort(SCORE)) // 10, **settings)
    assert np.mean(few.high - few.low) > 1.3 * np.mean(plain.high - plain.low)


def test_a_lone_group_has_no_band():
    with pytest.warns(UndefinedMetricWarning, match="two groups"):
        band = roc_band(Y, SCORE, groups=np.zeros(120), n_resamples=10)
    assert np.isnan(band.low).all()


def test_bands_print_their_target_method_draws_and_seed():
    for make in (roc_band, precision_recall_band):
        for method in ("rectangles", "bootstrap"):
            for whole in (True, False):
                ask = {"method": method, "simultaneous": whole, "n_resamples": 60}
                band = make(Y, SCORE, **ask)
                same = make(Y, SCORE, **ask, random_state=band.seed)
                np.testing.assert_array_equal(band.high, same.high)
                target = "the whole curve" if whole else "each point of the curve separately"
                said = [
                    method,
                    "60 draws",
                    f"seed {band.seed}",
                    f"target: {target} of the population",
                ]
                for face in (repr(band), band._repr_html_()):
                    face = " ".join(face.split())
                    assert [part for part in said if part not in face] == []
                assert ("of whole curves" in band.note) == (whole and method == "bootstrap")
    curve = decision_band(Y, special.expit(SCORE), n_resamples=60, random_state=3)
    assert curve.method == "bootstrap, 60 draws, seed 3"


def test_the_corners_of_positives_decide_which_simulated_curves_stay_inside():
    coverage = BinormalCoverage((7, 9), 0.8, False)
    tables = [clopper_pearson(np.arange(m + 1), m, 1 - _RATES[:, None]) for m in (7, 9)]
    (drawn,) = coverage._draws(40, np.random.default_rng(0))
    right_of, left_of = (coverage._curve(ends) for ends in tables[1][::-1])
    known = []
    for ordered in drawn:
        j, k = counts_above(ordered)
        inside = tables[0][0][:, j] <= right_of[:, k]
        inside &= left_of[:, k] <= tables[0][1][:, j]
        known.append(inside.all(axis=1).sum())
    np.testing.assert_array_equal(coverage._passed(tables, iter([drawn])), known)


def test_reliability_curves_say_that_they_are_pointwise():
    """Intervals of each point by itself, in every face, with the draws and the seed that renews them."""
    proba = special.expit(SCORE)
    for ask in ({}, {"method": "isotonic"}, {"method": "isotonic", "band": "consistency"}):
        found = reliability_curve(Y, proba, n_resamples=30, **ask)
        drawn = f"30 draws, seed {found.seed}" if ask else "binned"
        for face in (repr(found), found._repr_html_()):
            face = " ".join(face.split())
            assert "pointwise" in face
            assert drawn in face
        assert ("<td" in found._repr_html_()) == (not ask)  # a table of bins, else a plot
        if ask:
            same = reliability_curve(Y, proba, n_resamples=30, random_state=found.seed, **ask)
            np.testing.assert_array_equal(found.high, same.high)
