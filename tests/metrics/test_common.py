"""What holds for every metric of the registry: a new metric is tested here without a line more."""

from __future__ import annotations

import functools
import gc
import importlib
import inspect
import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

import skaucx.metrics as sm
from skaucx.inference import interval
from skaucx.metrics import Counts, get_scorer, one_pass_scorer
from skaucx.metrics._registry.declare import ALIASES, METRICS
from skaucx.metrics._registry.names import _WITH_PARAMETERS, named_metric, scorer_names
from tests.closeness import rounding
from tests.each import each
from tests.metrics.needed import OF_CLASSES, evaluated, needed_parameters

undefined_ok = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")

# Of the metrics that read the order of scores, these keep their value under affine maps only.
AFFINE_ONLY = {"mm1_auc", "mm4_auc"}
# The value of a perfect prediction with scores 0 and 1, where that is not the row's `best`.
BEST_ON_0_AND_1 = {"soft_auc": 1 / (1 + math.exp(-7))}
NO_BEST = {
    "prevalence", "expected_cost", "pairwise_auc", "recall_at_k", "lift",
    "robust_initial_enhancement", "calibration_slope", "calibration_intercept",
    "observed_expected_ratio", "discrimination_component", "uncertainty_component",
    "mutual_information", "no_information_rate", "predicted_positive_rate", "net_benefit",
    "true_positives", "true_negatives", "phi_squared", "contingency_coefficient",
    "chance_agreement", "class_entropy", "class_cross_entropy", "precision_lift", "information",
    "pointwise_mutual_information", "excess_of_calls", "feasible", "best_feasible",
}  # fmt: skip
# A mean over the coverages 1/n to 1 is another one where every row stands twice.
A_ROW_IS_AN_EXAMPLE = {"aurc_loss", "excess_aurc_loss"}
# Metrics that have a value where one class only is scored.
DEFINED_FOR_ONE_CLASS = {
    "average_precision", "pr_auc", "precision_at_k", "recall_at_k", "lift",
    "robust_initial_enhancement", "precision_at_recall", "recall_at_precision",
}  # fmt: skip
# Metrics of rates whose denominators may vanish: undefined wherever one of these totals is zero.
UNDEFINED_WITHOUT = {
    "positives": "recall false_negative_rate g_mean fowlkes_mallows_index informedness",
    "negatives": "specificity false_positive_rate g_mean informedness",
    "predicted_positives": "precision false_discovery_rate fowlkes_mallows_index markedness",
    "predicted_negatives": "npv false_omission_rate markedness",
    "total": "accuracy zero_one_loss type_i_error type_ii_error prevalence",
}
# Ratios of two rates, which may be 0/0 with both classes there too.
RATIOS = ["positive_likelihood_ratio", "negative_likelihood_ratio", "prevalence_threshold"]
# Values of parameters that are tried beside the defaults.
FURTHER = {
    "precision": [{"prevalence": 0.3}], "npv": [{"prevalence": 0.3}], "mm4_auc": [{"floor": 0.9}],
    "balanced_accuracy": [{"adjusted": True}], "cohen_kappa": [{"weights": "linear"}],
    "roc_auc": [{"ties": "win"}], "partial_roc_auc": [{"tpr": (0.5, 1), "standardize": True}],
}  # fmt: skip
# Symmetric for some values of their parameters, such as the default, only.
PARAMETERS_DECIDE = {"partial_roc_auc", "pairwise_auc", "h_measure"}
# The metric that has the value where the classes, and with them the scores, are exchanged.
SWAPPED = {
    "recall": "specificity", "npv": "precision", "false_negative_rate": "false_positive_rate",
    "false_discovery_rate": "false_omission_rate", "type_i_error": "type_ii_error",
    "true_negatives": "true_positives",
}  # fmt: skip
SWAPPED |= {other: name for name, other in SWAPPED.items()}
SWAPPED |= {row.name: row.name for row in sm.list_metrics() if row.symmetric}
# Where truth and prediction are exchanged.
TRANSPOSED = {
    "precision": "recall", "npv": "specificity", "false_discovery_rate": "false_negative_rate",
    "false_omission_rate": "false_positive_rate", "type_i_error": "type_ii_error",
    "informedness": "markedness",
}  # fmt: skip
TRANSPOSED |= {other: name for name, other in TRANSPOSED.items()}
ITSELF = """
    true_positives true_negatives f1 fowlkes_mallows_index p4 jaccard gilbert_skill
    diagnostic_odds_ratio accuracy zero_one_loss matthews_corrcoef cohen_kappa scott_pi gwet_ac1
    bennett_s prevalence_adjusted_kappa bangdiwala_b chance_agreement cramer_v phi_squared
    contingency_coefficient rand_index adjusted_rand_index macro_accuracy mutual_information
    confusion_entropy precision_lift pointwise_mutual_information hamming_loss yule_q yule_y
    discriminant_power krippendorff_alpha aickin_alpha overlap_coefficient braun_blanquet
    kulczynski_index classification_success_index bray_curtis_dissimilarity
"""
TRANSPOSED |= {name: name for name in ITSELF.split()}


