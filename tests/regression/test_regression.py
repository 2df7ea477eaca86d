"""Errors of numbers: scikit-learn's values, derivatives, every door, forecasts, bad input."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pytest
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, cross_val_score
from sklearn.utils.fixes import parse_version

from skaucx import evaluation, inference, regression
from skaucx import metrics as sm
from skaucx.inference._intervals.influence import influence_values
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.samples import MetricOnSample, sample_of
from skaucx.model_selection import Decisions, compare_estimators, nested_cross_validate
from skaucx.reports import report

RNG = np.random.default_rng(0)
N = 90
X = RNG.normal(size=(N, 3))
Y = np.exp(X @ [0.5, 0.3, 0.2] + 0.3 * RNG.normal(size=N) + 2)
PRED, OTHER = Y * RNG.gamma(20, 1 / 20, N), Y * RNG.gamma(10, 1 / 10, N)
WEIGHT = RNG.integers(0, 4, N).astype(float)
ODD = np.arange(N) % 2
BOTH = np.column_stack([Y, np.sqrt(Y)]), np.column_stack([PRED, np.sqrt(OTHER)])
TWINS = [name for name in regression.__all__ if hasattr(sklearn.metrics, name)]
ALL = {name: {"scale": 2.0} if name == "mase_loss" else {} for name in regression.__all__}
ROWS = {name: getattr(regression, name).metric for name in regression.__all__}
# Those with intervals in closed form.
SMOOTH = [name for name, row in ROWS.items() if row.losses is not None or row.influence is not None]
PARAMETERS = {
    "mean_pinball_loss": [{"alpha": share} for share in (0.1, 0.9)],
    "d2_pinball_score": [{"alpha": share} for share in (0.1, 0.9)],
    "mean_tweedie_deviance": [{"power": power} for power in (-1.0, 1.0, 1.5, 2.0, 3.0)],
    "d2_tweedie_score": [{"power": power} for power in (-1.0, 1.0, 1.5, 2.0, 3.0)],
    "r2_score": [{"force_finite": False}],
}


def test_every_metric_of_numbers_of_scikit_learn_is_here():
    place = "sklearn.metrics._regression"
    public = {name: getattr(sklearn.metrics, name) for name in sklearn.metrics.__all__}
    public = {name: f for name, f in public.items() if getattr(f, "__module__", "") == place}
    assert set(public) == set(TWINS)
    for name, function in public.items():
        assert getattr(sm, name) is getattr(regression, name)
        ours = inspect.signature(getattr(regression, name)).parameters
        for option, asked in inspect.signature(function).parameters.items():
            assert ours[option].default == asked.default, (name, option)
    for name in sklearn.metrics.get_scorer_names():
        theirs = sklearn.metrics.get_scorer(name)._score_func
        if theirs.__name__ in TWINS:
            assert sm.get_scorer(name)._score_func.function is getattr(regression, theirs.__name__)


EARLIER = parse_version(sklearn.__version__) < parse_version("1.8")


@pytest.mark.parametrize("name", TWINS)
def test_values_are_those_of_scikit_learn(name):
    ours, theirs = getattr(regression, name), getattr(sklearn.metrics, name)
    several = "multioutput" in ours.options
    ways = [{}, {"multioutput": "raw_values"}, {"multioutput": [0.2, 0.8]}] if several else []
    if "force_finite" in ours.options:
        ways.append({"multioutput": "variance_weighted"})
    weighted = [{}]
    # A weighted median between two values is their mean since scikit-learn 1.8.
    taken = inspect.signature(theirs).parameters
    if "sample_weight" in taken and not (EARLIER and name == "median_absolute_error"):
        weighted.append({"sample_weight": WEIGHT})
    for given in [{}, *PARAMETERS.get(name, [])]:
        for weight in weighted:
            found = ours(Y, PRED, **given, **weight)
            assert isinstance(found, float)
            assert found == pytest.approx(theirs(Y, PRED, **given, **weight), rel=1e-12)
            for way in ways:
                found, wanted = (f(*BOTH, **given, **weight, **way) for f in (ours, theirs))
                assert np.shape(found) == np.shape(wanted)
                np.testing.assert_allclose(found, wanted, rtol=1e-12)
    if several:
        assert np.shape(ours(Y, PRED, multioutput="raw_values")) == (1,)


@pytest.mark.parametrize("name", [name for name in TWINS if "score" in name])
def test_constant_targets_and_single_rows_are_as_in_scikit_learn(name):
    ours, theirs = getattr(regression, name), getattr(sklearn.metrics, name)
    ways = [{}, {"force_finite": False}] if "force_finite" in ours.options else [{}]
    constant = [([2.0] * 3, [2.0] * 3), ([2.0] * 3, [1.0, 2.0, 3.0])]
    if name == "d2_tweedie_score":
        constant = []  # divides by 0 there
    for true, pred in [*constant, ([1.0], [3.0])]:
        for way in ways:
            with warnings.catch_warnings(action="ignore"):
                wanted = theirs(true, pred, **way)
            if np.isnan(wanted):
                with pytest.warns(UndefinedMetricWarning, match="undefined"):
                    assert np.isnan(ours(true, pred, **way))
            else:
                assert ours(true, pred, **way) == wanted


@pytest.mark.parametrize("outputs", [1, 2])
@pytest.mark.parametrize("name", SMOOTH)
def test_influences_are_derivatives(name, outputs):
    """Of every metric with a closed form, by differences of the value in the weights."""
    function = getattr(regression, name)
    if outputs == 2 and "multioutput" not in function.options:
        return
    weight = RNG.uniform(0.5, 2, N)
    given = (Y, PRED) if outputs == 1 else BOTH
    for more in [{}, *PARAMETERS.get(name, [])][:3]:
        options = {**ALL[name], **more}
        sample = sample_of(function.metric, *given, sample_weight=weight)
        influence = influence_values(MetricOnSample(sample, function.metric, options))[:6]
        step = 1e-4 * np.eye(N)[:6]
        up, down = (
            [function(*given, sample_weight=w, **options) for w in weight + sign * step]
            for sign in (1, -1)
        )
        slopes = np.subtract(up, down) / 2e-4
        np.testing.assert_allclose(influence / weight[:6], slopes, rtol=1e-4, atol=1e-7)


@pytest.mark.parametrize("name", ALL)
def test_doors(name):
    function, given = getattr(regression, name), ALL[name]
    value = function(Y, PRED, **given)
    found = inference.interval(function, Y, PRED, n_resamples=99, random_state=0, **given)
    assert found.estimate == pytest.approx(value)
    if name == "max_error":
        assert found.method == "none"
        assert "greatest error" in found.note
    else:
        low, high = function.metric.bounds
        assert low <= found.low < value < found.high <= high
    if name in SMOOTH:
        assert not found.n_resamples
        test = inference.paired_test(function, Y, PRED, OTHER, groups=np.arange(N) // 3, **given)
        assert test.difference == pytest.approx(value - function(Y, OTHER, **given))
    scorer = sm.get_scorer(function, **given)
    scores = cross_val_score(Ridge(), X, Y - Y.min() + 30, scoring=scorer, cv=3)
    assert np.isfinite(scores).all()
    if name in TWINS:
        better = not function.metric.scorer_name.startswith("neg_")
        theirs = sklearn.metrics.make_scorer(
            getattr(sklearn.metrics, name), greater_is_better=better
        )
        wanted = cross_val_score(Ridge(), X, Y - Y.min() + 30, scoring=theirs, cv=3)
        np.testing.assert_allclose(scores, wanted, rtol=1e-9)


def test_evaluate_reads_the_default_set_where_the_truth_is_no_label():
    whole = evaluation.evaluate(Y, PRED, intervals=True, random_state=0)
    assert list(whole) == [*METRICS["r2"].metric.kind.inputs.default_metrics]
    assert dict(whole) == dict(evaluation.evaluate(Y, PRED, metrics="regression"))
    assert whole.intervals["r2"].low < whole["r2"] < whole.intervals["r2"].high <= 1
    assert list(evaluation.evaluate(Y.tolist(), PRED)) == list(whole)
    assert "accuracy" in evaluation.evaluate(np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 0.0]))
    groups = evaluation.evaluate(Y, PRED, by=ODD, metrics=["r2"])
    assert groups[0]["r2"] == regression.r2_score(Y[::2], PRED[::2])


def test_nested_runs_end_within_the_range():
    run = {"outer_cv": 4, "inner_cv": 2}
    noisy = Y + 40 * RNG.normal(size=N)
    for scoring in ("r2", sklearn.metrics.get_scorer("r2")):
        grid = {"alpha": [0.1, 100.0]}
        result = nested_cross_validate(Ridge(), grid, X, noisy, scoring=scoring, **run)
        [name] = result.test_scores
        assert result.interval(name).low < result.interval(name).high <= 1
    several = nested_cross_validate(Ridge(), {}, X, BOTH[0], scoring=["r2"], **run)
    assert max(several.interval("r2").high, several.pooled_interval("r2").high) <= 1
    compared = compare_estimators({"a": Ridge(), "b": Ridge(99.0)}, X, Y, scoring="r2", outer_cv=3)
    assert "r2" in str(compared)


@pytest.mark.parametrize(
    ("true", "options"),
    [(Y, {}), (np.round(Y), {"metrics": ["r2"]}), (Y, {"metrics": "regression"}),
     (Y, {"by": np.array(["A", "B"])[ODD]})],
)  # fmt: skip
def test_page_of_numbers(true, options, tmp_path):
    """Whole numbers too, where a metric of numbers is requested."""
    text = report(tmp_path / "page.html", true, PRED, **options).read_text(encoding="utf-8")
    values = evaluation.evaluate(true, PRED, **options)
    for found in [values[g] for g in "AB"] if "by" in options else [values]:
        assert f"{abs(found['r2']):.2f}"[1:] in text
    assert "Confusion" not in text
    assert "Positives" not in text


def test_forecasts_by_hand_and_by_sktime():
    """sktime 1.2.0, mean_absolute_scaled_error(sp=3) and the symmetric percentage error."""
    rng = np.random.default_rng(0)
    y, f, train = rng.normal(size=9), rng.normal(size=9), rng.normal(size=20)
    mase = regression.mase_loss(y, f, y_train=train, period=3)
    assert mase == pytest.approx(1.4993225789880178, rel=1e-14)
    assert regression.smape_loss(y, f) == pytest.approx(1.6286276371149058, rel=1e-14)
    assert regression.smape_loss([0, 1, -2], [0, 3, 2]) == pytest.approx((0 + 1 + 2) / 3)
    for given, wanted in (
        ({"y_train": [0, 2, 3, -1]}, 1.5 / np.mean([2, 1, 4])),
        ({"y_train": [0, 2, 3, -1], "period": 2}, 0.5),
        ({"y_train": [3, 3]}, np.inf),
    ):
        assert regression.mase_loss([1, 2], [2, 4], **given) == pytest.approx(wanted)


def test_each_fold_has_the_scale_of_its_training_part():
    outer = KFold(4)
    result = nested_cross_validate(
        Ridge(), {"alpha": [1.0, 99.0]}, X, Y, outer_cv=outer, inner_cv=KFold(3), final=None,
        scoring=["neg_mase_loss", "neg_smape_loss"], refit="neg_mase_loss",
    )  # fmt: skip
    for fold, (train, test) in enumerate(outer.split(X)):
        best = Ridge(**result.winning_params[fold])
        pred = best.fit(X[train], Y[train]).predict(X[test])
        mase = -regression.mase_loss(Y[test], pred, y_train=Y[train])
        assert result["test_neg_mase_loss"][fold] == pytest.approx(mase, rel=1e-12)
        smape = -regression.smape_loss(Y[test], pred)
        assert result["test_neg_smape_loss"][fold] == pytest.approx(smape, rel=1e-12)
    fixed = sm.get_scorer("neg_mase_loss", scale=2.0)
    found = cross_val_score(Ridge(), X, Y, cv=outer, scoring=fixed)
    shares = [np.abs(np.diff(Y[train])).mean() / 2 for train, _ in outer.split(X)]
    np.testing.assert_allclose(found, result["test_neg_mase_loss"] * shares, rtol=1e-12)
    pooled = {"scoring": "neg_mase_loss", "decisions": Decisions(choose_by="pooled")}
    with pytest.raises(ValueError, match=r"'neg_mase_loss' .*training part"):
        nested_cross_validate(Ridge(), {}, X, Y, **pooled)


@pytest.mark.parametrize(
    ("name", "arrays", "given", "message"),
    [
        ("r2_score", BOTH, {"multioutput": "mean"}, "multioutput must be one of"),
        ("r2_score", BOTH, {"multioutput": [1.0]}, "1 weights for 2 outputs"),
        ("mean_squared_log_error", ([-1.0], [0.0]), {}, "y_true and y_pred must be > -1"),
        ("mean_poisson_deviance", ([1, 1], [1, 0]), {}, "y_pred must be > 0.*1 of 2 rows"),
        ("mean_gamma_deviance", ([0.0, 1], [1.0, 1]), {}, "y_true must be > 0"),
        ("mean_tweedie_deviance", ([1.0], [1.0]), {"power": 0.5}, "power must be a number"),
        ("mean_tweedie_deviance", BOTH, {}, "y_true must be one-dimensional"),
        ("r2_score", (Y, BOTH[1]), {}, "same outputs"),
        ("r2_score", ([1.0, np.nan], [1.0, 1.0]), {}, "NaN or infinity in y_true"),
        ("mase_loss", ([1, 2], [1, 2]), {}, "one of y_train and scale, found neither"),
        ("mase_loss", ([1, 2], [1, 2]), {"scale": 1.0, "y_train": [1, 2]}, "found both"),
        ("mase_loss", ([1, 2], [1, 2]), {"y_train": [1, 2], "period": 2}, "than period=2 values"),
        ("mase_loss", ([1, 2], [1, 2]), {"y_train": [1, np.inf]}, "infinity in y_train"),
        ("mase_loss", ([1, 2], [1, 2]), {"scale": 0}, "scale must be a finite number"),
        ("mase_loss", ([1, 2], [1, 2]), {"scale": 1, "period": 0}, "period must be a whole number"),
    ],
)
def test_bad_input(name, arrays, given, message):
    with pytest.raises(ValueError, match=message):
        getattr(regression, name)(*arrays, **given)
