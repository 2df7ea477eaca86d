"""Arrays of rows in public calls: one row too long or too short is refused by name, order is free."""

import dataclasses
import functools
import inspect
import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import skaucx
from skaucx import evaluation, inference, model_selection
from skaucx.metrics import curves
from tests.each import each
from tests.public import PUBLIC, STUDY_NAMES

RNG = np.random.default_rng(5)
N = 48
T = RNG.permutation(np.arange(N) % 2)
S = np.round(np.clip(0.3 * T + 0.7 * RNG.random(N), 0.01, 0.99), 3)
S2 = np.clip(S + RNG.normal(0, 0.1, N), 0.01, 0.99)
L, L2 = (S > 0.5) * 1, (S2 > 0.5) * 1
W = RNG.uniform(0.5, 2, N)
G = np.arange(N) // 3
COSTS = RNG.uniform(0, 5, (N, 2))
FEW = {"n_resamples": 30, "random_state": 0}


def profit(y_true, y_pred, amount):
    return float(np.mean((2 * y_true - 1) * y_pred * amount))


# Calls with arrays of rows that a metric takes, so that no parameter of the call names them.
COUNTED = {"y_true": T, "y_pred_or_score": L, "groups": G, "amount": W}
CALLS = {
    "interval": (inference.interval, COUNTED, {"metric": profit, **FEW}, "estimate"),
    "jackknife": (inference.jackknife, COUNTED, {"metric": profit}, "standard_error"),
    "permutation test": (
        inference.permutation_test,
        {"y_true": T, "y_pred_or_score": L, "amount": W},
        {"metric": profit, **FEW},
        "statistic",
    ),
    "paired test": (
        inference.paired_test,
        {"y_true": T, "y_pred_a": L, "y_pred_b": L2, "amount": W},
        {"metric": profit, **FEW},
        "difference",
    ),
    "interval of costs": (
        inference.interval,
        {"y_true": T, "y_pred_or_score": L, "example_costs": COSTS, "frequency": 1 + G % 3},
        {"metric": "example_cost"},
        "low",
    ),
    "costs": (
        evaluation.evaluate,
        {"y_true": T, "y_pred": L, "example_costs": COSTS},
        {"metrics": ["example_cost"]},
        "values",
    ),
}


@pytest.mark.filterwarnings("ignore")  # of few rows
@each("name", CALLS)
def test_arrays_of_a_metric_have_a_row_each_in_any_order(name):
    function, arrays, others, read = CALLS[name]
    for argument, values in arrays.items():
        for changed in (np.concatenate([values, values[:1]]), values[:-1]):
            with pytest.raises(ValueError, match=rf"(?s)(?=.*{argument})(?=.*{len(changed)})"):
                function(**{**arrays, argument: changed}, **others)
    rows = np.random.default_rng(1).permutation(N)
    shuffled = {argument: values[rows] for argument, values in arrays.items()}
    before, after = (getattr(function(**each, **others), read) for each in (arrays, shuffled))
    if callable(before):
        before, after = [*before()], [*after()]
    np.testing.assert_allclose(after, before, rtol=1e-9, atol=1e-12)