def every(condition=lambda row: True):
    """Run a test for each metric whose row satisfies a condition."""
    return each("metric", filter(lambda f: condition(f.metric), OF_CLASSES.values()))


def reads_labels(row):
    return row.kind.counted


def reads_scores(row):
    return not row.kind.counted


def of_columns(row):
    """Whether the scores of all classes are read at once."""
    return row.kind.name in ("probabilities", "columns", "margins")


def ranks(row):
    return row.kind.scale is not None


def needed(metric, classes=2):
    return needed_parameters(metric.metric.name, classes)


def same(left, right, rel=1e-12):
    if isinstance(left, float) and left == right:
        return
    np.testing.assert_allclose(left, right, rtol=rel, atol=rounding(20), equal_nan=True)


@functools.cache
def binary(seed, ties=False, n=61):
    """Return labels 0/1, predicted labels and scores in (0, 1); both classes and errors occur."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    y[:4] = [0, 1, 0, 1]
    score = np.clip(0.25 + 0.3 * y + rng.normal(0, 0.25, n), 0.05, 0.95)
    score = np.clip(np.round(score, 1), 0.1, 0.9) if ties else score
    pred = (score > 0.45).astype(int)
    pred[:4] = [0, 0, 1, 1]
    return read_only(y), read_only(pred), read_only(score)


@functools.cache
def several(seed, ties=False, n=90):
    """Return labels 0 to 2, predicted labels and a matrix of probabilities."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    y[:3] = range(3)
    score = rng.random((n, 3)) + np.eye(3)[y] * 0.5
    score /= score.sum(axis=1, keepdims=True)
    if ties:
        score = np.clip(np.round(score * 8), 1, None)
        score /= score.sum(axis=1, keepdims=True)
    return read_only(y), read_only(rng.permutation(score.argmax(axis=1))), read_only(score)


def read_only(array):
    """Return an array that tests share, and none of them may write."""
    array = np.array(array)
    array.flags.writeable = False
    return array


def weights(y):
    return None, np.random.default_rng(5).uniform(0.1, 3, len(y))


def inputs(metric, data):
    y, pred, score = data
    return y, pred if metric.metric.kind.counted else score


def of_three(metric, seed, ties=False):
    """Yield three classes with ways to average; the macro average has tests of its own.

    The values of the classes and their micro average without ties, the weighted average with them.
    """
    arrays = inputs(metric, several(seed, ties))
    averages = ("weighted",) if ties else ("micro", None)
    if ranks(metric.metric):
        for average in averages:
            yield *arrays, {"multi_class": "ovr", "average": average}
        yield *arrays, {"multi_class": "ovo", "average": "weighted" if ties else "macro"}
    elif metric.metric.kind.name == "counts":
        for average in averages:
            yield *arrays, {"average": average}
    else:
        yield *arrays, {}


def problems(metric, seed):
    """Yield a call of the metric, labels, and what it reads: of two and of three classes."""
    for ties in (False, True):
        arrays = inputs(metric, binary(seed, ties))
        for options in ({}, *FURTHER.get(metric.metric.name, ())):
            yield functools.partial(evaluated, metric, **options), *arrays
        for y, other, options in of_three(metric, seed, ties):
            yield functools.partial(evaluated, metric, classes=3, **options), y, other


# ---- the registry ----


@every()
def test_names(metric):
    row, public = metric.metric, importlib.import_module(metric.__module__)
    assert metric.__name__ in public.__all__
    assert getattr(public, metric.__name__) is metric
    assert METRICS[row.name] is metric
    for name in (row.name, metric.__name__, *row.aliases):
        assert named_metric(name).function is metric
    assert row.scorer_name.startswith("neg_") == (row.greater_is_better is False)
    if row.greater_is_better and row.name != metric.__name__:
        assert metric.__name__.endswith("_score")


def test_no_alias_is_taken_twice():
    rows = [function.metric for function in METRICS.values()]
    taken = [name for row in rows for name in row.aliases]
    assert len(set(taken)) == len(taken)
    assert set(ALIASES) == set(taken)
    assert not {alias for row in rows for alias in row.aliases} & set(METRICS)


@every()
def test_ends_of_the_row_agree(metric):
    row = metric.metric
    low, high = row.bounds
    assert low < high
    if row.name in NO_BEST:
        assert math.isnan(row.best)
    else:
        assert row.best == (high if row.greater_is_better else low)
    assert math.isnan(row.undefined) or row.undefined == (row.greater_is_better is False)


