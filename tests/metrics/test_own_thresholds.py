"""A metric with a probability threshold cuts the probabilities there, by every door."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression

from skaucx.evaluation import evaluate
from skaucx.inference import interval
from skaucx.metrics import declare, get_scorer, net_benefit, one_pass_scorer
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
    """Return a model, labels, probabilities of the positive class, how to name it, and the class."""
    names, positive = LABELS[kind]
    y = names[T]
    model = MODEL.fit(X, y)
    given = {} if positive is None else {"pos_label": positive}
    column = 1 if positive is None else model.classes_.tolist().index(positive)
    return model, y, model.predict_proba(X)[:, column], given, model.classes_[column]


def at(y, p, positive, threshold, weight=None):
    """The net benefit by its definition (Vickers and Elkin 2006)."""
    gain = np.where(y == positive, 1, -threshold / (1 - threshold))
    return np.average((p >= threshold) * gain, weights=weight)


@pytest.mark.parametrize("threshold", [0.1, 0.55])
@pytest.mark.parametrize("kind", LABELS)
def test_every_door_gives_the_point_of_the_decision_curve(kind, threshold):
    model, y, p, given, positive = fitted(kind)
    pred, own = model.predict(X), {"threshold": threshold, **given}
    [negative] = set(y.tolist()) - {positive}
    curve = decision_curve(y, p, thresholds=[threshold], **given)
    scorer, cut = get_scorer("net_benefit", **own), partial(net_benefit, threshold=threshold)
    named = {"metrics": ["net_benefit"], **own}
    certain = evaluate(y, pred, p, intervals=True, **named)
    clinical = evaluate(y, pred, p, "clinical", zero_division=np.nan, **own)
    found = {
        "curve": curve.net_benefit[0],
        "scorer": scorer(model, X, y),
        "one pass": one_pass_scorer({"a": scorer, "b": "roc_auc"}, **given)(model, X, y)["a"],
        "evaluate": evaluate(y, pred, p, **named)["net_benefit"],
        "scores only": evaluate(y, y_score=p, **named)["net_benefit"],
        "two columns": evaluate(y, y_score=model.predict_proba(X), **named)["net_benefit"],
        "partial": evaluate(y, y_score=p, metrics={"a": cut}, **given)["a"],
        "set": clinical["net_benefit"],
        "intervals": certain.intervals["net_benefit"].estimate,
        "function": net_benefit(y, np.where(p >= threshold, positive, negative), **own),
    }
    want = at(y, p, positive, threshold)
    np.testing.assert_allclose(list(found.values()), want, rtol=1e-12, err_msg=str(found))
    weight = 1 + np.arange(len(y)) % 3
    weighed = scorer(model, X, y, sample_weight=weight)
    assert weighed == pytest.approx(at(y, p, positive, threshold, weight), rel=1e-12)


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
    model, y, p, own, _ = fitted("strings")
    asked = {"metrics": ["net_benefit"], "threshold": 0.1, **own}
    found = evaluate(y, model.predict(X), **asked)
    assert "must be cut at 0.1" in " ".join(repr(found).split())
    assert "must be cut" not in " ".join(repr(evaluate(y, y_score=p, **asked)).split())
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

    model, y, p, _, _ = fitted("integers")
    want = np.mean(p[y == 1] >= 0.3)
    assert want != np.mean(p[y == 1] >= 0.5)
    asked = [weighed_hits_score]
    assert evaluate(y, y_score=p, metrics=asked)["weighed_hits"] == want
    assert one_pass_scorer(asked)(model, X, y)["weighed_hits"] == want


@pytest.mark.parametrize(
    ("lone", "given"), [(1, {}), ("ill", {"pos_label": "ill"}), (2, {"pos_label": 2}), (0, {}),
                        (0, {"pos_label": 0})],
)  # fmt: skip
def test_scores_of_a_lone_class_are_cut(lone, given):
    asked = {"y_score": [0.1, 0.3, 0.6, 0.2], "metrics": ["net_benefit"], "threshold": 0.3}
    found = evaluate([lone] * 4, **asked, **given)
    want = 0.5 if lone == 1 or given else -0.5 * 3 / 7
    assert found["net_benefit"] == pytest.approx(want, rel=1e-12)
