"""scikit-learn's own checks of metrics and scorers, from its wheel, judge this package's.

The check functions run as they are. Only the tables in their modules, of metrics and of facts about
them, are replaced, by ones read from the registry; and where an error is right but worded otherwise,
`WORDS` says how. What a check is not asked, and why, stands in `NOT_ASKED` (whole checks) and in
`EXCUSES` (a check for some metrics); an excuse that is no longer needed fails.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.utils.fixes import parse_version

import skaucx.metrics
from skaucx.metrics import get_scorer, get_scorer_names, list_metrics
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import scorer_names
from skaucx.metrics._registry.row import Metric
from tests.metrics.of_classes import OF_CLASSES

common = pytest.importorskip("sklearn.metrics.tests.test_common")
objects = pytest.importorskip("sklearn.metrics.tests.test_score_objects")

# The release whose checks were read for the two tables of exceptions below.
READ = parse_version("1.9")
INSTALLED = parse_version(sklearn.__version__)
# Names before scikit-learn 1.8 (1.8.0 has one misspelt).
OLDER = {
    "CONTINUOUS_CLASSIFICATION_METRICS": ("THRESHOLDED_METRICS",),
    "CONTINUOUS_CLASSIFICATION_METRICS_WITH_AVERAGING": (
        "CONTINOUS_CLASSIFICATION_METRICS_WITH_AVERAGING",
        "THRESHOLDED_METRICS_WITH_AVERAGING",
    ),
    "CONTINUOUS_MULTILABEL_METRICS": ("THRESHOLDED_MULTILABEL_METRICS",),
    "test_continuous_classification_invariance_string_vs_numbers_labels": (
        "test_thresholded_invariance_string_vs_numbers_labels",
    ),
    "test_continuous_inf_nan_input": ("test_regression_thresholded_inf_nan_input",),
    "test_continuous_metric_permutation_invariance": (
        "test_thresholded_metric_permutation_invariance",
    ),
    "test_continuous_multilabel_multioutput_permutations_invariance": (
        "test_thresholded_multilabel_multioutput_permutations_invariance",
    ),
}


def known_as(module, name):
    """Return the name that the installed scikit-learn has, or None."""
    return next((known for known in (name, *OLDER.get(name, ())) if hasattr(module, known)), None)


pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
    # Some checks hand over integer labels as scores.
    pytest.mark.filterwarnings("ignore:.* holds nothing but class labels:UserWarning"),
    # LinearSVC and LogisticRegression on the checks' own data
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]


@dataclass(frozen=True, eq=False)
class Judged:
    """A metric with parameters bound."""

    name: str
    row: Metric
    bound: dict[str, Any] = field(default_factory=dict)

    @property
    def function(self) -> Callable[..., Any]:
        return METRICS[self.row.name]

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
    """Return costs that grow with the distance, three times as fast below the diagonal."""
    difference = np.subtract.outer(np.arange(classes), np.arange(classes))
    return np.where(difference > 0, 3.0 * difference, -difference)


# Parameters without a default.
BOUNDED = {"objective": "adjusted_g_mean", "subject_to": {"fpr": ("<=", 0.9)}}
NEEDED = {
    "fbeta": {"beta": 2},
    "pairwise_auc": {"difference": np.tanh},
    "expected_cost": {},
    "feasible": BOUNDED,
    "best_feasible": BOUNDED,
    "mase_loss": {"scale": 2.0},
    "net_benefit": {"threshold": 0.3},
    "top_k_accuracy": {"k": 1},
}
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
RANKS = ("order", "relative_values", "values", "unit_values")


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
    "macro_predicted_positive_rate",
    "weighted_predicted_positive_rate",
    "macro_net_benefit",
    "weighted_yule_q",
    "weighted_yule_y",
    "macro_adjusted_f_score",
    "macro_excess_of_calls",
    "macro_population_attributable_fraction",
    "weighted_bray_curtis_dissimilarity",
    "weighted_discriminant_power",
}
# Rows whose averages are exceptions, above or in an excuse.
EXCEPTIONAL = {name.partition("_")[2] for name in SYMMETRIC_IN_SUM}
EXCEPTIONAL |= {"pointwise_mutual_information", "recall_at_precision", "recall_at_precision_score"}
# Averages are the registry's, whatever the formula: scikit-learn's own metrics, the first of each
# kind and family, and exceptions take all of them, the others their default.
FIRST: dict[tuple[str, str], str] = {}
for function in OF_CLASSES.values():
    FIRST.setdefault((function.metric.kind.name, function.metric.family), function.metric.name)


def averaged(row):
    return bool(row.twin) or row.name in FIRST.values() or row.function in EXCEPTIONAL


def judged_of(row):
    """Return a metric alone, with each average, and with other values of its parameters."""
    name, needed = row.function, NEEDED.get(row.name, {})
    made = {name: needed}
    if not averaged(row):
        pass
    elif row.kind.name == "counts":
        made |= {f"{a}_{name}": {**needed, "average": a} for a in LABEL_AVERAGES}
    elif row.kind.name in RANKS:
        made |= {f"{prefix}_{name}": {**needed, **a} for prefix, a in SCORE_AVERAGES.items()}
    if row.kind.name == "unit_values":
        made[f"expit_{name}"] = {**needed, "rescale": "expit"}
    made |= {
        f"{more}_{name}": {**needed, **bound} for more, bound in MORE.get(row.name, {}).items()
    }
    return [Judged(name, row, bound) for name, bound in made.items()]


ALL = [judged for function in OF_CLASSES.values() for judged in judged_of(function.metric)]
NUMBERS = [
    judged for row in list_metrics() if row.kind.name == "regression" for judged in judged_of(row)
]


def labels(judged):
    return judged.row.kind.counted


def scores(judged):
    return not judged.row.kind.counted


def ranks(judged):
    return judged.row.kind.name in RANKS


def binary(judged):
    return scores(judged) or judged.average != "samples"


def multiclass(judged):
    if ranks(judged):
        default = inspect.signature(judged.function).parameters["multi_class"].default
        one_column = {"max_fpr", "tpr", "ties"} & set(judged.bound)
        averages = judged.average in (None, "weighted") or "multi_class" in judged.bound
        return judged.bound.get("multi_class", default) != "raise" and averages and not one_column
    return judged.row.kind.name != "counts" or judged.average in ("macro", "micro", "weighted")


def multilabel(judged):
    """Whether it judges indicators; ovr and ovo say nothing there, so they are not asked."""
    if not judged.row.multilabel or "multi_class" in judged.bound:
        return False
    return judged.row.kind.name != "counts" or judged.average is not None


def symmetric(judged):
    if judged in NUMBERS:
        return judged.row.transposed == judged.row.name
    if judged.average == "micro" or judged.name in SYMMETRIC_IN_SUM:
        return labels(judged)
    return labels(judged) and judged.average != "weighted" and (
        judged.row.transposed == judged.row.name
    )  # fmt: skip


def asymmetric(judged):
    if judged in NUMBERS:
        return not symmetric(judged)
    return labels(judged) and binary(judged) and not symmetric(judged)


def calls(condition, of=ALL):
    return {judged.name: judged.call for judged in of if condition(judged)}


def anything(judged):
    return True


def names(condition, of=ALL):
    return {judged.name for judged in of if condition(judged)}


TABLES = {
    "REGRESSION_METRICS": calls(anything, NUMBERS),
    "CURVE_METRICS": {},
    "CLASSIFICATION_METRICS": calls(labels),
    "CONTINUOUS_CLASSIFICATION_METRICS": calls(scores),
    "ALL_METRICS": calls(anything, ALL + NUMBERS),
    "METRIC_UNDEFINED_BINARY": names(lambda judged: not binary(judged)),
    "METRIC_UNDEFINED_MULTICLASS": names(lambda judged: not multiclass(judged)),
    "METRIC_UNDEFINED_BINARY_MULTICLASS": names(
        lambda judged: not (binary(judged) and multiclass(judged))
    )
    | names(anything, NUMBERS),
    "METRICS_WITH_AVERAGING": names(
        lambda judged: judged.row.kind.name == "counts" and judged.plain
    ),
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
    "MULTIOUTPUT_METRICS": names(lambda judged: judged.takes("multioutput"), NUMBERS),
    "SYMMETRIC_METRICS": names(symmetric, ALL + NUMBERS),
    "NOT_SYMMETRIC_METRICS": names(asymmetric, ALL + NUMBERS),
    "METRICS_WITHOUT_SAMPLE_WEIGHT": set(),
    "WEIGHT_SCALE_DEPENDENT_METRICS": names(
        lambda j: j.bound.get("normalize") is False or j.row.reads_size
    ),
    "METRICS_REQUIRE_POSITIVE_Y": names(
        lambda judged: "poisson" in judged.name or "gamma" in judged.name, NUMBERS
    ),
    "METRICS_WITH_LOG1P_Y": names(lambda judged: "log_error" in judged.name, NUMBERS),
}


# What a check asks an error to say, and what ours says; None where there is no error by design.
WORDS = {
    "pos_label=1 is not a valid label": "pos_label=None does not determine which of the labels",
    "Found empty input array": "is empty; at least one example is needed",
    "Input sample_weight contains infinity": "Input sample_weight contains NaN or infinity",
    "Complex data not supported": "sample_weight has dtype complex128",
    "Sample weights must be 1D array or scalar": "sample_weight must be one-dimensional",
    "Input y_true contains NaN": "Input contains NaN in (y_true|y1),",
    "Input y_pred contains NaN": "Input contains NaN in (y_pred|y2),",
    "Input y_true contains infinity": r"(y_true|y1) holds continuous values \(such as .*inf",
    "Input y_pred contains infinity": r"(y_pred|y2) holds continuous values \(such as .*inf",
    "can't handle a mix of binary and continuous": "(y_pred|y2) holds continuous values",
    "Mix of label input types": "Labels of one kind are needed, found strings and numbers",
    "should be of the same type": "Labels of one kind are needed, found strings and numbers",
    "multi_class must be in": "multi_class must be one of 'ovr', 'ovo'",
}


class Pytest:
    """pytest, for the checks: an error may be in our words, and a TypeError where it is of type."""

    def __getattr__(self, name):
        return getattr(pytest, name)

    @staticmethod
    def raises(error, *, match=None):
        for theirs, ours in WORDS.items():
            if theirs in (match or "").replace("\\", ""):
                match = ours
                if ours is None:
                    return contextlib.nullcontext()
        return pytest.raises((ValueError, TypeError) if error is ValueError else error, match=match)


@functools.cache
def _made_multilabel(**options):
    return make_multilabel_classification(**options)


def remembered_multilabel(**options):
    """make_multilabel_classification, made once: it takes most of the checks' time."""
    return tuple(array.copy() for array in _made_multilabel(**options))


