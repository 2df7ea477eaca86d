"""scikit-learn's own checks of metrics and scorers, from its wheel, judge this package's.

The check functions run as they are. Only the tables in their modules, of metrics and of facts about
them, are replaced, by ones read from the registry; and where an error is right but worded otherwise,
`WORDS` says how. What a check is not asked, and why, stands in `NOT_ASKED` (whole checks) and in
`EXCUSES` (a check for some metrics); an excuse that is no longer needed fails.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest
import sklearn
import sklearn.metrics
from sklearn.datasets import make_multilabel_classification
from sklearn.metrics import make_scorer
from sklearn.utils.fixes import parse_version

import skaucx.metrics
from skaucx.metrics import get_scorer, get_scorer_names, list_metrics
from skaucx.metrics._row import Metric

common = pytest.importorskip("sklearn.metrics.tests.test_common")
objects = pytest.importorskip("sklearn.metrics.tests.test_score_objects")

# The release whose checks were read for the two tables of exceptions below.
READ = parse_version("1.9")
INSTALLED = parse_version(sklearn.__version__)
# Names before scikit-learn 1.8.
OLDER = {
    "CONTINUOUS_CLASSIFICATION_METRICS": "THRESHOLDED_METRICS",
    "CONTINUOUS_CLASSIFICATION_METRICS_WITH_AVERAGING": "THRESHOLDED_METRICS_WITH_AVERAGING",
    "CONTINUOUS_MULTILABEL_METRICS": "THRESHOLDED_MULTILABEL_METRICS",
    "test_continuous_classification_invariance_string_vs_numbers_labels": (
        "test_thresholded_invariance_string_vs_numbers_labels"
    ),
    "test_continuous_inf_nan_input": "test_regression_thresholded_inf_nan_input",
    "test_continuous_metric_permutation_invariance": (
        "test_thresholded_metric_permutation_invariance"
    ),
    "test_continuous_multilabel_multioutput_permutations_invariance": (
        "test_thresholded_multilabel_multioutput_permutations_invariance"
    ),
}

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
    # LinearSVC and LogisticRegression on the checks' own data
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


# ---- the metrics, under the names that scikit-learn's tables would give them ----


@dataclass(frozen=True, eq=False)
class Judged:
    """A metric with parameters bound."""

    name: str
    row: Metric
    bound: dict[str, Any] = field(default_factory=dict)

    @property
    def function(self) -> Callable[..., Any]:
        return getattr(skaucx.metrics, self.row.formula.__name__)

    @property
    def call(self) -> Callable[..., Any]:
        if self.row.name == "expected_cost":
            return expected_cost_of_as_many_classes
        return partial(self.function, **self.bound) if self.bound else self.function

    @property
    def average(self) -> str | None:
        return self.bound.get("average")

    def takes(self, parameter: str) -> bool:
        return parameter in inspect.signature(self.function).parameters

    @property
    def plain(self) -> bool:
        """Whether nothing is bound that the caller might set."""
        return not {"average", "multi_class", "normalize"} & set(self.bound)


def expected_cost_of_as_many_classes(*arrays, **options):
    labels = {str(label) for array in arrays for label in np.ravel(array)}
    return skaucx.metrics.expected_cost(*arrays, cost=costs(len(labels)), **options)


def costs(classes):
    """Return costs that grow with the distance, twice as fast below the diagonal."""
    difference = np.subtract.outer(np.arange(classes), np.arange(classes))
    return np.where(difference > 0, 2.0 * difference, -difference)


# Parameters without a default.
NEEDED = {"fbeta": {"beta": 2}, "pairwise_auc": {"difference": np.tanh}, "expected_cost": {}}
# More values of parameters, beside the averages.
MORE = {
    "fbeta": {"f0.5": {"beta": 0.5}},
    "precision": {"at_prevalence": {"prevalence": 0.3}},
    "npv": {"at_prevalence": {"prevalence": 0.3}},
    "accuracy": {"unnormalized": {"normalize": False}},
    "zero_one_loss": {"unnormalized": {"normalize": False}},
    "balanced_accuracy": {"adjusted": {"adjusted": True}},
    "cohen_kappa": {"linear": {"weights": "linear"}, "quadratic": {"weights": "quadratic"}},
    "log_loss": {"unnormalized": {"normalize": False}},
    "brier_score_loss": {"whole": {"scale_by_half": False}},
    "roc_auc": {"low_fpr": {"max_fpr": 0.5}, "winning_ties": {"ties": "win"}},
    "partial_roc_auc": {"standardized": {"tpr": (0.5, 1), "standardize": True}},
    "mm4_auc": {"high_floor": {"floor": 0.9}},
}
LABEL_AVERAGES = ("macro", "micro", "weighted", "samples")
SCORE_AVERAGES: dict[str, dict[str, str]] = {
    "weighted": {"average": "weighted"},
    "samples": {"average": "samples"},
    "micro": {"average": "micro"},
    "ovr": {"multi_class": "ovr"},
    "weighted_ovr": {"multi_class": "ovr", "average": "weighted"},
    "micro_ovr": {"multi_class": "ovr", "average": "micro"},
    "ovo": {"multi_class": "ovo"},
    "weighted_ovo": {"multi_class": "ovo", "average": "weighted"},
}
RANKS = ("order", "values", "unit_values")


def judged_of(row):
    """Return a metric alone, with each average, and with other values of its parameters."""
    name, needed = row.formula.__name__, NEEDED.get(row.name, {})
    made = {name: needed}
    if row.reads == "counts":
        made |= {f"{a}_{name}": {**needed, "average": a} for a in LABEL_AVERAGES}
    elif row.reads in RANKS:
        made |= {f"{prefix}_{name}": {**needed, **a} for prefix, a in SCORE_AVERAGES.items()}
    if row.reads == "unit_values":
        made[f"expit_{name}"] = {**needed, "rescale": "expit"}
    made |= {
        f"{more}_{name}": {**needed, **bound} for more, bound in MORE.get(row.name, {}).items()
    }
    return [Judged(name, row, bound) for name, bound in made.items()]


ALL = [judged for row in list_metrics() for judged in judged_of(row)]
ROWS = {row.name: row for row in list_metrics()}


def labels(judged):
    return judged.row.reads_labels


def scores(judged):
    return not judged.row.reads_labels


def ranks(judged):
    return judged.row.reads in RANKS


def binary(judged):
    return scores(judged) or judged.average != "samples"


def multiclass(judged):
    if ranks(judged):
        default = inspect.signature(judged.function).parameters["multi_class"].default
        one_column = {"max_fpr", "tpr", "ties"} & set(judged.bound)
        averages = judged.average in (None, "weighted") or "multi_class" in judged.bound
        return judged.bound.get("multi_class", default) != "raise" and averages and not one_column
    return judged.row.reads != "counts" or judged.average in ("macro", "micro", "weighted")


def multilabel(judged):
    """Whether it judges indicators; ovr and ovo say nothing there, so they are not asked."""
    if not judged.row.multilabel or "multi_class" in judged.bound:
        return False
    return judged.row.reads != "counts" or judged.average is not None


# Symmetric in truth and prediction when summed over two classes, which does not show in the row.
SYMMETRIC_IN_SUM = {
    "weighted_recall_score",
    "weighted_false_negative_rate",
    "weighted_positive_likelihood_ratio",
    "weighted_negative_likelihood_ratio",
    "weighted_p4_score",
    "weighted_diagnostic_odds_ratio",
    "macro_type_i_error",
    "macro_type_ii_error",
    "macro_prevalence",
}


def symmetric(judged):
    if judged.average == "micro" or judged.name in SYMMETRIC_IN_SUM:
        return labels(judged)
    return labels(judged) and judged.average != "weighted" and (
        judged.row.transposed == judged.row.name
    )  # fmt: skip


def asymmetric(judged):
    return labels(judged) and binary(judged) and not symmetric(judged)


def calls(condition):
    return {judged.name: judged.call for judged in ALL if condition(judged)}


def names(condition):
    return {judged.name for judged in ALL if condition(judged)}


TABLES = {
    "REGRESSION_METRICS": {},
    "CURVE_METRICS": {},
    "CLASSIFICATION_METRICS": calls(labels),
    "CONTINUOUS_CLASSIFICATION_METRICS": calls(scores),
    "ALL_METRICS": calls(lambda judged: True),
    "METRIC_UNDEFINED_BINARY": names(lambda judged: not binary(judged)),
    "METRIC_UNDEFINED_MULTICLASS": names(lambda judged: not multiclass(judged)),
    "METRIC_UNDEFINED_BINARY_MULTICLASS": names(
        lambda judged: not (binary(judged) and multiclass(judged))
    ),
    "METRICS_WITH_AVERAGING": names(lambda judged: judged.row.reads == "counts" and judged.plain),
    "CONTINUOUS_CLASSIFICATION_METRICS_WITH_AVERAGING": names(
        lambda judged: ranks(judged) and judged.plain
    ),
    "METRICS_WITH_POS_LABEL": names(
        lambda judged: judged.takes("pos_label") and (scores(judged) or judged.plain)
    ),
    "METRICS_WITH_LABELS": names(lambda judged: judged.takes("labels")),
    "METRICS_WITH_NORMALIZE_OPTION": names(
        lambda judged: judged.takes("normalize") and judged.plain
    ),
    "MULTILABELS_METRICS": names(lambda judged: labels(judged) and multilabel(judged)),
    "CONTINUOUS_MULTILABEL_METRICS": names(lambda judged: scores(judged) and judged.row.multilabel),
    "MULTIOUTPUT_METRICS": set(),
    "SYMMETRIC_METRICS": names(symmetric),
    "NOT_SYMMETRIC_METRICS": names(asymmetric),
    "METRICS_WITHOUT_SAMPLE_WEIGHT": set(),
    "WEIGHT_SCALE_DEPENDENT_METRICS": names(lambda j: j.bound.get("normalize") is False),
    "METRICS_REQUIRE_POSITIVE_Y": set(),
    "METRICS_WITH_LOG1P_Y": set(),
}


# ---- the same error in other words ----

# What a check asks an error to say, and what ours says.
WORDS = {
    "Found empty input array": "is empty; at least one example is needed",
    "Input sample_weight contains infinity": "Input sample_weight contains NaN or infinity",
    "Complex data not supported": "sample_weight has dtype complex128",
    "Sample weights must be 1D array or scalar": "sample_weight must be one-dimensional",
    "Input y_true contains NaN": "Input contains NaN in (y_true|y1);",
    "Input y_pred contains NaN": "Input contains NaN in (y_pred|y2);",
    "Input y_true contains infinity": r"(y_true|y1) holds continuous values \(such as .*inf",
    "Input y_pred contains infinity": r"(y_pred|y2) holds continuous values \(such as .*inf",
    "can't handle a mix of binary and continuous": "(y_pred|y2) holds continuous values",
    "Mix of label input types": "Labels of one kind are needed, found strings and numbers",
    "multi_class must be in": "multi_class must be one of 'ovr', 'ovo'",
}


class Pytest:
    """pytest, for the checks: an error may be in our words, and a TypeError where it is of type."""

    def __getattr__(self, name):
        return getattr(pytest, name)

    @staticmethod
    def raises(error, *, match=None):
        ours = [
            words for theirs, words in WORDS.items() if theirs in (match or "").replace("\\", "")
        ]
        if error is ValueError:
            error = (ValueError, TypeError)
        return pytest.raises(error, match=ours[0] if ours else match)


@functools.cache
def _made_multilabel(**options):
    return make_multilabel_classification(**options)


def remembered_multilabel(**options):
    """make_multilabel_classification, made once: it takes most of the checks' time."""
    return tuple(array.copy() for array in _made_multilabel(**options))


