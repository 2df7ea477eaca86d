"""Survival metrics: values of other packages, plain forms, derivatives, every door, and bad input."""

from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import PoissonRegressor
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from skaucx import evaluation, inference, survival
from skaucx import metrics as sm
from skaucx.inference._intervals.closed_forms import influence_values
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.samples import MetricOnSample, sample_of
from skaucx.model_selection import NestedCV, compare_estimators
from skaucx.survival import SurvivalCalibrationDisplay, TimeDependentDisplay
from skaucx.survival._formulas import Cox, cloglog_of_risk, fit_until
from skaucx.survival._kinds import (
    ProductLimit,
    Risks,
    SurvivalFunctions,
    check_survival_functions,
    pair_sums,
)
from tests.annexes import is_there
from tests.closeness import rounding

DATA = Path(__file__).parent
OF_R = json.loads((DATA / "survival_values_r.json").read_text())
OF_PYTHON = json.loads((DATA / "survival_values.json").read_text())
EVENT = {"gbsg2": "cens", "veteran": "status"}
TIMES = [0.3, 0.5, 0.9]
# Every metric with the parameters that it needs.
RISKS = {
    "harrell_c": {},
    "uno_c": {"tau": 1.0},
    "cumulative_dynamic_auc": {"horizon": 0.9},
    "integrated_cumulative_dynamic_auc": {"times": TIMES},
    "royston_d": {},
}
FUNCTIONS = {
    "survival_brier_loss": {"horizon": 0.9},
    "integrated_survival_brier_loss": {"times": TIMES},
    "survival_r2": {"horizon": 0.9},
    "integrated_survival_r2": {"times": TIMES},
    "survival_oe_ratio": {"horizon": 0.9},
    "survival_calibration_slope": {"horizon": 0.9},
    "survival_net_benefit": {"horizon": 0.9, "threshold": 0.5},
}
ALL = RISKS | FUNCTIONS


def real(name):
    """Return a data set of the guide with the risks and probabilities that R was given."""
    own = OF_R[name]
    rows = pd.read_csv(DATA.parents[1] / "examples" / "guide" / "data" / f"{name}.csv")
    y, times = rows[["time", EVENT[name]]].to_numpy(float), np.array(own["times"], dtype=float)
    risk = np.array(own["lp"])
    probability = np.exp(-np.outer(np.exp(risk), (times / (2 * own["horizon"])) ** 1.2))
    return y, risk, pd.DataFrame(probability, columns=times), own


def simulated(n=200, seed=0, ties=False):
    """Return times with events, and predictions of both kinds for each."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    time, end = rng.exponential(np.exp(-x)), rng.exponential(2, n)
    y = np.column_stack([np.minimum(time, end), time <= end])
    if ties:
        y[:, 0], x = np.ceil(10 * y[:, 0]) / 10, np.round(x, 1)
    risk = x + 0.5 * rng.normal(size=n)
    return y, np.round(risk, 1) if ties else risk, np.exp(-np.outer(np.exp(0.7 * x), TIMES))


def second(name, risk, probability):
    """Return the predictions that a metric reads."""
    if name in RISKS:
        return risk
    return probability if "times" in ALL[name] else probability[:, 2]


@pytest.mark.parametrize("name", OF_R)
def test_values_of_r_and_scikit_survival(name):
    """Equal to 1e-10; Royston's D with equal risks, which R scores otherwise, is apart."""
    y, risk, functions, own = real(name)
    other, horizon, times = np.array(own["other"]), own["horizon"], own["times"]
    theirs = OF_PYTHON[name]
    at_times = [{"horizon": t} for t in times]
    brier = [survival.survival_brier_loss(y, functions, **at) for at in at_times]
    auc = [survival.cumulative_dynamic_auc_score(y, risk, **at) for at in at_times]
    half = np.arange(len(y)) % 2 == 0
    moved = y[:, 0] + 0.25 * (1 - y[:, 1])
    part = ~half & (moved < moved[half].max())
    after_training = [
        survival.cumulative_dynamic_auc_score(y[part], risk[part], y_train=y[half], **at)
        for at in at_times
    ]
    at = {"horizon": horizon}
    found = {
        "harrell": survival.harrell_c_score(y, risk),
        "harrell_of_lifelines": survival.harrell_c_score(y, risk),
        "uno": survival.uno_c_score(y, risk),
        "uno_tau": survival.uno_c_score(y, risk, tau=own["tau"]),
        "pair": [survival.harrell_c_score(y, risk), survival.harrell_c_score(y, other)],
        "auc": auc,
        "auc_of_training_part": after_training,
        "integrated_auc": survival.integrated_cumulative_dynamic_auc_score(y, risk, times=times),
        "brier": brier,
        "integrated_brier": survival.integrated_survival_brier_loss(y, functions, times=times),
        "ipa": [survival.survival_r2_score(y, functions, **at) for at in at_times],
        "oe": survival.survival_oe_ratio(y, functions, **at),
        "slope": survival.survival_calibration_slope(y, functions, **at),
        "benefit": survival.survival_net_benefit(y, functions, threshold=own["threshold"], **at),
        "royston": survival.royston_d_score(y, other),
    }
    compared = 0
    for values in (own, theirs):
        for key in found.keys() & values.keys():
            assert found[key] == pytest.approx(values[key], rel=1e-10), key
            compared += 1
    assert compared == 20
    assert abs(found["uno"] - theirs["uno_as_given"]) > 1e-5  # the weights of events at tied times
    assert survival.royston_d_score(y, risk) == pytest.approx(own["royston_of_lp"], rel=0.01)