class RememberedLogisticRegression(LogisticRegression):
    """A classifier that knows the data on which it was fitted before."""

    fits: ClassVar[dict[Any, Any]] = {}

    def fit(self, X, y):
        key = (X.tobytes(), y.astype(str).tobytes(), repr(self.get_params()))
        if key not in self.fits:
            self.fits[key] = LogisticRegression(**self.get_params()).fit(X, y)
        vars(self).update(vars(self.fits[key]))
        return self


@pytest.fixture(scope="module", autouse=True)
def tables():
    """The checks' modules with our tables, functions and scorers in place of scikit-learn's."""
    with pytest.MonkeyPatch.context() as patch:
        for table, value in TABLES.items():
            if known_as(common, table):
                patch.setattr(common, known_as(common, table), value)
        for module in (common, objects):
            patch.setattr(module, "pytest", Pytest())
        for row in list_metrics():
            if row.twin:
                patch.setattr(objects, row.twin, METRICS[row.name], raising=False)
        patch.setattr(common, "make_multilabel_classification", remembered_multilabel)
        patch.setattr(objects, "LogisticRegression", RememberedLogisticRegression)
        patch.setattr(objects, "get_scorer", get_scorer)
        patch.setattr(objects, "get_scorer_names", get_scorer_names)
        patch.setattr(objects, "CLF_SCORERS", [case.name for case in SCORERS])
        yield