@every()
def test_signature_is_true(metric):
    first, second, *options = inspect.signature(metric).parameters.values()
    assert {first.kind, second.kind} == {first.POSITIONAL_OR_KEYWORD}
    assert {each.kind for each in options} == {first.KEYWORD_ONLY}
    for arrays, more, told in (
        ([[0, 1]], {}, "missing"),
        ([[0, 1], [0, 1]], {"unknown": 1}, "unknown"),
        ([[0, 1], [0, 1], None], {}, "positional"),
        ([[0, 1], [0, 1]], {first.name: [0, 1]}, first.name),
    ):
        with pytest.raises(TypeError, match=f"{metric.__name__}.*{told}"):
            metric(*arrays, **needed(metric), **more)


# ---- rows and their weights ----


@every()
def test_order_of_rows_is_irrelevant(metric):
    for value, y, other in problems(metric, 1):
        turn = np.random.default_rng(0).permutation(len(y))
        for w in weights(y):
            turned = None if w is None else w[turn]
            expected = value(y, other, sample_weight=w)
            same(value(y[turn], other[turn], sample_weight=turned), expected)


@every(lambda row: "reads_size" not in row.traits)
def test_scale_of_weights_is_irrelevant(metric):
    for value, y, other in problems(metric, 2):
        same(value(y, other, sample_weight=np.full(len(y), 7.3)), value(y, other))
        _, weight = weights(y)
        expected = value(y, other, sample_weight=weight)
        for factor in (1e-200, 4e9, 1e200):
            same(value(y, other, sample_weight=factor * weight), expected)


@every(lambda row: row.name not in A_ROW_IS_AN_EXAMPLE)
def test_integer_weights_repeat_rows(metric):
    for value, y, other in problems(metric, 3):
        weight = np.random.default_rng(7).integers(1, 5, len(y))
        repeated = np.repeat(np.arange(len(y)), weight)
        same(value(y, other, sample_weight=weight), value(y[repeated], other[repeated]))


@every()
def test_zero_weights_delete_rows(metric):
    for value, y, other in problems(metric, 4):
        weight = np.random.default_rng(8).integers(0, 3, len(y))
        weight[:6] = 1
        kept = weight > 0
        expected = value(y[kept], other[kept], sample_weight=weight[kept])
        same(value(y, other, sample_weight=weight), expected, rel=0)


@every()
def test_a_row_of_no_weight_may_hold_another_class_or_an_outlier(metric):
    for value, y, other in problems(metric, 4):
        odd_labels, odd_rows = np.append(y, 7), np.concatenate([other, other[:1]])
        if not metric.metric.kind.counted:
            odd_rows[-1] = -1e300
        weight = np.append(np.ones(len(y)), 0)
        same(value(odd_labels, odd_rows, sample_weight=weight), value(y, other), rel=0)


# ---- labels ----

NAMINGS = [
    ([False, True], None), ([0.0, 1.0], None), ([-1, 1], None),
    (np.array([0, 1], dtype=np.uint8), None), (["no", "yes"], "yes"),
    (np.array(["no", "yes"], dtype=object), "yes"), (["b", "a"], "a"), ([1, 0], 0),
    ([10**12, -(10**12)], -(10**12)), ([3.0, 2.0], 2),
]  # fmt: skip


def named(metric, names, y, other):
    """Return labels by names, also as predictions."""
    names = np.asarray(names)
    return names[y], names[other] if metric.metric.kind.counted else other


@every()
@each("names, positive", NAMINGS)
def test_names_of_two_classes_are_irrelevant(metric, names, positive):
    y, other = inputs(metric, binary(5))
    options = {"pos_label": positive}
    if "pos_label" not in metric.options:
        options["labels"] = names
    for w in weights(y):
        found = evaluated(metric, *named(metric, names, y, other), **options, sample_weight=w)
        same(found, evaluated(metric, y, other, sample_weight=w))


@every()
def test_names_of_three_classes_are_irrelevant(metric):
    for y, other, options in of_three(metric, 6):
        expected = evaluated(metric, y, other, 3, **options)
        for names in (["a", "b", "c"], [-5, 0, 10**6], [1.0, 2.0, 3.0]):
            found = evaluated(metric, *named(metric, names, y, other), 3, **options)
            same(found, expected, rel=0)


@every(lambda row: row.kind.name != "table")
def test_labels_names_a_class_that_does_not_occur(metric):
    """Zeros and ones mean the same beside ``labels``, and a missing class keeps its place."""
    y, other = inputs(metric, binary(5))
    same(evaluated(metric, y, other, labels=[0, 1]), evaluated(metric, y, other), rel=0)
    if metric.metric.kind.counted:
        options = {"labels": [1, 0, 5], "average": None, "zero_division": np.nan}
        values = evaluated(metric, y, other, **options)
        same(values[:2], evaluated(metric, y, other, average=None)[::-1], rel=0)