@pytest.mark.parametrize("name", OF_R)
def test_standard_errors_of_r(name):
    """Those of Harrell's C and of a pair are R's infinitesimal jackknife, with n / (n - 1)."""
    y, risk, functions, own = real(name)
    n, pair = len(y), np.array(own["pair_variance"])
    error = inference.interval("harrell_c", y, risk).standard_error
    assert error == pytest.approx(np.sqrt(own["harrell_variance"] * n / (n - 1)), rel=1e-10)
    found = inference.paired_test("harrell_c", y, risk, np.array(own["other"]))
    variance = pair[0, 0] + pair[1, 1] - 2 * pair[0, 1]
    assert found.standard_error == pytest.approx(np.sqrt(variance * n / (n - 1)), rel=1e-10)
    assert "influence" in found.method
    for t, of_auc, of_brier in zip(own["times"], own["auc_se"], own["brier_se"], strict=True):
        auc = inference.interval("cumulative_dynamic_auc", y, risk, horizon=t)
        assert auc.standard_error == pytest.approx(of_auc, rel=1e-4)
        brier = inference.interval("survival_brier_loss", y, functions, horizon=t)
        assert brier.standard_error == pytest.approx(of_brier, rel=1e-3)


def test_scikit_survival_on_its_own_data():
    """The same metrics on all data sets that come with scikit-survival, where it is installed."""
    datasets = pytest.importorskip("sksurv.datasets")
    theirs = pytest.importorskip("sksurv.metrics")
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    for load in ("load_gbsg2", "load_veterans_lung_cancer", "load_whas500", "load_aids"):
        X, y = getattr(datasets, load)()
        event, time = (y[name] for name in y.dtype.names)
        kept = time > 0
        X = pd.get_dummies(X, drop_first=True).astype(float).fillna(0.0).to_numpy()[kept]
        event, time = event[kept], time[kept].astype(float)
        X = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-9)
        ours, moved = np.column_stack([time, event]), np.where(event, time, time + 0.25)
        given = np.array(
            list(zip(event, moved, strict=True)), dtype=[("event", bool), ("time", float)]
        )
        model = CoxPHSurvivalAnalysis(alpha=1.0).fit(X, given)
        risk, functions = model.predict(X), model.predict_survival_function(X)
        horizon = np.quantile(time[event], 0.5) // 1 + 0.5
        found = theirs.concordance_index_censored(event, time, risk, tied_tol=0)[0]
        assert survival.harrell_c_score(ours, risk) == pytest.approx(found, rel=1e-10)
        found = theirs.concordance_index_ipcw(given, given, risk, tied_tol=0)[0]
        assert survival.uno_c_score(ours, risk) == pytest.approx(found, rel=1e-10)
        found = theirs.cumulative_dynamic_auc(given, given, risk, [horizon], tied_tol=0)[0]
        ours_auc = survival.cumulative_dynamic_auc_score(ours, risk, horizon=horizon)
        assert ours_auc == pytest.approx(found[0], rel=1e-10)
        at = [f(horizon) for f in functions]
        found = theirs.brier_score(given, given, at, [horizon])[1][0]
        for y_true in (ours, given):
            value = survival.survival_brier_loss(y_true, functions, horizon=horizon)
            assert value == pytest.approx(found, rel=1e-10)
        scorer = sm.get_scorer("neg_survival_brier_loss", horizon=horizon)
        assert -scorer(model, X, given) == pytest.approx(found, rel=1e-10)
        assert np.isfinite(cross_val_score(model, X, given, scoring=scorer, cv=3)).all()
        search = GridSearchCV(model, {"alpha": [1.0, 10.0]}, scoring=sm.get_scorer("uno_c"), cv=3)
        assert 0.4 < search.fit(X, given).best_score_ < 1
    run = NestedCV(model, {"alpha": [1.0, 10.0]}, scoring=["uno_c", scorer], outer_cv=3, inner_cv=2)
    assert np.isfinite(run.fit(X, given).result_["test_uno_c"]).all()