@dataclass(frozen=True, eq=False)
class Check:
    """A check function, the metrics that it is asked about, and its arguments for each.

    `alone` names the tables that it loops over by itself: they are reduced to the one metric.
    """

    name: str
    asked: Callable[[Judged], bool]
    arguments: Callable[[Judged], list[tuple[Any, ...]]] = lambda judged: [(judged.name,)]
    alone: tuple[str, ...] = ()

    fixture = None
    module = common

    def run(self, judged, given=()):
        with pytest.MonkeyPatch.context() as patch:
            for table in self.alone:
                known = known_as(common, table)
                patch.setattr(common, known, {judged.name} & set(getattr(common, known)))
            for arguments in self.arguments(judged):
                getattr(common, known_as(common, self.name))(*arguments, *given)


def by_call(judged):
    return [(judged.call,)]


def mixed_kinds(judged):
    strings = ["spam"] * 3 + ["eggs"] * 2
    if "y1" not in inspect.signature(common.test_metrics_consistent_type_error).parameters:
        return [(judged.name,)]  # before scikit-learn 1.7
    return [(np.array(strings), judged.name), (np.array(strings, dtype=object), judged.name)]


def with_averages(judged):
    return judged.row.kind.name == "counts" and judged.plain


def ranks_any_score(judged):
    return ranks(judged) and judged.plain and (
        judged.row.kind.name != "unit_values" or "rescale" in judged.bound
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
    Check("test_classification_metrics_raise_on_empty_input", anything, by_call),
    Check("test_classification_with_invalid_sample_weight", anything, by_call),
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
    Check(
        "test_normalize_option_multiclass_classification",
        lambda judged: normalizes(judged) and judged.row.kind.name != "counts",
    ),
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
    Check("test_returned_value_consistency", anything),
]
NUMBER_CHECKS = [
    Check("test_regression_sample_weight_invariance", lambda judged: judged.name != "max_error"),
    Check("test_regression_with_invalid_sample_weight", anything),
    Check("test_sample_order_invariance", anything),
    Check("test_format_invariance_with_1d_vectors", anything),
    Check(
        "test_continuous_inf_nan_input",
        anything,
        lambda judged: [(judged.call, *arrays) for arrays in NOT_FINITE],
    ),
    Check("test_single_sample", anything),
    Check(
        "test_metrics_dataframe_series",  # of zeros too
        lambda judged: not {"poisson", "gamma"} & set(judged.name.split("_")),
        lambda judged: [(judged.name, "pandas"), (judged.name, "polars")],
    ),
    Check("test_returned_value_consistency", anything),
]