@pytest.fixture(scope="module", autouse=True)
def tables():
    """The checks' modules with our tables, functions and scorers in place of scikit-learn's."""
    with pytest.MonkeyPatch.context() as patch:
        for table, value in TABLES.items():
            known = table if hasattr(common, table) else OLDER.get(table)
            if known and hasattr(common, known):
                patch.setattr(common, known, value)
        for module in (common, objects):
            patch.setattr(module, "pytest", Pytest())
        for row in list_metrics():
            if row.twin:
                patch.setattr(objects, row.twin, getattr(skaucx.metrics, row.twin), raising=False)
        patch.setattr(common, "make_multilabel_classification", remembered_multilabel)
        patch.setattr(objects, "get_scorer", get_scorer)
        patch.setattr(objects, "get_scorer_names", get_scorer_names)
        patch.setattr(objects, "CLF_SCORERS", [case.name for case in SCORERS])
        yield


# ---- checks of metrics ----


@dataclass(frozen=True, eq=False)
class Check:
    """A check function, the metrics that it is asked about, and its arguments for each.

    `alone` names the tables that it loops over by itself: they are reduced to the one metric.
    """

    name: str
    asked: Callable[[Judged], bool]
    arguments: Callable[[Judged], list[tuple[Any, ...]]] = lambda judged: [(judged.name,)]
    alone: tuple[str, ...] = ()

    def run(self, judged):
        function = found(common, self.name)
        with pytest.MonkeyPatch.context() as patch:
            for table in ("MULTILABELS_METRICS", "CONTINUOUS_MULTILABEL_METRICS", *self.alone):
                known = table if hasattr(common, table) else OLDER.get(table)
                if self.alone:
                    patch.setattr(common, known, {judged.name} & set(getattr(common, known)))
            for arguments in self.arguments(judged):
                function(*arguments)


