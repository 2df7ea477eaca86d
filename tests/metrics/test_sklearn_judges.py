"""scikit-learn's own checks of metrics and scorers, from its wheel, judge this package's.

The check functions run as they are. Only the tables in their modules, of metrics and of facts about
them, are replaced, by ones read from the registry; where an error is right but worded otherwise,
`WORDS` says how. `EXCUSED` names by check the metrics that differ by design: they have to fail.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_multilabel_classification
from sklearn.utils.fixes import parse_version

import skaucx.metrics
from skaucx.metrics import get_scorer, list_metrics
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.row import Metric
from tests.metrics.needed import needed_parameters
from tests.metrics.of_classes import OF_CLASSES, READ
from tests.metrics.relations import TRANSPOSED

common = pytest.importorskip("sklearn.metrics.tests.test_common")
objects = pytest.importorskip("sklearn.metrics.tests.test_score_objects")
pytestmark = [
    pytest.mark.skipif(
        parse_version(sklearn.__version__).release[:2] != READ,
        reason="the checks of another scikit-learn were not read",
    ),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
    # Some checks hand over integer labels as scores.
    pytest.mark.filterwarnings("ignore:.* holds nothing but class labels:UserWarning"),
    # LinearSVC and LogisticRegression on the checks' own data
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]

# Values of parameters that are judged beside the defaults, and the averages of the twins.
MORE = {
    "fbeta": {"f0.5": {"beta": 0.5}}, "precision": {"at_prevalence": {"prevalence": 0.3}},
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
}  # fmt: skip
LABEL_AVERAGES = {a: {"average": a} for a in ("macro", "micro", "weighted", "samples")}
SCORE_AVERAGES = {
    **{a: {"average": a} for a in ("weighted", "samples", "micro")},
    **{way: {"multi_class": way} for way in ("ovr", "ovo")},
    **{
        f"{a}_{way}": {"multi_class": way, "average": a}
        for way, averages in (("ovr", ("weighted", "micro")), ("ovo", ("weighted",)))
        for a in averages
    },
}
RANKS = ("order", "relative_values", "values", "unit_values")


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
        return partial(self.function, **self.options)

    @property
    def plain(self) -> bool:
        """Whether nothing is bound that the caller might set."""
        return not {"average", "multi_class", "normalize"} & set(self.bound)

    def takes(self, parameter: str) -> bool:
        return parameter in inspect.signature(self.function).parameters

    @property
    def options(self) -> dict[str, Any]:
        return {**needed_parameters(self.row.name), **self.bound}

    def scorer(self) -> Any:
        return get_scorer(self.row.scorer_name, **self.options)


def costs(classes):
    """Return costs that grow with the distance, three times as fast below the diagonal."""
    difference = np.subtract.outer(np.arange(classes), np.arange(classes))
    return np.where(difference > 0, 3.0 * difference, -difference)


def expected_cost_of_as_many_classes(*arrays, **options):
    labels = {str(label) for array in arrays for label in np.ravel(array)}
    return skaucx.metrics.expected_cost(*arrays, cost=costs(len(labels)), **options)


def judged_of(row):
    """Return a metric alone, a twin with each average, and with other values of its parameters."""
    more = dict(MORE.get(row.name, {}))
    if row.twin and row.kind.name == "counts":
        more |= LABEL_AVERAGES
    elif row.twin and row.kind.name in RANKS:
        more |= SCORE_AVERAGES
    if row.kind.name == "unit_values":
        more["expit"] = {"rescale": "expit"}
    name = row.function
    return [Judged(name, row), *(Judged(f"{m}_{name}", row, own) for m, own in more.items())]


ALL = [judged for function in OF_CLASSES.values() for judged in judged_of(function.metric)]


def anything(judged):
    return True


def labels(judged):
    return judged.row.kind.counted


def scores(judged):
    return not judged.row.kind.counted


def ranks(judged):
    return judged.row.kind.name in RANKS


def binary(judged):
    return scores(judged) or judged.bound.get("average") != "samples"


def multiclass(judged):
    average = judged.bound.get("average")
    if ranks(judged):
        default = inspect.signature(judged.function).parameters["multi_class"].default
        one_column = {"max_fpr", "tpr", "ties"} & set(judged.bound)
        averages = average in (None, "weighted") or "multi_class" in judged.bound
        return judged.bound.get("multi_class", default) != "raise" and averages and not one_column
    return judged.row.kind.name != "counts" or average in ("macro", "micro", "weighted")


def multilabel(judged):
    """Whether it judges indicators; ovr and ovo say nothing there, so they are not asked."""
    if not judged.row.kind.multilabel or "multi_class" in judged.bound:
        return False
    return judged.row.kind.name != "counts" or "average" in judged.bound


def symmetric(judged):
    """Whether truth and prediction may be exchanged; the weighted recall is the accuracy."""
    if judged.bound.get("average") == "micro" or judged.name == "weighted_recall_score":
        return labels(judged)
    itself = TRANSPOSED.get(judged.row.name) == judged.row.name
    return labels(judged) and judged.bound.get("average") != "weighted" and itself


def asymmetric(judged):
    return labels(judged) and binary(judged) and not symmetric(judged)


def with_averages(judged):
    return judged.row.kind.name == "counts" and judged.plain


def normalizes(judged):
    return judged.takes("normalize") and judged.plain


def calls(condition):
    return {judged.name: judged.call for judged in ALL if condition(judged)}


def names(condition):
    return {judged.name for judged in ALL if condition(judged)}


TABLES = {
    "REGRESSION_METRICS": {},
    "CURVE_METRICS": {},
    "CLASSIFICATION_METRICS": calls(labels),
    "CONTINUOUS_CLASSIFICATION_METRICS": calls(scores),
    "ALL_METRICS": calls(anything),
    "METRIC_UNDEFINED_BINARY": names(lambda j: not binary(j)),
    "METRIC_UNDEFINED_MULTICLASS": names(lambda j: not multiclass(j)),
    "METRIC_UNDEFINED_BINARY_MULTICLASS": names(lambda j: not (binary(j) and multiclass(j))),
    "METRICS_WITH_AVERAGING": names(with_averages),
    "CONTINUOUS_CLASSIFICATION_METRICS_WITH_AVERAGING": names(lambda j: ranks(j) and j.plain),
    "METRICS_WITH_POS_LABEL": names(lambda j: j.takes("pos_label") and (scores(j) or j.plain)),
    "METRICS_WITH_LABELS": names(lambda j: j.takes("labels")),
    "METRICS_WITH_NORMALIZE_OPTION": names(normalizes),
    "MULTILABELS_METRICS": names(lambda j: labels(j) and multilabel(j)),
    "CONTINUOUS_MULTILABEL_METRICS": names(lambda j: scores(j) and j.row.kind.multilabel),
    "MULTIOUTPUT_METRICS": set(),
    "SYMMETRIC_METRICS": names(symmetric),
    "NOT_SYMMETRIC_METRICS": names(asymmetric),
    "METRICS_WITHOUT_SAMPLE_WEIGHT": set(),
    "WEIGHT_SCALE_DEPENDENT_METRICS": names(
        lambda j: j.bound.get("normalize") is False or "reads_size" in j.row.traits
    ),
    "METRICS_REQUIRE_POSITIVE_Y": set(),
    "METRICS_WITH_LOG1P_Y": set(),
}
# What a check asks an error to say, and what ours says.
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
}  # fmt: skip


class Pytest:
    """pytest, for the checks: an error may be in our words, and a TypeError where it is of type."""

    def __getattr__(self, name):
        return getattr(pytest, name)

    @staticmethod
    def raises(error, *, match=None):
        for theirs, ours in WORDS.items():
            if theirs in (match or "").replace("\\", ""):
                match = ours
        return pytest.raises((ValueError, TypeError) if error is ValueError else error, match=match)


@functools.cache
def made_multilabel(**options):
    return make_multilabel_classification(**options)


MADE, FITTED = objects._make_estimators, {}


def fitted_once(X, *rows):
    """Return the estimators of a check whose rows are the same for every scorer."""
    if X.shape not in FITTED:
        FITTED[X.shape] = MADE(X, *rows)
    return FITTED[X.shape]


@pytest.fixture(scope="module", autouse=True)
def tables():
    """The checks' modules with our tables, functions and scorers in place of scikit-learn's."""
    with pytest.MonkeyPatch.context() as patch:
        for table, value in TABLES.items():
            patch.setattr(common, table, value)
        for module in (common, objects):
            patch.setattr(module, "pytest", Pytest())
        for row in list_metrics():
            if row.twin:
                patch.setattr(objects, row.twin, METRICS[row.name], raising=False)
        # Made once, it takes most of the checks' time.
        patch.setattr(
            common,
            "make_multilabel_classification",
            lambda **options: tuple(array.copy() for array in made_multilabel(**options)),
        )
        patch.setattr(objects, "CLF_SCORERS", [judged.name for judged in ALL])
        patch.setattr(objects, "_make_estimators", fitted_once)
        yield


@dataclass(frozen=True, eq=False)
class Check:
    """A check function, the metrics that it is asked about, and its arguments for each.

    `alone` names the tables that it loops over by itself: they are reduced to the one metric. A check
    of scorers gets the metric's under any name.
    """

    name: str
    asked: Callable[[Judged], bool] = anything
    arguments: Callable[[Judged], list[tuple[Any, ...]]] = lambda judged: [(judged.name,)]
    alone: tuple[str, ...] = ()
    fixture: str | None = None

    def run(self, judged, given):
        module = common if hasattr(common, self.name) else objects
        with pytest.MonkeyPatch.context() as patch:
            for table in self.alone:
                patch.setattr(common, table, {judged.name} & set(getattr(common, table)))
            patch.setattr(objects, "get_scorer", lambda name: judged.scorer())
            patch.setattr(objects, "get_scorer_names", lambda: [judged.name])
            for arguments in self.arguments(judged):
                getattr(module, self.name)(*arguments, *given)


def nothing(judged):
    return [()]


def by_call(judged):
    return [(judged.call,)]


def in_frames(judged):
    return [(judged.name, "pandas"), (judged.name, "polars")]


def mixed_kinds(judged):
    strings = ["spam"] * 3 + ["eggs"] * 2
    return [(np.array(strings), judged.name), (np.array(strings, dtype=object), judged.name)]


NOT_FINITE = [
    ([0, 1], [np.inf, np.inf]),
    ([0, 1], [np.nan, np.nan]),
    ([0, 1], [np.nan, np.inf]),
    ([0, 1], [np.inf, 1]),
    ([0, 1], [np.nan, 1]),
]
NOT_FINITE_LABELS = [*NOT_FINITE, ([np.nan, 1, 2], [1, 2, 3]), ([np.inf, 1, 2], [1, 2, 3])]


def not_finite(judged):
    return [
        (judged.call, *arrays) for arrays in (NOT_FINITE_LABELS if labels(judged) else NOT_FINITE)
    ]


def scored(judged):
    """Whether a scorer has these parameters by a name of its own, and no average over samples."""
    own = set(judged.bound) <= {"average", "multi_class"}
    return own and judged.bound.get("average") != "samples" and not (
        ranks(judged) and judged.bound and "multi_class" not in judged.bound
    )  # fmt: skip


def score_labels(judged):
    """Whether the labels of ``predict`` are scored, not probabilities that the metric cuts."""
    return scored(judged) and labels(judged) and not judged.row.cuts


def judges_trees(judged):
    """Whether a classifier without decision_function can be judged."""
    return scored(judged) and judged.row.kind.name != "margins"


def responses(judged):
    """Return two scorers, and how often each method of the classifier is called for both."""
    method = np.atleast_1d(judged.scorer()._response_method)[0]
    wanted = [int(method == m) for m in ("predict", "predict_proba", "decision_function")]
    return [({"first": judged.scorer(), "second": judged.scorer()}, *wanted)]


CHECKS = [
    Check("test_symmetric_metric", symmetric),
    Check("test_not_symmetric_metric", asymmetric),
    Check("test_sample_order_invariance", binary),
    Check(
        "test_sample_order_invariance_multilabel_and_multioutput", multilabel, nothing,
        alone=("MULTILABELS_METRICS", "CONTINUOUS_MULTILABEL_METRICS"),
    ),
    Check("test_format_invariance_with_1d_vectors", binary),
    Check("test_classification_metrics_raise_on_empty_input", anything, by_call),
    Check("test_classification_with_invalid_sample_weight", anything, by_call),
    Check(
        "test_classification_invariance_string_vs_numbers_labels",
        lambda j: labels(j) and binary(j),
    ),
    Check("test_continuous_classification_invariance_string_vs_numbers_labels", scores),
    Check("test_continuous_inf_nan_input", scores, not_finite),
    Check("test_classification_inf_nan_input", labels, not_finite),
    Check("test_classification_binary_continuous_input", labels, by_call),
    Check("test_single_sample", binary),
    Check("test_single_sample_multioutput", multilabel),
    Check("test_multioutput_number_of_output_differ", multilabel),
    Check(
        "test_multilabel_representation_invariance", lambda j: labels(j) and multilabel(j),
        lambda j: [(container,) for container in common.COO_CONTAINERS],
        alone=("MULTILABELS_METRICS",),
    ),
    Check("test_raise_value_error_multilabel_sequences", multilabel),
    Check("test_normalize_option_binary_classification", normalizes),
    Check(
        "test_normalize_option_multiclass_classification",
        lambda j: normalizes(j) and j.row.kind.name != "counts",
    ),
    Check(
        "test_normalize_option_multilabel_classification",
        lambda j: normalizes(j) and multilabel(j),
    ),
    Check("test_averaging_multiclass", with_averages),
    Check(
        "test_averaging_multilabel",
        lambda j: with_averages(j) or (
            ranks(j) and j.plain and (j.row.kind.name != "unit_values" or "rescale" in j.bound)
        ),
    ),
    Check("test_averaging_multilabel_all_zeroes", with_averages),
    Check("test_averaging_multilabel_all_ones", with_averages),
    Check("test_binary_sample_weight_invariance", binary),
    Check("test_multiclass_sample_weight_invariance", lambda j: binary(j) and multiclass(j)),
    Check("test_multilabel_sample_weight_invariance", multilabel),
    Check(
        "test_no_averaging_labels", with_averages, nothing, alone=("METRICS_WITH_AVERAGING",)
    ),
    Check(
        "test_multilabel_label_permutations_invariance",
        lambda j: labels(j) and multilabel(j),
    ),
    Check(
        "test_continuous_multilabel_multioutput_permutations_invariance",
        lambda j: scores(j) and multilabel(j),
    ),
    Check(
        "test_continuous_metric_permutation_invariance", lambda j: scores(j) and multiclass(j)
    ),
    Check("test_metrics_consistent_type_error", labels, mixed_kinds),
    Check("test_metrics_dataframe_series", binary, in_frames),
    Check("test_returned_value_consistency"),
    # of scorers
    Check(
        "test_check_scoring_and_check_multimetric_scoring", score_labels,
        lambda j: [({j.name: j.scorer()},)],
    ),
    Check("test_classification_scorer_sample_weight", judges_trees, nothing),
    Check("test_scorer_memmap_input", judges_trees, fixture="memmap_data_and_estimators"),
    Check("test_multimetric_scorer_calls_method_once", scored, responses),
    Check("test_get_scorer_return_copy", scored, nothing),
    Check("test_scorer_set_score_request_raises", scored),
    Check("test_scorer_metadata_request", scored),
    Check("test_metadata_routing_multimetric_metadata_routing", score_labels,
          lambda j: [(True,), (False,)]),
]  # fmt: skip


def named(*excused):
    return lambda judged: judged.row.name in excused


EXCUSED = {
    # Without any positive the weighted mean has the row's value for undefined; the check wants 0.
    "test_averaging_multilabel_all_zeroes": lambda j: j.row.undefined != 0,
    # The check itself adds the values of samples, inf and -inf.
    "test_averaging_multilabel": named("discriminant_power", "d_prime"),
    # At an end of the range with any weights, or an error is an excess of one class and a lack of the
    # other, compared relatively; a row of weight 2 is one step of the curve of risk, two rows are two.
    "test_binary_sample_weight_invariance": named(
        "recall_at_precision", "specificity_at_sensitivity", "excess_of_calls",
        "bray_curtis_dissimilarity", "aurc_loss", "excess_aurc_loss", "coverage_at_risk",
    ),
    "test_multiclass_sample_weight_invariance": named(
        "recall_at_precision", "aurc_loss", "excess_aurc_loss", "coverage_at_risk",
        "chow_cost_loss",  # no prediction is as sure as a rejection costs: each is rejected
    ),
    "test_multilabel_sample_weight_invariance": named("recall_at_precision"),
    # The classes are separated, so there is no line to fit.
    "test_classification_scorer_sample_weight": named(
        "specificity_at_sensitivity", "coverage_at_risk", "calibration_slope",
        "calibration_intercept",
    ),
    # A row of predictions sums to 0, of which scikit-learn's loss of probabilities warns too.
    "test_single_sample_multioutput": lambda j: j.row.kind.name == "probabilities",
    # The check exchanges classes, whose order is what the metric reads.
    "test_continuous_metric_permutation_invariance": named("ranked_probability_score_loss"),
}  # fmt: skip

# Fixtures of scikit-learn's checks.
memmap_data_and_estimators = objects.memmap_data_and_estimators


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name.removeprefix("test_"))
def test_judge(check, request):
    given = () if check.fixture is None else (request.getfixturevalue(check.fixture),)
    asked = [judged for judged in ALL if check.asked(judged)]
    assert asked
    errors = {}
    for judged in asked:
        try:
            check.run(judged, given)
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            errors[judged.name] = error
    excuse = EXCUSED.get(check.name, lambda judged: False)
    excused = {judged.name for judged in asked if excuse(judged)}
    for name in errors.keys() - excused:
        raise AssertionError(f"{check.name} fails for {name}") from errors[name]
    assert set(errors) == excused
