"""A metric with a probability threshold cuts the probabilities there, by every door."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import declare, get_scorer, net_benefit, one_pass_scorer
from skaucx.metrics._registry.declare import METRICS
from skaucx.metrics.curves import decision_curve

X, T = load_breast_cancer(return_X_y=True)
X, T = (X / X.std(axis=0))[:240, :6], T[:240]
LABELS = {
    "strings": (np.array(["malignant", "benign"]), "malignant"),
    "the other order": (np.array(["ill", "well"]), "well"),
    "integers": (np.array([0, 1]), None),
    "the other integer": (np.array([0, 1]), 0),
    "bool": (np.array([False, True]), None),
    "floats": (np.array([2.0, 1.0]), 2.0),
}
MODEL = LogisticRegression(C=1e-5, max_iter=200)


def fitted(kind):
    names, positive = LABELS[kind]
    y = names[T]
    model = MODEL.fit(X, y)
    column = 1 if positive is None else model.classes_.tolist().index(positive)
    given = {} if positive is None else {"pos_label": positive}
    return model, y, model.predict_proba(X)[:, column], given, model.classes_[column]


def at(y, p, positive, threshold, weight=None):
    """The net benefit by its definition (Vickers and Elkin 2006)."""
    truth, called = y == positive, p >= threshold
    gain = truth - (threshold / (1 - threshold)) * ~truth
    return np.average(called * gain, weights=weight)


@pytest.mark.parametrize("threshold", [0.1, 0.55])
@pytest.mark.parametrize("kind", LABELS)
def test_every_door_gives_the_point_of_the_decision_curve(kind, threshold):
    model, y, p, given, positive = fitted(kind)
    own = {"threshold": threshold, **given}
    want = at(y, p, positive, threshold)
    curve = decision_curve(y, p, thresholds=[threshold], **given)
    scorer = get_scorer("net_benefit", **own)
    weight = 1 + np.arange(len(y)) % 3
    found = {
        "curve": curve.net_benefit[0],
        "scorer": scorer(model, X, y),
        "one pass": one_pass_scorer({"a": scorer, "b": "roc_auc"}, **given)(model, X, y)["a"],
        "evaluate": evaluate(y, model.predict(X), p, ["net_benefit"], **own)["net_benefit"],
        "scores only": evaluate(y, y_score=p, metrics=["net_benefit"], **own)["net_benefit"],
        "two columns": evaluate(
            y, y_score=model.predict_proba(X), metrics=["net_benefit"], **own
        )["net_benefit"],
        "partial": evaluate(
            y, y_score=p, metrics={"a": partial(net_benefit, threshold=threshold)}, **given
        )["a"],
        "set": evaluate(y, model.predict(X), p, "clinical", zero_division=np.nan, **own)[
            "net_benefit"
        ],
        "intervals": evaluate(y, model.predict(X), p, ["net_benefit"], intervals=True, **own)
        .intervals["net_benefit"].estimate,
        "function": net_benefit(y, np.where(p >= threshold, positive, other(y, positive)), **own),
    }  # fmt: skip
    np.testing.assert_allclose(list(found.values()), want, rtol=1e-12, err_msg=str(found))
    weighed = scorer(model, X, y, sample_weight=weight)
    assert weighed == pytest.approx(at(y, p, positive, threshold, weight), rel=1e-12)


def other(y, positive):
    return next(label for label in np.unique(y) if label != positive)


def test_interval_and_groups_are_those_of_the_cut_labels():
    model, y, p, own, positive = fitted("strings")
    own |= {"threshold": 0.1}
    called = np.where(p >= 0.1, positive, "benign")
    ours = evaluate(y, model.predict(X), p, ["net_benefit"], intervals=True, **own)
    labels = interval("net_benefit", y, called, **own)
    np.testing.assert_allclose([*ours.intervals["net_benefit"]], [*labels], rtol=1e-12)
    by = np.arange(len(y)) % 2
    found = evaluate(y, model.predict(X), p, ["net_benefit"], by=by, **own)
    for group in (0, 1):
        want = at(y[by == group], p[by == group], positive, 0.1)
        assert found[group]["net_benefit"] == pytest.approx(want, rel=1e-12)


def test_labels_alone_are_read_as_they_are_with_a_note():
    model, y, _, own, _ = fitted("strings")
    found = evaluate(y, model.predict(X), metrics=["net_benefit"], threshold=0.1, **own)
    assert "must be cut at 0.1" in " ".join(repr(found).split())
    assert "must be cut" not in repr(
        evaluate(
            y, y_score=model.predict_proba(X)[:, 1], metrics=["net_benefit"], threshold=0.1, **own
        )
    )
    scorer = get_scorer("net_benefit", threshold=0.1, response_method="predict", **own)
    assert scorer(model, X, y) == pytest.approx(found["net_benefit"], rel=1e-12)


def test_scores_beyond_probabilities_are_refused():
    y, p = [0, 1, 0, 1], [0.1, 1.2, 0.3, 0.4]
    with pytest.raises(ValueError, match=r"1\.2.*threshold 0\.2"):
        evaluate(y, y_score=p, metrics=["net_benefit"], threshold=0.2)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", None])
def test_many_classes_are_each_cut_against_the_rest(average):
    rng = np.random.default_rng(0)
    y, p = np.array(["a", "b", "c"])[rng.integers(0, 3, 60)], rng.dirichlet(np.ones(3), 60)
    each = np.array([at(y, p[:, k], label, 0.2) for k, label in enumerate("abc")])
    sizes = [np.sum(y == label) for label in "abc"]
    want = {"weighted": np.average(each, weights=sizes), None: each}.get(average, each.mean())
    found = evaluate(y, y_score=p, metrics=["net_benefit"], threshold=0.2, average=average)
    np.testing.assert_allclose(found["net_benefit"], want, rtol=1e-12)
    if average is None:
        assert found._classes["net_benefit"].tolist() == ["a", "b", "c"]


def test_a_metric_of_the_user_cuts_too():
    @declare("counts")
    def weighed_hits_score(c, *, threshold=0.3):
        """Recall at a threshold."""
        return c.tp / (c.tp + c.fn)

    try:
        y, p = [0, 1, 1, 1], [0.2, 0.25, 0.35, 0.9]
        model = type("Model", (), {"classes_": np.array([0, 1])})()
        model.predict_proba = lambda X: np.column_stack([1 - np.array(p), p])
        model.predict = lambda X: (np.array(p) > 0.5) * 1
        model.fit = lambda X, y: model
        assert evaluate(y, y_score=p, metrics=[weighed_hits_score])["weighed_hits"] == 2 / 3
        assert one_pass_scorer([weighed_hits_score])(model, None, y)["weighed_hits"] == 2 / 3
    finally:
        del METRICS["weighed_hits"]


@pytest.mark.parametrize(
    ("lone", "given", "want"),
    [
        (1, {}, 0.5),
        (0, {}, -0.5 * 3 / 7),
        ("ill", {"pos_label": "ill"}, 0.5),
        (2, {"pos_label": 2}, 0.5),
        (0, {"pos_label": 0}, 0.5),
    ],
)
def test_scores_of_a_lone_class_are_cut(lone, given, want):
    asked = {"y_score": [0.1, 0.5, 0.6, 0.2], "metrics": ["net_benefit"], "threshold": 0.3}
    found = evaluate([lone] * 4, **asked, **given)
    assert found["net_benefit"] == pytest.approx(want, rel=1e-12)