@dataclass(frozen=True, eq=False)
class Scored:
    """A scorer's name with the metric behind it."""

    name: str
    row: Metric
    averaging: dict[str, Any]

    @property
    def function(self) -> Callable[..., Any]:
        return METRICS[self.row.name]

    @property
    def sign(self) -> int:
        return -1 if self.row.greater_is_better is False else 1

    @property
    def several(self) -> bool:
        """Whether the metric judges more than two classes."""
        names = ("table", "probabilities", "columns", "margins")
        return self.row.kind.name in names or bool(self.averaging)

    def needed(self, classes):
        if self.row.name == "expected_cost":
            return {"cost": costs(classes)}
        return NEEDED.get(self.row.name, {})

    def scorer(self, classes=2, **parameters):
        return get_scorer(self.name, **self.needed(classes), **parameters)

    def metric(self, classes=2):
        bound = partial(self.function, **self.averaging, **self.needed(classes))
        bound.__name__ = self.function.__name__  # which scikit-learn 1.6 reads
        return bound

    def signed_metric(self, classes=2):
        metric = self.metric(classes)
        return lambda *arrays, **options: self.sign * metric(*arrays, **options)


SUFFIXES: dict[str, dict[str, str]] = {
    "": {},
    **{f"_{average}": {"average": average} for average in ("macro", "micro", "weighted")},
    **{
        f"_{multi_class}{suffix}": {"multi_class": multi_class, "average": average}
        for multi_class in ("ovr", "ovo")
        for suffix, average in (("", "macro"), ("_micro", "micro"), ("_weighted", "weighted"))
    },
}
KNOWN = set(scorer_names())
SCORERS = [
    Scored(row.scorer_name + suffix, row, averaging)
    for row in (function.metric for function in OF_CLASSES.values())
    for suffix, averaging in SUFFIXES.items()
    if row.scorer_name + suffix in KNOWN and (not suffix or averaged(row))
]


@dataclass(frozen=True, eq=False)
class ScorerCheck:
    """A check function, the scorers that it is asked about, its arguments, and what it gets to see.

    `sees` replaces names of the check's module: ``{"get_scorer": ...}``.
    """

    name: str
    asked: Callable[[Scored], bool] = lambda scored: True
    arguments: Callable[[Scored], list[tuple[Any, ...]]] = lambda scored: [()]
    sees: Callable[[Scored], dict[str, Any]] = lambda scored: {}
    fixture: str | None = None
    module = objects

    def run(self, scored, given=()):
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.sees(scored).items():
                patch.setattr(objects, name, value)
            for arguments in self.arguments(scored):
                getattr(objects, self.name)(*arguments, *given)


def by_name(scored):
    return [(scored.name,)]


def sees_scorer(scored, classes=2):
    return {
        "get_scorer": lambda name: scored.scorer(classes),
        "get_scorer_names": lambda: [scored.name],
    }


MADE, FITTED = getattr(objects, "_make_estimators", None), []


def fitted_once(*rows):
    """Return the estimators of a check whose rows are the same for every scorer."""
    if not FITTED:
        FITTED.append(MADE(*rows))
    return FITTED[0]


def sees_three_classes(scored):
    return sees_scorer(scored, 3)


def as_roc_auc(scored):
    """Let a check of roc_auc see another metric of ranked scores."""
    return {
        "get_scorer": lambda name: scored.scorer() if name == "roc_auc" else get_scorer(name),
        "roc_auc_score": scored.metric(),
    }


def one_value(scored):
    return scored.row.kind.name == "counts" and not scored.averaging


def judges_trees(scored):
    """Whether a classifier without decision_function can be judged."""
    return scored.row.kind.name != "margins"


def probabilities_of_many(scored):
    """Whether probabilities of many classes are judged, and nothing else would do."""
    own = scored.row.kind.name not in ("columns", "margins")
    return not scored.row.kind.counted and scored.several and own


def score_labels(scored):
    """Whether the labels of ``predict`` are scored, not probabilities that the metric cuts."""
    return scored.row.kind.counted and not scored.row.cuts


def rank_scores(scored):
    return scored.row.kind.name in RANKS


def repr_of(scored):
    bound = {**scored.averaging, **scored.needed(2)}
    inside = ", ".join(f"{name}={value!r}" for name, value in bound.items())
    return (
        f"make_scorer({scored.function.__name__}{f'({inside})' if bound else ''}"
        f"{', greater_is_better=False' if scored.sign < 0 else ''}"
        f", response_method={scored.scorer()._response_method!r})"
    )


def takes_positive(scored):
    return not scored.averaging and "pos_label" in inspect.signature(scored.function).parameters


def unknown_positives(scored):
    """Return our scorer, and scikit-learn's of our metric, both with a label that is not there."""
    response_method = scored.row.kind.response_method
    bare = make_scorer(scored.metric(), response_method=response_method, pos_label="xxx")
    ours = partial(scored.scorer(pos_label="xxx"))
    ours._kwargs = bare._kwargs  # the check looks at it before it calls the scorer
    return [(bare,), (ours,)]


# Reading the order of scores, but not only that: the value changes with the response.
SPREAD = {"mm1_auc", "mm4_auc"}


def order_alone(scored):
    return (
        scored.row.kind.name == "order" and not scored.averaging and scored.row.name not in SPREAD
    )