@every(lambda row: row.kind.name != "table")
@undefined_ok
def test_a_lone_class_of_known_side_has_the_value_it_has_beside_labels(metric):
    other = [1, 1, 0] if metric.metric.kind.counted else [0.9, 0.7, 0.2]
    for names in ([0, 1], [False, True]):
        for lone in ([0] * 3, [1] * 3):
            arrays = named(metric, names, lone, other)
            same(evaluated(metric, *arrays), evaluated(metric, *arrays, labels=names), rel=0)


# ---- the best value, symmetry ----


@every(lambda row: row.name not in NO_BEST)
def test_perfect_prediction(metric):
    row = metric.metric
    expected = BEST_ON_0_AND_1.get(row.name, row.best)
    y, _, _ = binary(7)
    score = 2.0 * y - 1 if row.kind.name == "margins" else y.astype(float)
    same(evaluated(metric, y, score if reads_scores(row) else y), expected)
    y, _, _ = several(7)
    other = np.eye(3)[y] if reads_scores(row) else y
    same(evaluated(metric, y, other, average="macro", multi_class="ovr"), expected)


@every(lambda row: row.name in SWAPPED)
def test_exchanging_the_classes(metric):
    row, swapped = metric.metric, METRICS[SWAPPED[metric.metric.name]]
    for seed in range(5):
        y, other = inputs(metric, binary(seed))
        turned = -other if row.kind.name == "margins" else 1 - other
        of_zero = other if row.kind.counted else turned
        for w in weights(y):
            expected = evaluated(metric, y, other, sample_weight=w)
            same(evaluated(swapped, 1 - y, turned, sample_weight=w), expected)
            same(evaluated(swapped, y, of_zero, sample_weight=w, pos_label=0), expected)


@every(lambda row: row.name in TRANSPOSED)
def test_exchanging_truth_and_prediction(metric):
    transposed = METRICS[TRANSPOSED[metric.metric.name]]
    for seed in range(5):
        y, pred, _ = binary(seed)
        for w in weights(y):
            expected = evaluated(metric, y, pred, sample_weight=w)
            same(evaluated(transposed, pred, y, sample_weight=w), expected)


@every(lambda row: row.name not in PARAMETERS_DECIDE)
def test_no_symmetry_is_left_undeclared(metric):
    """Whoever declares a symmetric metric without saying so is asked for a needless pos_label."""
    row, turned, exchanged = metric.metric, [], []
    for y, other in (inputs(metric, binary(seed)) for seed in range(6)):
        for w in weights(y):
            value = evaluated(metric, y, other, sample_weight=w)
            turned.append(evaluated(metric, 1 - y, 1 - other, sample_weight=w) - value)
            if row.kind.counted:
                exchanged.append(evaluated(metric, other, y, sample_weight=w) - value)
    if row.name not in SWAPPED and (row.kind.counted or "pos_label" in metric.options):
        assert np.abs(turned).max() > 1e-9
    if row.name not in TRANSPOSED and row.kind.counted:
        assert np.abs(exchanged).max() > 1e-9


# ---- counts ----


def table_of(y, pred, classes, weight=None):
    options = {"labels": range(classes), "sample_weight": weight}
    return sklearn.metrics.confusion_matrix(y, pred, **options).astype(float)


@every(reads_labels)
def test_binary_counts_and_labels_agree(metric):
    given = needed(metric)
    for seed in range(5):
        y, pred, _ = binary(seed)
        for w in weights(y):
            (tn, fp), (fn, tp) = table_of(y, pred, 2, w)
            expected = evaluated(metric, y, pred, sample_weight=w)
            same(metric.from_counts(tp, fp, fn, tn, **given), expected)
            same(metric.from_counts(tn=tn, fn=fn, fp=fp, tp=tp, **given), expected)
            same(metric.from_table([[tn, fp], [fn, tp]], **given), expected)
            assert isinstance(metric.from_counts(tp, fp, fn, tn, **given), float)


@every(reads_labels)
@undefined_ok
def test_arrays_of_counts_are_read_cell_by_cell(metric):
    given, cells = needed(metric), np.random.default_rng(0).integers(1, 30, (4, 5, 3)).astype(float)
    values = metric.from_counts(*cells, **given)
    assert values.shape == (5, 3)
    for index in np.ndindex(5, 3):
        same(values[index], metric.from_counts(*cells[(slice(None), *index)], **given))
    same(metric.from_table(Counts(*cells).table, **given), values)
    assert metric.from_counts(cells[0], 1, 2, 3, **given).shape == (5, 3)


@every(reads_labels)
def test_tables_of_three_classes_and_labels_agree(metric):
    for y, pred, options in of_three(metric, 9):
        found = metric.from_table(table_of(y, pred, 3), **options, **needed(metric, 3))
        same(found, evaluated(metric, y, pred, 3, **options))


