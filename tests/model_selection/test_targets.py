"""What y may hold, in every number of a run: labels of any type, a class named positive or unseen."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, make_classification, make_multilabel_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from skaucx.inference import interval
from skaucx.metrics import get_scorer, one_pass_scorer
from skaucx.metrics._kinds.scores import SCORES
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics._registry.names import scorer_names
from skaucx.model_selection import (
    NestedCVDisplay,
    bootstrap_score,
    compare_estimators,
    nested_cross_validate,
)
from tests.metrics.needed import needed_parameters

from .records import recorded

X, CODES = make_classification(
    240, 5, n_informative=2, weights=[0.7], flip_y=0.1, class_sep=0.5, random_state=3
)
# Sorted, the positive class comes first: whoever takes the second one is found out.
Y = np.array(["healthy", "cancer"])[CODES]
GRID = {"var_smoothing": [1e-9, 0.1]}


def nested(scoring, y=Y, rows=slice(None), **options):
    given = {"outer_cv": 3, "inner_cv": 2, "final": None, **options}
    return nested_cross_validate(GaussianNB(), GRID, X[rows], y, scoring=scoring, **given)


SICK, WORDS = CODES[:72] == 1, Y[:72]
LABELS = {
    "object": (WORDS.astype(object), "cancer"),
    "pandas object": (pd.Series(WORDS.astype(object), dtype=object), "cancer"),
    "pandas str": (pd.Series(WORDS).astype("str"), "cancer"),
    "pandas string": (pd.Series(WORDS).astype("string"), "cancer"),
    "pandas category": (pd.Series(WORDS).astype("category"), "cancer"),
    "bool": (SICK, True),
    "pandas bool": (pd.Series(SICK), True),
    "integer": (np.where(SICK, 3, 7), 3),
}


@pytest.mark.parametrize("kind", LABELS)
def test_everything_public_takes_every_type_of_label(kind, tmp_path):
    """The numbers are those of labels of type <U, and every page and table is made."""

    def scoring(positive):
        return {name: get_scorer(name, pos_label=positive) for name in ("recall", "roc_auc")}

    y, positive = LABELS[kind]
    result = nested(scoring(positive), y, range(72), refit="roc_auc")
    plain = nested(scoring("cancer"), WORDS, range(72), refit="roc_auc")
    assert result["test_recall"].tolist() == plain["test_recall"].tolist()
    assert str(positive) in result.summary()
    assert result._repr_html_()
    assert result.pooled_interval("recall", n_resamples=50, random_state=0).estimate > 0
    if kind in ("object", "bool"):  # pictures take their time
        result.report(tmp_path / "page.html")
    models = {"weak": LogisticRegression(C=0.01), "strong": GaussianNB()}
    found = compare_estimators(models, X[:72], y, scoring=scoring(positive), outer_cv=2, inner_cv=2)
    assert str(positive) in str(found)
    recall = scoring(positive)["recall"]
    score = bootstrap_score(GaussianNB(), X[:72], y, scoring=recall, n_splits=5)
    assert "recall" in repr(score)


NAMES = [
    "recall", "specificity", "precision", "npv", "f1", "mcc", "average_precision", "roc_auc",
    "mm7_auc", "neg_log_loss", "neg_brier_score", "balanced_accuracy", "lr_plus", "prob_auc",
]  # fmt: skip


def of_cancer(name):
    """Return a scorer of the positive class, or the name where a metric takes none."""
    try:
        return get_scorer(name, pos_label="cancer")
    except TypeError:
        return name


@pytest.fixture(scope="module")
def by_codes():
    return nested(NAMES, CODES)


@pytest.fixture(scope="module", params=["run", "scorer", "codes"])
def result(request, by_codes):
    """The same run, its positive class named to the run, by its scorers, or by its labels."""
    if request.param == "run":
        return nested(NAMES, pos_label="cancer")
    return by_codes if request.param == "codes" else nested({n: of_cancer(n) for n in NAMES})


@pytest.mark.parametrize("name", NAMES)
def test_a_number_in_two_ways(result, by_codes, name):
    """Folds against the same run on codes, pooled value against interval and metric function."""
    np.testing.assert_allclose(result[f"test_{name}"], by_codes[f"test_{name}"], rtol=1e-12)
    pooled = result.pooled[name].value
    assert pooled == pytest.approx(by_codes.pooled[name].value, rel=1e-12)
    found = result.pooled_interval(name, method="percentile", n_resamples=9, random_state=0)
    sign = -1 if name.startswith("neg_") else 1
    assert sign * found.estimate == pytest.approx(pooled, rel=1e-12)
    metric, held = get_scorer(name)._score_func, result.predictions
    read = held.y_pred == result.pos_label
    if not metric.function.metric.kind.counted:
        read = held.scores(metric.response_method, result.pos_label)
    found = metric.function(held.y_true == result.pos_label, read)
    assert sign * found == pytest.approx(pooled, rel=1e-12)


def test_every_scorer_that_depends_on_it_asks_for_it():
    """Of two classes that tell nothing, each scorer refuses or has one value for both classes."""
    checked, unnamed = 0, nested("accuracy")
    model = LogisticRegression().fit(X, Y)
    others = ("macro", "micro", "weighted", "samples", "aun", "ovr", "ovo", "pairwise_auc")
    for name in sorted(scorer_names()):
        if any(part in name for part in others) or of_cancer(name) == name:
            continue
        values = [get_scorer(name, pos_label=label)(model, X, Y) for label in ("cancer", "healthy")]
        if not np.isclose(*values, rtol=1e-10, equal_nan=True):
            checked += 1
            with pytest.raises(ValueError, match="pos_label"):
                unnamed.pooled_interval(name)
    assert checked > 20


def test_metrics_that_name_others_are_printed_apart():
    spared = get_scorer("recall", pos_label="healthy")
    found = nested({"recall": of_cancer("recall"), "spared": spared})
    assert found.pos_label == "cancer"
    text = f"Of spared: healthy, {np.sum(CODES == 0)} of 240 rows."
    assert text in " ".join(found.summary().split())
    by_codes = nested(["recall", "specificity"], CODES)
    for own, name in (("recall", "recall"), ("spared", "specificity")):
        assert found.pooled_interval(own).estimate == by_codes.pooled[name].value


@pytest.mark.parametrize(
    ("y", "options", "told"),
    [
        (Y, {"pos_label": "ill"}, "pos_label.*ill"),
        (np.arange(240) % 3, {"pos_label": 1}, "pos_label.*1"),
        (Y, {"scoring": ["accuracy", "recall"]}, r"'recall'.*pos_label"),
        (np.full(240, "cancer"), {}, "y holds one class, 'cancer'"),
        (CODES.astype(object), {}, r"y holds Python objects.*found [01].*astype"),
        (CODES.astype(object), {"pos_label": 1}, r"y holds Python objects.*found [01].*astype"),
    ],
)
def test_classes_are_refused_before_the_first_fit(y, options, told, monkeypatch):
    monkeypatch.setattr(GaussianNB, "fit", None)
    with pytest.raises(ValueError, match=told):
        nested(**{"scoring": "accuracy", "y": y, **options})


def test_bootstrap_and_comparison():
    options = {"scoring": "recall", "n_splits": 5, "random_state": 0}
    found = bootstrap_score(GaussianNB(), X, Y, pos_label="cancer", **options)
    assert found.estimate == bootstrap_score(GaussianNB(), X, CODES, **options).estimate
    models = {"bayes": (GaussianNB(), GRID), "linear": LogisticRegression()}
    options = {"scoring": ["average_precision", "roc_auc", "recall"], "outer_cv": 3}
    compared = compare_estimators(models, X, Y, pos_label="cancer", **options)
    expected = compare_estimators(models, X, CODES, **options)
    for told in (found, compared, compared.results["bayes"]):
        assert "Positive class: cancer" in str(told.summary() if hasattr(told, "refit") else told)
        assert "Positive class: cancer" in told._repr_html_()
    for name in options["scoring"]:
        np.testing.assert_allclose(compared.scores(name), expected.scores(name), rtol=1e-12)
        [one], [two] = compared.pairs(name), expected.pairs(name)
        assert one.within.difference == pytest.approx(two.within.difference, rel=1e-12)


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored")
def test_groups_reach_intervals_and_tests():
    """Rows eight times over, of as many groups as there were rows, tell no more than once."""
    groups = np.repeat(np.arange(240), 8)
    many = X[groups] + np.random.default_rng(0).normal(0, 0.01, (240 * 8, 5)), CODES[groups]
    cv = {"outer_cv": StratifiedGroupKFold(3), "inner_cv": 2}
    given = {"scoring": ["accuracy", "roc_auc"], "final": None}
    clustered = nested_cross_validate(GaussianNB(), {}, *many, groups=groups, **given, **cv)
    once = nested_cross_validate(GaussianNB(), {}, X, CODES, **given, outer_cv=3, inner_cv=2)
    assert np.array_equal(clustered.predictions.groups, groups[clustered.predictions.row])
    for name in ("accuracy", "roc_auc"):
        wide, usual = (
            r.pooled_interval(name, method="percentile", n_resamples=200, random_state=0)
            for r in (clustered, once)
        )
        assert wide.standard_error == pytest.approx(usual.standard_error, rel=0.3)
        assert np.isnan(wide.high - wide.low) == (name == "roc_auc")
        wide = clustered.interval(name)
        assert wide.high - wide.low > 0.8 * 2 * 1.96 * usual.standard_error
    models = {"bayes": GaussianNB(), "linear": LogisticRegression()}
    found = compare_estimators(models, *many, scoring="roc_auc", groups=groups, **cv)
    [pair], held = found.pairs("roc_auc"), found.results["bayes"].predictions
    plain = interval("roc_auc", held.y_true, held.scores("predict_proba"))
    assert pair.within.standard_error > plain.standard_error


# The first group has all rows of class 2, which a model without that group never saw.
RARE = np.r_[np.arange(60) % 2, [2] * 4]
GROUPS = np.r_[np.arange(60) // 2 % 3, [0] * 4]
FEW = np.random.default_rng(0).normal(size=(64, 2)) + np.c_[2 * (RARE == 1), 2 * (RARE == 2)]
TRAIN, TEST = GROUPS > 0, GROUPS == 0
MODEL = LogisticRegression().fit(FEW[TRAIN], RARE[TRAIN])
PROBA = np.c_[MODEL.predict_proba(FEW[TEST]), np.zeros(TEST.sum())]
DECISION = MODEL.decision_function(FEW[TEST])
LOWEST = np.full(TEST.sum(), -np.abs(DECISION).max())
DECISIONS = np.c_[-DECISION, DECISION, LOWEST]


def of_several(name):
    """Return a metric of several classes with its options and its value; None of two classes."""
    function = METRICS[name]
    own = dict(needed_parameters(name, 3))
    own |= {"multi_class": "ovr"} if "multi_class" in function.options else {}
    own |= {"average": "macro"} if "average" in function.options else {}
    try:
        method = np.atleast_1d(get_scorer(function, **own)._score_func.response_method)[0]
        with warnings.catch_warnings(action="ignore"):
            value = function(RARE[TEST], PROBA if method == "predict_proba" else DECISIONS, **own)
    except (ValueError, TypeError):
        return None
    return (function, own, float(value)) if np.ndim(value) == 0 else None


READ = {name: of_several(name) for name, f in METRICS.items() if f.metric.kind.inputs is SCORES}


@pytest.mark.parametrize("name", [name for name, found in READ.items() if found])
def test_scorers_read_a_class_that_the_model_never_saw(name):
    function, own, wanted = READ[name]
    scorer = get_scorer(function, **own)
    sign = -1 if function.metric.greater_is_better is False else 1
    with warnings.catch_warnings(action="ignore"):
        found = scorer(MODEL, FEW[TEST], RARE[TEST])
        shared = one_pass_scorer({"m": scorer})(MODEL, FEW[TEST], RARE[TEST])["m"]
    if np.isfinite(wanted):
        assert found == pytest.approx(sign * wanted)
        assert shared == pytest.approx(sign * wanted, nan_ok=True)


def test_the_fold_that_lacks_a_class_counts():
    options = {"groups": GROUPS, "cv": LeaveOneGroupOut(), "scoring": get_scorer("neg_log_loss")}
    losses = -cross_val_score(LogisticRegression(), FEW, RARE, **options)
    assert losses[0] == pytest.approx(log_loss(RARE[TEST], PROBA, labels=[0, 1, 2]))
    assert losses[0] > losses[1:].max()
    names = ["accuracy", "neg_log_loss", "roc_auc_ovr"]
    with warnings.catch_warnings(action="ignore"):
        result = nested_cross_validate(
            LogisticRegression(), {"C": [1, 10]}, FEW, RARE, scoring=names, refit="accuracy",
            groups=GROUPS, outer_cv=LeaveOneGroupOut(), inner_cv=3,
        )  # fmt: skip
    assert all(np.isfinite(each[0]) for each in result.test_scores.values())
    found = -np.asarray(result.test_scores["neg_log_loss"])
    assert np.isfinite(found).all()
    assert found[0] > found[1:].max()
    pooled = result.predictions
    assert np.isfinite(pooled.responses["predict_proba"]).all()
    assert (pooled.responses["predict_proba"][pooled.fold == 0, 2] == 0).all()


A, B = load_diabetes(return_X_y=True)
MANY, SEVERAL = make_multilabel_classification(150, n_classes=3, random_state=0)
LETTERS = np.array(["a", "b", "c"])[SEVERAL[:, :2].sum(axis=1)]
CASES = {
    "numbers": (Ridge(), {"alpha": [0.1, 1.0, 50.0]}, A, B, ["r2", "neg_mean_absolute_error"]),
    "outputs": (Ridge(), {"alpha": [0.1, 50.0]}, A, np.c_[B, np.sqrt(B)], ["r2"]),
    "labels": (KNeighborsClassifier(), {"n_neighbors": [3, 9]}, MANY, SEVERAL, ["accuracy", "f1_macro"]),
    "outputs of classes": (
        MultiOutputClassifier(GaussianNB()), {"estimator__var_smoothing": [1e-9, 1.0]}, MANY,
        np.column_stack([LETTERS, SEVERAL[:, 2] > 0]), None,
    ),
}  # fmt: skip


def run(case, **options):
    model, grid, x, y, scoring = CASES[case]
    options = {"scoring": scoring, "outer_cv": KFold(3), "inner_cv": KFold(4), **options}
    return nested_cross_validate(model, grid, x, y, **recorded(options))


@pytest.mark.parametrize("case", CASES)
def test_other_targets_have_the_digits_of_cross_validate(case, tmp_path):
    model, grid, x, y, scoring = CASES[case]
    found = run(case)
    search = GridSearchCV(model, grid, scoring=scoring and scoring[0], cv=KFold(4))
    theirs = cross_validate(search, x, y, scoring=scoring, cv=KFold(3), return_estimator=True)
    for name in scoring or ["score"]:
        np.testing.assert_allclose(found[f"test_{name}"], theirs[f"test_{name}"], rtol=1e-12)
    assert list(found.winning_params) == [one.best_params_ for one in theirs["estimator"]]
    assert found.final.params == search.fit(x, y).best_params_
    text = found.summary()
    assert "Positive class" not in text
    assert "AUC" not in text
    assert len(found.to_frame()) == 3
    found.report(tmp_path / "page.html")
    assert "Confusion" not in (tmp_path / "page.html").read_text()
    NestedCVDisplay(found).plot()
    low, high = found.interval(found.refit[0])
    assert low < found.statistics(found.refit[0]).mean < high


@pytest.mark.parametrize(
    ("case", "options", "told"),
    [
        ("numbers", {"pos_label": 1}, "pos_label=1 needs a classifier of two classes; found Ridge"),
        ("numbers", {"calibration": "sigmoid"}, "calibration needs a classifier of plain classes"),
        ("numbers", {"threshold": "f1"}, "threshold needs a classifier"),
        ("labels", {"reject": {"cost": 0.1}}, "reject needs a classifier of plain classes"),
        ("labels", {"threshold": "f1"}, "threshold needs a classifier of plain classes"),
    ],
    ids=str,
)
def test_decisions_about_other_targets_are_refused_before_any_fit(case, options, told, monkeypatch):
    monkeypatch.setattr(type(CASES[case][0]), "fit", None)
    with pytest.raises(ValueError, match=told):
        run(case, **options)


@pytest.mark.parametrize(
    ("case", "name", "told"),
    [
        ("numbers", "roc_auc", "Ridge has none of the following attributes: decision_function"),
        ("numbers", "f1", "y_pred holds continuous values"),
        ("labels", "mcc", "does not apply to multilabel indicators"),
    ],
)
def test_a_metric_of_other_targets_is_named_with_the_first_scores(case, name, told):
    with pytest.raises(ValueError, match=f"'{name}' raised after (48|32) of.*{told}"):
        run(case, scoring=name)