SCORER_CHECKS = [
    ScorerCheck("test_all_scorers_repr", sees=sees_scorer),
    ScorerCheck(
        "test_check_scoring_and_check_multimetric_scoring",
        score_labels,
        lambda scored: [({scored.name: scored.scorer()},)],
    ),
    ScorerCheck(
        "test_classification_binary_scores",
        score_labels,
        lambda scored: [(scored.name, scored.signed_metric())],
        sees_scorer,
    ),
    ScorerCheck(
        "test_classification_multiclass_scores",
        lambda scored: score_labels(scored) and scored.several,
        lambda scored: [(scored.name, scored.signed_metric(3))],
        sees_three_classes,
    ),
    ScorerCheck(
        "test_custom_scorer_pickling",
        lambda scored: one_value(scored) and scored.row.name != "fbeta" and not scored.row.cuts,
        sees=lambda scored: {"make_scorer": lambda metric, beta: scored.scorer()},
    ),
    ScorerCheck(
        "test_thresholded_scorers",
        order_alone,
        sees=as_roc_auc,
    ),
    ScorerCheck(
        "test_thresholded_scorers_multilabel_indicator_data",
        lambda scored: scored.row.kind.name == "order" and "multi_class" not in scored.averaging,
        sees=as_roc_auc,
    ),
    ScorerCheck(
        "test_raises_on_score_list",
        one_value,
        sees=lambda scored: {"f1_score": scored.metric()},
    ),
    ScorerCheck(
        "test_classification_scorer_sample_weight",
        judges_trees,
        sees=lambda scored: sees_scorer(scored) | {"_make_estimators": fitted_once},
    ),
    ScorerCheck(
        "test_scorer_memmap_input",
        judges_trees,
        by_name,
        sees=sees_scorer,
        fixture="memmap_data_and_estimators",
    ),
    ScorerCheck(
        "test_multimetric_scorer_calls_method_once",
        arguments=lambda scored: [
            (
                {"first": scored.scorer(), "second": scored.scorer()},
                *(
                    int(np.atleast_1d(scored.scorer()._response_method)[0] == method)
                    for method in ("predict", "predict_proba", "decision_function")
                ),
            )
        ],
    ),
    ScorerCheck(
        "test_multimetric_scorer_calls_method_once_classifier_no_decision",
        lambda scored: not scored.row.kind.counted and judges_trees(scored),
        lambda scored: [({"first": scored.scorer(), "second": scored.scorer()},)],
    ),
    ScorerCheck(
        "test_multiclass_roc_proba_scorer",
        probabilities_of_many,
        lambda scored: [(scored.name, scored.signed_metric(3))],
        sees_three_classes,
    ),
    ScorerCheck(
        "test_multiclass_roc_no_proba_scorer_errors",
        probabilities_of_many,
        by_name,
        sees_three_classes,
    ),
    ScorerCheck(
        "test_multiclass_roc_proba_scorer_label",
        lambda scored: rank_scores(scored) and not scored.averaging,
        sees=lambda scored: {"roc_auc_score": scored.metric()},
    ),
    ScorerCheck(
        "test_average_precision_pos_label",
        lambda scored: (
            order_alone(scored) and scored.row.positive_matters() and not scored.row.guesses
        ),
        sees=lambda scored: {"average_precision_score": scored.metric()},
        fixture="string_labeled_classification_problem",
    ),
    ScorerCheck(
        "test_brier_score_loss_pos_label",
        lambda scored: scored.row.kind.name == "probabilities",
        sees=lambda scored: {"brier_score_loss": scored.metric()},
        fixture="string_labeled_classification_problem",
    ),
    ScorerCheck(
        "test_non_symmetric_metric_pos_label",
        lambda scored: one_value(scored) and scored.row.swapped != scored.row.name,
        lambda scored: [(scored.metric(),)],
        fixture="string_labeled_classification_problem",
    ),
    ScorerCheck("test_scorer_select_proba_error", takes_positive, unknown_positives),
    ScorerCheck(
        "test_invalid_default_pos_label_ignored_on_multiclass",
        lambda scored: scored.row.name == "average_precision" and not scored.averaging,
    ),
    ScorerCheck("test_get_scorer_return_copy", sees=sees_scorer),
    ScorerCheck(
        "test_scorer_no_op_multiclass_select_proba",
        lambda scored: rank_scores(scored) and not scored.averaging,
        sees=lambda scored: {"roc_auc_score": scored.metric()},
    ),
    ScorerCheck("test_scorer_set_score_request_raises", arguments=by_name, sees=sees_scorer),
    ScorerCheck("test_scorer_metadata_request", arguments=by_name, sees=sees_scorer),
    ScorerCheck(
        "test_metadata_kwarg_conflict",
        lambda scored: rank_scores(scored) and not scored.averaging,
        sees=lambda scored: {"roc_auc_score": scored.metric()},
    ),
    ScorerCheck(
        "test_get_scorer_multilabel_indicator",
        lambda scored: scored.row.name == "average_precision" and not scored.averaging,
        sees=sees_scorer,
    ),
    ScorerCheck(
        "test_make_scorer_repr", arguments=lambda scored: [(scored.scorer(), repr_of(scored))]
    ),
    ScorerCheck(
        "test_metadata_routing_multimetric_metadata_routing",
        score_labels,
        lambda scored: [(True,), (False,)],
        sees_scorer,
    ),
    ScorerCheck(
        "test_curve_scorer",
        lambda scored: scored.row.name == "balanced_accuracy",
    ),
    ScorerCheck(
        "test_curve_scorer_pos_label",
        lambda scored: scored.row.name == "recall" and not scored.averaging,
        lambda scored: [(seed,) for seed in range(5)],
    ),
]