@every(lambda row: row.kind.name == "table")
def test_stacks_of_tables_of_three_classes(metric):
    tables = np.random.default_rng(0).integers(1, 30, (4, 2, 3, 3))
    values = metric.from_table(tables, **needed(metric, 3))
    assert values.shape == (4, 2)
    for index in np.ndindex(4, 2):
        same(values[index], metric.from_table(tables[index], **needed(metric, 3)))


@every(lambda row: row.kind.counted and "reads_size" not in row.traits)
@each("factor", [1e-200, 1e12, 1e200])
def test_scale_of_counts_is_irrelevant(metric, factor):
    cells = np.array([50.0, 7.0, 11.0, 40.0])
    expected = metric.from_counts(*cells, **needed(metric))
    same(metric.from_counts(*(factor * cells), **needed(metric)), expected)


# ---- averages over classes ----


@every(lambda row: row.kind.name == "counts" or ranks(row))
@each("ties", [False, True])
def test_averages_of_one_against_the_rest(metric, ties):
    y, other = inputs(metric, several(13, ties))
    true = np.eye(3, dtype=int)[y]
    columns = other if ranks(metric.metric) else np.eye(3, dtype=int)[other]
    for w in weights(y):
        options = {"multi_class": "ovr", "sample_weight": w}
        value = functools.partial(evaluated, metric, y, other, 3, **options)
        classes = value(average=None)
        for k in range(3):
            same(classes[k], evaluated(metric, true[:, k], columns[:, k], sample_weight=w))
        same(value(average="macro"), classes.mean())
        same(value(average="weighted"), np.average(classes, weights=np.bincount(y, w)))
        flat = None if w is None else np.repeat(w, 3)
        pooled = evaluated(metric, true.ravel(), columns.ravel(), sample_weight=flat)
        same(value(average="micro"), pooled)
        if metric.metric.kind.counted:
            same(value(average=None, labels=[2, 0]), classes[[2, 0]], rel=0)


@every(ranks)
def test_averages_of_one_against_one(metric):
    """Hand & Till 2001: each pair both ways, the columns as they are."""
    y, _, score = several(14)
    _, w = weights(y)
    values, sizes = [], []
    for pair in itertools.combinations(range(3), 2):
        rows = np.isin(y, pair)
        both = [
            evaluated(metric, y[rows] == k, score[rows, k], sample_weight=w[rows]) for k in pair
        ]
        values.append(np.mean(both))
        sizes.append(w[rows].sum())
    options = {"sample_weight": w, "multi_class": "ovo"}
    same(evaluated(metric, y, score, average="macro", **options), np.mean(values))
    weighted = evaluated(metric, y, score, average="weighted", **options)
    same(weighted, np.average(values, weights=sizes))


@every(reads_scores)
def test_columns_are_sorted(metric):
    y, _, score = several(15)
    options = {"multi_class": "ovr", "average": "macro"}
    found = evaluated(metric, y, score, labels=[0, 1, 2], **options)
    same(found, evaluated(metric, y, score, **options))
    with pytest.raises(ValueError, match="labels must be in sorted order"):
        evaluated(metric, y, score[:, [2, 0, 1]], labels=[2, 0, 1], **options)


@every(lambda row: row.kind.name == "unit_values")
def test_rescale(metric):
    y, _, score = binary(16)
    margins = 8 * score - 3
    by_range = (score - score.min()) / (score.max() - score.min())
    same(evaluated(metric, y, margins, rescale="minmax"), evaluated(metric, y, by_range))
    by_odds = 1 / (1 + np.exp(-margins))
    same(evaluated(metric, y, margins, rescale="expit"), evaluated(metric, y, by_odds))


# ---- intervals ----


@undefined_ok
@every()
def test_an_interval_contains_its_estimate(metric):
    """It has a width and lies within the bounds; where there is none, it says why."""
    given = inputs(metric, binary(0))
    found = interval(metric, *given, n_resamples=60, random_state=0, **needed(metric))
    if np.isnan([found.low, found.high]).any():
        assert found.note
        return
    low, high = metric.metric.bounds
    assert low <= found.low <= found.estimate <= found.high <= high
    assert found.low < found.high


# ---- undefined values ----

PATTERNS = each("cells", itertools.product([0.0, 3.0], repeat=4))


@every(reads_labels)
@PATTERNS
def test_undefined_counts(metric, cells):
    """Where nan shows 0/0, the row's value comes with a warning, or the caller's without."""
    value = functools.partial(metric.from_counts, *cells, **needed(metric))
    bare = value(zero_division=np.nan)
    if not math.isnan(bare):
        same(value(), bare, rel=0)
        return
    with pytest.warns(UndefinedMetricWarning, match=metric.metric.name):
        same(value(), metric.metric.undefined, rel=0)
    for filler in (0, 1):
        same(value(zero_division=filler), filler, rel=0)


