"""Metrics and sample sizes of prediction models, against rms, metafor, pmsampsize and relplot."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import special, stats

from skaucx import evaluation, inference, metrics
from skaucx.displays import ForestDisplay
from skaucx.inference import (
    bivariate_summary,
    compare_study_tests,
    development_sample_size,
    evaluate_sites,
    interval,
    pool_estimates,
    reliability_curve,
    roc_auc_sample_size,
    validation_sample_size,
)
from skaucx.metrics import calibration
from skaucx.metrics._pairs.isotonic import Graded
from skaucx.metrics._pairs.smoothing import _local, loess, spline

# smECE(p, y) of relplot 1.0.3, by the number of rows
RELPLOT = {"40": 0.063107, "120": 0.06041, "400": 0.04779}
R = json.loads((Path(__file__).parents[1] / "data" / "clinical_values.json").read_text())


def graded(y, p, weight=None):
    weight = np.ones(len(p)) if weight is None else weight
    return Graded.of_rows(np.asarray(y) == 1, np.asarray(p), weight)


def test_measures_of_rms_and_loess_of_r():
    for found in R["risks"].values():
        y, p = np.array(found["y"]), np.array(found["p"])
        close = {"rel": 1e-9, "abs": 1e-12}
        assert loess(graded(y, p))(p) == pytest.approx(np.array(found["loess"]), **close)
        for name in ("ici", "e50", "e90", "eci"):
            own = metrics.get_scorer(f"neg_{_NAMES[name]}")._score_func(y, p)
            assert own == pytest.approx(found[name], **close), name
        assert metrics.nagelkerke_r2_score(y, p) == pytest.approx(found["r2"], rel=1e-9)
        assert metrics.brier_score_loss(y, p) == pytest.approx(found["brier"], rel=1e-9)
        assert metrics.calibration_slope(y, p) == pytest.approx(found["slope"], rel=1e-4)
        if "spline" in found:
            assert spline(graded(y, p))(p) == pytest.approx(np.array(found["spline"]), rel=1e-6)


_NAMES = {
    "ici": "integrated_calibration_index",
    "e50": "e50_calibration_error",
    "e90": "e90_calibration_error",
    "eci": "estimated_calibration_index",
}


def test_weights_repeat_rows_in_smooth_curves():
    rng = np.random.default_rng(0)
    p = rng.random(60).round(3)
    y, times = rng.random(60) < p, rng.integers(1, 4, 60)
    for name in (*_NAMES.values(), "smooth_calibration_error"):
        metric = getattr(calibration, name, None) or getattr(metrics, name)
        own = metric(y, p, sample_weight=times)
        assert own == pytest.approx(metric(y.repeat(times), p.repeat(times)), rel=1e-10)
        assert own == pytest.approx(metric(y, p, sample_weight=times * 0.37), rel=1e-10)


def test_odd_probabilities_have_a_curve():
    for p in (
        [0.5] * 8,
        [0.0, 1.0] * 4,
        [0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.4, 0.6],
        [0, 0.1, 0.9, 1] * 2,
    ):
        for y in ([0, 1] * 4, [0] * 8):
            value = metrics.integrated_calibration_index(y, p)
            assert 0 <= value <= 1
    # one value that holds most rows
    p = np.r_[np.full(95, 0.3), np.linspace(0.1, 0.9, 5)]
    assert 0 <= calibration.e90_calibration_error(np.arange(100) % 2, p) <= 1


def test_smooth_calibration_error_of_relplot():
    # its grid is coarser
    for n, printed in RELPLOT.items():
        found = R["risks"][n]
        assert calibration.smooth_calibration_error(found["y"], found["p"]) == pytest.approx(
            printed, abs=1e-3
        )


def test_smooth_calibration_error_is_its_definition():
    found = R["risks"]["40"]
    y, p = np.array(found["y"]), np.array(found["p"])
    t = (np.arange(4000) + 0.5) / 4000

    def error(width):
        kernel = sum(
            stats.norm.pdf(t[:, None], sign * p + 2 * k, width)
            for sign in (1, -1)
            for k in (-1, 0, 1)
        )
        return np.abs(kernel @ (y - p) / len(p)).mean()

    value = calibration.smooth_calibration_error(y, p)
    assert error(value) == pytest.approx(value, abs=1e-3)


def test_nagelkerke_is_its_definition():
    y, p = [0, 0, 1, 1, 1], np.array([0.1, 0.4, 0.35, 0.8, 0.6])
    likelihood = np.prod(np.where(np.array(y) == 1, p, 1 - p))
    prior = 0.6**3 * 0.4**2
    snell = 1 - (prior / likelihood) ** (2 / 5)
    assert metrics.nagelkerke_r2_score(y, p, kind="cox-snell") == pytest.approx(snell)
    assert metrics.nagelkerke_r2_score(y, p) == pytest.approx(snell / (1 - prior ** (2 / 5)))


def test_observed_over_expected():
    rng = np.random.default_rng(0)
    p = rng.random(400)
    y = rng.random(400) < p
    weight = rng.random(400)
    ratio = metrics.observed_expected_ratio(y, p, sample_weight=weight)
    assert ratio == pytest.approx((weight * y).sum() / (weight * p).sum())
    found = inference.interval("observed_expected_ratio", y, p)
    # the delta method on the log scale, for a ratio of two means
    error = np.std(y / y.mean() - p / p.mean(), ddof=1) / np.sqrt(400)
    assert np.log(found.high / found.low) == pytest.approx(
        2 * stats.t.ppf(0.975, 399) * error, rel=0.01
    )


def test_development_size_of_pmsampsize():
    # pmsampsize(type = "b", csrsquared = 0.288, parameters = 24, prevalence = 0.174)
    size = development_sample_size(prevalence=0.174, n_parameters=24, r2_cox_snell=0.288)
    assert list(size.criteria.values()) == [623, 662, 221]
    assert (size.total, size.events) == (662, 116)
    # Riley et al. (2020), BMJ: the same by Nagelkerke's R2
    again = development_sample_size(
        prevalence=0.174, n_parameters=24, r2_nagelkerke=size.facts["r2_nagelkerke"]
    )
    assert again.criteria == size.criteria


def test_cox_snell_of_an_auc_is_that_of_simulated_normal_classes():
    rng = np.random.default_rng(0)
    n, share, auc = 200_000, 0.174, 0.81
    y = rng.random(n) < share
    d = np.sqrt(2) * special.ndtri(auc)
    risk = special.expit(special.logit(share) + d * (rng.normal(d * y, 1, n) - d / 2))
    found = development_sample_size(prevalence=share, n_parameters=10, auc=auc)
    assert found.facts["r2_cox_snell"] == pytest.approx(
        metrics.nagelkerke_r2_score(y, risk, kind="cox-snell"), abs=0.005
    )


def test_validation_size_of_pmvalsampsize():
    # the package's tests: 905, 4501 (from 1,000 simulated log-odds), 4252; its O:E takes steps of .0001
    size = validation_sample_size(prevalence=0.018, auc=0.8, linear_predictor=(-5, 2.5), oe_width=1)
    assert size.criteria["O:E ratio"] == pytest.approx(905, abs=1)
    assert size.criteria["calibration slope"] == pytest.approx(4501, rel=0.03)
    assert size.criteria["AUC"] == 4252
    # lpbeta = c(0.5, 0.5): 1641
    risk = stats.beta.ppf((np.arange(20_000) + 0.5) / 20_000, 0.5, 0.5)
    size = validation_sample_size(
        prevalence=0.018, auc=0.8, linear_predictor=special.logit(risk), oe_width=1
    )
    assert size.criteria["calibration slope"] == pytest.approx(1641, rel=0.06)


def test_net_benefit_criterion_is_the_interval_of_a_simulated_sample():
    given = {"prevalence": 0.3, "auc": 0.75, "linear_predictor": (-1.0, 1.0), "threshold": 0.3}
    size = validation_sample_size(**given)
    n = size.criteria["net benefit"]
    rng = np.random.default_rng(0)
    se, sp = size.facts["sensitivity"], size.facts["specificity"]
    y = rng.random((4000, n)) < 0.3
    called = rng.random((4000, n)) < np.where(y, se, 1 - sp)
    benefit = ((called & y).mean(1) - (called & ~y).mean(1) * 0.3 / 0.7) / y.mean(1)
    assert 2 * 1.96 * benefit.std() == pytest.approx(0.2, rel=0.06)


def test_unequal_spread():
    size = roc_auc_sample_size(0.7, null=0.6, ratio=3, variance="binormal", spread=2)
    assert size.power == pytest.approx(0.8, abs=0.005)
    rng = np.random.default_rng(0)
    d, found = special.ndtri(0.7) * np.sqrt(5), 0
    for _ in range(400):
        p, n = rng.normal(d, 2, size.n_positive), rng.normal(0, 1, size.n_negative)
        wins = p[:, None] > n
        error = np.sqrt(wins.mean(1).var(ddof=1) / len(p) + wins.mean(0).var(ddof=1) / len(n))
        found += (wins.mean() - 0.6) / error > 1.96
    assert found / 400 == pytest.approx(0.8, abs=0.06)
    equal = roc_auc_sample_size(0.7, null=0.6, ratio=3, variance="binormal")
    assert equal.total < 0.75 * size.total
    with pytest.raises(ValueError, match="spread"):
        roc_auc_sample_size(0.7, spread=2)


def test_bad_input_of_sizes():
    for options, name in [
        ({"prevalence": 0.2, "n_parameters": 5}, "auc"),
        ({"prevalence": 0.2, "n_parameters": 5, "auc": 0.4}, "auc"),
        ({"prevalence": 0.2, "n_parameters": 0, "auc": 0.7}, "n_parameters"),
        ({"prevalence": 0.01, "n_parameters": 5, "r2_cox_snell": 0.5}, "r2_cox_snell"),
    ]:
        with pytest.raises(ValueError, match=name):
            development_sample_size(**options)
    with pytest.raises(ValueError, match="linear_predictor"):
        validation_sample_size(prevalence=0.2, auc=0.7, linear_predictor=[0.1])


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
    drawn = ForestDisplay.from_sites(found, "roc_auc")
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
    assert "new site" not in str(two)
    one = evaluate_sites(y[:100], p[:100], sites=sites[:100], metrics="roc_auc")
    assert one.notes == ("Pooled roc_auc: one site: its own interval.",)
    with pytest.raises(ValueError, match="No site has two classes, of 4: Site a has only"):
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
    found = evaluation.evaluate(studies=frame, intervals=True)
    assert list(found) == list(frame.index)
    assert list(evaluation.evaluate(counts=frame[["fp", "tn", "tp", "fn"]])) == list(frame.index)
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
    empty = evaluation.evaluate(studies={"tp": [0, 3], "fp": [5, 1], "fn": [4, 0], "tn": [0, 9]},
                             metrics=["recall", "diagnostic_odds_ratio"], intervals=True)  # fmt: skip
    low, high = empty[0].intervals["recall"]
    assert (low, empty[0]["recall"]) == (0, 0)
    assert high > 0.2
    for bad, message in (
        ({"studies": frame, "y_true": [1]}, "y_true does not go"),
        ({"studies": {"tp": [1]}}, "missing"),
        ({"studies": frame.assign(fp=-1)}, "study 0"),
        ({"studies": pandas.concat([frame, frame])}, "names that differ"),
    ):
        with pytest.raises(ValueError, match=message):
            evaluation.evaluate(**bad)


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


def test_smooth_reliability_curves():
    found = R["risks"]["400"]
    y, p = np.array(found["y"]), np.array(found["p"])
    for method, key in (("loess", "loess"), ("spline", "spline")):
        curve = reliability_curve(y, p, method=method)
        order = np.unique(p, return_index=True)[1]
        assert curve.observed == pytest.approx(np.array(found[key])[order], rel=1e-6)
        wide = reliability_curve(y, p, method=method, simultaneous=True, random_state=0)
        assert (wide.low <= curve.low + 1e-12).all()
        assert (wide.high >= curve.high - 1e-12).all()
        assert (wide.high - wide.low).mean() > 1.2 * (curve.high - curve.low).mean()
        assert "pointwise" in curve.label
        assert "simultaneous" in wide.label
        assert wide.seed == 0
    for options, name in [
        ({"method": "isotonic", "simultaneous": True}, "simultaneous"),
        ({"method": "loess", "band": "consistency"}, "consistency"),
        ({"method": "loess", "sample_weight": np.ones(400)}, "sample_weight"),
    ]:
        with pytest.raises(ValueError, match=name):
            reliability_curve(y, p, **options)


def test_bands_of_smooth_curves_cover_a_calibrated_model():
    rng = np.random.default_rng(0)
    at = np.linspace(0.2, 0.8, 7)
    inside, whole = [], []
    for _ in range(150):
        p = rng.beta(2, 2, 400)
        fit = loess(graded(rng.random(400) < p, p))
        low, high = fit.ends(at, 0.95, 0, None)
        inside.append((low <= at) & (at <= high))
        low, high = fit.ends(at, 0.95, 400, rng)
        whole.append(((low <= at) & (at <= high)).all())
    # four standard errors about 95 %
    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)
    assert np.mean(whole) == pytest.approx(0.95, abs=0.07)


def test_local_parabolas_are_those_of_least_squares():
    """The nearest rows, found in rising values by halving, against sorting all distances."""
    rng = np.random.default_rng(3)
    for run in range(30):
        x = np.unique(np.round(rng.random(rng.integers(6, 60)), 1 + run % 3))
        total, rate = rng.integers(1, 4, len(x)).astype(float), rng.random(len(x))
        for at in (x[0] - 0.005, x[len(x) // 2], x[-1] + 0.005):
            fit = _local(x, total, np.append(0, np.cumsum(total)), at, 0.75)
            distance = np.abs(x - at)
            order = np.argsort(distance, kind="stable")
            enough = np.cumsum(total[order]) >= np.floor(0.75 * total.sum() + 1e-5)
            width = max(distance[order[np.argmax(enough)]], distance[order[1]])
            assert fit.width == pytest.approx(width, rel=1e-12)
            weight = total * (1 - np.minimum(distance / width, 1) ** 3) ** 3
            held = weight > 1e-30
            if held.sum() < 4:
                continue
            line = np.polyfit(x[held] - at, rate[held], 2, w=np.sqrt(weight[held]))
            assert fit.of_rates(rate) == pytest.approx(line[:0:-1], rel=1e-5, abs=1e-5)
            assert fit.operator(len(x)) @ rate == pytest.approx(fit.of_rates(rate), rel=1e-8)


def test_the_set_takes_less_than_a_bootstrap_of_the_auc():
    rng = np.random.default_rng(0)
    p = rng.random(10_000)
    y, calls = (rng.random(10_000) < p).astype(int), (p > 0.5).astype(int)

    def least(call):
        took = []
        for _ in range(2):
            start = time.process_time()
            call()
            took.append(time.process_time() - start)
        return min(took)

    whole = least(
        lambda: evaluation.evaluate(y, calls, p, metrics="clinical", intervals=True, threshold=0.5)
    )
    one = least(lambda: interval("roc_auc", y, p, method="percentile", random_state=0))
    assert whole < one