def test_lifelines_on_its_own_data():
    """A Cox model of lifelines: its risks, and its survival functions transposed."""
    datasets, fitters = pytest.importorskip("lifelines.datasets"), pytest.importorskip("lifelines")
    rows = datasets.load_rossi()
    model = fitters.CoxPHFitter().fit(rows, "week", "arrest")
    risk = model.predict_partial_hazard(rows)
    found = survival.harrell_c_score(rows[["week", "arrest"]], risk)
    assert found == pytest.approx(model.concordance_index_, rel=1e-10)
    functions = model.predict_survival_function(rows)
    brier = survival.survival_brier_loss(rows[["week", "arrest"]], functions.T, horizon=40)
    plain = survival.survival_brier_loss(
        rows[["week", "arrest"]], functions.loc[40].to_numpy(), horizon=40
    )
    assert brier == pytest.approx(plain, rel=1e-12)
    with pytest.raises(ValueError, match="y_true has 432, y_pred has 49"):
        survival.survival_brier_loss(rows[["week", "arrest"]], functions, horizon=40)


def test_pairs_are_summed_as_one_by_one():
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 10, 57, 200):
        for spread in (2, max(2, n // 3), 10 * n):
            key, risk = rng.integers(0, spread, n), rng.integers(0, spread, n).astype(float)
            cases, others = rng.random(n) * (key % 2 == 0), rng.random(n)
            later = key[:, None] < key
            phi = later * (1 + np.sign(risk[:, None] - risk)) / 2
            plain = phi @ others, later @ others, cases @ phi, cases @ later
            found = pair_sums(key, risk, cases, others)
            for ours, theirs in zip(found, plain, strict=True):
                np.testing.assert_allclose(ours, theirs, atol=1e-12 * n)


def test_product_limit_as_written_out():
    """With ties: a censored row is at risk of the event at its time, the event not of its censoring."""
    y, *_ = simulated(60, ties=True)
    time, event = y[:, 0], y[:, 1] == 1
    for censoring in (False, True):
        found = ProductLimit(time, event, np.ones(60), censoring=censoring)
        value = 1.0
        for t in np.unique(time):
            assert found.at(t, before=True) == pytest.approx(value, rel=rounding(60))
            ends = ((time == t) & (event != censoring)).sum()
            at_risk = (time >= t).sum() - (censoring * (time == t) * event).sum()
            value *= 1 - ends / at_risk if at_risk else 1
            assert found.at(t) == pytest.approx(value, rel=rounding(60), abs=rounding(60))


@pytest.mark.parametrize("ties", [False, True])
def test_slopes_are_derivatives(ties):
    """The influence of every row is the change of the value with its weight, by central differences."""
    y, risk, probability = simulated(60, 1, ties)
    rng = np.random.default_rng(2)
    weight, checked, step = rng.uniform(0.5, 2, 60), 0, 1e-5
    train = simulated(80, 3, ties)[0]
    for name, options in ALL.items():
        row = METRICS[name].metric
        if row.influence is None:
            assert name == "royston_d"
            continue
        given = [{}]
        if "y_train" in METRICS[name].options:
            given.append({"y_train": train})
        for more in given:
            part = y[:, 0] < train[:, 0].max() if more else np.ones(60, dtype=bool)
            arrays = y[part], second(name, risk, probability)[part]
            own = weight[part]

            def record(own, name=name, arrays=arrays):
                time, event = arrays[0].T
                if name in RISKS:
                    return Risks(time, event == 1, arrays[1], own)
                columns = arrays[1].reshape(len(time), -1)
                return SurvivalFunctions(time, event == 1, columns, None, own)

            checked_options = row.checked({**options, **more})

            def value(own, row=row, record=record, options=checked_options):
                return row.formula(record(own), **options)

            slopes = row.influence(record(own), **options, **more)
            for i in range(0, len(own), 7):
                moved = np.eye(len(own))[i] * step
                change = (value(own + moved) - value(own - moved)) / (2 * step)
                assert slopes[i] == pytest.approx(change, rel=1e-5, abs=1e-8), (name, i)
                checked += 1
    assert checked > 100


def test_weights_count_rows_and_order_does_not_matter():
    y, risk, probability = simulated(80, ties=True)
    weight = np.random.default_rng(1).integers(0, 4, 80)
    rows, order = np.repeat(np.arange(80), weight), np.random.default_rng(2).permutation(80)
    for name, options in ALL.items():
        metric, given = METRICS[name], second(name, risk, probability)
        found = metric(y, given, sample_weight=weight, **options)
        # Efron's rule takes two rows at one time for a tie, one row of weight 2 for none.
        close = 0.05 if name in ("royston_d", "survival_calibration_slope") else 1e-10
        assert metric(y[rows], given[rows], **options) == pytest.approx(found, rel=close), name
        assert metric(y, given, sample_weight=7 * weight, **options) == pytest.approx(found), name
        shuffled = metric(y[order], given[order], sample_weight=weight[order], **options)
        assert shuffled == pytest.approx(found, rel=1e-10), name


def test_every_form_of_the_truth_and_of_functions():
    y, risk, probability = simulated(50)
    event, time = y[:, 1] == 1, y[:, 0]
    named = np.array(list(zip(event, time, strict=True)), dtype=[("e", bool), ("t", float)])
    forms = [
        named,
        y[:, ::-1],
        pd.DataFrame({"time": time, "event": event}),
        pd.DataFrame({"cens": y[:, 1].astype(int), "time": time}),
        y.tolist(),
    ]
    value = survival.harrell_c_score(y, risk)
    assert [survival.harrell_c_score(form, risk) for form in forms] == [value] * len(forms)
    brier = survival.integrated_survival_brier_loss(y, probability, times=TIMES)
    functions = np.empty(50, dtype=object)
    functions[:] = [Steps(np.array(TIMES), row) for row in probability]
    frame = pd.DataFrame(probability, columns=[str(t) for t in TIMES])
    for given in (functions, list(functions), frame):
        found = survival.integrated_survival_brier_loss(y, given, times=TIMES)
        assert found == pytest.approx(brier, rel=rounding(50))
        # Before the first step nobody has had an event, between two the first holds.
        early, late = (survival.survival_brier_loss(y, given, horizon=t) for t in (0.2, 0.7))
        assert early == pytest.approx(survival.survival_brier_loss(y, np.ones(50), horizon=0.2))
        assert late == pytest.approx(
            survival.survival_brier_loss(y, probability[:, 1], horizon=0.7)
        )
    with pytest.raises(ValueError, match=r"beyond .* y_pred, 0\.9"):
        survival.survival_brier_loss(y, frame, horizon=1.0)
    changing = np.column_stack([risk, -risk, risk])
    each = [
        survival.cumulative_dynamic_auc_score(y, r, horizon=t)
        for r, t in zip(changing.T, TIMES, strict=True)
    ]
    mean = survival.integrated_cumulative_dynamic_auc_score(y, changing, times=TIMES)
    assert min(each) < mean < max(each)


class Steps:
    """A step function as those of scikit-survival."""

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __call__(self, time):
        return np.append(1.0, self.y)[np.searchsorted(self.x, time, "right")]


class Exponential(BaseEstimator):
    """An exponential model, fitted as a Poisson regression of events on time at risk."""

    def __init__(self, alpha=0.1):
        self.alpha = alpha

    def fit(self, X, y):
        time, event = (y["time"], y["event"]) if y.dtype.names else y.T
        self.model_ = PoissonRegressor(alpha=self.alpha).fit(X, event / time, sample_weight=time)
        return self

    def predict(self, X):
        return self.model_.predict(X)

    def predict_survival_function(self, X):
        grid, found = np.linspace(0.01, 50, 400), np.empty(len(X), dtype=object)
        found[:] = [Steps(grid, np.exp(-rate * grid)) for rate in self.predict(X)]
        return found


def study(structured):
    """Return features and times with events of 120 rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    time, end = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2, 120)
    y = np.column_stack([np.minimum(time, end), time <= end])
    if structured:
        y = np.array([(e == 1, t) for t, e in y], dtype=[("event", bool), ("time", float)])
    return X, y


@pytest.mark.parametrize("structured", [False, True])
def test_scorers_and_runs(structured, tmp_path):
    X, y = study(structured)
    model = Exponential().fit(X, y)
    brier = sm.get_scorer("neg_survival_brier_loss", horizon=0.8)
    assert -brier(model, X, y) == survival.survival_brier_loss(
        y, model.predict_survival_function(X), horizon=0.8
    )
    assert np.isfinite(
        cross_val_score(model, X, y, scoring=pickle.loads(pickle.dumps(brier)))
    ).all()
    search = GridSearchCV(model, {"alpha": [0.01, 1.0]}, scoring=sm.get_scorer("uno_c"), cv=3)
    assert search.fit(X, y).best_score_ > 0.6
    outer = KFold(3, shuffle=True, random_state=0)
    run = NestedCV(
        Exponential(),
        {"alpha": [0.1]},
        scoring=["uno_c", brier, "harrell_c"],
        refit="uno_c",
        outer_cv=outer,
        inner_cv=2,
    )
    result = run.fit(X, y).result_
    for fold, (train, test) in enumerate(outer.split(X)):
        risk = Exponential().fit(X[train], y[train]).predict(X[test])
        wanted = survival.uno_c_score(y[test], risk, y_train=y[train])
        assert result["test_uno_c"][fold] == pytest.approx(wanted, rel=1e-12)
        assert abs(survival.uno_c_score(y[test], risk) - wanted) > 1e-8
        assert result["test_harrell_c"][fold] == pytest.approx(
            survival.harrell_c_score(y[test], risk)
        )
    interval = result.interval("uno_c")
    assert interval.low < interval.high
    result.report(tmp_path / "nested.html")
    compared = compare_estimators(
        {"a": model, "b": Exponential(10.0)}, X, y, scoring="harrell_c", outer_cv=4
    )
    assert "harrell_c" in str(compared)


@pytest.mark.parametrize("structured", [False, True])
def test_every_door(structured):
    X, y = study(structured)
    model = Exponential().fit(X, y)
    risk, other = model.predict(X), X[:, 0] + np.random.default_rng(1).normal(size=120)
    whole = evaluation.evaluate(
        y, y_score=risk, y_pred=model.predict_survival_function(X),
        metrics=["harrell_c", "cumulative_dynamic_auc", "survival_r2"], horizon=0.8, intervals=True,
    )  # fmt: skip
    assert whole["harrell_c"] == survival.harrell_c_score(y, risk)
    assert all(i.low < i.high for i in whole.intervals.values())
    groups = np.arange(120) // 3
    by = evaluation.evaluate(
        y, y_score=risk, metrics=["harrell_c"], by=np.arange(120) % 2, intervals=True
    )
    assert by[0].intervals["harrell_c"].low < by[0]["harrell_c"]
    assert "cluster" in inference.interval("harrell_c", y, risk, groups=groups).method
    assert (
        "linearized" in inference.interval("uno_c", y, risk, sample_weight=np.ones(120) * 2).method
    )
    for test in (
        inference.paired_test,
        inference.paired_bootstrap_test,
        inference.paired_permutation_test,
    ):
        more = {} if test is inference.paired_test else {"n_resamples": 50, "random_state": 0}
        found = test("uno_c", y, risk, other, **more)
        assert found.difference == pytest.approx(
            survival.uno_c_score(y, risk) - survival.uno_c_score(y, other), rel=1e-12
        )
    functions = model.predict_survival_function(X), Exponential(10.0).fit(X, y)
    found = inference.paired_test(
        "survival_brier_loss",
        y,
        functions[0],
        functions[1].predict_survival_function(X),
        horizon=0.8,
    )
    assert np.isfinite(found.p_value)
    found = inference.interval("royston_d", y, risk, n_resamples=40, random_state=0)
    assert found.method == "bca"
    assert found.low < found.estimate < found.high
    wanted = ValueError, "not counted in chunks"
    error, words = wanted if is_there("scale") else (ImportError, r"needs skaucx\.scale")
    with pytest.raises(error, match=words):
        survival.harrell_c_score(iter([y]), iter([risk]))


def test_influence_and_bootstrap_agree():
    y, risk, probability = simulated(250, 4)
    for name, options in ALL.items():
        if METRICS[name].metric.influence is None or "integrated" in name:
            continue
        arrays = y, second(name, risk, probability)
        found = inference.interval(name, *arrays, **options)
        drawn = inference.interval(
            name, *arrays, method="percentile", n_resamples=200, random_state=0, **options
        )
        assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.25), name


def test_few_events_are_said():
    y, risk, _ = simulated(40, 5)
    assert (
        "events: below 30 coverage is not guaranteed"
        in inference.interval("harrell_c", y, risk).note
    )
    y, risk, _ = simulated(100, 5)
    assert inference.interval("harrell_c", y, risk).note == ""


BAD = [
    ([[1, 1], [0, 0], [2, 1]], "finite times > 0"),
    ([[1, 1], [-1, 0], [2, 1]], "finite times > 0"),
    ([[1, 1], [np.nan, 0], [2, 1]], "finite times > 0"),
    ([[1.5, 1], [2.5, 2], [3.5, 0]], "competing risks"),
    ([[1.5, 0.5], [2.5, 1], [3.5, 0]], "neither two columns"),
    ([1.0, 2.0, 3.0], "structured array or as two columns"),
    ([[1, 1, 1], [2, 0, 1], [3, 0, 1]], "3 columns"),
]


@pytest.mark.parametrize(("y", "message"), BAD)
def test_bad_truth(y, message):
    with pytest.raises(ValueError, match=message):
        survival.harrell_c_score(y, [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=message):
        survival.survival_brier_loss(y, [0.1, 0.2, 0.3], horizon=1.0)


def test_bad_predictions_and_parameters():
    y, risk, probability = simulated(30)
    cases = [
        (survival.harrell_c_score, (y, np.full(30, np.nan)), {}, "NaN or infinity in y_score"),
        (survival.harrell_c_score, (y, probability), {}, "one risk an example"),
        (survival.uno_c_score, (y, probability), {}, "one risk an example"),
        (survival.royston_d_score, (y, probability), {}, "one risk an example"),
        (survival.harrell_c_score, (y, risk[:20]), {}, "20"),
        (
            survival.cumulative_dynamic_auc_score,
            (y, probability),
            {"horizon": 0.5},
            "3 columns of risks",
        ),
        (survival.survival_brier_loss, (y, 2 * probability), {"horizon": 0.5}, "in \\[0, 1\\]"),
        (survival.survival_brier_loss, (y, probability), {"horizon": 0.5}, "3 columns for 1 times"),
        (survival.survival_brier_loss, (y, probability[:, 0]), {"horizon": -1}, "horizon"),
        (
            survival.integrated_survival_brier_loss,
            (y, probability),
            {"times": [0.5]},
            "times must hold",
        ),
        (survival.integrated_survival_brier_loss, (y, probability), {"times": [1, 0.5]}, "rising"),
        (
            survival.survival_brier_loss,
            (y, pd.DataFrame(probability, columns=list("abc"))),
            {"horizon": 0.5},
            "named by their times",
        ),
    ]
    for metric, arrays, options, message in cases:
        with pytest.raises(ValueError, match=message):
            metric(*arrays, **options)
    with pytest.raises(TypeError, match="horizon"):
        survival.survival_brier_loss(y, probability[:, 0])
    with pytest.raises(TypeError, match="labels"):
        evaluation.evaluate(y, y_score=risk, metrics=["harrell_c"], labels=[0, 1])


def test_undefined_values_are_named():
    y, risk, probability = simulated(30)
    none = np.column_stack([y[:, 0], np.zeros(30)])
    late = float(y[:, 0].max()) + 1
    cases = [
        (survival.harrell_c_score, (none, risk), {}, "no row has an event"),
        (survival.royston_d_score, (none, risk), {}, "no row has an event"),
        (
            survival.cumulative_dynamic_auc_score,
            (y, risk),
            {"horizon": late},
            "end of the follow-up",
        ),
        (
            survival.survival_brier_loss,
            (y, probability[:, 0]),
            {"horizon": late},
            "end of the follow-up",
        ),
        (
            survival.survival_r2_score,
            (y, probability[:, 0]),
            {"horizon": late},
            "end of the follow-up",
        ),
        (
            survival.cumulative_dynamic_auc_score,
            (y, risk),
            {"horizon": 1e-6},
            "no row has an event up to",
        ),
        (
            survival.cumulative_dynamic_auc_score,
            (y, risk),
            {"horizon": 0.5, "y_train": [[0.2, 0], [0.3, 1]]},
            "shorter of the data and y_train",
        ),
    ]
    for metric, arrays, options, message in cases:
        with pytest.warns(UndefinedMetricWarning, match=message):
            assert np.isnan(metric(*arrays, **options))
    with pytest.warns(UndefinedMetricWarning, match="end of the follow-up"):
        found = inference.interval("survival_brier_loss", y, probability[:, 0], horizon=late)
    assert np.isnan(found.low)
    assert "end of the follow-up" in found.note


def test_the_wrong_direction_is_said():
    y, risk, _ = simulated(100)
    with pytest.warns(UserWarning, match="below 1/2: greater values .*earlier"):
        assert survival.harrell_c_score(y, -risk) == pytest.approx(
            1 - survival.harrell_c_score(y, risk)
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        survival.harrell_c_score(y, np.random.default_rng(0).normal(size=100))
        survival.harrell_c_score(y[:8], -risk[:8])


def test_uno_stops_at_the_end_of_the_training_part():
    y, risk, _ = simulated(100)
    train = y[y[:, 0] < 1.0]
    end = train[:, 0].max()
    found = survival.uno_c_score(y, risk, y_train=train)
    assert found == survival.uno_c_score(y, risk, y_train=train, tau=np.nextafter(end, 2))


def test_cox_model_and_the_line_of_a_calibration():
    """A model with two covariates has R's coefficients: the risk at three places is R's."""
    for name, own in OF_R.items():
        y, _, functions, _ = real(name)
        record = check_survival_functions(y, functions)
        x = cloglog_of_risk(record, own["horizon"])
        model = fit_until(record, np.column_stack([x, x**2]), own["horizon"])
        at = np.array(own["at"])
        found = 1 - model.survival(np.column_stack([at, at**2]), own["horizon"])
        assert found == pytest.approx(own["curve"], rel=1e-9)
    # Without a maximum of the likelihood there is no slope.
    time, event = np.arange(1.0, 9.0), np.ones(8, dtype=bool)
    assert np.isnan(Cox.fit(time, event, np.ones(8), -time[:, None]).coefficients).all()


def test_pictures():
    y, risk, probability = simulated(150)
    functions = pd.DataFrame(probability, columns=TIMES)
    drawn = TimeDependentDisplay.from_predictions(y, risk, times=TIMES)
    each = [inference.interval("cumulative_dynamic_auc", y, risk, horizon=t) for t in TIMES]
    np.testing.assert_allclose(drawn.line_.get_ydata(), [one.estimate for one in each])
    assert [one.low for one in drawn.intervals] == [one.low for one in each]
    for given in (probability, functions):
        drawn = TimeDependentDisplay.from_predictions(
            y, given, times=TIMES, metric="survival_brier_loss", y_train=y, despine=True
        )
        plain = ProductLimit(y[:, 0], y[:, 1] == 1, np.ones(150), censoring=False).at(TIMES)
        for k, t in enumerate(TIMES):
            constant = survival.survival_brier_loss(y, np.full(150, plain[k]), horizon=t, y_train=y)
            assert drawn.reference[k] == pytest.approx(constant, rel=1e-12)
    with pytest.raises(ValueError, match="3 columns for 2 times"):
        TimeDependentDisplay.from_predictions(y, probability, times=TIMES[:2], metric="survival_r2")
    with pytest.raises(ValueError, match="parameter 'horizon', found 'harrell_c'"):
        TimeDependentDisplay.from_predictions(y, risk, times=TIMES, metric="harrell_c")
    drawn = SurvivalCalibrationDisplay.from_predictions(y, functions, horizon=0.9, n_bins=4)
    bins = drawn.bins
    held = np.isfinite(bins.low)  # none where all of a group have an event
    assert held.sum() == 3
    assert (bins.low < bins.observed)[held].all()
    assert (bins.observed < bins.high)[held].all()
    assert drawn.points_.get_xdata() == pytest.approx(bins.predicted)
    own = 1 - probability[:, 2] <= np.quantile(1 - probability[:, 2], 0.25)
    limit = ProductLimit(y[own, 0], y[own, 1] == 1, np.ones(own.sum()), censoring=False)
    assert bins.observed[0] == pytest.approx(1 - limit.at(0.9))
    # Greenwood's variance, on the scale of log-odds.
    drops = (limit.at_risk > limit.left) & (limit.times <= 0.9)
    ended, at_risk = (limit.at_risk - limit.left)[drops], limit.at_risk[drops]
    error = limit.at(0.9) * np.sqrt((ended / (at_risk * (at_risk - ended))).sum())
    p = 1 - limit.at(0.9)
    reach = 1.959963984540054 * error / (p * (1 - p))
    assert bins.low[0] == pytest.approx(1 / (1 + np.exp(-np.log(p / (1 - p)) + reach)), rel=1e-9)
    with pytest.raises(ValueError, match=r"horizon .*below the end"):
        SurvivalCalibrationDisplay.from_predictions(y, probability[:, 2], horizon=1e6)
    X, y = study(structured=True)
    model = Exponential().fit(X, y)
    TimeDependentDisplay.from_estimator(model, X, y, times=TIMES)
    SurvivalCalibrationDisplay.from_estimator(model, X, y, horizon=0.5)
    plt.close("all")


def test_parameters_may_be_arrays():
    """Times given as an array, and a training part, are printed with results."""
    y, _, probability = simulated(100)
    for times in (np.array(TIMES), TIMES):
        found = inference.interval(
            "integrated_survival_brier_loss", y, probability, times=times, y_train=y
        )
        assert found.label.startswith("integrated_survival_brier_loss(times=[0.3, 0.5, 0.9]")


def test_the_set():
    """The set reads the arrays that are given, and leaves out what lacks a parameter."""
    y, risk, probability = simulated(100)
    found = evaluation.evaluate(
        y, y_score=risk, y_pred=probability[:, 2], metrics="survival", horizon=0.9
    )
    assert found["survival_r2"] == survival.survival_r2_score(y, probability[:, 2], horizon=0.9)
    assert found["harrell_c"] == survival.harrell_c_score(y, risk)
    assert set(evaluation.evaluate(y, y_score=risk, metrics="survival")) == {"harrell_c", "uno_c"}


def test_times_and_events_of_frames_of_every_library():
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"event": rng.integers(0, 2, 30) == 1, "time": rng.exponential(size=30)})
    risk = rng.normal(size=30)
    expected = survival.harrell_c_score(frame, risk)
    table = pa.Table.from_pandas(frame)
    for held in (table, table.to_batches()[0], pl.DataFrame(frame.to_dict("list"))):
        assert survival.harrell_c_score(held, risk) == expected


class AtTimes(Exponential):
    """Probabilities at some times: of one, or in a frame whose columns are named by several."""

    def __init__(self, alpha=1.0, times=(0.8,)):
        super().__init__(alpha)
        self.times = times

    def predict_survival_function(self, X):
        found = np.exp(-np.outer(self.predict(X), self.times))
        return pd.DataFrame(found, columns=self.times) if len(self.times) > 1 else found


def test_frames_keep_their_times_in_one_pass_scorers_and_runs():
    X, y = study(False)
    scorer = sm.get_scorer("neg_survival_brier_loss", horizon=0.8)
    framed = AtTimes(times=(0.4, 0.8, 1.6)).fit(X, y)
    assert sm.one_pass_scorer({"b": scorer})(framed, X, y)["b"] == scorer(framed, X, y)
    given = {"scoring": {"b": scorer}, "outer_cv": KFold(3), "inner_cv": 2}
    plain, frames = (
        NestedCV(model, {"alpha": [0.1, 1.0]}, **given).fit(X, y).result_["test_b"]
        for model in (AtTimes(), framed)
    )
    np.testing.assert_allclose(frames, plain, rtol=1e-12)


def test_risks_at_times_have_a_column_for_each_time():
    y = np.array([[1.0, 1], [2, 0], [3, 1], [4, 1], [5, 0], [6, 1]])
    risk = np.array([6.0, 5, 4, 3, 2, 1])
    both = np.column_stack([risk, risk])
    name = {"times": [2.5, 4.5]}
    integrated = survival.integrated_cumulative_dynamic_auc_score
    assert integrated(y, both, **name) == integrated(y, risk, **name)
    with pytest.raises(ValueError, match="2 columns of risks for 3 times"):
        integrated(y, both, times=[1.5, 2.5, 4.5])


@pytest.mark.parametrize("trained", [False, True])
def test_the_influence_on_a_skill_over_times_is_its_derivative(trained):
    """With the Kaplan-Meier estimates of the rows, which weights move; censoring also of others."""
    rng, n, times = np.random.default_rng(0), 60, np.array([0.4, 0.9, 1.7])
    end, risk = rng.exponential(size=(2, n)), rng.random(n)
    y, train = (np.column_stack([each, rng.random(n) < 0.7]) for each in end)
    options = {"times": times} | ({"y_train": train} if trained else {})
    row, weight = survival.integrated_survival_r2_score.metric, rng.uniform(0.5, 2, n)
    functions = pd.DataFrame(np.exp(-np.outer(risk + 0.5, times)), columns=times)

    def value(weights):
        return survival.integrated_survival_r2_score(y, functions, sample_weight=weights, **options)

    on = MetricOnSample(sample_of(row, y, functions, sample_weight=weight), row, options)
    step = 1e-5 * np.eye(n)[:12]
    slopes = [(value(weight + each) - value(weight - each)) / 2e-5 for each in step]
    np.testing.assert_allclose(
        influence_values(on)[:12] / weight[:12], slopes, rtol=1e-5, atol=1e-8
    )


def test_arrays_are_described():
    for name in ALL:
        text, function = METRICS[name].__doc__, METRICS[name]
        assert "Times until the event" in text
        assert ("Risks: greater" if name in RISKS else "Probabilities of no event:") in text
        assert function.__module__ == "skaucx.survival"