@each("name", {*RATIOS, *(n for names in UNDEFINED_WITHOUT.values() for n in names.split())})
@PATTERNS
def test_a_metric_is_undefined_where_a_part_is(name, cells):
    without = [t for t, names in UNDEFINED_WITHOUT.items() if name in names.split()]
    totals = without or ["positives", "negatives"]
    vanishes = 0 in [getattr(Counts(*cells), total) for total in totals]
    value = METRICS[name].from_counts(*cells, zero_division=np.nan)
    assert math.isnan(value) == vanishes or (name in RATIOS and not vanishes)


@each(
    "metric, cells",
    [
        (sm.positive_likelihood_ratio, (2, 0, 1, 3)), (sm.negative_likelihood_ratio, (2, 3, 1, 0)),
        (sm.diagnostic_odds_ratio, (2, 0, 1, 3)), (sm.diagnostic_odds_ratio, (2, 1, 0, 3)),
    ],
)  # fmt: skip
def test_a_positive_number_over_zero_is_infinite(metric, cells):
    assert metric.from_counts(*cells) == math.inf
    assert metric.from_counts(*cells, zero_division=0) == math.inf


def test_p4_is_zero_where_nothing_is_right():
    assert sm.p4_score.from_counts(0, 2, 1, 0) == 0
    assert sm.p4_score.from_counts(0, 2, 1, 5) == 0
    found = sm.p4_score.from_counts(2, 1, 1, 2)  # as many right of either class
    assert found == pytest.approx(4 * 4 / (4 * 4 + 4 * 2))


@every(lambda row: ranks(row) and row.name not in DEFINED_FOR_ONE_CLASS)
@each("label", [0, 1])
def test_scores_of_one_class(metric, label):
    y, score = [label] * 3, [0.2, 0.5, 0.9]
    if label == 1 and metric.metric.name == "break_even_point":
        same(evaluated(metric, y, score), 1.0)
        return
    with pytest.warns(UndefinedMetricWarning, match=metric.metric.name):
        same(evaluated(metric, y, score), metric.metric.undefined)
    for filler in (0, 1, np.nan):
        same(evaluated(metric, y, score, zero_division=filler), filler)


@every(lambda row: not of_columns(row) and row.kind.name != "table")
def test_a_lone_label_of_unknown_side(metric):
    """A single string tells of no positive class: it is asked for where it matters."""
    other = ["x", "x", "x"] if metric.metric.kind.counted else [0.1, 0.5, 0.9]
    if metric.metric.positive_matters() and not metric.metric.guesses:
        with pytest.raises(ValueError, match=r"x.*pos_label"):
            evaluated(metric, ["x"] * 3, other)
        return
    with pytest.warns(UndefinedMetricWarning):
        same(evaluated(metric, ["x"] * 3, other), metric.metric.undefined)


@every(lambda row: ranks(row) and row.name != "precision_at_k")  # 0 without positives
def test_a_missing_class_is_named_and_left_out_of_averages(metric):
    y, _, score = several(17)
    y = np.where(y == 1, 0, y)
    value = functools.partial(evaluated, metric, y, score, labels=[0, 1, 2], multi_class="ovr")
    classes = value(average=None, zero_division=np.nan)
    assert np.isnan(classes).tolist() == [False, True, False]
    with pytest.warns(UndefinedMetricWarning, match="class 1"):
        value(average=None)
    same(value(average="macro", zero_division=np.nan), classes[[0, 2]].mean())


# ---- scorers ----


@functools.cache
def fitted(classes):
    made = {"n_informative": 4, "n_classes": classes, "weights": [0.5, 0.3][: classes - 1]}
    X, y = make_classification(150, 6, flip_y=0.2, random_state=0, **made)
    return LogisticRegression().fit(X, y), X, y


@every()
def test_scorer_is_function_of_response(metric):
    row, (model, X, y) = metric.metric, fitted(2)
    scorer = get_scorer(row.scorer_name, **needed(metric))
    again = pickle.loads(pickle.dumps(scorer))
    assert again(model, X, y) == scorer(model, X, y)
    assert repr(again) == repr(scorer)
    method = np.atleast_1d(row.kind.response_method)[0]
    reads_order = row.kind.scale == "order" or row.kind.name in ("columns", "margins")
    assert (method == "decision_function") == reads_order
    given = getattr(model, "predict_proba" if row.cuts else method)(X)
    given = given[:, 1] if given.ndim == 2 else given
    if row.cuts:  # labels of its own threshold
        given = (given >= needed(metric)["threshold"]).astype(int)
    sign = -1 if row.greater_is_better is False else 1
    for w in weights(y):
        weight = {} if w is None else {"sample_weight": w}
        same(scorer(model, X, y, **weight), sign * evaluated(metric, y, given, **weight))