def found(module, name):
    return getattr(module, name, None) or getattr(module, OLDER.get(name, ""), None)


def by_call(judged):
    return [(judged.call,)]


def mixed_kinds(judged):
    strings = ["spam"] * 3 + ["eggs"] * 2
    if "y1" not in inspect.signature(common.test_metrics_consistent_type_error).parameters:
        return [(judged.name,)]  # before scikit-learn 1.7
    return [(np.array(strings), judged.name), (np.array(strings, dtype=object), judged.name)]


def with_averages(judged):
    return judged.row.reads == "counts" and judged.plain


def ranks_any_score(judged):
    return ranks(judged) and judged.plain and (
        judged.row.reads != "unit_values" or "rescale" in judged.bound
    )  # fmt: skip


def normalizes(judged):
    return judged.takes("normalize") and judged.plain


NOT_FINITE = [
    ([0, 1], [np.inf, np.inf]),
    ([0, 1], [np.nan, np.nan]),
    ([0, 1], [np.nan, np.inf]),
    ([0, 1], [np.inf, 1]),
    ([0, 1], [np.nan, 1]),
]
NOT_FINITE_LABELS = [*NOT_FINITE, ([np.nan, 1, 2], [1, 2, 3]), ([np.inf, 1, 2], [1, 2, 3])]