REGRESSORS = "judges scikit-learn's metrics of regression and tools for them"
ARRAY_API = "test_device_arrays.py compares every name under array API dispatch"
OWN_TOOLS = "judges tools of scikit-learn with its own metrics and estimators, whatever the metric"
NOT_ASKED = {
    "test_multioutput_sample_weight_invariance": REGRESSORS,
    "test_multioutput_regression_invariance_to_dimension_shuffling": REGRESSORS,
    "test_regression_scorers": REGRESSORS,
    "test_regression_scorer_sample_weight": REGRESSORS,
    "test_multimetric_scorer_calls_method_once_regressor_threshold": REGRESSORS,
    "test_multimetric_scorer_exception_handling": REGRESSORS,
    "test_array_api_compliance": ARRAY_API,
    "test_mixed_array_api_namespace_input_compliance": ARRAY_API,
    "test_array_api_classification_string_input": ARRAY_API,
    "test_array_api_classification_mixed_string_numeric_input": ARRAY_API,
    "test_supervised_cluster_scorers": "judges metrics of clusterings; skaucx has none",
    "test_averaging_binary_multilabel_all_zeroes": "judges a private helper of scikit-learn",
    "test_metrics_pos_label_error_str": (
        "expects an error for two string labels without pos_label; by design pos_label=None means "
        "the greater of two labels"
    ),
    "test_scoring_is_not_metric": "scikit-learn knows its own metrics by their module's name",
    "test_check_scoring_and_check_multimetric_scoring_errors": OWN_TOOLS,
    "test_check_scoring_gridsearchcv": OWN_TOOLS,
    "test_PassthroughScorer_set_score_request": OWN_TOOLS,
    "test_PassthroughScorer_set_score_request_raises_without_routing_enabled": OWN_TOOLS,
    "test_multimetric_scoring_metadata_routing": OWN_TOOLS,
    "test_multimetric_scoring_kwargs": OWN_TOOLS,
    "test_kwargs_without_metadata_routing_error": OWN_TOOLS,
    "test_multimetric_scorer_repr": OWN_TOOLS,
    "test_Pipeline_in_PassthroughScorer": OWN_TOOLS,
    "test_deprecated_scorer": OWN_TOOLS,  # until 1.7
    "test_make_scorer_reponse_method_default_warning": OWN_TOOLS,  # until 1.7
}

# Checks of the twins, or of the tables, as a whole.
WHOLE = [
    (common, "test_symmetry_consistency", ()),
    (common, "test_symmetry_tests", ()),
    (objects, "test_repr_partial", ()),
    (objects, "test_custom_scorer_pickling", ()),
    (objects, "test_multimetric_scorer_sanity_check", ()),
    (objects, "test_get_scorer_multimetric", (True,)),
    (objects, "test_get_scorer_multimetric", (False,)),
    (objects, "test_check_scoring_multimetric_raise_exc", ()),
]


@dataclass(frozen=True)
class Excuse:
    """Metrics or scorers, by name, that fail a check, and why they may."""

    check: str
    why: str
    applies: Callable[[Any], bool]


def named(*excused):
    return lambda one: one.name in excused


def may_be_infinite(scored):
    """Whether it is x/0 on well-separated data, alone or in an average of classes."""
    ratio, average = scored.row.name, scored.averaging.get("average")
    return average != "micro" and (
        ratio in ("diagnostic_odds_ratio", "discriminant_power", "d_prime", "relative_risk")
        or (ratio == "positive_likelihood_ratio" and bool(average))
    )