@pytest.mark.parametrize("classes", [2, 3])
def test_one_pass_equals_single_scorers(classes):
    scorers, data = {}, fitted(classes)
    for name in sorted(set(scorer_names()) - set(_WITH_PARAMETERS)):
        found = named_metric(name)
        row, averaged = found.row, found.parameters
        if row.name not in OF_CLASSES or averaged.get("average") == "samples":
            continue
        whole = row.kind.name == "table" or of_columns(row)
        if "multi_class" not in averaged if classes == 2 else whole or averaged:
            scorers[name] = get_scorer(name, **needed(found.function, classes))
    assert len(scorers) > 100
    _, weight = weights(data[2])
    given = {} if classes == 2 else {"sample_weight": weight}
    found = one_pass_scorer(scorers)(*data, **given)
    assert list(found) == list(scorers)
    for name, scorer in scorers.items():
        assert isinstance(found[name], float)
        same(found[name], scorer(*data, **given))


# ---- kinds of arrays ----


def every_other(array):
    spread = np.empty(2 * len(array), dtype=array.dtype)
    spread[::2], spread[1::2] = array, array[::-1]
    return spread[::2]


KINDS = {
    "read-only": read_only,
    "non-contiguous": every_other,
    "reversed-view": lambda array: array[::-1].copy()[::-1],
    "list": lambda array: array.tolist(),
    "tuple": lambda array: tuple(array.tolist()),
    "pandas": lambda array: pd.Series(array, index=np.arange(len(array))[::-1]),
    "pandas-nullable": lambda array: pd.Series(array).convert_dtypes(),
    "data-frame": lambda array: pd.DataFrame({"value": array}),
    "polars": lambda array: pl.Series(array),
    "column": lambda array: array[:, None],
    "float32": lambda array: array.astype(np.float32),
    "big-endian": lambda array: array.astype(array.dtype.newbyteorder(">")),
    "object": lambda array: array.astype(object),
}
OF_STRINGS = ("read-only", "list", "pandas", "polars", "object")


@every()
@each("kind", KINDS)
def test_kind_of_array_is_irrelevant(metric, kind):
    y, other = inputs(metric, binary(18))
    made = KINDS[kind]
    if kind in OF_STRINGS:
        texts = [made(each) for each in named(metric, ["no", "yes"], y, other)]
        texts[1] = texts[1] if metric.metric.kind.counted else other
        same(evaluated(metric, *texts, pos_label="yes"), evaluated(metric, y, other), rel=0)
    if kind != "object":
        other = np.round(other * 64) / 64 if reads_scores(metric.metric) else other
        weight = np.random.default_rng(4).integers(1, 9, len(y)) / 8
        expected = evaluated(metric, y, other, sample_weight=weight)
        found = evaluated(metric, made(y), made(other), sample_weight=made(weight))
        same(found, expected, rel=0)


@every(reads_scores)
def test_single_precision_is_widened(metric):
    y, _, score = binary(18)
    narrow = score.astype(np.float32)
    same(evaluated(metric, y, narrow), evaluated(metric, y, narrow.astype(np.float64)), rel=0)


@every(lambda row: ranks(row) and row.kind.name == "order")
def test_predicted_labels_in_the_place_of_scores_are_warned_of(metric):
    y, pred, _ = binary(18)
    with pytest.warns(UserWarning, match="nothing but class labels"):
        found = evaluated(metric, y, pred)
    same(found, evaluated(metric, y, pred.astype(float)), rel=0)


@every()
def test_inputs_are_left_as_they_are(metric):
    y, other = inputs(metric, binary(18))
    weight = np.random.default_rng(4).integers(0, 3, len(y)).astype(float)
    given = [np.array(array) for array in (y, other, weight)]  # which may be written
    evaluated(metric, *given[:2], sample_weight=given[2])
    for array, before in zip(given, (y, other, weight), strict=True):
        np.testing.assert_array_equal(array, before)


# ---- what is read of scores ----

RISING = {
    "exp": np.exp, "cube": lambda s: (s - 0.5) ** 3,
    "logit": lambda s: np.log((s + 0.01) / (1.01 - s)),
    "rank": lambda s: np.searchsorted(np.unique(s), s).astype(float),
    "huge": lambda s: s * 1e300, "tiny": lambda s: s * 1e-300,
}  # fmt: skip
AFFINE = {
    "stretched": lambda s: 3.7 * s, "shifted": lambda s: s + 2.0, "log-odds": lambda s: 16 * s - 8,
    "huge": lambda s: s * 1e150, "tiny": lambda s: s * 1e-150,
}  # fmt: skip


@every(lambda row: row.kind.name == "order" and row.name not in AFFINE_ONLY)
@each("rising", RISING)
@each("ties", [False, True])
def test_invariant_under_rising_maps(metric, rising, ties):
    y, _, score = binary(19, ties)
    score = np.round(score * 64) / 64
    for w in weights(y):
        expected = evaluated(metric, y, score, sample_weight=w)
        same(evaluated(metric, y, RISING[rising](score), sample_weight=w), expected, rel=0)


