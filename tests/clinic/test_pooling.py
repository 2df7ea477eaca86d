"""Metrics of sites and published studies, pooled: against metafor, by hand, and bad input."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

from skaucx import evaluation, metrics
from skaucx.clinic import (
    SitesDisplay,
    bivariate_summary,
    compare_study_tests,
    evaluate_sites,
    evaluate_studies,
    pool_estimates,
)
from skaucx.displays import ForestDisplay
from skaucx.inference import interval

R = json.loads((Path(__file__).parents[1] / "data" / "clinical_values.json").read_text())
RNG = np.random.default_rng(5)


def test_pooled_estimates_of_metafor():
    for name, found in R["pools"].items():
        own = pool_estimates(found["yi"], found["sei"], prediction="t")
        close, k = {"rel": 1e-6, "abs": 1e-9}, len(found["yi"])
        # metafor has no floor: estimates that are alike have the variance of the fixed-effect model
        half = stats.t.ppf(0.975, k - 1) / math.sqrt(sum(1 / s**2 for s in found["sei"]))
        spread = max(half, (found["high"] - found["low"]) / 2) / (
            (found["high"] - found["low"]) / 2
        )
        assert (spread > 1) == (name == "alike")
        assert own.estimate == pytest.approx(found["estimate"], **close), name
        for value, key in [(own.low, "low"), (own.high, "high")]:
            end = found["estimate"] + spread * (found[key] - found["estimate"])
            assert value == pytest.approx(end, **close), (name, key)
        assert own.tau**2 == pytest.approx(found["tau2"], **close)
        assert own.q == pytest.approx(found["q"], **close)
        assert 100 * own.i2 == pytest.approx(found["i2"], **close)
        # metafor's prediction interval has t with k - 1 degrees of freedom, Debray's k - 2
        ratio = stats.t.ppf(0.975, k - 2) / stats.t.ppf(0.975, k - 1)
        reach = (found["pi_high"] - found["pi_low"]) / 2 * ratio * spread  # spread > 1: tau is 0
        assert (own.prediction_high - own.prediction_low) / 2 == pytest.approx(reach, **close)


def test_a_pooled_interval_is_never_shorter_than_that_of_the_fixed_effect_model():
    """Estimates that are alike, of two sites or many, and for a new site."""
    rng = np.random.default_rng(0)
    for k in (2, 3, 5, 12):
        for spread in (0.0, 0.01, 0.1, 0.5):
            y, error = rng.normal(0, spread, k), rng.uniform(0.1, 0.3, k)
            for prediction in ("bootstrap", "t"):
                own = pool_estimates(y, error, prediction=prediction)
                least = stats.t.ppf(0.975, k - 1) / math.sqrt((1 / error**2).sum())
                assert own.high - own.estimate >= least * (1 - 1e-9), (k, spread)
                short = math.isclose(own.high - own.estimate, least, rel_tol=1e-9)
                assert short == ("fixed-effect" in own.note)
                assert (k == 2) == ("two sites" in own.note)
                if k > 2:  # quantiles of 4096 points
                    new = own.prediction_high - own.prediction_low
                    assert new >= (own.high - own.low) * 0.99, (k, spread, prediction)
    # three AUCs of standard error .035: the fixed-effect half-width is .04
    own = pool_estimates([0.7763, 0.7770, 0.7766], [0.035, 0.037, 0.03], scale="logit")
    assert own.low < 0.69
    assert own.prediction_low < 0.69
    both = pool_estimates([0.77, 0.775], [0.035, 0.035], scale="logit").note
    assert "two sites" in both
    assert "fixed-effect" in both


def test_prediction_interval_by_random_draws_of_equal_standard_errors():
    """With equal standard errors tau squared has a confidence distribution in closed form."""
    y, error, draws = np.array([0.1, 0.5, -0.2, 0.4, 0.9]), 0.2, 400_000
    rng = np.random.default_rng(0)
    squares = ((y - y.mean()) ** 2).sum()
    tau2 = np.maximum(squares / rng.chisquare(4, draws) - error**2, 0)
    new = y.mean() + rng.normal(size=draws) * np.sqrt(tau2)
    new += rng.standard_t(4, draws) * np.sqrt(squares / 4 / 5)
    own = pool_estimates(y, np.full(5, error))
    found = own.prediction_low, own.prediction_high
    np.testing.assert_allclose(found, np.quantile(new, [0.025, 0.975]), atol=0.015)
    with pytest.raises(ValueError, match="prediction"):
        pool_estimates(y, np.full(5, error), prediction="normal")


def test_pooling_says_what_few_sites_allow():
    one = pool_estimates([0.72], [0.02], scale="logit")
    assert "one site" in one.note
    assert np.isnan(one.prediction_low)
    assert one.low < 0.72 < one.high
    two = pool_estimates([0.72, 0.8], [0.02, 0.02], scale="logit")
    assert "two sites" in two.note
    assert np.isnan(two.prediction_low)
    for bad in ([1.0, 0.5], [0.5, np.nan]):
        with pytest.raises(ValueError, match="estimates"):
            pool_estimates(bad, [0.1, 0.1], scale="logit")


def test_sites_of_one_class_are_named_and_left_out():
    rng = np.random.default_rng(0)
    p, sites = rng.random(800), np.repeat(["a", "b", "c", "d"], 200)
    y = np.where((rng.random(800) < p) & (sites != "d"), "ill", "well")
    found = evaluate_sites(y, p, sites=sites, threshold=0.3, pos_label="ill")
    assert found.notes[0] == "Site d has only the class well and is left out."
    assert found.pooled["roc_auc"].n_sites == 3
    rows = sites == "b"
    own = interval("roc_auc", y[rows], p[rows], pos_label="ill")
    assert found.intervals["roc_auc"]["b"].low == own.low
    calls = np.where(p >= 0.3, "ill", "well")
    benefit = metrics.net_benefit(y[rows], calls[rows], threshold=0.3, pos_label="ill")
    assert found.intervals["net_benefit"]["b"].estimate == pytest.approx(benefit)
    assert (
        found.to_frame().loc[("roc_auc", "pooled"), "estimate"] == found.pooled["roc_auc"].estimate
    )
    drawn = SitesDisplay.from_sites(found, "roc_auc")
    assert drawn.rows_ == ["a", "b", "c", "pooled", "new site"]
    assert drawn.diamond_.get_xy()[:, 0].max() == pytest.approx(found.pooled["roc_auc"].high)


def test_bad_sites_have_a_note_or_an_error_with_their_name():
    rng = np.random.default_rng(0)
    sites, p = np.repeat(list("abcd"), 100), rng.random(400)
    y = (rng.random(400) < p).astype(int)
    at = sites == "a"
    cases = {
        "separated": (
            np.where(at, p > 0.5, y),
            p,
            ["Site a has no standard error of roc_auc (1.0000)"],
        ),
        "one positive": (np.where(at, np.arange(400) == 3, y), p, ["of roc_auc (0."]),
        "all 0": (
            y,
            np.where(at, 0.0, p),
            ["of observed_expected_ratio (nan)", "of calibration_slope"],
        ),
        "0 and 1": (y, np.where(p < 0.05, 0.0, np.where(p > 0.95, 1.0, p)), []),
        "one class": (np.where(at, 0, y), p, ["Site a has only the class 0"]),
    }
    for name, (truth, risk, told) in cases.items():
        found = evaluate_sites(truth.astype(int), risk, sites=sites, threshold=0.3)
        notes = " ".join(found.notes)
        assert all(each in notes for each in told), (name, notes)
        for metric, pool in found.pooled.items():
            assert np.isfinite([pool.estimate, pool.low, pool.high]).all(), (name, metric)
            assert pool.n_sites == len(found.intervals[metric]) >= 3, (name, metric)
    two = evaluate_sites(y[:200], p[:200], sites=sites[:200])
    assert "two sites" in " ".join(two.notes)
    assert not any("new site" in str(row) for row in two.to_frame().to_numpy())
    one = evaluate_sites(y[:100], p[:100], sites=sites[:100], metrics="roc_auc")
    assert one.notes == ("Pooled ROC AUC: one site: its own interval.",)
    with pytest.raises(ValueError, match=r"two classes.*4: Site a"):
        evaluate_sites(np.zeros(400, dtype=int), p, sites=sites)
    for bad in (np.nan, 1.5):
        with pytest.raises(ValueError, match="Site c: "):
            evaluate_sites(y, np.where(np.arange(400) == 250, bad, p), sites=sites)
    with pytest.raises(ValueError, match="groups"):
        evaluate_sites(y, p, sites=np.where(at, None, sites.astype(object)))
    twice = evaluate_sites(y.repeat(2), p.repeat(2), sites=sites.repeat(2), metrics="roc_auc")
    weighted = evaluate_sites(y, p, sites=sites, metrics="roc_auc", sample_weight=np.full(400, 2))
    for site, own in weighted.intervals["roc_auc"].items():
        assert own.estimate == pytest.approx(twice.intervals["roc_auc"][site].estimate)


def test_every_metric_of_published_studies():
    pandas = pytest.importorskip("pandas")
    cells = {name: list(column) for name, column in R["bivariate"]["studies"].items()}
    k = len(cells["tp"])
    frame = pandas.DataFrame(cells, index=[f"study {i}" for i in range(k)])
    found = evaluate_studies(frame, intervals=True)
    assert list(found) == list(frame.index)
    assert list(evaluate_studies(frame[["fp", "tn", "tp", "fn"]])) == list(frame.index)
    for name, row in frame.iterrows():
        own = evaluation.evaluate(
            counts=metrics.Counts(row.tp, row.fp, row.fn, row.tn), intervals=True
        )
        assert dict(found[name]) == dict(own)
        for metric in ("recall", "specificity", "f1"):
            assert found[name].intervals[metric].low == own.intervals[metric].low
    tp, fn = sum(cells["tp"]), sum(cells["fn"])
    assert found.overall["recall"] == pytest.approx(tp / (tp + fn))
    assert ForestDisplay.from_evaluation(found).rows_[0] == "recall"
    # four studies as a bare array stay a confusion table of four classes
    square = frame[["tp", "fp", "fn", "tn"]].to_numpy()[:4]
    for table in (square, pandas.DataFrame(square, columns=list("abcd"))):
        assert "recall" in evaluation.evaluate(counts=table)
    empty = evaluate_studies({"tp": [0, 3], "fp": [5, 1], "fn": [4, 0], "tn": [0, 9]},
                             metrics=["recall", "diagnostic_odds_ratio"], intervals=True)  # fmt: skip
    low, high = empty[0].intervals["recall"]
    assert (low, empty[0]["recall"]) == (0, 0)
    assert high > 0.2
    for bad, message in (
        ({"studies": frame, "y_true": [1]}, "y_true"),
        ({"studies": {"tp": [1]}}, "missing"),
        ({"studies": frame.assign(fp=-1)}, "study 0"),
        ({"studies": pandas.concat([frame, frame])}, "names that differ"),
    ):
        with pytest.raises(ValueError, match=message):
            evaluate_studies(**bad)


def test_bivariate_model_of_metafor():
    found = R["bivariate"]
    own = bivariate_summary(found["studies"])
    assert own.mean == pytest.approx(np.array(found["mean"]), abs=1e-5)
    assert own.covariance == pytest.approx(np.array(found["covariance"]), abs=1e-5)
    assert np.diag(own.between) == pytest.approx(np.array(found["tau2"]), abs=1e-5)
    rho = own.between[0, 1] / np.sqrt(own.between[0, 0] * own.between[1, 1])
    assert rho == pytest.approx(found["rho"], abs=1e-4)
    fpr, tpr = own.region()
    assert fpr.min() < 1 - own.specificity[0] < fpr.max()
    assert tpr.min() < own.sensitivity[0] < tpr.max()
    wide = own.region(prediction=True)
    assert np.ptp(wide[0]) > np.ptp(fpr)


def test_studies_with_empty_cells_and_without_a_class():
    studies = {name: list(cells) for name, cells in R["bivariate"]["studies"].items()}
    studies["fn"][2] = 0
    assert "1/2 is added" in bivariate_summary(studies).notes[0]
    studies["tp"][2] = 0
    with pytest.raises(ValueError, match="Study 2"):
        bivariate_summary(studies)
    with pytest.raises(ValueError, match="Study Roy"):
        bivariate_summary(
            studies | {"study": ["Lee", "Wu", "Roy", *map(str, range(len(studies["tp"]) - 3))]}
        )
    with pytest.raises(ValueError, match="study 1 has"):
        bivariate_summary(studies | {"fp": [3, np.nan, *studies["fp"][2:]]})
    with pytest.raises(ValueError, match="missing"):
        bivariate_summary({"tp": [1]})
    with pytest.raises(ValueError, match="three studies"):
        bivariate_summary({name: [5, 5] for name in ("tp", "fp", "fn", "tn")})


def test_comparison_of_two_tests_over_studies():
    rng = np.random.default_rng(0)

    def drawn(sensitivity, specificity, k=8):
        tp = rng.binomial(100, special.expit(special.logit(sensitivity) + rng.normal(0, 0.3, k)))
        tn = rng.binomial(200, special.expit(special.logit(specificity) + rng.normal(0, 0.3, k)))
        return {"tp": tp, "fn": 100 - tp, "tn": tn, "fp": 200 - tn}

    assert compare_study_tests(drawn(0.8, 0.8), drawn(0.8, 0.8))[1] > 0.05
    assert compare_study_tests(drawn(0.9, 0.8), drawn(0.7, 0.8))[1] < 0.01


def test_two_sites_have_the_variance_between_them_that_maximises_the_likelihood():
    """Of two estimates with one variance v it is d^2 / 2 - v, and I2 its share."""
    found = pool_estimates([0.0, 1.0], [0.5, 0.5])
    assert found.tau**2 == pytest.approx(0.5 - 0.25, abs=1e-6)
    assert found.i2 == pytest.approx(0.5, abs=1e-5)
    alone = pool_estimates([0.7], [0.1])
    assert (alone.tau, alone.i2, alone.estimate) == (0.0, 0.0, 0.7)


def test_a_site_is_evaluated_at_a_threshold_whichever_class_is_positive():
    y = np.array(["ill", "well"] * 30)
    p = np.where(y == "ill", 0.7, 0.2) + RNG.uniform(-0.25, 0.25, 60)
    sites = np.repeat(["a", "b", "c"], 20)
    for positive in ("ill", "well"):
        own = p if positive == "ill" else 1 - p
        found = evaluate_sites(
            y, own, sites=sites, metrics=["roc_auc"], threshold=0.4, pos_label=positive
        )
        for site in "abc":
            hits, calls = (y == positive)[sites == site], (own >= 0.4)[sites == site]
            wanted = (calls & hits).mean() - (calls & ~hits).mean() * 0.4 / 0.6
            assert found.intervals["net_benefit"][site].estimate == pytest.approx(wanted)


STUDIES = [(47, 9, 19, 101), (30, 11, 6, 80), (52, 20, 9, 150), (12, 4, 5, 30), (70, 33, 12, 211)]


def test_a_region_of_studies_is_an_ellipse_of_chi_squared_around_the_mean():
    found = bivariate_summary(
        dict(zip(("tp", "fp", "fn", "tn"), np.transpose(STUDIES), strict=True))
    )
    fpr, tpr = found.region(n_points=60)
    at = np.stack([stats.logistic.ppf(tpr), stats.logistic.ppf(fpr)]) - found.mean[:, None]
    distance = np.einsum("in,ij,jn->n", at, np.linalg.inv(found.covariance), at)
    np.testing.assert_allclose(distance, stats.chi2.ppf(0.95, 2), rtol=1e-6)
    np.testing.assert_allclose(at[:, 0], at[:, -1], atol=1e-9)  # once around
    assert at[:, :-1].sum(axis=1) == pytest.approx([0, 0], abs=1e-9)
    for (middle, low, high), mean, variance in zip(
        (found.sensitivity, [1 - found.specificity[k] for k in (0, 2, 1)]),
        found.mean, np.diag(found.covariance), strict=True,
    ):  # fmt: skip
        ends = stats.logistic.ppf([middle, low, high])
        half = 1.959964 * math.sqrt(variance)
        np.testing.assert_allclose(ends, [mean, mean - half, mean + half], rtol=1e-5)


def test_weighted_sites_have_the_same_intervals_again_by_a_seed():
    y, p = RNG.integers(0, 2, 90), RNG.random(90)
    given = {"sites": np.repeat(["a", "b", "c"], 30), "sample_weight": RNG.random(90) + 0.5}
    one, other = (evaluate_sites(y, p, threshold=0.3, random_state=3, **given) for _ in range(2))
    assert repr(one) == repr(other)


@pytest.mark.parametrize("k", [2, 3, 12])
def test_the_mean_of_these_sites_needs_no_model_of_how_they_differ(k):
    """Mean and standard error of k independent estimates, on the scale; nothing of a new site."""
    rng = np.random.default_rng(k)
    auc, error = rng.uniform(0.6, 0.9, k), rng.uniform(0.01, 0.03, k)
    found = pool_estimates(auc, error, scale="logit", model="these_sites")
    middle = special.logit(auc).mean()
    reach = 1.959964 * np.sqrt(np.sum((error / (auc * (1 - auc))) ** 2)) / k
    ends = special.expit([middle, middle - reach, middle + reach])
    assert [found.estimate, found.low, found.high] == pytest.approx(ends, rel=1e-6)
    assert np.isnan([found.prediction_low, found.prediction_high]).all()
    assert "not of others" in found.note
    assert "a new site" not in repr(found)
    random = pool_estimates(auc, error, scale="logit")
    assert (found.tau, found.q) == (random.tau, random.q)
    with pytest.raises(ValueError, match="model"):
        pool_estimates(auc, error, model="fixed")


def test_sites_are_pooled_by_the_model_that_is_named():
    rng = np.random.default_rng(0)
    y, p, site = rng.integers(0, 2, 600), rng.random(600), np.arange(600) % 3
    found = evaluate_sites(y, p, sites=site, metrics=["roc_auc"], model="these_sites")
    each = found.intervals["roc_auc"].values()
    own = pool_estimates(
        [one.estimate for one in each],
        [one.standard_error for one in each],
        scale="logit",
        model="these_sites",
    )
    assert (found.pooled["roc_auc"].low, found.pooled["roc_auc"].high) == (own.low, own.high)
