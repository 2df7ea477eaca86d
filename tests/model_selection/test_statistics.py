"""Means over folds and pooled predictions: variances and intervals by hand, what is said of them."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer as theirs
from sklearn.metrics import make_scorer
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import skaucx.metrics as m
from skaucx.inference import Confidence, interval
from skaucx.inference._intervals.limits import wilson
from skaucx.metrics import get_scorer
from skaucx.metrics._registry.declare import METRICS as DECLARED
from skaucx.model_selection import Decisions, nested_cross_validate
from skaucx.model_selection.execution._job import Dataset, Outcome
from skaucx.model_selection.execution._out_of_fold import Pooled, pool, score_bounds
from skaucx.model_selection.results._statistics import (
    MetricStatistics,
    SamplingVariance,
    corrected_error,
    fold_interval,
    moments,
    satterthwaite,
)
from tests.metrics.needed import needed_parameters

NAN = np.nan
SCORES = np.array([0.7, 0.9, 0.8, 0.6, 0.75, 0.85])
SIZES = np.full(6, 90), np.full(6, 10)


def test_moments_skip_the_undefined():
    table = np.array([[1.0, 2.0, 6.0], [1.0, NAN, 6.0], [NAN, 4.0, NAN], [NAN, NAN, NAN]])
    mean, sd = moments(table)
    np.testing.assert_allclose(mean, [3, 3.5, 4, NAN])
    np.testing.assert_allclose(sd, [np.sqrt(7), np.sqrt(12.5), NAN, NAN])
    assert moments(table[0])[1] == np.std(table[0], ddof=1)


@pytest.mark.parametrize(("level", "n_test"), [(0.9, 0), (0.5, 10), (0.95, 10)])
def test_interval_is_students_widened_by_the_overlap(level, n_test):
    low, high = fold_interval(SCORES, SIZES[0], np.full(6, n_test), confidence_level=level)
    half = stats.t.ppf(0.5 + level / 2, 5) * SCORES.std(ddof=1) * np.sqrt(1 / 6 + n_test / 90)
    np.testing.assert_allclose([low, high], [SCORES.mean() - half, SCORES.mean() + half])


def test_interval_counts_the_defined_folds_and_their_sizes():
    gaps = np.append(SCORES, [NAN, NAN])
    sizes = np.append(SIZES[0], [1, 1]), np.append(SIZES[1], [99, 99])
    np.testing.assert_allclose(
        [*fold_interval(gaps, *sizes)], [*fold_interval(SCORES, *SIZES)], rtol=1e-12
    )
    low, high = fold_interval(SCORES[:2], np.array([30, 60]), np.array([10, 20]))
    half = stats.t.ppf(0.975, 1) * SCORES[:2].std(ddof=1) * np.sqrt(1 / 2 + 1 / 3)
    np.testing.assert_allclose(high - low, 2 * half)
    one = fold_interval(np.array([0.5, NAN]), *np.ones((2, 2), dtype=int))
    assert np.isnan([*one]).all()


def test_folds_of_fewer_than_five_rows_have_no_mean():
    for rows, averaged in ((4, False), (5, True)):
        found = MetricStatistics(SCORES, Pooled(0.8), SIZES[0], np.full(6, rows), metric="f1")
        assert (found.pooled_only == "") == averaged
        assert found.mean == pytest.approx(SCORES.mean() if averaged else NAN, nan_ok=True)
        assert np.isnan(found.sd) == (not averaged)
    alike = MetricStatistics(SCORES, Pooled(SCORES.mean()), SIZES[0], np.full(6, 4))
    assert alike.mean == pytest.approx(SCORES.mean())


def test_a_rate_without_differences_between_models_has_wilsons_ends():
    n = np.asarray(60 / (1 + 1 / 9))
    for rate in (0.9, 1.0):
        variance = rate * (1 - rate)
        noise = SamplingVariance(variance / 60, variance / 10, 60, 60, "binomial variance")
        found = fold_interval(np.full(6, rate), *SIZES, noise, (0, 1))
        np.testing.assert_allclose([*found], wilson(rate * n, n, 0.95), rtol=1e-12)


def test_models_that_differ_widen_the_interval():
    noise = SamplingVariance(0.0004, 0.0024, NAN, 30, "influence curves")
    alike, unlike = (
        fold_interval(0.8 + spread * (SCORES - SCORES.mean()), *SIZES, noise, (0, 1))
        for spread in (0.1, 1)
    )
    assert alike.standard_error == pytest.approx(np.sqrt(0.0004 * (1 + 1 / 9)), rel=1e-12)
    excess = SCORES.var(ddof=1) - 0.0024
    variance = 0.0004 * (1 + 1 / 9) + excess * (1 / 6 + 1 / 9)
    assert unlike.standard_error == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert unlike.high - unlike.low > alike.high - alike.low


def test_the_corrected_error_of_two_folds():
    mean, error, df = corrected_error(np.array([0.8, 0.6, NAN]), np.full(3, 20), np.full(3, 10))
    assert (mean, df) == (pytest.approx(0.7), 1)
    assert error == pytest.approx(np.sqrt((1 / 2 + 1 / 2) * 0.02))


def test_degrees_of_freedom_of_rows_or_groups_and_of_models():
    rows, groups = (SamplingVariance(0.01, 0.05, NAN, 30, "", groups=n) for n in (0, 12))
    assert satterthwaite(0.02, 0.0, 5, rows) == np.inf
    assert satterthwaite(0.02, 0.01, 5, rows) == pytest.approx(0.03**2 / (0.01**2 / 4))
    both = 0.02**2 / 11 + 0.01**2 / 4  # of 12 groups and of 5 folds
    assert satterthwaite(0.02, 0.01, 5, groups) == pytest.approx(0.03**2 / both)


def test_equal_folds_have_an_exact_interval_or_none():
    perfect = fold_interval(np.ones(5), *np.full((2, 5), 20), None, (0, 1))
    assert perfect.method == "exact"
    assert perfect.low == pytest.approx(0.025 ** (1 / 5), rel=1e-12)
    assert np.isnan([*fold_interval(np.ones(5), *np.full((2, 5), 20))]).all()


def test_a_loss_as_a_score_stays_below_0():
    found = fold_interval(np.array([-0.01, -0.5, -0.02]), *np.full((2, 3), 20), None, (-np.inf, 0))
    assert found.low < found.estimate < found.high < 0


X, Y = make_classification(120, n_features=5, flip_y=0.2, random_state=0)
WORDS = np.array(["healthy", "ill"])[Y]
TWICE = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
SPLITS = list(StratifiedKFold(4, shuffle=True, random_state=0).split(X, Y))
METRICS = [
    "roc_auc", "accuracy", "recall", "f1", "mm7_auc", "neg_log_loss", "average_precision",
    "neg_brier_score_loss", "neg_hamming_loss",
]  # fmt: skip


def nested(n=120, x=X, y=Y, model=None, **options):
    given = {"scoring": METRICS, "outer_cv": SPLITS, "inner_cv": 2, "final": None, **options}
    return nested_cross_validate(model or GaussianNB(), {}, x[:n], y[:n], **given)


def text(printed):
    return " ".join(str(printed).split())


@pytest.fixture(scope="module")
def result():
    return nested()


def test_the_noise_of_an_auc_is_delongs_variance_in_the_folds(result):
    p = result.predictions
    found = [
        interval("roc_auc", p.y_true[own], p.responses["predict_proba"][own, 1])
        for own in (p.fold == fold for fold in range(4))
    ]
    variance = np.mean([one.standard_error**2 for one in found])
    noise = result.statistics("roc_auc").noise()
    assert noise.of_fold == pytest.approx(variance, rel=1e-10)
    assert noise.of_mean == pytest.approx(variance / 4, rel=1e-10)
    assert result.interval("roc_auc").method == "folds, influence curves"


def test_the_noise_of_a_rate_is_binomial(result):
    p = result.predictions
    for name, right in (
        ("accuracy", p.y_true == p.y_pred),
        ("recall", p.y_pred[p.y_true == 1] == 1),
    ):
        noise = result.statistics(name).noise()
        assert noise.trials == pytest.approx(len(right), rel=1e-9)
        assert noise.of_mean == pytest.approx(right.var() / len(right), rel=1e-9)


def test_the_noise_of_a_mean_of_losses_is_its_standard_error(result):
    """Class counts are random with the rows: what differs between the classes belongs to it."""
    p = result.predictions
    chance = p.responses["predict_proba"][np.arange(len(p.row)), p.y_true]
    losses = {"neg_log_loss": -np.log(chance), "neg_brier_score_loss": (1 - chance) ** 2}
    for name in ("accuracy", "neg_hamming_loss"):
        losses[name] = 1.0 * (p.y_pred == p.y_true)
    for name, loss in losses.items():
        noise = result.statistics(name).noise()
        if name in ("neg_log_loss", "neg_brier_score_loss"):
            assert noise.of_fold == pytest.approx(loss.var(ddof=1) / 30, rel=1e-9)
        assert noise.of_mean == pytest.approx(loss.var(ddof=1) / 120, rel=0.01)
        low, high = result.interval(name)
        assert high - low > 3.9 * np.sqrt(noise.of_mean), name


@pytest.mark.parametrize("name", METRICS)
def test_rows_that_are_tested_twice_count_once(result, name):
    once = result.statistics(name).noise()
    twice = nested(outer_cv=SPLITS * 2).statistics(name).noise()
    assert twice.of_mean == pytest.approx(once.of_mean, rel=0.02)
    assert twice.of_fold == pytest.approx(once.of_fold, rel=0.05)


RANGES = {"gini": (-1, 1), "matthews_corrcoef": (-1, 1), "neg_log_loss": (-np.inf, 0)}


@pytest.mark.parametrize(
    "name", [*METRICS[:7], "mm1_auc", "gini", "matthews_corrcoef", "recall_macro"]
)
@pytest.mark.parametrize("kind", ["perfect", "useless", "usual", "hold-out"])
@pytest.mark.filterwarnings("ignore:.*undefined for every candidate:UserWarning")
def test_intervals_stay_in_the_range_and_have_a_width(name, kind):
    x = np.c_[Y, Y] * 1.0 if kind == "perfect" else X
    model = DummyClassifier() if kind == "useless" else DecisionTreeClassifier(random_state=0)
    outer = PredefinedSplit(np.where(np.arange(120) < 80, -1, 0)) if kind == "hold-out" else SPLITS
    found = nested(x=x, model=model, outer_cv=outer, scoring=[name]).interval(name)
    low, high = RANGES.get(name, (0, 1))
    if name == "neg_log_loss" and kind == "perfect":
        assert np.isnan([*found]).all()  # all losses are 0, of a range without end
    elif not np.isnan(found.estimate):
        assert low <= found.low < found.high <= high
        assert found.low <= found.estimate <= found.high


def test_one_sided_intervals(result):
    for name, ends in (("roc_auc", (0, 1)), ("neg_log_loss", (-np.inf, 0))):
        two = result.interval(name, 0.9)
        low, high = result.interval(name, Confidence(0.95, alternative="greater"))
        assert (low, high) == (two.low, ends[1])
        one = result.interval(name, Confidence(alternative="less"))
        assert (*one, one.confidence_level) == (ends[0], two.high, 0.95)


def test_a_threshold_that_is_chosen_inside_narrows_no_interval_and_changes_none_of_probabilities():
    scoring = ["roc_auc", "neg_brier_score", "accuracy", "f1"]
    plain = nested(scoring=scoring)
    cut = nested(scoring=scoring, decisions=Decisions(threshold="f1"))
    for name in scoring[:2]:
        assert [*plain.interval(name)] == [*cut.interval(name)]
    for name in scoring[2:]:
        found = cut.interval(name)
        assert [*plain.interval(name)] != [*found]
        corrected = fold_interval(cut.test_scores[name], cut.n_train, cut.n_test, bounds=(0, 1))
        assert found.high - found.low > 0.95 * (corrected.high - corrected.low)
        assert found.method.endswith("or the corrected t where it is wider")


@pytest.mark.filterwarnings("ignore")  # of small folds
def test_means_over_folds_of_one_row_are_the_pooled_value_or_missing():
    names = [*METRICS, "specificity", "precision", "npv", "matthews_corrcoef", "balanced_accuracy",
             "cohen_kappa", "g_mean", "fowlkes_mallows_index", "jaccard",
             "neg_binned_calibration_error"]  # fmt: skip
    result = nested(30, scoring=names, outer_cv=LeaveOneOut())
    for name in names:
        found = result.statistics(name)
        if np.isnan(found.mean):
            assert np.isnan([*result.interval(name)]).all(), name
        else:
            assert found.mean == pytest.approx(found.pooled.value), name
    assert np.isnan([result.statistics(name).mean for name in ("f1", "recall")]).all()
    assert not np.isnan(result.statistics("neg_brier_score_loss").interval().low)
    for said in (result.interval("f1").note, text(result.summary())):
        assert "not averaged over folds of 1 row; use the pooled value" in said
    several = nested(30, scoring=["accuracy"], outer_cv=3)
    assert [str(run.summary()).count("Pooled: the score") for run in (result, several)] == [1, 0]


@pytest.mark.filterwarnings("ignore")  # of small folds
def test_few_groups_have_a_note():
    names = ["roc_auc", "accuracy", "neg_log_loss"]
    few, many = (
        nested(60, scoring=names, outer_cv=GroupKFold(3), inner_cv=GroupKFold(2),
               groups=np.arange(60) % n_groups)
        for n_groups in (6, 30)
    )  # fmt: skip
    for name in names:
        assert "6.0 effective groups of 6: below 10" in few.interval(name).note
        assert not many.interval(name).note
    assert "Note: 6.0 effective groups of 6: below 10" in text(few.summary())


@pytest.mark.filterwarnings("ignore")  # of small folds
def test_what_is_said_of_test_parts():
    """Rows that no fold tests, rows in order of time, and parts of unequal size have a note each."""
    every = np.arange(60)
    parts = every[:30], every[30:50], every[50:]
    notes = {
        "tested by no": "time", "rows after those": "time", "outer test parts have": "unequal",
    }  # fmt: skip
    told = {
        kind: text(nested(n, scoring="accuracy", outer_cv=cv).summary())
        for kind, n, cv in (
            ("time", 60, TimeSeriesSplit(3)),
            ("unequal", 60, [(np.setdiff1d(every, part), part) for part in parts]),
            ("equal", 60, KFold(3)),
            ("nearly equal", 59, KFold(4)),
        )
    }
    for said, where in notes.items():
        assert [kind for kind, summary in told.items() if said in summary] == [where]
    lost = "15 rows of 60 are tested by no outer fold; every score is about the other 45."
    assert lost in told["time"]
    assert "tests on rows after those that it trains on" in told["time"]
    assert "The outer test parts have 10 to 30 rows" in told["unequal"]


def test_every_number_names_its_target(result):
    for name in result.test_scores:
        assert result.interval(name).target == "the procedure, fitted on about 90 rows"
        assert result.pooled_interval(name).target == "the fitted models, joined"


def test_values_are_those_of_the_functions():
    """A row counts as often as it was tested, with its weight."""
    metrics = ["roc_auc", "mm7_auc", "f1", "neg_log_loss", "matthews_corrcoef"]
    weight = np.random.default_rng(0).integers(1, 5, 120).astype(float)
    given = {"sample_weight": weight, "pos_label": "ill", "outer_cv": TWICE}
    result = nested(model=LogisticRegression(), y=WORDS, scoring=metrics, **given)
    p = result.predictions
    assert np.bincount(p.row).tolist() == [2] * 120
    ill, own = p.responses["predict_proba"][:, 1], {"sample_weight": weight[p.row]}
    expected = {
        "roc_auc": m.roc_auc_score(p.y_true, p.responses["decision_function"], **own),
        "mm7_auc": m.mm7_auc_score(p.y_true, ill, pos_label="ill", **own),
        "f1": m.f1_score(p.y_true, p.y_pred, pos_label="ill", **own),
        "neg_log_loss": -m.log_loss(p.y_true, ill, **own),
    }
    assert {name: result.pooled[name].value for name in expected} == expected
    assert all(result.statistics(name).pooled.reason is None for name in metrics)
    assert abs(expected["roc_auc"] - result["test_roc_auc"].mean()) > 1e-4


def test_scorers_of_other_kinds():
    def size(estimator, X, y):
        return float(len(X))

    def coefficient(estimator, X, y):
        return float(estimator.coef_[0, 0])

    scoring = {"theirs": theirs("f1"), "size": size, "coefficient": coefficient, "ours": "f1"}
    found = nested(model=LinearSVC(), scoring=scoring).pooled
    assert found["theirs"].value == found["ours"].value > 0.5
    assert np.isnan(found["size"].value)
    assert found["size"].reason.startswith("TypeError: ")
    missing = "AttributeError: coef_ is not among the pooled predictions"
    assert found["coefficient"].reason == missing


def test_undefined_values_say_so():
    ones = [(np.arange(45), np.flatnonzero(Y == 1)[-5:])]
    found = nested(scoring="roc_auc", outer_cv=ones).pooled["roc_auc"]
    assert np.isnan(found.value)
    assert found.reason == "undefined on the pooled predictions"


def test_predictions_in_print_and_as_a_frame():
    rows = pd.DataFrame(X, index=[f"patient {i}" for i in range(120)])
    held = nested(
        y=np.where(Y, "ill", "well"), x=rows, pos_label="ill", scoring="accuracy"
    ).predictions
    lines = repr(held).splitlines()
    assert lines[0] == "120 out-of-fold predictions of 4 outer folds"
    assert lines[-1] == "... and 110 more: to_frame()"
    assert len(lines) == 13
    frame = held.to_frame()
    assert frame.index.tolist() == [f"patient {i}" for i in held.row]
    assert list(frame.columns) == ["row", "fold", "y", "y_pred", "p_ill"]
    np.testing.assert_array_equal(frame["p_ill"], held.responses["predict_proba"][:, 0])
    assert ((frame["p_ill"] > 0.5) == (frame["y_pred"] == "ill")).all()
    frame = nested(y=np.arange(120) % 3, scoring="accuracy").predictions.to_frame()
    assert list(frame.columns)[4:] == ["p_0", "p_1", "p_2"]
    np.testing.assert_allclose(frame[["p_0", "p_1", "p_2"]].sum(axis=1), 1)


def joined(*outcomes):
    y = np.array(["a", "b", "c", "a"])
    tests = [np.array([3, 1]), np.array([0]), np.array([2])]
    return pool(Dataset(np.zeros((4, 1)), y, None, None, False), tests, outcomes)


def outcome(labels, classes, **responses):
    arrays = {name: np.array(values) for name, values in responses.items()}
    return Outcome({}, {**arrays, "predict": np.array(list(labels))}, np.array(list(classes)))


def test_columns_follow_all_classes():
    found = joined(
        outcome("ac", "ac", predict_proba=[[0.8, 0.2], [0.1, 0.9]], decision_function=[-1.0, 2.0]),
        outcome("b", "abc", predict_proba=[[0.2, 0.5, 0.3]], decision_function=[[1.0, 2.0, 3.0]]),
        outcome("c", "bc", predict_proba=[[0.4, 0.6]], decision_function=[[4.0, 5.0]]),
    )
    assert found.row.tolist() == [3, 1, 0, 2]
    assert found.fold.tolist() == [0, 0, 1, 2]
    assert found.y_true.tolist() == ["a", "b", "a", "c"]
    assert found.y_pred.tolist() == ["a", "c", "b", "c"]
    assert found.classes.tolist() == ["a", "b", "c"]
    chances = [[0.8, 0, 0.2], [0.1, 0, 0.9], [0.2, 0.5, 0.3], [0, 0.4, 0.6]]
    np.testing.assert_array_equal(found.responses["predict_proba"], chances)
    decisions = [[1, -2, -1], [-2, -2, 2], [1, 2, 3], [0, 4, 5]]
    np.testing.assert_array_equal(found.responses["decision_function"], decisions)


def test_response_that_a_fold_lacks_is_left_out():
    found = joined(
        outcome("ab", "ab", predict_proba=[[1.0, 0.0], [0.0, 1.0]]),
        outcome("b", "ab"),
        outcome("b", "ab", predict_proba=[[0.0, 1.0]]),
    )
    assert found.responses == {}
    assert found.y_pred.tolist() == ["a", "b", "b", "b"]


def test_an_interval_is_that_of_the_pooled_predictions():
    result = nested(y=WORDS, scoring="accuracy")
    held, found = result.predictions, result.pooled_interval("accuracy")
    expected = interval("accuracy", held.y_true, held.y_pred)
    assert (found.low, found.high) == (expected.low, expected.high)
    # Ranks across folds compare scores of different models: the value has no interval.
    auc, score = result.pooled_interval("roc_auc"), held.responses["predict_proba"][:, 1]
    assert auc.estimate == interval("roc_auc", held.y_true == "ill", score).estimate
    assert np.isnan([auc.low, auc.high]).all()
    assert auc.method == "none"
    assert "there is none; interval() is that of the mean of the folds" in auc.note
    with pytest.raises(ValueError, match="pass pos_label"):
        result.pooled_interval("recall")
    recall = result.pooled_interval("recall", pos_label="ill").estimate
    assert recall == pytest.approx(np.mean(held.y_pred[held.y_true == "ill"] == "ill"))
    with pytest.raises(ValueError, match="predict_proba"):
        nested(model=LinearSVC(), scoring="accuracy").pooled_interval("mm7_auc")


def test_rows_tested_twice_are_drawn_together():
    once, twice = (nested(scoring="accuracy", outer_cv=cv) for cv in (SPLITS, TWICE))
    ask = {"method": "percentile", "random_state": 0, "n_resamples": 500}
    errors = [r.pooled_interval("accuracy", **ask).standard_error for r in (once, twice)]
    assert errors[1] == pytest.approx(errors[0], rel=0.25)
    with pytest.raises(ValueError, match="method must be one of"):
        twice.pooled_interval("accuracy", method="wilson")


def test_the_range_of_a_score_is_that_of_its_function():
    """Whoever makes the scorer, of every metric of labels and scores."""
    for name, function in DECLARED.items():
        own, row = needed_parameters(name), function.metric
        sign = -1 if row.greater_is_better is False else 1
        ends = tuple(sorted(sign * end for end in row.bounds))
        made = make_scorer(function, greater_is_better=sign > 0, **own)
        bound = make_scorer(functools.partial(function, **own), greater_is_better=sign > 0)
        assert score_bounds(made) == score_bounds(bound) == ends
        assert score_bounds(get_scorer(row.scorer_name, **own)) == ends
    assert score_bounds(get_scorer("accuracy", normalize=False)) == (0, np.inf)
    assert score_bounds(make_scorer(lambda y, called: 0.5)) == (-np.inf, np.inf)