# What the other arguments of public calls need, and arrays that fit them. Every public call whose
# docstring gives an array one entry per row is in the test; one that needs more fails until it is here.
X, RISKS = np.column_stack([S, S2]), np.column_stack([S, S2])
ARRAYS = {
    "X": X, "y": T, "y_true": T, "y_pred": L, "y_score": S, "y_proba": S, "y_prob": S,
    "sample_weight": W, "groups": G, "by": G % 2, "frequency": 1 + G % 3,
    "example_costs": COSTS,
    "score_a": S, "score_b": S2, "y_pred_a": L, "y_pred_b": L2,
    "y_pred_or_score": L, "y_true_b": T, "y1": T, "y2": L, "pred_decision": S,
    "rejected": S < 0.3,
}  # fmt: skip
MODEL = LogisticRegression()
TWO = {"a": LogisticRegression(), "b": LogisticRegression(C=0.1)}
RECALL = {"metric": "recall"}
WITH = {
    "CalibratingClassifier": {"estimator": MODEL},
    "NestedCV": {"estimator": MODEL, "param_grid": {"C": [1.0]}},
    "RejectingClassifier": {"estimator": MODEL, "least": 0.6},
    "ConfusionMatrixDisplay.from_estimator": {"estimator": MODEL.fit(X, T)},
    "bootstrap_score": {"estimator": MODEL, "scoring": "accuracy"},
    "chow_predictions": {"reject_cost": 0.2},
    "compare_estimators": {"estimators": TWO},
    "probabilities_at_prevalence": {"prevalence": 0.2, "training_prevalence": 0.5},
    "example_cost_loss": {"example_costs": COSTS}, "savings_score": {"example_costs": COSTS},
    "example_losses": {"metric": "brier_score_loss", "y_pred": S},
    "mean_poisson_deviance": {"y_true": S, "y_pred": S2},
    "mean_gamma_deviance": {"y_true": S, "y_pred": S2},
    "five_by_two_cv_test": {"estimator_a": MODEL, "estimator_b": MODEL, "scoring": "accuracy"},
    "interval": RECALL, "jackknife": RECALL,
    "nested_cross_validate": {"estimator": MODEL, "param_grid": {}},
    "one_vs_rest_curves": {"curve": curves.roc_curve, "y_true": G % 3,
                           "y_score": RNG.dirichlet(np.ones(3), N)},
    "paired_test": RECALL,
    "permutation_test": RECALL,
    "prevalence_weights": {"prevalence": 0.2},
    "report": {"path": "report.html"},
    "sets_of_classifier": {"estimator": MODEL},
}  # fmt: skip
LEFT_OUT = {
    "delong_test": {"y_true_b"},  # of other rows
    "chow_predictions": {"y_proba"},  # alone
    "prevalence_weights": {"y_true"},
    "probabilities_at_prevalence": {"y_score"},  # alone
    "BootstrapSplit.split": ...,  # X is alone
    # scikit-learn's own functions
    "cohen_kappa_score": {"sample_weight"},
    "hinge_loss": {"sample_weight"},
    "ConfusionMatrixDisplay.from_cv_results": ...,  # needs scikit-learn's estimators of folds
}
_OF_ROWS = re.compile(r"^(\w[\w, ]*) : (?=.*array)(?=.*\(n_samples).*$", flags=re.MULTILINE)


def arrays_of_rows(call):
    """Return the parameters that have an entry a row by the docstring."""
    described = inspect.cleandoc(call.__doc__ or "").partition("Parameters\n---")[2]
    described = re.split(r"\n\w[\w ]*\n-{3,}", described)[0]
    return [name for names in _OF_ROWS.findall(described) for name in names.split(", ")]


EVERY = PUBLIC | STUDY_NAMES
for module in (skaucx, model_selection):
    EVERY |= {name: getattr(module, name) for name in module.__all__}


def public_calls():
    """Return every public function and method with the names of its arrays of rows."""
    methods = {
        f"{name}.{method}": getattr(each, method)
        for name, each in EVERY.items() if inspect.isclass(each)
        for method, held in vars(each).items()
        if method[0] != "_" and (callable(held) or isinstance(held, classmethod | staticmethod))
    }  # fmt: skip
    functions = {name: each for name, each in EVERY.items() if inspect.isfunction(each)}
    return {
        name: (each, arrays)
        for name, each in (functions | methods).items()
        if (arrays := arrays_of_rows(each)) and each.__module__.startswith("skaucx")
    }


PUBLIC_CALLS = public_calls()
PUBLIC_ARRAYS = [
    (name, argument)
    for name, (_, arrays) in PUBLIC_CALLS.items()
    for argument in arrays
    if LEFT_OUT.get(name, ()) is not ... and argument not in LEFT_OUT.get(name, ())
]


# Parameters that metrics require.
REQUIRED = {
    "beta": 1, "cost": [[0, 1], [1, 0]], "difference": np.arctan, "objective": "recall",
    "threshold": 0.3,
    "subject_to": {"precision": (">=", 0.2)},
}  # fmt: skip
# Arrays that calls need at the same time.
TOGETHER = re.compile("X|y|y1|y2|pred_decision|y_(true|pred|score|pro).*|score_.")