CONSTANT = "the prevalences of K classes have the mean 1/K whatever the weights"
BALANCED = "an error is an excess of one class and a lack of another: in their sum 0 is left"
BALANCED_SUMS = [
    "macro_excess_of_calls",
    "micro_excess_of_calls",
    "micro_bray_curtis_dissimilarity",
    "excess_of_calls_macro",
    "excess_of_calls_micro",
    "neg_bray_curtis_dissimilarity_micro",
]
SHARES_OF_CLASSES = [
    f"{average}_{share}"
    for average in ("macro", "micro")
    for share in ("prevalence", "predicted_positive_rate")
]
SIZED = "it reads the sum of the weights; older versions ask all to be free of their scale"
AT_AN_END = "at an end of its range, or undefined, on the check's random scores with any weights"
INFINITE = "infinite with any weights on the check's data"
STEPPED = "a row of weight 2 is one step of the curve of risk, two rows are two"
NO_SUM = "a row of predictions sums to 0, of which scikit-learn's loss of probabilities warns too"
NO_RISK_SO_LOW = "the check's scores are random, and no share of them has so low a risk"
UNSETTLED = (
    "its equations do not settle on nearly perfect predictions: nan, minus infinity as a score"
)
STRICT_SCORER = "scorers give nan for infinite values (spec, section 2)"
EXCUSES = [
    Excuse(
        "test_averaging_multilabel_all_zeroes",
        "without any positive the weighted mean has the row's value for undefined, the worst or nan; "
        "the check wants 0",
        lambda judged: judged.row.undefined != 0,
    ),
    *(
        Excuse(check, CONSTANT, named(*SHARES_OF_CLASSES))
        for check in (
            "test_binary_sample_weight_invariance",
            "test_multiclass_sample_weight_invariance",
        )
    ),
    Excuse(
        "test_averaging_multilabel",
        "the check itself adds the values of samples, inf and -inf",
        named("discriminant_power", "d_prime"),
    ),
    *(
        Excuse(check, BALANCED, named(*BALANCED_SUMS))
        for check in (
            "test_binary_sample_weight_invariance",
            "test_multiclass_sample_weight_invariance",
            "test_classification_scorer_sample_weight",
        )
    ),
    *(
        Excuse(check, SIZED, lambda one: one.row.reads_size)
        for check in (
            "test_binary_sample_weight_invariance",
            "test_multiclass_sample_weight_invariance",
        )
        if not hasattr(common, "WEIGHT_SCALE_DEPENDENT_METRICS")
    ),
    Excuse(
        "test_binary_sample_weight_invariance",
        "the check's data has as many errors of either kind: 0 beside 2e-17, compared relatively",
        lambda one: one.row.name in ("excess_of_calls", "bray_curtis_dissimilarity"),
    ),
    Excuse(
        "test_multilabel_sample_weight_invariance",
        INFINITE,
        named(
            "samples_positive_likelihood_ratio",
            *(
                f"{a}_{ratio}"
                for a in ("macro", "weighted", "samples")
                for ratio in (
                    "diagnostic_odds_ratio",
                    "discriminant_power",
                    "d_prime",
                    "relative_risk",
                )
            ),
        ),
    ),
    Excuse(
        "test_classification_scorer_sample_weight",
        CONSTANT,
        named(
            "prevalence_macro",
            "prevalence_micro",
            "predicted_positive_rate_macro",
            "predicted_positive_rate_micro",
        ),
    ),
    *(
        Excuse(check, AT_AN_END, lambda one, metrics=metrics: one.row.name in metrics)
        for check, metrics in (
            (
                "test_binary_sample_weight_invariance",
                ("recall_at_precision", "specificity_at_sensitivity"),
            ),
            ("test_multiclass_sample_weight_invariance", ("recall_at_precision",)),
            ("test_multilabel_sample_weight_invariance", ("recall_at_precision",)),
            ("test_classification_scorer_sample_weight", ("specificity_at_sensitivity",)),
        )
    ),
    Excuse(
        "test_single_sample_multioutput",
        NO_SUM,
        lambda one: one.row.kind.name == "probabilities",
    ),
    Excuse(
        "test_multilabel_sample_weight_invariance",
        AT_AN_END,
        named("samples_pointwise_mutual_information"),
    ),
    *(
        Excuse(check, STEPPED, lambda one: one.row.name in ("aurc_loss", "excess_aurc_loss"))
        for check in (
            "test_binary_sample_weight_invariance",
            "test_multiclass_sample_weight_invariance",
        )
    ),
    *(
        Excuse(check, NO_RISK_SO_LOW, lambda one: one.row.name == "coverage_at_risk")
        for check in (
            "test_binary_sample_weight_invariance",
            "test_multiclass_sample_weight_invariance",
            "test_classification_scorer_sample_weight",
        )
    ),
    Excuse(
        "test_multiclass_sample_weight_invariance",
        "no prediction is as sure as a rejection costs, so each is rejected with any weights",
        named("chow_cost_loss"),
    ),
    Excuse(
        "test_continuous_metric_permutation_invariance",
        "the check exchanges classes, whose order is what the metric reads",
        named("ranked_probability_score_loss"),
    ),
    Excuse(
        "test_brier_score_loss_pos_label",
        "of the other class's probabilities the intercept has the other sign",
        named("calibration_intercept"),
    ),
    Excuse(
        "test_brier_score_loss_pos_label",
        "of the other class's probabilities the ratio of events is another one",
        named("observed_expected_ratio"),
    ),
    Excuse(
        "test_multiclass_roc_proba_scorer",
        "the check's classes are separated, so there is no slope: nan, which it compares with nan",
        named("calibration_slope"),
    ),
    Excuse(
        "test_classification_scorer_sample_weight",
        "the check's classes are separated, so there is no line to fit with or without weights",
        named("calibration_slope", "calibration_intercept"),
    ),
    Excuse(
        "test_thresholded_scorers",
        "a class that the training part lacks has probability 0, and is no error",
        order_alone,
    ),
    Excuse(
        "test_thresholded_scorers_multilabel_indicator_data",
        STRICT_SCORER,
        named("recall_at_precision"),
    ),
    *(
        Excuse(f"test_classification_{kind}_scores", UNSETTLED, named("aickin_alpha"))
        for kind in ("binary", "multiclass")
    ),
    Excuse("test_classification_binary_scores", STRICT_SCORER, may_be_infinite),
    Excuse("test_classification_multiclass_scores", STRICT_SCORER, may_be_infinite),
    Excuse(
        "test_multiclass_roc_proba_scorer_label",
        "a class that labels= names and the data lack leaves an AUC undefined, nan; the "
        "check wants the mean over the others",
        lambda scored: np.isnan(scored.row.undefined),
    ),
]
if INSTALLED < READ:
    EXCUSES += [
        Excuse(
            f"test_normalize_option_{kind}_classification",
            "the scores are no probabilities: refused by design, and by scikit-learn since 1.9",
            named("log_loss"),
        )
        for kind in ("binary", "multiclass")
    ]
    EXCUSES.append(
        Excuse(
            "test_not_symmetric_metric",
            "the older check's labels give the same value both ways",
            named("goodman_kruskal_lambda"),
        )
    )