CHECKS = [
    Check("test_symmetric_metric", symmetric),
    Check("test_not_symmetric_metric", asymmetric),
    Check("test_sample_order_invariance", binary),
    Check(
        "test_sample_order_invariance_multilabel_and_multioutput",
        multilabel,
        lambda judged: [()],
        alone=("MULTILABELS_METRICS", "CONTINUOUS_MULTILABEL_METRICS"),
    ),
    Check("test_format_invariance_with_1d_vectors", binary),
    Check("test_classification_metrics_raise_on_empty_input", lambda judged: True, by_call),
    Check("test_classification_with_invalid_sample_weight", lambda judged: True, by_call),
    Check(
        "test_classification_invariance_string_vs_numbers_labels",
        lambda judged: labels(judged) and binary(judged),
    ),
    Check("test_continuous_classification_invariance_string_vs_numbers_labels", scores),
    Check(
        "test_continuous_inf_nan_input",
        scores,
        lambda judged: [(judged.call, *arrays) for arrays in NOT_FINITE],
    ),
    Check(
        "test_classification_inf_nan_input",
        labels,
        lambda judged: [(judged.call, *arrays) for arrays in NOT_FINITE_LABELS],
    ),
    Check("test_classification_binary_continuous_input", labels, by_call),
    Check("test_single_sample", binary),
    Check("test_single_sample_multioutput", multilabel),
    Check("test_multioutput_number_of_output_differ", multilabel),
    Check(
        "test_multilabel_representation_invariance",
        lambda judged: labels(judged) and multilabel(judged),
        lambda judged: [(container,) for container in common.COO_CONTAINERS],
        alone=("MULTILABELS_METRICS",),
    ),
    Check("test_raise_value_error_multilabel_sequences", multilabel),
    Check("test_normalize_option_binary_classification", normalizes),
    Check("test_normalize_option_multiclass_classification", normalizes),
    Check(
        "test_normalize_option_multilabel_classification",
        lambda judged: normalizes(judged) and multilabel(judged),
    ),
    Check("test_averaging_multiclass", with_averages),
    Check(
        "test_averaging_multilabel",
        lambda judged: with_averages(judged) or ranks_any_score(judged),
    ),
    Check("test_averaging_multilabel_all_zeroes", with_averages),
    Check("test_averaging_multilabel_all_ones", with_averages),
    Check("test_binary_sample_weight_invariance", binary),
    Check(
        "test_multiclass_sample_weight_invariance",
        lambda judged: binary(judged) and multiclass(judged),
    ),
    Check("test_multilabel_sample_weight_invariance", multilabel),
    Check(
        "test_no_averaging_labels",
        with_averages,
        lambda judged: [()],
        alone=("METRICS_WITH_AVERAGING",),
    ),
    Check(
        "test_multilabel_label_permutations_invariance",
        lambda judged: labels(judged) and multilabel(judged),
    ),
    Check(
        "test_continuous_multilabel_multioutput_permutations_invariance",
        lambda judged: scores(judged) and multilabel(judged),
    ),
    Check(
        "test_continuous_metric_permutation_invariance",
        lambda judged: scores(judged) and multiclass(judged),
    ),
    Check("test_metrics_consistent_type_error", labels, mixed_kinds),
    Check(
        "test_metrics_dataframe_series",
        binary,
        lambda judged: [(judged.name, "pandas"), (judged.name, "polars")],
    ),
    Check("test_returned_value_consistency", lambda judged: True),
]