def bound(name, call, argument):
    """Return the call with all that it needs."""
    place, own = name.partition(".")[0], inspect.signature(call).parameters
    arrays = {**ARRAYS}
    arrays |= {each: one for each, one in WITH.get(name, {}).items() if isinstance(one, np.ndarray)}
    needed = [
        each for each in PUBLIC_CALLS[name][1]
        if each == argument or (TOGETHER.fullmatch(each) and each != "y_true_b")
    ]  # fmt: skip
    unknown = [each for each in needed if each not in arrays]
    assert not unknown, f"{name}: call {unknown} as other calls do, or add its example to ARRAYS"
    given = {each: arrays[each] for each in needed}
    given |= {
        each: REQUIRED[each] for each, one in own.items()
        if each in REQUIRED and one.default is inspect.Parameter.empty
    } | {each: one for each, one in WITH.get(name, {}).items() if each != argument}  # fmt: skip
    if "self" in own:
        instance = EVERY[place](**WITH.get(place, {}))
        if name == "NestedCV.score":
            instance.fit(X, T)
        call = getattr(instance, name.partition(".")[2])
    return functools.partial(call, **given)


@pytest.mark.filterwarnings("ignore")  # of few rows
@each("name, argument", PUBLIC_ARRAYS)
def test_every_public_array_of_another_length_is_refused_by_name(name, argument):
    call = bound(name, PUBLIC_CALLS[name][0], argument)
    values = call.keywords[argument]
    # scikit-learn's own message of X and y has their lengths alone
    named = "" if argument in ("X", "y") else rf"(?=.*\b{argument}\b)"
    for changed in (np.concatenate([values, values[:1]]), values[:-1]):
        with pytest.raises(ValueError, match=rf"(?s){named}(?=.*{len(changed)})"):
            call(**{argument: changed})


# What depends on the order of the rows, and why.
IN_ORDER = {
    **dict.fromkeys(
        ["NestedCV.fit", "bootstrap_score", "compare_estimators",
         "five_by_two_cv_test", "nested_cross_validate",
         "sets_of_classifier", "CalibratingClassifier.fit",
         "RejectingClassifier.fit", "check_folds"],
        "folds and draws are numbered rows",
    ),
    "mase_loss": "the naive forecast is the row before",
    "report": "writes a page",
}  # fmt: skip
DRAWN = ("estimate", "value", "difference")  # what no draws change


def numbers_of(found, only=()):
    """Yield the arrays of numbers in a result."""
    if isinstance(found, dict):
        yield from numbers_of(list(found.values()), only)
    elif isinstance(found, list | tuple):
        for each in found:
            yield from numbers_of(each, only)
    elif dataclasses.is_dataclass(found):
        held = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
        yield from numbers_of({k: v for k, v in held.items() if not only or k in only}, only)
    elif hasattr(found, "to_frame"):
        yield from numbers_of(list(found.to_frame().select_dtypes("number").to_numpy()))
    elif np.asarray(found).dtype.kind in "biufc":
        yield np.asarray(found, dtype=float)


def in_order(values, rows):
    """Return arrays of rows, or along rows, in another order; anything else as it is."""
    if isinstance(values, dict):
        return {each: in_order(held, rows) for each, held in values.items()}
    if not isinstance(values, np.ndarray) or N not in values.shape:
        return values
    return np.take(values, rows, axis=values.shape.index(N))


@pytest.mark.filterwarnings("ignore")
@each("name, argument", [case for case in PUBLIC_ARRAYS if case[0] not in IN_ORDER])
def test_rows_of_every_public_call_in_another_order_change_nothing(name, argument):
    """What a call returns, or each of its rows in the other order."""
    call = bound(name, PUBLIC_CALLS[name][0], argument)
    rows = np.random.default_rng(1).permutation(N)
    shuffled = {each: in_order(values, rows) for each, values in call.keywords.items()}
    drawn = {
        each: value for each, value in FEW.items()
        if each in inspect.signature(PUBLIC_CALLS[name][0]).parameters
    }  # fmt: skip
    only = DRAWN if drawn else ()
    if name == "permutation_test":  # its difference is that from a mean over draws
        only = ("statistic",)
    again = functools.partial(call.func, **call.keywords)
    before = [*numbers_of(again(**drawn), only)]
    if "." in name:
        again = bound(name, PUBLIC_CALLS[name][0], argument)
    after = [*numbers_of(again(**shuffled, **drawn), only)]
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        if not (np.shape(one) == np.shape(other) and np.allclose(one, other, equal_nan=True)):
            one = in_order(one, rows)
        if name == "placement_values":  # those of the rows of a class
            one, other = np.sort(one), np.sort(other)
        np.testing.assert_allclose(other, one, rtol=1e-9, atol=1e-12)
