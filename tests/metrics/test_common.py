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
import sklearn
import sklearn.metrics
from sklearn.datasets import make_classification
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression

import skaucx.metrics
from skaucx.inference import interval
from skaucx.metrics import Counts, get_scorer, one_pass_scorer
from skaucx.metrics._registry.declare import ALIASES, METRICS
from skaucx.metrics._registry.names import _WITH_PARAMETERS, named_metric, scorer_names
from tests.closeness import rounding
from tests.each import each
from tests.metrics.needed import NEEDED
from tests.metrics.of_classes import OF_CLASSES

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
# Metrics of a rate whose denominator may vanish: undefined wherever one of these totals is zero.
UNDEFINED_WITHOUT = {
    "recall": ("positives",), "specificity": ("negatives",), "precision": ("predicted_positives",),
    "npv": ("predicted_negatives",), "false_negative_rate": ("positives",),
    "false_positive_rate": ("negatives",), "false_discovery_rate": ("predicted_positives",),
    "false_omission_rate": ("predicted_negatives",), "g_mean": ("positives", "negatives"),
    "fowlkes_mallows_index": ("positives", "predicted_positives"),
    "informedness": ("positives", "negatives"),
    "markedness": ("predicted_positives", "predicted_negatives"),
    "positive_likelihood_ratio": ("positives", "negatives"),
    "negative_likelihood_ratio": ("positives", "negatives"),
    "prevalence_threshold": ("positives", "negatives"), "accuracy": ("total",),
    "zero_one_loss": ("total",), "type_i_error": ("total",), "type_ii_error": ("total",),
    "prevalence": ("total",),
}  # fmt: skip
# Ratios of two rates, which may be 0/0 with both classes there.
MAYBE_0_OVER_0 = {
    "positive_likelihood_ratio", "negative_likelihood_ratio", "prevalence_threshold",
}  # fmt: skip


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
    return kept(y, pred, score)


def kept(*arrays):
    """Return arrays that are shared by tests, and none of them may write."""
    for array in arrays:
        array.flags.writeable = False
    return arrays


