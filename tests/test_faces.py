"""Every printed face of one awkward study: what a careful reader needs stands next to the number.

String labels, groups, weights, a fold on which metrics are undefined, a constraint that no threshold
keeps, a model that fails, and a metric with a parameter; each face is a text with the words it must
hold.
"""

from __future__ import annotations

import html
import re
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit

from skaucx import evaluation, inference
from skaucx import metrics as sm
from skaucx.model_selection import Decisions, compare_estimators, nested_cross_validate

pytestmark = pytest.mark.presentation

RNG = np.random.default_rng(0)
GROUPS = np.repeat(np.arange(60), 2)
X = RNG.normal(size=(120, 2))
ILL = X[:, 0] + RNG.normal(0, 1, 120) > 0.4
FOLD = np.arange(120) // 40
ILL[FOLD == 2] = False  # the last outer fold holds one class
Y = np.where(ILL, "ill", "well")
WEIGHT = RNG.integers(1, 4, 120).astype(float)
SCORE = 1 / (1 + np.exp(-X[:, 0] + 0.4))
PRED = np.where(SCORE > 0.5, "ill", "well")
OTHER = np.where(X[:, 1] > 0, "ill", "well")
F2 = {"beta": 2.0}


class Broken(ClassifierMixin, BaseEstimator):
    """A classifier whose fits fail."""

    def fit(self, X, y):
        raise RuntimeError("the licence has expired")


@pytest.fixture(scope="module")
def run():
    scorers = {"f2": sm.get_scorer("fbeta", beta=2.0), "recall": "recall", "auc": "roc_auc"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = nested_cross_validate(
            LogisticRegression(), {"C": [0.1, 1]}, X, Y, scoring=scorers, refit="f2",
            groups=GROUPS, sample_weight=WEIGHT, pos_label="ill", inner_cv=2,
            decisions=Decisions(threshold={"recall": {"precision": (">=", 1.1)}}),
            outer_cv=PredefinedSplit(FOLD),
        )  # fmt: skip
        compared = compare_estimators(
            {"logistic": LogisticRegression(), "flat": LogisticRegression(C=1e-3),
             "broken": Broken()},
            X, Y, scoring=scorers, groups=GROUPS, pos_label="ill",
            outer_cv=PredefinedSplit(FOLD), inner_cv=2,
        )  # fmt: skip
    return result, compared


def text_of(page):
    """Return the words of a page of HTML."""
    body = re.sub(r"<(style|script).*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


def holds(face, *words):
    flat = " ".join(str(face).split())
    missing = [word for word in words if not re.search(word, flat)]
    assert not missing, (missing, flat[:3000])


def test_single_calls():
    given = {"pos_label": "ill", **F2}
    found = inference.interval("fbeta", Y, PRED, groups=GROUPS, sample_weight=WEIGHT, **given)
    test = inference.paired_test("fbeta", Y, PRED, OTHER, groups=GROUPS, **given)
    for face in (found, text_of(found._repr_html_())):
        holds(face, r"fbeta\(beta=2\)", "95 %", "cluster")
    holds(test, r"fbeta\(beta=2\)", "p-value", "target: these predictions")
    metrics = ["recall", "fbeta", "net_benefit"]
    found = evaluation.evaluate(
        Y, PRED, SCORE, metrics=metrics, by=GROUPS % 2, intervals=True, threshold=0.2,
        n_resamples=60, random_state=0, **given,
    )  # fmt: skip
    holds(found, "Positive class: ill", r"fbeta\(beta=2\)", r"net_benefit\(threshold=0.2\)", "95 %")


def test_nested_run(run, tmp_path):
    result, _ = run
    result.report(tmp_path / "run.html")
    page = text_of((tmp_path / "run.html").read_text(encoding="utf-8"))
    for face in (result.summary(), page):
        holds(
            face,
            "ill",
            "f2",
            "beta=2",
            "undefined",
            "groups?",
            r"precision >= 1\.1",
            "0 of 3 outer folds",
        )
    holds(result.interval("f2"), "folds|groups|note|Note")


def test_comparison(run, tmp_path):
    _, compared = run
    compared.report(tmp_path / "compared.html")
    page = text_of((tmp_path / "compared.html").read_text(encoding="utf-8"))
    for face in (compared, page):
        holds(face, "broken", "the licence has expired", "beta=2", "undefined", "ill")