def excused(check, one):
    return any(excuse.check == check.name and excuse.applies(one) for excuse in EXCUSES)


def asked(checks, ones):
    """Return each check with the metrics, averages and scorers that it is for."""
    found = []
    for check in checks:
        if not known_as(check.module, check.name):
            reason = f"scikit-learn {sklearn.__version__} has no {check.name}"
            found.append(pytest.param(check, [], id=check.name, marks=pytest.mark.skip(reason)))
            continue
        chosen = [one for one in ones if check.asked(one) and not excused(check, one)]
        found.append(pytest.param(check, chosen, id=check.name.removeprefix("test_")))
    return found


def failures(check, ones, request):
    """Return the errors by the name of the metric or scorer that failed the check."""
    given = () if check.fixture is None else (request.getfixturevalue(check.fixture),)
    errors = {}
    for one in ones:
        try:
            check.run(one, given)
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            errors[one.name] = error
    return errors


# Fixtures of scikit-learn's checks.
memmap_data_and_estimators = objects.memmap_data_and_estimators
string_labeled_classification_problem = objects.string_labeled_classification_problem


KINDS = [(CHECKS, ALL), (NUMBER_CHECKS, NUMBERS), (SCORER_CHECKS, SCORERS)]


@pytest.mark.parametrize(
    ("check", "ones"), [case for checks, ones in KINDS for case in asked(checks, ones)]
)
def test_judge(check, ones, tally, request):
    errors = failures(check, ones, request)
    kind = "scorers, passed" if check in SCORER_CHECKS else "metrics, passed (averages apart)"
    tally[f"scikit-learn's checks of {kind}"] += len(ones) - len(errors)
    for error in errors.values():
        raise AssertionError(f"{check.name} fails for {', '.join(errors)}: {error}") from error


@pytest.mark.parametrize(
    ("module", "name", "arguments"),
    WHOLE,
    ids=["-".join([name.removeprefix("test_"), *map(str, given)]) for _, name, given in WHOLE],
)
def test_as_a_whole(module, name, arguments, tally):
    if not hasattr(module, name):
        pytest.skip(f"scikit-learn {sklearn.__version__} has no {name}")
    getattr(module, name)(*arguments)
    tally["scikit-learn's checks of the twins as a whole, passed"] += 1


@pytest.mark.skipif(INSTALLED < READ, reason="an older scikit-learn checks less")
@pytest.mark.parametrize("excuse", EXCUSES, ids=[excuse.check for excuse in EXCUSES])
def test_excuse_is_still_needed(excuse, tally, request):
    cases = [(c, ones) for checks, ones in KINDS for c in checks if c.name == excuse.check]
    errors, excused = {}, set()
    for check, ones in cases:
        ones = [one for one in ones if check.asked(one) and excuse.applies(one)]
        excused |= {one.name for one in ones}
        errors |= failures(check, ones, request)
    assert excused
    assert set(errors) == excused
    tally["scikit-learn's checks, excused"] += len(errors)


@pytest.mark.skipif(
    INSTALLED.release[:2] > READ.release[:2],
    reason="the checks of a later scikit-learn are not read",
)
@pytest.mark.parametrize("module", [common, objects], ids=["test_common", "test_score_objects"])
def test_every_check_is_asked_or_not_for_a_reason(module):
    ours = {known_as(check.module, check.name) for checks, _ in KINDS for check in checks}
    ours |= {name for _, name, _ in WHOLE} | set(NOT_ASKED)
    assert {name for name in vars(module) if name.startswith("test_")} <= ours


def test_every_metric_is_judged():
    rows = set(OF_CLASSES)
    assert {judged.row.name for check in CHECKS for judged in ALL if check.asked(judged)} == rows
    assert {scored.row.name for scored in SCORERS} == rows
    assert set(NEEDED) | set(MORE) <= rows | {judged.row.name for judged in NUMBERS}
    assert set(TABLES["ALL_METRICS"]) >= SYMMETRIC_IN_SUM