@functools.cache
def several(seed, ties=False, n=90, classes=3):
    """Return labels 0..K-1, predicted labels and a matrix of probabilities."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, n)
    y[:classes] = range(classes)
    score = rng.random((n, classes)) + np.eye(classes)[y] * 0.5
    score /= score.sum(axis=1, keepdims=True)
    if ties:
        score = np.round(score * 8)
        score[:, -1] = 8 - score[:, :-1].sum(axis=1)
        score = np.clip(score, 1, None)
        score /= score.sum(axis=1, keepdims=True)
    return kept(y, rng.permutation(score.argmax(axis=1)), score)


def inputs(metric, data):
    y, pred, score = data
    return y, pred if metric.metric.kind.counted else score


def problems(metric, seed=0, ties=False):
    """Yield (classes, inputs, options): the binary problem and ways to average over three.

    The values of the classes and their micro average without ties, the weighted average with them;
    the macro average is the mean of the values of the classes (`TestAverages`).
    """
    yield 2, inputs(metric, binary(seed, ties)), {}
    arrays = inputs(metric, several(seed, ties))
    averages = ("weighted",) if ties else ("micro", None)
    if metric.metric.kind.name == "counts":
        for average in averages:
            yield 3, arrays, {"average": average}
    elif ranks(metric.metric):
        for average in averages:
            yield 3, arrays, {"multi_class": "ovr", "average": average}
        yield 3, arrays, {"multi_class": "ovo", "average": "weighted" if ties else "macro"}
    else:
        yield 3, arrays, {}


class TestRegistry:
    @every()
    def test_names(self, metric):
        row = metric.metric
        public = importlib.import_module(metric.__module__)
        assert metric.__name__ in public.__all__
        assert getattr(public, metric.__name__) is metric
        assert METRICS[row.name] is metric
        for name in (row.name, metric.__name__, *row.aliases):
            assert named_metric(name).function is metric
        assert row.scorer_name.startswith("neg_") == (row.greater_is_better is False)
        suffix = "_score" if row.greater_is_better else None
        assert suffix is None or metric.__name__.endswith(suffix) or row.name == metric.__name__

    def test_no_alias_is_taken_twice(self):
        aliases = [alias for function in METRICS.values() for alias in function.metric.aliases]
        assert len(set(aliases)) == len(aliases)
        assert not set(aliases) & set(METRICS)
        spellings = [s for function in METRICS.values() for s in function.metric.spellings]
        assert len({*aliases, *spellings}) == len(aliases) + len(spellings)
        assert set(ALIASES) == {*aliases, *spellings}

    @every()
    def test_ends_of_the_row_agree(self, metric):
        row = metric.metric
        low, high = row.bounds
        assert low < high
        if row.name in NO_BEST:
            assert math.isnan(row.best)
        else:
            assert row.best == (high if row.greater_is_better else low)
        worst = 0.0 if row.greater_is_better is not False else 1.0
        assert math.isnan(row.undefined) or row.undefined == worst

    @every(lambda row: row.swapped or row.transposed)
    def test_symmetries_are_mutual(self, metric):
        row = metric.metric
        for kind in ("swapped", "transposed"):
            other = getattr(row, kind)
            if other:
                assert getattr(METRICS[other].metric, kind) == row.name

    @every()
    def test_signature_is_true(self, metric, needed):
        parameters = list(inspect.signature(metric).parameters.values())
        first = parameters[0].name
        assert [p.kind for p in parameters[:2]] == [inspect.Parameter.POSITIONAL_OR_KEYWORD] * 2
        assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters[2:])
        with pytest.raises(TypeError, match=f"{metric.__name__}.*missing"):
            metric([0, 1])
        with pytest.raises(TypeError, match=f"{metric.__name__}.*unknown"):
            metric([0, 1], [0, 1], **needed(metric), unknown=1)
        with pytest.raises(TypeError, match=f"{metric.__name__}.*positional"):
            metric([0, 1], [0, 1], None, **needed(metric))
        with pytest.raises(TypeError, match=f"{metric.__name__}.*{first}"):
            metric([0, 1], [0, 1], **needed(metric), **{first: [0, 1]})


class TestRows:
    @every()
    @each("ties", [False, True])
    def test_order_is_irrelevant(self, metric, evaluated, ties):
        for classes, (y, other), options in problems(metric, 1, ties):
            weight = np.random.default_rng(5).uniform(0.1, 3, len(y))
            for w in (None, weight):
                value = evaluated(metric, y, other, classes, **options, sample_weight=w)
                turn = np.random.default_rng(0).permutation(len(y))
                own = None if w is None else w[turn]
                same(
                    evaluated(metric, y[turn], other[turn], classes, **options, sample_weight=own),
                    value,
                )

    @every(lambda row: not row.reads_size)
    @each("ties", [False, True])
    def test_scale_of_weights_is_irrelevant(self, metric, evaluated, ties):
        for classes, (y, other), options in problems(metric, 2, ties):
            weight = np.random.default_rng(6).uniform(0.1, 3, len(y))
            for own, plain, factors in (
                (weight, weight, (1e-200, 4e9, 1e200)),
                (np.ones(len(y)), None, (7.3,)),
            ):
                value = evaluated(metric, y, other, classes, **options, sample_weight=plain)
                for factor in factors:
                    same(
                        evaluated(metric, y, other, classes, **options, sample_weight=factor * own),
                        value,
                    )

    @every(lambda row: row.name not in A_ROW_IS_AN_EXAMPLE)
    @each("ties", [False, True])
    def test_integer_weights_repeat_rows(self, metric, evaluated, ties):
        for classes, (y, other), options in problems(metric, 3, ties):
            weight = np.random.default_rng(7).integers(1, 5, len(y))
            repeated = np.repeat(np.arange(len(y)), weight)
            same(
                evaluated(metric, y, other, classes, **options, sample_weight=weight),
                evaluated(metric, y[repeated], other[repeated], classes, **options),
            )

    @every()
    def test_zero_weights_delete_rows(self, metric, evaluated):
        for ties in (False, True):
            for classes, (y, other), options in problems(metric, 4, ties):
                weight = np.random.default_rng(8).integers(0, 3, len(y))
                weight[:6] = 1
                kept = weight > 0
                same(
                    evaluated(metric, y, other, classes, **options, sample_weight=weight),
                    evaluated(
                        metric, y[kept], other[kept], classes, **options, sample_weight=weight[kept]
                    ),
                    rel=0,
                )

    @every()
    def test_a_row_of_no_weight_may_hold_another_class_or_an_outlier(self, metric, evaluated):
        for classes, (y, other), options in problems(metric, 4):
            odd_labels, odd_rows = np.append(y, 7), np.concatenate([other, other[:1]])
            if not metric.metric.kind.counted:
                odd_rows[-1] = -1e300
            weight = np.append(np.ones(len(y)), 0)
            same(
                evaluated(metric, odd_labels, odd_rows, classes, **options, sample_weight=weight),
                evaluated(metric, y, other, classes, **options),
                rel=0,
            )


NAMINGS = {
    "bool": ([False, True], None),
    "float": ([0.0, 1.0], None),
    "signed": ([-1, 1], None),
    "unsigned": (np.array([0, 1], dtype=np.uint8), None),
    "strings": (["no", "yes"], "yes"),
    "objects": (np.array(["no", "yes"], dtype=object), "yes"),
    "positive-first": (["b", "a"], "a"),
    "positive-zero": ([1, 0], 0),
    "large": ([10**12, -(10**12)], -(10**12)),
    "float-positive": ([3.0, 2.0], 2),
}


class TestLabels:
    @every()
    @each("naming", NAMINGS)
    @each("weighted", [False, True])
    def test_names_are_irrelevant(self, metric, evaluated, naming, weighted):
        names, positive = NAMINGS[naming]
        names = np.asarray(names)
        options = {"pos_label": positive}
        if "pos_label" not in inspect.signature(metric).parameters:
            options["labels"] = names
        if weighted:
            options["sample_weight"] = np.random.default_rng(9).uniform(0.1, 3, 61)
        y, other = inputs(metric, binary(5))
        weight = options.get("sample_weight")
        renamed = names[other] if metric.metric.kind.counted else other
        same(
            evaluated(metric, names[y], renamed, **options),
            evaluated(metric, y, other, sample_weight=weight),
        )

    @every()
    def test_names_of_three_classes_are_irrelevant(self, metric, evaluated):
        for classes, (y, other), options in problems(metric, 6):
            if classes == 2:
                continue
            for names in (["a", "b", "c"], [-5, 0, 10**6], [1.0, 2.0, 3.0]):
                names = np.array(names)
                renamed = names[other] if metric.metric.kind.counted else other
                same(
                    evaluated(metric, names[y], renamed, classes, **options),
                    evaluated(metric, y, other, classes, **options),
                    rel=0,
                )

    @every(lambda row: row.kind.name != "table")
    def test_labels_names_a_class_that_does_not_occur(self, metric, evaluated):
        """Zeros and ones mean the same beside ``labels``, and a missing class keeps its place."""
        y, other = inputs(metric, binary(5))
        same(evaluated(metric, y, other, labels=[0, 1]), evaluated(metric, y, other), rel=0)
        if metric.metric.kind.counted:
            values = evaluated(
                metric, y, other, labels=[1, 0, 5], average=None, zero_division=np.nan
            )
            same(values[:2], evaluated(metric, y, other, average=None)[::-1], rel=0)

    @every(lambda row: row.kind.name != "table")
    @undefined_ok
    def test_a_lone_class_of_known_side_has_the_value_it_has_beside_labels(self, metric, evaluated):
        for positive, negative, names in ((1, 0, [0, 1]), (True, False, [False, True])):
            score = [0.9, 0.7, 0.2]
            pred = [positive, positive, negative]
            other = pred if metric.metric.kind.counted else score
            for lone in (positive, negative):
                alone = evaluated(metric, [lone] * 3, other)
                same(alone, evaluated(metric, [lone] * 3, other, labels=names), rel=0)


class TestRange:
    @every(lambda row: row.name not in NO_BEST)
    def test_perfect_prediction(self, metric, evaluated):
        y, _, _ = binary(7)
        expected = BEST_ON_0_AND_1.get(metric.metric.name, metric.metric.best)
        score = 2.0 * y - 1 if metric.metric.kind.name == "margins" else y.astype(float)
        same(evaluated(metric, y, score if reads_scores(metric.metric) else y), expected)
        y, _, _ = several(7)
        other = np.eye(3)[y] if reads_scores(metric.metric) else y
        same(evaluated(metric, y, other, average="macro", multi_class="ovr"), expected)


# Symmetric for some values of their parameters, such as the default, only.
PARAMETERS_DECIDE = {"partial_roc_auc", "pairwise_auc", "h_measure"}


class TestSymmetry:
    @every(lambda row: row.swapped)
    def test_exchanging_the_classes(self, metric, evaluated):
        other = METRICS[metric.metric.swapped]
        for seed in range(5):
            y, pred = inputs(metric, binary(seed))
            weight = np.random.default_rng(seed).uniform(0.1, 3, len(y))
            counted, turned = metric.metric.kind.counted, metric.metric.kind.name != "margins"
            exchanged = pred if counted else turned - pred
            for w in (None, weight):
                same(
                    evaluated(metric, y, pred, sample_weight=w),
                    evaluated(other, 1 - y, (1 if counted else turned) - pred, sample_weight=w),
                )
                same(
                    evaluated(metric, y, pred, sample_weight=w),
                    evaluated(other, y, exchanged, sample_weight=w, pos_label=0),
                )

    @every(lambda row: row.swapped is None and row.name not in PARAMETERS_DECIDE)
    def test_a_metric_that_names_no_counterpart_has_none(self, metric, evaluated):
        """Whoever declares a symmetric metric without saying so is asked for a needless pos_label."""
        differs = []
        for seed in range(6):
            y, pred = inputs(metric, binary(seed))
            weight = np.random.default_rng(seed).uniform(0.1, 3, len(y))
            for w in (None, weight):
                one = evaluated(metric, y, pred, sample_weight=w)
                other = evaluated(metric, 1 - y, 1 - pred, sample_weight=w)
                differs.append(abs(one - other) > 1e-9)
        assert any(differs) or "pos_label" not in inspect.signature(metric).parameters

    @every(lambda row: row.transposed)
    def test_exchanging_truth_and_prediction(self, metric, evaluated):
        other = METRICS[metric.metric.transposed]
        for seed in range(5):
            y, pred, _ = binary(seed)
            weight = np.random.default_rng(seed).uniform(0.1, 3, len(y))
            for w in (None, weight):
                same(
                    evaluated(metric, y, pred, sample_weight=w),
                    evaluated(other, pred, y, sample_weight=w),
                )

    @every(reads_labels)
    def test_no_symmetry_with_itself_is_left_undeclared(self, metric, evaluated):
        row = metric.metric
        y, pred, _ = binary(11)
        value = evaluated(metric, y, pred)
        if row.swapped is None:
            assert evaluated(metric, 1 - y, 1 - pred) != pytest.approx(value, rel=1e-9)
        if row.transposed is None:
            assert evaluated(metric, pred, y) != pytest.approx(value, rel=1e-9)


def table_of(y, pred, classes, weight=None):
    return sklearn.metrics.confusion_matrix(
        y, pred, labels=range(classes), sample_weight=weight
    ).astype(float)


class TestCounts:
    @every(reads_labels)
    @pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
    def test_binary_counts_and_labels_agree(self, metric, evaluated, needed, weighted):
        for seed in range(5):
            y, pred, _ = binary(seed)
            weight = np.random.default_rng(seed).uniform(0.1, 3, len(y)) if weighted else None
            (tn, fp), (fn, tp) = table_of(y, pred, 2, weight)
            expected = evaluated(metric, y, pred, sample_weight=weight)
            given = needed(metric)
            same(metric.from_counts(tp, fp, fn, tn, **given), expected)
            same(metric.from_counts(tn=tn, fn=fn, fp=fp, tp=tp, **given), expected)
            same(metric.from_table([[tn, fp], [fn, tp]], **given), expected)
            assert isinstance(metric.from_counts(tp, fp, fn, tn, **given), float)

    @every(reads_labels)
    @undefined_ok
    def test_arrays_of_counts_are_read_cell_by_cell(self, metric, needed):
        cells = np.random.default_rng(0).integers(1, 30, (4, 5, 3)).astype(float)
        values = metric.from_counts(*cells, **needed(metric))
        assert values.shape == (5, 3)
        for index in np.ndindex(5, 3):
            same(values[index], metric.from_counts(*cells[(slice(None), *index)], **needed(metric)))
        same(metric.from_table(Counts(*cells).table, **needed(metric)), values)
        assert metric.from_counts(cells[0], 1, 2, 3, **needed(metric)).shape == (5, 3)

    @every(reads_labels)
    def test_tables_of_three_classes_and_labels_agree(self, metric, evaluated, needed):
        for classes, (y, pred), options in problems(metric, 9):
            if classes == 3:
                expected = evaluated(metric, y, pred, 3, **options)
                table = table_of(y, pred, 3)
                same(metric.from_table(table, **options, **needed(metric, 3)), expected)

    @every(lambda row: row.kind.name == "table")
    def test_stacks_of_tables_of_three_classes(self, metric, needed):
        tables = np.random.default_rng(0).integers(1, 30, (4, 2, 3, 3))
        values = metric.from_table(tables, **needed(metric, 3))
        assert values.shape == (4, 2)
        for index in np.ndindex(4, 2):
            same(values[index], metric.from_table(tables[index], **needed(metric, 3)))

    @every(lambda row: row.kind.counted and not row.reads_size)
    @pytest.mark.parametrize("factor", [1e-200, 1e12, 1e200])
    def test_scale_of_counts_is_irrelevant(self, metric, needed, factor):
        cells = np.array([50.0, 7.0, 11.0, 40.0])
        expected = metric.from_counts(*cells, **needed(metric))
        same(metric.from_counts(*(factor * cells), **needed(metric)), expected)


class TestAverages:
    @every(lambda row: row.kind.name == "counts")
    def test_over_classes(self, metric, evaluated, needed):
        y, pred, _ = several(12)
        weight = np.random.default_rng(1).uniform(0.1, 3, len(y))
        for w in (None, weight):
            each = evaluated(metric, y, pred, 3, average=None, sample_weight=w)
            for k in range(3):
                alone = evaluated(metric, y == k, pred == k, sample_weight=w)
                same(each[k], alone)
            sizes = np.bincount(y, w)
            options = {"sample_weight": w}
            same(evaluated(metric, y, pred, 3, average="macro", **options), each.mean())
            weighted = evaluated(metric, y, pred, 3, average="weighted", **options)
            same(weighted, np.average(each, weights=sizes))
            pooled = Counts.one_vs_rest(table_of(y, pred, 3, w)).pooled
            same(
                evaluated(metric, y, pred, 3, average="micro", **options),
                metric.from_counts(*pooled.cells, **needed(metric)),
            )
            chosen = evaluated(metric, y, pred, 3, average=None, labels=[2, 0], **options)
            same(chosen, each[[2, 0]], rel=0)

    @every(ranks)
    def test_one_against_the_rest(self, metric, evaluated):
        for ties in (False, True):
            y, _, score = several(13, ties)
            for w in (None, np.random.default_rng(1).uniform(0.1, 3, len(y))):
                options = {"sample_weight": w, "multi_class": "ovr"}
                each = evaluated(metric, y, score, average=None, **options)
                for k in range(3):
                    same(each[k], evaluated(metric, y == k, score[:, k], sample_weight=w))
                same(evaluated(metric, y, score, average="macro", **options), each.mean())
                same(
                    evaluated(metric, y, score, average="weighted", **options),
                    np.average(each, weights=np.bincount(y, w)),
                )
                flat = None if w is None else np.repeat(w, 3)
                same(
                    evaluated(metric, y, score, average="micro", **options),
                    evaluated(metric, np.eye(3)[y].ravel(), score.ravel(), sample_weight=flat),
                )

    @every(ranks)
    def test_one_against_one(self, metric, evaluated):
        """Hand & Till 2001: each pair both ways, the columns as they are."""
        y, _, score = several(14)
        w = np.random.default_rng(1).uniform(0.1, 3, len(y))
        values, sizes = [], []
        for a, b in itertools.combinations(range(3), 2):
            rows = (y == a) | (y == b)
            both = [
                evaluated(metric, y[rows] == k, score[rows, k], sample_weight=w[rows])
                for k in (a, b)
            ]
            values.append(np.mean(both))
            sizes.append(w[rows].sum())
        options = {"sample_weight": w, "multi_class": "ovo"}
        same(evaluated(metric, y, score, average="macro", **options), np.mean(values))
        weighted = evaluated(metric, y, score, average="weighted", **options)
        same(weighted, np.average(values, weights=sizes))

    @every(lambda row: row.kind.name != "table")
    def test_columns_are_sorted(self, metric, evaluated):
        if metric.metric.kind.counted:
            return
        y, _, score = several(15)
        options = {"multi_class": "ovr", "average": "macro"}
        named = evaluated(metric, y, score, labels=[0, 1, 2], **options)
        same(named, evaluated(metric, y, score, **options))
        with pytest.raises(ValueError, match="labels must be in sorted order"):
            evaluated(metric, y, score[:, [2, 0, 1]], labels=[2, 0, 1], **options)

    @every(lambda row: row.kind.name == "unit_values")
    def test_rescale(self, metric, evaluated):
        y, _, score = binary(16)
        margins = 8 * score - 3
        by_range = (score - score.min()) / (score.max() - score.min())
        same(evaluated(metric, y, margins, rescale="minmax"), evaluated(metric, y, by_range))
        same(
            evaluated(metric, y, margins, rescale="expit"),
            evaluated(metric, y, 1 / (1 + np.exp(-margins))),
        )


@undefined_ok
@every()
def test_an_interval_contains_its_estimate(metric, needed):
    """It has a width and lies within the bounds; where there is none, it says why."""
    given = inputs(metric, binary(0))
    found = interval(metric, *given, n_resamples=60, random_state=0, **needed(metric))
    if np.isnan([found.low, found.high]).any():
        assert found.note
        return
    low, high = metric.metric.bounds
    assert low <= found.low <= found.estimate <= found.high <= high
    assert found.low < found.high


PATTERNS = each("cells", itertools.product([0.0, 3.0], repeat=4))


class TestUndefined:
    @every(reads_labels)
    @PATTERNS
    def test_counts(self, metric, needed, cells):
        """Where nan shows 0/0, the row's value comes with a warning, or the caller's without."""
        options = needed(metric)
        bare = metric.from_counts(*cells, **options, zero_division=np.nan)
        if not math.isnan(bare):
            same(metric.from_counts(*cells, **options), bare, rel=0)
            return
        with pytest.warns(UndefinedMetricWarning, match=metric.metric.name):
            same(metric.from_counts(*cells, **options), metric.metric.undefined, rel=0)
        for filler in (0, 1):
            same(metric.from_counts(*cells, **options, zero_division=filler), filler, rel=0)

    @every(lambda row: row.name in UNDEFINED_WITHOUT)
    @PATTERNS
    def test_a_composite_with_an_undefined_part_is_undefined(self, metric, cells):
        totals = [getattr(Counts(*cells), name) for name in UNDEFINED_WITHOUT[metric.metric.name]]
        value = metric.from_counts(*cells, zero_division=np.nan)
        if min(totals) == 0:
            assert math.isnan(value)
        elif metric.metric.name not in MAYBE_0_OVER_0:
            assert not math.isnan(value)

    @pytest.mark.parametrize(
        ("metric", "cells"),
        [
            (skaucx.metrics.positive_likelihood_ratio, (2, 0, 1, 3)),
            (skaucx.metrics.negative_likelihood_ratio, (2, 3, 1, 0)),
            (skaucx.metrics.diagnostic_odds_ratio, (2, 0, 1, 3)),
            (skaucx.metrics.diagnostic_odds_ratio, (2, 1, 0, 3)),
        ],
        ids=["lr_plus", "lr_minus", "dor-fp", "dor-fn"],
    )
    def test_a_positive_number_over_zero_is_infinite(self, metric, cells):
        assert metric.from_counts(*cells) == math.inf
        assert metric.from_counts(*cells, zero_division=0) == math.inf

    def test_p4_is_zero_where_nothing_is_right(self):
        assert skaucx.metrics.p4_score.from_counts(0, 2, 1, 0) == 0
        assert skaucx.metrics.p4_score.from_counts(0, 2, 1, 5) == 0
        found = skaucx.metrics.p4_score.from_counts(2, 1, 1, 2)  # as many right of either class
        assert found == pytest.approx(4 * 4 / (4 * 4 + 4 * 2))

    @every(lambda row: ranks(row) and row.name not in DEFINED_FOR_ONE_CLASS)
    @pytest.mark.parametrize("label", [0, 1])
    def test_scores_of_one_class(self, metric, evaluated, label):
        y, score = [label] * 3, [0.2, 0.5, 0.9]
        if label == 1 and metric.metric.name == "break_even_point":
            same(evaluated(metric, y, score), 1.0)
            return
        with pytest.warns(UndefinedMetricWarning, match=metric.metric.name):
            same(evaluated(metric, y, score), metric.metric.undefined)
        same(evaluated(metric, y, score, zero_division=0), 0)
        same(evaluated(metric, y, score, zero_division=1), 1)
        same(evaluated(metric, y, score, zero_division=np.nan), np.nan)

    @every(lambda row: not of_columns(row) and row.kind.name != "table")
    def test_a_lone_label_of_unknown_side(self, metric, evaluated):
        """A single string tells of no positive class: it is asked for where it matters."""
        other = ["x", "x", "x"] if metric.metric.kind.counted else [0.1, 0.5, 0.9]
        if metric.metric.positive_matters() and not metric.metric.guesses:
            with pytest.raises(ValueError, match=r"x.*pos_label"):
                evaluated(metric, ["x"] * 3, other)
            return
        with pytest.warns(UndefinedMetricWarning):
            same(evaluated(metric, ["x"] * 3, other), metric.metric.undefined)

    @every(lambda row: ranks(row) and row.name != "precision_at_k")  # 0 without positives
    def test_a_missing_class_is_named_and_left_out_of_averages(self, metric, evaluated):
        y, _, score = several(17)
        y = np.where(y == 1, 0, y)
        options = {"labels": [0, 1, 2], "multi_class": "ovr"}
        each = evaluated(metric, y, score, average=None, zero_division=np.nan, **options)
        assert np.isnan(each).tolist() == [False, True, False]
        with pytest.warns(UndefinedMetricWarning, match="class 1"):
            evaluated(metric, y, score, average=None, **options)
        same(
            evaluated(metric, y, score, average="macro", zero_division=np.nan, **options),
            each[[0, 2]].mean(),
        )


@pytest.fixture(scope="module")
def fitted():
    X, y = make_classification(
        n_samples=120, n_features=6, n_informative=3, flip_y=0.2, weights=[0.6], random_state=0
    )
    return LogisticRegression().fit(X, y), X, y


@pytest.fixture(scope="module")
def fitted_to_three():
    X, y = make_classification(
        n_samples=150, n_features=6, n_informative=4, n_classes=3, flip_y=0.2, random_state=0
    )
    return LogisticRegression().fit(X, y), X, y


class TestObjects:
    @every()
    def test_scorer_pickles(self, metric, needed, fitted):
        scorer = get_scorer(metric.metric.scorer_name, **needed(metric))
        again = pickle.loads(pickle.dumps(scorer))
        assert again(*fitted) == scorer(*fitted)
        assert repr(again) == repr(scorer)

    @every()
    @pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
    def test_scorer_is_function_of_response(self, metric, evaluated, needed, fitted, weighted):
        model, X, y = fitted
        weight = np.random.default_rng(3).uniform(0.1, 3, len(y)) if weighted else None
        response = {
            "predict": model.predict,
            "predict_proba": lambda X: model.predict_proba(X)[:, 1],
            "decision_function": model.decision_function,
        }
        method = metric.metric.kind.response_method
        method = method if isinstance(method, str) else method[0]
        assert (method == "decision_function") == (
            metric.metric.kind.scale == "order" or metric.metric.kind.name in ("columns", "margins")
        )
        given = response[method](X)
        if metric.metric.cuts:  # labels of its own threshold
            given = (response["predict_proba"](X) >= needed(metric)["threshold"]).astype(int)
        expected = evaluated(metric, y, given, sample_weight=weight)
        sign = -1 if metric.metric.greater_is_better is False else 1
        scorer = get_scorer(metric.metric.scorer_name, **needed(metric))
        given = {} if weight is None else {"sample_weight": weight}
        same(scorer(model, X, y, **given), sign * expected)

    def test_one_pass_equals_single_scorers(self, needed, fitted, fitted_to_three):
        for classes, data in ((2, fitted), (3, fitted_to_three)):
            scorers = {}
            for name in sorted(scorer_names()):
                if name in _WITH_PARAMETERS:  # the scorer of another name, tested with the names
                    continue
                metric = named_metric(self.metric_of(name)).function
                other = metric.metric.name not in OF_CLASSES
                if other or (classes == 2 and "_ov" in name) or name.endswith("_samples"):
                    continue
                whole = metric.metric.kind.name == "table" or of_columns(metric.metric)
                if classes == 3 and not whole and not self.averaged(name):
                    continue
                scorers[name] = get_scorer(name, **needed(metric, classes))
            assert len(scorers) > 100
            weight = np.random.default_rng(3).uniform(0.1, 3, len(data[2]))
            given = {} if classes == 2 else {"sample_weight": weight}
            found = one_pass_scorer(scorers)(*data, **given)
            assert list(found) == list(scorers)
            for name, scorer in scorers.items():
                assert isinstance(found[name], float)
                same(found[name], scorer(*data, **given))

    @staticmethod
    def averaged(name):
        suffixes = ("macro", "micro", "samples", "weighted", "ovr", "ovo")
        return name.endswith(tuple(f"_{suffix}" for suffix in suffixes))

    @staticmethod
    def metric_of(name):
        name = name.removeprefix("neg_")
        for suffix in ("_macro", "_micro", "_samples", "_weighted", "_ovr", "_ovo"):
            name = name.removesuffix(suffix)
        return name


def read_only(array):
    array = np.array(array)
    array.flags.writeable = False
    return array


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


class TestInputs:
    @every()
    @each("kind", [k for k in KINDS if k != "object"])
    def test_kind_of_array_is_irrelevant(self, metric, evaluated, kind):
        y, other = inputs(metric, binary(18))
        other = np.round(other * 64) / 64 if not metric.metric.kind.counted else other
        weight = np.random.default_rng(4).integers(1, 9, len(y)) / 8
        expected = evaluated(metric, y, other, sample_weight=weight)
        made = [KINDS[kind](array) for array in (y, other, weight)]
        same(evaluated(metric, *made[:2], sample_weight=made[2]), expected, rel=0)

    @every()
    @each("kind", ["list", "pandas", "polars", "object", "read-only"])
    def test_kind_of_strings_is_irrelevant(self, metric, evaluated, kind):
        y, other = inputs(metric, binary(18))
        expected = evaluated(metric, y, other)
        names = np.array(["no", "yes"])
        other = KINDS[kind](names[other]) if metric.metric.kind.counted else other
        same(evaluated(metric, KINDS[kind](names[y]), other, pos_label="yes"), expected, rel=0)

    @every(reads_scores)
    def test_single_precision_is_widened(self, metric, evaluated):
        y, _, score = binary(18)
        narrow = score.astype(np.float32)
        same(evaluated(metric, y, narrow), evaluated(metric, y, narrow.astype(np.float64)), rel=0)

    @every(lambda row: ranks(row) and row.kind.name == "order")
    def test_predicted_labels_in_the_place_of_scores_are_warned_of(self, metric, evaluated):
        y, pred, _ = binary(18)
        with pytest.warns(UserWarning, match="nothing but class labels"):
            found = evaluated(metric, y, pred)
        same(found, evaluated(metric, y, pred.astype(float)), rel=0)

    @every()
    def test_inputs_are_left_as_they_are(self, metric, evaluated):
        y, other = inputs(metric, binary(18))
        weight = np.random.default_rng(4).integers(0, 3, len(y)).astype(float)
        copies = [array.copy() for array in (y, other, weight)]
        evaluated(metric, y, other, sample_weight=weight)
        for array, copy in zip((y, other, weight), copies, strict=True):
            np.testing.assert_array_equal(array, copy)


RISING = {
    "exp": np.exp,
    "cube": lambda s: (s - 0.5) ** 3,
    "logit": lambda s: np.log((s + 0.01) / (1.01 - s)),
    "rank": lambda s: np.searchsorted(np.unique(s), s).astype(float),
    "huge": lambda s: s * 1e300,
    "tiny": lambda s: s * 1e-300,
}
AFFINE = {
    "stretched": lambda s: 3.7 * s,
    "shifted": lambda s: s + 2.0,
    "log-odds": lambda s: 16 * s - 8,
    "huge": lambda s: s * 1e150,
    "tiny": lambda s: s * 1e-150,
}


class TestOrder:
    @every(lambda row: row.kind.name == "order" and row.name not in AFFINE_ONLY)
    @pytest.mark.parametrize("rising", RISING)
    @each("ties", [False, True])
    def test_invariant_under_rising_maps(self, metric, evaluated, rising, ties):
        y, _, score = binary(19, ties)
        score = np.round(score * 64) / 64
        weight = np.random.default_rng(4).uniform(0.1, 3, len(y))
        for w in (None, weight):
            expected = evaluated(metric, y, score, sample_weight=w)
            same(evaluated(metric, y, RISING[rising](score), sample_weight=w), expected, rel=0)

    @every(lambda row: row.name in AFFINE_ONLY)
    @pytest.mark.parametrize("affine", AFFINE)
    def test_invariant_under_affine_maps(self, metric, evaluated, affine):
        for ties in (False, True):
            y, _, score = binary(19, ties)
            expected = evaluated(metric, y, score)
            same(evaluated(metric, y, AFFINE[affine](score)), expected, rel=1e-12)

    @every(lambda row: row.kind.name in ("values", "unit_values") or row.name in AFFINE_ONLY)
    def test_metrics_of_values_are_not_of_the_order_alone(self, metric, evaluated):
        y, _, score = binary(19)
        assert evaluated(metric, y, score**2) != pytest.approx(
            evaluated(metric, y, score), rel=1e-6
        )


def test_what_a_metric_makes_of_arrays_is_freed_at_once(evaluated, fitted):
    """Nothing holds itself, which would wait, with all of its arrays, for the next search for cycles."""
    made = [metric for name, metric in OF_CLASSES.items() if name != "pairwise_auc"]
    scorer = one_pass_scorer(["roc_auc", "average_precision", "neg_log_loss", "neg_brier_score"])
    gc.collect()
    gc.disable()
    try:
        for metric in made:
            evaluated(metric, *inputs(metric, binary(0)))
            evaluated(metric, *inputs(metric, several(0)), 3, average="macro", multi_class="ovr")
        scorer(*fitted)
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        kept = {type(one) for one in gc.garbage if type(one).__module__.startswith("skaucx")}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not kept


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@each("name", OF_CLASSES)
def test_values_stay_within_the_bounds(name):
    """Perfect, reversed, tied and random predictions of 1 to 60 examples, weighted and not."""
    function, row = METRICS[name], METRICS[name].metric
    rng, own = np.random.default_rng(0), dict(NEEDED.get(name, {}))
    if "labels" in function.options and "pos_label" not in function.options:
        own["labels"] = [0, 1]  # where a class does not occur
    for n in (1, 1, 2, 2, *range(3, 60, 3)):
        y = rng.integers(0, 2, n)
        for score in (1.0 * y, 1.0 - y, rng.random(n), np.round(rng.random(n), 1)):
            given = (score > 0.5) * 1 if row.kind.counted else score
            for weight in (None, rng.uniform(0.1, 4, n)):
                value = function(y, given, sample_weight=weight, **own)
                assert isinstance(value, float)
                assert np.isnan(value) or row.bounds[0] <= value <= row.bounds[1], (n, value)


@pytest.mark.parametrize("average", ["macro", "weighted", "micro"])
@pytest.mark.parametrize("name", ["f1", "recall", "informedness", "fowlkes_mallows_index"])
def test_averages_stay_within_the_bounds(name, average):
    rng = np.random.default_rng(0)
    for classes in range(3, 30):
        y = np.append(np.arange(classes), rng.integers(0, classes, 100))
        assert METRICS[name](y, y, average=average) <= 1


EXTREME = [
    [1e308, -1e308, 9e307, -9e307],
    [1.7e308, -1.7e308, 1.7e308, -1.7e308],
    [-1e308, 1e308, -1e308, 1e308],
    [5e-324, 0, 1e-323, 0],
    [1e-310, 1e-311, 2e-310, 3e-311],
    [1e308, -1e308, 0, 5e-324],
    [1e308, 1e308, 1e308, 1e308],
]


@pytest.mark.parametrize("score", EXTREME)
@pytest.mark.parametrize("name", ["mm1_auc", "mm4_auc"])
def test_extreme_scores_have_the_values_of_fractions(name, score):
    """Free of scale: the same as of exact fractions of the span."""
    exact = [Fraction(x) for x in score]
    span = max(exact) - min(exact)
    scaled = [float((x - min(exact)) / span) if span else 0.0 for x in exact]
    y = [1, 0, 1, 0]
    found = METRICS[name](y, score)
    assert found == pytest.approx(METRICS[name](y, scaled), rel=1e-12)
    assert METRICS[name].metric.bounds[0] <= found <= METRICS[name].metric.bounds[1]


@pytest.mark.parametrize("score", EXTREME)
@pytest.mark.parametrize(
    "name", ["prob_auc", "scor_auc", "sond_auc", "mm6_auc", "mm7_auc", "mm11_auc"]
)
def test_extreme_scores_are_rescaled(name, score):
    exact = [Fraction(x) for x in score]
    span = max(exact) - min(exact)
    scaled = [float((x - min(exact)) / span) if span else 0.0 for x in exact]
    found = METRICS[name]([1, 0, 1, 0], score, rescale="minmax")
    assert found == pytest.approx(METRICS[name]([1, 0, 1, 0], scaled), rel=1e-12)


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
