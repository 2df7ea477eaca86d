"""scikit-learn's checks of multilabel metrics and of scorers, from its wheel, judge this package's.

The check functions run as they are. Only the tables in their modules, of metrics and of facts about
them, are replaced, by ones read from the registry; errors are asked of their kind. `EXCUSED` names by
check the metrics that differ by design: they have to fail. What scikit-learn checks of one label a row
is tested of every metric in `test_common.py` and `test_bad_input.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn.datasets import make_multilabel_classification
from sklearn.utils.fixes import parse_version

from skaucx.metrics import get_scorer, list_metrics
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.row import Metric
from tests.metrics.needed import OF_CLASSES, needed_parameters
from tests.metrics.test_sklearn_own import READ, OwnWords

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
    "accuracy": {"unnormalized": {"normalize": False}},
    "zero_one_loss": {"unnormalized": {"normalize": False}},
    "log_loss": {"unnormalized": {"normalize": False}},
    "brier_score_loss": {"whole": {"scale_by_half": False}},
    "roc_auc": {"low_fpr": {"max_fpr": 0.5}, "winning_ties": {"ties": "win"}},
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


@dataclass(eq=False)
class Judged:
    """A metric with parameters bound, `plain` where none is bound that the caller might set."""

    name: str
    row: Metric
    bound: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        options = {**needed_parameters(self.row.name), **self.bound}
        self.function = METRICS[self.row.name]
        self.call = partial(self.function, **options)
        self.scorer = partial(get_scorer, self.row.scorer_name, **options)
        self.plain = not {"average", "multi_class", "normalize"} & set(self.bound)


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
        default = judged.function.options["multi_class"].default
        one_column = {"max_fpr", "tpr", "ties"} & set(judged.bound)
        averages = average in (None, "weighted") or "multi_class" in judged.bound
        return judged.bound.get("multi_class", default) != "raise" and averages and not one_column
    return judged.row.kind.name != "counts" or average in ("macro", "micro", "weighted")


def multilabel(judged):
    """Whether it judges indicators; ovr and ovo say nothing there, so they are not asked."""
    if not judged.row.kind.multilabel or "multi_class" in judged.bound:
        return False
    return judged.row.kind.name != "counts" or "average" in judged.bound


def multilabel_labels(judged):
    return labels(judged) and multilabel(judged)


def with_averages(judged):
    return judged.row.kind.name == "counts" and judged.plain


def calls(condition):
    return {judged.name: judged.call for judged in ALL if condition(judged)}


def names(condition):
    return {judged.name for judged in ALL if condition(judged)}


TABLES = {
    "ALL_METRICS": calls(anything),
    "CONTINUOUS_CLASSIFICATION_METRICS": calls(scores),
    "METRIC_UNDEFINED_BINARY": names(lambda j: not binary(j)),
    "METRICS_WITH_AVERAGING": names(with_averages),
    "CONTINUOUS_CLASSIFICATION_METRICS_WITH_AVERAGING": names(lambda j: ranks(j) and j.plain),
    "MULTILABELS_METRICS": names(multilabel_labels),
    "CONTINUOUS_MULTILABEL_METRICS": names(lambda j: scores(j) and j.row.kind.multilabel),
    "MULTIOUTPUT_METRICS": set(),
    "WEIGHT_SCALE_DEPENDENT_METRICS": names(
        lambda j: j.bound.get("normalize") is False or "reads_size" in j.row.traits
    ),
    "METRICS_REQUIRE_POSITIVE_Y": set(),
}


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
            patch.setattr(module, "pytest", OwnWords())
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
    *(
        Check(f"test_{name}", multilabel)
        for name in (
            "single_sample_multioutput", "multioutput_number_of_output_differ",
            "raise_value_error_multilabel_sequences", "multilabel_sample_weight_invariance",
        )
    ),
    Check(
        "test_sample_order_invariance_multilabel_and_multioutput", multilabel, nothing,
        alone=("MULTILABELS_METRICS", "CONTINUOUS_MULTILABEL_METRICS"),
    ),
    Check(
        "test_multilabel_representation_invariance", multilabel_labels,
        lambda j: [(container,) for container in common.COO_CONTAINERS],
        alone=("MULTILABELS_METRICS",),
    ),
    Check("test_multilabel_label_permutations_invariance", multilabel_labels),
    Check(
        "test_continuous_multilabel_multioutput_permutations_invariance",
        lambda j: scores(j) and multilabel(j),
    ),
    Check(
        "test_continuous_metric_permutation_invariance", lambda j: scores(j) and multiclass(j)
    ),
    Check(
        "test_normalize_option_multilabel_classification",
        lambda j: "normalize" in j.function.options and j.plain and multilabel(j),
    ),
    Check(
        "test_averaging_multilabel",
        lambda j: with_averages(j) or (
            ranks(j) and j.plain and (j.row.kind.name != "unit_values" or "rescale" in j.bound)
        ),
    ),
    Check("test_averaging_multilabel_all_zeroes", with_averages),
    Check("test_averaging_multilabel_all_ones", with_averages),
    Check(
        "test_no_averaging_labels", with_averages, nothing, alone=("METRICS_WITH_AVERAGING",)
    ),
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
    # At an end of the range with any weights.
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