@every(lambda row: row.name in AFFINE_ONLY)
@each("affine", AFFINE)
@each("ties", [False, True])
def test_invariant_under_affine_maps(metric, affine, ties):
    y, _, score = binary(19, ties)
    same(evaluated(metric, y, AFFINE[affine](score)), evaluated(metric, y, score))


@every(lambda row: row.kind.name in ("values", "unit_values") or row.name in AFFINE_ONLY)
def test_metrics_of_values_are_not_of_the_order_alone(metric):
    y, _, score = binary(19)
    found = evaluated(metric, y, score)
    assert evaluated(metric, y, score**2) != pytest.approx(found, rel=1e-6)


# ---- memory, bounds ----


def test_what_a_metric_makes_of_arrays_is_freed_at_once():
    """Nothing holds itself, which would wait, with all of its arrays, for the next search for cycles."""
    scorer = one_pass_scorer(["roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"])
    given = fitted(2)
    gc.collect()
    gc.disable()
    try:
        for name, metric in OF_CLASSES.items():
            if name != "pairwise_auc":
                evaluated(metric, *inputs(metric, binary(0)))
                three = inputs(metric, several(0))
                evaluated(metric, *three, 3, average="macro", multi_class="ovr")
        scorer(*given)
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        kept = {type(one) for one in gc.garbage if type(one).__module__.startswith("skaucx")}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not kept


@undefined_ok
@every()
def test_values_stay_within_the_bounds(metric):
    """Perfect, reversed, tied and random predictions of 1 to 60 examples, weighted and not."""
    row, own, rng = metric.metric, needed(metric), np.random.default_rng(0)
    if "labels" in metric.options and "pos_label" not in metric.options:
        own["labels"] = [0, 1]  # where a class does not occur
    for n in (1, 1, 2, 2, 3, 4, 6, 9, 16, 25, 40, 60):
        y = rng.integers(0, 2, n)
        for score in (1.0 * y, 1.0 - y, rng.random(n), np.round(rng.random(n), 1)):
            given = (score > 0.5) * 1 if row.kind.counted else score
            for weight in (None, rng.uniform(0.1, 4, n)):
                value = metric(y, given, sample_weight=weight, **own)
                assert isinstance(value, float)
                assert np.isnan(value) or row.bounds[0] <= value <= row.bounds[1], (n, value)


@each("name", ["f1", "recall", "informedness", "fowlkes_mallows_index"])
@each("average", ["macro", "weighted", "micro"])
def test_averages_stay_within_the_bounds(name, average):
    rng = np.random.default_rng(0)
    for classes in range(3, 30):
        y = np.append(np.arange(classes), rng.integers(0, classes, 100))
        assert METRICS[name](y, y, average=average) <= 1


@pytest.mark.parametrize("name", ["mcc", "kappa", "f1", "informedness", "markedness"])
def test_perfect_labels_of_any_number_stay_within_the_bounds(name):
    rng, function = np.random.default_rng(0), named_metric(name).function
    low, high = function.metric.bounds
    for n in range(2, 400):
        y = np.append([0, 1], rng.integers(0, 2, n - 2))
        for pred in (y, 1 - y):
            assert low <= function(y, pred) <= high, n
        weight = rng.random(n)
        assert high - 1e-12 <= function(y, y, sample_weight=weight) <= high, n


EXTREME = [
    [1e308, -1e308, 9e307, -9e307],
    [1.7e308, -1.7e308, 1.7e308, -1.7e308],
    [-1e308, 1e308, -1e308, 1e308],
    [5e-324, 0, 1e-323, 0],
    [1e-310, 1e-311, 2e-310, 3e-311],
    [1e308, -1e308, 0, 5e-324],
    [1e308, 1e308, 1e308, 1e308],
]
OF_VALUES = ("prob_auc", "scor_auc", "sond_auc", "mm6_auc", "mm7_auc", "mm11_auc")


@each("score", EXTREME)
@each("name", [*AFFINE_ONLY, *OF_VALUES])
def test_extreme_scores_have_the_values_of_fractions(score, name):
    """Free of scale, or rescaled: the same as of exact fractions of the span."""
    exact = [Fraction(x) for x in score]
    span = max(exact) - min(exact)
    scaled = [float((x - min(exact)) / span) if span else 0.0 for x in exact]
    y, options = [1, 0, 1, 0], {} if name in AFFINE_ONLY else {"rescale": "minmax"}
    found = METRICS[name](y, score, **options)
    assert found == pytest.approx(METRICS[name](y, scaled), rel=1e-12)
    low, high = METRICS[name].metric.bounds
    assert low <= found <= high
